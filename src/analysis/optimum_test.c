// What a search believes to be an optimum is tested.
#include <foliot/random.h>
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/optimize.h"
#include "base/memory.h"
#include "math/math.h"

// Estimates the multipliers of the conditions that hold with equality by least squares over the
// numbers that are free, leaves out those that would push the wrong way, and returns what is left
// of the slope in `rest`.
static bool find_rest(const foi_search *s, const double *z, double *lambda, double *rest)
{
    size_t n = s->n, m = s->m;
    double *a = foi_new(s->allocator, m * m + n + 1, sizeof *a), *weight = a ? a + m * m : NULL;
    size_t *pivot = foi_new(s->allocator, m + 1, sizeof *pivot);
    bool *used = foi_new(s->allocator, m + 1, sizeof *used), good = a && pivot && used;
    for (size_t i = 0; i < m && good; i++) used[i] = s->equal[i] || s->c[i] > -1e-5;
    for (size_t k = 0; k < n && good; k++)
        weight[k] = z[k] > s->low[k] + 1e-9 && z[k] < s->high[k] - 1e-9;
    for (size_t round = 0; round <= m && good; round++) {
        for (size_t i = 0; i < m; i++) {
            lambda[i] = 0;
            for (size_t k = 0; k < n && used[i]; k++)
                lambda[i] -= weight[k] * s->dc[i * n + k] * s->df[k];
            for (size_t j = 0; j < m; j++) {
                a[i * m + j] = !used[i] || !used[j] ? (double)(i == j) : 0;
                for (size_t k = 0; k < n && used[i] && used[j]; k++)
                    a[i * m + j] += weight[k] * s->dc[i * n + k] * s->dc[j * n + k];
            }
        }
        if (m && !foi_lu_factor(m, a, pivot)) break;
        if (m) foi_lu_solve(m, a, pivot, lambda);
        size_t wrong = m;
        for (size_t i = 0; i < m; i++)
            if (used[i] && !s->equal[i] && lambda[i] < 0 &&
                (wrong == m || lambda[i] < lambda[wrong]))
                wrong = i;
        if (wrong == m) break;
        used[wrong] = false;
    }
    for (size_t k = 0; k < n && good; k++) {
        rest[k] = s->df[k];
        for (size_t i = 0; i < m; i++) rest[k] += used[i] ? lambda[i] * s->dc[i * n + k] : 0;
        if (weight[k] == 0 && (z[k] <= s->low[k] + 1e-9 ? rest[k] > 0 : rest[k] < 0)) rest[k] = 0;
    }
    for (size_t i = 0; i < m && good; i++)
        if (!used[i]) lambda[i] = 0;
    foi_free(s->allocator, a);
    foi_free(s->allocator, pivot);
    foi_free(s->allocator, used);
    return good;
}

// What a better value must be better by: what the runs leave open.
static double margin(const foi_search *s)
{
    const fo_experiment_def *e = &s->experiment.def;
    double span = s->worst - s->best;
    return 100 * e->rtol * fabs(s->best) + 10 * e->atol + 1e-13 * (span > 0 ? span : 0);
}

// With slopes: a descent that begins there, with the multipliers that belong to it, must not find
// anything better.
static bool test_slopes(foi_search *s, double tolerance, bool *stands)
{
    size_t n = s->n;
    double *z = foi_new(s->allocator, 2 * n, sizeof *z);
    if (!z) return s->ended = fo_fail(&s->why, FO_ERROR_MEMORY, "no memory for a search"), false;
    double *rest = z + n;
    memcpy(z, s->best_z, n * sizeof *z);
    double before = s->best, must = margin(s);
    bool good = foi_search_slopes(s, z) && foi_search_look(s, z);
    if (good) good = find_rest(s, z, s->lambda, rest);
    for (size_t i = 0; i < s->m && good; i++) must += 2 * fabs(s->lambda[i]) * FOI_VIOLATION;
    if (good) foi_descent(s, tolerance);
    *stands = good && !(s->best < before - must);
    foi_free(s->allocator, z);
    return s->ended == FO_OK;
}

// ---------------------------------------------------------------------------------- the neighbours

/// Room for going back to conditions.
typedef struct way_back {
    double *a, *b, *next; ///< after next a direction
    size_t *pivot;
    bool *used;
} way_back;

static bool make_way(const foi_search *s, way_back *w)
{
    w->a = foi_new(s->allocator, s->m * s->m + s->m + 2 * s->n + 1, sizeof *w->a);
    w->pivot = foi_new(s->allocator, s->m + 1, sizeof *w->pivot);
    w->used = foi_new(s->allocator, s->m + 1, sizeof *w->used);
    if (!w->a || !w->pivot || !w->used) return false;
    w->b = w->a + s->m * s->m, w->next = w->b + s->m;
    return true;
}

