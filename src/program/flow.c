/// A program for the flow alone: rates, guards and outputs as expressions that somebody else has
/// made, with their derivatives. Start and moments are left to whoever made them.
#include <string.h>

#include "program/program.h"

const char foi_flow_kind[] = "diagram";

static void lay_out(foi_layout *l, foi_leaf kind, uint32_t count)
{
    l->at[kind] = l->total;
    l->count[kind] = count;
    l->total += count;
}

static fo_status emit(foi_program *g, foi_plan *p, foi_task task, const foi_node *roots,
                      size_t count)
{
    foi_code *code = &g->codes[task];
    fo_status status = foi_emit(code, p, &g->layout, roots, (uint32_t)count, &g->arena);
    if (code->registers > g->registers) g->registers = code->registers;
    if (code->packed_registers > g->registers) g->registers = code->packed_registers;
    return status;
}

static fo_status emit_all(foi_program *g, foi_plan *p)
{
    fo_status status = FO_OK;
    for (int task = 0; task < FOI_TASKS && status == FO_OK; task++) {
        switch (task) {
        case FOI_TASK_RATES: status = emit(g, p, task, p->rates, p->state_count); break;
        case FOI_TASK_GUARDS: status = emit(g, p, task, p->guards, g->guards); break;
        case FOI_TASK_SLOPES: status = emit(g, p, task, p->guard_rates, g->guards); break;
        case FOI_TASK_OBSERVE: status = emit(g, p, task, p->output, p->output_count); break;
        case FOI_TASK_DIVISORS: status = emit(g, p, task, g->divisor, g->divisors); break;
        case FOI_TASK_JACOBIAN: status = emit(g, p, task, p->entries, p->entry_count); break;
        default: status = emit(g, p, (foi_task)task, NULL, 0); break;
        }
    }
    return status;
}

static fo_status keep_pattern(foi_program *g, const foi_plan *p)
{
    uint32_t *start = foi_arena_new(&g->arena, (size_t)p->state_count + 1, sizeof *start);
    uint32_t *row = foi_arena_new(&g->arena, p->entry_count, sizeof *row);
    if (!start || !row) return foi_equations_no_memory(p->e);
    memcpy(start, p->column_start, ((size_t)p->state_count + 1) * sizeof *start);
    if (p->entry_count) memcpy(row, p->row, p->entry_count * sizeof *row);
    g->pattern = (fo_pattern){p->state_count, start, row};
    g->has_pattern = g->has_jacobian = true;
    return FO_OK;
}

static void describe(foi_program *g, const foi_flow_def *def)
{
    g->about.name = foi_arena_text(&g->arena, def->name, strlen(def->name));
    g->about.states.count = def->states;
    g->about.discretes.count = def->discretes;
    g->about.outputs.count = def->outputs;
    g->about.guards.count = def->guards;
    g->type = (fo_system_type){.kind = foi_flow_kind, .rates = foi_program_rates};
    g->type.pattern = foi_program_pattern;
    g->type.jacobian = foi_program_jacobian;
    if (def->outputs) g->type.observe = foi_program_observe;
    if (def->guards)
        g->type.guards = foi_program_guards, g->type.guard_bounds = foi_program_guard_bounds;
    if (foi_program_encloses_outputs(g)) g->type.output_bounds = foi_program_output_bounds;
    if (foi_program_looks_for_failure(g)) g->type.may_fail = foi_program_may_fail;
    if (foi_program_looks_for_poles(g)) g->type.may_diverge = foi_program_may_diverge;
    if (g->divisors) g->type.divisors = foi_program_divisors, g->type.divisor_count = g->divisors;
    if (foi_program_encloses_slopes(g)) g->type.slope_bounds = foi_program_slope_bounds;
    g->about.scratch = foi_program_scratch(g);
}

static fo_status build(foi_program *g, foi_plan *p, const foi_flow_def *def)
{
    p->guard_rates = foi_arena_new(&p->arena, def->guards, sizeof *p->guard_rates);
    g->slope_of = foi_arena_new(&g->arena, def->guards, sizeof *g->slope_of);
    if (!p->guard_rates || !g->slope_of) return foi_equations_no_memory(p->e);
    for (uint32_t i = 0; i < def->guards; i++) g->slope_of[i] = i;
    g->guards = def->guards;
    lay_out(&g->layout, FOI_LEAF_TIME, 1);
    lay_out(&g->layout, FOI_LEAF_STATE, def->states);
    lay_out(&g->layout, FOI_LEAF_DISCRETE, def->discretes);
    lay_out(&g->layout, FOI_LEAF_RATE, def->states);
    fo_status status = foi_plan_derivatives(p);
    if (status == FO_OK) status = keep_pattern(g, p);
    if (status == FO_OK) status = foi_program_find_divisors(g, p);
    if (status == FO_OK) status = emit_all(g, p);
    if (status == FO_OK) status = foi_program_find_undefined(g, p);
    if (status == FO_OK) status = foi_program_find_domains(g, p);
    if (status == FO_OK) status = foi_program_find_abrupt(g, p);
    if (status == FO_OK) describe(g, def);
    return status == FO_OK && g->arena.failed ? foi_equations_no_memory(p->e) : status;
}

foi_program *foi_program_create_flow(const foi_flow_def *def, fo_message *why)
{
    const fo_allocator *a = def->graph->allocator;
    foi_equations e = {.g = *def->graph, .allocator = a, .why = why, .relation_count = def->guards};
    foi_plan p = {.e = &e,
                  .state_count = def->states,
                  .discrete_count = def->discretes,
                  .output_count = def->outputs,
                  .rates = def->rate,
                  .guards = def->guard,
                  .output = def->output};
    foi_program *g = foi_new(a, 1, sizeof *g);
    if (!g) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a program");
        return NULL;
    }
    foi_arena_begin(&g->arena, a, 0);
    foi_arena_begin(&p.arena, a, 0);
    fo_status status = build(g, &p, def);
    foi_arena_end(&p.arena);
    *def->graph = e.g; // it has grown
    if (status == FO_OK) return g;
    foi_program_destroy(g);
    return NULL;
}
