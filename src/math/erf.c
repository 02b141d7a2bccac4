/// erf, erfc.
///
/// erf: below 1/2 a polynomial, above one for each eighth, around the value at its middle. erfc
/// from 1/2 on: exp(-x^2) times a function without zeros or ends, a polynomial for each eighth of
/// an octave. x^2 and both factors are in two parts.
#include "math/exp.h"
#include "math/math.h"

// x + the rest, below 1/2.
static foi_pair small_erf(double x)
{
    double u = x * x, u2 = u * u, u4 = u2 * u2;
    double a = (FOI_ERF_3 + u * FOI_ERF_5) + u2 * (FOI_ERF_7 + u * FOI_ERF_9);
    double b = (FOI_ERF_11 + u * FOI_ERF_13) + u2 * (FOI_ERF_15 + u * FOI_ERF_17);
    double c = (FOI_ERF_19 + u * FOI_ERF_21) + u2 * FOI_ERF_23;
    return (foi_pair){x, x * (FOI_ERF_1 + u * (a + u4 * (b + u4 * c)))};
}

// c0 + c1 d + c2 d^2 + ..., from 10 on `more` terms.
static inline double terms(const double *c, double d, int more)
{
    double d2 = d * d, d4 = d2 * d2, top = 0;
    for (int i = 7 + more; i >= 8; i--) top = top * d + c[i];
    double a = (c[0] + d * c[1]) + d2 * (c[2] + d * c[3]);
    double b = (c[4] + d * c[5]) + d2 * (c[6] + d * c[7]);
    return a + d4 * (b + d4 * top);
}

// In [1/2, 6).
static foi_pair middle_erf(double x)
{
    int i = (int)(x * 8);
    const double *row = foi_erf_table + (i - 4) * 14;
    double d = x - ((double)i + 0.5) * 0.125;
    return (foi_pair){row[0], row[1] + d * terms(row + 2, d, 4)};
}

double foi_erf(double x)
{
    double size = foi_magnitude(x);
    if (size < 0.5) {
        foi_pair s = small_erf(x);
        return s.hi + s.lo;
    }
    if (x != x) return foi_no_number(x);
    if (size >= 6) return foi_with_sign(1, x);
    foi_pair s = middle_erf(size);
    return foi_with_sign(s.hi + s.lo, x);
}

// From 1/2 to 28, exp(x^2) erfc(x).
static foi_pair scaled_erfc(double x)
{
    uint64_t index = (foi_bits(x) >> 49) - (UINT64_C(0x3FE0000000000000) >> 49);
    const double *row = foi_erfcx_table + index * 16;
    double middle = foi_from_bits(((foi_bits(x) >> 49) << 49) | UINT64_C(1) << 48), d = x - middle;
    return (foi_pair){row[0], row[1] + d * terms(row + 2, d, 6)};
}

// exp(-x^2) in two parts and a power of two, times the other factor.
static double large_erfc(double x)
{
    foi_pair q = foi_product(x, x), g = scaled_erfc(x);
    foi_exp_parts e = foi_exp_split(-q.hi, -q.lo);
    double lead = foi_head(g.hi), rest = (g.hi - lead) + g.lo, t = foi_head(e.t), tl = e.t - t;
    foi_pair s = foi_fast_sum(t * lead, tl * lead + (e.t * rest + e.rest * (g.hi + g.lo)));
    int up = foi_exp_exponent(e.k), small = 0;
    while (s.hi < 0.5) s.hi *= 2, s.lo *= 2, small++;
    return foi_scaled(s.hi, s.lo, up - small);
}

double foi_erfc(double x)
{
    double size = foi_magnitude(x);
    if (x != x) return foi_no_number(x);
    if (size < 0.5) {
        foi_pair s = small_erf(x), one = foi_fast_sum(1, -s.hi);
        return one.hi + (one.lo - s.lo);
    }
    if (x < 0) {
        if (x <= -6) return 2;
        foi_pair s = middle_erf(size), one = foi_fast_sum(1, s.hi);
        return one.hi + (one.lo + s.lo);
    }
    return x < 28 ? large_erfc(x) : 0;
}
