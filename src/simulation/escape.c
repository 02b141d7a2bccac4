/// Finite-time blow-up: whether the solver has failed because a state goes to infinity at a time
/// that comes before any other.
///
/// Near such a time T a state behaves as x = C (T - t)^-p (p = 1 for x' = x^2, p near 0 for
/// x' = exp(x)), so that
///
///     a = x'/x = p/(T - t),   b = x''/x' = (p + 1)/(T - t),   T = t + 1/(b - a),   p = a/(b - a)
///
/// All that is needed are the rates at the last good point and a little before it, whatever solver
/// came there. (Where x' is not given by rates, the run's last points must do: trail.c.) What only
/// grows exponentially has b = a and no T; a rate that becomes infinite while its state stays
/// finite, as of 1 - sqrt(T - t), has p = 0. That shows near T only. A method with fixed steps
/// fails somewhere about T, so there an adaptive one goes on from its last good point.
#include <float.h>
#include <math.h>

#include "math/math.h"
#include "simulation/internal.h"

/// Room for three vectors.
typedef struct place {
    double *f, *before, *f_before;
} place;

/// The state whose rate is the largest, measured in its tolerance.
static uint32_t fastest(const foi_solver *o, const double *f)
{
    uint32_t which = 0;
    double most = -1;
    for (uint32_t i = 0; i < o->n; i++) {
        double q = fabs(f[i]) / (o->atol + o->rtol * fabs(o->x1[i]));
        if (q > most) most = q, which = i;
    }
    return which;
}

/// Beyond all measure: the measure of a state is atol/rtol, where one tolerance takes over from the
/// other.
static bool is_huge(const foi_solver *o, uint32_t i)
{
    return o->atol > 0 && fabs(o->x1[i]) * o->rtol > 1e30 * o->atol;
}

/// 1/(b - a) for state i, with b from the rates a time `back` before; INFINITY where there is no T.
static double extrapolate(foi_solver *o, const place *p, uint32_t i, double a, double back)
{
    const double least_difference = 1e-3;
    // b comes out at most as 1/back = 100 a, so that p >= 0.0101; exp(x) has 1/x, x < 37
    const double least_power = 0.02;
    for (uint32_t j = 0; j < o->n; j++) p->before[j] = o->x1[j] - back * p->f[j];
    if (foi_rates(o, o->t1 - back, p->before, p->f_before) != FO_OK) return INFINITY;
    double b = (p->f[i] - p->f_before[i]) / (back * p->f[i]);
    if (!(b - a > least_difference * b) || a < least_power * (b - a)) return INFINITY;
    return 1 / (b - a);
}

/// T - t for state i; INFINITY where it goes nowhere.
static double time_left(foi_solver *o, const place *p, uint32_t i)
{
    double x = fabs(o->x1[i]), a = p->f[i] / o->x1[i], ulp = DBL_EPSILON * fabs(o->t1);
    if (!(a > 0)) return INFINITY;
    // beyond T, where fixed steps may end, no law holds: it grows faster than time can resolve, or
    // is huge and nearly does (where the rate is infinite, a is at least DBL_MAX / x, if not more)
    double most = !is_huge(o, i) ? 1 : isinf(a) ? 1e-6 : 0.01;
    if (foi_fmin(a, DBL_MAX / x) * ulp > most) return 0;
    if (isinf(a)) return INFINITY;
    double back = 0.01 / a, left = extrapolate(o, p, i, a, back);
    // rates that depend on time alone do not see less than some ulps of it
    return isinf(left) && back < 4 * ulp ? extrapolate(o, p, i, a, 4 * ulp) : left;
}

/// The shortest step that is taken at all.
static double reach_of(const foi_solver *o)
{
    return foi_fmax(o->min_step, FOI_LEAST_STEP * DBL_EPSILON * fabs(o->t1));
}

/// So soon that a solver that failed could not have come much nearer.
static bool is_near(const foi_solver *o, double left, double reach)
{
    return left <= foi_fmax(1e4 * reach, 1e-6 * fabs(o->stop - o->t1)) && left < INFINITY;
}

/// Whether an adaptive solver failed at (t1, x1) because state *i goes to infinity at *when: so
/// soon that it could not have come much nearer.
static bool escapes(foi_solver *o, uint32_t *i, double *when)
{
    double *room = foi_new(o->allocator, 3 * (size_t)o->n, sizeof *room);
    if (!room) return false; // what the solver said must do
    place p = {room, room + o->n, room + 2 * (size_t)o->n};
    double left = INFINITY, reach = reach_of(o);
    if (foi_rates(o, o->t1, o->x1, p.f) == FO_OK) {
        *i = fastest(o, p.f);
        left = time_left(o, &p, *i);
        if (is_huge(o, *i)) reach = INFINITY;
    }
    *when = o->t1 + left;
    foi_free(o->allocator, room);
    return is_near(o, left, reach);
}

