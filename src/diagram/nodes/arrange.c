// Miscellaneous nodes that arrange the elements of signals.
#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"
#include "math/math.h"

#define SET "Miscellaneous"

static foi_signal_kind common_kind(const foi_array *u, const foi_array *v)
{
    bool is_complex = u->kind == FOI_SIGNAL_COMPLEX || v->kind == FOI_SIGNAL_COMPLEX;
    return is_complex ? FOI_SIGNAL_COMPLEX : FOI_SIGNAL_REAL;
}

// -------------------------------------------------------------------------- matrix concatenation

static fo_status type_concatenation(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0), *v = foi_input_type(n, 1);
    bool vertical = foi_choice(n, 0);
    char found[80], other[80];
    if (vertical ? u->cols != v->cols : u->rows != v->rows)
        return foi_node_refuse(
            b, n, "input 2 is %s from '%s', which cannot be put beside or below input 1, %s",
            foi_array_text(v, found, sizeof found), n->inputs[1]->node->name,
            foi_array_text(u, other, sizeof other));
    foi_output_type(n, 0, vertical ? u->rows + v->rows : u->rows,
                    vertical ? u->cols : u->cols + v->cols, common_kind(u, v));
    return FO_OK;
}

static void output_concatenation(const foi_node *n, foi_run *r)
{
    foi_view in[2] = {foi_view_in(n, r, 0), foi_view_in(n, r, 1)};
    const foi_array *u = &n->inputs[0]->shape, *y = &n->outputs[0].shape;
    bool vertical = foi_choice(n, 0);
    for (uint32_t i = 0; i < y->rows; i++)
        for (uint32_t j = 0; j < y->cols; j++) {
            uint32_t port = vertical ? i >= u->rows : j >= u->cols;
            uint32_t row = vertical && port ? i - u->rows : i;
            uint32_t col = !vertical && port ? j - u->cols : j;
            foi_copy(n, r, i * y->cols + j, &in[port], row * n->inputs[port]->shape.cols + col);
        }
}

