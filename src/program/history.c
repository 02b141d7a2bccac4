#include "program/history.h"

#include <math.h>
#include <stdint.h>

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
    h->count = 1, h->base = h->from = 0, h->upto = INFINITY;
    h->points[0] = (foi_point){t, value, 0, 0};
}

static bool push(foi_history *h, foi_point p, double most)
{
    if (h->count - h->base == FOI_HISTORY_ROOM) {
        if (!(point(h, h->base + 1)->t < p.t - 1.25 * most)) return false;
        h->base++;
    }
    h->count++;
    *last(h) = p;
    return true;
}

bool foi_history_add(foi_history *h, double t, double value, double slope, double most, int order)
{
    foi_point *end = last(h), p = {t, value, slope, 0};
    if (t == end->t) {
        bool same = value == end->value && (slope == end->slope || isnan(slope));
        if (same && order < 0) return true;
        p.order = value != end->value ? 0 : order < 0 ? 1 : order;
        if (h->count - h->base > 1 && begins(h, h->count - 1)) { // one more jump at this instant
            p.order = fmin(p.order, end->order);
            *end = p;
            return true;
        }
        if (isinf(h->upto)) h->upto = h->count - 1;
        return push(h, p, most);
    }
    // points that lie much closer than is of use replace each other
    double before = h->count - 2, near = 4 * most / FOI_HISTORY_ROOM;
    if (!begins(h, h->count - 1) && before >= h->base && t - point(h, before)->t < near) {
        *end = p;
        return true;
    }
    return push(h, p, most);
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

// The polynomial of the nearest points of the piece lo .. hi; i and i + 1 are around `at`. Others
// that stand much closer together than these would make noise of rounding errors.
static double interpolate(const foi_history *h, double lo, double hi, double i, double at)
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
    return newton(n.t, n.value, n.slope, n.count, at);
}

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

bool foi_history_at(const foi_history *h, double t, bool pieces, double *value)
{
    double end = h->count - 1, lo = fmax(h->from, h->base), hi = fmin(h->upto, end);
    double slack = 1e-12 * (fabs(t) + fabs(point(h, end)->t - point(h, h->base)->t));
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

// ---------------------------------------------------------------------------------- turning points

double foi_history_turn(const foi_history *h)
{
    return isinf(h->upto) ? INFINITY : point(h, h->upto)->t;
}

int foi_history_pass(foi_history *h)
{
    double end = h->count - 1;
    h->from = h->upto + 1, h->upto = INFINITY;
    for (double i = fmax(h->from, h->base); i < end; i++)
        if (begins(h, i + 1)) {
            h->upto = i;
            break;
        }
    return (int)point(h, h->from)->order;
}
