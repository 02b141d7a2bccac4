/// What a simulation is made of; shared by the files of this room.
#ifndef FOI_SIMULATION_H
#define FOI_SIMULATION_H

#include <foliot/simulation.h>
#include <math.h>

#include "simulation/follow.h"
#include "simulation/hold.h"
#include "simulation/stand.h"
#include "simulation/trail.h"
#include "simulation/watch.h"
#include "solver/solver.h"
#include "system/state.h"

/// Something that waits to come in from outside.
typedef struct foi_external {
    double t;
    uint64_t order;   ///< in which it was sent
    fo_reference set; ///< quantity FO_TIME: event `event`, otherwise what is set
    uint32_t event;
    double value;
} foi_external;

/// One observer and how far it has been served.
typedef struct foi_seat {
    fo_observer who;
    fo_reference *signals; ///< own copy
    double *values;
    bool outputs;  ///< some signals are outputs
    uint64_t next; ///< grid rows done: the next is start + next * interval
    double last_t; ///< of the last row
    uint32_t last_k;
    bool any; ///< there was a row
} foi_seat;

/// One cause of a jump at the present instant.
typedef struct foi_cause {
    fo_moment moment;
    int priority;
    uint64_t order;
    fo_reference set;
} foi_cause;

enum { FOI_ZENO_STEADY = 5 }; ///< intervals in a row that shrink by much the same factor

/// What is known of a guard's last moments, to recognise accumulation.
typedef struct foi_pulse {
    double last, interval, ratio;
    uint32_t shrinking;      ///< how many intervals in a row have shrunk by much the same factor
    double limit;            ///< where its moments accumulate, when `zeno`
    double slack;            ///< how far from zero it may have been there
    int8_t way;              ///< of its last crossing
    int8_t contact;          ///< where a contact may go, the sign of g; 0: not known to be one
    bool fired, stuck, zeno; ///< at the present instant
    bool passes;             ///< it fired there and goes on
    bool behind;             ///< at the start: it is not at zero only by an error of the start
    double far;          ///< by what factor the next hop was longer than one that cannot be seen,
    double far_interval; ///< when an impact was looked at closely; the interval before that one,
    double far_after;    ///< and the speed after it
    double depth; ///< a contact that is known to be one may not be so far behind zero; 0: not
                  ///< known
    double blow, blow_ratio; ///< the speed of its last impact of one instant, and to the one before
    double blow_t;           ///< that instant
    uint64_t blow_at;        ///< and how many moments the run had had
    uint32_t blows;          ///< how many in a row have become weaker by the same factor
    foi_approach approach;   ///< to a limit that is never reached
    bool noted;              ///< something is to be reported when the instant is over
    fo_moment_kind note;     ///< that it is held, or is no more
    int8_t note_way;
    double note_t;
    const char *note_why;
} foi_pulse;

/// What is remembered of changes between an explicit and a stiff method; see stiffness.c.
typedef struct foi_stiffness {
    const foi_method *method; ///< the explicit one
    uint32_t changes;
    size_t reason;      ///< how long the reason is without them
    uint32_t steps;     ///< beyond the limit of stability, where they are only counted
    uint64_t last_step; ///< the last of them
} foi_stiffness;

typedef enum foi_phase { FOI_NEW, FOI_RUNNING, FOI_STOPPED, FOI_FAILED } foi_phase;

enum { FOI_CRAWL_POINTS = 4 };

/// Short steps, one after the other (crawl.c).
typedef struct foi_crawl {
    uint64_t steps; ///< so far
    uint64_t flips; ///< of them that went back and forth across a jump of the rates (flips.c)
    double t[FOI_CRAWL_POINTS]; ///< when some of them ended
    double *x;                  ///< the states then
    uint32_t n;
} foi_crawl;

enum { FOI_CHATTER_MANY = 10000 }; ///< moments in a row that someone is told of

/// Moments of guards at short distances, one after the other (chatter.c).
typedef struct foi_chatter {
    uint32_t count; ///< so far
    double from;    ///< when the first of them was
    double last;    ///< and the last
    bool said;      ///< in this run
} foi_chatter;

