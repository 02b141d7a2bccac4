// Every model of models/ in other units: seconds times T, and all states times S, both powers of
// two, so that nothing is rounded by it. What comes out are the same bits, scaled.
//
// The model itself is not touched: a system around it turns times and states into its own before it
// is asked, and back what it answers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gallery.h"
#include "test.h"

enum { MOMENTS = 64, STATES = 64 };

/// A system in other units.
typedef struct scaled {
    fo_system inner;
    double time, state; ///< T and S: what one of the model's units is outside
    fo_system_type type;
    fo_description about;
} scaled;

/// The state in the model's units; x is a copy.
typedef struct view {
    fo_state s;
    double x[STATES];
} view;

static void look(const scaled *c, const fo_state *s, view *v)
{
    v->s = *s;
    v->s.t = s->t / c->time, v->s.stop = s->stop / c->time, v->s.x = v->x;
    for (uint32_t i = 0; i < s->shape.states; i++) v->x[i] = s->x[i] / c->state;
}

static void back(const scaled *c, const view *v, fo_state *s)
{
    for (uint32_t i = 0; i < s->shape.states; i++) s->x[i] = v->x[i] * c->state;
}

static const double *inside(const scaled *c, const fo_state *s, const double *x, double *to)
{
    for (uint32_t i = 0; i < s->shape.states; i++) to[i] = x[i] / c->state;
    return to;
}

#define TYPE  (c->inner.type)
#define MODEL (c->inner.model)
#define PREPARE              \
    const scaled *c = model; \
    view v;                  \
    double y_[STATES] = {0}; \
    look(c, s, &v);          \
    (void)y_
#define AT t / c->time, inside(c, s, x, y_)

static void shape(const void *model, fo_shape *to)
{
    const scaled *c = model;
    *to = fo_system_shape(c->inner);
}

// What is there before are the model's own start values.
static fo_status start(const void *model, fo_state *s)
{
    const scaled *c = model;
    for (uint32_t i = 0; i < s->shape.states; i++) s->x[i] *= c->state;
    view v;
    look(c, s, &v);
    fo_status status = TYPE->start ? TYPE->start(MODEL, &v.s) : FO_OK;
    back(c, &v, s);
    return status;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    PREPARE;
    fo_status status = TYPE->rates(MODEL, &v.s, AT, dx);
    for (uint32_t i = 0; i < s->shape.states; i++) dx[i] = dx[i] * c->state / c->time;
    return status;
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    PREPARE;
    uint32_t n = s->shape.states;
    const fo_pattern *p = TYPE->pattern ? TYPE->pattern(MODEL, &v.s) : NULL;
    fo_status status = TYPE->jacobian(MODEL, &v.s, AT, values);
    size_t count = p ? p->start[n] : (size_t)n * n;
    for (size_t i = 0; i < count; i++) values[i] /= c->time;
    return status;
}

static const fo_pattern *pattern(const void *model, const fo_state *s)
{
    PREPARE;
    return TYPE->pattern(MODEL, &v.s);
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    PREPARE;
    return TYPE->guards(MODEL, &v.s, AT, g);
}

static fo_status conditions(const void *model, const fo_state *s, double t, const double *x,
                            bool *holds)
{
    PREPARE;
    return TYPE->conditions(MODEL, &v.s, AT, holds);
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    PREPARE;
    return TYPE->observe(MODEL, &v.s, AT, y);
}

static fo_status settle(const void *model, fo_state *s, double t, const double *x)
{
    PREPARE;
    return TYPE->settle(MODEL, &v.s, AT);
}

static void held(const void *model, const fo_state *s, uint8_t *signs)
{
    PREPARE;
    TYPE->held(MODEL, &v.s, signs);
}

static fo_next next(const void *model, const fo_state *s)
{
    PREPARE;
    fo_next n = TYPE->next(MODEL, &v.s);
    n.t *= c->time;
    return n;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    PREPARE;
    fo_moment own = *m;
    own.t /= c->time, own.limit /= c->time;
    fo_status status = TYPE->jump(MODEL, &v.s, &own, e);
    back(c, &v, s);
    return status;
}

static fo_status side(const void *model, fo_state *s, const int8_t *sides)
{
    PREPARE;
    fo_status status = TYPE->side(MODEL, &v.s, sides);
    back(c, &v, s);
    return status;
}

