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
        CHECK(error < 3 * tolerance);
        CHECK(error < last);
        last = error;
        CHECK(b.o.counts.rates >= 2 * b.o.counts.steps); // PECE
        CHECK(b.o.counts.rates <= 2 * (b.o.counts.steps + b.o.counts.rejected) + 3);
        bench_free(&b);
    }
}

// The error of the dense output anywhere in a step stays within what the ends of steps have.
TEST(dense_output_is_as_good_as_the_steps)
{
    for (double tolerance = 1e-3; tolerance > 1e-13; tolerance /= 100) {
        bench b;
        REQUIRE(bench_make(&b, "adams", &smooth, 0, tolerance));
        CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
        b.o.budget = 1;
        double ends = 0, inside = 0;
        while (b.o.t1 < 10) {
            CHECK_STATUS(b.o.method->march(&b.o, 10, 10), FO_OK, &b.message);
            ends = fmax(ends, bench_error(&b, &smooth));
            inside = fmax(inside, bench_dense_error(&b, &smooth));
        }
        CHECK(inside < 2 * ends + 1e-14);
        bench_free(&b);
    }
}

TEST(dense_output_meets_the_rates_at_both_ends)
{
    bench b;
    REQUIRE(bench_make(&b, "adams", &kepler, 0, 1e-10));
    CHECK_STATUS(bench_begin(&b, &kepler, 0), FO_OK, &b.message);
    b.o.budget = 1;
    for (int i = 0; i < 200; i++) {
        double slope[4], f[4], h;
        CHECK_STATUS(b.o.method->march(&b.o, 100, 100), FO_OK, &b.message);
        CHECK_STATUS(foi_solver_dense(&b.o), FO_OK, &b.message);
        h = b.o.t1 - b.o.t0;
        for (int end = 0; end < 2; end++) {
            foi_dense_slope(&b.o, end, slope);
            kepler_rates(NULL, NULL, 0, end ? b.o.x1 : b.o.x0, f);
            for (int j = 0; j < 4; j++)
                CHECK_NEAR(slope[j], h * f[j], 1e-12 * (1 + fabs(h * f[j])));
        }
    }
    bench_free(&b);
}

// The order of the last step is one below the dense output's degree.
TEST(orders_go_up_where_the_solution_is_smooth)
{
    static const struct {
        double tolerance;
        int least, most;
    } expected[] = {{1e-3, 3, 8}, {1e-7, 7, 11}, {1e-12, 10, 13}};
    for (int i = 0; i < 3; i++) {
        bench b;
        REQUIRE(bench_make(&b, "adams", &swing, 0, expected[i].tolerance));
        CHECK_STATUS(bench_begin(&b, &swing, 0), FO_OK, &b.message);
        CHECK_STATUS(b.o.method->march(&b.o, 30, 40), FO_OK, &b.message);
        CHECK_STATUS(foi_solver_dense(&b.o), FO_OK, &b.message);
        CHECK(b.o.degree >= expected[i].least && b.o.degree <= expected[i].most);
        CHECK(!b.o.stiff);
        bench_free(&b);
    }
}

// Three orbits to 1e-10 take about 1100 evaluations; a fourth-order method needs over 20000.
TEST(an_orbit_is_cheap)
{
    bench b;
    REQUIRE(bench_make(&b, "adams", &kepler, 0, 1e-10));
    CHECK_STATUS(bench_begin(&b, &kepler, 0), FO_OK, &b.message);
    CHECK(bench_go(&b, 6 * acos(-1)));
    CHECK(bench_error(&b, &kepler) < 1e-6);
    CHECK(b.o.counts.rates < 1500);
    CHECK(b.o.counts.rejected < b.o.counts.steps / 10);
    bench_free(&b);
}

// Started at order 1, each of the first steps raises the order and doubles the step.
TEST(restarts_are_cheap)
{
    bench b;
    REQUIRE(bench_make(&b, "adams", &smooth, 0, 1e-8));
    CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
    CHECK(bench_go(&b, 0.3));
    for (int i = 0; i < 30; i++) {
        double x[2];
        smooth_solution(0.1 * (i % 5), x);
        uint64_t before = b.o.counts.rates;
        CHECK_STATUS(foi_solver_begin(&b.o, 0.1 * (i % 5), x, FOI_JUMP), FO_OK, &b.message);
        CHECK(bench_go(&b, 0.1 * (i % 5) + 0.5));
        CHECK(bench_error(&b, &smooth) < 1e-7);
        CHECK(b.o.counts.rates - before < 70);
    }
    bench_free(&b);
}

// A step that lands on a near goal does not make the following ones short.
TEST(landing_does_not_cost_the_step)
{
    bench b, c;
    REQUIRE(bench_make(&b, "adams", &swing, 0, 1e-6));
    REQUIRE(bench_make(&c, "adams", &swing, 0, 1e-6));
    CHECK_STATUS(bench_begin(&b, &swing, 0), FO_OK, &b.message);
    CHECK_STATUS(bench_begin(&c, &swing, 0), FO_OK, &c.message);
    CHECK(bench_go(&b, 40));
    for (int i = 1; i <= 10; i++) {
        CHECK(bench_go(&c, 4 * i - 1e-9));
        CHECK(bench_go(&c, 4 * i));
    }
    CHECK(bench_error(&c, &swing) < 1e-4);
    CHECK(c.o.counts.steps < 2 * b.o.counts.steps);
    bench_free(&b);
    bench_free(&c);
}

