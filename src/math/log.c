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

// log z times f + fl, f of 26 bits. k, which other bases scale otherwise, is left out. The head of
// the sum makes an exact product; the rest of it is at most 2^-26 of it.
FOI_CORE foi_pair scaled_log(foi_log_parts p, double f, double fl)
{
    double sum = p.log_c + p.r, h = foi_head(sum);
    double lo = ((p.log_c - h) + p.r) + ((p.tail + p.rl) + foi_log_rest(p.r));
    return (foi_pair){h * f, lo * (f + fl) + h * fl};
}

FOI_CORE double log2_of(foi_log_parts p)
{
    foi_pair s = scaled_log(p, FOI_LOG2E_HI, FOI_LOG2E_LO), a = foi_fast_sum(p.k, s.hi);
    return a.hi + (a.lo + s.lo);
}

double foi_log2(double x)
{
    if (foi_is_normal(x)) return log2_of(foi_log_split(x, 0));
    return x > 0 && x < 1 ? log2_of(foi_log_split_any(x)) : odd_log(x);
}

FOI_CORE double log10_of(foi_log_parts p)
{
    foi_pair s = scaled_log(p, FOI_LOG10E_HI, FOI_LOG10E_LO);
    foi_pair a = foi_fast_sum(p.k * FOI_LOG10_2_HI, s.hi);
    return a.hi + (a.lo + (s.lo + p.k * FOI_LOG10_2_LO));
}

double foi_log10(double x)
{
    if (foi_is_normal(x)) return log10_of(foi_log_split(x, 0));
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
    foi_pair one = foi_sum(1, x), s = foi_log_sum(foi_log_split(one.hi, one.lo));
    return s.hi + s.lo;
}
