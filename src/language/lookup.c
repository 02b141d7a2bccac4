/// What names of classes mean: through bases, imports and the packages around.
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "language/session.h"

// A class that is written in the text of `c`, or in its folder.
static foi_class *find_own(foi_session *s, foi_class *c, const char *name)
{
    foi_class *text = foi_origin(c);
    for (uint32_t i = 0; i < text->class_count; i++)
        if (text->classes[i]->name == name) return text->classes[i];
    return text == &s->root || text->folder ? foi_load_missing(s, text, name) : NULL;
}

static foi_class *find_inside(foi_session *s, foi_class *c, const char *name, int depth);

// What another name for a class stands for.
static foi_class *without_alias(foi_session *s, foi_class *c)
{
    for (int depth = 0; depth < FOI_DEEPEST_MODEL; depth++) {
        bool alias = c->is_short && c->extends_count == 1 && !c->extends->modifier && !c->rank;
        foi_class *other = alias && !c->extends->busy ? foi_base_of(s, c, c->extends) : NULL;
        if (!other) break;
        c = other;
    }
    return c;
}

// A class that base `at` has: bases after that may have the same one, not another.
static void check_bases_after(foi_session *s, foi_class *c, uint32_t at, foi_class *one, int depth)
{
    for (uint32_t i = at + 1; i < c->extends_count && !foi_of_library(c); i++) {
        foi_class *base = c->extends[i].busy ? NULL : foi_base_of(s, c, &c->extends[i]);
        foi_class *two = base && base != c ? find_inside(s, base, one->name, depth + 1) : NULL;
        if (!two || two->partial || one->partial ||
            foi_same_class(s, without_alias(s, one), without_alias(s, two)))
            continue;
        foi_error(s, c->extends[i].place, "%s '%s' inherits two different classes '%s'",
                  foi_class_word(c), c->name, one->name);
        foi_note(s, one->place, "here is one");
        foi_note(s, two->place, "here is the other");
        return;
    }
}

static foi_class *find_inside(foi_session *s, foi_class *c, const char *name, int depth)
{
    for (uint32_t i = 0; i < c->override_count; i++)
        if (c->overrides[i].name == name) return c->overrides[i].c;
    foi_class *own = find_own(s, c, name);
    if (own && c->origin && c->origin != c) own = foi_specialise(s, own, c, NULL, 0);
    if (own && own->redeclare) own = foi_kept_element(s, own);
    if (own || depth > FOI_DEEPEST_MODEL) return own;
    for (uint32_t i = 0; i < c->extends_count; i++) {
        if (!foi_work(s, c->place, 1)) return NULL;
        foi_extends *e = &c->extends[i];
        if (e->busy) continue;
        foi_class *base = foi_base_of(s, c, e);
        foi_class *found = base && base != c ? find_inside(s, base, name, depth + 1) : NULL;
        if (!found) continue;
        check_bases_after(s, c, i, found, depth);
        // what a package inherits finds its names in that package; another name for it changes
        // nothing
        bool alias = c->is_short && !e->modifier;
        if (c->kind != FOI_CLASS_PACKAGE || alias || found->bound) return found;
        if (found->kind == FOI_CLASS_TYPE && !foi_mentions_names(found))
            return foi_type_seen_from(s, found, c);
        return foi_specialise(s, found, c, found->overrides, found->override_count);
    }
    return NULL;
}

foi_class *foi_find_in_class(foi_session *s, foi_class *c, const char *name)
{
    return find_inside(s, c, name, 0);
}

// A component written in the class itself or, when bases are known, in them.
static const foi_member *member_of(foi_session *s, foi_class *c, const char *name)
{
    if (c->analysis == FOI_ANALYSED) return foi_find_member(c, name);
    bool own = c->extends_count > 0;
    for (uint32_t i = 0; !own && i < c->declaration_count; i++)
        own = c->declarations[i]->name == name;
    if (!own || c->analysis != FOI_NOT_ANALYSED || c == &s->root) return NULL;
    for (uint32_t i = 0; i < c->extends_count; i++)
        if (c->extends[i].busy) return NULL;
    return foi_analyse(s, c) ? foi_find_member(c, name) : NULL;
}

static foi_found follow(foi_session *s, foi_class *c, const foi_part *parts, uint32_t count)
{
    for (uint32_t i = 0; c && i < count; i++) {
        foi_class *inner = foi_find_in_class(s, c, parts[i].name);
        if (!inner && i + 1 == count) {
            const foi_member *m = member_of(s, c, parts[i].name);
            if (m) return (foi_found){.owner = c, .member = m};
            for (uint32_t k = 0; k < c->literal_count; k++)
                if (c->literals[k].name == parts[i].name)
                    return (foi_found){.c = c, .literal = parts[i].name};
        }
        c = inner;
    }
    return (foi_found){.c = c};
}

