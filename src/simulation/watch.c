#include "simulation/watch.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "simulation/search.h"

// One block, what is aligned most first: doubles, tallies, sides, pointers, then flags.
fo_status foi_watch_create(foi_watch *w, const foi_solver *o)
{
    const fo_shape *shape = &o->s->shape;
    const fo_description *about = o->system.about;
    size_t g = shape->guards, c = shape->conditions, n = shape->states;
    size_t doubles = n + 2 * g + foi_search_work(n, g);
    size_t size = doubles * sizeof(double) + g * sizeof(foi_tally) +
                  (2 * g) * sizeof(foi_guard_side) + (g + c) * sizeof(fo_guard *) +
                  g * sizeof(foi_finding) + (5 * g + 4 * c) * sizeof(bool);
    char *block = foi_new(o->allocator, size, 1);
    if (!block) return fo_fail(o->message, FO_ERROR_MEMORY, "no memory to watch %zu guards", g + c);
    foi_free(w->allocator, w->block);
    *w = (foi_watch){.guards = (uint32_t)g, .conditions = (uint32_t)c, .states = (uint32_t)n};
    enum { MOST = 20000 }; // a spike 1e-5 wide takes 67; what takes more will hardly ever be proved
    w->looks = 512;
    w->most = MOST, w->block = block, w->block_size = size, w->allocator = o->allocator;
    w->x = (double *)(void *)block;
    w->slope = w->x + n;
    w->since = w->slope + g;
    w->work = w->since + g;
    w->tally = (foi_tally *)(void *)(w->x + doubles);
    w->guard = (foi_guard_side *)(void *)(w->tally + g);
    w->ahead_guard = w->guard + g;
    w->about = (const fo_guard **)(void *)(w->ahead_guard + g);
    w->finding = (foi_finding *)(void *)(w->about + g + c);
    w->crossed = (bool *)(w->finding + g);
    w->way = (int8_t *)(w->crossed + g);
    w->condition = w->crossed + 2 * g;
    w->ahead_condition = w->condition + c;
    w->changed = w->ahead_condition + c;
    w->seen = w->changed + c;
    w->nature = (uint8_t *)(w->seen + c);
    w->held = w->nature + g;
    w->sides = (int8_t *)(w->held + g);
    static const fo_guard unnamed = {.name = "guard"}, unnamed_condition = {.name = "condition"};
    for (size_t i = 0; i < g; i++) {
        w->about[i] = i < about->guards.count ? &about->guards.list[i] : &unnamed;
        bool bounded = w->about[i]->bounded && o->system.type->guard_bounds;
        w->bounded |= bounded;
        w->opaque |= !bounded;
        w->since[i] = NAN;
    }
    w->unsure_at = NAN;
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
    to->most = from->most, to->looks = from->looks;
    to->unsure = from->unsure, to->unsure_at = from->unsure_at;
}

bool foi_watch_certified(const foi_watch *w, uint32_t i)
{
    const foi_tally *t = &w->tally[i];
    return w->finding && !t->isolated && !t->undecided && !t->searched && !t->limited &&
           !t->loose && w->bounded && w->about[i]->bounded;
}

static bool names(fo_direction direction, int way)
{
    return direction == FO_EITHER || (int)direction == way;
}

// Guards into w->work (its first row) and what is held of them, conditions into w->seen.
static fo_status look(foi_watch *w, const foi_solver *o, const fo_state *s)
{
    const fo_system_type *type = o->system.type;
    fo_status status = FO_OK;
    if (w->guards) {
        w->evaluations++;
        status = type->guards(o->system.model, s, s->t, s->x, w->work);
        if (status != FO_OK) return status;
        status = foi_search_finite(w, o, s->t, w->work);
        if (type->held) type->held(o->system.model, s, w->held);
        for (uint32_t i = 0; i < w->guards; i++)
            if (type->held || !w->guard[i].left) w->guard[i].held = type->held ? w->held[i] : 0;
    }
    if (status == FO_OK && w->conditions)
        status = type->conditions(o->system.model, s, s->t, s->x, w->seen);
    return status;
}

// --------------------------------------------------------------------------------------- looking

// The guard is where its value says; at zero it rests or not.
static void set_side(foi_guard_side *guard, double g, bool rests)
{
    guard->g = g;
    guard->side = foi_sign_of(g);
    guard->rests = rests && g == 0;
    guard->slack = 0;
    guard->told = guard->side;
    guard->idle = guard->left = guard->early = false;
}

fo_status foi_watch_start(foi_watch *w, const foi_solver *o, const fo_state *s, bool *any)
{
    *any = false;
    fo_status status = look(w, o, s);
    if (status != FO_OK) return status;
    w->slope_valid = false;
    for (uint32_t i = 0; i < w->guards; i++) {
        set_side(&w->guard[i], w->work[i], false);
        w->crossed[i] = false;
    }
    for (uint32_t i = 0; i < w->conditions; i++) {
        w->condition[i] = w->seen[i];
        w->changed[i] = w->seen[i] && w->about[w->guards + i]->direction == FO_RISING;
        *any |= w->changed[i];
    }
    return FO_OK;
}

