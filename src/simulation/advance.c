/// The one loop. Every driver of time calls it: batch, live, co-simulation, cluster.
///
/// The simulation stands at the present s->t; the solver's last step [t0, t1] may reach past it.
/// Each turn goes to the nearest of: the end of that step, the first moment found on it, the next
/// thing from outside, and the time that was asked for.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/inline.h"
#include "math/math.h"
#include "simulation/internal.h"

/// Without fmin's rules for what is not a number: inlined.
static inline double least(double a, double b)
{
    return a < b ? a : b;
}

static double present(const fo_simulation *sim)
{
    return sim->state.s.t;
}

/// Moves the visible state to time t on the last step.
static fo_status stand_at(fo_simulation *sim, double t)
{
    foi_solver *o = &sim->solver;
    fo_state *s = &sim->state.s;
    if (t >= o->t1) {
        if (o->n) memcpy(s->x, o->x1, o->n * sizeof(double));
    } else if (o->t1 > o->t0) {
        fo_status status = foi_solver_dense(o);
        if (status != FO_OK) return status;
        foi_dense_at(o, (t - o->t0) / (o->t1 - o->t0), s->x);
    }
    if (t > s->t) s->k = 0;
    s->t = t;
    return foi_is_held(sim) ? foi_hold_project(sim->hold, t, s->x) : FO_OK;
}

static void on_step(void *self, double t, double *x, double *dx)
{
    const fo_simulation *sim = self;
    const foi_solver *o = &sim->solver;
    double h = o->t1 - o->t0, theta = (t - o->t0) / h;
    if (!o->n) return;
    foi_dense_at(o, theta, x);
    foi_dense_slope(o, theta, dx);
    for (uint32_t i = 0; i < o->n; i++) dx[i] /= h;
    if (foi_is_held(sim)) (void)foi_hold_project(sim->hold, t, x);
}

/// The last step up to the present.
static FOI_SELDOM fo_status record(fo_simulation *sim)
{
    foi_solver *o = &sim->solver;
    fo_state *s = &sim->state.s;
    if (!(o->t1 > o->t0) || !(s->t > o->t0 && s->t <= o->t1)) return FO_OK;
    fo_status status = o->n ? foi_solver_dense(o) : FO_OK;
    const fo_path path = {.from = o->t0,
                          .to = s->t,
                          .rtol = o->rtol,
                          .atol = o->n ? o->atol : 0,
                          .self = sim,
                          .at = on_step};
    return status == FO_OK ? sim->system.type->record(sim->system.model, s, &path) : status;
}

static fo_status settle(fo_simulation *sim)
{
    const fo_system_type *type = sim->system.type;
    fo_state *s = &sim->state.s;
    fo_status status = type->record ? record(sim) : FO_OK;
    return status == FO_OK && type->settle ? type->settle(sim->system.model, s, s->t, s->x)
                                           : status;
}

/// The solver goes over to what holds a guard at zero, or back.
static FOI_SELDOM fo_status refit(fo_simulation *sim)
{
    foi_counts counts = sim->solver.counts;
    double next = sim->solver.h_next, t0 = sim->solver.t0, t1 = sim->solver.t1;
    sim->refit = false;
    fo_status status = foi_simulation_solver_make(sim, sim->solver.method);
    sim->solver.counts = counts;
    sim->solver.h_next = next, sim->solver.t0 = t0, sim->solver.t1 = t1;
    return status;
}

/// How far the next step may go after a moment, in units of the way from the last one. Moments tend
/// to come at much the same distance: a step far beyond the next one is of no use. But where a
/// guard is zero and rounding moves it (a machine that stands still), each step has a moment
/// anywhere in it, and the next one a share of 1.25 u, u from 0 to 1: the mean of log(1.25 u) is
/// negative, and steps of 1e-30 s would stay so short for good. That of log(4 u) is not.
static double reach(const fo_simulation *sim)
{
    enum { MANY = 64 };
    return sim->automatic && sim->chatter.count > MANY ? 4 : 1.25;
}

