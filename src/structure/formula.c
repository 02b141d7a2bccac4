// With v_i the values of the operations and H = v_n, w_i = dH/dv_i goes backwards from w_n = 1:
//
//     v_i = f(v_a):       w_a += w_i f'(v_a)
//     v_i = f(v_a, v_b):  w_a += w_i df/da,  w_b += w_i df/db
//
// A row of second derivatives is the derivative of all that along one variable: first forwards for
// the values (u_i = dv_i/dx_k), then backwards for the w_i (z_i = dw_i/dx_k).
#include "structure/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/array.h"
#include "base/text.h"
#include "math/math.h"

enum {
    NUMBER,
    VARIABLE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    NEGATE,
    POWER, ///< to a number
    SQRT,
    EXP,
    LOG,
    SIN,
    COS,
    TAN,
    ASIN,
    ACOS,
    ATAN,
    SINH,
    COSH,
    TANH
};

// -------------------------------------------------------------------------------------- computing

/// f, f' and f'' of one operation.
typedef struct derivatives {
    double value, first, second;
} derivatives;

static derivatives power_of(double x, double n)
{
    double second = n == 1 ? 0 : n * (n - 1) * foi_pow(x, n - 2);
    return (derivatives){foi_pow(x, n), n * foi_pow(x, n - 1), second};
}

static derivatives function_of(const foi_operation *o, double x)
{
    double v;
    switch (o->kind) {
    case NEGATE: return (derivatives){-x, -1, 0};
    case POWER: return power_of(x, o->number);
    case SQRT: v = sqrt(x); return (derivatives){v, 0.5 / v, -0.25 / (v * x)};
    case EXP: v = foi_exp(x); return (derivatives){v, v, v};
    case LOG: return (derivatives){foi_log(x), 1 / x, -1 / (x * x)};
    case SIN: v = foi_sin(x); return (derivatives){v, foi_cos(x), -v};
    case COS: v = foi_cos(x); return (derivatives){v, -foi_sin(x), -v};
    case TAN: v = foi_tan(x); return (derivatives){v, 1 + v * v, 2 * v * (1 + v * v)};
    case ASIN: v = 1 - x * x; return (derivatives){foi_asin(x), 1 / sqrt(v), x / (v * sqrt(v))};
    case ACOS: v = 1 - x * x; return (derivatives){foi_acos(x), -1 / sqrt(v), -x / (v * sqrt(v))};
    case ATAN: v = 1 + x * x; return (derivatives){foi_atan(x), 1 / v, -2 * x / (v * v)};
    case SINH: v = foi_sinh(x); return (derivatives){v, foi_cosh(x), v};
    case COSH: v = foi_cosh(x); return (derivatives){v, foi_sinh(x), v};
    default: v = foi_tanh(x); return (derivatives){v, 1 - v * v, -2 * v * (1 - v * v)};
    }
}

static void compute(const foi_formula *e, const double *x, double *v)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const foi_operation *o = &e->list[i];
        switch (o->kind) {
        case NUMBER: v[i] = o->number; break;
        case VARIABLE: v[i] = x[o->variable]; break;
        case ADD: v[i] = v[o->a] + v[o->b]; break;
        case SUBTRACT: v[i] = v[o->a] - v[o->b]; break;
        case MULTIPLY: v[i] = v[o->a] * v[o->b]; break;
        case DIVIDE: v[i] = v[o->a] / v[o->b]; break;
        default: v[i] = function_of(o, v[o->a]).value; break;
        }
    }
}

double foi_formula_value(const foi_formula *e, const double *x)
{
    double v[FOI_MOST_OPERATIONS];
    if (!e->count) return 0;
    compute(e, x, v);
    return v[e->count - 1];
}

void foi_formula_gradient(const foi_formula *e, const double *x, double *g)
{
    double v[FOI_MOST_OPERATIONS], w[FOI_MOST_OPERATIONS];
    if (!e->count) return;
    compute(e, x, v);
    memset(w, 0, e->count * sizeof *w);
    w[e->count - 1] = 1;
    for (uint32_t i = e->count; i-- > 0;) {
        const foi_operation *o = &e->list[i];
        switch (o->kind) {
        case NUMBER: break;
        case VARIABLE: g[o->variable] += w[i]; break;
        case ADD: w[o->a] += w[i], w[o->b] += w[i]; break;
        case SUBTRACT: w[o->a] += w[i], w[o->b] -= w[i]; break;
        case MULTIPLY: w[o->a] += w[i] * v[o->b], w[o->b] += w[i] * v[o->a]; break;
        case DIVIDE: w[o->a] += w[i] / v[o->b], w[o->b] -= w[i] * v[i] / v[o->b]; break;
        default: w[o->a] += w[i] * function_of(o, v[o->a]).first; break;
        }
    }
}

