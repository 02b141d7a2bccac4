/// Whether rates can change abruptly between moments. abs, min, max, sign and what stands in
/// noEvent are no events: their kinks and jumps lie inside of steps, where nobody looks for them. A
/// method notices what its stages meet. max(sin(time), 0) is zero for half a period, and from
/// nothing that flows a method concludes that it may take the longest of steps, over the other
/// half. So the length of its steps is limited where rates are like that (fo_description.abrupt).
#include "program/program.h"

static bool moves(uint32_t leaf)
{
    return leaf == FOI_LEAF_TIME || leaf == FOI_LEAF_STATE || leaf == FOI_LEAF_DELAYED ||
           leaf == FOI_LEAF_SOLVED || leaf == FOI_LEAF_UNKNOWN || leaf == FOI_LEAF_RATE;
}

static bool switches(uint32_t op)
{
    switch ((foi_op)op) {
    case FOI_G_ABS:
    case FOI_G_SIGN:
    case FOI_G_MIN:
    case FOI_G_MAX:
    case FOI_G_MOD:
    case FOI_G_REM:
    case FOI_G_QUOTIENT:
    case FOI_G_FLOOR:
    case FOI_G_CEIL:
    case FOI_G_ALONG:
    case FOI_G_AMONG: return true;
    default: return op >= FOI_G_LESS && op <= FOI_G_NOT_EQUAL;
    }
}

// v abs(v), the drag of fluids, has no kink, nor has c*v*abs(v) or v/c*abs(v).
static bool has_factor(const foi_graph *g, foi_node n, foi_node v)
{
    enum { DEEP = 32 };
    for (int depth = 0; depth < DEEP; depth++) {
        const foi_graph_node *x = &g->nodes[n];
        if (n == v) return true;
        if (x->op == FOI_G_MULTIPLY && x->b == v) return true;
        if (x->op != FOI_G_MULTIPLY && x->op != FOI_G_DIVIDE && x->op != FOI_G_NEGATE) return false;
        n = x->a;
    }
    return false;
}

static bool is_drag(const foi_graph *g, foi_node v, foi_node magnitude)
{
    return g->nodes[magnitude].op == FOI_G_ABS && has_factor(g, v, g->nodes[magnitude].a);
}

typedef struct about_node {
    bool moves;  ///< between moments
    bool abrupt; ///< something in it switches by what moves
} about_node;

static about_node about_of(const foi_graph *g, foi_node n, const about_node *all)
{
    const foi_graph_node *x = &g->nodes[n];
    const uint32_t arguments[3] = {x->a, x->b, x->c};
    about_node me = {.moves = x->op == FOI_G_LEAF && moves(x->a)};
    for (uint32_t k = 0; k < foi_op_arity((foi_op)x->op); k++) {
        about_node its = all[arguments[k]];
        me.moves |= its.moves;
        if (k == 1 && foi_is_held_rest(g, n)) its = all[g->nodes[arguments[k]].a];
        if (x->op == FOI_G_MULTIPLY && is_drag(g, arguments[1 - k], arguments[k]))
            its = all[g->nodes[arguments[k]].a];
        me.abrupt |= its.abrupt;
    }
    me.abrupt |= me.moves && switches(x->op);
    return me;
}

// Rates, and what loops solve for them.
static foi_node *roots_of(const foi_plan *p, size_t *count)
{
    size_t most = p->state_count;
    for (size_t i = 0; i < p->loop_count; i++) most += p->loops[i].count;
    foi_node *list = foi_new(p->e->allocator, most, sizeof *list);
    for (uint32_t i = 0; list && i < p->state_count; i++) list[(*count)++] = p->rates[i];
    for (size_t i = 0; list && i < p->loop_count; i++)
        for (uint32_t k = 0; k < p->loops[i].count && !p->loops[i].first_values; k++)
            list[(*count)++] = p->loops[i].residual[k];
    return list;
}

fo_status foi_program_find_abrupt(foi_program *g, foi_plan *p)
{
    size_t count = 0;
    if (!p->state_count) return FO_OK;
    foi_node *roots = roots_of(p, &count);
    const foi_graph *graph = &p->e->g;
    about_node *all = foi_new(p->e->allocator, graph->count, sizeof *all);
    bool good = roots && all && foi_graph_reach(&p->e->g, roots, count);
    for (size_t i = 0; good && i < graph->list_count; i++) // in the order of evaluation
        all[graph->list[i]] = about_of(graph, graph->list[i], all);
    for (size_t i = 0; good && i < count; i++) g->about.abrupt |= all[roots[i]].abrupt;
    foi_free(p->e->allocator, roots);
    foi_free(p->e->allocator, all);
    return good ? FO_OK : foi_equations_no_memory(p->e);
}
