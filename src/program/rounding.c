/// How far rounding can have carried the residuals of a loop: running error analysis (J. H.
/// Wilkinson, Rounding Errors in Algebraic Processes, 1963, chapter 1; N. J. Higham, Accuracy and
/// Stability of Numerical Algorithms, 2002, chapter 3.3).
///
/// For z = op(a, b) with computed operands whose errors are at most eps E(a) and eps E(b),
///
///     E(z) = |dz/da| E(a) + |dz/db| E(b) + u |z|,     u = 1, or 4 for functions of libm
///
/// to first order; what comes from outside and each variable of the model has E = its own size: it
/// was rounded when it was stored. So eps E of a residual is what remains of it at a solution that
/// is as good as rounding allows, in terms of the model's own equations: a variable that follows by
/// tearing is one of the model's variables, and its equation holds as well as it can, whatever the
/// rows before it have lost.
#include <float.h>

#include "equations/outside.h"
#include "math/math.h"
#include "program/code.h"

/// Sizes of the derivatives by the three operands, and u.
typedef struct slopes {
    double a, b, c, u;
} slopes;

// A slope that is infinite at one point: over an error of eps it is no more than 1 / sqrt(eps).
static double steep(double one_over)
{
    const double most = 67108864; // 2^26
    return one_over > 1 / most ? 1 / one_over : most;
}

static slopes of_function(foi_op op, double a, double b, double z)
{
    switch (op) {
    case FOI_G_POWER: {
        double by_a = a != 0 ? fabs(b * (z / a)) : b >= 1 ? 0 : steep(0);
        return (slopes){by_a, a > 0 ? fabs(z * foi_log(a)) : 0, 0, 4};
    }
    case FOI_G_SQRT: return (slopes){0.5 * steep(z), 0, 0, 1};
    case FOI_G_SIN:
    case FOI_G_COS: return (slopes){1, 0, 0, 4};
    case FOI_G_TAN: return (slopes){1 + z * z, 0, 0, 4};
    case FOI_G_ASIN:
    case FOI_G_ACOS: return (slopes){steep(sqrt(foi_fmax(0, 1 - a * a))), 0, 0, 4};
    case FOI_G_ATAN: return (slopes){1 / (1 + a * a), 0, 0, 4};
    case FOI_G_ATAN2: {
        double r = a * a + b * b;
        return (slopes){fabs(b) / r, fabs(a) / r, 0, 4};
    }
    case FOI_G_SINH: return (slopes){sqrt(1 + z * z), 0, 0, 4};
    case FOI_G_TANH: return (slopes){1 - z * z, 0, 0, 4};
    case FOI_G_COSH:
    case FOI_G_EXP: return (slopes){fabs(z), 0, 0, 4};
    case FOI_G_LOG: return (slopes){1 / fabs(a), 0, 0, 4};
    case FOI_G_LOG10: return (slopes){0.43429448190325182 / fabs(a), 0, 0, 4};
    default: return (slopes){0, 0, 0, 1}; // steps and truths
    }
}

static slopes of(foi_op op, double a, double b, double z)
{
    switch (op) {
    case FOI_G_CALLED:
    case FOI_G_NEGATE:
    case FOI_G_ABS: return (slopes){1, 0, 0, 0};
    case FOI_G_ADD:
    case FOI_G_SUBTRACT: return (slopes){1, 1, 0, 1};
    case FOI_G_MULTIPLY: return (slopes){fabs(b), fabs(a), 0, 1};
    case FOI_G_DIVIDE: return (slopes){1 / fabs(b), fabs(z / b), 0, 1};
    case FOI_G_MIN:
    case FOI_G_MAX: return (slopes){z == a, z == b, 0, 0};
    case FOI_G_MOD:
    case FOI_G_REM: return (slopes){1, fabs((a - z) / b), 0, 1};
    case FOI_G_IF: return (slopes){0, a != 0, a == 0, 0};
    case FOI_G_ALONG: return (slopes){fabs(foi_along(a, b + 1)), 0, 0, 4};
    case FOI_G_AMONG: return (slopes){0, 0, 0, 0};
    default: return of_function(op, a, b, z);
    }
}

// 0 times an infinite slope is nothing.
static double times(double slope, double error)
{
    return slope == 0 || error == 0 ? 0 : slope * error;
}

static inline double reach_of(const foi_instruction *x, uint32_t k, uint32_t from,
                              const double *reach)
{
    return x->lanes & ((FOI_INSIDE_A | FOI_UNKNOWN_A) << k) ? reach[from] : 0;
}

