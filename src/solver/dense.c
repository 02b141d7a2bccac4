/// Dense output: every method's step becomes one polynomial in theta, which this file makes
/// (where the method has no better way) and reads; stretch.c bounds it.
#include <string.h>

#include "base/inline.h"
#include "solver/solver.h"

// States and coefficients are written one by one; a vector load of what was just written so waits
// until it has left the store buffer.
#ifndef __clang__
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

static double *row(foi_solver *o, int j)
{
    return o->coefficients + (size_t)j * o->n;
}

fo_status foi_dense_line(foi_solver *o)
{
    o->degree = 1;
    for (uint32_t i = 0; i < o->n; i++) {
        row(o, 0)[i] = o->x0[i];
        row(o, 1)[i] = o->x1[i] - o->x0[i];
    }
    return FO_OK;
}

// Where the rates refuse the end of the step (FO_RETRY: a step may end beyond where the model goes,
// and a moment before that is what is looked for), the slope there is the quadratic's:
// h f1 = 2 D - h f0.
//
// Hermite: x = x0 + h f0 theta + (3 D - 2 h f0 - h f1) theta^2 + (h f0 + h f1 - 2 D) theta^3,
// D = x1 - x0.
fo_status foi_dense_cubic(foi_solver *o)
{
    fo_status status = o->n ? foi_solver_f1(o) : FO_OK; // without states there may be no rates
    if (status != FO_OK && status != FO_RETRY) return status;
    bool refused = status == FO_RETRY;
    double h = o->t1 - o->t0;
    double *restrict c0 = row(o, 0), *restrict c1 = row(o, 1), *restrict c2 = row(o, 2),
                     *restrict c3 = row(o, 3);
    o->degree = 3;
    for (uint32_t i = 0; i < o->n; i++) {
        double a = h * o->f0[i], d = o->x1[i] - o->x0[i];
        double b = refused ? 2 * d - a : h * o->f1[i];
        c0[i] = o->x0[i];
        c1[i] = a;
        c2[i] = 3 * d - 2 * a - b;
        c3[i] = a + b - 2 * d;
    }
    return FO_OK;
}

// Adds w(theta) * (h f(theta_j, x(theta_j)) - x'(theta_j)) / w'(theta_j), where w vanishes with its
// slope at both ends and with its slope at the interior points used before: each such correction
// raises the order by one, because f at the interpolated point is one order better than the
// interpolant's own slope (Enright, Jackson, Norsett, Thomsen, ACM TOMS 12 (1986) 193).
// `w` has the coefficients of theta^0..theta^degree. Where the rates refuse the point (FO_RETRY),
// the interpolant stays as it is.
static fo_status correct(foi_solver *o, double theta, const double *w, int degree)
{
    if (o->n == 0) return FO_OK;
    double h = o->t1 - o->t0, slope = 0;
    for (int j = degree; j >= 1; j--) slope = slope * theta + j * w[j];
    double *f = row(o, FOI_DEGREE_MAX), *dx = row(o, FOI_DEGREE_MAX - 1);
    double *x = row(o, FOI_DEGREE_MAX - 2); // free rows: no interpolant made here reaches them
    foi_dense_at(o, theta, x);
    foi_dense_slope(o, theta, dx);
    fo_status status = foi_rates(o, o->t0 + theta * h, x, f);
    if (status != FO_OK) return status == FO_RETRY ? FO_OK : status;
    if (degree > o->degree) memset(row(o, degree), 0, o->n * sizeof(double));
    o->degree = degree;
    for (uint32_t i = 0; i < o->n; i++) {
        double defect = (h * f[i] - dx[i]) / slope;
        for (int j = 2; j <= degree; j++) row(o, j)[i] += w[j] * defect;
    }
    return FO_OK;
}

