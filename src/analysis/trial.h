/// One model that is run again and again with other numbers.
#ifndef FOI_ANALYSIS_TRIAL_H
#define FOI_ANALYSIS_TRIAL_H

#include <foliot/analysis.h>

#include "analysis/lanes.h"
#include "analysis/measure.h"

typedef struct foi_trial {
    fo_experiment_def def;
    fo_model *model; ///< open for as long as the experiment; worlds are opened again for every run
    char **names;    ///< of what changes, in full
    bool *fixed;     ///< it is set when the model is opened, not before the start
    size_t count;
    bool reopen;
    const foi_lanes *lanes;   ///< whose system is run; NULL: the model's
    const fo_system *instead; ///< that is run in place of the model's; NULL: none
    const fo_allocator *allocator;
    bool (*cancelled)(void *self);
    void *self;
} foi_trial;

/// Opens the model and finds what changes by name.
fo_status foi_trial_open(foi_trial *e, const fo_experiment_def *def, const char *const *names,
                         size_t count, fo_message *why);
void foi_trial_close(foi_trial *e);
/// The number that the model has itself.
double foi_trial_default(const foi_trial *e, size_t index);

enum { FOI_TRIAL_OBSERVERS = 4 };

/// A simulation with these numbers, not started yet, that ends when `cancelled` says so; with at
/// most FOI_TRIAL_OBSERVERS observers. *opened gets the model that it needs, to be
/// closed after it, or NULL. NULL on failure.
fo_simulation *foi_trial_simulation(const foi_trial *e, const double *values, uint64_t number,
                                    const fo_observer *observers, uint32_t observer_count,
                                    fo_run_def *run, fo_model **opened, fo_message *why);
/// Runs it once and measures it. A model that stops itself has been run.
fo_status foi_trial_measure(const foi_trial *e, const foi_measures *m, const double *values,
                            uint64_t number, double *measures, fo_message *why);

#endif
