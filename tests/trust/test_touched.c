// Whole parts whose argument touches a whole number: there the value is taken once, or not at all
// where rounding hides whether it is reached, and never twice. What hides it is said.
#include "trust/rises.h"

#include <stdio.h>
#include <string.h>

typedef struct touched {
    const char *top; ///< comes up to `at` `peaks` times until `stop`, and no higher
    double stop;
    int peaks;
} touched;

static const touched tops[] = {
    {"2*sin(x + 0.3)", 20, 3},  {"2*cos(3*x + 0.3)", 12, 5},     {"2*sin(time)", 12, 2},
    {"2 - (x - 3)^2", 5, 1},    {"2 - (time - 1/3)^2", 1.5, 1},  {"2*exp(-(x - 4.1)^2)", 6, 1},
    {"2 - abs(x - 2.7)", 4, 1}, {"7*sin(10*x + 1.7) - 5", 6, 9},
};

static const struct {
    const char *y;
    const char *when; ///< true only where the top is reached
} taken[] = {
    {"floor(v)", "y > 1.5"},     {"integer(v)", "y > 1.5"},
    {"div(v, 2)", "y > 0.5"},    {"-ceil(-v)", "y > 1.5"},
    {"sign(v - 2)", "y > -0.5"}, {"abs(mod(v, 4) - 2)", "v > 1.9 and floor(v) > 1.5"},
};

static void try(const touched *top, int i, double begin, const char *solver)
{
    char text[800];
    snprintf(text, sizeof text,
             "model T\n  Real x(start = 0, fixed = true), v, y;\n"
             "  discrete Integer n0(start = 0, fixed = true);\nequation\n  der(x) = 1;\n"
             "  v = %s;\n  y = %s;\n  when %s then n0 = pre(n0) + 1; end when;\nend T;\n",
             top->top, taken[i].y, taken[i].when);
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "T.mo", .text = text}, &why);
    fo_run_def def = fo_default_run_def();
    def.start = begin, def.stop = begin + top->stop, def.solver = solver, def.step = 0.01;
    fo_simulation *sim =
        model ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    REQUIRE(sim);
    CHECK_INT(fo_simulation_advance(sim, def.stop), FO_REACHED);
    double n = rises_value(sim, "n0");
    fo_statistics all = fo_simulation_statistics(sim);
    bool certain = all.certified_guards == all.guard_count;
    if (!(n >= 0 && n <= top->peaks) || (certain && n != top->peaks))
        test_fail(__FILE__, __LINE__, "%s: %s of %s: %g times, of at most %d%s", solver, taken[i].y,
                  top->top, n, top->peaks, certain ? ", certified" : "");
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST(what_is_touched_is_taken_once)
{
    static const char *const solvers[] = {"dp45", "dop853", "radau5", "rk4", "adams", "rodas4"};
    int seen = 0;
    for (size_t k = 0; k < sizeof tops / sizeof *tops; k++)
        for (int i = 0; i < (int)(sizeof taken / sizeof *taken); i++)
            for (int begun = 0; begun < (strstr(tops[k].top, "time") ? 1 : 2); begun++)
                try(&tops[k], i, begun ? 1e6 : 0, solvers[seen++ % 6]);
}

TEST_MAIN(TEST_ENTRY(what_is_touched_is_taken_once))
