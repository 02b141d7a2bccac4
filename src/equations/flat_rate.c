/// Derivatives of operations, for functions that are carried out with their derivative.
#include <math.h>

#include "equations/flat_evaluate.h"
#include "equations/pieces.h"
#include "math/math.h"

// A derivative that is not asked for does not count, whatever the factor is.
static double times(double factor, double rate)
{
    return rate == 0 ? 0 : factor * rate;
}

static double power_rate(const double *a, const double *da, double value)
{
    double by_base = da[0] == 0 ? 0 : a[1] * foi_pow(a[0], a[1] - 1) * da[0];
    return by_base + (da[1] == 0 ? 0 : value * foi_log(a[0]) * da[1]);
}

static double builtin_rate(foi_flat_builtin builtin, const double *a, const double *da, double z)
{
    double x = a[0], r;
    switch (builtin) {
    case FOI_FN_NO_EVENT:
    case FOI_FN_HOMOTOPY:
    case FOI_FN_REAL: return da[0];
    case FOI_FN_SMOOTH: return da[1];
    case FOI_FN_ABS: return x < 0 ? -da[0] : da[0];
    case FOI_FN_SQRT: return times(0.5 / z, da[0]);
    case FOI_FN_MIN: return x < a[1] ? da[0] : da[1];
    case FOI_FN_MAX: return x > a[1] ? da[0] : da[1];
    case FOI_FN_MOD: return da[0] + times(-floor(x / a[1]), da[1]);
    case FOI_FN_REM: return da[0] + times(-trunc(x / a[1]), da[1]);
    case FOI_FN_SIN: return times(foi_cos(x), da[0]);
    case FOI_FN_COS: return times(-foi_sin(x), da[0]);
    case FOI_FN_TAN: return times(1 + z * z, da[0]);
    case FOI_FN_ASIN: return times(1 / sqrt((1 - x) * (1 + x)), da[0]);
    case FOI_FN_ACOS: return times(-1 / sqrt((1 - x) * (1 + x)), da[0]);
    case FOI_FN_ATAN: return times(1 / (1 + x * x), da[0]);
    case FOI_FN_ATAN2:
        r = x * x + a[1] * a[1];
        return times(a[1] / r, da[0]) + times(-x / r, da[1]);
    case FOI_FN_SINH: return times(foi_cosh(x), da[0]);
    case FOI_FN_COSH: return times(foi_sinh(x), da[0]);
    case FOI_FN_TANH: return times((1 - z) * (1 + z), da[0]);
    case FOI_FN_EXP: return times(z, da[0]);
    case FOI_FN_LOG: return times(1 / x, da[0]);
    case FOI_FN_LOG10: return times(0.43429448190325182 / x, da[0]);
    case FOI_FN_ALONG: return times(foi_along(x, a[1] + 1), da[0]);
    case FOI_FN_AMONG:
    case FOI_FN_SIGN:
    case FOI_FN_DIV:
    case FOI_FN_FLOOR:
    case FOI_FN_CEIL:
    case FOI_FN_INTEGER: return 0; // steps
    default: return NAN;
    }
}

double foi_flat_rate(const foi_flat_expr *e, const double *a, const double *da, double value)
{
    switch (e->op) {
    case FOI_OP_NEGATE: return -da[0];
    case FOI_OP_ADD: return da[0] + da[1];
    case FOI_OP_SUBTRACT: return da[0] - da[1];
    case FOI_OP_MULTIPLY: return times(a[1], da[0]) + times(a[0], da[1]);
    case FOI_OP_DIVIDE: return times(1 / a[1], da[0]) + times(-value / a[1], da[1]);
    case FOI_OP_POWER: return power_rate(a, da, value);
    case FOI_OP_CALL: return builtin_rate(e->builtin, a, da, value);
    default: return 0; // truths
    }
}
