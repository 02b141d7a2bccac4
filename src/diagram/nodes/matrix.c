// Products of vectors, and matrices.

#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"
#include "math/complex.h"

#define SET "Math and Logic"

// ---------------------------------------------------------------------------------- dot product

static fo_status type_dot(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0), *v = foi_input_type(n, 1);
    char found[80];
    if (foi_array_size(u) != foi_array_size(v))
        return foi_node_refuse(b, n, "input 2 (v) is %s from '%s', input 1 has %u elements",
                               foi_array_text(v, found, sizeof found), n->inputs[1]->node->name,
                               foi_array_size(u));
    bool is_complex = u->kind == FOI_SIGNAL_COMPLEX || v->kind == FOI_SIGNAL_COMPLEX;
    foi_output_type(n, 0, 1, 1, is_complex ? FOI_SIGNAL_COMPLEX : FOI_SIGNAL_REAL);
    return FO_OK;
}

// Of real numbers.
static foi_scalar real_dot(const foi_run *r, const foi_view *u, const foi_view *v)
{
    foi_scalar sum = foi_const(r, 0);
    for (uint32_t i = 0; i < u->size; i++)
        sum = foi_plus(r, sum, foi_times(r, foi_at(r, u, i), foi_at(r, v, i)));
    return sum;
}

static void output_dot(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0), v = foi_view_in(n, r, 1);
    foi_pair sum = foi_pair_const(r, 0);
    if (!foi_gives_complex(n)) {
        foi_put(n, r, 0, real_dot(r, &u, &v));
        return;
    }
    for (uint32_t i = 0; i < u.size; i++) {
        foi_pair a = foi_pair_at(r, &u, i);
        a.im = foi_negated(r, a.im);
        sum = foi_pair_plus(r, sum, foi_pair_times(r, a, foi_pair_at(r, &v, i)));
    }
    foi_put_at(n, r, 0, 0, sum.re, sum.im);
}

static const foi_node_type dot_product = {
    .name = "Dot Product",
    .set = SET,
    .about = "The sum of conjugate(u[i]) * v[i].",
    .inputs = "u|v",
    .outputs = "product",
    .parameters = NO_PARAMETERS,
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_SUPPORTED, "single number, vector"),
    .example = {NULL, "2-3i 5+6i|1+2i 3-i", 0, 0, "5-16i"},
    .accepts = FOI_NUMBERS,
    .type = type_dot,
    .expressed = true,
    .output = output_dot,
};

// ------------------------------------------------------------------------------------- matrix 1

enum { CONJUGATE, DETERMINANT, HERMITIAN, INVERSE, TRACE, TRANSPOSE };

static fo_status type_matrix_1(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0);
    int which = foi_choice(n, 0);
    bool square = which == DETERMINANT || which == INVERSE || which == TRACE;
    char found[80];
    if (square && u->rows != u->cols)
        return foi_node_refuse(b, n, "input 1 is %s from '%s', expected a square matrix",
                               foi_array_text(u, found, sizeof found), n->inputs[0]->node->name);
    // an inverse or determinant is computed on a copy: rows of 2 n complex numbers
    if (u->rows > 1000 && (which == DETERMINANT || which == INVERSE))
        return foi_node_refuse(b, n, "input 1 has more than 1000 rows");
    if (which == DETERMINANT || which == TRACE)
        foi_output_type(n, 0, 1, 1, u->kind);
    else if (which == HERMITIAN || which == TRANSPOSE)
        foi_output_type(n, 0, u->cols, u->rows, u->kind);
    else
        foi_output_type(n, 0, u->rows, u->cols, u->kind);
    n->work_count = which == DETERMINANT || which == INVERSE ? 4 * u->rows * u->cols : 0;
    return FO_OK;
}

static void swap_rows(double complex *a, uint32_t width, uint32_t p, uint32_t q)
{
    for (uint32_t j = 0; j < width; j++) {
        double complex keep = a[p * width + j];
        a[p * width + j] = a[q * width + j];
        a[q * width + j] = keep;
    }
}

