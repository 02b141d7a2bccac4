/// Polynomials as people write them: "0.5 * x^4 + 2 * x * y - p".
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/decimal.h"
#include "structure/formula.h"
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

/// A product that is not part of the polynomial yet, or what is left of a sum that is.
typedef struct product {
    double coefficient;
    size_t first; ///< of its factors in the list
    bool added;
} product;

/// The terms of the text go over a stack of products, whose factors lie in one list.
typedef struct reader {
    foi_polynomial *p;
    product stack[FOI_ARITHMETIC_STACK + 1], *end;
    uint32_t list[FACTORS];
    size_t count;
    fo_message *why;
} reader;

static fo_status no_polynomial(reader *r, const foi_term *t)
{
    return fo_fail(r->why, FO_ERROR_FORMAT,
                   "energy, column %u: expected a sum of products of powers, found '%s'", t->column,
                   foi_term_word(t->op));
}

static fo_status too_many(reader *r)
{
    return fo_fail(r->why, FO_ERROR_FORMAT,
                   "energy: expected at most %d factors in a term, found "
                   "more",
                   FACTORS);
}

static fo_status push(reader *r, const foi_term *t)
{
    *r->end++ = (product){t->op == FOI_TERM_NUMBER ? t->number : 1, r->count, false};
    if (t->op == FOI_TERM_NUMBER) return FO_OK;
    if (r->count == FACTORS) return too_many(r);
    r->list[r->count++] = (uint32_t)t->index;
    return FO_OK;
}

// x^3 is x three times.
static fo_status raise(reader *r, const foi_term *t)
{
    product *base = &r->end[-2], *power = &r->end[-1];
    double n = power->coefficient;
    if (power->added || power->first != r->count || base->added || base->coefficient != 1 ||
        power->first != base->first + 1 || !(n >= 0 && n == floor(n)))
        return no_polynomial(r, t);
    uint32_t variable = r->list[--r->count];
    r->end--;
    if (n > (double)(FACTORS - r->count)) return too_many(r);
    for (; n > 0; n--) r->list[r->count++] = variable;
    return FO_OK;
}

static fo_status add_last(reader *r)
{
    product *p = --r->end;
    size_t count = r->count - p->first;
    r->count = p->first;
    return foi_polynomial_add(r->p, p->coefficient, r->list + p->first, count, r->why);
}

// Both sides of a sum; the left one first, which may be there already.
static fo_status add_both(reader *r, const foi_term *t)
{
    product right = r->end[-1], *left = &r->end[-2];
    fo_status status = FO_OK;
    if (right.added) return no_polynomial(r, t);
    if (t->op == FOI_TERM_SUBTRACT) right.coefficient = -right.coefficient;
    if (!left->added)
        status = foi_polynomial_add(r->p, left->coefficient, r->list + left->first,
                                    right.first - left->first, r->why);
    r->end[-1] = right;
    if (status == FO_OK) status = add_last(r);
    r->count = left->first;
    left->added = true;
    return status;
}

static fo_status take(reader *r, const foi_term *t)
{
    product *last = &r->end[-1];
    switch (t->op) {
    case FOI_TERM_NUMBER:
    case FOI_TERM_NAME: return push(r, t);
    case FOI_TERM_POWER: return raise(r, t);
    case FOI_TERM_ADD:
    case FOI_TERM_SUBTRACT: return add_both(r, t);
    case FOI_TERM_NEGATE:
        last->coefficient = -last->coefficient;
        return last->added ? no_polynomial(r, t) : FO_OK;
    case FOI_TERM_MULTIPLY:
        if (last->added || last[-1].added) return no_polynomial(r, t);
        last[-1].coefficient *= last->coefficient;
        r->end--;
        return FO_OK;
    default: return no_polynomial(r, t);
    }
}

fo_status foi_polynomial_parse(foi_polynomial *p, const char *const *names, const char *text,
                               fo_message *why)
{
    reader r = {.p = p, .why = why};
    foi_energy_names known = {names, p->variables};
    const foi_arithmetic_scope scope = {&known, foi_energy_name, NULL, "", false};
    foi_arithmetic a;
    const char *at = text;
    r.end = r.stack;
    fo_status status = foi_arithmetic_read(&a, text, &at, &scope, p->allocator, why);
    if (status == FO_ERROR_FORMAT) fo_message_prefix(why, "energy, ");
    for (size_t i = 0; i < a.count && status == FO_OK; i++) status = take(&r, &a.terms[i]);
    if (status == FO_OK && !r.stack[0].added) status = add_last(&r);
    foi_arithmetic_destroy(&a, p->allocator);
    return status;
}
