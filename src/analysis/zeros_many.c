// Zeros of a system with several inputs or outputs, after A. Emami-Naeini and P. Van Dooren,
// "Computation of Zeros of Linear Multivariable Systems", Automatica 18 (1982): an s for which
//
//     S(s) = [A - s 1, B; C, D]
//
// has less than its usual rank. Rows that S has in vain, and zeros at infinity, are taken out by
// orthogonal changes of the outputs and states; then the same of the transposed system takes out
// columns. What is left has a D that can be inverted, and its zeros are the eigenvalues of
// A - B D^-1 C.
//
// One round: outputs are turned so that D = [D1; 0] with D1 of full rank, C = [C1; C2], and states
// so that C2 = [S, 0]. Where the outputs are zero the first states are, too: they go, and their
// equations, 0 = A_1 x + B_1 u, are outputs of what is left.
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/zeros.h"
#include "base/memory.h"

/// [A B; C D], n states, m inputs and p outputs.
typedef struct pencil {
    size_t n, m, p, stride;
    double *w, *t, *v; ///< t: a copy of what is compressed; v: a reflection
    double least;      ///< what counts as zero
} pencil;

static double *entry(const pencil *q, size_t i, size_t k)
{
    return q->w + i * q->stride + k;
}

// (1 - 2 v v' / v'v) on rows from..to of some columns, or on columns of some rows.
static void reflect_rows(const pencil *q, size_t from, size_t to, size_t columns, double v2)
{
    for (size_t k = 0; k < columns; k++) {
        double dot = 0;
        for (size_t i = from; i < to; i++) dot += q->v[i - from] * *entry(q, i, k);
        for (size_t i = from; i < to; i++) *entry(q, i, k) -= 2 * dot / v2 * q->v[i - from];
    }
}

static void reflect_columns(const pencil *q, size_t from, size_t to, size_t rows, double v2)
{
    for (size_t i = 0; i < rows; i++) {
        double dot = 0;
        for (size_t k = from; k < to; k++) dot += q->v[k - from] * *entry(q, i, k);
        for (size_t k = from; k < to; k++) *entry(q, i, k) -= 2 * dot / v2 * q->v[k - from];
    }
}

// The next reflection of a QR decomposition with pivots of t, rows x columns: into v, from row k
// on; 0: what is left of t is nothing.
static double next_reflection(const pencil *q, size_t rows, size_t columns, size_t k)
{
    double most = 0, v2 = 0, *t = q->t;
    size_t pivot = k;
    for (size_t j = k; j < columns; j++) {
        double size = 0;
        for (size_t i = k; i < rows; i++) size += t[i * columns + j] * t[i * columns + j];
        if (size > most) most = size, pivot = j;
    }
    most = sqrt(most);
    if (!(most > q->least)) return 0;
    for (size_t i = 0; i < rows && pivot != k; i++) {
        double keep = t[i * columns + k];
        t[i * columns + k] = t[i * columns + pivot], t[i * columns + pivot] = keep;
    }
    for (size_t i = k; i < rows; i++) q->v[i - k] = t[i * columns + k] / most;
    q->v[0] += q->v[0] < 0 ? -1 : 1;
    for (size_t i = k; i < rows; i++) v2 += q->v[i - k] * q->v[i - k];
    for (size_t j = k; j < columns; j++) {
        double dot = 0;
        for (size_t i = k; i < rows; i++) dot += q->v[i - k] * t[i * columns + j];
        for (size_t i = k; i < rows; i++) t[i * columns + j] -= 2 * dot / v2 * q->v[i - k];
    }
    return v2;
}

// Turns the outputs so that only the first of them have a D. Returns how many.
static size_t compress_outputs(const pencil *q)
{
    size_t n = q->n, m = q->m, p = q->p, rank = 0;
    for (size_t i = 0; i < p; i++)
        for (size_t k = 0; k < m; k++) q->t[i * m + k] = *entry(q, n + i, n + k);
    for (double v2; rank < p && rank < m; rank++) {
        if (!((v2 = next_reflection(q, p, m, rank)) > 0)) break;
        reflect_rows(q, n + rank, n + p, n + m, v2);
    }
    for (size_t i = rank; i < p; i++)
        for (size_t k = 0; k < m; k++) *entry(q, n + i, n + k) = 0;
    return rank;
}

// Turns the states so that outputs from `first` on see only the first of them. Returns how many.
static size_t compress_states(const pencil *q, size_t first)
{
    size_t n = q->n, all = q->p - first, rank = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < all; k++) q->t[i * all + k] = *entry(q, n + first + k, i);
    for (double v2; rank < n && rank < all; rank++) {
        if (!((v2 = next_reflection(q, n, all, rank)) > 0)) break;
        reflect_rows(q, rank, n, n + q->m, v2);
        reflect_columns(q, rank, n, n + q->p, v2);
    }
    return rank;
}

// The first `gone` states go; their equations stand before the first `kept` outputs.
static void take_out(pencil *q, size_t gone, size_t kept)
{
    size_t n = q->n, m = q->m, left = n - gone;
    double *t = q->t;
    for (size_t i = 0; i < n + kept; i++) {
        size_t from = i < left ? gone + i : i < n ? i - left : i;
        memcpy(t + i * (left + m), entry(q, from, gone), (left + m) * sizeof *t);
    }
    for (size_t i = 0; i < n + kept; i++)
        memcpy(entry(q, i, 0), t + i * (left + m), (left + m) * sizeof *t);
    q->n = left, q->p = gone + kept;
}

