/// Zeros of a transfer function.
#ifndef FOI_ANALYSIS_ZEROS_H
#define FOI_ANALYSIS_ZEROS_H

#include <foliot/analysis.h>

/// The finite zeros from the one input to the one output; at most as many as states.
fo_status foi_zeros(const fo_linear *s, double *re, double *im, size_t *count,
                    const fo_allocator *allocator, fo_message *why);

#endif
