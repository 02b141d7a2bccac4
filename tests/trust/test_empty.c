// A slope that is infinite where a state comes to rest: a tank that runs empty through a hole. The
// rate -c sqrt(h) has the solution h = (sqrt(h0) - c t/2)^2 until 2 sqrt(h0)/c, and stays at zero.
// The derivative that stiff solvers ask for is infinite there.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>

#include "test.h"

static const char *const tanks = "model Tanks\n"
                                 "  parameter Real c = 1, size = 1;\n"
                                 "  Real h(start = 1, fixed = true);\n"
                                 "  Real w(start = 0, fixed = true) \"what has run out\";\n"
                                 "equation\n"
                                 "  der(h) = -c*sqrt(max(h, 0));\n"
                                 "  der(w) = c*sqrt(max(h, 0));\n"
                                 "end Tanks;\n";

static double level(double c, double h0, double t)
{
    double root = sqrt(h0) - c * t / 2;
    return root > 0 ? root * root : 0;
}

static void empty(const char *solver, double c, double h0)
{
    fo_message why = {0};
    fo_text_model_def text = {.path = "tanks.mo", .text = tanks};
    fo_text_model *model = fo_text_model_open(&text, &why);
    fo_run_def def = fo_default_run_def();
    double end = 2 * sqrt(h0) / c;
    def.stop = 3 * end, def.solver = solver, def.atol = 1e-9 * h0;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    CHECK_STATUS(why.status, FO_OK, &why);
    if (!sim) goto done;
    fo_reference h, w;
    fo_system system = fo_simulation_system(sim);
    CHECK(fo_system_find(system, "h", &h, NULL) == FO_OK);
    CHECK(fo_system_find(system, "w", &w, NULL) == FO_OK);
    CHECK(!fo_failed(fo_simulation_set(sim, "c", c)) &&
          !fo_failed(fo_simulation_set(sim, "h", h0)));
    for (int i = 1; i <= 60; i++) {
        double t = def.stop * i / 60;
        fo_status status = fo_simulation_advance(sim, t);
        CHECK_STATUS(fo_failed(status) ? status : FO_OK, FO_OK, fo_simulation_message(sim));
        if (fo_failed(status)) break;
        double now = fo_simulation_value(sim, h);
        if (!(fabs(now - level(c, h0, t)) <= 2e-5 * h0)) {
            printf("    %s, c %g, h0 %g, t %g: %.9g, not %.9g\n", solver, c, h0, t, now,
                   level(c, h0, t));
            CHECK(false);
        }
        CHECK_NEAR(now + fo_simulation_value(sim, w), h0, 1e-5 * h0);
    }
done:
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(a_tank_runs_empty_with_every_solver)
{
    static const char *const solvers[] = {NULL,     "dp45",      "dop853",      "radau5",
                                          "rodas4", "cvode-bdf", "cvode-adams", "ida"};
    for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
        if (solvers[i] && !fo_solver_find(solvers[i], NULL)) continue; // not in this build
        empty(solvers[i], 1, 1);
        empty(solvers[i], 1e-3, 2);
        empty(solvers[i], 1e6, 1e-8);
    }
}

TEST_MAIN(TEST_ENTRY(a_tank_runs_empty_with_every_solver))