static fo_status finish(const void *model, fo_state *s)
{
    PREPARE;
    fo_status status = TYPE->finish(MODEL, &v.s);
    back(c, &v, s);
    return status;
}

static void scale_bounds(fo_bounds *b, uint32_t n, double by, double *room)
{
    if (!b->lo) return;
    for (uint32_t i = 0; i < n; i++) room[i] = b->lo[i] * by, room[STATES + i] = b->hi[i] * by;
    *b = (fo_bounds){room, room + STATES};
}

static fo_status guard_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                              fo_enclosure *e)
{
    PREPARE;
    double room[6 * STATES];
    fo_stretch own = *on;
    uint32_t n = s->shape.states;
    own.t_lo /= c->time, own.t_hi /= c->time, own.t_mid /= c->time, own.t_slack /= c->time;
    scale_bounds(&own.x, n, 1 / c->state, room);
    scale_bounds(&own.x_mid, n, 1 / c->state, room + 2 * STATES);
    scale_bounds(&own.dx, n, c->time / c->state, room + 4 * STATES);
    fo_status status = TYPE->guard_bounds(MODEL, &v.s, &own, e);
    for (uint32_t i = 0; e->dg.lo && i < s->shape.guards; i++)
        e->dg.lo[i] /= c->time, e->dg.hi[i] /= c->time;
    return status;
}

static fo_system scale(scaled *c, fo_system inner, double time, double state)
{
    const fo_system_type *has = inner.type;
    *c = (scaled){inner, time, state, {.kind = "C"}, *inner.about};
    c->about.max_step *= time;
    c->type = (fo_system_type){.kind = has->kind,
                               .shape = shape,
                               .start = start,
                               .rates = has->rates ? rates : NULL,
                               .guards = has->guards ? guards : NULL,
                               .conditions = has->conditions ? conditions : NULL,
                               .next = has->next ? next : NULL,
                               .jump = has->jump ? jump : NULL,
                               .observe = has->observe ? observe : NULL,
                               .settle = has->settle ? settle : NULL,
                               .finish = has->finish ? finish : NULL,
                               .pattern = has->pattern ? pattern : NULL,
                               .jacobian = has->jacobian ? jacobian : NULL,
                               .guard_bounds = has->guard_bounds ? guard_bounds : NULL,
                               .held = has->held ? held : NULL,
                               .side = has->side ? side : NULL,
                               .starts_in_moments = has->starts_in_moments,
                               .hears_sets = has->hears_sets};
    return (fo_system){&c->type, &c->about, c};
}

// ------------------------------------------------------------------------------------- running

/// In the model's units.
typedef struct outcome {
    bool ran;
    fo_status status;
    char why[300];
    double at[MOMENTS];
    fo_moment_kind kind[MOMENTS];
    size_t moments;
    double x[STATES], seconds;
    uint32_t states;
    uint64_t steps;
} outcome;

typedef struct watcher {
    outcome *o;
    double time;
} watcher;

static fo_status note(void *self, const fo_moment *m, fo_message *why)
{
    watcher *w = self;
    (void)why;
    if (w->o->moments < MOMENTS) {
        w->o->at[w->o->moments] = m->t / w->time;
        w->o->kind[w->o->moments] = m->kind;
    }
    w->o->moments++;
    return FO_OK;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static fo_run_def run_of(const fo_model *model, const char *solver, double time, double state)
{
    fo_run_def def = solver ? fo_model_run_def_with(model, solver) : fo_model_run_def(model);
    double *times[] = {&def.start,      &def.stop,     &def.scale,    &def.step,
                       &def.first_step, &def.max_step, &def.min_step, &def.epsilon};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) *times[i] *= time;
    def.atol *= state;
    return def;
}

static bool is_meant(fo_system s)
{
    const fo_system_type *t = s.type;
    return t->rates && !t->mass && !t->residual && !t->stepper && !t->lockstep && !t->run &&
           !t->no_snapshot && fo_system_shape(s).states <= STATES && fo_system_shape(s).states;
}

