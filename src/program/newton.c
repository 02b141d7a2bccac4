/// Newton's method for algebraic loops, damped by the natural monotonicity test
/// (P. Deuflhard, Newton Methods for Nonlinear Problems, 2004, chapter 3.3):
///
///     J(y) d = -F(y);   y := y + lambda d,   lambda = 1, 1/2, 1/4, ...  until
///     |d+| <= (1 - lambda/2) |d|   where   J(y) d+ = -F(y + lambda d)
///
/// The norm is relative to the unknowns, and nothing here has a scale of its own: rows and columns
/// of J are scaled by powers of two until the largest entry of each is about 1, so that the choice
/// of pivots does not depend on units.
///
/// A solution is accepted if no equation is farther from zero than rounding explains (rounding.c):
///
///     |F_i(y)| <= 8 eps E_i     for every i.
///
/// In a linear loop E_i is about (|A| |y| + |b|)_i: then y solves a system whose entries differ
/// from the given ones by a few eps each (W. Oettli, W. Prager 1964), and one step of refinement is
/// usually enough to get there (R. D. Skeel 1980). No other result leaves this file.
///
/// A loop is singular if a change of the scaled J as small as its rounding errors makes it so. The
/// factors are those of J + E, |E| about n eps; if J is singular, their inverse is at least 1 /
/// |E|. So it is called singular if that, or the inverse of a pivot, exceeds 1 / (16 n eps c), with
/// c = max_i R_i / sum_j |J_ij| where R_i sums the sizes of all terms of row i before they cancel.
/// (Errors of large factors hardly add up: beyond n = 64 8 sqrt(n) stands for n.) Then J y = b may
/// have a solution, but equally good ones are anywhere.
#include <float.h>
#include <math.h>
#include <string.h>

#include "program/newton.h"

enum {
    MOST_STEPS = 60,    ///< that are damped
    MOST_FULL = 1200,   ///< that are not: each is at most half of the one before
    MOST_HALVINGS = 30, ///< of one step
    MOST_LOOKS = 8,     ///< at residuals that should have been small
};
static const double slack = 8 * DBL_EPSILON;

size_t foi_newton_work(const foi_code *code, const foi_loop_code *loop)
{
    size_t n = loop->count, entries = loop->about->start[n];
    size_t factors = loop->about->order ? 0 : n * n;
    return factors + entries + 8 * n + 2 * (size_t)code->registers;
}

// ------------------------------------------------------------------------------------- scaling

// The power of two at or below the size of a normal number.
static double power_below(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    bits &= UINT64_C(0x7FF0000000000000);
    double power;
    memcpy(&power, &bits, sizeof power);
    return power > 0 ? power : DBL_MIN;
}

// False: all of a row is zero, or something is not a number.
static bool scale_rows(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    for (uint32_t i = 0; i < n; i++) w->next[i] = 0;
    for (uint32_t k = 0; k < about->start[n]; k++) {
        double *most = &w->next[about->row[k]], size = fabs(w->entries[k]);
        if (!(size <= *most)) *most = size;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!(w->next[i] > 0 && w->next[i] <= DBL_MAX)) return false;
        w->next[i] = 1 / power_below(w->next[i]);
        w->row_scale[i] *= w->next[i];
    }
    for (uint32_t k = 0; k < about->start[n]; k++) w->entries[k] *= w->next[about->row[k]];
    return true;
}

static bool scale_columns(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    for (uint32_t j = 0; j < w->loop->count; j++) {
        double most = 0;
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            most = fmax(most, fabs(w->entries[k]));
        if (!(most > 0)) return false;
        double scale = 1 / power_below(most);
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) w->entries[k] *= scale;
        w->column_scale[j] *= scale;
    }
    return true;
}

static void gather(foi_newton_state *w)
{
    uint32_t n = w->loop->count;
    for (uint32_t k = 0; k < w->loop->about->start[n]; k++) w->entries[k] = w->r[w->loop->entry[k]];
    for (uint32_t i = 0; i < n; i++) w->row_scale[i] = w->column_scale[i] = 1;
}

static bool scale(foi_newton_state *w)
{
    gather(w);
    if (w->loop->count == 1) return w->entries[0] != 0 && isfinite(w->entries[0]);
    return scale_rows(w) && scale_columns(w) && scale_rows(w);
}

static double exponent(double a)
{
    int e;
    frexp(a, &e);
    return e;
}

