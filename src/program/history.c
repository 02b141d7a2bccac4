#include "program/history.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "math/math.h"

enum { MOST_NODES = 6 };

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
    h->points[0] = (foi_point){t, value, 0, 0};
}

// --------------------------------------------------------------------------------- interpolation

// Newton's divided differences; a node that stands twice has its slope as the difference.
static double newton(const double *t, const double *v, const double *slope, int n, double at)
{
    double d[MOST_NODES] = {0}, value;
    for (int i = 0; i < n; i++) d[i] = v[i];
    for (int k = 1; k < n; k++)
        for (int i = n - 1; i >= k; i--)
            d[i] = t[i] == t[i - k] ? slope[i] : (d[i] - d[i - 1]) / (t[i] - t[i - k]);
    value = d[n - 1];
    for (int i = n - 2; i >= 0; i--) value = value * (at - t[i]) + d[i];
    return value;
}

/// The nodes of an interpolation; where slopes are known each counts twice.
typedef struct nodes {
    double t[MOST_NODES], value[MOST_NODES], slope[MOST_NODES];
    int count;
    bool slopes;
} nodes;

static void take(nodes *n, const foi_point *p)
{
    for (int twice = 0; twice <= n->slopes; twice++, n->count++)
        n->t[n->count] = p->t, n->value[n->count] = p->value, n->slope[n->count] = p->slope;
}

// The nearest points of the piece lo .. hi; i and i + 1 are around `at`. Others that stand much
// closer together than these would make noise of rounding errors.
static nodes nearest(const foi_history *h, double lo, double hi, double i, double at)
{
    nodes n = {.slopes = !isnan(point(h, i)->slope)};
    double left = i < hi ? i : i - 1, right = left + 1;
    double apart = 0.05 * (point(h, right)->t - point(h, left)->t);
    double t_left = point(h, left)->t, t_right = point(h, right)->t;
    take(&n, point(h, left)), take(&n, point(h, right));
    left--, right++;
    while (n.count < MOST_NODES) {
        while (left >= lo && t_left - point(h, left)->t < apart) left--;
        while (right <= hi && point(h, right)->t - t_right < apart) right++;
        if (left < lo && right > hi) break;
        bool to_left =
            right > hi || (left >= lo && at - point(h, left)->t < point(h, right)->t - at);
        const foi_point *p = point(h, to_left ? left-- : right++);
        take(&n, p);
        if (to_left)
            t_left = p->t;
        else
            t_right = p->t;
    }
    return n;
}

static double interpolate(const foi_history *h, double lo, double hi, double i, double at)
{
    nodes n = nearest(h, lo, hi, i, at);
    return newton(n.t, n.value, n.slope, n.count, at);
}

// ----------------------------------------------------------------------------------------- points

// What is older than anybody will ask for makes room.
static bool push(foi_history *h, foi_point p, double most)
{
    while (h->base + 1 < h->count && point(h, h->base + 1)->t < p.t - 1.5 * most) h->base++;
    if (h->count - h->base == FOI_HISTORY_ROOM) return false;
    h->count++;
    *last(h) = p;
    if (fabs(p.value) > h->size && !isinf(p.value)) h->size = fabs(p.value);
    return true;
}

// How far a history may be from what it keeps. A tenth of the tolerance; where room becomes scarce,
// ten tolerances: with more than that it ends.
static double allowed(const foi_history *h, double size, foi_keeping as)
{
    bool scarce = h->count - h->base > 0.75 * FOI_HISTORY_ROOM;
    return (scarce ? 10 : 0.1) * (as.rtol * size + as.atol);
}

// Whether the points around the last one say what it says, so that it is of no use.
static bool is_idle(const foi_history *h, const foi_point *before, const foi_point *next,
                    foi_keeping as)
{
    const foi_point *p = point(h, h->count - 1);
    nodes n = {.slopes = !isnan(p->slope)};
    take(&n, before), take(&n, next);
    double there = newton(n.t, n.value, n.slope, n.count, p->t);
    return fabs(there - p->value) <= allowed(h, h->size, as);
}

// Whether p goes on from the last point, at the same instant, with a slope that shows over the last
// interval: then it is a turning point of order 1, whatever came out of a delay at that instant.
static bool has_kink(const foi_history *h, const foi_point *p, foi_keeping as)
{
    const foi_point *end = point(h, h->count - 1);
    if (h->count - h->base < 2) return false;
    double by = p->t - point(h, h->count - 2)->t;
    return fabs(p->slope - end->slope) * by > allowed(h, h->size, as);
}

