/// One Modelica text as a program with its simulation, for tests.
#ifndef FOLIOT_TEST_WORLD_H
#define FOLIOT_TEST_WORLD_H

#include <math.h>
#include <string.h>

#include "language/language.h"
#include "program/program.h"
#include "test.h"

typedef struct world {
    foi_flat *flat;
    foi_program *program;
    fo_simulation *sim;
    fo_message why;
} world;

/// The program alone. False, and the test has failed, where there is none.
static inline bool world_load(world *w, const char *text)
{
    foi_language_def def = foi_default_language_def();
    foi_messages messages;
    foi_place place;
    *w = (world){0};
    def.path = "test.mo", def.text = text, def.no_files = true;
    foi_messages_begin(&messages, NULL);
    fo_status status = foi_language_load(&def, &w->flat, &messages);
    if (status != FO_OK) {
        foi_messages_print(&messages, stdout);
        test_fail(__FILE__, __LINE__, "the text is refused");
    }
    foi_messages_end(&messages);
    if (status != FO_OK) return false;
    w->program = foi_program_create(w->flat, NULL, &w->why, &place);
    if (!w->program) test_fail(__FILE__, __LINE__, "line %u: %s", place.line, w->why.text);
    return w->program != NULL;
}

/// And its simulation.
static inline bool world_begin(world *w, const char *text, const fo_run_def *run)
{
    if (!world_load(w, text)) return false;
    w->sim = fo_simulation_create(foi_program_system(w->program), run, &w->why);
    if (!w->sim) test_fail(__FILE__, __LINE__, "%s", w->why.text);
    return w->sim != NULL;
}

static inline double world_value(world *w, const char *name)
{
    fo_reference which;
    fo_message why;
    fo_status status = fo_system_find(fo_simulation_system(w->sim), name, &which, &why);
    CHECK_STATUS(status, FO_OK, &why);
    return status == FO_OK ? fo_simulation_value(w->sim, which) : NAN;
}

static inline double world_at(world *w, double t, const char *name)
{
    if (t > fo_simulation_time(w->sim)) {
        fo_status status = fo_simulation_advance(w->sim, t);
        CHECK_STATUS(status, FO_REACHED, fo_simulation_message(w->sim));
    }
    return world_value(w, name);
}

static inline void world_end(world *w)
{
    fo_simulation_destroy(w->sim);
    foi_program_destroy(w->program);
    foi_flat_destroy(w->flat);
}

#endif
