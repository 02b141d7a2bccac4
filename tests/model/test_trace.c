// Traces of entities in diagrams, and the files that traces are written to.
#include <gallery.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "test.h"

// ------------------------------------------------------------------------- a queue from its trace

enum { MOST = 20000 };

/// One queue and one server (of several places), as the trace tells them.
typedef struct audit {
    double came[MOST], born[MOST]; ///< by number
    double waits, times, services;
    double length, length_area, busy, busy_area, last;
    unsigned made, lost, left, done;
    bool strange;
} audit;

static fo_status hear(void *self, const fo_act *act, fo_message *why)
{
    audit *a = self;
    uint64_t n = act->number;
    (void)why;
    a->strange |= act->t < a->last || n >= MOST || strcmp(act->who, "arrivals") != 0;
    if (a->strange) return FO_OK;
    a->length_area += a->length * (act->t - a->last);
    a->busy_area += a->busy * (act->t - a->last);
    a->last = act->t;
    bool enters = strcmp(act->action, "enter") == 0, leaves = strcmp(act->action, "leave") == 0;
    bool queue = strcmp(act->what, "queue") == 0, server = strcmp(act->what, "server") == 0;
    if (strcmp(act->action, "create") == 0) a->made++, a->born[n] = act->t;
    if (strcmp(act->action, "lose") == 0) a->lost++;
    if (enters && queue) a->length++, a->came[n] = act->t;
    if (enters && server) a->busy++, a->services += act->amount;
    if (leaves && server) a->busy--;
    if (leaves && queue) {
        a->length--, a->left++;
        a->waits += act->t - a->came[n];
        a->strange |= act->amount != act->t - a->came[n];
    }
    if (strcmp(act->action, "end") == 0) {
        a->done++, a->times += act->t - a->born[n];
        a->strange |= act->amount != act->t - a->born[n];
    }
    return FO_OK;
}

static const char document[] =
    "{\"format\": \"foliot diagram\", \"name\": \"shop\","
    " \"simulation\": {\"start\": 0, \"stop\": %d, \"step\": 50},"
    " \"nodes\": ["
    "  {\"name\": \"arrivals\", \"type\": \"Entity Source\","
    "   \"parameters\": {\"Distribution\": \"exponential\", \"Mean\": %g, \"Seed\": 1}},"
    "  {\"name\": \"queue\", \"type\": \"Queue\","
    "   \"parameters\": {\"Capacity\": %d, \"Order\": \"%s in first out\"}},"
    "  {\"name\": \"server\", \"type\": \"Server\", \"parameters\": {\"Distribution\":"
    "   \"exponential\", \"Mean\": 1, \"Seed\": 2, \"Servers\": %d}},"
    "  {\"name\": \"sink\", \"type\": \"Entity Sink\"},"
    "  {\"name\": \"left\", \"type\": \"Display\"}, {\"name\": \"wait\", \"type\": \"Display\"},"
    "  {\"name\": \"length\", \"type\": \"Display\"}, {\"name\": \"use\", \"type\": \"Display\"},"
    "  {\"name\": \"count\", \"type\": \"Display\"}, {\"name\": \"time\", \"type\": \"Display\"},"
    "  {\"name\": \"lost\", \"type\": \"Display\"}],"
    " \"lines\": ["
    "  {\"from\": \"arrivals\", \"to\": \"queue\"}, {\"from\": \"queue\", \"to\": \"server\"},"
    "  {\"from\": \"server\", \"to\": \"sink\"}, {\"from\": \"queue\", \"to\": \"left\"},"
    "  {\"from\": \"queue:mean wait\", \"to\": \"wait\"},"
    "  {\"from\": \"queue:mean length\", \"to\": \"length\"},"
    "  {\"from\": \"server:utilisation\", \"to\": \"use\"},"
    "  {\"from\": \"sink\", \"to\": \"count\"}, {\"from\": \"sink:mean time\", \"to\": \"time\"},"
    "  {\"from\": \"arrivals:lost\", \"to\": \"lost\"}]}";

