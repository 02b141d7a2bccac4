/// Random codes and curves for the tests of enclosures, and the truth about them.
///
/// The truth is computed in long double: values and derivatives by the text-book rules of each
/// operation, along the exact polynomial. A platform whose long double is no wider than double has
/// the computed function only.
#ifndef ENCLOSE_RIG_H
#define ENCLOSE_RIG_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program/enclose.h"
#include "solver/solver.h"
#include "test.h"

typedef long double wide;

// ---------------------------------------------------------------------------------------- chance

typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t roll(dice *d)
{
    uint64_t z = d->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline double between(dice *d, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(roll(d) >> 11) * 0x1p-53);
}

static inline uint32_t one_of(dice *d, uint32_t count)
{
    return (uint32_t)(roll(d) % count);
}

/// Numbers where something happens, and others of all sizes.
static inline double number(dice *d)
{
    static const double known[] = {0,
                                   -0.0,
                                   1,
                                   -1,
                                   2,
                                   -2,
                                   0.5,
                                   -0.5,
                                   3,
                                   1.5707963267948966,
                                   3.141592653589793,
                                   6.283185307179586,
                                   10,
                                   1e8,
                                   -1e8,
                                   1e-8,
                                   1e300,
                                   -1e300,
                                   1e-300,
                                   -1e-300,
                                   0x1p-1074,
                                   -0x1p-1074,
                                   DBL_MAX,
                                   -DBL_MAX,
                                   DBL_MIN,
                                   700,
                                   -745};
    switch (one_of(d, 4)) {
    case 0: return known[one_of(d, sizeof known / sizeof *known)];
    case 1: return between(d, -4, 4);
    case 2: return (double)((int)one_of(d, 17) - 8) / 2;
    default: return ldexp(between(d, -1, 1), (int)one_of(d, 60) - 30);
    }
}

// ----------------------------------------------------------------------------------------- truth

/// A value, its derivative, and the sum of the absolute values of what the derivative consists of.
typedef struct dual {
    wide v, d, size;
} dual;

static inline wide wide_value(foi_op op, wide a, wide b, wide c)
{
    switch (op) {
    case FOI_G_NEGATE: return -a;
    case FOI_G_ADD: return a + b;
    case FOI_G_SUBTRACT: return a - b;
    case FOI_G_MULTIPLY: return a * b;
    case FOI_G_DIVIDE: return a / b;
    case FOI_G_POWER: return powl(a, b);
    case FOI_G_ABS: return fabsl(a);
    case FOI_G_SIGN: return (a > 0) - (a < 0);
    case FOI_G_SQRT: return sqrtl(a);
    case FOI_G_MIN: return b < a ? b : a;
    case FOI_G_MAX: return b > a ? b : a;
    case FOI_G_MOD: return a - floorl(a / b) * b;
    case FOI_G_REM: return a - truncl(a / b) * b;
    case FOI_G_QUOTIENT: return truncl(a / b);
    case FOI_G_FLOOR: return floorl(a);
    case FOI_G_CEIL: return ceill(a);
    case FOI_G_SIN: return sinl(a);
    case FOI_G_COS: return cosl(a);
    case FOI_G_TAN: return tanl(a);
    case FOI_G_ASIN: return asinl(a);
    case FOI_G_ACOS: return acosl(a);
    case FOI_G_ATAN: return atanl(a);
    case FOI_G_ATAN2: return atan2l(a, b);
    case FOI_G_SINH: return sinhl(a);
    case FOI_G_COSH: return coshl(a);
    case FOI_G_TANH: return tanhl(a);
    case FOI_G_EXP: return expl(a);
    case FOI_G_LOG: return logl(a);
    case FOI_G_LOG10: return log10l(a);
    case FOI_G_LOST: return 0; // nothing is, where nothing is rounded
    case FOI_G_LESS: return a < b;
    case FOI_G_LESS_EQUAL: return a <= b;
    case FOI_G_GREATER: return a > b;
    case FOI_G_GREATER_EQUAL: return a >= b;
    case FOI_G_EQUAL: return a == b;
    case FOI_G_NOT_EQUAL: return a != b;
    case FOI_G_NOT: return a == 0;
    case FOI_G_AND: return a != 0 && b != 0;
    case FOI_G_OR: return a != 0 || b != 0;
    case FOI_G_IF: return a != 0 ? b : c;
    default: return NAN;
    }
}

