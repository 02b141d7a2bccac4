// Linear systems x' = A x + B u, y = C x + D u, continuous and discrete (x' is then the next x),
// given by matrices, by polynomials, or by zeros and poles.
//
// A transfer function (b0 s^n + ... + bn) / (s^n + a1 s^(n-1) + ... + an) is put into the
// controllable form: x1' = -a1 x1 - ... - an xn + u, x2' = x1, ..., y = (b1 - b0 a1) x1 + ... + b0
// u.
#include <string.h>

#include "diagram/nodes/node_continuous.h"
#include "diagram/nodes/node_doc.h"
#include "diagram/nodes/scalar.h"
#include "math/complex.h"
#include "math/math.h"

enum { MAX_ORDER = 1000 };

/// A linear system, as the `extra` of its nodes.
typedef struct linear {
    uint32_t states, inputs, outputs;
    double *a, *b, *c, *d; ///< row by row
} linear;

static fo_status no_memory(foi_build *b)
{
    return fo_fail(b->why, FO_ERROR_MEMORY, "no memory for a diagram");
}

static linear *make(foi_build *b, uint32_t states, uint32_t inputs, uint32_t outputs)
{
    linear *l = foi_arena_new(b->arena, 1, sizeof *l);
    if (!l) return NULL;
    *l = (linear){.states = states, .inputs = inputs, .outputs = outputs};
    size_t n = states;
    double *all = foi_arena_new(b->arena, n * n + n * inputs + n * outputs + outputs * inputs + 1,
                                sizeof(double));
    if (!all) return NULL;
    l->a = all;
    l->b = l->a + n * n;
    l->c = l->b + n * inputs;
    l->d = l->c + n * outputs;
    return l;
}

static bool feeds_through(const linear *l)
{
    for (uint32_t i = 0; i < l->outputs * l->inputs; i++)
        if (l->d[i] != 0) return true;
    return false;
}

static void set_linear(foi_node *n, linear *l)
{
    n->extra = l;
    n->through = feeds_through(l) ? 1 : 0;
}

// ----------------------------------------------------------------------------- by its matrices

static fo_status prepare_state_space(foi_build *b, foi_node *n)
{
    const foi_array *m[4];
    for (uint32_t i = 0; i < 4; i++) m[i] = foi_value(n, i);
    uint32_t states = m[0]->rows, inputs = m[1]->cols, outputs = m[2]->rows;
    if (m[0]->cols != states) return foi_node_refuse(b, n, "the matrix A must be square");
    if (m[1]->rows != states)
        return foi_node_refuse(b, n, "B has %u rows, A has %u", m[1]->rows, states);
    if (m[2]->cols != states)
        return foi_node_refuse(b, n, "C has %u columns, A has %u", m[2]->cols, states);
    if (m[3]->rows != outputs || m[3]->cols != inputs)
        return foi_node_refuse(b, n, "D is %u by %u, expected %u by %u", m[3]->rows, m[3]->cols,
                               outputs, inputs);
    const foi_array *start = foi_value(n, 4);
    if (foi_array_size(start) != 1 && foi_array_size(start) != states)
        return foi_node_refuse(b, n, "the initial condition has %u elements, expected 1 or %u",
                               foi_array_size(start), states);
    linear *l = make(b, states, inputs, outputs);
    double *starts = foi_arena_new(b->arena, states, sizeof *starts);
    if (!l || !starts) return no_memory(b);
    double *to[4] = {l->a, l->b, l->c, l->d};
    for (uint32_t i = 0; i < 4; i++)
        memcpy(to[i], m[i]->data, foi_array_size(m[i]) * sizeof(double));
    for (uint32_t i = 0; i < states; i++) starts[i] = foi_real_at(start, i);
    n->starts = starts;
    set_linear(n, l);
    return FO_OK;
}

// -------------------------------------------------------------------------- by its polynomials

/// Polynomials with the highest power first: one denominator, numerators row by row.
typedef struct polynomials {
    uint32_t rows, above, below; ///< lengths
    const double *numerator, *denominator;
} polynomials;

