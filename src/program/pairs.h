/// Numbers as the sum of two doubles, the second at most half a last place of the first (T. J.
/// Dekker, A floating-point technique for extending the available precision, Numerische Mathematik
/// 18, 1971; Y. Hida, X. S. Li and D. H. Bailey, 2001): some 31 digits.
#ifndef FOI_PROGRAM_PAIRS_H
#define FOI_PROGRAM_PAIRS_H

#include "math/bits.h"

FOI_CORE foi_pair foi_pair_whole(double hi)
{
    return (foi_pair){hi, 0};
}

// What is no number, or too large for the products of halves, has no second part.
FOI_CORE foi_pair foi_pair_trim(foi_pair a)
{
    foi_pair s = foi_fast_sum(a.hi, a.lo);
    return foi_magnitude(s.hi) <= DBL_MAX ? s : foi_pair_whole(a.hi);
}

FOI_CORE foi_pair foi_pair_add(foi_pair a, foi_pair b)
{
    foi_pair s = foi_sum(a.hi, b.hi), t = foi_sum(a.lo, b.lo), z;
    z = foi_fast_sum(s.hi, s.lo + t.hi);
    z = foi_fast_sum(z.hi, z.lo + t.lo);
    return foi_magnitude(z.hi) <= DBL_MAX ? z : foi_pair_whole(s.hi);
}

FOI_CORE foi_pair foi_pair_negative(foi_pair a)
{
    return (foi_pair){-a.hi, -a.lo};
}

// a b to 2^-106: terms in the order in which they are subtracted without error.
FOI_CORE foi_pair foi_pair_product(double a, double b)
{
    double ah = foi_head(a), al = a - ah, bh = foi_head(b), bl = b - bh, hi = a * b;
    return (foi_pair){hi, (((ah * bh - hi) + ah * bl) + al * bh) + al * bl};
}

FOI_CORE foi_pair foi_pair_times(foi_pair a, foi_pair b)
{
    foi_pair p = foi_pair_product(a.hi, b.hi);
    p.lo += a.hi * b.lo + a.lo * b.hi;
    return foi_pair_trim(p);
}

/// a / b.
foi_pair foi_pair_ratio(foi_pair a, foi_pair b);

#endif
