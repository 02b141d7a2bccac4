/// Enclosures: an interval that holds every exact value and every computed one.
///
/// A function's result is the rounding of a sum that is off by at most its error less one half:
/// 0.02 of a last place for those of 0.52, less than 0.5 for those of 1. So the exact value is less
/// than one step on the doubles away from a result of the former, less than two from one of the
/// latter (below a power of two steps are half as long). The derivations stand in the functions'
/// files, the tests measure them; they are not machine-checked proofs.
#ifndef FOI_MATH_BOUNDS_H
#define FOI_MATH_BOUNDS_H

#include "math/bits.h"

/// Steps outwards that enclose: exp exp2 log pow sin cos tan atan, and sqrt + - * /.
#define FOI_STEPS_FINE 1
/// ... of all the others.
#define FOI_STEPS 2

/// The n-th double below x; NaN and -infinity stay what they are.
FOI_CORE double foi_below(double x, int n)
{
    int64_t order = (int64_t)foi_bits(x);
    if (x != x) return x;
    if (order < 0) order = (int64_t)(UINT64_C(0x8000000000000000) - (uint64_t)order);
    order -= n; // doubles in their order, -0 and 0 the same
    const int64_t least = -INT64_C(0x7FF0000000000000);
    if (order < least) order = least;
    return foi_from_bits(order < 0 ? UINT64_C(0x8000000000000000) - (uint64_t)order
                                   : (uint64_t)order);
}

FOI_CORE double foi_above(double x, int n)
{
    return -foi_below(-x, n);
}

/// From lo to hi.
typedef struct foi_bounds {
    double lo, hi;
} foi_bounds;

/// Over all of [lo, hi]; lo <= hi.
foi_bounds foi_exp_bounds(double lo, double hi);
foi_bounds foi_log_bounds(double lo, double hi); ///< lo < 0: from -infinity or NaN as log itself
foi_bounds foi_sin_bounds(double lo, double hi);
foi_bounds foi_cos_bounds(double lo, double hi);

#endif
