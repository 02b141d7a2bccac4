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
    bool any_signals;         ///< whoever runs it knows that signals may be others then
    const foi_lanes *lanes;   ///< whose system is run; NULL: the model's
    const fo_system *instead; ///< that is run in place of the model's; NULL: none
    struct foi_reuse *reuse;  ///< simulations that are used again; NULL: none are
    size_t stretch;           ///< of what is kept for the way back, see waypoints.h; 0: as usual
    const fo_allocator *allocator;
    bool (*cancelled)(void *self);
    void *self;
    /// Hears how far it is, see foi_trial_tell; false ends it. NULL: nobody does.
    bool (*progress)(void *self, uint64_t done, uint64_t count);
    double until; ///< > 0: it hears the time of a run, too, as a part of this [s]
} foi_trial;

/// Tells how much of all is done, from 0 to 1. False: it is to end.
bool foi_trial_tell(const foi_trial *e, double part);

/// Opens the model and finds what changes by name.
fo_status foi_trial_open(foi_trial *e, const fo_experiment_def *def, const char *const *names,
                         size_t count, fo_message *why);
void foi_trial_close(foi_trial *e);
/// The number that the model has itself.
double foi_trial_default(const foi_trial *e, size_t index);

enum { FOI_TRIAL_OBSERVERS = 4 };

/// Where its runs end: as the definition says, else as `run`, the model's own, does.
double foi_trial_stop(const foi_trial *e, const fo_run_def *run);

/// A simulation with these numbers, not started yet, that ends when `cancelled` says so; with at
/// most FOI_TRIAL_OBSERVERS observers. *opened gets the model that it needs, to be
/// closed after it, or NULL. NULL on failure.
fo_simulation *foi_trial_simulation(const foi_trial *e, const double *values, uint64_t number,
                                    const fo_observer *observers, uint32_t observer_count,
                                    fo_run_def *run, fo_model **opened, fo_message *why);
/// Runs it once and measures it. A model that stops itself has been run. FO_OK with a text in
/// `why`: some measures are not numbers, and it says why.
fo_status foi_trial_measure(const foi_trial *e, const foi_measures *m, const double *values,
                            uint64_t number, double *measures, fo_message *why);
/// The same, which notes what was seen by samples only; sampled may be NULL.
fo_status foi_trial_measure_noting(const foi_trial *e, const foi_measures *m, const double *values,
                                   uint64_t number, double *measures, bool *sampled,
                                   fo_message *why);

/// Lets whoever asked for all this do something else for a while.
void foi_trial_rest(const foi_trial *e);
/// fo_simulation_advance, in pieces with a rest after each.
fo_status foi_trial_advance(const foi_trial *e, fo_simulation *sim, double t);

#endif
