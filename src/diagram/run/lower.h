/// Lowering: nodes of a diagram as expressions, so that its flow can run as a program.
///
/// Only what is evaluated between moments is lowered: rates, guards and outputs, by the functions
/// of the node types themselves (see scalar.h). What happens at moments stays with the nodes. A
/// node that acts at ticks and holds its outputs is worth what the memory holds, whatever it
/// computes.
///
/// After an accepted step the nodes are asked again only where a guard is no more on its side. A
/// node that changes its memory after other steps too cannot be lowered.
#ifndef FOI_DIAGRAM_LOWER_H
#define FOI_DIAGRAM_LOWER_H

#include "diagram/diagram.h"
#include "diagram/run/terms.h"

typedef struct foi_lower {
    const foi_diagram *diagram;
    foi_terms *terms;
    foi_term *signals; ///< per double of the diagram's signals
    foi_term *rates;   ///< per state
    foi_term *guards;  ///< per guard
    bool *checked;     ///< per double of the signals: the node refuses when it is not finite
    bool unfit;        ///< the node at hand cannot be lowered
} foi_lower;

#endif
