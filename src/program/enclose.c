/// The code of guards run over a stretch of a solution: what each register can be there, what its
/// derivative can be, and whether it is continuous.
///
/// Along the stretch the solution is a curve (t, x(t)), and every register is a function of time.
/// Two functions, to be exact: the *exact* one, of real arithmetic on the exact curve, and the
/// *computed* one, of the machine's arithmetic at computed points (t, x). A register's range holds
/// the values of both, its slope the derivative of the exact one wherever that exists, and `error`
/// is a bound of the distance of the two at the same instant, where both are continuous. So a range
/// without zero says that neither function has a zero, and no sign that `guards` gives contradicts
/// it.
///
/// Range: interval arithmetic (interval.h) holds both functions, because every operation is widened
/// by its rounding. But it is blind to what cancels, and so its excess shrinks in proportion to the
/// stretch only. The mean-value theorem does better: with the value in the middle, y(m),
///
///     y(t) in y(m) + y' [-radius, radius]      and      computed y in that +- error,
///
/// an excess of second order, because y' over a short stretch is nearly constant. Each register's
/// range is the intersection of both (Moore, Kearfott, Cloud, "Introduction to Interval Analysis",
/// 2009, ch. 6). The theorem wants a continuous function, so what may jump is left out.
///
/// Slope: forward differentiation, y' = f_a a' + f_b b', in interval arithmetic. Where a function
/// is made of pieces (abs, min, max, if) it is the hull of the pieces that can be met.
///
/// Error: |fl f(â, b̂) - f(a, b)| <= |f_a| |â - a| + |f_b| |b̂ - b| + rounding of f, with f_a and f_b
/// over the range, which holds the computed arguments too.
///
/// Nature, like the decorations of IEEE 1788: the bits of all arguments that can be met, and those
/// of the operation. A function of pieces whose argument stays within one piece is as smooth as
/// that piece; so floor of [0.2, 0.9] is the constant 0, whatever its argument does.
#include "program/enclose.h"

#include <string.h>

#include "base/inline.h"
#include "program/cases.h"

enum { UNPROVED = FO_NOT_ENCLOSED, UNDEFINED = FO_MAY_BE_UNDEFINED, JUMPS = FO_MAY_JUMP };

typedef foi_interval interval;
typedef foi_enclosed enclosed;

// Small rules are inlined always: their results stay in registers instead of being copied through
// memory at every return.

static const interval zero = {0, 0};

// ---------------------------------------------------------------------------------------- helpers

static inline bool is_constant(const enclosed *a)
{
    return foi_i_is_zero(a->slope) && foi_i_is_point(a->range) && a->nature == 0;
}

// And stays so: at a point what moves has a value, too.
static inline bool is_this(const enclosed *a, double value)
{
    return a->range.lo == value && a->range.hi == value && a->nature == 0 &&
           foi_i_is_zero(a->slope);
}

static inline bool stays_zero(const enclosed *a)
{
    return foi_i_is_zero(a->range) && foi_i_is_zero(a->slope);
}

// A whole number that stays: sums, products and remainders of two such are exact, and so are not
// widened. A counter would otherwise come to the jumps of mod(k, 2) wherever it stands.
static inline bool is_whole(const enclosed *a)
{
    double v = a->range.lo;
    return v == a->range.hi && a->error == 0 && fabs(v) <= 0x1p52 && v == (double)(int64_t)v &&
           is_constant(a);
}

FOI_INLINE enclosed constant(double value, uint32_t nature)
{
    enclosed r = foi_enclosed_constant(value);
    r.nature |= nature;
    return r;
}

foi_enclosed foi_enclosed_anything(uint32_t nature)
{
    return (enclosed){FOI_EVERYTHING, FOI_EVERYTHING, FOI_EVERYTHING, INFINITY, nature};
}

FOI_INLINE enclosed anything(uint32_t nature)
{
    return foi_enclosed_anything(nature);
}

// Something that does not move but for its jumps.
FOI_INLINE enclosed steps(interval range, uint32_t nature)
{
    if (foi_i_is_point(range)) return constant(range.lo, nature & ~(uint32_t)JUMPS);
    return (enclosed){range, range, zero, INFINITY, nature | JUMPS};
}

FOI_INLINE enclosed hull(const enclosed *a, const enclosed *b)
{
    return (enclosed){foi_i_hull(a->range, b->range), foi_i_hull(a->mid, b->mid),
                      foi_i_hull(a->slope, b->slope), foi_most(a->error, b->error),
                      a->nature | b->nature};
}

static inline double at_most(double partial, double error)
{
    return error == 0 || partial == 0 ? 0 : partial * error;
}

// The range is also what the mean-value theorem says. The middle never reaches beyond the range.
FOI_INLINE void tighten(enclosed *y, double radius)
{
    if (y->nature) {
        y->mid = y->range;
        return;
    }
    if (!(y->error >= 0)) y->error = INFINITY;
    if (y->range.lo == y->range.hi) { // most often zero, about which all is subnormal and so slow
        y->mid = y->range;
        return;
    }
    double reach = foi_up_size(foi_i_size(y->slope) * radius + y->error);
    double lo = foi_down(y->mid.lo - reach), hi = foi_up(y->mid.hi + reach);
    if (lo > y->range.lo) y->range.lo = lo;
    if (hi < y->range.hi) y->range.hi = hi;
    if (y->mid.lo < y->range.lo) y->mid.lo = y->range.lo;
    if (y->mid.hi > y->range.hi) y->mid.hi = y->range.hi;
}