static const foi_node_type concatenation = {
    .name = "Matrix Concatenation",
    .set = SET,
    .about = "Two matrices beside each other, or one above the other.",
    .inputs = "first|second",
    .outputs = "both",
    .parameters = (const foi_parameter[]){{"Concatenation Method", FOI_PARAMETER_CHOICE,
                                           "horizontal", "horizontal|vertical", ""},
                                          {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {NULL, "2 -4 2-i,-1 -3+2i 5,7.3 1 2i|9.05 3 12-6i,-12 5.66 -3i,21 7.32 6-9i", 0, 0,
                "2 -4 2-i 9.05 3 12-6i,-1 -3+2i 5 -12 5.66 -3i,7.3 1 2i 21 7.32 6-9i"},
    .accepts = FOI_NUMBERS,
    .type = type_concatenation,
    .expressed = true,
    .output = output_concatenation,
};

// ---------------------------------------------------------------------------------- merge and mux

static fo_status type_merge(foi_build *b, foi_node *n)
{
    const foi_array *initial = foi_value(n, 0);
    foi_signal_kind kind = initial->kind;
    for (uint32_t i = 0; i < 2; i++) {
        const foi_array *u = foi_input_type(n, i);
        double offset = foi_real_at(foi_value(n, 1), i);
        if (foi_array_size(foi_value(n, 1)) > 2)
            return foi_node_refuse(b, n, "there are two inputs, and more offsets");
        if (offset < 0 || offset != floor(offset) ||
            offset + foi_array_size(u) > foi_array_size(initial))
            return foi_node_refuse(b, n,
                                   "input %u has %u elements at offset %g, the output has only %u",
                                   i + 1, foi_array_size(u), offset, foi_array_size(initial));
        if (u->kind == FOI_SIGNAL_COMPLEX) kind = FOI_SIGNAL_COMPLEX;
    }
    foi_output_type(n, 0, initial->rows, initial->cols, kind);
    return FO_OK;
}

static void output_merge(const foi_node *n, foi_run *r)
{
    foi_view initial = foi_view_parameter(n, 0);
    for (uint32_t i = 0; i < foi_size_of(n); i++) foi_copy(n, r, i, &initial, i);
    for (uint32_t k = 0; k < 2; k++) {
        foi_view u = foi_view_in(n, r, k);
        uint32_t offset = (uint32_t)foi_real_at(foi_value(n, 1), k);
        for (uint32_t i = 0; i < u.size; i++) foi_copy(n, r, offset + i, &u, i);
    }
}

static const foi_node_type merge = {
    .name = "Merge",
    .set = SET,
    .about = "The initial output, with its two inputs put over it at their offsets, which count "
             "from 0.",
    .inputs = "first|second",
    .outputs = "merged",
    .parameters = (const foi_parameter[]){{"Initial Output", FOI_PARAMETER_COMPLEX, "1", NULL, ""},
                                          {"Input Port Offsets", FOI_PARAMETER_REAL, "0", NULL,
                                           "of the first and the second input"},
                                          {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, "single number, vector"),
    .example = {"Initial Output=-2.2 -5 7+3i 3.2 4.12 1.8;Input Port Offsets=0 4",
                "2.92 -1.45|-3.4 -7i", 0, 0, "2.92 -1.45 7+3i 3.2 -3.4 -7i"},
    .accepts = FOI_NUMBERS,
    .type = type_merge,
    .expressed = true,
    .output = output_merge,
};

static fo_status prepare_mux(foi_build *b, foi_node *n)
{
    return foi_node_inputs(b, n, foi_number(n, 0));
}

static fo_status type_mux(foi_build *b, foi_node *n)
{
    uint64_t size = 0;
    foi_signal_kind kind = FOI_SIGNAL_REAL;
    for (uint32_t i = 0; i < n->input_count; i++) {
        const foi_array *u = foi_input_type(n, i);
        size += foi_array_size(u);
        if (u->kind == FOI_SIGNAL_COMPLEX) kind = FOI_SIGNAL_COMPLEX;
    }
    if (size > FOI_MAX_ELEMENTS)
        return foi_node_refuse(b, n, "the output has more than %d elements", FOI_MAX_ELEMENTS);
    foi_output_type(n, 0, 1, (uint32_t)size, kind);
    return FO_OK;
}

static void output_mux(const foi_node *n, foi_run *r)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < n->input_count; k++) {
        foi_view u = foi_view_in(n, r, k);
        for (uint32_t i = 0; i < u.size; i++) foi_copy(n, r, at++, &u, i);
    }
}

static const foi_node_type mux = {
    .name = "Mux",
    .set = SET,
    .about = "The elements of its first input, then those of the second, and so on, as one vector.",
    .inputs = "first|second",
    .outputs = "both",
    .ports = "as many inputs as Inputs says",
    .parameters =
        (const foi_parameter[]){{"Inputs", FOI_PARAMETER_NUMBER, "2", NULL, "how many"}, {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, "single number, vector"),
    .example = {NULL, "1 2|3i", 0, 0, "1 2 3i"},
    .accepts = FOI_NUMBERS,
    .prepare = prepare_mux,
    .type = type_mux,
    .expressed = true,
    .relative = true,
    .output = output_mux,
};

// ------------------------------------------------------------------------------------------ demux

static fo_status prepare_demux(foi_build *b, foi_node *n)
{
    const foi_array *parts = foi_value(n, 0);
    uint32_t size = foi_array_size(parts);
    double count = size == 1 ? parts->data[0] : size;
    if (!(count >= 1 && count <= FOI_MAX_OUTPUTS) || count != floor(count))
        return foi_node_refuse(b, n, "expected 1 to %d outputs, found %g", FOI_MAX_OUTPUTS, count);
    for (uint32_t i = 0; i < size; i++)
        if (!(parts->data[i] >= 1) || parts->data[i] != floor(parts->data[i]))
            return foi_node_refuse(b, n,
                                   "part %u has %g elements, expected a whole number from 1 on",
                                   i + 1, parts->data[i]);
    n->output_count = (uint32_t)count;
    return FO_OK;
}

// How many elements output i takes of `size`: as listed, or in equal parts, the first ones larger
// by one where that does not come out even.
static uint32_t part_size(const foi_node *n, uint32_t i, uint32_t size)
{
    const foi_array *parts = foi_value(n, 0);
    if (foi_array_size(parts) > 1) return (uint32_t)foi_fmin(parts->data[i], FOI_MAX_ELEMENTS);
    return size / n->output_count + (i < size % n->output_count);
}

static fo_status type_demux(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0);
    uint64_t size = foi_array_size(u), all = 0;
    for (uint32_t i = 0; i < n->output_count; i++) {
        uint32_t part = part_size(n, i, (uint32_t)size);
        all += part;
        foi_output_type(n, i, 1, part, u->kind);
    }
    if (all != size || size < n->output_count)
        return foi_node_refuse(b, n, "the input has %u elements, the %u outputs have %llu",
                               (unsigned)size, n->output_count,
                               (unsigned long long)(all != size ? all : n->output_count));
    return FO_OK;
}

static void output_demux(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    uint32_t at = 0;
    for (uint32_t k = 0; k < n->output_count; k++)
        for (uint32_t i = 0; i < foi_array_size(&n->outputs[k].shape); i++, at++)
            foi_put_at(n, r, k, i, foi_at(r, &u, at), foi_imaginary_at(r, &u, at));
}

static const foi_node_type demux = {
    .name = "Demux",
    .set = SET,
    .about = "The elements of its input on several outputs, in their order: the opposite of Mux.",
    .inputs = "u",
    .outputs = "first|second",
    .ports = "as many outputs as Outputs says",
    .parameters =
        (const foi_parameter[]){{"Outputs", FOI_PARAMETER_REAL, "2", NULL,
                                 "how many equal parts, or the number of elements of each: 1 3 2"},
                                {0}},
    PROPERTIES(ANY_TYPE, "yes", INHERITED, NOT_APPLICABLE, "single number, vector"),
    .example = {"Outputs=1 2", "7 8 9", 0, 0, "8 9", .port = 1},
    .accepts = FOI_ANY_KIND,
    .loose = true,
    .prepare = prepare_demux,
    .type = type_demux,
    .expressed = true,
    .relative = true,
    .output = output_demux,
};

// ---------------------------------------------------------------------------------------- reshape

enum { ARRAY, COLUMN, ROW, CUSTOM };

static fo_status type_reshape(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0), *wanted = foi_value(n, 1);
    uint32_t size = foi_array_size(u);
    if (foi_choice(n, 0) == CUSTOM) {
        if (foi_array_size(wanted) != 2 || !(wanted->data[0] >= 1) || !(wanted->data[1] >= 1) ||
            wanted->data[0] * wanted->data[1] != size || wanted->data[0] != floor(wanted->data[0]))
            return foi_node_refuse(b, n,
                                   "the input has %u elements; the custom dimension must be "
                                   "two numbers with that product",
                                   size);
        foi_output_type(n, 0, (uint32_t)wanted->data[0], (uint32_t)wanted->data[1], u->kind);
    } else {
        bool column = foi_choice(n, 0) == COLUMN;
        foi_output_type(n, 0, column ? size : 1, column ? 1 : size, u->kind);
    }
    return FO_OK;
}

