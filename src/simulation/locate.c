/// Closes in on a crossing that the search has found, to a few ulps of time.
#include <float.h>
#include <math.h>

#include "base/inline.h"
#include "math/math.h"
#include "simulation/search.h"

/// A guard that is closed in on: its values are turned so that they are positive before the change
/// of sign and not positive after it.
typedef struct target {
    uint32_t i;
    double side; ///< what values are multiplied with
    bool strict; ///< zero is before it: the guard leaves zero. One that passes through has its
                 ///< moment where it is zero or past it, so that x > 0 and x >= 0 turn at one
                 ///< instant
} target;

static inline target target_of(const foi_search *f, uint32_t i)
{
    int from = f->w->finding[i].from, to = f->w->finding[i].to;
    return (target){.i = i, .side = to ? -to : from, .strict = !from};
}

static double turned(const target *t, double g)
{
    double v = t->side * g;
    return v == 0 && t->strict ? DBL_MIN : v;
}

// The crossing lies between two of the points whose values are known.
typedef struct bracket {
    double lo, hi, at_lo, at_hi; ///< values turned so that at_lo > 0 >= at_hi
} bracket;

static bracket narrowest(const foi_search *f, const target *t)
{
    const foi_point *b = &f->stack[f->top];
    double a = f->a.theta, width = b->theta - a;
    // a guard that leaves zero has the smallest value on its side there
    bracket k = {a, b->theta, foi_fmax(turned(t, f->a.g[t->i]), DBL_MIN), turned(t, b->g[t->i])};
    if (!f->probed) return k;
    const double at[] = {FOI_QUARTER, 0.5, FOI_LATER};
    const double *value[] = {f->quarter, f->middle, f->later};
    for (int j = 0; j < (f->probed_later ? 3 : 2); j++) {
        double theta = a + at[j] * width, v = turned(t, value[j][t->i]);
        if (!(v > 0)) {
            k.hi = theta, k.at_hi = v;
            break;
        }
        k.lo = theta, k.at_lo = v;
    }
    return k;
}

/// A quartic on the segment, s in 0..1, in Newton's form:
/// c0 + s (c1 + (s - n1) (c2 + (s - n2) (c3 + (s - n3) c4))).
typedef struct curve {
    double c0, c1, c2, c3, c4, n1, n2, n3;
} curve;

// The one that was looked at, with Bernstein coefficients v.
FOI_INLINE curve curve_of(const double v[5])
{
    return (curve){v[0],
                   4 * (v[1] - v[0]),
                   6 * (v[0] - 2 * v[1] + v[2]),
                   4 * (v[3] - v[0] + 3 * (v[1] - v[2])),
                   v[0] + v[4] - 4 * (v[1] + v[3]) + 6 * v[2],
                   0,
                   0,
                   0};
}

// The one through all five values: slopes, which are known to half the digits only, have no part in
// it.
FOI_INLINE curve curve_through(double at_0, double quarter, double middle, double later,
                               double at_1)
{
    const double q = FOI_QUARTER, l = FOI_LATER;
    double d01 = (quarter - at_0) * (1 / q), d12 = (middle - quarter) * (1 / (0.5 - q));
    double d23 = (later - middle) * (1 / (l - 0.5)), d34 = (at_1 - later) * (1 / (1 - l));
    double d02 = (d12 - d01) * 2, d13 = (d23 - d12) * (1 / (l - q)), d24 = (d34 - d23) * 2;
    double d03 = (d13 - d02) * (1 / l), d14 = (d24 - d13) * (1 / (1 - q));
    return (curve){at_0, d01, d02, d03, d14 - d03, q, 0.5, l};
}

// Its root between lo and hi, where it changes sign once: Newton's method, kept inside by halving.
// *slope is the quartic's there.
FOI_INLINE double curve_root(curve k, double lo, double hi, double s, double *slope)
{
    for (int n = 0; n < 12; n++) {
        double by3 = s - k.n3, by2 = s - k.n2, by1 = s - k.n1;
        double p3 = k.c3 + by3 * k.c4, p2 = k.c2 + by2 * p3, p1 = k.c1 + by1 * p2;
        double d2 = p3 + by2 * k.c4, d1 = p2 + by1 * d2;
        double p = k.c0 + s * p1, d = p1 + s * d1;
        if (p > 0)
            lo = s;
        else
            hi = s;
        double step = p / d;
        *slope = d;
        s -= step;
        if (fabs(step) <= 1e-8) break; // the next step would be 1e-16
        if (!(s > lo && s < hi)) s = 0.5 * (lo + hi);
    }
    return s;
}

