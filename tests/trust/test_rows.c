// Rows between the steps of a stiff state that is driven by time: the contract of docs/events.md.
// Every row is within 20 times atol + rtol max|x|, the largest |x| of the run, with every stiff
// method and the choice where none is named.
#include <foliot/language.h>
#include <math.h>

#include "test.h"

static const char text[] = "model Track\n"
                           "  parameter Real k = 1;\n"
                           "  Real x(start = 0, fixed = true);\n"
                           "equation\n"
                           "  der(x) = -k*(x - sin(time));\n"
                           "end Track;\n";

// x = (k^2 sin t - k cos t + k exp(-k t)) / (k^2 + 1).
static double truth(double k, double t)
{
    double q = 1 / k;
    return (sin(t) - q * cos(t) + q * exp(-k * t)) / (1 + q * q);
}

// The largest error of a row, in units of atol + rtol max|x|.
static double worst_row(fo_system system, double k, const char *solver, double rtol)
{
    fo_message why = {0};
    fo_reference at;
    fo_run_def def = fo_default_run_def();
    def.stop = 20, def.solver = solver, def.rtol = rtol, def.atol = 1e-3 * rtol;
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    CHECK(sim && fo_system_find(system, "x", &at, &why) == FO_OK);
    double worst = sim ? 0 : INFINITY;
    for (int i = 0; sim && 0.013 * i <= def.stop; i++) {
        double t = 0.013 * i;
        fo_status status = fo_simulation_advance(sim, t);
        CHECK_STATUS(status, FO_REACHED, fo_simulation_message(sim));
        worst = fmax(worst, fabs(fo_simulation_value(sim, at) - truth(k, t)));
    }
    fo_simulation_destroy(sim);
    return worst / (def.atol + def.rtol);
}

TEST(rows_between_steps_keep_the_tolerance)
{
    static const char *const solvers[] = {NULL,        "radau5", "rodas4",
                                          "cvode-bdf", "ida",    "ark-implicit"};
    static const double stiffness[] = {1e2, 1e4, 1e6, 1e8}, tolerances[] = {1e-4, 1e-6, 1e-8};
    for (size_t j = 0; j < 4; j++) {
        fo_message why = {0};
        fo_setting k = {.name = "k", .value = stiffness[j]};
        fo_text_model_def def = {.path = "rows.mo", .text = text};
        def.settings = &k, def.setting_count = 1;
        fo_text_model *model = fo_text_model_open(&def, &why);
        CHECK(model);
        for (size_t i = 0; i < 6 && model; i++)
            for (size_t r = 0; r < 3; r++) {
                if (solvers[i] && !fo_solver_find(solvers[i], NULL)) continue;
                if (test_is_slow() && r != 1) continue;
                double worst =
                    worst_row(fo_text_model_system(model), stiffness[j], solvers[i], tolerances[r]);
                if (!(worst <= 20))
                    test_fail(__FILE__, __LINE__, "%s, k = %g, rtol %g: a row is %.3g off",
                              solvers[i] ? solvers[i] : "chosen", stiffness[j], tolerances[r],
                              worst);
            }
        fo_text_model_close(model);
    }
}

TEST_MAIN(TEST_ENTRY(rows_between_steps_keep_the_tolerance))
