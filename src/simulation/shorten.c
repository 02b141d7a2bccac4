/// Crossings inside of a step: where it is taken again, to end there.
///
/// Of a stiff method:
///
/// In a stiff system the states lie on a slow curve at the ends of steps, and off it by the error
/// of the dense output in between. Where a guard crosses inside a step it is handed a state that is
/// off by so much, some tolerances; from there the rates, which are that error times the stiffness,
/// carry it back to the curve at once. If the guard has not crossed on the curve yet, it goes back
/// through zero, and crosses again a little later: for x' = -k (x - sin t) one edge becomes three.
///
/// That shows: the rates at the crossing carry the guard back. The step is then taken again so that
/// it ends there. A guard that has crossed by then does so near the end of that step, where the
/// dense output is good; otherwise it will, near the beginning of the next one.
///
/// Of any method, where rates can change abruptly between moments: relations in smooth() are
/// computed as rates are. A pulse that is over at the crossing may lie between two stages of the
/// step, and the dense output knows nothing of it. That shows as well: the rates on the way to the
/// crossing are not those of the dense output.
///
/// Of a method that begins with order 1:
///
/// A ball that has just bounced off goes up, by little more than the tolerance, and the first steps
/// after its impact may end below the floor by as much. That would be one more impact, of a ball
/// that goes away: it would be thrown down. Such a step is taken again, a quarter as long each
/// time.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

enum { TRIES = 4, QUARTERS = 12 };

// Methods of several steps begin anew with short ones of low order: they lose more than they win.
static bool is_stiff(const fo_simulation *sim)
{
    const foi_method *m = sim->solver.method;
    return !foi_rest_begins_low(sim) && (m->info.traits & FO_STIFF) && !foi_is_implicit(sim);
}

static bool is_apt(const fo_simulation *sim)
{
    bool held = foi_is_held(sim);
    return (is_stiff(sim) || sim->system.about->abrupt) && !held &&
           (sim->solver.method->info.traits & FO_ADAPTIVE) && sim->system.type->rates &&
           !sim->system.type->lockstep;
}

/// Guards at the root, a little later on the dense output, and as much later along the rates.
typedef struct views {
    double *here, *curve, *rates;
} views;

static fo_status look(fo_simulation *sim, const views *v)
{
    foi_watch *w = &sim->watch;
    const foi_solver *o = &sim->solver;
    const fo_system *system = &o->system;
    const fo_state *s = &sim->state.s;
    double h = o->t1 - o->t0, by = 0x1p-20 * h, t = sim->root, *x = sim->sample;
    fo_status status = system->type->guards(system->model, s, t, w->x, v->here);
    if (status == FO_OK) status = system->type->rates(system->model, s, t, w->x, x);
    for (uint32_t i = 0; i < o->n; i++) x[i] = w->x[i] + by * x[i];
    if (status == FO_OK) status = system->type->guards(system->model, s, t + by, x, v->rates);
    foi_dense_at(o, (t - o->t0) / h + 0x1p-20, x);
    if (status == FO_OK) status = system->type->guards(system->model, s, t + by, x, v->curve);
    return status;
}

// Whether a guard goes on across zero on the dense output while the rates at the root carry it
// back. (One that only touches zero goes back on both.)
static bool goes_back(fo_simulation *sim)
{
    const foi_watch *w = &sim->watch;
    size_t n = w->guards;
    views v = {w->work, w->work + n, w->work + 2 * n};
    if (look(sim, &v) != FO_OK) return false;
    for (size_t i = 0; i < n; i++)
        if (w->crossed[i] && w->way[i] * (v.rates[i] - v.here[i]) < 0 &&
            w->way[i] * (v.curve[i] - v.here[i]) > 0)
            return true;
    return false;
}

