/// What the classical methods share: the loop over fixed steps, and the small checks that every
/// loop over steps has to make.
#ifndef FOI_STEPPING_H
#define FOI_STEPPING_H

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/solver.h"

static inline bool foi_finite(const double *x, uint32_t n)
{
    uint64_t top = 0; // an exponent of ones, and no other, carries into the highest bit
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        top |= (bits & UINT64_C(0x7ff0000000000000)) + UINT64_C(0x0010000000000000);
    }
    return !(top >> 63);
}

/// The shortest step that makes sense at t.
static inline double foi_least_step(const foi_solver *o, double t)
{
    return foi_fmax(o->min_step, FOI_LEAST_STEP * DBL_EPSILON * fabs(t) + DBL_MIN);
}

/// The status for rates that said FO_RETRY where no shorter step is possible; others pass.
static inline fo_status foi_refused(foi_solver *o, double t, fo_status status)
{
    if (status != FO_RETRY) return status;
    return foi_fail_because(
        o, FO_ERROR_STEP,
        "the rates could not be evaluated near t = %.15g, and '%s' cannot take a "
        "shorter step there",
        t, o->method->info.name);
}

static inline fo_status foi_check_fixed(foi_solver *o)
{
    if (o->step > 0 && o->step < INFINITY) return FO_OK;
    return fo_fail(o->message, FO_ERROR_ARGUMENT,
                   "'%s' needs a step that is positive and finite, not %g", o->method->info.name,
                   o->step);
}

/// One fixed step: (t0, x0) is its start, t1 its end, x1 is to be written. `lands`: it is shorter
/// than the grid's. `f0_there`: f0 holds the rates at the start.
typedef fo_status (*foi_fixed_step)(foi_solver *o, double h, bool lands, bool f0_there);

/// What a fixed-step method wants of its march.
enum {
    FOI_WANTS_F0 = 1,       ///< f0 = f(t0, x0) at every step
    FOI_WITHOUT_STATES = 2, ///< its step is to be called where there are no states, too
    FOI_LOOKS = 4           ///< its step looks itself whether x1 is finite
};

/// The march of a fixed-step method.
static inline fo_status foi_fixed_march(foi_solver *o, double attention, double goal,
                                        unsigned wants, foi_fixed_step step)
{
    uint64_t done = 0;
    do {
        fo_status status = (wants & FOI_WANTS_F0) && o->n ? foi_solver_f1(o) : FO_OK;
        if (status != FO_OK) return foi_refused(o, o->t1, status);
        bool lands, there = o->f1_valid;
        double t = foi_fixed_target(o, goal, &lands);
        foi_solver_turn(o);
        o->t1 = t;
        if (o->n || (wants & FOI_WITHOUT_STATES)) status = step(o, t - o->t0, lands, there);
        if (status == FO_OK && !(wants & FOI_LOOKS) && !foi_finite(o->x1, o->n))
            status = foi_not_finite(o, t, o->x1, NULL);
        if (status != FO_OK) {
            foi_solver_unturn(o);
            o->f1_valid = there;
            return foi_refused(o, o->t1, status);
        }
        foi_fixed_accept(o, lands);
    } while (++done < o->budget && o->t1 < attention && o->t1 < goal);
    return FO_OK;
}

#endif
