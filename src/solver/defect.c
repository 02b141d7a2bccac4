#include "solver/defect.h"

#include <math.h>

#include "math/math.h"

// The error may be so many tolerances. The rest of the solution's error is made of many steps'
// contributions and is seldom below one tolerance; the fourth root of this saves steps.
static const double allowed = 4;

/// x = u(theta), work = u'(theta)/h.
static void curve_at(const foi_solver *o, double h, const foi_curve *c, double theta)
{
    const double *p1 = c->p[0], *p2 = c->p[1], *p3 = c->p[2];
    for (uint32_t i = 0; i < o->n; i++) {
        c->x[i] = o->x0[i] + theta * (p1[i] + theta * (p2[i] + theta * p3[i]));
        c->work[i] = (p1[i] + theta * (2 * p2[i] + theta * (3 * p3[i]))) / h;
    }
}

static void judge(const foi_solver *o, const double *e, double *error, uint32_t *worst)
{
    for (uint32_t i = 0; i < o->n; i++) {
        double size = foi_fmax(fabs(o->x0[i]), fabs(o->x1[i]));
        double q = fabs(e[i]) / (allowed * (o->atol + o->rtol * size));
        if (!(q <= *error)) *error = q, *worst = i;
    }
}

/// Books a trial. False when nothing helps: so many times half the step was hardly better. A step
/// that is far too long for what drives the state looks the same for a while.
static bool counts(foi_defect_trials *all, double h, double error)
{
    enum { STUCK = 10 };
    if (all->h > 0 && h > 0.5 * all->h) return all->stuck < STUCK;
    bool stuck = all->h > 0 && error > 0.5 * all->error;
    all->stuck = stuck ? all->stuck + 1 : 0;
    all->h = h, all->error = error;
    return all->stuck < STUCK;
}

fo_status foi_defect(foi_solver *o, double h, const foi_curve *c,
                     const double theta[FOI_DEFECT_POINTS], foi_defect_trials *trials,
                     uint32_t *worst, foi_outcome *outcome)
{
    double error = 0;
    uint32_t which = 0;
    for (int j = 0; j < FOI_DEFECT_POINTS; j++) {
        curve_at(o, h, c, theta[j]);
        *outcome = FOI_REFUSED;
        fo_status status = foi_rates(o, o->t0 + theta[j] * h, c->x, c->f);
        if (status != FO_OK) return status;
        *outcome = FOI_NOT_FINITE;
        if (!foi_all_finite(c->f, o->n)) return FO_RETRY;
        double *m = c->x; // its place is free now
        foi_mass_times(o, c->work, m);
        for (uint32_t i = 0; i < o->n; i++) m[i] = c->f[i] - m[i];
        foi_matrix_solve(o, FOI_REAL, m);
        judge(o, m, &error, &which);
    }
    *outcome = FOI_GOOD;
    if (!(error <= o->error) && counts(trials, h, error)) o->error = error, *worst = which;
    return FO_OK;
}
