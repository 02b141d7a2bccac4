/// Meanings of classes: one text, several environments.
///
/// A class that is inherited by a package finds its names in that package, which may have
/// redeclared them; a model whose class `Medium` was redeclared has another `Medium`, and so have
/// its bases. Each such meaning is a copy of the class, made when it is first needed: it shares the
/// text and has an analysis of its own. What makes it differ are the class around it and the list
/// of names with another meaning, so two that agree in both are the same copy.
#include <string.h>

#include "language/session.h"

static bool same_overrides(const foi_class *c, const foi_override *overrides, uint32_t count)
{
    if (c->override_count != count) return false;
    for (uint32_t i = 0; i < count; i++)
        if (c->overrides[i].name != overrides[i].name || c->overrides[i].c != overrides[i].c)
            return false;
    return true;
}

// Declarations and extends clauses remember what their names mean: each meaning has its own.
static bool copy_elements(foi_session *s, foi_class *c)
{
    const foi_class *from = c->origin;
    foi_declaration **list = foi_arena_new(&s->arena, from->declaration_count, sizeof *list);
    foi_declaration *all = foi_arena_new(&s->arena, from->declaration_count, sizeof *all);
    foi_extends *extends = foi_arena_new(&s->arena, from->extends_count, sizeof *extends);
    if (!list || !all || !extends) return false;
    for (uint32_t i = 0; i < from->declaration_count; i++) {
        all[i] = *from->declarations[i];
        all[i].owner = c, all[i].resolved = NULL;
        list[i] = &all[i];
    }
    for (uint32_t i = 0; i < from->extends_count; i++) {
        extends[i] = from->extends[i];
        extends[i].busy = false;
        if ((extends[i].base || !c->bound) && !c->keeps) extends[i].resolved = NULL;
    }
    c->declarations = list, c->extends = extends;
    return true;
}

static foi_class *make_copy(foi_session *s, foi_class *origin, foi_class *around,
                            const foi_override *overrides, uint32_t count)
{
    foi_class *c = foi_arena_new(&s->arena, 1, sizeof *c);
    foi_override *kept = foi_arena_new(&s->arena, count, sizeof *kept);
    foi_class **slot = foi_arena_add(&s->arena, &origin->copies, &origin->copy_count, sizeof *slot);
    if (!c || !kept || !slot) {
        if (slot) origin->copy_count--;
        return NULL;
    }
    *c = *origin;
    if (count) memcpy(kept, overrides, count * sizeof *kept);
    c->origin = origin, c->around = around, c->overrides = kept, c->override_count = count;
    c->copies = NULL, c->copy_count = 0, c->views = NULL, c->view_count = 0;
    c->analysis = FOI_NOT_ANALYSED;
    c->derivatives = NULL, c->derivative_count = 0;
    c->builtin = NULL, c->attributes = NULL, c->constants = NULL;
    c->members = NULL, c->member_count = 0, c->member_table = NULL, c->member_table_size = 0;
    c->ancestors = NULL, c->ancestor_count = 0, c->literal_names = NULL;
    *slot = c;
    return copy_elements(s, c) ? c : NULL;
}

foi_class *foi_specialise(foi_session *s, foi_class *c, foi_class *around,
                          const foi_override *overrides, uint32_t count)
{
    foi_class *origin = foi_origin(c);
    // types of the language and enumerations mean the same everywhere
    if (c->kind == FOI_CLASS_BUILTIN || c->literal_count) return c;
    if (around == origin->enclosing) around = NULL;
    if (!around && !count) return origin;
    for (uint32_t i = 0; i < origin->copy_count; i++)
        if (origin->copies[i]->origin == origin && origin->copies[i]->around == around &&
            same_overrides(origin->copies[i], overrides, count))
            return origin->copies[i];
    if (!foi_work(s, c->place, 1 + origin->declaration_count)) return NULL;
    return make_copy(s, origin, around, overrides, count);
}

