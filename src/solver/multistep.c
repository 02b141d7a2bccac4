/// Adams-Bashforth with a fixed step: one evaluation a step, once they are started.
///
/// History is kept on the equidistant grid only. After a jump or a step that lands on a
/// goal off the grid, the first steps are those of a Runge-Kutta method of the same order.
#include <string.h>

#include "math/math.h"
#include "solver/stepping.h"

/// The private part of the block: these numbers, then the last order - 1 rates before f0 (a ring
/// of rows), then two rows for stages.
typedef struct past {
    double t;      ///< end of the last step: the history belongs to it
    double length; ///< rates before that of t that are on the grid
    double newest; ///< the row of the latest of them
} past;
enum { PAST = sizeof(past) / sizeof(double) };

static past *past_of(foi_solver *o)
{
    return (past *)(void *)o->own;
}

static size_t size(const foi_solver *o)
{
    return PAST + (size_t)(o->method->info.order + 1) * o->n;
}

static fo_status begin(foi_solver *o, foi_begin how)
{
    (void)how;
    past_of(o)->length = 0;
    return FO_OK;
}

// Heun: k1 = f(t, x), k2 = f(t + h, x + h k1), x1 = x + h (k1 + k2)/2.
static fo_status heun(foi_solver *o, double h, double *z, double *k2)
{
    for (uint32_t i = 0; i < o->n; i++) z[i] = o->x0[i] + h * o->f0[i];
    fo_status status = foi_rates(o, o->t1, z, k2);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) o->x1[i] = o->x0[i] + h / 2 * (o->f0[i] + k2[i]);
    return FO_OK;
}

// Kutta's third-order method: k2 = f(t + h/2, x + h/2 k1), k3 = f(t + h, x + h (2 k2 - k1)),
// x1 = x + h (k1 + 4 k2 + k3)/6. f1 is used for k3: it is not valid yet.
static fo_status kutta3(foi_solver *o, double h, double *z, double *k2)
{
    const double *x = o->x0, *k1 = o->f0;
    double *k3 = o->f1;
    for (uint32_t i = 0; i < o->n; i++) z[i] = x[i] + h / 2 * k1[i];
    fo_status status = foi_rates(o, o->t0 + h / 2, z, k2);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) z[i] = x[i] + h * (2 * k2[i] - k1[i]);
    if ((status = foi_rates(o, o->t1, z, k3)) != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) o->x1[i] = x[i] + h / 6 * (k1[i] + 4 * k2[i] + k3[i]);
    return FO_OK;
}

// Adams-Bashforth (Hairer, Norsett, Wanner I, III.1), f_j at t0 + j h:
//   order 2: x1 = x0 + h (3 f_0 - f_-1)/2
//   order 3: x1 = x0 + h (23 f_0 - 16 f_-1 + 5 f_-2)/12
static fo_status step(foi_solver *o, double h, bool lands, bool f0_there)
{
    (void)f0_there;
    past *p = past_of(o);
    uint32_t n = o->n;
    int rows = o->method->info.order - 1, newest = (int)p->newest;
    double *ring = o->own + PAST, *z = ring + (size_t)rows * n, *k = z + n;
    if (p->t != o->t0) p->length = 0;
    fo_status status = FO_OK;
    const double *f = o->f0, *f_1 = ring + (size_t)newest * n;
    const double *f_2 = ring + (size_t)((newest + 1) % rows) * n;
    if (lands || p->length < rows)
        status = rows == 1 ? heun(o, h, z, k) : kutta3(o, h, z, k);
    else if (rows == 1)
        for (uint32_t i = 0; i < n; i++) o->x1[i] = o->x0[i] + h / 2 * (3 * f[i] - f_1[i]);
    else
        for (uint32_t i = 0; i < n; i++)
            o->x1[i] = o->x0[i] + h / 12 * (23 * f[i] - 16 * f_1[i] + 5 * f_2[i]);
    if (status != FO_OK) return status;
    newest = (newest + rows - 1) % rows; // where the oldest was
    memcpy(ring + (size_t)newest * n, f, n * sizeof(double));
    p->newest = newest;
    p->length = lands ? 0 : foi_fmin(p->length + 1, rows);
    p->t = o->t1;
    return FO_OK;
}

static fo_status march(foi_solver *o, double attention, double goal)
{
    return foi_fixed_march(o, attention, goal, FOI_WANTS_F0, step);
}

static bool sound(const foi_solver *o)
{
    const past *p = (const past *)(const void *)o->own;
    int rows = o->method->info.order - 1;
    return p->length >= 0 && p->length <= rows && p->newest >= 0 && p->newest < rows;
}

static const foi_method ab2 = {
    .info = {"ab2", "Adams-Bashforth, fixed step, started with Heun", 2, 2, 0},
    .size = size,
    .prepare = foi_check_fixed,
    .begin = begin,
    .march = march,
    .dense = foi_dense_cubic,
    .sound = sound,
};

static const foi_method ab3 = {
    .info = {"ab3", "Adams-Bashforth, fixed step, started with Kutta's third-order method", 3, 3,
             0},
    .size = size,
    .prepare = foi_check_fixed,
    .begin = begin,
    .march = march,
    .dense = foi_dense_cubic,
    .sound = sound,
};

FOI_FAMILY(foi_family_multistep, &ab2, &ab3);
