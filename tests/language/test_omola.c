/// The three models of the source's chapters 6 and 8 as texts: moments and states are those of the
/// models in C, bit by bit.
#include "gallery.h"
#include "run.h"

enum { MOST_INSTANTS = 512, MOST_STATES = 4 };

/// Instants at which something happened, and the states right after it.
typedef struct story {
    double t[MOST_INSTANTS], x[MOST_INSTANTS][MOST_STATES];
    size_t count;
} story;

static fo_status keep(void *self, const fo_row *row, fo_message *why)
{
    story *s = self;
    (void)why;
    if (row->kind != FO_ROW_AFTER || s->count == MOST_INSTANTS) return FO_OK;
    s->t[s->count] = row->t;
    size_t n = row->count < MOST_STATES ? row->count : MOST_STATES;
    memcpy(s->x[s->count++], row->values, n * sizeof *row->values);
    return FO_OK;
}

typedef struct value {
    const char *name;
    double value;
} value;

static fo_status tell(fo_system system, double stop, const value *values, story *s)
{
    fo_message why = {0};
    fo_run_def def = fo_default_run_def();
    fo_reference states[MOST_STATES];
    for (uint32_t i = 0; i < MOST_STATES; i++) states[i] = (fo_reference){FO_STATE, i};
    fo_observer observer = {s, keep, .signals = states, .interval = -1};
    observer.signal_count = system.about->states.count;
    def.stop = stop, def.observers = &observer, def.observer_count = 1;
    s->count = 0;
    fo_simulation *sim = fo_simulation_create(system, &def, &why);
    fo_status status = sim ? FO_OK : why.status;
    for (; values && values->name && status == FO_OK; values++)
        status = fo_simulation_set(sim, values->name, values->value);
    if (status == FO_OK) status = fo_simulation_advance(sim, stop);
    fo_simulation_destroy(sim);
    return status;
}

static void compare(const char *name, double stop, const value *values, size_t instants)
{
    static story in_c, in_text;
    char path[512];
    world w;
    const gallery_model *model = gallery_find(name, NULL);
    REQUIRE(model);
    snprintf(path, sizeof path, FOLIOT_SOURCE_DIR "/models/%s/%s.mo", name, name);
    fo_status ended = tell(model->system, stop, values, &in_c);
    if (world_open(&w, path, NULL, NULL)) {
        CHECK_INT(tell(fo_text_model_system(w.model), stop, values, &in_text), ended);
        CHECK_INT(in_c.count, instants);
        CHECK_INT(in_text.count, instants);
        size_t n = model->system.about->states.count;
        for (size_t i = 0; i < in_c.count && i < in_text.count; i++) {
            CHECK_NEAR(in_text.t[i], in_c.t[i], 0);
            for (size_t k = 0; k < n; k++) CHECK_NEAR(in_text.x[i][k], in_c.x[i][k], 0);
        }
    }
    end(&w);
}

TEST(pendulum)
{
    const value two_circles[] = {{"tap", 9.58}, {0}};
    compare("pendulum", 40, NULL, 1);
    compare("pendulum", 40, two_circles, 1);
}

// 35 bounces, of which the last ends the run; 34 apexes. It is thrown: at rest it would have an apex
// at the start in C, where a guard that leaves zero fires, and none in text, where v <= 0 holds.
TEST(ball)
{
    const value thrown[] = {{"v", -0.125}, {0}};
    const value lively[] = {{"e", 0.05}, {"k", 0.02}, {"y", 3}, {"v", -0.125}, {0}};
    compare("ball", 10, thrown, 69);
    compare("ball", 3, lively, 6);
}

TEST(double_pendulum)
{
    const value tapped[] = {{"m1", 0.4}, {"m2", 0.4},  {"y1", -3}, {"y2", 1},
                            {"t2", 13},  {"tap2", 10}, {0}};
    compare("double-pendulum", 15, NULL, 20);
    compare("double-pendulum", 30, tapped, 39);
}

TEST_MAIN(TEST_ENTRY(pendulum), TEST_ENTRY(ball), TEST_ENTRY(double_pendulum))
