/// atan, atan2, asin, acos.
///
///     atan x = atan c + atan t,  t = (x - c)/(1 + c x)
///
/// with c the middle of x's interval, 16 to the octave from 1/32 to 32; below c = 0, above it is
/// infinite and t = -1/x. c has 5 bits, so that x - c is exact, and 1 + c x is in two parts. t
/// comes in two parts as well (foi_quotient), and all else is below 2^-10 of the result: 0.503 in
/// the last place.
#include "math/bits.h"
#include "math/math.h"
#include "math/tables.h"

/// (atan t - t)/t^3 for u = t^2 <= 2^-10.
FOI_CORE double series(double u)
{
    double u2 = u * u;
    return (FOI_ATAN_3 + u * FOI_ATAN_5) + u2 * ((FOI_ATAN_7 + u * FOI_ATAN_9) + u2 * FOI_ATAN_11);
}

/// atan of (n + nl)/(d + dl), a small one, added to `about` + `tail`.
FOI_CORE foi_pair turned(double about, double tail, double n, double nl, double d, double dl)
{
    foi_pair q = foi_quotient(n, nl, d, dl);
    double t = q.hi + q.lo, u = t * t;
    foi_pair s = foi_fast_sum(about, q.hi);
    return (foi_pair){s.hi, s.lo + (tail + (q.lo + t * u * series(u)))};
}

// The row of a number in [1/32, 32).
FOI_CORE const double *row_of(double x)
{
    return foi_atan_table + ((foi_bits(x) >> 48) - (UINT64_C(0x3FA0000000000000) >> 48)) * 3;
}

double foi_atan(double x)
{
    double size = foi_magnitude(x);
    foi_pair a;
    if (size < 0x1p-5) {
        if (size < 0x1p-27) return x;
        return x + x * (x * x) * series(x * x);
    }
    if (size < 32) {
        const double *row = row_of(size);
        double c = row[0], h = foi_head(size);
        foi_pair d = foi_sum(1, c * h);
        double dl = d.lo + c * (size - h), dh = d.hi + dl;
        a = turned(row[1], row[2], size - c, 0, dh, (d.hi - dh) + dl);
    } else if (size < 0x1p64)
        a = turned(FOI_PI_2_HI, FOI_PI_2_LO, -1, 0, size, 0);
    else if (x != x)
        return foi_no_number(x);
    else
        a = (foi_pair){FOI_PI_2_HI, FOI_PI_2_LO};
    return foi_with_sign(a.hi + a.lo, x);
}

// atan(y/x) for positive numbers of a ratio in [2^-64, 2^64], scaled. Where there is a row, t is at
// most a thirtieth of the result, and its own rounding does not matter here.
static foi_pair angle(double y, double x)
{
    double z = y / x;
    if (z < 0x1p-5) return turned(0, 0, y, 0, x, 0);
    if (z >= 32) return turned(FOI_PI_2_HI, FOI_PI_2_LO, -x, 0, y, 0);
    const double *row = row_of(z);
    double c = row[0], xh = foi_head(x), n = (y - c * xh) - c * (x - xh), t = n / (x + c * y);
    foi_pair s = foi_fast_sum(row[1], t);
    return (foi_pair){s.hi, s.lo + (row[2] + t * (t * t) * series(t * t))};
}

// One of them is 0, infinite, not a number, or far larger than the other; both are positive.
static double odd_angle(double y, double x, int behind)
{
    if (x != x) return foi_no_number(x);
    if (y != y) return foi_no_number(y);
    if (x == foi_infinity() && y == x) return behind ? 3 * (FOI_PI_2_HI / 2) : FOI_PI_2_HI / 2;
    if (y == 0 || x == foi_infinity()) return behind ? FOI_PI_HI : 0;
    if (x == 0 || y == foi_infinity() || y > x) return FOI_PI_2_HI;
    return behind ? FOI_PI_HI : y / x;
}

double foi_atan2(double y, double x)
{
    double a = foi_magnitude(y), b = foi_magnitude(x), large = a > b ? a : b;
    int behind = (int)(foi_bits(x) >> 63);
    double scale = large > 0x1p900 ? 0x1p-700 : large < 0x1p-700 ? 0x1p700 : 1;
    a *= scale, b *= scale;
    if (!(a > 0 && b > 0 && a < foi_infinity() && b < foi_infinity() && a < b * 0x1p64 &&
          b < a * 0x1p64))
        return foi_with_sign(odd_angle(foi_magnitude(y), foi_magnitude(x), behind), y);
    foi_pair r = angle(a, b);
    if (behind) {
        foi_pair s = foi_fast_sum(FOI_PI_HI, -r.hi);
        r = (foi_pair){s.hi, s.lo + (FOI_PI_LO - r.lo)};
    }
    return foi_with_sign(r.hi + r.lo, y);
}

// ----------------------------------------------------------------------------------- asin and acos

// (asin x - x)/x for u = x^2 <= 1/4.
static double asin_rest(double u)
{
    double u2 = u * u, u4 = u2 * u2;
    double a = (FOI_ASIN_3 + u * FOI_ASIN_5) + u2 * (FOI_ASIN_7 + u * FOI_ASIN_9);
    double b = (FOI_ASIN_11 + u * FOI_ASIN_13) + u2 * (FOI_ASIN_15 + u * FOI_ASIN_17);
    double c = (FOI_ASIN_19 + u * FOI_ASIN_21) + u2 * (FOI_ASIN_23 + u * FOI_ASIN_25);
    double d = FOI_ASIN_27 + u * FOI_ASIN_29;
    return u * ((a + u4 * b) + u4 * u4 * (c + u4 * d));
}

// Above 1/2: acos x = 2 asin s, s = sqrt((1 - x)/2). Half of it: s in two parts, and the rest.
static foi_pair half_acos(double size)
{
    double z = 0.5 * (1 - size), s = foi_sqrt(z), h = foi_head(s);
    double sl = ((z - h * h) - (s - h) * (s + h)) * foi_half_over_root(z);
    return (foi_pair){s, sl + s * asin_rest(z)};
}

double foi_asin(double x)
{
    double size = foi_magnitude(x);
    if (size < 0.5) return size < 0x1p-27 ? x : x + x * asin_rest(x * x);
    if (!(size <= 1)) return foi_no_number(x);
    foi_pair h = half_acos(size), s = foi_fast_sum(FOI_PI_2_HI, -2 * h.hi);
    return foi_with_sign(s.hi + (s.lo + (FOI_PI_2_LO - 2 * h.lo)), x);
}

double foi_acos(double x)
{
    double size = foi_magnitude(x);
    if (size < 0.5) {
        foi_pair s = foi_fast_sum(FOI_PI_2_HI, -x);
        return s.hi + (s.lo + (FOI_PI_2_LO - x * asin_rest(x * x)));
    }
    if (!(size <= 1)) return foi_no_number(x);
    foi_pair h = half_acos(size);
    if (x > 0) return 2 * (h.hi + h.lo);
    foi_pair s = foi_fast_sum(FOI_PI_HI, -2 * h.hi);
    return s.hi + (s.lo + (FOI_PI_LO - 2 * h.lo));
}
