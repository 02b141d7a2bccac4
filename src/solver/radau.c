/// radau5: the implicit Runge-Kutta method Radau IIA of order 5 with 3 stages.
///
/// Hairer, Wanner: Solving Ordinary Differential Equations II, 2nd ed., section IV.8. For
/// M x' = f(t, x) the stages z_i = x(t + c_i h) - x solve
///
///     M z_i = h sum_j a_ij f(t + c_j h, x + z_j),      c = (4 - sqrt 6)/10, (4 + sqrt 6)/10, 1
///
/// A^-1 = T diag(gamma, alpha +- i beta) T^-1, so that with w = T^-1 z the simplified Newton
/// iteration falls apart into one real and one complex system of size n:
///
///     (gamma/h M - J) dw1             = v1 - gamma/h M w1
///     ((alpha + i beta)/h M - J) (dw2 + i dw3) = v2 + i v3 - (alpha + i beta)/h M (w2 + i w3)
///
/// where v = T^-1 f(t + c_j h, x + z_j). The polynomial through 0 and the z_i is the dense output,
/// and carried beyond its step it starts the next iteration.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/defect.h"
#include "solver/matrix.h"
#include "solver/trial.h"

enum { STAGES = 3, ITERATIONS = 7 };

#define SQRT6   2.4494897427831780982
#define CBRT3   1.4422495703074083823 // 81^(1/3) = 3 CBRT3
#define CBRT9   2.0800838230519041145
#define EIGEN_D ((3 * CBRT3 - CBRT9 + 6) / 30)  // 1 / gamma
#define EIGEN_P ((12 - 3 * CBRT3 + CBRT9) / 60) // real part of 1 / (alpha - i beta)
#define EIGEN_Q ((3 * CBRT3 + CBRT9) * 1.7320508075688772935 / 60)
#define EIGEN_S (EIGEN_P * EIGEN_P + EIGEN_Q * EIGEN_Q)

static const double eigen_gamma = 1 / EIGEN_D;
static const double eigen_alpha = EIGEN_P / EIGEN_S, eigen_beta = EIGEN_Q / EIGEN_S;
static const double c[STAGES] = {(4 - SQRT6) / 10, (4 + SQRT6) / 10, 1};
static const double T[STAGES][STAGES] = {
    {9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1, 0},
};
static const double T_inverse[STAGES][STAGES] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497},
};
/// The error estimate is (gamma/h M - J)^-1 (f(t, x) + M sum e_i z_i / h): order 3.
static const double e[STAGES] = {-(13 + 7 * SQRT6) / 3, (-13 + 7 * SQRT6) / 3, -1.0 / 3};

/// Where the collocation polynomial is looked at: theta (theta - c1)(theta - c2)(theta - 1) is
/// largest at 0.07, 0.42 and 0.86.
static const double between[FOI_DEFECT_POINTS] = {0.40, 0.87};

/// In the block, after the matrix.
typedef struct radau {
    foi_controller controller;
    foi_defect_trials defects;
    double t0, h;       ///< of the step that the polynomial belongs to
    double rate;        ///< of convergence in the last step: theta
    double contraction; ///< theta / (1 - theta), carried from step to step
    double radius;      ///< of J, where it is looked at
    // Truths; the bytes of a checkpoint may be any.
    uint8_t history;  ///< there is a polynomial
    uint8_t fresh;    ///< J belongs to the start of this step
    uint8_t keep;     ///< J converged so well that the next step may use it
    uint8_t rejected; ///< a trial of this step was not good
    int iterations;
    uint32_t steps, diverged; ///< accepted and failed trials, in the window that is looked at
} radau;

enum {
    RADAU_SIZE = (sizeof(radau) + sizeof(double) - 1) / sizeof(double),
    Z = 0,           ///< stages
    W = Z + STAGES,  ///< transformed
    D = W + STAGES,  ///< rates, then right-hand sides, then increments
    P = D + STAGES,  ///< powers 1, 2, 3 of the polynomial
    MW = P + STAGES, ///< M w
    SCALE = MW + STAGES,
    STATE,
    PAIR, ///< two rows: n complex numbers
    ROWS = PAIR + 2
};

static radau *radau_of(const foi_solver *o)
{
    return (radau *)(void *)foi_matrix_rest(o);
}

static double *row(const foi_solver *o, int i)
{
    return foi_matrix_rest(o) + RADAU_SIZE + (size_t)i * o->n;
}