/// What rates divide by, at both ends of a step (divisor.c).
typedef struct foi_divisors {
    double *block;             ///< NULL: nothing is looked at
    double *now, *begin, *end; ///< per divisor
    double *x0, *x1, *f0, *f1; ///< per state
    double at;                 ///< when those at the end were; not a number: they are not known
    bool changes;              ///< one changed much on the last step
} foi_divisors;

/// Hashes of what was set when the run began, for checkpoints.
typedef struct foi_begun {
    uint64_t parameters, values; ///< values: of states, discretes and inputs
} foi_begun;

struct fo_simulation {
    fo_system system;
    fo_run_def def;
    const fo_allocator *allocator;
    fo_message message;
    fo_host host;

    foi_state_store state; ///< visible at the current time
    foi_state_store good;  ///< as it was before the jumps of this instant
    bool after;            ///< rows after these jumps wait for what is held from now on
    foi_solver solver;
    foi_watch watch;
    foi_phase phase;
    foi_hold *hold; ///< what is held at zero; NULL: nothing has been yet
    fo_system flow; ///< what the solver integrates: the system, or one that holds
    double hop;     ///< the next moment is not farther than this, it seems; 0: who knows
    bool refit;     ///< the solver is still made for another flow

    bool unborn;       ///< the moments of the start have still to make what there is: no row before
    bool watching;     ///< there are guards or conditions
    bool each_step;    ///< every single step needs attention
    bool each_divided; ///< only because of what rates divide by
    bool reshaped;     ///< a jump has changed the shape
    bool fitted;       ///< and what depends on it fits it
    bool restart;      ///< a jump has changed what the solver sees
    double root;       ///< first moment on the solver's last step after the present; INFINITY: none
    bool searched;     ///< root is known for the rest of the last step
    double last_jump;  ///< when the solver was last restarted
    double over_from;  ///< a limit was gone to over the time from here
    double over_to;    ///< to here
    bool eventful;     ///< there was a moment since the last step began
    foi_hops hops;     ///< what a march is told that lets moments happen (quiet.c)

    bool automatic; ///< the solver was chosen here and may be changed for a stiff one
    foi_stiffness stiffness;
    char reason[160];
    foi_method own_method; ///< def.method with what is around it

    foi_external *queue; ///< ascending (t, order)
    size_t queued, queue_room;
    uint64_t sent;

    foi_cause *causes;
    size_t cause_count, cause_room;
    fo_crossing *crossings; ///< the guards among the first causes of an instant
    uint32_t crossing_count, crossing_room;
    foi_pulse *pulses;
    uint32_t pulse_count;
    double crept_at; ///< when the last moment of a guard was
    uint32_t creeps; ///< how many in a row were a rounding error apart
    foi_chatter chatter;
    uint32_t faint; ///< steps in a row of slides whose modes do not carry it across (faint.c)
    foi_crawl crawl;

    foi_seat *seats;
    uint32_t seat_count;
    foi_followed follow;
    bool reports_progress, hears_moments;
    uint64_t slice;  ///< steps and moments that are left to the present call
    bool paused;     ///< the last one was over before the time was reached
    double *outputs; ///< y, for rows and values
    double *sample;  ///< x at a grid instant
    double *probe;   ///< x where outputs, or rates on the way to a root, are looked at
    double *stretch; ///< six x: bounds where something may be undefined; NULL: nothing may
    bool *poles;     ///< of which outputs one was noted
    long pole_looks; ///< on one step
    foi_divisors divisors;
    foi_trail *trail; ///< of systems that are not x' = f(t, x); NULL: none yet

    uint64_t moments;
    foi_begun begun; ///< known from the start on
};

// What nearly always is nothing to do is asked here, without a call.

static inline bool foi_is_stiff(const foi_solver *o)
{
    return o->method->info.traits & FO_STIFF;
}

/* choose.c */
/// Finds the method: the one that was asked for, or one that fits.
const foi_method *foi_choose(fo_simulation *sim);
/// The stiff method to go on with when an explicit one has seen stiffness.
const foi_method *foi_choose_stiff(const fo_simulation *sim);

