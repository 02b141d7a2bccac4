#include "program/interval.h"

#include <stdint.h>

// ------------------------------------------------------------------------------------- arithmetic

// The ends of products and quotients. Zero is exact where no sign contradicts it; otherwise
// something may have underflown.
static foi_interval ends(double lo, double hi, bool nonnegative, bool nonpositive)
{
    foi_interval r = {foi_down(lo), foi_up(hi)};
    if (nonnegative && !(r.lo > 0)) r.lo = 0;
    if (nonpositive && !(r.hi < 0)) r.hi = 0;
    return r;
}

static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b; // 0 times infinity: the box ends there, it is not in it
}

foi_interval foi_i_multiply_slowly(foi_interval a, foi_interval b)
{
    if (foi_i_is_zero(a) || foi_i_is_zero(b)) return (foi_interval){0, 0};
    if (foi_i_is_point(a)) return foi_i_scale(b, a.lo);
    if (foi_i_is_point(b)) return foi_i_scale(a, b.lo);
    double p = times(a.lo, b.lo), q = times(a.lo, b.hi), r = times(a.hi, b.lo),
           s = times(a.hi, b.hi);
    return ends(foi_least(foi_least(p, q), foi_least(r, s)),
                foi_most(foi_most(p, q), foi_most(r, s)),
                (a.lo >= 0 && b.lo >= 0) || (a.hi <= 0 && b.hi <= 0),
                (a.lo >= 0 && b.hi <= 0) || (a.hi <= 0 && b.lo >= 0));
}

foi_interval foi_i_scale(foi_interval a, double k)
{
    if (k < 0) return foi_i_scale(foi_i_negative(a), -k);
    if (k == 1) return a;
    if (k == 0) return (foi_interval){0, 0};
    return ends(a.lo * k, a.hi * k, a.lo >= 0, a.hi <= 0);
}

foi_interval foi_i_square(foi_interval a)
{
    double p = fabs(a.lo), q = fabs(a.hi);
    double least = foi_i_has_zero(a) ? 0 : foi_least(p, q), most = foi_most(p, q);
    return ends(least * least, most * most, true, most == 0);
}

// b > 0, and a and b are not both unbounded.
static foi_interval divide_by_positive(foi_interval a, foi_interval b)
{
    if (foi_i_is_point(b) && b.lo == 1) return a;
    return ends(a.lo / (a.lo >= 0 ? b.hi : b.lo), a.hi / (a.hi >= 0 ? b.lo : b.hi), a.lo >= 0,
                a.hi <= 0);
}

foi_interval foi_i_divide_slowly(foi_interval a, foi_interval b)
{
    if (b.hi <= 0) a = foi_i_negative(a), b = foi_i_negative(b);
    if (foi_i_is_zero(b)) return FOI_EVERYTHING;
    if (foi_i_is_zero(a)) return a;
    if (b.lo < 0) return FOI_EVERYTHING;
    bool both = !foi_i_is_finite(a) && b.hi == INFINITY;
    if (b.lo > 0 && !both) return divide_by_positive(a, b);
    // from here on the quotient grows without bound towards zero of b, or its size is not known
    foi_interval r = FOI_EVERYTHING;
    if (a.lo >= 0) r.lo = both ? 0 : foi_most(0, foi_down(a.lo / b.hi));
    if (a.hi <= 0) r.hi = both ? 0 : foi_least(0, foi_up(a.hi / b.hi));
    return r;
}

foi_interval foi_i_root(foi_interval a)
{
    foi_interval r = {a.lo > 0 ? foi_most(0, foi_down(sqrt(a.lo))) : 0,
                      a.hi > 0 ? foi_up(sqrt(a.hi)) : 0};
    return r;
}

// --------------------------------------------------------------------------------------- turning

// Which quarters of a turn the ends of x lie in: floor(2 x / pi), one end rounded down, the other
// up. The constant and the product have a relative error of 2^-53 each, and so has the difference,
// which is less than the 2^-51 taken off. False where x is so large that this is more than one.
static bool quarters(foi_interval x, int64_t *first, int64_t *last)
{
    const double two_by_pi = 0x1.45f306dc9c883p-1;
    double p = x.lo * two_by_pi, q = x.hi * two_by_pi;
    if (!(p > -0x1p50 && q < 0x1p50)) return false;
    *first = (int64_t)floor(p - 0x1p-51 * fabs(p));
    *last = (int64_t)floor(q + 0x1p-51 * fabs(q));
    return true;
}

