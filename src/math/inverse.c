/// asinh, acosh, atanh: logarithms of pairs, and short series where those would lose digits.
#include "math/log.h"
#include "math/math.h"

// What s lacks to the root of x^2 + c, c = 1 or -1, for x from 1/4 to 4; s is that root, rounded,
// of `about`, which is x^2 + c. The residual x^2 + c - s^2 is exact in parts: heads have 26 bits.
FOI_CORE double lacking(double x, double c, double s, double about)
{
    double xh = foi_head(x), xl = x - xh, sh = foi_head(s), sl = s - sh;
    double lead = (c - sh * sh) + xh * xh, rest = xl * (xh + x) - sl * (sh + s);
    return (lead + rest) * foi_half_over_root(about);
}

// The result is above 0.2, so that of what xl adds to it the first bits are enough.
FOI_CORE double log_of(double x, double xl)
{
    foi_log_parts p = foi_log_split(x);
    p.rl += xl * foi_log_scale(x);
    foi_pair s = foi_log_sum(p);
    return s.hi + s.lo;
}

// log 2x, where x^2 + 1 and x^2 - 1 are x^2.
static double log_of_twice(double x)
{
    foi_log_parts p = foi_log_split(x);
    p.k += 1;
    foi_pair s = foi_log_sum(p);
    return s.hi + s.lo;
}

FOI_CORE double ten_terms(const double c[10], double u)
{
    double u2 = u * u, u4 = u2 * u2;
    double a = (c[0] + u * c[1]) + u2 * (c[2] + u * c[3]);
    double b = (c[4] + u * c[5]) + u2 * (c[6] + u * c[7]);
    return a + u4 * (b + u4 * (c[8] + u * c[9]));
}

// log(x + sqrt(x^2 + 1))
double foi_asinh(double x)
{
    static const double series[10] = {
        FOI_ASINH_3,  FOI_ASINH_5,  FOI_ASINH_7,  FOI_ASINH_9,  FOI_ASINH_11,
        FOI_ASINH_13, FOI_ASINH_15, FOI_ASINH_17, FOI_ASINH_19, FOI_ASINH_21,
    };
    double size = foi_magnitude(x);
    if (size < 0.25) return size < 0x1p-28 ? x : x + x * (x * x) * ten_terms(series, x * x);
    if (!(size < 0x1p28)) {
        if (!(size < foi_infinity())) return x != x ? foi_no_number(x) : x;
        return foi_with_sign(log_of_twice(size), x);
    }
    if (size > 4) { // the result is above 2, and roundings of the root below a quarter of its place
        double s = foi_sqrt(size * size + 1);
        foi_pair a = foi_fast_sum(s, size);
        return foi_with_sign(log_of(a.hi, a.lo), x);
    }
    double about = size * size + 1, s = foi_sqrt(about);
    foi_pair a = foi_fast_sum(s, size);
    return foi_with_sign(log_of(a.hi, a.lo + lacking(size, 1, s, about)), x);
}

// log(x + sqrt(x^2 - 1)); near 1 sqrt(2t) times a series, t = x - 1
double foi_acosh(double x)
{
    static const double series[10] = {
        FOI_ACOSH_1, FOI_ACOSH_2, FOI_ACOSH_3, FOI_ACOSH_4, FOI_ACOSH_5,
        FOI_ACOSH_6, FOI_ACOSH_7, FOI_ACOSH_8, FOI_ACOSH_9, FOI_ACOSH_10,
    };
    if (!(x > 1)) return x == 1 ? 0 : foi_no_number(x);
    if (x < 1.125) {
        double t = x - 1;
        double s = foi_sqrt(2 * t), h = foi_head(s);
        double sl = ((2 * t - h * h) - (s - h) * (s + h)) * foi_half_over_root(2 * t);
        return s + (sl + s * (t * ten_terms(series, t)));
    }
    if (!(x < 0x1p28)) return x == foi_infinity() ? x : log_of_twice(x);
    if (x > 1.75) { // above 1, and the root is less than half of the sum
        foi_pair a = foi_fast_sum(x, foi_sqrt(x * x - 1));
        return log_of(a.hi, a.lo);
    }
    double about = x * x - 1, s = foi_sqrt(about);
    foi_pair a = foi_fast_sum(x, s);
    return log_of(a.hi, a.lo + lacking(x, -1, s, about));
}

// log((1 + x)/(1 - x))/2
double foi_atanh(double x)
{
    static const double series[10] = {
        FOI_ATANH_3,  FOI_ATANH_5,  FOI_ATANH_7,  FOI_ATANH_9,  FOI_ATANH_11,
        FOI_ATANH_13, FOI_ATANH_15, FOI_ATANH_17, FOI_ATANH_19, FOI_ATANH_21,
    };
    double size = foi_magnitude(x);
    if (size < 0.25) return size < 0x1p-28 ? x : x + x * (x * x) * ten_terms(series, x * x);
    if (!(size < 1)) return size == 1 ? foi_with_sign(foi_infinity(), x) : foi_no_number(x);
    foi_pair n = foi_fast_sum(1, size), d = foi_fast_sum(1, -size);
    foi_pair q = foi_quotient(n.hi, n.lo, d.hi, d.lo), a = foi_fast_sum(q.hi, q.lo);
    return foi_with_sign(0.5 * log_of(a.hi, a.lo), x);
}
