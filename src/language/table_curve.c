/// Curves through points: a polynomial for each interval, of the third degree at most. An interval
/// is found by halves: by choices where there are few, and else by an operation for it, so that a
/// look-up costs the logarithm of the table's size. Curves make no moments; those of time choose
/// their interval by the next event, which the library's block keeps.
#include <math.h>

#include "language/table.h"
#include "math/math.h"

// ------------------------------------------------------------------------------- slopes of curves

static double akima(double d0, double d1, double d2, double d3, bool modified)
{
    double w1 = fabs(d3 - d2), w2 = fabs(d1 - d0);
    if (modified) w1 += fabs(d3 + d2) / 2, w2 += fabs(d1 + d0) / 2;
    double sum = w1 + w2;
    return sum > 0 ? (w1 * d1 + w2 * d2) / sum : modified ? 0 : (d1 + d2) / 2;
}

static double limited(int how, double h0, double h1, double d0, double d1)
{
    if (d0 * d1 <= 0) return 0;
    if (how == FOI_FRITSCH_BUTLAND) {
        double sum = h0 + h1;
        return 3 * sum / ((sum + h1) / d0 + (sum + h0) / d1);
    }
    double p = (d0 * h1 + d1 * h0) / (h0 + h1), least = foi_fmin(fabs(d0), fabs(d1));
    return copysign(foi_fmin(2 * least, fabs(p)), d0);
}

// The slope at point i of at least three; d: those of the intervals.
static double slope_at(const foi_curve *c, const double *d, uint32_t i)
{
    uint32_t last = c->count - 1;
    if (c->smoothness == FOI_AKIMA || c->smoothness == FOI_MODIFIED_AKIMA) {
        // d[-2], d[-1] and those behind the end go on as the first and the last two do
        double e[4];
        for (int k = 0; k < 4; k++) {
            long at = (long)i + k - 2, n = (long)last;
            e[k] = at >= 0 && at < n ? d[at]
                   : at < 0          ? d[0] + (double)at * (d[1] - d[0])
                                     : d[n - 1] + (double)(at - n + 1) * (d[n - 1] - d[n - 2]);
        }
        return akima(e[0], e[1], e[2], e[3], c->smoothness == FOI_MODIFIED_AKIMA);
    }
    // monotone ones begin and end as the lines between the first and the last two points
    if (i == 0) return d[0];
    if (i == last) return d[last - 1];
    return limited(c->smoothness, c->x[i] - c->x[i - 1], c->x[i + 1] - c->x[i], d[i - 1], d[i]);
}

static bool find_slopes(foi_session *s, foi_place place, const foi_curve *c, double *d)
{
    for (uint32_t i = 0; i + 1 < c->count; i++) {
        double h = c->x[i + 1] - c->x[i];
        if (h < 0 || (h == 0 && !c->jumps))
            return foi_error(s, place, "the first column of the table must increase: %g follows %g",
                             c->x[i + 1], c->x[i]);
        d[i] = h > 0 ? (c->y[i + 1] - c->y[i]) / h : 0;
        if (!isfinite(h) || !isfinite(d[i]))
            return foi_error(s, place, "two points of the table are too near, or too far apart");
    }
    return true;
}

static foi_cubic beyond(double x, double y, double slope)
{
    return (foi_cubic){.x = x, .a = {y, slope}};
}

