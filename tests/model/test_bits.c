// One document gives one result: every model of models/, opened through the header, in batch and
// live on a virtual clock, cut off at its stop or without an end, to the last bit.
//
//   test_model_bits csv NAME FILE     writes its rows as `foliot run NAME --output FILE` does
//   test_model_bits list              the names
#include <gallery.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static const char *const folders[] = {FOLIOT_SOURCE_DIR "/models", NULL};

static fo_model_def gallery_def(const char *name)
{
    fo_model_def def = fo_default_model_def();
    def.name = name;
    def.table = fo_compiled_models();
    def.folders = folders;
    def.program.folder = "no-such-folder"; // what others have compiled is not looked at
    return def;
}

static fo_model *open_model(const char *name)
{
    fo_model_def def = gallery_def(name);
    fo_model *m;
    if (fo_model_open(&def, &m) == FO_OK) return m;
    test_fail(__FILE__, __LINE__, "%s: %s", name,
              m && fo_model_finding_count(m) ? fo_model_finding(m, 0)->text : "no memory");
    fo_model_close(m);
    return NULL;
}

/// What a run came to.
typedef struct outcome {
    double t;
    uint64_t hash;
    uint64_t steps, moments;
    double outputs; ///< their sum
} outcome;

static outcome look(fo_simulation *sim)
{
    fo_statistics s = fo_simulation_statistics(sim);
    outcome o = {.t = fo_simulation_time(sim),
                 .hash = fo_simulation_hash(sim),
                 .steps = s.steps,
                 .moments = s.moments};
    uint32_t count = fo_system_shape(fo_simulation_system(sim)).outputs;
    for (uint32_t i = 0; i < count; i++)
        o.outputs += (1 + i) * fo_simulation_value(sim, (fo_reference){FO_OUTPUT, i});
    return o;
}

static void compare(const char *name, const char *how, outcome a, outcome b)
{
    bool same =
        a.t == b.t && a.hash == b.hash && memcmp(&a.outputs, &b.outputs, sizeof a.outputs) == 0;
    if (!same)
        test_fail(__FILE__, __LINE__,
                  "%s, %s: t %.17g and %.17g, hash %016llx and %016llx, outputs %.17g and %.17g, "
                  "steps %llu and %llu",
                  name, how, a.t, b.t, (unsigned long long)a.hash, (unsigned long long)b.hash,
                  a.outputs, b.outputs, (unsigned long long)a.steps, (unsigned long long)b.steps);
    if (a.moments != b.moments)
        test_fail(__FILE__, __LINE__, "%s, %s: %llu and %llu moments", name, how,
                  (unsigned long long)a.moments, (unsigned long long)b.moments);
}

// Until t, or as far as it goes.
static outcome in_batch(const char *name, double until)
{
    outcome o = {0};
    fo_message why = {0};
    fo_model *m = open_model(name);
    if (!m) return o;
    fo_run_def run = fo_model_run_def(m);
    fo_simulation *sim = fo_simulation_create(fo_model_system(m), &run, &why);
    if (sim && !fo_failed(fo_simulation_advance(sim, fmin(until, run.stop))))
        o = look(sim);
    else
        test_fail(__FILE__, __LINE__, "%s: %s", name,
                  sim ? fo_simulation_message(sim)->text : why.text);
    fo_simulation_destroy(sim);
    fo_model_close(m);
    return o;
}

// In advances of 7 ms of the clock, which are unequal parts of the run.
static outcome live(const char *name, bool for_ever, double part)
{
    outcome o = {0};
    fo_message why = {0};
    fo_virtual_clock clock = {.now = 1000};
    fo_model *m = open_model(name);
    if (!m) return o;
    fo_live_def def = fo_default_live_def(fo_model_system(m));
    def.run = fo_model_run_def(m);
    double span = def.run.stop - def.run.start, until = def.run.start + part * span;
    if (for_ever) def.run.stop = INFINITY;
    def.clock = fo_virtual_clock_use(&clock);
    def.speed = span / 0.5;
    fo_live *l = fo_live_create(&def, &why);
    fo_status status = l ? FO_REACHED : why.status;
    while (status == FO_REACHED && fo_live_look(l).t < until) {
        clock.now += 7000000;
        status = fo_live_advance(l);
    }
    if (l && !fo_failed(status))
        o = look(fo_live_simulation(l));
    else
        test_fail(__FILE__, __LINE__, "%s: %s", name, l ? fo_live_message(l)->text : why.text);
    fo_live_destroy(l);
    fo_model_close(m);
    return o;
}

static void check_model(const char *name)
{
    outcome whole = in_batch(name, INFINITY);
    compare(name, "live until its stop", live(name, false, 1), whole);
    outcome endless = live(name, true, 0.4);
    compare(name, "live without an end", endless, in_batch(name, endless.t));
}

TEST(batch_and_live_give_the_same_bits)
{
    fo_model_def def = gallery_def(NULL);
    fo_message why = {0};
    fo_gallery *g = fo_gallery_open(&def, &why);
    REQUIRE(g);
    CHECK(fo_gallery_count(g) >= 53);
    size_t every = test_is_sanitized() ? 8 : 1; // which takes many times longer
    for (size_t i = 0; i < fo_gallery_count(g); i += every) check_model(fo_gallery_get(g, i)->name);
    fo_gallery_close(g);
}

// ------------------------------------------------------------------------------- for the script

static int write_csv(const char *name, const char *path)
{
    fo_message why = {0};
    fo_model *m = open_model(name);
    if (!m) return 1;
    size_t count;
    const fo_reference *rows = fo_model_rows(m, &count);
    fo_system system = fo_model_system(m);
    fo_csv *csv = fo_csv_open(path, system, rows, count, NULL, &why);
    fo_run_def run = fo_model_run_def(m);
    fo_observer observer;
    fo_status status = csv ? FO_OK : why.status;
    if (csv) observer = fo_csv_observer(csv, fo_model_interval(m));
    run.observers = &observer, run.observer_count = 1;
    fo_simulation *sim = csv ? fo_simulation_create(system, &run, &why) : NULL;
    if (sim) status = fo_simulation_advance(sim, run.stop);
    fo_simulation_destroy(sim);
    if (fo_csv_close(csv, &why) != FO_OK) status = why.status;
    fo_model_close(m);
    return fo_failed(status) || !sim;
}

static int list_names(void)
{
    fo_model_def def = gallery_def(NULL);
    fo_gallery *g = fo_gallery_open(&def, NULL);
    for (size_t i = 0; g && i < fo_gallery_count(g); i++)
        printf("%s %s\n", fo_gallery_get(g, i)->name, fo_gallery_get(g, i)->kind);
    fo_gallery_close(g);
    return !g;
}

static const test tests[] = {TEST_ENTRY(batch_and_live_give_the_same_bits)};

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "list") == 0) return list_names();
    if (argc == 4 && strcmp(argv[1], "csv") == 0) return write_csv(argv[2], argv[3]);
    return test_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
