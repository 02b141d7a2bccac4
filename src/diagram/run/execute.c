// A diagram as a system: nodes evaluated in sorted order.
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ticks.h"
#include "diagram/diagram.h"
#include "diagram/run/terms.h"
#include "math/math.h"

double foi_clock_start(const foi_run *r)
{
    return r->diagram->start;
}

double foi_clock_step(const foi_run *r)
{
    return r->diagram->step;
}

bool foi_events_on(const foi_run *r)
{
    return r->diagram->events;
}

void foi_run_refuse(foi_run *r, const foi_node *n, const char *format, ...)
{
    char words[320];
    if (r->status != FO_OK) return;
    r->status = FO_ERROR_MODEL;
    if (!r->s) return; // while building: nobody is to be told yet
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    r->status =
        fo_refuse(r->s, "node '%s' (%s) at t = %.15g: %s", n->name, n->type->name, r->t, words);
}

// Between moments a node computes on one side of its guards, even where a trial point of the solver
// lies beyond: each step sees a smooth function. The side is 0 while a guard rests at zero.
int foi_side(const foi_node *n, foi_run *r, uint32_t index, double g)
{
    int sign = (g > 0) - (g < 0);
    if (!n->guard_count) return sign;
    bool moved = !r->known || r->guards[n->guard + index] != g;
    r->guards[n->guard + index] = g;
    double *side = &r->memory[2 + n->guard + index];
    if ((r->refresh || r->settling) && (sign || r->starting) && moved) *side = sign;
    return (int)*side;
}

uint32_t foi_guards_wanted(const foi_build *b, const foi_node *n, uint32_t count)
{
    return b->diagram->events && n->sample == 0 ? count : 0;
}

// ----------------------------------------------------------------------------------- evaluation

static double tick_time(const foi_diagram *d, const fo_state *s, double tick)
{
    return foi_tick(d->start, d->step, tick, s->stop);
}

static bool acts_now(const foi_node *n, const foi_run *r)
{
    return r->tick && r->count % n->every == 0;
}

static void hold_outputs(const foi_node *n, const foi_run *r, bool store)
{
    double *held = r->memory + n->hold;
    for (uint32_t i = 0; i < n->output_count; i++) {
        foi_array y = foi_out(n, r, i);
        size_t size = foi_array_width(&y) * sizeof(double);
        if (store)
            memcpy(held, y.data, size);
        else
            memcpy(y.data, held, size);
        held += foi_array_width(&y);
    }
}

void foi_evaluate_node(const foi_node *n, foi_run *r)
{
    if (!n->type->output) return;
    if (!n->held) {
        n->type->output(n, r);
    } else if (acts_now(n, r)) {
        n->type->output(n, r);
        hold_outputs(n, r, true);
    } else {
        hold_outputs(n, r, false);
    }
}

static fo_status evaluate_these(foi_run *r, foi_node *const *order, uint32_t count)
{
    const foi_diagram *d = r->diagram;
    for (uint32_t i = 0; i < count; i++) foi_evaluate_node(order[i], r);
    for (uint32_t i = 0; i < d->watching_count; i++) d->watching[i]->type->watch(d->watching[i], r);
    return r->status;
}

static fo_status evaluate(foi_run *r)
{
    return evaluate_these(r, r->diagram->live, r->diagram->live_count);
}

// For rates and guards, which do not depend on all nodes.
static fo_status evaluate_needed(foi_run *r)
{
    return evaluate_these(r, r->diagram->needed, r->diagram->needed_count);
}

void foi_evaluate_beside(foi_run *r)
{
    evaluate_needed(r);
}

static foi_run begin(const void *model, const fo_state *s, double t, const double *x)
{
    const foi_diagram *d = model;
    double *scratch = s->scratch;
    return (foi_run){.diagram = d,
                     .s = s,
                     .t = t,
                     .x = x,
                     .memory = s->memory,
                     .signals = scratch,
                     .guards = scratch + d->width};
}

static bool all_finite(const double *v, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += 0 * v[i];
    return sum == 0;
}

// A node refuses what it has no value for. Where only guards need it, there are rates all the same;
// and a shorter step may end before that place, which is then the one that is told of.
static fo_status refuse_rates(const foi_diagram *d, const fo_state *s, double t, const double *x,
                              fo_status status, double *dx)
{
    if (status != FO_ERROR_MODEL) return status;
    if (!d->lowered || !d->guard_count) return FO_RETRY;
    foi_lowered_rates(d->lowered, s, t, x, dx);
    if (!all_finite(dx, d->state_count)) return FO_RETRY;
    if (s->message) s->message->status = FO_OK, s->message->text[0] = 0;
    return FO_OK;
}

