/// What rates divide by: numbers that pass zero where a rate may go to infinity.
///
/// A quotient goes there where its divisor is zero, a tangent where the cosine is, a power whose
/// exponent may be negative where its base is. A product is zero where a factor is, a root, a power
/// or an absolute value where its argument is: so 1/(x - 1)^2 has the divisor x - 1, which changes
/// its sign. What is positive everywhere (1 + x^2) is none.
///
/// A solution of linear equations goes there where their determinant is zero: that of small loops
/// is a divisor like the others.
///
/// They are computed after every step (simulation/divisor.c). What depends on a loop, a delay or a
/// function from outside is left out, and so are determinants that are long.
#include <string.h>

#include "program/undefined.h"

// What is zero where node n is infinite.
static foi_node divisor_of(foi_graph *g, foi_node n)
{
    const foi_graph_node x = g->nodes[n]; // making nodes may move them
    if (x.op == FOI_G_TAN) return foi_make(g, FOI_G_COS, x.a, 0, 0);
    return x.op == FOI_G_DIVIDE ? x.b : x.a;
}

// Marks what n is zero by in its place. Arguments come before, so that one way down finds all.
static void take_apart(const foi_graph *g, foi_node n, const foi_about *all, bool *zero)
{
    const foi_graph_node *x = &g->nodes[n];
    bool product = x->op == FOI_G_MULTIPLY;
    switch ((foi_op)x->op) {
    case FOI_G_NEGATE:
    case FOI_G_ABS:
    case FOI_G_SQRT:
    case FOI_G_POWER:
    case FOI_G_DIVIDE:
    case FOI_G_MULTIPLY: break;
    default: return;
    }
    zero[n] = false;
    if (all[x->a].moves && all[x->a].least != FOI_POSITIVE) zero[x->a] = true;
    if (product && all[x->b].moves && all[x->b].least != FOI_POSITIVE) zero[x->b] = true;
}

/// What is found out of nodes: `count` of them were there, and cosines come behind.
typedef struct found {
    foi_about *all; ///< of those that were there
    bool *zero;     ///< per node: a rate may be infinite where it is zero
    size_t count, most;
} found;

static void mark(foi_graph *g, const found *f, const foi_node *determinant, size_t determinants)
{
    for (size_t k = 0; k < determinants; k++) {
        const foi_about *about = &f->all[determinant[k]];
        if (about->moves && about->least != FOI_POSITIVE) f->zero[determinant[k]] = true;
    }
    for (size_t i = 0, listed = g->list_count; i < listed; i++) {
        const foi_graph_node *x = &g->nodes[g->list[i]];
        bool hidden = x->op == FOI_G_TAN && f->all[x->a].hidden; // then its cosine is
        if (!f->all[g->list[i]].pole || hidden) continue;
        foi_node d = divisor_of(g, g->list[i]);
        if (d < f->most) f->zero[d] = true;
    }
    for (size_t n = f->count; n-- > 0;)
        if (f->zero[n]) take_apart(g, (foi_node)n, f->all, f->zero);
}

// ------------------------------------------------------------------------------------ loops

enum { SMALL_LOOP = 3, LONG = 100 }; ///< unknowns, and nodes of a determinant

static foi_node entry_of(const foi_loop *l, uint32_t row, uint32_t column)
{
    for (uint32_t k = l->start[column]; k < l->start[column + 1]; k++)
        if (l->row[k] == row) return l->entry[k];
    return FOI_NO_NODE;
}

// a b, where FOI_NO_NODE is zero.
static foi_node times(foi_graph *g, foi_node a, foi_node b)
{
    return a == FOI_NO_NODE || b == FOI_NO_NODE ? FOI_NO_NODE : foi_multiply(g, a, b);
}

static foi_node minus(foi_graph *g, foi_node a, foi_node b)
{
    if (b == FOI_NO_NODE) return a;
    return a == FOI_NO_NODE ? foi_make(g, FOI_G_NEGATE, b, 0, 0) : foi_subtract(g, a, b);
}

// Of the columns from `column` on and the rows in `rows`.
static foi_node determinant(foi_graph *g, const foi_loop *l, uint32_t column, unsigned rows)
{
    foi_node sum = FOI_NO_NODE;
    bool odd = false;
    for (uint32_t r = 0; r < l->count; r++) {
        if (!(rows >> r & 1)) continue;
        bool last = column + 1 == l->count;
        foi_node at = entry_of(l, r, column);
        if (last) return at;
        foi_node rest = determinant(g, l, column + 1, rows & ~(1u << r));
        foi_node term = times(g, at, rest);
        if (odd)
            sum = minus(g, sum, term);
        else if (term != FOI_NO_NODE)
            sum = sum == FOI_NO_NODE ? term : foi_add(g, sum, term);
        odd = !odd;
    }
    return sum;
}

