/// What the functions of this room share: doubles as bits, sums and products without error.
///
/// Everything here is plain IEEE 754 arithmetic on doubles, one operation after the other. Where a
/// sum or a product is called exact, it is so for the ranges that the caller has, and then a fused
/// multiply-add would give the same bits; nowhere else (but in trig_quick.h, whose doubt has it in
/// it) may one be used (-ffp-contract=off).
#ifndef FOI_MATH_BITS_H
#define FOI_MATH_BITS_H

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "math/constants.h"

#if !defined(__TINYC__)
_Static_assert(FLT_EVAL_METHOD == 0, "doubles are computed as doubles");
#endif

/// Inlined always: the cores stand in scalar and in vector functions.
#define FOI_CORE __attribute__((always_inline)) static inline

/// A number as the sum of two, the second much smaller.
typedef struct foi_pair {
    double hi, lo;
} foi_pair;

FOI_CORE uint64_t foi_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

FOI_CORE double foi_from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

FOI_CORE double foi_magnitude(double x)
{
    return foi_from_bits(foi_bits(x) & UINT64_C(0x7FFFFFFFFFFFFFFF));
}

/// The size of one with the sign of the other.
FOI_CORE double foi_with_sign(double size, double sign)
{
    return foi_from_bits((foi_bits(size) & UINT64_C(0x7FFFFFFFFFFFFFFF)) |
                         (foi_bits(sign) & UINT64_C(0x8000000000000000)));
}

/// The one not-a-number that a function gives by itself: positive and quiet.
FOI_CORE double foi_nan(void)
{
    return foi_from_bits(UINT64_C(0x7FF8000000000000));
}

FOI_CORE double foi_infinity(void)
{
    return foi_from_bits(UINT64_C(0x7FF0000000000000));
}

/// The answer where an argument is not a number: that number, quiet. Elsewhere foi_nan().
FOI_CORE double foi_no_number(double x)
{
    return x != x ? x + x : foi_nan();
}

/// 2^e for a normal number.
FOI_CORE double foi_power_of_two(int e)
{
    return foi_from_bits((uint64_t)(1023 + e) << 52);
}

/// The first 26 of 53 bits; the rest, x minus this, has 27. A product of two heads is exact, and so
/// is one of a head and a rest.
FOI_CORE double foi_head(double x)
{
    return foi_from_bits(foi_bits(x) & ~UINT64_C(0x7FFFFFF));
}

/// a + b exactly, for |a| >= |b| or a = 0 (Dekker 1971).
FOI_CORE foi_pair foi_fast_sum(double a, double b)
{
    double hi = a + b;
    return (foi_pair){hi, (a - hi) + b};
}

/// a + b exactly (Knuth).
FOI_CORE foi_pair foi_sum(double a, double b)
{
    double hi = a + b, from_b = hi - a;
    return (foi_pair){hi, (a - (hi - from_b)) + (b - from_b)};
}

/// a * b to 2^-77 of it, but for over- and underflow (as Veltkamp and Dekker).
FOI_CORE foi_pair foi_product(double a, double b)
{
    double ah = foi_head(a), al = a - ah, bh = foi_head(b), bl = b - bh, hi = a * b;
    return (foi_pair){hi, ((ah * bh - hi) + (ah * bl + al * bh)) + al * bl};
}

/// (n + nl) / (d + dl) to some 2^-75: a quotient of 26 bits, whose remainder is exact, and the
/// rest.
FOI_CORE foi_pair foi_quotient(double n, double nl, double d, double dl)
{
    double inverse = 1 / d, q = foi_head(n * inverse), dh = foi_head(d);
    double rest = ((n - q * dh) - q * (d - dh)) + (nl - q * dl);
    return (foi_pair){q, rest * inverse};
}

/// 1/(2 sqrt(x)) to 3.5 in 100 for a normal and positive x, by halving its exponent (Robertson
/// 2012): enough for what corrects a root by less than its last place, and no division. Where x is
/// 0 it is large and finite.
FOI_CORE double foi_half_over_root(double x)
{
    return foi_from_bits(UINT64_C(0x5FD6EB50C7B537A9) - (foi_bits(x) >> 1));
}

/// Twice, so that neither factor leaves the range of normal numbers.
FOI_CORE double foi_times_power(double x, int e)
{
    int half = e / 2;
    return x * foi_power_of_two(half) * foi_power_of_two(e - half);
}

/// (hi + lo) 2^e, rounded once also where the result is subnormal; |e| < 1200, hi + lo in [1/8, 8).
/// Below 2^-1022 the last place is 2^-1074: a number is added whose last place that is. hi + lo is
/// positive.
static inline double foi_scaled(double hi, double lo, int e)
{
    double y = hi + lo, size = foi_magnitude(y);
    if (e > -1019 || size * foi_power_of_two(e + 1022 < -100 ? -100 : e + 1022) >= 1)
        return foi_times_power(y, e);
    if (e < -1090) return foi_times_power(y, e > -1200 ? e : -1200);
    double rest = (hi - y) + lo, big = foi_power_of_two(52 - 1074 - e);
    foi_pair s = foi_fast_sum(big, y);
    return foi_times_power((s.hi + (s.lo + rest)) - big, e);
}

#endif
