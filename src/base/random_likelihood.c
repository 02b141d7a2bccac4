#include "base/random_likelihood.h"

#include <math.h>

#include "math/math.h"

// C. Loader, "Fast and accurate computation of binomial probabilities" (2000): the large parts of
// log k! and of the powers cancel by hand, so that
//
//     log P(k; mean) = -log(2 pi k)/2 - s(k) - d(k, mean)
//
// s(k) = log k! - log(sqrt(2 pi k) (k/e)^k), the error of Stirling's formula;
// d(k, m) = k log(k/m) + m - k, the deviance.

static const double log_2pi = 1.8378770664093454836;

static double stirling_error(double k)
{
    static const double exact[16] = {0,
                                     0.08106146679532725822,
                                     0.041340695955409294094,
                                     0.027677925684998339149,
                                     0.020790672103765093112,
                                     0.016644691189821192163,
                                     0.013876128823070747999,
                                     0.011896709945891770095,
                                     0.010411265261972096497,
                                     0.0092554621827127329177,
                                     0.0083305634333628712565,
                                     0.007573675487951840795,
                                     0.0069428401072095298657,
                                     0.0064089941880042070684,
                                     0.0059513701127588477356,
                                     0.005554733551962801371};
    if (k < 16) return exact[(int)k];
    double k2 = k * k; // 1/(12 k) - 1/(360 k^3) + 1/(1260 k^5) - 1/(1680 k^7) + 1/(1188 k^9)
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / k2) / k2) / k2) / k2) /
           k;
}

// With v = (k - m)/(k + m): d = (k - m) v + 2 k (v^3/3 + v^5/5 + ...), used where v is small.
static double deviance(double k, double m)
{
    double v = (k - m) / (k + m);
    if (fabs(v) > 0.1) return k * foi_log(k / m) + m - k;
    double sum = (k - m) * v, power = 2 * k * v;
    for (int j = 3; j < 100; j += 2) {
        power *= v * v;
        double next = sum + power / j;
        if (next == sum) break;
        sum = next;
    }
    return sum;
}

double foi_log_poisson(double k, double mean)
{
    if (k == 0) return -mean;
    return -0.5 * (log_2pi + foi_log(k)) - stirling_error(k) - deviance(k, mean);
}

double foi_log_binomial(double k, double n, double p, double q)
{
    if (k == 0) return n * (p < 0.1 ? foi_log1p(-p) : foi_log(q));
    if (k == n) return n * (q < 0.1 ? foi_log1p(-q) : foi_log(p));
    return stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
           deviance(n - k, n * q) - 0.5 * (log_2pi + foi_log(k) + foi_log1p(-k / n));
}

// Of `good` and of `bad` each is drawn with probability p; then m altogether are drawn with
// probability B(m; good + bad, p), which does not depend on k.
double foi_log_hypergeometric(double k, double good, double bad, double m)
{
    double p = m / (good + bad), q = (good + bad - m) / (good + bad);
    return foi_log_binomial(k, good, p, q) + foi_log_binomial(m - k, bad, p, q);
}
