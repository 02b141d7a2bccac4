// Gates: open or shut.
#include "process/internal.h"

struct fo_gate {
    foi_owned owned;
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
    g->open = open;
    g->line.kind = "gate", g->line.name = name;
    foi_own(w, &g->owned, destroy);
    return g;
}

fo_wake fo_gate_pass_with(fo_world *w, fo_gate *g, const fo_request *request)
{
    fo_process *me = foi_someone(w, "pass a gate");
    if (!me) return FO_BALKED;
    return g->open ? FO_WOKEN : foi_line_wait(w, &g->line, request, 1, NULL);
}

fo_wake fo_gate_pass(fo_world *w, fo_gate *g)
{
    return fo_gate_pass_with(w, g, &(fo_request){0});
}

fo_status fo_gate_signal(fo_gate *g, bool (*filter)(const fo_process *p, void *self), void *self)
{
    fo_status status = FO_OK;
    for (fo_process *p = g->line.first, *next; p && status == FO_OK; p = next) {
        next = p->place.suc;
        if (!filter || filter(p, self)) status = foi_line_grant(p);
    }
    return status;
}

fo_status fo_gate_open(fo_gate *g)
{
    g->open = true;
    return fo_gate_signal(g, NULL, NULL);
}

void fo_gate_shut(fo_gate *g)
{
    g->open = false;
}
