/// CVODE: linear multistep methods of variable order and step in Nordsieck form (Hindmarsh et al.,
/// ACM TOMS 31 (2005) 363). BDF with Newton's iteration, Adams-Moulton with fixed-point iteration.
#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <limits.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "solver/sundials.h"

static int newton_matrix(double t, N_Vector x, N_Vector f, SUNMatrix matrix,
                         foi_sundials_truth fresh, foi_sundials_truth *renewed, double gamma,
                         void *user, N_Vector w1, N_Vector w2, N_Vector w3)
{
    (void)matrix, (void)w1, (void)w2, (void)w3;
    *renewed = !fresh;
    return foi_sundials_newton_matrix(user, t, x, f, fresh, gamma);
}

static int set(foi_sundials *d)
{
    enum { TRIES = 30 }; // a shorter step after each: a model may ask for many
    void *m = d->memory;
    const foi_solver *o = d->o;
    int flag = FOI_SUNDIALS_LISTEN(CVodeSetErrHandlerFn, m, d);
    if (!flag) flag = CVodeInit(m, foi_sundials_rates, o->t1, d->x);
    if (!flag) flag = CVodeSetUserData(m, d);
    if (!flag) flag = CVodeWFtolerances(m, foi_sundials_weights);
    if (!flag) flag = CVodeSetMaxNumSteps(m, -1);
    if (!flag) flag = CVodeSetMaxHnilWarns(m, -1);
    if (!flag) flag = CVodeSetMaxConvFails(m, TRIES);
    if (!flag) flag = CVodeSetMaxErrTestFails(m, TRIES);
    if (!flag && o->max_step > 0) flag = CVodeSetMaxStep(m, o->max_step);
    if (!flag && o->min_step > 0) flag = CVodeSetMinStep(m, o->min_step);
    return flag;
}

static fo_status create(foi_sundials *d)
{
    bool bdf = d->variant->kind == FOI_BDF;
    if (bdf) {
        fo_status status = foi_sundials_linear_prepare(&d->linear, d, false);
        if (status != FO_OK) return status;
    } else {
        d->nonlinear = SUNNonlinSol_FixedPoint(d->x, 0, d->context);
        if (!d->nonlinear) return foi_sundials_failure(d, CV_MEM_FAIL);
    }
    d->memory = CVodeCreate(bdf ? CV_BDF : CV_ADAMS, d->context);
    if (!d->memory) return foi_sundials_failure(d, CV_MEM_FAIL);
    int flag = set(d);
    if (!flag && bdf) flag = CVodeSetLinearSolver(d->memory, d->linear.solver, d->linear.matrix);
    if (!flag && bdf) flag = CVodeSetLinSysFn(d->memory, newton_matrix);
    if (!flag && !bdf) flag = CVodeSetNonlinearSolver(d->memory, d->nonlinear);
    return flag ? foi_sundials_failure(d, flag) : FO_OK;
}

static fo_status restart(foi_sundials *d, double h)
{
    int flag = CVodeReInit(d->memory, d->o->t1, d->x);
    d->started = true;
    if (!flag) flag = CVodeSetInitStep(d->memory, h);
    return flag ? foi_sundials_failure(d, flag) : FO_OK;
}

static int step(foi_sundials *d, double goal, double *t)
{
    int flag = CVodeSetStopTime(d->memory, goal);
    return flag ? flag : CVode(d->memory, goal, d->x, t, CV_ONE_STEP);
}

static void figures(foi_sundials *d, foi_sundials_figures *out)
{
    long errors = 0, failures = 0;
    CVodeGetNumErrTestFails(d->memory, &errors);
    CVodeGetNumStepSolveFails(d->memory, &failures);
    CVodeGetNumLinSolvSetups(d->memory, &out->setups);
    CVodeGetNumNonlinSolvIters(d->memory, &out->iterations);
    out->rejected = errors + failures;
}

static double next_step(foi_sundials *d)
{
    double h = 0;
    CVodeGetCurrentStep(d->memory, &h);
    return h;
}

static int errors(foi_sundials *d, N_Vector out)
{
    return CVodeGetEstLocalErrors(d->memory, out);
}

// After a step of order q the Nordsieck array is the polynomial of degree q that the method itself
// goes on with; it goes through x0 and x1.
static fo_status dense(foi_solver *o, foi_sundials *d)
{
    int order = 1;
    CVodeGetLastOrder(d->memory, &order);
    return foi_sundials_taylor(o, d, order, CVodeGetDky);
}

static void release(foi_sundials *d)
{
    CVodeFree(&d->memory);
}

// After a jump the order is 1 again, and the step of a higher order would be rejected many times:
// CVODE chooses its own.
const foi_sundials_integrator foi_sundials_cvode = {
    .create = create,
    .restart = restart,
    .step = step,
    .figures = figures,
    .next_step = next_step,
    .errors = errors,
    .dense = dense,
    .release = release,
    .no_memory = CV_MEM_FAIL,
    .keeps_step = false,
};