// u_i along variable k.
static void follow(const foi_formula *e, uint32_t k, const double *v, double *u)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const foi_operation *o = &e->list[i];
        switch (o->kind) {
        case NUMBER: u[i] = 0; break;
        case VARIABLE: u[i] = o->variable == k; break;
        case ADD: u[i] = u[o->a] + u[o->b]; break;
        case SUBTRACT: u[i] = u[o->a] - u[o->b]; break;
        case MULTIPLY: u[i] = u[o->a] * v[o->b] + v[o->a] * u[o->b]; break;
        case DIVIDE: u[i] = (u[o->a] - v[i] * u[o->b]) / v[o->b]; break;
        default: u[i] = function_of(o, v[o->a]).first * u[o->a]; break;
        }
    }
}

typedef struct sweep {
    double v[FOI_MOST_OPERATIONS], u[FOI_MOST_OPERATIONS];
    double w[FOI_MOST_OPERATIONS], z[FOI_MOST_OPERATIONS];
} sweep;

// w and z, backwards; `row` gets d2H/dx_k dx_j.
static void go_back(const foi_formula *e, sweep *s, double *row)
{
    double *v = s->v, *u = s->u, *w = s->w, *z = s->z;
    memset(w, 0, e->count * sizeof *w);
    memset(z, 0, e->count * sizeof *z);
    w[e->count - 1] = 1;
    for (uint32_t i = e->count; i-- > 0;) {
        const foi_operation *o = &e->list[i];
        uint16_t a = o->a, b = o->b;
        derivatives f;
        switch (o->kind) {
        case NUMBER: break;
        case VARIABLE: row[o->variable] += z[i]; break;
        case ADD: w[a] += w[i], w[b] += w[i], z[a] += z[i], z[b] += z[i]; break;
        case SUBTRACT: w[a] += w[i], w[b] -= w[i], z[a] += z[i], z[b] -= z[i]; break;
        case MULTIPLY:
            w[a] += w[i] * v[b], w[b] += w[i] * v[a];
            z[a] += z[i] * v[b] + w[i] * u[b], z[b] += z[i] * v[a] + w[i] * u[a];
            break;
        case DIVIDE:
            w[a] += w[i] / v[b], w[b] -= w[i] * v[i] / v[b];
            z[a] += (z[i] - w[i] * u[b] / v[b]) / v[b];
            z[b] -= (z[i] * v[i] + w[i] * (u[i] - v[i] * u[b] / v[b])) / v[b];
            break;
        default:
            f = function_of(o, v[a]);
            w[a] += w[i] * f.first;
            z[a] += z[i] * f.first + w[i] * f.second * u[a];
            break;
        }
    }
}

void foi_formula_second(const foi_formula *e, const double *x,
                        void (*take)(void *self, uint32_t a, uint32_t b, double value), void *self)
{
    sweep s;
    double *row = e->count ? foi_new(e->allocator, e->variables, sizeof *row) : NULL;
    if (e->count) compute(e, x, s.v);
    for (uint32_t k = 0; e->count && k < e->variables; k++) {
        if (!e->used[k]) continue;
        if (row) {
            memset(row, 0, e->variables * sizeof *row);
            follow(e, k, s.v, s.u);
            go_back(e, &s, row);
        }
        for (uint32_t j = k; j < e->variables; j++) // without memory: no number, which is noticed
            if (e->used[j]) take(self, k, j, row ? row[j] : NAN);
    }
    foi_free(e->allocator, row);
}

// ---------------------------------------------------------------------------------------- reading

/// Terms become operations: where the values of the terms so far are, as in a machine with a stack.
typedef struct reader {
    foi_formula *e;
    uint16_t stack[FOI_ARITHMETIC_STACK + 1], *end;
    fo_message *why;
    fo_status status;
} reader;

static uint16_t put(reader *r, foi_operation o)
{
    foi_formula *e = r->e;
    if (r->status) return 0;
    if (e->count == FOI_MOST_OPERATIONS) {
        r->status =
            fo_fail(r->why, FO_ERROR_FORMAT, "energy: expected at most %d operations, found more",
                    FOI_MOST_OPERATIONS);
        return 0;
    }
    size_t room = e->room;
    if (!foi_array_room(e->allocator, &e->list, &room, e->count + 1, sizeof *e->list)) {
        r->status = fo_fail(r->why, FO_ERROR_MEMORY, "no memory for an energy");
        return 0;
    }
    e->room = (uint32_t)room;
    e->list[e->count] = o;
    return (uint16_t)e->count++;
}

static uint16_t put_number(reader *r, double number)
{
    return put(r, (foi_operation){.kind = NUMBER, .number = number});
}

static uint16_t put_two(reader *r, uint8_t kind, uint16_t a, uint16_t b)
{
    return put(r, (foi_operation){.kind = kind, .a = a, .b = b});
}

static uint16_t put_one(reader *r, uint8_t kind, uint16_t a)
{
    return put(r, (foi_operation){.kind = kind, .a = a});
}

static uint16_t put_variable(reader *r, size_t variable)
{
    r->e->used[variable] = 1;
    return put(r, (foi_operation){.kind = VARIABLE, .variable = (uint32_t)variable});
}

