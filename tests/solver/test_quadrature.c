#include "classic.h"

static const char *const all[] = {"trapezoid", "simpson"};

static fo_status integrand(const void *model, const fo_state *s, double t, const double *x,
                           double *dx)
{
    (void)model, (void)s, (void)x;
    dx[0] = exp(-t * t);
    return FO_OK;
}
static void zero(double t, double *x)
{
    (void)t;
    x[0] = 0;
}
static const fo_system_type integral_type = {.kind = "C", .rates = integrand};
static const problem integral = {{&integral_type, &smooth_about, NULL}, 1, 0, zero};

// x' = f(t): the composite rules themselves, step for step.
TEST(quadrature_is_the_rule_itself)
{
    for (int i = 0; i < 2; i++) {
        bench b;
        REQUIRE(bench_make(&b, all[i], &integral, 0.25, 1e-6));
        CHECK_STATUS(bench_begin(&b, &integral, 0), FO_OK, &b.message);
        b.o.budget = 1;
        double sum = 0;
        for (int j = 0; j < 8; j++) {
            double t = j * 0.25, m = t + 0.125, e = t + 0.25;
            double f0 = exp(-t * t), fm = exp(-m * m), f1 = exp(-e * e);
            sum += i == 0 ? 0.25 / 2 * (f0 + f1) : 0.25 / 6 * (f0 + 4 * fm + f1);
            CHECK_STATUS(b.o.method->march(&b.o, 2, 2), FO_OK, &b.message);
            CHECK_NEAR(b.o.x1[0], sum, 4e-16);
        }
        CHECK_NEAR(b.o.x1[0], sqrt(acos(-1)) / 2 * erf(2), i == 0 ? 1e-3 : 1e-5);
        CHECK(fabs(b.o.x1[0] - sqrt(acos(-1)) / 2 * erf(2)) > (i == 0 ? 1e-5 : 1e-8));
        bench_free(&b);
    }
}

TEST(orders_are_as_stated)
{
    CHECK_NEAR(measured_order("trapezoid", &smooth, 0.05, 2), 2, 0.2);
    CHECK_NEAR(measured_order("simpson", &smooth, 0.05, 2), 4, 0.2);
    CHECK_NEAR(measured_order("trapezoid", &swing, 0.05, 2), 2, 0.2);
    CHECK_NEAR(measured_order("simpson", &swing, 0.05, 2), 4, 0.2);
}

TEST(dense_orders_are_as_stated)
{
    CHECK_NEAR(measured_dense_order("trapezoid", &smooth, 0.05, 1), 2, 0.3);
    CHECK_NEAR(measured_dense_order("simpson", &smooth, 0.05, 1), 4, 0.3);
}

TEST(work_per_step_is_fixed)
{
    for (int i = 0; i < 2; i++) {
        bench b;
        REQUIRE(bench_make(&b, all[i], &smooth, 0.01, 1e-6));
        CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
        CHECK(bench_go(&b, 1));
        CHECK_INT((long long)b.o.counts.rates, 100 * (i == 0 ? 3 : 6));
        CHECK(b.o.method->info.traits & FO_FIXED_WORK);
        bench_free(&b);
    }
}

TEST(march_copy_jump_memory_failures)
{
    for (int i = 0; i < 2; i++) {
        check_march(all[i], &smooth);
        check_reading(all[i], &smooth, 1e-6, 2);
        check_copy(all[i], &smooth);
        check_jump(all[i], &smooth, 2e-4);
        check_memory(all[i], &smooth);
        check_failures(all[i], false);
        check_empty(all[i]);
        check_fixed_settings(all[i], &smooth);
    }
}

TEST_MAIN(TEST_ENTRY(quadrature_is_the_rule_itself), TEST_ENTRY(orders_are_as_stated),
          TEST_ENTRY(dense_orders_are_as_stated), TEST_ENTRY(work_per_step_is_fixed),
          TEST_ENTRY(march_copy_jump_memory_failures))