/// What Chandrupatla's method knows: the crossing lies between a and b; c is the point before.
typedef struct closing {
    double a, b, c, fa, fb, fc; ///< a is the newest; values turned so that the left is positive
} closing;

static fo_status look_at(foi_search *f, const target *t, double x, closing *k)
{
    fo_status status = foi_search_probe(f, x, f->probe);
    double fx = turned(t, f->probe[t->i]);
    if (isnan(fx)) fx = k->fb > 0 ? k->fb : k->fa; // not defined there: as on the left
    if ((fx > 0) == (k->fa > 0))
        k->c = k->a, k->fc = k->fa;
    else
        k->c = k->b, k->fc = k->fb, k->b = k->a, k->fb = k->fa;
    k->a = x, k->fa = fx;
    return status;
}

// The function is much the same line through the newest point and either of the two others. Where
// one of them is beside a pole it is not.
static bool is_straight(const closing *k)
{
    double to_b = fabs((k->fb - k->fa) * (k->c - k->a));
    double to_c = fabs((k->fc - k->fa) * (k->b - k->a));
    return k->c != k->b && to_c <= 4 * to_b && to_b <= 4 * to_c;
}

// Both ends are at the resolution; or the newest is past zero by no more than the function, where
// it is straight, falls over two of it. (Values so small that products of them underflow say
// nothing of that: exp(-740) has left zero.)
static bool is_there(const foi_search *f, const closing *k)
{
    double width = fabs(k->b - k->a), near = 2 * f->resolution;
    if (width <= near) return true;
    return k->fa <= -DBL_MIN && -k->fa * width <= (k->fb - k->fa) * near && is_straight(k);
}

// Where the parabola through both ends and the middle of the segment (0, 1/2, 1) falls through
// zero: with a s^2 + b s + v0 the root at which its slope is -sqrt(b^2 - 4 a v0). Only to begin
// with: it may lie anywhere, or not be a number.
static double parabola_root(double v0, double middle, double v1)
{
    double a = 2 * (v0 + v1 - 2 * middle), b = 4 * middle - 3 * v0 - v1;
    double fall = sqrt(b * b - 4 * a * v0);
    return b > 0 ? -(b + fall) / (2 * a) : 2 * v0 / (fall - b);
}

// The quartic to begin with, from the left side of zero.
FOI_INLINE curve curve_for(const foi_search *f, const target *t, const double v[5])
{
    double side = t->side;
    if (!f->probed_later) return curve_of(v);
    return curve_through(v[0], side * f->quarter[t->i], side * f->middle[t->i],
                         side * f->later[t->i], v[4]);
}

// One look just past the quartic's root; if that was not it, one just past where it says the
// crossing is.
static fo_status guess(foi_search *f, const target *t, closing *k)
{
    double from = f->a.theta, width = f->stack[f->top].theta - from, slope, *v = f->quartic;
    if (f->quartic_of != t->i || f->quartic_side != t->side)
        foi_search_quartic(f, t->i, t->side, v);
    f->quartic_of = UINT32_MAX;
    double lo = (k->b - from) / width, hi = (k->a - from) / width;
    bool leaves = k->b == from && !(v[0] > 0);
    double s = parabola_root(v[0], t->side * f->middle[t->i], v[4]);
    if (!(s > lo && s < hi))
        s = leaves ? 0.5 * (lo + hi) : lo + (hi - lo) * k->fb / (k->fb - k->fa);
    curve c = curve_for(f, t, v);
    double x = from + curve_root(c, lo, hi, s, &slope) * width + f->resolution;
    if (!(x > k->b && x < k->a)) return FO_OK;
    fo_status status = look_at(f, t, x, k);
    if (status != FO_OK || is_there(f, k)) return status;
    x += f->resolution - k->fa / slope * width;
    bool inside = (x - k->a) * (x - k->b) < 0;
    return inside ? look_at(f, t, x, k) : FO_OK;
}

