/// What is in a checkpoint, part by part: all that a snapshot holds, number by number.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ticks.h"
#include "simulation/checkpoint.h"

// A record that has become larger has a member that is not moved yet. (Where addresses are shorter
// records are, too.)
#define WHOLE(record, size)                                         \
    _Static_assert(sizeof(void *) != 8 || sizeof(record) <= (size), \
                   "all members of " #record " are to be moved")
WHOLE(foi_pulse, 224);
WHOLE(foi_approach, 64);
WHOLE(foi_surface, 48);
WHOLE(foi_guard_side, 24);
WHOLE(foi_finding, 24);
WHOLE(foi_tally, 64);
WHOLE(foi_chatter, 32);
WHOLE(foi_stiffness, 40);

// ----------------------------------------------------------------------------------------- numbers

static bool reads(const foi_mover *m)
{
    return !m->out;
}

static void refuse(foi_mover *m, bool unless, const char *what)
{
    if (reads(m) && !unless) foi_slice_fail(m->in, what);
}

static void move_u32(foi_mover *m, uint32_t *v)
{
    if (reads(m))
        *v = foi_take_u32(m->in);
    else
        foi_put_u32(m->out, *v);
}

static void move_u64(foi_mover *m, uint64_t *v)
{
    if (reads(m))
        *v = foi_take_u64(m->in);
    else
        foi_put_u64(m->out, *v);
}

static void move_f64(foi_mover *m, double *v)
{
    if (reads(m))
        *v = foi_take_f64(m->in);
    else
        foi_put_f64(m->out, *v);
}

static void move_f64s(foi_mover *m, double *v, size_t count)
{
    for (size_t i = 0; i < count; i++) move_f64(m, &v[i]);
}

static void move_bytes(foi_mover *m, void *bytes, size_t count)
{
    if (reads(m))
        foi_take(m->in, bytes, count);
    else
        foi_bytes_put(m->out, bytes, count);
}

static void move_bool(foi_mover *m, bool *v, const char *what)
{
    if (reads(m))
        *v = foi_take_bool(m->in, what);
    else
        foi_put_u8(m->out, *v);
}

static void move_bools(foi_mover *m, bool *v, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++) move_bool(m, &v[i], what);
}

static void move_signs(foi_mover *m, int8_t *v, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (reads(m))
            v[i] = foi_take_sign(m->in, what);
        else
            foi_put_u8(m->out, (uint8_t)v[i]);
}

static void move_time(foi_mover *m, const fo_simulation *sim, double *t, const char *what)
{
    move_f64(m, t);
    refuse(m, *t >= sim->def.start && *t <= sim->def.stop, what);
}

// A number of bytes or things that must be what it is here.
static void agree(foi_mover *m, uint64_t here, const char *what)
{
    uint64_t there = here;
    move_u64(m, &there);
    refuse(m, there == here, what);
}

static void move_method(foi_mover *m, const foi_method **method)
{
    if (!reads(m)) {
        foi_put_text(m->out, *method ? (*method)->info.name : "");
        return;
    }
    const char *name = foi_take_text(m->in);
    *method = *name ? foi_method_find(name, NULL) : NULL;
    refuse(m, *method || !*name, "it names a solver that does not exist");
}

// ------------------------------------------------------------------------------------- the state

static void move_values(foi_mover *m, foi_state_store *store)
{
    fo_state *s = &store->s;
    agree(m, s->shape.memory, "the model's memory has another size");
    agree(m, s->shape.states, "it has another number of states");
    agree(m, s->shape.discretes, "it has another number of discretes");
    agree(m, s->shape.inputs, "it has another number of inputs");
    agree(m, s->shape.parameters, "it has another number of parameters");
    agree(m, s->shape.guards, "it has another number of guards");
    agree(m, s->shape.conditions, "it has another number of conditions");
    if (reads(m) && m->in->failed) return;
    move_bytes(m, s->memory, s->shape.memory);
    move_f64s(m, s->x, s->shape.states);
    move_f64s(m, s->d, s->shape.discretes);
    move_f64s(m, s->u, s->shape.inputs);
    move_f64s(m, s->p, s->shape.parameters);
    for (uint32_t i = 0; i < s->shape.states; i++)
        refuse(m, isfinite(s->x[i]), "a state is not a finite number");
}

