/// What flows while something is held: the weighted rates and the pushes, and the system that wraps
/// the model's with them.
///
/// Surfaces g_k = 0 that are slid upon: each of the 2^K modes on their sides has rates f_m and
/// slopes a_km = dg_k/dt along f_m. The solution's rates are
///
///     f = sum over m of w_m f_m,    w_m = product over k of (alpha_k or 1 - alpha_k)
///
/// with weights such that sum over m of w_m a_km = 0 for every k: Filippov's convex combination for
/// one surface, alpha = a- / (a- - a+), and the bilinear one of Alexander and Seidman (1998) for
/// several. The weights are not clipped: where a trial point of the solver lies beyond the end of
/// the sliding, it sees a smooth function.
///
/// Contacts that rest: with d_j the direction of a contact's jump, scaled so that along it dg_j/dt
/// grows by 1, x' = f + sum of d_j lambda_j holds g_j = dg_j/dt = 0 when
///
///     sum over j of B_ij lambda_j = -Lf Lf g_i,    B_ij = grad(Lf g_i) . d_j
///
/// (Ames, Zheng, Gregg, Sastry 2006; Or, Ames 2011). B is that of the last accepted step.
///
/// Slopes come from guard_bounds at a point, where a model has these: they are exact to rounding.
/// Otherwise they are differences over tau, of order 4.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/math.h"
#include "simulation/internal.h"

// ------------------------------------------------------------------------------ small utilities

static const fo_state *base(const foi_hold *h)
{
    return &h->sim->state.s;
}

static uint32_t held(const foi_hold *h)
{
    return h->slides + h->rests;
}

static uint32_t modes(const foi_hold *h)
{
    return 1u << h->slides;
}

static const fo_state *mode_state(const foi_hold *h, uint32_t m)
{
    return h->slides ? &h->mode[m].s : base(h);
}

/// Work space of one level of derivatives.
typedef struct level {
    double *x, *f, *a, *b;
} level;

static level level_of(const foi_hold *h, int l)
{
    size_t width = (size_t)h->guards + FOI_MOST_HELD, size = 2 * ((size_t)h->n + width);
    double *at = h->work + (size_t)l * size;
    return (level){at, at + h->n, at + 2 * (size_t)h->n, at + 2 * (size_t)h->n + width};
}

static fo_status guards_at(foi_hold *h, const fo_state *s, double t, const double *x, double *g)
{
    const fo_system *system = &h->sim->system;
    return system->type->guards(system->model, s, t, x, g);
}

fo_status foi_hold_model_rates(foi_hold *h, const fo_state *s, double t, const double *x,
                               double *dx)
{
    const fo_system *system = &h->sim->system;
    if (h->implied) return foi_implied_rates(h->implied, s, t, x, dx);
    return system->type->rates(system->model, s, t, x, dx);
}

// ---------------------------------------------------------------------------------- derivatives

/// Something that has a value at every (t, x).
typedef fo_status quantity(foi_hold *h, const fo_state *s, double t, const double *x, double *out);

/// Differences of order 4 on five equally spaced points, in twelfths: about the middle, and at the
/// ends of the run, beyond which nothing is evaluated.
static const struct stencil {
    int first;
    double weight[5];
} stencils[] = {
    {-2, {1, -8, 0, 8, -1}},
    {0, {-25, 48, -36, 16, -3}},
    {-4, {3, -16, 36, -48, 25}},
};

static const struct stencil *stencil_at(const foi_hold *h, double t, double by)
{
    const fo_run_def *def = &h->sim->def;
    if (t - 2 * by < def->start) return &stencils[1];
    if (t + 2 * by > def->stop) return &stencils[2];
    return &stencils[0];
}

/// d/de of q(t + e * vt, x + e * v), by steps of `by`.
static fo_status derive(foi_hold *h, quantity *q, const fo_state *s, double t, const double *x,
                        const double *v, double vt, double by, int l, uint32_t count, double *out)
{
    const struct stencil *about = vt != 0 ? stencil_at(h, t, by) : &stencils[0];
    level w = level_of(h, l);
    for (uint32_t i = 0; i < count; i++) w.b[i] = 0;
    for (int p = 0; p < 5; p++) {
        double e = (about->first + p) * by;
        if (about->weight[p] == 0) continue;
        for (uint32_t i = 0; i < h->n; i++) w.x[i] = x[i] + e * v[i];
        fo_status status = q(h, s, t + e * vt, w.x, w.a);
        if (status != FO_OK) return status;
        for (uint32_t i = 0; i < count; i++) w.b[i] += about->weight[p] * w.a[i];
    }
    for (uint32_t i = 0; i < count; i++) out[i] = w.b[i] / (12 * by);
    return FO_OK;
}