static fo_status realise(foi_build *b, foi_node *n, const polynomials *p)
{
    uint32_t order = p->below - 1;
    const double *den = p->denominator;
    if (order > MAX_ORDER) return foi_node_refuse(b, n, "the order is above %d", MAX_ORDER);
    if (den[0] == 0)
        return foi_node_refuse(b, n, "the leading coefficient of the denominator is 0");
    if (p->above > p->below)
        return foi_node_refuse(
            b, n, "the order of the numerator, %u, must not exceed that of the denominator, %u",
            p->above - 1, order);
    linear *l = make(b, order, 1, p->rows);
    if (!l) return no_memory(b);
    for (uint32_t i = 0; i < order; i++) {
        l->a[i] = -den[i + 1] / den[0];
        if (i) l->a[i * order + i - 1] = 1;
    }
    if (order) l->b[0] = 1;
    for (uint32_t k = 0; k < p->rows; k++) {
        const double *num = p->numerator + (size_t)k * p->above;
        uint32_t missing = p->below - p->above;
        double b0 = missing ? 0 : num[0] / den[0];
        l->d[k] = b0;
        for (uint32_t i = 0; i < order; i++) {
            double bi = i + 1 < missing ? 0 : num[i + 1 - missing] / den[0];
            l->c[k * order + i] = bi + b0 * l->a[i];
        }
    }
    set_linear(n, l);
    return FO_OK;
}

static fo_status prepare_transfer(foi_build *b, foi_node *n)
{
    const foi_array *num = foi_value(n, 0), *den = foi_value(n, 1);
    if (den->rows != 1) return foi_node_refuse(b, n, "the denominator must be a row vector");
    polynomials p = {num->rows, num->cols, den->cols, num->data, den->data};
    return realise(b, n, &p);
}

// In powers of 1/z: both are brought to one length by zeros at the end.
static fo_status prepare_filter(foi_build *b, foi_node *n)
{
    const foi_array *num = foi_value(n, 0), *den = foi_value(n, 1);
    if (den->rows != 1) return foi_node_refuse(b, n, "the denominator must be a row vector");
    if (num->cols > MAX_ORDER + 1 || den->cols > MAX_ORDER + 1)
        return foi_node_refuse(b, n, "the order is above %d", MAX_ORDER);
    uint32_t length = num->cols > den->cols ? num->cols : den->cols;
    double *above = foi_arena_new(b->arena, (size_t)length * num->rows, sizeof *above);
    double *below = foi_arena_new(b->arena, length, sizeof *below);
    if (!above || !below) return no_memory(b);
    memcpy(below, den->data, den->cols * sizeof *below);
    for (uint32_t i = 0; i < num->rows; i++)
        memcpy(above + (size_t)i * length, num->data + (size_t)i * num->cols,
               num->cols * sizeof *above);
    polynomials p = {num->rows, length, length, above, below};
    return realise(b, n, &p);
}

// ------------------------------------------------------------------------- by zeros and poles

// The product of (s - root), highest power first, for roots at `roots` with a stride; false when
// it is not real.
static bool expand_roots(const foi_array *roots, uint32_t first, uint32_t stride, uint32_t count,
                         double complex *work, double *out)
{
    double largest = 0;
    work[0] = 1;
    for (uint32_t k = 0; k < count; k++) {
        double complex root = foi_complex_at(roots, first + k * stride);
        work[k + 1] = 0;
        for (uint32_t i = k + 1; i > 0; i--) work[i] -= root * work[i - 1];
    }
    for (uint32_t i = 0; i <= count; i++) {
        out[i] = creal(work[i]);
        largest = foi_fmax(largest, foi_cabs(work[i]));
    }
    for (uint32_t i = 0; i <= count; i++)
        if (fabs(cimag(work[i])) > 1e-12 * largest) return false;
    return true;
}