// ------------------------------------------------------------------------------------- arithmetic

FOI_INLINE enclosed negate(const enclosed *a)
{
    return (enclosed){foi_i_negative(a->range), foi_i_negative(a->mid), foi_i_negative(a->slope),
                      a->error, a->nature};
}

static inline bool opposite_infinities(interval a, interval b)
{
    return (a.hi == INFINITY && b.lo == -INFINITY) || (a.lo == -INFINITY && b.hi == INFINITY);
}

FOI_INLINE enclosed add(const enclosed *a, const enclosed *b)
{
    if (is_this(a, 0)) return *b;
    if (is_this(b, 0)) return *a;
    if (is_whole(a) && is_whole(b)) return constant(a->range.lo + b->range.lo, 0);
    enclosed y = {foi_i_add(a->range, b->range), foi_i_add(a->mid, b->mid),
                  foi_i_add(a->slope, b->slope), 0, a->nature | b->nature};
    y.error = foi_up_size(a->error + b->error + FOI_UNIT * foi_i_size(y.range));
    if (opposite_infinities(a->range, b->range)) y.nature |= UNDEFINED;
    return y;
}

FOI_INLINE enclosed subtract(const enclosed *a, const enclosed *b)
{
    enclosed c = negate(b);
    return add(a, &c);
}

FOI_INLINE enclosed square(const enclosed *a)
{
    enclosed y = {foi_i_square(a->range), foi_i_square(a->mid),
                  foi_i_scale(foi_i_multiply(a->range, a->slope), 2), 0, a->nature};
    double size = foi_i_size(a->range);
    y.error = foi_up_size(2 * at_most(size, a->error) + FOI_UNIT * foi_i_size(y.range));
    return y;
}

// Zero times infinity is not a number.
static bool clash(interval a, interval b)
{
    return foi_i_has_zero(a) && !foi_i_is_finite(b);
}

FOI_INLINE enclosed multiply(const enclosed *a, const enclosed *b)
{
    uint32_t nature = a->nature | b->nature;
    if (is_whole(a) && is_whole(b) && fabs(a->range.lo * b->range.lo) <= 0x1p53)
        return constant(a->range.lo * b->range.lo, 0);
    if (!foi_i_is_finite(a->range) || !foi_i_is_finite(b->range))
        if (clash(a->range, b->range) || clash(b->range, a->range)) nature |= UNDEFINED;
    if (foi_i_is_zero(a->range) || foi_i_is_zero(b->range)) nature &= ~(uint32_t)JUMPS;
    if (stays_zero(a) || stays_zero(b)) return constant(0, nature);
    if (is_this(a, 1)) return *b;
    if (is_this(b, 1)) return *a;
    enclosed y = {foi_i_multiply(a->range, b->range), foi_i_multiply(a->mid, b->mid),
                  foi_i_add(foi_i_multiply(a->range, b->slope), foi_i_multiply(b->range, a->slope)),
                  0, nature};
    y.error = foi_up_size(at_most(foi_i_size(a->range), b->error) +
                          at_most(foi_i_size(b->range), a->error) + FOI_UNIT * foi_i_size(y.range));
    return y;
}

// q = a / b, q' = (a' - q b') / b. Where b can be zero there is a pole, or nothing. No half-line
// then, even if b is never negative: a computed zero may be -0, whose quotient is on the other
// side.
FOI_INLINE enclosed divide(const enclosed *a, const enclosed *b)
{
    if (is_this(b, 1)) return *a;
    if (is_whole(a) && is_whole(b) && b->range.lo != 0 && fmod(a->range.lo, b->range.lo) == 0)
        return constant(a->range.lo / b->range.lo, 0);
    enclosed y = {.range = foi_i_divide(a->range, b->range), .nature = a->nature | b->nature};
    y.slope = foi_i_divide(foi_i_subtract(a->slope, foi_i_multiply(y.range, b->slope)), b->range);
    y.mid = foi_i_divide(a->mid, b->mid);
    if (!foi_i_is_finite(a->range) && !foi_i_is_finite(b->range)) y.nature |= UNDEFINED;
    if (foi_i_has_zero(b->range)) {
        if (!foi_i_is_zero(a->range)) y.range = FOI_EVERYTHING;
        y.nature |= JUMPS | UNDEFINED;
        return y;
    }
    double least = foi_least(fabs(b->range.lo), fabs(b->range.hi)), size = foi_i_size(y.range);
    double moved = b->error == 0 ? 0 : size * foi_up_size(b->error / least);
    y.error = foi_up_size((a->error == 0 ? 0 : a->error / least) + moved + FOI_UNIT * size);
    return y;
}

// -------------------------------------------------------------------------------------- functions

static double value_of(foi_op op, double a)
{
    return foi_op_any(op, a, 0, 0);
}