// Enclosures of all slopes at a point, into h->bound. What is zero all over a stretch has no slope
// there, so that a zero at the point becomes an interval about it.
static bool bounds_at(foi_hold *h, const fo_state *s, double t, const double *x, const double *f,
                      fo_bounds *slope)
{
    const fo_system *system = &h->sim->system;
    double *lo = h->bound, *hi = lo + h->guards, *dlo = hi + h->guards, *dhi = dlo + h->guards;
    fo_bounds here = {h->box, h->box + h->n}, along = {(double *)f, (double *)f};
    for (uint32_t i = 0; i < h->guards; i++) {
        lo[i] = dlo[i] = -INFINITY, hi[i] = dhi[i] = INFINITY;
        h->nature[i] = 0;
    }
    for (uint32_t i = 0; i < h->n; i++) {
        double wide = x[i] == 0 ? DBL_MIN : 0;
        here.lo[i] = x[i] - wide, here.hi[i] = x[i] + wide;
    }
    double wide = t == 0 ? DBL_MIN : 0;
    fo_stretch on = {t - wide, t + wide, here, along, t, here};
    fo_enclosure e = {{lo, hi}, {dlo, dhi}, h->nature};
    *slope = e.dg;
    return system->type->guard_bounds(system->model, s, &on, &e) == FO_OK;
}

static bool slopes_by_bounds(foi_hold *h, const fo_state *s, double t, const double *x,
                             const double *f, double *out)
{
    fo_bounds d;
    if (!bounds_at(h, s, t, x, f, &d)) return false;
    for (uint32_t k = 0; k < held(h); k++) {
        uint32_t i = h->surface[k].guard;
        out[k] = d.lo[i] + (d.hi[i] - d.lo[i]) / 2;
        if (!isfinite(out[k])) return false;
    }
    return true;
}

fo_status foi_hold_slope_of(foi_hold *h, const fo_state *s, double t, const double *x,
                            const double *f, uint32_t guard, double *slope)
{
    fo_bounds d;
    if (!h->sim->system.type->guard_bounds || !bounds_at(h, s, t, x, f, &d)) return FO_RETRY;
    double middle = d.lo[guard] + (d.hi[guard] - d.lo[guard]) / 2;
    if (!(d.hi[guard] - d.lo[guard] <= 0x1p-26 * fabs(middle))) return FO_RETRY;
    *slope = middle;
    return FO_OK;
}

static fo_status slopes_by_differences(foi_hold *h, const fo_state *s, double t, const double *x,
                                       const double *f, int l, double *out)
{
    double *all = level_of(h, l).b;
    fo_status status = derive(h, guards_at, s, t, x, f, 1, h->tau, l, h->guards, all);
    for (uint32_t k = 0; k < held(h) && status == FO_OK; k++) out[k] = all[h->surface[k].guard];
    return status;
}

fo_status foi_hold_slopes(foi_hold *h, const fo_state *s, double t, const double *x,
                          const double *f, int l, double *out)
{
    if (h->exact && slopes_by_bounds(h, s, t, x, f, out)) return FO_OK;
    return slopes_by_differences(h, s, t, x, f, l, out);
}

// ---------------------------------------------------------------------------------------- rates

double foi_hold_facing(const foi_hold *h, uint32_t m, uint32_t k)
{
    const foi_surface *on = &h->surface[k];
    return !on->cell || (m >> k & 1) ? 1 : -ldexp(1, -on->steeper);
}

