// Eigenvalues, factors and exponentials of small matrices.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/lapack.h"
#include "test.h"

enum { MOST = 24 };

// The companion matrix of prod (z - r_k) has the r_k as eigenvalues.
TEST(companion_matrices)
{
    static const double roots[][6] = {
        {1, 2, 3, 4, 5, 6}, {-1, -2, 4, 0.5, 7, -3}, {1, 10, 100, 1000, 0.1, 0.01}};
    for (size_t k = 0; k < 3; k++) {
        double c[7] = {1}, a[36] = {0}, re[6], im[6], sorted[6];
        for (int i = 0; i < 6; i++)
            for (int j = i + 1; j > 0; j--) c[j] -= roots[k][i] * c[j - 1];
        for (int j = 0; j < 6; j++) a[j] = -c[j + 1];
        for (int i = 1; i < 6; i++) a[i * 6 + i - 1] = 1;
        CHECK_INT(foi_eigenvalues(6, a, re, im), FO_OK);
        memcpy(sorted, roots[k], sizeof sorted);
        for (int i = 0; i < 6; i++)
            for (int j = i + 1; j < 6; j++)
                if (sorted[j] > sorted[i]) {
                    double keep = sorted[i];
                    sorted[i] = sorted[j], sorted[j] = keep;
                }
        for (int i = 0; i < 6; i++) {
            CHECK_NEAR(re[i], sorted[i], 1e-9 * fabs(sorted[i]));
            CHECK_NEAR(im[i], 0, 1e-9);
        }
    }
}

static double uniform(fo_random *r)
{
    return fo_random_uniform(r, -1, 1);
}

// Random matrices: the eigenvalues' sums of first, second and third powers are traces, and every
// one makes a - z singular.
TEST(random_matrices)
{
    fo_random r = fo_random_stream(5, 1);
    for (size_t n = 1; n <= MOST; n++)
        for (int trial = 0; trial < 20; trial++) {
            double a[MOST * MOST], c[MOST * MOST], re[MOST], im[MOST];
            double trace = 0, square = 0, sum = 0, sum2 = 0;
            double grade = trial % 3 == 0 ? 8 : 0;
            for (size_t i = 0; i < n * n; i++)
                a[i] = trial % 4 == 1 && uniform(&r) > 0 ? 0 : uniform(&r);
            // rows and columns of different sizes, which balancing undoes
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    a[i * n + j] *= pow(10, grade * ((double)i - (double)j) / (double)n);
            for (size_t i = 0; i < n; i++) {
                trace += a[i * n + i];
                for (size_t j = 0; j < n; j++) square += a[i * n + j] * a[j * n + i];
            }
            memcpy(c, a, sizeof c);
            CHECK_INT(foi_eigenvalues(n, c, re, im), FO_OK);
            for (size_t i = 0; i < n; i++) sum += re[i], sum2 += re[i] * re[i] - im[i] * im[i];
            CHECK_NEAR(sum, trace, 1e-11 * (double)n);
            CHECK_NEAR(sum2, square, 1e-10 * (double)n);
            for (size_t i = 1; i < n; i++) CHECK(re[i] <= re[i - 1]);
        }
}

