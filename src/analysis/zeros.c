// Zeros of a transfer function with one input and one output, after A. Emami-Naeini and P. Van
// Dooren, "Computation of Zeros of Linear Multivariable Systems", Automatica 18 (1982).
//
// A zero is an s for which x' = A x + b u, 0 = c x + d u has a solution e^(st). With d != 0 the
// second gives u = -c x / d, and zeros are the eigenvalues of A - b c / d. With d = 0 a reflection
// makes c = (0, ..., 0, gamma): then the last state is zero, and its equation 0 = a_n x + b_n u
// takes the place of the second, with one state less. What is left out in this way are the zeros at
// infinity; they do not disturb the others, as they would among eigenvalues.
#include "analysis/zeros.h"
#include "math/math.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "base/memory.h"

/// [A b; c d], of which the first n rows and columns and the last ones count.
typedef struct pencil {
    size_t n, stride;
    double *m; ///< b in column `stride - 1`, c in row `stride - 1`
    double *v;
} pencil;

static double *entry(const pencil *p, size_t i, size_t k)
{
    return p->m + i * p->stride + k;
}

// States in units in which rows and columns are about equally large; powers of two, which are
// exact.
static void balance(const pencil *p)
{
    size_t n = p->n, last = p->stride - 1;
    for (int round = 0; round < 100; round++) {
        bool changed = false;
        for (size_t i = 0; i < n; i++) {
            double row = fabs(*entry(p, i, last)), column = fabs(*entry(p, last, i)), f = 1;
            for (size_t k = 0; k < n; k++)
                if (k != i) row += fabs(*entry(p, i, k)), column += fabs(*entry(p, k, i));
            if (!(row > 0) || !(column > 0)) continue;
            double sum = row + column;
            for (; column < row / 2 && f < 0x1p500; column *= 4) f *= 2;
            for (; column > row * 2 && f > 0x1p-500; column /= 4) f /= 2;
            if ((column + row) / f >= 0.95 * sum) continue;
            changed = true;
            for (size_t k = 0; k <= last; k++) *entry(p, i, k) /= f;
            for (size_t k = 0; k <= last; k++) *entry(p, k, i) *= f;
        }
        if (!changed) return;
    }
}

// Inputs and outputs in units in which b and c are of the size of A: zeros do not depend on them.
static void scale_ports(const pencil *p)
{
    size_t n = p->n, last = p->stride - 1;
    double a = 0, b = 0, c = 0;
    for (size_t i = 0; i < n; i++) {
        b = fmax(b, fabs(*entry(p, i, last))), c = fmax(c, fabs(*entry(p, last, i)));
        for (size_t k = 0; k < n; k++) a = fmax(a, fabs(*entry(p, i, k)));
    }
    int up = a > 0 ? ilogb(a) : 0, by_b = b > 0 ? up - ilogb(b) : 0,
        by_c = c > 0 ? up - ilogb(c) : 0;
    for (size_t i = 0; i <= last; i++) *entry(p, i, last) = ldexp(*entry(p, i, last), by_b);
    for (size_t i = 0; i <= last; i++) *entry(p, last, i) = ldexp(*entry(p, last, i), by_c);
}

static double length_of_b(const pencil *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) sum = foi_hypot(sum, *entry(p, i, p->stride - 1));
    return sum;
}

// I - 2 v v' from both sides takes c to its last entry; the last state goes, and its equation is
// the new last row. False: c is zero, the output does not depend on what is left.
static bool deflate(pencil *p)
{
    size_t n = p->n, last = p->stride - 1;
    double size = 0, v2 = 0, *v = p->v;
    for (size_t i = 0; i < n; i++) size = foi_hypot(size, *entry(p, last, i));
    if (!(size > 0)) return false;
    for (size_t i = 0; i < n; i++) v[i] = *entry(p, last, i) / size;
    v[n - 1] += v[n - 1] < 0 ? -1 : 1;
    for (size_t i = 0; i < n; i++) v2 += v[i] * v[i];
    for (size_t k = 0; k <= last; k = k + 1 == n ? last : k + 1) { // rows, of A and b
        double dot = 0;
        for (size_t i = 0; i < n; i++) dot += v[i] * *entry(p, i, k);
        for (size_t i = 0; i < n; i++) *entry(p, i, k) -= 2 * dot / v2 * v[i];
    }
    for (size_t i = 0; i < n; i++) { // columns, of A
        double dot = 0;
        for (size_t k = 0; k < n; k++) dot += v[k] * *entry(p, i, k);
        for (size_t k = 0; k < n; k++) *entry(p, i, k) -= 2 * dot / v2 * v[k];
    }
    for (size_t k = 0; k + 1 < n; k++) *entry(p, last, k) = *entry(p, n - 1, k);
    *entry(p, last, last) = *entry(p, n - 1, last);
    p->n--;
    return true;
}

static fo_status eigenvalues_left(const pencil *p, double *work, double *re, double *im)
{
    size_t n = p->n, last = p->stride - 1;
    double d = *entry(p, last, last);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            work[i * n + k] = *entry(p, i, k) - *entry(p, i, last) * (*entry(p, last, k) / d);
    return foi_eigenvalues(n, work, re, im);
}

// A d that is nothing beside b and c stands for a zero beyond all digits of the others, which
// dividing by it would lose: it counts as zero.
static fo_status reduce(pencil *p, double *work, double *re, double *im, size_t *count)
{
    double noise = 64 * DBL_EPSILON * (double)p->stride * length_of_b(p);
    *count = 0;
    while (!(fabs(*entry(p, p->stride - 1, p->stride - 1)) > noise)) {
        if (!p->n || !deflate(p)) return FO_OK; // all are at infinity, or nothing is transferred
    }
    *count = p->n;
    return eigenvalues_left(p, work, re, im);
}

fo_status foi_zeros(const fo_linear *s, double *re, double *im, size_t *count,
                    const fo_allocator *allocator, fo_message *why)
{
    size_t n = s->states, k = n + 1;
    pencil p = {.n = n, .stride = k};
    p.m = foi_new(allocator, 2 * k * k + k, sizeof *p.m);
    if (!p.m) return fo_fail(why, FO_ERROR_MEMORY, "no memory for the zeros");
    p.v = p.m + k * k;
    for (size_t i = 0; i < n; i++) {
        memcpy(entry(&p, i, 0), s->a + i * n, n * sizeof *p.m);
        *entry(&p, i, n) = s->b[i], *entry(&p, n, i) = s->c[i];
    }
    *entry(&p, n, n) = s->d[0];
    for (int round = 0; round < 3; round++) {
        balance(&p);
        scale_ports(&p);
    }
    fo_status status = reduce(&p, p.v + k, re, im, count);
    foi_free(allocator, p.m);
    return status == FO_OK ? FO_OK : fo_fail(why, status, "the zeros could not be computed");
}
