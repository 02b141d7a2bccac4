/// Small dense matrices, kept by rows: factors (base/lu.h), eigenvalues, exponentials.
#ifndef FOI_ANALYSIS_DENSE_H
#define FOI_ANALYSIS_DENSE_H

#include <foliot/memory.h>
#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/lu.h"

/// b = a^-1 b with complex numbers: re and im of every entry one after the other. Solves at once; a
/// and b are used up.
bool foi_complex_solve(size_t n, double *a, double *b);

/// Eigenvalues of a, which is used up: by falling real part, pairs with the positive imaginary part
/// first. FO_OK or FO_ERROR_CONVERGE.
fo_status foi_eigenvalues(size_t n, double *a, double *re, double *im);

/// e = exp(a h); work has 2 n n numbers.
void foi_exponential(size_t n, const double *a, double h, double *e, double *work);

/// The largest sum of sizes in a row.
double foi_norm(size_t n, const double *a);

#endif
