/// Does the size of something in these expressions depend on a name? Functions are then made for
/// the values of their arguments, and loops are written out.
#include <string.h>

#include "language/session.h"

enum { DEEPEST = 200 };

// Does the name occur? NULL: does any?
static bool mentions(const foi_ast *e, const char *name, int depth)
{
    if (!e || depth > DEEPEST) return false;
    if (e->kind == FOI_AST_REF) {
        if (!name || e->ref->parts[0].name == name) return true;
        for (uint32_t i = 0; i < e->ref->count; i++)
            for (uint32_t k = 0; k < e->ref->parts[i].count; k++)
                if (mentions(e->ref->parts[i].subscripts[k], name, depth + 1)) return true;
        return false;
    }
    // the size of an array is known anyway
    if (e->kind == FOI_AST_CALL && strcmp(e->ref->parts[0].name, "size") == 0) return false;
    for (uint32_t i = 0; i < e->count; i++)
        if (mentions(e->items[i], name, depth + 1)) return true;
    return false;
}

bool foi_mentions(const foi_ast *e, const char *name)
{
    return mentions(e, name, 0);
}

bool foi_has_names(const foi_ast *e)
{
    if (!e) return false;
    bool named = e->kind == FOI_AST_REF || e->kind == FOI_AST_CALL;
    return named || mentions(e, NULL, 0);
}

static bool makes_array(const foi_ast *e)
{
    static const char *const makers[] = {"fill", "zeros", "ones", "identity", "linspace"};
    const char *name = e->ref->parts[0].name;
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++)
        if (e->ref->count == 1 && strcmp(name, makers[i]) == 0) return true;
    return false;
}

/// What is looked for.
typedef struct asked {
    const char *name; ///< sizes that depend on it; NULL: on any name
    foi_session *s;   ///< of a function that is looked at: calls of what is made for values count,
    foi_class *c;     ///< and of itself, since it may end by its argument only; NULL: they do not
    foi_class *lexical;
} asked;

static bool shapes(const foi_ast *e, const asked *a, int depth);

static bool ref_shapes(const foi_ref *ref, const asked *a, int depth)
{
    for (uint32_t i = 0; i < ref->count; i++)
        for (uint32_t k = 0; k < ref->parts[i].count; k++) {
            const foi_ast *subscript = ref->parts[i].subscripts[k];
            if (subscript->kind == FOI_AST_RANGE && mentions(subscript, a->name, depth))
                return true;
            if (shapes(subscript, a, depth)) return true;
        }
    return false;
}

// The function that is called; NULL: it is not found so easily, or none.
static foi_class *called(const asked *a, const foi_ref *ref)
{
    foi_class *c = foi_lookup(a->s, ref->global ? &a->s->root : a->lexical, ref->parts[0].name).c;
    for (uint32_t i = 1; c && i < ref->count; i++)
        c = foi_find_in_class(a->s, c, ref->parts[i].name);
    return c && c->kind == FOI_CLASS_FUNCTION ? c : NULL;
}

// Is something handed on that may be a number for sizes: an Integer, a record?
static bool hands_on(const asked *a, const foi_ast *e)
{
    for (uint32_t i = 0; i < a->c->member_count; i++) {
        const foi_declaration *d = a->c->members[i].declaration;
        if (strcmp(d->type->parts[d->type->count - 1].name, "Real") == 0) continue;
        for (uint32_t k = 0; k < e->count; k++)
            if (mentions(e->items[k], d->name, 0)) return true;
    }
    return false;
}

// How a text is written is known before the run, too: String(x, significantDigits = n).
static bool has_options(const foi_ast *e, const char *name, int depth)
{
    if (e->ref->count != 1 || strcmp(e->ref->parts[0].name, "String") != 0) return false;
    for (uint32_t i = 1; i < e->count; i++)
        if (mentions(e->items[i], name, depth)) return true;
    return false;
}

static bool call_shapes(const foi_ast *e, const asked *a, int depth)
{
    if (has_options(e, a->name, depth)) return true;
    if (makes_array(e) && mentions(e, a->name, depth)) return true;
    if (!a->c) return false;
    if (e->ref->parts[e->ref->count - 1].name == a->c->name) return true;
    if (!hands_on(a, e)) return false;
    foi_class *f = called(a, e->ref);
    return f && foi_analyse(a->s, f) && foi_values_matter(a->s, f);
}

