// A planet on its ellipse: what methods do to its energy over a hundred periods.
#include "run.h"

typedef struct drift {
    double first, last; // largest error of the energy in the first and the last ten periods
    double end;
} drift;

static fo_status watch(void *self, const fo_row *row, fo_message *why)
{
    drift *d = self;
    (void)why;
    double error = fabs(row->values[0] + 0.5);
    if (row->t <= 20 * pi && !(error <= d->first)) d->first = error;
    if (row->t >= 180 * pi && !(error <= d->last)) d->last = error;
    d->end = error;
    return FO_OK;
}

static drift energy_drift(const char *solver, double step)
{
    drift d = {0};
    run r;
    static const fo_reference energy = {FO_OUTPUT, 0};
    run_prepare(&r, "kepler");
    r.observer = (fo_observer){&d, watch, .signals = &energy, .signal_count = 1, .interval = 0.05};
    r.def.solver = solver;
    r.def.step = step;
    if (run_create(&r)) run_to(&r, r.model->stop);
    run_end(&r);
    return d;
}

TEST(symplectic_methods_keep_the_energy_and_others_do_not)
{
    const double step = 0.01;
    drift euler = energy_drift("euler", step), rk4 = energy_drift("rk4", step);
    drift leapfrog = energy_drift("leapfrog", step), fourth = energy_drift("symplectic4", step);
    // Bounded: the last ten periods are as good as the first ten.
    CHECK(leapfrog.last < 1.1 * leapfrog.first);
    CHECK(fourth.last < 1.1 * fourth.first);
    // Drift: the error of rk4 grows with time.
    CHECK(rk4.last > 5 * rk4.first);
    // The ranking.
    CHECK(fourth.last < rk4.last);
    CHECK(fourth.last < leapfrog.last);
    CHECK(leapfrog.last < euler.last);
    CHECK(rk4.last < euler.last);
    CHECK(euler.last > 0.1);
    CHECK(fourth.last < 1e-6);
    CHECK(leapfrog.last < 1e-3);
}

// Half the step: 2^4 and 2^2 times less error.
TEST(energy_error_has_the_order_of_the_method)
{
    double fourth =
        energy_drift("symplectic4", 0.01).last / energy_drift("symplectic4", 0.005).last;
    double second = energy_drift("leapfrog", 0.01).last / energy_drift("leapfrog", 0.005).last;
    CHECK_NEAR(log2(fourth), 4, 0.3);
    CHECK_NEAR(log2(second), 2, 0.2);
}

TEST(orbit_closes_after_every_period)
{
    run r;
    run_prepare(&r, "kepler");
    r.def.solver = "dop853";
    r.def.rtol = 1e-13, r.def.atol = 1e-14;
    if (run_create(&r)) {
        CHECK_STATUS(fo_simulation_start(r.sim), FO_OK, fo_simulation_message(r.sim));
        CHECK_NEAR(run_value(&r, "r"), 0.4, 1e-15);
        CHECK_NEAR(run_value(&r, "energy"), -0.5, 1e-15);
        CHECK_NEAR(run_value(&r, "momentum"), 0.8, 1e-15);
        run_to(&r, pi);
        CHECK_NEAR(run_value(&r, "x"), -1.6, 1e-10);
        run_to(&r, 20 * pi);
        CHECK_NEAR(run_value(&r, "x"), 0.4, 1e-8);
        CHECK_NEAR(run_value(&r, "y"), 0, 1e-8);
        CHECK_NEAR(run_value(&r, "energy"), -0.5, 1e-11);
        CHECK_NEAR(run_value(&r, "momentum"), 0.8, 1e-11);
    }
    run_end(&r);
}

TEST(a_circle_and_a_start_of_ones_own)
{
    run r;
    run_prepare(&r, "kepler");
    r.def.rtol = 1e-12, r.def.atol = 1e-13;
    if (run_create(&r)) {
        run_set(&r, "x", 1);
        run_set(&r, "vy", 1);
        for (int t = 1; t <= 20; t++) {
            run_to(&r, t);
            CHECK_NEAR(run_value(&r, "x"), cos(t), 1e-9);
            CHECK_NEAR(run_value(&r, "r"), 1, 1e-9);
        }
    }
    run_end(&r);
}

TEST(wrong_values_are_refused)
{
    run_refused("kepler", "e", 1, "1");
    run_refused("kepler", "e", -0.5, "-0.5");
    run_refused("kepler", "vx", 2, "2");
    run_refused("kepler", "sun", 0, "0");
}

// A sun of mu moves the planet as a clock that goes sqrt(mu) times as fast.
TEST(a_heavier_sun_only_makes_time_go_faster)
{
    run light, heavy;
    run_prepare(&light, "kepler");
    run_prepare(&heavy, "kepler");
    bool made = run_create(&light);
    made = run_create(&heavy) && made;
    if (made) run_set(&heavy, "sun", 4);
    if (made)
        for (double t = 0.5; t < 6; t += 0.5) {
            run_to(&light, 2 * t);
            run_to(&heavy, t);
            CHECK_NEAR(run_value(&heavy, "x"), run_value(&light, "x"), 1e-6);
            CHECK_NEAR(run_value(&heavy, "vy"), 2 * run_value(&light, "vy"), 1e-5);
            CHECK_NEAR(run_value(&heavy, "energy"), 4 * run_value(&light, "energy"), 1e-6);
        }
    run_end(&light);
    run_end(&heavy);
}

TEST_MAIN(TEST_ENTRY(symplectic_methods_keep_the_energy_and_others_do_not),
          TEST_ENTRY(energy_error_has_the_order_of_the_method),
          TEST_ENTRY(orbit_closes_after_every_period), TEST_ENTRY(a_circle_and_a_start_of_ones_own),
          TEST_ENTRY(wrong_values_are_refused), TEST_ENTRY(a_heavier_sun_only_makes_time_go_faster))
