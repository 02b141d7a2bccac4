/// Which contacts rest from an instant on: what touches has its impacts until nothing goes in any
/// more, and of what stands still then those stay that are pressed.
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"
#include "simulation/look.h"

// ---------------------------------------------------------------------------------- what touches

// At the start a guard is at zero, or behind it for a contact that may go to side `from`, but for
// rounding errors and a small part of the tolerance.
static fo_status stands_at_start(foi_hold *h, uint32_t i, int from, bool *is)
{
    const fo_simulation *sim = h->sim;
    double g = sim->watch.guard[i].g;
    fo_status status = g == 0 ? FO_OK : foi_hold_measure(h);
    *is = g == 0;
    if (g == 0 || status != FO_OK) return status;
    // its terms may cancel where none of its derivatives says how large they are
    bool hides = fabs(g) <= sim->pulses[i].slack;
    *is = from * g <= 0 && (hides || fabs(g) <= foi_hold_reach(h, 0));
    return FO_OK;
}

// At the start a guard at zero may be a contact from either side, if none is its own.
fo_status foi_look_touches_at_start(foi_hold *h, foi_look *l, uint32_t i)
{
    int own = foi_hold_about(h, i)->direction;
    const fo_state *s = &h->sim->state.s;
    fo_status status = FO_OK;
    bool is = false;
    for (int from = 1; from >= -1 && status == FO_OK && !is; from -= 2) {
        if (own == from || l->touch.count == FOI_MOST_RESTS) continue;
        double *push = h->old_push + (size_t)l->touch.count * h->n;
        h->slides = 0, h->rests = 1;
        h->surface[0] = (foi_surface){.guard = i, .side = (int8_t)from};
        bool may = false;
        status = stands_at_start(h, i, from, &may);
        if (status == FO_OK && may) status = foi_touch_may(h, &may);
        if (status != FO_OK || !may) continue;
        status = foi_contact_push(h, 0, s->t, s->x, push, &is);
        if (status != FO_OK || !is) continue;
        h->sim->pulses[i].way = (int8_t)-from, h->sim->pulses[i].contact = (int8_t)from;
        foi_touch_add(&l->touch, (foi_touching){.guard = i, .side = (int8_t)from, .pushes = true});
    }
    return status;
}

// A guard that has acted at this instant, or before and is still at zero, or accumulates.
bool foi_look_may_touch(const fo_simulation *sim, const foi_look *l, uint32_t i)
{
    const foi_pulse *p = &sim->pulses[i];
    const foi_guard_side *is = &sim->watch.guard[i];
    if (!p->way || sim->watch.about[i]->rests) return false;
    if (foi_rest_recent(sim, i, sim->state.s.t) || is->side == 0) return true;
    double near =
        FOI_BEHIND * foi_hold_tolerance(sim, 0); // the watch knows no gradient: a first guess
    if (fabs(is->g) <= foi_fmax(64 * p->slack, near)) return true;
    return l && l->zeno && foi_look_companion(sim, i, l->limit);
}

// Of one that has not acted at this instant the first guess has the unit of states, not that of the
// guard: whether it touches is measured.
static fo_status add_near(foi_hold *h, foi_look *l, const foi_touching *one)
{
    fo_simulation *sim = h->sim;
    bool near = true, sure = one->zeno || sim->pulses[one->guard].fired ||
                             sim->watch.guard[one->guard].side == 0 ||
                             foi_rest_recent(sim, one->guard, sim->state.s.t);
    fo_status status = sure ? FO_OK : foi_touch_is_near(h, one, l->limit, &near);
    if (status == FO_OK && near) foi_touch_add(&l->touch, *one);
    return status;
}

