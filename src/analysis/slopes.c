#include "analysis/slopes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/differences.h"
#include "analysis/slopes_inside.h"
#include "analysis/waypoints.h"

typedef foi_slopes_state run;

// --------------------------------------------------------------------------------------- numbers

static const char *find_direction(const foi_trial *e, size_t i, foi_direction *d)
{
    fo_system system = fo_model_system(e->model);
    fo_reference found;
    if (e->fixed[i] || fo_system_find(system, e->names[i], &found, NULL) != FO_OK)
        return "a parameter is structural: it is fixed when the model is opened";
    const fo_variable *about = fo_system_variable(system, found);
    if (about && about->type != FO_REAL) return "a parameter is not of type Real";
    uint32_t n = (uint32_t)system.about->states.count;
    switch (found.quantity) {
    case FO_PARAMETER: *d = (foi_direction){FOI_BY_PARAMETER, found.index}; return NULL;
    case FO_INPUT: *d = (foi_direction){FOI_BY_INPUT, found.index}; return NULL;
    case FO_STATE: *d = (foi_direction){FOI_BY_START, found.index}; return NULL;
    case FO_DISCRETE: *d = (foi_direction){FOI_BY_START, n + found.index}; return NULL;
    default: return "a parameter is computed by the model";
    }
}

const char *foi_slopes_unfit(const foi_trial *e)
{
    const char *why = foi_variation_unfit(fo_model_system(e->model));
    foi_direction d;
    if (!why && e->reopen) why = "a parameter is structural: it is fixed when the model is opened";
    for (size_t i = 0; i < e->count && !why; i++) why = find_direction(e, i, &d);
    return why;
}

// ----------------------------------------------------------------------------------------- signals

static double *tangent_of(const run *q, size_t argument)
{
    return q->tangents + argument * q->p;
}

static void put_unit(const run *q, foi_direction_kind kind, uint32_t index, double *row)
{
    memset(row, 0, q->p * sizeof *row);
    for (size_t j = 0; j < q->numbers; j++)
        if (q->directions[j].kind == kind && q->directions[j].index == index)
            row[q->weights ? 0 : j] += q->weights ? q->weights[j] : 1;
}

static void take_signal(run *q, const fo_state *s, const foi_varied *at, size_t i)
{
    fo_reference which = q->m->signals[i];
    double *value = &q->arguments[i], *row = tangent_of(q, i);
    memset(row, 0, q->p * sizeof *row);
    switch (which.quantity) {
    case FO_TIME: *value = at->t; break;
    case FO_STATE:
        *value = at->x[which.index];
        memcpy(row, at->S + which.index * q->p, q->p * sizeof *row);
        break;
    case FO_DISCRETE:
        *value = s->d[which.index];
        memcpy(row, foi_variation_discrete(q->v, which.index), q->p * sizeof *row);
        break;
    case FO_PARAMETER:
        *value = s->p[which.index];
        put_unit(q, FOI_BY_PARAMETER, which.index, row);
        break;
    case FO_INPUT:
        *value = s->u[which.index];
        put_unit(q, FOI_BY_INPUT, which.index, row);
        break;
    case FO_OUTPUT:
        *value = q->outputs[which.index];
        memcpy(row, q->output_rows + which.index * q->p, q->p * sizeof *row);
        break;
    }
}

/// All signals with their tangents, at a time that changes by `tau` (NULL: it does not); NaN where
/// they are not known.
static void take_moving(run *q, const fo_state *s, const foi_varied *at, const double *tau)
{
    bool observes = false, fine = true;
    for (size_t i = 0; i < q->m->signal_count; i++)
        observes |= q->m->signals[i].quantity == FO_OUTPUT;
    if (observes) fine = foi_variation_outputs(q->v, s, at, tau, q->outputs, q->output_rows);
    for (size_t i = 0; i < q->m->signal_count; i++) {
        if (fine || q->m->signals[i].quantity != FO_OUTPUT)
            take_signal(q, s, at, i);
        else
            for (size_t j = 0; j < q->p; j++) tangent_of(q, i)[j] = NAN;
    }
}

static void take_signals(run *q, const fo_state *s, const foi_varied *at)
{
    take_moving(q, s, at, NULL);
}

static void forget_signals(run *q)
{
    for (size_t i = 0; i < q->m->signal_count * q->p; i++) q->tangents[i] = NAN;
}

