/// The method of Fowler and Warten: explicit, one step, fitted to an exponential in each state.
///
/// M. E. Fowler, R. M. Warten: A numerical integration technique for ordinary differential
/// equations with widely separated eigenvalues, IBM J. Res. Dev. 11 (1967) 537. Each state is
/// taken for a slow part with slope s and a fast one that decays with rate lambda:
///   x(t0 + tau) = x0 + s tau + d1 (exp(lambda tau) - 1)/lambda
/// From the paper:
///   s      = (x0 - x_before)/h_before, the secant of the last step; 0 after a start
///   d1     = f0 - s
///   d2     = (f(t0 + e, x0 + e f0) - f0)/e, from a small Euler step e
///   lambda = d2/d1
///   lambda < 0:  x1 = x0 + h (s + phi1(z) d1), z = h lambda, phi1(z) = (exp(z) - 1)/z
///   otherwise:   x1 = x0 + h f0 + h^2/2 d2
/// On a smooth solution s lags by half a step, so that d1 = h/2 x'' and d2 = x'' have the same sign
/// and the second formula is used; where they have not, d1 is O(h^2) and the two formulas differ by
/// O(h^3). The order is 2. Where a state falls quickly onto a slow curve, lambda is its eigenvalue,
/// and the step is stable for every h. That holds as far as each state has its own eigenvalue:
/// states that are coupled stiffly to each other need an implicit method.
///
/// Ours, because what we know of the paper leaves it open or does it more coarsely:
/// - e = h/64.
/// - The error. The residual r(tau) = f(t0 + tau, x(t0 + tau)) - x'(t0 + tau) vanishes with its
/// slope
///   at tau = 0; with r = r1 (tau/h)^2 and error' = lambda error + r it is error(h) = 2 h phi3(z)
///   r1, r1 = f1 - (s + exp(z) d1), or f1 - (f0 + h d2) with z = 0 and 2 phi3 = 1/3. (The paper
///   compares h r1 with the tolerance, which is h |lambda| times too strict on stiff states.) Steps
///   follow from it by 0.9 error^(-1/3) instead of halving and doubling.
/// - A state whose lambda comes out as not negative in one step, although it was stiff (z < -1) in
///   the step before, keeps its lambda once: near a turn of the slow curve d1 and d2 are both small
///   and their ratio says nothing.
/// - A fast part that is larger than 10 tolerances is followed, with z >= -8 in each step, so
///   that the dense output can show it.
#include <math.h>
#include <string.h>

#include "solver/stepping.h"

enum {
    NODES = FOI_DEGREE_MAX + 1, ///< of the dense output's exponential
    RESOLVED = 8,               ///< largest -z of a fast part that is followed
    LARGE = 10,                 ///< tolerances
};

/// The private part of the block: these numbers, then six rows.
typedef struct fitted {
    double t;        ///< end of the last step: x_before and lambda belong to it
    double h_before; ///< 0: there was no step before
    double h;        ///< length of the last step
} fitted;
enum { NUMBERS = sizeof(fitted) / sizeof(double) };
enum { BEFORE, SLOPE, LAMBDA, LAMBDA_OLD, SECOND, WORK, ROWS };

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
    fitted *b = fitted_of(o);
    b->h_before = 0;
    if (how == FOI_COLD) o->h_next = 0;
    return FO_OK;
}

static double phi1(double z)
{
    return z == 0 ? 1 : expm1(z) / z;
}

// phi3(z) = (phi2(z) - 1/2)/z, phi2 = (phi1 - 1)/z; its series 1/6 + z/24 + ... where that cancels.
static double phi3(double z)
{
    if (z < -1) return ((phi1(z) - 1) / z - 0.5) / z;
    double sum = 0;
    for (int j = 18; j >= 3; j--) sum = (sum * z + 1) / j;
    return sum / 2;
}

