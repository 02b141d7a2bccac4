/// Names in the text of a class, without an instance of it: of what cannot be instantiated by
/// itself nothing else can be said. Only what is certainly wrong is found here; the rest is found
/// where the class is used.
#include <string.h>

#include "language/session.h"

/// Names of loops around.
typedef struct looped {
    const char *name;
    const struct looped *outer;
} looped;

typedef struct reader {
    foi_session *s;
    foi_class *c;
    const looped *loops;
    int depth;
} reader;

enum { DEEPEST_TEXT = 1000 };

static bool read(reader *r, const foi_ast *e);

static bool read_list(reader *r, foi_ast *const *items, uint32_t count)
{
    bool right = true;
    for (uint32_t i = 0; i < count; i++)
        if (items[i]) right &= read(r, items[i]);
    return right;
}

static bool is_looped(const reader *r, const char *name)
{
    for (const looped *l = r->loops; l; l = l->outer)
        if (l->name == name) return true;
    return false;
}

// Can nobody put another class in its place, or add to it?
static bool is_certain(const foi_class *c)
{
    for (; c; c = c->enclosing)
        if (c->replaceable || c->partial) return false;
    return true;
}

// The class of a member, where it can be no other one; NULL: that cannot be said.
static foi_class *certain_class(const reader *r, const foi_member *m)
{
    const foi_declaration *d = m->declaration;
    if (d->replaceable || d->outer || m->through) return NULL;
    foi_class *t = foi_find_class(r->s, d->owner, d->type, "type");
    if (!t || !foi_analyse(r->s, t) || t->builtin || t->expandable || t->is_operator) return NULL;
    return is_certain(t) ? t : NULL;
}

// A number has no components, whatever stands for an outer one.
static bool read_of_builtin(reader *r, const foi_ref *ref, uint32_t i, const foi_member *m)
{
    const foi_declaration *d = m->declaration;
    foi_class *t =
        d->replaceable || m->through ? NULL : foi_find_class(r->s, d->owner, d->type, "type");
    if (!t || !foi_analyse(r->s, t) || !t->builtin || !is_certain(t) || t == r->s->external_object)
        return true;
    return foi_error(r->s, ref->parts[i].place, "'%s' is %s and has no '%s'",
                     ref->parts[i - 1].name, t->name, ref->parts[i].name);
}

// Behind the name at `i`: components of components.
static bool read_parts(reader *r, const foi_ref *ref, uint32_t i, const foi_member *m)
{
    while (++i < ref->count) {
        foi_class *t = certain_class(r, m);
        if (!t) return read_of_builtin(r, ref, i, m);
        m = foi_find_member(t, ref->parts[i].name);
        if (m) continue;
        if (foi_find_in_class(r->s, t, ref->parts[i].name)) return true;
        return foi_error(r->s, ref->parts[i].place, "there is no '%s' in %s '%s'",
                         ref->parts[i].name, foi_class_word(t), t->name);
    }
    return true;
}

static bool has_literal(const foi_class *c, const char *name)
{
    const foi_class *of = c->builtin ? c->builtin : c;
    for (uint32_t i = 0; i < of->literal_count; i++)
        if (of->literals[i].name == name) return true;
    return false;
}

// Behind the name of a class: classes in it, then constants or literals.
static bool read_path(reader *r, const foi_ref *ref, foi_class *c)
{
    for (uint32_t i = 1; i < ref->count; i++) {
        const foi_part *part = &ref->parts[i];
        if (!foi_analyse(r->s, c) || !is_certain(c) || has_literal(c, part->name)) return true;
        foi_class *inner = foi_find_in_class(r->s, c, part->name);
        const foi_member *m = inner ? NULL : foi_find_member(c, part->name);
        if (m) return read_parts(r, ref, i, m);
        if (!inner)
            return foi_error(r->s, part->place, "there is no '%s' in %s '%s'", part->name,
                             foi_class_word(c), foi_class_path(r->s, c));
        c = inner;
    }
    return true;
}

static bool read_ref(reader *r, const foi_ref *ref)
{
    bool right = true;
    const char *name = ref->parts[0].name;
    for (uint32_t i = 0; i < ref->count; i++)
        right &= read_list(r, ref->parts[i].subscripts, ref->parts[i].count);
    if (ref->global || is_looped(r, name)) return right;
    const foi_member *m = foi_find_member(r->c, name);
    if (m) return read_parts(r, ref, 0, m) && right;
    if (name == r->s->name_time && ref->count == 1) return right;
    size_t errors = r->s->messages->errors;
    foi_found f = foi_lookup(r->s, r->c, name);
    if (f.c && !f.literal) return read_path(r, ref, f.c) && right;
    if (f.c || f.member || r->s->apart || r->s->messages->errors > errors) return right;
    const foi_instance of = {.c = r->c};
    return foi_error(r->s, ref->parts[0].place, "'%s' is not declared%s", name,
                     foi_hint(r->s, &of, NULL, name));
}

