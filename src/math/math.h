/// Elementary functions of our own, the same bits everywhere.
///
/// The C library's functions differ from one library to the next, and on one machine with and
/// without fused multiply-adds. These are plain IEEE 754 arithmetic in a fixed order: gcc, clang
/// and tcc, x86-64, AArch64 and WebAssembly give the same bits, one by one and in vectors. They
/// have names of their own, so that no compiler computes a constant call by its own arithmetic.
///
/// Errors, in units of the last place of the exact result (the test measures them against MPFR):
///
///     at most 0.52    exp exp2 log pow sin cos tan atan sqrt
///     at most 1       expm1 log2 log10 log1p cbrt hypot asin acos atan2 sinh cosh tanh asinh acosh
///                     atanh erf erfc tgamma lgamma
///     none            fmod floor ceil trunc round
///
/// lgamma at x < 0 near its zeros: at most FOI_LGAMMA_ABSOLUTE times max(1, |log gamma(1 - x)|)
/// where that is more. Special values are those of C17's Annex F; errno and the flags are left
/// alone. A NaN that a function makes is positive; one that it is given goes through.
///
/// Rounding to nearest is assumed, as everywhere in the library.
#ifndef FOI_MATH_H
#define FOI_MATH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Counts up when the bits of a function change: results of other versions may differ.
#define FOI_MATH_VERSION 3

#define FOI_LGAMMA_ABSOLUTE 0x1p-58

double foi_exp(double x);
double foi_exp2(double x);
double foi_expm1(double x);
double foi_log(double x);
double foi_log2(double x);
double foi_log10(double x);
double foi_log1p(double x);
double foi_pow(double x, double y);
double foi_cbrt(double x);
double foi_hypot(double x, double y);
double foi_sin(double x);
double foi_cos(double x);
double foi_tan(double x);
double foi_asin(double x);
double foi_acos(double x);
double foi_atan(double x);
double foi_atan2(double y, double x);
double foi_sinh(double x);
double foi_cosh(double x);
double foi_tanh(double x);
double foi_asinh(double x);
double foi_acosh(double x);
double foi_atanh(double x);
double foi_erf(double x);
double foi_erfc(double x);
double foi_tgamma(double x);
double foi_lgamma(double x);
double foi_fmod(double x, double y);

/// A whole part of this size: hardly anything is left of what comes after it.
#define FOI_FAR 0x1p50

/// a - trunc(a/b) b and a - floor(a/b) b, exactly but for one rounding; 0 where a/b is a whole
/// number as it is computed, and the remainder says that it is just short of it.
double foi_remain(double a, double b);
double foi_modulo(double a, double b);

/// What is lost where a b is rounded: the product less the double, where that is finite and |a| no
/// larger than FOI_FAR; otherwise 0. So c - a b - foi_lost(a, b) is rounded once, where c is no
/// more than twice a b.
double foi_lost(double a, double b);

/// Correctly rounded by IEEE 754 itself.
static inline double foi_sqrt(double x)
{
    return sqrt(x);
}

/// The integer nearest to x, of two the even one: adding and taking off 2^52 rounds to it.
static inline double foi_near(double x)
{
    double size = fabs(x), whole = (size + 0x1p52) - 0x1p52;
    return copysign(size < 0x1p52 ? whole : size, x);
}

static inline double foi_floor(double x)
{
    double n = foi_near(x);
    return x != x ? x : copysign(n > x ? n - 1 : n, x);
}

static inline double foi_ceil(double x)
{
    double n = foi_near(x);
    return x != x ? x : copysign(n < x ? n + 1 : n, x);
}

static inline double foi_trunc(double x)
{
    double size = fabs(x), n = foi_near(size);
    return x != x ? x : copysign(n > size ? n - 1 : n, x);
}

/// Halves go away from 0.
static inline double foi_round(double x)
{
    double size = fabs(x), n = foi_near(size);
    return x != x ? x : copysign(size - n >= 0.5 ? n + 1 : n - size > 0.5 ? n - 1 : n, x);
}

/// The larger one; a number where only one of them is; the first of equal ones, whatever the sign
/// of a zero: C leaves that open, and machines differ.
static inline double foi_fmax(double a, double b)
{
    return b > a || a != a ? b : a;
}

static inline double foi_fmin(double a, double b)
{
    return b < a || a != a ? b : a;
}

/// Every NaN becomes the positive quiet one, for what is printed, hashed or sent: machines differ
/// in the sign of 0/0.
static inline double foi_plain(double x)
{
    return x != x ? NAN : x;
}

#endif
