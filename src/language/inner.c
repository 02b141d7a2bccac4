/// Inner components that nobody declares (Modelica 3.6, section 5.4): the model gets one of the
/// type that the outer component names, as it is, and a warning says so.
#include <string.h>

#include "language/session.h"

enum { MOST_INNERS = 32 };

foi_instance *foi_make_top(foi_session *s, foi_class *c)
{
    foi_instance *top = foi_make_instance(s, c, NULL, "", NULL, NULL);
    foi_component *list = foi_arena_new(&s->arena, c->member_count + MOST_INNERS, sizeof *list);
    if (!top || !list) return NULL;
    if (top->count) memcpy(list, top->components, top->count * sizeof *list);
    top->components = list;
    s->top = top, s->top_room = MOST_INNERS;
    return top;
}

static const foi_instance *root_of(const foi_component *c)
{
    const foi_instance *i = c->parent;
    while (i->parent) i = i->parent->parent;
    return i;
}

// A single component of a class that can be one by itself.
static bool may_be_declared(foi_session *s, const foi_declaration *d)
{
    foi_class *type = foi_find_class(s, d->owner, d->type, "type");
    if (!type || !foi_analyse(s, type) || d->rank || type->builtin || type->partial) return false;
    return type->kind == FOI_CLASS_MODEL || type->kind == FOI_CLASS_BLOCK ||
           type->kind == FOI_CLASS_CLASS || type->kind == FOI_CLASS_RECORD;
}

static foi_declaration *new_declaration(foi_session *s, const foi_declaration *like)
{
    foi_declaration *d = foi_arena_new(&s->arena, 1, sizeof *d);
    if (!d) return NULL;
    *d = (foi_declaration){.name = like->name, .description = like->description};
    d->type = like->type, d->place = like->place, d->owner = like->owner;
    d->variability = like->variability, d->inner = d->made = true;
    return d;
}

foi_component *foi_declare_inner(foi_session *s, foi_component *outer)
{
    const foi_declaration *d = outer->member->declaration;
    foi_instance *top = s->top;
    if (!top || !s->top_room || root_of(outer) != top || foi_find_member(top->c, d->name) ||
        !may_be_declared(s, d))
        return NULL;
    foi_declaration *own = new_declaration(s, d);
    foi_member *m =
        own ? foi_arena_add(&s->arena, &top->c->members, &top->c->member_count, sizeof *m) : NULL;
    if (!m) return NULL;
    *m = (foi_member){.declaration = own};
    if (!foi_index_members(s, top->c)) return NULL;
    foi_component *c = &top->components[top->count++];
    *c = (foi_component){.member = m, .parent = top};
    s->top_room--;
    foi_warning(s, d->place,
                "there is no 'inner %s' in the enclosing models: one is declared in '%s', as it is",
                d->name, top->c->name);
    return c;
}
