// A guard that dips below zero for a moment that a step easily leaps over.
#include "gallery.h"
#include "math/math.h"

#include <math.h>

enum { X, V }; // states

static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    double width = s->p[0];
    if (!(width > 0 && width < 2)) return fo_refuse(s, "width must lie in (0, 2), is %g", width);
    return FO_OK;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)s, (void)t;
    dx[X] = x[V];
    dx[V] = -x[X];
    return FO_OK;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    (void)model, (void)t;
    double half = s->p[0] / 2;
    g[0] = (x[V] - half) * (x[V] + half);
    return FO_OK;
}

// v^2 - (width/2)^2 over v in [lo, hi], and its derivative 2 v v'; wider by more than rounding: 8
// epsilons of the products for at most six roundings, and the least number for what underflows.
static fo_status guard_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                              fo_enclosure *e)
{
    const fo_bounds *x = &on->x, *dx = &on->dx, *g = &e->g, *dg = e->dg.lo ? &e->dg : NULL;
    (void)model;
    double lo = x->lo[V], hi = x->hi[V], half = s->p[0] / 2, tiny = 8 * 2.220446049250313e-16;
    const double least_number = 0x1p-1070;
    double at_lo = (lo - half) * (lo + half), at_hi = (hi - half) * (hi + half);
    double least = lo < 0 && hi > 0 ? -half * half : foi_fmin(at_lo, at_hi);
    double margin = tiny * (lo * lo + hi * hi + half * half) + least_number;
    if (!(margin < INFINITY)) return FO_OK;
    g->lo[0] = least - margin, g->hi[0] = foi_fmax(at_lo, at_hi) + margin;
    if (dg) {
        double a = dx->lo[V], b = dx->hi[V];
        double c[4] = {2 * lo * a, 2 * lo * b, 2 * hi * a, 2 * hi * b};
        double least_slope = foi_fmin(foi_fmin(c[0], c[1]), foi_fmin(c[2], c[3]));
        double most_slope = foi_fmax(foi_fmax(c[0], c[1]), foi_fmax(c[2], c[3]));
        double slack = tiny * (fabs(least_slope) + fabs(most_slope)) + least_number;
        if (!(fabs(a) + fabs(b) < INFINITY)) return FO_OK;
        dg->lo[0] = least_slope - slack, dg->hi[0] = most_slope + slack;
    }
    return FO_OK;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    (void)model;
    if (m->kind == FO_GUARD) {
        s->d[0]++;
        e->unchanged = true; // nothing that flows or is watched depends on the count
    }
    return FO_OK;
}

static const fo_system_type type = {
    .kind = "C",
    .start = start,
    .rates = rates,
    .guards = guards,
    .guard_bounds = guard_bounds,
    .jump = jump,
};

static const fo_description about = {
    .name = "dip",
    .about = "a guard that dips below zero between two steps",
    .equations = "x' = v\n"
                 "v' = -x\n"
                 "when v^2 - (width/2)^2 goes through zero: crossings := crossings + 1",
    .states = FO_VARIABLES({"x", "m", 0, "sin t"}, {"v", "m/s", 1, "cos t"}),
    .discretes = FO_VARIABLES({"crossings", NULL, 0, "so far"}),
    .parameters = FO_VARIABLES({"width", "m/s", 1e-4, "distance of the two crossings, in (0, 2)"}),
    .guards = FO_GUARDS(
        {"dip", FO_EITHER, "v^2 - (width/2)^2 = 0: crossings := crossings + 1", .bounded = true}),
    .pairs = 1,
};

static const char *const plot[] = {"v", "crossings", NULL};

extern const fo_compiled_model gallery_dip;
const fo_compiled_model gallery_dip = {
    .system = {&type, &about, NULL},
    .stop = 20,
    .interval = 0.02,
    .plot = plot,
};
