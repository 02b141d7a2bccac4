/// Newton's method for one loop: what its parts share.
#ifndef FOI_NEWTON_H
#define FOI_NEWTON_H

#include "program/code.h"

/// Why there is no solution.
typedef enum foi_newton_end {
    FOI_NEWTON_STRAYS,    ///< no step makes the next one shorter
    FOI_NEWTON_SINGULAR,  ///< the Jacobian is
    FOI_NEWTON_MISFIT,    ///< equations stay farther from zero than rounding explains
    FOI_NEWTON_ELSEWHERE, ///< there is one, but far from the guess
} foi_newton_end;

typedef struct foi_newton_state {
    const foi_code *code;
    const foi_loop_code *loop;
    double *r;            ///< registers
    double *y, *d, *next; ///< before the step, the step, the next one
    double *size;         ///< what steps are compared with
    double *guess;        ///< where it starts from
    double *row_scale, *column_scale;
    double *entries;       ///< of the Jacobian, scaled
    double *error, *reach; ///< see foi_rounding
    double *lu;            ///< factors, or
    foi_linear large;      ///< those of a large loop
    uint32_t *pivot;
    double least;         ///< pivot, in size
    double misfit;        ///< the largest residual in units of what rounding explains
    const double *offset; ///< F = offset is solved; NULL: F = 0
    uint32_t far;         ///< the unknown that went elsewhere
    foi_newton_end end;
    foi_loop_function *evaluate;
    void *self;
} foi_newton_state;

/* newton_factor.c */

/// Scales and factors the Jacobian that is in the registers. FO_OK, FO_ERROR_CONVERGE (singular) or
/// FO_ERROR_MEMORY.
fo_status foi_newton_factor(foi_newton_state *w);
/// The same with columns in units of the unknowns as they are now.
fo_status foi_newton_factor_by_size(foi_newton_state *w);
/// d = -J^-1 F with the residuals that are in their registers.
void foi_newton_solve(foi_newton_state *w, double *d);
/// A lower bound of the norm of the scaled Jacobian's inverse, usually close.
double foi_newton_inverse_norm(foi_newton_state *w);

/* newton.c */

/// The unknowns go from their registers to w->y.
void foi_newton_keep(foi_newton_state *w);
/// Puts the unknowns where they are guessed, or aside by this share of their size.
void foi_newton_place(foi_newton_state *w, double aside);
/// From the unknowns that are in their registers to a solution.
fo_status foi_newton_iterate(foi_newton_state *w);
/// The largest residual in units of what rounding explains, and which it is.
double foi_newton_misfit(foi_newton_state *w, uint32_t *where);

/// Per equation sum_j |J_ij| |y_j|: how large its terms are.
void foi_newton_terms(const foi_newton_state *w, double *sum);

/* newton_zeros.c */

/// After a loop is solved: unknowns that nothing but rounding keeps from zero are zero.
void foi_newton_zeros(foi_newton_state *w);

/* nearest.c */

/// The solution nearest to the guesses, of those that are found.
fo_status foi_newton_nearest(foi_newton_state *w);
/// The one that is number `rank` from it on, for few unknowns; see foi_newton_rank.
fo_status foi_newton_farther(foi_newton_state *w, uint32_t rank, double reach);

/* nearest_proof.c */

enum { FOI_NEWTON_SMALL = 4 }; ///< so many unknowns can be looked for everywhere

/// Looks for nearer solutions than the best, in units s of the unknowns; distance INFINITY: there
/// is none yet. Exact for few unknowns; otherwise nothing is done.
fo_status foi_newton_exclude(foi_newton_state *w, const double *s, double *best, double *distance);
/// The solution that is number `rank` from the nearest, 0, on, up to a distance from the start
/// values. FO_ERROR_CONVERGE: there is none, or the loop is too large.
fo_status foi_newton_rank(foi_newton_state *w, const double *s, uint32_t rank, double reach);
/// The solution, if it is proved that there is no other one anywhere; for few unknowns.
fo_status foi_newton_only(foi_newton_state *w);

/* singular.c */

/// Says why there is no solution.
void foi_newton_explain(foi_newton_state *w, fo_message *message);

#endif
