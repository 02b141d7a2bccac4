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

// All of the first `count` nodes, and cosines that were made behind them.
static void mark(foi_graph *g, const foi_about *all, size_t count, const foi_node *list,
                 size_t list_count, bool *zero)
{
    for (size_t i = 0; i < list_count; i++) {
        if (all[list[i]].pole) zero[divisor_of(g, list[i])] = true;
    }
    for (size_t n = count; n-- > 0;)
        if (zero[n]) take_apart(g, (foi_node)n, all, zero);
}

static bool is_divisor(const foi_about *all, size_t count, size_t n)
{
    return n >= count || !all[n].hidden;
}

static fo_status keep(foi_program *g, foi_plan *p, const foi_about *all, size_t count,
                      const bool *zero)
{
    size_t found = 0, nodes = p->e->g.count;
    for (size_t n = 0; n < nodes; n++) found += zero[n] && is_divisor(all, count, n);
    g->divisor = foi_arena_new(&g->arena, found, sizeof *g->divisor);
    if (g->arena.failed) return foi_equations_no_memory(p->e);
    for (size_t n = 0; n < nodes; n++)
        if (zero[n] && is_divisor(all, count, n)) g->divisor[g->divisors++] = (foi_node)n;
    return FO_OK;
}

// `tan(s)` of a loop's solution: its cosine is hidden, too.
static bool has_shown(const foi_graph *g, const foi_about *all, foi_node n)
{
    return all[n].pole && (g->nodes[n].op != FOI_G_TAN || !all[g->nodes[n].a].hidden);
}

fo_status foi_program_find_divisors(foi_program *g, foi_plan *p)
{
    foi_graph *graph = &p->e->g;
    const fo_allocator *a = p->e->allocator;
    size_t count = graph->count, most = 2 * count; // a cosine for each tangent
    foi_about *all = foi_new(a, count, sizeof *all);
    bool *zero = foi_new(a, most, sizeof *zero);
    bool good = all && zero && foi_graph_reach(graph, p->rates, p->state_count);
    if (good) foi_look_at(graph, all);
    size_t listed = good ? graph->list_count : 0;
    for (size_t i = 0; i < listed; i++)
        all[graph->list[i]].pole = has_shown(graph, all, graph->list[i]);
    mark(graph, all, count, graph->list, listed, zero);
    fo_status status =
        good && !graph->failed ? keep(g, p, all, count, zero) : foi_equations_no_memory(p->e);
    foi_free(a, all);
    foi_free(a, zero);
    return status;
}

fo_status foi_program_divisors(const void *model, const fo_state *s, double t, const double *x,
                               double *values)
{
    return foi_program_flow(model, s, FOI_TASK_DIVISORS, t, x, values);
}
