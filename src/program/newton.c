/// Newton's method for algebraic loops, damped by the natural monotonicity test
/// (P. Deuflhard, Newton Methods for Nonlinear Problems, 2004, chapter 3.3):
///
///     J(y) d = -F(y);   y := y + lambda d,   lambda = 1, 1/2, 1/4, ...  until
///     |d+| <= (1 - lambda/2) |d|   where   J(y) d+ = -F(y + lambda d)
///
/// The norm is relative to the unknowns. Ends when a full step is so short that the next one would
/// be below rounding: d shrinks quadratically, so |d| <= 1e-8 means an error of about 1e-16.
#include <math.h>
#include <string.h>

#include "program/code.h"

enum { MOST_STEPS = 60, MOST_HALVINGS = 30 };

typedef struct newton {
    const foi_loop_code *loop;
    double *r;
    double *lu, *d, *next, *y;
    uint32_t *pivot;
} newton;

size_t foi_newton_work(size_t n)
{
    return n * n + 4 * n;
}

// LU factors of the Jacobian with partial pivoting, rows scaled by their largest entry.
static bool factor(newton *w)
{
    uint32_t n = w->loop->count;
    for (uint32_t i = 0; i < n; i++) {
        double most = 0;
        for (uint32_t j = 0; j < n; j++) {
            w->lu[i * n + j] = w->r[w->loop->jacobian[i * n + j]];
            most = fmax(most, fabs(w->lu[i * n + j]));
        }
        if (!(most > 0) || !isfinite(most)) return false;
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t p = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(w->lu[i * n + k]) > fabs(w->lu[p * n + k])) p = i;
        w->pivot[k] = p;
        if (w->lu[p * n + k] == 0) return false;
        for (uint32_t j = 0; j < n && p != k; j++) {
            double other = w->lu[k * n + j];
            w->lu[k * n + j] = w->lu[p * n + j], w->lu[p * n + j] = other;
        }
        for (uint32_t i = k + 1; i < n; i++) {
            double f = w->lu[i * n + k] /= w->lu[k * n + k];
            for (uint32_t j = k + 1; j < n && f != 0; j++) w->lu[i * n + j] -= f * w->lu[k * n + j];
        }
    }
    return true;
}

// d = -J^-1 F with the residuals that are in their registers.
static void solve(const newton *w, double *d)
{
    uint32_t n = w->loop->count;
    for (uint32_t i = 0; i < n; i++) d[i] = -w->r[w->loop->residual[i]];
    // factor() has swapped whole rows, the multipliers too: so all swaps come before substitution
    for (uint32_t k = 0; k < n; k++) {
        double other = d[k];
        d[k] = d[w->pivot[k]], d[w->pivot[k]] = other;
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = k + 1; i < n; i++) d[i] -= w->lu[i * n + k] * d[k];
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++) d[k] -= w->lu[k * n + j] * d[j];
        d[k] /= w->lu[k * n + k];
    }
}

// The largest step relative to its unknown.
static double norm(const newton *w, const double *d)
{
    double most = 0;
    for (uint32_t i = 0; i < w->loop->count; i++) {
        double size = fabs(d[i]) / (fabs(w->y[i]) + 1e-3);
        if (!(size <= most)) most = size; // not a number counts as larger
    }
    return most;
}

static void go(newton *w, double lambda)
{
    for (uint32_t i = 0; i < w->loop->count; i++)
        w->r[w->loop->unknown[i]] = w->y[i] + lambda * w->d[i];
}

// Takes the longest step that makes the next one shorter. False: there is none.
static bool step(newton *w, foi_loop_function *evaluate, void *self, double size)
{
    double lambda = 1;
    for (int halvings = 0; halvings < MOST_HALVINGS; halvings++, lambda /= 2) {
        go(w, lambda);
        evaluate(self, w->r);
        solve(w, w->next);
        double shorter = norm(w, w->next);
        if (shorter <= (1 - lambda / 2) * size || shorter <= 1e-15) return true;
    }
    return false;
}

// From the unknowns that are in their registers.
static fo_status iterate(newton *w, foi_loop_function *evaluate, void *self)
{
    const foi_loop_code *loop = w->loop;
    evaluate(self, w->r);
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (!factor(w)) return FO_ERROR_CONVERGE;
        for (uint32_t i = 0; i < loop->count; i++) w->y[i] = w->r[loop->unknown[i]];
        solve(w, w->d);
        double size = norm(w, w->d);
        if (!isfinite(size)) return FO_ERROR_CONVERGE;
        bool last = size <= 1e-8 || (loop->linear && steps > 0);
        if (last || loop->linear) {
            go(w, 1);
            evaluate(self, w->r);
            if (last) return FO_OK;
        } else if (!step(w, evaluate, self, size)) {
            return FO_ERROR_CONVERGE;
        }
    }
    return FO_ERROR_CONVERGE;
}

// From the guess, and where that leads nowhere (y^2 = 2 from y = 0) from some places around it.
fo_status foi_newton(const foi_loop_code *loop, double *r, const double *guesses, double *work,
                     foi_loop_function *evaluate, void *self)
{
    static const double aside[] = {0, 0.01, -0.01, 1, -1, 10, -10};
    uint32_t n = loop->count;
    newton w = {.loop = loop, .r = r, .lu = work, .d = work + (size_t)n * n};
    w.next = w.d + n, w.y = w.next + n, w.pivot = (uint32_t *)(void *)(w.y + n);
    fo_status status = FO_ERROR_CONVERGE;
    size_t tries = loop->linear ? 1 : sizeof aside / sizeof aside[0];
    for (size_t k = 0; k < tries && status != FO_OK; k++) {
        for (uint32_t i = 0; i < n; i++) {
            double guess = loop->guess[i] == FOI_NOTHING ? 0 : guesses[loop->guess[i]];
            r[loop->unknown[i]] = guess + aside[k] * (1 + fabs(guess));
        }
        status = iterate(&w, evaluate, self);
    }
    return status;
}