static void move_state(foi_mover *m, fo_simulation *sim)
{
    fo_state *s = &sim->state.s;
    move_time(m, sim, &s->t, "its time is not within the run");
    move_u32(m, &s->k);
    move_u64(m, &s->seed);
    move_values(m, &sim->state);
}

static void move_run(foi_mover *m, fo_simulation *sim)
{
    uint32_t phase = sim->phase;
    move_u32(m, &phase);
    refuse(m, phase == FOI_RUNNING || phase == FOI_STOPPED, "its phase is unknown");
    sim->phase = phase == FOI_STOPPED ? FOI_STOPPED : FOI_RUNNING;
    move_bool(m, &sim->searched, "a mark of the run is neither 0 nor 1");
    move_bool(m, &sim->automatic, "a mark of the run is neither 0 nor 1");
    move_bool(m, &sim->paused, "a mark of the run is neither 0 nor 1");
    move_f64(m, &sim->root);
    refuse(m, sim->root >= sim->state.s.t, "its next moment lies before its time");
    move_time(m, sim, &sim->last_jump, "the time of its last jump is not within the run");
    move_f64(m, &sim->over_from);
    move_f64(m, &sim->over_to);
    move_f64(m, &sim->crept_at);
    move_u32(m, &sim->creeps);
    move_u32(m, &sim->faint);
    foi_chatter *c = &sim->chatter;
    move_u32(m, &c->count);
    move_f64(m, &c->from);
    move_f64(m, &c->last);
    move_bool(m, &c->said, "a mark of the run is neither 0 nor 1");
    move_u64(m, &sim->moments);
    move_bytes(m, sim->reason, sizeof sim->reason);
    if (reads(m)) sim->reason[sizeof sim->reason - 1] = 0;
}

// ------------------------------------------------------------------------------------ what is held

static void move_modes(foi_mover *m, fo_simulation *sim)
{
    foi_hold *h = sim->hold;
    uint32_t modes = h->slides ? 1u << h->slides : 0;
    for (uint32_t i = 0; i < modes && !(reads(m) && m->in->failed); i++) {
        foi_state_store *mode = &h->mode[i];
        if (!mode->block &&
            fo_failed(foi_state_create(mode, &sim->state.s.shape, sim->allocator, &sim->message))) {
            refuse(m, false, "there is no memory for its modes");
            return;
        }
        move_time(m, sim, &mode->s.t, "the time of a mode is not within the run");
        move_u32(m, &mode->s.k);
        move_u64(m, &mode->s.seed);
        move_values(m, mode);
        mode->s.message = &sim->message, mode->s.host = &h->host;
    }
}

static void move_surfaces(foi_mover *m, foi_hold *h)
{
    for (uint32_t i = 0; i < h->slides + h->rests; i++) {
        foi_surface *on = &h->surface[i];
        move_u32(m, &on->guard);
        refuse(m, on->guard < h->guards, "a guard that is held does not exist");
        move_signs(m, &on->side, 1, "a side of a guard that is held is unknown");
        double *numbers[] = {&on->pace, &on->delta, &on->force, &on->weak};
        for (size_t k = 0; k < 4; k++) move_f64(m, numbers[k]);
        move_bool(m, &on->pressed, "a mark of what is held is neither 0 nor 1");
        move_bool(m, &on->cell, "a mark of what is held is neither 0 nor 1");
        move_signs(m, &on->steeper, 1, "how steep what is held is cannot be");
    }
}

