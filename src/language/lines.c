/// Lines of text files, and whole numbers in them: read while the model is read.
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "language/session.h"

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

static const char *read_file(foi_session *s, foi_place place, const char *name)
{
    size_t length;
    const char *text = foi_read_seen(s, place, name, &length);
    if (!text || !memchr(text, 0, length)) return text;
    foi_error(s, place, "'%s' is no file of text: it has a NUL", name);
    return NULL;
}

static bool give(foi_session *s, const foi_flat_expr *first, const foi_flat_expr *second,
                 const foi_value **results, uint32_t *count)
{
    foi_value *out = foi_arena_new(&s->arena, 2, sizeof *out);
    if (!out || !first) return false;
    out[0] = foi_scalar((foi_flat_expr *)first);
    if (second) out[1] = foi_scalar((foi_flat_expr *)second);
    *results = out, *count = second ? 2 : 1;
    return true;
}

// Lines one after the other cost one way through the file.
static bool read_line(foi_session *s, foi_place place, const foi_value *v,
                      const foi_value **results, uint32_t *count)
{
    const char *name = known_text(&v[0]);
    double wanted;
    if (!name || !known_number(s, &v[1], &wanted) || wanted < 1)
        return foi_error(s, place, "which line of which file must be known before the run");
    const char *text = read_file(s, place, name);
    if (!text) return false;
    if (wanted < s->file_line) s->file_line = 1, s->file_at = 0;
    while (s->file_line < wanted && text[s->file_at]) {
        size_t length = strcspn(text + s->file_at, "\n");
        s->file_at += length + (text[s->file_at + length] == '\n');
        s->file_line++;
    }
    const char *line = text + s->file_at;
    bool end = *line == '\0' || s->file_line < wanted;
    size_t length = end ? 0 : strcspn(line, "\r\n");
    const char *own = foi_arena_text(&s->flat->arena, line, length);
    return give(s, own ? foi_flat_text(s->flat, own) : NULL, foi_flat_boolean(s->flat, end),
                results, count);
}

static bool count_lines(foi_session *s, foi_place place, const foi_value *v,
                        const foi_value **results, uint32_t *count)
{
    const char *name = known_text(&v[0]);
    if (!name) return foi_error(s, place, "the name of a file must be known before the run");
    const char *text = read_file(s, place, name);
    double lines = 0;
    if (!text) return false;
    for (const char *at = text; *at; lines++) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return give(s, foi_flat_integer(s->flat, lines), NULL, results, count);
}

// After blanks and a sign, digits that are not the beginning of a Real: where it ends, and its
// value; where it begins to look, and 0, if there is none.
static bool scan_integer(foi_session *s, foi_place place, const foi_value *v,
                         const foi_value **results, uint32_t *count)
{
    const char *text = known_text(&v[0]);
    double first, plain, value = 0;
    if (!text || !known_number(s, &v[1], &first) || !known_number(s, &v[2], &plain) || first < 1)
        return foi_error(s, place, "the String must be known before the run");
    size_t length = strlen(text), at = first > (double)length ? length : (size_t)first - 1;
    while (isspace((unsigned char)text[at])) at++;
    bool negative = plain == 0 && text[at] == '-';
    at += negative || (plain == 0 && text[at] == '+');
    size_t digits = strspn(text + at, "0123456789");
    for (size_t i = 0; i < digits; i++) value = 10 * value + (text[at + i] - '0');
    bool good = digits > 0 && !strchr(".eE", text[at + digits] ? text[at + digits] : ' ');
    if (value > INT_MAX) good = false;
    double next = good ? (double)(at + digits) + 1 : first;
    return give(s, foi_flat_integer(s->flat, next),
                foi_flat_integer(s->flat, !good      ? 0
                                          : negative ? -value
                                                     : value),
                results, count);
}

bool foi_line_call(foi_session *s, foi_place place, const char *name, const foi_value *values,
                   uint32_t count, bool *handled, const foi_value **results, uint32_t *result_count)
{
    static const struct {
        const char *name;
        uint32_t inputs;
        bool (*call)(foi_session *, foi_place, const foi_value *, const foi_value **, uint32_t *);
    } functions[] = {{"ModelicaInternal_readLine", 2, read_line},
                     {"ModelicaInternal_countLines", 1, count_lines},
                     {"ModelicaStrings_scanInteger", 3, scan_integer}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        *handled = strcmp(functions[i].name, name) == 0 && count == functions[i].inputs;
        if (*handled) return functions[i].call(s, place, values, results, result_count);
    }
    return true;
}