static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    foi_run r = begin(model, s, t, x);
    fo_status status = evaluate_needed(&r);
    const foi_diagram *d = model;
    if (status != FO_OK) return refuse_rates(d, s, t, x, status, dx);
    for (uint32_t i = 0; i < d->flowing_count; i++) {
        const foi_node *n = d->flowing[i];
        n->type->rates(n, &r, dx + n->state);
    }
    return status;
}

static fo_status guards(const void *model, const fo_state *s, double t, const double *x, double *g)
{
    foi_run r = begin(model, s, t, x);
    fo_status status = evaluate_needed(&r);
    if (r.diagram->guard_count) memcpy(g, r.guards, r.diagram->guard_count * sizeof *g);
    return status;
}

static fo_status observe(const void *model, const fo_state *s, double t, const double *x, double *y)
{
    foi_run r = begin(model, s, t, x);
    const foi_diagram *d = model;
    fo_status status = evaluate(&r);
    for (uint32_t i = 0; i < d->output_count; i++)
        y[i] = foi_signal_array(&r, d->outputs[i].signal).data[d->outputs[i].at];
    return status;
}

// -------------------------------------------------------------------------------------- moments

static void update_all(foi_run *r)
{
    const foi_diagram *d = r->diagram;
    for (uint32_t i = 0; i < d->acting_count; i++)
        if (acts_now(d->acting[i], r)) d->acting[i]->type->update(d->acting[i], r);
    r->memory[0] += 1;
}

// The first instant after the present one at which a source breaks.
static void find_break(foi_run *r)
{
    const foi_diagram *d = r->diagram;
    r->memory[1] = INFINITY;
    for (uint32_t i = 0; i < d->breaking_count && d->events; i++) {
        double t = d->breaking[i]->type->next(d->breaking[i], r, r->t);
        if (t > r->t && t < r->memory[1]) r->memory[1] = t;
    }
}

// An integrator may take its start from a signal, and that from another integrator: as many sweeps
// as there are integrators suffice when that is no circle.
static fo_status start(const void *model, fo_state *s)
{
    const foi_diagram *d = model;
    foi_run r = begin(model, s, s->t, s->x);
    r.x_new = s->x;
    r.refresh = r.starting = r.tick = true;
    memset(r.memory, 0, d->memory_count * sizeof(double));
    r.memory[2 + d->guard_count] = r.memory[2 + d->guard_count + 1] = NAN;
    for (uint32_t i = 0; i < d->node_count; i++)
        if (d->nodes[i].type->start) d->nodes[i].type->start(&d->nodes[i], &r);
    bool changed = true;
    for (uint32_t sweep = 0; changed && sweep <= d->flowing_count; sweep++) {
        fo_status status = evaluate(&r);
        if (status != FO_OK) return status;
        changed = false;
        for (uint32_t i = 0; i < d->flowing_count; i++) {
            const foi_node *n = d->flowing[i];
            if (n->type->fire && n->type->fire(n, &r, UINT32_MAX, FO_EITHER)) changed = true;
        }
    }
    if (changed)
        return fo_refuse(s, "the external initial conditions of '%s' depend on each other",
                         d->name);
    fo_status status = evaluate(&r);
    if (status == FO_OK && d->happening_count) status = foi_nodes_happen(&r, evaluate);
    update_all(&r);
    find_break(&r);
    return status == FO_OK ? r.status : status;
}

static fo_next next(const void *model, const fo_state *s)
{
    const foi_diagram *d = model;
    const double *memory = s->memory;
    fo_next first = {memory[1], 1};
    double tick = tick_time(d, s, memory[0]);
    if (d->ticks && tick <= first.t) first = (fo_next){tick, 0};
    first.t = foi_fmax(first.t, s->t);
    return first;
}

static double just_past(const foi_run *r)
{
    return 0x1p-20 * r->diagram->step;
}

// The states just past the moment, along the rates.
static fo_status go_ahead(const foi_run *r, double *x)
{
    const foi_diagram *d = r->diagram;
    double *dx = (double *)r->s->scratch + d->width + d->guard_count + foi_slopes_size(d);
    fo_status status = rates(d, r->s, r->t, r->x, dx);
    if (status == FO_RETRY) status = FO_ERROR_MODEL; // there is no step that could be shorter
    for (uint32_t i = 0; i < d->state_count; i++) x[i] = r->x[i] + just_past(r) * dx[i];
    return status;
}

// A guard there.
static fo_status look_at(const foi_run *r, const double *x, uint32_t guard, double *value)
{
    foi_run later = begin(r->diagram, r->s, r->t + just_past(r), x);
    fo_status status = evaluate_needed(&later);
    *value = later.guards[guard];
    return status;
}

static fo_status look_ahead(const foi_run *r, uint32_t guard, double *value)
{
    const foi_diagram *d = r->diagram;
    double *x =
        (double *)r->s->scratch + d->width + d->guard_count + foi_slopes_size(d) + d->state_count;
    fo_status status = go_ahead(r, x);
    return status == FO_OK ? look_at(r, x, guard, value) : status;
}

