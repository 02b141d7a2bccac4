/// Interval evaluation of a code: what its registers can be when what is given lies in boxes.
///
/// Every result is widened by one unit in the last place for + - * / and sqrt, which are rounded
/// correctly, and by four for the functions of the C library, whose error is below that. So the
/// bounds hold for the exact result and for the one that the machine computes.
#include <math.h>

#include "program/code.h"

typedef struct bounds {
    double lo, hi;
} bounds;

static const bounds everything = {-INFINITY, INFINITY};

static bounds wide(double lo, double hi)
{
    if (isnan(lo) || isnan(hi)) return everything;
    return (bounds){nextafter(lo, -INFINITY), nextafter(hi, INFINITY)};
}

static bounds wider(double lo, double hi)
{
    bounds b = wide(lo, hi);
    for (int i = 0; i < 3; i++) b = wide(b.lo, b.hi);
    return b;
}

static bounds within(bounds b, double lo, double hi)
{
    return (bounds){fmax(b.lo, lo), fmin(b.hi, hi)};
}

static double times(double a, double b)
{
    return a == 0 || b == 0 ? 0 : a * b; // 0 times infinity: the box ends there, it is not in it
}

static bounds multiply(bounds a, bounds b)
{
    double p = times(a.lo, b.lo), q = times(a.lo, b.hi), r = times(a.hi, b.lo),
           s = times(a.hi, b.hi);
    return wide(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

static bounds divide(bounds a, bounds b)
{
    if (b.lo <= 0 && b.hi >= 0) return everything;
    double p = a.lo / b.lo, q = a.lo / b.hi, r = a.hi / b.lo, s = a.hi / b.hi;
    if (isnan(p) || isnan(q) || isnan(r) || isnan(s)) return everything;
    return wide(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
}

// a times itself: never negative.
static bounds square(bounds a)
{
    double p = fabs(a.lo), q = fabs(a.hi);
    double least = a.lo <= 0 && a.hi >= 0 ? 0 : fmin(p, q), most = fmax(p, q);
    return within(wide(least * least, most * most), 0, INFINITY);
}

static bounds power(bounds a, bounds b)
{
    double n = b.lo;
    if (b.lo != b.hi) {
        if (!(a.lo > 0)) return everything;
        double p = pow(a.lo, b.lo), q = pow(a.lo, b.hi), r = pow(a.hi, b.lo), s = pow(a.hi, b.hi);
        return wider(fmin(fmin(p, q), fmin(r, s)), fmax(fmax(p, q), fmax(r, s)));
    }
    bool whole = n == floor(n);
    if (a.lo < 0 && (!whole || n < 0)) return everything;
    double p = pow(a.lo, n), q = pow(a.hi, n);
    if (a.lo < 0 && fmod(n, 2) == 0) {
        if (a.hi >= 0) return within(wider(0, fmax(p, q)), 0, INFINITY);
        return wider(q, p);
    }
    return wider(fmin(p, q), fmax(p, q));
}

// Whether a + 2 pi k, for some k, lies in the box; undecided counts as yes.
static bool meets(bounds x, double a)
{
    double turn = 6.283185307179586;
    double k = ceil((x.lo - a) / turn - 1e-9);
    return a + k * turn <= x.hi + 1e-9 * (1 + fabs(x.hi));
}

static bounds sine(bounds x, double shift)
{
    if (!(x.hi - x.lo < 6.2) || fabs(x.lo) > 1e8 || fabs(x.hi) > 1e8) return (bounds){-1, 1};
    double p = shift == 0 ? sin(x.lo) : cos(x.lo), q = shift == 0 ? sin(x.hi) : cos(x.hi);
    bounds b = within(wider(fmin(p, q), fmax(p, q)), -1, 1);
    if (meets(x, 1.5707963267948966 - shift)) b.hi = 1;
    if (meets(x, -1.5707963267948966 - shift)) b.lo = -1;
    return b;
}

static bounds tangent(bounds x)
{
    double half = 1.5707963267948966;
    if (!(x.hi - x.lo < 3) || fabs(x.lo) > 1e8 || fabs(x.hi) > 1e8) return everything;
    if (meets(x, half) || meets(x, -half)) return everything;
    return wider(tan(x.lo), tan(x.hi));
}

static bounds hyperbolic_cosine(bounds x)
{
    double p = cosh(x.lo), q = cosh(x.hi);
    double least = x.lo <= 0 && x.hi >= 0 ? 1 : fmin(p, q);
    return within(wider(least, fmax(p, q)), 1, INFINITY);
}

static bounds magnitude(bounds a)
{
    double p = fabs(a.lo), q = fabs(a.hi);
    return (bounds){a.lo <= 0 && a.hi >= 0 ? 0 : fmin(p, q), fmax(p, q)};
}

static bounds truth(bool can_be_false, bool can_be_true)
{
    return (bounds){can_be_false ? 0 : 1, can_be_true ? 1 : 0};
}

static bool maybe_false(bounds a)
{
    return a.lo <= 0 && a.hi >= 0;
}

static bool maybe_true(bounds a)
{
    return a.lo != 0 || a.hi != 0;
}

static bounds relation(foi_op op, bounds a, bounds b)
{
    bool apart = a.hi < b.lo || b.hi < a.lo, points = a.lo == a.hi && b.lo == b.hi;
    switch (op) {
    case FOI_G_LESS: return truth(a.hi >= b.lo, a.lo < b.hi);
    case FOI_G_LESS_EQUAL: return truth(a.hi > b.lo, a.lo <= b.hi);
    case FOI_G_GREATER: return truth(b.hi >= a.lo, b.lo < a.hi);
    case FOI_G_GREATER_EQUAL: return truth(b.hi > a.lo, b.lo <= a.hi);
    case FOI_G_EQUAL: return truth(!points || apart, !apart);
    case FOI_G_NOT_EQUAL: return truth(!apart, !points || apart);
    case FOI_G_NOT: return truth(maybe_true(a), maybe_false(a));
    case FOI_G_AND: return truth(maybe_false(a) || maybe_false(b), maybe_true(a) && maybe_true(b));
    default: return truth(maybe_false(a) && maybe_false(b), maybe_true(a) || maybe_true(b));
    }
}

static bounds choice(bounds a, bounds b, bounds c)
{
    if (!maybe_false(a)) return b;
    if (!maybe_true(a)) return c;
    return (bounds){fmin(b.lo, c.lo), fmax(b.hi, c.hi)};
}

static bounds modulo(foi_op op, bounds a, bounds b)
{
    bounds q = divide(a, b);
    if (op == FOI_G_QUOTIENT) return (bounds){trunc(q.lo), trunc(q.hi)};
    bounds whole =
        op == FOI_G_MOD ? (bounds){floor(q.lo), floor(q.hi)} : (bounds){trunc(q.lo), trunc(q.hi)};
    bounds part = multiply(whole, b);
    return wide(a.lo - part.hi, a.hi - part.lo);
}

static bounds rising(foi_op op, bounds a)
{
    return wider(foi_op_apply(op, a.lo, 0, 0), foi_op_apply(op, a.hi, 0, 0));
}

static bounds apply(foi_op op, bounds a, bounds b, bounds c)
{
    switch (op) {
    case FOI_G_NEGATE: return (bounds){-a.hi, -a.lo};
    case FOI_G_ADD: return wide(a.lo + b.lo, a.hi + b.hi);
    case FOI_G_SUBTRACT: return wide(a.lo - b.hi, a.hi - b.lo);
    case FOI_G_MULTIPLY: return multiply(a, b);
    case FOI_G_DIVIDE: return divide(a, b);
    case FOI_G_POWER: return power(a, b);
    case FOI_G_ABS: return magnitude(a);
    case FOI_G_SIGN: return (bounds){foi_sign(a.lo), foi_sign(a.hi)};
    case FOI_G_SQRT:
        return a.lo < 0 ? everything : within(wide(sqrt(a.lo), sqrt(a.hi)), 0, INFINITY);
    case FOI_G_MIN: return (bounds){fmin(a.lo, b.lo), fmin(a.hi, b.hi)};
    case FOI_G_MAX: return (bounds){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
    case FOI_G_MOD:
    case FOI_G_REM:
    case FOI_G_QUOTIENT: return modulo(op, a, b);
    case FOI_G_FLOOR: return (bounds){floor(a.lo), floor(a.hi)};
    case FOI_G_CEIL: return (bounds){ceil(a.lo), ceil(a.hi)};
    case FOI_G_SIN: return sine(a, 0);
    case FOI_G_COS: return sine(a, 1.5707963267948966);
    case FOI_G_TAN: return tangent(a);
    case FOI_G_ASIN: return a.lo < -1 || a.hi > 1 ? everything : rising(op, a);
    case FOI_G_ACOS: return a.lo < -1 || a.hi > 1 ? everything : wider(acos(a.hi), acos(a.lo));
    case FOI_G_COSH: return hyperbolic_cosine(a);
    case FOI_G_EXP: return within(rising(op, a), 0, INFINITY);
    case FOI_G_ATAN:
    case FOI_G_SINH:
    case FOI_G_TANH: return rising(op, a);
    case FOI_G_LOG:
    case FOI_G_LOG10: return a.lo <= 0 ? everything : rising(op, a);
    case FOI_G_ATAN2: return wider(-3.141592653589793, 3.141592653589793);
    case FOI_G_IF: return choice(a, b, c);
    default: return relation(op, a, b);
    }
}

static void run_bounds(const foi_instruction *x, const foi_instruction *end, double *lo, double *hi)
{
    for (; x < end; x++) {
        bounds a = {lo[x->a], hi[x->a]}, b = {lo[x->b], hi[x->b]}, c = {lo[x->c], hi[x->c]};
        bounds result = x->op == FOI_G_MULTIPLY && x->a == x->b ? square(a) : apply(x->op, a, b, c);
        lo[x->to] = result.lo, hi[x->to] = result.hi;
    }
}

void foi_code_bounds(const foi_code *code, double *lo, double *hi)
{
    const foi_instruction *x = code->list, *end = code->list + code->count;
    foi_code_constants(code, lo);
    foi_code_constants(code, hi);
    while (x < end) {
        const foi_instruction *stop = x;
        while (stop < end && stop->op != FOI_I_SOLVE) stop++;
        run_bounds(x, stop, lo, hi);
        if (stop == end) break;
        const foi_loop_code *loop = &code->loops[stop->a];
        for (uint32_t i = 0; i < loop->count; i++)
            lo[loop->unknown[i]] = -INFINITY, hi[loop->unknown[i]] = INFINITY;
        x = stop + 1;
    }
}
