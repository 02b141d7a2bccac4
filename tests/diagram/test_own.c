// Node types of one's own: each against the closed form or the node that it repeats.
#include <foliot/node.h>

#include "run.h"

// ------------------------------------------------------------------------------------- the types

static void output_scale(const fo_node_call *c)
{
    for (uint32_t i = 0; i < c->size; i++)
        c->outputs[0][i] = fo_node_at(&c->inputs[0], i) * fo_node_at(&c->parameters[0], i);
}

static const fo_node_field scale_fields[] = {{"Factor", FO_NODE_NUMBERS, "1", NULL, "of it"}, {0}};
static const fo_node_type scale = {.name = "Scale",
                                   .about = "The input times the factor.",
                                   .inputs = "u",
                                   .outputs = "product",
                                   .parameters = scale_fields,
                                   .example = {"Factor=2", "3 4", 0, "6 8"},
                                   .output = output_scale};

// T x' = u - x, from the initial value on.
static void *open_lag(const fo_node_call *c)
{
    for (uint32_t i = 0; i < c->parameters[0].rows * c->parameters[0].cols; i++)
        if (!(c->parameters[0].data[i] > 0))
            fo_node_fail(c, "the time constant must be positive, it is %g",
                         c->parameters[0].data[i]);
    return NULL;
}

static void start_lag(const fo_node_call *c, double *x)
{
    for (uint32_t i = 0; i < c->size; i++) x[i] = fo_node_at(&c->parameters[1], i);
}

static void output_lag(const fo_node_call *c)
{
    for (uint32_t i = 0; i < c->size; i++) c->outputs[0][i] = c->x[i];
}

static void rates_lag(const fo_node_call *c, double *dx)
{
    for (uint32_t i = 0; i < c->size; i++)
        dx[i] = (fo_node_at(&c->inputs[0], i) - c->x[i]) / fo_node_at(&c->parameters[0], i);
}

static const fo_node_field lag_fields[] = {{"Time Constant", FO_NODE_NUMBERS, "1", NULL, "[s]"},
                                           {"Initial Value", FO_NODE_NUMBERS, "0", NULL, ""},
                                           {0}};
static const fo_node_type lag = {.name = "Lag",
                                 .inputs = "u",
                                 .outputs = "x",
                                 .parameters = lag_fields,
                                 .no_feedthrough = true,
                                 .states = 1,
                                 .open = open_lag,
                                 .start = start_lag,
                                 .output = output_lag,
                                 .rates = rates_lag};

// What Relay does, from 1 to 0 at -1 and back at 1.
static void watch_schmitt(const fo_node_call *c, double *g)
{
    for (uint32_t i = 0; i < c->size; i++)
        g[i] = fo_node_at(&c->inputs[0], i) - (c->kept[i] > 0 ? -1 : 1);
}

static bool jump_schmitt(const fo_node_call *c, uint32_t index, bool rising, double *x)
{
    (void)x;
    c->kept[index] = rising;
    return true;
}

static void output_schmitt(const fo_node_call *c)
{
    for (uint32_t i = 0; i < c->size; i++) c->outputs[0][i] = c->kept[i];
}

static const fo_node_type schmitt = {.name = "Schmitt Trigger",
                                     .inputs = "u",
                                     .outputs = "on",
                                     .kept = 1,
                                     .guards = 1,
                                     .output = output_schmitt,
                                     .watch = watch_schmitt,
                                     .jump = jump_schmitt};

// Sums its input at every sample; on two ports.
static void output_total(const fo_node_call *c)
{
    for (uint32_t i = 0; i < c->size; i++) c->outputs[0][i] = c->kept[i];
    c->outputs[1][0] = (double)c->tick;
}

static void shape_total(const fo_node_call *c, uint32_t port, uint32_t *rows, uint32_t *cols)
{
    if (!c->inputs[0].rows) return; // not known yet
    *rows = port ? 1 : c->inputs[0].rows;
    *cols = port ? 1 : c->inputs[0].cols;
}

