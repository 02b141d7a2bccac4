/// Are two elements written alike, and do they mean the same? What is inherited on two ways must.
#include <string.h>

#include "language/session.h"

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_expression(const foi_ast *a, const foi_ast *b, int depth);

static bool same_ref(const foi_ref *a, const foi_ref *b, int depth)
{
    if (!a || !b) return a == b;
    if (a->count != b->count || a->global != b->global) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->parts[i].name != b->parts[i].name || a->parts[i].count != b->parts[i].count)
            return false;
        for (uint32_t k = 0; k < a->parts[i].count; k++)
            if (!same_expression(a->parts[i].subscripts[k], b->parts[i].subscripts[k], depth))
                return false;
    }
    return true;
}

static bool same_leaf(const foi_ast *a, const foi_ast *b, int depth)
{
    switch (a->kind) {
    case FOI_AST_REAL:
    case FOI_AST_INTEGER:
    case FOI_AST_BOOLEAN: return a->number == b->number;
    case FOI_AST_STRING: return same_text(a->text, b->text);
    case FOI_AST_REF:
    case FOI_AST_CALL:
    case FOI_AST_FUNCTION: return same_ref(a->ref, b->ref, depth);
    default: return true;
    }
}

static bool same_expression(const foi_ast *a, const foi_ast *b, int depth)
{
    if (a == b) return true;
    if (!a || !b || depth > FOI_DEEPEST || a->kind != b->kind || a->op != b->op ||
        a->count != b->count || a->elementwise != b->elementwise ||
        a->iterator_count != b->iterator_count || !same_leaf(a, b, depth + 1))
        return false;
    bool named = a->kind == FOI_AST_CALL || a->kind == FOI_AST_FUNCTION;
    for (uint32_t i = 0; i < a->count; i++) {
        if (named && (a->names ? a->names[i] : NULL) != (b->names ? b->names[i] : NULL))
            return false;
        if (!same_expression(a->items[i], b->items[i], depth + 1)) return false;
    }
    for (uint32_t i = 0; i < a->iterator_count; i++)
        if (a->iterators[i].name != b->iterators[i].name ||
            !same_expression(a->iterators[i].range, b->iterators[i].range, depth + 1))
            return false;
    return true;
}

static bool same_modifier(const foi_modifier *a, const foi_modifier *b, int depth)
{
    if (a == b) return true;
    if (!a || !b || depth > FOI_DEEPEST || a->count != b->count || a->defined != b->defined ||
        a->removes != b->removes || !same_ref(a->type, b->type, depth) ||
        !same_expression(a->value, b->value, depth))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->arguments[i].name != b->arguments[i].name ||
            !same_modifier(a->arguments[i].modifier, b->arguments[i].modifier, depth + 1))
            return false;
    return true;
}

// The last part of a type's name: how it is reached may differ; see foi_same_meaning.
static bool same_type(const foi_ref *a, const foi_ref *b)
{
    return a->parts[a->count - 1].name == b->parts[b->count - 1].name;
}

bool foi_same_expression(const foi_ast *a, const foi_ast *b)
{
    return same_expression(a, b, 0);
}

// Alike but for start values and other attributes of a variable.
bool foi_same_but_attributes(const foi_declaration *a, const foi_declaration *b)
{
    foi_declaration x = *a, y = *b;
    if (a == b || (a->modifier && a->modifier->value) || (b->modifier && b->modifier->value))
        return false;
    x.modifier = y.modifier = NULL;
    return a->owner != b->owner && foi_same_declaration(&x, &y);
}

bool foi_same_declaration(const foi_declaration *a, const foi_declaration *b)
{
    if (a == b) return true;
    bool prefixes = a->variability == b->variability && a->causality == b->causality &&
                    a->flow == b->flow && a->stream == b->stream && a->inner == b->inner &&
                    a->outer == b->outer;
    if (!prefixes || a->rank != b->rank || !same_type(a->type, b->type)) return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (!same_expression(a->dims[i], b->dims[i], 0)) return false;
    return same_modifier(a->modifier, b->modifier, 0) &&
           same_expression(a->condition, b->condition, 0);
}

// --------------------------------------------------------------------------------- what they mean

// Names of loops inside of the expression.
typedef struct looped {
    const char *name;
    const struct looped *outer;
} looped;

// Two texts that are written alike, in two classes.
typedef struct texts {
    foi_session *s;
    foi_class *a, *b;
} texts;

// Is the name a component there? The analysis of the class may be under way.
static bool is_component(const foi_class *c, const char *name, int depth)
{
    if (c->analysis == FOI_ANALYSED) return foi_find_member(c, name);
    for (uint32_t i = 0; i < c->declaration_count; i++)
        if (c->declarations[i]->name == name) return true;
    for (uint32_t i = 0; i < c->extends_count && depth < FOI_DEEPEST_MODEL; i++) {
        const foi_class *base = c->extends[i].resolved;
        if (base && base != c && is_component(base, name, depth + 1)) return true;
    }
    return false;
}

