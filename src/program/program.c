#include "program/program.h"

#include <string.h>

#include "equations/kept.h"
#include "program/source.h"

// --------------------------------------------------------------------------------- the registers

static void lay_out(foi_layout *l, foi_leaf kind, size_t count)
{
    l->at[kind] = l->total;
    l->count[kind] = (uint32_t)count;
    l->total += (uint32_t)count;
}

static foi_layout layout_of(const foi_plan *p)
{
    foi_layout l = {0};
    const foi_equations *e = p->e;
    lay_out(&l, FOI_LEAF_TIME, 1);
    lay_out(&l, FOI_LEAF_STATE, p->state_count);
    lay_out(&l, FOI_LEAF_DISCRETE, p->discrete_count);
    lay_out(&l, FOI_LEAF_INPUT, p->input_count);
    lay_out(&l, FOI_LEAF_PARAMETER, p->parameter_count);
    lay_out(&l, FOI_LEAF_HELD, e->relation_count);
    lay_out(&l, FOI_LEAF_RATE, p->state_count);
    lay_out(&l, FOI_LEAF_PRE, p->discrete_count);
    lay_out(&l, FOI_LEAF_WAS, e->condition_count);
    lay_out(&l, FOI_LEAF_SAMPLE, e->sampler_count);
    lay_out(&l, FOI_LEAF_DELAYED, e->delay_count);
    lay_out(&l, FOI_LEAF_TERMINAL, 1);
    if (e->flat->outside) lay_out(&l, FOI_LEAF_FRAME, 1);
    // and lambda
    lay_out(&l, FOI_LEAF_START, (size_t)p->state_count + p->discrete_count + e->uses_homotopy);
    return l;
}

// -------------------------------------------------------------------------------------- the tasks

/// The roots of a task, gathered from several lists.
typedef struct roots {
    foi_node *list;
    uint32_t count;
} roots;

static void gather(roots *r, const foi_node *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (from[i] != FOI_NO_NODE) r->list[r->count++] = from[i];
}

// Unknowns of the loops that the flow needs: their solutions are the next guesses.
static void gather_solved(foi_program *g, foi_plan *p, roots *r)
{
    foi_graph *graph = &p->e->g;
    roots all = {r->list, 0};
    gather(&all, p->rates, p->state_count);
    gather(&all, p->guards, p->e->relation_count);
    gather(&all, p->output, p->output_count);
    if (!foi_graph_reach(graph, all.list, all.count)) return;
    for (size_t i = 0; i < graph->list_count; i++) {
        if (!foi_is_leaf(graph, graph->list[i], FOI_LEAF_SOLVED)) continue;
        g->solved_guess[r->count] = p->unknowns[graph->nodes[graph->list[i]].b].guess;
        r->list[r->count++] = graph->list[i];
    }
}

static void gather_task(foi_program *g, foi_plan *p, foi_task task, roots *r)
{
    const foi_equations *e = p->e;
    switch (task) {
    case FOI_TASK_RATES: gather(r, p->rates, p->state_count); break;
    case FOI_TASK_GUARDS: gather(r, p->guards, e->relation_count); break;
    case FOI_TASK_SLOPES: gather(r, p->guard_rates, e->relation_count); break;
    case FOI_TASK_OBSERVE: gather(r, p->output, p->output_count); break;
    case FOI_TASK_MOMENT:
        gather(r, p->next, p->discrete_count);
        gather(r, p->conditions, e->condition_count);
        gather(r, p->active, e->action_count);
        gather(r, p->value, e->action_count);
        gather(r, p->turned, e->relation_count);
        break;
    case FOI_TASK_START:
        gather(r, p->first_state, p->state_count);
        gather(r, p->first_discrete, p->discrete_count);
        gather(r, p->first_active, e->action_count);
        gather(r, p->first_value, e->action_count);
        gather(r, p->first_condition, e->condition_count);
        gather(r, p->first_solved, p->first_solved_count);
        gather(r, p->first_relation, e->uses_homotopy ? e->relation_count : 0);
        break;
    case FOI_TASK_INSTANTS:
        gather(r, p->instants, e->relation_count);
        gather(r, p->sample_start, e->sampler_count);
        gather(r, p->sample_interval, e->sampler_count);
        break;
    case FOI_TASK_FLOORS: gather(r, p->floors, e->relation_count); break;
    case FOI_TASK_CONSTRAINTS:
        gather(r, p->constraints, e->constraint_count);
        for (size_t i = 0; i < p->slope_count; i++) gather(r, &p->slopes[i].node, 1);
        break;
    case FOI_TASK_ROUNDING: gather(r, p->rounding, e->constraint_count); break;
    case FOI_TASK_HOLDS: gather(r, p->holds, e->action_count); break;
    case FOI_TASK_SOLVED: gather_solved(g, p, r); break;
    case FOI_TASK_JACOBIAN: gather(r, p->entries, p->entries ? p->entry_count : 0); break;
    case FOI_TASK_LAGS:
        gather(r, p->delay_lag, e->delay_count);
        gather(r, p->delay_most, e->delay_count);
        break;
    case FOI_TASK_DELAYS: gather(r, p->delay_of, e->delay_count); break;
    case FOI_TASK_DELAY_RATES: gather(r, p->delay_rates, e->delay_count); break;
    case FOI_TASK_WORDS: gather(r, p->words, e->word_count); break;
    case FOI_TASK_CHECKS: gather(r, g->check, g->checks); break;
    case FOI_TASK_CARRIED: gather(r, g->carried, g->carrieds); break;
    case FOI_TASK_DIVISORS: gather(r, g->divisor, g->divisors); break;
    case FOI_TASK_GUESSES: gather(r, p->first_guess, p->guess_count); break;
    case FOI_TASK_FORMULAS: gather(r, p->second_guess, p->has_second ? p->guess_count : 0); break;
    case FOI_TASK_FIRST:
        gather(r, &p->first_distance, 1);
        gather(r, p->first_relation, g->nears ? e->relation_count : 0);
        gather(r, p->first_place, p->place_count);
        break;
    case FOI_TASKS: break;
    }
}

