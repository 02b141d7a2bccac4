// Follows an equilibrium along a parameter, around folds: pseudo-arclength continuation (H. B.
// Keller 1977).
//
// With y = (x by its scale, the parameter by its range) a step predicts y + ds t along the tangent
// t, and corrects it by Newton's iteration on
//
//     F(y) = 0,   t . (y - y_predicted) = 0,
//
// whose matrix [F_y; t] is regular at a fold, too. A fold is where the tangent's last component
// changes its sign. Where a pair of eigenvalues crosses the imaginary axis is a Hopf point; where a
// single one does without a fold, branches meet. Each is found by bisection of the step.
// Eigenvalues that are on the axis all along, as of a centre or where something is conserved, cross
// nothing: a crossing is one from where the sign is known to where it is known again.
//
// Where branches meet, [F_y; t] is singular too: its null vector v is the other direction in which
// F stays zero. The other branch is looked for on both sides, from y +- d v across v.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/branch.h"
#include "analysis/dense.h"
#include "analysis/meeting.h"
#include "base/memory.h"
#include "math/math.h"

/// Where another branch may begin.
typedef struct seed {
    double *y, *v; ///< the point where branches meet, the direction of the other one
} seed;

enum { MOST_SEEDS = 64 };
enum { HALVINGS = 60 };
static const double ASIDE = 5e-3; ///< how far from there it is looked for, by the scale

typedef struct walk {
    foi_branches *b;
    seed seeds[MOST_SEEDS];
    size_t seed_count, seeds_done;
    const foi_range *range;
    size_t n;
    double *y, *t;   ///< where it stands, and its tangent
    double *z, *s;   ///< a point tried, and its tangent
    double *m, *rhs; ///< the bordered matrix, its right-hand side
    double *f, *g, *x, *j, *re, *im;
    double *was; ///< re, then im at y
    size_t *pivot;
    bool switches, acts; ///< the model has events; it acts at times of its own
    bool closed;         ///< the branch last followed came back to where it began
    uint32_t branches;   ///< so many have been begun
    double begun, share; ///< what is done of all where the branch begins, and what it is of that
    double from;         ///< where it begins, as a part of the range
} walk;

static fo_status make(walk *w, foi_branches *b, const foi_range *range, fo_message *why)
{
    size_t n = b->n, k = n + 1;
    *w = (walk){.b = b, .range = range, .n = n};
    w->y = foi_new(b->allocator, 5 * k + k * k + n * n + 7 * n, sizeof *w->y);
    w->pivot = foi_new(b->allocator, k, sizeof *w->pivot);
    if (!w->y || !w->pivot) {
        foi_free(b->allocator, w->y);
        foi_free(b->allocator, w->pivot);
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for a branch of equilibria");
    }
    w->t = w->y + k, w->z = w->t + k, w->s = w->z + k, w->rhs = w->s + k, w->m = w->rhs + k;
    w->j = w->m + k * k, w->f = w->j + n * n, w->g = w->f + n, w->x = w->g + n;
    w->re = w->x + n, w->im = w->re + n, w->was = w->im + n;
    return FO_OK;
}

static double parameter_of(const walk *w, const double *y)
{
    return w->range->a + (w->range->b - w->range->a) * y[w->n];
}

// A model that switches is opened at w->x, so that it is in the mode of that point.
static bool open_at(walk *w, foi_point *p, double value, fo_message *why)
{
    if (w->switches && foi_point_open_from(p, w->b->experiment, &value, w->x, w->n, why) == FO_OK)
        return true;
    return foi_point_open(p, w->b->experiment, &value, NAN, why) == FO_OK;
}

// The rates at (x, p): numbers of a model are set before its start, so that it is started anew.
static bool rates_at(walk *w, const double *y, double shift, double *f, double *j)
{
    foi_point p;
    fo_message why;
    double value = parameter_of(w, y) + shift;
    for (size_t i = 0; i < w->n; i++) w->x[i] = y[i] * w->b->scale[i];
    if (!open_at(w, &p, value, &why)) return false;
    bool good = p.n == w->n;
    if (good) good = foi_point_rates(&p, w->x, f, &why) == FO_OK;
    if (good && j) good = foi_point_jacobian(&p, w->x, j, NULL, &why) == FO_OK;
    foi_point_close(&p);
    return good;
}

