// Documents: the models of the gallery meet their references, and mistakes are named with a path.
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "field/document.h"
#include "rig.h"

static foi_field_document *read_text(const char *text, const fo_allocator *allocator,
                                     fo_message *why)
{
    foi_json_def def = {
        .name = "x.field.json", .text = text, .length = strlen(text), .allocator = allocator};
    foi_json *json = foi_json_read(&def, why);
    foi_field_document *d = json ? foi_field_document_of(json, allocator, why) : NULL;
    foi_json_destroy(json);
    return d;
}

// ----------------------------------------------------------------------------------------- models

static fo_simulation *open_model(const char *name, foi_field_document **d)
{
    char path[512];
    fo_message why = {0};
    snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%s/%s.field.json", name, name);
    *d = foi_field_read(path, NULL, &why);
    if (!*d) {
        test_fail(__FILE__, __LINE__, "%s", why.text);
        return NULL;
    }
    fo_run_def run = fo_default_run_def();
    run.stop = (*d)->experiment.stop, run.step = (*d)->experiment.step;
    return fo_simulation_create(fo_field_system((*d)->field), &run, &why);
}

enum { COLUMNS = 8 };

/// One line of the reference: goes to its time and compares.
static void compare_line(fo_simulation *sim, const fo_reference *which, size_t count, char *line,
                         double within)
{
    char *at = line;
    double t = strtod(at, &at);
    CHECK_STATUS(fo_simulation_advance(sim, t), FO_REACHED, fo_simulation_message(sim));
    for (size_t i = 0; i < count; i++)
        CHECK_NEAR(fo_simulation_value(sim, which[i]), strtod(at + 1, &at), within);
}

static void meets_reference(const char *name, double within)
{
    char path[512], line[512];
    fo_message why = {0};
    foi_field_document *d;
    fo_reference which[COLUMNS];
    size_t count = 0, rows = 0;
    fo_simulation *sim = open_model(name, &d);
    snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%s/reference.csv", name);
    FILE *file = fopen(path, "r");
    CHECK(sim && file);
    if (sim && file && fgets(line, sizeof line, file)) {
        // names hold commas: "value(3,2)"
        for (char *at = strchr(line, ','); at && count < COLUMNS; count++) {
            char *next = at + 1 + strcspn(at + 1, "(,\n");
            if (*next == '(') next = strchr(next, ')') + 1;
            bool last = *next != ',';
            *next = 0;
            CHECK_STATUS(fo_system_find(fo_simulation_system(sim), at + 1, &which[count], &why),
                         FO_OK, &why);
            at = last ? NULL : next;
        }
        for (; fgets(line, sizeof line, file); rows++)
            compare_line(sim, which, count, line, within);
    }
    CHECK(count >= 3 && rows >= 3);
    if (file) fclose(file);
    fo_simulation_destroy(sim);
    foi_field_document_destroy(d);
}

TEST(models_meet_their_references)
{
    meets_reference("wave-1d", 1e-7);
    meets_reference("wave-2d", 1e-6);
    meets_reference("wave-2d-middle", 1e-6);
    meets_reference("wave-distributed", 1e-9); // the same method: to rounding
    meets_reference("wedge-on-wave", 1e-7);
}

// --------------------------------------------------------------------------------------- mistakes

static void refused(const char *text, const char *part)
{
    fo_message why = {0};
    foi_field_document *d = read_text(text, NULL, &why);
    CHECK(!d);
    CHECK_CONTAINS(why.text, part);
    foi_field_document_destroy(d);
}