// Rates on one side of all surfaces, where they look at x themselves: at distances of delta and 2
// delta, extrapolated to the surface.
static fo_status rates_beside(foi_hold *h, uint32_t m, double t, const double *x, double *dx)
{
    level w = level_of(h, FOI_LEVELS - 1);
    fo_status status = guards_at(h, base(h), t, x, h->g);
    for (int far = 2; far >= 1 && status == FO_OK; far--) {
        memcpy(w.x, x, h->n * sizeof *x);
        for (uint32_t k = 0; k < h->slides; k++) {
            const foi_surface *on = &h->surface[k];
            double by = (m >> k & 1 ? far : -far) * on->delta - h->g[on->guard];
            for (uint32_t i = 0; i < h->n; i++) w.x[i] += by * h->normal[k * h->n + i];
        }
        status = foi_hold_model_rates(h, base(h), t, w.x, far == 2 ? w.f : dx);
    }
    for (uint32_t i = 0; i < h->n; i++) dx[i] = 2 * dx[i] - w.f[i];
    return status;
}

fo_status foi_hold_rates(foi_hold *h, double t, const double *x)
{
    fo_status status = FO_OK;
    double slope[FOI_MOST_HELD];
    for (uint32_t m = 0; m < modes(h) && status == FO_OK; m++) {
        double *f = h->rate + (size_t)m * h->n;
        const fo_state *s = mode_state(h, m);
        if (h->slides && h->how == FOI_BY_PLACE)
            status = rates_beside(h, m, t, x, f);
        else
            status = foi_hold_model_rates(h, s, t, x, f);
        if (!h->slides || status != FO_OK) continue;
        status = foi_hold_slopes(h, s, t, x, f, FOI_LEVELS - 1, slope);
        for (uint32_t k = 0; k < h->slides; k++) slope[k] *= foi_hold_facing(h, m, k);
        memcpy(h->slope + (size_t)m * FOI_MOST_SLIDES, slope, h->slides * sizeof *slope);
    }
    return status;
}

static double weight(uint32_t m, uint32_t slides, const double *alpha)
{
    double w = 1;
    for (uint32_t k = 0; k < slides; k++) w *= m >> k & 1 ? alpha[k] : 1 - alpha[k];
    return w;
}

fo_status foi_hold_combine(foi_hold *h, double t, const double *x, double *dx, double *alpha)
{
    fo_status status = foi_hold_rates(h, t, x);
    if (status != FO_OK) return status;
    memcpy(alpha, h->alpha, h->slides * sizeof *alpha);
    if (!foi_slide_weights(h, alpha)) return FO_RETRY;
    double *terms = level_of(h, 0).f;
    for (uint32_t i = 0; i < h->n; i++) dx[i] = terms[i] = 0;
    for (uint32_t m = 0; m < modes(h); m++) {
        double w = weight(m, h->slides, alpha);
        for (uint32_t i = 0; i < h->n; i++) {
            double part = w * h->rate[(size_t)m * h->n + i];
            dx[i] += part, terms[i] += fabs(part);
        }
    }
    // a state that stays at zero has no size, and what rounding leaves of its rates is all that a
    // solver would see of it
    for (uint32_t i = 0; i < h->n && h->slides; i++)
        if (fabs(dx[i]) <= 16 * DBL_EPSILON * terms[i]) dx[i] = 0;
    return FO_OK;
}

// --------------------------------------------------------------------------------------- pushes

// dg/dt of the contacts along the weighted rates, positive where they may go.
static fo_status contact_slopes(foi_hold *h, const fo_state *s, double t, const double *x,
                                double *out)
{
    double alpha[FOI_MOST_SLIDES], slope[FOI_MOST_HELD] = {0};
    double *f = level_of(h, 1).f;
    fo_status status = foi_hold_combine(h, t, x, f, alpha);
    if (status == FO_OK) status = foi_hold_slopes(h, s, t, x, f, FOI_LEVELS - 1, slope);
    for (uint32_t j = 0; j < h->rests && status == FO_OK; j++)
        out[j] = h->surface[h->slides + j].side * slope[h->slides + j];
    return status;
}

fo_status foi_hold_second(foi_hold *h, double t, const double *x, const double *f, double *out)
{
    if (h->exact && foi_hold_turns_at(h, t, x, NULL, out)) return FO_OK;
    return derive(h, contact_slopes, base(h), t, x, f, 1, h->tau, 0, h->rests, out);
}

