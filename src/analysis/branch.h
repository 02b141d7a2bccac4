/// Equilibria that were found, and branches of them along a parameter.
#ifndef FOI_ANALYSIS_BRANCH_H
#define FOI_ANALYSIS_BRANCH_H

#include "analysis/design.h"
#include "analysis/equilibrium.h"

typedef struct foi_branches {
    const foi_trial *experiment;
    size_t n;
    bool switches; ///< the model has events
    double *scale; ///< of each state
    fo_equilibrium *list;
    size_t count, room;
    double begun, share; ///< of what is done of all: where the search for them begins, its part
    const fo_allocator *allocator;
} foi_branches;

fo_status foi_branches_scale(foi_branches *b, const double *scale, fo_message *why);
/// Whether it is one of those that are there, but for rounding.
bool foi_branches_know(const foi_branches *b, const double *x);
/// Adds an equilibrium with its eigenvalues, and what they say (may be NULL). One without a mark,
/// with a pair of them on the imaginary axis and none right of it, gets the mark "centre".
fo_status foi_branches_add(foi_branches *b, foi_point *p, const double *x, double parameter,
                           uint32_t branch, const char *mark, foi_stability *is, fo_message *why);
/// Follows equilibria at the range's beginning (from[0]), its end (from[1]) and in its middle
/// (from[2]) through the range; b gets all points. One that lies on a branch which is known begins
/// none.
fo_status foi_branches_follow(foi_branches *b, const foi_branches *from, size_t places,
                              const foi_range *range, const fo_steady_def *def, fo_message *why);
void foi_branches_destroy(foi_branches *b);

#endif
