/// sinh, cosh, tanh.
///
/// With the table of exp: x = K + r, K = k ln2/128, a = exp(K)/2, b = exp(-K)/2, both 2^e times a
/// row and its tail. With S = a - b = sinh K and C = a + b = cosh K
///
///     sinh x = S + r + ((C - 1) r + S (cosh r - 1) + C (sinh r - r))
///     cosh x = C + (S sinh r + C (cosh r - 1))
///
/// where S is small so is C - 1: the two leading terms are summed without error, the rest is small.
#include "math/exp.h"
#include "math/math.h"

enum { LARGE = 40 }; ///< from here on exp(-x) is nothing beside exp(x)

/// sinh and cosh of one number, each as a sum.
typedef struct both {
    foi_pair s, c;
} both;

// |x| < LARGE
FOI_CORE both split(double x)
{
    double shifted = x * FOI_EXP_PER + FOI_SHIFT, k = shifted - FOI_SHIFT;
    uint64_t up = foi_bits(shifted), down = (uint64_t)0 - up, i = up & 127, j = down & 127;
    double first = x - k * FOI_EXP_STEP_HI, second = k * FOI_EXP_STEP_LO, r = first - second;
    double rl = (first - r) - second, u = r * r;
    double a = 0.5 * foi_exp_scale(foi_exp_table[2 * i], up);
    double b = 0.5 * foi_exp_scale(foi_exp_table[2 * j], down);
    double at = a * foi_exp_table[2 * i + 1], bt = b * foi_exp_table[2 * j + 1];
    foi_pair s = foi_sum(a, -b), c = foi_sum(a, b), lead = foi_sum(s.hi, r);
    double sinh_rest = r * u * (FOI_SINH_3 + u * FOI_SINH_5);
    double cosh_rest = u * (FOI_COSH_2 + u * FOI_COSH_4);
    double sl =
        (((c.hi - 1) + (c.lo + (at + bt))) * r + c.hi * rl) + (s.hi * cosh_rest + c.hi * sinh_rest);
    double cl = s.hi * (r + (rl + sinh_rest)) + c.hi * cosh_rest;
    return (both){{lead.hi, lead.lo + ((s.lo + (at - bt)) + sl)}, {c.hi, (c.lo + (at + bt)) + cl}};
}

double foi_sinh(double x)
{
    double size = foi_magnitude(x);
    if (size < 0x1p-28 || x != x) return x != x ? foi_no_number(x) : x;
    if (size >= LARGE) return foi_with_sign(foi_exp_wide(size, 0, -1), x);
    foi_pair s = split(x).s;
    return s.hi + s.lo;
}

double foi_cosh(double x)
{
    double size = foi_magnitude(x);
    if (x != x) return foi_no_number(x);
    if (size >= LARGE) return foi_exp_wide(size, 0, -1);
    foi_pair c = split(size).c;
    return c.hi + c.lo;
}

double foi_tanh(double x)
{
    double size = foi_magnitude(x);
    if (size < 0x1p-28 || x != x) return x != x ? foi_no_number(x) : x;
    if (size >= 22) return foi_with_sign(1, x);
    both b = split(x);
    foi_pair s = foi_fast_sum(b.s.hi, b.s.lo), c = foi_fast_sum(b.c.hi, b.c.lo);
    foi_pair q = foi_quotient(s.hi, s.lo, c.hi, c.lo);
    return q.hi + q.lo;
}