/// How many of so many steps are to be taken before someone looks whether they crawl.
uint64_t foi_crawl_budget(const fo_simulation *sim, uint64_t budget);
fo_status foi_crawl_count(fo_simulation *sim, uint64_t steps);
void foi_crawl_forget(fo_simulation *sim);
/// Whether the rates jump within some steps from here, and lead back behind that; of which state.
bool foi_rates_flip(fo_simulation *sim, uint32_t *which);

/* stiffness.c */
/// The solver was made: from now on its steps are looked at.
void foi_stiffness_start(fo_simulation *sim);
/// Before a step: changes the method where the last one has shown that another is better. *taken
/// when the step towards `goal` was made with it already.
fo_status foi_stiffness_compare(fo_simulation *sim, double goal, bool *taken);
static inline fo_status foi_stiffness_look(fo_simulation *sim, double goal, bool *taken)
{
    *taken = false;
    return sim->automatic ? foi_stiffness_compare(sim, goal, taken) : FO_OK;
}
/// Goes over to a stiff method where an explicit one has come to its end.
fo_status foi_stiffness_relieve(fo_simulation *sim);

/* across.c */
/// After the method has failed: goes on along a straight line where a guard has its moment within
/// the tolerance, before `goal`. That is then the last step, and sim->root is known.
bool foi_across(fo_simulation *sim, double goal);

/* shorten.c */

/// After the search of a step: where a stiff method has come to a crossing with a state from which
/// the guard goes back at once, takes the step again so that it ends there, and searches that.
fo_status foi_shorten_step(fo_simulation *sim);
static inline fo_status foi_shorten(fo_simulation *sim)
{
    bool apt = sim->system.about->abrupt || foi_is_stiff(&sim->solver) || foi_rest_begins_low(sim);
    return apt && sim->root < INFINITY ? foi_shorten_step(sim) : FO_OK;
}

/* quiet.c */
/// Before a march, which nothing but guards lets end before `until`: lets it go on behind quiet
/// steps, where nobody would see them.
void foi_quiet_ask(fo_simulation *sim, double until);
/// After one of so many steps: the simulation stands where the last of them began, or ended where
/// the next one has failed.
fo_status foi_quiet_take(fo_simulation *sim, uint64_t steps, bool failed);

/* escape.c */
/// x' is not what `rates` gives: M x' = f(t, x), or F(t, x, x') = 0.
static inline bool foi_is_implicit(const fo_simulation *sim)
{
    return sim->system.type->mass || sim->system.type->residual;
}
/// After the solver has failed with `status`: whether that is because a state escapes to infinity;
/// the message then says so, with its name and the time.
bool foi_escape(fo_simulation *sim, fo_status status);
/// The same after a step that has ended where something is not a number: the method may be past the
/// place.
void foi_escape_beyond(fo_simulation *sim, fo_status status);
/// A rate of state i has a pole on the last step, of a method with fixed steps: an error where an
/// adaptive one, from the beginning of the step, does not come across it until `until`.
fo_status foi_escape_on_step(fo_simulation *sim, uint32_t i, double pole, double until);
/// The last step has passed a pole of the rate of state i: an error, with the time at which an
/// adaptive method comes to its end, if it does.
fo_status foi_escape_at_pole(fo_simulation *sim, uint32_t i, double pole, double until);
/// The last step, of a method with fixed steps, may have: an error where an adaptive one comes to
/// its end because a state or a rate escapes.
fo_status foi_escape_near_pole(fo_simulation *sim, double until);
/// A run with fixed steps ends: an error where a state has grown on the last one by about as much
/// as it is, because an adaptive method finds that it escapes there. (Steps before it may have gone
/// on behind that time, and few more would end in no number.)
fo_status foi_escape_at_stop(fo_simulation *sim);
/// Whether the state at the end of the last step has come to where a rate escapes, and nothing goes
/// on; the message then says so.
bool foi_rate_escapes(fo_simulation *sim);

