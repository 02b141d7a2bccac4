// What is asked from outside: checked and stamped when it comes, kept in a bounded queue, taken by
// the next advance.
//
// A stamp is read under the lock, and the advance reads the clock before it takes the lock to look
// into the queue: whatever has a stamp up to the reading is then there. So no event of now comes
// too late for the advance that carries the model past it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "live/internal.h"
#include "math/math.h"
#include "system/value.h"

enum { FEW = 8 };
static const int64_t GUILTY = 1000000000; // [ns]

// ------------------------------------------------------------------------------------- checking

static fo_status check_event(fo_system system, const fo_live_request *r, fo_message *why)
{
    fo_events events = system.about->events;
    foi_nearest nearest = foi_nearest_to(r->name);
    for (size_t i = 0; i < events.count; i++) {
        if (strcmp(events.list[i].name, r->name) == 0) return FO_OK;
        foi_nearest_try(&nearest, events.list[i].name);
    }
    return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' has no event '%s'%s", system.about->name, r->name,
                   foi_nearest_hint(&nearest));
}

static fo_status check_set(fo_system system, const fo_live_request *r, fo_message *why)
{
    fo_reference which;
    fo_status status = fo_system_find(system, r->name, &which, why);
    if (status != FO_OK) return status;
    return foi_system_allows(system, which, r->name, r->value, true, why);
}

static fo_status check_accuracy(const fo_live_request *r, fo_message *why)
{
    fo_accuracy one;
    if (!foi_live_accuracy(r->name, r->value, &one))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "an accuracy is rtol, atol, min-step or max-step, not '%s'", r->name);
    if (r->value >= 0) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "%s must be a positive number, not %g", r->name,
                   r->value);
}

static fo_status check(const fo_live *live, const fo_live_request *r, fo_message *why)
{
    bool named = r->verb == FO_LIVE_EVENT || r->verb == FO_LIVE_SET;
    bool needs_name = named || r->verb == FO_LIVE_ACCURACY;
    if (needs_name && (!r->name || strlen(r->name) >= FOI_ACT_NAME))
        return fo_fail(why, FO_ERROR_ARGUMENT, "a name of at most %d letters is needed",
                       FOI_ACT_NAME - 1);
    if (!isfinite(r->value))
        return fo_fail(why, FO_ERROR_ARGUMENT, "a number is needed, not %g", r->value);
    if (r->timed && (!named || !isfinite(r->t)))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "only events and settings can be given a time, and it must be a number");
    switch (r->verb) {
    case FO_LIVE_EVENT: return check_event(live->def.system, r, why);
    case FO_LIVE_SET: return check_set(live->def.system, r, why);
    case FO_LIVE_ACCURACY: return check_accuracy(r, why);
    case FO_LIVE_SPEED:
        if (r->value >= 1e-6 && r->value <= 1e6) return FO_OK;
        return fo_fail(why, FO_ERROR_ARGUMENT, "the speed must lie between 1e-6 and 1e6, not %g",
                       r->value);
    case FO_LIVE_STEP:
    case FO_LIVE_BACK:
        if (r->value >= 0 && r->value <= 1e6) return FO_OK;
        return fo_fail(why, FO_ERROR_ARGUMENT, "the time must lie between 0 and 1e6 s, not %g",
                       r->value);
    case FO_LIVE_PAUSE:
    case FO_LIVE_QUIT: break;
    }
    return FO_OK;
}

// --------------------------------------------------------------------------------------- asking

// How many requests of a source may wait. Trying out which ones the model cannot bear is dear, so
// that a source that sends such things may send only a few for a second.
static uint32_t most_of(const fo_live *live, uint32_t source)
{
    bool guilty = foi_live_now(live) < live->guilty_until[source % FOI_SOURCES];
    return guilty ? FEW : FO_LIVE_WAITING_EACH;
}

