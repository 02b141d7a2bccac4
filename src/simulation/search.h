/// What the search and the location of crossings share.
#ifndef FOI_SEARCH_H
#define FOI_SEARCH_H

#include <math.h>

#include "simulation/watch.h"

/// Doubles of work space.
size_t foi_search_work(size_t states, size_t guards);

/// Fails when a guard is not a number: says which and when.
fo_status foi_search_finite(const foi_watch *w, const foi_solver *o, double t, const double *g);

enum { FOI_SEARCH_DEPTH = 64 }; ///< of halving; the resolution is reached before

/// Where in a segment the quartic is checked: near the largest value of s^2 (1-s)^2 |s-1/2|.
#define FOI_QUARTER 0.27

/// An end of a segment.
typedef struct foi_point {
    double theta;
    double *g, *d; ///< values and d/dtheta of all guards
    bool fine;     ///< d by central differences: good enough for the narrowest segments
} foi_point;

typedef struct foi_search {
    foi_watch *w;
    foi_solver *o;
    double h, resolution;              ///< of theta
    foi_point a;                       ///< left end of the segment
    foi_point stack[FOI_SEARCH_DEPTH]; ///< right ends, the nearest on top
    double *rows;                      ///< for the stack's values and slopes
    int top;
    double *probe, *middle, *quarter; ///< values of all guards
    fo_bounds x, dx, g, dg;
    long splits;
    double last; ///< where w->x and probe were taken
    bool probed; ///< middle and quarter are those of this segment
} foi_search;

/// The earliest crossing of the segment on top of the stack, over all guards that cross in it;
/// w->way says from which side. A `narrow` segment has its crossing at its end.
fo_status foi_search_locate(foi_search *f, bool narrow, double *where);

/// The time at theta.
static inline double foi_search_time(const foi_search *f, double theta)
{
    return theta == 1 ? f->o->t1 : f->o->t0 + theta * f->h;
}

/// The guards at (theta, x), counted.
static inline fo_status foi_search_values(foi_search *f, double theta, const double *x, double *g)
{
    f->w->evaluations++;
    return f->o->system.type->guards(f->o->system.model, f->o->s, foi_search_time(f, theta), x, g);
}

/// The guards on the dense output at theta; those in f->probe are not taken twice.
static inline fo_status foi_search_probe(foi_search *f, double theta, double *g)
{
    if (g == f->probe && theta == f->last) return FO_OK;
    foi_dense_at(f->o, theta, f->w->x);
    f->last = g == f->probe ? theta : NAN;
    return f->w->guards ? foi_search_values(f, theta, f->w->x, g) : FO_OK;
}

/// A crossing that way is a moment of guard i.
static inline bool foi_search_wanted(const foi_watch *w, uint32_t i, int way)
{
    return w->about[i]->direction == FO_EITHER || (int)w->about[i]->direction == way;
}

/// Bernstein coefficients of the quartic, turned so that the left side is positive.
static inline void foi_search_quartic(const foi_search *f, uint32_t i, int side, double width,
                                      double v[5])
{
    const foi_point *b = &f->stack[f->top];
    v[0] = f->w->ahead_guard[i].side ? side * f->a.g[i] : 0;
    v[1] = v[0] + side * width * f->a.d[i] / 4;
    v[4] = side * b->g[i];
    v[3] = v[4] - side * width * b->d[i] / 4;
    v[2] = (16 * side * f->middle[i] - v[0] - 4 * v[1] - 4 * v[3] - v[4]) / 6;
}

#endif
