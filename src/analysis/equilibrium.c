#include "analysis/equilibrium.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/dense.h"
#include "base/memory.h"
#include "math/math.h"

fo_status foi_newton_create(foi_newton *w, size_t n, const fo_allocator *allocator, fo_message *why)
{
    *w = (foi_newton){.n = n, .allocator = allocator};
    w->j = foi_new(allocator, 2 * n * n + 6 * n + 1, sizeof *w->j);
    w->pivot = foi_new(allocator, n + 1, sizeof *w->pivot);
    if (!w->j || !w->pivot) {
        foi_newton_destroy(w);
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for Newton's iteration");
    }
    w->lu = w->j + n * n, w->f = w->lu + n * n, w->g = w->f + n, w->dx = w->g + n;
    w->x = w->dx + n, w->scale = w->x + n;
    return FO_OK;
}

void foi_newton_destroy(foi_newton *w)
{
    foi_free(w->allocator, w->j);
    foi_free(w->allocator, w->pivot);
    *w = (foi_newton){0};
}

// How large a step dx from x is.
static double step_of(const foi_newton *w, const double *x)
{
    double size = 0;
    for (size_t i = 0; i < w->n; i++) {
        double part = fabs(w->dx[i]) / foi_fmax(w->scale[i], fabs(x[i]));
        if (!(part <= size)) size = part;
    }
    return size;
}

static double size_of(size_t n, const double *x, const double *scale)
{
    double size = 0;
    for (size_t i = 0; i < n; i++) {
        double part = fabs(x[i]) / scale[i];
        if (!(part <= size)) size = part;
    }
    return size;
}

// Solves (I / delta - J) dx = f; delta infinite: Newton's step.
static bool solve(foi_newton *w, double delta)
{
    size_t n = w->n;
    for (size_t i = 0; i < n * n; i++) w->lu[i] = -w->j[i];
    for (size_t i = 0; i < n; i++) w->lu[i * n + i] += 1 / delta;
    memcpy(w->dx, w->f, n * sizeof *w->dx);
    if (!foi_lu_factor(n, w->lu, w->pivot)) return false;
    foi_lu_solve(n, w->lu, w->pivot, w->dx);
    return isfinite(size_of(n, w->dx, w->scale));
}

// f must be zero but for rounding: what a change of the states by some ulps of their scale makes of
// it is not more than this.
static bool is_zero(const foi_newton *w, const double *f, const double *x)
{
    for (size_t i = 0; i < w->n; i++) {
        double noise = 0;
        for (size_t k = 0; k < w->n; k++)
            noise += fabs(w->j[i * w->n + k]) * (fabs(x[k]) + 1e-3 * w->scale[k]);
        if (!(fabs(f[i]) <= 1e-9 * noise)) return false;
    }
    return true;
}

static bool evaluate(foi_point *p, foi_newton *w, const double *x)
{
    fo_message why;
    return !foi_point_cancelled(p) && foi_point_rates(p, x, w->f, &why) == FO_OK &&
           foi_point_jacobian(p, x, w->j, NULL, &why) == FO_OK;
}

// |f| by the size of each row of J, so that units do not matter.
static double residual(const foi_newton *w, const double *f)
{
    double sum = 0;
    for (size_t i = 0; i < w->n; i++) {
        double row = 0;
        for (size_t k = 0; k < w->n; k++) row += fabs(w->j[i * w->n + k]) * w->scale[k];
        if (row > 0)
            sum += f[i] / row * (f[i] / row);
        else
            sum += f[i] != 0 ? INFINITY : 0;
    }
    return sqrt(sum);
}

enum { NEWTON_STEPS = 60, TRANSIENT_STEPS = 500 };
static const double TINY = 1e-11; ///< a step so small, by the scale, is the last

// A system that chooses its states goes on from where it stands: it is told of every step.
static void stand_at(foi_point *p, const double *x)
{
    if (p->chooses) p->system.type->settle(p->system.model, &p->s, p->t, x);
}