// The bytes of the block that are indices, and what a system may be asked for (hold.c, ask_sides).
static bool flags_sound(const foi_hold *h)
{
    for (uint32_t i = 0; i < h->guards; i++) {
        bool known =
            abs(h->sides[i]) <= 2 || h->sides[i] == FO_STAND_KEPT || h->sides[i] == FO_STAND_AS_IS;
        if (h->owner[i] > h->slides + h->rests || abs(h->turn[i]) > 1 || !known) return false;
    }
    return true;
}

static void move_hold(foi_mover *m, fo_simulation *sim)
{
    bool on = foi_is_held(sim);
    move_bool(m, &on, "a mark of what is held is neither 0 nor 1");
    if (!on || (reads(m) && m->in->failed)) return;
    if (fo_failed(foi_hold_ensure(sim))) {
        refuse(m, false, "there is no memory for what is held");
        return;
    }
    foi_hold *h = sim->hold;
    uint32_t how = h->how;
    move_u32(m, &h->slides);
    move_u32(m, &h->rests);
    move_u32(m, &how);
    bool fits = h->slides <= FOI_MOST_SLIDES && h->rests <= FOI_MOST_RESTS && how < FOI_SIDES;
    if (!fits) h->slides = h->rests = 0;
    refuse(m, fits, "more is held than can be");
    h->how = fits ? (foi_sides)how : FOI_BY_PLACE;
    move_bool(m, &h->exact, "a mark of what is held is neither 0 nor 1");
    move_f64(m, &h->tau);
    move_f64(m, &h->until);
    move_u64(m, &h->truth);
    move_f64s(m, h->alpha, FOI_MOST_SLIDES);
    move_bools(m, h->turns, FOI_MOST_HELD, "a mark of what is held is neither 0 nor 1");
    move_bools(m, h->exits, FOI_MOST_HELD, "a mark of what is held is neither 0 nor 1");
    move_surfaces(m, h);
    agree(m, h->block_size, "what is held has another size");
    if (!reads(m) || !m->in->failed) move_bytes(m, h->block, h->block_size * sizeof *h->block);
    refuse(m, flags_sound(h), "a guard belongs to a surface that is not held");
    move_modes(m, sim);
    h->on = true;
    if (reads(m)) sim->flow = h->flow;
}

// -------------------------------------------------------------------------------------- the solver

// The states and rates at the ends of the step change places with each other, and with nothing
// else.
static void move_rows(foi_mover *m, foi_solver *o)
{
    enum { ENDS = 4 };
    double **rows[ENDS] = {&o->x0, &o->x1, &o->f0, &o->f1};
    size_t n = o->n;
    bool taken[ENDS] = {false};
    uint64_t at[ENDS];
    for (int i = 0; i < ENDS; i++) {
        at[i] = (uint64_t)(*rows[i] - o->block);
        move_u64(m, &at[i]);
        bool one = !n || (at[i] % n == 0 && at[i] / n < ENDS && !taken[at[i] / n]);
        refuse(m, one, "a row of the solver lies where none is");
        if (n && one) taken[at[i] / n] = true;
    }
    uint64_t last = (uint64_t)(o->coefficients - o->block);
    move_u64(m, &last);
    refuse(m, last == (uint64_t)(o->coefficients - o->block),
           "the solver's polynomial lies where none is");
    for (int i = 0; i < ENDS && reads(m) && n && !m->in->failed; i++) *rows[i] = o->block + at[i];
}

static void move_counts(foi_mover *m, foi_counts *c)
{
    uint64_t *list[] = {&c->steps,     &c->rejected,       &c->rates,
                        &c->jacobians, &c->factorisations, &c->iterations};
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        move_u64(m, list[i]);
        // beyond that many a double does not count any more, and no run ever comes there
        refuse(m, *list[i] < UINT64_C(1) << 53, "the solver's counts are beyond all that can be");
    }
    move_f64(m, &c->residual);
}

