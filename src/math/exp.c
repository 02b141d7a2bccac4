/// exp, exp2, expm1.
#include "math/exp.h"

#include "math/math.h"

double foi_exp_wide(double x, double xl, int e)
{
    if (x > 1400) return foi_infinity();
    if (x < -1400) return 0;
    foi_exp_parts p = foi_exp_split(x, xl);
    return foi_scaled(p.t, p.rest, foi_exp_exponent(p.k) + e);
}

double foi_exp(double x)
{
    if (foi_magnitude(x) <= FOI_EXP_OK) return foi_exp_core(x, x, 0);
    return x != x ? foi_no_number(x) : foi_exp_wide(x, 0, 0);
}

// r = (x - k/128) ln2, where the difference is exact.
double foi_exp2(double x)
{
    if (x != x) return foi_no_number(x);
    if (x > 1100) return foi_infinity();
    if (x < -1100) return 0;
    double shifted = x * 128 + FOI_SHIFT, k = shifted - FOI_SHIFT;
    uint64_t bits = foi_bits(shifted), j = bits & 127;
    double t = foi_exp_table[2 * j], r = (x - k * 0x1p-7) * FOI_LN2;
    double rest = foi_exp_table[2 * j + 1] + foi_exp_rest(r);
    if (foi_magnitude(x) > 1000) return foi_scaled(t, t * rest, foi_exp_exponent(bits));
    t = foi_exp_scale(t, bits);
    return t + t * rest;
}

// exp x - 1 = 2^e (A + T (p + tail)) with A = T - c, c = 2^-e. T p = c r + (A r + T (p - r)): where
// A is small the leading term is c r, which is exact, and what is left is small against both.
double foi_expm1(double x)
{
    double size = foi_magnitude(x);
    if (size < 0x1p-54) return x;
    if (x != x) return foi_no_number(x);
    if (x > FOI_EXP_OK) return foi_exp_wide(x, 0, 0);
    if (x < -40) return -1;
    double shifted = x * FOI_EXP_PER + FOI_SHIFT, k = shifted - FOI_SHIFT;
    uint64_t bits = foi_bits(shifted), j = bits & 127;
    double first = x - k * FOI_EXP_STEP_HI, second = k * FOI_EXP_STEP_LO, r = first - second;
    double rl = (first - r) - second, t = foi_exp_table[2 * j], r2 = r * r;
    double p2 = r2 * ((FOI_EXP_P2 + r * FOI_EXP_P3) + r2 * (FOI_EXP_P4 + r * FOI_EXP_P5));
    int e = foi_exp_exponent(bits);
    if (e > 64) return foi_exp_core(x, x, 0);
    double c = foi_power_of_two(-e);
    foi_pair a = foi_sum(t, -c), s = foi_sum(a.hi, c * r);
    double tail = foi_exp_table[2 * j + 1];
    double small = (a.hi * r + t * p2) + t * ((tail + tail * r) + rl);
    return foi_power_of_two(e) * (s.hi + (s.lo + (a.lo + small)));
}
