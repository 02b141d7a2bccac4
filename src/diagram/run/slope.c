// How fast a signal changes along the solution: the central difference over a short way
//
//     u' = (u(t + e, x + e x') - u(t - e, x - e x')) / (2 e)
//
// with an error of e^2 u'''/6 and some 1e-16/e of rounding. Nodes that switch where their input
// turns round need it. The diagram is evaluated a second time into a space of its own; memory is
// only read.
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
    q.signals = r->signals + d->width + d->guard_count;
    q.guards = q.signals + d->width;
    foi_evaluate_beside(&q);
    if (r->status == FO_OK) r->status = q.status;
    foi_array u = foi_in(n, &q, 0);
    return foi_real_at(&u, i);
}

double foi_slope(const foi_node *n, foi_run *r, uint32_t i)
{
    const foi_diagram *d = r->diagram;
    double e = 1e-5 * foi_fmax(1, fabs(r->t));
    double *dx = r->signals + 2 * ((size_t)d->width + d->guard_count);
    for (uint32_t k = 0; k < d->flowing_count; k++)
        d->flowing[k]->type->rates(d->flowing[k], r, dx + d->flowing[k]->state);
    double after = value_beyond(n, r, e, dx, i), before = value_beyond(n, r, -e, dx, i);
    return (after - before) / (2 * e);
}
