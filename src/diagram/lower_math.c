// Mathematics, element by element, as expressions: see nodes_math.c and nodes_matrix.c.
#include "diagram/lower.h"

static foi_term times(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_MULTIPLY, a, b);
}

static foi_term plus(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_ADD, a, b);
}

static foi_term minus(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_SUBTRACT, a, b);
}

static foi_term over(foi_lower *l, foi_term a, foi_term b)
{
    return foi_lower_2(l, FOI_G_DIVIDE, a, b);
}

/// A complex number as two terms.
typedef struct pair {
    foi_term re, im;
} pair;

static pair pair_in(foi_lower *l, const foi_node *n, uint32_t port, uint32_t i)
{
    return (pair){foi_lower_in(l, n, port, i), foi_lower_imaginary(l, n, port, i)};
}

static pair pair_times(foi_lower *l, pair a, pair b)
{
    return (pair){minus(l, times(l, a.re, b.re), times(l, a.im, b.im)),
                  plus(l, times(l, a.re, b.im), times(l, a.im, b.re))};
}

// (a + ib) / (c + id) = ((ac + bd) + i (bc - ad)) / (cc + dd)
static pair pair_over(foi_lower *l, pair a, pair b)
{
    foi_term below = plus(l, times(l, b.re, b.re), times(l, b.im, b.im));
    foi_term re = plus(l, times(l, a.re, b.re), times(l, a.im, b.im));
    foi_term im = minus(l, times(l, a.im, b.re), times(l, a.re, b.im));
    return (pair){over(l, re, below), over(l, im, below)};
}

static foi_term magnitude(foi_lower *l, pair z)
{
    return foi_lower_1(l, FOI_G_SQRT, plus(l, times(l, z.re, z.re), times(l, z.im, z.im)));
}

// ------------------------------------------------------------------------------- simple functions

static void absolute(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        pair u = pair_in(l, n, 0, i);
        if (foi_lower_is_complex(n, 0))
            foi_lower_put(l, n, i, magnitude(l, u));
        else
            foi_lower_put(l, n, i, times(l, foi_lower_side(l, n, i, u.re), u.re));
    }
}

static void sign(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++)
        foi_lower_put(l, n, i, foi_lower_side(l, n, i, foi_lower_in(l, n, 0, i)));
}

static void gain(foi_lower *l, const foi_node *n)
{
    const foi_array *factor = foi_lower_array(l, n, "Gain");
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        double complex z = foi_complex_at(factor, i);
        pair k = {foi_lower_number(l, creal(z)), foi_lower_number(l, cimag(z))};
        pair y = foi_lower_puts_complex(n) ? pair_times(l, k, pair_in(l, n, 0, i))
                                           : (pair){times(l, k.re, foi_lower_in(l, n, 0, i)), 0};
        foi_lower_put_complex(l, n, i, y.re, y.im);
    }
}

static void sum(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        pair y = {0, 0};
        for (uint32_t k = 0; k < n->input_count; k++) {
            foi_term sign = foi_lower_number(l, foi_is_minus(n, k) ? -1 : 1);
            pair u = pair_in(l, n, k, i);
            u = (pair){times(l, sign, u.re), times(l, sign, u.im)};
            y = k ? (pair){plus(l, y.re, u.re), plus(l, y.im, u.im)} : u;
        }
        foi_lower_put_complex(l, n, i, y.re, y.im);
    }
}

static void product(foi_lower *l, const foi_node *n)
{
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        pair y = {foi_lower_number(l, 1), foi_lower_number(l, 0)};
        for (uint32_t k = 0; k < n->input_count; k++) {
            pair u = pair_in(l, n, k, i);
            bool divide = foi_is_divided(n, k);
            if (foi_lower_puts_complex(n))
                y = divide ? pair_over(l, y, u) : pair_times(l, y, u);
            else
                y.re = divide ? over(l, y.re, u.re) : times(l, y.re, u.re);
        }
        foi_lower_put_complex(l, n, i, y.re, y.im);
    }
    foi_lower_check(l, n);
}

// --------------------------------------------------------------------------------- function 1

enum { POWER10, EXPONENTIAL, LN, SQUARE, ROOT, CONJUGATE, LOG10, LOG2, MAGNITUDE2, RECIPROCAL };

static foi_term real_function(foi_lower *l, int which, foi_term u)
{
    switch (which) {
    case POWER10: return foi_lower_2(l, FOI_G_POWER, foi_lower_number(l, 10), u);
    case EXPONENTIAL: return foi_lower_1(l, FOI_G_EXP, u);
    case LN: return foi_lower_1(l, FOI_G_LOG, u);
    case SQUARE:
    case MAGNITUDE2: return times(l, u, u);
    case ROOT: return foi_lower_1(l, FOI_G_SQRT, u);
    case CONJUGATE: return u;
    case LOG10: return foi_lower_1(l, FOI_G_LOG10, u);
    case LOG2: return foi_lower_by(l, FOI_G_DIVIDE, foi_lower_1(l, FOI_G_LOG, u), log(2));
    case RECIPROCAL: return over(l, foi_lower_number(l, 1), u);
    default: l->unfit = true; return u;
    }
}

