/// The power's core: exp(y log x), the logarithm and the product in two doubles.
///
/// The logarithm is good to 2^-69 of itself; times |y log x| < 745 this is 0.011 in the last place,
/// and exp adds 0.506.
#ifndef FOI_MATH_POW_H
#define FOI_MATH_POW_H

#include "math/exp.h"
#include "math/log.h"

/// y (l.hi + l.lo), the first part exact: 26 times 26 bits. What is left of l.hi + l.lo is at
/// most 2^-17 of it, and rounded once more.
FOI_CORE foi_pair foi_pow_product(double y, foi_pair l)
{
    double yh = foi_head(y), lh = foi_head(l.hi);
    return (foi_pair){yh * lh, (y - yh) * lh + y * ((l.hi - lh) + l.lo)};
}

/// y log x in two parts, and about: which row of exp is next to their sum. The second part may be
/// 2^-17 of the first, 0.005, which is as much as a row is wide. Nearly all of that is r^3/3.
typedef struct foi_pow_parts {
    double about, hi, lo;
} foi_pow_parts;

/// For a positive x, whose logarithm's parts these are.
FOI_CORE foi_pow_parts foi_pow_exponent(double y, foi_log_parts parts)
{
    foi_pair l = foi_log_fine(parts), e = foi_pow_product(y, l);
    double r = parts.r, about = y * (l.hi + r * (r * r) * FOI_POW_P3);
    return (foi_pow_parts){about, e.hi, e.lo};
}

#endif
