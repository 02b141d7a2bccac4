// Derivatives of measures by many numbers: back through the run, once per measure.
//
// The run itself carries one derivative, that along a direction in which all numbers change. What
// comes back must have the same along it: a way back that went wrong is seen.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/slopes_inside.h"
#include "analysis/waypoints.h"
#include "math/math.h"

typedef foi_slopes_state run;

bool foi_adjoint_begin(run *q, const foi_trial *e)
{
    const fo_allocator *a = q->allocator;
    size_t signals = q->m->signal_count, all = signals + q->m->reducer_count;
    q->weights = foi_new(a, q->numbers + 1, sizeof *q->weights);
    q->look = foi_new(a, q->m->reducer_count + 1, sizeof *q->look);
    q->along = foi_new(a, q->m->count + 1, sizeof *q->along);
    q->of = foi_new(a, all + 1, sizeof *q->of);
    q->signals = foi_new(a, signals + 1, sizeof *q->signals);
    q->ports = foi_new(a, q->m->system.about->outputs.count + 1, sizeof *q->ports);
    if (!q->weights || !q->look || !q->along || !q->of || !q->signals || !q->ports) return false;
    for (size_t i = 0; i < q->m->reducer_count; i++) q->look[i] = SIZE_MAX;
    q->end_look = q->end_instant = SIZE_MAX;
    for (size_t j = 0; j < q->numbers; j++) {
        // of the number's size, and in no ratio to each other in which something may vanish
        double p = foi_trial_default(e, j), size = p != 0 ? fabs(p) : 1;
        double part = (double)j * 0.6180339887498949;
        q->weights[j] = size * (0.5 + (part - foi_floor(part))) * (j % 2 ? -1 : 1);
    }
    return true;
}

void foi_adjoint_end(run *q)
{
    foi_tape_destroy(q->tape);
    foi_free(q->allocator, q->weights);
    foi_free(q->allocator, q->look);
    foi_free(q->allocator, q->along);
    foi_free(q->allocator, q->of);
    foi_free(q->allocator, q->signals);
    foi_free(q->allocator, q->ports);
    foi_free(q->allocator, q->jumps);
}

void foi_adjoint_note(run *q, size_t reducer, double jump)
{
    size_t instant = foi_tape_instant(q->tape), width = q->m->reducer_count;
    if (instant == SIZE_MAX) return;
    instant -= foi_tape_first_instant(q->tape);
    if (instant >= q->jump_room) {
        size_t room = 2 * instant + 16;
        double *jumps =
            foi_grow(q->allocator, q->jumps, q->jump_room * width, room * width, sizeof *jumps);
        if (!jumps) {
            foi_tape_lack(q->tape);
            return;
        }
        memset(jumps + q->jump_room * width, 0, (room - q->jump_room) * width * sizeof *jumps);
        q->jumps = jumps, q->jump_room = room;
    }
    q->jumps[instant * width + reducer] = jump;
}

void foi_adjoint_forget(run *q)
{
    if (q->jumps) memset(q->jumps, 0, q->jump_room * q->m->reducer_count * sizeof *q->jumps);
}

// ----------------------------------------------------------------------------------------- weights

// The values of all signals at a place.
static bool read_signals(const run *q, const foi_tape_place *p, double *values)
{
    const foi_layout *l = &p->q->g->layout;
    bool observes = false;
    for (size_t i = 0; i < q->m->signal_count; i++)
        observes |= q->m->signals[i].quantity == FO_OUTPUT;
    if (observes && foi_reverse_run(p->q, FOI_TASK_OBSERVE, p->guesses) != FO_OK) return false;
    for (size_t i = 0; i < q->m->signal_count; i++) {
        uint32_t k = q->m->signals[i].index;
        switch (q->m->signals[i].quantity) {
        case FO_TIME: values[i] = p->t; break;
        case FO_STATE: values[i] = p->x[k]; break;
        case FO_DISCRETE: values[i] = p->q->r[l->at[FOI_LEAF_DISCRETE] + k]; break;
        case FO_PARAMETER: values[i] = p->q->r[l->at[FOI_LEAF_PARAMETER] + k]; break;
        case FO_INPUT: values[i] = p->q->r[l->at[FOI_LEAF_INPUT] + k]; break;
        case FO_OUTPUT: values[i] = foi_reverse_value(p->q, FOI_TASK_OBSERVE, k); break;
        }
    }
    return true;
}

