// Resources: seized and released in amounts, by priority, with preemption.
#include "process/internal.h"

/// What one process has of one resource.
typedef struct foi_holding {
    fo_resource *resource;
    fo_process *p;
    double amount;
    int priority;
    struct foi_holding *pred, *suc; ///< of the resource, the latest first
    struct foi_holding *next;       ///< of the process; of the spare ones
} foi_holding;

struct fo_resource {
    foi_owned owned;
    fo_world *world;
    double capacity, used;
    double begun;
    double area, changed; ///< under what is used, until it changed last
    uint64_t seized;
    foi_line line;
    foi_holding *users;
};

static void destroy(foi_owned *owned, const fo_allocator *a)
{
    fo_resource *r = (fo_resource *)(void *)owned;
    for (foi_holding *h = r->users, *next; h; h = next) {
        next = h->suc;
        foi_free(a, h);
    }
    foi_free(a, r);
}

fo_resource *fo_resource_create(fo_world *w, const char *name, double capacity)
{
    if (!(capacity > 0)) {
        foi_fail(w, FO_ERROR_ARGUMENT, "the capacity of resource '%s' must be positive, not %g",
                 name, capacity);
        return NULL;
    }
    fo_resource *r = foi_new(w->allocator, 1, sizeof *r);
    if (!r) {
        foi_no_memory(w, "a resource");
        return NULL;
    }
    r->world = w, r->capacity = capacity;
    r->line = (foi_line){.kind = "resource", .name = name, .waits = "wait", .gets = "seize"};
    r->begun = r->changed = r->line.changed = w->now;
    foi_own(w, &r->owned, destroy);
    return r;
}

// -------------------------------------------------------------------------------------- holdings

static foi_holding *find(const fo_resource *r, const fo_process *p)
{
    foi_holding *h = p->holdings;
    while (h && h->resource != r) h = h->next;
    return h;
}

static foi_holding *holding_new(fo_world *w)
{
    foi_holding *h = w->spare_holdings;
    if (!h) return foi_new(w->allocator, 1, sizeof *h);
    w->spare_holdings = h->next;
    return h;
}

// The area under what is used, before that changes.
static void add_area(fo_resource *r)
{
    r->area += r->used * (r->world->now - r->changed);
    r->changed = r->world->now;
}

static fo_status give(fo_resource *r, fo_process *p, double amount, int priority)
{
    foi_holding *h = find(r, p);
    add_area(r);
    r->seized++;
    r->used += amount;
    if (h) {
        h->amount += amount;
        h->priority = priority;
        return FO_OK;
    }
    h = holding_new(r->world);
    if (!h) {
        r->used -= amount, r->seized--;
        return foi_no_memory(r->world, "the use of a resource");
    }
    *h = (foi_holding){r, p, amount, priority, NULL, r->users, p->holdings};
    if (r->users) r->users->pred = h;
    r->users = p->holdings = h;
    return FO_OK;
}

static void take(foi_holding *h)
{
    fo_resource *r = h->resource;
    foi_holding **at = &h->p->holdings;
    while (*at != h) at = &(*at)->next;
    *at = h->next;
    *(h->pred ? &h->pred->suc : &r->users) = h->suc;
    if (h->suc) h->suc->pred = h->pred;
    add_area(r);
    r->used = r->users ? r->used - h->amount : 0; // no rounding stays behind
    h->next = r->world->spare_holdings;
    r->world->spare_holdings = h;
}

static bool enough(const fo_resource *r, double amount)
{
    return r->capacity - r->used >= amount * (1 - 1e-12);
}

// Serves the line as far as it goes: whoever is first is not overtaken.
static fo_status serve(fo_resource *r)
{
    fo_status status = FO_OK;
    while (status == FO_OK && r->line.first && enough(r, r->line.first->place.amount)) {
        fo_process *p = r->line.first;
        status = give(r, p, p->place.amount, p->place.priority);
        if (status == FO_OK) status = foi_line_grant(p);
    }
    return status;
}

void foi_holdings_drop(fo_process *p)
{
    while (p->holdings) {
        fo_resource *r = p->holdings->resource;
        foi_trace_act(r->world, p, r->line.name, "release", p->holdings->amount);
        take(p->holdings);
        serve(r);
    }
}

void foi_holdings_free(fo_world *w)
{
    for (foi_holding *h = w->spare_holdings, *next; h; h = next) {
        next = h->next;
        foi_free(w->allocator, h);
    }
}