// The value in the middle: taken there once, and as far off as its argument is wide.
static interval middle(foi_op op, interval mid, double steepest)
{
    double c = foi_i_is_point(mid) ? mid.lo : 0.5 * mid.lo + 0.5 * mid.hi, value = value_of(op, c);
    double half = foi_i_is_point(mid) ? 0 : foi_up_size(foi_most(mid.hi - c, c - mid.lo));
    double off = half == 0 ? 0 : foi_up_size(steepest * half);
    return (interval){foi_down_sum(foi_down_function(value) - off),
                      foi_up_sum(foi_up_function(value) + off)};
}

static enclosed function(foi_op op, const enclosed *a)
{
    interval domain = foi_i_domain(op), in = foi_i_clip(a->range, domain.lo, domain.hi), steep;
    uint32_t nature = a->nature;
    bool logarithm = op == FOI_G_LOG || op == FOI_G_LOG10;
    if (!(in.lo <= in.hi) || (logarithm && in.hi == 0)) return anything(nature | UNDEFINED);
    if (in.lo > a->range.lo || in.hi < a->range.hi || (logarithm && in.lo == 0))
        nature |= UNDEFINED;
    enclosed y = {.nature = nature};
    if (op == FOI_G_TAN && foi_i_has_pole(in)) {
        y.range = FOI_EVERYTHING, steep = (interval){1, INFINITY}, y.nature |= JUMPS;
    } else {
        y.range = foi_i_function(op, in);
        steep = foi_i_derivative(op, in, y.range);
    }
    bool wave = op == FOI_G_SIN || op == FOI_G_COS || op == FOI_G_TAN;
    if (wave && !foi_i_is_finite(in)) y.nature |= UNDEFINED;
    y.slope = foi_i_multiply(steep, a->slope);
    if (y.nature) return y;
    double steepest = foi_i_size(steep);
    y.error = foi_up_size(at_most(steepest, a->error) + FOI_THREE_UNITS * foi_i_size(y.range));
    interval mid = foi_i_clip(a->mid, in.lo, in.hi);
    y.mid = steepest < INFINITY ? middle(op, mid, steepest) : foi_i_function(op, mid);
    return y;
}

FOI_INLINE enclosed magnitude(const enclosed *a)
{
    if (a->range.lo >= 0) return *a;
    enclosed b = negate(a);
    if (a->range.hi <= 0) return b;
    enclosed y = hull(a, &b);
    y.range.lo = 0;
    if (foi_i_has_zero(a->mid)) // the hull of both is [-m, m]
        y.mid.lo = 0;
    else
        y.mid = a->mid.lo > 0 ? a->mid : b.mid;
    return y;
}

FOI_INLINE enclosed sign(const enclosed *a)
{
    interval s = {foi_sign(a->range.lo), foi_sign(a->range.hi)};
    if (a->nature & UNDEFINED) s = foi_i_hull(s, zero); // the sign of what is not a number
    return steps(s, a->nature);
}

FOI_INLINE enclosed whole(foi_op op, const enclosed *a)
{
    interval k = op == FOI_G_FLOOR ? (interval){floor(a->range.lo), floor(a->range.hi)}
                                   : (interval){ceil(a->range.lo), ceil(a->range.hi)};
    return steps(k, a->nature);
}

static interval lesser(interval a, interval b)
{
    return (interval){foi_least(a.lo, b.lo), foi_least(a.hi, b.hi)};
}

// The lesser one, and not a number where one of them is none.
FOI_INLINE enclosed minimum(const enclosed *a, const enclosed *b)
{
    bool risky = (a->nature | b->nature) & UNDEFINED;
    if (a->range.hi <= b->range.lo && !risky) return *a;
    if (b->range.hi <= a->range.lo && !risky) return *b;
    enclosed y = hull(a, b);
    y.range = lesser(a->range, b->range);
    y.mid = lesser(a->mid, b->mid);
    if (b->nature & UNDEFINED) y.range.hi = a->range.hi, y.nature |= JUMPS;
    return y;
}

FOI_INLINE enclosed maximum(const enclosed *a, const enclosed *b)
{
    enclosed p = negate(a), q = negate(b), y = minimum(&p, &q);
    return negate(&y);
}

// ------------------------------------------------------------------------------ division with rest

static interval integers(foi_op op, interval q)
{
    return op == FOI_G_MOD ? (interval){floor(q.lo), floor(q.hi)}
                           : (interval){trunc(q.lo), trunc(q.hi)};
}

// What mod and rem can be whatever the quotient is. With q = a/b (1 + e), |e| <= u, and k the whole
// number of q, a - k b lies in [0, b] but for |k b| u, and so do its two roundings: 4 u (|a| +
// 2 |b|) is more.
static interval remainder_range(foi_op op, interval a, interval b)
{
    double size = foi_i_size(b), off = foi_up_size(4 * FOI_UNIT * (foi_i_size(a) + 2 * size));
    interval r = {-size, size};
    if (op == FOI_G_MOD ? b.lo > 0 : a.lo >= 0) r.lo = 0;
    if (op == FOI_G_MOD ? b.hi < 0 : a.hi <= 0) r.hi = 0;
    return (interval){foi_down(r.lo - off), foi_up(r.hi + off)};
}

