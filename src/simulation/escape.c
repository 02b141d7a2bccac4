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
#include <stdio.h>

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
    // p < 1000; and what is huge by exp(exp(t)), which never gets there, has 600 and more
    const double least_difference = is_huge(o, i) ? 0x1p-8 : 1e-3;
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

// ------------------------------------------------------------------------ a rate, not its state

/// T - t where the rate of state i grows towards T though the state itself does not escape, as that
/// of 1 - sqrt(T - t) does; INFINITY where it does not. It shows near T only, so that T need not be
/// known well: half the time in which the rate has grown by all of itself.
static double rate_time_left(foi_solver *o, const place *p, uint32_t i)
{
    double reach = reach_of(o), most = foi_fmax(1e4 * reach, 1e-6 * fabs(o->stop - o->t1));
    double left = INFINITY, last = fabs(p->f[i]), first = foi_fmax(reach, 0x1p-40 * most);
    int falls = 0;
    if (!(first > 0) || !(last > 0) || !isfinite(last)) return INFINITY;
    for (double back = first; back <= 64 * most; back *= left < INFINITY ? 8 : 2) {
        for (uint32_t j = 0; j < o->n; j++) p->before[j] = o->x1[j] - back * p->f[j];
        if (foi_rates(o, o->t1 - back, p->before, p->f_before) != FO_OK) break;
        double ratio = p->f_before[i] / p->f[i], rate = fabs(p->f_before[i]);
        if (left == INFINITY && ratio < 0.9) left = back / (2 * (1 - ratio));
        if (left < INFINITY && (!(ratio > 0) || !(rate < 0.9 * last))) break; // it does not go on
        if (left < INFINITY) last = rate, falls++;
        if (falls == 3) return left <= most ? left : INFINITY;
    }
    return INFINITY;
}

/// Whether the rate of state *i goes to infinity at *when, so soon after (t1, x1) that a solver
/// could not have come much nearer.
static bool rate_escapes(foi_solver *o, uint32_t *i, double *when)
{
    double *room = foi_new(o->allocator, 3 * (size_t)o->n, sizeof *room);
    if (!room) return false; // what the solver said must do
    place p = {room, room + o->n, room + 2 * (size_t)o->n};
    double left = INFINITY;
    if (foi_rates(o, o->t1, o->x1, p.f) == FO_OK) {
        *i = fastest(o, p.f);
        left = rate_time_left(o, &p, *i);
    }
    *when = o->t1 + left;
    foi_free(o->allocator, room);
    return left < INFINITY;
}

// ------------------------------------------------------------------------------- what has become

static bool is_trouble(fo_status status)
{
    return status == FO_ERROR_STEP || status == FO_ERROR_NUMBER || status == FO_ERROR_CONVERGE;
}

/// What escapes.
typedef struct verdict {
    enum { NOTHING, A_STATE, A_RATE } what;
    uint32_t i;
    double when;
} verdict;

/// A trial of whether a solution goes on behind where something seems to escape.
typedef struct passage {
    foi_solver *o;
    double *f; ///< rates
    double first, last, most, goal;
    double longest; ///< step; 0: any
    double turn;    ///< the rate's size at the last top or bottom
    int turns;      ///< how often it came down from a top to half of it, and up again
    uint32_t i;
    bool down, fell; ///< it comes down; it fell from its top in one step
} passage;

static void count_turns(passage *p, double size)
{
    bool turns = p->down ? size > 2 * p->turn : size < p->turn / 2;
    if (turns) p->down = !p->down, p->turns++;
    if (turns || (p->down ? size < p->turn : size > p->turn)) p->turn = size;
}

// One step. A pole is stepped over, too, if not before the rate has grown: then it falls from its
// top in one step, while a peak is rounded.
static bool goes_on(passage *p)
{
    const double grown = 64, least = 0.1;
    foi_solver *o = p->o;
    o->budget = 1;
    double before = o->t1;
    if (o->method->march(o, p->goal, p->goal) != FO_OK || !(o->t1 > before)) return false;
    if (foi_rates(o, o->t1, o->x1, p->f) != FO_OK) return false;
    double now = p->f[p->i], top = fabs(p->last);
    p->fell = top > grown * p->first && top >= p->most / 2 && !(now / p->last >= least);
    p->last = now, p->most = foi_fmax(p->most, foi_fmax(top, fabs(now)));
    if (p->fell) p->longest = (o->t1 - before) / 8; // the next time
    count_turns(p, fabs(now));
    return !p->fell && isfinite(now);
}

