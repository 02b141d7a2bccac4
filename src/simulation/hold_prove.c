/// Proofs that a hold goes on: nothing ends a rest or a slide on a stretch of the solution.
///
/// Where a model encloses the slopes of its guards along its rates (fo_system_type.slope_bounds),
/// what must not change sign while something is held is enclosed, too.
///
/// A rest: the pushes lambda of B lambda = -a, a_i = Lf Lf g_i and B_ij = grad(Lf g_i) . d_j, must
/// not be negative. With C about the inverse of B, beta = -C a and M = C B,
///
///     lambda = beta + (I - M) lambda,   so   |lambda - beta| <= q / (1 - q) max |beta|
///
/// for q >= |I - M|, the largest sum of a row, if q < 1; all of it over the stretch (Rump, Acta
/// Numerica 19 (2010) 287, section 10). Sums of so few terms are widened by their number of
/// roundings.
///
/// A slide: on a side of a surface every mode must carry back to it, whatever the modes on the
/// sides of another surface are; then there are weights in [0, 1] (Poincare and Miranda), and for
/// one or two surfaces these are the only ones (Dieci, Lopez 2011). That is not necessary on two
/// surfaces; where it is not so, nothing is proved.
///
/// A stretch on which that does not come out is halved. At the located end of a hold what is left
/// before it must be as narrow as rounding errors allow.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

enum {
    MOST_PROVED = 8,  ///< contacts at rest whose pushes are enclosed
    MOST_LOOKS = 400, ///< on a step
};

/// |v - mid| <= rad.
typedef struct disc {
    double mid, rad;
} disc;

static disc disc_of(double lo, double hi)
{
    double mid = lo + (hi - lo) / 2, rad = foi_fmax(hi - mid, mid - lo) * (1 + 4 * DBL_EPSILON);
    return (disc){mid, rad};
}

// Slopes of the guards over the stretch in the mode of s, into h->bound: e->g, and how they change:
// e->dg.
static bool enclose(foi_hold *h, const fo_state *s, const fo_stretch *on, const double *push,
                    fo_enclosure *e)
{
    const fo_system *system = &h->sim->system;
    size_t g = h->guards;
    double *b = h->bound;
    for (size_t i = 0; i < g; i++) {
        b[i] = b[2 * g + i] = -INFINITY, b[g + i] = b[3 * g + i] = INFINITY;
        h->nature[i] = 0;
    }
    *e = (fo_enclosure){{b, b + g}, {b + 2 * g, b + 3 * g}, h->nature};
    return system->type->slope_bounds(system->model, s, on, push, e) == FO_OK;
}

// How the slopes of all contacts change, positive where they may go.
static bool turns_of(foi_hold *h, const fo_stretch *on, const double *push, disc *out)
{
    fo_enclosure e;
    if (!enclose(h, &h->sim->state.s, on, push, &e)) return false;
    for (uint32_t j = 0; j < h->rests; j++) {
        const foi_surface *at = &h->surface[h->slides + j];
        uint32_t i = at->guard;
        out[j] = disc_of(e.dg.lo[i], e.dg.hi[i]);
        if (e.nature[i] || !(out[j].rad < INFINITY)) return false;
        out[j].mid *= at->side;
    }
    return true;
}

bool foi_hold_encloses(const foi_hold *h)
{
    const fo_system_type *type = h->sim->system.type;
    if (!type->slope_bounds || !type->guard_bounds || (h->slides && h->rests)) return false;
    for (uint32_t k = 0; k < h->slides + h->rests; k++)
        if (!h->sim->watch.about[h->surface[k].guard]->bounded) return false;
    return true;
}

bool foi_hold_proves_rest(const foi_hold *h)
{
    bool turns = false;
    for (uint32_t j = 0; j < h->rests; j++) turns |= h->turns[j];
    return h->rests && h->rests <= MOST_PROVED && !turns && foi_hold_encloses(h);
}

static fo_stretch point(foi_hold *h, double t, const double *x)
{
    fo_stretch on = {.t_lo = t, .t_hi = t, .x = {h->box, h->box + h->n}};
    memcpy(on.x.lo, x, h->n * sizeof *x), memcpy(on.x.hi, x, h->n * sizeof *x);
    return on;
}

bool foi_hold_turns_at(foi_hold *h, double t, const double *x, const double *push, double *out)
{
    disc all[FOI_MOST_RESTS];
    if (h->slides || !foi_hold_encloses(h)) return false;
    fo_stretch on = point(h, t, x);
    if (!turns_of(h, &on, push, all)) return false;
    for (uint32_t j = 0; j < h->rests; j++) {
        double wide = foi_fmax(0x1p-26 * fabs(all[j].mid), h->surface[j].weak);
        if (!(all[j].rad <= wide)) return false;
        out[j] = all[j].mid;
    }
    return true;
}

// ------------------------------------------------------------------------------------------ rests

/// The system of the pushes on a stretch.
typedef struct pushes {
    disc a[MOST_PROVED], b[MOST_PROVED][MOST_PROVED];
    double inverse[MOST_PROVED][MOST_PROVED];
    uint32_t n;
} pushes;

// C, by Gauss and Jordan's method with pivots; it need not be exact.
static bool invert(pushes *p)
{
    double m[MOST_PROVED][2 * MOST_PROVED];
    uint32_t n = p->n;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) m[i][j] = p->b[i][j].mid, m[i][n + j] = i == j;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t best = k;
        for (uint32_t i = k; i < n; i++)
            if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
        if (!(fabs(m[best][k]) > 0)) return false;
        for (uint32_t j = 0; j < 2 * n; j++) {
            double swap = m[k][j];
            m[k][j] = m[best][j], m[best][j] = swap;
        }
        for (uint32_t i = 0; i < n; i++) {
            double by = m[i][k] / m[k][k];
            for (uint32_t j = 0; j < 2 * n && i != k; j++) m[i][j] -= by * m[k][j];
        }
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) p->inverse[i][j] = m[i][n + j] / m[i][i];
    return true;
}

