// A light mass on a spring with a strong damper: stiff enough to tell implicit from explicit.
#include "gallery.h"

enum { X, V };    // states
enum { M, K, B }; // parameters

static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    const double *p = s->p;
    if (!(p[M] > 0)) return fo_refuse(s, "m must be positive, is %g", p[M]);
    if (!(p[K] >= 0)) return fo_refuse(s, "k must not be negative, is %g", p[K]);
    if (!(p[B] >= 0)) return fo_refuse(s, "b must not be negative, is %g", p[B]);
    return FO_OK;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    const double *p = s->p;
    dx[X] = x[V];
    dx[V] = (s->u[0] - p[B] * x[V] - p[K] * x[X]) / p[M];
    return FO_OK;
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    (void)model, (void)t, (void)x;
    const double *p = s->p;
    values[0] = 0, values[1] = -p[K] / p[M]; // column of x
    values[2] = 1, values[3] = -p[B] / p[M]; // column of v
    return FO_OK;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    (void)model, (void)t;
    const double *p = s->p;
    y[0] = (p[M] * x[V] * x[V] + p[K] * x[X] * x[X]) / 2;
    return FO_OK;
}

static const fo_system_type type = {
    .kind = "C",
    .start = start,
    .rates = rates,
    .jacobian = jacobian,
    .observe = observe,
};

static const fo_description about = {
    .name = "mass-spring-damper",
    .about = "a mass of one gram on a spring with a strong damper",
    .equations = "x' = v\n"
                 "m v' = force - b v - k x",
    .states = FO_VARIABLES({"x", "m", 1, "stretch of the spring"}, {"v", "m/s", 0, "velocity"}),
    .inputs = FO_VARIABLES({"force", "N", 0, "on the mass"}),
    .outputs = FO_VARIABLES({"energy", "J", 0, "of motion and in the spring"}),
    .parameters = FO_VARIABLES({"m", "kg", 0.001, "mass", FO_POSITIVE},
                               {"k", "N/m", 1, "stiffness of the spring", FO_NOT_NEGATIVE},
                               {"b", "N s/m", 0.1, "damping", FO_NOT_NEGATIVE}),
    .pairs = 1,
};

static const char *const plot[] = {"x", NULL};

extern const fo_compiled_model gallery_mass_spring_damper;
const fo_compiled_model gallery_mass_spring_damper = {
    .system = {&type, &about, NULL},
    .stop = 0.5,
    .interval = 0.005,
    .plot = plot,
};
