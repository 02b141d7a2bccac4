// Stacks come in slabs from the system, are never written before they are used, and are used again.
//
// A guard page lies below each stack of a page or more. Linux has light ones since 6.13 (marks in
// the page table); before, each splits its mapping, and there are only so many mappings.
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "process/coroutine.h"

#ifdef FOI_COROUTINE_ASAN
#include <sanitizer/asan_interface.h>
#endif
#if defined(__linux__) && !defined(MADV_GUARD_INSTALL)
#define MADV_GUARD_INSTALL 102 // <linux/mman.h>; the C library may be older than the system
#endif

const uint64_t foi_canary_of_guarded[FOI_CANARY];

/// One mapping, cut into stacks.
typedef struct foi_slab {
    char *memory;
    size_t size;
    struct foi_slab *next;
} foi_slab;

// Puts the record of a stack of 2^class bytes at `memory` and hands it to the spare ones. Records
// of large ones lie at different distances from the end, so that the tops of many stacks do not
// compete for the same few lines of the cache; small ones are a line further apart than their size.
static void add(foi_stacks *stacks, char *memory, unsigned class, bool guarded)
{
    size_t size = (size_t)1 << class;
    size_t colour = class >= FOI_STACK_COLOURED ? stacks->made % 16 * 128 : 0;
    char *end = memory + size - colour;
    foi_stack *stack = (foi_stack *)(void *)(end - sizeof *stack);
    stacks->made++;
    stack->low = memory;
    stack->use = (size_t)((char *)stack - stack->low);
    stack->guarded = guarded;
    stack->class = (uint8_t) class;
    stack->next = stacks->spare[class];
    stacks->spare[class] = stack;
}

// How many stacks a slab has: few at first, many when there are many, so that there are few
// mappings.
static size_t stacks_in_slab(const foi_stacks *stacks, unsigned class)
{
    if (class >= 24) return 1;
    if (class >= FOI_STACK_GUARDED) return stacks->made < 1024 ? 8 : 128;
    return stacks->made < 4096 ? 64 : 8192;
}

static foi_slab *map(foi_stacks *stacks, size_t size, bool dense)
{
    foi_slab *slab = foi_new(stacks->allocator, 1, sizeof *slab);
    if (!slab) return NULL;
    slab->size = size;
    slab->memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab->memory == MAP_FAILED) {
        foi_free(stacks->allocator, slab);
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    // of large stacks only the tops are used
    madvise(slab->memory, size, dense ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#else
    (void)dense;
#endif
    slab->next = stacks->slabs;
    return stacks->slabs = slab;
}

static bool guard(foi_stacks *stacks, char *memory, size_t page)
{
#ifdef MADV_GUARD_INSTALL
    enum { NO_SUCH_ADVICE = 12345 }; // an emulator that agrees to everything guards nothing
    if (!stacks->asked) stacks->heavy_only |= madvise(memory, page, NO_SUCH_ADVICE) == 0;
    stacks->asked = true;
    if (!stacks->heavy_only && madvise(memory, page, MADV_GUARD_INSTALL) == 0) return true;
#endif
    stacks->heavy_only = true;
    if (stacks->guards >= FOI_STACK_GUARDS || mprotect(memory, page, PROT_NONE) != 0) return false;
    stacks->guards++;
    return true;
}

bool foi_stacks_grow(foi_stacks *stacks, unsigned class)
{
    size_t size = (size_t)1 << class, page = (size_t)sysconf(_SC_PAGESIZE);
    bool small = class < FOI_STACK_GUARDED || size < page;
    size_t count = stacks_in_slab(stacks, class), below = small ? 0 : page;
    size_t apart = small ? size + 64 : page + size;
    foi_slab *slab = map(stacks, count * apart, small && count > 64);
    if (!slab) return false;
    for (size_t i = count; i-- > 0;) {
        char *memory = slab->memory + i * apart;
        add(stacks, memory + below, class, !small && guard(stacks, memory, page));
    }
    return true;
}

void foi_stacks_destroy(foi_stacks *stacks)
{
    for (foi_slab *slab = stacks->slabs, *next; slab; slab = next) {
        next = slab->next;
#ifdef FOI_COROUTINE_ASAN
        ASAN_UNPOISON_MEMORY_REGION(slab->memory, slab->size);
#endif
        munmap(slab->memory, slab->size);
        foi_free(stacks->allocator, slab);
    }
    *stacks = (foi_stacks){.allocator = stacks->allocator};
}
