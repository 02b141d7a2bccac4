/// Newton's method for algebraic loops, damped by the natural monotonicity test
/// (P. Deuflhard, Newton Methods for Nonlinear Problems, 2004, chapter 3.3):
///
///     J(y) d = -F(y);   y := y + lambda d,   lambda = 1, 1/2, 1/4, ...  until
///     |d+| <= (1 - lambda/2) |d|   where   J(y) d+ = -F(y + lambda d)
///
/// The norm is relative to the unknowns: nothing here has a scale of its own.
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

#include "program/branch.h"
#include "program/newton.h"

#include "math/math.h"

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
    return factors + entries + (12 + FOI_NEWTON_SIDES) * n + 2 * (size_t)code->registers;
}

// ------------------------------------------------------------------------------------ iteration

// What a step is compared with: its unknown before and after a full step.
static void measure(foi_newton_state *w)
{
    for (uint32_t i = 0; i < w->loop->count; i++)
        w->size[i] = foi_fmax(fabs(w->y[i]), fabs(w->y[i] + w->d[i]));
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

// An unknown that is zero but for the rounding errors of the others never has a step that is short
// beside itself: it is a sine of 1e-17 here, one of -3e-18 there, and would make the way look
// astray. So where no step is good, unknowns below what rounding leaves in the scaled system, D_i n
// eps max_j |y_j / D_j|, are measured with the others, max_j |y_j / D_j|, and it is tried again.
static bool step_above_rounding(foi_newton_state *w, bool *full)
{
    uint32_t n = w->loop->count;
    double most = 0;
    bool any = false;
    if (n == 1) return false;
    for (uint32_t i = 0; i < n; i++) most = foi_fmax(most, w->size[i] / w->column_scale[i]);
    for (uint32_t i = 0; i < n; i++) {
        double rounding = slack * n * most * w->column_scale[i];
        if (!(w->size[i] < rounding)) continue;
        w->size[i] = rounding / DBL_EPSILON, any = true;
    }
    return any && step(w, norm(w, w->d), full);
}

void foi_newton_terms(const foi_newton_state *w, double *sum)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    for (uint32_t i = 0; i < n; i++) sum[i] = 0;
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            sum[about->row[k]] += fabs(w->r[w->loop->entry[k]] * w->r[w->loop->unknown[j]]);
}

// Whether all residuals are below a multiple of sum_j |J_ij| |y_j|. This is part of what rounding
// explains, and cheap: it says yes only where it is right, and often no where terms cancel.
static bool is_below(foi_newton_state *w, double multiple)
{
    uint32_t n = w->loop->count;
    foi_newton_terms(w, w->next);
    for (uint32_t i = 0; i < n; i++) {
        if (!(fabs(w->r[w->loop->residual[i]]) <= multiple * w->next[i])) return false;
        if (!isfinite(w->next[i])) return false; // exp(705) is below that, too
    }
    return true;
}

static bool fits(foi_newton_state *w)
{
    return is_below(w, slack);
}

// The largest residual in units of what rounding explains. What has less than the digits of a
// number (below DBL_MIN) is what underflow leaves of it.
double foi_newton_misfit(foi_newton_state *w, uint32_t *where)
{
    double most = 0;
    *where = 0;
    foi_rounding(w->code, w->loop, w->r, w->column_scale, w->error, w->reach);
    for (uint32_t i = 0; i < w->loop->count; i++) {
        double F = fabs(w->r[w->loop->residual[i]]);
        double misfit = F < DBL_MIN ? 0 : F / (DBL_EPSILON * w->error[w->loop->residual[i]]);
        if (!isfinite(w->error[w->loop->residual[i]])) misfit = INFINITY;
        if (!(misfit <= most)) most = misfit, *where = i;
    }
    return most;
}

// After foi_newton_misfit: whether the last factors are those of a singular matrix and of rounding.
static bool has_singular_factors(foi_newton_state *w)
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
    double rounding = 2 * slack * foi_fmin(n, 8 * sqrt(n)) * most;
    return w->least <= rounding || (w->least < 1e-6 && 1 / foi_newton_inverse_norm(w) <= rounding);
}

// Units that no scaling of the matrix alone can find may make it look so: in units of the solution
// the condition is that of R. D. Skeel (1979), which does not depend on them.
static bool is_singular(foi_newton_state *w)
{
    uint32_t where;
    if (!has_singular_factors(w)) return false;
    if (w->loop->count == 1) return true;
    if (foi_newton_factor_by_size(w) != FO_OK) return true;
    foi_newton_misfit(w, &where);
    return has_singular_factors(w);
}

