/// Code elsewhere: functions of the library's C sources that are answered here, with the same
/// meaning.
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "language/files.h"
#include "language/table.h"

const foi_external *foi_external_of(const foi_class *c)
{
    for (uint32_t i = c->ancestor_count; i-- > 0;)
        if (c->ancestors[i]->external) return c->ancestors[i]->external;
    return c->external;
}

// A text that is known; NULL: it is not.
static const char *text_of(const foi_value *v)
{
    return !v->record && !v->rank && v->type == FOI_STRING && v->one->op == FOI_OP_STRING
               ? v->one->text
               : NULL;
}

static bool whole(foi_session *s, const foi_value *v, double *value)
{
    return !v->record && !v->rank && foi_known(s, v->one, true, value);
}

static bool give_number(foi_session *s, double value, foi_value *out)
{
    *out = foi_scalar(foi_flat_integer(s->flat, value));
    return out->one;
}

static bool substring(foi_session *s, foi_place place, const foi_value *v, foi_value *out)
{
    const char *text = text_of(&v[0]);
    double first, last;
    if (!text || !whole(s, &v[1], &first) || !whole(s, &v[2], &last))
        return foi_error(s, place, "a substring must be known before the run");
    double length = (double)strlen(text);
    if (first < 1 || last > length || last < first)
        return foi_error(s, place, "a String of %.0f characters has no substring from %.0f to %.0f",
                         length, first, last);
    const char *part =
        foi_arena_text(&s->flat->arena, text + (size_t)first - 1, (size_t)(last - first) + 1);
    *out = foi_scalar(part ? foi_flat_text(s->flat, part) : NULL);
    return out->one;
}

// Literals of the library's Compare: Less, Equal, Greater.
static bool compare(foi_session *s, foi_place place, const foi_value *v, foi_value *out)
{
    const char *a = text_of(&v[0]), *b = text_of(&v[1]);
    double exact;
    if (!a || !b || !whole(s, &v[2], &exact))
        return foi_error(s, place,
                         "Strings can be compared only when they are known before the run");
    int order = exact ? strcmp(a, b) : strcasecmp(a, b);
    return give_number(s, order < 0 ? 1 : order == 0 ? 2 : 3, out);
}

static bool skip_blanks(foi_session *s, foi_place place, const foi_value *v, foi_value *out)
{
    const char *text = text_of(&v[0]);
    double first = 1;
    if (!text || !whole(s, &v[1], &first) || first < 1)
        return foi_error(s, place, "the String must be known before the run");
    size_t at = (size_t)first - 1, length = strlen(text);
    while (at < length && isspace((unsigned char)text[at])) at++;
    return give_number(s, (double)at + 1, out);
}

static bool length_of(foi_session *s, foi_place place, const foi_value *v, foi_value *out)
{
    const char *text = text_of(&v[0]);
    if (!text) return foi_error(s, place, "the String must be known before the run");
    return give_number(s, (double)strlen(text), out);
}

// The hash of ModelicaStrings.c (A. Partow's AP), as an int.
static bool hash_text(foi_session *s, foi_place place, const foi_value *v, foi_value *out)
{
    const char *text = text_of(&v[0]);
    if (!text) return foi_error(s, place, "the String must be known before the run");
    uint32_t hash = 0xAAAAAAAA;
    for (size_t i = 0; text[i]; i++) {
        uint32_t letter = (unsigned char)text[i];
        hash ^= i % 2 == 0 ? (hash << 7) ^ letter * (hash >> 3)
                           : ~((hash << 11) + (letter ^ (hash >> 5)));
    }
    return give_number(s, hash < 0x80000000 ? (double)hash : (double)hash - 4294967296.0, out);
}

// A run writes its own results only.
static bool write_nothing(foi_session *s, foi_place place, const foi_value *v, foi_value *out)
{
    const char *name = text_of(&v[0]);
    if (!s->special)
        return foi_error(s, place, "a model writes no files: '%s' would not be written",
                         name ? name : "...");
    foi_warning(s, place, "a model writes no files: '%s' is not written", name ? name : "...");
    *out = foi_scalar(foi_flat_boolean(s->flat, false));
    return out->one;
}

