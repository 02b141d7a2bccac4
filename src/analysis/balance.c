// Balanced truncation, by the square-root method (Tombs and Postlethwaite, "Truncated balanced
// realization of a stable non-minimal state-space system", Int. J. Control 46, 1987).
//
// The Gramians A P + P A' + B B' = 0 and A' Q + Q A + C' C = 0 say how much inputs reach and
// outputs see of a state. With P = L L', Q = M M' and the singular values M' L = U S V', the states
// x = L V S^(-1/2) z have both Gramians equal to S. The first of z are kept.
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "base/memory.h"
#include "math/math.h"
#include <foliot/analysis.h>

// c = a b, or with b transposed.
static void multiply(size_t n, const double *a, const double *b, bool transposed, double *c)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double sum = 0;
            for (size_t q = 0; q < n; q++)
                sum += a[i * n + q] * (transposed ? b[k * n + q] : b[q * n + k]);
            c[i * n + k] = sum;
        }
}

static bool invert(size_t n, const double *a, double *inverse, double *lu, size_t *pivot)
{
    memcpy(lu, a, n * n * sizeof *a);
    if (!foi_lu_factor(n, lu, pivot)) return false;
    double *column = lu + n * n;
    for (size_t k = 0; k < n; k++) {
        memset(column, 0, n * sizeof *column);
        column[k] = 1;
        foi_lu_solve(n, lu, pivot, column);
        for (size_t i = 0; i < n; i++) inverse[i * n + k] = column[i];
    }
    return true;
}

// A X + X A' + W = 0 by the iteration for the matrix sign (Roberts 1971), W is replaced by X:
//
//     A := (c A + A^-1 / c) / 2,   W := (c W + A^-1 W A^-T / c) / 2,   until A = -I; X = W / 2
//
// with c = sqrt(|A^-1| / |A|). `work` has 4 n n + n numbers. False: an eigenvalue is on the axis.
static bool lyapunov(size_t n, double *a, double *w, double *work, size_t *pivot)
{
    enum { ROUNDS = 60 };
    double *inverse = work, *product = inverse + n * n, *lu = product + n * n;
    for (int round = 0; round < ROUNDS; round++) {
        double off = 0;
        for (size_t i = 0; i < n * n; i++)
            off = foi_fmax(off, fabs(a[i] + (i % (n + 1) == 0 ? 1 : 0)));
        if (off < 1e-13 * (double)n) break;
        if (!invert(n, a, inverse, lu, pivot)) return false;
        double size = foi_norm(n, a), other = foi_norm(n, inverse);
        double c = off > 0.1 ? sqrt(other / size) : 1;
        multiply(n, inverse, w, false, product);
        multiply(n, product, inverse, true, lu);
        for (size_t i = 0; i < n * n; i++) {
            a[i] = (c * a[i] + inverse[i] / c) / 2;
            w[i] = (c * w[i] + lu[i] / c) / 2;
        }
        if (!isfinite(foi_norm(n, a))) return false;
        if (round == ROUNDS - 1) return false;
    }
    for (size_t i = 0; i < n * n; i++) w[i] /= 2;
    return true;
}

// One-sided Jacobi (Hestenes 1958): columns of a are turned until they stand across each other;
// then their lengths are the singular values and a = U S, with the turns in v.
static void jacobi(size_t n, double *a, double *v)
{
    memset(v, 0, n * n * sizeof *v);
    for (size_t i = 0; i < n; i++) v[i * n + i] = 1;
    bool turned = true;
    for (int sweep = 0; sweep < 60 && turned; sweep++) {
        turned = false;
        for (size_t p = 0; p + 1 < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                double pp = 0, qq = 0, pq = 0;
                for (size_t i = 0; i < n; i++) {
                    double x = a[i * n + p], y = a[i * n + q];
                    pp += x * x, qq += y * y, pq += x * y;
                }
                if (!(fabs(pq) > 1e-15 * sqrt(pp * qq))) continue;
                turned = true;
                double z = (qq - pp) / (2 * pq), t = 1 / (fabs(z) + sqrt(1 + z * z));
                if (z < 0) t = -t;
                double c = 1 / sqrt(1 + t * t), s = c * t;
                for (size_t i = 0; i < n; i++) {
                    double x = a[i * n + p], y = a[i * n + q], k = v[i * n + p], l = v[i * n + q];
                    a[i * n + p] = c * x - s * y, a[i * n + q] = s * x + c * y;
                    v[i * n + p] = c * k - s * l, v[i * n + q] = s * k + c * l;
                }
            }
    }
}

