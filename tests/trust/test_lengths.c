// Runs that are much shorter or longer than the time that a model, or nobody, says it is made for:
// a run is judged by its own length then, and not by a second.
#include "../language/run.h"

// The definition that a document without a stop time becomes, until another time.
static bool begin_until(world *w, const char *text, double stop)
{
    fo_message why = {0};
    if (!world_open(w, "test.mo", text, NULL)) return false;
    fo_run_def run = fo_default_run_def();
    run.scale = 1, run.stop = stop, run.rtol = 1e-9, run.atol = 1e-12;
    w->sim = fo_simulation_create(fo_text_model_system(w->model), &run, &why);
    if (!w->sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return w->sim;
}

// Height of a ball from 1, with gravity 1 and 0.9 of its speed left after each bounce.
static double height(double t)
{
    double at = sqrt(2), v = sqrt(2);
    if (t < at) return 1 - t * t / 2;
    for (int k = 0; k < 300; k++) {
        v *= 0.9;
        if (t < at + 2 * v) return v * (t - at) - (t - at) * (t - at) / 2;
        at += 2 * v;
    }
    return 0;
}

TEST(a_ball_in_picoseconds_bounces_until_it_rests)
{
    static const double units[] = {1e-12, 1e-9, 1e-6, 1, 1e6, 1e9};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        char text[500];
        world w;
        snprintf(text, sizeof text,
                 "model Ball\n  parameter Real T = %.17g;\n  Real h(start = 1, fixed = true), "
                 "v(start = 0, fixed = true);\nequation\n  der(h) = v/T;\n  der(v) = -1/T;\n  when "
                 "h <= 0 then reinit(v, -0.9*pre(v)); end when;\nend Ball;\n",
                 units[k]);
        if (!begin_until(&w, text, 40 * units[k])) return;
        for (double t = 0.5; t < 40; t += 0.5)
            CHECK_NEAR(at(&w, t * units[k], "h"), height(t), 1e-8);
        end(&w);
    }
}

// A relay in both directions, which goes round the corner where both surfaces meet and comes there
// after infinitely many turns: both are slid upon from then on.
TEST(a_spiral_ends_in_any_unit)
{
    static const double units[] = {1e-9, 1e-3, 1, 7, 1e6, 1e8, 1e9};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        char text[600];
        world w;
        snprintf(text, sizeof text,
                 "model Spiral\n  parameter Real T = %.17g;\n  Real x(start = 0.3, fixed = true), "
                 "y(start = 0.1, fixed = true);\nequation\n  T*der(x) = -0.5*(if x > 0 then 1 else "
                 "-1) - (if y > 0 then 1 else -1);\n  T*der(y) = (if x > 0 then 1 else -1) - "
                 "0.5*(if y > 0 then 1 else -1);\nend Spiral;\n",
                 units[k]);
        if (!begin_until(&w, text, 10 * units[k])) return;
        CHECK_NEAR(at(&w, 9 * units[k], "x"), 0, 0);
        CHECK_NEAR(at(&w, 9 * units[k], "y"), 0, 0);
        end(&w);
    }
}

// A guard in a loop is sampled, and steps are then no longer than a part of the run: not of what
// the model is made for, a second here.
TEST(samples_are_those_of_the_run)
{
    static const double units[] = {1e-9, 1e-3, 1, 7, 1e3, 1e6};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        char text[500];
        world w;
        snprintf(text, sizeof text,
                 "model Loop\n  parameter Real T = %.17g;\n  Real x(start = 1, fixed = true), "
                 "v(start = 0, fixed = true), y;\n  Integer n(start = 0, fixed = true);\nequation\n"
                 "  der(x) = v/T;\n  der(v) = -x/T;\n  y + 0.1*y^3 = x;\n  when y < 0 then n = "
                 "pre(n) + 1; end when;\nend Loop;\n",
                 units[k]);
        if (!begin_until(&w, text, 20 * units[k])) return;
        CHECK_NEAR(at(&w, 20 * units[k], "n"), 3, 0);
        uint64_t steps = fo_simulation_statistics(w.sim).steps;
        if (steps > 500)
            test_fail(__FILE__, __LINE__, "unit %g: %llu steps", units[k],
                      (unsigned long long)steps);
        end(&w);
    }
}

TEST_MAIN(TEST_ENTRY(a_ball_in_picoseconds_bounces_until_it_rests),
          TEST_ENTRY(a_spiral_ends_in_any_unit), TEST_ENTRY(samples_are_those_of_the_run))
