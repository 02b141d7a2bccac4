/// A world as a system: what the engine asks of it.
///
/// Guards and conditions that fire only make their processes due; `next` then says that there is
/// something now, and the scheduled jump lets all events of the time happen. When that changes what
/// flows or what is waited for, the engine must be told the new shape; but other causes of the same
/// instant may still come with indices of the old one. So, where there are guards or conditions,
/// the jump asks to be called again, and tells it then. Until then guards and conditions give the
/// values that they gave last, and no crossing is seen.
#include "math/math.h"
#include "process/internal.h"

// Whoever comes here runs the world.
static fo_world *world_of(const void *model)
{
    fo_world *w = (fo_world *)model;
    w->running = true;
    return w;
}

static fo_status result(const fo_world *w, const fo_state *s)
{
    return w->status == FO_OK ? FO_OK : fo_fail(s->message, w->status, "%s", w->message.text);
}

// What was set from outside goes where the processes look for it.
static void take_parameters(fo_world *w, const fo_state *s)
{
    for (size_t i = 0; i < w->about.parameters.count; i++) *w->parameter_values[i] = s->p[i];
}

static fo_status start(const void *model, fo_state *s)
{
    fo_world *w = world_of(model);
    take_parameters(w, s);
    w->def.seed = s->seed;
    w->began = s->t, w->stop = s->stop;
    return FO_OK;
}

// --------------------------------------------------------------------------------------- flowing

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    fo_world *w = world_of(model);
    take_parameters(w, s);
    foi_world_begin_step(w, t);
    foi_world_pose(w, t, x);
    for (size_t i = 0; i < w->posed.count; i++) dx[i] = w->posed.at[i]->rate;
    return result(w, s);
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    fo_world *w = world_of(model);
    size_t count = w->armed_crossings.count;
    take_parameters(w, s);
    if (!w->reshape) {
        foi_world_begin_step(w, t);
        foi_world_pose(w, t, x);
        for (size_t i = 0; i < count; i++)
            w->guard_values[i] = foi_sentry_value(w, w->armed_crossings.at[i]->sentry);
    }
    for (size_t i = 0; i < count; i++) g[i] = w->guard_values[i];
    return result(w, s);
}

static fo_status conditions(const void *model, const fo_state *s, double t, const double *x,
                            bool *c)
{
    fo_world *w = world_of(model);
    size_t count = w->armed_untils.count;
    take_parameters(w, s);
    if (!w->reshape) {
        foi_world_begin_step(w, t);
        foi_world_pose(w, t, x);
        for (size_t i = 0; i < count; i++) {
            const foi_sentry *sentry = w->armed_untils.at[i]->sentry;
            w->condition_values[i] = sentry->condition(w, sentry->self);
        }
    }
    for (size_t i = 0; i < count; i++) c[i] = w->condition_values[i];
    return result(w, s);
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    fo_world *w = world_of(model);
    if (!w->reshape) foi_world_pose(w, t, x);
    for (size_t i = 0; i < w->about.outputs.count; i++) y[i] = *w->output_values[i];
    return result(w, s);
}

static fo_status settle(const void *model, fo_state *s, double t, const double *x)
{
    fo_world *w = world_of(model);
    fo_status status = foi_reporters_upto(w, t);
    if (status != FO_OK) return status;
    foi_world_pose(w, t, x);
    foi_reporters_now(w, true);
    foi_world_settle(w);
    foi_sentries_behind(w);
    return result(w, s);
}

// ---------------------------------------------------------------------------- telling the engine

static bool make_room(fo_world *w)
{
    size_t levels = w->levels.count, g = w->crossings.count, c = w->untils.count;
    const fo_allocator *a = w->allocator;
    return foi_array_room(a, &w->posed.at, &w->posed.room, levels, sizeof *w->posed.at) &&
           foi_array_room(a, &w->names, &w->name_room, levels, sizeof *w->names) &&
           foi_array_room(a, &w->armed_crossings.at, &w->armed_crossings.room, g,
                          sizeof *w->armed_crossings.at) &&
           foi_array_room(a, &w->guard_values, &w->guard_room, g, sizeof *w->guard_values) &&
           foi_array_room(a, &w->armed_untils.at, &w->armed_untils.room, c,
                          sizeof *w->armed_untils.at) &&
           foi_array_room(a, &w->condition_values, &w->condition_room, c,
                          sizeof *w->condition_values) &&
           foi_array_room(a, &w->abouts, &w->about_room, g + c, sizeof *w->abouts);
}

static fo_guard about(const fo_process *p, fo_direction direction)
{
    const char *name = p->sentry->how.name;
    return (fo_guard){.name = name ? name : p->name, .direction = direction};
}

static void arm(fo_world *w)
{
    foi_world_compute_rates(w);
    size_t levels = w->levels.count, g = w->crossings.count, c = w->untils.count;
    for (size_t i = 0; i < levels; i++) {
        fo_level *l = w->posed.at[i] = w->levels.at[i];
        w->names[i] = (fo_variable){.name = l->name ? l->name : "level"};
    }
    for (size_t i = 0; i < g; i++) {
        fo_process *p = w->armed_crossings.at[i] = w->crossings.at[i];
        foi_sentry_tell(w, p);
        p->sentry->armed = i + 1;
        w->abouts[i] = about(p, p->sentry->direction);
    }
    for (size_t i = 0; i < c; i++) {
        fo_process *p = w->armed_untils.at[i] = w->untils.at[i];
        p->sentry->armed = i + 1;
        w->abouts[g + i] = about(p, FO_RISING);
    }
    w->posed.count = levels, w->armed_crossings.count = g, w->armed_untils.count = c;
    w->about.states = (fo_variables){w->names, levels};
    w->about.guards = (fo_guards){w->abouts, g};
    w->about.conditions = (fo_guards){c ? w->abouts + g : NULL, c};
}

