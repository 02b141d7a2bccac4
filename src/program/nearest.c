/// First values: of several solutions the one nearest to the start values z0, in units of the
/// unknowns' sizes s:
///
///     minimise |u|   subject to   F(z0 + s u) = 0.
///
/// Finding that in general is a search of all of space, which is done for few unknowns
/// (nearest_proof.c). Before that several ways from z0 are gone, and of their ends the nearest is
/// taken:
///
///     Newton      from z0, damped
///     homotopy    F(z) = (1 - tau) F(z0) with tau from 0 to 1 in short steps
///     Levenberg   steps of least squares, -(A'A + mu I)^-1 A'f, no longer than a trust radius that
///                 is short at first (K. Levenberg 1944; J. J. More 1978); A = dF/du, f = F, rows
///                 scaled
///
/// The last also goes where A is singular: where the solutions are a curve or surface (two vessels
/// that exchange: any equal level is steady). From there it moves along it towards z0, by the part
/// of u that A does not see, mu (A'A + mu I)^-1 u, until nothing of that is left: that is the
/// projection of z0, if the surface is flat, and a nearest point nearby otherwise.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "program/newton.h"

enum { LARGE = 200, MOST_STEPS = 300 };

typedef struct search {
    foi_newton_state *w;
    uint32_t n;
    double *s;   ///< sizes
    double *row; ///< scales of the rows
    double *u, *p, *f, *f0;
    double *A, *M, *N; ///< n * n
    double *column;
    size_t *columns;
    bool squared;     ///< N is that of A
    double *z, *best; ///< solutions
    double distance;  ///< of the best; INFINITY: none yet
    void *block;
} search;

static bool make(search *q, foi_newton_state *w)
{
    size_t n = w->loop->count, square = n <= LARGE ? n * n : 0;
    double *at = q->block = foi_new(NULL, 10 * n + 3 * square, sizeof *at);
    if (!at) return false;
    q->w = w, q->n = (uint32_t)n, q->distance = INFINITY;
    q->s = at, q->row = at += n, q->u = at += n, q->p = at += n, q->f = at += n, q->f0 = at += n;
    q->z = at += n, q->best = at += n, q->column = at += n;
    q->columns = (size_t *)(void *)(at += n);
    q->A = at += n, q->M = at += square, q->N = at + square;
    for (uint32_t j = 0; j < n; j++) {
        q->s[j] = foi_fmax(fabs(w->guess[j]), w->loop->about->size[j]);
        if (!(q->s[j] > 0)) q->s[j] = 1;
    }
    return true;
}