// a - k b with the whole number k of a / b: where k is one number, that is all.
static enclosed division_with_rest(foi_op op, const enclosed *a, const enclosed *b)
{
    uint32_t nature = a->nature | b->nature;
    if (foi_i_has_zero(b->range)) return anything(nature | JUMPS | UNDEFINED);
    if (is_whole(a) && is_whole(b)) return constant(foi_op_any(op, a->range.lo, b->range.lo, 0), 0);
    interval k = integers(op, foi_i_divide(a->range, b->range));
    bool bounded = foi_i_is_finite(k) &&
                   foi_i_size(a->range) + foi_i_size(b->range) < 0x1p1022; // so k b is too
    if (!bounded) nature |= UNDEFINED;
    if (op == FOI_G_QUOTIENT) return steps(k, nature);
    enclosed part = steps(k, 0), times = multiply(&part, b), y = subtract(a, &times);
    y.nature |= nature;
    if (bounded) {
        interval r = remainder_range(op, a->range, b->range);
        y.range = foi_i_clip(y.range, r.lo, r.hi);
    }
    return y;
}

// What is lost where a b is rounded: nothing in exact arithmetic, half a last place as computed.
static enclosed lost(const enclosed *a, const enclosed *b)
{
    double size = foi_i_size(foi_i_multiply(a->range, b->range));
    if (!(size < INFINITY)) return anything(a->nature | b->nature);
    double off = foi_up_size(FOI_UNIT * size);
    interval range = {-off, off};
    return (enclosed){range, range, zero, off, a->nature | b->nature};
}

// ------------------------------------------------------------------------------------------ powers

// The rules of a smooth function of two arguments, with its partial derivatives; y has its range,
// `mid` is from the middles.
static enclosed smooth(enclosed y, const enclosed *a, const enclosed *b, interval by_a,
                       interval by_b)
{
    y.slope = foi_i_add(foi_i_multiply(by_a, a->slope), foi_i_multiply(by_b, b->slope));
    y.error =
        foi_up_size(at_most(foi_i_size(by_a), a->error) + at_most(foi_i_size(by_b), b->error) +
                    FOI_THREE_UNITS * foi_i_size(y.range));
    return y;
}

// pow(a, n), n a whole number.
static enclosed power_whole(const enclosed *a, const enclosed *b, double n)
{
    enclosed y = {.nature = a->nature | b->nature};
    if (n < 0 && foi_i_has_zero(a->range)) { // a pole: by pieces
        bool even = fmod(n, 2) == 0;
        double most = foi_i_size(a->range);
        y.range = FOI_EVERYTHING, y.slope = FOI_EVERYTHING;
        y.nature |= JUMPS | UNDEFINED;
        if (even) y.range.lo = foi_i_power_whole((interval){most, most}, n).lo;
        return y;
    }
    y.range = foi_i_power_whole(a->range, n);
    y.mid = foi_i_power_whole(a->mid, n);
    interval steep = foi_i_scale(foi_i_power_whole(a->range, n - 1), n);
    // pow(a, 0) is 1 whatever a is
    return n == 0 ? constant(1, (a->nature & UNPROVED) | (b->nature & ~(uint32_t)JUMPS))
                  : smooth(y, a, b, steep, zero);
}

// pow(a, b) = exp(b log a) for a > 0, d = b a^(b-1) a' + a^b log(a) b'.
static enclosed power_real(const enclosed *a, const enclosed *b)
{
    enclosed y = {.nature = a->nature | b->nature};
    interval base = foi_i_clip(a->range, 0, INFINITY), exponent = b->range;
    bool point = foi_i_is_point(exponent);
    if (!(base.lo <= base.hi)) return anything(y.nature | UNDEFINED | (point ? 0 : JUMPS));
    if (a->range.lo < 0) { // a moving exponent may be a whole number for an instant
        if (!point || a->range.lo == -INFINITY) return anything(y.nature | UNDEFINED | JUMPS);
        y.nature |= UNDEFINED;
    }
    if (!foi_i_is_finite(exponent)) return anything(y.nature | UNDEFINED | JUMPS);
    if (base.lo == 0 && exponent.lo <= 0) y.nature |= JUMPS | UNDEFINED;
    if (base.lo == 0 && exponent.lo <= 0 && !point) return anything(y.nature);
    y.range = foi_i_power(base, exponent);
    interval less = point ? (interval){foi_down_sum(exponent.lo - 1), foi_up_sum(exponent.hi - 1)}
                          : foi_i_subtract(exponent, (interval){1, 1});
    interval by_a = FOI_EVERYTHING, by_b = zero;
    if (base.lo > 0 || less.lo > 0) by_a = foi_i_multiply(exponent, foi_i_power(base, less));
    if (!foi_i_is_zero(b->slope) || b->error > 0)
        by_b =
            base.lo > 0 ? foi_i_multiply(y.range, foi_i_function(FOI_G_LOG, base)) : FOI_EVERYTHING;
    interval mid = foi_i_clip(a->mid, 0, INFINITY);
    y.mid = y.nature ? y.range : foi_i_power(mid, b->mid);
    return smooth(y, a, b, by_a, by_b);
}

