// Ideal delays: what the input was a fixed time ago.
#include <string.h>

#include "process/internal.h"

typedef struct sample {
    double t, value;
} sample;

struct fo_delay {
    foi_owned owned;
    fo_world *world;
    double duration, before;
    fo_expression *input;
    void *self;
    sample *samples; ///< times do not fall; two at one time are a jump
    size_t count, room;
    fo_reporter recorder;
};

static void destroy(foi_owned *owned, const fo_allocator *a)
{
    fo_delay *d = (fo_delay *)(void *)owned;
    foi_free(a, d->samples);
    foi_free(a, d);
}

// What nobody will ask for any more, save some for the interpolation.
static void forget(fo_delay *d)
{
    enum { SPARE = 3 };
    size_t old = 0;
    while (old < d->count && d->samples[old].t < d->world->now - d->duration) old++;
    if (old < d->count / 2 || old < 64) return;
    old -= SPARE;
    d->count -= old;
    memmove(d->samples, d->samples + old, d->count * sizeof *d->samples);
}

static void record(fo_world *w, void *self)
{
    fo_delay *d = self;
    sample now = {w->now, d->input(w, d->self)};
    if (d->count && d->samples[d->count - 1].t == now.t &&
        d->samples[d->count - 1].value == now.value)
        return;
    forget(d);
    if (!foi_array_room(w->allocator, &d->samples, &d->room, d->count + 1, sizeof *d->samples)) {
        foi_no_memory(w, "the memory of a delay");
        return;
    }
    d->samples[d->count++] = now;
}

fo_delay *fo_delay_create(fo_world *w, double duration, fo_expression *input, void *self,
                          double before)
{
    if (!(duration > 0) || !(w->def.dt_max > 0) || w->def.dt_max > duration) {
        foi_fail(w, FO_ERROR_ARGUMENT,
                 "a delay of %g needs a world with dt_max between 0 and that, not %g", duration,
                 w->def.dt_max);
        return NULL;
    }
    fo_delay *d = foi_new(w->allocator, 1, sizeof *d);
    if (!d) {
        foi_no_memory(w, "a delay");
        return NULL;
    }
    *d = (fo_delay){
        .world = w, .duration = duration, .before = before, .input = input, .self = self};
    foi_own(w, &d->owned, destroy);
    if (fo_reporter_start(w, &d->recorder, record, d, FO_EVERY_STEP) != FO_OK) return NULL;
    foi_world_compute_rates(w);
    record(w, d);
    return d;
}

// Lagrange's polynomial through up to four points.
static double through(const sample *s, size_t count, double t)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double part = s[i].value;
        for (size_t j = 0; j < count; j++)
            if (j != i) part *= (t - s[j].t) / (s[i].t - s[j].t);
        sum += part;
    }
    return sum;
}

double fo_delay_value(const fo_delay *d)
{
    const sample *s = d->samples;
    double t = d->world->now - d->duration;
    if (!d->count || t < s[0].t) return d->before;
    size_t lo = 0, hi = d->count; // s[lo].t <= t < s[hi].t
    while (hi - lo > 1) {
        size_t middle = (lo + hi) / 2;
        *(s[middle].t <= t ? &lo : &hi) = middle;
    }
    if (hi == d->count) return s[lo].value;
    // a point more on each side, where no jump lies between
    size_t first = lo > 0 && s[lo - 1].t < s[lo].t ? lo - 1 : lo;
    size_t last = hi + 1 < d->count && s[hi].t < s[hi + 1].t ? hi + 1 : hi;
    return through(s + first, last - first + 1, t);
}