fo_status foi_hold_pushes(foi_hold *h, double t, const double *x, const double *f, double *lambda)
{
    uint32_t r = h->rests;
    double *matrix = h->coupling + (size_t)r * r;
    fo_status status = foi_hold_second(h, t, x, f, lambda);
    if (status != FO_OK) return status;
    for (uint32_t j = 0; j < r; j++) lambda[j] = -lambda[j];
    memcpy(matrix, h->coupling, (size_t)r * r * sizeof *matrix);
    return foi_contact_solve(matrix, lambda, r, foi_contact_slack(h)) ? FO_OK : FO_RETRY;
}

// ------------------------------------------------------------------------------------ measuring

static void measure_sizes(foi_hold *h, const double *x, const double *f)
{
    const fo_run_def *def = &h->sim->def;
    double span = foi_run_scale(def), least = foi_hold_least(h->sim), most = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        h->size[i] = foi_fmax(fabs(x[i]), span * fabs(f[i]));
        most = foi_fmax(most, h->size[i]);
    }
    // a tolerance that would hide all of them says nothing of how large they are
    double size = h->sim->solver.size;
    if (most > 0 && most < least) least = size < least ? foi_fmax(most, size) : most;
    for (uint32_t i = 0; i < h->n; i++) h->size[i] = foi_fmax(h->size[i], least);
}

// Gradients of all surfaces' guards by differences; along c * normal the guard changes by c, and
// the change is spread over the states as they are large.
static fo_status measure_normals(foi_hold *h, double t, const double *x, const double *f)
{
    level w = level_of(h, 0);
    uint32_t n = h->n, count = held(h);
    memcpy(w.x, x, n * sizeof *x);
    for (uint32_t i = 0; i < n; i++) {
        double up = x[i] + 0x1p-20 * h->size[i], down = x[i] - 0x1p-20 * h->size[i];
        w.x[i] = up;
        fo_status status = guards_at(h, base(h), t, w.x, w.a);
        w.x[i] = down;
        if (status == FO_OK) status = guards_at(h, base(h), t, w.x, w.b);
        w.x[i] = x[i];
        if (status != FO_OK) return status;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t g = h->surface[k].guard;
            h->normal[(size_t)k * n + i] = (w.a[g] - w.b[g]) / (up - down);
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        double *normal = h->normal + (size_t)k * n, square = 0, reach = 0, pace = 0, most = 0;
        for (uint32_t i = 0; i < n; i++) {
            double part = fabs(normal[i] * h->size[i]);
            most = foi_fmax(most, part), reach += part, pace += fabs(normal[i] * f[i]);
        }
        h->surface[k].pace = pace;
        memcpy(h->gradient + (size_t)k * n, normal, n * sizeof *normal);
        h->surface[k].delta = isfinite(reach) ? 0x1p-26 * reach : 0;
        for (uint32_t i = 0; i < n && most > 0; i++) {
            normal[i] *= h->size[i] / most;
            square += normal[i] * normal[i];
        }
        for (uint32_t i = 0; i < n && square > 0; i++) normal[i] *= h->size[i] / square / most;
    }
    return FO_OK;
}

static fo_status measure_coupling(foi_hold *h, double t, const double *x, uint32_t first)
{
    uint32_t r = h->rests;
    for (uint32_t j = 0; j < first; j++)
        for (uint32_t i = 0; i < r; i++) h->coupling[i * r + j] = 0;
    for (uint32_t j = first; j < r; j++) {
        const double *push = h->push + (size_t)(h->slides + j) * h->n;
        double column[FOI_MOST_RESTS], most = 0;
        for (uint32_t i = 0; i < h->n; i++) most = foi_fmax(most, fabs(push[i]) / h->size[i]);
        if (!(most > 0)) return FO_RETRY;
        fo_status status =
            derive(h, contact_slopes, base(h), t, x, push, 0, 0x1p-16 / most, 0, r, column);
        if (status != FO_OK) return status;
        for (uint32_t i = 0; i < r; i++) h->coupling[i * r + j] = column[i];
    }
    return FO_OK;
}