static size_t size(const foi_solver *o)
{
    return foi_matrix_size(o, 2) + RADAU_SIZE + ROWS * (size_t)o->n;
}

static fo_status prepare(foi_solver *o)
{
    return foi_matrix_prepare(o, 2);
}

static fo_status begin(foi_solver *o, foi_begin how)
{
    if (how == FOI_COLD) o->h_next = 0;
    *radau_of(o) = (radau){.contraction = 1};
    return foi_matrix_begin(o);
}

// ----------------------------------------------------------------------------------- one trial

/// to = matrix times from, for every state; the rows may be the same ones.
static void transform(const foi_solver *o, const double matrix[STAGES][STAGES], int from, int to)
{
    const double *a0 = row(o, from), *a1 = row(o, from + 1), *a2 = row(o, from + 2);
    double *b0 = row(o, to), *b1 = row(o, to + 1), *b2 = row(o, to + 2);
    for (uint32_t i = 0; i < o->n; i++) {
        double v0 = a0[i], v1 = a1[i], v2 = a2[i];
        b0[i] = matrix[0][0] * v0 + matrix[0][1] * v1 + matrix[0][2] * v2;
        b1[i] = matrix[1][0] * v0 + matrix[1][1] * v1 + matrix[1][2] * v2;
        b2[i] = matrix[2][0] * v0 + matrix[2][1] * v1 + matrix[2][2] * v2;
    }
}

/// Starting values: the last step's polynomial beyond its end, or nothing.
static void guess(foi_solver *o, double h)
{
    const radau *r = radau_of(o);
    if (!r->history) {
        memset(row(o, Z), 0, 2 * STAGES * (size_t)o->n * sizeof(double)); // Z and W
        return;
    }
    const double *p1 = row(o, P), *p2 = row(o, P + 1), *p3 = row(o, P + 2);
    double from = (o->t0 - r->t0) / r->h;
    for (int s = 0; s < STAGES; s++) {
        double d = c[s] * h / r->h, theta = from + d;
        // p(theta) - p(from), with the difference d taken out of every power
        double q2 = theta + from, q3 = theta * theta + theta * from + from * from;
        double *z = row(o, Z + s);
        for (uint32_t i = 0; i < o->n; i++) z[i] = d * (p1[i] + q2 * p2[i] + q3 * p3[i]);
    }
    transform(o, T_inverse, Z, W);
}

/// D = f at the three stages.
static fo_status stage_rates(foi_solver *o, double h, double t1, foi_outcome *outcome)
{
    double *x = row(o, STATE);
    for (int s = 0; s < STAGES; s++) {
        const double *z = row(o, Z + s);
        for (uint32_t i = 0; i < o->n; i++) x[i] = o->x0[i] + z[i];
        *outcome = FOI_REFUSED;
        double t = s == STAGES - 1 ? t1 : o->t0 + c[s] * h;
        fo_status status = foi_rates(o, t, x, row(o, D + s));
        if (status != FO_OK) return status;
        *outcome = FOI_NOT_FINITE;
        if (!foi_all_finite(row(o, D + s), o->n)) {
            memmove(row(o, D), row(o, D + s), o->n * sizeof(double)); // for the message
            return FO_RETRY;
        }
    }
    return FO_OK;
}

/// From D = f at the stages to D = the increments of W. Returns their scaled norm.
static double increments(foi_solver *o, double h)
{
    double gh = eigen_gamma / h, ah = eigen_alpha / h, bh = eigen_beta / h;
    transform(o, T_inverse, D, D);
    for (int s = 0; s < STAGES; s++) foi_mass_times(o, row(o, W + s), row(o, MW + s));
    double *d0 = row(o, D), *d1 = row(o, D + 1), *d2 = row(o, D + 2);
    const double *m0 = row(o, MW), *m1 = row(o, MW + 1), *m2 = row(o, MW + 2);
    const double *scale = row(o, SCALE);
    foi_complex *pair = (foi_complex *)(void *)row(o, PAIR);
    for (uint32_t i = 0; i < o->n; i++) {
        d0[i] -= gh * m0[i];
        pair[i].re = d1[i] - (ah * m1[i] - bh * m2[i]);
        pair[i].im = d2[i] - (ah * m2[i] + bh * m1[i]);
    }
    foi_matrix_solve(o, FOI_REAL, d0);
    foi_matrix_solve(o, FOI_PAIR, pair);
    double sum = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        d1[i] = pair[i].re, d2[i] = pair[i].im;
        double q0 = d0[i] / scale[i], q1 = d1[i] / scale[i], q2 = d2[i] / scale[i];
        sum += q0 * q0 + q1 * q1 + q2 * q2;
    }
    return o->n ? sqrt(sum / (STAGES * (double)o->n)) : 0;
}

