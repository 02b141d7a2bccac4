/// What the parts of the search share: the segment, its ends, and what is known of them.
#ifndef FOI_SEARCH_H
#define FOI_SEARCH_H

#include <math.h>

#include "simulation/watch.h"

/// Doubles of work space.
size_t foi_search_work(size_t states, size_t guards);

/// The rows of work behind those that foi_watch_rounding uses: many of guards.
double *foi_search_rows(const foi_watch *w);

/// Fails when a guard is not a number: says which and when.
fo_status foi_search_finite(const foi_watch *w, const foi_solver *o, double t, const double *g);

enum {
    FOI_SEARCH_DEPTH = 64, ///< of halving; the resolution is reached before
    FOI_SEARCH_ROWS = 13,  ///< of guards at the beginning of the work space
    FOI_GATHERS = 64,      ///< units of the resolution within which guards cross together
};

/// Where in a segment the quartic is checked: near the two largest values of s^2 (1-s)^2 |s-1/2|,
/// but not symmetrically, so that no period hides from both.
#define FOI_QUARTER 0.27
#define FOI_LATER   0.75

/// What is known of a guard on a segment.
typedef enum foi_verdict {
    FOI_NOTHING_HERE, ///< no moment of it
    FOI_CROSSES,      ///< one change of sign that is a moment; see foi_finding
    FOI_UNCLEAR,      ///< the segment must be cut
} foi_verdict;

/// An end of a segment.
typedef struct foi_point {
    double theta;
    double *g, *d; ///< values and, where guards are sampled, d/dtheta of all guards
    double base;   ///< d by central differences this far apart; INFINITY: by one difference
} foi_point;

typedef struct foi_search {
    foi_watch *w;
    foi_solver *o;
    double h, resolution;              ///< of theta
    foi_point a;                       ///< left end of the segment
    foi_point stack[FOI_SEARCH_DEPTH]; ///< right ends, the nearest on top
    double *rows;                      ///< for the stack's values and slopes
    int top;
    double *probe, *middle, *quarter, *later; ///< values of all guards
    double *where;                            ///< theta at which each of those that cross does
    fo_bounds x, dx, x_mid, g, dg, thin;
    long splits;
    double last;       ///< where w->x and probe were taken
    double moved;      ///< how far a moment was put off, to be at one instant with others
    double undefined;  ///< from this theta on a guard is not a number; INFINITY: none
    bool sampling;     ///< some guard is sampled
    bool narrow;       ///< the segment is as short as the resolution
    bool spent;        ///< the limit of work is reached
    bool probed;       ///< middle and quarter are those of this segment
    bool probed_later; ///< and so is later
} foi_search;

/// Six rows of states, behind them in the work space.
static inline double *foi_search_states(const foi_watch *w)
{
    return w->work + FOI_SEARCH_ROWS * (size_t)w->guards;
}

/// The time at theta.
static inline double foi_search_time(const foi_search *f, double theta)
{
    return theta == 1 ? f->o->t1 : f->o->t0 + theta * f->h;
}

/// The present segment of guard i is left at the limit of work.
void foi_search_limited(foi_search *f, uint32_t i);

static inline double foi_search_width(const foi_search *f)
{
    return f->stack[f->top].theta - f->a.theta;
}

/// The model refuses its guards at a point: there they are no numbers, and what comes before the
/// first such point is searched all the same. Errors of other kinds are returned.
fo_status foi_search_refused(const foi_watch *w, const foi_solver *o, fo_status status, double *g);

/// The guards at (theta, x), counted.
static inline fo_status foi_search_values(foi_search *f, double theta, const double *x, double *g)
{
    const foi_solver *o = f->o;
    f->w->evaluations++;
    fo_status status =
        o->system.type->guards(o->system.model, o->s, foi_search_time(f, theta), x, g);
    return status == FO_OK ? status : foi_search_refused(f->w, o, status, g);
}

/// The guards on the dense output at theta; those in f->probe are not taken twice.
static inline fo_status foi_search_probe(foi_search *f, double theta, double *g)
{
    if (g == f->probe && theta == f->last) return FO_OK;
    foi_dense_at(f->o, theta, f->w->x);
    f->last = g == f->probe ? theta : NAN;
    return f->w->guards ? foi_search_values(f, theta, f->w->x, g) : FO_OK;
}

