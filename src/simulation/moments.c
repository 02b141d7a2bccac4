/// Moments: what is due at the present instant, in its order, one jump after the other until
/// nothing new happens.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "math/math.h"
#include "simulation/internal.h"

fo_status foi_cause_room(fo_simulation *sim, size_t count)
{
    if (count <= sim->cause_room) return FO_OK;
    size_t room = count + 8;
    foi_cause *grown = foi_grow(sim->allocator, sim->causes, sim->cause_room, room, sizeof *grown);
    if (!grown) return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for %zu moments", count);
    sim->causes = grown, sim->cause_room = room;
    return FO_OK;
}

static fo_status add(fo_simulation *sim, foi_cause cause)
{
    fo_status status = foi_cause_room(sim, sim->cause_count + 1);
    if (status == FO_OK) sim->causes[sim->cause_count++] = cause;
    return status;
}

// Made where it stays, member by member: copying what was just written waits for it, and clearing
// all of it at once takes longer than this.
static fo_status add_watched(fo_simulation *sim, fo_moment_kind kind, uint32_t index,
                             const fo_guard *about, fo_direction direction, double slack)
{
    fo_status status = foi_cause_room(sim, sim->cause_count + 1);
    if (status != FO_OK) return status;
    foi_cause *c = &sim->causes[sim->cause_count++];
    fo_moment *m = &c->moment;
    m->kind = kind, m->index = index, m->direction = direction, m->name = about->name;
    m->t = m->value = m->limit = 0, m->slack = slack;
    m->k = m->with_count = 0, m->why = NULL, m->with = NULL;
    c->priority = about->priority, c->order = index, c->set = (fo_reference){0};
    return FO_OK;
}

fo_status foi_ask_next_moment(fo_simulation *sim, double *t)
{
    fo_next next = sim->system.type->next(sim->system.model, &sim->state.s);
    *t = next.t;
    if (!isnan(next.t)) return FO_OK;
    return fo_fail(&sim->message, FO_ERROR_NUMBER,
                   "the next moment of '%s' is at a time that is not a number, at t = %.15g",
                   sim->system.about->name, sim->state.s.t);
}

static const fo_event *event_at(fo_events events, uint32_t index)
{
    static const fo_event unnamed = {.name = "moment"};
    return index < events.count ? &events.list[index] : &unnamed;
}

// Whether its jump leaves the point where it is, and only makes other variables the states.
static bool chooses(const fo_simulation *sim, const fo_moment *m)
{
    const fo_description *about = sim->system.about;
    if (!about->constrained || m->kind != FO_SCHEDULED) return false;
    const char *text = event_at(about->moments, m->index)->about;
    return text && !strcmp(text, FOI_CHOICE_ABOUT);
}

static FOI_SELDOM fo_status gather_scheduled(fo_simulation *sim)
{
    fo_next next = sim->system.type->next(sim->system.model, &sim->state.s);
    if (!(next.t <= sim->state.s.t)) return FO_OK;
    const fo_event *about = event_at(sim->system.about->moments, next.index);
    fo_moment m = {.kind = FO_SCHEDULED, .index = next.index, .name = about->name};
    // before all else, so that what happens then is compared in the same states
    int priority = chooses(sim, &m) ? INT_MIN : about->priority;
    return add(sim, (foi_cause){m, .priority = priority});
}

static foi_cause external_cause(const fo_simulation *sim, const foi_external *e)
{
    fo_moment m = {.value = e->value};
    if (e->set.quantity != FO_TIME) {
        const fo_variable *v = fo_system_variable(sim->system, e->set);
        m.kind = FO_SET, m.index = e->set.index, m.name = v ? v->name : "set";
        return (foi_cause){m, .order = e->order, .set = e->set};
    }
    const fo_event *about = event_at(sim->system.about->events, e->event);
    m.kind = FO_EXTERNAL, m.index = e->event, m.name = about->name;
    return (foi_cause){m, .priority = about->priority, .order = e->order};
}

