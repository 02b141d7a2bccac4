// Algebraic loops of diagrams whose signals differ by many powers of ten: each unknown is solved to
// rounding errors of its own, not to those of the largest.
#include "../diagram/run.h"

// y1 = k y1 + a t and y2 = q y2 + s cos(y2/s) + s t, as vectors in one loop.
static bool open_mixed(diagram_run *r, double k, double a, double q, double s)
{
    char text[2000];
    snprintf(text, sizeof text,
             "'simulation': {'algebraicLoops': 'solve', 'integrator': 'rk4', 'step': 0.1}, "
             "'nodes': [{'name': 'in', 'type': 'Gain', 'parameters': {'Gain': '0 %.17g'}}, "
             "{'name': 'c', 'type': 'Trigonometric Function', 'parameters': {'Function': 'cos'}}, "
             "{'name': 'o', 'type': 'Gain', 'parameters': {'Gain': '0 %.17g'}}, "
             "{'name': 'a', 'type': 'Gain', 'parameters': {'Gain': '%.17g %.17g'}}, "
             "{'name': 't', 'type': 'Clock'}, "
             "{'name': 'b', 'type': 'Gain', 'parameters': {'Gain': '%.17g %.17g'}}, "
             "{'name': 'p', 'type': 'Sum'}, {'name': 'y', 'type': 'Sum'}, "
             "{'name': 'e', 'type': 'Display'}], "
             "'lines': [{'from': 'y', 'to': ['in', 'a', 'e']}, {'from': 'in', 'to': 'c'}, "
             "{'from': 'c', 'to': 'o'}, {'from': 'o', 'to': 'p:1'}, {'from': 'a', 'to': 'p:2'}, "
             "{'from': 'p', 'to': 'y:1'}, {'from': 't', 'to': 'b'}, {'from': 'b', 'to': 'y:2'}]",
             1 / s, s, k, q, a, s);
    return open_run(r, text);
}

static void want_rounding(const char *what, double left, double size)
{
    if (!(fabs(left) <= 1e-14 * size))
        test_fail(__FILE__, __LINE__, "%s is off by %g of %g", what, left, size);
}

TEST(every_unknown_is_solved_to_its_own_rounding)
{
    static const double cases[][4] = {
        {4.76, 1.4e11, -0.0836, 0.0169}, {-4.7, 1e8, -0.06, 0.117}, {2.95, 4e6, -0.5, 8e-4},
        {-3, 1e12, 0.01, 1e-12},         {0.5, 1, -0.3, 1e-9},      {-0.3, 1e-9, 0.02, 1e9}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double k = cases[i][0], a = cases[i][1], q = cases[i][2], s = cases[i][3];
        diagram_run r;
        REQUIRE(open_mixed(&r, k, a, q, s));
        for (int j = 1; j <= 20; j++) {
            double t = j / 10.0, y1 = value_at(&r, t, "e[1]"), y2 = value_at(&r, t, "e[2]") / s;
            want_rounding("the linear one", k * y1 + a * t - y1, fabs(y1) * (1 + fabs(k)) + a * t);
            want_rounding("the other one", q * y2 + cos(y2) + t - y2, fabs(y2) + 1 + t);
        }
        close_run(&r);
    }
}

// y1 = y1/2 + 1e14, and y2 = y2^2 + 1, which no number solves, as vectors in one loop: what is left
// of the second is less than rounding errors of numbers that are a billion times the first would
// be, and is still no solution.
TEST(a_large_signal_does_not_hide_what_a_small_one_lacks)
{
    diagram_run r;
    REQUIRE(open_run(
        &r, "'simulation': {'algebraicLoops': 'solve', 'integrator': 'rk4', 'step': 0.1}, 'nodes': "
            "[{'name': 'c', 'type': 'Constant', 'parameters': {'Constant Value': '1e14 1'}}, "
            "{'name': 'a', 'type': 'Gain', 'parameters': {'Gain': '0.5 0'}}, {'name': 'q', 'type': "
            "'Math Function 1', 'parameters': {'Function': 'Square'}}, {'name': 'b', 'type': "
            "'Gain', 'parameters': {'Gain': '0 1'}}, {'name': 'y', 'type': 'Sum', 'parameters': "
            "{'Signs': '+++'}}, {'name': 'e', 'type': 'Display'}], 'lines': [{'from': 'c', 'to': "
            "'y:1'}, {'from': 'y', 'to': ['a', 'q', 'e']}, {'from': 'a', 'to': 'y:2'}, {'from': "
            "'q', 'to': 'b'}, {'from': 'b', 'to': 'y:3'}]"));
    CHECK_INT(fo_simulation_advance(r.sim, 0), FO_ERROR_MODEL);
    CHECK_CONTAINS(fo_simulation_message(r.sim)->text, "has no solution near the last one");
    close_run(&r);
}

// A play in a loop: y = 2 - 3 play(y), width 1 from 0. What Newton's method tries on its way is no
// motion of the play: it is pushed from 0 to y - 1/2, so that y = 2 - 3 (y - 1/2) = 0.875.
TEST(trials_do_not_push_a_play)
{
    diagram_run r;
    REQUIRE(open_run(
        &r, "'simulation': {'algebraicLoops': 'solve', 'integrator': 'rk4', 'step': 0.1}, 'nodes': "
            "[{'name': 'c', 'type': 'Constant', 'parameters': {'Constant Value': 2}}, {'name': "
            "'p', 'type': 'Backlash'}, {'name': 'k', 'type': 'Gain', 'parameters': {'Gain': 3}}, "
            "{'name': 'y', 'type': 'Sum', 'parameters': {'Signs': '+-'}}, {'name': 'e', 'type': "
            "'Display'}], 'lines': [{'from': 'c', 'to': 'y:1'}, {'from': 'y', 'to': ['p', 'e']}, "
            "{'from': 'p', 'to': 'k'}, {'from': 'k', 'to': 'y:2'}]"));
    CHECK_NEAR(value_at(&r, 0, "e"), 0.875, 1e-14);
    CHECK_NEAR(value_at(&r, 1, "e"), 0.875, 1e-14);
    close_run(&r);
}

TEST_MAIN(TEST_ENTRY(every_unknown_is_solved_to_its_own_rounding),
          TEST_ENTRY(a_large_signal_does_not_hide_what_a_small_one_lacks),
          TEST_ENTRY(trials_do_not_push_a_play))
