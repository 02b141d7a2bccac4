// What nodes do in time: the worked examples of the document step by step, events, many rates.
#include "run.h"

// A source type with parameters, perhaps through a node, into the display `out`.
static void open_chain(diagram_run *r, const char *simulation, const char *source, const char *node)
{
    char text[2048];
    if (node)
        snprintf(text, sizeof text,
                 "'simulation': {%s}, 'nodes': [{'name': 's', 'type': %s}, {'name': 'n', 'type': "
                 "%s}, {'name': 'out', 'type': 'Display'}], 'lines': [{'from': 's', 'to': 'n'}, "
                 "{'from': 'n', 'to': 'out'}]",
                 simulation, source, node);
    else
        snprintf(text, sizeof text,
                 "'simulation': {%s}, 'nodes': [{'name': 's', 'type': %s}, {'name': 'out', 'type': "
                 "'Display'}], 'lines': [{'from': 's', 'to': 'out'}]",
                 simulation, source);
    open_run(r, text);
}

static void check_steps(const char *simulation, const char *source, const char *node, double start,
                        double step, const double *values, int count)
{
    diagram_run r;
    open_chain(&r, simulation, source, node);
    for (int i = 0; r.sim && i < count; i++) {
        double value = value_at(&r, start + i * step, "out");
        if (!test_near(__FILE__, __LINE__, node ? node : source, value, values[i], 1e-12))
            test_fail(__FILE__, __LINE__, "at step %d of %s", i, source);
    }
    close_run(&r);
}
#define STEPS(simulation, source, node, start, step, ...)                             \
    check_steps(simulation, source, node, start, step, (const double[]){__VA_ARGS__}, \
                sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

// With events and without: both follow the tables.
TEST(delays_of_the_document)
{
    static const char *const modes[] = {"'step': 0.2", "'step': 0.2, 'events': false"};
    for (int i = 0; i < 2; i++) {
        STEPS(modes[i], "'Clock'",
              "'Transport Delay', 'parameters': {'Initial Output': 5, 'Time Delay': 0.05}", 0, 0.2,
              5, 0.15, 0.35, 0.55, 0.75);
        STEPS(modes[i], "'Clock'",
              "'Transport Delay', 'parameters': {'Initial Output': 5, 'Time Delay': 0.45}", 0, 0.2,
              5, 5, 5, 0.15, 0.35);
    }
}

TEST(sources_of_the_document)
{
    static const char *const modes[] = {"'step': 0.2", "'step': 0.2, 'events': false"};
    for (int i = 0; i < 2; i++) {
        STEPS(modes[i], "'Repeating Sequence'", NULL, 0, 0.2, 0, 0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4,
              1.6, 1.8, 0, 0.2);
        STEPS(modes[i],
              "'Repeating Sequence', 'parameters': {'Time Values': '1 2 3', 'Output Values': '5 8 "
              "13'}",
              NULL, 0, 0.2, 5, 5.6, 6.2, 6.8, 7.4, 8, 9, 10, 11, 12, 5, 5.6);
        STEPS(modes[i], "'Pulse Generator'", NULL, 0, 0.25, 1, 1, 0, 0, 1, 1, 0, 0, 1);
        STEPS(modes[i], "'Signal Generator', 'parameters': {'Wave Form': 'sawtooth'}", NULL, 0,
              0.25, -1, -0.5, 0, 0.5, -1, -0.5);
    }
    STEPS("'step': 0.2", "'Counter', 'parameters': {'Initial Value': 3, 'Increment Length': 0.5}",
          NULL, 0, 0.2, 3, 3.5, 4, 4.5);
    STEPS("'step': 0.3, 'start': 5", "'Clock'", NULL, 5, 0.3, 5, 5.3, 5.6, 5.9);
    STEPS("'step': 0.2", "'Digital Clock', 'parameters': {'Sample Time': 0.4}", NULL, 0, 0.2, 0, 0,
          0.4, 0.4, 0.8, 0.8);
    STEPS("'step': 1", "'Discrete Pulse Generator', 'parameters': {'Period': 3, 'Phase Delay': 1}",
          NULL, 0, 1, 0, 1, 0, 0, 1, 0, 0);
}

// java.util.Random(0).nextDouble() begins with these.
TEST(random_numbers_are_javas)
{
    STEPS("'step': 1", "'Uniform Random Number', 'parameters': {'Minimum': 0, 'Maximum': 1}", NULL,
          0, 1, 0.730967787376657, 0.24053641567148587, 0.6374174253501083, 0.5504370051176339);
    double r1 = 0.730967787376657, r2 = 0.24053641567148587;
    double z = sqrt(-2 * log(r1)) * cos(2 * 3.14159265358979323846 * r2);
    STEPS("'step': 1", "'Random Number', 'parameters': {'Mean': 2, 'Variance': 9}", NULL, 0, 1,
          2 + 3 * z);
}

TEST(discrete_nodes)
{
    STEPS("'step': 1", "'Clock'", "'Unit Delay', 'parameters': {'Initial Condition': 7}", 0, 1, 7,
          0, 1, 2, 3);
    STEPS("'step': 1", "'Clock'", "'Discrete Integrator'", 0, 1, 0, 0, 1, 3, 6);
    STEPS("'step': 1", "'Clock'",
          "'Discrete Integrator', 'parameters': {'Integrator': 'backward "
          "Euler'}",
          0, 1, 0, 1, 3, 6, 10);
    STEPS("'step': 1", "'Clock'",
          "'Discrete Integrator', 'parameters': {'Integrator': "
          "'trapezoidal'}",
          0, 1, 0, 0.5, 2, 4.5, 8);
    STEPS("'step': 1", "'Clock'", "'Cumulative Function', 'parameters': {'Function': 'RMS'}", 0, 1,
          0, sqrt(0.5), sqrt(5.0 / 3), sqrt(14.0 / 4));
    STEPS("'step': 1", "'Clock'", "'Rate Limiter', 'parameters': {'Rising Slew Rate': 0.5}", 0, 1,
          0, 0.5, 1, 1.5);
    STEPS("'step': 1", "'Clock'", "'Initial Condition', 'parameters': {'Initial Value': 9}", 0, 1,
          9, 1, 2);
}

// Play of 1 round a sine of amplitude 2: held at the turning points.
TEST(backlash_stays_in_between)
{
    diagram_run r;
    open_chain(&r, "'step': 0.01, 'stop': 20", "'Sine Wave', 'parameters': {'Amplitude': 2}",
               "'Backlash'");
    REQUIRE(r.sim);
    double pi = 3.14159265358979323846;
    CHECK_NEAR(value_at(&r, 0.1, "out"), 0, 1e-12);
    CHECK_NEAR(value_at(&r, 1, "out"), 2 * sin(1) - 0.5, 1e-12);
    CHECK_NEAR(value_at(&r, pi / 2 + 0.2, "out"), 1.5, 1e-4);
    CHECK_NEAR(value_at(&r, pi, "out"), 0.5, 1e-4);
    CHECK_NEAR(value_at(&r, 1.5 * pi, "out"), -1.5, 1e-4);
    close_run(&r);
}

// ---------------------------------------------------------------------------------------- events

typedef struct heard {
    double t[32];
    int count;
} heard;

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    heard *h = self;
    (void)why;
    if (m->kind == FO_GUARD && h->count < 32) h->t[h->count++] = m->t;
    return FO_OK;
}

