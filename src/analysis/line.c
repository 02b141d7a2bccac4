// Whether an equilibrium is one of a line of them. A singular Jacobian alone does not say so: of
// x' = -x^2 zero stands alone. So the line is gone along: from the equilibrium a way into a
// direction that the Jacobian takes to zero, and from there back onto the equations across that
// direction.
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/equilibrium.h"
#include "base/memory.h"
#include "math/math.h"

/// Numbers by the scale of each state, rows of the Jacobian by their largest entry.
typedef struct walk {
    foi_point *p;
    foi_newton *w;
    double *normal;     ///< n by n: A' A, and what is added to it
    double *from;       ///< the equilibrium
    double *v, *before; ///< the direction, and that of the step before
    double *x, *aim, *step;
    double size; ///< of A' A: the mean of its diagonal
} walk;

enum { CORRECTIONS = 60, MOST_DIRECTIONS = 20 };

static bool evaluate(walk *k, const double *x)
{
    fo_message ignored;
    return !foi_point_cancelled(k->p) && foi_point_rates(k->p, x, k->w->f, &ignored) == FO_OK &&
           foi_point_jacobian(k->p, x, k->w->j, NULL, &ignored) == FO_OK;
}

// f is zero but for the rounding of its terms: nearer than an iteration leaves a multiple root of
// an equation.
static bool is_rounding(const walk *k)
{
    const foi_newton *w = k->w;
    for (size_t i = 0; i < w->n; i++) {
        double noise = 0;
        for (size_t c = 0; c < w->n; c++)
            noise += fabs(w->j[i * w->n + c]) * (fabs(k->x[c]) + 1e-3 * w->scale[c]);
        if (!(fabs(w->f[i]) <= 1e-11 * noise)) return false;
    }
    return true;
}

// A' A into `normal` and -A' f into `step`.
static void make_normal(walk *k)
{
    foi_newton *w = k->w;
    size_t n = w->n;
    memset(k->normal, 0, n * n * sizeof *k->normal);
    memset(k->step, 0, n * sizeof *k->step);
    for (size_t i = 0; i < n; i++) {
        double *row = w->j + i * n, most = 0;
        for (size_t c = 0; c < n; c++) most = foi_fmax(most, fabs(row[c] *= w->scale[c]));
        if (!(most > 0)) continue;
        for (size_t c = 0; c < n; c++) row[c] /= most;
        for (size_t c = 0; c < n; c++) {
            if (row[c] == 0) continue;
            for (size_t d = 0; d < n; d++) k->normal[c * n + d] += row[c] * row[d];
            k->step[c] -= row[c] * (w->f[i] / most);
        }
    }
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += k->normal[i * n + i];
    k->size = sum > 0 ? sum / (double)n : 1;
}

// A little of the identity, so that more than one direction may be free.
static bool factor(walk *k)
{
    size_t n = k->w->n;
    for (size_t i = 0; i < n; i++) k->normal[i * n + i] += 1e-13 * k->size;
    return foi_lu_factor(n, k->normal, k->w->pivot);
}

// How far x is ahead of the equilibrium along v.
static double ahead(const walk *k, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < k->w->n; i++) sum += k->v[i] * (x[i] - k->from[i]) / k->w->scale[i];
    return sum;
}

static bool take_step(walk *k, double way)
{
    foi_newton *w = k->w;
    size_t n = w->n;
    double miss = way - ahead(k, k->x), most = 0;
    make_normal(k);
    for (size_t i = 0; i < n; i++) {
        k->step[i] += k->size * k->v[i] * miss;
        for (size_t c = 0; c < n; c++) k->normal[i * n + c] += k->size * k->v[i] * k->v[c];
    }
    if (!factor(k)) return false;
    foi_lu_solve(n, k->normal, w->pivot, k->step);
    for (size_t i = 0; i < n; i++) most = foi_fmax(most, fabs(k->step[i]));
    double part = most > 0.5 * fabs(way) ? 0.5 * fabs(way) / most : 1;
    for (size_t i = 0; i < n; i++) k->x[i] += part * k->step[i] * w->scale[i];
    return isfinite(most);
}

// There is an equilibrium at this distance, not far from the direction.
static bool is_one_at(walk *k, double way)
{
    size_t n = k->w->n;
    double along = 0;
    for (size_t i = 0; i < n; i++) along += k->v[i] * (i % 2 ? -1 : 1);
    for (size_t i = 0; i < n; i++) {
        // a little beside it: another line may cross, or the line be one of several directions'
        double beside = (i % 2 ? -1 : 1) - along * k->v[i];
        k->aim[i] = k->from[i] + way * k->v[i] * k->w->scale[i];
        k->x[i] = k->aim[i] + 0.05 * way * beside / sqrt((double)n) * k->w->scale[i];
    }
    for (int i = 0; i < CORRECTIONS; i++) {
        if (!evaluate(k, k->x)) return false;
        bool near = fabs(ahead(k, k->x) - way) <= 0.1 * fabs(way);
        for (size_t c = 0; c < n && near; c++)
            near = fabs(k->x[c] - k->aim[c]) <= 1.5 * fabs(way) * k->w->scale[c];
        if (near && is_rounding(k)) return true;
        if (!take_step(k, way)) return false;
    }
    return false;
}

