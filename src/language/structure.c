/// What is connected with what, found out before the equations are made (Modelica 3.6, chapter 9).
///
/// An overconstrained connector holds a record with more variables than degrees of freedom, such as
/// an orientation: its class has a function `equalityConstraint`. Connections of such records must
/// make a tree from a root, or there are too many equations. The records are the nodes of a graph.
/// Its edges that are always there are those of `Connections.branch`; a connection is an edge that
/// may be broken: then the residues of `equalityConstraint` stand for the equalities. The spanning
/// tree takes, in this order: all branches; the definite roots, joined to one virtual root; the
/// connections, each unless it would close a circle; and for what then has no root its potential
/// root of the least priority.
///
/// `cardinality` counts in the same survey.
#include <string.h>

#include "language/session.h"

typedef struct edge {
    uint32_t a, b; ///< nodes
    bool branch;   ///< always there
    bool broken;
    foi_place place;
} edge;

/// Something that is connected: a record of the graph, or a connector that is counted.
typedef struct node {
    const void *key;
    uint32_t cardinality;
    uint32_t parent;   ///< of union and find
    uint32_t distance; ///< from the root, counted in edges
    double priority;   ///< of a potential root; negative: it is none
    bool definite, root;
} node;

struct foi_graph {
    node *nodes; ///< nodes[0] is the virtual root
    uint32_t node_count;
    uint32_t *table; ///< hash of keys: index of a node; 0: free
    uint32_t table_size;
    edge *edges;
    uint32_t edge_count, cursor;
};

static bool grow(foi_session *s, foi_graph *g)
{
    uint32_t size = g->table_size ? g->table_size * 2 : 64;
    uint32_t *table = foi_arena_new(&s->arena, size, sizeof *table);
    if (!table) return false;
    for (uint32_t i = 1; i < g->node_count; i++) {
        size_t at = ((uintptr_t)g->nodes[i].key / 8 * 0x9e3779b1u) & (size - 1);
        while (table[at]) at = (at + 1) & (size - 1);
        table[at] = i;
    }
    g->table = table, g->table_size = size;
    return true;
}

// The node of a thing, made when `make`; 0: there is none.
static uint32_t node_of(foi_session *s, foi_graph *g, const void *key, bool make)
{
    if (g->node_count * 2 >= g->table_size && (!make || !grow(s, g))) {
        if (!g->table_size) return 0;
    }
    size_t at = ((uintptr_t)key / 8 * 0x9e3779b1u) & (g->table_size - 1);
    for (; g->table[at]; at = (at + 1) & (g->table_size - 1))
        if (g->nodes[g->table[at]].key == key) return g->table[at];
    if (!make) return 0;
    node *n = foi_arena_add(&s->arena, &g->nodes, &g->node_count, sizeof *n);
    if (!n) return 0;
    *n = (node){.key = key, .parent = g->node_count - 1, .distance = UINT32_MAX, .priority = -1};
    return g->table[at] = g->node_count - 1;
}

foi_class *foi_equality_constraint(foi_session *s, foi_class *c)
{
    bool inside = !c->builtin; // a type of the language has it in a class inside
    if (c->kind == FOI_CLASS_BUILTIN || c->kind == FOI_CLASS_CONNECTOR) return NULL;
    for (const foi_class *t = c; !inside && t;
         t = t->extends_count == 1 ? t->extends[0].resolved : NULL)
        inside = foi_origin((foi_class *)t)->class_count > 0;
    if (!inside) return NULL;
    const char *name = foi_name(s, "equalityConstraint");
    foi_class *f = name ? foi_find_in_class(s, c, name) : NULL;
    return f && f->kind == FOI_CLASS_FUNCTION ? f : NULL;
}

// --------------------------------------------------------------------------------------- the
// survey

static bool add_edge(foi_session *s, const void *a, const void *b, bool branch, foi_place place)
{
    foi_graph *g = s->graph;
    uint32_t from = node_of(s, g, a, true), to = node_of(s, g, b, true);
    edge *e = from && to ? foi_arena_add(&s->arena, &g->edges, &g->edge_count, sizeof *e) : NULL;
    if (e) *e = (edge){.a = from, .b = to, .branch = branch, .place = place};
    return e;
}

