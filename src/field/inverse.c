#include "field/inverse.h"

#include <math.h>
#include <string.h>

static void swap_rows(double *a, uint32_t n, uint32_t p, uint32_t q)
{
    if (p == q) return;
    for (uint32_t j = 0; j < n; j++) {
        double *column = a + (size_t)j * n, t = column[p];
        column[p] = column[q], column[q] = t;
    }
}

static void swap_columns(double *a, uint32_t n, uint32_t p, uint32_t q)
{
    if (p == q) return;
    for (uint32_t i = 0; i < n; i++) {
        double *x = a + (size_t)p * n + i, *y = a + (size_t)q * n + i, t = *x;
        *x = *y, *y = t;
    }
}

// One pivot: the column becomes a unit column in A, and what would stand there in the identity
// beside it is written in its place.
static void eliminate(double *a, uint32_t n, uint32_t k)
{
    double *pivot_column = a + (size_t)k * n, scale = 1 / pivot_column[k];
    for (uint32_t j = 0; j < n; j++) {
        double *column = a + (size_t)j * n;
        if (j == k) continue;
        double part = column[k] * scale;
        for (uint32_t i = 0; i < n; i++)
            if (i != k) column[i] -= pivot_column[i] * part;
        column[k] = part;
    }
    for (uint32_t i = 0; i < n; i++) pivot_column[i] *= i == k ? 0 : -scale;
    pivot_column[k] = scale;
}

// Rows are exchanged for the largest pivot; the columns of the inverse go back in the other order.
bool foi_gauss_jordan(double *a, uint32_t n, uint32_t *rows)
{
    for (uint32_t k = 0; k < n; k++) {
        const double *column = a + (size_t)k * n;
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(column[i]) > fabs(column[best])) best = i;
        if (!(fabs(column[best]) > 0)) return false;
        rows[k] = best;
        swap_rows(a, n, k, best);
        eliminate(a, n, k);
    }
    for (uint32_t k = n; k-- > 0;) swap_columns(a, n, k, rows[k]);
    return true;
}

void foi_matrix_times(const double *a, uint32_t n, const double *x, double *y)
{
    memset(y, 0, n * sizeof *y);
    for (uint32_t j = 0; j < n; j++) {
        const double *column = a + (size_t)j * n;
        if (x[j] == 0) continue;
        for (uint32_t i = 0; i < n; i++) y[i] += column[i] * x[j];
    }
}
