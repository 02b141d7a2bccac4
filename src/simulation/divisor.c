/// What rates divide by passes zero on a step: the rate has a pole there, and no step may pass it.
///
/// der(x) = 1/(1 - x) has a solution until x = 1, and none behind. A step over that ends somewhere,
/// with a number that means nothing: of a fixed one nobody asks, and an adaptive one may find its
/// error small, where the pole is narrow or the iteration lands behind it by chance. So wherever a
/// divisor (fo_system_type.divisors) has changed its sign on a step, the place is closed in on, and
/// the rates are looked at on the way there, on both sides: where one grows like a power of the
/// distance, of order 0.8 or more, at the last three sixteenths, that is the end of the run.
/// sin(x)/x does not grow; log(abs(x)) and abs(x)^(-1/2) do, but slowly, so that the state goes on:
/// methods pass that as well as they can.
///
/// A divisor may touch zero without changing its sign (1 - cos(x), x^2 + y^2), and a fixed step may
/// throw the state back from where a pole is. There the divisor changes by more than half, and so
/// do the rates. Then an adaptive method is asked whether it gets across the step.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

/// A divisor that passes zero on the last step, in parts of its length.
typedef struct passage {
    fo_simulation *sim;
    uint32_t which;
    double from, to;      ///< where the signs differ
    double left, right;   ///< the place, closed in on
    double least;         ///< |divisor| that counts as none there
    double *x, *f, *last; ///< per state
    uint8_t *grown;       ///< per state: how many sixteenths in a row
} passage;

enum { SIXTEENTHS = 3 };
#define NO_STATE UINT32_MAX

static bool matter(const fo_simulation *sim)
{
    const fo_system_type *type = sim->system.type;
    return type->divisors && type->divisor_count && type->rates && sim->state.s.shape.states &&
           !foi_is_implicit(sim) && !type->lockstep && !type->stepper;
}

fo_status foi_divisors_fit(fo_simulation *sim)
{
    foi_divisors *d = &sim->divisors;
    size_t n = sim->state.s.shape.states, count = sim->system.type->divisor_count;
    foi_free(sim->allocator, d->block);
    *d = (foi_divisors){0};
    if (!matter(sim)) return FO_OK;
    d->block = foi_new(sim->allocator, 3 * count + 4 * n, sizeof *d->block);
    if (!d->block) return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for the simulation");
    d->now = d->block, d->begin = d->now + count, d->end = d->begin + count;
    d->x0 = d->end + count, d->x1 = d->x0 + n, d->f0 = d->x1 + n, d->f1 = d->f0 + n;
    d->changes = true, d->at = NAN; // of what was before nothing is known
    return FO_OK;
}

static fo_status divisors_at(fo_simulation *sim, double t, const double *x, double *to)
{
    const fo_system *system = &sim->system;
    fo_status status = system->type->divisors(system->model, &sim->state.s, t, x, to);
    if (status != FO_OK) sim->message.status = FO_OK, sim->message.text[0] = 0; // nobody asked
    return status;
}

static fo_status rates_at(fo_simulation *sim, double t, const double *x, double *to)
{
    const fo_system *system = &sim->system;
    fo_status status = system->type->rates(system->model, &sim->state.s, t, x, to);
    if (status != FO_OK) sim->message.status = FO_OK, sim->message.text[0] = 0;
    return status;
}

static double time_at(const fo_simulation *sim, double theta)
{
    const foi_solver *o = &sim->solver;
    return theta >= 1 ? o->t1 : o->t0 + theta * (o->t1 - o->t0);
}

// The divisor at a place of the step; not a number where it has none.
static double divisor_at(const passage *p, double theta)
{
    fo_simulation *sim = p->sim;
    double *values = sim->divisors.now;
    foi_dense_at(&sim->solver, theta, p->x);
    fo_status status = divisors_at(sim, time_at(sim, theta), p->x, values);
    return status == FO_OK ? values[p->which] : NAN;
}

