/// How well the polynomial of a stiff step solves the equations between the step's ends.
///
/// Rows and guards are read off u(theta), so u is part of the solution. An error estimate that
/// sees only the ends says nothing of it: on x' = -k (x - g(t)) with a large h k every stage lies
/// on the slow curve x = g(t) whatever h is, the estimate is damped by 1/(h k), and between the
/// stages u is just a cubic through points of g.
///
/// What u leaves in the equations, f(t, u) - M u'/h, is J times its error where the state is stiff,
/// and about 1/h times its error where not. The iteration matrix turns both back into an error of
/// the states:
///
///     e(theta) = (fac M - J)^-1 (f(t0 + theta h, u) - M u'(theta)/h),   fac = gamma/h
///
/// J may be that of an earlier step as far as the method itself converges with it: e is then wrong
/// by no more than the rate of that convergence.
#ifndef FOI_DEFECT_H
#define FOI_DEFECT_H

#include "solver/matrix.h"
#include "solver/trial.h"

/// u(theta) = x0 + theta (p[0] + theta (p[1] + theta p[2])), and room for three vectors of n.
typedef struct foi_curve {
    const double *p[3];
    double *x, *f, *work;
} foi_curve;

enum { FOI_DEFECT_POINTS = 2 };

/// The trials of one step so far; all zero when it begins.
typedef struct foi_defect_trials {
    double h, error; ///< of the last one that was less than half as long as the one before
    int stuck;       ///< how many of these in a row were hardly better
} foi_defect_trials;

/// Makes o->error at least the largest |e_i(theta)| over the tolerance of state i, for the thetas
/// given; *worst is then the state. Needs x1, and the factors FOI_REAL. On FO_RETRY *outcome says
/// why: the model refuses a point (then c->x), or its rates there (c->f) are not finite.
///
/// An algebraic state that begins off its equation, after a jump, is off however short the step is:
/// a defect that does not shrink with the step over many trials is not the step's, and no longer
/// counts.
fo_status foi_defect(foi_solver *o, double h, const foi_curve *c,
                     const double theta[FOI_DEFECT_POINTS], foi_defect_trials *trials,
                     uint32_t *worst, foi_outcome *outcome);

#endif
