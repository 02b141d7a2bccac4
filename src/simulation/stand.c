/// Where a simulation stands.
#include "simulation/stand.h"

#include <math.h>
#include <string.h>

#include "base/ticks.h"
#include "math/math.h"
#include "simulation/internal.h"

// Within a step there is no step to go on with: from there a new one begins.
foi_stand foi_simulation_stand(const fo_simulation *sim)
{
    const fo_state *s = &sim->state.s;
    const foi_solver *o = &sim->solver;
    bool within = s->t != o->t1;
    return (foi_stand){.t = s->t,
                       .base = within ? s->t : o->base,
                       .step = o->step,
                       .last_jump = sim->last_jump,
                       .k = s->k,
                       .steps = o->counts.steps,
                       .count = within ? 0 : o->count};
}

static void serve_after(foi_seat *seat, double start, const foi_stand *stand)
{
    double interval = seat->who.interval, t = stand->t;
    if (interval > 0) seat->next = (uint64_t)foi_tick_from(start, interval, t);
    if (interval > 0 && foi_tick_due(start, interval, (double)seat->next, t)) seat->next++;
    seat->any = true, seat->last_t = t, seat->last_k = stand->k;
}

void foi_simulation_stand_at(fo_simulation *sim, const foi_stand *stand)
{
    foi_solver *o = &sim->solver;
    sim->state.s.t = stand->t, sim->state.s.k = stand->k;
    if (o->n) memcpy(o->x1, sim->state.s.x, o->n * sizeof *o->x1);
    o->t0 = o->t1 = stand->t, o->base = stand->base, o->count = stand->count;
    o->counts.steps = stand->steps;
    sim->last_jump = stand->last_jump;
    sim->phase = FOI_RUNNING;
    for (uint32_t i = 0; i < sim->seat_count; i++)
        serve_after(&sim->seats[i], sim->def.start, stand);
}

foi_block foi_simulation_sides(const fo_simulation *sim)
{
    return (foi_block){sim->watch.guard, sizeof *sim->watch.guard, sim->watch.guards};
}

// ------------------------------------------------------------------------------------------- steps

bool foi_simulation_at_step(const fo_simulation *sim)
{
    return !sim->searched && sim->state.s.t == sim->solver.t1;
}

double foi_simulation_step_end(const fo_simulation *sim)
{
    return sim->solver.t1;
}

double foi_simulation_after(const fo_simulation *sim, uint64_t steps)
{
    const foi_solver *o = &sim->solver;
    return o->base + (double)(o->count + steps) * o->step;
}

fo_status foi_simulation_between(fo_simulation *sim, double t, double *x)
{
    foi_solver *o = &sim->solver;
    fo_status status = foi_solver_dense(o);
    double h = o->t1 - o->t0;
    if (!status) foi_dense_at(o, t >= o->t1 || !(h > 0) ? 1 : foi_fmax(0, (t - o->t0) / h), x);
    return status;
}

// ------------------------------------------------------------------------------------------ states

/// What is known of the guards while everything else is made anew.
typedef struct kept {
    foi_guard_side *sides;
    foi_pulse *pulses;
} kept;

static bool keep(const fo_simulation *sim, uint32_t guards, kept *k)
{
    k->sides = foi_new(sim->allocator, guards, sizeof *k->sides);
    k->pulses = foi_new(sim->allocator, guards, sizeof *k->pulses);
    if (!k->sides || !k->pulses) return false;
    if (guards) {
        memcpy(k->sides, sim->watch.guard, guards * sizeof *k->sides);
        memcpy(k->pulses, sim->pulses, guards * sizeof *k->pulses);
    }
    return true;
}

// At the end of a step nothing of the solver is needed but where it stands; guards know their side.
fo_status foi_simulation_put(fo_simulation *sim, const double *x)
{
    fo_shape shape = fo_system_shape(sim->system);
    foi_solver was = sim->solver;
    uint64_t evaluations = sim->watch.evaluations;
    kept k = {0};
    fo_status status = keep(sim, shape.guards, &k) ? FO_OK : FO_ERROR_MEMORY;
    if (!status) status = foi_state_reshape(&sim->state, &shape, &sim->message);
    if (!status) status = foi_state_reshape(&sim->good, &shape, &sim->message);
    if (!status) status = foi_simulation_solver_make(sim, was.method);
    if (!status) status = foi_simulation_fit(sim);
    if (!status) {
        foi_solver *o = &sim->solver;
        memcpy(sim->state.s.x, x, shape.states * sizeof *x);
        memcpy(o->x1, x, shape.states * sizeof *x);
        o->t0 = was.t0, o->t1 = was.t1, o->base = was.base, o->count = was.count;
        o->counts = was.counts, o->h_next = was.h_next;
        sim->watch.evaluations = evaluations;
        if (shape.guards) {
            memcpy(sim->watch.guard, k.sides, shape.guards * sizeof *k.sides);
            memcpy(sim->pulses, k.pulses, shape.guards * sizeof *k.pulses);
        }
    }
    foi_free(sim->allocator, k.sides);
    foi_free(sim->allocator, k.pulses);
    return status;
}

// ------------------------------------------------------------------------------------------ ending

fo_message *foi_simulation_words(fo_simulation *sim)
{
    return &sim->message;
}

void foi_simulation_give_up(fo_simulation *sim)
{
    sim->phase = FOI_FAILED;
}

double foi_simulation_stop(const fo_simulation *sim)
{
    return sim->def.stop;
}