static bool any(foi_found f)
{
    return f.c || f.member;
}

// What is protected cannot be imported.
static foi_found public_only(foi_session *s, const foi_import *import, foi_found f)
{
    bool hidden = f.member ? f.member->is_protected : f.c && !f.literal && f.c->is_protected;
    if (!hidden) return f;
    foi_error(s, import->place, "'%s' is protected: it cannot be imported",
              import->path->parts[import->path->count - 1].name);
    return (foi_found){0};
}

// Only packages can be imported from: what the first `count` names of the path mean is one.
static bool from_package(foi_session *s, const foi_import *import, uint32_t count)
{
    foi_class *c = &s->root;
    for (uint32_t i = 0; c && i < count; i++)
        c = foi_find_in_class(s, c, import->path->parts[i].name);
    if (!c || c == &s->root || c->kind == FOI_CLASS_PACKAGE || c->is_operator) return true;
    return foi_error(s, import->place, "'%s' is a %s: only packages can be imported from",
                     foi_class_path(s, c), foi_class_word(c));
}

static foi_found imported(foi_session *s, foi_class *c, const char *name)
{
    foi_found f = {0};
    for (uint32_t i = 0; i < c->import_count && !any(f); i++) {
        const foi_import *import = &c->imports[i];
        if (import->name != name) continue;
        f = follow(s, &s->root, import->path->parts, import->path->count);
        f = public_only(s, import, f);
        if (any(f) && !f.literal && !from_package(s, import, import->path->count - 1))
            return (foi_found){0};
    }
    if (any(f)) return f;
    for (uint32_t i = 0; i < c->import_count; i++) {
        const foi_import *import = &c->imports[i];
        if (import->name) continue;
        foi_found in = follow(s, &s->root, import->path->parts, import->path->count);
        foi_part part = {.name = name};
        in = in.c && !in.literal ? follow(s, in.c, &part, 1) : (foi_found){0};
        if (!any(in) || (in.member ? in.member->is_protected : in.c->is_protected)) continue;
        if (!from_package(s, import, import->path->count)) return (foi_found){0};
        if (any(f) && (f.c != in.c || f.member != in.member)) {
            foi_error(s, import->place,
                      "'%s' is ambiguous: it is imported from here and from elsewhere", name);
            return (foi_found){0};
        }
        f = in;
    }
    return f;
}

static bool text_has_class(const foi_class *c, const char *name, int depth)
{
    const foi_class *text = foi_origin((foi_class *)c);
    for (uint32_t i = 0; i < text->class_count; i++)
        if (text->classes[i]->name == name) return true;
    for (uint32_t i = 0; i < c->extends_count && depth < FOI_DEEPEST_MODEL; i++) {
        const foi_class *base = c->extends[i].resolved;
        if (!base && !c->extends[i].busy) return true; // it is not known yet
        if (base && base != c && text_has_class(base, name, depth + 1)) return true;
    }
    return false;
}

bool foi_is_shadowed(foi_session *s, foi_class *lexical, const char *name)
{
    bool maybe = false;
    for (const foi_class *c = lexical; !maybe && c && c != &s->root; c = c->enclosing) {
        for (uint32_t i = 0; i < c->import_count; i++)
            maybe |= !c->imports[i].name || c->imports[i].name == name;
        maybe = maybe || text_has_class(c, name, 0);
    }
    const foi_class *found = maybe ? foi_lookup(s, lexical, name).c : NULL;
    return found && found->kind == FOI_CLASS_FUNCTION;
}

// Types of the language: the names of the first four are reserved, the others may be declared.
static foi_class *builtin(foi_session *s, const char *name, bool reserved)
{
    foi_class *const all[] = {s->real,         s->integer,         s->boolean,         s->string,
                              s->state_select, s->assertion_level, s->external_object, s->clock};
    size_t first = reserved ? 0 : 4, end = reserved ? 4 : sizeof all / sizeof all[0];
    for (size_t i = first; i < end; i++)
        if (all[i]->name == name) return all[i];
    return NULL;
}

// ------------------------------------------------------------------------------ names of a base
//
// The elements and equations of a base are understood where they are written (Modelica 3.6,
// sections 5.6.1 and 7.1): among the members of the base, which a class that extends it may have
// redeclared, then in the classes around the base. What the other class declares besides means
// nothing there.

const foi_class *foi_as_base(const foi_class *c, const foi_class *text)
{
    for (uint32_t i = c->ancestor_count; i-- > 0;)
        if (foi_origin(c->ancestors[i]) == foi_origin((foi_class *)text)) return c->ancestors[i];
    return NULL;
}

foi_instance *foi_instance_around(foi_instance *self, const foi_class *lexical)
{
    if (!lexical || lexical->kind == FOI_CLASS_PACKAGE) return NULL;
    for (; self; self = self->parent ? self->parent->parent : NULL)
        if (foi_as_base(self->c, lexical)) return self;
    return NULL;
}

