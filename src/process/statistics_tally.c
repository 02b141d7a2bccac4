#include <foliot/statistics.h>
#include <math.h>

#include "math/math.h"

// B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
// Technometrics 4 (1962), and its form for two parts by T. F. Chan, G. H. Golub and R. J. LeVeque
// (1979). With weights w instead of counts it serves values that hold for a time.

// Joins (w1, mean1, squares1) and (w2, mean2, squares2): with d = mean2 - mean1, w = w1 + w2,
//     mean = mean1 + d w2/w,   squares = squares1 + squares2 + d^2 w1 w2/w.
static void join(double w1, double *mean, double *squares, double w2, double mean2, double squares2)
{
    double w = w1 + w2, d = mean2 - *mean;
    *mean += d * (w2 / w);
    *squares += squares2 + d * d * (w1 * (w2 / w));
}

fo_tally fo_tally_start(const char *title, double time)
{
    return (fo_tally){.title = title, .start = time};
}

void fo_tally_reset(fo_tally *tally, double time)
{
    *tally = fo_tally_start(tally->title, time);
}

void fo_tally_add(fo_tally *tally, double x)
{
    tally->count++;
    double d = x - tally->mean;
    tally->mean += d / (double)tally->count;
    tally->squares += d * (x - tally->mean);
    if (tally->count == 1 || x < tally->min) tally->min = x;
    if (tally->count == 1 || x > tally->max) tally->max = x;
}

void fo_tally_merge(fo_tally *tally, const fo_tally *more)
{
    if (more->count == 0) return;
    if (tally->count == 0) tally->min = more->min, tally->max = more->max;
    join((double)tally->count, &tally->mean, &tally->squares, (double)more->count, more->mean,
         more->squares);
    tally->count += more->count;
    tally->min = foi_fmin(tally->min, more->min);
    tally->max = foi_fmax(tally->max, more->max);
}

double fo_tally_variance(const fo_tally *tally)
{
    return tally->count < 2 ? NAN : tally->squares / (double)(tally->count - 1);
}

double fo_tally_deviation(const fo_tally *tally)
{
    return sqrt(fo_tally_variance(tally));
}

double fo_tally_half_width(const fo_tally *tally, double level)
{
    if (tally->count < 2 || !(level > 0 && level < 1)) return NAN;
    double n = (double)tally->count;
    double t = -fo_student_quantile((1 - level) / 2, n - 1);
    return t * sqrt(fo_tally_variance(tally) / n);
}

fo_accumulate fo_accumulate_start(const char *title, double time, double value)
{
    return (fo_accumulate){
        .title = title, .start = time, .time = time, .value = value, .min = value, .max = value};
}

void fo_accumulate_reset(fo_accumulate *a, double time)
{
    *a = fo_accumulate_start(a->title, time, a->value);
}

static void observe_until(fo_accumulate *a, double time)
{
    double span = time - a->time;
    if (span > 0) {
        join(a->weight, &a->mean, &a->squares, span, a->value, 0);
        a->weight += span;
    }
    a->time = time;
}

void fo_accumulate_update(fo_accumulate *a, double time, double value)
{
    observe_until(a, time);
    a->count++;
    a->value = value;
    if (value < a->min) a->min = value;
    if (value > a->max) a->max = value;
}

void fo_accumulate_merge(fo_accumulate *a, const fo_accumulate *more)
{
    if (a->count == 0 && a->weight == 0) a->min = more->min, a->max = more->max;
    a->count += more->count;
    a->min = foi_fmin(a->min, more->min);
    a->max = foi_fmax(a->max, more->max);
    if (more->weight == 0) return;
    join(a->weight, &a->mean, &a->squares, more->weight, more->mean, more->squares);
    a->weight += more->weight;
}

double fo_accumulate_mean(const fo_accumulate *a, double now)
{
    fo_accumulate whole = *a;
    observe_until(&whole, now);
    return whole.weight > 0 ? whole.mean : NAN;
}

double fo_accumulate_variance(const fo_accumulate *a, double now)
{
    fo_accumulate whole = *a;
    observe_until(&whole, now);
    return whole.weight > 0 ? whole.squares / whole.weight : NAN;
}

double fo_accumulate_deviation(const fo_accumulate *a, double now)
{
    return sqrt(fo_accumulate_variance(a, now));
}
