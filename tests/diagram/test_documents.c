// Documents: what is refused, and with which words; memory that fails.
#include "run.h"

#define CLOCK "{'name': 'c', 'type': 'Clock'}"
#define END   "{'name': 'e', 'type': 'Terminator'}"
#define LINE  "'lines': [{'from': 'c', 'to': 'e'}]"

TEST(heads_are_checked)
{
    fo_message why = {0};
    static const char *const texts[][2] = {
        {"[]", "a diagram is an object, this is a list"},
        {"{}", "expected \"format\": \"foliot diagram\""},
        {"{\"format\": \"foliot diagram\", \"version\": 2}",
         "version 2 is newer than this program, which knows versions up to 1"},
        {"{\"format\": \"foliot diagram\", \"version\": 0}", "whole number from 1 on"},
        {"{\"format\": \"foliot diagram\", \"nodse\": []}", "did you mean 'nodes'?"},
        {"{\"format\": \"foliot diagram\", \"version\": 1", "d.json:1:"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fo_diagram_def def = {"d.json", texts[i][0], strlen(texts[i][0]), NULL};
        CHECK(!fo_diagram_read(&def, &why));
        CHECK_CONTAINS(why.text, texts[i][1]);
        CHECK_INT(why.status, FO_ERROR_FORMAT);
    }
}

TEST(simulation_parameters_are_checked)
{
#define REST "'nodes': [" CLOCK ", " END "], " LINE
    refused("'simulation': {'stop': 0}, " REST, "the stop time must be greater");
    refused("'simulation': {'step': 0}, " REST, "the step must be positive");
    refused("'simulation': {'step': 1e-300}, " REST, "the step must be positive");
    refused("'simulation': {'integrator': 'RK_XX'}, " REST,
            "$.simulation.integrator: expected RK_DP");
    refused("'simulation': {'stpo': 3}, " REST,
            "$.simulation.stpo: nothing here is called 'stpo'; did you mean 'stop'?");
    refused("'simulation': {'stop': 'x'}, " REST, "$.simulation.stop: expected a number");
    refused("'simulation': {'events': 1}, " REST, "expected true or false");
    refused("'simulation': 3, " REST, "expected an object");
    refused("'sliders': [], " REST, "$.sliders: expected an object");
    refused("'sliders': {'g': [1, 1]}, " REST, "$.sliders.g: a slider goes from a number to");
    refused("'sliders': {'g': [0, 'x']}, " REST, "$.sliders.g: a slider goes from a number to");
    refused("'sliders': {'g': [0, 1, 2]}, " REST, "$.sliders.g: a slider goes from a number to");
    refused("'scene': 3, " REST, "$.scene: expected an object");
}

TEST(nodes_are_checked)
{
    refused("'nodes': []", "a diagram needs a list of nodes");
    refused("'nodes': [3]", "$.nodes[0]: expected an object");
    refused("'nodes': [{'type': 'Clock'}]", "a node needs a name");
    refused("'nodes': [{'name': 'a:b', 'type': 'Clock'}]", "a text without ':'");
    refused("'nodes': [{'name': 'a'}]", "a node needs a type");
    refused("'nodes': [{'name': 'a', 'type': 'Integrater'}]", "did you mean 'Integrator'?");
    refused("'nodes': [" CLOCK ", " CLOCK "]", "$.nodes[1].name: there is a node 'c' already");
    refused("'nodes': [{'name': 'g', 'type': 'Gain', 'parameters': {'gian': 2}}]",
            "$.nodes[0].parameters.gian: node 'g' (Gain) has no parameter 'gian'; did you mean");
    refused("'nodes': [{'name': 'g', 'type': 'Gain', 'parameters': {'Gain': 'two'}}]",
            "parameter 'Gain': expected numbers: 'two' is not a number");
    refused("'nodes': [{'name': 'g', 'type': 'Gain', 'parameters': {'Gain': '1 2,3'}}]",
            "row 2 has 1 numbers, row 1 has 2");
    refused("'nodes': [{'name': 'g', 'type': 'Gain', 'parameters': {'Gain': {}}}]",
            "expected a number, a text or a list of numbers");
    refused("'nodes': [{'name': 'g', 'type': 'Ramp', 'parameters': {'Slope': '2i'}}]",
            "expected real numbers, found a complex one");
    refused("'nodes': [{'name': 'g', 'type': 'Sum', 'parameters': {'Sign of First Input': '*'}}]",
            "expected one of +|-, found '*'");
    refused("'nodes': [{'name': 'g', 'type': 'Gain', 'position': [1]}]",
            "expected 2 numbers, found 1");
}

TEST(lines_are_checked)
{
#define NODES "'nodes': [" CLOCK ", " END "]"
    refused(NODES, "node 'c' (Clock): output 1 (time) is not connected; a Terminator");
    refused("'nodes': [" END "]",
            "node 'e' (Terminator): input 1 (input) is not connected; a Ground");
    refused(NODES ", 'lines': [{'to': 'e'}]", "a dangling line: it needs \"from\"");
    refused(NODES ", 'lines': [{'from': 'c'}]", "a dangling line from 'c'");
    refused(NODES ", 'lines': [{'from': 'c', 'branches': [{'color': 'red'}]}]", "a dangling line");
    refused(NODES ", 'lines': [{'from': 'c', 'to': 'x'}]", "$.lines[0].to: there is no node 'x'");
    refused(NODES ", 'lines': [{'from': 'c:2', 'to': 'e'}]", "(Clock) has 1 output, not a port 2");
    refused(NODES ", 'lines': [{'from': 'c:x', 'to': 'e'}]", "(Clock) has 1 output, not a port x");
    refused(NODES ", 'lines': [{'from': 'c', 'to': ['e', 'e']}]",
            "input 1 of node 'e' is connected already, to 'c'");
}

TEST(branches_lead_everywhere)
{
    diagram_run r;
    REQUIRE(open_run(&r,
                     "'nodes': [" CLOCK ", " END ", {'name': 'd', 'type': 'Display'}, "
                     "{'name': 'f', 'type': 'Display'}], 'lines': [{'from': 'c', 'to': 'e', "
                     "'color': 'green', 'branches': [{'to': 'd', 'branches': [{'to': ['f']}]}]}]"));
    CHECK_NEAR(value_at(&r, 3, "f"), 3, 0);
    CHECK_NEAR(value_at(&r, 3, "d"), 3, 0);
    CHECK_TEXT(foi_diagram_experiment(r.diagram).plot[0], "d");
    close_run(&r);
}

TEST(conflicts_name_node_and_port)
{
#define TWO(type, more, a, b)                                                                 \
    "'nodes': [{'name': 'a', 'type': 'Constant', 'parameters': {'Constant Value': '" a "'}}," \
    "{'name': 'b', 'type': 'Constant', 'parameters': {'Constant Value': '" b "'}},"           \
    "{'name': 'n', 'type': '" type "'" more "}, " END "], 'lines': [{'from': 'a', 'to': "     \
    "'n:1'}, {'from': 'b', 'to': 'n:2'}, {'from': 'n', 'to': 'e'}]"
    refused(TWO("Sum", "", "1 2 3", "1 2"),
            "node 'n' (Sum): input 2 (second) is a real row vector of 2 from 'b', expected a real "
            "row vector of 3");
    refused(TWO("Sum", "", "1 2", "1,2"), "is a real column vector of 2 from 'b'");
    refused(TWO("Min Max", "", "1i", "2"),
            "input 1 (first) is a single complex number from 'a', expected real numbers");
    refused(TWO("Matrix 2", ", 'parameters': {'Function': 'Multiplication'}", "1 2,3 4", "1 2 3"),
            "which does not match input 1, a real 2 by 2 matrix");
    refused("'nodes': [{'name': 'b', 'type': 'Bool'}, {'name': 'g', 'type': 'Gain'}, " END
            "], 'lines': [{'from': 'b', 'to': 'g'}, {'from': 'g', 'to': 'e'}]",
            "input 1 (u) is a single boolean value from 'b', expected real or complex numbers");
    refused("'nodes': [" CLOCK ", {'name': 's', 'type': 'Signal Specification'}, " END
            "], 'lines': [{'from': 'c', 'to': 's'}, {'from': 's', 'to': 'e'}]",
            "expected another data type");
    refused("'simulation': {'step': 0.3}, 'nodes': [{'name': 'c', 'type': 'Digital Clock'}, " END
            "], " LINE,
            "the sample time 1 is not a multiple of the step 0.3");
    refused("'nodes': [" CLOCK ", {'name': 'i', 'type': 'Integrator'}, " END
            "], 'lines': [{'from': 'c', 'to': 'i'}, {'from': 'i', 'to': 'e'}]",
            "node 'i' (Integrator): needs an integrator, and none is chosen");
}

TEST(loops_are_named_in_order)
{
    const char *loop =
        "'nodes': [{'name': 'one', 'type': 'Ground'}, {'name': 'sum', 'type': 'Sum'}, {'name': "
        "'gain', 'type': 'Gain'}, {'name': 'back', 'type': '%s'}], 'lines': [{'from': 'one', 'to': "
        "'sum:1'}, {'from': 'sum', 'to': 'gain'}, {'from': 'gain', 'to': 'back'}, {'from': 'back', "
        "'to': 'sum:2'}]";
    char text[512];
    snprintf(text, sizeof text, loop, "Gain");
    refused(text, "an algebraic loop: 'gain' -> 'back' -> 'sum' -> 'gain'; a Memory");
    snprintf(text, sizeof text, loop, "Memory");
    diagram_run r;
    CHECK(open_run(&r, text));
    close_run(&r);
}

// What is too deep, too long, too large or of the wrong kind is answered with its place.
TEST(hostile_documents_are_refused)
{
    static char text[4 << 20];
    fo_message why = {0};
    // brackets a million deep
    memset(text, '[', 1000000);
    fo_diagram_def def = {"deep", text, 1000000, NULL};
    CHECK(!fo_diagram_read(&def, &why));
    CHECK_CONTAINS(why.text, "deep:1:");
    // branches in branches
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "'nodes': [" CLOCK ", " END "], 'lines': [{'from': 'c'");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, ", 'branches': [{'color': 'red'");
    snprintf(text + used, sizeof text - used, "]");
    refused(text, "test.json:1:");
    // a parameter of two million numbers
    used = (size_t)snprintf(text, sizeof text,
                            "'nodes': [{'name': 'c', 'type': 'Constant', 'parameters': {'Constant "
                            "Value': '");
    for (int i = 0; i < 1200000; i++) used += (size_t)snprintf(text + used, 3, "1 ");
    snprintf(text + used, sizeof text - used, "'}}]");
    refused(text, "$.nodes[0].parameters.Constant Value: node 'c' (Constant), parameter "
                  "'Constant Value': expected numbers: more than 1048576");
    // a matrix of products that grows beyond all bounds
    refused("'nodes': [{'name': 'a', 'type': 'Mux', 'parameters': {'Inputs': 1e300}}]",
            "expected 1 to 64 inputs, found 1e+300");
    refused("'nodes': [{'name': 'a', 'type': 'Constant', 'parameters': {'Constant Value': 1e999}}]",
            "test.json:1:");
    refused("'nodes': [{'name': 'a', 'type': 'Constant', 'parameters': {'Constant Value': "
            "'1e999'}}]",
            "'1e999' is not a number");
    refused(
        "'nodes': [{'name': 'a', 'type': 'Unit Delay', 'parameters': {'Sample Time': 1e18}}, " CLOCK
        ", " END "], 'lines': [{'from': 'c', 'to': 'a'}, {'from': 'a', 'to': 'e'}]",
        "the sample time 1e+18 is not a multiple");
    refused("'nodes': {'name': 'a'}", "$.nodes: a diagram needs a list of nodes");
    refused("'nodes': [" CLOCK ", " END "], 'lines': 3", "$.lines: expected a list of lines");
    refused("'nodes': [" CLOCK ", " END "], 'lines': [{'from': 3, 'to': 'e'}]",
            "$.lines[0].from: expected \"node\" or \"node:port\", found a number");
    refused("'nodes': [" CLOCK ", " END "], 'lines': [{'from': 'c', 'to': {'e': 1}}]",
            "$.lines[0].to: expected");
    refused("'nodes': [{'name': 3, 'type': 'Clock'}]", "$.nodes[0].name: a node needs a name");
    refused("'nodes': [{'name': 'a', 'type': 3}]", "$.nodes[0].type: a node needs a type");
    refused("'nodes': [{'name': 'a', 'type': 'Clock', 'parameters': [1]}]",
            "$.nodes[0].parameters: expected an object, found a list");
    refused("'nodes': [{'name': 'a', 'name': 'b', 'type': 'Clock'}]", "test.json:1:");
    memset(text, 'x', 400);
    snprintf(text, sizeof text, "'nodes': [{'name': '%0300d', 'type': 'Clock'}]", 7);
    refused(text, "not longer than 200");
}

