/// Simulations that are used again: making and freeing one takes longer than a short run.
#ifndef FOI_ANALYSIS_REUSE_H
#define FOI_ANALYSIS_REUSE_H

#include "analysis/trial.h"

typedef struct foi_reuse foi_reuse;

/// One of them, as it was before its start, with what sums it up.
typedef struct foi_reused {
    foi_recorder recorder;
    fo_simulation *sim;
    fo_snapshot *fresh;
    fo_run_def run;
} foi_reused;

/// For runs of a trial that are measured so. NULL: its simulations are not used again, because a
/// measure wants rows, the model is opened anew, or it has guards, of which a simulation remembers
/// more than its state; or there is no memory.
foi_reuse *foi_reuse_create(const foi_trial *e, const foi_measures *m);
/// Takes NULL.
void foi_reuse_destroy(foi_reuse *all);
/// One that nobody uses, as new; NULL: there is none, or it could not be made as new.
foi_reused *foi_reuse_take(foi_reuse *all);
/// Keeps one whose run has ended well.
void foi_reuse_leave(foi_reuse *all, foi_reused *one);
void foi_reused_destroy(foi_reused *one);

#endif
