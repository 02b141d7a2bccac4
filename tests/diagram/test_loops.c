// Algebraic loops that are solved, against closed forms; and the PID controller.
#include "run.h"

#define SOLVE "'simulation': {'algebraicLoops': 'solve', 'integrator': 'rk4', 'step': 0.1%s}, "

static bool open_solved(diagram_run *r, const char *more, const char *members)
{
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, SOLVE, more);
    snprintf(text + used, sizeof text - used, "%s", members);
    return open_run(r, text);
}

// y = t - 3 y: y = t/4.
static const char linear[] =
    "'nodes': [{'name': 't', 'type': 'Clock'}, {'name': 'y', 'type': 'Sum', 'parameters': {'Sign "
    "of Second Input': '-'}}, {'name': 'k', 'type': 'Gain', 'parameters': {'Gain': 3}}, {'name': "
    "'e', 'type': 'Display'}], 'lines': [{'from': 't', 'to': 'y:1'}, {'from': 'y', 'to': ['k', "
    "'e']}, {'from': 'k', 'to': 'y:2'}]";

TEST(linear_loops)
{
    diagram_run r;
    refused(linear, "\"algebraicLoops\": \"solve\"");
    refused("'simulation': {'algebraicLoops': 'maybe'}, 'nodes': []",
            "$.simulation.algebraicLoops: 'maybe' is none of refuse, solve");
    REQUIRE(open_solved(&r, "", linear));
    for (double t = 0; t < 10; t += 1.3) CHECK_NEAR(value_at(&r, t, "e"), t / 4, 1e-14 * (1 + t));
    close_run(&r);
}

// y = u - y^2/s with numbers of any size.
TEST(loops_of_any_size)
{
    for (int k = -12; k <= 12; k += 4) {
        double unit = pow(10, k);
        char text[1500];
        diagram_run r;
        snprintf(text, sizeof text,
                 "'nodes': [{'name': 'u', 'type': 'Constant', 'parameters': {'Constant Value': "
                 "%.17g}}, {'name': 'y', 'type': 'Sum', 'parameters': {'Signs': '+-'}}, {'name': "
                 "'k', 'type': 'Gain', 'parameters': {'Gain': %.17g}}, {'name': 'p', 'type': "
                 "'Product'}, {'name': 'e', 'type': 'Display'}], 'lines': [{'from': 'u', 'to': "
                 "'y:1'}, {'from': 'y', 'to': ['k', 'p:1', 'e']}, {'from': 'k', 'to': 'p:2'}, "
                 "{'from': 'p', 'to': 'y:2'}]",
                 6 * unit, 1 / unit);
        // y = 6 - y^2 in these units: 2
        REQUIRE(open_solved(&r, "", text));
        CHECK_NEAR(value_at(&r, 0, "e"), 2 * unit, 2e-15 * unit);
        close_run(&r);
    }
}

// A node that feeds itself: y = t - y, y = t/2.
TEST(nodes_that_feed_themselves)
{
    diagram_run r;
    REQUIRE(
        open_solved(&r, "",
                    "'nodes': [{'name': 't', 'type': 'Clock'}, {'name': 'y', 'type': 'Sum', "
                    "'parameters': {'Signs': '+-'}}, {'name': 'e', 'type': 'Display'}], "
                    "'lines': [{'from': 't', 'to': 'y:1'}, {'from': 'y', 'to': ['y:2', 'e']}]"));
    CHECK_NEAR(value_at(&r, 3, "e"), 1.5, 1e-14);
    close_run(&r);
}

