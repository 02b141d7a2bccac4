/// Rest: impacts that accumulate on the zero of a guard.
///
/// An impact is a jump that leaves g where it is and turns dg/dt round: with d = x+ - x-, grad g .
/// d = 0 and the slope goes from s- < 0 to s+ >= 0 (counted so that g >= 0 is where it may be).
/// With a = -Lf Lf g > 0 the next hop is s+^2 / (2 a) high and takes 2 s+ / a. It cannot be told
/// from rest when it is lower than the place at which the impact was located is known, |s-| times
/// some ulps of t, or when it takes no more than some ulps of t.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

// The shortest hop that can be seen: some ulps of t, and where steps are straight lines a few
// steps.
double foi_rest_briefest(const fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    double grain = 64 * foi_hold_grain(sim);
    return o->method->info.dense_order < 2 ? foi_fmax(4 * o->step, grain) : grain;
}

bool foi_rest_hop_within(double speed, double force, double height)
{
    return fabs(speed) <= sqrt(2 * force) * sqrt(height); // squares may underflow
}

// The direction of a jump, without what it did to g itself (many put the contact back to where it
// should be). Returns that.
static double direction(const foi_hold *h, uint32_t k, const double *before, const double *after,
                        double *d)
{
    const double *gradient = h->gradient + (size_t)k * h->n, *normal = h->normal + (size_t)k * h->n;
    double moved = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        d[i] = after[i] - before[i];
        moved += gradient[i] * d[i];
    }
    for (uint32_t i = 0; i < h->n; i++) d[i] -= moved * normal[i];
    return moved;
}

bool foi_rest_begins_low(const fo_simulation *sim)
{
    return sim->solver.method->info.traits & FO_BEGINS_LOW;
}

// What they then find errs by the tolerance.
static double part_of_tolerance(const fo_simulation *sim)
{
    return foi_rest_begins_low(sim) ? 1 : FOI_HELD_PART;
}

double foi_rest_tolerance(const foi_hold *h, uint32_t k)
{
    const fo_state *s = &h->sim->state.s;
    double sum = 0;
    for (uint32_t i = 0; i < h->n; i++)
        sum += fabs(h->gradient[(size_t)k * h->n + i]) * foi_hold_tolerance(h->sim, s->x[i]);
    return sum;
}

double foi_rest_reach(const foi_hold *h, uint32_t k)
{
    return foi_hold_reach(h, k) + part_of_tolerance(h->sim) * foi_rest_tolerance(h, k);
}

// By what factor the jump has changed the scale of a guard: that of its slope along the rates with
// which it came. *was is what it was before the jump.
static fo_status scale_of(foi_hold *h, uint32_t guard, double *was, double *part)
{
    const fo_simulation *sim = h->sim;
    const fo_state *s = &sim->good.s;
    const fo_system *system = &sim->system;
    double t[2] = {s->t, foi_fmin(s->t + 0x1p-24 * foi_run_scale(&sim->def), sim->def.stop)};
    double by = t[1] - t[0], *x = h->work, *f = h->rate, g[2][2] = {{0}};
    const fo_state *of[2] = {s, &sim->state.s};
    fo_status status = FO_OK;
    for (int k = 0; k < 2 && status == FO_OK; k++) {
        status = system->type->guards(system->model, of[k], s->t, s->x, h->g);
        g[k][0] = h->g[guard];
    }
    *was = g[0][0], *part = 1;
    if (status != FO_OK || g[0][0] == g[1][0]) return status;
    status = foi_hold_model_rates(h, s, s->t, s->x, f);
    for (uint32_t i = 0; i < h->n; i++) x[i] = s->x[i] + by * f[i];
    for (int k = 0; k < 2 && status == FO_OK; k++) {
        status = system->type->guards(system->model, of[k], t[1], x, h->g);
        g[k][1] = h->g[guard];
    }
    double ratio = fabs((g[1][1] - g[1][0]) / (g[0][1] - g[0][0]));
    if (ratio > 0 && ratio < INFINITY) *part = ratio;
    return status;
}

