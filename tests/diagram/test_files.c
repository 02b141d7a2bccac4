// Files of sinks, and what reads them back; the published schema.
#include <unistd.h>

#include "base/json.h"
#include "diagram/node.h"
#include "run.h"

static void record(const char *path, const char *sink)
{
    char text[1024];
    fo_message why = {0};
    snprintf(text, sizeof text,
             "'simulation': {'step': 0.2, 'stop': 1}, 'nodes': [{'name': 'c', 'type': 'Clock'}, "
             "{'name': 'g', 'type': 'Gain', 'parameters': {'Gain': '2 3+1i'}}, {'name': 'd', "
             "'type': 'Memory', 'parameters': {'Initial Value': 7}}, {'name': 'f', 'type': '%s', "
             "'parameters': {'File Name': '%s'}}], 'lines': [{'from': 'c', 'to': 'd'}, {'from': "
             "'d', 'to': 'g'}, {'from': 'g', 'to': 'f'}]",
             sink, path);
    fo_diagram *d = read_diagram(text, NULL, &why);
    REQUIRE(d);
    fo_recorder *k = fo_recorder_create(d, &why);
    REQUIRE(k);
    CHECK_INT((long long)fo_recorder_count(k), 1);
    fo_observer observer = fo_recorder_observer(k);
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(d), NULL);
    def.observers = &observer;
    def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(fo_diagram_system(d), &def, &why);
    CHECK_STATUS(fo_simulation_advance(sim, 1), FO_REACHED, fo_simulation_message(sim));
    CHECK_STATUS(fo_recorder_finish(k, &why), FO_OK, &why);
    fo_simulation_destroy(sim);
    fo_recorder_destroy(k);
    fo_diagram_destroy(d);
}

TEST(data_files_are_read_back)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "diagram-%ld.dat", (long)getpid());
    record(path, "To Data File");
    const char *form =
        "'simulation': {'step': %s, 'stop': 1}, 'nodes': [{'name': 'f', 'type': 'From "
        "Data File', 'parameters': {'File Name': '%s'}}, {'name': 'out', 'type': "
        "'Display'}], 'lines': [{'from': 'f', 'to': 'out'}]";
    snprintf(text, sizeof text, form, "0.2", path);
    diagram_run r;
    REQUIRE(open_run(&r, text));
    CHECK_NEAR(value_at(&r, 0, "out[1].re"), 14, 0);
    CHECK_NEAR(value_at(&r, 0.4, "out[1].re"), 0.4, 1e-15);
    CHECK_NEAR(value_at(&r, 0.4, "out[2].im"), 0.2, 1e-15);
    CHECK_NEAR(value_at(&r, 1, "out[2].re"), 2.4, 1e-15);
    close_run(&r);
    snprintf(text, sizeof text, form, "0.1", path);
    refused(text, "the file has steps of 0.2 s, the simulation of 0.1 s");
    remove(path);
    refused(text, "cannot read the file");
}

// Sizes that are announced only: none of them is taken for another one, nor gets memory before
// there is a row.
TEST(data_files_with_sizes_that_are_not)
{
    static const struct {
        const char *head, *words;
    } cases[] = {{"rows 42949762951 cols 7", "is no data file"}, // which is 89991 modulo 2^32
                 {"rows 4294967297 cols 1", "is no data file"},
                 {"rows -4294967295 cols 1", "is no data file"},
                 {"rows 0 cols 1", "is no data file"},
                 {"rows 999999999 cols 999999999", "is no data file"},
                 {"rows 1000 cols 900", "row 1 of the file is not complete"}};
    char path[64], text[1024];
    snprintf(path, sizeof path, "diagram-sizes-%ld.dat", (long)getpid());
    snprintf(text, sizeof text,
             "'simulation': {'step': 0.2, 'stop': 1}, 'nodes': [{'name': 'f', 'type': 'From Data "
             "File', 'parameters': {'File Name': '%s'}}, {'name': 'out', 'type': 'Display'}], "
             "'lines': [{'from': 'f', 'to': 'out'}]",
             path);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FILE *file = fopen(path, "w");
        REQUIRE(file);
        fprintf(file, "foliot data 1\nstep 0.2 %s kind real\n0 1\n", cases[i].head);
        fclose(file);
        refused(text, cases[i].words);
    }
    remove(path);
}

TEST(text_files_have_a_line_per_step)
{
    char path[64], line[128];
    snprintf(path, sizeof path, "diagram-%ld.txt", (long)getpid());
    record(path, "To File");
    FILE *f = fopen(path, "r");
    REQUIRE(f);
    int lines = 0;
    while (fgets(line, sizeof line, f)) {
        if (lines == 0) CHECK_TEXT(line, "0 14 0 21 7\n");
        lines++;
    }
    CHECK_INT(lines, 6);
    fclose(f);
    remove(path);
}

// The schema's list of node types and members is that of the program.
TEST(schema_knows_the_nodes)
{
    fo_message why = {0};
    foi_json *json = foi_json_read_file(FOLIOT_SOURCE_DIR "/docs/diagram.schema.json", NULL, &why);
    if (!json) test_fail(__FILE__, __LINE__, "%s", why.text);
    REQUIRE(json);
    static const char *const path[] = {"$defs", "node", "properties", "type", "enum", NULL};
    const foi_json_value *v = foi_json_root(json);
    for (size_t i = 0; path[i] && v; i++) v = foi_json_member(v, path[i]);
    REQUIRE(v && v->kind == FOI_JSON_LIST);
    size_t count = 0;
    while (foi_node_type_at(count)) count++;
    CHECK_INT((long long)v->count, (long long)count);
    for (const foi_json_value *e = v->first; e; e = e->next) {
        const foi_node_type *type = foi_node_type_find(e->text);
        if (!type || strcmp(type->name, e->text) != 0)
            test_fail(__FILE__, __LINE__, "the schema has a node '%s'", e->text);
    }
    foi_json_destroy(json);
}

TEST_MAIN(TEST_ENTRY(data_files_are_read_back), TEST_ENTRY(data_files_with_sizes_that_are_not),
          TEST_ENTRY(text_files_have_a_line_per_step), TEST_ENTRY(schema_knows_the_nodes))