// y = cos(y): the number of Dottie. And a loop of vectors: y = A y + b, three unknowns.
TEST(other_loops)
{
    diagram_run r;
    REQUIRE(open_solved(&r, "",
                        "'nodes': [{'name': 'y', 'type': 'Trigonometric Function', 'parameters': "
                        "{'Function': 'cos'}}, {'name': 'e', 'type': 'Display'}], 'lines': "
                        "[{'from': 'y', 'to': ['y', 'e']}]"));
    CHECK_NEAR(value_at(&r, 1, "e"), 0.7390851332151607, 1e-14);
    close_run(&r);
    REQUIRE(open_solved(&r, "",
                        "'nodes': [{'name': 'b', 'type': 'Constant', 'parameters': {'Constant "
                        "Value': '1 2 3'}}, {'name': 'a', 'type': 'Gain', 'parameters': {'Gain': "
                        "'0.5 -1 -3'}}, {'name': 'y', 'type': 'Sum'}, {'name': 'e', 'type': "
                        "'Display'}], 'lines': [{'from': 'b', 'to': 'y:2'}, {'from': 'a', 'to': "
                        "'y:1'}, {'from': 'y', 'to': ['a', 'e']}]"));
    CHECK_NEAR(value_at(&r, 1, "e[1]"), 2, 1e-13);
    CHECK_NEAR(value_at(&r, 1, "e[2]"), 1, 1e-13);
    CHECK_NEAR(value_at(&r, 1, "e[3]"), 0.75, 1e-13);
    close_run(&r);
    // z = i z + 1, complex: z = 1 / (1 - i) = (1 + i) / 2
    REQUIRE(open_solved(&r, "",
                        "'nodes': [{'name': 'b', 'type': 'Constant'}, {'name': 'a', 'type': "
                        "'Gain', 'parameters': {'Gain': 'i'}}, {'name': 'y', 'type': 'Sum'}, "
                        "{'name': 'e', 'type': 'Display'}], 'lines': [{'from': 'b', 'to': 'y:2'}, "
                        "{'from': 'a', 'to': 'y:1'}, {'from': 'y', 'to': ['a', 'e']}]"));
    CHECK_NEAR(value_at(&r, 1, "e.re"), 0.5, 1e-13);
    CHECK_NEAR(value_at(&r, 1, "e.im"), 0.5, 1e-13);
    close_run(&r);
}

// x' = y with y = -x - y/2, a loop among the rates: x = exp(-2t/3). Two loops, one in the other's
// way, in one subsystem.
TEST(loops_in_rates)
{
    diagram_run r;
    const char *text =
        "'nodes': [{'name': 'x', 'type': 'Integrator', 'parameters': {'Initial Condition': 1}}, "
        "{'name': 'y', 'type': 'Sum', 'parameters': {'Signs': '--'}}, {'name': 'h', 'type': "
        "'Gain', 'parameters': {'Gain': 0.5}}, {'name': 'e', 'type': 'Display'}], 'lines': "
        "[{'from': 'x', 'to': ['y:1', 'e']}, {'from': 'y', 'to': ['x', 'h']}, {'from': 'h', 'to': "
        "'y:2'}]";
    REQUIRE(open_solved(&r, "", text));
    CHECK_NEAR(value_at(&r, 3, "e"), exp(-2), 1e-6);
    close_run(&r);
}

// A limit in a loop: y = sat(3 t - 2 y), that is t until it is 1, then 1. The corner is located.
TEST(loops_with_limits)
{
    diagram_run r;
    REQUIRE(open_solved(
        &r, "",
        "'nodes': [{'name': 't', 'type': 'Clock'}, {'name': 'three', 'type': 'Gain', 'parameters': "
        "{'Gain': 3}}, {'name': 's', 'type': 'Sum', 'parameters': {'Signs': '+-'}}, {'name': 'y', "
        "'type': 'Saturation'}, {'name': 'two', 'type': 'Gain', 'parameters': {'Gain': 2}}, "
        "{'name': 'i', 'type': 'Integrator'}, {'name': 'e', 'type': 'Display'}], 'lines': "
        "[{'from': 't', 'to': 'three'}, {'from': 'three', 'to': 's:1'}, {'from': 's', 'to': 'y'}, "
        "{'from': 'y', 'to': ['two', 'i']}, {'from': 'two', 'to': 's:2'}, {'from': 'i', 'to': "
        "'e'}]"));
    CHECK_NEAR(value_at(&r, 0.77, "y"), 0.77, 1e-12);
    CHECK_NEAR(value_at(&r, 2.05, "y"), 1, 1e-12);
    CHECK_NEAR(value_at(&r, 2.05, "e"), 0.5 + 1.05, 1e-9);
    close_run(&r);
}

TEST(loops_without_solution)
{
    diagram_run r;
    REQUIRE(open_solved(&r, "",
                        "'nodes': [{'name': 'c', 'type': 'Constant'}, {'name': 's', 'type': "
                        "'Sum'}, {'name': 'q', 'type': 'Math Function 1', 'parameters': "
                        "{'Function': 'Square'}}, {'name': 'e', 'type': 'Display'}], 'lines': "
                        "[{'from': 'c', 'to': 's:1'}, {'from': 's', 'to': 'q'}, {'from': 'q', "
                        "'to': ['s:2', 'e']}]"));
    CHECK_INT(fo_simulation_advance(r.sim, 1), FO_ERROR_MODEL);
    CHECK_CONTAINS(fo_simulation_message(r.sim)->text, "the algebraic loop 'q' -> 's' -> 'q' has "
                                                       "no solution near the last one");
    close_run(&r);
    refused("'simulation': {'algebraicLoops': 'solve'}, 'nodes': [{'name': 'n', 'type': 'Data Type "
            "Conversion', 'parameters': {'Convert to': 'boolean'}}, {'name': 'c', 'type': 'Data "
            "Type Conversion', 'parameters': {'Convert to': 'boolean'}}], 'lines': [{'from': 'n', "
            "'to': 'c'}, {'from': 'c', 'to': 'n'}]",
            "leads through boolean values and cannot be solved");
}

