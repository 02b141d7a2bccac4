/// Files, classes and declarations.
#include <string.h>

#include "base/text.h"
#include "language/parser.h"

typedef struct prefixes {
    bool is_protected, is_final, inner, outer, replaceable, redeclare;
} prefixes;

/// A class while its lists grow.
typedef struct growing {
    foi_class *c;
    foi_declaration **declarations;
    foi_import *imports;
    foi_section *sections;
    foi_literal *literals;
} growing;

static foi_class *class_definition(foi_parser *p, foi_class *enclosing);
static bool type_prefixes(foi_parser *p, foi_declaration *d);

static bool at_class(const foi_parser *p)
{
    switch (p->token.kind) {
    case FOI_WORD_ENCAPSULATED:
    case FOI_WORD_PARTIAL:
    case FOI_WORD_CLASS:
    case FOI_WORD_MODEL:
    case FOI_WORD_BLOCK:
    case FOI_WORD_TYPE:
    case FOI_WORD_CONNECTOR:
    case FOI_WORD_RECORD:
    case FOI_WORD_FUNCTION:
    case FOI_WORD_PACKAGE:
    case FOI_WORD_EXPANDABLE:
    case FOI_WORD_OPERATOR:
    case FOI_WORD_PURE:
    case FOI_WORD_IMPURE: return true;
    default: return false;
    }
}

static bool joined_dims(foi_parser *p, foi_declaration *d, foi_ast *const *dims, uint32_t rank)
{
    if (rank == 0) return true;
    foi_ast **all = foi_arena_new(p->arena, (size_t)d->rank + rank, sizeof *all);
    if (!all) return false;
    // Real[2] x[3] is Real x[3, 2]
    memcpy(all, dims, rank * sizeof *all);
    if (d->rank) memcpy(all + rank, d->dims, d->rank * sizeof *all);
    d->dims = all, d->rank += rank;
    return true;
}

// A constrainedby clause: its modifications go into *kept.
static bool constrained_by(foi_parser *p, const foi_modifier **kept, const foi_ref **by)
{
    if (!foi_parse_take(p, FOI_WORD_CONSTRAINEDBY)) return true;
    *kept = NULL;
    *by = foi_parse_ref(p, false, "the name of a class");
    return *by && foi_parse_class_modification(p, kept);
}

static bool constrained(foi_parser *p, foi_modifier *redeclaration)
{
    return constrained_by(p, &redeclaration->kept, &redeclaration->constraint);
}

// A class that is redeclared: model Name = Type(...), or a whole one. Type and modifications of a
// short one become those of the modification, so that they are looked up where they are written.
static bool class_redeclaration(foi_parser *p, bool replaceable, foi_argument *argument)
{
    foi_modifier *around = foi_arena_new(p->arena, 1, sizeof *around);
    foi_class *c = class_definition(p, NULL);
    if (!around || !c) return false;
    const foi_modifier *annotation;
    argument->place = c->place, argument->name = c->name;
    if (c->is_short && c->extends_count && !c->rank && !c->causality) {
        if (c->extends->modifier) *around = *c->extends->modifier;
        around->type = c->extends->base;
    } else {
        around->defined = c;
    }
    around->place = c->place, around->is_class = true, around->replaceable = replaceable;
    argument->modifier = around;
    foi_parse_description(p);
    return constrained(p, around) && foi_parse_annotation(p, &annotation);
}