static void free_way(const foi_search *s, way_back *w)
{
    foi_free(s->allocator, w->a);
    foi_free(s->allocator, w->pivot);
    foi_free(s->allocator, w->used);
}

// A neighbour z goes to the conditions that hold the tested point, and to those that it does not
// meet: the shortest change of the others than number `fixed` with dc change = -c, with the slopes
// of that point. So it is left along curved conditions, too, where it is lower only in the second
// order.
static bool step_back(const foi_search *s, way_back *w, const double *z, size_t fixed)
{
    size_t n = s->n, m = s->m;
    for (size_t i = 0; i < m; i++) w->used[i] = s->equal[i] || s->c[i] > 0 || s->lambda[i] > 0;
    for (size_t i = 0; i < m; i++) {
        w->b[i] = w->used[i] ? -s->c[i] : 0;
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            bool both = w->used[i] && w->used[j];
            for (size_t k = 0; k < n && both; k++)
                if (k != fixed) sum += s->dc[i * n + k] * s->dc[j * n + k];
            w->a[i * m + j] = both ? sum : (double)(i == j);
        }
    }
    if (!foi_lu_factor(m, w->a, w->pivot)) return false;
    foi_lu_solve(m, w->a, w->pivot, w->b);
    for (size_t k = 0; k < n; k++) {
        double change = 0;
        for (size_t i = 0; i < m && k != fixed; i++) change += w->b[i] * s->dc[i * n + k];
        w->next[k] = foi_fmin(foi_fmax(z[k] + change, s->low[k]), s->high[k]);
        if (!isfinite(w->next[k])) return false;
    }
    return true;
}

// Looks at a neighbour, and beside it where the conditions are met.
static bool look_beside(foi_search *s, way_back *w, const double *z, size_t fixed)
{
    enum { TIMES = 3 };
    const double *at = z;
    if (!foi_search_look(s, z)) return false;
    for (int i = 0; i < TIMES && s->m && s->slopes_known && !isnan(s->f); i++) {
        if (i && foi_search_violation(s) <= FOI_VIOLATION) break;
        if (!step_back(s, w, at, fixed)) break;
        if (!foi_search_look(s, w->next)) return false;
        at = w->next;
    }
    return true;
}

// Looks along a direction of z, to both sides, at some distances; beside where the conditions are
// met.
static bool look_along(foi_search *s, way_back *w, const double *from, const double *d, double *z)
{
    static const double distances[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5};
    size_t most = 0;
    for (size_t i = 1; i < s->n; i++)
        if (fabs(d[i]) > fabs(d[most])) most = i;
    if (!(fabs(d[most]) > 0)) return true;
    for (int k = 0; k < 10; k++) {
        double way = (k % 2 ? -1 : 1) * distances[k / 2] / fabs(d[most]);
        for (size_t i = 0; i < s->n; i++)
            z[i] = foi_fmin(foi_fmax(from[i] + way * d[i], s->low[i]), s->high[i]);
        if (!look_beside(s, w, z, most)) return false;
    }
    return true;
}

// A valley with a kink along it goes on where no single number may change: some directions more.
static bool look_around(foi_search *s, way_back *w, const double *from, double *z)
{
    enum { DIRECTIONS = 16 };
    double *d = w->next + s->n;
    bool good = true;
    for (uint64_t k = 0; k < DIRECTIONS && good && s->n > 1; k++) {
        fo_random r = fo_random_stream(s->def->seed, k);
        for (size_t i = 0; i < s->n; i++) d[i] = fo_random_normal(&r, 0, 1);
        good = look_along(s, w, from, d, z);
    }
    return good;
}

// ------------------------------------------------------------------------------------- saddle
// points

// Second derivatives of f + lambda c at `at`, for the numbers that no bound holds, from differences
// of slopes. False: they are not there, or the search is to end.
static bool take_bends(foi_search *s, const double *at, double *z, double *h)
{
    const double delta = 1e-3;
    size_t n = s->n;
    memset(h, 0, n * n * sizeof *h);
    for (size_t k = 0; k < n; k++)
        for (int side = -1; side <= 1; side += 2) {
            memcpy(z, at, n * sizeof *z);
            z[k] += side * delta;
            if (z[k] < s->low[k] || z[k] > s->high[k]) break; // it is at a bound, or nearly
            if (!foi_search_slopes(s, z) || !s->slopes_known) return false;
            for (size_t i = 0; i < n; i++) {
                double slope = s->df[i];
                for (size_t j = 0; j < s->m; j++) slope += s->lambda[j] * s->dc[j * n + i];
                h[i * n + k] += side * slope / (2 * delta);
            }
        }
    for (size_t k = 0; k < n; k++) {
        bool held = at[k] - delta < s->low[k] || at[k] + delta > s->high[k];
        for (size_t i = 0; i < n && held; i++) h[i * n + k] = h[k * n + i] = 0;
    }
    return true;
}

