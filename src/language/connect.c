/// Connections: equal potentials, and flows that sum to zero.
///
/// A connector of a component is on the inside of the model that connects it, a connector of the
/// model itself on the outside. In each set of connected flows the sum of those inside is that of
/// those outside; a flow that nothing is connected to on the inside is zero.
#include <string.h>

#include "language/session.h"

/// Two ends while they are joined.
typedef struct ends {
    bool a_outside, b_outside;
    foi_place place;
} ends;

// An output of a component, or a public input of the model itself; a protected one is no port.
static bool is_source(const foi_component *c, bool outside)
{
    if (c->causality != (outside ? FOI_INPUT : FOI_OUTPUT)) return false;
    for (const foi_component *up = c; outside && up; up = up->parent->parent) {
        if (up->is_protected || up->member->is_protected) return false;
        if (up->parent->c->kind != FOI_CLASS_CONNECTOR) break;
    }
    return true;
}

static bool add_connection(foi_session *s, const ends *e, const foi_component *a, uint32_t i,
                           const foi_component *b, uint32_t k)
{
    const foi_flat_variable *x = a->variables[i], *y = b->variables[k];
    foi_connection *c = foi_arena_add(&s->arena, &s->connections, &s->connection_count, sizeof *c);
    if (!c) return false;
    *c = (foi_connection){.a = x->index * 2 + e->a_outside,
                          .b = y->index * 2 + e->b_outside,
                          .flow = a->flow,
                          .stream = x->stream && y->stream,
                          .a_source = is_source(a, e->a_outside),
                          .b_source = is_source(b, e->b_outside),
                          .place = e->place};
    return true;
}

static bool join_variables(foi_session *s, const ends *e, foi_component *a, uint32_t i,
                           foi_component *b, uint32_t k)
{
    if (!a->type->builtin || !b->type->builtin || a->type->type != b->type->type)
        return foi_error(s, e->place, "'%s' and '%s' cannot be connected: %s and %s", a->name,
                         b->name, a->type->name, b->type->name);
    if (a->flow != b->flow)
        return foi_error(s, e->place, "'%s' and '%s' cannot be connected: only one is a flow",
                         a->name, b->name);
    if (!a->variables || !b->variables) return true;
    if (a->variability <= FOI_PARAMETER && b->variability <= FOI_PARAMETER)
        return foi_check_equal(s, e->place, a, i, b, k);
    if (a->variability <= FOI_PARAMETER || b->variability <= FOI_PARAMETER) return true;
    return foi_check_causal(s, e->place, a, b) && add_connection(s, e, a, i, b, k);
}

static bool join_instances(foi_session *s, const ends *e, foi_instance *a, foi_instance *b);

// A connection that would close a circle: the residues of equalityConstraint are zero.
static bool join_broken(foi_session *s, const ends *e, foi_class *constraint, const foi_value *both)
{
    foi_value zero;
    const foi_value *results;
    uint32_t count;
    foi_context ctx = {.lexical = constraint};
    if (!foi_call_values(s, &ctx, e->place, constraint, both, 2, &results, &count)) return false;
    const foi_flat_expr **list;
    if (count != 1 || results[0].record || results[0].type != FOI_REAL)
        return foi_error(s, e->place, "'equalityConstraint' must have one result of type Real");
    if (!foi_new_like(s, e->place, &results[0], results[0].rank, results[0].dims, &zero, &list))
        return false;
    for (uint32_t i = 0; i < zero.count; i++)
        if (!(list[i] = foi_flat_real(s->flat, 0))) return false;
    if (zero.rank == 0) zero.one = list[0];
    return foi_add_equation(s, e->place, &results[0], &zero);
}

static bool join_components(foi_session *s, const ends *e, foi_component *a, foi_component *b)
{
    if (!foi_size(s, a) || !foi_size(s, b)) return false;
    if (a->absent || b->absent) return true;
    if (!foi_check_sum(s, e->place, a) || !foi_check_sum(s, e->place, b)) return false;
    if (a->count != b->count)
        return foi_error(s, e->place, "'%s' and '%s' cannot be connected: %u and %u elements",
                         a->name, b->name, a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        bool both = a->elements && b->elements, one = a->variables && b->variables;
        foi_class *constraint = both || one ? foi_equality_constraint(s, a->type) : NULL;
        const void *x = both ? (const void *)a->elements[i] : one ? a->variables[i] : NULL;
        const void *y = both ? (const void *)b->elements[i] : one ? b->variables[i] : NULL;
        if (constraint && foi_is_broken(s, x, y)) {
            foi_value values[2];
            if (both && (!foi_instance_value(s, e->place, a->elements[i], &values[0]) ||
                         !foi_instance_value(s, e->place, b->elements[i], &values[1])))
                return false;
            if (one) values[0] = foi_scalar(a->nodes[i]), values[1] = foi_scalar(b->nodes[i]);
            if (!join_broken(s, e, constraint, values)) return false;
        } else if (!(both ? join_instances(s, e, a->elements[i], b->elements[i])
                          : join_variables(s, e, a, i, b, i))) {
            return false;
        }
    }
    return true;
}

