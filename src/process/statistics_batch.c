#include <foliot/statistics.h>
#include <math.h>

#include "math/math.h"

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum / (double)n;
}

fo_status fo_batch_means(const double *x, size_t n, size_t batches, fo_batches *result,
                         fo_message *why)
{
    if (batches < 2 || n < batches)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%zu observations cannot make %zu batches: at least 2, and no empty ones", n,
                       batches);
    *result = (fo_batches){.size = n / batches};
    x += n % batches;
    for (size_t i = 0; i < batches; i++)
        fo_tally_add(&result->means, mean_of(x + i * result->size, result->size));
    double products = 0, last = 0;
    for (size_t i = 0; i < batches; i++) {
        double d = mean_of(x + i * result->size, result->size) - result->means.mean;
        products += d * last;
        last = d;
    }
    result->correlation = result->means.squares > 0 ? products / result->means.squares : 0;
    return FO_OK;
}

static double over_runs(const double *const *runs, size_t run_count, size_t i)
{
    double sum = 0;
    for (size_t run = 0; run < run_count; run++) sum += runs[run][i];
    return sum / (double)run_count;
}

// P. D. Welch, "The statistical analysis of simulation results" (1983): at index i the mean over
// the runs and over the neighbours i-w..i+w, w growing from 0 at the start to the window. The sum
// over the neighbours slides along.
fo_status fo_welch(const double *const *runs, size_t run_count, size_t n, size_t window,
                   double *curve, fo_message *why)
{
    if (run_count < 1 || window >= n)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%zu runs of %zu observations cannot be smoothed over %zu neighbours",
                       run_count, n, window);
    double sum = 0;
    for (size_t i = 0; i < n - window; i++) {
        if (i > window) {
            sum += over_runs(runs, run_count, i + window);
            sum -= over_runs(runs, run_count, i - window - 1);
        } else {
            if (i > 0) sum += over_runs(runs, run_count, 2 * i - 1);
            sum += over_runs(runs, run_count, 2 * i);
        }
        curve[i] = sum / (double)(2 * (i < window ? i : window) + 1);
    }
    return FO_OK;
}

size_t fo_welch_settled(const double *curve, size_t n, double tolerance)
{
    if (n == 0) return 0;
    double level = mean_of(curve + n / 2, n - n / 2), least = curve[0], most = curve[0];
    for (size_t i = 1; i < n; i++) {
        least = foi_fmin(least, curve[i]);
        most = foi_fmax(most, curve[i]);
    }
    size_t i = n;
    while (i > 0 && fabs(curve[i - 1] - level) <= tolerance * (most - least)) i--;
    return i;
}

// K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
// Simulation 69 (1997), on batch means: leave out the first d of k of them so that
//     sum_{j >= d} (z_j - mean_d)^2/(k - d)^2
// is smallest. The sums grow from the end, so that one pass does.
size_t fo_mser(const double *x, size_t n, size_t batch)
{
    size_t k = batch ? n / batch : 0, best = k;
    double smallest = INFINITY;
    fo_tally rest = {0};
    for (size_t d = k; d-- > 0;) {
        fo_tally_add(&rest, mean_of(x + d * batch, batch));
        // the last few alone look exact by chance
        if (rest.count < 5 && k > 10) continue;
        double error = rest.squares / ((double)rest.count * (double)rest.count);
        if (error > smallest || rest.count < 2) continue;
        smallest = error;
        best = d;
    }
    return best > k / 2 || k < 2 ? n : best * batch;
}
