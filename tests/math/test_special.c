// Special values, as C17's Annex F says, and functions that are exact.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "test.h"

typedef double function_of_one(double x);
typedef double function_of_two(double x, double y);

static const double inf = INFINITY, nan_ = NAN;

static bool same(double a, double b)
{
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && signbit(a) == signbit(b);
}

static const struct {
    const char *name;
    function_of_one *f;
    double x, y;
} values[] = {
// clang-format off
#define V(name, x, y) {#name, foi_##name, x, y}
    V(exp, 0.0, 1), V(exp, -0.0, 1), V(exp, -INFINITY, 0), V(exp, INFINITY, INFINITY), V(exp, 1e300, INFINITY),
    V(exp, -1e300, 0), V(exp, 709.79, INFINITY), V(exp, -745.14, 0), V(exp, -745.13, 0x1p-1074),
    V(exp, 0x1p-1074, 1),
    V(exp2, 0.0, 1), V(exp2, -0.0, 1), V(exp2, -INFINITY, 0), V(exp2, INFINITY, INFINITY), V(exp2, 10, 1024),
    V(exp2, -1074, 0x1p-1074), V(exp2, -1022, 0x1p-1022), V(exp2, 1023, 0x1p1023), V(exp2, 1024, INFINITY),
    V(expm1, 0.0, 0.0), V(expm1, -0.0, -0.0), V(expm1, -INFINITY, -1), V(expm1, INFINITY, INFINITY),
    V(expm1, -1e5, -1), V(expm1, 0x1p-1074, 0x1p-1074),
    V(log, 0.0, -INFINITY), V(log, -0.0, -INFINITY), V(log, 1, 0.0), V(log, -1, NAN), V(log, INFINITY, INFINITY),
    V(log, -INFINITY, NAN), V(log2, 0.0, -INFINITY), V(log2, -0.0, -INFINITY), V(log2, 1, 0.0), V(log2, -1, NAN),
    V(log2, INFINITY, INFINITY), V(log2, 0x1p-1074, -1074), V(log2, 8, 3), V(log2, 0x1p1023, 1023),
    V(log10, 0.0, -INFINITY), V(log10, -0.0, -INFINITY), V(log10, 1, 0.0), V(log10, -1, NAN), V(log10, 1000, 3),
    V(log10, 1e22, 22), V(log10, 10, 1), V(log10, INFINITY, INFINITY),
    V(log1p, 0.0, 0.0), V(log1p, -0.0, -0.0), V(log1p, -1, -INFINITY), V(log1p, -2, NAN),
    V(log1p, INFINITY, INFINITY), V(log1p, -INFINITY, NAN),
    V(cbrt, 0.0, 0.0), V(cbrt, -0.0, -0.0), V(cbrt, INFINITY, INFINITY), V(cbrt, -INFINITY, -INFINITY), V(cbrt, -27, -3),
    V(cbrt, 0x1p-1074, 0x1p-358), V(cbrt, 1e300, 1e100),
    V(sin, 0.0, 0.0), V(sin, -0.0, -0.0), V(sin, INFINITY, NAN), V(sin, -INFINITY, NAN), V(sin, 0x1p-1074, 0x1p-1074),
    V(cos, 0.0, 1), V(cos, -0.0, 1), V(cos, INFINITY, NAN), V(tan, 0.0, 0.0), V(tan, -0.0, -0.0), V(tan, INFINITY, NAN),
    V(asin, 0.0, 0.0), V(asin, -0.0, -0.0), V(asin, 1.1, NAN), V(asin, 1, 0x1.921fb54442d18p+0),
    V(acos, 1, 0.0), V(acos, 1.1, NAN), V(acos, -1, 0x1.921fb54442d18p+1), V(acos, -INFINITY, NAN),
    V(atan, 0.0, 0.0), V(atan, -0.0, -0.0), V(atan, INFINITY, 0x1.921fb54442d18p+0), V(atan, -INFINITY, -0x1.921fb54442d18p+0),
    V(sinh, 0.0, 0.0), V(sinh, -0.0, -0.0), V(sinh, INFINITY, INFINITY), V(sinh, -INFINITY, -INFINITY), V(sinh, -1000, -INFINITY),
    V(cosh, 0.0, 1), V(cosh, -0.0, 1), V(cosh, INFINITY, INFINITY), V(cosh, -INFINITY, INFINITY), V(cosh, -1e5, INFINITY),
    V(tanh, 0.0, 0.0), V(tanh, -0.0, -0.0), V(tanh, INFINITY, 1), V(tanh, -INFINITY, -1), V(tanh, -30, -1),
    V(asinh, 0.0, 0.0), V(asinh, -0.0, -0.0), V(asinh, INFINITY, INFINITY), V(asinh, -INFINITY, -INFINITY),
    V(acosh, 1, 0.0), V(acosh, 0.5, NAN), V(acosh, INFINITY, INFINITY), V(acosh, -INFINITY, NAN),
    V(atanh, 0.0, 0.0), V(atanh, -0.0, -0.0), V(atanh, 1, INFINITY), V(atanh, -1, -INFINITY), V(atanh, 2, NAN),
    V(erf, 0.0, 0.0), V(erf, -0.0, -0.0), V(erf, INFINITY, 1), V(erf, -INFINITY, -1), V(erfc, INFINITY, 0.0), V(erfc, -INFINITY, 2),
    V(erfc, 0.0, 1), V(erfc, 30, 0.0),
    V(tgamma, 0.0, INFINITY), V(tgamma, -0.0, -INFINITY), V(tgamma, -1, NAN), V(tgamma, -INFINITY, NAN),
    V(tgamma, INFINITY, INFINITY), V(tgamma, 1, 1), V(tgamma, 2, 1), V(tgamma, 5, 24), V(tgamma, 19, 6402373705728000),
    V(tgamma, 172, INFINITY), V(tgamma, -200.5, -0.0), V(tgamma, -201.5, 0.0),
    V(lgamma, 1, 0.0), V(lgamma, 2, 0.0), V(lgamma, 0.0, INFINITY), V(lgamma, -3, INFINITY), V(lgamma, INFINITY, INFINITY),
    V(lgamma, -INFINITY, INFINITY), V(lgamma, 1e308, INFINITY),
    V(floor, -0.0, -0.0), V(floor, -0.5, -1), V(ceil, -0.5, -0.0), V(ceil, 0.5, 1), V(trunc, -0.9, -0.0), V(round, 0.5, 1),
    V(round, -0.5, -1), V(round, 2.5, 3), V(round, -0.4, -0.0), V(round, 0x1.fffffffffffffp-2, 0.0), V(floor, INFINITY, INFINITY),
    V(sqrt, -0.0, -0.0), V(sqrt, -1, NAN), V(sqrt, 2, 0x1.6a09e667f3bcdp+0),
#undef V
    // clang-format on
};

