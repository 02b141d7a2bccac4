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

static bool shapes(const foi_ast *e, const char *name, const char *function, int depth);

static bool ref_shapes(const foi_ref *ref, const char *name, const char *function, int depth)
{
    for (uint32_t i = 0; i < ref->count; i++)
        for (uint32_t k = 0; k < ref->parts[i].count; k++) {
            const foi_ast *subscript = ref->parts[i].subscripts[k];
            if (subscript->kind == FOI_AST_RANGE && mentions(subscript, name, depth)) return true;
            if (shapes(subscript, name, function, depth)) return true;
        }
    return false;
}

// `function`: a call of it counts as well, since it may end by its argument only.
static bool shapes(const foi_ast *e, const char *name, const char *function, int depth)
{
    if (!e || depth > DEEPEST) return false;
    if (e->kind == FOI_AST_REF) return ref_shapes(e->ref, name, function, depth + 1);
    if (e->kind == FOI_AST_RANGE && mentions(e, name, depth)) return true;
    for (uint32_t i = 0; i < e->iterator_count; i++)
        if (mentions(e->iterators[i].range, name, depth)) return true;
    if (e->kind == FOI_AST_CALL) {
        if (makes_array(e) && mentions(e, name, depth)) return true;
        if (function && e->ref->parts[e->ref->count - 1].name == function) return true;
    }
    for (uint32_t i = 0; i < e->count; i++)
        if (shapes(e->items[i], name, function, depth + 1)) return true;
    return false;
}

static bool body_shapes(foi_equation_ast *const *items, uint32_t count, const char *name,
                        const char *function, int depth)
{
    for (uint32_t i = 0; i < count && depth < DEEPEST; i++) {
        const foi_equation_ast *e = items[i];
        if (shapes(e->left, name, function, 0) || shapes(e->right, name, function, 0)) return true;
        for (uint32_t b = 0; b < e->branch_count; b++)
            if (shapes(e->branches[b].condition, name, function, 0) ||
                body_shapes(e->branches[b].body, e->branches[b].count, name, function, depth + 1))
                return true;
    }
    return false;
}

bool foi_body_shapes(const foi_branch_ast *body, const char *name)
{
    return body_shapes(body->body, body->count, name, NULL, 0);
}

bool foi_values_matter(foi_class *c)
{
    if (c->values_matter) return c->values_matter == 2;
    bool matter = false;
    for (uint32_t i = 0; !matter && i < c->member_count; i++) {
        const foi_declaration *d = c->members[i].declaration;
        for (uint32_t k = 0; k < d->rank; k++) matter |= mentions(d->dims[k], NULL, 0);
        if (d->modifier) matter |= shapes(d->modifier->value, NULL, c->name, 0);
    }
    for (uint32_t a = 0; !matter && a < c->ancestor_count; a++)
        for (uint32_t i = 0; i < c->ancestors[a]->section_count; i++) {
            const foi_section *section = &c->ancestors[a]->sections[i];
            matter |= body_shapes(section->items, section->count, NULL, c->name, 0);
        }
    c->values_matter = matter ? 2 : 1;
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
