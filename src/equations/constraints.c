/// What a choice of states needs to know of its constraints g(t, z) = 0, z the candidates: the
/// residuals, their derivatives, and how exactly they can hold in floating point.
///
/// The last is a running error bound (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
/// section 3.3) made into an expression: where every operation f errs by eps |f| at most,
///
///     M(leaf) = |leaf|,   M(f(a, b)) = |f| + |df/da| M(a) + |df/db| M(b)
///
/// and the computed g is off by eps M(g) at most, from its own rounding and from that of z. So
/// "g = 0 holds" means |g| <= eps M(g), up to a small factor, whatever the scale of the model.
#include <string.h>

#include "base/array.h"
#include "equations/plan.h"

// Only what flows by itself may stand in a constraint: the solution of a loop has no derivative
// here.
static fo_status check(foi_plan *p, uint32_t i)
{
    foi_graph *g = &p->e->g;
    char text[200];
    if (!foi_graph_reach(g, &p->constraints[i], 1)) return foi_equations_no_memory(p->e);
    for (size_t k = 0; k < g->list_count; k++) {
        if (!foi_is_leaf(g, g->list[k], FOI_LEAF_SOLVED)) continue;
        const foi_equation *q = &p->e->equations[p->e->constraints[i].equation];
        p->e->entangled = true;
        return foi_equations_fail(p->e, q->place, FO_ERROR_UNFIT,
                                  "the constraint %s needs the solution of an algebraic loop",
                                  foi_equation_text(p->e, q, text, sizeof text));
    }
    return FO_OK;
}

static foi_node size_of(foi_graph *g, foi_node n)
{
    return foi_make(g, FOI_G_ABS, n, 0, 0);
}

static foi_node bound_of(foi_graph *g, foi_node at, const foi_node *bound)
{
    foi_graph_node n = g->nodes[at];
    foi_node sum = size_of(g, at);
    const foi_node arguments[] = {n.a, n.b, n.c};
    if (n.op == FOI_G_LEAF || n.op == FOI_G_CONSTANT) return sum;
    for (uint32_t i = 0; i < foi_op_arity(n.op); i++) {
        if (foi_is_constant(g, arguments[i])) continue; // it is what it is
        foi_node slope = size_of(g, foi_op_partial(g, at, i));
        sum = foi_add(g, sum, foi_multiply(g, slope, bound[arguments[i]]));
    }
    return sum;
}

// What goes through code of others is not seen by its operations: there M(g) is at least the sum of
// |dg/dz| |z|, with the derivatives that the code comes with.
static bool add_outside(foi_plan *p, uint32_t i)
{
    foi_graph *g = &p->e->g;
    if (!foi_graph_gradient(g, p->constraints[i])) return false;
    for (size_t k = 0; k < g->list_count; k++) {
        foi_node leaf = g->list[k];
        if (!foi_is_leaf(g, leaf, FOI_LEAF_STATE)) continue;
        foi_node part = foi_multiply(g, foi_gradient_at(g, leaf), leaf);
        p->rounding[i] = foi_add(g, p->rounding[i], size_of(g, part));
    }
    return true;
}

static fo_status rounding_of(foi_plan *p, uint32_t i)
{
    foi_graph *g = &p->e->g;
    size_t n = (size_t)p->constraints[i] + 1;
    foi_node *bound = foi_new(p->e->allocator, n, sizeof *bound);
    bool good = bound && foi_graph_reach(g, &p->constraints[i], 1), outside = false;
    for (size_t k = 0; good && k < g->list_count; k++) {
        outside |= g->nodes[g->list[k]].op == FOI_G_OUTSIDE;
        bound[g->list[k]] = bound_of(g, g->list[k], bound);
    }
    if (good) p->rounding[i] = bound[p->constraints[i]];
    foi_free(p->e->allocator, bound);
    if (good && outside) good = add_outside(p, i);
    return good && !g->failed ? FO_OK : foi_equations_no_memory(p->e);
}

// Within a group: a constraint does not hold the candidates of levels above its own, and those
// below are known when it is solved.
static fo_status slopes_of(foi_plan *p, uint32_t i)
{
    foi_equations *e = p->e;
    foi_graph *g = &e->g;
    if (!foi_graph_gradient(g, p->constraints[i])) return foi_equations_no_memory(e);
    for (uint32_t k = 0; k < e->candidate_count; k++) {
        const foi_candidate *c = &e->candidates[k];
        if (c->group != e->constraints[i].group) continue;
        foi_node leaf = foi_leaf_of(g, FOI_LEAF_STATE, p->slot[c->variable]);
        bool occurs = false;
        for (size_t m = 0; m < g->list_count && !occurs; m++) occurs = g->list[m] == leaf;
        if (!occurs || foi_is_number(g, foi_gradient_at(g, leaf), 0)) continue;
        if (!foi_array_room(e->allocator, &p->slopes, &p->slope_room, p->slope_count + 1,
                            sizeof *p->slopes))
            return foi_equations_no_memory(e);
        p->slopes[p->slope_count++] = (foi_entry){i, k, foi_gradient_at(g, leaf)};
    }
    return FO_OK;
}

// ---------------------------------------------------------------------------------------- groups

