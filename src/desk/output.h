/// What was said and not yet taken: pieces in their order. What is long is handed over, not copied,
/// so that saying it takes no time.
#ifndef FOI_DESK_OUTPUT_H
#define FOI_DESK_OUTPUT_H

#include <foliot/memory.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct foi_desk_piece {
    struct foi_desk_piece *next;
    const char *bytes; ///< of the allocator, or of the piece itself
    size_t from, used, room;
} foi_desk_piece;

typedef struct foi_desk_output {
    const fo_allocator *allocator;
    foi_desk_piece *first, *last;
    foi_desk_piece lost; ///< what is said where memory lacks for an answer needs none itself
    size_t waiting;      ///< bytes
} foi_desk_output;

/// Puts some bytes at its end. False without memory for them.
bool foi_output_put(foi_desk_output *o, const char *bytes, size_t count);
/// The same for a block of the allocator, which is the output's from now on where this is true.
bool foi_output_hand(foi_desk_output *o, char *bytes, size_t count);
/// Puts a line that says that an answer is lost, once until it is taken; `line` stays.
void foi_output_lose(foi_desk_output *o, const char *line);
/// Puts all that is in another, which is empty then.
void foi_output_add(foi_desk_output *o, foi_desk_output *from);
size_t foi_output_take(foi_desk_output *o, char *buffer, size_t room);
void foi_output_end(foi_desk_output *o);

#endif
