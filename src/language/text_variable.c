/// Variables of type String.
///
/// Such a variable has one formula in the whole run: that of its declaration, or of the equation or
/// assignment for it. They are looked for where the variable is declared, and stand wherever the
/// variable does.
///
/// One that is assigned at moments has a formula, too: a hidden Integer says which of its
/// assignments came last, and hidden variables keep the values that were in that one's text. So
///
///     when c then s = "x = " + String(x); end when;
///
/// becomes  when c then n = 1; v = x; end when;  with  s = if n == 1 then "x = " + String(v) else
/// what it is at the start. What a text is made of is known before the run, and its length is
/// bounded: so it cannot be made of the text that it was before.
#include <stdio.h>
#include <string.h>

#include "language/machine.h"
#include "language/session.h"

/// An assignment at moments: what it does to the hidden variables.
struct foi_text_source {
    const foi_ast *left;       ///< of the assignment
    const foi_component *c;    ///< which it is for
    uint32_t element;          ///< of it
    uint32_t number;           ///< of it, from 1
    const foi_flat_expr *text; ///< made of hidden variables
    const foi_flat_expr **targets, **values;
    uint32_t target_count, value_count;
    struct foi_text_source *next;
};

typedef struct search {
    foi_component *c;
    const foi_equation_ast *loop;
    bool algorithm;              ///< what is looked at now is one
    bool changes;                ///< it is assigned at moments
    bool initial;                ///< what is looked at now holds at the start only
    bool inside;                 ///< and acts at moments: it is in a when, or in an algorithm
    const foi_flat_expr **start; ///< per element, of one that changes; NULL: nothing says it
    foi_flat_variable **which;   ///< the hidden Integers
    foi_text_source **sources;   ///< the last first
} search;

static bool look_in(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                    uint32_t count, search *f);

static bool is_for(const search *f, const foi_equation_ast *e)
{
    return e->kind == FOI_EQ_EQUAL && e->left->kind == FOI_AST_REF && e->left->ref->count == 1 &&
           e->left->ref->parts[0].name == f->c->member->declaration->name;
}

static bool occurs(const search *f, foi_equation_ast *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (is_for(f, items[i])) return true;
        for (uint32_t b = 0; b < items[i]->branch_count; b++)
            if (occurs(f, items[i]->branches[b].body, items[i]->branches[b].count)) return true;
    }
    return false;
}

// -------------------------------------------------------------------------------- at moments

static foi_flat_variable *hidden(foi_session *s, foi_place place, foi_flat_type type,
                                 const char *const *literals)
{
    char name[40];
    snprintf(name, sizeof name, "(text %u)", s->variable_count);
    const foi_flat_expr *start = type == FOI_BOOLEAN ? foi_flat_boolean(s->flat, false)
                                 : type == FOI_REAL  ? foi_flat_real(s->flat, 0)
                                                     : foi_flat_integer(s->flat, literals ? 1 : 0);
    foi_flat_variable *v = start ? foi_machine_variable(s, place, "%s", name, type, start) : NULL;
    if (v) v->literals = literals, v->fixed = true;
    return v;
}

static bool add_to(foi_session *s, foi_text_source *source, const foi_flat_expr *target,
                   const foi_flat_expr *value)
{
    const foi_flat_expr **to =
        foi_arena_add(&s->arena, &source->targets, &source->target_count, sizeof *to);
    const foi_flat_expr **from =
        foi_arena_add(&s->arena, &source->values, &source->value_count, sizeof *from);
    return to && from && (*to = target) && (*from = value);
}

// A text with other values in it: with a source those that it keeps of the moment, without one
// those from before the moment. NULL: no memory.
static const foi_flat_expr *with_values(foi_session *s, foi_place place, const foi_flat_expr *x,
                                        foi_text_source *source)
{
    if (x->op == FOI_OP_STRING || foi_variability_of(x) <= FOI_PARAMETER) return x;
    if (!source && x->op == FOI_OP_VARIABLE)
        return foi_flat_call_builtin(s->flat, FOI_FN_PRE, 1, &x);
    if (source && x->type != FOI_STRING) {
        const char *const *literals = x->op == FOI_OP_VARIABLE ? x->variable->literals : NULL;
        foi_flat_variable *v = hidden(s, place, x->type, literals);
        const foi_flat_expr *of = v ? foi_flat_of(s->flat, v) : NULL;
        return of && add_to(s, source, of, x) ? of : NULL;
    }
    bool calls = x->op == FOI_OP_RESULT;
    uint32_t count = calls ? x->call->function->input_count : x->count;
    const foi_flat_expr *const *from = calls ? x->call->arguments : x->arguments;
    const foi_flat_expr **list = foi_arena_new(&s->flat->arena, count + 1u, sizeof *list);
    foi_flat_call *call = foi_arena_new(&s->flat->arena, 1, sizeof *call);
    foi_flat_expr *e = foi_arena_new(&s->flat->arena, 1, sizeof *e);
    if (!list || !call || !e) return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (!(list[i] = with_values(s, place, from[i], source))) return NULL;
    *e = *x, e->arguments = list;
    if (!calls) return e;
    *call = *x->call, call->arguments = list;
    e->arguments = NULL, e->call = call;
    return e;
}

