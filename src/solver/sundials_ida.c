/// IDA: F(t, x, x') = 0 by backward differentiation of variable order and step with fixed leading
/// coefficient (Brenan, Campbell, Petzold, Numerical Solution of Initial-Value Problems in
/// Differential-Algebraic Equations, 1996; Hindmarsh et al., ACM TOMS 31 (2005) 363).
///
/// F is the system's residual where it has one, otherwise x' - f(t, x) or M x' - f(t, x). Newton's
/// matrix dF/dx + c dF/dx' is c M - df/dx in the latter case; for a residual it comes from
/// differences along (x, x') = (e, c e), so that one evaluation gives both parts of a column. A
/// pattern must then cover dF/dx and dF/dx'.
#include <float.h>
#include <ida/ida.h>
#include <ida/ida_ls.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "solver/sundials.h"

static fo_status fit(const foi_solver *o)
{
    const fo_system_type *type = o->system.type;
    if (o->n == 0 || type->rates || type->residual) return FO_OK;
    return fo_fail(o->message, FO_ERROR_UNFIT,
                   "ida needs a residual or rates; the system has none");
}

// --------------------------------------------------------------------------------- the residual

static fo_status residual(foi_sundials *d, double t, const double *x, const double *dx, double *r)
{
    foi_solver *o = d->o;
    const fo_system_type *type = o->system.type;
    if (type->residual) {
        o->counts.rates++;
        return type->residual(o->system.model, o->s, t, x, dx, r);
    }
    fo_status status = foi_rates(o, t, x, r);
    const double *mass = d->linear.mass;
    size_t n = d->n;
    for (size_t i = 0; i < n; i++) r[i] = mass ? -r[i] : dx[i] - r[i];
    for (size_t c = 0; mass && c < n; c++)
        for (size_t i = 0; i < n; i++) r[i] += mass[c * n + i] * dx[c];
    return status;
}

static int residual_for_ida(double t, N_Vector x, N_Vector dx, N_Vector r, void *user)
{
    foi_sundials *d = user;
    const double *at = foi_sundials_data(x);
    double *out = foi_sundials_data(r);
    if (foi_sundials_broken(d)) return -1;
    fo_status status = residual(d, t, at, foi_sundials_data(dx), out);
    return foi_sundials_answer(d, status, t, at, out);
}

// A difference step as in jacobian.c: sqrt(eps) of the state's size, towards where it is going.
static double increment(const foi_solver *o, double x, double dx)
{
    double size = foi_fmax(fabs(x), o->atol / foi_fmax(o->rtol, DBL_EPSILON));
    double step = sqrt(DBL_EPSILON) * (size > 0 ? size : 1e-5);
    volatile double moved = x + (dx < 0 ? -step : step); // the step that is really taken
    return moved - x;
}

// values = (F(t, x + a e, dx + c e) - r) / e for all columns, those of one colour together.
static fo_status differences(foi_sundials *d, double t, double a, double c, const double *x,
                             const double *dx, const double *r, double *values)
{
    foi_jacobian *j = &d->linear.jacobian;
    size_t n = d->n;
    double *y = foi_sundials_data(d->work), *dy = j->work, *g = j->work + n;
    memcpy(y, x, n * sizeof(double));
    memcpy(dy, dx, n * sizeof(double));
    for (uint32_t colour = 0; colour < j->colours; colour++) {
        for (uint32_t k = j->pattern ? 0 : colour; k < n; k++) {
            if (j->pattern && j->colour[k] != colour) continue;
            double e = increment(d->o, x[k], dx[k]);
            y[k] = x[k] + a * e, dy[k] = dx[k] + c * e;
            if (!j->pattern) break;
        }
        fo_status status = residual(d, t, y, dy, g);
        if (status != FO_OK) return status;
        for (uint32_t k = j->pattern ? 0 : colour; k < n; k++) {
            if (j->pattern && j->colour[k] != colour) continue;
            double e = increment(d->o, x[k], dx[k]);
            const fo_pattern *p = j->pattern;
            for (uint32_t i = p ? p->start[k] : 0; i < (p ? p->start[k + 1] : n); i++)
                if (p)
                    values[i] = (g[p->row[i]] - r[p->row[i]]) / e;
                else
                    values[k * n + i] = (g[i] - r[i]) / e;
            y[k] = x[k], dy[k] = dx[k];
            if (!p) break;
        }
    }
    return FO_OK;
}

