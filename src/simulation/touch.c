/// What touches at an instant: contacts that have just acted, or rest, or stand at zero.
///
/// One that goes in, so fast that its hop could be seen, has its jump once more, one after the
/// other, until none does. Those that are left with speeds too small to be seen are brought to
/// stand still together: with slopes s and pushes d_j,
///
///     s + B p >= 0,   p >= 0,   (s + B p)_i p_i = 0
///
/// gives the impulses p, the limit of all the little impacts that would follow. So it is for
/// impacts that become weaker by the same factor again and again at one instant: their limit has no
/// speed. Which of them rest from then on is the same problem for the second derivatives (see
/// contact.c).
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"
#include "simulation/look.h"

static const double *push_at(const foi_hold *h, uint32_t j)
{
    return h->old_push + (size_t)j * h->n;
}

// Drops entry j.
static void drop(foi_hold *h, foi_touch_list *c, uint32_t j)
{
    c->count--;
    for (; j < c->count; j++) {
        c->at[j] = c->at[j + 1];
        memcpy(h->old_push + (size_t)j * h->n, push_at(h, j + 1), h->n * sizeof(double));
    }
}

bool foi_touch_add(foi_touch_list *c, foi_touching one)
{
    for (uint32_t j = 0; j < c->count; j++)
        if (c->at[j].guard == one.guard) return true;
    if (c->count == FOI_MOST_RESTS) return false;
    c->at[c->count++] = one;
    return true;
}

// Whether it has had an impact at this instant, the `since`th moment of the run or a later one.
static bool was_hit(const fo_simulation *sim, const foi_touching *one, uint64_t since)
{
    const foi_pulse *p = &sim->pulses[one->guard];
    return p->blow_t == sim->state.s.t && p->blow_at >= since;
}

// Impacts of one instant become weaker by much the same factor, again and again. All that were hit
// since the last one take part: *since.
static bool weakens(fo_simulation *sim, const foi_touching *one, uint64_t *since)
{
    enum { STEADY = 4 };
    foi_pulse *p = &sim->pulses[one->guard];
    double speed = -one->slope, ratio = speed / p->blow;
    *since = p->blow_at;
    if (!was_hit(sim, one, 0) || !(p->blow > 0)) p->blows = 0, ratio = INFINITY;
    bool steady = ratio < 1 - 0x1p-12 && fabs(ratio - p->blow_ratio) <= 0x1p-6 * (1 - ratio);
    p->blows = steady ? p->blows + 1 : 0;
    p->blow = speed, p->blow_ratio = ratio, p->blow_t = sim->state.s.t, p->blow_at = sim->moments;
    return p->blows >= STEADY;
}

// ------------------------------------------------------------------------------------- speeds

// Slope, and what counts as slow. *near: it is at zero, or will be when the time to the limit has
// passed.
static fo_status measure(foi_hold *h, foi_touching *one, double limit, bool *near)
{
    fo_simulation *sim = h->sim;
    const fo_state *now = &sim->state.s;
    const fo_system *system = &sim->system;
    foi_surface *on = &h->surface[0];
    h->slides = 0, h->rests = 1;
    *on = (foi_surface){.guard = one->guard, .side = one->side};
    fo_status status = foi_hold_measure(h);
    if (status == FO_OK) status = foi_contact_slope(h, 0, now, now->x, now->t, &one->slope);
    if (status == FO_OK) status = foi_hold_weigh(h, 0);
    double located = 0; // how far from zero it may be because of the time of its impact
    if (status == FO_OK && foi_rest_recent(sim, one->guard, now->t))
        status = foi_rest_slack(h, one->guard, &located);
    if (status == FO_OK) status = system->type->guards(system->model, now, now->t, now->x, h->g);
    if (status != FO_OK) return status;
    double reach = foi_fmax(foi_rest_reach(h, 0), 4 * located);
    one->tiny = foi_fmax(0x1p-40 * on->pace + foi_hold_slope_blur(h, 0),
                         32 * foi_hold_grain(sim) * on->force);
    one->low = foi_hold_blur(h, 0) + FOI_HELD_PART * (reach - foi_hold_blur(h, 0));
    // behind zero it can only be by an error of the solver, or of locating it
    double g = one->side * h->g[one->guard];
    if (g < 0) {
        one->low = foi_fmax(one->low, -4 * g); // a hop that would end behind it
        reach = foi_fmax(reach, FOI_BEHIND * foi_rest_tolerance(h, 0));
    }
    one->slow =
        foi_fmax(sqrt(2 * on->force) * sqrt(one->low), on->force * foi_rest_briefest(sim) / 2);
    one->slow = one->zeno ? INFINITY : foi_fmax(one->slow, one->tiny);
    if (one->zeno) reach += 8 * on->pace * (limit - now->t);
    // what nothing moves needs nothing to hold it
    bool moves = on->force > 0 || on->pace > 0 || one->slope != 0;
    *near = (fabs(g) <= reach && moves) || one->was;
    return FO_OK;
}

