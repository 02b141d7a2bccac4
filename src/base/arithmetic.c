#include "base/arithmetic.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "math/math.h"

enum { DEEPEST = 100, LONGEST_NAME = 256 };

// ---------------------------------------------------------------------------------------- meaning

// The same bits as a program's, and not a number where one argument is none: fmax and fmin would
// lose it.
static double larger(double a, double b)
{
    return b > a || b != b ? b : a;
}

static double smaller(double a, double b)
{
    return b < a || b != b ? b : a;
}

static double sign_of(double x)
{
    return isnan(x) ? x : (double)((x > 0) - (x < 0));
}

static const struct {
    const char *word;
    double (*one)(double);
    double (*two)(double, double);
} words[] = {
    [FOI_TERM_ADD] = {"+", NULL, NULL},
    [FOI_TERM_SUBTRACT] = {"-", NULL, NULL},
    [FOI_TERM_MULTIPLY] = {"*", NULL, NULL},
    [FOI_TERM_DIVIDE] = {"/", NULL, NULL},
    [FOI_TERM_POWER] = {"^", NULL, NULL},
    [FOI_TERM_LESS] = {"<", NULL, NULL},
    [FOI_TERM_LESS_EQUAL] = {"<=", NULL, NULL},
    [FOI_TERM_GREATER] = {">", NULL, NULL},
    [FOI_TERM_GREATER_EQUAL] = {">=", NULL, NULL},
    [FOI_TERM_NEGATE] = {"-", NULL, NULL},
    [FOI_TERM_ABS] = {"abs", fabs, NULL},
    [FOI_TERM_ACOS] = {"acos", foi_acos, NULL},
    [FOI_TERM_ASIN] = {"asin", foi_asin, NULL},
    [FOI_TERM_ATAN] = {"atan", foi_atan, NULL},
    [FOI_TERM_ATAN2] = {"atan2", NULL, foi_atan2},
    [FOI_TERM_COS] = {"cos", foi_cos, NULL},
    [FOI_TERM_COSH] = {"cosh", foi_cosh, NULL},
    [FOI_TERM_EXP] = {"exp", foi_exp, NULL},
    [FOI_TERM_LOG] = {"log", foi_log, NULL},
    [FOI_TERM_LOG10] = {"log10", foi_log10, NULL},
    [FOI_TERM_MAX] = {"max", NULL, larger},
    [FOI_TERM_MIN] = {"min", NULL, smaller},
    [FOI_TERM_SIGN] = {"sign", sign_of, NULL},
    [FOI_TERM_SIN] = {"sin", foi_sin, NULL},
    [FOI_TERM_SINH] = {"sinh", foi_sinh, NULL},
    [FOI_TERM_SQRT] = {"sqrt", foi_sqrt, NULL},
    [FOI_TERM_TAN] = {"tan", foi_tan, NULL},
    [FOI_TERM_TANH] = {"tanh", foi_tanh, NULL},
};
enum { OPS = sizeof words / sizeof words[0] };

int foi_term_arguments(foi_term_op op)
{
    if (op < FOI_TERM_NEGATE) return 0;
    return op == FOI_TERM_NEGATE || words[op].one ? 1 : 2;
}

const char *foi_term_word(foi_term_op op)
{
    return words[op].word ? words[op].word : "a value";
}

static double compare(foi_term_op op, double a, double b)
{
    if (isnan(a) || isnan(b)) return NAN;
    switch (op) {
    case FOI_TERM_LESS: return a < b;
    case FOI_TERM_LESS_EQUAL: return a <= b;
    case FOI_TERM_GREATER: return a > b;
    default: return a >= b;
    }
}

double foi_term_value(foi_term_op op, double a, double b)
{
    switch (op) {
    case FOI_TERM_NEGATE: return -a;
    case FOI_TERM_ADD: return a + b;
    case FOI_TERM_SUBTRACT: return a - b;
    case FOI_TERM_MULTIPLY: return a * b;
    case FOI_TERM_DIVIDE: return a / b;
    case FOI_TERM_POWER: return b == 2 ? a * a : foi_pow(a, b);
    default: break;
    }
    if (words[op].one) return words[op].one(a);
    return words[op].two ? words[op].two(a, b) : compare(op, a, b);
}

