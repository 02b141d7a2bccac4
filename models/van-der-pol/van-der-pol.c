// The van der Pol oscillator: damping that feeds small swings and eats large ones.
#include "van-der-pol.h"

enum { X, V }; // states

static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    if (!(s->p[0] >= 0)) return fo_refuse(s, "mu must not be negative, is %g", s->p[0]);
    return FO_OK;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    double mu = s->p[0];
    dx[X] = x[V];
    dx[V] = mu * (1 - x[X] * x[X]) * x[V] - x[X];
    return FO_OK;
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    (void)model, (void)t;
    double mu = s->p[0];
    values[0] = 0, values[1] = -2 * mu * x[X] * x[V] - 1; // column of x
    values[2] = 1, values[3] = mu * (1 - x[X] * x[X]);    // column of v
    return FO_OK;
}

const fo_system_type van_der_pol_type = {
    .kind = "C",
    .start = start,
    .rates = rates,
    .jacobian = jacobian,
};

static const fo_description about = {
    .name = "van-der-pol",
    .about = "the van der Pol oscillator",
    .equations = VAN_DER_POL_EQUATIONS,
    .states = VAN_DER_POL_STATES,
    .parameters = FO_VARIABLES({"mu", "1/s", 1, "strength of the damping", FO_NOT_NEGATIVE}),
    .pairs = 1,
};

static const char *const plot[] = {"x", "v", NULL};

extern const fo_compiled_model gallery_van_der_pol;
const fo_compiled_model gallery_van_der_pol = {
    .system = {&van_der_pol_type, &about, NULL},
    .stop = 20,
    .interval = 0.02,
    .plot = plot,
};