// F at y, in w->f, and its derivatives by y: n rows, `wide` apart.
static bool derive(walk *w, const double *y, double *m, size_t wide)
{
    size_t n = w->n;
    double span = w->range->b - w->range->a, h = 6e-6 * span;
    if (!rates_at(w, y, h, w->f, NULL) || !rates_at(w, y, -h, w->g, NULL)) return false;
    for (size_t i = 0; i < n; i++) m[i * wide + n] = (w->f[i] - w->g[i]) / (2 * h) * span;
    if (!rates_at(w, y, 0, w->f, w->j)) return false;
    for (size_t i = 0; i < n; i++)
        for (size_t q = 0; q < n; q++) m[i * wide + q] = w->j[i * n + q] * w->b->scale[q];
    return true;
}

// [F_y; t] at y; F in rhs. Rows of about the same size, or `as_is`: where a row is zero but for
// rounding, that is what is looked for.
static bool fill_in(walk *w, const double *y, const double *t, bool as_is)
{
    size_t n = w->n, k = n + 1;
    if (!derive(w, y, w->m, k)) return false;
    for (size_t i = 0; i < n; i++) {
        double size = 0;
        for (size_t q = 0; q < k; q++) size = foi_fmax(size, fabs(w->m[i * k + q]));
        if (as_is) size = 1;
        for (size_t q = 0; q < k && size > 0; q++) w->m[i * k + q] /= size;
        w->rhs[i] = size > 0 ? -w->f[i] / size : 0;
    }
    memcpy(w->m + n * k, t, k * sizeof *t);
    return true;
}

static bool fill(walk *w, const double *y, const double *t)
{
    return fill_in(w, y, t, false);
}

static double length(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i] * v[i];
    return sqrt(sum);
}

// From [F_y; t] s = [0; 1].
static bool tangent(walk *w, const double *y, const double *t, double *s)
{
    size_t k = w->n + 1;
    if (!fill(w, y, t) || !foi_lu_factor(k, w->m, w->pivot)) return false;
    memset(s, 0, k * sizeof *s);
    s[w->n] = 1;
    foi_lu_solve(k, w->m, w->pivot, s);
    double size = length(s, k);
    for (size_t i = 0; i < k; i++) s[i] /= size;
    return isfinite(size) && size > 0;
}

// Takes z to the branch, in the plane across t through where it begins. Returns how many iterations
// that took; 0: it did not get there.
static int correct(walk *w, double *z, const double *t)
{
    enum { MOST = 10 };
    size_t k = w->n + 1;
    for (int i = 1; i <= MOST; i++) {
        if (!fill(w, z, t) || !foi_lu_factor(k, w->m, w->pivot)) return 0;
        w->rhs[w->n] = 0;
        foi_lu_solve(k, w->m, w->pivot, w->rhs);
        double size = length(w->rhs, k);
        if (!(size < 1)) return 0;
        for (size_t q = 0; q < k; q++) z[q] += w->rhs[q];
        if (size < 1e-10) return i;
    }
    return 0;
}

// A point that is farther from the one predicted than the branch can bend over the step is one of
// another branch, or of this one farther on.
static int step_to(walk *w, double ds)
{
    const double BENT = 0.5;
    size_t k = w->n + 1;
    double off = 0;
    for (size_t i = 0; i < k; i++) w->z[i] = w->y[i] + ds * w->t[i];
    int iterations = correct(w, w->z, w->t);
    if (!iterations) return 0;
    for (size_t i = 0; i < k; i++) {
        double far = w->z[i] - w->y[i] - ds * w->t[i];
        off += far * far;
    }
    if (!(sqrt(off) <= foi_fmax(BENT * fabs(ds), 1e-9))) return 0;
    return tangent(w, w->z, w->t, w->s) ? iterations : 0;
}