// A row of zeros belongs to one output; with several rows every column does.
static fo_status prepare_zero_pole(foi_build *b, foi_node *n)
{
    const foi_array *zeros = foi_value(n, 0), *poles = foi_value(n, 1), *gain = foi_value(n, 2);
    uint32_t rows = zeros->rows == 1 ? 1 : zeros->cols;
    uint32_t above = zeros->rows == 1 ? zeros->cols : zeros->rows, below = poles->cols;
    if (poles->rows != 1) return foi_node_refuse(b, n, "the poles must be a row vector");
    if (below > MAX_ORDER || above > MAX_ORDER)
        return foi_node_refuse(b, n, "there are more than %d zeros or poles", MAX_ORDER);
    if (foi_array_size(gain) != 1 && foi_array_size(gain) != rows)
        return foi_node_refuse(b, n, "the gain has %u elements, expected 1 or %u",
                               foi_array_size(gain), rows);
    uint32_t longest = above > below ? above : below;
    double complex *work = foi_arena_new(b->arena, longest + 1, sizeof *work);
    double *num = foi_arena_new(b->arena, (size_t)rows * (above + 1), sizeof *num);
    double *den = foi_arena_new(b->arena, below + 1, sizeof *den);
    if (!work || !num || !den) return no_memory(b);
    bool real = expand_roots(poles, 0, 1, below, work, den);
    for (uint32_t k = 0; k < rows; k++) {
        double *row = num + (size_t)k * (above + 1);
        real &= expand_roots(zeros, k, rows, above, work, row);
        for (uint32_t i = 0; i <= above; i++) row[i] *= foi_real_at(gain, k);
    }
    if (!real) return foi_node_refuse(b, n, "complex zeros and poles must come in conjugate pairs");
    polynomials p = {rows, above + 1, below + 1, num, den};
    return realise(b, n, &p);
}

// -------------------------------------------------------------------------------------- running

static fo_status type_linear(foi_build *b, foi_node *n)
{
    const linear *l = n->extra;
    const foi_array *u = foi_input_type(n, 0);
    char found[80];
    if (u && foi_array_size(u) != l->inputs)
        return foi_node_refuse(b, n, "input 1 (u) is %s from '%s', expected %u element%s",
                               foi_array_text(u, found, sizeof found), n->inputs[0]->node->name,
                               l->inputs, l->inputs == 1 ? "" : "s");
    foi_output_type(n, 0, 1, l->outputs, FOI_SIGNAL_REAL);
    if (n->type->continuous)
        n->state_count = l->states;
    else
        n->own_count = l->states;
    return FO_OK;
}

/// The state of a continuous system, or what a discrete one keeps.
typedef foi_scalar state_at(const foi_node *n, const foi_run *r, uint32_t i);

// Row i of X x + Y u, in this order; without Y where it is NULL.
static foi_scalar row(const foi_node *n, const foi_run *r, uint32_t i, const double *x,
                      const double *y, state_at *state)
{
    const linear *l = n->extra;
    foi_scalar sum = foi_const(r, 0);
    for (uint32_t j = 0; j < l->states; j++) {
        foi_scalar a = foi_const(r, x[(size_t)i * l->states + j]);
        sum = foi_plus(r, sum, foi_times(r, a, state(n, r, j)));
    }
    foi_view u = y ? foi_view_in(n, r, 0) : (foi_view){0};
    for (uint32_t j = 0; y && j < l->inputs; j++) {
        foi_scalar b = foi_const(r, y[(size_t)i * l->inputs + j]);
        sum = foi_plus(r, sum, foi_times(r, b, foi_at(r, &u, j)));
    }
    return sum;
}

static void put_outputs(const foi_node *n, foi_run *r, state_at *state)
{
    const linear *l = n->extra;
    if (foi_too_many(r, (uint64_t)l->outputs * (l->states + l->inputs))) return;
    for (uint32_t i = 0; i < l->outputs; i++)
        foi_put(n, r, i, row(n, r, i, l->c, n->through ? l->d : NULL, state));
}

static void output_continuous(const foi_node *n, foi_run *r)
{
    put_outputs(n, r, foi_state_of);
}

