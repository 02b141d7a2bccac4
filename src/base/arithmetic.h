/// Arithmetic in texts: "m*g*l", "p^2/(2*m) + k*x^2/2", "integral(u^2) / max(x, y)". One grammar
/// for the parameters of diagrams, the energies of structures and the measures of runs:
///
///     comparison  sum [ ("<" | "<=" | ">" | ">=") sum ]        1 where it holds, otherwise 0
///     sum         product { ("+" | "-") product }
///     product     sign { ("*" | "/") sign }
///     sign        { "-" | "+" } power
///     power       value [ "^" sign ]          -x^2 is -(x^2), 2^3^2 is 2^(3^2), 2^-1 is a half
///     value       number | "pi" | name | name "(" comparison { "," comparison } ")"
///                 | "(" comparison ")"
///     name        (letter | "_" | index) { letter | digit | "_" | "." | index } | quoted text
///     index       "[" ... "]"
///
/// Functions: abs, acos, asin, atan, atan2, cos, cosh, exp, log, log10, max, min, pow, sign, sin,
/// sinh, sqrt, tan, tanh. A text becomes a list of terms in postfix order.
#ifndef FOI_ARITHMETIC_H
#define FOI_ARITHMETIC_H

#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

typedef enum foi_term_op {
    FOI_TERM_NUMBER,
    FOI_TERM_NAME, ///< what the reader's user finds under a name
    FOI_TERM_CALL, ///< what it finds under a call of its own
    FOI_TERM_NEGATE,
    FOI_TERM_ADD,
    FOI_TERM_SUBTRACT,
    FOI_TERM_MULTIPLY,
    FOI_TERM_DIVIDE,
    FOI_TERM_POWER,
    FOI_TERM_LESS,
    FOI_TERM_LESS_EQUAL,
    FOI_TERM_GREATER,
    FOI_TERM_GREATER_EQUAL,
    FOI_TERM_ABS, ///< from here on functions
    FOI_TERM_ACOS,
    FOI_TERM_ASIN,
    FOI_TERM_ATAN,
    FOI_TERM_ATAN2,
    FOI_TERM_COS,
    FOI_TERM_COSH,
    FOI_TERM_EXP,
    FOI_TERM_LOG,
    FOI_TERM_LOG10,
    FOI_TERM_MAX,
    FOI_TERM_MIN,
    FOI_TERM_SIGN,
    FOI_TERM_SIN,
    FOI_TERM_SINH,
    FOI_TERM_SQRT,
    FOI_TERM_TAN,
    FOI_TERM_TANH,
} foi_term_op;

typedef struct foi_term {
    foi_term_op op;
    uint32_t column; ///< in the text, from 1
    double number;   ///< of a number
    size_t index;    ///< of a name or a call
} foi_term;

typedef struct foi_arithmetic {
    foi_term *terms;
    size_t count, room;
} foi_arithmetic;

enum { FOI_ARITHMETIC_STACK = 128 }; ///< no expression needs more values at once

/// What is around an expression: where its names lead, and where it ends.
typedef struct foi_arithmetic_scope {
    void *self;
    /// The index of a name. An error, with words about it, for an unknown one.
    fo_status (*name)(void *self, const char *name, size_t *index, fo_message *why);
    /// A call of a name that is no function of so many arguments: `*at` stands after its bracket,
    /// and behind the closing one afterwards. NULL: there are none.
    fo_status (*call)(void *self, const char *name, const char **at, size_t *index, bool *known,
                      fo_message *why);
    const char *ends; ///< the expression ends before one of these letters, or where the text does
    /// One of several numbers with blanks between them: outside of brackets a sign with a blank
    /// before it and none behind it begins another one, "a -b" is two and "a - b" is one.
    bool element;
} foi_arithmetic_scope;

/// Reads an expression of `text` from `*at` on, which then stands where it ends.
/// FO_ERROR_FORMAT with "column 5: expected ..., found ..."; what the scope returned; or
/// FO_ERROR_MEMORY. To be destroyed in every case.
fo_status foi_arithmetic_read(foi_arithmetic *a, const char *text, const char **at,
                              const foi_arithmetic_scope *scope, const fo_allocator *allocator,
                              fo_message *why);
void foi_arithmetic_destroy(foi_arithmetic *a, const fo_allocator *allocator);

/// Its value for these values of names and calls.
double foi_arithmetic_value(const foi_arithmetic *a, const double *names, const double *calls);
/// Values of names or calls, and how they change along some direction.
typedef struct foi_tangent {
    const double *values, *slopes;
} foi_tangent;
/// How it changes along that direction, by the rules of calculus; NaN where it has a kink or a jump
/// there, or no derivative.
double foi_arithmetic_slope(const foi_arithmetic *a, const foi_tangent *names,
                            const foi_tangent *calls);
/// What one operation or function computes; of one argument `b` is not looked at.
double foi_term_value(foi_term_op op, double a, double b);
/// How many values it takes.
int foi_term_arguments(foi_term_op op);
/// As it is written: "+", "sin".
const char *foi_term_word(foi_term_op op);

void foi_skip_spaces(const char **at);

#endif
