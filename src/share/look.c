/// The reader's side of a shared state. The memory is somebody else's: it may be cut short, filled
/// with anything and left half-written at any moment. So it is never mapped (a mapping of a file
/// that was cut short ends the process with SIGBUS) but read with pread, which says how much there
/// is; what is read is checked once and then used from memory of our own; and no wait is longer
/// than the reader's patience.
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "share/share.h"

struct fo_look {
    int file;
    char called[FOI_SHARE_NAME]; ///< for messages
    int64_t patience;            ///< [ns]
    uint32_t signals, names_size;
    char *letters;
    const char **names; ///< signals + 1, the model's first
    fo_message message;
    const fo_allocator *allocator;
};

// ---------------------------------------------------------------------------------------- reading

/// All of so many bytes. False: the file has become too short, or cannot be read.
static bool get(int file, void *to, size_t count, size_t from)
{
    char *at = to;
    while (count) {
        ssize_t got = pread(file, at, count, (off_t)from);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got, from += (size_t)got, count -= (size_t)got;
    }
    return true;
}

static bool is_same(const fo_look *look, const foi_share_head *head)
{
    return memcmp(head->magic, "foliotSH", 8) == 0 && head->version == FOI_SHARE_VERSION &&
           head->signals == look->signals && head->names_size == look->names_size;
}

/// Sizes that fit together, and that the file has.
static bool sound(const foi_share_head *head, size_t size)
{
    return memcmp(head->magic, "foliotSH", 8) == 0 && head->version == FOI_SHARE_VERSION &&
           head->names_size > 0 && foi_share_size(head->signals, head->names_size) == size;
}

/// Names that end, as many as there are signals and the model's.
static bool list_names(fo_look *look)
{
    size_t count = (size_t)look->signals + 1, i = 0;
    const char *at = look->letters, *end = at + look->names_size;
    if (end[-1]) return false;
    for (; i < count && at < end; i++, at += strlen(at) + 1) look->names[i] = at;
    return i == count && at == end;
}

// ---------------------------------------------------------------------------------------- opening

bool foi_share_is_ours(int file, const char *path, fo_message *why)
{
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        fo_fail(why, FO_ERROR_FORMAT, "%s is a FIFO, a folder or a device, no shared state",
                path + 1);
        return false;
    }
    if (info.st_uid == geteuid()) return true;
    fo_fail(why, FO_ERROR_INPUT, "the shared state %s belongs to user %u, not to user %u", path + 1,
            (unsigned)info.st_uid, (unsigned)geteuid());
    return false;
}

static fo_status take_names(fo_look *look, fo_message *why)
{
    look->letters = foi_new(look->allocator, look->names_size, 1);
    look->names = foi_new(look->allocator, (size_t)look->signals + 1, sizeof *look->names);
    if (!look->letters || !look->names)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory to look at a shared state");
    if (!get(look->file, look->letters, look->names_size, sizeof(foi_share_head)) ||
        !list_names(look))
        return fo_fail(why, FO_ERROR_FORMAT, "%s is not a shared state that can be read",
                       look->called);
    return FO_OK;
}

// Somebody who has it may still be making it: the mark comes last, and is waited for.
static bool get_head(int file, int64_t patience, foi_share_head *head, struct stat *info)
{
    static const foi_share_head none = {0};
    int64_t limit = foi_clock_now() + patience;
    for (;;) {
        bool whole = fstat(file, info) == 0 && info->st_size >= (off_t)sizeof *head &&
                     get(file, head, sizeof *head, 0);
        if (whole && memcmp(head->magic, none.magic, sizeof head->magic) != 0) return true;
        if (!foi_share_is_held(file) || foi_clock_now() >= limit) return whole;
        usleep(1000);
    }
}

fo_look *foi_look_open_file(int file, const char *path, int64_t patience,
                            const fo_allocator *allocator, fo_message *why)
{
    struct stat info;
    foi_share_head head;
    bool whole = get_head(file, patience, &head, &info);
    if (!whole || !sound(&head, (size_t)info.st_size)) {
        fo_fail(why, FO_ERROR_FORMAT,
                whole ? "%s is not a shared state that can be read"
                      : "%s is not (yet) a shared state",
                path + 1);
        close(file);
        return NULL;
    }
    fo_look *look = foi_new(allocator, 1, sizeof *look);
    if (!look) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory to look at a shared state");
        close(file);
        return NULL;
    }
    look->file = file;
    look->patience = patience;
    look->signals = head.signals;
    look->names_size = head.names_size;
    look->allocator = allocator;
    foi_text_printable(path + 1, strlen(path + 1), look->called, sizeof look->called);
    if (!take_names(look, why)) return look;
    fo_look_close(look);
    return NULL;
}

