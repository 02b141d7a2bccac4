/// What rates divide by: numbers that pass zero where a rate may go to infinity.
///
/// A quotient goes there where its divisor is zero, a tangent where the cosine is, a power whose
/// exponent may be negative where its base is. A product is zero where a factor is, a root, a power
/// or an absolute value where its argument is: so 1/(x - 1)^2 has the divisor x - 1, which changes
/// its sign. What is positive everywhere (1 + x^2) is none.
///
/// They are computed after every step (simulation/divisor.c). What depends on a loop, a delay or a
/// function from outside is left out.
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

static void mark(foi_graph *g, const found *f)
{
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

fo_status foi_program_find_divisors(foi_program *g, foi_plan *p)
{
    foi_graph *graph = &p->e->g;
    const fo_allocator *a = p->e->allocator;
    found f = {.count = graph->count, .most = 2 * graph->count};
    f.all = foi_new(a, f.count, sizeof *f.all);
    f.zero = foi_new(a, f.most, sizeof *f.zero);
    bool good = f.all && f.zero && foi_graph_reach(graph, p->rates, p->state_count);
    if (good) {
        foi_look_at(graph, f.all);
        mark(graph, &f);
    }
    good = good && !graph->failed;
    fo_status status = good ? keep(g, p, &f) : foi_equations_no_memory(p->e);
    foi_free(a, f.all);
    foi_free(a, f.zero);
    return status;
}

fo_status foi_program_divisors(const void *model, const fo_state *s, double t, const double *x,
                               double *values)
{
    return foi_program_flow(model, s, FOI_TASK_DIVISORS, t, x, values);
}