// redeclare Type name(...): after the word.
static bool redeclaration(foi_parser *p, foi_argument *argument)
{
    argument->each |= foi_parse_take(p, FOI_WORD_EACH);
    argument->is_final |= foi_parse_take(p, FOI_WORD_FINAL);
    bool replaceable = foi_parse_take(p, FOI_WORD_REPLACEABLE);
    if (at_class(p)) return class_redeclaration(p, replaceable, argument);
    foi_declaration prefixed = {0}, *written = NULL;
    if (!type_prefixes(p, &prefixed)) return false;
    if (prefixed.variability != FOI_CONTINUOUS || prefixed.causality) {
        if (!(written = foi_arena_new(p->arena, 1, sizeof *written))) return false;
        *written = prefixed;
    }
    foi_modifier *around = foi_arena_new(p->arena, 1, sizeof *around);
    foi_ref *type = foi_parse_ref(p, false, "the name of a type");
    foi_ast *const *dims;
    uint32_t rank;
    if (!around || !type || !foi_parse_subscripts(p, &prefixed.dims, &prefixed.rank)) return false;
    argument->place = p->token.place;
    argument->name = foi_parse_ident(p, "the name of a component");
    const foi_modifier *given, *annotation;
    if (!argument->name || !foi_parse_subscripts(p, &dims, &rank) ||
        !joined_dims(p, &prefixed, dims, rank) || !foi_parse_modification(p, &given))
        return false;
    if (given) *around = *given;
    if (!given) around->place = argument->place;
    around->type = type, around->replaceable = replaceable, around->prefixes = written;
    around->dims = prefixed.dims, around->rank = prefixed.rank;
    argument->modifier = around;
    foi_parse_description(p);
    return constrained(p, around) && foi_parse_annotation(p, &annotation);
}

// One argument of a modification, into *argument; the names of a dotted one are wrapped from the
// last to the first.
static bool modifier_argument(foi_parser *p, foi_argument *argument)
{
    bool redeclared = foi_parse_take(p, FOI_WORD_REDECLARE);
    argument->each = foi_parse_take(p, FOI_WORD_EACH);
    argument->is_final = foi_parse_take(p, FOI_WORD_FINAL);
    // a class or component that stays replaceable; without 'redeclare' it is the same
    if (redeclared || p->token.kind == FOI_WORD_REPLACEABLE) return redeclaration(p, argument);
    foi_ref *ref = foi_parse_ref(p, false, "the name of what is modified");
    if (!ref || !foi_parse_modification(p, &argument->modifier)) return false;
    foi_parse_description(p);
    argument->name = ref->parts[0].name, argument->place = ref->place;
    for (uint32_t i = ref->count; i-- > 1;) {
        foi_argument *inner = foi_arena_new(p->arena, 1, sizeof *inner);
        foi_modifier *around = foi_arena_new(p->arena, 1, sizeof *around);
        if (!inner || !around) return false;
        *inner = (foi_argument){ref->parts[i].name, argument->each, argument->is_final,
                                argument->modifier, ref->parts[i].place};
        *around = (foi_modifier){.arguments = inner, .count = 1, .place = inner->place};
        argument->modifier = around;
    }
    return true;
}

// break name, break connect(from, to)
static bool deselection(foi_parser *p, foi_break *gone)
{
    foi_parse_advance(p);
    gone->place = p->token.place;
    if (!foi_parse_take(p, FOI_WORD_CONNECT))
        return (gone->name = foi_parse_ident(p, "the name of what is not inherited")) != NULL;
    return foi_parse_need(p, '(', "after 'connect'") &&
           (gone->from = foi_parse_ref(p, true, "a connector")) &&
           foi_parse_need(p, ',', "between the two connectors") &&
           (gone->to = foi_parse_ref(p, true, "a connector")) &&
           foi_parse_need(p, ')', "after the connectors");
}

static bool modifier_arguments(foi_parser *p, foi_modifier *modifier)
{
    foi_argument *list = NULL;
    foi_break *breaks = NULL;
    foi_parse_advance(p);
    while (p->token.kind != ')') {
        if (p->token.kind == FOI_WORD_BREAK) {
            foi_break *gone =
                foi_arena_add(p->arena, &breaks, &modifier->break_count, sizeof *gone);
            modifier->breaks = breaks;
            if (!gone || !deselection(p, gone)) return false;
            if (!foi_parse_take(p, ',')) break;
            continue;
        }
        foi_argument *argument = foi_arena_add(p->arena, &list, &modifier->count, sizeof *argument);
        if (!argument || !modifier_argument(p, argument)) return false;
        if (!foi_parse_take(p, ',')) break;
    }
    modifier->arguments = list;
    return foi_parse_need(p, ')', "after the modifications");
}

