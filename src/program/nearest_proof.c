/// The nearest of all solutions of a small loop, by exclusion of the places where there is none:
/// branch and bound in interval arithmetic (E. Hansen, Global Optimization Using Interval Analysis,
/// 1992, chapter 9; A. Neumaier, Interval Methods for Systems of Equations, 1990, chapter 5).
///
/// All solutions that are nearer than a known one lie in the box |z_j - z0_j| <= s_j distance. Of
/// the boxes that are left the one with the least distance is looked at:
///
///   - an equation has no zero in it: it is dropped;
///   - K = m - C F(m) + (I - C J(B)) (B - m), Krawczyk's operator, holds all solutions in B. If K
///     does not meet B it is dropped; if K lies inside of B there is one solution, and Newton's
///     method finds it; if K cuts B, what remains is looked at again;
///   - otherwise it is halved across its longest side, down to where Newton's method has to decide.
///
/// So if no box is left the nearest solution is proved to be that, up to solutions at which the
/// Jacobian is singular, and those that Newton's method did not reach. The number of boxes grows
/// exponentially with the number of unknowns: at most SMALL of them, and MOST_BOXES boxes.
///
/// The same shows that a loop has one solution only, wherever it is: all of space is the first box
/// then, no box may be left that is neither excluded nor known to have one solution, and just one
/// of them has. Where the equations choose (noEvent) a box is looked at once for each outcome: a
/// piece has slopes, and no solution where its conditions do not hold.
///
/// And it gives all solutions up to some distance, by their distance: where another loop follows
/// from this one, the nearest of both together need not be the nearest of the first (first.c).
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "math/math.h"
#include "program/branch.h"
#include "program/newton.h"

enum {
    SMALL = FOI_NEWTON_SMALL,
    MOST_BOXES = 16000,  ///< at a time
    MOST_LOOKS = 64000,  ///< at boxes
    MOST_WORK = 1 << 25, ///< instructions of these looks
    FEW_LOOKS = 256,     ///< where there are functions without bounds
    MOST_OUTCOMES = 32,
    MOST_KEPT = 32,
};

typedef struct box {
    double lo[SMALL], hi[SMALL];
    double distance;         ///< of its nearest point
    uint32_t decided, truth; ///< by bits: comparisons of which one outcome is looked at, and which
} box;

/// Solutions by their distance from the start values.
typedef struct solutions {
    double z[MOST_KEPT][SMALL], distance[MOST_KEPT];
    uint32_t count;
} solutions;

typedef struct exclusion {
    foi_newton_state *w;
    uint32_t n;
    const double *s;
    bool counts[SMALL]; ///< per unknown: it has a say in the distance
    double *best, *distance;
    solutions *all; ///< where all of them go; NULL: only the nearest is wanted
    foi_enclosed *r;
    box *heap;
    size_t count, room;
    bool failed;           ///< no memory for it
    bool everywhere;       ///< boxes have any size
    foi_instruction *list; ///< the loop with what is decided put in; NULL: as it is
    uint32_t outcome[MOST_OUTCOMES], outcomes; ///< comparisons of it
    bool unsure;               ///< something that is decided may be otherwise in the box
    uint32_t open;             ///< a comparison that is not decided in the box, or FOI_NOTHING
    double J[SMALL][SMALL][2]; ///< ranges over a box
    double C[SMALL][SMALL];    ///< about the inverse in its middle
    double F[SMALL];           ///< in its middle
    double off[SMALL];         ///< how far F may be from that
} exclusion;

// ------------------------------------------------------------------------------------------ boxes

static double distance_of(const exclusion *x, const box *b)
{
    double sum = 0;
    for (uint32_t j = 0; j < x->n; j++) {
        double z = x->w->guess[j], out = foi_most(0, foi_most(b->lo[j] - z, z - b->hi[j]));
        if (x->counts[j]) sum += out / x->s[j] * (out / x->s[j]);
    }
    return sqrt(sum);
}

static bool push(exclusion *x, box b)
{
    b.distance = distance_of(x, &b);
    if (b.distance >= *x->distance) return true;
    if (x->count == MOST_BOXES) return false;
    x->failed |= !foi_array_room(NULL, &x->heap, &x->room, x->count + 1, sizeof *x->heap);
    if (x->failed) return false;
    size_t i = x->count++;
    for (; i > 0 && x->heap[(i - 1) / 2].distance > b.distance; i = (i - 1) / 2)
        x->heap[i] = x->heap[(i - 1) / 2];
    x->heap[i] = b;
    return true;
}