// Whether slopes by bounds are exact to rounding: bounds may be as wide as their author likes. They
// are not compared with differences, which are wrong where a guard has a kink (x + v |v| at v = 0).
static fo_status measure_exactness(foi_hold *h, double t, const double *x)
{
    const fo_system_type *type = h->sim->system.type;
    double fine[FOI_MOST_HELD];
    h->exact = false;
    if (!type->guard_bounds) return FO_OK;
    for (uint32_t k = 0; k < held(h); k++)
        if (!h->sim->watch.about[h->surface[k].guard]->bounded) return FO_OK;
    double *f = level_of(h, 1).f;
    fo_status status = foi_hold_model_rates(h, base(h), t, x, f);
    if (status != FO_OK) return status;
    if (!slopes_by_bounds(h, base(h), t, x, f, fine)) return FO_OK;
    const double *lo = h->bound + 2 * (size_t)h->guards, *hi = lo + h->guards;
    h->exact = true;
    for (uint32_t k = 0; k < held(h); k++) {
        uint32_t i = h->surface[k].guard;
        double size = foi_fmax(fabs(fine[k]), h->surface[k].pace);
        h->exact &= hi[i] - lo[i] <= 0x1p-26 * size;
    }
    return FO_OK;
}

// The step of differences: a part of the solver's, which knows how fast things change. Rounding
// asks for more: eps / tau where slopes are exact, and eps / tau^2 for differences of differences.
static double measure_tau(const foi_hold *h)
{
    const foi_solver *o = &h->sim->solver;
    double span = foi_run_scale(&h->sim->def), most = 0x1p-12 * span;
    double step = foi_fmax(o->t1 - o->t0, o->h_next > 0 && isfinite(o->h_next) ? o->h_next : 0);
    if (!(step > 0)) return most;
    return foi_fmin(foi_fmax(0x1p-4 * step, (h->exact ? 0x1p-24 : 0x1p-14) * span), most);
}

// What normals do to each other's guards.
static void measure_seats(foi_hold *h)
{
    uint32_t count = held(h);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t j = 0; j < count; j++) {
            const double *gradient = h->gradient + (size_t)k * h->n,
                         *normal = h->normal + (size_t)j * h->n;
            double sum = 0;
            for (uint32_t i = 0; i < h->n; i++) sum += gradient[i] * normal[i];
            h->seat[k * count + j] = sum;
        }
}

fo_status foi_hold_measure(foi_hold *h)
{
    const fo_state *s = base(h);
    double *f = level_of(h, 1).f;
    h->exact = h->sim->system.type->guard_bounds != NULL;
    h->tau = measure_tau(h);
    fo_status status = foi_hold_model_rates(h, s, s->t, s->x, f);
    if (status != FO_OK) return status;
    measure_sizes(h, s->x, f);
    status = measure_normals(h, s->t, s->x, f);
    measure_seats(h);
    if (status == FO_OK) status = measure_exactness(h, s->t, s->x);
    return status;
}

// What of the second derivative of a contact's guard may be rounding errors: of the slopes it is a
// difference of, and of the terms that cancel in it.
static double weak_of(const foi_hold *h, uint32_t k)
{
    const foi_surface *on = &h->surface[k];
    const fo_state *s = base(h);
    double noise = DBL_EPSILON * on->pace / h->tau, sum = 0;
    for (uint32_t i = 0; i < h->n; i++) sum += fabs(h->gradient[(size_t)k * h->n + i] * s->x[i]);
    if (!h->exact) noise += DBL_EPSILON * sum / (h->tau * h->tau);
    return 64 * noise + 0x1p-36 * on->force;
}

fo_status foi_hold_weigh(foi_hold *h, uint32_t k)
{
    const fo_state *s = base(h);
    double *x = level_of(h, 0).x, *f = level_of(h, 1).f, slope, changed;
    fo_status status = foi_hold_model_rates(h, s, s->t, s->x, f);
    if (status == FO_OK) status = foi_contact_slope(h, k, s, s->x, s->t, &slope);
    memcpy(x, s->x, h->n * sizeof *x);
    h->surface[k].force = 0;
    for (uint32_t i = 0; i < h->n && status == FO_OK; i++) {
        if (f[i] == 0) continue;
        x[i] = s->x[i] + h->tau * f[i];
        status = foi_contact_slope(h, k, s, x, s->t, &changed);
        h->surface[k].force += fabs(changed - slope) / h->tau;
        x[i] = s->x[i];
    }
    h->surface[k].weak = weak_of(h, k);
    return status;
}

