/// Holding: the solution stays on the zero of a guard, because it slides along it (two modes bring
/// it back from either side) or rests on it (impacts have accumulated there).
///
/// While something is held the solver integrates another system, which wraps the model's:
///
///     rates    the modes on all sides of the surfaces slid upon, weighted so that no g changes,
///              plus the push of every contact that rests
///     guards   the model's, but those that are held are 1
///
/// What ends it is looked for on the dense output of each step: a weight that leaves [0, 1], a push
/// that becomes negative.
///
/// The state of the simulation is meanwhile in one ordinary mode, the one in which it came; a
/// moment happens to that state as always, and then it is looked at again what can be held.
#ifndef FOI_HOLD_H
#define FOI_HOLD_H

#include "simulation/implied.h"
#include "simulation/watch.h"
#include "system/state.h"

enum {
    FOI_MOST_SLIDES = 4, ///< surfaces slid upon at once: 2^4 modes
    FOI_MOST_RESTS = 64, ///< contacts at rest at once
    FOI_MOST_HELD = FOI_MOST_SLIDES + FOI_MOST_RESTS,
    FOI_MOST_MODES = 1 << FOI_MOST_SLIDES,
    FOI_HELD_STEPS = 256, ///< at least, of a run that is held: forces vary where nothing moves
    FOI_LEVELS = 3,       ///< derivatives of derivatives, each with its own work space
};

#define FOI_HELD_PART 0x1p-10 ///< of the tolerance: as far as that from a surface is on it

#define FOI_BEHIND 64 ///< of the tolerance: so far behind zero a contact still touches

enum { FOI_MARKS = 4 };

/// Whether a guard's moments come nearer and nearer to a limit; see approach.c.
typedef struct foi_approach {
    uint32_t count;         ///< how many it has had that way
    int16_t way;            ///< 1: rises, -1: falls, as long as there are no rises; 0: none yet
    uint16_t marks;         ///< how many of the marks are known
    double mark[FOI_MARKS]; ///< when some of the last ones were
    double limit;           ///< where they point to
    double from;            ///< how far that was when it was first seen; 0: nowhere
    double drift;           ///< and by what part of that it changed
} foi_approach;

/// One surface g = 0.
typedef struct foi_surface {
    uint32_t guard; ///< whose zero it is; others may have the same
    int8_t side;    ///< rest: where it may go, the sign of g; slide: where it came to
    bool cell;      ///< slide: g is that of a cell, and beyond its zero that of the next one; above
                    ///< is the cell in which the simulation's state is
    int8_t steeper; ///< cell: that of the next one is steeper by this power of two: -1, 0 or 1
    double pace;    ///< sum of |dg/dx_i f_i|: what a slope is compared with
    double delta;   ///< how far from it, in g, the rates of either side are taken
    double force;   ///< rest: how large the terms are that add up to the second derivative of g
    bool pressed;   ///< rest: by more than rounding errors, once
    double weak;    ///< rest: a second derivative up to this is nothing but rounding errors
} foi_surface;

/// How the modes on the sides of a surface are found.
typedef enum foi_sides {
    FOI_BY_FUNCTION, ///< fo_system_type.side
    FOI_BY_LEAVING,  ///< the same, and what happens when zero is left happens: a `when` sets the
                     ///< mode
    FOI_BY_JUMP,     ///< jumps on copies of the state
    FOI_BY_PLACE,    ///< there is but one mode, and the rates look at x themselves
    FOI_SIDES
} foi_sides;