// The records of the graph inside of two connectors, in the order in which they are connected.
static bool note_records(foi_session *s, foi_instance *a, foi_instance *b, foi_place place)
{
    if (!foi_enter(s, place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < a->c->member_count; i++) {
        foi_component *x = &a->components[i];
        foi_component *y = foi_component_of(b, a->c->members[i].declaration->name);
        if (!y) continue; // said when it is connected
        right = foi_size(s, x) && foi_size(s, y);
        if (!right || x->absent || y->absent) continue;
        bool graph = foi_equality_constraint(s, x->type);
        for (uint32_t k = 0; right && graph && x->variables && k < x->count && k < y->count; k++)
            right = add_edge(s, x->variables[k], y->variables[k], false, place);
        if (!x->elements || !y->elements) continue;
        for (uint32_t k = 0; right && k < x->count && k < y->count; k++)
            right = graph ? add_edge(s, x->elements[k], y->elements[k], false, place)
                          : note_records(s, x->elements[k], y->elements[k], place);
    }
    s->depth--;
    return right;
}

static const void *key_of(const foi_port *p)
{
    if (p->instance) return p->instance;
    return p->component->variables ? (const void *)p->component->variables[p->index]
                                   : (const void *)p->component;
}

static bool survey_connect(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                           void *data)
{
    (void)data;
    foi_port *a = NULL, *b = NULL;
    uint32_t a_count, b_count;
    bool a_out, b_out, a_absent, b_absent;
    if (!foi_expand_ports(s, ctx, e->left->ref, &a, &a_count, &a_out, &a_absent) ||
        !foi_expand_ports(s, ctx, e->right->ref, &b, &b_count, &b_out, &b_absent))
        return false;
    if (a_absent || b_absent) return true;
    for (uint32_t i = 0; i < a_count && i < b_count; i++) {
        uint32_t x = node_of(s, s->graph, key_of(&a[i]), true);
        uint32_t y = x ? node_of(s, s->graph, key_of(&b[i]), true) : 0;
        if (!y) return false;
        s->graph->nodes[x].cardinality++, s->graph->nodes[y].cardinality++;
        if (a[i].instance && b[i].instance &&
            !note_records(s, a[i].instance, b[i].instance, e->place))
            return false;
    }
    return true;
}

static bool record_argument(foi_session *s, const foi_context *ctx, const foi_ast *call, uint32_t i,
                            const void **found)
{
    foi_port *ports = NULL;
    uint32_t count = 0;
    bool outside, absent = false;
    if (call->count <= i || call->items[i]->kind != FOI_AST_REF)
        return foi_error(s, call->place, "'Connections.%s' needs a record of a connector",
                         call->ref->parts[call->ref->count - 1].name);
    if (!foi_expand_ports(s, ctx, call->items[i]->ref, &ports, &count, &outside, &absent))
        return false;
    *found = NULL;
    if (absent) return true;
    bool typed = count == 1 && foi_equality_constraint(s, ports[0].component->type);
    typed |=
        count > 1 && !ports[0].instance && foi_equality_constraint(s, ports[0].component->type);
    if (!typed && (count != 1 || !ports[0].instance))
        return foi_error(s, call->items[i]->place, "'Connections.%s' needs one record",
                         call->ref->parts[call->ref->count - 1].name);
    *found = key_of(&ports[0]);
    return true;
}

static bool note_root(foi_session *s, const foi_context *ctx, const foi_ast *call, bool definite)
{
    const void *a;
    double priority = 0;
    const foi_ast *given = foi_call_argument(call, 1, "priority");
    if (!record_argument(s, ctx, call, 0, &a)) return false;
    if (!a) return true;
    if (!definite && given &&
        !foi_expand_known(s, ctx, given, FOI_INTEGER, "the priority", &priority))
        return false;
    uint32_t n = node_of(s, s->graph, a, true);
    if (!n) return false;
    if (definite)
        s->graph->nodes[n].definite = true;
    else
        s->graph->nodes[n].priority = priority;
    return true;
}

static bool survey_call(foi_session *s, const foi_context *ctx, const foi_ast *call, void *data)
{
    (void)data;
    if (call->ref->count != 2 || strcmp(call->ref->parts[0].name, "Connections") != 0) return true;
    const char *what = call->ref->parts[1].name;
    if (strcmp(what, "root") == 0) return note_root(s, ctx, call, true);
    if (strcmp(what, "potentialRoot") == 0) return note_root(s, ctx, call, false);
    if (strcmp(what, "branch") == 0) {
        const void *a, *b;
        if (!record_argument(s, ctx, call, 0, &a) || !record_argument(s, ctx, call, 1, &b))
            return false;
        return !a || !b || add_edge(s, a, b, true, call->place);
    }
    return foi_error(s, call->place, "there is no 'Connections.%s' among equations", what);
}

// ---------------------------------------------------------------------------------------- the
// visit

/// A loop that is visited.
typedef struct visited_loop {
    const foi_visitor *v;
    const foi_branch_ast *body;
} visited_loop;

static bool visit_list(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                       uint32_t count, const foi_visitor *v);

static bool visit_body(foi_session *s, const foi_context *ctx, void *data)
{
    const visited_loop *l = data;
    return visit_list(s, ctx, l->body->body, l->body->count, l->v);
}

static bool has_structure(foi_equation_ast *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const foi_equation_ast *e = items[i];
        if (e->kind == FOI_EQ_CONNECT) return true;
        if (e->kind == FOI_EQ_CALL && strcmp(e->left->ref->parts[0].name, "Connections") == 0)
            return true;
        for (uint32_t b = 0; b < e->branch_count; b++)
            if (has_structure(e->branches[b].body, e->branches[b].count)) return true;
    }
    return false;
}

