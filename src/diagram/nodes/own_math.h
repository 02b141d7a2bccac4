/// Node types of one's own as expressions: for whom they are made.
#ifndef FOI_DIAGRAM_OWN_MATH_H
#define FOI_DIAGRAM_OWN_MATH_H

#include <foliot/node.h>

#include "diagram/nodes/scalar.h"

struct fo_node_math {
    const foi_node *n;
    foi_run *r;
    double *dx; ///< of its states; NULL while lowering
    uint32_t size;
};

#endif
