/// Arenas: many small things that live and end together.
///
/// An arena takes memory from an allocator in chunks and gives it out piece by piece. Nothing is
/// freed alone; all goes with foi_arena_end. Pieces never move.
#ifndef FOI_ARENA_H
#define FOI_ARENA_H

#include <stdbool.h>

#include "base/memory.h"

typedef struct foi_arena_chunk foi_arena_chunk;

typedef struct foi_arena {
    const fo_allocator *allocator;
    foi_arena_chunk *chunks; ///< the newest first
    char *next, *end;        ///< what is free of the newest
    size_t used;             ///< bytes given out
    size_t limit;            ///< at most so many are given out; 0: no limit
    bool failed;             ///< some call returned NULL
    bool limited;            ///< because of the limit
} foi_arena;

/// Takes nothing from the allocator yet. `limit` is in bytes; 0 means none.
void foi_arena_begin(foi_arena *arena, const fo_allocator *allocator, size_t limit);

/// Frees everything; the arena may be begun again.
void foi_arena_end(foi_arena *arena);

/// Room for `count` things of `size` bytes, zeroed and aligned for any type. NULL when memory is
/// lacking or the limit is reached; `failed` then stays set.
void *foi_arena_new(foi_arena *arena, size_t count, size_t size);

/// A copy of `length` letters, ended with a zero.
char *foi_arena_text(foi_arena *arena, const char *text, size_t length);

/// Adds a zeroed thing to the list `*(T **)list` of `*count` things, which lives in the arena and
/// moves as it grows; returns the thing. Start with NULL and 0. NULL when memory is lacking: the
/// list is then as before.
void *foi_arena_add(foi_arena *arena, void *list, uint32_t *count, size_t size);

/// As printf, into the arena.
__attribute__((format(printf, 2, 3))) char *foi_arena_print(foi_arena *arena, const char *format,
                                                            ...);

#endif