static box pop(exclusion *x)
{
    box first = x->heap[0], last = x->heap[--x->count];
    size_t i = 0;
    for (size_t k; (k = 2 * i + 1) < x->count; i = k) {
        if (k + 1 < x->count && x->heap[k + 1].distance < x->heap[k].distance) k++;
        if (x->heap[k].distance >= last.distance) break;
        x->heap[i] = x->heap[k];
    }
    x->heap[i] = last;
    return first;
}

// Where a side is halved: where it goes over many sizes of its unknown, by the sizes.
static double middle_of(const exclusion *x, const box *b, uint32_t j)
{
    double lo = b->lo[j], hi = b->hi[j], large = foi_most(fabs(lo), fabs(hi));
    double small = lo < 0 && hi > 0 ? x->s[j] : foi_least(fabs(lo), fabs(hi));
    double m = sqrt(foi_most(small, DBL_MIN)) * sqrt(large);
    if (!x->everywhere || !(large > 16 * small)) return 0.5 * lo + 0.5 * hi;
    return hi == large ? m : -m;
}

// Halves it across its longest side.
static bool split(exclusion *x, const box *b)
{
    uint32_t k = 0;
    for (uint32_t j = 1; j < x->n; j++)
        if ((b->hi[j] - b->lo[j]) / x->s[j] > (b->hi[k] - b->lo[k]) / x->s[k]) k = j;
    box one = *b, other = *b;
    one.hi[k] = other.lo[k] = middle_of(x, b, k);
    return push(x, one) && push(x, other);
}

// ------------------------------------------------------------------------------------- enclosures

// False: something is not bounded.
static bool enclose(exclusion *x, const double *lo, const double *hi)
{
    const foi_loop_code *l = x->w->loop;
    for (uint32_t j = 0; j < x->n; j++) {
        foi_interval range = {lo[j], hi[j]};
        x->r[l->unknown[j]] = (foi_enclosed){.range = range, .mid = range};
    }
    foi_code part = {.list = x->w->code->list + l->begin, .count = l->end - l->begin};
    if (x->list) part.list = x->list;
    foi_code_enclose(&part, x->r, 0, NULL);
    for (uint32_t i = 0; i < x->n; i++)
        if (x->r[l->residual[i]].nature & ~(uint32_t)FO_MAY_JUMP ||
            !foi_i_is_finite(x->r[l->residual[i]].range))
            return false;
    return true;
}

// ---------------------------------------------------------------------------------------- outcomes

static bool is_comparison(uint32_t op)
{
    return op == FOI_G_LESS || op == FOI_G_LESS_EQUAL || op == FOI_G_GREATER ||
           op == FOI_G_GREATER_EQUAL;
}

static const foi_instruction *comparison(const exclusion *x, uint32_t k)
{
    return &x->w->code->list[x->w->loop->begin + x->outcome[k]];
}

static void find_outcomes(exclusion *x)
{
    const foi_loop_code *l = x->w->loop;
    for (uint32_t i = 0; i < l->end - l->begin && x->outcomes < MOST_OUTCOMES; i++)
        if (is_comparison(x->w->code->list[l->begin + i].op)) x->outcome[x->outcomes++] = i;
}

// What is decided is a comparison of the register after all others with itself.
static void decide(exclusion *x, const box *b)
{
    uint32_t none = x->w->code->registers;
    for (uint32_t k = 0; k < x->outcomes; k++) {
        foi_instruction *at = &x->list[x->outcome[k]];
        *at = *comparison(x, k);
        if (!(b->decided >> k & 1)) continue;
        at->op = b->truth >> k & 1 ? FOI_G_LESS_EQUAL : FOI_G_LESS, at->a = at->b = none;
    }
}

// Whether a comparison can be true in what was enclosed, and whether false.
static void possible(const exclusion *x, uint32_t k, bool can[2])
{
    const foi_instruction *at = comparison(x, k);
    bool greater = at->op == FOI_G_GREATER || at->op == FOI_G_GREATER_EQUAL;
    bool equal = at->op == FOI_G_LESS_EQUAL || at->op == FOI_G_GREATER_EQUAL;
    const foi_enclosed *less = &x->r[greater ? at->b : at->a];
    const foi_enclosed *more = &x->r[greater ? at->a : at->b];
    double gap = more->range.hi - less->range.lo, least = more->range.lo - less->range.hi;
    can[1] = can[0] = (less->nature | more->nature) & ~(uint32_t)FO_MAY_JUMP;
    can[1] |= equal ? !(gap < 0) : !(gap <= 0);
    can[0] |= equal ? !(least >= 0) : !(least > 0);
}

