/// Index reduction in two parts: reduce.c finds what must be differentiated, dummies.c chooses the
/// derivatives that become plain variables.
#ifndef FOI_REDUCE_H
#define FOI_REDUCE_H

#include "equations/order.h"

/// Marks the derivatives (variables) that are no derivatives any more.
fo_status foi_choose_dummies(foi_equations *e, bool *dummy);

#endif