// The slope s of the slow part and lambda, which is zero where the second formula is to be used.
static void fit(foi_solver *o, double h)
{
    const fitted *b = fitted_of(o);
    const double *before = row(o, BEFORE), *old = row(o, LAMBDA_OLD), *d2 = row(o, SECOND);
    double *s = row(o, SLOPE), *lambda = row(o, LAMBDA);
    for (uint32_t i = 0; i < o->n; i++) {
        s[i] = b->h_before > 0 ? (o->x0[i] - before[i]) / b->h_before : 0;
        double d1 = o->f0[i] - s[i], l = d2[i] / d1;
        bool falls = l < 0 && l > -INFINITY;
        lambda[i] = falls ? l : h * old[i] < -1 ? old[i] : 0;
    }
}

/// The longest step that still follows every large fast part.
static double resolved_step(foi_solver *o, double h)
{
    const double *s = row(o, SLOPE), *lambda = row(o, LAMBDA);
    for (uint32_t i = 0; i < o->n; i++) {
        if (!(h * lambda[i] < -RESOLVED)) continue;
        double part = (o->f0[i] - s[i]) / lambda[i];
        if (fabs(part) > LARGE * (o->atol + o->rtol * fabs(o->x0[i]))) h = -RESOLVED / lambda[i];
    }
    return h;
}

// x1, the rates there, and the error of the step in WORK.
static fo_status attempt(foi_solver *o, double h)
{
    const double *s = row(o, SLOPE), *lambda = row(o, LAMBDA), *d2 = row(o, SECOND);
    double *e = row(o, WORK);
    for (uint32_t i = 0; i < o->n; i++) {
        double z = h * lambda[i], d1 = o->f0[i] - s[i];
        o->x1[i] =
            o->x0[i] + (z < 0 ? h * (s[i] + phi1(z) * d1) : h * o->f0[i] + h * h / 2 * d2[i]);
    }
    fo_status status = foi_rates(o, o->t1, o->x1, o->f1);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) {
        double z = h * lambda[i], d1 = o->f0[i] - s[i];
        double expected = z < 0 ? s[i] + exp(z) * d1 : o->f0[i] + h * d2[i];
        e[i] = 2 * h * phi3(z) * (o->f1[i] - expected);
    }
    return FO_OK;
}

// One try of a step of length *h, which may become shorter: the small Euler step, the fit, the
// step. FO_RETRY: it could not be done, and *bad says whether because of numbers not finite.
static fo_status try_step(foi_solver *o, double *h, double end, bool *bad)
{
    double small = *h / 64, *z = row(o, WORK), *d2 = row(o, SECOND);
    *bad = false;
    for (uint32_t i = 0; i < o->n; i++) z[i] = o->x0[i] + small * o->f0[i];
    fo_status status = foi_rates(o, o->t0 + small, z, d2);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) d2[i] = (d2[i] - o->f0[i]) / small;
    fit(o, *h);
    double shorter = resolved_step(o, *h);
    o->t1 = shorter < *h ? o->t0 + shorter : end;
    *h = o->t1 - o->t0;
    if ((status = attempt(o, *h)) != FO_OK) return status;
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
    memcpy(row(o, BEFORE), o->x0, o->n * sizeof(double));
    memcpy(row(o, LAMBDA_OLD), row(o, LAMBDA), o->n * sizeof(double));
    b->h_before = b->h = h, b->t = o->t1;
    o->f1_valid = true;
    o->counts.steps++;
}

