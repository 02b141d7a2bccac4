#include "solver/solver.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "math/math.h"
#include "solver/stepping.h"

// ------------------------------------------------------------------------------- the registry

static const foi_family *const families[] = {
    &foi_family_euler,    &foi_family_second,     &foi_family_multistep, &foi_family_lobatto,
    &foi_family_implicit, &foi_family_erk,        &foi_family_doubling,  &foi_family_adams,
    &foi_family_fowler,   &foi_family_rosenbrock, &foi_family_radau,     &foi_family_own,
#ifdef FOI_WITH_SUNDIALS
    &foi_family_sundials,
#endif
};

static const foi_method *method_at(size_t index)
{
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        if (index < families[f]->count) return families[f]->methods[index];
        index -= families[f]->count;
    }
    return NULL;
}

size_t fo_solver_count(void)
{
    size_t count = 0;
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) count += families[f]->count;
    return count;
}

const fo_solver_info *fo_solver_get(size_t index)
{
    const foi_method *method = method_at(index);
    return method ? &method->info : NULL;
}

const foi_method *foi_method_find(const char *name, fo_message *why)
{
    for (size_t i = 0; method_at(i); i++)
        if (strcmp(method_at(i)->info.name, name) == 0) return method_at(i);
#ifndef FOI_WITH_SUNDIALS
    if (strncmp(name, "cvode", 5) == 0 || strncmp(name, "ark", 3) == 0 ||
        strcmp(name, "ida") == 0) {
        fo_fail(why, FO_ERROR_UNFIT,
                "solver '%s' needs SUNDIALS, which this build is without; install libsundials-dev "
                "and build again",
                name);
        return NULL;
    }
#endif
    foi_nearest nearest = foi_nearest_to(name);
    for (size_t i = 0; method_at(i); i++) foi_nearest_try(&nearest, method_at(i)->info.name);
    fo_fail(why, FO_ERROR_ARGUMENT, "unknown solver '%s'%s", name, foi_nearest_hint(&nearest));
    return NULL;
}

const fo_solver_info *fo_solver_find(const char *name, fo_message *why)
{
    const foi_method *method = foi_method_find(name, why);
    return method ? &method->info : NULL;
}

// -------------------------------------------------------------------------- making and copying

enum { COMMON_ROWS = 4 + FOI_DEGREE_MAX + 1 }; ///< x0, x1, f0, f1 and the coefficients

// Whether the method takes the system's form: M x' = f taken for x' = f would give wrong numbers.
static fo_status check_form(const foi_solver *o)
{
    const fo_system_type *type = o->system.type;
    const fo_solver_info *info = &o->method->info;
    if (type->mass && !(info->traits & FO_MASS))
        return fo_fail(o->message, FO_ERROR_UNFIT,
                       "%s takes no mass matrix; use implicit-euler, radau5, rodas4 or ida",
                       info->name);
    if (!type->rates && !(info->traits & FO_RESIDUAL))
        return fo_fail(o->message, FO_ERROR_UNFIT,
                       "%s needs rates, and the system gives a residual only; use ida", info->name);
    return FO_OK;
}

fo_status foi_solver_prepare(foi_solver *o)
{
    fo_status status = o->n ? check_form(o) : FO_OK;
    if (status != FO_OK) return status;
    size_t n = o->n, own = o->method->size ? o->method->size(o) : 0;
    size_t size = COMMON_ROWS * n + own;
    if (size != o->block_size || !o->block) {
        double *block = foi_new(o->allocator, size, sizeof(double));
        if (!block) return fo_fail(o->message, FO_ERROR_MEMORY, "no memory for %zu states", n);
        foi_free(o->allocator, o->block);
        o->block = block, o->block_size = size;
    } else {
        memset(o->block, 0, size * sizeof(double));
    }
    o->x0 = o->block, o->x1 = o->x0 + n;
    o->f0 = o->x1 + n, o->f1 = o->f0 + n;
    o->coefficients = o->f1 + n;
    o->own = o->coefficients + (FOI_DEGREE_MAX + 1) * n;
    o->dense_ready = o->f1_valid = false;
    return n && o->method->prepare ? o->method->prepare(o) : FO_OK;
}