// q->signals gets weight times what an expression over signals depends on.
static bool weigh_inner(run *q, const foi_arithmetic *e, double weight)
{
    size_t count = q->m->signal_count;
    foi_tangent names = {q->arguments, q->column}, none = {NULL, NULL};
    memset(q->column, 0, count * sizeof *q->column);
    for (size_t i = 0; i < count; i++) {
        q->column[i] = 1;
        double by = foi_arithmetic_slope(e, &names, &none);
        q->column[i] = 0;
        if (!isfinite(by)) return false;
        q->signals[i] += weight * by;
    }
    return true;
}

// From the weights of signals to those of states, discretes, parameters and inputs.
static bool hand_on(run *q, const foi_tape_place *p)
{
    const foi_layout *l = &p->q->g->layout;
    size_t outputs = q->m->system.about->outputs.count;
    bool observes = false;
    memset(q->ports, 0, outputs * sizeof *q->ports);
    for (size_t i = 0; i < q->m->signal_count; i++) {
        uint32_t k = q->m->signals[i].index;
        double weight = q->signals[i];
        if (weight == 0) continue;
        switch (q->m->signals[i].quantity) {
        case FO_TIME: break;
        case FO_STATE: p->states[k] += weight; break;
        case FO_DISCRETE: p->discretes[k] += weight; break;
        case FO_PARAMETER: p->leaves[l->at[FOI_LEAF_PARAMETER] + k] += weight; break;
        case FO_INPUT: p->leaves[l->at[FOI_LEAF_INPUT] + k] += weight; break;
        case FO_OUTPUT: q->ports[k] += weight, observes = true; break;
        }
    }
    if (!observes) return true;
    foi_reverse_clear(p->q, FOI_TASK_OBSERVE);
    for (size_t i = 0; i < outputs; i++)
        if (q->ports[i] != 0) foi_reverse_weigh(p->q, FOI_TASK_OBSERVE, i, q->ports[i]);
    if (foi_reverse_pull(p->q, FOI_TASK_OBSERVE) != FO_OK) return false;
    const double *bar = p->q->bar;
    q->time_weight = bar[l->at[FOI_LEAF_TIME]];
    for (uint32_t i = 0; i < l->count[FOI_LEAF_STATE]; i++)
        p->states[i] += bar[l->at[FOI_LEAF_STATE] + i];
    for (uint32_t i = 0; i < l->count[FOI_LEAF_DISCRETE]; i++)
        p->discretes[i] += bar[l->at[FOI_LEAF_DISCRETE] + i];
    for (uint32_t i = 0; i < l->count[FOI_LEAF_PARAMETER]; i++)
        p->leaves[l->at[FOI_LEAF_PARAMETER] + i] += bar[l->at[FOI_LEAF_PARAMETER] + i];
    for (uint32_t i = 0; i < l->count[FOI_LEAF_INPUT]; i++)
        p->leaves[l->at[FOI_LEAF_INPUT] + i] += bar[l->at[FOI_LEAF_INPUT] + i];
    return true;
}

// mean = I / T, rms = sqrt(I / T): the weight of I.
static double weight_of_integral(const run *q, size_t i)
{
    double weight = q->of[q->m->signal_count + i], span = q->end - q->start;
    double value = q->arguments[q->m->signal_count + i];
    switch (q->m->reducers[i].kind) {
    case FOI_REDUCE_MEAN: return weight / span;
    case FOI_REDUCE_RMS: return weight / (2 * value * span);
    default: return weight;
    }
}

static bool weigh_node(void *self, const foi_tape_place *p, double h)
{
    run *q = self;
    if (!read_signals(q, p, q->arguments)) return false;
    memset(q->signals, 0, q->m->signal_count * sizeof *q->signals);
    for (size_t i = 0; i < q->m->reducer_count; i++) {
        const foi_reducer *r = &q->m->reducers[i];
        double weight = foi_reducer_is_integral(r->kind) ? h * weight_of_integral(q, i) : 0;
        if (weight == 0) continue;
        if (r->kind == FOI_REDUCE_RMS)
            weight *= 2 * foi_arithmetic_value(&r->inner, q->arguments, NULL);
        if (!weigh_inner(q, &r->inner, weight)) return false;
    }
    return hand_on(q, p);
}

