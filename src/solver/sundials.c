/// The solvers through SUNDIALS: what CVODE, ARKODE and IDA have in common, and their list.
#include "solver/sundials.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"

// --------------------------------------------------------------------------- making and freeing

static void release(foi_sundials *d)
{
    const fo_allocator *a = d->o->allocator;
    if (d->memory) d->variant->integrator->release(d);
    if (d->nonlinear) SUNNonlinSolFree(d->nonlinear);
    foi_sundials_linear_destroy(&d->linear, a);
    foi_sundials_starter_destroy(d->starter, a);
    foi_free(a, d->slopes);
    N_Vector vectors[] = {d->x, d->work, d->dx, d->id};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        if (vectors[i]) N_VDestroy(vectors[i]);
    N_Vector spare = d->store.spare;
    d->store.spare = NULL;
    if (spare) N_VDestroy(spare);
    if (d->context) SUNContext_Free(&d->context);
    *d = (foi_sundials){.o = d->o, .variant = d->variant};
}

static void destroy(foi_solver *o)
{
    foi_sundials *d = o->extern_data;
    if (!d) return;
    d->o = o;
    release(d);
    foi_free(o->allocator, d);
    o->extern_data = NULL;
}

static fo_status no_memory(const foi_sundials *d)
{
    return fo_fail(d->o->message, FO_ERROR_MEMORY, "no memory for '%s' and %u states",
                   d->o->method->info.name, d->n);
}

#if SUNDIALS_VERSION_MAJOR >= 7
static void hear(int line, const char *function, const char *file, const char *text,
                 SUNErrCode code, void *user, SUNContext context)
{
    (void)line, (void)function, (void)file, (void)code, (void)context;
    foi_sundials *d = user;
    snprintf(d->said, sizeof d->said, "%s", text ? text : "");
}

static bool listen_to(foi_sundials *d)
{
    return SUNContext_ClearErrHandlers(d->context) == 0 &&
           SUNContext_PushErrHandler(d->context, hear, d) == 0;
}
#else
static bool listen_to(foi_sundials *d)
{
    (void)d;
    return true;
}

void foi_sundials_listen(int flag, const char *module, const char *function, char *text, void *user)
{
    (void)flag, (void)module, (void)function;
    foi_sundials *d = user;
    snprintf(d->said, sizeof d->said, "%s", text);
}
#endif

static fo_status prepare(foi_solver *o)
{
    const foi_sundials_variant *variant = o->method->data;
    fo_status status = variant->integrator->fit ? variant->integrator->fit(o) : FO_OK;
    if (status != FO_OK) return status;
    foi_sundials *d = o->extern_data;
    if (!d) d = o->extern_data = foi_new(o->allocator, 1, sizeof *d);
    if (!d) return fo_fail(o->message, FO_ERROR_MEMORY, "no memory for '%s'", o->method->info.name);
    d->o = o, d->variant = variant;
    release(d);
    d->n = o->n;
    d->number_at = d->retried_at = NAN;
    if (d->n == 0) return FO_OK;
    d->store.allocator = o->allocator;
    if (SUNContext_Create(FOI_SUNDIALS_NOBODY, &d->context) == 0 && listen_to(d)) {
        d->store.spare = foi_sundials_vector(&d->store, d->context, d->n, NULL);
        d->x = foi_sundials_vector(&d->store, d->context, d->n, o->x1);
        d->work = foi_sundials_vector(&d->store, d->context, d->n, NULL);
    }
    if (!d->store.spare || !d->x || !d->work) return no_memory(d);
    status = variant->integrator->create(d);
    return d->store.failed ? no_memory(d) : status;
}

// ------------------------------------------------------------------------- what SUNDIALS calls

int foi_sundials_answer(foi_sundials *d, fo_status status, double t, const double *x,
                        const double *f)
{
    if (status == FO_RETRY) {
        d->retried_at = t;
        return 1;
    }
    if (status != FO_OK) {
        d->failed = status;
        return -1;
    }
    if (!f) return 0;
    double sum = 0;
    for (uint32_t i = 0; i < d->n; i++) sum += 0 * f[i]; // zero unless one is not finite
    if (sum == 0) return 0;
    fo_message *message = d->o->message;
    d->o->message = &d->number; // a shorter step may do: the message is only kept
    foi_not_finite(d->o, t, x, f);
    d->o->message = message;
    d->number_at = t;
    return 1;
}

int foi_sundials_rates(double t, N_Vector x, N_Vector f, void *user)
{
    foi_sundials *d = user;
    const double *at = foi_sundials_data(x);
    double *rates = foi_sundials_data(f);
    if (foi_sundials_broken(d)) return -1;
    return foi_sundials_answer(d, foi_rates(d->o, t, at, rates), t, at, rates);
}