/// The slope of an expression over signals (and reducers) by number j.
static double slope(run *q, const foi_arithmetic *e, size_t j)
{
    size_t signals = q->m->signal_count, count = signals + q->m->reducer_count;
    for (size_t i = 0; i < count; i++) q->column[i] = q->tangents[i * q->p + j];
    foi_tangent names = {q->arguments, q->column};
    foi_tangent calls = {q->arguments + signals, q->column + signals};
    return foi_arithmetic_slope(e, &names, &calls);
}

static double inner(const run *q, size_t i)
{
    return foi_arithmetic_value(&q->m->reducers[i].inner, q->arguments, NULL);
}

// ---------------------------------------------------------------------------------------- reducers

static double *reduced(const run *q, size_t i)
{
    return &q->arguments[q->m->signal_count + i];
}

static double *reduced_slopes(const run *q, size_t i)
{
    return tangent_of(q, q->m->signal_count + i);
}

bool foi_reducer_is_integral(foi_reducer_kind kind)
{
    return kind == FOI_REDUCE_INTEGRAL || kind == FOI_REDUCE_MEAN || kind == FOI_REDUCE_RMS;
}

/// What is integrated: the signal or its square, from its present value.
static double integrand(const run *q, size_t i)
{
    double y = inner(q, i);
    return q->m->reducers[i].kind == FOI_REDUCE_RMS ? y * y : y;
}

static void add_node(void *self, const fo_state *s, const foi_varied *at, double weight)
{
    run *q = self;
    if (q->again) return;
    take_signals(q, s, at);
    for (size_t i = 0; i < q->m->reducer_count; i++) {
        const foi_reducer *r = &q->m->reducers[i];
        if (!foi_reducer_is_integral(r->kind)) continue;
        double factor = r->kind == FOI_REDUCE_RMS ? 2 * inner(q, i) : 1;
        *reduced(q, i) += weight * integrand(q, i);
        for (size_t j = 0; j < q->p; j++)
            reduced_slopes(q, i)[j] += weight * factor * slope(q, &r->inner, j);
    }
}

// An integral over a moment that moves by tau gains (y- - y+) tau.
static void note_before(void *self, const fo_state *s, const foi_varied *at)
{
    run *q = self;
    take_signals(q, s, at);
    for (size_t i = 0; i < q->m->reducer_count; i++)
        if (foi_reducer_is_integral(q->m->reducers[i].kind)) q->before[i] = integrand(q, i);
}

static void add_jump(run *q, const double *tau, bool goes_on)
{
    for (size_t i = 0; i < q->m->reducer_count; i++) {
        if (!foi_reducer_is_integral(q->m->reducers[i].kind)) continue;
        double step = q->before[i] - (goes_on ? integrand(q, i) : 0);
        if (q->tape) foi_adjoint_note(q, i, step);
        for (size_t j = 0; j < q->p; j++)
            if (tau[j] != 0) reduced_slopes(q, i)[j] += step * tau[j];
    }
}

static void note_after(void *self, const fo_state *s, const foi_varied *at, const double *tau)
{
    run *q = self;
    take_signals(q, s, at);
    add_jump(q, tau, true);
}

static bool is_event(fo_moment_kind kind)
{
    return kind == FO_GUARD || kind == FO_CONDITION || kind == FO_SCHEDULED || kind == FO_EXTERNAL;
}

static fo_status hear(void *self, const fo_moment *m, fo_message *why)
{
    run *q = self;
    (void)why;
    bool counts = is_event(m->kind) && m->name && !q->again;
    for (size_t i = 0; i < q->m->reducer_count && counts; i++) {
        const foi_reducer *r = &q->m->reducers[i];
        if (r->kind < FOI_REDUCE_COUNT || strcmp(r->event, m->name) != 0) continue;
        if (r->kind == FOI_REDUCE_COUNT) ++*reduced(q, i);
        if (r->kind == FOI_REDUCE_COUNT) continue;
        if (r->kind == FOI_REDUCE_FIRST && !isnan(*reduced(q, i))) continue;
        *reduced(q, i) = m->t;
        if (q->tape) q->look[i] = foi_tape_instant(q->tape);
        for (size_t j = 0; j < q->p; j++)
            reduced_slopes(q, i)[j] = foi_variation_lost(q->v) ? NAN : foi_variation_tau(q->v)[j];
    }
    foi_variation_hear(q->v, m);
    return FO_OK;
}

