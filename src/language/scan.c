/// Words and numbers in texts that are known before the run, as ModelicaStrings finds them: after
/// blanks; where there is none, the place is the one where it was looked for.
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "language/files.h"

enum { LONGEST_NUMBER = 100 };

static const char *known_text(const foi_value *v)
{
    return !v->record && !v->rank && v->type == FOI_STRING && v->one->op == FOI_OP_STRING
               ? v->one->text
               : NULL;
}

static bool known_number(foi_session *s, const foi_value *v, double *value)
{
    return !v->record && !v->rank && foi_known(s, v->one, true, value);
}

/// A text, and where something is looked for in it.
typedef struct scan {
    const char *text;
    double first; ///< as it was asked for, from 1
    size_t at;    ///< behind the blanks there
    double plain; ///< not 0: a number has no sign
} scan;

static bool begin(foi_session *s, foi_place place, const foi_value *v, bool number, scan *k)
{
    k->text = known_text(&v[0]), k->plain = 0;
    if (!k->text || !known_number(s, &v[1], &k->first) || k->first < 1 ||
        (number && !known_number(s, &v[2], &k->plain)))
        return foi_error(s, place, "the String must be known before the run");
    size_t length = strlen(k->text);
    k->at = k->first > (double)length ? length : (size_t)k->first - 1;
    while (isspace((unsigned char)k->text[k->at])) k->at++;
    return true;
}

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

static bool give_text(foi_session *s, const scan *k, const char *from, size_t length, size_t behind,
                      const foi_value **results, uint32_t *count)
{
    const char *own = foi_arena_text(&s->flat->arena, from, length);
    double next = behind ? (double)behind + 1 : k->first;
    return foi_give_two(s, foi_flat_integer(s->flat, next),
                        own ? foi_flat_text(s->flat, own) : NULL, results, count);
}

// Digits that are not the beginning of a Real.
static bool scan_integer(foi_session *s, foi_place place, const foi_value *v,
                         const foi_value **results, uint32_t *count)
{
    scan k;
    if (!begin(s, place, v, true, &k)) return false;
    const char *text = k.text + k.at;
    bool negative = k.plain == 0 && *text == '-';
    text += negative || (k.plain == 0 && *text == '+');
    size_t digits = digits_at(text);
    double value = 0;
    for (size_t i = 0; i < digits; i++) value = 10 * value + (text[i] - '0');
    bool good = digits > 0 && !strchr(".eE", text[digits] ? text[digits] : ' ');
    if (value > INT_MAX) good = false;
    double next = good ? (double)(text + digits - k.text) + 1 : k.first;
    value = !good ? 0 : negative ? -value : value;
    return foi_give_two(s, foi_flat_integer(s->flat, next), foi_flat_integer(s->flat, value),
                        results, count);
}

// [sign] digits [. digits] [e [sign] digits]: its length; 0: it is none.
static size_t real_length(const char *text, bool plain)
{
    const char *at = text + (*text == '+' || *text == '-');
    if (plain && at > text) return 0;
    at += digits_at(at);
    if (*at == '.') at += 1 + digits_at(at + 1);
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        if (!isdigit((unsigned char)*at)) return 0;
        at += digits_at(at);
    }
    return (size_t)(at - text);
}

static bool scan_real(foi_session *s, foi_place place, const foi_value *v,
                      const foi_value **results, uint32_t *count)
{
    char number[LONGEST_NUMBER], *end = number;
    double value = 0, next;
    scan k;
    if (!begin(s, place, v, true, &k)) return false;
    size_t length = real_length(k.text + k.at, k.plain != 0);
    if (length > 0 && length < LONGEST_NUMBER) {
        memcpy(number, k.text + k.at, length);
        number[length] = 0;
        value = strtod(number, &end);
    }
    bool good = end > number && !*end && isfinite(value);
    next = good ? (double)(k.at + length) + 1 : k.first;
    return foi_give_two(s, foi_flat_integer(s->flat, next),
                        foi_flat_real(s->flat, good ? value : 0), results, count);
}

static bool scan_identifier(foi_session *s, foi_place place, const foi_value *v,
                            const foi_value **results, uint32_t *count)
{
    scan k;
    if (!begin(s, place, v, false, &k)) return false;
    size_t length = 0;
    const char *text = k.text + k.at;
    if (isalpha((unsigned char)*text))
        while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    return give_text(s, &k, text, length, length ? k.at + length : 0, results, count);
}

// What stands between quotes; a quote behind a backslash is part of it. An empty one counts as
// none.
static bool scan_string(foi_session *s, foi_place place, const foi_value *v,
                        const foi_value **results, uint32_t *count)
{
    scan k;
    if (!begin(s, place, v, false, &k)) return false;
    const char *text = k.text + k.at;
    size_t end = 1;
    bool good = *text == '"';
    while (good && text[end] && !(text[end] == '"' && text[end - 1] != '\\')) end++;
    good = good && text[end] && end > 1;
    return give_text(s, &k, good ? text + 1 : "", good ? end - 1 : 0, good ? k.at + end + 1 : 0,
                     results, count);
}

bool foi_scan_call(foi_session *s, foi_place place, const char *name, const foi_value *values,
                   uint32_t count, bool *handled, const foi_value **results, uint32_t *result_count)
{
    static const struct {
        const char *name;
        uint32_t inputs;
        bool (*call)(foi_session *, foi_place, const foi_value *, const foi_value **, uint32_t *);
    } functions[] = {{"ModelicaStrings_scanInteger", 3, scan_integer},
                     {"ModelicaStrings_scanReal", 3, scan_real},
                     {"ModelicaStrings_scanIdentifier", 2, scan_identifier},
                     {"ModelicaStrings_scanString", 2, scan_string}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        *handled = strcmp(functions[i].name, name) == 0 && count == functions[i].inputs;
        if (*handled) return functions[i].call(s, place, values, results, result_count);
    }
    return true;
}