// ---------------------------------------------------------------------------------------- seizing

static bool may_lose(const foi_holding *h, int priority)
{
    return h->priority < priority && h->p != h->resource->world->current;
}

static foi_holding *weakest(const fo_resource *r, int priority)
{
    foi_holding *found = NULL;
    for (foi_holding *h = r->users; h; h = h->suc)
        if (may_lose(h, priority) && (!found || h->priority < found->priority)) found = h;
    return found;
}

static bool preempt(fo_resource *r, double amount, int priority)
{
    double there = r->capacity - r->used;
    for (foi_holding *h = r->users; h; h = h->suc)
        if (may_lose(h, priority)) there += h->amount;
    if (there < amount) return false;
    while (!enough(r, amount)) {
        foi_holding *h = weakest(r, priority);
        fo_process *p = h->p;
        foi_trace_act(r->world, p, r->line.name, "preempt", h->amount);
        take(h);
        p->place.granted = false;
        foi_wake_up(p, FO_PREEMPTED);
    }
    return true;
}

fo_wake fo_seize_with(fo_world *w, fo_resource *r, const fo_request *request)
{
    fo_process *me = foi_someone(w, "seize");
    if (!me) return FO_BALKED;
    double amount = request->amount != 0 ? request->amount : 1;
    if (!(amount > 0) || amount > r->capacity) {
        char text[64];
        foi_fail(w, FO_ERROR_MODEL,
                 "%s cannot seize %g of resource '%s', at t = %.15g: its capacity is %g",
                 foi_process_text(me, text, sizeof text), amount, r->line.name, w->now,
                 r->capacity);
        return foi_never(w);
    }
    int priority = me->priority + request->priority;
    bool first = !r->line.first || r->line.first->place.priority < priority;
    if (first && (enough(r, amount) || (request->preempt && preempt(r, amount, priority)))) {
        foi_trace_act(w, me, r->line.name, "seize", amount);
        return give(r, me, amount, priority) == FO_OK ? FO_WOKEN : foi_never(w);
    }
    return foi_line_wait(w, &r->line, request, amount, NULL);
}

fo_wake fo_seize(fo_world *w, fo_resource *r)
{
    return fo_seize_with(w, r, &(fo_request){0});
}

fo_status fo_release_amount(fo_world *w, fo_resource *r, double amount)
{
    fo_process *me = foi_someone(w, "release");
    if (!me) return FO_ERROR_MODEL;
    foi_holding *h = find(r, me);
    char text[64];
    if (!h || !(amount > 0) || amount > h->amount * (1 + 1e-12))
        return foi_fail(w, FO_ERROR_MODEL,
                        "%s cannot release %g of resource '%s', at t = %.15g: it has %g",
                        foi_process_text(me, text, sizeof text), amount, r->line.name, w->now,
                        h ? h->amount : 0);
    foi_trace_act(w, me, r->line.name, "release", amount);
    if (amount < h->amount * (1 - 1e-12)) {
        add_area(r);
        h->amount -= amount;
        r->used -= amount;
    } else
        take(h);
    return serve(r);
}

fo_status fo_release(fo_world *w, fo_resource *r)
{
    fo_process *me = foi_someone(w, "release");
    if (!me) return FO_ERROR_MODEL;
    foi_holding *h = find(r, me);
    return fo_release_amount(w, r, h ? h->amount : 1);
}

double fo_resource_available(const fo_resource *r)
{
    return r->capacity - r->used;
}

fo_resource_statistics fo_resource_measure(const fo_resource *r)
{
    double now = r->world->now, time = now - r->begun;
    double used = r->area + r->used * (now - r->changed);
    return (fo_resource_statistics){
        .seized = r->seized,
        .waited = r->line.served,
        .mean_wait = r->seized ? r->line.waits_sum / (double)r->seized : 0,
        .longest_wait = r->line.longest,
        .mean_line = time > 0 ? foi_line_area(&r->line, now) / time : (double)r->line.count,
        .mean_used = time > 0 ? used / time : r->used};
}

double fo_resource_held(const fo_resource *r, const fo_process *p)
{
    const foi_holding *h = find(r, p);
    return h ? h->amount : 0;
}

size_t fo_resource_line(const fo_resource *r)
{
    return r->line.count;
}