static void update_total(const fo_node_call *c)
{
    bool down = c->parameters[1].data[0] == 1;
    for (uint32_t i = 0; i < c->size; i++)
        c->kept[i] += (down ? -1 : 1) * fo_node_at(&c->inputs[0], i);
}

static const fo_node_field total_fields[] = {
    {"Sample Time", FO_NODE_SAMPLE, "1", NULL, "[s]"},
    {"Direction", FO_NODE_CHOICE, "up", "up|down", ""},
    {"Label", FO_NODE_TEXT, NULL, NULL, "is not looked at"},
    {0}};
static const fo_node_type total = {.name = "Total",
                                   .inputs = "u",
                                   .outputs = "total|samples",
                                   .parameters = total_fields,
                                   .no_feedthrough = true,
                                   .kept = 1,
                                   .shape = shape_total,
                                   .output = output_total,
                                   .update = update_total};

// Refuses what is above its limit, and is not finite below 0.
static void output_fuse(const fo_node_call *c)
{
    double u = fo_node_at(&c->inputs[0], 0);
    if (u > c->parameters[0].data[0]) fo_node_fail(c, "%g is too much", u);
    c->outputs[0][0] = sqrt(u);
}

static const fo_node_field fuse_fields[] = {{"Limit", FO_NODE_NUMBER, "1", NULL, ""}, {0}};
static const fo_node_type fuse = {.name = "Fuse",
                                  .inputs = "u",
                                  .outputs = "root",
                                  .parameters = fuse_fields,
                                  .output = output_fuse};

// The same as expressions: Lag; and what Saturation does, by the sides of two guards.
static void lag_output(fo_node_math *m)
{
    for (uint32_t i = 0; i < fo_math_size(m); i++) fo_math_output(m, 0, i, fo_math_state(m, i));
}

static void lag_rates(fo_node_math *m)
{
    for (uint32_t i = 0; i < fo_math_size(m); i++) {
        fo_scalar over = fo_math_2(m, FO_OP_SUBTRACT, fo_math_input(m, 0, i), fo_math_state(m, i));
        fo_math_rate(m, i, fo_math_2(m, FO_OP_DIVIDE, over, fo_math_parameter(m, 0, i)));
    }
}

static const fo_node_type lag_math = {.name = "Lag Expression",
                                      .inputs = "u",
                                      .outputs = "x",
                                      .parameters = lag_fields,
                                      .no_feedthrough = true,
                                      .states = 1,
                                      .open = open_lag,
                                      .start = start_lag,
                                      .math = {.output = lag_output, .rates = lag_rates}};

static void clip_watch(fo_node_math *m)
{
    for (uint32_t i = 0; i < fo_math_size(m); i++)
        for (uint32_t k = 0; k < 2; k++)
            fo_math_guard(
                m, 2 * i + k,
                fo_math_2(m, FO_OP_SUBTRACT, fo_math_input(m, 0, i), fo_math_parameter(m, k, i)));
}

static void clip_output(fo_node_math *m)
{
    fo_scalar zero = fo_math_number(m, 0);
    for (uint32_t i = 0; i < fo_math_size(m); i++) {
        fo_scalar above = fo_math_2(m, FO_OP_GREATER, fo_math_side(m, 2 * i), zero);
        fo_scalar below = fo_math_2(m, FO_OP_LESS, fo_math_side(m, 2 * i + 1), zero);
        fo_scalar inside =
            fo_math_do(m, FO_OP_IF, below, fo_math_parameter(m, 1, i), fo_math_input(m, 0, i));
        fo_math_output(m, 0, i, fo_math_do(m, FO_OP_IF, above, fo_math_parameter(m, 0, i), inside));
    }
}

static const fo_node_field clip_fields[] = {{"Upper Limit", FO_NODE_NUMBERS, "1", NULL, ""},
                                            {"Lower Limit", FO_NODE_NUMBERS, "-1", NULL, ""},
                                            {0}};