// False: what is decided cannot be in this box.
static bool look_at_outcomes(exclusion *x, const box *b)
{
    x->unsure = false, x->open = FOI_NOTHING;
    for (uint32_t k = 0; k < x->outcomes; k++) {
        bool can[2], truth = b->truth >> k & 1;
        possible(x, k, can);
        if (b->decided >> k & 1) {
            if (!can[truth]) return false;
            x->unsure |= can[!truth];
        } else if (can[0] && can[1] && x->open == FOI_NOTHING) {
            x->open = k;
        }
    }
    return true;
}

static bool split_outcome(exclusion *x, const box *b)
{
    box one = *b, other = *b;
    one.decided = other.decided |= UINT32_C(1) << x->open;
    one.truth |= UINT32_C(1) << x->open;
    return push(x, one) && push(x, other);
}

// ------------------------------------------------------------------------------------------ slopes

static bool has_zero(const exclusion *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (!foi_i_has_zero(x->r[x->w->loop->residual[i]].range)) return false;
    return true;
}

// The Jacobian's bounds go to x->J. False: they are none.
static bool take_slopes(exclusion *x)
{
    const foi_loop_code *l = x->w->loop;
    const foi_loop_about *about = l->about;
    memset(x->J, 0, sizeof x->J);
    for (uint32_t j = 0; j < x->n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
            const foi_enclosed *e = &x->r[l->entry[k]];
            if (e->nature & ~(uint32_t)FO_MAY_JUMP || !foi_i_is_finite(e->range)) return false;
            x->J[about->row[k]][j][0] = e->range.lo, x->J[about->row[k]][j][1] = e->range.hi;
        }
    for (uint32_t i = 0; i < x->n; i++) // slopes say something of what is continuous only
        if (x->r[l->residual[i]].nature) return false;
    return true;
}

static void take_values(exclusion *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        foi_interval F = x->r[x->w->loop->residual[i]].range;
        x->F[i] = 0.5 * F.lo + 0.5 * F.hi, x->off[i] = foi_most(F.hi - x->F[i], x->F[i] - F.lo);
    }
}

// C = M^-1 by Gauss and Jordan, with M the middle of J.
static bool invert(exclusion *x)
{
    double M[SMALL][SMALL];
    uint32_t n = x->n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            M[i][j] = 0.5 * x->J[i][j][0] + 0.5 * x->J[i][j][1], x->C[i][j] = i == j;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t q = k;
        for (uint32_t i = k + 1; i < n; i++)
            if (fabs(M[i][k]) > fabs(M[q][k])) q = i;
        double pivot = M[q][k];
        if (!(fabs(pivot) > 0 && fabs(pivot) <= DBL_MAX)) return false;
        for (uint32_t j = 0; j < n; j++) {
            double m = M[q][j], c = x->C[q][j];
            M[q][j] = M[k][j], x->C[q][j] = x->C[k][j], M[k][j] = m / pivot, x->C[k][j] = c / pivot;
        }
        for (uint32_t i = 0; i < n; i++) {
            double f = i == k ? 0 : M[i][k];
            for (uint32_t j = 0; j < n; j++) M[i][j] -= f * M[k][j], x->C[i][j] -= f * x->C[k][j];
        }
    }
    return true;
}

/// What Krawczyk's operator says.
typedef enum verdict { NOTHING, ONE, LESS, MAYBE } verdict;

// Cuts the box to what is in K; `at` is where its solution is likely to be.
static verdict cut(exclusion *x, box *b, double *at)
{
    const double slack = 64 * DBL_EPSILON;
    bool inside = true, less = false;
    box before = *b;
    for (uint32_t i = 0; i < x->n; i++) {
        double m = 0.5 * before.lo[i] + 0.5 * before.hi[i], by = 0, radius = 0;
        for (uint32_t j = 0; j < x->n; j++) {
            double half = 0.5 * (before.hi[j] - before.lo[j]) * (1 + slack);
            double middle = i == j ? 1 : 0, spread = 0, terms = 1;
            for (uint32_t k = 0; k < x->n; k++) {
                double Jm = 0.5 * x->J[k][j][0] + 0.5 * x->J[k][j][1], c = x->C[i][k];
                middle -= c * Jm, terms += fabs(c * Jm);
                spread += fabs(c) * foi_most(x->J[k][j][1] - Jm, Jm - x->J[k][j][0]);
            }
            by -= x->C[i][j] * x->F[j];
            radius += fabs(x->C[i][j]) * (x->off[j] + slack * fabs(x->F[j]));
            radius += (fabs(middle) + spread + slack * terms) * half;
        }
        radius += slack * (fabs(m) + fabs(by));
        at[i] = m + by;
        if (!(radius <= DBL_MAX)) return MAYBE;
        if (at[i] + radius < b->lo[i] || at[i] - radius > b->hi[i]) return NOTHING;
        inside &= at[i] - radius > b->lo[i] && at[i] + radius < b->hi[i];
        b->lo[i] = foi_most(b->lo[i], at[i] - radius);
        b->hi[i] = foi_least(b->hi[i], at[i] + radius);
        less |= b->hi[i] - b->lo[i] < 0.7 * (before.hi[i] - before.lo[i]);
    }
    return inside ? ONE : less ? LESS : MAYBE;
}

