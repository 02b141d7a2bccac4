// Preloaded under a program: lets one call of the system fail, or all from there on, sends it a
// signal before a call, or only counts. Programs that it starts are left alone; its forks count for
// themselves, and get no signals.
//
//   FOLIOT_FAULT=malloc:17      the 17th allocation has no memory
//   FOLIOT_FAULT=write:3+       writes fail with a full disk from the third on
//   FOLIOT_FAULT=signal:5:15    SIGTERM before the 5th call of the system
//   FOLIOT_FAULT=save:2:9       SIGKILL before the second call that changes a file
//   FOLIOT_COUNTS=PATH          at the end the file gets a line "malloc 123" for each
//   FOLIOT_OURS=1               only calls from files whose name has "foliot" in it: libraries of
//                               others may do what they like when a call fails
//   FOLIOT_BECOMES=1            not this program, but the one that it becomes by exec
//
// What: malloc (with calloc and realloc), open (of files, folders, streams, sockets and shared
// memory, and mkdir), read, write, fsync, rename, close, ftruncate, map (mmap), start (of threads
// and processes); signal (every call that is watched here) and save (write, fsync, rename, close,
// ftruncate, open to write, unlink). Writes to and closes of standard error are left alone, so that
// the program can speak.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MALLOC,
    OPEN,
    READ,
    WRITE,
    FSYNC,
    RENAME,
    CLOSE,
    FTRUNCATE,
    MAP,
    START,
    SIGNAL,
    SAVE,
    KINDS
};
static const char *const names[] = {"malloc", "open",      "read", "write", "fsync",  "rename",
                                    "close",  "ftruncate", "map",  "start", "signal", "save"};
static atomic_long counts[KINDS];
static int faulty = -1, number;
static long place;
static bool from_there, only_ours;
static char counts_path[512];
static pid_t self; // signals are for it, not for one that writes for it in its memory

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void forked(void)
{
    if (faulty == SIGNAL || faulty == SAVE) faulty = -1;
    self = getpid();
    counts_path[0] = 0;
}

// Before the program begins: what is wanted, without allocating.
__attribute__((constructor)) static void begin(void)
{
    const char *fault = getenv("FOLIOT_FAULT"), *path = getenv("FOLIOT_COUNTS");
    bool later = getenv("FOLIOT_BECOMES");
    unsetenv("FOLIOT_BECOMES");
    if (later) return;
    if (path) snprintf(counts_path, sizeof counts_path, "%s", path);
    only_ours = getenv("FOLIOT_OURS");
    self = getpid();
    pthread_atfork(NULL, NULL, forked);
    for (int i = 0; fault && i < KINDS; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(fault, names[i], length) != 0 || fault[length] != ':') continue;
        char *end;
        place = strtol(fault + length + 1, &end, 10);
        from_there = *end == '+';
        number = *end == ':' ? atoi(end + 1) : 0;
        for (int k = 0; k < KINDS; k++) atomic_store(&counts[k], 0);
        faulty = i;
    }
    unsetenv("LD_PRELOAD");
    unsetenv("FOLIOT_FAULT");
    unsetenv("FOLIOT_COUNTS");
    unsetenv("FOLIOT_OURS");
}

__attribute__((destructor)) static void end(void)
{
    faulty = -1;
    if (!counts_path[0]) return;
    FILE *file = fopen(counts_path, "w");
    for (int i = 0; file && i < KINDS; i++)
        fprintf(file, "%s %ld\n", names[i], atomic_load(&counts[i]));
    if (file) fclose(file);
}

static bool is_ours(const void *caller)
{
    Dl_info about;
    if (!only_ours) return true;
    const char *slash = dladdr(caller, &about) ? strrchr(about.dli_fname, '/') : NULL;
    return slash && strstr(slash, "foliot");
}

static bool comes(int what)
{
    long count = atomic_fetch_add(&counts[what], 1) + 1;
    return what == faulty && (from_there ? count >= place : count == place);
}

