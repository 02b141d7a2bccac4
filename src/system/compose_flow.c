// What a composition computes at trial points: inputs first, then every part by itself.
#include <math.h>

#include "system/compose.h"

fo_status foi_part_failed(const foi_part *part, const fo_state *s, fo_status status)
{
    if (fo_failed(status) && s->message && s->message->status == status)
        fo_message_prefix(s->message, "part '%s': ", part->name);
    return status;
}

static fo_status observe_part(const fo_composition *c, const fo_state *s, uint32_t i, double t,
                              const double *x, double *y)
{
    const foi_part *part = &c->parts[i];
    fo_state view = foi_part_view(c, s, i, false);
    const fo_system *system = &part->system;
    fo_status status =
        system->type->observe(system->model, &view, t, x + foi_extents(s)[i].x, y + part->y);
    return status ? foi_part_failed(part, s, status) : FO_OK;
}

fo_status foi_compose_inputs(const fo_composition *c, const fo_state *s, double t, const double *x,
                             double *y, size_t depth)
{
    if (depth == 0) return FO_OK;
    double *u = s->scratch;
    if (!y) y = u + c->u_count;
    for (uint32_t i = 0; i < c->u_count; i++)
        u[i] = c->u_source[i] == FOI_NO_INDEX ? c->u_default[i] : s->u[c->u_source[i]];
    for (size_t i = 0; i < depth; i++) {
        const foi_plan_step *step = &c->steps[i];
        if (!foi_extents(s)[step->part].started) continue;
        fo_status status = observe_part(c, s, step->part, t, x, y);
        if (status) return status;
        const foi_plan_copy *copies = c->copies + step->first;
        for (uint32_t k = 0; k < step->count; k++) u[copies[k].to] = y[copies[k].from];
    }
    return FO_OK;
}

fo_status foi_compose_rates(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    const fo_composition *c = model;
    fo_status status = foi_compose_inputs(c, s, t, x, NULL, c->rates_depth);
    for (uint32_t i = 0; i < c->part_count && !status; i++) {
        const foi_extent *e = &foi_extents(s)[i];
        const fo_system *system = &c->parts[i].system;
        if (!e->states) continue;
        fo_state view = foi_part_view(c, s, i, false);
        status = system->type->rates(system->model, &view, t, x + e->x, dx + e->x);
        if (status) status = foi_part_failed(&c->parts[i], s, status);
    }
    return status;
}

// Guards of the start go to their old places, the others behind all of these.
static void place_guards(const foi_part *part, const foi_extent *e, const double *from, double *g)
{
    uint32_t kept = part->shape.guards;
    for (uint32_t i = 0; i < e->guards; i++)
        g[i < kept ? part->g + i : e->g + (i - kept)] = from[i];
}

fo_status foi_compose_guards(const void *model, const fo_state *s, double t, const double *x,
                             double *g)
{
    const fo_composition *c = model;
    fo_status status = foi_compose_inputs(c, s, t, x, NULL, c->guards_depth);
    for (uint32_t i = 0; i < c->part_count && !status; i++) {
        const foi_part *part = &c->parts[i];
        const foi_extent *e = &foi_extents(s)[i];
        for (uint32_t k = e->guards; k < part->shape.guards; k++) g[part->g + k] = 1;
        if (!e->guards) continue;
        bool together = e->guards <= part->shape.guards;
        double *mine = together ? g + part->g : foi_compose_work(c, s);
        fo_state view = foi_part_view(c, s, i, false);
        status = part->system.type->guards(part->system.model, &view, t, x + e->x, mine);
        if (status) return foi_part_failed(part, s, status);
        if (!together) place_guards(part, e, mine, g);
    }
    return status;
}

static void place_conditions(const foi_part *part, const foi_extent *e, const bool *from, bool *on)
{
    uint32_t kept = part->shape.conditions;
    for (uint32_t i = 0; i < e->conditions; i++)
        on[i < kept ? part->c + i : e->c + (i - kept)] = from[i];
}

fo_status foi_compose_conditions(const void *model, const fo_state *s, double t, const double *x,
                                 bool *on)
{
    const fo_composition *c = model;
    fo_status status = foi_compose_inputs(c, s, t, x, NULL, c->conditions_depth);
    for (uint32_t i = 0; i < c->part_count && !status; i++) {
        const foi_part *part = &c->parts[i];
        const foi_extent *e = &foi_extents(s)[i];
        for (uint32_t k = e->conditions; k < part->shape.conditions; k++) on[part->c + k] = false;
        if (!e->conditions) continue;
        bool together = e->conditions <= part->shape.conditions;
        bool *mine = together ? on + part->c : foi_compose_work(c, s);
        fo_state view = foi_part_view(c, s, i, false);
        status = part->system.type->conditions(part->system.model, &view, t, x + e->x, mine);
        if (status) return foi_part_failed(part, s, status);
        if (!together) place_conditions(part, e, mine, on);
    }
    return status;
}

