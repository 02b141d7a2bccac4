/// Random hybrid systems whose solutions are known in closed form.
///
/// A system is one to three independent units. A unit goes through a fixed row of legs; on a leg
/// x'' = a, and the leg ends where a linear functional L = p x + q v + r t first passes its
/// threshold; then x and v are reset affinely. The threshold is made from the time at which the leg
/// is to end, so that the truth is there before the model is. All numbers are multiples of small
/// powers of two: the truth is exact in doubles.
///
/// Beside the legs each unit has counters that change nothing: rises of x through a level, the same
/// behind a dead zone, steps of floor(x), and a condition nested in an if by mode. Their truth
/// comes from the roots of the parabolas. Systems in which a level is all but touched, or in which
/// an order of evaluation could decide, are not handed out.
#ifndef TRUST_HYBRID_H
#define TRUST_HYBRID_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LEGS = 7, UNITS = 3, COUNTERS = 4 };
enum { RISE, DEAD, STEP, NEST };

typedef struct leg {
    double a;              ///< x'' on the leg
    double p, q, r, level; ///< it ends when (p x + q v + r t - level) * side > 0
    int side;
    double kx, bx, kv, bv; ///< then x := kx x + bx, v := kv v + bv
    double t0, x0, v0, t1; ///< truth: where it begins, and when it ends
} leg;

typedef struct unit {
    leg legs[LEGS + 1]; ///< the last one has no end
    int count;
    double rise, dead, width, nest;
    int counts[COUNTERS]; ///< truth
    double x, v, sum;     ///< truth at the stop; sum of leg number times end time
} unit;

typedef struct hybrid {
    unit units[UNITS];
    int count;
    double stop;
} hybrid;

/// How a system is written down: units of time and state, the start, and the order of lines.
typedef struct writing {
    double time, size, start;
    bool turned; ///< declarations and equations from last to first
} writing;

static const writing plain_writing = {1, 1, 0, false};

// ------------------------------------------------------------------------------------------ chance

static uint64_t chance_next(uint64_t *s) // splitmix64
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int chance_int(uint64_t *s, int lo, int hi)
{
    return lo + (int)(chance_next(s) % (uint64_t)(hi - lo + 1));
}

// --------------------------------------------------------------------------------------------
// truth

static double leg_x(const leg *l, double t)
{
    double u = t - l->t0;
    return l->x0 + u * (l->v0 + u * l->a / 2);
}

static double leg_v(const leg *l, double t)
{
    return l->v0 + (t - l->t0) * l->a;
}

static double leg_end(const leg *l, double t)
{
    return l->p * leg_x(l, t) + l->q * leg_v(l, t) + l->r * t;
}

/// Roots of x(t) = c strictly inside the leg, ascending. False: it is nearly touched, or met at an
/// end.
static bool leg_roots(const leg *l, double c, double *root, int *count)
{
    const double margin = 1e-3;
    double span = l->t1 - l->t0, x1 = leg_x(l, l->t1);
    *count = 0;
    if (fabs(l->x0 - c) < margin || fabs(x1 - c) < margin) return false;
    double turn = l->a != 0 ? -l->v0 / l->a : -1;
    if (turn > 0 && turn < span && fabs(leg_x(l, l->t0 + turn) - c) < margin) return false;
    double A = l->a / 2, B = l->v0, C = l->x0 - c, found[2];
    int n = 0;
    if (A == 0) {
        if (B != 0) found[n++] = -C / B;
    } else if (B * B - 4 * A * C > 0) {
        double w = -0.5 * (B + copysign(sqrt(B * B - 4 * A * C), B));
        found[n++] = w / A;
        if (w != 0) found[n++] = C / w;
    }
    if (n == 2 && found[0] > found[1]) {
        double other = found[0];
        found[0] = found[1], found[1] = other;
    }
    for (int i = 0; i < n; i++)
        if (found[i] > 0 && found[i] < span) root[(*count)++] = l->t0 + found[i];
    return true;
}

/// Rises of x > c over all legs, jumps included. -1: too close to call.
static int count_rises(const unit *u, double c)
{
    int rises = 0;
    bool before = u->legs[0].x0 > c;
    for (int k = 0; k <= u->count; k++) {
        const leg *l = &u->legs[k];
        double root[2];
        int n;
        if (!leg_roots(l, c, root, &n)) return -1;
        rises += !before && l->x0 > c;
        before = l->x0 > c;
        for (int i = 0; i < n; i++) rises += !before, before = !before;
    }
    return rises;
}

