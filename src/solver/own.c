/// A system's own stepper, in fixed steps.
#include "solver/stepping.h"

static fo_status prepare(foi_solver *o)
{
    const fo_stepper *stepper = o->system.type->stepper;
    if (!stepper || !stepper->step)
        return fo_fail(o->message, FO_ERROR_UNFIT,
                       "'own' needs a system that steps itself; '%s' has no stepper",
                       o->system.about && o->system.about->name ? o->system.about->name : "?");
    return foi_check_fixed(o);
}

// The stepper may change s->memory, which is the state's and is copied with it; hence the cast.
static fo_status step(foi_solver *o, double h, bool lands, bool f0_there)
{
    (void)lands, (void)f0_there;
    fo_state *s = (fo_state *)o->s;
    const fo_stepper *stepper = o->system.type->stepper;
    if (!stepper) return FO_OK; // no states, nothing to step: prepare was not asked
    fo_status status = stepper->step(o->system.model, s, o->t0, h, o->x0, o->x1);
    // the state's name is better than what the stepper can say
    if (status == FO_ERROR_NUMBER && stepper->looks && !foi_finite(o->x1, o->n))
        return foi_not_finite(o, o->t1, o->x1, NULL);
    return status;
}

static fo_status march(foi_solver *o, double attention, double goal)
{
    const fo_stepper *stepper = o->system.type->stepper;
    unsigned looks = stepper && stepper->looks ? FOI_LOOKS : 0;
    return foi_fixed_march(o, attention, goal, FOI_WITHOUT_STATES | looks, step);
}

// A cubic where there are rates, and a line where not. Both slopes are taken here, with the memory
// that the step left, so that they do not depend on who read the step before.
static fo_status dense(foi_solver *o)
{
    if (!o->system.type->rates || !o->n) return foi_dense_line(o);
    fo_status status = foi_rates(o, o->t0, o->x0, o->f0);
    return status == FO_OK ? foi_dense_cubic(o) : foi_refused(o, o->t0, status);
}

static const foi_method own = {
    // order 0: it is the system's own; the dense output is a line at least
    .info = {"own", "the system's own stepper, of the system's own order, fixed step", 0, 1,
             FO_MASS | FO_RESIDUAL}, // whatever the system is, it steps itself
    .prepare = prepare,
    .march = march,
    .dense = dense,
};

FOI_FAMILY(foi_family_own, &own);
