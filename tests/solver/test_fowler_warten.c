#include "classic.h"

static const char name[] = "fowler-warten";

/// Error at `stop` (or of the dense output of one step) with steps that are all h long.
static double error_with_step(const problem *p, double h, double stop, bool dense)
{
    bench b;
    if (!bench_make(&b, name, p, 0, 1e6)) return NAN; // a tolerance that takes every step
    b.o.first_step = b.o.max_step = h;
    double error = NAN;
    CHECK_STATUS(bench_begin(&b, p, 0.3), FO_OK, &b.message);
    if (dense) {
        b.o.budget = 1;
        CHECK_STATUS(b.o.method->march(&b.o, 9, 9), FO_OK, &b.message);
        error = bench_dense_error(&b, p);
    } else if (bench_go(&b, stop)) {
        CHECK_INT((long long)b.o.counts.steps, lround((stop - 0.3) / h));
        error = bench_error(&b, p);
    }
    bench_free(&b);
    return error;
}

TEST(order_is_two)
{
    CHECK_NEAR(log2(error_with_step(&smooth, 0.02, 2.3, false) /
                    error_with_step(&smooth, 0.01, 2.3, false)),
               2, 0.2);
    CHECK_NEAR(
        log2(error_with_step(&swing, 0.02, 2.3, false) / error_with_step(&swing, 0.01, 2.3, false)),
        2, 0.2);
}

TEST(dense_order_is_two)
{
    CHECK_NEAR(
        log2(error_with_step(&smooth, 0.05, 0, true) / error_with_step(&smooth, 0.025, 0, true)), 3,
        0.3);
}

TEST(error_follows_the_tolerance)
{
    double last = INFINITY;
    for (double tolerance = 1e-3; tolerance > 1e-9; tolerance /= 10) {
        bench b;
        REQUIRE(bench_make(&b, name, &smooth, 0, tolerance));
        CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
        CHECK(bench_go(&b, 5));
        double error = bench_error(&b, &smooth);
        // the error of a step is kept, so that the sum goes with the power p/(p + 1)
        CHECK(error < 2 * pow(tolerance, 2.0 / 3) && error < last);
        last = error;
        bench_free(&b);
    }
}

// x' = -L (x - sin t) + cos t with a transient of size 2 at the start, a slow state, and one with
// 30 L: three eigenvalues that are widely separated.
static double rate = 1000;
static fo_status stiff_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)model, (void)s;
    dx[0] = -rate * (x[0] - sin(t)) + cos(t);
    dx[1] = -x[1];
    dx[2] = -rate * 30 * (x[2] - 1);
    return FO_OK;
}
static void stiff_solution(double t, double *x)
{
    x[0] = sin(t) + 2 * exp(-rate * t);
    x[1] = exp(-t);
    x[2] = 1 + exp(-30 * rate * t);
}
static const fo_system_type stiff_type = {.kind = "C", .rates = stiff_rates};
static const fo_description stiff_about = {.name = "stiff",
                                           .states = FO_VARIABLES({"x"}, {"y"}, {"z"})};
static const problem stiff = {{&stiff_type, &stiff_about, NULL}, 3, 0, stiff_solution};

TEST(stiff_states_cost_no_more_than_slow_ones)
{
    for (rate = 1e3; rate < 1e8; rate *= 100) {
        bench b;
        REQUIRE(bench_make(&b, name, &stiff, 0, 1e-4));
        CHECK_STATUS(bench_begin(&b, &stiff, 0), FO_OK, &b.message);
        b.o.budget = 1;
        double worst = 0;
        while (b.o.t1 < 10 && b.o.counts.steps < 2000) {
            CHECK_STATUS(b.o.method->march(&b.o, 10, 10), FO_OK, &b.message);
            worst = fmax(worst, bench_error(&b, &stiff));
            // the transient too: it is followed, not jumped over
            worst = fmax(worst, bench_dense_error(&b, &stiff));
        }
        CHECK(b.o.t1 == 10);
        CHECK(worst < 1e-3);
        // an explicit method is stable with steps below 2/(30 rate): 150 000 of them and more
        CHECK(b.o.counts.steps < 800);
        CHECK(b.o.counts.steps < 10 * 30 * rate / 2 / 100);
        bench_free(&b);
    }
    rate = 1000;
}

// A nonlinear one: x falls onto the cube root of y, with an eigenvalue -3e4 x^2 that changes along
// the way, and y does not feel it.
static fo_status bent_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    (void)model, (void)s;
    dx[0] = -1e4 * (x[0] * x[0] * x[0] - x[1]);
    dx[1] = -sin(t);
    return FO_OK;
}
static void bent_solution(double t, double *x) // to 1e-4: on the slow curve
{
    x[0] = cbrt(2 + cos(t)), x[1] = 2 + cos(t);
}
static const fo_system_type bent_type = {.kind = "C", .rates = bent_rates};
static const problem bent = {{&bent_type, &smooth_about, NULL}, 2, 0, bent_solution};

