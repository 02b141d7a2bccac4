/// What is held from an instant on: guards that stand at zero after its jumps are looked at, and
/// what was held before is looked at again.
#include <float.h>
#include <math.h>
#include <string.h>

#include "simulation/internal.h"

// ---------------------------------------------------------------------------------- candidates

/// What may be held from this instant on.
typedef struct look {
    foi_surface slide[FOI_MOST_HELD], rest[FOI_MOST_HELD];
    bool was_slide[FOI_MOST_HELD], was_rest[FOI_MOST_HELD];
    bool only_beside[FOI_MOST_HELD]; ///< slides only together with another guard
    bool ended[FOI_MOST_HELD], rest_ended[FOI_MOST_HELD]; ///< whose end was located here
    uint32_t slides, rests;
    bool outward[FOI_MOST_RESTS]; ///< a contact that a hop, too low to be seen, carries away
    foi_touch_list touch;         ///< all that may rest
    bool fired;                   ///< some of them had their jumps once more
    bool stuck;                   ///< the model cannot go on by itself
    double limit; ///< of impacts or crossings that accumulate; the present otherwise
    bool zeno;    ///< they do
    uint32_t zeno_guard;
} look;

/// What the simulation has said so far, which attempts that fail may not change. Usually nothing,
/// and nothing is copied then: every event comes here.
typedef struct said {
    bool nothing;
    fo_message message;
} said;

static void keep_said(const fo_simulation *sim, said *before)
{
    before->nothing = sim->message.status == FO_OK && !sim->message.text[0];
    if (!before->nothing) before->message = sim->message;
}

static void say_again(fo_simulation *sim, const said *before)
{
    if (before->nothing)
        sim->message.status = FO_OK, sim->message.text[0] = 0;
    else
        sim->message = before->message;
}

// What cannot be evaluated where it is only tried does not hold anything.
static fo_status tried(fo_simulation *sim, const said *before, fo_status status)
{
    if (status == FO_OK || status == FO_ERROR_MEMORY) return status;
    say_again(sim, before);
    return FO_OK;
}

static void begin_look(look *l)
{
    l->slides = l->rests = l->touch.count = 0;
    l->stuck = l->zeno = l->fired = false;
    memset(l->only_beside, 0, sizeof l->only_beside);
    memset(l->ended, 0, sizeof l->ended);
    memset(l->rest_ended, 0, sizeof l->rest_ended);
}

static bool add_slide(look *l, uint32_t guard, int side, bool was)
{
    for (uint32_t k = 0; k < l->slides; k++)
        if (l->slide[k].guard == guard) return true;
    if (l->slides == FOI_MOST_HELD) return false;
    l->was_slide[l->slides] = was;
    l->slide[l->slides++] = (foi_surface){.guard = guard, .side = (int8_t)side};
    return true;
}

// A guard has crossed and nothing was put elsewhere: does the new mode carry it on? If not it may
// slide. By a difference along the rates; what rounding hides counts as not. *far: it does not even
// stand at zero.
static fo_status is_carried(foi_hold *h, uint32_t guard, int way, double part, bool *on, bool *far)
{
    const fo_simulation *sim = h->sim;
    const fo_state *s = &sim->state.s;
    const fo_system *system = &sim->system;
    double span = foi_run_scale(&sim->def), by = part * span, *x = h->work, *f = h->rate;
    if (s->t + by > sim->def.stop) by = 0x1p-40 * span;
    fo_status status = system->type->rates(system->model, s, s->t, s->x, f);
    if (status == FO_OK) status = system->type->guards(system->model, s, s->t, s->x, h->g);
    if (status != FO_OK) return status;
    double before = h->g[guard];
    for (uint32_t i = 0; i < h->n; i++) x[i] = s->x[i] + by * f[i];
    status = system->type->guards(system->model, s, s->t + by, x, h->g);
    double change = way * (h->g[guard] - before);
    *on = change > 64 * DBL_EPSILON * fabs(before) && change > 0;
    // one that has jumped across zero does not stand there
    double reach = 0x1p10 * foi_hold_grain(sim) * fabs(change) / by + 4 * sim->pulses[guard].slack;
    if (status != FO_OK || fabs(before) <= reach) return status;
    double size;
    status = foi_rest_size(h, guard, &size);
    if (fabs(before) > reach + 64 * DBL_EPSILON * size) *on = *far = true;
    return status;
}

static bool unmoved(const fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    for (uint32_t i = 0; i < s->shape.states; i++)
        if (s->x[i] != sim->good.s.x[i]) return false;
    return true;
}