// Where the modifications of a redeclared class are written: it is no scope by itself.
static const foi_class *written_in(const foi_class *lexical)
{
    while (lexical && lexical->is_short && lexical->bound) lexical = lexical->around;
    return lexical;
}

const foi_scope *foi_in_scope(const foi_context *ctx, const char *name)
{
    for (const foi_scope *o = ctx->scope; o; o = o->outer) {
        if (o->name != name) continue;
        const foi_class *text = written_in(ctx->lexical);
        if (!o->of || !text) return o;
        if (text->is_short) continue; // function g = f(x = name)
        const foi_class *base = text == o->of ? text : foi_as_base(o->of, text);
        if (base && foi_find_member(base, name)) return o;
    }
    return NULL;
}

foi_component *foi_seen(const foi_context *ctx, const char *name)
{
    const foi_instance *self = ctx->self;
    foi_component *c = self ? foi_component_of(self, name) : NULL;
    const foi_class *text = c ? written_in(ctx->lexical) : NULL;
    if (!text || text == self->c || foi_find_member(text, name)) return c;
    for (; text; text = text->enclosing) {
        const foi_class *base = foi_as_base(self->c, text);
        if (base) return foi_find_member(base, name) ? c : NULL;
    }
    return c;
}

// The base of `c`, at any depth, that has this text.
static foi_class *base_like(foi_class *c, const foi_class *text, int depth)
{
    if (foi_origin(c) == foi_origin((foi_class *)text)) return c;
    foi_class *found = NULL;
    for (uint32_t i = 0; !found && i < c->extends_count && depth < FOI_DEEPEST_MODEL; i++)
        if (c->extends[i].resolved && c->extends[i].resolved != c)
            found = base_like(c->extends[i].resolved, text, depth + 1);
    return found;
}

// Does the class have something of this name, be it inherited?
static bool has_name(foi_session *s, foi_class *c, const char *name, int depth)
{
    for (uint32_t i = 0; i < c->declaration_count; i++)
        if (c->declarations[i]->name == name) return true;
    if (find_own(s, c, name)) return true;
    for (uint32_t i = 0; i < c->extends_count && depth < FOI_DEEPEST_MODEL; i++) {
        if (!foi_work(s, c->place, 1)) return false;
        foi_class *base = c->extends[i].busy ? NULL : foi_base_of(s, c, &c->extends[i]);
        if (base && base != c && has_name(s, base, name, depth + 1)) return true;
    }
    return false;
}

// A name in `text`, which `at` has inherited and stands for: what `at` makes of the names of the
// text, and nothing that it has besides.
static foi_found in_place_of(foi_session *s, foi_class *text, foi_class *at, const char *name)
{
    const foi_part part = {.name = name};
    foi_found f = follow(s, at, &part, 1);
    if (!any(f) || foi_origin(at) == foi_origin(text)) return f;
    foi_class *base = base_like(at, text, 0);
    return has_name(s, base ? base : text, name, 0) ? f : (foi_found){0};
}

foi_found foi_lookup(foi_session *s, foi_class *lexical, const char *name)
{
    foi_class *basic = builtin(s, name, true);
    if (basic) return (foi_found){.c = basic};
    // `text` is what is written around, `at` what stands for it here
    foi_class *text = lexical, *at = lexical && lexical->stands ? lexical->stands : lexical;
    while (text && text != &s->root) {
        if (!foi_work(s, text->place, 1)) return (foi_found){0};
        foi_found f = in_place_of(s, text, at, name);
        if (!any(f)) f = imported(s, text, name);
        if (any(f)) return f;
        if (text->name == name && text->enclosing == &s->root) // by its own name, not a heir
            return (foi_found){.c = foi_origin(at) == foi_origin(text) ? at : foi_origin(text)};
        if (text->encapsulated) break;
        const foi_class *base = base_like(at, text, 0), *holder = base ? base : text;
        at = holder->around ? holder->around : holder->enclosing;
        text = text->enclosing;
    }
    foi_class *known = builtin(s, name, false);
    return (foi_found){.c = known ? known : foi_find_in_class(s, &s->root, name)};
}

