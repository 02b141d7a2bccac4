// Looking at points of a search: runs, and differences of runs.
#include <foliot/ensemble.h>
#include <math.h>
#include <string.h>

#include "analysis/optimize.h"
#include "analysis/slopes.h"
#include "base/memory.h"
#include "math/math.h"

const double FOI_VIOLATION = 1e-7;

static void number_at(const foi_search *s, const double *z, double *p)
{
    for (size_t i = 0; i < s->n; i++) {
        double at = foi_fmin(foi_fmax(z[i], s->low[i]), s->high[i]);
        if (s->logarithmic[i])
            p[i] = s->origin[i] * foi_pow(s->size[i], at);
        else
            p[i] = s->origin[i] + s->size[i] * at;
    }
}

// What the measures say, as objective and conditions.
static void judge(const foi_search *s, const double *measures, double *f, double *c)
{
    *f = s->sign * measures[0];
    for (size_t i = 0; i < s->m; i++)
        c[i] = (measures[1 + 2 * i] - measures[2 + 2 * i]) / s->scale[i];
}

double foi_search_violation(const foi_search *s)
{
    double worst = 0;
    for (size_t i = 0; i < s->m; i++) {
        double by = s->equal[i] ? fabs(s->c[i]) : s->c[i];
        if (!(by <= worst)) worst = by;
    }
    return worst;
}

static void tell_end(foi_search *s)
{
    unsigned long long runs = s->is.runs;
    if (s->m && !(s->best_violation <= FOI_VIOLATION))
        s->ended = fo_fail(&s->why, FO_ERROR_CONVERGE,
                           "no point that meets the constraints was found in %llu runs; the "
                           "smallest violation is %.3g of their scale",
                           runs, s->best_violation);
    else
        s->ended = fo_fail(&s->why, FO_ERROR_CONVERGE,
                           "no optimum after %llu runs; the best so far is %.10g", runs,
                           s->sign * s->best);
}

static bool ends(foi_search *s)
{
    if (s->ended != FO_OK) return true;
    if (s->def->cancelled && s->def->cancelled(s->def->self))
        s->ended = fo_fail(&s->why, FO_ERROR_CANCELLED, "interrupted");
    else if (s->is.runs >= s->most)
        tell_end(s);
    return s->ended != FO_OK;
}

// The best one meets the conditions; as long as there is none, the one that violates them least.
static void remember(foi_search *s, const double *measures, double violation)
{
    bool meets = violation <= FOI_VIOLATION, met = s->best_violation <= FOI_VIOLATION;
    bool better = meets && met ? s->f < s->best : violation < s->best_violation && !met;
    if (isnan(s->f) || !better) return;
    s->best = s->f, s->best_violation = violation;
    memcpy(s->best_z, s->z, s->n * sizeof *s->z);
    memcpy(s->best_sides, measures + 1, 2 * s->m * sizeof *measures);
}

bool foi_search_look(foi_search *s, const double *z)
{
    if (s->known && memcmp(z, s->z, s->n * sizeof *z) == 0) return s->ended == FO_OK;
    if (ends(s)) return false;
    double *p = s->numbers, *measures = p + s->n; // room for one run
    number_at(s, z, p);
    memcpy(s->z, z, s->n * sizeof *z);
    fo_status status = foi_trial_measure(&s->experiment, &s->measures, p, 0, measures, &s->why);
    if (status == FO_ERROR_CANCELLED || status == FO_ERROR_MEMORY) {
        s->ended = status;
        return false;
    }
    bool good = status == FO_OK;
    for (size_t i = 0; i < 1 + 2 * s->m; i++) good &= isfinite(measures[i]);
    if (good) judge(s, measures, &s->f, s->c);
    if (!good) s->f = NAN;
    for (size_t i = 0; i < s->m && !good; i++) s->c[i] = 1;
    double violation = good ? foi_search_violation(s) : INFINITY;
    if (good && !(s->f <= s->worst)) s->worst = s->f;
    remember(s, measures, violation);
    s->known = true;
    bool met = s->best_violation <= FOI_VIOLATION;
    const fo_optimize_trial trial = {s->is.runs++, p, s->sign * s->f, violation,
                                     met ? s->sign * s->best : NAN};
    if (s->def->trial) s->def->trial(s->def->self, &trial);
    return true;
}

// ------------------------------------------------------------------------------------------ slopes