static void rates_linear(const foi_node *n, foi_run *r, double *dx)
{
    const linear *l = n->extra;
    if (foi_too_many(r, (uint64_t)l->states * (l->states + l->inputs))) return;
    for (uint32_t i = 0; i < l->states; i++)
        foi_put_rate(n, r, dx, i, row(n, r, i, l->a, l->b, foi_state_of));
}

static void start_discrete(const foi_node *n, foi_run *r)
{
    const linear *l = n->extra;
    for (uint32_t i = 0; i < l->states; i++) foi_own(n, r)[i] = n->starts ? n->starts[i] : 0;
}

static void output_discrete(const foi_node *n, foi_run *r)
{
    put_outputs(n, r, foi_kept_of);
}

static fo_status type_discrete(foi_build *b, foi_node *n)
{
    const linear *l = n->extra;
    n->work_count = l->states;
    return type_linear(b, n);
}

static void update_discrete(const foi_node *n, foi_run *r)
{
    const linear *l = n->extra;
    double *x = foi_own(n, r), *new = foi_work(n, r);
    for (uint32_t i = 0; i < l->states; i++) new[i] = row(n, r, i, l->a, l->b, foi_kept_of).number;
    memcpy(x, new, l->states * sizeof *x);
}

// ----------------------------------------------------------------------------------------- nodes

#define MATRICES                                                            \
    {"A", FOI_PARAMETER_REAL, "1", NULL, "n by n, for n states"},           \
        {"B", FOI_PARAMETER_REAL, "1", NULL, "n by m, for m inputs"},       \
        {"C", FOI_PARAMETER_REAL, "1", NULL, "r by n, for r outputs"},      \
        {"D", FOI_PARAMETER_REAL, "1", NULL, "r by m"},                     \
    {                                                                       \
        "Initial Condition", FOI_PARAMETER_REAL, "0", NULL, "of the states" \
    }
#define COEFFICIENTS(below)                                                                \
    {"Numerator", FOI_PARAMETER_REAL, "1", NULL, "coefficients; one row for each output"}, \
    {                                                                                      \
        "Denominator", FOI_PARAMETER_REAL, below, NULL, "coefficients"                     \
    }
#define ROOTS(poles)                                                                   \
    {"Zeros", FOI_PARAMETER_COMPLEX, "1", NULL, "a row, or a column for each output"}, \
        {"Poles", FOI_PARAMETER_COMPLEX, poles, NULL, "a row"},                        \
    {                                                                                  \
        "Gain", FOI_PARAMETER_REAL, "1", NULL, "factor of each output"                 \
    }
#define CONTINUOUS_LINEAR                                                                    \
    .set = "Continuous", .inputs = "u", .outputs = "y", .no_feedthrough = true,              \
    .continuous = true, .expressed = true, .type = type_linear, .output = output_continuous, \
    .rates = rates_linear
#define DISCRETE_LINEAR                                                                      \
    .set = "Discrete", .inputs = "u", .outputs = "y", .no_feedthrough = true, .steps = true, \
    .held = true, .type = type_discrete, .start = start_discrete, .output = output_discrete, \
    .update = update_discrete
#define SAME_ORDER     "if numerator and denominator have the same order"
#define BY_POLYNOMIALS "input: single number; numerator: rows; denominator: a row"

const foi_node_type foi_state_space = {
    .name = "State Space",
    .about = "x' = A x + B u, y = C x + D u.",
    .parameters = (const foi_parameter[]){MATRICES, {0}},
    PROPERTIES(REAL_ONLY, "if D is not zero", CONTINUOUS, "the initial condition only",
               "input: single number, vector; parameters: matrix"),
    .example = {"A=0 1,-1 0;B=0,0;C=1 0;D=0;Initial Condition=1 0", "5", 3.141592653589793, 0,
                "-1"},
    CONTINUOUS_LINEAR,
    .prepare = prepare_state_space,
};