fo_status foi_rest_slack(foi_hold *h, uint32_t guard, double *slack)
{
    double was, part;
    fo_status status = scale_of(h, guard, &was, &part);
    *slack = part * h->sim->pulses[guard].slack;
    return status;
}

// How high a hop of a guard may be and not be seen: after a jump it is at zero for as long as
// rounding errors could take it back there, and where it goes from there is no moment.
static double hidden(const fo_simulation *sim, uint32_t guard)
{
    const foi_guard_side *it = &sim->watch.guard[guard];
    return it->rests ? 2 * it->slack : 0;
}

// How far from zero g may be where the impact was located, and where it is after it.
static fo_status reach_of(foi_hold *h, uint32_t guard, double speed, double *reach, double *now_at)
{
    fo_simulation *sim = h->sim;
    const fo_state *now = &sim->state.s;
    const fo_system *system = &sim->system;
    double part = part_of_tolerance(sim), was, scale;
    *reach = 16 * foi_hold_grain(sim) * fabs(speed);
    for (uint32_t i = 0; i < h->n; i++)
        *reach += fabs(h->gradient[i]) *
                  (4 * DBL_EPSILON * fabs(now->x[i]) + part * foi_hold_tolerance(sim, now->x[i]));
    fo_status status = system->type->guards(system->model, now, now->t, now->x, h->g);
    if (status != FO_OK) return status;
    *now_at = fabs(h->g[guard]);
    status = scale_of(h, guard, &was, &scale);
    *reach += 4 * fabs(scale * was);
    // where a truth of it is held it has a moment when it comes to the other side
    if (!sim->watch.guard[guard].held) *reach = foi_fmax(*reach, hidden(sim, guard));
    return status;
}

// The slope of a guard, as it is now, along the rates of s, by one difference: good enough to see
// that a hop is none of the last.
static fo_status rough_slope(foi_hold *h, const fo_state *s, uint32_t guard, double *slope,
                             double *g)
{
    const fo_simulation *sim = h->sim;
    const fo_system *system = &sim->system;
    const fo_state *now = &sim->state.s;
    double by = 0x1p-24 * foi_run_scale(&sim->def), *x = h->work, *f = h->rate;
    fo_status status = foi_hold_model_rates(h, s, s->t, s->x, f);
    if (status == FO_OK) status = system->type->guards(system->model, now, s->t, s->x, h->g);
    if (status != FO_OK) return status;
    *g = h->g[guard];
    for (uint32_t i = 0; i < h->n; i++) x[i] = s->x[i] + by * f[i];
    status = system->type->guards(system->model, now, foi_fmin(s->t + by, sim->def.stop), x, h->g);
    *slope = (h->g[guard] - *g) / by;
    return status;
}

/// By how much a state is moved.
typedef double amount(const fo_simulation *sim, double x);

static double part_of(const fo_simulation *sim, double x)
{
    (void)sim;
    return 0x1p-20 * x;
}

static double tolerance_of(const fo_simulation *sim, double x)
{
    return foi_hold_tolerance(sim, x);
}

// How far a guard goes when time is t and all of x are moved, each by another part of its amount so
// that nothing cancels for good. Twice, by other parts and with x the other way: what cancels by
// chance does so once.
static fo_status move_all(foi_hold *h, uint32_t guard, amount *of, double t, int ways, double *far)
{
    static const double parts[2] = {0.6180339887498949, 0.7548776662466927};
    const fo_simulation *sim = h->sim;
    const fo_state *s = &sim->state.s;
    const fo_system *system = &sim->system;
    double *x = h->work;
    fo_status status = system->type->guards(system->model, s, s->t, s->x, h->g);
    double g = h->g[guard];
    for (int k = 0; k < ways; k++) far[k] = 0;
    for (int k = 0; k < ways && status == FO_OK; k++) {
        double part = 0;
        for (uint32_t i = 0; i < h->n; i++) {
            part = fmod(part + parts[k], 1);
            double by = (1 + part) * of(sim, s->x[i]);
            x[i] = s->x[i] + (k ? -by : by);
        }
        status = system->type->guards(system->model, s, t, x, h->g);
        if (status == FO_OK) far[k] = fabs(h->g[guard] - g);
    }
    return status;
}