// Where units differ by many decades in a sparse loop, largest entries say little. Then the sum of
// (log |a_ij| + r_i + c_j)^2 is made small (A. R. Curtis and J. K. Reid, On the automatic scaling
// of matrices for Gaussian elimination, 1972), by rows and columns in turn: what units did to the
// matrix is undone whatever they were.
static bool scale_by_means(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    double *r = w->next, *sum = w->d, *count = w->size, *c = w->column_scale;
    gather(w);
    for (uint32_t i = 0; i < n; i++) r[i] = c[i] = 0;
    for (int sweeps = 0; sweeps < 40; sweeps++) {
        for (uint32_t i = 0; i < n; i++) sum[i] = count[i] = 0;
        for (uint32_t j = 0; j < n; j++) {
            double all = 0, many = 0;
            for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
                if (w->entries[k] != 0) all += exponent(w->entries[k]) + r[about->row[k]], many++;
            c[j] = many > 0 ? -all / many : 0;
            for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
                if (w->entries[k] != 0)
                    sum[about->row[k]] += exponent(w->entries[k]) + c[j], count[about->row[k]]++;
        }
        for (uint32_t i = 0; i < n; i++) r[i] = count[i] > 0 ? -sum[i] / count[i] : 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        w->row_scale[i] = ldexp(1, (int)fmax(-1000, fmin(1000, rint(r[i]))));
        c[i] = ldexp(1, (int)fmax(-1000, fmin(1000, rint(c[i]))));
    }
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            w->entries[k] = w->entries[k] * w->row_scale[about->row[k]] * c[j];
    return scale_rows(w) && scale_columns(w) && scale_rows(w);
}

// ------------------------------------------------------------------------------------- factors

// LU factors with partial pivoting.
static bool factor_dense(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    if (n == 1) {
        w->lu[0] = w->entries[0], w->pivot[0] = 0, w->least = 1;
        return true;
    }
    memset(w->lu, 0, (size_t)n * n * sizeof *w->lu);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            w->lu[(size_t)about->row[k] * n + j] = w->entries[k];
    w->least = INFINITY;
    for (uint32_t k = 0; k < n; k++) {
        double *row = w->lu + (size_t)k * n;
        uint32_t p = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(w->lu[(size_t)i * n + k]) > fabs(w->lu[(size_t)p * n + k])) p = i;
        w->pivot[k] = p;
        for (uint32_t j = 0; j < n && p != k; j++) {
            double other = row[j];
            row[j] = w->lu[(size_t)p * n + j], w->lu[(size_t)p * n + j] = other;
        }
        if (!(fabs(row[k]) > 0)) return false;
        w->least = fmin(w->least, fabs(row[k]));
        for (uint32_t i = k + 1; i < n; i++) {
            double *to = w->lu + (size_t)i * n, f = to[k] /= row[k];
            for (uint32_t j = k + 1; j < n && f != 0; j++) to[j] -= f * row[j];
        }
    }
    return true;
}

// The same for a large loop; the factors lie on the heap while the loop is solved.
static fo_status factor_large(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    fo_status status = FO_OK;
    if (!w->large.n) {
        fo_pattern pattern = {w->loop->count, about->start, about->row};
        foi_linear_def def = {.n = pattern.n, .pattern = &pattern, .kind = about->kind};
        def.order = about->order, def.fill = about->fill;
        status = foi_linear_prepare(&w->large, &def);
    }
    if (status == FO_OK) // of 0 M - J
        status = foi_linear_factor(&w->large, (foi_complex){0, 0}, w->entries, NULL, NULL);
    if (status == FO_OK) w->least = foi_linear_least_pivot(&w->large);
    return status;
}

static fo_status factor(foi_newton_state *w)
{
    if (w->loop->about->order) return factor_large(w);
    return factor_dense(w) ? FO_OK : FO_ERROR_CONVERGE;
}

fo_status foi_newton_factor(foi_newton_state *w)
{
    if (!scale(w)) return FO_ERROR_CONVERGE;
    fo_status status = factor(w);
    bool bad = status == FO_ERROR_CONVERGE || (status == FO_OK && w->least < 1e-8);
    if (!bad || w->loop->count == 1) return status;
    return scale_by_means(w) ? factor(w) : FO_ERROR_CONVERGE;
}

static void solve_dense(const foi_newton_state *w, double *d)
{
    uint32_t n = w->loop->count;
    // whole rows were swapped, the multipliers too: so all swaps come before substitution
    for (uint32_t k = 0; k < n; k++) {
        double other = d[k];
        d[k] = d[w->pivot[k]], d[w->pivot[k]] = other;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < i; k++) d[i] -= w->lu[(size_t)i * n + k] * d[k];
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++) d[k] -= w->lu[(size_t)k * n + j] * d[j];
        d[k] /= w->lu[(size_t)k * n + k];
    }
}

