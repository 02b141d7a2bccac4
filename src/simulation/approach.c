/// Moments that come nearer and nearer to a limit, but not by the same factor each time: those of
/// sin(1/(1 - t)) are 1/(k pi) before t = 1. There are infinitely many before it, and nothing can
/// be held there; rounding errors would end it only after millions of them.
///
/// With t_j every m-th rise of a guard, or fall where it never rises (a whole part on its way to a
/// pole leaves one cell after the other), H_j = t_j - t_(j-1) and W_j = 1 / (1 - H_j / H_(j-1)), a
/// sequence that approaches T like (j + c)^-q has W_j = (j + c) / (q + 1) but for terms of
/// order 1 / (j + c), so that W grows by S = 1 / (q + 1) each time, and one that approaches it
/// geometrically has S = 0. For both, and for q = 1 exactly,
///
///     T = t_j + H_j (W_j / (1 - S) - 1)
///
/// With S >= 1 there is no limit: the moments of sin(t^2) come more and more often for ever. Since
/// any smooth sequence has some T, that alone says nothing: what counts is that T becomes surer
/// while the moments come nearer to it. It does not where they only seem to: those of sin(1/((1 -
/// t)^2 + 1e-6)) are many, but not infinitely many. S near 0 is left to rest, see accumulates.
#include <math.h>

#include "math/math.h"
#include "simulation/internal.h"

// Where the last rises that were noted point to; false where to none.
static bool points_to(const double *t, double *limit)
{
    double a = t[1] - t[0], b = t[2] - t[1], c = t[3] - t[2];
    if (!(a > b) || !(b > c) || !(c > 0)) return false;
    double before = 1 / (1 - b / a), now = 1 / (1 - c / b), grows = now - before;
    if (!(grows > 0x1p-5) || !(grows < 1 - 0x1p-5)) return false;
    *limit = t[3] + c * (now / (1 - grows) - 1);
    return isfinite(*limit) != 0;
}

// Notes where it points to now. Returns by what factor it has come nearer, if that became surer
// meanwhile: T changes from one mark to the next by less and less of the way that is left.
static double nearer(foi_approach *a)
{
    const double doubtful = 0x1p-6, sure = 0x1p-20;
    double limit, was = a->limit, t = a->mark[FOI_MARKS - 1];
    if (a->marks < FOI_MARKS || !points_to(a->mark, &limit)) {
        a->from = 0;
        return 1;
    }
    double left = limit - t, drift = fabs(limit - was) / left;
    a->limit = limit;
    if (!(a->from > 0) || !(drift <= doubtful)) {
        a->from = left, a->drift = 0;
        return 1;
    }
    if (!(a->drift > 0)) a->drift = drift;
    return drift <= foi_fmax(a->drift / 32, sure) ? a->from / left : 1;
}

bool foi_approaches(fo_simulation *sim, uint32_t guard, int way)
{
    enum { EVERY = 16, MUCH = 2, MUCH_HIT = 32 };
    foi_pulse *p = &sim->pulses[guard];
    foi_approach *a = &p->approach;
    if (way < 0 && a->way > 0) return false;
    if (way > 0 && a->way < 0) *a = (foi_approach){0};
    a->way = way < 0 ? -1 : 1;
    if (++a->count % EVERY) return false;
    for (int i = 1; i < FOI_MARKS; i++) a->mark[i - 1] = a->mark[i];
    a->mark[FOI_MARKS - 1] = sim->state.s.t;
    if (a->marks < FOI_MARKS) a->marks++;
    // impacts may end in rest before
    return nearer(a) >= (p->contact ? MUCH_HIT : MUCH) && a->limit < sim->def.stop;
}