const foi_node_type foi_transfer_function = {
    .name = "Transfer Function",
    .about = "The response of n(s) / d(s) to its input, from rest.",
    .parameters = (const foi_parameter[]){COEFFICIENTS("1 1"), {0}},
    PROPERTIES(REAL_ONLY, SAME_ORDER, CONTINUOUS, NOT_SUPPORTED, BY_POLYNOMIALS),
    .example = {"Numerator=1;Denominator=1 1", "1", 1, 0, "0.6321205588285577"},
    CONTINUOUS_LINEAR,
    .prepare = prepare_transfer,
};

const foi_node_type foi_zero_pole = {
    .name = "Zero-Pole",
    .about = "The response of gain (s - z1) (s - z2) ... / ((s - p1) (s - p2) ...) to its input, "
             "from rest.",
    .parameters = (const foi_parameter[]){ROOTS("0 -1"), {0}},
    PROPERTIES("real; zeros and poles also in conjugate pairs",
               "if there are as many zeros as poles", CONTINUOUS, NOT_SUPPORTED,
               "input: single number; zeros: rows or columns; poles: a row"),
    .example = {"Zeros=-2;Poles=-1 -3;Gain=3", "1", 1, 0, "1.4232873040589045"},
    CONTINUOUS_LINEAR,
    .prepare = prepare_zero_pole,
};

const foi_node_type foi_discrete_state_space = {
    .name = "Discrete State Space",
    .about = "x(k+1) = A x(k) + B u(k), y(k) = C x(k) + D u(k).",
    .parameters = (const foi_parameter[]){MATRICES, SAMPLE_TIME, {0}},
    PROPERTIES(REAL_ONLY, "if D is not zero", DISCRETE, "the initial condition only",
               "input: single number, vector; parameters: matrix"),
    .example = {"A=0.5;B=1;C=2;D=1;Initial Condition=4;Sample Time=0.2", "3", 0.4, 0, "14"},
    DISCRETE_LINEAR,
    .prepare = prepare_state_space,
};

const foi_node_type foi_discrete_transfer_function = {
    .name = "Discrete Transfer Function",
    .about = "The response of n(z) / d(z) to its input, from rest.",
    .parameters = (const foi_parameter[]){COEFFICIENTS("1 2"), SAMPLE_TIME, {0}},
    PROPERTIES(REAL_ONLY, SAME_ORDER, DISCRETE, NOT_SUPPORTED, BY_POLYNOMIALS),
    .example = {"Sample Time=0.2", "1", 0.6, 0, "3"},
    DISCRETE_LINEAR,
    .prepare = prepare_transfer,
};

const foi_node_type foi_discrete_zero_pole = {
    .name = "Discrete Zero-Pole",
    .about = "The response of gain (z - z1) (z - z2) ... / ((z - p1) (z - p2) ...) to its input, "
             "from rest.",
    .parameters = (const foi_parameter[]){ROOTS("1 2"), SAMPLE_TIME, {0}},
    PROPERTIES("real; zeros and poles also in conjugate pairs",
               "if there are as many zeros as poles", DISCRETE, NOT_SUPPORTED,
               "input: single number; zeros: rows or columns; poles: a row"),
    .example = {"Zeros=1;Poles=2 3;Gain=2;Sample Time=0.2", "1", 0.6, 0, "38"},
    DISCRETE_LINEAR,
    .prepare = prepare_zero_pole,
};

const foi_node_type foi_discrete_filter = {
    .name = "Discrete Filter",
    .about = "The response of n(1/z) / d(1/z) to its input, from rest; coefficients in ascending "
             "powers of 1/z.",
    .parameters = (const foi_parameter[]){COEFFICIENTS("1 2"), SAMPLE_TIME, {0}},
    PROPERTIES(REAL_ONLY, "if the first coefficient above is not 0", DISCRETE, NOT_SUPPORTED,
               BY_POLYNOMIALS),
    .example = {"Sample Time=0.2", "1", 0.4, 0, "3"},
    DISCRETE_LINEAR,
    .prepare = prepare_filter,
};