// Modifications of an extends clause may have `break`.
static bool base_modification(foi_parser *p, const foi_modifier **modifier)
{
    *modifier = NULL;
    if (p->token.kind != '(') return true;
    foi_modifier *m = foi_arena_new(p->arena, 1, sizeof *m);
    if (!m || !foi_parse_enter(p)) return false;
    m->place = p->token.place;
    bool right = modifier_arguments(p, m);
    p->depth--;
    if (right) *modifier = m;
    return right;
}

bool foi_parse_class_modification(foi_parser *p, const foi_modifier **modifier)
{
    if (!base_modification(p, modifier)) return false;
    if (!*modifier || !(*modifier)->break_count) return true;
    foi_parse_error(p, (*modifier)->breaks[0].place,
                    "only an extends clause says with 'break' what is not inherited");
    return false;
}

bool foi_parse_modification(foi_parser *p, const foi_modifier **modifier)
{
    if (!foi_parse_class_modification(p, modifier)) return false;
    if (p->token.kind != '=' && p->token.kind != FOI_TOKEN_ASSIGN) return true;
    foi_modifier *m = foi_arena_new(p->arena, 1, sizeof *m);
    if (!m) return false;
    if (*modifier) *m = **modifier;
    foi_parse_advance(p);
    m->place = p->token.place;
    *modifier = m;
    if (foi_parse_take(p, FOI_WORD_BREAK)) return m->removes = true;
    return (m->value = foi_parse_expression(p)) != NULL;
}

bool foi_parse_annotation(foi_parser *p, const foi_modifier **modifier)
{
    *modifier = NULL;
    if (p->token.kind != FOI_WORD_ANNOTATION) return true;
    if (p->library && p->ahead.kind == '(' && foi_lexer_skip_annotation(&p->lexer)) {
        foi_parse_advance(p); // and what was read ahead is the sign behind the annotation
        foi_parse_advance(p);
        return true;
    }
    foi_parse_advance(p);
    if (p->token.kind == '(') return foi_parse_class_modification(p, modifier);
    foi_parse_expected(p, "'(' after 'annotation'");
    return false;
}

// Something that is not supported: an error where the class is used.
static void refuse(foi_class *c, foi_place place, const char *what)
{
    c->refused = what, c->refused_place = place;
}

static bool enumeration(foi_parser *p, growing *g)
{
    if (!foi_parse_need(p, '(', "after 'enumeration'")) return false;
    if (p->token.kind == ':') {
        refuse(g->c, p->token.place, "an enumeration without literals");
        foi_parse_advance(p);
        return foi_parse_need(p, ')', "after the ':'");
    }
    do {
        foi_place place = p->token.place;
        const char *name = foi_parse_ident(p, "the name of a literal");
        if (!name) return false;
        const foi_modifier *annotation;
        foi_parse_description(p);
        if (!foi_parse_annotation(p, &annotation)) return false;
        for (uint32_t i = 0; i < g->c->literal_count; i++)
            if (g->literals[i].name == name)
                foi_parse_error(p, place, "literal '%s' is declared twice", name);
        foi_literal *slot =
            foi_arena_add(p->arena, &g->literals, &g->c->literal_count, sizeof *slot);
        if (!slot) return false;
        *slot = (foi_literal){name, place};
    } while (foi_parse_take(p, ','));
    g->c->literals = g->literals;
    return foi_parse_need(p, ')', "after the literals");
}

