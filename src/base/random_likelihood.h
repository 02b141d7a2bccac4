/// Logarithms of the probabilities of counts, exact to a few ulps for counts of any size.
#ifndef FOI_RANDOM_LIKELIHOOD_H
#define FOI_RANDOM_LIKELIHOOD_H

/// k events where `mean` > 0 are expected.
double foi_log_poisson(double k, double mean);
/// k successes in n trials, 0 < p < 1, q = 1 - p.
double foi_log_binomial(double k, double n, double p, double q);
/// k good ones in m drawn from `good` and `bad`, without the part that does not depend on k.
double foi_log_hypergeometric(double k, double good, double bad, double m);

#endif
