// On which side of the imaginary axis eigenvalues lie.
//
// Computed eigenvalues are those of a matrix A + E, where E is of the size d of rounding errors.
// The least singular value of A - z is how far off the nearest matrix with the eigenvalue z is:
// where it is larger than d, no eigenvalue can have passed. So the sign of a real part is known
// where that is so at some z between the eigenvalue and the axis; where it is not, the eigenvalue
// is one on the axis as far as anybody knows. That also holds of eigenvalues of which several meet,
// which rounding errors move by many times their size.
//
// Blocks of A that do not depend on each other have eigenvalues and errors of their own: a slow
// part is known as well as if there was no fast one.
#include "analysis/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "base/memory.h"
#include "equations/matching.h"
#include "math/math.h"

/// One block, n by n.
typedef struct block {
    size_t n;
    double *h;      ///< balanced, and in Hessenberg form
    double *by;     ///< the balance
    double *lu;     ///< of h - z: complex, n n
    double *factor; ///< of each column: complex
    double *v;      ///< a vector: complex
    bool *swapped;  ///< rows k and k + 1
    double size, error;
} block;

static double size_of(size_t count, const double *a)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum = foi_hypot(sum, a[i]);
    return sum;
}

// Reflections from both sides, which keep singular values of h - z.
static void reduce(const block *b)
{
    size_t n = b->n;
    double *h = b->h, *v = b->v;
    for (size_t m = 1; m + 1 < n; m++) {
        double size = 0, v2 = 0;
        for (size_t i = m; i < n; i++) size = foi_hypot(size, h[i * n + m - 1]);
        if (!(size > 0)) continue;
        for (size_t i = m; i < n; i++) v[i] = h[i * n + m - 1] / size;
        v[m] += v[m] < 0 ? -1 : 1;
        for (size_t i = m; i < n; i++) v2 += v[i] * v[i];
        for (size_t k = m - 1; k < n; k++) {
            double dot = 0;
            for (size_t i = m; i < n; i++) dot += v[i] * h[i * n + k];
            for (size_t i = m; i < n; i++) h[i * n + k] -= 2 * dot / v2 * v[i];
        }
        for (size_t i = 0; i < n; i++) {
            double dot = 0;
            for (size_t k = m; k < n; k++) dot += v[k] * h[i * n + k];
            for (size_t k = m; k < n; k++) h[i * n + k] -= 2 * dot / v2 * v[k];
        }
        for (size_t i = m + 1; i < n; i++) h[i * n + m - 1] = 0;
    }
}

static void subtract(double *a, const double *l, const double *b, double sign)
{
    double im = sign * l[1]; // sign -1: of its conjugate
    a[0] -= l[0] * b[0] - im * b[1];
    a[1] -= l[0] * b[1] + im * b[0];
}

static void divide(double *a, const double *d, double sign)
{
    double im = sign * d[1], size = foi_hypot(d[0], d[1]), p = d[0] / size, q = im / size;
    double re = (a[0] * p + a[1] * q) / size;
    a[1] = (a[1] * p - a[0] * q) / size, a[0] = re;
}

// The factors of h - z, with pivots of neighbouring rows. A pivot that is zero becomes nearly so.
static void factor(const block *b, double re, double im)
{
    size_t n = b->n;
    double *u = b->lu, tiny = DBL_EPSILON * DBL_EPSILON * b->size + DBL_MIN;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            u[2 * (i * n + k)] = b->h[i * n + k], u[2 * (i * n + k) + 1] = 0;
    for (size_t i = 0; i < n; i++) u[2 * (i * n + i)] -= re, u[2 * (i * n + i) + 1] = -im;
    for (size_t k = 0; k < n; k++) {
        double *row = u + 2 * k * n, *next = row + 2 * n;
        b->swapped[k] = k + 1 < n && foi_hypot(next[2 * k], next[2 * k + 1]) >
                                         foi_hypot(row[2 * k], row[2 * k + 1]);
        for (size_t i = 2 * k; i < 2 * n && b->swapped[k]; i++) {
            double keep = row[i];
            row[i] = next[i], next[i] = keep;
        }
        if (!(foi_hypot(row[2 * k], row[2 * k + 1]) > tiny)) row[2 * k] = tiny;
        if (k + 1 == n) break;
        double *l = b->factor + 2 * k;
        l[0] = next[2 * k], l[1] = next[2 * k + 1];
        divide(l, row + 2 * k, 1);
        for (size_t i = k; i < n; i++) subtract(next + 2 * i, l, row + 2 * i, 1);
    }
}

