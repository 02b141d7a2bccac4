// Files that a diagram writes (To File, To Data File), in a live run that goes back: what was
// undone is not in them, and nothing is there twice.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "test.h"

static const int64_t MS = 1000000;

static const char document[] =
    "{\"format\": \"foliot diagram\", \"name\": \"keep\","
    " \"simulation\": {\"stop\": 4, \"step\": 0.1, \"integrator\": \"dp45\", \"rtol\": 1e-9},"
    " \"nodes\": [{\"name\": \"x\", \"type\": \"Integrator\", \"parameters\":"
    "   {\"Initial Condition\": 1}},"
    "  {\"name\": \"pull\", \"type\": \"Gain\", \"parameters\": {\"Gain\": -1}},"
    "  {\"name\": \"a\", \"type\": \"To File\", \"parameters\": {\"File Name\": \"%s\"}},"
    "  {\"name\": \"b\", \"type\": \"To Data File\", \"parameters\": {\"File Name\": \"%s\"}}],"
    " \"lines\": [{\"from\": \"x\", \"to\": \"pull\"}, {\"from\": \"pull\", \"to\": \"x\"},"
    "  {\"from\": \"x\", \"to\": \"a\"}, {\"from\": \"x\", \"to\": \"b\"}]}";

static fo_model *open_keep(const char *a, const char *b, bool tunable)
{
    char text[2048];
    snprintf(text, sizeof text, document, a, b);
    fo_model_def def = fo_default_model_def();
    def.text = text, def.kind = "diagram", def.tunable = tunable;
    fo_model *m;
    if (fo_model_open(&def, &m) == FO_OK) return m;
    test_fail(__FILE__, __LINE__, "%s", fo_model_finding(m, 0)->text);
    fo_model_close(m);
    return NULL;
}

static char *slurp(const char *path)
{
    size_t length;
    char *text = foi_json_text(path, NULL, &length, NULL);
    if (!text) test_fail(__FILE__, __LINE__, "no file %s", path);
    return text;
}

static void run_batch(const char *a, const char *b)
{
    fo_message why = {0};
    fo_model *m = open_keep(a, b, false);
    REQUIRE(m);
    fo_observer files;
    CHECK(fo_model_observer(m, &files));
    fo_run_def run = fo_model_run_def(m);
    run.observers = &files, run.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, &why);
    CHECK_INT(fo_simulation_advance(sim, run.stop), FO_REACHED);
    CHECK_STATUS(fo_model_finish(m, &why), FO_OK, &why);
    fo_simulation_destroy(sim);
    fo_model_close(m);
}

// In advances of 70 ms; `said` at the given advances, up to the run's end.
typedef struct line {
    int at;
    const char *words;
} line;

static fo_status run_live(const char *a, const char *b, const line *lines, fo_message *why)
{
    fo_virtual_clock clock = {.now = 1};
    fo_model *m = open_keep(a, b, true);
    fo_observer files;
    CHECK(m && fo_model_observer(m, &files));
    fo_live_def def = fo_default_live_def(fo_model_system(m));
    def.run = fo_model_run_def(m);
    def.run.observers = &files, def.run.observer_count = 1;
    def.clock = fo_virtual_clock_use(&clock);
    def.snapshot_interval = 0.25;
    fo_live *live = fo_live_create(&def, why);
    fo_status status = live ? FO_REACHED : FO_ERROR_MEMORY;
    char answer[FO_LIVE_ANSWER];
    for (int i = 0; i < 1000 && status == FO_REACHED; i++) {
        for (; lines->words && lines->at == i; lines++) {
            CHECK_INT(fo_live_tell(live, lines->words, 0, answer), FO_OK);
        }
        clock.now += 70 * MS;
        status = fo_live_advance(live);
    }
    if (live) *why = *fo_live_message(live);
    fo_live_destroy(live);
    fo_status finished = fo_model_finish(m, why);
    fo_model_close(m);
    return fo_failed(status) ? status : finished;
}

// What an earlier version may have left is not ours any more.
static void forget_files(void)
{
    remove("sinks-a.txt"), remove("sinks-b.txt"), remove("sinks-c.txt"), remove("sinks-d.txt");
}

TEST(a_run_that_goes_back_writes_what_a_batch_run_writes)
{
    forget_files();
    static const line lines[] = {{10, "back 0.3"}, {30, "back 1"}, {31, "back 0"},
                                 {33, "back 100"}, {50, "back 2"}, {0, NULL}};
    fo_message why = {0};
    run_batch("sinks-a.txt", "sinks-b.txt");
    CHECK_STATUS(run_live("sinks-c.txt", "sinks-d.txt", lines, &why), FO_OK, &why);
    char *a = slurp("sinks-a.txt"), *b = slurp("sinks-b.txt");
    char *c = slurp("sinks-c.txt"), *d = slurp("sinks-d.txt");
    REQUIRE(a && b && c && d);
    CHECK_TEXT(c, a);
    CHECK_TEXT(d, b);
    CHECK(strlen(a) > 400);
    free(a), free(b), free(c), free(d);
}

// After going back another gain: every time stands there once, rises, and the values are those of
// the run that counts: exp(-t) until it is set, then slower.
TEST(what_was_undone_is_not_in_the_file)
{
    static const line lines[] = {{30, "back 1"}, {30, "set pull.Gain 0"}, {0, NULL}};
    fo_message why = {0};
    CHECK_STATUS(run_live("sinks-c.txt", "sinks-d.txt", lines, &why), FO_OK, &why);
    FILE *file = fopen("sinks-c.txt", "r");
    REQUIRE(file);
    double t, x, last = -1, kept = NAN;
    int rows = 0;
    for (; fscanf(file, "%lf %lf", &t, &x) == 2; rows++, last = t) {
        CHECK_NEAR(t, 0.1 * rows, 1e-12);
        CHECK(t > last);
        if (t <= 0.8) CHECK_NEAR(x, exp(-t), 1e-7);
        if (t > 2) CHECK(isnan(kept) || x == kept);
        if (t > 2) kept = x;
    }
    CHECK_INT(rows, 41);
    CHECK(kept > exp(-2)); // it was set before 2
    fclose(file);
}

TEST(a_device_is_no_file_for_a_sink)
{
    static const line lines[] = {{30, "back 1"}, {0, NULL}};
    fo_message why = {0};
    CHECK_INT(run_live("/dev/null", "sinks-d.txt", lines, &why), FO_ERROR_INPUT);
    CHECK_CONTAINS(why.text, "cannot write the file '/dev/null': it is no plain file");
    forget_files();
}

TEST_MAIN(TEST_ENTRY(a_run_that_goes_back_writes_what_a_batch_run_writes),
          TEST_ENTRY(what_was_undone_is_not_in_the_file),
          TEST_ENTRY(a_device_is_no_file_for_a_sink))