int foi_sundials_weights(N_Vector x, N_Vector weights, void *user)
{
    const foi_sundials *d = user;
    const double *restrict at = foi_sundials_data(x);
    double *restrict w = foi_sundials_data(weights), rtol = d->o->rtol, atol = d->o->atol;
    bool good = true;
    for (uint32_t i = 0; i < d->n; i++) {
        double tolerance = rtol * fabs(at[i]) + atol;
        good &= tolerance > 0;
        w[i] = 1 / tolerance;
    }
    return good ? 0 : -1;
}

int foi_sundials_newton_matrix(foi_sundials *d, double t, N_Vector x, N_Vector f, bool fresh,
                               double gamma)
{
    foi_sundials_linear *l = &d->linear;
    if (foi_sundials_broken(d)) return -1;
    if (!fresh) {
        const double *at = foi_sundials_data(x);
        fo_status status =
            foi_jacobian_evaluate(&l->jacobian, d->o, t, at, foi_sundials_data(f), l->values);
        if (status != FO_OK) return foi_sundials_answer(d, status, t, at, NULL);
    }
    foi_sundials_linear_fill(l, 1, -gamma);
    return 0;
}

// ------------------------------------------------------------------------------------- failures

// While it is made only two things can go wrong. The linear interfaces have flags of their own.
static fo_status not_made(foi_sundials *d, int flag)
{
    enum { LINEAR_NO_MEMORY = -4 };
    if (flag == d->variant->integrator->no_memory || flag == LINEAR_NO_MEMORY) return no_memory(d);
    return fo_fail(d->o->message, FO_ERROR_ARGUMENT, "'%s' refuses its settings: %s",
                   d->o->method->info.name, d->said);
}

static bool in_trouble(const foi_sundials *d)
{
    return !isnan(d->number_at) || !isnan(d->retried_at);
}

// What stands in the way stays known until the solver has come past it.
static void forget_trouble(foi_sundials *d, double t)
{
    d->failed = FO_OK;
    if (!(d->number_at > t)) d->number_at = NAN;
    if (!(d->retried_at > t)) d->retried_at = NAN;
}

// The step is too small: because of the model's answers ahead, or because of the error.
static fo_status too_small(foi_sundials *d, double h)
{
    foi_solver *o = d->o;
    if (!isnan(d->number_at)) {
        if (o->message) *o->message = d->number;
        return d->number.status;
    }
    if (!isnan(d->retried_at))
        return fo_fail(o->message, FO_ERROR_STEP,
                       "step became too small at t = %.15g: h = %.3g, and at t = %.15g the model "
                       "still asked for a shorter one",
                       o->t1, h, d->retried_at);
    uint32_t worst = 0;
    double error = NAN;
    if (d->variant->integrator->errors(d, d->work) == 0)
        error = foi_error_norm(o, foi_sundials_data(d->work), o->x1, o->x1, &worst);
    return foi_step_too_small(o, h, error, worst);
}

fo_status foi_sundials_failure(foi_sundials *d, int flag)
{
    enum { TOO_MUCH_ACCURACY = -2, ERROR_TEST = -3, CONVERGENCE = -4 }; // the same in all three
    foi_solver *o = d->o;
    const foi_sundials_integrator *integrator = d->variant->integrator;
    if (d->store.failed || flag == integrator->no_memory) return no_memory(d);
    if (!d->started) return not_made(d, flag);
    if (d->failed != FO_OK) return d->failed;
    double h = integrator->next_step(d);
    if (in_trouble(d) || flag == ERROR_TEST) return too_small(d, h);
    if (flag == TOO_MUCH_ACCURACY)
        return fo_fail(o->message, FO_ERROR_STEP,
                       "rtol = %g and atol = %g ask for more than the numbers can hold at "
                       "t = %.15g",
                       o->rtol, o->atol, o->t1);
    if (flag == CONVERGENCE)
        return fo_fail(o->message, FO_ERROR_CONVERGE,
                       "the iteration of '%s' did not converge at t = %.15g, even with h = %.3g",
                       o->method->info.name, o->t1, h);
    return fo_fail(o->message, FO_ERROR_CONVERGE, "'%s' gave up at t = %.15g: %s (flag %d)",
                   o->method->info.name, o->t1, d->said[0] ? d->said : "no reason given", flag);
}

// ---------------------------------------------------------------------------------- the methods

static void count(foi_sundials *d)
{
    foi_sundials_figures now = d->seen;
    foi_counts *counts = &d->o->counts;
    d->variant->integrator->figures(d, &now);
    counts->rejected += (uint64_t)(now.rejected - d->seen.rejected);
    counts->factorisations += (uint64_t)(now.setups - d->seen.setups);
    counts->iterations += (uint64_t)(now.iterations - d->seen.iterations);
    d->seen = now;
}

