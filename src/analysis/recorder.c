// Sums a run up while it goes on, in constant memory: values at rows (the start, ends of steps,
// both sides of jumps), and between them every smooth piece (simulation/follow.h), whose extremes
// (extreme.c), integral (area.c) and way out of a band (band.c) are found on the dense output.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/curve.h"
#include "base/memory.h"
#include "math/math.h"

static size_t most_registers(const foi_measures *m)
{
    size_t most = 1;
    for (size_t i = 0; i < m->reducer_count; i++) {
        size_t size = foi_reducer_bounds_size(&m->reducers[i]);
        if (size > most) most = size;
    }
    return most;
}

fo_status foi_recorder_create(foi_recorder *r, const foi_measures *m, const fo_allocator *allocator,
                              fo_message *why)
{
    *r = (foi_recorder){.m = m, .allocator = allocator};
    r->tracks = foi_new(allocator, m->reducer_count, sizeof *r->tracks);
    r->values = foi_new(allocator, m->reducer_count, sizeof *r->values);
    r->targets = foi_new(allocator, m->reducer_count, sizeof *r->targets);
    r->first = foi_new(allocator, m->reducer_count, sizeof *r->first);
    r->signals = foi_new(allocator, m->signal_count, sizeof *r->signals);
    r->chosen = foi_new(allocator, m->signal_count, sizeof *r->chosen);
    r->spans = foi_new(allocator, m->signal_count, sizeof *r->spans);
    r->registers = foi_new(allocator, most_registers(m), 1);
    if (r->tracks && r->values && r->targets && r->first && r->signals && r->chosen && r->spans &&
        r->registers) {
        for (size_t i = 0; i < m->reducer_count; i++) r->targets[i] = NAN;
        return FO_OK;
    }
    foi_recorder_destroy(r);
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for measures");
}

void foi_recorder_destroy(foi_recorder *r)
{
    foi_free(r->allocator, r->tracks);
    foi_free(r->allocator, r->values);
    foi_free(r->allocator, r->targets);
    foi_free(r->allocator, r->first);
    foi_free(r->allocator, r->signals);
    foi_free(r->allocator, r->chosen);
    foi_free(r->allocator, r->spans);
    foi_free(r->allocator, r->registers);
    *r = (foi_recorder){0};
}

void foi_recorder_reset(foi_recorder *r, double start, double stop)
{
    for (size_t i = 0; i < r->m->reducer_count; i++) {
        r->tracks[i] =
            (foi_track){.low = NAN, .high = NAN, .bad_t = NAN, .pole_t = NAN, .outside = start};
        r->values[i] = r->m->reducers[i].kind == FOI_REDUCE_COUNT ? 0 : NAN;
    }
    r->start = start, r->last_t = start, r->length = stop - start;
    r->began = false, r->reason[0] = 0;
}

// -------------------------------------------------------------------------------------- observing

static double inner(const foi_recorder *r, size_t i)
{
    double y = foi_arithmetic_value(&r->m->reducers[i].inner, r->signals, NULL);
    return r->m->reducers[i].kind == FOI_REDUCE_RMS ? y * y : y;
}

static double band_of(const foi_recorder *r, size_t i)
{
    return r->m->reducers[i].number * fabs(r->targets[i] - r->first[i]);
}

static void begin(foi_recorder *r, double t)
{
    for (size_t i = 0; i < r->m->reducer_count; i++) {
        foi_reducer_kind kind = r->m->reducers[i].kind;
        if (kind <= FOI_REDUCE_INITIAL) r->first[i] = inner(r, i);
        if (kind == FOI_REDUCE_INITIAL) r->values[i] = r->first[i];
        r->tracks[i].outside = t;
    }
    r->start = t, r->began = true;
}

static void take(foi_recorder *r, size_t i, double t)
{
    foi_track *k = &r->tracks[i];
    double y = inner(r, i);
    if (isnan(y) && isnan(k->bad_t)) k->bad_t = t;
    if (isinf(y) && isnan(k->pole_t)) k->pole_t = t;
    if (isfinite(y)) foi_track_take(k, y);
    if (!isnan(r->targets[i]) && fabs(y - r->targets[i]) > band_of(r, i)) k->outside = t;
}

static fo_status row(void *self, const fo_row *row, fo_message *why)
{
    foi_recorder *r = self;
    (void)why;
    memcpy(r->signals, row->values, row->count * sizeof *row->values);
    if (!r->began) begin(r, row->t);
    for (size_t i = 0; i < r->m->reducer_count; i++)
        if (r->m->reducers[i].kind <= FOI_REDUCE_OVERSHOOT) take(r, i, row->t);
    r->last_t = row->t;
    return FO_OK;
}

