/// The watch: what is known of every guard and condition, and the search for the first crossing on
/// a step's dense output.
#ifndef FOI_WATCH_H
#define FOI_WATCH_H

#include "solver/solver.h"

/// One guard as the watch knows it at one instant.
///
/// Its sign comes from its value alone, but for one case: a guard that has just fired `rests`. It
/// is then at zero but for rounding errors, which go up to `slack`, and its sign is 0 until it is
/// farther away than that. A guard that is exactly zero for longer than an instant rests no more:
/// leaving zero is a moment again.
typedef struct foi_guard_side {
    double g;     ///< its value
    double slack; ///< while it rests: |g| up to this counts as zero
    int8_t side;  ///< its sign
    bool rests;   ///< only with side 0
    uint8_t held; ///< signs that agree with what the model holds (fo_sign); 0: nothing is held
    int8_t told;  ///< the sign that the last moment of this instant told the model
    bool idle;    ///< its moment at zero changed nothing: being zero still is not told once more
    bool left;    ///< it was held at zero before: slack has a part of the tolerance in it
    bool early;   ///< it has turned with others of an instant, some ulps before it gets there
} foi_guard_side;

/// What the search has found out about a guard on the present segment.
typedef struct foi_finding {
    uint8_t verdict; ///< foi_verdict
    int8_t from;     ///< where it crosses: its sign before the change
    int8_t to;       ///< and after it
    bool at_once;    ///< and that the change is at the segment's left end
    bool flat;       ///< it is exactly zero all over the segment
    bool sampled;    ///< there is no enclosure, on the present step or at all
    bool tried;      ///< that it has an enclosure at single points was looked at in this search
    double reach;    ///< where it touches zero: how far off rounding errors may put it
    bool wavers;     ///< its range is as narrow as rounding errors allow, and has zero in it
} foi_finding;

/// How often a guard was dealt with in which way; see fo_guard_report.
typedef struct foi_tally {
    uint64_t proved, isolated, undecided, searched, limited, loose;
    double limited_from, limited_to; ///< what the first limited search left [s]
} foi_tally;

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
    double *since; ///< per guard that rests: when it came to
    double unsure; ///< of the moment at unsure_at: how exactly its time is known [s]
    double unsure_at;
    double *x;            ///< states at the root, or work space
    uint8_t *nature;      ///< per guard: of its last enclosure
    uint8_t *held;        ///< per guard: work space
    int8_t *sides;        ///< per guard: for a march, see quiet.c
    foi_finding *finding; ///< per guard: of the present search
    foi_tally *tally;     ///< per guard
    double *work;         ///< of the search
    uint64_t evaluations;
    long most;  ///< segments that the next search may look at before it is given up
    long looks; ///< the same where something may be undefined (finite.c)
    void *block;
    size_t block_size;
    const fo_allocator *allocator;
} foi_watch;

/// Makes the watch for the shape of the solver's state. FO_ERROR_MEMORY when it cannot.
fo_status foi_watch_create(foi_watch *w, const foi_solver *o);
void foi_watch_destroy(foi_watch *w);
/// Copies between two watches of the same shape.
void foi_watch_copy(foi_watch *to, const foi_watch *from);

/// Looks at all guards and conditions at (s->t, s->x) for the first time. A guard at zero does not
/// rest; conditions count as false before, so that *any can be true (see changed).
fo_status foi_watch_start(foi_watch *w, const foi_solver *o, const fo_state *s, bool *any);

/// Looks again after a jump at (s->t, s->x) that has `changed` something or not. Sets crossed and
/// changed for what this jump carried to zero, across it, or to another truth. *any is true if
/// there is something.
fo_status foi_watch_again(foi_watch *w, const foi_solver *o, const fo_state *s, bool changed,
                          bool *any);

/// Searches the solver's last step from time `from` to its end for the first moment of any guard
/// or condition. Found: *root is its time, w->x the states there, and crossed and changed say who
/// fires. Not found: *root is INFINITY, or where guards cease to be numbers. The simulation then
/// moves there with one of the next three.
fo_status foi_watch_search(foi_watch *w, foi_solver *o, double from, double *root);

/// Whether someone fires at the root that was found. Where nobody does, guards are no numbers from
/// there on: nothing but what comes from outside before it can keep the run from ending there.
static inline bool foi_watch_fires(const foi_watch *w)
{
    bool any = false;
    for (uint32_t i = 0; i < w->guards; i++) any |= w->crossed[i];
    for (uint32_t i = 0; i < w->conditions; i++) any |= w->changed[i];
    return any;
}
/// The run ends at such a root: says why.
fo_status foi_watch_refuse(foi_watch *w, const foi_solver *o, double t);

/// The simulation stands at the root that was found: those who fire have fired.
void foi_watch_fired(foi_watch *w);
/// And s has been put back onto what is held, for which the solver's polynomial is known by its
/// tolerance only: what has fired stands at zero there, too, on whichever side that has moved it.
/// `owner`: per guard, not zero for those that are held, which are not asked for.
fo_status foi_watch_put(foi_watch *w, const foi_solver *o, const fo_state *s, const uint8_t *owner);
/// The simulation stands at the end of the step that was searched.
void foi_watch_pass(foi_watch *w);
/// The simulation stands at (s->t, s->x) inside that step, before any root.
fo_status foi_watch_move(foi_watch *w, const foi_solver *o, const fo_state *s);

/// How far off zero errors of (t, x) of so many units in the last place, and those of its
/// evaluation, may put each guard there; 0 where they do not hide its sign, or where it may jump.
fo_status foi_watch_rounding(foi_watch *w, const foi_solver *o, const fo_state *s, double ulps,
                             double *sigma);

/// The same of guard i for what states gather from step to step. Where it may be all that the guard
/// is, the guard is undecided.
fo_status foi_slack_gathered(foi_watch *w, const foi_solver *o, const fo_state *s, uint32_t i,
                             double *sigma);

/// After a jump that has changed something, with the guards in work: how far rounding errors reach
/// from now on, for the guards that rest (slack.c).
fo_status foi_slack_measure(foi_watch *w, const foi_solver *o, const fo_state *s);

/// All that was ever asked of guard i was proved.
bool foi_watch_certified(const foi_watch *w, uint32_t i);

// --------------------------------------------------------------------------- the rules of signs

static inline int8_t foi_sign_of(double g)
{
    return (int8_t)((g > 0) - (g < 0));
}

/// The sign of a value for a guard in its present state.
static inline int8_t foi_guard_sign(const foi_guard_side *guard, double g)
{
    bool rests = guard->rests && g <= guard->slack && g >= -guard->slack;
    return rests ? 0 : foi_sign_of(g);
}

/// Whether going over to sign `to` is a moment of the guard.
static inline bool foi_guard_fires(const foi_guard_side *guard, const fo_guard *about, int to)
{
    if (guard->held) return !(guard->held & (1 << (to + 1)));
    if (to == guard->side || guard->rests) return false;
    int way = to > guard->side ? 1 : -1;
    return about->direction == FO_EITHER || (int)about->direction == way;
}

/// Which way that is.
static inline int8_t foi_guard_way(const foi_guard_side *guard, int to)
{
    if (to != guard->side) return to > guard->side ? 1 : -1;
    if (to) return (int8_t)to;
    return guard->held & FO_ABOVE ? -1 : 1; // it stays at zero, which is not what is held
}

#endif