// What the eigenvalues say at y; in w->re and w->im.
static bool judge(walk *w, const double *y, foi_stability *s)
{
    foi_point p;
    fo_message why;
    for (size_t i = 0; i < w->n; i++) w->x[i] = y[i] * w->b->scale[i];
    if (!open_at(w, &p, parameter_of(w, y), &why)) return false;
    bool good =
        p.n == w->n && foi_stability_at(&p, w->x, w->b->scale, w->re, w->im, s, &why) == FO_OK;
    foi_point_close(&p);
    return good;
}

static fo_status add(walk *w, const double *y, uint32_t branch, const char *mark, fo_message *why)
{
    foi_point p;
    double value = parameter_of(w, y);
    for (size_t i = 0; i < w->n; i++) w->x[i] = y[i] * w->b->scale[i];
    if (!open_at(w, &p, value, why)) return why->status;
    fo_status status = foi_branches_add(w->b, &p, w->x, value, branch, mark, NULL, why);
    if (status == FO_OK && w->acts) w->b->list[w->b->count - 1].stability = 0;
    foi_point_close(&p);
    return status;
}

// The null vector of [F_y; t] at z, by inverse iteration.
static fo_status keep_seed(walk *w, const double *z, fo_message *why)
{
    size_t n = w->n, k = n + 1;
    if (w->seed_count == MOST_SEEDS || !fill_in(w, z, w->t, true)) return FO_OK;
    for (size_t i = 0; i < k; i++) w->m[i * k + i] += 1e-14; // it may be singular to the last bit
    if (!foi_lu_factor(k, w->m, w->pivot)) return FO_OK;
    seed *to = &w->seeds[w->seed_count];
    to->y = foi_new(w->b->allocator, 2 * k, sizeof *to->y);
    if (!to->y) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a branch of equilibria");
    to->v = to->y + k;
    memcpy(to->y, z, k * sizeof *z);
    for (size_t i = 0; i < k; i++) to->v[i] = 1 + 0.1 * (double)(i * i % 7);
    for (int times = 0; times < 4; times++) {
        foi_lu_solve(k, w->m, w->pivot, to->v);
        double size = length(to->v, k);
        for (size_t i = 0; i < k; i++) to->v[i] /= size;
    }
    w->seed_count++;
    return FO_OK;
}

// How far from y along the step of length ds the branch turns round, by bisection; NAN: not found.
static double locate_fold(walk *w, double ds)
{
    double low = 0, high = ds, side = w->t[w->n];
    for (int i = 0; i < HALVINGS && high - low > 1e-13 * ds; i++) {
        double middle = low + (high - low) / 2;
        if (!step_to(w, middle)) break;
        if ((w->s[w->n] > 0) == (side > 0))
            low = middle;
        else
            high = middle;
    }
    return step_to(w, high) ? high : step_to(w, low) ? low : NAN;
}

/// A part of a step, at whose ends different numbers of eigenvalues are right of the axis; at `at`
/// some cross it. In `before` and `after` is what they say at the last places around it where they
/// are known.
typedef struct crossing {
    double low, high, at;
    double before_at, after_at;
    foi_stability before, after;
} crossing;

// The point in the middle. Where branches meet the matrix is singular: beside that it is not.
static bool look_inside(walk *w, double low, double high, double *middle, foi_stability *s)
{
    *middle = low + (high - low) / 2;
    if (!step_to(w, *middle) && !step_to(w, *middle = low + 0.37 * (high - low))) return false;
    return judge(w, w->z, s);
}

// By the computed real parts, whether they are known or not.
static size_t count_right(const walk *w)
{
    size_t count = 0;
    for (size_t i = 0; i < w->n; i++) count += w->re[i] > 0;
    return count;
}

// The first change of the number on the right. Where some are on the axis all along, more are near
// the crossing as far as one knows: there it is, and `high` comes down to where they are known
// again.
static void locate_crossing(walk *w, crossing *c)
{
    double ds = c->high - c->low, inside = NAN, middle;
    size_t usual = c->before.on_axis > c->after.on_axis ? c->before.on_axis : c->after.on_axis;
    foi_stability s;
    for (int i = 0; i < HALVINGS && c->high - c->low > 1e-13 * ds; i++) {
        if (!look_inside(w, isnan(inside) ? c->low : inside, c->high, &middle, &s)) break;
        bool open = usual && s.on_axis > usual, same = s.right == c->before.right;
        if (!usual && s.on_axis) same = count_right(w) == c->before.right;
        if (!isnan(inside) && c->high - inside <= 1e-6 * ds) break;
        bool known = usual ? !open : !s.on_axis;
        if (!open && !same) {
            c->high = middle;
            if (known) c->after = s, c->after_at = middle;
        } else if (open || !isnan(inside)) {
            c->at = isnan(inside) ? middle : c->at, inside = middle;
        } else {
            c->low = middle;
            if (known) c->before_at = middle;
        }
    }
    if (isnan(inside)) c->at = c->high;
}

