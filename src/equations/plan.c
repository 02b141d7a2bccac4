#include "equations/plan.h"

#include <string.h>

// ------------------------------------------------------------------------------ who is what

static uint32_t *list_of(foi_plan *p, uint32_t *count, bool (*belongs)(const foi_variable *))
{
    foi_equations *e = p->e;
    *count = 0;
    for (size_t i = 0; i < e->variable_count; i++) *count += belongs(&e->variables[i]);
    uint32_t *list = foi_arena_new(&p->arena, *count, sizeof *list), k = 0;
    if (!list) return NULL;
    for (uint32_t i = 0; i < e->variable_count; i++)
        if (belongs(&e->variables[i])) p->slot[i] = k, list[k++] = i;
    return list;
}

static bool is_state(const foi_variable *v)
{
    return v->state;
}

static bool is_discrete(const foi_variable *v)
{
    return v->role == FOI_ROLE_DISCRETE;
}

static bool is_input(const foi_variable *v)
{
    return v->role == FOI_ROLE_INPUT;
}

static bool is_parameter(const foi_variable *v)
{
    return v->role == FOI_ROLE_PARAMETER && v->flat->type != FOI_STRING;
}

static bool is_output(const foi_variable *v)
{
    return v->role == FOI_ROLE_CONTINUOUS && v->flat && !v->common && !v->state;
}

static bool is_seen(const foi_variable *v)
{
    return v->role == FOI_ROLE_CONTINUOUS && v->flat && !v->common;
}

static fo_status lists(foi_plan *p)
{
    size_t n = p->e->variable_count;
    p->slot = foi_arena_new(&p->arena, n, sizeof *p->slot);
    p->guess_of = foi_arena_new(&p->arena, n, sizeof *p->guess_of);
    if (!p->slot || !p->guess_of) return foi_equations_no_memory(p->e);
    memset(p->guess_of, 0xFF, n * sizeof *p->guess_of);
    p->discretes = list_of(p, &p->discrete_count, is_discrete);
    p->inputs = list_of(p, &p->input_count, is_input);
    p->parameters = list_of(p, &p->parameter_count, is_parameter);
    p->outputs = list_of(p, &p->output_count, p->all_outputs ? is_seen : is_output);
    p->states = list_of(p, &p->state_count, is_state); // after the outputs: a state's slot is here
    bool good = p->states && p->discretes && p->inputs && p->parameters && p->outputs;
    return good ? FO_OK : foi_equations_no_memory(p->e);
}

