/// Lanes: several simulations of one program on one core, whose ordinary steps by dp45 are taken
/// together, one simulation in each lane of a vector.
///
/// Every simulation runs on a stack of its own and is an ordinary one. Where its solver asks the
/// system to take steps (fo_system_type.march) it waits, until all that run have asked; then a
/// vector takes the steps of all of them, each with its own numbers, times, steps and retries,
/// until one is done; moments of samples happen there, too, where nobody sees them, steps on
/// which no guard changes its sign are passed (lane_guards.c), and guards have their moments and
/// hop on (lane_search.c, lane_jump.c). Everything else (starts, other events of guards, rest,
/// rows) is done by each simulation alone. What the vector does to a lane is what
/// the compiled program does, operation by operation, so that the bits of each run are those of the
/// run alone.
#ifndef FOI_ANALYSIS_LANES_H
#define FOI_ANALYSIS_LANES_H

#include <foliot/system.h>

typedef struct foi_lanes foi_lanes;

enum { FOI_LANES_MOST = 8 };

/// Compiles them for a program, through the system's C compiler or from the cache. NULL on failure:
/// FO_ERROR_UNFIT where it is no program of few states, or uses what has no lanes.
foi_lanes *foi_lanes_create(fo_system system, unsigned width, const char *folder,
                            const fo_allocator *allocator, fo_message *why);
void foi_lanes_destroy(foi_lanes *lanes);
/// The system whose simulations share lanes while foi_lanes_run goes on; it behaves as before
/// otherwise. It must not outlive `lanes`.
fo_system foi_lanes_system(const foi_lanes *lanes);
/// Calls run(context, i) for all i < count, several at a time, on stacks of their own, in this
/// thread. FO_OK or FO_ERROR_MEMORY (nothing was run).
fo_status foi_lanes_run(const foi_lanes *lanes, uint64_t count,
                        void (*run)(void *context, uint64_t i), void *context, fo_message *why);

#endif