static const fo_node_type clip = {.name = "Clip",
                                  .inputs = "u",
                                  .outputs = "y",
                                  .parameters = clip_fields,
                                  .guards = 2,
                                  .math = {.output = clip_output, .watch = clip_watch}};

// Its state stands still, and is set to the second input where the first one rises through zero.
static void start_latch(const fo_node_call *c, double *x)
{
    for (uint32_t i = 0; i < c->size; i++) x[i] = fo_node_at(&c->parameters[0], i);
}

static void rates_latch(const fo_node_call *c, double *dx)
{
    for (uint32_t i = 0; i < c->size; i++) dx[i] = 0;
}

static void watch_latch(const fo_node_call *c, double *g)
{
    for (uint32_t i = 0; i < c->size; i++) g[i] = fo_node_at(&c->inputs[0], i);
}

static bool jump_latch(const fo_node_call *c, uint32_t index, bool rising, double *x)
{
    if (rising) x[index] = fo_node_at(&c->inputs[1], index);
    return rising;
}

static const fo_node_field latch_fields[] = {{"Initial Value", FO_NODE_NUMBERS, "0", NULL, ""},
                                             {0}};
static const fo_node_type latch = {.name = "Latch",
                                   .inputs = "by|to",
                                   .outputs = "x",
                                   .parameters = latch_fields,
                                   .no_feedthrough = true,
                                   .states = 1,
                                   .guards = 1,
                                   .start = start_latch,
                                   .output = output_lag,
                                   .rates = rates_latch,
                                   .watch = watch_latch,
                                   .jump = jump_latch};

static const fo_node_type *const types[] = {&scale, &lag,      &schmitt, &total,
                                            &fuse,  &lag_math, &clip,    &latch};

// --------------------------------------------------------------------------------------- helpers

static fo_diagram *read_with(const char *members, const fo_node_type *const *list, size_t count,
                             const fo_allocator *allocator, fo_message *why)
{
    size_t size = strlen(members) + 64;
    char *text = malloc(size);
    snprintf(text, size, "{'format': 'foliot diagram', 'version': 1, %s}", members);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    fo_diagram_def def = {.name = "test.json",
                          .text = text,
                          .length = strlen(text),
                          .allocator = allocator,
                          .types = list,
                          .type_count = count};
    fo_diagram *d = fo_diagram_read(&def, why);
    free(text);
    return d;
}

static bool open_own(diagram_run *r, const char *members)
{
    *r = (diagram_run){0};
    r->diagram = read_with(members, types, sizeof types / sizeof *types, NULL, &r->why);
    if (!r->diagram) {
        test_fail(__FILE__, __LINE__, "%s", r->why.text);
        return false;
    }
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r->diagram), NULL);
    r->sim = fo_simulation_create(fo_diagram_system(r->diagram), &def, &r->why);
    if (!r->sim) test_fail(__FILE__, __LINE__, "%s", r->why.text);
    return r->sim;
}

#define BETWEEN(type, parameters, input, value)                                                \
    "'nodes': [{'name': 'in', 'type': '" input "', 'parameters': {" value "}}, {'name': 'x', " \
    "'type': '" type "', 'parameters': {" parameters "}}, {'name': 'end', 'type': "            \
    "'Terminator'}], 'lines': [{'from': 'in', 'to': 'x'}, {'from': 'x', 'to': 'end'}"
#define RK4(stop, step) \
    "'simulation': {'stop': " stop ", 'step': " step ", 'integrator': 'RK_04'}, "

static void refused_with(const char *members, const char *words)
{
    fo_message why = {0};
    fo_diagram *d = read_with(members, types, sizeof types / sizeof *types, NULL, &why);
    if (d) test_fail(__FILE__, __LINE__, "not refused: %.100s", members);
    if (!d) test_contains(__FILE__, __LINE__, members, why.text, words);
    fo_diagram_destroy(d);
}