static fo_status is_carried_on(foi_hold *h, uint32_t guard, int way, bool *on, bool *far)
{
    *far = false;
    fo_status status = is_carried(h, guard, way, 0x1p-24, on, far);
    return status == FO_OK && !*on ? is_carried(h, guard, way, 0x1p-34, on, far) : status;
}

// Crossings that accumulate where this one does.
static bool companion(const fo_simulation *sim, uint32_t i, double limit)
{
    const foi_pulse *p = &sim->pulses[i];
    if (p->shrinking < 3 || !(p->ratio < 1)) return false;
    double its = p->last + p->interval * p->ratio / (1 - p->ratio);
    return fabs(its - limit) <= fmax(limit - sim->state.s.t, 64 * foi_hold_grain(sim));
}

static fo_status gather_slides(foi_hold *h, look *l, bool start)
{
    fo_simulation *sim = h->sim;
    fo_status status = FO_OK;
    bool still = start || (!l->fired && unmoved(sim));
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++) {
        foi_pulse *p = &sim->pulses[i];
        bool on = false, far;
        if (start &&
            sim->watch.guard[i].side == 0) { // one that leaves zero has a moment of its own
            status = is_carried_on(h, i, 1, &on, &far);
            if (status == FO_OK && !on) status = is_carried_on(h, i, -1, &on, &far);
            if (status == FO_OK && !on) add_slide(l, i, -1, false);
            p->passes = on;
        }
        if (p->stuck) l->stuck = true, add_slide(l, i, p->way, false);
        if (l->zeno && still && (i == l->zeno_guard || companion(sim, i, l->limit)))
            add_slide(l, i, p->way, false);
        if (!p->fired || !still) continue;
        status = is_carried_on(h, i, p->way, &on, &far);
        p->passes = on;
        // beside a slide it is carried by all modes together, not by the one that was asked
        bool beside = l->slides && l->slides < FOI_MOST_SLIDES && !far;
        if (status == FO_OK && (!on || beside)) add_slide(l, i, p->way, false);
    }
    return status;
}

// ------------------------------------------------------------------------------ what was held

// A surface that a jump has moved off: its guard is where it is, and what crossed fires.
static fo_status moved_off(foi_hold *h, uint32_t k, double g, bool rest)
{
    fo_simulation *sim = h->sim;
    const foi_surface *on = &h->surface[k];
    int came = on->side ? on->side : -1;
    fo_status status = foi_hold_put(h, k, (int8_t)came);
    for (uint32_t i = 0; i < h->guards; i++)
        if (h->owner[i] == k + 1)
            sim->watch.guard[i] = (foi_guard_side){.side = (int8_t)(came * h->turn[i])};
    if (status != FO_OK) return status;
    return foi_hold_tell(h, rest ? FO_REST_END : FO_SLIDE_END, on, g > 0 ? 1 : -1,
                         "a jump has moved it");
}

static void keep_rest(foi_hold *h, look *l, uint32_t k)
{
    const foi_surface *on = &h->surface[k];
    memcpy(h->old_push + (size_t)l->touch.count * h->n, h->push + (size_t)k * h->n,
           h->n * sizeof *h->push);
    h->sim->pulses[on->guard].contact = on->side;
    foi_touch_add(&l->touch, (foi_touching){.guard = on->guard,
                                            .side = on->side,
                                            .was = true,
                                            .ended = h->exits[k],
                                            .pushes = true});
}

static fo_status keep(foi_hold *h, look *l)
{
    fo_simulation *sim = h->sim;
    const fo_system *system = &sim->system;
    const fo_state *now = &sim->state.s, *then = &sim->good.s;
    double *g = h->bound, value[FOI_MOST_HELD]; // slopes, taken below, write over all of h->bound
    double was[FOI_MOST_HELD];
    uint32_t slides = h->slides, all = h->slides + h->rests;
    fo_status status = system->type->guards(system->model, then, then->t, then->x, g);
    for (uint32_t k = 0; k < all && status == FO_OK; k++) was[k] = g[h->surface[k].guard];
    if (status == FO_OK) status = system->type->guards(system->model, now, now->t, now->x, g);
    for (uint32_t k = 0; k < all && status == FO_OK; k++) value[k] = g[h->surface[k].guard];
    for (uint32_t k = 0; k < all && status == FO_OK; k++) {
        // where it stood, it stood at zero; nothing of this instant happened elsewhere
        double reach = foi_hold_reach(h, k) + (then->t == now->t ? 4 * fabs(was[k]) : 0);
        if (fabs(value[k]) > reach)
            status = moved_off(h, k, value[k], k >= slides);
        else if (k < slides)
            l->ended[l->slides] = h->exits[k],
            add_slide(l, h->surface[k].guard, h->surface[k].side, true);
        else
            keep_rest(h, l, k);
    }
    return status;
}