static inline double error_of(const foi_instruction *x, uint32_t k, uint32_t from, const double *r,
                              const double *error)
{
    return x->lanes & (FOI_INSIDE_A << k) ? error[from] : fabs(r[from]);
}

// Code of others: a change of an argument is taken to come out no larger than it went in, and the
// result to be as good as a function of libm. Lists and calls are addresses, which are exact: only
// what was passed inside of the loop has an error.
static void outside(const foi_instruction *x, const double *r, double *error, double *reach)
{
    double kind = fmod(r[x->c], FOI_OUTSIDE_KINDS);
    error[x->to] = x->lanes & FOI_INSIDE_A ? error[x->a] : 0;
    reach[x->to] = reach_of(x, 0, x->a, reach);
    if (kind == FOI_OUTSIDE_PASS) {
        error[x->to] += error_of(x, 1, x->b, r, error);
        reach[x->to] += reach_of(x, 1, x->b, reach);
    }
    if (kind >= FOI_OUTSIDE_RESULT) error[x->to] += 4 * fabs(r[x->to]);
}

// What a result is rounded from: a curve's is a sum.
static double weight(const foi_instruction *x, const double *r, double z)
{
    return x->op == FOI_G_ALONG ? foi_along_size(r[x->a], r[x->b]) : fabs(z);
}

static void any(const foi_instruction *x, const double *r, double *error, double *reach)
{
    const uint32_t from[3] = {x->a, x->b, x->c};
    slopes s = of((foi_op)x->op, r[x->a], r[x->b], r[x->to]);
    const double slope[3] = {s.a, s.b, s.c};
    double e = s.u * weight(x, r, r[x->to]), way = 0;
    for (uint32_t k = 0; k < foi_op_arity((foi_op)x->op); k++) {
        e += times(slope[k], error_of(x, k, from[k], r, error));
        way += times(slope[k], reach_of(x, k, from[k], reach));
    }
    error[x->to] = e, reach[x->to] = way;
}

void foi_rounding(const foi_code *code, const foi_loop_code *loop, const double *r,
                  const double *seed, double *error, double *reach)
{
    for (uint32_t i = 0; i < loop->count; i++) {
        error[loop->residual[i]] = fabs(r[loop->residual[i]]), reach[loop->residual[i]] = 0;
        error[loop->unknown[i]] = fabs(r[loop->unknown[i]]), reach[loop->unknown[i]] = seed[i];
    }
    const foi_instruction *end = code->list + loop->end;
    for (const foi_instruction *x = code->list + loop->begin; x < end; x++) {
        double z = fabs(r[x->to]), a, b;
        switch (x->op) {
        case FOI_G_ADD:
        case FOI_G_SUBTRACT:
            a = error_of(x, 0, x->a, r, error), b = error_of(x, 1, x->b, r, error);
            error[x->to] = a + b + z;
            reach[x->to] = reach_of(x, 0, x->a, reach) + reach_of(x, 1, x->b, reach);
            break;
        case FOI_G_MULTIPLY:
            a = fabs(r[x->a]), b = fabs(r[x->b]);
            error[x->to] =
                b * error_of(x, 0, x->a, r, error) + a * error_of(x, 1, x->b, r, error) + z;
            reach[x->to] = b * reach_of(x, 0, x->a, reach) + a * reach_of(x, 1, x->b, reach);
            break;
        case FOI_G_OUTSIDE: outside(x, r, error, reach); break;
        default: any(x, r, error, reach); break;
        }
        if (x->lanes & FOI_IS_VARIABLE) error[x->to] = z;
    }
}

void foi_rounding_step(const foi_instruction *x, double *r, double *error)
{
    const uint32_t from[3] = {x->a, x->b, x->c};
    double z = foi_op_any((foi_op)x->op, r[x->a], r[x->b], r[x->c]), e = 0;
    uint32_t arity = foi_op_arity((foi_op)x->op);
    bool any = false;
    for (uint32_t k = 0; k < arity; k++) any |= error[from[k]] != 0;
    if (any) {
        slopes s = of((foi_op)x->op, r[x->a], r[x->b], z);
        const double slope[3] = {s.a, s.b, s.c};
        for (uint32_t k = 0; k < arity; k++) e += times(slope[k], error[from[k]]);
        if (e > 0) e += s.u * weight(x, r, z);
    }
    r[x->to] = z, error[x->to] = e;
}
