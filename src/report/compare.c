// Two series over time that are almost the same.
//
// Where both jump, at times that differ a little, the plain distance between them is as large as
// the jump, for as long as one has jumped and the other has not. So the jumps are found first, each
// one of the first series is given its counterpart in the second, and the series are cut there. A
// piece of the second, from tb0 to tb1, is then compared with the piece of the first from ta0 to
// ta1 as if its time ran ta = ta0 + (tb - tb0) (ta1 - ta0) / (tb1 - tb0).
#include <foliot/report.h>
#include <math.h>

#include "base/array.h"
#include "base/memory.h"

typedef struct series {
    const double *t, *v;
    size_t from, to; ///< rows in the common time, `to` is the last one
} series;

/// The first of two rows with one time and different values.
typedef struct jumps {
    size_t *rows, count, room;
} jumps;

typedef struct comparison {
    const fo_compare_def *def;
    series a, b;
    jumps in_a, in_b;
    double slack;   ///< how far apart two jumps may lie
    double allowed; ///< which distance does not matter
    fo_difference *d;
} comparison;

fo_compare_def fo_default_compare_def(void)
{
    return (fo_compare_def){.tolerance = 1e-3};
}

// ------------------------------------------------------------------------------------------- jumps

static bool is_jump(const series *s, size_t row)
{
    bool gap = isnan(s->v[row]) && isnan(s->v[row + 1]);
    return s->t[row] == s->t[row + 1] && s->v[row] != s->v[row + 1] && !gap;
}

static bool find_jumps(const comparison *c, const series *s, jumps *list)
{
    for (size_t row = s->from; row < s->to; row++) {
        if (!is_jump(s, row)) continue;
        if (!foi_array_room(c->def->allocator, &list->rows, &list->room, list->count + 1,
                            sizeof *list->rows))
            return false;
        list->rows[list->count++] = row;
    }
    return true;
}

// Jumps to or from what is no number are alike where they are so on the same sides.
static bool same_gaps(const comparison *c, size_t i, size_t j)
{
    return isnan(c->a.v[i]) == isnan(c->b.v[j]) && isnan(c->a.v[i + 1]) == isnan(c->b.v[j + 1]);
}

// In the same direction, and about as far.
static bool alike(const comparison *c, size_t i, size_t j)
{
    double p = c->a.v[i + 1] - c->a.v[i], q = c->b.v[j + 1] - c->b.v[j];
    if (isnan(p) || isnan(q)) return same_gaps(c, i, j);
    if ((p > 0) != (q > 0)) return false;
    return fabs(p - q) <= fmax(c->allowed, fmax(fabs(p), fabs(q)) / 2);
}

static bool matters(const comparison *c, const series *s, size_t row)
{
    return !(fabs(s->v[row + 1] - s->v[row]) <= c->allowed);
}

// Keeps the pairs at the front of both lists. Of two that do not fit the earlier one stays alone.
static void pair_jumps(comparison *c)
{
    jumps *p = &c->in_a, *q = &c->in_b;
    size_t i = 0, j = 0, pairs = 0;
    while (i < p->count || j < q->count) {
        double ta = i < p->count ? c->a.t[p->rows[i]] : INFINITY;
        double tb = j < q->count ? c->b.t[q->rows[j]] : INFINITY;
        bool both = i < p->count && j < q->count && fabs(ta - tb) <= c->slack;
        if (both && alike(c, p->rows[i], q->rows[j])) {
            c->d->shift = fmax(c->d->shift, fabs(ta - tb));
            c->d->jumps += matters(c, &c->a, p->rows[i]);
            p->rows[pairs] = p->rows[i++], q->rows[pairs++] = q->rows[j++];
        } else if (ta <= tb) {
            c->d->lone += matters(c, &c->a, p->rows[i++]);
        } else {
            c->d->lone += matters(c, &c->b, q->rows[j++]);
        }
    }
    p->count = q->count = pairs;
}

// ------------------------------------------------------------------------------------------ pieces

/// A part without a jump of both: rows from..to, and the times that its ends stand for.
typedef struct piece {
    const series *s;
    size_t from, to, at;
    double start, end;
} piece;

static size_t rows_in(const piece *p)
{
    return p->to - p->from;
}

// The value at a time that never goes back; beyond the ends the outermost value.
static double value_at(piece *p, double t)
{
    const double *times = p->s->t, *v = p->s->v;
    while (p->at < p->to && times[p->at + 1] <= t) p->at++;
    if (p->at == p->to || t <= times[p->at]) return v[p->at];
    double width = times[p->at + 1] - times[p->at], part = (t - times[p->at]) / width;
    return v[p->at] + part * (v[p->at + 1] - v[p->at]);
}

// The same instant in the other piece's time.
static double carried(const piece *from, const piece *to, double t)
{
    if (from->start == to->start && from->end == to->end) return t;
    double wide = from->end - from->start;
    double part = wide > 0 ? (t - from->start) / wide : 0;
    return to->start + part * (to->end - to->start);
}

