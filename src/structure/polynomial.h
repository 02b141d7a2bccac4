/// Polynomials in many variables, as a sum of terms: coefficient times powers of variables.
#ifndef FOI_POLYNOMIAL_H
#define FOI_POLYNOMIAL_H

#include <foliot/status.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct foi_factor {
    uint32_t variable, power; ///< power >= 1
} foi_factor;

/// Term i is coefficient[i] times the factors [start[i], start[i + 1]), whose variables ascend.
typedef struct foi_polynomial {
    uint32_t variables;
    size_t terms, factors;
    size_t term_room, factor_room;
    double *coefficient;
    size_t *start; ///< terms + 1
    foi_factor *factor;
    /* terms by variable: those that contain v are with[with_start[v] .. with_start[v + 1]) */
    size_t *with_start;
    size_t *with;
    const fo_allocator *allocator;
} foi_polynomial;

/// Adds coefficient * x[list[0]] * x[list[1]] * ...; the same variable again raises its power.
/// FO_ERROR_ARGUMENT (a variable that is not there, a coefficient that is no number) or
/// FO_ERROR_MEMORY.
fo_status foi_polynomial_add(foi_polynomial *p, double coefficient, const uint32_t *list,
                             size_t count, fo_message *why);
/// Indexes the terms by variable. After the last add.
fo_status foi_polynomial_finish(foi_polynomial *p, fo_message *why);
void foi_polynomial_destroy(foi_polynomial *p);

double foi_polynomial_value(const foi_polynomial *p, const double *x);
/// One pass over the terms.
void foi_polynomial_gradient(const foi_polynomial *p, const double *x, double *g);
/// One partial derivative, from the terms that contain the variable.
double foi_polynomial_partial(const foi_polynomial *p, const double *x, uint32_t variable);
/// Gives every second derivative of every term, d2/dx_a dx_b with a <= b, to `take`.
void foi_polynomial_second(const foi_polynomial *p, const double *x,
                           void (*take)(void *self, uint32_t a, uint32_t b, double value),
                           void *self);

/// "0.5 * x^4 + 2 * x * y - p"; `names` NULL: [0], [1], ... as the document shows them.
/// Returns the length that the whole text has; writes what fits.
size_t foi_polynomial_print(const foi_polynomial *p, const char *const *names, char *text,
                            size_t size);
/// Adds the terms of such a text. FO_ERROR_FORMAT with the column.
fo_status foi_polynomial_parse(foi_polynomial *p, const char *const *names, const char *text,
                               fo_message *why);

#endif
