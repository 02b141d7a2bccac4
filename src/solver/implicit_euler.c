/// The implicit Euler equation M (z - x) = h f(t + h, z), solved in two ways: by Newton's iteration
/// until it has converged (implicit-euler, and implicit-midpoint over half a step), and by a fixed
/// number of substeps that slide towards the solution (sliding-implicit).
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/matrix.h"
#include "solver/trial.h"

enum { ITERATIONS = 10, FULL_ITERATIONS = 40 };

/// In the block, after the matrix.
typedef struct euler {
    uint8_t current; ///< J may be used; slow convergence makes it void; any byte in a checkpoint
    double ratio;    ///< sliding: substep / epsilon
    double small;    ///< Newton: what may remain, in parts of the tolerance
} euler;

enum {
    EULER_SIZE = (sizeof(euler) + sizeof(double) - 1) / sizeof(double),
    RATES = 0,
    STEP,
    MASS,
    ROWS
};

static euler *euler_of(const foi_solver *o)
{
    return (euler *)(void *)foi_matrix_rest(o);
}

static double *row(const foi_solver *o, int i)
{
    return foi_matrix_rest(o) + EULER_SIZE + (size_t)i * o->n;
}

static size_t size(const foi_solver *o)
{
    return foi_matrix_size(o, 1) + EULER_SIZE + ROWS * (size_t)o->n;
}

static fo_status begin(foi_solver *o, foi_begin how)
{
    (void)how;
    euler_of(o)->current = false;
    return foi_matrix_begin(o);
}

/// Carries x0 over h to x1 at t1.
typedef fo_status solve_function(foi_solver *o, double h, double t1);

static fo_status fixed_step(foi_solver *o, double goal, solve_function *solve)
{
    bool lands, known = o->f1_valid;
    double t1 = foi_fixed_target(o, goal, &lands), h = t1 - o->t1;
    // the grid's rounding must not look like a new step, which would need new factors
    if (fabs(h - o->step) <= 1e-9 * o->step) h = o->step;
    foi_solver_turn(o);
    fo_status status = o->n ? solve(o, h, t1) : FO_OK; // without states there are no rates
    if (status == FO_OK && !foi_all_finite(o->x1, o->n))
        status = foi_not_finite(o, t1, o->x1, NULL);
    if (status != FO_OK) {
        foi_solver_unturn(o);
        o->f1_valid = known;
        return status;
    }
    o->t1 = t1;
    foi_fixed_accept(o, lands);
    return FO_OK;
}

static fo_status march(foi_solver *o, double attention, double goal)
{
    fo_status status = o->n ? foi_matrix_resume(o) : FO_OK;
    solve_function *const *solve = o->method->data;
    for (uint64_t k = 0; status == FO_OK; k++) {
        if (k > 0 && (k >= o->budget || o->t1 >= attention || o->t1 >= goal)) break;
        status = fixed_step(o, goal, *solve);
    }
    return status;
}

/// f at (t, z) into row RATES, where a fixed step leaves no way around a refusal.
static fo_status rates_at(foi_solver *o, double t, const double *z)
{
    fo_status status = foi_rates(o, t, z, row(o, RATES));
    if (status == FO_RETRY)
        return fo_fail(o->message, FO_ERROR_STEP,
                       "%s: the model refuses its rates at t = %.15g; take a step shorter than %g",
                       o->method->info.name, t, o->step);
    if (status == FO_OK && !foi_all_finite(row(o, RATES), o->n))
        return foi_not_finite(o, t, z, row(o, RATES));
    return status;
}

/// Factors M/h - J.
static fo_status factor(foi_solver *o, double h)
{
    foi_complex fac = {1 / h, 0};
    if (foi_matrix_factored(o, FOI_REAL, fac)) return FO_OK;
    fo_status status = foi_matrix_factor(o, FOI_REAL, fac);
    if (status == FO_RETRY)
        return fo_fail(o->message, FO_ERROR_CONVERGE,
                       "%s: the matrix M/h - df/dx is singular at t = %.15g with h = %g",
                       o->method->info.name, o->t0, h);
    return status;
}

// ----------------------------------------------------------------------------- implicit-euler

/// (M/h - J) d = f(z) - M (z - x)/h, the rates being those at z; x1 += d. Returns d's scaled norm.
static double newton(foi_solver *o, double h)
{
    double *z = o->x1, *d = row(o, STEP), *m = row(o, MASS);
    const double *f = row(o, RATES);
    for (uint32_t i = 0; i < o->n; i++) d[i] = (z[i] - o->x0[i]) / h;
    foi_mass_times(o, d, m);
    for (uint32_t i = 0; i < o->n; i++) d[i] = f[i] - m[i];
    foi_matrix_solve(o, FOI_REAL, d);
    for (uint32_t i = 0; i < o->n; i++) z[i] += d[i];
    o->counts.iterations++;
    return foi_error_norm(o, d, z, o->x0, NULL);
}