static fo_status turn_rest(foi_run *r);

// The same where what jumps with it has turned others: x' = 2|sign(x)| - 1 would be led back by the
// side that the absolute value had before.
static fo_status look_beyond(foi_run *r, uint32_t guard, double *value)
{
    size_t size = r->diagram->memory_count * sizeof(double);
    double *kept = foi_memory_beside(r), slack = r->slack;
    memcpy(kept, r->memory, size);
    fo_status status = turn_rest(r);
    if (status == FO_OK) status = look_ahead(r, guard, value);
    memcpy(r->memory, kept, size);
    r->slack = slack;
    return status;
}

static int sign_of(double g)
{
    return (g > 0) - (g < 0);
}

// A guard that fired is on the side to which it goes, unless another jump of this instant has
// carried it back. Where it is zero, to the last bit or but for rounding errors after others have
// carried it there, it may also turn back (*back: nothing happens), or stay. Where the other side
// would bring it back it goes there all the same, as it does where it is past zero by a bit: the
// solution slides. `bound`: the states just past it, where they are known; else NULL.
static fo_status choose_side(foi_run *r, uint32_t guard, int direction, const double *bound,
                             bool *back)
{
    double *side = &r->memory[2 + guard], ahead = direction, hidden = 0;
    fo_status status = evaluate_needed(r);
    double g = r->guards[guard];
    bool carried = !(fabs(g) <= r->slack);
    if (status == FO_OK && (carried || r->slack == 0))
        status = foi_diagram_rounding(r, guard, &hidden);
    bool zero = g == 0 || (fabs(g) <= hidden && (carried || r->slack == 0));
    if (status == FO_OK && zero)
        status = bound ? look_at(r, bound, guard, &ahead) : look_ahead(r, guard, &ahead);
    if (fabs(ahead) <= hidden) ahead = 0;
    if (!zero && carried) ahead = g;
    *back = sign_of(ahead) == -direction;
    if (*back) return status;
    *side = direction, ahead = direction;
    if (status == FO_OK && g == 0) status = look_beyond(r, guard, &ahead);
    if (ahead == 0) *side = 0;
    return status;
}

// A node fires. Where others have carried one that turns to the edge of what it keeps, but for
// rounding errors, it is where it goes from there.
static fo_status fire(foi_run *r, uint32_t guard, fo_direction direction, bool *changed)
{
    const foi_node *n = r->diagram->guard_owners[guard];
    double hidden = 0, ahead = 0;
    if (!n->type->fire) {
        *changed = true;
        return FO_OK;
    }
    *changed = n->type->fire(n, r, guard - n->guard, direction);
    if (!*changed || !n->type->turns || r->slack > 0) return r->status;
    fo_status status = evaluate(r);
    double g = r->guards[guard];
    if (status == FO_OK) status = foi_diagram_rounding(r, guard, &hidden);
    if (status != FO_OK || !(fabs(g) <= hidden)) return status;
    status = look_ahead(r, guard, &ahead);
    if (status == FO_OK) status = evaluate(r);
    if (status == FO_OK && ahead < -hidden) n->type->fire(n, r, guard - n->guard, FO_EITHER);
    return status;
}

static bool acts(const foi_node *n)
{
    return n->type->fire && !n->type->turns && !(n->type->stays && n->type->stays(n));
}

// One of the guards that pass zero at this instant. Where those before it have moved it, it has not
// passed anything.
static fo_status turn_one(foi_run *r, const fo_crossing *c, bool *turned)
{
    const foi_node *n = r->diagram->guard_owners[c->guard];
    bool back, changed = false;
    fo_status status = evaluate_needed(r);
    double began = foi_guards_began(r)[c->guard];
    bool moved = r->guards[c->guard] != began;
    const double *bound = moved || began != 0 ? NULL : foi_states_ahead(r);
    r->slack = moved ? 0 : c->slack;
    if (status == FO_OK) status = choose_side(r, c->guard, c->direction, bound, &back);
    if (status != FO_OK || back) return status;
    if (n->type->turns) status = evaluate(r);
    // at the very end of what it keeps, and bound to leave it
    bool leaves = !moved && began == 0 && r->memory[2 + c->guard] == c->direction;
    if (leaves && r->slack == 0) r->slack = DBL_MIN;
    if (status == FO_OK) status = fire(r, c->guard, c->direction, &changed);
    *turned |= changed;
    return status;
}

// Where those go that are zero to the last bit is seen by the rates in the mode in which all came:
// with some of those that turn at this instant turned and others not, one may seem to be led back.
static fo_status know_ahead(foi_run *r, const fo_moment *m)
{
    const double *began = foi_guards_began(r);
    for (uint32_t i = 0; i < m->with_count; i++)
        if (m->with[i].guard < r->diagram->guard_count && began[m->with[i].guard] == 0)
            return go_ahead(r, foi_states_ahead(r));
    return FO_OK;
}

