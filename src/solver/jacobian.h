/// The Jacobian df/dx: from the model where it gives one, otherwise by differences, with as few
/// evaluations of the rates as its pattern allows (columns that share no row are one colour).
#ifndef FOI_JACOBIAN_H
#define FOI_JACOBIAN_H

#include "solver/solver.h"

typedef struct foi_jacobian {
    uint32_t n;
    const fo_pattern *pattern; ///< NULL: dense, values column by column
    size_t entries;            ///< how many values
    uint32_t lower, upper;     ///< bandwidth below and above the diagonal
    uint32_t colours;          ///< evaluations that one Jacobian costs by differences
    uint32_t *colour;          ///< of each column; NULL when dense
    double *work;              ///< 2 n
    const fo_allocator *allocator;
} foi_jacobian;

/// Reads the pattern, checks it and colours it. FO_ERROR_MEMORY, or FO_ERROR_ARGUMENT for a
/// pattern that is not one. May be called again for another shape.
fo_status foi_jacobian_prepare(foi_jacobian *j, const foi_solver *o);
void foi_jacobian_destroy(foi_jacobian *j);
/// How many values it has; 0 for a pattern that is not one.
size_t foi_jacobian_entries(const foi_solver *o);

/// Values at (t, x), where the rates are f: in the pattern's order, or all n*n by columns.
/// FO_RETRY: the model refuses the rates on both sides of x.
fo_status foi_jacobian_evaluate(foi_jacobian *j, foi_solver *o, double t, const double *x,
                                const double *f, double *values);

#endif
