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
#include "simulation/samples.h"
#include "simulation/search.h"

/// How a slope is taken by two differences: around the point, or to its right.
typedef enum kind_of_slope { CENTRAL, RIGHT } kind_of_slope;

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
        d[i] =
            kind == RIGHT ? foi_slope_right(g[i], d[i], other[i]) : (d[i] - other[i]) / (2 * delta);
    return status;
}

fo_status foi_sample_slopes(foi_search *f, foi_point *p)
{
    uint32_t guards = f->w->guards;
    if (!guards) return FO_OK;
    const double *x = tangent_at(f, p), *g = p->g;
    double *d = p->d;
    p->base = INFINITY;
    fo_status status = beside(f, p, x, FOI_COARSE_BASE, d);
    for (uint32_t i = 0; i < guards; i++) d[i] = foi_slope_coarse(g[i], d[i]);
    return status;
}

// A guard that leaves zero may do so with any slope, so that sign must be right.
fo_status foi_sample_begin(foi_search *f)
{
    const foi_watch *w = f->w;
    for (uint32_t i = 0; i < w->guards; i++)
        if (w->finding[i].sampled && w->ahead_guard[i].side == 0)
            return slopes(f, &f->a, RIGHT, FOI_RIGHT_BASE);
    return foi_sample_slopes(f, &f->a);
}

// Differences reach no farther than an eighth of the new segments: beyond a kink or a jump there is
// another slope.
fo_status foi_sample_split(foi_search *f, foi_point *m, foi_point *b)
{
    double width = m->theta - f->a.theta, base = foi_fmin(FOI_RIGHT_BASE, width / 8);
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

// The seventh value, for all guards.
static bool take_later(void *self, foi_samples *s)
{
    foi_search *f = self;
    double theta = f->a.theta + FOI_LATER * foi_search_width(f);
    if (!f->probed_later && foi_search_probe(f, theta, f->later) != FO_OK) return false;
    f->probed_later = true;
    s->later = f->later[s->found - f->w->finding];
    return true;
}

foi_samples foi_samples_of(const foi_search *f, uint32_t i)
{
    const foi_point *b = &f->stack[f->top];
    foi_watch *w = f->w;
    return (foi_samples){.guard = &w->ahead_guard[i],
                         .about = w->about[i],
                         .found = &w->finding[i],
                         .a = f->a.theta,
                         .width = foi_search_width(f),
                         .at_a = f->a.g[i],
                         .slope_a = f->a.d[i],
                         .quarter = f->quarter[i],
                         .middle = f->middle[i],
                         .at_b = b->g[i],
                         .slope_b = b->d[i],
                         .later = f->later[i],
                         .has_later = f->probed_later};
}

foi_verdict foi_search_sample(foi_search *f, uint32_t i)
{
    const foi_guard_side *guard = &f->w->ahead_guard[i];
    foi_finding *found = &f->w->finding[i];
    foi_tally *tally = &f->w->tally[i];
    found->flat = found->at_once = false;
    tally->searched++;
    if (f->narrow || f->spent) {
        int to = foi_guard_sign(guard, f->stack[f->top].g[i]);
        if (!f->narrow) foi_search_limited(f, i);
        return to == guard->side ? FOI_NOTHING_HERE : foi_search_goes(f, i, to, false);
    }
    foi_samples s = foi_samples_of(f, i);
    return foi_samples_verdict(&s, take_later, f);
}