// --------------------------------------------------------------------------- what touches

// At the start a guard at zero may be a contact from either side, if none is its own.
static fo_status touches_at_start(foi_hold *h, look *l, uint32_t i)
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
        bool may;
        status = foi_touch_may(h, &may);
        if (status != FO_OK || !may) continue;
        status = foi_contact_push(h, 0, s->t, s->x, push, &is);
        if (status != FO_OK || !is) continue;
        h->sim->pulses[i].way = (int8_t)-from, h->sim->pulses[i].contact = (int8_t)from;
        foi_touch_add(&l->touch, (foi_touching){.guard = i, .side = (int8_t)from, .pushes = true});
    }
    return status;
}

// A guard that has acted at this instant, or before and is still at zero, or accumulates.
static bool may_touch(const fo_simulation *sim, const look *l, uint32_t i)
{
    const foi_pulse *p = &sim->pulses[i];
    const foi_guard_side *is = &sim->watch.guard[i];
    if (!p->way || sim->watch.about[i]->rests) return false;
    if (foi_rest_recent(sim, i, sim->state.s.t) || is->side == 0) return true;
    double near =
        FOI_BEHIND * foi_hold_tolerance(sim, 0); // the watch knows no gradient: a first guess
    if (fabs(is->g) <= fmax(64 * p->slack, near)) return true;
    return l && l->zeno && companion(sim, i, l->limit);
}

static fo_status gather_touching(foi_hold *h, look *l, bool start)
{
    fo_simulation *sim = h->sim;
    fo_status status = FO_OK;
    bool moved = !start && !unmoved(sim);
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++) {
        foi_pulse *p = &sim->pulses[i];
        if (moved && p->fired && !p->contact) p->contact = (int8_t)-p->way;
        bool zeno = p->zeno || (l->zeno && companion(sim, i, l->limit));
        foi_touching one = {.guard = i, .side = p->contact, .zeno = zeno};
        if (!one.side) one.side = (int8_t)-p->way;
        if (start && sim->watch.guard[i].side == 0 && !foi_hold_about(h, i)->rests)
            status = touches_at_start(h, l, i);
        else if (may_touch(sim, l, i) && !p->passes)
            foi_touch_add(&l->touch, one);
    }
    return status;
}

// The usual case: one guard has had one jump, and nothing else is near.
static fo_status rests_alone(foi_hold *h, look *l, bool *rests)
{
    fo_simulation *sim = h->sim;
    foi_touching *one = &l->touch.at[0];
    foi_pulse *p = &sim->pulses[one->guard];
    double limit = sim->state.s.t;
    fo_status status = FO_OK;
    *rests = false;
    if (!unmoved(sim))
        status = foi_rest_test(h, one->guard, p->zeno, h->old_push, &one->side, &limit, rests);
    else if (p->fired)
        status = foi_rest_still(h, one->guard, one->side, h->old_push, rests);
    if (*rests && !p->zeno) l->limit = fmax(l->limit, limit);
    return status;
}

static void list_rest(foi_hold *h, look *l, uint32_t j)
{
    const foi_touching *one = &l->touch.at[j];
    const foi_pulse *p = &h->sim->pulses[one->guard];
    memmove(h->old_push + (size_t)l->rests * h->n, h->old_push + (size_t)j * h->n,
            h->n * sizeof *h->old_push);
    l->was_rest[l->rests] = one->was, l->rest_ended[l->rests] = one->ended;
    l->outward[l->rests] = one->slope > one->tiny;
    l->rest[l->rests++] = (foi_surface){.guard = one->guard, .side = one->side};
    if (!one->zeno && one->hop > 0 && p->ratio < 1)
        l->limit = fmax(l->limit, h->sim->state.s.t + one->hop / (1 - p->ratio));
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
    p->slack = fmax(p->slack, 4 * fabs(sim->hold->g[guard]));
    status = foi_gather_contact(sim, guard, way);
    memset(sides, 0, sim->hold->guards);
    for (uint32_t i = 0; i < sim->hold->guards; i++)
        if (sim->pulses[i].blow_t == s->t) sides[i] = FO_STAND_KEPT;
    sides[guard] = way > 0 ? FO_STAND_SEEN_BELOW : FO_STAND_SEEN_ABOVE;
    sim->watch.guard[guard] = (foi_guard_side){.rests = true, .slack = p->slack};
    if (status == FO_OK && system->type->side) status = system->type->side(system->model, s, sides);
    return status == FO_OK ? foi_happen(sim, stop) : status;
}