// Unknowns that are zero but for the rounding errors of larger ones are not found to their own last
// digit: the arithmetic of a step whose right side is F leaves errors of n eps |F| in every
// equation of the scaled system, also in one between such unknowns alone. So where all others hold,
// an equation may be off by that, eps times the rounding errors of the others. (A similar second
// class of equations is in M. Arioli, J. W. Demmel and I. S. Duff, Solving sparse linear systems
// with sparse backward error, 1989.) The others may hold exactly by chance: eps times what rounding
// explains of the largest one counts as much. And so do steps that do not become shorter:
// potentials that only leaks hold go to and fro by what rounding leaves of currents over the leaks,
// and each such step d leaves n eps |d| in every equation. After foi_newton_misfit.
static bool is_stuck(const foi_newton_state *w, double least_step)
{
    const foi_loop_code *l = w->loop;
    double most = least_step;
    for (uint32_t i = 0; i < l->count; i++) {
        double F = fabs(w->r[l->residual[i]]), explained = slack * w->error[l->residual[i]];
        if (F <= explained) most = foi_fmax(most, explained * w->row_scale[i]);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        double F = fabs(w->r[l->residual[i]]), more = slack * foi_fmin(l->count, 64) * most;
        if (!(F * w->row_scale[i] <= slack * w->error[l->residual[i]] * w->row_scale[i] + more))
            return false;
    }
    return true;
}

// The largest unknown of a step, in the units of the factors.
static double scaled(const foi_newton_state *w, const double *d)
{
    double most = 0;
    for (uint32_t i = 0; i < w->loop->count; i++)
        most = foi_fmax(most, fabs(d[i]) / w->column_scale[i]);
    return most;
}

// What a step leaves of an unknown whose solution is zero is the rounding error of that step, so
// that nothing of it is ever right, down to the smallest number. In pairs it is zero, and all
// equations hold then.
static bool is_solved_in_pairs(foi_newton_state *w)
{
    uint32_t where;
    for (uint32_t i = 0; i < w->loop->count; i++) w->y[i] = w->r[w->loop->unknown[i]];
    bool solved = foi_newton_rest(w) == FO_OK && foi_newton_factor(w) == FO_OK &&
                  foi_newton_misfit(w, &where) <= slack / DBL_EPSILON;
    if (!solved) go(w, 0);
    return solved;
}

// Where pairs do not settle either: a part without a voltage has only unknowns that are zero, in
// equations that see each other, or ones of 1e-40 of which pairs do not know enough. Where all that
// are no more than rounding errors of the last step are zero, and the equations hold then, that is
// a solution. After a step.
static bool is_solved_by_zeros(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    uint32_t where, n = l->count;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) w->next[i] = w->r[l->unknown[i]];
    const double most = scaled(w, w->next);
    for (uint32_t i = 0; i < n; i++) {
        double rounding = foi_fmax(fabs(w->y[i]), most * w->column_scale[i]);
        if (w->next[i] == 0 || !(fabs(w->next[i]) <= slack * foi_fmin(n, 64) * rounding)) continue;
        w->r[l->unknown[i]] = 0, any = true;
    }
    if (!any) return false;
    w->evaluate(w->self, w->r);
    if (foi_newton_misfit(w, &where) <= slack / DBL_EPSILON) return true;
    for (uint32_t i = 0; i < n; i++) w->r[l->unknown[i]] = w->next[i];
    w->evaluate(w->self, w->r);
    return false;
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
// The way there has come to an end, measured with the largest value on it; where exp(y) = 0 by
// underflow or tanh(y) = 1 by rounding the last step is as long as the ones before.
static bool rests(const foi_newton_state *w, double last_step, double largest)
{
    return w->loop->count == 1 && !w->loop->about->linear && !w->offset &&
           w->r[w->loop->residual[0]] == 0 && last_step <= 1e-8 * largest;
}

// An equation that does not see its unknowns any more: that it holds says nothing by itself.
static bool is_flat(foi_newton_state *w)
{
    const foi_loop_about *about = w->loop->about;
    uint32_t n = w->loop->count;
    if (about->linear) return false;
    for (uint32_t i = 0; i < n; i++) w->next[i] = 0;
    for (uint32_t k = 0; k < about->start[n]; k++)
        w->next[about->row[k]] += fabs(w->r[w->loop->entry[k]]);
    for (uint32_t i = 0; i < n; i++)
        if (w->next[i] == 0) return true;
    return false;
}

// No step makes the next one shorter, since nothing but rounding is left: two diodes without a
// voltage have currents of 1e-75, which exp(v) - 1 knows nothing of; or what is left of one that is
// zero (the current of a transistor that is off) is never right. Goes back to before the step.
static bool is_as_good_as_can_be(foi_newton_state *w)
{
    uint32_t where;
    go(w, 0);
    if (w->offset || is_flat(w)) return false;
    w->misfit = foi_newton_misfit(w, &where);
    for (uint32_t i = 0; i < w->loop->count; i++) { // exp(x) = 0 is not solved by underflow
        double F = fabs(w->r[w->loop->residual[i]]), error = w->error[w->loop->residual[i]];
        if (F > 0 && F < DBL_MIN && !(F <= slack * error)) return false;
    }
    bool good = w->misfit <= slack / DBL_EPSILON || is_solved_in_pairs(w);
    return good && !is_singular(w);
}