static size_t most_roots(const foi_plan *p)
{
    const foi_equations *e = p->e;
    size_t n = p->state_count + (size_t)p->output_count + 2 * (size_t)p->discrete_count;
    n +=
        5 * e->relation_count + 2 * e->condition_count + 2 * e->action_count + 2 * e->sampler_count;
    n += 2 * e->delay_count + e->word_count + e->constraint_count + p->slope_count;
    return n + p->entry_count + p->unknown_count + p->guess_count + 1;
}

static fo_status emit_tasks(foi_program *g, foi_plan *p)
{
    roots r = {foi_new(p->e->allocator, most_roots(p) + g->checks + g->divisors, sizeof *r.list),
               0};
    g->solved_guess = foi_arena_new(&g->arena, p->unknown_count, sizeof *g->solved_guess);
    fo_status status = r.list && g->solved_guess ? FO_OK : foi_equations_no_memory(p->e);
    for (int task = 0; task < FOI_TASKS && status == FO_OK; task++) {
        foi_code *code = &g->codes[task];
        r.count = 0;
        gather_task(g, p, (foi_task)task, &r);
        status = foi_emit(code, p, &g->layout, r.list, r.count, &g->arena);
        if (code->registers > g->registers) g->registers = code->registers;
        if (code->cells > g->cells) g->cells = code->cells;
        if (code->packed_registers > g->registers) g->registers = code->packed_registers;
        if (code->newton > g->newton) g->newton = code->newton;
    }
    foi_free(p->e->allocator, r.list);
    return status;
}

// ---------------------------------------------------------------------------------- what is what

static fo_status number_relations(foi_program *g, foi_plan *p)
{
    const foi_equations *e = p->e;
    size_t n = e->relation_count;
    foi_arena *a = &g->arena;
    g->relation_op = foi_arena_new(a, n, sizeof *g->relation_op);
    g->guard_of = foi_arena_new(a, n, sizeof *g->guard_of);
    g->relation_of = foi_arena_new(a, n, sizeof *g->relation_of);
    g->relation_at = foi_arena_new(a, n, sizeof *g->relation_at);
    g->floor_of = foi_arena_new(a, n, sizeof *g->floor_of);
    g->slope_of = foi_arena_new(a, n, sizeof *g->slope_of);
    g->time_left = foi_arena_new(a, n, sizeof *g->time_left);
    g->turn_relation = foi_arena_new(a, n, sizeof *g->turn_relation);
    g->in_turn = foi_arena_new(a, n, sizeof *g->in_turn);
    if (a->failed) return foi_equations_no_memory(p->e);
    uint32_t slopes = 0, floors = 0;
    for (uint32_t r = 0; r < n; r++) {
        g->relation_op[r] = e->relations[r].op;
        g->in_turn[r] = p->turned[r] != FOI_NO_NODE;
        if (g->in_turn[r]) g->turn_relation[g->turn_relations++] = r;
        g->guard_of[r] = FOI_NOTHING;
        if (p->floors[r] != FOI_NO_NODE) g->floor_of[r] = floors++;
        if (p->instants[r] != FOI_NO_NODE) {
            g->time_left[g->instants] = p->time_left[r];
            g->relation_at[g->instants++] = r;
        }
        if (p->guards[r] == FOI_NO_NODE) continue;
        g->slope_of[g->guards] = p->guard_rates[r] == FOI_NO_NODE ? FOI_NOTHING : slopes++;
        g->guard_of[r] = g->guards;
        g->relation_of[g->guards++] = r;
    }
    return FO_OK;
}

