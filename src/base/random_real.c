#include <foliot/random.h>
#include <math.h>

#include "base/random_unit.h"
#include "math/math.h"

// Distributions of a real number. A condition is written so that NaN fails it.

static bool positive(double a)
{
    return a > 0 && a < INFINITY;
}

double fo_random_uniform(fo_random *r, double a, double b)
{
    if (!(a <= b && b - a < INFINITY)) return NAN;
    double x = a + fo_random_unit(r) * (b - a);
    return x < b || a == b ? x : nextafter(b, a); // rounding may have reached b
}

double fo_random_normal(fo_random *r, double mean, double deviation)
{
    if (!(isfinite(mean) && deviation >= 0 && deviation < INFINITY)) return NAN;
    return mean + deviation * foi_random_normal(r);
}

double fo_random_negexp(fo_random *r, double rate)
{
    return positive(rate) ? foi_random_exponential(r) / rate : NAN;
}

double fo_random_exponential(fo_random *r, double mean)
{
    return mean >= 0 && mean < INFINITY ? foi_random_exponential(r) * mean : NAN;
}

// G. Marsaglia, W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000):
// d v, v = (1 + c x)^3 with x normal, d = shape - 1/3, c = 1/sqrt(9 d), is kept with probability
// exp(x^2/2 + d - d v + d log v); 1 - 0.0331 x^4 is below that. For shape >= 1.
static double large_gamma(fo_random *r, double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = foi_random_normal(r), v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        double u = foi_random_open(r), x2 = x * x;
        if (u < 1 - 0.0331 * x2 * x2 || foi_log(u) < 0.5 * x2 + d * (1 - v + foi_log(v)))
            return d * v;
    }
}

// Of scale 1. Below shape 1: that of shape + 1 times u^(1/shape) (the same paper).
static double unit_gamma(fo_random *r, double shape)
{
    if (shape >= 1) return large_gamma(r, shape);
    double power = foi_exp(-foi_random_exponential(r) / shape);
    return power * large_gamma(r, shape + 1);
}

double fo_random_gamma(fo_random *r, double shape, double scale)
{
    return positive(shape) && positive(scale) ? unit_gamma(r, shape) * scale : NAN;
}

double fo_random_erlang(fo_random *r, double rate, uint32_t stages)
{
    enum { FEW = 3 };
    if (!positive(rate) || stages == 0) return NAN;
    if (stages > FEW) return large_gamma(r, stages) / (rate * stages);
    double sum = 0;
    for (uint32_t i = 0; i < stages; i++) sum += foi_random_exponential(r);
    return sum / (rate * stages);
}

double fo_random_chi_square(fo_random *r, double n)
{
    return positive(n) ? 2 * unit_gamma(r, 0.5 * n) : NAN;
}

double fo_random_f(fo_random *r, double m, double n)
{
    if (!positive(m) || !positive(n)) return NAN;
    double above = unit_gamma(r, 0.5 * m) / m;
    return above / (unit_gamma(r, 0.5 * n) / n);
}

double fo_random_student(fo_random *r, double n)
{
    if (!positive(n)) return NAN;
    double x = foi_random_normal(r);
    return x / sqrt(2 * unit_gamma(r, 0.5 * n) / n);
}

// M. D. Joehnk, "Erzeugung von betaverteilten und gammaverteilten Zufallszahlen", Metrika 8 (1964):
// x/(x + y) with x = u^(1/a), y = v^(1/b), given x + y <= 1. Where both are too small for a double
// their logarithms do.
static double small_beta(fo_random *r, double a, double b)
{
    for (;;) {
        double log_x = -foi_random_exponential(r) / a, log_y = -foi_random_exponential(r) / b;
        if (foi_exp(log_x) + foi_exp(log_y) > 1) continue;
        return 1 / (1 + foi_exp(log_y - log_x));
    }
}

double fo_random_beta(fo_random *r, double a, double b)
{
    if (!positive(a) || !positive(b)) return NAN;
    if (a <= 1 && b <= 1) return small_beta(r, a, b);
    double x = unit_gamma(r, a), y = unit_gamma(r, b);
    return x / (x + y);
}

double fo_random_cauchy(fo_random *r, double median, double scale)
{
    if (!isfinite(median) || !positive(scale)) return NAN;
    const double pi = 3.14159265358979323846;
    return median + scale * foi_tan(pi * (fo_random_unit(r) - 0.5));
}

// With probability p an exponential number of mean `mean`/(2p), otherwise of `mean`/(2(1-p)): the
// variance is mean^2 (1/(2 p (1-p)) - 1), so that p (1-p) = 1/(2 (c + 1)), c = variance/mean^2.
double fo_random_hyperexponential(fo_random *r, double mean, double deviation)
{
    if (!(positive(mean) && deviation >= mean && deviation < INFINITY)) return NAN;
    double c = deviation / mean * (deviation / mean);
    double root = sqrt((c - 1) / (c + 1));
    double p = 1 / ((c + 1) * (1 + root)); // (1 - root)/2 without its cancellation
    double half = fo_random_unit(r) < p ? mean / p : mean / (1 - p);
    return 0.5 * half * foi_random_exponential(r);
}

double fo_random_lognormal(fo_random *r, double log_mean, double log_deviation)
{
    return foi_exp(fo_random_normal(r, log_mean, log_deviation));
}

double fo_random_triangular(fo_random *r, double min, double mode, double max)
{
    if (!(min <= mode && mode <= max && max - min < INFINITY)) return NAN;
    double range = max - min, left = mode - min, right = max - mode, u = fo_random_unit(r);
    return u * range < left ? min + sqrt(left * range * u) : max - sqrt(right * range * (1 - u));
}

double fo_random_weibull(fo_random *r, double scale, double shape)
{
    if (!positive(scale) || !positive(shape)) return NAN;
    return scale * foi_pow(foi_random_exponential(r), 1 / shape);
}

double fo_random_linear(fo_random *r, const double *p, const double *x, size_t count)
{
    if (count < 2 || p[0] != 0 || p[count - 1] != 1) return NAN;
    double u = fo_random_unit(r);
    size_t low = 0, high = count - 1; // p[low] < u <= p[high], or low is 0
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (p[middle] >= u)
            high = middle;
        else
            low = middle;
    }
    double rise = p[high] - p[low];
    return rise > 0 ? x[low] + (x[high] - x[low]) * ((u - p[low]) / rise) : x[low];
}

double fo_random_empirical(fo_random *r, const double *sample, size_t count)
{
    if (count == 0) return NAN;
    double place = fo_random_unit(r) * (double)(count - 1);
    size_t i = (size_t)place;
    if (i + 1 >= count) return sample[count - 1];
    return sample[i] + (place - (double)i) * (sample[i + 1] - sample[i]);
}