/// The partial derivatives; NAN where there is none, or none is wanted.
static inline void wide_partials(foi_op op, wide a, wide b, wide v, wide by[2])
{
    by[0] = by[1] = 0;
    switch (op) {
    case FOI_G_NEGATE: by[0] = -1; break;
    case FOI_G_ADD: by[0] = by[1] = 1; break;
    case FOI_G_SUBTRACT: by[0] = 1, by[1] = -1; break;
    case FOI_G_MULTIPLY: by[0] = b, by[1] = a; break;
    case FOI_G_DIVIDE: by[0] = 1 / b, by[1] = -a / (b * b); break;
    case FOI_G_POWER:
        by[0] = b == 0 ? 0 : b * powl(a, b - 1);
        by[1] = a > 0 ? v * logl(a) : NAN;
        break;
    case FOI_G_ABS: by[0] = a > 0 ? 1 : a < 0 ? -1 : NAN; break;
    case FOI_G_SIGN: by[0] = a == 0 ? NAN : 0; break;
    case FOI_G_SQRT: by[0] = 0.5L / v; break;
    case FOI_G_MIN: by[b < a] = a == b ? NAN : 1; break;
    case FOI_G_MAX: by[b > a] = a == b ? NAN : 1; break;
    case FOI_G_MOD: by[0] = 1, by[1] = -floorl(a / b); break;
    case FOI_G_REM: by[0] = 1, by[1] = -truncl(a / b); break;
    case FOI_G_FLOOR:
    case FOI_G_CEIL: by[0] = a == floorl(a) ? NAN : 0; break;
    case FOI_G_SIN: by[0] = cosl(a); break;
    case FOI_G_COS: by[0] = -sinl(a); break;
    case FOI_G_TAN: by[0] = 1 + v * v; break;
    case FOI_G_ASIN: by[0] = 1 / sqrtl((1 - a) * (1 + a)); break;
    case FOI_G_ACOS: by[0] = -1 / sqrtl((1 - a) * (1 + a)); break;
    case FOI_G_ATAN: by[0] = 1 / (1 + a * a); break;
    case FOI_G_ATAN2: by[0] = b / (a * a + b * b), by[1] = -a / (a * a + b * b); break;
    case FOI_G_SINH: by[0] = coshl(a); break;
    case FOI_G_COSH: by[0] = sinhl(a); break;
    case FOI_G_TANH: by[0] = 1 / (coshl(a) * coshl(a)); break;
    case FOI_G_EXP: by[0] = v; break;
    case FOI_G_LOG: by[0] = 1 / a; break;
    case FOI_G_LOG10: by[0] = 1 / (a * logl(10)); break;
    default: break;
    }
}

static inline dual wide_apply(foi_op op, dual a, dual b, dual c)
{
    dual y = {.v = wide_value(op, a.v, b.v, c.v)};
    wide by[2];
    if (op == FOI_G_IF) return a.v != 0 ? b : c;
    wide_partials(op, a.v, b.v, y.v, by);
    if (foi_op_arity(op) < 2 || (b.d == 0 && b.size == 0)) by[1] = 0; // a constant exponent
    y.d = by[0] * a.d + by[1] * b.d;
    y.size = fabsl(by[0]) * a.size + fabsl(by[1]) * b.size;
    return y;
}

// ----------------------------------------------------------------------------------------- curves

enum { STATES = 3, MOST_CODE = 40, REGISTERS = 128, MOST_CONSTANTS = 6 };

typedef struct curve {
    foi_solver o;
    double coefficients[(FOI_DEGREE_MAX + 1) * STATES], x0[STATES], x1[STATES];
    double lo[STATES], hi[STATES], dlo[STATES], dhi[STATES], mlo[STATES], mhi[STATES];
    double a, b;
    fo_stretch on;
} curve;

