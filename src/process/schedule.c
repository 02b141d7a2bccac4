/// Who runs: processes hand over to each other directly; the root, which called, begins new ones
/// and buries those that have ended.
#include <stdio.h>

#include "process/internal.h"

// ------------------------------------------------------------------------------------- switching

static void end_of_life(fo_world *w, fo_process *p)
{
    foi_stop_what_lies_on(w, p->stack);
    foi_holdings_drop(p);
    foi_trace_act(w, p, NULL, "end", NAN);
    p->phase = FOI_ENDED;
    w->ended = p;
    w->current = NULL;
    if (p == w->main) w->stopping = true, w->until = -INFINITY;
    foi_coroutine_switch(&p->co, &w->root, true);
}

static void live_process(void *argument)
{
    fo_process *p = argument;
    foi_coroutine_arrive(&p->world->root, &p->co);
    foi_trace_act(p->world, p, NULL, "begin", NAN);
    p->actions(p->world, p->self);
    end_of_life(p->world, p);
}

static bool begin(fo_world *w, fo_process *p)
{
    p->stack = foi_stack_take(&w->stacks, p->stack_size);
    if (!p->stack) {
        char text[64];
        foi_fail(w, FO_ERROR_MEMORY, "no memory for the stack of %s at t = %.15g",
                 foi_process_text(p, text, sizeof text), w->now);
        return false;
    }
    p->limit = foi_stack_limit(p->stack);
    p->canary = foi_stack_canary(p->stack);
    foi_coroutine_init(&p->co, p->stack, live_process, p);
    return p->begun = true;
}

static void bury(fo_world *w)
{
    fo_process *p = w->ended;
    w->ended = NULL;
    foi_coroutine_end(&p->co);
    foi_stack_give_back(&w->stacks, p->stack);
    p->stack = NULL;
    p->begun = false;
    if (p->forget) fo_process_destroy(p);
}

static void overflow(fo_world *w)
{
    char text[64];
    const fo_process *p = w->overflown;
    w->overflown = NULL;
    foi_fail(w, FO_ERROR_MEMORY,
             "the stack of %s is too small: its %zu bytes were used up, at t = %.15g; give it more "
             "in its definition or in the world's",
             foi_process_text(p, text, sizeof text), p->stack->use, w->now);
}

// So that time can go on, there is a limit.
static void stands_still(fo_world *w)
{
    char text[64];
    const fo_process *p = w->restless;
    w->restless = NULL;
    foi_fail(
        w, FO_ERROR_MODEL,
        "time stands still at t = %.15g: %llu events at this instant, the next one would be of "
        "%s; does it hold for 0 again and again? (max_events of the world's definition is the "
        "limit)",
        w->instant, (unsigned long long)w->def.max_events, foi_process_text(p, text, sizeof text));
}

void foi_world_complain(fo_world *w, foi_complaint *complaint)
{
    w->complaint = complaint;
    foi_coroutine_switch(&w->current->co, &w->root, false);
}

static void execute(fo_world *w)
{
    for (;;) {
        fo_process *p = w->chosen ? w->chosen : foi_events_take(w);
        w->chosen = NULL;
        if (w->restless) stands_still(w);
        if (!p || (!p->begun && !begin(w, p))) break;
        w->current = p;
        foi_coroutine_enter(&w->root, &p->co);
        while (w->complaint || w->trace_full) {
            if (w->complaint)
                vsnprintf(w->message.text, sizeof w->message.text, w->complaint->format,
                          w->complaint->arguments);
            w->complaint = NULL;
            if (w->trace_full) foi_trace_flush(w);
            foi_coroutine_enter(&w->root, &w->current->co);
        }
        if (w->ended && !foi_canary_lives(w->ended->canary)) w->overflown = w->ended;
        if (w->overflown) overflow(w);
        if (w->ended) bury(w);
    }
}

void foi_world_execute(fo_world *w)
{
    if (!w->def.catch_overflow)
        execute(w);
    else if (!foi_overflow_watch(w))
        foi_no_memory(w, "a stack that handles faults");
    else {
        execute(w);
        foi_overflow_end(w);
    }
    foi_trace_flush(w);
}

// There is no room any more to say it here: the root will.
static inline void look_at_stack(fo_world *w, fo_process *me)
{
    bool sound = (uintptr_t)&me >= me->limit && foi_canary_lives(me->canary);
    if (__builtin_expect(sound, 1)) return;
    w->overflown = me;
    w->until = -INFINITY;
}

// Goes over from `me` to `next`, NULL: to the root.
static inline void hand_over(fo_world *w, fo_process *me, fo_process *next)
{
    if (next == me) return;
    if (__builtin_expect(next && next->begun, 1)) {
        w->current = next;
        foi_coroutine_switch(&me->co, &next->co, false);
    } else {
        w->chosen = next;
        w->current = NULL;
        foi_coroutine_switch(&me->co, &w->root, false);
    }
}

fo_wake foi_suspend(fo_world *w)
{
    fo_process *me = w->current;
    look_at_stack(w, me);
    hand_over(w, me, foi_events_take(w));
    me->phase = FOI_ACTIVE;
    return (fo_wake)me->wake;
}

