// Preloaded under a program: lets one call of the system fail, or all from there on.
//
//   FOLIOT_FAULT=malloc:17    the 17th allocation has no memory
//   FOLIOT_FAULT=write:3+     writes fail with a full disk from the third on
//
// What: malloc (with calloc and realloc), write, fsync, rename, close, ftruncate. Calls on standard
// error are left alone, so that the program can speak.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long counts[6];
enum { MALLOC, WRITE, FSYNC, RENAME, CLOSE, FTRUNCATE };
static const char *const names[] = {"malloc", "write", "fsync", "rename", "close", "ftruncate"};

// Environment and numbers are read without allocating.
static bool fails(int what)
{
    const char *fault = getenv("FOLIOT_FAULT");
    size_t length = strlen(names[what]);
    if (!fault || strncmp(fault, names[what], length) != 0 || fault[length] != ':') return false;
    char *end;
    long at = strtol(fault + length + 1, &end, 10);
    long count = atomic_fetch_add(&counts[what], 1) + 1;
    return *end == '+' ? count >= at : count == at;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size)
{
    if (!fails(MALLOC)) return __libc_malloc(size);
    errno = ENOMEM;
    return NULL;
}

void *calloc(size_t count, size_t size)
{
    if (!fails(MALLOC)) return __libc_calloc(count, size);
    errno = ENOMEM;
    return NULL;
}

void *realloc(void *block, size_t size)
{
    if (!fails(MALLOC)) return __libc_realloc(block, size);
    errno = ENOMEM;
    return NULL;
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    ssize_t (*real)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))next("write");
    if (fd == STDERR_FILENO || !fails(WRITE)) return real(fd, bytes, count);
    errno = ENOSPC;
    return -1;
}

int fsync(int fd)
{
    int (*real)(int) = (int (*)(int))next("fsync");
    if (!fails(FSYNC)) return real(fd);
    errno = EIO;
    return -1;
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *) = (int (*)(const char *, const char *))next("rename");
    if (!fails(RENAME)) return real(from, to);
    errno = EACCES;
    return -1;
}

int close(int fd)
{
    int (*real)(int) = (int (*)(int))next("close");
    int result = real(fd);
    if (fd == STDERR_FILENO || !fails(CLOSE)) return result;
    errno = EIO;
    return -1;
}

int ftruncate(int fd, off_t length)
{
    int (*real)(int, off_t) = (int (*)(int, off_t))next("ftruncate");
    if (!fails(FTRUNCATE)) return real(fd, length);
    errno = EIO;
    return -1;
}
