/// Enclosures of the dense output over a part of a step.
///
/// Exactly, the solution on a step is the curve t(theta) = t0 + theta (t1 - t0) and p(theta) = sum
/// c_j theta^j in real numbers. What is computed at theta lies beside it. Bounds hold both.
///
/// With Taylor coefficients q_j at the middle m and the radius r,
///
///     p(theta) in q_0 +- (|q_1| r + |q_2| r^2 + ...),    p'(theta) in q_1 +- (2 |q_2| r + ...),
///
/// which is of second order in r but for the linear term that is really there. With d the degree, u
/// = 2^-53 and P(y) = sum over j >= 1 of |c_j| y^j, y >= |m| + r, the roundings on the way are:
///
/// - each q_j goes through at most 2 d operations, so that all of them together change the
///   enclosure by at most 2 d u P, and q_0 by u |c_0| more;
/// - the sum of the |q_j| r^j is at most P, and wrong by (2 d + 2) u of it;
/// - the last two sums: 2 u (|c_0| + 2 P);
/// - foi_dense_at (Horner's rule) errs by 2 d u P + u (|c_0| + P).
///
/// Together (6 d + 7) u P + 4 u |c_0|; taken is (8 d + 16) u P + 5 u |c_0|, and something for
/// underflow. Nothing of this where all c_j but c_0 are zero: what rests stays exact. The same
/// holds for p' with P'(y) = sum over j >= 2 of j |c_j| y^(j-1) and c_1.
///
/// The ends are what the method says, x0 and x1, and may lie beside the polynomial.
#include <float.h>
#include <math.h>

#include "solver/solver.h"

/// One state's polynomial over [m - r, m + r].
typedef struct piece {
    double q[FOI_DEGREE_MAX + 1];
    int degree;
    double c0, c1;
    double size, steep; ///< P(y) and P'(y)
    bool moves, bends;  ///< some c_j, j >= 1, is not zero; some with j >= 2
} piece;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// The polynomial's Taylor coefficients at m by Horner's rule again and again.
static void expand(piece *p, const foi_solver *o, uint32_t i, double m, double y)
{
    const double *c = o->coefficients + i;
    double *q = p->q, sum = 0;
    int d = p->degree = o->degree;
    for (int j = 0; j <= d; j++) q[j] = c[(size_t)j * o->n];
    p->c0 = c[0], p->c1 = d ? c[o->n] : 0;
    p->size = p->steep = 0;
    for (int j = d; j >= 1; j--) {
        p->size = (p->size + fabs(q[j])) * y;
        if (j >= 2) p->steep = (p->steep + j * fabs(q[j])) * y, sum += fabs(q[j]);
    }
    p->bends = sum != 0, p->moves = p->bends || p->c1 != 0;
    for (int j = 0; j < d; j++)
        for (int k = d - 1; k >= j; k--) q[k] += m * q[k + 1];
}

static double rounding(const piece *p, double size, double first)
{
    int d = p->degree;
    return (4 * d + 8) * DBL_EPSILON * size + 2.5 * DBL_EPSILON * fabs(first) +
           4 * (d + 1) * (d + 1) * 0x1p-1074;
}

static void put(const fo_bounds *b, uint32_t i, double middle, double spread, double slack)
{
    double lo = middle - spread - slack, hi = middle + spread + slack;
    bool good = lo <= hi;
    b->lo[i] = good ? lo : -INFINITY, b->hi[i] = good ? hi : INFINITY;
}

static void put_slope(const fo_bounds *dx, uint32_t i, const piece *p, double r)
{
    double spread = 0;
    for (int j = p->degree; j >= 2; j--) spread = (spread + j * fabs(p->q[j])) * r;
    put(dx, i, p->degree ? p->q[1] : 0, spread, p->bends ? rounding(p, p->steep, p->c1) : 0);
}

