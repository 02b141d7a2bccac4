#include "analysis/dense.h"

#include <math.h>
#include <string.h>

#include "math/math.h"

// (p + iq) / (r + is), scaled so that nothing overflows on the way (Smith).
static void divide(const double *a, const double *b, double *result)
{
    double p = a[0], q = a[1], r = b[0], s = b[1];
    if (fabs(r) >= fabs(s)) {
        double e = s / r, f = r + s * e;
        result[0] = (p + q * e) / f, result[1] = (q - p * e) / f;
    } else {
        double e = r / s, f = s + r * e;
        result[0] = (p * e + q) / f, result[1] = (q * e - p) / f;
    }
}

// a -= l b
static void subtract_product(double *a, const double *l, const double *b)
{
    a[0] -= l[0] * b[0] - l[1] * b[1];
    a[1] -= l[0] * b[1] + l[1] * b[0];
}

static void swap_complex(double *a, double *b)
{
    double keep[2] = {a[0], a[1]};
    a[0] = b[0], a[1] = b[1];
    b[0] = keep[0], b[1] = keep[1];
}

static bool eliminate(size_t n, double *a, double *b, size_t k)
{
    size_t best = k;
    for (size_t i = k + 1; i < n; i++) {
        const double *x = &a[2 * (i * n + k)], *y = &a[2 * (best * n + k)];
        if (foi_hypot(x[0], x[1]) > foi_hypot(y[0], y[1])) best = i;
    }
    for (size_t j = 0; j < n && best != k; j++)
        swap_complex(&a[2 * (k * n + j)], &a[2 * (best * n + j)]);
    if (best != k) swap_complex(&b[2 * k], &b[2 * best]);
    const double *pivot = &a[2 * (k * n + k)];
    if (!(foi_hypot(pivot[0], pivot[1]) > 0)) return false;
    for (size_t i = k + 1; i < n; i++) {
        double l[2];
        divide(&a[2 * (i * n + k)], pivot, l);
        for (size_t j = k + 1; j < n; j++)
            subtract_product(&a[2 * (i * n + j)], l, &a[2 * (k * n + j)]);
        subtract_product(&b[2 * i], l, &b[2 * k]);
    }
    return true;
}

bool foi_complex_solve(size_t n, double *a, double *b)
{
    for (size_t k = 0; k < n; k++)
        if (!eliminate(n, a, b, k)) return false;
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            subtract_product(&b[2 * i], &a[2 * (i * n + j)], &b[2 * j]);
        divide((double[2]){b[2 * i], b[2 * i + 1]}, &a[2 * (i * n + i)], &b[2 * i]);
    }
    return true;
}

double foi_norm(size_t n, const double *a)
{
    double norm = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += fabs(a[i * n + j]);
        if (!(sum <= norm)) norm = sum;
    }
    return norm;
}

static void multiply(size_t n, const double *a, const double *b, double *c)
{
    memset(c, 0, n * n * sizeof *c);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void foi_exponential_twice(size_t n, double *f, double *work)
{
    multiply(n, f, f, work);
    for (size_t i = 0; i < n * n; i++) f[i] = 2 * f[i] + work[i];
}

// The norm in the units in which a is balanced: those of the states do not matter. A row of zeros
// is a constant, whose column only adds to the others.
static double balanced_norm(size_t n, const double *a, double *copy)
{
    memcpy(copy, a, n * n * sizeof *a);
    for (size_t i = 0; i < n; i++) {
        bool constant = true;
        for (size_t k = 0; k < n && constant; k++) constant = a[i * n + k] == 0;
        for (size_t k = 0; k < n && constant; k++) copy[k * n + i] = 0;
    }
    foi_balance(n, copy, NULL);
    return foi_norm(n, copy);
}

// Scaling and squaring: exp(a h) = exp(a h / 2^s)^(2^s), where the norm of a h / 2^s is below 1/4;
// eleven terms of the series leave an error below 1e-16 there.
void foi_exponential_less_one(size_t n, const double *a, double h, double *f, double *work)
{
    enum { TERMS = 11 };
    double *term = work, *next = work + n * n, norm = balanced_norm(n, a, work) * fabs(h);
    int squarings = 0;
    if (norm > 0.25) frexp(norm / 0.25, &squarings);
    double scale = ldexp(h, -squarings);
    for (size_t i = 0; i < n * n; i++) term[i] = f[i] = a[i] * scale;
    for (int k = 2; k <= TERMS; k++) {
        multiply(n, term, a, next);
        for (size_t i = 0; i < n * n; i++) term[i] = next[i] * scale / k, f[i] += term[i];
    }
    for (; squarings > 0; squarings--) foi_exponential_twice(n, f, work);
}

void foi_exponential(size_t n, const double *a, double h, double *e, double *work)
{
    foi_exponential_less_one(n, a, h, e, work);
    for (size_t i = 0; i < n; i++) e[i * n + i] += 1;
}
