#include "analysis/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/math.h"

enum { NUMBER, SIGNAL, REDUCER, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER };
enum { LESS = POWER + 1, LESS_EQUAL, GREATER, GREATER_EQUAL, FUNCTION };

typedef struct function {
    const char *name;
    int arguments;
    double (*one)(double);
    double (*two)(double, double);
} function;

static double sign(double x)
{
    return (double)((x > 0) - (x < 0));
}

// NaN goes through: a signal that is not a number is not hidden by another that is.
static double lesser(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}

static double greater(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

static const function functions[] = {
    {"sin", 1, foi_sin, NULL},   {"cos", 1, foi_cos, NULL},     {"tan", 1, foi_tan, NULL},
    {"asin", 1, foi_asin, NULL}, {"acos", 1, foi_acos, NULL},   {"atan", 1, foi_atan, NULL},
    {"exp", 1, foi_exp, NULL},   {"log", 1, foi_log, NULL},     {"log10", 1, foi_log10, NULL},
    {"sqrt", 1, sqrt, NULL},     {"abs", 1, fabs, NULL},        {"sign", 1, sign, NULL},
    {"min", 2, NULL, lesser},    {"atan2", 2, NULL, foi_atan2}, {"max", 2, NULL, greater},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/// One reading: where it stands, and how much the machine's stack holds.
typedef struct reader {
    foi_expression *e;
    const char **at;
    const foi_scope *scope;
    const fo_allocator *allocator;
    fo_message *why;
    int depth, stack;
} reader;

void foi_skip_spaces(const char **at)
{
    while (isspace((unsigned char)**at)) (*at)++;
}

static bool take(reader *r, const char *what)
{
    foi_skip_spaces(r->at);
    size_t length = strlen(what);
    if (strncmp(*r->at, what, length) != 0) return false;
    *r->at += length;
    return true;
}

static fo_status put(reader *r, foi_term term, int grows)
{
    foi_expression *e = r->e;
    if ((e->count & (e->count - 1)) == 0) { // room is doubled at powers of two
        size_t room = e->count ? 2 * e->count : 1;
        foi_term *terms = foi_grow(r->allocator, e->terms, e->count, room, sizeof *terms);
        if (!terms) return fo_fail(r->why, FO_ERROR_MEMORY, "no memory for an expression");
        e->terms = terms;
    }
    e->terms[e->count++] = term;
    r->stack += grows;
    if (r->stack <= FOI_EXPRESSION_DEPTH) return FO_OK;
    return fo_fail(r->why, FO_ERROR_ARGUMENT, "an expression is nested too deeply");
}

static fo_status sum(reader *r);
static fo_status comparison(reader *r);

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '\'' || c == '"';
}

// Letters, digits, dots and indices in brackets: "springs[1].k", "der(x)" is not one.
bool foi_read_name(const char **at, char *name, size_t size)
{
    const char *p = *at;
    size_t length = 0;
    foi_skip_spaces(&p);
    char quote = *p == '\'' || *p == '"' ? *p++ : 0;
    while (*p && (quote ? *p != quote : isalnum((unsigned char)*p) || strchr("_.[]", *p))) {
        if (!quote && *p == '[')
            while (*p && *p != ']' && length + 1 < size) name[length++] = *p++;
        if (length + 1 >= size || !*p) return false;
        name[length++] = *p++;
    }
    if (quote && *p++ != quote) return false;
    name[length] = 0;
    *at = p;
    return length > 0;
}

static const function *find_function(const char *name, const char *at)
{
    int commas = 0, depth = 0;
    for (; *at && depth >= 0; at++) {
        depth += (*at == '(') - (*at == ')');
        commas += *at == ',' && depth == 0;
    }
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0 && functions[i].arguments == commas + 1)
            return &functions[i];
    return NULL;
}

static fo_status call_function(reader *r, const function *f)
{
    for (int i = 0; i < f->arguments; i++) {
        if (i && !take(r, ","))
            return fo_fail(r->why, FO_ERROR_ARGUMENT, "%s needs %d arguments", f->name,
                           f->arguments);
        fo_status status = comparison(r);
        if (status != FO_OK) return status;
    }
    if (!take(r, ")"))
        return fo_fail(r->why, FO_ERROR_ARGUMENT,
                       "expected ')' after the argument of %s, found '%s'", f->name, *r->at);
    size_t which = (size_t)(f - functions);
    return put(r, (foi_term){.op = FUNCTION, .index = which}, 1 - f->arguments);
}

static fo_status call(reader *r, const char *name)
{
    bool known = false;
    size_t index;
    // outside, max(x) is the largest value of a run and max(a, b) the larger of two numbers
    const function *f = find_function(name, *r->at);
    if (!f && r->scope->reducer) {
        fo_status status = r->scope->reducer(r->scope->self, name, r->at, &index, &known, r->why);
        if (status != FO_OK) return status;
        if (known) return put(r, (foi_term){.op = REDUCER, .index = index}, 1);
    }
    if (f) return call_function(r, f);
    return fo_fail(r->why, FO_ERROR_ARGUMENT,
                   "there is no function '%s' with so many arguments here", name);
}