/// Whether the iteration converges in time: theta is the geometric mean of the last two ratios of
/// increments. When not, *next is the step with which it should.
static bool converges(radau *r, int k, double norm, double *last, double *last_ratio,
                      double tolerance, double h, double *next)
{
    *next = h * 0.5;
    if (!isfinite(norm)) return false;
    if (k > 0) {
        double ratio = norm / *last;
        r->rate = k == 1 ? ratio : sqrt(ratio * *last_ratio);
        *last_ratio = ratio;
        if (!(r->rate < 0.99)) return false;
        r->contraction = r->rate / (1 - r->rate);
        int left = k < ITERATIONS - 2 ? ITERATIONS - 2 - k : 0;
        double final = r->contraction * norm * foi_pow(r->rate, left) / tolerance;
        if (final >= 1) {
            *next = 0.8 * h * foi_pow(foi_fmin(foi_fmax(final, 1e-4), 20), -1.0 / (4 + left));
            return false;
        }
    }
    *last = foi_fmax(norm, DBL_EPSILON);
    return true;
}

#define LEAST_RTOL 1e-14

// The estimate is of order 3 only, the solution of order 5: a tolerance rtol is asked of the
// estimate as 0.1 rtol^(2/3), atol in proportion (as in the authors' RADAU5).
static double sharpened(const foi_solver *o)
{
    return 0.1 * foi_pow(foi_fmax(o->rtol, LEAST_RTOL), 2.0 / 3);
}

/// Simplified Newton. On FOI_GOOD, Z are the stages; otherwise *next is a better step.
static fo_status iterate(foi_solver *o, double h, double t1, foi_outcome *outcome, double *next)
{
    radau *r = radau_of(o);
    double rtol = sharpened(o);
    double tolerance = foi_fmax(10 * DBL_EPSILON / rtol, foi_fmin(0.03, sqrt(rtol)));
    double last = 0, last_ratio = 0;
    r->contraction = foi_pow(foi_fmax(r->contraction, DBL_EPSILON), 0.8);
    r->rate = 0.001;
    for (int k = 0; k < ITERATIONS; k++) {
        o->counts.iterations++;
        r->iterations = k + 1;
        fo_status status = stage_rates(o, h, t1, outcome);
        if (status != FO_OK) return status;
        double norm = increments(o, h);
        *outcome = FOI_DIVERGED;
        if (!converges(r, k, norm, &last, &last_ratio, tolerance, h, next)) return FO_RETRY;
        double *w = row(o, W), *d = row(o, D);
        for (size_t i = 0; i < STAGES * (size_t)o->n; i++) w[i] += d[i];
        transform(o, T, W, Z);
        if (r->contraction * norm <= tolerance) {
            *outcome = FOI_GOOD;
            return FO_OK;
        }
    }
    return FO_RETRY;
}

// A state that is zero is as large as the step may make it: where it was put onto the zero of a
// guard, atol alone would leave it no size.
static void scale(foi_solver *o)
{
    double rtol = sharpened(o), atol = rtol * (o->atol / foi_fmax(o->rtol, LEAST_RTOL));
    double *s = row(o, SCALE);
    for (uint32_t i = 0; i < o->n; i++) {
        double size = o->x0[i] != 0 ? fabs(o->x0[i]) : fabs(o->h_next * o->f0[i]);
        s[i] = atol + rtol * size;
    }
}

/// The scaled norm, at least 1e-10.
static double norm_of(const foi_solver *o, const double *v, uint32_t *worst)
{
    const double *s = row(o, SCALE);
    double sum = 0, largest = -1;
    for (uint32_t i = 0; i < o->n; i++) {
        double q = v[i] / s[i];
        sum += q * q;
        if (!(fabs(q) <= largest)) largest = fabs(q), *worst = i;
    }
    double norm = o->n ? sqrt(sum / o->n) : 0;
    return norm < 1e-10 ? 1e-10 : norm;
}

