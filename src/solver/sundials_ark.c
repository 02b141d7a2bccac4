/// ARKODE's additive Runge-Kutta methods (Reynolds et al., ACM TOMS 49 (2023) 19): explicit
/// (Dormand and Prince 5(4)), diagonally implicit (ESDIRK436L2SA of Kennedy and Carpenter, NASA
/// TM-2016-219173) and both together (ARK436L2SA, Kennedy and Carpenter, Appl. Numer. Math. 44
/// (2003) 139): x' = fE(t, x) + fI(t, x) with fI = stiff_rates and fE = rates - stiff_rates.
#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_ls.h>
#include <math.h>
#include <string.h>

#include "solver/sundials.h"

// From version 7.1 on the integrators of ARKODE share the names of their settings.
#if SUNDIALS_VERSION_MAJOR > 7 || (SUNDIALS_VERSION_MAJOR == 7 && SUNDIALS_VERSION_MINOR >= 1)
#define ARK(name) ARKode##name
#else
#define ARK(name) ARKStep##name
#endif

// Additive methods: the slopes at the ends of a step, for the cubic between them. The last stage z
// of the implicit method meets its equation at t1, so that f(z) is smooth, while x1 is off by a
// share of the explicit stages, which f(x1) multiplies with the stiffness: with x' = -1e6 (x - cos
// t) - sin t and rtol 1e-6 the curve was wrong by 6e-4 between ends that are right to 1e-7.
// SUNDIALS 6 keeps the slopes of the last stage itself; version 7 evaluates f(x1), so there they
// are caught on their way: the explicit part is evaluated at z last of all in a step.
static const bool catch_slopes = SUNDIALS_VERSION_MAJOR >= 7;

// Of three: where the last one was caught, at t0, and at t1.
static double *slope(const foi_sundials *d, int which)
{
    return d->slopes + (size_t)which * d->n;
}

static void keep_slope(foi_sundials *d, double t)
{
    if (!d->slopes) return;
    memcpy(slope(d, 1), slope(d, 2), d->n * sizeof(double));
    memcpy(slope(d, 2), slope(d, 0), d->n * sizeof(double));
    d->slope_at[0] = d->slope_at[1], d->slope_at[1] = t;
}

static fo_status fit(const foi_solver *o)
{
    const foi_sundials_variant *variant = o->method->data;
    if (variant->kind == FOI_IMEX && o->n && !o->system.type->stiff_rates)
        return fo_fail(o->message, FO_ERROR_UNFIT, "ark-imex needs stiff_rates; use ark-implicit");
    return FO_OK;
}

static int stiff_part(double t, N_Vector x, N_Vector f, void *user)
{
    foi_sundials *d = user;
    foi_solver *o = d->o;
    const double *at = foi_sundials_data(x);
    double *rates = foi_sundials_data(f);
    if (foi_sundials_broken(d)) return -1;
    o->counts.rates++;
    fo_status status = o->system.type->stiff_rates(o->system.model, o->s, t, at, rates);
    return foi_sundials_answer(d, status, t, at, rates);
}

static int other_part(double t, N_Vector x, N_Vector f, void *user)
{
    foi_sundials *d = user;
    double *rates = foi_sundials_data(f), *stiff = foi_sundials_data(d->work);
    int answer = stiff_part(t, x, d->work, user);
    if (!answer) answer = foi_sundials_rates(t, x, f, user);
    if (d->slopes) memcpy(slope(d, 0), rates, d->n * sizeof(double));
    for (uint32_t i = 0; i < d->n; i++) rates[i] -= stiff[i];
    return answer;
}

static int newton_matrix(double t, N_Vector x, N_Vector f, SUNMatrix matrix, SUNMatrix mass,
                         foi_sundials_truth fresh, foi_sundials_truth *renewed, double gamma,
                         void *user, N_Vector w1, N_Vector w2, N_Vector w3)
{
    (void)matrix, (void)mass, (void)w1, (void)w2, (void)w3;
    foi_sundials *d = user;
    const fo_system_type *whole = d->o->system.type;
    *renewed = !fresh;
    if (d->variant->kind == FOI_IMEX) d->o->system.type = &d->stiff;
    int answer = foi_sundials_newton_matrix(d, t, x, f, fresh, gamma);
    d->o->system.type = whole;
    return answer;
}