// Halves the step until the residual falls.
static bool newton_step(foi_point *p, foi_newton *w, double *x)
{
    double before = residual(w, w->f);
    fo_message why;
    for (double part = 1; part > 1e-6; part /= 2) {
        for (size_t i = 0; i < w->n; i++) w->x[i] = x[i] + part * w->dx[i];
        if (foi_point_rates(p, w->x, w->g, &why) != FO_OK) continue;
        if (!(residual(w, w->g) <= (1 - part / 4) * before)) continue;
        memcpy(x, w->x, w->n * sizeof *x);
        stand_at(p, x);
        return true;
    }
    return false;
}

// At a zero of order m steps become shorter by 1 - 1/m each, for ever; steps m times as long go
// there at once. False: they do not, and nothing has changed.
static bool leap(foi_point *p, foi_newton *w, double *x, double ratio, double before)
{
    bool steady = ratio > 0.4 && ratio < 0.99 && fabs(ratio - before) <= 0.02 * ratio;
    double order = 1 / (1 - ratio);
    if (!steady) return false;
    for (size_t i = 0; i < w->n; i++) w->dx[i] *= order;
    if (newton_step(p, w, x)) return true;
    for (size_t i = 0; i < w->n; i++) w->dx[i] /= order;
    return false;
}

static bool newton(foi_point *p, foi_newton *w, double *x)
{
    double last = INFINITY, ratio = 0;
    for (int i = 0; i < NEWTON_STEPS; i++) {
        if (!evaluate(p, w, x)) return false;
        if (residual(w, w->f) == 0) return true;
        if (!solve(w, INFINITY)) return false;
        double size = step_of(w, x), before = ratio;
        if (size < TINY) return is_zero(w, w->f, x);
        if (size > 1e12) return false;
        ratio = size / last, last = size;
        if (leap(p, w, x, ratio, before)) continue;
        if (!newton_step(p, w, x)) return size < 1e-7 && is_zero(w, w->f, x);
    }
    return false;
}

// Implicit Euler steps that grow as the rates fall (switched evolution relaxation, Kelley and Keyes
// 1998). It keeps linear invariants, so that it also ends where J is singular because something is
// conserved.
static bool transient(foi_point *p, foi_newton *w, double *x)
{
    if (!evaluate(p, w, x)) return false;
    double slow = size_of(w->n, w->f, w->scale), delta = slow > 0 ? 0.1 / slow : INFINITY;
    double first = residual(w, w->f), last = first;
    int most = p->chooses ? TRANSIENT_STEPS / 10 : TRANSIENT_STEPS; // its rates are expensive
    for (int i = 0; i < most && !foi_point_cancelled(p); i++) {
        if (last == 0 || !(delta < 1e300)) return is_zero(w, w->f, x);
        if (!solve(w, delta) || size_of(w->n, w->dx, w->scale) > 1e6) {
            delta /= 10;
            continue;
        }
        double size = step_of(w, x);
        for (size_t k = 0; k < w->n; k++) w->x[k] = x[k] + w->dx[k];
        if (!evaluate(p, w, w->x)) {
            delta /= 10;
            if (!evaluate(p, w, x)) return false;
            continue;
        }
        memcpy(x, w->x, w->n * sizeof *x);
        stand_at(p, x);
        double now = residual(w, w->f);
        if (size < TINY && is_zero(w, w->f, x)) return true;
        delta *= foi_fmin(foi_fmax(last / now, 0.2), 5);
        last = now;
    }
    return false;
}

void foi_equilibrium_step(foi_point *p, foi_newton *w, const double *x, double *dx)
{
    for (size_t i = 0; i < w->n; i++) w->scale[i] = 1, dx[i] = 0;
    if (p->chooses || !evaluate(p, w, x) || !solve(w, INFINITY)) return;
    memcpy(dx, w->dx, w->n * sizeof *dx);
}

bool foi_equilibrium_is_at(foi_point *p, foi_newton *w, const double *x, const double *scale)
{
    memcpy(w->scale, scale, w->n * sizeof *scale);
    return evaluate(p, w, x) && is_zero(w, w->f, x);
}

