#include <foliot/random.h>
#include <math.h>

#include "base/random_likelihood.h"
#include "base/random_unit.h"
#include "math/math.h"

// Distributions of a count. Small ones by inversion: walk up the probabilities until their sum
// passes a uniform number. Large ones by transformed rejection (W. Hoermann, "The transformed
// rejection method for generating Poisson random variables", Insurance: Mathematics and Economics
// 12 (1993), and "The generation of binomial random variates", J. Statistical Computation and
// Simulation 46 (1993)): k = floor((2 a/w + b) u + c), w = 1/2 - |u|, u uniform in [-1/2, 1/2),
// is nearly right for good a, b, c, and is kept with the probability that makes it right.

static const double SMALL = 10;     // mean below which inversion is faster
static const double LARGEST = 1e18; // mean whose counts surely fit

static int64_t small_poisson(fo_random *r, double mean)
{
    double first = foi_exp(-mean);
    for (;;) {
        double u = fo_random_unit(r), p = first;
        // beyond 100 only rounding can lead, and then the draw is made again
        for (int k = 0; k < 100; p *= mean / ++k) {
            if (u < p) return k;
            u -= p;
        }
    }
}

// PTRS of the first paper: kept when v alpha/(a/w^2 + b) <= P(k); v <= 0.9277 - 3.6224/(b - 2) with
// w >= 0.07 is always below.
static int64_t large_poisson(fo_random *r, double mean)
{
    double b = 0.931 + 2.53 * sqrt(mean), a = -0.059 + 0.02483 * b;
    double alpha = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = fo_random_unit(r) - 0.5, v = foi_random_open(r), w = 0.5 - fabs(u);
        double k = floor((2 * a / w + b) * u + mean + 0.43);
        if (w >= 0.07 && v <= sure) return (int64_t)k;
        if (k < 0 || (w < 0.013 && v > w)) continue;
        if (foi_log(v * alpha / (a / (w * w) + b)) <= foi_log_poisson(k, mean)) return (int64_t)k;
    }
}

int64_t fo_random_poisson(fo_random *r, double mean)
{
    if (!(mean >= 0 && mean <= LARGEST)) return -1;
    return mean < SMALL ? small_poisson(r, mean) : large_poisson(r, mean);
}

// (1 - p)^n: products where they are few enough to be exact, which is faster.
static double none_in(int64_t n, double p)
{
    if (n > 256) return foi_exp((double)n * foi_log1p(-p));
    double power = 1, q = 1 - p;
    for (; n; n >>= 1, q *= q)
        if (n & 1) power *= q;
    return power;
}

static int64_t small_binomial(fo_random *r, int64_t n, double p)
{
    double first = none_in(n, p), odds = p / (1 - p);
    for (;;) {
        double u = fo_random_unit(r), chance = first;
        for (int64_t k = 0; k <= n && k < 100; k++) {
            if (u < chance) return k;
            u -= chance;
            chance *= odds * (double)(n - k) / (double)(k + 1);
        }
    }
}

// BTRS of the second paper, for p <= 1/2: kept when v alpha/(a/w^2 + b) <= P(k)/P(m), m the most
// likely count.
static int64_t large_binomial(fo_random *r, double n, double p)
{
    double q = 1 - p, deviation = sqrt(n * p * q);
    double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5;
    double alpha = (2.83 + 5.1 / b) * deviation, sure = 0.92 - 4.2 / b;
    double most = NAN; // log P(m), which few draws need
    for (;;) {
        double u = fo_random_unit(r) - 0.5, v = foi_random_open(r), w = 0.5 - fabs(u);
        double k = floor((2 * a / w + b) * u + c);
        if (w >= 0.07 && v <= sure) return (int64_t)k;
        if (k < 0 || k > n) continue;
        if (isnan(most)) most = foi_log_binomial(floor((n + 1) * p), n, p, q);
        if (foi_log(v * alpha / (a / (w * w) + b)) <= foi_log_binomial(k, n, p, q) - most)
            return (int64_t)k;
    }
}

int64_t fo_random_binomial(fo_random *r, int64_t n, double p)
{
    if (!(n >= 0 && (double)n <= LARGEST && p >= 0 && p <= 1)) return -1;
    double less = p <= 0.5 ? p : 1 - p;
    int64_t k =
        (double)n * less < SMALL ? small_binomial(r, n, less) : large_binomial(r, (double)n, less);
    return p <= 0.5 ? k : n - k;
}