static inline void make_stretch(curve *c, double a, double b)
{
    c->a = a, c->b = b;
    c->on = (fo_stretch){.x = {c->lo, c->hi}, .dx = {c->dlo, c->dhi}, .x_mid = {c->mlo, c->mhi}};
    foi_dense_stretch(&c->o, a, b, &c->on);
}

/// Random polynomials of a step, and a random stretch of it.
static inline void make_curve(dice *d, curve *c, bool wild)
{
    memset(c, 0, sizeof *c);
    c->o.n = STATES, c->o.degree = 1 + (int)one_of(d, 5);
    c->o.coefficients = c->coefficients, c->o.x0 = c->x0, c->o.x1 = c->x1;
    c->o.t0 = one_of(d, 3) ? between(d, -2, 2) : ldexp(between(d, -1, 1), (int)one_of(d, 40) - 10);
    double h = ldexp(between(d, 0.5, 1), -(int)one_of(d, 20));
    c->o.t1 = c->o.t0 + h;
    if (!(c->o.t1 > c->o.t0)) c->o.t1 = nextafter(c->o.t0, INFINITY);
    for (int j = 0; j <= c->o.degree; j++)
        for (int i = 0; i < STATES; i++) {
            double value = wild ? number(d) : between(d, -2, 2);
            if (wild && fabs(value) > 1e100) value *= 1e-200;
            if (one_of(d, 4) == 0) value = 0;
            c->coefficients[j * STATES + i] = value;
        }
    for (int i = 0; i < STATES; i++) {
        c->x0[i] = c->coefficients[i];
        for (int j = c->o.degree; j >= 0; j--) c->x1[i] += c->coefficients[j * STATES + i];
        if (one_of(d, 3) == 0) c->x1[i] = nextafter(c->x1[i], one_of(d, 2) ? 9e99 : -9e99);
    }
    double a = between(d, 0, 1), width = ldexp(between(d, 0.5, 1), -(int)one_of(d, 50));
    if (one_of(d, 4) == 0) a = 0;
    double b = a + width;
    if (b > 1 || one_of(d, 6) == 0) b = 1;
    make_stretch(c, a, b);
}

static inline double curve_time(const curve *c, double theta)
{
    return theta == 1 ? c->o.t1 : c->o.t0 + theta * (c->o.t1 - c->o.t0);
}

/// The exact state i at theta, with its derivative by time.
static inline dual curve_state(const curve *c, int i, wide theta)
{
    wide v = 0, d = 0, h = (wide)c->o.t1 - c->o.t0, size = 0;
    for (int j = c->o.degree; j >= 0; j--) {
        wide k = c->coefficients[j * STATES + i];
        d = d * theta + v;
        v = v * theta + k;
        if (j) size += fabsl(j * k);
    }
    return (dual){v, d / h, size / h};
}

// ------------------------------------------------------------------------------------------ codes

/// Registers: time | states | constants | results.
typedef struct sample {
    foi_code code;
    foi_instruction list[MOST_CODE];
    double constants[MOST_CONSTANTS];
    uint32_t result;
} sample;

static inline void begin_sample(sample *s)
{
    memset(s, 0, sizeof *s);
    s->code.list = s->list, s->code.constants = s->constants;
    s->code.constant_at = 1 + STATES;
    s->code.registers = REGISTERS;
}

static inline uint32_t add_constant(sample *s, double value)
{
    s->constants[s->code.constant_count] = value;
    return s->code.constant_at + s->code.constant_count++;
}

static inline uint32_t add_operation(sample *s, foi_op op, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t to = 1 + STATES + MOST_CONSTANTS + s->code.count;
    s->list[s->code.count++] =
        (foi_instruction){.op = (uint16_t)op, .to = to, .a = a, .b = b, .c = c};
    return s->result = to;
}

