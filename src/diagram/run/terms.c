/// Terms are nodes of the expression graph, and what they become is a program of the flow. The
/// doubles of the diagram's memory that occur are its discretes.
#include "diagram/run/terms.h"

#include <string.h>

#include "base/array.h"
#include "program/source.h"

struct foi_terms {
    foi_graph graph;
    uint32_t *discrete; ///< per double of memory: its discrete plus 1; 0: none
    uint32_t *places;   ///< per discrete: the double of memory
    size_t place_count, place_room;
};

foi_terms *foi_terms_create(uint32_t memory, const fo_allocator *allocator)
{
    foi_terms *t = foi_new(allocator, 1, sizeof *t);
    if (!t) return NULL;
    bool good = foi_graph_begin(&t->graph, allocator);
    t->discrete = foi_new(allocator, (size_t)memory + 1, sizeof *t->discrete);
    if (good && t->discrete) return t;
    foi_terms_destroy(t);
    return NULL;
}

void foi_terms_destroy(foi_terms *t)
{
    if (!t) return;
    const fo_allocator *a = t->graph.allocator;
    foi_graph_end(&t->graph);
    foi_free(a, t->discrete);
    foi_free(a, t->places);
    foi_free(a, t);
}

bool foi_terms_full(const foi_terms *t)
{
    return t->graph.count >= FOI_MAX_TERMS;
}

foi_term foi_term_number(foi_terms *t, double value)
{
    return foi_terms_full(t) ? 0 : foi_constant(&t->graph, value);
}

foi_term foi_term_time(foi_terms *t)
{
    return foi_leaf_of(&t->graph, FOI_LEAF_TIME, 0);
}

foi_term foi_term_state(foi_terms *t, uint32_t state)
{
    return foi_leaf_of(&t->graph, FOI_LEAF_STATE, state);
}

foi_term foi_term_memory(foi_terms *t, uint32_t at)
{
    if (!t->discrete[at]) {
        if (!foi_array_room(t->graph.allocator, &t->places, &t->place_room, t->place_count + 1,
                            sizeof *t->places)) {
            t->graph.failed = true;
            return 0;
        }
        t->places[t->place_count++] = at;
        t->discrete[at] = (uint32_t)t->place_count;
    }
    return foi_leaf_of(&t->graph, FOI_LEAF_DISCRETE, t->discrete[at] - 1);
}

foi_term foi_term_make(foi_terms *t, foi_op op, foi_term a, foi_term b, foi_term c)
{
    return foi_terms_full(t) ? 0 : foi_make(&t->graph, op, a, b, c);
}

// --------------------------------------------------------------------------------- the program

struct foi_lowered {
    foi_program *program;
    const fo_allocator *allocator;
    uint32_t *places; ///< per discrete: the double of memory
    uint32_t place_count, state_count;
    uint32_t time_at, state_at, discrete_at; ///< registers
    size_t work; ///< doubles of the state's scratch space before: registers, and the discretes
};

foi_lowered *foi_lowered_create(foi_terms *t, const foi_lowered_def *def, fo_message *why)
{
    const fo_allocator *a = t->graph.allocator;
    foi_flow_def flow = {.name = def->name,
                         .graph = &t->graph,
                         .states = def->rate_count,
                         .discretes = (uint32_t)t->place_count,
                         .guards = def->guard_count,
                         .outputs = def->outputs ? def->output_count : 0,
                         .rate = (foi_node *)def->rates,
                         .guard = (foi_node *)def->guards,
                         .output = (foi_node *)def->outputs};
    foi_lowered *l = foi_new(a, 1, sizeof *l);
    if (!l || t->graph.failed) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a diagram");
        foi_free(a, l);
        return NULL;
    }
    l->allocator = a;
    l->program = foi_program_create_flow(&flow, why);
    if (!l->program) {
        foi_lowered_destroy(l);
        return NULL;
    }
    const foi_layout *layout = &l->program->layout;
    l->places = t->places;
    l->place_count = (uint32_t)t->place_count;
    t->places = NULL;
    t->place_count = t->place_room = 0;
    l->state_count = def->rate_count;
    l->time_at = layout->at[FOI_LEAF_TIME];
    l->state_at = layout->at[FOI_LEAF_STATE];
    l->discrete_at = layout->at[FOI_LEAF_DISCRETE];
    l->work = (def->scratch + sizeof(double) - 1) / sizeof(double);
    return l;
}

void foi_lowered_destroy(foi_lowered *l)
{
    if (!l) return;
    foi_program_destroy(l->program);
    foi_free(l->allocator, l->places);
    foi_free(l->allocator, l);
}

size_t foi_lowered_scratch(const foi_lowered *l)
{
    return (l->work + l->place_count) * sizeof(double) + l->program->about.scratch;
}

// scratch:  of the nodes | discretes | of the program, which begins with its registers
static double *discretes(const foi_lowered *l, const fo_state *s)
{
    return (double *)s->scratch + l->work;
}

static double *registers(const foi_lowered *l, const fo_state *s)
{
    return discretes(l, s) + l->place_count;
}

