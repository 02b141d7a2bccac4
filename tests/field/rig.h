/// What the tests of fields share: a field, a simulation over it, and values of its nodes.
#ifndef FIELD_RIG_H
#define FIELD_RIG_H

#include <foliot/field.h>
#include <math.h>
#include <string.h>

#include "test.h"

typedef struct rig {
    fo_field *field;
    fo_simulation *sim;
    fo_message why;
} rig;

static inline bool rig_start(rig *r, const fo_field_def *def, double stop, double step,
                             const char *solver)
{
    *r = (rig){0};
    r->field = fo_field_create(def, &r->why);
    if (!r->field) return false;
    fo_run_def run = fo_default_run_def();
    run.stop = stop;
    run.step = step;
    run.solver = solver;
    run.allocator = def->allocator;
    r->sim = fo_simulation_create(fo_field_system(r->field), &run, &r->why);
    return r->sim;
}

static inline fo_status rig_to(rig *r, double t)
{
    fo_status status = fo_simulation_advance(r->sim, t);
    r->why = *fo_simulation_message(r->sim);
    return status;
}

static inline double rig_value(const rig *r, uint32_t i, uint32_t j, uint32_t k)
{
    return fo_simulation_state(r->sim)->x[fo_field_index(r->field, i, j, k)];
}

static inline void rig_end(rig *r)
{
    fo_simulation_destroy(r->sim);
    fo_field_destroy(r->field);
}

#endif