static int newton_matrix(double t, double c, N_Vector x, N_Vector dx, N_Vector r, SUNMatrix matrix,
                         void *user, N_Vector w1, N_Vector w2, N_Vector w3)
{
    (void)matrix, (void)w2, (void)w3;
    foi_sundials *d = user;
    foi_solver *o = d->o;
    foi_sundials_linear *l = &d->linear;
    const double *at = foi_sundials_data(x), *slope = foi_sundials_data(dx);
    fo_status status;
    if (foi_sundials_broken(d)) return -1;
    if (o->system.type->residual) {
        o->counts.jacobians++;
        status = differences(d, t, 1, c, at, slope, foi_sundials_data(r), l->values);
        if (status == FO_OK) foi_sundials_linear_fill(l, 0, 1);
    } else {
        double *f = foi_sundials_data(w1);
        status = o->system.type->jacobian ? FO_OK : foi_rates(o, t, at, f);
        if (status == FO_OK) status = foi_jacobian_evaluate(&l->jacobian, o, t, at, f, l->values);
        if (status == FO_OK) foi_sundials_linear_fill(l, c, -1);
    }
    return foi_sundials_answer(d, status, t, at, NULL);
}

// -------------------------------------------------------------------------------------- making

static int set(foi_sundials *d)
{
    enum { TRIES = 30 }; // a shorter step after each: a model may ask for many
    void *m = d->memory;
    const foi_solver *o = d->o;
    int flag = FOI_SUNDIALS_LISTEN(IDASetErrHandlerFn, m, d);
    if (!flag) flag = IDAInit(m, residual_for_ida, o->t1, d->x, d->dx);
    if (!flag) flag = IDASetUserData(m, d);
    if (!flag) flag = IDAWFtolerances(m, foi_sundials_weights);
    if (!flag) flag = IDASetMaxNumSteps(m, -1);
    if (!flag) flag = IDASetMaxConvFails(m, TRIES);
    if (!flag) flag = IDASetMaxErrTestFails(m, TRIES);
    if (!flag && o->max_step > 0) flag = IDASetMaxStep(m, o->max_step);
    if (!flag && o->min_step > 0) flag = IDASetMinStep(m, o->min_step);
    if (!flag) flag = IDASetLinearSolver(m, d->linear.solver, d->linear.matrix);
    if (!flag) flag = IDASetJacFn(m, newton_matrix);
    return flag;
}

static fo_status create(foi_sundials *d)
{
    foi_solver *o = d->o;
    const fo_system_type *type = o->system.type;
    fo_system_type bare = *type;
    if (type->residual) bare.jacobian = NULL; // it is that of the rates: colours are needed
    o->system.type = &bare;
    fo_status status = foi_sundials_linear_prepare(&d->linear, d, type->mass && !type->residual);
    o->system.type = type;
    if (status != FO_OK) return status;
    d->dx = foi_sundials_vector(&d->store, d->context, d->n, NULL);
    d->id = foi_sundials_vector(&d->store, d->context, d->n, NULL);
    d->memory = IDACreate(d->context);
    if (!d->dx || !d->id || !d->memory) return foi_sundials_failure(d, IDA_MEM_FAIL);
    int flag = set(d);
    return flag ? foi_sundials_failure(d, flag) : FO_OK;
}

// ------------------------------------------------------------------------------------- starting

// x' to begin with: the model's guess, the rates, or zero.
static fo_status guess(foi_sundials *d)
{
    foi_solver *o = d->o;
    const fo_system_type *type = o->system.type;
    double *dx = foi_sundials_data(d->dx);
    if (type->start_rates) return type->start_rates(o->system.model, o->s, o->t1, o->x1, dx);
    memset(dx, 0, d->n * sizeof(double));
    if (!type->rates) return FO_OK;
    fo_status status = foi_rates(o, o->t1, o->x1, dx);
    const double *mass = d->linear.mass;
    for (size_t i = 0; mass && i < d->n; i++) { // M is often diagonal
        double m = mass[i * d->n + i];
        dx[i] = m != 0 ? dx[i] / m : 0;
    }
    return status;
}