static fo_status piece(void *self, const foi_piece *p, fo_message *why)
{
    foi_recorder *r = self;
    (void)why;
    for (size_t i = 0; i < r->m->reducer_count; i++) {
        const foi_reducer *q = &r->m->reducers[i];
        foi_curve v = {r, q, &r->tracks[i], p, r->targets[i], band_of(r, i), FO_OK};
        if (!isnan(v.k->bad_t)) continue; // nothing comes of it any more
        switch (q->kind) {
        case FOI_REDUCE_MIN: foi_extreme_look(&v, -1); break;
        case FOI_REDUCE_MAX: foi_extreme_look(&v, 1); break;
        case FOI_REDUCE_OVERSHOOT: foi_extreme_look(&v, -1), foi_extreme_look(&v, 1); break;
        case FOI_REDUCE_MEAN:
        case FOI_REDUCE_RMS:
        case FOI_REDUCE_INTEGRAL: foi_area_add(&v); break;
        case FOI_REDUCE_SETTLING:
            if (!isnan(v.target)) foi_band_look(&v);
            break;
        default: break;
        }
        if (v.status != FO_OK) return v.status;
    }
    return FO_OK;
}

static bool is_event(fo_moment_kind kind)
{
    return kind == FO_GUARD || kind == FO_CONDITION || kind == FO_SCHEDULED || kind == FO_EXTERNAL;
}

static fo_status moment(void *self, const fo_moment *m, fo_message *why)
{
    foi_recorder *r = self;
    (void)why;
    if (!is_event(m->kind) || !m->name) return FO_OK;
    for (size_t i = 0; i < r->m->reducer_count; i++) {
        const foi_reducer *q = &r->m->reducers[i];
        if (q->kind < FOI_REDUCE_COUNT || strcmp(q->event, m->name) != 0) continue;
        if (q->kind == FOI_REDUCE_COUNT) r->values[i]++;
        if (q->kind == FOI_REDUCE_LAST || (q->kind == FOI_REDUCE_FIRST && isnan(r->values[i])))
            r->values[i] = m->t;
    }
    return FO_OK;
}

fo_observer foi_recorder_observer(foi_recorder *r, double length)
{
    const foi_measures *m = r->m;
    return (fo_observer){.self = r,
                         .signals = m->signals,
                         .signal_count = m->signal_count,
                         .moment = m->moments ? moment : NULL,
                         .row = m->rows ? row : NULL,
                         .interval = m->pieces ? 0
                                     : m->rows ? length
                                               : -1};
}

void foi_recorder_follow(foi_recorder *r, fo_simulation *sim)
{
    if (r->m->pieces) foi_simulation_follow(sim, (foi_follower){r, piece});
}

// ---------------------------------------------------------------------------------------- the end

static void look(foi_recorder *r, fo_simulation *sim)
{
    for (size_t i = 0; i < r->m->signal_count; i++)
        r->signals[i] = fo_simulation_value(sim, r->m->signals[i]);
}

void foi_recorder_at(foi_recorder *r, size_t reducer, fo_simulation *sim)
{
    look(r, sim);
    r->values[reducer] = foi_arithmetic_value(&r->m->reducers[reducer].inner, r->signals, NULL);
}

static double value_of(const foi_recorder *r, size_t i, double last)
{
    const foi_track *k = &r->tracks[i];
    double span = r->last_t - r->start, integral = k->integral + k->lost;
    bool up = last >= r->first[i];
    double past = up ? k->high - last : last - k->low;
    if (!isnan(k->bad_t) || !isnan(k->pole_t)) return NAN;
    switch (r->m->reducers[i].kind) {
    case FOI_REDUCE_MIN: return k->low;
    case FOI_REDUCE_MAX: return k->high;
    case FOI_REDUCE_INTEGRAL: return integral;
    case FOI_REDUCE_MEAN: return span > 0 ? integral / span : last;
    case FOI_REDUCE_RMS: return span > 0 ? sqrt(foi_fmax(integral / span, 0)) : sqrt(last);
    case FOI_REDUCE_SETTLING: return k->outside - r->start;
    case FOI_REDUCE_OVERSHOOT: return last == r->first[i] ? NAN : past / fabs(last - r->first[i]);
    default: return NAN;
    }
}