// In the order in which their nodes are computed: what turns is seen by those behind it.
static fo_status turn_in_order(foi_run *r, const fo_moment *m, bool *turned)
{
    const foi_diagram *d = r->diagram;
    fo_status status = FO_OK;
    for (uint32_t now = 0, next; now != UINT32_MAX && status == FO_OK; now = next) {
        next = UINT32_MAX;
        for (uint32_t i = 0; i < m->with_count && status == FO_OK; i++) {
            if (m->with[i].guard >= d->guard_count) continue;
            const foi_node *n = d->guard_owners[m->with[i].guard];
            if (n->place > now && n->place < next) next = n->place;
            if (n->place == now && !acts(n)) status = turn_one(r, &m->with[i], turned);
        }
    }
    return status;
}

// All guards that pass zero at this instant turn before anything acts: nobody sees some of them
// turned and others not. That is done once, in the first moment of the instant.
static fo_status turn_all(foi_run *r, const fo_moment *m, bool *turned)
{
    const foi_diagram *d = r->diagram;
    double *when = &r->memory[2 + d->guard_count];
    if (*when == r->t || !m->with_count) return FO_OK;
    *when = r->t;
    fo_status status = evaluate_needed(r);
    memcpy(foi_guards_began(r), r->guards, d->guard_count * sizeof *r->guards);
    if (status == FO_OK) status = know_ahead(r, m);
    return status == FO_OK ? turn_in_order(r, m, turned) : status;
}

// The moment of a guard that turned with others has nothing left to do.
static bool has_turned(const foi_run *r, const fo_moment *m)
{
    const foi_diagram *d = r->diagram;
    if (r->memory[2 + d->guard_count] != r->t || acts(d->guard_owners[m->index])) return false;
    for (uint32_t i = 0; i < m->with_count; i++)
        if (m->with[i].guard == m->index) return true;
    return false;
}

// A jump has carried the guard to the other side or off zero, farther than rounding errors reach:
// so it has turned. What is nearer to zero is left to its own moment.
static fo_status follow(foi_run *r, uint32_t guard, bool *changed)
{
    double *side = &r->memory[2 + guard], g = r->guards[guard], hidden = 0;
    if (g == 0 || g * *side > 0) return FO_OK;
    fo_status status = foi_diagram_rounding(r, guard, &hidden);
    *changed = status == FO_OK && fabs(g) > hidden;
    if (*changed) *side = sign_of(g);
    return status;
}

static fo_status turn_next(foi_run *r, const foi_node *n, bool *changed)
{
    fo_status status = FO_OK;
    for (uint32_t i = n->guard; i < n->guard + n->guard_count && status == FO_OK; i++) {
        if (!n->type->fire)
            status = follow(r, i, changed);
        else if (n->type->turns && r->guards[i] < 0)
            status = fire(r, i, FO_FALLING, changed);
        if (*changed) break;
    }
    return status;
}

// What nodes keep, and what they choose by their sides, follows a jump of their inputs at once, one
// after the other in the order in which they are computed, those of a loop last: nobody acts on
// some of them turned and others not.
static fo_status turn_rest(foi_run *r)
{
    const foi_diagram *d = r->diagram;
    bool changed = true;
    fo_status status = evaluate(r);
    r->slack = 0;
    for (uint32_t left = 4 * d->guard_count + 16; changed && left && status == FO_OK; left--) {
        changed = false;
        for (uint32_t i = 0; i < d->live_count && !changed && status == FO_OK; i++)
            status = turn_next(r, d->live[i], &changed);
        for (uint32_t i = 0; i < d->guard_count && !changed && status == FO_OK; i++)
            status = turn_next(r, d->guard_owners[i], &changed);
        if (changed && status == FO_OK) status = evaluate(r);
    }
    return status;
}

// Nodes that jumps push keep what their outputs are before them.
static fo_status keep_pushed(foi_run *r)
{
    const foi_diagram *d = r->diagram;
    fo_status status = d->pushes ? evaluate(r) : FO_OK;
    for (uint32_t i = 0; d->pushes && i < d->guard_count && status == FO_OK; i++) {
        const foi_node *n = d->guard_owners[i];
        if (n->type->pushed && n->guard == i) n->type->update(n, r);
    }
    return status;
}

// What does not move at a tick keeps its side: its own moment says where it goes. What turns with
// it carries others along before anything is sampled.
static fo_status know_guards(foi_run *r, const fo_moment *m)
{
    bool turned = false;
    fo_status status = r->diagram->guard_count ? turn_all(r, m, &turned) : FO_OK;
    if (status == FO_OK && turned) status = turn_rest(r);
    if (status == FO_OK && r->diagram->guard_count) status = evaluate_needed(r);
    r->known = true;
    return status;
}

