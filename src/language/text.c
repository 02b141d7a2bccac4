/// Texts: String(x) with its formats, and comparisons.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "language/session.h"

// ----------------------------------------------------------------------------- formats

// One option of String by its name, or by its place; NULL: not given.
static const foi_ast *option(const foi_ast *e, uint32_t place, const char *name)
{
    return foi_call_argument(e, place, name);
}

static bool number_option(foi_session *s, const foi_context *ctx, const foi_ast *e,
                          const char *name, double most, double *value)
{
    if (!e) return true;
    if (!foi_expand_known(s, ctx, e, FOI_INTEGER, name, value)) return false;
    if (*value >= 0 && *value <= most) return true;
    return foi_error(s, e->place, "'%s' is %.0f: it must lie between 0 and %.0f", name, *value,
                     most);
}

// [flags][width][.precision]kind, as in C (Modelica 3.6, section 3.7.1.3).
static bool is_format(const char *text, const char *kinds)
{
    const char *at = text + strspn(text, "-+ #0");
    size_t width = strspn(at, "0123456789");
    if (at - text > 5 || width > 3) return false;
    at += width;
    if (*at == '.') {
        size_t digits = strspn(++at, "0123456789");
        if (digits > 3) return false;
        at += digits;
    }
    return *at && !at[1] && strchr(kinds, *at);
}

static bool given_format(foi_session *s, const foi_context *ctx, const foi_ast *e,
                         const foi_value *v, const char **format)
{
    foi_value text;
    bool real = v->type == FOI_REAL, whole = v->type == FOI_INTEGER && !v->literals;
    if (!foi_expand(s, ctx, e, &text)) return false;
    if (text.record || text.rank || text.type != FOI_STRING || text.one->op != FOI_OP_STRING)
        return foi_error(s, e->place, "the format must be a String that is known before the run");
    if ((!real && !whole) || !is_format(text.one->text, real ? "eEfFgG" : "diouxXc"))
        return foi_error(s, e->place, "\"%s\" is no format of %s, such as \"%s\"", text.one->text,
                         foi_type_text(s, v), real ? "8.3f" : "5d");
    *format = foi_arena_print(&s->flat->arena, "%%%s", text.one->text);
    return *format;
}

static bool check_options(foi_session *s, const foi_ast *e, bool real)
{
    static const char *const names[] = {"minimumLength", "leftJustified", "format",
                                        "significantDigits"};
    for (uint32_t i = 1; e->names && i < e->count; i++) {
        bool known = !e->names[i];
        for (size_t k = 0; k < (real ? 4 : 3); k++)
            known |= e->names[i] && strcmp(names[k], e->names[i]) == 0;
        if (!known)
            return foi_error(s, e->items[i]->place, "'String' has no option '%s' for this type",
                             e->names[i]);
    }
    if (e->count > (real ? 4u : 3u))
        return foi_error(s, e->place, "'String' has too many arguments");
    return true;
}

// The format of C that the options ask for; NULL: none is given.
static bool find_format(foi_session *s, const foi_context *ctx, const foi_ast *e,
                        const foi_value *v, const char **format)
{
    bool real = v->type == FOI_REAL;
    double digits = 6, length = 0, left = 1;
    *format = NULL;
    if (e->count == 1) return true;
    if (!check_options(s, e, real)) return false;
    const foi_ast *given = foi_call_argument(e, UINT32_MAX, "format");
    if (given && e->count > 2)
        return foi_error(s, given->place, "'format' cannot be combined with other options");
    if (given) return given_format(s, ctx, given, v, format);
    const foi_ast *justified = option(e, 2 + real, "leftJustified");
    if ((real && !number_option(s, ctx, option(e, 1, "significantDigits"), "significantDigits", 100,
                                &digits)) ||
        !number_option(s, ctx, option(e, 1 + real, "minimumLength"), "minimumLength", 999, &length))
        return false;
    if (justified && !foi_expand_known(s, ctx, justified, FOI_BOOLEAN, "leftJustified", &left))
        return false;
    bool word = v->literals || v->type == FOI_BOOLEAN;
    char width[16] = "";
    if (length > 0) snprintf(width, sizeof width, "%s%.0f", left != 0 ? "-" : "", length);
    *format = real   ? foi_arena_print(&s->flat->arena, "%%%s.%.0fg", width, digits)
              : word ? foi_arena_print(&s->flat->arena, "%%%ss", width)
                     : foi_arena_print(&s->flat->arena, "%%%sd", width);
    return *format;
}