// The path as it was given: a text does not learn where it is read.
static bool same_path(foi_session *s, foi_place place, const foi_value *v, foi_value *out)
{
    (void)s, (void)place;
    *out = v[0];
    return true;
}

// By a name that is not known before the run a text sees nothing.
static bool kind_of_file(foi_session *s, foi_place place, const foi_value *v, foi_value *out)
{
    const char *name = text_of(&v[0]);
    (void)place;
    return give_number(s, name ? foi_see(s, name) : FOI_SEES_NOTHING, out);
}

// The same run gives the same bits: there is no seed that the clock makes.
static bool fixed_seed(foi_session *s, foi_place place, const foi_value *v, foi_value *out)
{
    (void)place, (void)v;
    return give_number(s, 1, out);
}

// A result that is one of an enumeration's literals.
static bool take_type(foi_session *s, foi_class *c, foi_value *out)
{
    for (uint32_t i = 0; i < c->member_count; i++) {
        foi_declaration *d = c->members[i].declaration;
        if (d->causality != FOI_OUTPUT) continue;
        if (!d->resolved) d->resolved = foi_find_class(s, d->owner, d->type, "type");
        if (!d->resolved || !foi_analyse(s, d->resolved)) return false;
        if (d->resolved->builtin && d->resolved->builtin->literal_count)
            out->literals = d->resolved->builtin;
        return true;
    }
    return true;
}

typedef bool known_function(foi_session *s, foi_place place, const foi_value *v, foi_value *out);

static const struct {
    const char *name;
    uint32_t inputs;
    known_function *call; ///< NULL: does nothing that a run would notice
} functions[] = {{"ModelicaStrings_length", 1, length_of},
                 {"ModelicaStrings_substring", 3, substring},
                 {"ModelicaStrings_compare", 3, compare},
                 {"ModelicaStrings_skipWhiteSpace", 2, skip_blanks},
                 {"ModelicaStrings_hashString", 1, hash_text},
                 {"ModelicaRandom_automaticGlobalSeed", 0, fixed_seed},
                 {"ModelicaRandom_setInternalState_xorshift1024star", 0, NULL},
                 {"ModelicaInternal_print", 0, NULL},
                 {"ModelicaInternal_fullPathName", 1, same_path},
                 {"ModelicaInternal_stat", 1, kind_of_file},
                 {"ModelicaInternal_removeFile", 0, NULL},
                 {"ModelicaIO_writeRealMatrix", 1, write_nothing},
                 {"ModelicaStreams_closeFile", 0, NULL}};

// The function of ours that stands for an external one, by its name there; the class's own name
// says more where one is used in two forms (dgesv and dgesv_vec). NULL: there is none.
static foi_class *answer_of(foi_session *s, const foi_class *c, const char *name)
{
    foi_part parts[2] = {{.name = foi_name(s, "__Foliot_External")}};
    foi_ref ref = {.parts = parts, .count = 1};
    foi_class *all = foi_find_class(s, &s->root, &ref, "package");
    if (!all) return NULL;
    const char *own = foi_origin((foi_class *)c)->name;
    foi_class *found =
        strncmp(own, name, strlen(name)) == 0 ? foi_find_in_class(s, all, foi_name(s, own)) : NULL;
    return found ? found : foi_find_in_class(s, all, foi_name(s, name));
}

static const char *next_output(const foi_class *c, uint32_t *at)
{
    while (*at < c->member_count) {
        const foi_member *m = &c->members[(*at)++];
        if (m->declaration->causality == FOI_OUTPUT) return m->declaration->name;
    }
    return NULL;
}

static bool same_outputs(const foi_class *a, const foi_class *b)
{
    uint32_t i = 0, k = 0;
    for (;;) {
        const char *x = next_output(a, &i), *y = next_output(b, &k);
        if (!x || !y) return x == y;
        if (x != y) return false;
    }
}

