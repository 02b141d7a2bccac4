#include "program/history.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "math/math.h"

static const foi_point *point(const foi_history *h, double i)
{
    return &h->points[(uint64_t)i % FOI_HISTORY_ROOM];
}

static foi_point *last(foi_history *h)
{
    return &h->points[(uint64_t)(h->count - 1) % FOI_HISTORY_ROOM];
}

// Whether a smooth piece begins with point i.
static bool begins(const foi_history *h, double i)
{
    return i <= h->base || point(h, i)->t == point(h, i - 1)->t;
}

void foi_history_begin(foi_history *h, double t, double value)
{
    h->count = 1, h->base = h->from = 0, h->upto = INFINITY, h->size = fabs(value);
    h->points[0] = (foi_point){.t = t, .value = value};
}

// --------------------------------------------------------------------------------- interpolation

// With the two ends these are the extrema of Chebyshev's polynomial of degree 5, between which a
// polynomial through them strays least.
#define INNER 0.15450849718747371205 // cos(2 pi/5) / 2
#define OUTER 0.40450849718747371205 // cos(pi/5) / 2

const double foi_inside[FOI_INSIDE] = {0.5 - OUTER, 0.5 - INNER, 0.5 + INNER, 0.5 + OUTER};

// Exact at both ends, and everywhere where they are equal.
static double chord(double left, double right, double part)
{
    if (left == right) return left; // infinite ones, too
    return part < 0.5 ? left + part * (right - left) : right - (1 - part) * (right - left);
}

foi_bend foi_bend_of(double left, double right, const double *inside, size_t apart)
{
    enum { ULPS = 4 };
    double w[FOI_INSIDE], most = 0, size = foi_fmax(fabs(left), fabs(right));
    for (int k = 0; k < FOI_INSIDE; k++) {
        double part = foi_inside[k], value = inside[(size_t)k * apart];
        w[k] = value - chord(left, right, part);
        most = foi_fmax(most, fabs(w[k])), size = foi_fmax(size, fabs(value));
        w[k] /= part * (1 - part);
    }
    if (most <= ULPS * DBL_EPSILON * size) return (foi_bend){{0}}; // what is straight stays so
    const double apart_squares = OUTER * OUTER - INNER * INNER;
    double even[2] = {(w[1] + w[2]) / 2, (w[0] + w[3]) / 2};
    double odd[2] = {(w[2] - w[1]) / (2 * INNER), (w[3] - w[0]) / (2 * OUTER)};
    foi_bend b;
    b.c[2] = (even[1] - even[0]) / apart_squares, b.c[0] = even[0] - b.c[2] * INNER * INNER;
    b.c[3] = (odd[1] - odd[0]) / apart_squares, b.c[1] = odd[0] - b.c[3] * INNER * INNER;
    return b;
}

double foi_bend_at(const foi_bend *b, double left, double right, double part)
{
    double s = part - 0.5, q = b->c[FOI_INSIDE - 1];
    for (int k = FOI_INSIDE - 2; k >= 0; k--) q = q * s + b->c[k];
    return chord(left, right, part) + part * (1 - part) * q;
}

foi_bend foi_bend_part(const foi_bend *b, double left, double right, double from, double to)
{
    double inside[FOI_INSIDE];
    for (int k = 0; k < FOI_INSIDE; k++)
        inside[k] = foi_bend_at(b, left, right, from + foi_inside[k] * (to - from));
    return foi_bend_of(foi_bend_at(b, left, right, from), foi_bend_at(b, left, right, to), inside,
                       1);
}

// What they are together at a part of the whole.
static double joined_at(const foi_bend *first, const foi_bend *second, const double ends[3],
                        double middle, double part)
{
    if (part < middle) return foi_bend_at(first, ends[0], ends[1], part / middle);
    return foi_bend_at(second, ends[1], ends[2], (part - middle) / (1 - middle));
}