TEST(special_values_of_one)
{
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        double got = values[i].f(values[i].x);
        if (!same(got, values[i].y))
            test_fail(__FILE__, __LINE__, "%s(%a) is %a, not %a", values[i].name, values[i].x, got,
                      values[i].y);
        if (!isnan(values[i].x)) CHECK(isnan(values[i].f(nan_)));
        if (isnan(got)) CHECK(strcmp(values[i].name, "sqrt") == 0 || !signbit(got));
    }
}

static const double odd[] = {0.0,
                             -0.0,
                             1,
                             -1,
                             0.5,
                             -0.5,
                             2,
                             -2,
                             3,
                             -3,
                             1e300,
                             -1e300,
                             0x1p-1074,
                             -0x1p-1074,
                             INFINITY,
                             -INFINITY,
                             NAN,
                             1.5,
                             -1.5,
                             1e-300,
                             4503599627370497,
                             9007199254740991,
                             9007199254740994,
                             0x1.fffffffffffffp-1,
                             -0x1.fffffffffffffp-1,
                             1024,
                             -1075};
enum { ODD = sizeof odd / sizeof odd[0] };

// The C library's values are right where they are 0, 1, infinite or not numbers.
static void compare(const char *name, function_of_two *f, function_of_two *theirs)
{
    for (int i = 0; i < ODD; i++)
        for (int k = 0; k < ODD; k++) {
            double want = theirs(odd[i], odd[k]), got = f(odd[i], odd[k]);
            bool special = want == 0 || fabs(want) == 1 || !isfinite(want);
            bool good = special ? same(got, want) : fabs(got - want) <= 1e-15 * fabs(want);
            if (!good)
                test_fail(__FILE__, __LINE__, "%s(%a, %a) is %a, not %a", name, odd[i], odd[k], got,
                          want);
        }
}

