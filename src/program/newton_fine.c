/// The unknowns of a loop that is solved, each to its own last digits.
///
/// That every equation holds to rounding does not make every unknown right: behind 1e13 Ohm two
/// resistors have currents whose equations see nothing but the rounding errors of larger ones. So
/// the residuals are computed in pairs (newton_pairs.c), where they are what the unknowns leave of
/// them, and J d = -F(y) says how far each unknown is off: an estimate of the forward error, one by
/// one. Where that is more than the last digits, y := y + d, with y in pairs, and again, until
/// every unknown stays where it is (fixed precision iterative refinement: J. H. Wilkinson 1963; R.
/// D. Skeel 1980). Factors are made anew with columns in units of the solution; where these are not
/// good enough, in pairs.
///
/// Unknowns whose solution is zero: what a step leaves of one is the rounding error of that step,
/// also in pairs. Two nodes of a circuit that nothing drives apart have the same potential, and the
/// current between them is 3e-50 now and -4e-50 a while later; a diode would switch for ever. So an
/// unknown that steps never leave alone and that is lost in the rounding errors of some equation is
/// taken for zero, if all equations hold then. What is small and determined by something small
/// comes to rest, with all its digits.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "program/newton.h"

enum { MOST_TURNS = 24, MOST_PUT_BACK = 8, MOST_PAIRS = 128 };
static const double slack = 8 * DBL_EPSILON;
static const double far = DBL_EPSILON * 0x1p-26;
static const double plain = 0x1p-38;    ///< an unknown that is off by less needs no look
static const double resolved = 0x1p-34; ///< pairs are enough if their rounding does less
static const double good = 0x1p-43;     ///< an unknown that is off by less than this is left alone
static const double settled = 0x1p-60;  ///< one that moves by less has come to rest
static const double nothing = 0x1p-20;  ///< of one that moves by more hardly a digit is known

// ---------------------------------------------------------------------------- factors in pairs

/// L and U of the scaled Jacobian, row by row.
typedef struct factors {
    uint32_t n;
    foi_pair *a;
    uint32_t *pivot;
    void *block;
} factors;

// The power of two at or above a size; 1 for what has none.
static double power_of(double size)
{
    int e;
    if (!(size > 0 && size <= DBL_MAX)) return 1;
    frexp(size, &e);
    return ldexp(1, e < -1000 ? -1000 : e > 1000 ? 1000 : e);
}

// Rows and columns of about 1, to w->row_scale and w->column_scale; columns in units of the
// solution first, where there is one.
static void scale(foi_newton_state *w, factors *f, bool by_size)
{
    uint32_t n = f->n;
    for (uint32_t j = 0; j < n; j++) {
        double size = by_size ? fabs(w->r[w->loop->unknown[j]]) : 0;
        w->row_scale[j] = 1, w->column_scale[j] = power_of(size);
        for (uint32_t i = 0; i < n; i++) {
            f->a[(size_t)i * n + j].hi *= w->column_scale[j];
            f->a[(size_t)i * n + j].lo *= w->column_scale[j];
        }
    }
    for (int turn = 0; turn < 4; turn++)
        for (uint32_t i = 0; i < n; i++) {
            bool rows = turn % 2 == 0;
            if (!rows && by_size) break;
            size_t at = rows ? (size_t)i * n : i, by = rows ? 1 : n;
            double most = 0;
            for (uint32_t k = 0; k < n; k++) most = foi_fmax(most, fabs(f->a[at + k * by].hi));
            double power = 1 / power_of(most);
            for (uint32_t k = 0; k < n; k++)
                f->a[at + k * by].hi *= power, f->a[at + k * by].lo *= power;
            *(rows ? &w->row_scale[i] : &w->column_scale[i]) *= power;
        }
}

