/// A simulation: one system, carried through time by one solver.
///
/// Time is superdense: an instant is (t, k), and k counts the jumps at one t. Between moments the
/// states flow along the solver's dense output; a step may reach past the time that was asked for,
/// and what is seen there is read off the dense output. So the result does not depend on how often
/// or where fo_simulation_advance is called.
///
/// The contract of events, sentence by sentence (tests/simulation/test_events.c has a test for
/// each; docs/events.md says what it is a statement about, and where it ends):
///  1. A guard is negative, zero or positive, by its value alone. It fires when that changes in its
///     direction: when it reaches zero, when it crosses it, and when it leaves zero after having
///     been zero for a while.
///  2. It is located on the dense output to a few ulps of time; the state is the one just past it.
///  3. Several crossings in one step are found one after the other, an even number too.
///  4. Passing through zero is one moment, and so is touching it: a guard that has fired rests as
///     long as it is within rounding errors of zero, and leaving from there is no second moment.
///  5. A guard that is zero at the start, or was put there by a jump that it did not cause, fires
///     when it leaves zero in its direction: at once if it leaves at once, otherwise at the first
///     double at which it is not zero.
///  6. A jump that carries a guard to zero or across it fires that guard at the same instant.
///  7. Moments at one instant happen one after the other in the order that fo_moment states.
///  8. More than `max_jumps` jumps at one instant are an error that names the guard.
///  9. Moments that accumulate (Zeno) are recognised. When the guard `rests` and the jump agrees,
///     the system rests at the limit as the jump has left it. Otherwise the guard is held at zero
///     from the limit on as long as that needs a push in the jumps' direction; where nothing holds
///     it, or with `no_rest`, an error names the guard and the limit time.
/// 10. A condition fires when its value has changed in its direction, at the first double at which
///     it is seen to have changed; at the start, one that is true fires if its direction is rising.
/// 11. Time moments and the stop time are hit exactly. A moment at the stop time happens.
/// 12. A guard of which the model holds something (fo_system_type.held) fires when its sign does
///     not agree with that: after every step what is held is true, but for rounding errors of zero.
/// 13. A jump or a pole is a crossing when the signs on its two sides differ.
/// 14. A guard is certified only if all of the run was proved for it; fo_simulation_guard_report
///     says what was not, and why. No limit of work ends a proof in silence.
/// 15. Time does not creep: 1000 moments in a row, each within 64 ulps of the one before, are an
///     error that names the guard.
/// 16. Where the modes on both sides of a guard's zero carry it back the solution slides along it
///     (Filippov), until one of them does not; an error with `no_rest`. FO_REST and FO_SLIDE with
///     their ends are reported to observers of moments; see docs/sliding.md.
///
/// What is shown are numbers: a row in which an output is not finite, or a discrete is not a
/// number, ends the run with FO_ERROR_NUMBER, at the first instant on its step at which that is so.
/// Where the description says `outputs_fail`, outputs are looked at after every step and jump, too.
#ifndef FOLIOT_SIMULATION_H
#define FOLIOT_SIMULATION_H

#include "solver.h"
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------ watching

typedef enum fo_row_kind {
    FO_ROW_SAMPLE, ///< an instant of the interval's grid, the start or the end
    FO_ROW_STEP,   ///< the end of a step (interval 0)
    FO_ROW_BEFORE, ///< just before the jumps of an instant
    FO_ROW_AFTER,  ///< just after them
} fo_row_kind;

/// What an observer is shown. Valid only during the call.
typedef struct fo_row {
    fo_row_kind kind;
    double t;
    uint32_t k;
    const double *values; ///< of the observer's signals, in their order
    size_t count;
} fo_row;

