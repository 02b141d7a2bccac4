/// homotopy(actual, simplified): equations of which a simplified form is easier to start with.
///
/// In the initial system it is
///     lambda actual + (1 - lambda) simplified,
/// with lambda going from 0 to 1 (program/start.c); in the run it is `actual`, and the simplified
/// form is not even looked at: it has no say in what depends on what. So such an equation has a
/// right side of its own for the start.
#include "base/array.h"
#include "equations/equations.h"

foi_node foi_homotopy(foi_equations *e, foi_node actual, foi_node simplified)
{
    foi_graph *g = &e->g;
    if (actual == simplified) return actual;
    e->uses_homotopy = true;
    foi_node lambda = foi_leaf_of(g, FOI_LEAF_LAMBDA, 0), one = foi_constant(g, 1);
    foi_node way = foi_add(g, foi_multiply(g, lambda, actual),
                           foi_multiply(g, foi_subtract(g, one, lambda), simplified));
    // at its end nothing of the simplified form is left, be it infinite
    return foi_make(g, FOI_G_IF, foi_make(g, FOI_G_LESS, lambda, one, 0), way, actual);
}

static foi_node as_in_the_run(void *self, foi_graph *g, foi_node leaf)
{
    (void)self;
    return foi_is_leaf(g, leaf, FOI_LEAF_LAMBDA) ? foi_constant(g, 1) : leaf;
}

// left = right in the run; at the start left = initial.
static void split(foi_equations *e, foi_equation *q, foi_node left, foi_node right)
{
    foi_graph *g = &e->g;
    if (left == q->left && right == q->right) return;
    if (q->initial == FOI_NO_NODE)
        q->initial =
            left == q->left ? q->right : foi_add(g, q->right, foi_subtract(g, left, q->left));
    q->left = left, q->right = right;
}

fo_status foi_split_homotopy(foi_equations *e)
{
    size_t n = e->equation_count, m = e->variable_count;
    if (!e->uses_homotopy) return FO_OK;
    foi_node *sides = foi_new(e->allocator, 2 * n, sizeof *sides);
    if (!sides) return foi_equations_no_memory(e);
    for (size_t i = 0; i < n; i++)
        sides[2 * i] = e->equations[i].left, sides[2 * i + 1] = e->equations[i].right;
    bool good = foi_graph_replace_all(&e->g, sides, 2 * n, as_in_the_run, e);
    for (size_t i = 0; i < n && good; i++)
        split(e, &e->equations[i], sides[2 * i], sides[2 * i + 1]);
    foi_free(e->allocator, sides);
    for (size_t i = 0; i < m && good; i++) {
        foi_variable *v = &e->variables[i];
        if (v->binding != FOI_NO_NODE)
            v->binding = foi_graph_replace(&e->g, v->binding, as_in_the_run, e);
        if (v->start != FOI_NO_NODE)
            v->start = foi_graph_replace(&e->g, v->start, as_in_the_run, e);
    }
    return good && !e->g.failed ? FO_OK : foi_equations_no_memory(e);
}