static void evaluate(const foi_lowered *l, const fo_state *s, foi_task task, double t,
                     const double *x, double *results)
{
    const foi_code *code = &l->program->codes[task];
    const double *memory = s->memory;
    double *r = registers(l, s);
    r[l->time_at] = t;
    for (uint32_t i = 0; i < l->state_count; i++) r[l->state_at + i] = x[i];
    for (uint32_t i = 0; i < l->place_count; i++) r[l->discrete_at + i] = memory[l->places[i]];
    foi_run run = {.r = r, .x = x, .y = results};
    foi_program_function(l->program, task)(code, &run);
}

void foi_lowered_rates(const foi_lowered *l, const fo_state *s, double t, const double *x,
                       double *dx)
{
    evaluate(l, s, FOI_TASK_RATES, t, x, dx);
}

void foi_lowered_guards(const foi_lowered *l, const fo_state *s, double t, const double *x,
                        double *g)
{
    evaluate(l, s, FOI_TASK_GUARDS, t, x, g);
}

void foi_lowered_outputs(const foi_lowered *l, const fo_state *s, double t, const double *x,
                         double *y)
{
    evaluate(l, s, FOI_TASK_OBSERVE, t, x, y);
}

// The state as the program sees it.
static fo_state view_of(const foi_lowered *l, const fo_state *s)
{
    fo_state view = *s;
    const double *memory = s->memory;
    view.d = discretes(l, s);
    view.scratch = registers(l, s);
    for (uint32_t i = 0; i < l->place_count; i++) view.d[i] = memory[l->places[i]];
    return view;
}

fo_status foi_lowered_jacobian(const foi_lowered *l, const fo_state *s, double t, const double *x,
                               double *values)
{
    fo_state view = view_of(l, s);
    return foi_program_jacobian(l->program, &view, t, x, values);
}

fo_status foi_lowered_tangent(const foi_lowered *l, const fo_state *s, double t, const double *x,
                              const fo_seed *along, const fo_tangent *to)
{
    fo_state view = view_of(l, s);
    return foi_program_tangent(l->program, &view, t, x, along, to);
}

const fo_pattern *foi_lowered_pattern(const foi_lowered *l)
{
    return &l->program->pattern;
}

fo_status foi_lowered_bounds(const foi_lowered *l, const fo_state *s, const fo_stretch *on,
                             fo_enclosure *e)
{
    fo_state view = view_of(l, s);
    return foi_program_guard_bounds(l->program, &view, on, e);
}

bool foi_lowered_encloses_outputs(const foi_lowered *l)
{
    return foi_program_encloses_outputs(l->program);
}

fo_status foi_lowered_output_bounds(const foi_lowered *l, const fo_state *s, const fo_stretch *on,
                                    fo_enclosure *e)
{
    fo_state view = view_of(l, s);
    return foi_program_output_bounds(l->program, &view, on, e);
}

bool foi_lowered_looks_for_failure(const foi_lowered *l)
{
    return foi_program_looks_for_failure(l->program);
}

bool foi_lowered_may_fail(const foi_lowered *l, const fo_state *s, const fo_stretch *on)
{
    fo_state view = view_of(l, s);
    return foi_program_may_fail(l->program, &view, on);
}

bool foi_lowered_looks_for_poles(const foi_lowered *l)
{
    return foi_program_looks_for_poles(l->program);
}

bool foi_lowered_may_diverge(const foi_lowered *l, const fo_state *s, const fo_stretch *on,
                             fo_quantity of)
{
    fo_state view = view_of(l, s);
    return foi_program_may_diverge(l->program, &view, on, of);
}

uint32_t foi_lowered_divisor_count(const foi_lowered *l)
{
    return l->program->divisors;
}

fo_status foi_lowered_divisors(const foi_lowered *l, const fo_state *s, double t, const double *x,
                               double *values)
{
    fo_state view = view_of(l, s);
    return foi_program_divisors(l->program, &view, t, x, values);
}

bool foi_lowered_encloses_slopes(const foi_lowered *l)
{
    return foi_program_encloses_slopes(l->program);
}

fo_status foi_lowered_slope_bounds(const foi_lowered *l, const fo_state *s, const fo_stretch *on,
                                   const double *push, fo_enclosure *e)
{
    fo_state view = view_of(l, s);
    return foi_program_slope_bounds(l->program, &view, on, push, e);
}

bool foi_lowered_abrupt(const foi_lowered *l)
{
    return l->program->about.abrupt;
}

bool foi_lowered_fails(const foi_lowered *l)
{
    return l->program->about.outputs_fail;
}

bool foi_lowered_marches(const foi_lowered *l)
{
    return foi_source_has_steps(l->program);
}

bool foi_lowered_march(const foi_lowered *l, const fo_state *s, fo_march *m)
{
    fo_state view = view_of(l, s);
    return foi_program_march(l->program, &view, m);
}

fo_system_type *foi_lowered_type(foi_lowered *l)
{
    return &l->program->type;
}

const char *foi_lowered_kind(void)
{
    return foi_flow_kind;
}
