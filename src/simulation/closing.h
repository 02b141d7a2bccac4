/// Closing in on a crossing: what is known of it, and the first guess. Written once, for locate.c
/// and alone.c; see there.
#ifndef FOI_CLOSING_H
#define FOI_CLOSING_H

#include <float.h>
#include <math.h>

#include "base/inline.h"
#include "math/math.h"
#include "simulation/samples.h"

/// A guard that is closed in on: its values are turned so that they are positive before the change
/// of sign and not positive after it.
typedef struct foi_target {
    uint32_t i;
    double side; ///< what values are multiplied with
    bool strict; ///< zero is before it: the guard leaves zero. One that passes through has its
                 ///< moment where it is zero or past it, so that x > 0 and x >= 0 turn at one
                 ///< instant
} foi_target;

FOI_INLINE foi_target foi_target_of(const foi_finding *found, uint32_t i)
{
    int from = found->from, to = found->to;
    return (foi_target){.i = i, .side = to ? -to : from, .strict = !from};
}

FOI_INLINE double foi_turned(const foi_target *t, double g)
{
    double v = t->side * g;
    return t->strict && v == 0 ? DBL_MIN : v;
}

/// What Chandrupatla's method knows: the crossing lies between a and b; c is the point before.
typedef struct foi_closing {
    double a, b, c, fa, fb, fc; ///< a is the newest; values turned so that the left is positive
} foi_closing;

// Where guard is g at theta the crossing is before, or behind (true).
FOI_INLINE bool foi_closing_behind(foi_closing *k, const foi_target *t, double theta, double g)
{
    double v = foi_turned(t, g);
    bool behind = v > 0;
    if (behind)
        k->b = theta, k->fb = v;
    else
        k->a = theta, k->fa = v;
    return behind;
}

/// The crossing lies between two of the points whose values are known: at b it is positive, at a it
/// is not.
FOI_INLINE foi_closing foi_closing_begin(const foi_target *t, const foi_samples *s, double end,
                                         bool probed)
{
    // a guard that leaves zero has the smallest value on its side there
    double at_a = foi_turned(t, s->at_a);
    foi_closing k = {
        .a = end, .b = s->a, .fa = foi_turned(t, s->at_b), .fb = at_a > DBL_MIN ? at_a : DBL_MIN};
    if (probed && foi_closing_behind(&k, t, s->a + FOI_QUARTER * s->width, s->quarter) &&
        foi_closing_behind(&k, t, s->a + 0.5 * s->width, s->middle) && s->has_later)
        foi_closing_behind(&k, t, s->a + FOI_LATER * s->width, s->later);
    k.c = k.b, k.fc = k.fb;
    return k;
}

/// The newest look, at x.
FOI_INLINE void foi_closing_take(foi_closing *k, const foi_target *t, double x, double g)
{
    double fx = foi_turned(t, g);
    if (isnan(fx)) fx = k->fb > 0 ? k->fb : k->fa; // not defined there: as on the left
    if ((fx > 0) == (k->fa > 0))
        k->c = k->a, k->fc = k->fa;
    else
        k->c = k->b, k->fc = k->fb, k->b = k->a, k->fb = k->fa;
    k->a = x, k->fa = fx;
}

// The function is much the same line through the newest point and either of the two others. Where
// one of them is beside a pole it is not.
FOI_INLINE bool foi_is_straight(const foi_closing *k)
{
    double to_b = fabs((k->fb - k->fa) * (k->c - k->a));
    double to_c = fabs((k->fc - k->fa) * (k->b - k->a));
    return k->c != k->b && to_c <= 4 * to_b && to_b <= 4 * to_c;
}

/// Both ends are at the resolution; or the newest is past zero by no more than the function, where
/// it is straight, falls over two of it. (Values so small that products of them underflow say
/// nothing of that: exp(-740) has left zero.)
FOI_INLINE bool foi_closing_there(const foi_closing *k, double resolution)
{
    double width = fabs(k->b - k->a), near = 2 * resolution;
    if (width <= near) return true;
    return k->fa <= -DBL_MIN && -k->fa * width <= (k->fb - k->fa) * near && foi_is_straight(k);
}

/// Found at theta, where the segment begins at a: a guard that leaves zero, where it is known not
/// to rest there, has its moment where it stands.
FOI_INLINE double foi_closing_end(const foi_guard_side *guard, const foi_finding *found,
                                  double theta, double a, double resolution)
{
    bool leaves = found->from == 0 && !guard->rests;
    return leaves && theta - a <= 4 * resolution ? a : theta;
}

