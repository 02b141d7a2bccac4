/// Variables whose level nothing determines: all of them can move by the same amount without any
/// equation noticing, as the potentials of a circuit without ground can. In the equations these
/// have as many derivatives with one sign as with the other:
///
///     sum over j in S of  dF_i / dv_j  =  0     for every equation i.
///
/// A set S is grown from one variable: where the sum of an equation is not zero, the variable whose
/// derivative makes it so is added, if there is one. Derivatives are compared as numbers, with
/// parameters and variables at values that have nothing in common.
#include <math.h>

#include "base/array.h"
#include "equations/equations.h"

typedef struct entry {
    uint32_t equation, variable;
    foi_node node;
    double value;
} entry;

typedef struct slopes {
    entry *list;
    size_t count, room;
    bool *in;    ///< per variable: belongs to S
    double *sum; ///< per equation
} slopes;

static double some_number(uint32_t kind, uint32_t index)
{
    uint64_t z = ((uint64_t)kind << 32) + index + 1;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return 0.5 + (double)(z >> 11) / (double)(UINT64_C(1) << 53);
}

// The level of a state is that of its start.
static bool is_movable(const foi_variable *v)
{
    return v->role == FOI_ROLE_CONTINUOUS && v->alias == FOI_NOTHING && v->flat && !v->wanted &&
           !v->state;
}

static bool collect(foi_equations *e, slopes *s)
{
    foi_graph *g = &e->g;
    for (uint32_t i = 0; i < e->equation_count; i++) {
        const foi_equation *q = &e->equations[i];
        if (q->removed || q->assigns != FOI_NOTHING) continue;
        if (!foi_graph_gradient(g, foi_subtract(g, q->left, q->right))) return false;
        for (size_t k = 0; k < g->list_count; k++) {
            foi_node leaf = g->list[k];
            if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE)) continue;
            entry found = {i, g->nodes[leaf].b, foi_gradient_at(g, leaf), 0};
            if (found.node == FOI_NO_NODE || !is_movable(&e->variables[found.variable])) continue;
            if (!foi_array_room(e->allocator, &s->list, &s->room, s->count + 1, sizeof found))
                return false;
            s->list[s->count++] = found;
        }
    }
    return true;
}

// A node refers only to nodes before it.
static bool evaluate(const foi_equations *e, slopes *s)
{
    const foi_graph *g = &e->g;
    double *value = foi_new(e->allocator, g->count, sizeof *value);
    if (!value) return false;
    for (size_t n = 0; n < g->count; n++) {
        const foi_graph_node *node = &g->nodes[n];
        if (foi_is_constant(g, (foi_node)n)) {
            value[n] = foi_constant_value(g, (foi_node)n);
        } else if (node->op == FOI_G_LEAF) {
            value[n] = some_number(node->a, node->b);
        } else {
            uint32_t arity = foi_op_arity((foi_op)node->op);
            value[n] = foi_op_any((foi_op)node->op, value[node->a], arity > 1 ? value[node->b] : 0,
                                  arity > 2 ? value[node->c] : 0);
        }
    }
    for (size_t k = 0; k < s->count; k++) s->list[k].value = value[s->list[k].node];
    foi_free(e->allocator, value);
    return true;
}

static bool cancels(double a, double b)
{
    return fabs(a + b) <= 0x1p-40 * (fabs(a) + fabs(b));
}

static void add(slopes *s, uint32_t variable)
{
    s->in[variable] = true;
    for (size_t k = 0; k < s->count; k++)
        if (s->list[k].variable == variable) {
            double *sum = &s->sum[s->list[k].equation], with = *sum + s->list[k].value;
            *sum = cancels(*sum, s->list[k].value) ? 0 : with;
        }
}

// False: S cannot be completed. *done: it is complete.
static bool grow(slopes *s, bool *done)
{
    *done = true;
    for (size_t k = 0, end; k < s->count; k = end) {
        uint32_t equation = s->list[k].equation;
        size_t found = s->count;
        for (end = k; end < s->count && s->list[end].equation == equation; end++)
            if (!s->in[s->list[end].variable] && cancels(s->sum[equation], s->list[end].value))
                found = end;
        if (s->sum[equation] == 0) continue;
        *done = false;
        if (found == s->count) return false;
        add(s, s->list[found].variable);
    }
    return true;
}

static bool floats_with(const foi_equations *e, slopes *s, uint32_t first)
{
    bool done = false, good = true;
    for (size_t v = 0; v < e->variable_count; v++) s->in[v] = false;
    for (size_t i = 0; i < e->equation_count; i++) s->sum[i] = 0;
    add(s, first);
    while (good && !done) good = grow(s, &done);
    return good;
}

// What no equation has in it at all, as the potential of a resistor between a node and itself.
static bool is_nowhere(const foi_equations *e, const slopes *s, uint32_t v)
{
    if (!is_movable(&e->variables[v])) return false;
    for (size_t k = 0; k < s->count; k++)
        if (s->list[k].variable == v) return false;
    return true;
}

bool foi_floating(foi_equations *e, bool *floats)
{
    slopes s = {.in = floats};
    bool found = false;
    s.sum = foi_new(e->allocator, e->equation_count, sizeof *s.sum);
    bool good = s.sum && collect(e, &s) && evaluate(e, &s);
    for (size_t k = 0; good && k < s.count && !found; k++)
        found = floats_with(e, &s, s.list[k].variable);
    for (uint32_t v = 0; good && v < e->variable_count && !found; v++) {
        found = is_nowhere(e, &s, v);
        for (uint32_t i = 0; i < e->variable_count && found; i++) floats[i] = i == v;
    }
    foi_free(e->allocator, s.sum);
    foi_free(e->allocator, s.list);
    return found;
}