TEST(limits_of_the_step_are_kept)
{
    bench b;
    REQUIRE(bench_make(&b, "adams", &smooth, 0, 1e-4));
    b.o.max_step = 0.03;
    CHECK_STATUS(bench_begin(&b, &smooth, 0), FO_OK, &b.message);
    b.o.budget = 1;
    while (b.o.t1 < 2) {
        CHECK_STATUS(b.o.method->march(&b.o, 2, 2), FO_OK, &b.message);
        CHECK(b.o.t1 - b.o.t0 < 0.03 * (1 + 1e-12));
    }
    bench_free(&b);

    REQUIRE(bench_make(&b, "adams", &edge, 0, 1e-8));
    b.o.min_step = 1e-4;
    CHECK_STATUS(bench_begin(&b, &edge, 0), FO_OK, &b.message);
    CHECK_STATUS(b.o.method->march(&b.o, 0.999999, 0.999999), FO_ERROR_STEP, &b.message);
    CHECK_CONTAINS(b.message.text, "step became too small");
    CHECK_CONTAINS(b.message.text, "'x'");
    CHECK(b.o.t1 > 0.9 && b.o.t1 < 1 && bench_error(&b, &edge) < 1e-4);
    bench_free(&b);
}

// A jump of the rates that nobody announces: the past is worthless behind it.
static fo_status kink_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    (void)model, (void)s;
    dx[0] = t < 2.1 ? cos(t) : 50 * sin(t);
    dx[1] = -x[1];
    return FO_OK;
}
static void kink_solution(double t, double *x)
{
    x[0] = t < 2.1 ? sin(t) : sin(2.1) + 50 * (cos(2.1) - cos(t));
    x[1] = exp(-t);
}
static const fo_system_type kink_type = {.kind = "C", .rates = kink_rates};
static const problem kink = {{&kink_type, &smooth_about, NULL}, 2, 0, kink_solution};

TEST(a_jump_of_the_rates_is_passed)
{
    for (double tolerance = 1e-4; tolerance > 1e-11; tolerance /= 100) {
        bench b;
        REQUIRE(bench_make(&b, "adams", &kink, 0, tolerance));
        CHECK_STATUS(bench_begin(&b, &kink, 0), FO_OK, &b.message);
        CHECK(bench_go(&b, 6));
        CHECK(bench_error(&b, &kink) < 100 * tolerance);
        CHECK(b.o.counts.rejected < 60);
        bench_free(&b);
    }
}

static fo_status fast_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    (void)model, (void)s;
    dx[0] = -1000 * (x[0] - cos(t)) - sin(t);
    dx[1] = -x[1];
    return FO_OK;
}
static void fast_solution(double t, double *x)
{
    x[0] = cos(t), x[1] = exp(-t);
}
static const fo_system_type fast_type = {.kind = "C", .rates = fast_rates};
static const problem fast = {{&fast_type, &smooth_about, NULL}, 2, 0, fast_solution};

TEST(stiffness_is_noticed)
{
    bench b;
    REQUIRE(bench_make(&b, "adams", &fast, 0, 1e-6));
    CHECK_STATUS(bench_begin(&b, &fast, 0), FO_OK, &b.message);
    b.o.budget = 1;
    bool noticed = false;
    while (b.o.t1 < 1) {
        CHECK_STATUS(b.o.method->march(&b.o, 1, 1), FO_OK, &b.message);
        noticed |= b.o.stiff;
    }
    CHECK(noticed);
    CHECK(bench_error(&b, &fast) < 1e-4);
    bench_free(&b);
}

TEST(march_copy_jump_memory_failures)
{
    check_march("adams", &smooth);
    check_reading("adams", &smooth, 1e-6, 5);
    check_reading("adams", &kepler, 1e-13, 10); // the highest order
    check_copy("adams", &smooth);
    check_jump("adams", &smooth, 1e-5);
    check_memory("adams", &smooth);
    check_failures("adams", true);
    check_empty("adams");
}

TEST_MAIN(TEST_ENTRY(error_follows_the_tolerance), TEST_ENTRY(dense_output_is_as_good_as_the_steps),
          TEST_ENTRY(dense_output_meets_the_rates_at_both_ends),
          TEST_ENTRY(orders_go_up_where_the_solution_is_smooth), TEST_ENTRY(an_orbit_is_cheap),
          TEST_ENTRY(restarts_are_cheap), TEST_ENTRY(landing_does_not_cost_the_step),
          TEST_ENTRY(limits_of_the_step_are_kept), TEST_ENTRY(a_jump_of_the_rates_is_passed),
          TEST_ENTRY(stiffness_is_noticed), TEST_ENTRY(march_copy_jump_memory_failures))
