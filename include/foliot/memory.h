/// Memory: the library allocates only through an allocator that the caller may bring.
#ifndef FOLIOT_MEMORY_H
#define FOLIOT_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Where memory comes from, in one function as in Lua:
/// `block` NULL: allocate `new_size` bytes; `new_size` 0: free `block`; otherwise resize it.
/// Returns NULL on failure (then `block` is unchanged) and when it frees.
typedef struct fo_allocator {
    void *(*resize)(void *self, void *block, size_t old_size, size_t new_size);
    void *self;
} fo_allocator;

/// The C library's heap. Everywhere in Foliot a NULL allocator means this one.
const fo_allocator *fo_heap(void);

#ifdef __cplusplus
}
#endif
#endif