static fo_status name_or_call(reader *r)
{
    char name[256];
    size_t index;
    bool quoted = **r->at == '\'' || **r->at == '"';
    if (!foi_read_name(r->at, name, sizeof name))
        return fo_fail(r->why, FO_ERROR_ARGUMENT, "a name does not end, or is too long");
    if (!quoted && take(r, "(")) return call(r, name);
    fo_status status = r->scope->signal(r->scope->self, name, &index, r->why);
    return status == FO_OK ? put(r, (foi_term){.op = SIGNAL, .index = index}, 1) : status;
}

static fo_status number(reader *r)
{
    char *end;
    double value = strtod(*r->at, &end);
    if (end == *r->at || !isfinite(value))
        return fo_fail(r->why, FO_ERROR_ARGUMENT, "expected a number or a name, found '%s'",
                       **r->at ? *r->at : "the end");
    *r->at = end;
    return put(r, (foi_term){.op = NUMBER, .number = value}, 1);
}

static fo_status primary(reader *r)
{
    foi_skip_spaces(r->at);
    if (is_name_start(**r->at)) return name_or_call(r);
    if (!take(r, "(")) return number(r);
    fo_status status = comparison(r);
    if (status == FO_OK && !take(r, ")"))
        return fo_fail(r->why, FO_ERROR_ARGUMENT, "expected ')', found '%s'", *r->at);
    return status;
}

static fo_status unary(reader *r);

// A power binds to the right, and more than the sign before it: -x^2 is -(x^2).
static fo_status power(reader *r)
{
    fo_status status = primary(r);
    if (status != FO_OK || !take(r, "^")) return status;
    status = unary(r);
    return status == FO_OK ? put(r, (foi_term){.op = POWER}, -1) : status;
}

static fo_status unary(reader *r)
{
    if (++r->depth > FOI_EXPRESSION_DEPTH)
        return fo_fail(r->why, FO_ERROR_ARGUMENT, "an expression is nested too deeply");
    fo_status status;
    if (take(r, "-")) {
        status = unary(r);
        if (status == FO_OK) status = put(r, (foi_term){.op = NEGATE}, 0);
    } else {
        take(r, "+");
        status = power(r);
    }
    r->depth--;
    return status;
}

static fo_status product(reader *r)
{
    fo_status status = unary(r);
    while (status == FO_OK) {
        int op = take(r, "*") ? MULTIPLY : take(r, "/") ? DIVIDE : 0;
        if (!op) break;
        status = unary(r);
        if (status == FO_OK) status = put(r, (foi_term){.op = op}, -1);
    }
    return status;
}

static fo_status sum(reader *r)
{
    fo_status status = product(r);
    while (status == FO_OK) {
        int op = take(r, "+") ? ADD : take(r, "-") ? SUBTRACT : 0;
        if (!op) break;
        status = product(r);
        if (status == FO_OK) status = put(r, (foi_term){.op = op}, -1);
    }
    return status;
}

static fo_status comparison(reader *r)
{
    fo_status status = sum(r);
    if (status != FO_OK) return status;
    int op = take(r, "<=")   ? LESS_EQUAL
             : take(r, ">=") ? GREATER_EQUAL
             : take(r, "<")  ? LESS
             : take(r, ">")  ? GREATER
                             : 0;
    if (!op) return FO_OK;
    status = sum(r);
    return status == FO_OK ? put(r, (foi_term){.op = op}, -1) : status;
}

fo_status foi_expression_read(foi_expression *e, const char **at, const foi_scope *scope,
                              const fo_allocator *allocator, fo_message *why)
{
    reader r = {.e = e, .at = at, .scope = scope, .allocator = allocator, .why = why};
    *e = (foi_expression){0};
    fo_status status = comparison(&r);
    foi_skip_spaces(at);
    if (status == FO_OK && **at && **at != ',' && **at != ')')
        status =
            fo_fail(why, FO_ERROR_ARGUMENT, "expected an operator or the end, found '%s'", *at);
    return status;
}

void foi_expression_destroy(foi_expression *e, const fo_allocator *allocator)
{
    foi_free(allocator, e->terms);
    *e = (foi_expression){0};
}

static double apply(int op, double a, double b)
{
    switch (op) {
    case ADD: return a + b;
    case SUBTRACT: return a - b;
    case MULTIPLY: return a * b;
    case DIVIDE: return a / b;
    case POWER: return b == 2 ? a * a : foi_pow(a, b);
    default: break;
    }
    if (isnan(a) || isnan(b)) return NAN;
    return op == LESS ? a < b : op == LESS_EQUAL ? a <= b : op == GREATER ? a > b : a >= b;
}

double foi_expression_value(const foi_expression *e, const double *signals, const double *reducers)
{
    double stack[FOI_EXPRESSION_DEPTH + 1], *end = stack; // end: behind the last value
    for (const foi_term *t = e->terms; t < e->terms + e->count; t++) {
        const function *f = t->op == FUNCTION ? &functions[t->index] : NULL;
        if (t->op == NUMBER)
            *end++ = t->number;
        else if (t->op == SIGNAL)
            *end++ = signals[t->index];
        else if (t->op == REDUCER)
            *end++ = reducers[t->index];
        else if (t->op == NEGATE)
            end[-1] = -end[-1];
        else if (f && f->one)
            end[-1] = f->one(end[-1]);
        else
            end--, end[-1] = f ? f->two(end[-1], end[0]) : apply(t->op, end[-1], end[0]);
    }
    return stack[0];
}