fo_status foi_gather_now(fo_simulation *sim)
{
    fo_status status = sim->system.type->next ? gather_scheduled(sim) : FO_OK;
    size_t due = 0;
    while (status == FO_OK && due < sim->queued && sim->queue[due].t <= sim->state.s.t)
        status = add(sim, external_cause(sim, &sim->queue[due++]));
    if (status != FO_OK || !due) return status;
    sim->queued -= due;
    memmove(sim->queue, sim->queue + due, sim->queued * sizeof *sim->queue);
    return FO_OK;
}

fo_status foi_gather_watched(fo_simulation *sim)
{
    const foi_watch *w = &sim->watch;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++)
        if (w->crossed[i])
            status = add_watched(sim, FO_GUARD, i, w->about[i], (fo_direction)w->way[i],
                                 w->guard[i].slack);
    for (uint32_t i = 0; i < w->conditions && status == FO_OK; i++)
        if (w->changed[i])
            status = add_watched(sim, FO_CONDITION, i, w->about[w->guards + i],
                                 w->condition[i] ? FO_RISING : FO_FALLING, 0);
    return status;
}

fo_status foi_gather_contact(fo_simulation *sim, uint32_t guard, int way)
{
    return add_watched(sim, FO_GUARD, guard, sim->watch.about[guard], (fo_direction)way,
                       sim->pulses[guard].slack);
}

fo_status foi_gather_near(fo_simulation *sim, uint32_t guard, int way)
{
    return add_watched(sim, FO_GUARD, guard, sim->watch.about[guard], (fo_direction)way,
                       sim->watch.guard[guard].slack);
}

// The guards among the causes, for all who look at one of them.
static fo_status list_crossings(fo_simulation *sim)
{
    uint32_t room = (uint32_t)sim->cause_count;
    sim->crossing_count = 0;
    if (room > sim->crossing_room) {
        fo_crossing *grown =
            foi_grow(sim->allocator, sim->crossings, sim->crossing_room, room + 8, sizeof *grown);
        if (!grown)
            return fo_fail(&sim->message, FO_ERROR_MEMORY, "no memory for %u moments", room);
        sim->crossings = grown, sim->crossing_room = room + 8;
    }
    for (uint32_t i = 0; i < room; i++) {
        const fo_moment *m = &sim->causes[i].moment;
        if (m->kind == FO_GUARD)
            sim->crossings[sim->crossing_count++] = (fo_crossing){m->index, m->direction, m->slack};
    }
    for (uint32_t i = 0; i < room; i++) {
        sim->causes[i].moment.with = sim->crossings;
        sim->causes[i].moment.with_count = sim->crossing_count;
    }
    return FO_OK;
}

// Scheduled, external (sets among them in the order they were sent), guards, conditions, again.
static int rank(fo_moment_kind kind)
{
    switch (kind) {
    case FO_SCHEDULED: return 0;
    case FO_EXTERNAL:
    case FO_SET: return 1;
    case FO_GUARD:
    case FO_ZENO: return 2;
    case FO_CONDITION: return 3;
    default: break;
    }
    return 4;
}

static bool before(const foi_cause *a, const foi_cause *b)
{
    if (a->priority != b->priority) return a->priority < b->priority;
    int ra = rank(a->moment.kind), rb = rank(b->moment.kind);
    return ra != rb ? ra < rb : a->order < b->order;
}

static void put_in_order(foi_cause *causes, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        foi_cause c = causes[i];
        size_t j = i;
        for (; j > 0 && before(&c, &causes[j - 1]); j--) causes[j] = causes[j - 1];
        causes[j] = c;
    }
}

// Late in a long run the last intervals that can be told apart are longer than a part of it.
double foi_zeno_near(const fo_simulation *sim)
{
    return foi_fmax(sim->def.zeno * foi_run_scale(&sim->def),
                    4096 * DBL_EPSILON * fabs(sim->state.s.t));
}

// An interval so short after the last moment at t could not be told.
bool foi_zeno_hidden(double t, double interval)
{
    return interval <= 64 * DBL_EPSILON * fabs(t);
}

// The next moment of a guard could not be told from this one, when its intervals go on to shrink as
// they have, a million times and more. So few of them may be all that there ever are: two tanks
// that get a tenth more than one of them loses are empty after eight moments each.
static bool is_last(const foi_pulse *p, double t)
{
    return p->shrinking && foi_zeno_hidden(t, p->interval * p->ratio) &&
           foi_pow(p->ratio, p->shrinking + 1) <= 0x1p-20;
}

