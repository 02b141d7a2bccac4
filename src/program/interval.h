/// Intervals of doubles, rounded outwards: the arithmetic that enclose.c is made of.
///
/// Each operation takes intervals and gives one that holds, for all arguments in them, the exact
/// result and the one that the machine computes.
///
/// + - * / sqrt are rounded to nearest, so the exact result of a computed x lies within
/// |x| u (1 + 2u) + eta of it, u = 2^-53 and eta the least subnormal; computed in doubles this is
/// never inside the neighbouring double (Rump, Zimmermann, Boldo, Melquiond, BIT 49 (2009) 419).
/// It costs a tenth of nextafter. What is exact is not widened: sums and products that are zero for
/// a reason, copies, signs.
///
/// The functions are our own (src/math), wrong by at most one unit in the last place of the exact
/// result: that is derived in their files and measured, see docs/math.md. An exact value is then
/// within one unit of a computed one at an end, where the function rises; and a value that is
/// computed inside within two.
#ifndef FOI_INTERVAL_H
#define FOI_INTERVAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "equations/ops.h"

/// lo <= v <= hi; never NAN, lo never INFINITY, hi never -INFINITY.
typedef struct foi_interval {
    double lo, hi;
} foi_interval;

#define FOI_EVERYTHING  ((foi_interval){-INFINITY, INFINITY})
#define FOI_UNIT        0x1.0000000000001p-53 ///< u (1 + 2u)
#define FOI_LEAST       0x1p-1074             ///< eta
#define FOI_THREE_UNITS 0x1.8p-51 ///< two ulps relative to |x|, and one for the rounding

static inline double foi_least(double a, double b)
{
    return b < a ? b : a;
}

static inline double foi_most(double a, double b)
{
    return b > a ? b : a;
}

/// Of a bound that was to be rounded and is not a number: x was INFINITY (a sum that is too large,
/// its exact value is not), or not known.
static inline double foi_down_of_nothing(double x)
{
    return x > 0 ? DBL_MAX : -INFINITY;
}

/// A double below what rounds to x.
static inline double foi_down(double x)
{
    double y = x - (FOI_UNIT * fabs(x) + FOI_LEAST);
    return y == y ? y : foi_down_of_nothing(x);
}

static inline double foi_up(double x)
{
    double y = x + (FOI_UNIT * fabs(x) + FOI_LEAST);
    return y == y ? y : -foi_down_of_nothing(-x);
}

/// The same for sums, which are exact where they are zero or tiny.
static inline double foi_down_sum(double x)
{
    return x == 0 ? 0 : foi_down(x);
}

static inline double foi_up_sum(double x)
{
    return x == 0 ? 0 : foi_up(x);
}

/// The same for functions.
static inline double foi_down_function(double x)
{
    double y = x - (FOI_THREE_UNITS * fabs(x) + 3 * FOI_LEAST);
    return y == y ? y : x > 0 ? DBL_MAX * (1 - 0x1p-49) : -INFINITY;
}

static inline double foi_up_function(double x)
{
    return -foi_down_function(-x);
}

/// An upper bound of a nonnegative sum or product of a few roundings.
static inline double foi_up_size(double x)
{
    return x * (1 + 0x1p-48) + 8 * FOI_LEAST;
}

/// The largest absolute value.
static inline double foi_i_size(foi_interval a)
{
    return foi_most(-a.lo, a.hi);
}

static inline bool foi_i_is_point(foi_interval a)
{
    return a.lo == a.hi;
}

static inline bool foi_i_is_zero(foi_interval a)
{
    return a.lo == 0 && a.hi == 0;
}

static inline bool foi_i_has_zero(foi_interval a)
{
    return a.lo <= 0 && a.hi >= 0;
}

static inline bool foi_i_is_finite(foi_interval a)
{
    return a.lo > -INFINITY && a.hi < INFINITY;
}

static inline foi_interval foi_i_hull(foi_interval a, foi_interval b)
{
    return (foi_interval){foi_least(a.lo, b.lo), foi_most(a.hi, b.hi)};
}

/// a without what lies outside of [lo, hi]; what it has in common with it.
static inline foi_interval foi_i_clip(foi_interval a, double lo, double hi)
{
    return (foi_interval){foi_most(a.lo, lo), foi_least(a.hi, hi)};
}

static inline foi_interval foi_i_negative(foi_interval a)
{
    return (foi_interval){-a.hi, -a.lo};
}

static inline foi_interval foi_i_add(foi_interval a, foi_interval b)
{
    if (foi_i_is_zero(b)) return a;
    if (foi_i_is_zero(a)) return b;
    return (foi_interval){foi_down_sum(a.lo + b.lo), foi_up_sum(a.hi + b.hi)};
}

static inline foi_interval foi_i_subtract(foi_interval a, foi_interval b)
{
    return foi_i_add(a, foi_i_negative(b));
}

/// The product where an end of the product is zero or not a number.
foi_interval foi_i_multiply_slowly(foi_interval a, foi_interval b);

static inline foi_interval foi_i_multiply(foi_interval a, foi_interval b)
{
    double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
    double lo = foi_least(foi_least(p, q), foi_least(r, s));
    double hi = foi_most(foi_most(p, q), foi_most(r, s));
    bool ordered = !isunordered(p, q) && !isunordered(r, s);
    if (!ordered || lo == 0 || hi == 0 || foi_i_is_point(a) || foi_i_is_point(b))
        return foi_i_multiply_slowly(a, b);
    return (foi_interval){foi_down(lo), foi_up(hi)};
}

/// a times the point k, which is neither NAN nor infinite.
foi_interval foi_i_scale(foi_interval a, double k);
/// a times itself.
foi_interval foi_i_square(foi_interval a);
/// The quotient where b may be zero or unbounded, or an end of it is zero.
foi_interval foi_i_divide_slowly(foi_interval a, foi_interval b);

/// What the quotient can be where it is defined; a half-line where b ends at zero.
static inline foi_interval foi_i_divide(foi_interval a, foi_interval b)
{
    if (b.hi < 0) a = foi_i_negative(a), b = foi_i_negative(b);
    double lo = a.lo / (a.lo >= 0 ? b.hi : b.lo), hi = a.hi / (a.hi >= 0 ? b.lo : b.hi);
    if (!(b.lo > 0 && b.hi < INFINITY) || lo == 0 || hi == 0) return foi_i_divide_slowly(a, b);
    return (foi_interval){foi_down(lo), foi_up(hi)};
}

foi_interval foi_i_root(foi_interval a);

/// The functions that rise, fall or turn at known places: the range over a, which lies in the
/// domain (foi_i_domain).
foi_interval foi_i_function(foi_op op, foi_interval a);
/// The derivative of such a function over a; `value` is the range over a.
foi_interval foi_i_derivative(foi_op op, foi_interval a, foi_interval value);
/// Where it is defined: the function's arguments outside of this are undefined.
foi_interval foi_i_domain(foi_op op);
/// Whether tan has a pole in a; undecided counts as yes.
bool foi_i_has_pole(foi_interval a);

/// pow(a, n) with a whole number n, where a does not hold zero if n < 0.
foi_interval foi_i_power_whole(foi_interval a, double n);
/// pow(a, b) with a >= 0, and a > 0 if b may be negative.
foi_interval foi_i_power(foi_interval a, foi_interval b);
/// atan2(y, x) where the box does not touch the cut.
foi_interval foi_i_angle(foi_interval y, foi_interval x);

#endif