/// Newton's iteration from x0. `full`: with a new J at every iterate. *converged says whether it
/// did: theta is the ratio of the last two increments, and what remains, theta / (1 - theta) times
/// the last one, is a small part of the tolerance; or, far below the tolerance, increments are
/// rounding and shrink no more. At least two iterations are made, so that linear
/// rates are solved far below any tolerance even with a J from differences.
static fo_status iterate(foi_solver *o, double h, double t1, bool full, bool *converged)
{
    euler *s = euler_of(o);
    double last = 0;
    *converged = false;
    memcpy(o->x1, o->x0, o->n * sizeof(double));
    for (int k = 0; k < (full ? FULL_ITERATIONS : ITERATIONS); k++) {
        fo_status status = rates_at(o, t1, o->x1);
        if (status == FO_OK && (full || !s->current)) {
            status = foi_matrix_jacobian(o, t1, o->x1, row(o, RATES));
            s->current = true;
        }
        if (status == FO_OK) status = factor(o, h);
        if (status != FO_OK) return status;
        double norm = newton(o, h), theta = k > 0 && last > 0 ? norm / last : 0;
        if (!isfinite(norm)) return FO_OK;
        bool rounding = k > 1 && norm <= 0.01 && theta > 0.5;
        if (k > 0 &&
            (norm == 0 || (theta < 1 && theta / (1 - theta) * norm <= s->small) || rounding)) {
            s->current = theta < 0.3 || rounding;
            *converged = true;
            return FO_OK;
        }
        if (theta > 2 && !full) return FO_OK;
        last = norm;
    }
    return FO_OK;
}

/// A refusal or a wild number on the way may be the fault of an old J, like slow convergence.
static bool worth_another(fo_status status, bool converged)
{
    if (status == FO_OK) return !converged;
    return status == FO_ERROR_CONVERGE || status == FO_ERROR_NUMBER || status == FO_ERROR_STEP;
}

// First with the J that is there, then with one from this step, then with one at every iterate.
static fo_status solve_newton(foi_solver *o, double h, double t1)
{
    euler *s = euler_of(o);
    bool converged = false;
    fo_status status = FO_OK;
    if (s->current) status = iterate(o, h, t1, false, &converged);
    for (int full = 0; full < 2 && worth_another(status, converged); full++) {
        s->current = false;
        status = iterate(o, h, t1, full, &converged);
    }
    if (status == FO_OK && converged) return FO_OK;
    s->current = false;
    if (status != FO_OK) return status;
    return fo_fail(o->message, FO_ERROR_CONVERGE,
                   "%s: Newton's iteration does not converge at t = %.15g with h = %g; take a "
                   "shorter step",
                   o->method->info.name, o->t0, o->step);
}

static fo_status prepare_newton(foi_solver *o)
{
    fo_status status = foi_matrix_prepare(o, 1);
    if (status == FO_OK) euler_of(o)->small = 0.01;
    return status;
}

static solve_function *const newton_data = solve_newton;

static const foi_method implicit_euler = {
    .info = {"implicit-euler", "order 1 with fixed steps, for stiff systems and mass matrices", 1,
             1, FO_STIFF | FO_MASS},
    .data = &newton_data,
    .size = size,
    .prepare = prepare_newton,
    .begin = begin,
    .march = march,
    .dense = foi_dense_line,
    .sound = foi_matrix_sound,
    .destroy = foi_matrix_destroy,
};

// -------------------------------------------------------------------------- implicit-midpoint

// x1 = x + h f(t + h/2, (x + x1)/2), Gauss' method with one stage (Hairer, Lubich, Wanner:
// Geometric Numerical Integration, II.1.3 and IV.2.1): order 2, symmetric, symplectic, A-stable,
// and every quadratic invariant is kept, the energy of a linear vibration among them. With y = (x +
// x1)/2 it is implicit Euler over half the step, y = x + h/2 f(t + h/2, y), and then x1 = 2 y - x.
// What Newton leaves would drift, so that it is solved far below the tolerance.
static fo_status solve_midpoint(foi_solver *o, double h, double t1)
{
    fo_status status = solve_newton(o, h / 2, t1 - h / 2);
    for (uint32_t i = 0; status == FO_OK && i < o->n; i++) o->x1[i] += o->x1[i] - o->x0[i];
    return status;
}

static fo_status prepare_midpoint(foi_solver *o)
{
    fo_status status = foi_matrix_prepare(o, 1);
    if (status == FO_OK) euler_of(o)->small = 1e-6;
    return status;
}

static solve_function *const midpoint_data = solve_midpoint;

// The dense output is its collocation polynomial, a line: with the slopes at the ends a cubic would
// swing with whatever is stiff.
static const foi_method implicit_midpoint = {
    .info = {"implicit-midpoint", "order 2 with fixed steps, symplectic, for stiff vibrations", 2,
             1, FO_STIFF | FO_SYMPLECTIC},
    .data = &midpoint_data,
    .size = size,
    .prepare = prepare_midpoint,
    .begin = begin,
    .march = march,
    .dense = foi_dense_line,
    .sound = foi_matrix_sound,
    .destroy = foi_matrix_destroy,
};