// The integral of a switching function of sin(t), and when it switches.
static double integral_of(const char *node, double until, heard *h)
{
    char text[1024];
    diagram_run r = {0};
    snprintf(text, sizeof text,
             "'simulation': {'integrator': 'dop853', 'rtol': 1e-10, 'atol': 1e-12, 'stop': 10}, "
             "'nodes': [{'name': 's', 'type': 'Sine Wave'}, {'name': 'n', 'type': %s}, {'name': "
             "'i', 'type': 'Integrator'}, {'name': 'out', 'type': 'Display'}], 'lines': [{'from': "
             "'s', 'to': 'n'}, {'from': 'n', 'to': 'i'}, {'from': 'i', 'to': 'out'}]",
             node);
    *h = (heard){0};
    r.diagram = read_diagram(text, NULL, &r.why);
    if (!r.diagram) test_fail(__FILE__, __LINE__, "%s", r.why.text);
    if (!r.diagram) return NAN;
    fo_observer observer = {.self = h, .moment = hear, .interval = -1};
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r.diagram), NULL);
    def.observers = &observer;
    def.observer_count = 1;
    r.sim = fo_simulation_create(fo_diagram_system(r.diagram), &def, &r.why);
    double value = value_at(&r, until, "out");
    close_run(&r);
    return value;
}