// About how large the terms of a guard are, by one way of moving them and by the other.
static fo_status sizes(foi_hold *h, uint32_t guard, int ways, double *size)
{
    const fo_simulation *sim = h->sim;
    double t = foi_fmin(sim->state.s.t + 0x1p-20 * fabs(sim->state.s.t), sim->def.stop);
    fo_status status = move_all(h, guard, part_of, t, ways, size);
    for (int k = 0; k < ways; k++) size[k] *= 0x1p20;
    return status;
}

// Lanes compute the same (analysis/lane_jump.c), so that one way has to do.
fo_status foi_rest_size(foi_hold *h, uint32_t guard, double *size)
{
    return sizes(h, guard, 1, size);
}

fo_status foi_rest_unsure(foi_hold *h, uint32_t guard, double *by)
{
    return move_all(h, guard, tolerance_of, h->sim->state.s.t, 1, by);
}

// Hops shrink as the last ones did, and the last one that was looked at closely was far from the
// end: a few operations say that this one is, too, if its speed is what it should be by now.
fo_status foi_rest_hops(foi_hold *h, uint32_t guard, int8_t side, bool *on)
{
    fo_simulation *sim = h->sim;
    const fo_state *s = &sim->state.s;
    const fo_system *system = &sim->system;
    const foi_pulse *p = &sim->pulses[guard];
    double part = p->interval / p->far_interval, by = 0x1p-24 * foi_run_scale(&sim->def);
    *on = false;
    if (!(p->far * part * part > 4) || !(part <= 1) || s->t + by > sim->def.stop) return FO_OK;
    if (!sim->watch.about[guard]->bounded) sim->hop = 2.5 * p->ratio * p->interval;
    double *x = h->work, *f = h->rate, g = sim->watch.guard[guard].g;
    fo_status status = foi_hold_model_rates(h, s, s->t, s->x, f);
    if (h->n == 2) // what a loop over two costs is seen here
        x[0] = s->x[0] + by * f[0], x[1] = s->x[1] + by * f[1];
    else
        for (uint32_t i = 0; i < h->n; i++) x[i] = s->x[i] + by * f[i];
    if (status == FO_OK) status = system->type->guards(system->model, s, s->t + by, x, h->g);
    double after = side * (h->g[guard] - g) / by;
    *on = status == FO_OK && after >= 0.75 * part * p->far_after && after <= 1.25 * p->far_after;
    return status;
}

/// What the jumps of an instant have done to a guard, by differences along the rates: good enough
/// to see that a hop is none of the last.
typedef struct impact {
    double before, after; ///< slopes, positive where it may go
    double was, g;        ///< its values
    double size;          ///< of the terms that add up to it
    double noise;         ///< of the slopes
    double grain;
    bool put; ///< it was put somewhere else, or it had jumped across zero before
} impact;

static fo_status measure_impact(foi_hold *h, uint32_t guard, int8_t side, impact *i)
{
    fo_simulation *sim = h->sim;
    double scale;
    i->grain = foi_hold_grain(sim);
    fo_status status = rough_slope(h, &sim->good.s, guard, &i->before, &i->was);
    if (status == FO_OK) status = rough_slope(h, &sim->state.s, guard, &i->after, &i->g);
    i->before *= side, i->after *= side;
    if (status == FO_OK) status = foi_rest_size(h, guard, &i->size);
    if (status == FO_OK) status = scale_of(h, guard, &i->was, &scale);
    if (status != FO_OK) return status;
    i->was *= scale;
    i->noise = 8 * DBL_EPSILON * i->size / (0x1p-24 * foi_run_scale(&sim->def));
    double reach = 4 * scale * sim->pulses[guard].slack + 0x1p10 * i->grain * fabs(i->before);
    reach += 64 * DBL_EPSILON * i->size;
    i->put = fabs(i->g) > 64 * (fabs(i->was) + reach);
    if (i->put || fabs(i->was) <= reach) return FO_OK;
    // what the solver does not know of the states may have put it there, too, or terms that have
    // cancelled; one that jumps there does so on one side only
    double unsure[2], size[2];
    status = move_all(h, guard, tolerance_of, sim->state.s.t, 2, unsure);
    if (status == FO_OK) status = sizes(h, guard, 2, size);
    if (status != FO_OK) return status;
    reach += scale * foi_fmin(unsure[0], unsure[1]) + 64 * DBL_EPSILON * size[1];
    i->put = fabs(i->was) > reach;
    return status;
}