static double length(const double *v, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

// How far what is in the registers is from the start values that were given. Where that is more
// than there are numbers (a start value of 1e-160) it is the largest: it is a solution all the
// same.
static double distance(const search *q)
{
    const foi_newton_state *w = q->w;
    double sum = 0, all = 0;
    bool any = false;
    for (uint32_t j = 0; j < q->n; j++) {
        double u = (w->r[w->loop->unknown[j]] - w->guess[j]) / q->s[j];
        all += u * u;
        if (w->loop->about->has_start[j]) sum += u * u, any = true;
    }
    return foi_fmin(DBL_MAX, sqrt(any ? sum : all));
}

static void record(search *q)
{
    const foi_newton_state *w = q->w;
    double d = distance(q);
    if (!(d < q->distance)) return;
    q->distance = d;
    for (uint32_t j = 0; j < q->n; j++) q->best[j] = w->r[w->loop->unknown[j]];
}

static void put(search *q, const double *z)
{
    foi_newton_state *w = q->w;
    for (uint32_t j = 0; j < q->n; j++) w->r[w->loop->unknown[j]] = z[j];
}

static void get(search *q, double *z)
{
    const foi_newton_state *w = q->w;
    for (uint32_t j = 0; j < q->n; j++) z[j] = w->r[w->loop->unknown[j]];
}

// ------------------------------------------------------------------------------------- homotopy

// How far the registers are from z, in sizes.
static double moved(const search *q, const double *z)
{
    const foi_newton_state *w = q->w;
    double most = 0;
    for (uint32_t j = 0; j < q->n; j++) {
        double by = fabs(w->r[w->loop->unknown[j]] - z[j]) / foi_fmax(q->s[j], fabs(z[j]));
        if (!(by <= most)) most = by;
    }
    return most;
}

static fo_status go_homotopy(search *q)
{
    foi_newton_state *w = q->w;
    double tau = 0, by = 1.0 / 16;
    fo_status status = FO_OK;
    foi_newton_place(w, 0);
    w->evaluate(w->self, w->r);
    for (uint32_t i = 0; i < q->n; i++) q->f0[i] = w->r[w->loop->residual[i]];
    get(q, q->z);
    for (int steps = 0; steps < MOST_STEPS && tau < 1 && by > 1e-6; steps++) {
        double next = foi_fmin(1, tau + by);
        for (uint32_t i = 0; i < q->n; i++) q->f[i] = (1 - next) * q->f0[i];
        w->offset = next < 1 ? q->f : NULL;
        put(q, q->z);
        status = foi_newton_iterate(w);
        if (status == FO_ERROR_MEMORY) break;
        bool good = status == FO_OK && moved(q, q->z) <= 0.5;
        if (!good) status = FO_ERROR_CONVERGE;
        if (good) get(q, q->z), tau = next;
        by *= good ? 2 : 0.25;
    }
    w->offset = NULL;
    if (status == FO_OK && tau == 1) record(q);
    return status == FO_ERROR_MEMORY ? status : FO_OK;
}

// ------------------------------------------------------------------------------------ Levenberg

static void put_u(search *q)
{
    foi_newton_state *w = q->w;
    for (uint32_t j = 0; j < q->n; j++) w->r[w->loop->unknown[j]] = w->guess[j] + q->s[j] * q->u[j];
}

// f and A at z0 + s u; returns |f|.
static double evaluate(search *q)
{
    foi_newton_state *w = q->w;
    const foi_loop_about *about = w->loop->about;
    put_u(q);
    w->evaluate(w->self, w->r);
    for (uint32_t i = 0; i < q->n; i++) q->f[i] = q->row[i] * w->r[w->loop->residual[i]];
    q->squared = false;
    memset(q->A, 0, (size_t)q->n * q->n * sizeof *q->A);
    for (uint32_t j = 0; j < q->n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            q->A[(size_t)about->row[k] * q->n + j] =
                q->row[about->row[k]] * w->r[w->loop->entry[k]] * q->s[j];
    return length(q->f, q->n);
}

static void scale_rows(search *q)
{
    for (uint32_t i = 0; i < q->n; i++) q->row[i] = 1;
    evaluate(q);
    for (uint32_t i = 0; i < q->n; i++) {
        double size = fabs(q->f[i]);
        for (uint32_t j = 0; j < q->n; j++) size = foi_fmax(size, fabs(q->A[(size_t)i * q->n + j]));
        q->row[i] = size > 0 && isfinite(size) ? 1 / size : 1;
    }
}

// N = A'A below its diagonal. Most of A is zero: a row adds the products of what it has.
static void square(search *q)
{
    size_t n = q->n, *at = q->columns;
    memset(q->N, 0, n * n * sizeof *q->N);
    for (size_t k = 0; k < n; k++) {
        const double *row = q->A + k * n;
        size_t some = 0;
        for (size_t j = 0; j < n; j++)
            if (row[j] != 0) at[some++] = j;
        for (size_t i = 1; i < some; i++)
            for (size_t j = 0; j < i; j++) q->N[at[i] * n + at[j]] += row[at[i]] * row[at[j]];
    }
    q->squared = true;
}

// M = L of A'A + mu I = L L', column by column: what a column takes from those behind it is one row
// after the other, which lie together. False: they do not exist in this arithmetic.
static bool damped_factor(search *q, double mu)
{
    size_t n = q->n;
    double *M = q->M, *column = q->column;
    if (!q->squared) square(q);
    memcpy(M, q->N, n * n * sizeof *M);
    for (size_t i = 0; i < n; i++) column[i] = mu;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) column[i] += q->A[k * n + i] * q->A[k * n + i];
    for (size_t i = 0; i < n; i++) M[i * n + i] = column[i];
    for (size_t k = 0; k < n; k++) {
        if (!(M[k * n + k] > 0 && M[k * n + k] <= DBL_MAX)) return false;
        double pivot = M[k * n + k] = sqrt(M[k * n + k]);
        for (size_t i = k + 1; i < n; i++) {
            double *row = M + i * n, f = column[i] = row[k] /= pivot;
            for (size_t j = k + 1; f != 0 && j <= i; j++) row[j] -= f * column[j];
        }
    }
    return true;
}

// x = (A'A + mu I)^-1 x by Cholesky's factors.
static bool damped_solve(search *q, double mu, double *x)
{
    size_t n = q->n;
    if (!damped_factor(q, mu)) return false;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= q->M[i * n + k] * x[k];
        x[i] /= q->M[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) x[i] -= q->M[k * n + i] * x[k];
        x[i] /= q->M[i * n + i];
    }
    return true;
}