// Impacts, one after the other, until nothing goes in any more; then what may rest.
static fo_status gather_rests(foi_hold *h, look *l, bool start, bool *stop)
{
    fo_simulation *sim = h->sim;
    bool rests = false;
    said before;
    keep_said(sim, &before);
    fo_status status = tried(sim, &before, gather_touching(h, l, start));
    bool one = l->touch.count == 1 && !l->touch.at[0].was && !start;
    if (status == FO_OK && one && sim->state.s.k == sim->good.s.k + 1) {
        const foi_touching *hit = &l->touch.at[0];
        status = foi_rest_doubt(h, hit->guard, hit->side);
        if (status == FO_OK) status = tried(sim, &before, rests_alone(h, l, &rests));
        if (status == FO_OK && rests) list_rest(h, l, 0);
        return status;
    }
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

// ------------------------------------------------------------------------------ one out of several

// Guards whose zero is the same surface: gradients that are parallel, and both at zero.
static double parallel(const foi_hold *h, uint32_t a, uint32_t b)
{
    double ab = 0, aa = 0, bb = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        double p = h->gradient[(size_t)a * h->n + i] * h->size[i];
        double q = h->gradient[(size_t)b * h->n + i] * h->size[i];
        ab += p * q, aa += p * p, bb += q * q;
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

// All guards that stand at zero there become candidates too, then those of one surface are joined.
// The surfaces are left in h, [0, slides).
static fo_status join(foi_hold *h, look *l)
{
    fo_simulation *sim = h->sim;
    memset(h->owner, 0, h->guards);
    h->slides = 0, h->rests = l->slides;
    memcpy(h->surface, l->slide, l->slides * sizeof *h->surface);
    fo_status status = foi_hold_measure(h);
    if (status != FO_OK) return status;
    uint32_t count = 0, from[FOI_MOST_HELD];
    for (uint32_t k = 0; k < l->slides; k++) {
        uint32_t same = 0;
        if (!(parallel(h, k, k) > 0.5)) continue; // of time alone: not a surface of states
        while (same < count && fabs(parallel(h, from[same], k)) < 1 - 0x1p-20) same++;
        if (same == count && l->only_beside[k]) continue;
        if (same == FOI_MOST_SLIDES)
            return fo_fail(&sim->message, FO_ERROR_MODEL,
                           "at t = %.15g the solution would slide along more than %d surfaces at "
                           "once, '%s' among them",
                           sim->state.s.t, FOI_MOST_SLIDES,
                           foi_hold_about(h, l->slide[k].guard)->name);
        if (same == count) from[count++] = k;
        uint32_t i = l->slide[k].guard;
        h->owner[i] = (uint8_t)(same + 1);
        h->turn[i] = parallel(h, from[same], k) < 0 ? -1 : 1;
    }
    for (uint32_t k = 0; k < count; k++) {
        l->slide[k] = l->slide[from[k]], l->was_slide[k] = l->was_slide[from[k]];
        l->ended[k] = l->ended[from[k]];
        h->surface[k] = l->slide[k];
    }
    h->slides = l->slides = count, h->rests = 0;
    return count ? foi_hold_measure(h) : FO_OK;
}

// Guards beside the candidates that stand at zero, too: the other half of a sign, say.
static fo_status add_others(foi_hold *h, look *l)
{
    const fo_simulation *sim = h->sim;
    const fo_system *system = &sim->system;
    double *g = h->bound + 3 * (size_t)h->guards, least = INFINITY;
    if (!l->slides) return FO_OK;
    fo_status status =
        system->type->guards(system->model, &sim->state.s, sim->state.s.t, sim->state.s.x, g);
    uint32_t count = l->slides;
    for (uint32_t k = 0; k < count; k++) least = fmin(least, fabs(g[l->slide[k].guard]));
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++)
        for (uint32_t k = 0; k < count; k++) {
            double own = g[l->slide[k].guard];
            if (fabs(g[i]) != fabs(own)) continue;
            uint32_t before = l->slides;
            if (!add_slide(l, i, g[i] == own ? l->slide[k].side : -l->slide[k].side, false))
                return FO_OK;
            if (l->slides > before) l->only_beside[before] = true;
        }
    return status;
}

// ---------------------------------------------------------------------------------------- slides

// Tries the ways to find modes until one slides; otherwise what the first one says holds.
static fo_status seek(foi_hold *h, uint32_t ended, int8_t *fate, bool *found)
{
    fo_simulation *sim = h->sim;
    fo_message before = sim->message;
    foi_sides first = FOI_BY_FUNCTION;
    *found = false;
    for (h->how = 0; h->how < FOI_SIDES; h->how++) {
        bool differ, slides = false;
        int8_t its[FOI_MOST_SLIDES];
        fo_status status = foi_hold_modes(h, &differ);
        if (status == FO_ERROR_MEMORY) return status;
        if (status != FO_OK) sim->message = before;
        if (status != FO_OK || !differ || !foi_slide_seek(h, ended, its)) continue;
        for (uint32_t k = 0; k < h->slides; k++) slides |= its[k] == 0;
        if (slides || !*found) memcpy(fate, its, h->slides), first = h->how;
        *found = true;
        if (slides || first == FOI_BY_FUNCTION) return FO_OK;
    }
    h->how = first;
    return FO_OK;
}

// A surface that is not slid upon (any more): the model's state goes to the side of its fate.
static fo_status let_go(foi_hold *h, uint32_t k, int8_t fate, bool was)
{
    fo_simulation *sim = h->sim;
    foi_surface *on = &h->surface[k];
    bool fine = true;
    fo_status status = FO_OK;
    if (h->how == FOI_BY_LEAVING && was && fate != on->side) {
        status = foi_hold_leave(h, &sim->state.s, k, fate);
    } else if (h->how <= FOI_BY_LEAVING && sim->system.type->side) {
        status = foi_hold_put(h, k, fate);
    } else {
        status = foi_hold_put(h, k, on->side);
        if (status == FO_OK && was && h->how == FOI_BY_JUMP && fate != on->side)
            status = foi_hold_cross(h, &sim->state.s, k, fate, &fine);
    }
    if (status != FO_OK || !was) return status;
    for (uint32_t i = 0; i < h->guards; i++)
        if (h->owner[i] == k + 1) foi_hold_stand(h, i);
    return foi_hold_tell(h, FO_SLIDE_END, on, fate,
                         fate > 0 ? "the mode above carries it away"
                                  : "the mode below carries it away");
}

// Surfaces with another fate leave; the others close up.
static fo_status sort_out(foi_hold *h, look *l, const int8_t *fate)
{
    uint32_t count = 0, place[FOI_MOST_SLIDES];
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++) {
        if (fate[k]) status = let_go(h, k, fate[k], l->was_slide[k]);
        place[k] = fate[k] ? 0 : ++count;
    }
    for (uint32_t i = 0; i < h->guards; i++)
        if (h->owner[i]) h->owner[i] = (uint8_t)place[h->owner[i] - 1];
    for (uint32_t k = 0, at = 0; k < h->slides; k++) {
        if (fate[k]) continue;
        h->surface[at] = h->surface[k], l->was_slide[at] = l->was_slide[k];
        h->alpha[at] = h->alpha[k];
        at++;
    }
    h->slides = count;
    return status;
}

