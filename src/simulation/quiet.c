/// Quiet steps: those on which no guard changes its sign, and nothing else is to be seen.
///
/// Between moments a simulation with guards looks at every step. A system that takes steps by
/// itself, and knows bounds of its guards on them, may go on behind those that are surely quiet
/// (foi_quiet); the last step of its march is looked at as ever. Then the simulation stands where
/// that step began, as if it had been there step by step.
#include <string.h>

#include "simulation/internal.h"

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
    return seen || sim->system.type->settle || sim->system.about->outputs_fail || sim->stretch ||
           sim->divisors.block || foi_is_implicit(sim);
}

void foi_quiet_ask(fo_simulation *sim, double until)
{
    const foi_watch *w = &sim->watch;
    foi_quiet *q = &sim->solver.quiet;
    q->sides = NULL, q->until = until, q->open = false;
    // where the last step had a moment, the next one often has
    if (sim->eventful || !sim->system.type->march || !w->guards || w->opaque) return;
    if (sim->automatic || (sim->hold && sim->hold->on) || is_seen(sim)) return;
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
    // one that failed was none
    s->t = failed ? o->t1 : o->t0, s->k = 0;
    memcpy(s->x, failed ? o->x1 : o->x0, o->n * sizeof *s->x);
    uint64_t quiet = failed ? steps : steps - 1;
    w->evaluations += quiet;
    fo_status status = o->system.type->guards(o->system.model, s, s->t, s->x, w->work);
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        foi_guard_side *guard = &w->guard[i];
        guard->g = w->work[i], guard->told = guard->side, guard->idle = false, guard->slack = 0;
        w->tally[i].proved += quiet;
    }
    return status;
}
