#include "classic.h"

TEST(error_follows_the_tolerance)
{
    double last = INFINITY;
    for (double tolerance = 1e-3; tolerance > 1e-13; tolerance /= 100) {
        bench b;
        REQUIRE(bench_make(&b, "adams", &smooth, 0, tolerance));
        CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
        CHECK(bench_go(&b, 10));
        double error = bench_error(&b, &smooth);
        printf("tol %g error %g steps %lu rej %lu rates %lu\n", tolerance, error,
               b.o.counts.steps, b.o.counts.rejected, b.o.counts.rates);
        CHECK(error < 10 * tolerance);
        CHECK(error < last);
        last = error;
        bench_free(&b);
    }
}

TEST(kepler_orbit)
{
    for (double tolerance = 1e-3; tolerance > 1e-13; tolerance /= 100) {
        bench b;
        REQUIRE(bench_make(&b, "adams", &kepler, 0, tolerance));
        CHECK_STATUS(bench_begin(&b, &kepler, 0), FO_OK, &b.message);
        double turn = 2 * acos(-1), worst = 0, e0 = kepler_energy(b.o.x1);
        b.o.budget = 1;
        while (b.o.t1 < 3 * turn) {
            CHECK_STATUS(b.o.method->march(&b.o, 3 * turn, 3 * turn), FO_OK, &b.message);
            CHECK_STATUS(foi_solver_dense(&b.o), FO_OK, &b.message);
            for (int j = 0; j < 10; j++) {
                double x[4];
                foi_dense_at(&b.o, j / 10., x);
                worst = fmax(worst, fabs(kepler_energy(x) - e0));
            }
        }
        printf("tol %g error %g energy %g steps %lu rej %lu rates %lu\n", tolerance,
               bench_error(&b, &kepler), worst, b.o.counts.steps, b.o.counts.rejected,
               b.o.counts.rates);
        bench_free(&b);
    }
}
TEST(march_copy_jump_memory_failures)
{
    check_march("adams", &smooth);
    check_copy("adams", &smooth);
    check_jump("adams", &smooth, 1e-5);
    check_memory("adams", &smooth);
    check_failures("adams", true);
    check_empty("adams");
}
TEST_MAIN(TEST_ENTRY(error_follows_the_tolerance), TEST_ENTRY(kepler_orbit),
          TEST_ENTRY(march_copy_jump_memory_failures))
