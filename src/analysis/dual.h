/// Tangents of a program: a task's code run with a row of directional derivatives beside every
/// register (forward mode; Griewank and Walther, Evaluating Derivatives, 2008, chapter 3.1).
///
/// The derivatives are exact but for rounding. What comes out of an algebraic loop F(y, v) = 0 has
/// the tangent y' = -F_y^-1 F_v v', with the loop's own Jacobian.
#ifndef FOI_ANALYSIS_DUAL_H
#define FOI_ANALYSIS_DUAL_H

#include "program/program.h"

typedef struct foi_dual {
    const foi_program *g;
    size_t columns;      ///< directions
    double *r;           ///< registers
    double *d;           ///< their tangents, a row of `columns` each
    double *row;         ///< one tangent
    double *work;        ///< of loops
    double *matrix, *by; ///< of the largest loop: Jacobian, right-hand side
    size_t *pivot;
    bool switched; ///< a comparison or rounding of something that has a tangent was met: between
                   ///< moments that is a jump which nobody sees
    bool *bent; ///< per register: abs, min or max was met just at its kink on the way to it, with
                ///< a tangent that crosses it
    const fo_allocator *allocator;
} foi_dual;

/// Room for all tasks of the program. FO_OK or FO_ERROR_MEMORY.
fo_status foi_dual_create(foi_dual *q, const foi_program *g, size_t columns,
                          const fo_allocator *allocator);
void foi_dual_destroy(foi_dual *q);

/// Puts what a task is given; no tangent is left of what was there before.
void foi_dual_give(foi_dual *q, const foi_given *given);
/// The same from the first registers of a run.
void foi_dual_give_registers(foi_dual *q, const double *r);
/// The tangent of something given, to be set.
static inline double *foi_dual_given(const foi_dual *q, foi_leaf kind, size_t index)
{
    return q->d + ((size_t)q->g->layout.at[kind] + index) * q->columns;
}
/// Runs the task. FO_OK, FO_ERROR_CONVERGE (a loop has no solution from these guesses, or is
/// singular there) or FO_ERROR_MEMORY; no message.
fo_status foi_dual_run(foi_dual *q, foi_task task, const double *guesses);
/// A result, whether it has a kink here, and its tangent.
static inline double foi_dual_value(const foi_dual *q, foi_task task, size_t i)
{
    return q->r[q->g->codes[task].results[i]];
}
static inline bool foi_dual_bends(const foi_dual *q, foi_task task, size_t i)
{
    return q->bent[q->g->codes[task].results[i]];
}
static inline const double *foi_dual_tangent(const foi_dual *q, foi_task task, size_t i)
{
    return q->d + (size_t)q->g->codes[task].results[i] * q->columns;
}

#endif