/// Whether something that is not held has its moments now: a ball beside one that rests hops on.
/// Steps far beyond its next impact would be of no use, or worse: near their left ends the values
/// of an implicit method may be less exact than a low hop is high.
static bool moves_beside(const fo_simulation *sim)
{
    for (uint32_t i = 0; i < sim->pulse_count; i++) {
        const foi_pulse *p = &sim->pulses[i];
        bool hops = p->interval > 0 && sim->state.s.t - p->last <= p->interval;
        if (hops && !sim->hold->owner[i]) return true;
    }
    return false;
}

/// A contact that has left its rest at this instant did so with a slope of zero, and the polynomial
/// of an implicit method need not begin with that: on a long step it may go back behind zero at
/// first, by less than the tolerance, which would be an impact.
static bool leaves_rest(const fo_simulation *sim)
{
    return sim->hold && sim->hold->leaves && (sim->solver.method->info.traits & FO_STIFF);
}

/// What jumps ask for afterwards: a solver for another shape, or a new start.
static fo_status start_anew(fo_simulation *sim)
{
    fo_state *s = &sim->state.s;
    if (sim->reshaped) {
        sim->reshaped = false;
        sim->solver.n = s->shape.states;
        fo_status status = foi_solver_prepare(&sim->solver);
        if (status != FO_OK) return status;
        sim->restart = true;
    }
    if (!sim->restart) return FO_OK;
    sim->restart = false;
    sim->searched = false;
    bool rests = sim->refit && foi_is_held(sim) && foi_hold_proves_rest(sim->hold);
    if (sim->refit) {
        fo_status status = refit(sim);
        if (status != FO_OK) return status;
    }
    // jumps tend to come at much the same distance: a step far beyond the next one is of no use
    foi_solver *o = &sim->solver;
    double apart = reach(sim) * (s->t - sim->last_jump), last = 0.25 * (o->t1 - o->t0);
    sim->last_jump = s->t;
    if (sim->trail) foi_trail_clear(sim->trail);
    if (apart < last) apart = last;
    if (sim->hop > 0 && sim->hop < apart) apart = sim->hop;
    sim->hop = 0;
    if (apart > 0 && apart < o->h_next) o->h_next = apart;
    // what rests does not hop any more: how far apart the last moments were says nothing
    if (rests && !moves_beside(sim)) o->h_next = foi_held_step(sim);
    if (leaves_rest(sim)) o->h_next = foi_fmin(o->h_next, 0x1p-20 * foi_held_step(sim));
    return foi_solver_begin(&sim->solver, s->t, s->x, FOI_JUMP);
}

/// The model stops while something is held: what the last rows show is seen in the modes of now.
static FOI_SELDOM fo_status stop_held(fo_simulation *sim)
{
    bool differ;
    fo_status status = foi_hold_modes(sim->hold, &differ);
    return status == FO_OK ? foi_show_after(sim) : status;
}

/// The jumps at the present instant.
static fo_status jump_now(fo_simulation *sim, bool *stop)
{
    bool looks = sim->system.about->outputs_fail;
    fo_status status = looks ? foi_finite_moment(sim) : FO_OK;
    sim->crawl.steps = sim->crawl.flips = 0, sim->eventful = true;
    if (status == FO_OK) status = foi_together(sim);
    if (status == FO_OK) status = foi_happen(sim, stop);
    bool later = sim->after;
    if (looks && !later && status == FO_OK) status = foi_finite_jump(sim);
    if (status == FO_OK && !*stop) status = foi_hold_look(sim, stop);
    if (status == FO_OK && sim->after) status = stop_held(sim);
    if (looks && later && status == FO_OK) status = foi_finite_jump(sim);
    return status == FO_OK ? start_anew(sim) : status;
}

