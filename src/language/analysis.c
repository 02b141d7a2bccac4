/// What a class is after inheritance: its members, its built-in type.
#include <string.h>

#include "language/session.h"

const char *foi_class_path(foi_session *s, const foi_class *c)
{
    const char *path = c->name;
    for (c = c->enclosing; path && c && c->name; c = c->enclosing)
        path = foi_arena_print(&s->arena, "%s.%s", c->name, path);
    return path ? path : "";
}

const char *foi_class_word(const foi_class *c)
{
    static const char *const words[] = {"class",     "model",        "block",    "type",
                                        "connector", "record",       "function", "package",
                                        "operator",  "built-in type"};
    return words[c->kind];
}

static size_t slot_of(const foi_class *c, const char *name)
{
    uint64_t h = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 32) & (c->member_table_size - 1);
}

const foi_member *foi_find_member(const foi_class *c, const char *name)
{
    if (!c->member_table_size) return NULL;
    for (size_t at = slot_of(c, name); c->member_table[at].name;
         at = (at + 1) & (c->member_table_size - 1))
        if (c->member_table[at].name == name) return &c->members[c->member_table[at].member];
    return NULL;
}

// redeclare Type name(...) among the elements: takes the place of what was inherited. What it does
// not say stays as it was.
static bool replace_member(foi_session *s, foi_member *old, const foi_member *m)
{
    const foi_declaration *before = old->declaration;
    foi_declaration *d = m->declaration;
    foi_member *replaced = foi_arena_new(&s->arena, 1, sizeof *replaced);
    if (!replaced) return false;
    *replaced = *old;
    if (d->variability == FOI_CONTINUOUS) d->variability = before->variability;
    if (!d->causality) d->causality = before->causality;
    d->flow |= before->flow, d->stream |= before->stream;
    if (!d->rank) {
        d->dims = before->dims, d->rank = before->rank;
        d->sized_in = before->sized_in ? before->sized_in : before->owner;
    }
    *old = *m;
    old->replaced = replaced;
    return true;
}

bool foi_of_library(const foi_class *c)
{
    while (c && !c->in_library) c = c->enclosing;
    return c != NULL;
}

static bool enter_members(foi_session *s, foi_class *c)
{
    uint32_t size = 8;
    while (size < c->member_count * 2) size *= 2;
    c->member_table = foi_arena_new(&s->arena, size, sizeof *c->member_table);
    if (!c->member_table) return false;
    c->member_table_size = size;
    bool right = true;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->member_count; i++) {
        foi_member m = c->members[i];
        foi_member *same = (foi_member *)foi_find_member(c, m.declaration->name);
        if (same && m.declaration->redeclare) {
            if (!foi_check_redeclared(s, same, &m)) right = false;
            if (!replace_member(s, same, &m)) return false;
        } else if (same && foi_of_library(c) &&
                   foi_same_but_attributes(same->declaration, m.declaration)) {
            continue; // the library has such, where other tools only warn: the first one stands
        } else if (same && !foi_same_declaration(same->declaration, m.declaration)) {
            right = foi_error(s, m.declaration->place,
                              "'%s' is declared twice in %s '%s', and differently",
                              m.declaration->name, foi_class_word(c), c->name);
            foi_note(s, same->declaration->place, "here is the other declaration");
        } else if (same && !foi_of_library(c) && !foi_same_meaning(s, same, &m)) {
            right = foi_error(s, m.declaration->place,
                              "'%s' is inherited twice in %s '%s': the two are written alike, but "
                              "mean different things",
                              m.declaration->name, foi_class_word(c), c->name);
            foi_note(s, same->declaration->place, "here is the other declaration");
        } else if (same && same->declaration->owner == m.declaration->owner &&
                   same->declaration != m.declaration) {
            right = foi_error(s, m.declaration->place, "'%s' is declared twice in %s '%s'",
                              m.declaration->name, foi_class_word(c), c->name);
            foi_note(s, same->declaration->place, "here is the other declaration");
        } else if (!same && m.declaration->redeclare && m.declaration->owner == foi_origin(c)) {
            right = foi_error(s, m.declaration->place, "there is no inherited '%s' to redeclare",
                              m.declaration->name);
        } else if (!same) {
            size_t at = slot_of(c, m.declaration->name);
            while (c->member_table[at].name) at = (at + 1) & (size - 1);
            c->member_table[at] = (struct foi_member_slot){m.declaration->name, kept};
            c->members[kept++] = m;
        }
    }
    c->member_count = kept;
    return right;
}

bool foi_index_members(foi_session *s, foi_class *c)
{
    return enter_members(s, c);
}

static bool add_ancestor(foi_session *s, foi_class *c, foi_class *ancestor)
{
    for (uint32_t i = 0; i < c->ancestor_count; i++)
        if (c->ancestors[i] == ancestor) return true;
    foi_class **slot = foi_arena_add(&s->arena, &c->ancestors, &c->ancestor_count, sizeof *slot);
    if (slot) *slot = ancestor;
    return slot;
}