fo_status foi_touch_is_near(foi_hold *h, const foi_touching *one, double limit, bool *near)
{
    foi_touching copy = *one;
    fo_status status = measure(h, &copy, limit, near);
    if (status == FO_OK || status == FO_ERROR_MEMORY) return status;
    *near = false; // it cannot even be evaluated beside where it is
    return FO_OK;
}

fo_status foi_touch_may(foi_hold *h, bool *may)
{
    foi_touching one = {.guard = h->surface[0].guard, .side = h->surface[0].side};
    const foi_guard_side *is = &h->sim->watch.guard[one.guard];
    bool near;
    *may = false;
    fo_status status = measure(h, &one, h->sim->state.s.t, &near);
    if (status != FO_OK || !near) return status;
    // behind zero it has no moment that would stop it, and where its truth is held none at zero
    bool kept = is->held ? is->held & (one.side > 0 ? FO_BELOW : FO_ABOVE) : one.side * is->g < 0;
    *may = fabs(one.slope) <= one.slow || (one.slope < 0 && kept);
    return FO_OK;
}

// Whether the contact's own jump would turn it round.
static fo_status turns(foi_hold *h, const foi_touching *one, bool *is)
{
    const fo_state *s = &h->sim->state.s;
    double after;
    *is = false;
    if (!foi_contact_jump(h, s->t, s->x, one->guard, -one->side)) return FO_OK;
    // an impact, that is, and not another mode
    if (!memcmp(h->probe.s.x, s->x, h->n * sizeof *s->x)) return FO_OK;
    const fo_state *p = &h->probe.s;
    fo_status status = foi_contact_slope(h, 0, p, p->x, p->t, &after);
    *is = status == FO_OK && after >= 0x1p-20 * one->slope;
    return status;
}

// What is known to be a contact may never be far behind zero.
static void note_contact(const foi_hold *h, const foi_touching *one, bool is)
{
    foi_pulse *p = &h->sim->pulses[one->guard];
    p->contact = is || one->turned ? one->side : 0;
    if (!is && !one->turned)
        p->depth = 0;
    else if (one->slope < 0 || one->pushes)
        p->depth = foi_fmax(p->depth, 2 * FOI_BEHIND * foi_rest_tolerance(h, 0));
}

// One that has just bounced off beside others may be hit again, at this same instant: it takes its
// turn with them.
static fo_status remember_bounce(foi_hold *h, const foi_touch_list *c, uint32_t j)
{
    const foi_touching *one = &c->at[j];
    const fo_state *s = &h->sim->state.s;
    foi_pulse *p = &h->sim->pulses[one->guard];
    bool is = false;
    foi_said before;
    if (c->count < 2 || !p->fired || was_hit(h->sim, one, 0)) return FO_OK;
    foi_look_keep_said(h->sim, &before);
    fo_status status = foi_contact_push(h, 0, s->t, s->x, h->old_push + (size_t)j * h->n, &is);
    // as fast as it goes away it could not even come: constraints end before
    if (status != FO_OK) return foi_look_tried(h->sim, &before, status);
    if (!is) return FO_OK;
    p->blow_t = s->t, p->blow_at = h->sim->moments, p->blow = 0, p->blows = 0;
    return FO_OK;
}

