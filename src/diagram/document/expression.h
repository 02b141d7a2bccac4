/// Expressions in the parameters of nodes: "m*g*l", "2*pi 1/tau, -1 sqrt(k/m)".
///
///     array       row {"," row}
///     row         sum {sum}               with spaces between them
///     sum         product {("+" | "-") product}
///     product     power {("*" | "/") power}
///     power       ["-" | "+"] atom ["^" power]
///     atom        number | name | function "(" sum {"," sum} ")" | "(" sum ")"
///
/// A sign with a space before it and none behind it begins another element: "a -b" is two numbers,
/// "a - b" and "a-b" are one.
#ifndef FOI_DIAGRAM_EXPRESSION_H
#define FOI_DIAGRAM_EXPRESSION_H

#include "diagram/node.h"

/// Reads real numbers. Names are those of `names`, "pi", and the functions abs, acos, asin, atan,
/// atan2, cos, cosh, exp, log, log10, max, min, pow, sin, sinh, sqrt, tan, tanh. False with words
/// in `wrong` when it cannot, or when something is not finite.
bool foi_expression_parse(foi_arena *arena, const char *text, fo_variables names, foi_array *a,
                          char *wrong, size_t size);

#endif