static fo_status jump_scheduled(foi_run *r, const fo_moment *m)
{
    const foi_diagram *d = r->diagram;
    fo_status known = keep_pushed(r);
    if (known == FO_OK) known = know_guards(r, m);
    if (known != FO_OK) return known;
    r->refresh = true;
    r->tick = d->ticks && foi_tick_due(d->start, d->step, r->memory[0], r->t);
    r->count = (uint64_t)r->memory[0];
    fo_status status = evaluate(r);
    if (status == FO_OK && d->happening_count) status = foi_nodes_happen(r, evaluate);
    if (status == FO_OK && r->tick) update_all(r);
    find_break(r);
    return r->status;
}

// A number was set, and this diagram was built for its new value: the instants that were found for
// the old one are found anew. A break that the set has moved into the past is passed now.
static fo_status jump_set(foi_run *r)
{
    const foi_diagram *d = r->diagram;
    r->refresh = true;
    r->count = (uint64_t)r->memory[0];
    fo_status status = evaluate(r);
    for (uint32_t i = 0; i < d->happening_count && status == FO_OK; i++) {
        const foi_node *n = d->happening[i];
        if (n->type->told) n->type->told(n, r);
        status = r->status;
    }
    if (status == FO_OK && d->happening_count) status = evaluate(r);
    if (status == FO_OK && d->happening_count) status = foi_nodes_happen(r, evaluate);
    if (status == FO_OK) find_break(r);
    return status;
}

// A node has turned: what has jumped with it may push a backlash whose guards have not seen it.
static fo_status move_others(foi_run *r, const foi_node *mover)
{
    r->mover = mover;
    fo_status status = evaluate(r);
    return status == FO_OK && r->diagram->turns ? turn_rest(r) : status;
}

// What there is before the jumps of a turn, and which resets of the first turn are none.
static fo_status keep_before(foi_run *r, const fo_moment *m)
{
    const foi_diagram *d = r->diagram;
    if (!d->together_count || !acts(d->guard_owners[m->index])) return FO_OK;
    if (foi_reset_known(r, m->index, m->direction)) return FO_OK;
    fo_status status = evaluate(r);
    bool first = status == FO_OK && foi_resets_keep(r);
    for (uint32_t i = 0; first && i < m->with_count && status == FO_OK; i++) {
        const fo_crossing *c = &m->with[i];
        double *seen = c->guard < d->guard_count ? foi_reset_seen(r, c->guard) : NULL;
        double side = seen ? r->memory[2 + c->guard] : 0;
        bool back = false;
        if (!seen) continue;
        r->slack = c->slack;
        if (d->guard_owners[c->guard]->type->resets)
            status = choose_side(r, c->guard, c->direction, NULL, &back);
        r->memory[2 + c->guard] = side;
        *seen = back ? NAN : (double)c->direction * INFINITY;
    }
    r->slack = m->slack;
    return status;
}

// Whether a reset happens was decided before all those of its turn.
static fo_status stand_by(foi_run *r, const fo_moment *m, bool *back)
{
    double *seen = r->diagram->together_count ? foi_reset_seen(r, m->index) : NULL, hidden = 0;
    double before = seen ? *seen * (int)m->direction : 0;
    if (seen) *seen = 0;
    if (!seen || !r->diagram->guard_owners[m->index]->type->resets) return FO_OK;
    if (isnan(before)) *back = true;
    if (!*back || !(before > 0)) return FO_OK;
    fo_status status = foi_diagram_rounding(r, m->index, &hidden);
    *back = !(before > hidden);
    return status;
}

// What a contact would do is tried alone, with no moment of others: those whose guards are the same
// but for a factor are one contact.
static bool fire_others(foi_run *r)
{
    const foi_diagram *d = r->diagram;
    bool changed = false;
    for (uint32_t i = 0; i < d->guard_count; i++) {
        double *seen = foi_reset_seen(r, i);
        const foi_node *n = d->guard_owners[i];
        if (!seen || *seen == 0) continue;
        if (n->type->fire(n, r, 0, *seen > 0 ? FO_RISING : FO_FALLING)) changed = true;
        *seen = 0;
    }
    return changed;
}

