// Models of other kinds inside diagrams: texts, structures, fields.
#include <unistd.h>

#include "run.h"

#define RUN                                                                             \
    "'simulation': {'algebraicLoops': 'solve', 'integrator': 'dop853', 'rtol': 1e-11, " \
    "'atol': 1e-13, 'step': 0.1}, "

// A first-order lag as text, driven by a step of the diagram: 1 - exp(-k t).
TEST(texts_take_inputs)
{
    diagram_run r;
    REQUIRE(open_run(
        &r, RUN "'nodes': [{'name': 'u', 'type': 'Constant'}, {'name': 'lag', 'type': "
                "'Modelica Block', 'parameters': {'Text': ['block lag', '  parameter Real k = "
                "1;', '  input Real u;', '  output Real y, rate;', 'equation', '  der(y) = "
                "rate;', '  rate = k * (u - y);', 'end lag;'], 'Parameters': 'k = 3'}}, "
                "{'name': 'e', 'type': 'Display'}, {'name': 'f', 'type': 'Display'}], 'lines': "
                "[{'from': 'u', 'to': 'lag'}, {'from': 'lag:y', 'to': 'e'}, {'from': "
                "'lag:rate', 'to': 'f'}]"));
    CHECK_NEAR(value_at(&r, 1, "e"), 1 - exp(-3), 1e-9);
    CHECK_NEAR(value_at(&r, 1, "f"), 3 * exp(-3), 1e-9);
    close_run(&r);
}

// An oscillator whose mass is a text and whose spring is a node: no output depends directly on the
// input, so the loop is none.
TEST(texts_stand_in_loops)
{
    diagram_run r;
    REQUIRE(open_run(
        &r, RUN "'nodes': [{'name': 'm', 'type': 'Modelica Block', 'parameters': {'Text': "
                "'block m input Real f; output Real x(start = 1); Real v; equation der(x) = v; "
                "der(v) = f; end m;'}}, {'name': 'k', 'type': 'Gain', 'parameters': {'Gain': "
                "-4}}], 'lines': [{'from': 'm', 'to': 'k'}, {'from': 'k', 'to': 'm'}]"));
    CHECK_NEAR(value_at(&r, 2, "m"), cos(4), 1e-8);
    close_run(&r);
}

typedef struct heard {
    double t[16];
    int count;
} heard;

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    heard *h = self;
    (void)why;
    if (m->kind == FO_GUARD && h->count < 16) h->t[h->count++] = m->t;
    return FO_OK;
}

// A ball as text bounces in the diagram; gravity comes from outside. And samples at times of its
// own: x at 0.25, 0.75, 1.25, ...
TEST(texts_have_events)
{
    heard h = {0};
    diagram_run r = {0};
    r.diagram = read_diagram(
        RUN "'nodes': [{'name': 'g', 'type': 'Constant', 'parameters': {'Constant Value': -10}}, "
            "{'name': 'b', 'type': 'Modelica Block', 'parameters': {'Text': 'model b input Real "
            "g; output Real x(start = 5, fixed = true); Real v(start = 0, fixed = true); "
            "equation der(x) = v; der(v) = g; when x < 0 then reinit(v, -0.5 * pre(v)); end "
            "when; end b;'}}], 'lines': [{'from': 'g', 'to': 'b'}]",
        NULL, &r.why);
    if (!r.diagram) test_fail(__FILE__, __LINE__, "%s", r.why.text);
    REQUIRE(r.diagram);
    fo_observer observer = {.self = &h, .moment = hear, .interval = -1};
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r.diagram), NULL);
    def.observers = &observer;
    def.observer_count = 1;
    r.sim = fo_simulation_create(fo_diagram_system(r.diagram), &def, &r.why);
    REQUIRE(r.sim);
    // falls 1 s to 10 m/s, then 1 s up and down with 5 m/s, then half a second
    CHECK_NEAR(value_at(&r, 1.5, "b"), 5 * 0.5 - 5 * 0.25, 1e-8);
    CHECK_NEAR(value_at(&r, 2.25, "b"), 2.5 * 0.25 - 5 * 0.0625, 1e-8);
    CHECK(h.count >= 2);
    CHECK_NEAR(h.t[0], 1, 1e-9);
    close_run(&r);
    REQUIRE(open_run(&r, RUN
                     "'nodes': [{'name': 'c', 'type': 'Clock'}, {'name': 'b', 'type': 'Modelica "
                     "Block', 'parameters': {'Text': 'model b input Real u; discrete output Real "
                     "y(start = 7); equation when sample(0.25, 0.5) then y = u; end when; end "
                     "b;'}}], 'lines': [{'from': 'c', 'to': 'b'}]"));
    CHECK_NEAR(value_at(&r, 0.2, "b"), 7, 0);
    CHECK_NEAR(value_at(&r, 0.7, "b"), 0.25, 1e-12);
    CHECK_NEAR(value_at(&r, 1.3, "b"), 1.25, 1e-12);
    close_run(&r);
}

