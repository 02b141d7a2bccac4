/// What can be undefined in an expression, node by node: for undefined.c and divisors.c.
#ifndef FOI_UNDEFINED_H
#define FOI_UNDEFINED_H

#include "program/program.h"

/// What is known of a number from below.
typedef enum foi_at_least {
    FOI_ANYTHING,
    FOI_NOT_NEGATIVE,
    FOI_POSITIVE,
} foi_at_least;

typedef struct foi_about {
    bool moves;  ///< changes between moments
    bool flows;  ///< the same, where `moves` is set for what does not, too
    bool fails;  ///< something in it can be undefined
    bool states; ///< depends on more than time
    bool poles;  ///< something in it can go to infinity
    bool pole;   ///< it can itself: a quotient, a tangent, a power
    bool times;  ///< at times that no state has a part in
    bool leaves; ///< because an argument leaves what a function is defined on
    bool hidden; ///< depends on a loop, a delay or a function from outside
    uint8_t least;
} foi_about;

/// Finds that out of all that the last walk over the graph has found; `all` is zeroed, one per
/// node.
void foi_look_at(const foi_graph *g, foi_about *all);

#endif
