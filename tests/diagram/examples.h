/// The examples of node types as documents.
#ifndef TEST_DIAGRAM_EXAMPLES_H
#define TEST_DIAGRAM_EXAMPLES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagram/node.h"

__attribute__((unused)) static void add(char *text, size_t size, const char *format, const char *a,
                                        const char *b)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, format, a, b);
}

/// "name=value;name=value" as JSON members.
__attribute__((unused)) static void add_parameters(char *text, size_t size, const char *parameters)
{
    char copy[512], *rest = copy;
    snprintf(copy, sizeof copy, "%s", parameters ? parameters : "");
    for (bool first = true; *rest; first = false) {
        char *end = strchr(rest, ';'), *value = strchr(rest, '=');
        while (end && end[1] == ' ') end = strchr(end + 1, ';'); // part of the value
        if (end) *end = 0;
        *value++ = 0;
        add(text, size, first ? "'%s': '%s'" : ", '%s': '%s'", rest, value);
        rest = end ? end + 1 : value + strlen(value);
    }
}

__attribute__((unused)) static bool has_output(const foi_node_type *type)
{
    return *type->outputs || type == &foi_subsystem || foi_same_name(type->set, "Models");
}

/// A diagram around one node 'x', with an input for each that the example names, and a sink.
__attribute__((unused)) static void build(const foi_node_type *type, const foi_example *e,
                                          char *text, size_t size)
{
    char item[256], name[32], lines[1024] = "", from[16];
    snprintf(text, size,
             "'simulation': {'stop': %.17g, 'step': %.17g, 'integrator': 'dop853', 'rtol': 1e-12, "
             "'atol': 1e-14}, 'nodes': [{'name': 'x', 'type': '%s', 'parameters': {",
             fmax(e->time + 0.1, 1), e->step > 0 ? e->step : 0.2, type->name);
    add_parameters(text, size, e->parameters);
    add(text, size, "}}%s%s", "", "");
    for (uint32_t i = 0; i < foi_port_count(e->inputs); i++) {
        foi_list_item(e->inputs, i, item, sizeof item);
        snprintf(name, sizeof name, "in%u", i + 1);
        bool source = foi_node_type_find(item) != NULL;
        add(text, size, ", {'name': '%s', 'type': '%s'", name, source ? item : "Constant");
        if (!source) add(text, size, ", 'parameters': {'Constant Value': '%s'}%s", item, "");
        add(text, size, "}%s%s", "", "");
        snprintf(item, sizeof item, "x:%u", i + 1);
        add(lines, sizeof lines, "{'from': '%s', 'to': '%s'},", name, item);
    }
    if (has_output(type)) {
        add(text, size, ", {'name': 'end', 'type': 'Terminator'}%s%s", "", "");
        snprintf(from, sizeof from, "x:%u", e->port + 1);
        add(lines, sizeof lines, "{'from': '%s', 'to': '%s'},", from, "end");
    }
    if (e->nodes) add(text, size, ", %s%s", e->nodes, "");
    if (e->lines) add(lines, sizeof lines, "%s,%s", e->lines, "");
    lines[strlen(lines) - 1] = 0;
    add(text, size, "], 'lines': [%s]%s", lines, "");
    if (e->members) add(text, size, ", %s%s", e->members, "");
}

/// The example of a node type with inputs that change: each is the example's constant and a wave.
__attribute__((unused)) static void build_moving(const foi_node_type *type, bool events,
                                                 bool integrate, char *text, size_t size)
{
    const foi_example *e = &type->example;
    // elements that differ by whole intervals would switch within an ulp of each other
    const char *inputs = strcmp(type->name, "Quantizer") == 0 ? "0.7" : e->inputs;
    char item[256], name[32], lines[2048] = "";
    snprintf(text, size,
             "'simulation': {'stop': 2, 'step': 0.1, 'integrator': 'RK_04', 'events': %s}, "
             "'nodes': [{'name': 'x', 'type': '%s', 'parameters': {",
             events ? "true" : "false", type->name);
    add_parameters(text, size, e->parameters);
    add(text, size, "}}%s%s", "", "");
    for (uint32_t i = 0; i < foi_port_count(inputs); i++) {
        foi_list_item(inputs, i, item, sizeof item);
        snprintf(name, sizeof name, "%u", i + 1);
        bool source = foi_node_type_find(item) != NULL;
        add(text, size, ", {'name': 'in%s', 'type': '%s'", name, source ? item : "Constant");
        if (!source) add(text, size, ", 'parameters': {'Constant Value': '%s'}%s", item, "");
        add(text, size, "}, {'name': 'wave%s', 'type': 'Sine Wave', 'parameters': {'Frequency': %s",
            name, i ? "5" : "3");
        add(text, size, ", 'Amplitude': 1.3, 'Phase': 0.1}}, {'name': 'add%s', 'type': 'Sum'}%s",
            name, "");
        add(lines, sizeof lines, "{'from': 'in%s', 'to': 'add%s:1'},", name, name);
        add(lines, sizeof lines, "{'from': 'wave%s', 'to': 'add%s:2'},", name, name);
        add(lines, sizeof lines, "{'from': 'add%s', 'to': 'x:%s'},", name, name);
    }
    if (has_output(type)) {
        add(text, size, ", {'name': 'end', 'type': '%s'}%s",
            integrate ? "Integrator" : "Terminator", "");
        snprintf(name, sizeof name, "x:%u", e->port + 1);
        add(lines, sizeof lines, "{'from': '%s', 'to': 'end'},%s", name, "");
        if (integrate) {
            add(text, size, ", {'name': 'all', 'type': 'Terminator'}%s%s", "", "");
            add(lines, sizeof lines, "{'from': 'end', 'to': 'all'}%s,%s", "", "");
        }
    }
    if (e->nodes) add(text, size, ", %s%s", e->nodes, "");
    if (e->lines) add(lines, sizeof lines, "%s,%s", e->lines, "");
    if (*lines) lines[strlen(lines) - 1] = 0;
    add(text, size, "], 'lines': [%s]%s", lines, "");
    if (e->members) add(text, size, ", %s%s", e->members, "");
}

#endif
