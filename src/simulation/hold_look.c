/// What is held from an instant on: guards that stand at zero after its jumps are looked at, and
/// what was held before is looked at again. Slides: look_slide.c; contacts: look_rest.c.
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"
#include "simulation/look.h"

void foi_look_keep_said(const fo_simulation *sim, foi_said *before)
{
    before->nothing = sim->message.status == FO_OK && !sim->message.text[0];
    if (!before->nothing) before->message = sim->message;
}

void foi_look_say_again(fo_simulation *sim, const foi_said *before)
{
    if (before->nothing)
        sim->message.status = FO_OK, sim->message.text[0] = 0;
    else
        sim->message = before->message;
}

// What cannot be evaluated where it is only tried does not hold anything.
fo_status foi_look_tried(fo_simulation *sim, const foi_said *before, fo_status status)
{
    if (status == FO_OK || status == FO_ERROR_MEMORY) return status;
    foi_look_say_again(sim, before);
    return FO_OK;
}

static void begin_look(foi_look *l)
{
    l->slides = l->rests = l->touch.count = l->touch.fires = 0;
    l->stuck = l->zeno = l->last = l->fired = false;
    memset(l->only_beside, 0, sizeof l->only_beside);
    memset(l->passes, 0, sizeof l->passes);
    memset(l->ended, 0, sizeof l->ended);
    memset(l->rest_ended, 0, sizeof l->rest_ended);
}

bool foi_look_unmoved(const fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    for (uint32_t i = 0; i < s->shape.states; i++)
        if (s->x[i] != sim->good.s.x[i]) return false;
    return true;
}

// Crossings that accumulate where this one does.
bool foi_look_companion(const fo_simulation *sim, uint32_t i, double limit)
{
    const foi_pulse *p = &sim->pulses[i];
    if (p->shrinking < 3 || !(p->ratio < 1)) return false;
    double its = p->last + p->interval * p->ratio / (1 - p->ratio);
    return fabs(its - limit) <= foi_fmax(limit - sim->state.s.t, 64 * foi_hold_grain(sim));
}

// --------------------------------------------------------------------------------- what was held

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

static void keep_rest(foi_hold *h, foi_look *l, uint32_t k)
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

// Whether a guard that was held is still at zero, but for rounding errors.
static fo_status is_there(foi_hold *h, uint32_t guard, bool *is)
{
    const fo_simulation *sim = h->sim;
    const fo_system *system = &sim->system;
    const fo_state *now = &sim->state.s, *then = &sim->good.s;
    double was = 0, g = 0, size = 0, moved = 0;
    fo_status status = system->type->guards(system->model, then, then->t, then->x, h->g);
    if (then->t == now->t) was = h->g[guard];
    if (status == FO_OK) status = system->type->guards(system->model, now, now->t, now->x, h->g);
    g = h->g[guard];
    if (status == FO_OK) status = foi_rest_size(h, guard, &size);
    if (status == FO_OK) status = foi_rest_unsure(h, guard, &moved);
    *is = fabs(g) <= 4 * fabs(was) + 64 * DBL_EPSILON * size + FOI_HELD_PART * moved;
    return status;
}

// The other guards of a surface that may be slid upon further: beside floor(x) that of floor(-x).
static fo_status keep_others(foi_hold *h, foi_look *l, uint32_t k)
{
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < h->guards && status == FO_OK; i++) {
        uint32_t before = l->slides;
        bool is = false;
        if (h->owner[i] != k + 1 || i == h->surface[k].guard) continue;
        status = is_there(h, i, &is);
        if (status != FO_OK || !is) continue;
        foi_look_add_slide(l, i, h->surface[k].side * h->turn[i], false);
        if (l->slides > before) l->only_beside[before] = true;
    }
    return status;
}

static fo_status keep(foi_hold *h, foi_look *l)
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
        double reach = foi_fmin(foi_hold_reach(h, k), foi_hold_blur(h, k) + foi_hold_scale(h, k));
        if (then->t == now->t) reach += 4 * fabs(was[k]);
        if (fabs(value[k]) > reach)
            status = moved_off(h, k, value[k], k >= slides);
        else if (k < slides)
            l->ended[l->slides] = h->exits[k],
            foi_look_add_slide(l, h->surface[k].guard, h->surface[k].side, true);
        else
            keep_rest(h, l, k);
    }
    uint32_t kept = l->slides;
    for (uint32_t k = 0; k < slides && kept && status == FO_OK; k++)
        for (uint32_t j = 0; j < kept; j++)
            if (l->slide[j].guard == h->surface[k].guard) status = keep_others(h, l, k);
    return status;
}

