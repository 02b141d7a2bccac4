/// Choices in choices. Statements that are worked out leave `if c then a else if not c then b else
/// d`, where d is never taken: what a condition says of those below it is known, and they are
/// simplified by it. Nothing is computed otherwise than before; but bounds of the expression (its
/// value, its slopes) are those of a and b alone.
#include "equations/graph.h"

enum {
    DEEPEST = 8,    ///< how far below a choice others are looked at
    MOST_TURNS = 3, ///< choices that are simplified while others are
};

enum { FALSE, TRUE, OPEN };

// What a condition is where another is true or false.
static int known(const foi_graph *g, foi_node c, foi_node other, bool truth, int depth)
{
    const foi_graph_node *n = &g->nodes[other];
    if (c == other) return truth;
    if (g->nodes[c].op == FOI_G_NOT && g->nodes[c].a == other) return !truth;
    if (depth == 0) return OPEN;
    if (n->op == FOI_G_NOT) return known(g, c, n->a, !truth, depth - 1);
    if (n->op != (truth ? FOI_G_AND : FOI_G_OR)) return OPEN;
    int first = known(g, c, n->a, truth, depth - 1);
    return first != OPEN ? first : known(g, c, n->b, truth, depth - 1);
}

static foi_node condition_under(foi_graph *g, foi_node c, foi_node other, bool truth, int depth)
{
    const foi_graph_node n = g->nodes[c];
    int is = known(g, c, other, truth, DEEPEST);
    if (is != OPEN) return foi_constant(g, is);
    if (depth == 0 || (n.op != FOI_G_AND && n.op != FOI_G_OR && n.op != FOI_G_NOT)) return c;
    foi_node a = condition_under(g, n.a, other, truth, depth - 1);
    foi_node b = n.op == FOI_G_NOT ? n.b : condition_under(g, n.b, other, truth, depth - 1);
    return a == n.a && b == n.b ? c : foi_make(g, (foi_op)n.op, a, b, 0);
}

// The expression where the condition is true or false.
static foi_node under(foi_graph *g, foi_node e, foi_node other, bool truth, int depth)
{
    const foi_graph_node n = g->nodes[e];
    if (depth == 0 || n.op != FOI_G_IF) return e;
    foi_node a = condition_under(g, n.a, other, truth, DEEPEST);
    if (foi_is_constant(g, a))
        return under(g, foi_constant_value(g, a) != 0 ? n.b : n.c, other, truth, depth - 1);
    foi_node b = under(g, n.b, other, truth, depth - 1);
    foi_node c = under(g, n.c, other, truth, depth - 1);
    return a == n.a && b == n.b && c == n.c ? e : foi_make(g, FOI_G_IF, a, b, c);
}

foi_node foi_simplify_choice(foi_graph *g, foi_node a, foi_node b, foi_node c)
{
    if (g->choices >= MOST_TURNS) return FOI_NO_NODE;
    g->choices++;
    foi_node yes = under(g, b, a, true, DEEPEST), no = under(g, c, a, false, DEEPEST);
    bool same = yes == b && no == c;
    foi_node simple = same ? FOI_NO_NODE : foi_make(g, FOI_G_IF, a, yes, no);
    g->choices--;
    return simple;
}
