/// Derivatives from central differences with steps of several sizes.
#ifndef FOI_ANALYSIS_DIFFERENCES_H
#define FOI_ANALYSIS_DIFFERENCES_H

#include <stdbool.h>

enum { FOI_LEVELS_OF_STEPS = 5 }; ///< each half of the one before

/// Neville's table in h^2 of (f(p + h) - f(p - h)) / 2h; the entry that differs least from its
/// neighbours counts, and by how much is its error.
void foi_extrapolate(const double *difference, double *value, double *error);

typedef enum foi_sides { FOI_SIDES_AGREE, FOI_SIDES_KINK, FOI_SIDES_JUMP } foi_sides;

/// What central differences do not see: f has a kink at p, or is at p itself something else than on
/// both sides. above[k] = f(p + h_k) - f(p), below[k] = f(p) - f(p - h_k), with h_0 = h; values of
/// f are known to `noise`. *gap is the difference of the two slopes, or the jump; where the sides
/// agree, how much of a difference there may be (0: none is seen).
foi_sides foi_compare_sides(const double *above, const double *below, double h, double noise,
                            double *gap);

#endif