// ---------------------------------------------------------------------- time that is passed over

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
    double t = foi_fmin(foi_fmin(limit, next), sim->def.stop);
    if (sim->queued) t = foi_fmin(t, sim->queue[0].t);
    if (!(t > s->t)) return;
    memcpy(x, s->x, h->n * sizeof *x);
    move_on(h, t - s->t);
    if (passes_another(h, t))
        memcpy(s->x, x, h->n * sizeof *x);
    else
        sim->over_from = s->t, sim->over_to = s->t = t, s->k = 0;
}

// -------------------------------------------------------------------------------- the whole look

static bool interesting(const fo_simulation *sim, bool start)
{
    const foi_hold *h = sim->hold;
    for (uint32_t i = 0; i < sim->pulse_count; i++) {
        const foi_pulse *p = &sim->pulses[i];
        if (p->fired || p->stuck) return true;
        if (start && (sim->watch.guard[i].side == 0 || p->behind)) return true;
    }
    if (!h || !h->on) return false;
    for (uint32_t k = 0; k < h->slides + h->rests; k++)
        if (h->exits[k]) return true;
    // a choice of states alone moves nothing: `good` is as it has left it
    return sim->restart && sim->state.s.k != sim->good.s.k;
}

// A start that is computed (y = f(x)) is on its surface but for rounding errors. A guard that is so
// near to zero may be a contact (look_rest.c); its gradient is not known here, so that a small
// part of the tolerance is a first guess.
static fo_status mark_start(fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    foi_watch *w = &sim->watch;
    double *sigma = w->slope, most = foi_hold_tolerance(sim, 0); // no slope is known yet
    foi_said before;
    foi_look_keep_said(sim, &before);
    for (uint32_t i = 0; i < s->shape.states; i++)
        most = foi_fmax(most, foi_hold_tolerance(sim, s->x[i]));
    for (uint32_t i = 0; i < w->guards; i++) sigma[i] = 0;
    fo_status status = FO_OK;
    if (w->bounded) status = foi_watch_rounding(w, &sim->solver, s, 8, sigma);
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_pulse *p = &sim->pulses[i];
        double g = fabs(w->guard[i].g);
        p->behind = w->guard[i].side && (g <= sigma[i] || g <= FOI_HELD_PART * most);
        if (p->behind) p->slack = sigma[i];
    }
    return foi_look_tried(sim, &before, status);
}

static fo_status announce(foi_hold *h, const foi_look *l)
{
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < h->slides + h->rests && status == FO_OK; k++) {
        bool slide = k < h->slides, was = slide ? l->was_slide[k] : l->was_rest[k - h->slides];
        status = foi_hold_put(h, k, FO_STAND_KEPT);
        if (status == FO_OK && !was)
            status = foi_hold_tell(h, slide ? FO_SLIDE : FO_REST, &h->surface[k], 0, NULL);
        if (!was) h->begun = h->sim->state.s.t;
        foi_pulse *p = &h->sim->pulses[h->surface[k].guard];
        p->last = h->sim->state.s.t, p->interval = p->ratio = 0, p->shrinking = 0;
    }
    return status;
}

fo_status foi_look_no_rest(foi_hold *h, const foi_look *l)
{
    fo_simulation *sim = h->sim;
    return fo_fail(&sim->message, FO_ERROR_ZENO,
                   "moments of '%s' accumulate: infinitely many before t = %.9g (the last at "
                   "%.15g), and there is no rest: nothing that the model does there holds it at "
                   "zero",
                   foi_hold_about(h, l->zeno_guard)->name, l->limit, sim->state.s.t);
}

// A contact whose impacts accumulate at the same limit, and whose last one was too far from it to
// ask.
static bool will_be_asked(const fo_simulation *sim, const foi_look *l, uint32_t i)
{
    if (i == l->zeno_guard || !sim->pulses[i].contact) return false;
    if (!foi_look_companion(sim, i, l->limit)) return false;
    return l->limit - sim->pulses[i].last > foi_zeno_near(sim);
}

