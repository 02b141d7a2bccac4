/// The reader's side of a shared state. What is in the memory came from outside and is checked.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "share/share.h"

enum { TRIES = 1000000 };

struct fo_look {
    const foi_share_head *head;
    size_t size;
    uint32_t signals, names_size; ///< as they were when they were checked
    const char **names;           ///< signals + 1, the model's first
    const fo_allocator *allocator;
};

static const foi_share_head *map(const char *path, size_t *size, fo_message *why)
{
    struct stat info;
    void *memory = MAP_FAILED;
    int file = shm_open(path, O_RDONLY, 0);
    if (file < 0) {
        fo_fail(why, FO_ERROR_INPUT,
                "there is no shared state %s: %s; 'foliot run MODEL --share NAME' makes one",
                path + 1, strerror(errno));
        return NULL;
    }
    if (fstat(file, &info) == 0 && info.st_size >= (off_t)sizeof(foi_share_head)) {
        *size = (size_t)info.st_size;
        memory = mmap(NULL, *size, PROT_READ, MAP_SHARED, file, 0);
    }
    close(file);
    if (memory != MAP_FAILED) return memory;
    fo_fail(why, FO_ERROR_FORMAT, "%s is not (yet) a shared state", path + 1);
    return NULL;
}

// Sizes that fit together, and names that end.
static bool sound(const foi_share_head *head, size_t size)
{
    if (memcmp(head->magic, "foliotSH", 8) != 0 || head->version != FOI_SHARE_VERSION) return false;
    if (foi_share_size(head->signals, head->names_size) != size) return false;
    const char *names = (const char *)(head + 1);
    size_t ends = 0;
    for (uint32_t i = 0; i < head->names_size; i++) ends += names[i] == 0;
    return ends == (size_t)head->signals + 1 && names[head->names_size - 1] == 0;
}

static bool list_names(fo_look *look)
{
    look->names = foi_new(look->allocator, (size_t)look->signals + 1, sizeof *look->names);
    if (!look->names) return false;
    const char *at = (const char *)(look->head + 1);
    for (uint32_t i = 0; i <= look->signals; i++, at += strlen(at) + 1) look->names[i] = at;
    return true;
}

fo_look *fo_look_open(const char *name, const fo_allocator *allocator, fo_message *why)
{
    char path[FOI_SHARE_NAME];
    size_t size = 0;
    if (!foi_share_path(name, path)) {
        fo_fail(why, FO_ERROR_ARGUMENT, "'%.40s' cannot be the name of a shared state", name);
        return NULL;
    }
    const foi_share_head *head = map(path, &size, why);
    if (!head) return NULL;
    fo_look *look = sound(head, size) ? foi_new(allocator, 1, sizeof *look) : NULL;
    if (!look) {
        if (sound(head, size))
            fo_fail(why, FO_ERROR_MEMORY, "no memory to look at a shared state");
        else
            fo_fail(why, FO_ERROR_FORMAT, "%s is not a shared state that can be read", path + 1);
        munmap((void *)head, size);
        return NULL;
    }
    *look = (fo_look){head, size, 0, 0, NULL, allocator};
    look->names_size = head->names_size;
    look->signals = (uint32_t)((size - foi_share_values(look->names_size)) / 16);
    if (list_names(look)) return look;
    fo_fail(why, FO_ERROR_MEMORY, "no memory to look at a shared state");
    fo_look_close(look);
    return NULL;
}

size_t fo_look_count(const fo_look *look)
{
    return look->signals;
}

const char *fo_look_name(const fo_look *look, size_t signal)
{
    return signal < look->signals ? look->names[signal + 1] : NULL;
}

const char *fo_look_model(const fo_look *look)
{
    return look->names[0];
}

static bool copy(const fo_look *look, uint32_t which, double *t, double *values)
{
    foi_share_head *head = (foi_share_head *)look->head; // loads only
    uint64_t before = atomic_load_explicit(&head->sequence[which], memory_order_acquire), bits;
    char *base = (char *)head + foi_share_values(look->names_size);
    _Atomic uint64_t *from = (_Atomic uint64_t *)(void *)base + (size_t)which * look->signals;
    bits = atomic_load_explicit(&head->time[which], memory_order_relaxed);
    memcpy(t, &bits, sizeof *t);
    for (uint32_t i = 0; i < look->signals; i++) {
        bits = atomic_load_explicit(&from[i], memory_order_relaxed);
        memcpy(&values[i], &bits, sizeof bits);
    }
    atomic_thread_fence(memory_order_acquire);
    uint64_t after = atomic_load_explicit(&head->sequence[which], memory_order_relaxed);
    return before % 2 == 0 && before == after;
}

uint64_t fo_look_read(fo_look *look, double *t, double *values)
{
    foi_share_head *head = (foi_share_head *)look->head;
    for (int i = 0; i < TRIES; i++) {
        uint64_t shown = atomic_load_explicit(&head->shown, memory_order_acquire);
        uint32_t current = atomic_load_explicit(&head->current, memory_order_acquire) & 1;
        if (!shown) return 0;
        if (copy(look, current, t, values)) return shown;
    }
    return 0;
}

bool fo_look_alive(const fo_look *look)
{
    foi_share_head *head = (foi_share_head *)look->head;
    if (atomic_load(&head->ended)) return false;
    return kill(head->writer, 0) == 0 || errno == EPERM;
}

void fo_look_close(fo_look *look)
{
    if (!look) return;
    munmap((void *)look->head, look->size);
    foi_free(look->allocator, look->names);
    foi_free(look->allocator, look);
}
