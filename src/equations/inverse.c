/// Inverses that annotations name are taken at their word, and watched.
///
/// An equation left = right that an inverse has solved for x holds to rounding, or the inverse is
/// none. How far rounding reaches depends on how steep the equation is there: it is left - right a
/// small way beside x on either side. So the run ends where
///
///     |left - right| > alike (|left| + |right|) + |d(x (1 + near)) - d(x (1 - near))|,
///
/// d = left - right. Only equations that are watched so are solved by an inverse.
#include <math.h>

#include "base/array.h"
#include "equations/order.h"

static const double near = 1e-9, nearest = 1e-12, alike = 1e-6;

// d where `moved` stands for `leaf`.
static foi_node beside(foi_graph *g, foi_node residual, foi_node leaf, foi_node moved)
{
    if (!foi_graph_reach(g, &residual, 1)) return residual;
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node at = g->list[i];
        foi_graph_node n = g->nodes[at];
        if (at == leaf)
            g->map[at] = moved;
        else if (n.op == FOI_G_LEAF || n.op == FOI_G_CONSTANT)
            g->map[at] = at;
        else
            g->map[at] = foi_make(g, n.op, g->map[n.a], g->map[n.b], g->map[n.c]);
    }
    return g->map[residual];
}

static foi_node size_of(foi_graph *g, foi_node n)
{
    return foi_make(g, FOI_G_ABS, n, 0, 0);
}

static double nominal_of(const foi_equations *e, uint32_t variable)
{
    const foi_flat_variable *flat = e->variables[variable].flat;
    double number;
    bool given = flat->nominal && foi_flat_evaluate(flat->nominal, false, &number) && number != 0;
    return given ? fabs(number) : 1;
}

static fo_status watch(foi_equations *e, const foi_row *row, foi_node leaf)
{
    foi_graph *g = &e->g;
    foi_node left = foi_graph_plain(g, row->left), right = foi_graph_plain(g, row->right);
    foi_node d = foi_subtract(g, left, right);
    foi_node h = foi_multiply(g, foi_constant(g, near), size_of(g, leaf));
    h = foi_add(g, h, foi_constant(g, nearest * nominal_of(e, g->nodes[leaf].b)));
    foi_node above = beside(g, d, leaf, foi_add(g, leaf, h));
    foi_node below = beside(g, d, leaf, foi_subtract(g, leaf, h));
    foi_node most =
        foi_multiply(g, foi_constant(g, alike), foi_add(g, size_of(g, left), size_of(g, right)));
    most = foi_add(g, most, size_of(g, foi_subtract(g, above, below)));
    foi_action a = {.action = FOI_DO_ASSERT,
                    .variable = FOI_NOTHING,
                    .active = FOI_NO_NODE,
                    .initial = FOI_NO_NODE,
                    .value = foi_make(g, FOI_G_LESS_EQUAL, size_of(g, d), most, 0),
                    .place = row->place};
    a.message = foi_arena_print(&e->texts,
                                "the inverse that an annotation names does not solve this equation "
                                "for `%s`",
                                foi_variable_name(e, g->nodes[leaf].b));
    if (g->failed || !a.message ||
        !foi_array_room(e->allocator, &e->actions, &e->action_room, e->action_count + 1, sizeof a))
        return foi_equations_no_memory(e);
    e->actions[e->action_count++] = a;
    return FO_OK;
}

static bool any_inverse(const foi_equations *e)
{
    for (size_t i = 0; i < e->called_count; i++)
        if (e->called[i].call->function->known->inverse) return true;
    return false;
}

fo_status foi_watch_inverses(foi_equations *e, const foi_order *o)
{
    fo_status status = FO_OK;
    if (!any_inverse(e)) return FO_OK;
    e->checked = foi_arena_new(&e->texts, e->equation_count + 1, sizeof *e->checked);
    if (!e->checked) return foi_equations_no_memory(e);
    for (uint32_t b = 0; b < o->blocks.count && status == FO_OK; b++) {
        if (o->blocks.start[b + 1] - o->blocks.start[b] != 1) continue;
        uint32_t r = o->blocks.rows[o->blocks.start[b]];
        const foi_row *row = &o->rows[r];
        foi_node leaf = o->columns[o->matching.column_of[r]];
        if (row->equation == FOI_NOTHING) continue;
        e->inverts = true;
        foi_solve(e, row->left, row->right, leaf, false);
        e->inverts = false;
        if (!e->inverted || !foi_is_leaf(&e->g, leaf, FOI_LEAF_VARIABLE)) continue;
        e->checked[row->equation] = true;
        status = watch(e, row, leaf);
    }
    return status;
}