static fo_status restart(foi_sundials *d, double h)
{
    count(d);
    d->seen = (foi_sundials_figures){0};
    fo_status status = d->variant->integrator->restart(d, h);
    if (d->store.failed) return no_memory(d);
    if (status != FO_RETRY) return status;
    d->retried_at = d->o->t1; // there is no shorter step than none
    return too_small(d, 0);
}

static fo_status begin(foi_solver *o, foi_begin how)
{
    foi_sundials *d = o->extern_data;
    d->o = o;
    if (d->n == 0) return FO_OK;
    double h = 0;
    if (how == FOI_COLD) h = o->first_step;
    if (how == FOI_JUMP && d->variant->integrator->keeps_step) h = o->h_next;
    if (o->max_step > 0) h = foi_fmin(h, o->max_step);
    forget_trouble(d, INFINITY);
    d->said[0] = 0;
    d->first = true, d->steps = 0;
    d->jumped = how == FOI_JUMP && (o->method->info.traits & FO_STIFF);
    o->loose = false;
    N_VSetArrayPointer(o->x1, d->x);
    return restart(d, h);
}

static double ulps(double t, double many)
{
    return many * DBL_EPSILON * fabs(t);
}

// A goal so near that SUNDIALS refuses to start towards it (its own limit is some ulps of t):
// one explicit Euler step of that length, which is exact to rounding.
static fo_status hop(foi_sundials *d, double goal)
{
    foi_solver *o = d->o;
    double h = goal - o->t0, *dx = foi_sundials_data(d->work);
    fo_status status = FO_OK;
    if (d->dx)
        dx = foi_sundials_data(d->dx);
    else
        status = foi_rates(o, o->t0, o->x0, dx);
    if (foi_sundials_answer(d, status, o->t0, o->x0, dx) != 0) return foi_sundials_failure(d, 0);
    for (uint32_t i = 0; i < d->n; i++) o->x1[i] = o->x0[i] + h * dx[i];
    o->t1 = goal;
    return restart(d, 0);
}

// One step of SUNDIALS. ARKODE gives up when explicit rates ask for a shorter step: it is started
// again with a quarter of it, from the same point.
static int try_step(foi_sundials *d, double goal, double *t)
{
    foi_solver *o = d->o;
    const foi_sundials_integrator *integrator = d->variant->integrator;
    int flag = integrator->step(d, goal, t);
    double h = foi_fmin(fabs(integrator->next_step(d)), goal - o->t0);
    while (flag < 0 && integrator->keeps_step && in_trouble(d) && !foi_sundials_broken(d)) {
        h *= 0.25;
        if (h < foi_fmax(o->min_step, ulps(o->t0, FOI_LEAST_STEP)) || h < DBL_MIN) break;
        memcpy(o->x1, o->x0, d->n * sizeof(double));
        o->t1 = o->t0;
        o->counts.rejected++;
        if (restart(d, h) != FO_OK) break;
        flag = integrator->step(d, goal, t);
    }
    return foi_sundials_broken(d) ? -1 : flag;
}

static fo_status step(foi_sundials *d, double goal)
{
    enum { NEAR = 100 }; // ulps; SUNDIALS counts its own rounding in the same unit
    enum { YOUNG = 30 }; // steps from a start on, which may begin with any length and grow
    foi_solver *o = d->o;
    foi_solver_turn(o);
    N_VSetArrayPointer(o->x1, d->x);
    forget_trouble(d, o->t0);
    double t = o->t0, next = o->h_next;
    bool near = d->first && goal - o->t0 <= foi_fmax(ulps(goal, NEAR), DBL_MIN);
    int flag = near ? 0 : try_step(d, goal, &t);
    fo_status status = near ? hop(d, goal) : FO_OK;
    if (flag < 0 || status != FO_OK) {
        foi_solver_unturn(o);
        o->f1_valid = false;
        return flag < 0 ? foi_sundials_failure(d, flag) : status;
    }
    o->counts.steps++;
    if (near) return FO_OK;
    d->first = false;
    o->t1 = t;
    o->h_next = d->variant->integrator->next_step(d);
    // a step that was cut short by the goal says nothing about the next one
    if (t == goal) o->h_next = foi_fmax(o->h_next, next);
    double least = foi_fmax(0.999 * o->min_step, ulps(t, FOI_LEAST_STEP));
    bool cut = o->h_next > 0.5 * (goal - t); // or was, to meet the goal
    bool young = d->steps < YOUNG;
    d->steps += young;
    return o->h_next < least && !cut && !young ? too_small(d, o->h_next) : FO_OK;
}

