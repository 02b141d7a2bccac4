/// Newton's method for one loop: what its parts share.
#ifndef FOI_NEWTON_H
#define FOI_NEWTON_H

#include "program/code.h"
#include "program/pairs.h"

/// Why there is no solution.
typedef enum foi_newton_end {
    FOI_NEWTON_STRAYS,     ///< no step makes the next one shorter
    FOI_NEWTON_SINGULAR,   ///< the Jacobian is
    FOI_NEWTON_MISFIT,     ///< equations stay farther from zero than rounding explains
    FOI_NEWTON_ELSEWHERE,  ///< there is one, but far from the guess
    FOI_NEWTON_NUMBERLESS, ///< something that the loop is given is not a number
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
    double *low;           ///< what the unknowns have beyond doubles, and twice as much work space
    const double *beyond;  ///< what all registers have beyond doubles; NULL: nothing
    double *lu;            ///< factors, or
    foi_linear large;      ///< those of a large loop
    double *sides;         ///< FOI_NEWTON_SIDES per unknown
    uint64_t *columns;     ///< per row of dense factors: which of up to 64 are not zero
    uint32_t *pivot;
    double least;         ///< pivot, in size
    double misfit;        ///< the largest residual in units of what rounding explains
    double *spread;       ///< per register: by how much unknowns may be off goes here; or NULL
    const double *offset; ///< F = offset is solved; NULL: F = 0
    uint32_t far;         ///< the unknown that went elsewhere
    bool fresh;           ///< the last factors are those of the Jacobian at the solution
    foi_newton_end end;
    foi_loop_function *evaluate;
    void *self;
} foi_newton_state;

/* newton_factor.c */

enum { FOI_NEWTON_SIDES = 8 }; ///< right sides that are solved for at once

/// Scales and factors the Jacobian that is in the registers. FO_OK, FO_ERROR_CONVERGE (singular) or
/// FO_ERROR_MEMORY.
fo_status foi_newton_factor(foi_newton_state *w);
/// The same with columns in units of the unknowns as they are now.
fo_status foi_newton_factor_by_size(foi_newton_state *w);
/// d = -J^-1 F with the residuals that are in their registers.
void foi_newton_solve(foi_newton_state *w, double *d);
/// d := -J^-1 d.
void foi_newton_correct(foi_newton_state *w, double *d);
/// The same for the right sides in w->sides, those of an equation side by side.
void foi_newton_correct_sides(foi_newton_state *w);
/// d := what |J^-1| d is at most, for d >= 0; of a loop with dense factors.
void foi_newton_bound(const foi_newton_state *w, double *d);
/// A lower bound of the norm of the scaled Jacobian's inverse, usually close.
double foi_newton_inverse_norm(foi_newton_state *w);

/* newton.c */

/// The work space is the run's. What was factored, `large`, is to be destroyed.
foi_newton_state foi_newton_begin(const foi_code *code, const foi_loop_code *loop, foi_run *run,
                                  foi_loop_function *evaluate, void *self);
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

/* newton_pairs.c */

foi_pair foi_pair_apply(foi_op op, foi_pair a, foi_pair b, foi_pair c);

/// The residuals at unknowns that are those in their registers and `low` together, right to some
/// 100 bits of their terms. Uses w->error and w->reach. False: something in them has no pairs.
bool foi_newton_pairs(foi_newton_state *w, const double *low, double *residual);

/// After foi_newton_pairs: derivatives of the residuals there by an unknown, or by what comes from
/// outside of the loop. `slope` is work space, per register.
void foi_newton_pairs_slopes(const foi_newton_state *w, uint32_t by_register, foi_pair *slope,
                             foi_pair *column);
/// Whether operand k comes from outside, and was rounded there. Whole numbers that stand in the
/// text are what they are.
bool foi_newton_is_rounded(const foi_newton_state *w, const foi_instruction *x, uint32_t k);

/* newton_fine.c */

#define FOI_NEWTON_PAIRED 0x1p-103 ///< what pairs are rounded by

/// After a loop is solved: every unknown to its own last digits; those that nothing but rounding
/// keeps from zero are zero. Where that cannot be had they stay what they are. FO_OK,
/// FO_ERROR_CONVERGE (only rounding made the loop regular) or FO_ERROR_MEMORY.
fo_status foi_newton_fine(foi_newton_state *w);
/// The same from the unknowns in w->y, which are near the solution. FO_ERROR_CONVERGE: one of them
/// does not come to rest. By how much each may be off in units of FOI_NEWTON_PAIRED is in
/// w->spread.
fo_status foi_newton_settle(foi_newton_state *w);
/// The same, where it may stay open how many digits of an unknown are right: whoever calls it looks
/// whether the equations hold.
fo_status foi_newton_rest(foi_newton_state *w);
/// After a loop looked singular: it is solved in pairs, and FO_OK if what was rounded before cannot
/// have made it so. FO_ERROR_CONVERGE: it is singular.
fo_status foi_newton_rescue(foi_newton_state *w);

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