typedef struct foi_hold {
    struct fo_simulation *sim;
    bool on;
    uint32_t slides, rests; ///< the slides come first
    foi_surface surface[FOI_MOST_HELD];
    foi_sides how;
    bool several;                  ///< the solution could have gone on in another way
    bool exact;                    ///< slopes by guard_bounds
    double tau;                    ///< of differences along the solution [s]
    double alpha[FOI_MOST_SLIDES]; ///< weights at the last step
    uint64_t truth;                ///< of all guards that are not held, in every mode; 0: not known
    bool turns[FOI_MOST_HELD];     ///< a contact's push turns as it moves
    bool exits[FOI_MOST_HELD];     ///< found to end
    double begun;                  ///< when something was last held that had not been
    bool leaves;                   ///< a contact has left its rest at this instant
    double until;                  ///< where that was found on the last step; INFINITY: nowhere

    foi_implied *implied; ///< where x' has to be solved for; otherwise NULL
    bool constrained;     ///< it is bound by constraints, or not determined: nothing is held

    double scale;       ///< of the states, where the tolerance would hide them at the start
    uint32_t n, guards; ///< of the model
    uint8_t *owner;     ///< per guard: its surface plus 1; 0: none
    int8_t *turn;       ///< per guard: 1 or -1, whether it goes with the surface's guard
    int8_t *sides;      ///< per guard: what `side` is asked for
    double *gradient;   ///< per surface, n: of g
    double *normal;     ///< per surface, n: along c * normal g changes by c
    double *push;       ///< per surface, n: along c * push dg/dt changes by c; rests only
    double *old_push;   ///< the same at the last step; or while it is looked at what is held next
    double *coupling;   ///< rests x rests: what pushes do to each other's second derivatives
    double *seat;       ///< surfaces x surfaces: what normals do to each other's guards
    double *way;        ///< n: from a point to all surfaces
    double *rate;       ///< per mode, n
    double *slope;      ///< per mode, slides
    double *size;       ///< n: how large a state is, for differences
    double *work;       ///< per level: n, n, and two of guards + FOI_MOST_HELD
    double *g;          ///< guards
    double *bound;      ///< 4 guards: enclosures
    double *box;        ///< 2 n: where they are taken
    uint8_t *nature;
    double *y;     ///< outputs of one mode, and of the first
    double *flags; ///< where owner, turn, sides and nature lie
    double *block;
    size_t block_size; ///< in doubles

    foi_state_store mode[FOI_MOST_MODES];
    foi_state_store probe; ///< to try jumps on
    fo_host host;
    fo_message message; ///< of what is only tried

    fo_system_type type;
    fo_system flow; ///< the wrapping system
} foi_hold;

/* hold.c */

/// Whether this run may hold anything.
bool foi_hold_possible(const struct fo_simulation *sim);
/// Whether something can be held in such a system at all, whatever its definition says.
bool foi_hold_fits(const struct fo_simulation *sim);
void foi_hold_destroy(struct fo_simulation *sim);
/// (hold_look.c) After the jumps of an instant, and at the start: what of all that stands at zero
/// is held from now on? *stop as in foi_happen: leaving can be a moment of the model.
fo_status foi_hold_look(struct fo_simulation *sim, bool *stop);
/// The model has another shape: nothing is held any more.
void foi_hold_abandon(struct fo_simulation *sim);
/// A hold has begun: whether the directions of its pushes turn from now on. Until a step has shown
/// that they do they are taken to be those of its beginning.
fo_status foi_hold_look_ahead(foi_hold *h);
/// After an accepted step: the modes are those of now.
fo_status foi_hold_settle(struct fo_simulation *sim);
/// Looks for the first end of something held on the solver's last step after time `from`: `until`.
fo_status foi_hold_search(struct fo_simulation *sim, double from);
/// The model's states are other variables of the same point from now on: so are all directions.
fo_status foi_hold_translate(foi_hold *h);
/// The simulation stands at `until`: notes what ends there.
fo_status foi_hold_end(struct fo_simulation *sim);
/// Puts x onto the surfaces.
fo_status foi_hold_project(foi_hold *h, double t, double *x);
/// The outputs: of modes slid between, weighted as the rates are.
fo_status foi_hold_observe(foi_hold *h, double t, const double *x, double *y);
/// Whether a value may be undefined in one of the modes somewhere on a stretch.
bool foi_hold_may_fail(foi_hold *h, const fo_stretch *on);
/// For snapshots: a copy of what is held; NULL without memory, or when nothing is (*none).
foi_hold *foi_hold_save(const struct fo_simulation *sim, bool *none);
void foi_hold_forget(foi_hold *saved, const fo_allocator *allocator);
/// Makes the simulation hold what was saved, or nothing (NULL). Its solver and watch are left to
/// the caller; *other: the solver is made for another flow.
fo_status foi_hold_restore(struct fo_simulation *sim, const foi_hold *saved, bool *other);

/* the steps of beginning and ending, for hold_look.c */