// One more assignment of element k.
static bool add_source(foi_session *s, search *f, uint32_t k, const foi_ast *left,
                       const foi_flat_expr *text, foi_place place)
{
    foi_text_source *source = foi_arena_new(&s->arena, 1, sizeof *source);
    if (!source) return false;
    for (const foi_text_source *o = f->sources[k]; o; o = o->next)
        if (o->left == left)
            return foi_error(s, place, "a loop gives the String '%s' more than one text",
                             f->c->name);
    if (f->c->nodes[k]) return foi_error(s, place, "'%s' is given a value twice", f->c->name);
    if (!f->which[k] && !(f->which[k] = hidden(s, place, FOI_INTEGER, NULL))) return false;
    uint32_t number = f->sources[k] ? f->sources[k]->number + 1 : 1;
    *source = (foi_text_source){left, f->c, k, number, .next = f->sources[k]};
    const foi_flat_expr *which = foi_flat_of(s->flat, f->which[k]);
    const foi_flat_expr *value = foi_flat_integer(s->flat, number);
    if (!which || !value || !add_to(s, source, which, value)) return false;
    f->sources[k] = source;
    return (source->text = with_values(s, place, text, source));
}

// The formula of element k: that of the assignment which came last.
static bool settle(foi_session *s, search *f, uint32_t k)
{
    const foi_flat_expr *all = f->start[k] ? f->start[k] : foi_flat_text(s->flat, "");
    for (foi_text_source *o = f->sources[k], *next; o; o = next) {
        const foi_flat_expr *is =
            foi_flat_binary(s->flat, FOI_OP_EQUAL, foi_flat_of(s->flat, f->which[k]),
                            foi_flat_integer(s->flat, o->number));
        all = foi_flat_if(s->flat, is, o->text, all);
        next = o->next, o->next = s->texts, s->texts = o;
    }
    return (f->c->nodes[k] = all);
}

bool foi_text_assigned(foi_session *s, const foi_ast *left, const foi_flat_expr *formula,
                       const foi_flat_expr *const **targets, const foi_flat_expr *const **values,
                       uint32_t *count)
{
    for (const foi_text_source *o = s->texts; o; o = o->next) {
        if (o->left != left || o->c->nodes[o->element] != formula) continue;
        *targets = o->targets, *values = o->values, *count = o->target_count;
        return true;
    }
    return false;
}

const foi_flat_expr *foi_text_before(foi_session *s, const foi_flat_expr *text)
{
    return with_values(s, (foi_place){0}, text, NULL);
}

// -------------------------------------------------------------------------- what gives a text

static bool take(foi_session *s, search *f, uint32_t k, const foi_ast *left, const foi_flat_expr *e,
                 foi_place place)
{
    foi_component *c = f->c;
    if (e->type != FOI_STRING) return foi_error(s, place, "'%s' needs a String here", c->name);
    if (f->inside) return add_source(s, f, k, left, e, place);
    bool first = f->changes && f->initial;
    const foi_flat_expr **slot = first ? &f->start[k] : &c->nodes[k];
    if (*slot || (!first && f->sources[k]))
        return foi_error(s, place, "'%s' is given a value twice", c->name);
    if (first && foi_variability_of(e) > FOI_PARAMETER)
        return foi_error(s, place,
                         "the text that '%s' starts with must be known before the run: it changes "
                         "at moments",
                         c->name);
    *slot = e;
    foi_text_source *source = foi_arena_new(&s->arena, 1, sizeof *source);
    if (!source) return false;
    *source = (foi_text_source){.left = left, .c = c, .element = k, .next = s->texts};
    s->texts = source;
    return true;
}

