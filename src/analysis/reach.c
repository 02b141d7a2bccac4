// An input reaches the pole z where the rows of [A - z, B] are independent (M. L. J. Hautus,
// "Controllability and observability conditions of linear autonomous systems", Indag. Math. 31,
// 1969); an output sees it where those of [A' - z, C'] are.
//
// Rows and columns are scaled so that the logarithms of the entries have the least sum of squares
// (A. R. Curtis and J. K. Reid, "On the automatic scaling of matrices for Gaussian elimination", J.
// Inst. Maths Applics 10, 1972), which leaves nothing of the units of states, inputs and time: the
// rank does not depend on them, and so does not what is said of it. A pole is known to rounding
// errors only, which may move it far: where the rows are nearly dependent, z is corrected by the
// vector y that shows it, so that y [A - z, B] is as small as it can be.
#include "analysis/reach.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/math.h"

typedef struct complex {
    double re, im;
} complex;

typedef struct judge {
    const fo_linear *s;
    size_t n, m;          ///< rows; columns besides them
    double *a, *ports;    ///< A (or A'), and B (or C'), n by m
    double *logs;         ///< of sizes of entries, n by n + m; NaN: it is zero
    complex *q, *r;       ///< the transposed matrix (n + m by n) by columns, which becomes Q; and R
    complex *y;           ///< a vector that shows dependence
    double *row, *column; ///< scales: of n rows, of n + m columns, as powers of two
} judge;

static complex times(complex a, complex b)
{
    return (complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static complex conjugate(complex a)
{
    return (complex){a.re, -a.im};
}

static void subtract(complex *a, complex b)
{
    a->re -= b.re, a->im -= b.im;
}

static complex divided(complex a, complex b)
{
    double size = foi_hypot(b.re, b.im);
    complex unit = {b.re / size, -b.im / size}, c = times(a, unit);
    return (complex){c.re / size, c.im / size};
}

// Entry (i, k) of [A - z, B]. What is left of a difference of equal numbers is nothing.
static complex entry(const judge *j, size_t i, size_t k, complex z)
{
    size_t n = j->n;
    if (k >= n) return (complex){j->ports[i * j->m + k - n], 0};
    double a = j->a[i * n + k];
    if (i != k) return (complex){a, 0};
    complex e = {a - z.re, -z.im};
    bool none = foi_hypot(e.re, e.im) <= 8 * DBL_EPSILON * foi_hypot(z.re, z.im);
    return none ? (complex){0, 0} : e;
}

// The mean of what is there of a row or a column, with the scales of the others.
static double mean(const judge *j, size_t which, bool row)
{
    size_t all = j->n + j->m, count = 0, end = row ? all : j->n;
    double sum = 0;
    for (size_t q = 0; q < end; q++) {
        double entry = row ? j->logs[which * all + q] : j->logs[q * all + which];
        if (isnan(entry)) continue;
        sum += entry + (row ? j->column[q] : j->row[q]), count++;
    }
    return count ? sum / (double)count : 0;
}

// The largest, likewise.
static double most(const judge *j, size_t which, bool row)
{
    size_t all = j->n + j->m, end = row ? all : j->n;
    double found = -INFINITY;
    for (size_t q = 0; q < end; q++) {
        double entry = row ? j->logs[which * all + q] : j->logs[q * all + which];
        if (!isnan(entry)) found = foi_fmax(found, entry + (row ? j->column[q] : j->row[q]));
    }
    return isfinite(found) ? found : 0;
}

// Scales, as powers of two. By turns the best of rows and of columns; then none is larger than one.
// False: a row is zero.
static bool scale(const judge *j, complex z)
{
    enum { ROUNDS = 100 };
    size_t n = j->n, all = n + j->m;
    for (size_t i = 0; i < n; i++) {
        bool any = false;
        for (size_t k = 0; k < all; k++) {
            complex e = entry(j, i, k, z);
            double size = foi_hypot(e.re, e.im);
            j->logs[i * all + k] = size > 0 ? foi_log(size) / foi_log(2) : NAN;
            any |= size > 0;
        }
        if (!any) return false;
        j->row[i] = 0;
    }
    for (size_t k = 0; k < all; k++) j->column[k] = 0;
    double change = INFINITY;
    for (int turn = 0; turn < ROUNDS && change > 0.1; turn++) {
        change = 0;
        for (size_t i = 0; i < n; i++) {
            double to = -mean(j, i, true);
            change = foi_fmax(change, fabs(to - j->row[i])), j->row[i] = to;
        }
        for (size_t k = 0; k < all; k++) j->column[k] = -mean(j, k, false);
    }
    for (size_t i = 0; i < n; i++) j->row[i] = -most(j, i, true);
    for (size_t k = 0; k < all; k++) j->column[k] = -most(j, k, false);
    for (size_t i = 0; i < n; i++) j->row[i] = round(j->row[i]);
    for (size_t k = 0; k < all; k++) j->column[k] = round(j->column[k]);
    return true;
}

// Columns of q become orthogonal, with R beside them: Gram and Schmidt, modified.
static void decompose(const judge *j)
{
    size_t n = j->n, all = n + j->m;
    memset(j->r, 0, n * n * sizeof *j->r);
    for (size_t k = 0; k < n; k++) {
        complex *c = j->q + k * all;
        double size = 0;
        for (size_t p = 0; p < k; p++) {
            complex dot = {0, 0}, *b = j->q + p * all;
            for (size_t i = 0; i < all; i++) {
                complex d = times(conjugate(b[i]), c[i]);
                dot.re += d.re, dot.im += d.im;
            }
            for (size_t i = 0; i < all; i++) subtract(&c[i], times(dot, b[i]));
            j->r[p * n + k] = dot;
        }
        for (size_t i = 0; i < all; i++) size = foi_hypot(size, foi_hypot(c[i].re, c[i].im));
        double safe = foi_fmax(size, DBL_EPSILON * DBL_EPSILON);
        j->r[k * n + k] = (complex){safe, 0};
        for (size_t i = 0; i < all; i++) c[i].re /= safe, c[i].im /= safe;
    }
}

// v := (R* R)^-1 v
static void solve(const judge *j, complex *v)
{
    size_t n = j->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) subtract(&v[i], times(conjugate(j->r[k * n + i]), v[k]));
        v[i] = divided(v[i], conjugate(j->r[i * n + i]));
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) subtract(&v[i], times(j->r[i * n + k], v[k]));
        v[i] = divided(v[i], j->r[i * n + i]);
    }
}