static fo_status make_room(foi_plan *p)
{
    foi_arena *a = &p->arena;
    foi_equations *e = p->e;
    const struct {
        foi_node **list;
        size_t count;
    } all[] = {
        {&p->floors, e->relation_count},
        {&p->rates, p->state_count},
        {&p->output, p->output_count},
        {&p->guards, e->relation_count},
        {&p->guard_rates, e->relation_count},
        {&p->instants, e->relation_count},
        {&p->holds, e->action_count},
        {&p->sample_start, e->sampler_count},
        {&p->sample_interval, e->sampler_count},
        {&p->words, e->word_count},
        {&p->delay_of, e->delay_count},
        {&p->delay_lag, e->delay_count},
        {&p->delay_most, e->delay_count},
        {&p->delay_rates, e->delay_count},
        {&p->next, p->discrete_count},
        {&p->conditions, e->condition_count},
        {&p->active, e->action_count},
        {&p->value, e->action_count},
        {&p->turned, e->relation_count},
        {&p->first_state, p->state_count},
        {&p->first_discrete, p->discrete_count},
        {&p->first_condition, e->condition_count},
        {&p->first_active, e->action_count},
        {&p->first_value, e->action_count},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        *all[i].list = foi_arena_new(a, all[i].count, sizeof(foi_node));
    p->delay_stands = foi_arena_new(a, e->delay_count, sizeof(bool));
    p->delay_steps = foi_arena_new(a, e->delay_count, sizeof(bool));
    p->time_left = foi_arena_new(a, e->relation_count, sizeof(bool));
    p->state_start = foi_arena_new(a, p->state_count, sizeof(double));
    p->discrete_start = foi_arena_new(a, p->discrete_count, sizeof(double));
    p->parameter_start = foi_arena_new(a, p->parameter_count, sizeof(double));
    return a->failed ? foi_equations_no_memory(e) : FO_OK;
}

static fo_status parameter_numbers(foi_plan *p)
{
    for (uint32_t i = 0; i < p->parameter_count; i++) {
        const foi_flat_variable *v = p->e->variables[p->parameters[i]].flat;
        const foi_flat_expr *x = v->binding ? v->binding : v->start;
        if (!x || !foi_flat_evaluate(x, false, &p->parameter_start[i])) p->parameter_start[i] = 0;
    }
    return FO_OK;
}

// ------------------------------------------------------------------------------------- relations

// All but parameters, discretes and numbers.
static bool flows(const void *self, const foi_graph *g, foi_node leaf)
{
    (void)self;
    return !foi_is_leaf(g, leaf, FOI_LEAF_PARAMETER) && !foi_is_leaf(g, leaf, FOI_LEAF_DISCRETE);
}

// The last double before n + 1: x is below n + 1 exactly as long as it is not above this, and the
// product of a floor's guard is negative, not zero, at n + 1 itself. 0.55 eps |m| is between 0.55
// and 1.1 ulps of m, and m less that is the double before m whatever the sign, also for powers of
// two.
static foi_node end_of_floor(foi_graph *g, foi_node n)
{
    foi_node next = foi_add(g, n, foi_constant(g, 1));
    foi_node size = foi_make(g, FOI_G_ABS, next, 0, 0);
    foi_node ulp = foi_multiply(g, foi_constant(g, 0.55 * 0x1p-52), size);
    return foi_subtract(g, next, foi_add(g, ulp, foi_constant(g, 1e-300)));
}

// A relation of time with something that stands is known in advance; a floor is left by going
// below n or to n + 1; everything else is watched as left - right.
static void relation_in_flow(foi_plan *p, uint32_t r, foi_node left, foi_node right,
                             const bool *moves)
{
    const foi_relation *q = &p->e->relations[r];
    foi_graph *g = &p->e->g;
    p->guards[r] = p->instants[r] = p->floors[r] = FOI_NO_NODE;
    if (q->op == FOI_G_FLOOR) {
        p->floors[r] = left;
        foi_node n = foi_leaf_of(g, FOI_LEAF_HELD, r);
        foi_node above = foi_subtract(g, left, n);
        foi_node below = foi_subtract(g, end_of_floor(g, n), left);
        p->guards[r] = foi_multiply(g, above, below);
        return;
    }
    p->time_left[r] = foi_is_leaf(g, left, FOI_LEAF_TIME) && !moves[right];
    if (p->time_left[r])
        p->instants[r] = right;
    else if (foi_is_leaf(g, right, FOI_LEAF_TIME) && !moves[left])
        p->instants[r] = left;
    else
        p->guards[r] = foi_subtract(g, left, right);
}

// ----------------------------------------------------------------------------------------- views

static fo_status relations_in_flow(foi_plan *p, foi_view *v)
{
    foi_equations *e = p->e;
    size_t n = e->relation_count;
    foi_node *sides = foi_new(e->allocator, 2 * n, sizeof *sides);
    if (!sides) return foi_equations_no_memory(e);
    for (size_t r = 0; r < n; r++)
        sides[2 * r] = e->relations[r].left, sides[2 * r + 1] = e->relations[r].right;
    fo_status status = foi_view_of_all(v, sides, 2 * n);
    bool *moves = n ? foi_graph_leads_to(&e->g, flows, NULL) : NULL;
    if (n && !moves) status = foi_equations_no_memory(e);
    for (uint32_t r = 0; r < n && status == FO_OK; r++)
        relation_in_flow(p, r, sides[2 * r], sides[2 * r + 1], moves);
    foi_free(e->allocator, moves);
    foi_free(e->allocator, sides);
    return status;
}

static fo_status delays_in_flow(foi_plan *p, foi_view *v)
{
    foi_equations *e = p->e;
    if (!e->delay_count) return FO_OK;
    for (uint32_t i = 0; i < e->delay_count; i++) {
        p->delay_of[i] = foi_view_of(v, e->delays[i].of);
        p->delay_lag[i] = foi_view_of(v, e->delays[i].lag);
        p->delay_most[i] = foi_view_of(v, e->delays[i].most);
    }
    bool *moves = foi_graph_leads_to(&e->g, flows, NULL);
    if (!moves) return foi_equations_no_memory(e);
    for (uint32_t i = 0; i < e->delay_count; i++) {
        p->delay_stands[i] = !e->delays[i].contents && !moves[p->delay_lag[i]];
        p->delay_steps[i] = p->delay_stands[i] && !moves[p->delay_of[i]];
    }
    foi_free(e->allocator, moves);
    return FO_OK;
}

static fo_status flow_values(foi_plan *p, foi_view *v)
{
    foi_equations *e = p->e;
    for (uint32_t i = 0; i < p->state_count; i++)
        p->rates[i] = foi_variable_leaf(e, e->variables[p->states[i]].derivative);
    for (uint32_t i = 0; i < p->output_count; i++)
        p->output[i] = foi_variable_leaf(e, p->outputs[i]);
    for (uint32_t i = 0; i < e->action_count; i++) {
        const foi_action *a = &e->actions[i];
        bool always = a->action == FOI_DO_ASSERT && a->active == FOI_NO_NODE;
        p->holds[i] = always ? a->value : FOI_NO_NODE;
    }
    fo_status status = foi_view_of_all(v, p->rates, p->state_count);
    if (status == FO_OK) status = foi_view_of_all(v, p->output, p->output_count);
    if (status == FO_OK) status = relations_in_flow(p, v);
    if (status == FO_OK) status = foi_view_of_all(v, p->holds, e->action_count);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < e->sampler_count; i++) {
        p->sample_start[i] = foi_view_of(v, e->samplers[i].start);
        p->sample_interval[i] = foi_view_of(v, e->samplers[i].interval);
    }
    for (uint32_t i = 0; i < e->word_count; i++) p->words[i] = foi_view_of(v, e->words[i].value);
    return delays_in_flow(p, v);
}

