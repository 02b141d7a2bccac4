#include "base/array.h"

#include <string.h>

bool foi_array_room(const fo_allocator *a, void *array, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room) return true;
    size_t more = *room > SIZE_MAX / 2 ? SIZE_MAX : *room * 2;
    if (more < 8) more = 8;
    if (more < wanted) more = wanted;
    void *block;
    memcpy(&block, array, sizeof block); // of whatever type the caller's pointer is
    void *grown = foi_grow(a, block, *room, more, size);
    if (!grown) return false;
    memcpy(array, &grown, sizeof grown);
    *room = more;
    return true;
}
