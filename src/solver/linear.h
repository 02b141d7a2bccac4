/// Linear systems with fac M - J, by LU factors with partial pivoting: dense, banded or sparse,
/// with real or complex numbers. The kind is chosen by the pattern.
///
/// The factors' bits depend only on the pattern, the values and (sparse) on the pivots that were
/// given, never on what was factored before.
#ifndef FOI_LINEAR_H
#define FOI_LINEAR_H

#include <foliot/system.h>

#include "base/memory.h"

typedef struct foi_complex {
    double re, im;
} foi_complex;

typedef enum foi_linear_kind {
    FOI_LINEAR_CHOOSE,
    FOI_LINEAR_DENSE,
    FOI_LINEAR_BAND,
    FOI_LINEAR_SPARSE,
} foi_linear_kind;

/// What is to be factored.
typedef struct foi_linear_def {
    uint32_t n;
    const fo_pattern *pattern; ///< of J; NULL: all n*n by columns
    const double *mass;        ///< M, n*n by columns, read for its zeros only; NULL: the identity
    bool pairs;                ///< fac and the right-hand sides are complex
    foi_linear_kind kind;
    const uint32_t *order; ///< of the columns for sparse factors, if it is known: l.sparse.order of
    size_t fill;           ///< an earlier preparation for this pattern, and its l.fill
    const fo_allocator *allocator;
} foi_linear_def;

#define FOI_NONE UINT32_MAX

/// The sparse factors: P A Q = L U with unit lower L. Rows of L are A's, those of U are positions.
typedef struct foi_sparse {
    uint32_t *order;     ///< column at each position: Q
    uint32_t *pivot_row; ///< row chosen at each position: P
    uint32_t *position;  ///< of each row; FOI_NONE: not chosen yet
    uint32_t *l_start, *l_row, *u_start, *u_row;
    void *l, *u, *diagonal;
    double *scale; ///< per row: one over its largest entry
    size_t l_room, u_room;
    uint32_t *mark, *stack, *reach, *candidates;
    void *work;
    bool known; ///< the patterns of L and U are those of pivot_row
} foi_sparse;

typedef struct foi_linear {
    uint32_t n;
    foi_linear_kind kind;
    bool pairs;    ///< complex numbers
    size_t number; ///< bytes of a real or complex number
    /* pattern of J, M and the diagonal together, by columns; NULL: everywhere */
    uint32_t *start, *row;
    uint32_t *source; ///< of each entry: index into J's values, or FOI_NONE
    uint32_t lower, upper;
    size_t fill;     ///< entries of L when all pivots are on the diagonal (sparse)
    void *values;    ///< dense and band: the factors; sparse: the matrix itself
    uint32_t *pivot; ///< dense and band
    foi_sparse sparse;
    const fo_allocator *allocator;
} foi_linear;

/// Makes room for factors; chooses the kind. The structure must be zero or prepared before.
/// FO_OK or FO_ERROR_MEMORY.
fo_status foi_linear_prepare(foi_linear *l, const foi_linear_def *def);
void foi_linear_destroy(foi_linear *l);

/// Factors fac M - J. `mass` may be NULL (identity). `pivots` (sparse only, may be NULL): n rows to
/// use as pivots in this order where they are good enough, otherwise replaced by those that were
/// taken; all zero: none are known. Known pivots make it several times cheaper.
/// FO_OK; FO_ERROR_CONVERGE: singular or not finite; FO_ERROR_MEMORY. No message is written.
fo_status foi_linear_factor(foi_linear *l, foi_complex fac, const double *jacobian,
                            const double *mass, uint32_t *pivots);

/// b = A^-1 b with the last factors; b holds n doubles, or n foi_complex.
void foi_linear_solve(foi_linear *l, void *b);

/// The size of the smallest pivot of the last factors, real numbers only.
double foi_linear_least_pivot(const foi_linear *l);

/// Minimum degree ordering of a symmetric pattern (the diagonal is ignored). `order` gets n
/// columns, *fill the entries of L below the diagonal. FO_OK or FO_ERROR_MEMORY.
fo_status foi_minimum_degree(uint32_t n, const uint32_t *start, const uint32_t *row,
                             uint32_t *order, size_t *fill, const fo_allocator *allocator);

// -------------------------------------------------------------- one for each kind of number

/// See linear_factor.h, which is compiled once for real and once for complex numbers.
fo_status foi_linear_factor_real(foi_linear *l, foi_complex fac, const double *jacobian,
                                 const double *mass, uint32_t *pivots);
void foi_linear_solve_real(foi_linear *l, void *b);
fo_status foi_linear_factor_complex(foi_linear *l, foi_complex fac, const double *jacobian,
                                    const double *mass, uint32_t *pivots);
void foi_linear_solve_complex(foi_linear *l, void *b);

#endif
