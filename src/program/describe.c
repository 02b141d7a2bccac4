/// The description of a program: names, units, start values.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "program/program.h"

static const char *text_of(foi_program *g, const char *text)
{
    return text ? foi_arena_text(&g->arena, text, strlen(text)) : NULL;
}

// An enumeration that is computed may have no literal yet before the start: it has no bounds then.
static void bounds_of(fo_variable *v, const foi_flat_variable *flat)
{
    double lo = -INFINITY, hi = INFINITY;
    bool has_lo = flat->min && foi_flat_evaluate(flat->min, false, &lo);
    bool has_hi = flat->max && foi_flat_evaluate(flat->max, false, &hi);
    double literals = 0;
    while (flat->literals && flat->literals[(size_t)literals]) literals++;
    bool counted = v->start >= 1 && v->start <= literals;
    if (counted) lo = foi_fmax(lo, 1), hi = foi_fmin(hi, literals);
    if (has_lo || has_hi || counted) v->min = lo, v->max = hi;
}

static fo_variables variables(foi_program *g, foi_plan *p, const uint32_t *list, uint32_t count,
                              const double *starts)
{
    fo_variable *to = foi_arena_new(&g->arena, count, sizeof *to);
    for (uint32_t i = 0; to && i < count; i++) {
        const foi_flat_variable *flat = p->e->variables[list[i]].flat;
        to[i].name = text_of(g, foi_variable_name(p->e, list[i]));
        to[i].start = starts ? starts[i] : 0;
        if (!flat) continue;
        to[i].unit = text_of(g, flat->unit);
        to[i].about = text_of(g, flat->description);
        if (flat->causality == FOI_OUTPUT) to[i].causality = FO_CAUSALITY_OUTPUT;
        to[i].display_unit = text_of(g, flat->display_unit);
        to[i].type = flat->literals              ? FO_ENUMERATION
                     : flat->type == FOI_INTEGER ? FO_INTEGER
                     : flat->type == FOI_BOOLEAN ? FO_BOOLEAN
                                                 : FO_REAL;
        if (flat->variability == FOI_PARAMETER && (flat->structural || flat->is_final))
            to[i].variability = FO_VARIABILITY_FIXED;
        else if (flat->variability == FOI_DISCRETE)
            to[i].variability = FO_VARIABILITY_DISCRETE;
        bounds_of(&to[i], flat);
    }
    return (fo_variables){to, count};
}

// Whether an output may depend on an input without delay.
static bool is_of_input(const void *self, const foi_graph *g, foi_node leaf)
{
    (void)self;
    return foi_is_leaf(g, leaf, FOI_LEAF_INPUT) || foi_is_leaf(g, leaf, FOI_LEAF_SOLVED);
}

static bool find_direct(foi_plan *p, fo_variable *outputs)
{
    if (!p->input_count || !outputs) return true;
    bool *direct = foi_graph_leads_to(&p->e->g, is_of_input, NULL);
    for (uint32_t i = 0; direct && i < p->output_count; i++)
        outputs[i].direct = direct[p->output[i]];
    foi_free(p->e->allocator, direct);
    return direct;
}

// What may follow from others by constraints: it has no bounds then.
static bool is_candidate(const foi_plan *p, uint32_t state)
{
    for (size_t k = 0; k < p->e->candidate_count; k++)
        if (p->slot[p->e->candidates[k].variable] == state) return true;
    return false;
}

// Whether guard_bounds can say nothing: of what a loop or a constraint solves, and of a delay whose
// lag moves.
static bool is_boundless(const void *self, const foi_graph *g, foi_node leaf)
{
    const foi_plan *p = self;
    uint32_t index = g->nodes[leaf].b;
    if (foi_is_leaf(g, leaf, FOI_LEAF_SOLVED)) return true;
    if (foi_is_leaf(g, leaf, FOI_LEAF_DELAYED)) return !p->delay_stands[index];
    return foi_is_leaf(g, leaf, FOI_LEAF_STATE) && is_candidate(p, index);
}

static const char *relation_text(foi_plan *p, uint32_t r, char *text, size_t size)
{
    const foi_relation *q = &p->e->relations[r];
    bool floors = q->op == FOI_G_FLOOR;
    foi_node n = foi_make(&p->e->g, q->op, q->left, floors ? 0 : q->right, 0);
    return foi_expression_text(p->e, n, text, size);
}