// The Jacobian where the unknowns are, by derivatives in pairs.
static bool make_factors(foi_newton_state *w, factors *f, bool by_size)
{
    uint32_t n = f->n = w->loop->count;
    size_t registers = w->code->registers;
    if (!f->block) f->block = foi_new(NULL, (size_t)n * n + 2 * n + registers, sizeof *f->a);
    if (!f->block) return false;
    f->a = f->block;
    foi_pair *column = f->a + (size_t)n * n, *slope = column + n;
    f->pivot = (uint32_t *)(void *)(slope + registers);
    for (uint32_t j = 0; j < n; j++) {
        foi_newton_pairs_slopes(w, w->loop->unknown[j], slope, column);
        for (uint32_t i = 0; i < n; i++) f->a[(size_t)i * n + j] = column[i];
    }
    scale(w, f, by_size);
    return true;
}

static void swap_rows(factors *f, uint32_t k, uint32_t p)
{
    f->pivot[k] = p;
    for (uint32_t j = 0; j < f->n && p != k; j++) {
        foi_pair other = f->a[(size_t)k * f->n + j];
        f->a[(size_t)k * f->n + j] = f->a[(size_t)p * f->n + j];
        f->a[(size_t)p * f->n + j] = other;
    }
}

// to -= f row, from column k on.
static void eliminate(foi_pair *to, const foi_pair *row, foi_pair by, uint32_t k, uint32_t n)
{
    by.hi = -by.hi, by.lo = -by.lo;
    for (uint32_t j = k; j < n; j++)
        if (row[j].hi != 0) to[j] = foi_pair_add(to[j], foi_pair_times(by, row[j]));
}

// False: a pivot is zero, or nothing but what rounding leaves of the entries.
static bool factor_pairs(factors *f)
{
    uint32_t n = f->n;
    foi_pair *most = f->a + (size_t)n * n; // per column, before all
    for (uint32_t j = 0; j < n; j++) {
        most[j].hi = 0;
        for (uint32_t i = 0; i < n; i++)
            most[j].hi = foi_fmax(most[j].hi, fabs(f->a[(size_t)i * n + j].hi));
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t p = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(f->a[(size_t)i * n + k].hi) > fabs(f->a[(size_t)p * n + k].hi)) p = i;
        swap_rows(f, k, p);
        const foi_pair *row = f->a + (size_t)k * n;
        if (!(fabs(row[k].hi) > n * 0x1p-98 * most[k].hi)) return false;
        for (uint32_t i = k + 1; i < n; i++) {
            foi_pair *to = f->a + (size_t)i * n;
            if (to[k].hi == 0) continue;
            to[k] = foi_pair_ratio(to[k], row[k]);
            eliminate(to, row, to[k], k + 1, n);
        }
    }
    return true;
}

// sum - a (hi + lo)
static inline foi_pair less(foi_pair sum, foi_pair a, double hi, double lo)
{
    return a.hi != 0 ? foi_pair_add(sum, foi_pair_times(a, (foi_pair){-hi, -lo})) : sum;
}

// d := -J^-1 d.
static void correct_pairs(const foi_newton_state *w, const factors *f, double *d)
{
    uint32_t n = f->n;
    foi_pair sum;
    for (uint32_t i = 0; i < n; i++) d[i] *= -w->row_scale[i], w->low[n + i] = 0;
    for (uint32_t k = 0; k < n; k++) {
        double other = d[k];
        d[k] = d[f->pivot[k]], d[f->pivot[k]] = other;
    }
    double *lo = w->low + n;
    for (uint32_t i = 0; i < n; i++) {
        sum = (foi_pair){d[i], 0};
        for (uint32_t k = 0; k < i; k++) sum = less(sum, f->a[(size_t)i * n + k], d[k], lo[k]);
        d[i] = sum.hi, lo[i] = sum.lo;
    }
    for (uint32_t i = n; i-- > 0;) {
        sum = (foi_pair){d[i], lo[i]};
        for (uint32_t k = i + 1; k < n; k++) sum = less(sum, f->a[(size_t)i * n + k], d[k], lo[k]);
        sum = foi_pair_ratio(sum, f->a[(size_t)i * n + i]);
        d[i] = sum.hi, lo[i] = sum.lo;
    }
    for (uint32_t i = 0; i < n; i++) d[i] *= w->column_scale[i];
}