// Measures all of them. *fire becomes the one declared first that goes in and can be seen to;
// those that do not touch, or are no contacts, or leave, are dropped.
static fo_status look_at_all(foi_hold *h, foi_touch_list *c, double limit, uint32_t *fire)
{
    const fo_state *s = &h->sim->state.s;
    fo_status status = FO_OK;
    *fire = UINT32_MAX;
    for (uint32_t j = 0; j < c->count && status == FO_OK;) {
        foi_touching *one = &c->at[j];
        bool near, is = true;
        one->gone = false;
        if ((status = measure(h, one, limit, &near)) != FO_OK) {
            if (status == FO_ERROR_MEMORY || one->was) break;
            drop(h, c, j); // it cannot even be evaluated beside where it is
            status = FO_OK;
            continue;
        }
        // the slope of what has rested until its end was located here, without any jump, is a
        // rounding error, however small all is that it could be compared with
        bool still = one->was && one->ended && s->k == 0;
        bool slow = still || fabs(one->slope) <= one->slow;
        if (near && !slow && one->slope < 0) {
            status = turns(h, one, &is);
            if (is && (*fire == UINT32_MAX || one->guard < c->at[*fire].guard)) *fire = j;
        } else if (near && slow && !one->pushes) {
            status = foi_contact_push(h, 0, s->t, s->x, h->old_push + (size_t)j * h->n, &is);
            one->pushes = is;
        }
        if (status == FO_OK && near && one->slope > 0 && !slow) status = remember_bounce(h, c, j);
        if (status == FO_OK && near) note_contact(h, one, is);
        bool leaves = !near || !is || (one->slope > 0 && !slow), keeps = was_hit(h->sim, one, 0);
        if (leaves && (one->was || keeps)) one->gone = true;
        if (status == FO_OK && leaves && !one->was && !keeps)
            drop(h, c, j);
        else
            j++;
    }
    return status;
}

// ----------------------------------------------------------------------------------- impulses

static fo_status cannot(foi_hold *h, uint32_t guard)
{
    fo_simulation *sim = h->sim;
    return fo_fail(&sim->message, FO_ERROR_MODEL,
                   "at t = %.15g the impacts of '%s' and of what it touches cannot be resolved: no "
                   "impulses in the directions of the jumps keep all contacts from going through",
                   sim->state.s.t, foi_hold_about(h, guard)->name);
}

/// Contacts that are brought to stand still together.
typedef struct group {
    uint32_t count, list[FOI_MOST_RESTS]; ///< entries of the list
    double slope[FOI_MOST_RESTS], p[FOI_MOST_RESTS], slack;
    bool stays[FOI_MOST_RESTS];
    bool any;                                                ///< one of them goes in
    double slowest[FOI_MOST_RESTS], fastest[FOI_MOST_RESTS]; ///< impacts that were computed
} group;

static void join(foi_hold *h, const foi_touch_list *c, uint32_t j, group *all)
{
    const foi_touching *one = &c->at[j];
    all->slope[all->count] = one->slope;
    all->slack = foi_fmax(all->slack, 0x1p-10 * one->tiny);
    all->any |= one->slope < -one->tiny;
    h->surface[all->count] = (foi_surface){.guard = one->guard, .side = one->side};
    memcpy(h->push + (size_t)all->count * h->n, push_at(h, j), h->n * sizeof *h->push);
    all->list[all->count++] = j;
}

// The impulses with which none of them goes in; *found: there are some.
static fo_status resolve(foi_hold *h, group *all, bool *found)
{
    h->slides = 0, h->rests = all->count;
    fo_status status = foi_hold_measure(h);
    if (status == FO_OK) status = foi_hold_couple(h, 0);
    *found = status == FO_OK && foi_contact_sort(h, all->slope, all->slack, all->stays, all->p);
    return status == FO_ERROR_MEMORY ? status : FO_OK;
}