/// Changes of floor(x / width), a jump being one change. -1: too close to call.
static int count_steps(const unit *u, double width)
{
    int steps = 0;
    double before = floor(u->legs[0].x0 / width);
    for (int k = 0; k <= u->count; k++) {
        const leg *l = &u->legs[k];
        steps += floor(l->x0 / width) != before;
        for (int level = -400; level <= 400; level++) {
            double root[2];
            int n;
            if (!leg_roots(l, level * width, root, &n)) return -1;
            steps += n;
        }
        before = floor(leg_x(l, l->t1) / width);
        if (fabs(before) > 380) return -1;
    }
    return steps;
}

static bool nested(const unit *u, int mode, double x)
{
    return mode % 2 ? x > u->nest : x < -u->nest;
}

/// Rises of `if mode is odd then x > c else x < -c`. -1: too close, or the order within a moment
/// would decide. In the first turn of a moment m is new and x still the old one, for reinit takes
/// effect when all equations have been solved: a relation that is true then is true, if for no
/// time, and a `when` counts it.
static int count_nested(const unit *u)
{
    int rises = 0;
    bool before = nested(u, 0, u->legs[0].x0);
    for (int k = 0; k <= u->count; k++) {
        const leg *l = &u->legs[k];
        double root[2];
        int n;
        if (k > 0) { // the new mode with the old state is seen, or is not
            double old = leg_x(&u->legs[k - 1], u->legs[k - 1].t1);
            bool between = nested(u, k, old);
            if (fabs(old - (k % 2 ? u->nest : -u->nest)) < 1e-3) return -1; // rounding decides
            bool after = nested(u, k, l->x0);
            if (between != before && between != after) return -1;
            if (!before && between && !after) return -1;
        }
        if (!leg_roots(l, k % 2 ? u->nest : -u->nest, root, &n)) return -1;
        rises += !before && nested(u, k, l->x0);
        before = nested(u, k, l->x0);
        for (int i = 0; i < n; i++) rises += !before, before = !before;
    }
    return rises;
}

// -------------------------------------------------------------------------------------------
// making

static double eighth(uint64_t *s, int most)
{
    return chance_int(s, -8 * most, 8 * most) / 8.0;
}

/// Whether the functional stays on one side until the end of the leg, clear of touching it.
static bool ends_there(const leg *l)
{
    double span = l->t1 - l->t0, end = leg_end(l, l->t1);
    double rate = l->p * leg_v(l, l->t1) + l->q * l->a + l->r;
    if (fabs(rate) < 0.1) return false;
    // end - L(t1 - w) = rate w - p a w^2 / 2: its other root
    double other = l->p * l->a != 0 ? 2 * rate / (l->p * l->a) : -1;
    if (other > 0 && other < span * 1.01 + 0.01) return false;
    return fabs(leg_end(l, l->t0) - end) > 1e-3;
}

static bool make_leg(leg *l, uint64_t *s)
{
    for (int tries = 0; tries < 50; tries++) {
        l->a = eighth(s, 4);
        l->t1 = l->t0 + chance_int(s, 1, 16) / 8.0;
        int kind = chance_int(s, 0, 3);
        l->p = kind == 1 ? 0 : 1;
        l->q = kind == 1 ? 1 : kind == 2 ? eighth(s, 2) : 0;
        l->r = kind == 3 ? eighth(s, 2) : 0;
        if (!ends_there(l)) continue;
        l->level = leg_end(l, l->t1);
        l->side = leg_end(l, l->t0) < l->level ? 1 : -1;
        return true;
    }
    return false;
}

static void make_reset(leg *l, uint64_t *s)
{
    static const double factor[] = {1, 1, -1, 0.5, -0.5, 0};
    l->kx = factor[chance_int(s, 0, 5)], l->bx = chance_int(s, 0, 2) ? 0 : eighth(s, 3);
    l->kv = factor[chance_int(s, 0, 5)], l->bv = chance_int(s, 0, 1) ? 0 : eighth(s, 3);
}

