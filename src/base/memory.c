#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { LARGE = 4 << 20 };

// Large blocks are asked for in large pages, where the system has them: a process with gigabytes in
// pages of 4 KiB takes tenths of a second to end, and as long to get them.
static void ask_for_large_pages(void *block, size_t size)
{
#if defined __linux__ && defined MADV_HUGEPAGE
    const uintptr_t page = (uintptr_t)2 << 20;
    uintptr_t from = ((uintptr_t)block + page - 1) / page * page;
    uintptr_t to = ((uintptr_t)block + size) / page * page;
    if (to > from) madvise((char *)block + (from - (uintptr_t)block), to - from, MADV_HUGEPAGE);
#else
    (void)block, (void)size;
#endif
}

static void *heap_resize(void *self, void *block, size_t old_size, size_t new_size)
{
    (void)self, (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    void *grown = realloc(block, new_size);
    if (grown && new_size >= LARGE) ask_for_large_pages(grown, new_size);
    return grown;
}

const fo_allocator *fo_heap(void)
{
    static const fo_allocator heap = {heap_resize, NULL};
    return &heap;
}

static const fo_allocator *given(const fo_allocator *a)
{
    return a ? a : fo_heap();
}

// What the system hands out is zero already: pages that nobody writes to are never made.
void *foi_new(const fo_allocator *a, size_t count, size_t size)
{
    size_t bytes;
    if (given(a) != fo_heap()) return foi_grow(a, NULL, 0, count, size);
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) return NULL;
    void *block = calloc(1, bytes ? bytes : 1);
    if (block && bytes >= LARGE) ask_for_large_pages(block, bytes);
    return block;
}

void *foi_grow(const fo_allocator *a, void *block, size_t old_count, size_t new_count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(new_count, size, &bytes) || bytes > PTRDIFF_MAX) return NULL;
    size_t old_bytes = block ? old_count * size : 0;
    a = given(a);
    char *grown = a->resize(a->self, block, old_bytes, bytes ? bytes : 1);
    if (grown && bytes > old_bytes) memset(grown + old_bytes, 0, bytes - old_bytes);
    return grown;
}

void foi_free(const fo_allocator *a, void *block)
{
    a = given(a);
    if (block) a->resize(a->self, block, 0, 0);
}

bool foi_may_go_on(const fo_allocator *a)
{
    void *byte = a ? a->resize(a->self, NULL, 0, 1) : NULL;
    if (byte) a->resize(a->self, byte, 1, 0);
    return !a || byte;
}

char *foi_copy_text(const fo_allocator *a, const char *text)
{
    if (!text) return NULL;
    size_t size = strlen(text) + 1;
    char *copy = foi_new(a, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}