TEST(mistakes_are_named_with_their_path)
{
    refused("[]", "$: expected an object, found a list");
    refused("{\"size\": [9]}", "expected \"field\"");
    refused("{\"field\": \"wave\"}", "expected \"size\"");
    refused("{\"field\": \"wavy\", \"size\": [9]}",
            "$.field: 'wavy' is none of wave, transport, heat; did you mean 'wave'?");
    refused("{\"field\": \"wave\", \"size\": [9], \"sped\": 1}", "nothing here is called 'sped'");
    refused("{\"field\": \"wave\", \"size\": [9], \"sliders\": {\"c\": 3}}",
            "$.sliders.c: a slider goes from a number to a larger one");
    refused("{\"field\": \"wave\", \"size\": [9.5]}", "$.size[0]: expected a whole number");
    refused("{\"field\": \"wave\", \"size\": [9], \"c\": \"fast\"}", "$.c: expected an object");
    refused("{\"field\": \"wave\", \"size\": [9], \"c\": [1, 2]}", "expected 9 numbers");
    refused("{\"field\": \"wave\", \"size\": [9],\n \"sides\": {\"above\": \"free\"}}",
            "x.field.json:2:21: $.sides.above: a field of 1 dimension has no side 'above'");
    refused("{\"field\": \"wave\", \"size\": [9], \"sides\": {\"left\": \"loose\"}}",
            "$.sides.left: 'loose' is none of");
    refused("{\"field\": \"wave\", \"size\": [9], \"points\": [{\"node\": [9]}]}",
            "$.points[0].node: the axis has the nodes 0 to 8");
    refused("{\"field\": \"wave\", \"size\": [9], \"points\": [{}]}", "needs a 'node'");
    refused("{\"field\": \"wave\", \"size\": [9], \"points\": [{\"node\": [1], \"signal\": {}}]}",
            "a signal is one of");
    refused("{\"field\": \"wave\", \"size\": [9], \"points\": "
            "[{\"node\": [1], \"signal\": {\"table\": [[0, 1], [2]]}}]}",
            "$.points[0].signal.table[1]: expected [time, value]");
    refused("{\"field\": \"wave\", \"size\": [9], \"probes\": 3}", "$.probes: expected a list");
    refused("{\"field\": \"wave\", \"size\": [9], \"probes\": \"every\"}",
            "$.probes: 'every' is none of all");
    refused("{\"field\": \"wave\", \"size\": [257, 256], \"probes\": \"all\"}",
            "$.probes: \"all\" is for fields of at most 65536 nodes");
    refused("{\"field\": \"wave\", \"size\": [9], \"diffusivity\": 1}",
            "$.diffusivity: 'diffusivity' belongs to transport, and this field is a wave");
    refused("{\"field\": \"heat\", \"size\": [9], \"c\": 1}",
            "$.c: 'c' belongs to waves, and this field is transport");
    refused("{\"field\": \"wave\", \"size\": [9], \"object\": {}}", "'first' and 'count'");
    refused("{\"field\": \"wave\", \"size\": [9], \"c\": -1}", "x.field.json: $: field: the speed");
    refused("{\"field\": \"wave\", \"size\": [9], \"run\": {\"stop\": -1}}", "not be negative");
    refused("{\"field\": \"heat\", \"size\": [9], \"method\": \"leapfrog\"}", "second order");
}

static double step_of(const char *text)
{
    fo_message why = {0};
    foi_field_document *d = read_text(text, NULL, &why);
    CHECK(d);
    double step = d ? d->experiment.step : NAN;
    foi_field_document_destroy(d);
    return step;
}

// The limit of a string with fixed ends: h c / dx sin(pi / 2 (n - 2) / (n - 1)) = 1.
TEST(without_a_step_it_is_a_stable_one)
{
    double limit = 0.1 / 2 / sin(acos(-1.0) / 2 * 9 / 10);
    CHECK_NEAR(step_of("{\"field\": \"wave\", \"size\": [11], \"c\": 2}"), 0.9 * limit, 1e-9);
    double step = step_of("{\"field\": \"wave\", \"size\": [11], \"c\": 2,"
                          "\"run\": {\"interval\": 0.2}}");
    CHECK_NEAR(step, 0.2 / 5, 1e-15);
    CHECK_NEAR(step_of("{\"field\": \"heat\", \"size\": [11]}"), 0, 0);
}

