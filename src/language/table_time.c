/// Tables of time. The interval is chosen by the next event, which the library's block keeps, so
/// that a moment and what is computed there agree to the last bit.
#include <math.h>

#include "language/table.h"

bool foi_find_moments(foi_session *s, const foi_curve *c, double events, foi_table_moments *m)
{
    m->at = foi_arena_new(&s->arena, c->count + 1u, sizeof *m->at);
    m->piece = foi_arena_new(&s->arena, c->count + 2u, sizeof *m->piece);
    m->first = foi_arena_new(&s->arena, c->count + 2u, sizeof *m->first);
    if (!m->at || !m->piece || !m->first) return false;
    m->first[0] = 0;
    for (uint32_t i = 0; i < c->count && c->count > 1; i++) {
        uint32_t same = 1; // points at this time: between the first and the last of them it jumps
        while (i + same < c->count && c->x[i] == c->x[i + same]) same++;
        bool ends = c->x[i] == c->x[0] || c->x[i] == c->x[c->count - 1];
        bool counts = events == FOI_ALWAYS_EVENTS || c->smoothness == FOI_CONSTANT_SEGMENTS ||
                      (events == FOI_AT_JUMPS && same > 1) ||
                      (ends && c->extrapolation == FOI_PERIODIC);
        if (i > 0 && c->x[i] == c->x[i - 1]) {
            continue; // the first of the two is the moment
        }
        if (!counts) continue;
        m->piece[m->count] = i, m->at[m->count++] = c->x[i];
        m->first[m->count] = i + same;
    }
    m->piece[m->count] = c->count;
    return true;
}

// The time in the table, and how many periods were taken off, by something that lies in the period.
static const foi_flat_expr *turns_of(foi_session *s, const foi_curve *c, const foi_table_moments *m,
                                     const foi_flat_expr *t, bool before)
{
    double period = c->x[c->count - 1] - c->x[0], slack = 1e-9;
    const foi_flat_expr *from =
        foi_of_two(s, FOI_OP_SUBTRACT, t, foi_real(s, m->shift + c->x[before ? c->count - 1 : 0]));
    const foi_flat_expr *n = foi_of_two(s, FOI_OP_DIVIDE, from, foi_real(s, period));
    n = before ? foi_of_one(s, FOI_FN_CEIL, foi_of_two(s, FOI_OP_SUBTRACT, n, foi_real(s, slack)))
               : foi_of_one(s, FOI_FN_FLOOR, foi_of_two(s, FOI_OP_ADD, n, foi_real(s, slack)));
    return foi_of_two(s, FOI_OP_MULTIPLY, foi_of_one(s, FOI_FN_NO_EVENT, n), foi_real(s, period));
}

static bool is_periodic(const foi_curve *c)
{
    return c->extrapolation == FOI_PERIODIC && c->count > 1 && c->x[c->count - 1] > c->x[0];
}

// The piece before moment `last` or one of those before it, from `first` on: which two moments it
// lies between is said by the next event, and which of several pieces between them, that make no
// moments, by the time itself.
static const foi_flat_expr *between(foi_session *s, const foi_curve *c, const foi_table_moments *m,
                                    const double *bounds, uint32_t first, uint32_t last,
                                    const foi_flat_expr *by, const foi_flat_expr *at)
{
    if (first == last) return foi_curve_search(s, c, m->first[first], m->piece[first], at);
    uint32_t middle = first + (last - first) / 2;
    const foi_flat_expr *lower = foi_of_two(s, FOI_OP_LESS, by, foi_real(s, bounds[middle]));
    return foi_flat_if(s->flat, foi_of_one(s, FOI_FN_NO_EVENT, lower),
                       between(s, c, m, bounds, first, middle, by, at),
                       between(s, c, m, bounds, middle + 1, last, by, at));
}

// The same of many moments.
static const foi_flat_expr *between_many(foi_session *s, const foi_curve *c,
                                         const foi_table_moments *m, const double *bounds,
                                         const foi_flat_expr *by, const foi_flat_expr *at)
{
    foi_pieces *list = foi_arena_new(&s->flat->arena, m->count + 1u, sizeof *list);
    foi_choices *all = foi_arena_new(&s->flat->arena, 1, sizeof *all);
    if (!list || !all) return NULL;
    for (uint32_t i = 0; i <= m->count; i++) {
        uint32_t first = m->first[i], last = m->piece[i];
        list[i] =
            (foi_pieces){c->x, c->pieces, first, last, foi_pieces_degree(c->pieces, first, last)};
        if (list[i].degree > all->degree) all->degree = list[i].degree;
    }
    all->ends = bounds, all->list = list, all->count = m->count;
    all->guide = foi_buckets_make(&s->flat->arena, bounds, m->count);
    return foi_along_choice(s, all, c->order, by, at);
}