// A contact that has been hit since the moment before: it comes to rest by itself, or goes through.
static bool is_hit_between(foi_hold *h, const foi_look *l, uint32_t i)
{
    const fo_state *s = &h->sim->state.s;
    const foi_pulse *p = h->sim->pulses;
    if (i == l->zeno_guard || !p[i].contact || h->owner[i]) return false;
    if (!(s->t - p[i].last <= p[l->zeno_guard].interval)) return false;
    // an impact, that is, and not another mode
    return foi_contact_jump(h, s->t, s->x, i, -p[i].contact) &&
           memcmp(h->probe.s.x, s->x, h->n * sizeof *s->x) != 0;
}

// Something is held that was not before this instant, and may be why they end. What has been held
// all the time, a block that slides elsewhere, is not.
static bool holds_more(const foi_hold *h, const foi_look *l)
{
    if ((h->slides || h->rests) && h->begun == h->sim->state.s.t) return true;
    for (uint32_t k = 0; k < h->slides; k++)
        if (!l->was_slide[k]) return true;
    for (uint32_t j = 0; j < h->rests; j++)
        if (!l->was_rest[j]) return true;
    return false;
}

// Crossings of one guard may accumulate because another's do (a ball is at its highest point as
// often as at its lowest), whose turn comes next; contacts that go in have to be dealt with first.
// There is no next turn where that could not be told from this one.
static bool is_late(foi_hold *h, const foi_look *l)
{
    enum { PATIENCE = 8 };
    const fo_simulation *sim = h->sim;
    const foi_pulse *p = &sim->pulses[l->zeno_guard];
    bool last = l->last || foi_zeno_hidden(sim->state.s.t, p->interval * p->ratio);
    bool late = last || p->shrinking >= FOI_ZENO_STEADY + PATIENCE;
    if (!late || holds_more(h, l)) return false;
    for (uint32_t i = 0; i < sim->pulse_count; i++)
        if (will_be_asked(sim, l, i) || (last && is_hit_between(h, l, i))) return false;
    return true;
}

static fo_status begin(foi_hold *h, foi_look *l)
{
    fo_simulation *sim = h->sim;
    fo_state *s = &sim->state.s;
    memset(h->turns, 0, sizeof h->turns); // of what was held before
    pass_time(h, l->limit);
    fo_status status = foi_hold_project(h, s->t, s->x);
    if (status == FO_OK) status = announce(h, l);
    if (status == FO_OK) foi_hold_enter(h);
    memset(h->exits, 0, sizeof h->exits);
    if (status == FO_OK) status = foi_hold_settle(sim);
    if (status != FO_OK || !h->rests) return status;
    foi_said before;
    foi_look_keep_said(sim, &before);
    return foi_look_tried(sim, &before, foi_hold_look_ahead(h));
}

// Guards i and j have had their moments in turn, the last of i now, each time after a while shorter
// by much the same factor; and so small a factor that the next one is here already. Each of them
// alone has had too few to tell.
static bool takes_turns(const fo_simulation *sim, uint32_t i, uint32_t j)
{
    const foi_pulse *one = &sim->pulses[i], *two = &sim->pulses[j];
    double t = sim->state.s.t, now = t - two->last, before = one->interval - now;
    double first = two->interval - before, part = now / before;
    if (i == j || one->last != t || !(now > 0 && before > 0 && first > 0)) return false;
    bool steady = part <= 2 * (before / first) && before / first <= 2 * part;
    return steady && part <= 0x1p-8 && foi_zeno_hidden(t, now * part);
}

static void look_for_turns(const fo_simulation *sim, foi_look *l)
{
    if (!foi_look_unmoved(sim)) return;
    for (uint32_t i = 0; i < sim->pulse_count; i++)
        for (uint32_t j = 0; j < sim->pulse_count && sim->pulses[i].fired && !l->zeno; j++) {
            if (!takes_turns(sim, i, j)) continue;
            sim->pulses[i].zeno = sim->pulses[j].zeno = l->zeno = true;
            l->zeno_guard = i, l->limit = sim->state.s.t, l->last = true;
        }
}

