/// Least squares at a kink: where an event passes a measured time the signal has other slopes on
/// both sides, and the minimum of the squares may lie just there (a ball that touches the ground
/// when it is looked at, and was measured below it). No gradient is zero then.
///
/// Two points a and b lie on both sides. Row i of the residual is about r_a + J_a d before the kink
/// and r_b + J_b (d - (b - a)) behind it, d from a on; both are the same on the plane
///
///     n_i d = c_i,   n_i = J_a - J_b,   c_i = r_b - r_a - J_b (b - a).
///
/// On these planes the least of |r_a + J_a d|^2 is that of a linear system with multipliers l_i. It
/// is a minimum of all, to first order, where some mixture of both sides' gradients is zero: where
/// each t_i = -l_i / r_i, the part of side b, lies between 0 and 1.
#ifndef FOI_ANALYSIS_KINK_H
#define FOI_ANALYSIS_KINK_H

#include <foliot/memory.h>
#include <foliot/status.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct foi_kink {
    size_t n, m;                    ///< numbers; residuals
    double *a, *b;                  ///< the points
    double *r_a, *r_b, *j_a, *j_b;  ///< residuals and slopes there, columns of m
    double *slope, *bend;           ///< weights of the rows, see loss.h
    size_t *rows;                   ///< that have a kink, at most n
    size_t count;                   ///< how many; 0: none
    bool jumps;                     ///< a row jumps rather than bends
    double *matrix, *right, *scale; ///< of the linear system
    size_t *pivot;
    double *d, *part; ///< its result: the step from a, and t per row
    const fo_allocator *allocator;
} foi_kink;

/// NULL without memory.
foi_kink *foi_kink_create(size_t n, size_t m, const fo_allocator *allocator);
/// Takes NULL.
void foi_kink_destroy(foi_kink *k);
/// From points, residuals and slopes: which rows have a kink between a and b.
void foi_kink_find(foi_kink *k);
/// The step, with the numbers that are fixed left as they are, and shorter the larger `lambda` is
/// (against a matrix whose diagonal is 1). False: there is none.
bool foi_kink_solve(foi_kink *k, const bool *fixed, double lambda);

#endif
