/// Dense linear systems by LU factors with partial pivoting. Matrices are kept by rows. For small
/// systems without a pattern; `solver/linear.h` has banded, sparse and complex ones.
#ifndef FOI_LU_H
#define FOI_LU_H

#include <stdbool.h>
#include <stddef.h>

/// Factors a = P L U in place. False: singular, or not finite.
bool foi_lu_factor(size_t n, double *a, size_t *pivot);
/// b = a^-1 b, with the factors.
void foi_lu_solve(size_t n, const double *a, const size_t *pivot, double *b);
/// b = a^-1 b for one right-hand side, without pivots to keep: the bits are those of the two
/// functions above. False: singular, or not finite; b is of no use then. `a` is used up.
bool foi_lu_eliminate(size_t n, double *a, double *b);

#endif
