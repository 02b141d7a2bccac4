// What happens in an advance: events and settings at their times, pause, speed, steps, going back.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "live/internal.h"
#include "math/math.h"

// ----------------------------------------------------------------------------- going back in time

void foi_live_marks_free(fo_live *live)
{
    for (size_t i = 0; i < live->mark_count; i++) fo_snapshot_destroy(live->marks[i].snapshot);
    live->mark_count = 0;
}

void foi_live_mark(fo_live *live)
{
    size_t room = live->def.snapshots, *count = &live->mark_count;
    double t = fo_simulation_time(live->sim);
    if (!room || live->def.system.type->no_snapshot) return;
    if (*count && t < fo_snapshot_time(live->marks[*count - 1].snapshot) +
                          foi_fmax(live->def.snapshot_interval, 1e-9))
        return;
    fo_snapshot *snapshot = fo_simulation_snapshot(live->sim);
    if (!snapshot) return; // no memory: one mark less
    if (*count == room) {
        fo_snapshot_destroy(live->marks[0].snapshot);
        memmove(live->marks, live->marks + 1, --*count * sizeof *live->marks);
    }
    live->marks[(*count)++] = (foi_mark){snapshot, live->record.lines, live->degraded};
}

// The last mark at or before t; the first one when all are later.
static size_t mark_before(const fo_live *live, double t)
{
    size_t i = live->mark_count - 1;
    while (i > 0 && fo_snapshot_time(live->marks[i].snapshot) > t) i--;
    return i;
}

static fo_status go_back(fo_live *live, const foi_act *act)
{
    double now = fo_simulation_time(live->sim);
    if (!live->mark_count) {
        foi_live_note(live, "cannot go back: no snapshots are kept");
        return FO_OK;
    }
    size_t to = mark_before(live, now - act->value);
    const foi_mark *mark = &live->marks[to];
    fo_status status = fo_simulation_restore(live->sim, mark->snapshot);
    if (status != FO_OK) return status;
    foi_record_back(live, fo_simulation_time(live->sim), mark->recorded);
    pthread_mutex_lock(&live->lock);
    live->degraded = mark->degraded;
    pthread_mutex_unlock(&live->lock);
    if (!live->degraded) live->full_rtol = fo_simulation_accuracy(live->sim).rtol;
    while (live->mark_count > to + 1) fo_snapshot_destroy(live->marks[--live->mark_count].snapshot);
    foi_live_anchor(live, act->stamp, fo_simulation_time(live->sim));
    return FO_OK;
}

// ---------------------------------------------------------------------------- events and settings

// Acts that happen until t, ascending in time; those of one time in the order in which they came.
static void line_up(fo_live *live, const foi_act *act)
{
    foi_act one = *act;
    size_t i = live->act_count++;
    one.t = foi_fmin(foi_fmax(one.t, fo_simulation_time(live->sim)), live->def.run.stop);
    for (; i > 0 && live->acts[i - 1].t > one.t; i--) live->acts[i] = live->acts[i - 1];
    live->acts[i] = one;
}

static fo_status attempt(fo_live *live, foi_act *acts, size_t count, double t)
{
    fo_simulation *sim = live->sim;
    double present = fo_simulation_time(sim);
    fo_status status = FO_OK;
    for (size_t i = 0; i < count && status == FO_OK; i++) {
        foi_act *act = &acts[i];
        act->late = act->t <= present;
        status = act->verb == FO_LIVE_EVENT
                     ? fo_simulation_send(sim, act->t, act->name, act->value)
                     : fo_simulation_send_set(sim, act->t, act->name, act->value);
    }
    return status == FO_OK ? fo_simulation_advance(sim, t) : status;
}

static void refuse(fo_live *live, foi_act *act)
{
    char text[FO_MESSAGE_SIZE];
    act->refused = true;
    snprintf(text, sizeof text, "%s %g at t = %.6g s was undone: %.300s", act->name, act->value,
             act->t, fo_simulation_message(live->sim)->text);
    foi_live_blame(live, act, text);
    foi_live_note(live, "%s", text);
}

