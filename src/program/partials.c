#include "program/partials.h"

#include <math.h>

#include "math/math.h"

static foi_partials of_power(double a, double b, double z)
{
    double by_a = b == 0 ? 0 : b == 1 ? 1 : b == 2 ? 2 * a : b * foi_pow(a, b - 1);
    double by_b = a > 0 ? z * foi_log(a) : a == 0 && b > 0 ? 0 : NAN;
    return (foi_partials){by_a, by_b, 0};
}

static foi_partials of_function(foi_op op, double a, double b, double z)
{
    double r;
    switch (op) {
    case FOI_G_POWER: return of_power(a, b, z);
    case FOI_G_SQRT: return (foi_partials){0.5 / z, 0, 0};
    case FOI_G_SIN: return (foi_partials){foi_cos(a), 0, 0};
    case FOI_G_COS: return (foi_partials){-foi_sin(a), 0, 0};
    case FOI_G_TAN: return (foi_partials){1 + z * z, 0, 0};
    case FOI_G_ASIN: return (foi_partials){1 / foi_sqrt((1 - a) * (1 + a)), 0, 0};
    case FOI_G_ACOS: return (foi_partials){-1 / foi_sqrt((1 - a) * (1 + a)), 0, 0};
    case FOI_G_ATAN: return (foi_partials){1 / (1 + a * a), 0, 0};
    case FOI_G_ATAN2: r = a * a + b * b; return (foi_partials){b / r, -a / r, 0};
    case FOI_G_SINH: return (foi_partials){foi_cosh(a), 0, 0};
    case FOI_G_COSH: return (foi_partials){foi_sinh(a), 0, 0};
    case FOI_G_TANH: return (foi_partials){(1 - z) * (1 + z), 0, 0};
    case FOI_G_EXP: return (foi_partials){z, 0, 0};
    case FOI_G_LOG: return (foi_partials){1 / a, 0, 0};
    case FOI_G_LOG10: return (foi_partials){0.43429448190325182 / a, 0, 0};
    case FOI_G_ALONG: return (foi_partials){foi_along(a, b + 1), 0, 0};
    case FOI_G_OUTSIDE: return (foi_partials){NAN, NAN, NAN}; // nobody knows
    default: return (foi_partials){0, 0, 0};                  // steps and truths
    }
}

foi_partials foi_op_partials(foi_op op, double a, double b, double z)
{
    switch (op) {
    case FOI_G_CONSTANT:
    case FOI_G_LEAF: return (foi_partials){1, 0, 0};
    case FOI_G_CALLED: return (foi_partials){1, 0, 0};
    case FOI_G_NEGATE: return (foi_partials){-1, 0, 0};
    case FOI_G_ADD: return (foi_partials){1, 1, 0};
    case FOI_G_SUBTRACT: return (foi_partials){1, -1, 0};
    case FOI_G_MULTIPLY: return (foi_partials){b, a, 0};
    case FOI_G_DIVIDE: return (foi_partials){1 / b, -z / b, 0};
    case FOI_G_ABS: return (foi_partials){a < 0 ? -1 : 1, 0, 0};
    case FOI_G_MIN: return b < a || b != b ? (foi_partials){0, 1, 0} : (foi_partials){1, 0, 0};
    case FOI_G_MAX: return b > a || b != b ? (foi_partials){0, 1, 0} : (foi_partials){1, 0, 0};
    case FOI_G_MOD: return (foi_partials){1, -foi_floor(a / b), 0};
    case FOI_G_REM: return (foi_partials){1, -foi_trunc(a / b), 0};
    case FOI_G_IF: return a != 0 ? (foi_partials){0, 1, 0} : (foi_partials){0, 0, 1};
    default: return of_function(op, a, b, z);
    }
}