#define CALLED_BY_US() is_ours(__builtin_return_address(0))

// A call of the system of that kind: a signal where one is wanted, and whether it is to fail.
static bool fails_so(int what, bool saves, bool ours)
{
    if (!ours) return false;
    if (comes(SIGNAL)) kill(self, number);
    if (saves && comes(SAVE)) kill(self, number);
    return what < KINDS && comes(what);
}

#define fails(what, saves) fails_so(what, saves, CALLED_BY_US())

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size)
{
    if (!CALLED_BY_US() || !comes(MALLOC)) return __libc_malloc(size);
    errno = ENOMEM;
    return NULL;
}

void *calloc(size_t count, size_t size)
{
    if (!CALLED_BY_US() || !comes(MALLOC)) return __libc_calloc(count, size);
    errno = ENOMEM;
    return NULL;
}

void *realloc(void *block, size_t size)
{
    if (!CALLED_BY_US() || !comes(MALLOC)) return __libc_realloc(block, size);
    errno = ENOMEM;
    return NULL;
}

#define REAL(result, name, ...)         \
    static result (*real)(__VA_ARGS__); \
    if (!real) real = (result(*)(__VA_ARGS__))(uintptr_t)next(name)

int open(const char *path, int flags, ...)
{
    REAL(int, "open", const char *, int, ...);
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (!fails(OPEN, (flags & O_ACCMODE) != O_RDONLY)) return real(path, flags, mode);
    errno = EMFILE;
    return -1;
}

int openat(int folder, const char *path, int flags, ...)
{
    REAL(int, "openat", int, const char *, int, ...);
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    if (!fails(OPEN, (flags & O_ACCMODE) != O_RDONLY)) return real(folder, path, flags, mode);
    errno = EMFILE;
    return -1;
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(FILE *, "fopen", const char *, const char *);
    if (!fails(OPEN, mode[0] != 'r')) return real(path, mode);
    errno = EMFILE;
    return NULL;
}

FILE *fdopen(int fd, const char *mode)
{
    REAL(FILE *, "fdopen", int, const char *);
    if (!fails(OPEN, false)) return real(fd, mode);
    errno = ENOMEM;
    return NULL;
}

DIR *opendir(const char *path)
{
    REAL(DIR *, "opendir", const char *);
    if (!fails(OPEN, false)) return real(path);
    errno = EMFILE;
    return NULL;
}

int mkdir(const char *path, mode_t mode)
{
    REAL(int, "mkdir", const char *, mode_t);
    if (!fails(OPEN, true)) return real(path, mode);
    errno = EACCES;
    return -1;
}

int shm_open(const char *name, int flags, mode_t mode)
{
    REAL(int, "shm_open", const char *, int, mode_t);
    if (!fails(OPEN, false)) return real(name, flags, mode);
    errno = EMFILE;
    return -1;
}