double foi_arithmetic_value(const foi_arithmetic *a, const double *names, const double *calls)
{
    double stack[FOI_ARITHMETIC_STACK + 1], *end = stack; // end: behind the last value
    for (const foi_term *t = a->terms; t < a->terms + a->count; t++) {
        if (t->op == FOI_TERM_NUMBER) {
            *end++ = t->number;
        } else if (t->op == FOI_TERM_NAME) {
            *end++ = names[t->index];
        } else if (t->op == FOI_TERM_CALL) {
            *end++ = calls[t->index];
        } else if (foi_term_arguments(t->op) == 1) {
            end[-1] = foi_term_value(t->op, end[-1], 0);
        } else {
            end--;
            end[-1] = foi_term_value(t->op, end[-1], end[0]);
        }
    }
    return stack[0];
}

void foi_arithmetic_destroy(foi_arithmetic *a, const fo_allocator *allocator)
{
    foi_free(allocator, a->terms);
    *a = (foi_arithmetic){0};
}

// ---------------------------------------------------------------------------------------- reading

/// One reading: where it stands, how deep it is, and how many values the terms so far leave.
typedef struct reader {
    foi_arithmetic *a;
    const char *text, **at;
    const foi_arithmetic_scope *scope;
    const fo_allocator *allocator;
    fo_message *why;
    int depth;  ///< of calls
    int nested; ///< in brackets
    int values;
} reader;

void foi_skip_spaces(const char **at)
{
    while (isspace((unsigned char)**at)) (*at)++;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t column(const reader *r, const char *at)
{
    return (size_t)(at - r->text) + 1;
}

// What stands there: a word or one character.
static fo_status expected(reader *r, const char *what)
{
    char found[32] = "";
    const char *at = *r->at;
    size_t length = *at != 0;
    while (is_letter(*at) && length < 20 && is_letter(at[length])) length++;
    while (length < 4 && ((unsigned char)at[length] & 0xc0) == 0x80) length++; // the rest of it
    foi_text_printable(at, length, found, sizeof found);
    return fo_fail(r->why, FO_ERROR_FORMAT, "column %zu: expected %s, found %s%s%s", column(r, at),
                   what, *at ? "'" : "", *at ? found : "the end", *at ? "'" : "");
}

static bool take(reader *r, const char *what)
{
    const char *at = *r->at;
    foi_skip_spaces(&at);
    size_t length = strlen(what);
    if (strncmp(at, what, length) != 0) return false;
    *r->at = at + length;
    return true;
}

// An operator. A sign may begin another element instead.
static bool take_operator(reader *r, const char *what)
{
    const char *before = *r->at;
    if (!take(r, what)) return false;
    const char *after = *r->at, *begin = after - strlen(what);
    bool sign = *what == '+' || *what == '-';
    bool apart = begin != before && *after && !isspace((unsigned char)*after);
    if (!(r->scope->element && sign && apart && !r->nested)) return true;
    *r->at = before;
    return false;
}

static fo_status put(reader *r, foi_term term)
{
    foi_arithmetic *a = r->a;
    if (!foi_array_room(r->allocator, &a->terms, &a->room, a->count + 1, sizeof *a->terms))
        return fo_fail(r->why, FO_ERROR_MEMORY, "no memory for an expression");
    a->terms[a->count++] = term;
    r->values += 1 - foi_term_arguments(term.op);
    if (r->values <= FOI_ARITHMETIC_STACK) return FO_OK;
    return expected(r, "less nesting");
}

static fo_status put_op(reader *r, foi_term_op op, const char *where)
{
    return put(r, (foi_term){.op = op, .column = (uint32_t)column(r, where)});
}

static fo_status comparison(reader *r);

static fo_status close_bracket(reader *r)
{
    if (take(r, ")")) return FO_OK;
    foi_skip_spaces(r->at);
    return expected(r, "an operator or ')'");
}

// How many arguments stand behind a bracket. Quoted names may have commas.
static int count_arguments(const char *at)
{
    int commas = 0, depth = 0;
    for (char quote = 0; *at && depth >= 0; at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"') {
            quote = quote ? 0 : *at;
        } else if (!quote) {
            depth += (*at == '(') - (*at == ')');
            commas += *at == ',' && depth == 0;
        }
    }
    return commas + 1;
}

static foi_term_op find_function(const char *name, int arguments)
{
    if (strcmp(name, "pow") == 0 && arguments == 2) return FOI_TERM_POWER;
    for (int op = FOI_TERM_ABS; op < OPS; op++)
        if (strcmp(name, words[op].word) == 0 && foi_term_arguments((foi_term_op)op) == arguments)
            return (foi_term_op)op;
    return FOI_TERM_NUMBER;
}