TEST(a_nonlinear_fast_state_follows_its_slow_curve)
{
    bench b;
    REQUIRE(bench_make(&b, name, &bent, 0, 1e-4));
    CHECK_STATUS(bench_begin(&b, &bent, 0), FO_OK, &b.message);
    CHECK(bench_go(&b, 10));
    CHECK(bench_error(&b, &bent) < 1e-3);
    CHECK(b.o.counts.steps < 2000); // stability would ask for 10 * 3e4 * 4 / 2 = 600 000
    bench_free(&b);
}

// The eigenvalue goes from -1e4 to -1e-4 within one run: an old estimate would hide errors.
static fo_status fading_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    (void)model, (void)s;
    dx[0] = -1e4 * exp(-3 * t) * (x[0] - cos(3 * t)) - 3 * sin(3 * t);
    dx[1] = -x[1];
    return FO_OK;
}
static void fading_solution(double t, double *x)
{
    x[0] = cos(3 * t), x[1] = exp(-t);
}
static const fo_system_type fading_type = {.kind = "C", .rates = fading_rates};
static const problem fading = {{&fading_type, &smooth_about, NULL}, 2, 0, fading_solution};

TEST(a_fading_eigenvalue_is_followed)
{
    bench b;
    REQUIRE(bench_make(&b, name, &fading, 0, 1e-4));
    CHECK_STATUS(bench_begin(&b, &fading, 0), FO_OK, &b.message);
    b.o.max_step = 0.01; // short steps: none fails, which would renew the estimate
    CHECK(bench_go(&b, 6));
    CHECK(bench_error(&b, &fading) < 1e-3);
    bench_free(&b);
}

// One estimate of lambda on an oscillation may be anything, two in a row seldom agree: it is not
// taken for a fast state, and steps do not fail for it.
TEST(an_oscillation_is_not_taken_for_decay)
{
    bench b;
    REQUIRE(bench_make(&b, name, &swing, 0, 1e-4));
    CHECK_STATUS(bench_begin(&b, &swing, 0), FO_OK, &b.message);
    CHECK(bench_go(&b, 20));
    CHECK(bench_error(&b, &swing) < 0.05);
    CHECK(b.o.counts.rejected < 5);
    bench_free(&b);
}

TEST(limits_of_the_step_are_kept)
{
    bench b;
    REQUIRE(bench_make(&b, name, &smooth, 0, 1e-2));
    b.o.max_step = 0.03;
    CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
    b.o.budget = 1;
    while (b.o.t1 < 2) {
        CHECK_STATUS(b.o.method->march(&b.o, 2, 2), FO_OK, &b.message);
        CHECK(b.o.t1 - b.o.t0 < 0.03 * (1 + 1e-12));
    }
    bench_free(&b);

    REQUIRE(bench_make(&b, name, &edge, 0, 1e-6));
    b.o.min_step = 1e-2;
    b.o.first_step = 0.01;
    CHECK_STATUS(bench_begin(&b, &edge, 0), FO_OK, &b.message);
    CHECK_STATUS(b.o.method->march(&b.o, 0.9999, 0.9999), FO_ERROR_STEP, &b.message);
    CHECK_CONTAINS(b.message.text, "step became too small");
    CHECK_CONTAINS(b.message.text, "'x'");
    CHECK(b.o.t1 < 1 && bench_error(&b, &edge) < 1e-2);
    bench_free(&b);
}

TEST(march_copy_jump_memory_failures)
{
    check_march(name, &smooth);
    check_reading(name, &smooth, 1e-5, 5);
    check_reading(name, &stiff, 1e-4, 5);
    check_copy(name, &smooth);
    check_copy(name, &stiff);
    check_jump(name, &smooth, 1e-4);
    check_jump(name, &stiff, 1e-4);
    check_memory(name, &smooth);
    check_failures(name, true);
    check_empty(name);
}

TEST_MAIN(TEST_ENTRY(order_is_two), TEST_ENTRY(dense_order_is_two),
          TEST_ENTRY(error_follows_the_tolerance),
          TEST_ENTRY(stiff_states_cost_no_more_than_slow_ones),
          TEST_ENTRY(a_nonlinear_fast_state_follows_its_slow_curve),
          TEST_ENTRY(a_fading_eigenvalue_is_followed),
          TEST_ENTRY(an_oscillation_is_not_taken_for_decay),
          TEST_ENTRY(limits_of_the_step_are_kept), TEST_ENTRY(march_copy_jump_memory_failures))
