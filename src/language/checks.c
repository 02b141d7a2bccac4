/// Rules of the language that need more than one class: connections, variability, names through
/// classes that are no packages.
#include <string.h>

#include "language/session.h"

// --------------------------------------------------------------------------------------
// variability

// The highest variability of what occurs in an expression.
static foi_variability variability_in(const foi_flat_expr *e, int depth)
{
    foi_variability most = FOI_CONSTANT;
    if (depth > 200 || e->op == FOI_OP_TIME) return e->op == FOI_OP_TIME ? FOI_CONTINUOUS : most;
    if (e->op == FOI_OP_VARIABLE) return e->variable->local ? most : e->variable->variability;
    const foi_flat_expr *const *list = e->arguments;
    uint32_t count = e->count;
    if (e->op == FOI_OP_RESULT) list = e->call->arguments, count = e->call->function->input_count;
    if (e->op == FOI_OP_ELEMENT)
        for (uint32_t i = 0; i < e->array->count; i++)
            if (!e->array->elements[i]->local && e->array->elements[i]->variability > most)
                most = e->array->elements[i]->variability;
    for (uint32_t i = 0; i < count; i++) {
        foi_variability v = variability_in(list[i], depth + 1);
        if (v > most) most = v;
    }
    return most;
}

foi_variability foi_variability_of(const foi_flat_expr *e)
{
    return variability_in(e, 0);
}

// ------------------------------------------------------------------------------------------- names

bool foi_is_package_like(foi_session *s, foi_class *c)
{
    if (c == &s->root || c->kind == FOI_CLASS_PACKAGE || c->kind == FOI_CLASS_OPERATOR) return true;
    if (c->is_operator || c->builtin || c->literal_count) return true;
    if (c->analysis == FOI_ANALYSING || !foi_analyse(s, c)) return true;
    for (uint32_t i = 0; i < c->member_count; i++)
        if (c->members[i].declaration->variability != FOI_CONSTANT) return false;
    for (uint32_t i = 0; i < c->ancestor_count; i++)
        if (c->ancestors[i]->section_count) return false;
    return true;
}

// Is one of the classes around `inside`, or itself or one of its bases, the text of c?
bool foi_is_within(const foi_class *inside, const foi_class *c)
{
    for (; inside; inside = inside->enclosing) {
        if (foi_origin((foi_class *)inside) == foi_origin((foi_class *)c)) return true;
        for (uint32_t i = 0; i < inside->ancestor_count; i++)
            if (foi_origin(inside->ancestors[i]) == foi_origin((foi_class *)c)) return true;
    }
    return false;
}

// ---------------------------------------------------------------------------------------
// connectors

typedef struct balance {
    uint32_t flows, potentials;
    bool open; ///< it cannot be said
} balance;

static void count_in(foi_session *s, const foi_instance *in, bool flow, int depth, balance *b)
{
    for (uint32_t i = 0; i < in->c->member_count && depth < FOI_DEEPEST_MODEL; i++) {
        foi_component *c = &in->components[i];
        const foi_declaration *d = c->member->declaration;
        if (d->stream || c->absent || d->variability <= FOI_PARAMETER) continue;
        if (c->sizing != FOI_SIZED || c->causality) {
            b->open |= c->sizing != FOI_SIZED;
            continue;
        }
        if (c->variables) {
            b->open |= foi_equality_constraint(s, c->type) != NULL;
            if (c->variability <= FOI_PARAMETER) continue;
            *(flow || c->flow ? &b->flows : &b->potentials) += c->count;
        } else if (c->elements) {
            b->open |= foi_equality_constraint(s, c->type) != NULL || c->type->expandable;
            for (uint32_t k = 0; k < c->count; k++)
                count_in(s, c->elements[k], flow || d->flow, depth + 1, b);
        }
    }
}

// As many flows as potentials (Modelica 3.6, section 9.3.1): otherwise a connection of two has too
// many equations or too few.
bool foi_check_balance(foi_session *s, const foi_component *c)
{
    balance b = {0};
    if (c->type->kind != FOI_CLASS_CONNECTOR || c->type->expandable || !c->elements || !c->count)
        return true;
    if (c->parent->c->kind == FOI_CLASS_CONNECTOR) return true; // said of the whole
    if (foi_equality_constraint(s, c->type)) return true;
    count_in(s, c->elements[0], false, 0, &b);
    if (b.open || !b.flows || b.flows == b.potentials) return true;
    return foi_error(
        s, c->member->declaration->place,
        "the connector '%s' has %u flow%s and %u other variable%s: the two numbers must be equal",
        c->name, b.flows, b.flows == 1 ? "" : "s", b.potentials, b.potentials == 1 ? "" : "s");
}