// ------------------------------------------------------------------------------------ the guess

/// A quartic on the segment, s in 0..1, in Newton's form:
/// c0 + s (c1 + (s - n1) (c2 + (s - n2) (c3 + (s - n3) c4))).
typedef struct foi_curve {
    double c0, c1, c2, c3, c4, n1, n2, n3;
} foi_curve;

// The one that was looked at, with Bernstein coefficients v.
FOI_INLINE foi_curve foi_curve_of(const double v[5])
{
    return (foi_curve){v[0],
                       4 * (v[1] - v[0]),
                       6 * (v[0] - 2 * v[1] + v[2]),
                       4 * (v[3] - v[0] + 3 * (v[1] - v[2])),
                       v[0] + v[4] - 4 * (v[1] + v[3]) + 6 * v[2],
                       0,
                       0,
                       0};
}

// The one through all five values: slopes, which are known to half the digits only, have no part in
// it.
FOI_INLINE foi_curve foi_curve_through(double at_0, double quarter, double middle, double later,
                                       double at_1)
{
    const double q = FOI_QUARTER, l = FOI_LATER;
    double d01 = (quarter - at_0) * (1 / q), d12 = (middle - quarter) * (1 / (0.5 - q));
    double d23 = (later - middle) * (1 / (l - 0.5)), d34 = (at_1 - later) * (1 / (1 - l));
    double d02 = (d12 - d01) * 2, d13 = (d23 - d12) * (1 / (l - q)), d24 = (d34 - d23) * 2;
    double d03 = (d13 - d02) * (1 / l), d14 = (d24 - d13) * (1 / (1 - q));
    return (foi_curve){at_0, d01, d02, d03, d14 - d03, q, 0.5, l};
}

// Its root between lo and hi, where it changes sign once: Newton's method, kept inside by halving.
// *slope is the quartic's there.
FOI_INLINE double foi_curve_root(foi_curve k, double lo, double hi, double s, double *slope)
{
    for (int n = 0; n < 12; n++) {
        double by3 = s - k.n3, by2 = s - k.n2, by1 = s - k.n1;
        double p3 = k.c3 + by3 * k.c4, p2 = k.c2 + by2 * p3, p1 = k.c1 + by1 * p2;
        double d2 = p3 + by2 * k.c4, d1 = p2 + by1 * d2;
        double p = k.c0 + s * p1, d = p1 + s * d1;
        if (p > 0)
            lo = s;
        else
            hi = s;
        double step = p / d;
        *slope = d;
        s -= step;
        if (fabs(step) <= 1e-8) break; // the next step would be 1e-16
        if (!(s > lo && s < hi)) s = 0.5 * (lo + hi);
    }
    return s;
}

// Where the parabola through both ends and the middle of the segment (0, 1/2, 1) falls through
// zero: with a s^2 + b s + v0 the root at which its slope is -sqrt(b^2 - 4 a v0). Only to begin
// with: it may lie anywhere, or not be a number.
FOI_INLINE double foi_parabola_root(double v0, double middle, double v1)
{
    double a = 2 * (v0 + v1 - 2 * middle), b = 4 * middle - 3 * v0 - v1;
    double fall = sqrt(b * b - 4 * a * v0);
    return b > 0 ? -(b + fall) / (2 * a) : 2 * v0 / (fall - b);
}

// The quartic to begin with, from the left side of zero.
FOI_INLINE foi_curve foi_curve_for(const foi_samples *s, const foi_target *t)
{
    const double *v = s->v;
    if (!s->has_later) return foi_curve_of(v);
    return foi_curve_through(v[0], t->side * s->quarter, t->side * s->middle, t->side * s->later,
                             v[4]);
}

/// Just past the quartic's root. *slope is the quartic's there.
FOI_INLINE double foi_closing_guess(const foi_closing *k, const foi_target *t, foi_samples *s,
                                    double resolution, double *slope)
{
    double from = s->a, width = s->width, *v = s->v;
    if (s->quartic_side != (int)t->side) foi_samples_quartic(s, (int)t->side);
    double lo = (k->b - from) / width, hi = (k->a - from) / width;
    bool leaves = k->b == from && !(v[0] > 0);
    double root = foi_parabola_root(v[0], t->side * s->middle, v[4]);
    if (!(root > lo && root < hi))
        root = leaves ? 0.5 * (lo + hi) : lo + (hi - lo) * k->fb / (k->fb - k->fa);
    foi_curve c = foi_curve_for(s, t);
    return from + foi_curve_root(c, lo, hi, root, slope) * width + resolution;
}

#endif
