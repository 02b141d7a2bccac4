/// Derivatives that vanish: c der(v) with a c that formulas of parameters make zero, directly or
/// through an equation c = ... of its own, says nothing about der(v). What is a state is decided by
/// these numbers then, so they become structural, and the equations are taken apart anew. A number
/// that the user may set himself stays one.
#include "base/array.h"
#include "equations/equations.h"

typedef struct vanishing {
    foi_equations *e;
    bool *zero;       ///< per variable: it is, with the parameters as they are
    uint32_t *of;     ///< per variable that flows: the equation that makes it so
    foi_node *before; ///< both sides of each equation
    foi_node *after;  ///< the same with zeros in them
    size_t count;     ///< of sides
} vanishing;

static bool zero_parameters(const vanishing *w)
{
    const foi_equations *e = w->e;
    bool any = false;
    for (uint32_t i = 0; i < e->flat->variable_count; i++) {
        foi_flat_variable *v = e->flat->variables[i];
        const foi_flat_expr x = {.op = FOI_OP_VARIABLE, .type = v->type, .size = 1, .variable = v};
        double value;
        if (e->variables[i].role != FOI_ROLE_COMPUTED || v->structural ||
            v->variability != FOI_PARAMETER || v->type != FOI_REAL)
            continue;
        w->zero[i] = foi_flat_evaluate(&x, false, &value) && value == 0;
        any |= w->zero[i];
    }
    return any;
}

static foi_node as_zero(void *self, foi_graph *g, foi_node leaf)
{
    const vanishing *w = self;
    if (!foi_is_leaf(g, leaf, FOI_LEAF_VARIABLE) || !w->zero[g->nodes[leaf].b]) return leaf;
    return foi_constant(g, 0);
}

// v = ..., where that is zero.
static bool find_zero(vanishing *w, uint32_t equation)
{
    const foi_graph *g = &w->e->g;
    for (size_t side = 0; side < 2; side++) {
        foi_node n = w->before[2 * equation + side];
        if (!foi_is_number(g, w->after[2 * equation + 1 - side], 0)) continue;
        if (!foi_is_leaf(g, n, FOI_LEAF_VARIABLE)) continue;
        uint32_t v = g->nodes[n].b;
        if (w->zero[v] || w->e->variables[v].role != FOI_ROLE_CONTINUOUS) continue;
        w->zero[v] = true, w->of[v] = equation;
        return true;
    }
    return false;
}

// Zeros follow from zeros; a chain of them that is longer than this is not followed to its end.
static bool follow(vanishing *w)
{
    enum { MOST_PASSES = 16 };
    const foi_equations *e = w->e;
    bool more = true;
    for (int pass = 0; pass < MOST_PASSES && more; pass++) {
        for (size_t i = 0; i < w->count; i++) w->after[i] = w->before[i];
        if (!foi_graph_replace_all(&w->e->g, w->after, w->count, as_zero, w)) return false;
        more = false;
        for (uint32_t i = 0; i < e->equation_count; i++)
            if (!e->equations[i].removed && e->equations[i].assigns == FOI_NOTHING)
                more |= find_zero(w, i);
    }
    return true;
}

// How many derivatives there are in an equation; SIZE_MAX without memory.
static size_t rates_in(foi_equations *e, const foi_node *sides)
{
    size_t count = 0;
    if (!foi_graph_reach(&e->g, sides, 2)) return SIZE_MAX;
    for (size_t i = 0; i < e->g.list_count; i++)
        if (foi_is_leaf(&e->g, e->g.list[i], FOI_LEAF_VARIABLE))
            count += e->variables[e->g.nodes[e->g.list[i]].b].integral != FOI_NOTHING;
    return count;
}

// The parameters that make zero what is in the equation, and in those that make others zero.
static fo_status freeze(vanishing *w, uint32_t equation)
{
    foi_equations *e = w->e;
    uint32_t *queue = foi_new(e->allocator, e->equation_count + 1, sizeof *queue);
    uint32_t count = 0;
    if (!queue) return foi_equations_no_memory(e);
    queue[count++] = equation;
    for (uint32_t at = 0; at < count; at++) {
        if (!foi_graph_reach(&e->g, &w->before[2 * queue[at]], 2)) break;
        for (size_t i = 0; i < e->g.list_count; i++) {
            foi_node n = e->g.list[i];
            uint32_t v = e->g.nodes[n].b;
            double value;
            if (!foi_is_leaf(&e->g, n, FOI_LEAF_VARIABLE) || !w->zero[v]) continue;
            w->zero[v] = false; // it has been looked at
            if (e->variables[v].role == FOI_ROLE_CONTINUOUS) {
                queue[count++] = w->of[v];
                continue;
            }
            foi_flat_variable *p = e->flat->variables[v];
            const foi_flat_expr x = {
                .op = FOI_OP_VARIABLE, .type = p->type, .size = 1, .variable = p};
            e->froze |= foi_flat_evaluate(&x, true, &value);
        }
    }
    foi_free(e->allocator, queue);
    return e->g.failed ? foi_equations_no_memory(e) : FO_OK;
}

// Of few models, so that a page loads it when it is needed (tools/wasm_second.txt).
__attribute__((noinline)) static fo_status look(vanishing *w)
{
    foi_equations *e = w->e;
    if (!follow(w)) return foi_equations_no_memory(e);
    for (uint32_t i = 0; i < e->equation_count; i++) {
        const foi_node *before = &w->before[2 * i], *after = &w->after[2 * i];
        if (e->equations[i].removed || (before[0] == after[0] && before[1] == after[1])) continue;
        size_t all = rates_in(e, before);
        size_t left = all > 0 ? rates_in(e, after) : 0;
        if (all == SIZE_MAX || left == SIZE_MAX) return foi_equations_no_memory(e);
        if (left == all) continue;
        fo_status status = freeze(w, i);
        if (status != FO_OK) return status;
    }
    return FO_OK;
}

fo_status foi_freeze_vanishing(foi_equations *e)
{
    vanishing w = {.e = e, .count = 2 * e->equation_count};
    w.zero = foi_new(e->allocator, e->variable_count + 1, sizeof *w.zero);
    if (!w.zero) return foi_equations_no_memory(e);
    fo_status status = FO_OK;
    if (zero_parameters(&w)) {
        w.of = foi_new(e->allocator, e->variable_count + 1, sizeof *w.of);
        w.before = foi_new(e->allocator, w.count + 1, sizeof *w.before);
        w.after = foi_new(e->allocator, w.count + 1, sizeof *w.after);
        for (size_t i = 0; i < e->equation_count && w.before; i++)
            w.before[2 * i] = e->equations[i].left, w.before[2 * i + 1] = e->equations[i].right;
        status = w.of && w.before && w.after ? look(&w) : foi_equations_no_memory(e);
        foi_free(e->allocator, w.of);
        foi_free(e->allocator, w.before);
        foi_free(e->allocator, w.after);
    }
    foi_free(e->allocator, w.zero);
    return status;
}