/// Takes one accepted step. On a failure the last good point stands again.
static fo_status advance(foi_solver *o, double goal)
{
    double wanted = o->h_next, span = goal - o->t1, h = wanted;
    if (o->max_step > 0) h = fmin(h, o->max_step);
    bool lands = h >= span * (1 - 1e-9), bad, failed = false;
    if (lands)
        h = span;
    else if (2 * h > span)
        h = span / 2;
    double end = lands ? goal : o->t1 + h;
    foi_solver_turn(o);
    for (;;) {
        uint32_t worst = 0;
        double tried = h;
        fo_status status = try_step(o, &h, end, &bad);
        double error =
            status == FO_OK ? foi_error_norm(o, row(o, WORK), o->x0, o->x1, &worst) : INFINITY;
        if (status == FO_OK) o->error = error;
        double factor = fmax(0.2, fmin(5, 0.9 / cbrt(error)));
        if (error <= 1) {
            accept(o, h);
            o->h_next = h * (failed ? fmin(factor, 1) : factor);
            if (!failed && factor >= 1 && tried == h) o->h_next = fmax(o->h_next, wanted);
            return FO_OK;
        }
        if (status == FO_OK || status == FO_RETRY) {
            failed = true;
            o->counts.rejected++;
            h *= fmin(factor, 0.9);
            end = o->t0 + h;
            if (h >= foi_least_step(o, o->t0)) continue;
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
    if (b->h_before == 0 || b->t != o->t1) { // the past is void
        b->h_before = 0;
        memset(row(o, LAMBDA_OLD), 0, o->n * sizeof(double));
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

// The coefficients of theta^0..theta^13 of the polynomial that equals exp(z theta) at the Chebyshev
// points of [0, 1]: Newton's divided differences, then Horner. For z >= -8 it is exact to 1e-8. For
// small z the series, which keeps its digits where exp(z theta) - 1 is small.
static void exponential(double z, double *c)
{
    double node[NODES], d[NODES];
    c[0] = 1;
    for (int j = 1; j < NODES; j++) c[j] = c[j - 1] * z / j;
    if (z > -1) return;
    for (int j = 0; j < NODES; j++) {
        node[j] = 0.5 - 0.5 * cos(acos(-1) * (j + 0.5) / NODES);
        d[j] = exp(z * node[j]);
    }
    for (int m = 1; m < NODES; m++)
        for (int j = NODES - 1; j >= m; j--) d[j] = (d[j] - d[j - 1]) / (node[j] - node[j - m]);
    memset(c, 0, NODES * sizeof(double));
    for (int j = NODES - 1; j >= 0; j--) {
        for (int m = NODES - 1; m > 0; m--) c[m] = c[m - 1] - node[j] * c[m];
        c[0] = d[j] - node[j] * c[0];
    }
}

// With z < 0 the method's own curve, x0 + s h theta + (x1 - x0 - s h) w(theta),
// w = (exp(z theta) - 1)/(exp(z) - 1), z not below -8: a faster part is smaller than LARGE
// tolerances. Otherwise the cubic through x0, f0, x1, f1.
static fo_status dense(foi_solver *o)
{
    const fitted *b = fitted_of(o);
    fo_status status = foi_dense_cubic(o);
    if (status != FO_OK || o->n == 0 || b->t != o->t1) return status; // a cut step stays cubic
    uint32_t n = o->n;
    const double *s = row(o, SLOPE), *lambda = row(o, LAMBDA);
    double c[NODES], *to = o->coefficients;
    for (uint32_t i = 0; i < n; i++) {
        if (!(lambda[i] < 0)) continue;
        if (o->degree == 3) memset(to + 4 * (size_t)n, 0, (NODES - 4) * (size_t)n * sizeof(double));
        o->degree = NODES - 1;
        double slow = s[i] * b->h, fast = o->x1[i] - o->x0[i] - slow, sum = 0;
        exponential(fmax(b->h * lambda[i], -RESOLVED), c);
        for (int j = 1; j < NODES; j++) sum += c[j];
        for (int j = 1; j < NODES; j++) to[(size_t)j * n + i] = sum != 0 ? fast * (c[j] / sum) : 0;
        to[(size_t)n + i] += sum != 0 ? slow : slow + fast;
    }
    return FO_OK;
}

static const foi_method fowler_warten = {
    .info = {"fowler-warten",
             "Fowler and Warten: explicit, fitted to exponentials; for fast states that are not "
             "coupled to each other",
             2, 2, FO_ADAPTIVE},
    .size = size,
    .begin = begin,
    .march = march,
    .dense = dense,
};

FOI_FAMILY(foi_family_fowler, &fowler_warten);