static void push_all(foi_hold *h, foi_touch_list *c, const group *all)
{
    fo_state *s = &h->sim->state.s;
    uint32_t count = all->count;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < h->n && all->p[k] > 0; i++)
            s->x[i] += all->p[k] * h->push[(size_t)k * h->n + i];
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t j = 0; j < count; j++)
            c->at[all->list[k]].slope += h->coupling[k * count + j] * foi_fmax(all->p[j], 0);
    h->sim->restart = true;
}

// The slow ones stand still, or go apart.
static fo_status stand_still(foi_hold *h, foi_touch_list *c)
{
    group all = {0};
    bool found;
    for (uint32_t j = 0; j < c->count; j++)
        if (!c->at[j].gone) join(h, c, j, &all);
    if (!all.any) return FO_OK;
    fo_status status = resolve(h, &all, &found);
    if (status != FO_OK) return status;
    if (!found) return cannot(h, c->at[all.list[0]].guard);
    push_all(h, c, &all);
    return FO_OK;
}

static fo_status know_push(foi_hold *h, foi_touch_list *c, uint32_t j)
{
    const fo_state *s = &h->sim->state.s;
    foi_touching *one = &c->at[j];
    if (one->pushes) return FO_OK;
    h->slides = 0, h->rests = 1;
    h->surface[0] = (foi_surface){.guard = one->guard, .side = one->side};
    fo_status status = foi_hold_measure(h);
    if (status != FO_OK) return status;
    return foi_contact_push(h, 0, s->t, s->x, h->old_push + (size_t)j * h->n, &one->pushes);
}

// To the limit of impacts that weaken: all that are hit again and again, and none else, for that
// one may bounce. In the limit each of them stands still, and each has had its impulse; where the
// impulses that bring that about would not all push, these are not the impacts that go on for ever:
// *there stays false.
static fo_status go_to_limit(foi_hold *h, foi_touch_list *c, uint64_t since, bool *there)
{
    group all = {0};
    fo_status status = FO_OK;
    *there = false;
    for (uint32_t j = 0; j < c->count && status == FO_OK; j++) {
        if (!was_hit(h->sim, &c->at[j], since)) continue;
        status = know_push(h, c, j);
        if (status != FO_OK || !c->at[j].pushes) return status;
    }
    for (uint32_t j = 0; j < c->count && status == FO_OK; j++)
        if (was_hit(h->sim, &c->at[j], since)) join(h, c, j, &all);
    if (status == FO_OK) status = resolve(h, &all, there);
    for (uint32_t k = 0; k < all.count && *there; k++) *there = all.stays[k];
    if (status != FO_OK || !*there) return status;
    push_all(h, c, &all);
    for (uint32_t k = 0; k < all.count; k++) {
        foi_pulse *p = &h->sim->pulses[c->at[all.list[k]].guard];
        p->blow_at = h->sim->moments, p->blow = 0, p->blows = 0;
    }
    return FO_OK;
}

// ------------------------------------------------------------------------------ many impacts

// The last impact has left a part of the speed with which its contact came: always the same part?
static void learn_bounce(foi_touch_list *c)
{
    for (uint32_t j = 0; j < c->count && c->fires; j++) {
        foi_touching *one = &c->at[j];
        if (one->guard != c->last) continue;
        double part = one->slope / one->came;
        bool other = !(fabs(part - one->bounce) <= 0x1p-20 + one->tiny / one->came);
        if (one->known && other) one->varies = true;
        if (!one->known) one->bounce = foi_fmax(part, 0);
        one->known++;
    }
}

