#include "equations/equations.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

fo_status foi_equations_fail(foi_equations *e, foi_place place, fo_status status,
                             const char *format, ...)
{
    char text[FO_MESSAGE_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    e->place = place;
    return fo_fail(e->why, status, "%s", text);
}

fo_status foi_equations_no_memory(foi_equations *e)
{
    return fo_fail(e->why, FO_ERROR_MEMORY, "no memory for %zu equations", e->equation_count);
}

const char *foi_variable_name(foi_equations *e, uint32_t variable)
{
    const foi_variable *v = &e->variables[variable];
    if (v->flat) return v->flat->name;
    int order = 0;
    for (; !v->flat; order++) v = &e->variables[v->integral];
    char open[64] = "";
    for (int i = 0; i < order && i < 12; i++) strcat(open, "der(");
    const char *name = foi_arena_print(&e->texts, "%s%s%.*s", open, v->flat->name,
                                       order < 12 ? order : 12, "))))))))))))");
    return name ? name : "?";
}

const char *foi_place_name(foi_equations *e, foi_place place, char *text, size_t size)
{
    if (!place.line)
        snprintf(text, size, "an equation without a place");
    else if (e->flat->file_count > 1 && place.file < e->flat->file_count)
        snprintf(text, size, "line %u of %s", place.line, e->flat->files[place.file]);
    else
        snprintf(text, size, "line %u", place.line);
    return text;
}

static const char *leaf_text(void *self, const foi_graph *g, foi_node leaf)
{
    foi_equations *e = self;
    uint32_t index = g->nodes[leaf].b;
    char text[200];
    switch ((foi_leaf)g->nodes[leaf].a) {
    case FOI_LEAF_VARIABLE: return foi_variable_name(e, index);
    case FOI_LEAF_TIME: return "time";
    case FOI_LEAF_INITIAL: return "initial()";
    case FOI_LEAF_TERMINAL: return "terminal()";
    case FOI_LEAF_LAMBDA: return "lambda";
    case FOI_LEAF_START: return "its start value";
    case FOI_LEAF_PRE: snprintf(text, sizeof text, "pre(%s)", foi_variable_name(e, index)); break;
    case FOI_LEAF_WAS: {
        char was[190];
        foi_expression_text(e, e->conditions[index].now, was, sizeof was);
        snprintf(text, sizeof text, "pre(%s)", was);
        break;
    }
    case FOI_LEAF_DELAYED: snprintf(text, sizeof text, "delay %u", index + 1); break;
    case FOI_LEAF_SAMPLE: snprintf(text, sizeof text, "sample %u", index + 1); break;
    case FOI_LEAF_HELD: {
        const foi_relation *r = &e->relations[index];
        foi_node n = r->op == FOI_G_FLOOR ? foi_make(&e->g, FOI_G_FLOOR, r->left, 0, 0)
                                          : foi_make(&e->g, r->op, r->left, r->right, 0);
        text[0] = '(';
        foi_expression_text(e, n, text + 1, sizeof text - 2);
        strcat(text, ")");
        break;
    }
    default: snprintf(text, sizeof text, "leaf %u", index); break;
    }
    const char *copy = foi_arena_print(&e->texts, "%s", text);
    return copy ? copy : "?";
}

const char *foi_expression_text(foi_equations *e, foi_node n, char *text, size_t size)
{
    return foi_graph_print(&e->g, n, leaf_text, e, text, size);
}

const char *foi_equation_text(foi_equations *e, const foi_equation *q, char *text, size_t size)
{
    char left[200], right[200];
    foi_expression_text(e, q->left, left, sizeof left);
    foi_expression_text(e, q->right, right, sizeof right);
    snprintf(text, size, "%s = %s", left, right);
    return text;
}

uint32_t foi_derivative_of(foi_equations *e, uint32_t variable)
{
    if (e->variables[variable].derivative != FOI_NOTHING) return e->variables[variable].derivative;
    if (!foi_array_room(e->allocator, &e->variables, &e->variable_room, e->variable_count + 1,
                        sizeof *e->variables)) {
        e->g.failed = true;
        return FOI_NOTHING;
    }
    uint32_t d = (uint32_t)e->variable_count++;
    e->variables[d] = (foi_variable){.role = FOI_ROLE_CONTINUOUS,
                                     .derivative = FOI_NOTHING,
                                     .integral = variable,
                                     .binding = FOI_NO_NODE,
                                     .start = FOI_NO_NODE,
                                     .alias = FOI_NOTHING};
    e->variables[variable].derivative = d;
    return d;
}

foi_node foi_variable_leaf(foi_equations *e, uint32_t variable)
{
    bool negative = false;
    while (e->variables[variable].alias != FOI_NOTHING) {
        negative ^= e->variables[variable].negative;
        variable = e->variables[variable].alias;
    }
    foi_node leaf = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, variable);
    return negative ? foi_negate(&e->g, leaf) : leaf;
}

