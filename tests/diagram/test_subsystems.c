// Diagrams inside nodes, tags, and nodes with any number of ports.
#include "run.h"

#define HALF                                                                                     \
    "'half': {'nodes': [{'name': 'in', 'type': 'Input Port'}, {'name': 'g', 'type': 'Gain', "    \
    "'parameters': {'Gain': 0.5}}, {'name': 'out', 'type': 'Output Port'}], 'lines': [{'from': " \
    "'in', 'to': 'g'}, {'from': 'g', 'to': 'out'}]}"

// Oscillator x'' = -x with both integrators in a subsystem and the loop closed outside.
TEST(loops_go_through_subsystems)
{
    diagram_run r;
    REQUIRE(open_run(
        &r,
        "'simulation': {'integrator': 'dop853', 'rtol': 1e-11, 'atol': 1e-13}, 'nodes': [{'name': "
        "'mass', 'type': 'Subsystem', 'diagram': {'nodes': [{'name': 'force', 'type': 'Input "
        "Port'}, {'name': 'v', 'type': 'Integrator'}, {'name': 'x', 'type': 'Integrator', "
        "'parameters': {'Initial Condition': 1}}, {'name': 'speed', 'type': 'Output Port'}, "
        "{'name': 'place', 'type': 'Output Port'}], 'lines': [{'from': 'force', 'to': 'v'}, "
        "{'from': 'v', 'to': ['x', 'speed']}, {'from': 'x', 'to': 'place'}]}}, {'name': 'spring', "
        "'type': 'Gain', 'parameters': {'Gain': -1}}, {'name': 'end', 'type': 'Display'}], "
        "'lines': [{'from': 'mass:place', 'to': 'spring'}, {'from': 'spring', 'to': 'mass:force'}, "
        "{'from': 'mass:1', 'to': 'end'}]"));
    CHECK_NEAR(value_at(&r, 2, "end"), -sin(2), 1e-9);
    CHECK_NEAR(value_at(&r, 2, "mass.x"), cos(2), 1e-9);
    CHECK_NEAR(value_at(&r, 2, "mass.place"), cos(2), 1e-9);
    close_run(&r);
}

// A definition is used twice, once inside another.
TEST(definitions_are_used_again)
{
    diagram_run r;
    REQUIRE(open_run(
        &r,
        "'subsystems': {" HALF
        ", 'quarter': {'nodes': [{'name': 'i', 'type': 'Input Port'}, {'name': 'a', 'type': "
        "'Subsystem', 'parameters': {'Definition': 'half'}}, {'name': 'b', 'type': 'Subsystem', "
        "'parameters': {'Definition': 'half'}}, {'name': 'o', 'type': 'Output Port'}], 'lines': "
        "[{'from': 'i', 'to': 'a'}, {'from': 'a', 'to': 'b'}, {'from': 'b', 'to': 'o'}]}}, "
        "'nodes': [{'name': 'c', 'type': 'Clock'}, {'name': 'q', 'type': 'Subsystem', "
        "'parameters': {'Definition': 'quarter'}}, {'name': 'e', 'type': 'Display'}], 'lines': "
        "[{'from': 'c', 'to': 'q'}, {'from': 'q', 'to': 'e'}]"));
    CHECK_NEAR(value_at(&r, 8, "e"), 2, 0);
    CHECK_NEAR(value_at(&r, 8, "q.a.g"), 4, 0);
    close_run(&r);
}

#define NEST(name, inner)                                                                   \
    "'" name                                                                                \
    "': {'nodes': [{'name': 's', 'type': 'Subsystem', 'parameters': {'Definition': '" inner \
    "'}}]}"

