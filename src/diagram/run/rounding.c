// What rounding errors can do to a guard at a moment: the width of its enclosure over a box of some
// units in the last place around (t, x), as many as states gather from step to step
// (simulation/together.c), and of what the states move in as many of time. None where zero is not
// in it, where the guard may jump, and where a diagram has no expressions.
#include <float.h>
#include <string.h>

#include "diagram/diagram.h"
#include "diagram/run/terms.h"

enum { ULPS = 64 };

// scratch: of the nodes | rates and states beside the moment | box | guards | natures | began |
// memory | states ahead
size_t foi_rounding_size(const foi_diagram *d)
{
    size_t guards = d->guard_count, states = d->state_count;
    return guards ? 3 * states + 4 * guards + d->memory_count : 0;
}

double *foi_memory_beside(const foi_run *r)
{
    return foi_guards_began(r) + r->diagram->guard_count;
}

double *foi_states_ahead(const foi_run *r)
{
    return foi_memory_beside(r) + r->diagram->memory_count;
}

double *foi_guards_began(const foi_run *r)
{
    const foi_diagram *d = r->diagram;
    return (double *)r->s->scratch + d->width + foi_slopes_size(d) + 4 * (size_t)d->state_count +
           4 * (size_t)d->guard_count;
}

fo_status foi_diagram_rounding(const foi_run *r, uint32_t guard, double *width)
{
    const foi_diagram *d = r->diagram;
    size_t n = d->state_count, c = d->guard_count;
    *width = 0;
    if (!d->lowered) return FO_OK;
    double *rates = (double *)r->s->scratch + d->width + c + foi_slopes_size(d);
    double *lo = rates + 2 * n, *hi = lo + n, *from = hi + n, *to = from + c;
    uint8_t *nature = (uint8_t *)(to + c);
    double part = ULPS * DBL_EPSILON;
    foi_lowered_rates(d->lowered, r->s, r->t, r->x, rates);
    for (size_t i = 0; i < n; i++) {
        double way = part * fabs(r->t * rates[i]);
        double reach = part * fabs(r->x[i]) + (way < INFINITY ? way : 0);
        lo[i] = r->x[i] - reach, hi[i] = r->x[i] + reach;
    }
    for (size_t i = 0; i < c; i++) from[i] = -INFINITY, to[i] = INFINITY;
    memset(nature, 0, c);
    fo_stretch on = {.t_lo = r->t - part * fabs(r->t), .t_hi = r->t + part * fabs(r->t)};
    on.x = (fo_bounds){lo, hi};
    fo_enclosure e = {.g = {from, to}, .nature = nature};
    fo_status status = foi_lowered_bounds(d->lowered, r->s, &on, &e);
    bool hides = from[guard] <= 0 && to[guard] >= 0 && nature[guard] == 0;
    if (status == FO_OK && hides && to[guard] - from[guard] < INFINITY)
        *width = to[guard] - from[guard];
    return status;
}
