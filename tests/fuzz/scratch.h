/// A file in memory with a path, for readers that want one.
#ifndef FUZZ_SCRATCH_H
#define FUZZ_SCRATCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct scratch {
    int fd;
    char path[64];
} scratch;

static inline scratch scratch_make(const void *bytes, size_t count)
{
    scratch s = {.fd = memfd_create("fuzz", 0)};
    if (s.fd < 0 || (count && write(s.fd, bytes, count) != (ssize_t)count)) abort();
    snprintf(s.path, sizeof s.path, "/proc/self/fd/%d", s.fd);
    return s;
}

static inline void scratch_free(scratch *s)
{
    close(s->fd);
}

#endif
