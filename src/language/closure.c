/// Functions as arguments: the name of a function, or `function f(a = 2)`, where some inputs are
/// given.
///
/// The callee is made for the functions that it gets, as it is for the sizes of arrays. What was
/// given to their inputs is handed over in hidden inputs of the callee, so that it may be any
/// expression.
#include <string.h>

#include "language/session.h"

static uint32_t input_count(const foi_class *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->member_count; i++)
        count += c->members[i].declaration->causality == FOI_INPUT;
    return count;
}

static bool is_bound(const foi_closure *f, const char *name)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->names[i] == name) return true;
    return false;
}

// Inputs that a call must give.
static uint32_t needed_count(foi_session *s, const foi_closure *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->c->member_count; i++) {
        const foi_member *m = &f->c->members[i];
        foi_context there = {0};
        count += m->declaration->causality == FOI_INPUT && !is_bound(f, m->declaration->name) &&
                 !foi_default_value(s, f->self, m, &there);
    }
    return count;
}

bool foi_is_handed_over(const foi_component *c)
{
    return c->given && c->given->function;
}

const foi_value *foi_functional_input(const foi_context *ctx, const foi_ref *ref)
{
    if (ref->count != 1 || ref->global || ref->parts[0].count) return NULL;
    const char *name = ref->parts[0].name;
    const foi_scope *local = foi_in_scope(ctx, name);
    if (local) return local->value.function ? &local->value : NULL;
    const foi_component *c = foi_seen(ctx, name);
    return c && foi_is_handed_over(c) ? c->given : NULL;
}

// The inputs that `function f(a = 2)` gives, after those that f was given before.
static bool bind(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_closure *f)
{
    uint32_t before = f->count, all = before + e->count;
    const char **names = foi_arena_new(&s->arena, all, sizeof *names);
    foi_value *values = foi_arena_new(&s->arena, all, sizeof *values);
    if (!names || !values) return false;
    for (uint32_t i = 0; i < before; i++) names[i] = f->names[i], values[i] = f->values[i];
    for (uint32_t i = 0; i < e->count; i++) {
        const char *name = e->names ? e->names[i] : NULL;
        if (!name)
            return foi_error(
                s, e->items[i]->place,
                "an argument of 'function %s(...)' needs the name of an input: name = value",
                f->c->name);
        const foi_member *m = foi_find_member(f->c, name);
        if (!m || m->declaration->causality != FOI_INPUT)
            return foi_error(s, e->items[i]->place, "function '%s' has no argument '%s'",
                             f->c->name, name);
        for (uint32_t k = 0; k < before + i; k++)
            if (names[k] == name)
                return foi_error(s, e->items[i]->place, "'%s' is given already", name);
        names[before + i] = name;
        bool right = foi_is_functional(s, m)
                         ? foi_expand_function(s, ctx, e->items[i], &values[before + i])
                         : foi_expand(s, ctx, e->items[i], &values[before + i]);
        if (!right) return false;
    }
    f->names = names, f->values = values, f->count = all;
    return true;
}

bool foi_expand_function(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_value *out)
{
    foi_closure *f = foi_arena_new(&s->arena, 1, sizeof *f);
    if (!f) return false;
    if (e->kind != FOI_AST_REF && e->kind != FOI_AST_FUNCTION)
        return foi_error(s, e->place,
                         "a function is expected here: its name, or 'function f(...)'");
    const foi_value *known = foi_functional_input(ctx, e->ref);
    if (known) {
        *f = *known->function;
    } else {
        f->c = foi_called_class(s, ctx, e, &f->self);
        if (!f->c) return false;
        if (f->c->kind != FOI_CLASS_FUNCTION)
            return foi_error(s, e->place, "'%s' is a %s, not a function", f->c->name,
                             foi_class_word(f->c));
    }
    if (e->kind == FOI_AST_FUNCTION && !bind(s, ctx, e, f)) return false;
    *out = (foi_value){.function = f};
    return true;
}

bool foi_is_functional(foi_session *s, const foi_member *m)
{
    foi_declaration *d = m->declaration;
    if (!d->resolved) d->resolved = foi_find_class(s, d->owner, d->type, "type");
    return d->resolved && foi_analyse(s, d->resolved) && d->resolved->kind == FOI_CLASS_FUNCTION;
}

bool foi_check_function(foi_session *s, foi_place place, const foi_member *m, const foi_value *v)
{
    const foi_closure *f = v->function;
    uint32_t wanted = input_count(m->declaration->resolved), has = input_count(f->c) - f->count;
    if (needed_count(s, f) <= wanted && wanted <= has) return true;
    return foi_error(s, place, "'%s' must be a function with %u input%s, not %u as '%s'",
                     m->declaration->name, wanted, wanted == 1 ? "" : "s", has, f->c->name);
}

// A value like `v` in hidden locals.
static bool hide(foi_session *s, const char *name, const foi_value *v, foi_flat_variable ***locals,
                 uint32_t *count, foi_value *out)
{
    *out = *v;
    if (v->function) return foi_hide_function(s, name, v, locals, count, out);
    if (v->record) {
        out->fields = foi_arena_new(&s->arena, v->record->member_count, sizeof *out->fields);
        for (uint32_t i = 0; out->fields && i < v->record->member_count; i++)
            if (!hide(s, name, &v->fields[i], locals, count, &out->fields[i])) return false;
        return out->fields;
    }
    const foi_flat_expr **list = foi_arena_new(&s->arena, v->count, sizeof *list);
    if (!list) return false;
    for (uint32_t i = 0; i < v->count; i++) {
        foi_flat_variable *x = foi_arena_new(&s->flat->arena, 1, sizeof *x);
        foi_flat_variable **slot = foi_arena_add(&s->flat->arena, locals, count, sizeof *slot);
        if (!x || !slot) return false;
        *x = (foi_flat_variable){.name = name, .index = *count - 1, .type = v->type};
        x->variability = v->type == FOI_REAL ? FOI_CONTINUOUS : FOI_DISCRETE, x->local = true;
        *slot = x;
        if (!(list[i] = foi_flat_of(s->flat, x))) return false;
    }
    out->list = list;
    if (v->rank == 0) out->one = list[0];
    return true;
}

bool foi_hide_function(foi_session *s, const char *name, const foi_value *v,
                       foi_flat_variable ***locals, uint32_t *count, foi_value *out)
{
    foi_closure *f = foi_arena_new(&s->arena, 1, sizeof *f);
    foi_value *values = foi_arena_new(&s->arena, v->function->count, sizeof *values);
    const char *own = foi_arena_text(&s->flat->arena, name, strlen(name));
    if (!f || !values || !own) return false;
    *f = *v->function;
    for (uint32_t i = 0; i < f->count; i++)
        if (!hide(s, own, &v->function->values[i], locals, count, &values[i])) return false;
    f->values = values;
    *out = (foi_value){.function = f};
    return true;
}
