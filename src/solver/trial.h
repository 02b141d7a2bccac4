/// One step of an adaptive stiff method is a row of trials, each shorter than the one before, until
/// one is good or no shorter one makes sense. What the methods' trials have in common.
#ifndef FOI_TRIAL_H
#define FOI_TRIAL_H

#include "solver/solver.h"

/// How a trial ended when no error of the model's own ended it.
typedef enum foi_outcome {
    FOI_GOOD,       ///< an error estimate is there
    FOI_REFUSED,    ///< the model returned FO_RETRY
    FOI_SINGULAR,   ///< the matrix has no factors
    FOI_NOT_FINITE, ///< a stage is not a finite number
    FOI_DIVERGED,   ///< the iteration does not converge
} foi_outcome;

enum { FOI_SINGULAR_MAX = 12 }; ///< trials in a row with a singular matrix before giving up

/// The rates at (t1, x1), which must be finite numbers; and h_next where it is not known yet.
fo_status foi_trial_start(foi_solver *o, int order, double goal);

/// A system without states has no rates either: its step goes to the goal.
fo_status foi_trial_empty(foi_solver *o, double goal);

/// The length of a trial from t0: `h`, at most max_step, or up to the goal exactly when that is
/// reached or nearly reached (*t1 is then the goal).
double foi_trial_length(const foi_solver *o, double h, double goal, double *t1);

/// After a trial of length h that was no good: *shorter, which is what the method proposes, made
/// not less than the least step; or an error that says why there is none.
/// `x` and `f` are where a number was not finite, for the message.
fo_status foi_trial_shorter(foi_solver *o, foi_outcome why, double h, double *shorter,
                            uint32_t worst, const double *x, const double *f);

/// After an accepted step of length h, where `radius` is that of the Jacobian: counts the steps
/// with which an explicit method would have been stable, and says so in o->calm after twenty of
/// them.
void foi_trial_calm(foi_solver *o, double h, double radius);

bool foi_all_finite(const double *x, uint32_t n);

/// Step and error of the last accepted step, for the predictive controller.
typedef struct foi_controller {
    double h, error; ///< h 0: none yet
} foi_controller;

/// Gustafsson: Control-theoretic techniques for stepsize selection in implicit Runge-Kutta methods,
/// ACM TOMS 20 (1994) 496; Hairer, Wanner II, IV.8: with an error of order h^4 the step becomes
/// h / q, q = err^(1/4) / safety, and after an accepted step at least
/// q = h_acc / h (err^2 / err_acc)^(1/4) / safety; q within [least, most].
double foi_controller_step(foi_controller *c, double h, double error, double safety, double least,
                           double most, bool accepted);

#endif