// Row i of C times a column of discs; and one where `one` says so is taken away.
static disc row_times(const pushes *p, uint32_t i, const disc *column, size_t stride, double one)
{
    double sum = -one, size = one, rad = 0;
    for (uint32_t k = 0; k < p->n; k++) {
        const disc *v = &column[k * stride];
        double c = p->inverse[i][k];
        sum += c * v->mid, size += fabs(c * v->mid), rad += fabs(c) * v->rad;
    }
    double roundings = (p->n + 4) * DBL_EPSILON;
    return (disc){sum, (rad + roundings * size) * (1 + roundings) + DBL_MIN};
}

// beta and how far lambda may be from it.
static bool solve(const pushes *p, disc *lambda)
{
    double q = 0, most = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        double row = 0;
        for (uint32_t j = 0; j < p->n; j++) {
            disc d = row_times(p, i, &p->b[0][j], MOST_PROVED, i == j);
            row += fabs(d.mid) + d.rad;
        }
        lambda[i] = row_times(p, i, p->a, 1, 0);
        lambda[i].mid = -lambda[i].mid;
        q = foi_fmax(q, row), most = foi_fmax(most, fabs(lambda[i].mid) + lambda[i].rad);
    }
    if (!(q < 0.5) || !(most < INFINITY)) return false;
    for (uint32_t i = 0; i < p->n; i++)
        lambda[i].rad = (lambda[i].rad + q / (1 - q) * most) * (1 + 32 * DBL_EPSILON);
    return true;
}

static bool least_push(foi_hold *h, const fo_stretch *on, disc *least)
{
    pushes p;
    disc lambda[MOST_PROVED], column[FOI_MOST_RESTS];
    p.n = h->rests;
    if (p.n > MOST_PROVED || !turns_of(h, on, NULL, p.a)) return false;
    for (uint32_t j = 0; j < p.n; j++) {
        if (h->turns[j] || !turns_of(h, on, h->push + (size_t)j * h->n, column)) return false;
        for (uint32_t i = 0; i < p.n; i++) p.b[i][j] = column[i];
    }
    if (!invert(&p) || !solve(&p, lambda)) return false;
    double slack = foi_contact_slack(h);
    least->mid = INFINITY, least->rad = 0;
    for (uint32_t j = 0; j < p.n; j++) {
        if (!h->surface[j].pressed) lambda[j].mid += slack;
        if (lambda[j].mid - lambda[j].rad < least->mid - least->rad) *least = lambda[j];
    }
    return true;
}

// ----------------------------------------------------------------------------------------- slides

// The least of all slopes, each counted as it leads back.
static bool least_slope(foi_hold *h, const fo_stretch *on, disc *least)
{
    if (h->slides > 2 || h->how == FOI_BY_PLACE) return false;
    least->mid = INFINITY, least->rad = 0;
    for (uint32_t m = 0; m < 1u << h->slides; m++) {
        fo_enclosure e;
        if (!enclose(h, &h->mode[m].s, on, NULL, &e)) return false;
        for (uint32_t k = 0; k < h->slides; k++) {
            uint32_t i = h->surface[k].guard;
            disc a = disc_of(e.g.lo[i], e.g.hi[i]);
            if (e.nature[i] || !(a.rad < INFINITY)) return false;
            double facing = foi_hold_facing(h, m, k);
            a.mid *= m >> k & 1 ? -facing : facing, a.rad *= fabs(facing);
            if (a.mid - a.rad < least->mid - least->rad) *least = a;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------ all of a
// step

// The least margin from one theta of the last step to another.
static bool least_margin(foi_hold *h, double from, double to, disc *least)
{
    fo_stretch on = {.x = {h->box, h->box + h->n}};
    foi_dense_stretch(&h->sim->solver, from, to, &on);
    return h->slides ? least_slope(h, &on, least) : least_push(h, &on, least);
}

// As far as it is proved from `from` on.
static double proved_until(foi_hold *h, double from, double end, double resolution)
{
    double width = end - from;
    for (int looks = 0; looks < MOST_LOOKS && from < end; looks++) {
        double to = foi_fmin(end, from + width);
        disc least;
        if (least_margin(h, from, to, &least) && least.mid - least.rad > 0) {
            from = to, width *= 2;
        } else {
            width = (to - from) / 2;
            if (width <= resolution) break;
        }
    }
    return from;
}

// Whether the hold ends at the end of what is left: that is no wider than rounding errors allow.
static bool is_at_end(foi_hold *h, double there, double end, double resolution)
{
    disc whole, last;
    if (end - there <= 64 * resolution) return true;
    return least_margin(h, there, end, &whole) && least_margin(h, end, end, &last) &&
           whole.rad <= 4 * last.rad;
}

bool foi_hold_prove(foi_hold *h, double from, double *until)
{
    const foi_solver *o = &h->sim->solver;
    double length = o->t1 - o->t0;
    *until = o->t1;
    if (!(length > 0) || !foi_hold_encloses(h)) return false;
    double resolution = DBL_EPSILON * (2 + fabs(o->t1) / length);
    double end = h->until < o->t1 ? (h->until - o->t0) / length : 1;
    double there = proved_until(h, foi_fmax(0, (from - o->t0) / length), end, 4 * resolution);
    if (there >= end) return true;
    *until = foi_fmin(o->t0 + there * length, o->t1);
    return h->until < INFINITY && is_at_end(h, there, end, resolution);
}