static void move_step(foi_mover *m, fo_simulation *sim)
{
    foi_solver *o = &sim->solver;
    uint32_t degree = (uint32_t)o->degree;
    move_time(m, sim, &o->t0, "the solver's time is not within the run");
    move_time(m, sim, &o->t1, "the solver's time is not within the run");
    refuse(m, o->t0 <= o->t1 && sim->state.s.t <= o->t1, "the solver's step ends before it begins");
    move_bool(m, &o->f1_valid, "a mark of the solver is neither 0 nor 1");
    move_bool(m, &o->dense_ready, "a mark of the solver is neither 0 nor 1");
    move_bool(m, &o->stiff, "a mark of the solver is neither 0 nor 1");
    move_bool(m, &o->calm, "a mark of the solver is neither 0 nor 1");
    move_bool(m, &o->loose, "a mark of the solver is neither 0 nor 1");
    move_f64(m, &o->atol);
    refuse(m, isfinite(o->atol) && o->atol >= 0, "the solver's tolerance is not a size");
    move_f64(m, &o->wanted_atol);
    refuse(m, isfinite(o->wanted_atol) && o->wanted_atol >= 0,
           "the solver's tolerance is not a size");
    move_f64(m, &o->size);
    refuse(m, o->size >= 0, "the size of the solver's states is not a size");
    move_f64(m, &o->h_next);
    refuse(m, isfinite(o->h_next) && o->h_next >= 0, "the solver's next step is not a length");
    move_f64(m, &o->error);
    move_u32(m, &o->stiff_count);
    move_u32(m, &o->calm_count);
    move_u64(m, &o->look_from);
    move_u64(m, &o->doubt_from);
    move_f64(m, &o->base);
    refuse(m, isfinite(o->base), "the solver's grid begins at no time");
    move_u64(m, &o->count);
    refuse(m, o->count <= o->counts.steps, "the solver's grid has more steps than were taken");
    move_u32(m, &degree);
    refuse(m, degree <= FOI_DEGREE_MAX, "the solver's polynomial has too high a degree");
    o->degree = degree <= FOI_DEGREE_MAX ? (int)degree : 0;
}

// Where the method is another one than the run begins with (a stiff one took its place, or
// something is held), the solver is made for it first.
static void fit_solver(foi_mover *m, fo_simulation *sim, const foi_method *method)
{
    if (m->in->failed) return;
    bool same = sim->solver.method == method && sim->solver.system.type == sim->flow.type;
    if (!same && fo_failed(foi_simulation_solver_make(sim, method)))
        foi_slice_fail(m->in, "its solver cannot be made here");
}

static void move_solver(foi_mover *m, fo_simulation *sim)
{
    foi_solver *o = &sim->solver;
    const foi_method *method = o->method;
    move_method(m, &method);
    refuse(m, method, "it has no solver");
    if (reads(m)) fit_solver(m, sim, method);
    agree(m, o->block_size, "the solver keeps another number of numbers");
    if (reads(m) && m->in->failed) return;
    move_counts(m, &o->counts);
    move_step(m, sim);
    move_rows(m, o);
    move_f64s(m, o->block, o->block_size);
}

static void move_stiffness(foi_mover *m, fo_simulation *sim)
{
    foi_stiffness *s = &sim->stiffness;
    uint64_t reason = s->reason;
    move_method(m, &s->method);
    move_u32(m, &s->changes);
    move_u64(m, &reason);
    refuse(m, reason < sizeof sim->reason, "the reason for its solver is too long");
    s->reason = reason < sizeof sim->reason ? (size_t)reason : 0;
    move_u32(m, &s->steps);
    move_u64(m, &s->last_step);
}

// --------------------------------------------------------------------------------------- the watch

static void move_sides(foi_mover *m, foi_guard_side *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        foi_guard_side *g = &list[i];
        move_f64(m, &g->g);
        move_f64(m, &g->slack);
        move_signs(m, &g->side, 1, "a guard is on a side that does not exist");
        move_bool(m, &g->rests, "a mark of a guard is neither 0 nor 1");
        move_bytes(m, &g->held, 1);
        move_signs(m, &g->told, 1, "a guard is on a side that does not exist");
        move_bool(m, &g->idle, "a mark of a guard is neither 0 nor 1");
        move_bool(m, &g->left, "a mark of a guard is neither 0 nor 1");
        move_bool(m, &g->early, "a mark of a guard is neither 0 nor 1");
    }
}

