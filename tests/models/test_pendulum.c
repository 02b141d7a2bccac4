// The damped pendulum with a tap: figure 6.1 of its source.
#include "run.h"

static bool open_pendulum(run *r, const char *solver, double step, double rtol, double stop)
{
    run_prepare(r, "pendulum");
    r->def.solver = solver;
    r->def.step = step;
    r->def.rtol = rtol, r->def.atol = rtol / 10;
    r->def.stop = stop;
    return run_create(r);
}

TEST(swings_and_passes_the_top_after_the_tap)
{
    run r;
    if (open_pendulum(&r, "dp45", 0, 1e-12, 60)) {
        run_to(&r, 1.0665862660324064); // the first turning point
        CHECK_NEAR(run_value(&r, "y"), -2.0534051237419586, 1e-9);
        CHECK_NEAR(run_value(&r, "v"), 0, 1e-9);
        CHECK_NEAR(run_value(&r, "a"), 19.6 * sin(2.0534051237419586), 1e-8);
        run_to(&r, 18);
        CHECK_NEAR(run_value(&r, "y"), 0.03427335828751159, 1e-9);
        CHECK_NEAR(run_value(&r, "v"), 9.456233410609963, 1e-9);
        run_to(&r, 18.72104191973304); // upside down
        CHECK_NEAR(run_value(&r, "y"), pi, 1e-9);
        CHECK_NEAR(run_value(&r, "v"), 1.273712797697064, 1e-8);
        run_to(&r, 20.00445022644781); // the highest angle
        CHECK_NEAR(run_value(&r, "y"), 8.549641657676801, 1e-9);
        run_to(&r, 60);
        CHECK_NEAR(run_value(&r, "y"), 2 * pi, 0.02);
    }
    CHECK_INT(run_count(&r, "timed_tap"), 1);
    CHECK(r.moments[0].t == 18);
    run_end(&r);
}

typedef struct fixed {
    const char *solver;
    double y1, y5, y10, y18, v18, y20, y25, y30, y60;
} fixed;

// Independent implementations of the formulas with step 0.01; the differences are rounding only.
TEST(fixed_steps_give_the_values_of_their_formulas)
{
    static const fixed list[] = {
        {"euler", -2.1166104684956264, -1.0344845051449914, -0.10079522204488721,
         0.8748363129646576, -0.07604183949824603, 8.669568070858176, 6.079695581478615,
         6.939065399299459, 6.312945115203441},
        {"midpoint", -2.0146049890676943, 0.6158662786384898, 0.19973375413570493,
         0.03881905278966216, 0.9511830104934806, 8.546543376168808, 7.2792343281035325,
         6.062518355999021, 6.272818559931354},
        {"rk4", -2.0145742488098173, 0.6129032337735996, 0.2052953949590127, 0.034272888342747346,
         0.9562340093889126, 8.549492823210205, 7.290918598795071, 6.049586409333558,
         6.272946213335327},
        {"nystrom", -2.0145742496953103, 0.612903560295603, 0.20529488419584016, 0.0342732330735489,
         0.9562335030802412, 8.549492517915532, 7.2909172231363915, 6.0495881021522635,
         6.272946223513574},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        const fixed *f = &list[i];
        run r;
        if (open_pendulum(&r, f->solver, 0.01, 1e-6, 60)) {
            const double when[] = {1, 5, 10, 18, 20, 25, 30, 60};
            const double y[] = {f->y1, f->y5, f->y10, f->y18, f->y20, f->y25, f->y30, f->y60};
            for (int k = 0; k < 8; k++) {
                run_to(&r, when[k]);
                CHECK_NEAR(run_value(&r, "y"), y[k], 1e-9);
                if (when[k] == 18) CHECK_NEAR(run_value(&r, "v"), f->v18 + 8.5, 1e-9);
            }
        }
        run_end(&r);
    }
}

