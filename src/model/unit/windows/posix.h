/// What the sources of units take from POSIX and a C library for Windows lacks (posix.c). Every
/// source of a unit for Windows includes it first. Units read their own document and nothing else,
/// so that what only writes files, starts threads or walks through folders is answered with "no".
#ifndef UNIT_POSIX_H
#define UNIT_POSIX_H
#ifdef _WIN32

#define __USE_MINGW_ANSI_STDIO 1 // %zu, and 17 digits that are right

#include <errno.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

// ------------------------------------------------------------------------------------------- files

// Files are bytes: where POSIX opens one with O_CLOEXEC, Windows does it without translation. (The
// numbers are _O_BINARY and _O_NOINHERIT; their header declares names that the sources have.)
#define O_CLOEXEC  (0x8000 | 0x80)
#define O_NOFOLLOW 0
#define O_NONBLOCK 0
#define O_NOCTTY   0
#define fsync(fd)  ((void)(fd), 0)
#ifndef ESTALE
#define ESTALE 10070 // WSAESTALE
#endif
#define alphasort NULL
// <stdio.h> declares a name that a function of the sources has, which takes two
#define UNIT_THIRD(a, b, c, ...)           c
#define unlink(...)                        UNIT_THIRD(__VA_ARGS__, unit_unlink_two, remove, )(__VA_ARGS__)
#define scandir(path, list, filter, order) ((void)(filter), -1)

// ----------------------------------------------------------------------------------------- streams

/// A stream whose bytes go to a function: a temporary file that is handed over when it is closed.
typedef struct cookie_io_functions_t {
    ssize_t (*read)(void *cookie, char *bytes, size_t count);
    ssize_t (*write)(void *cookie, const char *bytes, size_t count);
    int (*seek)(void *cookie, off64_t *offset, int whence);
    int (*close)(void *cookie);
} cookie_io_functions_t;

FILE *unit_open_cookie(void *cookie, cookie_io_functions_t functions);
int unit_close(FILE *file);
#define fopencookie(cookie, mode, ...) unit_open_cookie(cookie, __VA_ARGS__)
#define fclose                         unit_close

// ------------------------------------------------------------------------------------------ others

char *strsep(char **text, const char *ends);
char *stpcpy(char *to, const char *from);
char *realpath(const char *path, char *to);
ssize_t pread(int fd, void *bytes, size_t count, off_t at);

#define _SC_NPROCESSORS_ONLN 0
#define sysconf(name)        1L

#endif
#endif