static void move_findings(foi_mover *m, foi_watch *w)
{
    static const char wrong[] = "a mark of a guard is neither 0 nor 1";
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_finding *f = &w->finding[i];
        foi_tally *t = &w->tally[i];
        uint64_t *tallies[] = {&t->proved,   &t->isolated, &t->undecided,
                               &t->searched, &t->limited,  &t->loose};
        move_bytes(m, &f->verdict, 1);
        move_signs(m, &f->from, 1, "a guard is on a side that does not exist");
        move_signs(m, &f->to, 1, "a guard is on a side that does not exist");
        bool *marks[] = {&f->at_once, &f->flat, &f->sampled, &f->tried, &f->wavers};
        for (size_t k = 0; k < 5; k++) move_bool(m, marks[k], wrong);
        for (size_t k = 0; k < 6; k++) move_u64(m, tallies[k]);
        move_f64(m, &t->limited_from);
        move_f64(m, &t->limited_to);
        move_f64(m, &f->reach);
    }
}

static void move_watch(foi_mover *m, fo_simulation *sim)
{
    static const char wrong[] = "a mark of a condition is neither 0 nor 1";
    foi_watch *w = &sim->watch;
    uint64_t most = (uint64_t)w->most, looks = (uint64_t)w->looks;
    size_t doubles = (size_t)((double *)(void *)w->tally - w->x);
    agree(m, w->guards, "it has another number of guards");
    agree(m, w->conditions, "it has another number of conditions");
    agree(m, doubles, "it watches another number of states");
    if (reads(m) && m->in->failed) return;
    move_sides(m, w->guard, w->guards);
    move_sides(m, w->ahead_guard, w->guards);
    move_bools(m, w->condition, w->conditions, wrong);
    move_bools(m, w->ahead_condition, w->conditions, wrong);
    move_bools(m, w->changed, w->conditions, wrong);
    move_bools(m, w->crossed, w->guards, "a mark of a guard is neither 0 nor 1");
    move_signs(m, w->way, w->guards, "a guard is on a side that does not exist");
    move_bytes(m, w->nature, w->guards);
    move_bytes(m, w->held, w->guards);
    move_findings(m, w);
    move_bool(m, &w->slope_valid, "a mark of a guard is neither 0 nor 1");
    move_u64(m, &w->evaluations);
    move_u64(m, &most);
    refuse(m, most <= 1u << 24, "a search may look at more than it ever does");
    if (reads(m) && most <= 1u << 24) w->most = (long)most;
    move_u64(m, &looks);
    refuse(m, looks <= 1u << 24, "a search may look at more than it ever does");
    if (reads(m) && looks <= 1u << 24) w->looks = (long)looks;
    move_f64(m, &w->unsure);
    move_f64(m, &w->unsure_at);
    move_f64s(m, w->x, doubles);
}

static void move_approach(foi_mover *m, foi_approach *a)
{
    uint32_t marks = a->marks;
    int8_t way = (int8_t)a->way;
    move_u32(m, &a->count);
    move_signs(m, &way, 1, "a guard is on a side that does not exist");
    move_u32(m, &marks);
    refuse(m, marks <= FOI_MARKS, "more moments of a guard are noted than can be");
    a->way = way, a->marks = (uint16_t)(marks <= FOI_MARKS ? marks : 0);
    move_f64s(m, a->mark, FOI_MARKS);
    double *numbers[] = {&a->limit, &a->from, &a->drift};
    for (size_t k = 0; k < 3; k++) move_f64(m, numbers[k]);
}

