/// Functions carried out before the run: those that work with texts, or with arrays whose sizes
/// change, and whose arguments are known.
///
/// Statements are followed one by one; expressions are expanded as everywhere else, with the
/// function's variables as names that stand for values, so that they come out as literals.
#include <string.h>

#include "language/session.h"

enum { MOST_TURNS = 1000000 };

typedef enum outcome { GOES_ON, BREAKS, RETURNS, FAILS } outcome;

typedef struct run {
    foi_session *s;
    foi_class *c;
    foi_context ctx; ///< ctx.scope: the variables
    foi_place place; ///< of the call
    bool texts;      ///< it works with texts
} run;

static outcome carry_out(run *r, const foi_context *ctx, foi_equation_ast *const *items,
                         uint32_t count);

// Every element as a literal. False when one is not known; nothing is said.
static bool settle(foi_session *s, foi_value *v)
{
    if (v->record) {
        foi_value *fields = foi_arena_new(&s->arena, v->record->member_count, sizeof *fields);
        if (!fields) return false;
        for (uint32_t i = 0; i < v->record->member_count; i++) {
            fields[i] = v->fields[i];
            if (!settle(s, &fields[i])) return false;
        }
        v->fields = fields;
        return true;
    }
    const foi_flat_expr **list = foi_arena_new(&s->arena, v->count, sizeof *list);
    if (!list) return false;
    for (uint32_t i = 0; i < v->count; i++) {
        const foi_flat_expr *e = foi_item(v, i);
        double value;
        list[i] = e;
        if (e->op == FOI_OP_LITERAL || e->op == FOI_OP_STRING) continue;
        if (v->type == FOI_STRING || !foi_known(s, e, true, &value)) return false;
        foi_flat_expr *literal = foi_flat_real(s->flat, value);
        if (!literal) return false;
        literal->type = v->type;
        list[i] = literal;
    }
    v->list = list;
    if (v->rank == 0) v->one = list[0];
    return true;
}

static bool unknown(run *r, foi_place place)
{
    return foi_error(r->s, place, "'%s' works with %s, so this must be known before the run",
                     r->c->name, r->texts ? "Strings" : "arrays whose sizes change");
}

static bool unsupported(run *r, foi_place place)
{
    return foi_error(r->s, place, "this assignment is not supported with %s",
                     r->texts ? "Strings" : "arrays whose sizes change");
}

static foi_scope *variable(const foi_context *ctx, const char *name)
{
    return (foi_scope *)foi_in_scope(ctx, name);
}

// v[subscripts] := value, of scalars.
static bool set_element(run *r, const foi_context *ctx, const foi_part *part, foi_value *v,
                        const foi_value *value)
{
    uint32_t at = 0;
    if (part->count != v->rank || value->rank || v->record) return unsupported(r, part->place);
    for (uint32_t i = 0; i < part->count; i++) {
        double index;
        if (!foi_expand_known(r->s, ctx, part->subscripts[i], FOI_INTEGER, "the subscript", &index))
            return false;
        if (!(index >= 1 && index <= v->dims[i]))
            return foi_error(r->s, part->place, "subscript %.0f is beyond the size %u", index,
                             v->dims[i]);
        at = at * v->dims[i] + (uint32_t)index - 1;
    }
    const foi_flat_expr **list = foi_arena_new(&r->s->arena, v->count, sizeof *list);
    if (!list) return false;
    memcpy(list, v->list, v->count * sizeof *list);
    list[at] = value->one;
    v->list = list;
    return true;
}

// The field that a.b.c means, in fields that are copied on the way: other values may have them,
// too.
static foi_value *field_of(run *r, const foi_ref *ref, foi_value *v)
{
    for (uint32_t i = 1; i < ref->count; i++) {
        if (!v->record || v->rank || ref->parts[i - 1].count || ref->parts[i].count) return NULL;
        const foi_class *c = v->record;
        foi_value *fields = foi_arena_new(&r->s->arena, c->member_count, sizeof *fields),
                  *found = NULL;
        if (!fields) return NULL;
        for (uint32_t k = 0; k < c->member_count; k++) {
            fields[k] = v->fields[k];
            if (c->members[k].declaration->name == ref->parts[i].name) found = &fields[k];
        }
        v->fields = fields, v = found;
        if (!v) return NULL;
    }
    return v;
}