// ---------------------------------------------------------------------------------- refinement

// How much of an unknown a step is; not a number counts as all of it.
static double share(double step, double y)
{
    if (step == 0) return 0;
    double size = fabs(step) / fabs(y);
    return size <= 1 ? size : 1;
}

// d := -J^-1 d.
static void correct(foi_newton_state *w, const factors *f, double *d)
{
    if (f)
        correct_pairs(w, f, d);
    else
        foi_newton_correct(w, d);
}

// How many right sides tell what errors of one size and any signs can do: all plus, and the signs
// by each digit of the rows' numbers, so that of two terms that matter no chance cancels both.
static uint32_t sign_count(const foi_newton_state *w)
{
    uint32_t n = w->loop->count, count = 1;
    for (; n > 1u << (count - 1); count++) continue;
    return count;
}

// w->sides := -J^-1 s e for the signs s number `first` on, with e in the registers of the
// residuals.
static void correct_signs(foi_newton_state *w, const factors *f, const double *e, uint32_t first)
{
    const foi_loop_code *l = w->loop;
    double *at = w->sides;
    uint32_t digits = sign_count(w) - 1;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t t = first; t < first + FOI_NEWTON_SIDES; t++)
            *at++ = t > digits                  ? 0
                    : t > 0 && i >> (t - 1) & 1 ? -e[l->residual[i]]
                                                : e[l->residual[i]];
    if (!f) foi_newton_correct_sides(w);
    for (uint32_t t = 0; f && t < FOI_NEWTON_SIDES && first + t <= digits; t++) {
        for (uint32_t i = 0; i < l->count; i++) w->d[i] = w->sides[i * FOI_NEWTON_SIDES + t];
        correct_pairs(w, f, w->d);
        for (uint32_t i = 0; i < l->count; i++) w->sides[i * FOI_NEWTON_SIDES + t] = w->d[i];
    }
}

// How far the unknowns in their registers and w->low are off, to w->d.
static bool look(foi_newton_state *w, const factors *f)
{
    if (!foi_newton_pairs(w, w->low, w->d)) return false;
    correct(w, f, w->d);
    return true;
}

static double most_off(const foi_newton_state *w)
{
    double most = 0;
    for (uint32_t j = 0; j < w->loop->count; j++)
        most = foi_fmax(most, share(w->d[j], w->r[w->loop->unknown[j]]));
    return most;
}

// Whether some equation cannot see unknown j: it is far less than the last places of its terms,
// which are in w->next.
static bool is_lost(const foi_newton_state *w, uint32_t j, double size)
{
    const foi_loop_about *about = w->loop->about;
    for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
        double term = fabs(w->r[w->loop->entry[k]]) * size;
        if (w->r[w->loop->entry[k]] != 0 && term <= far * w->next[about->row[k]]) return true;
    }
    return false;
}

// Adds the terms of an unknown that moves by a step to its equations.
static void add_size(const foi_newton_state *w, uint32_t j, double step, double *sum)
{
    const foi_loop_about *about = w->loop->about;
    double size = foi_fmax(fabs(w->r[w->loop->unknown[j]]), step);
    for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
        sum[about->row[k]] += fabs(w->r[w->loop->entry[k]]) * size;
}

// What never comes to rest may stand in equations only with others of its kind: the currents of a
// part without a voltage see each other. One of them is lost where an equation sees as much of what
// is lost already; `step` has what each moves by. Returns the share by which the others move.
static double lose_more(foi_newton_state *w, const double *step)
{
    const foi_loop_code *l = w->loop;
    const foi_loop_about *about = l->about;
    double *lost = w->next, most = 0;
    bool any = true;
    for (uint32_t i = 0; i < l->count; i++) lost[i] = 0;
    for (uint32_t j = 0; j < l->count; j++)
        if (w->size[j] > nothing) add_size(w, j, step[j], lost);
    while (any) {
        any = false, most = 0;
        for (uint32_t j = 0; j < l->count; j++) {
            double y = fabs(w->r[l->unknown[j]]), part = share(step[j], y);
            if (w->size[j] != 0 || step[j] < DBL_MIN) continue;
            bool goes = false;
            for (uint32_t k = about->start[j]; k < about->start[j + 1] && part > nothing; k++) {
                double term = fabs(w->r[l->entry[k]]) * foi_fmax(y, step[j]);
                goes |= term > 0 && term <= 2 * lost[about->row[k]];
            }
            if (goes) w->size[j] = part, add_size(w, j, step[j], lost), any = true;
            if (!goes) most = foi_fmax(most, part);
        }
    }
    return most;
}