// What is zero but for the last step's error is zero, if that is an equilibrium as well: its rates
// are not larger but for rounding.
static void round_to_zero(foi_point *p, foi_newton *w, double *x)
{
    bool any = false, good = evaluate(p, w, x);
    for (size_t i = 0; i < w->n; i++) {
        bool tiny = x[i] != 0 && fabs(x[i]) < TINY * w->scale[i];
        w->x[i] = tiny ? 0 : x[i];
        any |= tiny;
    }
    fo_message why;
    if (!any || !good || foi_point_rates(p, w->x, w->g, &why) != FO_OK) return;
    for (size_t i = 0; i < w->n && good; i++) {
        double noise = 0;
        for (size_t k = 0; k < w->n; k++) noise += fabs(w->j[i * w->n + k] * x[k]);
        good = fabs(w->g[i]) <= fabs(w->f[i]) + 16 * DBL_EPSILON * noise;
    }
    if (!good) return;
    memcpy(x, w->x, w->n * sizeof *x);
    stand_at(p, x);
}

// Goes on until every state is as good as rounding lets it be: steps that are nothing beside the
// scale may be much beside the state, where that is in other units than the scale tells.
static void polish(foi_point *p, foi_newton *w, double *x, double *last)
{
    enum { MOST = 20 };
    fo_message why;
    for (size_t i = 0; i < w->n; i++) last[i] = INFINITY;
    for (int k = 0; k < MOST; k++) {
        bool open = false;
        if (!evaluate(p, w, x) || !solve(w, INFINITY) || !(step_of(w, x) < 1e-6)) return;
        for (size_t i = 0; i < w->n; i++) {
            double size = fabs(w->dx[i]);
            open |= size > 4 * DBL_EPSILON * fabs(x[i]) && size < 0.5 * last[i];
            last[i] = size, w->x[i] = x[i] + w->dx[i];
        }
        if (!open || foi_point_rates(p, w->x, w->g, &why) != FO_OK) return;
        memcpy(x, w->x, w->n * sizeof *x);
        stand_at(p, x);
    }
}

fo_status foi_equilibrium_find(foi_point *p, foi_newton *w, double *x, const double *scale,
                               fo_message *why)
{
    memcpy(w->scale, scale, w->n * sizeof *scale);
    double *keep = foi_new(w->allocator, w->n + 1, sizeof *keep);
    if (!keep) return fo_fail(why, FO_ERROR_MEMORY, "no memory for Newton's iteration");
    memcpy(keep, x, w->n * sizeof *x);
    bool found = newton(p, w, x);
    if (!found) {
        memcpy(x, keep, w->n * sizeof *x);
        found = transient(p, w, x);
    }
    if (found)
        polish(p, w, x, keep), round_to_zero(p, w, x);
    else
        memcpy(x, keep, w->n * sizeof *x);
    foi_free(w->allocator, keep);
    if (found) return FO_OK;
    return fo_fail(why, FO_ERROR_CONVERGE,
                   "no equilibrium was found from this start: neither Newton's iteration nor "
                   "pseudo-transient continuation converged");
}

// --------------------------------------------------------------------------------------- deflation

// Newton's iteration for m(x) f(x), m = prod_k (1 + 1 / |x - r_k|^2), which has the zeros of f but
// for those that are known. Its step is Newton's, stretched or turned round:
//
//     dx / (1 - (grad m . dx) / m),   (grad m . dx) / m = sum_k (grad m_k . dx) / m_k
//
// (Farrell, Birkisson and Funke, Deflation techniques for finding distinct solutions, 2015).
static double stretch(const foi_newton *w, const double *x, const double *const *known,
                      size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        double square = 0, along = 0;
        for (size_t i = 0; i < w->n; i++) {
            double apart = (x[i] - known[k][i]) / w->scale[i];
            square += apart * apart, along += apart * w->dx[i] / w->scale[i];
        }
        sum -= 2 * along / (square * (square + 1));
    }
    return 1 / (1 - sum);
}

