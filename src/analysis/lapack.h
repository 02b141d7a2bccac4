/// LAPACK, where it is there: loaded when it is wanted, so that nothing needs it.
#ifndef FOI_ANALYSIS_LAPACK_H
#define FOI_ANALYSIS_LAPACK_H

#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>

/// From how many rows on it is asked; for smaller ones our own are as fast, and have the same bits
/// everywhere.
enum { FOI_LAPACK_FROM = 64 };

/// Eigenvalues of a (by rows or by columns, n*n), which is used up; in the order that LAPACK has
/// them. FO_OK, FO_ERROR_CONVERGE, or FO_ERROR_UNFIT: there is no LAPACK, and a is as it was.
fo_status foi_lapack_eigenvalues(size_t n, double *a, double *re, double *im);

#endif