static bool join_instances(foi_session *s, const ends *e, foi_instance *a, foi_instance *b)
{
    if (foi_is_bus(a->c) != foi_is_bus(b->c))
        return foi_error(s, e->place, "'%s' and '%s' cannot be connected: only '%s' is expandable",
                         a->name, b->name, foi_is_bus(a->c) ? a->name : b->name);
    if (a->c->member_count != b->c->member_count)
        return foi_error(s, e->place,
                         "'%s' and '%s' cannot be connected: they have different "
                         "components",
                         a->name, b->name);
    if (!foi_enter(s, e->place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < a->c->member_count; i++) {
        const char *name = a->c->members[i].declaration->name;
        foi_component *other = foi_component_of(b, name);
        right = other ? join_components(s, e, &a->components[i], other)
                      : foi_error(s, e->place,
                                  "'%s' and '%s' cannot be connected: there is no '%s' "
                                  "in '%s'",
                                  a->name, b->name, name, b->name);
    }
    s->depth--;
    return right;
}

static bool check_port(foi_session *s, foi_place place, const foi_port *p)
{
    const foi_class *c = p->component->type;
    if (c->kind == FOI_CLASS_CONNECTOR) return true;
    // a plain input or output is a connector too
    if (c->builtin &&
        (p->component->causality || p->component->parent->c->kind == FOI_CLASS_CONNECTOR))
        return true;
    if (c->kind == FOI_CLASS_RECORD && p->component->parent->c->kind == FOI_CLASS_CONNECTOR)
        return true;
    return foi_error(s, place, "'%s' is a %s, not a connector", p->component->name,
                     c->builtin ? "variable" : foi_class_word(c));
}

bool foi_connect(foi_session *s, const foi_context *ctx, const foi_equation_ast *e)
{
    foi_port *a = NULL, *b = NULL;
    uint32_t a_count, b_count;
    bool a_absent, b_absent;
    ends both_ends = {.place = e->place};
    if (!foi_expand_ports(s, ctx, e->left->ref, &a, &a_count, &both_ends.a_outside, &a_absent) ||
        !foi_expand_ports(s, ctx, e->right->ref, &b, &b_count, &both_ends.b_outside, &b_absent))
        return false;
    if (a_absent || b_absent) return true;
    if (!foi_check_form(s, ctx, e->left->ref) || !foi_check_form(s, ctx, e->right->ref))
        return false;
    if (a_count != b_count)
        return foi_error(s, e->place, "%u and %u connectors cannot be connected", a_count, b_count);
    for (uint32_t i = 0; i < a_count; i++) {
        if (!check_port(s, e->left->place, &a[i]) || !check_port(s, e->right->place, &b[i]))
            return false;
        bool both = a[i].instance && b[i].instance;
        if (!(both ? join_instances(s, &both_ends, a[i].instance, b[i].instance)
                   : join_variables(s, &both_ends, a[i].component, a[i].index, b[i].component,
                                    b[i].index)))
            return false;
    }
    return true;
}

bool foi_note_flows(foi_session *s, const foi_component *c)
{
    if (!c->flow || !c->variables || c->variability <= FOI_PARAMETER) return true;
    bool connects = c->type->kind == FOI_CLASS_CONNECTOR;
    for (const foi_instance *i = c->parent; i; i = i->parent ? i->parent->parent : NULL)
        connects |= i->c->kind == FOI_CLASS_CONNECTOR;
    if (!connects) return true; // nothing can be connected to it
    // the outermost connector that this is part of
    const foi_instance *in = c->parent;
    while (in->parent && in->parent->parent->c->kind == FOI_CLASS_CONNECTOR)
        in = in->parent->parent;
    bool top = in->parent && in->c->kind == FOI_CLASS_CONNECTOR && !in->parent->parent->parent;
    for (uint32_t k = 0; k < c->count; k++) {
        foi_flat_variable **v = foi_arena_add(&s->arena, &s->flows, &s->flow_count, sizeof *v);
        bool *t = foi_arena_add(&s->arena, &s->flow_top, &s->flow_top_count, sizeof *t);
        if (!v || !t) return false;
        *v = c->variables[k], *t = top;
    }
    return true;
}

uint32_t foi_root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]]; // halves the way
    return i;
}

// The smaller number becomes the root, so that the order is that of declarations. True when the
// two were apart.
bool foi_unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = foi_root_of(parent, a), b = foi_root_of(parent, b);
    if (a == b) return false;
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
    return true;
}

static bool add_zero(foi_session *s, const foi_flat_expr *sum, foi_place place)
{
    foi_value left = foi_scalar(sum), right = foi_scalar(foi_flat_real(s->flat, 0));
    return sum && right.one && foi_add_equation(s, place, &left, &right);
}