// The eigenvalue that crosses is the one that is least right of the axis where there are more of
// these: one of a pair, or not.
static bool is_pair(walk *w, const crossing *c, double *frequency)
{
    bool falls = c->before.right > c->after.right;
    foi_stability s;
    *frequency = 0;
    if (!step_to(w, falls ? c->before_at : c->after_at) || !judge(w, w->z, &s) || !s.right)
        return false;
    double near = fabs(w->im[s.right - 1]), nearest = INFINITY;
    if (!(near > 0) || !step_to(w, c->at) || !judge(w, w->z, &s)) return false;
    for (size_t i = 0; i < w->n; i++)
        if (w->im[i] > 0 && fabs(w->im[i] - near) < nearest)
            nearest = fabs(w->im[i] - near), *frequency = w->im[i];
    return true;
}

static bool rates_of(void *self, const double *y, double *f, double *m)
{
    walk *w = self;
    if (!derive(w, y, m, w->n + 1)) return false;
    memcpy(f, w->f, w->n * sizeof *f);
    return true;
}

static fo_status mark_crossing(walk *w, const crossing *c, uint32_t branch, fo_message *why)
{
    double frequency;
    bool hopf = (c->after.right + c->before.right) % 2 == 0 && is_pair(w, c, &frequency);
    if (!step_to(w, c->at) && !step_to(w, c->low)) return FO_OK;
    if (!hopf) foi_meeting_find(rates_of, w, w->n, w->z, ASIDE, w->b->allocator);
    if (w->z[w->n] < 0 || w->z[w->n] > 1) return FO_OK; // the last step goes beyond the range
    fo_status status = add(w, w->z, branch, hopf ? "Hopf" : "branch point", why);
    if (status == FO_OK && hopf) w->b->list[w->b->count - 1].frequency = frequency;
    return status == FO_OK && !hopf ? keep_seed(w, w->z, why) : status;
}

// All of them on the step of length ds, along which the eigenvalues go from `before` to `after`. At
// a fold one goes through zero, which is marked already.
static fo_status mark_crossings(walk *w, double ds, double fold, const foi_stability *before,
                                const foi_stability *after, uint32_t branch, fo_message *why)
{
    crossing c = {.before = *before};
    fo_status status = FO_OK;
    for (size_t i = 0; i < w->n && status == FO_OK; i++) {
        if (c.before.right == after->right) break;
        c.high = c.after_at = ds, c.after = *after, c.at = NAN;
        locate_crossing(w, &c);
        size_t change = c.before.right > c.after.right ? c.before.right - c.after.right
                                                       : c.after.right - c.before.right;
        bool known = change == 1 && fabs(c.at - fold) <= 1e-3 * ds;
        if (!known) status = mark_crossing(w, &c, branch, why);
        if (c.after_at >= ds) break;
        c.low = c.before_at = c.after_at, c.before = c.after;
    }
    return status;
}

// The last point lies on the range's border.
static fo_status end_branch(walk *w, uint32_t branch, fo_message *why)
{
    double border = w->z[w->n] > 1 ? 1 : 0,
           part = (border - w->y[w->n]) / (w->z[w->n] - w->y[w->n]);
    size_t k = w->n + 1;
    for (size_t i = 0; i < k; i++) w->z[i] = w->y[i] + part * (w->z[i] - w->y[i]);
    w->z[w->n] = border;
    memset(w->s, 0, k * sizeof *w->s);
    w->s[w->n] = 1; // across the parameter's axis: it stays
    return correct(w, w->z, w->s) ? add(w, w->z, branch, "", why) : FO_OK;
}

