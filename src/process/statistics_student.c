#include <foliot/statistics.h>
#include <math.h>

#include "math/math.h"

// Student's t distribution, from the incomplete beta function.

static const double pi = 3.14159265358979323846;

// Gamma(a + 1/2)/Gamma(a): sqrt(a) times a series in 1/a where a is large, and
// ratio(a) = ratio(a + 1) a/(a + 1/2) where it is not.
static double gamma_ratio(double a)
{
    double factor = 1;
    for (; a < 30; a++) factor *= a / (a + 0.5);
    double i = 1 / a, i2 = i * i;
    double series = i * (-1.0 / 8 + i2 * (1.0 / 192 + i2 * (-1.0 / 640 + i2 * (17.0 / 14336))));
    return factor * sqrt(a) * foi_exp(series);
}

// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8) by the
// method of Lentz; good for x < (a + 1)/(a + b + 2).
static double beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        h *= d * c;
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        double change = d * c;
        h *= change;
        if (fabs(change - 1) < 1e-16) break;
    }
    return h;
}

static double density(double t, double n)
{
    double power = -0.5 * (n + 1) * foi_log1p(t * t / n);
    return gamma_ratio(n / 2) / sqrt(pi * n) * foi_exp(power);
}

// For t > 0, with x = n/(n + t^2): P(T > t) = I_x(n/2, 1/2)/2 and P(0 < T < t) = I_1-x(1/2, n/2)/2.
// Sets one of them by its fraction, and the other as the rest of 1/2.
static void split(double t, double n, double *tail, double *middle)
{
    double x = n / (n + t * t), y = t * t / (n + t * t), a = n / 2;
    // x^(n/2) y^(1/2)/B(n/2, 1/2), half of it
    double front = 0.5 * foi_exp(-a * foi_log1p(t * t / n)) * sqrt(y) * gamma_ratio(a) / sqrt(pi);
    if (x < (a + 1) / (a + 2.5)) {
        *tail = front * beta_fraction(a, 0.5, x) / a;
        *middle = 0.5 - *tail;
    } else {
        *middle = front * beta_fraction(0.5, a, y) * 2;
        *tail = 0.5 - *middle;
    }
}

double fo_student_cdf(double t, double n)
{
    if (isnan(t) || !(n > 0)) return NAN;
    if (n > 1e10 || isinf(t)) return 0.5 * foi_erfc(-t / sqrt(2));
    double tail, middle;
    split(fabs(t), n, &tail, &middle);
    return t < 0 ? tail : 0.5 + middle;
}

// A first guess by Abramowitz and Stegun 26.2.23, then two steps of Halley's method for
// e(z) = P(Z > z) - q, e'' = -z e'.
static double upper_normal(double q)
{
    double w = sqrt(-2 * foi_log(q));
    double z = w - (2.515517 + w * (0.802853 + w * 0.010328)) /
                       (1 + w * (1.432788 + w * (0.189269 + w * 0.001308)));
    for (int i = 0; i < 2; i++) {
        double e = (0.5 * foi_erfc(z / sqrt(2)) - q) * sqrt(2 * pi) * foi_exp(0.5 * z * z);
        z += e / (1 - 0.5 * z * e);
    }
    return z;
}

double fo_normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
    return p < 0.5 ? -upper_normal(p) : upper_normal(1 - p);
}

// t as a series in 1/n from the normal z (Abramowitz and Stegun 26.7.5).
static double by_series(double z, double n)
{
    double z2 = z * z;
    double g1 = (z2 + 1) / 4, g2 = ((5 * z2 + 16) * z2 + 3) / 96;
    double g3 = (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z * (1 + (g1 + (g2 + g3 / n) / n) / n);
}

// Newton's method for P(0 < T < t) = 1/2 - q, which is concave: from 0 its steps never pass the
// root.
static double from_middle(double q, double n)
{
    double t = 0, tail, middle = 0;
    for (int i = 0; i < 60; i++) {
        double step = (0.5 - q - middle) / density(t, n);
        t += step;
        if (fabs(step) <= 1e-16 * t) break;
        split(t, n, &tail, &middle);
    }
    return t;
}

// Newton's method for log P(T > t) as a function of log t, which is nearly straight in the tail.
static double from_tail(double q, double n)
{
    double t = from_middle(0.1, n), tail, middle;
    for (int i = 0; i < 100; i++) {
        split(t, n, &tail, &middle);
        double step = tail * foi_log(tail / q) / (t * density(t, n));
        t *= foi_exp(step > 2 ? 2 : step);
        if (fabs(step) < 1e-15) break;
    }
    return t;
}

static double upper_student(double q, double n)
{
    if (n > 1e5) return by_series(upper_normal(q), n);
    return q > 0.1 ? from_middle(q, n) : from_tail(q, n);
}

double fo_student_quantile(double p, double n)
{
    if (!(p >= 0 && p <= 1 && n > 0)) return NAN;
    if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
    if (p == 0.5) return 0;
    return p < 0.5 ? -upper_student(p, n) : upper_student(1 - p, n);
}
