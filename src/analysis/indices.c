// What measures depend on over ranges: Sobol indices, and Morris' elementary effects.
#include <math.h>
#include <string.h>

#include "analysis/sensitivity.h"
#include "base/memory.h"
#include "math/math.h"

// ------------------------------------------------------------------------------------------- Sobol

static fo_status check_finite(const foi_sensitivity *s, const double *y, fo_message *why)
{
    for (size_t i = 0; i < s->m; i++)
        if (!isfinite(y[i]))
            return fo_fail(why, FO_ERROR_NUMBER,
                           "'%s' has no value in a run: first() and last() of an event that does "
                           "not happen have none",
                           s->def->measures[i]);
    return FO_OK;
}

// Ctrl-C keeps what is done: the result is that of the samples until then.
static fo_status keep_done(foi_sensitivity *s, fo_status status)
{
    s->is.interrupted = status == FO_ERROR_CANCELLED && s->done > 1;
    return s->is.interrupted ? FO_OK : status;
}

// One sample: the measures at A, at B, and at A with number i of B. A and B are the two halves of
// one point of Sobol's sequence in twice as many dimensions.
static fo_status run_sample(void *context, const fo_replication *replication, void *result,
                            fo_message *why)
{
    const foi_sensitivity *s = context;
    size_t n = s->n;
    double *p = foi_new(NULL, 3 * n, sizeof *p), *y = result;
    if (!p) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a run");
    double *a = p + n, *b = a + n;
    for (uint32_t i = 0; i < 2 * n; i++)
        a[i] = foi_range_quantile(&s->ranges[i % n],
                                  foi_design_unit(FO_DESIGN_SOBOL, s->def->seed,
                                                  replication->number, s->def->samples, i));
    fo_status status = FO_OK;
    for (size_t k = 0; k < n + 2 && status == FO_OK; k++) {
        memcpy(p, k == 1 ? b : a, n * sizeof *p);
        if (k > 1) p[k - 2] = b[k - 2];
        status = foi_trial_measure(&s->experiment, &s->measures, p, replication->number,
                                   y + k * s->m, why);
        if (status == FO_OK) status = check_finite(s, y + k * s->m, why);
    }
    foi_free(NULL, p);
    return status;
}

// Saltelli's estimate of first order, f_B (f_ABi - f_A), and Jansen's of the total, (f_A - f_ABi)^2
// / 2. The mean of the first sample is taken off first, which loses fewer digits.
static fo_status add_sample(void *context, const fo_replication *replication, void *result,
                            fo_message *why)
{
    foi_sensitivity *s = context;
    const double *y = result;
    size_t n = s->n, m = s->m;
    (void)why;
    if (replication->number == 0) memcpy(s->work, y, m * sizeof *y);
    s->done++;
    for (size_t i = 0; i < m; i++) {
        double *sum = s->sums + i * (2 + 2 * n), shift = s->work[i];
        double a = y[i] - shift, b = y[m + i] - shift;
        sum[0] += a + b, sum[1] += a * a + b * b;
        for (size_t k = 0; k < n; k++) {
            double c = y[(k + 2) * m + i] - shift;
            sum[2 + k] += b * (c - a), sum[2 + n + k] += (a - c) * (a - c) / 2;
        }
    }
    return FO_OK;
}

fo_status foi_sobol_indices(foi_sensitivity *s, fo_replicate_def *runs, fo_message *why)
{
    size_t n = s->n, m = s->m;
    if (2 * n > FOI_SOBOL_DIMENSIONS)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "Sobol indices are computed for at most %d parameters",
                       FOI_SOBOL_DIMENSIONS / 2);
    s->sums = foi_new(s->allocator, m * (2 + 2 * n), sizeof *s->sums);
    s->work = foi_new(s->allocator, m, sizeof *s->work);
    s->numbers = foi_new(s->allocator, 2 * m + 2 * m * n, sizeof *s->numbers);
    if (!s->sums || !s->work || !s->numbers)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for sensitivities");
    runs->count = s->def->samples;
    runs->run = run_sample, runs->merge = add_sample;
    runs->result_size = (n + 2) * m * sizeof(double);
    fo_status status = keep_done(s, fo_replicate(runs, why));
    if (status != FO_OK) return status;
    double count = (double)s->done;
    double *first = s->numbers + 2 * m, *total = first + m * n;
    for (size_t i = 0; i < m; i++) {
        const double *sum = s->sums + i * (2 + 2 * n);
        double mean = sum[0] / (2 * count), variance = sum[1] / (2 * count) - mean * mean;
        s->numbers[i] = s->work[i] + mean, s->numbers[m + i] = variance;
        for (size_t k = 0; k < n; k++) {
            first[i * n + k] = variance > 0 ? sum[2 + k] / count / variance : NAN;
            total[i * n + k] = variance > 0 ? sum[2 + n + k] / count / variance : NAN;
        }
    }
    s->is.values = s->numbers, s->is.variances = s->numbers + m;
    s->is.first = first, s->is.total = total;
    return FO_OK;
}