// The acts together made the model fail. Each is tried alone to the end of this advance; those
// that fail are undone, the others happen.
static fo_status one_by_one(fo_live *live, double t)
{
    fo_status status = FO_OK;
    for (size_t i = 0; i < live->act_count && !fo_failed(status); i++) {
        foi_act *act = &live->acts[i];
        fo_snapshot *before = fo_simulation_snapshot(live->sim);
        if (!before) return fo_simulation_message(live->sim)->status;
        if (fo_failed(attempt(live, act, 1, t))) refuse(live, act);
        status = fo_simulation_restore(live->sim, before);
        fo_snapshot_destroy(before);
        double next = i + 1 < live->act_count ? live->acts[i + 1].t : t;
        if (!fo_failed(status)) status = attempt(live, act, act->refused ? 0 : 1, next);
    }
    return status;
}

static void book(fo_live *live)
{
    int64_t now = foi_live_now(live);
    for (size_t i = 0; i < live->act_count; i++) {
        const foi_act *act = &live->acts[i];
        if (!act->refused) foi_record_act(live, act);
        pthread_mutex_lock(&live->lock);
        if (act->refused)
            live->figures.refused++;
        else
            live->figures.events++;
        if (!act->timed && !act->refused)
            fo_live_histogram_add(&live->figures.latency, now - act->stamp);
        pthread_mutex_unlock(&live->lock);
        foi_live_release(live, act);
    }
    live->act_count = 0;
}

fo_status foi_live_carry(fo_live *live, double t)
{
    fo_simulation *sim = live->sim;
    t = foi_fmax(t, fo_simulation_time(sim));
    size_t due = 0;
    while (due < live->timed_count && live->timed[due].t <= t) line_up(live, &live->timed[due++]);
    live->timed_count -= due;
    memmove(live->timed, live->timed + due, live->timed_count * sizeof *live->timed);
    if (!live->act_count) return fo_simulation_advance(sim, t);
    bool can_undo = !live->def.system.type->no_snapshot;
    fo_snapshot *before = can_undo ? fo_simulation_snapshot(sim) : NULL;
    fo_status status = attempt(live, live->acts, live->act_count, t);
    bool theirs = fo_failed(status) && status != FO_ERROR_MEMORY; // no act is to blame for that
    if (theirs && before && fo_simulation_restore(sim, before) == FO_OK)
        status = one_by_one(live, t);
    fo_snapshot_destroy(before);
    book(live);
    return status;
}

// ------------------------------------------------------------------------------------ the others

static void set_pause(fo_live *live, const foi_act *act, bool pause)
{
    if (pause == live->paused) return;
    // who acted before what was carried on already finds it where it is
    double t = foi_fmax(foi_live_time_at(live, act->stamp), fo_simulation_time(live->sim));
    foi_live_anchor(live, act->stamp, t);
    pthread_mutex_lock(&live->lock);
    live->paused = pause;
    pthread_mutex_unlock(&live->lock);
}

static fo_status single_step(fo_live *live, const foi_act *act)
{
    double period = live->period ? 1e-9 * (double)live->period : 1.0 / 60;
    double by = act->value > 0 ? act->value : period * live->speed;
    set_pause(live, act, true);
    double t = foi_fmin(fo_simulation_time(live->sim) + by, live->def.run.stop);
    foi_live_anchor(live, act->stamp, t);
    return foi_live_carry(live, t);
}

static void set_speed(fo_live *live, const foi_act *act)
{
    foi_live_anchor(live, act->stamp, foi_live_time_at(live, act->stamp));
    pthread_mutex_lock(&live->lock);
    live->speed = act->value;
    pthread_mutex_unlock(&live->lock);
}

fo_status foi_live_act(fo_live *live, const foi_act *act)
{
    double t = foi_live_time_at(live, act->stamp);
    if (act->verb == FO_LIVE_EVENT || act->verb == FO_LIVE_SET) {
        foi_act one = *act;
        one.t = t;
        line_up(live, &one);
        return FO_OK;
    }
    fo_status status = foi_live_carry(live, t);
    foi_live_release(live, act);
    if (status != FO_REACHED) return status;
    switch (act->verb) {
    case FO_LIVE_PAUSE:
        set_pause(live, act, act->value < 0 ? !live->paused : act->value > 0);
        break;
    case FO_LIVE_SPEED: set_speed(live, act); break;
    case FO_LIVE_STEP: return single_step(live, act);
    case FO_LIVE_BACK: return go_back(live, act);
    case FO_LIVE_ACCURACY: return foi_live_set_accuracy(live, act);
    case FO_LIVE_QUIT:
        live->ending = FO_LIVE_BY_REQUEST;
        fo_fail(&live->message, FO_STOPPED, "asked to quit at t = %.6g s", t);
        return FO_STOPPED;
    default: break;
    }
    return FO_OK;
}