static void swap(double *v, size_t k)
{
    for (size_t i = 2 * k; i < 2 * k + 2; i++) {
        double keep = v[i];
        v[i] = v[i + 2], v[i + 2] = keep;
    }
}

static void solve(const block *b, double *v)
{
    size_t n = b->n;
    for (size_t k = 0; k + 1 < n; k++) {
        if (b->swapped[k]) swap(v, k);
        subtract(v + 2 * (k + 1), b->factor + 2 * k, v + 2 * k, 1);
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            subtract(v + 2 * i, b->lu + 2 * (i * n + k), v + 2 * k, 1);
        divide(v + 2 * i, b->lu + 2 * (i * n + i), 1);
    }
}

// With the conjugate transposed matrix.
static void solve_adjoint(const block *b, double *v)
{
    size_t n = b->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) subtract(v + 2 * i, b->lu + 2 * (k * n + i), v + 2 * k, -1);
        divide(v + 2 * i, b->lu + 2 * (i * n + i), -1);
    }
    for (size_t k = n - 1; k-- > 0;) {
        subtract(v + 2 * k, b->factor + 2 * k, v + 2 * (k + 1), -1);
        if (b->swapped[k]) swap(v, k);
    }
}

// The least singular value of h - z, by inverse iteration.
static double least(const block *b, double re, double im)
{
    enum { TURNS = 4 };
    size_t n = b->n;
    double found = INFINITY;
    factor(b, re, im);
    for (size_t i = 0; i < n; i++)
        b->v[2 * i] = 1 + (double)(i * i % 7) / 7, b->v[2 * i + 1] = (double)(i % 3) / 3;
    for (int turn = 0; turn < TURNS; turn++) {
        double size = size_of(2 * n, b->v);
        for (size_t i = 0; i < 2 * n; i++) b->v[i] /= size;
        solve(b, b->v);
        double once = size_of(2 * n, b->v);
        if (!isfinite(once)) return 0;
        for (size_t i = 0; i < 2 * n; i++) b->v[i] /= once;
        solve_adjoint(b, b->v);
        double twice = size_of(2 * n, b->v);
        if (!isfinite(twice)) return 0;
        found = foi_fmin(found, 1 / sqrt(once) / sqrt(twice));
    }
    return found;
}

// Nothing between the eigenvalue and the axis keeps them apart.
static bool is_on_axis(const block *b, double re, double im)
{
    static const double parts[] = {0, 0.5, 0.25, 0.75};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (least(b, parts[i] * re, im) > b->error) return false;
    return true;
}

// Noise of the entries in the balance's units.
static double noise_of(const block *b, const double *noise, size_t all, const uint32_t *members)
{
    double sum = 0;
    for (size_t i = 0; i < b->n && noise; i++)
        for (size_t k = 0; k < b->n; k++)
            sum = foi_hypot(sum, noise[members[i] * all + members[k]] * (b->by[k] / b->by[i]));
    return sum;
}

static void judge(const block *b, const double *re, const double *im, int8_t *side, bool *singular)
{
    enum { LOOKED_AT_ALL = 64 };
    size_t n = b->n;
    if (!(least(b, 0, 0) > b->error)) *singular = true;
    for (size_t k = 0; k < n; k++) {
        bool far = n > LOOKED_AT_ALL && fabs(re[k]) > 1e-3 * b->size;
        side[k] = re[k] < 0 ? -1 : 1;
        if (!far && is_on_axis(b, re[k], fabs(im[k]))) side[k] = 0;
    }
}

