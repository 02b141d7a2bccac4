// What happens to a composition at moments: each goes to the part that it belongs to.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "system/compose.h"

// The inputs of one part as they are at the state's own time, put where a change of size keeps
// them.
static fo_status inputs_at_moment(const fo_composition *c, const fo_state *s, const foi_part *part)
{
    if (!part->connected) return FO_OK;
    fo_status status = foi_compose_inputs(c, s, s->t, s->x, NULL, part->depth);
    if (status) return status;
    double *kept = (double *)((char *)s->memory + c->memory_u) + part->u;
    memcpy(kept, (const double *)s->scratch + part->u, part->shape.inputs * sizeof *kept);
    return FO_OK;
}

static foi_part_host host_of(const fo_composition *c, fo_state *s, uint32_t part)
{
    return (foi_part_host){{foi_part_resize, foi_part_note, foi_part_accuracy}, c, s, part};
}

// ------------------------------------------------------------------------------------------ start

static fo_status start_part(const fo_composition *c, fo_state *s, uint32_t i)
{
    const foi_part *part = &c->parts[i];
    fo_status status = inputs_at_moment(c, s, part);
    if (status) return status;
    foi_part_host host = host_of(c, s, i);
    fo_state view = foi_part_view(c, s, i, true);
    view.host = &host.host;
    status = part->system.type->start(part->system.model, &view);
    foi_extents(s)[i].started = true;
    return status ? foi_part_failed(part, s, status) : FO_OK;
}

fo_status foi_compose_start(const void *model, fo_state *s)
{
    const fo_composition *c = model;
    foi_extent *extents = foi_extents(s);
    fo_shape shape;
    foi_extents_begin(c, extents);
    foi_extents_place(c, extents, &shape);
    for (uint32_t i = 0; i < c->part_count; i++)
        extents[i].started = c->parts[i].system.type->start == NULL;
    for (uint32_t i = 0; i < c->part_count; i++) {
        uint32_t part = c->start_order[i];
        if (foi_extents(s)[part].started) continue;
        fo_status status = start_part(c, s, part);
        if (status) return status;
    }
    return FO_OK;
}

// ------------------------------------------------------------------------------------ next, settle

static int moment_priority(const foi_part *part, uint32_t index)
{
    const fo_events *moments = &part->system.about->moments;
    return index < moments->count ? moments->list[index].priority : 0;
}

fo_next foi_compose_next(const void *model, const fo_state *s)
{
    const fo_composition *c = model;
    fo_next earliest = {INFINITY, 0};
    int priority = 0;
    // inputs that cannot be computed here fail again, and with a message, where the rates are
    foi_compose_inputs(c, s, s->t, s->x, NULL, c->next_depth);
    for (uint32_t i = 0; i < c->part_count; i++) {
        const foi_part *part = &c->parts[i];
        if (!part->system.type->next) continue;
        fo_state view = foi_part_view(c, s, i, false);
        fo_next next = part->system.type->next(part->system.model, &view);
        if (!(next.t <= earliest.t) || isinf(next.t)) continue;
        assert(next.index < part->moments);
        int its = moment_priority(part, next.index);
        if (next.t == earliest.t && its >= priority) continue;
        earliest = (fo_next){next.t, part->moment + next.index};
        priority = its;
    }
    return earliest;
}

fo_status foi_compose_settle(const void *model, fo_state *s, double t, const double *x)
{
    const fo_composition *c = model;
    // all inputs are taken before the first part settles: the parts' order has no influence
    fo_status status = foi_compose_inputs(c, s, t, x, NULL, c->settle_depth);
    for (uint32_t i = 0; i < c->part_count && !status; i++) {
        const fo_system *system = &c->parts[i].system;
        if (!system->type->settle) continue;
        fo_state view = foi_part_view(c, s, i, false);
        foi_part_host host = host_of(c, s, i);
        view.host = &host.host;
        status = system->type->settle(system->model, &view, t, x + foi_extents(s)[i].x);
        if (status) status = foi_part_failed(&c->parts[i], s, status);
    }
    return status;
}

/// The path of the whole, as one part sees it.
typedef struct part_path {
    const fo_composition *c;
    const fo_state *s;
    const fo_path *whole;
    uint32_t part;
    double *x, *dx;   ///< of the whole
    fo_status status; ///< of its inputs
} part_path;