// Steps until all have come to rest but what is lost, which has a size then; the first step is in
// w->d where `looked`. Returns the share of one by which it still moves.
static double refine(foi_newton_state *w, const factors *f, bool looked)
{
    const foi_loop_code *l = w->loop;
    double *last = w->low + 2 * (size_t)l->count;
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        bool stuck = false, summed = false;
        double most = 0;
        if (!(looked && turn == 0) && !look(w, f)) return 1;
        for (uint32_t j = 0; j < l->count; j++) {
            double *y = &w->r[l->unknown[j]], step = fabs(w->d[j]), before = last[j];
            last[j] = step;
            foi_pair next = foi_pair_add((foi_pair){*y, w->low[j]}, (foi_pair){w->d[j], 0});
            if (!isfinite(next.hi)) return 1;
            *y = next.hi, w->low[j] = next.lo, w->size[j] = 0;
            if (step < DBL_MIN || step <= settled * fabs(next.hi)) continue;
            w->size[j] = share(step, next.hi);
            if (!summed) foi_newton_terms(w, w->next), summed = true;
            if (is_lost(w, j, foi_fmax(fabs(next.hi), step))) continue;
            most = foi_fmax(most, w->size[j]), w->size[j] = 0;
            stuck |= turn > 2 && !(step <= before / 2);
        }
        if (most <= settled) return most;
        if (stuck) return most <= plain ? most : lose_more(w, last);
    }
    return 1;
}

// Whether errors of the residuals, e in their registers times eps, can move no unknown by more than
// a share of it: by a bound that costs little and may be too large. Uses w->d.
static bool is_below(foi_newton_state *w, const double *e, double eps, double part)
{
    const foi_loop_code *l = w->loop;
    for (uint32_t i = 0; i < l->count; i++) w->d[i] = e[l->residual[i]];
    foi_newton_bound(w, w->d);
    for (uint32_t j = 0; j < l->count; j++)
        if (!(eps * w->d[j] <= part * fabs(w->r[l->unknown[j]]))) return false;
    return true;
}

// Whether pairs were enough: what their own rounding can do to the unknowns, 2^-103 |J^-1| R where
// R sums up the sizes of all terms, is far less than they are. |J^-1| R goes to w->spread.
static bool is_resolved(foi_newton_state *w, const factors *f)
{
    const foi_loop_code *l = w->loop;
    uint32_t n = l->count, count = sign_count(w);
    double *seed = w->low + n;
    for (uint32_t j = 0; j < n; j++) seed[j] = fabs(w->r[l->unknown[j]]);
    foi_rounding(w->code, l, w->r, seed, w->error, w->reach);
    if (!f && !l->about->order && is_below(w, w->reach, FOI_NEWTON_PAIRED, resolved)) {
        for (uint32_t j = 0; j < n && w->spread; j++) w->spread[l->unknown[j]] = w->d[j];
        return true;
    }
    for (uint32_t j = 0; j < n && w->spread; j++) w->spread[l->unknown[j]] = 0;
    for (uint32_t t = 0; t < count; t++) {
        const double *side = w->sides + t % FOI_NEWTON_SIDES;
        if (t % FOI_NEWTON_SIDES == 0) {
            correct_signs(w, f, w->reach, t);
            foi_newton_terms(w, w->next);
        }
        for (uint32_t j = 0; j < n; j++) {
            double y = fabs(w->r[l->unknown[j]]), off = fabs(side[j * (size_t)FOI_NEWTON_SIDES]);
            double *spread = w->spread ? &w->spread[l->unknown[j]] : NULL;
            if (spread) *spread = foi_fmax(*spread, off);
            off *= FOI_NEWTON_PAIRED;
            if (w->size[j] != 0 || off <= resolved * y) continue;
            if (!(off >= y && is_lost(w, j, y))) return false;
            w->size[j] = 1;
        }
    }
    return true;
}

