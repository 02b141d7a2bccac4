// The integral of an expression along a piece of a run, by the rule of Gauss and Kronrod with 7 and
// 15 points (Kronrod, 1965; its error as QUADPACK judges it), on parts that are cut in two until it
// is good.
//
// That says nothing of what lies between the points. Where there are bounds, a part is also cut
// until they are not much wider than what the points show, values and slopes: a narrow peak between
// two points would make them so. Without bounds parts are not longer than samples are apart.
#include <math.h>

#include "analysis/curve.h"
#include "math/math.h"

enum { POINTS = 15, HALF = 7 };

// Points from the outermost to the middle; weights of all, and of those of Gauss, every second one.
static const double node[HALF + 1] = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0};
static const double kronrod[HALF + 1] = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
static const double gauss[HALF + 1] = {
    0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
    0, 0.381830050505118944950369775488975, 0, 0.417959183673469387755102040816327};

/// One part: its integral, the error of that, and what its points show.
typedef struct area {
    double integral, error, width; ///< width [s]
    double low, high, slope_low, slope_high;
    bool good; ///< all are numbers
} area;

static double place(int i)
{
    return i < HALF ? -node[i] : node[2 * HALF - i];
}

static int mirrored(int i)
{
    return i < HALF ? i : 2 * HALF - i;
}

static area measure(foi_curve *v, double a, double b)
{
    double y[POINTS], m = 0.5 * (a + b), half = 0.5 * (b - a), all = 0, some = 0, spread = 0;
    area r = {.width = (b - a) * v->p->h, .good = true};
    r.low = r.slope_low = INFINITY, r.high = r.slope_high = -INFINITY;
    for (int i = 0; i < POINTS; i++) {
        y[i] = foi_curve_value(v, m + place(i) * half);
        r.good &= !isnan(y[i]);
        if (!r.good) return r;
        foi_track_take(v->k, y[i]);
        all += kronrod[mirrored(i)] * y[i], some += gauss[mirrored(i)] * y[i];
        r.low = foi_fmin(r.low, y[i]), r.high = foi_fmax(r.high, y[i]);
        if (!i) continue;
        double slope = (y[i] - y[i - 1]) / ((place(i) - place(i - 1)) * r.width / 2);
        r.slope_low = foi_fmin(r.slope_low, slope), r.slope_high = foi_fmax(r.slope_high, slope);
    }
    for (int i = 0; i < POINTS; i++) spread += kronrod[mirrored(i)] * fabs(y[i] - all / 2);
    double error = fabs(all - some);
    if (spread > 0) { // QUADPACK's judgement of smooth functions
        double ratio = 200 * error / spread;
        error = spread * foi_fmin(1, ratio * sqrt(ratio));
    }
    r.integral = all * r.width / 2, r.error = error * r.width / 2;
    return r;
}

// How large an error may be that the points do not see, by the bounds of values or slopes: between
// two points it is not farther from a straight line than a part of the slopes' width.
static double hidden(const area *r, const foi_span *e)
{
    double gap = 0.21 * r->width / 2, wide = e->hi - e->lo;
    double bent = e->nature ? INFINITY : gap * (e->slope_hi - e->slope_lo) / 4;
    return foi_fmin(wide, bent) * r->width;
}

static bool is_seen(const foi_curve *v, const area *r, const foi_span *e)
{
    enum { WIDER = 64 };
    if (hidden(r, e) <= 0.1 * v->r->accuracy * foi_track_size(v->k) * r->width) return true;
    bool seen = e->hi - e->lo <= WIDER * (r->high - r->low);
    return seen &&
           (e->nature || e->slope_hi - e->slope_lo <= WIDER * (r->slope_high - r->slope_low));
}

// With what rounding takes from the sum (Neumaier).
static void add(foi_track *k, double integral, double error)
{
    double sum = k->integral + integral;
    k->lost += fabs(k->integral) >= fabs(integral) ? k->integral - sum + integral
                                                   : integral - sum + k->integral;
    k->integral = sum, k->doubt += error;
}

/// A part and what its points show.
typedef struct part {
    foi_section s;
    area r;
} part;

static part look(foi_curve *v, double a, double b)
{
    part p = {.s = foi_curve_section(v, a, b)};
    v->k->sampled |= !p.s.enclosed;
    p.r.width = (b - a) * v->p->h, p.r.integral = p.s.e.lo * p.r.width;
    if (p.s.enclosed && p.s.e.lo == p.s.e.hi)
        p.r.good = true, foi_track_take(v->k, p.s.e.lo);
    else if (v->status == FO_OK)
        p.r = measure(v, a, b);
    return p;
}

// Values that differ by their rounding only are as good as they can be.
static bool is_noise(foi_curve *v, const part *p)
{
    const double wider = 16;
    double noise = foi_curve_noise(v, 0.5 * (p->s.a + p->s.b));
    return p->r.error <= wider * noise * p->r.width;
}

// Adds what a part gives; false: it is to be cut in two.
static bool add_part(foi_curve *v, const part *p)
{
    const double fine = 1e-11;
    const foi_section *s = &p->s;
    const area *r = &p->r;
    double wanted = foi_fmin(fine, 0.1 * v->r->accuracy);
    if (!r->good) return true; // it is noted why
    bool seen = !s->enclosed || s->e.lo == s->e.hi || is_seen(v, r, &s->e);
    bool good = r->error <= wanted * foi_track_size(v->k) * r->width;
    bool bounded = s->enclosed && s->e.hi - s->e.lo < INFINITY;
    if (seen && (good || is_noise(v, p))) {
        if (!good && !bounded && foi_curve_towers(v, s->a, s->b))
            foi_curve_look_for_pole(v, s->a, s->b);
        add(v->k, r->integral, good ? r->error : 0);
        return true;
    }
    if (foi_curve_is_narrow(v, s->a, s->b)) {
        if (!bounded && (s->enclosed || foi_curve_towers(v, s->a, s->b)))
            foi_curve_look_for_pole(v, s->a, s->b);
        add(v->k, r->integral, r->error);
        return true;
    }
    if (foi_curve_may_split(v)) return false;
    add(v->k, r->integral, r->error + (s->enclosed ? hidden(r, &s->e) : 0));
    return true;
}

static double size_of(const part *p)
{
    return foi_fmax(fabs(p->s.e.lo), fabs(p->s.e.hi));
}

// Where it may be large comes first: what is small beside it need not be known so well.
static void add_from(foi_curve *v, double from, double to)
{
    part stack[FOI_SECTIONS] = {look(v, from, to)};
    int top = 0;
    while (top >= 0 && v->status == FO_OK && isnan(v->k->bad_t)) {
        part p = stack[top--];
        if (add_part(v, &p) || top + 2 >= FOI_SECTIONS) continue;
        double m = 0.5 * (p.s.a + p.s.b);
        part one = look(v, p.s.a, m), two = look(v, m, p.s.b);
        bool first = size_of(&one) > size_of(&two);
        stack[++top] = first ? two : one;
        stack[++top] = first ? one : two;
    }
}

void foi_area_add(foi_curve *v)
{
    double a = v->p->from, b = v->p->to;
    uint32_t parts = foi_curve_section(v, a, b).enclosed ? 1 : foi_curve_samples(v, a, b);
    for (uint32_t i = 0; i < parts && v->status == FO_OK; i++)
        add_from(v, a + (b - a) * i / parts, i + 1 == parts ? b : a + (b - a) * (i + 1) / parts);
}