/// o->error from the stages. Where a large estimate may only be stiff (first steps, after a
/// rejection) it is filtered once more, with f at x + estimate.
static fo_status estimate(foi_solver *o, double h, uint32_t *worst)
{
    const radau *r = radau_of(o);
    double *sum = row(o, MW), *m = row(o, MW + 1), *v = row(o, MW + 2), *x = row(o, STATE);
    const double *z0 = row(o, Z), *z1 = row(o, Z + 1), *z2 = row(o, Z + 2);
    for (uint32_t i = 0; i < o->n; i++) sum[i] = (e[0] * z0[i] + e[1] * z1[i] + e[2] * z2[i]) / h;
    foi_mass_times(o, sum, m);
    for (uint32_t i = 0; i < o->n; i++) v[i] = m[i] + o->f0[i];
    foi_matrix_solve(o, FOI_REAL, v);
    o->error = norm_of(o, v, worst);
    if (o->error < 1 || (r->controller.h > 0 && !r->rejected)) return FO_OK;
    for (uint32_t i = 0; i < o->n; i++) x[i] = o->x0[i] + v[i];
    fo_status status = foi_rates(o, o->t0, x, v);
    if (status == FO_RETRY) return FO_OK; // the estimate stays as it was
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) v[i] += m[i];
    foi_matrix_solve(o, FOI_REAL, v);
    o->error = norm_of(o, v, worst);
    return FO_OK;
}

/// The polynomial through (0, 0), (c1, z1), (c2, z2), (1, z3), by divided differences; its powers
/// 1 to 3 into the rows from `to` on.
static void collocate(foi_solver *o, int to)
{
    const double *z0 = row(o, Z), *z1 = row(o, Z + 1), *z2 = row(o, Z + 2);
    double *p1 = row(o, to), *p2 = row(o, to + 1), *p3 = row(o, to + 2);
    for (uint32_t i = 0; i < o->n; i++) {
        double a = z0[i] / c[0], d01 = (z1[i] - z0[i]) / (c[1] - c[0]);
        double d12 = (z2[i] - z1[i]) / (1 - c[1]), b = (d01 - a) / c[1];
        double g = (d12 - d01) / (1 - c[0]) - b;
        p1[i] = a - b * c[0] + g * c[0] * c[1];
        p2[i] = b - g * (c[0] + c[1]);
        p3[i] = g;
    }
}

/// Raises o->error where the polynomial is worse between the stages than x1 is.
static fo_status look_between(foi_solver *o, double h, foi_outcome *outcome, uint32_t *worst)
{
    const double *z = row(o, Z + 2);
    for (uint32_t i = 0; i < o->n; i++) o->x1[i] = o->x0[i] + z[i];
    collocate(o, MW); // a rejected step must not change the one that later steps start from
    foi_curve curve = {
        {row(o, MW), row(o, MW + 1), row(o, MW + 2)}, row(o, STATE), row(o, D), row(o, D + 1)};
    return foi_defect(o, h, &curve, between, &radau_of(o)->defects, worst, outcome);
}

static fo_status matrices(foi_solver *o, double h)
{
    radau *r = radau_of(o);
    if (!r->fresh && !r->keep) {
        fo_status status = foi_matrix_jacobian(o, o->t0, o->x0, o->f0);
        if (status != FO_OK) return status;
        r->fresh = true;
        if (o->look_from) r->radius = foi_matrix_radius(o, row(o, MW));
    }
    foi_complex real = {eigen_gamma / h, 0}, pair = {eigen_alpha / h, eigen_beta / h};
    fo_status status = FO_OK;
    if (!foi_matrix_factored(o, FOI_REAL, real)) status = foi_matrix_factor(o, FOI_REAL, real);
    if (status == FO_OK && !foi_matrix_factored(o, FOI_PAIR, pair))
        status = foi_matrix_factor(o, FOI_PAIR, pair);
    return status;
}

/// Tries a step to t1 = t0 + h. `*next` is the step to take instead when that fails.
static fo_status attempt(foi_solver *o, double h, double t1, foi_outcome *outcome, double *next,
                         uint32_t *worst)
{
    *outcome = FOI_SINGULAR, *next = h * 0.5;
    fo_status status = matrices(o, h);
    if (status != FO_OK) return status == FO_RETRY ? FO_OK : status;
    guess(o, h);
    status = iterate(o, h, t1, outcome, next);
    if (status != FO_OK) return status == FO_RETRY ? FO_OK : status;
    status = estimate(o, h, worst);
    if (status == FO_OK && o->error < 1) status = look_between(o, h, outcome, worst);
    if (status == FO_OK && !isfinite(o->error)) *outcome = FOI_NOT_FINITE;
    return status == FO_RETRY ? FO_OK : status;
}

// ----------------------------------------------------------------------------------- one step

