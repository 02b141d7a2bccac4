/// What classes may not have: rules of the language that need no more than a look at one class.
#include <stdlib.h>
#include <string.h>

#include "language/session.h"

// ------------------------------------------------------------------------------------------ bases

// May a class of one kind extend one of another (Modelica 3.6, table 7.1)?
static bool may_extend(const foi_class *c, const foi_class *base)
{
    if (c->kind == FOI_CLASS_CLASS || base->kind == FOI_CLASS_CLASS || c->kind == base->kind)
        return true;
    switch (c->kind) {
    case FOI_CLASS_CONNECTOR: return base->kind == FOI_CLASS_TYPE || base->kind == FOI_CLASS_RECORD;
    case FOI_CLASS_BLOCK: return base->kind == FOI_CLASS_RECORD;
    case FOI_CLASS_MODEL: return base->kind == FOI_CLASS_RECORD || base->kind == FOI_CLASS_BLOCK;
    case FOI_CLASS_TYPE: return base->builtin != NULL;
    default: return false;
    }
}

bool foi_check_base(foi_session *s, const foi_class *c, const foi_class *base, foi_place place)
{
    bool more = !c->is_short && (c->declaration_count || c->extends_count > 1);
    if (more && base->is_short && (base->rank || base->causality) && !base->builtin)
        return foi_error(
            s, place,
            "'%s' is an array or has a prefix: a class that extends it can have no other elements",
            base->name);
    if (!c->is_short && c->is_operator && c->kind == FOI_CLASS_RECORD)
        return foi_error(s, place, "an operator record cannot extend anything");
    for (uint32_t i = 0; !c->is_short && c->kind == FOI_CLASS_PACKAGE && i < base->class_count; i++)
        if (base->classes[i]->is_operator && base->classes[i]->kind == FOI_CLASS_RECORD)
            return foi_error(s, place, "'%s' has an operator record: it cannot be extended",
                             base->name);
    if (base->kind == FOI_CLASS_BUILTIN) {
        bool fits = c->kind == FOI_CLASS_TYPE || c->kind == FOI_CLASS_CONNECTOR ||
                    c->kind == FOI_CLASS_CLASS || c->is_short;
        if (fits) return true;
    } else if (may_extend(c, base)) {
        return true;
    }
    return foi_error(s, place, "a %s cannot extend the %s '%s'", foi_class_word(c),
                     foi_class_word(base), base->name);
}

// --------------------------------------------------------------------------------------- contents