static fo_status jump(const void *model, fo_state *s, const fo_moment *m, fo_effect *e)
{
    foi_run r = begin(model, s, s->t, s->x);
    const foi_diagram *d = model;
    r.x_new = s->x;
    if (m->kind == FO_SCHEDULED || m->kind == FO_SET) {
        fo_status done = m->kind == FO_SET ? jump_set(&r) : jump_scheduled(&r, m);
        e->stop = r.stop;
        return done;
    }
    if (m->kind != FO_GUARD) return FO_OK;
    const foi_node *n = d->guard_owners[m->index];
    bool changed = false, turned = false, back = false;
    fo_status status = keep_pushed(&r);
    if (status == FO_OK) status = turn_all(&r, m, &turned);
    if (status == FO_OK && has_turned(&r, m)) {
        e->unchanged = !turned;
        return turned ? move_others(&r, n) : FO_OK;
    }
    r.slack = m->slack, r.moment = m;
    bool alone = m->k <= 1 && !m->with_count && r.t > d->start; // at the start nobody lists others
    bool tried = alone && d->together_count && n->type->resets;
    if (status == FO_OK && tried) foi_resets_find_same(&r, m);
    if (status == FO_OK && !tried) status = keep_before(&r, m);
    if (status == FO_OK) status = choose_side(&r, m->index, m->direction, NULL, &back);
    if (status == FO_OK && !tried) status = stand_by(&r, m, &back);
    if (status == FO_OK) status = evaluate(&r);
    e->unchanged = back && !turned;
    if (status != FO_OK || back) return status;
    if (tried) turned |= fire_others(&r);
    if (!tried) foi_reset_inputs(&r, n);
    status = fire(&r, m->index, m->direction, &changed);
    if (status == FO_OK && n->type->happen) find_break(&r);
    e->unchanged = !changed && !turned;
    e->stop = r.stop;
    if (status != FO_OK || !(changed || turned)) return status;
    return move_others(&r, n);
}

// A node holds the side of each of its guards. Where it reacts to them in its own way (a relay, an
// integrator with limits) nothing is held, and a guard fires when its sign changes.
static void held(const void *model, const fo_state *s, uint8_t *signs)
{
    const foi_diagram *d = model;
    foi_run r = begin(model, s, s->t, s->x);
    for (uint32_t i = 0; i < d->guard_count; i++) {
        const foi_node *n = d->guard_owners[i];
        if (n->type->signs && i == n->guard) n->type->signs(n, &r, signs + i);
        if (n->type->signs) continue;
        signs[i] = n->type->fire ? 0 : (uint8_t)(1 << ((int)r.memory[2 + i] + 1));
    }
}

// A guard that was not asked for has been carried across zero by those that were, and not only to
// zero but for rounding errors: what its node chooses by it follows.
static bool follow_mode(foi_run *r, uint32_t guard)
{
    const foi_node *n = r->diagram->guard_owners[guard];
    double g = r->guards[guard], began = foi_guards_began(r)[guard];
    double *side = &r->memory[2 + guard];
    if (g == began || fabs(g) <= 0x1p-20 * fabs(g - began)) return false;
    if (n->type->beyond) return g < 0 && n->type->fire(n, r, guard - n->guard, FO_FALLING);
    if (n->type->fire || !(g * *side < 0)) return false;
    *side = sign_of(g);
    return true;
}

// Behind those that were asked for others may be nested: two Rounding Functions in a row.
static fo_status follow_modes(foi_run *r, const int8_t *sides)
{
    const foi_diagram *d = r->diagram;
    bool changed = true;
    fo_status status = evaluate_needed(r);
    for (uint32_t left = 4 * d->guard_count + 16; changed && left && status == FO_OK; left--) {
        changed = false;
        for (uint32_t i = 0; i < d->guard_count && !changed; i++)
            changed = !sides[i] && follow_mode(r, i);
        if (changed) status = evaluate_needed(r);
    }
    return status;
}

static bool asks(const foi_diagram *d, const int8_t *sides, int8_t least)
{
    for (uint32_t i = 0; i < d->guard_count; i++)
        if (sides[i] != FO_STAND_KEPT && abs(sides[i]) >= least) return true;
    return false;
}

// The mode of a node that only looks at the sides of its guards, and of one that keeps a cell. One
// that reacts to them in its own way keeps something else: its modes are found by its jumps.
static fo_status side(const void *model, fo_state *s, const int8_t *sides)
{
    const foi_diagram *d = model;
    double *memory = s->memory;
    bool others = false, seen = asks(d, sides, FO_STAND_SEEN_ABOVE);
    if (!asks(d, sides, 1)) return FO_OK;
    for (uint32_t i = 0; i < d->guard_count; i++) others |= sides[i] == FO_STAND_AS_IS;
    foi_run r = begin(model, s, s->t, s->x);
    fo_status status = others && seen ? evaluate_needed(&r) : FO_OK;
    if (others && seen) memcpy(foi_guards_began(&r), r.guards, d->guard_count * sizeof *r.guards);
    for (uint32_t i = 0; i < d->guard_count; i++)
        if (sides[i] && sides[i] != FO_STAND_KEPT && !d->guard_owners[i]->type->fire)
            memory[2 + i] = sides[i] > 0 ? 1 : -1;
    for (uint32_t i = 0; i < d->guard_count && status == FO_OK; i++) {
        const foi_node *n = d->guard_owners[i];
        if (sides[i] >= 0 || !n->type->beyond) continue;
        status = evaluate_needed(&r);
        if (status == FO_OK) n->type->beyond(n, &r, i - n->guard);
    }
    return status == FO_OK && others && seen ? follow_modes(&r, sides) : status;
}