static double rest_after(double tap)
{
    run r;
    double y = NAN;
    if (open_pendulum(&r, "dp45", 0, 1e-12, 70)) {
        run_set(&r, "tap", tap);
        run_to(&r, 70);
        y = run_value(&r, "y");
    }
    run_end(&r);
    return y;
}

// A tap of just more than the threshold makes one circle more.
TEST(taps_make_as_many_circles_as_they_should)
{
    const double one = 8.3937475392122, two = 9.577062067835868;
    CHECK_NEAR(rest_after(one - 1e-8), 0, 0.05);
    CHECK_NEAR(rest_after(one + 1e-8), 2 * pi, 0.05);
    CHECK_NEAR(rest_after(two - 1e-8), 2 * pi, 0.05);
    CHECK_NEAR(rest_after(two + 1e-8), 4 * pi, 0.05);
    CHECK_NEAR(rest_after(0), 0, 0.05);
}

// A tap with momentum p from outside does what a scheduled one of p/(m l) does.
TEST(tap_from_outside)
{
    run r;
    if (open_pendulum(&r, "dp45", 0, 1e-12, 40)) {
        run_set(&r, "tap", 0);
        double p = 8.5 * 0.4 * 0.5;
        CHECK_STATUS(fo_simulation_send(r.sim, 18, "tap", p), FO_OK, fo_simulation_message(r.sim));
        run_to(&r, 30);
        CHECK_NEAR(run_value(&r, "y"), 6.049587249160379, 1e-9);
        CHECK_INT(run_count(&r, "tap"), 1);
        CHECK_INT(r.moments[0].kind, FO_EXTERNAL);
    }
    run_end(&r);
}

TEST(tap_time_can_be_set_again)
{
    run r;
    if (open_pendulum(&r, "dp45", 0, 1e-10, 40)) {
        run_to(&r, 20);
        run_set(&r, "tap_time", 25);
        run_to(&r, 40);
        CHECK_INT(run_count(&r, "timed_tap"), 2);
        CHECK(run_moment(&r, "timed_tap", 1)->t == 25);
    }
    run_end(&r);
}

TEST(no_tap_before_time_begins)
{
    run r;
    if (open_pendulum(&r, "dp45", 0, 1e-10, 40)) {
        run_set(&r, "tap_time", -1);
        run_to(&r, 40);
        CHECK_INT(run_count(&r, "timed_tap"), 0);
        CHECK_NEAR(run_value(&r, "y"), 0, 0.05);
    }
    run_end(&r);
}

// Without damping energy stays: v^2/2 - g/l cos y.
TEST(undamped_pendulum_keeps_its_energy)
{
    run r;
    if (open_pendulum(&r, "dp45", 0, 1e-12, 40)) {
        run_set(&r, "c", 0);
        run_set(&r, "tap", 0);
        for (int t = 1; t <= 40; t++) {
            run_to(&r, t);
            double v = run_value(&r, "v"), energy = v * v / 2 - 19.6 * cos(run_value(&r, "y"));
            CHECK_NEAR(energy, -19.6 * cos(2.5), 1e-8);
        }
    }
    run_end(&r);
}

TEST(wrong_values_are_refused)
{
    run_refused("pendulum", "g", -9.8, "-9.8");
    run_refused("pendulum", "l", 0, "0");
    run_refused("pendulum", "m", -0.4, "-0.4");
    run_refused("pendulum", "c", -0.1, "-0.1");
}

TEST_MAIN(TEST_ENTRY(swings_and_passes_the_top_after_the_tap),
          TEST_ENTRY(fixed_steps_give_the_values_of_their_formulas),
          TEST_ENTRY(taps_make_as_many_circles_as_they_should), TEST_ENTRY(tap_from_outside),
          TEST_ENTRY(tap_time_can_be_set_again), TEST_ENTRY(no_tap_before_time_begins),
          TEST_ENTRY(undamped_pendulum_keeps_its_energy), TEST_ENTRY(wrong_values_are_refused))
