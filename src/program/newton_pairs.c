/// The equations of a loop in pairs of doubles (pairs.h): residuals are right to some 100 bits of
/// their terms, and say how far each unknown is off.
///
/// What a function other than a root, exp or log makes of the second part is its slope times that:
/// such a function is known to the last place of a double, as everywhere else.
#include <math.h>
#include <string.h>

#include "program/newton.h"

static foi_pair whole(double hi)
{
    return foi_pair_whole(hi);
}

static foi_pair negative(foi_pair a)
{
    return foi_pair_negative(a);
}

foi_pair foi_pair_ratio(foi_pair a, foi_pair b)
{
    double first = a.hi / b.hi;
    if (!isfinite(first) || first == 0) return whole(first);
    foi_pair rest = foi_pair_add(a, negative(foi_pair_times(b, whole(first))));
    double second = rest.hi / b.hi;
    rest = foi_pair_add(rest, negative(foi_pair_times(b, whole(second))));
    return foi_pair_add(foi_pair_trim((foi_pair){first, second}), whole(rest.hi / b.hi));
}

static foi_pair root(foi_pair a)
{
    double z = foi_sqrt(a.hi);
    if (!(z > 0) || !isfinite(z)) return whole(z);
    foi_pair rest = foi_pair_add(a, negative(foi_pair_product(z, z)));
    return foi_pair_trim((foi_pair){z, rest.hi / (2 * z)});
}

// exp(a) = 2^k exp(r)^256, r = (a - k log 2) / 256, |r| < 0.0014: nine terms.
static foi_pair exponential(foi_pair a)
{
    static const foi_pair log2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
    double z = foi_exp(a.hi);
    if (!(fabs(a.hi) < 690)) return whole(z);
    double k = foi_floor(a.hi / log2.hi + 0.5);
    foi_pair r = foi_pair_add(a, negative(foi_pair_times(log2, whole(k)))), sum = whole(1);
    r.hi /= 256, r.lo /= 256;
    for (int n = 10; n > 1; n--) // exp(r) - 1 = r (1 + r/2 (1 + r/3 (...)))
        sum = foi_pair_add(whole(1), foi_pair_times(foi_pair_ratio(r, whole(n)), sum));
    sum = foi_pair_times(r, sum);
    for (int n = 0; n < 8; n++) // of what is added to 1: (1 + s)^2 - 1
        sum = foi_pair_add(foi_pair_times(sum, sum), foi_pair_add(sum, sum));
    sum = foi_pair_add(whole(1), sum);
    return (foi_pair){foi_times_power(sum.hi, (int)k), foi_times_power(sum.lo, (int)k)};
}

// One step of Newton's method for exp(z) = a.
static foi_pair logarithm(foi_pair a)
{
    double z = foi_log(a.hi);
    if (!isfinite(z)) return whole(z);
    foi_pair rest = foi_pair_times(a, exponential(whole(-z)));
    rest = foi_pair_add(rest, whole(-1));
    return foi_pair_trim((foi_pair){z, rest.hi - 0.5 * rest.hi * rest.hi + rest.lo});
}