// Marks the loops whose solutions are below the roots; false without memory.
static bool mark_loops(foi_plan *p, const foi_node *roots, size_t count, bool *used)
{
    foi_graph *g = &p->e->g;
    if (!foi_graph_reach(g, roots, count)) return false;
    for (size_t i = 0; i < g->list_count; i++)
        if (foi_is_leaf(g, g->list[i], FOI_LEAF_SOLVED))
            used[p->unknowns[g->nodes[g->list[i]].b].loop] = true;
    return true;
}

// The loops that the rates follow from, directly or through others, which come before them.
static bool find_loops(foi_plan *p, bool *used)
{
    bool good = mark_loops(p, p->rates, p->state_count, used);
    for (size_t k = p->loop_count; good && k-- > 0;)
        if (used[k]) good = mark_loops(p, p->loops[k].residual, p->loops[k].count, used);
    return good;
}

// Their determinants, of the small ones among them, to list[].
static bool find_determinants(foi_plan *p, foi_node *list, size_t *count)
{
    foi_graph *g = &p->e->g;
    bool *used = foi_new(p->e->allocator, p->loop_count, sizeof *used);
    bool good = used && find_loops(p, used);
    for (size_t k = 0; k < p->loop_count && good; k++) {
        const foi_loop *l = &p->loops[k];
        if (!used[k] || !l->linear || l->count > SMALL_LOOP) continue;
        foi_node d = determinant(g, l, 0, (1u << l->count) - 1);
        if (d == FOI_NO_NODE || foi_is_constant(g, d)) continue;
        good = foi_graph_reach(g, &d, 1);
        if (g->list_count <= LONG) list[(*count)++] = d;
    }
    foi_free(p->e->allocator, used);
    return good;
}

static bool is_divisor(const found *f, size_t n)
{
    return f->zero[n] && (n >= f->count || !f->all[n].hidden);
}

static fo_status keep(foi_program *g, foi_plan *p, const found *f)
{
    size_t number = 0, nodes = p->e->g.count < f->most ? p->e->g.count : f->most;
    for (size_t n = 0; n < nodes; n++) number += is_divisor(f, n);
    g->divisor = foi_arena_new(&g->arena, number, sizeof *g->divisor);
    if (g->arena.failed) return foi_equations_no_memory(p->e);
    for (size_t n = 0; n < nodes; n++)
        if (is_divisor(f, n)) g->divisor[g->divisors++] = (foi_node)n;
    return FO_OK;
}

// The rates and the determinants, in one list.
static bool find_roots(foi_plan *p, foi_node **roots, size_t *determinants)
{
    size_t n = p->state_count;
    *roots = foi_new(p->e->allocator, n + p->loop_count, sizeof **roots);
    if (!*roots) return false;
    if (n) memcpy(*roots, p->rates, n * sizeof **roots);
    return find_determinants(p, *roots + n, determinants);
}

fo_status foi_program_find_divisors(foi_program *g, foi_plan *p)
{
    foi_graph *graph = &p->e->g;
    const fo_allocator *a = p->e->allocator;
    foi_node *roots = NULL;
    size_t n = p->state_count, determinants = 0;
    bool good = find_roots(p, &roots, &determinants);
    found f = {.count = graph->count, .most = 2 * graph->count};
    f.all = foi_new(a, f.count, sizeof *f.all);
    f.zero = foi_new(a, f.most, sizeof *f.zero);
    good = good && f.all && f.zero && foi_graph_reach(graph, roots, n + determinants);
    if (good) {
        foi_look_at(graph, f.all);
        mark(graph, &f, roots + n, determinants);
    }
    good = good && !graph->failed;
    fo_status status = good ? keep(g, p, &f) : foi_equations_no_memory(p->e);
    foi_free(a, f.all);
    foi_free(a, f.zero);
    foi_free(a, roots);
    return status;
}

fo_status foi_program_divisors(const void *model, const fo_state *s, double t, const double *x,
                               double *values)
{
    return foi_program_flow(model, s, FOI_TASK_DIVISORS, t, x, values);
}
