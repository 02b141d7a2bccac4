/// A run with its derivatives: what variation.c and variation_moment.c share.
#ifndef FOI_ANALYSIS_VARIATION_INSIDE_H
#define FOI_ANALYSIS_VARIATION_INSIDE_H

#include "analysis/dual.h"
#include "analysis/variation.h"

struct foi_variation {
    foi_program program; ///< the copy, first: the system's functions get it as their model
    fo_system_type type;
    foi_native native;
    foi_exports exports;
    fo_system system;
    const foi_direction *directions;
    size_t n, m, count;   ///< states, discretes, directions
    foi_dual flow;        ///< columns: states | directions | time
    foi_dual moment;      ///< columns: directions | time
    const fo_state *real; ///< the simulation's; others are trials. NULL: not known yet
    const char *lost;     ///< from when on nothing is known, why; NULL: all is known
    char text[192];       ///< of it
    double lost_at;

    int kinks; ///< evaluations of the rates in a row at a kink

    /* the last point: after the last step or moment */
    double t, *x, *S, *D;     ///< D: of discretes
    double *f, *bend;         ///< rates there, and their rates along the run
    double before, *x_before; ///< where the last step began; equal to t: there was none
    double rtol, atol, start; ///< of the run
    double span;

    /* the moment at work */
    bool began;              ///< start is over
    bool watched;            ///< a jump of the real state is at work
    bool pending;            ///< there were jumps since the last step
    double *X, *XD;          ///< states and discretes by directions and time
    double *turn_X, *turn_D; ///< the same after the turn that was last seen
    bool *turn_set;          ///< per state: that turn sets it
    bool has_turn;
    double *inputs;                                      ///< that it was given
    double *tau;                                         ///< per direction
    double *guard, *guard_slope, *guard_by, *guard_size; ///< at the first jump of the instant
    double event_t; ///< of the last instant whose time depends on a direction
    char cause[128];
    bool from_start; ///< the cause is the start

    /* work space */
    double *nodes_x, *A, *B, *stage, *matrix, *column, *f1, *bend1, *S1, *S2, *x1, *nodes_f;
    size_t *pivot;

    foi_variation_hooks hooks;
    const fo_allocator *allocator;
};

/// Puts the watched functions into the copy of the program and its type.
void foi_variation_watch(foi_variation *v);
/// From here on nothing is known.
__attribute__((format(printf, 3, 4))) void foi_variation_lose(foi_variation *v, double t,
                                                              const char *format, ...);
/// Takes the derivatives on to a point of the run. False: they are lost.
bool foi_variation_flow_to(foi_variation *v, const fo_state *s, double t, const double *x);
/// Looks whether a moment, or the start, has left a guard at zero by chance.
void foi_variation_look_at_guards(foi_variation *v, const fo_state *s);
/// All partial derivatives of a task of the flow at a point: columns as those of v->flow.
fo_status foi_variation_flow(foi_variation *v, const fo_state *s, foi_task task, double t,
                             const double *x);
/// The leaf that a direction is.
foi_leaf foi_variation_leaf(foi_direction d);
/// Rates at a point. False: they have no derivatives there, which are lost.
bool foi_variation_rates(foi_variation *v, const fo_state *s, double t, const double *x, double *f);

#endif
