/// What the left sides of an algorithm name: all elements of their arrays, and be it in branches
/// and loops that are not carried out. See equations/unassigned.c.
#include "language/session.h"

static void mark_all(foi_component *c, int depth)
{
    if (c->sizing != FOI_SIZED || c->absent || depth > FOI_DEEPEST_MODEL) return;
    for (uint32_t k = 0; c->variables && k < c->count; k++) c->variables[k]->in_algorithm = true;
    for (uint32_t k = 0; c->elements && k < c->count; k++)
        for (uint32_t i = 0; i < c->elements[k]->c->member_count; i++)
            mark_all(&c->elements[k]->components[i], depth + 1);
}

static void mark_part(foi_component *c, const foi_ref *ref, uint32_t part)
{
    if (part == ref->count) {
        mark_all(c, 0);
        return;
    }
    for (uint32_t k = 0; c->sizing == FOI_SIZED && !c->absent && c->elements && k < c->count; k++) {
        foi_component *inner = foi_component_of(c->elements[k], ref->parts[part].name);
        if (inner) mark_part(inner, ref, part + 1);
    }
}

static void mark(const foi_context *ctx, const foi_ast *left)
{
    foi_component *c = NULL;
    if (left->kind == FOI_AST_REF && !left->ref->global &&
        !foi_in_scope(ctx, left->ref->parts[0].name))
        c = foi_seen(ctx, left->ref->parts[0].name);
    if (c) mark_part(c, left->ref, 1);
    for (uint32_t i = 0; left->kind == FOI_AST_TUPLE && i < left->count; i++)
        if (left->items[i]) mark(ctx, left->items[i]);
}

void foi_mark_left_sides(const foi_context *ctx, foi_equation_ast *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const foi_equation_ast *e = items[i];
        if (e->kind == FOI_EQ_EQUAL) mark(ctx, e->left);
        for (uint32_t b = 0; b < e->branch_count; b++)
            foi_mark_left_sides(ctx, e->branches[b].body, e->branches[b].count);
    }
}
