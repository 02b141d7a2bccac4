/// Statistics: what a simulation observes, and what can be said about it.
///
/// fo_tally and fo_accumulate are plain values; what is all zero is a valid, empty one. Reports
/// have the columns of jDisco and DEMOS. Everything can be merged: the merged parts give the
/// numbers of the whole, and the same bits whenever the parts are merged in the same order.
#ifndef FOLIOT_STATISTICS_H
#define FOLIOT_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "memory.h"
#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Observations whose times do not matter: waiting times, sizes.
typedef struct fo_tally {
    const char *title; ///< for reports, of which 12 letters are printed; must live on; may be NULL
    double start;      ///< when the count began, for reports
    uint64_t count;
    double mean;
    double squares; ///< sum of squared distances from the mean
    double min, max;
} fo_tally;

/// An empty tally that counts from `time` on.
fo_tally fo_tally_start(const char *title, double time);
/// One more observation.
void fo_tally_add(fo_tally *tally, double x);
/// Adds the observations of `more`. Title and start stay.
void fo_tally_merge(fo_tally *tally, const fo_tally *more);
/// Forgets all observations, for example at the end of a warm-up.
void fo_tally_reset(fo_tally *tally, double time);
/// The unbiased estimate, with division by count - 1; NaN below two observations.
double fo_tally_variance(const fo_tally *tally);
/// The root of the variance.
double fo_tally_deviation(const fo_tally *tally);
/// The mean is within this of the true one with probability `level` (0.95), when the observations
/// are independent and near enough to normal. NaN below two observations or for a level outside
/// (0, 1).
double fo_tally_half_width(const fo_tally *tally, double level);

/// A value that holds between the times at which it changes: queue lengths, levels. Weighted with
/// time. Time must not go back.
typedef struct fo_accumulate {
    const char *title;
    double start;
    uint64_t count;     ///< updates
    double time, value; ///< since then it has this value
    double weight;      ///< time observed until then, of which are mean and squares
    double mean, squares;
    double min, max;
} fo_accumulate;

/// From `time` on it has this value.
fo_accumulate fo_accumulate_start(const char *title, double time, double value);
/// From `time` on it has this value.
void fo_accumulate_update(fo_accumulate *a, double time, double value);
/// Adds the time that `more` has observed until its last update. The value stays.
void fo_accumulate_merge(fo_accumulate *a, const fo_accumulate *more);
/// Forgets what was, keeps the value.
void fo_accumulate_reset(fo_accumulate *a, double time);
/// Over the time from the start until `now`; NaN when that is none.
double fo_accumulate_mean(const fo_accumulate *a, double now);
/// Of the value over that time, weighted with time.
double fo_accumulate_variance(const fo_accumulate *a, double now);
/// The root of the variance.
double fo_accumulate_deviation(const fo_accumulate *a, double now);

/// Observations counted in cells of one width, and their tally.
typedef struct fo_histogram fo_histogram;
typedef struct fo_histogram_def {
    const char *title; ///< must live as long as the histogram; may be NULL
    double lower, upper;
    size_t cells; ///< between lower and upper; there is one more below and one above
    double start; ///< when the count began, for reports
    /// As jDisco did: an observation goes to the cell whose lower limit is nearest (not to the one
    /// it lies in), and reports give the deviation with division by the count.
    bool jdisco;
    const fo_allocator *allocator;
} fo_histogram_def;
/// Ten cells from 0 to 1.
fo_histogram_def fo_default_histogram_def(void);
/// NULL on failure; `why` says it.
fo_histogram *fo_histogram_create(const fo_histogram_def *def, fo_message *why);
/// One more observation.
void fo_histogram_add(fo_histogram *h, double x);
/// Returns FO_OK, or FO_ERROR_ARGUMENT when the cells differ.
fo_status fo_histogram_merge(fo_histogram *h, const fo_histogram *more, fo_message *why);
/// Forgets all observations.
void fo_histogram_reset(fo_histogram *h, double time);
/// Count, mean, deviation, least and most of all that was added.
const fo_tally *fo_histogram_tally(const fo_histogram *h);
/// Cell 0 counts what is below `lower`, 1 to `cells` what is between, `cells` + 1 the rest (and
/// NaN).
uint64_t fo_histogram_count(const fo_histogram *h, size_t cell);
/// How many cells there are between the limits.
size_t fo_histogram_cells(const fo_histogram *h);
/// Where a cell begins; cell `cells` + 1 at the upper limit, cell 0 at minus infinity.
double fo_histogram_limit(const fo_histogram *h, size_t cell);
/// The value below which the part p of the observations lies, linear inside a cell; NaN when there
/// are none.
double fo_histogram_quantile(const fo_histogram *h, double p);
/// Takes NULL.
void fo_histogram_destroy(fo_histogram *h);

