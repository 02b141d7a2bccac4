// What flows: levels, and the continuous processes that compute their rates.
#include "process/internal.h"

void foi_world_changed(fo_world *w)
{
    w->reshape = true;
    if (w->until > w->now) w->until = w->now; // the other events of this time, then the engine
}

void foi_world_compute_rates(fo_world *w)
{
    for (size_t i = 0; i < w->continuous.count; i++) {
        fo_continuous *c = w->continuous.at[i];
        c->rates(w, c->self);
    }
}

void foi_world_pose(fo_world *w, double t, const double *x)
{
    w->now = t;
    for (size_t i = 0; i < w->posed.count; i++) w->posed.at[i]->state = x[i];
    foi_world_compute_rates(w);
}

void foi_world_settle(fo_world *w)
{
    for (size_t i = 0; i < w->levels.count; i++) w->levels.at[i]->settled = w->levels.at[i]->state;
    w->settled = w->now;
}

void foi_world_begin_step(fo_world *w, double t)
{
    if (!(t > w->settled)) return;
    w->begun = w->settled;
    for (size_t i = 0; i < w->levels.count; i++) w->levels.at[i]->last = w->levels.at[i]->settled;
    w->settled = INFINITY;
}

static fo_status twice(fo_world *w, const char *what, const char *name, const char *how)
{
    return foi_fail(w, FO_ERROR_MODEL, "%s%s%s%s is %s, at t = %.15g", what, name ? " '" : "",
                    name ? name : "", name ? "'" : "", how, w->now);
}

// ---------------------------------------------------------------------------------------- levels

fo_status fo_level_start(fo_world *w, fo_level *l)
{
    if (l->world) return twice(w, "a level", l->name, "started but active already");
    if (!isfinite(l->state))
        return foi_fail(w, FO_ERROR_NUMBER, "level '%s' cannot start at %g, at t = %.15g",
                        l->name ? l->name : "", l->state, w->now);
    if (!FOI_LIST_ADD(w, w->levels, l)) return foi_no_memory(w, "a level");
    l->world = w;
    l->index = (uint32_t)(w->levels.count - 1);
    l->last = l->settled = l->state;
    foi_world_changed(w);
    return FO_OK;
}

fo_status fo_level_start_at(fo_world *w, fo_level *l, double state)
{
    if (!l->world) l->state = state;
    return fo_level_start(w, l);
}

fo_status fo_level_stop(fo_world *w, fo_level *l)
{
    if (l->world != w) return twice(w, "a level", l->name, "stopped but not active");
    fo_level *last = w->levels.at[--w->levels.count];
    w->levels.at[l->index] = last;
    last->index = l->index;
    l->world = NULL;
    foi_world_changed(w);
    return FO_OK;
}

// -------------------------------------------------------------------------- continuous processes

static bool first_of(const fo_continuous *a, const fo_continuous *b)
{
    return a->priority != b->priority ? a->priority > b->priority : a->order < b->order;
}

fo_status fo_continuous_start(fo_world *w, fo_continuous *c, fo_actions *rates, void *self)
{
    if (c->world) return twice(w, "a continuous process", NULL, "started but active already");
    c->rates = rates, c->self = self;
    c->order = ++w->serial;
    if (!FOI_LIST_ADD(w, w->continuous, c)) return foi_no_memory(w, "a continuous process");
    size_t i = w->continuous.count - 1;
    for (; i > 0 && first_of(c, w->continuous.at[i - 1]); i--)
        w->continuous.at[i] = w->continuous.at[i - 1];
    w->continuous.at[i] = c;
    c->world = w;
    return FO_OK;
}

fo_status fo_continuous_stop(fo_world *w, fo_continuous *c)
{
    if (c->world != w) return twice(w, "a continuous process", NULL, "stopped but not active");
    size_t i = 0;
    while (w->continuous.at[i] != c) i++;
    for (w->continuous.count--; i < w->continuous.count; i++)
        w->continuous.at[i] = w->continuous.at[i + 1];
    c->world = NULL;
    return FO_OK;
}

// ------------------------------------------------------------------------- what ends with a stack

static bool lies_on(const void *thing, const foi_stack *stack)
{
    return (const char *)thing >= stack->low && (const char *)thing < stack->low + stack->use;
}

// Drops the pointers that lie on the stack; its frames are gone already, so nothing there is read.
static size_t sieve(void **at, size_t count, const foi_stack *stack)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!lies_on(at[i], stack)) at[kept++] = at[i];
    return kept;
}

void foi_stop_what_lies_on(fo_world *w, const foi_stack *stack)
{
    size_t levels = sieve((void **)w->levels.at, w->levels.count, stack);
    if (levels < w->levels.count) {
        w->levels.count = levels;
        for (size_t i = 0; i < levels; i++) w->levels.at[i]->index = (uint32_t)i;
        foi_world_changed(w);
    }
    w->continuous.count = sieve((void **)w->continuous.at, w->continuous.count, stack);
    w->reporters.count = sieve((void **)w->reporters.at, w->reporters.count, stack);
}