/// Where the guards are after a step.
typedef enum standing {
    AS_BEFORE, ///< all on their sides
    CROSSED,   ///< one has reached zero or crossed it: a moment is due
    LEAVING,   ///< one rested at zero and does no more
} standing;

static standing stand(const foi_diagram *d, const fo_state *s, const double *g)
{
    const double *side = (const double *)s->memory + 2;
    standing found = AS_BEFORE;
    for (uint32_t i = 0; i < d->guard_count; i++) {
        if (side[i] != 0 && g[i] * side[i] <= 0) return CROSSED;
        if (side[i] == 0 && g[i] != 0) found = LEAVING;
    }
    return found;
}

// A guard may leave zero without a moment: the sides are those of the values after such a step. But
// what crosses is left to its moment, which comes next; and where every guard is on the side that
// it was on, there is nothing to be found anew, but for nodes that want to see every step.
static fo_status settle(const void *model, fo_state *s, double t, const double *x)
{
    foi_run r = begin(model, s, t, x);
    const foi_diagram *d = model;
    if (d->guard_count) {
        fo_status status = evaluate_needed(&r);
        standing found = stand(d, s, r.guards);
        bool done = found == AS_BEFORE && !d->settles && !d->loop_count;
        if (status != FO_OK || found == CROSSED || done) return status;
    }
    r.settling = true;
    return evaluate_needed(&r);
}

/// The path of all states, as one node sees it.
typedef struct node_path {
    foi_run *r;
    const foi_node *node;
    const fo_path *whole;
} node_path;

static void node_at(void *self, double t, double *x, double *dx)
{
    const node_path *p = self;
    const foi_diagram *d = p->r->diagram;
    const foi_node *n = p->node;
    double *all = (double *)p->r->s->scratch + d->width + d->guard_count + foi_slopes_size(d);
    double *slopes = all + d->state_count;
    p->whole->at(p->whole->self, t, all, slopes);
    p->r->t = t, p->r->x = t == p->whole->to ? p->r->s->x : all;
    evaluate_needed(p->r);
    if (!n->state_count) return;
    memcpy(x, all + n->state, n->state_count * sizeof *x);
    memcpy(dx, slopes + n->state, n->state_count * sizeof *dx);
}

static fo_status record(const void *model, fo_state *s, const fo_path *path)
{
    const foi_diagram *d = model;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < d->watching_count && status == FO_OK; i++) {
        const foi_node *n = d->watching[i];
        if (!n->records) continue;
        foi_run now = begin(model, s, path->to, s->x), on = now;
        status = evaluate_needed(&now);
        if (status != FO_OK) return status;
        node_path self = {&on, n, path};
        fo_path its = *path;
        its.self = &self, its.at = node_at;
        n->type->record(n, &now, &its);
        status = now.status != FO_OK ? now.status : on.status;
    }
    return status;
}

// ----------------------------------------------------------------------------------- the program

// What is not finite is left to the nodes: one of them may refuse it, and says so.
static fo_status program_rates(const void *model, const fo_state *s, double t, const double *x,
                               double *dx)
{
    const foi_diagram *d = model;
    foi_lowered_rates(d->lowered, s, t, x, dx);
    return all_finite(dx, d->state_count) ? FO_OK : rates(model, s, t, x, dx);
}

static fo_status program_guards(const void *model, const fo_state *s, double t, const double *x,
                                double *g)
{
    const foi_diagram *d = model;
    foi_lowered_guards(d->lowered, s, t, x, g);
    return all_finite(g, d->guard_count) ? FO_OK : guards(model, s, t, x, g);
}

static fo_status program_observe(const void *model, const fo_state *s, double t, const double *x,
                                 double *y)
{
    const foi_diagram *d = model;
    double sum = 0;
    foi_lowered_outputs(d->lowered, s, t, x, y);
    for (uint32_t i = 0; i < d->finite_count; i++) sum += 0 * y[d->finite[i]];
    return sum == 0 ? FO_OK : observe(model, s, t, x, y);
}

static const fo_pattern *program_pattern(const void *model, const fo_state *s)
{
    const foi_diagram *d = model;
    (void)s;
    return foi_lowered_pattern(d->lowered);
}

static fo_status program_jacobian(const void *model, const fo_state *s, double t, const double *x,
                                  double *values)
{
    const foi_diagram *d = model;
    return foi_lowered_jacobian(d->lowered, s, t, x, values);
}