int socket(int domain, int type, int protocol)
{
    REAL(int, "socket", int, int, int);
    if (!fails(OPEN, false)) return real(domain, type, protocol);
    errno = EMFILE;
    return -1;
}

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t offset)
{
    REAL(void *, "mmap", void *, size_t, int, int, int, off_t);
    if (!fails(MAP, false)) return real(at, length, protection, flags, fd, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *self)
{
    REAL(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return fails(START, false) ? EAGAIN : real(thread, how, run, self);
}

pid_t fork(void)
{
    REAL(pid_t, "fork", void);
    if (!fails(START, false)) return real();
    errno = EAGAIN;
    return -1;
}

int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *how, char *const *arguments, char *const *variables)
{
    REAL(int, "posix_spawnp", pid_t *, const char *, const posix_spawn_file_actions_t *,
         const posix_spawnattr_t *, char *const *, char *const *);
    return fails(START, false) ? EAGAIN : real(child, file, actions, how, arguments, variables);
}

ssize_t read(int fd, void *bytes, size_t count)
{
    REAL(ssize_t, "read", int, void *, size_t);
    if (!fails(READ, false)) return real(fd, bytes, count);
    errno = EIO;
    return -1;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    REAL(ssize_t, "write", int, const void *, size_t);
    if (fd == STDERR_FILENO || !fails(WRITE, true)) return real(fd, bytes, count);
    errno = ENOSPC;
    return -1;
}

// What the C library writes by itself is not seen here, but that it is to be written is.
enum { READ_ONLY = 0x0008, HAS_FAILED = 0x0020 }; // of FILE in the C library

static bool loses(FILE *file, bool ours)
{
    if (!file || file == stderr || file->_flags & READ_ONLY || !fails_so(WRITE, true, ours))
        return false;
    __fpurge(file);
    file->_flags |= HAS_FAILED;
    errno = ENOSPC;
    return true;
}

// Of what a stream has to write itself when it is full.
size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file)
{
    REAL(size_t, "fwrite", const void *, size_t, size_t, FILE *);
    return loses(file, CALLED_BY_US()) ? 0 : real(bytes, size, count, file);
}

size_t fread(void *bytes, size_t size, size_t count, FILE *file)
{
    REAL(size_t, "fread", void *, size_t, size_t, FILE *);
    if (!fails(READ, false)) return real(bytes, size, count, file);
    file->_flags |= HAS_FAILED;
    errno = EIO;
    return 0;
}

int fflush(FILE *file)
{
    REAL(int, "fflush", FILE *);
    return loses(file, CALLED_BY_US()) ? EOF : real(file);
}

int fclose(FILE *file)
{
    REAL(int, "fclose", FILE *);
    bool lost = loses(file, CALLED_BY_US());
    int result = real(file);
    if (lost) errno = ENOSPC;
    return lost ? EOF : result;
}

int fsync(int fd)
{
    REAL(int, "fsync", int);
    if (!fails(FSYNC, true)) return real(fd);
    errno = EIO;
    return -1;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    REAL(int, "renameat", int, const char *, int, const char *);
    if (!fails(RENAME, true)) return real(from_folder, from, to_folder, to);
    errno = EACCES;
    return -1;
}

int rename(const char *from, const char *to)
{
    REAL(int, "rename", const char *, const char *);
    if (!fails(RENAME, true)) return real(from, to);
    errno = EACCES;
    return -1;
}

int close(int fd)
{
    REAL(int, "close", int);
    bool failing = fd != STDERR_FILENO && fails(CLOSE, true);
    int result = real(fd);
    if (!failing) return result;
    errno = EIO;
    return -1;
}

int ftruncate(int fd, off_t length)
{
    REAL(int, "ftruncate", int, off_t);
    if (!fails(FTRUNCATE, true)) return real(fd, length);
    errno = EIO;
    return -1;
}

int unlink(const char *path)
{
    REAL(int, "unlink", const char *);
    fails(KINDS, true);
    return real(path);
}

// Only signals before these.
int poll(struct pollfd *list, nfds_t count, int timeout)
{
    REAL(int, "poll", struct pollfd *, nfds_t, int);
    fails(KINDS, false);
    return real(list, count, timeout);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    REAL(int, "clock_nanosleep", clockid_t, int, const struct timespec *, struct timespec *);
    fails(KINDS, false);
    return real(clock, flags, time, left);
}

off_t lseek(int fd, off_t offset, int from)
{
    REAL(off_t, "lseek", int, off_t, int);
    fails(KINDS, false);
    return real(fd, offset, from);
}

int fstat(int fd, struct stat *about)
{
    REAL(int, "fstat", int, struct stat *);
    fails(KINDS, false);
    return real(fd, about);
}

int stat(const char *path, struct stat *about)
{
    REAL(int, "stat", const char *, struct stat *);
    fails(KINDS, false);
    return real(path, about);
}
