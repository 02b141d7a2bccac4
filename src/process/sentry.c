/// State events: conditions and guards of the engine, each with a process that waits for it.
///
/// The engine knows the lists as they were when it was told last (armed); an index of it stays good
/// until it is told anew. A state event that it finds makes its process due; those who are due are
/// scheduled together, in the order of their priority.
#include "process/internal.h"

double foi_sentry_value(fo_world *w, const foi_sentry *s)
{
    return s->expression ? s->expression(w, s->self) : s->level->state - s->value;
}

// Exchanges the states of all levels with those when the last step began, or when it ended.
static void exchange(fo_world *w, bool begun)
{
    for (size_t i = 0; i < w->levels.count; i++) {
        fo_level *l = w->levels.at[i];
        double *other = begun ? &l->last : &l->settled, state = l->state;
        l->state = *other;
        *other = state;
    }
    foi_world_compute_rates(w);
}

// What the guard was when the last step began, or when it ended and no event had happened yet.
static double value_then(fo_world *w, const foi_sentry *s, bool begun)
{
    double now = w->now;
    if (begun) w->now = w->begun;
    exchange(w, begun);
    double value = foi_sentry_value(w, s);
    w->now = now;
    exchange(w, begun);
    return value;
}

// A crossing is seen just past zero, or at zero itself, as rounding will have it; that must make no
// difference for what is waited for then. So a guard that has flowed to zero from above counts as
// below it: to fall again it must first come back, but going up is rising through zero at once.
static bool turns(fo_world *w, const foi_sentry *s)
{
    if (s->direction == FO_EITHER || foi_sentry_value(w, s) != 0) return false;
    if (value_then(w, s, false) != 0) return false; // an event has put it there
    double before = value_then(w, s, true);
    return s->direction == FO_RISING ? before > 0 : before < 0;
}

static void take_out(fo_process **at, size_t *count, size_t index)
{
    at[index] = at[--*count];
    at[index]->sentry->index = index;
}

void foi_sentry_leave(fo_process *p)
{
    fo_world *w = p->world;
    foi_sentry *s = p->sentry;
    if (s->condition)
        take_out(w->untils.at, &w->untils.count, s->index);
    else
        take_out(w->crossings.at, &w->crossings.count, s->index);
    if (s->armed) {
        if (s->condition)
            w->armed_untils.at[s->armed - 1] = NULL;
        else
            w->armed_crossings.at[s->armed - 1] = NULL;
    }
    for (size_t i = 0; i < w->due.count; i++)
        if (w->due.at[i] == p) w->due.at[i] = NULL;
    foi_world_changed(w);
}

fo_status foi_sentry_fire(fo_world *w, fo_process *p)
{
    if (!p) return FO_OK;
    for (size_t i = 0; i < w->due.count; i++)
        if (w->due.at[i] == p) return FO_OK;
    return FOI_LIST_ADD(w, w->due, p) ? FO_OK : foi_no_memory(w, "a state event");
}

fo_status foi_sentry_crossed(fo_world *w, fo_process *p)
{
    return p && p->sentry->zero_at == w->now ? FO_OK : foi_sentry_fire(w, p);
}

void foi_sentries_look(fo_world *w)
{
    for (size_t i = 0; i < w->armed_crossings.count; i++) {
        fo_process *p = w->armed_crossings.at[i];
        p->sentry->before = foi_sentry_value(w, p->sentry);
    }
}

void foi_sentry_tell(fo_world *w, fo_process *p)
{
    foi_sentry *s = p->sentry;
    double now = foi_sentry_value(w, p->sentry);
    if (s->armed && s->before != 0 && (s->before > 0 ? now <= 0 : now >= 0)) {
        fo_direction way = s->before > 0 ? FO_FALLING : FO_RISING;
        if (s->direction == FO_EITHER || s->direction == way) foi_sentry_fire(w, p);
    }
    s->before = now;
    s->zero_at = now == 0 && !s->turns ? w->now : NAN;
    s->turns = false;
    if (s->again) foi_sentry_turned(w, s, now);
}

static bool first_of(const foi_sentry *a, const foi_sentry *b)
{
    if (a->how.priority != b->how.priority) return a->how.priority > b->how.priority;
    return a->order < b->order;
}

void foi_sentries_schedule(fo_world *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->due.count; i++) { // sorted by insertion, without those who left
        fo_process *p = w->due.at[i];
        if (!p) continue;
        size_t j = count++;
        for (; j > 0 && first_of(p->sentry, w->due.at[j - 1]->sentry); j--)
            w->due.at[j] = w->due.at[j - 1];
        w->due.at[j] = p;
    }
    w->due.count = 0;
    // among the prior ones the last to be put in is the first
    for (size_t i = count; i-- > 0;) {
        fo_process *p = w->due.at[i];
        if (!p->sentry->how.prior) continue;
        foi_events_remove(w, p);
        if (!foi_events_add(w, p, w->now, p->priority, true)) foi_no_memory(w, "an event");
        p->wake = FO_WOKEN;
    }
    for (size_t i = 0; i < count; i++) {
        fo_process *p = w->due.at[i];
        if (p->sentry->how.prior) continue;
        foi_events_remove(w, p);
        if (!foi_events_add(w, p, w->now, p->priority, false)) foi_no_memory(w, "an event");
        p->wake = FO_WOKEN;
    }
}

