/// How a document wants to be run: what the rooms that read documents tell `model`.
#ifndef FOI_EXPERIMENT_H
#define FOI_EXPERIMENT_H

#include <foliot/simulation.h>

/// The one form in which texts, diagrams, structures and fields say it. What is not said is 0, NULL
/// or false.
typedef struct foi_experiment {
    double start, stop; ///< [s]; stop <= start: not said
    double interval;    ///< of rows [s]
    double step;        ///< [s]
    double rtol, atol;
    bool kept; ///< an adaptive solver is kept at the step
    const char *solver;
    const char *const *plot; ///< names of signals, NULL-terminated
} foi_experiment;

/// The definition, with the defaults where nothing is said. With another solver than the document's
/// (may be NULL) nothing is kept at a step.
fo_run_def foi_experiment_run_def(foi_experiment experiment, const char *solver);

#endif