// ------------------------------------------------------------------------------------ the place

static void close_in(passage *p, double d_left)
{
    double d_right = 0;
    p->left = p->from, p->right = p->to;
    p->least = fabs(d_left);
    for (;;) {
        double middle = p->left + (p->right - p->left) / 2;
        if (!(middle > p->left && middle < p->right)) break;
        double d = divisor_at(p, middle);
        if ((d < 0) == (d_left < 0) && d != 0)
            p->left = middle, p->least = fabs(d);
        else
            p->right = middle, d_right = fabs(d);
    }
    if (d_right > p->least) p->least = d_right;
}

// Looks at the rates at one distance from the place. False where it is as near as one can see.
static bool look_at(passage *p, double theta, bool first)
{
    fo_simulation *sim = p->sim;
    const double growth = 9.19; // 16^0.8
    double d = divisor_at(p, theta);
    if (!(fabs(d) > 64 * p->least)) return false;
    if (rates_at(sim, time_at(sim, theta), p->x, p->f) != FO_OK) return false;
    for (uint32_t i = 0; i < sim->solver.n; i++) {
        bool grows = !first && fabs(p->f[i]) > growth * p->last[i];
        p->grown[i] = grows ? p->grown[i] + 1 : 0;
        p->last[i] = fabs(p->f[i]);
    }
    return true;
}

// The state whose rate goes to infinity towards the place from one side; NO_STATE: none.
static uint32_t grows_towards(passage *p, double from, double place)
{
    double part = 1;
    for (int k = 0; part > 0x1p-50; k++, part /= 16)
        if (!look_at(p, place + part * (from - place), k == 0)) break;
    for (uint32_t i = 0; i < p->sim->solver.n; i++)
        if (p->grown[i] >= SIXTEENTHS) return i;
    return NO_STATE;
}

static fo_status no_memory(fo_simulation *sim)
{
    return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory to look at a pole");
}

static fo_status look_closely(fo_simulation *sim, uint32_t which, double from, double to, double d)
{
    uint32_t n = sim->solver.n;
    double *room = foi_new(sim->allocator, 3 * (size_t)n, sizeof *room);
    uint8_t *grown = foi_new(sim->allocator, n, sizeof *grown);
    fo_status status = room && grown ? foi_solver_dense(&sim->solver) : no_memory(sim);
    if (status == FO_OK) {
        passage p = {.sim = sim, .which = which, .from = from, .to = to};
        p.x = room, p.f = room + n, p.last = room + 2 * (size_t)n, p.grown = grown;
        close_in(&p, d);
        uint32_t i = grows_towards(&p, p.from, p.left);
        if (i == NO_STATE) i = grows_towards(&p, p.to, p.right);
        if (i != NO_STATE)
            status = foi_escape_at_pole(sim, i, time_at(sim, p.right), time_at(sim, to));
    }
    foi_free(sim->allocator, room);
    foi_free(sim->allocator, grown);
    return status;
}

// ----------------------------------------------------------------------------------------- a step

static bool has_trait(const fo_simulation *sim, unsigned trait)
{
    return sim->solver.method->info.traits & trait;
}

// The rates at both ends of the step. False where there are none.
static bool find_rates(fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    const foi_divisors *d = &sim->divisors;
    return rates_at(sim, o->t0, o->x0, d->f0) == FO_OK &&
           rates_at(sim, o->t1, o->x1, d->f1) == FO_OK;
}

// Whether some rate changes by a good part on the step: near a pole they do.
static bool rates_change(fo_simulation *sim)
{
    const double *f0 = sim->divisors.f0, *f1 = sim->divisors.f1;
    for (uint32_t i = 0; i < sim->solver.n; i++)
        if (!(fabs(f1[i] - f0[i]) <= 0.25 * foi_fmax(fabs(f0[i]), fabs(f1[i])))) return true;
    return false;
}

