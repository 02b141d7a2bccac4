/// spatialDistribution(): what flows through a pipe comes out as it went in.
#include "run.h"

#define PI 3.14159265358979323846

// The way flown is t + (1 - cos t) / 2: when was it `way`?
static double when_at(double way)
{
    double lo = 0, hi = 20;
    for (int i = 0; i < 80; i++) {
        double t = (lo + hi) / 2;
        *(t + 0.5 * (1 - cos(t)) < way ? &lo : &hi) = t;
    }
    return lo;
}

// First the contents, linear and with a jump, then what entered one length of the pipe before.
TEST(one_way)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 0, fixed = true), a, b, v = 1 + 0.5*sin(time);\n"
              "equation\n  der(x) = v;\n"
              "  (a, b) = spatialDistribution(sin(3*time), 7, x, v >= 0,\n"
              "    {0, 0.5, 0.5, 1}, {0, 1, 2, 4});\nend M;\n",
              6))
        for (double t = 0.03; t < 6; t += 0.07) {
            double place = 1 - (t + 0.5 * (1 - cos(t)));
            double lies = place > 0.5 ? 4 * place
                          : place > 0 ? 2 * place
                                      : sin(3 * when_at(1 - place - 1));
            CHECK_NEAR(at(&w, t, "b"), lies, 1e-7);
            CHECK_NEAR(at(&w, t, "a"), sin(3 * t), 1e-12);
        }
    end(&w);
}

// x = 0.8 sin t: what enters at one end comes out there again after the flow has turned; where it
// turns the contents have a root's corner. Before pi, left: in at s with sin s = sin t, s = pi - t;
// then what was there at the start, and where the pipe ends, at 1 - 0.8 sin s, what came from
// right.
TEST(there_and_back)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 0, fixed = true), a, b, v = cos(time);\n"
              "equation\n  der(x) = 0.8*v;\n"
              "  (a, b) = spatialDistribution(in0 = 10 + time, in1 = 20 + time, x = x,\n"
              "    positiveVelocity = v >= 0);\nend M;\n",
              8))
        for (double t = 0.05; t < 2.5 * PI; t += 0.0437) {
            bool right = t < 0.5 * PI || t > 1.5 * PI;
            double left = t < PI ? 10 + PI - t : sin(t) > -0.25 ? 0 : 20 + PI - asin(1.25 + sin(t));
            double a = right ? 10 + t : left;
            double from = sin(t) < 0.25 ? 20 + 3 * PI - t : 10 + 2 * PI + asin(sin(t) - 1.25);
            double b = !right ? 20 + t : t < 0.5 * PI ? 0 : from;
            CHECK_NEAR(at(&w, t, "a"), a, 2e-6);
            CHECK_NEAR(at(&w, t, "b"), b, 2e-6);
        }
    end(&w);
}

// What is there is neither made nor lost: what went in has come out or lies in the pipe. A jump of
// what enters stays a jump; the flow stands for a while in between.
TEST(jumps_stay_jumps)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 0, fixed = true), a, b, out(start = 0, fixed = true);\n"
              "  Real u = if time < 0.5 then 1 else if time < 0.7 then 3 else 0;\n"
              "  Real v = if time > 1 and time < 2 then 0 else 1;\n"
              "equation\n  der(x) = v; der(out) = b*v;\n"
              "  (a, b) = spatialDistribution(u, 0, x, true);\nend M;\n",
              4)) {
        CHECK_NEAR(at(&w, 1.5, "b"), 0, 1e-9);
        CHECK_NEAR(at(&w, 2.49, "b"), 1, 1e-9);
        CHECK_NEAR(at(&w, 2.51, "b"), 3, 1e-9);
        CHECK_NEAR(at(&w, 2.69, "b"), 3, 1e-9);
        CHECK_NEAR(at(&w, 2.71, "b"), 0, 1e-9);
        CHECK_NEAR(at(&w, 4, "out"), 0.5 + 0.6, 1e-6);
    }
    end(&w);
}

// Two pipes in a ring: what is in them goes round, and out of one is into the other.
static bool begin_by(world *w, const char *text, double stop, const char *solver)
{
    fo_message why = {0};
    fo_run_def run = fo_default_run_def();
    run.stop = stop, run.solver = solver;
    if (!world_open(w, "test.mo", text, NULL)) return false;
    w->sim = fo_simulation_create(fo_text_model_system(w->model), &run, &why);
    CHECK_STATUS(w->sim ? FO_OK : FO_ERROR_MODEL, FO_OK, &why);
    return w->sim;
}

