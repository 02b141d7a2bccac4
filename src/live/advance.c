// The advance action: the clock is read, and the model is carried by the time that has passed
// since the last reading.
//
//     delta = now - last;  last = now;
//     if (delta > max_time_step) take measures;
//     advance by delta;
//
// Deadlines lie on a grid of periods. An advance that has not ended at the next deadline has missed
// it; what was missed is not made up for by more advances, since one carries all the time.
#include <math.h>

#include "live/internal.h"
#include "math/math.h"

static const int64_t NOTICED = 20000000; // clocks that part by more than 20 ms have been touched
static const int64_t HELD_UP = 1000000;
static const int64_t NOTE_EVERY = 1000000000;

// ------------------------------------------------------------------------------------ the clocks

// The machine stood still for `gap`: the model does not see it.
static void stood_still(fo_live *live, int64_t gap)
{
    foi_live_anchor(live, live->anchor + gap, live->anchor_t);
    pthread_mutex_lock(&live->lock);
    live->figures.stops++;
    live->figures.skipped += 1e-9 * (double)gap;
    pthread_mutex_unlock(&live->lock);
}

static void count_set(fo_live *live)
{
    pthread_mutex_lock(&live->lock);
    live->figures.clock_set++;
    pthread_mutex_unlock(&live->lock);
}

static void went_back(fo_live *live, int64_t now)
{
    foi_live_note(live, "the clock went back by %.6g s; the model goes on from where it is",
                  1e-9 * (double)(live->last - now));
    count_set(live);
    foi_live_anchor(live, now, fo_simulation_time(live->sim));
    live->last = now;
    live->deadline = now;
}

bool foi_live_compare(const fo_live *live, int64_t *suspended, int64_t *day)
{
    const fo_clock *c = &live->clock;
    int64_t before = foi_live_now(live);
    *suspended = c->with_suspend ? c->with_suspend(c->self) - before : 0;
    *day = c->of_day ? c->of_day(c->self) - before : 0;
    return foi_live_now(live) - before < HELD_UP;
}

static void was_suspended(fo_live *live, int64_t by)
{
    foi_live_note(live, "the machine was suspended for %.3g s; the model did not move",
                  1e-9 * (double)by);
    pthread_mutex_lock(&live->lock);
    live->figures.stops++;
    pthread_mutex_unlock(&live->lock);
}

static void was_set(fo_live *live, int64_t by)
{
    foi_live_note(live, "the time of day was set by %.3g s; the run does not go by it",
                  1e-9 * (double)by);
    count_set(live);
}

// Suspension does not move the monotonic clock, and setting the time of day does not either: both
// are only reported. The time of day is slewed by daemons, which is slow and no news.
static void watch_clocks(fo_live *live)
{
    int64_t suspended, day;
    if (!foi_live_compare(live, &suspended, &day)) return;
    int64_t slept = suspended - live->suspended, set = day - live->day - slept;
    bool known = live->clocks_known;
    live->suspended = suspended, live->day = day, live->clocks_known = true;
    if (!known) return;
    if (slept > NOTICED) was_suspended(live, slept);
    if (set > NOTICED || set < -NOTICED) was_set(live, set);
}

// ---------------------------------------------------------------------------------- the policies

static fo_status overrun(fo_live *live, int64_t now, int64_t delta)
{
    pthread_mutex_lock(&live->lock);
    live->figures.overruns++;
    pthread_mutex_unlock(&live->lock);
    double is = 1e-9 * (double)delta, most = 1e-9 * (double)live->max_time_step;
    bool noted = now - live->overrun_noted < NOTE_EVERY && live->overrun_noted;
    if (!noted) live->overrun_noted = now;
    live->on_time = 0;
    switch (live->def.policy) {
    case FO_LIVE_STOP:
        live->ending = FO_LIVE_BY_POLICY;
        fo_fail(&live->message, FO_STOPPED,
                "an advance of %.4g s, longer than %.4g s, at t = %.6g s", is, most,
                fo_simulation_time(live->sim));
        return FO_STOPPED;
    case FO_LIVE_SKIP:
        pthread_mutex_lock(&live->lock);
        live->latest = now - delta + live->max_time_step;
        live->figures.skipped += is - most;
        pthread_mutex_unlock(&live->lock);
        if (!noted) foi_live_note(live, "late by %.4g s: %.4g s dropped", is, is - most);
        return FO_OK;
    case FO_LIVE_DEGRADE: return foi_live_degrade(live, true);
    case FO_LIVE_WARN:
    case FO_LIVE_PRIORITY: break;
    }
    if (!noted) foi_live_note(live, "an advance of %.4g s, longer than %.4g s", is, most);
    return FO_OK;
}

// Back to the full method: so many advances in time, with three quarters of the period to spare.
// Each return that fails doubles how many it takes.
static fo_status recover(fo_live *live, int64_t computing)
{
    if (!live->degraded) return FO_OK;
    int64_t whole = live->period ? live->period : live->max_time_step;
    live->on_time = 4 * computing < whole ? live->on_time + 1 : 0;
    if (live->on_time < live->patience) return FO_OK;
    if (live->patience < 100000) live->patience *= 2;
    live->on_time = 0;
    return foi_live_degrade(live, false);
}