static fo_status no_way(foi_hold *h, const look *l)
{
    fo_simulation *sim = h->sim;
    return fo_fail(&sim->message, FO_ERROR_MODEL,
                   "at t = %.15g the relation `%s` can neither stay true nor false, and no "
                   "combination of the two modes holds it at zero",
                   sim->state.s.t, foi_hold_about(h, l->slide[0].guard)->name);
}

// To the point where the crossings accumulate: onto all their surfaces.
static fo_status go_to_limit(foi_hold *h, look *l, bool *there)
{
    fo_simulation *sim = h->sim;
    fo_state *s = &sim->state.s;
    const fo_system *system = &sim->system;
    double far = 0;
    fo_status status = system->type->guards(system->model, s, s->t, s->x, h->g);
    for (uint32_t k = 0; k < h->slides && status == FO_OK; k++) {
        double pace = h->surface[k].pace * (l->limit - s->t) + foi_hold_reach(h, k);
        far = fmax(far, fabs(h->g[h->surface[k].guard]) / (8 * pace));
    }
    *there = far <= 1;
    if (status != FO_OK || !*there) return status;
    memcpy(h->rate, s->x, h->n * sizeof *s->x);
    status = foi_hold_project(h, l->limit, s->x);
    for (uint32_t i = 0; i < h->n; i++) *there &= isfinite(s->x[i]) != 0;
    if (!*there || status != FO_OK) memcpy(s->x, h->rate, h->n * sizeof *s->x);
    return status;
}