static fo_status gather_touching(foi_hold *h, foi_look *l, bool start)
{
    fo_simulation *sim = h->sim;
    fo_status status = FO_OK;
    bool moved = !start && !foi_look_unmoved(sim);
    // What began above zero by a rounding error is too slow there for its jump to change anything.
    // Only where a truth of the guard is held: what is known of a contact stops it then.
    bool begins = sim->state.s.t - sim->def.start <= 64 * foi_hold_grain(sim);
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++) {
        foi_pulse *p = &sim->pulses[i];
        if (moved && p->fired && !p->contact) p->contact = (int8_t)-p->way;
        bool zeno = p->zeno || (l->zeno && foi_look_companion(sim, i, l->limit));
        foi_touching one = {.guard = i, .side = p->contact, .zeno = zeno};
        if (!one.side) one.side = (int8_t)-p->way;
        bool there = sim->watch.guard[i].side == 0 || p->behind;
        if (start && there && !foi_hold_about(h, i)->rests)
            status = foi_look_touches_at_start(h, l, i);
        else if (foi_look_may_touch(sim, l, i) &&
                 (!p->passes || (begins && sim->watch.guard[i].held)))
            status = add_near(h, l, &one);
    }
    return status;
}

// The usual case: one guard has had one jump, and nothing else is near.
static fo_status rests_alone(foi_hold *h, foi_look *l, bool *rests)
{
    fo_simulation *sim = h->sim;
    foi_touching *one = &l->touch.at[0];
    foi_pulse *p = &sim->pulses[one->guard];
    double limit = sim->state.s.t;
    fo_status status = FO_OK;
    *rests = false;
    if (!foi_look_unmoved(sim))
        status = foi_rest_test(h, one->guard, p->zeno, h->old_push, &one->side, &limit, rests);
    else if (p->fired)
        status = foi_rest_still(h, one->guard, one->side, h->old_push, rests);
    if (!*rests && p->fired && foi_look_unmoved(sim)) p->depth = 0; // nothing has stopped it
    if (*rests && !p->zeno) l->limit = foi_fmax(l->limit, limit);
    return status;
}

static void list_rest(foi_hold *h, foi_look *l, uint32_t j)
{
    const foi_touching *one = &l->touch.at[j];
    memmove(h->old_push + (size_t)l->rests * h->n, h->old_push + (size_t)j * h->n,
            h->n * sizeof *h->old_push);
    l->was_rest[l->rests] = one->was, l->rest_ended[l->rests] = one->ended;
    l->hop[l->rests] = *one;
    l->rest[l->rests++] = (foi_surface){.guard = one->guard, .side = one->side};
}

// What had rested, or bounced, and leaves.
static fo_status leave(foi_hold *h, const foi_touching *one)
{
    const fo_system *system = &h->sim->system;
    fo_status status = FO_OK;
    memset(h->sides, 0, h->guards);
    h->sides[one->guard] = one->side;
    if (system->type->side) status = system->type->side(system->model, &h->sim->state.s, h->sides);
    foi_surface on = {.guard = one->guard, .side = one->side};
    if (status != FO_OK || !one->was) return status;
    return foi_hold_tell(h, FO_REST_END, &on, on.side, "a jump has set it in motion");
}

// A contact that goes in although its guard is past its moment: its jump, once more.
// All others that touch have theirs from here, too, when it is their turn, and not from the model.
static fo_status fire(fo_simulation *sim, uint32_t guard, bool *stop)
{
    const fo_system *system = &sim->system;
    int8_t *sides = sim->hold->sides;
    foi_pulse *p = &sim->pulses[guard];
    int way = -p->contact;
    fo_state *s = &sim->state.s;
    fo_status status = system->type->guards(system->model, s, s->t, s->x, sim->hold->g);
    if (status != FO_OK) return status;
    p->slack = foi_fmax(p->slack, 4 * fabs(sim->hold->g[guard]));
    status = foi_gather_contact(sim, guard, way);
    memset(sides, 0, sim->hold->guards);
    for (uint32_t i = 0; i < sim->hold->guards; i++)
        if (sim->pulses[i].blow_t == s->t) sides[i] = FO_STAND_KEPT;
    sides[guard] = way > 0 ? FO_STAND_SEEN_BELOW : FO_STAND_SEEN_ABOVE;
    sim->watch.guard[guard] = (foi_guard_side){.rests = true, .slack = p->slack};
    if (status == FO_OK && system->type->side) status = system->type->side(system->model, s, sides);
    return status == FO_OK ? foi_happen(sim, stop) : status;
}