static void reduce(pencil *q)
{
    for (;;) {
        size_t kept = compress_outputs(q);
        if (kept == q->p) return;
        size_t gone = compress_states(q, kept);
        take_out(q, gone, kept);
        if (!gone) return;
    }
}

static void transpose(pencil *q)
{
    size_t rows = q->n + q->p, columns = q->n + q->m, keep = q->m;
    for (size_t i = 0; i < rows; i++)
        memcpy(q->t + i * columns, entry(q, i, 0), columns * sizeof *q->t);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < columns; k++) *entry(q, k, i) = q->t[i * columns + k];
    q->m = q->p, q->p = keep;
}

// ------------------------------------------------------------------------------------------- units

// A state in another unit, a power of two, where the row and the column of it then are of about one
// size; inputs and outputs in units in which they are of the size of A. Zeros depend on neither.
static bool scale_state(const pencil *q, size_t i)
{
    double row = 0, column = 0;
    for (size_t k = 0; k < q->n + q->m; k++) row += k == i ? 0 : fabs(*entry(q, i, k));
    for (size_t k = 0; k < q->n + q->p; k++) column += k == i ? 0 : fabs(*entry(q, k, i));
    if (!(row > 0) || !(column > 0) || !isfinite(row) || !isfinite(column)) return false;
    int by = (ilogb(row) - ilogb(column)) / 2;
    if (!by) return false;
    for (size_t k = 0; k < q->n + q->m; k++) *entry(q, i, k) = ldexp(*entry(q, i, k), -by);
    for (size_t k = 0; k < q->n + q->p; k++) *entry(q, k, i) = ldexp(*entry(q, k, i), by);
    return true;
}

static double largest(const pencil *q, size_t row, size_t column, size_t rows, size_t columns)
{
    double most = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < columns; k++)
            most = fmax(most, fabs(*entry(q, row + i, column + k)));
    return most;
}

static void scale_ports(const pencil *q)
{
    double a = largest(q, 0, 0, q->n, q->n);
    int up = a > 0 ? ilogb(a) : 0;
    for (size_t k = q->n; k < q->n + q->m; k++) {
        double size = largest(q, 0, k, q->n + q->p, 1);
        for (size_t i = 0; i < q->n + q->p && size > 0; i++)
            *entry(q, i, k) = ldexp(*entry(q, i, k), up - ilogb(size));
    }
    for (size_t i = q->n; i < q->n + q->p; i++) {
        double size = largest(q, i, 0, 1, q->n + q->m);
        for (size_t k = 0; k < q->n + q->m && size > 0; k++)
            *entry(q, i, k) = ldexp(*entry(q, i, k), up - ilogb(size));
    }
}

static void balance(pencil *q)
{
    for (int round = 0; round < 20; round++) {
        bool changed = false;
        scale_ports(q);
        for (size_t i = 0; i < q->n; i++) changed |= scale_state(q, i);
        if (!changed) break;
    }
    double most = largest(q, 0, 0, q->n + q->p, q->n + q->m);
    q->least = 1024 * DBL_EPSILON * (double)(q->n + q->m + q->p) * most;
}

// ------------------------------------------------------------------------------------------- zeros

// A - B D^-1 C, of what is left.
static fo_status eigenvalues_left(const pencil *q, size_t *pivot, double *re, double *im)
{
    size_t n = q->n, m = q->m;
    double *d = q->t, *a = q->t + m * m;
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) d[i * m + k] = *entry(q, n + i, n + k);
    if (!foi_lu_factor(m, d, pivot)) return FO_ERROR_CONVERGE;
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < m; i++) q->v[i] = *entry(q, n + i, k);
        foi_lu_solve(m, d, pivot, q->v);
        for (size_t i = 0; i < n; i++) {
            a[i * n + k] = *entry(q, i, k);
            for (size_t j = 0; j < m; j++) a[i * n + k] -= *entry(q, i, n + j) * q->v[j];
        }
    }
    return foi_eigenvalues(n, a, re, im);
}

fo_status foi_zeros_many(const fo_linear *s, double *re, double *im, size_t *count,
                         const fo_allocator *allocator, fo_message *why)
{
    size_t n = s->states, m = s->inputs, p = s->outputs, all = n + (m > p ? m : p);
    pencil q = {.n = n, .m = m, .p = p, .stride = all};
    size_t *pivot = foi_new(allocator, all + 1, sizeof *pivot);
    q.w = foi_new(allocator, 3 * all * all + all + 1, sizeof *q.w);
    *count = 0;
    fo_status status =
        q.w && pivot ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for the zeros");
    if (status == FO_OK) {
        q.t = q.w + all * all, q.v = q.t + 2 * all * all;
        for (size_t i = 0; i < n; i++) {
            memcpy(entry(&q, i, 0), s->a + i * n, n * sizeof *q.w);
            memcpy(entry(&q, i, n), s->b + i * m, m * sizeof *q.w);
        }
        for (size_t i = 0; i < p; i++) {
            memcpy(entry(&q, n + i, 0), s->c + i * n, n * sizeof *q.w);
            memcpy(entry(&q, n + i, n), s->d + i * m, m * sizeof *q.w);
        }
        balance(&q);
        reduce(&q);
        transpose(&q);
        reduce(&q);
        // nothing is transferred, or what is left is not square: no number of these is a zero alone
        if (q.m && q.m == q.p && q.n) {
            status = eigenvalues_left(&q, pivot, re, im);
            if (status == FO_OK) *count = q.n;
            if (status != FO_OK) fo_fail(why, status, "the zeros could not be computed");
        }
    }
    foi_free(allocator, q.w);
    foi_free(allocator, pivot);
    return status;
}
