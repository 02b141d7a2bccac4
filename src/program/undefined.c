/// What can be undefined. First, which outputs: where something that flows is divided by, or is the
/// argument of a function that is not defined everywhere. They are looked at after every step.
///
/// A bound from below is known for squares, absolute values, roots and exponentials and for sums
/// and products of them: 1 / (1 + x^2) is defined everywhere.
///
/// Second, relations inside of noEvent: one that compares what is not a number is neither true nor
/// false, while comparing doubles says false. So there are checks: expressions that are true where
/// something of the flow rests on such a relation. b(e), that e does, is
///
///     b(l < r)            = l <> l or r <> r or b(l) or b(r)
///     b(p and q)          = b(p) and (b(q) or q)  or  b(q) and (b(p) or p)
///     b(p or q)           = b(p) and (b(q) or not q)  or  b(q) and (b(p) or not p)
///     b(if c then u else v) = b(c) or (if c then b(u) else b(v))
///
/// and true for any other operation where it is for an argument. So `x > 1 and sqrt(x - 1) < 2` is
/// false where x is below 1, as it should be. They are looked at together with the outputs.
#include <math.h>
#include <string.h>

#include "program/undefined.h"

static bool leaf_moves(uint32_t kind)
{
    return kind == FOI_LEAF_TIME || kind == FOI_LEAF_STATE || kind == FOI_LEAF_DELAYED ||
           kind == FOI_LEAF_SOLVED || kind == FOI_LEAF_RATE || kind == FOI_LEAF_INPUT;
}

// Whether it needs more than one run over the flow's own leaves.
static bool leaf_is_hidden(uint32_t kind)
{
    switch ((foi_leaf)kind) {
    case FOI_LEAF_TIME:
    case FOI_LEAF_STATE:
    case FOI_LEAF_DISCRETE:
    case FOI_LEAF_INPUT:
    case FOI_LEAF_PARAMETER:
    case FOI_LEAF_HELD: return false;
    default: return true;
    }
}

// An even power has no sign; that of something positive is positive.
static foi_at_least least_of_power(const foi_graph *g, const foi_graph_node *x, foi_at_least a)
{
    if (a == FOI_POSITIVE || g->nodes[x->b].op != FOI_G_CONSTANT) return a;
    double half = foi_constant_value(g, x->b) / 2;
    return a == FOI_NOT_NEGATIVE || half == foi_floor(half) ? FOI_NOT_NEGATIVE : FOI_ANYTHING;
}

static foi_at_least least_of(const foi_graph *g, foi_node n, const foi_about *all)
{
    const foi_graph_node *x = &g->nodes[n];
    if (x->op == FOI_G_CONSTANT) {
        double c = foi_constant_value(g, n);
        return c > 0 ? FOI_POSITIVE : c == 0 ? FOI_NOT_NEGATIVE : FOI_ANYTHING;
    }
    if (x->op == FOI_G_LEAF) return FOI_ANYTHING;
    foi_at_least a = all[x->a].least,
                 b = foi_op_arity((foi_op)x->op) > 1 ? all[x->b].least : FOI_ANYTHING;
    switch ((foi_op)x->op) {
    case FOI_G_EXP:
    case FOI_G_COSH: return FOI_POSITIVE;
    case FOI_G_ABS: return a == FOI_POSITIVE ? FOI_POSITIVE : FOI_NOT_NEGATIVE;
    case FOI_G_SQRT: return a == FOI_POSITIVE ? FOI_POSITIVE : FOI_NOT_NEGATIVE;
    case FOI_G_ADD: return !a || !b ? FOI_ANYTHING : a > b ? a : b;
    case FOI_G_MULTIPLY:
        if (x->a == x->b && a != FOI_POSITIVE) return FOI_NOT_NEGATIVE;
        return a < b ? a : b;
    case FOI_G_DIVIDE: return a && b == FOI_POSITIVE ? a : FOI_ANYTHING;
    case FOI_G_MAX: return a > b ? a : b;
    case FOI_G_MIN: return a < b ? a : b;
    case FOI_G_POWER: return least_of_power(g, x, a);
    case FOI_G_IF: return b < (foi_at_least)all[x->c].least ? b : (foi_at_least)all[x->c].least;
    default: return FOI_ANYTHING;
    }
}

