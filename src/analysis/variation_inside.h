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
    const double *weights; ///< of the directions, which are one then; NULL: each is one
    size_t named;          ///< directions
    size_t n, m, count;    ///< states, discretes, columns of S
    foi_dual flow;         ///< columns: states | directions | time
    foi_dual moment;       ///< columns: directions | time
    const fo_state *real;  ///< the simulation's; others are trials. NULL: not known yet
    const char *lost;      ///< from when on nothing is known, why; NULL: all is known
    char text[192];        ///< of it
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
    double *near_g, *near_x; ///< of variation_touch.c
    size_t *pivot;

    size_t parts; ///< of the last step

    /* for the way back */
    struct foi_tape *tape; ///< that keeps what happens; NULL: none
    const double *again;   ///< registers that are given instead of those of the state
    const double *again_guesses;

    foi_variation_hooks hooks;
    const fo_allocator *allocator;
};

// Radau IIA of order 5 (Hairer and Wanner, Solving Ordinary Differential Equations II, table 5.6):
// stiff and other problems alike, since the steps are those of the run. With Z_i = S(t + c_i h)
//
//     Z_i - h sum_j a_ij A_j Z_j = S + h sum_j a_ij B_j,      S(t + h) = Z_3.
enum { FOI_STAGES = 3 };
extern const double foi_radau_c[FOI_STAGES], foi_radau_a[FOI_STAGES][FOI_STAGES];

/// Puts the watched functions into the copy of the program and its type.
void foi_variation_watch(foi_variation *v);
/// From here on nothing is known.
__attribute__((format(printf, 3, 4))) void foi_variation_lose(foi_variation *v, double t,
                                                              const char *format, ...);
/// Takes the derivatives on to a point of the run. False: they are lost.
bool foi_variation_flow_to(foi_variation *v, const fo_state *s, double t, const double *x);
/// Looks whether a guard only just misses zero in the step to (t, x)
/// that was just taken.
void foi_variation_look_for_touch(foi_variation *v, const fo_state *s, double t, const double *x);
/// The run between the last point and x1, which is h later: a part c of the way.
void foi_variation_between(const foi_variation *v, double h, const double *x1, double c, double *x);
/// Looks whether a moment, or the start, has left a guard at zero by chance.
void foi_variation_look_at_guards(foi_variation *v, const fo_state *s);
/// All partial derivatives of a task of the flow at a point: columns as those of v->flow.
fo_status foi_variation_flow(foi_variation *v, const fo_state *s, foi_task task, double t,
                             const double *x);
/// The leaf that a direction is.
foi_leaf foi_variation_leaf(foi_direction d);
/// The column of a direction, and what stands there.
static inline size_t foi_variation_column(const foi_variation *v, size_t direction)
{
    return v->weights ? 0 : direction;
}
static inline double foi_variation_weight(const foi_variation *v, size_t direction)
{
    return v->weights ? v->weights[direction] : 1;
}
/// The nodes of a step from the last point to (t, x) in so many parts: three states for each part.
/// Rates and bends are computed at both ends. False: they are not there.
bool foi_variation_nodes(foi_variation *v, double t, const double *x, size_t parts, double *nodes);
/// A = df/dx at a point. False: it is not there.
bool foi_variation_matrix(foi_variation *v, double t, const double *x, double *A);
/// Rates at a point. False: they have no derivatives there, which are lost.
bool foi_variation_rates(foi_variation *v, const fo_state *s, double t, const double *x, double *f);

#endif