// Are the arguments of the call all inputs, as they are declared?
static bool in_order(const foi_class *c, const foi_ast *call)
{
    uint32_t at = 0;
    for (uint32_t i = 0; call && i < c->member_count; i++) {
        const foi_declaration *d = c->members[i].declaration;
        if (d->causality != FOI_INPUT) continue;
        const foi_ast *given = at < call->count ? call->items[at++] : NULL;
        if (!given || given->kind != FOI_AST_REF || given->ref->count != 1 ||
            given->ref->parts[0].name != d->name || given->ref->parts[0].count)
            return false;
    }
    return !call || at == call->count;
}

// external "builtin" y = sin(x).
static bool builtin_call(foi_session *s, foi_place place, const foi_external *e, const foi_class *c,
                         const foi_value *v, uint32_t count, bool *handled, foi_value *out)
{
    foi_flat_builtin builtin = foi_scalar_function(e->name);
    const foi_flat_expr *list[3];
    *handled = e->language && strcmp(e->language, "builtin") == 0;
    if (!*handled) return true;
    bool fits = builtin != FOI_FN_COUNT && count <= 3 && foi_flat_builtin_arity(builtin) == count &&
                in_order(c, e->call);
    for (uint32_t i = 0; fits && i < count; i++) {
        fits = !v[i].record && !v[i].rank && v[i].type <= FOI_INTEGER;
        list[i] = v[i].one;
    }
    if (!fits)
        return foi_error(s, place, "'%s' is not a built-in function of these arguments", e->name);
    *out = foi_scalar(foi_flat_call_builtin(s->flat, builtin, count, list));
    return out->one;
}

// Why not, and what would help. What only this program lacks is not helped by any option.
static bool refuse(foi_session *s, foi_place place, foi_class *c, const foi_external *e)
{
    bool library =
        strncmp(e->name, "Modelica", 8) == 0 || (e->language && strcmp(e->language, "C") != 0);
    foi_error(s, place, "'%s' is external code, which is not %s: '%s'%s", foi_class_path(s, c),
              library ? "supported" : "run unless it is allowed", e->name,
              library ? "" : " (--allow-external compiles it and runs it in this process)");
    foi_note(s, e->place, "here it is written");
    return false;
}

bool foi_external_call(foi_session *s, foi_place place, foi_class *c, const foi_value *values,
                       uint32_t count, const foi_value **results, uint32_t *result_count,
                       bool *outside)
{
    const foi_external *e = foi_external_of(c);
    if ((*outside = foi_is_own_call(e->name, values, count))) return true;
    foi_value *out = foi_arena_new(&s->arena, 1, sizeof *out);
    bool handled;
    if (!out) return false;
    *results = out, *result_count = 1;
    bool right = builtin_call(s, place, e, c, values, count, &handled, out);
    if (handled) return right;
    right = foi_table_call(s, place, e->name, values, count, &handled, out);
    if (handled) return right;
    right = foi_matrix_call(s, place, e->name, values, count, &handled, out);
    if (handled) return right;
    right = foi_line_call(s, place, e->name, values, count, &handled, results, result_count);
    if (handled) return right;
    right = foi_scan_call(s, place, e->name, values, count, &handled, results, result_count);
    if (handled) return right;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, e->name) != 0 || count < functions[i].inputs) continue;
        if (functions[i].call)
            return functions[i].call(s, place, values, out) && take_type(s, c, out);
        *results = NULL, *result_count = 0;
        return true;
    }
    foi_class *answer = answer_of(s, c, e->name);
    if (answer && foi_analyse(s, answer) && same_outputs(c, answer)) {
        foi_context ctx = {.lexical = answer};
        return foi_call_values(s, &ctx, place, answer, values, count, results, result_count);
    }
    *outside = s->def->allow_external;
    return *outside || refuse(s, place, c, e);
}
