/// The inside of an algebraic loop: where it is cut (loop.c), Newton's method (loop_newton.c), and
/// the search where that finds nothing (loop_search.c).
#ifndef FOI_DIAGRAM_LOOP_H
#define FOI_DIAGRAM_LOOP_H

#include "diagram/node.h"

typedef struct foi_cut {
    foi_signal *signal, *copy;
} foi_cut;

/// What a loop consists of; `extra` of its node.
typedef struct foi_loop {
    foi_node **members;
    uint32_t member_count;
    foi_cut *cuts;
    uint32_t cut_count;
    uint32_t width; ///< doubles of all cuts
    uint32_t kept;  ///< doubles that the members keep from moment to moment
} foi_loop;

/// Work space of a solution: n numbers each, the matrix, and what the members kept before.
typedef struct foi_loop_work {
    const foi_loop *l;
    foi_run *r;
    double *start; ///< the last solution
    double *z, *f, *dz, *trial, *trial_f, *e, *noise, *j, *before;
    uint32_t n;
    uint64_t sweeps; ///< so far
} foi_loop_work;

/// "'sum' -> 'gain' -> 'sum'".
void foi_loop_names(const foi_loop *l, char *text, size_t size);

/// f = G(z) - z. False where a node refuses or something is not finite.
bool foi_loop_sweep(foi_loop_work *w, const double *z, double *f);
/// Whether f, which was found last, is rounding.
bool foi_loop_solved(foi_loop_work *w);
/// The largest number that goes into a node of the loop or comes out of it.
double foi_loop_extent(const foi_loop_work *w);
/// Newton's method from z; z and f are the solution's where it is true.
bool foi_loop_newton(foi_loop_work *w);
/// Looks for a solution farther and farther away from the last one.
bool foi_loop_search(foi_loop_work *w);

/// The output of a loop's node.
void foi_loop_solve(const foi_node *n, foi_run *r);

#endif
