// A planet around a fixed sun: the test of long-time behaviour.
#include "gallery.h"

#include <math.h>

enum { X, Y, VX, VY }; // states
enum { E, SUN };       // parameters

// Units are such that the half axis is 1, and with a sun of 1 the period is 2 pi.
// No orbit goes through the sun, so that four zeros can mean "from the perihelion".
static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    double *x = s->x, e = s->p[E];
    double sun = s->p[SUN];
    if (!(e >= 0 && e < 1)) return fo_refuse(s, "e must lie in [0, 1), is %g", e);
    if (!(sun > 0)) return fo_refuse(s, "sun must be positive, is %g", sun);
    if (x[X] == 0 && x[Y] == 0) {
        if (x[VX] != 0 || x[VY] != 0)
            return fo_refuse(s,
                             "the planet cannot start in the sun, x = y = 0, with vx = %g and "
                             "vy = %g",
                             x[VX], x[VY]);
        x[X] = 1 - e;
        x[VY] = sqrt(sun * ((1 + e) / (1 - e)));
    }
    return FO_OK;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    double r2 = x[X] * x[X] + x[Y] * x[Y], r3 = r2 * sqrt(r2), sun = s->p[SUN];
    dx[X] = x[VX];
    dx[Y] = x[VY];
    dx[VX] = -sun * x[X] / r3;
    dx[VY] = -sun * x[Y] / r3;
    return FO_OK;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    (void)model, (void)t;
    double r = sqrt(x[X] * x[X] + x[Y] * x[Y]);
    y[0] = (x[VX] * x[VX] + x[VY] * x[VY]) / 2 - s->p[SUN] / r;
    y[1] = x[X] * x[VY] - x[Y] * x[VX];
    y[2] = r;
    return FO_OK;
}

static const fo_system_type type = {
    .kind = "C",
    .start = start,
    .rates = rates,
    .observe = observe,
};

static const fo_description about = {
    .name = "kepler",
    .about = "a planet on its ellipse around a fixed sun",
    .equations = "x' = vx,  vx' = -sun x / r^3\n"
                 "y' = vy,  vy' = -sun y / r^3,  r = sqrt(x^2 + y^2)",
    .states = FO_VARIABLES({"x", NULL, 0, "all four zero: starts at the perihelion"}, {"y"}, {"vx"},
                           {"vy"}),
    .outputs = FO_VARIABLES({"energy", NULL, 0, "(vx^2 + vy^2)/2 - sun/r; constant, -sun/2"},
                            {"momentum", NULL, 0, "x vy - y vx; constant, sqrt(sun (1 - e^2))"},
                            {"r", NULL, 0, "distance from the sun"}),
    .parameters = FO_VARIABLES({.name = "e",
                                .start = 0.6,
                                .about = "eccentricity of the ellipse, in [0, 1)",
                                .variability = FO_VARIABILITY_FIXED}, // it is in the start alone
                               {"sun", NULL, 1, "its attraction", FO_POSITIVE}),
    .pairs = 2,
};

static const char *const plot[] = {"x", "y", NULL};

extern const fo_compiled_model gallery_kepler;
const fo_compiled_model gallery_kepler = {
    .system = {&type, &about, NULL},
    .stop = 628.3185307179586, // 100 periods
    .interval = 0.5,
    .rtol = 1e-8,
    .atol = 1e-10,
    .plot = plot,
};
