/// What the simulation asks of a solver, and what every method has to give.
///
/// A solver carries one point (t1, x1) forward. `march` takes accepted steps; afterwards the last
/// one is [t0, t1] with the states x0 and x1 at its ends, and `dense` turns it into a polynomial
/// that can be read anywhere in the step. Solvers know nothing of events.
///
/// Memory: all that a method keeps between calls lives in one block of doubles, so that a snapshot
/// is a copy. Only x0, x1, f0, f1 and coefficients point into it (they are moved with it); a
/// method's own fields are offsets or numbers in its private part. A method that keeps state
/// elsewhere (SUNDIALS) has `foreign` and is restarted instead of copied.
#ifndef FOI_SOLVER_H
#define FOI_SOLVER_H

#include <foliot/solver.h>
#include <foliot/system.h>

#include "base/memory.h"
#include "solver/control.h"
#include "solver/march.h"

typedef struct foi_solver foi_solver;

/// Why a method is told to start from (t1, x1).
typedef enum foi_begin {
    FOI_COLD, ///< nothing is known: choose the first step
    FOI_JUMP, ///< the state jumped: h_next is still a good guess, history is void
} foi_begin;

/// A method: one row of `foliot solvers` and its functions.
typedef struct foi_method {
    fo_solver_info info;
    const void *data; ///< tableau or the like: methods of one family differ by this only

    /// Doubles that the method wants in the block for n states, beside the common ones.
    size_t (*size)(const foi_solver *o);
    /// Checks that the method fits the system and its settings; lays out its private part. The
    /// block is zeroed. May be NULL. Called again when the number of states has changed.
    fo_status (*prepare)(foi_solver *o);
    /// Starts from (t1, x1), where x1 may have been changed by a jump. f1 is not valid.
    fo_status (*begin)(foi_solver *o, foi_begin how);
    /// Takes accepted steps from (t1, x1), at least one, until t1 >= attention, t1 == goal,
    /// `budget` steps are done, or, from `look_from` on, a step was `stiff` or `calm`; never beyond
    /// goal, which is hit exactly. On an error (t1, x1) is the last good point. Never called
    /// without states, and neither are prepare and begin.
    fo_status (*march)(foi_solver *o, double attention, double goal);
    /// Writes the polynomial of the last step (see coefficients). Called at most once per step.
    fo_status (*dense)(foi_solver *o);
    /// Whether its iteration has lately failed as often as it has converged, so that steps are
    /// shortened for its sake and not for that of the error. NULL: it does not iterate, or does not
    /// say. From `look_from` on a march ends where that is so.
    bool (*baffled)(const foi_solver *o);
    /// Whether the method's private part, which came from a file, is one that its own steps can
    /// have left: orders, rows and pivots are within their bounds. NULL: any numbers are.
    bool (*sound)(const foi_solver *o);
    /// Frees what is foreign. May be NULL.
    void (*destroy)(foi_solver *o);
    bool foreign;
    /// Stiff, and inside a step the dense output is not held to the tolerance.
    bool loose;
} foi_method;

enum {
    FOI_DEGREE_MAX = 13, ///< of a dense output
};

typedef struct foi_counts {
    uint64_t steps, rejected, rates, jacobians, factorisations, iterations;
    double residual;
} foi_counts;

struct foi_solver {
    const foi_method *method;
    fo_system system;
    const fo_state *s; ///< d, u, p, memory for the rates; its x is not read
    uint32_t n;

    /* settings */
    double rtol, atol;  ///< in force; see foi_solver_begin
    double wanted_atol; ///< as it was asked for
    double size;        ///< of the largest state seen at a start so far
    double step;        ///< of fixed-step methods
    double first_step, max_step, min_step;
    uint32_t substeps;
    double epsilon;
    double stop;  ///< nothing is evaluated beyond this
    double scale; ///< a length of time that the run is judged by; 0: none is known

