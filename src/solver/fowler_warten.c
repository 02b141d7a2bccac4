/// A method after Fowler and Warten: explicit, one step, fitted to an exponential in each state.
///
/// M. E. Fowler, R. M. Warten: A numerical integration technique for ordinary differential
/// equations with widely separated eigenvalues, IBM J. Res. Dev. 11 (1967) 537. Theirs is the
/// idea: each state is taken for a slow part with slope s and a fast one that decays with rate
/// lambda,
///   x(t0 + tau) = x0 + s tau + d1 (exp(lambda tau) - 1)/lambda,  d1 = f0 - s,
/// whose curvature is measured with a small Euler step e, d2 = (f(t0 + e, x0 + e f0) - f0)/e =
/// lambda d1, and a polynomial of second order is used where lambda is not negative. Common
/// implementations find lambda = d2/d1 with the last step's secant for s. On the slow curve that
/// gives errors eps_(n+1) = eps_n - eps_(n-1), which do not die out and grow when steps do. So
/// here, and this is ours, lambda is measured as a difference of slopes over a difference of x, at
/// one time:
///   lambda = (f(t, x + delta) - f(t, x))/delta
/// with the last step's error estimate for delta: that lies where the fast parts are. An estimate
/// counts when it is negative and within a factor 2 of the one before, otherwise lambda = 0. The
/// estimate is renewed in the first steps, after every step that failed, and in every eighth step.
/// With s = f0 - d2/lambda the curve, its slope and the step are, z = h lambda,
///   x(t0 + tau) = x0 + tau f0 + tau^2 phi2(lambda tau) d2,  x' = f0 + tau phi1(lambda tau) d2
///   x1 = x0 + h f0 + h^2 phi2(z) d2
/// phi1 = (exp(z) - 1)/z, phi2 = (phi1 - 1)/z, phi3 = (phi2 - 1/2)/z. The order is 2 whatever
/// lambda is. On x' = lambda (x - g(t)) + g'(t) with the right lambda the step is stable for every
/// h. That holds as far as each state has its own eigenvalue: states that are coupled stiffly to
/// each other need an implicit method.
///
/// The error: the residual r(tau) = f(t0 + tau, x(t0 + tau)) - x'(t0 + tau) vanishes with its slope
/// at tau = 0; with r = r1 (tau/h)^2 and error' = lambda error + r it is error(h) = 2 h phi3(z) r1,
/// r1 = f1 - x'(t0 + h). (h r1 itself would be h |lambda| times too strict on stiff states.) A fast
/// part that is larger than 10 tolerances is followed, with z >= -8 in each step, so that the dense
/// output can show it.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/stepping.h"

enum {
    NODES = FOI_DEGREE_MAX + 1, ///< of the dense output's exponential
    RENEWAL = 8,                ///< steps between estimates of lambda
    FIRST = 3,                  ///< steps after a start that all estimate it
    SMALL = 64,                 ///< e = h / 64
    RESOLVED = 8,               ///< largest -z of a fast part that is followed
    LARGE = 10,                 ///< tolerances
};

/// The private part of the block: these numbers, then the rows.
typedef struct fitted {
    double t;     ///< end of the last step: all this belongs to it
    double steps; ///< since the start; 0: nothing is known
    double old;   ///< steps since the last estimate of lambda
    double h;     ///< length of the last step
} fitted;
enum { NUMBERS = sizeof(fitted) / sizeof(double) };
enum { LAMBDA, LATEST, CURVATURE, ERROR, PROBE, PROBE_RATES, ROWS };

static fitted *fitted_of(foi_solver *o)
{
    return (fitted *)(void *)o->own;
}

static double *row(foi_solver *o, int which)
{
    return o->own + NUMBERS + (size_t)which * o->n;
}

static size_t size(const foi_solver *o)
{
    return NUMBERS + (size_t)ROWS * o->n;
}

static fo_status begin(foi_solver *o, foi_begin how)
{
    fitted_of(o)->steps = 0;
    if (how == FOI_COLD) o->h_next = 0;
    return FO_OK;
}

// phi_k(z) = sum over j of z^j / (j + k)!, k = 1, 2, 3; the sum where the closed form loses digits.
static double phi(int k, double z)
{
    static const double first[] = {1, 1, 1.0 / 2, 1.0 / 6}; // 1 / k!
    if (z == 0) return first[k];
    if (z < -1) {
        double value = foi_expm1(z) / z;
        for (int j = 1; j < k; j++) value = (value - first[j]) / z;
        return value;
    }
    double sum = 0;
    for (int j = 18; j > k; j--) sum = (sum + 1) * z / j;
    return (sum + 1) * first[k];
}

