#include "solver/trial.h"

#include <float.h>
#include <math.h>

#include "math/math.h"

bool foi_all_finite(const double *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

fo_status foi_trial_start(foi_solver *o, int order, double goal)
{
    fo_status status = foi_solver_f1(o);
    if (status == FO_RETRY)
        return fo_fail(o->message, FO_ERROR_MODEL,
                       "the model has no rates at t = %.15g, where a step has to begin", o->t1);
    if (status != FO_OK) return status;
    if (!foi_all_finite(o->x1, o->n) || !foi_all_finite(o->f1, o->n)) {
        o->f1_valid = false;
        return foi_not_finite(o, o->t1, o->x1, o->f1);
    }
    return o->h_next > 0 ? FO_OK : foi_first_step(o, order, goal, &o->h_next);
}

fo_status foi_trial_empty(foi_solver *o, double goal)
{
    foi_solver_turn(o);
    o->t1 = goal;
    o->counts.steps++;
    return FO_OK;
}

static double least_step(const foi_solver *o)
{
    double least = foi_fmax(o->min_step, FOI_LEAST_STEP * DBL_EPSILON * fabs(o->t0));
    return foi_fmax(least, DBL_MIN / DBL_EPSILON);
}

double foi_trial_length(const foi_solver *o, double h, double goal, double *t1)
{
    h = foi_fmax(h, least_step(o));
    if (o->max_step > 0) h = foi_fmin(h, o->max_step);
    if (o->t0 + h * (1 + 1e-9) >= goal) {
        *t1 = goal;
        return goal - o->t0;
    }
    *t1 = o->t0 + h;
    return h;
}

fo_status foi_trial_shorter(foi_solver *o, foi_outcome why, double h, double *shorter,
                            uint32_t worst, const double *x, const double *f)
{
    double least = least_step(o);
    o->counts.rejected++;
    if (h > least) {
        *shorter = foi_fmax(*shorter, least);
        return FO_OK;
    }
    const char *name = o->method->info.name;
    switch (why) {
    case FOI_NOT_FINITE: return foi_not_finite(o, o->t0 + h, x, f);
    case FOI_SINGULAR:
        return fo_fail(o->message, FO_ERROR_CONVERGE,
                       "%s: the matrix M/h - df/dx is singular at t = %.15g for every step h", name,
                       o->t0);
    case FOI_DIVERGED:
        return fo_fail(o->message, FO_ERROR_CONVERGE,
                       "%s: Newton's iteration does not converge at t = %.15g even with h = %.3g",
                       name, o->t0, h);
    case FOI_REFUSED:
        return foi_fail_because(o, FO_ERROR_STEP,
                                "%s: the model refuses its rates near t = %.15g even with h = %.3g",
                                name, o->t0, h);
    default: return foi_step_too_small(o, h, o->error, worst);
    }
}

double foi_controller_step(foi_controller *c, double h, double error, double safety, double least,
                           double most, bool accepted)
{
    double q = foi_fmin(foi_fmax(sqrt(sqrt(error)) / safety, least), most);
    if (accepted && c->h > 0) {
        double past = c->h / h * sqrt(sqrt(error * error / c->error)) / safety;
        q = foi_fmax(q, foi_fmin(foi_fmax(past, least), most));
    }
    if (accepted) c->h = h, c->error = foi_fmax(error, 1e-2);
    return h / q;
}

void foi_trial_calm(foi_solver *o, double h, double radius)
{
    enum { CALM = 20 };
    o->calm_count = h * radius < 1 ? o->calm_count + 1 : 0;
    o->calm = o->look_from && o->counts.steps >= o->look_from && o->calm_count >= CALM;
}
