/// What a difference between model and data costs: C^2 rho((r/C)^2), as in SciPy's least_squares.
#ifndef FOI_ANALYSIS_LOSS_H
#define FOI_ANALYSIS_LOSS_H

#include <foliot/analysis.h>

typedef struct foi_loss {
    fo_loss kind;
    double scale; ///< C: what is much larger than that counts as an outlier
} foi_loss;

/// The sum over all differences.
double foi_loss_cost(foi_loss l, const double *r, size_t count);
/// With f = C^2 rho / 2: f' / r = rho', and f'' = rho' + 2 z rho'', but not below a small part of
/// 1: the matrix of a step must stay positive (Triggs and others, Bundle adjustment, 2000).
void foi_loss_weights(foi_loss l, double r, double *slope, double *bend);
/// The deviation that goes with it (Huber, Robust Statistics, 1981, 7.6): of psi = rho' r,
/// sqrt(sum psi^2 / (m - n)) / mean psi'; for squares the usual one.
double foi_loss_deviation(foi_loss l, const double *r, size_t count, size_t numbers);

#endif