fo_status foi_rest_know(foi_hold *h, uint32_t guard, int8_t side, double *part, bool *turned)
{
    impact i;
    fo_status status = measure_impact(h, guard, side, &i);
    *part = 0, *turned = false;
    if (status != FO_OK || i.put) return status;
    *turned = i.before < -4 * i.noise && i.after >= 0x1p-20 * i.before - i.noise;
    if (i.before < 0 && i.after > i.noise) *part = i.after / -i.before;
    return FO_OK;
}

// What an impact has turned round is known to be a contact, and may never be far behind zero from
// then on (hold_search.c); what goes on through zero is none. In between nobody knows. Not where no
// truth of the guard is held: that may pass zero against its direction, and no moment says so.
static void note_contact(foi_hold *h, uint32_t guard, bool turned, bool through)
{
    foi_pulse *p = &h->sim->pulses[guard];
    double far;
    if (through) p->depth = 0;
    if (!turned || through || p->depth > 0 || !h->sim->watch.guard[guard].held) return;
    if (move_all(h, guard, tolerance_of, h->sim->state.s.t, 1, &far) == FO_OK)
        p->depth = 2 * FOI_BEHIND * far;
}

// Hops below the tolerance go wrong with methods that begin low, and where an iteration that stops
// at the tolerance finds x'.
static bool looks_closely(const foi_hold *h)
{
    return foi_rest_begins_low(h->sim) || h->implied;
}

// An impact after which it hops on for long. The last hop, or fall, took `interval`, so that a is
// about |s-| / interval or twice that.
static fo_status hops_on(foi_hold *h, uint32_t guard, int8_t side, bool *on)
{
    fo_simulation *sim = h->sim;
    double interval = sim->pulses[guard].interval;
    impact i;
    *on = false;
    if (looks_closely(h)) return FO_OK;
    fo_status status = measure_impact(h, guard, side, &i);
    if (status != FO_OK) return status;
    *on = i.put;
    bool fast = !i.put && i.before < -4 * i.noise;
    note_contact(h, guard, fast && i.after > 4 * i.noise,
                 i.put || (fast && i.after < 0x1p-20 * i.before - 4 * i.noise));
    // what is nothing but the noise of differences is looked at more closely
    if (*on || !(i.before < -i.noise) || !(i.after > i.noise)) return FO_OK;
    double ratio = i.after / -i.before;
    // seldom longer than that; a search by samples had better know
    if (!sim->watch.about[guard]->bounded) sim->hop = 2.5 * ratio * interval;
    double blurred = fabs(i.g) - i.before * i.grain + DBL_EPSILON * i.size;
    blurred = foi_fmax(blurred, hidden(sim, guard));
    double high = -i.before * ratio * ratio * interval / (0x1p12 * blurred);
    double far = foi_fmin(high, ratio * interval / (0x1p8 * foi_rest_briefest(sim)));
    // one difference sees the floor's acceleration, too: what has lost nearly all of its speed is
    // looked at more closely
    *on = far > 1 && ratio > 0x1p-10;
    foi_pulse *p = &sim->pulses[guard];
    p->far = *on ? far : 0, p->far_interval = interval, p->far_after = i.after;
    return FO_OK;
}

bool foi_rest_recent(const fo_simulation *sim, uint32_t guard, double t)
{
    return t - sim->pulses[guard].last <= 64 * foi_hold_grain(sim);
}