/// The solver does not keep to a surface by itself: when it has strayed by more than a small part
/// of its tolerance it begins again on it. Methods that would forget their history may stray
/// farther.
static FOI_SELDOM fo_status keep_to_surface(fo_simulation *sim)
{
    foi_solver *o = &sim->solver;
    const fo_state *s = &sim->state.s;
    fo_status status = foi_hold_settle(sim);
    if (status != FO_OK) return status;
    for (uint32_t i = 0; i < o->n; i++) sim->sample[i] = o->x1[i] - s->x[i];
    bool forgets = o->method->foreign || foi_rest_begins_low(sim);
    double most = forgets ? 2 : 0x1p-10;
    if (foi_error_norm(o, sim->sample, s->x, s->x, NULL) <= most) return FO_OK;
    return foi_solver_begin(o, s->t, s->x, FOI_JUMP);
}

/// The solver's failure, with the state as it was at the last good point.
static FOI_FAILING fo_status march_failed(fo_simulation *sim, fo_status status)
{
    foi_solver *o = &sim->solver;
    if (o->t1 > present(sim)) {
        if (o->n) memcpy(sim->state.s.x, o->x1, o->n * sizeof(double));
        sim->state.s.t = o->t1;
    }
    if (foi_escape(sim, status)) return status;
    if (status == FO_ERROR_STEP && sim->automatic && !(o->method->info.traits & FO_STIFF)) {
        foi_rows_upto(sim, o->t1);
        return foi_stiffness_relieve(sim);
    }
    if (status == FO_RETRY)
        return fo_fail(&sim->message, FO_ERROR_MODEL,
                       "'%s' cannot be evaluated near t = %.15g, with however short a step",
                       sim->system.about->name, present(sim));
    return status;
}

/// Without states there is nothing to integrate: one step to the goal, or as far as guards of time
/// alone can be trusted to be sampled.
static FOI_SELDOM fo_status leap(foi_solver *o, double goal)
{
    o->t0 = o->t1;
    o->t1 = o->max_step > 0 ? least(goal, o->t0 + o->max_step) : goal;
    o->degree = 0;
    o->dense_ready = true;
    o->counts.steps++;
    return FO_OK;
}

/// A system that steps itself may have ended inside of its step: then its next moment is before the
/// step's end, and what it has computed is there.
static FOI_SELDOM fo_status end_early(fo_simulation *sim)
{
    foi_solver *o = &sim->solver;
    double next;
    fo_status status = foi_next_moment(sim, &next);
    if (next < o->t1) o->t1 = next > o->t0 ? next : o->t0;
    return status;
}

/// How many steps the solver may take before it comes back: fewer where one is much work.
static uint64_t steps_left(const fo_simulation *sim)
{
    uint64_t some = 16384 / (16 + (uint64_t)sim->solver.n);
    uint64_t budget = sim->reports_progress ? some + !some : UINT64_C(1) << 30;
    if (budget > sim->slice) budget = sim->slice;
    if (!sim->def.max_steps) return budget;
    uint64_t done = sim->solver.counts.steps, most = sim->def.max_steps;
    uint64_t left = most > done ? most - done : 1;
    return left < budget ? left : budget;
}

/// Whether a system that takes steps by itself may let the moments happen that it knows in advance:
/// nobody sees them, and nothing but the state, the solver's start and its step follows from them.
static bool may_pass(const fo_simulation *sim)
{
    const fo_system_type *type = sim->system.type;
    bool seen = sim->hears_moments || sim->each_step;
    for (uint32_t i = 0; i < sim->seat_count; i++) seen |= sim->seats[i].who.row != NULL;
    return type->march && !seen && !sim->watching && !sim->automatic && !sim->hold &&
           !sim->stretch && !sim->divisors.block && !sim->system.about->outputs_fail &&
           !type->settle && foi_solver_tolerance_stays(&sim->solver);
}