static const char whole[] =
    "{\"field\": \"transport\", \"name\": \"all\", \"size\": [9, 8, 7], \"length\": [1, 2, 3],"
    "\"sides\": {\"all\": \"free\", \"left\": {\"driven\": {\"pulse\": {\"width\": 1}}},"
    "\"right\": {\"driven\": \"input\"}, \"front\": \"fixed\"},"
    "\"diffusivity\": {\"bell\": [0.5, 1, 1], \"width\": 0.5}, \"velocity\": [0.1, 0, 0],"
    "\"upwind\": true, \"reaction\": [0, -1], \"start\": {\"sine\": [1, 1, 1], \"height\": 2},"
    "\"points\": [{\"name\": \"source\", \"node\": [4, 4, 3],"
    "\"signal\": {\"table\": [[0, 0], [0.1, 1], [0.2, 0]]}}],"
    "\"probes\": [{\"name\": \"p\", \"node\": [4, 4, 3]}], \"method\": \"implicit-euler\","
    "\"linear\": \"direct\", \"tolerance\": 1e-9, \"threads\": 2,"
    "\"run\": {\"stop\": 0.3, \"step\": 0.01, \"interval\": 0.1, \"solver\": \"own\"}}";

TEST(everything_that_can_be_said)
{
    fo_message why = {0};
    foi_field_document *d = read_text(whole, NULL, &why);
    CHECK_STATUS(d ? FO_OK : why.status, FO_OK, &why);
    REQUIRE(d);
    CHECK_NEAR(d->experiment.stop, 0.3, 0);
    CHECK_TEXT(d->experiment.solver, "own");
    CHECK_TEXT(d->experiment.plot[0], "p");
    CHECK_INT(fo_field_nodes(d->field), 9 * 8 * 7);
    fo_run_def run = fo_default_run_def();
    run.stop = d->experiment.stop, run.step = d->experiment.step;
    fo_simulation *sim = fo_simulation_create(fo_field_system(d->field), &run, &why);
    REQUIRE(sim);
    CHECK_INT(fo_simulation_set(sim, "right", 0.25), FO_OK);
    CHECK_STATUS(fo_simulation_advance(sim, 0.3), FO_REACHED, fo_simulation_message(sim));
    const double *x = fo_simulation_state(sim)->x;
    double s = sin(M_PI * 0.3); // the pulse at its left
    CHECK_NEAR(x[fo_field_index(d->field, 0, 4, 3)], s * s, 1e-12);
    CHECK_NEAR(x[fo_field_index(d->field, 8, 4, 3)], 0.25, 1e-12);
    fo_simulation_destroy(sim);
    foi_field_document_destroy(d);
}

TEST(all_nodes_are_probes)
{
    fo_message why = {0};
    foi_field_document *d = read_text("{\"field\": \"wave\", \"size\": [6, 5], \"probes\": \"all\","
                                      "\"energy\": true}",
                                      NULL, &why);
    CHECK_STATUS(d ? FO_OK : why.status, FO_OK, &why);
    REQUIRE(d);
    const fo_variables *outputs = &fo_field_system(d->field).about->outputs;
    CHECK_INT(outputs->count, 6 * 5 + 1);
    CHECK_TEXT(outputs->list[fo_field_index(d->field, 4, 3, 0)].name, "value(4,3)");
    CHECK_TEXT(d->experiment.plot[0], "value(1,1)"); // along the diagonal
    CHECK_TEXT(d->experiment.plot[3], "value(4,4)");
    CHECK_TEXT(d->experiment.plot[4], "energy");
    CHECK(!d->experiment.plot[5]);
    foi_field_document_destroy(d);
}

TEST(every_allocation_may_fail)
{
    foi_field_document *d = NULL;
    for (long fail_at = 1; !d && fail_at < 1000; fail_at++) {
        test_memory memory;
        fo_message why = {0};
        test_memory_init(&memory, fail_at);
        d = read_text(whole, &memory.allocator, &why);
        if (!d) CHECK_INT(why.status, FO_ERROR_MEMORY);
        foi_field_document_destroy(d);
        CHECK_INT(memory.live, 0);
    }
    CHECK(d);
}

TEST_MAIN(TEST_ENTRY(models_meet_their_references), TEST_ENTRY(mistakes_are_named_with_their_path),
          TEST_ENTRY(without_a_step_it_is_a_stable_one), TEST_ENTRY(everything_that_can_be_said),
          TEST_ENTRY(all_nodes_are_probes), TEST_ENTRY(every_allocation_may_fail))