// A state is differential when its derivative appears: its column of dF/dx' is not zero.
static fo_status classify(foi_sundials *d, const double *r)
{
    foi_solver *o = d->o;
    double *id = foi_sundials_data(d->id), *values = d->linear.values;
    const fo_pattern *p = d->linear.jacobian.pattern;
    size_t n = d->n;
    if (o->system.type->residual) {
        const double *dx = foi_sundials_data(d->dx);
        double visible = 1e5 * (1 + N_VMaxNorm(d->dx)); // so that it is not lost in any x'
        fo_status status = differences(d, o->t1, 0, visible, o->x1, dx, r, values);
        if (status != FO_OK) return status;
    } else {
        values = d->linear.mass, p = NULL;
    }
    for (size_t c = 0; c < n; c++) {
        id[c] = values ? 0 : 1;
        if (!values) continue;
        size_t from = p ? p->start[c] : c * n, to = p ? p->start[c + 1] : (c + 1) * n;
        for (size_t i = from; i < to; i++)
            if (values[i] != 0) id[c] = 1;
    }
    return FO_OK;
}

// Finds the algebraic states and the derivatives of the others that go with the differential
// states (IDACalcIC), and puts them into x1.
static fo_status make_consistent(foi_sundials *d, const double *r)
{
    foi_solver *o = d->o;
    fo_status status = classify(d, r);
    if (status != FO_OK) return status;
    double span = o->stop - o->t1; // only its sign and size matter: nothing is evaluated there
    if (!(span > 0) || isinf(span)) span = foi_fmax(1, fabs(o->t1));
    int flag = IDASetId(d->memory, d->id);
    if (!flag) flag = IDACalcIC(d->memory, IDA_YA_YDP_INIT, o->t1 + span);
    if (!flag) flag = IDAGetConsistentIC(d->memory, d->x, d->dx);
    if (!flag) return FO_OK;
    if (foi_sundials_broken(d) || !isnan(d->number_at) || flag == IDA_MEM_FAIL)
        return foi_sundials_failure(d, flag);
    return fo_fail(o->message, FO_ERROR_CONVERGE,
                   "ida found no consistent start at t = %.15g: %s (flag %d)", o->t1,
                   d->said[0] ? d->said : "no reason given", flag);
}

static fo_status restart(foi_sundials *d, double h)
{
    foi_solver *o = d->o;
    fo_status status = FO_OK;
    if (d->linear.mass) status = o->system.type->mass(o->system.model, o->s, d->linear.mass);
    if (status == FO_OK) status = guess(d);
    if (status != FO_OK) return status;
    int flag = IDAReInit(d->memory, o->t1, d->x, d->dx);
    d->started = true;
    if (!flag) flag = IDASetInitStep(d->memory, h);
    if (flag) return foi_sundials_failure(d, flag);
    double *r = o->f0; // free between steps
    status = residual(d, o->t1, o->x1, foi_sundials_data(d->dx), r);
    if (status != FO_OK) return status;
    bool consistent = true;
    for (uint32_t i = 0; i < d->n; i++) consistent &= fabs(r[i]) <= o->atol;
    return consistent ? FO_OK : make_consistent(d, r);
}

// ------------------------------------------------------------------------------------- stepping

static int step(foi_sundials *d, double goal, double *t)
{
    int flag = IDASetStopTime(d->memory, goal);
    return flag ? flag : IDASolve(d->memory, goal, t, d->x, d->dx, IDA_ONE_STEP);
}

static void figures(foi_sundials *d, foi_sundials_figures *out)
{
    long errors = 0, failures = 0;
    IDAGetNumErrTestFails(d->memory, &errors);
    IDAGetNumStepSolveFails(d->memory, &failures);
    IDAGetNumLinSolvSetups(d->memory, &out->setups);
    IDAGetNumNonlinSolvIters(d->memory, &out->iterations);
    out->rejected = errors + failures;
}

static double next_step(foi_sundials *d)
{
    double h = 0;
    IDAGetCurrentStep(d->memory, &h);
    return h;
}

static int errors(foi_sundials *d, N_Vector out)
{
    return IDAGetEstLocalErrors(d->memory, out);
}

// The polynomial through the last order + 1 points, x0 and x1 among them.
static fo_status dense(foi_solver *o, foi_sundials *d)
{
    int order = 1;
    IDAGetLastOrder(d->memory, &order);
    return foi_sundials_taylor(o, d, order, IDAGetDky);
}

static void release(foi_sundials *d)
{
    IDAFree(&d->memory);
}

const foi_sundials_integrator foi_sundials_ida = {
    .fit = fit,
    .create = create,
    .restart = restart,
    .step = step,
    .figures = figures,
    .next_step = next_step,
    .errors = errors,
    .dense = dense,
    .release = release,
    .no_memory = IDA_MEM_FAIL,
    .keeps_step = false,
};
