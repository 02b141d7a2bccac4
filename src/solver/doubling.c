/// Euler's method, the trapezoidal and Simpson's rule with steps that follow the error, as jDisco
/// has them. None of them has an estimate of its error inside, so every step is taken twice.
///
/// With order p, one step of length h errs by C h^(p+1) and two of h/2 by C h^(p+1) / 2^p, apart
/// from higher powers (Hairer, Norsett, Wanner I, II.4). So their difference over 2^p - 1 is the
/// error of the halves. It is what the steps are chosen by, and it is taken off: what is carried
/// on has order p + 1, so that errors shrink in proportion to the tolerance.
#include "solver/custom.h"

/// One step of the rule: x1 from x, where f = f(t, x); `w` is the rule's room.
typedef fo_status rule(fo_rates *rates, double t, double h, uint32_t n, const double *x,
                       const double *f, double *x1, double *w);

/// A rule, its order, and how many vectors it works with.
typedef struct ruled {
    rule *step;
    int order;
    size_t work;
} ruled;

// x1 = x + h f
static fo_status euler(fo_rates *rates, double t, double h, uint32_t n, const double *x,
                       const double *f, double *x1, double *w)
{
    (void)rates, (void)t, (void)w;
    for (uint32_t i = 0; i < n; i++) x1[i] = x[i] + h * f[i];
    return FO_OK;
}

// In two sweeps, see quadrature.c.
static fo_status trapezoid(fo_rates *rates, double t, double h, uint32_t n, const double *x,
                           const double *f, double *x1, double *f1)
{
    for (uint32_t i = 0; i < n; i++) x1[i] = x[i] + h * f[i];
    fo_status status = FO_OK;
    for (int sweep = 0; sweep < 2 && status == FO_OK; sweep++) {
        status = fo_rates_at(rates, t + h, x1, f1);
        for (uint32_t i = 0; i < n; i++) x1[i] = x[i] + h / 2 * (f[i] + f1[i]);
    }
    return status;
}

// In two sweeps, see quadrature.c, where the orders are counted.
static fo_status simpson(fo_rates *rates, double t, double h, uint32_t n, const double *x,
                         const double *f, double *x1, double *w)
{
    double *xm = w, *fm = w + n, *f1 = w + 2 * (size_t)n, tm = t + h / 2;
    for (uint32_t i = 0; i < n; i++) xm[i] = x[i] + h / 2 * f[i];
    fo_status status = fo_rates_at(rates, tm, xm, fm);
    for (uint32_t i = 0; i < n; i++) x1[i] = x[i] + h * fm[i];
    for (int sweep = 0; sweep < 2 && status == FO_OK; sweep++) {
        if ((status = fo_rates_at(rates, t + h, x1, f1)) != FO_OK) return status;
        for (uint32_t i = 0; i < n; i++) xm[i] = x[i] + h / 24 * (5 * f[i] + 8 * fm[i] - f1[i]);
        if ((status = fo_rates_at(rates, tm, xm, fm)) != FO_OK) return status;
        for (uint32_t i = 0; i < n; i++) x1[i] = x[i] + h / 6 * (f[i] + 4 * fm[i] + f1[i]);
    }
    return status;
}

enum { WHOLE, MIDDLE, RATES, RULE }; ///< rows of the working room; the rule's own are the last

/// One step and two of half its length, and what their difference says. See above.
static fo_status doubled(void *self, fo_rates *rates, double t, double h, uint32_t n,
                         const double *x, const double *f, double *x1, double *error, double *work)
{
    const ruled *r = self;
    double *whole = work, *middle = work + MIDDLE * (size_t)n, *fm = work + RATES * (size_t)n;
    double *w = work + RULE * (size_t)n, half = h / 2, weight = 1.0 / ((1 << r->order) - 1);
    fo_status status = r->step(rates, t, h, n, x, f, whole, w);
    if (status == FO_OK) status = r->step(rates, t, half, n, x, f, middle, w);
    if (status == FO_OK) status = fo_rates_at(rates, t + half, middle, fm);
    if (status == FO_OK) status = r->step(rates, t + half, half, n, middle, fm, x1, w);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < n; i++) {
        error[i] = (x1[i] - whole[i]) * weight;
        x1[i] += error[i];
    }
    return FO_OK;
}

#define ABOUT(rule) rule " in half steps beside each step, extrapolated"

// The tables are not written to; fo_method's `self` is for those who keep something there.
#define DOUBLED(rule_, p, rows, name, dense_order, dense_)                                  \
    static const ruled rule_##_rule = {rule_, p, rows};                                     \
    static const fo_method rule_##_method = {.info = {name, NULL, (p) + 1, 0, FO_ADAPTIVE}, \
                                             .error_order = (p) + 1,                        \
                                             .work = RULE + (rows),                         \
                                             .self = (void *)&rule_##_rule,                 \
                                             .step = doubled};                              \
    static const foi_method rule_##_adaptive = {                                            \
        .info = {name, ABOUT(#rule_), (p) + 1, dense_order, FO_ADAPTIVE},                   \
        .data = &rule_##_method,                                                            \
        .size = foi_custom_size,                                                            \
        .prepare = foi_custom_prepare,                                                      \
        .begin = foi_custom_begin,                                                          \
        .march = foi_custom_march,                                                          \
        .dense = dense_}

DOUBLED(euler, 1, 0, "euler-adaptive", 3, foi_dense_cubic);
DOUBLED(trapezoid, 2, 1, "trapezoid-adaptive", 3, foi_dense_cubic);
DOUBLED(simpson, 4, 3, "simpson-adaptive", 4, foi_dense_quartic);

FOI_FAMILY(foi_family_doubling, &euler_adaptive, &trapezoid_adaptive, &simpson_adaptive);
