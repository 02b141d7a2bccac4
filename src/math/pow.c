/// pow.
#include "math/pow.h"

#include "math/math.h"

// 0: not an integer, 1: an odd one, 2: an even one.
static int parity(double y)
{
    double size = foi_magnitude(y);
    if (size >= 0x1p53) return 2;
    if (size < 1) return size == 0 ? 2 : 0;
    uint64_t bits = foi_bits(size), unit = UINT64_C(1) << (1075 - (bits >> 52));
    if (bits & (unit - 1)) return 0;
    uint64_t mantissa = (bits & UINT64_C(0xFFFFFFFFFFFFF)) | UINT64_C(1) << 52;
    return mantissa & unit ? 1 : 2;
}

// One of them is 0, infinite or not a number.
static double odd_pow(double x, double y)
{
    double size = foi_magnitude(x);
    if (y == 0 || x == 1) return 1;
    if (x != x) return foi_no_number(x);
    if (y != y) return foi_no_number(y);
    if (foi_magnitude(y) == foi_infinity()) {
        if (size == 1) return 1;
        return (size > 1) == (y > 0) ? foi_infinity() : 0;
    }
    double result = (size == 0) == (y < 0) ? foi_infinity() : 0;
    return foi_bits(x) >> 63 && parity(y) == 1 ? -result : result;
}

static double slow_pow(double x, double y)
{
    double size = foi_magnitude(x);
    if (y == 0 || x == 1) return 1;
    if (!(size > 0 && size < foi_infinity() && foi_magnitude(y) < foi_infinity()))
        return odd_pow(x, y);
    int kind = x < 0 ? parity(y) : 2;
    if (kind == 0) return foi_nan();
    foi_log_parts log = foi_log_split_any(size);
    double rough = y * foi_log_fine(log).hi, result;
    if (rough > 1000)
        result = foi_infinity();
    else if (rough < -1000)
        result = 0;
    else {
        foi_pow_parts e = foi_pow_exponent(y, log);
        foi_pair sum = foi_fast_sum(e.hi, e.lo);
        result = foi_magnitude(e.hi) <= FOI_EXP_OK ? foi_exp_core(e.about, e.hi, e.lo)
                                                   : foi_exp_wide(sum.hi, sum.lo, 0);
    }
    return kind == 1 ? -result : result;
}

double foi_pow(double x, double y)
{
    if (!foi_is_normal(x)) return slow_pow(x, y);
    foi_pow_parts e = foi_pow_exponent(y, foi_log_split(x));
    if (foi_magnitude(e.hi) <= FOI_EXP_OK) return foi_exp_core(e.about, e.hi, e.lo);
    return slow_pow(x, y);
}
