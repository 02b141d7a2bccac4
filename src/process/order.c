// Equations of higher order, and exponential delays: chains of levels.
#include "process/internal.h"

static fo_status stop_levels(fo_world *w, fo_level *x, size_t count)
{
    fo_status status = FO_OK;
    for (size_t i = 0; i < count && status == FO_OK; i++) status = fo_level_stop(w, &x[i]);
    return status;
}

static fo_status start_levels(fo_world *w, fo_level *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fo_status status = fo_level_start(w, &x[i]);
        if (status == FO_OK) continue;
        stop_levels(w, x, i);
        return status;
    }
    return FO_OK;
}

// ---------------------------------------------------------------------- equations of higher order

static void derive(fo_world *w, void *self)
{
    const fo_order *o = self;
    (void)w;
    for (size_t i = 0; i + 1 < o->order; i++) o->x[i].rate = o->x[i + 1].state;
}

fo_status fo_order_start(fo_world *w, fo_order *o, fo_level *x, size_t order)
{
    *o = (fo_order){.x = x, .order = order};
    fo_status status = start_levels(w, x, order);
    if (status == FO_OK) status = fo_continuous_start(w, &o->chain, derive, o);
    return status;
}

fo_status fo_order_stop(fo_world *w, fo_order *o)
{
    fo_status status = fo_continuous_stop(w, &o->chain);
    return status == FO_OK ? stop_levels(w, o->x, o->order) : status;
}

// ----------------------------------------------------------------------------- exponential delays

static void flow(fo_world *w, void *self)
{
    const fo_smooth *d = self;
    double in = d->input(w, d->self), per_stage = (double)d->order / d->duration;
    for (size_t i = 0; i < d->order; i++) {
        d->stages[i].rate = (in - d->stages[i].state) * per_stage;
        in = d->stages[i].state;
    }
}

fo_status fo_smooth_start(fo_world *w, fo_smooth *d, double output)
{
    if (!(d->duration > 0) || !d->order)
        return foi_fail(w, FO_ERROR_ARGUMENT,
                        "a delay needs a positive duration and order, not %g and %zu", d->duration,
                        d->order);
    for (size_t i = 0; i < d->order; i++)
        if (!d->stages[i].world) d->stages[i].state = output;
    fo_status status = start_levels(w, d->stages, d->order);
    return status == FO_OK ? fo_continuous_start(w, &d->flow, flow, d) : status;
}

fo_status fo_smooth_stop(fo_world *w, fo_smooth *d)
{
    fo_status status = fo_continuous_stop(w, &d->flow);
    return status == FO_OK ? stop_levels(w, d->stages, d->order) : status;
}