// Outputs that are not part of the program have none.
static fo_status program_tangent(const void *model, const fo_state *s, double t, const double *x,
                                 const fo_seed *along, const fo_tangent *to)
{
    const foi_diagram *d = model;
    if (to->outputs && !d->shown) return FO_RETRY;
    return foi_lowered_tangent(d->lowered, s, t, x, along, to);
}

static fo_status program_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                fo_enclosure *e)
{
    const foi_diagram *d = model;
    return foi_lowered_bounds(d->lowered, s, on, e);
}

static fo_status program_output_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                       fo_enclosure *e)
{
    const foi_diagram *d = model;
    return foi_lowered_output_bounds(d->lowered, s, on, e);
}

static bool program_may_fail(const void *model, const fo_state *s, const fo_stretch *on)
{
    const foi_diagram *d = model;
    return foi_lowered_may_fail(d->lowered, s, on);
}

// Outputs that are not part of the program are not those of the diagram.
static bool program_may_diverge(const void *model, const fo_state *s, const fo_stretch *on,
                                fo_quantity of)
{
    const foi_diagram *d = model;
    if (of == FO_OUTPUT && !d->shown) return false;
    return foi_lowered_may_diverge(d->lowered, s, on, of);
}

static fo_status program_divisors(const void *model, const fo_state *s, double t, const double *x,
                                  double *values)
{
    const foi_diagram *d = model;
    return foi_lowered_divisors(d->lowered, s, t, x, values);
}

static fo_status program_slope_bounds(const void *model, const fo_state *s, const fo_stretch *on,
                                      const double *push, fo_enclosure *e)
{
    const foi_diagram *d = model;
    return foi_lowered_slope_bounds(d->lowered, s, on, push, e);
}

static bool program_march(const void *model, const fo_state *s, fo_march *m)
{
    const foi_diagram *d = model;
    return foi_lowered_march(d->lowered, s, m);
}

// The same, with the guards of the program.
static fo_status program_settle(const void *model, fo_state *s, double t, const double *x)
{
    const foi_diagram *d = model;
    double *g = (double *)s->scratch + d->width;
    foi_lowered_guards(d->lowered, s, t, x, g);
    return stand(d, s, g) == LEAVING ? settle(model, s, t, x) : FO_OK;
}

static void choose_program(foi_diagram *d, fo_system_type *type)
{
    type->kind = foi_lowered_kind();
    type->rates = program_rates;
    if (d->shown) type->observe = program_observe;
    if (d->state_count && foi_lowered_marches(d->lowered)) type->march = program_march;
    if (!d->guard_count) return;
    type->guards = program_guards;
    if (!d->settles && !d->loop_count) type->settle = program_settle;
}

// What the terms say of the nodes' functions: derivatives and enclosures. It holds whoever
// evaluates them, so it is used in both ways of running: then both take the same steps, find
// moments in the same way, and have the same bits.
static void choose_knowledge(foi_diagram *d, fo_system_type *type)
{
    if (d->state_count) type->pattern = program_pattern, type->jacobian = program_jacobian;
    if (d->state_count) type->tangent = program_tangent;
    if (d->shown && foi_lowered_encloses_outputs(d->lowered))
        type->output_bounds = program_output_bounds;
    if (foi_lowered_looks_for_failure(d->lowered)) type->may_fail = program_may_fail;
    if (foi_lowered_looks_for_poles(d->lowered)) type->may_diverge = program_may_diverge;
    type->divisor_count = foi_lowered_divisor_count(d->lowered);
    if (type->divisor_count) type->divisors = program_divisors;
    if (!d->guard_count) return;
    type->guard_bounds = program_bounds;
    if (foi_lowered_encloses_slopes(d->lowered)) type->slope_bounds = program_slope_bounds;
}

void foi_diagram_choose(foi_diagram *d, bool program)
{
    fo_guard *list = (fo_guard *)d->description.guards.list;
    d->program = program && d->lowered;
    d->type = d->lowered ? foi_lowered_type(d->lowered) : &d->own_type;
    *d->type = (fo_system_type){.kind = "diagram",
                                .start = start,
                                .rates = rates,
                                .next = next,
                                .jump = jump,
                                .hears_sets = true,
                                .observe = observe};
    if (d->guard_count) d->type->guards = guards, d->type->held = held, d->type->side = side;
    if (d->guard_count || d->settles || d->loop_count) d->type->settle = settle;
    if (d->records) d->type->record = record;
    if (d->lowered) choose_knowledge(d, d->type);
    if (d->program) choose_program(d, d->type);
    d->description.abrupt = d->events && d->lowered && foi_lowered_abrupt(d->lowered);
    d->description.outputs_fail = d->shown ? foi_lowered_fails(d->lowered) : d->output_count;
    for (uint32_t i = 0; i < d->guard_count; i++) list[i].bounded = d->lowered != NULL;
}