fo_status foi_compose_observe(const void *model, const fo_state *s, double t, const double *x,
                              double *y)
{
    const fo_composition *c = model;
    fo_status status = foi_compose_inputs(c, s, t, x, y, c->step_count);
    for (uint32_t i = 0; i < c->tail_count && !status; i++)
        status = observe_part(c, s, c->tail[i], t, x, y);
    return status;
}

// ----------------------------------------------------------------------------------------- bounds

bool foi_part_has_bounds(const foi_part *part)
{
    return part->system.type->guard_bounds && part->connected == 0;
}

// A part's share of all bounds; none of none.
static fo_bounds slice(const fo_bounds *b, uint32_t at)
{
    return b->lo ? (fo_bounds){b->lo + at, b->hi + at} : *b;
}

// Guards that a part has lost rest at 1; those that it gained, and all of a part without bounds,
// are not enclosed.
static void leave_out(const foi_part *part, const foi_extent *extent, uint32_t from,
                      fo_enclosure *e)
{
    uint32_t kept = part->shape.guards;
    for (uint32_t i = from; i < extent->guards; i++)
        e->nature[i < kept ? part->g + i : extent->g + (i - kept)] |= FO_NOT_ENCLOSED;
    for (uint32_t i = extent->guards; i < kept; i++) {
        e->g.lo[part->g + i] = e->g.hi[part->g + i] = 1;
        if (e->dg.lo) e->dg.lo[part->g + i] = e->dg.hi[part->g + i] = 0;
    }
}

fo_status foi_compose_guard_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                   fo_enclosure *e)
{
    const fo_composition *c = model;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const foi_part *part = &c->parts[i];
        const foi_extent *extent = &foi_extents(s)[i];
        bool known = foi_part_has_bounds(part) && extent->guards <= part->shape.guards;
        leave_out(part, extent, known ? extent->guards : 0, e);
        if (!known || !extent->guards) continue;
        fo_stretch here = *on;
        here.x = slice(&on->x, extent->x), here.dx = slice(&on->dx, extent->x);
        here.x_mid = slice(&on->x_mid, extent->x);
        fo_enclosure of = {slice(&e->g, part->g), slice(&e->dg, part->g), e->nature + part->g};
        fo_state view = foi_part_view(c, s, i, false);
        fo_status status = part->system.type->guard_bounds(part->system.model, &view, &here, &of);
        if (status) return foi_part_failed(part, s, status);
    }
    return FO_OK;
}

// ---------------------------------------------------------------------------------------- divisors

fo_status foi_compose_divisors(const void *model, const fo_state *s, double t, const double *x,
                               double *values)
{
    const fo_composition *c = model;
    fo_status status = foi_compose_inputs(c, s, t, x, NULL, c->rates_depth);
    for (uint32_t i = 0; i < c->part_count && !status; i++) {
        const foi_part *part = &c->parts[i];
        const fo_system_type *its = part->system.type;
        const foi_extent *e = &foi_extents(s)[i];
        if (!its->divisors) continue;
        fo_state view = foi_part_view(c, s, i, false);
        if (e->started && e->states == part->shape.states)
            status = its->divisors(part->system.model, &view, t, x + e->x, values);
        else
            for (uint32_t k = 0; k < its->divisor_count; k++) values[k] = 1;
        values += its->divisor_count;
    }
    return status;
}

// ------------------------------------------------------------------------------------ what is held

// Of guards that came after the start, which lie elsewhere, nothing is held.
void foi_compose_held(const void *model, const fo_state *s, uint8_t *signs)
{
    const fo_composition *c = model;
    for (uint32_t i = 0; i < s->shape.guards; i++) signs[i] = 0;
    for (uint32_t i = 0; i < c->part_count; i++) {
        const foi_part *part = &c->parts[i];
        const foi_extent *extent = &foi_extents(s)[i];
        if (!part->system.type->held || !extent->guards || extent->guards > part->shape.guards)
            continue;
        fo_state view = foi_part_view(c, s, i, false);
        part->system.type->held(part->system.model, &view, signs + part->g);
    }
}