// Discretes of the turn come from those before it; what a loop finds may depend on them, too.
static bool is_of_turn(const void *self, const foi_graph *g, foi_node leaf)
{
    (void)self;
    return foi_is_leaf(g, leaf, FOI_LEAF_PRE) || foi_is_leaf(g, leaf, FOI_LEAF_SOLVED);
}

// What relations compare within a turn, where that depends on the discretes that it computes. Those
// that are renewed by their own formula (renew.c) are not among them.
static fo_status relations_in_turn(foi_plan *p, foi_view *v)
{
    foi_equations *e = p->e;
    for (uint32_t r = 0; r < e->relation_count; r++) {
        const foi_relation *q = &e->relations[r];
        p->turned[r] = FOI_NO_NODE;
        bool known = p->guards[r] == FOI_NO_NODE && p->instants[r] == FOI_NO_NODE;
        bool renewed =
            v->held[r] != FOI_NO_NODE && v->o->compared_start[r] != v->o->compared_start[r + 1];
        if (q->op == FOI_G_FLOOR || known || renewed) continue;
        p->turned[r] = foi_subtract(&e->g, q->left, q->right);
    }
    fo_status status = foi_view_of_all(v, p->turned, e->relation_count);
    if (status != FO_OK || !e->relation_count) return status;
    bool *turns = foi_graph_leads_to(&e->g, is_of_turn, NULL);
    if (!turns) return foi_equations_no_memory(e);
    for (uint32_t r = 0; r < e->relation_count; r++)
        if (p->turned[r] != FOI_NO_NODE && !turns[p->turned[r]]) p->turned[r] = FOI_NO_NODE;
    foi_free(e->allocator, turns);
    return FO_OK;
}