static bool is_less(foi_pair a, foi_pair b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

// a^n for a small whole number n.
static foi_pair power(foi_pair a, double n)
{
    foi_pair z = whole(1);
    for (double k = 0; k < fabs(n); k++) z = foi_pair_times(z, a);
    return n < 0 ? foi_pair_ratio(whole(1), z) : z;
}

/// Derivatives by the first two operands.
typedef struct slopes {
    double a, b;
} slopes;

// Of what has no pairs of its own.
static slopes slopes_of(foi_op op, double a, double b, double z)
{
    double r = a * a + b * b;
    switch (op) {
    case FOI_G_POWER: return (slopes){a != 0 ? b * z / a : 0, a > 0 ? z * foi_log(a) : 0};
    case FOI_G_SIN: return (slopes){foi_cos(a), 0};
    case FOI_G_COS: return (slopes){-foi_sin(a), 0};
    case FOI_G_TAN: return (slopes){1 + z * z, 0};
    case FOI_G_ASIN: return (slopes){1 / foi_sqrt(1 - a * a), 0};
    case FOI_G_ACOS: return (slopes){-1 / foi_sqrt(1 - a * a), 0};
    case FOI_G_ATAN: return (slopes){1 / (1 + a * a), 0};
    case FOI_G_ATAN2: return (slopes){b / r, -a / r};
    case FOI_G_SINH: return (slopes){foi_cosh(a), 0};
    case FOI_G_COSH: return (slopes){foi_sinh(a), 0};
    case FOI_G_TANH: return (slopes){1 - z * z, 0};
    case FOI_G_LOG10: return (slopes){0.43429448190325182 / a, 0};
    case FOI_G_MOD:
    case FOI_G_REM: return (slopes){1, -(a - z) / b};
    case FOI_G_ALONG: return (slopes){foi_along(a, b + 1), 0};
    default: return (slopes){0, 0}; // steps and truths
    }
}

// The value in doubles, and the slope times what the operands have beyond them.
static foi_pair by_slope(foi_op op, foi_pair a, foi_pair b)
{
    double z = foi_op_apply(op, a.hi, b.hi, 0);
    if (a.lo == 0 && b.lo == 0) return whole(z);
    slopes s = slopes_of(op, a.hi, b.hi, z);
    double lo = (a.lo != 0 ? s.a * a.lo : 0) + (b.lo != 0 ? s.b * b.lo : 0);
    return isfinite(lo) ? foi_pair_trim((foi_pair){z, lo}) : whole(z);
}

// A curve in pieces.
static foi_pair along(foi_pair u, double which)
{
    double a[FOI_DEGREE + 1];
    const foi_cubic *p = foi_piece_at(u.hi, which);
    if (!p) return whole(NAN);
    uint32_t degree = foi_piece_rates(p, foi_pieces_order(which), a) - 1;
    foi_pair y = whole(a[degree]), h = foi_pair_add(u, whole(-p->x));
    while (degree-- > 0) y = foi_pair_add(whole(a[degree]), foi_pair_times(y, h));
    return y;
}

#ifdef FOI_SMALL // once
#define APPLY static __attribute__((noinline))
#else
#define APPLY FOI_CORE
#endif

APPLY foi_pair apply(foi_op op, foi_pair a, foi_pair b, foi_pair c)
{
    switch (op) {
    case FOI_G_CALLED: return a;
    case FOI_G_NEGATE: return negative(a);
    case FOI_G_ADD: return foi_pair_add(a, b);
    case FOI_G_SUBTRACT: return foi_pair_add(a, negative(b));
    case FOI_G_MULTIPLY: return foi_pair_times(a, b);
    case FOI_G_DIVIDE: return foi_pair_ratio(a, b);
    case FOI_G_ABS: return is_less(a, whole(0)) ? negative(a) : a;
    case FOI_G_MIN: return is_less(b, a) ? b : a;
    case FOI_G_MAX: return is_less(a, b) ? b : a;
    case FOI_G_IF: return a.hi != 0 ? b : c;
    case FOI_G_SQRT: return root(a);
    case FOI_G_EXP: return exponential(a);
    case FOI_G_LOG: return logarithm(a);
    case FOI_G_ALONG: return along(a, b.hi);
    case FOI_G_POWER:
        if (b.lo == 0 && b.hi == foi_floor(b.hi) && fabs(b.hi) <= 8) return power(a, b.hi);
        return by_slope(op, a, b);
    default: return by_slope(op, a, b);
    }
}

foi_pair foi_pair_apply(foi_op op, foi_pair a, foi_pair b, foi_pair c)
{
    return apply(op, a, b, c);
}

static inline foi_pair operand(const foi_instruction *x, uint32_t k, uint32_t from,
                               const foi_newton_state *w)
{
    bool inside = x->lanes & ((FOI_INSIDE_A | FOI_UNKNOWN_A) << k);
    if (inside) return (foi_pair){w->reach[from], w->error[from]};
    return (foi_pair){w->r[from], w->beyond ? w->beyond[from] : 0};
}

bool foi_newton_pairs(foi_newton_state *w, const double *low, double *residual)
{
    const foi_loop_code *l = w->loop;
    double *hi = w->reach, *lo = w->error;
    for (uint32_t i = 0; i < l->count; i++)
        hi[l->residual[i]] = w->r[l->residual[i]], lo[l->residual[i]] = 0;
    for (uint32_t i = 0; i < l->count; i++)
        hi[l->unknown[i]] = w->r[l->unknown[i]], lo[l->unknown[i]] = low[i];
    const foi_instruction *end = w->code->list + l->end;
    for (const foi_instruction *x = w->code->list + l->begin; x < end; x++) {
        if (x->op == FOI_G_OUTSIDE) return false; // nobody has its pairs
        foi_pair z = apply((foi_op)x->op, operand(x, 0, x->a, w), operand(x, 1, x->b, w),
                           operand(x, 2, x->c, w));
        hi[x->to] = z.hi, lo[x->to] = z.lo;
    }
    for (uint32_t i = 0; i < l->count; i++) residual[i] = hi[l->residual[i]] + lo[l->residual[i]];
    return true;
}

// ------------------------------------------------------------------------------------- derivatives

// d z from those of the operands.
static foi_pair derive(foi_op op, const foi_pair of[3], const foi_pair by[3], foi_pair z)
{
    const foi_pair a = of[0], b = of[1];
    slopes s;
    switch (op) {
    case FOI_G_CALLED: return by[0];
    case FOI_G_NEGATE: return negative(by[0]);
    case FOI_G_ADD: return foi_pair_add(by[0], by[1]);
    case FOI_G_SUBTRACT: return foi_pair_add(by[0], negative(by[1]));
    case FOI_G_MULTIPLY: return foi_pair_add(foi_pair_times(a, by[1]), foi_pair_times(by[0], b));
    case FOI_G_DIVIDE:
        return foi_pair_ratio(foi_pair_add(by[0], negative(foi_pair_times(z, by[1]))), b);
    case FOI_G_ABS: return is_less(a, whole(0)) ? negative(by[0]) : by[0];
    case FOI_G_MIN: return is_less(b, a) ? by[1] : by[0];
    case FOI_G_MAX: return is_less(a, b) ? by[1] : by[0];
    case FOI_G_IF: return a.hi != 0 ? by[1] : by[2];
    case FOI_G_SQRT: return foi_pair_ratio(by[0], foi_pair_add(z, z));
    case FOI_G_EXP: return foi_pair_times(z, by[0]);
    case FOI_G_LOG: return foi_pair_ratio(by[0], a);
    default: s = slopes_of(op, a.hi, b.hi, z.hi);
    }
    foi_pair first = by[0].hi != 0 ? foi_pair_times(whole(s.a), by[0]) : whole(0);
    foi_pair second = by[1].hi != 0 ? foi_pair_times(whole(s.b), by[1]) : whole(0);
    return foi_pair_add(first, second);
}

void foi_newton_pairs_slopes(const foi_newton_state *w, uint32_t by_register, foi_pair *slope,
                             foi_pair *column)
{
    const foi_loop_code *l = w->loop;
    for (uint32_t i = 0; i < l->count; i++) slope[l->residual[i]] = whole(0);
    for (uint32_t i = 0; i < l->count; i++)
        slope[l->unknown[i]] = whole(l->unknown[i] == by_register);
    const foi_instruction *end = w->code->list + l->end;
    for (const foi_instruction *x = w->code->list + l->begin; x < end; x++) {
        const uint32_t from[3] = {x->a, x->b, x->c};
        foi_pair of[3], by[3];
        bool any = false;
        for (uint32_t k = 0; k < 3; k++) {
            bool inside = x->lanes & ((FOI_INSIDE_A | FOI_UNKNOWN_A) << k);
            by[k] = inside ? slope[from[k]] : whole(from[k] == by_register);
            any |= by[k].hi != 0;
        }
        if (!any) { // most columns meet few lines
            slope[x->to] = whole(0);
            continue;
        }
        for (uint32_t k = 0; k < 3; k++) of[k] = operand(x, k, from[k], w);
        slope[x->to] = derive((foi_op)x->op, of, by, (foi_pair){w->reach[x->to], w->error[x->to]});
    }
    for (uint32_t i = 0; i < l->count; i++) column[i] = slope[l->residual[i]];
}

bool foi_newton_is_rounded(const foi_newton_state *w, const foi_instruction *x, uint32_t k)
{
    uint32_t from = foi_operand_of(x, k);
    bool inside = x->lanes & ((FOI_INSIDE_A | FOI_UNKNOWN_A) << k);
    bool constant = from - w->code->constant_at < w->code->constant_count;
    double value = w->r[from];
    return !inside && value != 0 && !(constant && value == foi_floor(value));
}