// Estimates lambda at (t, x) where the rates are f, with delta = the error in ERROR. States whose
// delta is lost in rounding keep what they have.
static fo_status estimate(foi_solver *o, double t, const double *x, const double *f)
{
    const double *delta = row(o, ERROR);
    double *z = row(o, PROBE), *fz = row(o, PROBE_RATES);
    double *lambda = row(o, LAMBDA), *latest = row(o, LATEST);
    for (uint32_t i = 0; i < o->n; i++) z[i] = x[i] + delta[i];
    fo_status status = foi_rates(o, t, z, fz);
    if (status != FO_OK) return status == FO_RETRY ? FO_OK : status;
    for (uint32_t i = 0; i < o->n; i++) {
        if (!(fabs(delta[i]) > 1e4 * DBL_EPSILON * fabs(x[i]))) continue;
        double l = (fz[i] - f[i]) / delta[i];
        bool counts = l < 0 && l > 2 * latest[i] && l < latest[i] / 2;
        lambda[i] = counts ? l : 0;
        latest[i] = isfinite(l) ? l : 0;
    }
    fitted_of(o)->old = 0;
    return FO_OK;
}

/// The longest step that still follows every large fast part, which is d1/lambda = d2/lambda^2.
static double resolved_step(foi_solver *o, double h)
{
    const double *lambda = row(o, LAMBDA), *d2 = row(o, CURVATURE);
    for (uint32_t i = 0; i < o->n; i++) {
        if (!(h * lambda[i] < -RESOLVED)) continue;
        double part = d2[i] / (lambda[i] * lambda[i]);
        if (fabs(part) > LARGE * (o->atol + o->rtol * fabs(o->x0[i]))) h = -RESOLVED / lambda[i];
    }
    return h;
}

// d2 from the small Euler step.
static fo_status measure_curvature(foi_solver *o, double h)
{
    double e = h / SMALL, *z = row(o, PROBE), *d2 = row(o, CURVATURE);
    for (uint32_t i = 0; i < o->n; i++) z[i] = o->x0[i] + e * o->f0[i];
    fo_status status = foi_rates(o, o->t0 + e, z, d2);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) d2[i] = (d2[i] - o->f0[i]) / e;
    return FO_OK;
}

// One try of a step of length *h to `end`; it may become shorter. x1, f1 and the error are then
// there. FO_RETRY: it could not be done, and *bad says whether because of numbers not finite.
static fo_status try_step(foi_solver *o, double *h, double end, bool *bad)
{
    const double *lambda = row(o, LAMBDA), *d2 = row(o, CURVATURE);
    double *error = row(o, ERROR);
    *bad = false;
    fo_status status = measure_curvature(o, *h);
    if (status != FO_OK) return status;
    double shorter = resolved_step(o, *h);
    o->t1 = shorter < *h ? o->t0 + shorter : end;
    *h = o->t1 - o->t0;
    for (uint32_t i = 0; i < o->n; i++)
        o->x1[i] = o->x0[i] + *h * (o->f0[i] + *h * phi(2, *h * lambda[i]) * d2[i]);
    if ((status = foi_rates(o, o->t1, o->x1, o->f1)) != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) {
        double z = *h * lambda[i], slope = o->f0[i] + *h * phi(1, z) * d2[i];
        error[i] = 2 * *h * phi(3, z) * (o->f1[i] - slope);
    }
    *bad = !foi_finite(o->x1, o->n) || !foi_finite(o->f1, o->n) || !foi_finite(d2, o->n);
    return *bad ? FO_RETRY : FO_OK;
}

static fo_status give_up(foi_solver *o, double h, fo_status status, bool bad, uint32_t worst)
{
    if (bad) return foi_not_finite(o, o->t1, o->x1, o->f1);
    if (status == FO_RETRY) return foi_refused(o, o->t0, status);
    return foi_step_too_small(o, h, o->error, worst);
}

static void accept(foi_solver *o, double h)
{
    fitted *b = fitted_of(o);
    b->t = o->t1, b->h = h;
    b->steps++, b->old++;
    o->f1_valid = true;
    o->counts.steps++;
}

/// The step within its limits, and the time it ends at; the last two before the goal are equal.
static double limited(const foi_solver *o, double goal, double *end)
{
    double span = goal - o->t1, h = foi_fmax(o->h_next, foi_least_step(o, o->t1));
    if (o->max_step > 0) h = foi_fmin(h, o->max_step);
    if (h >= span * (1 - 1e-9)) {
        *end = goal;
        return span;
    }
    if (2 * h > span) h = span / 2;
    *end = o->t1 + h;
    return h;
}

/// Takes one accepted step. On a failure the last good point stands again.
static fo_status advance(foi_solver *o, double goal)
{
    const fitted *b = fitted_of(o);
    fo_status status = FO_OK;
    if (b->steps > 0 && (b->steps <= FIRST || b->old >= RENEWAL))
        if ((status = estimate(o, o->t1, o->x1, o->f1)) != FO_OK) return status;
    double wanted = o->h_next, end, h = limited(o, goal, &end), largest = 5;
    double strict = foi_strictness(o->rtol, 3);
    foi_solver_turn(o);
    for (;;) {
        uint32_t worst = 0;
        bool bad;
        double tried = h, error = INFINITY;
        status = try_step(o, &h, end, &bad);
        if (status == FO_OK)
            o->error = error = foi_error_norm(o, row(o, ERROR), o->x0, o->x1, &worst) / strict;
        double factor = foi_fmax(0.2, foi_fmin(largest, 0.9 / foi_cbrt(error)));
        if (error <= 1) {
            accept(o, h);
            o->h_next = h * factor;
            // a step that was shortened to land says nothing against the step that was wanted
            if (largest > 1 && factor >= 1 && tried == h) o->h_next = foi_fmax(o->h_next, wanted);
            return FO_OK;
        }
        if (status == FO_OK) status = estimate(o, o->t1, o->x1, o->f1);
        if (status == FO_OK || status == FO_RETRY) {
            o->counts.rejected++;
            largest = 1;
            double least = foi_least_step(o, o->t0);
            tried = h;
            h = foi_fmax(h * foi_fmin(factor, 0.9), least);
            end = o->t0 + h;
            if (tried > 1.1 * least) continue; // h is as t1 - t0 rounds it
            status = give_up(o, h, status, bad, worst);
        }
        foi_solver_unturn(o);
        return status;
    }
}

