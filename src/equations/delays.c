/// delay(): what an expression was some time ago is a leaf; the run keeps its history.
#include "base/array.h"
#include "equations/equations.h"

bool foi_has_delay(foi_equations *e, foi_node n)
{
    if (!foi_graph_reach(&e->g, &n, 1)) return false;
    for (size_t i = 0; i < e->g.list_count; i++)
        if (foi_is_leaf(&e->g, e->g.list[i], FOI_LEAF_DELAYED)) return true;
    return false;
}

static foi_node first_value(void *self, foi_graph *g, foi_node leaf)
{
    const foi_equations *e = self;
    return foi_is_leaf(g, leaf, FOI_LEAF_DELAYED) ? e->delays[g->nodes[leaf].b].start : leaf;
}

foi_node foi_undelayed(foi_equations *e, foi_node n)
{
    return e->delay_count ? foi_graph_replace(&e->g, n, first_value, e) : n;
}

fo_status foi_lower_delay(foi_equations *e, foi_node of, foi_node lag, foi_node most,
                          foi_place place, foi_node *node)
{
    bool known = foi_is_constant(&e->g, lag);
    *node = of;
    if (known && !(foi_constant_value(&e->g, lag) >= 0))
        return foi_equations_fail(e, place, FO_ERROR_MODEL,
                                  "the delay time of delay() must not be negative, is %g",
                                  foi_constant_value(&e->g, lag));
    if (foi_has_delay(e, lag) || foi_has_delay(e, most))
        return foi_equations_fail(e, place, FO_ERROR_UNFIT,
                                  "the delay time of delay() must not be delayed itself");
    if (foi_is_constant(&e->g, of) || foi_is_number(&e->g, lag, 0)) return FO_OK;
    foi_delay d = {of, lag, most, foi_undelayed(e, of), place};
    for (size_t i = 0; i < e->delay_count; i++) {
        const foi_delay *other = &e->delays[i];
        if (other->of != of || other->lag != lag || other->most != most) continue;
        *node = foi_leaf_of(&e->g, FOI_LEAF_DELAYED, (uint32_t)i);
        return FO_OK;
    }
    if (!foi_array_room(e->allocator, &e->delays, &e->delay_room, e->delay_count + 1, sizeof d))
        return foi_equations_no_memory(e);
    *node = foi_leaf_of(&e->g, FOI_LEAF_DELAYED, (uint32_t)e->delay_count);
    e->delays[e->delay_count++] = d;
    return FO_OK;
}