static fo_model *open_shop(double mean, int capacity, const char *order, int servers, bool tunable)
{
    char text[4096];
    int stop = 5000;
    snprintf(text, sizeof text, document, stop, mean, capacity, order, servers);
    fo_model_def def = fo_default_model_def();
    def.text = text, def.kind = "diagram", def.tunable = tunable;
    fo_model *m;
    if (fo_model_open(&def, &m) == FO_OK) return m;
    test_fail(__FILE__, __LINE__, "%s", fo_model_finding(m, 0)->text);
    fo_model_close(m);
    return NULL;
}

static double output(fo_simulation *sim, const char *name)
{
    fo_reference found;
    fo_message why = {0};
    fo_system system = fo_simulation_system(sim);
    if (fo_system_find(system, name, &found, &why) != FO_OK)
        test_fail(__FILE__, __LINE__, "%s", why.text);
    return fo_simulation_value(sim, found);
}

static void compare(const audit *a, fo_simulation *sim, double stop, int servers)
{
    double rounding = 1e-12;
    CHECK(!a->strange);
    CHECK_INT(a->left, (long long)output(sim, "left"));
    CHECK_INT(a->done, (long long)output(sim, "count"));
    CHECK_INT(a->lost, (long long)output(sim, "lost"));
    CHECK(a->made > 2000 && a->left > 1000);
    double wait = a->waits / a->left, time = a->times / a->done;
    double length = (a->length_area + a->length * (stop - a->last)) / stop;
    double use = (a->busy_area + a->busy * (stop - a->last)) / stop / servers;
    CHECK_NEAR(output(sim, "wait"), wait, rounding * wait);
    CHECK_NEAR(output(sim, "time"), time, rounding * time);
    CHECK_NEAR(output(sim, "length"), length, rounding * length);
    CHECK_NEAR(output(sim, "use"), use, rounding * use);
    // Little's law, but for those who still wait at the end
    double lambda = a->left / stop;
    CHECK_NEAR(length, lambda * wait, 0.05 * length);
}

static void check_shop(double mean, int capacity, const char *order, int servers, bool tunable)
{
    static audit a;
    fo_model *m = open_shop(mean, capacity, order, servers, tunable);
    REQUIRE(m);
    a = (audit){0};
    fo_trace trace = {&a, hear};
    CHECK_INT(fo_model_acts(m), FO_ACTS_ENTITIES);
    CHECK_INT(fo_model_trace(m, &trace), FO_OK);
    fo_run_def run = fo_model_run_def(m);
    fo_message why = {0};
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, &why);
    CHECK(sim && fo_simulation_advance(sim, run.stop) == FO_REACHED);
    if (sim) compare(&a, sim, run.stop, servers);
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

TEST(queues_from_their_traces_are_what_their_nodes_show)
{
    check_shop(1.25, 1000, "first", 1, false);
    check_shop(1.25, 1000, "last", 1, false);
    check_shop(0.9, 4, "first", 1, false); // some are lost
    check_shop(0.4, 1000, "first", 3, false);
    check_shop(1.25, 1000, "first", 1, true); // as live runs open it
}

static fo_status fail(void *self, const fo_act *act, fo_message *why)
{
    (void)act;
    if (--*(int *)self) return FO_OK;
    return fo_fail(why, FO_ERROR_INPUT, "the disk is full");
}

TEST(a_trace_that_fails_ends_the_run)
{
    int left = 100;
    fo_trace trace = {&left, fail};
    fo_model *m = open_shop(1.25, 10, "first", 1, false);
    REQUIRE(m);
    fo_model_trace(m, &trace);
    fo_run_def run = fo_model_run_def(m);
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, NULL);
    CHECK_INT(fo_simulation_advance(sim, run.stop), FO_ERROR_INPUT);
    CHECK_CONTAINS(fo_simulation_message(sim)->text, "the disk is full");
    CHECK_INT(left, 0);
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

// ------------------------------------------------------------------------------------------- files

