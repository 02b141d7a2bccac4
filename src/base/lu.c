#include "base/lu.h"

#include <math.h>

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b, *b = kept;
}

// Step k of the factorisation: brings the row with the largest entry of column k up, and takes the
// multiples of it away from the rows below. *best is the row that was there; false: it has none.
static bool reduce(size_t n, double *a, size_t k, size_t *best)
{
    *best = k;
    for (size_t i = k + 1; i < n; i++)
        if (fabs(a[i * n + k]) > fabs(a[*best * n + k])) *best = i;
    double pivot = a[*best * n + k];
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return false;
    for (size_t j = 0; j < n && *best != k; j++) swap(&a[k * n + j], &a[*best * n + j]);
    for (size_t i = k + 1; i < n; i++) {
        double l = a[i * n + k] /= pivot;
        for (size_t j = k + 1; j < n && l != 0; j++) a[i * n + j] -= l * a[k * n + j];
    }
    return true;
}

bool foi_lu_factor(size_t n, double *a, size_t *pivot)
{
    for (size_t k = 0; k < n; k++)
        if (!reduce(n, a, k, &pivot[k])) return false;
    return true;
}

// L y = b by rows: the same operations in the same order as b[i] -= l[i][k] b[k] for k = 0, 1, ...
static void substitute(size_t n, const double *a, double *b)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) b[i] -= a[i * n + j] * b[j];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

void foi_lu_solve(size_t n, const double *a, const size_t *pivot, double *b)
{
    // whole rows of L were swapped, so that b is permuted first
    for (size_t k = 0; k < n; k++) swap(&b[k], &b[pivot[k]]);
    substitute(n, a, b);
}

bool foi_lu_eliminate(size_t n, double *a, double *b)
{
    for (size_t k = 0, best; k < n; k++) {
        if (!reduce(n, a, k, &best)) return false;
        swap(&b[k], &b[best]);
    }
    substitute(n, a, b);
    return true;
}