foi_class *foi_view(foi_session *s, foi_class *text, foi_class *in)
{
    if (foi_origin(text) == foi_origin(in)) return in;
    for (uint32_t i = 0; i < in->view_count; i++)
        if (foi_origin(in->views[i]) == foi_origin(text)) return in->views[i];
    foi_class *c = foi_arena_new(&s->arena, 1, sizeof *c);
    foi_class **slot =
        c ? foi_arena_add(&s->arena, &in->views, &in->view_count, sizeof *slot) : NULL;
    if (!slot) return NULL;
    *c = *text;
    c->origin = foi_origin(text), c->stands = in, c->view_count = 0, c->views = NULL;
    return *slot = c;
}

foi_class *foi_written_around(foi_session *s, foi_class *c)
{
    foi_class *view = c->around ? foi_view(s, c->enclosing, c->around) : NULL;
    return view ? view : c->enclosing;
}

static bool modifier_names(const foi_modifier *m, int depth)
{
    if (!m || depth > FOI_DEEPEST_MODEL) return false;
    bool any = foi_has_names(m->value);
    for (uint32_t i = 0; !any && i < m->count; i++)
        any = modifier_names(m->arguments[i].modifier, depth + 1);
    return any;
}

bool foi_mentions_names(const foi_class *c)
{
    bool any = false, plain = c->is_short && c->extends_count == 1 && c->origin != c;
    for (uint32_t i = 0; plain && i < c->rank; i++) any |= foi_has_names(c->dims[i]);
    return any || (plain && modifier_names(c->extends->modifier, 0));
}

// ------------------------------------------------------------------------------- redeclarations

enum { MOST_OVERRIDES = 64 };

typedef struct overrides {
    foi_override list[MOST_OVERRIDES];
    uint32_t count;
} overrides;

static bool has_override(const overrides *o, const char *name)
{
    for (uint32_t i = 0; i < o->count; i++)
        if (o->list[i].name == name) return true;
    return false;
}

static bool add_override(foi_session *s, overrides *o, foi_place place, const char *name,
                         foi_class *c)
{
    if (!c) return false;
    if (has_override(o, name)) return true; // a stronger one is there
    if (o->count == MOST_OVERRIDES)
        return foi_error(s, place, "more than %d classes are redeclared at once", MOST_OVERRIDES);
    o->list[o->count++] = (foi_override){name, c};
    return true;
}

// Another name for a class, which remembers it.
static foi_class *another_name(foi_session *s, foi_class *target, foi_extends e)
{
    foi_class *c = foi_arena_new(&s->arena, 1, sizeof *c);
    foi_extends *extends = foi_arena_new(&s->arena, 1, sizeof *extends);
    foi_class **slot = foi_arena_add(&s->arena, &target->copies, &target->copy_count, sizeof *slot);
    if (!c || !extends || !slot) {
        if (slot) target->copy_count--;
        return NULL;
    }
    *extends = e;
    *c = (foi_class){.kind = target->kind, .name = target->name, .place = target->place};
    c->is_short = true, c->extends = extends, c->extends_count = 1;
    c->partial = target->partial, c->is_operator = target->is_operator;
    c->replaceable = target->replaceable;
    c->origin = c; // not to be specialised further
    return *slot = c;
}

// The same with modifications that are understood where they are written.
static foi_class *modified(foi_session *s, const foi_argument *a, foi_class *target,
                           foi_class *lexical, foi_instance *self)
{
    const foi_modifier *m = a->modifier;
    // the same redeclaration at the same place is the same class
    for (uint32_t i = 0; i < target->copy_count; i++) {
        foi_class *c = target->copies[i];
        if (c->is_short && c->bound == self && c->name == a->name && c->extends_count == 1 &&
            c->extends->modifier == m && c->enclosing == foi_origin(lexical) &&
            c->around == lexical)
            return c;
    }
    foi_class *c =
        another_name(s, target, (foi_extends){.base = m->type, .modifier = m, .place = m->place});
    if (!c) return NULL;
    c->extends->resolved = foi_redeclare_classes(
        s, target, &(foi_layer){.modifier = m, .context = {.self = self, .lexical = lexical}});
    c->name = a->name, c->place = a->place, c->bound = self;
    c->enclosing = foi_origin(lexical), c->around = lexical;
    c->replaceable = true; // as what it stands for was
    return c->extends->resolved ? c : NULL;
}

