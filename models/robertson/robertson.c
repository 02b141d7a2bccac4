// Robertson's chemical reaction: the classic stiff problem.
#include "gallery.h"

enum { Y1, Y2, Y3 }; // states
enum { K1, K2, K3 }; // parameters

static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    static const char *const names[] = {"k1", "k2", "k3"};
    for (int i = K1; i <= K3; i++)
        if (!(s->p[i] >= 0))
            return fo_refuse(s, "%s must not be negative, is %g", names[i], s->p[i]);
    return FO_OK;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    const double *p = s->p;
    double slow = p[K1] * x[Y1], fast = p[K2] * x[Y2] * x[Y2], back = p[K3] * x[Y2] * x[Y3];
    dx[Y1] = back - slow;
    dx[Y2] = slow - back - fast;
    dx[Y3] = fast;
    return FO_OK;
}

static fo_status jacobian(const void *model, const fo_state *s, double t, const double *x,
                          double *values)
{
    (void)model, (void)t;
    const double *p = s->p;
    double fast = 2 * p[K2] * x[Y2];
    values[0] = -p[K1], values[1] = p[K1], values[2] = 0;                           // y1
    values[3] = p[K3] * x[Y3], values[4] = -p[K3] * x[Y3] - fast, values[5] = fast; // y2
    values[6] = p[K3] * x[Y2], values[7] = -p[K3] * x[Y2], values[8] = 0;           // y3
    return FO_OK;
}

static const fo_system_type type = {
    .kind = "C",
    .start = start,
    .rates = rates,
    .jacobian = jacobian,
};

static const fo_description about = {
    .name = "robertson",
    .about = "Robertson's chemical reaction, very stiff",
    .equations = "y1' = -k1 y1 + k3 y2 y3\n"
                 "y2' = k1 y1 - k3 y2 y3 - k2 y2^2\n"
                 "y3' = k2 y2^2",
    .states = FO_VARIABLES({"y1", NULL, 1, "concentration of A"},
                           {"y2", NULL, 0, "concentration of B, the short-lived one"},
                           {"y3", NULL, 0, "concentration of C"}),
    .parameters = FO_VARIABLES({"k1", "1/s", 0.04, "A -> B, slow"},
                               {"k2", "1/s", 3e7, "B + B -> C + B, very fast"},
                               {"k3", "1/s", 1e4, "B + C -> A + C, fast"}),
    .stiff = true,
};

static const char *const plot[] = {"y1", "y3", NULL};

extern const fo_compiled_model gallery_robertson;
const fo_compiled_model gallery_robertson = {
    .system = {&type, &about, NULL},
    .stop = 40,
    .interval = 0.4,
    .rtol = 1e-6,
    .atol = 1e-12, // y2 is about 1e-5
    .plot = plot,
};