// The guard after a jump. One that fired at this instant and is still within rounding errors of
// zero goes on resting.
static bool look_at(foi_guard_side *guard, const fo_guard *about, double g, int8_t *way)
{
    if (guard->rests && fabs(g) <= guard->slack) {
        guard->g = g;
        return false;
    }
    int to = foi_sign_of(g), told = guard->told;
    bool fires = foi_guard_fires(guard, about, to);
    *way = foi_guard_way(guard, to);
    set_side(guard, g, false);
    if (!fires) return false;
    if (!guard->held || to != told) {
        guard->rests = to == 0;
        return true;
    }
    // the model was told so at this instant and holds something else: for it this is still zero
    guard->rests = true, guard->side = 0, guard->slack = 2 * fabs(g);
    return false;
}

// A guard that the model takes to be at zero, although it is on the other side, is so for all
// errors that states gather from step to step.
static fo_status widen(foi_watch *w, const foi_solver *o, const fo_state *s, uint32_t i)
{
    double sigma = 0;
    if (!w->bounded || !w->about[i]->bounded) return FO_OK;
    if (w->guard[i].g == 0 && !w->guard[i].held) return FO_OK;
    fo_status status = foi_slack_gathered(w, o, s, i, &sigma);
    if (sigma > w->guard[i].slack) w->guard[i].slack = sigma;
    return status;
}

// A guard of which the model holds something will turn in the next jumps of this instant: what it
// does with guards that act (the reset of an integrator behind some logic) waits for that, as a
// `when` does until all relations have turned. What is true in between is so for no time.
static bool any_held_fires(const foi_watch *w)
{
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_guard_side guard = w->guard[i];
        int8_t way;
        if (guard.held && look_at(&guard, w->about[i], w->work[i], &way)) return true;
    }
    return false;
}

// A jump has carried a guard by so far that it is at zero, but for rounding errors, which could
// take it there and back: it rests. Which truth its relation has is known to the model, by where
// the guard goes (land in program/relation.c), and should it leave zero to the other side, it
// fires.
static fo_status land(foi_watch *w, const foi_solver *o, const fo_state *s, uint32_t i, double way)
{
    foi_guard_side *guard = &w->guard[i];
    double sigma = 0;
    if (!guard->held || !w->bounded || !w->about[i]->bounded) return FO_OK;
    if (way == 0 || !(fabs(guard->g) <= 0x1p-20 * fabs(way))) return FO_OK;
    fo_status status = foi_slack_gathered(w, o, s, i, &sigma);
    if (status != FO_OK || sigma == 0 || !(fabs(guard->g) <= sigma)) return status;
    guard->side = 0, guard->rests = true, guard->slack = sigma;
    return FO_OK;
}

fo_status foi_watch_again(foi_watch *w, const foi_solver *o, const fo_state *s, bool changed,
                          bool *any)
{
    *any = false;
    fo_status status = look(w, o, s);
    if (status == FO_OK && changed) status = foi_slack_measure(w, o, s);
    if (status != FO_OK) return status;
    w->slope_valid = false;
    bool later = o->system.type->held && any_held_fires(w);
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        w->crossed[i] = false;
        if (later && !w->guard[i].held) continue;
        bool rested = w->guard[i].rests;
        double way = w->work[i] - w->guard[i].g;
        w->crossed[i] = look_at(&w->guard[i], w->about[i], w->work[i], &w->way[i]);
        *any |= w->crossed[i];
        if (w->guard[i].rests && !rested) status = widen(w, o, s, i);
        if (!w->guard[i].rests && !w->crossed[i]) status = land(w, o, s, i, way);
        if (w->guard[i].rests && !rested) w->since[i] = s->t;
    }
    if (status != FO_OK) return status;
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
        if (!w->crossed[i]) continue;
        w->guard[i].side = 0, w->guard[i].rests = true;
        w->guard[i].idle = w->guard[i].left = w->guard[i].early = false;
        w->since[i] = w->unsure_at;
    }
    for (uint32_t i = 0; i < w->conditions; i++) w->condition[i] = w->ahead_condition[i];
    w->slope_valid = false;
}

fo_status foi_watch_put(foi_watch *w, const foi_solver *o, const fo_state *s, const uint8_t *owner)
{
    fo_status status = o->system.type->guards(o->system.model, s, s->t, s->x, w->work);
    w->evaluations++;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        foi_guard_side *guard = &w->guard[i];
        double g = w->work[i], moved = fabs(g - guard->g);
        bool put = w->crossed[i] && !owner[i] && fabs(g) > guard->slack;
        if (put && fabs(g) <= 2 * moved && moved < INFINITY)
            guard->g = g, guard->slack = 2 * fabs(g);
    }
    return status;
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
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_guard_side *guard = &w->guard[i];
        if (guard->rests && fabs(w->work[i]) <= guard->slack)
            guard->g = w->work[i];
        else
            set_side(guard, w->work[i], guard->side != 0 || guard->rests);
    }
    memcpy(w->condition, w->seen, w->conditions * sizeof(bool));
    w->slope_valid = false;
    return FO_OK;
}
