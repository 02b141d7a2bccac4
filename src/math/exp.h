/// The exponential function's core (Tang 1989).
///
///     x = (128 e + j) ln2/128 + r,  |r| <= ln2/256
///     exp x = 2^e T + 2^e T (tail + p(r)),   T (1 + tail) = 2^(j/128),  p = exp r - 1
///
/// The bits of x 128/ln2 + 1.5 2^52 end in the integer 128 e + j: no conversion is needed. ln2/128
/// is the sum of 35 and 53 bits, so that the first product is exact. The error is half a place of
/// the last sum and a few times |p| < 0.0028 of that for all before: 0.506 in the last place.
#ifndef FOI_MATH_EXP_H
#define FOI_MATH_EXP_H

#include "math/bits.h"
#include "math/tables.h"

#define FOI_SHIFT  0x1.8p52
#define FOI_EXP_OK 700.0 ///< up to here, on both sides, T and T p are normal numbers

/// T, T (tail + p), and k = 128 e + j in the low bits of an integer.
typedef struct foi_exp_parts {
    double t, rest;
    uint64_t k;
} foi_exp_parts;

FOI_CORE double foi_exp_rest(double r)
{
    double r2 = r * r;
    return r + r2 * ((FOI_EXP_P2 + r * FOI_EXP_P3) + r2 * (FOI_EXP_P4 + r * FOI_EXP_P5));
}

/// exp(x + xl), |x| < 1500, xl at most a last place of x.
FOI_CORE foi_exp_parts foi_exp_split(double x, double xl)
{
    double shifted = x * FOI_EXP_PER + FOI_SHIFT, k = shifted - FOI_SHIFT;
    uint64_t bits = foi_bits(shifted), j = bits & 127;
    double r = ((x - k * FOI_EXP_STEP_HI) - k * FOI_EXP_STEP_LO) + xl;
    double t = foi_exp_table[2 * j];
    return (foi_exp_parts){t, t * (foi_exp_table[2 * j + 1] + foi_exp_rest(r)), bits};
}

/// e of 128 e + j.
FOI_CORE int foi_exp_exponent(uint64_t k)
{
    return (int)(int32_t)(uint32_t)(k - (k & 127)) / 128;
}

/// 2^e times a number in [1, 2), for a normal result.
FOI_CORE double foi_exp_scale(double t, uint64_t k)
{
    return foi_from_bits(foi_bits(t) + ((k - (k & 127)) << 45));
}

/// exp(x + xl) for |x| <= FOI_EXP_OK, anything elsewhere. `about` is nearly the sum: the row is the
/// one next to it, also where xl is not small beside a row's width.
FOI_CORE double foi_exp_core(double about, double x, double xl)
{
    double shifted = about * FOI_EXP_PER + FOI_SHIFT, k = shifted - FOI_SHIFT;
    uint64_t bits = foi_bits(shifted), j = bits & 127;
    double r = ((x - k * FOI_EXP_STEP_HI) - k * FOI_EXP_STEP_LO) + xl;
    double t = foi_exp_scale(foi_exp_table[2 * j], bits);
    return t + t * (foi_exp_table[2 * j + 1] + foi_exp_rest(r));
}

/// exp(x + xl) 2^e for any x but a NaN, xl at most a last place of x; e is small.
double foi_exp_wide(double x, double xl, int e);

#endif
