/// delay(): what an expression was some time ago is a leaf; the run keeps its history. So is what
/// spatialDistribution() has at an end of its pipe.
#include "base/array.h"
#include "equations/equations.h"

bool foi_has_leaf(foi_equations *e, foi_node n, foi_leaf kind)
{
    if (!foi_graph_reach(&e->g, &n, 1)) return false;
    for (size_t i = 0; i < e->g.list_count; i++)
        if (foi_is_leaf(&e->g, e->g.list[i], kind)) return true;
    return false;
}

bool foi_has_delay(foi_equations *e, foi_node n)
{
    return foi_has_leaf(e, n, FOI_LEAF_DELAYED);
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
    foi_delay d = {.of = of, .lag = lag, .most = most, .place = place};
    d.start = foi_undelayed(e, of);
    for (size_t i = 0; i < e->delay_count; i++) {
        const foi_delay *other = &e->delays[i];
        if (other->of != of || other->lag != lag || other->most != most || other->contents)
            continue;
        *node = foi_leaf_of(&e->g, FOI_LEAF_DELAYED, (uint32_t)i);
        return FO_OK;
    }
    if (!foi_array_room(e->allocator, &e->delays, &e->delay_room, e->delay_count + 1, sizeof d))
        return foi_equations_no_memory(e);
    *node = foi_leaf_of(&e->g, FOI_LEAF_DELAYED, (uint32_t)e->delay_count);
    e->delays[e->delay_count++] = d;
    return FO_OK;
}

fo_status foi_lower_contents(foi_equations *e, foi_node left, foi_node right, foi_node way,
                             const foi_flat_contents *contents, bool at_right, foi_place place,
                             foi_node *node)
{
    size_t i = 0;
    while (i < e->delay_count && e->delays[i].contents != contents) i++;
    *node = foi_leaf_of(&e->g, FOI_LEAF_DELAYED, (uint32_t)i + at_right);
    if (i < e->delay_count) return FO_OK;
    if (foi_has_delay(e, way))
        return foi_equations_fail(e, place, FO_ERROR_UNFIT,
                                  "the way x of spatialDistribution() must not be delayed itself");
    if (!foi_array_room(e->allocator, &e->delays, &e->delay_room, e->delay_count + 2,
                        sizeof(foi_delay)))
        return foi_equations_no_memory(e);
    for (int side = 0; side < 2; side++)
        e->delays[e->delay_count++] = (foi_delay){
            .of = side ? right : left,
            .lag = way,
            .most = foi_constant(&e->g, 1),
            .start = foi_constant(&e->g, contents->values[side ? contents->count - 1 : 0]),
            .place = place,
            .contents = contents,
            .right = side,
        };
    return FO_OK;
}