// As slow as rounding errors of the speeds that cancel in it, or changed in no time by the forces
// that act on it; or its hop is too low to be seen.
static bool is_slow(const foi_hold *h, uint32_t k, double slope, double second)
{
    const foi_surface *on = &h->surface[k];
    bool brief = 2 * fabs(slope) <= 64 * foi_hold_grain(h->sim) * foi_fmax(on->force, fabs(second));
    return fabs(slope) <= 0x1p-40 * on->pace + foi_hold_slope_blur(h, k) || brief ||
           (second < 0 && foi_rest_hop_within(slope, -second, foi_hold_reach(h, k)));
}

// The second derivative of surface 0 along the model's own rates, and what cancels in it.
static fo_status weigh(foi_hold *h, double *second)
{
    const fo_state *now = &h->sim->state.s;
    double *f = h->rate + h->n;
    fo_status status = foi_hold_model_rates(h, now, now->t, now->x, f);
    if (status == FO_OK) status = foi_hold_second(h, now->t, now->x, f, second);
    return status == FO_OK ? foi_hold_weigh(h, 0) : status;
}

static fo_status stand(foi_hold *h, uint32_t guard, int8_t side)
{
    h->slides = 0, h->rests = 1;
    h->surface[0] = (foi_surface){.guard = guard, .side = side};
    return foi_hold_measure(h);
}

// The direction of the jump that the contact has just had.
static void push_of(foi_hold *h, double gain, double reach, double *push, bool *is)
{
    const fo_state *now = &h->sim->state.s, *then = &h->sim->good.s;
    *is = false;
    if (fabs(direction(h, 0, then->x, now->x, push)) > reach) return;
    for (uint32_t i = 0; i < h->n; i++) {
        push[i] /= gain;
        *is |= push[i] != 0;
    }
}

// Late in a run a hop may turn back where the guard's own bounds do not tell it from zero any more.
// That counts as touching, and what touches so stays.
static fo_status turns_unseen(foi_hold *h, uint32_t guard, double slope, double second, bool *is)
{
    double slack;
    fo_status status = foi_rest_slack(h, guard, &slack);
    *is = status == FO_OK && second < 0 && foi_rest_hop_within(slope, -second, slack);
    return status;
}

// It is carried away from where it was hit: it leaves like one that had been at rest, and for the
// model it is not behind zero any more.
static fo_status carry_away(foi_hold *h, uint32_t guard, int8_t side)
{
    const fo_system *system = &h->sim->system;
    fo_status status = FO_OK;
    memset(h->sides, 0, h->guards);
    h->sides[guard] = side;
    if (system->type->side) status = system->type->side(system->model, &h->sim->state.s, h->sides);
    if (status != FO_OK) return status;
    foi_watch *w = &h->sim->watch;
    foi_hold_let_go(h, 0, guard);
    if (system->type->held) system->type->held(system->model, &h->sim->state.s, w->held);
    if (system->type->held) w->guard[guard].held = w->held[guard];
    return FO_OK;
}

fo_status foi_rest_test(foi_hold *h, uint32_t guard, bool zeno, double *push, int8_t *side,
                        double *limit, bool *rests)
{
    fo_simulation *sim = h->sim;
    const fo_state *now = &sim->state.s, *then = &sim->good.s;
    double before, after, second, reach, g;
    bool on = false, put = false;
    *rests = false;
    fo_status status = zeno ? FO_OK : hops_on(h, guard, *side, &on);
    if (status != FO_OK || on) return status;
    if (zeno || looks_closely(h)) {
        impact i; // hops_on has not looked at it
        if ((status = measure_impact(h, guard, *side, &i)) != FO_OK) return status;
        put = i.put;
    }
    status = stand(h, guard, *side);
    if (status == FO_OK) status = foi_contact_slope(h, 0, then, then->x, then->t, &before);
    if (status == FO_OK) status = foi_contact_slope(h, 0, now, now->x, now->t, &after);
    if (status != FO_OK || !isfinite(before) || !isfinite(after)) return status;
    double tiny = 0x1p-30 * h->surface[0].pace + foi_hold_slope_blur(h, 0);
    note_contact(h, guard, before < -tiny && after > tiny,
                 put || (before < 0 && after < 0x1p-20 * before - tiny));
    if (fabs(before) <= tiny) return foi_rest_still(h, guard, *side, push, rests);
    if ((status = weigh(h, &second)) != FO_OK) return status;
    if (foi_rest_begins_low(sim) && second > h->surface[0].weak && after > -tiny &&
        (status = carry_away(h, guard, *side)) != FO_OK)
        return status;
    if (!(before < 0) || after >= -before) {
        bool hides = false;
        status = turns_unseen(h, guard, before, second, &hides);
        return hides ? foi_rest_still(h, guard, *side, push, rests) : status;
    }
    if ((status = reach_of(h, guard, before, &reach, &g)) != FO_OK || g > reach) return status;
    double lasts = 2 * after / -second;
    bool slow = is_slow(h, 0, after, second);
    if (second < 0) slow |= after >= 0 && (zeno || foi_rest_hop_within(after, -second, reach));
    if (second < 0) slow |= after >= 0 && lasts <= foi_rest_briefest(sim);
    if (!slow || second > h->surface[0].weak) return FO_OK;
    if (!(h->surface[0].force > 0)) return FO_OK; // what nothing moves needs nothing to hold it
    push_of(h, after - before, reach, push, rests);
    if (!zeno && *rests && second < -h->surface[0].weak && before < 0 && after > 0 &&
        after < -before)
        *limit = now->t + lasts / (1 - after / -before);
    return FO_OK;
}

