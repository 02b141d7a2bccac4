/// The writer's side of a shared state. Others of this user can write to the memory, too: so what
/// the writer needs to know about it is kept beside it, and nothing is read from there.
#include "share/share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

struct fo_share {
    foi_share_head *head;
    size_t size;
    uint32_t signals, names_size, current;
    uint64_t shown, sequence[2];
    int file; ///< with the lock
    char path[FOI_SHARE_NAME];
    const fo_allocator *allocator;
};

bool foi_share_path(const char *name, char path[FOI_SHARE_NAME])
{
    size_t length = strlen(name);
    if (!length || length > FOI_SHARE_NAME - 10 || strchr(name, '/')) return false;
    snprintf(path, FOI_SHARE_NAME, "/foliot-%s", name);
    return true;
}

// A lock of the open file, not of the process: it stays while any other file is closed, and goes
// with the last process that has it.
static bool hold(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

bool foi_share_is_held(int file)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Whether the memory that has this name already may be replaced: ours, and nobody lives in it.
static bool is_free(const char *path, fo_message *why)
{
    foi_share_head head = {0};
    int file = shm_open(path, O_RDONLY | O_NONBLOCK, 0);
    if (file < 0 && errno == ENOENT) return true;
    if (file < 0) {
        fo_fail(why, FO_ERROR_INPUT, "%s is there and cannot be opened: %s", path + 1,
                strerror(errno));
        return false;
    }
    bool ours = foi_share_is_ours(file, path, why), held = ours && foi_share_is_held(file);
    ssize_t got = ours ? read(file, &head, sizeof head) : 0;
    close(file);
    if (held)
        fo_fail(why, FO_ERROR_ARGUMENT, "the shared state %s is used by process %d", path + 1,
                got == (ssize_t)sizeof head ? (int)head.writer : 0);
    return ours && !held;
}

// Opens the memory anew; what a dead process left behind is replaced.
static int open_new(const char *path, fo_message *why)
{
    int file = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0 && errno == EEXIST) {
        if (!is_free(path, why)) return -1;
        shm_unlink(path);
        file = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    }
    if (file >= 0 && !hold(file)) {
        fo_fail(why, FO_ERROR_INPUT, "cannot lock shared memory %s: %s", path, strerror(errno));
        close(file);
        shm_unlink(path);
        return -1;
    }
    if (file < 0)
        fo_fail(why, FO_ERROR_INPUT, "cannot make shared memory %s: %s", path, strerror(errno));
    return file;
}

// All names one after the other, the model's first; NULL `to`: only their size.
static size_t put_names(fo_system system, const fo_shape *shape, char *to)
{
    char text[256];
    size_t size = strlen(system.about->name) + 1;
    if (to) memcpy(to, system.about->name, size);
    const struct {
        fo_quantity quantity;
        uint32_t count;
    } kinds[] = {
        {FO_STATE, shape->states}, {FO_DISCRETE, shape->discretes}, {FO_OUTPUT, shape->outputs}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint32_t i = 0; i < kinds[k].count; i++) {
            fo_system_name(system, (fo_reference){kinds[k].quantity, i}, text, sizeof text);
            size_t length = strlen(text) + 1;
            if (to) memcpy(to + size, text, length);
            size += length;
        }
    return size;
}