TEST(subsystems_are_checked)
{
    refused("'subsystems': {" NEST("a", "b") ", " NEST(
                "b", "a") "}, 'nodes': [{'name': 's', "
                          "'type': 'Subsystem', 'parameters': {'Definition': 'a'}}]",
            "$.subsystems.b.nodes[0].parameters.Definition: the subsystem 'a' contains itself");
    refused("'subsystems': {" NEST("a", "a") "}, 'nodes': [{'name': 'c', 'type': 'Clock'}]",
            "the subsystem 'a' contains itself");
    refused("'subsystems': {" HALF "}, 'nodes': [{'name': 's', 'type': 'Subsystem', 'parameters': "
            "{'Definition': 'hlaf'}}]",
            "there is no subsystem 'hlaf'; did you mean 'half'?");
    refused("'nodes': [{'name': 's', 'type': 'Subsystem'}]", "a Subsystem needs a \"diagram\"");
    refused("'nodes': [{'name': 's', 'type': 'Gain', 'diagram': {}}]",
            "only a Subsystem has a diagram in it");
    refused("'nodes': [{'name': 's', 'type': 'Subsystem', 'diagram': {'node': []}}]",
            "$.nodes[0].diagram.node: nothing here is called 'node'");
    refused("'nodes': [{'name': 's', 'type': 'Input Port'}]", "stands in subsystems only");
    refused("'subsystems': [], 'nodes': [{'name': 's', 'type': 'Clock'}]",
            "$.subsystems: expected an object");
    refused("'subsystems': {" HALF "}, 'nodes': [{'name': 'c', 'type': 'Clock'}, {'name': 's', "
            "'type': 'Subsystem', 'parameters': {'Definition': 'half'}}, {'name': 'e', 'type': "
            "'Display'}], 'lines': [{'from': 'c', 'to': 's:2'}, {'from': 's', 'to': 'e'}]",
            "node 's' (Subsystem) has 1 input, not a port 2");
    refused("'subsystems': {" HALF "}, 'nodes': [{'name': 's', 'type': 'Subsystem', 'parameters': "
            "{'Definition': 'half'}}, {'name': 'e', 'type': 'Display'}], 'lines': [{'from': 's', "
            "'to': 'e'}]",
            "node 's.in' (Input Port): input 1 (u) is not connected");
    refused("'nodes': [{'name': 'a', 'type': 'Subsystem', 'diagram': {'nodes': [{'name': 'i', "
            "'type': 'Input Port'}, {'name': 'o', 'type': 'Output Port'}], 'lines': [{'from': 'i', "
            "'to': 'o'}, {'from': 'i', 'to': 'i'}]}}]",
            "$.nodes[0].diagram.lines[1].to: node 'a.i' (Input Port) has 0 inputs");
    // a loop through a subsystem is named
    refused("'subsystems': {" HALF "}, 'nodes': [{'name': 's', 'type': 'Subsystem', 'parameters': "
            "{'Definition': 'half'}}], 'lines': [{'from': 's', 'to': 's'}]",
            "an algebraic loop: 's.g' -> 's.g'");
}

// Thirty definitions, each with two of the one before: a billion nodes in two kilobytes.
TEST(expansion_is_limited)
{
    static char text[20000];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "'subsystems': {'d0': {'nodes': [{'name': 'c', 'type': "
                                   "'Clock'}, {'name': 'd', 'type': 'Clock'}]}");
    for (int i = 1; i < 30; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            ", 'd%d': {'nodes': [{'name': 'a', 'type': 'Subsystem', 'parameters': {'Definition': "
            "'d%d'}}, {'name': 'b', 'type': 'Subsystem', 'parameters': {'Definition': 'd%d'}}]}",
            i, i - 1, i - 1);
    snprintf(text + used, sizeof text - used, "}, 'nodes': [{'name': 'c', 'type': 'Clock'}]");
    refused(text, "more than 1000000 nodes");
}

TEST(depth_is_limited)
{
    static char text[40000];
    size_t used = (size_t)snprintf(text, sizeof text, "'subsystems': {" NEST("d0", "none"));
    for (int i = 1; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ", 'd%d': {'nodes': [{'name': 's', 'type': 'Subsystem', "
                                 "'parameters': {'Definition': 'd%d'}}]}",
                                 i, i + 1);
    snprintf(text + used, sizeof text - used,
             ", " HALF "}, 'nodes': [{'name': 'c', 'type': 'Clock'}]");
    memcpy(strstr(text, "none"), "half", 4);
    refused(text, "subsystems are nested deeper than 64 levels");
}

