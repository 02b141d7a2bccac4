/// Threads for one pass over many rows. They are started and joined there: a pass that is worth
/// several threads takes far longer than that.
#ifndef FOI_TEAM_H
#define FOI_TEAM_H

#include <stdint.h>

/// Work on the rows [from, to).
typedef void (*foi_rows_work)(void *self, uint32_t from, uint32_t to);
/// Calls work over all rows in up to `threads` parts (64 at most) at the same time.
void foi_in_parallel(uint32_t threads, uint32_t rows, foi_rows_work work, void *self);
/// Where the i-th of these parts begins.
uint32_t foi_team_share(uint32_t threads, uint32_t rows, uint32_t i);

#endif
