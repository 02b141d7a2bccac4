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
#include <stdint.h>

#include "solver/solver.h"

/// Two states side by side; arithmetic on it is that of two doubles.
typedef double two __attribute__((vector_size(16)));
typedef long long bits __attribute__((vector_size(16)));

static inline two size_of(two v)
{
    const bits mask = {INT64_MAX, INT64_MAX};
    return (two)((bits)v & mask);
}

/// The polynomials of two states over [m - r, m + r].
typedef struct piece {
    two x, spread_x, slack_x;    ///< p(theta) in x +- (spread + slack)
    two dx, spread_dx, slack_dx; ///< p'(theta)
    two c0, sum;                 ///< p(0) and p(1), computed
} piece;

/// Part [a, b] of a step, with its middle and radius, and y >= |m| + r.
typedef struct part {
    double a, b, m, r, y;
} part;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

// What rounding does: of `size`, which is P(y), and of the first coefficient, but nothing where all
// others are zero.
static inline two rounding(int degree, two size, two first, two others)
{
    const bits nothing = others == (two){0, 0};
    two all = (4 * degree + 8) * DBL_EPSILON * size + 2.5 * DBL_EPSILON * size_of(first) +
              4 * (degree + 1) * (degree + 1) * 0x1p-1074;
    return (two)((bits)all & ~nothing);
}

// Taylor coefficients at the middle by Horner's rule again and again, and the sums of the absolute
// values of all that comes together.
static inline void expand(piece *p, const foi_solver *o, uint32_t i, const part *at)
{
    const two zero = {0, 0};
    two q[FOI_DEGREE_MAX + 1], size = zero, steep = zero, moves = zero, bends = zero, sum = zero;
    int d = o->degree;
    uint32_t next = i + 1 < o->n ? 1 : 0;
    const double *c = o->coefficients + i;
    q[0] = p->c0 = (two){c[0], c[next]}, q[1] = zero;
    for (int j = 1; j <= d; j++) c += o->n, q[j] = (two){c[0], c[next]};
    const two c1 = q[1];
    for (int j = d; j >= 1; j--) {
        two one = size_of(q[j]);
        sum += q[j];
        size = (size + one) * at->y;
        if (j >= 2) steep = (steep + j * one) * at->y, bends += one;
        moves += one;
    }
    p->sum = sum + p->c0;
    p->slack_x = rounding(d, size, p->c0, moves);
    p->slack_dx = rounding(d, steep, c1, bends);
    for (int j = 0; j < d; j++)
        for (int k = d - 1; k >= j; k--) q[k] += at->m * q[k + 1];
    p->spread_x = p->spread_dx = zero;
    for (int j = d; j >= 1; j--) {
        two one = size_of(q[j]);
        p->spread_x = (p->spread_x + one) * at->r;
        if (j >= 2) p->spread_dx = (p->spread_dx + j * one) * at->r;
    }
    p->x = q[0], p->dx = q[1];
}

static void put(const fo_bounds *b, uint32_t i, double middle, double spread, double slack)
{
    double lo = middle - spread - slack, hi = middle + spread + slack;
    bool good = lo <= hi;
    b->lo[i] = good ? lo : -INFINITY, b->hi[i] = good ? hi : INFINITY;
}

static void hold(const fo_bounds *x, uint32_t i, double value)
{
    if (value < x->lo[i]) x->lo[i] = value;
    if (value > x->hi[i]) x->hi[i] = value;
}

// How far the method's value at an end of the step is from the polynomial there.
static double gap(double polynomial, double value, double slack)
{
    return fabs(value - polynomial) * (1 + DBL_EPSILON) + slack;
}

// State i, which is lane k of the piece.
static void put_state(const foi_solver *o, uint32_t i, const piece *p, int k, const part *at,
                      const fo_bounds *x, const fo_bounds *mid)
{
    double slack = p->slack_x[k], off = slack;
    put(x, i, p->x[k], p->spread_x[k], slack);
    if (at->a == 0) hold(x, i, o->x0[i]), off = larger(off, gap(p->c0[k], o->x0[i], 0));
    if (at->b == 1) hold(x, i, o->x1[i]), off = larger(off, gap(p->sum[k], o->x1[i], slack));
    if (mid && mid->lo) put(mid, i, p->x[k], 0, off);
}

// x, dx/dtheta and the middle for theta in [a, b]; returns the middle theta.
static double enclose(const foi_solver *o, double a, double b, const fo_bounds *x,
                      const fo_bounds *dx, const fo_bounds *mid)
{
    part at = {a, b, 0.5 * (a + b), 0, 0};
    at.r = larger(b - at.m, at.m - a) * (1 + 2 * DBL_EPSILON);
    at.y = (fabs(at.m) + at.r) * (1 + 2 * DBL_EPSILON);
    for (uint32_t i = 0; i < o->n; i += 2) {
        piece p;
        expand(&p, o, i, &at);
        for (uint32_t k = 0; k < 2 && i + k < o->n; k++) {
            put_state(o, i + k, &p, (int)k, &at, x, mid);
            if (dx && dx->lo) put(dx, i + k, p.dx[k], p.spread_dx[k], p.slack_dx[k]);
        }
    }
    return at.m;
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
