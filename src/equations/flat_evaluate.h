/// Values before the run, with functions of the model: what two files share.
#ifndef FOI_FLAT_EVALUATE_H
#define FOI_FLAT_EVALUATE_H

#include "equations/flat.h"

typedef struct foi_evaluation {
    bool mark;                      ///< parameters that are used become structural
    const foi_flat_function *early; ///< it had no body yet: the value may be known later
    double *locals;
    uint32_t local_count;
    uint32_t calls;    ///< how deep in functions
    uint32_t *work;    ///< statements that may still be carried out
    bool running;      ///< in the run: nothing is kept, and what is asserted must hold
    const char **said; ///< in the run: why there is no value
    double *rates;     ///< per local: its derivative, where that is asked for; NULL: it is not
    double rate;       ///< of the last value; NAN: nobody knows
} foi_evaluation;

bool foi_flat_evaluate_in(foi_evaluation *x, const foi_flat_expr *e, int depth, double *value);
/// Which element of an array is meant.
bool foi_flat_offset(foi_evaluation *x, const foi_flat_expr *e, int depth, uint32_t *offset);
/// One result of a call. False when an argument is not known, or when the function is too large, or
/// does something that has no value.
bool foi_flat_call_value(foi_evaluation *x, const foi_flat_call *call, uint32_t result, int depth,
                         double *value);
/// Many values, and their derivatives where `rates` is not NULL; results of one call that stand
/// beside each other are computed once.
bool foi_flat_evaluate_all(foi_evaluation *x, const foi_flat_expr *const *list, uint32_t count,
                           int depth, double *values, double *rates);
/// Carries a function out: `locals` has its inputs, and its outputs afterwards; so has `rates`,
/// where that is not NULL.
bool foi_flat_carry_out(foi_evaluation *x, const foi_flat_function *f, double *locals,
                        double *rates, int depth);
/// The derivative that an annotation names, if it can be taken with these rates of the inputs.
const foi_flat_derivative *foi_flat_named_rate(const foi_flat_function *f, const double *rates);
/// The derivative of an operation or a built-in function with this value, from its arguments and
/// their derivatives.
double foi_flat_rate(const foi_flat_expr *e, const double *a, const double *da, double value);

#endif