const fo_guard *foi_hold_about(const foi_hold *h, uint32_t guard);
/// Whether in the mode of s the guard is held not to be negative, or falls where nothing is held.
/// That of a cell (of a floor) is so on either side of its zero: beyond it the guard is that of the
/// next cell.
bool foi_hold_in_cell(foi_hold *h, const fo_state *s, uint32_t guard);
/// Makes sim->hold. FO_ERROR_MEMORY when it cannot.
fo_status foi_hold_ensure(struct fo_simulation *sim);
/// The jumps of surface k's guards as if it were crossed that way, on one state. *fine stays true
/// if x does not change.
fo_status foi_hold_cross(foi_hold *h, fo_state *s, uint32_t k, int way, bool *fine);
/// A state leaves the zero of surface k to that side, having been on the other one.
fo_status foi_hold_leave(foi_hold *h, fo_state *s, uint32_t k, int way);
/// Notes a beginning or an end for the observers; what ends and begins at one instant is neither.
fo_status foi_hold_tell(foi_hold *h, fo_moment_kind kind, const foi_surface *on, int way,
                        const char *why);
/// Reports what was noted: the instant is over.
fo_status foi_hold_report(struct fo_simulation *sim);
/// What the guards of surface k are for the model's own state from now on: an fo_stand.
fo_status foi_hold_put(foi_hold *h, uint32_t k, int8_t side);
/// A guard that was held stands at zero but for rounding errors, and leaving it is no moment.
void foi_hold_stand(foi_hold *h, uint32_t guard);
/// The same for a guard of surface k that was not held; what the model holds of it stays.
void foi_hold_let_go(foi_hold *h, uint32_t k, uint32_t guard);
/// The wrapping system becomes the solver's; back to the model's own.
void foi_hold_enter(foi_hold *h);
void foi_hold_release(foi_hold *h);
/// The error that the solver may make in a state that is x.
double foi_hold_tolerance(const struct fo_simulation *sim, double x);
/// At the start: how large states may become, where they are smaller than the tolerance.
fo_status foi_hold_foresee(struct fo_simulation *sim);
/// States smaller than this are lost in that error.
double foi_hold_least(const struct fo_simulation *sim);
/// How far from zero a guard may be and count as there: rounding errors, and FOI_HELD_PART of the
/// tolerance.
double foi_hold_reach(const foi_hold *h, uint32_t k);
/// The tolerance of a surface that has been slid upon, by how far its modes would carry it in the
/// run: where all states are zero at the start atol may be far larger than all that happens.
/// INFINITY: not known.
double foi_hold_scale(const foi_hold *h, uint32_t k);
/// Rounding errors alone.
double foi_hold_blur(const foi_hold *h, uint32_t k);
/// Rounding errors of the slope of surface k, where it is a difference of values; 0: it is exact.
double foi_hold_slope_blur(const foi_hold *h, uint32_t k);
/// What a time is known to [s].
double foi_hold_grain(const struct fo_simulation *sim);

/* hold_flow.c */

/// x' of the model, in the mode of s.
fo_status foi_hold_model_rates(foi_hold *h, const fo_state *s, double t, const double *x,
                               double *dx);

/// Makes the modes on all sides anew from the simulation's state. *differ: not all have the same
/// rates.
fo_status foi_hold_modes(foi_hold *h, bool *differ);
/// Normals, pushes and steps of differences at the present state.
fo_status foi_hold_measure(foi_hold *h);
/// How large the terms are that cancel in the second derivative of surface k.
fo_status foi_hold_weigh(foi_hold *h, uint32_t k);
/// What pushes do to each other, when pushes and modes are there; those of the contacts before
/// `first` are not known and count as nothing.
fo_status foi_hold_couple(foi_hold *h, uint32_t first);
/// Rates of all modes and slopes of the surfaces slid upon in each.
fo_status foi_hold_rates(foi_hold *h, double t, const double *x);
/// dg/dt of every surface along (1, f) at (t, x) in the mode of s.
fo_status foi_hold_slopes(foi_hold *h, const fo_state *s, double t, const double *x,
                          const double *f, int level, double *out);
/// The same of any guard, where it has bounds: FO_RETRY where not.
fo_status foi_hold_slope_of(foi_hold *h, const fo_state *s, double t, const double *x,
                            const double *f, uint32_t guard, double *slope);
/// What makes the slope of the guard in mode m that of surface k. Other than 1 where it is the
/// guard of the next cell, which is positive where the surface's is negative.
double foi_hold_facing(const foi_hold *h, uint32_t m, uint32_t k);
/// The weighted rates without pushes, and the weights.
fo_status foi_hold_combine(foi_hold *h, double t, const double *x, double *dx, double *alpha);
/// What each contact must push: >= 0 while it rests. `f` are the weighted rates at (t, x).
fo_status foi_hold_pushes(foi_hold *h, double t, const double *x, const double *f, double *lambda);
/// Second derivatives of the contacts' guards along the weighted rates, sign as `side` counts it.
fo_status foi_hold_second(foi_hold *h, double t, const double *x, const double *f, double *out);
/// What must stay >= 0: for each surface slid upon its weight and one minus it, then the pushes.
fo_status foi_hold_margins(foi_hold *h, double t, const double *x, double *margin);
/// The wrapping system's functions.
fo_status foi_hold_flow_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx);
fo_status foi_hold_flow_jacobian(const void *model, const fo_state *s, double t, const double *x,
                                 double *values);
