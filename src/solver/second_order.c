/// Methods for mechanics: q'' = a(t, q, q'), written as x = (q, v) with q' = v.
///
/// They need a system that declares all its states in pairs (shape.pairs), and use only the
/// second half of its rates, the accelerations.
#include <string.h>

#include "solver/stepping.h"

static fo_status prepare(foi_solver *o)
{
    uint32_t pairs = o->s->shape.pairs;
    const char *model = o->system.about && o->system.about->name ? o->system.about->name : "?";
    if (pairs == 0 && o->n > 0)
        return fo_fail(o->message, FO_ERROR_UNFIT,
                       "%s needs a second-order system (positions and velocities); '%s' declares "
                       "none",
                       o->method->info.name, model);
    if (2 * (uint64_t)pairs != o->n)
        return fo_fail(o->message, FO_ERROR_UNFIT,
                       "%s needs a second-order system; '%s' has %u states, of which only %u are "
                       "positions and velocities",
                       o->method->info.name, model, o->n, 2 * pairs);
    return foi_check_fixed(o);
}

// ------------------------------------------------------------------------------------- nystrom

// The classical method of Nystrom (Acta Soc. Sci. Fenn. 50 (1925) 1) in the form of Kreyszig,
// Advanced Engineering Mathematics, 21.3, with y = q, y' = v:
//   k1 = h/2 f(t, y, y')                  K = h/2 (y' + k1/2)
//   k2 = h/2 f(t + h/2, y + K, y' + k1)
//   k3 = h/2 f(t + h/2, y + K, y' + k2)   L = h (y' + k3)
//   k4 = h/2 f(t + h, y + L, y' + 2 k3)
//   y += h (y' + (k1 + k2 + k3)/3)        y' += (k1 + 2 k2 + 2 k3 + k4)/3
enum { NYSTROM_ROWS = 3 }; // z, dz of a stage; k2 and k3

static size_t nystrom_size(const foi_solver *o)
{
    return (size_t)NYSTROM_ROWS * o->n;
}

static fo_status nystrom_step(foi_solver *o, double h, bool lands, bool f0_there)
{
    (void)lands, (void)f0_there;
    uint32_t m = o->n / 2;
    double t = o->t0, half = h / 2;
    const double *y = o->x0, *v = o->x0 + m, *a = o->f0 + m;
    double *z = o->own, *dz = z + o->n, *k2 = dz + o->n, *k3 = k2 + m;

    for (uint32_t i = 0; i < m; i++) {
        double k1 = half * a[i];
        z[i] = y[i] + half * (v[i] + k1 / 2);
        z[m + i] = v[i] + k1;
    }
    fo_status status = foi_rates(o, t + half, z, dz);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < m; i++) {
        k2[i] = half * dz[m + i];
        z[m + i] = v[i] + k2[i];
    }
    if ((status = foi_rates(o, t + half, z, dz)) != FO_OK) return status;
    for (uint32_t i = 0; i < m; i++) {
        k3[i] = half * dz[m + i];
        z[i] = y[i] + h * (v[i] + k3[i]);
        z[m + i] = v[i] + 2 * k3[i];
    }
    if ((status = foi_rates(o, o->t1, z, dz)) != FO_OK) return status;
    for (uint32_t i = 0; i < m; i++) {
        double k1 = half * a[i], k4 = half * dz[m + i];
        o->x1[i] = y[i] + h * (v[i] + (k1 + k2[i] + k3[i]) / 3);
        o->x1[m + i] = v[i] + (k1 + 2 * k2[i] + 2 * k3[i] + k4) / 3;
    }
    return FO_OK;
}

static fo_status nystrom_march(foi_solver *o, double attention, double goal)
{
    return foi_fixed_march(o, attention, goal, FOI_WANTS_F0, nystrom_step);
}

// ---------------------------------------------------------------------------------- symplectic

/// The private part of the block: these numbers, then one row of n doubles (the rates at the
/// last kick). The accelerations are kept here and not in f1, because f1 is what a reader of the
/// dense output makes of it, and steps must not depend on whether somebody reads.
typedef struct kicks {
    double t;        ///< the last kick's accelerations belong to this end of step
    double there;    ///< 1: they are there
    double f0_there; ///< 1: f0 holds the rates at the start of the last step
} kicks;
enum { KICKS = sizeof(kicks) / sizeof(double) };

static kicks *kicks_of(foi_solver *o)
{
    return (kicks *)(void *)o->own;
}

static size_t symplectic_size(const foi_solver *o)
{
    return KICKS + 2 * (size_t)o->n;
}

/// Takes the rates at (t1, x1) as the last kick's, unless those of the last step's end are there.
static fo_status know_accelerations(foi_solver *o)
{
    kicks *k = kicks_of(o);
    if (o->n == 0 || (k->there && k->t == o->t1)) return FO_OK;
    fo_status status = foi_rates(o, o->t1, o->x1, o->own + KICKS);
    if (status != FO_OK) return foi_refused(o, o->t1, status);
    k->t = o->t1, k->there = 1;
    return FO_OK;
}

// In the beginning, so that the steps themselves all cost the same.
static fo_status symplectic_begin(foi_solver *o, foi_begin how)
{
    (void)how;
    kicks_of(o)->there = 0;
    return know_accelerations(o);
}