// d/dt of a leaf: time flows, states and algebraic variables have derivatives, all else stands.
static foi_node leaf_derivative(void *self, foi_graph *g, foi_node leaf)
{
    foi_equations *e = self;
    uint32_t index = g->nodes[leaf].b;
    if (foi_is_leaf(g, leaf, FOI_LEAF_TIME)) return foi_constant(g, 1);
    if (foi_is_leaf(g, leaf, FOI_LEAF_DELAYED)) return FOI_NO_NODE;
    if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE)) return foi_constant(g, 0);
    if (e->variables[index].role == FOI_ROLE_INPUT) return FOI_NO_NODE;
    if (e->variables[index].role != FOI_ROLE_CONTINUOUS) return foi_constant(g, 0);
    uint32_t d = foi_derivative_of(e, index);
    return d == FOI_NOTHING ? 0 : foi_leaf_of(g, FOI_LEAF_VARIABLE, d);
}

foi_node foi_total_derivative(foi_equations *e, foi_node n)
{
    return foi_derive_called(e, n, leaf_derivative);
}

// --------------------------------------------------------------------------------------- lowering

// A parameter with fixed = false: found at the start, and constant from then on.
static bool found_at_start(const foi_flat_variable *v)
{
    return v->variability == FOI_PARAMETER && v->fixed_given && !v->fixed && !v->binding;
}

static foi_role role_of(const foi_flat_variable *v)
{
    double value;
    if (v->causality == FOI_INPUT) return FOI_ROLE_INPUT;
    if (found_at_start(v)) return FOI_ROLE_DISCRETE;
    switch (v->variability) {
    case FOI_CONSTANT: return FOI_ROLE_COMPUTED;
    case FOI_PARAMETER:
        if (v->structural) return FOI_ROLE_COMPUTED;
        // a number, and not a formula with other parameters in it, is for the user to set
        return v->binding && v->binding->op != FOI_OP_LITERAL &&
                       !(v->binding->op == FOI_OP_NEGATE &&
                         foi_flat_evaluate(v->binding, false, &value) &&
                         v->binding->arguments[0]->op == FOI_OP_LITERAL)
                   ? FOI_ROLE_COMPUTED
                   : FOI_ROLE_PARAMETER;
    case FOI_DISCRETE: return FOI_ROLE_DISCRETE;
    case FOI_CONTINUOUS: break;
    }
    return FOI_ROLE_CONTINUOUS;
}

// Does the value follow from literals and structural parameters alone? A parameter with such a
// formula cannot be changed without reading the text anew, so it may decide what depends on what:
// an inductance of zero is no state.
static bool is_folded(foi_equations *e, const foi_flat_expr *x, int depth)
{
    if (depth > 200 || x->op == FOI_OP_TIME || x->op == FOI_OP_ELEMENT || x->op == FOI_OP_RESULT ||
        x->op == FOI_OP_STRING)
        return false;
    if (x->op == FOI_OP_VARIABLE) {
        const foi_flat_variable *v = x->variable;
        if (v->local || v->variability > FOI_PARAMETER || v->index >= e->variable_count ||
            !v->binding || v->type == FOI_STRING)
            return false;
        uint8_t *known = &e->variables[v->index].folded;
        double value;
        if (*known) return *known == 2;
        *known = 1;
        bool may = v->structural || v->variability == FOI_CONSTANT ||
                   (v->binding->op != FOI_OP_LITERAL && is_folded(e, v->binding, depth + 1));
        if (may && foi_flat_evaluate(x, false, &value)) *known = 2;
        return *known == 2;
    }
    for (uint32_t i = 0; i < x->count; i++)
        if (!is_folded(e, x->arguments[i], depth + 1)) return false;
    return x->op != FOI_OP_CALL || x->count > 0;
}

