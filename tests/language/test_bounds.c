// Enclosures of the guards of texts, tried while they run: every function of the language, delays.
#include "bounds_watch.h"
#include "run.h"

/// How a text's guards fared.
typedef struct tally {
    long tried, smooth, bad;
} tally;

static tally watch_text(const char *text, double stop)
{
    world w;
    fo_message why = {0};
    fo_system_type type;
    fo_run_def run = fo_default_run_def();
    tally before = {bounds_watch.tried, bounds_watch.smooth, bounds_watch.bad};
    run.stop = stop, run.rtol = 1e-6;
    if (world_open(&w, "test.mo", text, NULL)) {
        fo_system system = watch_system(fo_text_model_system(w.model), "text", &type);
        w.sim = fo_simulation_create(system, &run, &why);
        if (!w.sim) test_fail(__FILE__, __LINE__, "%s", why.text);
        if (w.sim) fo_simulation_advance(w.sim, stop);
    }
    end(&w);
    return (tally){bounds_watch.tried - before.tried, bounds_watch.smooth - before.smooth,
                   bounds_watch.bad - before.bad};
}

// One guard for each, so that all are asked for whenever one is.
TEST(functions_of_the_language)
{
    tally t =
        watch_text("model M\n"
                   "  Real x(start = 0, fixed = true); Real v(start = 1, fixed = true);\n"
                   "  Integer n(start = 0, fixed = true);\n"
                   "  Real f[18] = {abs(x) - 0.3, sqrt(x + 1.5) - 1, sin(5*x) - 0.2,\n"
                   "    cos(7*x) - 0.1, tan(1.2*x) - 0.4, asin(0.9*x) - 0.2, acos(0.9*v) - 1,\n"
                   "    atan(3*x) - 0.7, atan2(x, v) - 2, sinh(x) - 0.5, cosh(x) - 1.2,\n"
                   "    tanh(2*x) - 0.6, exp(x) - 2, log(x + 2) - 0.5, log10(x + 2) - 0.3,\n"
                   "    min(x, v) - 0.1, max(x, v) - 0.8, x^3 - v^2 + time/10};\n"
                   "  Real g[5] = {noEvent(mod(3*x, 1)) - 0.4, noEvent(rem(4*x, 0.7)) - 0.2,\n"
                   "    noEvent(floor(6*x)) - 1.5, noEvent(sign(x)) - 0.5,\n"
                   "    noEvent(if x > 0.4 then x - v else v*v) - 0.1};\n"
                   "equation\n  der(x) = v; der(v) = -x;\nalgorithm\n"
                   "  for i in 1:18 loop when f[i] > 0 then n := pre(n) + 1; end when; end for;\n"
                   "  for i in 1:5 loop when g[i] > 0 then n := pre(n) + 1; end when; end for;\n"
                   "end M;\n",
                   test_count(1, 14) * 0.5);
    CHECK(t.tried > 100 && t.smooth > 500);
    CHECK_INT(t.bad, 0);
}

// A guard on what was: enclosed by the history's own polynomials.
TEST(delays)
{
    tally t =
        watch_text("model M\n"
                   "  Real x(start = 1, fixed = true);\n"
                   "  Integer n(start = 0, fixed = true); Integer m(start = 0, fixed = true);\n"
                   "equation\n  der(x) = -1.4*delay(x, 1);\n"
                   "  when delay(x, 0.4) > 0.1 then n = pre(n) + 1; end when;\n"
                   "  when x*delay(x, 0.7) - 0.05 < 0 then m = pre(m) + 1; end when;\n"
                   "end M;\n",
                   test_count(5, 20));
    CHECK(t.tried > 100 && t.smooth > 100);
    CHECK_INT(t.bad, 0);
}

TEST_MAIN(TEST_ENTRY(functions_of_the_language), TEST_ENTRY(delays))
