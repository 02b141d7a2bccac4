/// Relations that a turn itself makes true or false.
///
/// In a turn of a moment a relation has the truth that was found before it (leaf HELD). In
///     when enable then t0 = time;  fire = enable and time >= t0 + w
/// the turn that sets t0 also changes what the relation compares with: the truth from before it is
/// that of another relation, and nobody may act on it. So, where what is compared is given by time,
/// states, inputs, parameters and discretes d,
///     held  ->  if d <> pre(d) then left op right else held,
/// for all users in the turn alike. Where d has not changed the truth from before the turn stands:
/// it knows on which side of zero a guard is that stands there.
///
/// Those rows must come after those of d. That order is a wish and not an equation: where the two
/// need each other, as in `when time >= next then next = pre(next) + 1`, the truth is the one from
/// before. All wishes together with the equations have strong components; the wishes inside of one
/// are given up, and the others cannot make a circle any more.
#include <string.h>

#include "base/array.h"
#include "equations/order.h"
#include "equations/plan.h"

static uint32_t without_alias(const foi_equations *e, uint32_t v)
{
    while (e->variables[v].alias != FOI_NOTHING) v = e->variables[v].alias;
    return v;
}

// What stands in a relation: false where something does that has to be solved for in the run.
static bool is_given(const foi_equations *e, const foi_graph_node *n, uint32_t *discrete)
{
    *discrete = FOI_NOTHING;
    if (n->op != FOI_G_LEAF) return true;
    if (n->a == FOI_LEAF_TIME || n->a == FOI_LEAF_PRE || n->a == FOI_LEAF_INITIAL) return true;
    if (n->a != FOI_LEAF_VARIABLE) return false;
    uint32_t v = without_alias(e, n->b);
    const foi_variable *about = &e->variables[v];
    if (about->role == FOI_ROLE_DISCRETE) *discrete = v;
    return about->role != FOI_ROLE_CONTINUOUS || about->state;
}

// The discretes that relation r compares; none where it has to be left as it is.
static bool list_discretes(foi_order *o, uint32_t r)
{
    foi_equations *e = o->e;
    foi_graph *g = &e->g;
    const foi_relation *about = &e->relations[r];
    foi_node roots[2] = {about->left, about->right};
    size_t from = o->compared_count;
    uint32_t v;
    if (about->op != FOI_G_FLOOR && !foi_graph_reach(g, roots, 2)) return false;
    for (size_t i = 0; about->op != FOI_G_FLOOR && i < g->list_count; i++) {
        if (!is_given(e, &g->nodes[g->list[i]], &v)) {
            o->compared_count = from;
            break;
        }
        if (v == FOI_NOTHING) continue;
        if (!foi_array_room(e->allocator, &o->compared, &o->compared_room, o->compared_count + 1,
                            sizeof *o->compared))
            return false;
        o->compared[o->compared_count++] = v;
    }
    o->compared_start[r + 1] = (uint32_t)o->compared_count;
    return true;
}

static bool list_all(foi_order *o)
{
    foi_equations *e = o->e;
    o->compared_start = foi_new(e->allocator, e->relation_count + 1, sizeof *o->compared_start);
    if (!o->compared_start) return false;
    for (uint32_t r = 0; r < e->relation_count; r++)
        if (!list_discretes(o, r)) return false;
    return true;
}

// The columns of a row, and of what its relations compare. With `block` only the wishes that lead
// to another component.
static bool add_row(foi_order *o, uint32_t row, const uint32_t *block, foi_incidence *m)
{
    foi_graph *g = &o->e->g;
    const foi_incidence *own = &o->incidence;
    foi_node roots[2] = {o->rows[row].left, o->rows[row].right};
    for (uint32_t i = own->start[row]; i < own->start[row + 1]; i++)
        if (!foi_incidence_add(m, own->column[i])) return false;
    if (!foi_graph_reach(g, roots, 2)) return false;
    for (size_t i = 0; i < g->list_count; i++) {
        if (!foi_is_leaf(g, g->list[i], FOI_LEAF_HELD)) continue;
        uint32_t r = g->nodes[g->list[i]].b;
        for (uint32_t k = o->compared_start[r]; k < o->compared_start[r + 1]; k++) {
            uint32_t c = o->variable_column[o->compared[k]];
            if (c == FOI_NOTHING) continue;
            if (block && block[o->matching.row_of[c]] == block[row]) continue;
            if (!foi_incidence_add(m, c)) return false;
        }
    }
    return foi_incidence_row(m);
}

