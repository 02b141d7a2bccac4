/// The last bit of the way to a moment behind which the rates have no value.
///
/// `der(h) = if h > 0 then -sqrt(h) else 0`: an empty tank takes the other branch. But until the
/// moment is there the old branch counts, and behind it is nothing that a step could end in: the
/// method shortens its steps, and gives up just before. From there a straight line along the rates
/// goes on, as far as its error is within the tolerance whatever the rates do, if a guard has its
/// moment on it. The method begins anew behind that.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

// How long the line may be: no state moves by more than the tolerance.
static double reach_of(const foi_solver *o, const double *f)
{
    double reach = INFINITY;
    for (uint32_t i = 0; i < o->n; i++) {
        if (!isfinite(f[i])) return 0;
        if (f[i] != 0) reach = foi_fmin(reach, (o->atol + o->rtol * fabs(o->x1[i])) / fabs(f[i]));
    }
    return reach;
}

// The step from (t1, x1) along f, as if a method had taken it.
static fo_status take_line(foi_solver *o, double until, const double *f)
{
    double h = until - o->t1;
    memcpy(o->x0, o->x1, o->n * sizeof *o->x0);
    for (uint32_t i = 0; i < o->n; i++) o->x1[i] += h * f[i];
    o->t0 = o->t1, o->t1 = until;
    o->f1_valid = false, o->dense_ready = true, o->loose = false;
    o->counts.steps++;
    return foi_dense_line(o);
}

static void take_back(foi_solver *o)
{
    memcpy(o->x1, o->x0, o->n * sizeof *o->x1);
    o->t1 = o->t0, o->dense_ready = false;
}

// Whether some guard has another sign there: otherwise there is nothing to be looked for.
static bool passes_one(fo_simulation *sim, double t, const double *x, double *g)
{
    const fo_system *system = &sim->system;
    if (system->type->guards(system->model, &sim->state.s, t, x, g) != FO_OK) return false;
    bool passes = false;
    for (uint32_t i = 0; i < sim->watch.guards; i++) {
        if (isnan(g[i])) return false;
        passes |= foi_sign_of(g[i]) != sim->watch.guard[i].side;
    }
    return passes;
}

bool foi_across(fo_simulation *sim, double goal)
{
    foi_solver *o = &sim->solver;
    const fo_system_type *type = sim->system.type;
    bool held = foi_is_held(sim);
    if (!sim->watch.guards || !o->n || foi_is_implicit(sim) || held) return false;
    if (o->t1 != sim->state.s.t || !type->rates) return false;
    double *f = sim->sample;
    fo_message said = sim->message;
    if (type->rates(sim->system.model, &sim->state.s, o->t1, o->x1, f) != FO_OK) return false;
    double until = foi_fmin(o->t1 + reach_of(o, f), goal);
    if (!(until > nextafter(o->t1, INFINITY)) || take_line(o, until, f) != FO_OK) return false;
    fo_status status = FO_OK;
    double *g = sim->watch.work;
    bool passes = passes_one(sim, o->t1, o->x1, g);
    if (passes) status = foi_watch_search(&sim->watch, o, o->t0, &sim->root);
    if (passes && status == FO_OK && sim->root < INFINITY && foi_watch_fires(&sim->watch)) {
        sim->message.status = FO_OK, sim->message.text[0] = 0;
        sim->restart = true;
        return true;
    }
    take_back(o);
    sim->message = said, sim->root = INFINITY;
    return false;
}
