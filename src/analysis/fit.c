// Numbers fitted to data: least squares by the method of Levenberg and Marquardt, with bounds.
//
// With residuals r(p) and J = dr/dp, columns scaled to unit length, a step solves
//
//     (J'J + lambda I) s = -J' r
//
// (with the weights of the loss in J and r, loss.h) for the numbers that are free: one at a bound
// whose gradient points outwards stays there. lambda falls after a step that lowers |r|^2 and rises
// after one that does not, and also where a run fails, which ends a step into a region where the
// model has no solution.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/dense.h"
#include "analysis/design.h"
#include "analysis/kink.h"
#include "analysis/loss.h"
#include "analysis/slopes.h"
#include "analysis/trial.h"
#include "base/memory.h"
#include "math/math.h"

typedef struct fit {
    fo_fit is; ///< the public part comes first
    const fo_fit_def *def;
    foi_trial experiment;
    size_t n, m; ///< numbers; residuals
    double *low, *high, *numbers;
    fo_reference **signals; ///< of every file
    foi_measures *points;   ///< of every file: what was measured, as measures; NULL: there are no
                            ///< derivatives from the equations
    size_t point_count;
    foi_loss loss;
    bool exact;
    double *p, *trial, *r, *jacobian, *scratch, *a, *lu, *g, *step, *scale;
    bool *bound, *fixed;
    size_t *pivot;
    uint32_t iterations, runs;
    double least; ///< cost of the best so far; INFINITY: there is none
    double slope_error;
    double pull;  ///< the length of the residual, weighted
    double noise; ///< the sum of squares that the tolerance of the runs alone would leave
    const fo_allocator *allocator;
} fit;

fo_fit_def fo_default_fit_def(void)
{
    return (fo_fit_def){.experiment = fo_default_experiment_def()};
}

// ------------------------------------------------------------------------------------- preparing

static fo_status read_adjust(fit *f, fo_message *why)
{
    const fo_fit_def *def = f->def;
    const fo_allocator *a = f->allocator;
    char(*names)[256] = foi_new(a, f->n + 1, sizeof *names);
    const char **list = foi_new(a, f->n + 1, sizeof *list);
    fo_status status = names && list ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
    for (size_t i = 0; i < f->n && status == FO_OK; i++) {
        foi_range range = {0};
        f->low[i] = -INFINITY, f->high[i] = INFINITY;
        list[i] = names[i];
        if (strchr(def->adjust[i], '=')) {
            status = foi_range_read(&range, def->adjust[i], a, why);
            if (status == FO_OK && (range.kind != FOI_RANGE_UNIFORM || range.count))
                status = fo_fail(why, FO_ERROR_ARGUMENT, "bounds are written as %s=LOW..HIGH",
                                 range.name);
            f->low[i] = range.a, f->high[i] = range.b;
            memcpy(names[i], range.name, sizeof range.name);
            foi_range_destroy(&range);
        } else if (strlen(def->adjust[i]) < sizeof *names) {
            strcpy(names[i], def->adjust[i]);
        }
    }
    fo_experiment_def e = def->experiment;
    if (e.rtol == 0) e.rtol = 1e-10;
    if (e.atol == 0) e.atol = 1e-12;
    if (status == FO_OK) status = foi_trial_open(&f->experiment, &e, list, f->n, why);
    f->experiment.cancelled = def->cancelled, f->experiment.self = def->self;
    foi_free(a, names);
    foi_free(a, list);
    return status;
}

static fo_status check_data(const fo_fit_data *d, fo_system system, fo_reference *signals,
                            size_t *count, fo_message *why)
{
    for (size_t k = 0; k < d->columns; k++) {
        fo_status status = fo_system_find(system, d->names[k], &signals[k], why);
        if (status != FO_OK) return status;
    }
    for (size_t i = 0; i < d->rows; i++) {
        if (!isfinite(d->times[i]) || (i && !(d->times[i] >= d->times[i - 1])))
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "the times of the data do not increase at row %zu", i + 1);
        for (size_t k = 0; k < d->columns; k++) *count += !isnan(d->values[i * d->columns + k]);
    }
    return FO_OK;
}

