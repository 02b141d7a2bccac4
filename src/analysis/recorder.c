// Sums a run up while it goes on, in constant memory.
//
// What lies between two samples is a parabola c (t-a)(t-b) + ... through neighbouring ones. With
// the second divided difference c = f[a, b, e], the integral over [a, b], h = b - a, is
//
//     h (y_a + y_b) / 2 - c h^3 / 6,
//
// where c is the mean of those of the two parabolas that share the interval, so that errors of
// third order cancel. An extreme inside is the vertex y_b - m^2 / (4 c), m = f[a, b] + c (b - a).
//
// Everything is done twice, with all points and with every second one: the difference is an
// estimate, on the safe side, of what the samples do not see.
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/measure.h"
#include "base/memory.h"
#include "math/math.h"

fo_status foi_recorder_create(foi_recorder *r, const foi_measures *m, const fo_allocator *allocator,
                              fo_message *why)
{
    *r = (foi_recorder){.m = m, .allocator = allocator};
    r->curves = foi_new(allocator, 2 * m->reducer_count, sizeof *r->curves);
    r->values = foi_new(allocator, m->reducer_count, sizeof *r->values);
    r->targets = foi_new(allocator, m->reducer_count, sizeof *r->targets);
    r->first = foi_new(allocator, m->reducer_count, sizeof *r->first);
    r->signals = foi_new(allocator, m->signal_count, sizeof *r->signals);
    if (r->curves && r->values && r->targets && r->first && r->signals) {
        for (size_t i = 0; i < m->reducer_count; i++) r->targets[i] = NAN;
        return FO_OK;
    }
    foi_recorder_destroy(r);
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for measures");
}

void foi_recorder_destroy(foi_recorder *r)
{
    foi_free(r->allocator, r->curves);
    foi_free(r->allocator, r->values);
    foi_free(r->allocator, r->targets);
    foi_free(r->allocator, r->first);
    foi_free(r->allocator, r->signals);
    *r = (foi_recorder){0};
}

void foi_recorder_reset(foi_recorder *r, double start)
{
    size_t n = r->m->reducer_count;
    memset(r->curves, 0, 2 * n * sizeof *r->curves);
    for (size_t i = 0; i < n; i++)
        r->values[i] = r->m->reducers[i].kind == FOI_REDUCE_COUNT ? 0 : NAN;
    r->start = start, r->last_t = start;
    r->points = 0, r->began = false, r->pending = false, r->error = 0;
}

// ----------------------------------------------------------------------------------------- curves

static void take_value(foi_curve *c, foi_reducer_kind kind, double y)
{
    bool better = kind == FOI_REDUCE_MIN ? y < c->best : y > c->best;
    if (!c->any || better || isnan(y)) c->best = y;
    if (!c->any || y < c->low) c->low = y;
    if (!c->any || y > c->high) c->high = y;
    c->any = true;
}

// `other` is the bend of the neighbouring parabola. What the two differ by is doubted on every
// interval by itself: at a jump inside of an expression, errors of the sum can cancel by chance.
static void integrate(foi_curve *c, double bend, double other)
{
    double h = c->t[1] - c->t[0];
    c->integral += h * (c->y[0] + c->y[1]) / 2 - (bend + other) * h * h * h / 12;
    c->doubt += fabs(bend - other) * h * h * h / 6;
}

static void take_vertex(foi_curve *c, foi_reducer_kind kind, double t, double bend)
{
    double left = c->t[1] - c->t[0], right = t - c->t[1];
    double slope = (c->y[1] - c->y[0]) / left + bend * left;
    double s = -slope / (2 * bend);
    bool least = kind == FOI_REDUCE_MIN, both = kind == FOI_REDUCE_OVERSHOOT;
    if ((both || (least ? bend > 0 : bend < 0)) && s > -left && s < right)
        take_value(c, kind, c->y[1] + slope * s / 2);
}