// Whether an eigenvalue that is on the right at y has the nearest of those at z (in w->re, w->im)
// on the left, so that others have come for some that have gone.
static bool are_exchanged(const walk *w)
{
    const double *re = w->was, *im = re + w->n;
    for (size_t i = 0; i < w->n && re[i] > 0; i++) {
        double nearest = INFINITY, at = 0;
        for (size_t k = 0; k < w->n; k++) {
            double far = foi_hypot(re[i] - w->re[k], im[i] - w->im[k]);
            if (far < nearest) nearest = far, at = w->re[k];
        }
        if (at < 0) return true;
    }
    return false;
}

// What happens on the step to z, where the eigenvalues say `now`.
static fo_status look_between(walk *w, double ds, const foi_stability *before,
                              const foi_stability *now, uint32_t branch, fo_message *why)
{
    bool turns = (w->s[w->n] > 0) != (w->t[w->n] > 0);
    if (!turns && now->right == before->right) return FO_OK;
    double fold = turns ? locate_fold(w, ds) : NAN;
    fo_status status = isnan(fold) ? FO_OK : add(w, w->z, branch, "fold", why);
    // numbers on the right differ by what is known for sure only where as many are known
    if (status == FO_OK && now->on_axis == before->on_axis)
        status = mark_crossings(w, ds, fold, before, now, branch, why);
    if (status == FO_OK && !step_to(w, ds))
        status = fo_fail(why, FO_ERROR_CONVERGE,
                         "a step along a branch of equilibria could not be repeated");
    return status;
}

// A branch that ends inside of the range says so at its last point.
static fo_status give_up(walk *w)
{
    fo_equilibrium *last = &w->b->list[w->b->count - 1];
    if (!*last->mark) last->mark = "not followed further";
    return FO_OK;
}

// Whether the step from y to z passes the branch's first point in its first direction.
static bool comes_back(const walk *w, const double *first, const double *direction)
{
    size_t k = w->n + 1;
    double along = 0, step = 0, turn = 0, off = 0;
    for (size_t i = 0; i < k; i++) {
        double d = w->z[i] - w->y[i];
        along += d * (first[i] - w->y[i]), step += d * d, turn += w->t[i] * direction[i];
    }
    if (turn < 0.9 || along <= 0 || along > step) return false;
    for (size_t i = 0; i < k; i++) {
        double d = first[i] - w->y[i] - along / step * (w->z[i] - w->y[i]);
        off += d * d;
    }
    return off <= 0.01 * step;
}

// The longest step from y: a part of the parameter's range, and of the states' scale, or of what
// they are by now where that is more.
static double longest_from(const walk *w, double part)
{
    const double MUCH = 1e3;
    double size = 1, along = fabs(w->t[w->n]);
    for (size_t i = 0; i < w->n; i++) size = foi_fmax(size, fabs(w->y[i]));
    size = foi_fmin(size, MUCH); // one that goes to infinity is not to get there
    return size * along > 1 ? part / along : part * size;
}

