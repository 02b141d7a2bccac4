/// A run of a gallery model with everything that happened kept: for the tests of the models.
#ifndef TEST_MODELS_RUN_H
#define TEST_MODELS_RUN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gallery.h"
#include "test.h"

static const double pi = 3.14159265358979323846;

enum { RUN_STATES = 4, RUN_MOMENTS = 8192 };

/// States just before and after the jumps of an instant.
typedef struct run_jump {
    double t, before[RUN_STATES], after[RUN_STATES];
} run_jump;

typedef struct run {
    const fo_compiled_model *model;
    fo_simulation *sim;
    fo_run_def def;
    fo_observer observer;
    fo_message why;
    fo_moment *moments;
    size_t moment_count;
    run_jump *jumps;
    size_t jump_count;
} run;

static inline fo_status run_keep_moment(void *self, const fo_moment *m, fo_message *why)
{
    run *r = self;
    (void)why;
    if (r->moment_count < RUN_MOMENTS) r->moments[r->moment_count++] = *m;
    return FO_OK;
}

static inline fo_status run_keep_row(void *self, const fo_row *row, fo_message *why)
{
    run *r = self;
    (void)why;
    size_t n = row->count < RUN_STATES ? row->count : RUN_STATES;
    if (row->kind == FO_ROW_BEFORE && r->jump_count < RUN_MOMENTS) {
        r->jumps[r->jump_count].t = row->t;
        memcpy(r->jumps[r->jump_count].before, row->values, n * sizeof *row->values);
    } else if (row->kind == FO_ROW_AFTER && r->jump_count < RUN_MOMENTS) {
        memcpy(r->jumps[r->jump_count++].after, row->values, n * sizeof *row->values);
    }
    return FO_OK;
}

/// Prepares a run with the gallery's own settings; change r->def, then run_create.
static inline void run_prepare(run *r, const char *name)
{
    *r = (run){.model = gallery_find(name, &r->why), .def = fo_default_run_def()};
    r->observer = (fo_observer){r, run_keep_row, run_keep_moment, .interval = -1};
    r->moments = calloc(RUN_MOMENTS, sizeof *r->moments);
    r->jumps = calloc(RUN_MOMENTS, sizeof *r->jumps);
    r->def.stop = r->model->stop;
    r->def.solver = r->model->solver;
    if (r->model->rtol > 0) r->def.rtol = r->model->rtol;
    if (r->model->atol > 0) r->def.atol = r->model->atol;
    r->def.observers = &r->observer;
    r->def.observer_count = 1;
}

static inline bool run_create(run *r)
{
    r->sim = fo_simulation_create(r->model->system, &r->def, &r->why);
    if (!r->sim) test_fail(__FILE__, __LINE__, "no simulation: %s", r->why.text);
    return r->sim;
}

static inline void run_set(run *r, const char *name, double value)
{
    CHECK_STATUS(fo_simulation_set(r->sim, name, value), FO_OK, fo_simulation_message(r->sim));
}

static inline void run_to(run *r, double t)
{
    CHECK_STATUS(fo_simulation_advance(r->sim, t), FO_REACHED, fo_simulation_message(r->sim));
}

static inline double run_value(run *r, const char *name)
{
    fo_reference which;
    if (fo_system_find(r->model->system, name, &which, &r->why) != FO_OK) {
        test_fail(__FILE__, __LINE__, "%s", r->why.text);
        return NAN;
    }
    return fo_simulation_value(r->sim, which);
}

static inline size_t run_count(const run *r, const char *moment)
{
    size_t count = 0;
    for (size_t i = 0; i < r->moment_count; i++) count += strcmp(r->moments[i].name, moment) == 0;
    return count;
}

/// The n-th moment of a name; NULL when there are not so many.
static inline const fo_moment *run_moment(const run *r, const char *name, size_t n)
{
    for (size_t i = 0; i < r->moment_count; i++)
        if (strcmp(r->moments[i].name, name) == 0 && n-- == 0) return &r->moments[i];
    return NULL;
}

/// The states around the jumps at time t; NULL when there was none.
static inline const run_jump *run_jump_at(const run *r, double t)
{
    for (size_t i = 0; i < r->jump_count; i++)
        if (r->jumps[i].t == t) return &r->jumps[i];
    return NULL;
}

static inline void run_end(run *r)
{
    fo_simulation_destroy(r->sim);
    free(r->moments);
    free(r->jumps);
}

/// A model refuses a start value or parameter, and the message names it and says the value.
static inline void run_refused(const char *name, const char *variable, double value,
                               const char *text)
{
    run r;
    run_prepare(&r, name);
    if (run_create(&r)) {
        fo_status status = fo_simulation_set(r.sim, variable, value);
        if (status == FO_OK) status = fo_simulation_start(r.sim);
        CHECK(status == FO_ERROR_MODEL || status == FO_ERROR_ARGUMENT);
        CHECK_CONTAINS(fo_simulation_message(r.sim)->text, variable);
        CHECK_CONTAINS(fo_simulation_message(r.sim)->text, text);
    }
    run_end(&r);
}

#endif
