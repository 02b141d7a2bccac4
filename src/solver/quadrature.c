/// The trapezoidal and Simpson's rule as methods for x' = f(t, x).
///
/// They are the Lobatto IIIA methods with two and three points (Hairer, Wanner II, IV.5), whose
/// equations are not solved but swept a fixed number of times from an explicit predictor, so that
/// every step costs the same. For x' = f(t) one sweep is exact and they are the rules themselves.
#include "solver/stepping.h"

static size_t size(const foi_solver *o)
{
    return 2 * (size_t)o->n; // the middle: x_m, f_m
}

// Predictor x1 = x0 + h f0, of order 1; each sweep x1 = x0 + h (f0 + f(t1, x1))/2 raises the order
// by one, up to 2. The second sweep leaves the order and brings the result nearer to the rule's.
enum { TRAPEZOID_SWEEPS = 2 };

static fo_status trapezoid_step(foi_solver *o, double h, bool lands, bool f0_there)
{
    (void)lands, (void)f0_there;
    const double *x0 = o->x0, *f0 = o->f0;
    double *x1 = o->x1, *f1 = o->f1;
    for (uint32_t i = 0; i < o->n; i++) x1[i] = x0[i] + h * f0[i];
    for (int sweep = 0; sweep < TRAPEZOID_SWEEPS; sweep++) {
        fo_status status = foi_rates(o, o->t1, x1, f1);
        if (status != FO_OK) return status;
        for (uint32_t i = 0; i < o->n; i++) x1[i] = x0[i] + h / 2 * (f0[i] + f1[i]);
    }
    return FO_OK;
}

// Predictor: x_m = x0 + h/2 f0, error h^2; x1 = x0 + h f(x_m), error h^3. Then, each value taken
// as soon as it is there (errors in powers of h):
//   x_m = x0 + h (5 f0 + 8 f_m - f1)/24   from f_m: 2, f1: 3   is 3
//   x1  = x0 + h (f0 + 4 f_m + f1)/6      from f_m: 3, f1: 3   is 4
//   x_m                                   from f_m: 3, f1: 4   is 4
//   x1                                    from f_m: 4, f1: 4   is 5: order 4
// with five evaluations beside f0.
enum { SIMPSON_SWEEPS = 2 };

static fo_status simpson_step(foi_solver *o, double h, bool lands, bool f0_there)
{
    (void)lands, (void)f0_there;
    uint32_t n = o->n;
    const double *x0 = o->x0, *f0 = o->f0;
    double *x1 = o->x1, *f1 = o->f1, *xm = o->own, *fm = xm + n, tm = o->t0 + h / 2;
    for (uint32_t i = 0; i < n; i++) xm[i] = x0[i] + h / 2 * f0[i];
    fo_status status = foi_rates(o, tm, xm, fm);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < n; i++) x1[i] = x0[i] + h * fm[i];
    for (int sweep = 0; sweep < SIMPSON_SWEEPS; sweep++) {
        if ((status = foi_rates(o, o->t1, x1, f1)) != FO_OK) return status;
        for (uint32_t i = 0; i < n; i++) xm[i] = x0[i] + h / 24 * (5 * f0[i] + 8 * fm[i] - f1[i]);
        if ((status = foi_rates(o, tm, xm, fm)) != FO_OK) return status;
        for (uint32_t i = 0; i < n; i++) x1[i] = x0[i] + h / 6 * (f0[i] + 4 * fm[i] + f1[i]);
    }
    return FO_OK;
}

static fo_status march(foi_solver *o, double attention, double goal)
{
    return foi_fixed_march(o, attention, goal, FOI_WANTS_F0,
                           o->method->info.order == 2 ? trapezoid_step : simpson_step);
}

static const foi_method trapezoid = {
    .info = {"trapezoid", "trapezoidal rule in two sweeps, fixed step", 2, 2, FO_FIXED_WORK},
    .size = size,
    .prepare = foi_check_fixed,
    .march = march,
    .dense = foi_dense_cubic,
};

static const foi_method simpson = {
    .info = {"simpson", "Simpson's rule (Lobatto IIIA) in two sweeps, fixed step", 4, 4,
             FO_FIXED_WORK},
    .size = size,
    .prepare = foi_check_fixed,
    .march = march,
    .dense = foi_dense_quartic,
};

FOI_FAMILY(foi_family_lobatto, &trapezoid, &simpson);