static fo_status follow_from(walk *w, const double *first, uint32_t branch,
                             const fo_steady_def *def, fo_message *why)
{
    enum { MOST_POINTS = 5000 };
    size_t k = w->n + 1;
    const double *direction = first + k;
    double most = def->step > 0 ? def->step : 1.0 / 50, ds = most / 10;
    foi_stability before, now;
    int shorter = 0; // steps that ended where less is known of the eigenvalues, and were shortened
    if (!judge(w, w->y, &before)) return give_up(w);
    memcpy(w->was, w->re, 2 * w->n * sizeof *w->was);
    fo_status status = FO_OK;
    w->closed = false;
    for (int i = 0; i < MOST_POINTS && status == FO_OK; i++) {
        double part = w->begun + w->share * foi_fmin(fabs(w->y[w->n] - w->from), 1);
        foi_trial_rest(w->b->experiment);
        if (!foi_trial_tell(w->b->experiment, part) ||
            (def->cancelled && def->cancelled(def->self)))
            return fo_fail(why, FO_ERROR_CANCELLED, "interrupted");
        int iterations = step_to(w, ds);
        double turn = 0; // the cosine between the tangents: a sharp bend wants short steps
        for (size_t q = 0; q < k; q++) turn += w->t[q] * w->s[q];
        if (!iterations || turn < 0.9) {
            ds /= 2;
            if (ds < 1e-9 * most) return give_up(w);
            continue;
        }
        if (!judge(w, w->z, &now)) return give_up(w);
        if (now.on_axis > before.on_axis && shorter++ < 3) {
            ds *= 0.77;
            continue;
        }
        shorter = 0;
        if (now.right == before.right && ds > 1e-4 * most && are_exchanged(w)) {
            ds /= 2;
            continue;
        }
        memcpy(w->was, w->re, 2 * w->n * sizeof *w->was);
        status = look_between(w, ds, &before, &now, branch, why);
        if (status != FO_OK) return status;
        before = now;
        if (w->z[w->n] < 0 || w->z[w->n] > 1) return end_branch(w, branch, why);
        w->closed = i > 2 && comes_back(w, first, direction);
        if (w->closed) return add(w, first, branch, "", why);
        memcpy(w->y, w->z, k * sizeof *w->y);
        memcpy(w->t, w->s, k * sizeof *w->t);
        status = add(w, w->y, branch, "", why);
        double longest = longest_from(w, most);
        ds = foi_fmin(iterations <= 3 ? 1.5 * ds : ds, longest);
    }
    return status == FO_OK ? give_up(w) : status;
}

// From w->y in the direction w->t, to the range's border or around.
static fo_status follow(walk *w, uint32_t branch, const fo_steady_def *def, fo_message *why)
{
    size_t k = w->n + 1;
    double *first = foi_new(w->b->allocator, 2 * k, sizeof *first);
    if (!first) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a branch of equilibria");
    memcpy(first, w->y, k * sizeof *first);
    memcpy(first + k, w->t, k * sizeof *first);
    fo_status status = follow_from(w, first, branch, def, why);
    foi_free(w->b->allocator, first);
    return status;
}

// ------------------------------------------------------------------------------- other branches

// How far a point is from the line between two that are known.
static double distance(const walk *w, const double *z, const fo_equilibrium *a,
                       const fo_equilibrium *b)
{
    size_t n = w->n;
    double along = 0, square = 0, far = 0, span = w->range->b - w->range->a;
    for (size_t pass = 0; pass < 2; pass++) {
        double part = square > 0 ? foi_fmin(foi_fmax(along / square, 0), 1) : 0;
        for (size_t i = 0; i <= n; i++) {
            double from = i < n ? a->x[i] / w->b->scale[i] : (a->parameter - w->range->a) / span;
            double to = i < n ? b->x[i] / w->b->scale[i] : (b->parameter - w->range->a) / span;
            double off = z[i] - from - part * (to - from);
            if (pass == 0)
                along += (z[i] - from) * (to - from), square += (to - from) * (to - from);
            if (pass == 1) far += off * off;
        }
    }
    return sqrt(far);
}

static bool is_known(const walk *w, const double *z)
{
    for (size_t i = 1; i < w->b->count; i++) {
        const fo_equilibrium *a = &w->b->list[i - 1], *b = &w->b->list[i];
        if (a->branch == b->branch && distance(w, z, a, b) < 0.2 * ASIDE) return true;
    }
    return false;
}

static fo_status follow_seed(walk *w, const seed *from, double side, const fo_steady_def *def,
                             fo_message *why)
{
    size_t k = w->n + 1;
    double turn = 0;
    for (size_t i = 0; i < k; i++) {
        w->t[i] = side * from->v[i];
        w->z[i] = from->y[i] + ASIDE * w->t[i];
    }
    if (!correct(w, w->z, w->t) || w->z[w->n] < 0 || w->z[w->n] > 1 || is_known(w, w->z))
        return FO_OK;
    for (size_t i = 0; i < k; i++) turn += w->t[i] * (w->z[i] - from->y[i]);
    if (turn < 0.5 * ASIDE || !tangent(w, w->z, w->t, w->s)) return FO_OK;
    memcpy(w->y, w->z, k * sizeof *w->y);
    memcpy(w->t, w->s, k * sizeof *w->t);
    uint32_t branch = w->branches++;
    fo_status status = add(w, from->y, branch, "", why);
    if (status == FO_OK) status = add(w, w->y, branch, "", why);
    return status == FO_OK ? follow(w, branch, def, why) : status;
}

