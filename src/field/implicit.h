/// Implicit Euler for linear (and mildly nonlinear) fields: one equation for every node.
#ifndef FOI_FIELD_IMPLICIT_H
#define FOI_FIELD_IMPLICIT_H

#include "field/field.h"

fo_status foi_implicit_create(foi_part *p, fo_message *why);
void foi_implicit_destroy(foi_part *p, const fo_allocator *allocator);

/// What one solve is about: sigma u - lap u (+ advection) = b at the nodes that are computed.
/// For transport with advection or for `direct` it is a matrix, see implicit.c.
typedef struct foi_shift {
    const fo_field *f;
    const double *sigma; ///< of every node
} foi_shift;

/// y = w (sigma x - lap x), 0 at still nodes; w: half for each free side, which makes it symmetric.
void foi_shift_apply(const foi_shift *a, const double *x, double *y);

/// Conjugate gradients with the diagonal as preconditioner. x holds a guess. `work` has 4 rows.
/// Returns the relative residual; iterates until it is below `tolerance`, or exactly `fixed` times.
double foi_conjugate_gradients(const foi_shift *a, const double *b, double *x, double *work,
                               double tolerance, uint32_t fixed, uint64_t *iterations);

typedef struct foi_multigrid foi_multigrid;
/// A hierarchy of grids for the field's sides. NULL when memory is lacking.
foi_multigrid *foi_multigrid_create(const fo_field *f);
void foi_multigrid_destroy(foi_multigrid *m);
/// A new sigma. FO_OK, FO_ERROR_MEMORY or FO_ERROR_CONVERGE (singular).
fo_status foi_multigrid_set(foi_multigrid *m, const double *sigma);
/// V-cycles until the residual is below tolerance, or exactly `fixed`. Returns the last one.
double foi_multigrid_solve(foi_multigrid *m, const double *b, double *x, double tolerance,
                           uint32_t fixed, uint64_t *cycles);

#endif
