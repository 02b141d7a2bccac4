/// What the tests of the explicit Runge-Kutta methods share: a solver with all that it stands on,
/// and some models.
#ifndef TEST_ERK_RIG_H
#define TEST_ERK_RIG_H

#include <math.h>

#include "solver/erk.h"
#include "test.h"

static const char *const adaptive[] = {"bs23", "rkf45", "rke", "rkn34", "dp45", "rkv56", "dop853"};
static const char *const fixed[] = {"euler", "midpoint", "heun", "rk4"};
enum { ADAPTIVE = sizeof adaptive / sizeof *adaptive, FIXED = sizeof fixed / sizeof *fixed };

/// The k-th of all methods, adaptive ones first.
static inline const char *method_name(int k)
{
    return k < ADAPTIVE ? adaptive[k] : fixed[k - ADAPTIVE];
}

// ------------------------------------------------------------------------------------ frame

typedef struct rig {
    foi_solver o;
    fo_system_type type;
    fo_description about;
    fo_state s;
    fo_message message;
    test_memory memory;
} rig;

static inline void make(rig *r, const char *method, uint32_t n, foi_rates_function *rates)
{
    static const fo_variable names[] = {{"u"}, {"v"}, {"w"}, {"z"}};
    *r = (rig){.type = {.kind = "C", .rates = rates}};
    r->about.states = (fo_variables){names, n < 4 ? n : 4};
    test_memory_init(&r->memory, 0);
    r->o = (foi_solver){.method = foi_method_find(method, &r->message),
                        .system = {&r->type, &r->about, &r->s},
                        .s = &r->s,
                        .n = n,
                        .rtol = 1e-8,
                        .atol = 1e-8,
                        .step = 0.1,
                        .stop = INFINITY,
                        .budget = UINT64_MAX,
                        .allocator = &r->memory.allocator,
                        .message = &r->message};
}

static inline void begin(rig *r, double t, const double *x)
{
    CHECK_STATUS(foi_solver_prepare(&r->o), FO_OK, &r->message);
    CHECK_STATUS(foi_solver_begin(&r->o, t, x, FOI_COLD), FO_OK, &r->message);
}

static inline fo_status march(rig *r, double attention, double goal)
{
    return r->o.method->march(&r->o, attention, goal);
}

// Makes an adaptive method step by h, whatever the error.
static inline void force_step(rig *r, double h)
{
    r->o.rtol = r->o.atol = 1e30;
    r->o.first_step = r->o.max_step = r->o.step = h;
}

static inline void unmake(rig *r)
{
    foi_solver_destroy(&r->o);
    CHECK_INT(r->memory.live, 0);
}

// ----------------------------------------------------------------------------------- models

#define RATES(name)                                                                               \
    static inline fo_status name(const void *model, const fo_state *s, double t, const double *x, \
                                 double *dx)
#define UNUSED (void)model, (void)s, (void)t, (void)x

// Hairer, Norsett, Wanner I, II.4: nonlinear, depends on time, solution
// exp(sin t^2), exp(5 sin t^2), 1 + sin t^2, cos t^2.
RATES(woven)
{
    UNUSED;
    dx[0] = 2 * t * pow(x[1], 0.2) * x[3];
    dx[1] = 10 * t * exp(5 * (x[2] - 1)) * x[3];
    dx[2] = 2 * t * x[3];
    dx[3] = -2 * t * log(x[0]);
    return FO_OK;
}

static inline void woven_exact(double t, double *x)
{
    double s = sin(t * t);
    x[0] = exp(s), x[1] = exp(5 * s), x[2] = 1 + s, x[3] = cos(t * t);
}

RATES(pendulum)
{
    UNUSED;
    dx[0] = x[1];
    dx[1] = -19.6 * sin(x[0]) - 0.25 * x[1];
    return FO_OK;
}

RATES(pendulums) // three of them, side by side
{
    for (int i = 0; i < 3; i++) pendulum(model, s, t, x + 2 * i, dx + 2 * i);
    return FO_OK;
}

#endif
