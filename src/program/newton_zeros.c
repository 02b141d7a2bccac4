/// Unknowns of a loop whose solution is zero.
///
/// Two nodes of a circuit that nothing drives apart have the same potential, and the current
/// between them is zero; computed it is what rounding leaves, 3e-50 now and -4e-50 a while later.
/// The numbers are as good as any, but a relation that looks at the sign of such a current turns
/// with every one of them, and a diode would switch for ever. So an unknown that is lost in the
/// rounding errors of some equation is taken for zero, if all equations hold then.
///
/// What goes through zero is left as it is: it has rounding errors of the first order, and were it
/// zero for a while, its crossing would be none. What nothing drives has only errors of errors.
///
/// Tried with all such unknowns at once; those in equations that do not hold without them are put
/// back, until the others do. What is small and determined by something small is put back like
/// that, with all its digits.
#include <float.h>
#include <math.h>

#include "program/newton.h"

enum { MOST_TURNS = 8 };
static const double slack = 8 * DBL_EPSILON;
static const double far = DBL_EPSILON * 0x1p-26;

// What is lost in an equation: far less than the last places of its terms. False: nothing is.
static bool put_zeros(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    const foi_loop_about *about = l->about;
    bool any = false;
    for (uint32_t i = 0; i < l->count; i++) w->next[i] = w->r[l->unknown[i]];
    foi_newton_terms(w, w->d);
    for (uint32_t j = 0; j < l->count; j++) {
        bool lost = false;
        for (uint32_t k = about->start[j]; k < about->start[j + 1] && !lost; k++) {
            double term = fabs(w->r[l->entry[k]] * w->next[j]);
            lost = term > 0 && term <= far * w->d[about->row[k]];
        }
        if (lost) w->r[l->unknown[j]] = 0, any = true;
    }
    return any;
}

// Puts back what is in equations that do not hold. False: all of them do.
static bool put_back(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    const foi_loop_about *about = l->about;
    bool any = false;
    for (uint32_t i = 0; i < l->count; i++) w->size[i] = 1;
    foi_rounding(w->code, l, w->r, w->size, w->error, w->reach);
    for (uint32_t j = 0; j < l->count; j++) {
        if (w->r[l->unknown[j]] == w->next[j]) continue;
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++) {
            uint32_t F = l->residual[about->row[k]];
            if (fabs(w->r[F]) <= slack * w->error[F] || w->r[l->entry[k]] == 0) continue;
            w->r[l->unknown[j]] = w->next[j], any = true;
            break;
        }
    }
    return any;
}

void foi_newton_zeros(foi_newton_state *w)
{
    const foi_loop_code *l = w->loop;
    if (l->count == 1 || !put_zeros(w)) return;
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        w->evaluate(w->self, w->r);
        if (!put_back(w)) return;
    }
    for (uint32_t i = 0; i < l->count; i++) w->r[l->unknown[i]] = w->next[i];
    w->evaluate(w->self, w->r);
}
