// Node types compared with the document, parameter by parameter; and that they do what is claimed.
#include "appendix.h"
#include "diagram/node.h"
#include "examples.h"
#include "run.h"

static bool has_word(const char *text, const char *word)
{
    return text && strstr(text, word);
}

static const foi_parameter *parameter_of(const foi_node_type *type, const char *name)
{
    for (const foi_parameter *p = type->parameters; p && p->name; p++)
        if (strcmp(p->name, name) == 0) return p;
    return NULL;
}

TEST(parameters_and_defaults_are_the_documents)
{
    CHECK(FO_COUNT(appendix_parameters) > 130);
    for (size_t i = 0; i < FO_COUNT(appendix_parameters); i++) {
        const appendix_parameter *a = &appendix_parameters[i];
        const foi_node_type *type = foi_node_type_find(a->node);
        const foi_parameter *p = type ? parameter_of(type, a->name) : NULL;
        if (!p || strcmp(p->value, a->value) != 0)
            test_fail(__FILE__, __LINE__, "%s: '%s' is %s, and %s in the document", a->node,
                      a->name, p ? p->value : "missing", a->value);
    }
}

// What the catalogue says of a node is what the appendix says; it may take more than that.
TEST(properties_are_the_documents)
{
    CHECK(FO_COUNT(appendix_nodes) > 80);
    for (size_t i = 0; i < FO_COUNT(appendix_nodes); i++) {
        const appendix_node *a = &appendix_nodes[i];
        const foi_node_type *type = foi_node_type_find(a->name);
        REQUIRE(type);
        bool types = (!strchr(a->types, 'r') || has_word(type->types, "real")) &&
                     (!strchr(a->types, 'c') || has_word(type->types, "complex")) &&
                     (!strchr(a->types, 'b') || has_word(type->types, "boolean"));
        // those that are the same at every time are called constant here
        bool sample = !*a->sample || has_word(type->sample, a->sample) ||
                      strcmp(type->sample, "constant") == 0 ||
                      (strcmp(a->name, "Step") == 0 && has_word(type->sample, "Sample Time"));
        bool expands = strcmp(a->expansion, "supported") != 0 ||
                       has_word(type->expansion, "input") ||
                       has_word(type->expansion, "parameters");
        bool feeds = strcmp(a->feedthrough, "yes") != 0 || strcmp(type->feedthrough, "yes") == 0;
        bool holds = strcmp(a->feedthrough, "no") != 0 || strcmp(type->feedthrough, "yes") != 0;
        if (!types || !sample || !expands || !feeds || !holds)
            test_fail(__FILE__, __LINE__, "%s: %s | %s | %s | %s", a->name, type->types,
                      type->feedthrough, type->sample, type->expansion);
    }
}

// ------------------------------------------------------------------------------------- behaviour

static bool is_set(const foi_node_type *type, const char *set)
{
    return strcmp(type->set, set) == 0;
}

/// Every input of the node gets `value`.
static fo_diagram *with_inputs(const foi_node_type *type, const char *parameters, const char *value)
{
    char inputs[512] = "", text[8192];
    uint32_t count = foi_port_count(type->example.inputs);
    for (uint32_t k = 0; k < count; k++) {
        size_t used = strlen(inputs);
        snprintf(inputs + used, sizeof inputs - used, "%s%s", k ? "|" : "", value);
    }
    foi_example e = type->example;
    e.parameters = parameters, e.inputs = inputs;
    build(type, &e, text, sizeof text);
    fo_message why;
    return read_diagram(text, NULL, &why);
}

// Whether any form of complex inputs, with the defaults or the example's parameters, is taken. Some
// nodes want vectors or matrices, some have a choice that is for real numbers only.
static bool takes_complex(const foi_node_type *type)
{
    static const char *const forms[] = {"1+2i", "1+2i 3 4 5", "1+2i 0.5,0.25 3"};
    const char *parameters[] = {NULL, type->example.parameters, "Data Type=complex"};
    for (int form = 0; form < 3; form++)
        for (int k = 0; k < (parameter_of(type, "Data Type") ? 3 : 2); k++) {
            fo_diagram *d = with_inputs(type, parameters[k], forms[form]);
            fo_diagram_destroy(d);
            if (d) return true;
        }
    return false;
}

// A node that takes complex numbers does; one that is "real only" refuses them in every form.
TEST(complex_numbers_are_taken_where_they_are_claimed)
{
    int tried = 0;
    for (size_t i = 0; i < FO_COUNT(appendix_nodes); i++) {
        const appendix_node *a = &appendix_nodes[i];
        const foi_node_type *type = foi_node_type_find(a->name);
        // what has no inputs, or inputs of several kinds, has examples of its own
        if (!type || !*type->inputs || is_set(type, "Sinks")) continue;
        if (has_word(type->types, ":") || has_word(type->types, ";")) continue;
        // those that count with one of their inputs have complex numbers in their examples
        if (strcmp(a->name, "Multi-Port Switch") == 0 || strcmp(a->name, "Selector") == 0) continue;
        bool takes = takes_complex(type);
        if (takes != has_word(type->types, "complex"))
            test_fail(__FILE__, __LINE__, "%s (%s) %s complex inputs", a->name, type->types,
                      takes ? "takes" : "refuses");
        tried++;
    }
    CHECK(tried > 45);
}