static pair complex_function(foi_lower *l, int which, pair u)
{
    foi_term zero = foi_lower_number(l, 0), one = foi_lower_number(l, 1);
    foi_term grown = foi_lower_1(l, FOI_G_EXP, u.re);
    switch (which) {
    case EXPONENTIAL:
        return (pair){times(l, grown, foi_lower_1(l, FOI_G_COS, u.im)),
                      times(l, grown, foi_lower_1(l, FOI_G_SIN, u.im))};
    case SQUARE: return pair_times(l, u, u);
    case CONJUGATE: return (pair){u.re, foi_lower_1(l, FOI_G_NEGATE, u.im)};
    case MAGNITUDE2: return (pair){plus(l, times(l, u.re, u.re), times(l, u.im, u.im)), zero};
    case RECIPROCAL: return pair_over(l, (pair){one, zero}, u);
    default: l->unfit = true; return u;
    }
}

static void function_1(foi_lower *l, const foi_node *n)
{
    int which = foi_lower_choice(l, n, "Function");
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        pair u = pair_in(l, n, 0, i), y = {0, 0};
        if (foi_lower_is_complex(n, 0))
            y = complex_function(l, which, u);
        else
            y.re = real_function(l, which, u.re);
        foi_lower_put_complex(l, n, i, y.re, y.im);
    }
    foi_lower_check(l, n);
}

// --------------------------------------------------------------------------------- function 2

enum { POWER, HYPOTENUSE, MODULUS, COMBINATION, PERMUTATION, ARC_TAN };

static void function_2(foi_lower *l, const foi_node *n)
{
    int which = foi_lower_choice(l, n, "Function");
    bool known = which == POWER || which == HYPOTENUSE || which == ARC_TAN;
    if (!foi_lower_expect(l, n, 2)) return;
    l->unfit |= !known || foi_lower_puts_complex(n);
    for (uint32_t i = 0; i < foi_lower_size(n) && !l->unfit; i++) {
        foi_term a = foi_lower_in(l, n, 0, i), b = foi_lower_in(l, n, 1, i);
        foi_lower_put(l, n, i,
                      which == POWER        ? foi_lower_2(l, FOI_G_POWER, a, b)
                      : which == HYPOTENUSE ? magnitude(l, (pair){a, b})
                                            : foi_lower_2(l, FOI_G_ATAN2, a, b));
    }
    foi_lower_check(l, n);
}

static void trigonometric(foi_lower *l, const foi_node *n)
{
    static const foi_op ops[] = {FOI_G_SIN,  FOI_G_COS,  FOI_G_TAN,  FOI_G_ASIN, FOI_G_ACOS,
                                 FOI_G_ATAN, FOI_G_SINH, FOI_G_COSH, FOI_G_TANH};
    int which = foi_lower_choice(l, n, "Function");
    l->unfit |= foi_lower_puts_complex(n) || which >= (int)(sizeof ops / sizeof *ops);
    for (uint32_t i = 0; i < foi_lower_size(n) && !l->unfit; i++)
        foi_lower_put(l, n, i, foi_lower_1(l, ops[which], foi_lower_in(l, n, 0, i)));
    foi_lower_check(l, n);
}

// ------------------------------------------------------------------------------ rounding, min, max

// Halves away from zero; u - trunc(u) is exact.
foi_term foi_lower_round(foi_lower *l, foi_term u)
{
    foi_term whole = foi_lower_by(l, FOI_G_QUOTIENT, u, 1);
    foi_term rest = foi_lower_1(l, FOI_G_ABS, minus(l, u, whole));
    return foi_lower_if(l, foi_lower_by(l, FOI_G_GREATER_EQUAL, rest, 0.5),
                        plus(l, whole, foi_lower_1(l, FOI_G_SIGN, u)), whole);
}

static foi_term round_one(foi_lower *l, int which, foi_term u)
{
    if (which == 0) return foi_lower_round(l, u);
    if (which == 1) return foi_lower_1(l, FOI_G_FLOOR, u);
    if (which == 2) return foi_lower_1(l, FOI_G_CEIL, u);
    return foi_lower_by(l, FOI_G_QUOTIENT, u, 1);
}

static void rounding(foi_lower *l, const foi_node *n)
{
    int which = foi_lower_choice(l, n, "Function");
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        pair u = pair_in(l, n, 0, i);
        foi_lower_put_complex(l, n, i, round_one(l, which, u.re), round_one(l, which, u.im));
    }
}

static void min_max(foi_lower *l, const foi_node *n)
{
    double wanted = foi_lower_choice(l, n, "Function") ? -1 : 1;
    if (!foi_lower_expect(l, n, 2)) return;
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        foi_term p = foi_lower_in(l, n, 0, i), q = foi_lower_in(l, n, 1, i);
        foi_term side = foi_lower_side(l, n, i, minus(l, p, q));
        foi_lower_put(l, n, i, foi_lower_if(l, foi_lower_by(l, FOI_G_EQUAL, side, wanted), p, q));
    }
}

