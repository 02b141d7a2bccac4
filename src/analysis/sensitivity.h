/// What the ways to sensitivities share.
#ifndef FOI_ANALYSIS_SENSITIVITY_H
#define FOI_ANALYSIS_SENSITIVITY_H

#include <foliot/ensemble.h>

#include "analysis/design.h"
#include "analysis/trial.h"

typedef struct foi_sensitivity {
    fo_sensitivity is; ///< the public part comes first
    const fo_sensitivity_def *def;
    foi_trial experiment;
    foi_measures measures;
    foi_range *ranges;
    size_t range_count, n, m;
    double *numbers; ///< all of the result
    bool *exact;     ///< per derivative
    char reason[256];
    uint64_t varied; ///< runs with derivatives along them
    uint64_t done;   ///< samples or trajectories
    double *sums;    ///< per measure and number
    double *work;    ///< results of one sample: A, B, and A with one number of B each
    const fo_allocator *allocator;
} foi_sensitivity;

/// Sobol indices over the ranges, from samples (n + 2) runs.
fo_status foi_sobol_indices(foi_sensitivity *s, fo_replicate_def *runs, fo_message *why);
/// Morris' elementary effects over the ranges, from trajectories (n + 1) runs.
fo_status foi_morris_effects(foi_sensitivity *s, fo_replicate_def *runs, fo_message *why);

#endif
