/// Derivatives from central differences with steps of several sizes.
#ifndef FOI_ANALYSIS_DIFFERENCES_H
#define FOI_ANALYSIS_DIFFERENCES_H

#include <stdbool.h>

enum { FOI_LEVELS_OF_STEPS = 5 }; ///< each half of the one before

/// Neville's table in h^2 of (f(p + h) - f(p - h)) / 2h; the entry that differs least from its
/// neighbours counts, and by how much is its error.
void foi_extrapolate(const double *difference, double *value, double *error);
/// Whether there is a kink, from b(h) = (f(p + h) - 2 f(p) + f(p - h)) / h and the steepest slope
/// on either side.
bool foi_has_kink(const double *bend, double steepest);

#endif
