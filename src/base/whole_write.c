#include "base/whole_write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __unix__
#include <sys/file.h>
#include <time.h>
#endif
#ifdef __linux__
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#endif

#include "base/memory.h"

enum { PAGE = 4096 };

// ------------------------------------------------------------------------------- by another
// process

#if defined __linux__ && defined CLONE_VFORK

typedef struct order {
    int fd;
    const char *bytes;
    size_t count;
} order;

// In the other process. What it returns is its status: 0, or errno. Where memory is not shared
// after all (emulators, some debuggers) nothing else is heard of it, so nothing else is told.
static int carry_out(void *self)
{
    const order *o = self;
    setsid(); // a kill of the group is not for it
    for (size_t done = 0; done < o->count;) {
        ssize_t n = write(o->fd, o->bytes + done, o->count - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 && errno < 256 ? errno : ENOSPC;
        done += (size_t)n;
    }
    return 0;
}

// The status of the other process; -1: there is none, -2: it was ended by somebody.
static int give_to_another(order *o)
{
    enum { STACK = 1 << 14 };
    _Alignas(16) char stack[STACK];
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // handlers run here, not there
    // without a signal at its end: only who asks for such children hears of it
    pid_t child = clone(carry_out, stack + STACK, CLONE_VM | CLONE_VFORK | CLONE_FILES, o);
    int status = 0;
    if (child >= 0)
        while (waitpid(child, &status, __WCLONE) < 0 && errno == EINTR) {
        }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

// False where it cannot be done so.
static bool write_by_another(int fd, const char *bytes, size_t count, ssize_t *written)
{
    order o = {fd, bytes, count};
    off_t from = (lseek)(fd, 0, SEEK_CUR);
    int status = from < 0 ? -1 : give_to_another(&o);
    if (status == -1) return false;
    *written = (ssize_t)count;
    if (status == 0) return true;
    off_t to = (lseek)(fd, 0, SEEK_CUR);
    *written = to > from ? (ssize_t)(to - from) : status < 0 ? 0 : -1;
    errno = status > 0 ? status : EINTR;
    return true;
}

#else

static bool write_by_another(int fd, const char *bytes, size_t count, ssize_t *written)
{
    (void)fd, (void)bytes, (void)count, (void)written;
    return false;
}

#endif

// --------------------------------------------------------------------------------------- by itself

// How much of it may be handed over at once: the lines that end in the page in which the file ends,
// or the one that goes on in the next.
static size_t next_piece(const char *bytes, size_t count, size_t room)
{
    for (size_t i = room; i > 0; i--)
        if (bytes[i - 1] == '\n') return i;
    const char *end = memchr(bytes + room, '\n', count - room);
    return end ? (size_t)(end - bytes) + 1 : count;
}

ssize_t foi_write_whole(int fd, const char *bytes, size_t count)
{
    struct stat about;
    off_t at = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? (lseek)(fd, 0, SEEK_CUR) : -1;
    size_t room = at < 0 ? count : PAGE - (size_t)(at % PAGE);
    ssize_t written;
    if (count <= room) return write(fd, bytes, count);
    if (write_by_another(fd, bytes, count, &written)) return written;
    return write(fd, bytes, next_piece(bytes, count, room));
}

int foi_cut(int fd, off_t size)
{
    struct stat about;
    if (fstat(fd, &about) != 0) return -1;
    return about.st_size == size ? 0 : ftruncate(fd, size);
}

#ifdef LOCK_EX

bool foi_lock_alone(int fd)
{
    const struct timespec piece = {.tv_nsec = 10000000};
    for (int tries = 0; tries < 30; tries++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
        nanosleep(&piece, NULL);
    }
    return false;
}

static bool same_file(int fd, const char *path)
{
    struct stat own, there;
    return fstat(fd, &own) == 0 && stat(path, &there) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
}

bool foi_claim_file(foi_claim *claim, const char *path, const fo_allocator *allocator)
{
    struct stat about;
    *claim = (foi_claim){.fd = -1};
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return true;
    size_t size = strlen(path) + sizeof ".lock";
    if (!(claim->path = foi_new(allocator, size, 1))) return true;
    snprintf(claim->path, size, "%s.lock", path);
    for (int tries = 0; tries < 10; tries++) {
        int fd = open(claim->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        if (fd < 0) return true;
        bool alone = foi_lock_alone(fd);
        // its owner may have removed it between the opening and the lock
        claim->held = alone && same_file(fd, claim->path);
        claim->fd = fd;
        if (claim->held) return true;
        close(fd);
        if (!alone) return false;
    }
    return false;
}

// It is removed first: nobody takes what is no longer there for a free one. One with something in
// it is somebody's.
void foi_claim_end(foi_claim *claim, const fo_allocator *allocator)
{
    struct stat own;
    if (claim->held && fstat(claim->fd, &own) == 0 && own.st_size == 0) unlink(claim->path);
    if (claim->held) close(claim->fd);
    foi_free(allocator, claim->path);
    *claim = (foi_claim){.fd = -1};
}

#else

bool foi_claim_file(foi_claim *claim, const char *path, const fo_allocator *allocator)
{
    (void)path, (void)allocator;
    *claim = (foi_claim){.fd = -1};
    return true;
}

void foi_claim_end(foi_claim *claim, const fo_allocator *allocator)
{
    (void)claim, (void)allocator;
}

bool foi_lock_alone(int fd)
{
    (void)fd;
    return true;
}

#endif

// ----------------------------------------------------------------------------------------- streams

static ssize_t put(void *self, const char *bytes, size_t count)
{
    size_t done = 0;
    while (done < count) {
        ssize_t n = foi_write_whole(fileno((FILE *)self), bytes + done, count - done);
        if (n < 0 && errno == EINTR) continue;
        if (n == 0) errno = ENOSPC;
        if (n <= 0) break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

static int move(void *self, off64_t *offset, int whence)
{
    off_t at = (lseek)(fileno((FILE *)self), (off_t)*offset, whence);
    if (at < 0) return -1;
    *offset = at;
    return 0;
}

static int end(void *self)
{
    return fclose((FILE *)self);
}

FILE *foi_whole_stream(FILE *file, bool lines)
{
    if (fflush(file) != 0) return NULL;
    const cookie_io_functions_t calls = {.write = put, .seek = move, .close = end};
    FILE *out = fopencookie(file, "w", calls);
    if (out && lines) setvbuf(out, NULL, _IOLBF, 1 << 16);
    return out;
}
