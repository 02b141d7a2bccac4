/// Tests of shape: is a sample distributed as a distribution function or a list of probabilities
/// says? At the level 1e-3: a right generator fails one fixed seed in a thousand.
#ifndef TEST_SHAPE_H
#define TEST_SHAPE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "test.h"

/// Lower regularized incomplete gamma function: the series, or one minus Lentz's continued
/// fraction.
static inline double gamma_p(double a, double x)
{
    if (x <= 0) return 0;
    double front = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < 10000 && term > sum * 1e-16; n++) sum += term *= x / (a + n);
        return front * sum;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < 10000; i++) {
        double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15) break;
    }
    return 1 - front * h;
}

static inline double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < 10000; m++) {
        double e = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + e * d);
        c = 1 + e / c;
        h *= d * c;
        e = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + e * d);
        c = 1 + e / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-15) break;
    }
    return h;
}

/// Regularized incomplete beta function.
static inline double beta_i(double a, double b, double x)
{
    if (x <= 0 || x >= 1) return x >= 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static inline int rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Kolmogorov and Smirnov: sqrt(n) times the greatest distance between the sample's distribution
/// function and `cdf`; 1.9495 is passed once in a thousand. Sorts the sample.
static inline double kolmogorov(double *sample, size_t n, double (*cdf)(double x, const double *p),
                                const double *p)
{
    qsort(sample, n, sizeof *sample, rising);
    double greatest = 0;
    for (size_t i = 0; i < n; i++) {
        double f = cdf(sample[i], p), count = (double)n;
        greatest = fmax(greatest, fmax(f - (double)i / count, (double)(i + 1) / count - f));
    }
    return sqrt((double)n) * greatest;
}
#define KOLMOGOROV_LIMIT 1.9495

/// Pearson's chi-square of counts against probabilities, cells joined until 20 are expected, as a
/// normal deviate (Wilson and Hilferty 1931); 3.0902 is passed once in a thousand.
static inline double pearson(const int64_t *counts, const double *probabilities, size_t cells,
                             double n)
{
    double chi = 0, count = 0, expected = 0, rest = n;
    int freedom = -1;
    for (size_t i = 0; i < cells; i++) {
        count += (double)counts[i], expected += n * probabilities[i];
        rest -= n * probabilities[i];
        if (expected < 20 || (rest < 20 && i + 1 < cells)) continue;
        chi += (count - expected) * (count - expected) / expected;
        freedom++;
        count = expected = 0;
    }
    if (expected > 0) { // what is left: a last cell, which is the small one
        chi += (count - expected) * (count - expected) / fmax(expected, 1);
        freedom++;
    }
    double v = 2.0 / (9.0 * freedom);
    return (cbrt(chi / freedom) - 1 + v) / sqrt(v);
}
#define PEARSON_LIMIT 3.0902

/// Mean and variance as they should be, within four of their standard errors.
static inline void check_moments(const char *what, const double *sample, size_t n, double mean,
                                 double variance)
{
    double sum = 0, second = 0, fourth = 0, count = (double)n;
    for (size_t i = 0; i < n; i++) sum += sample[i];
    double found = sum / count;
    for (size_t i = 0; i < n; i++) {
        double d = sample[i] - mean, d2 = d * d;
        second += d2, fourth += d2 * d2;
    }
    second /= count, fourth /= count;
    double mean_error = sqrt(variance / count);
    double variance_error = sqrt(fmax(fourth - second * second, 0) / count);
    if (!(fabs(found - mean) <= 4 * mean_error + 1e-12 * fabs(mean)))
        test_fail(__FILE__, __LINE__, "%s: mean %.9g, not %.9g (error %.2g)", what, found, mean,
                  mean_error);
    if (!(fabs(second - variance) <= 4 * variance_error + 1e-12 * variance))
        test_fail(__FILE__, __LINE__, "%s: variance %.9g, not %.9g (error %.2g)", what, second,
                  variance, variance_error);
}

#endif