// The same bits after going back to a snapshot: the first guess is part of the state.
TEST(loops_repeat_to_the_bit)
{
    diagram_run r;
    REQUIRE(open_solved(&r, "", linear));
    value_at(&r, 3.03, "e");
    fo_snapshot *snapshot = fo_simulation_snapshot(r.sim);
    REQUIRE(snapshot);
    double first = value_at(&r, 7.77, "e");
    CHECK_STATUS(fo_simulation_restore(r.sim, snapshot), FO_OK, fo_simulation_message(r.sim));
    CHECK(value_at(&r, 7.77, "e") == first);
    fo_snapshot_destroy(snapshot);
    close_run(&r);
}

// ----------------------------------------------------------------------------------------------
// PID

static bool open_pid(diagram_run *r, const char *parameters)
{
    char text[1024];
    snprintf(text, sizeof text,
             "'simulation': {'integrator': 'dop853', 'rtol': 1e-11, 'atol': 1e-13, 'stop': 20}, "
             "'nodes': [{'name': 'c', 'type': 'Constant'}, {'name': 'p', 'type': 'PID Controller', "
             "'parameters': {%s}}, {'name': 'e', 'type': 'Display'}], 'lines': [{'from': 'c', "
             "'to': 'p'}, {'from': 'p', 'to': 'e'}]",
             parameters);
    return open_run(r, text);
}

// To an error of 1: P + I t + D N exp(-N t).
TEST(pid_has_its_three_parts)
{
    diagram_run r;
    REQUIRE(open_pid(&r, "'Proportional': 2, 'Integral': 0.5, 'Derivative': 3, 'Filter "
                         "Coefficient': 4"));
    for (double t = 0; t <= 4; t += 0.8)
        CHECK_NEAR(value_at(&r, t, "e"), 2 + 0.5 * t + 12 * exp(-4 * t), 1e-8);
    close_run(&r);
    refused("'nodes': [{'name': 'p', 'type': 'PID Controller', 'parameters': {'Filter "
            "Coefficient': 0}}]",
            "parameter 'Filter Coefficient' must be positive");
    refused("'nodes': [{'name': 'p', 'type': 'PID Controller', 'parameters': {'Upper Limit': "
            "-2}}]",
            "the lower limit -1 is not below the upper limit -2");
}

// With a limit of 2 it is reached at t = 1 exactly. Without anti-windup the integral goes on;
// with it v follows v' = I + K (2 - v): v - 2 = (1 - exp(-K (t - 1))) I/K.
TEST(pid_does_not_wind_up)
{
    diagram_run r;
    const char *limits = "'Proportional': 1, 'Integral': 1, 'Limit Output': 'yes', 'Upper Limit': "
                         "2, 'Back-Calculation Gain': 2, 'Anti-Windup': '%s'";
    static const char *const ways[] = {"none", "back-calculation"};
    for (int i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof text, limits, ways[i]);
        REQUIRE(open_pid(&r, text));
        CHECK_NEAR(value_at(&r, 0.5, "e"), 1.5, 1e-10);
        CHECK_NEAR(value_at(&r, 4, "e"), 2, 1e-10);
        double integral = i ? 1 + 0.5 * (1 - exp(-2 * 3)) : 4;
        CHECK_NEAR(value_at(&r, 4, "p.state[1]"), integral, 1e-9);
        close_run(&r);
    }
}

TEST_MAIN(TEST_ENTRY(linear_loops), TEST_ENTRY(loops_of_any_size),
          TEST_ENTRY(nodes_that_feed_themselves), TEST_ENTRY(other_loops),
          TEST_ENTRY(loops_in_rates), TEST_ENTRY(loops_with_limits),
          TEST_ENTRY(loops_without_solution), TEST_ENTRY(loops_repeat_to_the_bit),
          TEST_ENTRY(pid_has_its_three_parts), TEST_ENTRY(pid_does_not_wind_up))