static enclosed power(const enclosed *a, const enclosed *b)
{
    double n = b->range.lo;
    if (!foi_i_is_point(b->range) || n != floor(n)) return power_real(a, b);
    if (fabs(n) >= 0x1p53) return anything(a->nature | b->nature | JUMPS | UNDEFINED);
    return power_whole(a, b, n);
}

// ------------------------------------------------------------------------------------------- angle

// atan2(y, x): d = (x y' - y x') / (x^2 + y^2). It jumps at the cut y = 0, x <= 0.
static enclosed angle(const enclosed *y, const enclosed *x)
{
    const interval half_turn = {0, foi_up_function(0x1.921fb54442d18p1)};
    enclosed r = {.nature = y->nature | x->nature};
    interval distance = foi_i_add(foi_i_square(x->range), foi_i_square(y->range));
    interval by_y = foi_i_divide(x->range, distance),
             by_x = foi_i_divide(foi_i_negative(y->range), distance);
    if (foi_i_has_zero(y->range) && x->range.lo <= 0) {
        r.range = (interval){-half_turn.hi, half_turn.hi};
        r.nature |= JUMPS;
        r.slope = foi_i_add(foi_i_multiply(by_y, y->slope), foi_i_multiply(by_x, x->slope));
        return r;
    }
    r.range = foi_i_angle(y->range, x->range);
    r.mid = foi_i_angle(y->mid, x->mid);
    return smooth(r, y, x, by_y, by_x);
}

// ----------------------------------------------------------------------------------- true or false

static bool maybe_false(const enclosed *a)
{
    return foi_i_has_zero(a->range);
}

static bool maybe_true(const enclosed *a)
{
    return !foi_i_is_zero(a->range) || (a->nature & UNDEFINED); // not a number is not zero
}

FOI_INLINE enclosed truth(bool can_be_false, bool can_be_true, uint32_t nature)
{
    return steps((interval){can_be_false ? 0 : 1, can_be_true ? 1 : 0}, nature & UNPROVED);
}

FOI_INLINE enclosed comparison(foi_op op, const enclosed *x, const enclosed *y)
{
    interval a = x->range, b = y->range;
    uint32_t nature = x->nature | y->nature;
    bool apart = a.hi < b.lo || b.hi < a.lo, points = foi_i_is_point(a) && foi_i_is_point(b);
    bool nan = nature & UNDEFINED;
    switch (op) {
    case FOI_G_LESS: return truth(nan || a.hi >= b.lo, a.lo < b.hi, nature);
    case FOI_G_LESS_EQUAL: return truth(nan || a.hi > b.lo, a.lo <= b.hi, nature);
    case FOI_G_GREATER: return truth(nan || b.hi >= a.lo, b.lo < a.hi, nature);
    case FOI_G_GREATER_EQUAL: return truth(nan || b.hi > a.lo, b.lo <= a.hi, nature);
    case FOI_G_EQUAL: return truth(nan || !points || apart, !apart, nature);
    default: return truth(!apart, nan || !points || apart, nature);
    }
}

FOI_INLINE enclosed logic(foi_op op, const enclosed *a, const enclosed *b)
{
    uint32_t nature = a->nature | b->nature;
    switch (op) {
    case FOI_G_NOT: return truth(maybe_true(a), maybe_false(a), a->nature);
    case FOI_G_AND:
        return truth(maybe_false(a) || maybe_false(b), maybe_true(a) && maybe_true(b), nature);
    default: return truth(maybe_false(a) && maybe_false(b), maybe_true(a) || maybe_true(b), nature);
    }
}

FOI_INLINE enclosed choice(const enclosed *a, const enclosed *b, const enclosed *c)
{
    enclosed y;
    if (!maybe_false(a)) {
        y = *b;
    } else if (!maybe_true(a)) {
        y = *c;
    } else {
        bool same = is_constant(b) && is_constant(c) && b->range.lo == c->range.lo;
        y = hull(b, c);
        if (!same) y.nature |= JUMPS;
    }
    y.nature |= a->nature & UNPROVED;
    return y;
}

// ------------------------------------------------------------------------------- curves in pieces

// One piece, over the whole stretch, as if it were written out.
static enclosed piece(const foi_cubic *p, uint32_t order, const enclosed *u, double radius)
{
    double a[FOI_DEGREE + 1];
    uint32_t degree = foi_piece_rates(p, order, a) - 1;
    enclosed y = constant(a[degree], 0), x = constant(p->x, 0), h = subtract(u, &x);
    tighten(&h, radius);
    while (degree-- > 0) {
        enclosed term = constant(a[degree], 0);
        y = multiply(&y, &h);
        tighten(&y, radius);
        y = add(&term, &y);
        tighten(&y, radius);
    }
    return y;
}

/// Pieces that were met so far.
typedef struct met {
    enclosed y;
    uint32_t count, left; ///< how many more may be
    bool same;            ///< they are all one number
} met;