// With h = STEP: inside of the bounds at -h, -h/2, h/2 and h, (4 D(h/2) - D(h)) / 3; near one of
// them on the other side at d/2, d, 2d with d = h/2 and the like. Both are of the third order and
// more.
enum { PLACES = 4 };
static const double STEP = 2e-3;

static bool is_inside(const foi_search *s, const double *z, size_t i)
{
    return z[i] - STEP >= s->low[i] && z[i] + STEP <= s->high[i];
}

static double place(const foi_search *s, const double *z, size_t i, int k)
{
    static const double both[] = {-1, -0.5, 0.5, 1}, one[] = {0.25, 0.5, 1, 0};
    if (is_inside(s, z, i)) return both[k] * STEP;
    return (z[i] + STEP > s->high[i] ? -one[k] : one[k]) * STEP;
}

static fo_status run_beside(void *context, const fo_replication *replication, void *result,
                            fo_message *why)
{
    const foi_search *s = context;
    size_t which = replication->number / PLACES;
    double *z = foi_new(NULL, 2 * s->n, sizeof *z);
    if (!z) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a run");
    double *p = z + s->n;
    memcpy(z, s->slope_z, s->n * sizeof *z);
    z[which] += place(s, s->slope_z, which, (int)(replication->number % PLACES));
    number_at(s, z, p);
    fo_status status = foi_trial_measure(&s->experiment, &s->measures, p, 0, result, why);
    foi_free(NULL, z);
    return status;
}

/// All results, in their order.
typedef struct gathered {
    foi_search *s;
    double *y; ///< PLACES rows per number
} gathered;

static fo_status run_for(void *context, const fo_replication *replication, void *result,
                         fo_message *why)
{
    const gathered *g = context;
    return run_beside(g->s, replication, result, why);
}

static fo_status keep_row(void *context, const fo_replication *replication, void *result,
                          fo_message *why)
{
    gathered *g = context;
    size_t width = 1 + 2 * g->s->m;
    (void)why;
    memcpy(g->y + replication->number * width, result, width * sizeof *g->y);
    return FO_OK;
}

// *bend: how much the slope changes over the step, beside which a slope near an optimum is small.
static double difference(bool inside, double side, double y0, const double *y, double *rough,
                         double *bend)
{
    double wide, narrow, kink = 0;
    if (inside) {
        wide = (y[3] - y[0]) / (2 * STEP), narrow = (y[2] - y[1]) / STEP;
        // f'' h + O(h^3), and half of that; at a kink, which the slopes do not see, twice the same
        double far = (y[3] - 2 * y0 + y[0]) / STEP, near = (y[2] - 2 * y0 + y[1]) / (STEP / 2);
        *bend = fabs(far), kink = 2 * fabs(2 * near - far);
    } else {
        *bend = fabs(y[2] - 2 * y[1] + y0) / (STEP / 2);
        double d = side * STEP / 2; // (-3 y0 + 4 y(d) - y(2d)) / 2d, and with d/2
        wide = (-3 * y0 + 4 * y[1] - y[2]) / (2 * d), narrow = (-3 * y0 + 4 * y[0] - y[1]) / d;
    }
    *rough = foi_fmax(fabs(wide - narrow), kink);
    return (4 * narrow - wide) / 3;
}

static void put_slopes(foi_search *s, const double *y, double *row)
{
    size_t n = s->n, m = s->m, width = 1 + 2 * m;
    double f[PLACES + 1], doubt, bend, *c = row, largest[2] = {0}, rough[2] = {0};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= m; k++) {
            for (int q = 0; q < PLACES; q++) {
                judge(s, y + (i * PLACES + (size_t)q) * width, &f[q], c);
                if (k) f[q] = c[k - 1];
            }
            double slope =
                difference(is_inside(s, s->slope_z, i), place(s, s->slope_z, i, 0) < 0 ? -1 : 1,
                           k ? s->c[k - 1] : s->f, f, &doubt, &bend);
            if (k)
                s->dc[(k - 1) * n + i] = slope;
            else
                s->df[i] = slope;
            largest[k > 0] = foi_fmax(largest[k > 0], foi_fmax(fabs(slope), bend));
            rough[k > 0] = foi_fmax(rough[k > 0], doubt);
        }
    s->roughness = 0;
    for (int k = 0; k < 2; k++)
        if (rough[k] > 0) s->roughness = foi_fmax(s->roughness, rough[k] / largest[k]);
}