// d = -J^-1 F with the residuals that are in their registers.
void foi_newton_solve(foi_newton_state *w, double *d)
{
    uint32_t n = w->loop->count;
    if (n == 1) {
        d[0] = -(w->r[w->loop->residual[0]] - (w->offset ? w->offset[0] : 0)) / w->lu[0];
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        double residual = w->r[w->loop->residual[i]] - (w->offset ? w->offset[i] : 0);
        d[i] = w->row_scale[i] * residual;
    }
    if (w->loop->about->order) {
        foi_linear_solve(&w->large, d);
    } else {
        for (uint32_t i = 0; i < n; i++) d[i] = -d[i];
        solve_dense(w, d);
    }
    for (uint32_t i = 0; i < n; i++) d[i] *= w->column_scale[i];
}

// ------------------------------------------------------------------------------------ iteration

// What a step is compared with: its unknown before and after a full step.
static void measure(foi_newton_state *w)
{
    for (uint32_t i = 0; i < w->loop->count; i++)
        w->size[i] = fmax(fabs(w->y[i]), fabs(w->y[i] + w->d[i]));
}

// The largest step relative to its unknown.
static double norm(const foi_newton_state *w, const double *d)
{
    double most = 0;
    for (uint32_t i = 0; i < w->loop->count; i++) {
        double size = d[i] == 0 ? 0 : fabs(d[i]) / w->size[i];
        if (!(size <= most)) most = size; // not a number counts as larger
    }
    return most;
}

static void go(foi_newton_state *w, double lambda)
{
    for (uint32_t i = 0; i < w->loop->count; i++)
        w->r[w->loop->unknown[i]] = w->y[i] + lambda * w->d[i];
    w->evaluate(w->self, w->r);
}

void foi_newton_keep(foi_newton_state *w)
{
    for (uint32_t i = 0; i < w->loop->count; i++) w->y[i] = w->r[w->loop->unknown[i]];
}

// Takes the longest step that makes the next one shorter. False: there is none.
static bool step(foi_newton_state *w, double size, bool *full)
{
    double lambda = 1;
    for (int halvings = 0; halvings < MOST_HALVINGS; halvings++, lambda /= 2) {
        go(w, lambda);
        foi_newton_solve(w, w->next);
        *full = halvings == 0;
        if (norm(w, w->next) <= (1 - lambda / 2) * size) return true;
    }
    return false;
}

// Whether all residuals are below a multiple of sum_j |J_ij| |y_j|. This is part of what rounding
// explains, and cheap: it says yes only where it is right, and often no where terms cancel.
static bool is_below(foi_newton_state *w, double multiple)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    for (uint32_t i = 0; i < n; i++) w->next[i] = 0;
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            w->next[about->row[k]] += fabs(w->r[w->loop->entry[k]] * w->r[w->loop->unknown[j]]);
    for (uint32_t i = 0; i < n; i++)
        if (!(fabs(w->r[w->loop->residual[i]]) <= multiple * w->next[i])) return false;
    return true;
}

static bool fits(foi_newton_state *w)
{
    return is_below(w, slack);
}

// The largest residual in units of what rounding explains.
double foi_newton_misfit(foi_newton_state *w, uint32_t *where)
{
    double most = 0;
    *where = 0;
    foi_rounding(w->code, w->loop, w->r, w->column_scale, w->error, w->reach);
    for (uint32_t i = 0; i < w->loop->count; i++) {
        double F = fabs(w->r[w->loop->residual[i]]);
        double misfit = F == 0 ? 0 : F / (DBL_EPSILON * w->error[w->loop->residual[i]]);
        if (!isfinite(w->error[w->loop->residual[i]])) misfit = INFINITY;
        if (!(misfit <= most)) most = misfit, *where = i;
    }
    return most;
}

// A lower bound of the norm of the scaled Jacobian's inverse, usually close: how much larger than
// two right sides without pattern their solutions are.
static double inverse_norm(foi_newton_state *w)
{
    uint32_t n = w->loop->count;
    double norm = 1;
    for (int k = 0; k < 4; k++) {
        for (uint32_t i = 0; i < n && k % 2 == 0; i++)
            w->next[i] = (i * 2654435761u >> (9 + k)) % 2 ? 1 : -1;
        if (w->loop->about->order)
            foi_linear_solve(&w->large, w->next);
        else
            solve_dense(w, w->next);
        double most = 0;
        for (uint32_t i = 0; i < n; i++) most = fmax(most, fabs(w->next[i]));
        norm = fmax(norm, most);
        for (uint32_t i = 0; i < n; i++) w->next[i] /= most;
    }
    return norm;
}