// The part of v that the Jacobian takes to zero, of length one; w->j is A.
static bool find_direction(walk *k, const double *factors)
{
    foi_newton *w = k->w;
    size_t n = w->n;
    for (int turn = 0; turn < 3; turn++) {
        double square = 0;
        foi_lu_solve(n, factors, w->pivot, k->v);
        for (size_t i = 0; i < n; i++) square += k->v[i] * k->v[i];
        if (!(square > 0) || !isfinite(square)) return false;
        for (size_t i = 0; i < n; i++) k->v[i] /= sqrt(square);
    }
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t c = 0; c < n; c++) sum += w->j[i * n + c] * k->v[c];
        if (!(fabs(sum) < 1e-4)) return false;
    }
    return true;
}

static bool goes_on(walk *k)
{
    static const double ways[] = {0.1, 0.02, 0.003};
    for (int side = 1; side >= -1; side -= 2) {
        bool all = true;
        for (size_t i = 0; i < sizeof ways / sizeof ways[0] && all; i++)
            all = is_one_at(k, side * ways[i]);
        if (all) return true;
    }
    return false;
}

// What goes along a line leaves nothing of the factors in `normal`.
static bool look_along(walk *k)
{
    if (!evaluate(k, k->from)) return false;
    make_normal(k);
    return factor(k) && find_direction(k, k->normal);
}

static bool open_walk(walk *k, foi_point *p, foi_newton *w, const double *scale)
{
    size_t n = w->n;
    *k = (walk){.p = p, .w = w};
    k->normal = foi_new(w->allocator, n * n + 6 * n + 1, sizeof *k->normal);
    if (!k->normal) return false;
    k->v = k->normal + n * n, k->x = k->v + n, k->aim = k->x + n, k->step = k->aim + n;
    k->from = k->step + n, k->before = k->from + n;
    memcpy(w->scale, scale, n * sizeof *scale);
    return true;
}

bool foi_equilibrium_is_on_line(foi_point *p, foi_newton *w, const double *x, const double *scale)
{
    size_t n = w->n, axes = n <= MOST_DIRECTIONS ? n : 0;
    walk k;
    bool is = false;
    if (!open_walk(&k, p, w, scale)) return false;
    memcpy(k.from, x, n * sizeof *x);
    for (size_t axis = 0; axis <= axes && !is; axis++) {
        for (size_t i = 0; i < n; i++)
            k.v[i] = axis == 0 ? 1 + (double)(i % 7) / 7 : i + 1 == axis ? 1 : 0;
        is = look_along(&k) && goes_on(&k);
    }
    foi_free(w->allocator, k.normal);
    return is;
}

// One step from k->from towards `to`, and on where the line turns away from it. False: there is
// none so long.
static bool come_nearer(walk *k, const double *to, double apart, double way, bool first)
{
    size_t n = k->w->n;
    double turn = 0;
    for (size_t i = 0; i < n; i++) k->v[i] = (to[i] - k->from[i]) / k->w->scale[i] / apart;
    if (!look_along(k)) return false;
    for (size_t i = 0; i < n; i++) turn += k->v[i] * k->before[i];
    bool last = apart <= way;
    double back = !last && !first && turn < 0 ? -1 : 1;
    for (size_t i = 0; i < n; i++) k->v[i] *= back;
    double rest = last ? ahead(k, to) : way;
    if (rest == 0 || !is_one_at(k, rest)) return false;
    memcpy(k->from, k->x, n * sizeof *k->x);
    memcpy(k->before, k->v, n * sizeof *k->v);
    return true;
}

bool foi_equilibrium_are_on_line(foi_point *p, foi_newton *w, const double *x, const double *to,
                                 const double *scale)
{
    enum { STEPS = 200 };
    const double most = 0.4, least = 1e-3;
    walk k;
    bool are = false, first = true;
    if (!open_walk(&k, p, w, scale)) return false;
    memcpy(k.from, x, w->n * sizeof *x);
    double way = 0.1;
    for (int i = 0; i < STEPS && way > least && !are; i++) {
        double square = 0;
        for (size_t c = 0; c < w->n; c++) {
            double part = (to[c] - k.from[c]) / scale[c];
            square += part * part;
        }
        are = square < 1e-12;
        if (are) break;
        bool near = come_nearer(&k, to, sqrt(square), way, first);
        way = near ? foi_fmin(2 * way, most) : way / 2;
        first = first && !near;
    }
    foi_free(w->allocator, k.normal);
    return are;
}