// The names of literals belong to the flat model, which need not live as long as the program.
static const char *const *copy_literals(foi_arena *a, const char *const *literals)
{
    uint32_t count = 0;
    while (literals && literals[count]) count++;
    const char **list = foi_arena_new(a, (size_t)count + 1, sizeof *list);
    for (uint32_t i = 0; list && i < count; i++)
        list[i] = foi_arena_text(a, literals[i], strlen(literals[i]));
    return literals ? list : NULL;
}

static fo_status number_words(foi_program *g, foi_plan *p)
{
    const foi_equations *e = p->e;
    g->words = (uint32_t)e->word_count;
    g->word = foi_arena_new(&g->arena, g->words, sizeof *g->word);
    for (uint32_t i = 0; g->word && i < g->words; i++) {
        g->word[i] = e->words[i];
        g->word[i].literals = copy_literals(&g->arena, e->words[i].literals);
    }
    return g->arena.failed ? foi_equations_no_memory(p->e) : FO_OK;
}

static fo_status number_actions(foi_program *g, foi_plan *p)
{
    const foi_equations *e = p->e;
    foi_arena *a = &g->arena;
    g->actions = (uint32_t)e->action_count;
    g->action = foi_arena_new(a, g->actions, sizeof *g->action);
    g->action_state = foi_arena_new(a, g->actions, sizeof *g->action_state);
    g->action_rival = foi_arena_new(a, g->actions, sizeof *g->action_rival);
    g->hold_action = foi_arena_new(a, g->actions, sizeof *g->hold_action);
    uint32_t *last = foi_arena_new(a, p->state_count, sizeof *last); // 1 + which set it
    if (a->failed) return foi_equations_no_memory(p->e);
    fo_status status = number_words(g, p);
    for (uint32_t i = 0; i < g->actions && status == FO_OK; i++) {
        g->action[i] = e->actions[i];
        g->action[i].message =
            foi_arena_text(a, e->actions[i].message, strlen(e->actions[i].message));
        g->action_rival[i] = FOI_NOTHING;
        if (e->actions[i].action == FOI_DO_REINIT) {
            uint32_t k = g->action_state[i] = p->slot[e->actions[i].variable];
            if (last[k]) g->action_rival[i] = last[k] - 1;
            last[k] = i + 1;
        }
        if (p->holds[i] != FOI_NO_NODE) g->hold_action[g->holds++] = i;
    }
    return a->failed ? foi_equations_no_memory(p->e) : FO_OK;
}

static bool note_contents(foi_program *g, uint32_t i, const foi_delay *d)
{
    if (!d->contents || d->right) return true;
    size_t bytes = d->contents->count * sizeof(double);
    foi_contents *c = foi_arena_new(&g->arena, 1, sizeof *c);
    double *numbers = foi_arena_new(&g->arena, 2 * (size_t)d->contents->count, sizeof *numbers);
    if (!c || !numbers) return false;
    memcpy(numbers, d->contents->points, bytes);
    memcpy(numbers + d->contents->count, d->contents->values, bytes);
    *c = (foi_contents){d->contents->count, numbers, numbers + d->contents->count};
    g->delay_contents[i] = c;
    g->has_pipes = true;
    return true;
}

