#include "classic.h"

static const char *const all[] = {"nystrom", "leapfrog", "symplectic4"};

// Kreyszig, Advanced Engineering Mathematics, 21.3: y'' = (x + y + y' + 2)/2, y(0) = y'(0) = 0.
static fo_status table_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    (void)model, (void)s;
    dx[0] = x[1];
    dx[1] = (t + x[0] + x[1] + 2) / 2;
    return FO_OK;
}
static void from_zero(double t, double *x)
{
    (void)t;
    x[0] = x[1] = 0;
}
static const fo_system_type table_type = {.kind = "C", .rates = table_rates};
static const problem table = {{&table_type, &swing_about, NULL}, 2, 1, from_zero};

TEST(nystrom_gives_the_published_table)
{
    static const double expected[5][2] = {{0.021400833333333338, 0.22140295833333334},
                                          {0.0918204441317882, 0.4918249623913898},
                                          {0.22211168718918894, 0.8221189456050382},
                                          {0.4255302649904839, 1.2255407046754065},
                                          {0.7182667234807867, 1.718280898966448}};
    bench b;
    REQUIRE(bench_make(&b, "nystrom", &table, 0.2, 1e-6));
    CHECK_STATUS(bench_begin(&b, &table, 0), FO_OK, &b.message);
    b.o.budget = 1;
    for (int i = 0; i < 5; i++) {
        CHECK_STATUS(b.o.method->march(&b.o, 1, 1), FO_OK, &b.message);
        CHECK_NEAR(b.o.x1[0], expected[i][0], 1e-15);
        CHECK_NEAR(b.o.x1[1], expected[i][1], 1e-15);
    }
    CHECK(b.o.t1 == 1);
    bench_free(&b);
}

// The solution is q = sin t + exp(-t/2); the force is made so that it is, and depends on position,
// velocity (with its cube) and time.
static fo_status damped_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    (void)model, (void)s;
    double q = sin(t) + exp(-t / 2), v = cos(t) - exp(-t / 2) / 2, a = -sin(t) + exp(-t / 2) / 4;
    dx[0] = x[1];
    dx[1] = a - 2 * (x[0] - q) - x[1] * x[1] * x[1] + v * v * v;
    return FO_OK;
}
static void damped_solution(double t, double *x)
{
    x[0] = sin(t) + exp(-t / 2);
    x[1] = cos(t) - exp(-t / 2) / 2;
}
static const fo_system_type damped_type = {.kind = "C", .rates = damped_rates};
static const problem damped = {{&damped_type, &swing_about, NULL}, 2, 1, damped_solution};

// q'' = -q^3 + force(t): depends on position and time only, with the same solution.
static fo_status driven_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    (void)model, (void)s;
    double q = sin(t) + exp(-t / 2), a = -sin(t) + exp(-t / 2) / 4;
    dx[0] = x[1];
    dx[1] = a - x[0] * x[0] * x[0] + q * q * q;
    return FO_OK;
}
static const fo_system_type driven_type = {.kind = "C", .rates = driven_rates};
static const problem driven = {{&driven_type, &swing_about, NULL}, 2, 1, damped_solution};

TEST(orders_are_as_stated)
{
    CHECK_NEAR(measured_order("nystrom", &driven, 0.05, 2), 4, 0.2);
    CHECK_NEAR(measured_order("nystrom", &damped, 0.05, 2), 4, 0.2);
    CHECK_NEAR(measured_order("leapfrog", &driven, 0.05, 2), 2, 0.2);
    CHECK_NEAR(measured_order("symplectic4", &driven, 0.05, 2), 4, 0.2);
}

TEST(forces_that_depend_on_velocity_leave_order_two)
{
    CHECK_NEAR(measured_order("leapfrog", &damped, 0.02, 2), 2, 0.2);
    CHECK_NEAR(measured_order("symplectic4", &damped, 0.02, 2), 2, 0.3);
}

TEST(dense_orders_are_as_stated)
{
    CHECK_NEAR(measured_dense_order("nystrom", &driven, 0.05, 1), 4, 0.3);
    CHECK_NEAR(measured_dense_order("leapfrog", &driven, 0.05, 1), 2, 0.3);
    CHECK_NEAR(measured_dense_order("symplectic4", &driven, 0.05, 1), 4, 0.3);
}