// From the unknowns that are in their registers. FO_ERROR_CONVERGE: w->end says why.
static fo_status iterate(foi_newton_state *w)
{
    bool linear = w->loop->about->linear, full = false;
    uint32_t where, first = w->loop->unknown[0];
    double last_step = 0, largest = fabs(w->r[first]), moved = INFINITY;
    w->evaluate(w->self, w->r);
    for (int damped = 0, fulls = 0, looks = 0; damped < MOST_STEPS && fulls < MOST_FULL;) {
        fo_status status = foi_newton_factor(w);
        w->end = FOI_NEWTON_SINGULAR;
        if (status == FO_ERROR_CONVERGE && rests(w, last_step, largest)) return FO_OK;
        if (last_step > 0 && w->loop->count == 1 && !linear) w->end = FOI_NEWTON_STRAYS;
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
        } else if (!step(w, size, &full) && !step_above_rounding(w, &full)) {
            return is_as_good_as_can_be(w) ? FO_OK : FO_ERROR_CONVERGE;
        }
        damped += !full, fulls += full;
        last_step = fabs(w->r[first] - w->y[0]), largest = foi_fmax(largest, fabs(w->r[first]));
        if (w->offset) {
            if (last) return FO_OK; // a waypoint
            continue;
        }
        if (is_flat(w)) continue; // and has no factors
        if (!last && !linear && !is_below(w, 8 * slack)) continue;
        if (!last) refine(w);
        w->end = FOI_NEWTON_MISFIT;
        if (is_plainly_good(w)) return FO_OK;
        w->misfit = foi_newton_misfit(w, &where);
        if (w->misfit <= slack / DBL_EPSILON || w->loop->about->helps) {
            w->end = FOI_NEWTON_SINGULAR;
            return is_singular(w) ? FO_ERROR_CONVERGE : FO_OK;
        }
        double before = moved;
        moved = scaled(w, w->d);
        double least_step = moved >= before / 2 ? moved : 0;
        bool zeros = ++looks > 3 && is_solved_by_zeros(w); // pairs have been tried then
        if (zeros || (looks >= 3 && (is_solved_in_pairs(w) || is_stuck(w, least_step)))) {
            w->end = FOI_NEWTON_SINGULAR;
            return is_singular(w) ? FO_ERROR_CONVERGE : FO_OK;
        }
        if (looks == MOST_LOOKS) return FO_ERROR_CONVERGE;
    }
    return FO_ERROR_CONVERGE;
}

fo_status foi_newton_iterate(foi_newton_state *w)
{
    fo_status status = iterate(w);
    bool singular = status == FO_ERROR_CONVERGE && w->end == FOI_NEWTON_SINGULAR;
    w->fresh = status == FO_OK;
    return singular && !w->loop->about->helps ? foi_newton_rescue(w) : status;
}

// ---------------------------------------------------------------------------------------- starts

void foi_newton_place(foi_newton_state *w, double aside)
{
    for (uint32_t i = 0; i < w->loop->count; i++) {
        double guess = w->guess[i], size = w->loop->about->size[i];
        w->r[w->loop->unknown[i]] = guess + aside * foi_fmax(fabs(guess), size > 0 ? size : 1);
    }
}

// An unknown that has gone farther from its guess than its own size, or FOI_NOTHING. What comes
// from nothing (the flow through an orifice begins) has no size yet.
static uint32_t far_away(const foi_newton_state *w)
{
    for (uint32_t i = 0; i < w->loop->count; i++) {
        double guess = fabs(w->guess[i]), y = w->r[w->loop->unknown[i]];
        double size = foi_fmax(guess, w->loop->about->size[i]);
        bool from_nothing = w->loop->about->size[i] == 0 && guess <= 1e-8 * fabs(y);
        if (!from_nothing && !(fabs(y - w->guess[i]) <= size)) return i;
    }
    return FOI_NOTHING;
}

// From the guess, and where that leads nowhere (y^2 = 2 from y = 0) from some places around it. A
// solution that is not near the guess is not the one that the run has followed so far.
static fo_status search(foi_newton_state *w, bool brief, bool any)
{
    static const double aside[] = {0, 0.01, -0.01, 1, -1, 10, -10};
    size_t tries = brief || w->loop->about->linear ? 1 : sizeof aside / sizeof aside[0];
    fo_status status = FO_ERROR_CONVERGE;
    foi_newton_end first = FOI_NEWTON_STRAYS;
    double misfit = 0;
    for (size_t k = 0; k < tries && status == FO_ERROR_CONVERGE; k++) {
        foi_newton_place(w, aside[k]);
        status = foi_newton_iterate(w);
        if (k == 0) first = w->end, misfit = w->misfit;
        if (k > 0 && status == FO_OK && !any && (w->far = far_away(w)) != FOI_NOTHING) {
            w->end = FOI_NEWTON_ELSEWHERE;
            return FO_ERROR_CONVERGE;
        }
    }
    w->end = first, w->misfit = misfit;
    return status;
}

