/// Quiet steps: those on which no guard changes its sign, and nothing else is to be seen.
///
/// Between moments a simulation with guards looks at every step. A system that takes steps by
/// itself, and knows bounds of its guards on them, may go on behind those that are surely quiet
/// (foi_quiet); the last step of its march is looked at as ever. Then the simulation stands where
/// that step began, as if it had been there step by step.
///
/// Such a system may also let moments happen that are hops: one guard has its moment, the jump
/// changes states, and it hops on as it did before (foi_rest_hops). It is then told what is known
/// of the guards, and says what has become of that.
#include <string.h>

#include "simulation/internal.h"
#include "simulation/search.h"

// A contact that is known to be one is on its side: nobody has to see how far behind it is.
static bool is_clear(const fo_simulation *sim, uint32_t i)
{
    const foi_guard_side *guard = &sim->watch.guard[i];
    const foi_pulse *p = &sim->pulses[i];
    return guard->side && !guard->rests && (!(p->depth > 0) || p->contact == guard->side);
}

static bool is_seen(const fo_simulation *sim)
{
    bool seen = false;
    for (uint32_t i = 0; i < sim->seat_count; i++) seen |= sim->seats[i].who.row != NULL;
    return seen || sim->follow.who.piece || sim->system.type->settle ||
           sim->system.about->outputs_fail || sim->stretch || sim->divisors.block ||
           foi_is_implicit(sim);
}

// The search of a step, which comes later, has room for it.
static foi_hop *room_of(const foi_watch *w)
{
    return (foi_hop *)(void *)foi_search_rows(w);
}

static bool may_hop(const fo_simulation *sim)
{
    const foi_watch *w = &sim->watch;
    bool room = sizeof(foi_hop) <= 2 * FOI_SEARCH_DEPTH * sizeof(double);
    if (!room || sim->hears_moments || sim->automatic || sim->hop != 0 || w->opaque) return false;
    if (foi_is_held(sim) || is_seen(sim) || sim->reshaped || sim->refit) return false;
    for (uint32_t i = 0; i < w->guards; i++) {
        const foi_guard_side *guard = &w->guard[i];
        const foi_pulse *p = &sim->pulses[i];
        if (!guard->held || guard->idle || w->about[i]->rests) return false;
        if (guard->rests != (guard->side == 0)) return false;
        if (p->fired || p->stuck || p->zeno || p->noted) return false;
    }
    return w->guards && sim->def.max_jumps && foi_hold_possible(sim) &&
           foi_solver_tolerance_stays(&sim->solver);
}

static foi_hops *tell(void *self)
{
    fo_simulation *sim = self;
    const foi_watch *w = &sim->watch;
    foi_hops *all = &sim->hops;
    if (!may_hop(sim)) return NULL;
    double scale = foi_run_scale(&sim->def);
    *all = (foi_hops){.guard = room_of(w),
                      .crept_at = sim->crept_at,
                      .chats = sim->chatter.count,
                      .chats_from = sim->chatter.from,
                      .chats_last = sim->chatter.last,
                      .scale = scale,
                      .stop = sim->def.stop,
                      .limit = sim->def.zeno * scale,
                      .steady = FOI_ZENO_STEADY,
                      .many = FOI_CHATTER_MANY,
                      .near = FOI_BEHIND * foi_hold_tolerance(sim, 0)};
    for (uint32_t i = 0; i < w->guards; i++) {
        const foi_guard_side *guard = &w->guard[i];
        const foi_pulse *p = &sim->pulses[i];
        all->guard[i] = (foi_hop){.side = guard->side,
                                  .slack = guard->slack,
                                  .told = guard->told,
                                  .last = p->last,
                                  .interval = p->interval,
                                  .ratio = p->ratio,
                                  .shrinking = p->shrinking,
                                  .pulse_slack = p->slack,
                                  .way = p->way,
                                  .contact = p->contact,
                                  .depth = p->depth,
                                  .far = sim->hold ? p->far : 0,
                                  .far_interval = p->far_interval,
                                  .far_after = p->far_after,
                                  .count = p->approach.count,
                                  .trend = p->approach.way};
    }
    return all;
}

// What a march has made of it; moments are those that it let happen.
static fo_status take_hops(fo_simulation *sim, const foi_hops *all, uint64_t moments)
{
    foi_watch *w = &sim->watch;
    for (uint32_t i = 0; i < w->guards; i++) {
        const foi_hop *from = &all->guard[i];
        foi_guard_side *guard = &w->guard[i];
        foi_pulse *p = &sim->pulses[i];
        guard->side = (int8_t)from->side, guard->rests = from->side == 0;
        guard->slack = from->slack, guard->told = (int8_t)from->told, guard->idle = false;
        p->last = from->last, p->interval = from->interval, p->ratio = from->ratio;
        p->shrinking = (uint32_t)from->shrinking, p->slack = from->pulse_slack;
        p->way = (int8_t)from->way, p->contact = (int8_t)from->contact;
        p->far = from->far, p->far_interval = from->far_interval, p->far_after = from->far_after;
        p->approach.count = (uint32_t)from->count, p->approach.way = (int16_t)from->trend;
    }
    if (!moments) return FO_OK;
    sim->crept_at = all->crept_at, sim->creeps = 0, sim->crawl.steps = 0;
    sim->chatter.count = (uint32_t)all->chats;
    sim->chatter.from = all->chats_from, sim->chatter.last = all->chats_last;
    return foi_hold_ensure(sim); // a look at them has made it
}

void foi_quiet_ask(fo_simulation *sim, double until)
{
    const foi_watch *w = &sim->watch;
    foi_quiet *q = &sim->solver.quiet;
    *q = (foi_quiet){.until = until, .ask = tell, .self = sim};
    // where the last step had a moment, the next one often has
    if (sim->eventful || !sim->system.type->march || !w->guards || w->opaque) return;
    if (sim->automatic || foi_is_held(sim) || is_seen(sim)) return;
    for (uint32_t i = 0; i < w->guards; i++) {
        if (!is_clear(sim, i)) return;
        w->sides[i] = w->guard[i].side;
    }
    q->sides = w->sides;
}

fo_status foi_quiet_take(fo_simulation *sim, uint64_t steps, bool failed)
{
    foi_watch *w = &sim->watch;
    const foi_solver *o = &sim->solver;
    fo_state *s = &sim->state.s;
    if (steps < (failed ? 1 : 2)) return FO_OK;
    const foi_hops *hops = o->quiet.hops;
    // one that failed was none
    s->t = failed ? o->t1 : o->t0, s->k = o->passed && o->last_jump == s->t;
    memcpy(s->x, failed ? o->x1 : o->x0, o->n * sizeof *s->x);
    uint64_t quiet = failed ? steps : steps - 1;
    w->evaluations += quiet;
    fo_status status = hops ? take_hops(sim, hops, o->passed) : FO_OK;
    if (hops) o->system.type->held(o->system.model, s, w->held);
    if (status == FO_OK) status = o->system.type->guards(o->system.model, s, s->t, s->x, w->work);
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        foi_guard_side *guard = &w->guard[i];
        guard->g = w->work[i];
        w->tally[i].proved += quiet;
        if (hops)
            guard->held = w->held[i];
        else
            guard->told = guard->side, guard->idle = false, guard->slack = 0;
    }
    return status;
}