// How large the error of a measure may be, as a part of its scale.
static double error_of(const foi_recorder *r, size_t i, double last)
{
    const foi_track *k = &r->tracks[i];
    double size = foi_track_size(k), span = r->last_t - r->start, error = k->gap, scale = size;
    foi_reducer_kind kind = r->m->reducers[i].kind;
    if (kind == FOI_REDUCE_OVERSHOOT) scale = fabs(last - r->first[i]);
    if (kind == FOI_REDUCE_MEAN || kind == FOI_REDUCE_INTEGRAL)
        error = k->doubt, scale = size * span;
    if (kind == FOI_REDUCE_RMS) { // of a root: not more than twice the root of the error
        double mean = k->integral / span, off = k->doubt / span;
        error = off < mean ? off / sqrt(mean) : sqrt(mean + off), scale = sqrt(size);
    }
    if (kind == FOI_REDUCE_SETTLING && k->open) return 1;
    return error > 0 ? error / scale : 0;
}

// Why the value of a reducer is not there.
static void say_why(const foi_recorder *r, size_t i, const fo_simulation *sim, char *text,
                    size_t size)
{
    const foi_reducer *q = &r->m->reducers[i];
    const foi_track *k = &r->tracks[i];
    double end = fo_simulation_time(sim);
    if (q->kind == FOI_REDUCE_FIRST || q->kind == FOI_REDUCE_LAST)
        snprintf(text, size, "'%s' has not happened", q->event);
    else if (q->kind == FOI_REDUCE_AT && q->number > end)
        snprintf(text, size, "the run ends at t = %.15g, before t = %.15g", end, q->number);
    else if (q->kind == FOI_REDUCE_AT && q->number < r->start)
        snprintf(text, size, "the run begins at t = %.15g, after t = %.15g", r->start, q->number);
    else if (q->kind == FOI_REDUCE_OVERSHOOT && isnan(k->bad_t) && isnan(k->pole_t))
        snprintf(text, size, "it ends where it began");
    else if (!isnan(k->bad_t))
        snprintf(text, size, "it is not a number at t = %.15g", k->bad_t);
    else if (!isnan(k->pole_t))
        snprintf(text, size, "it has no bound near t = %.15g", k->pole_t);
    else
        snprintf(text, size, "it is not a number");
}

// Adds to the reason why a measure is not there: because of a reducer in it, or by itself.
static void explain(foi_recorder *r, size_t measure, const fo_simulation *sim)
{
    const foi_arithmetic *a = &r->m->list[measure];
    char why[FO_MESSAGE_SIZE] = "it is not a number";
    for (size_t i = 0; i < a->count; i++) {
        size_t reducer = a->terms[i].index;
        if (a->terms[i].op != FOI_TERM_CALL || isfinite(r->values[reducer])) continue;
        say_why(r, reducer, sim, why, sizeof why);
        break;
    }
    size_t used = strlen(r->reason), room = sizeof r->reason - used;
    snprintf(r->reason + used, room, "%s%s: %s", used ? "; " : "", r->m->texts[measure], why);
}

bool foi_recorder_is_sampled(const foi_recorder *r, size_t measure)
{
    const foi_arithmetic *a = &r->m->list[measure];
    for (size_t i = 0; i < a->count; i++)
        if (a->terms[i].op == FOI_TERM_CALL && r->tracks[a->terms[i].index].sampled) return true;
    return false;
}

fo_status foi_recorder_finish(foi_recorder *r, fo_simulation *sim, double *measures,
                              fo_message *why)
{
    double worst = 0;
    const char *which = "";
    look(r, sim);
    for (size_t i = 0; i < r->m->reducer_count; i++) {
        foi_reducer_kind kind = r->m->reducers[i].kind;
        if (kind == FOI_REDUCE_FINAL) r->values[i] = inner(r, i);
        if (kind > FOI_REDUCE_OVERSHOOT) continue;
        double last = inner(r, i), error = error_of(r, i, last);
        r->values[i] = value_of(r, i, last);
        r->targets[i] = last;
        if (!isnan(r->values[i]) && error > worst) worst = error, which = foi_reducer_word(kind);
    }
    for (size_t i = 0; i < r->m->count; i++) {
        measures[i] = foi_arithmetic_value(&r->m->list[i], r->signals, r->values);
        if (!isfinite(measures[i])) measures[i] = NAN, explain(r, i, sim);
    }
    if (worst <= r->accuracy) return FO_OK;
    return fo_fail(why, FO_ERROR_CONVERGE,
                   "%s: it is known to %.1e of its scale only; the accuracy asked for is %.1e",
                   which, worst, r->accuracy);
}
