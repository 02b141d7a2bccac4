// A point where branches meet, by Newton's iteration on
//
//     F(y) + b u = 0,   F_y^T u = 0,   u . u = 1
//
// for y, u and b (Moore, The numerical treatment of non-trivial bifurcation points, 1980). Its
// matrix is regular there, while along the branches the matrix of every step becomes singular, and
// the point cannot be closed in on. Where branches do meet b is zero.
#include "analysis/meeting.h"

#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "base/memory.h"
#include "math/math.h"

typedef struct meeting {
    foi_meeting_rates *rates;
    void *self;
    size_t n, k, all; ///< numbers: of F, of y, of all unknowns
    double *z;        ///< y, u, b
    double *row;      ///< what the rows of F are divided by
    double *f, *m;
    double *r, *more, *less; ///< what is to be zero, here and beside
    double *j, *a;
    size_t *pivot;
} meeting;

static bool open_meeting(meeting *p, const fo_allocator *allocator)
{
    size_t n = p->n, k = n + 1;
    p->k = k, p->all = k + n + 1;
    p->pivot = foi_new(allocator, p->all, sizeof *p->pivot);
    if (p->pivot)
        p->z = foi_new(allocator, 4 * p->all + 2 * n + 2 * n * k + p->all * p->all, sizeof *p->z);
    if (!p->z) return false;
    p->r = p->z + p->all, p->more = p->r + p->all, p->less = p->more + p->all;
    p->row = p->less + p->all, p->f = p->row + n, p->m = p->f + n, p->a = p->m + n * k;
    p->j = p->a + n * k;
    return true;
}

static bool look(meeting *p, const double *y)
{
    if (!p->rates(p->self, y, p->f, p->m)) return false;
    for (size_t i = 0; i < p->n; i++) {
        p->f[i] /= p->row[i];
        for (size_t q = 0; q < p->k; q++) p->m[i * p->k + q] /= p->row[i];
    }
    return true;
}

static bool residual(meeting *p, const double *y, double *r)
{
    size_t n = p->n, k = p->k;
    const double *u = p->z + k;
    if (!look(p, y)) return false;
    for (size_t i = 0; i < n; i++) r[i] = p->f[i] + u[n] * u[i];
    for (size_t q = 0; q < k; q++) {
        r[n + q] = 0;
        for (size_t i = 0; i < n; i++) r[n + q] += p->m[i * k + q] * u[i];
    }
    r[n + k] = -1;
    for (size_t i = 0; i < n; i++) r[n + k] += u[i] * u[i];
    return true;
}

// Derivatives by y are differences, the others are formulas.
static bool differentiate(meeting *p)
{
    const double h = 1e-5;
    size_t n = p->n, k = p->k, all = p->all;
    const double *u = p->z + k;
    double *y = p->z;
    memset(p->j, 0, all * all * sizeof *p->j);
    for (size_t q = 0; q < k; q++) {
        double at = y[q];
        y[q] = at + h;
        bool good = residual(p, y, p->more);
        y[q] = at - h;
        good = good && residual(p, y, p->less);
        y[q] = at;
        if (!good) return false;
        for (size_t i = 0; i < all; i++) p->j[i * all + q] = (p->more[i] - p->less[i]) / (2 * h);
    }
    if (!residual(p, y, p->r)) return false;
    for (size_t i = 0; i < n; i++) {
        p->j[i * all + k + i] = u[n];
        p->j[i * all + k + n] = u[i];
        for (size_t q = 0; q < k; q++) p->j[(n + q) * all + k + i] = p->m[i * k + q];
        p->j[(n + k) * all + k + i] = 2 * u[i];
    }
    return true;
}

// The combination of rows of F_y that is nearly zero, by inverse iteration with F_y F_y^T.
static bool begin(meeting *p)
{
    size_t n = p->n, k = p->k;
    double *u = p->z + k, size = 0;
    for (size_t i = 0; i < n; i++) p->row[i] = 1;
    if (!look(p, p->z)) return false;
    for (size_t i = 0; i < n; i++) {
        double most = 0;
        for (size_t q = 0; q < k; q++) most = foi_fmax(most, fabs(p->m[i * k + q]));
        for (size_t q = 0; q < k && most > 0; q++) p->m[i * k + q] /= most;
        if (most > 0) p->row[i] = most;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t q = 0; q < n; q++) {
            double sum = i == q ? 1e-15 : 0;
            for (size_t s = 0; s < k; s++) sum += p->m[i * k + s] * p->m[q * k + s];
            p->a[i * n + q] = sum;
        }
    if (!foi_lu_factor(n, p->a, p->pivot)) return false;
    for (size_t i = 0; i < n; i++) u[i] = 1 + 0.1 * (double)(i * i % 7);
    for (int times = 0; times < 4; times++) {
        foi_lu_solve(n, p->a, p->pivot, u);
        size = 0;
        for (size_t i = 0; i < n; i++) size += u[i] * u[i];
        for (size_t i = 0; i < n; i++) u[i] /= sqrt(size);
    }
    u[n] = 0;
    return isfinite(size) && size > 0;
}

static bool iterate(meeting *p)
{
    enum { MOST = 12 };
    const double SMALL = 1e-10;
    for (int i = 0; i < MOST; i++) {
        double step = 0;
        if (!differentiate(p) || !foi_lu_factor(p->all, p->j, p->pivot)) return false;
        foi_lu_solve(p->all, p->j, p->pivot, p->r);
        for (size_t q = 0; q < p->all; q++) {
            if (!(fabs(p->r[q]) <= step)) step = fabs(p->r[q]);
            p->z[q] -= p->r[q];
        }
        if (!(step < 1)) return false;
        if (step < SMALL) return fabs(p->z[p->all - 1]) < 1e-7;
    }
    return false;
}

bool foi_meeting_find(foi_meeting_rates *rates, void *self, size_t n, double *y, double far,
                      const fo_allocator *allocator)
{
    enum { MANY = 32 };
    meeting p = {.rates = rates, .self = self, .n = n};
    bool good = n > 0 && n <= MANY && open_meeting(&p, allocator);
    if (good) {
        memcpy(p.z, y, p.k * sizeof *y);
        good = begin(&p) && iterate(&p);
    }
    for (size_t q = 0; q < p.k && good; q++) good = fabs(p.z[q] - y[q]) <= far;
    if (good) memcpy(y, p.z, p.k * sizeof *y);
    foi_free(allocator, p.z);
    foi_free(allocator, p.pivot);
    return good;
}
