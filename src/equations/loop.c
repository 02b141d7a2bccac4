/// The Jacobian of an algebraic loop: one gradient per residual, kept where it is not zero by
/// structure. A loop of thousands of equations has a few entries in each.
#include "base/array.h"
#include "equations/plan.h"

// Which residual depends on which unknown, and the derivative there: row by row.
static bool rows_of(foi_plan *p, const foi_loop *l, foi_entries *all)
{
    foi_graph *g = &p->e->g;
    for (uint32_t i = 0; i < l->count; i++) {
        if (!foi_graph_gradient(g, l->residual[i])) return false;
        for (size_t k = 0; k < g->list_count; k++) {
            foi_node leaf = g->list[k], d = foi_gradient_at(g, leaf);
            if (!foi_is_leaf(g, leaf, FOI_LEAF_UNKNOWN) || foi_is_number(g, d, 0)) continue;
            uint32_t j = g->nodes[leaf].b - l->first;
            if (j >= l->count) continue;
            if (!foi_array_room(p->e->allocator, &all->list, &all->room, all->count + 1,
                                sizeof *all->list))
                return false;
            all->list[all->count++] = (foi_entry){i, j, d};
        }
    }
    return true;
}

// Rows come in ascending order, so that counting by columns keeps them so.
static bool by_columns(foi_plan *p, foi_loop *l, const foi_entries *all)
{
    uint32_t *start = foi_arena_new(&p->arena, (size_t)l->count + 2, sizeof *start);
    l->row = foi_arena_new(&p->arena, all->count, sizeof *l->row);
    l->entry = foi_arena_new(&p->arena, all->count, sizeof *l->entry);
    if (!start || !l->row || !l->entry) return false;
    for (size_t i = 0; i < all->count; i++) start[all->list[i].column + 2]++;
    for (uint32_t c = 0; c < l->count; c++) start[c + 2] += start[c + 1];
    for (size_t i = 0; i < all->count; i++) {
        uint32_t at = start[all->list[i].column + 1]++;
        l->row[at] = all->list[i].row;
        l->entry[at] = all->list[i].node;
    }
    l->start = start;
    return true;
}

// Nothing in the Jacobian depends on the unknowns.
static bool is_linear(foi_graph *g, const foi_loop *l)
{
    if (!foi_graph_reach(g, l->entry, l->start[l->count])) return false;
    for (size_t i = 0; i < g->list_count; i++)
        if (foi_is_leaf(g, g->list[i], FOI_LEAF_UNKNOWN) &&
            g->nodes[g->list[i]].b - l->first < l->count)
            return false;
    return true;
}

static bool is_unknown(const void *self, const foi_graph *g, foi_node leaf)
{
    const foi_loop *l = self;
    return foi_is_leaf(g, leaf, FOI_LEAF_UNKNOWN) && g->nodes[leaf].b - l->first < l->count;
}

bool foi_loop_is_helped(uint32_t n, uint32_t fewer)
{
    return n >= 3 && fewer <= 16 && 2 * fewer <= n;
}

fo_status foi_loop_jacobian(foi_plan *p, foi_loop *l)
{
    foi_entries all = {0};
    bool good = rows_of(p, l, &all) && by_columns(p, l, &all);
    foi_free(p->e->allocator, all.list);
    // The same Jacobian on either side of a jump is not that of one linear system. At the start the
    // nearest solution is looked for on all sides; in the run Newton's method goes on from where it
    // was, and what it finds is looked at.
    if (good) l->linear = is_linear(&p->e->g, l);
    bool looks = good && l->linear && (l->first_values || l->count == 1);
    if (looks) l->linear = !foi_graph_jumps(&p->e->g, l->residual, l->count, is_unknown, l);
    return good && !p->e->g.failed ? FO_OK : foi_equations_no_memory(p->e);
}
