/// Values before the run, with functions of the model: what two files share.
#ifndef FOI_FLAT_EVALUATE_H
#define FOI_FLAT_EVALUATE_H

#include "equations/flat.h"

typedef struct foi_evaluation {
    bool mark;                      ///< parameters that are used become structural
    const foi_flat_function *early; ///< it had no body yet: the value may be known later
    double *locals;
    uint32_t local_count;
    uint32_t calls; ///< how deep in functions
    uint32_t *work; ///< statements that may still be carried out
} foi_evaluation;

bool foi_flat_evaluate_in(foi_evaluation *x, const foi_flat_expr *e, int depth, double *value);
/// Which element of an array is meant.
bool foi_flat_offset(foi_evaluation *x, const foi_flat_expr *e, int depth, uint32_t *offset);
/// One result of a call. False when an argument is not known, or when the function is too large, or
/// does something that has no value.
bool foi_flat_call_value(foi_evaluation *x, const foi_flat_call *call, uint32_t result, int depth,
                         double *value);

#endif