static bool assign(run *r, const foi_context *ctx, const foi_ast *left, foi_value value)
{
    foi_scope *target = left->kind == FOI_AST_REF ? variable(ctx, left->ref->parts[0].name) : NULL;
    if (!target) return unsupported(r, left->place);
    if (!settle(r->s, &value)) return unknown(r, left->place);
    foi_value *v = field_of(r, left->ref, &target->value);
    if (!v) return unsupported(r, left->place);
    if (!v->record && !foi_convert(r->s, left->place, &value, v->type, v->literals, "the value"))
        return false;
    if (left->ref->count > 1) {
        if (v->record != value.record || !foi_same_size(v, &value))
            return unsupported(r, left->place);
        return *v = value, true;
    }
    if (left->ref->parts[0].count) return set_element(r, ctx, &left->ref->parts[0], v, &value);
    const foi_member *m = foi_find_member(r->c, left->ref->parts[0].name);
    for (uint32_t i = 0; m && i < m->declaration->rank; i++)
        if (m->declaration->dims[i]->kind != FOI_AST_COLON && value.rank == v->rank &&
            value.dims[i] != v->dims[i])
            return foi_error(r->s, left->place, "'%s' is %s, and this is %s",
                             left->ref->parts[0].name, foi_type_text(r->s, v),
                             foi_type_text(r->s, &value));
    *v = value;
    return true;
}

static bool assign_all(run *r, const foi_context *ctx, const foi_equation_ast *e)
{
    foi_value v;
    if (e->left->kind != FOI_AST_TUPLE)
        return foi_expand(r->s, ctx, e->right, &v) && assign(r, ctx, e->left, v);
    const foi_value *results;
    uint32_t count;
    if (!foi_expand_results(r->s, ctx, e->right, &results, &count)) return false;
    for (uint32_t i = 0; i < e->left->count && i < count; i++)
        if (e->left->items[i] && !assign(r, ctx, e->left->items[i], results[i])) return false;
    return true;
}

static outcome choose(run *r, const foi_context *ctx, const foi_equation_ast *e)
{
    for (uint32_t b = 0; b < e->branch_count; b++) {
        double holds = 1;
        if (e->branches[b].condition && !foi_expand_known(r->s, ctx, e->branches[b].condition,
                                                          FOI_BOOLEAN, "the condition", &holds))
            return FAILS;
        if (holds) return carry_out(r, ctx, e->branches[b].body, e->branches[b].count);
    }
    return GOES_ON;
}

/// One turn of a loop.
typedef struct turning {
    run *r;
    const foi_branch_ast *body;
    outcome last;
} turning;

static bool turn(foi_session *s, const foi_context *ctx, void *data)
{
    turning *t = data;
    (void)s;
    if (t->last == GOES_ON) t->last = carry_out(t->r, ctx, t->body->body, t->body->count);
    return t->last != FAILS;
}

static outcome repeat(run *r, const foi_context *ctx, const foi_equation_ast *e)
{
    if (e->kind == FOI_EQ_FOR) {
        turning t = {r, e->branches, GOES_ON};
        if (!foi_loop(r->s, ctx, e->iterators, e->iterator_count, turn, &t)) return FAILS;
        return t.last == BREAKS ? GOES_ON : t.last;
    }
    for (int i = 0; i < MOST_TURNS; i++) {
        double holds;
        if (!foi_work(r->s, e->place, 1) || !foi_expand_known(r->s, ctx, e->branches->condition,
                                                              FOI_BOOLEAN, "the condition", &holds))
            return FAILS;
        if (!holds) return GOES_ON;
        outcome o = carry_out(r, ctx, e->branches->body, e->branches->count);
        if (o == BREAKS) return GOES_ON;
        if (o != GOES_ON) return o;
    }
    foi_error(r->s, e->place, "the loop makes more than %d iterations", MOST_TURNS);
    return FAILS;
}

static bool check(run *r, const foi_context *ctx, const foi_ast *call)
{
    if (call->ref->count != 1 || strcmp(call->ref->parts[0].name, "assert") != 0) {
        const foi_value *results;
        uint32_t count;
        return foi_expand_results(r->s, ctx, call, &results, &count);
    }
    foi_flat_assert a;
    double holds;
    if (!foi_expand_assert(r->s, ctx, call, &a)) return false;
    if (!foi_known(r->s, a.condition, true, &holds)) return unknown(r, call->place);
    if (holds || a.warning) return true;
    return foi_error(r->s, r->place, "'%s': %s", r->c->name,
                     a.message->op == FOI_OP_STRING ? a.message->text : "its assertion fails");
}