// Moments of a guard accumulate when their intervals shrink by much the same factor q < 1, again
// and again: the limit is then t + interval * q / (1 - q).
static bool accumulates(fo_simulation *sim, uint32_t guard, double *limit)
{
    foi_pulse *p = &sim->pulses[guard];
    double t = sim->state.s.t, interval = t - p->last;
    if (foi_zeno_hidden(t, interval)) return false; // impacts of one instant
    double ratio = p->interval > 0 ? interval / p->interval : INFINITY;
    bool steady = ratio < 0.9999 && fabs(ratio - p->ratio) <= 0.1 * ratio;
    p->shrinking = steady ? p->shrinking + 1 : 0;
    p->last = t, p->interval = interval, p->ratio = ratio;
    if (p->shrinking < FOI_ZENO_STEADY && !is_last(p, t)) return false;
    double near = foi_zeno_near(sim);
    if (interval * ratio > 2 * near * (1 - ratio))
        return false; // far, whatever rounding errors say
    *limit = t + interval * ratio / (1 - ratio);
    return *limit - t <= near;
}

// Moments that come at distances of rounding errors, one after the other: time creeps. Whatever the
// cause, it would never end.
static fo_status creeps(fo_simulation *sim, const fo_moment *m)
{
    enum { MOST = 1000, ULPS = 64 };
    double t = sim->state.s.t, apart = t - sim->crept_at;
    sim->crept_at = t;
    if (apart == 0) return FO_OK; // one instant: max_jumps counts these
    bool near = apart <= ULPS * DBL_EPSILON * fabs(t);
    sim->creeps = near ? sim->creeps + 1 : 0;
    if (sim->creeps < MOST) return FO_OK;
    return fo_fail(&sim->message, FO_ERROR_ZENO,
                   "time creeps at t = %.15g: %u moments in a row at distances of rounding errors, "
                   "the last one of '%s'",
                   t, MOST, m->name);
}

fo_status foi_zeno_error(fo_simulation *sim, const char *name, double limit)
{
    return fo_fail(&sim->message, FO_ERROR_ZENO,
                   "moments of '%s' accumulate: infinitely many before t = %.9g (the last at "
                   "%.15g); let the model rest there or stop before",
                   name, limit, sim->state.s.t);
}

static FOI_FAILING fo_status never_there(fo_simulation *sim, const fo_moment *m)
{
    const foi_approach *a = &sim->pulses[m->index].approach;
    return fo_fail(&sim->message, FO_ERROR_ZENO,
                   "moments of '%s' come nearer and nearer to t = %.6g (the last at %.15g, %u %s "
                   "so far): it seems that there are infinitely many before it; stop before",
                   m->name, a->limit, sim->state.s.t, a->count, a->way < 0 ? "falls" : "rises");
}

// The system rests: time goes on to the limit, but not past what else is due.
static FOI_SELDOM fo_status rest(fo_simulation *sim, const fo_moment *m)
{
    fo_state *s = &sim->state.s;
    double next;
    fo_status status = foi_next_moment(sim, &next);
    double t = foi_fmin(foi_fmin(m->limit, next), sim->def.stop);
    if (t > s->t) s->t = t, s->k = 0;
    sim->pulses[m->index] = (foi_pulse){.last = s->t};
    return status;
}

static fo_status check_finite(fo_simulation *sim, const fo_moment *m)
{
    const fo_state *s = &sim->state.s;
    for (uint32_t i = 0; i < s->shape.states; i++) {
        char name[64];
        if (isfinite(s->x[i])) continue;
        return fo_fail(&sim->message, FO_ERROR_NUMBER,
                       "state '%s' is %g after the jump of '%s' at t = %.15g",
                       fo_system_name(sim->system, (fo_reference){FO_STATE, i}, name, sizeof name),
                       s->x[i], m->name, s->t);
    }
    return FO_OK;
}