/// Someone who watches. Each function may be NULL. One that returns an error ends the run with it.
typedef struct fo_observer {
    void *self;
    fo_status (*row)(void *self, const fo_row *row, fo_message *why);
    /// Every moment, after its jump.
    fo_status (*moment)(void *self, const fo_moment *m, fo_message *why);
    /// Now and then while the simulation works (some thousand times a second at most).
    fo_status (*progress)(void *self, double t, double stop, fo_message *why);
    const fo_reference *signals; ///< what rows show; NULL: states, discretes, then outputs
    size_t signal_count;
    double interval; ///< > 0: rows at start + n * interval; 0: at every step; < 0: none but jumps
    /// What the model says by the way (fo_note): the warnings of its asserts.
    void (*note)(void *self, double t, const char *text);
    /// A checkpoint is about to be written: all that was shown is to be on disk when this returns.
    fo_status (*keep)(void *self, fo_message *why);
} fo_observer;

// --------------------------------------------------------------------------------- definitions

typedef struct fo_run_def {
    double start, stop;      ///< simulated time [s]; the solver never looks beyond stop
    const char *solver;      ///< a name from `foliot solvers`; NULL: chosen for the system
    const fo_method *method; ///< a method of your own instead (solver.h), which outlives the run
    double scale; ///< a length of time that the run is judged by where it must be judged: steps
                  ///< without a number, moments that accumulate, guards that can only be
                  ///< sampled; never more than stop - start; 0: that
    double step;  ///< fixed-step methods; 0: scale / 1000
    double rtol, atol;  ///< error wanted per unit of state, and absolutely
    double first_step;  ///< adaptive methods; 0: chosen
    double max_step;    ///< adaptive methods; 0: none
    double min_step;    ///< adaptive methods; 0: some ulps of t
    uint32_t substeps;  ///< sliding-implicit: in one step; 0: 10
    double epsilon;     ///< sliding-implicit: its eps [s]; 0: the substep
    uint64_t max_steps; ///< 0: no limit
    uint32_t max_jumps; ///< at one instant
    double zeno;        ///< moments accumulate when their limit is nearer than this times the scale
    bool no_rest;       ///< accumulating moments and sliding are errors, see docs/sliding.md
    uint64_t seed;      ///< of every random stream of the run
    const fo_observer *observers;
    uint32_t observer_count;
    const fo_allocator *allocator;
} fo_run_def;

/// start 0, stop 1, rtol 1e-6, atol 1e-9, max_jumps 1000, zeno 1e-9, the rest 0.
fo_run_def fo_default_run_def(void);

// ----------------------------------------------------------------------------------- the verbs

typedef struct fo_simulation fo_simulation;

/// Makes a simulation; parameters and start values are the description's. The system must live as
/// long as the simulation. NULL on failure, and `why` (may be NULL) says why.
fo_simulation *fo_simulation_create(fo_system system, const fo_run_def *def, fo_message *why);
/// Takes NULL.
void fo_simulation_destroy(fo_simulation *sim);

/// Sets a parameter, input, state or discrete by name: before the start its start value, later a
/// moment at the current time. A run goes on from a checkpoint with the same start values only.
fo_status fo_simulation_set(fo_simulation *sim, const char *name, double value);

/// Calls the system's start and handles the events that are due then. The first advance does it
/// too.
fo_status fo_simulation_start(fo_simulation *sim);

/// Carries the simulation to time `t`, or to the first stop on the way.
/// Returns FO_REACHED, FO_STOPPED (the model asked to), or an error; on an error the state is that
/// of the last good moment and fo_simulation_message says what happened, where, and when.
/// `t` may not lie before the current time or beyond the definition's stop.
fo_status fo_simulation_advance(fo_simulation *sim, double t);
/// The same with at most about `steps` steps and moments in this call: FO_PAUSED when there is more
/// to do, to be called again with the same `t`. The result does not depend on `steps`.
fo_status fo_simulation_advance_some(fo_simulation *sim, double t, uint64_t steps);

/// Sends event `name` (of the description's events) with a value, to happen at time `t` >= now.
/// At most 65,536 may wait. The steps do not depend on whether it was sent early or in time.
fo_status fo_simulation_send(fo_simulation *sim, double t, const char *name, double value);
/// Sets a parameter or input at time `t` >= now.
fo_status fo_simulation_send_set(fo_simulation *sim, double t, const char *name, double value);

