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

static fo_status rounding_of(foi_plan *p, uint32_t i)
{
    foi_graph *g = &p->e->g;
    size_t n = (size_t)p->constraints[i] + 1;
    foi_node *bound = foi_new(p->e->allocator, n, sizeof *bound);
    bool good = bound && foi_graph_reach(g, &p->constraints[i], 1);
    for (size_t k = 0; good && k < g->list_count; k++)
        bound[g->list[k]] = bound_of(g, g->list[k], bound);
    if (good) p->rounding[i] = bound[p->constraints[i]];
    foi_free(p->e->allocator, bound);
    return good && !g->failed ? FO_OK : foi_equations_no_memory(p->e);
}

// Within a level: a constraint does not hold the candidates of levels above its own, and those
// below are known when it is solved.
static fo_status slopes_of(foi_plan *p, uint32_t i)
{
    foi_equations *e = p->e;
    foi_graph *g = &e->g;
    if (!foi_graph_gradient(g, p->constraints[i])) return foi_equations_no_memory(e);
    for (uint32_t k = 0; k < e->candidate_count; k++) {
        const foi_candidate *c = &e->candidates[k];
        if (c->level != e->constraints[i].level) continue;
        foi_node leaf = foi_leaf_of(g, FOI_LEAF_STATE, p->slot[c->variable]);
        bool occurs = false;
        for (size_t m = 0; m < g->list_count && !occurs; m++) occurs = g->list[m] == leaf;
        if (!occurs || foi_is_number(g, foi_gradient_at(g, leaf), 0)) continue;
        p->slopes[p->slope_count++] = (foi_entry){i, k, foi_gradient_at(g, leaf)};
    }
    return FO_OK;
}

fo_status foi_plan_constraints(foi_plan *p, foi_view *v)
{
    foi_equations *e = p->e;
    size_t n = e->constraint_count;
    if (!n) return FO_OK;
    p->constraints = foi_arena_new(&p->arena, n, sizeof *p->constraints);
    p->rounding = foi_arena_new(&p->arena, n, sizeof *p->rounding);
    p->slopes = foi_arena_new(&p->arena, n * e->candidate_count, sizeof *p->slopes);
    if (p->arena.failed) return foi_equations_no_memory(e);
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < n && status == FO_OK; i++) {
        const foi_equation *q = &e->equations[e->constraints[i].equation];
        p->constraints[i] = foi_view_of(v, foi_subtract(&e->g, q->left, q->right));
        status = check(p, i);
        if (status == FO_OK) status = slopes_of(p, i);
        if (status == FO_OK) status = rounding_of(p, i);
    }
    return status;
}