// After unknowns have come to rest but for a share of one. `rough`: the equations are looked at
// later, and need not say how many digits of an unknown are right.
static bool is_enough(foi_newton_state *w, const factors *f, double moves, bool rough)
{
    if (moves > (rough ? nothing : plain)) return false;
    return is_resolved(w, f) || rough;
}

static void go_to(foi_newton_state *w, const double *y)
{
    for (uint32_t j = 0; j < w->loop->count; j++) w->r[w->loop->unknown[j]] = y[j], w->low[j] = 0;
}

// From w->y with factors in pairs. `rough`: whatever the last step was, the equations decide. What
// is zero may still move by what pairs leave of larger ones (1e-28 V beside 5e4 V) though no
// equation of its own has terms that hide that, and those hold at either value.
static fo_status improve_by_pairs(foi_newton_state *w, factors *f, bool by_size, bool rough)
{
    go_to(w, w->y);
    if (!foi_newton_pairs(w, w->low, w->d)) return FO_ERROR_CONVERGE;
    if (!make_factors(w, f, by_size)) return FO_ERROR_MEMORY;
    bool solved = factor_pairs(f) && (is_enough(w, f, refine(w, f, false), rough) || rough);
    return solved ? FO_OK : FO_ERROR_CONVERGE;
}

// From w->y, with factors in units of the solution, and in pairs where these do not help; before
// them with those that there are, where the first step by these is in w->d.
static fo_status improve(foi_newton_state *w, bool looked, bool rough)
{
    if (looked && is_enough(w, NULL, refine(w, NULL, true), rough)) return FO_OK;
    if (looked) go_to(w, w->y), w->evaluate(w->self, w->r);
    fo_status status = foi_newton_factor_by_size(w);
    go_to(w, w->y);
    if (status == FO_ERROR_MEMORY) return status;
    if (status == FO_OK && is_enough(w, NULL, refine(w, NULL, false), rough)) return FO_OK;
    if (w->loop->count > MOST_PAIRS) return FO_ERROR_CONVERGE;
    factors f = {0};
    status = improve_by_pairs(w, &f, true, rough);
    // in units of what is noise a pivot may be nothing
    if (rough && status == FO_ERROR_CONVERGE) status = improve_by_pairs(w, &f, false, rough);
    foi_free(NULL, f.block);
    return status;
}

// Adds what a last place of register `from` does to the unknowns, in units of eps, to `sum`.
static void add_doubt(foi_newton_state *w, const factors *f, uint32_t from, double *sum)
{
    uint32_t n = w->loop->count;
    foi_pair *column = f->a + (size_t)n * n, *slope = column + n;
    foi_newton_pairs_slopes(w, from, slope, column);
    for (uint32_t i = 0; i < n; i++) w->d[i] = column[i].hi * w->r[from];
    correct_pairs(w, f, w->d);
    for (uint32_t j = 0; j < n; j++) sum[j] += fabs(w->d[j]);
}

static bool is_first(const foi_newton_state *w, const foi_instruction *at, uint32_t k)
{
    const foi_instruction *x = w->code->list + w->loop->begin;
    for (; x <= at; x++)
        for (uint32_t m = 0; m < foi_op_arity((foi_op)x->op); m++) {
            if (x == at && m == k) return true;
            if (foi_operand_of(x, m) == foi_operand_of(at, k)) return false;
        }
    return true;
}