// The text of a number, truth or literal that stands there as such.
static const foi_flat_expr *known_text(foi_session *s, const foi_value *v, double value,
                                       const char *format)
{
    char text[2 * FOI_MOST_WIDTH];
    foi_flat_value_text(format, v->type, v->literals ? v->literals->literal_names : NULL, value,
                        text, sizeof text);
    const char *kept = foi_arena_text(&s->flat->arena, text, strlen(text));
    return kept ? foi_flat_text(s->flat, kept) : NULL;
}

// The text of an expression of an enumeration: one of those of the literals.
static const foi_flat_expr *literal_text(foi_session *s, const foi_value *v, const char *format)
{
    foi_flat *f = s->flat;
    const foi_flat_expr *all = known_text(s, v, 1, format);
    for (uint32_t i = 2; all && i <= v->literals->literal_count; i++) {
        foi_flat_expr *number = foi_flat_integer(f, i);
        const foi_flat_expr *is = foi_flat_binary(f, FOI_OP_EQUAL, v->one, number);
        all = foi_flat_if(f, is, known_text(s, v, i, format), all);
    }
    return all;
}

bool foi_string_call(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *v)
{
    const char *format;
    if (!foi_expand(s, ctx, e->items[0], v)) return false;
    if (v->record) {
        foi_value record = *v;
        return foi_overloaded_text(s, ctx, e, &record, v);
    }
    if (v->rank) return foi_error(s, e->place, "'String' needs a scalar");
    if (v->type == FOI_STRING) return true;
    if (!find_format(s, ctx, e, v, &format)) return false;
    double value;
    bool known = v->one->op == FOI_OP_LITERAL || v->literals;
    if (known && foi_known(s, v->one, true, &value)) {
        *v = foi_scalar(known_text(s, v, value, format));
        return v->one;
    }
    bool variable = v->one->op == FOI_OP_VARIABLE;
    if (v->literals && !variable) {
        *v = foi_scalar(literal_text(s, v, format));
        return v->one;
    }
    if (!v->literals && variable && v->one->variable->literals) // Integer(e): a number, no name
        v->one = foi_flat_binary(s->flat, FOI_OP_ADD, v->one, foi_flat_integer(s->flat, 0));
    foi_flat_expr *call = foi_flat_call_builtin(s->flat, FOI_FN_STRING, 1, &v->one);
    if (call) call->text = format;
    *v = foi_scalar(call);
    return v->one;
}

// What the parts of a text give, one after the other; depth: of what is joined.
static const char *settled(foi_session *s, const foi_flat_expr *e, int depth)
{
    double value;
    if (e->op == FOI_OP_STRING) return e->text;
    if (depth > FOI_DEEPEST_MODEL) return NULL;
    if (e->op == FOI_OP_IF && foi_known(s, e->arguments[0], true, &value))
        return settled(s, e->arguments[value != 0 ? 1 : 2], depth + 1);
    if (e->op == FOI_OP_ADD) {
        const char *a = settled(s, e->arguments[0], depth + 1);
        const char *b = a ? settled(s, e->arguments[1], depth + 1) : NULL;
        return b ? foi_arena_print(&s->flat->arena, "%s%s", a, b) : NULL;
    }
    if (e->op != FOI_OP_CALL || e->builtin != FOI_FN_STRING) return NULL;
    const foi_flat_expr *x = e->arguments[0];
    char text[2 * FOI_MOST_WIDTH];
    if (!foi_known(s, x, true, &value)) return NULL;
    foi_flat_value_text(e->text, x->type, x->op == FOI_OP_VARIABLE ? x->variable->literals : NULL,
                        value, text, sizeof text);
    return foi_arena_text(&s->flat->arena, text, strlen(text));
}