static char *slurp(const char *path)
{
    size_t length;
    return foi_json_text(path, NULL, &length, NULL);
}

// A world that is run twice, with both files.
static void write_trace(const char *path)
{
    fo_message why = {0};
    fo_model_def def = fo_default_model_def();
    def.name = "mm1", def.table = fo_compiled_models();
    fo_model *m;
    CHECK_INT(fo_model_open(&def, &m), FO_OK);
    CHECK_INT(fo_model_acts(m), FO_ACTS_PROCESSES);
    fo_moment_csv *csv = fo_moment_csv_open(path, fo_model_acts(m), NULL, &why);
    REQUIRE(csv);
    fo_trace trace = fo_moment_csv_trace(csv);
    fo_observer observer = fo_moment_csv_observer(csv);
    CHECK_INT(fo_model_trace(m, &trace), FO_OK);
    fo_act odd = {1, "a \"b\"\n", 1, "x,y", "seize", 2.5, "\\", 3};
    CHECK_INT(trace.act(trace.self, &odd, &why), FO_OK);
    fo_run_def run = fo_model_run_def(m);
    run.observers = &observer, run.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, &why);
    CHECK_INT(fo_simulation_advance(sim, 50), FO_REACHED);
    fo_simulation_destroy(sim);
    CHECK(fo_moment_csv_rows(csv) > 100);
    CHECK_STATUS(fo_moment_csv_close(csv, &why), FO_OK, &why);
    fo_model_close(m);
}

TEST(a_trace_as_csv_and_as_json_says_the_same)
{
    remove("trace-test.csv"), remove("trace-test.jsonl"); // of an earlier version
    write_trace("trace-test.csv");
    write_trace("trace-test.jsonl");
    char *csv = slurp("trace-test.csv"), *json = slurp("trace-test.jsonl");
    REQUIRE(csv && json);
    const char *header = "time,name,kind,k,process,number,resource,action,amount,by,by_number\n"
                         "1,,process,,\"a \"\"b\"\"\\n\",1,\"x,y\",seize,2.5,\\,3\n";
    CHECK(strncmp(csv, header, strlen(header)) == 0);
    char *row = csv + strlen(header), *line = json;
    size_t rows = 0;
    for (char *end; *line && (end = strchr(line, '\n')); line = end + 1, rows++) {
        fo_message why = {0};
        foi_json_def def = {.name = "line", .text = line, .length = (size_t)(end - line)};
        foi_json *read = foi_json_read(&def, &why);
        CHECK_STATUS(read ? FO_OK : FO_ERROR_FORMAT, FO_OK, &why);
        if (!read) break;
        const foi_json_value *o = foi_json_root(read);
        if (!rows) {
            CHECK_TEXT(foi_json_member(o, "process")->text, "a \"b\"\n");
            CHECK_TEXT(foi_json_member(o, "by")->text, "\\");
            CHECK_INT((long long)foi_json_member(o, "by_number")->number, 3);
        } else {
            char expected[512], action[64];
            double time = strtod(row, NULL);
            CHECK(foi_json_member(o, "time")->number == time);
            snprintf(action, sizeof action, "%s", foi_json_member(o, "action")->text);
            snprintf(expected, sizeof expected, ",,process,,%s,%d,%s,%s,",
                     foi_json_member(o, "process")->text, (int)foi_json_member(o, "number")->number,
                     foi_json_member(o, "resource")->text, action);
            char *here = strchr(row, ',');
            CHECK(here && strncmp(here, expected, strlen(expected)) == 0);
            row = strchr(row, '\n') + 1;
        }
        foi_json_destroy(read);
    }
    CHECK(rows > 100);
    CHECK(*row == 0); // as many rows in both
    free(csv), free(json);
    remove("trace-test.csv"), remove("trace-test.jsonl");
}

TEST_MAIN(TEST_ENTRY(queues_from_their_traces_are_what_their_nodes_show),
          TEST_ENTRY(a_trace_that_fails_ends_the_run),
          TEST_ENTRY(a_trace_as_csv_and_as_json_says_the_same))
