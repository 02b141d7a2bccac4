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

/// Eigenvalues of a: by falling real part, pairs with the positive imaginary part first; those of
/// parts that do not depend on each other are computed apart. FO_OK, FO_ERROR_NUMBER (not finite),
/// FO_ERROR_MEMORY or FO_ERROR_CONVERGE.
fo_status foi_eigenvalues(size_t n, const double *a, double *re, double *im);
/// The same of a whole matrix of finite numbers, which is used up; in no order.
fo_status foi_eigenvalues_at_once(size_t n, double *a, double *re, double *im);
/// Scales rows and columns by powers of two, which are exact, until they are about equally large: a
/// becomes diag(by)^-1 a diag(by). `by` may be NULL.
void foi_balance(size_t n, double *a, double *by);

/// e = exp(a h); work has 2 n n numbers.
void foi_exponential(size_t n, const double *a, double h, double *e, double *work);
/// f = exp(a h) - 1: the digits of what changes slowly are not lost beside the 1.
void foi_exponential_less_one(size_t n, const double *a, double h, double *f, double *work);
/// Of f = exp(a h) - 1 makes exp(2 a h) - 1; work has n n numbers.
void foi_exponential_twice(size_t n, double *f, double *work);

/// The largest sum of sizes in a row.
double foi_norm(size_t n, const double *a);

#endif