// ------------------------------------------------------------------------------------------ runs

TEST(numbers_expand)
{
    diagram_run r;
    if (!open_own(&r, BETWEEN("Scale", "'Factor': '2 3 4'", "Clock", "") "]")) return;
    CHECK_NEAR(value_at(&r, 5, "x[3]"), 20, 0);
    close_run(&r);
}

TEST(states_flow)
{
    diagram_run r;
    if (!open_own(&r, RK4("5", "0.01") BETWEEN("Lag", "'Time Constant': '1 2', 'Initial Value': 3",
                                               "Constant", "'Constant Value': 7") "]"))
        return;
    CHECK_NEAR(value_at(&r, 2, "x[1]"), 7 - 4 * exp(-2), 1e-9);
    CHECK_NEAR(value_at(&r, 2, "x[2]"), 7 - 4 * exp(-1), 1e-9);
    char how[200];
    CHECK_TEXT(fo_diagram_how(r.diagram, how, sizeof how), "node by node, because of 'x' (Lag)");
    close_run(&r);
}

// The same moments and values as the node that comes with the program.
TEST(crossings_are_located)
{
    diagram_run own, relay;
    const char *with = RK4("5", "0.1") "'nodes': [{'name': 'in', 'type': 'Sine Wave', "
                                       "'parameters': {'Amplitude': 2, 'Frequency': "
                                       "3}}, {'name': 'x', 'type': '%s'}, {'name': 'y', 'type': "
                                       "'Integrator'}, {'name': 'end', "
                                       "'type': 'Terminator'}], 'lines': [{'from': 'in', 'to': "
                                       "'x'}, {'from': 'x', 'to': 'y'}, "
                                       "{'from': 'y', 'to': 'end'}]";
    char text[1024];
    snprintf(text, sizeof text, with, "Schmitt Trigger");
    if (!open_own(&own, text)) return;
    snprintf(text, sizeof text, with, "Relay");
    if (!open_own(&relay, text)) return;
    // on from asin(1/2)/3 until (pi + asin(1/2))/3, with the period 2 pi/3
    double on = asin(0.5) / 3, off = (acos(-1) + asin(0.5)) / 3;
    CHECK_NEAR(value_at(&own, 2, "y"), off - on, 1e-9);
    CHECK_NEAR(value_at(&relay, 2, "y"), off - on, 1e-9);
    CHECK_NEAR(value_at(&own, 5, "y"), value_at(&relay, 5, "y"), 1e-12);
    CHECK(fo_simulation_statistics(own.sim).moments == fo_simulation_statistics(relay.sim).moments);
    close_run(&own);
    close_run(&relay);
}

TEST(samples_are_taken)
{
    diagram_run r;
    if (!open_own(&r,
                  "'simulation': {'stop': 10, 'step': 0.5}, " BETWEEN(
                      "Total", "'Direction': 'down'", "Constant", "'Constant Value': '1 2'") "]"))
        return;
    // 1 and 2 at 0, 1, 2, 3: the fourth is not in the total of the fourth sample
    CHECK_NEAR(value_at(&r, 3.5, "x[1]"), -3, 0);
    CHECK_NEAR(value_at(&r, 3.5, "x[2]"), -6, 0);
    CHECK_NEAR(value_at(&r, 3.5, "x:2"), 3, 0);
    close_run(&r);
}

// Snapshots and numbers by name know them as they know the others.
TEST(they_are_like_the_others)
{
    fo_message why = {0};
    const char *text = RK4("5", "0.1") BETWEEN("Lag", "'Initial Value': 3", "Clock", "") "]";
    fo_diagram *d = read_with(text, types, sizeof types / sizeof *types, NULL, &why);
    if (!d) test_fail(__FILE__, __LINE__, "%s", why.text);
    if (!d) return;
    fo_variables numbers = fo_diagram_numbers(d);
    bool found = false;
    for (size_t i = 0; i < numbers.count; i++)
        found = found || strcmp(numbers.list[i].name, "x.Time Constant") == 0;
    CHECK(found);
    CHECK(fo_system_check(fo_diagram_system(d), &why) == FO_OK);
    CHECK_NEAR(fo_diagram_system(d).about->states.list[0].start, 3, 0);
    fo_diagram_destroy(d);
}