// Chandrupatla: inverse quadratic interpolation where it can be trusted, halving where not, never
// nearer to an end than the resolution, so that both ends close in. *theta is then just past the
// crossing.
static fo_status close_in(foi_search *f, const target *t, double *theta)
{
    bracket known = narrowest(f, t);
    closing k = {.a = known.hi, .b = known.lo, .fa = known.at_hi, .fb = known.at_lo};
    k.c = k.b, k.fc = k.fb;
    fo_status status = f->probed ? guess(f, t, &k) : FO_OK;
    double part = 0.5;
    int zeros = 0;
    for (int n = 0; n < 200 && status == FO_OK && !is_there(f, &k); n++) {
        double least = f->resolution / fabs(k.b - k.a);
        if (n == 0 && k.fa < 0 && k.fb > 0) part = k.fa / (k.fa - k.fb);
        if (k.fa == 0) part = zeros++ ? 0.5 : 0; // the first zero if there is none just before it
        if (!(part >= least)) part = least;
        if (part > 1 - least) part = 1 - least;
        status = look_at(f, t, k.a + part * (k.b - k.a), &k);
        double xi = (k.a - k.b) / (k.c - k.b), phi = (k.fa - k.fb) / (k.fc - k.fb);
        bool trusted = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi;
        part = 0.5;
        if (trusted)
            part = k.fa / (k.fb - k.fa) * k.fc / (k.fb - k.fc) +
                   (k.c - k.a) / (k.b - k.a) * k.fa / (k.fc - k.fa) * k.fb / (k.fc - k.fb);
        if (!(part > 0 && part < 1)) part = 0.5;
    }
    *theta = k.fa > 0 ? k.b : k.a;
    return status;
}

// A guard that leaves zero, where it is known not to rest there, has its moment where it stands;
// one that rests, where it has left: the moment at which it came to rest is not to come again.
static double at_once(const foi_search *f, uint32_t i)
{
    bool again = f->w->ahead_guard[i].rests || f->w->ahead_guard[i].side;
    double end = f->stack[f->top].theta;
    return again ? foi_fmin(end, f->a.theta + 2 * f->resolution) : f->a.theta;
}

static fo_status locate_one(foi_search *f, uint32_t i, double *theta)
{
    if (f->w->finding[i].at_once) {
        *theta = at_once(f, i);
        return FO_OK;
    }
    if (f->narrow) {
        *theta = f->stack[f->top].theta;
    } else {
        target t = target_of(f, i);
        fo_status status = close_in(f, &t, theta);
        if (status != FO_OK) return status;
    }
    bool leaves = f->w->finding[i].from == 0 && !f->w->ahead_guard[i].rests;
    if (leaves && *theta - f->a.theta <= 4 * f->resolution) *theta = f->a.theta;
    return FO_OK;
}

// Guards that cross within the resolution of each other cross together, just past all of them:
// which of them comes first is a matter of rounding, and a model must see them at one instant.
static fo_status put_together(foi_search *f, double *best)
{
    foi_watch *w = f->w;
    double later = foi_fmin(f->stack[f->top].theta, *best + 4 * f->resolution);
    fo_status status = foi_search_probe(f, later, f->probe);
    bool together = false;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        if (w->finding[i].verdict != FOI_CROSSES || f->where[i] <= *best) continue;
        target t = target_of(f, i);
        if (!(turned(&t, f->probe[i]) > 0)) f->where[i] = later, together = true;
    }
    for (uint32_t i = 0; i < w->guards && together; i++)
        if (w->finding[i].verdict == FOI_CROSSES && f->where[i] <= later) f->where[i] = later;
    if (together) f->moved += later - *best, *best = later;
    return status;
}

fo_status foi_search_locate(foi_search *f, double *where)
{
    foi_watch *w = f->w;
    double end = f->stack[f->top].theta, best = INFINITY;
    int count = 0;
    for (uint32_t i = 0; i < w->guards; i++) {
        if (w->finding[i].verdict != FOI_CROSSES) continue;
        count++;
        f->where[i] = INFINITY;
        if (best < end && !w->finding[i].at_once && !f->narrow) {
            // another guard crosses before: does this one cross before that?
            fo_status status = foi_search_probe(f, best, f->probe);
            if (status != FO_OK) return status;
            target t = target_of(f, i);
            if (turned(&t, f->probe[i]) > 0) continue;
        }
        double theta = end;
        fo_status status = locate_one(f, i, &theta);
        if (status != FO_OK) return status;
        f->where[i] = theta;
        if (theta < best) best = theta;
    }
    *where = best;
    return count > 1 && !f->narrow && best > f->a.theta ? put_together(f, where) : FO_OK;
}

// ------------------------------------------------------------------------------------ one instant

// Which guards fire that did not at *best, at theta; into crossed. False: none.
static bool fire_at(foi_search *f, const double *g)
{
    foi_watch *w = f->w;
    bool any = false;
    for (uint32_t i = 0; i < w->guards; i++) {
        foi_guard_side before = foi_search_before(f, i);
        int to = foi_guard_sign(&before, g[i]);
        w->crossed[i] = to != before.side && foi_guard_fires(&before, w->about[i], to);
        any |= w->crossed[i];
    }
    return any;
}

