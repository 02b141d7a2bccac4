// Reporters: look at the world at a frequency, at every step, or at events.
#include "base/ticks.h"
#include "math/math.h"
#include "process/internal.h"
#include "simulation/stand.h"

static double next_of(const fo_reporter *r)
{
    if (!(r->kept > 0)) return INFINITY;
    return foi_tick(r->begun, r->kept, (double)r->count, r->world->stop);
}

// Ticks of two reporters that are meant to be one instant are one.
static bool is_due(const fo_reporter *r)
{
    double now = r->world->now;
    if (!(r->kept > 0)) return false;
    return next_of(r) <= now || foi_tick_due(r->begun, r->kept, (double)r->count, now);
}

// When it last reported at its frequency; without any, when it began.
static double last_of(const fo_reporter *r)
{
    return r->kept > 0 && r->count ? r->begun + (double)(r->count - 1) * r->kept : r->begun;
}

// Counts anew from its last report on; what would be past comes now.
static void keep(fo_reporter *r, double interval)
{
    double last = last_of(r), now = r->world->now;
    bool past = !(r->kept > 0) || !r->count || last + interval < now;
    r->begun = past ? now : last, r->count = past ? 0 : 1;
    r->interval = r->kept = interval;
}

fo_status fo_reporter_start(fo_world *w, fo_reporter *r, fo_actions *action, void *self,
                            double interval)
{
    if (r->world)
        return foi_fail(w, FO_ERROR_MODEL, "a reporter is started but active already, at t = %.15g",
                        w->now);
    if (!FOI_LIST_ADD(w, w->reporters, r)) return foi_no_memory(w, "a reporter");
    *r = (fo_reporter){action, self, interval, w, w->now, 0, interval};
    if (w->until > w->now) w->until = w->now; // so that the run looks at its next time
    if (!(interval > 0) || !w->running) return FO_OK;
    foi_world_compute_rates(w);
    action(w, self);
    r->count = 1;
    return FO_OK;
}

fo_status fo_reporter_change(fo_world *w, fo_reporter *r, double interval)
{
    if (r->world != w)
        return foi_fail(w, FO_ERROR_MODEL,
                        "the interval of a reporter is changed that is not active, at t = %.15g",
                        w->now);
    if (isnan(interval))
        return foi_fail(w, FO_ERROR_MODEL,
                        "the interval of a reporter must be positive, not %g, at t = %.15g",
                        interval, w->now);
    keep(r, interval);
    if (w->until > w->now) w->until = w->now; // so that the run looks at its next time
    return FO_OK;
}

fo_status fo_reporter_stop(fo_world *w, fo_reporter *r)
{
    if (r->world != w)
        return foi_fail(w, FO_ERROR_MODEL, "a reporter is stopped but not active, at t = %.15g",
                        w->now);
    size_t i = 0;
    while (w->reporters.at[i] != r) i++;
    for (w->reporters.count--; i < w->reporters.count; i++)
        w->reporters.at[i] = w->reporters.at[i + 1];
    r->world = NULL;
    return FO_OK;
}

double foi_reporters_next(const fo_world *w)
{
    double next = INFINITY;
    for (size_t i = 0; i < w->reporters.count; i++)
        next = foi_fmin(next, next_of(w->reporters.at[i]));
    return next;
}

void foi_reporters_due(fo_world *w)
{
    for (size_t i = 0; i < w->reporters.count; i++) {
        fo_reporter *r = w->reporters.at[i];
        if (!is_due(r)) continue;
        r->count++;
        r->action(w, r->self);
        if (i < w->reporters.count && w->reporters.at[i] != r) i--; // it has stopped itself
    }
}

bool foi_reporters_at_events(const fo_world *w)
{
    for (size_t i = 0; i < w->reporters.count; i++)
        if (!(w->reporters.at[i]->kept > 0)) return true;
    return false;
}

void foi_reporters_now(fo_world *w, bool step)
{
    for (size_t i = 0; i < w->reporters.count; i++) {
        fo_reporter *r = w->reporters.at[i];
        if (r->kept > 0 || (step && r->kept < 0)) continue;
        r->action(w, r->self);
        if (i < w->reporters.count && w->reporters.at[i] != r) i--;
    }
}

fo_status foi_reporters_upto(fo_world *w, double t)
{
    double next;
    if (!w->sim || !w->posed.count) return FO_OK;
    while ((next = foi_reporters_next(w)) <= t) {
        if (!foi_array_room(w->allocator, &w->dense, &w->dense_room, w->posed.count,
                            sizeof *w->dense))
            return foi_no_memory(w, "a report");
        fo_status status = foi_simulation_between(w->sim, next, w->dense);
        if (status != FO_OK) return status;
        foi_world_pose(w, next, w->dense);
        foi_reporters_due(w);
    }
    return FO_OK;
}
