/// Where a hold ends on a step: looked for by samples, and where the model encloses its slopes
/// proved (hold_prove.c), so that no end is missed.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/inline.h"
#include "math/math.h"
#include "simulation/internal.h"

enum {
    LOOKS = 4,        ///< at each step, and once between two
    MOST_DEPTH = 12,  ///< how often a part of a step is halved where the margin is bent
    MOST_HALVES = 80, ///< of an interval, until the end is located
};

// Where the dense output has strayed off what is held, by an error that a step may make, forces
// are not those of the place to which the state is put back: a rest that ends by the ones and is
// pressed by the others would be hit again at once.
static fo_status margins_at(foi_hold *h, double t, double *least)
{
    fo_simulation *sim = h->sim;
    foi_solver *o = &sim->solver;
    double margin[2 * FOI_MOST_SLIDES + FOI_MOST_RESTS], length = o->t1 - o->t0;
    foi_dense_at(o, t >= o->t1 ? 1 : (t - o->t0) / length, sim->sample);
    fo_status status = h->rests ? foi_hold_project(h, t, sim->sample) : FO_OK;
    if (status == FO_OK) status = foi_hold_margins(h, t, sim->sample, margin);
    *least = INFINITY;
    for (uint32_t i = 0; i < 2 * h->slides + h->rests && status == FO_OK; i++)
        *least = foi_fmin(*least, margin[i]);
    return status;
}

// The least margin is >= 0 at a and < 0 at b: the first double at which it is not >= 0, by regula
// falsi with halves (Illinois), and by halves where that does not get on.
static fo_status locate(foi_hold *h, double a, double fa, double b, double fb, double *t)
{
    fo_status status = FO_OK;
    for (int i = 0; i < MOST_HALVES && status == FO_OK; i++) {
        double middle = a + (b - a) / 2, c = i % 3 == 2 ? middle : b - fb * (b - a) / (fb - fa), f;
        if (!(c > a && c < b)) c = middle;
        if (!(c > a && c < b)) break; // neighbours
        if ((status = margins_at(h, c, &f)) != FO_OK) return status;
        if (f >= 0) {
            a = c, fa = f, fb = i % 3 == 1 ? fb / 2 : fb;
        } else {
            b = c, fb = f, fa = i % 3 == 1 ? fa / 2 : fa;
        }
    }
    *t = b;
    return status;
}

// The least margin is >= 0 at a and at b. In between it is looked at once, and again in both halves
// where it is bent so much that it might come to zero there.
static fo_status look_between(foi_hold *h, double a, double fa, double b, double fb, int depth)
{
    double c = a + (b - a) / 2, f;
    if (!(c > a && c < b)) return FO_OK;
    fo_status status = margins_at(h, c, &f);
    if (status != FO_OK) return status;
    if (!(f >= 0)) return fa >= 0 ? locate(h, a, fa, c, f, &h->until) : (h->until = c, FO_OK);
    double bend = fabs(f - (fa + fb) / 2);
    if (depth == MOST_DEPTH || !(foi_fmin(foi_fmin(fa, fb), f) < 4 * bend)) return FO_OK;
    status = look_between(h, a, fa, c, f, depth + 1);
    if (status != FO_OK || h->until < INFINITY) return status;
    return look_between(h, c, f, b, fb, depth + 1);
}

// The least margin is < 0 at a, where the hold has begun, and at b: rounding errors may say so of a
// hold that lasts (one that begins at its edge), but not for longer than they hide. Where it is
// still < 0 a hair later it ends there, and not where the next sample happens to be.
static fo_status locate_at_once(foi_hold *h, double a, double b, double fb, double *t)
{
    double c = foi_fmin(a + 64 * foi_hold_grain(h->sim), b), f;
    fo_status status = margins_at(h, c, &f);
    if (status == FO_OK && f >= 0) return locate(h, c, f, b, fb, t);
    *t = c;
    return status;
}

// How far behind zero a contact may be at the end of the step: by the errors of its states as they
// are now, which may have grown since it was hit, and by what it moves in the time that is unsure.
static FOI_SELDOM fo_status depth_now(fo_simulation *sim, uint32_t guard, double *depth)
{
    foi_hold *h = sim->hold;
    const foi_solver *o = &sim->solver;
    const fo_system *system = &sim->system;
    double *x = h->work, *f = h->rate, grain = foi_hold_grain(sim);
    memcpy(x, o->x1, h->n * sizeof *x);
    fo_status status = foi_hold_model_rates(h, &sim->state.s, o->t1, x, f);
    if (status == FO_OK)
        status = system->type->guards(system->model, &sim->state.s, o->t1, x, h->g);
    double g = h->g[guard];
    *depth = 0;
    for (uint32_t i = 0; i < h->n && status == FO_OK; i++) {
        double part = foi_hold_tolerance(sim, x[i]) + DBL_EPSILON * fabs(x[i]);
        x[i] += part + grain * fabs(f[i]);
        status = system->type->guards(system->model, &sim->state.s, o->t1, x, h->g);
        *depth += 2 * FOI_BEHIND * fabs(h->g[guard] - g);
        x[i] = o->x1[i];
    }
    return status;
}

// Its moment is at the end of what is looked at, or it is still where that left it.
static bool is_stopped(const fo_simulation *sim, uint32_t guard)
{
    const foi_watch *w = &sim->watch;
    const foi_guard_side *ahead = &w->ahead_guard[guard];
    if (sim->root < INFINITY && w->crossed[guard]) return true;
    return ahead->rests && fabs(ahead->g) <= ahead->slack;
}

