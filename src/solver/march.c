/// A march of an explicit Runge-Kutta method over a system that can take steps by itself, as a
/// compiled program can: the system takes the ordinary ones, and what it leaves (the step that
/// lands on the goal, one that fails or is too long) is taken here, as for any other system.
#include "solver/erk.h"

enum { ASK_AGAIN = 256 }; ///< steps after which a system that had no code of its own is asked again

static fo_march march_of(const foi_solver *o, double attention, double goal, uint64_t budget)
{
    return (fo_march){.method = o->method->info.name,
                      .x0 = o->x0,
                      .f0 = o->f0,
                      .x1 = o->x1,
                      .f1 = o->f1,
                      .k = foi_erk_stage(o, 1),
                      .w = foi_erk_w(o),
                      .t0 = o->t0,
                      .t1 = o->t1,
                      .stop = attention < goal ? attention : goal,
                      .goal = goal,
                      .budget = budget,
                      .step = o->step,
                      .base = o->base,
                      .count = (double)o->count,
                      .h = o->h_next,
                      .before = o->own[FOI_ERK_LOG_ERROR],
                      .rtol = o->rtol,
                      .atol = o->atol,
                      .longest = o->max_step > 0 ? o->max_step : INFINITY,
                      .shortest = o->min_step,
                      .wary = o->own[FOI_ERK_WARY],
                      .until = o->passes ? o->until : -INFINITY,
                      .last_jump = o->last_jump};
}

// The steps that the system took. The last one's vectors are where an ordinary step leaves them.
static void book(foi_solver *o, const foi_tableau *T, const fo_march *m)
{
    o->x0 = m->x0, o->f0 = m->f0, o->x1 = m->x1, o->f1 = m->f1;
    if (!m->steps) return; // what it tried in vain is tried again
    o->last_jump = m->last_jump, o->passed += m->moments;
    o->counts.rates += m->moments; // each is a new start
    foi_erk_run run = {.t0 = m->t0,
                       .t1 = m->t1,
                       .h = m->h,
                       .taken = m->taken,
                       .error2 = m->error2,
                       .before = m->before,
                       .wary = m->heeds ? m->wary : o->own[FOI_ERK_WARY],
                       .steps = m->steps,
                       .tries = m->tries,
                       .base = m->moments ? m->last_jump : m->base,
                       .count = m->count};
    foi_erk_place p = {o->x0, o->f0, o->x1, o->f1, foi_erk_stage(o, 1), foi_erk_w(o), false};
    bool seen = m->stability > 0 && foi_erk_beyond(T, &p, o->n, m->taken, m->stability);
    foi_erk_book(o, T, &run);
    o->base = run.base, o->count = (uint64_t)run.count;
    o->stiff = seen;
}

// Steps before the first that is looked at, or looked at in doubt, are a march of their own.
static fo_march next_march(const foi_solver *o, const foi_tableau *T, double attention, double goal,
                           uint64_t budget)
{
    uint64_t unseen = foi_erk_unseen(o, T, false), sure = foi_erk_unseen(o, T, true);
    if (unseen && unseen < budget) budget = unseen;
    if (sure && sure < budget) budget = sure;
    fo_march m = march_of(o, attention, goal, budget);
    if (!unseen) m.stability = foi_erk_limit(T, !sure);
    return m;
}

fo_status foi_erk_march_inlined(foi_solver *o, const foi_tableau *T, double attention, double goal,
                                foi_erk_march_function *ordinary)
{
    double stop = attention < goal ? attention : goal;
    uint64_t budget = o->budget, from = o->counts.steps, done = 0;
    fo_status status = FO_OK;
    bool heeds = false;
    do {
        if (!o->f1_valid || !(o->h_next > 0)) status = foi_erk_start(o, T, goal);
        if (status != FO_OK) break;
        foi_march f = {next_march(o, T, attention, goal, budget - done), &o->quiet};
        const fo_march *m = &f.m;
        bool wary = o->t1 < o->own[FOI_ERK_WARY] && !heeds;
        o->quiet.open = false;
        bool own = !wary && o->system.type->march(o->system.model, o->s, &f.m);
        heeds = m->heeds;
        if (own) book(o, T, m);
        done = o->counts.steps - from;
        // where the stop has come already, a step is wanted all the same
        bool open = (o->quiet.sides || o->quiet.hops) && o->quiet.open;
        bool there = done && !open && (o->t1 >= stop || done >= budget);
        if (status != FO_OK || o->stiff || there) break;
        if (own && m->steps == m->budget) continue;
        o->budget = own || wary ? 1 : budget - done < ASK_AGAIN ? budget - done : ASK_AGAIN;
        status = ordinary(o, attention, goal);
        done = o->counts.steps - from;
    } while (status == FO_OK && !o->stiff && o->t1 < stop && done < budget);
    o->budget = budget, o->quiet.sides = NULL;
    return status;
}
