/// Eigenvalues, and what is known of them for sure.
#ifndef FOI_ANALYSIS_SPECTRUM_H
#define FOI_ANALYSIS_SPECTRUM_H

#include <foliot/memory.h>
#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Eigenvalues of a as foi_eigenvalues has them, and for each on which side of the imaginary axis
/// it lies: -1 left, 1 right, 0: on it, as far as rounding lets one know. `noise` (n n, may be
/// NULL) is how far off the entries of a may be. *singular: one of them is zero, as far as one
/// knows.
fo_status foi_spectrum(size_t n, const double *a, const double *noise, double *re, double *im,
                       int8_t *side, bool *singular, const fo_allocator *allocator);

#endif
