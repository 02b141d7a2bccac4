/// An energy that is no polynomial: quotients, roots, trigonometric functions. It is kept as the
/// list of operations that computes it; gradient and second derivatives go backwards through that
/// list and are exact.
#ifndef FOI_STRUCTURE_FORMULA_H
#define FOI_STRUCTURE_FORMULA_H

#include <foliot/status.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

enum { FOI_MOST_OPERATIONS = 1000 }; ///< of one energy

typedef struct foi_operation {
    uint8_t kind;
    uint16_t a, b;     ///< earlier operations
    uint32_t variable; ///< of a variable
    double number;     ///< of a number, and the power of a power
} foi_operation;

typedef struct foi_formula {
    uint32_t variables;
    foi_operation *list; ///< the last is the energy
    uint32_t count, room;
    char *text;    ///< as it was written
    uint8_t *used; ///< per variable: it occurs
    const fo_allocator *allocator;
} foi_formula;

/// Reads an energy in the named variables: arithmetic (base/arithmetic.h) with what has two
/// derivatives; a name is one of `names`, or a number in brackets, "[3]". FO_ERROR_FORMAT with the
/// column, or FO_ERROR_MEMORY.
fo_status foi_formula_parse(foi_formula *e, const char *const *names, const char *text,
                            fo_message *why);
/// The names of an energy, for a scope of arithmetic.
typedef struct foi_energy_names {
    const char *const *names;
    uint32_t count;
} foi_energy_names;
fo_status foi_energy_name(void *self, const char *name, size_t *index, fo_message *why);
void foi_formula_destroy(foi_formula *e);

double foi_formula_value(const foi_formula *e, const double *x);
/// Adds all derivatives to g.
void foi_formula_gradient(const foi_formula *e, const double *x, double *g);
/// Gives every second derivative d2/dx_a dx_b, a <= b, of the variables that occur to `take`.
void foi_formula_second(const foi_formula *e, const double *x,
                        void (*take)(void *self, uint32_t a, uint32_t b, double value), void *self);

#endif