static FOI_SELDOM void set_value(fo_simulation *sim, fo_reference which, double value)
{
    fo_state *s = &sim->state.s;
    switch (which.quantity) {
    case FO_STATE: s->x[which.index] = value; break;
    case FO_DISCRETE: s->d[which.index] = value; break;
    case FO_INPUT: s->u[which.index] = value; break;
    case FO_PARAMETER: s->p[which.index] = value; break;
    case FO_TIME:
    case FO_OUTPUT: break;
    }
}

static bool exists(const fo_simulation *sim, const foi_cause *c)
{
    const fo_shape *shape = &sim->state.s.shape;
    switch (c->moment.kind) {
    case FO_GUARD: return c->moment.index < shape->guards;
    case FO_CONDITION: return c->moment.index < shape->conditions;
    case FO_SET: return c->set.quantity != FO_STATE || c->set.index < shape->states;
    default: return true;
    }
}

// The model says that a guard can stay on neither side.
static FOI_SELDOM fo_status note_stuck(fo_simulation *sim, const fo_effect *e)
{
    if (e->guard >= sim->pulse_count) return FO_OK;
    if (!foi_hold_possible(sim))
        return fo_fail(&sim->message, FO_ERROR_MODEL,
                       "at t = %.15g the relation `%s` can neither stay true nor false: the "
                       "solution would slide along it",
                       sim->state.s.t, sim->watch.about[e->guard]->name);
    foi_pulse *p = &sim->pulses[e->guard];
    if (!p->fired) p->way = -1;
    p->stuck = true;
    return FO_OK;
}

// The model holds something of a guard, and was told that it is zero, and nothing has happened: it
// sees that the guard goes back. Where rounding keeps it at zero for a while, as 1 + x - 1, that is
// not told again and again.
static FOI_SELDOM void note_idle(fo_simulation *sim, uint32_t guard)
{
    foi_guard_side *side = &sim->watch.guard[guard];
    side->idle = side->held && side->rests && side->g == 0;
}

// The states are other variables of the same point. Nothing has happened yet at this instant: who
// compares what was before with what is now compares the same variables. What is held is held with
// the others.
static FOI_SELDOM fo_status follow_choice(fo_simulation *sim)
{
    if (sim->state.s.k == sim->good.s.k + 1) foi_state_copy(&sim->good, &sim->state);
    return foi_is_held(sim) ? foi_hold_translate(sim->hold) : FO_OK;
}

// One jump.
static fo_status jump(fo_simulation *sim, foi_cause *c, fo_effect *e)
{
    fo_state *s = &sim->state.s;
    fo_moment *m = &c->moment;
    const fo_system_type *type = sim->system.type;
    if (m->kind == FO_GUARD) {
        foi_pulse *p = &sim->pulses[m->index];
        if (!p->fired) p->way = (int8_t)m->direction; // of the first of one instant
        p->fired = true, p->slack = m->slack;
    }
    if (m->kind == FO_GUARD && accumulates(sim, m->index, &m->limit)) {
        bool answers = sim->watch.about[m->index]->rests;
        if (!answers && !foi_hold_possible(sim)) return foi_zeno_error(sim, m->name, m->limit);
        if (answers)
            m->kind = FO_ZENO;
        else
            sim->pulses[m->index].zeno = true, sim->pulses[m->index].limit = m->limit;
    }
    fo_status slow = m->kind == FO_GUARD ? creeps(sim, m) : FO_OK;
    if (slow != FO_OK) return slow;
    if (m->kind == FO_GUARD && foi_approaches(sim, m->index, m->direction))
        return never_there(sim, m);
    if (m->kind == FO_GUARD) foi_chatter_note(sim, m);
    m->t = s->t;
    m->k = ++s->k;
    sim->moments++;
    if (m->k > sim->def.max_jumps)
        return fo_fail(&sim->message, FO_ERROR_JUMPS,
                       "more than %u jumps at t = %.15g; the last one was of '%s'",
                       sim->def.max_jumps, s->t, m->name);
    fo_status status = FO_OK;
    if (m->kind == FO_SET) set_value(sim, c->set, m->value);
    if (type->jump && (m->kind != FO_SET || type->hears_sets))
        status = type->jump(sim->system.model, s, m, e);
    if (m->kind == FO_SET) e->unchanged = false;
    if (status == FO_OK && m->kind == FO_ZENO)
        status = e->rest ? rest(sim, m) : foi_zeno_error(sim, m->name, m->limit);
    if (status == FO_OK && !e->unchanged) status = check_finite(sim, m);
    if (status == FO_OK && e->stuck) status = note_stuck(sim, e);
    if (status == FO_OK && chooses(sim, m)) status = follow_choice(sim);
    if (m->kind == FO_GUARD && e->unchanged && !sim->restart) note_idle(sim, m->index);
    sim->restart |= !e->unchanged;
    return status == FO_OK ? foi_rows_moment(sim, m) : status;
}

