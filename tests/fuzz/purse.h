/// An allocator for fuzzers that comes to an end.
#ifndef FUZZ_PURSE_H
#define FUZZ_PURSE_H

#include <stdlib.h>
#include <string.h>

enum { HEAD = 16, MOST = 64 << 20 };

// Memory that comes to an end: a document of hostile size is a message, not a fallen machine.
static void *resize(void *self, void *block, size_t old_size, size_t size)
{
    (void)old_size;
    size_t *used = self, old = 0;
    char *base = block ? (char *)block - HEAD : NULL;
    if (base) memcpy(&old, base, sizeof old);
    if (!size) {
        *used -= old;
        free(base);
        return NULL;
    }
    if (*used - old + size > MOST) return NULL;
    char *fresh = realloc(base, size + HEAD);
    if (!fresh) return NULL;
    *used += size - old;
    memcpy(fresh, &size, sizeof size);
    return fresh + HEAD;
}

#endif
