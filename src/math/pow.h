/// The power's core: exp(y log x), the logarithm and the product in two doubles.
///
/// The logarithm is good to 2^-69 of itself; times |y log x| < 745 this is 0.011 in the last place,
/// and exp adds 0.506. The sum of the product is brought into order before: of a pair whose second
/// part is not small exp would take the row that is nearest to the first part alone, and leave its
/// series a number that is too large for it.
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

/// y log x for a positive x, whose logarithm's parts these are.
FOI_CORE foi_pair foi_pow_exponent(double y, foi_log_parts parts)
{
    foi_pair e = foi_pow_product(y, foi_log_fine(parts));
    return foi_fast_sum(e.hi, e.lo);
}

#endif
