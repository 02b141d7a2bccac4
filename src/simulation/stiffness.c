/// Stiffness that shows itself while the simulation runs, where the solver was chosen here.
///
/// An explicit method tells when a step was beyond the limit of its stability: there its steps are
/// as short as the fastest part of the system wants them, not as the solution does. That is a
/// suspicion, not a proof, and asking is cheaper than waiting for more of it: a stiff method tries
/// a step of several times the length from the same point. If it comes far enough, its step is kept
/// and it goes on. If not, the explicit method does, and is asked again after as many steps as it
/// has taken so far, so that what is tried in vain stays a small part of the work.
///
/// The way back is that of LSODA (Petzold, SIAM J. Sci. Stat. Comput. 4 (1983) 136): a stiff method
/// whose steps have for a while been so short that an explicit one would be stable with them gives
/// way to it.
///
/// All this is counted in steps, and steps do not depend on who looks: neither does the result.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "simulation/internal.h"

enum {
    AHEAD = 16,    ///< lengths of the explicit step that the stiff method tries
    ENOUGH = 4,    ///< and how many it has to come
    PATIENCE = 16, ///< explicit steps between trials, at least
    RESPITE = 64,  ///< explicit steps after the way back, doubled each time
};

/// Says in the reason which method goes on from here, and why.
static void explain(fo_simulation *sim, const char *method, const char *why)
{
    foi_stiffness *k = &sim->stiffness;
    if (!k->changes++) k->reason = strlen(sim->reason);
    char times[32] = "";
    if (k->changes > 1) snprintf(times, sizeof times, "%u changes, ", k->changes);
    snprintf(sim->reason + k->reason, sizeof sim->reason - k->reason, "; %sfrom t = %.6g on %s: %s",
             times, sim->state.s.t, method, why);
}

static void add(foi_counts *to, const foi_counts *more)
{
    to->steps += more->steps, to->rejected += more->rejected;
    to->rates += more->rates, to->jacobians += more->jacobians;
    to->factorisations += more->factorisations, to->iterations += more->iterations;
}

/// Puts another solver in the place of the present one, which goes on counting.
static void replace(fo_simulation *sim, foi_solver *by)
{
    foi_counts counts = sim->solver.counts;
    add(&counts, &by->counts);
    foi_solver_destroy(&sim->solver);
    sim->solver = *by;
    sim->solver.counts = counts;
    sim->solver.first_step = sim->def.first_step;
}

/// A solver at the present point whose first step is to be h.
static fo_status make(fo_simulation *sim, const foi_method *method, double h, foi_solver *o)
{
    const foi_solver *now = &sim->solver;
    *o = foi_simulation_solver_define(sim, method);
    o->first_step = h;
    fo_status status = foi_solver_prepare(o);
    if (status == FO_OK) status = foi_solver_begin(o, now->t1, now->x1, FOI_COLD);
    if (status == FO_OK && now->f1_valid && !method->foreign) {
        memcpy(o->f1, now->f1, o->n * sizeof(double));
        o->f1_valid = true;
    }
    return status;
}

/// The stiff method's trial. Its failures are no failures of the run, but for want of memory.
static fo_status try_stiff(fo_simulation *sim, double goal, bool *taken)
{
    foi_solver *now = &sim->solver, trial;
    const foi_method *method = foi_choose_stiff(sim);
    double h = now->t1 - now->t0;
    now->stiff = false;
    now->look_from =
        now->counts.steps + (now->counts.steps > PATIENCE ? now->counts.steps : PATIENCE);
    if (!method) return FO_OK;
    fo_message kept = sim->message;
    fo_status status = make(sim, method, AHEAD * h, &trial);
    trial.budget = 1;
    if (status == FO_OK) status = method->march(&trial, now->t1, goal);
    bool far = status == FO_OK && (trial.t1 - trial.t0 >= ENOUGH * h || trial.t1 == goal);
    if (far) {
        explain(sim, method->info.name, "it is stiff");
        replace(sim, &trial);
        sim->solver.look_from = 1;
        *taken = true;
        return FO_OK;
    }
    add(&now->counts, &(foi_counts){.rejected = trial.counts.rejected + trial.counts.steps,
                                    .rates = trial.counts.rates,
                                    .jacobians = trial.counts.jacobians,
                                    .factorisations = trial.counts.factorisations,
                                    .iterations = trial.counts.iterations});
    foi_solver_destroy(&trial);
    if (status == FO_ERROR_MEMORY) return status;
    sim->message = kept;
    return FO_OK;
}

/// Back to the explicit method, with steps of the length that the stiff one has now.
static fo_status go_back(fo_simulation *sim)
{
    foi_stiffness *k = &sim->stiffness;
    foi_solver next;
    fo_status status = make(sim, k->method, sim->solver.h_next, &next);
    if (status != FO_OK) {
        foi_solver_destroy(&next);
        return status;
    }
    explain(sim, k->method->info.name, "it is stiff no more");
    replace(sim, &next);
    unsigned doubled = k->changes / 2 < 20 ? k->changes / 2 : 20;
    sim->solver.look_from = sim->solver.counts.steps + ((uint64_t)RESPITE << doubled);
    return FO_OK;
}

void foi_stiffness_start(fo_simulation *sim)
{
    if (!sim->automatic) return;
    sim->stiffness.method = sim->solver.method;
    sim->solver.look_from = 1;
}

fo_status foi_stiffness_look(fo_simulation *sim, double goal, bool *taken)
{
    *taken = false;
    if (!sim->automatic) return FO_OK;
    if (sim->solver.stiff) return try_stiff(sim, goal, taken);
    return sim->solver.calm ? go_back(sim) : FO_OK;
}

fo_status foi_stiffness_relieve(fo_simulation *sim)
{
    const foi_method *stiff = foi_choose_stiff(sim);
    sim->automatic = false;
    if (!stiff) return FO_OK;
    foi_solver next;
    fo_status status = make(sim, stiff, 0, &next);
    if (status != FO_OK) {
        foi_solver_destroy(&next);
        return status;
    }
    explain(sim, stiff->info.name, "it is stiff");
    replace(sim, &next);
    return FO_OK;
}