// --------------------------------------------------------------------------------------- waiting

static bool prepare(fo_world *w, fo_process *me, const foi_sentry *like)
{
    if (!me->sentry) me->sentry = foi_new(w->allocator, 1, sizeof *me->sentry);
    if (!me->sentry) return false;
    foi_sentry last = *me->sentry;
    *me->sentry = *like;
    me->sentry->order = ++w->serial;
    foi_sentry_again(w, me->sentry, &last);
    bool added =
        like->condition ? FOI_LIST_ADD(w, w->untils, me) : FOI_LIST_ADD(w, w->crossings, me);
    if (!added) return false;
    me->sentry->index = (like->condition ? w->untils.count : w->crossings.count) - 1;
    me->phase = like->condition ? FOI_UNTIL : FOI_CROSSING;
    foi_world_changed(w);
    return true;
}

// Waits; the process stays on its list when its condition has to be asked once more.
static fo_wake stand(fo_world *w, fo_process *me, double patience_end)
{
    me->wake = FO_TIMED_OUT;
    if (patience_end < INFINITY && !foi_events_add(w, me, patience_end, me->priority, false)) {
        foi_no_memory(w, "an event");
        return foi_never(w);
    }
    uint8_t phase = me->phase;
    fo_wake wake = foi_suspend(w);
    // whoever woke it otherwise has taken it off its list; a state event and the clock have not
    if (wake == FO_WOKEN || wake == FO_TIMED_OUT) me->phase = phase;
    return wake;
}

static fo_wake wait_for(fo_world *w, const foi_sentry *like)
{
    fo_process *me = w->current;
    double end = like->how.patience > 0 ? w->now + like->how.patience : INFINITY;
    foi_trace_act(w, me, like->how.name, "wait", NAN);
    if (!prepare(w, me, like)) {
        foi_no_memory(w, "a state event");
        return foi_never(w);
    }
    fo_wake wake = stand(w, me, end);
    while (wake == FO_WOKEN && like->condition && !like->condition(w, like->self))
        wake = stand(w, me, end);
    if (wake == FO_WOKEN && !like->condition) {
        foi_sentry_came(w, me->sentry);
        foi_sentry_hopped(w, me);
    }
    if (me->phase == FOI_UNTIL || me->phase == FOI_CROSSING) foi_sentry_leave(me);
    me->phase = FOI_ACTIVE;
    if (wake == FO_WOKEN || wake == FO_TIMED_OUT)
        foi_trace_act(w, me, like->how.name, wake == FO_WOKEN ? "met" : "renege", NAN);
    return wake;
}

fo_wake fo_wait_until_with(fo_world *w, fo_condition *condition, void *self,
                           const fo_state_event *how)
{
    if (!foi_someone(w, "wait until something is true")) return FO_BALKED;
    foi_world_compute_rates(w);
    if (condition(w, self)) {
        if (foi_events_count(w, w->current, w->now)) return FO_WOKEN;
        return foi_never(w);
    }
    foi_sentry like = {.condition = condition, .self = self};
    if (how) like.how = *how;
    return wait_for(w, &like);
}

fo_wake fo_wait_until(fo_world *w, fo_condition *condition, void *self)
{
    return fo_wait_until_with(w, condition, self, NULL);
}

fo_wake fo_wait_zero_with(fo_world *w, fo_expression *expression, void *self,
                          fo_direction direction, const fo_state_event *how)
{
    if (!foi_someone(w, "wait for a crossing")) return FO_BALKED;
    foi_sentry like = {.expression = expression, .self = self, .direction = direction};
    foi_world_compute_rates(w);
    like.turns = turns(w, &like);
    if (how) like.how = *how;
    return wait_for(w, &like);
}

fo_wake fo_wait_zero(fo_world *w, fo_expression *expression, void *self, fo_direction direction)
{
    return fo_wait_zero_with(w, expression, self, direction, NULL);
}

fo_wake fo_wait_level_with(fo_world *w, const fo_level *l, double value, fo_direction direction,
                           const fo_state_event *how)
{
    if (!foi_someone(w, "wait for a crossing")) return FO_BALKED;
    foi_sentry like = {.level = l, .value = value, .direction = direction};
    like.turns = turns(w, &like);
    if (how) like.how = *how;
    return wait_for(w, &like);
}

fo_wake fo_wait_level(fo_world *w, const fo_level *l, double value, fo_direction direction)
{
    return fo_wait_level_with(w, l, value, direction, NULL);
}