/// Largest error of the energy in the last of `turns` orbits, and in the first.
static double energy_drift(const char *method, int steps_per_turn, int turns, double *first)
{
    double turn = 2 * acos(-1), worst = 0;
    bench b;
    if (!bench_make(&b, method, &kepler, turn / steps_per_turn, 1e-6)) return NAN;
    CHECK_STATUS(bench_begin(&b, &kepler, 0), FO_OK, &b.message);
    double energy = kepler_energy(b.o.x1);
    for (int i = 0; i < turns; i++) {
        if (i == 1) *first = worst;
        if (i == 1 || i == turns - 1) worst = 0;
        if (i > 1 && i < turns - 1) {
            b.o.budget = (uint64_t)steps_per_turn;
            CHECK_STATUS(b.o.method->march(&b.o, INFINITY, 1e9), FO_OK, &b.message);
            continue;
        }
        b.o.budget = 1;
        for (int j = 0; j < steps_per_turn; j++) {
            CHECK_STATUS(b.o.method->march(&b.o, INFINITY, 1e9), FO_OK, &b.message);
            worst = fmax(worst, fabs(kepler_energy(b.o.x1) - energy));
        }
    }
    bench_free(&b);
    return worst;
}

TEST(symplectic_methods_keep_the_energy_over_1000_orbits)
{
    double first, last = energy_drift("leapfrog", 200, 1000, &first);
    CHECK(first > 1e-5 && last < 1.5 * first);
    last = energy_drift("symplectic4", 100, 1000, &first);
    CHECK(first > 1e-7 && last < 1.5 * first);
    last = energy_drift("nystrom", 200, 1000, &first);
    CHECK(last > 100 * first); // no friend of long times
}

TEST(symplectic4_beats_leapfrog_at_equal_work)
{
    double leapfrog, pefrl;
    energy_drift("leapfrog", 1600, 2, &leapfrog);
    energy_drift("symplectic4", 400, 2, &pefrl);
    CHECK(pefrl < leapfrog / 20);
}

TEST(work_per_step_is_fixed)
{
    static const int evaluations[] = {4, 1, 4};
    for (int i = 0; i < 3; i++) {
        bench b;
        REQUIRE(bench_make(&b, all[i], &swing, 0.01, 1e-6));
        CHECK_STATUS(bench_begin(&b, &swing, 0), FO_OK, &b.message);
        uint64_t before = b.o.counts.rates;
        CHECK(bench_go(&b, 1));
        CHECK_INT((long long)(b.o.counts.rates - before), 100 * evaluations[i]);
        CHECK(b.o.method->info.traits & FO_FIXED_WORK);
        bench_free(&b);
    }
}

TEST(systems_that_are_not_of_second_order_are_refused)
{
    bench b;
    CHECK_STATUS(bench_try(&b, "nystrom", &smooth, 0.1, 1e-6, 0), FO_ERROR_UNFIT, &b.message);
    CHECK_TEXT(b.message.text, "nystrom needs a second-order system (positions and velocities); "
                               "'smooth' declares none");
    bench_free(&b);
    problem half = kepler;
    half.pairs = 1;
    CHECK_STATUS(bench_try(&b, "leapfrog", &half, 0.1, 1e-6, 0), FO_ERROR_UNFIT, &b.message);
    CHECK_CONTAINS(b.message.text, "'kepler' has 4 states, of which only 2");
    bench_free(&b);
}

TEST(march_copy_jump_memory_failures)
{
    for (int i = 0; i < 3; i++) {
        check_march(all[i], &swing);
        check_reading(all[i], &damped, 1e-6, 2);
        check_copy(all[i], &damped);
        check_jump(all[i], &damped, 2e-4);
        check_memory(all[i], &swing);
        check_failures(all[i], false);
        check_empty(all[i]);
        check_fixed_settings(all[i], &swing);
    }
}

TEST_MAIN(TEST_ENTRY(nystrom_gives_the_published_table), TEST_ENTRY(orders_are_as_stated),
          TEST_ENTRY(forces_that_depend_on_velocity_leave_order_two),
          TEST_ENTRY(dense_orders_are_as_stated),
          TEST_ENTRY(symplectic_methods_keep_the_energy_over_1000_orbits),
          TEST_ENTRY(symplectic4_beats_leapfrog_at_equal_work), TEST_ENTRY(work_per_step_is_fixed),
          TEST_ENTRY(systems_that_are_not_of_second_order_are_refused),
          TEST_ENTRY(march_copy_jump_memory_failures))
