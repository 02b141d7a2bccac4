// The least and the largest value of an expression on a piece of a run.
//
// A part whose bounds do not reach beyond the best value so far, but for a small part of its size,
// is done; so is one on which the slope has one sign, with the values at its ends. Others are cut
// in two (Moore, Kearfott, Cloud, "Introduction to Interval Analysis", 2009, ch. 11). With the
// value y in the middle the mean-value theorem bounds it by y +- |y'| width / 2 as well, so that
// around a smooth extreme the excess is of second order, and few parts are left.
//
// Without bounds there are samples: as many as were asked for, and more where parabolas through
// them do not fit.
#include <math.h>

#include "analysis/curve.h"
#include "math/math.h"

static const double SMALL = 1e-12; ///< of the size: nearer to the best value is as good

static double best(const foi_curve *v, int sign)
{
    return sign > 0 ? v->k->high : -v->k->low;
}

// Beside a single instant at which there is no number, as of sin(x) / x at zero, there are numbers.
static double look_beside(foi_curve *v, double theta)
{
    const double APART = 1025 * v->p->resolution;
    double before = theta - APART, after = theta + APART, t = v->k->bad_t;
    if (!(before > v->p->from && after < v->p->to)) return NAN;
    v->k->bad_t = NAN;
    double y = foi_curve_value(v, before), z = foi_curve_value(v, after);
    if (isnan(y) || isnan(z)) v->k->bad_t = t;
    return isnan(z) ? NAN : y;
}

static double look(foi_curve *v, int sign, double theta)
{
    bool fine = isnan(v->k->bad_t);
    double y = foi_curve_value(v, theta);
    if (fine && !isnan(v->k->bad_t)) y = look_beside(v, theta);
    if (!isnan(y)) foi_track_take(v->k, y);
    return sign * y;
}

// Where bounds stay wide for what they do not know, as those of sin(x) / x around zero, less is
// asked for after many parts, but not less than was asked of the measure.
static double enough(const foi_curve *v)
{
    double many = 1e-3 * (double)v->k->splits, least = SMALL * foi_fmax(1, many * many * many);
    return foi_fmin(least, foi_fmax(SMALL, 0.1 * v->r->accuracy));
}

static bool reaches_beyond(const foi_curve *v, int sign, double bound)
{
    double now = best(v, sign);
    return isnan(now) || bound > now + enough(v) * foi_track_size(v->k);
}

static double bound_of(const foi_span *e, int sign)
{
    return sign > 0 ? e->hi : -e->lo;
}

// The bounds are hardly wider than those at one instant: rounding hides the rest.
static bool wavers(foi_curve *v, double theta, const foi_span *e)
{
    foi_span thin;
    return foi_curve_bounds(v, theta, theta, &thin) && e->hi - e->lo <= 2 * (thin.hi - thin.lo);
}

// Whether a part is to be cut in two: first by its bounds, then by the value in its middle.
static bool is_open(foi_curve *v, int sign, const foi_section *s)
{
    const foi_span *e = &s->e;
    double bound = bound_of(e, sign), middle = 0.5 * (s->a + s->b);
    if (!reaches_beyond(v, sign, bound)) return false;
    bool finite = e->hi < INFINITY && e->lo > -INFINITY; // 1 / x falls on both sides of its pole
    if (finite && !e->nature && (e->slope_lo >= 0 || e->slope_hi <= 0)) {
        look(v, sign, (e->slope_lo >= 0) == (sign > 0) ? s->b : s->a);
        return false;
    }
    double y = look(v, sign, middle);
    if (!e->nature && !isnan(y)) {
        double steepest = foi_fmax(fabs(e->slope_lo), fabs(e->slope_hi));
        double reach = steepest * (s->b - s->a) / 2 * v->p->h;
        reach += SMALL / 8 * foi_fmax(fabs(e->lo), fabs(e->hi));
        if (y + reach < bound) bound = y + reach;
    }
    if (!reaches_beyond(v, sign, bound)) return false;
    if (foi_curve_is_narrow(v, s->a, s->b)) {
        look(v, sign, s->a), look(v, sign, s->b);
        if (!(bound < INFINITY)) foi_curve_look_for_end(v, sign, s->a, s->b);
        return false;
    }
    if (s->b - s->a < 0x1p-8 && !e->nature && bound < INFINITY && wavers(v, middle, e))
        return false;
    if (foi_curve_may_split(v)) return true;
    v->k->gap = foi_fmax(v->k->gap, bound - best(v, sign));
    return false;
}

// ---------------------------------------------------------------------------------------- samples

/// The last three points, and the sign of the extreme that is looked for.
typedef struct points {
    foi_curve *v;
    int sign;
    int count;
    double at[3], f[3];
} points;