static fo_status march(foi_solver *o, double attention, double goal)
{
    fitted *b = fitted_of(o);
    if (o->n == 0) {
        foi_solver_turn(o);
        o->t1 = goal;
        o->counts.steps++;
        return FO_OK;
    }
    if (b->steps == 0 || b->t != o->t1) { // the past is void
        b->steps = b->old = 0;
        memset(row(o, LAMBDA), 0, 2 * (size_t)o->n * sizeof(double)); // and LATEST
    }
    fo_status status = FO_OK;
    if (!(o->h_next > 0)) status = foi_first_step(o, 2, goal, &o->h_next);
    if (status == FO_OK) status = foi_solver_f1(o);
    if (status != FO_OK) return foi_refused(o, o->t1, status);
    if (!foi_finite(o->f1, o->n)) return foi_not_finite(o, o->t1, o->x1, o->f1);
    uint64_t done = 0;
    do {
        if ((status = advance(o, goal)) != FO_OK) return status;
    } while (++done < o->budget && o->t1 < attention && o->t1 < goal);
    return FO_OK;
}

// The coefficients of theta^0..theta^13 of the polynomial that equals exp(z theta) at the nodes,
// the Chebyshev points of [0, 1]: Newton's divided differences, then Horner. For z >= -8 it is
// exact to 1e-8. For small z the series, which keeps its digits where exp(z theta) - 1 is small.
static void exponential(double z, const double *node, double *c)
{
    double d[NODES];
    c[0] = 1;
    for (int j = 1; j < NODES; j++) c[j] = c[j - 1] * z / j;
    if (z > -1) return;
    for (int j = 0; j < NODES; j++) d[j] = foi_exp(z * node[j]);
    for (int m = 1; m < NODES; m++)
        for (int j = NODES - 1; j >= m; j--) d[j] = (d[j] - d[j - 1]) / (node[j] - node[j - m]);
    memset(c, 0, NODES * sizeof(double));
    for (int j = NODES - 1; j >= 0; j--) {
        for (int m = NODES - 1; m > 0; m--) c[m] = c[m - 1] - node[j] * c[m];
        c[0] = d[j] - node[j] * c[0];
    }
}

// With lambda < 0 the method's own curve, x0 + s h theta + (x1 - x0 - s h) w(theta),
// w = (exp(z theta) - 1)/(exp(z) - 1), z not below -8: a faster part is smaller than LARGE
// tolerances. Otherwise the cubic through x0, f0, x1, f1.
static fo_status dense(foi_solver *o)
{
    const fitted *b = fitted_of(o);
    fo_status status = foi_dense_cubic(o);
    if (status != FO_OK) return status;
    uint32_t n = o->n;
    const double *lambda = row(o, LAMBDA), *d2 = row(o, CURVATURE);
    double c[NODES], node[NODES], *to = o->coefficients;
    for (int j = 0; j < NODES; j++) node[j] = 0.5 - 0.5 * foi_cos(foi_acos(-1) * (j + 0.5) / NODES);
    for (uint32_t i = 0; i < n; i++) {
        if (!(b->h * lambda[i] < -1e-3)) continue;
        if (o->degree == 3) memset(to + 4 * (size_t)n, 0, (NODES - 4) * (size_t)n * sizeof(double));
        o->degree = NODES - 1;
        double slow = b->h * (o->f0[i] - d2[i] / lambda[i]), fast = o->x1[i] - o->x0[i] - slow;
        double sum = 0;
        exponential(foi_fmax(b->h * lambda[i], -RESOLVED), node, c);
        for (int j = 1; j < NODES; j++) sum += c[j];
        for (int j = 1; j < NODES; j++) to[(size_t)j * n + i] = fast * (c[j] / sum);
        to[(size_t)n + i] += slow;
    }
    return FO_OK;
}

static const foi_method fowler_warten = {
    .info =
        {"fowler-warten",
         "after Fowler and Warten: explicit, fitted to exponentials; for fast states that are not "
         "coupled to each other",
         2, 2, FO_ADAPTIVE},
    .size = size,
    .begin = begin,
    .march = march,
    .dense = dense,
    .loose = true,
};

FOI_FAMILY(foi_family_fowler, &fowler_warten);