// Gauss-Jordan elimination with partial pivoting of [A | I]: the right half becomes the inverse;
// returns the determinant.
static double complex eliminate(double complex *a, uint32_t n)
{
    double complex determinant = 1;
    uint32_t width = 2 * n;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (foi_cabs(a[i * width + k]) > foi_cabs(a[pivot * width + k])) pivot = i;
        if (a[pivot * width + k] == 0) return 0;
        if (pivot != k) {
            swap_rows(a, width, pivot, k);
            determinant = -determinant;
        }
        double complex p = a[k * width + k];
        determinant *= p;
        for (uint32_t j = k; j < width; j++) a[k * width + j] = foi_cdivide(a[k * width + j], p);
        for (uint32_t i = 0; i < n; i++) {
            double complex f = a[i * width + k];
            if (i == k || f == 0) continue;
            for (uint32_t j = k; j < width; j++) a[i * width + j] -= f * a[k * width + j];
        }
    }
    return determinant;
}

static void solve_matrix(const foi_node *n, foi_run *r)
{
    foi_array in = foi_in(n, r, 0), out = foi_out(n, r, 0), *u = &in, *y = &out;
    double complex *a = (double complex *)(void *)foi_work(n, r);
    uint32_t size = u->rows;
    for (uint32_t i = 0; i < size; i++)
        for (uint32_t j = 0; j < size; j++) {
            a[i * 2 * size + j] = foi_complex_at(u, i * size + j);
            a[i * 2 * size + size + j] = i == j;
        }
    double complex determinant = eliminate(a, size);
    if (foi_choice(n, 0) == DETERMINANT) {
        foi_complex_put(y, 0, determinant);
        return;
    }
    if (determinant == 0) foi_run_refuse(r, n, "the matrix is singular");
    for (uint32_t i = 0; i < size; i++)
        for (uint32_t j = 0; j < size; j++)
            foi_complex_put(y, i * size + j, a[i * 2 * size + size + j]);
}

static foi_pair sum_of(const foi_run *r, foi_pair a, foi_pair b, bool is_complex)
{
    return is_complex ? foi_pair_plus(r, a, b) : (foi_pair){foi_plus(r, a.re, b.re), a.im};
}

static void output_trace(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0);
    uint32_t rows = n->inputs[0]->shape.rows;
    foi_pair sum = foi_pair_const(r, 0);
    for (uint32_t i = 0; i < rows; i++)
        sum = sum_of(r, sum, foi_pair_at(r, &u, i * rows + i), u.is_complex);
    foi_put_at(n, r, 0, 0, sum.re, sum.im);
}

static void output_matrix_1(const foi_node *n, foi_run *r)
{
    const foi_array *shape = &n->inputs[0]->shape;
    foi_view u = foi_view_in(n, r, 0);
    int which = foi_choice(n, 0);
    if (which == DETERMINANT || which == INVERSE) {
        if (!foi_no_terms(r)) solve_matrix(n, r);
        return;
    }
    if (which == TRACE) {
        output_trace(n, r);
        return;
    }
    for (uint32_t i = 0; i < shape->rows; i++)
        for (uint32_t j = 0; j < shape->cols; j++) {
            uint32_t at = i * shape->cols + j;
            foi_pair z = foi_pair_at(r, &u, at);
            if (which != TRANSPOSE && u.is_complex) z.im = foi_negated(r, z.im);
            foi_put_at(n, r, 0, which == CONJUGATE ? at : j * shape->rows + i, z.re, z.im);
        }
}

