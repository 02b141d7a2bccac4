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

static bool is_sum(const foi_graph *g, foi_node n)
{
    return g->nodes[n].op == FOI_G_ADD || g->nodes[n].op == FOI_G_SUBTRACT;
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

// ------------------------------------------------------------------------------------- junctions
//
// Where three or more streams meet in a point with h,
//     y_i = semiLinear(x_i, h, s_i),   y_1 + ... + y_n = 0,
// with x_i what flows out of the point into volume i. The sum is h X + S = 0 with
//     X = sum of x_i over x_i >= 0,   S = sum of x_i s_i over x_i < 0,
// and h = -S / X the mean of what flows in. Where nothing flows X = S = 0, and every h solves it:
// then it is the mean of the s_i, which is what inStream gives there (Modelica 3.6, section 15.2).

enum { MOST_STREAMS = 16 };

typedef struct junction {
    semi streams[MOST_STREAMS]; ///< side = semiLinear(x, h, s), a is h
    uint32_t count;
} junction;

// The terms of a sum that is zero, each as +v or -v; false: it is something else.
static bool read_terms(const foi_graph *g, foi_node n, bool minus, foi_node *terms, bool *signs,
                       uint32_t *count)
{
    const foi_graph_node x = g->nodes[n];
    if (x.op == FOI_G_NEGATE) return read_terms(g, x.a, !minus, terms, signs, count);
    if (x.op == FOI_G_ADD || x.op == FOI_G_SUBTRACT)
        return *count < MOST_STREAMS && read_terms(g, x.a, minus, terms, signs, count) &&
               read_terms(g, x.b, minus ^ (x.op == FOI_G_SUBTRACT), terms, signs, count);
    if (!foi_is_leaf(g, n, FOI_LEAF_VARIABLE) || *count == MOST_STREAMS) return false;
    terms[*count] = n, signs[(*count)++] = minus;
    return true;
}

// The stream whose side is this term, turned so that its side counts positive and a is h;
// FOI_NO_NODE for h: the first stream decides.
static bool find_stream(foi_equations *e, const uint32_t *first, foi_node term, bool minus,
                        foi_node *h, semi *out)
{
    foi_graph *g = &e->g;
    uint32_t at = first[g->nodes[term].b];
    semi p;
    if (!at || !read_semi(e, &e->equations[at - 1], &p)) return false;
    bool turned = (p.side != term) ^ minus; // -semiLinear(x, a, b) = semiLinear(-x, b, a)
    *out = p;
    if (turned)
        *out = (semi){p.side, foi_negate(g, p.x), p.b, p.a, foi_make(g, FOI_G_NOT, p.when, 0, 0)};
    if (*h == FOI_NO_NODE) {
        *h = out->a;
        return is_unknown(e, *h);
    }
    return out->a == *h;
}

static bool read_junction(foi_equations *e, const foi_equation *q, const uint32_t *first,
                          junction *j)
{
    foi_graph *g = &e->g;
    foi_node terms[MOST_STREAMS], h = FOI_NO_NODE;
    bool signs[MOST_STREAMS];
    uint32_t count = 0;
    if (q->removed || q->assigns != FOI_NOTHING || q->initial != FOI_NO_NODE) return false;
    if (!foi_is_number(g, q->right, 0) || !is_sum(g, q->left)) return false;
    if (!read_terms(g, q->left, false, terms, signs, &count) || count < 3) return false;
    for (j->count = 0; j->count < count; j->count++) {
        semi *s = &j->streams[j->count];
        if (!find_stream(e, first, terms[j->count], signs[j->count], &h, s)) return false;
        if (s->b == h) return false;
    }
    return true;
}

static void mix(foi_equations *e, const junction *j, foi_equation *q)
{
    foi_graph *g = &e->g;
    foi_node zero = foi_constant(g, 0), out = zero, in = zero, mean = zero;
    for (uint32_t i = 0; i < j->count; i++) {
        const semi *s = &j->streams[i];
        out = foi_add(g, out, foi_make(g, FOI_G_IF, s->when, s->x, zero));
        in = foi_add(g, in, foi_make(g, FOI_G_IF, s->when, zero, foi_multiply(g, s->x, s->b)));
        mean = foi_add(g, mean, s->b);
    }
    mean = foi_multiply(g, mean, foi_constant(g, 1.0 / j->count));
    foi_node mixed = foi_negate(g, foi_make(g, FOI_G_DIVIDE, in, out, 0));
    q->left = j->streams[0].a;
    q->right = foi_make(g, FOI_G_IF, foi_make(g, FOI_G_GREATER, out, zero, 0), mixed, mean);
}

// `first` has the first stream of each side, from the last pass.
static void mix_all(foi_equations *e, const uint32_t *first)
{
    for (size_t i = 0; i < e->equation_count; i++) {
        junction j;
        if (read_junction(e, &e->equations[i], first, &j)) mix(e, &j, &e->equations[i]);
    }
}

fo_status foi_join_semilinear(foi_equations *e)
{
    uint32_t *first = foi_new(e->allocator, e->variable_count, sizeof *first);
    if (!first) return foi_equations_no_memory(e);
    for (int passes = 0; passes < 64 && join_some(e, first); passes++) {
    } // chains of volumes
    mix_all(e, first);
    foi_free(e->allocator, first);
    return e->g.failed ? foi_equations_no_memory(e) : FO_OK;
}