// Each over the part of u's range that is in it. What u is in the middle is not known there.
static void meet(const foi_pieces *c, uint32_t order, const enclosed *u, double radius, met *m)
{
    const double *ends = c->ends + c->first;
    uint32_t count = c->last - c->first, first = foi_pieces_find(ends, count, u->range.lo);
    uint32_t last = u->nature & UNDEFINED ? count : foi_pieces_find(ends, count, u->range.hi);
    for (uint32_t i = first; i <= last && m->left > 0; i++, m->left--) {
        enclosed part = *u, y;
        if (first < last) {
            double lo = i > 0 ? ends[i - 1] : -INFINITY, hi = i < count ? ends[i] : INFINITY;
            part.range = foi_i_clip(part.range, lo, hi);
            if (!(part.range.lo <= part.range.hi)) part.range = u->range; // not a number
            part.mid = part.range, part.nature |= JUMPS;
        }
        y = piece(&c->list[c->first + i], order, &part, radius);
        m->same &= is_constant(&y) && (m->count == 0 || y.range.lo == m->y.range.lo);
        m->y = m->count++ ? hull(&m->y, &y) : y;
    }
}

static enclosed along(const enclosed *u, const enclosed *which, double radius)
{
    enum { MOST = 4096 };
    met m = {.left = MOST, .same = true};
    const foi_pieces *first = foi_pieces_address(which->range.lo);
    const foi_pieces *last = foi_pieces_address(which->range.hi);
    uint32_t order = foi_pieces_order(which->range.lo);
    uint32_t nature = (u->nature | which->nature) & UNPROVED;
    if (!first || !foi_i_is_finite(which->range)) return anything(UNPROVED | JUMPS | UNDEFINED);
    for (const foi_pieces *c = first; c <= last && m.left > 0; c++) meet(c, order, u, radius, &m);
    if (m.left == 0) return anything(u->nature | nature | JUMPS);
    if (m.count > 1) {
        m.y.mid = m.y.range;
        m.y.nature = m.same ? m.y.nature & ~(uint32_t)JUMPS : m.y.nature | JUMPS;
    }
    m.y.nature |= nature;
    return m.y;
}

static enclosed among(const enclosed *u, const enclosed *which)
{
    const foi_choices *p = foi_pieces_address(which->range.lo);
    if (!p || !foi_i_is_point(which->range)) return anything(UNPROVED | JUMPS | UNDEFINED);
    double last = u->nature & UNDEFINED ? NAN : u->range.hi;
    return steps(
        (interval){foi_among(u->range.lo, which->range.lo), foi_among(last, which->range.lo)},
        u->nature & UNPROVED);
}

// ----------------------------------------------------------------------------------- what is given

static bool is_box(double lo, double hi)
{
    return lo <= hi && lo < INFINITY && hi > -INFINITY; // neither empty nor NAN
}

// A state on the stretch.
foi_enclosed foi_enclosed_state(const fo_stretch *on, uint32_t i)
{
    foi_enclosed x = foi_enclosed_anything(0);
    if (!is_box(on->x.lo[i], on->x.hi[i])) return foi_enclosed_anything(FO_MAY_BE_UNDEFINED);
    x.range = x.mid = (foi_interval){on->x.lo[i], on->x.hi[i]};
    if (on->dx.lo && is_box(on->dx.lo[i], on->dx.hi[i]))
        x.slope = (foi_interval){on->dx.lo[i], on->dx.hi[i]};
    if (!on->x_mid.lo || !is_box(on->x_mid.lo[i], on->x_mid.hi[i])) return x;
    x.mid = (foi_interval){foi_most(x.range.lo, on->x_mid.lo[i]),
                           foi_least(x.range.hi, on->x_mid.hi[i])};
    x.error = on->x_mid.hi[i] - on->x_mid.lo[i];
    return x;
}

foi_enclosed foi_enclosed_time(const fo_stretch *on)
{
    foi_enclosed t = {.range = {on->t_lo, on->t_hi}, .slope = {1, 1}, .error = on->t_slack};
    t.mid = t.range;
    if (!on->x_mid.lo) return t;
    t.mid = (foi_interval){foi_most(t.range.lo, foi_down_sum(on->t_mid - on->t_slack)),
                           foi_least(t.range.hi, foi_up_sum(on->t_mid + on->t_slack))};
    return t;
}

// How far an instant of the stretch may be from its middle.
double foi_stretch_radius(const fo_stretch *on)
{
    if (!on->x_mid.lo) return INFINITY;
    return foi_up_size(foi_most(on->t_hi - on->t_mid, on->t_mid - on->t_lo) + on->t_slack);
}

// --------------------------------------------------------------------------------- all operations

FOI_INLINE enclosed rare(foi_op op, const enclosed *a, const enclosed *b, const enclosed *c,
                         double radius)
{
    switch (op) {
    case FOI_G_POWER: return power(a, b);
    case FOI_G_ABS: return magnitude(a);
    case FOI_G_SIGN: return sign(a);
    case FOI_G_MIN: return minimum(a, b);
    case FOI_G_MAX: return maximum(a, b);
    case FOI_G_MOD:
    case FOI_G_REM:
    case FOI_G_QUOTIENT: return division_with_rest(op, a, b);
    case FOI_G_FLOOR:
    case FOI_G_CEIL: return whole(op, a);
    case FOI_G_ATAN2: return angle(a, b);
    case FOI_G_LOST: return lost(a, b);
    case FOI_G_CALLED: return *a;
    case FOI_G_LESS:
    case FOI_G_LESS_EQUAL:
    case FOI_G_GREATER:
    case FOI_G_GREATER_EQUAL:
    case FOI_G_EQUAL:
    case FOI_G_NOT_EQUAL: return comparison(op, a, b);
    case FOI_G_NOT:
    case FOI_G_AND:
    case FOI_G_OR: return logic(op, a, b);
    case FOI_G_IF: return choice(a, b, c);
    case FOI_G_ALONG: return along(a, b, radius);
    case FOI_G_AMONG: return among(a, b);
    case FOI_G_OUTSIDE: return anything(UNPROVED | JUMPS | UNDEFINED);
    default: return function(op, a);
    }
}

