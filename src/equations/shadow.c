/// Inputs and parameters stand between moments and are set from outside at one. What they were
/// before it, pre(u), is kept in a discrete variable w, the shadow:
///     w = u,   pre(u) = pre(w),   at the start pre(w) = u,
/// so that change(u) is true in the first turn of the moment in which u is set.
///
/// What flows and is no state may jump at a moment, too: pre(y) of such a y is its limit from the
/// left in the first turn, and what it was in the turn before in the others. It has a shadow as
/// well, and that is renewed when a moment begins, before anything has changed (`limit`).
#include <string.h>

#include "base/array.h"
#include "equations/equations.h"

static uint32_t make_shadow(foi_equations *e, uint32_t of)
{
    const foi_flat_variable *like = e->variables[of].flat;
    foi_flat_variable *flat = foi_arena_new(&e->texts, 1, sizeof *flat);
    uint32_t index = (uint32_t)e->variable_count;
    if (!flat ||
        !foi_array_room(e->allocator, &e->variables, &e->variable_room, e->variable_count + 1,
                        sizeof *e->variables) ||
        !foi_array_room(e->allocator, &e->shadows, &e->shadow_room, e->shadow_count + 1,
                        sizeof *e->shadows))
        return FOI_NOTHING;
    *flat = (foi_flat_variable){.name = foi_arena_print(&e->texts, "pre(%s)", like->name),
                                .index = index,
                                .type = like->type,
                                .variability = FOI_DISCRETE,
                                .unit = like->unit,
                                .literals = like->literals,
                                .place = like->place};
    if (!flat->name) return FOI_NOTHING;
    e->variables[e->variable_count++] =
        (foi_variable){.flat = flat,
                       .role = FOI_ROLE_DISCRETE,
                       .limit = e->variables[of].role == FOI_ROLE_CONTINUOUS,
                       .derivative = FOI_NOTHING,
                       .integral = FOI_NOTHING,
                       .alias = FOI_NOTHING,
                       .binding = FOI_NO_NODE,
                       .start = FOI_NO_NODE};
    e->shadows[e->shadow_count++] = (foi_shadow){of, index};
    return index;
}

foi_node foi_lower_before(foi_equations *e, uint32_t variable)
{
    uint32_t shadow = FOI_NOTHING;
    for (size_t i = 0; i < e->shadow_count; i++)
        if (e->shadows[i].of == variable) shadow = e->shadows[i].variable;
    if (shadow == FOI_NOTHING) shadow = make_shadow(e, variable);
    return shadow == FOI_NOTHING ? FOI_NO_NODE : foi_leaf_of(&e->g, FOI_LEAF_PRE, shadow);
}

fo_status foi_lower_shadows(foi_equations *e)
{
    size_t n = e->shadow_count;
    if (!foi_array_room(e->allocator, &e->equations, &e->equation_room, e->equation_count + n,
                        sizeof *e->equations) ||
        !foi_array_room(e->allocator, &e->initial, &e->initial_room, e->initial_count + n,
                        sizeof *e->initial))
        return foi_equations_no_memory(e);
    for (size_t i = 0; i < n; i++) {
        uint32_t w = e->shadows[i].variable;
        foi_equation q = {.left = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, w),
                          .right = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, e->shadows[i].of),
                          .place = e->variables[w].flat->place,
                          .assigns = w,
                          .initial = FOI_NO_NODE,
                          .derivative = FOI_NOTHING,
                          .integral = FOI_NOTHING};
        e->equations[e->equation_count++] = q;
        q.left = foi_leaf_of(&e->g, FOI_LEAF_PRE, w), q.assigns = FOI_NOTHING;
        e->initial[e->initial_count++] = q;
    }
    return FO_OK;
}