static outcome statement(run *r, const foi_context *ctx, const foi_equation_ast *e)
{
    switch (e->kind) {
    case FOI_EQ_EQUAL: return assign_all(r, ctx, e) ? GOES_ON : FAILS;
    case FOI_EQ_IF: return choose(r, ctx, e);
    case FOI_EQ_FOR:
    case FOI_EQ_WHILE: return repeat(r, ctx, e);
    case FOI_EQ_CALL: return check(r, ctx, e->left) ? GOES_ON : FAILS;
    case FOI_EQ_BREAK: return BREAKS;
    case FOI_EQ_RETURN: return RETURNS;
    default: break;
    }
    foi_error(r->s, e->place, "this is not allowed in a function");
    return FAILS;
}

static outcome carry_out(run *r, const foi_context *ctx, foi_equation_ast *const *items,
                         uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!foi_enter(r->s, items[i]->place)) return FAILS;
        outcome o = statement(r, ctx, items[i]);
        r->s->depth--;
        if (o != GOES_ON) return o;
    }
    return GOES_ON;
}

// --------------------------------------------------------------------------------------- variables

static bool default_of(run *r, const foi_declaration *d, const foi_class *type, foi_value *v)
{
    uint32_t dims[FOI_MOST_RANK];
    const foi_flat_expr **list;
    foi_context here = r->ctx;
    here.lexical = d->sized_in ? d->sized_in : d->owner;
    if (d->rank > FOI_MOST_RANK) return unknown(r, d->place);
    for (uint32_t i = 0; i < d->rank; i++) {
        double n;
        if (d->dims[i]->kind == FOI_AST_COLON) {
            n = 0;
        } else if (!foi_expand_known(r->s, &here, d->dims[i], FOI_INTEGER, "the size", &n)) {
            return false;
        }
        dims[i] = n > 0 ? (uint32_t)n : 0;
    }
    if (!foi_new_array(r->s, d->place, type->type, d->rank, dims, v, &list)) return false;
    v->literals = type->builtin->literal_count ? type->builtin : NULL;
    for (uint32_t i = 0; i < v->count; i++) {
        foi_flat_expr *e =
            type->type == FOI_STRING ? foi_flat_text(r->s->flat, "") : foi_flat_real(r->s->flat, 0);
        if (!e) return false;
        if (type->type != FOI_STRING) e->type = type->type;
        list[i] = e;
    }
    if (v->rank == 0) v->one = list[0];
    return true;
}

static bool begin_variable(run *r, const foi_member *m, const foi_value *given, foi_scope *scope);