// Where a contact is put back to its surface only what its push moves is moved: along the change
// that the push makes in the rates, of the states that g depends on. A floor with states of its own
// stays where it is.
static fo_status measure_ways_back(foi_hold *h, double t, const double *x, uint32_t first)
{
    level w = level_of(h, 0);
    double *f = level_of(h, 1).f, *there = level_of(h, 1).x;
    fo_status status = foi_hold_model_rates(h, base(h), t, x, f);
    for (uint32_t k = h->slides + first; k < held(h) && status == FO_OK; k++) {
        const double *push = h->push + (size_t)k * h->n;
        double *gradient = h->gradient + (size_t)k * h->n, most = 0, gain = 0, terms = 0;
        for (uint32_t i = 0; i < h->n; i++) most = foi_fmax(most, fabs(push[i]) / h->size[i]);
        if (!(most > 0)) continue;
        double by = 0x1p-20 / most;
        for (uint32_t i = 0; i < h->n; i++) w.x[i] = x[i] + by * push[i];
        status = foi_hold_model_rates(h, base(h), t, w.x, there);
        for (uint32_t i = 0; i < h->n; i++) {
            there[i] = gradient[i] == 0 ? 0 : (there[i] - f[i]) / by;
            gain += gradient[i] * there[i], terms += fabs(gradient[i] * there[i]);
        }
        if (status != FO_OK || !(fabs(gain) > 0x1p-10 * terms)) continue;
        double *normal = h->normal + (size_t)k * h->n;
        for (uint32_t i = 0; i < h->n; i++) normal[i] = there[i] / gain;
    }
    return status;
}

fo_status foi_hold_couple(foi_hold *h, uint32_t first)
{
    const fo_state *s = base(h);
    if (!h->rests) return FO_OK;
    for (uint32_t k = h->slides; k < held(h); k++) h->surface[k].weak = weak_of(h, k);
    fo_status status = measure_ways_back(h, s->t, s->x, first);
    measure_seats(h);
    return status == FO_OK ? measure_coupling(h, s->t, s->x, first) : status;
}

// ------------------------------------------------------------------------------- onto the surface

// How far (t, x) is from the surfaces: guards c_k along normals, slopes of contacts along pushes,
// all at once because what puts one contact back moves those beside it. *off: not at all there.
static fo_status measure_way(foi_hold *h, double t, const double *x, double *way, bool *off)
{
    uint32_t count = held(h), r = h->rests;
    double c[FOI_MOST_HELD], *matrix = h->seat + (size_t)count * count;
    *off = false;
    for (uint32_t i = 0; i < h->n; i++) way[i] = 0;
    fo_status status = guards_at(h, base(h), t, x, h->g);
    if (status != FO_OK) return status;
    for (uint32_t k = 0; k < count; k++) *off |= (c[k] = h->g[h->surface[k].guard]) != 0;
    memcpy(matrix, h->seat, (size_t)count * count * sizeof *matrix);
    if (*off && !foi_contact_solve(matrix, c, count, INFINITY)) return FO_RETRY;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < h->n && c[k] != 0; i++)
            way[i] += c[k] * h->normal[(size_t)k * h->n + i];
    if (!r || (status = contact_slopes(h, base(h), t, x, c)) != FO_OK) return status;
    bool moves = false;
    for (uint32_t j = 0; j < r; j++) moves |= c[j] != 0;
    if (!moves) return FO_OK;
    *off = true;
    memcpy(h->coupling + (size_t)r * r, h->coupling, (size_t)r * r * sizeof *c);
    if (!foi_contact_solve(h->coupling + (size_t)r * r, c, r, INFINITY)) return FO_RETRY;
    for (uint32_t j = 0; j < r; j++)
        for (uint32_t i = 0; i < h->n && c[j] != 0; i++)
            way[i] += c[j] * h->push[(size_t)(h->slides + j) * h->n + i];
    return FO_OK;
}

// Guards back to zero along their normals, dg/dt of contacts along their pushes.
fo_status foi_hold_project(foi_hold *h, double t, double *x)
{
    fo_status status = FO_OK;
    double *way = h->way;
    bool off = true;
    for (int sweep = 0; sweep < 4 && off; sweep++) {
        if ((status = measure_way(h, t, x, way, &off)) != FO_OK) return status;
        for (uint32_t i = 0; i < h->n; i++) x[i] -= way[i];
    }
    return FO_OK;
}

