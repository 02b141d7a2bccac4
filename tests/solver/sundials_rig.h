/// What the tests of the solvers through SUNDIALS share: a solver at a state, without a simulation.
#ifndef FOLIOT_SUNDIALS_RIG_H
#define FOLIOT_SUNDIALS_RIG_H

#include <math.h>
#include <string.h>

#include "solver/solver.h"
#include "test.h"

static const char *const all[] = {"cvode-bdf",    "cvode-adams", "ark-explicit",
                                  "ark-implicit", "ark-imex",    "ida"};
enum { ALL = 6 };

/// A solver with what a simulation would give it.
typedef struct rig {
    foi_solver o;
    fo_state s;
    fo_description about;
    fo_message message;
} rig;

/// Fills in everything but calls no prepare: settings can still be changed.
static inline void rig_set(rig *r, const char *method, const fo_system_type *type,
                           const void *model, uint32_t n, double tolerance)
{
    memset(r, 0, sizeof *r);
    r->o = (foi_solver){.method = foi_method_find(method, NULL),
                        .system = {type, &r->about, model},
                        .s = &r->s,
                        .n = n,
                        .rtol = tolerance,
                        .atol = tolerance,
                        .stop = INFINITY,
                        .budget = UINT64_MAX,
                        .message = &r->message};
    r->s.shape.states = n;
    r->s.message = &r->message;
}

/// Prepares and begins at t = 0.
static inline fo_status rig_begin(rig *r, const double *x)
{
    fo_status status = foi_solver_prepare(&r->o);
    return status == FO_OK ? foi_solver_begin(&r->o, 0, x, FOI_COLD) : status;
}

static inline fo_status rig_go(rig *r, double goal)
{
    fo_status status = FO_OK;
    while (status == FO_OK && r->o.t1 < goal) status = r->o.method->march(&r->o, goal, goal);
    return status;
}

// x'' = -x

static inline fo_status swing(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = x[1], dx[1] = -x[0];
    return FO_OK;
}

static inline fo_status half_swing(const void *model, const fo_state *s, double t, const double *x,
                                   double *dx)
{
    (void)model, (void)s, (void)t;
    dx[0] = 0, dx[1] = -x[0];
    return FO_OK;
}

static const fo_system_type swing_type = {.rates = swing, .stiff_rates = half_swing};
static const double swing_start[] = {1, 0};

// A rod of ROD points, u' = u'': tridiagonal. The model is its pattern; NULL: none.

enum { ROD = 200 };

typedef struct rod_pattern {
    fo_pattern pattern;
    uint32_t start[ROD + 1], row[5 * ROD];
} rod_pattern;

static inline fo_status rod(const void *model, const fo_state *s, double t, const double *x,
                            double *dx)
{
    (void)model, (void)s, (void)t;
    double k = (ROD + 1.0) * (ROD + 1.0);
    for (int i = 0; i < ROD; i++) {
        double left = i ? x[i - 1] : 0, right = i < ROD - 1 ? x[i + 1] : 0;
        dx[i] = k * (left - 2 * x[i] + right);
    }
    return FO_OK;
}

/// `far` adds an entry that is zero but widens the band, so that KLU is chosen.
static inline const fo_pattern *make_rod_pattern(rod_pattern *p, bool far)
{
    uint32_t at = 0;
    for (uint32_t c = 0; c < ROD; c++) {
        p->start[c] = at;
        for (uint32_t i = c ? c - 1 : 0; i <= c + 1 && i < ROD; i++) p->row[at++] = i;
        if (far && c == 0) p->row[at++] = ROD - 1;
    }
    p->start[ROD] = at;
    p->pattern = (fo_pattern){ROD, p->start, p->row};
    return &p->pattern;
}

static inline const fo_pattern *model_is_pattern(const void *model, const fo_state *s)
{
    (void)s;
    return model;
}

#endif