bool foi_curve_fill(foi_session *s, foi_place place, foi_curve *c)
{
    uint32_t n = c->count;
    if (!foi_work(s, place, n)) return false;
    c->pieces = foi_arena_new(&s->flat->arena, n + 1u, sizeof *c->pieces); // operations keep them
    double *d = foi_arena_new(&s->arena, n, sizeof *d);
    bool constant = c->smoothness == FOI_CONSTANT_SEGMENTS;
    bool curved = c->smoothness != FOI_LINEAR && !constant && n > 2;
    c->jumps = c->jumps && !curved;
    if (!c->pieces || !d || !find_slopes(s, place, c, d)) return false;
    double m0 = curved ? slope_at(c, d, 0) : n > 1 ? d[0] : 0, first = m0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        double h = c->x[i + 1] - c->x[i], m1 = curved ? slope_at(c, d, i + 1) : d[i];
        foi_cubic p = {.x = c->x[i], .a = {c->y[i], constant ? 0 : d[i]}};
        if (curved && h > 0) {
            p.a[1] = m0;
            p.a[2] = (3 * d[i] - 2 * m0 - m1) / h;
            p.a[3] = (m0 + m1 - 2 * d[i]) / (h * h);
        }
        c->pieces[i + 1] = p;
        m0 = m1;
    }
    bool goes_on = c->extrapolation == FOI_LAST_TWO;
    double end = !curved && n > 1 ? d[n - 2] : m0;
    c->pieces[0] = beyond(c->x[0], c->y[0], goes_on ? first : 0);
    c->pieces[n] = beyond(c->x[n - 1], c->y[n - 1], goes_on ? end : 0);
    return true;
}

// ------------------------------------------------------------------------------------- expressions

static const foi_flat_expr *piece_value(foi_session *s, const foi_cubic *p, uint32_t order,
                                        const foi_flat_expr *u)
{
    double a[FOI_DEGREE + 1];
    uint32_t degree = foi_piece_rates(p, order, a) - 1;
    const foi_flat_expr *y = foi_real(s, a[degree]);
    if (degree == 0) return y;
    const foi_flat_expr *h = p->x == 0 ? u : foi_of_two(s, FOI_OP_SUBTRACT, u, foi_real(s, p->x));
    while (degree-- > 0) {
        y = foi_of_two(s, FOI_OP_MULTIPLY, y, h);
        if (a[degree] != 0) y = foi_of_two(s, FOI_OP_ADD, foi_real(s, a[degree]), y);
    }
    return y;
}

uint32_t foi_pieces_degree(const foi_cubic *list, uint32_t first, uint32_t last)
{
    uint32_t degree = 0;
    for (uint32_t i = first; i <= last; i++)
        for (uint32_t k = FOI_DEGREE; k > degree; k--)
            if (list[i].a[k] != 0) degree = k;
    return degree;
}

const foi_flat_expr *foi_along_pieces(foi_session *s, const foi_pieces *pieces, uint32_t order,
                                      const foi_flat_expr *u)
{
    const foi_flat_expr *a[] = {u, foi_real(s, foi_pieces_number(pieces) + order)};
    return foi_flat_call_builtin(s->flat, FOI_FN_ALONG, 2, a);
}

const foi_flat_expr *foi_along_choice(foi_session *s, const foi_choices *list, uint32_t order,
                                      const foi_flat_expr *by, const foi_flat_expr *u)
{
    const foi_flat_expr *a[] = {by, foi_real(s, foi_pieces_number(list) + order)};
    const foi_flat_expr *b[] = {u, foi_flat_call_builtin(s->flat, FOI_FN_AMONG, 2, a)};
    return foi_flat_call_builtin(s->flat, FOI_FN_ALONG, 2, b);
}

static const foi_flat_expr *all_at_once(foi_session *s, const foi_curve *c, uint32_t first,
                                        uint32_t last, const foi_flat_expr *u)
{
    foi_pieces *p = foi_arena_new(&s->flat->arena, 1, sizeof *p);
    if (!p) return NULL;
    *p = (foi_pieces){c->x, c->pieces, first, last, foi_pieces_degree(c->pieces, first, last)};
    if (last - first > c->count / 2) p->guide = foi_buckets_make(&s->flat->arena, c->x, c->count);
    return foi_along_pieces(s, p, c->order, u);
}