// An older version, and a document that names none, are read; a newer one is not.
TEST(versions_are_read)
{
    static const struct {
        const char *version;
        bool fine;
    } list[] = {{"", true},
                {"'version': 1, ", true},
                {"'version': 2, ", false},
                {"'version': 1e6, ", false},
                {"'version': 1.5, ", false}};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        char text[512];
        fo_message why = {0};
        snprintf(text, sizeof text,
                 "{'format': 'foliot diagram', %s'nodes': [" CLOCK ", " END "], " LINE "}",
                 list[i].version);
        for (char *c = text; *c; c++)
            if (*c == '\'') *c = '"';
        fo_diagram_def def = {"d.json", text, strlen(text), NULL};
        fo_diagram *d = fo_diagram_read(&def, &why);
        CHECK((d != NULL) == list[i].fine);
        if (!d) CHECK_CONTAINS(why.text, "version");
        fo_diagram_destroy(d);
    }
}

// Vectors go round loops: the size of the integrator follows from what comes back.
TEST(sizes_grow_round_loops)
{
    diagram_run r;
    REQUIRE(open_run(
        &r,
        "'simulation': {'integrator': 'dop853', 'rtol': 1e-10, 'atol': 1e-12}, 'nodes': "
        "[{'name': 'x', 'type': 'Integrator', 'parameters': {'Initial Condition': 1}}, {'name': "
        "'a', 'type': 'Gain', 'parameters': {'Gain': [-1, -2, -3]}}, " END
        "], 'lines': [{'from': 'x', 'to': 'a', 'branches': [{'to': 'e'}]}, {'from': 'a', 'to': "
        "'x'}]"));
    CHECK_INT(fo_system_shape(fo_diagram_system(r.diagram)).states, 3);
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "e[%d]", i + 1);
        CHECK_NEAR(value_at(&r, 1, name), exp(-(i + 1)), 1e-8);
    }
    close_run(&r);
}

