/// The matrix fac M - J of a stiff method: Jacobian, mass matrix and factors.
///
/// What a continued run depends on (J, M, fac, the pivots) lies at the beginning of the method's
/// part of the block and is copied with it; the factors live outside, in extern_data, and are made
/// again, to the same bits, where they do not belong to what is in the block.
#ifndef FOI_MATRIX_H
#define FOI_MATRIX_H

#include "solver/linear.h"
#include "solver/solver.h"

enum { FOI_REAL, FOI_PAIR, FOI_MATRICES }; ///< the real matrix, and the complex one of radau5

/// Doubles that this needs at the beginning of o->own, for the first `count` matrices.
size_t foi_matrix_size(const foi_solver *o, int count);
/// Where the method's own part begins.
double *foi_matrix_rest(const foi_solver *o);

/// For a method's prepare and destroy.
fo_status foi_matrix_prepare(foi_solver *o, int count);
void foi_matrix_destroy(foi_solver *o);

/// For sound: the layout is the one that prepare made, and the pivots are rows, each once, or none.
bool foi_matrix_sound(const foi_solver *o);

/// For begin: reads the mass matrix; J and the factors are void.
fo_status foi_matrix_begin(foi_solver *o);
/// For the beginning of march: the factors are those of the block again after a copy.
fo_status foi_matrix_resume(foi_solver *o);

/// J = df/dx at (t, x), where the rates are f. The factors are void. FO_ERROR_NUMBER,
/// FO_ERROR_CONVERGE (the model refuses every neighbour of x) or what the model returns.
fo_status foi_matrix_jacobian(foi_solver *o, double t, const double *x, const double *f);
/// Factors fac M - J. FO_OK, FO_RETRY (singular: another fac may do) or FO_ERROR_MEMORY.
fo_status foi_matrix_factor(foi_solver *o, int which, foi_complex fac);
/// True when factors with this fac are there.
bool foi_matrix_factored(const foi_solver *o, int which, foi_complex fac);
/// b = (fac M - J)^-1 b; for FOI_PAIR b holds n foi_complex.
void foi_matrix_solve(foi_solver *o, int which, void *b);

/// About the largest |eigenvalue| of J, never above its norm; `work` has room for 2 n.
double foi_matrix_radius(const foi_solver *o, double *work);

/// y = M x, another place than x.
void foi_mass_times(const foi_solver *o, const double *x, double *y);

#endif