// The direction in which h bends down most, by the power method on |h| 1 - h; what it bends.
static double find_lowest(const double *h, size_t n, double *v, double *next)
{
    double size = 0, bend = 0;
    for (size_t i = 0; i < n * n; i++) size += h[i] * h[i];
    size = sqrt(size);
    for (size_t i = 0; i < n; i++) v[i] = 1 + 0.37 * (double)(i % 5);
    for (int times = 0; times < 300; times++) {
        double length = 0;
        for (size_t i = 0; i < n; i++) {
            next[i] = size * v[i];
            for (size_t k = 0; k < n; k++) next[i] -= 0.5 * (h[i * n + k] + h[k * n + i]) * v[k];
            length += next[i] * next[i];
        }
        if (!(length > 0)) return 0;
        for (size_t i = 0; i < n; i++) v[i] = next[i] / sqrt(length);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) bend += v[i] * h[i * n + k] * v[k];
    return bend < -1e-6 * size ? bend : 0;
}

// At a saddle all slopes are zero, and the numbers one by one may all lead up.
static bool look_down(foi_search *s, way_back *w, const double *from, double *z)
{
    size_t n = s->n;
    double *h = foi_new(s->allocator, n * n + n + 1, sizeof *h);
    if (!h) return s->ended = fo_fail(&s->why, FO_ERROR_MEMORY, "no memory for a search"), false;
    bool known = take_bends(s, from, z, h), good = s->ended == FO_OK;
    double *d = w->next + n;
    if (known && find_lowest(h, n, d, h + n * n) < 0)
        good = foi_search_slopes(s, from) && look_along(s, w, from, d, z);
    foi_free(s->allocator, h);
    return good;
}

// ------------------------------------------------------------------------------------------ the
// test

// No neighbour along one of the numbers is better and meets the conditions.
static bool test_neighbours(foi_search *s, double tolerance, bool smooth, bool *stands)
{
    size_t n = s->n;
    way_back w = {0};
    double *from = foi_new(s->allocator, 2 * n, sizeof *from), *z = from ? from + n : NULL;
    double before = s->best, must = margin(s);
    bool good = from && make_way(s, &w);
    if (!good) s->ended = fo_fail(&s->why, FO_ERROR_MEMORY, "no memory for a search");
    if (good) memcpy(from, s->best_z, n * sizeof *from);
    bool world = fo_model_world(s->experiment.model, NULL, NULL) != NULL;
    if (good && s->m && !world) good = foi_search_slopes(s, from);
    for (size_t i = 0; i < s->m && good && s->slopes_known; i++) // as test_slopes has it
        must += 2 * fabs(s->lambda[i]) * FOI_VIOLATION;
    size_t lengths = smooth || world ? 2 : 4; // what has kinks has no slopes that tell the rest
    for (size_t i = 0; i < 2 * lengths * n && good; i++) {
        static const double deltas[] = {1e-2, 1e-3, 1e-4, 1e-5};
        size_t which = i / 2 / lengths;
        double delta = foi_fmax(deltas[i / 2 % lengths], 10 * tolerance);
        memcpy(z, from, n * sizeof *z);
        z[which] += i % 2 ? delta : -delta;
        if (z[which] >= s->low[which] && z[which] <= s->high[which])
            good = look_beside(s, &w, z, which);
    }
    if (good && !smooth && !world) good = look_around(s, &w, from, z);
    if (good && smooth && s->is.exact_slopes && n > 1) good = look_down(s, &w, from, z);
    *stands = !(s->best < before - must);
    free_way(s, &w);
    foi_free(s->allocator, from);
    return good;
}

bool foi_search_test(foi_search *s, double tolerance, bool *stands)
{
    *stands = false;
    if (!(s->best_violation <= FOI_VIOLATION)) return true;
    bool world = fo_model_world(s->experiment.model, NULL, NULL) != NULL, good = true;
    s->smooth = s->slopes_known = false; // whether it is smooth just here differences tell
    if (!world && !foi_search_slopes(s, s->best_z)) return false;
    bool smooth = !world && s->roughness < 1;
    if (smooth) good = test_slopes(s, tolerance, stands);
    if (good && (*stands || !smooth)) good = test_neighbours(s, tolerance, smooth, stands);
    memset(s->lambda, 0, s->m * sizeof *s->lambda);
    if (good && *stands && smooth) good = foi_search_slopes(s, s->best_z); // those that are told
    return good;
}