// After a jump that changed the shape the watch begins afresh.
static FOI_SELDOM fo_status fit_anew(fo_simulation *sim, bool *any)
{
    fo_status status = foi_simulation_fit(sim);
    if (status == FO_OK && sim->watching)
        status = foi_watch_start(&sim->watch, &sim->solver, &sim->state.s, any);
    return status;
}

static fo_status look_again(fo_simulation *sim, bool again)
{
    bool any = false;
    fo_status status = FO_OK;
    if (sim->reshaped && !sim->fitted)
        status = fit_anew(sim, &any);
    else if (sim->watching)
        status = foi_watch_again(&sim->watch, &sim->solver, &sim->state.s, sim->restart, &any);
    if (status == FO_OK && any) status = foi_gather_watched(sim);
    if (status == FO_OK) status = foi_gather_due(sim);
    if (status != FO_OK || !again) return status;
    return add(sim, (foi_cause){{.kind = FO_AGAIN, .name = "again"}, .priority = INT32_MAX});
}

static fo_status jump_all(fo_simulation *sim, bool *stop)
{
    while (sim->cause_count) {
        bool again = false;
        size_t count = sim->cause_count;
        put_in_order(sim->causes, count);
        for (size_t i = 0; i < count; i++) {
            fo_effect e = {0};
            if (!exists(sim, &sim->causes[i])) continue;
            fo_status status = jump(sim, &sim->causes[i], &e);
            if (status != FO_OK) return status;
            again |= e.again;
            *stop |= e.stop;
            if (!e.stop) continue;
            if (sim->message.status != FO_STOPPED) // the model may have said why
                fo_fail(&sim->message, FO_STOPPED, "%s", sim->causes[i].moment.name);
        }
        sim->cause_count = 0;
        fo_status status = look_again(sim, again);
        if (status != FO_OK) return status;
        if (*stop) break;
    }
    sim->cause_count = 0;
    return FO_OK;
}

// A jump that failed leaves the state as it was before the jumps of this instant.
static FOI_FAILING void take_back(fo_simulation *sim)
{
    sim->cause_count = 0;
    if (!foi_shape_equal(&sim->state.s.shape, &sim->good.s.shape) &&
        foi_state_reshape(&sim->state, &sim->good.s.shape, NULL) != FO_OK)
        return;
    foi_state_copy(&sim->state, &sim->good);
}

fo_status foi_happen(fo_simulation *sim, bool *stop)
{
    fo_status status = FO_OK;
    if (!foi_shape_equal(&sim->state.s.shape, &sim->good.s.shape))
        status = foi_state_reshape(&sim->good, &sim->state.s.shape, &sim->message);
    if (status != FO_OK) return status;
    foi_state_copy(&sim->good, &sim->state);
    sim->fitted = sim->after = false;
    if (!sim->unborn) status = foi_rows_show(sim, FO_ROW_BEFORE);
    if (status == FO_OK) status = list_crossings(sim);
    if (status == FO_OK) status = jump_all(sim, stop);
    if (status != FO_OK) {
        take_back(sim);
        return status;
    }
    // the modes of what was held are those of before; a choice of states alone has made them anew
    sim->after = foi_is_held(sim) && sim->state.s.k != sim->good.s.k;
    return sim->after ? FO_OK : foi_rows_show(sim, FO_ROW_AFTER);
}

fo_status foi_show_after(fo_simulation *sim)
{
    if (!sim->after) return FO_OK;
    sim->after = false;
    return foi_rows_show(sim, FO_ROW_AFTER);
}