// ------------------------------------------------------------------------------ the wrapping
// system

// Pushes that turn are those of the point.
static fo_status turn_pushes(foi_hold *h, double t, const double *x)
{
    fo_status status = FO_OK;
    for (uint32_t k = h->slides; k < held(h) && status == FO_OK; k++)
        if (h->turns[k])
            status = foi_contact_turn(h, k, t, x, h->old_push + (size_t)k * h->n,
                                      h->push + (size_t)k * h->n);
    return status;
}

// What draws a solution that has strayed back to the surfaces, as fast as the longest steps allow:
// g' = -kappa g, and for contacts also (dg/dt)' = -kappa dg/dt. On the surface it is nothing.
static fo_status draw_back(foi_hold *h, double t, const double *x, double *dx)
{
    const fo_run_def *def = &h->sim->def;
    double kappa = FOI_HELD_STEPS / foi_fmax(foi_run_scale(def), def->stop - def->start);
    bool off;
    fo_status status = measure_way(h, t, x, h->way, &off);
    for (uint32_t i = 0; i < h->n && status == FO_OK && off; i++) dx[i] -= kappa * h->way[i];
    return status;
}

fo_status foi_hold_flow_rates(const void *model, const fo_state *s, double t, const double *x,
                              double *dx)
{
    foi_hold *h = (foi_hold *)model;
    double alpha[FOI_MOST_SLIDES], lambda[FOI_MOST_RESTS];
    (void)s; // its modes are those of the last step
    fo_status status = foi_hold_combine(h, t, x, dx, alpha);
    if (status == FO_OK && h->rests) status = turn_pushes(h, t, x);
    if (status == FO_OK && h->rests) status = foi_hold_pushes(h, t, x, dx, lambda);
    for (uint32_t j = 0; j < h->rests && status == FO_OK; j++) {
        const double *push = h->push + (size_t)(h->slides + j) * h->n;
        for (uint32_t i = 0; i < h->n; i++) dx[i] += lambda[j] * push[i];
    }
    return status == FO_OK ? draw_back(h, t, x, dx) : status;
}

/// How far states are moved for the Jacobian of what is held: wider than for rates that are exact
/// to rounding, because pushes are second derivatives.
typedef struct moving {
    double part, step, time; ///< of a state; of what it moves in the time of a step
} moving;

static moving moving_of(const foi_hold *h)
{
    const foi_solver *o = &h->sim->solver;
    double time = o->t1 > o->t0 ? o->t1 - o->t0 : foi_held_step(h->sim);
    return h->exact ? (moving){0x1p-20, 0x1p-10, time} : (moving){0x1p-16, 0x1p-6, time};
}

// The rates where state i is moved by that much; where there are none it is moved the other way.
static fo_status rates_moved(foi_hold *h, const fo_state *s, double t, double *x, uint32_t i,
                             double *by, double *dx)
{
    double at = x[i];
    x[i] = at + *by;
    fo_status status = foi_hold_flow_rates(h, s, t, x, dx);
    if (status == FO_RETRY) {
        x[i] = at - *by / 2;
        status = foi_hold_flow_rates(h, s, t, x, dx);
    }
    *by = x[i] - at;
    x[i] = at;
    return status;
}

// By central differences. Newton's iterations forgive a Jacobian that is known to two digits; the
// order of a Rosenbrock method does not.
fo_status foi_hold_flow_jacobian(const void *model, const fo_state *s, double t, const double *x,
                                 double *values)
{
    foi_hold *h = (foi_hold *)model;
    uint32_t n = h->n;
    const moving moved = moving_of(h);
    double *at = foi_new(h->sim->allocator, 4 * (size_t)n, sizeof *at);
    if (!at) return FO_ERROR_MEMORY;
    double *up = at + n, *down = up + n, *rate = down + n;
    memcpy(at, x, n * sizeof *x);
    fo_status status = foi_hold_flow_rates(h, s, t, x, rate);
    for (uint32_t c = 0; c < n && status == FO_OK; c++) {
        double far = moved.step * moved.time * fabs(rate[c]), least = moved.part * fabs(x[c]);
        double by = foi_fmax(foi_fmax(least, far), foi_hold_tolerance(h->sim, x[c]));
        double back = -by;
        status = rates_moved(h, s, t, at, c, &by, up);
        if (status == FO_OK) status = rates_moved(h, s, t, at, c, &back, down);
        for (uint32_t i = 0; i < n && status == FO_OK; i++)
            values[(size_t)c * n + i] = (up[i] - down[i]) / (by - back);
    }
    foi_free(h->sim->allocator, at);
    return status;
}

