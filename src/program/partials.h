/// Partial derivatives of the operations of a program.
#ifndef FOI_PROGRAM_PARTIALS_H
#define FOI_PROGRAM_PARTIALS_H

#include "equations/ops.h"

/// By the operands of z = op(a, b, c), in their order.
typedef struct foi_partials {
    double a, b, c;
} foi_partials;

/// In closed form. At a kink (abs, min, max) those of the piece that is taken; what steps has 0.
foi_partials foi_op_partials(foi_op op, double a, double b, double z);

#endif
