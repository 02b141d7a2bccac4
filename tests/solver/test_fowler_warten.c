#include "classic.h"

TEST(error_follows_the_tolerance)
{
    for (double tolerance = 1e-3; tolerance > 1e-9; tolerance /= 10) {
        bench b;
        REQUIRE(bench_make(&b, "fowler-warten", &smooth, 0, tolerance));
        CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
        CHECK(bench_go(&b, 10));
        double error = bench_error(&b, &smooth);
        printf("tol %g error %g steps %lu rej %lu rates %lu\n", tolerance, error,
               b.o.counts.steps, b.o.counts.rejected, b.o.counts.rates);
        bench_free(&b);
    }
}
// x' = lambda (x - g) + g'
static fo_status stiff_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)s;
    double rate = *(const double *)model;
    dx[0] = -rate * (x[0] - sin(t)) + cos(t);
    dx[1] = -x[1];
    dx[2] = -rate * 30 * (x[2] - 1);
    return FO_OK;
}
static double stiff_rate = 1000;
static void stiff_solution(double t, double *x)
{
    x[0] = sin(t) + 2 * exp(-stiff_rate * t);
    x[1] = exp(-t);
    x[2] = 1 + exp(-30 * stiff_rate * t);
}
static const fo_system_type stiff_type = {.kind = "C", .rates = stiff_rates};
static const problem stiff = {{&stiff_type, &smooth_about, &stiff_rate}, 3, 0, stiff_solution};
TEST(stiff_states_cost_few_steps)
{
    for (stiff_rate = 1000; stiff_rate < 2e7; stiff_rate *= 100) 
    for (double tolerance = 1e-3; tolerance > 1e-7; tolerance /= 10) {
        bench b;
        REQUIRE(bench_make(&b, "fowler-warten", &stiff, 0, tolerance));
        CHECK_STATUS(bench_begin(&b, &stiff, 0), FO_OK, &b.message);
        double worst = 0, dense = 0;
        b.o.budget = 1;
        while (b.o.t1 < 10) {
            if (b.o.method->march(&b.o, 10, 10) != FO_OK) {
                CHECK_STATUS(1, 0, &b.message);
                break;
            }
            worst = fmax(worst, bench_error(&b, &stiff));
            dense = fmax(dense, bench_dense_error(&b, &stiff));
        }
        printf("rate %g tol %g error %g dense %g steps %lu rej %lu rates %lu\n", stiff_rate, tolerance, worst, dense,
               b.o.counts.steps, b.o.counts.rejected, b.o.counts.rates);
        bench_free(&b);
    }
    stiff_rate = 1000;
}
TEST(march_copy_jump_memory_failures)
{
    check_march("fowler-warten", &smooth);
    check_copy("fowler-warten", &smooth);
    check_jump("fowler-warten", &smooth, 1e-4);
    check_memory("fowler-warten", &smooth);
    check_failures("fowler-warten", true);
    check_empty("fowler-warten");
}
TEST_MAIN(TEST_ENTRY(error_follows_the_tolerance), TEST_ENTRY(stiff_states_cost_few_steps),
          TEST_ENTRY(march_copy_jump_memory_failures))
