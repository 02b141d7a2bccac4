// Which side of the imaginary axis eigenvalues lie on, against matrices whose eigenvalues are
// planted.
#include <foliot/random.h>
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/spectrum.h"
#include "test.h"

enum { MOST = 12 };

/// A = S D S^-1 in extended precision, so that its entries are right to the last digit.
typedef struct planted {
    size_t n;
    double a[MOST * MOST];
    int right, on; ///< how many eigenvalues
} planted;

// A product of shears: its inverse is known without rounding of its own. `steep`: how
// ill-conditioned.
static void mix(fo_random *r, size_t n, long double *d, double steep, int shears)
{
    for (int t = 0; t < shears && n > 1; t++) {
        size_t i = (size_t)(fo_random_unit(r) * (double)n),
               k = (size_t)(fo_random_unit(r) * (double)n);
        long double by = ldexpl(floorl(fo_random_uniform(r, -steep, steep) * 64), -6);
        if (i == k) continue;
        for (size_t q = 0; q < n; q++) d[i * n + q] += by * d[k * n + q]; // from the left
        for (size_t q = 0; q < n; q++) d[q * n + k] -= by * d[q * n + i]; // its inverse
    }
}

enum { STABLE, CENTRE, UNSTABLE };

static planted plant(fo_random *r, size_t n, int kind, double steep, double time)
{
    planted p = {.n = n};
    long double d[MOST * MOST] = {0};
    for (size_t i = 0; i < n;) {
        bool pair = i + 1 < n && fo_random_unit(r) < 0.5, first = i == 0;
        double re = -fo_random_uniform(r, 0.2, 2), im = fo_random_uniform(r, 0.3, 3);
        int sign = first && kind == UNSTABLE ? 1 : -1;
        bool on = first && kind == CENTRE;
        d[i * n + i] = on ? 0 : -sign * re;
        if (pair) {
            d[(i + 1) * n + i + 1] = d[i * n + i];
            d[i * n + i + 1] = im, d[(i + 1) * n + i] = -im;
        }
        int size = pair ? 2 : 1;
        p.on += on ? size : 0, p.right += sign > 0 ? size : 0;
        i += (size_t)size;
    }
    mix(r, n, d, steep, 3 * (int)n);
    for (size_t i = 0; i < n * n; i++) p.a[i] = (double)(d[i] * time);
    return p;
}

static void rescale(planted *p, fo_random *r, double decades)
{
    double by[MOST];
    for (size_t i = 0; i < p->n; i++) by[i] = pow(10, fo_random_uniform(r, -decades, decades));
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->n; k++) p->a[i * p->n + k] *= by[i] / by[k];
}

static void check(const planted *p)
{
    double re[MOST], im[MOST];
    int8_t side[MOST];
    bool singular;
    int right = 0, on = 0;
    CHECK_INT(foi_spectrum(p->n, p->a, NULL, re, im, side, &singular, NULL), FO_OK);
    for (size_t i = 0; i < p->n; i++) right += side[i] > 0, on += side[i] == 0;
    CHECK_INT(right, p->right);
    CHECK_INT(on, p->on);
}

TEST(planted_sides)
{
    fo_random r = fo_random_stream(21, 4);
    for (size_t n = 1; n <= MOST; n++)
        for (int kind = STABLE; kind <= UNSTABLE; kind++)
            for (int trial = 0; trial < 40; trial++) {
                double steep = trial % 2 ? 1 : 0.25, time = pow(10, fo_random_uniform(&r, -9, 9));
                planted p = plant(&r, n, kind, steep, time);
                check(&p);
                rescale(&p, &r, trial % 4 < 2 ? 12 : 3);
                check(&p);
            }
}

// One pair on the axis and several zeros of which one is a chain: rounding moves the zeros by the
// root of its size, to both sides.
TEST(chains_of_zeros)
{
    fo_random r = fo_random_stream(3, 4);
    for (size_t length = 1; length <= 4; length++)
        for (int trial = 0; trial < 20; trial++) {
            size_t n = length + 3;
            planted p = {.n = n, .on = (int)length + 2};
            long double d[MOST * MOST] = {0};
            for (size_t i = 0; i + 1 < length; i++) d[i * n + i + 1] = 1;
            d[length * n + length + 1] = 2, d[(length + 1) * n + length] = -2;
            d[n * n - 1] = -1;
            mix(&r, n, d, 0.5, 12);
            for (size_t i = 0; i < n * n; i++) p.a[i] = (double)d[i];
            check(&p);
        }
}

// A slow part is known as well as if there was no fast one, where it does not depend on it.
TEST(parts_of_their_own)
{
    const double a[] = {-1e12, 0, 0, 1e9, 0, 1e-9, 0, -1e-9, -1e-30};
    double re[3], im[3];
    int8_t side[3];
    bool singular;
    CHECK_INT(foi_spectrum(3, a, NULL, re, im, side, &singular, NULL), FO_OK);
    for (int i = 0; i < 3; i++) CHECK_INT(side[i], i < 2 ? 0 : -1);
    CHECK(!singular);
    const double b[] = {-1e12, 0, 5, -1e-12};
    CHECK_INT(foi_spectrum(2, b, NULL, re, im, side, &singular, NULL), FO_OK);
    CHECK_INT(side[0], -1);
    CHECK_INT(side[1], -1);
    CHECK(re[0] == -1e-12 && re[1] == -1e12);
    CHECK(!singular);
    const double noise[] = {0, 0, 0, 2e-12};
    CHECK_INT(foi_spectrum(2, b, noise, re, im, side, &singular, NULL), FO_OK);
    CHECK_INT(side[0], 0);
    CHECK(singular);
}

// e^(ah) - 1 keeps the digits of what is slow beside what is fast, in any units.
TEST(slow_beside_fast)
{
    const double a[] = {-1e6, 0, 1e6, -1e-3};
    double f[4], work[8];
    foi_exponential_less_one(2, a, 100, f, work);
    CHECK_NEAR(f[3], expm1(-0.1), 1e-14);
    CHECK_NEAR(f[0], -1, 1e-14);
    CHECK_NEAR(f[2], 1e6 / (1e6 - 1e-3) * exp(-0.1), 1e-13);
    const double b[] = {0, 1e15, -1e-15, 0};
    foi_exponential(2, b, 3, f, work);
    CHECK_NEAR(f[0], cos(3), 1e-14);
    CHECK_NEAR(f[1], 1e15 * sin(3), 10);
}

TEST_MAIN(TEST_ENTRY(planted_sides), TEST_ENTRY(chains_of_zeros), TEST_ENTRY(parts_of_their_own),
          TEST_ENTRY(slow_beside_fast))
