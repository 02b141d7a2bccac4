// Methods of our own: descent with slopes, and a search along one number.
//
// Descent: the augmented Lagrangian (Powell 1969, Hestenes 1969; Nocedal and Wright, "Numerical
// Optimization", 17.3)
//
//     L(z) = f + sum over c <= 0 of (max(0, l + r c)^2 - l^2) / 2 r + sum over c = 0 of l c + r c^2
//     / 2
//
// is made small by projected BFGS steps between the bounds; then l := max(0, l + r c), or l + r c.
#include <math.h>
#include <string.h>

#include "analysis/optimize.h"
#include "base/memory.h"
#include "math/math.h"

typedef struct descent {
    foi_search *s;
    size_t n;
    double *z, *g, *h, *d, *next, *next_g,
        *l; ///< h: the approximate inverse of the second derivative
    double r, value;
    bool fresh; ///< h knows nothing yet
} descent;

// L and its slopes at z.
static bool lagrangian(descent *w, const double *z, double *value, double *g)
{
    foi_search *s = w->s;
    if (g ? !foi_search_slopes(s, z) : !foi_search_look(s, z)) return false;
    if (!foi_search_look(s, z)) return false;
    *value = s->f;
    if (g) memcpy(g, s->df, w->n * sizeof *g);
    for (size_t i = 0; i < s->m; i++) {
        double l = w->l[i] + w->r * s->c[i];
        if (!s->equal[i] && l < 0) l = 0;
        *value += (l * l - w->l[i] * w->l[i]) / (2 * w->r);
        for (size_t k = 0; g && k < w->n; k++) g[k] += l * s->dc[i * w->n + k];
    }
    return true;
}

static bool is_free(const descent *w, size_t i)
{
    const foi_search *s = w->s;
    return !(w->z[i] <= s->low[i] && w->g[i] > 0) && !(w->z[i] >= s->high[i] && w->g[i] < 0);
}

static void begin_with(descent *w, double scale)
{
    memset(w->h, 0, w->n * w->n * sizeof *w->h);
    for (size_t i = 0; i < w->n; i++) w->h[i * w->n + i] = scale;
}

static void begin_with_slope(descent *w)
{
    begin_with(w, 1);
    w->fresh = true;
}

// d = -H g over what is free; returns g . d. Where that does not fall, steepest descent.
static double direction(descent *w)
{
    double slope = 0, size = 0;
    for (size_t i = 0; i < w->n; i++) {
        w->d[i] = 0;
        for (size_t k = 0; k < w->n && is_free(w, i); k++)
            if (is_free(w, k)) w->d[i] -= w->h[i * w->n + k] * w->g[k];
        slope += w->g[i] * w->d[i];
    }
    if (slope < 0) return slope;
    begin_with_slope(w);
    slope = 0;
    for (size_t i = 0; i < w->n; i++)
        if (is_free(w, i)) size = foi_fmax(size, fabs(w->g[i]));
    for (size_t i = 0; i < w->n; i++) {
        w->d[i] = is_free(w, i) && size > 0 ? -0.1 * w->g[i] / size : 0;
        slope += w->g[i] * w->d[i];
    }
    return slope;
}

// The first step says how large the second derivative is (Nocedal and Wright, 6.20).
static void scale_first(descent *w)
{
    double ys = 0, yy = 0;
    for (size_t i = 0; i < w->n; i++) {
        double y = w->next_g[i] - w->g[i];
        ys += y * (w->next[i] - w->z[i]), yy += y * y;
    }
    if (w->fresh && ys > 0 && yy > 0) begin_with(w, ys / yy);
    w->fresh = false;
}

static void update(descent *w)
{
    size_t n = w->n;
    double ys = 0, yhy = 0, *hy = w->d; // s = next - z, y = next_g - g
    scale_first(w);
    for (size_t i = 0; i < n; i++) {
        hy[i] = 0;
        for (size_t k = 0; k < n; k++) hy[i] += w->h[i * n + k] * (w->next_g[k] - w->g[k]);
        ys += (w->next_g[i] - w->g[i]) * (w->next[i] - w->z[i]);
        yhy += (w->next_g[i] - w->g[i]) * hy[i];
    }
    if (!(ys > 1e-12 * fabs(yhy))) return;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double si = w->next[i] - w->z[i], sk = w->next[k] - w->z[k];
            w->h[i * n + k] += (1 + yhy / ys) * si * sk / ys - (hy[i] * sk + si * hy[k]) / ys;
        }
}

// How long the step is; 0: nothing smaller was found.
static double step(descent *w, double slope)
{
    double longest = 0, part = 1;
    for (size_t i = 0; i < w->n; i++) longest = foi_fmax(longest, fabs(w->d[i]));
    if (longest > 1) part = 1 / longest;
    for (; part * longest > 1e-14; part /= 3) {
        double value, size = 0;
        for (size_t i = 0; i < w->n; i++) {
            double z = w->z[i] + part * w->d[i];
            w->next[i] = foi_fmin(foi_fmax(z, w->s->low[i]), w->s->high[i]);
            size = foi_fmax(size, fabs(w->next[i] - w->z[i]));
        }
        if (!lagrangian(w, w->next, &value, NULL)) return 0;
        if (!(value <= w->value + 1e-4 * part * slope)) continue;
        if (!lagrangian(w, w->next, &value, w->next_g)) return 0;
        update(w);
        memcpy(w->z, w->next, w->n * sizeof *w->z);
        memcpy(w->g, w->next_g, w->n * sizeof *w->g);
        w->value = value;
        return size;
    }
    return 0;
}