// A part's inputs, which it sees in the scratch space, are those at t, too.
static void part_at(void *self, double t, double *x, double *dx)
{
    part_path *p = self;
    const foi_extent *e = &foi_extents(p->s)[p->part];
    p->whole->at(p->whole->self, t, p->x, p->dx);
    const double *at = t == p->whole->to ? p->s->x : p->x;
    fo_status status = foi_compose_inputs(p->c, p->s, t, at, NULL, p->c->record_depth);
    if (fo_failed(status)) p->status = status;
    if (!e->states) return;
    memcpy(x, p->x + e->x, e->states * sizeof *x);
    memcpy(dx, p->dx + e->x, e->states * sizeof *dx);
}

fo_status foi_compose_record(const void *model, fo_state *s, const fo_path *path)
{
    const fo_composition *c = model;
    double *x = foi_compose_work(c, s);
    fo_status status = foi_compose_inputs(c, s, path->to, s->x, NULL, c->record_depth);
    for (uint32_t i = 0; i < c->part_count && !status; i++) {
        const fo_system *system = &c->parts[i].system;
        if (!system->type->record) continue;
        fo_state view = foi_part_view(c, s, i, false);
        part_path self = {c, s, path, i, x, x + s->shape.states, FO_OK};
        fo_path its = *path;
        its.self = &self, its.at = part_at;
        status = system->type->record(system->model, &view, &its);
        if (!status) status = self.status;
        if (status) status = foi_part_failed(&c->parts[i], s, status);
    }
    return status;
}

// ------------------------------------------------------------------------------------------- jumps

/// Whose moment it is: a part, and the index that the part knows it by.
typedef struct target {
    uint32_t part, index;
} target;

// The last part whose first index (at `offset` in foi_part) is not beyond the index. Parts without
// any share their first index with the next one, which is later and so wins.
static target find_fixed(const fo_composition *c, size_t offset, uint32_t index)
{
    uint32_t low = 0, high = c->part_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2, first;
        memcpy(&first, (const char *)&c->parts[middle] + offset, sizeof first);
        if (first <= index)
            low = middle;
        else
            high = middle;
    }
    uint32_t first;
    memcpy(&first, (const char *)&c->parts[low] + offset, sizeof first);
    return (target){low, index - first};
}

static target find_guard(const fo_composition *c, const fo_state *s, uint32_t index)
{
    if (index < c->shape.guards) return find_fixed(c, offsetof(foi_part, g), index);
    const foi_extent *e = foi_extents(s);
    uint32_t i = c->part_count - 1;
    while (i > 0 && (e[i].g > index || e[i].guards <= c->parts[i].shape.guards)) i--;
    return (target){i, c->parts[i].shape.guards + (index - e[i].g)};
}

static target find_condition(const fo_composition *c, const fo_state *s, uint32_t index)
{
    if (index < c->shape.conditions) return find_fixed(c, offsetof(foi_part, c), index);
    const foi_extent *e = foi_extents(s);
    uint32_t i = c->part_count - 1;
    while (i > 0 && (e[i].c > index || e[i].conditions <= c->parts[i].shape.conditions)) i--;
    return (target){i, c->parts[i].shape.conditions + (index - e[i].c)};
}

// The name that the part has for it; the whole's where it has none.
static const char *part_name(const foi_part *part, const fo_moment *m, uint32_t index)
{
    const fo_description *about = part->system.about;
    if ((m->kind == FO_GUARD || m->kind == FO_ZENO) && index < about->guards.count)
        return about->guards.list[index].name;
    if (m->kind == FO_CONDITION && index < about->conditions.count)
        return about->conditions.list[index].name;
    if (m->kind == FO_SCHEDULED && index < about->moments.count)
        return about->moments.list[index].name;
    if (m->kind == FO_EXTERNAL && index < about->events.count)
        return about->events.list[index].name;
    return m->name;
}

// The guards of one part among those that pass zero at the instant. More than there is room for are
// left to their own moments.
enum { MOST_CROSSINGS = 64 };