static bool is_operator_word(const char *name)
{
    static const char *const words[] = {"der",
                                        "pre",
                                        "edge",
                                        "change",
                                        "noEvent",
                                        "Integer",
                                        "smooth",
                                        "sample",
                                        "delay",
                                        "inStream",
                                        "actualStream",
                                        "semiLinear",
                                        "spatialDistribution",
                                        "initial",
                                        "terminal",
                                        "homotopy",
                                        "getInstanceName",
                                        "String",
                                        "assert",
                                        "terminate",
                                        "reinit",
                                        "size",
                                        "ndims",
                                        "fill",
                                        "zeros",
                                        "ones",
                                        "identity",
                                        "diagonal",
                                        "linspace",
                                        "sum",
                                        "product",
                                        "min",
                                        "max",
                                        "transpose",
                                        "cross",
                                        "outerProduct",
                                        "skew",
                                        "symmetric",
                                        "scalar",
                                        "vector",
                                        "matrix",
                                        "array",
                                        "cat",
                                        "hold",
                                        "previous",
                                        "subSample",
                                        "superSample",
                                        "shiftSample",
                                        "backSample",
                                        "noClock",
                                        "interval",
                                        "firstTick",
                                        "transition",
                                        "initialState",
                                        "activeState",
                                        "ticksInState",
                                        "timeInState",
                                        "Clock",
                                        "rooted",
                                        "cardinality",
                                        "promote",
                                        "isPresent",
                                        "exponential"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], name) == 0) return true;
    return foi_scalar_function(name) != FOI_FN_COUNT;
}

// What is called: an operator, a function that was handed over, or a class.
static bool read_called(reader *r, const foi_ref *ref)
{
    const char *name = ref->parts[0].name;
    if (ref->count == 1 && is_operator_word(name)) return true;
    if (strcmp(name, "Connections") == 0 || foi_find_member(r->c, name)) return true;
    size_t errors = r->s->messages->errors;
    foi_found f = ref->global ? (foi_found){.c = &r->s->root} : foi_lookup(r->s, r->c, name);
    if (f.c && !f.literal && !ref->global) return read_path(r, ref, f.c);
    if (f.c || f.member || r->s->apart || r->s->messages->errors > errors) return true;
    return foi_error(r->s, ref->parts[0].place, "function '%s' was not found%s", name,
                     foi_hint(r->s, NULL, r->c, name));
}

// What is inside of loops: iterators[at] and those after it.
static bool read_loops(reader *r, const foi_iterator *iterators, uint32_t count,
                       bool (*inside)(reader *r, const void *what), const void *what)
{
    if (!count) return inside(r, what);
    bool right = !iterators->range || read(r, iterators->range);
    const looped here = {iterators->name, r->loops};
    r->loops = &here;
    right &= read_loops(r, iterators + 1, count - 1, inside, what);
    r->loops = here.outer;
    return right;
}

static bool read_items(reader *r, const void *what)
{
    const foi_ast *e = what;
    return read_list(r, e->items, e->count);
}

static bool read(reader *r, const foi_ast *e)
{
    if (r->depth >= DEEPEST_TEXT || !foi_enter(r->s, e->place)) return true;
    bool right = true;
    r->depth++;
    if (e->kind == FOI_AST_REF) right = read_ref(r, e->ref);
    if (e->kind == FOI_AST_CALL || e->kind == FOI_AST_FUNCTION) right = read_called(r, e->ref);
    right &= read_loops(r, e->iterators, e->iterator_count, read_items, e);
    r->depth--, r->s->depth--;
    return right;
}

static bool read_modifier(reader *r, const foi_modifier *m)
{
    bool right = !m || !m->value || read(r, m->value);
    for (uint32_t i = 0; m && i < m->count; i++)
        right &= read_modifier(r, m->arguments[i].modifier);
    return right;
}

static bool read_equations(reader *r, foi_equation_ast *const *items, uint32_t count);

static bool read_branches(reader *r, const void *what)
{
    const foi_equation_ast *e = what;
    bool right = true;
    for (uint32_t i = 0; i < e->branch_count; i++) {
        const foi_branch_ast *b = &e->branches[i];
        if (b->condition) right &= read(r, b->condition);
        right &= read_equations(r, b->body, b->count);
    }
    return right;
}

static bool read_equations(reader *r, foi_equation_ast *const *items, uint32_t count)
{
    bool right = true;
    for (uint32_t i = 0; i < count; i++) {
        const foi_equation_ast *e = items[i];
        if (e->left) right &= read(r, e->left);
        if (e->right) right &= read(r, e->right);
        right &= read_loops(r, e->iterators, e->iterator_count, read_branches, e);
    }
    return right;
}