void foi_solver_destroy(foi_solver *o)
{
    if (o->method && o->method->destroy) o->method->destroy(o);
    foi_free(o->allocator, o->block);
    o->block = NULL, o->block_size = 0;
}

static double largest(const double *v, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (fabs(v[i]) > most) most = fabs(v[i]);
    return most;
}

// How large the states are at the first start; where they are zero nothing is known. A later start
// never makes that less: what has died down is not followed into its rounding errors.
static void measure_size(foi_solver *o)
{
    double now = largest(o->x1, o->n);
    if (o->size == 0 && now == 0) now = INFINITY;
    if (!(now <= o->size)) o->size = now;
}

static void fit_tolerance(foi_solver *o)
{
    if (!(o->wanted_atol > 0)) o->wanted_atol = o->atol;
    if (!(o->wanted_atol > 0 && o->rtol > 0)) return;
    measure_size(o);
    bool hides = o->rtol * o->size < 0.1 * o->wanted_atol;
    o->atol = hides ? o->rtol * o->size : o->wanted_atol;
    if (!(o->atol > DBL_MIN / DBL_EPSILON)) o->atol = o->wanted_atol;
}

// The size never becomes less: what does not hide now never will.
bool foi_solver_tolerance_stays(const foi_solver *o)
{
    if (!(o->wanted_atol > 0 && o->rtol > 0)) return o->wanted_atol > 0;
    return o->rtol * o->size >= 0.1 * o->wanted_atol;
}

fo_status foi_solver_begin(foi_solver *o, double t, const double *x, foi_begin how)
{
    for (uint32_t i = 0; i < o->n; i++) o->x1[i] = x[i];
    o->t0 = o->t1 = t;
    o->base = t, o->count = 0;
    o->f1_valid = o->dense_ready = o->stiff = o->calm = false;
    // (in lockstep others have other states, and the tolerance is that of all; where steps are
    // fixed it still says what counts as zero for what is held there)
    if (o->n && !o->system.type->lockstep) fit_tolerance(o);
    return o->n && o->method->begin ? o->method->begin(o, how) : FO_OK;
}

fo_status foi_solver_dense(foi_solver *o)
{
    if (o->dense_ready) return FO_OK;
    fo_status status = o->method->dense(o);
    if (status == FO_OK) o->dense_ready = true;
    return status;
}

static double *moved(double *pointer, const double *from, double *to)
{
    return to + (pointer - from);
}

void foi_solver_copy(foi_solver *to, const foi_solver *from)
{
    foi_solver kept = *to;
    *to = *from;
    to->block = kept.block, to->block_size = kept.block_size;
    to->system = kept.system, to->s = kept.s;
    to->allocator = kept.allocator, to->message = kept.message;
    to->extern_data = kept.extern_data;
    double **pointers[] = {&to->x0, &to->x1, &to->f0, &to->f1, &to->coefficients, &to->own};
    for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++)
        *pointers[i] = moved(*pointers[i], from->block, to->block);
    memcpy(to->block, from->block, from->block_size * sizeof(double));
}

// --------------------------------------------------------------------------- for the methods

fo_status foi_solver_f1(foi_solver *o)
{
    if (o->f1_valid) return FO_OK;
    fo_status status = foi_rates(o, o->t1, o->x1, o->f1);
    if (status != FO_OK) return status;
    o->f1_valid = true;
    return FO_OK;
}

// The norm where squares of its terms are beyond all numbers: a rate of 1e150 over a tolerance of
// 1e-9. `most` is the largest of the terms.
static double large_norm(const foi_solver *o, const double *e, const double *a, const double *b,
                         double most)
{
    double sum = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        double q = e[i] / (o->atol + o->rtol * foi_fmax(fabs(a[i]), fabs(b[i]))) / most;
        sum += q * q;
    }
    return most * sqrt(sum / o->n);
}

