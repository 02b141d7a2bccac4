#include "analysis/curve.h"

#include <float.h>
#include <math.h>

#include "math/math.h"

void foi_track_take(foi_track *k, double y)
{
    if (!(y >= k->low)) k->low = y;
    if (!(y <= k->high)) k->high = y;
}

// Numbers that are so small that doubles lose digits have no smaller parts.
double foi_track_size(const foi_track *k)
{
    return foi_fmax(foi_fmax(fabs(k->low), fabs(k->high)), DBL_MIN / DBL_EPSILON);
}

double foi_curve_value(foi_curve *v, double theta)
{
    foi_recorder *r = v->r;
    const foi_reducer *q = v->q;
    if (v->status != FO_OK) return NAN;
    v->status = foi_piece_values(v->p, theta, q->uses, q->use_count, r->chosen);
    if (v->status != FO_OK) return NAN;
    for (size_t i = 0; i < q->use_count; i++) r->signals[q->places[i]] = r->chosen[i];
    double y = foi_arithmetic_value(&q->inner, r->signals, NULL), t = foi_piece_time(v->p, theta);
    if (q->kind == FOI_REDUCE_RMS) y = y * y;
    // at the end of a piece a signal may have no value: the row there will tell
    if (isnan(y) && theta < v->p->to && isnan(v->k->bad_t)) v->k->bad_t = t;
    if (isinf(y) && isnan(v->k->pole_t)) v->k->pole_t = t;
    return isinf(y) ? NAN : y;
}

bool foi_curve_bounds(foi_curve *v, double a, double b, foi_span *e)
{
    foi_recorder *r = v->r;
    const foi_reducer *q = v->q;
    if (v->status == FO_OK)
        v->status = foi_piece_bounds(v->p, a, b, q->uses, q->use_count, r->spans);
    return v->status == FO_OK &&
           foi_reducer_bounds(q, r->spans, (b - a) * v->p->h, r->registers, e);
}

static bool is_finite(const foi_span *e)
{
    return e->lo > -INFINITY && e->hi < INFINITY;
}

// Bounds that are infinite at one instant and at another say nothing: they will not be better on
// shorter parts. Beside a pole that is so, too, as far as rounding goes.
static bool says_nothing(foi_curve *v, double a, double b)
{
    enum { ROUNDED = 4096 };
    static const double where[] = {0.37, 0.61};
    foi_span e;
    if (b - a <= ROUNDED * v->p->resolution) return false;
    for (int i = 0; i < 2; i++) {
        double theta = a + where[i] * (b - a);
        if (foi_curve_bounds(v, theta, theta, &e) && is_finite(&e)) return false;
    }
    return v->status == FO_OK;
}

foi_section foi_curve_section(foi_curve *v, double a, double b)
{
    foi_section s = {.a = a, .b = b};
    s.enclosed = foi_curve_bounds(v, a, b, &s.e);
    if (s.enclosed && !is_finite(&s.e) && says_nothing(v, a, b)) s.enclosed = false;
    return s;
}

bool foi_curve_is_narrow(const foi_curve *v, double a, double b)
{
    return b - a <= 4 * v->p->resolution;
}

bool foi_curve_may_split(foi_curve *v)
{
    enum { MOST = 200000 }; // in a run
    return v->k->splits++ < MOST;
}

static double size_at(foi_curve *v, double theta)
{
    theta = foi_fmin(foi_fmax(theta, v->p->from), v->p->to);
    return fabs(foi_curve_value(v, theta));
}

bool foi_curve_towers(foi_curve *v, double a, double b)
{
    const double higher = 1e6, inside = 0.381966;
    double from = v->p->from, to = v->p->to, m = from + inside * (to - from);
    double usual = foi_fmax(size_at(v, m), foi_fmax(size_at(v, from), size_at(v, to)));
    return foi_fmax(size_at(v, a), size_at(v, b)) > higher * usual;
}

void foi_curve_look_for_pole(foi_curve *v, double a, double b)
{
    enum { APART = 64, GROWS = 4 };
    double far = APART * (b - a);
    double near = foi_fmax(size_at(v, a), size_at(v, b));
    double beside = foi_fmax(size_at(v, a - far), size_at(v, b + far));
    if (!(near <= GROWS * beside) && isnan(v->k->pole_t)) v->k->pole_t = foi_piece_time(v->p, b);
}

// Towards a pole of any order, a logarithm's, too, what it grows by from one distance to the next,
// each a 64th of the one before, does not become less; towards a value it does. Distances are such
// that rounding is nothing beside them.
static bool grows(foi_curve *v, int sign, double from, double width)
{
    enum { APART = 64, PLACES = 3 };
    const double LESS = 0.75;
    double y[PLACES], far = width;
    for (int i = 0; i < PLACES; i++) {
        far *= APART;
        if (!(from + far >= v->p->from && from + far <= v->p->to)) return false;
        y[i] = sign * foi_curve_value(v, from + far);
    }
    return y[0] > y[1] && y[1] > y[2] && y[0] - y[1] >= LESS * (y[1] - y[2]);
}

void foi_curve_look_for_end(foi_curve *v, int sign, double a, double b)
{
    bool fine = isnan(v->k->bad_t) && isnan(v->k->pole_t);
    foi_curve_look_for_pole(v, a, b);
    // at an end there may be no number, as of sin(x) / x at zero: that was looked at before
    if (fine && !isnan(v->k->bad_t)) v->k->bad_t = v->k->pole_t = NAN;
    if (!isnan(v->k->pole_t)) return;
    if (grows(v, sign, a, a - b) || grows(v, sign, b, b - a))
        v->k->pole_t = foi_piece_time(v->p, b);
}

double foi_curve_noise(foi_curve *v, double theta)
{
    static const double apart[] = {-1025, -181, -33, 0, 31, 179, 1027}; // states must move, too
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        double at = theta + apart[i] * v->p->resolution;
        double y = foi_curve_value(v, foi_fmin(foi_fmax(at, v->p->from), v->p->to));
        low = foi_fmin(low, y), high = foi_fmax(high, y);
    }
    return high >= low ? high - low : 0;
}

uint32_t foi_curve_samples(const foi_curve *v, double a, double b)
{
    double parts = ceil((b - a) * v->p->h / v->r->length * v->r->samples);
    return parts >= v->r->samples ? v->r->samples : parts > 1 ? (uint32_t)parts : 1;
}
