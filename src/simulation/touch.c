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

// Impacts of one instant become weaker by much the same factor, again and again.
static bool weakens(fo_simulation *sim, const foi_touching *one)
{
    enum { STEADY = 4 };
    foi_pulse *p = &sim->pulses[one->guard];
    double speed = -one->slope, ratio = speed / p->blow;
    if (p->blow_t != sim->state.s.t || !(p->blow > 0)) p->blows = 0, ratio = INFINITY;
    bool steady = ratio < 1 - 0x1p-12 && fabs(ratio - p->blow_ratio) <= 0x1p-6 * (1 - ratio);
    p->blows = steady ? p->blows + 1 : 0;
    p->blow = speed, p->blow_ratio = ratio, p->blow_t = sim->state.s.t;
    return p->blows >= STEADY;
}

static bool is_steady(const fo_simulation *sim, const foi_touching *one)
{
    const foi_pulse *p = &sim->pulses[one->guard];
    double t = sim->state.s.t;
    return (p->blow_t == t && p->blows >= 2) || p->limit_t == t;
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
    if (status == FO_OK) status = system->type->guards(system->model, now, now->t, now->x, h->g);
    if (status != FO_OK) return status;
    double reach = foi_rest_reach(h, 0);
    one->tiny = foi_fmax(0x1p-40 * on->pace, 32 * foi_hold_grain(sim) * on->force);
    double low = foi_hold_blur(h, 0) + FOI_HELD_PART * (reach - foi_hold_blur(h, 0));
    one->slow = foi_fmax(sqrt(2 * on->force * low), on->force * foi_rest_briefest(sim) / 2);
    one->slow = one->zeno ? INFINITY : foi_fmax(one->slow, one->tiny);
    if (one->zeno) reach += 8 * on->pace * (limit - now->t);
    one->hop = on->force > 0 ? 2 * one->slope / on->force : 0;
    // behind zero it can only be by an error of the solver, or of locating it
    double g = one->side * h->g[one->guard];
    if (g < 0) {
        reach = foi_fmax(reach, FOI_BEHIND * foi_rest_tolerance(h, 0));
        one->slow = foi_fmax(one->slow, sqrt(-8 * on->force * g)); // a hop that would end behind it
    }
    // what nothing moves needs nothing to hold it
    bool moves = on->force > 0 || on->pace > 0 || one->slope != 0;
    *near = (fabs(g) <= reach && moves) || one->was;
    return FO_OK;
}

fo_status foi_touch_may(foi_hold *h, bool *may)
{
    foi_touching one = {.guard = h->surface[0].guard, .side = h->surface[0].side};
    uint8_t held = h->sim->watch.guard[one.guard].held;
    bool near;
    *may = false;
    fo_status status = measure(h, &one, h->sim->state.s.t, &near);
    if (status != FO_OK || !near) return status;
    bool kept = held & (one.side > 0 ? FO_BELOW : FO_ABOVE);
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
    fo_status status = foi_contact_slope(h, 0, &h->probe.s, h->probe.s.x, s->t, &after);
    *is = status == FO_OK && after >= 0x1p-20 * one->slope;
    return status;
}

// What is known to be a contact may never be far behind zero.
static void note_contact(const foi_hold *h, const foi_touching *one, bool is)
{
    foi_pulse *p = &h->sim->pulses[one->guard];
    p->contact = is ? one->side : 0;
    if (!is)
        p->depth = 0;
    else if (one->slope < 0 || one->pushes)
        p->depth = foi_fmax(p->depth, 2 * FOI_BEHIND * foi_rest_tolerance(h, 0));
}

// Measures all of them. *fire becomes the first that goes in and can be seen to; those that do not
// touch, or are no contacts, or leave, are dropped.
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
        bool slow = fabs(one->slope) <= one->slow;
        if (near && !slow && one->slope < 0) {
            status = turns(h, one, &is);
            if (is && *fire == UINT32_MAX) *fire = j;
        } else if (near && slow && !one->pushes) {
            status = foi_contact_push(h, 0, s->t, s->x, h->old_push + (size_t)j * h->n, &is);
            one->pushes = is;
        }
        if (status == FO_OK && near) note_contact(h, one, is);
        bool leaves = !near || !is || (one->slope > 0 && !slow), keeps = is_steady(h->sim, one);
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

// The slow ones stand still, or go apart; or those whose impacts weaken.
static fo_status stand_still(foi_hold *h, foi_touch_list *c, bool weak)
{
    fo_simulation *sim = h->sim;
    fo_state *s = &sim->state.s;
    uint32_t list[FOI_MOST_RESTS], count = 0;
    double slope[FOI_MOST_RESTS], p[FOI_MOST_RESTS], slack = 0;
    bool stays[FOI_MOST_RESTS], any = false;
    for (uint32_t j = 0; j < c->count; j++) {
        const foi_touching *one = &c->at[j];
        if (weak ? !is_steady(sim, one) || !one->pushes : one->gone) continue;
        slope[count] = one->slope, slack = foi_fmax(slack, 0x1p-10 * one->tiny);
        any |= one->slope < -one->tiny;
        h->surface[count] = (foi_surface){.guard = one->guard, .side = one->side};
        memcpy(h->push + (size_t)count * h->n, push_at(h, j), h->n * sizeof *h->push);
        list[count++] = j;
    }
    if (!any) return FO_OK;
    h->slides = 0, h->rests = count;
    fo_status status = foi_hold_measure(h);
    if (status == FO_OK) status = foi_hold_couple(h, 0);
    if (status == FO_ERROR_MEMORY) return status;
    if (status != FO_OK || !foi_contact_sort(h, slope, slack, stays, p))
        return cannot(h, c->at[list[0]].guard);
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < h->n && p[k] > 0; i++)
            s->x[i] += p[k] * h->push[(size_t)k * h->n + i];
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t j = 0; j < count; j++)
            c->at[list[k]].slope += h->coupling[k * count + j] * foi_fmax(p[j], 0);
    sim->restart = true;
    return FO_OK;
}

// To the limit of impacts that weaken: those that do, all together.
static fo_status go_to_limit(foi_hold *h, foi_touch_list *c)
{
    const fo_state *s = &h->sim->state.s;
    fo_status status = FO_OK;
    for (uint32_t j = 0; j < c->count && status == FO_OK; j++) {
        foi_touching *one = &c->at[j];
        if (one->pushes || !is_steady(h->sim, one)) continue;
        h->slides = 0, h->rests = 1;
        h->surface[0] = (foi_surface){.guard = one->guard, .side = one->side};
        status = foi_hold_measure(h);
        if (status == FO_OK)
            status =
                foi_contact_push(h, 0, s->t, s->x, h->old_push + (size_t)j * h->n, &one->pushes);
    }
    if (status == FO_OK) status = stand_still(h, c, true);
    for (uint32_t j = 0; j < c->count; j++) {
        foi_pulse *p = &h->sim->pulses[c->at[j].guard];
        if (!is_steady(h->sim, &c->at[j])) continue;
        p->limit_t = s->t, p->blow = 0, p->blows = 0;
    }
    return status;
}

fo_status foi_touch_settle(foi_hold *h, foi_touch_list *c, double limit, uint32_t *fire)
{
    uint32_t j;
    fo_status status;
    while ((status = look_at_all(h, c, limit, &j)) == FO_OK) {
        *fire = j == UINT32_MAX ? j : c->at[j].guard;
        if (j == UINT32_MAX) return stand_still(h, c, false);
        if (!weakens(h->sim, &c->at[j])) return FO_OK;
        if ((status = go_to_limit(h, c)) != FO_OK) break;
    }
    return status;
}
