/// The watch: what is known of every guard and condition, and the search for the first crossing on
/// a step's dense output.
#ifndef FOI_WATCH_H
#define FOI_WATCH_H

#include "solver/solver.h"

/// One guard as the watch knows it at one instant.
typedef struct foi_guard_side {
    double g;     ///< its value
    double slack; ///< after firing: |g| up to this still counts as zero
    int8_t side;  ///< sign of the guard; 0: at zero
    bool fired;   ///< at zero because it fired there: leaving is no second moment
} foi_guard_side;

typedef struct foi_watch {
    uint32_t guards, conditions, states;
    bool bounded;           ///< some guards have bounds
    bool opaque;            ///< some have none, or there are conditions
    const fo_guard **about; ///< per guard, then per condition: its description

    /* where the simulation stands */
    foi_guard_side *guard;
    bool *condition;
    /* where the last search came to: becomes the above when the simulation gets there */
    foi_guard_side *ahead_guard;
    bool *ahead_condition;

    bool *crossed; ///< per guard: fires at the root that was found
    int8_t *way;   ///< per guard that fires: +1 rising, -1 falling
    bool *changed; ///< per condition: fires there
    bool *seen;    ///< per condition: work space
    double *slope; ///< per guard: dg/dt at the end of the last search, if slope_valid
    bool slope_valid;
    double *x;       ///< states at the root, or work space
    uint8_t *nature; ///< per guard: of its last enclosure
    double *work;    ///< of the search
    uint64_t evaluations;
    uint64_t given_up; ///< searches that ended at their limit: crossings there are not certified
    void *block;
    size_t block_size;
    const fo_allocator *allocator;
} foi_watch;

/// Makes the watch for the shape of the solver's state. FO_ERROR_MEMORY when it cannot.
fo_status foi_watch_create(foi_watch *w, const foi_solver *o);
void foi_watch_destroy(foi_watch *w);
/// Copies between two watches of the same shape.
void foi_watch_copy(foi_watch *to, const foi_watch *from);

/// Looks at all guards and conditions at (s->t, s->x) for the first time. A guard at zero is at
/// zero unfired; conditions count as false before, so that *any can be true (see changed).
fo_status foi_watch_start(foi_watch *w, const foi_solver *o, const fo_state *s, bool *any);

/// Looks again after a jump at (s->t, s->x) that has `changed` something or not. Sets crossed and
/// changed for what this jump carried to zero, across it, or to another truth. *any is true if
/// there is something.
fo_status foi_watch_again(foi_watch *w, const foi_solver *o, const fo_state *s, bool changed,
                          bool *any);

/// Searches the solver's last step from time `from` to its end for the first moment of any guard
/// or condition. Found: *root is its time, w->x the states there, and crossed and changed say who
/// fires. Not found: *root is INFINITY. The simulation then moves there with one of the next three.
fo_status foi_watch_search(foi_watch *w, foi_solver *o, double from, double *root);

/// The simulation stands at the root that was found: those who fire have fired.
void foi_watch_fired(foi_watch *w);
/// The simulation stands at the end of the step that was searched.
void foi_watch_pass(foi_watch *w);
/// The simulation stands at (s->t, s->x) inside that step, before any root.
fo_status foi_watch_move(foi_watch *w, const foi_solver *o, const fo_state *s);

#endif