// -------------------------------------------------------------------------------- looking at it

/// The state at the current time; valid until the next verb.
const fo_state *fo_simulation_state(const fo_simulation *sim);
/// The current time [s].
double fo_simulation_time(const fo_simulation *sim);
/// The system that it was made of.
fo_system fo_simulation_system(const fo_simulation *sim);
/// Any quantity at the current time; NAN when it does not exist.
double fo_simulation_value(fo_simulation *sim, fo_reference which);
/// Why the last verb failed or stopped.
const fo_message *fo_simulation_message(const fo_simulation *sim);
/// The solver in use.
const fo_solver_info *fo_simulation_solver(const fo_simulation *sim);
/// In words why that solver was chosen.
const char *fo_simulation_solver_reason(const fo_simulation *sim);
/// Goes on with another solver from the present state; `step` and `rtol` as in fo_run_def. The
/// statistics go on counting. A solver that does not exist leaves everything as it was.
fo_status fo_simulation_change_method(fo_simulation *sim, const char *solver, double step,
                                      double rtol);
/// The accuracy in force.
fo_accuracy fo_simulation_accuracy(const fo_simulation *sim);
/// Goes on from the present state with other tolerances and limits of the steps, and the same
/// method. Numbers that make no sense leave everything as it was.
fo_status fo_simulation_change_accuracy(fo_simulation *sim, const fo_accuracy *to);

typedef struct fo_statistics {
    uint64_t steps, rejected; ///< accepted steps, and those tried in vain
    uint64_t rates, jacobians, factorisations, iterations;
    uint64_t guards;                        ///< evaluations of all guards at one point
    uint64_t moments;                       ///< jumps
    uint32_t certified_guards, guard_count; ///< certified: see fo_guard_report
    double last_step;
    double residual; ///< sliding-implicit: the largest |g(z)| that a step left
} fo_statistics;
/// The counts since the start.
fo_statistics fo_simulation_statistics(const fo_simulation *sim);

/// How it is known that no event of a guard was missed: how many parts of steps were dealt with in
/// which way, since the start or since the shape last changed.
typedef struct fo_guard_report {
    const char *name;
    uint64_t proved;    ///< by enclosures: no zero, or one crossing of a continuous guard
    uint64_t isolated;  ///< a jump or pole, cut down to neighbouring doubles, seen from both sides
    uint64_t undecided; ///< so near zero that rounding errors hide the sign: the values counted
    uint64_t searched;  ///< by samples: there is no enclosure
    uint64_t limited;   ///< the limit of work was reached before a decision
    uint64_t loose;     ///< steps whose dense output the solver does not hold to the tolerance
    bool certified;     ///< all was proved: the other five are zero
    double limited_from, limited_to; ///< the first stretch of time that was left undecided so [s]
} fo_guard_report;

/// The report of guard `index`; false when there is no such guard.
bool fo_simulation_guard_report(const fo_simulation *sim, uint32_t index, fo_guard_report *report);

// ---------------------------------------------------------------------------------- going back

typedef struct fo_snapshot fo_snapshot;

/// A copy of everything that the future depends on. Going on from it gives the same bits as going
/// on without (with SUNDIALS solvers: the same to tolerance, the method starts afresh).
/// NULL on failure; the simulation's message says why.
fo_snapshot *fo_simulation_snapshot(fo_simulation *sim);
/// Puts a simulation of the same system and definition (this one or another) to the snapshot.
fo_status fo_simulation_restore(fo_simulation *sim, const fo_snapshot *snapshot);
/// When it was taken [s].
double fo_snapshot_time(const fo_snapshot *snapshot);
/// Takes NULL.
void fo_snapshot_destroy(fo_snapshot *snapshot);

#ifdef __cplusplus
}
#endif
#endif