// Whether what was rounded before the loop leaves most digits of every unknown that is not lost:
// where each number from outside may be off by a last place, no unknown is by much of itself. Where
// all of them are zero nothing shows that; it is asked of unknowns that are not.
static bool is_beyond_doubt(foi_newton_state *w, const factors *f)
{
    const foi_loop_code *l = w->loop;
    double *sum = w->y;
    bool none = true;
    for (uint32_t j = 0; j < l->count; j++) none &= w->r[l->unknown[j]] == 0, sum[j] = 0;
    for (uint32_t j = 0; j < l->count && none; j++) w->r[l->unknown[j]] = w->column_scale[j];
    if (!foi_newton_pairs(w, w->low, w->d)) return false;
    for (uint32_t i = l->begin; i < l->end; i++) {
        const foi_instruction *x = &w->code->list[i];
        for (uint32_t k = 0; k < foi_op_arity((foi_op)x->op); k++)
            if (foi_newton_is_rounded(w, x, k) && is_first(w, x, k))
                add_doubt(w, f, foi_operand_of(x, k), sum);
    }
    bool beyond = true;
    foi_newton_terms(w, w->next);
    for (uint32_t j = 0; j < l->count; j++) {
        double y = fabs(w->r[l->unknown[j]]);
        beyond &= DBL_EPSILON * sum[j] <= 0x1p-20 * y || is_lost(w, j, y);
    }
    for (uint32_t j = 0; j < l->count && none; j++) w->r[l->unknown[j]] = 0;
    return beyond;
}

fo_status foi_newton_rescue(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    factors f = {0};
    if (l->count > MOST_PAIRS || w->offset) return FO_ERROR_CONVERGE;
    for (uint32_t j = 0; j < l->count; j++)
        if (!isfinite(w->y[j] = w->r[l->unknown[j]])) w->y[j] = w->guess[j];
    w->end = FOI_NEWTON_SINGULAR;
    fo_status status = improve_by_pairs(w, &f, false, false);
    for (uint32_t j = 0; j < l->count && status == FO_OK; j++) w->y[j] = w->r[l->unknown[j]];
    if (status == FO_OK) status = improve_by_pairs(w, &f, true, false);
    if (status == FO_OK && !is_beyond_doubt(w, &f)) status = FO_ERROR_CONVERGE;
    foi_free(NULL, f.block);
    if (status == FO_OK) w->evaluate(w->self, w->r);
    return status;
}

// --------------------------------------------------------------------------------------- zeros

// Puts back what is in equations that do not hold. False: all of them do.
static bool put_back(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    const foi_loop_about *about = l->about;
    bool any = false;
    for (uint32_t i = 0; i < l->count; i++) w->size[i] = 1;
    foi_rounding(w->code, l, w->r, w->size, w->error, w->reach);
    for (uint32_t j = 0; j < l->count; j++) {
        if (w->r[l->unknown[j]] == w->next[j]) continue;
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
            uint32_t F = l->residual[about->row[k]];
            if (fabs(w->r[F]) <= slack * w->error[F] || w->r[l->entry[k]] == 0) continue;
            w->r[l->unknown[j]] = w->next[j], any = true;
            break;
        }
    }
    return any;
}

// One of the unknowns of which nothing is known may have stood still in the last step by chance. It
// is known to be one of them by an equation in which they are as large as it is.
static bool spread(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    const foi_loop_about *about = l->about;
    double *most = w->low + l->count;     // per equation, of those of which nothing is known
    const double *last = most + l->count; // steps
    bool any = false;
    for (uint32_t i = 0; i < l->count; i++) most[i] = 0;
    for (uint32_t j = 0; j < l->count; j++) {
        double size = foi_fmax(fabs(w->r[l->unknown[j]]), last[j]);
        if (!(w->size[j] > nothing)) continue;
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            most[about->row[k]] = foi_fmax(most[about->row[k]], fabs(w->r[l->entry[k]]) * size);
    }
    for (uint32_t j = 0; j < l->count; j++) {
        double y = fabs(w->r[l->unknown[j]]);
        if (y == 0 || w->size[j] > nothing || !is_lost(w, j, y)) continue;
        for (uint32_t k = about->start[j]; k < about->start[j + 1] && w->size[j] != 1; k++) {
            double term = fabs(w->r[l->entry[k]]) * y;
            if (term > 0 && 2 * most[about->row[k]] >= term) w->size[j] = 1, any = true;
        }
    }
    return any;
}

