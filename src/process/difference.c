// Difference equations: a process that repeats itself at even times.
#include "math/math.h"
#include "process/internal.h"

/// What a process of difference equations knows.
typedef struct difference {
    foi_owned owned;
    fo_actions *update;
    void *self;
    double interval;
} difference;

static void destroy(foi_owned *owned, const fo_allocator *a)
{
    foi_free(a, owned);
}

static void repeat(fo_world *w, void *self)
{
    const difference *d = self;
    double begun = w->now;
    for (uint64_t n = 1;; n++) {
        d->update(w, d->self);
        fo_hold(w, foi_fmax(0, begun + (double)n * d->interval - w->now));
    }
}

fo_process *fo_difference_start(fo_world *w, fo_actions *update, void *self, double interval)
{
    if (!(interval > 0)) {
        foi_fail(w, FO_ERROR_ARGUMENT, "difference equations need a positive interval, not %g",
                 interval);
        return NULL;
    }
    difference *d = foi_new(w->allocator, 1, sizeof *d);
    if (!d) {
        foi_no_memory(w, "difference equations");
        return NULL;
    }
    d->update = update, d->self = self, d->interval = interval;
    foi_own(w, &d->owned, destroy);
    fo_process *p = fo_process_create(w, "difference equations", repeat, d);
    return p && fo_activate(p) == FO_OK ? p : NULL;
}

fo_status fo_difference_stop(fo_process *p)
{
    return fo_cancel(p);
}