static fo_status measures(fo_live *live, int64_t now, int64_t delta)
{
    if (delta <= live->max_time_step || live->paused) return FO_OK;
    if (delta > live->longest_gap) {
        foi_live_note(live, "nothing ran for %.4g s; the model did not move", 1e-9 * (double)delta);
        stood_still(live, delta);
        return FO_OK;
    }
    return overrun(live, now, delta);
}

// ------------------------------------------------------------------------------------- figures

static void keep_figures(fo_live *live, int64_t now, int64_t delta, int64_t end)
{
    fo_live_figures *f = &live->figures;
    pthread_mutex_lock(&live->lock);
    f->advances++;
    f->elapsed = 1e-9 * (double)(end - live->started);
    f->longest = foi_fmax(f->longest, 1e-9 * (double)delta);
    f->simulated = fo_simulation_time(live->sim) - live->def.run.start;
    fo_live_histogram_add(&f->computing, end - now);
    int64_t whole = live->period ? live->period : delta;
    if (whole > 0) live->load += 0.1 * ((double)(end - now) / (double)whole - live->load);
    if (live->period) {
        fo_live_histogram_add(&f->lateness, now - live->deadline);
        int64_t late = end - live->deadline;
        int64_t passed = late >= 0 ? late / live->period : 0;
        f->missed += (uint64_t)passed;
        // an advance before its deadline (a caller with a loop of its own) leaves it standing
        if (now >= live->deadline) live->deadline += (passed + 1) * live->period;
    }
    live->t = fo_simulation_time(live->sim);
    pthread_mutex_unlock(&live->lock);
}

static fo_status conclude(fo_live *live, fo_status status)
{
    fo_live_phase phase = FO_LIVE_RUNNING;
    if (fo_failed(status)) {
        phase = FO_LIVE_FAILED;
        if (live->message.status != status) live->message = *fo_simulation_message(live->sim);
    } else if (status == FO_STOPPED && live->ending != FO_LIVE_NEW) {
        phase = live->ending;
    } else if (status == FO_STOPPED) {
        phase = FO_LIVE_BY_MODEL;
        live->message = *fo_simulation_message(live->sim);
    } else if (fo_simulation_time(live->sim) >= live->def.run.stop) {
        phase = FO_LIVE_AT_STOP;
        fo_fail(&live->message, FO_STOPPED, "the stop time %.6g s", live->def.run.stop);
    }
    pthread_mutex_lock(&live->lock);
    live->phase = phase;
    pthread_mutex_unlock(&live->lock);
    if (fo_failed(status)) return status;
    return phase == FO_LIVE_RUNNING ? FO_REACHED : FO_STOPPED;
}

// What was acted before the time that is dropped has its time; what was acted in it happens at its
// beginning. Then the clock goes on after it.
static void drop(fo_live *live, int64_t now)
{
    if (live->latest == INT64_MAX) return;
    pthread_mutex_lock(&live->lock);
    live->anchor = live->anchor <= live->latest ? live->anchor + (now - live->latest) : now;
    live->latest = INT64_MAX;
    pthread_mutex_unlock(&live->lock);
}

// ------------------------------------------------------------------------------------ the action

// Everything that was asked for until `now`, in its order, and the time until then.
static fo_status carry_out(fo_live *live, int64_t now)
{
    fo_status status = FO_OK;
    foi_live_take(live, now);
    for (size_t i = 0; i < live->work_count && !fo_failed(status) && status != FO_STOPPED; i++)
        status = foi_live_act(live, &live->work[i]);
    if (fo_failed(status) || status == FO_STOPPED) return status;
    status = foi_live_carry(live, foi_live_time_at(live, now));
    if (status == FO_REACHED) foi_live_mark(live);
    return status;
}

fo_status fo_live_advance_at(fo_live *live, int64_t now)
{
    if (live->phase == FO_LIVE_NEW) {
        fo_status status = foi_live_start_at(live, now);
        if (fo_failed(status)) return status;
    }
    if (live->phase == FO_LIVE_FAILED) return live->message.status;
    if (live->phase != FO_LIVE_RUNNING) return FO_STOPPED;
    if (now < live->last) went_back(live, now);
    watch_clocks(live);
    int64_t delta = now - live->last;
    live->last = now;
    fo_status status = measures(live, now, delta);
    if (status == FO_OK) status = carry_out(live, now);
    drop(live, now);
    int64_t end = foi_live_now(live);
    if (status == FO_REACHED && live->degraded && fo_failed(recover(live, end - now)))
        status = live->message.status;
    keep_figures(live, now, delta, end);
    return conclude(live, status);
}

fo_status fo_live_advance(fo_live *live)
{
    return fo_live_advance_at(live, foi_live_now(live));
}