static void begin_reducers(run *q)
{
    for (size_t i = 0; i < q->m->reducer_count; i++) {
        foi_reducer_kind kind = q->m->reducers[i].kind;
        bool summed = foi_reducer_is_integral(kind) || kind == FOI_REDUCE_COUNT;
        *reduced(q, i) = summed ? 0 : NAN;
        for (size_t j = 0; j < q->p; j++) reduced_slopes(q, i)[j] = summed ? 0 : NAN;
    }
}

/// Signals at one time become those of a reducer.
static void take_inner(run *q, size_t i)
{
    if (q->again) return;
    if (q->tape) q->look[i] = foi_tape_look(q->tape);
    *reduced(q, i) = inner(q, i);
    for (size_t j = 0; j < q->p; j++)
        reduced_slopes(q, i)[j] = slope(q, &q->m->reducers[i].inner, j);
}

/// Where the simulation stands; false: there are no derivatives, all tangents are NaN.
static bool look(run *q, bool near_counts)
{
    foi_varied at;
    const fo_state *s = fo_simulation_state(q->sim);
    bool known = foi_variation_look(q->v, &at);
    if (known) take_signals(q, s, &at);
    if (known && near_counts && foi_variation_is_near(q->v, &at)) known = false;
    if (!known) forget_signals(q);
    return known;
}

// ----------------------------------------------------------------------------------------- the run

static int by_time(const void *a, const void *b)
{
    double x = ((const foi_reducer *const *)a)[0]->number;
    double y = ((const foi_reducer *const *)b)[0]->number;
    return (x > y) - (x < y);
}

// To time t; for the way back in pieces, between which its tape can be cut. FO_PAUSED: what is run
// once more is over.
static fo_status carry(run *q, double t)
{
    enum { PIECE = 256 };
    uint64_t piece = q->stretch && q->stretch < PIECE ? 1 + q->stretch / 2 : PIECE;
    if (!q->tape) return foi_trial_advance(q->trial, q->sim, t);
    for (;;) {
        fo_status status = fo_simulation_advance_some(q->sim, t, piece);
        if (q->again && foi_tape_entries(q->tape) >= q->enough) return FO_PAUSED;
        if (status != FO_PAUSED) return status;
        foi_waypoints_pass(q);
        foi_trial_rest(q->trial);
    }
}

static fo_status begin(run *q)
{
    fo_status status = fo_simulation_start(q->sim);
    if (fo_failed(status)) return status;
    look(q, false);
    for (size_t i = 0; i < q->m->reducer_count; i++)
        if (q->m->reducers[i].kind == FOI_REDUCE_INITIAL) take_inner(q, i);
    q->way = (foi_journey){true, 0, -INFINITY};
    return status;
}

fo_status foi_slopes_travel(run *q)
{
    fo_status status = q->way.begun ? FO_OK : begin(q);
    for (; q->way.next < q->time_count && !fo_failed(status) && status != FO_STOPPED;
         q->way.next++) {
        const foi_reducer *r = q->times[q->way.next];
        double t = r->number;
        if (t < q->def.start || t > q->def.stop) continue;
        if (t > q->way.last) {
            status = carry(q, t);
            if (status == FO_PAUSED) return status;
            if (fo_failed(status) || fo_simulation_time(q->sim) != t) break;
            look(q, true);
            q->way.last = t;
        }
        take_inner(q, (size_t)(r - q->m->reducers));
    }
    if (!fo_failed(status) && status != FO_STOPPED) status = carry(q, q->def.stop);
    return status;
}

// A run that ended itself ended at a moment, whose time moves.
static bool take_end(run *q, bool stopped, double *end_tau)
{
    const fo_state *s = fo_simulation_state(q->sim);
    memset(end_tau, 0, q->p * sizeof *end_tau);
    q->end = s->t;
    foi_varied at;
    bool moves = stopped && foi_variation_stopped(q->v, &at), known = moves || look(q, true);
    if (q->tape) q->end_look = foi_tape_look(q->tape);
    if (!moves) return known;
    if (q->tape) q->end_instant = foi_tape_instant(q->tape);
    memcpy(end_tau, foi_variation_tau(q->v), q->p * sizeof *end_tau);
    take_moving(q, s, &at, end_tau);
    for (size_t i = 0; i < q->m->signal_count; i++)
        if (q->m->signals[i].quantity == FO_TIME)
            memcpy(tangent_of(q, i), end_tau, q->p * sizeof *end_tau);
    if (s->t > q->start) add_jump(q, end_tau, false);
    return !foi_variation_lost(q->v);
}

