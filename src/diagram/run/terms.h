/// Expressions of a diagram: terms over time, states and memory, and the program that they become.
///
/// This is all that the lowering of nodes knows of the equations and program rooms.
#ifndef FOI_DIAGRAM_TERMS_H
#define FOI_DIAGRAM_TERMS_H

#include <foliot/system.h>

#include "equations/ops.h"

/// An expression; equal ones are the same.
typedef uint32_t foi_term;
#define FOI_NO_TERM UINT32_MAX

typedef struct foi_terms foi_terms;

enum { FOI_MAX_TERMS = 400000 }; ///< beyond, loops over vectors are faster than a program

/// For a diagram with so many doubles of memory. NULL without memory.
foi_terms *foi_terms_create(uint32_t memory, const fo_allocator *allocator);
/// Takes NULL.
void foi_terms_destroy(foi_terms *terms);
/// There are as many as there may be; what is made from now on is of no meaning.
bool foi_terms_full(const foi_terms *terms);

foi_term foi_term_number(foi_terms *terms, double value);
foi_term foi_term_time(foi_terms *terms);
foi_term foi_term_state(foi_terms *terms, uint32_t state);
/// Double `at` of the diagram's memory.
foi_term foi_term_memory(foi_terms *terms, uint32_t at);
/// Arguments beyond the operation's are ignored.
foi_term foi_term_make(foi_terms *terms, foi_op op, foi_term a, foi_term b, foi_term c);

/// The flow of a diagram as a program.
typedef struct foi_lowered foi_lowered;

typedef struct foi_lowered_def {
    const char *name;
    const foi_term *rates, *guards, *outputs; ///< outputs may be NULL: not these
    uint32_t rate_count, guard_count, output_count;
    size_t scratch; ///< bytes of the state's scratch space that are in use by others
} foi_lowered_def;

/// NULL without memory. The terms may be destroyed afterwards.
foi_lowered *foi_lowered_create(foi_terms *terms, const foi_lowered_def *def, fo_message *why);
/// Takes NULL.
void foi_lowered_destroy(foi_lowered *lowered);

/// Bytes of scratch space that it needs, with those of others before it.
size_t foi_lowered_scratch(const foi_lowered *lowered);

void foi_lowered_rates(const foi_lowered *lowered, const fo_state *s, double t, const double *x,
                       double *dx);
void foi_lowered_guards(const foi_lowered *lowered, const fo_state *s, double t, const double *x,
                        double *g);
void foi_lowered_outputs(const foi_lowered *lowered, const fo_state *s, double t, const double *x,
                         double *y);
fo_status foi_lowered_jacobian(const foi_lowered *lowered, const fo_state *s, double t,
                               const double *x, double *values);
/// See fo_system_type.tangent.
fo_status foi_lowered_tangent(const foi_lowered *lowered, const fo_state *s, double t,
                              const double *x, const fo_seed *along, const fo_tangent *to);
const fo_pattern *foi_lowered_pattern(const foi_lowered *lowered);
/// See fo_system_type.may_fail, and whether it has that.
bool foi_lowered_looks_for_failure(const foi_lowered *lowered);
bool foi_lowered_may_fail(const foi_lowered *lowered, const fo_state *s, const fo_stretch *on);
/// See fo_system_type.may_diverge, and whether it has that.
bool foi_lowered_looks_for_poles(const foi_lowered *lowered);
bool foi_lowered_may_diverge(const foi_lowered *lowered, const fo_state *s, const fo_stretch *on,
                             fo_quantity of);
/// See fo_system_type.divisors, and how many these are.
uint32_t foi_lowered_divisor_count(const foi_lowered *lowered);
fo_status foi_lowered_divisors(const foi_lowered *lowered, const fo_state *s, double t,
                               const double *x, double *values);
/// See fo_system_type.slope_bounds, and whether it has these.
bool foi_lowered_encloses_slopes(const foi_lowered *lowered);
fo_status foi_lowered_slope_bounds(const foi_lowered *lowered, const fo_state *s,
                                   const fo_stretch *on, const double *push, fo_enclosure *e);
/// See fo_system_type.output_bounds, and whether it has that.
bool foi_lowered_encloses_outputs(const foi_lowered *lowered);
fo_status foi_lowered_output_bounds(const foi_lowered *lowered, const fo_state *s,
                                    const fo_stretch *on, fo_enclosure *e);
fo_status foi_lowered_bounds(const foi_lowered *lowered, const fo_state *s, const fo_stretch *on,
                             fo_enclosure *e);

/// See fo_description.abrupt.
bool foi_lowered_abrupt(const foi_lowered *lowered);
/// Whether an output can be undefined.
bool foi_lowered_fails(const foi_lowered *lowered);
/// See fo_system_type.march; where the program can have such code at all.
bool foi_lowered_marches(const foi_lowered *lowered);
bool foi_lowered_march(const foi_lowered *lowered, const fo_state *s, fo_march *m);

/// Where the functions of the diagram's system go, so that the program room knows it by its kind.
fo_system_type *foi_lowered_type(foi_lowered *lowered);
const char *foi_lowered_kind(void);

#endif
