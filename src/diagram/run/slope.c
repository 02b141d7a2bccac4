// How fast a signal changes along the solution: the central difference over a short way
//
//     u' = (u(t + e, x + e x') - u(t - e, x - e x')) / (2 e)
//
// with an error of e^2 u'''/6 and some 1e-16/e of rounding. Nodes that switch where their input
// turns round need it. The diagram is evaluated a second time into a space of its own; memory is
// only read.
//
// How short the way has to be nobody knows beforehand: signals may be faster than the document's
// step by any factor. So it begins at a 2^-10 part of that, and is shortened until half of it gives
// the same but for a 2^-12 part of how fast u changes on it, or rounding errors hide that.
#include <float.h>
#include <math.h>

#include "diagram/diagram.h"
#include "math/math.h"

void foi_slopes_want(foi_build *b)
{
    b->diagram->slopes = true;
}

size_t foi_slopes_size(const foi_diagram *d)
{
    return d->slopes ? (size_t)d->width + d->guard_count + 2 * (size_t)d->state_count : 0;
}

static double value_beyond(const foi_node *n, foi_run *r, double e, const double *dx, uint32_t i)
{
    const foi_diagram *d = r->diagram;
    foi_run q = *r;
    double *x = (double *)dx + d->state_count;
    for (uint32_t k = 0; k < d->state_count; k++) x[k] = r->x[k] + e * dx[k];
    q.t = r->t + e;
    q.x = x;
    q.x_new = NULL;
    q.refresh = q.settling = q.starting = q.tick = false;
    q.beside = true;
    q.mover = NULL;
    q.signals = r->signals + d->width + d->guard_count;
    q.guards = q.signals + d->width;
    foi_evaluate_beside(&q);
    if (r->status == FO_OK) r->status = q.status;
    foi_array u = foi_in(n, &q, 0);
    return foi_real_at(&u, i);
}

// Over e to either side; *most is how fast u changes on the faster of them.
static double over(const foi_node *n, foi_run *r, double e, const double *dx, uint32_t i,
                   double *most)
{
    foi_array u = foi_in(n, r, 0);
    double now = foi_real_at(&u, i);
    double after = value_beyond(n, r, e, dx, i), before = value_beyond(n, r, -e, dx, i);
    *most = foi_fmax(fabs(after - now), fabs(now - before)) / e;
    return (after - before) / (2 * e);
}

double foi_slope(const foi_node *n, foi_run *r, uint32_t i)
{
    enum { TIMES = 12 };
    const foi_diagram *d = r->diagram;
    double *dx = r->signals + 2 * ((size_t)d->width + d->guard_count), most, next;
    for (uint32_t k = 0; k < d->flowing_count; k++)
        d->flowing[k]->type->rates(d->flowing[k], r, dx + d->flowing[k]->state);
    foi_array in = foi_in(n, r, 0);
    double size = fabs(foi_real_at(&in, i)), late = fabs(r->t);
    double e = 0x1p-10 * d->step, shortest = 0x1p-34 * late, slope = 0;
    for (int k = 0; k < TIMES; k++) {
        e = foi_fmax(e, shortest), e = (r->t + e) - r->t; // exactly between two doubles
        slope = over(n, r, e, dx, i, &next);
        double half = over(n, r, e / 2, dx, i, &most);
        double hidden = 8 * DBL_EPSILON * (size / e + late / e * most);
        if (fabs(slope - half) <= 0x1p-12 * foi_fmax(most, next) + hidden || e <= shortest) break;
        e *= 0x1p-5;
    }
    return slope;
}