// name[i] = text, or all of them at once.
static bool take_equation(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                          search *f)
{
    const foi_part *part = &e->left->ref->parts[0];
    foi_component *c = f->c;
    foi_value v;
    uint32_t at = 0;
    if (!foi_expand(s, ctx, e->right, &v)) return false;
    if (v.record || v.type != FOI_STRING || (part->count && part->count != c->rank))
        return foi_error(s, e->place, "'%s' needs a String here", c->name);
    if (!part->count) {
        if (v.count != c->count || v.rank != c->rank)
            return foi_error(s, e->place, "'%s' needs %u Strings, not %u", c->name, c->count,
                             v.count);
        for (uint32_t k = 0; k < c->count; k++)
            if (!take(s, f, k, e->left, foi_item(&v, k), e->right->place)) return false;
        return true;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        double index;
        if (!foi_expand_known(s, ctx, part->subscripts[i], FOI_INTEGER, "the subscript", &index))
            return false;
        if (!(index >= 1 && index <= c->dims[i]))
            return foi_error(s, part->place, "'%s' has no element %.0f", c->name, index);
        at = at * c->dims[i] + (uint32_t)index - 1;
    }
    if (v.rank) return foi_error(s, e->place, "'%s' needs one String here", c->name);
    return take(s, f, at, e->left, v.one, e->right->place);
}

static bool look_once(foi_session *s, const foi_context *ctx, void *data)
{
    search *f = data;
    const foi_branch_ast *b = f->loop->branches;
    return look_in(s, ctx, b->body, b->count, f);
}

static bool look_in_loop(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                         search *f)
{
    const foi_equation_ast *around = f->loop;
    f->loop = e;
    bool right = foi_loop(s, ctx, e->iterators, e->iterator_count, look_once, f);
    f->loop = around;
    return right;
}

// Each of the branches, of a choice or a when, may act.
static bool look_in_all(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                        search *f)
{
    for (uint32_t b = 0; b < e->branch_count; b++)
        if (!look_in(s, ctx, e->branches[b].body, e->branches[b].count, f)) return false;
    return true;
}

// Branch b of an if-equation whose condition the run decides, and those behind it: the formula is a
// choice of theirs.
static bool look_in_either(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                           uint32_t b, const foi_flat_expr *condition, search *f);

static bool look_in_branches(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                             uint32_t b, search *f)
{
    for (; b < e->branch_count; b++) {
        const foi_branch_ast *branch = &e->branches[b];
        const foi_flat_expr *condition;
        double holds = 1;
        if (branch->condition) {
            if (!foi_expand_scalar(s, ctx, branch->condition, FOI_BOOLEAN, "the condition",
                                   &condition))
                return false;
            if (!foi_known(s, condition, true, &holds))
                return look_in_either(s, ctx, e, b, condition, f);
        }
        if (holds) return look_in(s, ctx, branch->body, branch->count, f);
    }
    return true;
}

static bool look_in_either(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                           uint32_t b, const foi_flat_expr *condition, search *f)
{
    foi_component *c = f->c;
    const foi_flat_expr **all = c->nodes;
    const foi_flat_expr **yes = foi_arena_new(&s->arena, c->count, sizeof *yes);
    const foi_flat_expr **no = foi_arena_new(&s->arena, c->count, sizeof *no);
    if (!yes || !no) return false;
    c->nodes = yes;
    bool right = look_in(s, ctx, e->branches[b].body, e->branches[b].count, f);
    c->nodes = no;
    right = right && look_in_branches(s, ctx, e, b + 1, f);
    c->nodes = all;
    for (uint32_t k = 0; right && k < c->count; k++) {
        if (!yes[k] && !no[k]) continue;
        if (!yes[k] || !no[k])
            return foi_error(s, e->place, "each branch must give the String '%s' a value", c->name);
        if (all[k]) return foi_error(s, e->place, "'%s' is given a value twice", c->name);
        if (!(all[k] = foi_flat_if(s->flat, condition, yes[k], no[k]))) return false;
    }
    return right;
}

static bool look_at(foi_session *s, const foi_context *ctx, const foi_equation_ast *e, search *f)
{
    if (e->kind == FOI_EQ_EQUAL) return take_equation(s, ctx, e, f);
    if (e->kind == FOI_EQ_FOR) return look_in_loop(s, ctx, e, f);
    if (e->kind == FOI_EQ_WHEN || (e->kind == FOI_EQ_IF && f->inside)) {
        bool outer = f->inside;
        f->inside = true;
        bool right = look_in_all(s, ctx, e, f);
        f->inside = outer;
        return right;
    }
    if (e->kind == FOI_EQ_IF) return look_in_branches(s, ctx, e, 0, f);
    return foi_error(s, e->place, "'%s' is a String: the run cannot assign it in a loop",
                     f->c->name);
}