// Column by column, on both sides.
static void output_reshape(const foi_node *n, foi_run *r)
{
    const foi_array *in = &n->inputs[0]->shape, *y = &n->outputs[0].shape;
    foi_view u = foi_view_in(n, r, 0);
    for (uint32_t k = 0; k < u.size; k++)
        foi_copy(n, r, k % y->rows * y->cols + k / y->rows, &u,
                 k % in->rows * in->cols + k / in->rows);
}

static const foi_node_type reshape = {
    .name = "Reshape",
    .set = SET,
    .about = "The elements of its input in another arrangement, taken and put column by column.",
    .inputs = "u",
    .outputs = "y",
    .parameters = (const foi_parameter[]){{"Output Dimension", FOI_PARAMETER_CHOICE, "1D array",
                                           "1D array|column vector|row vector|custom", ""},
                                          {"Custom Dimension", FOI_PARAMETER_REAL, "1 1", NULL,
                                           "rows and columns"},
                                          {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Output Dimension=custom;Custom Dimension=2 3", "2-4i 4.55,6 -3i,-12 6.91", 0, 0,
                "2-4i -12 -3i,6 4.55 6.91"},
    .accepts = FOI_NUMBERS,
    .type = type_reshape,
    .expressed = true,
    .relative = true,
    .output = output_reshape,
};

// --------------------------------------------------------------------------------------- selector

static fo_status type_selector(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0), *index = foi_input_type(n, 1);
    if (index->kind != FOI_SIGNAL_REAL)
        return foi_node_refuse(b, n, "input 2 (index) must be real");
    if (foi_choice(n, 0) == 0) {
        foi_output_type(n, 0, 1, foi_array_size(index), u->kind);
        return FO_OK;
    }
    if (index->rows != 2)
        return foi_node_refuse(b, n, "input 2 (index) has %u rows, expected 2: rows and columns",
                               index->rows);
    foi_output_type(n, 0, index->cols, index->cols, u->kind);
    return FO_OK;
}