const foi_flat_expr *foi_settled_text(foi_session *s, const foi_flat_expr *e)
{
    const char *text = e->op == FOI_OP_STRING ? NULL : settled(s, e, 0);
    return text ? foi_flat_text(s->flat, text) : e;
}

// ------------------------------------------------------------------------- comparisons

enum { DEEPEST_CHOICE = 30 };

// The value of which `text` is the text, of what String() was called with without a format.
static bool value_of(const foi_flat_expr *x, const char *text, double *value)
{
    const char *const *literals = x->op == FOI_OP_VARIABLE ? x->variable->literals : NULL;
    if (x->type == FOI_BOOLEAN) {
        *value = strcmp(text, "true") == 0;
        return *value || strcmp(text, "false") == 0;
    }
    if (!literals) { // an Integer, as it is written
        char *end, canonical[32];
        *value = (double)strtol(text, &end, 10);
        snprintf(canonical, sizeof canonical, "%.0f", *value);
        return strcmp(canonical, text) == 0;
    }
    for (*value = 1; literals && literals[0]; literals++, ++*value)
        if (strcmp(literals[0], text) == 0) return true;
    return false;
}

// Texts that are joined of choices as choices of what is joined then.
static const foi_flat_expr *spread(foi_session *s, const foi_flat_expr *e, int depth)
{
    foi_flat *f = s->flat;
    if (!e || e->op != FOI_OP_ADD || depth > DEEPEST_CHOICE) return e;
    const foi_flat_expr *a = spread(s, e->arguments[0], depth + 1);
    const foi_flat_expr *b = spread(s, e->arguments[1], depth + 1);
    if (!a || !b) return NULL;
    if (a->op == FOI_OP_STRING && b->op == FOI_OP_STRING)
        return foi_flat_text(f, foi_arena_print(&f->arena, "%s%s", a->text, b->text));
    bool first = a->op == FOI_OP_IF;
    const foi_flat_expr *c = first ? a : b;
    if (c->op != FOI_OP_IF) return e;
    const foi_flat_expr *yes = first ? foi_flat_binary(f, FOI_OP_ADD, c->arguments[1], b)
                                     : foi_flat_binary(f, FOI_OP_ADD, a, c->arguments[1]);
    const foi_flat_expr *no = first ? foi_flat_binary(f, FOI_OP_ADD, c->arguments[2], b)
                                    : foi_flat_binary(f, FOI_OP_ADD, a, c->arguments[2]);
    return foi_flat_if(f, c->arguments[0], spread(s, yes, depth + 1), spread(s, no, depth + 1));
}

// The literal that a joined text begins with, or ends with; "": a value stands there.
static const char *edge(const foi_flat_expr *e, bool last)
{
    while (e->op == FOI_OP_ADD) e = e->arguments[last];
    return e->op == FOI_OP_STRING ? e->text : "";
}

// Is this text, with values in it, another one than `text` whatever they are?
static bool is_apart(const foi_flat_expr *e, const char *text)
{
    if (e->op != FOI_OP_ADD) return false;
    const char *first = edge(e, false), *last = edge(e, true);
    size_t n = strlen(text), head = strlen(first), tail = strlen(last);
    return head + tail > n || memcmp(first, text, head) != 0 ||
           memcmp(last, text + n - tail, tail) != 0;
}

