/// Which outputs can be undefined: where something that flows is divided by, or is the argument of
/// a function that is not defined everywhere. They are looked at after every step.
///
/// A bound from below is known for squares, absolute values, roots and exponentials and for sums
/// and products of them: 1 / (1 + x^2) is defined everywhere.
#include <string.h>

#include "program/program.h"

typedef enum least {
    ANYTHING,
    NOT_NEGATIVE,
    POSITIVE,
} least;

typedef struct about_node {
    bool moves; ///< changes between moments
    bool fails; ///< something in it can be undefined
    uint8_t least;
} about_node;

static bool leaf_moves(uint32_t kind)
{
    return kind == FOI_LEAF_TIME || kind == FOI_LEAF_STATE || kind == FOI_LEAF_DELAYED ||
           kind == FOI_LEAF_SOLVED || kind == FOI_LEAF_RATE;
}

static least least_of(const foi_graph *g, foi_node n, const about_node *all)
{
    const foi_graph_node *x = &g->nodes[n];
    if (x->op == FOI_G_CONSTANT) {
        double c = foi_constant_value(g, n);
        return c > 0 ? POSITIVE : c == 0 ? NOT_NEGATIVE : ANYTHING;
    }
    if (x->op == FOI_G_LEAF) return ANYTHING;
    least a = all[x->a].least, b = foi_op_arity((foi_op)x->op) > 1 ? all[x->b].least : ANYTHING;
    switch ((foi_op)x->op) {
    case FOI_G_EXP:
    case FOI_G_COSH: return POSITIVE;
    case FOI_G_ABS: return a == POSITIVE ? POSITIVE : NOT_NEGATIVE;
    case FOI_G_SQRT: return a == POSITIVE ? POSITIVE : NOT_NEGATIVE;
    case FOI_G_ADD: return !a || !b ? ANYTHING : a > b ? a : b;
    case FOI_G_MULTIPLY:
        if (x->a == x->b && a != POSITIVE) return NOT_NEGATIVE;
        return a < b ? a : b;
    case FOI_G_DIVIDE: return a && b == POSITIVE ? a : ANYTHING;
    case FOI_G_MAX: return a > b ? a : b;
    case FOI_G_MIN: return a < b ? a : b;
    default: return ANYTHING;
    }
}

static bool fails_itself(const foi_graph *g, foi_node n, const about_node *all)
{
    const foi_graph_node *x = &g->nodes[n];
    if (x->op <= FOI_G_LEAF) return false;
    const about_node *a = &all[x->a];
    const about_node *b = foi_op_arity((foi_op)x->op) > 1 ? &all[x->b] : NULL;
    switch ((foi_op)x->op) {
    case FOI_G_DIVIDE:
    case FOI_G_MOD:
    case FOI_G_REM:
    case FOI_G_QUOTIENT: return b->moves && b->least != POSITIVE;
    case FOI_G_SQRT: return a->moves && a->least == ANYTHING;
    case FOI_G_LOG:
    case FOI_G_LOG10: return a->moves && a->least != POSITIVE;
    case FOI_G_ASIN:
    case FOI_G_ACOS:
    case FOI_G_TAN: return a->moves;
    case FOI_G_POWER: return (a->moves || b->moves) && a->least != POSITIVE;
    default: return false;
    }
}

// Some of what is reached from the outputs; the graph's order is one of evaluation.
static void look_at(const foi_graph *g, about_node *all)
{
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node n = g->list[i];
        const foi_graph_node *x = &g->nodes[n];
        const uint32_t arguments[3] = {x->a, x->b, x->c};
        about_node *me = &all[n];
        me->moves = x->op == FOI_G_LEAF && leaf_moves(x->a);
        me->fails = fails_itself(g, n, all);
        me->least = (uint8_t)least_of(g, n, all);
        for (uint32_t k = 0; k < foi_op_arity((foi_op)x->op); k++) {
            me->moves |= all[arguments[k]].moves;
            me->fails |= all[arguments[k]].fails;
        }
    }
}

// ------------------------------------------------------------------------------------ what it is

static void own(const foi_graph *g, uint32_t *owner, foi_node side, uint32_t equation)
{
    if (!foi_is_leaf(g, side, FOI_LEAF_VARIABLE)) return;
    uint32_t v = g->nodes[side].b;
    if (owner[v] == FOI_NOTHING) owner[v] = equation;
}

// Per variable: the equation that has it alone on one side. NULL without memory.
static uint32_t *find_owners(const foi_equations *e)
{
    uint32_t *owner = foi_new(e->allocator, e->variable_count, sizeof *owner);
    if (owner) memset(owner, 0xFF, e->variable_count * sizeof *owner);
    for (uint32_t i = 0; owner && i < e->equation_count; i++)
        if (!e->equations[i].removed) own(&e->g, owner, e->equations[i].left, i);
    for (uint32_t i = 0; owner && i < e->equation_count; i++)
        if (!e->equations[i].removed) own(&e->g, owner, e->equations[i].right, i);
    return owner;
}

static const char *describe(foi_program *g, foi_plan *p, const uint32_t *owner, uint32_t variable)
{
    foi_equations *e = p->e;
    char text[200], place[120];
    foi_node leaf = foi_variable_leaf(e, variable);
    if (e->g.nodes[leaf].op == FOI_G_NEGATE) leaf = e->g.nodes[leaf].a;
    uint32_t i = owner[e->g.nodes[leaf].b];
    if (i == FOI_NOTHING) return foi_arena_print(&g->arena, "`%s`", foi_variable_name(e, variable));
    const foi_equation *q = &e->equations[i];
    foi_equation turned = {.left = leaf, .right = q->left == leaf ? q->right : q->left};
    foi_equation_text(e, &turned, text, sizeof text);
    if (!q->place.line) return foi_arena_print(&g->arena, "`%s`", text);
    foi_place_name(e, q->place, place, sizeof place);
    return foi_arena_print(&g->arena, "`%s` (%s)", text, place);
}

static fo_status describe_all(foi_program *g, foi_plan *p, const about_node *all)
{
    uint32_t *owner = find_owners(p->e);
    for (uint32_t i = 0; owner && i < p->output_count; i++)
        if (all[p->output[i]].fails) g->output_text[i] = describe(g, p, owner, p->outputs[i]);
    foi_free(p->e->allocator, owner);
    return owner && !g->arena.failed ? FO_OK : foi_equations_no_memory(p->e);
}

fo_status foi_program_find_undefined(foi_program *g, foi_plan *p)
{
    foi_equations *e = p->e;
    g->output_text = foi_arena_new(&g->arena, p->output_count, sizeof *g->output_text);
    about_node *all = foi_new(e->allocator, e->g.count, sizeof *all);
    bool good = g->output_text && all && foi_graph_reach(&e->g, p->output, p->output_count);
    if (good) look_at(&e->g, all);
    for (uint32_t i = 0; good && i < p->output_count; i++)
        g->about.outputs_fail |= all[p->output[i]].fails;
    fo_status status = good ? FO_OK : foi_equations_no_memory(e);
    if (good && g->about.outputs_fail && p->outputs) status = describe_all(g, p, all);
    foi_free(e->allocator, all);
    return status;
}

const char *foi_program_expression(const void *model, fo_reference which, char *text, size_t size)
{
    const foi_program *g = model;
    if (which.quantity != FO_OUTPUT || which.index >= g->about.outputs.count) return NULL;
    const char *found = g->output_text[which.index];
    if (!found || strlen(found) >= size) return NULL;
    return strcpy(text, found);
}
