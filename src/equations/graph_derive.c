/// Symbolic derivatives: forward by the chain rule, and reverse for all leaves at once
/// (Griewank and Walther, Evaluating Derivatives, 2008, chapters 3.1 and 3.2).
#include "equations/graph.h"
#include "math/math.h"

static foi_node number(foi_graph *g, double value)
{
    return foi_constant(g, value);
}

static foi_node square(foi_graph *g, foi_node a)
{
    return foi_multiply(g, a, a);
}

static foi_node unary(foi_graph *g, foi_op op, foi_node a)
{
    return foi_make(g, op, a, 0, 0);
}

static foi_node one_over_root(foi_graph *g, foi_node a)
{
    foi_node inside = foi_subtract(g, number(g, 1), square(g, a));
    return foi_divide(g, number(g, 1), unary(g, FOI_G_SQRT, inside));
}

static foi_node by_first(foi_graph *g, foi_node at, foi_graph_node n)
{
    foi_node a = n.a, b = n.b, one = number(g, 1);
    switch ((foi_op)n.op) {
    case FOI_G_NEGATE: return number(g, -1);
    case FOI_G_ADD:
    case FOI_G_SUBTRACT:
    case FOI_G_MOD:
    case FOI_G_REM: return one;
    case FOI_G_MULTIPLY: return b;
    case FOI_G_DIVIDE: return foi_divide(g, one, b);
    case FOI_G_POWER:
        return foi_multiply(g, b, foi_make(g, FOI_G_POWER, a, foi_subtract(g, b, one), 0));
    case FOI_G_ABS: return unary(g, FOI_G_SIGN, a);
    case FOI_G_SQRT: return foi_divide(g, number(g, 0.5), at);
    case FOI_G_MIN:
        return foi_make(g, FOI_G_IF, foi_make(g, FOI_G_LESS, b, a, 0), number(g, 0), one);
    case FOI_G_MAX:
        return foi_make(g, FOI_G_IF, foi_make(g, FOI_G_GREATER, b, a, 0), number(g, 0), one);
    case FOI_G_SIN: return unary(g, FOI_G_COS, a);
    case FOI_G_COS: return foi_negate(g, unary(g, FOI_G_SIN, a));
    case FOI_G_TAN: return foi_add(g, one, square(g, at));
    case FOI_G_ASIN: return one_over_root(g, a);
    case FOI_G_ACOS: return foi_negate(g, one_over_root(g, a));
    case FOI_G_ATAN: return foi_divide(g, one, foi_add(g, one, square(g, a)));
    case FOI_G_ATAN2: return foi_divide(g, b, foi_add(g, square(g, a), square(g, b)));
    case FOI_G_SINH: return unary(g, FOI_G_COSH, a);
    case FOI_G_COSH: return unary(g, FOI_G_SINH, a);
    case FOI_G_TANH: return foi_subtract(g, one, square(g, at));
    case FOI_G_EXP: return at;
    case FOI_G_LOG: return foi_divide(g, one, a);
    case FOI_G_LOG10: return foi_divide(g, one, foi_multiply(g, a, number(g, foi_log(10))));
    default: return number(g, 0);
    }
}

static foi_node by_second(foi_graph *g, foi_node at, foi_graph_node n)
{
    foi_node a = n.a, b = n.b, one = number(g, 1);
    switch ((foi_op)n.op) {
    case FOI_G_ADD: return one;
    case FOI_G_SUBTRACT: return number(g, -1);
    case FOI_G_MULTIPLY: return a;
    case FOI_G_DIVIDE: return foi_negate(g, foi_divide(g, at, b));
    case FOI_G_POWER: return foi_multiply(g, unary(g, FOI_G_LOG, a), at);
    case FOI_G_MIN:
        return foi_make(g, FOI_G_IF, foi_make(g, FOI_G_LESS, b, a, 0), one, number(g, 0));
    case FOI_G_MAX:
        return foi_make(g, FOI_G_IF, foi_make(g, FOI_G_GREATER, b, a, 0), one, number(g, 0));
    case FOI_G_MOD: return foi_negate(g, unary(g, FOI_G_FLOOR, foi_divide(g, a, b)));
    case FOI_G_REM: return foi_negate(g, foi_make(g, FOI_G_QUOTIENT, a, b, 0));
    case FOI_G_ATAN2:
        return foi_negate(g, foi_divide(g, a, foi_add(g, square(g, a), square(g, b))));
    case FOI_G_IF: return foi_make(g, FOI_G_IF, a, one, number(g, 0));
    default: return number(g, 0);
    }
}

foi_node foi_op_partial(foi_graph *g, foi_node node, uint32_t argument)
{
    foi_graph_node n = g->nodes[node];
    if (argument == 0) return by_first(g, node, n);
    if (argument == 1) return by_second(g, node, n);
    return foi_make(g, FOI_G_IF, n.a, number(g, 0), number(g, 1));
}

static bool zero(const foi_graph *g, foi_node n)
{
    return n != FOI_NO_NODE && foi_is_number(g, n, 0);
}