// Where the starter can do nothing, what the method itself does there is not controlled.
static fo_status after_jump(foi_sundials *d, double goal)
{
    bool taken;
    d->jumped = false;
    fo_status status = foi_sundials_start(d, goal, &taken);
    if (status != FO_OK) return no_memory(d);
    d->o->loose = !taken;
    if (!taken) return step(d, goal);
    N_VSetArrayPointer(d->o->x1, d->x);
    return restart(d, 0);
}

static fo_status march(foi_solver *o, double attention, double goal)
{
    foi_sundials *d = o->extern_data;
    d->o = o;
    if (d->n == 0) {
        foi_solver_turn(o);
        o->t1 = goal;
        o->counts.steps++;
        return FO_OK;
    }
    fo_status status = FO_OK;
    uint64_t left = o->budget ? o->budget : 1;
    do status = d->jumped ? after_jump(d, goal) : step(d, goal);
    while (status == FO_OK && --left && o->t1 < attention && o->t1 < goal);
    count(d);
    return status;
}

static fo_status dense(foi_solver *o)
{
    foi_sundials *d = o->extern_data;
    d->o = o;
    if (d->n == 0 || o->t1 == o->t0 || d->first) return foi_dense_line(o);
    return d->variant->integrator->dense(o, d);
}

// x(t0 + theta h) = sum of z_j (theta - 1)^j, z_j = h^j / j! x^(j)(t1), turned into powers of theta
// by repeated synthetic division.
fo_status foi_sundials_taylor(foi_solver *o, foi_sundials *d, int degree,
                              int (*get)(void *memory, double t, int k, N_Vector out))
{
    uint32_t n = o->n;
    double h = o->t1 - o->t0, factor = 1;
    for (int k = 0; k <= degree; k++) {
        double *z = o->coefficients + (size_t)k * n;
        N_VSetArrayPointer(z, d->x);
        int flag = get(d->memory, o->t1, k, d->x);
        N_VSetArrayPointer(o->x1, d->x);
        if (flag < 0) return foi_sundials_failure(d, flag);
        for (uint32_t i = 0; i < n; i++) z[i] *= factor;
        factor *= h / (k + 1);
    }
    for (int j = 0; j < degree; j++)
        for (int k = degree - 1; k >= j; k--) {
            double *z = o->coefficients + (size_t)k * n;
            for (uint32_t i = 0; i < n; i++) z[i] -= z[n + i];
        }
    o->degree = degree;
    return FO_OK;
}

// ------------------------------------------------------------------------------------- the list

#define METHOD(name_, integrator_, kind_, order_, dense_order_, traits_, about_)              \
    &(const foi_method)                                                                       \
    {                                                                                         \
        .info = {name_, about_, order_, dense_order_, FO_ADAPTIVE | FO_SUNDIALS | (traits_)}, \
        .data = &(const foi_sundials_variant){&integrator_, kind_}, .prepare = prepare,       \
        .begin = begin, .march = march, .dense = dense, .destroy = destroy, .foreign = true,  \
        .loose = (kind_) == FOI_IMPLICIT || (kind_) == FOI_IMEX                               \
    }

FOI_FAMILY(foi_family_sundials,
           METHOD("cvode-bdf", foi_sundials_cvode, FOI_BDF, 5, 5, FO_STIFF | FO_BEGINS_LOW,
                  "CVODE: backward differentiation, order 1 to 5, Newton with a sparse Jacobian"),
           METHOD("cvode-adams", foi_sundials_cvode, FOI_ADAMS, 12, 12, FO_BEGINS_LOW,
                  "CVODE: Adams-Moulton, order 1 to 12, for smooth systems that are not stiff"),
           METHOD("ark-explicit", foi_sundials_ark, FOI_EXPLICIT, 5, 4, 0,
                  "ARKODE: Dormand and Prince 5(4)"),
           METHOD("ark-implicit", foi_sundials_ark, FOI_IMPLICIT, 4, 3, FO_STIFF,
                  "ARKODE: ESDIRK 4(3), six stages, L-stable (Kennedy and Carpenter)"),
           METHOD("ark-imex", foi_sundials_ark, FOI_IMEX, 4, 3, FO_STIFF,
                  "ARKODE: additive 4(3), stiff_rates implicit and the rest explicit"),
           METHOD("ida", foi_sundials_ida, FOI_RESIDUAL, 5, 5,
                  FO_STIFF | FO_RESIDUAL | FO_MASS | FO_BEGINS_LOW,
                  "IDA: F(t, x, x') = 0 by backward differentiation, order 1 to 5"));