static void put_zeros(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    bool any = false;
    for (uint32_t j = 0; j < l->count; j++) any |= w->size[j] > nothing;
    if (!any) {
        w->evaluate(w->self, w->r);
        return;
    }
    foi_newton_terms(w, w->next);
    for (uint32_t turn = 0; turn < l->count && spread(w); turn++) continue;
    for (uint32_t j = 0; j < l->count; j++) w->next[j] = w->r[l->unknown[j]];
    for (uint32_t j = 0; j < l->count; j++)
        if (w->size[j] > nothing) w->r[l->unknown[j]] = 0;
    for (int turn = 0; turn < MOST_PUT_BACK; turn++) {
        w->evaluate(w->self, w->r);
        if (!put_back(w)) return;
    }
    for (uint32_t j = 0; j < l->count; j++) w->r[l->unknown[j]] = w->next[j];
    w->evaluate(w->self, w->r);
}

// Whether what rounding can have done to the unknowns, |J^-1| eps E with the errors eps E of the
// residuals (rounding.c), is nothing that matters.
static bool is_plainly_fine(foi_newton_state *w)
{
    foi_rounding(w->code, w->loop, w->r, w->column_scale, w->error, w->reach);
    return is_below(w, w->error, DBL_EPSILON, plain);
}

// The same as a share of each of them, to w->size: more than J^-1 s E for any signs s, of which
// some are taken.
static void find_shares(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    correct_signs(w, NULL, w->error, 0);
    const double *at = w->sides;
    for (uint32_t j = 0; j < l->count; j++) {
        double off = 0;
        for (uint32_t t = 0; t < FOI_NEWTON_SIDES; t++, at++)
            off = foi_fmax(off, isfinite(*at) ? fabs(*at) : INFINITY);
        w->size[j] = share(DBL_EPSILON * off, w->r[l->unknown[j]]);
    }
}

// Whether unknown j is a fair part of some equation, whose terms are in w->next.
static bool matters(const foi_newton_state *w, uint32_t j)
{
    const foi_loop_about *about = w->loop->about;
    for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
        double term = fabs(w->r[w->loop->entry[k]] * w->r[w->loop->unknown[j]]);
        if (term > 0 && term >= 0x1p-20 * w->next[about->row[k]]) return true;
    }
    return false;
}

// Whether rounding leaves nothing of an unknown that matters: then J, which is rounded too, may
// have been made regular by that, unless in the units of its columns what rounding can do to it is
// far from enough. After is_plainly_fine.
static bool is_undetermined(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    bool any = false, far_off = true;
    for (uint32_t i = 0; i < l->count; i++) w->d[i] = w->reach[l->residual[i]];
    foi_newton_bound(w, w->d);
    for (uint32_t j = 0; j < l->count; j++)
        far_off &= 4 * slack * l->count * w->d[j] <= w->column_scale[j];
    if (far_off) return false;
    find_shares(w);
    foi_newton_terms(w, w->next);
    for (uint32_t j = 0; j < l->count; j++) any |= w->size[j] >= 0.0625 && matters(w, j);
    return any;
}

// Whether the rounding of pairs can move an unknown by as much as the largest one, in units of the
// columns.
static bool is_loose(foi_newton_state *w, const factors *f)
{
    const foi_loop_code *l = w->loop;
    uint32_t n = l->count;
    double most = 0;
    for (uint32_t j = 0; j < n; j++) {
        w->size[j] = fabs(w->r[l->unknown[j]]);
        most = foi_fmax(most, w->size[j] / w->column_scale[j]);
    }
    foi_rounding(w->code, l, w->r, w->size, w->error, w->reach);
    for (uint32_t i = 0; i < n; i++) w->d[i] = w->reach[l->residual[i]];
    correct_pairs(w, f, w->d);
    for (uint32_t j = 0; j < n; j++)
        if (!(0x1p-103 * fabs(w->d[j]) / w->column_scale[j] <= most)) return true;
    return false;
}