// class A = input B[n](...) "...": after the '='.
// function F = der(f, x, y): the text of F is written when it is needed.
static bool partial_derivative(foi_parser *p, foi_class *c)
{
    const char **names = NULL;
    foi_extends *e = foi_arena_new(p->arena, 1, sizeof *e);
    if (!e || !foi_parse_need(p, '(', "after 'der'")) return false;
    if (!(e->base = foi_parse_ref(p, false, "the name of a function"))) return false;
    e->place = e->base->place, c->extends = e, c->extends_count = 1;
    while (foi_parse_take(p, ',')) {
        const char **slot = foi_arena_add(p->arena, &names, &c->by_count, sizeof *slot);
        const char *name = foi_parse_ident(p, "the name of an input");
        if (!name || !slot) return false;
        *slot = name;
    }
    c->by = names;
    return c->by_count ? foi_parse_need(p, ')', "after the names of inputs")
                       : foi_parse_need(p, ',', "and the name of an input");
}

static bool short_class(foi_parser *p, growing *g)
{
    foi_class *c = g->c;
    c->is_short = true;
    if (foi_parse_take(p, FOI_WORD_ENUMERATION)) return enumeration(p, g);
    if (p->token.kind == FOI_WORD_DER) {
        foi_parse_advance(p);
        return partial_derivative(p, c);
    }
    while (foi_parse_take(p, FOI_WORD_FLOW) || foi_parse_take(p, FOI_WORD_STREAM) ||
           foi_parse_take(p, FOI_WORD_DISCRETE) || foi_parse_take(p, FOI_WORD_PARAMETER) ||
           foi_parse_take(p, FOI_WORD_CONSTANT))
        continue;
    if (foi_parse_take(p, FOI_WORD_INPUT)) c->causality = FOI_INPUT;
    if (foi_parse_take(p, FOI_WORD_OUTPUT)) c->causality = FOI_OUTPUT;
    foi_extends *base = foi_arena_new(p->arena, 1, sizeof *base);
    if (!base) return false;
    base->place = p->token.place;
    base->base = foi_parse_ref(p, false, "the name of a class");
    if (!base->base || !foi_parse_subscripts(p, &c->dims, &c->rank)) return false;
    if (!foi_parse_class_modification(p, &base->modifier)) return false;
    c->extends = base, c->extends_count = 1;
    return true;
}

static bool import_names(foi_parser *p, growing *g, foi_ref *path)
{
    // import A.B.{c, d}
    foi_parse_advance(p);
    foi_parse_advance(p);
    do {
        foi_place place = p->token.place;
        const char *name = foi_parse_ident(p, "a name to import");
        foi_part *parts = foi_arena_new(p->arena, path->count + 1u, sizeof *parts);
        foi_ref *ref = foi_arena_new(p->arena, 1, sizeof *ref);
        foi_import *slot = foi_arena_add(p->arena, &g->imports, &g->c->import_count, sizeof *slot);
        if (!name || !parts || !ref || !slot) return false;
        memcpy(parts, path->parts, path->count * sizeof *parts);
        parts[path->count] = (foi_part){.name = name, .place = place};
        *ref = (foi_ref){.parts = parts, .count = path->count + 1, .place = place};
        *slot = (foi_import){name, ref, place};
    } while (foi_parse_take(p, ','));
    return foi_parse_need(p, '}', "after the names to import");
}

static bool import(foi_parser *p, growing *g)
{
    foi_place place = p->token.place;
    foi_parse_advance(p);
    const char *name = NULL;
    if (p->token.kind == FOI_TOKEN_IDENT && p->ahead.kind == '=') {
        name = p->token.text;
        foi_parse_advance(p);
        foi_parse_advance(p);
    }
    foi_ref *path = foi_parse_ref(p, false, "the name of what is imported");
    if (!path) return false;
    if (p->token.kind == '.' && p->ahead.kind == '{') return import_names(p, g, path);
    if (!name) name = path->parts[path->count - 1].name;
    if (p->token.kind == FOI_TOKEN_DOT_MULTIPLY) {
        foi_parse_advance(p);
        name = NULL;
    }
    foi_import *slot = foi_arena_add(p->arena, &g->imports, &g->c->import_count, sizeof *slot);
    if (!slot) return false;
    *slot = (foi_import){name, path, place};
    foi_parse_description(p);
    return true;
}

