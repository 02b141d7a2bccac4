// Rows between the steps of a stiff state that is driven by time: the contract of docs/events.md.
// Every row is within 20 times atol + rtol max|x|, the largest |x| of the run, with every stiff
// method and the choice where none is named.
#include <foliot/language.h>
#include <math.h>
#include <stdio.h>

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

// While something slides a `when` changes what an output is made of: the row after it shows that,
// whether the slide goes on, ends or the model stops.
typedef struct watcher {
    int rows, after;
    double n, y, off;
} watcher;

static fo_status see_row(void *self, const fo_row *row, fo_message *why)
{
    watcher *w = self;
    (void)why;
    w->rows++, w->after += row->kind == FO_ROW_AFTER;
    w->n = row->values[0], w->y = row->values[1];
    w->off = fmax(w->off, fabs(w->y - 2 * w->n));
    return FO_OK;
}

static void look_while_sliding(const char *what, int after)
{
    char sliding[600];
    fo_message why = {0};
    snprintf(sliding, sizeof sliding,
             "model Sliding\n"
             "  Real s(start = 0.1, fixed = true); Real y; Integer n(start = 0, fixed = true);\n"
             "  Real drive(start = 0, fixed = true);\n"
             "equation\n"
             "  der(s) = (if s > 0 then -1 else 1) + drive; der(drive) = 0; y = 2*n + 0*s;\n"
             "  when sample(0.25, 0.25) then n = pre(n) + 1; end when;\n"
             "  when time > 0.6 then %s end when;\n"
             "end Sliding;\n",
             what);
    fo_text_model_def def = {.path = "rows.mo", .text = sliding};
    fo_text_model *model = fo_text_model_open(&def, &why);
    if (!model) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (!model) return;
    fo_system system = fo_text_model_system(model);
    fo_reference signals[2];
    CHECK(fo_system_find(system, "n", &signals[0], &why) == FO_OK);
    CHECK(fo_system_find(system, "y", &signals[1], &why) == FO_OK);
    watcher w = {0};
    fo_observer who = {.self = &w, .row = see_row, .interval = 0.1};
    who.signals = signals, who.signal_count = 2;
    fo_run_def run = fo_default_run_def();
    run.observers = &who, run.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(system, &run, &why);
    fo_status status = sim ? fo_simulation_advance(sim, 1) : FO_ERROR_INPUT;
    CHECK(status == FO_REACHED || status == FO_STOPPED);
    if (!(w.off == 0) || w.after < after)
        test_fail(__FILE__, __LINE__, "%s: y is %g off in a row, %d rows after moments", what,
                  w.off, w.after);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(rows_after_moments_of_a_slide_show_what_they_have_changed)
{
    look_while_sliding("reinit(drive, 0.5);", 6);
    look_while_sliding("reinit(drive, 2);", 6);
    look_while_sliding("reinit(s, 0.3);", 6);
    look_while_sliding("terminate(\"enough\");", 4);
}

TEST_MAIN(TEST_ENTRY(rows_between_steps_keep_the_tolerance),
          TEST_ENTRY(rows_after_moments_of_a_slide_show_what_they_have_changed))
