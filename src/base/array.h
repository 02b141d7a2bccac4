/// Arrays that grow.
#ifndef FOI_ARRAY_H
#define FOI_ARRAY_H

#include <stdbool.h>

#include "base/memory.h"

/// Makes room for at least `wanted` things of `size` bytes in the array `*(T **)array`, of which
/// `*room` have room now; what is new is zero. Doubles, so that adding one by one is cheap.
/// False when memory is lacking: the array is then as before.
bool foi_array_room(const fo_allocator *a, void *array, size_t *room, size_t wanted, size_t size);

#endif
