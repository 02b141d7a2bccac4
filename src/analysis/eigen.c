// Eigenvalues of a real matrix: balanced, brought to Hessenberg form, then the double-shift QR
// iteration of J. G. F. Francis, as in "hqr" of Wilkinson and Reinsch, Handbook for Automatic
// Computation II (1971), contributions II/11, II/13 and II/14; EISPACK has the same.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/dense.h"
#include "analysis/lapack.h"

void foi_balance(size_t n, double *a, double *by)
{
    for (size_t i = 0; i < n && by; i++) by[i] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            double row = 0, column = 0, f = 1;
            for (size_t j = 0; j < n; j++)
                if (j != i) column += fabs(a[j * n + i]), row += fabs(a[i * n + j]);
            if (!(row > 0) || !(column > 0)) continue;
            double sum = row + column;
            for (; column < row / 2; column *= 4) f *= 2;
            for (; column > row * 2; column /= 4) f /= 2;
            if ((column + row) / f >= 0.95 * sum) continue;
            changed = true;
            for (size_t j = 0; j < n; j++) a[i * n + j] /= f;
            for (size_t j = 0; j < n; j++) a[j * n + i] *= f;
            if (by) by[i] *= f;
        }
    }
}

// Gauss elimination with pivots from both sides: similar to a, zero below the subdiagonal.
static void reduce(size_t n, double *a)
{
    for (size_t m = 1; m + 1 < n; m++) {
        size_t best = m;
        for (size_t i = m; i < n; i++)
            if (fabs(a[i * n + m - 1]) > fabs(a[best * n + m - 1])) best = i;
        double x = a[best * n + m - 1], keep;
        for (size_t j = m - 1; j < n && best != m; j++)
            keep = a[best * n + j], a[best * n + j] = a[m * n + j], a[m * n + j] = keep;
        for (size_t i = 0; i < n && best != m; i++)
            keep = a[i * n + best], a[i * n + best] = a[i * n + m], a[i * n + m] = keep;
        for (size_t i = m + 1; i < n && x != 0; i++) {
            double y = a[i * n + m - 1] / x;
            a[i * n + m - 1] = 0;
            for (size_t j = m; j < n && y != 0; j++) a[i * n + j] -= y * a[m * n + j];
            for (size_t k = 0; k < n && y != 0; k++) a[k * n + m] += y * a[k * n + i];
        }
    }
}

/// The part of the matrix that is still coupled: rows first .. last.
typedef struct work {
    size_t n;
    double *a;
    long first, last;
    double shift; ///< what was taken off the diagonal in exceptional steps
    double norm;
} work;

static double *at(const work *w, long i, long j)
{
    return &w->a[(size_t)i * w->n + (size_t)j];
}

// The row from which on the matrix is coupled down to `last`.
static long find_small(const work *w)
{
    long l = w->last;
    for (; l >= 1; l--) {
        double s = fabs(*at(w, l - 1, l - 1)) + fabs(*at(w, l, l));
        if (s == 0) s = w->norm;
        if (fabs(*at(w, l, l - 1)) <= DBL_EPSILON * s) {
            *at(w, l, l - 1) = 0;
            break;
        }
    }
    return l;
}

// The eigenvalues of the last two rows, which stand alone.
static void take_pair(const work *w, double *re, double *im)
{
    long n = w->last;
    double x = *at(w, n, n), y = *at(w, n - 1, n - 1), v = *at(w, n, n - 1) * *at(w, n - 1, n);
    double p = (y - x) / 2, q = p * p + v, z = sqrt(fabs(q));
    x += w->shift;
    if (q >= 0) {
        z = p + copysign(z, p);
        re[n - 1] = re[n] = x + z;
        if (z != 0) re[n] = x - v / z;
        im[n - 1] = im[n] = 0;
    } else {
        re[n - 1] = re[n] = x + p;
        im[n - 1] = z, im[n] = -z;
    }
}

typedef struct vector {
    double p, q, r;
} vector;

static void normalise(vector *v)
{
    double s = fabs(v->p) + fabs(v->q) + fabs(v->r);
    if (s > 0) v->p /= s, v->q /= s, v->r /= s;
}

