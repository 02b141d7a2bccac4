/// The explicit steppers of a field.
#include <math.h>
#include <string.h>

#include "field/field.h"
#include "field/object.h"

// ------------------------------------------------------------------------------------------- euler

static fo_status euler_step(const void *model, fo_state *s, double t, double h, const double *x,
                            double *x_new)
{
    const foi_part *p = model;
    fo_status status = foi_check_step(p->f, s, h);
    double *dx = foi_scratch(p, s, FOI_SLOPE);
    if (!status) status = foi_part_rates(p, s, t, x, dx);
    if (status) return status;
    uint32_t n = foi_part_states(p);
    for (uint32_t i = 0; i < n; i++) x_new[i] = x[i] + h * dx[i];
    foi_part_impose(p, t + h, s->u, x_new);
    return FO_OK;
}

const fo_stepper foi_stepper_euler = {"euler", 1, euler_step};

// --------------------------------------------------------------------------------------------- rk4

/// x_new += a k; stage = x + b k.
static void gather(uint32_t n, const double *x, const double *k, double a, double b, double *x_new,
                   double *stage)
{
    for (uint32_t i = 0; i < n; i++) {
        x_new[i] += a * k[i];
        stage[i] = x[i] + b * k[i];
    }
}

static fo_status rk4_step(const void *model, fo_state *s, double t, double h, const double *x,
                          double *x_new)
{
    static const double weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6}, ahead[4] = {0.5, 0.5, 1, 0};
    static const double place[4] = {0, 0.5, 0.5, 1};
    const foi_part *p = model;
    uint32_t n = foi_part_states(p);
    double *stage = foi_scratch(p, s, FOI_STAGE), *k = foi_scratch(p, s, FOI_SLOPE);
    fo_status status = foi_check_step(p->f, s, h);
    memcpy(x_new, x, n * sizeof *x);
    for (int i = 0; i < 4 && !status; i++) {
        status = foi_part_rates(p, s, t + place[i] * h, i ? stage : x, k);
        gather(n, x, k, weight[i] * h, ahead[i] * h, x_new, stage);
    }
    if (!status) foi_part_impose(p, t + h, s->u, x_new);
    return status;
}

const fo_stepper foi_stepper_rk4 = {"rk4", 4, rk4_step};

// ---------------------------------------------------------------------------------------- leapfrog

// Drift, kick, drift: the positions at the half step are those of the leapfrog.
//
//     q = u + h/2 w      a = rates of w at (t + h/2, q, w)
//     w <- w + h a / (1 + e)      u <- q + h/2 w      e = h b1 / 2
//
// which is the centred treatment of b1: (1 + e) w_new = (1 - e) w + h (a + b1 w). Nodes under an
// object have e = 0, so that they move as the object does. Waves without an object are
// drift.c's, in one pass; the passes here serve all others.
static bool undamped(const fo_field *f)
{
    bool edges = false;
    for (int side = 0; side < 6; side++) edges |= f->edge[side] > 0;
    return f->def.equation != FO_FIELD_WAVE || (!edges && !f->b1.each && f->b1.value == 0);
}

/// The kick and the second drift with e = 0 everywhere.
static void kick(const foi_part *p, double h, const double *x, const double *q, const double *dx,
                 double *x_new)
{
    uint32_t n = p->nodes;
    const bool *still = p->f->still;
    for (uint32_t i = 0; i < n; i++) {
        double w = x[n + i] + h * dx[n + i];
        x_new[n + i] = w;
        x_new[i] = still[foi_part_node(p, i)] ? x[i] : q[i] + h / 2 * w;
    }
}

static void damped_kick(const foi_part *p, double h, const double *x, const double *q,
                        const double *dx, double *x_new)
{
    const fo_field *f = p->f;
    uint32_t n = p->nodes;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = foi_part_node(p, i);
        double e = f->still[node] ? 0 : h * foi_damping_at(f, node) / 2;
        x_new[n + i] = x[n + i] + h * dx[n + i] / (1 + e);
        x_new[i] = f->still[node] ? x[i] : q[i] + h / 2 * x_new[n + i];
    }
}

fo_status foi_field_not_finite(const fo_field *f, const fo_state *s, double t)
{
    return fo_fail(s->message, FO_ERROR_NUMBER, "%s: the step to t = %.15g gives no finite numbers",
                   f->name, t);
}

static fo_status in_passes(const foi_part *p, const fo_state *s, double t, double h,
                           const double *x, double *x_new)
{
    const fo_field *f = p->f;
    uint32_t n = p->nodes, all = foi_part_states(p);
    double *q = foi_scratch(p, s, FOI_STAGE), *dx = foi_scratch(p, s, FOI_SLOPE);
    for (uint32_t i = 0; i < n; i++)
        q[i] = f->still[foi_part_node(p, i)] ? x[i] : x[i] + h / 2 * x[n + i];
    memcpy(q + n, x + n, (all - n) * sizeof *x);
    if (f->object) q[2 * n] += h / 2 * x[2 * n + 1];
    fo_status status = foi_part_rates(p, s, t + h / 2, q, dx);
    if (status) return status;
    if (undamped(f))
        kick(p, h, x, q, dx, x_new);
    else
        damped_kick(p, h, x, q, dx, x_new);
    for (uint32_t i = 0; i < p->under_count; i++) {
        uint32_t at = p->under[i].at;
        x_new[n + at] = x[n + at] + h * dx[n + at];
        x_new[at] = q[at] + h / 2 * x_new[n + at];
    }
    for (uint32_t i = 2 * n; i < all; i++) x_new[i] = x[i] + h * dx[i];
    if (f->object) x_new[2 * n] = q[2 * n] + h / 2 * x_new[2 * n + 1];
    foi_part_impose(p, t + h, s->u, x_new);
    bool finite = true;
    for (uint32_t i = 0; i < all; i++) finite &= isfinite(x_new[i]) != 0;
    return finite ? FO_OK : foi_field_not_finite(f, s, t + h);
}

static fo_status leapfrog_step(const void *model, fo_state *s, double t, double h, const double *x,
                               double *x_new)
{
    const foi_part *p = model;
    fo_status status = foi_check_step(p->f, s, h);
    if (status) return status;
    return foi_drift_fits(p->f) ? foi_drift_step(p, s, t, h, x, x_new)
                                : in_passes(p, s, t, h, x, x_new);
}

const fo_stepper foi_stepper_leapfrog = {"leapfrog", 2, leapfrog_step, .looks = true};