static bool extends(foi_parser *p, growing *g, bool is_protected)
{
    foi_place place = p->token.place;
    foi_parse_advance(p);
    foi_extends *slot = foi_arena_add(p->arena, &g->c->extends, &g->c->extends_count, sizeof *slot);
    if (!slot) return false;
    slot->place = place, slot->is_protected = is_protected;
    slot->base = foi_parse_ref(p, false, "the name of a class");
    const foi_modifier *annotation;
    if (slot->base && base_modification(p, &slot->modifier) && foi_parse_annotation(p, &annotation))
        return true;
    g->c->extends_count--;
    return false;
}

// What stands before a type: flow, parameter, input and so on.
static bool type_prefixes(foi_parser *p, foi_declaration *d)
{
    d->variability = FOI_CONTINUOUS;
    for (;; foi_parse_advance(p)) {
        switch (p->token.kind) {
        case FOI_WORD_FLOW: d->flow = true; break;
        case FOI_WORD_DISCRETE: d->variability = FOI_DISCRETE; break;
        case FOI_WORD_PARAMETER: d->variability = FOI_PARAMETER; break;
        case FOI_WORD_CONSTANT: d->variability = FOI_CONSTANT; break;
        case FOI_WORD_INPUT: d->causality = FOI_INPUT; break;
        case FOI_WORD_OUTPUT: d->causality = FOI_OUTPUT; break;
        case FOI_WORD_STREAM: d->stream = true; break;
        default: return true;
        }
    }
}

static bool component(foi_parser *p, growing *g, const foi_declaration *like)
{
    foi_declaration *d = foi_arena_new(p->arena, 1, sizeof *d);
    if (!d) return false;
    *d = *like;
    d->place = p->token.place;
    d->owner = g->c;
    d->name = foi_parse_ident(p, "the name of a component");
    foi_ast *const *dims;
    uint32_t rank;
    if (!d->name || !foi_parse_subscripts(p, &dims, &rank) || !joined_dims(p, d, dims, rank) ||
        !foi_parse_modification(p, &d->modifier))
        return false;
    if (foi_parse_take(p, FOI_WORD_IF) && !(d->condition = foi_parse_expression(p))) return false;
    d->description = foi_parse_description(p);
    d->kept = d->modifier;
    if (!constrained_by(p, &d->kept, &d->constraint)) return false;
    if (!d->description) d->description = foi_parse_description(p);
    if (!foi_parse_annotation(p, &d->annotation)) return false;
    foi_declaration **slot =
        foi_arena_add(p->arena, &g->declarations, &g->c->declaration_count, sizeof *slot);
    if (slot) *slot = d;
    return slot;
}

static bool components(foi_parser *p, growing *g, const prefixes *with)
{
    foi_declaration like = {.is_protected = with->is_protected,
                            .is_final = with->is_final,
                            .replaceable = with->replaceable,
                            .redeclare = with->redeclare,
                            .inner = with->inner,
                            .outer = with->outer};
    if (!type_prefixes(p, &like)) return false;
    like.type = foi_parse_ref(p, false, "a declaration or the name of a type");
    if (!like.type || !foi_parse_subscripts(p, &like.dims, &like.rank)) return false;
    do {
        if (!component(p, g, &like)) return false;
    } while (foi_parse_take(p, ','));
    return true;
}

