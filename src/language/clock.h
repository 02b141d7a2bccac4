/// Operators of clocks between the expressions that use them (clock_call.c) and the partitions that
/// they make (clock.c).
#ifndef FOI_CLOCK_H
#define FOI_CLOCK_H

#include "language/session.h"

/// Operators that clock.c removes; their numbers come after those of the flat model.
enum {
    CLOCK_SAMPLE = FOI_FN_COUNT + 1, ///< (u) or (u, clock)
    CLOCK_HOLD,
    CLOCK_PREVIOUS,
    CLOCK_SUB, ///< (u, factor); 0: inferred
    CLOCK_SUPER,
    CLOCK_SHIFT, ///< (u, counter, resolution)
    CLOCK_BACK,
    CLOCK_FREE,     ///< noClock
    CLOCK_INTERVAL, ///< () or (u)
    CLOCK_FIRST,
    CLOCK_INFERRED, ///< Clock()
    CLOCK_PERIOD,   ///< (seconds)
    CLOCK_EVENT,    ///< (condition)
    CLOCK_SOLVER,   ///< (clock, method)
    CLOCK_LAST,
};

static inline bool foi_is_clock_call(const foi_flat_expr *e)
{
    return e->op == FOI_OP_CALL && (int)e->builtin >= CLOCK_SAMPLE && (int)e->builtin < CLOCK_LAST;
}

/// A solver method: how a tick goes on from the one before,
/// x + h ((1 - theta) previous(x') + theta x').
typedef struct foi_clock_method {
    const char *name;
    double theta;
} foi_clock_method;

enum { FOI_CLOCK_METHODS = 3 };
extern const foi_clock_method foi_clock_methods[FOI_CLOCK_METHODS];

#endif
