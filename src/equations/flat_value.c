/// Values of expressions that are known before the run.
#include <math.h>

#include "equations/flat_evaluate.h"
#include "equations/pieces.h"
#include "math/math.h"

enum {
    DEEPEST = 4000,      // nested bindings and operations together
    MOST_WORK = 1000000, // statements of functions
};

bool foi_flat_op_value(foi_flat_op op, double a, double b, double *value)
{
    switch (op) {
    case FOI_OP_NEGATE: *value = -a; break;
    case FOI_OP_NOT: *value = !a; break;
    case FOI_OP_ADD: *value = a + b; break;
    case FOI_OP_SUBTRACT: *value = a - b; break;
    case FOI_OP_MULTIPLY: *value = a * b; break;
    case FOI_OP_DIVIDE: *value = a / b; break;
    case FOI_OP_POWER: *value = foi_pow(a, b); break;
    case FOI_OP_AND: *value = a && b; break;
    case FOI_OP_OR: *value = a || b; break;
    case FOI_OP_LESS: *value = a < b; break;
    case FOI_OP_LESS_EQUAL: *value = a <= b; break;
    case FOI_OP_GREATER: *value = a > b; break;
    case FOI_OP_GREATER_EQUAL: *value = a >= b; break;
    case FOI_OP_EQUAL: *value = a == b; break;
    case FOI_OP_NOT_EQUAL: *value = a != b; break;
    default: return false;
    }
    return isfinite(*value);
}

// Functions of two numbers.
static bool pair_value(foi_flat_builtin builtin, double x, double y, double *value)
{
    switch (builtin) {
    case FOI_FN_MIN: *value = x < y ? x : y; break;
    case FOI_FN_MAX: *value = x > y ? x : y; break;
    case FOI_FN_MOD: *value = foi_modulo(x, y); break;
    case FOI_FN_REM: *value = foi_remain(x, y); break;
    case FOI_FN_DIV: *value = trunc(x / y); break;
    case FOI_FN_ATAN2: *value = foi_atan2(x, y); break;
    case FOI_FN_ALONG: *value = foi_along(x, y); break;
    case FOI_FN_AMONG: *value = foi_among(x, y); break;
    case FOI_FN_SMOOTH: *value = y; break;
    case FOI_FN_HOMOTOPY: *value = x; break;
    default: return false;
    }
    return isfinite(*value);
}

bool foi_flat_builtin_value(foi_flat_builtin builtin, const double *arguments, double *value)
{
    double x = arguments[0];
    switch (builtin) {
    case FOI_FN_NO_EVENT:
    case FOI_FN_PRE:
    case FOI_FN_DELAY:
    case FOI_FN_REAL: *value = x; break;
    case FOI_FN_DER: *value = 0; break;
    case FOI_FN_ABS: *value = fabs(x); break;
    case FOI_FN_SIGN: *value = (x > 0) - (x < 0); break;
    case FOI_FN_SQRT: *value = sqrt(x); break;
    case FOI_FN_FLOOR:
    case FOI_FN_INTEGER: *value = floor(x); break;
    case FOI_FN_CEIL: *value = ceil(x); break;
    case FOI_FN_SIN: *value = foi_sin(x); break;
    case FOI_FN_COS: *value = foi_cos(x); break;
    case FOI_FN_TAN: *value = foi_tan(x); break;
    case FOI_FN_ASIN: *value = foi_asin(x); break;
    case FOI_FN_ACOS: *value = foi_acos(x); break;
    case FOI_FN_ATAN: *value = foi_atan(x); break;
    case FOI_FN_SINH: *value = foi_sinh(x); break;
    case FOI_FN_COSH: *value = foi_cosh(x); break;
    case FOI_FN_TANH: *value = foi_tanh(x); break;
    case FOI_FN_EXP: *value = foi_exp(x); break;
    case FOI_FN_LOG: *value = foi_log(x); break;
    case FOI_FN_LOG10: *value = foi_log10(x); break;
    case FOI_FN_SAMPLE:
    case FOI_FN_INITIAL:
    case FOI_FN_TERMINAL:
    case FOI_FN_STRING: return false;
    default: return pair_value(builtin, x, arguments[1], value);
    }
    return isfinite(*value);
}