foi_class *foi_type_seen_from(foi_session *s, foi_class *type, foi_class *in)
{
    bool said = type->origin == type && type->is_short && !type->bound && type->around;
    if (!said || foi_origin(type->around) == foi_origin(in)) return type;
    foi_class *lexical = foi_view(s, type->around, in);
    for (uint32_t i = 0; i < type->copy_count; i++)
        if (type->copies[i]->around == lexical) return type->copies[i];
    foi_class *c = lexical ? foi_arena_new(&s->arena, 1, sizeof *c) : NULL;
    foi_class **slot =
        c ? foi_arena_add(&s->arena, &type->copies, &type->copy_count, sizeof *slot) : NULL;
    if (!slot) return NULL;
    *c = *type;
    c->around = lexical, c->origin = c, c->copies = NULL, c->copy_count = 0;
    c->analysis = FOI_NOT_ANALYSED, c->builtin = NULL, c->attributes = NULL;
    c->ancestors = NULL, c->ancestor_count = 0;
    return *slot = c;
}

// The class that is declared by this name, whatever was redeclared since.
static foi_class *declared(foi_session *s, foi_class *c, const char *name, int depth)
{
    foi_class *text = foi_origin(c);
    for (uint32_t i = 0; i < text->class_count; i++)
        if (text->classes[i]->name == name && !text->classes[i]->redeclare)
            return text == c ? text->classes[i] : foi_specialise(s, text->classes[i], c, NULL, 0);
    for (uint32_t i = 0; i < c->extends_count && depth < FOI_DEEPEST_MODEL; i++) {
        foi_class *base = c->extends[i].busy ? NULL : foi_base_of(s, c, &c->extends[i]);
        foi_class *found = base && base != c ? declared(s, base, name, depth + 1) : NULL;
        if (found) return found;
    }
    return NULL;
}

// A class with the modifications that count for all that take the place of `said`: those of its
// constrainedby clause, or its own where it is short and has none (Modelica 3.6, section 7.3.2).
static foi_class *keeping(foi_session *s, foi_class *target, const foi_class *said)
{
    const foi_modifier *m = said ? said->kept : NULL;
    if (!target || !m || !m->count) return target;
    for (uint32_t i = 0; i < target->copy_count; i++) {
        foi_class *c = target->copies[i];
        if (c->keeps && c->extends->modifier == m && c->enclosing == said->enclosing &&
            c->around == said->around)
            return c;
    }
    foi_class *c = another_name(
        s, target, (foi_extends){.modifier = m, .resolved = target, .place = said->place});
    if (!c) return NULL;
    c->enclosing = said->enclosing, c->around = said->around, c->keeps = true;
    return c;
}

// The constrainedby clause of the redeclaration that a class comes from: it stands for a class of
// which only that is known.
static const foi_class *clause_of(const foi_class *c)
{
    for (int depth = 0; depth < FOI_DEEPEST_MODEL; depth++) {
        bool made = c->is_short && c->origin == c && c->extends_count == 1;
        if (c->clause || !made || !c->extends->resolved) return c->clause;
        c = c->extends->resolved;
    }
    return NULL;
}

static foi_class *new_clause(foi_session *s, const foi_argument *a, foi_class *lexical)
{
    foi_class *c = foi_arena_new(&s->arena, 1, sizeof *c);
    if (!c) return NULL;
    *c = (foi_class){.name = a->name, .enclosing = foi_origin(lexical), .place = a->place};
    c->around = lexical, c->kept = a->modifier->kept;
    return c;
}

// The new class with all that counts for it although it was said before: of the class `c` in which
// the name was declared, and of a redeclaration that gave `found`.
static foi_class *with_kept(foi_session *s, foi_class *c, const foi_class *found,
                            const foi_argument *a, foi_class *lexical, foi_class *target)
{
    bool own = a->modifier->kept && a->modifier->kept->count;
    const foi_class *clause = own ? new_clause(s, a, lexical) : clause_of(found);
    if (own && !clause) return NULL;
    target = keeping(s, target, declared(s, c, a->name, 0));
    if (!target || !clause) return target;
    target = keeping(s, target, clause);
    if (target) target->clause = clause;
    return target;
}