/* simulation.c */
/// A solver for the present shape with `method`, not prepared yet.
foi_solver foi_simulation_solver_define(fo_simulation *sim, const foi_method *method);
/// Makes the solver (again) for the present shape with `method`.
fo_status foi_simulation_solver_make(fo_simulation *sim, const foi_method *method);
/// FO_ERROR_ARGUMENT where the numbers make no sense.
fo_status foi_check_accuracy(const fo_accuracy *a, fo_message *why);
/// fo_host.accuracy: the solver is made anew when the jumps of this instant are done.
fo_status foi_accuracy_in_jump(fo_host *host, fo_state *s, const fo_accuracy *to);
/// Takes the numbers over into the definition.
void foi_accuracy_take(fo_simulation *sim, const fo_accuracy *to);
/// Makes everything that depends on the shape (again): watch, pulses, causes, outputs.
fo_status foi_simulation_fit(fo_simulation *sim);
/// The definition's scale, or the length of the run.
static inline double foi_run_scale(const fo_run_def *def)
{
    double span = def->stop - def->start;
    return def->scale > 0 && (def->scale < span || !(span > 0)) ? def->scale : span;
}

/// The last step was so short that a million of them would not end the run.
static inline bool foi_crawl_brief(const fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    return o->t1 - o->t0 <= 0x1p-20 * foi_run_scale(&sim->def);
}
/// Looks at the last one of so many steps. An error where they crawl.
static inline fo_status foi_crawl_look(fo_simulation *sim, uint64_t steps)
{
    bool seldom = sim->crawl.steps || foi_is_stiff(&sim->solver) || foi_crawl_brief(sim);
    return seldom ? foi_crawl_count(sim, steps) : FO_OK;
}

/* moments.c */
/// Adds what is due now from the queue and from `next` to the causes.
fo_status foi_gather_now(fo_simulation *sim);
/// The same, where there is someone who could have scheduled or sent something.
static inline fo_status foi_gather_due(fo_simulation *sim)
{
    return sim->system.type->next || sim->queued ? foi_gather_now(sim) : FO_OK;
}
/// Adds what the watch has found (crossed, changed) to the causes.
fo_status foi_gather_watched(fo_simulation *sim);
/// Adds a contact that is about to go in, although its guard has fired before, to the causes.
fo_status foi_gather_contact(fo_simulation *sim, uint32_t guard, int way);
/// Whether something rests or slides.
static inline bool foi_is_held(const fo_simulation *sim)
{
    return sim->hold && sim->hold->on;
}
/// Lets all causes happen, and what they bring about, at the present instant; *stop when the
/// model wants to end.
fo_status foi_happen(fo_simulation *sim, bool *stop);
/// The rows after the jumps that happened while something was held, if they wait.
fo_status foi_show_after(fo_simulation *sim);
/// The time that the system knows its next moment for; INFINITY: none.
fo_status foi_ask_next_moment(fo_simulation *sim, double *t);
static inline fo_status foi_next_moment(fo_simulation *sim, double *t)
{
    *t = INFINITY;
    return sim->system.type->next ? foi_ask_next_moment(sim, t) : FO_OK;
}
/// Makes room for causes; FO_ERROR_MEMORY when it cannot.
fo_status foi_cause_room(fo_simulation *sim, size_t count);

/// Adds a guard that passes zero within rounding errors of the present instant to the causes.
fo_status foi_gather_near(fo_simulation *sim, uint32_t guard, int way);

/// Moments of a guard accumulate at `limit`, and the run may not go on there.
fo_status foi_zeno_error(fo_simulation *sim, const char *name, double limit);
/// Limits that are nearer than this are come to.
double foi_zeno_near(const fo_simulation *sim);
/// So little time after a moment at t the next one is no other instant.
bool foi_zeno_hidden(double t, double interval);

/* chatter.c */
/// A moment of a guard: says once in a run that they come without end.
void foi_chatter_note(fo_simulation *sim, const fo_moment *m);

/* together.c */
/// Before the jumps of an instant: guards that pass zero there but for rounding errors, and have
/// not yet, are among the causes from now on.
fo_status foi_together_pass(fo_simulation *sim);
static inline fo_status foi_together(fo_simulation *sim)
{
    bool may = sim->watching && sim->watch.bounded && sim->system.type->held;
    return may ? foi_together_pass(sim) : FO_OK;
}