static fo_status look_for(foi_hold *h, foi_look *l, bool start, bool *stop)
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
    foi_said before;
    foi_look_keep_said(sim, &before);
    if (!l->zeno) look_for_turns(sim, l);
    if (status == FO_OK) status = foi_look_tried(sim, &before, foi_look_gather_slides(h, l, start));
    if (status == FO_OK) status = foi_look_gather_rests(h, l, start, stop);
    h->slides = h->rests = 0;
    memset(h->owner, 0, h->guards);
    bool must = l->stuck;
    for (uint32_t k = 0; k < l->slides; k++) must |= l->was_slide[k];
    if (status == FO_OK && l->slides) {
        status = foi_look_try_slides(h, l);
        if (status != FO_OK && !must) {
            h->slides = h->rests = 0; // candidates among them, where they could not be measured
            memset(h->owner, 0, h->guards);
            status = foi_look_tried(sim, &before, status);
        }
    }
    if (status == FO_OK && l->rests) status = foi_look_try_rests(h, l);
    if (status == FO_OK && l->zeno && is_late(h, l)) status = foi_look_no_rest(h, l);
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

static const char *name_of_surface(const fo_simulation *sim)
{
    const foi_hold *h = sim->hold;
    return h && h->slides + h->rests > 0 ? foi_hold_about(h, h->surface[0].guard)->name : NULL;
}

// What was to be held: a surface, the one from before the moment, or the first guard that has fired
// at this instant.
static const char *name_of_held(const fo_simulation *sim, const char *before)
{
    const char *surface = name_of_surface(sim);
    if (surface || before) return surface ? surface : before;
    for (int stuck = 1; stuck >= 0; stuck--)
        for (uint32_t i = 0; i < sim->pulse_count; i++)
            if (stuck ? sim->pulses[i].stuck : sim->pulses[i].fired)
                return sim->watch.about[i]->name;
    return sim->system.about->name;
}

static fo_status cannot_hold(fo_simulation *sim, const char *before)
{
    return fo_fail(&sim->message, FO_ERROR_MODEL, "'%s' cannot be held at zero at t = %.15g",
                   name_of_held(sim, before), sim->state.s.t);
}