// The value at time t, in the interval that the next event ends.
static const foi_flat_expr *value_at(foi_session *s, const foi_curve *c, const foi_table_moments *m,
                                     const foi_flat_expr *t, const foi_flat_expr *next)
{
    if (c->count == 1) return foi_real(s, c->order ? 0 : c->y[0]);
    const foi_flat_expr *at = foi_of_two(s, FOI_OP_SUBTRACT, t, foi_real(s, m->shift));
    const foi_flat_expr *by = foi_of_two(s, FOI_OP_SUBTRACT, next, foi_real(s, m->shift));
    if (is_periodic(c)) {
        const foi_flat_expr *off = turns_of(s, c, m, next, true);
        at = foi_of_two(s, FOI_OP_SUBTRACT, at, off);
        by = foi_of_two(s, FOI_OP_SUBTRACT, by, off);
    }
    double *bounds = foi_arena_new(&s->flat->arena, m->count + 1u, sizeof *bounds);
    if (!bounds) return NULL;
    for (uint32_t i = 0; i < m->count; i++) { // between this moment and the next
        double width = i + 1 < m->count ? m->at[i + 1] - m->at[i] : c->x[c->count - 1] - c->x[0];
        if (!(width > 0)) width = m->at[i] != 0 ? fabs(m->at[i]) : 1; // all of it is one jump
        bounds[i] = m->at[i] + 1e-6 * width;
    }
    return m->count > FOI_MOST_CHOICES ? between_many(s, c, m, bounds, by, at)
                                       : between(s, c, m, bounds, 0, m->count, by, at);
}

// y, and the run ends where the table has begun and is over, or not yet there.
static const foi_flat_expr *inside(foi_session *s, foi_place place, const foi_curve *c,
                                   const foi_table_moments *m, const foi_flat_expr *t,
                                   const foi_flat_expr *y)
{
    double low = c->x[0] + m->shift, high = c->x[c->count - 1] + m->shift;
    const foi_flat_expr *early = foi_below(s, t, m->start);
    return foi_inside_table(s, place, low, high, foi_flat_if(s->flat, early, foi_real(s, low), t),
                            y);
}

const foi_flat_expr *foi_time_value(foi_session *s, foi_place place, const foi_curve *c,
                                    const foi_table_moments *m, const foi_flat_expr *t,
                                    const foi_flat_expr *next)
{
    const foi_flat_expr *y = value_at(s, c, m, t, next);
    if (c->extrapolation == FOI_NO_EXTRAPOLATION && c->count > 1) y = inside(s, place, c, m, t, y);
    if (m->start <= c->x[0] + m->shift && c->extrapolation == FOI_HOLD && m->start <= 0) return y;
    const foi_flat_expr *begun = foi_of_two(s, FOI_OP_GREATER_EQUAL, t, foi_real(s, m->start));
    return foi_flat_if(s->flat, begun, y, foi_real(s, 0));
}

static const double NEVER = 1e60;

// Before it a moment is still to come.
static double end_of(const foi_table_moments *m, uint32_t i, double span)
{
    return m->at[i] - 1e-12 * (fabs(m->at[i]) + span);
}

// The first moment after `at`, of those from `first` to `last`; one behind the last is never.
static const foi_flat_expr *later_moment(foi_session *s, const foi_table_moments *m, uint32_t first,
                                         uint32_t last, double span, const foi_flat_expr *at,
                                         const foi_flat_expr *off)
{
    if (first == last) {
        if (first == m->count) return foi_real(s, NEVER);
        const foi_flat_expr *value = foi_real(s, m->at[first] + m->shift);
        return off ? foi_of_two(s, FOI_OP_ADD, value, off) : value;
    }
    uint32_t middle = first + (last - first) / 2;
    return foi_flat_if(s->flat, foi_below(s, at, end_of(m, middle, span)),
                       later_moment(s, m, first, middle, span, at, off),
                       later_moment(s, m, middle + 1, last, span, at, off));
}

// The same of many moments.
static const foi_flat_expr *later_of_many(foi_session *s, const foi_table_moments *m, double span,
                                          const foi_flat_expr *at, const foi_flat_expr *off)
{
    double *ends = foi_arena_new(&s->flat->arena, m->count, sizeof *ends);
    foi_cubic *list = foi_arena_new(&s->flat->arena, m->count + 1u, sizeof *list);
    foi_pieces *p = foi_arena_new(&s->flat->arena, 1, sizeof *p);
    if (!ends || !list || !p) return NULL;
    for (uint32_t i = 0; i < m->count; i++) {
        ends[i] = end_of(m, i, span);
        list[i] = (foi_cubic){.a = {m->at[i] + m->shift}};
    }
    list[m->count] = (foi_cubic){.a = {NEVER}};
    *p = (foi_pieces){.ends = ends, .list = list, .last = m->count};
    p->guide = foi_buckets_make(&s->flat->arena, ends, m->count);
    const foi_flat_expr *value = foi_along_pieces(s, p, 0, at);
    return off ? foi_of_two(s, FOI_OP_ADD, value, off) : value;
}

const foi_flat_expr *foi_next_event(foi_session *s, const foi_curve *c, const foi_table_moments *m,
                                    const foi_flat_expr *t)
{
    const foi_flat_expr *at = foi_of_two(s, FOI_OP_SUBTRACT, t, foi_real(s, m->shift)), *off = NULL;
    double span = c->x[c->count - 1] - c->x[0];
    if (is_periodic(c)) {
        off = turns_of(s, c, m, t, false);
        at = foi_of_two(s, FOI_OP_SUBTRACT, at, off);
    }
    const foi_flat_expr *found = m->count > FOI_MOST_CHOICES
                                     ? later_of_many(s, m, span, at, off)
                                     : later_moment(s, m, 0, m->count, span, at, off);
    const foi_flat_expr *before =
        foi_of_two(s, FOI_OP_LESS, t, foi_real(s, m->start - 1e-12 * fabs(m->start)));
    return foi_flat_if(s->flat, foi_of_one(s, FOI_FN_NO_EVENT, before), foi_real(s, m->start),
                       found);
}
