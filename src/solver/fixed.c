/// Explicit Runge-Kutta methods with fixed steps, t = base + count * step: the template of erk.h
/// with tableaux that have no error estimate.
#define FOI_ERK_CALLED // rates are behind a pointer
#include "solver/erk.h"

FOI_ERK_DEFINE_MARCH(euler)
FOI_ERK_DEFINE_MARCH(midpoint)
FOI_ERK_DEFINE_MARCH(heun)
FOI_ERK_DEFINE_MARCH(rk4)

static size_t size(const foi_solver *o)
{
    return foi_erk_size(o->method->data, o->n, 0);
}

static fo_status prepare(foi_solver *o)
{
    if (o->step > 0 && isfinite(o->step)) return FO_OK;
    return fo_fail(o->message, FO_ERROR_ARGUMENT,
                   "solver '%s' has fixed steps: the step must be positive, not %.15g",
                   o->method->info.name, o->step);
}

#define FIXED_METHOD(name_, order_, dense_order_, about_)              \
    static const foi_method method_##name_ = {                         \
        .info = {#name_, about_, order_, dense_order_, FO_FIXED_WORK}, \
        .data = &foi_tableau_##name_,                                  \
        .size = size,                                                  \
        .prepare = prepare,                                            \
        .begin = foi_erk_begin,                                        \
        .march = march_##name_,                                        \
        .dense = foi_dense_cubic,                                      \
    }

FIXED_METHOD(euler, 1, 1, "Euler, 1 evaluation a step");
FIXED_METHOD(midpoint, 2, 2, "the midpoint rule, 2 evaluations a step");
FIXED_METHOD(heun, 2, 2, "Heun, 2 evaluations a step");
FIXED_METHOD(rk4, 4, 3, "the classical Runge-Kutta method, 4 evaluations a step");

FOI_FAMILY(foi_family_euler, &method_euler, &method_midpoint, &method_heun, &method_rk4);