// Where the curve was last outside of the band: between the point outside and the one inside.
static void take_band(foi_curve *c, double t, double distance, double band)
{
    double before = c->previous;
    if (distance > band)
        c->outside = t;
    else if (c->points == 0 && before > band)
        c->outside = t; // it jumped in
    else if (before > band)
        c->outside =
            c->t[c->points > 1] + (t - c->t[c->points > 1]) * (before - band) / (before - distance);
    c->previous = distance;
}

static void add_point(foi_curve *c, foi_reducer_kind kind, double t, double y)
{
    take_value(c, kind, y);
    if (c->points > 0 && !(t > c->t[c->points > 1])) return;
    if (c->points >= 2) {
        double one = (c->y[1] - c->y[0]) / (c->t[1] - c->t[0]);
        double bend = ((y - c->y[1]) / (t - c->t[1]) - one) / (t - c->t[0]);
        integrate(c, c->points == 2 ? bend : c->bend, bend);
        take_vertex(c, kind, t, bend);
        c->bend = bend;
        c->t[0] = c->t[1], c->y[0] = c->y[1];
    }
    c->t[c->points > 0] = t, c->y[c->points > 0] = y;
    c->points++;
}

static void end_piece(foi_curve *c)
{
    double bend = c->points > 2 ? c->bend : 0;
    if (c->points >= 2) integrate(c, bend, bend);
    c->points = 0, c->bend = 0;
}

// -------------------------------------------------------------------------------------- observers

static double inner(const foi_recorder *r, size_t i)
{
    double y = foi_arithmetic_value(&r->m->reducers[i].inner, r->signals, NULL);
    return r->m->reducers[i].kind == FOI_REDUCE_RMS ? y * y : y;
}

static void feed(foi_recorder *r, int which, double t)
{
    for (size_t i = 0; i < r->m->reducer_count; i++) {
        const foi_reducer *q = &r->m->reducers[i];
        foi_curve *c = &r->curves[2 * i + (size_t)which];
        if (q->kind > FOI_REDUCE_OVERSHOOT) continue;
        double y = inner(r, i), span = fabs(r->targets[i] - r->first[i]);
        if (q->kind == FOI_REDUCE_SETTLING && !isnan(r->targets[i]))
            take_band(c, t, fabs(y - r->targets[i]), q->number * span);
        add_point(c, q->kind, t, y);
    }
}

static void end_pieces(foi_recorder *r)
{
    for (size_t i = 0; i < 2 * r->m->reducer_count; i++) end_piece(&r->curves[i]);
    r->points = 0;
}

static void begin(foi_recorder *r, double t)
{
    for (size_t i = 0; i < r->m->reducer_count; i++) {
        foi_reducer_kind kind = r->m->reducers[i].kind;
        if (kind <= FOI_REDUCE_INITIAL) r->first[i] = inner(r, i);
        if (kind == FOI_REDUCE_INITIAL) r->values[i] = r->first[i];
        r->curves[2 * i].outside = r->curves[2 * i + 1].outside = t;
    }
    r->start = t, r->began = true;
}

// Every second point goes to the coarse curve, and the last one of a piece.
static void take_row(foi_recorder *r, const fo_row *row)
{
    memcpy(r->signals, row->values, row->count * sizeof *row->values);
    if (!r->began) begin(r, row->t);
    if (row->kind == FO_ROW_AFTER) end_pieces(r);
    feed(r, 0, row->t);
    r->pending = r->points % 2 == 1 && row->kind != FO_ROW_BEFORE;
    if (!r->pending) feed(r, 1, row->t);
    r->points++;
    r->last_t = row->t;
}

static fo_status sample(void *self, const fo_row *row, fo_message *why)
{
    (void)why;
    if (row->kind != FO_ROW_STEP) take_row(self, row);
    return FO_OK;
}