double foi_bend_join(const foi_bend *first, const foi_bend *second, const double ends[3],
                     double middle, foi_bend *both)
{
    static const double looks[] = {0.04, 0.22, 0.5, 0.78, 0.96};
    double inside[FOI_INSIDE], off = fabs(0 * middle);
    for (int k = 0; k < FOI_INSIDE; k++)
        inside[k] = joined_at(first, second, ends, middle, foi_inside[k]);
    *both = foi_bend_of(ends[0], ends[2], inside, 1);
    for (int k = 0; k < 11; k++) {
        double look = looks[k % 5], part = k < 5 ? look * middle : middle + look * (1 - middle);
        if (k == 10) part = middle;
        double is = joined_at(first, second, ends, middle, part);
        double error = fabs(is - foi_bend_at(both, ends[0], ends[2], part));
        off = error <= off ? off : error; // not a number, too
    }
    return off;
}

// The cubic with slopes at both ends.
static foi_bend bend_by_slopes(const foi_point *a, const foi_point *b)
{
    double rise = b->value - a->value, by = b->t - a->t;
    double left = by * a->slope - rise, right = rise - by * b->slope;
    if (!(fabs(left) < INFINITY && fabs(right) < INFINITY)) return (foi_bend){{0}};
    return (foi_bend){{(left + right) / 2, right - left}};
}

// Rounding errors beyond its ends an interval goes on, but not far.
#define BEYOND 0.0625

static double within(double part)
{
    return foi_fmin(foi_fmax(part, -BEYOND), 1 + BEYOND);
}

// The value at t by interval i .. i + 1.
static double interpolate(const foi_history *h, double i, double t)
{
    const foi_point *a = point(h, i), *b = point(h, i + 1);
    double part = (t - a->t) / (b->t - a->t);
    if (!(b->t > a->t)) return b->value;
    return foi_bend_at(&b->bend, a->value, b->value, within(part));
}

// ----------------------------------------------------------------------------------------- points

// What is older than anybody will ask for makes room.
static bool push(foi_history *h, const foi_point *p, double most)
{
    while (h->base + 1 < h->count && point(h, h->base + 1)->t < p->t - 1.5 * most) h->base++;
    if (h->count - h->base == FOI_HISTORY_ROOM) return false;
    h->count++;
    *last(h) = *p;
    if (fabs(p->value) > h->size && !isinf(p->value)) h->size = fabs(p->value);
    return true;
}

// How far a history may be from what it keeps. A tenth of the tolerance; where room becomes scarce,
// ten tolerances: with more than that it ends.
double foi_history_allows(const foi_history *h, double size, foi_keeping as)
{
    bool scarce = h->count - h->base > 0.75 * FOI_HISTORY_ROOM;
    return (scarce ? 10 : 0.1) * (as.rtol * foi_fmax(h->size, size) + as.atol);
}

// Joins the last interval, after `a`, with the one up to p, where one polynomial is as both are.
static bool join(foi_history *h, const foi_point *a, foi_point *p, foi_keeping as)
{
    const foi_point *m = point(h, h->count - 1);
    foi_bend both;
    double ends[] = {a->value, m->value, p->value}, middle = (m->t - a->t) / (p->t - a->t);
    double off = foi_bend_join(&m->bend, &p->bend, ends, middle, &both);
    off += foi_fmax(m->off, p->off);
    if (!(off <= foi_history_allows(h, 0, as))) return false;
    p->bend = both, p->off = off;
    *last(h) = *p;
    return true;
}

// Whether p goes on from the last point, at the same instant, with a slope that shows over the last
// interval: then it is a turning point of order 1, whatever came out of a delay at that instant.
static bool has_kink(const foi_history *h, const foi_point *p, foi_keeping as)
{
    const foi_point *end = point(h, h->count - 1);
    if (h->count - h->base < 2) return false;
    double by = p->t - point(h, h->count - 2)->t;
    return fabs(p->slope - end->slope) * by > foi_history_allows(h, 0, as);
}

// One more point at the instant of the last one.
static bool add_turn(foi_history *h, foi_point *p, foi_keeping as, int order)
{
    foi_point *end = last(h);
    bool same = p->value == end->value && (p->slope == end->slope || isnan(p->slope));
    if (same && order < 0) return true;
    p->order = p->value != end->value ? 0 : order < 0 || has_kink(h, p, as) ? 1 : order;
    p->bend = (foi_bend){{0}};
    if (h->count - h->base > 1 && begins(h, h->count - 1)) { // one more jump at this instant
        p->order = foi_fmin(p->order, end->order);
        *end = *p;
        return true;
    }
    if (isinf(h->upto)) h->upto = h->count - 1;
    return push(h, p, as.most);
}

