/// The search where one guard is watched, by samples, and nothing else: a ball and its floor.
///
/// Nearly every segment of such a search is a whole step that is understood at once. Here that is
/// done with values that stay where they are, by what search.c, sample.c and locate.c do for any
/// number of guards, with the same numbers and as many looks (samples.h, closing.h). What is not
/// understood so is handed over to them, with all that is known by then.
#include "simulation/alone.h"

#include <float.h>
#include <math.h>

#include "simulation/search.h"

// States are written one by one, and a vector load of what was just written so waits.
#ifndef __clang__
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

#define RARELY(condition) __builtin_expect(!!(condition), 0)

/// Who looks.
typedef struct looker {
    foi_watch *w;
    const foi_solver *o;
    fo_status status; ///< what a look has returned that has failed
} looker;

// Rows of states in the work space, behind those of one guard.
static inline double *states_of(const foi_watch *w)
{
    return w->work + FOI_SEARCH_ROWS;
}

FOI_INLINE double time_at(const foi_solver *o, double theta)
{
    return theta == 1 ? o->t1 : o->t0 + theta * (o->t1 - o->t0);
}

// The guard at (t, x); not a number where the model refuses it.
FOI_INLINE double value_at(looker *l, double t, const double *x)
{
    const foi_solver *o = l->o;
    double g = NAN;
    l->w->evaluations++;
    fo_status status = o->system.type->guards(o->system.model, o->s, t, x, &g);
    if (RARELY(status != FO_OK)) l->status = foi_search_refused(l->w, o, status, &g);
    return g;
}

// The guard on the dense output inside the step, where the states are then w->x. (Five copies of it
// would be in each other's way.)
static __attribute__((noinline)) double look(looker *l, double theta)
{
    const foi_solver *o = l->o;
    const double *c = o->coefficients;
    double *x = l->w->x, t = o->t0 + theta * (o->t1 - o->t0);
    if (o->n == 2 && o->degree == 4) { // a call would cost as much
        double first = (((c[8] * theta + c[6]) * theta + c[4]) * theta + c[2]) * theta + c[0];
        double other = (((c[9] * theta + c[7]) * theta + c[5]) * theta + c[3]) * theta + c[1];
        x[0] = first, x[1] = other;
    } else {
        foi_dense_at(o, theta, x);
    }
    return value_at(l, t, x);
}

static bool take_later(void *self, foi_samples *s)
{
    looker *l = self;
    s->later = look(l, s->a + FOI_LATER * s->width);
    bool good = l->status == FO_OK;
    l->status = FO_OK; // without it the segment is cut
    return good;
}

// The guard `by` along the tangent from theta, where the states are x.
FOI_INLINE double beside(looker *l, double theta, double by, const double *x, const double *tangent)
{
    const foi_solver *o = l->o;
    uint32_t n = o->n;
    double *moved = states_of(l->w) + n, at = theta + by;
    if (n == 2)
        moved[0] = x[0] + by * tangent[0], moved[1] = x[1] + by * tangent[1];
    else
        for (uint32_t i = 0; i < n; i++) moved[i] = x[i] + by * tangent[i];
    return value_at(l, time_at(o, at), moved);
}

// The slope at the left end, where the last search has left none.
static double slope_at_begin(looker *l, const foi_samples *s)
{
    const foi_solver *o = l->o;
    const double *x = o->x0, *tangent = o->coefficients + o->n;
    if (s->a != 0) {
        double *slope = states_of(l->w);
        foi_dense_at(o, s->a, l->w->x);
        foi_dense_slope(o, s->a, slope);
        x = l->w->x, tangent = slope;
    }
    bool right = s->guard->side == 0; // leaving zero the sign must be right
    double first = beside(l, s->a, right ? FOI_RIGHT_BASE : FOI_COARSE_BASE, x, tangent);
    if (!right) return foi_slope_coarse(s->at_a, first);
    if (RARELY(l->status != FO_OK)) return NAN;
    return foi_slope_right(s->at_a, first, beside(l, s->a, 2 * FOI_RIGHT_BASE, x, tangent));
}

static double slope_at_end(looker *l, const foi_samples *s)
{
    const foi_solver *o = l->o;
    const double *c = o->coefficients;
    double *tangent = states_of(l->w);
    if (o->n == 2 && o->degree == 4) {
        tangent[0] = 4 * c[8] + 3 * c[6] + 2 * c[4] + c[2];
        tangent[1] = 4 * c[9] + 3 * c[7] + 2 * c[5] + c[3];
    } else {
        foi_dense_slope(o, 1, tangent);
    }
    return foi_slope_coarse(s->at_b, beside(l, 1, FOI_COARSE_BASE, o->x1, tangent));
}

// Values and slopes at both ends of the segment, and values inside. False: a look failed, or the
// guard is not a number at the end.
FOI_INLINE bool sample(looker *l, foi_samples *s)
{
    foi_watch *w = l->w;
    const foi_solver *o = l->o;
    s->at_a = w->guard[0].g;
    s->at_b = value_at(l, o->t1, o->x1);
    if (RARELY(l->status != FO_OK)) return false;
    s->slope_a = w->slope_valid ? w->slope[0] * (o->t1 - o->t0) : slope_at_begin(l, s);
    if (RARELY(l->status != FO_OK || isnan(s->at_b))) return false;
    s->slope_b = slope_at_end(l, s);
    if (RARELY(l->status != FO_OK)) return false;
    s->middle = look(l, s->a + 0.5 * s->width);
    if (RARELY(l->status != FO_OK)) return false;
    s->quarter = look(l, s->a + FOI_QUARTER * s->width);
    return l->status == FO_OK;
}