// After foi_newton_misfit: whether the last factors are those of a singular matrix and of rounding.
static bool is_singular(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    double most = 1;
    for (uint32_t i = 0; i < n; i++) w->next[i] = 0;
    for (uint32_t k = 0; k < about->start[n]; k++) w->next[about->row[k]] += fabs(w->entries[k]);
    for (uint32_t i = 0; i < n; i++) {
        double terms = w->reach[w->loop->residual[i]] * w->row_scale[i];
        if (terms > most * w->next[i]) most = terms / w->next[i];
    }
    double rounding = 2 * slack * fmin(n, 8 * sqrt(n)) * most;
    return w->least <= rounding || (w->least < 1e-6 && 1 / inverse_norm(w) <= rounding);
}

// Unknowns that are zero but for the rounding errors of larger ones are not found to their own last
// digit: the arithmetic of a step whose right side is F leaves errors of n eps |F| in every
// equation of the scaled system, also in one between such unknowns alone. So where all others hold,
// an equation may be off by that, eps times the rounding errors of the others. (A similar second
// class of equations is in M. Arioli, J. W. Demmel and I. S. Duff, Solving sparse linear systems
// with sparse backward error, 1989.) After foi_newton_misfit.
static bool is_stuck(const foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    double most = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        double F = fabs(w->r[l->residual[i]]);
        if (F <= slack * w->error[l->residual[i]]) most = fmax(most, F * w->row_scale[i]);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        double F = fabs(w->r[l->residual[i]]), more = slack * fmin(l->count, 64) * most;
        if (!(F * w->row_scale[i] <= slack * w->error[l->residual[i]] * w->row_scale[i] + more))
            return false;
    }
    return true;
}

// Nothing cancels anywhere: what takes longer to look at need not be.
static bool is_plainly_good(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    if (about->helps || (about->linear && w->loop->count == 1)) return false;
    return w->least > 1e-6 && fits(w);
}

// With the factors that there are.
static void refine(foi_newton_state *w)
{
    foi_newton_keep(w);
    foi_newton_solve(w, w->d);
    go(w, 1);
}

// One equation that holds exactly where its derivative is zero or infinite: v |v| = 0, sqrt(y) = 0.
static bool rests(const foi_newton_state *w)
{
    return w->loop->count == 1 && !w->loop->about->linear && !w->offset &&
           w->r[w->loop->residual[0]] == 0;
}

// From the unknowns that are in their registers. FO_ERROR_CONVERGE: w->end says why.
fo_status foi_newton_iterate(foi_newton_state *w)
{
    bool linear = w->loop->about->linear, full = false;
    uint32_t where;
    w->evaluate(w->self, w->r);
    for (int damped = 0, fulls = 0, looks = 0; damped < MOST_STEPS && fulls < MOST_FULL;) {
        fo_status status = foi_newton_factor(w);
        w->end = FOI_NEWTON_SINGULAR;
        if (status == FO_ERROR_CONVERGE && rests(w)) return FO_OK;
        if (status != FO_OK) return status;
        foi_newton_keep(w);
        foi_newton_solve(w, w->d);
        measure(w);
        double size = norm(w, w->d);
        w->end = FOI_NEWTON_STRAYS;
        if (!isfinite(size)) return FO_ERROR_CONVERGE;
        bool last = size <= 1e-8; // the next one would be about 1e-16
        if (last || linear) {
            go(w, 1), full = true;
        } else if (!step(w, size, &full)) {
            return FO_ERROR_CONVERGE;
        }
        damped += !full, fulls += full;
        if (w->offset) {
            if (last) return FO_OK; // a waypoint
            continue;
        }
        if (!last && !linear && !is_below(w, 8 * slack)) continue;
        if (!last) refine(w);
        w->end = FOI_NEWTON_MISFIT;
        if (is_plainly_good(w)) return FO_OK;
        w->misfit = foi_newton_misfit(w, &where);
        if (w->misfit <= slack / DBL_EPSILON || w->loop->about->helps) {
            w->end = FOI_NEWTON_SINGULAR;
            return is_singular(w) ? FO_ERROR_CONVERGE : FO_OK;
        }
        if (++looks >= 3 && is_stuck(w)) return is_singular(w) ? FO_ERROR_CONVERGE : FO_OK;
        if (looks == MOST_LOOKS) return FO_ERROR_CONVERGE;
    }
    return FO_ERROR_CONVERGE;
}

// ---------------------------------------------------------------------------------------- starts