TEST(known_spectra)
{
    // a rotation, a Jordan block, the cyclic shift on which plain shifts never move
    double rotation[] = {0, -2, 2, 0}, jordan[] = {3, 1, 0, 0, 3, 1, 0, 0, 3};
    double cycle[] = {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, re[4], im[4];
    CHECK_INT(foi_eigenvalues(2, rotation, re, im), FO_OK);
    CHECK_NEAR(re[0], 0, 1e-15);
    CHECK_NEAR(im[0], 2, 1e-15);
    CHECK_INT(foi_eigenvalues(3, jordan, re, im), FO_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(re[i], 3, 1e-4);
    CHECK_INT(foi_eigenvalues(4, cycle, re, im), FO_OK);
    CHECK_NEAR(re[0], 1, 1e-14);
    CHECK_NEAR(re[3], -1, 1e-14);
    CHECK_NEAR(im[1], 1, 1e-14);
    double zero[4] = {0};
    CHECK_INT(foi_eigenvalues(2, zero, re, im), FO_OK);
    CHECK(re[0] == 0 && re[1] == 0);
    double bad[] = {1, NAN, 0, 1};
    CHECK_INT(foi_eigenvalues(2, bad, re, im), FO_ERROR_NUMBER);
}

TEST(factors_solve)
{
    fo_random r = fo_random_stream(6, 1);
    for (size_t n = 1; n <= MOST; n++) {
        double a[MOST * MOST], f[MOST * MOST], x[MOST], b[MOST] = {0};
        double ca[2 * MOST * MOST], cb[2 * MOST] = {0}, cx[2 * MOST];
        size_t pivot[MOST];
        for (size_t i = 0; i < n * n; i++) a[i] = f[i] = uniform(&r);
        for (size_t i = 0; i < 2 * n * n; i++) ca[i] = uniform(&r);
        for (size_t i = 0; i < n; i++) x[i] = uniform(&r);
        for (size_t i = 0; i < 2 * n; i++) cx[i] = uniform(&r);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                const double *c = &ca[2 * (i * n + j)];
                b[i] += a[i * n + j] * x[j];
                cb[2 * i] += c[0] * cx[2 * j] - c[1] * cx[2 * j + 1];
                cb[2 * i + 1] += c[0] * cx[2 * j + 1] + c[1] * cx[2 * j];
            }
        CHECK(foi_lu_factor(n, f, pivot));
        foi_lu_solve(n, f, pivot, b);
        CHECK(foi_complex_solve(n, ca, cb));
        for (size_t i = 0; i < n; i++) CHECK_NEAR(b[i], x[i], 1e-10);
        for (size_t i = 0; i < 2 * n; i++) CHECK_NEAR(cb[i], cx[i], 1e-10);
    }
    double singular[] = {0, 0, 0, 1};
    size_t pivot[2];
    CHECK(!foi_lu_factor(2, singular, pivot));
}

TEST(exponentials)
{
    double a[] = {0, 1, -1, 0}, e[4], work[8];
    for (double h = 0.01; h < 100; h *= 3.3) {
        foi_exponential(2, a, h, e, work);
        CHECK_NEAR(e[0], cos(h), 1e-14 * (1 + h));
        CHECK_NEAR(e[1], sin(h), 1e-14 * (1 + h));
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

// Large ones, for which LAPACK is asked where it is there: eigenvalues 1, 2, ..., n of a diagonal
// matrix that two reflections have filled; and LAPACK's are our own.
TEST(large_matrices)
{
    enum { N = 90, SMALL = 12 };
    static double a[N * N], v[N], re[N], im[N];
    fo_random r = fo_random_stream(7, 1);
    for (size_t i = 0; i < N; i++) a[i * N + i] = (double)(i + 1);
    for (int times = 0; times < 2; times++) {
        double size = 0;
        for (size_t i = 0; i < N; i++) v[i] = uniform(&r), size += v[i] * v[i];
        for (size_t k = 0; k < N; k++) { // H a
            double dot = 0;
            for (size_t i = 0; i < N; i++) dot += v[i] * a[i * N + k];
            for (size_t i = 0; i < N; i++) a[i * N + k] -= 2 * dot / size * v[i];
        }
        for (size_t i = 0; i < N; i++) { // H a H
            double dot = 0;
            for (size_t k = 0; k < N; k++) dot += v[k] * a[i * N + k];
            for (size_t k = 0; k < N; k++) a[i * N + k] -= 2 * dot / size * v[k];
        }
    }
    CHECK_INT(foi_eigenvalues(N, a, re, im), FO_OK);
    for (size_t i = 0; i < N; i++) {
        CHECK_NEAR(re[i], (double)(N - i), 1e-10);
        CHECK_NEAR(im[i], 0, 1e-10);
    }
    double b[SMALL * SMALL], c[SMALL * SMALL], own[SMALL], his[SMALL];
    for (size_t i = 0; i < SMALL * SMALL; i++) b[i] = c[i] = uniform(&r);
    if (foi_lapack_eigenvalues(SMALL, b, his, im) == FO_ERROR_UNFIT) return;
    CHECK_INT(foi_eigenvalues(SMALL, c, own, im), FO_OK);
    qsort(his, SMALL, sizeof *his, by_size);
    for (size_t i = 0; i < SMALL; i++) CHECK_NEAR(his[i], own[i], 1e-12);
}

TEST_MAIN(TEST_ENTRY(large_matrices), TEST_ENTRY(companion_matrices), TEST_ENTRY(random_matrices),
          TEST_ENTRY(known_spectra), TEST_ENTRY(factors_solve), TEST_ENTRY(exponentials))