static const char everything[] =
    "'simulation': {'integrator': 'RK_04', 'step': 0.1, 'stop': 1}, 'nodes': [" CLOCK ", " END
    ", {'name': 'i', 'type': 'Integrator'}, {'name': 'd', 'type': 'Transport Delay'}, {'name': "
    "'s', "
    "'type': 'Sign'}, {'name': 't', 'type': 'Transfer Function'}, {'name': 'z', 'type': 'Unit "
    "Delay'}], 'lines': [{'from': 'c', 'to': ['i', 'd', 't']}, {'from': 'i', 'to': 's'}, {'from': "
    "'s', 'to': 'e'}, {'from': 'd', 'to': 'z'}, {'from': 'z', 'to': 'x'}, {'from': 't', 'to': "
    "'y'}]";

TEST(every_allocation_may_fail)
{
    char text[1200];
    snprintf(text, sizeof text, "%s", everything);
    char *names = strstr(text, "], 'lines'");
    char rest[800];
    snprintf(rest, sizeof rest, "%s", names);
    snprintf(names, sizeof text - (size_t)(names - text),
             ", {'name': 'x', 'type': 'Terminator'}, {'name': 'y', 'type': 'Terminator'}%s", rest);
    for (long fail_at = 1;; fail_at++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, fail_at);
        fo_diagram *d = read_diagram(text, &memory.allocator, &why);
        bool done = d != NULL;
        if (!done) CHECK_INT(why.status, FO_ERROR_MEMORY);
        fo_diagram_destroy(d);
        CHECK_INT(memory.live, 0);
        if (done || fail_at > 2000) {
            CHECK(done && fail_at > 3);
            break;
        }
    }
}