// The blocks of the rows with wishes.
static bool sort_with(foi_order *o, const uint32_t *block, foi_blocks *b)
{
    foi_incidence m = {.columns = o->incidence.columns, .allocator = o->e->allocator};
    foi_matching p = o->matching;
    bool good = true;
    for (uint32_t r = 0; r < o->row_count && good; r++) good = add_row(o, r, block, &m);
    p.m = &m;
    good = good && foi_blocks_begin(b, &p);
    foi_incidence_end(&m);
    return good;
}

fo_status foi_order_renewed(foi_order *o)
{
    foi_equations *e = o->e;
    foi_blocks all = {.allocator = e->allocator}, sorted = all;
    if (!list_all(o)) return foi_equations_no_memory(e);
    if (o->compared_count == 0 || o->row_count == 0) return FO_OK;
    uint32_t *block = foi_new(e->allocator, o->row_count, sizeof *block);
    bool good = block && sort_with(o, NULL, &all);
    for (uint32_t i = 0; good && i < all.count; i++)
        for (uint32_t k = all.start[i]; k < all.start[i + 1]; k++) block[all.rows[k]] = i;
    good = good && sort_with(o, block, &sorted);
    foi_blocks_end(&all);
    foi_free(e->allocator, block);
    if (!good) return foi_equations_no_memory(e);
    foi_blocks_end(&o->blocks);
    o->blocks = sorted;
    return FO_OK;
}

// ----------------------------------------------------------------------------------- in the moment

// What relation r is worth in the turn; decided where it is first used, for all.
static void decide(foi_view *v, uint32_t r)
{
    foi_equations *e = v->p->e;
    foi_graph *g = &e->g;
    const foi_relation *about = &e->relations[r];
    const foi_order *o = v->o;
    foi_node held = foi_leaf_of(g, FOI_LEAF_HELD, r), any = foi_constant(g, 0);
    if (v->held[r] != FOI_NO_NODE) return;
    v->held[r] = held;
    for (uint32_t k = o->compared_start[r]; k < o->compared_start[r + 1]; k++) {
        uint32_t d = o->compared[k];
        if (v->value[d] == FOI_NO_NODE) return;
        foi_node was = foi_leaf_of(g, FOI_LEAF_PRE, v->p->slot[d]);
        any = foi_make(g, FOI_G_OR, any, foi_make(g, FOI_G_NOT_EQUAL, v->value[d], was, 0), 0);
    }
    if (foi_is_number(g, any, 0)) return;
    foi_node now = foi_view_of(v, foi_make(g, about->op, about->left, about->right, 0));
    v->held[r] = foi_make(g, FOI_G_IF, any, now, held);
}

fo_status foi_view_decide(foi_view *v, const foi_node *roots, size_t count)
{
    foi_equations *e = v->p->e;
    foi_graph *g = &e->g;
    if (!v->held || v->o->compared_count == 0) return FO_OK;
    if (!foi_graph_reach(g, roots, count)) return foi_equations_no_memory(e);
    size_t found = 0;
    for (size_t i = 0; i < g->list_count; i++)
        if (foi_is_leaf(g, g->list[i], FOI_LEAF_HELD)) v->asked[found++] = g->nodes[g->list[i]].b;
    for (size_t i = 0; i < found; i++) decide(v, v->asked[i]);
    return FO_OK;
}