bool foi_folded_value(foi_equations *e, const foi_flat_variable *v, double *value)
{
    const foi_flat_expr x = {
        .op = FOI_OP_VARIABLE, .type = v->type, .size = 1, .variable = (foi_flat_variable *)v};
    return v->variability <= FOI_PARAMETER && is_folded(e, &x, 0) &&
           foi_flat_evaluate(&x, false, value);
}

// The value of a parameter as a formula of others. Where a function cannot be written out, because
// how deep it calls itself depends on them, it is the number, and those others are structural.
static fo_status lower_binding(foi_equations *e, const foi_flat_variable *v, foi_node *node)
{
    double value;
    fo_status status = foi_lower(e, v->binding, false, v->place, node);
    if (status != FO_ERROR_UNFIT || v->variability > FOI_PARAMETER) return status;
    if (!foi_flat_evaluate(v->binding, true, &value)) return status;
    if (e->why) *e->why = (fo_message){0};
    *node = foi_constant(&e->g, value);
    return FO_OK;
}

static fo_status lower_variables(foi_equations *e)
{
    const foi_flat *flat = e->flat;
    size_t n = flat->variable_count;
    if (!foi_array_room(e->allocator, &e->variables, &e->variable_room, n, sizeof *e->variables))
        return foi_equations_no_memory(e);
    e->variable_count = n;
    for (size_t i = 0; i < n; i++)
        e->variables[i] = (foi_variable){.flat = flat->variables[i],
                                         .role = role_of(flat->variables[i]),
                                         .derivative = FOI_NOTHING,
                                         .integral = FOI_NOTHING,
                                         .alias = FOI_NOTHING,
                                         .binding = FOI_NO_NODE,
                                         .start = FOI_NO_NODE,
                                         .fixed = flat->variables[i]->fixed};
    for (size_t i = 0; i < n; i++) {
        const foi_flat_variable *v = flat->variables[i];
        fo_status status = FO_OK;
        bool given = e->variables[i].role == FOI_ROLE_PARAMETER; // its value comes from outside
        if (v->binding && v->type != FOI_STRING && !given)
            status = lower_binding(e, v, &e->variables[i].binding);
        if (status == FO_OK && v->start && v->type != FOI_STRING)
            status = foi_lower(e, v->start, false, v->place, &e->variables[i].start);
        if (status != FO_OK) return status;
        if (v->state && e->variables[i].role == FOI_ROLE_CONTINUOUS) {
            foi_derivative_of(e, (uint32_t)i);
            e->variables[i].wanted = true;
        }
        if (v->causality == FOI_INPUT || v->variability > FOI_PARAMETER || v->binding) continue;
        if (found_at_start(v)) continue;
        if (v->type == FOI_STRING || v->start) continue; // its start value stands for its value
        return foi_equations_fail(e, v->place, FO_ERROR_MODEL, "the parameter `%s` has no value",
                                  v->name);
    }
    return e->g.failed ? foi_equations_no_memory(e) : FO_OK;
}

// Relations of initial equations are not watched: nothing depends on them after the start.
static fo_status lower_list(foi_equations *e, const foi_flat_equation *from, uint32_t count,
                            foi_equation **to, size_t *n, size_t *room)
{
    bool events = to != &e->initial;
    e->only_start = !events;
    if (!foi_array_room(e->allocator, to, room, *n + count, sizeof **to))
        return foi_equations_no_memory(e);
    for (uint32_t i = 0; i < count; i++) {
        foi_equation q = {.place = from[i].place,
                          .assigns = FOI_NOTHING,
                          .initial = FOI_NO_NODE,
                          .derivative = FOI_NOTHING,
                          .integral = FOI_NOTHING};
        fo_status status = foi_lower(e, from[i].left, events, q.place, &q.left);
        if (status == FO_OK) status = foi_lower(e, from[i].right, events, q.place, &q.right);
        if (status != FO_OK) return status;
        (*to)[(*n)++] = q;
    }
    e->only_start = false;
    return FO_OK;
}

