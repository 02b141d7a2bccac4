/// The operations of expressions: one list for folding, differentiation, printing, the bytecode
/// machine, interval evaluation and the C source, so that all of them mean the same.
#ifndef FOI_OPS_H
#define FOI_OPS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "equations/pieces.h"
#include "math/math.h"

// clang-format off
/// X(name, arguments, text): how it is printed, with a, b, c for the arguments.
#define FOI_OPS(X)                                \
    X(NEGATE, 1, "-a")                            \
    X(ADD, 2, "a + b")                            \
    X(SUBTRACT, 2, "a - b")                       \
    X(MULTIPLY, 2, "a * b")                       \
    X(DIVIDE, 2, "a / b")                         \
    X(POWER, 2, "pow(a, b)")                      \
    X(ABS, 1, "fabs(a)")                          \
    X(SIGN, 1, "sign(a)")                         \
    X(SQRT, 1, "sqrt(a)")                         \
    X(MIN, 2, "least(a, b)")                      \
    X(MAX, 2, "most(a, b)")                       \
    X(MOD, 2, "modulo(a, b)")                     \
    X(REM, 2, "remain(a, b)")                     \
    X(QUOTIENT, 2, "trunc(a / b)")                \
    X(FLOOR, 1, "floor(a)")                       \
    X(CEIL, 1, "ceil(a)")                         \
    X(SIN, 1, "sin(a)")                           \
    X(COS, 1, "cos(a)")                           \
    X(TAN, 1, "tan(a)")                           \
    X(ASIN, 1, "asin(a)")                         \
    X(ACOS, 1, "acos(a)")                         \
    X(ATAN, 1, "atan(a)")                         \
    X(ATAN2, 2, "atan2(a, b)")                    \
    X(SINH, 1, "sinh(a)")                         \
    X(COSH, 1, "cosh(a)")                         \
    X(TANH, 1, "tanh(a)")                         \
    X(EXP, 1, "exp(a)")                           \
    X(LOG, 1, "log(a)")                           \
    X(LOG10, 1, "log10(a)")                       \
    X(LOST, 2, "lost(a, b)")                      \
    X(LESS, 2, "a < b")                           \
    X(LESS_EQUAL, 2, "a <= b")                    \
    X(GREATER, 2, "a > b")                        \
    X(GREATER_EQUAL, 2, "a >= b")                 \
    X(EQUAL, 2, "a == b")                         \
    X(NOT_EQUAL, 2, "a != b")                     \
    X(NOT, 1, "a == 0")                           \
    X(AND, 2, "(a != 0) & (b != 0)")              \
    X(OR, 2, "(a != 0) | (b != 0)")               \
    X(IF, 3, "a != 0 ? b : c")                    \
    X(OUTSIDE, 3, "outside(a, b, c)")             \
    X(ALONG, 2, "along(a, b)")                    \
    X(AMONG, 2, "among(a, b)")                    \
    X(CALLED, 1, "a")
// clang-format on

typedef enum foi_op {
    FOI_G_CONSTANT,
    FOI_G_LEAF, ///< something that is known where the expression is evaluated
#define FOI_OPS_NAME(name, arity, text) FOI_G_##name,
    FOI_OPS(FOI_OPS_NAME)
#undef FOI_OPS_NAME
        FOI_G_COUNT
} foi_op;

/// See equations/outside.h; there is no code of others in WebAssembly.
#ifdef __wasm__
#define FOI_OUTSIDE_STEP(a, b, c) NAN
#else
double foi_outside_step(double a, double b, double c);
#define FOI_OUTSIDE_STEP(a, b, c) foi_outside_step(a, b, c)
#endif

static inline double foi_sign(double a)
{
    return (double)((a > 0) - (a < 0));
}

/// The one definition of what the operations compute. Inlined always: where the operation is a
/// constant nothing is left but it.
__attribute__((always_inline)) static inline double foi_op_apply(foi_op op, double a, double b,
                                                                 double c)
{
    switch (op) {
    case FOI_G_CONSTANT:
    case FOI_G_LEAF:
    case FOI_G_COUNT: return a;
    case FOI_G_NEGATE: return -a;
    case FOI_G_ADD: return a + b;
    case FOI_G_SUBTRACT: return a - b;
    case FOI_G_MULTIPLY: return a * b;
    case FOI_G_DIVIDE: return a / b;
    case FOI_G_POWER: return foi_pow(a, b);
    case FOI_G_ABS: return fabs(a);
    case FOI_G_SIGN: return foi_sign(a);
    case FOI_G_SQRT: return foi_sqrt(a);
    case FOI_G_MIN: return b < a || b != b ? b : a; // not a number where one of them is none
    case FOI_G_MAX: return b > a || b != b ? b : a;
    case FOI_G_MOD: return foi_modulo(a, b);
    case FOI_G_REM: return foi_remain(a, b);
    case FOI_G_QUOTIENT: return foi_trunc(a / b);
    case FOI_G_FLOOR: return foi_floor(a);
    case FOI_G_CEIL: return foi_ceil(a);
    case FOI_G_SIN: return foi_sin(a);
    case FOI_G_COS: return foi_cos(a);
    case FOI_G_TAN: return foi_tan(a);
    case FOI_G_ASIN: return foi_asin(a);
    case FOI_G_ACOS: return foi_acos(a);
    case FOI_G_ATAN: return foi_atan(a);
    case FOI_G_ATAN2: return foi_atan2(a, b);
    case FOI_G_SINH: return foi_sinh(a);
    case FOI_G_COSH: return foi_cosh(a);
    case FOI_G_TANH: return foi_tanh(a);
    case FOI_G_EXP: return foi_exp(a);
    case FOI_G_LOG: return foi_log(a);
    case FOI_G_LOG10: return foi_log10(a);
    case FOI_G_LOST: return foi_lost(a, b);
    case FOI_G_LESS: return a < b;
    case FOI_G_LESS_EQUAL: return a <= b;
    case FOI_G_GREATER: return a > b;
    case FOI_G_GREATER_EQUAL: return a >= b;
    case FOI_G_EQUAL: return a == b;
    case FOI_G_NOT_EQUAL: return a != b;
    case FOI_G_NOT: return a == 0;
    case FOI_G_AND: return (a != 0) & (b != 0);
    case FOI_G_OR: return (a != 0) | (b != 0);
    case FOI_G_IF: return a != 0 ? b : c;
    case FOI_G_OUTSIDE: return FOI_OUTSIDE_STEP(a, b, c);
    case FOI_G_ALONG: return foi_along(a, b);
    case FOI_G_AMONG: return foi_among(a, b);
    case FOI_G_CALLED: return a;
    }
    return NAN;
}

/// The same where the operation is a variable. In ops.c.
double foi_op_any(foi_op op, double a, double b, double c);

#endif
