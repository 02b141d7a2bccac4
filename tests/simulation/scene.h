/// Small systems for the tests of this room: a scene is a few lambdas' worth of behaviour.
#ifndef SCENE_H
#define SCENE_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

enum { SCENE_MOMENTS = 4096 };

/// What happened, in order.
typedef struct scene_log {
    size_t count;
    struct {
        fo_moment_kind kind;
        uint32_t index, k;
        fo_direction direction;
        double t, value;
    } list[SCENE_MOMENTS];
} scene_log;

static inline fo_status scene_note(void *self, const fo_moment *m, fo_message *why)
{
    (void)why;
    scene_log *log = self;
    if (log->count == SCENE_MOMENTS) return FO_ERROR_CANCELLED;
    log->list[log->count].kind = m->kind;
    log->list[log->count].index = m->index;
    log->list[log->count].k = m->k;
    log->list[log->count].direction = m->direction;
    log->list[log->count].t = m->t;
    log->list[log->count].value = m->value;
    log->count++;
    return FO_OK;
}

/// A run to `stop` that logs its moments. Returns the status; `sim` is left to the caller, who may
/// pass NULL to have it destroyed.
static inline fo_status scene_run(fo_system system, fo_run_def def, scene_log *log, fo_message *why)
{
    fo_observer observer = {.self = log, .moment = scene_note, .interval = -1};
    log->count = 0;
    def.observers = &observer, def.observer_count = 1;
    fo_simulation *sim = fo_simulation_create(system, &def, why);
    if (!sim) return why->status;
    fo_status status = fo_simulation_advance(sim, def.stop);
    *why = *fo_simulation_message(sim);
    fo_simulation_destroy(sim);
    return status;
}

/// Free motion: x' = 1, so that x is time and every guard of it is a function of time.
static inline fo_status scene_clock_rates(const void *model, const fo_state *s, double t,
                                          const double *x, double *dx)
{
    (void)model, (void)s, (void)t, (void)x;
    dx[0] = 1;
    return FO_OK;
}

/// x = cos t, v = -sin t.
static inline fo_status scene_circle_rates(const void *model, const fo_state *s, double t,
                                           const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1];
    dx[1] = -x[0];
    return FO_OK;
}

/// A jump that changes nothing.
static inline fo_status scene_only_look(const void *model, fo_state *s, const fo_moment *m,
                                        fo_effect *e)
{
    (void)model, (void)s, (void)m;
    e->unchanged = true;
    return FO_OK;
}

#define SCENE_GUARDS(name)                                                                 \
    static fo_status name(const void *model, const fo_state *s, double t, const double *x, \
                          double *g)
#define SCENE_RATES(name)                                                                  \
    static fo_status name(const void *model, const fo_state *s, double t, const double *x, \
                          double *dx)
#define SCENE_JUMP(name) \
    static fo_status name(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
#define UNUSED(...) (void)sizeof((long long[]){__VA_ARGS__})

#endif