static bool nested_class(foi_parser *p, growing *g, const prefixes *with)
{
    foi_class *c = class_definition(p, g->c);
    if (!c) return false;
    c->is_protected = with->is_protected, c->replaceable = with->replaceable;
    c->redeclare = with->redeclare;
    c->is_final = with->is_final;
    c->inner = with->inner, c->outer = with->outer;
    g->c->has_outer |= with->outer;
    foi_class **slot = foi_arena_add(p->arena, &g->c->classes, &g->c->class_count, sizeof *slot);
    if (slot) *slot = c;
    c->constrained = p->token.kind == FOI_WORD_CONSTRAINEDBY;
    if (c->is_short && c->extends_count) c->kept = c->extends->modifier;
    if (!slot || !constrained_by(p, &c->kept, &c->constraint)) return false;
    foi_parse_description(p);
    const foi_modifier *annotation;
    return foi_parse_annotation(p, &annotation);
}

static bool element(foi_parser *p, growing *g, bool is_protected)
{
    prefixes with = {.is_protected = is_protected};
    if (p->token.kind == FOI_WORD_IMPORT) return import(p, g);
    if (p->token.kind == FOI_WORD_EXTENDS) return extends(p, g, is_protected);
    for (;; foi_parse_advance(p)) {
        switch (p->token.kind) {
        case FOI_WORD_REDECLARE: with.redeclare = true; continue;
        case FOI_WORD_FINAL: with.is_final = true; continue;
        case FOI_WORD_INNER: with.inner = true; continue;
        case FOI_WORD_OUTER: with.outer = true; continue;
        case FOI_WORD_REPLACEABLE: with.replaceable = true; continue;
        default: break;
        }
        break;
    }
    return at_class(p) ? nested_class(p, g, &with) : components(p, g, &with);
}

// parmeter Real x: the first word may be meant for one of those before a type.
static bool ends_declaration(foi_parser *p, const foi_token *first)
{
    static const int words[] = {FOI_WORD_PARAMETER,   FOI_WORD_CONSTANT, FOI_WORD_DISCRETE,
                                FOI_WORD_INPUT,       FOI_WORD_OUTPUT,   FOI_WORD_FLOW,
                                FOI_WORD_STREAM,      FOI_WORD_FINAL,    FOI_WORD_INNER,
                                FOI_WORD_REPLACEABLE, FOI_WORD_OUTER,    FOI_WORD_REDECLARE,
                                FOI_WORD_MODEL,       FOI_WORD_FUNCTION, FOI_WORD_EXTENDS};
    if (first->kind != FOI_TOKEN_IDENT || p->token.kind != FOI_TOKEN_IDENT)
        return foi_parse_need(p, ';', "after the declaration");
    foi_nearest near = foi_nearest_to(first->text);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        foi_nearest_try(&near, foi_token_words(words[i]));
    const char *hint = foi_nearest_hint(&near);
    if (!*hint) return foi_parse_need(p, ';', "after the declaration");
    foi_parse_error(p, first->place, "'%s' is not a word before a declaration%s", first->text,
                    hint);
    return false;
}

static void elements(foi_parser *p, growing *g, bool is_protected)
{
    while (!foi_parse_at_section(p)) {
        const foi_token first = p->token;
        const char *before = first.start;
        bool right = element(p, g, is_protected) && ends_declaration(p, &first);
        if (!right) foi_parse_recover(p);
        if (p->token.start == before && !foi_parse_at_section(p)) foi_parse_advance(p);
    }
}

static void section(foi_parser *p, growing *g)
{
    foi_section s = {.initial = foi_parse_take(p, FOI_WORD_INITIAL)};
    s.algorithm = p->token.kind == FOI_WORD_ALGORITHM;
    foi_parse_advance(p);
    foi_parse_section(p, &s);
    foi_section *slot = foi_arena_add(p->arena, &g->sections, &g->c->section_count, sizeof *slot);
    if (slot) *slot = s;
}