// mean = I / T, rms = sqrt(I / T): with the end moving by T'.
static void end_integral(run *q, size_t i, const double *end_tau)
{
    double span = q->end - q->start, I = *reduced(q, i), *row = reduced_slopes(q, i);
    foi_reducer_kind kind = q->m->reducers[i].kind;
    if (kind == FOI_REDUCE_INTEGRAL) return;
    double mean = I / span, root = sqrt(mean);
    *reduced(q, i) = kind == FOI_REDUCE_MEAN ? mean : root;
    for (size_t j = 0; j < q->p; j++) {
        row[j] = (row[j] - mean * end_tau[j]) / span;
        if (kind == FOI_REDUCE_RMS) row[j] /= 2 * root;
    }
}

static void finish(run *q, bool stopped, foi_slopes *out)
{
    double *end_tau = q->end_tau;
    bool known = take_end(q, stopped, end_tau);
    for (size_t i = 0; i < q->m->reducer_count; i++) {
        foi_reducer_kind kind = q->m->reducers[i].kind;
        if (kind == FOI_REDUCE_FINAL) take_inner(q, i);
        if (foi_reducer_is_integral(kind)) end_integral(q, i, end_tau);
        bool ends = kind == FOI_REDUCE_COUNT || kind == FOI_REDUCE_LAST
                        ? !known
                        : foi_reducer_is_integral(kind) && foi_variation_lost(q->v);
        for (size_t j = 0; j < q->p && ends; j++) reduced_slopes(q, i)[j] = NAN;
    }
    for (size_t i = 0; i < q->m->count; i++) {
        out->values[i] =
            foi_arithmetic_value(&q->m->list[i], q->arguments, q->arguments + q->m->signal_count);
        double *row = q->along ? q->along + i : out->slopes + i * q->p;
        for (size_t j = 0; j < q->p; j++) row[j] = slope(q, &q->m->list[i], j);
    }
    out->reason = NULL;
    if (!foi_variation_lost(q->v)) return;
    snprintf(out->text, sizeof out->text, "%s", foi_variation_lost(q->v));
    out->reason = out->text;
}

static bool make_room(run *q, const foi_trial *e)
{
    size_t count = q->m->signal_count + q->m->reducer_count;
    size_t outputs = q->m->system.about->outputs.count;
    const fo_allocator *a = q->allocator;
    q->directions = foi_new(a, q->numbers + 1, sizeof *q->directions);
    q->arguments = foi_new(a, count + 1, sizeof *q->arguments);
    q->tangents = foi_new(a, count * q->p + 1, sizeof *q->tangents);
    q->column = foi_new(a, count + 1, sizeof *q->column);
    q->end_tau = foi_new(a, q->p + 1, sizeof *q->end_tau);
    q->outputs = foi_new(a, outputs + 1, sizeof *q->outputs);
    q->output_rows = foi_new(a, outputs * q->p + 1, sizeof *q->output_rows);
    q->before = foi_new(a, q->m->reducer_count + 1, sizeof *q->before);
    if (!q->directions || !q->arguments || !q->tangents || !q->column || !q->end_tau ||
        !q->before || !q->outputs || !q->output_rows)
        return false;
    for (size_t i = 0; i < q->numbers; i++) find_direction(e, i, &q->directions[i]);
    return true;
}

static void free_room(run *q)
{
    foi_free(q->allocator, q->directions);
    foi_free(q->allocator, q->times);
    foi_free(q->allocator, q->arguments);
    foi_free(q->allocator, q->tangents);
    foi_free(q->allocator, q->column);
    foi_free(q->allocator, q->end_tau);
    foi_free(q->allocator, q->before);
    foi_free(q->allocator, q->outputs);
    foi_free(q->allocator, q->output_rows);
}