static bool look_in(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                    uint32_t count, search *f)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!occurs(f, &items[i], 1)) continue;
        if (!foi_enter(s, items[i]->place)) return false;
        bool right = look_at(s, ctx, items[i], f);
        s->depth--;
        if (!right) return false;
    }
    return true;
}

static bool ask_in(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                   uint32_t count, search *f);

static bool ask_once(foi_session *s, const foi_context *ctx, void *data)
{
    search *f = data;
    const foi_branch_ast *b = f->loop->branches;
    return ask_in(s, ctx, b->body, b->count, f);
}

static bool ask_in_branches(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                            search *f)
{
    for (uint32_t b = 0; b < e->branch_count && !f->changes; b++) {
        const foi_branch_ast *branch = &e->branches[b];
        const foi_flat_expr *condition = NULL;
        double holds = 1;
        if (branch->condition &&
            !foi_expand_scalar(s, ctx, branch->condition, FOI_BOOLEAN, "the condition", &condition))
            return false;
        bool open = condition && !foi_known(s, condition, true, &holds);
        if (open && f->algorithm) return f->changes = true;
        if (!open && !holds) continue;
        if (!ask_in(s, ctx, branch->body, branch->count, f)) return false;
        if (!open) break;
    }
    return true;
}

// Is it assigned in a when, or in an algorithm where the run decides it?
static bool ask_in(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                   uint32_t count, search *f)
{
    for (uint32_t i = 0; i < count && !f->changes; i++) {
        const foi_equation_ast *e = items[i], *around = f->loop;
        if (!occurs(f, &items[i], 1)) continue;
        f->changes = e->kind == FOI_EQ_WHEN;
        if (!foi_enter(s, e->place)) return false;
        bool right = e->kind != FOI_EQ_IF || ask_in_branches(s, ctx, e, f);
        f->loop = e;
        if (e->kind == FOI_EQ_FOR)
            right = foi_loop(s, ctx, e->iterators, e->iterator_count, ask_once, f);
        f->loop = around;
        s->depth--;
        if (!right) return false;
    }
    return true;
}

// Does something with all equations and algorithms where the variable is declared.
static bool look_around(foi_session *s, search *f, bool asks)
{
    foi_instance *in = f->c->parent;
    for (uint32_t a = 0; a < in->c->ancestor_count; a++) {
        foi_class *text = in->c->ancestors[a];
        for (uint32_t i = 0; i < text->section_count; i++) {
            const foi_section *section = &text->sections[i];
            foi_context ctx = {.self = in, .lexical = text, .in_initial = section->initial};
            f->algorithm = section->algorithm;
            if (asks) {
                if (!section->initial && !ask_in(s, &ctx, section->items, section->count, f))
                    return false;
                continue;
            }
            f->initial = section->initial;
            f->inside = f->changes && section->algorithm && !section->initial;
            if (!look_in(s, &ctx, section->items, section->count, f)) return false;
        }
    }
    return true;
}

static bool look_for(foi_session *s, foi_component *c, foi_place place)
{
    search f = {.c = c};
    f.start = foi_arena_new(&s->arena, c->count, sizeof *f.start);
    f.which = foi_arena_new(&s->arena, c->count, sizeof *f.which);
    f.sources = foi_arena_new(&s->arena, c->count, sizeof *f.sources);
    if (!f.start || !f.which || !f.sources || !look_around(s, &f, true)) return false;
    if (!look_around(s, &f, false)) return false;
    if (f.changes && !foi_start_texts(s, c, f.start)) return false;
    for (uint32_t k = 0; k < c->count; k++) {
        if (f.sources[k] && !settle(s, &f, k)) return false;
        if (!c->nodes[k])
            return foi_error(s, place, "nothing gives the value of the String '%s'", c->name);
    }
    return true;
}

bool foi_find_texts(foi_session *s, foi_component *c)
{
    foi_place place = c->member->declaration->place;
    foi_value v;
    bool found;
    if (c->binding == FOI_BOUND) return true;
    if (c->binding == FOI_BIND_FAILED) return false;
    if (c->binding == FOI_BINDING)
        return foi_error(s, place, "the value of '%s' depends on itself", c->name);
    c->binding = FOI_BINDING;
    bool right = foi_binding_value(s, c, &found, &v, &place);
    if (right && found) {
        right = !v.record && v.type == FOI_STRING && v.count == c->count;
        if (!right) foi_error(s, place, "'%s' needs %u String(s) here", c->name, c->count);
        for (uint32_t k = 0; right && k < c->count; k++) c->nodes[k] = foi_item(&v, k);
    } else if (right) {
        right = look_for(s, c, place);
    }
    c->binding = right ? FOI_BOUND : FOI_BIND_FAILED;
    return right;
}