// A comparison with a choice is the choice of comparisons.
static bool compare_choice(foi_session *s, foi_place place, bool equal, const foi_flat_expr *choice,
                           const foi_flat_expr *b, foi_value *out)
{
    foi_value yes, no;
    if (!foi_work(s, place, 1) || !foi_enter(s, place)) return false;
    bool right = foi_compare_texts(s, place, equal, choice->arguments[1], b, &yes) &&
                 foi_compare_texts(s, place, equal, choice->arguments[2], b, &no);
    s->depth--;
    if (!right) return false;
    *out = foi_scalar(foi_flat_if(s->flat, choice->arguments[0], yes.one, no.one));
    return out->one;
}

bool foi_compare_texts(foi_session *s, foi_place place, bool equal, const foi_flat_expr *a,
                       const foi_flat_expr *b, foi_value *out)
{
    if (!(a = spread(s, a, 0)) || !(b = spread(s, b, 0))) return false;
    if (a->op == FOI_OP_IF) return compare_choice(s, place, equal, a, b, out);
    if (b->op == FOI_OP_IF) return compare_choice(s, place, equal, b, a, out);
    if (a->op == FOI_OP_STRING && b->op == FOI_OP_STRING) {
        *out = foi_scalar(foi_flat_boolean(s->flat, (strcmp(a->text, b->text) == 0) == equal));
        return out->one;
    }
    if (a->op == FOI_OP_STRING) return foi_compare_texts(s, place, equal, b, a, out);
    const foi_flat_expr *x =
        a->op == FOI_OP_CALL && a->builtin == FOI_FN_STRING && !a->text ? a->arguments[0] : NULL;
    bool finite =
        x && (x->type == FOI_BOOLEAN || (x->op == FOI_OP_VARIABLE && x->type == FOI_INTEGER));
    if (b->op == FOI_OP_STRING && is_apart(a, b->text)) {
        *out = foi_scalar(foi_flat_boolean(s->flat, !equal));
        return out->one;
    }
    if (!finite || b->op != FOI_OP_STRING)
        return foi_error(s, place,
                         "Strings can be compared only when they are known before the run");
    double value;
    if (!value_of(x, b->text, &value)) {
        *out = foi_scalar(foi_flat_boolean(s->flat, !equal));
        return out->one;
    }
    foi_flat_expr *literal = foi_flat_real(s->flat, value);
    if (!literal) return false;
    literal->type = x->type;
    foi_flat_op op = equal ? FOI_OP_EQUAL : FOI_OP_NOT_EQUAL;
    *out = foi_scalar(foi_flat_binary(s->flat, op, x, literal));
    return out->one;
}

static bool same_formula(const foi_flat_expr *a, const foi_flat_expr *b, int depth)
{
    enum { DEEPEST = 200 };
    const foi_flat_expr *const *x = a->arguments, *const *y = b->arguments;
    uint32_t count = a->count;
    if (a == b) return true;
    if (depth > DEEPEST || a->op != b->op || a->type != b->type || a->count != b->count)
        return false;
    switch (a->op) {
    case FOI_OP_LITERAL: return a->number == b->number;
    case FOI_OP_STRING: return strcmp(a->text, b->text) == 0;
    case FOI_OP_VARIABLE: return a->variable == b->variable;
    case FOI_OP_ELEMENT:
        if (a->array->count != b->array->count || !a->array->count ||
            a->array->elements[0] != b->array->elements[0])
            return false;
        break;
    case FOI_OP_CALL:
        if (a->builtin != b->builtin || !a->text != !b->text) return false;
        if (a->builtin == FOI_FN_STRING && a->text && strcmp(a->text, b->text) != 0) return false;
        break;
    case FOI_OP_RESULT:
        if (a->call->function != b->call->function || a->result != b->result) return false;
        x = a->call->arguments, y = b->call->arguments, count = a->call->function->input_count;
        break;
    default: break;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!same_formula(x[i], y[i], depth + 1)) return false;
    return true;
}

bool foi_same_text(const foi_flat_expr *a, const foi_flat_expr *b)
{
    return same_formula(a, b, 0);
}
