/// A system whose guard_bounds are tried while it runs: whenever the search asks for them, they are
/// asked for along a random curve through the same box, and guards are computed on it.
#ifndef BOUNDS_WATCH_H
#define BOUNDS_WATCH_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/solver.h"
#include "test.h"

enum { WATCH_STATES = 64, WATCH_GUARDS = 64 };

static struct bounds_watch {
    const fo_system_type *type; ///< the system's own
    const char *name;
    uint64_t seed;
    long tried, smooth, bad;
} bounds_watch;

static inline double watch_chance(void)
{
    uint64_t z = bounds_watch.seed += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// A parabola from a point of the box to another, bent a little: within it at its ends at least.
typedef struct watch_curve {
    foi_solver o;
    double c[3 * WATCH_STATES], x0[WATCH_STATES], x1[WATCH_STATES];
    double b[6][WATCH_STATES];
    fo_stretch on;
} watch_curve;

static inline void watch_bend(watch_curve *w, const fo_state *s, const fo_stretch *on)
{
    uint32_t n = s->shape.states;
    memset(&w->o, 0, sizeof w->o);
    w->o.n = n, w->o.degree = 2, w->o.coefficients = w->c, w->o.x0 = w->x0, w->o.x1 = w->x1;
    w->o.t0 = on->t_lo, w->o.t1 = on->t_hi;
    for (uint32_t i = 0; i < n; i++) {
        double lo = on->x.lo[i], hi = on->x.hi[i];
        double p = lo + watch_chance() * (hi - lo), q = lo + watch_chance() * (hi - lo);
        double bend = (watch_chance() - 0.5) * (hi - lo);
        w->c[i] = w->x0[i] = p, w->c[n + i] = q - p - bend, w->c[2 * n + i] = bend;
        w->x1[i] = q;
    }
    w->on = (fo_stretch){
        .x = {w->b[0], w->b[1]}, .dx = {w->b[2], w->b[3]}, .x_mid = {w->b[4], w->b[5]}};
}

static inline void watch_complain(const char *what, uint32_t guard, double found, double lo,
                                  double hi, unsigned nature)
{
    if (bounds_watch.bad++ < 3)
        test_fail(__FILE__, __LINE__, "%s: %s of guard %u is %.17g, not in [%.17g, %.17g] (%u)",
                  bounds_watch.name, what, guard, found, lo, hi, nature);
}

static inline void watch_point(const fo_enclosure *e, uint32_t i, double g)
{
    if (isnan(g) && !(e->nature[i] & FO_MAY_BE_UNDEFINED))
        watch_complain("value", i, g, e->g.lo[i], e->g.hi[i], e->nature[i]);
    if (!isnan(g) && !(g >= e->g.lo[i] && g <= e->g.hi[i]))
        watch_complain("value", i, g, e->g.lo[i], e->g.hi[i], e->nature[i]);
}

// By the mean-value theorem the difference quotient is a slope, where the guard is continuous.
static inline void watch_slope(const fo_enclosure *e, uint32_t i, double dg, double dt)
{
    double far = fmax(fabs(e->g.lo[i]), fabs(e->g.hi[i])), slack = 1e-12 * (1 + far);
    if (e->nature[i] || !(dt > 0)) return;
    bounds_watch.smooth++;
    if (dg < e->dg.lo[i] * dt - slack || dg > e->dg.hi[i] * dt + slack)
        watch_complain("slope", i, dg / dt, e->dg.lo[i], e->dg.hi[i], e->nature[i]);
}

static inline void watch_once(const void *model, const fo_state *s, const fo_stretch *on)
{
    const fo_system_type *type = bounds_watch.type;
    uint32_t guards = s->shape.guards;
    double lo[WATCH_GUARDS], hi[WATCH_GUARDS], dlo[WATCH_GUARDS], dhi[WATCH_GUARDS];
    double g[WATCH_GUARDS], before[WATCH_GUARDS], x[WATCH_STATES];
    uint8_t nature[WATCH_GUARDS] = {0};
    fo_enclosure mine = {{lo, hi}, {dlo, dhi}, nature};
    static watch_curve w;
    if (guards > WATCH_GUARDS || s->shape.states > WATCH_STATES || !(on->t_hi > on->t_lo)) return;
    watch_bend(&w, s, on);
    double a = watch_chance(), b = a + watch_chance() * (1 - a), last = a;
    if (watch_chance() < 0.2) a = 0;
    foi_dense_stretch(&w.o, a, b, &w.on);
    for (uint32_t i = 0; i < guards; i++) lo[i] = dlo[i] = -INFINITY, hi[i] = dhi[i] = INFINITY;
    fo_status status = type->guard_bounds(model, s, &w.on, &mine);
    for (int k = 0; k < 4 && status == FO_OK; k++) {
        double theta = k == 0 ? a : k == 3 ? b : last + watch_chance() * (b - last);
        double t = w.o.t0 + theta * (w.o.t1 - w.o.t0);
        foi_dense_at(&w.o, theta, x);
        if (type->guards(model, s, t, x, g) != FO_OK) break;
        for (uint32_t i = 0; i < guards; i++) {
            watch_point(&mine, i, g[i]);
            if (k) watch_slope(&mine, i, g[i] - before[i], (theta - last) * (w.o.t1 - w.o.t0));
            before[i] = g[i];
        }
        last = theta;
        bounds_watch.tried++;
    }
}

static inline fo_status watch_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                     fo_enclosure *e)
{
    for (int k = 0; k < test_inputs(2, 8); k++) watch_once(model, s, on);
    return bounds_watch.type->guard_bounds(model, s, on, e);
}

/// The system with its bounds under watch; one at a time. `type` is where its functions go.
static inline fo_system watch_system(fo_system system, const char *name, fo_system_type *type)
{
    bounds_watch.type = system.type, bounds_watch.name = name, bounds_watch.seed = 7;
    *type = *system.type;
    type->kind = "C";
    if (type->guard_bounds) type->guard_bounds = watch_bounds;
    return (fo_system){type, system.about, system.model};
}

#endif