// ------------------------------------------------------------------------------------------ Morris

// One trajectory (Morris 1991): from a random point of the unit cube, one number after the other in
// a random order goes a quarter to a half of the cube up or down. The change of the measure, by
// that of the number, is its elementary effect. Steps of one length on a grid of four levels, as
// usual, do not see what repeats with that length: sin^2 over two periods seems to have no effect.
static fo_status run_trajectory(void *context, const fo_replication *replication, void *result,
                                fo_message *why)
{
    const foi_sensitivity *s = context;
    size_t n = s->n, m = s->m;
    double *u = foi_new(NULL, 2 * n + 2 * m, sizeof *u), *p = u ? u + n : NULL;
    double *y = u ? p + n : NULL, *next = u ? y + m : NULL;
    size_t *order = foi_new(NULL, n, sizeof *order);
    fo_random random = fo_random_stream(s->def->seed, replication->number);
    fo_status status = u && order ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for a run");
    for (size_t i = 0; i < n && status == FO_OK; i++) {
        uint64_t bits = fo_random_bits(&random);
        u[i] = ((double)(bits >> 40) + 0.5) / 16777216;
        size_t k = (size_t)((bits & 0xffffffff) % (i + 1)); // a random order (Fisher and Yates)
        order[i] = order[k], order[k] = i;
        p[i] = foi_range_quantile(&s->ranges[i], u[i]);
    }
    if (status == FO_OK)
        status = foi_trial_measure(&s->experiment, &s->measures, p, replication->number, y, why);
    if (status == FO_OK) status = check_finite(s, y, why);
    for (size_t k = 0; k < n && status == FO_OK; k++) {
        size_t which = order[k];
        double change = 0.25 + 0.25 * ((double)(fo_random_bits(&random) >> 40) + 0.5) / 16777216;
        if (u[which] > 0.5) change = -change;
        u[which] += change, p[which] = foi_range_quantile(&s->ranges[which], u[which]);
        status = foi_trial_measure(&s->experiment, &s->measures, p, replication->number, next, why);
        if (status == FO_OK) status = check_finite(s, next, why);
        for (size_t i = 0; i < m && status == FO_OK; i++)
            ((double *)result)[i * n + which] = (next[i] - y[i]) / change, y[i] = next[i];
    }
    foi_free(NULL, u);
    foi_free(NULL, order);
    return status;
}

static fo_status add_trajectory(void *context, const fo_replication *replication, void *result,
                                fo_message *why)
{
    foi_sensitivity *s = context;
    const double *effect = result;
    (void)why;
    s->done++;
    size_t count = s->m * s->n;
    for (size_t i = 0; i < count; i++) { // Welford
        double *sum = s->sums + 3 * i, before = effect[i] - sum[0];
        sum[0] += before / (double)(replication->number + 1);
        sum[1] += before * (effect[i] - sum[0]);
        sum[2] += fabs(effect[i]);
    }
    return FO_OK;
}

fo_status foi_morris_effects(foi_sensitivity *s, fo_replicate_def *runs, fo_message *why)
{
    size_t count = s->m * s->n;
    s->sums = foi_new(s->allocator, 3 * count, sizeof *s->sums);
    s->numbers = foi_new(s->allocator, 3 * count, sizeof *s->numbers);
    if (!s->sums || !s->numbers)
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for sensitivities");
    runs->count = s->def->trajectories;
    runs->run = run_trajectory, runs->merge = add_trajectory;
    runs->result_size = count * sizeof(double);
    fo_status status = keep_done(s, fo_replicate(runs, why));
    double r = (double)s->done;
    for (size_t i = 0; i < count && status == FO_OK; i++) {
        const double *sum = s->sums + 3 * i;
        s->numbers[i] = sum[2] / r, s->numbers[count + i] = sum[0];
        s->numbers[2 * count + i] = r > 1 ? sqrt(sum[1] / (r - 1)) : NAN;
    }
    s->is.effects = s->numbers, s->is.mean_effects = s->numbers + count;
    s->is.effect_deviations = s->numbers + 2 * count;
    return status;
}
