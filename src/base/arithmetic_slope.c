// Derivatives by the rules of calculus, beside the values: each value on the stack has its slope.
#include <math.h>

#include "base/arithmetic.h"
#include "math/math.h"

typedef struct dual {
    double value, slope;
} dual;

// d/dx of a function of one argument; NaN where it has a kink.
static double derivative(foi_term_op op, double x)
{
    switch (op) {
    case FOI_TERM_NEGATE: return -1;
    case FOI_TERM_ABS: return x > 0 ? 1 : x < 0 ? -1 : NAN;
    case FOI_TERM_SIGN: return x != 0 ? 0 : NAN;
    case FOI_TERM_ACOS: return -1 / foi_sqrt((1 - x) * (1 + x));
    case FOI_TERM_ASIN: return 1 / foi_sqrt((1 - x) * (1 + x));
    case FOI_TERM_ATAN: return 1 / (1 + x * x);
    case FOI_TERM_COS: return -foi_sin(x);
    case FOI_TERM_COSH: return foi_sinh(x);
    case FOI_TERM_EXP: return foi_exp(x);
    case FOI_TERM_LOG: return 1 / x;
    case FOI_TERM_LOG10: return 1 / (x * 2.302585092994045684);
    case FOI_TERM_SIN: return foi_cos(x);
    case FOI_TERM_SINH: return foi_cosh(x);
    case FOI_TERM_SQRT: return 0.5 / foi_sqrt(x);
    case FOI_TERM_TAN: return 1 + foi_tan(x) * foi_tan(x);
    case FOI_TERM_TANH: return 1 / (foi_cosh(x) * foi_cosh(x));
    default: return NAN;
    }
}

// A factor times a slope; what does not vary adds nothing, however steep the function is there.
static double part(double factor, double slope)
{
    return slope == 0 ? 0 : factor * slope;
}

static double power_slope(dual a, dual b)
{
    double by_base = b.value == 0 ? 0 : b.value * foi_pow(a.value, b.value - 1);
    return part(by_base, a.slope) + part(foi_pow(a.value, b.value) * foi_log(a.value), b.slope);
}

// The greater or the lesser: of two that are equal, only if they go together.
static double choice_slope(foi_term_op op, dual a, dual b)
{
    if (a.value == b.value) return a.slope == b.slope ? a.slope : NAN;
    return (op == FOI_TERM_MAX) == (a.value > b.value) ? a.slope : b.slope;
}

static double slope_of_two(foi_term_op op, dual a, dual b)
{
    double square = a.value * a.value + b.value * b.value;
    switch (op) {
    case FOI_TERM_ADD: return a.slope + b.slope;
    case FOI_TERM_SUBTRACT: return a.slope - b.slope;
    case FOI_TERM_MULTIPLY: return part(b.value, a.slope) + part(a.value, b.slope);
    case FOI_TERM_DIVIDE:
        return part(1 / b.value, a.slope) - part(a.value / b.value / b.value, b.slope);
    case FOI_TERM_POWER: return power_slope(a, b);
    case FOI_TERM_ATAN2: return part(b.value / square, a.slope) - part(a.value / square, b.slope);
    case FOI_TERM_MAX:
    case FOI_TERM_MIN: return choice_slope(op, a, b);
    default: // comparisons jump where both are equal
        return a.value != b.value || (a.slope == 0 && b.slope == 0) ? 0 : NAN;
    }
}

double foi_arithmetic_slope(const foi_arithmetic *a, const foi_tangent *names,
                            const foi_tangent *calls)
{
    dual stack[FOI_ARITHMETIC_STACK + 1], *end = stack; // end: behind the last value
    for (const foi_term *t = a->terms; t < a->terms + a->count; t++) {
        if (t->op == FOI_TERM_NUMBER) {
            *end++ = (dual){t->number, 0};
        } else if (t->op == FOI_TERM_NAME) {
            *end++ = (dual){names->values[t->index], names->slopes[t->index]};
        } else if (t->op == FOI_TERM_CALL) {
            *end++ = (dual){calls->values[t->index], calls->slopes[t->index]};
        } else if (foi_term_arguments(t->op) == 1) {
            dual x = end[-1];
            end[-1] = (dual){foi_term_value(t->op, x.value, 0),
                             part(derivative(t->op, x.value), x.slope)};
        } else {
            dual x = end[-2], y = end[-1];
            end--;
            end[-1] = (dual){foi_term_value(t->op, x.value, y.value), slope_of_two(t->op, x, y)};
        }
    }
    return stack[0].slope;
}