TEST(switching_is_located)
{
    heard h;
    const double pi = 3.14159265358979323846, sixth = pi / 6;
    CHECK_NEAR(integral_of("'Sign'", 5, &h), pi - (5 - pi), 1e-9);
    CHECK_INT(h.count >= 1, 1);
    CHECK_NEAR(h.t[h.count - 1], pi, 1e-9);
    CHECK_NEAR(integral_of("'Absolute'", 5, &h), 2 + (cos(5) + 1), 1e-9);
    // saturated at 1/2 from pi/6 to 5 pi/6
    double wanted = 2 * (1 - cos(sixth)) + 0.5 * 4 * sixth;
    CHECK_NEAR(integral_of("'Saturation', 'parameters': {'Upper Limit': 0.5}", pi, &h), wanted,
               1e-9);
    CHECK_NEAR(h.t[0], sixth, 1e-9);
    CHECK_NEAR(h.t[1], 5 * sixth, 1e-9);
    wanted = 2 * cos(sixth) - 0.5 * 4 * sixth;
    CHECK_NEAR(integral_of("'Dead Zone', 'parameters': {'End of Dead Zone': 0.5}", pi, &h), wanted,
               1e-9);
    // on at pi/6, off at 7 pi/6
    double on = integral_of("'Relay', 'parameters': {'Switch on Point': 0.5, 'Switch off Point': "
                            "-0.5}",
                            6, &h);
    CHECK_NEAR(on, pi, 1e-9);
    CHECK_INT(h.count, 2);
    CHECK_NEAR(h.t[1], 7 * sixth, 1e-9);
    // rounds to 1 between pi/6 and 5 pi/6, to -1 half a turn later
    CHECK_NEAR(integral_of("'Quantizer', 'parameters': {'Quantization Interval': 1}", 3.5, &h),
               4 * sixth, 1e-9);
    CHECK_NEAR(integral_of("'Coulomb and Viscous Friction', 'parameters': {'Coulomb Friction "
                           "Value': 2}",
                           5, &h),
               2 * (2 * pi - 5) + 1 - cos(5), 1e-9);
}

// A step in the middle of a step of the solver: the response is exact on both sides.
TEST(sources_break_at_their_instants)
{
    diagram_run r;
    open_chain(&r, "'integrator': 'rk4', 'step': 0.2", "'Step', 'parameters': {'Step Time': 0.33}",
               "'Integrator'");
    REQUIRE(r.sim);
    CHECK_NEAR(value_at(&r, 0.3, "out"), 0, 0);
    CHECK_NEAR(value_at(&r, 2, "out"), 1.67, 1e-12);
    close_run(&r);
}

// A reset by a signal, rising only; without events at the step after it.
TEST(integrators_are_reset)
{
    const char *text =
        "'simulation': {'integrator': 'rk4', 'step': 0.01, 'stop': 10%s}, 'nodes': [{'name': "
        "'one', "
        "'type': 'Constant'}, {'name': 's', 'type': 'Sine Wave', 'parameters': {'Phase': 1}}, "
        "{'name': 'i', 'type': 'Integrator', 'parameters': {'External Reset': 'rising', 'Initial "
        "Condition': 3}}, {'name': 'out', 'type': 'Display'}], 'lines': [{'from': 'one', 'to': "
        "'i:1'}, {'from': 's', 'to': 'i:2'}, {'from': 'i', 'to': 'out'}]";
    double crossing = 2 * 3.14159265358979323846 - 1;
    for (int i = 0; i < 2; i++) {
        char whole[1024];
        diagram_run r;
        snprintf(whole, sizeof whole, text, i ? ", 'events': false" : "");
        REQUIRE(open_run(&r, whole));
        CHECK_NEAR(value_at(&r, 5, "out"), 8, 1e-10);
        CHECK_NEAR(value_at(&r, 8, "out"), 3 + 8 - crossing, i ? 0.011 : 1e-9);
        close_run(&r);
    }
}

// Two rates in one diagram; the slower holds.
TEST(rates_are_mixed)
{
    diagram_run r;
    REQUIRE(open_run(&r,
                     "'simulation': {'step': 0.1}, 'nodes': [{'name': 'c', 'type': 'Clock'}, "
                     "{'name': 'slow', 'type': 'Zero-Order Hold', 'parameters': {'Sample Time': "
                     "0.5}}, {'name': 'fast', 'type': 'Zero-Order Hold', 'parameters': {'Sample "
                     "Time': 0.2}}, {'name': 'sum', 'type': 'Sum'}, {'name': 'p', 'type': "
                     "'Probe', 'parameters': {'Probing': 'sample time'}}, {'name': 'out', "
                     "'type': 'Display'}, {'name': 'rate', 'type': 'Display'}], 'lines': "
                     "[{'from': 'c', 'to': ['slow', 'fast']}, {'from': 'slow', 'to': 'sum:1'}, "
                     "{'from': 'fast', 'to': 'sum:2'}, {'from': 'sum', 'to': ['out', 'p']}, "
                     "{'from': 'p', 'to': 'rate'}]"));
    CHECK_NEAR(value_at(&r, 0.45, "out"), 0 + 0.4, 1e-12);
    CHECK_NEAR(value_at(&r, 0.75, "out"), 0.5 + 0.6, 1e-12);
    CHECK_NEAR(value_at(&r, 0.75, "rate"), 0.2, 0);
    close_run(&r);
}

