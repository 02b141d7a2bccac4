/// Guards without enclosures: what samples tell of a segment.
///
/// Values and slopes at both ends and the value in the middle give a quartic; two more values,
/// where the next error term s^2 (1-s)^2 (s-1/2) is largest, measure how far the guard is from it.
/// In Bernstein form b0..b4 the quartic has at most as many roots as its coefficients have changes
/// of sign (Descartes): all on one side by more than four times that error, and there is no
/// crossing; one change, or all descending through zero, and there is exactly one. Otherwise the
/// segment is halved: the error of a smooth guard falls by 32 each time, so that a dip to zero and
/// back is cornered at its minimum however narrow it is; one that jumps contradicts the curve until
/// the jump is cornered between neighbouring doubles.
///
/// This is no proof: what lies between samples that all agree with a curve is not seen.
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "math/math.h"
#include "simulation/search.h"

/// How a slope is taken by two differences: around the point, or to its right.
typedef enum kind_of_slope { CENTRAL, RIGHT } kind_of_slope;

/// Over which part of the step; powers of two.
#define COARSE_BASE 0x1p-24
#define RIGHT_BASE  0x1p-17

// The tangent at p into f->x.lo; returns the states there.
static const double *tangent_at(foi_search *f, const foi_point *p)
{
    const double *x = p->theta == 0 ? f->o->x0 : p->theta == 1 ? f->o->x1 : f->w->x;
    if (x == f->w->x) foi_dense_at(f->o, p->theta, f->w->x);
    foi_dense_slope(f->o, p->theta, f->x.lo);
    f->last = NAN;
    return x;
}

// Guards at the point `by` along the tangent from p, where the states are x.
FOI_INLINE fo_status beside(foi_search *f, const foi_point *p, const double *x, double by,
                            double *g)
{
    const double *tangent = f->x.lo;
    double *moved = f->x.hi;
    uint32_t n = f->w->states;
    if (n == 2) // what a loop over two costs is seen here
        moved[0] = x[0] + by * tangent[0], moved[1] = x[1] + by * tangent[1];
    else
        for (uint32_t i = 0; i < n; i++) moved[i] = x[i] + by * tangent[i];
    return foi_search_values(f, p->theta + by, moved, g);
}

// d = dg/dtheta at p along the tangent (h, x'(theta)): by two differences exact where g is linear
// or quadratic in (t, x), however small the slope. To the right it is
// (4 g(delta) - g(2 delta) - 3 g(0)) / (2 delta).
static fo_status slopes(foi_search *f, foi_point *p, kind_of_slope kind, double delta)
{
    uint32_t guards = f->w->guards;
    if (!guards) return FO_OK;
    const double *x = tangent_at(f, p), *g = p->g, *other = f->probe;
    double *d = p->d;
    p->base = delta;
    fo_status status = beside(f, p, x, delta, d);
    if (status == FO_OK) status = beside(f, p, x, kind == RIGHT ? 2 * delta : -delta, f->probe);
    for (uint32_t i = 0; i < guards; i++)
        d[i] = kind == RIGHT ? (4 * d[i] - other[i] - 3 * g[i]) * (0.5 / RIGHT_BASE)
                             : (d[i] - other[i]) / (2 * delta);
    return status;
}

// By one difference: exact where g is linear. (A power of two: to multiply with its inverse gives
// the same bits.)
fo_status foi_sample_slopes(foi_search *f, foi_point *p)
{
    uint32_t guards = f->w->guards;
    if (!guards) return FO_OK;
    const double *x = tangent_at(f, p), *g = p->g;
    double *d = p->d;
    p->base = INFINITY;
    fo_status status = beside(f, p, x, COARSE_BASE, d);
    for (uint32_t i = 0; i < guards; i++) d[i] = (d[i] - g[i]) * (1 / COARSE_BASE);
    return status;
}