foi_newton_state foi_newton_begin(const foi_code *code, const foi_loop_code *loop, foi_run *run,
                                  foi_loop_function *evaluate, void *self)
{
    size_t n = loop->count;
    double *at = run->work;
    foi_newton_state w = {.code = code, .loop = loop, .r = run->r, .far = FOI_NOTHING};
    w.spread = run->spread;
    w.evaluate = evaluate, w.self = self;
    w.y = at, w.d = at += n, w.next = at += n, w.size = at += n, w.guess = at += n;
    w.row_scale = at += n, w.column_scale = at += n, w.low = at += n;
    at += 2 * n; // see newton_fine.c
    w.pivot = (uint32_t *)(void *)(at += n);
    w.columns = (uint64_t *)(void *)(at += n);
    w.sides = at += n;
    w.entries = at += FOI_NEWTON_SIDES * n;
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

static void give_found(const foi_newton_state *w, double *found)
{
    for (uint32_t i = 0; i < w->loop->count; i++)
        if (w->loop->guess[i] != FOI_NOTHING) found[w->loop->guess[i]] = w->r[w->loop->unknown[i]];
}

// A helper is small: it has no factors on the heap. Where the only solution is wanted, its only one
// is that of the whole: what follows from its unknowns does so by divisions by numbers alone.
static fo_status help(foi_newton_state *w, foi_run *run)
{
    fo_status status = run->only ? foi_newton_only(w) : FO_ERROR_CONVERGE;
    run->lone = status == FO_OK ? w->loop : NULL;
    if (status == FO_ERROR_CONVERGE) {
        foi_newton_place(w, 0);
        status = foi_newton_iterate(w);
    }
    run->helped = status == FO_OK ? w->loop : NULL;
    return status == FO_ERROR_CONVERGE ? FO_OK : status;
}

// Whether there is one solution only, so that any that is found is the one.
static bool is_only(const foi_code *code, const foi_loop_code *loop, const foi_run *run)
{
    bool lone = loop->helper != FOI_NOTHING && run->lone == &code->loops[loop->helper];
    if (!run->only || !foi_loop_is_followed(loop)) return run->any;
    return lone || run->only[loop->about->number] != 0;
}

static uint32_t rank_of(const foi_loop_code *loop, const foi_run *run)
{
    return run->rank ? run->rank[loop->about->number] : 0;
}

fo_status foi_newton(const foi_code *code, const foi_loop_code *loop, foi_run *run,
                     foi_loop_function *evaluate, void *self)
{
    foi_newton_state w = foi_newton_begin(code, loop, run, evaluate, self);
    fo_status status = FO_ERROR_CONVERGE;
    if (loop->about->helps) return help(&w, run);
    bool nearest = loop->about->first_values || (run->first && !loop->about->linear);
    bool helped = loop->helper != FOI_NOTHING && run->helped == &code->loops[loop->helper];
    bool any = is_only(code, loop, run);
    if (run->only && !any && foi_loop_is_followed(loop)) {
        status = foi_newton_only(&w);
    } else {
        if (helped && !(nearest && loop->count <= FOI_NEWTON_SMALL)) status = from_helper(&w);
        if (status == FO_ERROR_CONVERGE)
            status = nearest ? foi_newton_farther(&w, rank_of(loop, run), run->reach)
                             : search(&w, run->brief, any);
        w.fresh &= !nearest;
        if (status == FO_ERROR_CONVERGE && any && !nearest && !loop->about->linear)
            status = foi_newton_nearest(&w);
    }
    if (status == FO_OK) status = foi_newton_fine(&w);
    if (status == FO_ERROR_CONVERGE && run->lenient) {
        foi_newton_place(&w, 0);
        evaluate(self, w.r);
        status = FO_OK;
    }
    if (status == FO_ERROR_CONVERGE && run->message) foi_newton_explain(&w, run->message);
    run->numberless = status == FO_ERROR_CONVERGE && w.end == FOI_NEWTON_NUMBERLESS;
    if (status == FO_OK && run->found) give_found(&w, run->found);
    if (status != FO_OK) run->failed = loop->about->unknown[0];
    if (status != FO_OK && run->stopped) *run->stopped = loop->about->number;
    if (w.large.n) foi_linear_destroy(&w.large);
    return status;
}