// Whether a state stays where it is though its rate is large at both ends: the iteration of a stiff
// method has found a solution of its own equations, with stages behind a pole.
static bool stands_still(const fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    const double *f0 = sim->divisors.f0, *f1 = sim->divisors.f1, h = o->t1 - o->t0;
    for (uint32_t i = 0; i < o->n; i++) {
        double moved = fabs(o->x1[i] - o->x0[i]) + o->atol + o->rtol * fabs(o->x1[i]);
        if (h * foi_fmin(fabs(f0[i]), fabs(f1[i])) > 100 * moved) return true;
    }
    return false;
}

// Whether it is worth while to ask another method about the step.
static bool is_doubtful(fo_simulation *sim, bool near)
{
    if (!has_trait(sim, FO_ADAPTIVE)) return near && (!find_rates(sim) || rates_change(sim));
    return has_trait(sim, FO_STIFF) && find_rates(sim) && stands_still(sim);
}

// What a divisor has done from a to b.
static bool passes_zero(double a, double b)
{
    return (a < 0 && b > 0) || (a > 0 && b < 0);
}

static bool changes_much(double a, double b)
{
    return 1.5 * foi_fmin(fabs(a), fabs(b)) < foi_fmax(fabs(a), fabs(b));
}

// A state of the last step at a time of it; `room` where it lies between the ends.
static const double *state_at(fo_simulation *sim, double t, double *room)
{
    foi_solver *o = &sim->solver;
    if (t >= o->t1) return o->x1;
    if (t <= o->t0) return o->x0;
    foi_dense_at(o, (t - o->t0) / (o->t1 - o->t0), room);
    return room;
}

fo_status foi_divisors_between(fo_simulation *sim, double from, double to)
{
    foi_solver *o = &sim->solver;
    foi_divisors *d = &sim->divisors;
    const uint32_t count = sim->system.type->divisor_count;
    double length = o->t1 - o->t0;
    from = foi_fmax(from, o->t0);
    if (!(to > from)) return FO_OK;
    fo_status status = from > o->t0 || to < o->t1 ? foi_solver_dense(o) : FO_OK;
    if (status != FO_OK) return status;
    // where they are not known the steps before and after must do
    d->at = NAN;
    if (divisors_at(sim, from, state_at(sim, from, d->x0), d->begin) != FO_OK ||
        divisors_at(sim, to, state_at(sim, to, d->x1), d->end) != FO_OK)
        return FO_OK;
    double a = (from - o->t0) / length, b = foi_fmin(1, (to - o->t0) / length);
    bool changes = false;
    for (uint32_t i = 0; i < count && status == FO_OK; i++) {
        if (passes_zero(d->begin[i], d->end[i])) status = look_closely(sim, i, a, b, d->begin[i]);
        changes |= changes_much(d->begin[i], d->end[i]);
    }
    bool near = changes || d->changes;
    d->changes = changes;
    return status == FO_OK && is_doubtful(sim, near) ? foi_escape_near_pole(sim, to) : status;
}

// d->end becomes d->begin of the next step.
bool foi_divisors_clear(fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    foi_divisors *d = &sim->divisors;
    const uint32_t count = sim->system.type->divisor_count;
    if (d->changes || has_trait(sim, FO_STIFF)) return false;
    if (d->at != o->t0 && divisors_at(sim, o->t0, o->x0, d->end) != FO_OK) return false;
    double *last = d->begin;
    d->begin = d->end, d->end = last;
    if (divisors_at(sim, o->t1, o->x1, d->end) != FO_OK) return false;
    bool adaptive = has_trait(sim, FO_ADAPTIVE), clear = true;
    for (uint32_t i = 0; i < count; i++)
        clear &= !passes_zero(d->begin[i], d->end[i]) &&
                 (adaptive || !changes_much(d->begin[i], d->end[i]));
    d->at = o->t1;
    return clear;
}