// A guard that leaves zero may do so with any slope, so that sign must be right.
fo_status foi_sample_begin(foi_search *f)
{
    const foi_watch *w = f->w;
    for (uint32_t i = 0; i < w->guards; i++)
        if (w->finding[i].sampled && w->ahead_guard[i].side == 0)
            return slopes(f, &f->a, RIGHT, RIGHT_BASE);
    return foi_sample_slopes(f, &f->a);
}

// Differences reach no farther than an eighth of the new segments: beyond a kink or a jump there is
// another slope.
fo_status foi_sample_split(foi_search *f, foi_point *m, foi_point *b)
{
    double width = m->theta - f->a.theta, base = foi_fmin(RIGHT_BASE, width / 8);
    if (width >= 1e-3) return foi_sample_slopes(f, m);
    fo_status status = slopes(f, m, CENTRAL, base);
    if (status == FO_OK && f->a.base > 2 * base) status = slopes(f, &f->a, CENTRAL, base);
    if (status == FO_OK && b->base > 2 * base) status = slopes(f, b, CENTRAL, base);
    return status;
}

fo_status foi_sample_inside(foi_search *f)
{
    if (f->probed || !f->w->guards) return FO_OK;
    double a = f->a.theta, width = foi_search_width(f);
    f->probed = true;
    fo_status status = foi_search_probe(f, a + 0.5 * width, f->middle);
    return status == FO_OK ? foi_search_probe(f, a + FOI_QUARTER * width, f->quarter) : status;
}

/// How the Bernstein coefficients lie around zero, each off it by more than the margin.
typedef enum signs { MIXED, ALL_ON_SIDE, ONE_CHANGE } signs;

static signs signs_of(const double *v, double margin)
{
    int changes = 0;
    bool positive = true; // v[0] is, or leaves zero that way
    for (int j = 1; j < 5; j++) {
        if (!(fabs(v[j]) > margin)) return MIXED;
        changes += (v[j] > 0) != positive;
        positive = v[j] > 0;
    }
    return changes == 0 ? ALL_ON_SIDE : changes == 1 ? ONE_CHANGE : MIXED;
}

static bool falls(const double *v, double margin)
{
    return v[0] - v[1] > margin && v[1] - v[2] > margin && v[2] - v[3] > margin &&
           v[3] - v[4] > margin;
}

static double bernstein(const double *v, double s)
{
    double r = 1 - s;
    return r * r * r * (r * v[0] + 4 * s * v[1]) +
           s * s * (6 * r * r * v[2] + s * (4 * r * v[3] + s * v[4]));
}

/// What the quartic says, from the left side of zero.
typedef enum course { STAYS, CROSSES_ONCE, UNKNOWN } course;

// The seventh value, where the sixth does not settle it: a guard that is a quartic to the last bits
// and no constant is one.
static double error_later(foi_search *f, uint32_t i, int side, const double *v, double error)
{
    if (error <= 0x1p-46 * fabs(v[0] - v[4])) return error;
    double theta = f->a.theta + FOI_LATER * foi_search_width(f);
    if (!f->probed_later && foi_search_probe(f, theta, f->later) != FO_OK) return INFINITY;
    f->probed_later = true;
    double later = fabs(side * f->later[i] - bernstein(v, FOI_LATER));
    return later <= error ? error : later;
}

static course course_of(foi_search *f, uint32_t i, int side)
{
    double *v = f->quartic;
    foi_search_quartic(f, i, side, v);
    f->quartic_of = i, f->quartic_side = side;
    double error = fabs(side * f->quarter[i] - bernstein(v, FOI_QUARTER));
    if (error < INFINITY) error = error_later(f, i, side, v, error);
    if (!(error < INFINITY)) return UNKNOWN;
    signs lie = signs_of(v, 4 * error);
    if (lie == ALL_ON_SIDE) return STAYS;
    // one change of sign is one root (Descartes), and so is a descent through zero
    if (lie == ONE_CHANGE) return CROSSES_ONCE;
    bool descends = falls(v, 2 * error);
    if (descends && v[4] <= 0) return CROSSES_ONCE;
    double turned[5] = {v[4], v[3], v[2], v[1], v[0]};
    if (v[4] > 0 && (descends || falls(turned, 2 * error))) return STAYS;
    return UNKNOWN;
}