const foi_flat_expr *foi_curve_search(foi_session *s, const foi_curve *c, uint32_t first,
                                      uint32_t last, const foi_flat_expr *u)
{
    if (first == last) return piece_value(s, &c->pieces[first], c->order, u);
    if (last - first > FOI_MOST_CHOICES) return all_at_once(s, c, first, last, u);
    uint32_t middle = first + (last - first) / 2;
    return foi_flat_if(s->flat, foi_below(s, u, c->x[middle]),
                       foi_curve_search(s, c, first, middle, u),
                       foi_curve_search(s, c, middle + 1, last, u));
}

// u - floor((u - low)/T) T outside of low ... high
const foi_flat_expr *foi_folded(foi_session *s, double low, double high, const foi_flat_expr *u)
{
    const foi_flat_expr *period = foi_real(s, high - low);
    const foi_flat_expr *turns =
        foi_of_two(s, FOI_OP_DIVIDE, foi_of_two(s, FOI_OP_SUBTRACT, u, foi_real(s, low)), period);
    turns = foi_of_one(s, FOI_FN_NO_EVENT, foi_of_one(s, FOI_FN_FLOOR, turns));
    const foi_flat_expr *moved =
        foi_of_two(s, FOI_OP_SUBTRACT, u, foi_of_two(s, FOI_OP_MULTIPLY, turns, period));
    const foi_flat_expr *over =
        foi_of_one(s, FOI_FN_NO_EVENT, foi_of_two(s, FOI_OP_GREATER, u, foi_real(s, high)));
    return foi_flat_if(s->flat, foi_below(s, u, low), moved, foi_flat_if(s->flat, over, moved, u));
}

const foi_flat_expr *foi_inside_table(foi_session *s, foi_place place, double low, double high,
                                      const foi_flat_expr *u, const foi_flat_expr *y)
{
    foi_part parts[2] = {{.name = foi_name(s, "__Foliot_External")},
                         {.name = foi_name(s, "inside_table")}};
    foi_ref ref = {.parts = parts, .count = 2};
    foi_class *check = foi_find_class(s, &s->root, &ref, "function");
    if (!u || !y) return NULL;
    foi_value values[4] = {foi_scalar(y), foi_scalar(u), foi_scalar(foi_real(s, low)),
                           foi_scalar(foi_real(s, high))};
    const foi_value *results;
    uint32_t count;
    if (!check || !values[2].one || !values[3].one || !foi_analyse(s, check)) return NULL;
    foi_context ctx = {.lexical = check};
    if (!foi_call_values(s, &ctx, place, check, values, 4, &results, &count)) return NULL;
    return results[0].one;
}

const foi_flat_expr *foi_curve_look_up(foi_session *s, foi_place place, const foi_curve *c,
                                       const foi_flat_expr *u)
{
    uint32_t n = c->count;
    if (n == 1) return foi_real(s, c->order ? 0 : c->y[0]);
    if (c->extrapolation != FOI_PERIODIC) {
        const foi_flat_expr *y = foi_curve_search(s, c, 0, n, u);
        return c->extrapolation == FOI_NO_EXTRAPOLATION
                   ? foi_inside_table(s, place, c->x[0], c->x[n - 1], u, y)
                   : y;
    }
    // what is folded to an end, by rounding, is inside
    const foi_flat_expr *in = foi_folded(s, c->x[0], c->x[n - 1], u);
    const foi_flat_expr *y = foi_curve_search(s, c, 1, n - 1, in);
    if (c->smoothness != FOI_CONSTANT_SEGMENTS || c->order) return y;
    const foi_flat_expr *end = foi_real(s, c->x[n - 1]);
    const foi_flat_expr *is_end =
        foi_of_two(s, FOI_OP_AND, foi_of_two(s, FOI_OP_LESS_EQUAL, u, end),
                   foi_of_two(s, FOI_OP_GREATER_EQUAL, u, end));
    return foi_flat_if(s->flat, foi_of_one(s, FOI_FN_NO_EVENT, is_end), foi_real(s, c->y[n - 1]),
                       y);
}