static fo_status moment_values(foi_plan *p, foi_view *v)
{
    foi_equations *e = p->e;
    for (uint32_t i = 0; i < p->discrete_count; i++)
        p->next[i] = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, p->discretes[i]);
    fo_status status = foi_view_of_all(v, p->next, p->discrete_count);
    for (uint32_t i = 0; i < e->condition_count && status == FO_OK; i++) {
        status = foi_view_decide(v, &e->conditions[i].now, 1);
        if (status == FO_OK) p->conditions[i] = foi_view_of(v, e->conditions[i].now);
    }
    if (status != FO_OK) return status;
    bool *asks = foi_asserts_asking(e, FOI_LEAF_TERMINAL);
    if (!asks) return foi_equations_no_memory(e);
    for (uint32_t i = 0; i < e->action_count; i++) {
        const foi_action *a = &e->actions[i];
        foi_node at_end =
            asks[i] ? foi_leaf_of(&e->g, FOI_LEAF_TERMINAL, 0) : foi_constant(&e->g, 0);
        p->active[i] = a->active != FOI_NO_NODE ? a->active : at_end;
        p->value[i] = a->value;
    }
    foi_free(e->allocator, asks);
    status = foi_view_of_all(v, p->active, e->action_count);
    if (status == FO_OK) status = foi_view_of_all(v, p->value, e->action_count);
    return status == FO_OK ? relations_in_turn(p, v) : status;
}

static fo_status check_actions(foi_plan *p)
{
    foi_equations *e = p->e;
    for (uint32_t i = 0; i < e->action_count; i++) {
        const foi_action *a = &e->actions[i];
        if (a->action != FOI_DO_REINIT || e->variables[a->variable].state) continue;
        return foi_equations_fail(e, a->place, FO_ERROR_MODEL,
                                  "reinit(%s, ...): `%s` is not a state; only states can be set",
                                  foi_variable_name(e, a->variable),
                                  foi_variable_name(e, a->variable));
    }
    return FO_OK;
}

static fo_status views(foi_plan *p, foi_order *o)
{
    foi_view v;
    fo_status status = foi_view_begin(&v, p, o, FOI_VIEW_FLOW);
    if (status == FO_OK) status = flow_values(p, &v);
    if (status == FO_OK) status = foi_plan_constraints(p, &v);
    foi_view_end(&v);
    if (status != FO_OK) return status;
    status = foi_view_begin(&v, p, o, FOI_VIEW_MOMENT);
    if (status == FO_OK) status = moment_values(p, &v);
    foi_view_end(&v);
    if (status == FO_OK && p->e->g.failed) status = foi_equations_no_memory(p->e);
    return status;
}

fo_status foi_plan_begin(foi_plan *p, foi_equations *e)
{
    *p = (foi_plan){.e = e};
    foi_order o = {.e = e};
    foi_arena_begin(&p->arena, e->allocator, 0);
    fo_status status = foi_name_common(e);
    if (status == FO_OK) status = foi_alias(e);
    if (status == FO_OK) status = foi_freeze_vanishing(e);
    if (status == FO_OK) status = foi_join_semilinear(e);
    if (status == FO_OK) status = foi_reduce(e);
    if (status == FO_OK) status = foi_order_of_run(&o, e);
    if (status == FO_OK) status = foi_order_sort(&o);
    if (status == FO_OK) status = foi_order_renewed(&o);
    p->all_outputs = e->constraint_count > 0;
    if (status == FO_OK) status = lists(p);
    if (status == FO_OK) status = foi_plan_agree(p);
    if (status == FO_OK) status = foi_watch_inverses(e, &o);
    if (status == FO_OK) status = make_room(p);
    if (status == FO_OK) status = parameter_numbers(p);
    if (status == FO_OK) status = check_actions(p);
    if (status == FO_OK) status = views(p, &o);
    if (status == FO_OK) status = foi_plan_start(p);
    if (status == FO_OK) status = foi_plan_derivatives(p);
    if (status == FO_OK && e->g.failed) status = foi_equations_no_memory(e);
    foi_order_end(&o);
    return status;
}

void foi_plan_end(foi_plan *p)
{
    foi_free(p->e->allocator, p->unknowns);
    foi_free(p->e->allocator, p->loops);
    foi_free(p->e->allocator, p->slopes);
    foi_arena_end(&p->arena);
    *p = (foi_plan){.e = p->e};
}