TEST(texts_are_checked)
{
#define TEXT(parameters) \
    "'nodes': [{'name': 'b', 'type': 'Modelica Block', 'parameters': {" parameters "}}]"
    refused(TEXT("'Text': 'block b input Real u output'"), "node 'b' (Modelica Block): b:1:");
    refused(TEXT("'Text': ''"), "node 'b' (Modelica Block): ");
    refused(TEXT("'Class': 'c'"), "node 'b' (Modelica Block): ");
    refused(TEXT("'Parameters': 'x=2'"), "node 'b' (Modelica Block): ");
    refused(TEXT("'Parameters': 'x'"), "expected \"name=value; name=value\", found 'x'");
    refused(TEXT("'Parameters': 'u=2'"), "'u' is not a parameter of the model");
    refused(TEXT("'Parameters': 'u=two'"), "parameter 'u' is 'two', expected a number");
    refused(TEXT("'Text': 3"), "node 'b' (Modelica Block): ");
    refused("'nodes': [{'name': 'c', 'type': 'Constant', 'parameters': {'Constant Value': '1 2'}}, "
            "{'name': 'b', 'type': 'Modelica Block'}], 'lines': [{'from': 'c', 'to': 'b'}]",
            "input 1 (u) is a real row vector of 2 from 'c', expected a single number");
    // every output may be left open, inputs not
    refused("'nodes': [{'name': 'b', 'type': 'Modelica Block'}]", "input 1 (u) is not connected");
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    for (const char *c = text; f && *c; c++) fputc(*c == '\'' ? '"' : *c, f);
    if (f) fclose(f);
}

// A mass on a spring, pushed at its port by a constant effort F: x = (1 - cos(omega t)) F/k, flow
// x'. Stiffness 4 k d^2 of the energy of squares is avoided: lengths.
TEST(structures_take_efforts)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "spring-%ld.structure.json", (long)getpid());
    write_file(path,
               "{'structure': 'spring', 'dimension': 1, 'nodes': [{'name': 'wall', 'at': [0], "
               "'mass': 1, 'fixed': true}, {'name': 'mass', 'at': [1], 'mass': 2}], 'springs': "
               "[{'between': ['wall', 'mass'], 'k': 8, 'energy': 'lengths'}], 'ports': [{'name': "
               "'push', 'node': 'mass', 'direction': [1], 'connected': true}]}");
    snprintf(text, sizeof text,
             RUN
             "'nodes': [{'name': 'F', 'type': 'Constant', 'parameters': {'Constant Value': 4}}, "
             "{'name': 's', 'type': 'Structure', 'parameters': {'File Name': '%s'}}, {'name': "
             "'x', 'type': 'Integrator'}], 'lines': [{'from': 'F', 'to': 's:push'}, {'from': "
             "'s:push.flow', 'to': 'x'}, {'from': 'x', 'to': 'e'}]",
             path);
    // the display is written behind the nodes
    char *at = strstr(text, "], 'lines'"), rest[512];
    snprintf(rest, sizeof rest, "%s", at);
    snprintf(at, sizeof text - (size_t)(at - text), ", {'name': 'e', 'type': 'Display'}%s", rest);
    diagram_run r;
    REQUIRE(open_run(&r, text));
    CHECK_NEAR(value_at(&r, 1, "e"), 0.5 * (1 - cos(2)), 1e-8);
    CHECK_NEAR(value_at(&r, 3, "e"), 0.5 * (1 - cos(6)), 1e-8);
    close_run(&r);
    remove(path);
    refused(text, "node 's' (Structure): ");
}

// Heat in a rod whose left end follows a signal of the diagram: in the end a straight line.
TEST(fields_take_signals)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "rod-%ld.field.json", (long)getpid());
    write_file(path, "{'field': 'heat', 'size': [11], 'length': [1], 'diffusivity': 1, 'sides': "
                     "{'left': {'driven': 'input'}, 'right': 'fixed'}, 'probes': [{'node': [5], "
                     "'name': 'middle'}, {'node': [2], 'name': 'near'}]}");
    snprintf(text, sizeof text,
             "'simulation': {'integrator': 'dp45', 'rtol': 1e-8, 'atol': 1e-10, 'step': 0.1}, "
             "'nodes': [{'name': 'T', 'type': 'Step', 'parameters': {'Step Time': 0.5, 'Final "
             "Value': 10}}, {'name': 'rod', 'type': 'Field', 'parameters': {'File Name': '%s'}}, "
             "{'name': 'e', 'type': 'Display'}], 'lines': [{'from': 'T', 'to': 'rod'}, {'from': "
             "'rod:middle', 'to': 'e'}]",
             path);
    diagram_run r;
    REQUIRE(open_run(&r, text));
    CHECK_NEAR(value_at(&r, 0.4, "e"), 0, 1e-12);
    double early = value_at(&r, 0.55, "e");
    CHECK(early > 0.1 && early < 4.5);
    CHECK_NEAR(value_at(&r, 5, "e"), 5, 1e-6);
    CHECK_NEAR(value_at(&r, 5, "rod.near"), 8, 1e-6);
    close_run(&r);
    remove(path);
    refused(text, "node 'rod' (Field): ");
}