// How a rate grows is seen with an error of the state that is small beside what it moves by then.
static void see_flank(passage *p, double left, double finer)
{
    foi_solver *o = p->o;
    double x = fabs(o->x1[p->i]), flank = finer * 0x1p-14 * p->first * left;
    double part = x > 0 ? flank / x : INFINITY, least = 16 * DBL_EPSILON;
    o->rtol = foi_fmax(foi_fmin(o->rtol, part), least);
    o->atol = o->atol > 0 ? foi_fmin(o->atol, flank) : flank;
}

static bool gets_past(fo_simulation *sim, const foi_solver *from, const verdict *v, double finer,
                      passage *p)
{
    enum { MOST = 2000, BEYOND = 4, WAVE = 8 };
    double left = foi_fmax(v->when - from->t1, reach_of(from));
    double past = foi_fmin(from->t1 + (1 + BEYOND) * left, sim->def.stop);
    foi_solver o = foi_simulation_solver_define(sim, foi_method_find("dp45", NULL));
    *p = (passage){.o = &o, .f = p->f, .goal = past, .i = v->i, .longest = p->longest};
    o.system = from->system, o.max_step = p->longest;
    fo_status status = foi_solver_prepare(&o);
    if (status == FO_OK) status = foi_solver_begin(&o, from->t1, from->x1, FOI_COLD);
    if (status == FO_OK) status = foi_rates(&o, o.t1, o.x1, p->f);
    p->last = status == FO_OK ? p->f[v->i] : 0, p->first = p->turn = fabs(p->last);
    if (status == FO_OK) see_flank(p, left, finer);
    bool passed = !(past > from->t1);
    for (int n = 0; n < MOST && status == FO_OK && !passed && goes_on(p); n++) {
        bool grows = fabs(p->last) > 4 * p->first && fabs(p->last) > p->most / 2;
        passed = (o.t1 >= past && (!grows || o.t1 >= sim->def.stop)) || p->turns >= WAVE;
        if (o.t1 >= past) p->goal = sim->def.stop; // as far as it grows
    }
    foi_solver_destroy(&o);
    return passed;
}

// The laws above are seen at a few points, and what is bounded may look the same there: a flank of
// a wave of 1e9 rad/s, or of a narrow peak. With a tolerance that sees the flank an adaptive method
// gets past it. (With the run's own it would step over poles as well.)
static bool is_passed(fo_simulation *sim, const foi_solver *from, const verdict *v)
{
    passage p = {.f = foi_new(sim->allocator, from->n, sizeof *p.f)};
    bool passed = false, again = p.f && !is_huge(from, v->i) && from->t1 < sim->def.stop;
    fo_message said = sim->message;
    for (double finer = 1; again && !passed && finer >= 0x1p-14; finer *= 0x1p-7) {
        passed = gets_past(sim, from, v, finer, &p);
        again = p.fell;
    }
    foi_free(sim->allocator, p.f);
    sim->message = said;
    return passed;
}

static verdict judge(fo_simulation *sim, foi_solver *o)
{
    verdict v = {NOTHING};
    if (escapes(o, &v.i, &v.when) && !is_passed(sim, o, &v))
        v.what = A_STATE;
    else if (rate_escapes(o, &v.i, &v.when) && !is_passed(sim, o, &v))
        v.what = A_RATE;
    return v;
}

/// Where an adaptive method gets from a point of another one.
typedef struct trial {
    fo_status status;
    double t; ///< where it ended
    verdict why;
} trial;

static trial try_with(fo_simulation *sim, double t, const double *x, double goal, double longest)
{
    enum { MOST = 2000 }; // steps
    const foi_solver *o = &sim->solver;
    foi_solver other = foi_simulation_solver_define(sim, foi_method_find("dp45", NULL));
    trial r = {.t = t};
    other.system = o->system, other.budget = MOST;
    if (longest > 0) other.max_step = longest, other.first_step = longest;
    fo_message said = sim->message;
    fo_status status = foi_solver_prepare(&other);
    if (status == FO_OK) status = foi_solver_begin(&other, t, x, FOI_COLD);
    if (status == FO_OK && goal > t) status = other.method->march(&other, goal, goal);
    r.status = status, r.t = other.t1;
    // it may creep where a rate changes its sign at infinity
    if (is_trouble(status) || (status == FO_OK && other.t1 < goal)) r.why = judge(sim, &other);
    foi_solver_destroy(&other);
    sim->message = said;
    return r;
}

