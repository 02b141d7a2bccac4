#include "diagram/document/expression.h"
#include "math/math.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { DEEPEST = 64, LONGEST_NAME = 64 };

typedef struct parser {
    const char *at;
    fo_variables names;
    int depth;  ///< of calls
    int nested; ///< in brackets: spaces mean nothing there
    char *wrong;
    size_t size;
    bool failed;
} parser;

__attribute__((format(printf, 2, 3))) static double fail(parser *p, const char *format, ...)
{
    va_list arguments;
    if (p->failed) return 0;
    p->failed = true;
    va_start(arguments, format);
    vsnprintf(p->wrong, p->size, format, arguments);
    va_end(arguments);
    return 0;
}

static void skip(parser *p)
{
    while (isspace((unsigned char)*p->at)) p->at++;
}

static double sum(parser *p);

// ----------------------------------------------------------------------------------------- names

// The same bits as a program's (equations/ops.h), and not a number where one argument is none: fmax
// and fmin would lose it.
static double larger(double a, double b)
{
    return b > a || b != b ? b : a;
}

static double smaller(double a, double b)
{
    return b < a || b != b ? b : a;
}

static const struct {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} functions[] = {
    {"abs", fabs, NULL},        {"acos", foi_acos, NULL},   {"asin", foi_asin, NULL},
    {"atan", foi_atan, NULL},   {"atan2", NULL, foi_atan2}, {"cos", foi_cos, NULL},
    {"cosh", foi_cosh, NULL},   {"exp", foi_exp, NULL},     {"log", foi_log, NULL},
    {"log10", foi_log10, NULL}, {"max", NULL, larger},      {"min", NULL, smaller},
    {"pow", NULL, foi_pow},     {"sin", foi_sin, NULL},     {"sinh", foi_sinh, NULL},
    {"sqrt", foi_sqrt, NULL},   {"tan", foi_tan, NULL},     {"tanh", foi_tanh, NULL},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static bool closes(parser *p, char bracket)
{
    skip(p);
    if (*p->at != bracket) {
        fail(p, "expected '%c' before '%.20s'", bracket, p->at);
        return false;
    }
    p->at++;
    return true;
}

static double call(parser *p, const char *name)
{
    double arguments[2] = {0, 0};
    size_t i = 0;
    while (i < FUNCTIONS && strcmp(functions[i].name, name) != 0) i++;
    if (i == FUNCTIONS) return fail(p, "there is no function '%s'", name);
    p->nested++;
    arguments[0] = sum(p);
    if (functions[i].two && closes(p, ',')) arguments[1] = sum(p);
    closes(p, ')');
    p->nested--;
    if (p->failed) return 0;
    return functions[i].one ? functions[i].one(arguments[0])
                            : functions[i].two(arguments[0], arguments[1]);
}

static double value_of(parser *p, const char *name)
{
    foi_nearest nearest = foi_nearest_to(name);
    for (size_t i = 0; i < p->names.count; i++) {
        if (strcmp(p->names.list[i].name, name) == 0) return p->names.list[i].start;
        foi_nearest_try(&nearest, p->names.list[i].name);
    }
    if (strcmp(name, "pi") == 0) return 3.14159265358979323846;
    return fail(p, "there is no parameter '%s'%s", name, foi_nearest_hint(&nearest));
}

static double named(parser *p)
{
    char name[LONGEST_NAME];
    size_t length = 0;
    while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_') length++;
    if (length >= sizeof name) return fail(p, "'%.20s...' is too long for a name", p->at);
    memcpy(name, p->at, length);
    name[length] = 0;
    p->at += length;
    if (*p->at != '(') return value_of(p, name);
    p->at++;
    return call(p, name);
}

// ----------------------------------------------------------------------------------- expressions

static double atom(parser *p)
{
    char *end;
    skip(p);
    if (isalpha((unsigned char)*p->at) || *p->at == '_') return named(p);
    if (isdigit((unsigned char)*p->at) || *p->at == '.') {
        double value = strtod(p->at, &end);
        if (end == p->at) return fail(p, "'%.20s' is not a number", p->at);
        p->at = end;
        return value;
    }
    if (*p->at != '(') return fail(p, "expected a number, a name or '(' before '%.20s'", p->at);
    p->at++;
    p->nested++;
    double value = sum(p);
    closes(p, ')');
    p->nested--;
    return value;
}

// The sign binds less than "^": -2^2 = -4, as in mathematics.
static double power(parser *p)
{
    if (++p->depth > DEEPEST) return fail(p, "nested more than %d deep", DEEPEST);
    skip(p);
    double value;
    if (*p->at == '-' || *p->at == '+') {
        bool minus = *p->at++ == '-';
        value = power(p);
        if (minus) value = -value;
    } else {
        value = atom(p);
        const char *before = p->at;
        skip(p);
        if (*p->at == '^') {
            p->at++;
            value = foi_pow(value, power(p));
        } else {
            p->at = before;
        }
    }
    p->depth--;
    return value;
}

// The next operator, one of the two; 0 and nothing read when there is none, or when it begins
// another element.
static char operator(parser *p, char one, char other)
{
    const char *before = p->at;
    skip(p);
    char c = *p->at;
    bool apart = before != p->at && !isspace((unsigned char)p->at[0]) && p->at[0] &&
                 !isspace((unsigned char)p->at[1]);
    bool sign = c == '+' || c == '-';
    if (c && (c == one || c == other) && !(sign && apart && !p->nested)) {
        p->at++;
        return c;
    }
    p->at = before;
    return 0;
}

static double product(parser *p)
{
    double value = power(p);
    for (char c; !p->failed && (c = operator(p, '*', '/'));) {
        double right = power(p);
        value = c == '*' ? value * right : value / right;
    }
    return value;
}

static double sum(parser *p)
{
    if (++p->depth > DEEPEST) return fail(p, "nested more than %d deep", DEEPEST);
    double value = product(p);
    for (char c; !p->failed && (c = operator(p, '+', '-'));) {
        double right = product(p);
        value = c == '+' ? value + right : value - right;
    }
    p->depth--;
    return value;
}

// Goes over the text; with `data` also stores.
static bool scan(parser *p, foi_array *a)
{
    uint32_t in_row = 0, count = 0;
    a->rows = 1;
    for (skip(p);; skip(p)) {
        if (*p->at == ',' || !*p->at) {
            if (a->rows == 1) a->cols = in_row;
            if (in_row != a->cols || !in_row)
                fail(p, "row %u has %u numbers, row 1 has %u", a->rows, in_row, a->cols);
            if (p->failed || !*p->at++) return !p->failed;
            a->rows++, in_row = 0;
            continue;
        }
        const char *from = p->at;
        double value = sum(p);
        if (!p->failed && !isfinite(value)) fail(p, "'%.20s' is %g", from, value);
        if (!p->failed && *p->at && *p->at != ',' && !isspace((unsigned char)*p->at))
            fail(p, "'%.20s' is not understood", p->at);
        if (count >= FOI_MAX_ELEMENTS) fail(p, "more than %d", FOI_MAX_ELEMENTS);
        if (p->failed) return false;
        if (a->data) a->data[count] = value;
        count++, in_row++;
    }
}

bool foi_expression_parse(foi_arena *arena, const char *text, fo_variables names, foi_array *a,
                          char *wrong, size_t size)
{
    parser p = {.at = text, .names = names, .wrong = wrong, .size = size}, again = p;
    *a = (foi_array){.kind = FOI_SIGNAL_REAL};
    if (!scan(&p, a)) return false;
    a->data = foi_arena_new(arena, foi_array_width(a), sizeof(double));
    if (a->data) return scan(&again, a);
    snprintf(wrong, size, "no memory");
    return false;
}