// What is not held moves on for the time that is passed over, by the midpoint rule: all of it is
// shorter than what can be seen of a hop.
static void move_on(foi_hold *h, double by)
{
    fo_simulation *sim = h->sim;
    const fo_state *s = &sim->state.s;
    double *f = sim->sample, *x = h->probe.s.x;
    if (foi_hold_flow_rates(h, s, s->t, s->x, f) != FO_OK) return;
    for (uint32_t i = 0; i < h->n; i++) x[i] = s->x[i] + by / 2 * f[i];
    if (foi_hold_flow_rates(h, s, s->t + by / 2, x, f) != FO_OK) return;
    for (uint32_t i = 0; i < h->n; i++)
        if (!isfinite(s->x[i] + by * f[i])) return;
    for (uint32_t i = 0; i < h->n; i++) s->x[i] += by * f[i];
}

// Whether a guard that is not held has come to the other side of zero.
static bool passes_another(foi_hold *h, double t)
{
    const fo_simulation *sim = h->sim;
    const fo_state *s = &sim->state.s;
    if (sim->system.type->guards(sim->system.model, s, t, s->x, h->g) != FO_OK) return true;
    for (uint32_t i = 0; i < h->guards; i++) {
        int side = sim->watch.guard[i].side;
        if (!side) side = sim->pulses[i].contact; // it has just left
        if (side && !h->owner[i] && !(side * h->g[i] > 0)) return true;
    }
    return false;
}

// On to the limit, but not over anything else that happens before: then it holds from now on.
static void pass_time(foi_hold *h, double limit)
{
    fo_simulation *sim = h->sim;
    fo_state *s = &sim->state.s;
    double next = INFINITY, *x = h->old_push; // copied by now
    if (foi_next_moment(sim, &next) != FO_OK) return;
    double t = fmin(fmin(limit, next), sim->def.stop);
    if (sim->queued) t = fmin(t, sim->queue[0].t);
    if (!(t > s->t)) return;
    memcpy(x, s->x, h->n * sizeof *x);
    move_on(h, t - s->t);
    if (passes_another(h, t))
        memcpy(s->x, x, h->n * sizeof *x);
    else
        s->t = t, s->k = 0;
}

// Where more than one way to go on is possible, that is said; but not again at every moment of a
// slide that goes on as it did.
static void say_several(const foi_hold *h, const look *l, const int8_t *fate)
{
    const fo_state *s = &h->sim->state.s;
    bool changes = false;
    for (uint32_t k = 0; k < h->slides; k++) changes |= l->was_slide[k] == (fate[k] != 0);
    if (!h->several || !changes) return;
    fo_note(
        s,
        "at t = %.15g the solution on '%s' and %u other surface%s is not unique: one of several "
        "ways to go on was taken",
        s->t, foi_hold_about(h, h->surface[0].guard)->name, h->slides - 1,
        h->slides > 2 ? "s" : "");
}

static fo_status try_slides(foi_hold *h, look *l)
{
    int8_t fate[FOI_MOST_SLIDES];
    bool found, there = true;
    fo_status status = add_others(h, l);
    if (status == FO_OK) status = join(h, l);
    if (status != FO_OK || !h->slides) return status;
    if (l->zeno) status = go_to_limit(h, l, &there);
    if (status == FO_OK && there && l->zeno) status = foi_hold_measure(h);
    if (status != FO_OK || !there) {
        h->slides = 0;
        memset(h->owner, 0, h->guards);
        return status;
    }
    uint32_t ended = 0;
    for (uint32_t k = 0; k < h->slides; k++) ended |= (uint32_t)l->ended[k] << k;
    status = seek(h, ended, fate, &found);
    bool was = false, new = false;
    for (uint32_t k = 0; k < h->slides; k++) was |= l->was_slide[k], new |= found &&fate[k] == 0;
    if (status == FO_OK && !found && (l->stuck || was)) status = no_way(h, l);
    if (status == FO_OK && found && !new && l->stuck && !was) status = no_way(h, l);
    if (status == FO_OK && found && (was || new)) {
        say_several(h, l, fate);
        return sort_out(h, l, fate);
    }
    h->slides = 0;
    memset(h->owner, 0, h->guards);
    return status;
}

