// A damped pendulum that is given a tap. The equations are in readme.md.
#include "gallery.h"
#include "math/math.h"

#include <math.h>

enum { Y, V };                      // states
enum { GIVEN };                     // discretes
enum { G, L, M, C, TAP_TIME, TAP }; // parameters

static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    const double *p = s->p;
    if (!(p[G] > 0)) return fo_refuse(s, "g must be positive, is %g", p[G]);
    if (!(p[L] > 0)) return fo_refuse(s, "l must be positive, is %g", p[L]);
    if (!(p[M] > 0)) return fo_refuse(s, "m must be positive, is %g", p[M]);
    if (!(p[C] >= 0)) return fo_refuse(s, "c must not be negative, is %g", p[C]);
    return FO_OK;
}

static double acceleration(const double *p, const double *x)
{
    return -p[C] / p[M] * x[V] - p[G] / p[L] * foi_sin(x[Y]);
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    dx[Y] = x[V];
    dx[V] = acceleration(s->p, x);
    return FO_OK;
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    (void)model, (void)t;
    const double *p = s->p;
    values[0] = 0, values[1] = -p[G] / p[L] * foi_cos(x[Y]); // column of y
    values[2] = 1, values[3] = -p[C] / p[M];                 // column of v
    return FO_OK;
}

static fo_next next(const void *model, const fo_state *s)
{
    (void)model;
    double t = s->p[TAP_TIME];
    bool due = s->p[TAP] != 0 && t >= 0 && t >= s->t && t > s->d[GIVEN];
    return (fo_next){due ? t : INFINITY, 0};
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model, (void)e;
    const double *p = s->p;
    if (m->kind == FO_SCHEDULED) {
        s->x[V] += p[TAP];
        s->d[GIVEN] = p[TAP_TIME];
    } else if (m->kind == FO_EXTERNAL) {
        s->x[V] += m->value / (p[M] * p[L]);
    }
    return FO_OK;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    (void)model, (void)t;
    y[0] = acceleration(s->p, x);
    return FO_OK;
}

static const fo_system_type type = {
    .kind = "C",
    .start = start,
    .rates = rates,
    .jacobian = jacobian,
    .next = next,
    .jump = jump,
    .observe = observe,
};

static const fo_description about = {
    .name = "pendulum",
    .about = "a damped pendulum that is given a tap and makes a full circle",
    .equations = "y' = v\n"
                 "v' = -c/m v - g/l sin y\n"
                 "at tap_time: v := v + tap\n"
                 "at a tap with momentum p: v := v + p/(m l)",
    .states = FO_VARIABLES({"y", "rad", 2.5, "angle from straight down"},
                           {"v", "rad/s", 0, "angular velocity"}),
    .discretes = FO_VARIABLES({"given", "s", -1, "tap_time of the tap that was given; -1: none"}),
    .outputs = FO_VARIABLES({"a", "rad/s^2", 0, "angular acceleration"}),
    .parameters = FO_VARIABLES({"g", "m/s^2", 9.8, "acceleration of gravity", FO_POSITIVE},
                               {"l", "m", 0.5, "length of the string", FO_POSITIVE},
                               {"m", "kg", 0.4, "mass of the bob", FO_POSITIVE},
                               {"c", "kg/s", 0.1, "damping", FO_NOT_NEGATIVE},
                               {"tap_time", "s", 18, "when the tap is given; negative: never"},
                               {"tap", "rad/s", 8.5, "change of v by the tap; 0: no tap"}),
    .moments = FO_EVENTS({"timed_tap", NULL, "at tap_time: v := v + tap"}),
    .events = FO_EVENTS({"tap", "kg m/s", "a tap with this momentum p: v := v + p/(m l)"}),
    .pairs = 1,
};

static const char *const plot[] = {"y", NULL};

extern const fo_compiled_model gallery_pendulum;
const fo_compiled_model gallery_pendulum = {
    .system = {&type, &about, NULL},
    .stop = 40,
    .interval = 0.05,
    .plot = plot,
};