static bool sort_times(run *q)
{
    q->times = foi_new(q->allocator, q->m->reducer_count + 1, sizeof *q->times);
    for (size_t i = 0; q->times && i < q->m->reducer_count; i++)
        if (q->m->reducers[i].kind == FOI_REDUCE_AT) q->times[q->time_count++] = &q->m->reducers[i];
    if (q->times) qsort(q->times, q->time_count, sizeof *q->times, by_time);
    return q->times;
}

// The run, and the way back through it.
static fo_status run_through(run *q, foi_slopes *out, fo_message *why)
{
    foi_variation_hooks hooks = {.self = q};
    for (size_t i = 0; i < q->m->reducer_count; i++)
        if (foi_reducer_is_integral(q->m->reducers[i].kind))
            hooks.node = add_node, hooks.comes = note_before, hooks.passed = note_after;
    foi_variation_begin(q->v, q->sim, &q->def, &hooks);
    q->start = q->def.start;
    begin_reducers(q);
    if (q->tape && !foi_waypoints_begin(q))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for the adjoint equations of a run");
    fo_status status = foi_slopes_travel(q);
    if (fo_failed(status)) {
        *why = *fo_simulation_message(q->sim);
        return status;
    }
    finish(q, status == FO_STOPPED, out);
    if (!q->tape) return FO_OK;
    status = foi_adjoint_finish(q, out);
    if (status != FO_OK && status != FO_ERROR_CANCELLED)
        fo_fail(why, status, "no memory for the adjoint equations of a run");
    else if (status != FO_OK)
        *why = *fo_simulation_message(q->sim);
    return status;
}

static fo_status simulate(run *q, const foi_trial *e, const double *numbers, foi_slopes *out,
                          fo_message *why)
{
    foi_trial other = *e;
    fo_model *again;
    const fo_observer observer = {.self = q, .moment = hear, .interval = -1};
    other.instead = foi_variation_system(q->v), other.lanes = NULL, other.reuse = NULL;
    if (!sort_times(q)) return fo_fail(why, FO_ERROR_MEMORY, "no memory for times");
    q->sim = foi_trial_simulation(&other, numbers, 0, &observer, 1, &q->def, &again, why);
    if (!q->sim) return why->status;
    fo_status status = run_through(q, out, why);
    foi_waypoints_end(q);
    fo_simulation_destroy(q->sim);
    fo_model_close(again);
    return fo_failed(status) ? status : FO_OK;
}

static fo_status vary(run *q, const foi_trial *e, const double *numbers, foi_slopes *out,
                      fo_message *why)
{
    fo_system system = fo_model_system(e->model);
    q->v = foi_variation_create(system, q->directions, q->weights, q->numbers, e->allocator, why);
    if (q->v && q->weights) q->tape = foi_tape_create(q->v, e->allocator);
    fo_status status = FO_ERROR_MEMORY;
    if (q->v && (q->tape || !q->weights))
        status = simulate(q, e, numbers, out, why);
    else
        fo_fail(why, status, "no memory for derivatives along a run");
    return status;
}

fo_status foi_slopes_run(const foi_trial *e, const foi_measures *m, const double *numbers,
                         foi_slopes_way way, foi_slopes *out, fo_message *why)
{
    run *q = foi_new(e->allocator, 1, sizeof *q);
    if (!q) return fo_fail(why, FO_ERROR_MEMORY, "no memory for derivatives along a run");
    q->trial = e, q->m = m, q->numbers = e->count;
    q->allocator = e->allocator, q->stretch = e->stretch;
    q->p = way == FOI_SLOPES_ADJOINT ? 1 : e->count;
    fo_status status = FO_ERROR_MEMORY;
    if (make_room(q, e) && (way != FOI_SLOPES_ADJOINT || foi_adjoint_begin(q, e)))
        status = vary(q, e, numbers, out, why);
    else
        fo_fail(why, status, "no memory for derivatives along a run");
    foi_adjoint_end(q);
    foi_variation_destroy(q->v);
    free_room(q);
    foi_free(e->allocator, q);
    return status;
}

// Forward each number costs a column of everything, backward each measure a way back, which takes
// about as long as the run with a column for every state.
foi_slopes_way foi_slopes_choose(const foi_trial *e, const foi_measures *m)
{
    size_t states = fo_model_system(e->model).about->states.count;
    return e->count > 8 + m->count * (8 + states) ? FOI_SLOPES_ADJOINT : FOI_SLOPES_FORWARD;
}