// redeclare model Name = Type(...): a short class of its own when there are modifications.
static foi_class *redeclared(foi_session *s, foi_class *c, const foi_class *found,
                             const foi_argument *a, foi_class *lexical, foi_instance *self)
{
    const foi_modifier *m = a->modifier;
    if (m->defined) {
        foi_class *origin = m->defined;
        if (!origin->enclosing) origin->enclosing = foi_origin(lexical);
        foi_class *here = foi_specialise(s, origin, lexical, NULL, 0);
        return here ? with_kept(s, c, found, a, lexical, here) : NULL;
    }
    foi_class *target = foi_find_class(s, lexical, m->type, "class");
    if (target) target = with_kept(s, c, found, a, lexical, target);
    return !target || !m->count ? target : modified(s, a, target, lexical, self);
}

// Can it be said what a class must have to take the place of this one?
static bool has_data(const foi_class *c)
{
    return c->kind == FOI_CLASS_PACKAGE || c->kind == FOI_CLASS_FUNCTION ||
           c->kind == FOI_CLASS_MODEL || c->kind == FOI_CLASS_CLASS || c->kind == FOI_CLASS_BLOCK ||
           c->kind == FOI_CLASS_RECORD || c->kind == FOI_CLASS_CONNECTOR;
}

// The class whose components one that takes the place of `c` must have; NULL with an error.
static foi_class *promised(foi_session *s, foi_class *c)
{
    if (!c->constraint) return c;
    return foi_find_class(s, c->around ? c->around : c->enclosing, c->constraint, "class");
}

// A class that takes the place of another must have its components, or those of its constrainedby
// clause.
static bool fits(foi_session *s, const foi_argument *a, foi_class *old, foi_class *other)
{
    const char *missing;
    if (!has_data(old) || old->keeps || old->analysis == FOI_ANALYSING ||
        other->analysis == FOI_ANALYSING)
        return true;
    foi_class *like = promised(s, old);
    if (!like) return false;
    if (like->analysis == FOI_ANALYSING) return true;
    if (!foi_analyse(s, like) || !foi_analyse(s, other)) return false;
    if (foi_has_all_of(s, other, like, &missing)) return true;
    bool alike = a->name == other->name;
    return foi_error(s, a->place, "'%s' cannot be redeclared as '%s': there is no '%s' in it",
                     alike ? foi_class_path(s, foi_origin(old)) : a->name,
                     alike ? foi_class_path(s, foi_origin(other)) : other->name, missing);
}

bool foi_keeps_promise(foi_session *s, foi_class *c)
{
    const char *missing;
    bool type = c->kind == FOI_CLASS_TYPE && c->is_short;
    if (!c->constraint || c->redeclare || c->keeps || !(type || has_data(c))) return true;
    foi_class *like = promised(s, c);
    if (!like) return false;
    if (like->analysis == FOI_ANALYSING || c->analysis == FOI_ANALYSING) return true;
    if (!foi_analyse(s, like) || !foi_analyse(s, c)) return false;
    uint32_t rank = foi_type_rank(c) - c->rank; // of what it is made of
    if (type && rank != foi_type_rank(like))
        return foi_error(s, c->place, "'%s' is made of %u dimension%s, and '%s' has %u", c->name,
                         rank, rank == 1 ? "" : "s", like->name, foi_type_rank(like));
    if (foi_has_all_of(s, c, like, &missing)) return true;
    return foi_error(s, c->place, "'%s' must have all of '%s', and there is no '%s'", c->name,
                     like->name, missing);
}

static bool was_redeclared(const foi_class *c, const char *name, int depth)
{
    for (uint32_t k = 0; k < c->override_count; k++)
        if (c->overrides[k].name == name) return true;
    for (uint32_t i = 0; i < c->extends_count && depth < FOI_DEEPEST_MODEL; i++)
        if (c->extends[i].resolved && was_redeclared(c->extends[i].resolved, name, depth + 1))
            return true;
    return false;
}