bool foi_same_class(foi_session *s, foi_class *a, foi_class *b)
{
    if (a == b) return true;
    if (!a || !b) return false;
    return foi_origin(a) == foi_origin(b) ||
           strcmp(foi_class_path(s, a), foi_class_path(s, b)) == 0;
}

static bool name_agrees(const texts *t, const char *name)
{
    bool a = is_component(t->a, name, 0), b = is_component(t->b, name, 0);
    if (a || b) return a && b; // a component of the class that inherits both
    foi_found x = foi_lookup(t->s, t->a, name), y = foi_lookup(t->s, t->b, name);
    if (x.member || y.member)
        return x.member && y.member && foi_same_class(t->s, x.owner, y.owner) &&
               x.member->declaration->place.line == y.member->declaration->place.line;
    return x.literal == y.literal && foi_same_class(t->s, x.c, y.c);
}

static bool expression_agrees(const texts *t, const foi_ast *e, const looped *l, int depth);

static bool ref_agrees(const texts *t, const foi_ref *ref, const looped *l, int depth)
{
    bool inside = ref->global;
    for (const looped *o = l; o; o = o->outer) inside |= o->name == ref->parts[0].name;
    if (!inside && !name_agrees(t, ref->parts[0].name)) return false;
    for (uint32_t i = 0; i < ref->count; i++)
        for (uint32_t k = 0; k < ref->parts[i].count; k++)
            if (!expression_agrees(t, ref->parts[i].subscripts[k], l, depth)) return false;
    return true;
}

static bool items_agree(const texts *t, const foi_ast *e, uint32_t at, const looped *l, int depth)
{
    if (at < e->iterator_count) {
        looped inner = {e->iterators[at].name, l};
        return expression_agrees(t, e->iterators[at].range, l, depth) &&
               items_agree(t, e, at + 1, &inner, depth);
    }
    for (uint32_t i = 0; i < e->count; i++)
        if (!expression_agrees(t, e->items[i], l, depth)) return false;
    return true;
}

static bool expression_agrees(const texts *t, const foi_ast *e, const looped *l, int depth)
{
    if (!e) return true;
    if (depth > FOI_DEEPEST) return false;
    bool named = e->kind == FOI_AST_REF || e->kind == FOI_AST_CALL || e->kind == FOI_AST_FUNCTION;
    if (named && !ref_agrees(t, e->ref, l, depth + 1)) return false;
    return items_agree(t, e, 0, l, depth + 1);
}

static bool modifier_agrees(const texts *t, const foi_modifier *m, int depth)
{
    if (!m) return true;
    if (depth > FOI_DEEPEST || !expression_agrees(t, m->value, NULL, depth)) return false;
    if (m->type && !ref_agrees(t, m->type, NULL, depth)) return false;
    for (uint32_t i = 0; i < m->count; i++)
        if (!modifier_agrees(t, m->arguments[i].modifier, depth + 1)) return false;
    return true;
}

static bool type_agrees(const texts *t, const foi_declaration *a, const foi_declaration *b)
{
    foi_class *x = a->resolved ? a->resolved : foi_find_class(t->s, t->a, a->type, "type");
    foi_class *y = b->resolved ? b->resolved : foi_find_class(t->s, t->b, b->type, "type");
    return !x || !y || foi_same_class(t->s, x, y); // what is missing is said already
}

// The next modification of this name by an extends clause, and the clause.
static const foi_modifier *next_said(const foi_inherited **i, const char *name)
{
    for (; *i; *i = (*i)->weaker)
        for (uint32_t k = 0; k < (*i)->modifier->count; k++)
            if ((*i)->modifier->arguments[k].name == name)
                return (*i)->modifier->arguments[k].modifier;
    return NULL;
}

// What the extends clauses on the two ways say.
static bool clauses_agree(foi_session *s, const foi_member *a, const foi_member *b)
{
    const foi_inherited *x = a->through, *y = b->through;
    while (x != y) {
        const foi_modifier *m = next_said(&x, a->declaration->name);
        const foi_modifier *n = next_said(&y, a->declaration->name);
        if (!m && !n) return true;
        if (!m || !n || !same_modifier(m, n, 0)) return false;
        const texts t = {s, x->lexical, y->lexical};
        if (x->lexical != y->lexical && !modifier_agrees(&t, m, 0)) return false;
        x = x->weaker, y = y->weaker;
    }
    return true;
}

bool foi_same_meaning(foi_session *s, const foi_member *a, const foi_member *b)
{
    const foi_declaration *x = a->declaration, *y = b->declaration;
    if (!clauses_agree(s, a, b)) return false;
    const texts t = {s, x->owner, y->owner};
    if (x == y || x->owner == y->owner) return true;
    if (!type_agrees(&t, x, y) || !modifier_agrees(&t, x->modifier, 0)) return false;
    for (uint32_t i = 0; i < x->rank; i++)
        if (!expression_agrees(&t, x->dims[i], NULL, 0)) return false;
    return expression_agrees(&t, x->condition, NULL, 0);
}

bool foi_same_ref(const foi_ref *a, const foi_ref *b)
{
    return same_ref(a, b, 0);
}
