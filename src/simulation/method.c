// Another method from the present on.
#include <math.h>

#include "simulation/internal.h"

// The visible state may lie inside the solver's last step: the new method starts there.
fo_status fo_simulation_change_method(fo_simulation *sim, const char *solver, double step,
                                      double rtol)
{
    const foi_method *method = foi_method_find(solver, &sim->message);
    if (!method) return sim->message.status;
    fo_state *s = &sim->state.s;
    const fo_system_type *type = sim->system.type;
    foi_counts counts = sim->solver.counts;
    fo_status status = FO_OK;
    if (sim->searched && type->settle) status = type->settle(sim->system.model, s, s->t, s->x);
    if (status == FO_OK && sim->searched && sim->watching)
        status = foi_watch_move(&sim->watch, &sim->solver, s);
    if (status != FO_OK) return status;
    sim->def.step = step, sim->def.rtol = rtol;
    status = foi_simulation_solver_make(sim, method);
    if (status != FO_OK) return status;
    sim->solver.counts = counts;
    sim->searched = sim->automatic = false;
    sim->root = INFINITY;
    return foi_solver_begin(&sim->solver, s->t, s->x, FOI_COLD);
}
