// Integrators and linear systems as expressions, and nodes that look at signals: see
// nodes_continuous.c, nodes_linear.c and nodes_signals.c.
#include "diagram/lower.h"
#include "diagram/node_continuous.h"

// ------------------------------------------------------------------------------------ integrator

static void integrator(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < n->state_count; i++)
        foi_lower_put(l, n, i, foi_term_state(l->terms, n->state + i));
}

static void integrator_rates(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < n->state_count; i++) l->rates[n->state + i] = foi_lower_in(l, n, 0, i);
}

static void integrator_watch(foi_lower *l, const foi_node *n)
{
    foi_term reset = foi_lower_in(l, n, 1, 0);
    if (n->inputs[1]->shape.kind == FOI_SIGNAL_BOOLEAN)
        reset = foi_lower_by(l, FOI_G_SUBTRACT, reset, 0.5);
    foi_lower_side(l, n, 0, reset);
}

// ---------------------------------------------------------------------------------------- linear

// sum + factor * value
static foi_term add(foi_lower *l, foi_term sum, double factor, foi_term value)
{
    foi_term product = foi_lower_2(l, FOI_G_MULTIPLY, foi_lower_number(l, factor), value);
    return foi_lower_2(l, FOI_G_ADD, sum, product);
}

// Row i of X x + Y u, in this order; without Y where it is NULL.
static foi_term row(foi_lower *l, const foi_node *n, uint32_t i, const double *x, const double *y)
{
    const foi_linear *m = n->extra;
    foi_term sum = foi_lower_number(l, 0);
    for (uint32_t j = 0; j < m->states; j++)
        sum = add(l, sum, x[(size_t)i * m->states + j], foi_term_state(l->terms, n->state + j));
    for (uint32_t j = 0; y && j < m->inputs; j++)
        sum = add(l, sum, y[(size_t)i * m->inputs + j], foi_lower_in(l, n, 0, j));
    return sum;
}

static void linear(foi_lower *l, const foi_node *n)
{
    const foi_linear *m = n->extra;
    for (uint32_t i = 0; i < m->outputs; i++)
        foi_lower_put(l, n, i, row(l, n, i, m->c, n->through ? m->d : NULL));
}

static void linear_rates(foi_lower *l, const foi_node *n)
{
    const foi_linear *m = n->extra;
    for (uint32_t i = 0; i < m->states; i++) l->rates[n->state + i] = row(l, n, i, m->a, m->b);
}

// --------------------------------------------------------------------------------- of one signal

static void conversion(foi_lower *l, const foi_node *n)
{
    bool truth = foi_lower_choice(l, n, "Convert to");
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term u = foi_lower_in(l, n, 0, i);
        foi_lower_put(l, n, i, truth ? foi_lower_by(l, FOI_G_NOT_EQUAL, u, 0) : u);
    }
}

static void crossing_watch(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < n->guard_count; i++)
        foi_lower_side(l, n, i,
                       foi_lower_2(l, FOI_G_SUBTRACT, foi_lower_in(l, n, 0, i),
                                   foi_lower_value(l, n, "Crossing Offset", i)));
}

// Memory 0 is the number of the next tick.
static void initial_condition(foi_lower *l, const foi_node *n)
{
    foi_term first = foi_lower_by(l, FOI_G_LESS, foi_term_memory(l->terms, 0), 2);
    for (uint32_t i = 0; i < foi_lower_size(n); i++)
        foi_lower_put(l, n, i,
                      foi_lower_if(l, first, foi_lower_value(l, n, "Initial Value", i),
                                   foi_lower_in(l, n, 0, i)));
}

// What is known of a signal does not depend on its values.
static void probe(foi_lower *l, const foi_node *n)
{
    const foi_signal *u = n->inputs[0];
    double values[2] = {0, u->shape.cols};
    switch (foi_lower_choice(l, n, "Probing")) {
    case 0: values[0] = foi_array_size(&u->shape); break;
    case 1: values[0] = u->node->sample < INFINITY ? u->node->sample : 0; break;
    case 2: values[0] = u->shape.kind == FOI_SIGNAL_COMPLEX; break;
    default: values[0] = u->shape.rows; break;
    }
    for (uint32_t i = 0; i < foi_lower_size(n) && i < 2; i++)
        foi_lower_put(l, n, i, foi_lower_number(l, values[i]));
}

const foi_lowering foi_lower_continuous[] = {
    {"Integrator", integrator, integrator_rates, integrator_watch},
    {"State Space", linear, linear_rates, NULL},
    {"Transfer Function", linear, linear_rates, NULL},
    {"Zero-Pole", linear, linear_rates, NULL},
    {.type = "Data Type Conversion", .output = conversion},
    {.type = "Zero Crossing", .watch = crossing_watch},
    {.type = "Initial Condition", .output = initial_condition},
    {.type = "Probe", .output = probe},
    {0},
};