// A run that goes back to a snapshot repeats itself to the bit.
TEST(snapshots_hold_everything)
{
    diagram_run r;
    open_chain(&r, "'integrator': 'rk4', 'step': 0.1",
               "'Pulse Generator', 'parameters': {'Period': 0.7}",
               "'Transfer Function', 'parameters': {'Denominator': '1 0.5 2'}");
    REQUIRE(r.sim);
    value_at(&r, 3.03, "out");
    fo_snapshot *snapshot = fo_simulation_snapshot(r.sim);
    REQUIRE(snapshot);
    double first = value_at(&r, 7.5, "out");
    CHECK_STATUS(fo_simulation_restore(r.sim, snapshot), FO_OK, fo_simulation_message(r.sim));
    CHECK(value_at(&r, 7.5, "out") == first);
    fo_snapshot_destroy(snapshot);
    close_run(&r);
}

// What goes wrong in a run names the node and the time; also where only constants take part.
TEST(failures_name_the_node)
{
    diagram_run r;
    const char *text =
        "'nodes': [{'name': 'a', 'type': '%s'}, {'name': 'zero', 'type': 'Ground'}, "
        "{'name': 'p', 'type': '%s'%s}, {'name': 'out', 'type': 'Display'}], 'lines': "
        "[{'from': 'a', 'to': 'p:1'}, {'from': 'zero', 'to': 'p:2'}, {'from': 'p', "
        "'to': 'out'}]";
    static const char *const sources[] = {"Constant", "Clock"};
    for (int i = 0; i < 2; i++) {
        char whole[512];
        snprintf(whole, sizeof whole, text, sources[i], "Product",
                 ", 'parameters': {'Function': 'division'}");
        REQUIRE(open_run(&r, whole));
        CHECK_INT(fo_simulation_advance(r.sim, 1), FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(r.sim)->text,
                       "node 'p' (Product) at t = 0: element 1 is not finite");
        close_run(&r);
    }
}

// A counter with increment b steps once per sample, (start, stop, step) in fractions: the sample at
// the stop happens, whatever k * step is in doubles; as program and node by node.
TEST(sample_at_the_stop_happens)
{
    int wrong = 0;
    for (int way = 0; way < 2; way++)
        for (int q = 1; q <= 30; q++)
            for (int k = 1; k <= 13; k += 3) {
                char text[600];
                diagram_run r;
                snprintf(text, sizeof text,
                         "'simulation': {'step': %.17g, 'stop': %.17g}, 'nodes': [{'name': 's', "
                         "'type': 'Counter', 'parameters': {'Initial Value': 3, 'Increment "
                         "Length': 0.5}}, "
                         "{'name': 'out', 'type': 'Display'}], 'lines': [{'from': 's', 'to': "
                         "'out'}]",
                         2.0 / q, 2.0 * k / q);
                REQUIRE(open_run(&r, text));
                fo_diagram_run_as(r.diagram, way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM, NULL);
                wrong += value_at(&r, 2.0 * k / q, "out") != 3 + 0.5 * k;
                close_run(&r);
            }
    CHECK_INT(wrong, 0);
}

// log(cos t) has no value from pi/2 on, which lies between the steps.
TEST(undefined_values_are_located)
{
    diagram_run r;
    for (int way = 0; way < 2; way++) {
        REQUIRE(open_run(&r, "'simulation': {'step': 0.2, 'stop': 5}, 'nodes': [{'name': 's', "
                             "'type': 'Sine Wave', 'parameters': {'Phase': 1.5707963267948966}}, "
                             "{'name': 'l', 'type': 'Math Function 1', 'parameters': {'Function': "
                             "'Natural Log'}}, {'name': 'out', 'type': 'Display'}], "
                             "'lines': [{'from': 's', 'to': 'l'}, {'from': 'l', 'to': 'out'}]"));
        fo_diagram_run_as(r.diagram, way ? FO_DIAGRAM_NODES : FO_DIAGRAM_PROGRAM, NULL);
        CHECK(fo_failed(fo_simulation_advance(r.sim, 5)));
        const char *why = fo_simulation_message(r.sim)->text, *t = strstr(why, "t = ");
        CHECK_CONTAINS(why, "node 'l'");
        CHECK_NEAR(t ? strtod(t + 4, NULL) : NAN, 1.5707963267948966, 1e-12);
        close_run(&r);
    }
}

TEST_MAIN(TEST_ENTRY(sample_at_the_stop_happens), TEST_ENTRY(undefined_values_are_located),
          TEST_ENTRY(delays_of_the_document), TEST_ENTRY(sources_of_the_document),
          TEST_ENTRY(random_numbers_are_javas), TEST_ENTRY(discrete_nodes),
          TEST_ENTRY(backlash_stays_in_between), TEST_ENTRY(switching_is_located),
          TEST_ENTRY(sources_break_at_their_instants), TEST_ENTRY(integrators_are_reset),
          TEST_ENTRY(rates_are_mixed), TEST_ENTRY(snapshots_hold_everything),
          TEST_ENTRY(failures_name_the_node))