// ----------------------------------------------------------------------------------------- rests

static fo_status leave_rest(foi_hold *h, uint32_t j, bool was)
{
    uint32_t k = h->slides + j;
    foi_surface on = h->surface[k];
    fo_status status = foi_hold_put(h, k, on.side);
    for (uint32_t i = 0; i < h->guards; i++) {
        if (h->owner[i] == k + 1) {
            foi_hold_stand(h, i);
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
    if (status != FO_OK || !was) return status;
    return foi_hold_tell(h, FO_REST_END, &on, on.side, "nothing presses it any more");
}

static void list_rests(foi_hold *h, const look *l)
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

// Which contacts stay, with the forces of now. One that nothing presses goes where its hop carries
// it.
static fo_status sort_rests(foi_hold *h, const look *l, bool *stays)
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
    for (uint32_t j = 0; j < h->rests; j++)
        if (l->outward[j] && lambda[j] <= slack) stays[j] = false;
    return FO_OK;
}

// Contacts that would have to be pulled are let go; one whose end was located here too, whatever
// rounding errors say.
static fo_status try_rests(foi_hold *h, look *l)
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
                l->outward[i] = l->outward[i + 1];
        }
        if (!leaving) break;
    }
    return status;
}

// -------------------------------------------------------------------------------- the whole look

static bool interesting(const fo_simulation *sim, bool start)
{
    const foi_hold *h = sim->hold;
    for (uint32_t i = 0; i < sim->pulse_count; i++) {
        const foi_pulse *p = &sim->pulses[i];
        if (p->fired || p->stuck) return true;
        if (start && sim->watch.guard[i].side == 0) return true;
    }
    if (!h || !h->on) return false;
    for (uint32_t k = 0; k < h->slides + h->rests; k++)
        if (h->exits[k]) return true;
    return sim->restart;
}

static fo_status announce(foi_hold *h, const look *l)
{
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < h->slides + h->rests && status == FO_OK; k++) {
        bool slide = k < h->slides, was = slide ? l->was_slide[k] : l->was_rest[k - h->slides];
        status = foi_hold_put(h, k, FO_STAND_KEPT);
        if (status == FO_OK && !was)
            status = foi_hold_tell(h, slide ? FO_SLIDE : FO_REST, &h->surface[k], 0, NULL);
        foi_pulse *p = &h->sim->pulses[h->surface[k].guard];
        p->last = h->sim->state.s.t, p->interval = p->ratio = 0, p->shrinking = 0;
    }
    return status;
}

static fo_status no_rest(foi_hold *h, const look *l)
{
    fo_simulation *sim = h->sim;
    return fo_fail(&sim->message, FO_ERROR_ZENO,
                   "moments of '%s' accumulate: infinitely many before t = %.9g (the last at "
                   "%.15g), and there is no rest: nothing that the model does there holds it at "
                   "zero",
                   foi_hold_about(h, l->zeno_guard)->name, l->limit, sim->state.s.t);
}

// Crossings of one guard may accumulate because another's do (a ball is at its highest point as
// often as at its lowest), whose turn comes next; contacts that go in have to be dealt with first.
static bool is_late(const foi_hold *h, const look *l)
{
    enum { PATIENCE = 8 };
    const foi_pulse *p = &h->sim->pulses[l->zeno_guard];
    return !h->slides && !h->rests && p->shrinking >= FOI_ZENO_STEADY + PATIENCE;
}

static fo_status begin(foi_hold *h, look *l)
{
    fo_simulation *sim = h->sim;
    fo_state *s = &sim->state.s;
    memset(h->turns, 0, sizeof h->turns); // of what was held before
    pass_time(h, l->limit);
    fo_status status = foi_hold_project(h, s->t, s->x);
    if (status == FO_OK) status = announce(h, l);
    if (status == FO_OK) foi_hold_enter(h);
    memset(h->exits, 0, sizeof h->exits);
    return status == FO_OK ? foi_hold_settle(sim) : status;
}