static inline void make_sample(dice *d, sample *s, uint32_t count)
{
    begin_sample(s);
    for (int i = 0; i < MOST_CONSTANTS; i++)
        add_constant(s, one_of(d, 2) ? between(d, -3, 3) : number(d));
    uint32_t given = 1 + STATES + MOST_CONSTANTS;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t have = given + k, from[3];
        for (int i = 0; i < 3; i++)
            from[i] =
                k && one_of(d, 3) == 0 ? have - 1 - one_of(d, k < 3 ? k : 3) : one_of(d, have);
        bool plain = one_of(d, 3) == 0;
        foi_op op = plain ? (foi_op)(FOI_G_ADD + one_of(d, 4))
                          : (foi_op)(FOI_G_NEGATE + one_of(d, FOI_G_OUTSIDE - FOI_G_NEGATE));
        add_operation(s, op, from[0], from[1], from[2]);
    }
}

/// The computed function at theta.
static inline double computed_at(const sample *s, const curve *c, double theta)
{
    double r[REGISTERS] = {0};
    r[0] = curve_time(c, theta);
    foi_dense_at(&c->o, theta, r + 1);
    memcpy(r + s->code.constant_at, s->constants, sizeof s->constants);
    for (uint32_t k = 0; k < s->code.count; k++) {
        const foi_instruction *x = &s->list[k];
        r[x->to] = foi_op_apply((foi_op)x->op, r[x->a], r[x->b], r[x->c]);
    }
    return r[s->result];
}

/// The exact one, and its derivative by time.
static inline dual exact_at(const sample *s, const curve *c, wide theta)
{
    dual r[REGISTERS] = {0};
    wide h = (wide)c->o.t1 - c->o.t0;
    r[0] = (dual){c->o.t0 + theta * h, 1, 1};
    for (int i = 0; i < STATES; i++) r[1 + i] = curve_state(c, i, theta);
    for (int i = 0; i < MOST_CONSTANTS; i++) r[s->code.constant_at + i].v = s->constants[i];
    for (uint32_t k = 0; k < s->code.count; k++) {
        const foi_instruction *x = &s->list[k];
        r[x->to] = wide_apply((foi_op)x->op, r[x->a], r[x->b], r[x->c]);
    }
    return r[s->result];
}

/// The enclosure of the result. The same that programs do with a stretch.
static inline foi_enclosed enclosed_on(const sample *s, const curve *c)
{
    foi_enclosed r[REGISTERS], y;
    r[0] = foi_enclosed_time(&c->on);
    for (uint32_t i = 0; i < STATES; i++) r[1 + i] = foi_enclosed_state(&c->on, i);
    foi_code code = s->code;
    uint32_t result = s->result;
    code.results = &result, code.result_count = 1;
    foi_code_enclose(&code, r, foi_stretch_radius(&c->on), &y);
    return y;
}

/// The same as code of a loop, by outcomes. False: it has no bounds.
static inline bool enclosed_by_outcomes(const sample *s, const curve *c, foi_enclosed *y)
{
    foi_enclosed r[REGISTERS];
    r[0] = foi_enclosed_time(&c->on);
    for (uint32_t i = 0; i < STATES; i++) r[1 + i] = foi_enclosed_state(&c->on, i);
    foi_code code = s->code;
    uint32_t result = s->result;
    code.results = &result, code.result_count = 1;
    return foi_loop_enclose_cases(&code, r, foi_stretch_radius(&c->on), y);
}

static inline void show_sample(const sample *s, const curve *c)
{
    static const char *const texts[] = {
#define TEXT(name, arity, text) #name,
        FOI_OPS(TEXT)
#undef TEXT
    };
    printf("t0 %a t1 %a theta [%a, %a] degree %d\n", c->o.t0, c->o.t1, c->a, c->b, c->o.degree);
    for (int i = 0; i < STATES; i++) {
        printf("  r%d:", i + 1);
        for (int j = 0; j <= c->o.degree; j++) printf(" %a", c->coefficients[j * STATES + i]);
        printf("\n");
    }
    for (int i = 0; i < MOST_CONSTANTS; i++)
        printf("  r%u = %a\n", s->code.constant_at + (uint32_t)i, s->constants[i]);
    for (uint32_t k = 0; k < s->code.count; k++) {
        const foi_instruction *x = &s->list[k];
        printf("  r%u = %s r%u r%u r%u\n", x->to, texts[x->op - FOI_G_NEGATE], x->a, x->b, x->c);
    }
}

#endif
