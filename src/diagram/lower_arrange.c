// Nodes that arrange the elements of signals, as expressions: see nodes_arrange.c.
#include "diagram/lower.h"

enum { MAX_CHOICE = 64 }; ///< elements to choose from while running

static void concatenation(foi_lower *l, const foi_node *n)
{
    const foi_array *u = &n->inputs[0]->shape, *y = &n->outputs[0].shape;
    bool vertical = foi_lower_choice(l, n, "Concatenation Method");
    if (!foi_lower_expect(l, n, 2)) return;
    for (uint32_t i = 0; i < y->rows; i++)
        for (uint32_t j = 0; j < y->cols; j++) {
            uint32_t port = vertical ? i >= u->rows : j >= u->cols;
            uint32_t row = vertical && port ? i - u->rows : i;
            uint32_t col = !vertical && port ? j - u->cols : j;
            foi_lower_copy(l, n, i * y->cols + j, port, row * n->inputs[port]->shape.cols + col);
        }
}

static void merge(foi_lower *l, const foi_node *n)
{
    const foi_array *initial = foi_lower_array(l, n, "Initial Output");
    const foi_array *offsets = foi_lower_array(l, n, "Input Port Offsets");
    if (!foi_lower_expect(l, n, 2)) return;
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        double complex z = foi_complex_at(initial, i);
        foi_lower_put_complex(l, n, i, foi_lower_number(l, creal(z)),
                              foi_lower_number(l, cimag(z)));
    }
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t i = 0; i < foi_array_size(&n->inputs[k]->shape); i++)
            foi_lower_copy(l, n, (uint32_t)foi_real_at(offsets, k) + i, k, i);
}

// All elements of all inputs, one after the other.
static void mux(foi_lower *l, const foi_node *n)
{
    uint32_t at = 0;
    for (uint32_t port = 0; port < n->input_count; port++)
        for (uint32_t i = 0; i < foi_array_size(&n->inputs[port]->shape); i++)
            foi_lower_copy(l, n, at++, port, i);
}

static void demux(foi_lower *l, const foi_node *n)
{
    uint32_t at = 0;
    for (uint32_t port = 0; port < n->output_count; port++)
        for (uint32_t i = 0; i < foi_array_size(&n->outputs[port].shape); i++, at++)
            foi_lower_put_at(l, n, port, i, foi_lower_in(l, n, 0, at),
                             foi_lower_imaginary(l, n, 0, at));
}

// What only leads on: ports of subsystems, tags.
static void pass(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) foi_lower_copy(l, n, i, 0, i);
}

static void reshape(foi_lower *l, const foi_node *n)
{
    const foi_array *u = &n->inputs[0]->shape, *y = &n->outputs[0].shape;
    for (uint32_t k = 0; k < foi_array_size(u); k++)
        foi_lower_copy(l, n, k % y->rows * y->cols + k / y->rows, 0,
                       k % u->rows * u->cols + k / u->rows);
}

// -------------------------------------------------------------------------------------- selector

// Element index * stride + offset of the first input, index counted from 1; NaN for others.
static foi_term element(foi_lower *l, const foi_node *n, foi_term index, uint32_t count,
                        bool imaginary)
{
    foi_term y = foi_lower_nothing(l);
    for (uint32_t k = 0; k < count; k++) {
        foi_term here = imaginary ? foi_lower_imaginary(l, n, 0, k) : foi_lower_in(l, n, 0, k);
        y = foi_lower_if(l, foi_lower_by(l, FOI_G_EQUAL, index, k + 1.0), here, y);
    }
    return y;
}

// One of 1 ... count, as it is; NaN for others.
static foi_term checked(foi_lower *l, foi_term index, uint32_t count)
{
    foi_term good = foi_lower_2(l, FOI_G_AND, foi_lower_by(l, FOI_G_GREATER_EQUAL, index, 1),
                                foi_lower_by(l, FOI_G_LESS_EQUAL, index, count));
    return foi_lower_if(l, good, index, foi_lower_nothing(l));
}

static void selector(foi_lower *l, const foi_node *n)
{
    const foi_array *u = &n->inputs[0]->shape, *index = &n->inputs[1]->shape;
    const foi_array *y = &n->outputs[0].shape;
    bool matrix = foi_lower_choice(l, n, "Input Type");
    uint32_t count = foi_array_size(u);
    if (count > MAX_CHOICE || foi_array_size(y) > FOI_MAX_TERMS / MAX_CHOICE) l->unfit = true;
    for (uint32_t k = 0; k < foi_array_size(y) && !l->unfit; k++) {
        foi_term at = foi_lower_in(l, n, 1, matrix ? k / y->cols : k);
        if (matrix) {
            foi_term row = checked(l, at, u->rows);
            foi_term col = checked(l, foi_lower_in(l, n, 1, index->cols + k % y->cols), u->cols);
            foi_term before = foi_lower_by(l, FOI_G_SUBTRACT, row, 1);
            at = foi_lower_2(l, FOI_G_ADD, foi_lower_by(l, FOI_G_MULTIPLY, before, u->cols), col);
        }
        foi_lower_put_complex(l, n, k, element(l, n, at, count, false),
                              element(l, n, at, count, true));
    }
    foi_lower_check(l, n);
}

const foi_lowering foi_lower_arrange[] = {
    {.type = "Matrix Concatenation", .output = concatenation},
    {.type = "Merge", .output = merge},
    {.type = "Mux", .output = mux},
    {.type = "Demux", .output = demux},
    {.type = "Input Port", .output = pass},
    {.type = "Output Port", .output = pass},
    {.type = "From", .output = pass},
    {.type = "Signal Specification", .output = pass},
    {.type = "Reshape", .output = reshape},
    {.type = "Selector", .output = selector},
    {0},
};