/// A march, in which moments may have happened.
static fo_status march(fo_simulation *sim, double attention, double goal)
{
    foi_solver *o = &sim->solver;
    o->passes = may_pass(sim), o->passed = 0;
    o->until = least(attention, sim->def.stop), o->last_jump = sim->last_jump;
    uint64_t before = o->counts.steps;
    bool quiet = o->quiet.sides != NULL;
    fo_status status = o->method->march(o, attention, goal);
    sim->moments += o->passed;
    if (o->passed) sim->last_jump = o->last_jump;
    if (!quiet && !o->quiet.hops) return status;
    fo_status taken = foi_quiet_take(sim, o->counts.steps - before, status != FO_OK);
    return status == FO_OK ? taken : status;
}

/// Where only divisors want to see every step: steps until one is not clear, or someone else wants
/// to.
static FOI_SELDOM fo_status march_divided(fo_simulation *sim, double attention, double goal)
{
    foi_solver *o = &sim->solver;
    uint64_t budget = o->budget;
    fo_status status = FO_OK;
    sim->divisors.at = NAN;
    do {
        o->budget = 1;
        status = march(sim, attention, goal);
    } while (status == FO_OK && --budget && o->t1 < attention && o->t1 < goal &&
             foi_divisors_clear(sim));
    return status;
}

/// Takes steps towards the next goal and looks for moments on the last one.
static fo_status step_on(fo_simulation *sim, double until)
{
    foi_solver *o = &sim->solver;
    double goal, next;
    fo_status status = foi_next_moment(sim, &next);
    if (status != FO_OK) return status;
    goal = least(sim->def.stop, next);
    bool divided = sim->each_divided && !sim->automatic && !foi_is_held(sim);
    bool all = sim->each_step && !divided;
    double attention = all ? present(sim) : least(until, foi_rows_next(sim));
    bool taken;
    if ((status = foi_stiffness_look(sim, goal, &taken)) != FO_OK) return status;
    o->budget = foi_crawl_budget(sim, steps_left(sim));
    if (sim->watching) foi_quiet_ask(sim, least(until, foi_rows_next(sim)));
    sim->eventful = false;
    uint64_t before = o->counts.steps;
    if (!taken)
        status = !o->n     ? leap(o, goal)
                 : divided ? march_divided(sim, attention, goal)
                           : march(sim, attention, goal);
    if (status != FO_OK && foi_across(sim, goal)) {
        sim->searched = true;
        return FO_OK;
    }
    if (status == FO_OK && sim->system.type->stepper) status = end_early(sim);
    if (status == FO_OK && !taken) status = foi_crawl_look(sim, o->counts.steps - before);
    if (status != FO_OK) return march_failed(sim, status);
    if (foi_is_implicit(sim)) foi_trail_note(&sim->trail, sim->allocator, o->t1, o->x1, o->n);
    sim->searched = true;
    sim->root = INFINITY;
    if (sim->watching) status = foi_watch_search(&sim->watch, o, present(sim), &sim->root);
    if (status == FO_OK) status = foi_shorten(sim);
    if (status == FO_OK) status = foi_hold_search(sim, present(sim));
    if (status != FO_OK) { // the step is of no use: the last good point is its beginning
        memcpy(o->x1, o->x0, o->n * sizeof(double));
        o->t1 = o->t0;
        return status;
    }
    if (sim->reports_progress) status = foi_rows_progress(sim);
    if (status == FO_OK && sim->def.max_steps && o->counts.steps >= sim->def.max_steps &&
        o->t1 < until)
        status = fo_fail(&sim->message, FO_ERROR_STEP, "more than %llu steps, at t = %.15g",
                         (unsigned long long)sim->def.max_steps, o->t1);
    return status;
}