// external "C" y = name(a, b) annotation(...);
static bool external_inside(foi_parser *p, foi_external *e)
{
    if (p->token.kind == FOI_TOKEN_STRING) {
        e->language = p->token.text;
        foi_parse_advance(p);
    }
    if (p->token.kind != ';' && p->token.kind != FOI_WORD_ANNOTATION) {
        foi_ast *first = foi_parse_expression(p);
        if (!first) return false;
        if (foi_parse_take(p, '=')) {
            e->result = first;
            if (!(first = foi_parse_expression(p))) return false;
        }
        if (first->kind != FOI_AST_CALL || first->ref->count != 1) {
            foi_parse_error(p, first->place, "expected the call of an external function");
            return false;
        }
        e->call = first, e->name = first->ref->parts[0].name;
    }
    bool library = p->library;
    p->library = false; // it says what is compiled, and is read
    bool right = foi_parse_annotation(p, &e->annotation);
    p->library = library;
    return right && foi_parse_need(p, ';', "after external code");
}

static void external(foi_parser *p, growing *g)
{
    foi_external *e = foi_arena_new(p->arena, 1, sizeof *e);
    foi_place place = p->token.place;
    foi_parse_advance(p);
    if (!e) return;
    e->place = place;
    if (!external_inside(p, e)) {
        foi_parse_recover(p);
        return;
    }
    g->c->external = e;
    if (!e->name) e->name = g->c->name;
}

static void composition(foi_parser *p, growing *g)
{
    bool is_protected = false;
    for (;;) {
        switch (p->token.kind) {
        case FOI_WORD_PUBLIC:
        case FOI_WORD_PROTECTED:
            is_protected = p->token.kind == FOI_WORD_PROTECTED;
            foi_parse_advance(p);
            break;
        case FOI_WORD_INITIAL:
        case FOI_WORD_EQUATION:
        case FOI_WORD_ALGORITHM:
            if (p->token.kind != FOI_WORD_INITIAL || foi_parse_at_section(p)) {
                section(p, g);
                continue;
            }
            break;
        case FOI_WORD_EXTERNAL: external(p, g); continue;
        case FOI_WORD_ANNOTATION:
            if (!foi_parse_annotation(p, &g->c->annotation) ||
                !foi_parse_need(p, ';', "after the annotation"))
                foi_parse_recover(p);
            continue;
        case FOI_TOKEN_END: return;
        case FOI_WORD_END:
            if (p->ahead.kind == FOI_TOKEN_IDENT) return;
            foi_parse_error(p, p->token.place, "'end' without a name: expected 'end %s'",
                            g->c->name);
            foi_parse_advance(p);
            foi_parse_recover(p);
            continue;
        default: break;
        }
        elements(p, g, is_protected);
    }
}

static bool long_class(foi_parser *p, growing *g, foi_place start)
{
    g->c->description = foi_parse_description(p);
    composition(p, g);
    if (p->token.kind == FOI_TOKEN_END) {
        foi_parse_error(p, p->token.place, "expected 'end %s', found the end of the file",
                        g->c->name);
        return false;
    }
    if (p->ahead.text != g->c->name) {
        foi_parse_error(p, p->ahead.place,
                        "expected 'end %s' to end what begins in line %u, found 'end %s'",
                        g->c->name, start.line, p->ahead.text);
        // perhaps the end of a class around this one
        for (foi_class *c = g->c->enclosing; c; c = c->enclosing)
            if (c->name == p->ahead.text) return false;
    }
    foi_parse_advance(p);
    foi_parse_advance(p);
    return true;
}

