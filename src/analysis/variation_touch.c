// A run with its derivatives: guards that come so near to zero inside of a step that the run cannot
// tell whether they reach it. Where they do there is an event: a derivative by what moves them has
// no meaning there.
#include <math.h>
#include <string.h>

#include "analysis/variation_inside.h"

/// A point of the step.
typedef struct place {
    double t;
    const double *x, *f;
} place;

/// Values and slopes of all guards; false: they are not known there.
static bool guards_at(foi_variation *v, const fo_state *s, const place *at, double *g,
                      double *slope)
{
    size_t n = v->n, p = v->count;
    if (foi_variation_flow(v, s, FOI_TASK_GUARDS, at->t, at->x) != FO_OK || v->lost) return false;
    for (size_t k = 0; k < v->program.guards; k++) {
        const double *row = foi_dual_tangent(&v->flow, FOI_TASK_GUARDS, k);
        g[k] = foi_dual_value(&v->flow, FOI_TASK_GUARDS, k), slope[k] = row[n + p];
        for (size_t i = 0; i < n; i++) slope[k] += row[i] * at->f[i];
    }
    return true;
}

// The cubic with these ends comes to less than a quarter of them, or beyond zero.
static bool comes_near(double g0, double s0, double g1, double s1)
{
    double side = g0 > 0 ? 1 : -1, least = INFINITY;
    for (int k = 1; k < 8; k++) {
        double c = k / 8.0, e = 1 - c;
        double g = e * e * ((1 + 2 * c) * g0 + c * s0) + c * c * ((1 + 2 * e) * g1 - e * s1);
        least = fmin(least, side * g);
    }
    return least < 0.25 * fmax(fabs(g0), fabs(g1));
}

// The guard at a point, and what of it the run leaves open.
static double error_of(const foi_variation *v, size_t k, const double *x)
{
    const double *row = foi_dual_tangent(&v->flow, FOI_TASK_GUARDS, k);
    double room = 0;
    for (size_t i = 0; i < v->n; i++) room += fabs(row[i]) * (v->rtol * fabs(x[i]) + v->atol);
    return room;
}

// Whether a direction moves the guard, at the point last seen, with the S of the step's ends.
static bool is_moved(const foi_variation *v, size_t k)
{
    size_t n = v->n, p = v->count;
    const double *row = foi_dual_tangent(&v->flow, FOI_TASK_GUARDS, k);
    for (size_t j = 0; j < p; j++) {
        double begin = row[n + j], end = begin;
        for (size_t i = 0; i < n; i++)
            begin += row[i] * v->S[i * p + j], end += row[i] * v->S1[i * p + j];
        if (begin != 0 || end != 0) return true;
    }
    return false;
}

// Halves the step down to where the guard turns back.
static void look_closer(foi_variation *v, const fo_state *s, double t, const double *x, size_t k,
                        double side)
{
    enum { HALVINGS = 40 };
    double lo = 0, hi = 1, *g = v->near_g, *slope = v->near_g + v->program.guards;
    place at = {t, v->near_x, v->near_x + v->n};
    for (int i = 0; i < HALVINGS; i++) {
        double c = 0.5 * (lo + hi);
        at.t = v->t + c * (t - v->t);
        foi_variation_between(v, t - v->t, x, c, v->near_x);
        if (!foi_variation_rates(v, s, at.t, at.x, v->near_x + v->n)) return;
        if (!guards_at(v, s, &at, g, slope)) return;
        if (side * slope[k] < 0)
            lo = c;
        else
            hi = c;
    }
    if (fabs(g[k]) <= 100 * error_of(v, k, at.x) && is_moved(v, k))
        foi_variation_lose(v, at.t,
                           "'%s' comes so near to zero at t = %.9g that whether it is crossed at "
                           "all depends on the parameter",
                           v->system.about->guards.list[k].name, at.t);
}

void foi_variation_look_for_touch(foi_variation *v, const fo_state *s, double t, const double *x)
{
    size_t guards = v->program.guards;
    double h = t - v->t, *g0 = v->near_g + 2 * guards, *s0 = g0 + guards;
    double *g1 = s0 + guards, *s1 = g1 + guards;
    place begin = {v->t, v->x, v->f}, end = {t, x, v->f1};
    int kinks = v->kinks;
    bool known = guards && guards_at(v, s, &begin, g0, s0) && guards_at(v, s, &end, g1, s1);
    for (size_t k = 0; k < guards && known && !v->lost; k++) {
        double side = g0[k] > 0 ? 1 : -1;
        bool turns = g0[k] * g1[k] > 0 && side * s0[k] < 0 && side * s1[k] > 0;
        if (turns && comes_near(g0[k], h * s0[k], g1[k], h * s1[k]))
            look_closer(v, s, t, x, k, side);
    }
    v->kinks = kinks;
}
