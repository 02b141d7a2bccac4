/// Zeros of a transfer function.
#ifndef FOI_ANALYSIS_ZEROS_H
#define FOI_ANALYSIS_ZEROS_H

#include <foliot/analysis.h>

/// The finite zeros from the one input to the one output; at most as many as states.
fo_status foi_zeros(const fo_linear *s, double *re, double *im, size_t *count,
                    const fo_allocator *allocator, fo_message *why);
/// Those of all inputs to all outputs together, where there are several: the finite numbers at
/// which the system's matrix has less than its usual rank.
fo_status foi_zeros_many(const fo_linear *s, double *re, double *im, size_t *count,
                         const fo_allocator *allocator, fo_message *why);
/// Zeros of what inputs do to outputs, in re and im (as many as states at most), and which of the
/// poles of s do not show there; before, `hidden` has those that ports do not reach or see.
fo_status foi_transfer(const fo_linear *s, double *re, double *im, size_t *zeros, bool *hidden,
                       const fo_allocator *allocator, fo_message *why);

#endif
