/// Bipartite matching and sorting into blocks, over rows (equations) and columns (unknowns).
#ifndef FOI_MATCHING_H
#define FOI_MATCHING_H

#include <stdbool.h>

#include "base/memory.h"

#define FOI_UNMATCHED UINT32_MAX

/// Which columns occur in which rows. Rows are added one after the other.
typedef struct foi_incidence {
    uint32_t rows, columns;
    uint32_t *start; ///< rows + 1 offsets into `column`
    size_t start_room;
    uint32_t *column;
    size_t count, room;
    const fo_allocator *allocator;
} foi_incidence;

void foi_incidence_end(foi_incidence *m);
/// Adds a column to the row that is being written. False without memory.
bool foi_incidence_add(foi_incidence *m, uint32_t column);
/// Ends the row that is being written.
bool foi_incidence_row(foi_incidence *m);

typedef struct foi_matching {
    const foi_incidence *m;
    uint32_t *column_of; ///< per row
    uint32_t *row_of;    ///< per column
    uint32_t *look;      ///< per row: where the search for a free column goes on
    uint32_t *next;      ///< per row: work of a search
    uint32_t *stack;
    uint32_t *seen; ///< per row: the search that has visited it
    uint32_t search;
    const fo_allocator *allocator;
} foi_matching;

/// An empty matching; the incidence may still grow up to `rows` rows. False without memory.
bool foi_matching_begin(foi_matching *p, const foi_incidence *m, uint32_t rows);
void foi_matching_end(foi_matching *p);
/// Forgets which rows the last searches have visited.
void foi_matching_fresh(foi_matching *p);
/// Tries to match the row, moving others; true when it worked. Rows that a search in vain has
/// visited are marked (seen == search) until foi_matching_fresh and never looked at again.
bool foi_matching_augment(foi_matching *p, uint32_t row);
/// Matches as many rows as possible. Returns how many are left over.
uint32_t foi_matching_all(foi_matching *p);

/// The blocks of a perfect matching in the order of solution: rows[start[i] .. start[i + 1]).
typedef struct foi_blocks {
    uint32_t *rows, *start;
    uint32_t count;
    const fo_allocator *allocator;
} foi_blocks;

/// Strongly connected components (Tarjan 1972). False without memory.
bool foi_blocks_begin(foi_blocks *b, const foi_matching *p);
void foi_blocks_end(foi_blocks *b);

#endif
