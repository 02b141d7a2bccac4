/// Two streams that meet: what flows between them has no temperature of its own where nothing
/// flows.
///
/// A connection of two volumes with enthalpies s1 and s2 says, for the flow x of what has h,
///     y = semiLinear(x, s1, h)   and   y = semiLinear(x, h, s2),
/// with semiLinear(x, a, b) = if x >= 0 then a x else b x. Together that is
///     h = if x >= 0 then s1 else s2,   y = semiLinear(x, s1, s2),
/// the same for every x but 0, where the first form leaves h open and the second is continuous with
/// what flows forward (Modelica 3.6, section 3.7.2.5). The second takes the place of the first.
#include "base/array.h"
#include "equations/equations.h"

/// side = semiLinear(x, a, b).
typedef struct semi {
    foi_node side, x, a, b, when;
} semi;

// The factor of x in n.
static foi_node factor(foi_graph *g, foi_node n, foi_node x)
{
    foi_graph_node p = g->nodes[n];
    bool minus = p.op == FOI_G_NEGATE;
    foi_node by = minus ? foi_negate(g, x) : x;
    if (minus) p = g->nodes[p.a];
    if (p.op != FOI_G_MULTIPLY) return FOI_NO_NODE;
    return p.a == by ? p.b : p.b == by ? p.a : FOI_NO_NODE;
}

static bool read_side(foi_equations *e, foi_node side, foi_node other, semi *out)
{
    foi_graph *g = &e->g;
    const foi_graph_node n = g->nodes[other];
    if (n.op != FOI_G_IF) return false;
    foi_op op = (foi_op)g->nodes[n.a].op;
    foi_node left = g->nodes[n.a].a, right = g->nodes[n.a].b;
    if (foi_is_leaf(g, n.a, FOI_LEAF_HELD)) {
        const foi_relation *r = &e->relations[g->nodes[n.a].b];
        op = r->op, left = r->left, right = r->right;
    }
    if (op != FOI_G_GREATER_EQUAL || !foi_is_number(g, right, 0)) return false;
    *out = (semi){side, left, factor(g, n.b, left), factor(g, n.c, left), n.a};
    return out->a != FOI_NO_NODE && out->b != FOI_NO_NODE;
}

static uint32_t variable_in(const foi_graph *g, foi_node side)
{
    if (g->nodes[side].op == FOI_G_NEGATE) side = g->nodes[side].a;
    return foi_is_leaf(g, side, FOI_LEAF_VARIABLE) ? g->nodes[side].b : FOI_NOTHING;
}

static bool read_semi(foi_equations *e, const foi_equation *q, semi *out)
{
    if (q->removed || q->assigns != FOI_NOTHING || q->initial != FOI_NO_NODE) return false;
    return read_side(e, q->left, q->right, out) || read_side(e, q->right, q->left, out);
}

// The second in terms of the first's x and side: semiLinear(-x, a, b) = -semiLinear(x, b, a).
static bool align(foi_graph *g, const semi *first, semi *second)
{
    bool minus = second->x != first->x;
    foi_node x = minus ? foi_negate(g, first->x) : first->x;
    foi_node side = minus ? foi_negate(g, first->side) : first->side;
    if (second->x != x || second->side != side) return false;
    if (minus) *second = (semi){first->side, first->x, second->b, second->a, first->when};
    return true;
}

static bool is_unknown(const foi_equations *e, foi_node n)
{
    return foi_is_leaf(&e->g, n, FOI_LEAF_VARIABLE) &&
           e->variables[e->g.nodes[n].b].role == FOI_ROLE_CONTINUOUS;
}

static void join(foi_equations *e, const semi *p, const semi *q, foi_equation *flow,
                 foi_equation *between)
{
    foi_graph *g = &e->g;
    flow->left = p->side;
    flow->right =
        foi_make(g, FOI_G_IF, p->when, foi_multiply(g, p->x, p->a), foi_multiply(g, p->x, q->b));
    between->left = p->b;
    between->right = foi_make(g, FOI_G_IF, p->when, p->a, q->b);
}

// One pass: the first equation of each side with those that continue it.
static bool join_some(foi_equations *e, uint32_t *first)
{
    bool any = false;
    for (uint32_t i = 0; i < e->equation_count; i++) {
        semi p, q;
        if (!read_semi(e, &e->equations[i], &q)) continue;
        uint32_t v = variable_in(&e->g, q.side);
        if (v == FOI_NOTHING || first[v] == i + 1) continue;
        if (!first[v]) {
            first[v] = i + 1; // 0: none yet
            continue;
        }
        foi_equation *one = &e->equations[first[v] - 1], *two = &e->equations[i];
        if (!read_semi(e, one, &p) || !align(&e->g, &p, &q)) continue;
        bool forward = p.b == q.a && is_unknown(e, p.b);
        if (!forward && !(q.b == p.a && is_unknown(e, q.b))) continue;
        any = true;
        if (forward)
            join(e, &p, &q, one, two);
        else
            join(e, &q, &p, one, two);
    }
    return any;
}

fo_status foi_join_semilinear(foi_equations *e)
{
    uint32_t *first = foi_new(e->allocator, e->variable_count, sizeof *first);
    if (!first) return foi_equations_no_memory(e);
    for (int passes = 0; passes < 64 && join_some(e, first); passes++) {
    } // chains of volumes
    foi_free(e->allocator, first);
    return e->g.failed ? foi_equations_no_memory(e) : FO_OK;
}