static bool is_reserved(const char *name)
{
    static const char *const names[] = {"Real", "Integer", "Boolean", "String"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

// Records and connectors hold data only.
static bool check_data(foi_session *s, const foi_class *c)
{
    const char *word = foi_class_word(c);
    for (uint32_t i = 0; i < c->section_count; i++)
        return foi_error(s, c->sections[i].place, "a %s cannot have equations or algorithms", word);
    for (uint32_t i = 0; i < c->declaration_count; i++) {
        const foi_declaration *d = c->declarations[i];
        if (d->is_protected)
            return foi_error(s, d->place, "'%s': a %s cannot have protected components", d->name,
                             word);
        if (d->inner || d->outer)
            return foi_error(s, d->place, "'%s': a %s cannot have inner or outer components",
                             d->name, word);
        if (c->kind == FOI_CLASS_RECORD && d->causality)
            return foi_error(s, d->place, "'%s': a record cannot have inputs or outputs", d->name);
        if (c->kind == FOI_CLASS_RECORD && (d->flow || d->stream))
            return foi_error(s, d->place, "'%s': a record cannot have flows or streams", d->name);
    }
    return true;
}

static bool check_function(foi_session *s, const foi_class *c)
{
    uint32_t algorithms = 0;
    for (uint32_t i = 0; i < c->section_count; i++) algorithms += c->sections[i].algorithm;
    if (algorithms > 1)
        return foi_error(s, c->sections[1].place, "a function can have only one algorithm section");
    for (uint32_t i = 0; i < c->declaration_count; i++) {
        foi_declaration *d = c->declarations[i];
        bool known = d->variability <= FOI_PARAMETER;
        if (!d->is_protected && !d->causality && !known) { // type U = input Real
            foi_class *type = foi_find_class(s, d->owner, d->type, "type");
            if (!type) return false;
            if (type->is_short) d->causality = type->causality;
            d->causality_of_type = d->causality != FOI_INTERNAL;
        }
        if (!d->is_protected && !d->causality && !known)
            return foi_error(
                s, d->place,
                "'%s' must be an input or an output, or protected: it is in a function", d->name);
    }
    return true;
}

// An operator holds functions only.
static bool check_operator(foi_session *s, const foi_class *c)
{
    if (c->declaration_count)
        return foi_error(s, c->declarations[0]->place,
                         "an operator can contain functions only, not '%s'",
                         c->declarations[0]->name);
    for (uint32_t i = 0; i < c->class_count; i++)
        if (c->classes[i]->kind != FOI_CLASS_FUNCTION)
            return foi_error(s, c->classes[i]->place,
                             "an operator can contain functions only, not '%s'",
                             c->classes[i]->name);
    return true;
}

bool foi_check_contents(foi_session *s, const foi_class *c)
{
    if ((c->origin && c->origin != c) || c->keeps) return true; // said of its text
    for (uint32_t i = 0; i < c->import_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (c->imports[i].name && c->imports[i].name == c->imports[k].name)
                return foi_error(s, c->imports[i].place, "'%s' is imported twice",
                                 c->imports[i].name);
    if (c->name && c->enclosing && is_reserved(c->name))
        return foi_error(s, c->place, "'%s' is the name of a type of the language", c->name);
    for (uint32_t i = 0; i < c->declaration_count; i++) {
        const foi_declaration *d = c->declarations[i];
        if (is_reserved(d->name))
            return foi_error(s, d->place, "'%s' is the name of a type of the language", d->name);
        for (uint32_t k = 0; k < c->class_count; k++)
            if (c->classes[k]->name == d->name)
                return foi_error(s, c->classes[k]->place, "'%s' is a component already", d->name);
        if (c->expandable && d->flow)
            return foi_error(s, d->place,
                             "'%s': an expandable connector cannot have flow variables", d->name);
    }
    for (uint32_t i = 0; c->is_operator && c->kind == FOI_CLASS_RECORD && i < c->class_count; i++)
        if (c->classes[i]->kind == FOI_CLASS_OPERATOR && !check_operator(s, c->classes[i]))
            return false;
    if (c->kind == FOI_CLASS_RECORD || c->kind == FOI_CLASS_CONNECTOR) return check_data(s, c);
    if (c->kind == FOI_CLASS_FUNCTION) return check_function(s, c);
    return true;
}

bool foi_check_literal(foi_session *s, const foi_literal *literal)
{
    static const char *const attributes[] = {"quantity", "min", "max", "start", "fixed"};
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (strcmp(literal->name, attributes[i]) == 0)
            return foi_error(s, literal->place, "'%s' is an attribute: it cannot be a literal",
                             literal->name);
    return true;
}

// ---------------------------------------------------------------------------------------- prefixes

static bool is_model(const foi_class *c)
{
    return c->kind == FOI_CLASS_MODEL || c->kind == FOI_CLASS_BLOCK;
}

// The causality that a short class gives: connector In = input Real.
static foi_causality causality_of(const foi_class *t)
{
    for (int depth = 0; t && depth < FOI_DEEPEST_MODEL; depth++) {
        if (t->causality) return t->causality;
        t = t->extends_count == 1 && (t->is_short || t->builtin) ? t->extends[0].resolved : NULL;
    }
    return FOI_INTERNAL;
}

// What a declaration says of the whole of a structured component may not be said of a part of it.
static bool check_parts(foi_session *s, const foi_declaration *d, const foi_class *t)
{
    for (uint32_t i = 0; !t->builtin && i < t->member_count; i++) {
        const foi_declaration *part = t->members[i].declaration;
        const char *prefix = (d->flow || d->stream) && (part->flow || part->stream)
                                 ? (d->flow ? "flow" : "stream")
                             : t->is_short && t->causality && part->causality
                                 ? (t->causality == FOI_INPUT ? "input" : "output")
                                 : NULL;
        if (prefix)
            return foi_error(s, d->place, "'%s' cannot be '%s': its part '%s' has such a prefix",
                             d->name, prefix, part->name);
    }
    return true;
}

// A block is computed from its inputs to its outputs (Modelica 3.6, section 4.7).
static bool check_block(foi_session *s, const foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    const foi_class *t = c->type, *in = c->parent->c;
    if (in->kind != FOI_CLASS_BLOCK || c->member->is_protected) return true;
    if (t->kind != FOI_CLASS_CONNECTOR || t->builtin || t->expandable || d->causality) return true;
    for (uint32_t i = 0; i < t->member_count; i++)
        if (t->members[i].declaration->flow)
            return foi_error(s, d->place,
                             "'%s' is in a block, whose connectors are inputs and outputs: it "
                             "cannot have the flow '%s'",
                             d->name, t->members[i].declaration->name);
    return true;
}

bool foi_check_prefixes(foi_session *s, const foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    const foi_class *t = c->type;
    if (d->flow && t->builtin && t->type != FOI_REAL)
        return foi_error(s, d->place, "'%s' is a flow: it must be Real, not %s", d->name,
                         t->builtin->name);
    if (d->stream && t->builtin && t->type != FOI_REAL)
        return foi_error(s, d->place, "'%s' is a stream: it must be Real, not %s", d->name,
                         t->builtin->name);
    if (t->kind == FOI_CLASS_CONNECTOR && !t->builtin && d->variability <= FOI_PARAMETER)
        return foi_error(s, d->place, "'%s' is a connector: it cannot be '%s'", d->name,
                         d->variability == FOI_CONSTANT ? "constant" : "parameter");
    if (!check_parts(s, d, t) || !check_block(s, c)) return false;
    if (is_model(t)) {
        const char *prefix = d->flow                           ? "flow"
                             : d->stream                       ? "stream"
                             : d->causality == FOI_INPUT       ? "input"
                             : d->causality == FOI_OUTPUT      ? "output"
                             : d->variability == FOI_CONSTANT  ? "constant"
                             : d->variability == FOI_PARAMETER ? "parameter"
                             : d->variability == FOI_DISCRETE  ? "discrete"
                                                               : NULL;
        if (prefix)
            return foi_error(s, d->place, "'%s' is a %s: it cannot be '%s'", d->name,
                             foi_class_word(t), prefix);
        if (c->parent->frame && c->parent->frame->function)
            return foi_error(s, d->place, "'%s' is a %s: a function cannot have one", d->name,
                             foi_class_word(t));
    }
    if (!d->causality || d->causality_of_type) return true;
    bool twice = causality_of(t) != FOI_INTERNAL;
    for (uint32_t i = 0; !twice && !t->builtin && i < t->member_count; i++)
        twice = t->members[i].declaration->causality != FOI_INTERNAL;
    if (twice)
        return foi_error(s, d->place, "'%s' is an %s, and so is its type or a part of it", d->name,
                         d->causality == FOI_INPUT ? "input" : "output");
    return true;
}

// ---------------------------------------------------------------------------------- redeclarations

bool foi_check_redeclared(foi_session *s, const foi_member *old, const foi_member *m)
{
    const foi_declaration *before = old->declaration, *d = m->declaration;
    const char *why = before->is_final                        ? "is final"
                      : before->variability == FOI_CONSTANT   ? "is a constant"
                      : old->is_protected && !m->is_protected ? "is protected, and this is not"
                      : !old->is_protected && m->is_protected ? "is public, and this is not"
                                                              : NULL;
    if (!why) return true;
    foi_error(s, d->place, "'%s' cannot be redeclared: it %s", d->name, why);
    foi_note(s, before->place, "here it is declared");
    return false;
}

bool foi_check_class_redeclared(foi_session *s, const foi_class *old, const foi_class *own)
{
    const char *why = old->is_final                             ? "is final"
                      : old->is_protected && !own->is_protected ? "is protected, and this is not"
                      : !old->is_protected && own->is_protected ? "is public, and this is not"
                      : !old->replaceable && !foi_origin((foi_class *)old)->replaceable
                          ? "is not replaceable"
                          : NULL;
    if (!why) return true;
    foi_error(s, own->place, "class '%s' cannot be redeclared: it %s", own->name, why);
    foi_note(s, old->place, "here it is declared");
    return false;
}

// Two arguments of one name: what both of them give.
static bool clash(foi_session *s, const foi_argument *a, const foi_argument *b, int depth)
{
    const foi_modifier *m = a->modifier, *n = b->modifier;
    if (!m || !n || depth > FOI_DEEPEST) return true;
    if ((m->value || m->removes) && (n->value || n->removes))
        return foi_error(s, b->place, "'%s' is given a value twice", b->name);
    bool redeclared = (m->type || m->defined) && (n->type || n->defined);
    if (redeclared) return foi_error(s, b->place, "'%s' is redeclared twice", b->name);
    for (uint32_t i = 0; i < m->count; i++)
        for (uint32_t k = 0; k < n->count; k++)
            if (m->arguments[i].name == n->arguments[k].name &&
                !clash(s, &m->arguments[i], &n->arguments[k], depth + 1))
                return false;
    return true;
}

static int by_name(const void *a, const void *b)
{
    const foi_argument *const *x = a, *const *y = b;
    uintptr_t p = (uintptr_t)(*x)->name, q = (uintptr_t)(*y)->name;
    if (p != q) return p < q ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

bool foi_check_once(foi_session *s, const foi_modifier *m)
{
    if (!m || !m->count) return true;
    if (!foi_enter(s, m->place)) return false;
    const foi_argument **list = foi_arena_new(&s->arena, m->count, sizeof *list);
    bool right = list;
    uint32_t count = 0;
    for (uint32_t i = 0; right && i < m->count; i++)
        if (m->arguments[i].modifier) list[count++] = &m->arguments[i];
    if (count > 1) qsort(list, count, sizeof *list, by_name);
    for (uint32_t i = 1; right && i < count; i++)
        for (uint32_t k = i; right && k > 0 && list[k - 1]->name == list[i]->name; k--)
            right = clash(s, list[k - 1], list[i], 0);
    for (uint32_t i = 0; right && i < m->count; i++)
        right = foi_check_once(s, m->arguments[i].modifier);
    s->depth--;
    return right;
}

// ---------------------------------------------------------------------------------------- subtypes

// The first public class of a package, or of its bases, that another one lacks.
static const char *missing_class(foi_session *s, foi_class *c, const foi_class *like)
{
    for (uint32_t i = 0; i < like->ancestor_count; i++) {
        const foi_class *text = like->ancestors[i];
        for (uint32_t k = 0; k < text->class_count; k++)
            if (!text->classes[k]->is_protected && !foi_find_in_class(s, c, text->classes[k]->name))
                return text->classes[k]->name;
    }
    return NULL;
}

uint32_t foi_type_rank(const foi_class *t)
{
    uint32_t rank = 0;
    for (int depth = 0; t && depth < FOI_DEEPEST_MODEL; depth++) {
        rank += t->rank;
        t = t->extends_count == 1 && (t->is_short || t->builtin) ? t->extends[0].resolved : NULL;
    }
    return rank;
}

bool foi_has_all_of(foi_session *s, foi_class *c, foi_class *like, const char **missing)
{
    *missing = NULL;
    if (c == like || foi_as_base(c, foi_origin(like))) return true;
    if (like->kind == FOI_CLASS_PACKAGE && (*missing = missing_class(s, c, like))) return false;
    if (like->builtin || c->builtin) {
        *missing = like->name;
        return like->builtin == c->builtin;
    }
    for (uint32_t i = 0; i < like->member_count; i++) {
        const foi_member *m = &like->members[i];
        if (m->is_protected || foi_find_member(c, m->declaration->name)) continue;
        *missing = m->declaration->name;
        return false;
    }
    return true;
}

static bool check_outer_size(foi_session *s, const foi_component *outer, const foi_component *inner)
{
    const foi_declaration *d = outer->member->declaration;
    foi_context here = {.self = outer->parent, .lexical = d->owner, .frame = outer->parent->frame};
    for (uint32_t i = 0; i < d->rank && i < inner->rank; i++) {
        double size;
        if (d->dims[i]->kind == FOI_AST_COLON) continue;
        if (!foi_expand_known(s, &here, d->dims[i], FOI_INTEGER, "the size", &size)) return false;
        if (size != inner->dims[i])
            return foi_error(s, d->place, "'%s' has the size %.0f, its inner component %u", d->name,
                             size, inner->dims[i]);
    }
    return true;
}

bool foi_check_outer(foi_session *s, foi_component *outer, foi_component *inner)
{
    foi_declaration *d = outer->member->declaration;
    const char *missing;
    if (d->modifier && (d->modifier->count || d->modifier->value))
        return foi_error(s, d->place, "'%s' is outer: only the inner component can be modified",
                         d->name);
    foi_class *expected = foi_find_class(s, d->owner, d->type, "type");
    if (!expected || !foi_analyse(s, expected) || !foi_size(s, inner) || inner->absent)
        return expected != NULL;
    uint32_t rank = d->rank + foi_type_rank(expected);
    if (rank != inner->rank)
        return foi_error(s, d->place, "'%s' has %u dimensions, its inner component %u", d->name,
                         rank, inner->rank);
    if (!check_outer_size(s, outer, inner)) return false;
    if (inner->member->declaration->made && foi_origin(expected) != foi_origin(inner->type))
        return foi_error(
            s, d->place,
            "there is no 'inner %s' in the enclosing models, and the outer ones are of "
            "different types, '%s' and '%s'",
            d->name, inner->type->name, expected->name);
    if (foi_has_all_of(s, inner->type, expected, &missing)) return true;
    if (expected->builtin || inner->type->builtin)
        return foi_error(s, d->place, "the inner '%s' is '%s', and this is '%s'", d->name,
                         inner->type->name, expected->name);
    return foi_error(s, d->place,
                     "the inner '%s' is a '%s', which does not fit '%s': there is no '%s'", d->name,
                     inner->type->name, expected->name, missing);
}
