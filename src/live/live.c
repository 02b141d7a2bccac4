// A live run: made, started, looked at, unmade.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "live/internal.h"
#include "math/math.h"

static const double FOR_EVER = 1e9;   // a run without an end goes so far [s]
static const double ITS_SCALE = 10;   // and looks at Zeno and steps as one of so many seconds
static const double LIVE_STEP = 0.01; // of methods with fixed steps, where none is given

// ---------------------------------------------------------------------------------- definitions

static const char *const policies[] = {"warn", "stop", "skip", "degrade", "priority"};
enum { POLICIES = sizeof policies / sizeof policies[0] };

const char *fo_live_policy_text(fo_live_policy policy)
{
    return policies[policy];
}

bool fo_live_policy_find(const char *text, fo_live_policy *policy, fo_message *why)
{
    foi_nearest nearest = foi_nearest_to(text);
    for (int i = 0; i < POLICIES; i++) {
        foi_nearest_try(&nearest, policies[i]);
        if (strcmp(policies[i], text) != 0) continue;
        *policy = (fo_live_policy)i;
        return true;
    }
    fo_fail(why, FO_ERROR_ARGUMENT,
            "unknown policy '%s'%s; there are warn, stop, skip, degrade and priority", text,
            foi_nearest_hint(&nearest));
    return false;
}

fo_live_def fo_default_live_def(fo_system system)
{
    fo_run_def run = fo_default_run_def();
    run.stop = INFINITY;
    return (fo_live_def){.system = system,
                         .run = run,
                         .speed = 1,
                         .rate = 60,
                         .snapshots = 120,
                         .snapshot_interval = 0.5};
}

static fo_status check_def(const fo_live_def *def, fo_message *why)
{
    const struct {
        const char *name;
        double value;
        bool zero;
    } numbers[] = {{"speed", def->speed, false},
                   {"rate", def->rate, true},
                   {"max time step", def->max_time_step, true},
                   {"longest gap", def->longest_gap, true},
                   {"spin", def->spin, true},
                   {"snapshot interval", def->snapshot_interval, true},
                   {"cheap step", def->cheap_step, true},
                   {"cheap rtol", def->cheap_rtol, true}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        double value = numbers[i].value;
        if (isfinite(value) && value >= 0 && (value > 0 || numbers[i].zero)) continue;
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s must be a positive number, not %g",
                       numbers[i].name, value);
    }
    if (def->rate > 1e6)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a rate of %g advances a second is beyond 1e6",
                       def->rate);
    if (def->rate > 0 &&
        def->rate < 1e-3) // nobody waits longer than that for the next look at what comes
        return fo_fail(why, FO_ERROR_ARGUMENT, "a rate of %g advances a second is below 0.001",
                       def->rate);
    if (def->cheap_solver && !fo_solver_find(def->cheap_solver, why)) return FO_ERROR_ARGUMENT;
    return FO_OK;
}

// A run without an end: what a simulation derives from the length of its run gets a scale.
static void settle_end(fo_run_def *run)
{
    if (run->stop < INFINITY) return;
    run->stop = run->start + FOR_EVER;
    if (run->scale > 0) return;
    run->scale = ITS_SCALE;
    if (!(run->max_step > 0)) run->max_step = ITS_SCALE / 20;
}

static int64_t nanoseconds(double seconds)
{
    return seconds < 9e9 ? (int64_t)llround(1e9 * seconds) : INT64_C(9000000000000000000);
}

static void settle_times(fo_live *live)
{
    const fo_live_def *def = &live->def;
    double period = def->rate > 0 ? 1 / def->rate : 0;
    double most = period > 0 ? 2 * period : 0.1;
    live->period = nanoseconds(period);
    live->max_time_step = nanoseconds(def->max_time_step > 0 ? def->max_time_step : most);
    live->longest_gap =
        nanoseconds(def->longest_gap > 0 ? def->longest_gap : foi_fmax(2, 10 * period));
    if (live->longest_gap < live->max_time_step) live->longest_gap = live->max_time_step;
    live->figures.period = 1e-9 * (double)live->period;
}

// -------------------------------------------------------------------------- making and unmaking

// A thread of high priority that waits for the lock lends its priority to the one that has it.
static bool make_lock(fo_live *live)
{
    pthread_mutexattr_t kind;
    if (pthread_mutexattr_init(&kind) != 0) return false;
    pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
    bool made = pthread_mutex_init(&live->lock, &kind) == 0;
    pthread_mutexattr_destroy(&kind);
    return made;
}

static bool make_room(fo_live *live)
{
    foi_act **rooms[] = {&live->waiting, &live->work, &live->timed, &live->acts};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        *rooms[i] = foi_new(live->allocator, FO_LIVE_WAITING + FOI_URGENT, sizeof(foi_act));
        if (!*rooms[i]) return false;
    }
    live->marks = foi_new(live->allocator, live->def.snapshots, sizeof *live->marks);
    return live->marks;
}