    /* the last accepted step */
    double t0, t1;
    double *x0, *x1; ///< states at its ends
    double *f0, *f1; ///< rates there; f1 only if f1_valid, f0 only if the method says so
    bool f1_valid;
    double h_next; ///< adaptive: what the method would take next
    double error;  ///< adaptive: scaled error of the last try
    bool stiff;    ///< an explicit method's last step was beyond the limit of its stability
    bool calm;     ///< a stiff method's last steps would have been stable for an explicit one
    uint32_t stiff_count, calm_count; ///< steps in a row, or nearly, that say so
    uint64_t look_from;  ///< from this many steps on a march ends where it says so; 0: never
    uint64_t doubt_from; ///< and from this many on an explicit method says so earlier

    /* fixed steps: t = base + count * step, never a running sum */
    double base;
    uint64_t count;

    /* dense output of the last step: x(t0 + theta (t1 - t0)) =
       sum over j <= degree of coefficients[j * n + i] * theta^j, theta in [0, 1] */
    int degree;
    double *coefficients; ///< room for FOI_DEGREE_MAX + 1 rows
    bool dense_ready;
    bool loose; ///< of this step it is not held to the tolerance, though the method's usually is

    uint64_t budget; ///< steps that one march may take

    /* moments that a system may let happen in a march by itself: fo_march.until */
    bool passes; ///< it may
    double until, last_jump;
    uint64_t passed; ///< how many it has

    foi_quiet quiet; ///< steps behind which a march may go on without being looked at

    foi_counts counts;

    double *block;
    size_t block_size; ///< in doubles
    double *own;       ///< the method's part of the block
    void *extern_data; ///< of foreign methods
    const fo_allocator *allocator;
    fo_message *message;
};

/// The method behind a public description.
const foi_method *foi_method_find(const char *name, fo_message *why);

/// Makes a solver for the system at `s` (whose shape gives n). Settings must be filled in; block
/// and pointers are made here. Calls the method's prepare.
fo_status foi_solver_prepare(foi_solver *o);
void foi_solver_destroy(foi_solver *o);
/// Puts the solver at (t, x). Where the largest state is so small that atol would hide all that
/// happens, atol in force is rtol times that size: a model in other units is the same model.
fo_status foi_solver_begin(foi_solver *o, double t, const double *x, foi_begin how);
/// Whether the tolerance in force will be the same at all starts to come.
bool foi_solver_tolerance_stays(const foi_solver *o);
/// Makes the dense output ready (once per step).
fo_status foi_solver_dense(foi_solver *o);
/// Copies all that changes from one solver into another of the same method and size.
void foi_solver_copy(foi_solver *to, const foi_solver *from);

// ------------------------------------------------------------------------ for use by the methods

/// dx = f(t, x), counted.
static inline fo_status foi_rates(foi_solver *o, double t, const double *x, double *dx)
{
    o->counts.rates++;
    return o->system.type->rates(o->system.model, o->s, t, x, dx);
}

/// f1 = f(t1, x1) unless it is there already.
fo_status foi_solver_f1(foi_solver *o);

/// Makes (t1, x1) the beginning of the next step: swaps the ends. x0, f0 are then the start.
static inline void foi_solver_turn(foi_solver *o)
{
    double *x = o->x0, *f = o->f0;
    o->x0 = o->x1, o->f0 = o->f1;
    o->x1 = x, o->f1 = f;
    o->t0 = o->t1;
    o->f1_valid = false;
    o->dense_ready = false;
}

/// Undoes a turn after a failure: (t1, x1) is the last good point again.
static inline void foi_solver_unturn(foi_solver *o)
{
    double *x = o->x0, *f = o->f0;
    o->x0 = o->x1, o->f0 = o->f1;
    o->x1 = x, o->f1 = f;
    o->t1 = o->t0;
    o->f1_valid = true;
}

/// The first step for a method of order p: Hairer, Norsett, Wanner I, section II.4.
/// Needs f1 at (t1, x1); uses one more evaluation. Never beyond `goal`.
fo_status foi_first_step(foi_solver *o, int order, double goal, double *h);

/// Fails where rates said FO_RETRY once too often, with what the model said at last, if it did.
__attribute__((format(printf, 3, 4))) fo_status foi_fail_because(foi_solver *o, fo_status status,
                                                                 const char *format, ...);

/// Fails with the name of the first rate or state that is not a finite number. `f` may be NULL.
fo_status foi_not_finite(foi_solver *o, double t, const double *x, const double *f);

