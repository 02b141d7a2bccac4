// Vectors as parameters: every element does what a node with its numbers alone would do.
#include "run.h"

typedef struct source {
    const char *type;
    const char *parameters; ///< the same for all elements
    const char *names[4];   ///< those that differ
    const char *values[4][3];
} source;

static const source sources[] = {
    {"Pulse Generator",
     "",
     {"Amplitude", "Period", "Duty Cycle", "Start Time"},
     {{"1", "2", "-3"}, {"0.7", "1", "0.31"}, {"50", "20", "75"}, {"0", "0.45", "0.1"}}},
    {"Signal Generator",
     "'Wave Form': 'square', ",
     {"Amplitude", "Frequency"},
     {{"1", "2", "-3"}, {"0.7", "1", "2.3"}}},
    {"Signal Generator",
     "'Wave Form': 'sawtooth', ",
     {"Amplitude", "Frequency"},
     {{"1", "2", "-3"}, {"0.7", "1", "2.3"}}},
    {"Signal Generator", "", {"Frequency"}, {{"0.7", "1", "2.3"}}},
    {"Step",
     "",
     {"Step Time", "Initial Value", "Final Value"},
     {{"0.3", "1", "1.77"}, {"0", "5", "1"}, {"1", "2", "3"}}},
    {"Ramp",
     "",
     {"Slope", "Start Time", "Initial Output"},
     {{"1", "2", "-1"}, {"0.33", "1.5", "0"}, {"0", "1", "2"}}},
    {"Chirp Signal",
     "",
     {"Initial Frequency", "Target Time", "Target Frequency"},
     {{"0.1", "1", "2"}, {"1", "2", "3"}, {"2", "1", "0.5"}}},
    {"Discrete Pulse Generator",
     "'Sample Time': 0.1, ",
     {"Amplitude", "Period", "Pulse Width", "Phase Delay"},
     {{"1", "2", "3"}, {"4", "5", "3"}, {"1", "2", "2"}, {"0", "1", "3"}}},
    {"Random Number",
     "'Sample Time': 0.1, ",
     {"Mean", "Variance", "Initial Seed"},
     {{"1", "2", "3"}, {"4", "5", "3"}, {"1", "2", "77"}}},
    {"Uniform Random Number",
     "'Sample Time': 0.1, ",
     {"Minimum", "Maximum", "Initial Seed"},
     {{"1", "2", "3"}, {"4", "5", "3"}, {"1", "2", "77"}}},
};

// Element `element` of three, or all of them.
static bool open_source(diagram_run *r, const source *s, int element, bool events)
{
    char text[2048], parameters[1024] = "";
    for (int i = 0; i < 4 && s->names[i]; i++) {
        size_t used = strlen(parameters);
        snprintf(parameters + used, sizeof parameters - used, "%s'%s': '%s%s%s%s%s'", i ? ", " : "",
                 s->names[i], element < 0 ? s->values[i][0] : "", element < 0 ? " " : "",
                 element < 0 ? s->values[i][1] : s->values[i][element], element < 0 ? " " : "",
                 element < 0 ? s->values[i][2] : "");
    }
    snprintf(text, sizeof text,
             "'simulation': {'stop': 3, 'step': 0.1, 'integrator': 'RK_04', 'events': %s}, "
             "'nodes': [{'name': 's', 'type': '%s', 'parameters': {%s%s}}, {'name': 'x', 'type': "
             "'Integrator'}, {'name': 'end', 'type': 'Terminator'}], 'lines': [{'from': 's', 'to': "
             "'x'}, {'from': 'x', 'to': 'end'}]",
             events ? "true" : "false", s->type, s->parameters, parameters);
    return open_run(r, text);
}

TEST(elements_are_nodes_of_their_own)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        for (int events = 0; events < 2; events++) {
            diagram_run all, one[3];
            bool good = open_source(&all, &sources[i], -1, events);
            for (int k = 0; k < 3; k++) good = open_source(&one[k], &sources[i], k, events) && good;
            if (!good) return;
            for (double t = 0; t < 3; t += 0.13)
                for (int k = 0; k < 3; k++) {
                    char name[16];
                    snprintf(name, sizeof name, "s[%d]", k + 1);
                    double found = value_at(&all, t, name), wanted = value_at(&one[k], t, "s");
                    if (found != wanted)
                        test_fail(__FILE__, __LINE__, "%s at %g: %s is %.17g, not %.17g",
                                  sources[i].type, t, name, found, wanted);
                    // steps end at the instants of all elements: other rounding
                    snprintf(name, sizeof name, "x[%d]", k + 1);
                    double tolerance = events ? 1e-3 : 1e-12;
                    CHECK_NEAR(value_at(&all, t, name), value_at(&one[k], t, "x"), tolerance);
                }
            for (int k = 0; k < 3; k++) close_run(&one[k]);
            close_run(&all);
        }
}

