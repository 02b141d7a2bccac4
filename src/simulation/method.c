// Another method or accuracy from the present on.
#include <math.h>
#include <stddef.h>

#include "simulation/internal.h"

// The visible state may lie inside the solver's last step: the new solver starts there.
static fo_status settle_here(fo_simulation *sim)
{
    fo_state *s = &sim->state.s;
    const fo_system_type *type = sim->system.type;
    fo_status status = FO_OK;
    if (sim->searched && type->settle) status = type->settle(sim->system.model, s, s->t, s->x);
    if (status == FO_OK && sim->searched && sim->watching)
        status = foi_watch_move(&sim->watch, &sim->solver, s);
    return status;
}

static fo_status begin_here(fo_simulation *sim, const foi_method *method)
{
    foi_counts counts = sim->solver.counts;
    const fo_state *s = &sim->state.s;
    fo_status status = foi_simulation_solver_make(sim, method);
    if (status != FO_OK) return status;
    sim->solver.counts = counts;
    sim->searched = false;
    sim->root = INFINITY;
    return foi_solver_begin(&sim->solver, s->t, s->x, FOI_COLD);
}

fo_status fo_simulation_change_method(fo_simulation *sim, const char *solver, double step,
                                      double rtol)
{
    const foi_method *method = foi_method_find(solver, &sim->message);
    if (!method) return sim->message.status;
    fo_status status = settle_here(sim);
    if (status != FO_OK) return status;
    sim->def.step = step, sim->def.rtol = rtol;
    status = begin_here(sim, method);
    if (status == FO_OK) sim->automatic = false, sim->solver.look_from = 0;
    return status;
}

// ------------------------------------------------------------------------------------- accuracy

fo_accuracy fo_simulation_accuracy(const fo_simulation *sim)
{
    const fo_run_def *def = &sim->def;
    return (fo_accuracy){def->rtol, def->atol, def->min_step, def->max_step};
}

void foi_accuracy_take(fo_simulation *sim, const fo_accuracy *to)
{
    sim->def.rtol = to->rtol, sim->def.atol = to->atol;
    sim->def.min_step = to->min_step, sim->def.max_step = to->max_step;
}

// What is negative stays as it is.
static fo_status resolve(const fo_simulation *sim, const fo_accuracy *to, fo_accuracy *whole,
                         fo_message *why)
{
    const double asked[] = {to->rtol, to->atol, to->min_step, to->max_step};
    *whole = fo_simulation_accuracy(sim);
    double *at[] = {&whole->rtol, &whole->atol, &whole->min_step, &whole->max_step};
    for (int i = 0; i < 4; i++)
        if (!(asked[i] < 0)) *at[i] = asked[i];
    return foi_check_accuracy(whole, why);
}

fo_status foi_accuracy_in_jump(fo_host *host, fo_state *s, const fo_accuracy *to)
{
    fo_simulation *sim = (fo_simulation *)((char *)host - offsetof(fo_simulation, host));
    fo_accuracy whole;
    fo_status status = resolve(sim, to, &whole, s->message);
    if (status != FO_OK) return status;
    foi_accuracy_take(sim, &whole);
    sim->refit = sim->restart = true;
    return FO_OK;
}

fo_status fo_simulation_change_accuracy(fo_simulation *sim, const fo_accuracy *to)
{
    fo_accuracy whole;
    fo_status status = resolve(sim, to, &whole, &sim->message);
    if (status != FO_OK) return status;
    if (sim->phase != FOI_RUNNING) { // before the start: as if it had been defined so
        foi_accuracy_take(sim, &whole);
        return foi_simulation_solver_make(sim, sim->solver.method);
    }
    if ((status = settle_here(sim)) != FO_OK) return status;
    foi_accuracy_take(sim, &whole);
    return begin_here(sim, sim->solver.method);
}