static const foi_inherited *inherit(foi_session *s, foi_class *c, const foi_extends *e,
                                    const foi_inherited *weaker)
{
    if (!e->modifier) return weaker;
    foi_inherited *i = foi_arena_new(&s->arena, 1, sizeof *i);
    foi_class *lexical = c;
    bool outside = c->is_short && !c->bound && c->kind != FOI_CLASS_FUNCTION && c->enclosing;
    if (outside) lexical = foi_written_around(s, c);
    if (i) *i = (foi_inherited){e->modifier, lexical, c->bound, outside, weaker};
    return i;
}

static bool check_modifier(foi_session *s, foi_class *base, const foi_modifier *m)
{
    bool right = foi_check_once(s, m);
    for (uint32_t i = 0; m && i < m->count && !base->builtin; i++) {
        const char *name = m->arguments[i].name;
        const foi_modifier *said = m->arguments[i].modifier;
        bool is_class =
            base->kind == FOI_CLASS_PACKAGE || (said && (said->is_class || said->count));
        if (foi_find_member(base, name)) continue;
        if (is_class && foi_find_in_class(s, base, name)) continue;
        right = foi_error(s, m->arguments[i].place, "%s '%s' has no '%s' to modify%s",
                          foi_class_word(base), base->name, name,
                          foi_hint(s, &(foi_instance){.c = (foi_class *)base}, NULL, name));
    }
    return right;
}

// An external object of others is a number of foi_outside.objects.
static bool take_number(foi_session *s, foi_class *c, const foi_class *f)
{
    foi_member *m = foi_arena_add(&s->arena, &c->members, &c->member_count, sizeof *m);
    foi_declaration *d = foi_arena_new(&s->arena, 1, sizeof *d);
    if (!m || !d || !(d->name = foi_name(s, "number"))) return false;
    d->variability = FOI_PARAMETER, d->place = f->place, d->is_final = true;
    d->owner = c, d->resolved = s->integer;
    *m = (foi_member){.declaration = d};
    c->is_object = true;
    return true;
}

// An external object is what its constructor was told: a record of its inputs.
static bool take_constructor(foi_session *s, foi_class *c, const foi_extends *e)
{
    const char *name = foi_name(s, "constructor");
    foi_class *f = name ? foi_find_in_class(s, c, name) : NULL;
    if (!f || f->kind != FOI_CLASS_FUNCTION)
        return foi_error(s, e->place, "the external object '%s' needs a function 'constructor'",
                         c->name);
    if (!foi_analyse(s, f)) return false;
    c->kind = FOI_CLASS_RECORD;
    const foi_external *code = foi_external_of(f);
    if (code && strncmp(code->name, "Modelica", 8) != 0) return take_number(s, c, f);
    for (uint32_t i = 0; i < f->member_count; i++) {
        if (f->members[i].declaration->causality != FOI_INPUT) continue;
        foi_member *m = foi_arena_add(&s->arena, &c->members, &c->member_count, sizeof *m);
        foi_declaration *d = foi_arena_new(&s->arena, 1, sizeof *d);
        if (!m || !d) return false;
        *d = *f->members[i].declaration;
        d->causality = FOI_INTERNAL, d->variability = FOI_PARAMETER;
        *m = (foi_member){.declaration = d, .through = f->members[i].through};
    }
    return true;
}

// Takes the members of one base over.
static bool take_base(foi_session *s, foi_class *c, foi_extends *e)
{
    foi_class *base = e->resolved;
    if (!c->keeps && !check_modifier(s, base, e->modifier)) return false;
    if (base == s->external_object) return take_constructor(s, c, e);
    if (!foi_check_base(s, c, base, e->place)) return false;
    if (base->builtin) {
        if (c->declaration_count || c->extends_count > 1)
            return foi_error(s, e->place, "a class that extends '%s' can have no components",
                             base->name);
        c->builtin = base->builtin, c->type = base->type;
        c->literal_names = base->literal_names;
        c->attributes = inherit(s, c, e, base->attributes);
        return c->attributes || !e->modifier;
    }
    if (base->ancestor_count >= FOI_DEEPEST_MODEL)
        return foi_error(s, e->place, "'%s' has more than %d bases", c->name, FOI_DEEPEST_MODEL);
    bool uniform = base->member_count > 0;
    const foi_inherited *plain = uniform ? inherit(s, c, e, NULL) : NULL;
    if (e->modifier && uniform && !plain) return false;
    if (!foi_check_left_out(s, base, e->modifier)) return false;
    c->deselects |= base->deselects || (e->modifier && e->modifier->break_count);
    for (uint32_t i = 0; i < base->member_count; i++) {
        if (foi_is_left_out(e->modifier, base->members[i].declaration->name)) continue;
        foi_member *m = foi_arena_add(&s->arena, &c->members, &c->member_count, sizeof *m);
        if (!m) return false;
        *m = base->members[i];
        m->is_protected |= e->is_protected;
        m->through = m->through ? inherit(s, c, e, m->through) : plain;
        if (e->modifier && !m->through) return false;
    }
    for (uint32_t i = 0; i < base->ancestor_count; i++)
        if (!add_ancestor(s, c, base->ancestors[i])) return false;
    return true;
}

