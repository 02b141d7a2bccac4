/// Stiffness that shows itself while the simulation runs, where the solver was chosen here.
///
/// An explicit method tells when a step was beyond the limit of its stability: there its steps are
/// as short as the fastest part of the system wants them, not as the solution does. That is a
/// suspicion, not a proof, and asking is cheaper than waiting for more of it: a stiff method tries
/// a step of several times the length from the same point. If it comes far enough, its step is kept
/// and it goes on. If not, the explicit method does. At small tolerances it may stay below the
/// limit for long though a stiff method would take longer steps: powers of h lambda stand in its
/// error, which are small far below the limit only. So now and then, while its steps are within a
/// twentieth of it, the trial is made without that cause. Between trials lie as many steps as were
/// taken before, so that what is tried in vain stays a small part of the work.
///
/// The way back is that of LSODA (Petzold, SIAM J. Sci. Stat. Comput. 4 (1983) 136): a stiff method
/// whose steps have for a while been so short that an explicit one would be stable with them gives
/// way to it.
///
/// Where a stiff method's iteration fails as often as it converges, a linearly implicit one, which
/// does not iterate, goes on to the end.
///
/// All this is counted in steps, and steps do not depend on who looks: neither does the result.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/math.h"
#include "simulation/internal.h"

enum {
    AHEAD = 16,    ///< lengths of the explicit step that the stiff method tries
    ENOUGH = 3,    ///< and how many it has to come: its step costs about so many explicit ones
    PATIENCE = 32, ///< explicit steps before a trial without a step beyond the limit
    RESPITE = 64,  ///< and after the way back
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
    o->system = now->system, o->first_step = h, o->size = now->size;
    fo_status status = foi_solver_prepare(o);
    if (status == FO_OK) status = foi_solver_begin(o, now->t1, now->x1, FOI_COLD);
    if (status == FO_OK && now->f1_valid && !method->foreign) {
        memcpy(o->f1, now->f1, o->n * sizeof(double));
        o->f1_valid = true;
    }
    return status;
}

/// Goes over to a method, without a trial.
static fo_status change(fo_simulation *sim, const foi_method *method, const char *because)
{
    foi_solver next;
    fo_status status = make(sim, method, 0, &next);
    if (status != FO_OK) {
        foi_solver_destroy(&next);
        return status;
    }
    explain(sim, method->info.name, because);
    replace(sim, &next);
    return FO_OK;
}

/// Counts a step beyond the limit: how many there were without CALM others between two of them.
static uint32_t count_step(fo_simulation *sim)
{
    enum { CALM = 6 };
    foi_stiffness *k = &sim->stiffness;
    uint64_t step = sim->solver.counts.steps;
    if (step > k->last_step + CALM) k->steps = 0;
    k->last_step = step;
    return ++k->steps;
}

/// A method of several steps begins with short ones of low order, and its trial would say nothing:
/// there steps are counted.
static fo_status count_stiff(fo_simulation *sim, const foi_method *stiff)
{
    enum { SURE = 5 };
    sim->solver.stiff = false;
    return count_step(sim) < SURE ? FO_OK : change(sim, stiff, "it is stiff");
}

/// What the factors of one trial cost, in evaluations of the rates: some E^2/n operations for E
/// entries of the Jacobian, against a few for each of the n rates.
static double price(const fo_simulation *sim)
{
    const fo_system_type *type = sim->solver.system.type;
    double n = sim->state.s.shape.states, entries = n * n;
    const fo_pattern *p =
        type->pattern ? type->pattern(sim->solver.system.model, &sim->state.s) : NULL;
    if (p && p->n == sim->state.s.shape.states) entries = p->start[p->n];
    return entries / n * (entries / n) / 4;
}

/// Whether a trial is worth its price now: as much was spent already, or the suspicion is strong
/// and the factors of some thousand dense rows would do.
static bool is_due(fo_simulation *sim, bool doubt)
{
    enum { STRONG = 15 };
    const double most = 1e7;
    double spent = (double)sim->solver.counts.rates, asked = price(sim);
    if (spent >= asked) return true;
    return !doubt && count_step(sim) >= STRONG && asked < most;
}

/// What a trial in vain has cost.
static foi_counts cost_of(const foi_solver *trial)
{
    foi_counts counts = trial->counts;
    counts.rejected += counts.steps, counts.steps = 0;
    return counts;
}

/// The stiff method's trial. Its failures, for want of memory too, are no failures of the run.
static fo_status try_stiff(fo_simulation *sim, const foi_method *stiff, double goal, bool *taken)
{
    foi_solver *now = &sim->solver, trial;
    double h = now->t1 - now->t0;
    now->stiff = false;
    if (goal - now->t1 < ENOUGH * h) return FO_OK; // too near for a comparison
    uint64_t steps = now->counts.steps, wait = steps > PATIENCE ? steps : PATIENCE;
    bool doubt = steps >= now->doubt_from, due = is_due(sim, doubt);
    if (doubt || due) now->doubt_from = steps + wait;
    if (!due) return FO_OK;
    now->look_from = steps + wait / 2;
    double ahead = doubt ? ENOUGH : AHEAD;
    fo_message kept = sim->message;
    fo_status status = make(sim, stiff, ahead * h, &trial);
    trial.budget = 1, trial.look_from = 1;
    trial.min_step = foi_fmax(trial.min_step, ENOUGH * h); // not worth the work below that
    if (status == FO_OK) status = stiff->march(&trial, now->t1, goal);
    if (status == FO_OK && trial.t1 - trial.t0 >= ENOUGH * h) {
        trial.min_step = sim->def.min_step;
        explain(sim, stiff->info.name, "it is stiff");
        replace(sim, &trial);
        *taken = true;
        return FO_OK;
    }
    foi_counts cost = cost_of(&trial);
    add(&now->counts, &cost);
    foi_solver_destroy(&trial);
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
    sim->solver.look_from = 1;
    sim->solver.doubt_from = sim->solver.counts.steps + RESPITE;
    return FO_OK;
}

/// To the method that does not iterate, for good.
static fo_status stop_iterating(fo_simulation *sim)
{
    const foi_method *method = foi_method_find("rodas4", NULL);
    fo_status status = change(sim, method, "Newton's iteration fails too often");
    if (status == FO_OK) sim->automatic = false;
    return status;
}

void foi_stiffness_start(fo_simulation *sim)
{
    if (!sim->automatic) return;
    const foi_method *stiff = foi_choose_stiff(sim);
    sim->stiffness.method = sim->solver.method;
    sim->solver.look_from = stiff ? 1 : 0;
    sim->solver.doubt_from = stiff && !stiff->foreign ? PATIENCE : 0;
}

fo_status foi_stiffness_compare(fo_simulation *sim, double goal, bool *taken)
{
    if (sim->solver.calm) return go_back(sim);
    const foi_method *now = sim->solver.method;
    if (now->baffled && now->baffled(&sim->solver)) return stop_iterating(sim);
    const foi_method *stiff = sim->solver.stiff ? foi_choose_stiff(sim) : NULL;
    if (!stiff) return FO_OK;
    return stiff->foreign ? count_stiff(sim, stiff) : try_stiff(sim, stiff, goal, taken);
}

fo_status foi_stiffness_relieve(fo_simulation *sim)
{
    const foi_method *stiff = foi_choose_stiff(sim);
    sim->automatic = false;
    return stiff ? change(sim, stiff, "it is stiff") : FO_OK;
}