// Names must differ: a relation that occurs twice with different insides gets a number.
static const char *guard_name(foi_program *g, foi_plan *p, const fo_guard *list, uint32_t i)
{
    char text[96];
    uint32_t same = 0;
    relation_text(p, g->relation_of[i], text, sizeof text);
    for (uint32_t k = 0; k < i && i < 200; k++) same += !strcmp(list[k].name, text);
    return !same && i < 200 ? text_of(g, text) : foi_arena_print(&g->arena, "%s #%u", text, i + 1);
}

static bool guards(foi_program *g, foi_plan *p)
{
    fo_guard *list = foi_arena_new(&g->arena, g->guards, sizeof *list);
    for (uint32_t i = 0; list && i < g->guards; i++) {
        list[i].name = guard_name(g, p, list, i);
        if (!list[i].name) return false;
        list[i].about = foi_arena_print(&g->arena, "relation of line %u",
                                        p->e->relations[g->relation_of[i]].place.line);
    }
    if (g->arena.failed || !g->guards) return !g->arena.failed;
    bool *boundless = foi_graph_leads_to(&p->e->g, is_boundless, p);
    for (uint32_t i = 0; boundless && i < g->guards; i++)
        list[i].bounded = !boundless[p->guards[g->relation_of[i]]];
    foi_free(p->e->allocator, boundless);
    g->about.guards = (fo_guards){list, g->guards};
    return boundless;
}

static void moments(foi_program *g, foi_plan *p)
{
    uint32_t known = g->samplers + g->instants, count = known + g->delays;
    fo_event *list = foi_arena_new(&g->arena, count, sizeof *list);
    char text[96];
    for (uint32_t i = 0; list && i < count; i++) {
        if (i < g->samplers || i >= known) {
            list[i].name = foi_arena_print(&g->arena, i < known ? "sample %u" : "delay %u",
                                           i < known ? i + 1 : i - known + 1);
            continue;
        }
        relation_text(p, g->relation_at[i - g->samplers], text, sizeof text);
        list[i].name = foi_arena_print(&g->arena, "%s #%u", text, i + 1);
    }
    g->about.moments = (fo_events){list, count};
}

// x[0..k) are positions and x[k..2k) their velocities when each rate of the first is just the
// other.
static uint32_t pairs(const foi_plan *p)
{
    const foi_graph *g = &p->e->g;
    if (!p->state_count || !foi_is_leaf(g, p->rates[0], FOI_LEAF_STATE)) return 0;
    uint32_t k = g->nodes[p->rates[0]].b;
    if (k > p->state_count / 2) return 0;
    for (uint32_t i = 0; i < k; i++)
        if (!foi_is_leaf(g, p->rates[i], FOI_LEAF_STATE) || g->nodes[p->rates[i]].b != k + i)
            return 0;
    return k;
}

fo_status foi_program_describe(foi_program *g, foi_plan *p)
{
    fo_description *about = &g->about;
    about->name = text_of(g, p->e->flat->name ? p->e->flat->name : "model");
    about->about = text_of(g, p->e->flat->description);
    about->states = variables(g, p, p->states, p->state_count, p->state_start);
    about->discretes = variables(g, p, p->discretes, p->discrete_count, p->discrete_start);
    about->inputs = variables(g, p, p->inputs, p->input_count, NULL);
    about->parameters = variables(g, p, p->parameters, p->parameter_count, p->parameter_start);
    about->outputs = variables(g, p, p->outputs, p->output_count, NULL);
    fo_variable *outputs = (fo_variable *)about->outputs.list;
    bool good = find_direct(p, outputs);
    // what others may see are all variables; those that the text declares as outputs are fewer
    for (uint32_t i = 0; outputs && i < p->output_count; i++)
        if (outputs[i].causality == FO_CAUSALITY_BY_LIST) outputs[i].causality = FO_CAUSALITY_LOCAL;
    fo_variable *inputs = (fo_variable *)about->inputs.list;
    for (uint32_t i = 0; inputs && i < p->input_count; i++)
        inputs[i].start = foi_plan_start_number(p, p->inputs[i]);
    about->pairs = pairs(p);
    about->stiff = p->e->manifold_count > 0;
    g->manifold_count = p->e->manifold_count;
    good = good && guards(g, p);
    moments(g, p);
    return !good || g->arena.failed ? foi_equations_no_memory(p->e) : FO_OK;
}
