/// Lowering: nodes of a diagram as expressions, so that its flow can run as a program.
///
/// Only what is evaluated between moments is lowered: rates, guards and outputs. A lowered node
/// computes what its type's `output` does when it is called between moments, in the same order of
/// operations; what happens at moments stays with the nodes. A node that acts at ticks and holds
/// its outputs is worth what the memory holds, whatever it computes.
///
/// After an accepted step the nodes are asked again only where a guard is no more on its side. A
/// node that changes its memory after other steps too cannot be lowered.
///
/// Nodes are found by the name of their type, parameters by their names. What a lowering does not
/// know makes it unfit, and the diagram is then evaluated node by node.
#ifndef FOI_DIAGRAM_LOWER_H
#define FOI_DIAGRAM_LOWER_H

#include "diagram/diagram.h"
#include "diagram/terms.h"

typedef struct foi_lower {
    const foi_diagram *diagram;
    foi_terms *terms;
    foi_term *signals; ///< per double of the diagram's signals
    foi_term *rates;   ///< per state
    foi_term *guards;  ///< per guard
    bool *checked;     ///< per double of the signals: the node refuses when it is not finite
    bool unfit;        ///< the node at hand cannot be lowered
    foi_array none;    ///< in place of a parameter that is not there: a zero
    double zero[2];
} foi_lower;

typedef void foi_lower_function(foi_lower *l, const foi_node *n);

/// What a node type becomes.
typedef struct foi_lowering {
    const char *type;
    foi_lower_function *output, *rates, *watch;
} foi_lowering;

/// Each ends with one without a type.
extern const foi_lowering foi_lower_math[], foi_lower_logic[], foi_lower_nonlinear[],
    foi_lower_sources[], foi_lower_continuous[], foi_lower_arrange[], foi_lower_tables[];

// ------------------------------------------------------------------------ for the lowerings

static inline foi_term foi_lower_number(foi_lower *l, double value)
{
    return foi_term_number(l->terms, value);
}
static inline foi_term foi_lower_1(foi_lower *l, foi_op op, foi_term a)
{
    return foi_term_make(l->terms, op, a, 0, 0);
}
static inline foi_term foi_lower_2(foi_lower *l, foi_op op, foi_term a, foi_term b)
{
    return foi_term_make(l->terms, op, a, b, 0);
}
static inline foi_term foi_lower_if(foi_lower *l, foi_term condition, foi_term yes, foi_term no)
{
    return foi_term_make(l->terms, FOI_G_IF, condition, yes, no);
}
/// a op b, with a number on the right.
static inline foi_term foi_lower_by(foi_lower *l, foi_op op, foi_term a, double b)
{
    return foi_lower_2(l, op, a, foi_lower_number(l, b));
}
/// What no calculation gives: NaN.
foi_term foi_lower_nothing(foi_lower *l);

/// Real and imaginary part of element i of an input; a single number stands for every element.
foi_term foi_lower_in(foi_lower *l, const foi_node *n, uint32_t port, uint32_t i);
foi_term foi_lower_imaginary(foi_lower *l, const foi_node *n, uint32_t port, uint32_t i);
static inline bool foi_lower_is_complex(const foi_node *n, uint32_t port)
{
    return n->inputs[port]->shape.kind == FOI_SIGNAL_COMPLEX;
}

/// Element i of the first output.
void foi_lower_put(foi_lower *l, const foi_node *n, uint32_t i, foi_term value);
void foi_lower_put_complex(foi_lower *l, const foi_node *n, uint32_t i, foi_term re, foi_term im);
/// Element i of any output.
void foi_lower_put_at(foi_lower *l, const foi_node *n, uint32_t port, uint32_t i, foi_term re,
                      foi_term im);
static inline uint32_t foi_lower_size(const foi_node *n)
{
    return foi_array_size(&n->outputs[0].shape);
}
static inline bool foi_lower_puts_complex(const foi_node *n)
{
    return n->outputs[0].shape.kind == FOI_SIGNAL_COMPLEX;
}
/// Element i of the first output is element j of an input, of whatever kind.
void foi_lower_copy(foi_lower *l, const foi_node *n, uint32_t i, uint32_t port, uint32_t j);
/// The run is refused where the first output is not finite.
void foi_lower_check(foi_lower *l, const foi_node *n);

/// Element i of a parameter, or which of its choices was taken. Unknown names make unfit.
const foi_array *foi_lower_array(foi_lower *l, const foi_node *n, const char *parameter);
double foi_lower_parameter(foi_lower *l, const foi_node *n, const char *parameter, uint32_t i);
foi_term foi_lower_value(foi_lower *l, const foi_node *n, const char *parameter, uint32_t i);
int foi_lower_choice(foi_lower *l, const foi_node *n, const char *parameter);
/// Unless the node has so many inputs it is unfit. Returns whether it has.
bool foi_lower_expect(foi_lower *l, const foi_node *n, uint32_t inputs);

/// What foi_side gives, and the guard's value.
foi_term foi_lower_side(foi_lower *l, const foi_node *n, uint32_t index, foi_term g);
/// Double i of the node's own memory.
foi_term foi_lower_own(foi_lower *l, const foi_node *n, uint32_t i);

/// The nearest whole number, halves away from zero.
foi_term foi_lower_round(foi_lower *l, foi_term u);
/// The number values[k] for the greatest k with at least k of the thresholds not above u; these
/// ascend and are one less than the values.
foi_term foi_lower_pick(foi_lower *l, foi_term u, const double *thresholds, const double *values,
                        uint32_t count);

#endif
