/// Lines of text files, and whole numbers in them: read while the model is read. A text may come
/// from anywhere, so it sees what lies with it only: files of the packages that it names
/// (modelica://Package/...), and those in the folder of its own file and below.
#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

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

static bool climbs(const char *way)
{
    for (const char *at = way; at; at = strchr(at, '/')) {
        while (*at == '/') at++;
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) return true;
    }
    return false;
}

static const char *folder_of(foi_session *s, const char *name)
{
    const char *slash = name ? strrchr(name, '/') : NULL;
    return slash ? foi_arena_text(&s->arena, name, (size_t)(slash - name)) : ".";
}

// The folder that a name is looked for in, and the rest of it. NULL: nothing of it is to be seen.
static const char *split(foi_session *s, const char *name, const char **rest)
{
    *rest = name;
    if (climbs(name)) return NULL;
    if (strncmp(name, "modelica://", 11) != 0)
        return *name == '/' || s->def->text ? NULL : folder_of(s, s->def->path);
    const char *package = name + 11;
    size_t length = strcspn(package, "/.");
    const char *own = foi_intern(&s->names, package, length);
    const foi_class *c = own ? foi_find_in_class(s, &s->root, own) : NULL;
    *rest = strchr(package, '/');
    if (!c || !*rest) return NULL;
    ++*rest;
    if (c->folder) return c->folder;
    bool known = c->place.file < s->source_count && !(s->def->text && c->place.file == 0);
    return known ? folder_of(s, s->sources[c->place.file].name) : NULL;
}

// Links could lead anywhere.
static bool has_link(foi_session *s, const char *folder, const char *rest)
{
    for (const char *end = rest; *end;) {
        struct stat about;
        while (*end == '/') end++;
        end += strcspn(end, "/");
        const char *way = foi_arena_print(&s->arena, "%s/%.*s", folder, (int)(end - rest), rest);
        if (!way || (lstat(way, &about) == 0 && S_ISLNK(about.st_mode))) return true;
    }
    return false;
}

// The text of the file; that of the last one is kept.
static const char *read_file(foi_session *s, foi_place place, const char *name)
{
    if (s->file_name && strcmp(s->file_name, name) == 0) return s->file_text;
    const char *rest, *folder = split(s, name, &rest);
    bool seen = folder && !has_link(s, folder, rest);
    size_t length = 0;
    const char *text = seen ? foi_read_beside(s, folder, rest, &length) : NULL;
    if (text && memchr(text, 0, length)) {
        foi_error(s, place, "'%s' is no file of text: it has a NUL", name);
        return NULL;
    }
    if (!text) {
        foi_error(s, place,
                  "there is no file '%s' to be read: a text sees files of the packages that it "
                  "names (modelica://Package/...) and of its own folder",
                  name);
        return NULL;
    }
    s->file_name = foi_arena_text(&s->arena, name, strlen(name));
    s->file_text = text;
    s->file_line = 1, s->file_at = 0;
    return s->file_name ? text : NULL;
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