static verdict look(exclusion *x, box *b, double *at)
{
    double m[SMALL];
    for (uint32_t j = 0; j < x->n; j++) at[j] = m[j] = 0.5 * b->lo[j] + 0.5 * b->hi[j];
    bool bounded = enclose(x, b->lo, b->hi);
    if (x->list && !look_at_outcomes(x, b)) return NOTHING;
    if (!bounded) return MAYBE;
    if (!has_zero(x)) return NOTHING;
    if (!take_slopes(x) || !enclose(x, m, m)) return MAYBE;
    take_values(x);
    return invert(x) ? cut(x, b, at) : MAYBE;
}

// --------------------------------------------------------------------------------------- solutions

// Keeps it among all, in their order, if it is not there yet.
static void keep(exclusion *x, const double *z, double distance)
{
    solutions *all = x->all;
    uint32_t at = all->count;
    for (uint32_t k = 0; k < all->count; k++) {
        bool same = true;
        for (uint32_t j = 0; j < x->n; j++)
            same &= fabs(all->z[k][j] - z[j]) <= 0x1p-26 * (x->s[j] + fabs(z[j]));
        if (same) return;
    }
    while (at > 0 && all->distance[at - 1] > distance) at--;
    if (at == MOST_KEPT) return;
    if (all->count < MOST_KEPT) all->count++;
    for (uint32_t k = all->count - 1; k > at; k--) {
        memcpy(all->z[k], all->z[k - 1], sizeof all->z[k]);
        all->distance[k] = all->distance[k - 1];
    }
    memcpy(all->z[at], z, x->n * sizeof *z);
    all->distance[at] = distance;
}

static void record(exclusion *x)
{
    const foi_newton_state *w = x->w;
    double sum = 0, z[SMALL];
    for (uint32_t j = 0; j < x->n; j++) {
        z[j] = w->r[w->loop->unknown[j]];
        double u = (z[j] - w->guess[j]) / x->s[j];
        if (x->counts[j]) sum += u * u;
    }
    if (!(sqrt(sum) < *x->distance)) return;
    if (x->all) {
        keep(x, z, sqrt(sum));
        return;
    }
    *x->distance = sqrt(sum);
    memcpy(x->best, z, x->n * sizeof *z);
}

static fo_status find(exclusion *x, const double *at)
{
    foi_newton_state *w = x->w;
    for (uint32_t j = 0; j < x->n; j++) w->r[w->loop->unknown[j]] = at[j];
    fo_status status = foi_newton_iterate(w);
    if (status == FO_OK) record(x);
    return status == FO_ERROR_MEMORY ? status : FO_OK;
}

static bool is_small(const exclusion *x, const box *b)
{
    for (uint32_t j = 0; j < x->n; j++)
        if (b->hi[j] - b->lo[j] > 0x1p-26 * (x->s[j] + fabs(b->lo[j]))) return false;
    return true;
}

// Does a function that stays one, or code of others, compute something of it? It has no bounds.
static bool has_unbounded(const exclusion *x)
{
    const foi_loop_code *l = x->w->loop;
    for (uint32_t i = l->begin; i < l->end; i++)
        if (x->w->code->list[i].op == FOI_G_OUTSIDE) return true;
    return false;
}

// So many boxes of a loop are looked at; of one with a long function in it fewer, and few of one in
// which hardly any can be dropped.
static uint32_t most_looks(const exclusion *x)
{
    uint32_t few = MOST_LOOKS / 16 + MOST_WORK / (x->w->loop->end - x->w->loop->begin + 1);
    if (has_unbounded(x)) few = FEW_LOOKS;
    return few < MOST_LOOKS ? few : MOST_LOOKS;
}