static trial try_from(fo_simulation *sim, double t, const double *x, double goal)
{
    return try_with(sim, t, x, goal, 0);
}

/// The same as judge() for a method that may have passed the place, from a point of it on.
static verdict go_on_from(fo_simulation *sim, double t, const double *x)
{
    enum { AHEAD = 100 }; // steps of its own
    const foi_solver *o = &sim->solver;
    bool adaptive = o->method->info.traits & FO_ADAPTIVE;
    double left = fabs(sim->def.stop - t), own = 2 * (o->t1 - o->t0);
    double ahead = adaptive ? foi_fmax(own, 1e-3 * left) : AHEAD * o->step;
    return try_from(sim, t, x, foi_fmin(t + ahead, sim->def.stop)).why;
}

/// Its last good point may lie beyond T, where no rates are finite any more; the one before does
/// not.
static verdict go_on(fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    verdict v = go_on_from(sim, o->t1, o->x1);
    return v.what || !(o->t0 < o->t1) ? v : go_on_from(sim, o->t0, o->x0);
}

/// The same for M x' = f(t, x) and F(t, x, x') = 0, whatever the method.
static verdict follow_trail(fo_simulation *sim)
{
    foi_solver *o = &sim->solver;
    bool adaptive = o->method->info.traits & FO_ADAPTIVE;
    verdict v = {NOTHING};
    foi_trail_note(&sim->trail, sim->allocator, o->t1, o->x1, o->n);
    v.when = foi_trail_escape(sim->trail, &v.i);
    if (is_near(o, v.when - o->t1, adaptive ? reach_of(o) : o->step / 100)) v.what = A_STATE;
    return v;
}

// ------------------------------------------------------------------------------------ the messages

static fo_status say_rate(fo_simulation *sim, fo_status status, uint32_t i, double when,
                          const char *more)
{
    const fo_system_type *type = sim->system.type;
    const fo_reference which = {FO_STATE, i};
    char name[64], text[260];
    bool told = type->expression && type->expression(sim->system.model, which, text, sizeof text);
    fo_system_name(sim->system, which, name, sizeof name);
    return fo_fail(
        &sim->message, status,
        "the rate of '%s' escapes to infinity near t = %.8g%s%s, and no solution goes on "
        "from there%s",
        name, when, told ? ": " : "", told ? text : "", more);
}

static void say(fo_simulation *sim, fo_status status, const verdict *v)
{
    const foi_solver *o = &sim->solver;
    char name[64], more[200];
    const char *method = o->method->info.name;
    snprintf(more, sizeof more, "; %s goes no further than t = %.15g", method, o->t1);
    if (v->what == A_RATE) {
        say_rate(sim, status, v->i, v->when, more);
        return;
    }
    fo_system_name(sim->system, (fo_reference){FO_STATE, v->i}, name, sizeof name);
    fo_fail(&sim->message, status, "'%s' escapes to infinity near t = %.8g%s, where it is %.6g",
            name, v->when, more, o->x1[v->i]);
}

static bool can_escape(const fo_simulation *sim)
{
    const fo_system_type *type = sim->solver.system.type;
    return sim->solver.n && !type->lockstep && (type->rates || foi_is_implicit(sim));
}

bool foi_escape(fo_simulation *sim, fo_status status)
{
    foi_solver *o = &sim->solver;
    if (!is_trouble(status) || !can_escape(sim)) return false;
    fo_message said = sim->message;
    bool adaptive = o->method->info.traits & FO_ADAPTIVE;
    verdict v = foi_is_implicit(sim) ? follow_trail(sim) : adaptive ? judge(sim, o) : go_on(sim);
    // a method that iterates may give up before it shows
    if (!v.what && adaptive && !foi_is_implicit(sim)) v = go_on(sim);
    sim->message = said;
    if (v.what) say(sim, status, &v);
    return v.what;
}

void foi_escape_beyond(fo_simulation *sim, fo_status status)
{
    if (!can_escape(sim) || foi_is_implicit(sim)) return;
    verdict v = go_on(sim);
    if (v.what) say(sim, status, &v);
}

bool foi_rate_escapes(fo_simulation *sim)
{
    foi_solver *o = &sim->solver;
    if (!can_escape(sim) || foi_is_implicit(sim)) return false;
    fo_message said = sim->message;
    verdict v = {A_RATE};
    bool found = rate_escapes(o, &v.i, &v.when) && !is_passed(sim, o, &v);
    sim->message = said;
    if (found) say(sim, FO_ERROR_STEP, &v);
    return found;
}