static uint32_t crossings_of(const fo_composition *c, const fo_state *s, uint32_t part,
                             const fo_moment *m, fo_crossing *mine)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->with_count && count < MOST_CROSSINGS; i++) {
        target to = find_guard(c, s, m->with[i].guard);
        if (to.part != part) continue;
        mine[count] = m->with[i];
        mine[count++].guard = to.index;
    }
    return count;
}

static fo_status jump_part(const fo_composition *c, fo_state *s, target to, const fo_moment *m,
                           fo_effect *e)
{
    const foi_part *part = &c->parts[to.part];
    fo_status status = inputs_at_moment(c, s, part);
    if (status) return status;
    fo_moment mine = *m;
    mine.index = to.index;
    mine.name = part_name(part, m, to.index);
    fo_crossing with[MOST_CROSSINGS];
    mine.with = with;
    mine.with_count = crossings_of(c, s, to.part, m, with);
    foi_part_host host = host_of(c, s, to.part);
    fo_state view = foi_part_view(c, s, to.part, true);
    view.host = &host.host;
    status = part->system.type->jump(part->system.model, &view, &mine, e);
    if (status) return foi_part_failed(part, s, status);
    if (e->again) foi_extents(s)[to.part].again = true;
    // an output may have changed that others see, even if the part itself does not look at it
    if (part->feeds) e->unchanged = false;
    return FO_OK;
}

// Whether a moment that is not of one part alone is for this one.
static bool wants(const fo_composition *c, fo_state *s, uint32_t part, const fo_moment *m)
{
    if (m->kind == FO_SET) return c->parts[part].system.type->hears_sets;
    bool again = foi_extents(s)[part].again;
    foi_extents(s)[part].again = false;
    return again;
}

// To every part that asked for it, in the order of the parts.
static fo_status jump_all(const fo_composition *c, fo_state *s, const fo_moment *m, fo_effect *e)
{
    *e = (fo_effect){.unchanged = true};
    for (uint32_t i = 0; i < c->part_count; i++) {
        if (!wants(c, s, i, m)) continue;
        fo_effect its = {0};
        fo_status status = jump_part(c, s, (target){i, m->index}, m, &its);
        if (status) return status;
        e->unchanged = e->unchanged && its.unchanged;
        e->again = e->again || its.again;
        e->stop = e->stop || its.stop;
    }
    return FO_OK;
}

fo_status foi_compose_jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    const fo_composition *c = model;
    const foi_extent *extents = foi_extents(s);
    target to = {0};
    bool there = true;
    switch (m->kind) {
    case FO_GUARD:
    case FO_ZENO:
        to = find_guard(c, s, m->index);
        there = to.index < extents[to.part].guards;
        break;
    case FO_CONDITION:
        to = find_condition(c, s, m->index);
        there = to.index < extents[to.part].conditions;
        break;
    case FO_SCHEDULED: to = find_fixed(c, offsetof(foi_part, moment), m->index); break;
    case FO_EXTERNAL: to = find_fixed(c, offsetof(foi_part, event), m->index); break;
    case FO_AGAIN:
    case FO_SET: return jump_all(c, s, m, e);
    case FO_REST:
    case FO_REST_END:
    case FO_SLIDE:
    case FO_SLIDE_END: there = false; break; // only reported
    }
    if (there) return jump_part(c, s, to, m, e);
    e->unchanged = true; // a guard that its part has given up
    return FO_OK;
}

// ------------------------------------------------------------------------------------------- sides

// Offered only where every part that has guards has it.
fo_status foi_compose_side(const void *model, fo_state *s, const int8_t *sides)
{
    const fo_composition *c = model;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const foi_part *part = &c->parts[i];
        const foi_extent *extent = &foi_extents(s)[i];
        bool asked = false;
        for (uint32_t k = 0; k < part->shape.guards; k++) asked |= sides[part->g + k] != 0;
        if (!asked || !part->system.type->side || extent->guards > part->shape.guards) continue;
        fo_status status = inputs_at_moment(c, s, part);
        if (status) return status;
        foi_part_host host = host_of(c, s, i);
        fo_state view = foi_part_view(c, s, i, true);
        view.host = &host.host;
        status = part->system.type->side(part->system.model, &view, sides + part->g);
        if (status) return foi_part_failed(part, s, status);
    }
    return FO_OK;
}