static bool weigh_look(void *self, const foi_tape_place *p, size_t number)
{
    run *q = self;
    bool ends = number == q->end_look, any = ends;
    for (size_t i = 0; i < q->m->reducer_count; i++)
        any |= q->m->reducers[i].kind < FOI_REDUCE_COUNT && q->look[i] == number;
    if (!any) return true;
    if (!read_signals(q, p, q->arguments)) return false;
    memset(q->signals, 0, q->m->signal_count * sizeof *q->signals);
    for (size_t i = 0; i < q->m->signal_count && ends; i++) q->signals[i] = q->of[i];
    for (size_t i = 0; i < q->m->reducer_count; i++) {
        const foi_reducer *r = &q->m->reducers[i];
        double weight = q->of[q->m->signal_count + i];
        bool here = r->kind == FOI_REDUCE_FINAL
                        ? ends
                        : (r->kind == FOI_REDUCE_AT || r->kind == FOI_REDUCE_INITIAL) &&
                              q->look[i] == number;
        if (here && weight != 0 && !weigh_inner(q, &r->inner, weight)) return false;
    }
    q->time_weight = 0;
    bool good = hand_on(q, p);
    if (ends) q->end_weight += q->time_weight;
    return good;
}

// What the time of an instant weighs: events that are measured, integrals that jump there, and at
// the last one the end.
static double weigh_instant(void *self, size_t number)
{
    run *q = self;
    size_t signals = q->m->signal_count, width = q->m->reducer_count;
    double sum = 0;
    bool ends = number == q->end_instant;
    for (size_t i = 0; i < width; i++) {
        const foi_reducer *r = &q->m->reducers[i];
        double weight = q->of[signals + i];
        bool timed = r->kind == FOI_REDUCE_FIRST || r->kind == FOI_REDUCE_LAST;
        if (weight == 0) continue;
        if (timed && q->look[i] == number) sum += weight;
        if (!foi_reducer_is_integral(r->kind)) continue;
        double of_integral = weight_of_integral(q, i), value = q->arguments[signals + i];
        size_t row = number - foi_tape_first_instant(q->tape);
        if (row < q->jump_room) sum += of_integral * q->jumps[row * width + i];
        if (ends && r->kind == FOI_REDUCE_MEAN) sum -= of_integral * value;
        if (ends && r->kind == FOI_REDUCE_RMS) sum -= of_integral * value * value;
    }
    return ends ? sum + q->end_weight : sum;
}

// ------------------------------------------------------------------------------------- all
// measures

// What measure k depends on: q->of per signal at the end and per reducer.
static bool weigh_measure(run *q, size_t k)
{
    size_t signals = q->m->signal_count, all = signals + q->m->reducer_count;
    foi_tangent names = {q->arguments, q->column};
    foi_tangent calls = {q->arguments + signals, q->column + signals};
    memset(q->column, 0, all * sizeof *q->column);
    for (size_t i = 0; i < all; i++) {
        q->column[i] = 1;
        q->of[i] = foi_arithmetic_slope(&q->m->list[k], &names, &calls);
        q->column[i] = 0;
        if (!isfinite(q->of[i])) return false;
    }
    return true;
}

// What the time itself weighs at an end that moves: time as a signal, and outputs by it.
static void weigh_end(run *q)
{
    q->end_weight = 0;
    for (size_t i = 0; i < q->m->signal_count; i++) {
        if (q->m->signals[i].quantity != FO_TIME) continue;
        q->end_weight += q->of[i];
        for (size_t k = 0; k < q->m->reducer_count; k++) {
            if (q->m->reducers[k].kind != FOI_REDUCE_FINAL) continue;
            foi_tangent names = {q->arguments, q->column}, none = {NULL, NULL};
            memset(q->column, 0, q->m->signal_count * sizeof *q->column);
            q->column[i] = 1;
            q->end_weight += q->of[q->m->signal_count + k] *
                             foi_arithmetic_slope(&q->m->reducers[k].inner, &names, &none);
        }
    }
}