static bool map(fo_share *share, int file, fo_system system, fo_message *why)
{
    fo_shape shape = fo_system_shape(system);
    size_t names = put_names(system, &shape, NULL);
    uint64_t signals = (uint64_t)shape.states + shape.discretes + shape.outputs;
    if (names > UINT32_MAX / 2 || signals > UINT32_MAX / 2) {
        fo_fail(why, FO_ERROR_ARGUMENT, "too many signals to share: %llu",
                (unsigned long long)signals);
        return false;
    }
    share->size = foi_share_size((uint32_t)signals, (uint32_t)names);
    void *memory = MAP_FAILED;
    // room is taken now: a write into memory that is not there would end the run
    int fault = posix_fallocate(file, 0, (off_t)share->size);
    if (fault) errno = fault;
    if (!fault) memory = mmap(NULL, share->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        fo_fail(why, FO_ERROR_INPUT, "cannot map shared memory %s: %s", share->path,
                strerror(errno));
        return false;
    }
    share->head = memory;
    share->signals = (uint32_t)signals;
    share->names_size = (uint32_t)names;
    share->head->version = FOI_SHARE_VERSION;
    share->head->signals = share->signals;
    share->head->names_size = share->names_size;
    share->head->writer = (int32_t)getpid();
    put_names(system, &shape, (char *)(share->head + 1));
    atomic_thread_fence(memory_order_release);
    memcpy(share->head->magic, "foliotSH", 8); // the last: before it nobody reads
    return true;
}

fo_share *fo_share_create(const char *name, fo_system system, const fo_allocator *allocator,
                          fo_message *why)
{
    char path[FOI_SHARE_NAME];
    if (!foi_share_path(name, path)) {
        fo_fail(why, FO_ERROR_ARGUMENT, "'%.40s' cannot be the name of a shared state", name);
        return NULL;
    }
    fo_share *share = foi_new(allocator, 1, sizeof *share);
    if (!share) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a shared state");
        return NULL;
    }
    share->allocator = allocator;
    memcpy(share->path, path, sizeof path);
    int file = open_new(path, why);
    share->file = file;
    if (file >= 0 && map(share, file, system, why)) return share;
    if (file >= 0) {
        shm_unlink(path);
        close(file);
    }
    foi_free(allocator, share);
    return NULL;
}

size_t fo_share_count(const fo_share *share)
{
    return share->signals;
}

// Writing to memory that somebody has cut off would end the process. Between this look and the
// last of the stores lie some microseconds, which no call of the system closes.
static bool is_whole(const fo_share *share)
{
    struct stat about;
    return fstat(share->file, &about) == 0 && about.st_size >= (off_t)share->size;
}

static void put_state(fo_share *share, double t, const double *values)
{
    foi_share_head *head = share->head;
    uint32_t next = 1 - share->current;
    uint64_t *sequence = &share->sequence[next], bits;
    char *base = (char *)head + foi_share_values(share->names_size);
    _Atomic uint64_t *to = (_Atomic uint64_t *)(void *)base + (size_t)next * share->signals;
    atomic_store_explicit(&head->sequence[next], ++*sequence, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    memcpy(&bits, &t, sizeof bits);
    atomic_store_explicit(&head->time[next], bits, memory_order_relaxed);
    for (uint32_t i = 0; i < share->signals; i++) {
        memcpy(&bits, &values[i], sizeof bits);
        atomic_store_explicit(&to[i], bits, memory_order_relaxed);
    }
    atomic_store_explicit(&head->sequence[next], ++*sequence, memory_order_release);
    atomic_store_explicit(&head->current, next, memory_order_release);
    atomic_store_explicit(&head->shown, ++share->shown, memory_order_release);
    share->current = next;
}

void fo_share_show(fo_share *share, double t, const double *values)
{
    if (is_whole(share)) put_state(share, t, values);
}

static fo_status show_row(void *self, const fo_row *row, fo_message *why)
{
    fo_share *share = self;
    if (row->count != share->signals)
        return fo_fail(why, FO_ERROR_UNFIT, "a shared state cannot change its size");
    if (!is_whole(share))
        return fo_fail(why, FO_ERROR_INPUT, "the shared state %s was cut short by somebody",
                       share->path + 1);
    put_state(share, row->t, row->values);
    return FO_OK;
}

fo_observer fo_share_observer(fo_share *share, double interval)
{
    return (fo_observer){.self = share, .row = show_row, .interval = interval};
}

void fo_share_destroy(fo_share *share)
{
    if (!share) return;
    if (is_whole(share)) atomic_store(&share->head->ended, 1);
    munmap(share->head, share->size);
    close(share->file);
    shm_unlink(share->path);
    foi_free(share->allocator, share);
}
