// Gates: open or shut.
#include "process/internal.h"

struct fo_gate {
    foi_owned owned;
    fo_world *world;
    bool open;
    foi_line line;
};

static void destroy(foi_owned *owned, const fo_allocator *a)
{
    foi_free(a, owned);
}

fo_gate *fo_gate_create(fo_world *w, const char *name, bool open)
{
    fo_gate *g = foi_new(w->allocator, 1, sizeof *g);
    if (!g) {
        foi_no_memory(w, "a gate");
        return NULL;
    }
    g->world = w, g->open = open;
    g->line = (foi_line){.kind = "gate", .name = name, .waits = "wait", .gets = "pass"};
    g->line.changed = w->now;
    foi_own(w, &g->owned, destroy);
    return g;
}

fo_wake fo_gate_pass_with(fo_world *w, fo_gate *g, const fo_request *request)
{
    fo_process *me = foi_someone(w, "pass a gate");
    if (!me) return FO_BALKED;
    if (!g->open) return foi_line_wait(w, &g->line, request, 1, NULL);
    foi_trace_act(w, me, g->line.name, "pass", 1);
    return FO_WOKEN;
}

fo_wake fo_gate_pass(fo_world *w, fo_gate *g)
{
    return fo_gate_pass_with(w, g, &(fo_request){0});
}

static fo_status let_pass(fo_gate *g, bool (*filter)(const fo_process *p, void *self), void *self)
{
    fo_status status = FO_OK;
    for (fo_process *p = g->line.first, *next; p && status == FO_OK; p = next) {
        next = p->place.suc;
        if (!filter || filter(p, self)) status = foi_line_grant(p);
    }
    return status;
}

fo_status fo_gate_signal(fo_gate *g, bool (*filter)(const fo_process *p, void *self), void *self)
{
    foi_trace_act(g->world, g->world->current, g->line.name, "signal", NAN);
    return let_pass(g, filter, self);
}

fo_status fo_gate_open(fo_gate *g)
{
    foi_trace_act(g->world, g->world->current, g->line.name, "open", NAN);
    g->open = true;
    return let_pass(g, NULL, NULL);
}

void fo_gate_shut(fo_gate *g)
{
    foi_trace_act(g->world, g->world->current, g->line.name, "shut", NAN);
    g->open = false;
}