static fo_status number_delays(foi_program *g, foi_plan *p)
{
    foi_arena *a = &g->arena;
    g->delays = (uint32_t)p->e->delay_count;
    g->delay_rate_of = foi_arena_new(a, g->delays, sizeof *g->delay_rate_of);
    g->delay_stands = foi_arena_new(a, g->delays, sizeof *g->delay_stands);
    g->delay_steps = foi_arena_new(a, g->delays, sizeof *g->delay_steps);
    g->delay_line = foi_arena_new(a, g->delays, sizeof *g->delay_line);
    g->delay_contents = foi_arena_new(a, g->delays, sizeof *g->delay_contents);
    if (a->failed) return foi_equations_no_memory(p->e);
    uint32_t rates = 0;
    for (uint32_t i = 0; i < g->delays; i++) {
        g->delay_rate_of[i] = p->delay_rates[i] == FOI_NO_NODE ? FOI_NOTHING : rates++;
        g->delay_stands[i] = p->delay_stands[i];
        g->delay_steps[i] = p->delay_steps[i];
        g->delay_line[i] = p->e->delays[i].place.line;
        if (!note_contents(g, i, &p->e->delays[i])) return foi_equations_no_memory(p->e);
    }
    g->about.max_step = foi_delays_longest_step(p);
    return FO_OK;
}

// The delay times must be known before what is delayed is.
static fo_status check_lags(foi_program *g, foi_plan *p)
{
    // a pipe limits the steps although nothing that flows may depend on what comes out
    if (g->has_pipes) g->codes[FOI_TASK_RATES].uses[FOI_LEAF_DELAYED] = true;
    if (!g->codes[FOI_TASK_LAGS].uses[FOI_LEAF_DELAYED]) return FO_OK;
    bool pipe = p->e->delays[0].contents;
    return foi_equations_fail(p->e, p->e->delays[0].place, FO_ERROR_UNFIT,
                              pipe ? "the way x of spatialDistribution() depends on what comes out"
                                   : "the delay time of delay() depends on what is delayed");
}

static fo_status number_limits(foi_program *g, foi_plan *p)
{
    g->limit = foi_arena_new(&g->arena, p->discrete_count, sizeof *g->limit);
    if (!g->limit) return foi_equations_no_memory(p->e);
    for (uint32_t i = 0; i < p->discrete_count; i++)
        if (p->e->variables[p->discretes[i]].limit) g->limit[g->limits++] = i;
    return FO_OK;
}

static fo_status number_rest(foi_program *g, foi_plan *p)
{
    const foi_equations *e = p->e;
    g->relations = (uint32_t)e->relation_count;
    g->conditions = (uint32_t)e->condition_count;
    g->samplers = (uint32_t)e->sampler_count;
    g->guesses = p->guess_count;
    g->homotopy = e->uses_homotopy;
    g->nears = p->first_distance != FOI_NO_NODE;
    g->bound = p->e->as_written;
    g->asks_before = p->asks_before;
    g->places = (uint32_t)p->place_count;
    g->place_guess = foi_arena_new(&g->arena, g->places, sizeof *g->place_guess);
    if (!g->place_guess) return foi_equations_no_memory(p->e);
    if (g->places) memcpy(g->place_guess, p->place_guess, g->places * sizeof *g->place_guess);
    g->loops = (uint32_t)p->loop_count;
    g->was = g->held + g->relations;
    g->ticks = g->was + g->conditions;
    g->turned = g->ticks + g->samplers;
    g->slack = g->turned + g->relations;
    g->looked = g->slack + g->relations;
    g->warned = g->looked + 1;
    g->history = g->warned + g->holds;
    g->due = g->history + foi_delays_memory(g);
    g->guess = g->due + foi_delays_due(g);
    g->since = g->guess + g->guesses;
    g->tilt = g->since + 1;
    g->follow = g->tilt + g->guesses;
    if (!p->column_start) return FO_OK;
    uint32_t *start = foi_arena_new(&g->arena, (size_t)p->state_count + 1, sizeof *start);
    uint32_t *row = foi_arena_new(&g->arena, p->entry_count, sizeof *row);
    if (!start || !row) return foi_equations_no_memory(p->e);
    memcpy(start, p->column_start, ((size_t)p->state_count + 1) * sizeof *start);
    if (p->entry_count) memcpy(row, p->row, p->entry_count * sizeof *row);
    g->pattern = (fo_pattern){p->state_count, start, row};
    g->has_pattern = true;
    g->has_jacobian = p->entries != NULL;
    return FO_OK;
}