static fo_status prepare_linear(foi_sundials *d)
{
    const fo_system_type *whole = d->o->system.type;
    if (d->variant->kind == FOI_IMEX) {
        d->stiff = *whole;
        d->stiff.rates = whole->stiff_rates;
        d->stiff.jacobian = NULL; // the model's is that of all rates
        d->o->system.type = &d->stiff;
    }
    fo_status status = foi_sundials_linear_prepare(&d->linear, d, false);
    d->o->system.type = whole;
    return status;
}

static int set_table(foi_sundials *d)
{
    switch (d->variant->kind) {
    case FOI_EXPLICIT:
        return ARKStepSetTableNum(d->memory, ARKODE_DIRK_NONE, ARKODE_DORMAND_PRINCE_7_4_5);
    case FOI_IMPLICIT:
        return ARKStepSetTableNum(d->memory, ARKODE_ESDIRK436L2SA_6_3_4, ARKODE_ERK_NONE);
    default:
        return ARKStepSetTableNum(d->memory, ARKODE_ARK436L2SA_DIRK_6_3_4,
                                  ARKODE_ARK436L2SA_ERK_6_3_4);
    }
}

static int set(foi_sundials *d)
{
    enum { TRIES = 30 }; // a shorter step after each: a model may ask for many
    void *m = d->memory;
    const foi_solver *o = d->o;
    int flag = FOI_SUNDIALS_LISTEN(ARKStepSetErrHandlerFn, m, d);
    if (!flag) flag = ARK(SetUserData)(m, d);
    if (!flag) flag = ARK(WFtolerances)(m, foi_sundials_weights);
    if (!flag) flag = ARK(SetMaxNumSteps)(m, -1);
    if (!flag) flag = ARK(SetMaxHnilWarns)(m, -1);
    if (!flag) flag = ARK(SetMaxConvFails)(m, TRIES);
    if (!flag) flag = ARK(SetMaxErrTestFails)(m, TRIES);
    if (!flag) flag = ARK(SetInterpolantDegree)(m, 3);
    if (!flag && o->max_step > 0) flag = ARK(SetMaxStep)(m, o->max_step);
    if (!flag && o->min_step > 0) flag = ARK(SetMinStep)(m, o->min_step);
    if (!flag) flag = set_table(d);
    return flag;
}

// Newton's iteration. ARKODE starts it from the last state, so its first correction is large, and
// accepts it unseen when earlier ones converged fast, even if the matrix is for another step by
// then: on x'' = -x that cost five digits. So: a matrix for exactly this step (delta gamma), no
// credit for earlier convergence (rate down 1), and enough iterations to live with an old Jacobian.
// The implicit rates are deduced from the solved stage instead of evaluated there, which in a
// stiff system would magnify what the iteration left.
static int set_newton(foi_sundials *d)
{
    enum { ITERATIONS = 10 };
    void *m = d->memory;
    int flag = ARK(SetLinearSolver)(m, d->linear.solver, d->linear.matrix);
    if (!flag) flag = ARK(SetLinSysFn)(m, newton_matrix);
    if (!flag) flag = ARK(SetJacEvalFrequency)(m, 20);
    if (!flag) flag = ARK(SetDeltaGammaMax)(m, 1e-12);
    if (!flag) flag = ARK(SetNonlinCRDown)(m, 1);
    if (!flag) flag = ARK(SetMaxNonlinIters)(m, ITERATIONS);
    if (!flag) flag = ARK(SetDeduceImplicitRhs)(m, SUNTRUE);
    return flag;
}

static ARKRhsFn explicit_part(const foi_sundials *d)
{
    if (d->variant->kind == FOI_IMPLICIT) return NULL;
    return d->variant->kind == FOI_IMEX ? other_part : foi_sundials_rates;
}

