// Every node type's own example, as its help shows it, gives what the help says; and every node
// type has a complete description.
#include "base/arena.h"
#include "diagram/node.h"
#include "examples.h"
#include "run.h"

static void check_element(diagram_run *r, const foi_node_type *type, const foi_example *e,
                          const foi_array *expected, uint32_t i, bool complex_parts)
{
    char name[64] = "x";
    size_t used = 1;
    if (has_output(type)) used = (size_t)snprintf(name, sizeof name, "end");
    double step = e->step > 0 ? e->step : 0.2, t = e->time;
    if (fabs(round(t / step) - t / step) < 1e-9) t = round(t / step) * step; // a tick, to the bit
    const char *sink = has_output(type) || foi_port_count(type->inputs) == 1 ? "" : ".y";
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

static void run_example(const foi_node_type *type, const foi_example *e)
{
    char text[4096], wrong[96];
    diagram_run r;
    foi_array expected;
    foi_arena arena;
    build(type, e, text, sizeof text);
    if (!open_run(&r, text)) {
        test_fail(__FILE__, __LINE__, "in the example of %s", type->name);
        close_run(&r);
        return;
    }
    foi_arena_begin(&arena, fo_heap(), 0);
    CHECK(foi_array_parse(&arena, e->output, &expected, wrong, sizeof wrong));
    fo_reference which;
    fo_message why;
    fo_system system = fo_diagram_system(r.diagram);
    const char *first = system.about->outputs.list[0].name;
    size_t length = strlen(first);
    bool parts = length >= 3 && first[length - 3] == '.' &&
                 fo_system_find(system, first, &which, &why) == FO_OK;
    for (uint32_t i = 0; i < foi_array_size(&expected); i++)
        check_element(&r, type, e, &expected, i, parts);
    foi_arena_end(&arena);
    close_run(&r);
}

TEST(examples_give_what_they_say)
{
    const foi_node_type *type;
    for (size_t i = 0; (type = foi_node_type_at(i)); i++)
        if (type->example.output) run_example(type, &type->example);
}

// The document's other worked examples, and every choice of the nodes that have some.
static const struct {
    const char *type;
    foi_example example;
} worked_examples[] = {
    {"Selector", {NULL, "3.4 5-2i 7.64 12 -9|2 3 5", 0, 0, "5-2i 7.64 -9"}},
    {"Merge",
     {"Initial Output=-2.2 -5 7+3i 3.2 4.12 1.8;Input Port Offsets=3 1", "2.92 -1.45|-3.4 -7i", 0,
      0, "-2.2 -3.4 -7i 2.92 -1.45 1.8"}},
    {"Reshape", {NULL, "2-4i 4.55,6 -3i,-12 6.91", 0, 0, "2-4i 6 -12 4.55 -3i 6.91"}},
    {"Reshape",
     {"Output Dimension=column vector", "2 4.55,6 -3,-12 6.91", 0, 0, "2,6,-12,4.55,-3,6.91"}},
    {"Direct Look-Up Table (2D)",
     {"Action Type=column;Table Data=2+3i 5.94 6.21 -7+2i,0 9.34 21 45.32,34.67 -56 5-9i 12.43",
      "1", 0, 0, "5.94,9.34,-56"}},
    {"Matrix Concatenation",
     {"Concatenation Method=vertical", "2 -4 2-i,-1 -3+2i 5|9.05 3 12-6i", 0, 0,
      "2 -4 2-i,-1 -3+2i 5,9.05 3 12-6i"}},
    {"Gain", {"Gain=2 3 4,5 6 7,1 3 5", "7", 0, 0, "14 21 28,35 42 49,7 21 35"}},
    {"Gain", {"Gain=2 3 4", "5", 0, 0, "10 15 20"}},
    {"Logical Operator", {"Logical Operator=AND", "1 0 1|1 1 0", 0, 0, "1 0 0"}},
    {"Logical Operator", {"Logical Operator=OR", "1 0 0|1 1 0", 0, 0, "1 1 0"}},
    {"Logical Operator", {"Logical Operator=NOT", "1 0 -3", 0, 0, "0 1 0"}},
    {"Logical Operator", {"Logical Operator=NAND", "1 0 1|1 1 0", 0, 0, "0 1 1"}},
    {"Logical Operator", {"Logical Operator=NOR", "1 0 0|1 1 0", 0, 0, "0 0 1"}},
    {"Relational Operator", {NULL, "1 2 3|2", 0, 0, "0 1 0"}},
    {"Relational Operator", {"Relational Operator=!=", "1 2 3|2", 0, 0, "1 0 1"}},
    {"Relational Operator", {"Relational Operator=<", "1 2 3|2", 0, 0, "1 0 0"}},
    {"Relational Operator", {"Relational Operator=>", "1 2 3|2", 0, 0, "0 0 1"}},
    {"Relational Operator", {"Relational Operator=>=", "1 2 3|2", 0, 0, "0 1 1"}},
    {"Bitwise Logical Operator", {NULL, "14 -1", 0, 0, "10 10"}},
    {"Bitwise Logical Operator", {"Operator=OR", "5 0", 0, 0, "15 10"}},
    {"Bitwise Logical Operator", {"Operator=NOT", "5 -1", 0, 0, "-6 0"}},
    {"Bitwise Logical Operator",
     {"Operator=SHIFT LEFT;Second Operand=3;Input Data Type=8-bit", "5 16", 0, 0, "40 -128"}},
    {"Bitwise Logical Operator", {"Operator=SHIFT RIGHT;Second Operand=2", "20", 0, 0, "5"}},
    {"Math Function 1", {NULL, "2 -1", 0, 0, "100 0.1"}},
    {"Math Function 1", {"Function=Exponential", "1", 0, 0, "2.718281828459045"}},
    {"Math Function 1", {"Function=Natural Log", "-1+0.0000000001i", 0, 0, "3.141592653489793i"}},
    {"Math Function 1", {"Function=Square", "1+2i", 0, 0, "-3+4i"}},
    {"Math Function 1",
     {"Function=Square Root", "-4+0i 9i", 0, 0, "2i 2.1213203435596424+2.1213203435596424i"}},
    {"Math Function 1", {"Function=Conjugate", "1+2i", 0, 0, "1-2i"}},
    {"Math Function 1", {"Function=10 Base Log", "1000", 0, 0, "3"}},
    {"Math Function 1", {"Function=2 Base Log", "8", 0, 0, "3"}},
    {"Math Function 1", {"Function=Magnitude Square", "3+4i", 0, 0, "25"}},
    {"Math Function 1", {"Function=Reciprocal", "4 2i", 0, 0, "0.25 -0.5i"}},
    {"Math Function 2", {NULL, "2 3|3", 0, 0, "8 27"}},
    {"Math Function 2", {"Function=Hypotenuse", "3|4", 0, 0, "5"}},
    {"Math Function 2", {"Function=Modulus", "7 -7|3", 0, 0, "1 -1"}},
    {"Math Function 2", {"Function=Permutation", "5|2", 0, 0, "20"}},
    {"Math Function 2", {"Function=Arc Tan", "1|-1", 0, 0, "2.356194490192345"}},
    {"Trigonometric Function", {"Function=tanh", "0.5", 0, 0, "0.46211715726000973"}},
    {"Trigonometric Function", {"Function=asin", "0.5", 0, 0, "0.5235987755982989"}},
    {"Rounding Function", {NULL, "2.5 -2.5 0.4", 0, 0, "3 -3 0"}},
    {"Rounding Function", {"Function=floor", "2.7 -2.7", 0, 0, "2 -3"}},
    {"Rounding Function", {"Function=ceil", "2.2 -2.7", 0, 0, "3 -2"}},
    {"Resolve Complex", {NULL, "3+4i", 0, 0, "5"}},
    {"Resolve Complex", {"Function=angle", "1i", 0, 0, "1.5707963267948966"}},
    {"Matrix 1", {"Function=Determinant", "1 2,3 4", 0, 0, "-2"}},
    {"Matrix 1", {"Function=Hermitian", "1 2i,3 4", 0, 0, "1 3,-2i 4"}},
    {"Matrix 1", {"Function=Trace", "1 2,3 4i", 0, 0, "1+4i"}},
    {"Matrix 1", {"Function=Transpose", "1 2 3,4 5 6", 0, 0, "1 4,2 5,3 6"}},
    {"Matrix 2", {"Function=Division", "4 6|2 3", 0, 0, "2 2"}},
    {"Sum", {"Signs=+-+", "5 6|2|1i", 0, 0, "3+1i 4+1i"}},
    {"Sum", {"Signs=-", "5 6", 0, 0, "-5 -6"}},
    {"Product", {"Signs=**/", "5 6|2|4", 0, 0, "2.5 3"}},
    {"Product", {"Signs=/", "5 4i", 0, 0, "0.2 -0.25i"}},
    {"Mux", {"Inputs=4", "1|2 3|4|5i", 0, 0, "1 2 3 4 5i"}},
    {"Mux", {"Inputs=1", "1 2,3 4", 0, 0, "1 2 3 4"}},
    {"Demux", {"Outputs=3", "1 2 3 4 5 6 7", 0, 0, "4 5", .port = 1}},
    {"Demux", {"Outputs=3", "1 2 3 4 5 6 7", 0, 0, "1 2 3"}},
    {"Multi-Port Switch", {"Inputs=4", "1|2|3|4|3.9", 0, 0, "3"}},
    {"PID Controller",
     {"Proportional=1;Integral=0;Derivative=1;Filter Coefficient=2", "1", 1, 0,
      "1.2706705664732254"}},
    {"Min Max", {NULL, "5 2 3|3", 0, 0, "5 3 3"}},
    {"Probe", {"Probing=complex", "1+1i", 0, 0, "1"}},
    {"Probe", {NULL, "1 2 3,4 5 6", 0, 0, "6"}},
    {"Cumulative Function", {NULL, "Counter", 0.6, 0, "10"}},
    {"Zero-Pole", {"Zeros=-1;Poles=-1+1i -1-1i", "1", 2, 0, "0.5896896873989523"}},
    {"Transfer Function",
     {"Numerator=1 0,0 1;Denominator=1 1", "1", 1, 0, "0.36787944117144233 0.6321205588285577"}},
};

TEST(choices_give_what_they_should)
{
    for (size_t i = 0; i < sizeof worked_examples / sizeof worked_examples[0]; i++)
        run_example(foi_node_type_find(worked_examples[i].type), &worked_examples[i].example);
}

// They need a file, or stand in a subsystem: other tests have them.
static bool is_without_example(const foi_node_type *type)
{
    static const char *const list[] = {"From Data File", "Input Port", "Output Port", "Structure",
                                       "Field",          "FMU",        NULL};
    for (size_t i = 0; list[i]; i++)
        if (foi_same_name(type->name, list[i])) return true;
    return false;
}

TEST(descriptions_are_complete)
{
    const foi_node_type *type;
    size_t count = 0;
    for (; (type = foi_node_type_at(count)); count++) {
        bool complete = type->name && type->set && type->about && type->inputs && type->outputs &&
                        type->parameters && type->types && type->feedthrough && type->sample &&
                        type->expansion && type->dimensions &&
                        (type->example.output || is_without_example(type));
        if (!complete) test_fail(__FILE__, __LINE__, "%s lacks something", type->name);
        CHECK(foi_node_type_find(type->name) == type);
        for (const foi_parameter *p = type->parameters; p->name; p++) {
            CHECK(p->value && p->about);
            CHECK((p->kind == FOI_PARAMETER_CHOICE) == (p->choices != NULL));
        }
    }
    CHECK_INT((long long)count, 100);
}

TEST_MAIN(TEST_ENTRY(examples_give_what_they_say), TEST_ENTRY(choices_give_what_they_should),
          TEST_ENTRY(descriptions_are_complete))