static void note(comparison *c, double t, double a, double b)
{
    double apart = fabs(a - b);
    if (isnan(a) && isnan(b)) return;
    if (a == b) apart = 0; // also where both are infinite
    if (isnan(apart)) apart = INFINITY;
    if (apart <= c->d->worst) return;
    c->d->worst = apart, c->d->at = t, c->d->a = a, c->d->b = b;
}

static void compare_at(comparison *c, piece *a, piece *b, double t)
{
    note(c, t, value_at(a, t), value_at(b, carried(a, b, t)));
}

// What is no number in the one that has more rows, also between the points: that must not pass for
// agreement. Both pieces are read from their beginning once more.
static void compare_gaps(comparison *c, piece a, piece b, bool by_a)
{
    const piece *fine = by_a ? &b : &a;
    a.at = a.from, b.at = b.from;
    for (size_t row = fine->from; row <= fine->to; row++) {
        double t = fine->s->t[row], gap = fine->s->v[row];
        if (isfinite(gap) || t < fine->start || t > fine->end) continue;
        double ta = by_a ? carried(&b, &a, t) : t;
        if (by_a)
            note(c, ta, value_at(&a, ta), gap);
        else
            note(c, ta, gap, value_at(&b, carried(&a, &b, t)));
    }
}

// At the points of the one that has fewer, and where the time in common begins and ends.
static void compare_pieces(comparison *c, piece a, piece b)
{
    bool by_a = rows_in(&a) <= rows_in(&b);
    piece *points = by_a ? &a : &b, *other = by_a ? &b : &a;
    double first = points->start, last = points->end;
    if (points->s->t[points->from] != first) compare_at(c, &a, &b, a.start);
    for (size_t row = points->from; row <= points->to; row++) {
        double t = points->s->t[row], here = points->s->v[row];
        if (t < first || t > last) continue; // of use only for what lies between
        double then = carried(points, other, t), there = value_at(other, then);
        note(c, by_a ? t : then, by_a ? here : there, by_a ? there : here);
    }
    if (points->s->t[points->to] != last) compare_at(c, &a, &b, a.end);
    compare_gaps(c, a, b, by_a);
}

static piece piece_of(const series *s, const jumps *list, size_t k, double first, double last)
{
    bool begins = k == 0, ends = k == list->count;
    piece p = {.s = s,
               .from = begins ? s->from : list->rows[k - 1] + 1,
               .to = ends ? s->to : list->rows[k]};
    p.at = p.from;
    p.start = begins ? first : s->t[p.from];
    p.end = ends ? last : s->t[p.to];
    return p;
}

// ------------------------------------------------------------------------------------------- whole

static series series_of(const fo_columns *c, size_t column, double first, double last)
{
    series s = {.t = fo_columns_values(c, 0), .v = fo_columns_values(c, column)};
    size_t rows = fo_columns_rows(c);
    s.to = rows - 1;
    // one row before the first instant and one after the last one, for what lies between
    while (s.from + 1 < rows && s.t[s.from + 1] < first) s.from++;
    while (s.to > s.from && s.t[s.to - 1] > last) s.to--;
    return s;
}

static double size_of(const series *s)
{
    double size = 0;
    for (size_t row = s->from; row <= s->to; row++)
        if (isfinite(s->v[row])) size = fmax(size, fabs(s->v[row]));
    return size;
}

fo_status fo_columns_compare(const fo_columns *a, size_t i, const fo_columns *b, size_t j,
                             const fo_compare_def *def, fo_difference *d, fo_message *why)
{
    const double *ta = fo_columns_values(a, 0), *tb = fo_columns_values(b, 0);
    size_t na = fo_columns_rows(a), nb = fo_columns_rows(b);
    double first = fmax(ta[0], tb[0]), last = fmin(ta[na - 1], tb[nb - 1]);
    *d = (fo_difference){.first = first, .last = last, .at = first};
    if (!(first <= last))
        return fo_fail(why, FO_ERROR_ARGUMENT, "they have no time in common: %g .. %g and %g .. %g",
                       ta[0], ta[na - 1], tb[0], tb[nb - 1]);
    comparison c = {.def = def, .d = d, .slack = def->tolerance * (last - first)};
    c.a = series_of(a, i, first, last), c.b = series_of(b, j, first, last);
    d->scale = fmax(size_of(&c.a), size_of(&c.b));
    c.allowed = def->tolerance * d->scale + def->absolute;
    bool fine = find_jumps(&c, &c.a, &c.in_a) && find_jumps(&c, &c.b, &c.in_b);
    if (fine) {
        pair_jumps(&c);
        for (size_t k = 0; k <= c.in_a.count; k++)
            compare_pieces(&c, piece_of(&c.a, &c.in_a, k, first, last),
                           piece_of(&c.b, &c.in_b, k, first, last));
    }
    foi_free(def->allocator, c.in_a.rows);
    foi_free(def->allocator, c.in_b.rows);
    d->within = d->worst <= c.allowed;
    return fine ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for the jumps");
}