// How far a guard's rounding errors reach was measured before the jump, and the jump may have made
// it smaller by many powers of ten: what was the voltage of a diode is its current from then on.
// Where it goes steadily to the side that is not held, from a place that is near zero beside that,
// this is no rounding error any more.
static bool goes_astray(const foi_search *f, uint32_t i, double end)
{
    const foi_guard_side *guard = &f->w->ahead_guard[i];
    double from = f->a.g[i], way = end - from;
    if (!guard->rests || !guard->held || end == 0 || fabs(end) > guard->slack) return false;
    if (!foi_guard_fires(guard, f->w->about[i], foi_sign_of(end))) return false;
    double off = foi_fmax(fabs(from + 0.5 * way - f->middle[i]),
                          fabs(from + FOI_QUARTER * way - f->quarter[i]));
    return off <= fabs(way) / 16 && fabs(from) <= fabs(way) / 16;
}

// From zero, or from within its rounding errors.
static foi_verdict leave_zero(foi_search *f, uint32_t i)
{
    foi_guard_side *guard = &f->w->ahead_guard[i];
    double end = f->stack[f->top].g[i];
    if (goes_astray(f, i, end)) guard->slack = 2 * fabs(f->a.g[i]);
    if (f->a.g[i] == 0 && f->quarter[i] == 0 && f->middle[i] == 0 && end == 0) {
        f->w->finding[i].flat = true;
        return foi_search_goes(f, i, 0, true);
    }
    int q = foi_guard_sign(guard, f->quarter[i]), m = foi_guard_sign(guard, f->middle[i]);
    int e = foi_guard_sign(guard, end);
    if (guard->rests && !q && !m && !e) return FOI_NOTHING_HERE;
    // where leaving is a moment, it is cornered by values: slopes are taken over a wider base than
    // the narrowest segments, and would see beyond the point at which it leaves
    if (!q || foi_guard_fires(guard, f->w->about[i], q)) return FOI_UNCLEAR;
    course to = course_of(f, i, q);
    if (to == UNKNOWN) return FOI_UNCLEAR;
    if (to == STAYS) return FOI_NOTHING_HERE;
    // it leaves and comes back, which counts from the side that it has left to
    foi_guard_side left = *guard;
    left.side = (int8_t)q, left.rests = false;
    if (!foi_guard_fires(&left, f->w->about[i], e)) return FOI_NOTHING_HERE;
    f->w->finding[i].from = (int8_t)q, f->w->finding[i].to = (int8_t)e;
    return FOI_CROSSES;
}

foi_verdict foi_search_sample(foi_search *f, uint32_t i)
{
    const foi_guard_side *guard = &f->w->ahead_guard[i];
    foi_finding *found = &f->w->finding[i];
    foi_tally *tally = &f->w->tally[i];
    int to = foi_guard_sign(guard, f->stack[f->top].g[i]);
    found->flat = found->at_once = false;
    tally->searched++;
    if (f->narrow || f->spent) {
        if (!f->narrow) foi_search_limited(f, i);
        return to == guard->side ? FOI_NOTHING_HERE : foi_search_goes(f, i, to, false);
    }
    if (!guard->side) return leave_zero(f, i);
    switch (course_of(f, i, guard->side)) {
    case STAYS: return to == guard->side ? FOI_NOTHING_HERE : FOI_UNCLEAR;
    case CROSSES_ONCE: return foi_search_goes(f, i, to, false);
    default: return FOI_UNCLEAR;
    }
}