static outcome run(fo_model *model, const char *solver, double time, double state)
{
    outcome o = {0};
    scaled c;
    if (!is_meant(fo_model_system(model))) return o;
    fo_system outer = scale(&c, fo_model_system(model), time, state);
    fo_run_def def = run_of(model, solver, time, state);
    watcher self = {&o, time};
    fo_observer observer = {.self = &self, .moment = note, .interval = -1};
    def.observers = &observer, def.observer_count = 1;
    double began = now();
    fo_simulation *sim = fo_simulation_create(outer, &def, NULL);
    o.ran = sim != NULL;
    if (sim) {
        o.status = fo_simulation_advance(sim, def.stop);
        snprintf(o.why, sizeof o.why, "%.299s", fo_simulation_message(sim)->text);
        const fo_state *s = fo_simulation_state(sim);
        o.states = s->shape.states, o.steps = fo_simulation_statistics(sim).steps;
        for (uint32_t i = 0; i < o.states; i++) o.x[i] = s->x[i] / state;
        fo_simulation_destroy(sim);
    }
    o.seconds = now() - began;
    return o;
}

static void want_same(const char *name, const char *how, const outcome *a, const outcome *b)
{
    if (a->status != b->status || a->moments != b->moments || a->steps != b->steps)
        test_fail(__FILE__, __LINE__,
                  "%s %s: status %d and %d, %zu and %zu moments, %llu and %llu steps; %s", name,
                  how, a->status, b->status, a->moments, b->moments, (unsigned long long)a->steps,
                  (unsigned long long)b->steps, b->why);
    for (size_t i = 0; i < a->moments && i < b->moments && i < MOMENTS; i++) {
        if (a->at[i] == b->at[i] && a->kind[i] == b->kind[i]) continue;
        test_fail(__FILE__, __LINE__, "%s %s: moment %zu at %.17g and %.17g", name, how, i + 1,
                  a->at[i], b->at[i]);
        return;
    }
    for (uint32_t i = 0; i < a->states && i < b->states; i++) {
        if (a->x[i] == b->x[i]) continue;
        test_fail(__FILE__, __LINE__, "%s %s: state %u is %.17g and %.17g", name, how, i + 1,
                  a->x[i], b->x[i]);
        return;
    }
}

/// 1e-9 to 1e9 of time, 1e-12 to 1e12 of states.
static const struct {
    const char *name;
    double time, state;
} units[] = {{"in nanoseconds", 0x1p-30, 1},
             {"in decades", 0x1p30, 1},
             {"with tiny states", 1, 0x1p-40},
             {"with huge states", 1, 0x1p40},
             {"with both", 0x1p-13, 0x1p23}};

static int try_model(const fo_gallery_entry *e, const fo_model_def *from, const char *solver)
{
    fo_model_def def = *from;
    fo_model *model = NULL;
    def.name = e->name;
    int tried = 0;
    if (fo_model_open(&def, &model) == FO_OK) {
        outcome plain = run(model, solver, 1, 1);
        tried = plain.ran && plain.seconds < 0.03;
        for (size_t i = 0; tried && i < sizeof units / sizeof units[0]; i++) {
            outcome other = run(model, solver, units[i].time, units[i].state);
            want_same(e->name, units[i].name, &plain, &other);
        }
    }
    fo_model_close(model);
    return tried;
}

static void try_all(const char *solver, int least)
{
    static const char *const folders[] = {FOLIOT_SOURCE_DIR "/models", NULL};
    fo_model_def def = fo_default_model_def();
    def.table = fo_compiled_models(), def.folders = folders;
    fo_gallery *all = fo_gallery_open(&def, NULL);
    int tried = 0;
    REQUIRE(all);
    for (size_t i = 0; i < fo_gallery_count(all); i++) {
        const fo_gallery_entry *e = fo_gallery_get(all, i);
        if (strcmp(e->kind, "world") == 0 || strcmp(e->kind, "field") == 0) continue;
        if (test_is_slow() && i % 4) continue;
        tried += try_model(e, &def, solver);
    }
    if (!test_is_sanitized()) CHECK(tried >= least);
    fo_gallery_close(all);
}

TEST(other_units_change_nothing)
{
    try_all(NULL, 20);
}

TEST(nor_with_other_solvers)
{
    static const char *const solvers[] = {"dop853", "adams", "radau5"};
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) try_all(solvers[i], 20);
}

TEST_MAIN(TEST_ENTRY(other_units_change_nothing), TEST_ENTRY(nor_with_other_solvers))