// Cut anywhere, or with one letter changed, a document is refused or read, never more.
TEST(damaged_documents_do_no_harm)
{
    char text[2000];
    size_t length = (size_t)snprintf(text, sizeof text,
                                     "{'format': 'foliot diagram', 'version': 1, %s}", everything);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\'') text[i] = '"';
    unsigned seed = 1;
    for (size_t i = 0; i < length; i++) {
        fo_message why = {0};
        fo_diagram_def def = {"cut", text, i, NULL};
        CHECK(!fo_diagram_read(&def, &why));
        seed = seed * 1664525u + 1013904223u;
        char kept = text[i];
        text[i] = "0123456789:,[]{}\"-e "[seed >> 16 & 15];
        def.length = length;
        fo_diagram_destroy(fo_diagram_read(&def, &why));
        text[i] = kept;
    }
}

TEST_MAIN(TEST_ENTRY(heads_are_checked), TEST_ENTRY(simulation_parameters_are_checked),
          TEST_ENTRY(nodes_are_checked), TEST_ENTRY(lines_are_checked),
          TEST_ENTRY(branches_lead_everywhere), TEST_ENTRY(conflicts_name_node_and_port),
          TEST_ENTRY(loops_are_named_in_order), TEST_ENTRY(hostile_documents_are_refused),
          TEST_ENTRY(versions_are_read), TEST_ENTRY(sizes_grow_round_loops),
          TEST_ENTRY(every_allocation_may_fail), TEST_ENTRY(damaged_documents_do_no_harm))
