#include "math/math.h"
#include "process/internal.h"

// The area under the length of the line, before that changes.
static void add_area(foi_line *line, double now)
{
    line->area += (double)line->count * (now - line->changed);
    line->changed = now;
}

double foi_line_area(const foi_line *line, double now)
{
    return line->area + (double)line->count * (now - line->changed);
}

void foi_line_join(foi_line *line, fo_process *p, int priority)
{
    fo_process *after = line->last;
    while (after && after->place.priority < priority) after = after->place.pred;
    fo_process *before = after ? after->place.suc : line->first;
    add_area(line, p->world->now);
    p->place.line = line, p->place.priority = priority;
    p->place.since = p->world->now;
    p->place.pred = after, p->place.suc = before;
    *(after ? &after->place.suc : &line->first) = p;
    *(before ? &before->place.pred : &line->last) = p;
    line->count++;
}

void foi_line_leave(fo_process *p)
{
    foi_line *line = p->place.line;
    if (!line) return;
    fo_process *pred = p->place.pred, *suc = p->place.suc;
    add_area(line, p->world->now);
    *(pred ? &pred->place.suc : &line->first) = suc;
    *(suc ? &suc->place.pred : &line->last) = pred;
    line->count--;
    p->place.line = NULL, p->place.pred = p->place.suc = NULL;
}

fo_status foi_line_grant(fo_process *p)
{
    foi_line *line = p->place.line;
    double wait = p->world->now - p->place.since;
    line->served++;
    line->waits_sum += wait;
    line->longest = foi_fmax(line->longest, wait);
    p->place.granted = true;
    foi_trace_act(p->world, p, line->name, line->gets, p->place.amount);
    return foi_wake_up(p, FO_WOKEN);
}

static fo_wake wait_in(fo_world *w, foi_line *line, const fo_request *request)
{
    fo_process *me = w->current;
    foi_line_join(line, me, me->priority + request->priority);
    foi_trace_act(w, me, line->name, line->waits, me->place.amount);
    me->phase = FOI_IN_LINE;
    me->wake = FO_TIMED_OUT;
    me->place.granted = false;
    if (request->patience > 0 &&
        !foi_events_add(w, me, w->now + request->patience, me->priority, false)) {
        foi_no_memory(w, "an event");
        return foi_never(w);
    }
    fo_wake wake = foi_suspend(w);
    if (me->place.line) foi_trace_act(w, me, line->name, "renege", me->place.amount);
    foi_line_leave(me);
    return me->place.granted ? FO_WOKEN : wake;
}

fo_wake foi_line_wait(fo_world *w, foi_line *line, const fo_request *request, double amount,
                      void *item)
{
    if (request->at_once || (request->balk && line->count >= request->balk)) {
        foi_trace_act(w, w->current, line->name, "balk", amount);
        return FO_BALKED;
    }
    foi_place *place = &w->current->place;
    place->amount = amount;
    place->item = item;
    place->filter = request->filter;
    place->filter_self = request->filter_self;
    return wait_in(w, line, request);
}