// The classes that a modification redeclares, where `c` has them.
static bool take_redeclared(foi_session *s, foi_class *c, const foi_modifier *m, foi_class *lexical,
                            foi_instance *self, overrides *o)
{
    for (uint32_t i = 0; m && i < m->count; i++) {
        const foi_argument *a = &m->arguments[i];
        if (!a->modifier || a->modifier->value) continue;
        bool is_class = a->modifier->is_class;
        if (!is_class && !a->modifier->count) continue;
        foi_class *found = foi_find_in_class(s, c, a->name);
        if (!found) continue; // said where all modifications are checked
        if (!is_class) {      // Name(start = 1): the same class, and more is said about it
            if (has_override(o, a->name)) continue;
            foi_class *more = modified(s, a, found, lexical, self);
            if (!add_override(s, o, a->place, a->name, more)) return false;
            continue;
        }
        bool before =
            was_redeclared(c, a->name, 0); // then it was replaceable where it was declared
        if (!found->replaceable && !before && !has_override(o, a->name))
            return foi_error(s, a->place, "class '%s' is not replaceable", a->name);
        if (has_override(o, a->name)) continue;
        if (found->is_final)
            return foi_error(s, a->place, "class '%s' is final: it cannot be redeclared", a->name);
        const foi_class *first = self ? declared(s, c, a->name, 0) : NULL;
        if (self && (first ? first : found)->is_protected)
            return foi_error(s, a->place, "class '%s' is protected: it cannot be redeclared here",
                             a->name);
        if (!foi_enter(s, a->place)) return false;
        foi_class *other = redeclared(s, c, found, a, lexical, self);
        s->depth--;
        if (other && !fits(s, a, found, other)) return false;
        if (!add_override(s, o, a->place, a->name, other)) return false;
    }
    return true;
}

// Another name for a class that a redeclaration made, with what it says and what was said before.
static bool is_made(const foi_class *c)
{
    bool named = c->is_short && c->origin == c && c->extends_count == 1;
    return c->bound || c->keeps || (named && c->extends->resolved);
}

// A redeclared class with other meanings of names: those of its base change.
static foi_class *with_other_base(foi_session *s, const foi_class *c, const overrides *o)
{
    foi_class *old = c->extends->resolved;
    foi_class *base = is_made(old) ? with_other_base(s, old, o)
                                   : foi_specialise(s, old, old->around, o->list, o->count);
    foi_class *copy = base ? foi_arena_new(&s->arena, 1, sizeof *copy) : NULL;
    foi_extends *extends = copy ? foi_arena_new(&s->arena, 1, sizeof *extends) : NULL;
    if (!extends) return NULL;
    *copy = *c, *extends = *c->extends;
    extends->resolved = base, copy->extends = extends;
    copy->analysis = FOI_NOT_ANALYSED, copy->members = NULL, copy->member_count = 0;
    copy->ancestors = NULL, copy->ancestor_count = 0, copy->constants = NULL;
    copy->origin = copy;
    return copy;
}

// The class with other classes in it.
static foi_class *with_classes(foi_session *s, foi_class *c, overrides *o)
{
    // what was said of this meaning of the class before holds as well
    for (uint32_t i = 0; i < c->override_count; i++)
        if (!add_override(s, o, c->place, c->overrides[i].name, c->overrides[i].c)) return NULL;
    if (is_made(c)) return with_other_base(s, c, o);
    return foi_specialise(s, c, c->around, o->list, o->count);
}

foi_class *foi_redeclare_classes(foi_session *s, foi_class *c, const foi_layer *layers)
{
    overrides o = {.count = 0};
    bool any = false;
    for (const foi_layer *l = layers; l; l = l->weaker)
        for (uint32_t i = 0; i < l->modifier->count; i++)
            any |=
                l->modifier->arguments[i].modifier && l->modifier->arguments[i].modifier->is_class;
    if (!any || c->kind == FOI_CLASS_BUILTIN) return c;
    for (const foi_layer *l = layers; l; l = l->weaker)
        if (!take_redeclared(s, c, l->modifier, l->context.lexical, l->context.self, &o))
            return NULL;
    return with_classes(s, c, &o);
}

