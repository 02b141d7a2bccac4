/// Adjoints of a program: what a weighted sum of a task's results depends on, by everything that
/// the task is given, at once (reverse mode; Griewank and Walther, Evaluating Derivatives, 2008,
/// chapter 3.2).
///
/// A run keeps the operands and the result of every instruction; a pull goes through them
/// backwards. What comes out of an algebraic loop F(y, v) = 0 has the adjoint v~ = F_v^T w with
/// F_y^T w = -y~.
#ifndef FOI_ANALYSIS_REVERSE_H
#define FOI_ANALYSIS_REVERSE_H

#include "program/program.h"

/// Operands and result of one instruction that was run.
typedef struct foi_logged {
    double a, b, v;
} foi_logged;

typedef struct foi_reverse {
    const foi_program *g;
    double *r;   ///< registers
    double *bar; ///< their adjoints
    foi_logged *log;
    size_t logged;
    double *work;        ///< of loops
    double *matrix, *by; ///< of the largest loop: transposed Jacobian, right-hand side
    size_t *pivot;
    const fo_allocator *allocator;
} foi_reverse;

/// Room for all tasks of the program. FO_OK or FO_ERROR_MEMORY.
fo_status foi_reverse_create(foi_reverse *q, const foi_program *g, const fo_allocator *allocator);
void foi_reverse_destroy(foi_reverse *q);
/// Runs a task with what is given in the first registers, which must be there. FO_OK,
/// FO_ERROR_CONVERGE or FO_ERROR_MEMORY.
fo_status foi_reverse_run(foi_reverse *q, foi_task task, const double *guesses);
static inline double foi_reverse_value(const foi_reverse *q, foi_task task, size_t i)
{
    return q->r[q->g->codes[task].results[i]];
}
/// Forgets all weights of the results.
void foi_reverse_clear(foi_reverse *q, foi_task task);
/// Adds to the weight of a result.
static inline void foi_reverse_weigh(foi_reverse *q, foi_task task, size_t i, double weight)
{
    q->bar[q->g->codes[task].results[i]] += weight;
}
/// Goes back through the last run: the adjoints of what was given are in the first registers of
/// `bar`. FO_OK or FO_ERROR_CONVERGE (a loop is singular).
fo_status foi_reverse_pull(foi_reverse *q, foi_task task);

#endif