// What is to be reported of a guard is so before the instant is over: between instants, nothing is.
static void move_pulses(foi_mover *m, fo_simulation *sim)
{
    static const char wrong[] = "a mark of a guard is neither 0 nor 1";
    agree(m, sim->pulse_count, "it has another number of guards");
    if (reads(m) && m->in->failed) return;
    for (uint32_t i = 0; i < sim->pulse_count; i++) {
        foi_pulse *p = &sim->pulses[i];
        double *numbers[] = {&p->last,         &p->interval,  &p->ratio,  &p->limit,
                             &p->slack,        &p->far,       &p->depth,  &p->blow,
                             &p->far_interval, &p->far_after, &p->blow_t, &p->blow_ratio};
        bool *marks[] = {&p->fired, &p->stuck, &p->zeno, &p->passes};
        for (size_t k = 0; k < 12; k++) move_f64(m, numbers[k]);
        for (size_t k = 0; k < 4; k++) move_bool(m, marks[k], wrong);
        move_u32(m, &p->shrinking);
        move_u32(m, &p->blows);
        move_u64(m, &p->blow_at);
        move_signs(m, &p->way, 1, "a guard is on a side that does not exist");
        move_signs(m, &p->contact, 1, "a guard is on a side that does not exist");
        move_approach(m, &p->approach);
    }
}

// --------------------------------------------------------------------------------------- the queue

static bool known(const fo_simulation *sim, const foi_external *e)
{
    const fo_shape *shape = &sim->state.s.shape;
    switch (e->set.quantity) {
    case FO_TIME: return e->event < sim->system.about->events.count;
    case FO_STATE: return e->set.index < shape->states;
    case FO_DISCRETE: return e->set.index < shape->discretes;
    case FO_INPUT: return e->set.index < shape->inputs;
    case FO_PARAMETER: return e->set.index < shape->parameters;
    case FO_OUTPUT: break;
    }
    return false;
}

static void move_external(foi_mover *m, const fo_simulation *sim, foi_external *e)
{
    uint32_t quantity = (uint32_t)e->set.quantity;
    move_f64(m, &e->t);
    refuse(m, isfinite(e->t) && e->t >= sim->state.s.t, "an event waits for a time that has gone");
    move_u64(m, &e->order);
    move_u32(m, &quantity);
    e->set.quantity = quantity <= FO_PARAMETER ? (fo_quantity)quantity : FO_OUTPUT;
    move_u32(m, &e->set.index);
    move_u32(m, &e->event);
    move_f64(m, &e->value);
    refuse(m, known(sim, e) && isfinite(e->value), "an event waits that the model does not have");
}

static void move_queue(foi_mover *m, fo_simulation *sim)
{
    enum { EVENT = 36, MOST = 65536 }; // bytes of one
    uint64_t queued = sim->queued;
    move_u64(m, &sim->sent);
    move_u64(m, &queued);
    if (!reads(m)) {
        for (size_t i = 0; i < queued; i++) move_external(m, sim, &sim->queue[i]);
        return;
    }
    refuse(m, queued <= MOST && queued * EVENT <= foi_slice_left(m->in),
           "more events wait than can");
    if (m->in->failed) return;
    foi_external *list = foi_new(sim->allocator, queued, sizeof *list);
    refuse(m, list, "there is no memory for its events");
    if (!list) return;
    foi_free(sim->allocator, sim->queue);
    sim->queue = list, sim->queue_room = sim->queued = (size_t)queued;
    for (size_t i = 0; i < queued; i++) {
        move_external(m, sim, &list[i]);
        refuse(m, i == 0 || list[i].t >= list[i - 1].t, "its events are not in order");
        refuse(m, list[i].order < sim->sent, "its events are not in order");
    }
}

// ----------------------------------------------------------------------------------- the observers

/// How far an observer had been served.
typedef struct served {
    bool rows, any, taken;
    double interval, last_t;
    uint64_t next;
    uint32_t last_k;
} served;

