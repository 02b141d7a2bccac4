/// The stiffness matrix K = d2V/dq2 of the free coordinates, with its factors.
#ifndef FOI_STIFFNESS_H
#define FOI_STIFFNESS_H

#include "solver/linear.h"
#include "structure/structure.h"

/// What is fixed or driven has a 1 on the diagonal and nothing else.
typedef struct foi_stiffness {
    const fo_structure *s;
    fo_pattern pattern;
    uint32_t *start, *row;
    double *values;   ///< of K
    double *negative; ///< -K (- shift M), which foi_linear wants
    uint32_t *pivots;
    foi_linear factors; ///< made when they are first asked for
    bool prepared;
} foi_stiffness;

/// Zero it first. FO_OK or FO_ERROR_MEMORY.
fo_status foi_stiffness_prepare(foi_stiffness *k, const fo_structure *s, fo_message *why);
void foi_stiffness_destroy(foi_stiffness *k);
fo_status foi_stiffness_evaluate(foi_stiffness *k, const foi_load *load, const double *q,
                                 fo_message *why);
/// Factors K + identity I + mass M. FO_OK, FO_ERROR_CONVERGE (singular) or FO_ERROR_MEMORY.
fo_status foi_stiffness_factor(foi_stiffness *k, double identity, double mass);
/// b = K^-1 b with the last factors.
void foi_stiffness_solve(foi_stiffness *k, double *b);
/// y = K x
void foi_stiffness_times(const foi_stiffness *k, const double *x, double *y);
/// True when K is positive definite: an envelope Cholesky succeeds.
fo_status foi_stiffness_definite(const foi_stiffness *k, bool *definite, fo_message *why);

#endif