// The words before a class's name. False after a report.
static bool class_kind(foi_parser *p, foi_class *c)
{
    static const struct {
        int word;
        foi_class_kind kind;
    } kinds[] = {{FOI_WORD_CLASS, FOI_CLASS_CLASS},         {FOI_WORD_MODEL, FOI_CLASS_MODEL},
                 {FOI_WORD_BLOCK, FOI_CLASS_BLOCK},         {FOI_WORD_TYPE, FOI_CLASS_TYPE},
                 {FOI_WORD_CONNECTOR, FOI_CLASS_CONNECTOR}, {FOI_WORD_RECORD, FOI_CLASS_RECORD},
                 {FOI_WORD_FUNCTION, FOI_CLASS_FUNCTION},   {FOI_WORD_PACKAGE, FOI_CLASS_PACKAGE}};
    for (;; foi_parse_advance(p)) {
        int word = p->token.kind;
        if (word == FOI_WORD_ENCAPSULATED) {
            c->encapsulated = true;
        } else if (word == FOI_WORD_PARTIAL) {
            c->partial = true;
        } else if (word == FOI_WORD_EXPANDABLE) {
            c->expandable = true;
        } else if (word == FOI_WORD_OPERATOR) {
            c->is_operator = true;
        } else if (word != FOI_WORD_PURE && word != FOI_WORD_IMPURE) {
            break;
        }
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (p->token.kind == kinds[i].word) {
            c->kind = kinds[i].kind;
            foi_parse_advance(p);
            return true;
        }
    if (c->is_operator && p->token.kind == FOI_TOKEN_IDENT) {
        c->kind = FOI_CLASS_OPERATOR;
        return true;
    }
    foi_parse_expected(p, "'model', 'block', 'class', 'type', 'connector', 'record', 'function' or "
                          "'package'");
    return false;
}

// model extends Name(...) ... end Name: the inherited class of this name, and more.
static bool class_extends(foi_parser *p, growing *g)
{
    foi_extends *base = foi_arena_add(p->arena, &g->c->extends, &g->c->extends_count, sizeof *base);
    if (!base) return false;
    base->place = g->c->place;
    return foi_parse_class_modification(p, &base->modifier);
}

static bool class_inside(foi_parser *p, growing *g)
{
    foi_place start = p->token.place;
    if (!class_kind(p, g->c)) return false;
    bool inherits = foi_parse_take(p, FOI_WORD_EXTENDS);
    g->c->place = p->token.place;
    g->c->name = foi_parse_ident(p, "the name of the class");
    if (!g->c->name) return false;
    if (inherits) return class_extends(p, g) && long_class(p, g, start);
    if (!foi_parse_take(p, '=')) return long_class(p, g, start);
    if (!short_class(p, g)) return false;
    g->c->description = foi_parse_description(p);
    return foi_parse_annotation(p, &g->c->annotation);
}

static foi_class *class_definition(foi_parser *p, foi_class *enclosing)
{
    growing g = {.c = foi_arena_new(p->arena, 1, sizeof *g.c)};
    if (!g.c || !foi_parse_enter(p)) return NULL;
    g.c->enclosing = enclosing;
    int subscripts = p->subscripts;
    p->subscripts = 0;
    bool right = class_inside(p, &g);
    p->subscripts = subscripts;
    p->depth--;
    g.c->declarations = g.declarations;
    g.c->imports = g.imports;
    g.c->sections = g.sections;
    return right ? g.c : NULL;
}

void foi_parse_file(foi_parser *p, foi_stored *stored)
{
    *stored = (foi_stored){0};
    if (foi_parse_take(p, FOI_WORD_WITHIN)) {
        if (p->token.kind != ';') stored->within = foi_parse_ref(p, false, "the name of a package");
        if (!foi_parse_need(p, ';', "after 'within'")) foi_parse_recover(p);
    }
    while (p->token.kind != FOI_TOKEN_END) {
        const char *before = p->token.start;
        foi_parse_take(p, FOI_WORD_FINAL);
        if (!at_class(p)) {
            foi_parse_expected(p, "a class, for example 'model'");
            while (p->token.kind != FOI_TOKEN_END && !at_class(p)) foi_parse_advance(p);
            continue;
        }
        foi_class *c = class_definition(p, NULL);
        foi_class **slot =
            c ? foi_arena_add(p->arena, &stored->classes, &stored->count, sizeof *slot) : NULL;
        if (slot) *slot = c;
        if (!c || !foi_parse_need(p, ';', "after the class")) {
            while (p->token.kind != FOI_TOKEN_END && p->token.kind != ';') foi_parse_advance(p);
            foi_parse_take(p, ';');
        }
        if (p->token.start == before) foi_parse_advance(p);
    }
}