static fo_status look_for(foi_hold *h, look *l, bool start, bool *stop)
{
    fo_simulation *sim = h->sim;
    fo_status status = FO_OK;
    l->limit = sim->state.s.t;
    for (uint32_t i = 0; i < sim->pulse_count; i++)
        if (sim->pulses[i].zeno) l->zeno = true, l->zeno_guard = i, l->limit = sim->pulses[i].limit;
    if (h->on) {
        foi_hold_release(h);
        status = keep(h, l);
    }
    said before;
    keep_said(sim, &before);
    if (status == FO_OK) status = tried(sim, &before, gather_slides(h, l, start));
    if (status == FO_OK) status = gather_rests(h, l, start, stop);
    h->slides = h->rests = 0;
    memset(h->owner, 0, h->guards);
    bool must = l->stuck;
    for (uint32_t k = 0; k < l->slides; k++) must |= l->was_slide[k];
    if (status == FO_OK && l->slides) {
        status = try_slides(h, l);
        if (status != FO_OK && !must) {
            h->slides = 0;
            memset(h->owner, 0, h->guards);
            status = tried(sim, &before, status);
        }
    }
    if (status == FO_OK && l->rests) status = try_rests(h, l);
    if (status == FO_OK && l->zeno && is_late(h, l)) status = no_rest(h, l);
    return status;
}

static void forget(fo_simulation *sim)
{
    for (uint32_t i = 0; i < sim->pulse_count; i++)
        sim->pulses[i].fired = sim->pulses[i].stuck = sim->pulses[i].passes = false;
}

// What a jump has moved off a surface, and across it, is a moment of its guard.
static fo_status happen_again(fo_simulation *sim, bool *stop, bool *any)
{
    *any = false;
    fo_status status = foi_watch_again(&sim->watch, &sim->solver, &sim->state.s, true, any);
    if (status != FO_OK || !*any) return status;
    status = foi_gather_watched(sim);
    return status == FO_OK ? foi_happen(sim, stop) : status;
}

// ------------------------------------------------------------------------------------- all of it

static fo_status cannot_hold(fo_simulation *sim)
{
    return fo_fail(&sim->message, FO_ERROR_MODEL, "'%s' cannot be held at zero at t = %.15g",
                   sim->system.about->name, sim->state.s.t);
}

// Once: what is held from now on; *any when that has made something else happen.
static fo_status look_once(fo_simulation *sim, bool start, bool *stop, bool *any)
{
    look l; // large: only what is used is set
    said before;
    begin_look(&l);
    keep_said(sim, &before);
    fo_status status = foi_hold_ensure(sim);
    if (status != FO_OK) return status;
    foi_hold *h = sim->hold;
    bool on = h->on;
    status = look_for(h, &l, start, stop);
    forget(sim);
    if (status != FO_OK) return status;
    say_again(sim, &before);
    bool holds = h->slides || h->rests;
    if (holds && (status = begin(h, &l)) != FO_OK) return status;
    memset(h->exits, 0, sizeof h->exits);
    // to put something onto its surface may have moved another guard across zero
    return on || holds ? happen_again(sim, stop, any) : FO_OK;
}

// What nearly every impact is: one of many to come, and nothing else is near.
static bool hops_on(fo_simulation *sim)
{
    foi_hold *h = sim->hold;
    uint32_t which = UINT32_MAX;
    if (!h || h->on) return false;
    for (uint32_t i = 0; i < sim->pulse_count; i++) {
        const foi_pulse *p = &sim->pulses[i];
        if (p->stuck || p->zeno) return false;
        if (!p->fired && may_touch(sim, NULL, i)) return false;
        if (p->fired && (which != UINT32_MAX || !(p->far > 0))) return false;
        if (p->fired) which = i;
    }
    if (which == UINT32_MAX) return false;
    foi_pulse *p = &sim->pulses[which];
    bool on;
    if (foi_rest_hops(h, which, p->contact, &on) != FO_OK) return false;
    if (on) p->fired = p->passes = false;
    return on;
}

fo_status foi_hold_look(fo_simulation *sim, bool *stop)
{
    bool start = sim->phase == FOI_NEW, any = true;
    fo_status status = FO_OK;
    if (!start && sim->state.s.k == sim->good.s.k + 1 && hops_on(sim)) return FO_OK;
    if (!(sim->hold && sim->hold->on) && !foi_hold_possible(sim)) return FO_OK;
    for (uint32_t round = 0; status == FO_OK && any && !*stop && interesting(sim, start); round++) {
        any = false;
        status = round < sim->def.max_jumps ? look_once(sim, start, stop, &any) : FO_RETRY;
        start = false;
    }
    for (uint32_t i = 0; i < sim->pulse_count; i++) sim->pulses[i].zeno = false;
    if (status == FO_RETRY) return cannot_hold(sim);
    return status == FO_OK && sim->hold ? foi_hold_report(sim) : status;
}