// Parameters that are connected must be equal.
bool foi_check_equal(foi_session *s, foi_place place, const foi_component *a, uint32_t i,
                     const foi_component *b, uint32_t k)
{
    double x, y;
    if (a->variability != b->variability)
        return foi_error(s, place, "'%s' and '%s' cannot be connected: %s and %s", a->name, b->name,
                         foi_variability_word(a->variability),
                         foi_variability_word(b->variability));
    if (!a->nodes || !b->nodes || a->type->type == FOI_STRING) return true;
    if (!foi_known(s, a->nodes[i], false, &x) || !foi_known(s, b->nodes[k], false, &y) || x == y)
        return true;
    return foi_error(s, place, "'%s' and '%s' are connected and must be equal: %g and %g", a->name,
                     b->name, x, y);
}

const char *foi_variability_word(foi_variability v)
{
    static const char *const words[] = {"a constant", "a parameter", "a discrete variable",
                                        "a variable"};
    return words[v];
}

// A causal variable is connected with a causal one.
bool foi_check_causal(foi_session *s, foi_place place, const foi_component *a,
                      const foi_component *b)
{
    if (!a->causality == !b->causality) return true;
    if (a->parent->c->expandable || b->parent->c->expandable) return true;
    if (a->parent->c->kind != FOI_CLASS_CONNECTOR || b->parent->c->kind != FOI_CLASS_CONNECTOR)
        return true;
    const foi_component *causal = a->causality ? a : b, *other = a->causality ? b : a;
    return foi_error(s, place, "'%s' and '%s' cannot be connected: only '%s' is an %s", a->name,
                     b->name, causal->name, causal->causality == FOI_INPUT ? "input" : "output") &&
           other;
}

// The path of a connector in connect(): a component of the model, then parts of connectors.
bool foi_check_form(foi_session *s, const foi_context *ctx, const foi_ref *ref)
{
    foi_instance *in = ctx->self;
    for (uint32_t i = 0; in && i + 1 < ref->count; i++) {
        const char *name = ref->parts[i].name;
        foi_component *c = i == 0 ? foi_seen(ctx, name) : foi_component_of(in, name);
        if (!c || !(c = foi_named(s, c)) || c->sizing != FOI_SIZED || !c->elements || !c->count)
            return true;
        if (i > 0 && c->type->kind != FOI_CLASS_CONNECTOR)
            return foi_error(s, ref->parts[i].place,
                             "'%s' is a %s inside of another component: only connectors of the "
                             "model and of its components can be connected",
                             c->name, foi_class_word(c->type));
        in = c->elements[0];
    }
    return true;
}

// A flow of an operator record needs what a sum of flows is made of.
bool foi_check_sum(foi_session *s, foi_place place, const foi_component *c)
{
    static const char *const needed[] = {"'+'", "'-'", "'0'"};
    if (!c->flow && !c->member->declaration->flow) return true;
    if (!c->type->is_operator || c->type->kind != FOI_CLASS_RECORD) return true;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (!foi_find_in_class(s, c->type, foi_name(s, needed[i])))
            return foi_error(s, place, "'%s' is a flow: its type '%s' needs the operator %s",
                             c->name, c->type->name, needed[i]);
    return true;
}

// In each set that is connected there is at most one source: an output of a component, or an input
// of the model itself.
bool foi_check_sources(foi_session *s, uint32_t *parent, uint32_t nodes)
{
    uint32_t *source = foi_arena_new(&s->arena, nodes, sizeof *source);
    if (!source) return false;
    for (uint32_t i = 0; i < nodes; i++) parent[i] = i;
    for (uint32_t i = 0; i < s->connection_count; i++) {
        const foi_connection *c = &s->connections[i];
        if (c->flow || c->stream) continue;
        foi_unite(parent, c->a, c->b);
    }
    for (uint32_t i = 0; i < s->connection_count; i++) {
        const foi_connection *c = &s->connections[i];
        if (c->flow || c->stream) continue;
        uint32_t ends[2] = {c->a, c->b};
        bool is[2] = {c->a_source, c->b_source};
        for (int k = 0; k < 2; k++) {
            uint32_t *known = &source[foi_root_of(parent, ends[k])];
            if (is[k] && *known && *known - 1 != ends[k])
                return foi_error(
                    s, c->place, "'%s' and '%s' are connected, and both are sources of a value",
                    s->variables[(*known - 1) / 2]->name, s->variables[ends[k] / 2]->name);
            if (is[k]) *known = ends[k] + 1;
        }
    }
    return true;
}
