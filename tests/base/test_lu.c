/// Dense linear systems: generated matrices whose solutions are known, and such that have none.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/lu.h"
#include "test.h"

enum { MOST = 14 };

static uint64_t seed = 88172645463325252u;

static double draw(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (double)(int64_t)(seed >> 11) * 0x1p-52 - 1;
}

static void multiply(size_t n, const double *a, const double *x, double *b)
{
    for (size_t i = 0; i < n; i++) {
        b[i] = 0;
        for (size_t j = 0; j < n; j++) b[i] += a[i * n + j] * x[j];
    }
}

static double largest(size_t n, const double *v)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

// Wilkinson: |a x - b| <= 8 n^3 growth eps |a| |x|; partial pivoting of these grows less than n.
TEST(residuals_are_rounding_errors)
{
    int wrong = 0, other_bits = 0;
    for (int round = 0; round < 2000; round++) {
        size_t n = 1 + (size_t)round % MOST, pivot[MOST];
        double a[MOST * MOST], lu[MOST * MOST], b[MOST], x[MOST], y[MOST], back[MOST];
        for (size_t i = 0; i < n * n; i++) a[i] = draw() < -0.4 ? 0 : draw();
        for (size_t i = 0; i < n; i++) b[i] = draw();
        memcpy(lu, a, sizeof a), memcpy(x, b, sizeof b), memcpy(y, b, sizeof b);
        if (!foi_lu_factor(n, lu, pivot)) continue;
        foi_lu_solve(n, lu, pivot, x);
        multiply(n, a, x, back);
        for (size_t i = 0; i < n; i++) back[i] -= b[i];
        double slack = 8 * pow((double)n, 4) * 0x1p-52 * (largest(n * n, a) * largest(n, x) + 1);
        wrong += !(largest(n, back) <= slack);
        memcpy(lu, a, sizeof a);
        other_bits += !foi_lu_eliminate(n, lu, y) || memcmp(x, y, n * sizeof *x) != 0;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(other_bits, 0);
}

// A permuted triangular matrix of powers of two has a solution without any rounding.
TEST(rows_in_any_order_give_the_exact_solution)
{
    for (int round = 0; round < 500; round++) {
        size_t n = 1 + (size_t)round % MOST, order[MOST];
        double a[MOST * MOST] = {0}, x[MOST], b[MOST];
        for (size_t i = 0; i < n; i++) order[i] = i, x[i] = floor(8 * draw());
        for (size_t i = n; i-- > 1;) {
            size_t k = (size_t)((draw() + 1) / 2 * (double)i), kept = order[i];
            order[i] = order[k], order[k] = kept;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = i; j < n; j++) a[order[i] * n + j] = i == j ? 2 : draw() > 0 ? 1 : 0;
        multiply(n, a, x, b);
        CHECK(foi_lu_eliminate(n, a, b));
        int wrong = 0;
        for (size_t i = 0; i < n; i++) wrong += b[i] != x[i];
        CHECK_INT(wrong, 0);
    }
}

TEST(what_is_singular_or_no_number_is_refused)
{
    double same[] = {1, 2, 3, 1, 2, 3, 4, 5, 7}, b[] = {1, 2, 3};
    CHECK(!foi_lu_eliminate(3, same, b));
    double zero[] = {0, 0, 0, 1}, nan[] = {NAN, 1, 1, 1}, infinite[] = {INFINITY, 1, 1, 1};
    size_t pivot[2];
    CHECK(!foi_lu_factor(2, zero, pivot));
    CHECK(!foi_lu_factor(2, nan, pivot));
    CHECK(!foi_lu_factor(2, infinite, pivot));
    CHECK(foi_lu_factor(0, zero, pivot));
}

TEST_MAIN(TEST_ENTRY(residuals_are_rounding_errors),
          TEST_ENTRY(rows_in_any_order_give_the_exact_solution),
          TEST_ENTRY(what_is_singular_or_no_number_is_refused))