static bool fails_itself(const foi_graph *g, foi_node n, const foi_about *all)
{
    const foi_graph_node *x = &g->nodes[n];
    if (x->op <= FOI_G_LEAF) return false;
    const foi_about *a = &all[x->a];
    const foi_about *b = foi_op_arity((foi_op)x->op) > 1 ? &all[x->b] : NULL;
    switch ((foi_op)x->op) {
    case FOI_G_DIVIDE:
    case FOI_G_MOD:
    case FOI_G_REM:
    case FOI_G_QUOTIENT: return b->moves && b->least != FOI_POSITIVE;
    case FOI_G_SQRT: return a->moves && a->least == FOI_ANYTHING;
    case FOI_G_LOG:
    case FOI_G_LOG10: return a->moves && a->least != FOI_POSITIVE;
    case FOI_G_ASIN:
    case FOI_G_ACOS:
    case FOI_G_TAN: return a->moves;
    case FOI_G_POWER: return (a->moves || b->moves) && a->least != FOI_POSITIVE;
    default: return false;
    }
}

// All but quotients and poles: undefined on stretches, which steps may pass over.
static bool leaves_itself(const foi_graph *g, foi_node n, const foi_about *all)
{
    const foi_graph_node *x = &g->nodes[n];
    switch ((foi_op)x->op) {
    case FOI_G_SQRT:
    case FOI_G_LOG:
    case FOI_G_LOG10:
    case FOI_G_ASIN:
    case FOI_G_ACOS:
    case FOI_G_POWER: break;
    default: return false;
    }
    if (x->op == FOI_G_POWER && g->nodes[x->b].op == FOI_G_CONSTANT) {
        double b = foi_constant_value(g, x->b);
        if (b == foi_floor(b)) return false;
    }
    return all[x->a].least == FOI_ANYTHING && fails_itself(g, n, all);
}

// A quotient, a tangent, a power whose exponent may be negative.
static bool has_pole_itself(const foi_graph *g, foi_node n, const foi_about *all)
{
    const foi_graph_node *x = &g->nodes[n];
    bool pole = x->op == FOI_G_DIVIDE || x->op == FOI_G_TAN || x->op == FOI_G_POWER;
    if (x->op == FOI_G_POWER && g->nodes[x->b].op == FOI_G_CONSTANT)
        pole = foi_constant_value(g, x->b) < 0;
    return pole && fails_itself(g, n, all);
}

// Some of what is reached from the outputs; the graph's order is one of evaluation. `every`: also
// what does not change between moments counts as moving.
static void look_at(const foi_graph *g, foi_about *all, bool every)
{
    for (size_t i = 0; i < g->list_count; i++) {
        foi_node n = g->list[i];
        const foi_graph_node *x = &g->nodes[n];
        const uint32_t arguments[3] = {x->a, x->b, x->c};
        foi_about *me = &all[n];
        me->moves = x->op == FOI_G_LEAF && (every || leaf_moves(x->a));
        me->fails = fails_itself(g, n, all);
        me->leaves = leaves_itself(g, n, all);
        me->pole = me->poles = has_pole_itself(g, n, all);
        me->hidden = x->op == FOI_G_LEAF ? leaf_is_hidden(x->a) : x->op == FOI_G_OUTSIDE;
        me->states = me->moves && x->a != FOI_LEAF_TIME;
        me->times = me->poles && !all[x->op == FOI_G_DIVIDE ? x->b : x->a].states;
        me->least = (uint8_t)least_of(g, n, all);
        for (uint32_t k = 0; k < foi_op_arity((foi_op)x->op); k++) {
            me->moves |= all[arguments[k]].moves;
            me->fails |= all[arguments[k]].fails;
            me->leaves |= all[arguments[k]].leaves;
            me->poles |= all[arguments[k]].poles;
            me->states |= all[arguments[k]].states;
            me->hidden |= all[arguments[k]].hidden;
            me->times |= all[arguments[k]].times;
        }
    }
}

void foi_look_at(const foi_graph *g, foi_about *all)
{
    look_at(g, all, false);
}

// ------------------------------------------------------------------------------------- relations

// The sign of what is not a number is 0, for neither of its relations is true.
static bool is_relation(uint32_t op)
{
    return (op >= FOI_G_LESS && op <= FOI_G_NOT_EQUAL) || op == FOI_G_SIGN;
}

static foi_node either(foi_graph *g, foi_node a, foi_node b)
{
    return foi_make(g, FOI_G_OR, a, b, 0);
}