// Whether all those fire at theta.
static fo_status all_fire(foi_search *f, double theta, bool *all)
{
    foi_watch *w = f->w;
    fo_status status = foi_search_probe(f, theta, f->probe);
    *all = true;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        if (!w->crossed[i]) continue;
        foi_guard_side before = foi_search_before(f, i);
        int to = foi_guard_sign(&before, f->probe[i]);
        *all &= to != before.side && foi_guard_fires(&before, w->about[i], to);
    }
    return status;
}

// One guard that leaves zero where a step begins, and no other with it, does so there. But one of
// which a truth is held contradicts that only where its value has left zero: x > 0 is false at zero
// whatever comes.
static bool leaves_alone(const foi_search *f)
{
    const foi_watch *w = f->w;
    uint32_t count = 0, leave = 0;
    for (uint32_t i = 0; i < w->guards; i++) {
        if (!w->crossed[i]) continue;
        if (w->ahead_guard[i].held) return false;
        count++;
        leave += w->finding[i].verdict == FOI_CROSSES && f->where[i] == 0;
    }
    return count == leave && count <= 1;
}

// Whether all guards that cross at `first` fire at theta.
static fo_status they_fire(foi_search *f, double first, double theta, bool *all)
{
    const foi_watch *w = f->w;
    fo_status status = foi_search_probe(f, theta, f->probe);
    *all = true;
    for (uint32_t i = 0; i < w->guards && status == FO_OK; i++) {
        if (w->finding[i].verdict != FOI_CROSSES || f->where[i] != first) continue;
        foi_guard_side before = foi_search_before(f, i);
        *all &= foi_guard_fires(&before, w->about[i], foi_guard_sign(&before, f->probe[i]));
    }
    return status;
}

// A guard that jumps, or has a pole, where what it depends on moves by less than its rounding
// errors from one double of time to the next (tan(time - x) with x' = 0.97), changes its sign back
// and forth. It has its moment behind that, if that is over within some ulps.
static fo_status pass_noise(foi_search *f, double *theta)
{
    enum { LOOKS = 32 };
    double first = *theta, by = 2 * f->resolution, past = 0;
    bool jumps = false, all;
    for (uint32_t i = 0; i < f->w->guards && f->narrow; i++)
        jumps |= f->w->finding[i].verdict == FOI_CROSSES && f->where[i] == first &&
                 !f->w->finding[i].sampled && f->w->nature[i] != 0;
    if (!jumps || first + LOOKS * by > 1) return FO_OK;
    fo_status status = they_fire(f, first, first + LOOKS * by, &all);
    if (status != FO_OK || !all) return status; // it is back for longer than that
    for (int k = 1; k < LOOKS && status == FO_OK; k++) {
        status = they_fire(f, first, first + k * by, &all);
        if (!all) past = (k + 1) * by;
    }
    if (status != FO_OK || past == 0) return status;
    *theta = first + past, f->moved = past;
    for (uint32_t i = 0; i < f->w->guards; i++)
        if (f->w->finding[i].verdict == FOI_CROSSES && f->where[i] == first) f->where[i] = *theta;
    return FO_OK;
}

// States gather rounding errors from step to step: floor(x / 0.1) and floor(x / 0.3) turn at one
// instant, but their doubles do some ulps apart, and a state that follows time comes to 1 some ulps
// beside it. Nobody may act on what is true in between.
fo_status foi_search_gather(foi_search *f, double *theta)
{
    enum { ULPS = 64 };
    fo_status status = pass_noise(f, theta);
    double last = *theta + ULPS * f->resolution, first = *theta;
    bool all = false;
    if (status != FO_OK) return status;
    if (last - first > 0x1p-10) return FO_OK; // of so short a step that is not next to nothing
    if (f->w->guards < 2 && last < 1) return FO_OK;
    if (last > 1) last = 1;
    if (!(last > first)) return FO_OK;
    status = foi_search_probe(f, last, f->probe);
    if (status != FO_OK || isnan(f->probe[0])) return status;
    bool ends = last == 1, any = fire_at(f, f->probe);
    if (first == 0 && leaves_alone(f)) return FO_OK;
    if (status == FO_OK) status = all_fire(f, first, &all);
    if (status != FO_OK || ((all || !any) && !ends)) return status;
    double lo = first, hi = last;
    while (!ends && hi - lo > f->resolution && status == FO_OK) {
        double m = lo + 0.5 * (hi - lo);
        status = all_fire(f, m, &all);
        if (all)
            hi = m;
        else
            lo = m;
    }
    for (uint32_t i = 0; i < f->w->guards; i++)
        if (f->w->finding[i].verdict == FOI_CROSSES && f->where[i] == first) f->where[i] = hi;
    f->moved += hi - first;
    *theta = hi;
    return status;
}