/* finite.c */
/// Computes the outputs at (t, x). Ends with FO_ERROR_NUMBER where one of them is not a finite
/// number or a discrete is none at all, at the first instant of the last step at which that is so.
fo_status foi_finite_row(fo_simulation *sim, double t, const double *x);
/// The same just before the jumps at t; where there are none at t they are those some ulps before.
fo_status foi_finite_before(fo_simulation *sim, double t, const double *x);
/// And just after them.
fo_status foi_finite_after(fo_simulation *sim, double t, const double *x);
/// Where outputs can be undefined: looks at them at the end of the last step, on which the state
/// stood at `from` before; before jumps, and after them.
fo_status foi_finite_step(fo_simulation *sim, double from);
fo_status foi_finite_moment(fo_simulation *sim);
/// Where the system can tell that something may be undefined: looks between two times of the last
/// step.
fo_status foi_finite_between(fo_simulation *sim, double from, double to);

/* follow.c */
/// Shows what lies before t on the last step, and has not been shown yet, to who follows the run.
fo_status foi_follow_pieces(fo_simulation *sim, double t);
static inline fo_status foi_follow_upto(fo_simulation *sim, double t)
{
    return sim->follow.who.piece ? foi_follow_pieces(sim, t) : FO_OK;
}

/* pole.c */

/// Whether poles between the ends of steps are looked for.
bool foi_poles_matter(const fo_simulation *sim);
/// Looks for them between two times of the last step: notes those of outputs, and refuses those of
/// rates that no solution comes across.
fo_status foi_poles_between(fo_simulation *sim, double from, double to);
fo_status foi_finite_jump(fo_simulation *sim);

/* divisor.c */

/// Makes room for the divisors of the present shape, where they matter.
fo_status foi_divisors_fit(fo_simulation *sim);
/// Looks whether one passes zero between two times of the last step, and a rate has a pole there:
/// that is an error.
fo_status foi_divisors_between(fo_simulation *sim, double from, double to);

/// Whether nothing of that can be on the last step, for all that its ends show: then nobody has to
/// look at it closely.
bool foi_divisors_clear(fo_simulation *sim);

/* rows.c */
fo_status foi_rows_create(fo_simulation *sim);
void foi_rows_destroy(fo_simulation *sim);
/// The outputs at (t, x) into sim->outputs: those of what is held, too.
fo_status foi_rows_observe(fo_simulation *sim, double t, const double *x);
/// Shows the present state.
fo_status foi_rows_show_seats(fo_simulation *sim, fo_row_kind kind);
static inline fo_status foi_rows_show(fo_simulation *sim, fo_row_kind kind)
{
    return sim->seat_count ? foi_rows_show_seats(sim, kind) : FO_OK;
}
/// Shows all grid instants up to and including t that lie on the solver's last step.
fo_status foi_rows_upto_seats(fo_simulation *sim, double t);
static inline fo_status foi_rows_upto(fo_simulation *sim, double t)
{
    return sim->seat_count ? foi_rows_upto_seats(sim, t) : FO_OK;
}
/// Those before t; the one at t is looked at (see finite.c), and shown later.
fo_status foi_rows_before(fo_simulation *sim, double t);
/// The next grid instant of any observer; INFINITY: none.
double foi_rows_next_seats(const fo_simulation *sim);
static inline double foi_rows_next(const fo_simulation *sim)
{
    return sim->seat_count ? foi_rows_next_seats(sim) : INFINITY;
}
fo_status foi_rows_moment_seats(fo_simulation *sim, const fo_moment *m);
static inline fo_status foi_rows_moment(fo_simulation *sim, const fo_moment *m)
{
    return sim->seat_count ? foi_rows_moment_seats(sim, m) : FO_OK;
}
fo_status foi_rows_progress(fo_simulation *sim);

/// Those of a simulation that was not started yet (checkpoint.c).
foi_begun foi_begun_of(const fo_simulation *sim);

#endif