static const char *second_value(const foi_parameter *p, char *text, size_t size)
{
    double first = strtod(p->value, NULL);
    if (strcmp(p->name, "Duty Cycle") == 0)
        snprintf(text, size, "25");
    else
        snprintf(text, size, "%.17g", first == 0 ? 1 : 2 * first);
    return text;
}

/// The output at some times, of one element or of the second of three.
static void look(const foi_node_type *type, const char *parameters, const char *name, double *seen)
{
    char text[8192], inputs[64] = "";
    uint32_t count = foi_port_count(type->example.inputs);
    for (uint32_t k = 0; k < count; k++) strcat(inputs, k ? "|Clock" : "Clock");
    foi_example e = {.parameters = parameters, .inputs = *type->inputs ? inputs : "", .time = 3};
    diagram_run r;
    build(type, &e, text, sizeof text);
    seen[0] = seen[1] = seen[2] = NAN;
    if (open_run(&r, text))
        for (int k = 0; k < 3; k++) seen[k] = value_at(&r, 0.3 + k * 1.1, name);
    close_run(&r);
}

// What is looked at where the others are defaults, of which one may be a vector.
static const char *by_itself(const foi_node_type *type, const foi_parameter *this)
{
    for (const foi_parameter *p = type->parameters; p->name; p++)
        if (p != this && p->kind == FOI_PARAMETER_REAL && strchr(p->value, ' ')) return "end[2]";
    return "end";
}

// Where inputs and parameters expand, every parameter may be a vector, and each element is as of a
// node with its numbers alone.
TEST(every_parameter_may_be_a_vector)
{
    int tried = 0;
    for (size_t i = 0; i < FO_COUNT(appendix_nodes); i++) {
        const foi_node_type *type = foi_node_type_find(appendix_nodes[i].name);
        if (!type || strcmp(appendix_nodes[i].expansion, "supported") != 0) continue;
        if (type->random) continue; // elements have streams of their own: test_vectors.c
        for (const foi_parameter *p = type->parameters; p && p->name; p++) {
            if (p->kind != FOI_PARAMETER_REAL && p->kind != FOI_PARAMETER_COMPLEX) continue;
            if (strpbrk(p->value, " ,")) continue; // a table
            char second[32], three[256], alone[128];
            double of_three[3], of_one[3];
            second_value(p, second, sizeof second);
            snprintf(three, sizeof three, "%s=%s %s %s", p->name, p->value, second, p->value);
            snprintf(alone, sizeof alone, "%s=%s", p->name, second);
            look(type, three, "end[2]", of_three);
            look(type, alone, by_itself(type, p), of_one);
            for (int k = 0; k < 3; k++)
                if (!(fabs(of_three[k] - of_one[k]) <= 1e-12 * fabs(of_one[k])))
                    test_fail(__FILE__, __LINE__, "%s with %s: %g as an element, %g alone",
                              type->name, three, of_three[k], of_one[k]);
            tried++;
        }
    }
    CHECK(tried > 35);
}

// Modulus, combinations and permutations of complex numbers.
TEST(complex_math_function_2)
{
    static const struct {
        const char *function, *n, *r;
        double re, im;
    } cases[] = {
        {"Modulus", "7+5i", "3", 1, 2},
        {"Modulus", "5+5i", "2+1i", 0, 0},      // 5+5i = (2+i)(3+i)
        {"Combination", "2+1i", "2", 0.5, 1.5}, // (2+i)(1+i)/2
        {"Permutation", "2+1i", "2", 1, 3},
        {"Permutation", "1i", "3", 3, 1}, // i(i-1)(i-2)
        {"Combination", "1+1i", "0", 1, 0},
        {"Power", "1i", "2", -1, 0},
    };
    for (size_t i = 0; i < FO_COUNT(cases); i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "'simulation': {'stop': 1}, 'nodes': [{'name': 'n', 'type': 'Constant', "
                 "'parameters': {'Constant Value': '%s'}}, {'name': 'r', 'type': 'Constant', "
                 "'parameters': {'Constant Value': '%s'}}, {'name': 'm', 'type': 'Math Function "
                 "2', 'parameters': {'Function': '%s'}}, {'name': 'e', 'type': 'Terminator'}], "
                 "'lines': [{'from': 'n', 'to': 'm:1'}, {'from': 'r', 'to': 'm:2'}, {'from': "
                 "'m', 'to': 'e'}]",
                 cases[i].n, cases[i].r, cases[i].function);
        diagram_run r;
        if (!open_run(&r, text)) continue;
        CHECK_NEAR(value_at(&r, 0, "e.re"), cases[i].re, 1e-14);
        CHECK_NEAR(value_at(&r, 0, "e.im"), cases[i].im, 1e-14);
        close_run(&r);
    }
}

TEST_MAIN(TEST_ENTRY(parameters_and_defaults_are_the_documents),
          TEST_ENTRY(properties_are_the_documents),
          TEST_ENTRY(complex_numbers_are_taken_where_they_are_claimed),
          TEST_ENTRY(every_parameter_may_be_a_vector), TEST_ENTRY(complex_math_function_2))
