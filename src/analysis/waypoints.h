/// Places of a run from which it can be run once more, for the way back through it.
///
/// What a tape (tape.h) keeps grows with the steps. So it is cut now and then: at a waypoint the
/// simulation and its derivatives are kept, and what lies on the tape is forgotten. On the way back
/// the run goes from waypoint to waypoint once more, with the same bits, the last stretch first.
/// When there are too many of them for the length of a stretch every second is left out: of N steps
/// both are some sqrt(N), and so is the memory.
#ifndef FOI_ANALYSIS_WAYPOINTS_H
#define FOI_ANALYSIS_WAYPOINTS_H

#include "analysis/slopes_inside.h"

typedef struct foi_waypoint {
    fo_snapshot *sim;
    foi_variation_mark *variation;
    foi_tape_mark *tape;
    double *before; ///< of the moment at work, see foi_slopes_state
    foi_journey way;
    size_t entries; ///< of the tape from here to the next one
} foi_waypoint;

struct foi_waypoints {
    foi_waypoint *list;
    size_t count, room;
    size_t stretch; ///< entries of the tape after which the next one is due
};

/// Before the start of the run. False: no memory. A method whose state cannot be copied has none.
bool foi_waypoints_begin(foi_slopes_state *q);
void foi_waypoints_end(foi_slopes_state *q);
/// Between two steps: makes one where that is due.
void foi_waypoints_pass(foi_slopes_state *q);
/// How many stretches there are: the last one lies on the tape when the run is over.
size_t foi_waypoints_count(const foi_slopes_state *q);
/// Runs a stretch once more; *entries of the tape are its own. FO_OK, FO_ERROR_MEMORY, or
/// FO_ERROR_CONVERGE where it did not come out as before.
fo_status foi_waypoints_replay(foi_slopes_state *q, size_t stretch, size_t *entries);

#endif
