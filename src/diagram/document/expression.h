/// Expressions in the parameters of nodes: "m*g*l", "2*pi 1/tau, -1 sqrt(k/m)". Rows with commas
/// between them, of elements with blanks between them; an element is arithmetic
/// (base/arithmetic.h).
#ifndef FOI_DIAGRAM_EXPRESSION_H
#define FOI_DIAGRAM_EXPRESSION_H

#include "diagram/node.h"

/// Reads real numbers. Names are those of `names`. False with words in `wrong` when it cannot, or
/// when something is not finite; where memory is lacking `arena` has failed, too.
bool foi_expression_parse(foi_arena *arena, const char *text, fo_variables names, foi_array *a,
                          char *wrong, size_t size);

#endif
