/// Measures the functions' errors against MPFR.
#ifndef TEST_MATH_ACCURACY_H
#define TEST_MATH_ACCURACY_H

#include <mpfr.h>
#include <stdio.h>

#include "math/bounds.h"
#include "points.h"
#include "test.h"
#include "worst.h"

enum { BITS = 160 };

typedef int exact_of_one(mpfr_t to, const mpfr_t x, mpfr_rnd_t how);
typedef int exact_of_two(mpfr_t to, const mpfr_t x, const mpfr_t y, mpfr_rnd_t how);

static inline int exact_lgamma(mpfr_t to, const mpfr_t x, mpfr_rnd_t how)
{
    int sign;
    return mpfr_lgamma(to, &sign, x, how);
}

/// The same order as `subjects`.
static const struct exact {
    exact_of_one *one;
    exact_of_two *two;
} exacts[SUBJECTS] = {
    {mpfr_exp, NULL},  {mpfr_exp2, NULL},  {mpfr_expm1, NULL}, {mpfr_log, NULL},
    {mpfr_log2, NULL}, {mpfr_log10, NULL}, {mpfr_log1p, NULL}, {mpfr_cbrt, NULL},
    {mpfr_sin, NULL},  {mpfr_cos, NULL},   {mpfr_tan, NULL},   {mpfr_asin, NULL},
    {mpfr_acos, NULL}, {mpfr_atan, NULL},  {mpfr_sinh, NULL},  {mpfr_cosh, NULL},
    {mpfr_tanh, NULL}, {mpfr_asinh, NULL}, {mpfr_acosh, NULL}, {mpfr_atanh, NULL},
    {mpfr_erf, NULL},  {mpfr_erfc, NULL},  {mpfr_gamma, NULL}, {exact_lgamma, NULL},
    {NULL, mpfr_pow},  {NULL, mpfr_hypot}, {NULL, mpfr_atan2},
};

/// One measurement: numbers of many bits, and the worst so far.
typedef struct measuring {
    mpfr_t x, y, exact, error;
    double worst, at_x, at_y;
} measuring;

static inline void measuring_open(measuring *m)
{
    mpfr_set_emin(-1400); // so that MPFR's own results do not underflow where doubles do
    mpfr_inits2(BITS, m->x, m->y, m->exact, m->error, (mpfr_ptr)0);
}

static inline void measuring_close(measuring *m)
{
    mpfr_clears(m->x, m->y, m->exact, m->error, (mpfr_ptr)0);
    mpfr_free_cache();
}

/// How far `got` is from the exact result, in units of the last place of that. One that rounds to
/// an infinity or to a NaN must be just that.
static inline double places(measuring *m, double got)
{
    double nearest = mpfr_get_d(m->exact, MPFR_RNDN);
    if (isnan(nearest) || isnan(got)) return isnan(nearest) && isnan(got) ? 0 : INFINITY;
    if (isinf(nearest) || isinf(got)) return nearest == got ? 0 : INFINITY;
    int e;
    frexp(mpfr_get_d(m->exact, MPFR_RNDZ), &e);
    if (nearest == 0 || e < -1021) e = -1021;
    mpfr_set_d(m->error, got, MPFR_RNDN);
    mpfr_sub(m->error, m->error, m->exact, MPFR_RNDN);
    mpfr_mul_2si(m->error, m->error, 53 - e, MPFR_RNDN);
    return fabs(mpfr_get_d(m->error, MPFR_RNDN));
}

