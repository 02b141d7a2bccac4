/// The trail of a run whose rates nobody can ask for (a mass matrix, a residual): its last points,
/// from which a finite-time blow-up is told.
///
/// Near a time T to which a state goes to infinity it is x = C (T - t)^-p. Three points give p and
/// T, since C drops out of quotients and p out of the quotient of their logarithms,
///
///     log(x2/x1) / log(x1/x0) = log((T - t1)/(T - t2)) / log((T - t0)/(T - t1)),
///
/// whose right side falls from infinity (T at t2) to (t2 - t1)/(t1 - t0) (T at infinity; that is
/// exponential growth). With four points there are two such p: they agree where that is the law,
/// and do not where only the rate becomes infinite, as of 1 - sqrt(T - t), for which p goes to 0.
#include "simulation/trail.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/math.h"

enum { POINTS = 16, FITTED = 4 };

static const double grown = 0.01; ///< part by which states differ from point to point

/// POINTS rows of a time and the states, used as a ring.
struct foi_trail {
    uint32_t n, count, last;
    double row[];
};

static double *row_of(foi_trail *trail, uint32_t back)
{
    uint32_t k = (trail->last + POINTS - back) % POINTS;
    return trail->row + (size_t)k * (trail->n + 1);
}

static bool differs(const double *a, const double *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (fabs(a[i] - b[i]) > grown * fabs(b[i])) return true;
    return false;
}

void foi_trail_clear(foi_trail *trail)
{
    if (trail) trail->count = 0;
}

void foi_trail_note(foi_trail **trail, const fo_allocator *a, double t, const double *x, uint32_t n)
{
    foi_trail *p = *trail;
    if (!p || p->n != n) {
        foi_free(a, p);
        size_t size = sizeof *p + POINTS * ((size_t)n + 1) * sizeof(double);
        p = *trail = foi_new(a, size, 1);
        if (!p) return; // then an escape is called by what the solver says of it
        p->n = n;
    }
    if (p->count && t < row_of(p, 0)[0]) p->count = 0; // the run was put back
    if (p->count && !differs(x, row_of(p, 0) + 1, n)) return;
    p->last = (p->last + 1) % POINTS;
    if (p->count < POINTS) p->count++;
    double *row = row_of(p, 0);
    row[0] = t;
    memcpy(row + 1, x, n * sizeof(double));
}

/// A state's size at a time.
typedef struct point {
    double t, x;
} point;

/// State i at four points, the newest first, as far apart as the trail is long: the last ones may
/// be only some ulps of time apart. False where it has not grown from one to the next.
static bool growth_of(foi_trail *trail, uint32_t i, point to[FITTED])
{
    uint32_t apart = trail->count ? (trail->count - 1) / (FITTED - 1) : 0;
    if (!apart) return false;
    double sign = row_of(trail, 0)[1 + i] < 0 ? -1 : 1;
    for (uint32_t k = 0; k < FITTED; k++) {
        const double *row = row_of(trail, k * apart);
        to[k] = (point){row[0], sign * row[1 + i]};
        if (!(to[k].x > 0) || (k && !(to[k - 1].x > (1 + grown) * to[k].x))) return false;
    }
    return true;
}

/// What the three points want of T, less what they have at it; falls with T.
static double excess(const point p[3], double left)
{
    double near = foi_log1p((p[0].t - p[1].t) / left);
    double far = foi_log1p((p[1].t - p[2].t) / (left + (p[0].t - p[1].t)));
    return near / far - foi_log(p[0].x / p[1].x) / foi_log(p[1].x / p[2].x);
}

/// T - t of the first of three points, and the power; INFINITY where there is no T.
static double fit(const point p[3], double *power)
{
    double span = p[0].t - p[2].t, lo = span * DBL_EPSILON, hi = span * 1e3;
    if (!(excess(p, hi) < 0) || !(excess(p, lo) > 0)) return INFINITY;
    while (hi > lo * (1 + 1e-6)) {
        double middle = sqrt(lo) * sqrt(hi);
        if (excess(p, middle) > 0)
            lo = middle;
        else
            hi = middle;
    }
    *power = foi_log(p[0].x / p[1].x) / foi_log1p((p[0].t - p[1].t) / hi);
    return hi;
}

double foi_trail_escape(foi_trail *trail, uint32_t *which)
{
    const double least_power = 0.02, alike = 1.25;
    double first = INFINITY;
    for (uint32_t i = 0; trail && i < trail->n; i++) {
        point p[FITTED];
        double power = 0, before = 0;
        if (!growth_of(trail, i, p)) continue;
        double left = fit(p, &power);
        if (!(left < INFINITY && fit(p + 1, &before) < INFINITY)) continue;
        if (power < least_power || power > alike * before || before > alike * power) continue;
        double when = p[0].t + left;
        if (when < first) first = when, *which = i;
    }
    return first;
}
