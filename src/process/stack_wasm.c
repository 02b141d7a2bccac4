// Stacks in WebAssembly, in place of stack.c: from the world's allocator, some at a time, and
// without guard pages, since there is no memory that could not be written.
#include "base/memory.h"
#include "process/coroutine.h"

const uint64_t foi_canary_of_guarded[FOI_CANARY];

/// Several stacks in a row, behind this record.
typedef struct foi_slab {
    struct foi_slab *next;
} foi_slab;

static void add(foi_stacks *stacks, char *memory, unsigned class)
{
    size_t size = (size_t)1 << class;
    foi_stack *stack = (foi_stack *)(void *)(memory + size - sizeof *stack);
    stacks->made++;
    *stack = (foi_stack){.low = memory,
                         .use = size - sizeof *stack,
                         .class = (uint8_t) class,
                         .next = stacks->spare[class]};
    stacks->spare[class] = stack;
}

bool foi_stacks_grow(foi_stacks *stacks, unsigned class)
{
    enum { ALIGN = 16, SMALL = 16 };
    size_t size = (size_t)1 << class, count = class <= SMALL ? 4 : 1;
    foi_slab *slab = foi_new(stacks->allocator, 1, sizeof *slab + ALIGN + count * size);
    if (!slab) return false;
    slab->next = stacks->slabs, stacks->slabs = slab;
    char *first = (char *)(slab + 1);
    first += -(uintptr_t)first % ALIGN;
    for (size_t i = count; i-- > 0;) add(stacks, first + i * size, class);
    return true;
}

void foi_stacks_destroy(foi_stacks *stacks)
{
    for (foi_slab *slab = stacks->slabs, *next; slab; slab = next) {
        next = slab->next;
        foi_free(stacks->allocator, slab);
    }
    *stacks = (foi_stacks){.allocator = stacks->allocator};
}