fo_status foi_hold_margins(foi_hold *h, double t, const double *x, double *g)
{
    double alpha[FOI_MOST_SLIDES], lambda[FOI_MOST_RESTS];
    double *f = level_of(h, 1).x; // level 1 differentiates nothing: its x is free
    fo_status status = foi_hold_combine(h, t, x, f, alpha);
    if (status == FO_OK && h->rests) status = turn_pushes(h, t, x);
    if (status == FO_OK && h->rests) status = foi_hold_pushes(h, t, x, f, lambda);
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++)
        g[2 * k] = alpha[k], g[2 * k + 1] = 1 - alpha[k];
    double slack = foi_contact_slack(h);
    for (uint32_t j = 0; j < h->rests && status == FO_OK; j++)
        g[2 * h->slides + j] = lambda[j] + (h->surface[h->slides + j].pressed ? 0 : slack);
    return status;
}

fo_status foi_hold_flow_guards(const void *model, const fo_state *s, double t, const double *x,
                               double *g)
{
    foi_hold *h = (foi_hold *)model;
    (void)s;
    fo_status status = guards_at(h, base(h), t, x, g);
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++)
        if (h->owner[i]) g[i] = 1;
    return status;
}

void foi_hold_flow_held(const void *model, const fo_state *s, uint8_t *signs)
{
    const foi_hold *h = model;
    (void)s;
    h->sim->system.type->held(h->sim->system.model, base(h), signs);
    for (uint32_t i = 0; i < h->guards; i++)
        if (h->owner[i]) signs[i] = 0;
}

fo_status foi_hold_flow_conditions(const void *model, const fo_state *s, double t, const double *x,
                                   bool *c)
{
    foi_hold *h = (foi_hold *)model;
    (void)s;
    return h->sim->system.type->conditions(h->sim->system.model, base(h), t, x, c);
}

fo_status foi_hold_flow_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                               fo_enclosure *e)
{
    foi_hold *h = (foi_hold *)model;
    (void)s;
    fo_status status = h->sim->system.type->guard_bounds(h->sim->system.model, base(h), on, e);
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++) {
        if (!h->owner[i]) continue;
        e->g.lo[i] = e->g.hi[i] = 1;
        if (e->dg.lo) e->dg.lo[i] = e->dg.hi[i] = 0;
        if (e->nature) e->nature[i] = 0;
    }
    return status;
}

bool foi_hold_may_fail(foi_hold *h, const fo_stretch *on)
{
    const fo_system *system = &h->sim->system;
    bool one = h->how == FOI_BY_PLACE;
    for (uint32_t m = 0; m < (one ? 1 : modes(h)); m++) {
        const fo_state *s = one ? base(h) : mode_state(h, m);
        if (system->type->may_fail(system->model, s, on)) return true;
    }
    return false;
}

fo_status foi_hold_observe(foi_hold *h, double t, const double *x, double *y)
{
    const fo_system *system = &h->sim->system;
    uint32_t count = base(h)->shape.outputs;
    if (!h->slides || h->how == FOI_BY_PLACE)
        return system->type->observe(system->model, base(h), t, x, y);
    double alpha[FOI_MOST_SLIDES], *f = level_of(h, 1).x;
    fo_status status = foi_hold_combine(h, t, x, f, alpha);
    for (uint32_t m = 0; m < modes(h) && status == FO_OK; m++) {
        double w = weight(m, h->slides, alpha);
        status = system->type->observe(system->model, mode_state(h, m), t, x, m ? h->y : y);
        // what all modes agree on keeps its bits: y0 + sum of w (y_m - y0)
        if (!m) memcpy(h->y + count, y, count * sizeof *y);
        for (uint32_t i = 0; m && i < count; i++) y[i] += w * (h->y[i] - h->y[count + i]);
    }
    return status;
}