static foi_node both(foi_graph *g, foi_node a, foi_node b)
{
    return foi_make(g, FOI_G_AND, a, b, 0);
}

static foi_node is_nan(foi_graph *g, foi_node n, const foi_about *all)
{
    return all[n].fails ? foi_make(g, FOI_G_NOT_EQUAL, n, n, 0) : 0;
}

static foi_node compares_nan(foi_graph *g, const foi_graph_node *x, const foi_about *all)
{
    foi_node left = is_nan(g, x->a, all);
    return foi_op_arity((foi_op)x->op) > 1 ? either(g, left, is_nan(g, x->b, all)) : left;
}

// Of p and q, where p is worth `if_p` to q's doubt, and q to p's.
static foi_node rests_on_one(foi_graph *g, foi_node p, foi_node q, foi_node if_p, foi_node if_q)
{
    return either(g, both(g, p, either(g, q, if_q)), both(g, q, either(g, p, if_p)));
}

// What relation r compares, where nothing of that flows: nobody watches it then.
static foi_node standing_guard(const foi_plan *p, uint32_t r, const foi_about *all)
{
    foi_node guard = p->guards[r];
    bool stands = guard != FOI_NO_NODE && p->e->relations[r].op != FOI_G_FLOOR;
    return stands && !all[guard].flows ? guard : 0;
}

// b(n), given b of its arguments; 0, the constant, where it never is.
static foi_node doubt_of(foi_plan *p, foi_node n, const foi_about *all, const foi_node *doubt)
{
    foi_graph *g = &p->e->g;
    const foi_graph_node x = g->nodes[n]; // making nodes may move them
    uint32_t arity = foi_op_arity((foi_op)x.op);
    if (foi_is_leaf(g, n, FOI_LEAF_HELD)) return is_nan(g, standing_guard(p, x.b, all), all);
    if (!arity) return 0;
    foi_node a = doubt[x.a], b = arity > 1 ? doubt[x.b] : 0, c = arity > 2 ? doubt[x.c] : 0;
    if (is_relation(x.op)) return either(g, compares_nan(g, &x, all), either(g, a, b));
    if (!a && !b && !c) return 0;
    switch ((foi_op)x.op) {
    case FOI_G_AND: return rests_on_one(g, a, b, x.a, x.b);
    case FOI_G_OR:
        return rests_on_one(g, a, b, foi_make(g, FOI_G_NOT, x.a, 0, 0),
                            foi_make(g, FOI_G_NOT, x.b, 0, 0));
    case FOI_G_IF: return either(g, a, foi_make(g, FOI_G_IF, x.a, b, c));
    default: return either(g, either(g, a, b), c);
    }
}

/// Roots of the flow: rates, outputs, guards and what is delayed.
static foi_node *roots_of(const foi_plan *p, size_t *count)
{
    size_t guards = p->e->relation_count;
    foi_node *list =
        foi_new(p->e->allocator, p->state_count + p->output_count + guards + p->e->delay_count,
                sizeof *list);
    if (!list) return NULL;
    for (uint32_t i = 0; i < p->state_count; i++) list[(*count)++] = p->rates[i];
    for (uint32_t i = 0; i < p->output_count; i++) list[(*count)++] = p->output[i];
    for (size_t i = 0; i < guards; i++)
        if (p->guards[i] != FOI_NO_NODE) list[(*count)++] = p->guards[i];
    for (size_t i = 0; i < p->e->delay_count; i++) list[(*count)++] = p->delay_of[i];
    return list;
}

static const char *leaf_name(void *self, const foi_graph *g, foi_node leaf)
{
    const foi_plan *p = self;
    uint32_t index = g->nodes[leaf].b;
    switch ((foi_leaf)g->nodes[leaf].a) {
    case FOI_LEAF_TIME: return "time";
    case FOI_LEAF_STATE: return foi_variable_name(p->e, p->states[index]);
    case FOI_LEAF_DISCRETE: return foi_variable_name(p->e, p->discretes[index]);
    case FOI_LEAF_INPUT: return foi_variable_name(p->e, p->inputs[index]);
    case FOI_LEAF_PARAMETER: return foi_variable_name(p->e, p->parameters[index]);
    case FOI_LEAF_SOLVED: return foi_variable_name(p->e, p->unknowns[index].variable);
    default: return "...";
    }
}