static fo_status read_data(fit *f, fo_message *why)
{
    fo_system system = fo_model_system(f->experiment.model);
    f->signals = foi_new(f->allocator, f->def->data_count + 1, sizeof *f->signals);
    fo_status status = f->signals ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
    for (size_t i = 0; i < f->def->data_count && status == FO_OK; i++) {
        const fo_fit_data *d = &f->def->data[i];
        f->signals[i] = foi_new(f->allocator, d->columns + 1, sizeof **f->signals);
        if (!f->signals[i]) status = fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
        if (status == FO_OK) status = check_data(d, system, f->signals[i], &f->m, why);
        // the run goes as far as the data
        if (d->rows && !(d->times[d->rows - 1] <= f->experiment.def.stop))
            f->experiment.def.stop = d->times[d->rows - 1];
    }
    if (status == FO_OK && f->m <= f->n)
        status =
            fo_fail(why, FO_ERROR_ARGUMENT,
                    "%zu measured values are too few for %zu parameters and their standard errors",
                    f->m, f->n);
    return status;
}

static fo_status make_room(fit *f, fo_message *why)
{
    size_t n = f->n, m = f->m;
    f->jacobian = foi_new(f->allocator, m * n + 6 * m + 3 * n * n + 10 * n, sizeof *f->jacobian);
    f->pivot = foi_new(f->allocator, n + 1, sizeof *f->pivot);
    f->fixed = foi_new(f->allocator, n + 1, sizeof *f->fixed);
    if (!f->jacobian || !f->pivot || !f->fixed)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
    f->r = f->jacobian + m * n, f->scratch = f->r + m, f->a = f->scratch + 5 * m;
    f->lu = f->a + n * n, f->g = f->lu + 2 * n * n, f->step = f->g + n, f->scale = f->step + n;
    f->p = f->scale + n, f->trial = f->p + n;
    return FO_OK;
}

// What was measured, as measures: at("x", 0.5).
static fo_status read_points(fit *f, size_t which, fo_message *why)
{
    enum { MOST_TEXT = 320 };
    const fo_fit_data *d = &f->def->data[which];
    size_t all = d->rows * d->columns, count = 0;
    const fo_allocator *a = f->allocator;
    char(*texts)[MOST_TEXT] = foi_new(a, all + 1, sizeof *texts);
    const char **list = foi_new(a, all + 1, sizeof *list);
    fo_status status = texts && list ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
    for (size_t i = 0; i < all && status == FO_OK; i++) {
        if (isnan(d->values[i])) continue;
        snprintf(texts[count], MOST_TEXT, "at(\"%.256s\", %.17g)", d->names[i % d->columns],
                 d->times[i / d->columns]);
        list[count] = texts[count];
        count++;
    }
    if (status == FO_OK)
        status = foi_measures_read(&f->points[which], fo_model_system(f->experiment.model), list,
                                   count, a, why);
    foi_free(a, texts);
    foi_free(a, list);
    return status;
}

static fo_status read_all_points(fit *f, fo_message *why)
{
    fo_status status = FO_OK;
    if (foi_slopes_unfit(&f->experiment)) return FO_OK;
    f->points = foi_new(f->allocator, f->def->data_count + 1, sizeof *f->points);
    if (!f->points) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
    for (; f->point_count < f->def->data_count && status == FO_OK; f->point_count++)
        status = read_points(f, f->point_count, why);
    return status;
}

// --------------------------------------------------------------------------------------- residuals

static fo_status run_one(fit *f, size_t which, const double *p, double **r, fo_message *why)
{
    const fo_fit_data *d = &f->def->data[which];
    fo_run_def run;
    fo_model *again;
    if (f->def->cancelled && f->def->cancelled(f->def->self))
        return fo_fail(why, FO_ERROR_CANCELLED, "interrupted");
    fo_simulation *sim = foi_trial_simulation(&f->experiment, p, 0, NULL, 0, &run, &again, why);
    if (!sim) return why->status;
    f->runs++;
    fo_status status = fo_simulation_start(sim);
    for (size_t i = 0; i < d->rows && !fo_failed(status); i++) {
        if (d->times[i] < run.start)
            status = fo_fail(why, FO_ERROR_ARGUMENT, "the data begin at %g, the run at %g",
                             d->times[i], run.start);
        else if (status != FO_STOPPED)
            status = foi_trial_advance(&f->experiment, sim, d->times[i]);
        if (status == FO_STOPPED && fo_simulation_time(sim) != d->times[i])
            status = fo_fail(why, FO_ERROR_MODEL, "the model stops at %g, before the data's %g",
                             fo_simulation_time(sim), d->times[i]);
        else if (fo_failed(status) && status != FO_ERROR_ARGUMENT)
            *why = *fo_simulation_message(sim);
        for (size_t k = 0; k < d->columns && !fo_failed(status); k++) {
            double y = d->values[i * d->columns + k];
            if (isnan(y)) continue;
            double tolerance = run.atol + run.rtol * fabs(y);
            *(*r)++ = fo_simulation_value(sim, f->signals[which][k]) - y;
            f->noise += tolerance * tolerance;
        }
    }
    fo_simulation_destroy(sim);
    fo_model_close(again);
    return fo_failed(status) ? status : FO_OK;
}