TEST(special_values_of_two)
{
    compare("pow", foi_pow, pow);
    compare("atan2", foi_atan2, atan2);
    compare("hypot", foi_hypot, hypot);
    compare("fmod", foi_fmod, fmod);
    CHECK(foi_hypot(INFINITY, NAN) == INFINITY && foi_hypot(NAN, -INFINITY) == INFINITY);
}

// Any bits at all: what is exact is the same as in any C library.
TEST(exact_functions)
{
    uint64_t s = 1;
    for (int i = 0; i < 200000; i++) {
        double x, y;
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t a = s ^ s >> 31;
        s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t b = s ^ s >> 31;
        if (i % 2) { // numbers that have halves
            x = (double)(int64_t)(a >> 40) / 16 - 500000, y = (double)(int64_t)(b >> 50) / 8 - 512;
        } else
            memcpy(&x, &a, sizeof x), memcpy(&y, &b, sizeof y);
        CHECK(same(foi_floor(x), floor(x)) && same(foi_ceil(x), ceil(x)));
        CHECK(same(foi_trunc(x), trunc(x)) && same(foi_round(x), round(x)));
        CHECK(same(foi_fmod(x, y), fmod(x, y)));
    }
}

TEST(remainders_of_large_quotients_are_exact)
{
    CHECK(foi_remain(1e17, 7) == 5 && foi_remain(-1e17, 7) == -5 && foi_remain(1e17, -7) == 5);
    CHECK(foi_modulo(1e17, 7) == 5 && foi_modulo(-1e17, 7) == 2 && foi_modulo(1e17, -7) == -2);
    CHECK(foi_remain(1e308, 1e-300) == fmod(1e308, 1e-300));
    CHECK(foi_modulo(-7.5, 2) == 0.5 && foi_remain(-7.5, 2) == -1.5 && isnan(foi_modulo(1, 0)));
}

// Where a/b is no whole number as it is computed, fmod; where it is, nothing is left.
TEST(remainders_are_exact)
{
    CHECK(foi_remain(1e10, 0.007) == fmod(1e10, 0.007));
    CHECK(foi_modulo(-1e10, 0.007) == fmod(-1e10, 0.007) + 0.007);
    CHECK(foi_modulo(3, 0.1) == 0 && foi_remain(-3, 0.1) == 0 && foi_modulo(1, 0.1) == 0);
    CHECK(foi_modulo(0.3, 0.1) == fmod(0.3, 0.1)); // 0.3/0.1 is below 3
    for (uint64_t i = 1; i < 20000; i++) {
        double k = (double)(i * 0x9e3779b97f4a7c15u >> (14 + i % 50));
        double b = (double)(i * 0xbf58476d1ce4e5b9u >> 11) * 0x1p-50, by = i % 3 ? 1 : 0x1p-960;
        CHECK(foi_lost(k, b * by) == fma(k, b, -(k * b)) * by);
    }
    CHECK(foi_lost(1e200, 1e200) == 0 && foi_lost(0, 3) == 0);
}

TEST(least_and_most)
{
    CHECK(foi_fmax(1, 2) == 2 && foi_fmax(2, 1) == 2 && foi_fmin(1, 2) == 1 && foi_fmin(2, 1) == 1);
    CHECK(foi_fmax(nan_, 1) == 1 && foi_fmax(1, nan_) == 1 && isnan(foi_fmax(nan_, nan_)));
    CHECK(foi_fmin(nan_, 1) == 1 && foi_fmin(1, nan_) == 1 && foi_fmax(-inf, inf) == inf);
    CHECK(signbit(foi_fmax(-0.0, 0.0)) && !signbit(foi_fmax(0.0, -0.0)));
    CHECK(!signbit(foi_plain(-nan_)) && foi_plain(-1) == -1);
}

TEST_MAIN(TEST_ENTRY(special_values_of_one), TEST_ENTRY(special_values_of_two),
          TEST_ENTRY(exact_functions), TEST_ENTRY(least_and_most),
          TEST_ENTRY(remainders_of_large_quotients_are_exact), TEST_ENTRY(remainders_are_exact))
