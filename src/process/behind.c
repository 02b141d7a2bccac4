/// Impacts that a process makes, and what they do not hold.
///
/// A ball is a process that waits until its height falls through zero, turns its speed round and
/// waits again. When its hops have become lower than rounding errors, or the impact takes all of
/// its speed, the height does not come back above zero: nothing crosses any more, and the ball
/// falls through the floor. Processes cannot be tried on a copy, so the world does not rest as
/// texts and systems do. It ends with a message.
///
/// That is so where a process waits for what has just come true, in the same direction; where the
/// events of that instant have turned the guard round, by its slopes along the rates before and
/// after; and where the step after it, in which no event happens, ends with the guard behind zero:
/// by more than a millionth of the way that it comes, at the speed with which it came, in as long
/// as it was waited for.
#include <float.h>

#include "math/math.h"

#include "process/internal.h"

// The guard at some time beside the present, along the rates; the levels are in w->dense.
static double beside(fo_world *w, const foi_sentry *s, double by)
{
    double now = w->now;
    for (size_t i = 0; i < w->levels.count; i++)
        w->levels.at[i]->state = w->dense[i] + by * w->levels.at[i]->rate;
    w->now += by;
    foi_world_compute_rates(w);
    double value = foi_sentry_value(w, s);
    w->now = now;
    for (size_t i = 0; i < w->levels.count; i++) w->levels.at[i]->state = w->dense[i];
    foi_world_compute_rates(w);
    return value;
}

// How fast the guard changes along the rates: over a way that is long beside rounding errors; 0
// where that is not known.
static double slope(fo_world *w, const foi_sentry *s)
{
    size_t n = w->levels.count;
    double by = 0x1p-12 * (w->now - w->began);
    foi_world_compute_rates(w);
    if (!s->expression) return s->level->rate;
    if (!(by > 0) || !foi_array_room(w->allocator, &w->dense, &w->dense_room, n, sizeof(double)))
        return 0;
    for (size_t i = 0; i < n; i++) w->dense[i] = w->levels.at[i]->state;
    double after = beside(w, s, by), before = beside(w, s, -by);
    return (after - before) / (2 * by);
}

// How far the last bits of the levels move the guard.
static double rounding(fo_world *w, const foi_sentry *s)
{
    if (!s->expression) return DBL_EPSILON * (fabs(s->level->state) + fabs(s->value));
    double at = foi_sentry_value(w, s), sum = 0;
    for (size_t i = 0; i < w->levels.count; i++) {
        fo_level *l = w->levels.at[i];
        double state = l->state;
        l->state = state * (1 + DBL_EPSILON);
        foi_world_compute_rates(w);
        sum += fabs(foi_sentry_value(w, s) - at);
        l->state = state;
    }
    foi_world_compute_rates(w);
    return sum;
}

static void cannot_hop(fo_world *w, const fo_process *p)
{
    char text[64];
    const foi_sentry *s = p->sentry;
    const char *name = s->how.name, *quote = name ? "'" : "";
    foi_fail(w, FO_ERROR_ZENO,
             "%s has turned %s%s%s round at t = %.15g, but it does not come back: its hops are too "
             "small to be seen, or there are none; a process has to hold it at rest before that",
             foi_process_text(p, text, sizeof text), quote, name ? name : "what it waits for",
             quote, s->since);
}

static double way_of(const foi_sentry *s)
{
    return s->direction == FO_RISING ? 1 : -1;
}

// A hop that took so long and ended so fast was a quarter of that high. Methods that begin with
// order 1 may even find it to come down while it still goes up.
void foi_sentry_hopped(fo_world *w, const fo_process *p)
{
    const foi_sentry *s = p->sentry;
    double took = w->now - s->since;
    if (s->hops && way_of(s) * s->came < 0) {
        cannot_hop(w, p);
        return;
    }
    if (!s->hops || !(took < 0x1p-16 * (w->now - w->began))) return;
    if (fabs(s->came) * took / 4 <= 4 * rounding(w, s)) cannot_hop(w, p);
}

void foi_sentry_came(fo_world *w, foi_sentry *s)
{
    double speed = slope(w, s);
    if (speed != 0) s->came = speed; // too slow to be seen: as before
    s->depth = 0x1p-20 * fabs(s->came) * (w->now - s->since);
    s->woken_at = w->now;
}

void foi_sentry_again(fo_world *w, foi_sentry *s, const foi_sentry *last)
{
    bool same = s->expression == last->expression && s->level == last->level &&
                s->value == last->value && s->self == last->self && !s->condition &&
                s->direction == last->direction && s->direction != FO_EITHER;
    s->since = w->now, s->behind = NAN;
    s->again = same && last->woken_at == w->now && last->came != 0;
    if (s->again) s->came = last->came, s->depth = last->depth;
}

void foi_sentry_turned(fo_world *w, foi_sentry *s, double now)
{
    double speed = slope(w, s);
    bool turned = way_of(s) * s->came > 0 && way_of(s) * speed <= 0;
    s->again = false, s->hops = turned;
    s->behind = turned ? foi_fmax(s->depth, 0x1p10 * fabs(now)) : NAN;
}

void foi_sentries_forgive(fo_world *w)
{
    for (size_t i = 0; i < w->armed_crossings.count; i++)
        if (w->armed_crossings.at[i]) w->armed_crossings.at[i]->sentry->behind = NAN;
}

void foi_sentries_behind(fo_world *w)
{
    for (size_t i = 0; i < w->armed_crossings.count; i++) {
        const fo_process *p = w->armed_crossings.at[i];
        foi_sentry *s = p ? p->sentry : NULL;
        if (!s || isnan(s->behind)) continue;
        if (way_of(s) * foi_sentry_value(w, s) > s->behind) {
            cannot_hop(w, p);
            return;
        }
    }
}