/// At the end of the step: commits it, and lets happen what was scheduled for it.
static fo_status end_of_step(fo_simulation *sim, bool *stop)
{
    double from = present(sim);
    fo_status status = stand_at(sim, sim->solver.t1);
    if (status != FO_OK) return status;
    if (sim->watching) foi_watch_pass(&sim->watch);
    sim->searched = false;
    if ((status = settle(sim)) != FO_OK) return status;
    if ((status = foi_rows_upto(sim, sim->solver.t1)) != FO_OK) return status;
    if ((status = foi_rows_show(sim, FO_ROW_STEP)) != FO_OK) return status;
    if ((status = foi_gather_due(sim)) != FO_OK) return status;
    if (sim->cause_count) return jump_now(sim, stop);
    if (sim->system.about->outputs_fail && (status = foi_finite_step(sim, from)) != FO_OK)
        return status;
    return foi_is_held(sim) ? keep_to_surface(sim) : FO_OK;
}

/// At a root: the state is the one just past it.
static fo_status at_root(fo_simulation *sim, bool *stop)
{
    foi_solver *o = &sim->solver;
    fo_state *s = &sim->state.s;
    if (!foi_watch_fires(&sim->watch)) return foi_watch_refuse(&sim->watch, o, sim->root);
    if (sim->root > s->t) s->k = 0;
    s->t = sim->root;
    for (uint32_t i = 0; i < o->n; i++) s->x[i] = sim->watch.x[i];
    foi_watch_fired(&sim->watch);
    fo_status status = foi_is_held(sim) ? foi_hold_project(sim->hold, s->t, s->x) : FO_OK;
    if (foi_is_held(sim) && status == FO_OK)
        status = foi_watch_put(&sim->watch, o, s, sim->hold->owner);
    if (status == FO_OK) status = settle(sim);
    if (status == FO_OK) status = foi_gather_watched(sim);
    if (status == FO_OK) status = foi_gather_due(sim);
    if (status == FO_OK) status = jump_now(sim, stop);
    if (status != FO_OK || *stop || !sim->searched) return status;
    // nothing that the solver sees has changed: the rest of the step is still good
    if (s->t >= o->t1) {
        sim->searched = false;
        return FO_OK;
    }
    status = foi_watch_search(&sim->watch, o, s->t, &sim->root);
    return status == FO_OK ? foi_hold_search(sim, s->t) : status;
}

/// Where something is held no more.
static FOI_SELDOM fo_status at_end_of_hold(fo_simulation *sim, double t, bool *stop)
{
    fo_status status = stand_at(sim, t);
    if (status == FO_OK) status = foi_watch_move(&sim->watch, &sim->solver, &sim->state.s);
    if (status == FO_OK) status = settle(sim);
    if (status == FO_OK) status = foi_hold_end(sim);
    if (status == FO_OK) status = foi_gather_due(sim);
    return status == FO_OK ? jump_now(sim, stop) : status;
}

/// Something came from outside before the end of the step: it is cut there.
static FOI_SELDOM fo_status from_outside(fo_simulation *sim, double t, bool *stop)
{
    fo_status status = stand_at(sim, t);
    if (status != FO_OK) return status;
    if (sim->watching && sim->searched) {
        status = foi_watch_move(&sim->watch, &sim->solver, &sim->state.s);
        if (status != FO_OK) return status;
    }
    if (sim->searched && (status = settle(sim)) != FO_OK) return status;
    if ((status = foi_gather_due(sim)) != FO_OK) return status;
    if ((status = jump_now(sim, stop)) != FO_OK || *stop || !sim->searched) return status;
    if (!sim->watching) return FO_OK;
    status = foi_watch_search(&sim->watch, &sim->solver, t, &sim->root);
    return status == FO_OK ? foi_hold_search(sim, t) : status;
}

/// Nothing flows and nobody watches: a system that can run its moments by itself may.
static bool runs_itself(const fo_simulation *sim)
{
    return sim->system.type->run && !sim->state.s.shape.states && !sim->watching &&
           !sim->hears_moments && !sim->follow.who.piece;
}

/// How far it may go before someone wants to hear of its progress.
static double pause_of(const fo_simulation *sim)
{
    double part = foi_run_scale(&sim->def) / 256;
    return sim->reports_progress || sim->slice < UINT64_MAX ? present(sim) + part : INFINITY;
}