// Each variable is worked out once, and once more when it becomes structural: a chain of bindings
// costs what its length is, not 2 to the power of it.
static bool of_variable(foi_evaluation *x, foi_flat_variable *v, int depth, double *value)
{
    x->rate = 0;
    if (v->local && x->locals && v->index < x->local_count) {
        *value = x->locals[v->index];
        if (x->rates) x->rate = x->rates[v->index];
        return true;
    }
    if (v->variability > FOI_PARAMETER || !v->binding) return false;
    if (x->running) return *value = v->value, v->evaluated == 2;
    v->asked = true;
    if (v->evaluated == 1) v->evaluated = 4;
    if (v->evaluated == 4) return false;
    if (v->evaluated >= 2 && (v->structural || !x->mark)) {
        *value = v->value;
        return v->evaluated == 2;
    }
    v->evaluated = 1;
    bool known = foi_flat_evaluate_in(x, v->binding, depth + 1, &v->value);
    if (v->evaluated != 4) v->evaluated = known ? 2 : x->early ? 0 : 3;
    if (x->mark && v->variability == FOI_PARAMETER) v->structural = true;
    *value = v->value;
    return known;
}

static bool of_element(foi_evaluation *x, const foi_flat_expr *e, int depth, double *value)
{
    uint32_t offset;
    return foi_flat_offset(x, e, depth, &offset) &&
           of_variable(x, e->array->elements[offset], depth, value);
}

bool foi_flat_offset(foi_evaluation *x, const foi_flat_expr *e, int depth, uint32_t *offset)
{
    *offset = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        double s;
        if (!foi_flat_evaluate_in(x, e->arguments[i], depth + 1, &s)) return false;
        if (!(s >= 1 && s <= e->array->dims[i])) return false;
        *offset = *offset * e->array->dims[i] + (uint32_t)s - 1;
    }
    return true;
}

bool foi_flat_evaluate_in(foi_evaluation *x, const foi_flat_expr *e, int depth, double *value)
{
    double a[3] = {0}, da[3] = {0};
    *value = 0, x->rate = 0;
    if (!e || depth > DEEPEST || e->type == FOI_STRING) return false;
    switch (e->op) {
    case FOI_OP_LITERAL: *value = e->number; return true;
    case FOI_OP_VARIABLE: return of_variable(x, e->variable, depth, value);
    case FOI_OP_ELEMENT: return of_element(x, e, depth, value);
    case FOI_OP_STRING:
    case FOI_OP_TIME: return false;
    case FOI_OP_RESULT: return foi_flat_call_value(x, e->call, e->result, depth, value);
    case FOI_OP_IF:
        if (!foi_flat_evaluate_in(x, e->arguments[0], depth + 1, &a[0])) return false;
        return foi_flat_evaluate_in(x, e->arguments[a[0] ? 1 : 2], depth + 1, value);
    default: break;
    }
    for (uint32_t i = 0; i < e->count; i++) {
        if (!foi_flat_evaluate_in(x, e->arguments[i], depth + 1, &a[i])) return false;
        da[i] = x->rate;
    }
    if (e->op == FOI_OP_CALL &&
        (e->count == 0 || e->builtin == FOI_FN_DER || e->builtin == FOI_FN_PRE))
        return false;
    bool known = e->op == FOI_OP_CALL ? foi_flat_builtin_value(e->builtin, a, value)
                                      : foi_flat_op_value(e->op, a[0], a[1], value);
    x->rate = known && x->rates ? foi_flat_rate(e, a, da, *value) : 0;
    return known;
}

bool foi_flat_evaluate(const foi_flat_expr *e, bool mark, double *value)
{
    return foi_flat_evaluate_early(e, mark, value, &(const foi_flat_function *){NULL});
}

bool foi_flat_default(foi_flat_variable *v, double *value)
{
    const foi_flat_expr *from = v->binding ? v->binding : v->start;
    v->asked = true;
    return from && foi_flat_evaluate(from, false, value);
}

bool foi_flat_evaluate_early(const foi_flat_expr *e, bool mark, double *value,
                             const foi_flat_function **missing)
{
    uint32_t work = MOST_WORK;
    foi_evaluation x = {.mark = mark, .work = &work};
    bool known = foi_flat_evaluate_in(&x, e, 0, value);
    *missing = x.early;
    return known;
}
