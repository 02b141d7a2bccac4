#include "equations/ops.h"

double foi_op_any(foi_op op, double a, double b, double c)
{
    return foi_op_apply(op, a, b, c);
}
