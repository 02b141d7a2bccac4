/// delay() and terminal(): what was, and the end.
#include "run.h"

// x' = -x(t - 1), x = 1 before 0, by the method of steps:
//   x(t) = sum over k <= floor(t) + 1 of (-1)^k (t - k + 1)^k / k!
static double by_steps(double t)
{
    double sum = 0, factorial = 1;
    for (int k = 0; k <= (int)floor(t) + 1; k++) {
        if (k) factorial *= -k;
        sum += pow(t - k + 1, k) / factorial;
    }
    return sum;
}

TEST(method_of_steps)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 1, fixed = true);\n"
              "equation\n  der(x) = -delay(x, 1);\nend M;\n",
              10)) {
        for (double t = 0.125; t <= 10; t += 0.125) CHECK_NEAR(at(&w, t, "x"), by_steps(t), 1e-9);
        // each kink one lag later, one derivative higher, as long as the interpolation sees it
        CHECK_INT(fo_simulation_statistics(w.sim).moments, 5);
    }
    end(&w);
}

// Errors fall with the tolerance although the history is interpolated: y' = -y(t - pi/2) is cos.
TEST(history_is_dense_enough)
{
    for (double rtol = 1e-5; rtol > 1e-10; rtol /= 100) {
        world w;
        if (world_open(&w, "test.mo",
                       "model M\n  Real y(start = 1, fixed = true); Real u = time;\n"
                       "  parameter Real T = 1.5707963267948966;\n"
                       "  Real past = if time < T then cos(time - T) else delay(y, T);\n"
                       "equation\n  der(y) = -past;\nend M;\n",
                       NULL) &&
            world_run(&w, 20, rtol))
            CHECK_NEAR(at(&w, 20, "y"), cos(20), 100 * rtol);
        end(&w);
    }
}

// What is delayed is right between the ends of steps, too: nothing else limits a step over
// functions of time, and a stiff state's rates are noise.
TEST(fast_signals)
{
    static const struct {
        const char *more, *e;
        double w, stop;
    } all[] = {{"", "sin(5*time)", 5, 4},
               {"", "sin(50*time)", 50, 4},
               {"Real x(start = 1, fixed = true);", "sin(200*time)", 200, 2},
               {"Real x(start = 0, fixed = true);", "x", 1, 10}};
    for (int k = 0; k < 8; k++) {
        int i = k / 2;
        char text[400], lag[60] = "0.5";
        if (k % 2) snprintf(lag, sizeof lag, "0.3 + 0.2*sin(time), 0.5");
        const char *flows = i == 2 ? "der(x) = -x;" : i == 3 ? "der(x) = 1e6*(sin(time) - x);" : "";
        snprintf(text, sizeof text,
                 "model M\n  %s\n  Real y = delay(%s, %s);\nequation\n  %s\nend M;\n", all[i].more,
                 all[i].e, lag, flows);
        world w;
        if (world_open(&w, "test.mo", text, NULL) && world_run(&w, all[i].stop, 1e-6))
            for (double t = 0.6; t < all[i].stop; t += 0.0101) {
                double past = t - (k % 2 ? 0.3 + 0.2 * sin(t) : 0.5);
                double y = at(&w, t, "y");
                if (!(fabs(y - sin(all[i].w * past)) < 2e-6 + 2e-6 * (i == 3)))
                    test_fail(__FILE__, __LINE__, "case %d at %g: %g", k, t, y);
            }
        end(&w);
    }
}

// The pendulum chooses its states anew; what is delayed is dense there, too.
TEST(fast_signals_beside_constraints)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 1), y(start = 0), u(start = 0), v(start = 0), F;\n"
              "  Real z = delay(sin(60*time) + 0*x, 0.5);\n"
              "equation\n  x^2 + y^2 = 1; der(x) = u; der(y) = v; der(u) = -F*x; der(v) = -F*y - "
              "9.81;\n"
              "end M;\n",
              3))
        for (double t = 0.6; t < 3; t += 0.0101)
            CHECK_NEAR(at(&w, t, "z"), sin(60 * (t - 0.5)), 2e-6);
    end(&w);
}

// More than a history can hold is refused, not thinned.
TEST(too_fast_for_a_history)
{
    world w;
    if (begin(&w, "model M\n  Real y = delay(sin(3000*time), 1);\nend M;\n", 3)) {
        CHECK_INT(fo_simulation_advance(w.sim, 3), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text, "is full");
    }
    end(&w);
}