// The least singular value of the scaled matrix at z, and its vector in y.
static double least(const judge *j, complex z)
{
    size_t n = j->n, all = n + j->m;
    double found = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < all; k++) {
            complex e = entry(j, i, k, z);
            int by = (int)(j->row[i] + j->column[k]);
            j->q[i * all + k] = (complex){ldexp(e.re, by), -ldexp(e.im, by)};
        }
        j->y[i] = (complex){1 + (double)(i * i % 7) / 7, (double)(i % 3) / 3};
    }
    decompose(j);
    for (int turn = 0; turn < 4; turn++) {
        double size = 0;
        for (int twice = 0; twice < 2; twice++) {
            if (twice) solve(j, j->y);
            size = 0;
            for (size_t i = 0; i < n; i++)
                size = foi_hypot(size, foi_hypot(j->y[i].re, j->y[i].im));
            if (!isfinite(size) || !(size > 0)) return 0;
            for (size_t i = 0; i < n; i++) j->y[i].re /= size, j->y[i].im /= size;
        }
        found = 1 / sqrt(size);
    }
    return found;
}

// The z for which y [A - z] is least, in the units of the scales.
static complex corrected(const judge *j)
{
    size_t n = j->n;
    complex above = {0, 0};
    double below = 0;
    double highest = -INFINITY; // powers by the largest, so that none overflows
    for (size_t i = 0; i < n; i++) highest = foi_fmax(highest, j->row[i] + j->column[i]);
    for (size_t k = 0; k < n; k++) {
        complex sum = {0, 0};
        for (size_t i = 0; i < n; i++) {
            double e = ldexp(j->a[i * n + k], (int)(j->row[i] + j->column[k]));
            sum.re += j->y[i].re * e, sum.im -= j->y[i].im * e;
        }
        int by = (int)(j->row[k] + j->column[k] - highest);
        complex own = {ldexp(j->y[k].re, by), -ldexp(j->y[k].im, by)};
        complex part = times(sum, conjugate(own));
        above.re += part.re, above.im += part.im;
        below += own.re * own.re + own.im * own.im;
    }
    below = ldexp(below, (int)highest);
    return (complex){above.re / below, above.im / below};
}

// z belongs to this pole, and not rather to another one.
static bool is_of(const fo_linear *s, complex z, size_t pole)
{
    double own = foi_hypot(z.re - s->re[pole], z.im - s->im[pole]);
    for (size_t k = 0; k < s->states; k++)
        if (own > 2 * foi_hypot(z.re - s->re[k], z.im - s->im[k])) return false;
    return isfinite(own);
}

static bool is_hidden(const judge *j, size_t pole)
{
    enum { TURNS = 12 };
    const fo_linear *s = j->s;
    complex z = {s->re[pole], s->im[pole]};
    double rounding = 0x1p14 * DBL_EPSILON * (double)j->n + 4 * (s->a_error + s->b_error);
    if (!scale(j, z)) return true;
    double now = least(j, z), before = INFINITY;
    for (int turn = 0; turn < TURNS && now > rounding && now < 0.03 && now < before; turn++) {
        complex next = corrected(j);
        if (!is_of(s, next, pole)) return false;
        before = now, now = least(j, next);
    }
    return !(now > rounding);
}

fo_status foi_reach(const fo_linear *s, bool observe, bool *hidden, const fo_allocator *allocator)
{
    size_t n = s->states, m = observe ? s->outputs : s->inputs, all = n + m;
    judge j = {.s = s, .n = n, .m = m};
    j.q = foi_new(allocator, n * all + n * n + n, sizeof *j.q);
    j.row = foi_new(allocator, n + all + 2 * n * all, sizeof *j.row);
    bool good = j.q && j.row;
    if (good) {
        j.r = j.q + n * all, j.y = j.r + n * n;
        j.column = j.row + n, j.a = j.column + all, j.ports = j.a + n * n;
        j.logs = j.ports + n * m;
        for (size_t i = 0; i < n * n; i++) j.a[i] = observe ? s->a[i % n * n + i / n] : s->a[i];
        for (size_t i = 0; i < n * m; i++) j.ports[i] = observe ? s->c[i % m * n + i / m] : s->b[i];
        for (size_t k = 0; k < n; k++)
            if (s->im[k] >= 0) hidden[k] = is_hidden(&j, k);
        for (size_t k = 0; k < n; k++)
            for (size_t p = 0; p < n && s->im[k] < 0; p++)
                if (s->re[p] == s->re[k] && s->im[p] == -s->im[k]) hidden[k] = hidden[p];
    }
    foi_free(allocator, j.q);
    foi_free(allocator, j.row);
    return good ? FO_OK : FO_ERROR_MEMORY;
}