// A simplified iteration with the Jacobian of the step's beginning fails where the rates bend
// within an error of the tolerance: diodes whose currents are as small as that. Now and then it
// always does.
static bool baffled(const foi_solver *o)
{
    enum { MANY = 48 };
    const radau *r = radau_of(o);
    return r->diverged >= MANY && r->diverged >= r->steps;
}

static void count_trial(radau *r, foi_outcome outcome, bool accepted)
{
    enum { WINDOW = 256 };
    if (accepted && ++r->steps > WINDOW) r->steps = 1, r->diverged = 0;
    if (outcome == FOI_DIVERGED) r->diverged++;
}

static void accept(foi_solver *o, double h, double t1, double wanted, double next)
{
    radau *r = radau_of(o);
    collocate(o, P);
    if (r->rejected) next = foi_fmin(next, h);
    // an old J costs an iteration more now and then, of as many evaluations as there are stages
    r->keep = r->rate <= 0.01;
    // a step so little longer is not worth new factors
    if (r->keep && next >= h && next <= 1.2 * h) next = h;
    // a step that was cut to reach the goal says little about the next one
    o->h_next = !r->rejected && h < next ? foi_fmax(next, wanted) : next;
    o->t1 = t1, r->t0 = o->t0, r->h = h;
    r->history = true, r->fresh = false;
    o->counts.steps++;
    foi_trial_calm(o, h, r->radius);
}

/// Tries until a step is accepted.
static fo_status try_steps(foi_solver *o, double goal)
{
    radau *r = radau_of(o);
    double wanted = o->h_next;
    r->rejected = false, r->defects = (foi_defect_trials){0};
    for (int singular = 0;;) {
        double t1, next, h = foi_trial_length(o, wanted, goal, &t1);
        foi_outcome outcome;
        uint32_t worst = 0;
        fo_status status = attempt(o, h, t1, &outcome, &next, &worst);
        if (status != FO_OK) return status;
        bool accepted = outcome == FOI_GOOD && o->error < 1;
        count_trial(r, outcome, accepted);
        if (outcome == FOI_GOOD) {
            double work = (1.0 + 2 * ITERATIONS) / (r->iterations + 2 * ITERATIONS);
            next = foi_controller_step(&r->controller, h, o->error, 0.9 * foi_fmin(1, work),
                                       1.0 / 8, 5, accepted);
        }
        if (accepted) {
            accept(o, h, t1, wanted, next);
            return FO_OK;
        }
        singular = outcome == FOI_SINGULAR ? singular + 1 : 0;
        double tried = singular > FOI_SINGULAR_MAX ? 0 : h;
        status = foi_trial_shorter(o, outcome, tried, &next, worst, row(o, STATE), row(o, D));
        if (status != FO_OK) return status;
        r->rejected = true, r->keep = false, wanted = next; // J is taken here unless it was
    }
}

static fo_status step(foi_solver *o, double goal)
{
    fo_status status = foi_trial_start(o, 3, goal);
    if (status != FO_OK) return status;
    foi_solver_turn(o);
    scale(o);
    status = try_steps(o, goal);
    if (status != FO_OK) foi_solver_unturn(o);
    return status;
}

static fo_status march(foi_solver *o, double attention, double goal)
{
    if (!o->n) return foi_trial_empty(o, goal);
    fo_status status = foi_matrix_resume(o);
    for (uint64_t k = 0; status == FO_OK; k++) {
        if (k > 0 && (k >= o->budget || o->t1 >= attention || o->t1 >= goal || o->calm)) break;
        if (k > 0 && o->look_from && baffled(o)) break;
        status = step(o, goal);
    }
    return status;
}

// The collocation polynomial itself.
static fo_status dense(foi_solver *o)
{
    size_t row_size = o->n * sizeof(double);
    o->degree = STAGES;
    memcpy(o->coefficients, o->x0, row_size);
    for (int j = 1; j <= STAGES; j++)
        memcpy(o->coefficients + (size_t)j * o->n, row(o, P + j - 1), row_size);
    return FO_OK;
}

static const foi_method radau5 = {
    .info = {"radau5", "implicit Runge-Kutta method Radau IIA of order 5, stiff, mass matrices", 5,
             3, FO_ADAPTIVE | FO_STIFF | FO_MASS},
    .size = size,
    .prepare = prepare,
    .begin = begin,
    .march = march,
    .dense = dense,
    .baffled = baffled,
    .sound = foi_matrix_sound,
    .destroy = foi_matrix_destroy,
};

FOI_FAMILY(foi_family_radau, &radau5);