// The relations that may compare what is no number, with their texts, behind the check of all.
static fo_status name_checks(foi_program *g, foi_plan *p, const foi_node *list, size_t count,
                             const foi_about *all)
{
    foi_graph *graph = &p->e->g;
    for (size_t i = 0; i < count; i++) {
        const foi_graph_node x = graph->nodes[list[i]];
        if (!is_relation(x.op)) continue;
        foi_node bad = compares_nan(graph, &x, all);
        if (!bad) continue;
        char text[200];
        foi_graph_print(graph, list[i], leaf_name, p, text, sizeof text);
        g->check[g->checks] = bad;
        g->check_text[g->checks++] = foi_arena_print(&g->arena, "%s", text);
    }
    for (uint32_t r = 0; r < p->e->relation_count; r++) {
        foi_node guard = standing_guard(p, r, all), bad = is_nan(graph, guard, all);
        if (!bad) continue;
        const foi_graph_node x = graph->nodes[guard];
        bool two = x.op == FOI_G_SUBTRACT;
        foi_node relation = foi_make(graph, (foi_op)p->e->relations[r].op, two ? x.a : guard,
                                     two ? x.b : foi_constant(graph, 0), 0);
        char text[200];
        foi_graph_print(graph, relation, leaf_name, p, text, sizeof text);
        g->check[g->checks] = bad;
        g->check_text[g->checks++] = foi_arena_print(&g->arena, "%s", text);
    }
    return graph->failed || g->arena.failed ? foi_equations_no_memory(p->e) : FO_OK;
}

static size_t count_relations(const foi_graph *g, const foi_node *list, size_t count)
{
    size_t relations = 0;
    for (size_t i = 0; i < count; i++) relations += is_relation(g->nodes[list[i]].op);
    return relations;
}

// b of all that was reached last, per node; NULL without memory.
static foi_node *doubts(foi_plan *p, const foi_about *all)
{
    foi_graph *graph = &p->e->g;
    size_t count = graph->list_count;
    foi_node *doubt = foi_new(p->e->allocator, graph->count, sizeof *doubt);
    for (size_t i = 0; i < count && doubt; i++)
        doubt[graph->list[i]] = doubt_of(p, graph->list[i], all, doubt);
    return doubt;
}

// `list` is what is reached from the roots, in the order of evaluation.
static fo_status make_checks(foi_program *g, foi_plan *p, const foi_node *roots, size_t root_count,
                             const foi_about *all)
{
    foi_graph *graph = &p->e->g;
    size_t count = graph->list_count, most = count_relations(graph, graph->list, count);
    most += p->e->relation_count;
    if (!most) return FO_OK;
    foi_node *doubt = doubts(p, all);
    g->check = foi_arena_new(&g->arena, most + 1, sizeof *g->check);
    g->check_text = foi_arena_new(&g->arena, most + 1, sizeof *g->check_text);
    fo_status status = doubt && !g->arena.failed ? FO_OK : foi_equations_no_memory(p->e);
    foi_node any = 0;
    for (size_t i = 0; i < root_count && status == FO_OK; i++)
        any = either(graph, any, doubt[roots[i]]);
    if (status == FO_OK && any) {
        g->check[g->checks++] = any;
        status = name_checks(g, p, graph->list, count, all);
    }
    foi_free(p->e->allocator, doubt);
    return status;
}

// ---------------------------------------------------------------------------------------- moments
//
// What moments and the start compute is looked at when it is there: a value that rests on such a
// relation is not a number itself.

static bool doubt_list(foi_plan *p, foi_node *list, size_t count)
{
    foi_graph *graph = &p->e->g;
    foi_about *all = foi_new(p->e->allocator, graph->count, sizeof *all);
    bool good = all && foi_graph_reach(graph, list, count);
    foi_node *doubt = NULL;
    if (good) look_at(graph, all, true);
    for (size_t i = 0; good && i < graph->list_count; i++) all[graph->list[i]].flows = true;
    if (good && count_relations(graph, graph->list, graph->list_count)) {
        doubt = doubts(p, all);
        good = doubt;
    }
    for (size_t i = 0; good && doubt && i < count; i++) {
        if (list[i] == FOI_NO_NODE || !doubt[list[i]]) continue;
        foi_node nan = foi_constant(graph, NAN);
        list[i] = foi_make(graph, FOI_G_IF, doubt[list[i]], nan, list[i]);
    }
    foi_free(p->e->allocator, doubt);
    foi_free(p->e->allocator, all);
    return good && !graph->failed;
}