// How far the method's value at an end of the step is from the polynomial there.
static double gap(double polynomial, double value, double slack)
{
    double off = fabs(value - polynomial) * (1 + DBL_EPSILON);
    return off == 0 && slack == 0 ? 0 : off + slack;
}

static double sum_of(const foi_solver *o, uint32_t i)
{
    double sum = o->coefficients[(size_t)o->degree * o->n + i];
    for (int j = o->degree - 1; j >= 0; j--) sum += o->coefficients[(size_t)j * o->n + i];
    return sum;
}

static void hold(const fo_bounds *x, uint32_t i, double value)
{
    if (value < x->lo[i]) x->lo[i] = value;
    if (value > x->hi[i]) x->hi[i] = value;
}

static void put_value(const foi_solver *o, uint32_t i, const piece *p, const double at[4],
                      const fo_bounds *x, const fo_bounds *mid)
{
    double a = at[0], b = at[1], r = at[3], spread = 0;
    double slack = p->moves ? rounding(p, p->size, p->c0) : 0, off = slack;
    for (int j = p->degree; j >= 1; j--) spread = (spread + fabs(p->q[j])) * r;
    put(x, i, p->q[0], spread, slack);
    if (a == 0) hold(x, i, o->x0[i]), off = larger(off, gap(p->c0, o->x0[i], 0));
    if (b == 1) hold(x, i, o->x1[i]), off = larger(off, gap(sum_of(o, i), o->x1[i], slack));
    if (mid && mid->lo) put(mid, i, p->q[0], 0, off);
}

// x, dx/dtheta and the middle for theta in [a, b]; returns the middle theta.
static double enclose(const foi_solver *o, double a, double b, const fo_bounds *x,
                      const fo_bounds *dx, const fo_bounds *mid)
{
    double m = 0.5 * (a + b), r = larger(b - m, m - a) * (1 + 2 * DBL_EPSILON);
    double at[4] = {a, b, m, r}, y = (fabs(m) + r) * (1 + 2 * DBL_EPSILON);
    for (uint32_t i = 0; i < o->n; i++) {
        piece p;
        expand(&p, o, i, m, y);
        put_value(o, i, &p, at, x, mid);
        if (dx && dx->lo) put_slope(dx, i, &p, r);
    }
    return m;
}

void foi_dense_bounds(const foi_solver *o, double a, double b, fo_bounds *x, fo_bounds *dx)
{
    enclose(o, a, b, x, dx, NULL);
}

// dx/dtheta to dx/dt. t1 - t0 is h but for a rounding, and the quotient has another.
static void per_second(const foi_solver *o, double h, const fo_bounds *dx)
{
    for (uint32_t i = 0; i < o->n; i++) {
        double lo = dx->lo[i] / h, hi = dx->hi[i] / h;
        if (dx->lo[i] != 0) dx->lo[i] = lo - (2 * DBL_EPSILON * fabs(lo) + 0x1p-1074);
        if (dx->hi[i] != 0) dx->hi[i] = hi + (2 * DBL_EPSILON * fabs(hi) + 0x1p-1074);
        if (!(dx->lo[i] <= dx->hi[i])) dx->lo[i] = -INFINITY, dx->hi[i] = INFINITY;
    }
}

// t0 + theta (t1 - t0): one rounding each of the difference, the product and the sum.
void foi_dense_stretch(const foi_solver *o, double a, double b, fo_stretch *on)
{
    double h = o->t1 - o->t0;
    double m = enclose(o, a, b, &on->x, &on->dx, &on->x_mid);
    if (on->dx.lo) per_second(o, h, &on->dx);
    double lo = o->t0 + a * h, hi = o->t0 + b * h;
    on->t_slack = DBL_EPSILON * (2 * b * fabs(h) + larger(fabs(lo), fabs(hi)));
    on->t_mid = o->t0 + m * h;
    on->t_lo = a == 0 ? o->t0 : lo - on->t_slack;
    on->t_hi = b == 1 ? larger(o->t1, hi) : hi + on->t_slack;
}