bool foi_history_add(foi_history *h, double t, double value, double slope, foi_keeping as,
                     int order)
{
    foi_point *end = last(h), p = {t, value, slope, 0};
    if (t == end->t) {
        bool same = value == end->value && (slope == end->slope || isnan(slope));
        if (same && order < 0) return true;
        p.order = value != end->value ? 0 : order < 0 || has_kink(h, &p, as) ? 1 : order;
        if (h->count - h->base > 1 && begins(h, h->count - 1)) { // one more jump at this instant
            p.order = foi_fmin(p.order, end->order);
            *end = p;
            return true;
        }
        if (isinf(h->upto)) h->upto = h->count - 1;
        return push(h, p, as.most);
    }
    double before = h->count - 2, near = 4 * as.most / FOI_HISTORY_ROOM;
    if (!begins(h, h->count - 1) && before >= h->base && t - point(h, before)->t < near &&
        is_idle(h, point(h, before), &p, as)) {
        *end = p;
        return true;
    }
    return push(h, p, as.most);
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

bool foi_history_foresees(const foi_history *h, const foi_point *next, foi_keeping as, double t,
                          double value)
{
    nodes n = {.slopes = !isnan(next->slope)};
    double i = h->count - 1, left = point(h, i)->t, apart = 0.05 * (next->t - left);
    take(&n, next), take(&n, point(h, i));
    while (n.count < MOST_NODES && !begins(h, i)) {
        const foi_point *p = point(h, --i);
        if (left - p->t < apart) continue;
        take(&n, p);
        left = p->t;
    }
    double size = foi_fmax(h->size, foi_fmax(fabs(value), fabs(next->value)));
    double there = newton(n.t, n.value, n.slope, n.count, t);
    double blur = foi_history_blur(point(h, h->count - 1), next);
    return fabs(there - value) <= allowed(h, size, as) + blur;
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

double foi_history_allows(const foi_history *h, foi_keeping as)
{
    return allowed(h, h->size, as);
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

bool foi_history_is_young(const foi_history *h)
{
    for (double i = h->count - 1; i >= h->base && i > h->count - MOST_NODES; i--)
        if (begins(h, i)) return true;
    return false;
}

bool foi_history_at(const foi_history *h, double t, bool pieces, double *value)
{
    double end = h->count - 1, lo = foi_fmax(h->from, h->base), hi = foi_fmin(h->upto, end);
    double slack = slack_at(h, t);
    if (t > point(h, end)->t + slack) return false;
    bool inside =
        pieces && lo <= hi && t >= point(h, lo)->t - slack && (t <= point(h, hi)->t + slack);
    double i = inside ? find(h, lo, hi, t) : find(h, h->base, end, t);
    if (!inside) // the piece that holds t, as far as it can be needed
        for (lo = hi = i; hi - lo < 2 * MOST_NODES;) {
            bool left = !begins(h, lo), right = hi < end && !begins(h, hi + 1);
            lo -= left, hi += right;
            if (!left && !right) break;
        }
    if (t <= point(h, h->base)->t || lo == hi)
        *value = point(h, lo)->value;
    else
        *value = interpolate(h, lo, hi, i, t);
    return true;
}

// ------------------------------------------------------------------------------------- enclosures

// newton() and its derivative over all of `at`, operation by operation in intervals, so that they
// hold what it computes there.
static void newton_over(const nodes *n, foi_interval at, foi_enclosed *y)
{
    foi_interval d[MOST_NODES] = {{0, 0}}, value, slope = {0, 0};
    int count = n->count;
    for (int i = 0; i < count; i++) d[i] = (foi_interval){n->value[i], n->value[i]};
    for (int k = 1; k < count; k++)
        for (int i = count - 1; i >= k; i--) {
            foi_interval t = {n->t[i], n->t[i]}, before = {n->t[i - k], n->t[i - k]};
            d[i] = n->t[i] == n->t[i - k]
                       ? (foi_interval){n->slope[i], n->slope[i]}
                       : foi_i_divide(foi_i_subtract(d[i], d[i - 1]), foi_i_subtract(t, before));
        }
    value = d[count - 1];
    for (int i = count - 2; i >= 0; i--) {
        foi_interval from = foi_i_subtract(at, (foi_interval){n->t[i], n->t[i]});
        slope = foi_i_add(foi_i_multiply(slope, from), value);
        value = foi_i_add(foi_i_multiply(value, from), d[i]);
    }
    y->range = value, y->slope = slope;
}

static bool all_known(const nodes *n)
{
    double sum = 0;
    for (int i = 0; i < n->count; i++) sum += 0 * n->value[i] + (n->slopes ? 0 * n->slope[i] : 0);
    return sum == 0;
}

static bool same_nodes(const nodes *a, const nodes *b)
{
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (a->t[i] != b->t[i]) return false;
    return true;
}

// Between two points of the history one polynomial follows the other as the nearest points change.
// Which these are depends on `at` by comparisons that turn once, so that equal choices at both ends
// are equal in between. With slopes there is one choice only, and so two polynomials at most.
static bool enclose_between(const foi_history *h, double lo, double hi, double i, foi_interval at,
                            foi_enclosed *y)
{
    nodes a = nearest(h, lo, hi, i, at.lo), b = nearest(h, lo, hi, i, at.hi);
    foi_enclosed other;
    if (!all_known(&a) || !all_known(&b)) return false;
    newton_over(&a, at, y);
    if (same_nodes(&a, &b)) return true;
    if (!a.slopes) return false;
    newton_over(&b, at, &other);
    y->range = foi_i_hull(y->range, other.range), y->slope = foi_i_hull(y->slope, other.slope);
    y->nature |= FO_MAY_JUMP;
    return true;
}

// All of `at` lies in the piece that is coming out, and not at its very ends, where it is a matter
// of rounding which piece is meant.
bool foi_history_enclose(const foi_history *h, foi_interval at, foi_enclosed *y)
{
    double end = h->count - 1, lo = foi_fmax(h->from, h->base), hi = foi_fmin(h->upto, end);
    *y = foi_enclosed_anything(0);
    if (!(lo < hi) || !(at.lo <= at.hi)) return false;
    if (!(at.lo > point(h, h->base)->t && at.lo >= point(h, lo)->t && at.hi <= point(h, hi)->t))
        return false;
    double first = find(h, lo, hi, at.lo), last = find(h, lo, hi, at.hi);
    for (double i = first; i <= last; i++) {
        foi_interval part = at;
        if (i > first) part.lo = point(h, i)->t;
        if (i < last) part.hi = point(h, i + 1)->t;
        foi_enclosed here = {.nature = 0};
        if (!enclose_between(h, lo, hi, i, part, &here)) return false;
        if (i == first) y->range = here.range, y->slope = here.slope;
        y->range = foi_i_hull(y->range, here.range), y->slope = foi_i_hull(y->slope, here.slope);
        y->nature |= here.nature;
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