static bool take_bases(foi_session *s, foi_class *c)
{
    for (uint32_t i = 0; i < c->extends_count; i++) {
        foi_extends *e = &c->extends[i];
        if (!foi_base_of(s, c, e)) return false;
        if (e->resolved->analysis == FOI_ANALYSING)
            return foi_error(s, e->place, "%s '%s' extends itself", foi_class_word(c), c->name);
        if (!foi_analyse(s, e->resolved) || !take_base(s, c, e)) return false;
    }
    return true;
}

static bool analyse_literals(foi_session *s, foi_class *c)
{
    const char **names = foi_arena_new(&s->flat->arena, c->literal_count + 1u, sizeof *names);
    if (!names) return false;
    for (uint32_t i = 0; i < c->literal_count; i++) {
        if (!foi_check_literal(s, &c->literals[i])) return false;
        names[i] =
            foi_arena_text(&s->flat->arena, c->literals[i].name, strlen(c->literals[i].name));
        if (!names[i]) return false;
    }
    c->builtin = c, c->type = FOI_INTEGER, c->literal_names = names;
    return true;
}

// Are two classes written alike, as far as their kind, bases and components say it?
static bool written_alike(const foi_class *a, const foi_class *b)
{
    if (a->kind != b->kind || a->is_short != b->is_short || a->extends_count != b->extends_count ||
        a->declaration_count != b->declaration_count || a->section_count != b->section_count)
        return false;
    for (uint32_t i = 0; i < a->extends_count; i++)
        if (a->extends[i].base && b->extends[i].base &&
            !foi_same_ref(a->extends[i].base, b->extends[i].base))
            return false;
    if (a->by_count != b->by_count) return false;
    for (uint32_t i = 0; i < a->by_count; i++)
        if (a->by[i] != b->by[i]) return false;
    for (uint32_t i = 0; i < a->declaration_count; i++)
        if (a->declarations[i]->name != b->declarations[i]->name ||
            !foi_same_declaration(a->declarations[i], b->declarations[i]))
            return false;
    return true;
}

// A class that is written here and inherited as another one, without being redeclared.
static bool check_own_classes(foi_session *s, const foi_class *c)
{
    if (c->origin && c->origin != c) return true; // said of its text
    for (uint32_t i = 0; i < c->class_count; i++) {
        const foi_class *own = c->classes[i];
        bool extends = own->extends_count && !own->extends[0].base;
        for (uint32_t a = 0; a < c->ancestor_count && !own->redeclare && !extends; a++) {
            const foi_class *base = foi_origin(c->ancestors[a]);
            for (uint32_t k = 0; k < base->class_count; k++) {
                if (base->classes[k]->name != own->name || base->classes[k] == own) continue;
                if (written_alike(base->classes[k], own)) continue;
                foi_error(s, own->place, "class '%s' is inherited as another one: 'redeclare'?",
                          own->name);
                foi_note(s, base->classes[k]->place, "here is the other one");
                return false;
            }
        }
    }
    return true;
}

// What is redeclared as an element has been inherited.
static bool check_something_redeclared(foi_session *s, foi_class *c)
{
    if (c->origin && c->origin != c) return true; // said of its text
    for (uint32_t i = 0; i < c->class_count; i++) {
        const foi_class *own = c->classes[i];
        bool found = !own->redeclare;
        for (uint32_t k = 0; k < c->extends_count && !found; k++)
            found = !c->extends[k].resolved ||
                    foi_find_in_class(s, c->extends[k].resolved, own->name) != NULL;
        if (!found)
            return foi_error(s, own->place, "there is no inherited class '%s' to redeclare",
                             own->name);
    }
    return true;
}

static bool analyse_inside(foi_session *s, foi_class *c)
{
    if (!foi_check_contents(s, c)) return false;
    if (c->literal_count) return analyse_literals(s, c);
    if (!take_bases(s, c) || !check_own_classes(s, c) || !check_something_redeclared(s, c))
        return false;
    if (c->builtin) return true;
    for (uint32_t i = 0; i < c->declaration_count; i++) {
        foi_member *m = foi_arena_add(&s->arena, &c->members, &c->member_count, sizeof *m);
        if (!m || !foi_check_once(s, c->declarations[i]->modifier)) return false;
        *m = (foi_member){.declaration = c->declarations[i],
                          .is_protected = c->declarations[i]->is_protected};
    }
    return enter_members(s, c) && add_ancestor(s, c, c);
}

bool foi_analyse(foi_session *s, foi_class *c)
{
    if (c->analysis == FOI_ANALYSED) return true;
    if (c->analysis == FOI_ANALYSIS_FAILED) return false;
    if (c->analysis == FOI_ANALYSING)
        return foi_error(s, c->place, "%s '%s' is needed to define itself", foi_class_word(c),
                         c->name);
    if (!foi_enter(s, c->place)) return false;
    c->analysis = FOI_ANALYSING;
    bool right = analyse_inside(s, c);
    c->analysis = right ? FOI_ANALYSED : FOI_ANALYSIS_FAILED;
    s->depth--;
    return right;
}