bool foi_equilibrium_deflate(foi_point *p, foi_newton *w, double *x, const double *scale,
                             const double *const *known, size_t count)
{
    memcpy(w->scale, scale, w->n * sizeof *scale);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        if (!evaluate(p, w, x) || !solve(w, INFINITY)) return false;
        double size = step_of(w, x), by = stretch(w, x, known, count);
        if (!isfinite(by)) return false;
        if (size < 1e-6) return true;
        double most = 2 / size_of(w->n, w->dx, w->scale); // not beyond where something is known
        if (fabs(by) > most) by = by < 0 ? -most : most;
        for (size_t k = 0; k < w->n; k++) x[k] += by * w->dx[k];
        stand_at(p, x);
    }
    return false;
}

// ------------------------------------------------------------------------------------------- modes

static bool at_rest(void *self, foi_point *p, const double *x)
{
    foi_newton *w = self;
    return evaluate(p, w, x) && is_zero(w, w->f, x);
}

// What the model holds of its guards agrees with their signs at x.
static bool holds(foi_point *p, const double *x)
{
    size_t guards = p->s.shape.guards;
    const fo_system_type *type = p->system.type;
    if (!guards || !type->guards || !type->held) return true;
    double *g = foi_new(p->allocator, guards, sizeof *g);
    uint8_t *signs = foi_new(p->allocator, guards, sizeof *signs);
    bool good = g && signs && type->guards(p->system.model, &p->s, p->t, x, g) == FO_OK;
    if (good) type->held(p->system.model, &p->s, signs);
    for (size_t i = 0; i < guards && good; i++) {
        int sign = g[i] < 0 ? FO_BELOW : g[i] > 0 ? FO_ABOVE : FO_AT_ZERO;
        good = !signs[i] || (signs[i] & sign);
    }
    foi_free(p->allocator, g);
    foi_free(p->allocator, signs);
    return good;
}

enum { MOST_MODES = 20 };

// The model is started at what was found: where its mode is another one there, the search goes on
// in that mode. Modes that send the states to each other have a sliding solution between them, or
// none, but no equilibrium.
static fo_status settle_modes(foi_point *p, const double *values, foi_newton *w, double *x,
                              fo_message *why)
{
    for (int i = 0; i < MOST_MODES; i++) {
        foi_point q;
        fo_message ignored;
        if (foi_point_open_from(&q, p->trial, values, x, p->n, &ignored) != FO_OK) {
            if (holds(p, x)) return FO_OK;
            break;
        }
        foi_point_close(p);
        *p = q;
        if (at_rest(w, p, x)) return FO_OK;
        fo_status status = foi_equilibrium_find(p, w, x, w->scale, why);
        if (status != FO_OK) return status;
    }
    return fo_fail(why, FO_ERROR_CONVERGE,
                   "no equilibrium was found from this start: each mode (combination of the "
                   "guards' signs) leads to another mode");
}

fo_status foi_equilibrium_settle(foi_point *p, const double *values, foi_newton *w, double *x,
                                 const double *scale, const char **doubt, fo_message *why)
{
    bool on = false, acts = false;
    *doubt = "";
    fo_status status = foi_equilibrium_find(p, w, x, scale, why);
    if (status != FO_OK || !foi_point_switches(p)) return status;
    status = settle_modes(p, values, w, x, why);
    if (status == FO_OK) status = foi_point_on_guard(p, x, scale, &on, why);
    if (status != FO_OK) return status;
    foi_point later; // p stays where it is
    fo_message ignored;
    if (foi_point_open_from(&later, p->trial, values, x, p->n, &ignored) == FO_OK) {
        bool stays = foi_point_stays(&later, x, at_rest, w, &acts);
        foi_point_close(&later);
        if (!stays)
            return fo_fail(why, FO_ERROR_CONVERGE,
                           "no equilibrium was found from this start: an event of the model drives "
                           "it away from there");
    }
    *doubt = acts ? "acts" : on ? "on a guard" : "";
    return FO_OK;
}