fo_status foi_hold_flow_guards(const void *model, const fo_state *s, double t, const double *x,
                               double *g);
void foi_hold_flow_held(const void *model, const fo_state *s, uint8_t *signs);
fo_status foi_hold_flow_conditions(const void *model, const fo_state *s, double t, const double *x,
                                   bool *c);
fo_status foi_hold_flow_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                               fo_enclosure *e);

/* hold_prove.c */

/// Whether slopes of what is held can be enclosed at all.
bool foi_hold_encloses(const foi_hold *h);
/// Whether what is held is at rest, and on every step it can be proved that it stays so.
bool foi_hold_proves_rest(const foi_hold *h);
/// The longest step of a run that is held, where that is looked at and not proved.
double foi_held_step(const struct fo_simulation *sim);
/// How the slopes of the contacts' guards change at (t, x) along the rates, or along a push; exact
/// to rounding. False where that is not known, or something slides.
bool foi_hold_turns_at(foi_hold *h, double t, const double *x, const double *push, double *out);
/// Whether it is proved that nothing ends the hold on the last step from time `from` to its end, or
/// to h->until. *until is how far it is.
bool foi_hold_prove(foi_hold *h, double from, double *until);

/* faint.c */

/// At the present state of a slide: FO_ERROR_ZENO when it has come to a place that it will not
/// leave in any number of steps.
fo_status foi_hold_creeps(foi_hold *h);

/* slide.c */

/// Where the solution goes from the surfaces [0, slides), with the modes as they are: fate[k] is 0
/// when it slides along k, otherwise the side that it goes to. `ended` has the bits of those whose
/// slide was found to end here. `several` when it could do something else as well. False when
/// nowhere.
bool foi_slide_seek(foi_hold *h, uint32_t ended, int8_t *fate);
/// The weights with which no slid surface's g changes; from those in alpha. False when there are
/// none.
bool foi_slide_weights(const foi_hold *h, double *alpha);

/* approach.c */

/// A guard has come to zero that way: whether its moments come nearer and nearer to a limit within
/// the run, never to reach it: approach.limit of its pulse.
bool foi_approaches(struct fo_simulation *sim, uint32_t guard, int way);

/* rest.c */

/// Whether the impact that guard i has just had, and nothing else with it, is the last that can be
/// told from rest; or all that follow accumulate (`zeno`). Gives the direction of its jump into
/// `push`, the side, and when the last of all impacts would be.
fo_status foi_rest_test(foi_hold *h, uint32_t guard, bool zeno, double *push, int8_t *side,
                        double *limit, bool *rests);
/// Whether the impact that guard i has just had is plainly not the last, as those before it were
/// not.
fo_status foi_rest_hops(foi_hold *h, uint32_t guard, int8_t side, bool *on);
/// The same for a guard that stands still at zero, having come from `side`.
fo_status foi_rest_still(foi_hold *h, uint32_t guard, int8_t side, double *push, bool *rests);
/// Whether something presses a guard that stands still at zero towards the other side.
fo_status foi_rest_pressed(foi_hold *h, uint32_t guard, int8_t side, bool *is);
/// Whether the impact that guard i has just had may be an error of the method: then that is said.
fo_status foi_rest_doubt(foi_hold *h, uint32_t guard, int8_t side);
/// Whether the last moment of a guard was at time t but for rounding errors, or later.
bool foi_rest_recent(const struct fo_simulation *sim, uint32_t guard, double t);
/// About how large the terms of a guard are that add up to it.
fo_status foi_rest_size(foi_hold *h, uint32_t guard, double *size);
/// How far from zero the guard may have been where it had its moment, in the scale that it has now.
fo_status foi_rest_slack(foi_hold *h, uint32_t guard, double *slack);
/// How far a guard goes when each state moves by its tolerance, all of them one way.
fo_status foi_rest_unsure(foi_hold *h, uint32_t guard, double *by);
/// What the jumps of this instant have done to a guard: *turned it round, so that *part of its
/// speed is left; 0: who knows.
fo_status foi_rest_know(foi_hold *h, uint32_t guard, int8_t side, double *part, bool *turned);
/// Whether the method is of variable order: after each moment it begins with the lowest.
bool foi_rest_begins_low(const struct fo_simulation *sim);
/// A hop that begins with that speed, against that force, is not higher.
bool foi_rest_hop_within(double speed, double force, double height);
/// The shortest hop that can be seen [s].
double foi_rest_briefest(const struct fo_simulation *sim);
/// The error that the solver may make in the guard of surface k.
double foi_rest_tolerance(const foi_hold *h, uint32_t k);
/// How far from zero the guard of surface k may be when it has just been found there.
double foi_rest_reach(const foi_hold *h, uint32_t k);