// ------------------------------------------------------------------------------------ by cases

enum {
    MOST_CASES = 2, ///< undecided operations one after the other, where guards are enclosed
    MOST_LEAVES = 8,
};

// A comparison of what others have been compared with: x < 1 is not undecided where x > 2 is true.
static bool follows(const foi_cases *k, const foi_instruction *x, const enclosed *r, enclosed *y)
{
    if (!k->loop || !foi_compares(x->op)) return false;
    enclosed a = r[x->a], b = r[x->b];
    a.range = foi_within_limits(k, x->a, a.range), b.range = foi_within_limits(k, x->b, b.range);
    if (!(a.range.lo <= a.range.hi && b.range.lo <= b.range.hi)) return false;
    *y = comparison((foi_op)x->op, &a, &b);
    return !(y->nature & JUMPS);
}

static void look_at_cases(foi_cases *k, const foi_instruction *x, const enclosed *r, enclosed *y)
{
    if (!(y->nature & JUMPS) || !foi_has_outcomes(x->op)) return;
    k->any = true;
    if (!k->decide || y->range.hi - y->range.lo != 1 || follows(k, x, r, y)) return;
    uint32_t i = k->level;
    if (i >= k->most) {
        k->lost = true;
        return;
    }
    if (i == k->depth) {
        k->value[i][0] = y->range.lo, k->value[i][1] = y->range.hi;
        k->at[i] = x, k->second[i] = false, k->depth++;
    }
    k->limit[i] = foi_limit_of(x, r, k->second[i]);
    k->level++;
    *y = constant(k->value[i][k->second[i]], y->nature & ~(uint32_t)JUMPS);
}

// ------------------------------------------------------------------------------------- the same
//
// What chooses (if, min, max) gives one of its arguments, and where it is known which, that less
// this argument is zero: m > x with m = max(x, y) stands at zero for as long as x is the greater.
// Each register knows where its number was made: by which instruction, or that it was given.

enum { MADE = 1 << 30 };

static inline uint32_t origin(const enclosed *r, uint32_t i)
{
    return r[i].same ? r[i].same : i + 1;
}

// The origin of what is chosen; 0: it is not known which.
static uint32_t chosen(const foi_instruction *x, const enclosed *r)
{
    const enclosed *a = &r[x->a], *b = &r[x->b];
    if (x->op == FOI_G_IF && !(maybe_true(a) && maybe_false(a)))
        return origin(r, maybe_false(a) ? x->c : x->b);
    if ((x->op != FOI_G_MIN && x->op != FOI_G_MAX) || ((a->nature | b->nature) & UNDEFINED))
        return 0;
    bool least = x->op == FOI_G_MIN;
    if (a->range.hi <= b->range.lo) return origin(r, least ? x->a : x->b);
    if (b->range.hi <= a->range.lo) return origin(r, least ? x->b : x->a);
    return 0;
}

static inline bool are_one(const enclosed *r, uint32_t a, uint32_t b)
{
    uint32_t nature = r[a].nature | r[b].nature;
    return origin(r, a) == origin(r, b) && !(nature & ~(uint32_t)JUMPS) &&
           foi_i_is_finite(r[a].range) && foi_i_is_finite(r[b].range);
}

// ------------------------------------------------------------------------------------- the machine

// A number that stays, exact and computed.
static inline bool is_number(const enclosed *a)
{
    return a->range.lo == a->range.hi && a->slope.lo == 0 && a->slope.hi == 0 && a->nature == 0 &&
           a->error == 0;
}

// What is computed of numbers that stay is a number that stays: the exact function is the one that
// has it, as if it had been written into the model. So what cancels among parameters is not spread
// by their rounding errors, which are the same at every point. Not where it depends on the sign of
// a zero, which a range does not know.
static inline bool is_folded(uint32_t op, const enclosed *a, const enclosed *b, double *value)
{
    bool two = op <= FOI_G_POWER && op != FOI_G_NEGATE;
    if ((!two && !(op >= FOI_G_SIN && op <= FOI_G_LOG10 && op != FOI_G_ATAN2) &&
         op != FOI_G_SQRT) ||
        !is_number(a) || (two && !is_number(b)))
        return false;
    if ((op == FOI_G_DIVIDE && b->range.lo == 0) || (op == FOI_G_POWER && a->range.lo == 0))
        return false;
    *value = foi_op_any((foi_op)op, a->range.lo, b->range.lo, 0);
    return isfinite(*value);
}