static fo_status residuals(fit *f, const double *p, double *r, fo_message *why)
{
    fo_status status = FO_OK;
    double *at = r;
    f->noise = 0;
    for (size_t i = 0; i < f->def->data_count && status == FO_OK; i++)
        status = run_one(f, i, p, &at, why);
    for (size_t i = 0; i < f->m && status == FO_OK; i++)
        if (!isfinite(r[i]))
            status =
                fo_fail(why, FO_ERROR_NUMBER, "a measured signal is not finite in the model's run");
    return status;
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static double cost(const fit *f, const double *r)
{
    return foi_loss_cost(f->loss, r, f->m);
}

// dr/dp_k from differences with h and h/2, extrapolated; at a bound with both on one side:
// central: (4 D(h/2) - D(h)) / 3 of fourth order; one-sided of third order. The solver's error is
// some 1e-10, so that a step of 3e-3 leaves about 1e-7.
static fo_status column(fit *f, size_t k, double *work, fo_message *why)
{
    size_t m = f->m;
    double size = fabs(f->p[k]), span = f->high[k] - f->low[k];
    if (!(size > 0)) size = isfinite(span) ? 1e-2 * span : 1;
    double h = 3e-3 * size, keep = f->p[k], error = 0, largest = 0;
    if (isfinite(span) && h > span / 4) h = span / 4;
    bool inside = keep - h >= f->low[k] && keep + h <= f->high[k];
    double side = keep + h > f->high[k] ? -1 : 1;
    const double places[4] = {inside ? -h : side * h / 4, inside ? -h / 2 : side * h / 2,
                              inside ? h / 2 : side * h, inside ? h : side * 2 * h};
    double *y[4] = {work, work + m, work + 2 * m, work + 3 * m};
    fo_status status = FO_OK;
    for (int i = 0; i < 4 && status == FO_OK; i++) {
        f->p[k] = keep + places[i];
        status = residuals(f, f->p, y[i], why);
    }
    f->p[k] = keep;
    for (size_t i = 0; i < m && status == FO_OK; i++) {
        double wide, narrow;
        if (inside) {
            wide = (y[3][i] - y[0][i]) / (2 * h), narrow = (y[2][i] - y[1][i]) / h;
            f->jacobian[k * m + i] = (4 * narrow - wide) / 3;
        } else {
            double d = side * h, r0 = f->r[i]; // (-3 f0 + 4 f(d) - f(2d)) / 2d, and with d/2
            wide = (-3 * r0 + 4 * y[1][i] - y[2][i]) / d;
            narrow = 2 * (-3 * r0 + 4 * y[0][i] - y[1][i]) / d;
            f->jacobian[k * m + i] = (4 * narrow - wide) / 3;
        }
        error = foi_fmax(error, fabs(wide - narrow)), largest = foi_fmax(largest, fabs(narrow));
    }
    // of the extrapolated value, which is better than the difference of the two by h^2
    if (largest > 0) f->slope_error = foi_fmax(f->slope_error, error / largest / 10);
    return status;
}

// All of dr/dp from the equations, a run per file. *known is false where they do not give all of
// it.
static fo_status exact_columns(fit *f, bool *known, fo_message *why)
{
    size_t row = 0, n = f->n;
    fo_status status = FO_OK;
    *known = f->points != NULL;
    for (size_t i = 0; i < f->point_count && *known && status == FO_OK; i++) {
        size_t count = f->points[i].count;
        double *room = foi_new(f->allocator, count * (n + 1) + 1, sizeof *room);
        if (!room) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
        foi_slopes out = {room, room + count, NULL, ""};
        status = foi_slopes_run(&f->experiment, &f->points[i], f->p, FOI_SLOPES_FORWARD, &out, why);
        f->runs++;
        for (size_t k = 0; k < count * n && status == FO_OK; k++) {
            *known &= isfinite(out.slopes[k]);
            f->jacobian[k % n * f->m + row + k / n] = out.slopes[k];
        }
        row += count;
        foi_free(f->allocator, room);
    }
    return status;
}

// The scaled J'J and the slope of the cost; without weights those of squares.
static void fill_normal(fit *f, bool weighted)
{
    size_t n = f->n, m = f->m;
    double *bend = f->scratch + m, *slope = bend + m;
    for (size_t i = 0; i < m; i++) {
        slope[i] = bend[i] = 1;
        if (weighted && f->loss.kind != FO_LOSS_SQUARES)
            foi_loss_weights(f->loss, f->r[i], &slope[i], &bend[i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++) {
            double sum = 0;
            const double *a = f->jacobian + i * m, *b = f->jacobian + k * m;
            for (size_t q = 0; q < m; q++) sum += a[q] * b[q] * bend[q];
            f->a[i * n + k] = f->a[k * n + i] = sum;
        }
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t q = 0; q < m; q++) sum += f->jacobian[i * m + q] * f->r[q] * slope[q];
        if (weighted) f->g[i] = sum;
        f->scale[i] = sqrt(f->a[i * n + i]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double s = f->scale[i] * f->scale[k];
            f->a[i * n + k] = s > 0 ? f->a[i * n + k] / s : 0;
        }
    f->pull = 0;
    for (size_t q = 0; q < m; q++) f->pull += f->r[q] * f->r[q] * slope[q] * slope[q] / bend[q];
    f->pull = sqrt(f->pull);
}

static fo_status slopes(fit *f, fo_message *why)
{
    f->slope_error = 0;
    fo_status status = exact_columns(f, &f->exact, why);
    if (status != FO_OK && status != FO_ERROR_CANCELLED && status != FO_ERROR_MEMORY)
        f->exact = false, status = FO_OK; // a run fails: differences say what happens
    for (size_t k = 0; k < f->n && !f->exact && status == FO_OK; k++)
        status = column(f, k, f->scratch + f->m, why);
    if (status == FO_OK) fill_normal(f, true);
    return status;
}

// --------------------------------------------------------------------------------------- iterating

// The step for the free numbers; false: the matrix is singular all the same.
static bool solve(fit *f, double lambda)
{
    size_t n = f->n;
    for (size_t i = 0; i < n; i++) {
        f->fixed[i] = !(f->scale[i] > 0) || (f->p[i] <= f->low[i] && f->g[i] > 0) ||
                      (f->p[i] >= f->high[i] && f->g[i] < 0);
        f->step[i] = f->fixed[i] ? 0 : -f->g[i] / f->scale[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            f->lu[i * n + k] = f->fixed[i] || f->fixed[k] ? (double)(i == k)
                                                          : f->a[i * n + k] + (i == k ? lambda : 0);
    if (!foi_lu_factor(n, f->lu, f->pivot)) return false;
    foi_lu_solve(n, f->lu, f->pivot, f->step);
    for (size_t i = 0; i < n; i++) {
        if (!f->fixed[i]) f->step[i] /= f->scale[i];
        if (!isfinite(f->step[i])) return false;
    }
    return true;
}

// How large the step is, by the size of the numbers.
static double take_step(fit *f)
{
    double size = 0;
    for (size_t i = 0; i < f->n; i++) {
        f->trial[i] = foi_fmin(foi_fmax(f->p[i] + f->step[i], f->low[i]), f->high[i]);
        double change = fabs(f->trial[i] - f->p[i]);
        double whole = foi_fmax(fabs(f->p[i]), fabs(f->trial[i]));
        if (change > size * whole) size = change / whole;
    }
    return size;
}

// The largest cosine between the residual and a column that is free: 0 at a minimum.
static double slant(const fit *f)
{
    double most = 0, size = f->pull;
    for (size_t i = 0; i < f->n && size > 0; i++)
        if (!f->fixed[i] && f->scale[i] > 0)
            most = foi_fmax(most, fabs(f->g[i]) / f->scale[i] / size);
    return most;
}

static void note_best(fit *f, double *best)
{
    double now = cost(f, f->r);
    if (!(now < f->least)) return;
    f->least = now;
    memcpy(best, f->p, f->n * sizeof *best);
}

// After an iteration of a start, the first of which is the model's own.
static fo_status tell(const fit *f, uint32_t start, fo_message *why)
{
    uint64_t most = f->def->max_iterations ? f->def->max_iterations : 100;
    uint64_t done = start * most + f->iterations + 1;
    uint64_t all = ((uint64_t)f->def->starts + 1) * most;
    if (!f->def->progress || f->def->progress(f->def->self, done, all)) return FO_OK;
    return fo_fail(why, FO_ERROR_CANCELLED, "interrupted");
}

// ------------------------------------------------------------------------------------------- kinks

// The measured value behind a residual.
static void find_value(const fit *f, size_t row, const char **name, double *t)
{
    for (size_t i = 0; i < f->def->data_count; i++) {
        const fo_fit_data *d = &f->def->data[i];
        for (size_t k = 0; k < d->rows * d->columns; k++) {
            if (isnan(d->values[k]) || row--) continue;
            *name = d->names[k % d->columns], *t = d->times[k / d->columns];
            return;
        }
    }
}

// Residuals and slopes beside p, so far from it that an event that stands at a measured time has
// passed it, on one side (-1) and on the other.
static fo_status look_beside(fit *f, foi_kink *k, const double *way, int side, fo_message *why)
{
    double *point = side < 0 ? k->a : k->b;
    for (size_t i = 0; i < f->n; i++)
        point[i] = f->p[i] = foi_fmin(foi_fmax(f->p[i] + side * way[i], f->low[i]), f->high[i]);
    fo_status status = residuals(f, f->p, f->r, why);
    if (status == FO_OK) status = slopes(f, why);
    memcpy(side < 0 ? k->r_a : k->r_b, f->r, f->m * sizeof *f->r);
    memcpy(side < 0 ? k->j_a : k->j_b, f->jacobian, f->m * f->n * sizeof *f->jacobian);
    return status;
}

// Both sides; p and r are as before afterwards.
static fo_status look_around(fit *f, foi_kink *k, const double *way, fo_message *why)
{
    fo_status status = FO_OK;
    double *keep = foi_new(f->allocator, f->n + f->m, sizeof *keep);
    if (!keep) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
    memcpy(keep, f->p, f->n * sizeof *keep), memcpy(keep + f->n, f->r, f->m * sizeof *keep);
    for (int side = -1; side <= 1 && status == FO_OK; side += 2) {
        status = look_beside(f, k, way, side, why);
        memcpy(f->p, keep, f->n * sizeof *keep);
    }
    memcpy(f->r, keep + f->n, f->m * sizeof *keep);
    foi_free(f->allocator, keep);
    if (status != FO_OK) return status;
    for (size_t i = 0; i < f->m; i++) {
        k->slope[i] = k->bend[i] = 1;
        if (f->loss.kind != FO_LOSS_SQUARES)
            foi_loss_weights(f->loss, f->r[i], &k->slope[i], &k->bend[i]);
    }
    foi_kink_find(k);
    return FO_OK;
}

// A short way across: down the slope, or along the normals of the planes that are known.
static void find_way(const fit *f, const foi_kink *k, double *way)
{
    const double part = 1e-6;
    double longest = 0;
    for (size_t i = 0; i < f->n; i++) {
        double s = f->scale[i] * f->scale[i], along = -f->g[i];
        for (size_t q = 0; q < k->count; q++)
            along = (q ? along : 0) + k->j_a[i * f->m + k->rows[q]] - k->j_b[i * f->m + k->rows[q]];
        way[i] = f->fixed[i] || !(s > 0) ? 0 : along / s;
        double size = fabs(f->p[i]);
        if (!(size > 0)) size = fabs(way[i]);
        if (size > 0) longest = foi_fmax(longest, fabs(way[i]) / size);
    }
    for (size_t i = 0; i < f->n && longest > 0; i++) way[i] *= part / longest;
}

// A better point on the planes. How far it is, by the size of the numbers; 0: there is none.
static double step_along(fit *f, foi_kink *k, double *best, fo_status *status, fo_message *why)
{
    double before = cost(f, f->r);
    for (double lambda = 0; lambda<1e7; lambda = lambda> 0 ? 100 * lambda : 1e-6) {
        if (!foi_kink_solve(k, f->fixed, lambda)) continue;
        for (size_t i = 0; i < f->n; i++) f->step[i] = k->a[i] + k->d[i] - f->p[i];
        double size = take_step(f);
        fo_status tried = residuals(f, f->trial, f->scratch, why);
        if (tried == FO_ERROR_CANCELLED || tried == FO_ERROR_MEMORY) return *status = tried, 0;
        if (tried != FO_OK || !(cost(f, f->scratch) < before)) continue;
        memcpy(f->p, f->trial, f->n * sizeof *f->p);
        memcpy(f->r, f->scratch, f->m * sizeof *f->r);
        note_best(f, best);
        return before - cost(f, f->r) > 1e-13 * before ? size : 0;
    }
    return 0;
}

static fo_status refuse_kink(const fit *f, const foi_kink *k, fo_message *why)
{
    const char *name = "";
    double t = 0;
    if (!k->count)
        return fo_fail(why, FO_ERROR_CONVERGE,
                       "no smaller sum of squares was found, and its gradient is not zero: it may "
                       "be discontinuous in what is adjusted");
    find_value(f, k->rows[0], &name, &t);
    return fo_fail(why, FO_ERROR_CONVERGE,
                   "no smaller sum of squares was found where '%s' at t = %.6g jumps with what is "
                   "adjusted, because an event passes that time: other starts may lead farther",
                   name, t);
}

// Where a side of a kink has a gradient that leads away from it, the search goes on there.
static bool leave(fit *f, const foi_kink *k, double *best)
{
    const double most = 1.05, least = -0.05;
    for (size_t i = 0; i < k->count; i++) {
        if (!(k->part[i] > most || k->part[i] < least)) continue;
        const double *p = k->part[i] < 0 ? k->a : k->b, *r = k->part[i] < 0 ? k->r_a : k->r_b;
        if (!(cost(f, r) < cost(f, f->r))) continue;
        memcpy(f->p, p, f->n * sizeof *f->p), memcpy(f->r, r, f->m * sizeof *f->r);
        note_best(f, best);
        return true;
    }
    return false;
}

// Nothing lowers the sum of squares, and its gradient is not zero: there may be a kink, along which
// it goes on. *moved: from one of its sides on as before; otherwise it is a minimum.
static fo_status follow_kink(fit *f, double *best, bool *moved, fo_message *why)
{
    enum { MOST = 40 };
    foi_kink *k = foi_kink_create(f->n, f->m, f->allocator);
    double *way = foi_new(f->allocator, f->n, sizeof *way), size = 1;
    fo_status status = k && way ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
    for (int i = 0; i < MOST && status == FO_OK && size > 1e-10; i++) {
        find_way(f, k, way);
        status = look_around(f, k, way, why);
        if (status == FO_OK && (!k->count || k->jumps)) status = refuse_kink(f, k, why);
        if (status == FO_OK) size = step_along(f, k, best, &status, why);
    }
    if (status == FO_OK) {
        *moved = foi_kink_solve(k, f->fixed, 0) && leave(f, k, best);
        memcpy(f->jacobian, k->j_a, f->m * f->n * sizeof *f->jacobian);
        fill_normal(f, true);
        f->is.kinks = *moved ? 0 : k->count;
    }
    foi_kink_destroy(k);
    foi_free(f->allocator, way);
    return status;
}

static fo_status iterate(fit *f, double *best, uint32_t start, fo_message *why)
{
    uint32_t most = f->def->max_iterations ? f->def->max_iterations : 100;
    double lambda = 1e-3;
    f->is.kinks = 0;
    fo_status status = residuals(f, f->p, f->r, why);
    if (status == FO_OK) note_best(f, best);
    for (f->iterations = 0; f->iterations < most && status == FO_OK; f->iterations++) {
        status = slopes(f, why);
        if (status != FO_OK) return status;
        for (;;) {
            double before = cost(f, f->r), size = INFINITY;
            bool solved = solve(f, lambda);
            if (solved) size = take_step(f);
            // nothing is left to gain: the residual stands across all columns, or is rounding
            if (solved && (before == 0 || size < 1e-12 || (slant(f) < 1e-9 && size < 1e-6)))
                return FO_OK;
            fo_status tried = solved ? residuals(f, f->trial, f->scratch, why) : FO_ERROR_CONVERGE;
            if (tried == FO_ERROR_CANCELLED || tried == FO_ERROR_MEMORY) return tried;
            double after = tried == FO_OK ? cost(f, f->scratch) : INFINITY;
            if (after < before) {
                memcpy(f->p, f->trial, f->n * sizeof *f->p);
                memcpy(f->r, f->scratch, f->m * sizeof *f->r);
                note_best(f, best);
                lambda = foi_fmax(lambda / 10, 1e-14);
                if (before - after < 1e-14 * before && size < 1e-8) return slopes(f, why);
                break;
            }
            if (lambda > 1e12 || size < 1e-10) {
                if (slant(f) < 1e-5 || before <= 100 * f->noise) return FO_OK;
                bool moved = false;
                status = follow_kink(f, best, &moved, why);
                if (status != FO_OK || !moved) return status;
                lambda = 1e-3;
                break;
            }
            lambda *= 10;
        }
        status = tell(f, start, why);
    }
    if (status != FO_OK) return status;
    return fo_fail(why, FO_ERROR_CONVERGE, "no minimum after %u iterations", (unsigned)most);
}

// Several starts: the best end counts. The first one is the model's own.
static fo_status search(fit *f, double *best, fo_message *why)
{
    size_t n = f->n;
    f->least = INFINITY;
    double *ends = best + n, least;
    fo_status status = iterate(f, best, 0, why);
    size_t kinks = f->is.kinks;
    if (status == FO_ERROR_CANCELLED || status == FO_ERROR_MEMORY) return status;
    least = status == FO_OK ? cost(f, f->r) : INFINITY;
    memcpy(ends, f->p, n * sizeof *ends);
    for (uint32_t s = 0; s < f->def->starts; s++) {
        fo_message ignored;
        for (size_t i = 0; i < n; i++) {
            fo_design design = i < FOI_SOBOL_DIMENSIONS ? FO_DESIGN_SOBOL : FO_DESIGN_RANDOM;
            double u = foi_design_unit(design, 1, s, f->def->starts, (uint32_t)i);
            f->p[i] = f->low[i] + (f->high[i] - f->low[i]) * u;
        }
        fo_status now = iterate(f, best, s + 1, &ignored);
        if (now == FO_ERROR_CANCELLED || now == FO_ERROR_MEMORY) return *why = ignored, now;
        if (now != FO_OK || cost(f, f->r) >= least) continue;
        least = cost(f, f->r), status = FO_OK, kinks = f->is.kinks;
        memcpy(ends, f->p, n * sizeof *ends);
    }
    memcpy(best, ends, n * sizeof *best); // where an iteration has come to its end
    f->is.kinks = kinks;
    if (status != FO_OK || !f->def->starts) return status;
    memcpy(f->p, best, n * sizeof *best);
    status = residuals(f, f->p, f->r, why);
    return status == FO_OK ? slopes(f, why) : status;
}

// -------------------------------------------------------------------------------------- the result

// The eigenvector of the scaled J'J with the least eigenvalue, by inverse iteration.
static void find_weakest(fit *f, double *v)
{
    size_t n = f->n;
    for (size_t i = 0; i < n * n; i++) f->lu[i] = f->a[i];
    for (size_t i = 0; i < n; i++) f->lu[i * n + i] += 1e-15, v[i] = 1 + 0.1 * (double)i;
    if (!foi_lu_factor(n, f->lu, f->pivot)) return;
    for (int k = 0; k < 20; k++) {
        foi_lu_solve(n, f->lu, f->pivot, v);
        double size = sqrt(dot(v, v, n));
        for (size_t i = 0; i < n && size > 0; i++) v[i] /= size;
    }
}

// Factors of the whole matrix. What stands at a bound might stand elsewhere in another sample of
// the data, so that the errors of the others are those that they have with it free: with it held
// they would be too small.
static void factor_all(fit *f)
{
    size_t n = f->n;
    solve(f, 0); // tells what is at a bound
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            f->lu[i * n + k] =
                f->scale[i] > 0 && f->scale[k] > 0 ? f->a[i * n + k] : (double)(i == k);
    f->is.ambiguous |= !foi_lu_factor(n, f->lu, f->pivot);
}

static void judge(fit *f, double *errors, double *correlation, double *weakest)
{
    size_t n = f->n;
    double *inverse = f->lu + n * n, *re = f->step, *im = f->trial;
    memcpy(inverse, f->a, n * n * sizeof *inverse);
    fo_status status = foi_eigenvalues(n, inverse, re, im);
    double least = status == FO_OK ? foi_fmax(re[n - 1], 0) : 0;
    f->is.condition = least > 0 ? sqrt(re[0] / least) : INFINITY;
    // a singular value that the error of the slopes could have made
    f->is.ambiguous = !(f->is.condition * foi_fmax(f->slope_error, 1e-8) < 0.1);
    find_weakest(f, weakest);
    factor_all(f);
    for (size_t k = 0; k < n; k++) {
        memset(re, 0, n * sizeof *re);
        re[k] = 1;
        foi_lu_solve(n, f->lu, f->pivot, re);
        for (size_t i = 0; i < n; i++) inverse[i * n + k] = re[i];
    }
    for (size_t i = 0; i < n; i++) {
        bool known = !f->fixed[i] && !f->is.ambiguous;
        errors[i] = known ? f->is.deviation * sqrt(inverse[i * n + i]) / f->scale[i] : NAN;
        for (size_t k = 0; k < n; k++)
            correlation[i * n + k] =
                inverse[i * n + k] / sqrt(inverse[i * n + i] * inverse[k * n + k]);
    }
}

static fo_status report(fit *f, const double *best, fo_message *why)
{
    size_t n = f->n;
    fo_fit *is = &f->is;
    (void)why;
    double *values = f->numbers, *errors = values + n, *weakest = errors + n;
    memcpy(values, best, n * sizeof *values);
    is->count = n, is->names = (const char *const *)f->experiment.names;
    is->measured = f->m, is->squares = dot(f->r, f->r, f->m);
    is->cost = cost(f, f->r), is->exact = f->exact;
    is->deviation = foi_loss_deviation(f->loss, f->r, f->m, n);
    is->iterations = f->iterations, is->runs = f->runs, is->slope_error = f->slope_error;
    for (size_t i = 0; i < n; i++) f->bound[i] = f->p[i] <= f->low[i] || f->p[i] >= f->high[i];
    if (f->loss.kind != FO_LOSS_SQUARES) fill_normal(f, false);
    judge(f, errors, weakest + n, weakest);
    is->values = values, is->errors = errors, is->weakest = weakest;
    is->correlation = weakest + n, is->at_bound = f->bound, is->residuals = f->r;
    return FO_OK;
}

// The user does not want to wait any longer: what was found so far, without errors.
static fo_status report_so_far(fit *f, const double *best)
{
    size_t n = f->n;
    fo_fit *is = &f->is;
    double *values = f->numbers;
    for (size_t i = 0; i < 3 * n + n * n; i++) f->numbers[i] = NAN;
    memcpy(values, best, n * sizeof *values);
    is->count = n, is->names = (const char *const *)f->experiment.names, is->measured = f->m;
    is->values = values, is->errors = values + n, is->weakest = values + 2 * n;
    is->correlation = values + 3 * n, is->at_bound = f->bound;
    is->cost = f->least, is->squares = f->loss.kind == FO_LOSS_SQUARES ? f->least : NAN;
    is->deviation = is->condition = NAN, is->interrupted = true;
    is->iterations = f->iterations, is->runs = f->runs, is->exact = f->exact;
    return FO_OK;
}

static fo_status begin(fit *f, fo_message *why)
{
    for (size_t i = 0; i < f->n; i++) {
        double value = foi_trial_default(&f->experiment, i);
        if (f->def->starts && !isfinite(f->high[i] - f->low[i]))
            return fo_fail(why, FO_ERROR_ARGUMENT, "several starts need bounds: %s=LOW..HIGH",
                           f->experiment.names[i]);
        f->p[i] = foi_fmin(foi_fmax(value, f->low[i]), f->high[i]);
        if (!isfinite(f->p[i]))
            return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' has no value to start from",
                           f->experiment.names[i]);
    }
    return FO_OK;
}

static fo_status fit_all(fit *f, fo_message *why)
{
    size_t n = f->n;
    f->low = foi_new(f->allocator, 2 * n + 3 * n + n * n + 2 * n + 1, sizeof *f->low);
    f->bound = foi_new(f->allocator, n + 1, sizeof *f->bound);
    if (!f->low || !f->bound) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
    f->high = f->low + n, f->numbers = f->high + n;
    if (!n) return fo_fail(why, FO_ERROR_ARGUMENT, "there is nothing to adjust");
    fo_status status = read_adjust(f, why);
    if (status == FO_OK) status = read_data(f, why);
    if (status == FO_OK) status = read_all_points(f, why);
    if (status == FO_OK) status = make_room(f, why);
    if (status == FO_OK) status = begin(f, why);
    double *best = f->numbers + 3 * n + n * n;
    if (status == FO_OK) status = search(f, best, why);
    if (status == FO_ERROR_CANCELLED && isfinite(f->least)) return report_so_far(f, best);
    return status == FO_OK ? report(f, best, why) : status;
}

fo_fit *fo_fit_create(const fo_fit_def *def, fo_message *why)
{
    const fo_allocator *a = def->experiment.model.allocator;
    fo_message local = {0};
    if (!why) why = &local;
    fit *f = foi_new(a, 1, sizeof *f);
    if (!f) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a fit");
        return NULL;
    }
    f->def = def, f->allocator = a, f->n = def->adjust_count, f->least = INFINITY;
    f->loss = (foi_loss){def->loss, def->loss_scale > 0 ? def->loss_scale : 1};
    fo_status status = fit_all(f, why);
    if (status == FO_OK) return &f->is;
    fo_fit_destroy(&f->is);
    why->status = status;
    return NULL;
}

void fo_fit_destroy(fo_fit *is)
{
    fit *f = (fit *)is;
    if (!f) return;
    const fo_allocator *a = f->allocator;
    for (size_t i = 0; f->signals && f->signals[i]; i++) foi_free(a, f->signals[i]);
    foi_free(a, f->signals);
    for (size_t i = 0; i < f->point_count; i++) foi_measures_destroy(&f->points[i]);
    foi_free(a, f->points);
    foi_free(a, f->low);
    foi_free(a, f->bound);
    foi_free(a, f->jacobian);
    foi_free(a, f->pivot);
    foi_free(a, f->fixed);
    if (f->experiment.model) foi_trial_close(&f->experiment);
    foi_free(a, f);
}