// A tag is looked for in the subsystem first, then around it.
TEST(tags_join_from_and_goto)
{
    diagram_run r;
    REQUIRE(open_run(
        &r,
        "'nodes': [{'name': 'c', 'type': 'Clock'}, {'name': 'g', 'type': 'Goto', 'parameters': "
        "{'Tag': 't'}}, {'name': 'g2', 'type': 'Goto', 'parameters': {'Tag': 'u'}}, {'name': "
        "'one', 'type': 'Constant'}, {'name': 's', 'type': 'Subsystem', 'diagram': {'nodes': "
        "[{'name': 'f', 'type': 'From', 'parameters': {'Tag': 't'}}, {'name': 'f2', 'type': "
        "'From', 'parameters': {'Tag': 'u'}}, {'name': 'five', 'type': 'Constant', 'parameters': "
        "{'Constant Value': 5}}, {'name': 'g', 'type': 'Goto', 'parameters': {'Tag': 'u'}}, "
        "{'name': 'sum', 'type': 'Sum'}, {'name': 'o', 'type': 'Output Port'}], 'lines': [{'from': "
        "'f', 'to': 'sum:1'}, {'from': 'f2', 'to': 'sum:2'}, {'from': 'five', 'to': 'g'}, {'from': "
        "'sum', 'to': 'o'}]}}, {'name': 'e', 'type': 'Display'}], 'lines': [{'from': 'c', 'to': "
        "'g'}, {'from': 'one', 'to': 'g2'}, {'from': 's', 'to': 'e'}]"));
    CHECK_NEAR(value_at(&r, 3, "e"), 8, 0);
    CHECK_TEXT(foi_diagram_experiment(r.diagram).plot[0], "e");
    CHECK(!foi_diagram_experiment(r.diagram).plot[1]);
    close_run(&r);
#define FROM "{'name': 'f', 'type': 'From'}, {'name': 'e', 'type': 'Terminator'}"
    refused("'nodes': [" FROM "], 'lines': [{'from': 'f', 'to': 'e'}]",
            "node 'f' (From): there is no Goto with the tag 'a'");
    refused("'nodes': [{'name': 'c', 'type': 'Clock'}, {'name': 'g', 'type': 'Goto'}, {'name': "
            "'h', 'type': 'Goto'}], 'lines': [{'from': 'c', 'to': ['g', 'h']}]",
            "the tag 'a' is used by the Goto 'g'");
    refused("'nodes': [" FROM ", {'name': 'g', 'type': 'Goto'}], 'lines': [{'from': 'f', 'to': "
            "['e', 'g']}]",
            "an algebraic loop: 'f' -> 'f'");
}

TEST(counts_of_ports_are_checked)
{
#define ONE(type, name, value) \
    "'nodes': [{'name': 'n', 'type': '" type "', 'parameters': {'" name "': '" value "'}}]"
    refused(ONE("Sum", "Signs", "+*"), "parameter 'Signs' is made of + and -, found '+*'");
    refused(ONE("Product", "Signs", "+"), "parameter 'Signs' is made of * and /");
    refused(ONE("Mux", "Inputs", "0"), "expected 1 to 64 inputs, found 0");
    refused(ONE("Mux", "Inputs", "2.5"), "expected 1 to 64 inputs, found 2.5");
    refused(ONE("Multi-Port Switch", "Inputs", "1000"), "expected 1 to 64 inputs, found 1001");
    refused(ONE("Demux", "Outputs", "0"), "expected 1 to 4096 outputs");
    refused(ONE("Demux", "Outputs", "1 0 2"), "part 2 has 0 elements");
    refused("'nodes': [{'name': 'c', 'type': 'Constant', 'parameters': {'Constant Value': '1 2 "
            "3'}}, {'name': 'd', 'type': 'Demux', 'parameters': {'Outputs': '1 3'}}], 'lines': "
            "[{'from': 'c', 'to': 'd'}]",
            "node 'd' (Demux): the input has 3 elements, the 2 outputs have 4");
    diagram_run r;
    const char *chooser =
        "'nodes': [{'name': 'a', 'type': 'Constant'}, {'name': 'm', 'type': 'Multi-Port Switch', "
        "'parameters': {'Inputs': 3}}, {'name': 'c', 'type': 'Clock'}, {'name': 'e', 'type': "
        "'Display'}], 'lines': [{'from': 'a', 'to': ['m:1', 'm:2', 'm:3']}, {'from': 'c', 'to': "
        "'m:control'}, {'from': 'm', 'to': 'e'}]";
    REQUIRE(open_run(&r, chooser));
    CHECK_INT(fo_simulation_advance(r.sim, 1), FO_ERROR_MODEL);
    CHECK_CONTAINS(fo_simulation_message(r.sim)->text, "the control input is 0, expected 1 to 3");
    close_run(&r);
}

TEST_MAIN(TEST_ENTRY(loops_go_through_subsystems), TEST_ENTRY(definitions_are_used_again),
          TEST_ENTRY(subsystems_are_checked), TEST_ENTRY(expansion_is_limited),
          TEST_ENTRY(depth_is_limited), TEST_ENTRY(tags_join_from_and_goto),
          TEST_ENTRY(counts_of_ports_are_checked))