static void move_served(foi_mover *m, served *s)
{
    move_bool(m, &s->rows, "a mark of an observer is neither 0 nor 1");
    move_bool(m, &s->any, "a mark of an observer is neither 0 nor 1");
    move_f64(m, &s->interval);
    move_f64(m, &s->last_t);
    move_u64(m, &s->next);
    refuse(m, s->next < UINT64_C(1) << 53, "an observer has seen more rows than can be");
    move_u32(m, &s->last_k);
}

static served served_of(const foi_seat *seat)
{
    return (served){.rows = seat->who.row != NULL,
                    .any = seat->any,
                    .interval = seat->who.interval,
                    .last_t = seat->last_t,
                    .next = seat->next,
                    .last_k = seat->last_k};
}

// One that was not there before is shown what comes from now on.
static void serve(const fo_simulation *sim, foi_seat *seat, served *list, uint32_t count)
{
    const fo_state *now = &sim->state.s;
    double interval = seat->who.interval, start = sim->def.start;
    for (uint32_t i = 0; i < count; i++) {
        served *s = &list[i];
        if (s->taken || s->rows != (seat->who.row != NULL) || s->interval != interval) continue;
        s->taken = true;
        seat->next = s->next, seat->last_t = s->last_t;
        seat->last_k = s->last_k, seat->any = s->any;
        return;
    }
    if (interval > 0) seat->next = (uint64_t)foi_tick_from(start, interval, now->t);
    if (interval > 0 && foi_tick_due(start, interval, (double)seat->next, now->t)) seat->next++;
    seat->any = true, seat->last_t = now->t, seat->last_k = now->k;
}

static void move_seats(foi_mover *m, fo_simulation *sim)
{
    enum { MOST = 64 };
    served list[MOST];
    uint32_t count = sim->seat_count < MOST ? sim->seat_count : MOST;
    for (uint32_t i = 0; i < count; i++) list[i] = served_of(&sim->seats[i]);
    move_u32(m, &count);
    refuse(m, count <= MOST, "it has more observers than can be");
    if (reads(m) && m->in->failed) return;
    for (uint32_t i = 0; i < count; i++) {
        if (reads(m)) list[i] = (served){0};
        move_served(m, &list[i]);
    }
    for (uint32_t i = 0; reads(m) && i < sim->seat_count; i++)
        serve(sim, &sim->seats[i], list, count);
}

const foi_part foi_parts[] = {{"run ", move_run},    {"stat", move_state},     {"hold", move_hold},
                              {"solv", move_solver}, {"stif", move_stiffness}, {"watc", move_watch},
                              {"puls", move_pulses}, {"queu", move_queue},     {"seat", move_seats},
                              {NULL, NULL}};

bool foi_simulation_sides_sound(const fo_simulation *sim)
{
    for (uint32_t i = 0; i < sim->watch.guards; i++) {
        const foi_guard_side *g = &sim->watch.guard[i];
        if (abs(g->side) > 1 || abs(g->told) > 1) return false;
    }
    return true;
}

// -------------------------------------------------------------------------------------- afterwards

// A method whose state lies elsewhere starts afresh from the present, as with a snapshot.
static fo_status restart(fo_simulation *sim)
{
    sim->searched = false;
    if (sim->phase != FOI_RUNNING) return FO_OK;
    const fo_state *s = &sim->state.s;
    fo_status status = foi_solver_begin(&sim->solver, s->t, s->x, FOI_JUMP);
    if (status == FO_OK && sim->watching) status = foi_watch_move(&sim->watch, &sim->solver, s);
    return status;
}

fo_status foi_parts_settle(fo_simulation *sim, const char *path, fo_message *why)
{
    const foi_solver *o = &sim->solver;
    if (o->n && o->method->sound && !o->method->sound(o))
        return fo_fail(why, FO_ERROR_FORMAT,
                       "cannot restart from '%s': what the solver %s has kept is not within its "
                       "bounds",
                       path, o->method->info.name);
    sim->message = (fo_message){FO_OK, ""};
    fo_status status = o->method->foreign ? restart(sim) : FO_OK;
    if (status != FO_OK && why) *why = sim->message;
    return status;
}
