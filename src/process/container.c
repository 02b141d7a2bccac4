// Containers: an amount between nothing and a capacity.
#include "math/math.h"
#include "process/internal.h"

struct fo_container {
    foi_owned owned;
    fo_world *world;
    double capacity, amount;
    foi_line putters, getters;
};

static void destroy(foi_owned *owned, const fo_allocator *a)
{
    foi_free(a, owned);
}

fo_container *fo_container_create(fo_world *w, const char *name, double capacity, double amount)
{
    if (!(capacity > 0) || !(amount >= 0) || amount > capacity) {
        foi_fail(w, FO_ERROR_ARGUMENT, "container '%s' cannot hold %g of %g", name, amount,
                 capacity);
        return NULL;
    }
    fo_container *c = foi_new(w->allocator, 1, sizeof *c);
    if (!c) {
        foi_no_memory(w, "a container");
        return NULL;
    }
    c->world = w, c->capacity = capacity, c->amount = amount;
    c->putters.kind = "room in container", c->getters.kind = "the content of container";
    c->putters.name = c->getters.name = name;
    c->putters.waits = "wait to put", c->putters.gets = "put";
    c->getters.waits = "wait to get", c->getters.gets = "get";
    c->putters.changed = c->getters.changed = w->now;
    foi_own(w, &c->owned, destroy);
    return c;
}

static bool can_put(const fo_container *c, double amount)
{
    return c->amount + amount <= c->capacity * (1 + 1e-12);
}

static bool can_get(const fo_container *c, double amount)
{
    return c->amount >= amount * (1 - 1e-12);
}

static void put(fo_container *c, double amount)
{
    c->amount = foi_fmin(c->capacity, c->amount + amount);
}

static void get(fo_container *c, double amount)
{
    c->amount = foi_fmax(0, c->amount - amount);
}

// Whoever is first in a line is not overtaken.
static void serve(fo_container *c)
{
    for (;;) {
        fo_process *g = c->getters.first, *p = c->putters.first;
        if (g && can_get(c, g->place.amount)) {
            get(c, g->place.amount);
            foi_line_grant(g);
        } else if (p && can_put(c, p->place.amount)) {
            put(c, p->place.amount);
            foi_line_grant(p);
        } else
            return;
    }
}

static bool sensible(fo_world *w, const fo_container *c, double amount, const char *verb)
{
    if (amount > 0 && amount <= c->capacity) return true;
    char text[64] = "nobody";
    if (w->current) foi_process_text(w->current, text, sizeof text);
    foi_fail(w, FO_ERROR_MODEL,
             "%s cannot %s %g of container '%s', at t = %.15g: it holds up to %g", text, verb,
             amount, c->getters.name, w->now, c->capacity);
    return false;
}

fo_wake fo_container_put_with(fo_world *w, fo_container *c, const fo_request *request)
{
    fo_process *me = foi_someone(w, "put");
    if (!me) return FO_BALKED;
    if (!sensible(w, c, request->amount, "put")) return foi_never(w);
    if (c->putters.first || !can_put(c, request->amount))
        return foi_line_wait(w, &c->putters, request, request->amount, NULL);
    foi_trace_act(w, me, c->putters.name, "put", request->amount);
    put(c, request->amount);
    serve(c);
    return FO_WOKEN;
}

fo_wake fo_container_put(fo_world *w, fo_container *c, double amount)
{
    return fo_container_put_with(w, c, &(fo_request){.amount = amount});
}

fo_wake fo_container_get_with(fo_world *w, fo_container *c, const fo_request *request)
{
    fo_process *me = foi_someone(w, "get");
    if (!me) return FO_BALKED;
    if (!sensible(w, c, request->amount, "get")) return foi_never(w);
    if (c->getters.first || !can_get(c, request->amount))
        return foi_line_wait(w, &c->getters, request, request->amount, NULL);
    foi_trace_act(w, me, c->getters.name, "get", request->amount);
    get(c, request->amount);
    serve(c);
    return FO_WOKEN;
}

fo_wake fo_container_get(fo_world *w, fo_container *c, double amount)
{
    return fo_container_get_with(w, c, &(fo_request){.amount = amount});
}

double fo_container_amount(const fo_container *c)
{
    return c->amount;
}