// A jump comes out of the delay at its instant, not in the middle of a step; delays in a row add.
TEST(jumps_come_out_in_time)
{
    world w;
    if (begin(&w,
              "model M\n  Real u = if mod(time, 1) < 0.5 then 1 else 0;\n"
              "  Real y = delay(u, 0.3); Real z = delay(y, 0.3);\n"
              "  Real s(start = 0, fixed = true); Real r(start = 0, fixed = true);\n"
              "equation\n  der(s) = y; der(r) = z;\nend M;\n",
              5)) {
        CHECK_NEAR(at(&w, 0.799999, "y"), 1, 0);
        CHECK_NEAR(at(&w, 0.800001, "y"), 0, 0);
        CHECK_NEAR(at(&w, 1.099999, "z"), 1, 0);
        CHECK_NEAR(at(&w, 1.100001, "z"), 0, 0);
        CHECK_NEAR(at(&w, 5, "s"), 2.8, 1e-12);
        CHECK_NEAR(at(&w, 5, "r"), 3.0, 1e-12);
    }
    end(&w);
}

TEST(lag_that_varies)
{
    world w;
    if (begin(&w,
              "model M\n  parameter Real T = 0.4; Real lag = T*(1 + 0.5*sin(2*time));\n"
              "  Real x(start = 0, fixed = true); Real y = delay(x, lag, 1);\n"
              "equation\n  der(x) = cos(time);\nend M;\n",
              5))
        for (double t = 1; t <= 5; t += 0.1) {
            double lag = 0.4 * (1 + 0.5 * sin(2 * t));
            CHECK_NEAR(at(&w, t, "y"), sin(t - lag), 1e-8);
        }
    end(&w);
}

// The history is part of the state: a snapshot goes back with it, bit by bit.
TEST(snapshot_has_the_history)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 1, fixed = true);\n"
              "equation\n  der(x) = -2*delay(x, 1) + (if delay(x, 0.5) > 0 then 0.1 else 0);\n"
              "end M;\n",
              6)) {
        at(&w, 2.3, "x");
        fo_snapshot *then = fo_simulation_snapshot(w.sim);
        REQUIRE(then);
        double first = at(&w, 6, "x");
        CHECK_INT(fo_simulation_restore(w.sim, then), FO_OK);
        CHECK_NEAR(fo_simulation_time(w.sim), 2.3, 0);
        CHECK_NEAR(at(&w, 6, "x"), first, 0);
        fo_snapshot_destroy(then);
    }
    end(&w);
}

// The lag is a parameter that another run sets otherwise; the longest step does not know it.
TEST(lag_that_is_set)
{
    world w;
    if (begin(&w,
              "model M\n  parameter Real T = 2; Real x(start = 1, fixed = true);\n"
              "equation\n  der(x) = -delay(x, T);\nend M;\n",
              4)) {
        CHECK_INT(fo_simulation_set(w.sim, "T", 1), FO_OK);
        CHECK_NEAR(at(&w, 4, "x"), by_steps(4), 1e-8);
    }
    end(&w);
    if (begin(&w,
              "model M\n  parameter Real T = 2; Real x(start = 1, fixed = true);\n"
              "equation\n  der(x) = -delay(x, T);\nend M;\n",
              4)) {
        CHECK_INT(fo_simulation_set(w.sim, "T", -1), FO_OK);
        CHECK_INT(fo_simulation_advance(w.sim, 1), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text,
                       "the delay time of delay() in line 4 must be positive, is -1");
    }
    end(&w);
}

TEST(lag_beyond_its_largest)
{
    world w;
    if (begin(&w,
              "model M\n  Real x(start = 1, fixed = true);\n"
              "equation\n  der(x) = -delay(x, 0.5 + time, 1);\nend M;\n",
              4)) {
        CHECK_INT(fo_simulation_advance(w.sim, 4), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text,
                       "must stay between 0 and its largest value 1");
    }
    end(&w);
}

TEST(the_end_is_a_moment)
{
    const char *text = "model M\n  Real x(start = 0, fixed = true); Real last(start = -1);\n"
                       "  Integer n(start = 0);\n"
                       "equation\n  der(x) = 1;\n"
                       "  when terminal() then\n    last = x; n = pre(n) + 1;\n  end when;\n"
                       "  when x > 3 then\n    terminate(\"x is \" + String(x));\n  end when;\n"
                       "end M;\n";
    world w;
    if (begin(&w, text, 2)) {
        CHECK_NEAR(at(&w, 1.5, "n"), 0, 0);
        CHECK_NEAR(at(&w, 2, "n"), 1, 0);
        CHECK_NEAR(at(&w, 2, "last"), 2, 1e-12);
        fo_simulation_advance(w.sim, 2);
        CHECK_NEAR(at(&w, 2, "n"), 1, 0);
    }
    end(&w);
    if (begin(&w, text, 5)) { // a run that the model ends has come to its end too
        CHECK_INT(fo_simulation_advance(w.sim, 5), FO_STOPPED);
        CHECK_NEAR(at(&w, 3, "n"), 1, 0);
        CHECK_NEAR(at(&w, 3, "last"), 3, 1e-9);
        CHECK_TEXT(fo_simulation_message(w.sim)->text, "x is 3");
    }
    end(&w);
}

