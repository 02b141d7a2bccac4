// The stiff models: Robertson's reaction in both forms, van der Pol, mass and damper.
#include "run.h"

static bool open_tight(run *r, const char *name, const char *solver, double rtol, double atol)
{
    run_prepare(r, name);
    r->def.solver = solver;
    r->def.rtol = rtol, r->def.atol = atol;
    return run_create(r);
}

// Hairer and Wanner II, and the test set for initial value problems: x(2000) for mu = 1000.
TEST(van_der_pol_published_value)
{
    run r;
    if (open_tight(&r, "van-der-pol-stiff", "radau5", 1e-10, 1e-13)) {
        run_to(&r, 2000);
        CHECK_NEAR(run_value(&r, "x"), 1.706167732170483, 1e-7);
        CHECK_NEAR(run_value(&r, "v"), -0.8928097010247975e-3, 1e-10);
    }
    run_end(&r);
}

// The period for mu = 1 is 6.66328685932313...
TEST(van_der_pol_period)
{
    run r;
    const double period = 6.6632868593231302;
    if (open_tight(&r, "van-der-pol", "dop853", 1e-12, 1e-13)) {
        r.def.stop = 20;
        run_to(&r, 13);
        double x = run_value(&r, "x");
        run_to(&r, 13 + period);
        CHECK_NEAR(run_value(&r, "x"), x, 1e-5); // what is left of the start decays by e^-7 a turn
    }
    run_end(&r);
}

TEST(robertson_keeps_mass_and_does_not_go_negative)
{
    static const char *const names[] = {"robertson", "roberts-dae"};
    for (int form = 0; form < 2; form++) {
        run r;
        if (open_tight(&r, names[form], "radau5", 1e-8, 1e-14)) {
            for (int i = 1; i <= 40; i++) {
                run_to(&r, i);
                double y1 = run_value(&r, "y1"), y2 = run_value(&r, "y2"), y3 = run_value(&r, "y3");
                CHECK_NEAR(y1 + y2 + y3, 1, form ? 1e-14 : 1e-12);
                CHECK(y1 > 0 && y2 > 0 && y3 > 0);
            }
            CHECK_NEAR(run_value(&r, "y1"), 0.715827068719405, 1e-7);
            CHECK_NEAR(run_value(&r, "y2"), 9.185534764557764e-06, 1e-11);
        }
        run_end(&r);
    }
}

// The constrained form through every method that takes it: as a mass matrix and as a residual.
TEST(constraint_holds_in_every_form)
{
    static const char *const solvers[] = {
        "rodas4",
        "radau5",
#ifdef FOI_WITH_SUNDIALS
        "ida",
#endif
    };
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
        run r;
        if (open_tight(&r, "roberts-dae", solvers[i], 1e-7, 1e-12)) {
            run_to(&r, 40);
            double y1 = run_value(&r, "y1"), y2 = run_value(&r, "y2"), y3 = run_value(&r, "y3");
            CHECK_NEAR(y1, 0.715827068719405, 1e-5);
            CHECK_NEAR(y2, 9.185534764557764e-06, 1e-9);
            CHECK_NEAR(y1 + y2 + y3, 1, 1e-9);
        }
        run_end(&r);
    }
}

// y3 is not free in the constrained form: the start makes it fit.
TEST(constrained_start_is_made_consistent)
{
    run r;
    if (open_tight(&r, "roberts-dae", "radau5", 1e-8, 1e-14)) {
        run_set(&r, "y1", 0.75);
        CHECK_STATUS(fo_simulation_start(r.sim), FO_OK, fo_simulation_message(r.sim));
        CHECK(run_value(&r, "y3") == 0.25);
    }
    run_end(&r);
}

// The fastest rate is -88.7298 1/s: explicit Euler is stable for steps below 2 / 88.7298 s.
TEST(damper_shows_the_limit_of_explicit_euler)
{
    const double limit = 2 / (50 + sqrt(1500.0));
    CHECK_NEAR(limit, 0.0225403, 1e-7);
    for (int above = 0; above < 2; above++) {
        run r;
        run_prepare(&r, "mass-spring-damper");
        r.def.solver = "euler";
        r.def.step = limit * (above ? 1.02 : 0.98);
        r.def.stop = 20;
        if (run_create(&r)) {
            run_to(&r, 20);
            double x = fabs(run_value(&r, "x"));
            CHECK(above ? x > 1e3 : x < 1e-3);
        }
        run_end(&r);
    }
}

// With steps ten times beyond that limit the implicit methods come to rest.
TEST(implicit_methods_need_no_small_steps)
{
    static const char *const solvers[] = {"implicit-euler", "sliding-implicit"};
    for (int i = 0; i < 2; i++) {
        run r;
        run_prepare(&r, "mass-spring-damper");
        r.def.solver = solvers[i];
        r.def.step = 0.2;
        r.def.stop = 20;
        if (run_create(&r)) {
            run_to(&r, 20);
            CHECK_NEAR(run_value(&r, "x"), 0, 1e-6);
        }
        run_end(&r);
    }
}

TEST(force_stretches_the_spring)
{
    run r;
    run_prepare(&r, "mass-spring-damper");
    r.def.stop = 5;
    if (run_create(&r)) {
        run_set(&r, "force", 0.25);
        run_to(&r, 5);
        CHECK_NEAR(run_value(&r, "x"), 0.25, 1e-5);
    }
    run_end(&r);
}

TEST(wrong_values_are_refused)
{
    run_refused("mass-spring-damper", "m", 0, "0");
    run_refused("mass-spring-damper", "b", -0.1, "-0.1");
    run_refused("mass-spring-damper", "k", -3, "-3");
    run_refused("robertson", "k2", -3e7, "-3e+07");
    run_refused("roberts-dae", "k1", -0.04, "-0.04");
    run_refused("van-der-pol", "mu", -1, "-1");
}

TEST_MAIN(TEST_ENTRY(van_der_pol_published_value), TEST_ENTRY(van_der_pol_period),
          TEST_ENTRY(robertson_keeps_mass_and_does_not_go_negative),
          TEST_ENTRY(constraint_holds_in_every_form),
          TEST_ENTRY(constrained_start_is_made_consistent),
          TEST_ENTRY(damper_shows_the_limit_of_explicit_euler),
          TEST_ENTRY(implicit_methods_need_no_small_steps), TEST_ENTRY(force_stretches_the_spring),
          TEST_ENTRY(wrong_values_are_refused))