// p = -(A'A + mu I)^-1 A'f.
static bool damped_step(search *q, double mu)
{
    for (size_t j = 0; j < q->n; j++) {
        q->p[j] = 0;
        for (size_t i = 0; i < q->n; i++) q->p[j] -= q->A[i * q->n + j] * q->f[i];
    }
    return damped_solve(q, mu, q->p);
}

static double largest_square(const search *q)
{
    double most = 0;
    for (size_t k = 0; k < (size_t)q->n * q->n; k++) most = foi_fmax(most, q->A[k] * q->A[k]);
    return most;
}

// To where F is small, or no smaller. Returns |f| there.
static double go_downhill(search *q)
{
    double radius = 0.1, cost = evaluate(q), mu = 0;
    for (int steps = 0; steps < MOST_STEPS && cost > 0 && radius > 1e-12; steps++) {
        double least = 1e-12 * largest_square(q);
        mu = foi_fmax(mu / 16, least);
        if (!(mu > 0)) break;
        for (int k = 0; k < 60 && (!damped_step(q, mu) || !(length(q->p, q->n) <= radius)); k++)
            mu *= 4;
        double step = length(q->p, q->n);
        if (!isfinite(step)) break;
        for (uint32_t j = 0; j < q->n; j++) q->u[j] += q->p[j];
        double now = evaluate(q);
        if (now < cost) {
            radius = foi_fmax(radius, now < 0.5 * cost ? 2 * step : step);
            if (step <= 1e-15 * length(q->u, q->n)) return now;
            cost = now;
        } else {
            for (uint32_t j = 0; j < q->n; j++) q->u[j] -= q->p[j];
            evaluate(q);
            radius = step / 4;
        }
    }
    return cost;
}

// Along the solutions towards z0: what A does not see of u is taken away.
static bool slide(search *q)
{
    for (int steps = 0; steps < 60; steps++) {
        double before = length(q->u, q->n);
        evaluate(q);
        double mu = 1e-10 * largest_square(q);
        memcpy(q->p, q->u, q->n * sizeof *q->p);
        if (!(mu > 0) || !damped_solve(q, mu, q->p)) return false;
        for (uint32_t j = 0; j < q->n; j++) q->u[j] -= mu * q->p[j];
        double by = mu * length(q->p, q->n);
        for (int k = 0; k < 8; k++) {
            evaluate(q);
            if (!damped_step(q, mu)) return false;
            for (uint32_t j = 0; j < q->n; j++) q->u[j] += q->p[j];
        }
        if (by <= 1e-14 * before || before == 0) return true;
    }
    return true;
}