static fo_status read_arguments(reader *r, int count)
{
    fo_status status = FO_OK;
    r->nested++;
    for (int i = 0; i < count && status == FO_OK; i++) {
        if (i && !take(r, ",")) return expected(r, "an operator or ','");
        status = comparison(r);
    }
    r->nested--;
    return status == FO_OK ? close_bracket(r) : status;
}

static fo_status no_function(reader *r, const char *name, int arguments, const char *where)
{
    for (int other = 1; other <= 2; other++)
        if (find_function(name, other))
            return fo_fail(r->why, FO_ERROR_FORMAT, "column %zu: %s has %d argument%s, found %d",
                           column(r, where), name, other, other > 1 ? "s" : "", arguments);
    foi_nearest nearest = foi_nearest_to(name);
    for (int op = FOI_TERM_ABS; op < OPS; op++) foi_nearest_try(&nearest, words[op].word);
    return fo_fail(r->why, FO_ERROR_FORMAT, "column %zu: there is no function '%s'%s",
                   column(r, where), name, foi_nearest_hint(&nearest));
}

// The user's own calls come after functions of so many arguments: max(a, b) is the larger of two
// numbers, max(x) may be the largest value of a run.
static fo_status read_call(reader *r, const char *name, const char *where)
{
    bool known = false;
    size_t index = 0;
    int arguments = count_arguments(*r->at);
    foi_term_op op = find_function(name, arguments);
    if (op) {
        fo_status status = read_arguments(r, arguments);
        return status == FO_OK ? put_op(r, op, where) : status;
    }
    if (r->scope->call) {
        fo_status status = r->scope->call(r->scope->self, name, r->at, &index, &known, r->why);
        if (status != FO_OK) return status;
    }
    if (!known) return no_function(r, name, arguments, where);
    return put(r, (foi_term){FOI_TERM_CALL, (uint32_t)column(r, where), 0, index});
}

// Whether the name in quotes at `p` is one of Modelica, whose quotes belong to it: a part of a
// path, 'a b'.x, or in quotes itself, ''a b''.
static bool is_identifier(const char *p)
{
    const char *end = *p == '\'' && p[1] != '\'' ? strchr(p + 1, '\'') : NULL;
    return end && (end[1] == '.' || end[1] == '[');
}

// "springs[1].k", "[3]", m.'a b'.x, 'any text'; false: it does not end, or is too long.
static bool read_name(const char **at, char *name, size_t size)
{
    const char *p = *at;
    size_t length = 0;
    char quote = (*p == '\'' || *p == '"') && !is_identifier(p) ? *p++ : 0, until = quote;
    bool twice = quote == '\'' && *p == quote;
    if (twice) name[length++] = *p++;
    for (; until || is_letter(*p) || *p == '.' || *p == '[' ||
           (*p == '\'' && (!length || name[length - 1] == '.'));
         p++) {
        if (!*p || length + 2 >= size) return false;
        if (quote && *p == quote) break;
        if (!quote && until)
            until = *p == until ? 0 : until;
        else if (!quote && (*p == '[' || *p == '\''))
            until = *p == '[' ? ']' : '\'';
        name[length++] = *p;
    }
    if (twice) name[length++] = *p++;
    name[length] = 0;
    *at = quote && (!twice || *p == quote) ? p + 1 : p;
    return length > 0 && (!twice || p[0] == quote);
}

// What a name stands for. One in quotes may have them because it has spaces, or because it is one
// of Modelica, where they belong to it.
static fo_status find_name(reader *r, const char *name, bool quoted, size_t *index, fo_message *why)
{
    char identifier[LONGEST_NAME + 2];
    snprintf(identifier, sizeof identifier, "'%s'", name);
    if (quoted && r->scope->name(r->scope->self, name, index, NULL) != FO_OK &&
        r->scope->name(r->scope->self, identifier, index, NULL) == FO_OK)
        return FO_OK;
    return r->scope->name(r->scope->self, name, index, why);
}