// What enters with kinks and jumps that no moment tells, or moves faster than steps, comes out so.
TEST(kinks_and_waves_come_through)
{
    static const char *const enters[] = {"abs(sin(1.3*time))", "noEvent(abs(sin(2.1*q)))",
                                         "max(sin(2.1*time), 0.25)", "sin(50*time)",
                                         "noEvent(if sin(1.3*time) > 0.3 then 1 else 0)"};
    static const char *const solvers[] = {"dp45", "rkv56", "radau5"};
    for (int k = 0; k < 15; k++) {
        char text[600];
        world w;
        int wrong = 0;
        snprintf(text, sizeof text,
                 "model M\n  Real x(start = 0, fixed = true), q(start = 0, fixed = true), a, b;\n"
                 "equation\n  der(x) = 0.5;\n  der(q) = 1;\n"
                 "  (a, b) = spatialDistribution(%s, 0, x, true);\nend M;\n",
                 enters[k % 5]);
        if (!begin_by(&w, text, 6, solvers[k / 5])) continue;
        for (double t = 2.0051; t < 6; t += 0.0101) {
            double e = t - 2, s = sin(1.3 * e), r = sin(2.1 * e);
            double truth = k % 5 == 0   ? fabs(s)
                           : k % 5 == 1 ? fabs(r)
                           : k % 5 == 2 ? fmax(r, 0.25)
                           : k % 5 == 3 ? sin(50 * e)
                                        : s > 0.3;
            if (k % 5 == 4 && fabs(s - 0.3) < 1e-4) continue;
            wrong += !(fabs(at(&w, t, "b") - truth) <= 1e-4);
        }
        if (wrong) test_fail(__FILE__, __LINE__, "%d rows wrong: %s", wrong, text);
        end(&w);
    }
}

// And where it moves faster than a pipe can keep, the run ends.
TEST(what_moves_too_fast_is_refused)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 0, fixed = true), a, b;\nequation\n  der(x) = 1;\n"
              "  (a, b) = spatialDistribution(sin(2000*time), 0, x, true);\nend M;\n",
              2)) {
        CHECK_STATUS(fo_simulation_advance(w.sim, 2), FO_ERROR_MODEL, fo_simulation_message(w.sim));
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "moves too fast");
    }
    end(&w);
}

TEST(ring)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 0, fixed = true), a, b, c, d;\n"
              "equation\n  der(x) = 2;\n"
              "  (a, b) = spatialDistribution(d, 0, x, true, {0, 1}, {0, 1});\n"
              "  (c, d) = spatialDistribution(b, 0, x, true, {0, 1}, {1, 0});\nend M;\n",
              3))
        for (double t = 0.013; t < 3; t += 0.1) {
            double turn = fmod(2 * t, 2), b = turn < 1 ? 1 - turn : turn - 1;
            CHECK_NEAR(at(&w, t, "b"), b, 1e-3); // a kink that is not a moment is rounded
            CHECK_NEAR(at(&w, t, "d"), 1 - b, 1e-3);
        }
    end(&w);
}

TEST(snapshot_has_the_contents)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 0, fixed = true), a, b, z(start = 0, fixed = true);\n"
              "equation\n  der(x) = cos(time); der(z) = b - z;\n"
              "  (a, b) = spatialDistribution(sin(time), z, x, cos(time) >= 0);\nend M;\n",
              6)) {
        at(&w, 2.3, "z");
        fo_snapshot *then = fo_simulation_snapshot(w.sim);
        REQUIRE(then);
        double first = at(&w, 6, "z");
        CHECK_INT(fo_simulation_restore(w.sim, then), FO_OK);
        CHECK_NEAR(at(&w, 6, "z"), first, 0);
        fo_snapshot_destroy(then);
    }
    end(&w);
}

static void refused(const char *call, const char *because)
{
    char text[600];
    fo_message why = {0};
    snprintf(text, sizeof text,
             "model M\n  Real x(start = 0, fixed = true), a, b;\nequation\n  der(x) = 1;\n  %s\n"
             "end M;\n",
             call);
    fo_text_model_def def = {.path = "test.mo", .text = text};
    fo_text_model *m = fo_text_model_open(&def, &why);
    CHECK(!m);
    CHECK_CONTAINS(why.text, because);
    fo_text_model_close(m);
}

TEST(wrong)
{
    refused("(a, b) = spatialDistribution(1, 2, x);", "needs an argument 'positiveVelocity'");
    refused("(a, b) = spatialDistribution(1, 2, x, true, {0, 0.5}, {1, 2});", "from 0 to 1");
    refused("(a, b) = spatialDistribution(1, 2, x, true, {0, 1}, {1, 2, 3});",
            "has 2 numbers and 'initialValues' has 3");
    refused("(a, b) = spatialDistribution(1, 2, x, true, {0, 1}, {1, time});",
            "'initialValues' must be known before the run");
    refused("(a, b) = spatialDistribution(1, 2, x, 3);", "positiveVelocity");
    refused("(a, b) = spatialDistribution(1, 2, b, true);", "depends on what comes out");
}

TEST_MAIN(TEST_ENTRY(one_way), TEST_ENTRY(there_and_back), TEST_ENTRY(jumps_stay_jumps),
          TEST_ENTRY(kinks_and_waves_come_through), TEST_ENTRY(what_moves_too_fast_is_refused),
          TEST_ENTRY(ring), TEST_ENTRY(snapshot_has_the_contents), TEST_ENTRY(wrong))
