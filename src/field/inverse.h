/// The inverse of a full matrix, by Gauss-Jordan elimination.
#ifndef FOI_FIELD_INVERSE_H
#define FOI_FIELD_INVERSE_H

#include <stdbool.h>
#include <stdint.h>

/// Replaces the n x n matrix (column by column) by its inverse: 2 n^3 operations. `rows` is work
/// space for n numbers. False where it is singular.
bool foi_gauss_jordan(double *a, uint32_t n, uint32_t *rows);
/// y = a x: 2 n^2 operations.
void foi_matrix_times(const double *a, uint32_t n, const double *x, double *y);

#endif