// Has the class what a modification changes?
static bool can_be_modified(reader *r, foi_class *t, const char *name)
{
    if (t->builtin) return foi_is_attribute(name);
    return !is_certain(t) || t->expandable || foi_find_member(t, name) ||
           foi_find_in_class(r->s, t, name);
}

static bool read_arguments(reader *r, foi_class *t, const foi_modifier *m)
{
    bool right = true;
    for (uint32_t i = 0; m && i < m->count; i++)
        if (!can_be_modified(r, t, m->arguments[i].name))
            right = foi_error(r->s, m->arguments[i].place, "'%s' has no '%s' to modify", t->name,
                              m->arguments[i].name);
    return right;
}

static bool read_declaration(reader *r, const foi_declaration *d)
{
    foi_class *t = foi_find_class(r->s, r->c, d->type, "type");
    bool right = t && foi_analyse(r->s, t) && read_arguments(r, t, d->modifier);
    right &= read_list(r, d->dims, d->rank) && read_modifier(r, d->modifier);
    return (!d->condition || read(r, d->condition)) && right;
}

// -------------------------------------------------------------------------------------- types

// type T = Real(unit = "m"): attributes, and of what kind their values are, where that is written.
static bool read_attributes(reader *r, foi_class *t, const foi_modifier *m)
{
    static const char *const texts[] = {"unit", "displayUnit", "quantity"};
    bool right = read_arguments(r, t, m);
    for (uint32_t i = 0; right && m && i < m->count; i++) {
        const foi_argument *a = &m->arguments[i];
        const foi_ast *e = a->modifier ? a->modifier->value : NULL;
        bool text = false;
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
            text |= strcmp(texts[k], a->name) == 0;
        if (e && text &&
            (e->kind == FOI_AST_REAL || e->kind == FOI_AST_INTEGER || e->kind == FOI_AST_BOOLEAN))
            right = foi_error(r->s, e->place, "'%s' must be a String", a->name);
    }
    return right;
}

// ------------------------------------------------------------------------------------- imports

static bool is_named(const foi_class *c, const char *name)
{
    return foi_find_member(c, name) || has_literal(c, name);
}

// What is imported must be there, be it used or not. Of the library that is built in there is only
// a part.
static bool read_import(reader *r, const foi_import *import)
{
    foi_session *s = r->s;
    const foi_ref *path = import->path;
    foi_class *c = &s->root;
    size_t errors = s->messages->errors;
    for (uint32_t i = 0; i < path->count; i++) {
        const foi_part *part = &path->parts[i];
        bool last = i + 1 == path->count && import->name;
        foi_class *inner = foi_find_in_class(s, c, part->name);
        if (s->messages->errors > errors) return false;
        if (!inner && c == &s->root && s->apart) return true;
        if (!inner && c == &s->root)
            return foi_error(s, part->place, "'%s' was not found%s", part->name,
                             foi_hint(s, NULL, c, part->name));
        if (!inner && (!foi_analyse(s, c) || !is_certain(c) || (last && is_named(c, part->name))))
            return true;
        if (!inner && s->library_tried && strcmp(path->parts[0].name, "Modelica") == 0) {
            foi_warning(s, part->place, "there is no '%s' in '%s', of which a part is built in",
                        part->name, foi_class_path(s, c));
            return true;
        }
        if (!inner)
            return foi_error(s, part->place, "there is no '%s' in %s '%s'", part->name,
                             foi_class_word(c), foi_class_path(s, c));
        c = inner;
    }
    return true;
}

static bool read_external(reader *r, const foi_external *e)
{
    bool right = !e->result || read(r, e->result);
    return (!e->call || read_list(r, e->call->items, e->call->count)) && right;
}

bool foi_check_names(foi_session *s, foi_class *c)
{
    reader r = {.s = s, .c = c};
    bool right = true;
    if (!foi_analyse(s, c)) return false;
    if (c->is_short && c->enclosing) r.c = c->enclosing; // it is no scope by itself
    right &= read_list(&r, c->dims, c->rank);
    for (uint32_t i = 0; i < c->declaration_count; i++)
        right &= read_declaration(&r, c->declarations[i]);
    for (uint32_t i = 0; i < c->import_count; i++) right &= read_import(&r, &c->imports[i]);
    for (uint32_t i = 0; i < c->extends_count; i++) {
        right &= read_modifier(&r, c->extends[i].modifier);
        foi_class *base = c->extends[i].resolved;
        if (base && base->builtin && !base->literal_count && !base->builtin->literal_count)
            right &= read_attributes(&r, base, c->extends[i].modifier);
    }
    if (c->external) right &= read_external(&r, c->external);
    for (uint32_t i = 0; i < c->section_count; i++)
        right &= read_equations(&r, c->sections[i].items, c->sections[i].count);
    return right;
}
