/// One program and its simulation, for tests.
#ifndef FOLIOT_TEST_SIMPLE_H
#define FOLIOT_TEST_SIMPLE_H

#include <math.h>

#include "equations/mini.h"
#include "program/program.h"
#include "test.h"

typedef struct simple {
    foi_flat *flat;
    foi_program *program;
    fo_simulation *sim;
    fo_message why;
    foi_place place;
} simple;

/// False, and the test has failed, when there is no program or no simulation.
static bool simple_begin(simple *r, const char *text, const fo_run_def *def)
{
    *r = (simple){.flat = mini_model(text, NULL)};
    r->program = foi_program_create(r->flat, NULL, &r->why, &r->place);
    if (!r->program) {
        test_fail(__FILE__, __LINE__, "%s", r->why.text);
        return false;
    }
    fo_system system = foi_program_system(r->program);
    CHECK_STATUS(fo_system_check(system, &r->why), FO_OK, &r->why);
    r->sim = fo_simulation_create(system, def, &r->why);
    if (!r->sim) test_fail(__FILE__, __LINE__, "%s", r->why.text);
    return r->sim != NULL;
}

/// With tight tolerances, from 0 to `stop`.
static inline fo_run_def simple_def(double stop)
{
    fo_run_def def = fo_default_run_def();
    def.stop = stop, def.rtol = 1e-9, def.atol = 1e-12;
    return def;
}

static inline void simple_go(simple *r, double t)
{
    fo_status status = fo_simulation_advance(r->sim, t);
    CHECK_STATUS(status, FO_REACHED, fo_simulation_message(r->sim));
}

static inline double simple_value(simple *r, const char *name)
{
    fo_reference which;
    fo_status status = fo_system_find(fo_simulation_system(r->sim), name, &which, &r->why);
    CHECK_STATUS(status, FO_OK, &r->why);
    return status == FO_OK ? fo_simulation_value(r->sim, which) : NAN;
}

static inline void simple_end(simple *r)
{
    fo_simulation_destroy(r->sim);
    foi_program_destroy(r->program);
    foi_flat_destroy(r->flat);
}

#endif