static bool shapes(const foi_ast *e, const asked *a, int depth)
{
    if (!e || depth > DEEPEST) return false;
    if (e->kind == FOI_AST_REF) return ref_shapes(e->ref, a, depth + 1);
    if (e->kind == FOI_AST_RANGE && mentions(e, a->name, depth)) return true;
    for (uint32_t i = 0; i < e->iterator_count; i++)
        if (mentions(e->iterators[i].range, a->name, depth)) return true;
    if (e->kind == FOI_AST_CALL && call_shapes(e, a, depth)) return true;
    for (uint32_t i = 0; i < e->count; i++)
        if (shapes(e->items[i], a, depth + 1)) return true;
    return false;
}

static bool body_shapes(foi_equation_ast *const *items, uint32_t count, const asked *a, int depth)
{
    for (uint32_t i = 0; i < count && depth < DEEPEST; i++) {
        const foi_equation_ast *e = items[i];
        if (shapes(e->left, a, 0) || shapes(e->right, a, 0)) return true;
        for (uint32_t b = 0; b < e->branch_count; b++)
            if (shapes(e->branches[b].condition, a, 0) ||
                body_shapes(e->branches[b].body, e->branches[b].count, a, depth + 1))
                return true;
    }
    return false;
}

bool foi_body_shapes(const foi_branch_ast *body, const char *name)
{
    const asked a = {.name = name};
    return body_shapes(body->body, body->count, &a, 0);
}

bool foi_values_matter(foi_session *s, foi_class *c)
{
    enum { UNKNOWN, NO, YES, ASKED };
    if (c->values_matter) return c->values_matter != NO; // functions may call one another
    bool matter = false;
    c->values_matter = ASKED;
    asked a = {.s = s, .c = c, .lexical = c};
    for (uint32_t i = 0; !matter && i < c->member_count; i++) {
        const foi_declaration *d = c->members[i].declaration;
        for (uint32_t k = 0; k < d->rank; k++) matter |= mentions(d->dims[k], NULL, 0);
        if (d->modifier) matter |= shapes(d->modifier->value, &a, 0);
    }
    for (uint32_t n = 0; !matter && n < c->ancestor_count; n++)
        for (uint32_t i = 0; i < c->ancestors[n]->section_count; i++) {
            const foi_section *section = &c->ancestors[n]->sections[i];
            a.lexical = c->ancestors[n];
            matter |= body_shapes(section->items, section->count, &a, 0);
        }
    c->values_matter = matter ? YES : NO;
    return matter;
}

static bool assigns(const foi_ast *left, const char *name)
{
    if (!left) return false;
    if (left->kind == FOI_AST_REF) return left->ref->parts[0].name == name;
    for (uint32_t i = 0; left->kind == FOI_AST_TUPLE && i < left->count; i++)
        if (assigns(left->items[i], name)) return true;
    return false;
}

static bool body_assigns(foi_equation_ast *const *items, uint32_t count, const char *name,
                         int depth)
{
    for (uint32_t i = 0; i < count; i++) {
        const foi_equation_ast *e = items[i];
        if (depth > DEEPEST || (e->kind == FOI_EQ_EQUAL && assigns(e->left, name))) return true;
        for (uint32_t b = 0; b < e->branch_count; b++)
            if (body_assigns(e->branches[b].body, e->branches[b].count, name, depth + 1))
                return true;
    }
    return false;
}

bool foi_is_assigned(const foi_class *c, const char *name)
{
    for (uint32_t a = 0; a < c->ancestor_count; a++)
        for (uint32_t i = 0; i < c->ancestors[a]->section_count; i++)
            if (body_assigns(c->ancestors[a]->sections[i].items, c->ancestors[a]->sections[i].count,
                             name, 0))
                return true;
    return false;
}

const foi_ast *foi_first_assigned(const foi_class *c, const char *name, foi_class **text)
{
    for (uint32_t a = 0; a < c->ancestor_count; a++)
        for (uint32_t i = 0; i < c->ancestors[a]->section_count; i++) {
            const foi_section *section = &c->ancestors[a]->sections[i];
            for (uint32_t k = 0; k < section->count; k++) {
                const foi_equation_ast *e = section->items[k];
                if (e->kind != FOI_EQ_EQUAL || e->left->kind != FOI_AST_REF) continue;
                const foi_ref *left = e->left->ref;
                if (left->count != 1 || left->parts[0].name != name) continue;
                *text = c->ancestors[a];
                return left->parts[0].count ? NULL : e->right;
            }
        }
    return NULL;
}