fo_live *fo_live_create(const fo_live_def *def, fo_message *why)
{
    if (why) *why = (fo_message){FO_OK, ""};
    if (check_def(def, why) != FO_OK) return NULL;
    fo_live *live = foi_new(def->run.allocator, 1, sizeof *live);
    if (live && !make_lock(live)) {
        foi_free(def->run.allocator, live);
        live = NULL;
    }
    if (!live) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a live run");
        return NULL;
    }
    live->def = *def;
    live->allocator = def->run.allocator;
    live->latest = INT64_MAX;
    live->clock = def->clock.now ? def->clock : fo_machine_clock();
    live->speed = def->speed;
    live->patience = 60;
    settle_times(live);
    settle_end(&live->def.run);
    if (!(live->def.run.step > 0)) live->def.run.step = LIVE_STEP;
    live->full_step = live->def.run.step, live->full_rtol = live->def.run.rtol;
    if (make_room(live))
        live->sim = fo_simulation_create(def->system, &live->def.run, why);
    else
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a live run");
    if (live->sim) {
        live->t = live->anchor_t = fo_simulation_time(live->sim);
        return live;
    }
    fo_live_destroy(live);
    return NULL;
}

void fo_live_destroy(fo_live *live)
{
    if (!live) return;
    const fo_allocator *a = live->allocator;
    fo_live_record_end(live);
    foi_live_marks_free(live);
    fo_simulation_destroy(live->sim);
    foi_free(a, live->marks);
    foi_free(a, live->waiting);
    foi_free(a, live->work);
    foi_free(a, live->timed);
    foi_free(a, live->acts);
    pthread_mutex_destroy(&live->lock);
    foi_free(a, live);
}

// ------------------------------------------------------------------------------------- the clock

int64_t foi_live_now(const fo_live *live)
{
    return live->clock.now(live->clock.self);
}

double foi_live_time_at(const fo_live *live, int64_t clock)
{
    double t = live->anchor_t;
    if (clock > live->latest) clock = live->latest;
    if (!live->paused && clock > live->anchor)
        t += live->speed * (1e-9 * (double)(clock - live->anchor));
    return foi_fmin(t, live->def.run.stop);
}

void foi_live_anchor(fo_live *live, int64_t clock, double t)
{
    pthread_mutex_lock(&live->lock);
    live->anchor = clock;
    live->anchor_t = t;
    pthread_mutex_unlock(&live->lock);
}

fo_status fo_live_start(fo_live *live)
{
    return live->phase == FO_LIVE_NEW ? foi_live_start_at(live, 0) : FO_OK;
}

fo_status foi_live_start_at(fo_live *live, int64_t now)
{
    if (foi_record_begin(live) != FO_OK) return live->message.status;
    foi_live_raise(live);
    fo_status status = fo_simulation_start(live->sim);
    if (fo_failed(status)) live->message = *fo_simulation_message(live->sim);
    if (!now) now = foi_live_now(live);
    live->started = live->last = now;
    live->deadline = now + live->period;
    live->clocks_known = foi_live_compare(live, &live->suspended, &live->day);
    pthread_mutex_lock(&live->lock);
    live->phase = fo_failed(status)      ? FO_LIVE_FAILED
                  : status == FO_STOPPED ? FO_LIVE_BY_MODEL
                                         : FO_LIVE_RUNNING;
    live->anchor = now;
    live->t = live->anchor_t = fo_simulation_time(live->sim);
    pthread_mutex_unlock(&live->lock);
    if (status == FO_OK) foi_live_mark(live);
    return status;
}

void fo_live_wait(fo_live *live)
{
    if (live->phase == FO_LIVE_NEW) fo_live_start(live);
    if (!live->period || live->phase != FO_LIVE_RUNNING) return;
    const fo_clock *c = &live->clock;
    int64_t spin = c->spin_until ? nanoseconds(live->def.spin) : 0;
    if (live->deadline - spin > foi_live_now(live)) c->sleep_until(c->self, live->deadline - spin);
    if (spin > 0) c->spin_until(c->self, live->deadline);
}

// -------------------------------------------------------------------------------- looking at it

void foi_live_note(fo_live *live, const char *format, ...)
{
    char text[FO_MESSAGE_SIZE];
    va_list arguments;
    if (!live->def.note) return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    live->def.note(live->def.note_self, text);
}

fo_simulation *fo_live_simulation(fo_live *live)
{
    return live->sim;
}

const fo_message *fo_live_message(const fo_live *live)
{
    return &live->message;
}

fo_live_view fo_live_look(fo_live *live)
{
    pthread_mutex_lock(&live->lock);
    fo_live_view view = {.phase = live->phase,
                         .t = live->t,
                         .speed = live->speed,
                         .paused = live->paused,
                         .degraded = live->degraded,
                         .load = live->load};
    pthread_mutex_unlock(&live->lock);
    return view;
}