static bool make_unit(unit *u, double stop, uint64_t *s)
{
    leg *l = u->legs;
    *u = (unit){.count = 0};
    l->t0 = 0, l->x0 = eighth(s, 3), l->v0 = eighth(s, 3);
    for (; u->count < LEGS; u->count++) {
        l = &u->legs[u->count];
        if (!make_leg(l, s)) return false;
        if (l->t1 >= stop - 0.0625) break;
        make_reset(l, s);
        leg *next = l + 1;
        next->t0 = l->t1;
        next->x0 = l->kx * leg_x(l, l->t1) + l->bx;
        next->v0 = l->kv * leg_v(l, l->t1) + l->bv;
        u->sum += (u->count + 1) * l->t1;
    }
    l = &u->legs[u->count];
    if (u->count == LEGS) l->a = eighth(s, 2);
    l->t1 = stop;
    u->x = leg_x(l, stop), u->v = leg_v(l, stop);
    return true;
}

static bool make_counters(unit *u, uint64_t *s)
{
    u->rise = eighth(s, 4) + 1 / 32.0, u->dead = eighth(s, 4) - 1 / 32.0;
    u->width = chance_int(s, 1, 4) + 3 / 64.0, u->nest = chance_int(s, 1, 16) / 8.0 + 1 / 64.0;
    u->counts[RISE] = count_rises(u, u->rise);
    u->counts[DEAD] = count_rises(u, u->dead);
    u->counts[STEP] = count_steps(u, u->width);
    u->counts[NEST] = count_nested(u);
    for (int i = 0; i < COUNTERS; i++)
        if (u->counts[i] < 0) return false;
    return true;
}

/// The system of a seed.
static void hybrid_make(hybrid *h, uint64_t seed)
{
    uint64_t s = seed * 0x9e3779b97f4a7c15u + 1;
    h->stop = chance_int(&s, 4, 80) / 8.0;
    h->count = chance_int(&s, 1, UNITS);
    for (int i = 0; i < h->count; i++) {
        bool good = false;
        while (!good) {
            good = make_unit(&h->units[i], h->stop, &s);
            for (int tries = 0; good && !make_counters(&h->units[i], &s); tries++)
                good = tries < 30;
        }
    }
}

// ------------------------------------------------------------------------------------------
// writing

typedef struct lines {
    char text[400][900];
    int count;
} lines;

__attribute__((format(printf, 2, 3))) static void line(lines *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(w->text[w->count++], sizeof w->text[0], format, args);
    va_end(args);
}

/// `if m == 1 then a elseif ... else last`, of numbers that `of` reads off the legs.
static const char *by_leg(char *text, size_t size, int i, const char *m, const unit *u,
                          double (*of)(const leg *, const writing *), const writing *w)
{
    size_t at = 0;
    for (int k = 0; k < u->count; k++)
        at += (size_t)snprintf(text + at, size - at, "%s %s == %d then %.17g ", k ? "elseif" : "if",
                               m, k + 1, of(&u->legs[k], w));
    snprintf(text + at, size - at, u->count ? "else %.17g" : "%.17g", of(&u->legs[u->count], w));
    (void)i;
    return text;
}

static double rate_of(const leg *l, const writing *w)
{
    return l->a * w->size / w->time / w->time;
}
static double kx_of(const leg *l, const writing *w)
{
    (void)w;
    return l->kx;
}
static double bx_of(const leg *l, const writing *w)
{
    return l->bx * w->size;
}
static double kv_of(const leg *l, const writing *w)
{
    (void)w;
    return l->kv;
}
static double bv_of(const leg *l, const writing *w)
{
    return l->bv * w->size / w->time;
}

static void write_guard(lines *out, int i, const unit *u, const writing *w)
{
    char text[900];
    size_t at = 0;
    for (int k = 0; k < u->count; k++) {
        const leg *l = &u->legs[k];
        at += (size_t)snprintf(text + at, sizeof text - at, "%s m%d == %d then (%d)*(%g*x%d",
                               k ? "elseif" : "if", i, k + 1, l->side, l->p, i);
        if (l->q != 0)
            at +=
                (size_t)snprintf(text + at, sizeof text - at, " + (%.17g)*v%d", l->q * w->time, i);
        if (l->r != 0)
            at += (size_t)snprintf(text + at, sizeof text - at, " + (%.17g)*(time - start)",
                                   l->r * w->size / w->time);
        at += (size_t)snprintf(text + at, sizeof text - at, " - (%.17g)) ", l->level * w->size);
    }
    snprintf(text + at, sizeof text - at, u->count ? "else -%.17g" : "-%.17g", w->size);
    line(out, "  g%d = %s;\n", i, text);
}