static bool is_trouble(fo_status status)
{
    return status == FO_ERROR_STEP || status == FO_ERROR_NUMBER || status == FO_ERROR_CONVERGE;
}

/// Where an adaptive method gets from a point of a method with fixed steps.
typedef struct trial {
    fo_status status;
    double t;     ///< where it ended
    bool escapes; ///< because state i goes to infinity at `when`
    uint32_t i;
    double when;
} trial;

static trial try_from(fo_simulation *sim, double t, const double *x, double goal)
{
    enum { MOST = 2000 }; // steps
    const foi_solver *o = &sim->solver;
    foi_solver other = foi_simulation_solver_define(sim, foi_method_find("dp45", NULL));
    trial r = {.t = t};
    other.system = o->system, other.budget = MOST;
    fo_status status = foi_solver_prepare(&other);
    if (status == FO_OK) status = foi_solver_begin(&other, t, x, FOI_COLD);
    if (status == FO_OK && goal > t) status = other.method->march(&other, goal, goal);
    r.status = status;
    if (is_trouble(status)) r.t = other.t1, r.escapes = escapes(&other, &r.i, &r.when);
    foi_solver_destroy(&other);
    return r;
}

/// The same as escapes() for a method with fixed steps, from a point of it on.
static bool goes_on_from(fo_simulation *sim, double t, const double *x, uint32_t *i, double *when)
{
    enum { AHEAD = 100 }; // steps of its own
    trial r = try_from(sim, t, x, foi_fmin(t + AHEAD * sim->solver.step, sim->def.stop));
    if (r.escapes) *i = r.i, *when = r.when;
    return r.escapes;
}

/// Its last good point may lie beyond T, where no rates are finite any more; the one before does
/// not.
static bool goes_on_to_escape(fo_simulation *sim, uint32_t *i, double *when)
{
    const foi_solver *o = &sim->solver;
    return goes_on_from(sim, o->t1, o->x1, i, when) ||
           (o->t0 < o->t1 && goes_on_from(sim, o->t0, o->x0, i, when));
}

/// The same for M x' = f(t, x) and F(t, x, x') = 0, whatever the method.
static bool trail_escapes(fo_simulation *sim, uint32_t *i, double *when)
{
    foi_solver *o = &sim->solver;
    bool adaptive = o->method->info.traits & FO_ADAPTIVE;
    foi_trail_note(&sim->trail, sim->allocator, o->t1, o->x1, o->n);
    *when = foi_trail_escape(sim->trail, i);
    return is_near(o, *when - o->t1, adaptive ? reach_of(o) : o->step / 100);
}

bool foi_escape(fo_simulation *sim, fo_status status)
{
    foi_solver *o = &sim->solver;
    const fo_system_type *type = o->system.type;
    if (!is_trouble(status) || !o->n || type->lockstep) return false;
    if (!type->rates && !foi_is_implicit(sim)) return false;
    fo_message said = sim->message;
    bool adaptive = o->method->info.traits & FO_ADAPTIVE, found;
    uint32_t i = 0;
    double when;
    if (foi_is_implicit(sim))
        found = trail_escapes(sim, &i, &when);
    else
        found = adaptive ? escapes(o, &i, &when) : goes_on_to_escape(sim, &i, &when);
    sim->message = said;
    if (!found) return false;
    char name[64];
    fo_fail(&sim->message, status,
            "'%s' escapes to infinity near t = %.8g; %s goes no further than t = %.15g, where it "
            "is %.6g",
            fo_system_name(sim->system, (fo_reference){FO_STATE, i}, name, sizeof name), when,
            o->method->info.name, o->t1, o->x1[i]);
    return true;
}

fo_status foi_escape_on_step(fo_simulation *sim, uint32_t i, double pole, double until)
{
    foi_solver *o = &sim->solver;
    fo_message said = sim->message;
    trial r = try_from(sim, o->t0, o->x0, until);
    sim->message = said;
    if (!is_trouble(r.status)) return FO_OK;
    char name[64];
    if (r.escapes) i = r.i, pole = r.when;
    fo_system_name(sim->system, (fo_reference){FO_STATE, i}, name, sizeof name);
    return fo_fail(&sim->message, FO_ERROR_STEP,
                   r.escapes ? "'%s' escapes to infinity near t = %.8g, which %s would step over"
                             : "the rate of '%s' goes to infinity near t = %.8g, and no solution "
                               "goes on from there; %s would step over it",
                   name, pole, o->method->info.name);
}
