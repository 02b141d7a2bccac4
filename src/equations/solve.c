/// Solving one equation for one variable.
#include "equations/equations.h"

// What cannot be zero in a run: a number other than zero.
static bool never_zero(const foi_graph *g, foi_node n)
{
    return foi_is_constant(g, n) && foi_constant_value(g, n) != 0;
}

// Takes the outermost operation off: from op(a, b) = other with the leaf in a only (first) or in b
// only, to the side with the leaf = *other. False when that is not to be done.
static bool peel(foi_graph *g, foi_node *side, foi_node *other, bool first, bool safe)
{
    foi_graph_node n = g->nodes[*side];
    foi_node rest = first ? n.b : n.a;
    switch ((foi_op)n.op) {
    case FOI_G_NEGATE: *other = foi_negate(g, *other); break;
    case FOI_G_ADD: *other = foi_subtract(g, *other, rest); break;
    case FOI_G_SUBTRACT:
        *other = first ? foi_add(g, *other, rest) : foi_subtract(g, rest, *other);
        break;
    case FOI_G_MULTIPLY:
        if (safe && !never_zero(g, rest)) return false;
        if (foi_is_number(g, rest, 0)) return false;
        g->divisor = foi_multiply(g, g->divisor, rest);
        *other = foi_divide(g, *other, rest);
        break;
    case FOI_G_DIVIDE:
        if (!first) return false; // b / leaf = other: two branches meet at zero
        *other = foi_multiply(g, *other, rest);
        break;
    default: return false;
    }
    *side = first ? n.a : n.b;
    return true;
}

static bool is_the_leaf(const void *self, const foi_graph *g, foi_node leaf)
{
    (void)g;
    return leaf == *(const foi_node *)self;
}

// a leaf + b = 0, a and b without the leaf.
static foi_node solve_linear(foi_graph *g, foi_node left, foi_node right, foi_node leaf, bool safe)
{
    foi_node residual = foi_subtract(g, left, right);
    foi_node a = foi_graph_partial(g, residual, leaf);
    if (a == FOI_NO_NODE || foi_is_number(g, a, 0)) return FOI_NO_NODE;
    if (safe && !never_zero(g, a)) return FOI_NO_NODE;
    if (foi_graph_contains(g, a, leaf)) return FOI_NO_NODE;
    // b is the residual without its terms in the leaf
    // y = noEvent(if y > 1 then 3 else 1.5) has the same slope on either side, and is not linear
    if (foi_graph_jumps(g, &residual, 1, is_the_leaf, &leaf)) return FOI_NO_NODE;
    if (!foi_graph_reach(g, &residual, 1)) return FOI_NO_NODE;
    foi_node zero = foi_constant(g, 0);
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node at = g->list[i];
        foi_graph_node n = g->nodes[at];
        if (at == leaf)
            g->map[at] = zero;
        else if (n.op == FOI_G_LEAF || n.op == FOI_G_CONSTANT)
            g->map[at] = at;
        else
            g->map[at] = foi_make(g, n.op, g->map[n.a], g->map[n.b], g->map[n.c]);
    }
    foi_node b = g->map[residual];
    g->divisor = foi_multiply(g, g->divisor, a);
    return foi_divide(g, foi_negate(g, b), a);
}

foi_node foi_solve(foi_equations *e, foi_node left, foi_node right, foi_node leaf, bool safe)
{
    foi_graph *g = &e->g;
    g->divisor = foi_constant(g, 1);
    e->inverted = false;
    bool in_left = foi_graph_contains(g, left, leaf), in_right = foi_graph_contains(g, right, leaf);
    if (!in_left && !in_right) return FOI_NO_NODE;
    if (in_left && in_right) return solve_linear(g, left, right, leaf, safe);
    foi_node side = in_left ? left : right, other = in_left ? right : left;
    while (side != leaf) {
        foi_graph_node n = g->nodes[side];
        if (n.op == FOI_G_CALLED) {
            bool by_inverse = !safe && e->inverts && foi_invert_called(e, leaf, &side, &other);
            e->inverted |= by_inverse;
            if (!by_inverse) side = n.a;
            continue;
        }
        bool unary = foi_op_arity(n.op) == 1;
        bool in_a = foi_graph_contains(g, n.a, leaf);
        bool in_b = !unary && foi_graph_contains(g, n.b, leaf);
        if (in_a && in_b) return solve_linear(g, side, other, leaf, safe);
        if (!peel(g, &side, &other, in_a, safe))
            return safe ? FOI_NO_NODE : solve_linear(g, side, other, leaf, safe);
    }
    return other;
}