// Impacts one after the other, as the model's jumps would have them but without asking it, until
// none goes in that is fast enough to be seen, or one does of which too little is known. They add
// to p.
static void hit_all(const foi_hold *h, const foi_touch_list *c, group *all)
{
    enum { MOST = 1 << 20 };
    uint32_t count = all->count;
    for (uint32_t n = 0; n < MOST; n++) {
        uint32_t first = UINT32_MAX;
        for (uint32_t k = 0; k < count; k++)
            if (all->slope[k] < -c->at[all->list[k]].slow &&
                (first == UINT32_MAX || h->surface[k].guard < h->surface[first].guard))
                first = k;
        const foi_touching *one = first == UINT32_MAX ? NULL : &c->at[all->list[first]];
        if (!one || one->known < 2 || one->varies) return;
        double speed = -all->slope[first], p = speed * (1 + one->bounce);
        all->slowest[first] = all->p[first] > 0 ? foi_fmin(all->slowest[first], speed) : speed;
        all->fastest[first] = foi_fmax(all->fastest[first], speed);
        all->p[first] += p;
        for (uint32_t k = 0; k < count; k++) all->slope[k] += h->coupling[k * count + first] * p;
    }
}

// Whether the model would have left the same part of the speeds that were computed with: a law may
// be another one below some speed.
static fo_status is_law(foi_hold *h, foi_touch_list *c, const group *all, bool *is)
{
    enum { TRIES = 8 };
    const fo_state *s = &h->sim->state.s;
    fo_status status = FO_OK;
    *is = true;
    for (uint32_t k = 0; k < all->count && status == FO_OK; k++) {
        foi_touching *one = &c->at[all->list[k]];
        double range = all->fastest[k] / all->slowest[k], part = NAN;
        for (int i = 0; i <= TRIES && all->p[k] > 0 && status == FO_OK && !one->varies; i++) {
            double speed = all->slowest[k] * foi_pow(range, (double)i / TRIES);
            status = foi_contact_bounce(h, k, s->t, s->x, speed, &part);
            one->varies = !(fabs(part - one->bounce) <= 0x1p-16 + 16 * one->tiny / speed);
        }
        *is &= !one->varies;
    }
    return status == FO_ERROR_MEMORY ? status : FO_OK;
}

// Impacts between three and more bodies nest: each of one is followed by many of others, thousands
// in all. Once enough of them are seen to leave the same part of the speed each time, the rest are
// computed from that: *on when there were some.
static fo_status compute_impacts(foi_hold *h, foi_touch_list *c, bool *on)
{
    enum { ENOUGH = 16 };
    group all = {0};
    fo_status status = FO_OK;
    *on = false;
    if (c->fires < ENOUGH) return FO_OK;
    for (uint32_t j = 0; j < c->count && status == FO_OK; j++) {
        status = know_push(h, c, j);
        if (status == FO_OK && !c->at[j].pushes) return FO_OK;
    }
    for (uint32_t j = 0; j < c->count && status == FO_OK; j++) join(h, c, j, &all);
    h->slides = 0, h->rests = all.count;
    if (status == FO_OK) status = foi_hold_measure(h);
    if (status == FO_OK) status = foi_hold_couple(h, 0);
    if (status != FO_OK) return status == FO_ERROR_MEMORY ? status : FO_OK;
    hit_all(h, c, &all);
    for (uint32_t k = 0; k < all.count; k++) *on |= all.p[k] > 0;
    bool is = false;
    if (*on) status = is_law(h, c, &all, &is);
    *on = *on && status == FO_OK && is;
    if (*on) push_all(h, c, &all);
    return status;
}

fo_status foi_touch_settle(foi_hold *h, foi_touch_list *c, double limit, uint32_t *fire)
{
    uint32_t j;
    fo_status status;
    while ((status = look_at_all(h, c, limit, &j)) == FO_OK) {
        bool there = false;
        uint64_t since;
        *fire = j == UINT32_MAX ? j : c->at[j].guard;
        if (j == UINT32_MAX) return stand_still(h, c);
        learn_bounce(c);
        status = compute_impacts(h, c, &there);
        if (status == FO_OK && there) {
            c->last = UINT32_MAX;
            continue;
        }
        if (status == FO_OK && weakens(h->sim, &c->at[j], &since))
            status = go_to_limit(h, c, since, &there);
        if (status != FO_OK || !there) break;
    }
    if (status == FO_OK) c->fires++, c->last = *fire, c->at[j].came = -c->at[j].slope;
    return status;
}