// Once: what is held from now on; *any when that has made something else happen.
static fo_status look_once(fo_simulation *sim, bool start, bool *stop, bool *any)
{
    foi_look l; // large: only what is used is set
    foi_said before;
    begin_look(&l);
    foi_look_keep_said(sim, &before);
    fo_status status = foi_hold_ensure(sim);
    if (status != FO_OK) return status;
    foi_hold *h = sim->hold;
    bool on = h->on;
    status = look_for(h, &l, start, stop);
    forget(sim);
    if (status != FO_OK) return status;
    foi_look_say_again(sim, &before);
    bool holds = h->slides || h->rests;
    if (holds && (status = begin(h, &l)) != FO_OK) return status;
    memset(h->exits, 0, sizeof h->exits);
    if ((status = foi_show_after(sim)) != FO_OK) return status;
    // to put something onto its surface may have moved another guard across zero; and what touched
    // at the start and was let go has to know what the model holds of it
    bool tried = start && l.touch.count;
    return on || holds || tried ? happen_again(sim, stop, any) : FO_OK;
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
        if (!p->fired && foi_look_may_touch(sim, NULL, i)) return false;
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

// Where nothing may rest: an impact whose next hop cannot be seen is the last one that happens, and
// the contact would fall through.
static fo_status refuse_rests(fo_simulation *sim)
{
    foi_said before;
    foi_look_keep_said(sim, &before);
    fo_status status = foi_hold_ensure(sim);
    foi_hold *h = sim->hold;
    bool still = foi_look_unmoved(sim);
    foi_look l;
    begin_look(&l);
    if (status == FO_OK && still) // what is carried on is no contact
        status = foi_look_tried(sim, &before, foi_look_gather_slides(h, &l, false));
    for (uint32_t i = 0; i < sim->pulse_count && status == FO_OK; i++) {
        foi_pulse *p = &sim->pulses[i];
        if (!p->fired || sim->watch.about[i]->rests || (still && p->passes)) continue;
        bool rests = p->zeno;
        double limit = p->zeno ? p->limit : sim->state.s.t;
        p->contact = (int8_t)-p->way;
        if (still && !p->zeno)
            status = foi_rest_still(h, i, p->contact, h->old_push, &rests);
        else if (!p->zeno)
            status = foi_rest_test(h, i, false, h->old_push, &p->contact, &limit, &rests);
        status = foi_look_tried(sim, &before, status);
        if (status == FO_OK && rests)
            status = foi_zeno_error(sim, sim->watch.about[i]->name, limit);
    }
    if (h) h->slides = h->rests = 0;
    forget(sim);
    return status;
}

// One that is closed at the start, is pressed or goes in, and of which the model knows already that
// it is: no moment would stop it.
static fo_status refuse_closed(foi_hold *h, uint32_t i)
{
    fo_simulation *sim = h->sim;
    foi_look l;
    bool rests = false;
    begin_look(&l);
    fo_status status = foi_look_touches_at_start(h, &l, i);
    if (status != FO_OK || !l.touch.count) return status;
    int8_t side = l.touch.at[0].side;
    bool behind = sim->pulses[i].behind;
    bool kept = sim->watch.guard[i].held & (side > 0 ? FO_BELOW : FO_ABOVE);
    double slope;
    status = foi_rest_still(h, i, side, h->old_push, &rests);
    bool fires = !behind && !kept; // when it goes in
    if (status == FO_OK && rests && fires) status = foi_rest_pressed(h, i, side, &rests);
    if (status == FO_OK && !rests && !fires)
        status = foi_contact_slope(h, 0, &sim->state.s, sim->state.s.x, sim->state.s.t, &slope),
        rests = status == FO_OK && slope < 0;
    if (status != FO_OK || !rests) return status;
    return fo_fail(&sim->message, FO_ERROR_ZENO,
                   "'%s' is closed at the start, t = %.15g, where nothing may rest: nothing would "
                   "stop it",
                   sim->watch.about[i]->name, sim->state.s.t);
}

static fo_status refuse_start(fo_simulation *sim)
{
    foi_said before;
    foi_look_keep_said(sim, &before);
    fo_status status = mark_start(sim);
    for (uint32_t i = 0; i < sim->pulse_count && status == FO_OK; i++) {
        bool there = sim->watch.guard[i].side == 0 || sim->pulses[i].behind;
        if (!there || sim->watch.about[i]->rests) continue;
        status = foi_hold_ensure(sim);
        if (status == FO_OK) status = refuse_closed(sim->hold, i);
        if (status != FO_ERROR_ZENO) status = foi_look_tried(sim, &before, status);
        if (sim->hold) sim->hold->slides = sim->hold->rests = 0;
    }
    return status;
}

// What is bound by constraints, and how it moves, is known at an instant only.
static fo_status look_at_form(fo_simulation *sim)
{
    foi_said before;
    foi_look_keep_said(sim, &before);
    fo_status status = foi_hold_ensure(sim);
    if (status != FO_OK) return status;
    sim->hold->constrained = !foi_implied_regular(sim->hold->implied, &sim->state.s);
    foi_look_say_again(sim, &before);
    return FO_OK;
}

fo_status foi_hold_look(fo_simulation *sim, bool *stop)
{
    bool start = sim->phase == FOI_NEW, any = true;
    const char *before = foi_is_held(sim) ? name_of_surface(sim) : NULL;
    fo_status status = FO_OK;
    if (sim->hold) sim->hold->leaves = false;
    if (!start && sim->state.s.k == sim->good.s.k + 1 && hops_on(sim)) return FO_OK;
    if (!foi_is_held(sim)) {
        if (!foi_hold_fits(sim)) return FO_OK;
        if (start && (status = foi_hold_foresee(sim)) != FO_OK) return status;
        if (foi_implied_is(sim) && (status = look_at_form(sim)) != FO_OK) return status;
        if (!foi_hold_possible(sim)) return start ? refuse_start(sim) : refuse_rests(sim);
    }
    if (start) status = mark_start(sim);
    for (uint32_t round = 0; status == FO_OK && any && !*stop && interesting(sim, start); round++) {
        any = false;
        status = round < sim->def.max_jumps ? look_once(sim, start, stop, &any) : FO_RETRY;
        start = false;
    }
    for (uint32_t i = 0; i < sim->pulse_count; i++) sim->pulses[i].zeno = false;
    if (status == FO_RETRY) return cannot_hold(sim, before);
    if (status == FO_OK && !*stop) status = foi_show_after(sim);
    return status == FO_OK && sim->hold ? foi_hold_report(sim) : status;
}
