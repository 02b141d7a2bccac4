/// Choices in choices. Statements that are worked out leave `if c then a else if not c then b else
/// d`, where d is never taken: what a condition says of those below it is known, and they are
/// simplified by it. Nothing is computed otherwise than before; but bounds of the expression (its
/// value, its slopes) are those of a and b alone.
#include "equations/graph.h"

#include <string.h>

enum {
    DEEPEST = 8,    ///< how far below a choice others are looked at
    MOST_TURNS = 3, ///< choices that are simplified while others are
    PLACES = 1024,  ///< a power of two, and twice what DEEPEST levels can have
    RECENT = 256,   ///< conditions whose outcome is remembered
};

enum { FALSE, TRUE, OPEN };

/// A condition that is known, since another one is.
typedef struct fact {
    foi_node node;
    uint16_t rank; ///< 1 for the first that was found, ...; 0: an empty place
    uint8_t truth;
    uint8_t depth; ///< how far below it was looked
} fact;

/// All of them: found once for each choice, and looked up for each condition below it. Branches
/// share most of their conditions, so what became of one is remembered.
typedef struct facts {
    fact place[PLACES];
    uint16_t count;
    foi_node recent[RECENT], became[RECENT]; ///< FOI_NO_NODE: none
} facts;

static fact *place_of(facts *f, foi_node node)
{
    uint32_t at = (node * UINT32_C(2654435761)) >> 16;
    while (f->place[at % PLACES].rank != 0 && f->place[at % PLACES].node != node) at++;
    return &f->place[at % PLACES];
}

// What follows where a condition is true or false.
static void learn(facts *f, const foi_graph *g, foi_node c, bool truth, int depth)
{
    const foi_graph_node *n = &g->nodes[c];
    fact *known = place_of(f, c);
    if (known->rank == 0)
        *known = (fact){.node = c, .rank = ++f->count, .truth = truth, .depth = (uint8_t)depth};
    else if (known->truth == truth && known->depth >= depth)
        return;
    if (known->truth == truth) known->depth = (uint8_t)depth;
    if (depth == 0) return;
    if (n->op == FOI_G_NOT) learn(f, g, n->a, !truth, depth - 1);
    if (n->op != (truth ? FOI_G_AND : FOI_G_OR)) return;
    learn(f, g, n->a, truth, depth - 1);
    learn(f, g, n->b, truth, depth - 1);
}

// What a condition is then: what was found first counts.
static int known(facts *f, const foi_graph *g, foi_node c)
{
    const fact *as = place_of(f, c), *not = NULL;
    if (g->nodes[c].op == FOI_G_NOT) not = place_of(f, g->nodes[c].a);
    if (not &&not ->rank != 0 && (as->rank == 0 || not ->rank < as->rank)) return !not ->truth;
    return as->rank != 0 ? as->truth : OPEN;
}

static foi_node condition_under(foi_graph *g, foi_node c, facts *f, int depth)
{
    const foi_graph_node n = g->nodes[c];
    int is = known(f, g, c);
    if (is != OPEN) return foi_constant(g, is);
    if (depth == 0 || (n.op != FOI_G_AND && n.op != FOI_G_OR && n.op != FOI_G_NOT)) return c;
    foi_node a = condition_under(g, n.a, f, depth - 1);
    foi_node b = n.op == FOI_G_NOT ? n.b : condition_under(g, n.b, f, depth - 1);
    return a == n.a && b == n.b ? c : foi_make(g, (foi_op)n.op, a, b, 0);
}

static foi_node condition_again(foi_graph *g, foi_node c, facts *f)
{
    foi_node *recent = &f->recent[c % RECENT], *became = &f->became[c % RECENT];
    if (*recent != c) *became = condition_under(g, c, f, DEEPEST), *recent = c;
    return *became;
}

// The expression where that is known.
static foi_node under(foi_graph *g, foi_node e, facts *f, int depth)
{
    const foi_graph_node n = g->nodes[e];
    if (depth == 0 || n.op != FOI_G_IF) return e;
    foi_node a = condition_again(g, n.a, f);
    if (foi_is_constant(g, a))
        return under(g, foi_constant_value(g, a) != 0 ? n.b : n.c, f, depth - 1);
    foi_node b = under(g, n.b, f, depth - 1);
    foi_node c = under(g, n.c, f, depth - 1);
    return a == n.a && b == n.b && c == n.c ? e : foi_make(g, FOI_G_IF, a, b, c);
}

static foi_node under_condition(foi_graph *g, foi_node e, foi_node condition, bool truth)
{
    facts f;
    if (g->nodes[e].op != FOI_G_IF) return e;
    memset(f.place, 0, sizeof f.place);
    for (size_t i = 0; i < RECENT; i++) f.recent[i] = FOI_NO_NODE;
    f.count = 0;
    learn(&f, g, condition, truth, DEEPEST);
    return under(g, e, &f, DEEPEST);
}

foi_node foi_simplify_choice(foi_graph *g, foi_node a, foi_node b, foi_node c)
{
    if (g->choices >= MOST_TURNS) return FOI_NO_NODE;
    g->choices++;
    foi_node yes = under_condition(g, b, a, true), no = under_condition(g, c, a, false);
    bool same = yes == b && no == c;
    foi_node simple = same ? FOI_NO_NODE : foi_make(g, FOI_G_IF, a, yes, no);
    g->choices--;
    return simple;
}