/// Reports: a heading, then lines under it. Each returns FO_OK, or FO_ERROR_INPUT when writing
/// failed. The last column is the half-width of the interval for 95 %; time-weighted values have
/// none, since their observations are not independent (see fo_batch_means).
fo_status fo_report_heading(FILE *out);
/// One line.
fo_status fo_tally_report(FILE *out, const fo_tally *tally);
/// One line, for the time until `now`.
fo_status fo_accumulate_report(FILE *out, const fo_accumulate *a, double now);
/// With its own heading, the tally, and a line with a bar for each cell.
fo_status fo_histogram_report(FILE *out, const fo_histogram *h);

/// Student's t with n > 0 degrees of freedom: P(T <= t), and the t with P(T <= t) = p.
double fo_student_cdf(double t, double n);
/// NaN for p outside [0, 1], infinite at its ends.
double fo_student_quantile(double p, double n);
/// The z with P(Z <= z) = p, of the standard normal distribution.
double fo_normal_quantile(double p);

/// A steady state seen through the means of batches, which are nearly independent when they are
/// long: fo_tally_half_width(&result.means, 0.95) is then right although the observations depend on
/// each other.
typedef struct fo_batches {
    fo_tally means;
    size_t size;        ///< observations in a batch
    double correlation; ///< of neighbouring batches: should be near 0, else batches are too short
} fo_batches;
/// The first n % batches observations are left out. At least 2 batches; FO_ERROR_ARGUMENT when
/// there are fewer observations than batches.
fo_status fo_batch_means(const double *x, size_t n, size_t batches, fo_batches *result,
                         fo_message *why);

/// Welch's curve for warm-up: the mean of several runs, smoothed over `window` neighbours on each
/// side (fewer near the start). Writes n - window values to `curve`.
fo_status fo_welch(const double *const *runs, size_t run_count, size_t n, size_t window,
                   double *curve, fo_message *why);
/// The first index from which a curve stays within `tolerance` times its whole range around the
/// mean of its last half; n when it never does.
size_t fo_welch_settled(const double *curve, size_t n, double tolerance);
/// The end of the warm-up by MSER: what to leave out at the start so that the mean of the rest has
/// the smallest standard error, judged on means of `batch` observations (5 is usual). n when that
/// is in the second half: the run is too short.
size_t fo_mser(const double *x, size_t n, size_t batch);

/// A tabulated function: points, added in any order, with straight lines between them. Left of the
/// first and right of the last point the function is constant.
typedef struct fo_lookup fo_lookup;
/// NULL when memory is lacking.
fo_lookup *fo_lookup_create(const fo_allocator *allocator);
/// A point at the same x as an earlier one replaces it. FO_ERROR_NUMBER when x or y is not finite.
fo_status fo_lookup_add(fo_lookup *table, double x, double y, fo_message *why);
/// Adds `points` >= 2 points of a C function, evenly spaced over [a, b].
fo_status fo_lookup_tabulate(fo_lookup *table, double (*f)(double x, void *context), void *context,
                             double a, double b, size_t points, fo_message *why);
/// NaN when there are no points.
double fo_lookup_value(const fo_lookup *table, double x);
/// How many points there are.
size_t fo_lookup_count(const fo_lookup *table);
/// The points in rising order of x.
const double *fo_lookup_x(const fo_lookup *table);
/// And their y.
const double *fo_lookup_y(const fo_lookup *table);
/// The points as a table.
fo_status fo_lookup_report(FILE *out, const fo_lookup *table);
/// Takes NULL.
void fo_lookup_destroy(fo_lookup *table);

/// A time series: values at times that do not fall; two at one time are a jump.
typedef struct fo_series fo_series;
/// An empty one. NULL when memory is lacking.
fo_series *fo_series_create(const fo_allocator *allocator);
/// One more value. FO_ERROR_ARGUMENT when the time lies before the last one; FO_ERROR_MEMORY.
fo_status fo_series_add(fo_series *series, double time, double value, fo_message *why);
/// How many values there are.
size_t fo_series_count(const fo_series *series);
/// In their order.
const double *fo_series_times(const fo_series *series);
/// In the order of the times.
const double *fo_series_values(const fo_series *series);
/// The value at a time, the later one at a jump: linear between the points, or the last one before
/// when `held`. NaN outside.
double fo_series_at(const fo_series *series, double time, bool held);
/// The mean over time from the first point to the last.
double fo_series_mean(const fo_series *series, bool held);
/// Takes NULL.
void fo_series_destroy(fo_series *series);

#ifdef __cplusplus
}
#endif
#endif