static fo_status know_contacts(foi_hold *h, foi_touch_list *c)
{
    const fo_simulation *sim = h->sim;
    fo_status status = FO_OK;
    if (foi_look_unmoved(sim)) return FO_OK;
    for (uint32_t j = 0; j < c->count && status == FO_OK; j++) {
        foi_touching *one = &c->at[j];
        if (!sim->pulses[one->guard].fired || !one->side) continue;
        status = foi_rest_know(h, one->guard, one->side, &one->part, &one->turned);
    }
    return status == FO_ERROR_MEMORY ? status : FO_OK; // where it is only tried
}

// Impacts, one after the other, until nothing goes in any more; then what may rest.
fo_status foi_look_gather_rests(foi_hold *h, foi_look *l, bool start, bool *stop)
{
    fo_simulation *sim = h->sim;
    bool rests = false;
    foi_said before;
    foi_look_keep_said(sim, &before);
    fo_status status = foi_look_tried(sim, &before, gather_touching(h, l, start));
    bool one = l->touch.count == 1 && !l->touch.at[0].was && !start;
    if (status == FO_OK && one && sim->state.s.k == sim->good.s.k + 1) {
        const foi_touching *hit = &l->touch.at[0];
        status = foi_rest_doubt(h, hit->guard, hit->side);
        if (status == FO_OK) status = foi_look_tried(sim, &before, rests_alone(h, l, &rests));
        if (status == FO_OK && rests) list_rest(h, l, 0);
        return status;
    }
    if (status == FO_OK) status = know_contacts(h, &l->touch);
    for (uint32_t guard; status == FO_OK && l->touch.count && !*stop;) {
        status = foi_touch_settle(h, &l->touch, l->limit, &guard);
        if (status != FO_OK || guard == UINT32_MAX) break;
        l->fired = true;
        status = fire(sim, guard, stop);
        if (status == FO_OK) status = gather_touching(h, l, false);
    }
    for (uint32_t j = 0; j < l->touch.count && status == FO_OK; j++) {
        if (l->touch.at[j].gone)
            status = leave(h, &l->touch.at[j]);
        else
            list_rest(h, l, j);
    }
    return status;
}

// ---------------------------------------------------------------------------- which of them rest

static fo_status leave_rest(foi_hold *h, uint32_t j, bool was)
{
    uint32_t k = h->slides + j;
    foi_surface on = h->surface[k];
    fo_status status = foi_hold_put(h, k, on.side);
    for (uint32_t i = 0; i < h->guards; i++) {
        if (h->owner[i] == k + 1) {
            foi_guard_side *guard = &h->sim->watch.guard[i];
            double slack = guard->rests && !was ? guard->slack : 0; // where it has just been hit
            foi_hold_stand(h, i);
            guard->slack = foi_fmax(guard->slack, slack);
            h->owner[i] = 0;
        } else if (h->owner[i] > k + 1) {
            h->owner[i]--;
        }
    }
    for (uint32_t i = k; i + 1 < h->slides + h->rests; i++) {
        h->surface[i] = h->surface[i + 1];
        memcpy(h->push + (size_t)i * h->n, h->push + ((size_t)i + 1) * h->n,
               h->n * sizeof *h->push);
    }
    h->rests--;
    h->leaves |= was;
    if (status != FO_OK || !was) return status;
    return foi_hold_tell(h, FO_REST_END, &on, on.side, "nothing presses it any more");
}

static void list_rests(foi_hold *h, const foi_look *l)
{
    h->rests = l->rests;
    for (uint32_t j = 0; j < l->rests; j++) {
        uint32_t k = h->slides + j;
        h->surface[k] = l->rest[j];
        h->owner[l->rest[j].guard] = (uint8_t)(k + 1), h->turn[l->rest[j].guard] = 1;
        memcpy(h->push + (size_t)k * h->n, h->old_push + (size_t)j * h->n, h->n * sizeof *h->push);
    }
}