// As a program and node by node, with and without events: what the nodes that they repeat give.
TEST(expressions_become_programs)
{
    static const char *const same[][2] = {{"Lag Expression", "Lag"}, {"Clip", "Saturation"}};
    for (int k = 0; k < 8; k++) {
        diagram_run r[2];
        char text[800], how[200];
        bool by_nodes = k & 1, events = k & 2;
        for (int i = 0; i < 2; i++) {
            snprintf(text, sizeof text,
                     "'simulation': {'stop': 5, 'step': 0.1, 'integrator': 'RK_04', 'events': %s}, "
                     "'nodes': [{'name': 'in', 'type': 'Sine Wave', 'parameters': {'Amplitude': '2 "
                     "3', 'Frequency': 3}}, {'name': 'x', 'type': '%s'}, {'name': 'y', 'type': "
                     "'Integrator'}, {'name': 'end', 'type': 'Terminator'}], 'lines': [{'from': "
                     "'in', 'to': 'x'}, {'from': 'x', 'to': 'y'}, {'from': 'y', 'to': 'end'}]",
                     events ? "true" : "false", same[k / 4][i]);
            if (!open_own(&r[i], text)) return;
        }
        if (by_nodes) {
            fo_simulation_destroy(r[0].sim);
            CHECK(fo_diagram_run_as(r[0].diagram, FO_DIAGRAM_NODES, NULL) == FO_OK);
            fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(r[0].diagram), NULL);
            r[0].sim = fo_simulation_create(fo_diagram_system(r[0].diagram), &def, NULL);
        }
        CHECK_TEXT(fo_diagram_how(r[0].diagram, how, sizeof how),
                   by_nodes ? "node by node" : "program");
        double within = events && k / 4 ? 1e-12 : 0; // crossings may be located by other means
        for (double t = 0.07; t < 5; t += 0.31) {
            CHECK_NEAR(value_at(&r[0], t, "x[2]"), value_at(&r[1], t, "x[2]"), within);
            CHECK_NEAR(value_at(&r[0], t, "y[1]"), value_at(&r[1], t, "y[1]"), within);
        }
        close_run(&r[0]);
        close_run(&r[1]);
    }
}

// An implicit solver takes the Jacobian of the program.
TEST(expressions_have_derivatives)
{
    diagram_run r;
    if (!open_own(&r, RK4("1", "0.1")
                          BETWEEN("Lag Expression", "'Time Constant': '1 4'", "Clock", "") "]"))
        return;
    fo_system system = fo_diagram_system(r.diagram);
    const fo_state *s = fo_simulation_state(r.sim);
    double values[2];
    CHECK(fo_simulation_start(r.sim) == FO_OK);
    CHECK_INT((long)system.type->pattern(system.model, s)->start[2], 2);
    CHECK(system.type->jacobian(system.model, s, 0, s->x, values) == FO_OK);
    CHECK_NEAR(values[0], -1, 0);
    CHECK_NEAR(values[1], -0.25, 0);
    close_run(&r);
}

// --------------------------------------------------------------------------------- what is refused

TEST(what_is_wrong_is_said)
{
    refused_with(BETWEEN("Lag", "'Time Constant': -1", "Clock", "") "]",
                 "node 'x' (Lag): the time constant must be positive, it is -1");
    refused_with(BETWEEN("Scale", "'Fector': 2", "Clock", "") "]",
                 "node 'x' (Scale) has no parameter 'Fector'; did you mean 'Factor'?");
    refused_with(BETWEEN("Total", "'Direction': 'left'", "Clock", "") "]",
                 "expected one of up|down, found 'left'");
    refused_with(BETWEEN("Skale", "", "Clock", "") "]",
                 "unknown node type 'Skale'; did you mean 'Scale'?");
    refused_with(BETWEEN("Scale", "'Factor': '1 2'", "Constant", "'Constant Value': '1 2 3'") "]",
                 "node 'x' (Scale): input 1 (u) is a real row vector of 3 from 'in'");
    refused("'nodes': [{'name': 'x', 'type': 'Scale'}]", "unknown node type 'Scale'");
}

