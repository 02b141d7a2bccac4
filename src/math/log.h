/// The logarithm's core: a table and a short series.
///
///     x = 2^k z,  z in [0.6875, 1.375),  log x = k ln2 + log c + log(1 + r),  r = z/c - 1
///
/// 1/c has at most 11 bits and z is the sum of 26 and 27 bits, so that both products with 1/c are
/// exact. c = 1 on the two intervals that touch 1: near 1 nothing cancels. k ln2 + log c is exact
/// in its first part, on the grid of 2^-42. What is rounded is r^2/2 and smaller, |r| <= 2^-8: the
/// error is 0.502 in the last place.
#ifndef FOI_MATH_LOG_H
#define FOI_MATH_LOG_H

#include "math/bits.h"
#include "math/tables.h"

/// r + rl = z/c - 1; k, and log c in two parts.
typedef struct foi_log_parts {
    double r, rl, k, log_c, tail;
} foi_log_parts;

/// x is normal and positive: k and the row of z, and z. 1024 is added to k, so that the shift is
/// one of numbers without a sign, and taken off again.
FOI_CORE uint64_t foi_log_place(double x)
{
    return foi_bits(x) - UINT64_C(0x3FE6000000000000) + UINT64_C(0x4000000000000000);
}

FOI_CORE uint64_t foi_log_row(uint64_t place)
{
    return place >> 44 & 255;
}

FOI_CORE double foi_log_exponent(uint64_t place)
{
    return foi_from_bits(UINT64_C(0x4330000000000000) | place >> 52) - (0x1p52 + 1024);
}

/// What is added to the bits of a number for 2^-k times it.
FOI_CORE uint64_t foi_log_lift(uint64_t place)
{
    return UINT64_C(0x4000000000000000) - (place & UINT64_C(0xFFF0000000000000));
}

FOI_CORE foi_log_parts foi_log_split(double x)
{
    uint64_t place = foi_log_place(x), row = foi_log_row(place) * 3;
    double z = foi_from_bits(foi_bits(x) + foi_log_lift(place));
    double inverse = foi_log_table[row], zh = foi_head(z);
    double rh = zh * inverse - 1, rest = (z - zh) * inverse, r = rh + rest;
    return (foi_log_parts){r, (rh - r) + rest, foi_log_exponent(place), foi_log_table[row + 1],
                           foi_log_table[row + 2]};
}

/// 2^-k/c: what is added to x, times this, is added to z/c.
FOI_CORE double foi_log_scale(double x)
{
    uint64_t place = foi_log_place(x);
    double power = foi_from_bits(UINT64_C(0x3FF0000000000000) + foi_log_lift(place));
    return power * foi_log_table[foi_log_row(place) * 3];
}

/// The same for x + xl, xl at most a last place of x.
FOI_CORE foi_log_parts foi_log_split_pair(double x, double xl)
{
    foi_log_parts p = foi_log_split(x);
    p.rl += xl * foi_log_scale(x) * (1 - p.r); // log(1 + r + e) = ... + e/(1 + r)
    return p;
}

/// The same for any positive x: subnormal numbers are lifted.
FOI_CORE foi_log_parts foi_log_split_any(double x)
{
    foi_log_parts p = foi_log_split(x < 0x1p-1022 ? x * 0x1p54 : x);
    if (x < 0x1p-1022) p.k -= 54;
    return p;
}

FOI_CORE double foi_log_rest(double r)
{
    double r2 = r * r;
    return r2 * ((FOI_LOG_P2 + r * FOI_LOG_P3) +
                 r2 * ((FOI_LOG_P4 + r * FOI_LOG_P5) + r2 * (FOI_LOG_P6 + r * FOI_LOG_P7)));
}

/// The logarithm as a sum whose second part is below 2^-7 of the first or of r.
FOI_CORE foi_pair foi_log_sum(foi_log_parts p)
{
    foi_pair s = foi_fast_sum(p.k * FOI_LN2_HI + p.log_c, p.r);
    double small = (p.k * FOI_LN2_LO + p.tail) + p.rl;
    return (foi_pair){s.hi, s.lo + (small + foi_log_rest(p.r))};
}

FOI_CORE double foi_log_core(double x)
{
    foi_pair s = foi_log_sum(foi_log_split(x));
    return s.hi + s.lo;
}

/// The same to 2^-69 of itself, not renormalised: the second part is below 2^-17 of the first or of
/// r. -r^2/2 is split as well, r = r1 + r2, r1 of 26 bits, and so is r1^2 exact.
FOI_CORE foi_pair foi_log_fine(foi_log_parts p)
{
    double r = p.r, r1 = foi_head(r), r2 = (r - r1) + p.rl, q = r * r;
    double half = -0.5 * r1 * r1, less = -0.5 * r2 * (r1 + r);
    double p3 = r * q *
                ((FOI_POW_P3 + r * FOI_POW_P4) +
                 q * ((FOI_POW_P5 + r * FOI_POW_P6) + q * (FOI_POW_P7 + r * FOI_POW_P8)));
    foi_pair s = foi_fast_sum(p.k * FOI_LN2_HI + p.log_c, r), h = foi_fast_sum(s.hi, half);
    double small = (p.k * FOI_LN2_LO + p.tail) + p.rl;
    return (foi_pair){h.hi, (h.lo + s.lo) + (small + (less + p3))};
}

/// Whether x is normal and positive.
FOI_CORE int foi_is_normal(double x)
{
    return (x >= 0x1p-1022) & (x <= 0x1.fffffffffffffp1023);
}

#endif
