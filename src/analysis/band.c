// When an expression is last outside of a band around its final value, on a piece of a run: from
// the end of the piece backwards, part by part, until one is known to be outside at its end.
#include <math.h>

#include "analysis/curve.h"
#include "math/math.h"

static bool is_outside(foi_curve *v, double theta)
{
    return fabs(foi_curve_value(v, theta) - v->target) > v->band;
}

static void note(foi_curve *v, double theta)
{
    v->k->outside = foi_piece_time(v->p, theta);
}

// Between a, where it is outside, and b, where it is not.
static void close_in(foi_curve *v, double a, double b)
{
    while (v->status == FO_OK && b - a > 2 * v->p->resolution) {
        double m = 0.5 * (a + b);
        if (!(m > a && m < b)) break;
        if (is_outside(v, m))
            a = m;
        else
            b = m;
    }
    note(v, b);
}

// What is known of a part by its bounds.
typedef enum verdict { INSIDE, FOUND, OPEN } verdict;

static verdict judge(foi_curve *v, const foi_section *s)
{
    const double small = 1e-12;
    const foi_span *e = &s->e;
    double above = e->hi - v->target, below = v->target - e->lo;
    double size = foi_fmax(fabs(v->target), v->band);
    if (foi_fmax(above, below) <= v->band + small * size) return INSIDE;
    bool finite = e->hi < INFINITY && e->lo > -INFINITY; // 1 / x falls on both sides of its pole
    bool monotonic = finite && !e->nature && (e->slope_lo >= 0 || e->slope_hi <= 0);
    bool narrow = foi_curve_is_narrow(v, s->a, s->b);
    bool apart = e->lo - v->target > v->band || v->target - e->hi > v->band;
    if (apart || ((monotonic || narrow) && is_outside(v, s->b))) return note(v, s->b), FOUND;
    if ((monotonic || narrow) && is_outside(v, s->a)) return close_in(v, s->a, s->b), FOUND;
    if (monotonic || narrow) return INSIDE;
    if (foi_curve_may_split(v)) return OPEN;
    v->k->open = true;
    if (!is_outside(v, s->b)) return INSIDE;
    return note(v, s->b), FOUND;
}

// Backwards through samples.
static bool sample(foi_curve *v, double a, double b)
{
    enum { FINER = 4 };
    uint32_t parts = FINER * foi_curve_samples(v, a, b);
    double after = b;
    v->k->sampled = true;
    if (is_outside(v, b)) return note(v, b), true;
    for (uint32_t i = parts; i-- > 0 && v->status == FO_OK;) {
        double at = a + (b - a) * i / parts;
        if (is_outside(v, at)) return close_in(v, at, after), true;
        after = at;
    }
    return false;
}

static bool look(foi_curve *v)
{
    foi_section stack[FOI_SECTIONS] = {foi_curve_section(v, v->p->from, v->p->to)};
    int top = 0;
    while (top >= 0 && v->status == FO_OK && isnan(v->k->bad_t)) {
        foi_section s = stack[top--];
        if (!s.enclosed) {
            if (sample(v, s.a, s.b)) return true;
            continue;
        }
        verdict now = judge(v, &s);
        if (now == FOUND) return true;
        v->k->open |= now == OPEN && top + 2 >= FOI_SECTIONS;
        if (now == INSIDE || top + 2 >= FOI_SECTIONS) continue;
        double m = 0.5 * (s.a + s.b);
        stack[++top] = foi_curve_section(v, s.a, m);
        stack[++top] = foi_curve_section(v, m, s.b);
    }
    return false;
}

// What was open before does not matter where it is outside later.
void foi_band_look(foi_curve *v)
{
    bool open = v->k->open;
    v->k->open = false;
    if (!look(v)) v->k->open |= open;
}