// Verlet's method with velocities, kick - drift - kick:
//   v_half = v + h/2 a,  q1 = q + h v_half,  a1 = a(t1, q1, v_half + h/2 a),
//   v1 = v_half + h/2 a1.
// Where the accelerations depend on positions and time only, this is the symplectic leapfrog. Where
// they depend on velocities, v1 is predicted for them by v_half + h/2 a, and a1 is also the next
// step's a: both are off by O(h^2) in v, hence the kick by O(h^3), and the order stays 2.
static fo_status leapfrog_step(foi_solver *o, double h, bool lands, bool f0_there)
{
    (void)lands;
    uint32_t m = o->n / 2;
    kicks *k = kicks_of(o);
    double *rates = o->own + KICKS, *a = rates + m, *z = rates + o->n;
    k->f0_there = f0_there, k->there = 0;
    for (uint32_t i = 0; i < m; i++) {
        double v_half = o->x0[m + i] + h / 2 * a[i];
        o->x1[m + i] = v_half;
        z[i] = o->x1[i] = o->x0[i] + h * v_half;
        z[m + i] = v_half + h / 2 * a[i];
    }
    fo_status status = foi_rates(o, o->t1, z, rates);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < m; i++) o->x1[m + i] += h / 2 * a[i];
    k->t = o->t1, k->there = 1;
    return FO_OK;
}

// The position-extended Forest-Ruth-like method (PEFRL) of Omelyan, Mryglod, Folk, Comput. Phys.
// Commun. 146 (2002) 188: drifts and kicks in turn, q += c h v with c = xi, chi, 1 - 2(chi + xi),
// chi, xi and v += d h a with d = (1 - 2 lambda)/2, lambda, lambda, (1 - 2 lambda)/2. Four
// evaluations, and an error some 26 times smaller than Forest's and Ruth's. Time goes with the
// positions. Order 4 for accelerations that depend on positions and time only. Where they depend on
// velocities, each kick sees v + d h/2 a with the last kick's a, its middle to O(h^2), and the
// order is 2.
static fo_status pefrl_step(foi_solver *o, double h, bool lands, bool f0_there)
{
    static const double xi = 0.1786178958448091, lambda = -0.2123418310626054,
                        chi = -0.06626458266981849;
    const double drift[5] = {xi, chi, 1 - 2 * (chi + xi), chi, xi};
    const double kick[4] = {(1 - 2 * lambda) / 2, lambda, lambda, (1 - 2 * lambda) / 2};
    (void)lands;
    uint32_t m = o->n / 2;
    kicks *k = kicks_of(o);
    double *rates = o->own + KICKS, *a = rates + m, *z = rates + o->n;
    double *q = o->x1, *v = o->x1 + m, c = 0;
    k->f0_there = f0_there, k->there = 0;
    memcpy(o->x1, o->x0, o->n * sizeof(double));
    for (int j = 0; j < 4; j++) {
        c += drift[j];
        double d = kick[j] * h;
        for (uint32_t i = 0; i < m; i++) {
            z[i] = q[i] += drift[j] * h * v[i];
            z[m + i] = v[i] + d / 2 * a[i];
        }
        fo_status status = foi_rates(o, o->t0 + c * h, z, rates);
        if (status != FO_OK) return status;
        for (uint32_t i = 0; i < m; i++) v[i] += d * a[i];
    }
    for (uint32_t i = 0; i < m; i++) q[i] += drift[4] * h * v[i];
    k->t = o->t1, k->there = 1;
    return FO_OK;
}

static fo_status symplectic_march(foi_solver *o, double attention, double goal)
{
    fo_status status = know_accelerations(o); // again only after a failure
    if (status != FO_OK) return status;
    return foi_fixed_march(o, attention, goal, 0, o->method->data ? pefrl_step : leapfrog_step);
}

// The steps do not make f0: it is the last dense output's f1, or is made here.
static fo_status symplectic_dense(foi_solver *o)
{
    kicks *k = kicks_of(o);
    fo_status status = k->f0_there || !o->n ? FO_OK : foi_rates(o, o->t0, o->x0, o->f0);
    if (status != FO_OK) return status;
    k->f0_there = 1;
    return o->method->data ? foi_dense_quartic(o) : foi_dense_cubic(o);
}

static const foi_method nystrom = {
    .info = {"nystrom", "classical Runge-Kutta-Nystrom for positions and velocities, fixed step", 4,
             4, FO_SECOND_ORDER | FO_FIXED_WORK},
    .size = nystrom_size,
    .prepare = prepare,
    .march = nystrom_march,
    .dense = foi_dense_quartic,
};

static const foi_method leapfrog = {
    .info = {"leapfrog",
             "Verlet's kick-drift-kick, one evaluation a step; symplectic where forces do not "
             "depend on velocity",
             2, 2, FO_SECOND_ORDER | FO_SYMPLECTIC | FO_FIXED_WORK},
    .size = symplectic_size,
    .prepare = prepare,
    .begin = symplectic_begin,
    .march = symplectic_march,
    .dense = symplectic_dense,
};

static const foi_method symplectic4 = {
    .info = {"symplectic4",
             "PEFRL of Omelyan, Mryglod, Folk; symplectic and of order 4 where forces do not "
             "depend on velocity, else of order 2",
             4, 4, FO_SECOND_ORDER | FO_SYMPLECTIC | FO_FIXED_WORK},
    .data = "PEFRL",
    .size = symplectic_size,
    .prepare = prepare,
    .begin = symplectic_begin,
    .march = symplectic_march,
    .dense = symplectic_dense,
};

FOI_FAMILY(foi_family_second, &nystrom, &leapfrog, &symplectic4);