TEST(runs_are_refused)
{
    static const struct {
        const char *input, *words;
    } list[] = {{"'Amplitude': 3", "node 'x' (Fuse) at t = "},
                {"'Amplitude': -0.5", "element 1 of output 1 is not finite"}};
    for (size_t i = 0; i < 2; i++) {
        diagram_run r;
        char text[600];
        snprintf(
            text, sizeof text,
            "'simulation': {'stop': 3, 'step': 0.1}, " BETWEEN("Fuse", "", "Sine Wave", "%s") "]",
            list[i].input);
        if (!open_own(&r, text)) return;
        CHECK(fo_simulation_advance(r.sim, 3) == FO_ERROR_MODEL);
        CHECK_CONTAINS(fo_simulation_message(r.sim)->text, list[i].words);
        close_run(&r);
    }
}

TEST(descriptions_are_checked)
{
    static const fo_node_field no_choices[] = {{"Which", FO_NODE_CHOICE, "a", NULL, ""}, {0}};
    static const fo_node_field no_default[] = {{"Which", FO_NODE_NUMBER, NULL, NULL, ""}, {0}};
    static const fo_node_field no_kind[] = {{"Which", (fo_node_field_kind)77, "1", NULL, ""}, {0}};
    static const struct {
        fo_node_type type;
        const char *words;
    } list[] = {
        {{.name = NULL}, "has no name"},
        {{.name = "gain"}, "has the name of one that there is already"},
        {{.name = "A", .states = 1}, "has states and no function 'rates'"},
        {{.name = "A", .guards = 1}, "has guards and no function 'watch'"},
        {{.name = "A", .outputs = "y"}, "has outputs and no function 'output'"},
        {{.name = "A", .states = 1, .outputs = "y", .math = {.output = lag_output}},
         "has expressions for some of its functions only"},
        {{.name = "A", .outputs = "y", .output = output_lag, .math = {.output = lag_output}},
         "has functions both over numbers and as expressions"},
        {{.name = "A", .kept = 1001}, "wants more than 1000"},
        {{.name = "A", .parameters = no_choices}, "has a choice without choices"},
        {{.name = "A", .parameters = no_default}, "has a parameter without a default"},
        {{.name = "A", .parameters = no_kind}, "has a parameter of no kind"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        fo_message why = {0};
        fo_node_help help;
        const fo_node_type *one[] = {&list[i].type};
        CHECK(fo_node_type_help(one[0], &help, &why) == FO_ERROR_ARGUMENT);
        CHECK_CONTAINS(why.text, list[i].words);
        CHECK(!read_with("'nodes': [{'name': 't', 'type': 'Clock'}]", one, 1, NULL, &why));
        CHECK_CONTAINS(why.text, list[i].words);
    }
    const fo_node_type *twice[] = {&scale, &scale};
    fo_message why = {0};
    CHECK(!read_with("'nodes': [{'name': 't', 'type': 'Clock'}]", twice, 2, NULL, &why));
    CHECK_CONTAINS(why.text, "there are two node types 'Scale'");
}

TEST(help_follows_from_the_description)
{
    fo_node_help help;
    fo_node_parameter p;
    CHECK(fo_node_type_help(&total, &help, NULL) == FO_OK);
    CHECK_TEXT(help.set, "Your own");
    CHECK_TEXT(help.outputs, "total|samples");
    CHECK_INT((long)help.parameter_count, 3);
    CHECK(fo_node_type_parameter_at(&total, 1, &p));
    CHECK_TEXT(p.kind, "choice");
    CHECK(!fo_node_type_parameter_at(&total, 3, &p));
    CHECK(fo_node_type_help(&scale, &help, NULL) == FO_OK);
    CHECK_TEXT(help.example_output, "6 8");
}

static int opened;

static void *open_counted(const fo_node_call *c)
{
    (void)c;
    opened++;
    return &opened;
}

static void close_counted(void *own)
{
    CHECK(own == &opened);
    opened--;
}

// Every allocation fails once, and what was opened is closed.
TEST(memory_that_is_lacking_is_told_of)
{
    fo_node_type counted = lag;
    counted.open = open_counted, counted.close = close_counted;
    const fo_node_type *one[] = {&counted};
    for (long fail_at = 1;; fail_at++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, fail_at);
        fo_diagram *d = read_with(RK4("5", "0.1") BETWEEN("Lag", "", "Clock", "") "]", one, 1,
                                  &memory.allocator, &why);
        if (!d) CHECK(why.status == FO_ERROR_MEMORY);
        bool done = d != NULL;
        CHECK_INT(opened, done ? 1 : 0);
        fo_diagram_destroy(d);
        CHECK_INT(opened, 0);
        CHECK(memory.live == 0);
        if (done || fail_at > 5000) {
            CHECK(done && fail_at > 4);
            break;
        }
    }
}

