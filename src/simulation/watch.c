#include "simulation/watch.h"

#include <math.h>
#include <string.h>

#include "simulation/search.h"

// One block: doubles first, then the sides, pointers and flags.
fo_status foi_watch_create(foi_watch *w, const foi_solver *o)
{
    const fo_shape *shape = &o->s->shape;
    const fo_description *about = o->system.about;
    size_t g = shape->guards, c = shape->conditions, n = shape->states;
    size_t doubles = n + g + foi_search_work(n, g);
    size_t size = doubles * sizeof(double) + (2 * g) * sizeof(foi_guard_side) +
                  (g + c) * sizeof(fo_guard *) + (3 * g + 4 * c) * sizeof(bool);
    char *block = foi_new(o->allocator, size, 1);
    if (!block) return fo_fail(o->message, FO_ERROR_MEMORY, "no memory to watch %zu guards", g + c);
    foi_free(w->allocator, w->block);
    *w = (foi_watch){.guards = (uint32_t)g, .conditions = (uint32_t)c, .states = (uint32_t)n};
    w->evaluations = 0, w->block = block, w->block_size = size, w->allocator = o->allocator;
    w->x = (double *)(void *)block;
    w->slope = w->x + n;
    w->work = w->slope + g;
    w->guard = (foi_guard_side *)(void *)(w->x + doubles);
    w->ahead_guard = w->guard + g;
    w->about = (const fo_guard **)(void *)(w->ahead_guard + g);
    w->crossed = (bool *)(w->about + g + c);
    w->way = (int8_t *)(w->crossed + g);
    w->condition = w->crossed + 2 * g;
    w->ahead_condition = w->condition + c;
    w->changed = w->ahead_condition + c;
    w->seen = w->changed + c;
    w->nature = (uint8_t *)(w->seen + c);
    static const fo_guard unnamed = {.name = "guard"}, unnamed_condition = {.name = "condition"};
    for (size_t i = 0; i < g; i++) {
        w->about[i] = i < about->guards.count ? &about->guards.list[i] : &unnamed;
        bool certified = w->about[i]->bounded && o->system.type->guard_bounds;
        w->bounded |= certified;
        w->opaque |= !certified;
    }
    for (size_t i = 0; i < c; i++)
        w->about[g + i] =
            i < about->conditions.count ? &about->conditions.list[i] : &unnamed_condition;
    w->opaque |= c > 0;
    return FO_OK;
}

void foi_watch_destroy(foi_watch *w)
{
    foi_free(w->allocator, w->block);
    w->block = NULL;
}

void foi_watch_copy(foi_watch *to, const foi_watch *from)
{
    // all pointers of `to` stay: both blocks have the same layout, and descriptions are constant
    memcpy(to->block, from->block, from->block_size);
    to->slope_valid = from->slope_valid;
    to->evaluations = from->evaluations;
}

static int8_t sign_of(double g)
{
    return (int8_t)((g > 0) - (g < 0));
}

static bool names(fo_direction direction, int way)
{
    return direction == FO_EITHER || (int)direction == way;
}

// Guards into w->work (its first row), conditions into w->seen.
static fo_status look(foi_watch *w, const foi_solver *o, const fo_state *s)
{
    const fo_system_type *type = o->system.type;
    fo_status status = FO_OK;
    if (w->guards) {
        w->evaluations++;
        status = type->guards(o->system.model, s, s->t, s->x, w->work);
        if (status != FO_OK) return status;
        status = foi_search_finite(w, o, s->t, w->work);
    }
    if (status == FO_OK && w->conditions)
        status = type->conditions(o->system.model, s, s->t, s->x, w->seen);
    return status;
}

// A guard that fired rests at zero as long as a jump leaves it there; where nothing was changed it
// simply goes on to the side it was crossing to.
static void set_side(foi_guard_side *guard, double g, bool changed)
{
    bool rests = guard->fired && guard->side == 0 && fabs(g) <= guard->slack;
    if (!changed && g != 0) rests = false;
    guard->g = g;
    if (rests) return;
    guard->side = sign_of(g);
    guard->fired = false;
}

fo_status foi_watch_start(foi_watch *w, const foi_solver *o, const fo_state *s, bool *any)
{
    *any = false;
    fo_status status = look(w, o, s);
    if (status != FO_OK) return status;
    w->slope_valid = false;
    for (uint32_t i = 0; i < w->guards; i++) {
        w->guard[i] = (foi_guard_side){.g = w->work[i], .side = sign_of(w->work[i])};
        w->crossed[i] = false;
    }
    for (uint32_t i = 0; i < w->conditions; i++) {
        w->condition[i] = w->seen[i];
        w->changed[i] = w->seen[i] && w->about[w->guards + i]->direction == FO_RISING;
        *any |= w->changed[i];
    }
    return FO_OK;
}

fo_status foi_watch_again(foi_watch *w, const foi_solver *o, const fo_state *s, bool changed,
                          bool *any)
{
    *any = false;
    fo_status status = look(w, o, s);
    if (status != FO_OK) return status;
    w->slope_valid = false;
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_guard_side *guard = &w->guard[i];
        int before = guard->side, now = sign_of(w->work[i]);
        // from a side to zero or beyond, or off an unfired zero: both are moments
        bool reached = before ? before * now <= 0 : !guard->fired && now != 0;
        int way = before ? -before : now;
        w->crossed[i] = reached && names(w->about[i]->direction, way);
        w->way[i] = (int8_t)way;
        set_side(guard, w->work[i], changed);
        if (w->crossed[i]) guard->fired = guard->side == 0, guard->slack = 0;
        *any |= w->crossed[i];
    }
    for (uint32_t i = 0; i < w->conditions; i++) {
        bool turned = w->seen[i] != w->condition[i];
        w->changed[i] = turned && names(w->about[w->guards + i]->direction, w->seen[i] ? 1 : -1);
        w->condition[i] = w->seen[i];
        *any |= w->changed[i];
    }
    return FO_OK;
}

void foi_watch_fired(foi_watch *w)
{
    for (uint32_t i = 0; i < w->guards; i++) {
        w->guard[i] = w->ahead_guard[i];
        if (w->crossed[i]) w->guard[i].side = 0, w->guard[i].fired = true;
    }
    for (uint32_t i = 0; i < w->conditions; i++) w->condition[i] = w->ahead_condition[i];
    w->slope_valid = false;
}

void foi_watch_pass(foi_watch *w)
{
    memcpy(w->guard, w->ahead_guard, w->guards * sizeof *w->guard);
    memcpy(w->condition, w->ahead_condition, w->conditions * sizeof(bool));
}

fo_status foi_watch_move(foi_watch *w, const foi_solver *o, const fo_state *s)
{
    fo_status status = look(w, o, s);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < w->guards; i++) set_side(&w->guard[i], w->work[i], true);
    memcpy(w->condition, w->seen, w->conditions * sizeof(bool));
    w->slope_valid = false;
    return FO_OK;
}