// The inner class for an outer one, in the models around a component.
static foi_class *inner_class(foi_session *s, const foi_component *component,
                              const foi_class *outer)
{
    const char *missing;
    for (const foi_component *at = component; at; at = at->parent->parent) {
        foi_class *c = foi_find_in_class(s, at->parent->c, outer->name);
        if (!c || !foi_origin(c)->inner) continue;
        if (!foi_analyse(s, c) || !foi_analyse(s, (foi_class *)outer)) return NULL;
        if (foi_has_all_of(s, c, (foi_class *)outer, &missing)) return c;
        foi_error(s, c->place, "'inner %s' has no '%s', which the outer class has", outer->name,
                  missing);
        return NULL;
    }
    foi_error(s, outer->place, "there is no 'inner %s' in the enclosing models", outer->name);
    return NULL;
}

foi_class *foi_take_inner_classes(foi_session *s, const foi_component *component, foi_class *c)
{
    overrides o = {.count = 0};
    for (uint32_t i = 0; i < c->ancestor_count; i++) {
        foi_class *text = foi_origin(c->ancestors[i]);
        for (uint32_t k = 0; text->has_outer && k < text->class_count; k++) {
            foi_class *outer = text->classes[k];
            if (!outer->outer || has_override(&o, outer->name)) continue;
            if (!add_override(s, &o, outer->place, outer->name, inner_class(s, component, outer)))
                return NULL;
        }
    }
    return o.count ? with_classes(s, c, &o) : c;
}

// ------------------------------------------------------------------------------------------ bases

// The class of this name that the bases of the class around have: for `model extends Name`.
static foi_class *inherited_class(foi_session *s, foi_class *c, foi_place place)
{
    foi_class *around = c->around ? c->around : c->enclosing, *text = c->enclosing;
    for (uint32_t i = 0; text && i < text->extends_count; i++) {
        foi_extends *e = &text->extends[i];
        foi_class *base = e->busy ? NULL : foi_base_plain(s, text, e);
        foi_class *found = base ? foi_find_in_class(s, base, c->name) : NULL;
        // its names are those of the package that extends it
        if (found && !foi_origin(found)->replaceable && !found->replaceable) {
            foi_error(s, place,
                      "class '%s' is not replaceable: it cannot be redeclared by 'extends'",
                      c->name);
            foi_note(s, found->place, "here it is declared");
            return NULL;
        }
        if (found) return foi_specialise(s, found, around, found->overrides, found->override_count);
    }
    foi_error(s, place, "there is no inherited class '%s' to extend", c->name);
    return NULL;
}

// redeclare model Name ... end Name; model extends Name has all of the other already.
static bool is_written_out(const foi_class *c)
{
    bool model = c->kind == FOI_CLASS_MODEL || c->kind == FOI_CLASS_BLOCK ||
                 c->kind == FOI_CLASS_CLASS || c->kind == FOI_CLASS_RECORD ||
                 c->kind == FOI_CLASS_CONNECTOR;
    for (uint32_t i = 0; i < c->extends_count; i++) model &= c->extends[i].base != NULL;
    return c->redeclare && !c->is_short && model;
}