fo_status foi_dense_quartic(foi_solver *o)
{
    fo_status status = foi_dense_cubic(o);
    // w = theta^2 (1 - theta)^2; its slope vanishes at 1/2, so the point is taken elsewhere
    static const double w[] = {0, 0, 1, -2, 1};
    return status == FO_OK ? correct(o, 0.25, w, 4) : status;
}

fo_status foi_dense_quintic(foi_solver *o)
{
    fo_status status = foi_dense_cubic(o);
    if (status != FO_OK) return status;
    static const double w4[] = {0, 0, 1, -2, 1};
    // w5 = theta^2 (1 - theta)^2 (theta - r): slope zero at 1/4. w' / (theta (1-theta)) =
    // (2 - 4 theta)(theta - r) + theta (1 - theta) = 0 at 1/4: (1/4 - r) + 3/16 = 0, r = 7/16.
    static const double w5[] = {0, 0, -7.0 / 16, 1 + 14.0 / 16, -2 - 7.0 / 16, 1};
    // Both inner slopes must come from the quartic, so the one at 1/4 is taken again.
    for (int pass = 0; pass < 2; pass++)
        if ((status = correct(o, 0.25, w4, 4)) != FO_OK) return status;
    return correct(o, 0.75, w5, 5);
}

#if defined FOI_SMALL || defined FOI_SANITIZED
#define UNROLL
#elif defined __clang__
#define UNROLL _Pragma("clang loop unroll_count(4)")
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

// Horner's rule for all states at once; with n known at compile time the loops vanish.
FOI_INLINE void horner(const double *c, int degree, uint32_t n, double theta, double *restrict x)
{
    c += (size_t)degree * n;
    for (uint32_t i = 0; i < n; i++) x[i] = c[i];
    UNROLL
    for (int j = degree - 1; j >= 0; j--) {
        c -= n;
        for (uint32_t i = 0; i < n; i++) x[i] = x[i] * theta + c[i];
    }
}

static __attribute__((noinline)) void dense_any(const foi_solver *o, double theta,
                                                double *restrict x)
{
    switch (o->n) {
    case 1: horner(o->coefficients, o->degree, 1, theta, x); break;
    case 2: horner(o->coefficients, o->degree, 2, theta, x); break;
    case 4: horner(o->coefficients, o->degree, 4, theta, x); break;
    default: horner(o->coefficients, o->degree, o->n, theta, x); break;
    }
}

void foi_dense_at(const foi_solver *o, double theta, double *restrict x)
{
    bool inside = theta != 0 && theta != 1;
    if (o->n == 2 && o->degree == 4 && inside) {
        horner(o->coefficients, 4, 2, theta, x);
    } else if (inside) {
        dense_any(o, theta, x);
    } else {
        const double *end = theta == 0 ? o->x0 : o->x1;
        if (o->n == 2) // a call that copies would cost more
            x[0] = end[0], x[1] = end[1];
        else
            memcpy(x, end, o->n * sizeof *x);
    }
}

FOI_INLINE void horner_slope(const double *c, int degree, uint32_t n, double theta,
                             double *restrict dx)
{
    c += (size_t)degree * n;
    for (uint32_t i = 0; i < n; i++) dx[i] = degree * c[i];
    UNROLL
    for (int j = degree - 1; j >= 1; j--) {
        c -= n;
        for (uint32_t i = 0; i < n; i++) dx[i] = dx[i] * theta + j * c[i];
    }
}

void foi_dense_slope(const foi_solver *o, double theta, double *restrict dx)
{
    if (theta == 0 && o->degree > 0)
        for (uint32_t i = 0; i < o->n; i++) dx[i] = o->coefficients[o->n + i];
    else if (o->n == 2 && o->degree == 4)
        horner_slope(o->coefficients, 4, 2, theta, dx);
    else if (o->n == 2)
        horner_slope(o->coefficients, o->degree, 2, theta, dx);
    else
        horner_slope(o->coefficients, o->degree, o->n, theta, dx);
}
