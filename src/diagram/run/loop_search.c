// A solution of an algebraic loop where Newton's method finds none from the last one.
//
// Damping makes |F| smaller until it is as small as it gets nearby, which need not be zero: y = u +
// k cos(y) from y = 0, where the cosine is flat. So F is looked at farther and farther away. With
// one unknown a change of its sign is closed in on, as of every continuous function. With several,
// Newton's method begins anew from points spread over boxes that grow. What is found is looked at
// as what Newton's method finds is: at a pole or a jump there is a change of sign, too.
#include <string.h>

#include "diagram/run/loop.h"
#include "math/math.h"

enum {
    ROUNDS = 12, ///< sweeps around the loop
    NEAREST = -20,
    FAR = 30, ///< powers of two of the unit around the last solution: in steps of 1/FINE so far,
    FARTHEST = 1000, ///< and in whole ones
    FINE = 16,
    STARTS = 256,
    MAX_SWEEPS = 100000,
};

// z = G(z), which a loop that contracts comes to rest with, and Newton's method from some of these.
static bool go_round(foi_loop_work *w)
{
    for (int k = 0; k < ROUNDS; k++) {
        // where Newton's method has been in between is forgotten: the way is walked again
        memcpy(w->z, w->start, w->n * sizeof(double));
        for (int i = 0; i <= k; i++) {
            if (!foi_loop_sweep(w, w->z, w->f)) return false;
            for (uint32_t c = 0; c < w->n; c++) w->z[c] += w->f[c];
        }
        if (foi_loop_newton(w)) return true;
    }
    return false;
}

// ------------------------------------------------------------------------------------ one unknown

/// A place and what F is there; not a number where it has no value.
typedef struct point {
    double z, f;
} point;

static point look(foi_loop_work *w, double z)
{
    double f;
    return (point){z, foi_loop_sweep(w, &z, &f) ? f : (double)NAN};
}

static bool is_between(double low, double z, double high)
{
    return (low < z && z < high) || (high < z && z < low);
}

// Between a and b F changes its sign: down to neighbouring doubles, of which the better one counts.
static bool close_in(foi_loop_work *w, point a, point b)
{
    for (;;) {
        double middle = a.z + (b.z - a.z) / 2;
        if (!is_between(a.z, middle, b.z)) break;
        point m = look(w, middle);
        if (isnan(m.f)) return false;
        if ((m.f > 0) == (a.f > 0))
            a = m;
        else
            b = m;
    }
    w->z[0] = fabs(a.f) < fabs(b.f) ? a.z : b.z;
    return foi_loop_sweep(w, w->z, w->f) && foi_loop_solved(w);
}

/// The last three places on one side.
typedef struct path {
    point at[3];
} path;

// |F| was smallest in the middle of three: golden section, until it has changed its sign.
static bool dip(foi_loop_work *w, const path *p)
{
    point low = p->at[0], best = p->at[1], high = p->at[2];
    for (int k = 0; k < 40; k++) {
        bool upper = fabs(high.z - best.z) > fabs(best.z - low.z);
        double end = upper ? high.z : low.z;
        point m = look(w, best.z + 0.381966011250105 * (end - best.z));
        if (isnan(m.f)) return false;
        if (m.f * best.f <= 0) return close_in(w, best, m);
        bool better = fabs(m.f) < fabs(best.f);
        point out = better ? best : m;
        if (better) best = m;
        if (upper == better)
            low = out;
        else
            high = out;
    }
    return false;
}

static bool step_on(foi_loop_work *w, path *p, double z)
{
    p->at[0] = p->at[1], p->at[1] = p->at[2], p->at[2] = look(w, z);
    double f[3] = {p->at[0].f, p->at[1].f, p->at[2].f};
    if (f[1] * f[2] < 0 || f[2] == 0) return close_in(w, p->at[1], p->at[2]);
    bool small = fabs(f[1]) < fabs(f[0]) && fabs(f[1]) < fabs(f[2]);
    return small && f[0] * f[1] > 0 && dip(w, p);
}

// Outwards on both sides by turns, so that a near solution is found before a far one.
static bool search_one(foi_loop_work *w, double unit)
{
    path sides[2];
    for (int k = 0; k < 6; k++) sides[k / 3].at[k % 3] = look(w, w->start[0]);
    for (int k = NEAREST * FINE; k <= FARTHEST * FINE; k += k < FAR * FINE ? 1 : FINE) {
        double far = unit * foi_exp2((double)k / FINE);
        if (!isfinite(far)) break;
        if (step_on(w, &sides[0], w->start[0] + far)) return true;
        if (step_on(w, &sides[1], w->start[0] - far)) return true;
    }
    return false;
}

// --------------------------------------------------------------------------------- several
// unknowns

// Element i of point k in [-1, 1]: multiples of square roots that have no ratio, without their
// whole parts (Weyl's sequence).
static double spread(uint32_t k, uint32_t i)
{
    double step = k * sqrt(2.0 + i + (double)i * i);
    return 2 * (step - floor(step)) - 1;
}

// A point with the distance of `power` octaves of each unknown's own unit, which is what it was or
// what is left of it.
static void begin_at(foi_loop_work *w, const double *units, uint32_t k, double unit)
{
    double far = foi_exp2((double)(k % 32) / 2 - 4);
    for (uint32_t i = 0; i < w->n; i++)
        w->z[i] = w->start[i] + far * (units[i] > 0 ? units[i] : unit) * spread(k + 1, i);
}

static bool search_several(foi_loop_work *w, double unit)
{
    // the noise of a point is measured last: until then its place is free
    for (uint32_t k = 0; k < STARTS && w->sweeps < MAX_SWEEPS; k++) {
        bool fine = foi_loop_sweep(w, w->start, w->f);
        for (uint32_t i = 0; i < w->n; i++)
            w->noise[i] = foi_fmax(fabs(w->start[i]), fine ? fabs(w->f[i]) : 0);
        begin_at(w, w->noise, k, unit);
        if (foi_loop_newton(w)) return true;
    }
    return false;
}

bool foi_loop_search(foi_loop_work *w)
{
    double unit = 0;
    bool fine = foi_loop_sweep(w, w->start, w->f);
    for (uint32_t i = 0; i < w->n; i++)
        unit = foi_fmax(unit, foi_fmax(fabs(w->start[i]), fine ? fabs(w->f[i]) : 0));
    if (unit == 0) unit = foi_loop_extent(w);
    if (!(unit > 0) || !isfinite(unit)) unit = 1; // there is no other number in this loop
    if (go_round(w)) return true;
    return w->n == 1 ? search_one(w, unit) : search_several(w, unit);
}
