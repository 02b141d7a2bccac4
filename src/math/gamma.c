/// tgamma, lgamma.
///
/// log gamma of a positive number in two parts: polynomials on [1, 8), Stirling's series above, and
/// log gamma(x) = log gamma(1 + x) - log x below 1. gamma is its exponential. To the left of 0
///
///     gamma(-y) = -pi/(y sin(pi y) gamma(y))
#include <stdbool.h>

#include "math/math.h"
#include "math/pow.h"
#include "math/trig.h"

static foi_pair add(foi_pair a, foi_pair b)
{
    foi_pair s = foi_sum(a.hi, b.hi);
    return foi_fast_sum(s.hi, s.lo + (a.lo + b.lo));
}

static foi_pair negative(foi_pair a)
{
    return (foi_pair){-a.hi, -a.lo};
}

// The row around c, d from it. d times the slope, of 26 bits and a tail, is the largest term.
FOI_CORE foi_pair from_row(const double *row, double d, double dl)
{
    const double *c = row + 4;
    double d2 = d * d, d4 = d2 * d2, h = foi_head(d);
    double a = (c[0] + d * c[1]) + d2 * (c[2] + d * c[3]);
    double b = (c[4] + d * c[5]) + d2 * (c[6] + d * c[7]);
    double top = c[8] + d * (c[9] + d * c[10]);
    double rest = ((d - h) + dl) * row[2] + d * (row[3] + d * (a + d4 * (b + d4 * top)));
    foi_pair s = foi_sum(row[0], h * row[2]);
    return (foi_pair){s.hi, s.lo + (row[1] + (rest + dl * d * (2 * c[0] + 3 * d * c[1])))};
}

// x + xl in [15/16, 8)
FOI_CORE foi_pair middle(double x, double xl)
{
    int fine = x < 2.6875, i = (int)(x * (fine ? 8 : 4) + 0.5); // then 8 to 21, else 11 to 32
    const double *row = foi_gamma_table + (fine ? i - 8 : i + 3) * 15;
    return from_row(row, x - (double)i * (fine ? 0.125 : 0.25), xl);
}

// (x - 1/2) log x - x + log(2 pi)/2 + P(1/x^2)/x for x >= 8: the terms fall from the first on.
FOI_CORE foi_pair far(double x, foi_pair l)
{
    foi_pair w = foi_fast_sum(x, -0.5), p = foi_pow_product(w.hi, l);
    p.lo += w.lo * l.hi;
    double y = 1 / x, u = y * y, u2 = u * u;
    double a = (FOI_STIRLING_1 + u * FOI_STIRLING_3) + u2 * (FOI_STIRLING_5 + u * FOI_STIRLING_7);
    double b =
        (FOI_STIRLING_9 + u * FOI_STIRLING_11) + u2 * (FOI_STIRLING_13 + u * FOI_STIRLING_15);
    foi_pair s = foi_fast_sum(p.hi, -x), t = foi_fast_sum(s.hi, FOI_HALF_LOG_2PI_HI);
    double series = FOI_HALF_LOG_2PI_LO + y * (a + u2 * u2 * b);
    return (foi_pair){t.hi, t.lo + (s.lo + (p.lo + series))};
}

FOI_CORE foi_pair fine_log(foi_log_parts p)
{
    foi_pair l = foi_log_fine(p);
    return foi_fast_sum(l.hi, l.lo);
}

// log gamma of a positive number below 2^1000, to 2^-60 or 2^-69 of its largest term. The second
// part of the result may be 2^-7 of the first.
FOI_CORE foi_pair log_gamma(double x, bool fine)
{
    if (x >= 0.9375 && x < 8) return middle(x, 0);
    foi_log_parts p = foi_log_split_any(x);
    foi_pair l = fine ? fine_log(p) : foi_log_sum(p);
    if (x >= 8) return far(x, l);
    foi_pair one = foi_fast_sum(1, x), m = middle(one.hi, one.lo), s = foi_sum(-l.hi, m.hi);
    return (foi_pair){s.hi, s.lo + (m.lo - l.lo)};
}

// |sin(pi y)| of a number that is no integer, in two parts.
static foi_pair sine_of_pi(double y)
{
    double f = y - foi_floor(y); // exact
    if (f > 0.5) f = 1 - f;      // exact
    // pi f = k pi/64 + r
    double k = foi_near(f * 64), d = f - k * 0.015625, h = foi_head(64 * d);
    double lead = h * FOI_TRIG_STEP_HI;
    foi_pair r = foi_fast_sum(lead, (64 * d - h) * FOI_TRIG_STEP_HI + 64 * d * FOI_TRIG_STEP_LO);
    foi_pair s = foi_trig_sum((uint64_t)k, r.hi, r.lo);
    return foi_fast_sum(s.hi, s.lo);
}

static foi_pair log_of(double x, double xl)
{
    return fine_log(x < 0x1p-1000 ? foi_log_split_any(x) : foi_log_split_pair(x, xl));
}

// log(pi/(y |sin(pi y)|)) - log gamma(y), which is log |gamma(-y)|.
static foi_pair mirrored(double y)
{
    foi_pair s = sine_of_pi(y), l = log_gamma(y, true);
    l = foi_fast_sum(l.hi, l.lo);
    foi_pair all = add(l, add(log_of(s.hi, s.lo), log_of(y, 0)));
    return add((foi_pair){FOI_LOG_PI_HI, FOI_LOG_PI_LO}, negative(all));
}

double foi_lgamma(double x)
{
    double size = foi_magnitude(x);
    if (x != x) return foi_no_number(x);
    if (size == foi_infinity() || size == 0) return foi_infinity();
    if (size < 0x1p-60) return -foi_log(size);
    if (x < 0 && foi_floor(x) == x) return foi_infinity();
    if (x > 0x1p1000) return x * (foi_log(x) - 1);
    foi_pair l = x > 0 ? log_gamma(x, false) : mirrored(size);
    return l.hi + l.lo;
}

double foi_tgamma(double x)
{
    double size = foi_magnitude(x);
    if (x != x) return foi_no_number(x);
    if (x == 0) return foi_with_sign(foi_infinity(), x);
    if (size < 0x1p-60) return 1 / x;
    if (x < 0 && foi_floor(x) == x) return foi_nan();
    if (x > 172) return foi_infinity();
    if (x < -186) return foi_fmod(foi_floor(x), 2) == 0 ? 0.0 : -0.0;
    foi_pair l = x > 0 ? log_gamma(x, true) : mirrored(size);
    l = foi_fast_sum(l.hi, l.lo);
    double y = foi_exp_wide(l.hi, l.lo, 0);
    return x < 0 && foi_fmod(foi_floor(x), 2) != 0 ? -y : y;
}