// The root L of a symmetric matrix L L', in place: with P V = U S it is V S^(1/2).
static void root(size_t n, double *p, double *v)
{
    jacobi(n, p, v);
    for (size_t k = 0; k < n; k++) {
        double size = 0;
        for (size_t i = 0; i < n; i++) size += p[i * n + k] * p[i * n + k];
        size = sqrt(sqrt(size));
        for (size_t i = 0; i < n; i++) p[i * n + k] = v[i * n + k] * size;
    }
}

/// Room for it all, n by n each.
typedef struct room {
    size_t n;
    double *a, *p, *q, *m, *v, *work, *s;
    size_t *pivot;
} room;

static bool gramians(const fo_linear *l, room *r)
{
    size_t n = r->n;
    memcpy(r->a, l->a, n * n * sizeof *r->a);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            r->p[i * n + k] = r->q[i * n + k] = 0;
            for (size_t u = 0; u < l->inputs; u++)
                r->p[i * n + k] += l->b[i * l->inputs + u] * l->b[k * l->inputs + u];
            for (size_t y = 0; y < l->outputs; y++)
                r->q[i * n + k] += l->c[y * n + i] * l->c[y * n + k];
        }
    if (!lyapunov(n, r->a, r->p, r->work, r->pivot)) return false;
    for (size_t i = 0; i < n * n; i++) r->a[i] = l->a[i % n * n + i / n];
    return lyapunov(n, r->a, r->q, r->work, r->pivot);
}

// Largest first, with the columns of u and v.
static void sort(size_t n, double *s, double *u, double *v)
{
    for (size_t i = 0; i < n; i++) {
        size_t best = i;
        for (size_t k = i + 1; k < n; k++)
            if (s[k] > s[best]) best = k;
        double keep = s[i];
        s[i] = s[best], s[best] = keep;
        for (size_t k = 0; k < n && best != i; k++) {
            keep = u[k * n + i], u[k * n + i] = u[k * n + best], u[k * n + best] = keep;
            keep = v[k * n + i], v[k * n + i] = v[k * n + best], v[k * n + best] = keep;
        }
    }
}

// M' L = U S V'; in r->m then U, in r->v V.
static void singular_values(room *r)
{
    size_t n = r->n;
    root(n, r->p, r->v);
    root(n, r->q, r->v);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            r->m[i * n + k] = 0;
            for (size_t j = 0; j < n; j++) r->m[i * n + k] += r->q[j * n + i] * r->p[j * n + k];
        }
    jacobi(n, r->m, r->v);
    for (size_t k = 0; k < n; k++) {
        r->s[k] = 0;
        for (size_t i = 0; i < n; i++) r->s[k] = foi_hypot(r->s[k], r->m[i * n + k]);
        for (size_t i = 0; i < n && r->s[k] > 0; i++) r->m[i * n + k] /= r->s[k];
    }
    sort(n, r->s, r->m, r->v);
}