// Between points on both sides of the largest of three, by parabolas and golden sections.
static void close_in(foi_curve *v, int sign, const double *at, const double *f)
{
    enum { MOST = 60 };
    const double golden = 0.3819660112501051;
    double a = at[0], m = at[1], b = at[2], fa = f[0], fm = f[1], fb = f[2];
    for (int i = 0; i < MOST && b - a > 4e-9 * (at[2] - at[0]) && v->status == FO_OK; i++) {
        double p = (m - a) * (m - a) * (fm - fb) - (m - b) * (m - b) * (fm - fa);
        double q = (m - a) * (fm - fb) - (m - b) * (fm - fa), x = m - 0.5 * p / q;
        bool good = x > a && x < b && fabs(x - m) > 1e-3 * (b - a);
        if (!good || i % 3 == 2) x = m - a > b - m ? m - golden * (m - a) : m + golden * (b - m);
        double fx = look(v, sign, x);
        if (isnan(fx)) return;
        bool better = fx > fm;
        if (x > m) {
            if (better)
                a = m, fa = fm;
            else
                b = x, fb = fx;
        } else if (better) {
            b = m, fb = fm;
        } else {
            a = x, fa = fx;
        }
        if (better) m = x, fm = fx;
    }
    if (v->status == FO_OK && foi_curve_towers(v, a, b)) foi_curve_look_for_pole(v, a, b);
}

static void feed(points *s, double theta, double f)
{
    if (isnan(f)) return;
    if (s->count == 3)
        for (int i = 0; i < 2; i++) s->at[i] = s->at[i + 1], s->f[i] = s->f[i + 1];
    if (s->count < 3) s->count++;
    s->at[s->count - 1] = theta, s->f[s->count - 1] = f;
    if (s->count < 3 || s->f[1] < s->f[0] || s->f[1] < s->f[2]) return;
    // a parabola's vertex is not farther above the middle than a quarter of the difference
    double more = s->f[1] - foi_fmin(s->f[0], s->f[2]);
    if (more > 0 && reaches_beyond(s->v, s->sign, s->f[1] + more))
        close_in(s->v, s->sign, s->at, s->f);
}

/// Between two points.
typedef struct gap {
    double a, b, fa, fb;
    int depth;
} gap;

// Points inside, in their order, as many as are needed.
static void fill(points *s, const gap *g)
{
    enum { DEEPEST = 12 };
    const double wider = 16;
    foi_curve *v = s->v;
    double m = 0.5 * (g->a + g->b), p = 0.5 * (g->a + m), q = 0.5 * (m + g->b);
    double fp = look(v, s->sign, p), fm = look(v, s->sign, m), fq = look(v, s->sign, q);
    double off = foi_fmax(fabs(fp - (3 * g->fa + 6 * fm - g->fb) / 8),
                          fabs(fq - (3 * g->fb + 6 * fm - g->fa) / 8));
    bool good = !(off > 0.1 * v->r->accuracy * foi_track_size(v->k));
    good = good || off <= wider * foi_curve_noise(v, m);
    if (!good && g->depth < DEEPEST && v->status == FO_OK && foi_curve_may_split(v)) {
        fill(s, &(gap){g->a, m, g->fa, fm, g->depth + 1});
        feed(s, m, fm);
        fill(s, &(gap){m, g->b, fm, g->fb, g->depth + 1});
        return;
    }
    feed(s, p, fp), feed(s, m, fm), feed(s, q, fq);
}

static void sample(foi_curve *v, int sign, double a, double b)
{
    points s = {.v = v, .sign = sign};
    uint32_t parts = foi_curve_samples(v, a, b);
    double last = look(v, sign, a), at = a;
    v->k->sampled = true;
    feed(&s, a, last);
    for (uint32_t i = 1; i <= parts && v->status == FO_OK; i++) {
        double next = i == parts ? b : a + (b - a) * i / parts, f = look(v, sign, next);
        fill(&s, &(gap){at, next, last, f, 0});
        feed(&s, next, f);
        at = next, last = f;
    }
}

// ------------------------------------------------------------------------------------------------

void foi_extreme_look(foi_curve *v, int sign)
{
    foi_section stack[FOI_SECTIONS] = {foi_curve_section(v, v->p->from, v->p->to)};
    int top = 0;
    while (top >= 0 && v->status == FO_OK && isnan(v->k->bad_t)) {
        foi_section s = stack[top--];
        if (!s.enclosed) {
            sample(v, sign, s.a, s.b);
            continue;
        }
        if (!is_open(v, sign, &s) || top + 2 >= FOI_SECTIONS) continue;
        double m = 0.5 * (s.a + s.b);
        foi_section one = foi_curve_section(v, s.a, m), two = foi_curve_section(v, m, s.b);
        bool first = bound_of(&one.e, sign) > bound_of(&two.e, sign); // the one that may be best
        stack[++top] = first ? two : one;
        stack[++top] = first ? one : two;
    }
}