// From 0 on.
static foi_scalar place_of(const foi_node *n, foi_run *r, foi_scalar index, uint32_t count)
{
    return foi_by(r, FOI_G_SUBTRACT, foi_checked_index(n, r, index, 1, count), 1);
}

enum { MAX_CHOICE = 64 }; ///< elements to choose from in an expression

static void output_selector(const foi_node *n, foi_run *r)
{
    const foi_array *shape = &n->inputs[0]->shape, *y = &n->outputs[0].shape;
    foi_view u = foi_view_in(n, r, 0), index = foi_view_in(n, r, 1);
    uint32_t columns = n->inputs[1]->shape.cols;
    if (u.size > MAX_CHOICE && foi_no_terms(r)) return;
    if (foi_too_many(r, (uint64_t)foi_array_size(y) * u.size)) return;
    for (uint32_t k = 0; k < foi_array_size(y); k++) {
        foi_scalar at;
        if (foi_choice(n, 0) == 0) {
            at = place_of(n, r, foi_at(r, &index, k), u.size);
        } else {
            foi_scalar row = place_of(n, r, foi_at(r, &index, k / y->cols), shape->rows);
            foi_scalar col = place_of(n, r, foi_at(r, &index, columns + k % y->cols), shape->cols);
            at = foi_plus(r, foi_by(r, FOI_G_MULTIPLY, row, shape->cols), col);
        }
        foi_put_finite(n, r, k, foi_element_of(r, &u, false, at), foi_element_of(r, &u, true, at));
    }
}

static const foi_node_type selector = {
    .name = "Selector",
    .set = SET,
    .about = "The elements of its first input that the second names, counted from 1. For a matrix "
             "the first row of the second input names rows, the second row columns.",
    .inputs = "u|index",
    .outputs = "selected",
    .parameters =
        (const foi_parameter[]){{"Input Type", FOI_PARAMETER_CHOICE, "vector", "vector|matrix", ""},
                                {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, ANY_DIMENSION),
    .example = {"Input Type=matrix", "3.4 5-2i 7.64,12 -9 -4i,-2.56 13 11.32|2 3,2 3", 0, 0,
                "-9 -4i,13 11.32"},
    .accepts = FOI_NUMBERS,
    .type = type_selector,
    .expressed = true,
    .relative = true,
    .output = output_selector,
};

const foi_node_type *const foi_nodes_arrange[] = {&concatenation, &demux,    &merge, &mux,
                                                  &reshape,       &selector, NULL};