// v = pre(v): at moments nothing happens to it.
static fo_status lower_found(foi_equations *e)
{
    for (uint32_t i = 0; i < e->flat->variable_count; i++) {
        if (!found_at_start(e->flat->variables[i])) continue;
        foi_node pre = foi_leaf_of(&e->g, FOI_LEAF_PRE, i);
        foi_equation q = {.left = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, i),
                          .right = pre,
                          .place = e->flat->variables[i]->place,
                          .assigns = i,
                          .initial = pre,
                          .derivative = FOI_NOTHING,
                          .integral = FOI_NOTHING};
        if (!foi_array_room(e->allocator, &e->equations, &e->equation_room, e->equation_count + 1,
                            sizeof q))
            return foi_equations_no_memory(e);
        e->equations[e->equation_count++] = q;
    }
    return FO_OK;
}

fo_status foi_equations_begin(foi_equations *e, const foi_flat *flat, const fo_allocator *allocator,
                              fo_message *why)
{
    return foi_equations_begin_keeping(e, flat, false, allocator, why);
}

// Statements of functions that are written out: fewer where some of them could stay functions.
static uint32_t most_written(const foi_flat *flat, bool keeps)
{
    enum { MOST = 1000000, MANY = 30000 };
    for (uint32_t i = 0; i < flat->function_count && !keeps; i++)
        if (flat->functions[i]->may_stay) return MANY;
    return MOST;
}

fo_status foi_equations_begin_keeping(foi_equations *e, const foi_flat *flat, bool keeps,
                                      const fo_allocator *allocator, fo_message *why)
{
    *e = (foi_equations){.flat = flat, .allocator = allocator, .why = why, .keeps = keeps};
    foi_arena_begin(&e->texts, allocator, 0);
    if (!foi_graph_begin(&e->g, allocator)) return foi_equations_no_memory(e);
    e->where = foi_constant(&e->g, 1);
    e->most_statements = most_written(flat, keeps);
    for (uint32_t i = 0; i < flat->function_count; i++)
        if (foi_is_operation(e, flat->functions[i]) && flat->functions[i]->known)
            e->g.partial = foi_partial_called, e->g.self = e;
    fo_status status = lower_variables(e);
    if (status == FO_OK) foi_mark_assigned(e);
    if (status == FO_OK)
        status = lower_list(e, flat->equations, flat->equation_count, &e->equations,
                            &e->equation_count, &e->equation_room);
    if (status == FO_OK)
        status = lower_list(e, flat->initial, flat->initial_count, &e->initial, &e->initial_count,
                            &e->initial_room);
    if (status == FO_OK) status = lower_found(e);
    if (status == FO_OK) status = foi_lower_whens(e);
    size_t first = e->equation_count;
    if (status == FO_OK) status = foi_lower_algorithms(e);
    if (status == FO_OK) status = foi_give_unassigned(e, first);
    if (status == FO_OK) status = foi_settle_discrete(e);
    if (status == FO_OK) status = foi_lower_asserts(e);
    if (status == FO_OK) status = foi_lower_shadows(e);
    if (status == FO_OK) status = foi_split_homotopy(e);
    if (status == FO_OK && e->g.failed) status = foi_equations_no_memory(e);
    return status;
}

void foi_equations_end(foi_equations *e)
{
    const fo_allocator *a = e->allocator;
    foi_graph_end(&e->g);
    foi_free(a, e->variables);
    foi_free(a, e->equations);
    foi_free(a, e->initial);
    foi_free(a, e->relations);
    foi_free(a, e->conditions);
    foi_free(a, e->samplers);
    foi_free(a, e->delays);
    foi_free(a, e->actions);
    foi_free(a, e->words);
    foi_free(a, e->shadows);
    foi_free(a, e->called);
    foi_free(a, e->facts.of);
    foi_memo_end(&e->memo, a);
    foi_free(a, e->candidates);
    foi_free(a, e->constraints);
    foi_arena_end(&e->texts);
    *e = (foi_equations){.allocator = a};
}