static fo_status read_named(reader *r, const char *where)
{
    char name[LONGEST_NAME];
    size_t index = 0;
    bool quoted = *where == '\'' || *where == '"';
    if (!read_name(r->at, name, sizeof name)) return expected(r, "a name that ends");
    bool apart = r->scope->element && !r->nested && **r->at != '('; // "a (b)" is two elements
    if (!quoted && !apart && take(r, "(")) return read_call(r, name, where);
    bool constant = !quoted && strcmp(name, "pi") == 0;
    fo_status status = find_name(r, name, quoted, &index, constant ? NULL : r->why);
    if (constant && status != FO_OK && status != FO_ERROR_MEMORY)
        return put(r, (foi_term){.number = 3.14159265358979323846});
    if (status == FO_OK)
        return put(r, (foi_term){FOI_TERM_NAME, (uint32_t)column(r, where), 0, index});
    foi_skip_spaces(r->at);
    if (find_function(name, 1) || find_function(name, 2))
        return expected(r, "'(' after the name of a function");
    fo_message_prefix(r->why, "column %zu: ", column(r, where));
    return status;
}

static fo_status read_number(reader *r)
{
    char *end;
    double value = strtod(*r->at, &end);
    if (end == *r->at) return expected(r, "a number");
    if (!isfinite(value)) return expected(r, "a number below 1.8e308");
    const char *where = *r->at;
    *r->at = end;
    return put(r, (foi_term){FOI_TERM_NUMBER, (uint32_t)column(r, where), value, 0});
}

static fo_status read_value(reader *r)
{
    foi_skip_spaces(r->at);
    char c = **r->at;
    if (isdigit((unsigned char)c) || c == '.') return read_number(r);
    if (is_letter(c) || c == '[' || c == '\'' || c == '"') return read_named(r, *r->at);
    if (!take(r, "(")) return expected(r, "a number, a name or '('");
    r->nested++;
    fo_status status = comparison(r);
    r->nested--;
    return status == FO_OK ? close_bracket(r) : status;
}

static fo_status read_sign(reader *r);

static fo_status read_power(reader *r)
{
    fo_status status = read_value(r);
    if (status != FO_OK || !take_operator(r, "^")) return status;
    const char *where = *r->at - 1;
    status = read_sign(r);
    return status == FO_OK ? put_op(r, FOI_TERM_POWER, where) : status;
}

static fo_status read_sign(reader *r)
{
    fo_status status;
    if (++r->depth > DEEPEST) return expected(r, "less nesting");
    if (take(r, "-")) {
        const char *where = *r->at - 1;
        status = read_sign(r);
        if (status == FO_OK) status = put_op(r, FOI_TERM_NEGATE, where);
    } else {
        status = take(r, "+") ? read_sign(r) : read_power(r);
    }
    r->depth--;
    return status;
}

static fo_status product(reader *r)
{
    fo_status status = read_sign(r);
    while (status == FO_OK) {
        foi_term_op op = take_operator(r, "*")   ? FOI_TERM_MULTIPLY
                         : take_operator(r, "/") ? FOI_TERM_DIVIDE
                                                 : FOI_TERM_NUMBER;
        if (!op) break;
        const char *where = *r->at - 1;
        status = read_sign(r);
        if (status == FO_OK) status = put_op(r, op, where);
    }
    return status;
}

static fo_status sum(reader *r)
{
    fo_status status = product(r);
    while (status == FO_OK) {
        foi_term_op op = take_operator(r, "+")   ? FOI_TERM_ADD
                         : take_operator(r, "-") ? FOI_TERM_SUBTRACT
                                                 : FOI_TERM_NUMBER;
        if (!op) break;
        const char *where = *r->at - 1;
        status = product(r);
        if (status == FO_OK) status = put_op(r, op, where);
    }
    return status;
}

static fo_status comparison(reader *r)
{
    fo_status status = sum(r);
    if (status != FO_OK) return status;
    foi_term_op op = take_operator(r, "<=")   ? FOI_TERM_LESS_EQUAL
                     : take_operator(r, ">=") ? FOI_TERM_GREATER_EQUAL
                     : take_operator(r, "<")  ? FOI_TERM_LESS
                     : take_operator(r, ">")  ? FOI_TERM_GREATER
                                              : FOI_TERM_NUMBER;
    if (!op) return FO_OK;
    const char *where = *r->at - 1;
    status = sum(r);
    return status == FO_OK ? put_op(r, op, where) : status;
}

fo_status foi_arithmetic_read(foi_arithmetic *a, const char *text, const char **at,
                              const foi_arithmetic_scope *scope, const fo_allocator *allocator,
                              fo_message *why)
{
    reader r = {.a = a, .text = text, .at = at, .scope = scope, .allocator = allocator, .why = why};
    *a = (foi_arithmetic){0};
    fo_status status = comparison(&r);
    if (!scope->element) foi_skip_spaces(at);
    if (status == FO_OK && **at && !strchr(scope->ends, **at))
        status = expected(&r, "an operator or the end");
    return status;
}