const char *foi_hint(foi_session *s, const foi_instance *self, foi_class *lexical, const char *name)
{
    if (self && foi_find_member(self->c, name)) { // see foi_seen
        const char *why = foi_arena_print(
            &s->arena,
            ": this is written in a base of '%s', which does not see the '%s' that '%s' adds",
            self->c->name, name, self->c->name);
        return why ? why : "";
    }
    if (strlen(name) < 2) return ""; // everything would be near
    foi_nearest near = foi_nearest_to(name);
    for (uint32_t i = 0; self && i < self->c->member_count; i++)
        foi_nearest_try(&near, self->c->members[i].declaration->name);
    for (foi_class *c = lexical; c; c = c->enclosing)
        for (uint32_t i = 0; i < c->class_count; i++) foi_nearest_try(&near, c->classes[i]->name);
    if (!self) {
        foi_class *const all[] = {s->real, s->integer, s->boolean, s->string};
        for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
            foi_nearest_try(&near, all[i]->name);
        for (int i = FOI_FN_DER; i < FOI_FN_COUNT && islower((unsigned char)*name); i++)
            foi_nearest_try(&near, foi_flat_builtin_name((foi_flat_builtin)i));
    }
    const char *hint = strcmp(near.best, name) != 0 ? foi_nearest_hint(&near) : "";
    return *hint ? foi_arena_text(&s->arena, hint, strlen(hint)) : "";
}

// Also what lies in the folder of a package and has not been read: its file package.order names it.
static void try_order(foi_session *s, foi_nearest *near, const foi_class *c)
{
    size_t size = 0;
    const char *text = c->folder ? foi_read_beside(s, c->folder, "package.order", &size) : NULL;
    for (size_t at = 0; text && at < size;) {
        char name[100];
        size_t length = 0;
        while (at + length < size && !isspace((unsigned char)text[at + length])) length++;
        if (length && length < sizeof name) {
            memcpy(name, text + at, length), name[length] = 0;
            foi_nearest_try(near, name);
        }
        at += length + 1;
    }
}

// Of the Modelica library only the beginnings are built in.
const char *foi_hint_in(foi_session *s, const foi_class *c, const char *name)
{
    foi_nearest near = foi_nearest_to(name);
    bool some = strlen(name) > 1; // or everything is near
    for (uint32_t i = 0; some && i < c->member_count; i++)
        foi_nearest_try(&near, c->members[i].declaration->name);
    for (uint32_t i = 0; some && i < c->class_count; i++)
        foi_nearest_try(&near, c->classes[i]->name);
    if (some) try_order(s, &near, c);
    const char *hint = foi_nearest_hint(&near);
    const foi_class *top = c;
    while (top->enclosing && top->enclosing != &s->root) top = top->enclosing;
    if (!*hint && s->library_tried && strcmp(top->name, "Modelica") == 0)
        return ", of which only a small part is built in (MODELICAPATH names folders of libraries)";
    return *hint ? foi_arena_text(&s->arena, hint, strlen(hint)) : "";
}

foi_class *foi_find_class(foi_session *s, foi_class *lexical, const foi_ref *ref, const char *what)
{
    const foi_part *first = &ref->parts[0];
    size_t errors = s->messages->errors;
    bool said = false;
    foi_found f = {0};
    if (ref->global)
        f.c = foi_find_in_class(s, &s->root, first->name);
    else
        f = foi_lookup(s, lexical, first->name);
    for (uint32_t i = 1; f.c && i < ref->count; i++) {
        foi_class *inner = foi_find_in_class(s, f.c, ref->parts[i].name);
        if (!inner && s->messages->errors == errors)
            said = !foi_error(s, ref->parts[i].place, "there is no class '%s' in '%s'%s",
                              ref->parts[i].name, foi_class_path(s, f.c),
                              foi_hint_in(s, f.c, ref->parts[i].name));
        if (inner && !inner->encapsulated && s->messages->errors == errors &&
            (ref->global || !foi_is_within(lexical, f.c)) && !foi_is_package_like(s, f.c))
            return foi_error(s, ref->parts[i].place,
                             "'%s' is not a package: its class '%s' can be used inside of it only",
                             foi_class_path(s, f.c), ref->parts[i].name),
                   NULL;
        f.c = inner;
        if (inner && inner->is_protected && s->messages->errors == errors)
            return foi_error(s, ref->parts[i].place, "'%s' is protected in '%s'",
                             ref->parts[i].name, foi_class_path(s, inner->enclosing)),
                   NULL;
    }
    if (f.c && f.c->refused && s->messages->errors == errors) {
        foi_error(s, first->place, "'%s' cannot be used: %s is not supported",
                  foi_class_path(s, f.c), f.c->refused);
        foi_note(s, f.c->refused_place, "here it is written");
        return NULL;
    }
    if (f.c && f.c->outer && foi_lacks(s)) return NULL;
    if (f.c && f.c->outer && s->messages->errors == errors) {
        foi_error(s, first->place, "there is no 'inner %s' in the enclosing models", f.c->name);
        return NULL;
    }
    if (f.c && !f.literal) return f.c->refused ? NULL : f.c;
    if (s->apart && foi_lacks(s)) return NULL;
    if (s->messages->errors == errors && !said && !s->arena.failed)
        foi_error(s, first->place, "%s '%s' was not found%s", what, first->name,
                  foi_hint(s, NULL, lexical, first->name));
    return NULL;
}