static void write_unit(lines *declare, lines *equate, int i, const unit *u, const writing *w)
{
    char a[900], b[900];
    line(declare, "  Real x%d(start=%.17g, fixed=true, nominal=%.17g);\n", i,
         u->legs[0].x0 * w->size, w->size);
    line(declare, "  Real v%d(start=%.17g, fixed=true, nominal=%.17g);\n", i,
         u->legs[0].v0 * w->size / w->time, w->size / w->time);
    line(declare, "  Real g%d;\n", i);
    line(declare, "  discrete Integer m%d(start=1, fixed=true);\n", i);
    line(declare, "  discrete Real s%d(start=0, fixed=true);\n", i);
    for (int c = 0; c < COUNTERS; c++)
        line(declare, "  discrete Integer n%d%c(start=0, fixed=true);\n", i, "abcd"[c]);
    line(declare, "  Integer k%d;\n", i);
    line(declare, "  Boolean b%d;\n", i);
    line(equate, "  der(x%d) = v%d;\n", i, i);
    char m[8];
    snprintf(m, sizeof m, "m%d", i);
    line(equate, "  der(v%d) = %s;\n", i, by_leg(a, sizeof a, i, m, u, rate_of, w));
    write_guard(equate, i, u, w);
    snprintf(m, sizeof m, "pre(m%d)", i);
    line(equate,
         "  when g%d > 0 then m%d = pre(m%d) + 1; s%d = pre(s%d) + pre(m%d)*(time - start);\n"
         "    reinit(x%d, (%.400s)*pre(x%d) + (%.380s));",
         i, i, i, i, i, i, i, by_leg(a, sizeof a, i, m, u, kx_of, w), i,
         by_leg(b, sizeof b, i, m, u, bx_of, w));
    char *end = equate->text[equate->count - 1];
    size_t at = strlen(end);
    snprintf(end + at, sizeof equate->text[0] - at, "\n");
    line(equate, "    reinit(v%d, (%.400s)*pre(v%d) + (%.400s)); end when;\n", i,
         by_leg(a, sizeof a, i, m, u, kv_of, w), i, by_leg(b, sizeof b, i, m, u, bv_of, w));
    line(equate, "  when x%d > %.17g then n%da = pre(n%da) + 1; end when;\n", i, u->rise * w->size,
         i, i);
    line(equate, "  when max(0, x%d - (%.17g)) > 0 then n%db = pre(n%db) + 1; end when;\n", i,
         u->dead * w->size, i, i);
    line(equate, "  k%d = integer(x%d/%.17g);\n", i, i, u->width * w->size);
    line(equate, "  when change(k%d) then n%dc = pre(n%dc) + 1; end when;\n", i, i, i);
    line(equate, "  b%d = if mod(m%d, 2) == 0 then x%d > %.17g else x%d < -%.17g;\n", i, i, i,
         u->nest * w->size, i, u->nest * w->size);
    line(equate, "  when b%d then n%dd = pre(n%dd) + 1; end when;\n", i, i, i);
}

/// The system as a text.
static void hybrid_write(const hybrid *h, const writing *w, char *text, size_t size)
{
    static lines declare, equate;
    declare.count = equate.count = 0;
    line(&declare, "  parameter Real start = %.17g;\n", w->start);
    for (int i = 0; i < h->count; i++) write_unit(&declare, &equate, i + 1, &h->units[i], w);
    size_t at = (size_t)snprintf(text, size, "model R\n");
    for (int k = 0; k < declare.count; k++)
        at += (size_t)snprintf(text + at, size - at, "%s",
                               declare.text[w->turned ? declare.count - 1 - k : k]);
    at += (size_t)snprintf(text + at, size - at, "equation\n");
    // a when over two lines stays together
    for (int k = 0; k < equate.count; k++) {
        int j = w->turned ? equate.count - 1 - k : k;
        bool tail = strncmp(equate.text[j], "    reinit", 10) == 0;
        bool head = strstr(equate.text[j], "    reinit") != NULL && !tail;
        if (w->turned && tail) continue;
        at += (size_t)snprintf(text + at, size - at, "%s", equate.text[j]);
        if (w->turned && head)
            at += (size_t)snprintf(text + at, size - at, "%s", equate.text[j + 1]);
    }
    snprintf(text + at, size - at, "end R;\n");
}

#endif
