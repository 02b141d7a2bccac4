/// log, log2, log10, log1p.
#include "math/log.h"

#include "math/math.h"

// Where x is not positive and finite.
static double odd_log(double x)
{
    if (x == 0) return -foi_infinity();
    return x == foi_infinity() ? x : foi_no_number(x);
}

double foi_log(double x)
{
    if (foi_is_normal(x)) return foi_log_core(x);
    if (!(x > 0 && x < 1)) return odd_log(x);
    foi_pair s = foi_log_sum(foi_log_split_any(x));
    return s.hi + s.lo;
}

FOI_CORE double log2_rest(double r)
{
    double r2 = r * r;
    return r2 * ((FOI_LOG2_P2 + r * FOI_LOG2_P3) +
                 r2 * ((FOI_LOG2_P4 + r * FOI_LOG2_P5) + r2 * (FOI_LOG2_P6 + r * FOI_LOG2_P7)));
}

// log2 x = k + log2 c + r log2 e - r^2/2 log2 e + ...: the first two are exact in their first
// parts. r is exactly a head of 28 bits, the nearest one, and a rest; the head makes an exact
// product with the first 25 bits of log2 e. `less` is taken off k.
FOI_CORE double log2_of(double x, double less)
{
    uint64_t place = foi_log_place(x), row = foi_log_row(place);
    uint64_t bits = foi_bits(x) + foi_log_lift(place);
    double z = foi_from_bits(bits), zh = foi_head(foi_from_bits(bits + UINT64_C(0x4000000)));
    double inverse = foi_log_table[row * 3], head = zh * inverse - 1, rest = (z - zh) * inverse;
    double line = head * FOI_LOG2E_LO + rest * FOI_LOG2E;
    double whole = (foi_log_exponent(place) - less) + foi_log2_table[row * 2];
    foi_pair s = foi_fast_sum(whole, head * FOI_LOG2E_HI);
    return s.hi + (s.lo + ((foi_log2_table[row * 2 + 1] + line) + log2_rest(head + rest)));
}

// On the two intervals that touch 1, where the line is all of the result.
static double log2_beside_one(double r)
{
    double h = foi_head(r), line = h * FOI_LOG2E_LO + (r - h) * FOI_LOG2E;
    return h * FOI_LOG2E_HI + (line + log2_rest(r));
}

double foi_log2(double x)
{
    const uint64_t from = UINT64_C(0x3FEFF00000000000), to = UINT64_C(0x3FF0100000000000);
    if (foi_bits(x) - from < to - from) return log2_beside_one(x - 1);
    if (foi_is_normal(x)) return log2_of(x, 0);
    return x > 0 && x < 1 ? log2_of(x * 0x1p54, 54) : odd_log(x);
}

// log z times log10 e, of which 26 bits are apart: the head of the sum makes an exact product with
// them, and the rest of it is at most 2^-26 of it. k is scaled by itself.
FOI_CORE double log10_of(foi_log_parts p)
{
    double sum = p.log_c + p.r, h = foi_head(sum);
    double rest = ((p.log_c - h) + p.r) + ((p.tail + p.rl) + foi_log_rest(p.r));
    double lo = rest * FOI_LOG10E + h * FOI_LOG10E_LO;
    foi_pair a = foi_fast_sum(p.k * FOI_LOG10_2_HI, h * FOI_LOG10E_HI);
    return a.hi + (a.lo + (lo + p.k * FOI_LOG10_2_LO));
}

double foi_log10(double x)
{
    if (foi_is_normal(x)) return log10_of(foi_log_split(x));
    return x > 0 && x < 1 ? log10_of(foi_log_split_any(x)) : odd_log(x);
}

double foi_log1p(double x)
{
    double size = foi_magnitude(x);
    if (size < 0x1p-8) {
        double y = x + foi_log_rest(x);
        return size < 0x1p-54 ? x : y;
    }
    if (!(x > -1 && x < foi_infinity())) return odd_log(1 + x);
    if (size > 0x1p60) return foi_log_core(x);
    foi_pair one = foi_sum(1, x), s = foi_log_sum(foi_log_split_pair(one.hi, one.lo));
    return s.hi + s.lo;
}