fo_wake foi_never(fo_world *w)
{
    fo_process *me = w->current;
    me->phase = FOI_PASSIVE;
    for (;;) foi_suspend(w);
}

fo_process *foi_someone(fo_world *w, const char *verb)
{
    if (__builtin_expect(w->current != NULL, 1)) return w->current;
    foi_fail(w, FO_ERROR_MODEL, "only a process can %s, and none runs", verb);
    return NULL;
}

// -------------------------------------------------------------------------- verbs of the current

static fo_wake bad_hold(fo_world *w, double duration)
{
    char text[64];
    foi_fail(w, FO_ERROR_MODEL, "%s cannot hold for %g, at t = %.15g",
             foi_process_text(w->current, text, sizeof text), duration, w->now);
    return foi_never(w);
}

static fo_wake no_room(fo_world *w)
{
    foi_no_memory(w, "an event");
    return foi_never(w);
}

fo_wake fo_hold(fo_world *w, double duration)
{
    fo_process *me = foi_someone(w, "hold");
    if (!me) return FO_BALKED;
    if (__builtin_expect(!(duration >= 0), 0)) return bad_hold(w, duration);
    foi_trace_act(w, me, NULL, "hold", duration);
    double t = w->now + duration;
    foi_events *l = &w->events;
    // the first event of all would be its own: it goes on without the list
    if ((!l->count || t < l->heap[0].t) && t <= w->until && foi_events_count(w, me, t))
        return FO_WOKEN;
    me->phase = FOI_HOLDING;
    me->wake = FO_WOKEN;
    look_at_stack(w, me);
    if (foi_events_first(w) && l->heap[0].t <= w->until &&
        (t > l->heap[0].t || (t == l->heap[0].t && me->priority <= l->heap[0].priority)) &&
        foi_events_count(w, l->heap[0].p, l->heap[0].t)) {
        hand_over(w, me, foi_events_exchange(w, me, t));
    } else {
        if (!foi_events_add(w, me, t, me->priority, false)) return no_room(w);
        hand_over(w, me, foi_events_take(w));
    }
    me->phase = FOI_ACTIVE;
    return (fo_wake)me->wake;
}

fo_wake fo_passivate(fo_world *w)
{
    fo_process *me = foi_someone(w, "passivate");
    if (!me) return FO_BALKED;
    foi_trace_act(w, me, NULL, "passivate", NAN);
    me->phase = FOI_PASSIVE;
    me->wake = FO_WOKEN;
    return foi_suspend(w);
}

fo_wake fo_wait_for(fo_world *w, fo_queue *q, double patience)
{
    fo_process *me = foi_someone(w, "wait");
    if (!me) return FO_BALKED;
    if (!(patience >= 0)) return bad_hold(w, patience);
    foi_trace_act(w, me, NULL, "wait", NAN);
    fo_link_into(&me->link, q);
    me->phase = FOI_IN_QUEUE;
    me->wake = FO_TIMED_OUT;
    if (patience < INFINITY && !foi_events_add(w, me, w->now + patience, me->priority, false))
        return no_room(w);
    fo_wake wake = foi_suspend(w);
    if (wake == FO_TIMED_OUT) {
        fo_link_out(&me->link);
        foi_trace_act(w, me, NULL, "renege", NAN);
    }
    return wake;
}

fo_wake fo_wait(fo_world *w, fo_queue *q)
{
    return fo_wait_for(w, q, INFINITY);
}

void fo_terminate(fo_world *w)
{
    fo_process *me = foi_someone(w, "terminate");
    if (me) end_of_life(w, me);
}

// ------------------------------------------------------------------------------------- activating

void foi_leave(fo_process *p)
{
    if (p->phase == FOI_IN_LINE && p->place.line) {
        if (!p->place.granted)
            foi_trace_act(p->world, p, p->place.line->name, "leave", p->place.amount);
        foi_line_leave(p);
    }
    if (p->phase == FOI_UNTIL || p->phase == FOI_CROSSING) foi_sentry_leave(p);
    if (p->phase == FOI_HOLDING && p->order) p->remaining = p->t - p->world->now;
}

fo_status foi_wake_up(fo_process *p, fo_wake wake)
{
    fo_world *w = p->world;
    foi_leave(p);
    foi_events_remove(w, p);
    if (!foi_events_add(w, p, w->now, p->priority, false)) return foi_no_memory(w, "an event");
    p->phase = p->phase == FOI_NEW_BORN ? FOI_NEW_BORN : FOI_ACTIVE;
    p->wake = (uint8_t)wake;
    return FO_OK;
}

/// When a process is to be activated.
typedef struct appointment {
    double t;
    bool prior, again, at_once;
    const fo_process *beside;
    bool before;
} appointment;

static fo_status refuse(fo_process *p, const char *why)
{
    char text[64];
    return foi_fail(p->world, FO_ERROR_MODEL, "%s cannot be activated at t = %.15g: %s",
                    foi_process_text(p, text, sizeof text), p->world->now, why);
}

