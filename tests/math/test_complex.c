// Functions of complex numbers: against those of the C library, which has its own roundings.
#include "math/complex.h"

#include <math.h>
#include <string.h>

#include "points.h"
#include "test.h"

typedef double complex map(double complex z);

// CMPLX, which not every compiler has.
static double complex number(double re, double im)
{
    double parts[2] = {re, im};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static const struct {
    const char *name;
    map *ours, *theirs;
} maps[] = {
#define MAP(name)               \
    {                           \
#name, foi_##name, name \
    }
    MAP(cexp),  MAP(clog),  MAP(csqrt), MAP(csin),  MAP(ccos),  MAP(ctan),
    MAP(casin), MAP(cacos), MAP(catan), MAP(csinh), MAP(ccosh), MAP(ctanh),
};

static bool near(double complex a, double complex b, double within)
{
    double off = cabs(a - b), size = cabs(b);
    return off <= within * size || off < 1e-300;
}

static double complex any(uint64_t *state)
{
    static const range ranges[] = {{EVEN, -3, 3}, {SIGNED, -6, 4}, {EVEN, -1, 1}};
    range r = ranges[draw_bits(state) % 3];
    double x = draw(state, r), y = draw(state, r);
    switch (draw_bits(state) % 20) { // the axes and the cuts
    case 0: return number(x, 0.0);
    case 1: return number(x, -0.0);
    case 2: return number(0.0, y);
    case 3: return number(-0.0, y);
    default: return number(x, y);
    }
}

TEST(functions_of_one)
{
    uint64_t state = 7;
    for (int i = 0; i < 20000; i++) {
        double complex z = any(&state);
        for (size_t k = 0; k < sizeof maps / sizeof maps[0]; k++) {
            double complex got = maps[k].ours(z), want = maps[k].theirs(z);
            if (!near(got, want, 1e-13))
                test_fail(__FILE__, __LINE__,
                          "%s(%a + %a i) is %.17g + %.17g i, not %.17g + %.17g i", maps[k].name,
                          creal(z), cimag(z), creal(got), cimag(got), creal(want), cimag(want));
        }
        CHECK(fabs(foi_cabs(z) - cabs(z)) <= 1e-15 * cabs(z));
        CHECK(fabs(foi_carg(z) - carg(z)) <= 1e-15 * fabs(carg(z)));
    }
}

TEST(functions_of_two)
{
    uint64_t state = 8;
    for (int i = 0; i < 20000; i++) {
        double complex a = any(&state), b = any(&state);
        if (b == 0 || a == 0) continue;
        CHECK(near(foi_cdivide(a, b), a / b, 1e-15));
        CHECK(near(foi_cdivide(a * 0x1p900, b * 0x1p950), a / b * 0x1p-50, 1e-15));
        CHECK(near(foi_cdivide(a * 0x1p-1000, b * 0x1p-990), a / b * 0x1p-10, 1e-15));
        double complex power = cpow(a, b);
        CHECK(near(foi_cpow(a, b), power, 1e-12));
    }
}

TEST(edges)
{
    double complex far = foi_cdivide(number(1, 1), number(0.0, 0.0));
    CHECK(isinf(creal(far)) && isinf(cimag(far)));
    CHECK(foi_cdivide(number(1, 2), number(INFINITY, 0.0)) == 0);
    CHECK(isinf(creal(foi_cdivide(number(INFINITY, NAN), number(1, 1)))));
    CHECK(foi_cpow(number(0, 0), number(0, 0)) == 1 && foi_cpow(number(0, 0), number(2, 0)) == 0);
    CHECK(near(foi_csqrt(number(1e308, 1e308)), csqrt(number(1e308, 1e308)), 1e-15));
    CHECK(near(foi_csqrt(number(1e-310, -1e-309)), csqrt(number(1e-310, -1e-309)), 1e-12));
    CHECK(near(foi_cexp(number(709.9, 1)), cexp(number(709.9, 1)), 1e-14));
    CHECK(near(foi_clog(number(0x1.fffffffffffffp-1, 1e-9)),
               clog(number(0x1.fffffffffffffp-1, 1e-9)), 1e-14));
    CHECK(signbit(cimag(foi_csqrt(number(-4, -0.0)))) && cimag(foi_csqrt(number(-4, 0.0))) == 2);
}

TEST_MAIN(TEST_ENTRY(functions_of_one), TEST_ENTRY(functions_of_two), TEST_ENTRY(edges))
