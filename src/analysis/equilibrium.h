/// Where the rates are zero, from one start.
#ifndef FOI_ANALYSIS_EQUILIBRIUM_H
#define FOI_ANALYSIS_EQUILIBRIUM_H

#include "analysis/point.h"

/// Room for the iterations, for n states.
typedef struct foi_newton {
    size_t n;
    double *j, *lu, *f, *g, *dx, *x, *scale;
    size_t *pivot;
    const fo_allocator *allocator;
} foi_newton;

fo_status foi_newton_create(foi_newton *w, size_t n, const fo_allocator *allocator,
                            fo_message *why);
void foi_newton_destroy(foi_newton *w);

/// Newton's step from x; zeros where there is none.
void foi_equilibrium_step(foi_point *p, foi_newton *w, const double *x, double *dx);

/// Takes x to an equilibrium: Newton's iteration with shorter steps where it goes astray, then
/// pseudo-transient continuation. `scale` (of each state, > 0) is what its size is judged by.
/// FO_ERROR_CONVERGE: none was found from here.
fo_status foi_equilibrium_find(foi_point *p, foi_newton *w, double *x, const double *scale,
                               fo_message *why);
/// Takes x near an equilibrium that is none of those known, with what jumps held still. False: that
/// leads nowhere.
bool foi_equilibrium_deflate(foi_point *p, foi_newton *w, double *x, const double *scale,
                             const double *const *known, size_t count);
/// The same as foi_equilibrium_find for the model as it is at what is found: its relations are
/// those of x, and moments that it makes by itself leave x at rest. `p` may be replaced by a point
/// that was opened there. *doubt: "" or why eigenvalues do not tell whether it is stable: "on a
/// guard" (the rates may be others beside it), "acts" (the model acts at times of its own).
fo_status foi_equilibrium_settle(foi_point *p, const double *values, foi_newton *w, double *x,
                                 const double *scale, const char **doubt, fo_message *why);
/// What eigenvalues say: how many are right of the imaginary axis for sure, and how many on it as
/// far as rounding lets one know. `singular`: zero is one of these; `pair`: they are others.
typedef struct foi_stability {
    size_t right, on_axis;
    bool singular, pair;
} foi_stability;
/// Eigenvalues of the Jacobian at the equilibrium x, as foi_eigenvalues has them, and what they
/// say.
fo_status foi_stability_at(foi_point *p, const double *x, const double *scale, double *re,
                           double *im, foi_stability *s, fo_message *why);
/// How far f(x) is from zero: the step of Newton by the scale.
bool foi_equilibrium_is_at(foi_point *p, foi_newton *w, const double *x, const double *scale);
/// Whether the equilibrium x, where the Jacobian is singular, is one of a line of them: others
/// follow at several distances on one of its sides.
bool foi_equilibrium_is_on_line(foi_point *p, foi_newton *w, const double *x, const double *scale);
/// Whether that line goes from x to the equilibrium `to`.
bool foi_equilibrium_are_on_line(foi_point *p, foi_newton *w, const double *x, const double *to,
                                 const double *scale);

#endif