// Whether a whole number that leaves `rest` when divided by 4 lies in (first, last].
static bool passes(int64_t first, int64_t last, int64_t rest)
{
    int64_t next = first + 1 + (((rest - first - 1) % 4) + 4) % 4;
    return next <= last;
}

bool foi_i_has_pole(foi_interval a)
{
    int64_t first, last;
    if (!quarters(a, &first, &last)) return true;
    return passes(first, last, 1) || passes(first, last, 3);
}

// sin has its greatest value at the beginning of quarter 1 and its least at that of quarter 3; cos
// at 0 and 2.
static foi_interval wave(foi_op op, foi_interval a)
{
    int64_t first, last, top = op == FOI_G_SIN ? 1 : 0;
    if (!quarters(a, &first, &last)) return (foi_interval){-1, 1};
    bool highest = passes(first, last, top), lowest = passes(first, last, top + 2);
    if (highest && lowest) return (foi_interval){-1, 1};
    double p = op == FOI_G_SIN ? foi_sin(a.lo) : foi_cos(a.lo), q = p;
    if (a.hi != a.lo) q = op == FOI_G_SIN ? foi_sin(a.hi) : foi_cos(a.hi);
    foi_interval r = {foi_least(p, q), foi_most(p, q)};
    r.lo = r.lo == 0 ? 0 : foi_down_four(r.lo), r.hi = r.hi == 0 ? 0 : foi_up_four(r.hi);
    if (highest) r.hi = 1;
    if (lowest) r.lo = -1;
    return foi_i_clip(r, -1, 1);
}

// -------------------------------------------------------------------------------------- functions

static double value(foi_op op, double a)
{
    switch (op) {
    case FOI_G_TAN: return foi_tan(a);
    case FOI_G_ASIN: return foi_asin(a);
    case FOI_G_ACOS: return foi_acos(a);
    case FOI_G_ATAN: return foi_atan(a);
    case FOI_G_SINH: return foi_sinh(a);
    case FOI_G_COSH: return foi_cosh(a);
    case FOI_G_TANH: return foi_tanh(a);
    case FOI_G_EXP: return foi_exp(a);
    case FOI_G_LOG: return foi_log(a);
    default: return foi_log10(a);
    }
}

// From the function's values at the place of its least and of its greatest value. These functions
// but exp have zeros at known places only, where they are exact.
static foi_interval between(foi_op op, double least, double most)
{
    double lo = value(op, least), hi = least == most ? lo : value(op, most);
    bool exact = op != FOI_G_EXP;
    return (foi_interval){exact && lo == 0 ? 0 : foi_down_four(lo),
                          exact && hi == 0 ? 0 : foi_up_four(hi)};
}

foi_interval foi_i_function(foi_op op, foi_interval a)
{
    switch (op) {
    case FOI_G_SQRT: return foi_i_root(a);
    case FOI_G_SIN:
    case FOI_G_COS: return wave(op, a);
    case FOI_G_ACOS: return foi_i_clip(between(op, a.hi, a.lo), 0, INFINITY);
    case FOI_G_EXP: return foi_i_clip(between(op, a.lo, a.hi), 0, INFINITY);
    case FOI_G_TANH: return foi_i_clip(between(op, a.lo, a.hi), -1, 1);
    case FOI_G_COSH: {
        double p = fabs(a.lo), q = fabs(a.hi);
        double least = foi_i_has_zero(a) ? 0 : foi_least(p, q);
        return foi_i_clip(between(op, least, foi_most(p, q)), 1, INFINITY);
    }
    default: return between(op, a.lo, a.hi);
    }
}

foi_interval foi_i_domain(foi_op op)
{
    switch (op) {
    case FOI_G_ASIN:
    case FOI_G_ACOS: return (foi_interval){-1, 1};
    case FOI_G_SQRT:
    case FOI_G_LOG:
    case FOI_G_LOG10: return (foi_interval){0, INFINITY};
    default: return FOI_EVERYTHING;
    }
}