static fo_status say_on_step(fo_simulation *sim, const verdict *v)
{
    char name[64], more[64];
    const char *method = sim->solver.method->info.name;
    snprintf(more, sizeof more, "; %s would step over it", method);
    if (v->what == A_RATE) return say_rate(sim, FO_ERROR_STEP, v->i, v->when, more);
    fo_system_name(sim->system, (fo_reference){FO_STATE, v->i}, name, sizeof name);
    return fo_fail(&sim->message, FO_ERROR_STEP,
                   "'%s' escapes to infinity near t = %.8g, which %s would step over", name,
                   v->when, method);
}

fo_status foi_escape_on_step(fo_simulation *sim, uint32_t i, double pole, double until)
{
    const foi_solver *o = &sim->solver;
    trial r = try_from(sim, o->t0, o->x0, until);
    if (!is_trouble(r.status) && !r.why.what) return FO_OK;
    verdict here = {A_RATE, i, pole};
    return say_on_step(sim, r.why.what ? &r.why : &here);
}

// Whether a state has become larger by a good part of itself on the last step and goes on so:
// faster than before, if that is known.
static bool has_leapt(const foi_solver *o, const double *before, const double *f)
{
    double h = o->t1 - o->t0, most = 0;
    for (uint32_t i = 0; i < o->n; i++) most = foi_fmax(most, fabs(o->x1[i]));
    for (uint32_t i = 0; i < o->n; i++) {
        double size = fabs(o->x1[i]), more = h * fabs(f[i]);
        bool counts = more > o->atol && size > o->rtol * most; // heat that has just come there
        bool grows = f[i] * o->x1[i] > 0 && !(before && fabs(f[i]) <= 1.25 * fabs(before[i]));
        if (counts && grows && more > 0.5 * size) return true;
    }
    return false;
}

fo_status foi_escape_at_stop(fo_simulation *sim)
{
    foi_solver *o = &sim->solver;
    bool adaptive = o->method->info.traits & FO_ADAPTIVE;
    if (adaptive || !can_escape(sim) || foi_is_implicit(sim) || !(o->t0 < o->t1)) return FO_OK;
    fo_message said = sim->message;
    bool leapt = foi_solver_f1(o) == FO_OK && has_leapt(o, NULL, o->f1);
    if (leapt) // what has just passed zero has done so, too
        leapt =
            foi_rates(o, o->t0, o->x0, sim->sample) == FO_OK && has_leapt(o, sim->sample, o->f1);
    sim->message = said;
    if (!leapt) return FO_OK;
    trial r = try_from(sim, o->t0, o->x0, o->t1);
    return r.why.what ? say_on_step(sim, &r.why) : FO_OK;
}

// The solution may well stay on its side, and the method does not see that it does.
static fo_status say_pole(fo_simulation *sim, uint32_t i, double pole)
{
    const fo_system_type *type = sim->system.type;
    const fo_reference which = {FO_STATE, i};
    char name[64], text[260];
    bool told = type->expression && type->expression(sim->system.model, which, text, sizeof text);
    fo_system_name(sim->system, which, name, sizeof name);
    return fo_fail(
        &sim->message, FO_ERROR_STEP,
        "%s steps over a pole of the rate of '%s' near t = %.8g%s%s; what it gives behind "
        "it is no solution. Shorter steps (--max-step, --step) may show where it goes",
        sim->solver.method->info.name, name, pole, told ? ": " : "", told ? text : "");
}

// The second try has short steps: the first may have stepped over it as well.
fo_status foi_escape_at_pole(fo_simulation *sim, uint32_t i, double pole, double until)
{
    const foi_solver *o = &sim->solver;
    trial r = try_from(sim, o->t0, o->x0, until);
    if (!r.why.what && !is_trouble(r.status))
        r = try_with(sim, o->t0, o->x0, until, (until - o->t0) / 256);
    if (r.why.what) return say_on_step(sim, &r.why);
    verdict here = {A_RATE, i, r.t};
    return is_trouble(r.status) ? say_on_step(sim, &here) : say_pole(sim, i, pole);
}

fo_status foi_escape_near_pole(fo_simulation *sim, double until)
{
    const foi_solver *o = &sim->solver;
    trial r = try_from(sim, o->t0, o->x0, until);
    return r.why.what ? say_on_step(sim, &r.why) : FO_OK;
}
