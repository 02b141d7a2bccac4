/// A search for an optimum: what the methods share.
///
/// Numbers are seen by the methods as z: from 0 to 1 between bounds (of the logarithm, where that
/// is asked for), otherwise the change from the start by its size. Conditions are seen as c(z) <= 0
/// or c(z) = 0, the difference of their sides by its scale. The objective is to be small.
#ifndef FOI_ANALYSIS_OPTIMIZE_H
#define FOI_ANALYSIS_OPTIMIZE_H

#include <foliot/analysis.h>

#include "analysis/design.h"
#include "analysis/trial.h"

typedef struct foi_search {
    fo_optimum is; ///< the public part comes first
    const fo_optimize_def *def;
    foi_trial experiment;
    foi_measures measures; ///< the objective, and both sides of every condition
    size_t n, m;
    double *origin, *size, *low, *high;            ///< of the numbers; bounds of z
    bool *logarithmic, *bounded, *equal, *swapped; ///< equal, swapped (b <= a was
    ///< written as a >= b): of the conditions
    double *scale; ///< of the conditions
    double sign;   ///< -1: the objective is to be large

    double *z;                 ///< the last point looked at
    double f, *c;              ///< and what came out
    bool known;                ///< there is one
    double *slope_z, *df, *dc; ///< the same of slopes; dc: m rows of n
    bool slopes_known;
    bool smooth;       ///< the last slopes were all from the equations, and differences agree
    const char *unfit; ///< why the equations give no slopes; NULL: they may
    double roughness;  ///< how much slopes by steps of two lengths differ, by the largest: 1 and
                       ///< more where the objective or a condition is not smooth

    double *best_z, best, best_violation, worst; ///< best: of what meets the conditions
    double *best_sides;                          ///< both sides of the conditions there
    double *lambda;                              ///< multipliers that a descent begins with
    double *numbers;                             ///< all of these lie in it
    bool *flags;
    uint64_t most;
    fo_message why;  ///< of a run that failed, or what ended the search
    fo_status ended; ///< FO_OK: it goes on
    const fo_allocator *allocator;
} foi_search;

/// Runs at z. A run that fails has the objective NaN and violates everything. False: the search is
/// to end, s->ended says why.
bool foi_search_look(foi_search *s, const double *z);
/// The slopes of the objective and the conditions at z, from the equations or by differences of
/// runs.
bool foi_search_slopes(foi_search *s, const double *z);
/// How far the worst condition is from being met; of s->c.
double foi_search_violation(const foi_search *s);
/// What a violation may be.
extern const double FOI_VIOLATION;

/// Whether the best point stands: a descent that begins there, and its neighbours, must not be
/// better. False: the search is to end.
bool foi_search_test(foi_search *s, double tolerance, bool *stands);

/// Methods. Each goes on from s->z and leaves what it found in s->best_z. FO_OK: it believes to be
/// at an optimum; FO_ERROR_CONVERGE: not.
fo_status foi_descent(foi_search *s, double tolerance);
/// One number between bounds.
fo_status foi_line_search(foi_search *s, double tolerance);
/// By NLopt; `name` is one of fo_optimize_def's. FO_ERROR_UNFIT: it is not there.
fo_status foi_nlopt(foi_search *s, const char *name, double tolerance, fo_message *why);
/// Whether the method with this name uses slopes.
bool foi_method_uses_slopes(const char *name);

#endif