static FOI_SELDOM fo_status run_itself(fo_simulation *sim, double until, bool *stop)
{
    fo_state *s = &sim->state.s;
    foi_solver *o = &sim->solver;
    fo_effect e = {0};
    s->k = 0;
    fo_status status = sim->system.type->run(sim->system.model, s, until, &e);
    o->t0 = o->t1 = s->t;
    if (status == FO_OK && sim->reshaped) {
        bool any = false;
        status = foi_simulation_fit(sim);
        if (status == FO_OK && sim->watching) status = foi_watch_start(&sim->watch, o, s, &any);
        if (status == FO_OK && any) status = foi_gather_watched(sim);
        if (status == FO_OK) status = sim->cause_count ? jump_now(sim, stop) : start_anew(sim);
    }
    *stop |= e.stop;
    if (e.stop) fo_fail(&sim->message, FO_STOPPED, "the model");
    if (status == FO_OK && sim->reports_progress) status = foi_rows_progress(sim);
    return status == FO_OK ? foi_rows_upto(sim, s->t) : status;
}

/// One turn of the loop towards time t. *there when it is reached with nothing more due.
static fo_status turn(fo_simulation *sim, double t, bool *there, bool *stop)
{
    double now = present(sim);
    double outside = sim->queued ? foi_fmax(sim->queue[0].t, now) : INFINITY;
    double until = least(t, outside);
    if (!sim->searched) {
        if (outside <= now) return from_outside(sim, now, stop);
        if (runs_itself(sim) && now < t)
            return run_itself(sim, least(least(until, foi_rows_next(sim)), pause_of(sim)), stop);
        double next;
        fo_status status = foi_next_moment(sim, &next);
        if (status != FO_OK) return status;
        if (next <= now) {
            status = foi_gather_due(sim);
            return status == FO_OK ? jump_now(sim, stop) : status;
        }
        *there = now >= t;
        return *there ? FO_OK : step_on(sim, until);
    }
    double ends = foi_is_held(sim) ? sim->hold->until : INFINITY;
    double end = sim->solver.t1, stand = least(least(least(end, ends), sim->root), until);
    fo_status status = FO_OK;
    if (sim->stretch) status = foi_finite_between(sim, now, stand);
    if (sim->stretch && !foi_is_held(sim) && status == FO_OK)
        status = foi_poles_between(sim, now, stand);
    bool slides = foi_is_held(sim) && sim->hold->slides; // in a mode that is not that of the model
    if (sim->divisors.block && !slides && status == FO_OK)
        status = foi_divisors_between(sim, now, stand);
    // fixed steps go on for some time where a state escapes, and what lies between them is nothing
    if (status == FO_ERROR_NUMBER) foi_escape_beyond(sim, status);
    // a row at the end of a step shows what the system has settled there, as everybody sees it then
    bool settles = stand == end && stand != sim->root && stand != ends && sim->system.type->settle;
    settles |= stand == sim->root && !foi_watch_fires(&sim->watch); // nothing is there to be seen
    if (status == FO_OK) status = settles ? foi_rows_before(sim, stand) : foi_rows_upto(sim, stand);
    // what someone follows does not depend on where others look at the run
    bool ends_piece = stand == sim->root || stand == ends || stand == end || stand == outside;
    if (status == FO_OK && ends_piece) status = foi_follow_upto(sim, stand);
    if (status != FO_OK) return status;
    // at one instant what comes from outside is gathered with the rest, so a root goes first
    if (stand == sim->root) return at_root(sim, stop);
    if (stand == ends) return at_end_of_hold(sim, ends, stop);
    if (stand == end) return end_of_step(sim, stop);
    if (stand == outside) return from_outside(sim, stand, stop);
    *there = true;
    return stand_at(sim, stand);
}