// A record of which nothing was said: its fields are as they are declared.
static bool record_default(run *r, const foi_declaration *d, foi_class *type, foi_value *v)
{
    if (d->rank || type->kind != FOI_CLASS_RECORD) return unknown(r, d->place);
    foi_value *fields = foi_arena_new(&r->s->arena, type->member_count + 1u, sizeof *fields);
    foi_scope *scopes = foi_arena_new(&r->s->arena, type->member_count + 1u, sizeof *scopes);
    run inside = {.s = r->s, .c = type, .ctx = {.lexical = type}, .place = r->place};
    inside.texts = r->texts;
    if (!fields || !scopes || !foi_enter(r->s, d->place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < type->member_count; i++) {
        right = begin_variable(&inside, &type->members[i], NULL, &scopes[i]);
        fields[i] = scopes[i].value;
    }
    r->s->depth--;
    *v = (foi_value){.record = type, .count = 1, .fields = fields};
    return right;
}

static bool begin_variable(run *r, const foi_member *m, const foi_value *given, foi_scope *scope)
{
    foi_declaration *d = m->declaration;
    foi_context here = r->ctx;
    const foi_ast *value = foi_default_value(r->s, NULL, m, &here);
    *scope = (foi_scope){.name = d->name, .outer = r->ctx.scope, .of = r->c};
    if (!d->resolved) d->resolved = foi_find_class(r->s, d->owner, d->type, "type");
    if (!d->resolved || !foi_analyse(r->s, d->resolved)) return false;
    if (given) {
        scope->value = *given;
    } else if (value) {
        if (!foi_expand(r->s, &here, value, &scope->value)) return false;
        if (!settle(r->s, &scope->value)) return unknown(r, d->place);
        const foi_class *t = d->resolved->builtin;
        if (t && !foi_convert(r->s, d->place, &scope->value, d->resolved->type,
                              t->literal_count ? (foi_class *)t : NULL, "the value"))
            return false;
    } else if (!d->resolved->builtin) {
        if (!record_default(r, d, d->resolved, &scope->value)) return false;
    } else if (!default_of(r, d, d->resolved, &scope->value)) {
        return false;
    }
    r->ctx.scope = scope;
    return true;
}

bool foi_works_with_texts(foi_session *s, foi_class *c)
{
    for (uint32_t i = 0; i < c->member_count; i++) {
        foi_declaration *d = c->members[i].declaration;
        if (!d->causality) continue;
        if (!d->resolved) d->resolved = foi_find_class(s, d->owner, d->type, "type");
        if (d->resolved && foi_analyse(s, d->resolved) && d->resolved->builtin &&
            d->resolved->type == FOI_STRING)
            return true;
    }
    return false;
}

// Is a variable of this name assigned as a whole, with itself in the value, or where it depends on
// something whether it is?
static bool grows(foi_equation_ast *const *items, uint32_t count, const char *name, int depth)
{
    for (uint32_t i = 0; i < count && depth < FOI_DEEPEST_MODEL; i++) {
        const foi_equation_ast *e = items[i];
        const foi_ast *left = e->kind == FOI_EQ_EQUAL ? e->left : NULL;
        bool whole = left && left->kind == FOI_AST_REF && left->ref->count == 1 &&
                     left->ref->parts[0].name == name && !left->ref->parts[0].count;
        if (whole && (depth || foi_mentions(e->right, name))) return true;
        for (uint32_t b = 0; b < e->branch_count; b++)
            if (grows(e->branches[b].body, e->branches[b].count, name, depth + 1)) return true;
    }
    return false;
}

bool foi_changes_sizes(foi_session *s, foi_class *c)
{
    for (uint32_t i = 0; i < c->member_count; i++) {
        const foi_declaration *d = c->members[i].declaration;
        foi_context there = {0};
        bool open = false;
        for (uint32_t k = 0; k < d->rank; k++) open |= d->dims[k]->kind == FOI_AST_COLON;
        if (!open || d->causality == FOI_INPUT) continue;
        if (foi_default_value(s, NULL, &c->members[i], &there)) continue;
        for (uint32_t a = 0; a < c->ancestor_count; a++)
            for (uint32_t k = 0; k < c->ancestors[a]->section_count; k++)
                if (grows(c->ancestors[a]->sections[k].items, c->ancestors[a]->sections[k].count,
                          d->name, 0))
                    return true;
    }
    return false;
}

static bool body(run *r)
{
    for (uint32_t a = 0; a < r->c->ancestor_count; a++) {
        foi_class *c = r->c->ancestors[a];
        for (uint32_t i = 0; i < c->section_count; i++) {
            foi_context here = r->ctx;
            here.lexical = c;
            if (!c->sections[i].algorithm)
                return foi_error(r->s, c->sections[i].place,
                                 "a function has an algorithm, not equations");
            outcome o = carry_out(r, &here, c->sections[i].items, c->sections[i].count);
            if (o == FAILS) return false;
            if (o == RETURNS) return true;
        }
    }
    return true;
}

bool foi_interpret(foi_session *s, foi_place place, foi_class *c, const foi_value *values,
                   const foi_value **results, uint32_t *count, bool *done)
{
    run r = {.s = s, .c = c, .ctx = {.lexical = c}, .place = place};
    r.texts = foi_works_with_texts(s, c);
    foi_scope *scopes = foi_arena_new(&s->arena, c->member_count, sizeof *scopes);
    foi_value *list = foi_arena_new(&s->arena, c->member_count + 1u, sizeof *list);
    uint32_t at = 0, inputs = 0;
    *done = false;
    if (!scopes || !list) return false;
    for (uint32_t i = 0; i < c->member_count; i++)
        inputs += c->members[i].declaration->causality == FOI_INPUT;
    foi_value *given = foi_arena_new(&s->arena, inputs, sizeof *given);
    if (!given) return false;
    for (uint32_t i = 0; i < inputs; i++) {
        given[i] = values[i];
        if (!settle(s, &given[i])) return true; // perhaps it can be worked out in the run
    }
    *done = true, *count = 0;
    if (!foi_enter(s, place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < c->member_count; i++) {
        const foi_member *m = &c->members[i];
        bool input = m->declaration->causality == FOI_INPUT;
        right = begin_variable(&r, m, input ? &given[at] : NULL, &scopes[i]);
        at += input;
    }
    right = right && body(&r);
    for (uint32_t i = 0; right && i < c->member_count; i++)
        if (c->members[i].declaration->causality == FOI_OUTPUT) list[(*count)++] = scopes[i].value;
    s->depth--;
    *results = *count ? list : NULL;
    return right;
}
