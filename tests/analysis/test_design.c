// Designs: what a Latin hypercube, Sobol's sequence and quantiles promise.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/design.h"
#include "test.h"

// Phi(quantile(u)) = u, also far out in the tail, where digits are lost first.
TEST(normal_quantiles)
{
    CHECK_NEAR(foi_normal_quantile(0.5), 0, 1e-16);
    CHECK_NEAR(foi_normal_quantile(0.975), 1.959963984540054, 1e-14);
    CHECK_NEAR(foi_normal_quantile(1e-10), -6.361340902404056, 1e-13);
    for (double u = 1e-300; u < 0.5; u *= 3.7) {
        double back = erfc(-foi_normal_quantile(u) / sqrt(2)) / 2;
        CHECK_NEAR(back / u, 1, 1e-12);
    }
}

// Mean and deviation of each distribution, from its quantiles.
TEST(moments_of_distributions)
{
    static const struct {
        const char *text;
        double mean, deviation;
    } list[] = {
        {"x=uniform(1, 4)", 2.5, 0.8660254037844386},
        {"x=1..4", 2.5, 0.8660254037844386},
        {"x=normal(2, 0.5)", 2, 0.5},
        {"x=exponential(3)", 3, 3},
        {"x=triangular(0, 1, 3)", 4 / 3., 0.6236095644623236},
        {"x=weibull(2, 1)", 2, 2},
        {"x=lognormal(0, 0.5)", 1.1331484530668263, 0.6039005332108811},
        {"x=log(1..100)", 21.497576854210965, 24.95810312},
    };
    enum { POINTS = 200000 };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        foi_range r;
        fo_message why = {0};
        CHECK_STATUS(foi_range_read(&r, list[i].text, NULL, &why), FO_OK, &why);
        double sum = 0, squares = 0;
        for (int k = 0; k < POINTS; k++) {
            double x = foi_range_quantile(&r, (k + 0.5) / POINTS);
            sum += x, squares += (x - list[i].mean) * (x - list[i].mean);
        }
        CHECK_NEAR(sum / POINTS, list[i].mean, 2e-4 * list[i].mean);
        if (strncmp(list[i].text, "x=log(", 6) != 0)
            CHECK_NEAR(sqrt(squares / POINTS), list[i].deviation, 2e-3 * list[i].deviation);
        foi_range_destroy(&r);
    }
}

// Every slice of every range once, for any count and seed; and the orders differ.
TEST(latin_hypercubes)
{
    enum { MOST = 1000 };
    static bool hit[MOST];
    for (uint64_t n = 1; n <= MOST; n = n * 3 + 1)
        for (uint32_t k = 0; k < 5; k++) {
            memset(hit, 0, sizeof hit);
            uint64_t fixed = 0;
            for (uint64_t i = 0; i < n; i++) {
                double u = foi_design_unit(FO_DESIGN_LATIN, 7, i, n, k);
                CHECK(u > 0 && u < 1);
                uint64_t slice = (uint64_t)(u * (double)n);
                CHECK(!hit[slice]);
                hit[slice] = true, fixed += slice == i;
            }
            if (n > 100) CHECK(fixed < n / 10);
        }
}

// 2^m points of Sobol's sequence: each of 2^m equal slices of a range has one, and of the first two
// ranges each rectangle of area 2^-m (a (0, m, 2)-net); scrambling keeps that.
TEST(sobol_nets)
{
    enum { M = 8, N = 1 << M };
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (uint32_t k = 0; k < FOI_SOBOL_DIMENSIONS; k++) {
            bool hit[N] = {0};
            for (uint64_t i = 0; i < N; i++)
                hit[(int)(foi_design_unit(FO_DESIGN_SOBOL, seed, i, N, k) * N)] = true;
            for (int i = 0; i < N; i++) CHECK(hit[i]);
        }
        for (int a = 0; a <= M; a++) {
            bool hit[N] = {0};
            for (uint64_t i = 0; i < N; i++) {
                int x = (int)(foi_design_unit(FO_DESIGN_SOBOL, seed, i, N, 0) * (1 << a));
                int y = (int)(foi_design_unit(FO_DESIGN_SOBOL, seed, i, N, 1) * (1 << (M - a)));
                hit[x << (M - a) | y] = true;
            }
            for (int i = 0; i < N; i++) CHECK(hit[i]);
        }
    }
}