static fo_status too_many(const exclusion *x)
{
    return x->failed ? FO_ERROR_MEMORY : FO_RETRY;
}

// FO_RETRY: there are too many boxes.
static fo_status exclude(exclusion *x)
{
    fo_status status = FO_OK;
    uint32_t most = most_looks(x);
    for (uint32_t looks = 0; x->count && status == FO_OK; looks++) {
        if (looks == most) return FO_RETRY;
        box b = pop(x);
        double at[SMALL];
        if (b.distance >= *x->distance) return FO_OK; // and so are all others
        if (x->list) decide(x, &b);
        verdict v = look(x, &b, at);
        if (v == NOTHING) continue;
        if ((v == ONE && !x->unsure) || is_small(x, &b)) {
            status = find(x, at);
            continue;
        }
        bool open = v == MAYBE && x->list && x->open != FOI_NOTHING;
        bool room = open ? split_outcome(x, &b) : v == MAYBE ? split(x, &b) : push(x, b);
        if (!room) return too_many(x);
    }
    return status;
}

// ------------------------------------------------------------------------------ the only solution

// A box that cannot be halved much further.
static bool is_point(const exclusion *x, const box *b)
{
    for (uint32_t j = 0; j < x->n; j++)
        if (b->hi[j] - b->lo[j] > 8 * DBL_EPSILON * foi_most(fabs(b->lo[j]), fabs(b->hi[j])))
            return false;
    return true;
}

// The solution of a box that has one.
static fo_status take(exclusion *x, const double *at)
{
    foi_newton_state *w = x->w;
    for (uint32_t j = 0; j < x->n; j++) w->r[w->loop->unknown[j]] = at[j];
    fo_status status = foi_newton_iterate(w);
    for (uint32_t j = 0; j < x->n && x->best && status == FO_OK; j++)
        x->best[j] = w->r[w->loop->unknown[j]];
    return status;
}

// FO_ERROR_CONVERGE: there is another one, or none, or it is not known.
static fo_status count_solutions(exclusion *x)
{
    bool found = false;
    for (uint32_t looks = 0; x->count; looks++) {
        if (looks == MOST_LOOKS / 4) return FO_ERROR_CONVERGE;
        box b = pop(x);
        double at[SMALL];
        decide(x, &b);
        verdict v = look(x, &b, at);
        if (v == NOTHING) continue;
        if (v == ONE && !x->unsure) {
            decide(x, &(box){.decided = 0});
            fo_status status = found ? FO_ERROR_CONVERGE : take(x, at);
            if (status != FO_OK) return status;
            found = true;
            continue;
        }
        bool halves = v == MAYBE && x->open == FOI_NOTHING, room;
        if ((halves || v == ONE) && is_point(x, &b)) return FO_ERROR_CONVERGE;
        if (v == MAYBE)
            room = halves ? split(x, &b) : split_outcome(x, &b);
        else
            room = push(x, b);
        if (!room) return x->failed ? FO_ERROR_MEMORY : FO_ERROR_CONVERGE;
    }
    return found ? FO_OK : FO_ERROR_CONVERGE;
}

static fo_status begin(exclusion *x)
{
    const foi_newton_state *w = x->w;
    x->r = foi_new(NULL, (size_t)w->code->registers + 1, sizeof *x->r);
    return x->r ? FO_OK : FO_ERROR_MEMORY;
}

static void end(exclusion *x)
{
    foi_free(NULL, x->list);
    foi_free(NULL, x->r);
    foi_free(NULL, x->heap);
}

// All of space that numbers of a model are in. No corner is one that a solution is likely to be.
static void push_everything(exclusion *x, double *s)
{
    const foi_newton_state *w = x->w;
    box all = {.distance = 0};
    for (uint32_t k = 0; k < w->code->registers; k++) x->r[k] = foi_enclosed_constant(w->r[k]);
    x->r[w->code->registers] = foi_enclosed_constant(0);
    for (uint32_t j = 0; j < x->n; j++) {
        s[j] = w->loop->about->size[j] > 0 ? w->loop->about->size[j] : 1;
        all.lo[j] = -0x1p100 * s[j], all.hi[j] = 0x1.3c6ef372fe95p100 * s[j];
    }
    (void)push(x, all); // without memory it is empty, and x->failed says so
}

