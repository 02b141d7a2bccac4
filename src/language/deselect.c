/// `extends A(break part, break connect(p, q))`: what is not inherited (Modelica 3.6, section 7.4).
#include "language/session.h"

bool foi_is_left_out(const foi_modifier *m, const char *name)
{
    for (uint32_t i = 0; m && i < m->break_count; i++)
        if (m->breaks[i].name == name) return true;
    return false;
}

static bool is_connection(const foi_equation_ast *e, const foi_break *b)
{
    return e->kind == FOI_EQ_CONNECT && e->left->kind == FOI_AST_REF &&
           e->right->kind == FOI_AST_REF && foi_same_ref(e->left->ref, b->from) &&
           foi_same_ref(e->right->ref, b->to);
}

static bool has_connection(const foi_class *base, const foi_break *b)
{
    for (uint32_t a = 0; a < base->ancestor_count; a++) {
        const foi_class *c = base->ancestors[a];
        for (uint32_t i = 0; i < c->section_count; i++)
            for (uint32_t k = 0; !c->sections[i].algorithm && k < c->sections[i].count; k++)
                if (is_connection(c->sections[i].items[k], b)) return true;
    }
    return false;
}

bool foi_check_left_out(foi_session *s, const foi_class *base, const foi_modifier *m)
{
    for (uint32_t i = 0; m && i < m->break_count; i++) {
        const foi_break *b = &m->breaks[i];
        const foi_instance of = {.c = (foi_class *)base};
        if (b->name && !foi_find_member(base, b->name))
            return foi_error(s, b->place, "%s '%s' has no '%s' that could be left out%s",
                             foi_class_word(base), base->name, b->name,
                             foi_hint(s, &of, NULL, b->name));
        if (!b->name && !has_connection(base, b))
            return foi_error(s, b->place, "%s '%s' has no such connection that could be left out",
                             foi_class_word(base), base->name);
    }
    return true;
}

// Is `c` the class, or one of its bases?
static bool has_base(const foi_class *c, foi_class *base)
{
    for (uint32_t i = 0; c && i < c->ancestor_count; i++)
        if (foi_origin(c->ancestors[i]) == foi_origin(base)) return true;
    return false;
}

static bool is_of(const foi_ast *end, const char *name)
{
    return end->kind == FOI_AST_REF && end->ref->parts[0].name == name;
}

bool foi_is_connection_left_out(const foi_context *ctx, const foi_equation_ast *e)
{
    const foi_class *whole = ctx->self ? ctx->self->c : NULL;
    if (!whole || !whole->deselects) return false;
    for (uint32_t a = 0; a < whole->ancestor_count; a++) {
        const foi_class *c = whole->ancestors[a];
        for (uint32_t i = 0; c->deselects && i < c->extends_count; i++) {
            const foi_modifier *m = c->extends[i].modifier;
            if (!m || !m->break_count || !has_base(c->extends[i].resolved, ctx->lexical)) continue;
            for (uint32_t k = 0; k < m->break_count; k++) {
                const foi_break *b = &m->breaks[k];
                if (b->name ? is_of(e->left, b->name) || is_of(e->right, b->name)
                            : is_connection(e, b))
                    return true;
            }
        }
    }
    return false;
}