bool foi_history_add(foi_history *h, double t, double value, double slope, const foi_bend *bend,
                     foi_keeping as, int order)
{
    foi_point *end = last(h), p = {.t = t, .value = value, .slope = slope};
    if (t == end->t) return add_turn(h, &p, as, order);
    p.bend = bend ? *bend : bend_by_slopes(end, &p);
    double before = h->count - 2, near = 4 * as.most / FOI_HISTORY_ROOM;
    if (!begins(h, h->count - 1) && before >= h->base && t - point(h, before)->t < near &&
        join(h, point(h, before), &p, as))
        return true;
    return push(h, &p, as.most);
}

double foi_history_blur(const foi_point *a, const foi_point *b)
{
    enum { ULPS = 16 };
    double steep = fabs(b->value - a->value) / (b->t - a->t);
    if (!isnan(a->slope)) steep = foi_fmax(steep, fabs(a->slope));
    if (!isnan(b->slope)) steep = foi_fmax(steep, fabs(b->slope));
    double blur = ULPS * DBL_EPSILON * fabs(b->t) * steep;
    return blur < INFINITY ? blur : 0;
}

// ------------------------------------------------------------------------------------------ values

// The last point among lo .. hi that is not after t.
static double find(const foi_history *h, double lo, double hi, double t)
{
    while (hi > lo) {
        double middle = floor((lo + hi + 1) / 2);
        if (point(h, middle)->t <= t)
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}

// See foi_history_at: beyond the last point by rounding is still at it.
static double slack_at(const foi_history *h, double t)
{
    return 1e-12 * (fabs(t) + fabs(point(h, h->count - 1)->t - point(h, h->base)->t));
}

foi_point foi_history_point(const foi_history *h)
{
    return *point(h, h->count - 1);
}

double foi_history_end(const foi_history *h)
{
    return point(h, h->count - 1)->t;
}

double foi_history_slope(const foi_history *h, double t, double slope)
{
    const foi_point *end = point(h, h->count - 1);
    return end->t == t ? end->slope : slope;
}

double foi_history_last(const foi_history *h)
{
    return point(h, h->count - 1)->value;
}

bool foi_history_begins(const foi_history *h)
{
    return begins(h, h->count - 1);
}

bool foi_history_at(const foi_history *h, double t, bool pieces, double *value)
{
    double end = h->count - 1, lo = foi_fmax(h->from, h->base), hi = foi_fmin(h->upto, end);
    double slack = slack_at(h, t);
    if (t > point(h, end)->t + slack) return false;
    bool inside =
        pieces && lo <= hi && t >= point(h, lo)->t - slack && (t <= point(h, hi)->t + slack);
    if (!inside) lo = h->base, hi = end;
    double i = find(h, lo, hi, t);
    if (i == hi && i > lo && !begins(h, hi)) i--; // at its end, but for rounding errors
    if (t <= point(h, h->base)->t)
        *value = point(h, lo)->value;
    else
        *value = i < hi ? interpolate(h, i, t) : point(h, hi)->value;
    return true;
}

// ------------------------------------------------------------------------------------- enclosures

// foi_bend_at() over all of `part`, operation by operation in intervals, so that it holds what that
// computes there; and its derivative by the part.
static void bend_over(const foi_bend *b, double left, double right, foi_interval part,
                      foi_enclosed *y)
{
    const foi_interval one = {1, 1}, half = {0.5, 0.5}, a = {left, left}, z = {right, right};
    foi_interval s = foi_i_subtract(part, half), rest = foi_i_subtract(one, part);
    foi_interval rise = foi_i_subtract(z, a), value, q, dq = {0, 0};
    q = (foi_interval){b->c[FOI_INSIDE - 1], b->c[FOI_INSIDE - 1]};
    for (int k = FOI_INSIDE - 2; k >= 0; k--) {
        dq = foi_i_add(foi_i_multiply(dq, s), q);
        q = foi_i_add(foi_i_multiply(q, s), (foi_interval){b->c[k], b->c[k]});
    }
    foi_interval near = foi_i_add(a, foi_i_multiply(part, rise));
    foi_interval far = foi_i_subtract(z, foi_i_multiply(rest, rise));
    value = part.hi < 0.5 ? near : part.lo >= 0.5 ? far : foi_i_hull(near, far);
    foi_interval bump = foi_i_multiply(part, rest);
    y->range = foi_i_add(value, foi_i_multiply(bump, q));
    foi_interval tilt = foi_i_multiply(s, (foi_interval){-2, -2});
    y->slope = foi_i_add(rise, foi_i_multiply(tilt, q));
    y->slope = foi_i_add(y->slope, foi_i_multiply(bump, dq));
}

// By interval i .. i + 1.
static bool enclose_between(const foi_history *h, double i, foi_interval at, foi_enclosed *y)
{
    const foi_point *a = point(h, i), *b = point(h, i + 1);
    double known = b->value - a->value, by = b->t - a->t;
    for (int k = 0; k < FOI_INSIDE; k++) known += 0 * b->bend.c[k];
    if (!(by > 0) || !(fabs(known) < INFINITY)) return false;
    const foi_interval from = {a->t, a->t}, to = {b->t, b->t}, wide = foi_i_subtract(to, from);
    foi_interval part = foi_i_divide(foi_i_subtract(at, from), wide);
    bool beyond = part.lo < -BEYOND || part.hi > 1 + BEYOND;
    part = (foi_interval){within(part.lo), within(part.hi)};
    bend_over(&b->bend, a->value, b->value, part, y);
    y->slope = foi_i_divide(y->slope, wide);
    if (beyond) y->slope = foi_i_hull(y->slope, (foi_interval){0, 0});
    return true;
}

// Before the start.
static bool enclose_start(const foi_history *h, foi_interval at, double slack, foi_enclosed *y)
{
    const foi_point *p = point(h, 0);
    if (h->base > 0 || !(at.hi <= p->t + slack)) return false;
    *y = foi_enclosed_constant(p->value);
    return true;
}

// All of `at` lies in the piece that is coming out, but for the rounding errors that foi_history_at
// grants it.
bool foi_history_enclose(const foi_history *h, foi_interval at, foi_enclosed *y)
{
    double end = h->count - 1, lo = foi_fmax(h->from, h->base), hi = foi_fmin(h->upto, end);
    double slack = foi_fmin(slack_at(h, at.lo), slack_at(h, at.hi));
    *y = foi_enclosed_anything(0);
    if (!(at.lo <= at.hi)) return false;
    if (!(lo < hi)) return lo == 0 && hi == 0 && enclose_start(h, at, slack, y);
    if (!(at.lo >= point(h, lo)->t - slack && at.hi <= point(h, hi)->t + slack)) return false;
    at.lo = foi_fmax(at.lo, point(h, h->base)->t);
    at.hi = foi_fmax(at.lo, at.hi);
    double first = foi_fmin(find(h, lo, hi, at.lo), hi - 1);
    double last = foi_fmin(find(h, lo, hi, at.hi), hi - 1);
    for (double i = first; i <= last; i++) {
        foi_interval part = at;
        if (i > first) part.lo = point(h, i)->t;
        if (i < last) part.hi = point(h, i + 1)->t;
        foi_enclosed here = {.nature = 0};
        if (!enclose_between(h, i, part, &here)) return false;
        if (i == first) y->range = here.range, y->slope = here.slope;
        y->range = foi_i_hull(y->range, here.range), y->slope = foi_i_hull(y->slope, here.slope);
    }
    y->mid = y->range;
    return foi_i_is_finite(y->range);
}

// ---------------------------------------------------------------------------------- turning points

double foi_history_turn(const foi_history *h)
{
    return isinf(h->upto) ? INFINITY : point(h, h->upto)->t;
}

int foi_history_pass(foi_history *h)
{
    double end = h->count - 1;
    h->from = h->upto + 1, h->upto = INFINITY;
    for (double i = foi_fmax(h->from, h->base); i < end; i++)
        if (begins(h, i + 1)) {
            h->upto = i;
            break;
        }
    return (int)point(h, h->from)->order;
}