void foi_newton_place(foi_newton_state *w, double aside)
{
    for (uint32_t i = 0; i < w->loop->count; i++) {
        double guess = w->guess[i], size = w->loop->about->size[i];
        w->r[w->loop->unknown[i]] = guess + aside * fmax(fabs(guess), size > 0 ? size : 1);
    }
}

// An unknown that has gone farther from its guess than its own size, or FOI_NOTHING. What comes
// from nothing (the flow through an orifice begins) has no size yet.
static uint32_t far_away(const foi_newton_state *w)
{
    for (uint32_t i = 0; i < w->loop->count; i++) {
        double guess = fabs(w->guess[i]), y = w->r[w->loop->unknown[i]];
        double size = fmax(guess, w->loop->about->size[i]);
        bool from_nothing = w->loop->about->size[i] == 0 && guess <= 1e-8 * fabs(y);
        if (!from_nothing && !(fabs(y - w->guess[i]) <= size)) return i;
    }
    return FOI_NOTHING;
}

// From the guess, and where that leads nowhere (y^2 = 2 from y = 0) from some places around it. A
// solution that is not near the guess is not the one that the run has followed so far.
static fo_status search(foi_newton_state *w)
{
    static const double aside[] = {0, 0.01, -0.01, 1, -1, 10, -10};
    size_t tries = w->loop->about->linear ? 1 : sizeof aside / sizeof aside[0];
    fo_status status = FO_ERROR_CONVERGE;
    foi_newton_end first = FOI_NEWTON_STRAYS;
    double misfit = 0;
    for (size_t k = 0; k < tries && status == FO_ERROR_CONVERGE; k++) {
        foi_newton_place(w, aside[k]);
        status = foi_newton_iterate(w);
        if (k == 0) first = w->end, misfit = w->misfit;
        if (k > 0 && status == FO_OK && (w->far = far_away(w)) != FOI_NOTHING) {
            w->end = FOI_NEWTON_ELSEWHERE;
            return FO_ERROR_CONVERGE;
        }
    }
    w->end = first, w->misfit = misfit;
    return status;
}

static foi_newton_state begin(const foi_code *code, const foi_loop_code *loop, foi_run *run,
                              foi_loop_function *evaluate, void *self)
{
    size_t n = loop->count;
    double *at = run->work;
    foi_newton_state w = {.code = code, .loop = loop, .r = run->r, .far = FOI_NOTHING};
    w.evaluate = evaluate, w.self = self;
    w.y = at, w.d = at += n, w.next = at += n, w.size = at += n, w.guess = at += n;
    w.row_scale = at += n, w.column_scale = at += n;
    w.pivot = (uint32_t *)(void *)(at += n);
    w.entries = at += n;
    w.error = at += loop->about->start[n];
    w.reach = at += code->registers;
    w.lu = at + code->registers;
    for (uint32_t i = 0; i < n; i++)
        w.guess[i] = loop->guess[i] == FOI_NOTHING ? 0 : run->guesses[loop->guess[i]];
    return w;
}

// With what the helper found, which is often good enough, and otherwise a good place to start.
static fo_status from_helper(foi_newton_state *w)
{
    const foi_loop_code *loop = w->loop;
    uint32_t where;
    for (uint32_t i = 0; i < loop->count; i++) w->r[loop->unknown[i]] = w->r[loop->from[i]];
    w->evaluate(w->self, w->r);
    if (fits(w)) return FO_OK;
    for (uint32_t i = 0; i < loop->count; i++) w->column_scale[i] = 1;
    if (foi_newton_misfit(w, &where) <= slack / DBL_EPSILON) return FO_OK;
    return foi_newton_iterate(w);
}

fo_status foi_newton(const foi_code *code, const foi_loop_code *loop, foi_run *run,
                     foi_loop_function *evaluate, void *self)
{
    foi_newton_state w = begin(code, loop, run, evaluate, self);
    fo_status status = FO_ERROR_CONVERGE;
    if (loop->about->helps) {
        foi_newton_place(&w, 0);
        status = foi_newton_iterate(&w); // a helper is small: it has no factors on the heap
        run->helped = status == FO_OK ? loop : NULL;
        return status == FO_ERROR_CONVERGE ? FO_OK : status;
    }
    if (loop->helper != FOI_NOTHING && run->helped == &code->loops[loop->helper])
        status = from_helper(&w);
    if (status == FO_ERROR_CONVERGE)
        status = loop->about->first_values ? foi_newton_nearest(&w) : search(&w);
    if (status == FO_ERROR_CONVERGE && run->message) foi_newton_explain(&w, run->message);
    if (status != FO_OK) run->failed = loop->about->unknown[0];
    if (w.large.n) foi_linear_destroy(&w.large);
    return status;
}
