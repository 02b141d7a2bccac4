// Products of vectors, and matrices.
#include <string.h>

#include "diagram/node.h"
#include "diagram/node_doc.h"

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

static void output_dot(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), v = foi_in(n, r, 1), y = foi_out(n, r, 0);
    double complex sum = 0;
    for (uint32_t i = 0; i < foi_array_size(&u); i++)
        sum += conj(foi_complex_at(&u, i)) * foi_complex_at(&v, i);
    foi_complex_put(&y, 0, sum);
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
            if (cabs(a[i * width + k]) > cabs(a[pivot * width + k])) pivot = i;
        if (a[pivot * width + k] == 0) return 0;
        if (pivot != k) {
            swap_rows(a, width, pivot, k);
            determinant = -determinant;
        }
        double complex p = a[k * width + k];
        determinant *= p;
        for (uint32_t j = k; j < width; j++) a[k * width + j] /= p;
        for (uint32_t i = 0; i < n; i++) {
            double complex f = a[i * width + k];
            if (i == k || f == 0) continue;
            for (uint32_t j = k; j < width; j++) a[i * width + j] -= f * a[k * width + j];
        }
    }
    return determinant;
}

static void solve_matrix(const foi_node *n, foi_run *r, const foi_array *u, foi_array *y)
{
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

static void output_matrix_1(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), y = foi_out(n, r, 0);
    int which = foi_choice(n, 0);
    if (which == DETERMINANT || which == INVERSE) {
        solve_matrix(n, r, &u, &y);
        return;
    }
    if (which == TRACE) {
        double complex sum = 0;
        for (uint32_t i = 0; i < u.rows; i++) sum += foi_complex_at(&u, i * u.cols + i);
        foi_complex_put(&y, 0, sum);
        return;
    }
    for (uint32_t i = 0; i < u.rows; i++)
        for (uint32_t j = 0; j < u.cols; j++) {
            double complex z = foi_complex_at(&u, i * u.cols + j);
            if (which != TRANSPOSE) z = conj(z);
            foi_complex_put(&y, which == CONJUGATE ? i * u.cols + j : j * u.rows + i, z);
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
                               "input 2 (v) is %s from '%s'; that does not fit to input 1, %s",
                               foi_array_text(v, found, sizeof found), n->inputs[1]->node->name,
                               foi_array_text(u, other, sizeof other));
    foi_output_type(n, 0, u->rows, v->cols, is_complex ? FOI_SIGNAL_COMPLEX : FOI_SIGNAL_REAL);
    return FO_OK;
}

static void multiply(const foi_array *u, const foi_array *v, foi_array *y)
{
    for (uint32_t i = 0; i < u->rows; i++)
        for (uint32_t j = 0; j < v->cols; j++) {
            double complex sum = 0;
            for (uint32_t k = 0; k < u->cols; k++)
                sum += foi_complex_at(u, i * u->cols + k) * foi_complex_at(v, k * v->cols + j);
            foi_complex_put(y, i * v->cols + j, sum);
        }
}

static void output_matrix_2(const foi_node *n, foi_run *r)
{
    foi_array u = foi_in(n, r, 0), v = foi_in(n, r, 1), y = foi_out(n, r, 0);
    int which = foi_choice(n, 0);
    if (which == MULTIPLICATION) {
        multiply(&u, &v, &y);
        return;
    }
    for (uint32_t i = 0; i < foi_array_size(&y); i++) {
        double complex p = foi_complex_at(&u, i), q = foi_complex_at(&v, i);
        double complex z = which == ADDITION ? p + q : which == SUBTRACTION ? p - q : p / q;
        if (which == DIVISION && q == 0) foi_run_refuse(r, n, "element %u is divided by 0", i + 1);
        foi_complex_put(&y, i, z);
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
    .output = output_matrix_2,
};

const foi_node_type *const foi_nodes_matrix[] = {&dot_product, &matrix_1, &matrix_2, NULL};