// Whether nothing is left of a pivot in pairs either, or of the unknowns.
static bool is_singular_in_pairs(foi_newton_state *w, fo_status *status)
{
    factors f = {0};
    for (uint32_t j = 0; j < w->loop->count; j++) w->low[j] = 0;
    if (!foi_newton_pairs(w, w->low, w->d)) return false;
    if (!make_factors(w, &f, false)) {
        *status = FO_ERROR_MEMORY;
        return true;
    }
    bool singular = !factor_pairs(&f) || is_loose(w, &f);
    foi_free(NULL, f.block);
    if (!singular) (void)foi_newton_factor(w); // the scales are those of pairs now
    return singular;
}

static fo_status settle(foi_newton_state *w, bool looked, bool rough)
{
    fo_status status = improve(w, looked, rough);
    if (status == FO_OK) put_zeros(w);
    return status;
}

fo_status foi_newton_settle(foi_newton_state *w)
{
    return settle(w, false, false);
}

fo_status foi_newton_rest(foi_newton_state *w)
{
    return settle(w, false, true);
}

// By how much each unknown may be off, in units of eps, to whoever wants to know: a last place, and
// what `more` says, in these units.
static void tell(foi_newton_state *w, const double *more, double unit)
{
    const foi_loop_code *l = w->loop;
    for (uint32_t j = 0; j < l->count && w->spread; j++)
        w->spread[l->unknown[j]] = fabs(w->r[l->unknown[j]]) + (more ? unit * fabs(more[j]) : 0);
}

// The same after pairs, whose own rounding is in w->spread. What was put back to where doubles had
// it, since an equation needs it, is off by all of itself.
static void tell_pairs(const foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    const double unit = FOI_NEWTON_PAIRED / DBL_EPSILON;
    for (uint32_t j = 0; j < l->count && w->spread; j++) {
        double *spread = &w->spread[l->unknown[j]];
        *spread = fabs(w->r[l->unknown[j]]) + unit * *spread;
    }
}

// The same where nothing could be done about it.
static void tell_shares(foi_newton_state *w)
{
    if (!w->spread) return;
    if (foi_newton_factor(w) != FO_OK) return;
    foi_rounding(w->code, w->loop, w->r, w->column_scale, w->error, w->reach);
    find_shares(w);
    for (uint32_t j = 0; j < w->loop->count; j++) w->d[j] = w->size[j] * w->r[w->loop->unknown[j]];
    tell(w, w->d, 1 / DBL_EPSILON);
}

// Where the unknowns are beyond what a look said. FO_ERROR_CONVERGE: they stay what they were.
static fo_status settle_or_stay(foi_newton_state *w)
{
    fo_status status = settle(w, true, false);
    if (status == FO_OK) tell_pairs(w);
    if (status != FO_ERROR_CONVERGE) return status;
    go_to(w, w->y);
    w->evaluate(w->self, w->r);
    tell_shares(w);
    return FO_OK;
}

fo_status foi_newton_fine(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    fo_status status = FO_OK;
    bool large = l->about->order; // there pairs cost less than all these
    tell(w, NULL, 0);
    if (!w->fresh && foi_newton_factor(w) != FO_OK) return FO_OK; // one that rests on a kink
    if (!large && is_plainly_fine(w)) {
        tell(w, w->d, 1);
        return FO_OK;
    }
    if (!large && l->about->linear && is_undetermined(w) && is_singular_in_pairs(w, &status)) {
        w->end = FOI_NEWTON_SINGULAR;
        return status == FO_OK ? FO_ERROR_CONVERGE : status;
    }
    for (uint32_t j = 0; j < l->count; j++) w->low[j] = 0, w->y[j] = w->r[l->unknown[j]];
    if (!look(w, NULL)) {
        tell_shares(w);
        return FO_OK;
    }
    if (most_off(w) > good) return settle_or_stay(w);
    tell(w, w->d, 1 / DBL_EPSILON);
    return FO_OK;
}
