/// Guards that pass zero at one instant pass it together.
///
/// floor(x / 0.1) and floor(x / 0.3) turn at x = 0.9, but their doubles do some ulps apart, and so
/// do a relation with time and one with a state that follows it. In between a condition that rests
/// on both could be true for no time, and a `when` would count that. So at an instant at which
/// something happens the guards that have not passed zero yet are looked at: one that does so
/// before rounding errors could tell has its moment at this instant, too.
///
/// That is so if zero lies in its enclosure over some units in the last place around (t, x), as
/// many as states may gather over some hundred steps, or not farther than it moves in as many of
/// time; and if, twice as far along the step's polynomial, it is on the other side by much what its
/// slope foretells. (One that only touches zero is not.)
#include <float.h>
#include <math.h>

#include "simulation/internal.h"
#include "simulation/search.h"

enum { ULPS = 64 }; ///< errors of rounding that states gather from step to step
/// Parts of a step over which slopes are taken: the first one that is longer than rounding errors.
static const double PARTS[] = {0x1p-20, 0x1p-13, 0x1p-6};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS };

/// The step on which the present instant lies.
typedef struct place {
    double theta, h, part;
    double *now, *soon, *ahead; ///< values of all guards
    double *sigma;              ///< how far off zero rounding errors may put each
} place;

static bool is_cause(const fo_simulation *sim, uint32_t guard)
{
    for (size_t i = 0; i < sim->cause_count; i++)
        if (sim->causes[i].moment.kind == FO_GUARD && sim->causes[i].moment.index == guard)
            return true;
    return false;
}

static fo_status guards_at(fo_simulation *sim, const place *p, double theta, double *g)
{
    foi_solver *o = &sim->solver;
    sim->watch.evaluations++;
    foi_dense_at(o, theta, sim->watch.x);
    return o->system.type->guards(o->system.model, &sim->state.s, o->t0 + theta * p->h,
                                  sim->watch.x, g);
}

// Whether it is at zero but for rounding errors, and may have a moment there.
static bool is_near(const fo_simulation *sim, const place *p, uint32_t i)
{
    const foi_guard_side *guard = &sim->watch.guard[i];
    bool fired = guard->rests && guard->slack > 0; // not: it has just come to zero
    if (fired || !sim->watch.about[i]->bounded || is_cause(sim, i)) return false;
    double slope = (p->soon[i] - p->now[i]) / p->part;
    double later = fabs(slope) * ULPS * DBL_EPSILON * (1 + fabs(sim->state.s.t) / p->h);
    if (later > p->sigma[i]) p->sigma[i] = later;
    return fabs(p->now[i]) <= p->sigma[i];
}

// Whether it will have passed zero soon, a small part of the step later.
static bool goes_there(const fo_simulation *sim, const place *p, uint32_t i)
{
    double g = p->now[i], way = p->soon[i] - g;
    if (way == 0 || g * way > 0 || !(p->soon[i] * way > 0)) return false;
    return foi_guard_fires(&sim->watch.guard[i], sim->watch.about[i], way > 0 ? 1 : -1);
}

// The time of this moment is not known better than that.
static void be_unsure(fo_simulation *sim, double by)
{
    foi_watch *w = &sim->watch;
    if (w->unsure_at != sim->state.s.t || !(w->unsure > by)) w->unsure = by;
    w->unsure_at = sim->state.s.t;
}

static fo_status passes(fo_simulation *sim, const place *p, uint32_t i, bool *so)
{
    double slope = (p->soon[i] - p->now[i]) / p->part;
    double reach = fabs(p->now[i]) + p->sigma[i], by = 2 * reach / fabs(slope);
    *so = false;
    if (!(by <= 1)) return FO_OK;
    fo_status status = guards_at(sim, p, p->theta + by, p->ahead);
    double there = slope > 0 ? p->ahead[i] : -p->ahead[i];
    double foretold = 2 * reach - fabs(p->now[i]);
    *so = status == FO_OK && there >= 0.5 * foretold && there <= 2 * foretold;
    if (*so) sim->watch.guard[i].slack = reach, sim->watch.since[i] = sim->state.s.t;
    if (*so) be_unsure(sim, by * p->h);
    return status;
}

// Looks over one part of the step; *longer when that was too short for some guard.
static fo_status look_over(fo_simulation *sim, place *p, bool last, bool *longer)
{
    foi_watch *w = &sim->watch;
    fo_status status = guards_at(sim, p, p->theta + p->part, p->soon);
    *longer = false;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        bool so = false;
        if (!is_near(sim, p, i)) continue;
        if (!last && fabs(p->soon[i] - p->now[i]) < 4 * p->sigma[i]) {
            *longer = true;
            continue;
        }
        if (!goes_there(sim, p, i)) continue;
        status = passes(sim, p, i, &so);
        if (status != FO_OK || !so) continue;
        int way = p->soon[i] > p->now[i] ? 1 : -1;
        w->guard[i].side = 0, w->guard[i].rests = true, w->guard[i].told = (int8_t)way;
        w->guard[i].early = true;
        status = foi_gather_near(sim, i, way);
    }
    return status;
}

fo_status foi_together_pass(fo_simulation *sim)
{
    foi_watch *w = &sim->watch;
    foi_solver *o = &sim->solver;
    const fo_state *s = &sim->state.s;
    bool held = foi_is_held(sim), longer = true;
    if (held || s->k) return FO_OK;
    if (!(o->t1 > o->t0 && s->t >= o->t0 && s->t <= o->t1)) return FO_OK;
    if (w->guards == 1 && sim->cause_count && is_cause(sim, 0)) return FO_OK;
    fo_status status = foi_solver_dense(o);
    place p = {.h = o->t1 - o->t0};
    p.theta = s->t == o->t1 ? 1 : (s->t - o->t0) / p.h;
    // the rows of work that measuring rounding errors uses come before these
    p.soon = foi_search_rows(w), p.ahead = p.soon + w->guards, p.now = p.ahead + w->guards;
    p.sigma = p.now + w->guards;
    for (uint32_t i = 0; i < w->guards; i++) p.now[i] = w->guard[i].g;
    if (status == FO_OK) status = foi_watch_rounding(w, o, s, ULPS, p.sigma);
    for (int k = 0; k < PART_COUNT && status == FO_OK && longer; k++) {
        p.part = PARTS[k];
        status = look_over(sim, &p, k + 1 == PART_COUNT, &longer);
    }
    return status;
}