static bool agrees(const run *q, const double *gradient, double along)
{
    double sum = 0, size = 0;
    for (size_t j = 0; j < q->numbers; j++) {
        sum += gradient[j] * q->weights[j];
        size += fabs(gradient[j] * q->weights[j]);
    }
    return isfinite(sum) && fabs(sum - along) <= 1e-7 * size;
}

/// One measure on its way back.
typedef struct comeback {
    foi_costate state;
    double end_weight;
    bool known; ///< so far
} comeback;

// Through the stretch that lies on the tape.
static fo_status come_back(run *q, size_t k, comeback *c, size_t entries, const double *kept,
                           bool last)
{
    size_t all = q->m->signal_count + q->m->reducer_count;
    bool integrals = false;
    if (!c->known) return FO_OK;
    memcpy(q->arguments, kept, all * sizeof *kept);
    c->known = isfinite(q->along[k]) && weigh_measure(q, k);
    if (!c->known) return FO_OK;
    for (size_t i = 0; i < q->m->reducer_count; i++)
        integrals |=
            foi_reducer_is_integral(q->m->reducers[i].kind) && q->of[q->m->signal_count + i] != 0;
    if (last)
        weigh_end(q);
    else
        q->end_weight = c->end_weight;
    const foi_weights w = {q, integrals, weigh_node, weigh_look, weigh_instant, q->trial};
    fo_status status = foi_tape_back(q->tape, entries, &w, &c->state);
    c->end_weight = q->end_weight, c->known = status == FO_OK;
    return status == FO_ERROR_CONVERGE ? FO_OK : status;
}

static void say(foi_slopes *out, const char *reason)
{
    if (!out->reason) snprintf(out->text, sizeof out->text, "%s", reason);
    out->reason = out->text;
}

static void take_gradient(const run *q, size_t k, const comeback *c, foi_slopes *out)
{
    double *gradient = out->slopes + k * q->numbers;
    bool known = c->known;
    if (known) {
        foi_tape_gradient(q->tape, &c->state, gradient);
        known = agrees(q, gradient, q->along[k]);
        if (!known)
            say(out, "the forward and the adjoint derivatives differ by more than rounding");
    }
    for (size_t j = 0; j < q->numbers && !known; j++) gradient[j] = NAN;
}

// The last stretch lies on the tape; those before it are run once more.
static fo_status come_all_back(run *q, comeback *list, const double *kept, foi_slopes *out)
{
    size_t stretches = foi_waypoints_count(q);
    fo_status status = FO_OK;
    for (size_t i = stretches; i-- > 0 && status == FO_OK;) {
        size_t entries = foi_tape_entries(q->tape);
        bool last = i + 1 == stretches;
        if (!last) status = foi_waypoints_replay(q, i, &entries);
        if (status == FO_ERROR_CONVERGE) {
            say(out, "a part of the run did not come out the same once more");
            for (size_t k = 0; k < q->m->count; k++) list[k].known = false;
            return FO_OK;
        }
        for (size_t k = 0; k < q->m->count && status == FO_OK; k++)
            status = come_back(q, k, &list[k], entries, kept, last);
    }
    return status;
}

fo_status foi_adjoint_finish(run *q, foi_slopes *out)
{
    size_t all = q->m->signal_count + q->m->reducer_count, measures = q->m->count;
    double *kept = foi_new(q->allocator, all + 1, sizeof *kept);
    comeback *list = foi_new(q->allocator, measures + 1, sizeof *list);
    fo_status status = kept && list ? FO_OK : FO_ERROR_MEMORY;
    if (kept) memcpy(kept, q->arguments, all * sizeof *kept);
    for (size_t k = 0; k < measures && status == FO_OK; k++) {
        list[k].known = true;
        if (!foi_costate_create(&list[k].state, q->tape)) status = FO_ERROR_MEMORY;
    }
    if (status == FO_OK) status = come_all_back(q, list, kept, out);
    for (size_t k = 0; k < measures && status == FO_OK; k++) take_gradient(q, k, &list[k], out);
    for (size_t k = 0; k < measures && list; k++) foi_costate_destroy(&list[k].state);
    foi_free(q->allocator, list);
    foi_free(q->allocator, kept);
    return status;
}
