#include "classic.h"

static const char *const all[] = {"ab2", "ab3"};

TEST(orders_are_as_stated)
{
    CHECK_NEAR(measured_order("ab2", &smooth, 0.01, 2), 2, 0.2);
    CHECK_NEAR(measured_order("ab3", &smooth, 0.01, 2), 3, 0.2);
}

TEST(dense_orders_are_as_stated)
{
    CHECK_NEAR(measured_dense_order("ab2", &smooth, 0.02, 5), 2, 0.3);
    CHECK_NEAR(measured_dense_order("ab3", &swing, 0.02, 4), 3, 0.3);
}

// x' = t^(k-1) is integrated exactly by order k, so history and weights are right; and one more
// power is not, so it is no better than it says.
static fo_status power_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)s, (void)x;
    dx[0] = pow(t, *(const int *)model);
    return FO_OK;
}
static void power_solution(double t, double *x)
{
    x[0] = t; // zero at the start
}
static const fo_system_type power_type = {.kind = "C", .rates = power_rates};

TEST(powers_are_integrated_exactly)
{
    for (int i = 0; i < 2; i++) {
        for (int power = 0; power <= i + 2; power++) {
            problem p = {{&power_type, &smooth_about, &power}, 1, 0, power_solution};
            bench b;
            REQUIRE(bench_make(&b, all[i], &p, 0.25, 1e-6));
            CHECK_STATUS(bench_begin(&b, &p, 0), FO_OK, &b.message);
            CHECK(bench_go(&b, 2));
            double error = fabs(b.o.x1[0] - pow(2, power + 1) / (power + 1));
            if (power <= i + 1)
                CHECK(error < 1e-13);
            else
                CHECK(error > 1e-3);
            bench_free(&b);
        }
    }
}

TEST(one_evaluation_a_step_once_started)
{
    for (int i = 0; i < 2; i++) {
        bench b;
        REQUIRE(bench_make(&b, all[i], &smooth, 0.01, 1e-6));
        CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
        CHECK(bench_go(&b, 1));
        // ab2: one step of Heun; ab3: two of Kutta with three evaluations each
        CHECK_INT((long long)b.o.counts.rates, i == 0 ? 101 : 104);
        bench_free(&b);
    }
}

// Off the grid, the history is void: with steps of another length it would cost the order.
TEST(landing_off_the_grid_keeps_the_order)
{
    for (int i = 0; i < 2; i++) {
        double error[2];
        for (int j = 0; j < 2; j++) {
            bench b;
            REQUIRE(bench_make(&b, all[i], &smooth, j ? 0.0025 : 0.02, 1e-6));
            CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
            for (int k = 1; k <= 7; k++) CHECK(bench_go(&b, 0.2871 * k));
            error[j] = bench_error(&b, &smooth);
            bench_free(&b);
        }
        CHECK_NEAR(log2(error[0] / error[1]) / 3, i + 2, 0.3);
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

TEST_MAIN(TEST_ENTRY(orders_are_as_stated), TEST_ENTRY(dense_orders_are_as_stated),
          TEST_ENTRY(powers_are_integrated_exactly), TEST_ENTRY(one_evaluation_a_step_once_started),
          TEST_ENTRY(landing_off_the_grid_keeps_the_order),
          TEST_ENTRY(march_copy_jump_memory_failures))