// --------------------------------------------------------------------------- sliding-implicit

// The equation g(z) = M (z - x) - h f(t + h, z) = 0 is made the rest of a flow in a time of its
// own, epsilon dz/ds = -G^-1 g(z) with G = M - h df/dz, along which g decays as exp(-s / epsilon):
// a singularly perturbed sliding manifold (SPSM). Where M is singular, rows of it are constraints
// of a differential-algebraic equation of index 1, which are approached like the rest. `substeps`
// explicit Euler steps of length h_s = h / substeps follow it:
//
//     z <- z - (h_s / epsilon) G^-1 g(z),       G = h (M/h - J), J = df/dx at (t + h, x)
//
// so that g shrinks by 1 - h_s / epsilon in each: stable for h_s < 2 epsilon, and for
// h_s = epsilon each substep is a Newton step, which gives implicit Euler. The work per step is
// fixed, what remains of g is reported. A step that is shortened to reach a goal keeps the ratio
// h_s / epsilon (epsilon shrinks with it), so that it decays as much as any other step and the
// equality with implicit Euler holds for it too.
// -g(z) / h into row STEP, the rates being those at z.
static void short_of(foi_solver *o, double h, const double *z)
{
    double *d = row(o, STEP), *m = row(o, MASS);
    const double *f = row(o, RATES);
    for (uint32_t i = 0; i < o->n; i++) d[i] = (z[i] - o->x0[i]) / h;
    foi_mass_times(o, d, m);
    for (uint32_t i = 0; i < o->n; i++) d[i] = f[i] - m[i];
}

static fo_status solve_sliding(foi_solver *o, double h, double t1)
{
    const euler *s = euler_of(o);
    double *z = o->x1, *d = row(o, STEP);
    const double *f = row(o, RATES);
    uint32_t substeps = o->substeps ? o->substeps : 10;
    double first = 0, left = 0; // the size of g in the beginning, and what is left of it
    memcpy(z, o->x0, o->n * sizeof(double));
    fo_status status = rates_at(o, t1, z);
    if (status == FO_OK) status = foi_matrix_jacobian(o, t1, z, f);
    if (status == FO_OK) status = factor(o, h);
    for (uint32_t k = 0; status == FO_OK && k < substeps; k++) {
        short_of(o, h, z);
        if (k == 0) first = h * foi_error_norm(o, d, o->x0, z, NULL);
        foi_matrix_solve(o, FOI_REAL, d);
        for (uint32_t i = 0; i < o->n; i++) z[i] += s->ratio * d[i];
        status = rates_at(o, t1, z);
    }
    if (status != FO_OK) return status;
    short_of(o, h, z);
    left = h * foi_error_norm(o, d, o->x0, z, NULL);
    if (!(left <= foi_fmax(first, 1)))
        return fo_fail(o->message, FO_ERROR_CONVERGE,
                       "sliding-implicit: the substeps lead away from a solution at t = %.15g with "
                       "h = %g; take a shorter step",
                       o->t0, o->step);
    for (uint32_t i = 0; i < o->n; i++)
        o->counts.residual = foi_fmax(o->counts.residual, h * fabs(d[i]));
    if (o->system.type->mass) return FO_OK; // its rates are not those of the states
    memcpy(o->f1, f, o->n * sizeof(double));
    o->f1_valid = true;
    return FO_OK;
}

static fo_status prepare_sliding(foi_solver *o)
{
    double substep = o->step / (o->substeps ? o->substeps : 10);
    double epsilon = o->epsilon > 0 ? o->epsilon : substep;
    if (!(substep < 2 * epsilon))
        return fo_fail(o->message, FO_ERROR_ARGUMENT,
                       "sliding-implicit: the substep h/substeps = %g must be shorter than 2 eps = "
                       "%g; take eps >= %g or more substeps",
                       substep, 2 * epsilon, substep);
    fo_status status = foi_matrix_prepare(o, 1);
    if (status == FO_OK) euler_of(o)->ratio = substep / epsilon;
    return status;
}

static solve_function *const sliding_data = solve_sliding;

static const foi_method sliding_implicit = {
    .info = {"sliding-implicit", "implicit Euler with a fixed number of substeps, for real time", 1,
             1, FO_FIXED_WORK | FO_STIFF | FO_MASS},
    .data = &sliding_data,
    .size = size,
    .prepare = prepare_sliding,
    .begin = begin,
    .march = march,
    .dense = foi_dense_line,
    .sound = foi_matrix_sound,
    .destroy = foi_matrix_destroy,
};

FOI_FAMILY(foi_family_implicit, &implicit_euler, &implicit_midpoint, &sliding_implicit);
