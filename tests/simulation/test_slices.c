// A run in slices of work is the run in one piece: every row, moment and number.
#include <foliot/foliot.h>
#include <gallery.h>
#include <string.h>

#include "test.h"

typedef struct tape {
    uint64_t hash;
    uint64_t rows, moments;
} tape;

static void mix(tape *t, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < count; i++) t->hash = (t->hash ^ b[i]) * UINT64_C(0x100000001b3);
}

static fo_status row(void *self, const fo_row *r, fo_message *why)
{
    tape *t = self;
    (void)why;
    t->rows++;
    mix(t, &r->t, sizeof r->t);
    mix(t, &r->kind, sizeof r->kind);
    mix(t, r->values, r->count * sizeof *r->values);
    return FO_OK;
}

static fo_status moment(void *self, const fo_moment *m, fo_message *why)
{
    tape *t = self;
    (void)why;
    t->moments++;
    mix(t, &m->t, sizeof m->t);
    return FO_OK;
}

static fo_status carry(const fo_model *model, const char *solver, double interval, uint64_t steps,
                       tape *t, uint64_t *pauses)
{
    fo_message why;
    fo_observer observer = {.self = t, .row = row, .moment = moment, .interval = interval};
    fo_run_def def = fo_model_run_def_with(model, solver);
    def.observers = &observer, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(fo_model_system(model), &def, &why);
    *t = (tape){.hash = UINT64_C(0xcbf29ce484222325)};
    *pauses = 0;
    if (!sim) return why.status;
    fo_status status;
    while ((status = steps ? fo_simulation_advance_some(sim, def.stop, steps)
                           : fo_simulation_advance(sim, def.stop)) == FO_PAUSED)
        ++*pauses;
    uint64_t end = fo_simulation_hash(sim);
    mix(t, &end, sizeof end);
    fo_simulation_destroy(sim);
    return status;
}

static void compare(const char *name, const char *solver, double interval)
{
    fo_model_def def = fo_default_model_def();
    fo_model *model;
    def.name = name, def.table = fo_compiled_models();
    if (fo_model_open(&def, &model) != FO_OK) {
        test_fail(__FILE__, __LINE__, "%s cannot be opened", name);
        fo_model_close(model);
        return;
    }
    tape whole, parts;
    uint64_t pauses;
    fo_status expected = carry(model, solver, interval, 0, &whole, &pauses);
    CHECK(!fo_failed(expected));
    static const uint64_t slices[] = {1, 2, 7, 1000};
    for (size_t i = 0; i < FO_COUNT(slices); i++) {
        fo_status status = carry(model, solver, interval, slices[i], &parts, &pauses);
        if (status != expected || memcmp(&whole, &parts, sizeof whole) != 0)
            test_fail(__FILE__, __LINE__, "%s with %s in slices of %d differs", name,
                      solver ? solver : "its solver", (int)slices[i]);
        if (slices[i] == 1) CHECK(pauses > 10);
    }
    fo_model_close(model);
}

TEST(slices_change_nothing)
{
    static const char *const names[] = {"ball", "pendulum", "double-pendulum", "lorenz"};
    static const char *const solvers[] = {NULL, "rk4", "dp45", "radau5", "rodas4", "adams"};
    for (size_t i = 0; i < FO_COUNT(names); i++)
        for (size_t j = 0; j < FO_COUNT(solvers); j++) {
            if (i == 3 && j != 2) continue; // chaos is slow with the others
            compare(names[i], solvers[j], j % 2 ? 0.01 : 0);
        }
}

TEST_MAIN(TEST_ENTRY(slices_change_nothing))