// From where u is.
static fo_status go_levenberg(search *q)
{
    foi_newton_state *w = q->w;
    uint32_t where;
    if (q->n > LARGE) return FO_OK;
    scale_rows(q);
    if (!(go_downhill(q) <= 1e-5)) return FO_OK;
    get(q, q->z);
    fo_status status = foi_newton_iterate(w);
    if (status == FO_OK && moved(q, q->z) <= 0.5) record(q);
    if (status == FO_ERROR_MEMORY) return status;
    if (status == FO_OK || w->end != FOI_NEWTON_SINGULAR) return FO_OK;
    if (!slide(q)) return FO_OK;
    evaluate(q);
    if (foi_newton_misfit(w, &where) <= 64) record(q);
    return FO_OK;
}

// ---------------------------------------------------------------------------------------- Newton

static fo_status go_newton(search *q, double aside)
{
    foi_newton_place(q->w, aside);
    fo_status status = foi_newton_iterate(q->w);
    if (status == FO_OK) record(q);
    return status == FO_ERROR_MEMORY ? status : FO_OK;
}

// Start values that are all zero are often no place to begin: 1 / (v1 - v2) is not defined there,
// and an equation may not see its unknowns. So where all ways from them, and from where all
// unknowns are moved alike, have led nowhere, they are moved by different amounts: by the golden
// ratio, so that no two differences are equal, first a little, then by their sizes.
static fo_status go_scattered(search *q)
{
    static const double sizes[] = {0.01, 0.1, 1, 10, 0.03, 0.3, 3};
    fo_status status = FO_OK;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && status == FO_OK; k++) {
        for (uint32_t j = 0; j < q->n; j++) {
            double part = foi_fmod(0.6180339887498949 * (double)(j + 1 + 3 * k), 1);
            q->u[j] = sizes[k] * (2 * part - 1);
        }
        put_u(q);
        status = foi_newton_iterate(q->w);
        if (status == FO_OK) record(q);
        if (status == FO_ERROR_CONVERGE) status = go_levenberg(q);
        if (!isinf(q->distance)) break;
    }
    return status;
}

static fo_status go_all(search *q)
{
    static const double aside[] = {0.01, -0.01, 1, -1, 10, -10};
    fo_status status = go_newton(q, 0);
    foi_newton_end end = q->w->end;
    bool linear = q->w->loop->about->linear; // then there is one solution, or a plane of them
    if (linear && !isinf(q->distance)) return status;
    if (status == FO_OK && !linear && q->distance > 0.01) status = go_homotopy(q);
    memset(q->u, 0, q->n * sizeof *q->u);
    if (status == FO_OK && q->distance > 0.01) status = go_levenberg(q);
    for (size_t k = 0; k < sizeof aside / sizeof aside[0] && !linear; k++)
        if (status == FO_OK && isinf(q->distance)) status = go_newton(q, aside[k]);
    if (status == FO_OK && !linear && isinf(q->distance)) status = go_scattered(q);
    // for a few unknowns all places that are nearer can be looked at
    if (status == FO_OK && !linear && q->distance > 0)
        status = foi_newton_exclude(q->w, q->s, q->best, &q->distance);
    if (status != FO_OK) return status;
    q->w->end = end;
    return isinf(q->distance) ? FO_ERROR_CONVERGE : FO_OK;
}

fo_status foi_newton_nearest(foi_newton_state *w)
{
    search q = {0};
    if (!make(&q, w)) return FO_ERROR_MEMORY;
    fo_status status = go_all(&q);
    if (status == FO_OK) put(&q, q.best);
    foi_free(NULL, q.block);
    return status;
}

fo_status foi_newton_farther(foi_newton_state *w, uint32_t rank, double reach)
{
    search q = {0};
    if (rank == 0) return foi_newton_nearest(w);
    if (!make(&q, w)) return FO_ERROR_MEMORY;
    fo_status status = foi_newton_rank(w, q.s, rank, reach);
    foi_free(NULL, q.block);
    return status;
}
