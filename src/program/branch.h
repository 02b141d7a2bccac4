/// Proofs that solutions of loops belong to one branch.
#ifndef FOI_BRANCH_H
#define FOI_BRANCH_H

#include "program/enclose.h"

/// What is known of the solutions at both ends of a way.
typedef enum foi_branch {
    FOI_BRANCH_SAME,      ///< they are points of one continuous branch
    FOI_BRANCH_UNSURE,    ///< not proved: the way is too long, or a branch ends there
    FOI_BRANCH_JUMPS,     ///< the equations themselves may jump there
    FOI_BRANCH_UNBOUNDED, ///< no proof is possible: a delay, or a loop that is too large
} foi_branch;

/// A way, and the solutions at its ends.
typedef struct foi_branch_def {
    const foi_code *code;
    foi_enclosed *r;         ///< registers; those that are given are filled, by tau
    double radius;           ///< tau goes from -radius to radius
    const double *from, *to; ///< per guess: the unknown at either end
    double *rho;             ///< per guess: how far it can be from the line between them, at most
    double *work;            ///< foi_branch_work doubles
    const double *unique;    ///< per loop of the program: it has one solution at most
} foi_branch_def;

/// A number of any size that a model has.
static inline foi_enclosed foi_enclosed_anywhere(void)
{
    const foi_interval all = {-0x1p500, 0x1p500};
    return (foi_enclosed){.range = all, .mid = all, .slope = FOI_EVERYTHING, .error = INFINITY};
}

/// Whether a loop may have several solutions and is followed from step to step.
static inline bool foi_loop_is_followed(const foi_loop_code *l)
{
    return !l->about->linear && !l->about->helps && !l->about->first_values;
}

/// `failed`: the loop for which there is no proof.
foi_branch foi_branch_prove(const foi_branch_def *def, uint32_t *failed);
size_t foi_branch_work(const foi_code *code);
/// The same for one loop alone, with all registers that it reads filled; n (2 n + 3) doubles of
/// work space. FOI_BRANCH_UNBOUNDED where it is too large.
foi_branch foi_branch_prove_loop(const foi_branch_def *def, const foi_loop_code *l);
/// What goes from a to b as tau goes from -1 to 1.
foi_enclosed foi_branch_line(double a, double b);

/* unique.c */

enum { FOI_UNIQUE_LARGEST = 64, FOI_UNIQUE_MOST = 6 }; ///< unknowns; functions in the derivatives

/// Sets unique[number of the loop] to 1 for loops that have one solution at most, to 0 for others.
/// The registers that are given are filled; `work`: foi_branch_work doubles.
void foi_branch_find_unique(const foi_code *code, foi_enclosed *r, double *work, double *unique);

#endif