// Only the functions that there is something to do for.
static void choose_functions(foi_program *g)
{
    fo_system_type *t = &g->type;
    t->kind = "program";
    t->start = foi_program_start;
    t->rates = foi_program_rates;
    t->expression = foi_program_expression;
    if (g->guards) {
        t->guards = foi_program_guards, t->guard_bounds = foi_program_guard_bounds;
        t->held = foi_program_held;
    }
    if (foi_program_encloses_outputs(g)) t->output_bounds = foi_program_output_bounds;
    if (foi_program_looks_for_failure(g)) t->may_fail = foi_program_may_fail;
    if (foi_program_looks_for_poles(g)) t->may_diverge = foi_program_may_diverge;
    if (g->divisors) t->divisors = foi_program_divisors, t->divisor_count = g->divisors;
    if (foi_program_encloses_slopes(g)) t->slope_bounds = foi_program_slope_bounds;
    if (g->delays) t->record = foi_delays_between;
    if (g->samplers || g->instants || g->delays) t->next = foi_program_next;
    if (g->guards || t->next || g->conditions || g->actions || g->about.discretes.count ||
        g->about.events.count)
        t->jump = foi_program_jump, t->hears_sets = true;
    if (g->guards) t->side = foi_program_side;
    if (g->codes[FOI_TASK_OBSERVE].result_count || g->checks) t->observe = foi_program_observe;
    if (foi_source_has_steps(g)) t->march = foi_program_march;
    if (g->has_pattern) t->pattern = foi_program_pattern;
    if (g->has_jacobian) t->jacobian = foi_program_jacobian;
    if (!g->delays && !g->outside) t->tangent = foi_program_tangent;
    if (g->codes[FOI_TASK_MOMENT].uses[FOI_LEAF_TERMINAL]) t->finish = foi_program_finish;
    if (g->codes[FOI_TASK_SOLVED].result_count || g->codes[FOI_TASK_HOLDS].result_count ||
        g->delays)
        t->settle = foi_program_settle;
    for (int task = 0; task < FOI_TASKS; task++)
        g->codes[task].follows = foi_code_is_followed(&g->codes[task]);
    g->about.follows = g->codes[FOI_TASK_SOLVED].follows;
    g->told = g->follow + foi_follow_memory(g);
    g->lost = g->told + g->carrieds;
    g->about.memory = (g->lost + 1) * sizeof(double);
    g->about.scratch = foi_program_scratch(g);
}

// Inputs that are events from outside.
static fo_status number_events(foi_program *g, foi_plan *p)
{
    const foi_equations *e = p->e;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->input_count; i++) count += e->variables[p->inputs[i]].flat->event;
    fo_event *list = foi_arena_new(&g->arena, count, sizeof *list);
    g->event_input = foi_arena_new(&g->arena, count, sizeof *g->event_input);
    g->event_value = foi_arena_new(&g->arena, count, sizeof *g->event_value);
    if (g->arena.failed) return foi_equations_no_memory(p->e);
    g->about.events = (fo_events){list, count};
    count = 0;
    for (uint32_t i = 0; i < p->input_count; i++) {
        const foi_flat_variable *v = e->variables[p->inputs[i]].flat, *value = v->event_value;
        if (!v->event) continue;
        const fo_variable *inputs = g->about.inputs.list;
        g->event_input[count] = i;
        g->event_value[count] = value ? p->slot[value->index] : FOI_NOTHING;
        list[count] = (fo_event){.name = inputs[i].name, .about = inputs[i].about};
        if (value) list[count].unit = inputs[g->event_value[count]].unit;
        count++;
    }
    return FO_OK;
}

static bool has_curves(const foi_program *g)
{
    bool any = false;
    for (int task = 0; task < FOI_TASKS; task++)
        for (uint32_t i = 0; i < g->codes[task].all; i++)
            any |= g->codes[task].list[i].op == FOI_G_ALONG;
    return any;
}

static fo_status build(foi_program *g, foi_plan *p)
{
    g->layout = layout_of(p);
    fo_status status = number_relations(g, p);
    if (status == FO_OK) status = number_actions(g, p);
    if (status == FO_OK) status = number_delays(g, p);
    if (status == FO_OK) status = number_limits(g, p);
    if (status == FO_OK) status = number_rest(g, p);
    if (status == FO_OK) status = foi_constraints_number(&g->constraints, p, &g->arena);
    if (status == FO_OK) status = foi_program_find_checks(g, p);
    if (status == FO_OK) status = foi_program_doubt_moments(p);
    if (status == FO_OK) status = foi_program_find_divisors(g, p);
    if (status == FO_OK) status = foi_program_find_carried(g, p);
    if (status == FO_OK) status = emit_tasks(g, p);
    if (status == FO_OK && !foi_program_find_entangled(g, p->e->allocator))
        status = foi_equations_no_memory(p->e);
    if (g->cells) g->outside = p->e->flat->outside;
    g->curves = status == FO_OK && has_curves(g);
    if (status == FO_OK) status = check_lags(g, p);
    if (status == FO_OK) status = foi_program_describe(g, p);
    if (status == FO_OK) status = number_events(g, p);
    if (status == FO_OK) status = foi_program_find_undefined(g, p);
    if (status == FO_OK) status = foi_program_find_domains(g, p);
    if (status == FO_OK) status = foi_program_find_abrupt(g, p);
    if (status == FO_OK) choose_functions(g);
    return status;
}

