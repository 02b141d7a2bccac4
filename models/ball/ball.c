// A bouncing ball with air resistance. The equations are in readme.md.
#include "gallery.h"

#include <math.h>

enum { Y, V };                       // states
enum { W, RESTING };                 // discretes
enum { G, K, M, E, STOP_SPEED, VX }; // parameters
enum { BOUNCE, APEX };               // guards

static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    const double *p = s->p;
    if (!(p[G] > 0)) return fo_refuse(s, "g must be positive, is %g", p[G]);
    if (!(p[K] >= 0)) return fo_refuse(s, "k must not be negative, is %g", p[K]);
    if (!(p[M] > 0)) return fo_refuse(s, "m must be positive, is %g", p[M]);
    if (!(p[E] >= 0 && p[E] <= 1)) return fo_refuse(s, "e must lie in [0, 1], is %g", p[E]);
    if (!(p[STOP_SPEED] >= 0))
        return fo_refuse(s, "stop_speed must not be negative, is %g", p[STOP_SPEED]);
    if (!(s->x[Y] >= 0)) return fo_refuse(s, "y must not start below the floor, is %g", s->x[Y]);
    s->d[W] = s->x[V] > 0 ? 1 : -1;
    s->d[RESTING] = s->x[Y] == 0 && s->x[V] == 0;
    return FO_OK;
}

static double acceleration(const fo_state *s, const double *x)
{
    const double *p = s->p;
    return s->d[RESTING] != 0 ? 0 : -p[G] - p[K] / p[M] * s->d[W] * x[V] * x[V];
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    dx[Y] = x[V];
    dx[V] = acceleration(s, x);
    return FO_OK;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)model, (void)s, (void)t;
    g[BOUNCE] = x[Y];
    g[APEX] = x[V];
    return FO_OK;
}

// The guards are states, so that their bounds are the states' own.
static fo_status guard_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                              fo_enclosure *e)
{
    const fo_bounds *x = &on->x, *dx = &on->dx, *g = &e->g, *dg = e->dg.lo ? &e->dg : NULL;
    (void)model, (void)s;
    g->lo[BOUNCE] = x->lo[Y], g->hi[BOUNCE] = x->hi[Y];
    g->lo[APEX] = x->lo[V], g->hi[APEX] = x->hi[V];
    if (dg) {
        dg->lo[BOUNCE] = dx->lo[Y], dg->hi[BOUNCE] = dx->hi[Y];
        dg->lo[APEX] = dx->lo[V], dg->hi[APEX] = dx->hi[V];
    }
    return FO_OK;
}

static void rest(fo_state *s)
{
    s->x[Y] = s->x[V] = 0;
    s->d[RESTING] = 1;
}

static void bounce(fo_state *s, fo_effect *e)
{
    if (!(s->x[V] < 0)) return;
    if (fabs(s->x[V]) < s->p[STOP_SPEED]) {
        e->stop = true;
        return;
    }
    s->x[Y] = 0;
    s->x[V] = fabs((1 - s->p[E]) * s->x[V]);
    s->d[W] = 1;
    if (s->x[V] == 0) rest(s);
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model;
    if (m->kind == FO_ZENO) {
        rest(s);
        e->rest = true;
    } else if (m->kind == FO_GUARD && m->index == BOUNCE) {
        bounce(s, e);
    } else if (m->kind == FO_GUARD && m->index == APEX) {
        s->d[W] = -1;
    }
    return FO_OK;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    (void)model;
    y[0] = acceleration(s, x);
    y[1] = s->p[VX] * t;
    return FO_OK;
}

static const fo_system_type type = {
    .kind = "C",
    .start = start,
    .rates = rates,
    .guards = guards,
    .guard_bounds = guard_bounds,
    .jump = jump,
    .observe = observe,
};

static const fo_description about = {
    .name = "ball",
    .about = "a ball that bounces, with air resistance",
    .equations = "y' = v\n"
                 "v' = -g - k/m w v^2, w = sign(v)\n"
                 "when y <= 0 and v < 0: v := |(1 - e) v|; slower than stop_speed: the end",
    .states = FO_VARIABLES({"y", "m", 1.5, "height, >= 0"}, {"v", "m/s", 0, "velocity upwards"}),
    .discretes = FO_VARIABLES({"w", NULL, -1, "direction of motion: 1 up, -1 down"},
                              {"resting", NULL, 0, "1: the ball lies on the floor"}),
    .outputs = FO_VARIABLES({"a", "m/s^2", -9.8, "acceleration"},
                            {"x", "m", 0, "horizontal position, vx t"}),
    .parameters =
        FO_VARIABLES({"g", "m/s^2", 9.8, "acceleration of gravity", FO_POSITIVE},
                     {"k", "kg/m", 0.01, "air resistance", FO_NOT_NEGATIVE},
                     {"m", "kg", 0.1, "mass", FO_POSITIVE},
                     {"e", NULL, 0.1, "part of the velocity that a bounce takes", 0, 1},
                     {"stop_speed", "m/s", 0.1,
                      "a slower bounce ends the run; 0: the ball comes to rest and stays there",
                      FO_NOT_NEGATIVE},
                     {"vx", "m/s", 0, "horizontal velocity"}),
    .guards = FO_GUARDS({"bounce", FO_FALLING, "y <= 0: v := |(1 - e) v|, or the end",
                         .rests = true, .bounded = true},
                        {"apex", FO_FALLING, "v <= 0: w := -1", .rests = true, .bounded = true}),
    .pairs = 1,
};

static const char *const plot[] = {"y", NULL};

extern const fo_compiled_model gallery_ball;
const fo_compiled_model gallery_ball = {
    .system = {&type, &about, NULL},
    .stop = 10,
    .interval = 0.01,
    .plot = plot,
};
