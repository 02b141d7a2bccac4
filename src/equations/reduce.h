/// Index reduction in four parts: dependent.c finds constraints that the structure does not show,
/// reduce.c finds what must be differentiated, wanted.c adds what the model wants as states,
/// dummies.c chooses the derivatives that become plain variables.
#ifndef FOI_REDUCE_H
#define FOI_REDUCE_H

#include "equations/order.h"

/// Who is a derivative still.
typedef enum foi_dummy {
    FOI_NO_DUMMY,
    FOI_DUMMY,       ///< none: a plain variable, once and for all
    FOI_DUMMY_FIRST, ///< none in the first choice, which may change in the run
} foi_dummy;

/// Puts constraints in the place of equations that depend on each other.
fo_status foi_replace_dependent(foi_equations *e);

/// The equations that are not differentiated, over the variables that are not; not matched yet.
fo_status foi_order_top(foi_order *o, foi_equations *e);

/// Adds the derivative of an equation.
fo_status foi_differentiate(foi_equations *e, uint32_t index);

/// Adds the derivatives of variables that the model wants as states, where that is safe.
fo_status foi_differentiate_wanted(foi_equations *e);

/// Puts sliding manifolds in the place of constraints and their derivatives, and chooses the
/// states. `first` is what foi_choose_dummies has chosen, for the start. See slide.c.
fo_status foi_slide(foi_equations *e, const foi_dummy *first);

/// Marks the derivatives (variables) that are no derivatives any more.
fo_status foi_choose_dummies(foi_equations *e, foi_dummy *dummy);

#endif
