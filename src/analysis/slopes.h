/// Derivatives of measures by numbers, from the equations.
#ifndef FOI_ANALYSIS_SLOPES_H
#define FOI_ANALYSIS_SLOPES_H

#include "analysis/trial.h"

/// What came out of one run.
typedef struct foi_slopes {
    double *values;     ///< per measure
    double *slopes;     ///< measures by numbers; NaN: not known from the equations
    const char *reason; ///< why some are not, or NULL
    char text[256];
} foi_slopes;

/// Whether the equations of an experiment's model can be differentiated by all its numbers; NULL,
/// or why not.
const char *foi_slopes_unfit(const foi_trial *e);
/// With a derivative by every number along the run, or back through it for every measure.
typedef enum foi_slopes_way { FOI_SLOPES_FORWARD, FOI_SLOPES_ADJOINT } foi_slopes_way;
/// Which of them is faster.
foi_slopes_way foi_slopes_choose(const foi_trial *e, const foi_measures *m);
/// One run with its derivatives, at numbers that are given. `s` has room for values and slopes.
fo_status foi_slopes_run(const foi_trial *e, const foi_measures *m, const double *numbers,
                         foi_slopes_way way, foi_slopes *s, fo_message *why);

#endif
