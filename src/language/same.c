/// Are two elements written alike? What is inherited on two ways must be.
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
        !same_ref(a->type, b->type, depth) || !same_expression(a->value, b->value, depth))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->arguments[i].name != b->arguments[i].name ||
            !same_modifier(a->arguments[i].modifier, b->arguments[i].modifier, depth + 1))
            return false;
    return true;
}

// The last part of a type's name: how it is reached may differ.
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
