/// A model at one point: its rates and outputs as functions of states and inputs, with what jumps
/// held still, and their derivatives.
#ifndef FOI_ANALYSIS_POINT_H
#define FOI_ANALYSIS_POINT_H

#include "analysis/trial.h"

typedef struct foi_point {
    fo_simulation *sim;
    fo_model *again; ///< the model that was opened for it, or NULL
    fo_system system;
    fo_state s; ///< the simulation's, with inputs of our own
    double t;
    size_t n, inputs, outputs;
    double *x, *u; ///< the point; may be changed
    double *work;
    int held; ///< guards that the solution slides along or rests on
    const fo_allocator *allocator;
} foi_point;

/// Runs the model to time `at` (not finite: its start) with these numbers. On failure nothing is
/// left to close. FO_ERROR_UNFIT: it has no rates, or it slides there.
fo_status foi_point_open(foi_point *p, const foi_trial *e, const double *values, double at,
                         fo_message *why);
void foi_point_close(foi_point *p);

/// f(x); all of it is finite, otherwise FO_ERROR_NUMBER. With a mass matrix M^-1 f.
fo_status foi_point_rates(foi_point *p, const double *x, double *f, fo_message *why);
/// df/dx by rows. *error gets 0 where the model gives it, otherwise an estimate relative to its
/// largest entry.
fo_status foi_point_jacobian(foi_point *p, const double *x, double *j, double *error,
                             fo_message *why);
/// df/du (n by inputs), dy/dx (outputs by n) and dy/du by extrapolated differences; each may be
/// NULL.
fo_status foi_point_linear(foi_point *p, double *b, double *c, double *d, double *error,
                           fo_message *why);
/// True where the rates at x change with time alone.
bool foi_point_moves(foi_point *p, const double *x);

#endif