// x^n by its own derivatives where n is a number, otherwise exp(n log(x)).
static uint16_t put_power(reader *r, uint16_t base, uint16_t power)
{
    if (r->status) return 0;
    const foi_operation *o = &r->e->list[power];
    double n = o->kind == NUMBER ? o->number : NAN;
    if (o->kind == NEGATE && r->e->list[o->a].kind == NUMBER) n = -r->e->list[o->a].number;
    if (n == 0) return put_number(r, 1);
    if (n == 1) return base;
    if (!isnan(n)) return put(r, (foi_operation){.kind = POWER, .a = base, .number = n});
    return put_one(r, EXP, put_two(r, MULTIPLY, power, put_one(r, LOG, base)));
}

// An energy needs two derivatives everywhere: comparisons, abs, max and the like have none.
static uint16_t no_derivative(reader *r, const foi_term *t)
{
    if (!r->status)
        r->status = fo_fail(r->why, FO_ERROR_FORMAT,
                            "energy, column %u: '%s' cannot stand in an energy, which needs two "
                            "derivatives everywhere",
                            t->column, foi_term_word(t->op));
    return 0;
}

static uint16_t put_term(reader *r, const foi_term *t)
{
    static const uint8_t kinds[] = {
        [FOI_TERM_NEGATE] = NEGATE, [FOI_TERM_ADD] = ADD,           [FOI_TERM_SUBTRACT] = SUBTRACT,
        [FOI_TERM_DIVIDE] = DIVIDE, [FOI_TERM_MULTIPLY] = MULTIPLY, [FOI_TERM_SQRT] = SQRT,
        [FOI_TERM_EXP] = EXP,       [FOI_TERM_LOG] = LOG,           [FOI_TERM_SIN] = SIN,
        [FOI_TERM_COS] = COS,       [FOI_TERM_TAN] = TAN,           [FOI_TERM_ASIN] = ASIN,
        [FOI_TERM_ACOS] = ACOS,     [FOI_TERM_ATAN] = ATAN,         [FOI_TERM_SINH] = SINH,
        [FOI_TERM_COSH] = COSH,     [FOI_TERM_TANH] = TANH,
    };
    int arguments = foi_term_arguments(t->op);
    r->end -= arguments;
    uint16_t a = r->end[0], b = arguments == 2 ? r->end[1] : 0;
    switch (t->op) {
    case FOI_TERM_NUMBER: return put_number(r, t->number);
    case FOI_TERM_NAME: return put_variable(r, t->index);
    case FOI_TERM_POWER: return put_power(r, a, b);
    case FOI_TERM_LOG10: return put_two(r, DIVIDE, put_one(r, LOG, a), put_number(r, foi_log(10)));
    default: break;
    }
    if (!kinds[t->op]) return no_derivative(r, t);
    return arguments == 2 ? put_two(r, kinds[t->op], a, b) : put_one(r, kinds[t->op], a);
}

fo_status foi_energy_name(void *self, const char *name, size_t *index, fo_message *why)
{
    const foi_energy_names *n = self;
    foi_nearest nearest = foi_nearest_to(name);
    char *end;
    for (*index = 0; n->names && *index < n->count; ++*index) {
        if (strcmp(n->names[*index], name) == 0) return FO_OK;
        foi_nearest_try(&nearest, n->names[*index]);
    }
    *index = isdigit((unsigned char)name[*name == '[']) ? strtoul(name + 1, &end, 10) : n->count;
    if (*name == '[' && *index < n->count && strcmp(end, "]") == 0) return FO_OK;
    if (*name == '[')
        return fo_fail(why, FO_ERROR_FORMAT, "expected [0] to [%u], found '%s'", n->count - 1,
                       name);
    return fo_fail(why, FO_ERROR_FORMAT, "there is no state '%s'%s", name,
                   foi_nearest_hint(&nearest));
}

fo_status foi_formula_parse(foi_formula *e, const char *const *names, const char *text,
                            fo_message *why)
{
    reader r = {.e = e, .why = why, .status = FO_OK};
    foi_energy_names known = {names, e->variables};
    const foi_arithmetic_scope scope = {&known, foi_energy_name, NULL, "", false};
    foi_arithmetic a;
    const char *at = text;
    e->used = foi_new(e->allocator, e->variables, 1);
    e->text = foi_copy_text(e->allocator, text);
    if (!e->used || !e->text) return fo_fail(why, FO_ERROR_MEMORY, "no memory for an energy");
    r.end = r.stack;
    r.status = foi_arithmetic_read(&a, text, &at, &scope, e->allocator, why);
    if (r.status == FO_ERROR_FORMAT) fo_message_prefix(why, "energy, ");
    for (size_t i = 0; i < a.count && !r.status; i++) {
        uint16_t value = put_term(&r, &a.terms[i]);
        *r.end++ = value;
    }
    foi_arithmetic_destroy(&a, e->allocator);
    // a name alone in brackets, or x^1, may not be the last that was put
    uint16_t last = r.stack[0];
    if (!r.status && last + 1u != e->count) put_two(&r, ADD, last, put_number(&r, 0));
    return r.status;
}

void foi_formula_destroy(foi_formula *e)
{
    foi_free(e->allocator, e->list);
    foi_free(e->allocator, e->text);
    foi_free(e->allocator, e->used);
    *e = (foi_formula){.allocator = e->allocator};
}