/// Fails: "step became too small at t = ..., state v, last error ...".
fo_status foi_step_too_small(foi_solver *o, double h, double error, uint32_t worst);

/// The end of the next fixed step: base + (count + 1) * step, or the goal when that is nearer or
/// within 1e-9 of a step. Sets *lands when it is the goal off the grid (the grid then restarts).
double foi_fixed_target(const foi_solver *o, double goal, bool *lands);
/// Books an accepted fixed step that ended at t1.
void foi_fixed_accept(foi_solver *o, bool lands);

/// Root mean square of e[i] / (atol + rtol * max(|a[i]|, |b[i]|)); *worst gets the largest one's
/// index (may be NULL).
double foi_error_norm(const foi_solver *o, const double *e, const double *a, const double *b,
                      uint32_t *worst);

/// What a method has to ask of its error estimate, in parts of the tolerance, when the formula that
/// is carried on is the one whose error is estimated. Its local error is of the order h^q with step
/// control keeping it at the tolerance, so that the sum over a run is of the order tol^((q-1)/q):
/// at small tolerances it falls behind methods that carry on the better formula of their pair,
/// whose errors shrink with the tolerance. Asked for tol^(q/(q-1)), it does not; equal at 1e-3.
double foi_strictness(double rtol, double q);

/* Ready-made dense outputs; see dense.c */

/// Cubic through x0, f0, x1, f1 (order 3). Computes f1 if needed.
fo_status foi_dense_cubic(foi_solver *o);
/// Straight line from x0 to x1 (order 1).
fo_status foi_dense_line(foi_solver *o);
/// Order 4: the cubic, corrected by one more evaluation of the rates inside the step.
fo_status foi_dense_quartic(foi_solver *o);
/// Order 5: the quartic, corrected by two more (three evaluations in all).
fo_status foi_dense_quintic(foi_solver *o);

// ------------------------------------------------------------------------- reading dense output

/// x(t0 + theta (t1 - t0)); theta 0 and 1 give the ends exactly.
void foi_dense_at(const foi_solver *o, double theta, double *x);
/// dx/dtheta there.
void foi_dense_slope(const foi_solver *o, double theta, double *dx);
/// Encloses every state, and where `dx` is not NULL every dx/dtheta, for theta in [a, b] within
/// [0, 1]: the exact polynomial, and what foi_dense_at gives.
void foi_dense_bounds(const foi_solver *o, double a, double b, fo_bounds *x, fo_bounds *dx);
/// The stretch for theta in [a, b]: times, states, rates and the middle. The bounds' arrays are the
/// caller's; those of dx and x_mid may be NULL.
void foi_dense_stretch(const foi_solver *o, double a, double b, fo_stretch *on);

/// How long a family's methods are: each family gives its list to the registry in solver.c.
typedef struct foi_family {
    const foi_method *const *methods;
    size_t count;
} foi_family;

#define FOI_FAMILY(name, ...)                                     \
    static const foi_method *const name##_list[] = {__VA_ARGS__}; \
    const foi_family name = {name##_list, sizeof name##_list / sizeof name##_list[0]}

extern const foi_family foi_family_euler;     ///< fixed.c: euler, midpoint, heun, rk4
extern const foi_family foi_family_second;    ///< second_order.c: nystrom, leapfrog, symplectic4
extern const foi_family foi_family_multistep; ///< multistep.c: ab2, ab3
extern const foi_family foi_family_lobatto;   ///< quadrature.c: trapezoid, simpson
extern const foi_family
    foi_family_implicit; ///< implicit_euler.c: and implicit-midpoint, sliding-implicit
extern const foi_family foi_family_erk;        ///< erk.c: bs23 to dop853
extern const foi_family foi_family_doubling;   ///< doubling.c: euler-, trapezoid-, simpson-adaptive
extern const foi_family foi_family_adams;      ///< adams.c
extern const foi_family foi_family_fowler;     ///< fowler_warten.c
extern const foi_family foi_family_rosenbrock; ///< rosenbrock.c: rodas4
extern const foi_family foi_family_radau;      ///< radau.c: radau5
extern const foi_family foi_family_own;        ///< own.c: a system's own stepper
extern const foi_family foi_family_sundials;   ///< sundials.c, where it is built in

#endif