// 1 - v^2 for |v| <= 1, by its factors, so that it is exact where it vanishes.
static foi_interval rest_of_one(foi_interval v)
{
    double p = fabs(v.lo), q = fabs(v.hi), most = foi_least(1, foi_most(p, q));
    double least = foi_i_has_zero(v) ? 0 : foi_least(1, foi_least(p, q));
    foi_interval r = {foi_down_four((1 - most) * (1 + most)),
                      foi_up_four((1 - least) * (1 + least))};
    return foi_i_clip(r, 0, 1);
}

foi_interval foi_i_derivative(foi_op op, foi_interval a, foi_interval v)
{
    const foi_interval one = {1, 1}, half = {0.5, 0.5},
                       ln_10 = {0x1.26bb1bbb55515p1, 0x1.26bb1bbb55517p1};
    switch (op) {
    case FOI_G_SQRT: return foi_i_divide(half, v);
    case FOI_G_SIN: return wave(FOI_G_COS, a);
    case FOI_G_COS: return foi_i_negative(wave(FOI_G_SIN, a));
    case FOI_G_TAN: return foi_i_add(one, foi_i_square(v));
    case FOI_G_ASIN: return foi_i_divide(one, foi_i_root(rest_of_one(a)));
    case FOI_G_ACOS: return foi_i_negative(foi_i_divide(one, foi_i_root(rest_of_one(a))));
    case FOI_G_ATAN: return foi_i_divide(one, foi_i_add(one, foi_i_square(a)));
    case FOI_G_SINH: return foi_i_function(FOI_G_COSH, a);
    case FOI_G_COSH: return foi_i_function(FOI_G_SINH, a);
    case FOI_G_TANH: return rest_of_one(v);
    case FOI_G_EXP: return v;
    case FOI_G_LOG: return foi_i_divide(one, a);
    default: return foi_i_divide(one, foi_i_multiply(a, ln_10));
    }
}

// ----------------------------------------------------------------------------- of two arguments

foi_interval foi_i_power_whole(foi_interval a, double n)
{
    if (n == 0) return (foi_interval){1, 1};
    if (n == 1) return a;
    double p = a.lo, q = a.hi; // where it is least and where it is greatest
    bool even = foi_fmod(n, 2) == 0;
    if (even) {
        p = foi_i_has_zero(a) ? 0 : foi_least(fabs(a.lo), fabs(a.hi));
        q = foi_most(fabs(a.lo), fabs(a.hi));
    }
    if (n < 0) {
        double swap = p;
        p = q, q = swap;
    }
    foi_interval r = {foi_down_four(foi_pow(p, n)), foi_up_four(foi_pow(q, n))};
    if (p >= 0) r.lo = foi_most(r.lo, 0);
    if (q <= 0) r.hi = foi_least(r.hi, 0);
    return r;
}

foi_interval foi_i_power(foi_interval a, foi_interval b)
{
    double p = foi_pow(a.lo, b.lo), q = foi_pow(a.hi, b.lo), r = p, s = q;
    if (!foi_i_is_point(b)) r = foi_pow(a.lo, b.hi), s = foi_pow(a.hi, b.hi);
    foi_interval v = {foi_down_four(foi_least(foi_least(p, q), foi_least(r, s))),
                      foi_up_four(foi_most(foi_most(p, q), foi_most(r, s)))};
    if (foi_i_is_zero(a)) v.hi = foi_most(foi_most(p, q), foi_most(r, s));
    return foi_i_clip(v, 0, INFINITY);
}

// Away from the cut the angle rises or falls along every edge of the box: its corners bound it.
foi_interval foi_i_angle(foi_interval y, foi_interval x)
{
    double p = foi_atan2(y.lo, x.lo), q = foi_atan2(y.lo, x.hi), r = foi_atan2(y.hi, x.lo),
           s = foi_atan2(y.hi, x.hi);
    double lo = foi_least(foi_least(p, q), foi_least(r, s)),
           hi = foi_most(foi_most(p, q), foi_most(r, s));
    return (foi_interval){lo == 0 && y.lo == 0 ? 0 : foi_down_four(lo),
                          hi == 0 && y.hi == 0 ? 0 : foi_up_four(hi)};
}