/// Constraints that have no candidate in common are solved apart from each other.
typedef struct grouping {
    foi_plan *p;
    uint32_t *root;         ///< per constraint: one of its group with a smaller number, or itself
    uint32_t *first;        ///< per candidate: a constraint that holds it, or FOI_NOTHING
    uint32_t *candidate_of; ///< per state, or FOI_NOTHING
    uint32_t *place;        ///< per candidate: where it goes
    foi_constraint *constraints;
    foi_candidate *candidates;
    foi_node *nodes;
} grouping;

static uint32_t root_of(const grouping *w, uint32_t i)
{
    while (w->root[i] != i) i = w->root[i];
    return i;
}

static void join(grouping *w, uint32_t i, uint32_t k)
{
    i = root_of(w, i), k = root_of(w, k);
    if (i < k)
        w->root[k] = i;
    else
        w->root[i] = k;
}

static bool find_groups(grouping *w)
{
    foi_equations *e = w->p->e;
    foi_graph *g = &e->g;
    for (uint32_t i = 0; i < e->constraint_count; i++) {
        if (!foi_graph_reach(g, &w->p->constraints[i], 1)) return false;
        for (size_t m = 0; m < g->list_count; m++) {
            if (!foi_is_leaf(g, g->list[m], FOI_LEAF_STATE)) continue;
            uint32_t k = w->candidate_of[g->nodes[g->list[m]].b];
            if (k == FOI_NOTHING || e->candidates[k].level != e->constraints[i].level) continue;
            if (w->first[k] == FOI_NOTHING) w->first[k] = i;
            join(w, i, w->first[k]);
        }
    }
    return true;
}

// A candidate without a constraint goes to the first group of its level: it is never computed.
static bool belongs(const grouping *w, uint32_t k, uint32_t root)
{
    const foi_equations *e = w->p->e;
    if (e->candidates[k].level != e->constraints[root].level) return false;
    if (w->first[k] != FOI_NOTHING) return root_of(w, w->first[k]) == root;
    return root == 0 || e->constraints[root - 1].level != e->constraints[root].level;
}

static void sort_groups(grouping *w)
{
    foi_equations *e = w->p->e;
    uint32_t group = 0, constraints = 0, candidates = 0;
    for (uint32_t root = 0; root < e->constraint_count; root++) {
        if (w->root[root] != root) continue;
        for (uint32_t i = root; i < e->constraint_count; i++) {
            if (root_of(w, i) != root) continue;
            w->nodes[constraints] = w->p->constraints[i];
            w->constraints[constraints] = e->constraints[i];
            w->constraints[constraints++].group = group;
        }
        for (uint32_t k = 0; k < e->candidate_count; k++) {
            if (!belongs(w, k, root)) continue;
            w->place[k] = candidates;
            w->candidates[candidates] = e->candidates[k];
            w->candidates[candidates++].group = group;
        }
        group++;
    }
    for (uint32_t k = 0; k < candidates; k++)
        if (w->candidates[k].above != FOI_NOTHING)
            w->candidates[k].above = w->place[w->candidates[k].above];
    memcpy(e->candidates, w->candidates, candidates * sizeof *w->candidates);
    memcpy(e->constraints, w->constraints, constraints * sizeof *w->constraints);
    memcpy(w->p->constraints, w->nodes, constraints * sizeof *w->nodes);
}

static fo_status group(foi_plan *p)
{
    foi_equations *e = p->e;
    size_t n = e->constraint_count, m = e->candidate_count;
    grouping w = {.p = p};
    w.root = foi_arena_new(&p->arena, n, sizeof *w.root);
    w.first = foi_arena_new(&p->arena, m, sizeof *w.first);
    w.candidate_of = foi_arena_new(&p->arena, p->state_count, sizeof *w.candidate_of);
    w.place = foi_arena_new(&p->arena, m, sizeof *w.place);
    w.constraints = foi_arena_new(&p->arena, n, sizeof *w.constraints);
    w.candidates = foi_arena_new(&p->arena, m, sizeof *w.candidates);
    w.nodes = foi_arena_new(&p->arena, n, sizeof *w.nodes);
    if (p->arena.failed) return foi_equations_no_memory(e);
    for (uint32_t i = 0; i < n; i++) w.root[i] = i;
    memset(w.first, 0xFF, m * sizeof *w.first);
    memset(w.candidate_of, 0xFF, p->state_count * sizeof *w.candidate_of);
    for (uint32_t k = 0; k < m; k++) w.candidate_of[p->slot[e->candidates[k].variable]] = k;
    if (!find_groups(&w)) return foi_equations_no_memory(e);
    sort_groups(&w);
    return FO_OK;
}

fo_status foi_plan_constraints(foi_plan *p, foi_view *v)
{
    foi_equations *e = p->e;
    size_t n = e->constraint_count;
    if (!n) return FO_OK;
    p->constraints = foi_arena_new(&p->arena, n, sizeof *p->constraints);
    p->rounding = foi_arena_new(&p->arena, n, sizeof *p->rounding);
    if (p->arena.failed) return foi_equations_no_memory(e);
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < n && status == FO_OK; i++) {
        const foi_equation *q = &e->equations[e->constraints[i].equation];
        p->constraints[i] = foi_view_of(v, foi_subtract(&e->g, q->left, q->right));
        status = check(p, i);
    }
    if (status == FO_OK) status = group(p);
    for (uint32_t i = 0; i < n && status == FO_OK; i++) {
        status = slopes_of(p, i);
        if (status == FO_OK) status = rounding_of(p, i);
    }
    return status;
}