/// The verdict that a guard goes over to sign `to` on the segment, if that is a moment.
static inline foi_verdict foi_guard_goes(const foi_guard_side *guard, const fo_guard *about,
                                         foi_finding *found, int to, bool at_once)
{
    if (!foi_guard_fires(guard, about, to)) return FOI_NOTHING_HERE;
    found->from = guard->side, found->to = (int8_t)to, found->at_once = at_once;
    return FOI_CROSSES;
}

/// The same of guard i.
static inline foi_verdict foi_search_goes(foi_search *f, uint32_t i, int to, bool at_once)
{
    foi_watch *w = f->w;
    return foi_guard_goes(&w->ahead_guard[i], w->about[i], &w->finding[i], to, at_once);
}

/// Guard i as it is just before the change that was found.
static inline foi_guard_side foi_search_before(const foi_search *f, uint32_t i)
{
    foi_guard_side guard = f->w->ahead_guard[i];
    const foi_finding *found = &f->w->finding[i];
    if (found->verdict != FOI_CROSSES || found->from == guard.side) return guard;
    guard.side = found->from, guard.rests = false;
    return guard;
}

/// How far off zero a guard may be that moves by so much in the time that is unsure, and is g.
/// Beside a pole the bound of a slope says nothing; what the guard is there says enough.
static inline double foi_unsure_by(double moves, double g)
{
    double size = 4 * fabs(g);
    return moves < size ? moves : size;
}

/// The guard goes over to the sign of its value at the end of what was looked at.
static inline void foi_guard_moves_on(foi_guard_side *guard, double g, bool flat)
{
    int8_t now = foi_guard_sign(guard, g);
    guard->g = g;
    if (now == 0 && guard->side == 0) {
        if (flat) guard->rests = false; // zero for a while: leaving is a moment again
        return;
    }
    guard->side = guard->told = now;
    guard->idle = guard->left = guard->early = false;
    // zero reached against its direction: leaving it at once is no moment
    guard->rests = now == 0;
    guard->slack = 0;
}

/// One guard alone at theta has nobody to gather with: the end of the step is not near, or the step
/// is so short that what is near is not next to nothing.
static inline bool foi_gathers_nobody(double theta, double resolution)
{
    double last = theta + FOI_GATHERS * resolution;
    return last < 1 || last - theta > 0x1p-10;
}

/* prove.c */
/// Verdicts on all guards that have enclosures, into their findings, for the segment on top of the
/// stack. One that turns out to have none becomes sampled.
fo_status foi_search_prove(foi_search *f);

/// How wide the values of guard i are that rounding errors cannot tell from zero at theta; 0 where
/// they do not hide its sign, or where it may jump.
double foi_search_hides(foi_search *f, uint32_t i, double theta);

/* sample.c */
/// Slopes at the left end, of the kind that fits to where guards stand there.
fo_status foi_sample_begin(foi_search *f);
/// Coarse slopes at p.
fo_status foi_sample_slopes(foi_search *f, foi_point *p);
/// Values inside the segment, once.
fo_status foi_sample_inside(foi_search *f);
/// Slopes at a new point in the middle of the segment that ends at b; better ones where it is
/// short.
fo_status foi_sample_split(foi_search *f, foi_point *m, foi_point *b);
/// The verdict on a sampled guard.
foi_verdict foi_search_sample(foi_search *f, uint32_t i);

/* locate.c */
struct foi_closing;
struct foi_target;
/// Chandrupatla's method from what is known: *theta is then just past the crossing.
fo_status foi_search_close(foi_search *f, const struct foi_target *t,
                           const struct foi_closing *known, double *theta);
/// The earliest crossing of the segment on top of the stack, over all guards that cross in it.
fo_status foi_search_locate(foi_search *f, double *where);
/// A moment was found at *theta: where others come within rounding errors of it, they and it are
/// just past all of them. So is a moment at which the step ends.
fo_status foi_search_gather(foi_search *f, double *theta);

#endif