double foi_error_norm(const foi_solver *o, const double *e, const double *a, const double *b,
                      uint32_t *worst)
{
    double sum = 0, largest = -1;
    for (uint32_t i = 0; i < o->n; i++) {
        double q = e[i] / (o->atol + o->rtol * foi_fmax(fabs(a[i]), fabs(b[i])));
        sum += q * q;
        if (!(fabs(q) <= largest)) {
            largest = fabs(q);
            if (worst) *worst = i;
        }
    }
    if (sum > DBL_MAX && largest <= DBL_MAX) return large_norm(o, e, a, b, largest);
    return o->n ? sqrt(sum / o->n) : 0;
}

// (w h1)^(p+1) d2 / w^2 of a first step.
static double first_term(int order)
{
    return 0.01 * foi_tgamma(order + 2) / 2;
}

// Where a state is zero, d0 / d1 is the time in which it moves by a tolerance or two, and steps of
// 100 h0 are far too short. A method of high order, whose steps cost a dozen evaluations, asks for
// the rates there once more: if f changes no faster than it did over h0, f says how long the step
// may be, not x.
static fo_status look_farther(foi_solver *o, int order, double d1, double d2, double *h)
{
    enum { HIGH = 8, FARTHER = 16 };
    double w = d1 > 0 ? d2 / d1 : 0;
    if (order < HIGH || !(w > 0) || !(FARTHER * w * *h < 1)) return FO_OK;
    for (uint32_t i = 0; i < o->n; i++) o->x0[i] = o->x1[i] + *h * o->f1[i];
    fo_status status = foi_rates(o, o->t1 + *h, o->x0, o->f0);
    if (status != FO_OK) return status == FO_RETRY ? FO_OK : status;
    for (uint32_t i = 0; i < o->n; i++) o->f0[i] -= o->f1[i];
    double there = foi_error_norm(o, o->f0, o->x1, o->x1, NULL) / *h;
    if (there <= 2 * d2 && d2 <= 2 * there)
        *h = foi_fmin(FARTHER * *h, foi_pow(first_term(order) * w * w / d2, 1.0 / (order + 1)) / w);
    return FO_OK;
}

// Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, II.4, begin with d0 = |x|,
// d1 = |f|, h0 = 0.01 d0 / d1, one Euler step and d2 = |f(x + h0 f) - f| / h0, and take h = min(100
// h0, h1) with h1^(p+1) max(d1, d2) = 0.01. That counts in seconds: d1 is per second, d2 per second
// squared. Here the step is such that the first term that is left out,
//
//     h1^(p+1) |x^(p+1)| / (p+1)! = 0.01 / 2,    |x^(p+1)| = d2 w^(p-1),    w = max(d2/d1, d1/d0),
//
// where w is how fast x changes, and f. Where x is zero or does not move, lengths of time are
// measured by the run's scale, which may be far too long (a run that ends when something happens):
// the Euler step moves x by at most a thousand tolerances. So a model in milliseconds takes the
// same steps.
fo_status foi_first_step(foi_solver *o, int order, double goal, double *h)
{
    double span = goal - o->t1;
    double limit = o->max_step > 0 ? foi_fmin(o->max_step, span) : span;
    if (o->first_step > 0) {
        *h = foi_fmin(o->first_step, limit);
        return FO_OK;
    }
    fo_status status = foi_solver_f1(o);
    if (status != FO_OK) return status;
    double run = o->scale > 0 ? o->scale : span;
    double d0 = foi_error_norm(o, o->x1, o->x1, o->x1, NULL);
    double d1 = foi_error_norm(o, o->f1, o->x1, o->x1, NULL);
    bool known = d0 >= 1e-5 && d1 * run >= 1e-5;
    double h0 = known ? 0.01 * d0 / d1 : 1e-6 * run;
    if (!known && d1 * h0 > 1e3) h0 = 1e3 / d1;
    h0 = foi_fmin(h0, limit);
    for (uint32_t i = 0; i < o->n; i++) o->x0[i] = o->x1[i] + h0 * o->f1[i];
    status = foi_rates(o, o->t1 + h0, o->x0, o->f0);
    if (status != FO_OK && status != FO_RETRY) return status;
    for (uint32_t i = 0; i < o->n; i++) o->f0[i] -= o->f1[i];
    double d2 = foi_error_norm(o, o->f0, o->x1, o->x1, NULL) / h0;
    if (status == FO_RETRY || !isfinite(d2)) {
        *h = h0 * 0.01;
        return FO_OK;
    }
    double w = foi_fmax(d1 > 0 ? d2 / d1 : 0, known ? d1 / d0 : 1 / run);
    bool bends = d2 > 0 && w > 0;
    double h1 = bends ? foi_pow(first_term(order) * w * w / d2, 1.0 / (order + 1)) / w : INFINITY;
    *h = foi_fmin(100 * h0, h1);
    if (known) status = look_farther(o, order, d1, d2, h);
    // a state that is zero has no size but atol: with 1e-40 it would begin with steps that t does
    // not notice
    *h = foi_fmin(foi_fmax(*h, foi_least_step(o, o->t1)), limit);
    return status;
}

