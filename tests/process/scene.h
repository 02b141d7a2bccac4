/// A world whose processes write down what happens: for the tests of this room.
#ifndef TEST_PROCESS_SCENE_H
#define TEST_PROCESS_SCENE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

typedef struct scene {
    fo_world *w;
    char log[2048]; ///< "a@0 b@1.5 ..."
    fo_process *p[8];
    fo_queue queue;
    fo_resource *resource;
    fo_store *store;
    fo_container *container;
    fo_gate *gate;
    fo_level x, y;
    fo_continuous flow;
    fo_reporter reporter;
    double number;
    int count;
} scene;

static inline void note(scene *s, const char *what)
{
    size_t used = strlen(s->log);
    snprintf(s->log + used, sizeof s->log - used, "%s%s@%.6g", used ? " " : "", what,
             fo_time(s->w));
}

static inline const char *wake_text(fo_wake wake)
{
    static const char *const texts[] = {"woken",       "activated", "timed-out",
                                        "interrupted", "preempted", "balked"};
    return texts[wake];
}

static inline void scene_open(scene *s, const fo_world_def *def)
{
    *s = (scene){0};
    s->w = fo_world_create(def, NULL);
}

/// Runs the main process and checks that it comes to its end.
static inline void scene_play(scene *s, fo_actions *actions)
{
    CHECK_STATUS(fo_world_simulate(s->w, actions, s), FO_STOPPED, fo_world_message(s->w));
}

/// Runs it and checks that it fails, with words of the message.
static inline void scene_fails(scene *s, fo_actions *actions, fo_status status, const char *part)
{
    CHECK_STATUS(fo_world_simulate(s->w, actions, s), status, fo_world_message(s->w));
    CHECK_CONTAINS(fo_world_message(s->w)->text, part);
}

static inline void scene_close(scene *s)
{
    fo_world_destroy(s->w);
}

#endif
