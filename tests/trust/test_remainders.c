// mod and rem of what flows: exact but for one rounding between their jumps, whatever the size of
// the quotient, in all ways to run.
#include <foliot/language.h>
#include <foliot/program.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

typedef struct remainders {
    double x, m, r, p; ///< x, mod, rem, and mod by a parameter
} remainders;

static double value_of(fo_simulation *sim, const char *name)
{
    fo_reference at;
    if (fo_system_find(fo_simulation_system(sim), name, &at, NULL) != FO_OK) return NAN;
    return fo_simulation_value(sim, at);
}

static bool run(double x, double rate, double b, fo_way way, double t, remainders *all)
{
    char text[600];
    snprintf(text, sizeof text,
             "model R\n  Real x(start = %.17g, fixed = true), m, r, p;\n"
             "  parameter Real b = %.17g;\nequation\n  der(x) = %.17g;\n"
             "  m = mod(x, %.17g);\n  r = rem(x, %.17g);\n  p = mod(x, b);\nend R;\n",
             x, b, rate, b, b);
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "rest.mo", .text = text}, &why);
    fo_program_def as = {.way = way};
    bool good = model && fo_program_run_as(fo_text_model_system(model), &as, &why) == FO_OK;
    fo_run_def def = fo_default_run_def();
    def.stop = 1;
    fo_simulation *sim =
        good ? fo_simulation_create(fo_text_model_system(model), &def, &why) : NULL;
    good = sim && !fo_failed(fo_simulation_advance(sim, t));
    if (good)
        *all = (remainders){value_of(sim, "x"), value_of(sim, "m"), value_of(sim, "r"),
                            value_of(sim, "p")};
    else
        test_fail(__FILE__, __LINE__, "%s", sim ? fo_simulation_message(sim)->text : why.text);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
    return good;
}

static double modulo(double a, double b)
{
    double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static void want_exact(double x, double rate, double b)
{
    static const double times[] = {0, 0.1307, 0.7103};
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        remainders of[2] = {{0}};
        if (!run(x, rate, b, FO_WAY_BYTECODE, times[k], &of[0]) ||
            !run(x, rate, b, FO_WAY_AUTO, times[k], &of[1]))
            continue;
        CHECK(memcmp(&of[0], &of[1], sizeof of[0]) == 0);
        double mod = modulo(of->x, b), rem = fmod(of->x, b);
        if (of->m != mod || of->r != rem || of->p != mod)
            test_fail(__FILE__, __LINE__, "x = %.17g, b = %.17g: mod %.17g, %.17g, rem %.17g",
                      of->x, b, of->m, of->p, of->r);
    }
}

TEST(remainders_are_exact)
{
    want_exact(1e10, 0.01, 0.007);
    want_exact(-1e10, 0.01, 0.007);
    want_exact(1e17, 0, 7);
    want_exact(-1e17, 0, 7);
    want_exact(1e17, 8, 1e9 + 7);
    want_exact(12345.678, 3, 0.1);
    want_exact(1e300, 0, 3e288);
    want_exact(1e-300, 0, 3e-312);
    want_exact(-7.3, 2, -0.3);
}

// A counter stands at the jumps of its remainders, wherever it stands, and does not move: guards
// that depend on them are certified, at the cost of one look at each step.
TEST(remainders_of_counters_are_certified)
{
    static const char text[] =
        "model K\n  Real x(start = 0, fixed = true);\n"
        "  discrete Integer k(start = 0, fixed = true), n(start = 0, fixed = true);\n"
        "  Real y = if mod(k, 2) == 0 then 0.5 else -0.5;\n"
        "  Real z = if k - 3*div(k, 3) < 1 then 0.4 else -0.3;\n"
        "  Real v = if 2*floor(k/2) == k then 0.2 else -0.1;\n"
        "  Real w = rem(k, 4)/4;\n"
        "equation\n  der(x) = cos(time);\n"
        "  when sample(0, 0.7) then k = pre(k) + 1; end when;\n"
        "  when {x > y, x > z, x > v, x > w} then n = pre(n) + 1; end when;\n"
        "end K;\n";
    fo_message why = {0};
    fo_text_model *model =
        fo_text_model_open(&(fo_text_model_def){.path = "counts.mo", .text = text}, &why);
    REQUIRE(model);
    fo_run_def def = fo_default_run_def();
    def.stop = 20;
    fo_simulation *sim = fo_simulation_create(fo_text_model_system(model), &def, &why);
    REQUIRE(sim);
    CHECK_INT(fo_simulation_advance(sim, def.stop), FO_REACHED);
    fo_statistics all = fo_simulation_statistics(sim);
    CHECK_INT(all.guard_count, 4);
    CHECK_INT(all.certified_guards, 4);
    CHECK(all.guards < 1000);
    fo_simulation_destroy(sim);
    fo_text_model_close(model);
}

TEST_MAIN(TEST_ENTRY(remainders_are_exact), TEST_ENTRY(remainders_of_counters_are_certified))