// The integral of prod (1 + (x_k - 1/2)) is 1: better than random points in every dimension.
TEST(sobol_integrates)
{
    enum { N = 4096, D = 21 };
    double sum[2] = {0};
    for (int which = 0; which < 2; which++)
        for (uint64_t i = 0; i < N; i++) {
            double product = 1;
            for (uint32_t k = 0; k < D; k++)
                product *=
                    0.5 + foi_design_unit(which ? FO_DESIGN_RANDOM : FO_DESIGN_SOBOL, 1, i, N, k);
            sum[which] += product / N;
        }
    CHECK_NEAR(sum[0], 1, 0.02);
    CHECK_NEAR(sum[1], 1, 0.2);
}

TEST(lines_of_a_grid)
{
    foi_range r;
    fo_message why = {0};
    CHECK_STATUS(foi_range_read(&r, "m=0.1:2:20", NULL, &why), FO_OK, &why);
    CHECK_TEXT(r.name, "m");
    CHECK_INT((long long)r.count, 20);
    CHECK(foi_range_line(&r, 0) == 0.1 && foi_range_line(&r, 19) == 2);
    CHECK_NEAR(foi_range_line(&r, 1), 0.2, 1e-16);
    CHECK_STATUS(foi_range_read(&r, "k=log(0.1:10:5)", NULL, &why), FO_OK, &why);
    CHECK(foi_range_line(&r, 0) == 0.1 && foi_range_line(&r, 4) == 10);
    CHECK_NEAR(foi_range_line(&r, 2), 1, 1e-15);
    CHECK_STATUS(foi_range_read(&r, "k = 3:1:3", NULL, &why), FO_OK, &why);
    CHECK_NEAR(foi_range_line(&r, 1), 2, 1e-15);
}

// Ranges whose ends have no difference or ratio that is a double, or no product: their middle and
// quarters, in order, of a grid and of samples alike.
TEST(far_apart)
{
    static const struct {
        const char *text, *line;
        double quarter, half;
    } list[] = {
        {"x=log(1e-300..1e300)", "x=log(1e-300:1e300:5)", 1e-150, 1},
        {"x=log(-1e300..-1e-300)", "x=log(-1e300:-1e-300:5)", -1e150, -1},
        {"x=log(1e-200..1e-180)", "x=log(1e-200:1e-180:5)", 1e-195, 1e-190},
        {"x=log(1e180..1e200)", "x=log(1e180:1e200:5)", 1e185, 1e190},
        {"x=-1.6e308..1.6e308", "x=-1.6e308:1.6e308:5", -0.8e308, 0},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        foi_range r, line;
        fo_message why = {0};
        CHECK_STATUS(foi_range_read(&r, list[i].text, NULL, &why), FO_OK, &why);
        CHECK_STATUS(foi_range_read(&line, list[i].line, NULL, &why), FO_OK, &why);
        double quarter = list[i].quarter, half = list[i].half;
        CHECK_NEAR(foi_range_quantile(&r, 0.25) / quarter, 1, 1e-12);
        CHECK_NEAR(foi_range_line(&line, 1) / quarter, 1, 1e-12);
        CHECK_NEAR(foi_range_quantile(&r, 0.5), half, 1e-12 * fabs(half));
        CHECK_NEAR(foi_range_line(&line, 2), half, 1e-12 * fabs(half));
        for (int k = 1; k < 1000; k++)
            CHECK(foi_range_quantile(&r, k / 1000.) > foi_range_quantile(&r, (k - 1) / 1000.));
        foi_range_destroy(&r);
        foi_range_destroy(&line);
    }
}

TEST(words_of_truth)
{
    static const double wanted[] = {1, 0, 0, 1};
    foi_range r;
    fo_message why = {0};
    CHECK_STATUS(foi_range_read(&r, "b=true, false,0,true", NULL, &why), FO_OK, &why);
    REQUIRE(r.count == 4);
    for (uint64_t i = 0; i < 4; i++) CHECK_NEAR(foi_range_line(&r, i), wanted[i], 0);
    foi_range_destroy(&r);
    CHECK(foi_range_read(&r, "b=trues", NULL, &why) != FO_OK);
    CHECK(foi_range_read(&r, "b=true false", NULL, &why) != FO_OK);
}

TEST_MAIN(TEST_ENTRY(far_apart), TEST_ENTRY(words_of_truth), TEST_ENTRY(normal_quantiles),
          TEST_ENTRY(moments_of_distributions), TEST_ENTRY(latin_hypercubes),
          TEST_ENTRY(sobol_nets), TEST_ENTRY(sobol_integrates), TEST_ENTRY(lines_of_a_grid))