static ARKRhsFn implicit_part(const foi_sundials *d)
{
    if (d->variant->kind == FOI_EXPLICIT) return NULL;
    return d->variant->kind == FOI_IMEX ? stiff_part : foi_sundials_rates;
}

static fo_status create(foi_sundials *d)
{
    bool implicit = d->variant->kind != FOI_EXPLICIT;
    if (implicit) {
        fo_status status = prepare_linear(d);
        if (status != FO_OK) return status;
    }
    if (catch_slopes && d->variant->kind == FOI_IMEX) {
        d->slopes = foi_new(d->o->allocator, 3 * (size_t)d->n, sizeof(double));
        if (!d->slopes) return foi_sundials_failure(d, ARK_MEM_FAIL);
    }
    d->memory = ARKStepCreate(explicit_part(d), implicit_part(d), d->o->t1, d->x, d->context);
    if (!d->memory) return foi_sundials_failure(d, ARK_MEM_FAIL);
    int flag = set(d);
    if (!flag && implicit) flag = set_newton(d);
    return flag ? foi_sundials_failure(d, flag) : FO_OK;
}

static fo_status restart(foi_sundials *d, double h)
{
    int flag = ARKStepReInit(d->memory, explicit_part(d), implicit_part(d), d->o->t1, d->x);
    d->started = true;
    d->slope_at[0] = d->slope_at[1] = NAN;
    if (!flag) flag = ARK(SetInitStep)(d->memory, h);
    return flag ? foi_sundials_failure(d, flag) : FO_OK;
}

static int step(foi_sundials *d, double goal, double *t)
{
    int flag = ARK(SetStopTime)(d->memory, goal);
    if (!flag) flag = ARK(Evolve)(d->memory, goal, d->x, t, ARK_ONE_STEP);
    if (flag >= 0) keep_slope(d, *t);
    return flag;
}

static void figures(foi_sundials *d, foi_sundials_figures *out)
{
    long errors = 0, failures = 0;
    ARK(GetNumErrTestFails)(d->memory, &errors);
    ARK(GetNumStepSolveFails)(d->memory, &failures);
    ARK(GetNumLinSolvSetups)(d->memory, &out->setups);
    ARK(GetNumNonlinSolvIters)(d->memory, &out->iterations);
    out->rejected = errors + failures;
}

static double next_step(foi_sundials *d)
{
    double h = 0;
    ARK(GetCurrentStep)(d->memory, &h);
    return h;
}

static int errors(foi_sundials *d, N_Vector out)
{
    return ARK(GetEstLocalErrors)(d->memory, out);
}

// The rates at the step's ends are those that ARKODE keeps for its own cubic. Explicit: one more
// evaluation inside gives order 4. Implicit: the cubic, because an evaluation at an interpolated
// point of a stiff system is worth nothing.
static fo_status dense(foi_solver *o, foi_sundials *d)
{
    struct {
        double t, *f;
    } ends[] = {{o->t0, o->f0}, {o->t1, o->f1}};
    for (int e = 0; e < 2; e++) {
        if (d->slopes && d->slope_at[e] == ends[e].t) {
            memcpy(ends[e].f, slope(d, 1 + e), d->n * sizeof(double));
            continue;
        }
        N_VSetArrayPointer(ends[e].f, d->x);
        int flag = ARK(GetDky)(d->memory, ends[e].t, 1, d->x);
        N_VSetArrayPointer(o->x1, d->x);
        if (flag < 0) return foi_sundials_failure(d, flag);
    }
    o->f1_valid = true;
    if (d->variant->kind != FOI_EXPLICIT) return foi_dense_cubic(o);
    fo_status status = foi_dense_quartic(o);
    return status == FO_RETRY ? foi_dense_cubic(o) : status;
}

static void release(foi_sundials *d)
{
    ARK(Free)(&d->memory);
}

const foi_sundials_integrator foi_sundials_ark = {
    .fit = fit,
    .create = create,
    .restart = restart,
    .step = step,
    .figures = figures,
    .next_step = next_step,
    .errors = errors,
    .dense = dense,
    .release = release,
    .no_memory = ARK_MEM_FAIL,
    .keeps_step = true,
};