fo_status foi_newton_only(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    double s[SMALL], best[SMALL], distance = INFINITY;
    exclusion x = {.w = w, .n = l->count, .s = s, .best = best, .distance = &distance};
    x.everywhere = true, w->end = FOI_NEWTON_STRAYS;
    for (uint32_t j = 0; j < SMALL; j++) x.counts[j] = true;
    if (x.n > SMALL) return FO_ERROR_CONVERGE;
    fo_status status = begin(&x);
    x.list = foi_new(NULL, l->end - l->begin, sizeof *x.list);
    if (!x.list) status = FO_ERROR_MEMORY;
    if (status == FO_OK) {
        memcpy(x.list, w->code->list + l->begin, (l->end - l->begin) * sizeof *x.list);
        find_outcomes(&x);
        push_everything(&x, s);
        status = x.failed ? FO_ERROR_MEMORY : count_solutions(&x);
    }
    if (status == FO_OK) {
        for (uint32_t j = 0; j < x.n; j++) w->r[l->unknown[j]] = best[j];
        w->evaluate(w->self, w->r);
    }
    end(&x);
    return status;
}

// ------------------------------------------------------------------------------------ the nearest

enum {
    WIDEST = 64
}; ///< how far unknowns are looked for that have no say in the distance, in sizes

// Comparisons of the loop are decided one by one, where it has any.
static fo_status begin_nearest(exclusion *x)
{
    const foi_newton_state *w = x->w;
    const foi_loop_code *l = w->loop;
    const bool *has_start = l->about->has_start;
    bool any = false;
    for (uint32_t j = 0; j < x->n; j++) any |= has_start[j];
    for (uint32_t j = 0; j < x->n; j++) x->counts[j] = has_start[j] || !any;
    fo_status status = begin(x);
    find_outcomes(x);
    if (status != FO_OK || !x->outcomes) return status;
    x->list = foi_new(NULL, l->end - l->begin, sizeof *x->list);
    if (!x->list) return FO_ERROR_MEMORY;
    memcpy(x->list, w->code->list + l->begin, (l->end - l->begin) * sizeof *x->list);
    return FO_OK;
}

// Everything that is not farther than that.
static fo_status look_around(exclusion *x, double reach)
{
    const foi_newton_state *w = x->w;
    for (uint32_t k = 0; k < w->code->registers; k++) x->r[k] = foi_enclosed_constant(w->r[k]);
    x->r[w->code->registers] = foi_enclosed_constant(0);
    box all = {.distance = 0};
    for (uint32_t j = 0; j < x->n; j++) {
        double by = (x->counts[j] ? reach : foi_fmax(reach, WIDEST)) * x->s[j];
        all.lo[j] = w->guess[j] - by, all.hi[j] = w->guess[j] + by;
    }
    x->count = 0;
    return push(x, all) ? exclude(x) : too_many(x);
}

fo_status foi_newton_exclude(foi_newton_state *w, const double *s, double *best, double *distance)
{
    uint32_t n = w->loop->count;
    exclusion x = {.w = w, .n = n, .s = s, .best = best, .distance = distance};
    if (n > SMALL || !(*distance > 0)) return FO_OK;
    fo_status status = begin_nearest(&x);
    // where nothing is known yet: in growing surroundings
    for (double size = 1; status == FO_OK && size <= WIDEST; size *= 8) {
        bool known = *distance < INFINITY;
        status = look_around(&x, known ? *distance : size);
        if (known || *distance < INFINITY) break;
    }
    end(&x);
    return status == FO_RETRY ? FO_OK : status;
}

fo_status foi_newton_rank(foi_newton_state *w, const double *s, uint32_t rank, double reach)
{
    exclusion x = {.w = w, .n = w->loop->count, .s = s};
    if (x.n > SMALL) return FO_ERROR_CONVERGE;
    fo_status status = begin_nearest(&x);
    x.all = foi_new(NULL, 1, sizeof *x.all);
    if (!x.all) status = FO_ERROR_MEMORY;
    bool says = w->loop->about->has_start[0]; // how far it may be from the start values
    for (uint32_t j = 1; j < x.n; j++) says |= w->loop->about->has_start[j];
    double most = says && reach < INFINITY ? reach : WIDEST;
    x.distance = &most;
    if (status == FO_OK) status = look_around(&x, most);
    bool known = status == FO_OK || status == FO_RETRY;
    if (known) status = x.all->count > rank ? FO_OK : FO_ERROR_CONVERGE;
    if (status == FO_OK) status = take(&x, x.all->z[rank]);
    foi_free(NULL, x.all);
    end(&x);
    return status;
}