// Stands still at zero, and would go on or stay. It is a contact if its jump would turn it round.
fo_status foi_rest_still(foi_hold *h, uint32_t guard, int8_t side, double *push, bool *rests)
{
    const fo_state *now = &h->sim->state.s;
    double slope, second;
    *rests = false;
    fo_status status = stand(h, guard, side);
    if (status == FO_OK) status = foi_contact_slope(h, 0, now, now->x, now->t, &slope);
    if (status == FO_OK) status = weigh(h, &second);
    if (status != FO_OK || second > h->surface[0].weak || !is_slow(h, 0, slope, second))
        return status;
    return foi_contact_push(h, 0, now->t, now->x, push, rests);
}

fo_status foi_rest_pressed(foi_hold *h, uint32_t guard, int8_t side, bool *is)
{
    double second;
    fo_status status = stand(h, guard, side);
    if (status == FO_OK) status = weigh(h, &second);
    *is = status == FO_OK && second < -h->surface[0].weak;
    return status;
}

// An impact, again within a few steps, of a contact that goes away already, or is carried away: no
// solution does that, but the straight line between two steps lies below the curve that leaves.
static fo_status is_false_impact(foi_hold *h, uint32_t guard, int8_t side, bool *is)
{
    const fo_simulation *sim = h->sim;
    const fo_state *now = &sim->state.s, *then = &sim->good.s;
    double before = 0, after = 0, second = 0;
    fo_status status = stand(h, guard, side);
    if (status == FO_OK) status = foi_contact_slope(h, 0, then, then->x, then->t, &before);
    if (status == FO_OK) status = foi_contact_slope(h, 0, now, now->x, now->t, &after);
    if (status == FO_OK) status = weigh(h, &second);
    bool away = before > 0x1p-30 * h->surface[0].pace + foi_hold_slope_blur(h, 0);
    *is = status == FO_OK && (away || (after >= 0 && before < 0)) && second > h->surface[0].weak;
    return status;
}

fo_status foi_rest_doubt(foi_hold *h, uint32_t guard, int8_t side)
{
    fo_simulation *sim = h->sim;
    const foi_solver *o = &sim->solver;
    bool is = false;
    if (o->method->info.dense_order >= 2) return FO_OK;
    if (!(sim->pulses[guard].interval <= foi_rest_briefest(sim))) return FO_OK;
    fo_status status = is_false_impact(h, guard, side, &is);
    if (status != FO_OK) return status == FO_ERROR_MEMORY ? status : FO_OK;
    if (!is) return FO_OK;
    return fo_fail(&sim->message, FO_ERROR_MODEL,
                   "'%s' leaves zero at t = %.15g and seems to be hit again at once: the straight "
                   "lines between the steps of %s cannot follow it; choose another method",
                   foi_hold_about(h, guard)->name, sim->state.s.t, o->method->info.name);
}