static fo_status check(fo_simulation *sim, double t)
{
    if (!isfinite(t))
        return fo_fail(&sim->message, FO_ERROR_ARGUMENT, "cannot advance to t = %g", t);
    // where impacts accumulate the limit may be later than the time that was asked for
    bool passed_over = present(sim) == sim->over_to && t >= sim->over_from;
    if (t < present(sim) && !passed_over)
        return fo_fail(&sim->message, FO_ERROR_ARGUMENT,
                       "cannot advance to t = %.15g: the simulation is at %.15g already "
                       "(fo_simulation_restore goes back)",
                       t, present(sim));
    if (t > sim->def.stop)
        return fo_fail(&sim->message, FO_ERROR_ARGUMENT,
                       "cannot advance to t = %.15g: the definition's stop is %.15g", t,
                       sim->def.stop);
    return FO_OK;
}

/// The end of the run, for systems that do something there.
static fo_status finish(fo_simulation *sim)
{
    const fo_system_type *type = sim->system.type;
    if (!type->finish) return FO_OK;
    sim->state.s.k++;
    fo_status status = type->finish(sim->system.model, &sim->state.s);
    return status == FO_OK ? foi_rows_show(sim, FO_ROW_AFTER) : status;
}

/// Turns until time t, the model's stop, or the end of the slice.
static fo_status go_on(fo_simulation *sim, double t, bool *there, bool *stop)
{
    fo_status status = FO_OK;
    uint64_t end = sim->slice, turns = 0, begin = sim->solver.counts.steps;
    while (status == FO_OK && !*there && !*stop) {
        uint64_t done = sim->solver.counts.steps - begin;
        done = done > turns ? done : turns;
        if (done >= end) return FO_PAUSED;
        sim->slice = end - done;
        status = turn(sim, t, there, stop);
        turns++;
    }
    return status;
}

fo_status fo_simulation_advance(fo_simulation *sim, double t)
{
    return fo_simulation_advance_some(sim, t, UINT64_MAX);
}

fo_status fo_simulation_advance_some(fo_simulation *sim, double t, uint64_t steps)
{
    if (sim->phase == FOI_FAILED) return sim->message.status;
    if (sim->phase == FOI_STOPPED) return FO_STOPPED;
    fo_status status = check(sim, t);
    if (status != FO_OK) return status;
    if (t < present(sim)) return FO_REACHED;
    if (sim->phase == FOI_NEW && (status = fo_simulation_start(sim)) != FO_OK) return status;
    bool there = false, stop = false, going = present(sim) < sim->def.stop || sim->paused;
    sim->slice = steps ? steps : 1;
    status = go_on(sim, t, &there, &stop);
    sim->paused = status == FO_PAUSED && going;
    if (status == FO_PAUSED) return status;
    bool ends = status == FO_OK && there && t == sim->def.stop;
    if (ends && going && !foi_is_held(sim)) status = foi_escape_at_stop(sim);
    if (ends && status == FO_OK) status = foi_rows_show(sim, FO_ROW_SAMPLE);
    if (status == FO_OK && going && (stop || t == sim->def.stop)) status = finish(sim);
    if (status == FO_RETRY) { // nobody is there who could take a shorter step
        status = FO_ERROR_CONVERGE;
        fo_fail(&sim->message, status,
                foi_is_held(sim)
                    ? "the model has no rates at t = %.15g, where a guard is held at zero"
                    : "the model's outputs are not known in the step after t = %.15g: a "
                      "delay there is shorter than the step (--max-step makes steps "
                      "shorter), or a solution cannot be followed",
                present(sim));
    }
    if (status != FO_OK) {
        if (sim->message.status != status)
            fo_fail(&sim->message, status, "%s at t = %.15g", fo_status_text(status), present(sim));
        sim->phase = FOI_FAILED;
        return status;
    }
    if (stop) sim->phase = FOI_STOPPED;
    return stop ? FO_STOPPED : FO_REACHED;
}