// The first k columns of T = L V S^(-1/2) and rows of its inverse from the left S^(-1/2) U' M'.
static fo_linear *truncate(const fo_linear *l, room *r, size_t k, fo_message *why)
{
    size_t n = r->n;
    double *t = r->a, *w = r->work, *at = w + n * n; // w: by rows of the reduced system
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i < n; i++) {
            double right = 0, left = 0, by = sqrt(r->s[j]);
            for (size_t q = 0; q < n; q++)
                right += r->p[i * n + q] * r->v[q * n + j],
                    left += r->q[i * n + q] * r->m[q * n + j];
            t[i * n + j] = right / by, w[j * n + i] = left / by;
        }
    size_t m = l->inputs, y = l->outputs;
    double *a = at + n * n, *b = r->v, *c = r->m; // what is not needed any more
    multiply(n, l->a, t, false, at);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            a[i * k + j] = 0;
            for (size_t q = 0; q < n; q++) a[i * k + j] += w[i * n + q] * at[q * n + j];
        }
    double *ports = foi_new(NULL, k * (m + y) + 1, sizeof *ports);
    if (!ports) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a linear system"), NULL;
    b = ports, c = ports + k * m;
    for (size_t i = 0; i < k; i++)
        for (size_t q = 0; q < n; q++) {
            for (size_t u = 0; u < m; u++) b[i * m + u] += w[i * n + q] * l->b[q * m + u];
            for (size_t o = 0; o < y; o++) c[o * k + i] += l->c[o * n + q] * t[q * n + i];
        }
    fo_linear *reduced = fo_linear_of(k, m, y, a, b, c, l->d, why);
    foi_free(NULL, ports);
    return reduced;
}

static fo_linear *balance(const fo_linear *l, room *r, size_t order, double *hankel,
                          fo_message *why)
{
    size_t n = r->n, rank = 0;
    if (!gramians(l, r)) {
        fo_fail(why, FO_ERROR_UNFIT,
                "a pole lies on the imaginary axis: there is no balanced form");
        return NULL;
    }
    singular_values(r);
    if (hankel) memcpy(hankel, r->s, n * sizeof *hankel);
    while (rank < n && r->s[rank] > 1e-13 * (double)n * r->s[0]) rank++;
    if (order == 0 || order > rank) order = rank;
    return truncate(l, r, order, why);
}

fo_linear *fo_linear_balanced(const fo_linear *l, size_t order, double *hankel, fo_message *why)
{
    size_t n = l->states;
    fo_message local;
    if (!why) why = &local;
    for (size_t i = 0; i < n; i++)
        if (!(l->re[i] < 0)) {
            fo_fail(why, FO_ERROR_UNFIT,
                    "the pole %.6g %+.6g i is not left of the imaginary axis: there is no balanced "
                    "form",
                    l->re[i], l->im[i]);
            return NULL;
        }
    room r = {.n = n};
    r.a = foi_new(NULL, 9 * n * n + 2 * n + 1, sizeof *r.a);
    r.pivot = foi_new(NULL, n + 1, sizeof *r.pivot);
    fo_linear *result = NULL;
    if (r.a && r.pivot) {
        r.p = r.a + n * n, r.q = r.p + n * n, r.m = r.q + n * n, r.v = r.m + n * n;
        r.s = r.v + n * n, r.work = r.s + n;
        result = balance(l, &r, order, hankel, why);
    } else {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a linear system");
    }
    foi_free(NULL, r.a);
    foi_free(NULL, r.pivot);
    return result;
}

// u = -g (y - ...) with y = C x + D u: u = -g C x / (1 + g D).
fo_status fo_linear_locus(const fo_linear *s, size_t input, size_t output, double gain, double *re,
                          double *im)
{
    size_t n = s->states;
    double by = 1 + gain * s->d[output * s->inputs + input];
    if (by == 0 || !isfinite(gain)) return FO_ERROR_NUMBER;
    double *a = foi_new(NULL, n * n + 1, sizeof *a);
    if (!a) return FO_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            a[i * n + k] =
                s->a[i * n + k] - s->b[i * s->inputs + input] * (gain / by) * s->c[output * n + k];
    fo_status status = foi_eigenvalues(n, a, re, im);
    foi_free(NULL, a);
    return status;
}