// What the class says about the classes of its base: its own redeclarations as elements, those of
// the extends clause, and what it was told itself.
static foi_class *with_overrides(foi_session *s, foi_class *c, foi_extends *e, foi_class *base)
{
    overrides o = {.count = 0};
    for (uint32_t i = 0; i < c->override_count; i++)
        if (foi_find_in_class(s, base, c->overrides[i].name) &&
            !add_override(s, &o, e->place, c->overrides[i].name, c->overrides[i].c))
            return NULL;
    foi_class *text = foi_origin(c);
    for (uint32_t i = 0; i < text->class_count; i++) {
        foi_class *own = text->classes[i];
        foi_class *old = own->redeclare ? foi_find_in_class(s, base, own->name) : NULL;
        if (!old) continue;
        if (!foi_check_class_redeclared(s, old, own)) return NULL;
        foi_class *here = foi_specialise(s, own, c, NULL, 0);
        if (here && is_written_out(here)) here = keeping(s, here, declared(s, base, own->name, 0));
        if (!add_override(s, &o, e->place, own->name, here)) return NULL;
    }
    if (!take_redeclared(s, base, e->modifier, c->is_short && !c->around ? c->enclosing : c, NULL,
                         &o))
        return NULL;
    for (uint32_t i = 0; o.count && i < base->override_count; i++)
        if (!add_override(s, &o, e->place, base->overrides[i].name, base->overrides[i].c))
            return NULL;
    return o.count ? foi_specialise(s, base, base->around, o.list, o.count) : base;
}

// The name of a base must mean the same whatever is inherited (Modelica 3.6, section 5.6.1.4).
static bool check_not_inherited(foi_session *s, foi_class *c, foi_extends *e)
{
    const char *name = e->base && !e->base->global ? e->base->parts[0].name : NULL;
    if (!name || c->extends_count < 2 || foi_of_library(c)) return true;
    for (uint32_t i = 0; i < c->class_count; i++)
        if (c->classes[i]->name == name) return true;
    for (uint32_t i = 0; i < c->extends_count; i++) {
        foi_extends *other = &c->extends[i];
        foi_class *base = other == e || other->busy ? NULL : foi_base_of(s, c, other);
        if (!base || base == c || !foi_find_in_class(s, base, name)) continue;
        foi_error(s, e->place, "'%s' is inherited itself: what is extended cannot be", name);
        foi_note(s, other->place, "this is where it comes from");
        return false;
    }
    return true;
}

foi_class *foi_base_plain(foi_session *s, foi_class *c, foi_extends *e)
{
    e->busy = true;
    const char *what = c->by_count ? "function" : "base class";
    foi_class *base =
        e->base ? foi_find_class(s, c, e->base, what) : inherited_class(s, c, e->place);
    if (base && c->by_count) base = foi_derivative_of_function(s, c, base);
    if (base && !check_not_inherited(s, c, e)) base = NULL;
    e->busy = false;
    if (base && base->replaceable && e->base && !c->is_short) {
        foi_error(s, e->place, "'%s' is replaceable: it cannot be extended", base->name);
        return NULL;
    }
    return base;
}

// The class whose modifications count for a short one as well: itself for those of its own
// constrainedby clause, or what it redeclares as an element of a class.
static foi_class *said_before(foi_session *s, foi_class *c)
{
    foi_class *around = c->around ? c->around : c->enclosing, *found = NULL;
    if (!c->redeclare) return c->constrained ? c : NULL;
    for (uint32_t i = 0; around && !found && i < around->extends_count; i++) {
        foi_class *base =
            around->extends[i].busy ? NULL : foi_base_of(s, around, &around->extends[i]);
        found = base && base != around ? declared(s, base, c->name, 0) : NULL;
    }
    return found;
}

foi_class *foi_kept_element(foi_session *s, foi_class *c)
{
    return is_written_out(c) ? keeping(s, c, said_before(s, c)) : c;
}

foi_class *foi_base_of(foi_session *s, foi_class *c, foi_extends *e)
{
    if (e->resolved || e->busy) return e->resolved;
    if (!foi_enter(s, e->place)) return NULL;
    foi_class *base = foi_base_plain(s, c, e);
    e->busy = true;
    if (base && base != c) base = with_overrides(s, c, e, base);
    if (base && base != c && c->is_short) base = keeping(s, base, said_before(s, c));
    e->busy = false;
    s->depth--;
    return e->resolved = base;
}

bool foi_same_record(const foi_class *a, const foi_class *b)
{
    if (a == b) return true;
    if (!a || !b || a->member_count != b->member_count) return false;
    for (uint32_t i = 0; i < a->member_count; i++)
        if (a->members[i].declaration->name != b->members[i].declaration->name) return false;
    return true;
}