// Only what is decided before the run may have structure; whether that is so is checked later.
static bool visit_if(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                     const foi_visitor *v)
{
    for (uint32_t b = 0; b < e->branch_count; b++) {
        const foi_branch_ast *branch = &e->branches[b];
        double known = 1;
        if (branch->condition &&
            !foi_expand_known(s, ctx, branch->condition, FOI_BOOLEAN,
                              "the condition of an if-equation with 'connect'", &known))
            return false;
        if (known) return visit_list(s, ctx, branch->body, branch->count, v);
    }
    return true;
}

static bool visit_equation(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                           const foi_visitor *v)
{
    visited_loop loop = {v, e->branches};
    switch (e->kind) {
    case FOI_EQ_CONNECT:
        return foi_is_connection_left_out(ctx, e) || v->connect(s, ctx, e, v->data);
    case FOI_EQ_CALL: return !v->call || v->call(s, ctx, e->left, v->data);
    case FOI_EQ_IF: return visit_if(s, ctx, e, v);
    case FOI_EQ_FOR: return foi_loop(s, ctx, e->iterators, e->iterator_count, visit_body, &loop);
    default: return true;
    }
}

static bool visit_list(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                       uint32_t count, const foi_visitor *v)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!has_structure(&items[i], 1)) continue;
        if (!foi_enter(s, items[i]->place)) return false;
        bool right = visit_equation(s, ctx, items[i], v);
        s->depth--;
        if (!right) return false;
    }
    return true;
}

bool foi_visit(foi_session *s, foi_instance *instance, const foi_visitor *v)
{
    if (!foi_enter(s, instance->c->place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < instance->c->member_count; i++) {
        foi_component *c = &instance->components[i];
        if (c->sizing != FOI_SIZED || c->absent || foi_is_outer(c)) continue;
        for (uint32_t k = 0; right && c->elements && k < c->count; k++)
            right = foi_visit(s, c->elements[k], v);
    }
    for (uint32_t a = 0; right && a < instance->c->ancestor_count; a++) {
        foi_class *c = instance->c->ancestors[a];
        for (uint32_t i = 0; right && i < c->section_count; i++) {
            const foi_section *section = &c->sections[i];
            foi_context ctx = {.self = instance, .lexical = c};
            if (!section->algorithm && !section->initial)
                right = visit_list(s, &ctx, section->items, section->count, v);
        }
    }
    s->depth--;
    return right;
}

// --------------------------------------------------------------------------------- the spanning
// tree

static uint32_t top_of(foi_graph *g, uint32_t i)
{
    while (g->nodes[i].parent != i) {
        g->nodes[i].parent = g->nodes[g->nodes[i].parent].parent;
        i = g->nodes[i].parent;
    }
    return i;
}

static bool unite(foi_graph *g, uint32_t a, uint32_t b)
{
    a = top_of(g, a), b = top_of(g, b);
    if (a == b) return false;
    if (a < b)
        g->nodes[b].parent = a;
    else
        g->nodes[a].parent = b;
    return true;
}

// The potential root of the least priority for each part without a root, the first of several.
static void choose_roots(foi_graph *g)
{
    for (;;) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < g->node_count; i++)
            if (g->nodes[i].priority >= 0 && top_of(g, i) != 0 &&
                (!best || g->nodes[i].priority < g->nodes[best].priority))
                best = i;
        if (!best) return;
        g->nodes[best].root = true;
        unite(g, 0, best);
    }
}

// How far each node is from its root, along the tree.
static void measure(foi_graph *g)
{
    for (uint32_t i = 1; i < g->node_count; i++) g->nodes[i].distance = UINT32_MAX;
    for (uint32_t i = 1; i < g->node_count; i++)
        if (g->nodes[i].root) g->nodes[i].distance = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->edge_count; i++) {
            if (g->edges[i].broken) continue;
            node *a = &g->nodes[g->edges[i].a], *b = &g->nodes[g->edges[i].b];
            node *near = a->distance < b->distance ? a : b, *far = near == a ? b : a;
            if (near->distance == UINT32_MAX || far->distance <= near->distance + 1) continue;
            far->distance = near->distance + 1;
            changed = true;
        }
    }
}