static fo_status check(fo_process *p, const appointment *a)
{
    fo_world *w = p->world;
    if (p->phase == FOI_ENDED) return refuse(p, "it has ended");
    if (a->beside && (a->beside->world != w || !a->beside->order))
        return refuse(p, "the process beside which it should be is not in the event list");
    if (!(a->t >= w->now)) {
        char why[64];
        snprintf(why, sizeof why, "its time would be %.15g", a->t);
        return refuse(p, why);
    }
    return FO_OK;
}

// It runs at once; who activates it comes next.
static fo_status run_at_once(fo_world *w, fo_process *p)
{
    fo_process *me = w->current;
    if (!foi_events_add(w, me, w->now, INT32_MAX, true)) return foi_no_memory(w, "an event");
    if (!foi_events_add(w, p, w->now, INT32_MAX, true)) return foi_no_memory(w, "an event");
    me->wake = FO_WOKEN;
    foi_suspend(w);
    return FO_OK;
}

static fo_status keep(fo_process *p, const appointment *a)
{
    if (!p) return FO_OK;
    fo_world *w = p->world;
    fo_status status = check(p, a);
    if (status != FO_OK || p == w->current || p == a->beside) return status;
    if (p->order && !a->again &&
        (p->phase == FOI_ACTIVE || p->phase == FOI_HOLDING || p->phase == FOI_NEW_BORN))
        return FO_OK;
    foi_trace_act(w, p, NULL, a->again ? "reactivate" : "activate",
                  (a->beside ? a->beside->t : a->t) - w->now);
    foi_leave(p);
    foi_events_remove(w, p);
    if (p->phase != FOI_NEW_BORN) p->phase = FOI_ACTIVE;
    p->wake = FO_ACTIVATED;
    if (a->at_once && w->current) return run_at_once(w, p);
    bool added = a->beside ? foi_events_add_beside(w, p, a->beside, a->before)
                           : foi_events_add(w, p, a->t, p->priority, a->prior);
    return added ? FO_OK : foi_no_memory(w, "an event");
}

static double now_of(const fo_process *p)
{
    return p ? p->world->now : 0;
}

fo_status fo_activate(fo_process *p)
{
    return keep(p, &(appointment){.t = now_of(p), .at_once = true});
}

fo_status fo_activate_at(fo_process *p, double t, bool prior)
{
    return keep(p, &(appointment){.t = t, .prior = prior});
}

fo_status fo_activate_delay(fo_process *p, double delay, bool prior)
{
    return keep(p, &(appointment){.t = now_of(p) + delay, .prior = prior});
}

fo_status fo_activate_before(fo_process *p, const fo_process *other)
{
    return keep(p, &(appointment){.t = now_of(p), .beside = other, .before = true});
}

fo_status fo_activate_after(fo_process *p, const fo_process *other)
{
    return keep(p, &(appointment){.t = now_of(p), .beside = other});
}

fo_status fo_reactivate(fo_process *p)
{
    return keep(p, &(appointment){.t = now_of(p), .at_once = true, .again = true});
}

fo_status fo_reactivate_at(fo_process *p, double t, bool prior)
{
    return keep(p, &(appointment){.t = t, .prior = prior, .again = true});
}

fo_status fo_reactivate_delay(fo_process *p, double delay, bool prior)
{
    return keep(p, &(appointment){.t = now_of(p) + delay, .prior = prior, .again = true});
}

fo_status fo_reactivate_before(fo_process *p, const fo_process *other)
{
    return keep(p, &(appointment){.t = now_of(p), .beside = other, .before = true, .again = true});
}

fo_status fo_reactivate_after(fo_process *p, const fo_process *other)
{
    return keep(p, &(appointment){.t = now_of(p), .beside = other, .again = true});
}

fo_status fo_cancel(fo_process *p)
{
    char text[64];
    if (!p) return FO_OK;
    fo_world *w = p->world;
    if (p->phase == FOI_ENDED)
        return foi_fail(w, FO_ERROR_MODEL, "%s cannot be cancelled at t = %.15g: it has ended",
                        foi_process_text(p, text, sizeof text), w->now);
    if (p == w->current) {
        fo_passivate(w);
        return FO_OK;
    }
    foi_trace_act(w, p, NULL, "cancel", NAN);
    foi_leave(p);
    foi_events_remove(w, p);
    if (p->phase != FOI_NEW_BORN) p->phase = FOI_PASSIVE;
    return FO_OK;
}

fo_status fo_interrupt(fo_process *p, void *reason)
{
    char text[64];
    if (!p) return FO_OK;
    fo_world *w = p->world;
    if (p->phase == FOI_ENDED || p->phase == FOI_NEW_BORN || p == w->current)
        return foi_fail(w, FO_ERROR_MODEL, "%s cannot be interrupted at t = %.15g: it %s",
                        foi_process_text(p, text, sizeof text), w->now,
                        p->phase == FOI_ENDED ? "has ended"
                        : p == w->current     ? "is the one that runs"
                                              : "has not begun");
    p->reason = reason;
    foi_trace_act(w, p, NULL, "interrupt", NAN);
    return foi_wake_up(p, FO_INTERRUPTED);
}