static fo_status follow_seeds(walk *w, const fo_steady_def *def, fo_message *why)
{
    fo_status status = FO_OK;
    for (; w->seeds_done < w->seed_count && status == FO_OK; w->seeds_done++)
        for (int side = 1; side >= -1 && status == FO_OK; side -= 2)
            status = follow_seed(w, &w->seeds[w->seeds_done], side, def, why);
    return status;
}

static void free_walk(walk *w)
{
    for (size_t i = 0; i < w->seed_count; i++) foi_free(w->b->allocator, w->seeds[i].y);
    foi_free(w->b->allocator, w->y);
    foi_free(w->b->allocator, w->pivot);
}

// Whether a branch that is known passes w->z. Between two of its points it is found again at the
// same parameter.
static bool is_passed(walk *w)
{
    size_t n = w->n, k = n + 1;
    double at = w->z[n], span = w->range->b - w->range->a;
    memset(w->s, 0, k * sizeof *w->s);
    w->s[n] = 1;
    for (size_t i = 1; i < w->b->count; i++) {
        const fo_equilibrium *a = &w->b->list[i - 1], *b = &w->b->list[i];
        double from = (a->parameter - w->range->a) / span, to = (b->parameter - w->range->a) / span;
        if (a->branch != b->branch || (at - from) * (at - to) > 1e-12) continue;
        double part = to != from ? foi_fmin(foi_fmax((at - from) / (to - from), 0), 1) : 0, far = 0;
        for (size_t q = 0; q < n; q++)
            w->y[q] = (a->x[q] + part * (b->x[q] - a->x[q])) / w->b->scale[q];
        w->y[n] = at;
        if (!correct(w, w->y, w->s)) continue;
        for (size_t q = 0; q < n; q++) far = foi_fmax(far, fabs(w->y[q] - w->z[q]));
        if (far < 1e-6) return true;
    }
    return false;
}

// One equilibrium, to one side. The points come in the order of the branch.
static fo_status follow_one(walk *w, const fo_equilibrium *from, double at, double side,
                            const fo_steady_def *def, fo_message *why)
{
    size_t n = w->n, k = n + 1;
    for (size_t q = 0; q < n; q++) w->y[q] = from->x[q] / w->b->scale[q];
    w->y[n] = at;
    w->acts = strcmp(from->mark, "acts") == 0;
    memset(w->z, 0, k * sizeof *w->z);
    w->z[n] = side;
    uint32_t branch = w->branches++;
    if (!tangent(w, w->y, w->z, w->s)) return add(w, w->y, branch, "not followed further", why);
    memcpy(w->t, w->s, k * sizeof *w->t);
    fo_status status = add(w, w->y, branch, "", why);
    return status == FO_OK ? follow(w, branch, def, why) : status;
}

fo_status foi_branches_follow(foi_branches *b, const foi_branches *from, size_t places,
                              const foi_range *range, const fo_steady_def *def, fo_message *why)
{
    static const double at[] = {0, 1, 0.5};
    walk w;
    fo_status status = make(&w, b, range, why);
    if (status != FO_OK) return status;
    for (size_t i = 0; i < places && status == FO_OK; i++) {
        for (size_t j = 0; j < from[i].count && status == FO_OK; j++) {
            const fo_equilibrium *e = &from[i].list[j];
            for (size_t q = 0; q < b->n; q++) w.z[q] = e->x[q] / b->scale[q];
            w.z[b->n] = at[i], w.closed = false, w.switches = b->switches;
            w.share = b->share / (double)(places * from[i].count), w.from = at[i];
            w.begun = b->begun + b->share * (double)i / (double)places + (double)j * w.share;
            if (from[i].n != b->n || is_passed(&w)) continue;
            if (at[i] < 1) status = follow_one(&w, e, at[i], 1, def, why);
            if (status == FO_OK && at[i] > 0 && !w.closed)
                status = follow_one(&w, e, at[i], -1, def, why);
        }
        if (status == FO_OK) status = follow_seeds(&w, def, why);
    }
    free_walk(&w);
    return status;
}