fo_status foi_program_doubt_moments(foi_plan *p)
{
    bool good = doubt_list(p, p->next, p->discrete_count) &&
                doubt_list(p, p->value, p->e->action_count) &&
                doubt_list(p, p->first_state, p->state_count) &&
                doubt_list(p, p->first_discrete, p->discrete_count) &&
                doubt_list(p, p->first_value, p->e->action_count);
    return good ? FO_OK : foi_equations_no_memory(p->e);
}

// The rates that can go to infinity, for messages.
static fo_status print_rates(foi_program *g, foi_plan *p, const foi_about *all)
{
    g->rate_text = foi_arena_new(&g->arena, p->state_count, sizeof *g->rate_text);
    for (uint32_t i = 0; g->rate_text && i < p->state_count; i++) {
        char text[200];
        if (!all[p->rates[i]].poles) continue;
        foi_graph_print(&p->e->g, p->rates[i], leaf_name, p, text, sizeof text);
        g->rate_text[i] = foi_arena_print(&g->arena, "`der(%s) = %s`",
                                          foi_variable_name(p->e, p->states[i]), text);
    }
    return g->arena.failed ? foi_equations_no_memory(p->e) : FO_OK;
}

fo_status foi_program_find_domains(foi_program *g, foi_plan *p)
{
    size_t count = 0;
    foi_node *roots = roots_of(p, &count);
    foi_about *all = foi_new(p->e->allocator, p->e->g.count, sizeof *all);
    bool good = roots && all && foi_graph_reach(&p->e->g, roots, count);
    if (good) foi_look_at(&p->e->g, all);
    for (size_t i = 0; good && i < (size_t)p->state_count + p->output_count; i++) {
        g->leaves_domains |= all[roots[i]].leaves;
        if (i < p->state_count)
            g->rate_poles |= all[roots[i]].times; // those of states would cost every quotient
        else
            g->output_poles |= all[roots[i]].poles;
    }
    fo_status status = good ? FO_OK : foi_equations_no_memory(p->e);
    if (good && p->states) status = print_rates(g, p, all);
    foi_free(p->e->allocator, roots);
    foi_free(p->e->allocator, all);
    return status;
}

// How many relations may be in doubt. Those of something that flows are looked at after every step,
// the others, of parameters and discretes, at the start and after each moment.
static size_t doubtful_relations(const foi_graph *g, const foi_about *all)
{
    size_t count = 0;
    for (size_t i = 0; i < g->list_count; i++) {
        const foi_graph_node *x = &g->nodes[g->list[i]];
        if (!is_relation(x->op)) continue;
        count += all[x->a].fails || (foi_op_arity((foi_op)x->op) > 1 && all[x->b].fails);
    }
    return count;
}

fo_status foi_program_find_checks(foi_program *g, foi_plan *p)
{
    size_t count = 0, nodes = p->e->g.count;
    foi_node *roots = roots_of(p, &count);
    foi_about *all = foi_new(p->e->allocator, nodes, sizeof *all);
    bool good = roots && all && foi_graph_reach(&p->e->g, roots, count);
    if (good) look_at(&p->e->g, all, false);
    size_t flowing = good ? doubtful_relations(&p->e->g, all) : 0;
    for (size_t i = 0; good && i < nodes; i++) all[i] = (foi_about){.flows = all[i].moves};
    if (good) look_at(&p->e->g, all, true);
    fo_status status = good ? make_checks(g, p, roots, count, all) : foi_equations_no_memory(p->e);
    g->about.outputs_fail |= flowing > 0 && g->checks > 0;
    g->checks_stand = g->checks > flowing + 1;
    foi_free(p->e->allocator, roots);
    foi_free(p->e->allocator, all);
    return status;
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

static fo_status describe_all(foi_program *g, foi_plan *p, const foi_about *all)
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
    foi_about *all = foi_new(e->allocator, e->g.count, sizeof *all);
    bool good = g->output_text && all && foi_graph_reach(&e->g, p->output, p->output_count);
    if (good) foi_look_at(&e->g, all);
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
    bool rate = which.quantity == FO_STATE && g->rate_text;
    uint32_t count = rate ? g->about.states.count : g->about.outputs.count;
    if ((!rate && which.quantity != FO_OUTPUT) || which.index >= count) return NULL;
    const char *found = rate ? g->rate_text[which.index] : g->output_text[which.index];
    if (!found || strlen(found) >= size) return NULL;
    return strcpy(text, found);
}