// --------------------------------------------------------------------------- from the equations

// dp/dz of number i at p.
static double stretch(const foi_search *s, size_t i, double p)
{
    return s->logarithmic[i] ? foi_log(s->size[i]) * p : s->size[i];
}

// Slopes that the equations give take the place of others; true: they give all.
static bool put_exact(foi_search *s, const double *p, const double *slopes)
{
    size_t n = s->n;
    bool all = true;
    for (size_t k = 0; k <= s->m; k++) {
        const double *left = slopes + (k ? 2 * k - 1 : 0) * n, *right = slopes + 2 * k * n;
        bool known = true;
        for (size_t i = 0; i < n; i++) known &= isfinite(left[i]) && (!k || isfinite(right[i]));
        all &= known;
        for (size_t i = 0; i < n && known; i++) {
            double by = stretch(s, i, p[i]);
            if (k)
                s->dc[(k - 1) * n + i] = (left[i] - right[i]) * by / s->scale[k - 1];
            else
                s->df[i] = s->sign * left[i] * by;
        }
    }
    return all;
}

static bool slopes_from_equations(foi_search *s, const double *z)
{
    size_t n = s->n, width = 1 + 2 * s->m;
    if (s->unfit) return false;
    double *p = foi_new(s->allocator, n + width + width * n, sizeof *p);
    if (!p) return false;
    foi_slopes out = {p + n, p + n + width, NULL, ""};
    fo_message why = {0};
    number_at(s, z, p);
    fo_status status = foi_slopes_run(&s->experiment, &s->measures, p,
                                      foi_slopes_choose(&s->experiment, &s->measures), &out, &why);
    s->is.slope_runs++;
    bool all = status == FO_OK && put_exact(s, p, out.slopes);
    if (status == FO_ERROR_CANCELLED) s->ended = status, s->why = why;
    foi_free(s->allocator, p);
    return all;
}

static bool slopes_by_differences(foi_search *s)
{
    size_t n = s->n, width = 1 + 2 * s->m;
    gathered g = {s, foi_new(s->allocator, (n * PLACES + 1) * width, sizeof(double))};
    if (!g.y) s->ended = fo_fail(&s->why, FO_ERROR_MEMORY, "no memory for gradients");
    if (!g.y) return false;
    fo_replicate_def runs = fo_default_replicate_def();
    runs.count = n * PLACES, runs.threads = s->def->threads, runs.allocator = s->allocator;
    runs.run = run_for, runs.merge = keep_row, runs.context = &g;
    runs.result_size = width * sizeof(double), runs.ranks = s->def->ranks;
    fo_status status = fo_replicate(&runs, &s->why);
    s->is.slope_runs += runs.count;
    if (status == FO_OK) put_slopes(s, g.y, g.y + n * PLACES * width);
    foi_free(s->allocator, g.y);
    if (status == FO_ERROR_CANCELLED || status == FO_ERROR_MEMORY) s->ended = status;
    return status == FO_OK;
}

// Differences tell whether there are slopes at all, over some length: they are taken where that is
// not known yet, or where the equations do not give all; then what the equations give is put over
// them.
bool foi_search_slopes(foi_search *s, const double *z)
{
    size_t n = s->n;
    if (s->slopes_known && memcmp(z, s->slope_z, n * sizeof *z) == 0) return s->ended == FO_OK;
    if (!foi_search_look(s, z) || ends(s)) return false;
    memcpy(s->slope_z, z, n * sizeof *z);
    s->slopes_known = false, s->roughness = INFINITY;
    bool exact = s->smooth && slopes_from_equations(s, z), finite = exact;
    if (exact) s->roughness = 0;
    if (!exact && s->ended == FO_OK) {
        finite = slopes_by_differences(s);
        exact = finite && slopes_from_equations(s, z);
        s->smooth = exact && s->roughness < 1;
    }
    for (size_t i = 0; i < n && finite; i++) finite = isfinite(s->df[i]);
    for (size_t i = 0; i < s->m * n && finite; i++) finite = isfinite(s->dc[i]);
    if (!finite) { // a neighbour cannot be run: no slope, which those who ask must look at
        memset(s->df, 0, n * sizeof *s->df);
        memset(s->dc, 0, s->m * n * sizeof *s->dc);
        s->roughness = INFINITY;
    }
    s->slopes_known = finite, s->is.exact_slopes = exact;
    return s->ended == FO_OK;
}