fo_status foi_fail_because(foi_solver *o, fo_status status, const char *format, ...)
{
    char said[FO_MESSAGE_SIZE] = "", text[FO_MESSAGE_SIZE];
    if (o->message && o->message->status > FO_ERROR) memcpy(said, o->message->text, sizeof said);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fo_fail(o->message, status, "%s%s%s", text, said[0] ? ": " : "", said);
}

fo_status foi_not_finite(foi_solver *o, double t, const double *x, const double *f)
{
    char name[64];
    for (uint32_t i = 0; i < o->n; i++) {
        fo_reference which = {FO_STATE, i};
        if (f && !isfinite(f[i]))
            return fo_fail(o->message, FO_ERROR_NUMBER,
                           "the rate of '%s' became %s at t = %.15g (its value there is %.15g)",
                           fo_system_name(o->system, which, name, sizeof name),
                           isnan(f[i]) ? "not a number" : "infinite", t, x[i]);
        if (!isfinite(x[i]))
            return fo_fail(o->message, FO_ERROR_NUMBER, "state '%s' became %s at t = %.15g",
                           fo_system_name(o->system, which, name, sizeof name),
                           isnan(x[i]) ? "not a number" : "infinite", t);
    }
    return fo_fail(o->message, FO_ERROR_NUMBER, "a stage of '%s' became infinite near t = %.15g",
                   o->method->info.name, t);
}

fo_status foi_step_too_small(foi_solver *o, double h, double error, uint32_t worst)
{
    char name[64];
    fo_reference which = {FO_STATE, worst};
    return fo_fail(o->message, FO_ERROR_STEP,
                   "step became too small at t = %.15g: h = %.3g, state '%s', last error %.3g "
                   "times the tolerance",
                   o->t0, h, fo_system_name(o->system, which, name, sizeof name), error);
}

double foi_fixed_target(const foi_solver *o, double goal, bool *lands)
{
    double t = o->base + (double)(o->count + 1) * o->step;
    *lands = t > goal + 1e-9 * o->step;
    return t > goal - 1e-9 * o->step ? goal : t;
}

void foi_fixed_accept(foi_solver *o, bool lands)
{
    o->counts.steps++;
    if (lands)
        o->base = o->t1, o->count = 0;
    else
        o->count++;
}

double foi_strictness(double rtol, double q)
{
    return rtol < 1e-3 ? foi_pow(rtol / 1e-3, 1 / (q - 1)) : 1;
}