fo_look *fo_look_open(const char *name, const fo_allocator *allocator, fo_message *why)
{
    char path[FOI_SHARE_NAME];
    if (!foi_share_path(name, path)) {
        fo_fail(why, FO_ERROR_ARGUMENT, "'%.40s' cannot be the name of a shared state", name);
        return NULL;
    }
    int file = shm_open(path, O_RDONLY | O_NONBLOCK, 0); // a FIFO is not waited for
    if (file < 0) {
        fo_fail(why, FO_ERROR_INPUT,
                "there is no shared state %s: %s; 'foliot run MODEL --share NAME' makes one",
                path + 1, strerror(errno));
        return NULL;
    }
    if (foi_share_is_ours(file, path, why))
        return foi_look_open_file(file, path, FOI_SHARE_PATIENCE, allocator, why);
    close(file);
    return NULL;
}

void fo_look_close(fo_look *look)
{
    if (!look) return;
    close(look->file);
    foi_free(look->allocator, look->letters);
    foi_free(look->allocator, look->names);
    foi_free(look->allocator, look);
}

// ---------------------------------------------------------------------------------------- looking

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

const fo_message *fo_look_message(const fo_look *look)
{
    return &look->message;
}

/// A try to copy the current buffer.
typedef enum attempt { DONE, NOTHING_YET, AGAIN, CUT_SHORT, CHANGED } attempt;

// The fences order the loads that the kernel does for us on this processor, of one call after those
// of another. Within one call there is no order: so the time is not that of the head that was read
// with the sequence, which may be older than it.
static attempt copy(const fo_look *look, uint64_t *shown, double *t, double *values)
{
    foi_share_head before, after;
    size_t bytes = (size_t)look->signals * sizeof(double);
    if (!get(look->file, &before, sizeof before, 0)) return CUT_SHORT;
    if (!is_same(look, &before)) return CHANGED;
    *shown = before.shown;
    if (!before.shown) return NOTHING_YET;
    atomic_thread_fence(memory_order_acquire);
    size_t which = before.current & 1, time = offsetof(foi_share_head, time) + which * sizeof *t;
    if (!get(look->file, t, sizeof *t, time) ||
        !get(look->file, values, bytes, foi_share_values(look->names_size) + which * bytes))
        return CUT_SHORT;
    atomic_thread_fence(memory_order_acquire);
    if (!get(look->file, &after, sizeof after, 0)) return CUT_SHORT;
    if (!is_same(look, &after)) return CHANGED;
    uint64_t sequence = before.sequence[which];
    return sequence % 2 == 0 && after.sequence[which] == sequence ? DONE : AGAIN;
}

uint64_t fo_look_read(fo_look *look, double *t, double *values)
{
    int64_t limit = foi_clock_now() + look->patience;
    uint64_t shown = 0;
    attempt how;
    do how = copy(look, &shown, t, values);
    while (how == AGAIN && foi_clock_now() < limit);
    look->message = (fo_message){0};
    switch (how) {
    case DONE: return shown;
    case NOTHING_YET: break;
    case AGAIN:
        fo_fail(&look->message, FO_ERROR_INPUT,
                "the shared state %s was left half-written: it has not been whole for %g s",
                look->called, 1e-9 * (double)look->patience);
        break;
    case CUT_SHORT:
        fo_fail(&look->message, FO_ERROR_INPUT, "the shared state %s was cut short by somebody",
                look->called);
        break;
    case CHANGED:
        fo_fail(&look->message, FO_ERROR_FORMAT,
                "the shared state %s was overwritten by somebody: it is another one now, or none",
                look->called);
        break;
    }
    return 0;
}

bool fo_look_alive(const fo_look *look)
{
    foi_share_head head;
    if (!get(look->file, &head, sizeof head, 0) || !is_same(look, &head) || head.ended)
        return false;
    return foi_share_is_held(look->file);
}