// Products, quotients and choices in their short forms, the rest by the chain rule.
static foi_node derive_node(foi_graph *g, foi_node at, foi_graph_node n, foi_node da, foi_node db,
                            foi_node dc)
{
    uint32_t arity = foi_op_arity(n.op);
    bool flat = (foi_op)n.op == FOI_G_IF
                    ? zero(g, db) && zero(g, dc)
                    : zero(g, da) && (arity < 2 || zero(g, db)) && (arity < 3 || zero(g, dc));
    if (flat) return number(g, 0);
    if ((foi_op)n.op == FOI_G_IF) {
        if (db == FOI_NO_NODE || dc == FOI_NO_NODE) return FOI_NO_NODE;
        return foi_make(g, FOI_G_IF, n.a, db, dc);
    }
    if ((n.op >= FOI_G_LESS && n.op <= FOI_G_OR) || n.op == FOI_G_SIGN ||
        (n.op >= FOI_G_QUOTIENT && n.op <= FOI_G_CEIL))
        return number(g, 0);
    if (da == FOI_NO_NODE || (arity > 1 && db == FOI_NO_NODE)) return FOI_NO_NODE;
    switch ((foi_op)n.op) {
    case FOI_G_NEGATE: return foi_negate(g, da);
    case FOI_G_ADD: return foi_add(g, da, db);
    case FOI_G_SUBTRACT: return foi_subtract(g, da, db);
    case FOI_G_DIVIDE: return foi_divide(g, foi_subtract(g, da, foi_multiply(g, at, db)), n.b);
    default: break;
    }
    foi_node sum = zero(g, da) ? da : foi_multiply(g, by_first(g, at, n), da);
    if (arity > 1 && !zero(g, db)) sum = foi_add(g, sum, foi_multiply(g, by_second(g, at, n), db));
    return sum;
}

foi_node foi_graph_derive(foi_graph *g, foi_node root, foi_leaf_map *map, void *self)
{
    if (!foi_graph_reach(g, &root, 1)) return 0;
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node at = g->list[i];
        foi_graph_node n = g->nodes[at];
        if (n.op == FOI_G_CONSTANT)
            g->map[at] = number(g, 0);
        else if (n.op == FOI_G_LEAF)
            g->map[at] = map(self, g, at);
        else
            g->map[at] = derive_node(g, at, n, g->map[n.a], g->map[n.b], g->map[n.c]);
    }
    return g->map[root];
}

static foi_node is_leaf(void *self, foi_graph *g, foi_node leaf)
{
    const foi_node *wanted = self;
    return foi_constant(g, leaf == *wanted ? 1 : 0);
}

foi_node foi_graph_partial(foi_graph *g, foi_node root, foi_node leaf)
{
    return foi_graph_derive(g, root, is_leaf, &leaf);
}

// Whether its derivative can be no number where it has no value itself.
static bool can_fail(foi_op op)
{
    switch (op) {
    case FOI_G_SQRT:
    case FOI_G_LOG:
    case FOI_G_LOG10:
    case FOI_G_ASIN:
    case FOI_G_ACOS:
    case FOI_G_POWER:
    case FOI_G_DIVIDE: return true;
    default: return false;
    }
}

// What stands in a branch that is not taken has a factor of zero, and perhaps no derivative:
// `if x > 1 then sqrt(x - 1) else 0`. Zero times nothing is zero here.
static foi_node product(foi_graph *g, foi_node at, foi_node from, foi_node partial, bool choices)
{
    foi_node all = foi_multiply(g, from, partial);
    if (!choices || foi_is_constant(g, from) || !can_fail((foi_op)g->nodes[at].op)) return all;
    foi_node counts = foi_make(g, FOI_G_NOT_EQUAL, from, number(g, 0), 0);
    return foi_make(g, FOI_G_IF, counts, all, number(g, 0));
}

static void pass_on(foi_graph *g, foi_node at, uint32_t argument, foi_node to, bool choices)
{
    if (foi_is_constant(g, to)) return;
    foi_node partial = foi_op_partial(g, at, argument);
    if (zero(g, partial)) return;
    g->map[to] = foi_add(g, g->map[to], product(g, at, g->map[at], partial, choices));
}

static bool has_choices(const foi_graph *g)
{
    for (size_t i = 0; i < g->list_count; i++)
        if (g->nodes[g->list[i]].op == FOI_G_IF) return true;
    return false;
}

bool foi_graph_gradient(foi_graph *g, foi_node root)
{
    if (!foi_graph_reach(g, &root, 1)) return false;
    foi_node nothing = number(g, 0);
    for (size_t i = 0; i < g->list_count; i++) g->map[g->list[i]] = nothing;
    g->map[root] = number(g, 1);
    bool choices = has_choices(g);
    for (size_t i = g->list_count; i-- > 0;) {
        foi_node at = g->list[i];
        foi_graph_node n = g->nodes[at];
        uint32_t arity = foi_op_arity(n.op);
        if (zero(g, g->map[at])) continue;
        if (arity > 0) pass_on(g, at, 0, n.a, choices);
        if (arity > 1) pass_on(g, at, 1, n.b, choices);
        if (arity > 2) pass_on(g, at, 2, n.c, choices);
    }
    return !g->failed;
}
