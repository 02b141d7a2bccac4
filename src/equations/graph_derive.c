/// Symbolic derivatives: forward by the chain rule, and reverse for all leaves at once
/// (Griewank and Walther, Evaluating Derivatives, 2008, chapters 3.1 and 3.2).
#include "equations/graph.h"
#include "equations/outside.h"
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

// The derivative of a curve in pieces, as one.
static foi_node along_rate(foi_graph *g, foi_node u, foi_node which)
{
    foi_graph_node n = g->nodes[which];
    bool picked = n.op == FOI_G_AMONG;
    double curve = foi_constant_value(g, picked ? n.b : which);
    const foi_pieces *one = foi_pieces_address(curve);
    const foi_choices *all = foi_pieces_address(curve);
    if (foi_pieces_order(curve) >= (picked ? all->degree : one->degree)) return number(g, 0);
    foi_node next = number(g, curve + 1);
    return foi_make(g, FOI_G_ALONG, u, picked ? foi_make(g, FOI_G_AMONG, n.a, next, 0) : next, 0);
}

static foi_node by_first(foi_graph *g, foi_node at, foi_graph_node n)
{
    foi_node a = n.a, b = n.b, one = number(g, 1);
    switch ((foi_op)n.op) {
    case FOI_G_NEGATE: return number(g, -1);
    case FOI_G_CALLED:
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
    case FOI_G_ALONG: return along_rate(g, a, b);
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

static bool is_result(const foi_graph *g, foi_graph_node n)
{
    return n.op == FOI_G_OUTSIDE && foi_is_number(g, n.c, FOI_OUTSIDE_RESULT);
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
    if ((foi_op)n.op == FOI_G_OUTSIDE) return FOI_NO_NODE; // code of others has no formula
    if ((foi_op)n.op == FOI_G_IF) {
        if (db == FOI_NO_NODE || dc == FOI_NO_NODE) return FOI_NO_NODE;
        return foi_make(g, FOI_G_IF, n.a, db, dc);
    }
    if ((n.op >= FOI_G_LESS && n.op <= FOI_G_OR) || n.op == FOI_G_SIGN ||
        (n.op >= FOI_G_QUOTIENT && n.op <= FOI_G_CEIL) || n.op == FOI_G_AMONG)
        return number(g, 0);
    if (da == FOI_NO_NODE || (arity > 1 && db == FOI_NO_NODE)) return FOI_NO_NODE;
    switch ((foi_op)n.op) {
    case FOI_G_CALLED: return da;
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

static void derive_at(foi_graph *g, foi_node at, foi_leaf_map *map, void *self)
{
    foi_graph_node n = g->nodes[at];
    if (n.op == FOI_G_CONSTANT)
        g->map[at] = number(g, 0);
    else if (n.op == FOI_G_LEAF)
        g->map[at] = map(self, g, at);
    else
        g->map[at] = derive_node(g, at, n, g->map[n.a], g->map[n.b], g->map[n.c]);
}

foi_node foi_graph_derive(foi_graph *g, foi_node root, foi_leaf_map *map, void *self)
{
    if (!foi_graph_reach(g, &root, 1)) return 0;
    for (size_t i = 0; i < g->list_count; i++) derive_at(g, g->list[i], map, self);
    return g->map[root];
}

bool foi_graph_derive_all(foi_graph *g, foi_node *roots, size_t count, foi_leaf_map *map,
                          void *self)
{
    foi_node *some = foi_new(g->allocator, count, sizeof *some);
    size_t n = 0;
    if (!some) return g->failed = true, false;
    for (size_t i = 0; i < count; i++)
        if (roots[i] != FOI_NO_NODE) some[n++] = roots[i];
    bool good = foi_graph_reach(g, some, n);
    for (size_t i = 0; good && i < g->list_count; i++) derive_at(g, g->list[i], map, self);
    for (size_t i = 0; good && i < count; i++)
        if (roots[i] != FOI_NO_NODE) roots[i] = g->map[roots[i]];
    foi_free(g->allocator, some);
    return good && !g->failed;
}

// The walk so far, over another one.
static bool derive_called(foi_graph *g, foi_node root, size_t i, foi_call_derivative *call,
                          bool *plain, void *self, bool *again)
{
    foi_node at = g->list[i];
    foi_node *kept = foi_new(g->allocator, i + 1, sizeof *kept);
    for (size_t k = 0; kept && k < i; k++) kept[k] = g->map[g->list[k]];
    bool formula = false;
    foi_node d = kept ? call(self, at, &formula) : 0;
    bool good = kept && foi_graph_reach_needed(g, root, plain);
    for (size_t k = 0; good && k < i; k++) g->map[g->list[k]] = kept[k];
    if (good) g->map[at] = d;
    if (formula) *again = plain[g->nodes[at].c] = true;
    foi_free(g->allocator, kept);
    g->failed |= !good;
    return good;
}

foi_node foi_graph_derive_calls(foi_graph *g, foi_node root, foi_leaf_map *map,
                                foi_call_derivative *call, bool *plain, void *self)
{
    bool again = true;
    while (again) { // each time one more call is plain
        again = false;
        if (!foi_graph_reach_needed(g, root, plain)) return 0;
        for (size_t i = 0; i < g->list_count && !again; i++) {
            foi_graph_node n = g->nodes[g->list[i]];
            if (n.op != FOI_G_CALLED || plain[n.c])
                derive_at(g, g->list[i], map, self);
            else if (!derive_called(g, root, i, call, plain, self, &again))
                return 0;
        }
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

// What passes through the branch of a choice is
//     if mask then d else 0
// all the way down, and not 0 times the derivatives of a branch that is not taken, which may not be
// numbers. The choice stays outermost: its mask grows, and d goes on.

static bool is_gated(const foi_graph *g, foi_node n)
{
    return g->nodes[n].op == FOI_G_IF && zero(g, g->nodes[n].c);
}

static foi_node gate(foi_graph *g, foi_node mask, foi_node from, bool not )
{
    if (not ) mask = foi_make(g, FOI_G_NOT, mask, 0, 0);
    if (!is_gated(g, from)) return foi_make(g, FOI_G_IF, mask, from, number(g, 0));
    mask = foi_make(g, FOI_G_AND, g->nodes[from].a, mask, 0);
    return foi_make(g, FOI_G_IF, mask, g->nodes[from].b, number(g, 0));
}

static foi_node gated_product(foi_graph *g, foi_node from, foi_node partial)
{
    if (!is_gated(g, from)) return foi_multiply(g, from, partial);
    foi_node mask = g->nodes[from].a, inside = foi_multiply(g, g->nodes[from].b, partial);
    return foi_make(g, FOI_G_IF, mask, inside, number(g, 0));
}

static foi_node gated_sum(foi_graph *g, foi_node x, foi_node y)
{
    if (zero(g, x) || zero(g, y) || !is_gated(g, x) || !is_gated(g, y)) return foi_add(g, x, y);
    foi_node a = g->nodes[x].a, b = g->nodes[y].a, inside;
    if (a == b)
        inside = foi_add(g, g->nodes[x].b, g->nodes[y].b);
    else
        inside = foi_add(g, x, y);
    foi_node mask = a == b ? a : foi_make(g, FOI_G_OR, a, b, 0);
    return foi_make(g, FOI_G_IF, mask, inside, number(g, 0));
}

static void pass_on(foi_graph *g, foi_node at, foi_node from, uint32_t argument, foi_node to)
{
    if (foi_is_constant(g, to)) return;
    foi_graph_node n = g->nodes[at];
    if (n.op == FOI_G_IF && argument > 0) {
        g->map[to] = gated_sum(g, g->map[to], gate(g, n.a, from, argument == 2));
        return;
    }
    foi_node partial = foi_op_partial(g, at, argument);
    if (zero(g, partial)) return;
    g->map[to] = gated_sum(g, g->map[to], gated_product(g, from, partial));
}

// From a result to all that was passed to the call; the first of a list is where it is made.
static void pass_outside(foi_graph *g, foi_node node, foi_node from)
{
    foi_graph_node result = g->nodes[node];
    foi_node place = g->nodes[result.a].a;
    uint32_t inputs = 0, at = 0;
    for (foi_node n = place; g->nodes[g->nodes[n].a].op == FOI_G_OUTSIDE; n = g->nodes[n].a)
        inputs++;
    for (; g->nodes[g->nodes[place].a].op == FOI_G_OUTSIDE; place = g->nodes[place].a) {
        foi_node x = g->nodes[place].b;
        at++;
        if (foi_is_constant(g, x)) continue;
        foi_node which = number(g, inputs - at + inputs * foi_constant_value(g, result.b));
        foi_node partial = g->partial ? g->partial(g->self, node, inputs - at) : FOI_NO_NODE;
        if (partial == FOI_NO_NODE)
            partial =
                foi_make(g, FOI_G_OUTSIDE, result.a, which, number(g, FOI_OUTSIDE_DIFFERENCE));
        g->map[x] = gated_sum(g, g->map[x], gated_product(g, from, partial));
    }
}

// All that annotations say about the calls in the list, before the walk needs it: finding it out
// is a walk itself.
static bool ask_partials(foi_graph *g, foi_node root)
{
    size_t count = 0;
    if (!g->partial) return true;
    foi_node *results = foi_new(g->allocator, g->list_count, sizeof *results);
    if (!results) return g->failed = true, false;
    for (size_t i = 0; i < g->list_count; i++)
        if (is_result(g, g->nodes[g->list[i]])) results[count++] = g->list[i];
    for (size_t i = 0; i < count; i++) {
        uint32_t inputs = 0;
        foi_node place = g->nodes[g->nodes[results[i]].a].a;
        for (; g->nodes[g->nodes[place].a].op == FOI_G_OUTSIDE; place = g->nodes[place].a) inputs++;
        for (uint32_t k = 0; k < inputs; k++) g->partial(g->self, results[i], k);
    }
    foi_free(g->allocator, results);
    return count == 0 || foi_graph_reach(g, &root, 1);
}

bool foi_graph_gradient(foi_graph *g, foi_node root)
{
    if (!foi_graph_reach(g, &root, 1) || !ask_partials(g, root)) return false;
    foi_node nothing = number(g, 0);
    for (size_t i = 0; i < g->list_count; i++) g->map[g->list[i]] = nothing;
    g->map[root] = number(g, 1);
    for (size_t i = g->list_count; i-- > 0;) {
        foi_node at = g->list[i], from = g->map[at];
        foi_graph_node n = g->nodes[at];
        uint32_t arity = foi_op_arity(n.op);
        if (zero(g, from)) continue;
        if (n.op == FOI_G_OUTSIDE) {
            if (is_result(g, n)) pass_outside(g, at, from);
            continue;
        }
        if (arity > 0) pass_on(g, at, from, 0, n.a);
        if (arity > 1) pass_on(g, at, from, 1, n.b);
        if (arity > 2) pass_on(g, at, from, 2, n.c);
    }
    return !g->failed;
}