static fo_status cannot_rest(const foi_hold *h)
{
    fo_simulation *sim = h->sim;
    return fo_fail(&sim->message, FO_ERROR_MODEL,
                   "at t = %.15g '%s'%s cannot be held at zero: no forces in the directions of "
                   "the jumps keep all contacts closed or let them open",
                   sim->state.s.t, foi_hold_about(h, h->surface[h->slides].guard)->name,
                   h->rests > 1 ? " and the contacts beside it" : "");
}

// A hop against the force that presses all that has touched, while the others stay.
static bool is_seen(const fo_simulation *sim, const foi_touching *one, double speed, double force)
{
    return !foi_rest_hop_within(speed, force, one->low) &&
           2 * speed > force * foi_rest_briefest(sim);
}

// The hops that cannot be seen, of which the next one takes `hop`, have an end.
static double end_of_hops(const fo_simulation *sim, const foi_touching *one, double hop)
{
    const foi_pulse *p = &sim->pulses[one->guard];
    double ratio = p->ratio;
    // after the first impacts their speeds say more, late in a series its intervals do
    if (!p->shrinking && one->part > 0 && one->part < 1) ratio = one->part;
    return ratio < 1 ? sim->state.s.t + hop / (1 - ratio) : sim->state.s.t;
}

// Which contacts stay, with the forces of now. One that nothing presses goes where its hop carries
// it.
static fo_status sort_rests(foi_hold *h, foi_look *l, bool *stays)
{
    const fo_state *s = &h->sim->state.s;
    double second[FOI_MOST_RESTS], lambda[FOI_MOST_RESTS], alpha[FOI_MOST_SLIDES];
    double *f = h->old_push, slack = 0; // copied by now
    fo_status status = foi_hold_couple(h, 0);
    if (status == FO_OK) status = foi_hold_combine(h, s->t, s->x, f, alpha);
    if (status == FO_OK) status = foi_hold_second(h, s->t, s->x, f, second);
    if (status == FO_ERROR_MEMORY) return status;
    if (status == FO_OK) slack = foi_contact_slack(h);
    if (status != FO_OK || !foi_contact_sort(h, second, slack, stays, lambda))
        return cannot_rest(h);
    double limit = l->limit;
    bool all = true;
    for (uint32_t j = 0; j < h->rests; j++) {
        const foi_touching *one = &l->hop[j];
        double speed = one->zeno ? 0 : one->slope,
               force = lambda[j] * h->coupling[j * h->rests + j];
        bool outward = one->slope > one->tiny;
        if (outward && (lambda[j] <= slack || is_seen(h->sim, one, speed, force))) stays[j] = false;
        if (outward && speed > 0)
            limit = foi_fmax(limit, end_of_hops(h->sim, one, 2 * speed / force));
        all &= stays[j];
    }
    if (all) l->limit = limit;
    return FO_OK;
}

// Contacts that would have to be pulled are let go; one whose end was located here too, whatever
// rounding errors say.
fo_status foi_look_try_rests(foi_hold *h, foi_look *l)
{
    bool differ, stays[FOI_MOST_RESTS];
    list_rests(h, l);
    fo_status status = foi_hold_measure(h);
    if (status == FO_OK && h->slides) status = foi_hold_modes(h, &differ);
    for (uint32_t j = 0; j < h->rests && status == FO_OK; j++)
        status = foi_hold_weigh(h, h->slides + j);
    while (status == FO_OK && h->rests) {
        uint32_t leaving = 0;
        if ((status = sort_rests(h, l, stays)) != FO_OK) break;
        for (uint32_t j = 0; j < h->rests; j++) leaving += !stays[j];
        for (uint32_t j = 0; j < h->rests && !leaving; j++) stays[j] = !l->rest_ended[j];
        for (uint32_t j = h->rests; j-- > 0 && status == FO_OK;) {
            if (stays[j]) continue;
            leaving++;
            status = leave_rest(h, j, l->was_rest[j]);
            for (uint32_t i = j; i < h->rests; i++)
                l->was_rest[i] = l->was_rest[i + 1], l->rest_ended[i] = l->rest_ended[i + 1],
                l->hop[i] = l->hop[i + 1];
        }
        if (!leaving) break;
    }
    return status;
}