TEST(messages_have_values)
{
    world w;
    if (begin(&w,
              "model M\n  type Mode = enumeration(idle, busy);\n"
              "  parameter String name = \"tank\"; Real x(start = 0, fixed = true);\n"
              "  Integer n = 7; Boolean b = x < 0; Mode mode = Mode.busy;\n"
              "equation\n  der(x) = 1;\n"
              "  when x > 0.5 then\n"
              "    assert(x < 0.1, name + \": \" + String(2*x) + \" \" + String(n) + \" \" +\n"
              "      String(b) + \" \" + String(mode));\n"
              "  end when;\nend M;\n",
              2)) {
        CHECK_INT(fo_simulation_advance(w.sim, 2), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(w.sim)->text,
                       "t = 0.5: tank: 1 7 false busy (line 8)");
    }
    end(&w);
}

// The lag cannot be known before what comes out is.
TEST(lag_of_what_comes_out)
{
    fo_message why = {0};
    fo_text_model_def def = {
        .path = "test.mo",
        .text = "model M\n  Real x(start = 0, fixed = true), y, lag;\nequation\n  der(x) = 1;\n"
                "  y = delay(x, lag, 2);\n  lag = 0.5 + 0.1*y;\nend M;\n"};
    fo_text_model *m = fo_text_model_open(&def, &why);
    CHECK(!m);
    CHECK_CONTAINS(why.text, "the delay time of delay() depends on what is delayed");
    fo_text_model_close(m);
}

// Parts of a composition: what comes from another part is dense in a history, too.
TEST(fast_signals_between_parts)
{
    fo_message why = {0};
    const fo_text_model_def from = {.path = "a.mo",
                                    .text = "model A\n  Real x(start = 1, fixed = true);\n"
                                            "  output Real y;\nequation\n  der(x) = -0.001*x;\n"
                                            "  y = x*sin(50*time);\nend A;\n"},
                            to = {.path = "b.mo",
                                  .text = "model B\n  input Real u; output Real z;\n"
                                          "equation\n  z = delay(u, 0.5);\nend B;\n"};
    fo_text_model *a = fo_text_model_open(&from, &why), *b = fo_text_model_open(&to, &why);
    REQUIRE(a && b);
    fo_component parts[] = {{"b", fo_text_model_system(b)}, {"a", fo_text_model_system(a)}};
    fo_reference y, z;
    CHECK_INT(fo_system_find(parts[1].system, "y", &y, &why), FO_OK);
    fo_connection line = {.from_part = 1, .from = y.index, .to_part = 0, .to = 0};
    fo_composition_def def = fo_default_composition_def();
    def.parts = parts, def.part_count = 2, def.connections = &line, def.connection_count = 1;
    fo_composition *c = fo_compose(&def, &why);
    REQUIRE(c);
    fo_run_def run = fo_default_run_def();
    run.stop = 2, run.rtol = 1e-6;
    fo_simulation *sim = fo_simulation_create(fo_composition_system(c), &run, &why);
    CHECK_INT(fo_system_find(fo_composition_system(c), "b.z", &z, &why), FO_OK);
    for (double t = 0.6; sim && t < 2; t += 0.0101) {
        CHECK(!fo_failed(fo_simulation_advance(sim, t)));
        CHECK_NEAR(fo_simulation_value(sim, z), exp(-0.001 * (t - 0.5)) * sin(50 * (t - 0.5)),
                   5e-6);
    }
    fo_simulation_destroy(sim);
    fo_composition_destroy(c);
    fo_text_model_close(a), fo_text_model_close(b);
}

TEST_MAIN(TEST_ENTRY(fast_signals_between_parts), TEST_ENTRY(lag_of_what_comes_out),
          TEST_ENTRY(method_of_steps), TEST_ENTRY(history_is_dense_enough),
          TEST_ENTRY(fast_signals), TEST_ENTRY(fast_signals_beside_constraints),
          TEST_ENTRY(too_fast_for_a_history), TEST_ENTRY(jumps_come_out_in_time),
          TEST_ENTRY(lag_that_varies), TEST_ENTRY(snapshot_has_the_history),
          TEST_ENTRY(lag_that_is_set), TEST_ENTRY(lag_beyond_its_largest),
          TEST_ENTRY(the_end_is_a_moment), TEST_ENTRY(messages_have_values))
