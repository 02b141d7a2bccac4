/// The core of sine and cosine.
///
///     x = k pi/64 + r + rl,  |r| <= pi/128
///     sin x = S cos r + C sin r,  S = sin(k pi/64),  C = cos(k pi/64);  the cosine is row k + 32
///
/// C has 24 bits and r1, the head of r, 29: C r1 is exact, and so is its sum with S in two parts.
/// All else is small: the error is 0.503 in the last place. Below 2e5 three parts of pi/64 (Cody
/// and Waite) leave r to 2^-97; above, and where r is below 2^-30 of a k that is not 0, so that its
/// relative error would show, the bits of 2/pi are used (Payne and Hanek 1983).
#ifndef FOI_MATH_TRIG_H
#define FOI_MATH_TRIG_H

#include "math/bits.h"
#include "math/tables.h"

#define FOI_TRIG_OK 2e5
/// The square of r, below pi/128 by more than k can be in doubt.
#define FOI_TRIG_INSIDE 0x1.3bd3ccp-11

/// x as k (modulo 128), r and rl; not to be used where it is bad.
typedef struct foi_trig_parts {
    uint64_t k;
    double r, rl;
    int bad;
} foi_trig_parts;

/// Any finite x, by the bits of 2/pi.
foi_trig_parts foi_trig_far(double x);

/// rl may be as large as a last place of x.
FOI_CORE foi_trig_parts foi_trig_cut(double x)
{
    double shifted = x * FOI_TRIG_PER + 0x1.8p52, k = shifted - 0x1.8p52;
    double a = x - k * FOI_TRIG_STEP_1, b = k * FOI_TRIG_STEP_2, c = k * FOI_TRIG_STEP_3;
    double t = a - b, tl = (a - t) - b, r = t - c;
    int far = !(foi_magnitude(x) < FOI_TRIG_OK); // or not a number
    int close = foi_magnitude(r) < 0x1p-30;
    int turned = foi_magnitude(x) > 0x1p-6; // k is not 0
    return (foi_trig_parts){foi_bits(shifted), r, ((t - r) - c) + tl, far | (close & turned)};
}

FOI_CORE foi_trig_parts foi_trig_split(double x)
{
    foi_trig_parts p = foi_trig_cut(x);
    foi_pair s = foi_fast_sum(p.r, p.rl);
    p.r = s.hi, p.rl = s.lo;
    return p;
}

/// The first 29 of 53 bits.
FOI_CORE double foi_trig_head(double r)
{
    return foi_from_bits(foi_bits(r) & ~UINT64_C(0xFFFFFF));
}

/// The first 28 bits, rounded (Veltkamp): sooner than through the bits, where one waits for it.
FOI_CORE double foi_trig_rounded(double r)
{
    double p = r * 0x1.0000008p25;
    return p - (p - r);
}

/// The sine of row k turned by r + rl, as a sum whose second part is below 2^-10 of the first.
FOI_CORE foi_pair foi_trig_sum(uint64_t k, double r, double rl)
{
    uint64_t at = (k & 127) * 4;
    double s = foi_trig_table[at], c = foi_trig_table[at + 2], u = r * r;
    double r1 = foi_trig_head(r), r2 = (r - r1) + rl;
    foi_pair lead = foi_fast_sum(s, c * r1);
    double cosine = u * (FOI_COS_2 + u * (FOI_COS_4 + u * FOI_COS_6));
    double sine = r * u * (FOI_SIN_3 + u * (FOI_SIN_5 + u * FOI_SIN_7));
    double small = foi_trig_table[at + 1] + s * cosine;
    small += c * (r2 + sine) + foi_trig_table[at + 3] * (r + sine);
    return (foi_pair){lead.hi, lead.lo + small};
}

/// sin x from its parts.
FOI_CORE double foi_sin_core(double x, foi_trig_parts p)
{
    foi_pair s = foi_trig_sum(p.k, p.r, p.rl);
    double y = s.hi + s.lo;
    return foi_magnitude(x) < 0x1p-27 ? x : y;
}

FOI_CORE double foi_cos_core(foi_trig_parts p)
{
    foi_pair s = foi_trig_sum(p.k + 32, p.r, p.rl);
    return s.hi + s.lo;
}

#endif
