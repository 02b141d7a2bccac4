/// Lines of text files, read while the model is read.
#include <string.h>

#include "language/files.h"

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

bool foi_give_two(foi_session *s, const foi_flat_expr *first, const foi_flat_expr *second,
                  const foi_value **results, uint32_t *count)
{
    foi_value *out = foi_arena_new(&s->arena, 2, sizeof *out);
    if (!out || !first || !second) return false;
    out[0] = foi_scalar(first), out[1] = foi_scalar(second);
    *results = out, *count = 2;
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
    return foi_give_two(s, own ? foi_flat_text(s->flat, own) : NULL, foi_flat_boolean(s->flat, end),
                        results, count);
}

static uint32_t number_of_lines(const char *at)
{
    uint32_t lines = 0;
    for (; *at; lines++) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return lines;
}

static bool count_lines(foi_session *s, foi_place place, const foi_value *v,
                        const foi_value **results, uint32_t *count)
{
    const char *name = known_text(&v[0]);
    if (!name) return foi_error(s, place, "the name of a file must be known before the run");
    const char *text = read_file(s, place, name);
    foi_value *out = foi_arena_new(&s->arena, 1, sizeof *out);
    if (!text || !out) return false;
    *out = foi_scalar(foi_flat_integer(s->flat, number_of_lines(text)));
    *results = out, *count = 1;
    return out->one;
}

static bool read_lines(foi_session *s, foi_place place, const foi_value *v,
                       const foi_value **results, uint32_t *count)
{
    const char *name = known_text(&v[0]);
    if (!name) return foi_error(s, place, "the name of a file must be known before the run");
    const char *at = read_file(s, place, name);
    foi_value *out = foi_arena_new(&s->arena, 1, sizeof *out);
    const foi_flat_expr **list;
    if (!at || !out) return false;
    uint32_t lines = number_of_lines(at);
    if (!foi_work(s, place, lines) || !foi_new_array(s, place, FOI_STRING, 1, &lines, out, &list))
        return false;
    for (uint32_t i = 0; i < lines; i++) {
        const char *own = foi_arena_text(&s->flat->arena, at, strcspn(at, "\r\n"));
        if (!own || !(list[i] = foi_flat_text(s->flat, own))) return false;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    *results = out, *count = 1;
    return true;
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
                     {"ModelicaInternal_readFile", 1, read_lines}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        *handled = strcmp(functions[i].name, name) == 0 && count == functions[i].inputs;
        if (*handled) return functions[i].call(s, place, values, results, result_count);
    }
    return true;
}