/// What is tried where constraints between states cannot be dealt with; see foi_equations.
typedef enum way { USUAL, AS_WRITTEN, ALL_CANDIDATES, NO_OTHER } way;

// *which: becomes the way to be tried next; *froze: it would do with fewer parameters.
static foi_program *create(const foi_flat *flat, way *which, bool *froze,
                           const fo_allocator *allocator, fo_message *why, foi_place *place)
{
    foi_equations e;
    foi_plan p = {.e = &e};
    foi_program *g = foi_new(allocator, 1, sizeof *g);
    way here = *which;
    *froze = false, *which = NO_OTHER;
    if (!g) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a program");
        return NULL;
    }
    foi_arena_begin(&g->arena, allocator, 0);
    fo_status status = foi_equations_begin(&e, flat, allocator, why);
    if (status != FO_OK && e.too_large) { // once more: what would be written out stays
        foi_equations_end(&e);
        foi_let_stay(flat);
        status = foi_equations_begin_keeping(&e, flat, true, allocator, why);
    }
    if (status == FO_OK) {
        e.as_written = here == AS_WRITTEN, e.all_candidates = here == ALL_CANDIDATES;
        status = foi_plan_begin(&p, &e);
        if (status == FO_OK) status = build(g, &p);
        foi_plan_end(&p);
    }
    if (place) *place = e.place;
    bool other = status != FO_ERROR_MEMORY && (e.entangled || here == AS_WRITTEN);
    if (other) *which = (way)(here + 1);
    *froze = e.froze;
    foi_equations_end(&e);
    if (status == FO_OK) return g;
    foi_program_destroy(g);
    return NULL;
}

// From one of the ways on, until no more parameters become structural. *any: some have.
static foi_program *create_from(const foi_flat *flat, way first, bool *any,
                                const fo_allocator *allocator, fo_message *why, foi_place *place)
{
    enum { MOST_TRIES = 8 };
    bool froze = true;
    foi_program *g = NULL;
    *any = false;
    for (int tries = 0; tries < MOST_TRIES && froze; tries++) {
        foi_program_destroy(g);
        way which = first;
        g = create(flat, &which, &froze, allocator, why, place);
        while (!g && which < NO_OTHER) g = create(flat, &which, &froze, allocator, why, place);
        *any |= froze;
    }
    return g;
}

// Of two programs the one that leaves less to be chosen in the run.
static foi_program *choose_program(foi_program *g, const foi_flat *flat,
                                   const fo_allocator *allocator, fo_message *why, foi_place *place)
{
    fo_message unused = {0};
    foi_place nowhere;
    bool froze;
    foi_program *other = create_from(flat, AS_WRITTEN, &froze, allocator, &unused, &nowhere);
    if (other && other->constraints.count < g->constraints.count) {
        foi_program_destroy(g);
        return other;
    }
    foi_program_destroy(other);
    bool memory = !other && unused.status == FO_ERROR_MEMORY;
    if (!froze && !memory) return g;
    foi_program_destroy(g);
    if (!memory) return create_from(flat, USUAL, &froze, allocator, why, place);
    if (why) *why = unused;
    return NULL;
}

foi_program *foi_program_create(const foi_flat *flat, const fo_allocator *allocator,
                                fo_message *why, foi_place *place)
{
    bool froze;
    foi_program *g = create_from(flat, USUAL, &froze, allocator, why, place);
    if (g && g->constraints.count && !g->bound) g = choose_program(g, flat, allocator, why, place);
    if (!g || !g->constraints.count) return g;
    g->choice = foi_choice_create(g);
    if (g->choice) return g;
    fo_fail(why, FO_ERROR_MEMORY, "no memory for a choice of states");
    foi_program_destroy(g);
    return NULL;
}

void foi_program_destroy(foi_program *g)
{
    if (!g) return;
    const fo_allocator *a = g->arena.allocator;
    foi_program_unload(g);
    foi_choice_destroy(g->choice);
    foi_arena_end(&g->arena);
    foi_free(a, g);
}

fo_system foi_program_system(const foi_program *g)
{
    if (g->choice) return foi_choice_system(g->choice);
    return (fo_system){&g->type, &g->about, g};
}