static void sort(size_t n, double *re, double *im, int8_t *side)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0; k--) {
            bool before = re[k] > re[k - 1] || (re[k] == re[k - 1] && im[k] > im[k - 1]);
            if (!before) break;
            double r = re[k], m = im[k];
            int8_t s = side ? side[k] : 0;
            re[k] = re[k - 1], im[k] = im[k - 1];
            re[k - 1] = r, im[k - 1] = m;
            if (side) side[k] = side[k - 1], side[k - 1] = s;
        }
}

static void take(const double *a, size_t all, const uint32_t *members, size_t n, double *to)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) to[i * n + k] = a[members[i] * all + members[k]];
}

static fo_status do_block(block *b, const double *a, const double *noise, size_t all,
                          const uint32_t *members, double *re, double *im, int8_t *side,
                          bool *singular)
{
    size_t n = b->n;
    take(a, all, members, n, b->h);
    fo_status status = foi_eigenvalues_at_once(n, b->h, re, im);
    if (status != FO_OK || !side) return status;
    take(a, all, members, n, b->h);
    foi_balance(n, b->h, b->by);
    b->size = size_of(n * n, b->h);
    b->error = 4 * DBL_EPSILON * (double)n * b->size + noise_of(b, noise, all, members);
    b->error += 2 * DBL_MIN; // a pivot that is zero became so large
    reduce(b);
    judge(b, re, im, side, singular);
    return FO_OK;
}

// Blocks of indices that depend on each other, directly or over others: each row is its own
// column's.
static bool find_blocks(size_t n, const double *a, foi_blocks *to, const fo_allocator *allocator)
{
    foi_incidence m = {.columns = (uint32_t)n, .allocator = allocator};
    foi_matching p = {0};
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        for (size_t k = 0; k < n && good; k++)
            if (i == k || a[i * n + k] != 0) good = foi_incidence_add(&m, (uint32_t)k);
        good = good && foi_incidence_row(&m);
    }
    bool begun = good && foi_matching_begin(&p, &m, (uint32_t)n);
    for (uint32_t i = 0; i < n && begun; i++) p.column_of[i] = p.row_of[i] = i;
    good = begun && foi_blocks_begin(to, &p);
    if (begun) foi_matching_end(&p);
    foi_incidence_end(&m);
    return good;
}

fo_status foi_spectrum(size_t n, const double *a, const double *noise, double *re, double *im,
                       int8_t *side, bool *singular, const fo_allocator *allocator)
{
    if (singular) *singular = false;
    for (size_t i = 0; i < n * n; i++)
        if (!isfinite(a[i])) return FO_ERROR_NUMBER;
    if (!n) return FO_OK;
    foi_blocks blocks = {0};
    double *room = foi_new(allocator, 3 * n * n + 5 * n, sizeof *room);
    bool *swapped = foi_new(allocator, n, sizeof *swapped);
    bool good = room && swapped && find_blocks(n, a, &blocks, allocator);
    fo_status status = good ? FO_OK : FO_ERROR_MEMORY;
    block b = {.h = room, .swapped = swapped};
    if (room) b.lu = room + n * n, b.by = b.lu + 2 * n * n, b.v = b.by + n, b.factor = b.v + 2 * n;
    for (uint32_t k = 0; k < blocks.count && status == FO_OK; k++) {
        uint32_t begin = blocks.start[k];
        b.n = blocks.start[k + 1] - begin;
        status = do_block(&b, a, noise, n, blocks.rows + begin, re + begin, im + begin,
                          side ? side + begin : NULL, singular);
    }
    if (good) foi_blocks_end(&blocks);
    foi_free(allocator, room);
    foi_free(allocator, swapped);
    if (status == FO_OK) sort(n, re, im, side);
    return status;
}

fo_status foi_eigenvalues(size_t n, const double *a, double *re, double *im)
{
    return foi_spectrum(n, a, NULL, re, im, NULL, NULL, NULL);
}
