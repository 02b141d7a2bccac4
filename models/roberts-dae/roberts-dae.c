// Robertson's reaction as a differential-algebraic system: the third rate is replaced by the
// conservation of mass.
#include "gallery.h"

enum { Y1, Y2, Y3 }; // states
enum { K1, K2, K3 }; // parameters

// The sum of the concentrations is 1, so that y3 follows from the others.
static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    static const char *const names[] = {"k1", "k2", "k3"};
    for (int i = K1; i <= K3; i++)
        if (!(s->p[i] >= 0))
            return fo_refuse(s, "%s must not be negative, is %g", names[i], s->p[i]);
    s->x[Y3] = 1 - s->x[Y1] - s->x[Y2];
    return FO_OK;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    const double *p = s->p;
    double slow = p[K1] * x[Y1], fast = p[K2] * x[Y2] * x[Y2], back = p[K3] * x[Y2] * x[Y3];
    dx[Y1] = back - slow;
    dx[Y2] = slow - back - fast;
    dx[Y3] = x[Y1] + x[Y2] + x[Y3] - 1;
    return FO_OK;
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    (void)model, (void)t;
    const double *p = s->p;
    values[0] = -p[K1], values[1] = p[K1], values[2] = 1;                                     // y1
    values[3] = p[K3] * x[Y3], values[4] = -p[K3] * x[Y3] - 2 * p[K2] * x[Y2], values[5] = 1; // y2
    values[6] = p[K3] * x[Y2], values[7] = -p[K3] * x[Y2], values[8] = 1;                     // y3
    return FO_OK;
}

static fo_status mass(const void *model, const fo_state *s, double *values)
{
    (void)model, (void)s;
    for (int i = 0; i < 9; i++) values[i] = 0;
    values[0] = values[4] = 1;
    return FO_OK;
}

static fo_status residual(const void *model, const fo_state *s, double t, const double *x,
                          const double *dx, double *r)
{
    fo_status status = rates(model, s, t, x, r);
    r[Y1] = dx[Y1] - r[Y1];
    r[Y2] = dx[Y2] - r[Y2];
    r[Y3] = -r[Y3];
    return status;
}

static fo_status start_rates(const void *model, const fo_state *s, double t, const double *x,
                             double *dx)
{
    fo_status status = rates(model, s, t, x, dx);
    dx[Y3] = -dx[Y1] - dx[Y2];
    return status;
}

static const fo_system_type type = {
    .kind = "C",
    .start = start,
    .rates = rates,
    .jacobian = jacobian,
    .mass = mass,
    .residual = residual,
    .start_rates = start_rates,
};

static const fo_description about = {
    .name = "roberts-dae",
    .about = "Robertson's chemical reaction with conservation of mass as a constraint",
    .equations = "y1' = -k1 y1 + k3 y2 y3\n"
                 "y2' = k1 y1 - k3 y2 y3 - k2 y2^2\n"
                 "0 = y1 + y2 + y3 - 1",
    .states = FO_VARIABLES({"y1", NULL, 1, "concentration of A"},
                           {"y2", NULL, 0, "concentration of B, the short-lived one"},
                           {"y3", NULL, 0, "concentration of C; starts at 1 - y1 - y2"}),
    .parameters = FO_VARIABLES({"k1", "1/s", 0.04, "A -> B, slow"},
                               {"k2", "1/s", 3e7, "B + B -> C + B, very fast"},
                               {"k3", "1/s", 1e4, "B + C -> A + C, fast"}),
    .stiff = true,
};

static const char *const plot[] = {"y1", "y3", NULL};

extern const fo_compiled_model gallery_roberts_dae;
const fo_compiled_model gallery_roberts_dae = {
    .system = {&type, &about, NULL},
    .stop = 40,
    .interval = 0.4,
    .rtol = 1e-6,
    .atol = 1e-12,
    .plot = plot,
};
