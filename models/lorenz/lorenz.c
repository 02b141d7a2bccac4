// The Lorenz equations: deterministic chaos in three lines.
#include "gallery.h"

enum { X, Y, Z };          // states
enum { SIGMA, RHO, BETA }; // parameters

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    const double *p = s->p;
    dx[X] = p[SIGMA] * (x[Y] - x[X]);
    dx[Y] = x[X] * (p[RHO] - x[Z]) - x[Y];
    dx[Z] = x[X] * x[Y] - p[BETA] * x[Z];
    return FO_OK;
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    (void)model, (void)t;
    const double *p = s->p;
    values[0] = -p[SIGMA], values[1] = p[RHO] - x[Z], values[2] = x[Y]; // column of x
    values[3] = p[SIGMA], values[4] = -1, values[5] = x[X];             // column of y
    values[6] = 0, values[7] = -x[X], values[8] = -p[BETA];             // column of z
    return FO_OK;
}

static const fo_system_type type = {.kind = "C", .rates = rates, .jacobian = jacobian};

static const fo_description about = {
    .name = "lorenz",
    .about = "the Lorenz attractor",
    .equations = "x' = sigma (y - x)\n"
                 "y' = x (rho - z) - y\n"
                 "z' = x y - beta z",
    .states = FO_VARIABLES({"x", NULL, 1, "strength of the convection"},
                           {"y", NULL, 1, "temperature between rising and falling air"},
                           {"z", NULL, 1, "bending of the temperature's profile"}),
    .parameters = FO_VARIABLES({"sigma", NULL, 10, "Prandtl number"},
                               {"rho", NULL, 28, "Rayleigh number over its critical value"},
                               {"beta", NULL, 8.0 / 3, "shape of the cell"}),
};

static const char *const plot[] = {"x", "z", NULL};

extern const fo_compiled_model gallery_lorenz;
const fo_compiled_model gallery_lorenz = {
    .system = {&type, &about, NULL},
    .stop = 40,
    .interval = 0.02,
    .plot = plot,
};
