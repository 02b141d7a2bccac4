/// A model at one point: its rates and outputs as functions of states and inputs, with what jumps
/// held still, and their derivatives.
#ifndef FOI_ANALYSIS_POINT_H
#define FOI_ANALYSIS_POINT_H

#include "analysis/trial.h"

typedef struct foi_point {
    const foi_trial *trial;
    fo_simulation *sim;
    fo_model *again; ///< the model that was opened for it, or NULL
    fo_system system;
    fo_state s; ///< the simulation's, with inputs of our own
    double t;
    size_t n, inputs, outputs;
    double *x, *u; ///< the point; may be changed
    double *work;
    bool chooses; ///< its states while it runs, see chosen.h
    int held;     ///< guards that the solution slides along or rests on
    const fo_allocator *allocator;
} foi_point;

/// Runs the model to time `at` (not finite: its start) with these numbers. On failure nothing is
/// left to close. FO_ERROR_UNFIT: it has no rates, or it slides there.
fo_status foi_point_open(foi_point *p, const foi_trial *e, const double *values, double at,
                         fo_message *why);
/// The same at the model's start with these states, so that what it holds of relations is what is
/// true there. FO_ERROR_UNFIT also where the model does not start at them.
fo_status foi_point_open_from(foi_point *p, const foi_trial *e, const double *values,
                              const double *x, size_t n, fo_message *why);
void foi_point_close(foi_point *p);

/// Whether the model has events: what its rates are depends on what happened before.
bool foi_point_switches(const foi_point *p);
/// Whether the user wants an end.
bool foi_point_cancelled(const foi_point *p);
/// *on: a guard is zero at x, so that the rates may be others on its two sides.
fo_status foi_point_on_guard(foi_point *p, const double *x, const double *scale, bool *on,
                             fo_message *why);
/// Whether the rates at x are zero with what p holds at present.
typedef bool foi_at_rest(void *self, foi_point *p, const double *x);
/// Runs on from x, where p was opened, through the first moments that the model makes by itself.
/// *acts: it goes on making them for ever. False: after one of them x is not at rest any more.
bool foi_point_stays(foi_point *p, const double *x, foi_at_rest *at_rest, void *self, bool *acts);

/// f(x); all of it is finite, otherwise FO_ERROR_NUMBER. With a mass matrix M^-1 f.
fo_status foi_point_rates(foi_point *p, const double *x, double *f, fo_message *why);
/// df/dx by rows. *error gets 0 where the model gives it, otherwise an estimate relative to its
/// largest entry.
fo_status foi_point_jacobian(foi_point *p, const double *x, double *j, double *error,
                             fo_message *why);
/// df/du (n by inputs), dy/dx (outputs by n) and dy/du from the equations, or by extrapolated
/// differences; each may be NULL. *error gets 0 where they are from the equations.
fo_status foi_point_linear(foi_point *p, double *b, double *c, double *d, double *error,
                           fo_message *why);
/// FO_ERROR_UNFIT where a rate or an output has a kink at the point: then there is no linear
/// system.
fo_status foi_point_kinks(foi_point *p, fo_message *why);
/// True where the rates at x change with time alone.
bool foi_point_moves(foi_point *p, const double *x);

#endif
