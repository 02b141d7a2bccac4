/// Allocation inside the library: always through an allocator, always checked.
#ifndef FOI_MEMORY_H
#define FOI_MEMORY_H

#include <foliot/memory.h>
#include <stdbool.h>
#include <stdint.h>

/// Room for count things of a size, zeroed; NULL when that overflows or fails. Zero bytes give a
/// block too, so that NULL always means failure.
__attribute__((malloc)) void *foi_new(const fo_allocator *a, size_t count, size_t size);

/// Makes room for new_count things where there were old_count; what is new is zero. On failure
/// returns NULL and the block is as before.
void *foi_grow(const fo_allocator *a, void *block, size_t old_count, size_t new_count, size_t size);

/// Takes NULL.
void foi_free(const fo_allocator *a, void *block);

/// For long loops that allocate nothing: whether whoever brought the allocator lets it go on. It is
/// asked for a byte; the heap is not.
bool foi_may_go_on(const fo_allocator *a);

/// A copy of a text; NULL when it fails or text is NULL.
char *foi_copy_text(const fo_allocator *a, const char *text);

#endif