// The ends of steps are seen, too: where steps are short something happens.
static fo_status step(void *self, const fo_row *row, fo_message *why)
{
    foi_recorder *r = self;
    (void)why;
    if (row->kind == FO_ROW_STEP && (!r->began || row->t > r->last_t)) take_row(r, row);
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

size_t foi_recorder_observers(foi_recorder *r, double interval, fo_observer observers[2])
{
    fo_observer common = {.self = r, .signals = r->m->signals, .signal_count = r->m->signal_count};
    fo_observer *one = &observers[0], *two = &observers[1];
    *one = *two = common;
    one->interval = interval, two->interval = 0;
    if (r->m->moments) one->moment = moment;
    if (!r->m->rows) {
        one->interval = -1;
        return 1;
    }
    one->row = sample, two->row = step;
    return 2;
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

static double value_of(const foi_recorder *r, size_t i, const foi_curve *c, double last)
{
    double span = r->last_t - r->start;
    bool up = last >= r->first[i];
    double past = up ? c->high - last : last - c->low;
    switch (r->m->reducers[i].kind) {
    case FOI_REDUCE_MIN:
    case FOI_REDUCE_MAX: return c->best;
    case FOI_REDUCE_INTEGRAL: return c->integral;
    case FOI_REDUCE_MEAN: return span > 0 ? c->integral / span : last;
    case FOI_REDUCE_RMS: return span > 0 ? sqrt(foi_fmax(c->integral / span, 0)) : sqrt(last);
    case FOI_REDUCE_SETTLING: return c->outside - r->start;
    case FOI_REDUCE_OVERSHOOT: return past / fabs(last - r->first[i]);
    default: return NAN;
    }
}

// What the difference between the two curves is to be small against.
static double scale_of(const foi_recorder *r, size_t i, const foi_curve *c)
{
    double size = foi_fmax(fabs(c->low), fabs(c->high)), span = r->last_t - r->start;
    switch (r->m->reducers[i].kind) {
    case FOI_REDUCE_INTEGRAL: return size * span;
    case FOI_REDUCE_RMS: return sqrt(size);
    case FOI_REDUCE_SETTLING: return span;
    case FOI_REDUCE_OVERSHOOT: return 1;
    default: return size;
    }
}

static void compare(foi_recorder *r, size_t i, double fine, double coarse)
{
    const foi_curve *c = &r->curves[2 * i];
    foi_reducer_kind kind = r->m->reducers[i].kind;
    double scale = scale_of(r, i, c), difference = fabs(fine - coarse), span = r->last_t - r->start;
    if (kind == FOI_REDUCE_INTEGRAL) difference = foi_fmax(difference, c->doubt);
    if (kind == FOI_REDUCE_MEAN && span > 0) difference = foi_fmax(difference, c->doubt / span);
    if (kind == FOI_REDUCE_RMS && fine > 0)
        difference = foi_fmax(difference, c->doubt / span / fine);
    if (difference > 0 && difference > r->error * scale)
        r->error = scale > 0 ? difference / scale : INFINITY;
}

void foi_recorder_finish(foi_recorder *r, fo_simulation *sim, double *measures)
{
    if (r->pending) feed(r, 1, r->last_t); // of the last row, which is still in place
    end_pieces(r);
    look(r, sim);
    for (size_t i = 0; i < r->m->reducer_count; i++) {
        foi_reducer_kind kind = r->m->reducers[i].kind;
        if (kind == FOI_REDUCE_FINAL) r->values[i] = inner(r, i);
        if (kind > FOI_REDUCE_OVERSHOOT) continue;
        double last = inner(r, i);
        r->values[i] = value_of(r, i, &r->curves[2 * i], last);
        compare(r, i, r->values[i], value_of(r, i, &r->curves[2 * i + 1], last));
        r->targets[i] = last;
    }
    for (size_t i = 0; i < r->m->count; i++)
        measures[i] = foi_arithmetic_value(&r->m->list[i], r->signals, r->values);
}
