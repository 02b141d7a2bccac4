/// Texts: String(x) with its formats, comparisons, and variables of type String, whose texts are
/// known before the run.
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

// The value of which `text` is the text, of what String() was called with without a format.
static bool value_of(const foi_flat_expr *x, const char *text, double *value)
{
    const char *const *literals = x->op == FOI_OP_VARIABLE ? x->variable->literals : NULL;
    if (x->type == FOI_BOOLEAN) {
        *value = strcmp(text, "true") == 0;
        return *value || strcmp(text, "false") == 0;
    }
    for (*value = 1; literals && literals[0]; literals++, ++*value)
        if (strcmp(literals[0], text) == 0) return true;
    return false;
}

bool foi_compare_texts(foi_session *s, foi_place place, bool equal, const foi_flat_expr *a,
                       const foi_flat_expr *b, foi_value *out)
{
    if (a->op == FOI_OP_STRING) return foi_compare_texts(s, place, equal, b, a, out);
    const foi_flat_expr *x =
        a->op == FOI_OP_CALL && a->builtin == FOI_FN_STRING && !a->text ? a->arguments[0] : NULL;
    bool finite =
        x && (x->type == FOI_BOOLEAN || (x->op == FOI_OP_VARIABLE && x->variable->literals));
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

// --------------------------------------------------------------------------- variables
//
// A variable of type String has one formula in the whole run: that of its declaration, or of the
// equation or assignment for it. They are looked for where the variable is declared. It stands
// wherever the variable does; only messages can have one that changes.

typedef struct search {
    foi_component *c;
    const foi_equation_ast *loop;
} search;

static bool look_in(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                    uint32_t count, search *f);

static bool is_for(const search *f, const foi_equation_ast *e)
{
    return e->kind == FOI_EQ_EQUAL && e->left->kind == FOI_AST_REF && e->left->ref->count == 1 &&
           e->left->ref->parts[0].name == f->c->member->declaration->name;
}

static bool occurs(const search *f, foi_equation_ast *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_for(f, items[i])) return true;
        for (uint32_t b = 0; b < items[i]->branch_count; b++)
            if (occurs(f, items[i]->branches[b].body, items[i]->branches[b].count)) return true;
    }
    return false;
}

static bool take(foi_session *s, foi_component *c, uint32_t k, const foi_flat_expr *e,
                 foi_place place)
{
    if (e->type != FOI_STRING) return foi_error(s, place, "'%s' needs a String here", c->name);
    if (c->nodes[k]) return foi_error(s, place, "'%s' is given a value twice", c->name);
    c->nodes[k] = e;
    return true;
}

// name[i] = text, or all of them at once.
static bool take_equation(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                          search *f)
{
    const foi_part *part = &e->left->ref->parts[0];
    foi_component *c = f->c;
    foi_value v;
    uint32_t at = 0;
    if (!foi_expand(s, ctx, e->right, &v)) return false;
    if (v.record || v.type != FOI_STRING || (part->count && part->count != c->rank))
        return foi_error(s, e->place, "'%s' needs a String here", c->name);
    if (!part->count) {
        if (v.count != c->count || v.rank != c->rank)
            return foi_error(s, e->place, "'%s' needs %u Strings, not %u", c->name, c->count,
                             v.count);
        for (uint32_t k = 0; k < c->count; k++)
            if (!take(s, c, k, foi_item(&v, k), e->right->place)) return false;
        return true;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        double index;
        if (!foi_expand_known(s, ctx, part->subscripts[i], FOI_INTEGER, "the subscript", &index))
            return false;
        if (!(index >= 1 && index <= c->dims[i]))
            return foi_error(s, part->place, "'%s' has no element %.0f", c->name, index);
        at = at * c->dims[i] + (uint32_t)index - 1;
    }
    if (v.rank) return foi_error(s, e->place, "'%s' needs one String here", c->name);
    return take(s, c, at, v.one, e->right->place);
}

static bool look_once(foi_session *s, const foi_context *ctx, void *data)
{
    search *f = data;
    const foi_branch_ast *b = f->loop->branches;
    return look_in(s, ctx, b->body, b->count, f);
}

static bool look_at(foi_session *s, const foi_context *ctx, const foi_equation_ast *e, search *f)
{
    search inner = {f->c, e};
    if (e->kind == FOI_EQ_EQUAL) return take_equation(s, ctx, e, f);
    if (e->kind == FOI_EQ_FOR)
        return foi_loop(s, ctx, e->iterators, e->iterator_count, look_once, &inner);
    if (e->kind != FOI_EQ_IF)
        return foi_error(s, e->place, "'%s' is a String: it cannot be assigned at moments",
                         f->c->name);
    for (uint32_t b = 0; b < e->branch_count; b++) {
        double holds = 1;
        if (e->branches[b].condition && !foi_expand_known(s, ctx, e->branches[b].condition,
                                                          FOI_BOOLEAN, "the condition", &holds))
            return false;
        if (holds) return look_in(s, ctx, e->branches[b].body, e->branches[b].count, f);
    }
    return true;
}

static bool look_in(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                    uint32_t count, search *f)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!occurs(f, &items[i], 1)) continue;
        if (!foi_enter(s, items[i]->place)) return false;
        bool right = look_at(s, ctx, items[i], f);
        s->depth--;
        if (!right) return false;
    }
    return true;
}

static bool look_around(foi_session *s, foi_component *c)
{
    foi_instance *in = c->parent;
    search f = {c, NULL};
    for (uint32_t a = 0; a < in->c->ancestor_count; a++) {
        foi_class *text = in->c->ancestors[a];
        for (uint32_t i = 0; i < text->section_count; i++) {
            foi_context ctx = {.self = in, .lexical = text};
            if (!look_in(s, &ctx, text->sections[i].items, text->sections[i].count, &f))
                return false;
        }
    }
    return true;
}

bool foi_find_texts(foi_session *s, foi_component *c)
{
    foi_place place = c->member->declaration->place;
    foi_value v;
    bool found;
    if (c->binding == FOI_BOUND) return true;
    if (c->binding == FOI_BIND_FAILED) return false;
    if (c->binding == FOI_BINDING)
        return foi_error(s, place, "the value of '%s' depends on itself", c->name);
    c->binding = FOI_BINDING;
    bool right = foi_binding_value(s, c, &found, &v, &place);
    if (right && found) {
        right = !v.record && v.type == FOI_STRING && v.count == c->count;
        if (!right) foi_error(s, place, "'%s' needs %u String(s) here", c->name, c->count);
        for (uint32_t k = 0; right && k < c->count; k++)
            right = take(s, c, k, foi_item(&v, k), place);
    } else if (right) {
        right = look_around(s, c);
        for (uint32_t k = 0; right && k < c->count; k++)
            if (!c->nodes[k])
                right = foi_error(s, place,
                                  "nothing gives the value of the String '%s', which must be known "
                                  "before the run",
                                  c->name);
    }
    c->binding = right ? FOI_BOUND : FOI_BIND_FAILED;
    return right;
}
