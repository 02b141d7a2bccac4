/// What an algorithm may assign and never does.
///
/// An algorithm determines each variable that stands on a left side in it, and all elements of an
/// array of which one does (Modelica 3.6, section 11.1.2); they begin with their start values.
/// Where the branch or loop that would assign one is known not to be carried out, or other elements
/// are assigned, nothing of that is left in the flat model: so whatever no equation determines
/// keeps its start value. Those that equations determine are theirs.
#include <string.h>

#include "base/array.h"
#include "equations/order.h"

/// The variables that stand on left sides of algorithms, and have no equation `v = ...` of one.
typedef struct unassigned {
    foi_equations *e;
    bool *open;   ///< per variable
    size_t first; ///< equation that algorithms made
} unassigned;

static bool find_open(unassigned *u)
{
    const foi_equations *e = u->e;
    bool any = false;
    for (uint32_t v = 0; v < e->flat->variable_count; v++) {
        const foi_variable *about = &e->variables[v];
        bool unknown = about->role == FOI_ROLE_DISCRETE || about->role == FOI_ROLE_CONTINUOUS;
        u->open[v] = unknown && about->flat->in_algorithm && about->derivative == FOI_NOTHING;
    }
    for (size_t i = u->first; i < e->equation_count; i++)
        if (foi_is_leaf(&e->g, e->equations[i].left, FOI_LEAF_VARIABLE))
            u->open[e->g.nodes[e->equations[i].left].b] = false;
    for (uint32_t v = 0; v < e->flat->variable_count; v++) any |= u->open[v];
    return any;
}

// First what the model says: of what an algorithm computes only for which variable it does. Then
// rows v = start, for those that are open.
static fo_status add_rows(const unassigned *u, foi_order *o)
{
    foi_equations *e = u->e;
    fo_status status = FO_OK;
    for (uint32_t v = 0; v < e->variable_count && status == FO_OK; v++) {
        const foi_variable *about = &e->variables[v];
        bool unknown = about->role == FOI_ROLE_DISCRETE || about->role == FOI_ROLE_CONTINUOUS;
        if (unknown && about->derivative == FOI_NOTHING) status = foi_order_column(o, v, false);
    }
    for (size_t i = 0; i < e->equation_count && status == FO_OK; i++) {
        const foi_equation *q = &e->equations[i];
        foi_node right = i < u->first ? q->right : q->left;
        uint32_t c = q->assigns == FOI_NOTHING ? FOI_NOTHING : o->variable_column[q->assigns];
        status = foi_order_row(o, (foi_row){q->left, right, q->place, (uint32_t)i, c});
    }
    for (uint32_t v = 0; v < e->flat->variable_count && status == FO_OK; v++) {
        const foi_variable *about = &e->variables[v];
        if (!u->open[v]) continue;
        foi_node start = about->start != FOI_NO_NODE ? about->start : foi_constant(&e->g, 0);
        status = foi_order_row(o, (foi_row){foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, v), start,
                                            about->flat->place, FOI_NOTHING, FOI_NOTHING});
    }
    if (status == FO_OK && !foi_matching_begin(&o->matching, &o->incidence, (uint32_t)o->row_count))
        status = foi_equations_no_memory(e);
    return status;
}

static fo_status add_start(foi_equations *e, const foi_row *r)
{
    uint32_t v = e->g.nodes[r->left].b;
    foi_equation q = {.left = r->left,
                      .right = r->right,
                      .place = r->place,
                      .assigns = FOI_NOTHING,
                      .initial = r->right,
                      .derivative = FOI_NOTHING,
                      .integral = FOI_NOTHING,
                      .always = true};
    if (e->variables[v].role == FOI_ROLE_DISCRETE) q.assigns = v;
    if (!foi_array_room(e->allocator, &e->equations, &e->equation_room, e->equation_count + 1,
                        sizeof q))
        return foi_equations_no_memory(e);
    e->equations[e->equation_count++] = q;
    return FO_OK;
}

static fo_status give(const unassigned *u)
{
    foi_order o = {0};
    fo_status status = foi_order_begin(&o, u->e);
    if (status == FO_OK) status = add_rows(u, &o);
    for (size_t i = 0; i < o.row_count && status == FO_OK; i++) {
        foi_matching_fresh(&o.matching);
        bool found = foi_matching_augment(&o.matching, (uint32_t)i);
        if (found && o.rows[i].equation == FOI_NOTHING) status = add_start(u->e, &o.rows[i]);
    }
    foi_order_end(&o);
    return status;
}

fo_status foi_give_unassigned(foi_equations *e, size_t first)
{
    bool any = false;
    for (uint32_t v = 0; v < e->flat->variable_count && !any; v++)
        any = e->flat->variables[v]->in_algorithm;
    if (!any) return FO_OK;
    unassigned u = {e, foi_new(e->allocator, e->variable_count + 1, sizeof *u.open), first};
    if (!u.open) return foi_equations_no_memory(e);
    fo_status status = find_open(&u) ? give(&u) : FO_OK;
    foi_free(e->allocator, u.open);
    return status;
}