static const foi_node_type matrix_1 = {
    .name = "Matrix 1",
    .set = SET,
    .about = "A function of one matrix.",
    .inputs = "u",
    .outputs = "value",
    .parameters =
        (const foi_parameter[]){{"Function", FOI_PARAMETER_CHOICE, "Conjugate",
                                 "Conjugate|Determinant|Hermitian|Inverse|Trace|Transpose", ""},
                                {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, "matrix"),
    .example = {"Function=Inverse", "2 1,1 1", 0, 0, "1 -1,-1 2"},
    .accepts = FOI_NUMBERS,
    .type = type_matrix_1,
    .expressed = true,
    .output = output_matrix_1,
};

// ------------------------------------------------------------------------------------- matrix 2

enum { ADDITION, SUBTRACTION, MULTIPLICATION, DIVISION };

static fo_status type_matrix_2(foi_build *b, foi_node *n)
{
    const foi_array *u = foi_input_type(n, 0), *v = foi_input_type(n, 1);
    bool is_complex = u->kind == FOI_SIGNAL_COMPLEX || v->kind == FOI_SIGNAL_COMPLEX;
    bool product = foi_choice(n, 0) == MULTIPLICATION;
    char found[80], other[80];
    if (product ? u->cols != v->rows : u->rows != v->rows || u->cols != v->cols)
        return foi_node_refuse(b, n,
                               "input 2 (v) is %s from '%s', which does not match input 1, %s",
                               foi_array_text(v, found, sizeof found), n->inputs[1]->node->name,
                               foi_array_text(u, other, sizeof other));
    foi_output_type(n, 0, u->rows, v->cols, is_complex ? FOI_SIGNAL_COMPLEX : FOI_SIGNAL_REAL);
    return FO_OK;
}

static void multiply(const foi_node *n, foi_run *r)
{
    const foi_array *left = &n->inputs[0]->shape, *right = &n->inputs[1]->shape;
    foi_view u = foi_view_in(n, r, 0), v = foi_view_in(n, r, 1);
    bool is_complex = foi_gives_complex(n);
    if (foi_too_many(r, (uint64_t)foi_array_size(left) * right->cols)) return;
    for (uint32_t i = 0; i < left->rows; i++)
        for (uint32_t j = 0; j < right->cols; j++) {
            foi_pair sum = foi_pair_const(r, 0);
            for (uint32_t k = 0; k < left->cols; k++) {
                foi_pair a = foi_pair_at(r, &u, i * left->cols + k);
                foi_pair b = foi_pair_at(r, &v, k * right->cols + j);
                foi_pair p = is_complex ? foi_pair_times(r, a, b)
                                        : (foi_pair){foi_times(r, a.re, b.re), a.im};
                sum = sum_of(r, sum, p, is_complex);
            }
            foi_put_at(n, r, 0, i * right->cols + j, sum.re, sum.im);
        }
}

static foi_pair combine(const foi_run *r, int which, foi_pair p, foi_pair q, bool is_complex)
{
    if (which == DIVISION)
        return is_complex ? foi_pair_over(r, p, q) : (foi_pair){foi_over(r, p.re, q.re), p.im};
    if (which == ADDITION) return sum_of(r, p, q, is_complex);
    return is_complex ? foi_pair_minus(r, p, q) : (foi_pair){foi_minus(r, p.re, q.re), p.im};
}

static void output_matrix_2(const foi_node *n, foi_run *r)
{
    foi_view u = foi_view_in(n, r, 0), v = foi_view_in(n, r, 1);
    int which = foi_choice(n, 0);
    if (which == MULTIPLICATION) {
        multiply(n, r);
        return;
    }
    for (uint32_t i = 0; i < foi_size_of(n); i++) {
        foi_pair p = foi_pair_at(r, &u, i), q = foi_pair_at(r, &v, i);
        foi_pair y = combine(r, which, p, q, foi_gives_complex(n));
        if (which != DIVISION)
            foi_put_at(n, r, 0, i, y.re, y.im);
        else if (!foi_put_finite(n, r, i, y.re, y.im))
            foi_run_refuse(r, n, "element %u is %s", i + 1,
                           foi_pair_number(q) == 0 ? "divided by 0" : "not finite");
    }
}

static const foi_node_type matrix_2 = {
    .name = "Matrix 2",
    .set = SET,
    .about = "A function of two matrices: sum, difference and quotient element by element, and the "
             "product of matrices.",
    .inputs = "u|v",
    .outputs = "value",
    .parameters = (const foi_parameter[]){{"Function", FOI_PARAMETER_CHOICE, "Addition",
                                           "Addition|Subtraction|Multiplication|Division", ""},
                                          {0}},
    PROPERTIES(REAL_OR_COMPLEX, "yes", INHERITED, NOT_APPLICABLE, "matrix"),
    .example = {"Function=Multiplication", "1 2,3 4|5 6,7 8", 0, 0, "19 22,43 50"},
    .accepts = FOI_NUMBERS,
    .type = type_matrix_2,
    .expressed = true,
    .output = output_matrix_2,
};

const foi_node_type *const foi_nodes_matrix[] = {&dot_product, &matrix_1, &matrix_2, NULL};