static inline void measure(measuring *m, size_t which, double x, double y)
{
    const subject *s = &subjects[which];
    mpfr_set_d(m->x, x, MPFR_RNDN);
    mpfr_set_d(m->y, y, MPFR_RNDN);
    if (s->one)
        exacts[which].one(m->exact, m->x, MPFR_RNDN);
    else
        exacts[which].two(m->exact, m->x, m->y, MPFR_RNDN);
    double got = s->one ? s->one(x) : s->two(x, y), error = places(m, got);
    if (error > m->worst) m->worst = error, m->at_x = x, m->at_y = y;
    // as many steps outwards as bounds.h says enclose the exact value
    int steps = s->most < 1 ? FOI_STEPS_FINE : FOI_STEPS;
    if (error <= s->most && !mpfr_nan_p(m->exact) &&
        (mpfr_cmp_d(m->exact, foi_below(got, steps)) < 0 ||
         mpfr_cmp_d(m->exact, foi_above(got, steps)) > 0))
        test_fail(__FILE__, __LINE__, "%s(%a, %a) is not beside %a", s->name, x, y, got);
}

/// So many points in each range, and the hard ones. False, with a failure, beyond the promise.
static inline double measure_subject(measuring *m, size_t which, long count)
{
    const subject *s = &subjects[which];
    uint64_t state = 88172645463325252u + which;
    bool slow = strstr(s->name, "gamma") || strcmp(s->name, "erfc") == 0; // in MPFR
    m->worst = 0;
    for (int k = 0; k < RANGES && has_width(s->first[k]); k++)
        for (long i = 0; i < (slow ? count / 10 : count); i++) {
            double x = draw(&state, s->first[k]);
            measure(m, which, x, s->two ? draw(&state, s->second[k]) : 0);
        }
    // to the left of 0 the error of lgamma is bounded otherwise
    bool positive = strcmp(s->name, "lgamma") == 0;
    for (int i = 0; i < HARD_POINTS; i++)
        for (int sign = 1; sign >= (positive ? 1 : -1); sign -= 2) {
            if (s->one) measure(m, which, sign * hard_points[i], 0);
            for (int k = 0; s->two && k < HARD_POINTS; k++)
                measure(m, which, sign * hard_points[i], hard_points[k]);
        }
    for (int i = 0; i < WORST_CASES; i++)
        if (strcmp(worst_cases[i].name, s->name) == 0) {
            measure(m, which, worst_cases[i].x, worst_cases[i].y);
            // it is one: the correctly rounded result is half a place off, or not at all
            double off = places(m, mpfr_get_d(m->exact, MPFR_RNDN));
            if (!(off > 0.499999 || off < 1e-9))
                test_fail(__FILE__, __LINE__, "%s %d: %g", s->name, i, off);
        }
    if (!(m->worst <= s->most))
        test_fail(__FILE__, __LINE__,
                  "%s(%a, %a): %.4f in the last place, at most %.2f are promised", s->name, m->at_x,
                  m->at_y, m->worst, s->most);
    return m->worst;
}

/// lgamma to the left of 0: the bound that math.h gives.
static inline void measure_left_lgamma(measuring *m, long count)
{
    static const double zeros[] = {-2.4570247382208006, -2.7476826467274127, -3.1435808883499798,
                                   -3.9552942848585979};
    uint64_t state = 4711;
    for (long i = 0; i < count; i++) {
        double x = draw(&state, (range){EVEN, i % 2 ? -4 : -100, 0});
        if (i % 3 == 0) // beside the zeros
            x = zeros[i % 4] * (1 + (i % 2 ? 1e-3 : 1e-12) * (draw_unit(&state) - 0.5));
        int sign;
        mpfr_set_d(m->x, x, MPFR_RNDN);
        mpfr_lgamma(m->exact, &sign, m->x, MPFR_RNDN);
        double got = foi_lgamma(x), error = places(m, got);
        mpfr_sub_d(m->error, m->exact, got, MPFR_RNDN);
        double off = fabs(mpfr_get_d(m->error, MPFR_RNDN)), scale = fabs(lgamma(1 - x));
        if (error > 1 && off > FOI_LGAMMA_ABSOLUTE * (scale > 1 ? scale : 1))
            test_fail(__FILE__, __LINE__, "lgamma(%a): off by %g", x, off);
    }
}

#endif