// Where the double step begins: two small subdiagonal entries in a row, or `first`.
static long find_start(const work *w, double x, double y, double v, vector *d)
{
    for (long m = w->last - 2;; m--) {
        double z = *at(w, m, m), r = x - z, s = y - z;
        d->p = (r * s - v) / *at(w, m + 1, m) + *at(w, m, m + 1);
        d->q = *at(w, m + 1, m + 1) - z - r - s;
        d->r = *at(w, m + 2, m + 1);
        normalise(d);
        if (m == w->first) return m;
        double u = fabs(*at(w, m, m - 1)) * (fabs(d->q) + fabs(d->r));
        double t = fabs(d->p) * (fabs(*at(w, m - 1, m - 1)) + fabs(z) + fabs(*at(w, m + 1, m + 1)));
        if (u <= DBL_EPSILON * t) return m;
    }
}

// One Householder reflection from both sides on rows and columns k, k+1, k+2.
static void reflect(const work *w, long k, long m, vector d, double s, double scale)
{
    long n = w->last;
    bool three = k < n - 1;
    if (k != m)
        *at(w, k, k - 1) = -s * scale;
    else if (w->first != m)
        *at(w, k, k - 1) = -*at(w, k, k - 1);
    d.p += s;
    double x = d.p / s, y = d.q / s, z = d.r / s, q = d.q / d.p, r = d.r / d.p;
    for (long j = k; j <= n; j++) {
        double sum = *at(w, k, j) + q * *at(w, k + 1, j);
        if (three) sum += r * *at(w, k + 2, j), *at(w, k + 2, j) -= sum * z;
        *at(w, k + 1, j) -= sum * y, *at(w, k, j) -= sum * x;
    }
    long end = n < k + 3 ? n : k + 3;
    for (long i = w->first; i <= end; i++) {
        double sum = x * *at(w, i, k) + y * *at(w, i, k + 1);
        if (three) sum += z * *at(w, i, k + 2), *at(w, i, k + 2) -= sum * r;
        *at(w, i, k + 1) -= sum * q, *at(w, i, k) -= sum;
    }
}

static void double_step(const work *w, double x, double y, double v)
{
    vector d = {0};
    long n = w->last, m = find_start(w, x, y, v, &d);
    for (long i = m + 2; i <= n; i++) {
        *at(w, i, i - 2) = 0;
        if (i != m + 2) *at(w, i, i - 3) = 0;
    }
    for (long k = m; k <= n - 1; k++) {
        double scale = 0;
        if (k != m) {
            d.p = *at(w, k, k - 1), d.q = *at(w, k + 1, k - 1);
            d.r = k != n - 1 ? *at(w, k + 2, k - 1) : 0;
            scale = fabs(d.p) + fabs(d.q) + fabs(d.r);
            if (scale == 0) continue;
            normalise(&d);
        }
        double s = copysign(sqrt(d.p * d.p + d.q * d.q + d.r * d.r), d.p);
        if (s != 0) reflect(w, k, m, d, s, scale);
    }
}

static bool iterate(work *w, double *re, double *im)
{
    enum { MOST = 60 };
    for (int tries = 0; w->last >= 0;) {
        long n = w->last, l = w->first = find_small(w);
        if (l < 0) l = w->first = 0;
        double x = *at(w, n, n);
        if (l == n) {
            re[n] = x + w->shift, im[n] = 0;
            w->last--, tries = 0;
            continue;
        }
        if (l == n - 1) {
            take_pair(w, re, im);
            w->last -= 2, tries = 0;
            continue;
        }
        if (tries++ == MOST) return false;
        double y = *at(w, n - 1, n - 1), v = *at(w, n, n - 1) * *at(w, n - 1, n);
        if (tries % 10 == 0) { // exceptional shifts, where the usual ones go round in a circle
            w->shift += x;
            for (long i = 0; i <= n; i++) *at(w, i, i) -= x;
            double s = fabs(*at(w, n, n - 1)) + fabs(*at(w, n - 1, n - 2));
            x = y = 0.75 * s, v = -0.4375 * s * s;
        }
        double_step(w, x, y, v);
    }
    return true;
}

fo_status foi_eigenvalues_at_once(size_t n, double *a, double *re, double *im)
{
    fo_status status = n >= FOI_LAPACK_FROM ? foi_lapack_eigenvalues(n, a, re, im) : FO_ERROR_UNFIT;
    if (status != FO_ERROR_UNFIT) return status;
    foi_balance(n, a, NULL);
    reduce(n, a);
    work w = {.n = n, .a = a, .last = (long)n - 1, .norm = foi_norm(n, a)};
    return iterate(&w, re, im) ? FO_OK : FO_ERROR_CONVERGE;
}
