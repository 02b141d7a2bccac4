/// Live runs on a virtual clock, for the tests of this room.
#ifndef STAGE_H
#define STAGE_H

#include <gallery.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

static const int64_t MS = 1000000;

/// A live run, its clock, and what it has noted.
typedef struct stage {
    fo_virtual_clock clock;
    fo_live *live;
    char notes[8192];
    fo_message why;
} stage;

static inline void stage_note(void *self, const char *text)
{
    stage *s = self;
    size_t used = strlen(s->notes);
    snprintf(s->notes + used, sizeof s->notes - used, "%s\n", text);
}

/// A definition of a gallery model that goes by the stage's clock.
static inline fo_live_def stage_def(stage *s, const char *model)
{
    *s = (stage){.clock = {.now = 1000 * MS}};
    fo_live_def def = fo_default_live_def(gallery_find(model, NULL)->system);
    def.clock = fo_virtual_clock_use(&s->clock);
    def.note = stage_note, def.note_self = s;
    return def;
}

static inline bool stage_open(stage *s, const fo_live_def *def)
{
    s->live = fo_live_create(def, &s->why);
    if (!s->live) test_fail(__FILE__, __LINE__, "%s", s->why.text);
    return s->live;
}

/// Moves the clock and advances.
static inline fo_status stage_pass(stage *s, int64_t ns)
{
    s->clock.now += ns;
    return fo_live_advance(s->live);
}

static inline fo_status stage_tell(stage *s, const char *line)
{
    char answer[FO_LIVE_ANSWER];
    return fo_live_tell(s->live, line, 0, answer);
}

static inline double stage_time(const stage *s)
{
    return fo_simulation_time(fo_live_simulation(s->live));
}

static inline uint64_t stage_hash(const stage *s)
{
    return fo_simulation_hash(fo_live_simulation(s->live));
}

static inline fo_live_figures stage_figures(const stage *s)
{
    fo_live_figures f;
    fo_live_measure(s->live, &f);
    return f;
}

#endif
