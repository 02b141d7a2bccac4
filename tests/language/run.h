/// A text from its letters to a running simulation.
#ifndef TEST_RUN_H
#define TEST_RUN_H

#include <foliot/language.h>
#include <foliot/simulation.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

typedef struct world {
    fo_text_model *model;
    fo_simulation *sim;
} world;

/// Opens a text, or a file where `text` is NULL. What is wrong goes to the test's output.
static inline bool world_open(world *w, const char *path, const char *text, const char *model)
{
    fo_message why = {0};
    fo_text_model_def def = {.path = path, .text = text, .model = model, .messages = stdout};
    *w = (world){0};
    w->model = fo_text_model_open(&def, &why);
    if (!w->model) test_fail(__FILE__, __LINE__, "refused: %s", why.text);
    return w->model != NULL;
}

static inline bool world_run(world *w, double stop, double rtol)
{
    fo_message why = {0};
    fo_run_def run = fo_default_run_def();
    run.stop = stop, run.rtol = rtol, run.atol = rtol / 100;
    w->sim = fo_simulation_create(fo_text_model_system(w->model), &run, &why);
    if (!w->sim) test_fail(__FILE__, __LINE__, "%s", why.text);
    return w->sim != NULL;
}

/// A text that runs until `stop`, at rtol 1e-9.
static inline bool begin(world *w, const char *text, double stop)
{
    return world_open(w, "test.mo", text, NULL) && world_run(w, stop, 1e-9);
}

/// What a name is worth at t, which must not lie in the past.
static inline double at(world *w, double t, const char *name)
{
    fo_reference which;
    fo_message why = {0};
    if (t > fo_simulation_time(w->sim) || t == 0) {
        fo_status status = fo_simulation_advance(w->sim, t);
        CHECK_STATUS(status, FO_REACHED, fo_simulation_message(w->sim));
    }
    fo_status status = fo_system_find(fo_simulation_system(w->sim), name, &which, &why);
    CHECK_STATUS(status, FO_OK, &why);
    return status == FO_OK ? fo_simulation_value(w->sim, which) : NAN;
}

static inline void end(world *w)
{
    fo_simulation_destroy(w->sim);
    fo_text_model_close(w->model);
}

#endif
