// Every node type's own example, as its help shows it, gives what the help says; and every node
// type has a complete description.
#include "base/arena.h"
#include "diagram/node.h"
#include "run.h"

static void add(char *text, size_t size, const char *format, const char *a, const char *b)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, format, a, b);
}

// "name=value;name=value" as JSON members.
static void add_parameters(char *text, size_t size, const char *parameters)
{
    char copy[512], *rest = copy;
    snprintf(copy, sizeof copy, "%s", parameters ? parameters : "");
    for (bool first = true; *rest; first = false) {
        char *end = strchr(rest, ';'), *value = strchr(rest, '=');
        if (end) *end = 0;
        *value++ = 0;
        add(text, size, first ? "'%s': '%s'" : ", '%s': '%s'", rest, value);
        rest = end ? end + 1 : value + strlen(value);
    }
}

static void build(const foi_node_type *type, char *text, size_t size)
{
    const foi_example *e = &type->example;
    char item[256], name[32], lines[1024] = "";
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
    if (*type->outputs) {
        add(text, size, ", {'name': 'end', 'type': 'Terminator'}%s%s", "", "");
        add(lines, sizeof lines, "{'from': '%s', 'to': '%s'},", "x", "end");
    }
    lines[strlen(lines) - 1] = 0;
    add(text, size, "], 'lines': [%s]%s", lines, "");
}

static void check_element(diagram_run *r, const foi_node_type *type, const foi_array *expected,
                          uint32_t i, bool complex_parts)
{
    char name[64] = "x";
    size_t used = 1;
    double step = type->example.step > 0 ? type->example.step : 0.2, t = type->example.time;
    if (fabs(round(t / step) - t / step) < 1e-9) t = round(t / step) * step; // a tick, to the bit
    const char *sink = *type->outputs || foi_port_count(type->inputs) == 1 ? "" : ".y";
    used += (size_t)snprintf(name + used, sizeof name - used, "%s", sink);
    if (foi_array_size(expected) > 1)
        used += (size_t)snprintf(name + used, sizeof name - used, "[%u]", i + 1);
    if (complex_parts) snprintf(name + used, sizeof name - used, ".re");
    double re = value_at(r, t, name), scale = fmax(1, fabs(foi_real_at(expected, i)));
    if (!test_near(__FILE__, __LINE__, type->name, re, foi_real_at(expected, i), 5e-7 * scale))
        return;
    if (!complex_parts) return;
    snprintf(name + used, sizeof name - used, ".im");
    test_near(__FILE__, __LINE__, type->name, value_at(r, t, name),
              cimag(foi_complex_at(expected, i)), 1e-9);
}

static void run_example(const foi_node_type *type)
{
    char text[4096], wrong[96];
    diagram_run r;
    foi_array expected;
    foi_arena arena;
    build(type, text, sizeof text);
    if (!open_run(&r, text)) {
        test_fail(__FILE__, __LINE__, "in the example of %s", type->name);
        close_run(&r);
        return;
    }
    foi_arena_begin(&arena, fo_heap(), 0);
    CHECK(foi_array_parse(&arena, type->example.output, &expected, wrong, sizeof wrong));
    fo_reference which;
    fo_message why;
    fo_system system = fo_diagram_system(r.diagram);
    bool parts =
        system.about->outputs.list[0].name[strlen(system.about->outputs.list[0].name) - 3] == '.' &&
        fo_system_find(system, system.about->outputs.list[0].name, &which, &why) == FO_OK;
    for (uint32_t i = 0; i < foi_array_size(&expected); i++)
        check_element(&r, type, &expected, i, parts);
    foi_arena_end(&arena);
    close_run(&r);
}

TEST(examples_give_what_they_say)
{
    const foi_node_type *type;
    for (size_t i = 0; (type = foi_node_type_at(i)); i++)
        if (type->example.output) run_example(type);
}

TEST(descriptions_are_complete)
{
    const foi_node_type *type;
    size_t count = 0;
    for (; (type = foi_node_type_at(count)); count++) {
        bool complete = type->name && type->set && type->about && type->inputs && type->outputs &&
                        type->parameters && type->types && type->feedthrough && type->sample &&
                        type->expansion && type->dimensions &&
                        (type->example.output || foi_same_name(type->name, "From Data File"));
        if (!complete) test_fail(__FILE__, __LINE__, "%s lacks something", type->name);
        CHECK(foi_node_type_find(type->name) == type);
        for (const foi_parameter *p = type->parameters; p->name; p++) {
            CHECK(p->value && p->about);
            CHECK((p->kind == FOI_PARAMETER_CHOICE) == (p->choices != NULL));
        }
    }
    CHECK_INT((long long)count, 85);
}

TEST_MAIN(TEST_ENTRY(examples_give_what_they_say), TEST_ENTRY(descriptions_are_complete))