// Two looks, as guess in locate.c. False where they were not enough, or one failed.
FOI_INLINE bool close_in(looker *l, foi_samples *s, const foi_target *t, foi_lone *known,
                         foi_closing *k)
{
    double slope, x = foi_closing_guess(k, t, s, known->resolution, &slope);
    if (RARELY(!(x > k->b && x < k->a))) return false;
    foi_closing_take(k, t, x, known->at_last = look(l, x));
    known->last = x;
    if (RARELY(l->status != FO_OK)) return false;
    if (foi_closing_there(k, known->resolution)) return true;
    x += known->resolution - k->fa / slope * s->width;
    if (RARELY(!((x - k->a) * (x - k->b) < 0))) return false;
    foi_closing_take(k, t, x, known->at_last = look(l, x));
    known->last = x;
    return l->status == FO_OK && foi_closing_there(k, known->resolution);
}

// Found: the guard fires at theta.
FOI_INLINE fo_status settle(looker *l, const foi_samples *s, const foi_lone *known, double theta,
                            double *root)
{
    foi_watch *w = l->w;
    const foi_solver *o = l->o;
    foi_guard_side *guard = s->guard;
    double g = known->at_last, unsure = 4 * known->resolution;
    if (theta != known->last) {
        foi_dense_at(o, theta, w->x);
        g = value_at(l, time_at(o, theta), w->x);
        if (l->status != FO_OK) return l->status;
    }
    int8_t from = s->found->from, to = s->found->to;
    foi_guard_side before = *guard;
    if (from != guard->side) before.side = from, before.rests = false;
    w->crossed[0] = true, w->way[0] = foi_guard_way(&before, to);
    guard->g = g, guard->told = to, guard->slack = 0;
    if (!(s->width < 64 * known->resolution))
        guard->slack = foi_unsure_by(fabs(s->at_b - s->at_a) / s->width * unsure, g);
    *root = time_at(o, theta);
    w->unsure = unsure * known->h, w->unsure_at = *root;
    return FO_OK;
}

static FOI_SELDOM fo_status hand_over(foi_lone *l, foi_lone_stage stage, const foi_samples *s,
                                      const foi_target *t, const foi_closing *k)
{
    l->stage = stage, l->s = *s;
    if (t) l->target = *t;
    if (k) l->k = *k;
    return FO_OK;
}

// The guard crosses zero once.
FOI_INLINE fo_status locate(looker *look, foi_samples *s, double *root, foi_lone *l)
{
    foi_target t = foi_target_of(s->found, 0);
    foi_closing k = foi_closing_begin(&t, s, 1, true);
    if (RARELY(!close_in(look, s, &t, l, &k)))
        return look->status == FO_OK ? hand_over(l, FOI_LONE_CLOSING, s, &t, &k) : look->status;
    l->theta = k.fa > 0 ? k.b : k.a;
    double theta = foi_closing_end(s->guard, s->found, l->theta, s->a, l->resolution);
    if (RARELY(!foi_gathers_nobody(theta, l->resolution)))
        return hand_over(l, FOI_LONE_FOUND, s, &t, &k);
    return settle(look, s, l, theta, root);
}

fo_status foi_search_alone(foi_watch *w, const foi_solver *o, double from, double *root,
                           foi_lone *l)
{
    looker look = {w, o, FO_OK};
    double h = l->h = o->t1 - o->t0;
    l->resolution = DBL_EPSILON * (2 + fabs(o->t1) / h);
    l->last = NAN;
    foi_samples s; // what is used is set
    s.guard = w->ahead_guard, s.about = w->about[0], s.found = w->finding;
    s.has_later = false, s.quartic_side = 0;
    s.a = from > o->t0 ? (from - o->t0) / h : 0, s.width = 1 - s.a;
    l->stage = FOI_LONE_NOT_BEGUN;
    if (RARELY(!(s.width > 2 * l->resolution))) return FO_OK;
    l->stage = FOI_LONE_DONE;
    w->ahead_guard[0] = w->guard[0], w->crossed[0] = false;
    w->finding[0] = (foi_finding){.sampled = true};
    if (RARELY(!sample(&look, &s)))
        return look.status == FO_OK ? hand_over(l, FOI_LONE_UNDEFINED, &s, NULL, NULL)
                                    : look.status;
    w->tally[0].searched++;
    foi_verdict verdict = foi_samples_verdict(&s, take_later, &look);
    w->finding[0].verdict = (uint8_t)verdict;
    if (RARELY(verdict == FOI_UNCLEAR)) return hand_over(l, FOI_LONE_UNCLEAR, &s, NULL, NULL);
    if (verdict == FOI_CROSSES) {
        if (RARELY(s.found->at_once)) return hand_over(l, FOI_LONE_CROSSES, &s, NULL, NULL);
        return locate(&look, &s, root, l);
    }
    foi_guard_moves_on(w->ahead_guard, s.at_b, s.found->flat);
    w->slope[0] = s.slope_b / h, w->slope_valid = true;
    return FO_OK;
}