// Three that are set at one instant, each to the next one; declared in either order.
TEST(jumps_of_one_round_take_what_was_before)
{
#define LATCH(name, start) \
    "{'name': '" name "', 'type': 'Latch', 'parameters': {'Initial Value': " start "}}"
    static const char *const orders[] = {
        LATCH("a", "1") ", " LATCH("b", "2") ", " LATCH("c", "'4 5'"),
        LATCH("c", "'4 5'") ", " LATCH("b", "2") ", " LATCH("a", "1"),
        LATCH("b", "2") ", " LATCH("a", "1") ", " LATCH("c", "'4 5'")};
    for (int i = 0; i < 3; i++) {
        char text[2000];
        diagram_run r;
        snprintf(
            text, sizeof text,
            RK4("1",
                "0.125") "'nodes': [%s, {'name': 't', 'type': 'Clock'}, {'name': 'h', 'type': "
                         "'Constant', "
                         "'parameters': {'Constant Value': 0.55}}, {'name': 'g', 'type': 'Sum', "
                         "'parameters': {'Signs': '+-'}}, {'name': 'end', 'type': 'Terminator'}], "
                         "'lines': [{'from': 't', 'to': 'g:1'}, {'from': 'h', 'to': 'g:2'}, "
                         "{'from': 'g', "
                         "'to': ['a:1', 'b:1', 'c:1']}, {'from': 'b', 'to': 'a:2'}, {'from': 'a', "
                         "'to': "
                         "['b:2', 'c:2']}, {'from': 'c', 'to': 'end'}]",
            orders[i]);
        if (!open_own(&r, text)) return;
        CHECK(value_at(&r, 1, "a") == 2 && value_at(&r, 1, "b") == 1);
        CHECK(value_at(&r, 1, "c[1]") == 1 && value_at(&r, 1, "c[2]") == 1);
        close_run(&r);
    }
}

TEST_MAIN(TEST_ENTRY(numbers_expand), TEST_ENTRY(jumps_of_one_round_take_what_was_before),
          TEST_ENTRY(states_flow), TEST_ENTRY(crossings_are_located), TEST_ENTRY(samples_are_taken),
          TEST_ENTRY(they_are_like_the_others), TEST_ENTRY(expressions_become_programs),
          TEST_ENTRY(expressions_have_derivatives), TEST_ENTRY(what_is_wrong_is_said),
          TEST_ENTRY(runs_are_refused), TEST_ENTRY(descriptions_are_checked),
          TEST_ENTRY(help_follows_from_the_description),
          TEST_ENTRY(memory_that_is_lacking_is_told_of))
