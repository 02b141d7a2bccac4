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

#include "simulation/internal.h"

// The shortest hop that can be seen: some ulps of t, and where steps are straight lines a few
// steps.
static double briefest(const fo_simulation *sim)
{
    const foi_solver *o = &sim->solver;
    double grain = 64 * foi_hold_grain(sim);
    return o->method->info.dense_order < 2 ? fmax(4 * o->step, grain) : grain;
}

// The slope of surface k with the rates at x in the mode of s, counted as the surface's side.
static fo_status slope_at(foi_hold *h, uint32_t k, const fo_state *s, const double *x, double t,
                          double *slope)
{
    const fo_system *system = &h->sim->system;
    double all[FOI_MOST_HELD];
    fo_status status = system->type->rates(system->model, s, t, x, h->rate);
    if (status == FO_OK) status = foi_hold_slopes(h, s, t, x, h->rate, FOI_LEVELS - 1, all);
    if (status == FO_OK) *slope = h->surface[k].side * all[k];
    return status;
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

// How far from zero g may be where the impact was located, and where it is after it.
static fo_status reach_of(foi_hold *h, uint32_t guard, double speed, double *reach, double *now_at)
{
    fo_simulation *sim = h->sim;
    const fo_state *now = &sim->state.s, *then = &sim->good.s;
    const fo_system *system = &sim->system;
    const foi_method *method = sim->solver.method;
    // methods of variable order begin with the lowest: what they then find errs by the tolerance
    bool rough = method->foreign || strcmp(method->info.name, "adams") == 0;
    *reach = 16 * foi_hold_grain(sim) * fabs(speed);
    for (uint32_t i = 0; i < h->n; i++)
        *reach += fabs(h->gradient[i]) *
                  (4 * DBL_EPSILON * fabs(now->x[i]) +
                   (rough ? sim->solver.atol + sim->solver.rtol * fabs(now->x[i]) : 0));
    fo_status status = system->type->guards(system->model, now, now->t, now->x, h->g);
    if (status != FO_OK) return status;
    *now_at = fabs(h->g[guard]);
    status = system->type->guards(system->model, then, then->t, then->x, h->g);
    *reach += 4 * fabs(h->g[guard]);
    return status;
}

// The slope of a guard by one difference: good enough to see that a hop is none of the last.
static fo_status rough_slope(foi_hold *h, const fo_state *s, uint32_t guard, double *slope,
                             double *g)
{
    const fo_simulation *sim = h->sim;
    const fo_system *system = &sim->system;
    double by = 0x1p-24 * foi_run_scale(&sim->def), *x = h->work, *f = h->rate;
    fo_status status = system->type->rates(system->model, s, s->t, s->x, f);
    if (status == FO_OK) status = system->type->guards(system->model, s, s->t, s->x, h->g);
    if (status != FO_OK) return status;
    *g = h->g[guard];
    for (uint32_t i = 0; i < h->n; i++) x[i] = s->x[i] + by * f[i];
    status = system->type->guards(system->model, s, fmin(s->t + by, sim->def.stop), x, h->g);
    *slope = (h->g[guard] - *g) / by;
    return status;
}

// About how large the terms of a guard are: all of t and x are moved by a little, each by another
// part of itself so that nothing cancels for good.
fo_status foi_rest_size(foi_hold *h, uint32_t guard, double *size)
{
    const fo_state *s = &h->sim->state.s;
    const fo_simulation *sim = h->sim;
    const fo_system *system = &sim->system;
    double *x = h->work, part = 0, g = h->g[guard];
    fo_status status = system->type->guards(system->model, s, s->t, s->x, h->g);
    if (status == FO_OK) g = h->g[guard];
    for (uint32_t i = 0; i < h->n; i++) {
        part = fmod(part + 0.6180339887498949, 1);
        x[i] = s->x[i] + 0x1p-20 * (1 + part) * s->x[i];
    }
    double t = fmin(s->t + 0x1p-20 * fabs(s->t), sim->def.stop);
    if (status == FO_OK) status = system->type->guards(system->model, s, t, x, h->g);
    *size = 0x1p20 * fabs(h->g[guard] - g);
    return status;
}

// An impact after which it hops on for long. The last hop, or fall, took `interval`, so that a is
// about |s-| / interval or twice that.
static fo_status hops_on(foi_hold *h, uint32_t guard, int8_t side, bool *on)
{
    fo_simulation *sim = h->sim;
    const foi_method *method = sim->solver.method;
    double before = 0, after = 0, g = 0, was = 0, interval = sim->pulses[guard].interval;
    double grain = foi_hold_grain(sim);
    *on = false;
    if (method->foreign || strcmp(method->info.name, "adams") == 0) return FO_OK;
    fo_status status = rough_slope(h, &sim->good.s, guard, &before, &was);
    if (status == FO_OK) status = rough_slope(h, &sim->state.s, guard, &after, &g);
    before *= side, after *= side;
    double size;
    if (status == FO_OK) status = foi_rest_size(h, guard, &size);
    if (status != FO_OK) return status;
    // it was put somewhere else, or it had jumped across zero before
    double reach = 4 * sim->pulses[guard].slack + 0x1p10 * grain * fabs(before);
    reach += 64 * DBL_EPSILON * size;
    *on = fabs(g) > 64 * (fabs(was) + reach) || fabs(was) > reach;
    if (*on || !(before < 0) || !(after > 0)) return FO_OK;
    double ratio = after / -before;
    // seldom longer than that; a search by samples had better know
    if (!sim->watch.about[guard]->bounded) sim->hop = 2.5 * ratio * interval;
    double blurred = fabs(g) - before * grain + DBL_EPSILON * size;
    *on = -before * ratio * ratio * interval > 0x1p12 * blurred &&
          ratio * interval > 0x1p8 * briefest(sim);
    return FO_OK;
}

bool foi_rest_recent(const fo_simulation *sim, uint32_t guard, double t)
{
    return t - sim->pulses[guard].last <= 64 * foi_hold_grain(sim);
}

// The jump of one guard alone, on a copy of the state with the states x: as if it had come to zero
// just now, when all other moments since t are over and done with. False where it cannot be
// done.
static bool jump_alone(foi_hold *h, double t, const double *x, uint32_t guard, int way)
{
    fo_simulation *sim = h->sim;
    const fo_system *system = &sim->system;
    fo_state *p = &h->probe.s;
    if (!system->type->jump) return false;
    foi_state_copy(&h->probe, &sim->state);
    p->message = &h->message, p->host = &h->host;
    p->t = nextafter(p->t, INFINITY), p->k = 0;
    memcpy(p->x, x, h->n * sizeof *x);
    for (uint32_t i = 0; i < h->guards; i++)
        h->sides[i] = foi_rest_recent(sim, i, t) ? FO_STAND_KEPT : FO_STAND_AS_IS;
    h->sides[guard] = way > 0 ? FO_STAND_SEEN_BELOW : FO_STAND_SEEN_ABOVE;
    if (system->type->side && system->type->side(system->model, p, h->sides) != FO_OK) return false;
    fo_moment m = {.kind = FO_GUARD, .index = guard, .t = p->t, .k = 1};
    m.direction = (fo_direction)way, m.name = sim->watch.about[guard]->name;
    m.slack = sim->pulses[guard].slack;
    fo_effect e = {0};
    return system->type->jump(system->model, p, &m, &e) == FO_OK;
}

// Where several jumps happened at this instant, only what the contact's own has changed is its
// push. *after becomes the slope after that one, *to the states. Both stay as they are where it
// does not turn the slope by itself: the impact is the work of all of them then.
static fo_status own_impact(foi_hold *h, uint32_t guard, double *after, const double **to)
{
    fo_simulation *sim = h->sim;
    double alone;
    if (sim->state.s.k == sim->good.s.k + 1) return FO_OK;
    if (!jump_alone(h, sim->state.s.t, sim->good.s.x, guard, -h->surface[0].side)) return FO_OK;
    const fo_state *p = &h->probe.s;
    fo_status status = slope_at(h, 0, p, p->x, p->t, &alone);
    if (status == FO_OK && alone >= 0) *after = alone, *to = p->x;
    return status;
}

fo_status foi_rest_test(foi_hold *h, uint32_t guard, bool zeno, double *push, int8_t *side,
                        double *limit, bool *rests)
{
    fo_simulation *sim = h->sim;
    const fo_state *now = &sim->state.s, *then = &sim->good.s;
    double before, after, second, reach, g;
    bool on = false;
    *rests = false;
    fo_status status = zeno ? FO_OK : hops_on(h, guard, *side, &on);
    if (status != FO_OK || on) return status;
    h->slides = 0, h->rests = 1;
    h->surface[0] = (foi_surface){.guard = guard, .side = 1};
    status = foi_hold_measure(h);
    if (status == FO_OK) status = slope_at(h, 0, then, then->x, then->t, &before);
    if (status == FO_OK) status = slope_at(h, 0, now, now->x, now->t, &after);
    if (status != FO_OK || !isfinite(before) || !isfinite(after)) return status;
    before *= *side, after *= *side;
    if (fabs(before) <= 0x1p-30 * h->surface[0].pace)
        return foi_rest_still(h, guard, *side, push, rests);
    if (!(before < 0)) return FO_OK;
    h->surface[0].side = *side;
    if (after < 0 || after >= -before) return FO_OK;
    memcpy(push, h->rate, h->n * sizeof *push); // the rates of the last slope
    if ((status = foi_hold_second(h, now->t, now->x, push, &second)) != FO_OK) return status;
    if (!(second < 0)) return FO_OK;
    if ((status = reach_of(h, guard, before, &reach, &g)) != FO_OK || g > reach) return status;
    double high = after * after / (-2 * second), lasts = 2 * after / -second;
    if (!zeno && high > reach && lasts > briefest(sim)) return FO_OK;
    double own = after;
    const double *to = now->x;
    if ((status = own_impact(h, guard, &own, &to)) != FO_OK) return status;
    if (fabs(direction(h, 0, then->x, to, push)) > reach) return FO_OK;
    for (uint32_t i = 0; i < h->n; i++) {
        push[i] /= own - before;
        *rests |= push[i] != 0;
    }
    if (!zeno) *limit = now->t + lasts / (1 - after / -before);
    return FO_OK;
}

// The contact comes in by a small displacement v, and the jump on a copy of the state says where it
// goes. *gain is how much that has changed the slope of g; 0: nothing of the kind.
static fo_status try_jump(foi_hold *h, uint32_t k, double t, const double *x, const double *v,
                          double by, double *push, double *gain)
{
    fo_simulation *sim = h->sim;
    const foi_surface *on = &h->surface[k];
    double come, gone, *before = h->work; // level 0 is free here
    *gain = 0;
    foi_state_copy(&h->probe, &sim->state);
    fo_state *p = &h->probe.s;
    p->message = &h->message, p->host = &h->host;
    p->t = t;
    for (uint32_t i = 0; i < h->n; i++) before[i] = p->x[i] = x[i] + by * v[i];
    fo_moment m = {.kind = FO_GUARD, .index = on->guard, .t = p->t, .k = p->k + 1};
    m.direction = on->side > 0 ? FO_FALLING : FO_RISING;
    m.name = sim->watch.about[on->guard]->name;
    fo_effect e = {0};
    fo_status status = slope_at(h, k, p, before, p->t, &come);
    if (status != FO_OK) return status;
    if (sim->system.type->jump(sim->system.model, p, &m, &e) != FO_OK) return FO_OK;
    status = slope_at(h, k, p, p->x, p->t, &gone);
    if (status != FO_OK || !isfinite(gone) || !(come < 0 && gone >= 0)) return status;
    // not straightened: the gradients known are those of the last step, which may be elsewhere
    for (uint32_t i = 0; i < h->n; i++) push[i] = (p->x[i] - before[i]) / (gone - come);
    *gain = gone - come;
    return FO_OK;
}

// Against its push, fast enough to come in; surfaces may be curved, and the push another one than
// where it was before.
fo_status foi_rest_probe(foi_hold *h, uint32_t k, double t, const double *x, const double *old,
                         double *push)
{
    double gain, slope, most = 0;
    memcpy(push, old, h->n * sizeof *push);
    for (uint32_t i = 0; i < h->n; i++) most = fmax(most, fabs(old[i]) / h->size[i]);
    if (!(most > 0)) return FO_OK;
    fo_status status = slope_at(h, k, &h->sim->state.s, x, t, &slope);
    if (status != FO_OK) return status;
    return try_jump(h, k, t, x, old, -(0x1p-16 / most + fmax(slope, 0)), push, &gain);
}

// Stands still at zero and would go on: as if it had done so for a short while.
fo_status foi_rest_still(foi_hold *h, uint32_t guard, int8_t side, double *push, bool *rests)
{
    fo_simulation *sim = h->sim;
    const fo_state *now = &sim->state.s;
    double slope, second, gain, *f = h->rate + h->n;
    *rests = false;
    h->slides = 0, h->rests = 1;
    h->surface[0] = (foi_surface){.guard = guard, .side = side};
    fo_status status = foi_hold_measure(h);
    if (status == FO_OK) status = slope_at(h, 0, now, now->x, now->t, &slope);
    if (status != FO_OK) return status;
    memcpy(f, h->rate, h->n * sizeof *f);
    if ((status = foi_hold_second(h, now->t, now->x, f, &second)) != FO_OK) return status;
    double small = -64 * (foi_hold_grain(sim) * second - DBL_EPSILON * h->surface[0].pace);
    if (!(second < 0) || fabs(slope) > small) return FO_OK;
    status = try_jump(h, 0, now->t, now->x, f, 0x1p-20 * foi_run_scale(&sim->def), push, &gain);
    *rests = gain > 0;
    return status;
}

// Its own jump would turn it round, but others of the same instant have sent it in again, and it is
// past zero: no moment will stop it any more.
fo_status foi_rest_undone(foi_hold *h, uint32_t guard, double t, bool *undone)
{
    fo_simulation *sim = h->sim;
    const foi_guard_side *is = &sim->watch.guard[guard];
    int way = sim->pulses[guard].way;
    double slope, after, g, was, size;
    *undone = false;
    bool known = is->rests || (is->held & (way > 0 ? FO_ABOVE : FO_BELOW));
    if (is->side ? is->side != way : !known) return FO_OK; // it has a moment to come
    fo_status status = rough_slope(h, &sim->state.s, guard, &slope, &g);
    if (status != FO_OK || !(way * slope > 0)) return status;
    if ((status = foi_rest_size(h, guard, &size)) != FO_OK) return status;
    double blur = 64 * DBL_EPSILON * size;
    double since = 0x1p10 * foi_hold_grain(sim) + 2 * (sim->state.s.t - t);
    double reach = 4 * sim->pulses[guard].slack + since * fabs(slope) + blur;
    // slower than a difference can tell, or somewhere else
    if (fabs(slope) * 0x1p-24 * foi_run_scale(&sim->def) <= blur || fabs(g) > reach) return FO_OK;
    if (!jump_alone(h, t, sim->state.s.x, guard, way)) return FO_OK;
    // an impact, that is, and not another mode
    if (!memcmp(h->probe.s.x, sim->state.s.x, h->n * sizeof *h->probe.s.x)) return FO_OK;
    status = rough_slope(h, &h->probe.s, guard, &after, &was);
    *undone = status == FO_OK && way * after <= 0x1p-20 * fabs(slope);
    return status;
}