// ------------------------------------------------------------------------------------- matrices

static void dot(foi_lower *l, const foi_node *n)
{
    pair total = {foi_lower_number(l, 0), foi_lower_number(l, 0)};
    for (uint32_t i = 0; i < foi_array_size(&n->inputs[0]->shape); i++) {
        pair u = pair_in(l, n, 0, i);
        u.im = foi_lower_1(l, FOI_G_NEGATE, u.im);
        pair p = pair_times(l, u, pair_in(l, n, 1, i));
        total = (pair){plus(l, total.re, p.re), plus(l, total.im, p.im)};
    }
    foi_lower_put_complex(l, n, 0, total.re, total.im);
}

enum { OF_CONJUGATE, OF_DETERMINANT, OF_HERMITIAN, OF_INVERSE, OF_TRACE, OF_TRANSPOSE };

static void trace(foi_lower *l, const foi_node *n)
{
    const foi_array *u = &n->inputs[0]->shape;
    pair total = {foi_lower_number(l, 0), foi_lower_number(l, 0)};
    for (uint32_t i = 0; i < u->rows; i++) {
        pair z = pair_in(l, n, 0, i * u->cols + i);
        total = (pair){plus(l, total.re, z.re), plus(l, total.im, z.im)};
    }
    foi_lower_put_complex(l, n, 0, total.re, total.im);
}

static void matrix_1(foi_lower *l, const foi_node *n)
{
    const foi_array *u = &n->inputs[0]->shape;
    int which = foi_lower_choice(l, n, "Function");
    if (which == OF_DETERMINANT || which == OF_INVERSE) l->unfit = true;
    if (which == OF_TRACE) trace(l, n);
    if (l->unfit || which == OF_TRACE) return;
    for (uint32_t i = 0; i < u->rows; i++)
        for (uint32_t j = 0; j < u->cols; j++) {
            pair z = pair_in(l, n, 0, i * u->cols + j);
            if (which != OF_TRANSPOSE) z.im = foi_lower_1(l, FOI_G_NEGATE, z.im);
            foi_lower_put_complex(l, n, which == OF_CONJUGATE ? i * u->cols + j : j * u->rows + i,
                                  z.re, z.im);
        }
}

enum { ADDITION, SUBTRACTION, MULTIPLICATION, DIVISION };

static void matrix_product(foi_lower *l, const foi_node *n)
{
    const foi_array *u = &n->inputs[0]->shape, *v = &n->inputs[1]->shape;
    if ((uint64_t)foi_array_size(u) * v->cols > FOI_MAX_TERMS) l->unfit = true;
    for (uint32_t i = 0; i < u->rows && !l->unfit; i++)
        for (uint32_t j = 0; j < v->cols; j++) {
            pair total = {foi_lower_number(l, 0), foi_lower_number(l, 0)};
            for (uint32_t k = 0; k < u->cols; k++) {
                pair p = pair_times(l, pair_in(l, n, 0, i * u->cols + k),
                                    pair_in(l, n, 1, k * v->cols + j));
                total = (pair){plus(l, total.re, p.re), plus(l, total.im, p.im)};
            }
            foi_lower_put_complex(l, n, i * v->cols + j, total.re, total.im);
        }
}

static void matrix_2(foi_lower *l, const foi_node *n)
{
    int which = foi_lower_choice(l, n, "Function");
    if (which == MULTIPLICATION) {
        matrix_product(l, n);
        return;
    }
    for (uint32_t i = 0; i < foi_lower_size(n); i++) {
        pair p = pair_in(l, n, 0, i), q = pair_in(l, n, 1, i), y;
        if (which == DIVISION)
            y = foi_lower_puts_complex(n) ? pair_over(l, p, q) : (pair){over(l, p.re, q.re), 0};
        else if (which == ADDITION)
            y = (pair){plus(l, p.re, q.re), plus(l, p.im, q.im)};
        else
            y = (pair){minus(l, p.re, q.re), minus(l, p.im, q.im)};
        foi_lower_put_complex(l, n, i, y.re, y.im);
    }
    if (which == DIVISION) foi_lower_check(l, n);
}

const foi_lowering foi_lower_math[] = {
    {.type = "Absolute", .output = absolute},
    {.type = "Sign", .output = sign},
    {.type = "Gain", .output = gain},
    {.type = "Sum", .output = sum},
    {.type = "Product", .output = product},
    {.type = "Math Function 1", .output = function_1},
    {.type = "Math Function 2", .output = function_2},
    {.type = "Trigonometric Function", .output = trigonometric},
    {.type = "Rounding Function", .output = rounding},
    {.type = "Min Max", .output = min_max},
    {.type = "Dot Product", .output = dot},
    {.type = "Matrix 1", .output = matrix_1},
    {.type = "Matrix 2", .output = matrix_2},
    {0},
};
