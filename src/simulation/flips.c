/// Rates that jump where no moment is.
///
/// x' = if x > 0 then -1 else 1 slides on x = 0. Where the relation makes a guard, that is found
/// and the solution goes on along the surface. In noEvent, in a function, or in C without a guard
/// nobody knows of it: an adaptive method goes back and forth across the jump in steps of its
/// tolerance, some 1e-10 s each, and would do so for days.
///
/// So while steps are so short that a million of them would not end the run, it is looked whether
/// the rates jump some steps ahead: halving between here and there leaves all of the difference at
/// a billionth of the way, as nothing smooth does, however stiff; and the rates on the other side
/// lead back. Of the states, whose rates may all change (a block that sticks: its place with its
/// speed, its speed with the friction), those are tried of which most of the change lies in one
/// half.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

enum { AHEAD = 64, HALVES = 30, TRIES = 4 };

/// A line from a point along rates.
typedef struct line {
    foi_solver *o;
    double t, far;       ///< it ends at t + far
    const double *x, *f; ///< where it begins, and which way it goes
    double *at, *rate;   ///< a point of it, and the rates there
} line;

static bool rates_at(const line *l, double by)
{
    for (uint32_t i = 0; i < l->o->n; i++) l->at[i] = l->x[i] + by * l->f[i];
    return foi_rates(l->o, l->t + by, l->at, l->rate) == FO_OK;
}

// For each state how much more its rate changes in one half of the way than in the other, for its
// size.
static bool compare_halves(const line *l, double *uneven)
{
    uint32_t n = l->o->n;
    if (!rates_at(l, l->far)) return false;
    memcpy(uneven, l->rate, n * sizeof *uneven);
    if (!rates_at(l, l->far / 2)) return false;
    for (uint32_t i = 0; i < n; i++) {
        double a = l->f[i], b = uneven[i], m = l->rate[i], size = fabs(a) + fabs(b);
        uneven[i] = size > 0 ? fabs(fabs(m - a) - fabs(b - m)) / size : 0;
    }
    return true;
}

static uint32_t take_most(double *uneven, uint32_t n)
{
    uint32_t which = 0;
    for (uint32_t i = 1; i < n; i++)
        if (uneven[i] > uneven[which]) which = i;
    uneven[which] = -1;
    return which;
}

// Halves between both ends, where rate i is *a and *b; *by is behind the jump then.
static bool closes_in(const line *l, uint32_t i, double *a, double *b, double *by)
{
    double lo = 0, hi = l->far, whole = fabs(*b - *a);
    for (int k = 0; k < HALVES; k++) {
        double m = lo + (hi - lo) / 2;
        if (!rates_at(l, m)) return false;
        double r = l->rate[i];
        bool later = fabs(r - *a) < fabs(*b - r);
        *(later ? &lo : &hi) = m, *(later ? a : b) = r;
    }
    *by = hi;
    return fabs(*b - *a) >= 0.5 * whole && whole > 0x1p-10 * (fabs(*a) + fabs(*b));
}

static bool flips_of(line *l, double *there, uint32_t i)
{
    if (!rates_at(l, l->far)) return false;
    uint32_t n = l->o->n;
    double a = l->f[i], b = l->rate[i], by;
    if (!closes_in(l, i, &a, &b, &by) || !rates_at(l, by)) return false;
    memcpy(there, l->at, n * sizeof *there), memcpy(there + n, l->rate, n * sizeof *there);
    line back = *l;
    back.t = l->t + by, back.x = there, back.f = there + n;
    return rates_at(&back, l->far) && fabs(l->rate[i] - a) < fabs(l->rate[i] - b);
}

static bool flips(line *l, double *there, double *uneven, uint32_t *which)
{
    uint32_t n = l->o->n;
    if (!compare_halves(l, uneven)) return false;
    for (uint32_t k = 0; k < TRIES && k < n; k++) {
        *which = take_most(uneven, n);
        if (flips_of(l, there, *which)) return true;
    }
    return false;
}

bool foi_rates_flip(fo_simulation *sim, uint32_t *which)
{
    foi_solver *o = &sim->solver;
    if (!sim->system.type->rates || !o->n || foi_solver_f1(o) != FO_OK) return false;
    double *work = foi_new(sim->allocator, 7 * (size_t)o->n, sizeof *work);
    if (!work) return false; // then nothing is watched
    double *x = work + 4 * (size_t)o->n, *f = x + o->n;
    memcpy(x, o->x1, o->n * sizeof *x), memcpy(f, o->f1, o->n * sizeof *f);
    line l = {o, o->t1, AHEAD * (o->t1 - o->t0), x, f, work, work + o->n};
    bool is = flips(&l, work + 2 * (size_t)o->n, f + o->n, which);
    foi_free(sim->allocator, work);
    return is;
}