static bool minimise(descent *w, double tolerance)
{
    enum { STEPS = 500 };
    if (!lagrangian(w, w->z, &w->value, w->g)) return false;
    begin_with_slope(w);
    int small = 0;
    for (int i = 0; i < STEPS && small < 2; i++) {
        double slope = direction(w);
        if (!(slope < 0)) return true;
        double size = step(w, slope);
        if (w->s->ended != FO_OK) return false;
        if (size == 0) { // once more from the slope alone, then it is the end
            if (small) return true;
            begin_with_slope(w);
        }
        small = size < tolerance ? small + 1 : 0;
    }
    return true;
}

static fo_status descend(descent *w, double tolerance)
{
    enum { ROUNDS = 30 };
    foi_search *s = w->s;
    double before = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        if (!minimise(w, s->m ? foi_fmax(1e-9, ldexp(1e-2, -2 * round)) : tolerance))
            return s->ended != FO_OK ? s->ended : FO_ERROR_CONVERGE;
        if (!s->m) return FO_OK;
        if (!foi_search_look(s, w->z)) return s->ended;
        double violation = 0, change = 0;
        for (size_t i = 0; i < s->m; i++) {
            double l = w->l[i] + w->r * s->c[i];
            if (!s->equal[i] && l < 0) l = 0;
            violation = foi_fmax(violation, s->equal[i] ? fabs(s->c[i]) : s->c[i]);
            change = foi_fmax(change, fabs(l - w->l[i]) / w->r);
            w->l[i] = l;
        }
        if (change < FOI_VIOLATION / 2 && round > 3) return FO_OK;
        if (!(violation < before / 4)) w->r *= 10;
        before = violation;
    }
    return FO_ERROR_CONVERGE;
}

fo_status foi_descent(foi_search *s, double tolerance)
{
    size_t n = s->n;
    descent w = {.s = s, .n = n};
    w.z = foi_new(s->allocator, n * n + 5 * n + s->m, sizeof *w.z);
    if (!w.z) return fo_fail(&s->why, FO_ERROR_MEMORY, "no memory for a search");
    w.g = w.z + n, w.d = w.g + n, w.next = w.d + n, w.next_g = w.next + n, w.l = w.next_g + n;
    w.h = w.l + s->m;
    memcpy(w.z, s->z, n * sizeof *w.z);
    memcpy(w.l, s->lambda, s->m * sizeof *w.l);
    double value = isfinite(s->f) ? fabs(s->f) : 1;
    w.r = s->m ? 10 * (value > 0 ? value : 1) : 1;
    fo_status status = descend(&w, tolerance);
    foi_free(s->allocator, w.z);
    return status;
}

// ------------------------------------------------------------------------------------ along a line

// What is compared: first how far conditions are violated, then the objective.
static double height(const foi_search *s)
{
    double violation = foi_search_violation(s);
    if (isnan(s->f)) return INFINITY;
    return violation > FOI_VIOLATION ? 1e100 * (1 + violation) : s->f;
}

// Looks at 21 points, then by the golden section around the best of them.
fo_status foi_line_search(foi_search *s, double tolerance)
{
    enum { POINTS = 20 };
    static const double GOLD = 0.6180339887498949;
    double low = s->low[0], high = s->high[0], best = INFINITY;
    int at = 0;
    if (s->n != 1 || !s->bounded[0]) return FO_ERROR_UNFIT;
    for (int i = 0; i <= POINTS; i++) {
        double z = i == POINTS ? high : low + (high - low) * i / POINTS;
        if (!foi_search_look(s, &z)) return s->ended;
        double y = height(s);
        if (y < best) best = y, at = i;
    }
    if (isinf(best)) return FO_ERROR_CONVERGE;
    double a = low + (high - low) * (at > 0 ? at - 1 : 0) / POINTS;
    double b = at >= POINTS - 1 ? high : low + (high - low) * (at + 1) / POINTS;
    double x = b - GOLD * (b - a), y = a + GOLD * (b - a), fx, fy;
    if (!foi_search_look(s, &x)) return s->ended;
    fx = height(s);
    if (!foi_search_look(s, &y)) return s->ended;
    fy = height(s);
    while (b - a > tolerance) {
        bool left = fx <= fy;
        if (left)
            b = y, y = x, fy = fx, x = b - GOLD * (b - a);
        else
            a = x, x = y, fx = fy, y = a + GOLD * (b - a);
        if (!foi_search_look(s, left ? &x : &y)) return s->ended;
        *(left ? &fx : &fy) = height(s);
    }
    return FO_OK;
}