static fo_status put(fo_live *live, const fo_live_request *r, double *t, fo_message *why)
{
    uint32_t *of_source = &live->of_source[r->source % FOI_SOURCES];
    bool urgent = r->verb == FO_LIVE_QUIT && live->waiting_count < FO_LIVE_WAITING + FOI_URGENT;
    bool full = live->pending >= FO_LIVE_WAITING || *of_source >= most_of(live, r->source);
    if (full && !urgent) {
        live->figures.dropped++;
        return fo_fail(why, FO_ERROR_MEMORY, "%u requests wait already, this one is dropped",
                       (unsigned)*of_source);
    }
    foi_act act = {.verb = r->verb, .value = r->value, .source = r->source, .timed = r->timed};
    if (r->name) snprintf(act.name, sizeof act.name, "%s", r->name);
    act.stamp = r->stamp ? r->stamp : foi_live_now(live);
    bool running = live->phase != FO_LIVE_NEW;
    act.t = r->timed  ? foi_fmax(r->t, live->t)
            : running ? foi_live_time_at(live, act.stamp)
                      : live->t;
    if (t) *t = act.t;
    live->waiting[live->waiting_count++] = act;
    live->pending++;
    ++*of_source;
    return FO_OK;
}

// A unique end of a name is enough.
static fo_status complete(const fo_live *live, fo_live_request *r, char *full, fo_message *why)
{
    if (r->verb != FO_LIVE_SET || !r->name) return FO_OK;
    fo_status status = fo_system_complete(live->def.system, r->name, full, FOI_ACT_NAME + 1, why);
    r->name = full;
    return status;
}

fo_status fo_live_ask(fo_live *live, const fo_live_request *request, double *t, fo_message *why)
{
    fo_live_request asked = *request;
    char full[FOI_ACT_NAME + 1]; // with room for a letter too many, which is refused
    fo_status status = complete(live, &asked, full, why);
    if (status == FO_OK) status = check(live, &asked, why);
    pthread_mutex_lock(&live->lock);
    if (status == FO_OK)
        status = put(live, &asked, t, why);
    else
        live->figures.refused++;
    pthread_mutex_unlock(&live->lock);
    return status;
}

// --------------------------------------------------------------------------------------- taking

static void insert_timed(fo_live *live, const foi_act *act)
{
    size_t i = live->timed_count++;
    for (; i > 0 && live->timed[i - 1].t > act->t; i--) live->timed[i] = live->timed[i - 1];
    live->timed[i] = *act;
}

static void insert_work(fo_live *live, const foi_act *act)
{
    size_t i = live->work_count++;
    for (; i > 0 && live->work[i - 1].stamp > act->stamp; i--) live->work[i] = live->work[i - 1];
    live->work[i] = *act;
}

void foi_live_take(fo_live *live, int64_t now)
{
    live->work_count = 0;
    pthread_mutex_lock(&live->lock);
    size_t kept = 0;
    for (size_t i = 0; i < live->waiting_count; i++) {
        const foi_act *act = &live->waiting[i];
        if (act->timed)
            insert_timed(live, act);
        else if (act->stamp <= now)
            insert_work(live, act);
        else
            live->waiting[kept++] = *act;
    }
    live->waiting_count = kept;
    pthread_mutex_unlock(&live->lock);
}

void foi_live_release(fo_live *live, const foi_act *act)
{
    pthread_mutex_lock(&live->lock);
    live->pending--;
    live->of_source[act->source % FOI_SOURCES]--;
    pthread_mutex_unlock(&live->lock);
}

// ------------------------------------------------------------------------------------- refusals

void foi_live_blame(fo_live *live, const foi_act *act, const char *text)
{
    int64_t now = foi_live_now(live);
    pthread_mutex_lock(&live->lock);
    live->guilty_until[act->source % FOI_SOURCES] = now + GUILTY;
    if (live->refusal_count < FOI_REFUSALS) {
        foi_refusal *r = &live->refusals[live->refusal_count++];
        r->source = act->source;
        snprintf(r->text, sizeof r->text, "%s", text);
    }
    pthread_mutex_unlock(&live->lock);
}

bool fo_live_next_refusal(fo_live *live, uint32_t *source, fo_message *text)
{
    pthread_mutex_lock(&live->lock);
    bool any = live->refusal_count > 0;
    if (any) {
        *source = live->refusals[0].source;
        fo_fail(text, FO_ERROR_MODEL, "%s", live->refusals[0].text);
        memmove(live->refusals, live->refusals + 1, --live->refusal_count * sizeof *live->refusals);
    }
    pthread_mutex_unlock(&live->lock);
    return any;
}