// Potentials: each connection that joins two sets is an equation.
static bool potentials(foi_session *s, uint32_t *parent)
{
    for (uint32_t i = 0; i < s->connection_count; i++) {
        const foi_connection *c = &s->connections[i];
        if (c->flow || c->stream || !foi_unite(parent, c->a & ~1u, c->b & ~1u)) continue;
        foi_value a = foi_scalar(foi_flat_of(s->flat, s->variables[c->a / 2]));
        foi_value b = foi_scalar(foi_flat_of(s->flat, s->variables[c->b / 2]));
        if (!a.one || !b.one || !foi_add_equation(s, c->place, &a, &b)) return false;
        s->sink->equations[s->sink->count - 1].connected = true;
    }
    return true;
}

// The sum over one set of flows: `next` links its members.
static bool sum_flows(foi_session *s, const uint32_t *next, uint32_t first, foi_place place)
{
    const foi_flat_expr **terms = NULL;
    uint32_t count = 0;
    for (uint32_t i = first; i != UINT32_MAX; i = next[i]) {
        const foi_flat_expr *e = foi_flat_of(s->flat, s->variables[i / 2]);
        if (i & 1) e = foi_flat_unary(s->flat, FOI_OP_NEGATE, e);
        const foi_flat_expr **slot = foi_arena_add(&s->arena, &terms, &count, sizeof *slot);
        if (!e || !slot) return false;
        *slot = e;
    }
    return add_zero(s, foi_join(s, FOI_OP_ADD, terms, count), place);
}

static bool flows(foi_session *s, uint32_t *parent, uint32_t nodes)
{
    uint32_t *next = foi_arena_new(&s->arena, nodes, sizeof *next);
    uint32_t *last = foi_arena_new(&s->arena, nodes, sizeof *last);
    bool *member = foi_arena_new(&s->arena, nodes, sizeof *member);
    foi_place *place = foi_arena_new(&s->arena, nodes, sizeof *place);
    if (!next || !last || !member || !place) return false;
    for (uint32_t i = 0; i < s->flow_count; i++) {
        uint32_t inside = s->flows[i]->index * 2;
        if (!s->flow_top[i]) member[inside] = true, place[inside] = s->flows[i]->place;
    }
    for (uint32_t i = 0; i < s->connection_count; i++) {
        const foi_connection *c = &s->connections[i];
        if (!c->flow) continue;
        foi_unite(parent, c->a, c->b);
        member[c->a] = member[c->b] = true;
    }
    for (uint32_t i = s->connection_count; i-- > 0;) {
        const foi_connection *c = &s->connections[i];
        if (c->flow) place[foi_root_of(parent, c->a)] = c->place;
    }
    for (uint32_t i = 0; i < nodes; i++) next[i] = UINT32_MAX, last[i] = i;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t root = foi_root_of(parent, i);
        if (!member[i] || i == root) continue;
        next[last[root]] = i;
        last[root] = i;
    }
    for (uint32_t i = 0; i < nodes; i++)
        if (member[i] && foi_root_of(parent, i) == i && !sum_flows(s, next, i, place[i]))
            return false;
    for (uint32_t i = 0; i < s->flow_count; i++)
        if (s->flow_top[i] && !add_zero(s, foi_flat_of(s->flat, s->flows[i]), s->flows[i]->place))
            return false;
    return true;
}

// Sets of connected stream variables, on the inside and the outside.
static bool streams(foi_session *s, uint32_t *parent, uint32_t nodes)
{
    uint32_t *next = foi_arena_new(&s->arena, nodes, sizeof *next);
    uint32_t *last = foi_arena_new(&s->arena, nodes, sizeof *last);
    if (!next || !last) return false;
    for (uint32_t i = 0; i < nodes; i++) parent[i] = i;
    for (uint32_t i = 0; i < s->connection_count; i++)
        if (s->connections[i].stream) foi_unite(parent, s->connections[i].a, s->connections[i].b);
    for (uint32_t i = 0; i < nodes; i++) next[i] = UINT32_MAX, last[i] = i;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t root = parent[i] = foi_root_of(parent, i);
        if (i == root) continue;
        next[last[root]] = i;
        last[root] = i;
    }
    return foi_finish_streams(s, next, parent, nodes);
}

bool foi_finish_connections(foi_session *s)
{
    if (!s->connection_count && !s->flow_count && !s->stream_count) return true;
    uint32_t nodes = s->variable_count * 2;
    uint32_t *parent = foi_arena_new(&s->arena, nodes, sizeof *parent);
    if (!parent) return false;
    if (!foi_check_sources(s, parent, nodes)) return false;
    for (uint32_t i = 0; i < nodes; i++) parent[i] = i;
    if (!potentials(s, parent)) return false;
    for (uint32_t i = 0; i < nodes; i++) parent[i] = i;
    if (!flows(s, parent, nodes)) return false;
    return !s->stream_count || streams(s, parent, nodes);
}
