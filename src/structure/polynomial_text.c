/// Polynomials as people write them: "0.5 * x^4 + 2 * x * y - p".
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "structure/polynomial.h"

typedef struct out {
    char *text;
    size_t size, length;
} out;

static void put(out *o, const char *text)
{
    size_t length = strlen(text);
    if (o->length < o->size) {
        size_t fits = o->size - 1 - o->length;
        memcpy(o->text + o->length, text, length < fits ? length : fits);
        o->text[o->length + (length < fits ? length : fits)] = 0;
    }
    o->length += length;
}

static void put_factor(out *o, const char *const *names, foi_factor f)
{
    char text[32];
    if (names) {
        put(o, names[f.variable]);
    } else {
        snprintf(text, sizeof text, "[%u]", f.variable);
        put(o, text);
    }
    if (f.power < 2) return;
    snprintf(text, sizeof text, "^%u", f.power);
    put(o, text);
}

size_t foi_polynomial_print(const foi_polynomial *p, const char *const *names, char *text,
                            size_t size)
{
    out o = {text, size, 0};
    char number[32];
    if (size) *text = 0;
    if (!p->terms) put(&o, "0");
    for (size_t i = 0; i < p->terms; i++) {
        double c = p->coefficient[i];
        bool minus = signbit(c), bare = p->start[i] == p->start[i + 1];
        if (i) put(&o, minus ? " - " : " + ");
        if (!i && minus) put(&o, "-");
        foi_number_text(fabs(c), number);
        if (fabs(c) != 1 || bare) put(&o, number);
        for (size_t f = p->start[i]; f < p->start[i + 1]; f++) {
            if (f > p->start[i] || fabs(c) != 1) put(&o, " * ");
            put_factor(&o, names, p->factor[f]);
        }
    }
    return o.length;
}

// ------------------------------------------------------------------------------------- reading

enum { FACTORS = 256 };

typedef struct reader {
    const foi_polynomial *p;
    const char *const *names;
    const char *text, *at;
    uint32_t list[FACTORS];
    size_t count;
    fo_message *why;
} reader;

static fo_status wrong(reader *r, const char *expected)
{
    char found[8] = "the end";
    if (*r->at) snprintf(found, sizeof found, "'%c'", *r->at);
    return fo_fail(r->why, FO_ERROR_FORMAT, "energy, column %zu: expected %s, found %s",
                   (size_t)(r->at - r->text) + 1, expected, found);
}

static void skip(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n') r->at++;
}

static bool letter(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

// The longest run of letters that is a name.
static fo_status read_variable(reader *r, uint32_t *variable)
{
    if (*r->at == '[') {
        char *end;
        unsigned long v = strtoul(r->at + 1, &end, 10);
        if (!isdigit((unsigned char)r->at[1]) || *end != ']' || v >= r->p->variables)
            return wrong(r, "a variable's number in brackets");
        r->at = end + 1;
        *variable = (uint32_t)v;
        return FO_OK;
    }
    size_t length = 0;
    while (letter(r->at[length])) length++;
    for (uint32_t v = 0; r->names && v < r->p->variables; v++)
        if (strlen(r->names[v]) == length && memcmp(r->names[v], r->at, length) == 0) {
            r->at += length;
            *variable = v;
            return FO_OK;
        }
    return wrong(r, "a number or the name of a state");
}

static fo_status read_factor(reader *r, double *coefficient)
{
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        *coefficient *= strtod(r->at, &end);
        r->at = end;
        return FO_OK;
    }
    uint32_t variable = 0;
    unsigned long power = 1;
    fo_status status = read_variable(r, &variable);
    if (status != FO_OK) return status;
    skip(r);
    if (*r->at == '^') {
        r->at++;
        skip(r);
        char *end;
        if (!isdigit((unsigned char)*r->at)) return wrong(r, "a power");
        power = strtoul(r->at, &end, 10);
        if (power > FACTORS) return wrong(r, "a power of at most 256");
        r->at = end;
    }
    if (r->count + power > FACTORS) return wrong(r, "at most 256 factors in a term");
    while (power--) r->list[r->count++] = variable;
    return FO_OK;
}

// term = [ "-" ] factor { "*" factor }
static fo_status read_term(reader *r, double *coefficient)
{
    r->count = 0;
    for (;;) {
        skip(r);
        fo_status status = read_factor(r, coefficient);
        if (status != FO_OK) return status;
        skip(r);
        if (*r->at != '*') return FO_OK;
        r->at++;
    }
}

fo_status foi_polynomial_parse(foi_polynomial *p, const char *const *names, const char *text,
                               fo_message *why)
{
    reader r = {.p = p, .names = names, .text = text, .at = text, .why = why};
    double sign = 1;
    skip(&r);
    if (*r.at == '-' || *r.at == '+') sign = *r.at++ == '-' ? -1 : 1;
    for (;;) {
        double coefficient = sign;
        fo_status status = read_term(&r, &coefficient);
        if (status == FO_OK) status = foi_polynomial_add(p, coefficient, r.list, r.count, why);
        if (status != FO_OK) return status;
        if (!*r.at) return FO_OK;
        if (*r.at != '+' && *r.at != '-') return wrong(&r, "'*', '+', '-' or the end");
        sign = *r.at++ == '-' ? -1 : 1;
    }
}