static fo_status tell(fo_world *w, fo_state *s)
{
    if (!make_room(w)) {
        foi_no_memory(w, "what flows");
        return result(w, s);
    }
    arm(w);
    w->reshape = false;
    fo_status status =
        fo_state_resize(s, (uint32_t)w->posed.count, 0, (uint32_t)w->armed_crossings.count,
                        (uint32_t)w->armed_untils.count);
    if (status != FO_OK) return status;
    for (size_t i = 0; i < w->posed.count; i++) s->x[i] = w->posed.at[i]->state;
    return FO_OK;
}

// What processes have asked for with fo_world_accuracy.
static fo_status tell_accuracy(fo_world *w, fo_state *s)
{
    if (!w->accuracy_asked || w->status != FO_OK) return FO_OK;
    w->accuracy_asked = false;
    if (!(w->accuracy.max_step < 0)) w->about.max_step = w->accuracy.max_step;
    return fo_state_accuracy(s, &w->accuracy);
}

// ------------------------------------------------------------------------------------- happening

// Reports at a frequency are due at events only where they cannot be read off a step.
static double next_report(const fo_world *w)
{
    return w->sim && w->posed.count ? INFINITY : foi_reporters_next(w);
}

static fo_next next(const void *model, const fo_state *s)
{
    fo_world *w = world_of(model);
    if (w->due.count) return (fo_next){s->t, 0};
    return (fo_next){foi_fmin(foi_events_time(w), next_report(w)), 0};
}

// Lets everything happen that is due at the time s->t.
static fo_status happen(fo_world *w, fo_state *s, fo_effect *e)
{
    uint64_t before = w->happened;
    take_parameters(w, s);
    if (!w->reshape) {
        foi_world_pose(w, s->t, s->x);
        foi_sentries_look(w);
    }
    if (next_report(w) <= w->now) foi_reporters_due(w);
    foi_sentries_forgive(w);
    foi_sentries_schedule(w);
    w->until = s->t;
    foi_world_execute(w);
    if (w->status == FO_OK && foi_stuck(w)) foi_deadlock(w);
    if (w->status != FO_OK) return result(w, s);
    fo_status status = tell_accuracy(w, s);
    if (status != FO_OK) return status;
    e->stop = w->stopping;
    e->unchanged = w->happened == before;
    if (!e->unchanged && foi_reporters_at_events(w)) {
        foi_world_compute_rates(w);
        foi_reporters_now(w, false);
    }
    foi_world_settle(w);
    if (!w->reshape) {
        for (size_t i = 0; i < w->posed.count; i++) s->x[i] = w->posed.at[i]->state;
        return result(w, s);
    }
    if (!w->armed_crossings.count && !w->armed_untils.count) return tell(w, s);
    e->again = true;
    return result(w, s);
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    fo_world *w = world_of(model);
    w->now = s->t;
    switch (m->kind) {
    case FO_GUARD:
        e->unchanged = true;
        foi_sentry_crossed(w, w->armed_crossings.at[m->index]);
        return result(w, s);
    case FO_CONDITION:
        e->unchanged = true;
        foi_sentry_fire(w, w->armed_untils.at[m->index]);
        return result(w, s);
    case FO_AGAIN:
        if (w->reshape) return tell(w, s);
        e->unchanged = true;
        return result(w, s);
    default: return happen(w, s, e);
    }
}

// --------------------------------------------------------------------------------- running alone

// How far events may happen without a look at the reporters.
static double leash(fo_world *w, double until, double report)
{
    if (foi_reporters_at_events(w)) until = foi_fmin(until, foi_events_time(w));
    return report <= until ? nextafter(report, -INFINITY) : until;
}

static fo_status run(const void *model, fo_state *s, double until, fo_effect *e)
{
    fo_world *w = world_of(model);
    w->now = s->t;
    take_parameters(w, s);
    while (w->status == FO_OK && !w->stopping) {
        double report = foi_reporters_next(w);
        uint64_t before = w->happened;
        w->until = leash(w, until, report);
        foi_world_execute(w);
        if (w->happened != before) foi_reporters_now(w, false);
        if (w->levels.count || w->untils.count || w->crossings.count) {
            s->t = w->now;
            fo_status status = tell_accuracy(w, s);
            if (status != FO_OK) return status;
            return w->status == FO_OK ? tell(w, s) : result(w, s);
        }
        w->reshape = false;
        if (w->until == -INFINITY) continue;
        if (foi_events_time(w) <= foi_fmin(until, nextafter(foi_reporters_next(w), -INFINITY)))
            continue;
        if (foi_reporters_next(w) > until) break;
        w->now = foi_reporters_next(w);
        foi_reporters_due(w);
    }
    if (w->status == FO_OK && foi_stuck(w)) foi_deadlock(w);
    e->stop = w->stopping && w->status == FO_OK; // the last acts may have failed to be told
    s->t = w->stopping ? w->now : until;
    return result(w, s);
}

const fo_system_type foi_world_type = {
    .kind = "world of processes",
    .start = start,
    .rates = rates,
    .guards = guards,
    .conditions = conditions,
    .next = next,
    .jump = jump,
    .observe = observe,
    .settle = settle,
    .run = run,
    .starts_in_moments = true,
    .no_snapshot = "the stacks of processes cannot be copied",
};