// An exponential number of mean 1/-log(1 - p), rounded down.
int64_t fo_random_geometric(fo_random *r, double p)
{
    if (!(p > 0 && p <= 1)) return -1;
    if (p == 1) return 0;
    double k = floor(foi_random_exponential(r) / -foi_log1p(-p));
    return k <= LARGEST ? (int64_t)k : -1;
}

// A Poisson number whose mean is gamma distributed.
int64_t fo_random_negative_binomial(fo_random *r, double n, double p)
{
    if (!(n > 0 && n < INFINITY && p > 0 && p <= 1)) return -1;
    return p == 1 ? 0 : fo_random_poisson(r, fo_random_gamma(r, n, (1 - p) / p));
}

static int64_t few_from_urn(fo_random *r, int64_t good, int64_t population, int64_t draws)
{
    int64_t found = 0;
    for (int64_t i = 0; i < draws; i++)
        found += fo_random_below(r, (uint64_t)(population - i)) < (uint64_t)(good - found);
    return found;
}

// HRUA of E. Stadlober, "The ratio of uniforms approach for generating discrete random variates",
// J. Computational and Applied Mathematics 31 (1990): k = floor(a + h (v - 1/2)/u) is kept when
// u^2 <= P(k)/P(most). Two cheaper bounds of 2 log u are tried first. For good <= bad and
// m <= half of all; 16 deviations from the mean there is nothing left.
static int64_t many_from_urn(fo_random *r, double good, double bad, double m)
{
    const double D1 = 1.7155277699214135; // 2 sqrt(2/e)
    const double D2 = 0.8989161620588988; // 3 - 2 sqrt(3/e)
    double all = good + bad, p = good / all, a = m * p + 0.5;
    double deviation = sqrt((all - m) * m * p * (1 - p) / (all - 1) + 0.5);
    double h = D1 * deviation + D2;
    double most = foi_log_hypergeometric(floor((m + 1) * (good + 1) / (all + 2)), good, bad, m);
    double end = foi_fmin(foi_fmin(m, good) + 1, floor(a + 16 * deviation));
    for (;;) {
        double u = foi_random_open(r), v = fo_random_unit(r), x = a + h * (v - 0.5) / u;
        if (x < 0 || x >= end) continue;
        double k = floor(x), t = foi_log_hypergeometric(k, good, bad, m) - most;
        if (u * (4 - u) - 3 <= t) return (int64_t)k;
        if (u * (u - t) >= 1) continue;
        if (2 * foi_log(u) <= t) return (int64_t)k;
    }
}

int64_t fo_random_hypergeometric(fo_random *r, int64_t population, int64_t good, int64_t draws)
{
    enum { FEW = 10 };
    if (!(population >= 0 && (double)population <= LARGEST && good >= 0 && good <= population &&
          draws >= 0 && draws <= population))
        return -1;
    int64_t bad = population - good, left = population - draws;
    int64_t m = draws < left ? draws : left, less = good < bad ? good : bad;
    int64_t k = m <= FEW ? few_from_urn(r, less, population, m)
                         : many_from_urn(r, (double)less, (double)(population - less), (double)m);
    if (good > bad) k = m - k;          // the bad ones were counted
    return draws > left ? good - k : k; // those that stay were drawn
}

int64_t fo_random_integer(fo_random *r, int64_t a, int64_t b)
{
    if (a > b) return INT64_MIN;
    return (int64_t)((uint64_t)a + fo_random_below(r, (uint64_t)b - (uint64_t)a + 1));
}

bool fo_random_draw(fo_random *r, double p)
{
    return fo_random_unit(r) < p;
}

int64_t fo_random_discrete(fo_random *r, const double *cumulative, size_t count)
{
    double u = fo_random_unit(r);
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cumulative[middle] > u)
            high = middle;
        else
            low = middle + 1;
    }
    return (int64_t)low;
}

int64_t fo_random_histogram(fo_random *r, const double *weights, size_t count)
{
    double sum = 0;
    size_t last = 0; // that can be drawn
    for (size_t i = 0; i < count; i++) {
        if (!(weights[i] >= 0)) return -1;
        sum += weights[i];
        if (weights[i] > 0) last = i;
    }
    if (!(sum > 0 && sum < INFINITY)) return -1;
    double place = fo_random_unit(r) * sum;
    sum = 0;
    for (size_t i = 0; i < last; i++) {
        sum += weights[i];
        if (place < sum) return (int64_t)i;
    }
    return (int64_t)last;
}