static bool span(foi_session *s, foi_graph *g)
{
    for (uint32_t i = 0; i < g->edge_count; i++)
        if (g->edges[i].branch && !unite(g, g->edges[i].a, g->edges[i].b))
            return foi_error(
                s, g->edges[i].place,
                "'Connections.branch' closes a loop of branches: they must form a tree");
    for (uint32_t i = 1; i < g->node_count; i++)
        if (g->nodes[i].definite) g->nodes[i].root = true, unite(g, 0, i);
    for (uint32_t i = 0; i < g->edge_count; i++)
        if (!g->edges[i].branch) g->edges[i].broken = !unite(g, g->edges[i].a, g->edges[i].b);
    choose_roots(g);
    measure(g);
    return true;
}

bool foi_survey(foi_session *s, foi_instance *top)
{
    s->graph = foi_arena_new(&s->arena, 1, sizeof *s->graph);
    if (!s->graph || !grow(s, s->graph)) return false;
    node *root = foi_arena_add(&s->arena, &s->graph->nodes, &s->graph->node_count, sizeof *root);
    if (!root) return false;
    *root = (node){.priority = -1};
    foi_visitor v = {survey_connect, survey_call, NULL};
    return foi_visit(s, top, &v) && span(s, s->graph);
}

// ------------------------------------------------------------------------------------- what it
// gives

bool foi_is_broken(foi_session *s, const void *a, const void *b)
{
    foi_graph *g = s->graph;
    // connections come in the order of the survey; branches are not among them
    for (uint32_t i = 0; g && i < g->edge_count; i++) {
        uint32_t k = (g->cursor + i) % g->edge_count;
        const edge *e = &g->edges[k];
        if (e->branch || g->nodes[e->a].key != a || g->nodes[e->b].key != b) continue;
        g->cursor = k + 1;
        return e->broken;
    }
    return false;
}

static bool root_call(foi_session *s, const foi_context *ctx, const foi_ast *e, bool is_root,
                      foi_value *out)
{
    const void *a;
    foi_graph *g = s->graph;
    if (!record_argument(s, ctx, e, 0, &a)) return false;
    uint32_t n = a && g ? node_of(s, g, a, false) : 0;
    bool value = n && g->nodes[n].root;
    for (uint32_t i = 0; n && !is_root && i < g->edge_count; i++) {
        const edge *b = &g->edges[i];
        if (!b->branch || (b->a != n && b->b != n)) continue;
        uint32_t other = b->a == n ? b->b : b->a;
        value = g->nodes[n].distance < g->nodes[other].distance;
        break;
    }
    *out = foi_scalar(foi_flat_boolean(s->flat, value));
    return out->one;
}

bool foi_structure_call(foi_session *s, const foi_context *ctx, const foi_ast *e, bool *handled,
                        foi_value *out)
{
    const char *name = e->ref->parts[0].name;
    *handled = true;
    if (e->ref->count == 2 && strcmp(name, "Connections") == 0) {
        const char *what = e->ref->parts[1].name;
        bool is_root = strcmp(what, "isRoot") == 0;
        if (is_root || strcmp(what, "rooted") == 0) return root_call(s, ctx, e, is_root, out);
        return foi_error(s, e->place, "'Connections.%s' has no value", what);
    }
    if (e->ref->count == 1 && strcmp(name, "rooted") == 0) return root_call(s, ctx, e, false, out);
    if (e->ref->count == 1 && strcmp(name, "cardinality") == 0) {
        foi_port *ports = NULL;
        uint32_t count = 0;
        bool outside, absent = false;
        if (e->count != 1 || e->items[0]->kind != FOI_AST_REF)
            return foi_error(s, e->place, "'cardinality' needs a connector");
        if (!foi_expand_ports(s, ctx, e->items[0]->ref, &ports, &count, &outside, &absent))
            return false;
        const foi_class *type = absent || count != 1 ? NULL
                                : ports[0].instance  ? ports[0].instance->c
                                                     : ports[0].component->type;
        if (type && type->kind != FOI_CLASS_CONNECTOR)
            return foi_error(s, e->place, "'cardinality' needs a connector");
        if (!absent && count != 1)
            return foi_error(s, e->place, "'cardinality' needs one connector");
        uint32_t n = absent || !s->graph ? 0 : node_of(s, s->graph, key_of(&ports[0]), false);
        *out = foi_scalar(foi_flat_integer(s->flat, n ? s->graph->nodes[n].cardinality : 0));
        return out->one;
    }
    return *handled = false;
}
