#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 4096, USUAL = 1 << 20, LARGE = 4 << 20, LARGEST = 32 << 20 };

struct foi_arena_chunk {
    foi_arena_chunk *older;
    size_t size;
    alignas(max_align_t) char bytes[];
};

void foi_arena_begin(foi_arena *arena, const fo_allocator *allocator, size_t limit)
{
    *arena = (foi_arena){.allocator = allocator, .limit = limit};
}

void foi_arena_end(foi_arena *arena)
{
    for (foi_arena_chunk *chunk = arena->chunks, *older; chunk; chunk = older) {
        older = chunk->older;
        foi_free(arena->allocator, chunk);
    }
    foi_arena_begin(arena, arena->allocator, arena->limit);
}

// Chunks double from 4 KiB to 1 MiB, so that a small model takes little and a large one few; from 8
// MiB on they are an eighth of what there is, 4 to 32 MiB, which are large pages.
static bool more(foi_arena *arena, size_t bytes)
{
    size_t size = arena->chunks ? arena->chunks->size * 2 : FIRST;
    size_t most = arena->used / 8 < USUAL ? USUAL : arena->used / 8;
    if (most > USUAL && most < LARGE) most = LARGE;
    if (most > LARGEST) most = LARGEST;
    if (size > most) size = most;
    if (size < bytes) size = bytes;
    if (size > PTRDIFF_MAX - sizeof(foi_arena_chunk)) return false;
    foi_arena_chunk *chunk = foi_new(arena->allocator, 1, sizeof *chunk + size);
    if (!chunk) return false;
    chunk->older = arena->chunks, chunk->size = size;
    arena->chunks = chunk;
    arena->next = chunk->bytes, arena->end = chunk->bytes + size;
    return true;
}

void *foi_arena_new(foi_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX / 2) goto fail;
    const size_t unit = alignof(max_align_t);
    bytes = bytes ? (bytes + unit - 1) / unit * unit : unit;
    arena->limited |= arena->limit && bytes > arena->limit - arena->used;
    if (arena->limited) goto fail;
    if (bytes > (size_t)(arena->end - arena->next) && !more(arena, bytes)) goto fail;
    void *piece = arena->next; // chunks come zeroed
    arena->next += bytes;
    arena->used += bytes;
    return piece;
fail:
    arena->failed = true;
    return NULL;
}

char *foi_arena_text(foi_arena *arena, const char *text, size_t length)
{
    char *copy = length < PTRDIFF_MAX ? foi_arena_new(arena, length + 1, 1) : NULL;
    return copy ? memcpy(copy, text, length) : NULL;
}

// The room of a list follows from its count: the next power of two, at least 4.
void *foi_arena_add(foi_arena *arena, void *list, uint32_t *count, size_t size)
{
    char *block;
    memcpy(&block, list, sizeof block); // of whatever type the caller's pointer is
    uint32_t n = *count;
    if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
        char *grown = n < UINT32_MAX / 2 ? foi_arena_new(arena, n ? (size_t)n * 2 : 4, size) : NULL;
        if (!grown) return NULL;
        if (n) memcpy(grown, block, n * size);
        block = grown;
        memcpy(list, &block, sizeof block);
    }
    *count = n + 1;
    return block + n * size;
}

char *foi_arena_print(foi_arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length < 0 ? NULL : foi_arena_new(arena, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}