// Whether up to the root the rates are not what the dense output goes along, by more than is
// allowed. Rates that can change abruptly are solved with a tenth of the tolerance.
static bool strays(fo_simulation *sim)
{
    static const double at[] = {0.1127, 0.5, 0.8873}; // Gauss: none is an end
    const foi_solver *o = &sim->solver;
    const fo_system *system = &o->system;
    double h = o->t1 - o->t0, part = (sim->root - o->t0) / h, *f = sim->sample, *x = sim->probe;
    for (size_t k = 0; k < FO_COUNT(at); k++) {
        double theta = at[k] * part;
        foi_dense_at(o, theta, x);
        if (system->type->rates(system->model, &sim->state.s, o->t0 + theta * h, x, f) != FO_OK)
            return false;
        foi_dense_slope(o, theta, x);
        for (uint32_t i = 0; i < o->n; i++)
            if (fabs(h * f[i] - x[i]) * part > 10 * foi_hold_tolerance(sim, o->x0[i])) return true;
    }
    return false;
}

// Whether a contact would be hit although it goes away, as the rates at the root say.
static bool hits_what_leaves(fo_simulation *sim)
{
    const foi_watch *w = &sim->watch;
    const foi_solver *o = &sim->solver;
    const fo_system *system = &o->system;
    const fo_state *s = &sim->state.s;
    double by = 0x1p-8 * (o->t1 - o->t0), t = sim->root, *x = sim->sample;
    bool any = false;
    for (size_t i = 0; i < w->guards; i++)
        any |= w->crossed[i] && sim->pulses[i].contact && w->way[i] == -sim->pulses[i].contact;
    if (!any || system->type->guards(system->model, s, t, w->x, w->work) != FO_OK) return false;
    if (system->type->rates(system->model, s, t, w->x, x) != FO_OK) return false;
    for (uint32_t i = 0; i < o->n; i++) x[i] = w->x[i] + by * x[i];
    double *later = w->work + w->guards;
    if (system->type->guards(system->model, s, foi_fmin(t + by, o->stop), x, later) != FO_OK)
        return false;
    for (size_t i = 0; i < w->guards; i++) {
        int side = sim->pulses[i].contact;
        if (w->crossed[i] && side && w->way[i] == -side && side * (later[i] - w->work[i]) > 0)
            return true;
    }
    return false;
}

// From the beginning of the step to the goal.
static fo_status take_again(fo_simulation *sim, double goal)
{
    foi_solver *o = &sim->solver;
    double t = o->t0, next = o->h_next;
    memcpy(sim->sample, o->x0, o->n * sizeof *sim->sample);
    fo_status status = foi_solver_begin(o, t, sim->sample, FOI_JUMP);
    o->h_next = goal - t;
    o->budget = 1; // where a shorter one is needed, that will do
    if (status == FO_OK) status = o->method->march(o, goal, goal);
    if (status == FO_OK) o->h_next = foi_fmax(o->h_next, foi_fmin(next, goal - t));
    return status;
}

static fo_status search_again(fo_simulation *sim)
{
    sim->root = INFINITY;
    return foi_watch_search(&sim->watch, &sim->solver, sim->state.s.t, &sim->root);
}

static fo_status shorten_impact(fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    fo_status status = FO_OK;
    for (int k = 0; k < QUARTERS && status == FO_OK && sim->root < INFINITY; k++) {
        double goal = o->t0 + 0.25 * (o->t1 - o->t0);
        if (o->t0 != sim->state.s.t || !foi_watch_fires(&sim->watch)) break;
        if (!(goal > o->t0 && goal < o->t1) || !hits_what_leaves(sim)) break;
        status = take_again(sim, goal);
        if (status == FO_OK) status = search_again(sim);
    }
    return status;
}

fo_status foi_shorten_step(fo_simulation *sim)
{
    fo_status status = FO_OK;
    bool rates = sim->solver.system.type->rates && !sim->system.type->lockstep;
    if (foi_rest_begins_low(sim) && rates && !foi_is_implicit(sim)) status = shorten_impact(sim);
    if (!is_apt(sim)) return status;
    double from = sim->state.s.t;
    for (int k = 0; k < TRIES && status == FO_OK && sim->root < INFINITY; k++) {
        if (!foi_watch_fires(&sim->watch)) break;
        if (!(sim->root < sim->solver.t1) || sim->solver.t0 != from) break;
        bool astray = sim->system.about->abrupt && strays(sim);
        if (!astray && !(is_stiff(sim) && goes_back(sim))) break;
        status = take_again(sim, sim->root);
        if (status == FO_OK) status = search_again(sim);
    }
    return status;
}