/* touch.c */

/// A guard that may touch.
typedef struct foi_touching {
    uint32_t guard;
    int8_t side;     ///< where it may go
    bool was, ended; ///< it rested; the end of that was located here
    bool zeno;       ///< its moments accumulate
    bool pushes;     ///< its push is known: entry j of old_push
    bool gone;       ///< it rested, and leaves
    bool turned;     ///< an impact of this instant has turned it round
    double slope;    ///< positive where it may go
    double tiny;     ///< slopes up to this are nothing but rounding errors
    double low;      ///< hops no higher than this cannot be seen
    double part;     ///< of its speed that the impact of this instant has left; 0: who knows
    double slow;     ///< slopes up to this may make such hops, whatever forces cancel
    double came;     ///< how fast it went in at its last impact of this instant
    double bounce;   ///< what part of that was left, each time
    uint32_t known;  ///< how often that was seen; 0: not yet
    bool varies;     ///< it was not always the same
} foi_touching;

typedef struct foi_touch_list {
    uint32_t count;
    uint32_t fires; ///< impacts so far
    uint32_t last;  ///< whose the last one was
    foi_touching at[FOI_MOST_RESTS];
} foi_touch_list;

/// False when there are too many.
bool foi_touch_add(foi_touch_list *c, foi_touching one);
/// Whether it touches. Uses surface 0.
fo_status foi_touch_is_near(foi_hold *h, const foi_touching *one, double limit, bool *near);
/// Whether surface 0, at zero at the start, stands still there or goes in without a moment to come.
fo_status foi_touch_may(foi_hold *h, bool *may);
/// Measures all of them. *fire is the guard of the first that goes in and has to have its jump once
/// more; UINT32_MAX: none, and they stand still or go apart. Those that are no contacts, or leave,
/// are dropped. Impacts accumulate at `limit`.
fo_status foi_touch_settle(foi_hold *h, foi_touch_list *c, double limit, uint32_t *fire);

/* contact.c */

/// dg/dt of surface k at (t, x) along the rates there in the mode of s, positive where it may go.
fo_status foi_contact_slope(foi_hold *h, uint32_t k, const fo_state *s, const double *x, double t,
                            double *slope);
/// The jump of one guard alone as if it came to zero at (t, x), into h->probe. False where it
/// cannot be done.
bool foi_contact_jump(foi_hold *h, double t, const double *x, uint32_t guard, int way);
/// The direction in which the jump of surface k's guard would push at (t, x); *is: it is an impact.
fo_status foi_contact_push(foi_hold *h, uint32_t k, double t, const double *x, double *push,
                           bool *is);
/// What part of its speed would be left if surface k's guard came in with `speed` at (t, x), and it
/// alone; not a number where that cannot be tried.
fo_status foi_contact_bounce(foi_hold *h, uint32_t k, double t, const double *x, double speed,
                             double *part);
/// The same as foi_contact_push where it is about `old`; a jump that is no impact there leaves it
/// so.
fo_status foi_contact_turn(foi_hold *h, uint32_t k, double t, const double *x, const double *old,
                           double *push);
/// Solves a x = b, all of a row by row, into b; a is changed. Where a is singular x is 0 in part.
/// False when that is no solution to `slack`.
bool foi_contact_solve(double *a, double *b, uint32_t n, double slack);
/// What of a contact's force is nothing but rounding errors.
double foi_contact_slack(const foi_hold *h);
/// Which contacts stay at rest, with the second derivatives of their guards along the model's own
/// rates, and what they push; or which stand still, with the first derivatives, and their impulses.
/// The coupling is measured; forces up to `slack` are rounding errors. False when that cannot be
/// decided.
bool foi_contact_sort(const foi_hold *h, const double *second, double slack, bool *stays,
                      double *lambda);

#endif