TEST(every_allocation_may_fail)
{
    const char *text =
        RUN "'subsystems': {'s': {'nodes': [{'name': 'i', 'type': 'Input Port'}, {'name': 'o', "
            "'type': 'Output Port'}], 'lines': [{'from': 'i', 'to': 'o'}]}}, 'nodes': [{'name': "
            "'u', 'type': 'Clock'}, {'name': 's', 'type': 'Subsystem', 'parameters': "
            "{'Definition': 's'}}, {'name': 'b', 'type': 'Modelica Block'}, {'name': 'src', "
            "'type': 'Entity Source'}, {'name': 'q', 'type': 'Queue'}, {'name': 'p', 'type': 'PID "
            "Controller'}, {'name': 'g', 'type': 'Goto'}, {'name': 'f', 'type': 'From'}, {'name': "
            "'e', 'type': 'Display'}, {'name': 't', 'type': 'Terminator'}, {'name': 'y', 'type': "
            "'Sum', 'parameters': {'Signs': '+-'}}], 'lines': [{'from': 'u', 'to': ['s', 'p', "
            "'y:1']}, {'from': 'y', 'to': 'y:2'}, {'from': 's', "
            "'to': 'b'}, {'from': 'b', 'to': 'g'}, {'from': 'f', 'to': 'e'}, {'from': 'src', "
            "'to': 'q'}, {'from': 'p', 'to': 't'}], 'scene': {'shapes': [{'shape': 'box', "
            "'position': ['e', 0, 0]}]}";
    for (long fail_at = 1;; fail_at++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, fail_at);
        fo_diagram *d = read_diagram(text, &memory.allocator, &why);
        bool done = d != NULL;
        if (!done) CHECK_INT(why.status, FO_ERROR_MEMORY);
        fo_diagram_destroy(d);
        CHECK_INT(memory.live, 0);
        if (!done && why.status != FO_ERROR_MEMORY) test_fail(__FILE__, __LINE__, "%s", why.text);
        if (done || fail_at > 5000 || why.status != FO_ERROR_MEMORY) {
            CHECK(done && fail_at > 20);
            break;
        }
    }
}

#define LOOSE "'simulation': {'integrator': 'dp45', 'rtol': 1e-6, 'step': 0.1}, "

// What a text delays is right between the ends of steps, also where it is another node's signal.
TEST(delays_in_texts_are_dense)
{
    static const char *const all[] = {
        LOOSE "'nodes': [{'name': 'b', 'type': 'Modelica Block', 'parameters': {'Text': 'block b "
              "output Real y; Real x(start = 1, fixed = true); equation der(x) = -0.001*x; y = "
              "delay(sin(50*time), 0.5); end b;'}}]",
        LOOSE "'nodes': [{'name': 'a', 'type': 'Modelica Block', 'parameters': {'Text': 'block a "
              "output Real y; Real x(start = 1, fixed = true); equation der(x) = -0.001*x; y = "
              "sin(50*time); end a;'}}, {'name': 'b', 'type': 'Modelica Block', 'parameters': "
              "{'Text': 'block b input Real u; output Real y; equation y = delay(u, 0.5); end "
              "b;'}}], 'lines': [{'from': 'a', 'to': 'b'}]"};
    for (int i = 0; i < 2; i++) {
        diagram_run r;
        if (open_run(&r, all[i]))
            for (double t = 0.6; t < 2; t += 0.0101)
                CHECK_NEAR(value_at(&r, t, "b"), sin(50 * (t - 0.5)), 2e-6);
        close_run(&r);
    }
}

TEST_MAIN(TEST_ENTRY(delays_in_texts_are_dense), TEST_ENTRY(texts_take_inputs),
          TEST_ENTRY(texts_stand_in_loops), TEST_ENTRY(texts_have_events),
          TEST_ENTRY(texts_are_checked), TEST_ENTRY(structures_take_efforts),
          TEST_ENTRY(fields_take_signals), TEST_ENTRY(every_allocation_may_fail))
