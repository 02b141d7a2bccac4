/// Euler's method, the trapezoidal and Simpson's rule with steps that follow the error.
#include <math.h>
#include <string.h>

#include <foliot/simulation.h>

#include "test.h"

static const struct {
    const char *name;
    int order; ///< of what is carried on
} all[] = {{"euler-adaptive", 2}, {"trapezoid-adaptive", 3}, {"simpson-adaptive", 5}};
enum { ALL = sizeof all / sizeof all[0] };

static double latest; ///< at which rates were asked for

// x = exp(sin t), y = exp(-t): not linear in t, and coupled to it.
static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s;
    if (t > latest) latest = t;
    dx[0] = x[0] * cos(t);
    dx[1] = -x[1];
    return FO_OK;
}

static fo_system smooth(void)
{
    static const fo_variable states[] = {{.name = "x", .start = 1}, {.name = "y", .start = 1}};
    static const fo_system_type type = {.kind = "C", .rates = rates};
    static const fo_description about = {.name = "smooth", .states = {states, 2}};
    return (fo_system){&type, &about, NULL};
}

/// The largest error at 40 points of [0, stop], read off the dense output.
static double error_of(const fo_run_def *def, uint64_t *steps)
{
    fo_message why;
    fo_simulation *sim = fo_simulation_create(smooth(), def, &why);
    double worst = 0;
    for (int i = 1; sim && i <= 40; i++) {
        double t = def->stop * i / 40;
        CHECK_STATUS(fo_simulation_advance(sim, t), FO_REACHED, fo_simulation_message(sim));
        const double *x = fo_simulation_state(sim)->x;
        worst = fmax(worst, fmax(fabs(x[0] - exp(sin(t))), fabs(x[1] - exp(-t))));
    }
    if (steps) *steps = fo_simulation_statistics(sim).steps;
    fo_simulation_destroy(sim);
    return worst;
}

// With tolerances that any step meets, the longest step is the step.
TEST(orders_are_as_stated)
{
    for (int i = 0; i < ALL; i++) {
        double h = all[i].order == 5 ? 0.05 : 0.01, error[2];
        CHECK(fo_solver_find(all[i].name, NULL)->order == all[i].order);
        for (int j = 0; j < 2; j++) {
            fo_run_def def = fo_default_run_def();
            def.solver = all[i].name, def.stop = 2, def.rtol = 1e3;
            def.first_step = def.max_step = ldexp(h, -j);
            fo_message why;
            fo_simulation *sim = fo_simulation_create(smooth(), &def, &why);
            REQUIRE(sim);
            CHECK_STATUS(fo_simulation_advance(sim, 2), FO_REACHED, fo_simulation_message(sim));
            error[j] = fabs(fo_simulation_state(sim)->x[0] - exp(sin(2.0)));
            fo_simulation_destroy(sim);
        }
        CHECK_NEAR(log2(error[0] / error[1]), all[i].order, 0.25);
    }
}

// Errors follow the tolerance, also between the steps, and steps follow the solution.
TEST(errors_follow_the_tolerance)
{
    for (int i = 0; i < ALL; i++) {
        uint64_t before = 0;
        for (int e = 3; e <= 8; e++) {
            fo_run_def def = fo_default_run_def();
            def.solver = all[i].name, def.stop = 10;
            def.rtol = pow(10, -e), def.atol = def.rtol / 10;
            uint64_t steps;
            double error = error_of(&def, &steps);
            if (!(error < 30 * def.rtol))
                test_fail(__FILE__, __LINE__, "%s at %g: error %g in %llu steps", all[i].name,
                          def.rtol, error, (unsigned long long)steps);
            double growth = pow(10, 1.0 / (all[i].order == 5 ? 5 : all[i].order));
            if (before) CHECK((double)steps > 0.6 * growth * (double)before);
            before = steps;
        }
    }
}

TEST(nothing_is_asked_beyond_the_stop)
{
    for (int i = 0; i < ALL; i++)
        for (int k = 1; k < 200; k++) {
            fo_run_def def = fo_default_run_def();
            def.solver = all[i].name, def.rtol = 1e-3;
            def.start = 0.1 * k, def.stop = def.start + 1.0 / 3;
            latest = def.start;
            fo_simulation *sim = fo_simulation_create(smooth(), &def, NULL);
            REQUIRE(sim);
            CHECK_STATUS(fo_simulation_advance(sim, def.stop), FO_REACHED,
                         fo_simulation_message(sim));
            CHECK(latest <= def.stop);
            fo_simulation_destroy(sim);
        }
}

TEST_MAIN(TEST_ENTRY(orders_are_as_stated), TEST_ENTRY(errors_follow_the_tolerance),
          TEST_ENTRY(nothing_is_asked_beyond_the_stop))