TEST(elements_are_checked)
{
#define ALONE(type, parameters) \
    "'nodes': [{'name': 'n', 'type': '" type "', 'parameters': {" parameters "}}]"
    refused(ALONE("Pulse Generator", "'Period': '1 0'"), "the period must be positive");
    refused(ALONE("Pulse Generator", "'Duty Cycle': '1 101'"), "a percentage from 0 to 100");
    refused(ALONE("Discrete Pulse Generator", "'Period': '1 0.5'"), "at least one sample");
    refused(ALONE("Backlash", "'Dead-Band Width': '1 -1'"), "must not be negative, it is -1");
    refused(ALONE("Relay", "'Switch on Point': '1 -2'"),
            "'Switch off Point' is -1, above 'Switch on Point', -2");
    refused(ALONE("Rate Limiter", "'Falling Slew Rate': 2"),
            "'Falling Slew Rate' is 2, above 'Rising Slew Rate', 1");
    refused(ALONE("Saturation", "'Lower Limit': 2"), "'Lower Limit' is 2, above 'Upper Limit', 1");
    refused(ALONE("Dead Zone", "'Start of Dead Zone': 2"),
            "'Start of Dead Zone' is 2, above 'End of Dead Zone', 1");
    refused(ALONE("Saturation", "'Lower Limit': '0 0', 'Upper Limit': '1 1 1'"),
            "have 2 and 3 elements");
}

// The document is read, and its run ends with these words.
static void refused_run(const char *members, const char *words)
{
    diagram_run r;
    if (!open_run(&r, members)) return;
    CHECK(fo_failed(fo_simulation_advance(r.sim, 1)));
    CHECK_CONTAINS(fo_simulation_message(r.sim)->text, words);
    close_run(&r);
}

// Known values of the complex functions: sqrt((3i)^2 + 5^2) = 4, and tan of the angle is n/r.
TEST(complex_functions_of_two_arguments)
{
    diagram_run r;
    const char *text =
        "'nodes': [{'name': 'n', 'type': 'Constant', 'parameters': {'Constant Value': '3i 1+2i'}}, "
        "{'name': 'r', 'type': 'Constant', 'parameters': {'Constant Value': '5 2-1i'}}, {'name': "
        "'h', 'type': 'Math Function 2', 'parameters': {'Function': 'Hypotenuse'}}, {'name': 'a', "
        "'type': 'Math Function 2', 'parameters': {'Function': 'Arc Tan'}}, {'name': 'tan', "
        "'type': 'Trigonometric Function', 'parameters': {'Function': 'tan'}}, {'name': 'e1', "
        "'type': 'Terminator'}, {'name': 'e2', 'type': 'Terminator'}], 'lines': [{'from': 'n', "
        "'to': ['h:1', 'a:1']}, {'from': 'r', 'to': ['h:2', 'a:2']}, {'from': 'a', 'to': 'tan'}, "
        "{'from': 'tan', 'to': 'e1'}, {'from': 'h', 'to': 'e2'}]";
    char pole[1200];
    // (1 + 2i) / (2 - i) = i is where the arc tangent has no value
    refused_run(text, "the function has no finite value");
    snprintf(pole, sizeof pole, "%s", text);
    memcpy(strstr(pole, "2-1i"), "2+1i", 4);
    if (!open_run(&r, pole)) return;
    CHECK_NEAR(value_at(&r, 0, "h[1].re"), 4, 1e-15);
    CHECK_NEAR(value_at(&r, 0, "h[1].im"), 0, 1e-15);
    CHECK_NEAR(value_at(&r, 0, "tan[1].re"), 0, 1e-15);
    CHECK_NEAR(value_at(&r, 0, "tan[1].im"), 0.6, 1e-15);
    CHECK_NEAR(value_at(&r, 0, "tan[2].re"), 0.8, 1e-15);
    CHECK_NEAR(value_at(&r, 0, "tan[2].im"), 0.6, 1e-15);
    close_run(&r);
}

// A Bool with a matrix, and what sinks are told to be given.
TEST(truth_values_in_a_matrix)
{
    diagram_run r;
    static const char text[] =
        "'nodes': [{'name': 'b', 'type': 'Bool', 'parameters': {'Boolean Value': [[true, false], "
        "[0, 'TRUE']]}}, {'name': 'c', 'type': 'Bool', 'parameters': {'Boolean Value': 'false "
        "true'}}, {'name': 'd', 'type': 'Display'}, {'name': 'e', 'type': 'Display'}], 'lines': "
        "[{'from': 'b', 'to': 'd'}, {'from': 'c', 'to': 'e'}]";
    if (!open_run(&r, text)) return;
    static const double right[] = {1, 0, 0, 1, 0, 1};
    static const char *const names[] = {"d[1]", "d[2]", "d[3]", "d[4]", "e[1]", "e[2]"};
    for (int i = 0; i < 6; i++) CHECK_NEAR(value_at(&r, 0, names[i]), right[i], 0);
    fo_diagram_seen seen;
    CHECK(fo_diagram_sink(r.diagram, 0, &seen));
    CHECK_TEXT(seen.node, "d");
    CHECK_TEXT(seen.type, "Display");
    CHECK(seen.rows == 2 && seen.columns == 2 && seen.output == 0);
    CHECK(seen.is_boolean && !seen.is_complex);
    CHECK(fo_diagram_sink(r.diagram, 1, &seen));
    CHECK(seen.rows == 1 && seen.columns == 2 && seen.output == 4);
    CHECK(!fo_diagram_sink(r.diagram, 2, &seen));
    CHECK_TEXT(fo_diagram_sink_type(r.diagram, "e[2]"), "Display");
    CHECK(!fo_diagram_sink_type(r.diagram, "e[3]"));
    CHECK_TEXT(fo_default_diagram_def().name, "diagram");
    close_run(&r);
}

TEST_MAIN(TEST_ENTRY(elements_are_nodes_of_their_own), TEST_ENTRY(elements_are_checked),
          TEST_ENTRY(complex_functions_of_two_arguments), TEST_ENTRY(truth_values_in_a_matrix))