// A contact that is known to be one is behind zero, at g.
static FOI_SELDOM fo_status look_behind_zero(fo_simulation *sim, uint32_t guard, double g)
{
    double depth;
    if (is_stopped(sim, guard)) return FO_OK;
    if (depth_now(sim, guard, &depth) == FO_OK && g >= -depth) return FO_OK;
    return fo_fail(&sim->message, FO_ERROR_MODEL,
                   "'%s' has gone through near t = %.15g: a contact that was hit before is "
                   "%.3g behind zero, and no moment has stopped it",
                   sim->watch.about[guard]->name, sim->solver.t1, -g);
}

// None of them has gone through: whatever the cause, that ends the run.
static fo_status check_behind(fo_simulation *sim)
{
    const foi_hold *h = sim->hold;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < sim->pulse_count && status == FO_OK; i++) {
        const foi_pulse *p = &sim->pulses[i];
        double g = p->contact * sim->watch.ahead_guard[i].g;
        if (!(p->depth > 0) || !(g < -p->depth) || (h->on && h->owner[i])) continue;
        status = look_behind_zero(sim, i, g);
    }
    return status;
}

double foi_held_step(const fo_simulation *sim)
{
    const fo_run_def *def = &sim->def;
    return foi_fmax(foi_run_scale(def), def->stop - def->start) / FOI_HELD_STEPS;
}

// A step that was to be proved may be longer than one that is looked at.
static int looks_at(const fo_simulation *sim, double length)
{
    double parts = ceil(length / foi_held_step(sim));
    return parts > 1 && parts <= FOI_HELD_STEPS ? LOOKS * (int)parts : LOOKS;
}

// Where the hold ends on the last step, by samples, into h->until.
static fo_status search_end(foi_hold *h, double from)
{
    foi_solver *o = &h->sim->solver;
    h->until = INFINITY;
    fo_status status = foi_solver_dense(o);
    double start = foi_fmax(from, o->t0), a = start, length = o->t1 - a, fa, f;
    int looks = looks_at(h->sim, length);
    if (status == FO_OK) status = margins_at(h, a, &fa);
    for (int i = 1; i <= looks && status == FO_OK && length > 0; i++) {
        double t = i == looks ? o->t1 : start + length * i / looks;
        if ((status = margins_at(h, t, &f)) != FO_OK) break;
        if (!(f >= 0) && !(fa >= 0)) return locate_at_once(h, a, t, f, &h->until);
        if (!(f >= 0)) return locate(h, a, fa, t, f, &h->until);
        status = look_between(h, a, fa, t, f, 0);
        if (h->until < INFINITY) break;
        a = t, fa = f;
    }
    return status;
}

// It is proved that the hold lasts until `t`, and not that it lasts any longer: does it end there,
// where no sample was?
static fo_status look_behind(foi_hold *h, double t)
{
    const foi_solver *o = &h->sim->solver;
    double grain = foi_hold_grain(h->sim), last = t, before, f;
    fo_status status = margins_at(h, t, &before);
    for (int k = 0; k < MOST_DEPTH && status == FO_OK && last < o->t1; k++) {
        double at = foi_fmin(t + ldexp(grain, 2 * k), o->t1);
        if ((status = margins_at(h, at, &f)) != FO_OK || at >= h->until) break;
        if (!(f >= 0)) return before >= 0 ? locate(h, last, before, at, f, &h->until) : FO_OK;
        last = at, before = f;
    }
    return status;
}

// Where what is held ends on the step.
static FOI_SELDOM fo_status search_hold(foi_hold *h, double from)
{
    fo_simulation *sim = h->sim;
    double until;
    h->until = INFINITY;
    fo_status status = foi_solver_dense(&sim->solver);
    // what is proved at once needs no samples
    bool proved = status == FO_OK && foi_hold_prove(h, from, &until);
    if (status == FO_OK && !proved) status = search_end(h, from);
    if (status != FO_OK) return status;
    if (!proved) proved = foi_hold_prove(h, from, &until);
    if (!proved && until < foi_fmin(h->until, sim->solver.t1)) {
        status = look_behind(h, until);
        proved = status == FO_OK && foi_hold_prove(h, from, &until);
    }
    for (uint32_t k = 0; k < h->slides + h->rests; k++) {
        foi_tally *tally = &sim->watch.tally[h->surface[k].guard];
        (*(proved ? &tally->proved : &tally->searched))++;
    }
    return FO_OK;
}

fo_status foi_hold_search(fo_simulation *sim, double from)
{
    foi_hold *h = sim->hold;
    if (!h) return FO_OK;
    fo_status status = check_behind(sim);
    return status == FO_OK && h->on ? search_hold(h, from) : status;
}

fo_status foi_hold_end(fo_simulation *sim)
{
    foi_hold *h = sim->hold;
    const fo_state *s = &sim->state.s;
    double margin[2 * FOI_MOST_SLIDES + FOI_MOST_RESTS], least = INFINITY;
    fo_status status = foi_hold_margins(h, s->t, s->x, margin);
    uint32_t count = 2 * h->slides + h->rests, worst = 0;
    for (uint32_t i = 0; i < count && status == FO_OK; i++)
        if (margin[i] < least) least = margin[i], worst = i;
    for (uint32_t i = 0; i < count && status == FO_OK; i++)
        if (i == worst || margin[i] <= 0)
            h->exits[i < 2 * h->slides ? i / 2 : i - h->slides] = true;
    h->until = INFINITY;
    return status;
}