static void run(const foi_code *code, const foi_instruction *x, const foi_instruction *end,
                enclosed *r, double radius, foi_cases *k)
{
    for (uint32_t made = (uint32_t)MADE + (uint32_t)(x - code->list); x < end; x++, made++) {
        const enclosed *a = &r[x->a], *b = &r[x->b];
        uint32_t same = 0;
        enclosed y;
        double value;
        if (k->loop && is_number(a) && is_folded(x->op, a, b, &value)) {
            r[x->to] = constant(value, 0);
            r[x->to].same = made;
            continue;
        }
        switch (x->op) {
        case FOI_G_NEGATE:
            r[x->to] = negate(a);
            r[x->to].same = made;
            continue;
        case FOI_G_ADD: y = add(a, b); break;
        case FOI_G_SUBTRACT: y = are_one(r, x->a, x->b) ? constant(0, 0) : subtract(a, b); break;
        case FOI_G_MULTIPLY: y = a == b ? square(a) : multiply(a, b); break;
        case FOI_G_DIVIDE: y = divide(a, b); break;
        default:
            y = rare((foi_op)x->op, a, b, &r[x->c], radius);
            look_at_cases(k, x, r, &y);
            same = chosen(x, r);
            break;
        }
        tighten(&y, radius);
        y.same = same ? same : made;
        r[x->to] = y;
    }
}

static void run_from(const foi_instruction *x, const foi_code *code, foi_enclosed *r, double radius,
                     foi_cases *k)
{
    const foi_instruction *end = code->list + code->count;
    while (x < end && !k->lost) {
        const foi_instruction *stop = x;
        while (stop < end && stop->op != FOI_I_SOLVE) stop++;
        run(code, x, stop, r, radius, k);
        if (stop == end) break;
        const foi_loop_code *loop = &code->loops[stop->a];
        for (uint32_t i = 0; i < loop->count; i++) r[loop->unknown[i]] = anything(UNPROVED);
        x = stop + 1;
    }
}

static bool worth_cases(const foi_code *code, const foi_enclosed *r, const foi_cases *k)
{
    for (uint32_t i = 0; i < code->result_count && k->any; i++) {
        const enclosed *y = &r[code->results[i]];
        if (y->nature & JUMPS && foi_i_has_zero(y->range)) return true;
    }
    return false;
}

static void gather(const foi_code *code, const foi_enclosed *r, foi_enclosed *y, bool first)
{
    for (uint32_t i = 0; i < code->result_count; i++) {
        const enclosed *one = &r[code->results[i]];
        y[i] = first ? *one : hull(&y[i], one);
    }
}

// The first outcome's in the place of those without cases. The pieces need not meet.
static void gather_first(const foi_code *code, const foi_enclosed *r, foi_enclosed *y)
{
    for (uint32_t i = 0; i < code->result_count; i++) {
        uint32_t jumps = y[i].nature & JUMPS;
        y[i] = r[code->results[i]];
        y[i].nature |= jumps;
    }
}

static void give_constants(const foi_code *code, foi_enclosed *r)
{
    for (uint32_t i = 0; i < code->constant_count; i++)
        r[code->constant_at + i] = foi_enclosed_constant(code->constants[i]);
}

// Without cases.
static void run_plainly(const foi_code *code, foi_enclosed *r, double radius, foi_cases *k,
                        foi_enclosed *y)
{
    k->decide = k->lost = false;
    run_from(code->list, code, r, radius, k);
    gather(code, r, y, true);
}

void foi_code_enclose(const foi_code *code, foi_enclosed *r, double radius, foi_enclosed *y)
{
    foi_cases k = {.most = MOST_CASES};
    give_constants(code, r);
    run_plainly(code, r, radius, &k, y);
    if (!worth_cases(code, r, &k)) return;
    for (bool more = true; more; more = foi_next_leaf(&k) != NULL) {
        k.decide = true, k.level = 0;
        run_from(code->list, code, r, radius, &k);
        if (k.lost && k.leaves > 0) run_plainly(code, r, radius, &k, y);
        if (k.lost || !k.decide) return;
        if (k.leaves++ == 0)
            gather_first(code, r, y);
        else
            gather(code, r, y, false);
    }
}

void foi_loop_enclose(const foi_code *code, foi_enclosed *r, double radius)
{
    foi_cases k = {.loop = true};
    give_constants(code, r);
    run_from(code->list, code, r, radius, &k);
}

// Not bounded for one outcome, it is not bounded for all.
static bool is_bounded(const foi_code *code, const foi_enclosed *r)
{
    for (uint32_t i = 0; i < code->result_count; i++) {
        const enclosed *y = &r[code->results[i]];
        if (y->nature & ~(uint32_t)JUMPS || !foi_i_is_finite(y->range)) return false;
    }
    return true;
}

bool foi_loop_enclose_cases(const foi_code *code, foi_enclosed *r, double radius, foi_enclosed *y)
{
    foi_cases k = {.most = FOI_MOST_CASES, .loop = true, .decide = true};
    give_constants(code, r);
    // a register is made once: what stands before the place where ways part is there
    for (const foi_instruction *x = code->list; x; x = foi_next_leaf(&k)) {
        run_from(x, code, r, radius, &k);
        if (k.lost || k.leaves == MOST_LEAVES || !is_bounded(code, r)) return false;
        gather(code, r, y, k.leaves++ == 0);
    }
    return true;
}
