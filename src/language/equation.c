/// Equations of the model.
#include <string.h>

#include "language/session.h"

static bool expand_list(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                        uint32_t count);

static bool add_scalar(foi_session *s, foi_place place, const foi_flat_expr *left,
                       const foi_flat_expr *right)
{
    foi_sink *sink = s->sink;
    foi_flat_equation *e =
        foi_arena_add(&s->flat->arena, &sink->equations, &sink->count, sizeof *e);
    if (!e || !left || !right) return false;
    *e = (foi_flat_equation){left, right, place, false, false};
    return true;
}

bool foi_add_assert(foi_session *s, const foi_flat_assert *assertion)
{
    foi_flat_assert *a =
        foi_arena_add(&s->flat->arena, &s->sink->asserts, &s->sink->assert_count, sizeof *a);
    if (a) *a = *assertion;
    return a;
}

static bool unfit(foi_session *s, foi_place place, const foi_value *left, const foi_value *right)
{
    return foi_error(s, place, "the two sides of the equation differ in type or size: %s = %s",
                     foi_type_text(s, left), foi_type_text(s, right));
}

bool foi_add_equation(foi_session *s, foi_place place, const foi_value *left,
                      const foi_value *right)
{
    if (!foi_same_size(left, right) || !left->record != !right->record)
        return unfit(s, place, left, right);
    if (left->record) {
        foi_value same = *right;
        if (!foi_as_record(s, place, left->record, &same)) return false;
        right = &same;
        if (left->record->member_count != right->record->member_count)
            return unfit(s, place, left, right);
        for (uint32_t i = 0; i < left->record->member_count; i++)
            if (!foi_add_equation(s, place, &left->fields[i], &right->fields[i])) return false;
        return true;
    }
    foi_value a = *left, b = *right;
    bool numbers = a.type <= FOI_INTEGER && b.type <= FOI_INTEGER && !a.literals && !b.literals;
    if (!numbers && (a.type != b.type || a.literals != b.literals))
        return unfit(s, place, left, right);
    for (uint32_t i = 0; a.type == FOI_STRING && i < a.count; i++) // the left one is known by it
        if (!foi_same_text(foi_item(&a, i), foi_item(&b, i)))
            return foi_error(s, place, "the two Strings differ, or are not known before the run");
    if (a.type == FOI_STRING) return true;
    if (a.type != b.type) { // Integer = Real
        if (!foi_convert(s, place, &a, FOI_REAL, NULL, "the equation") ||
            !foi_convert(s, place, &b, FOI_REAL, NULL, "the equation"))
            return false;
    }
    for (uint32_t i = 0; i < a.count; i++)
        if (!add_scalar(s, place, foi_item(&a, i), foi_item(&b, i))) return false;
    return true;
}

// Is it an equation that a String has its formula of? Then nothing is left of it.
static bool is_of_text(foi_session *s, const foi_ast *left, const foi_value *v)
{
    const foi_flat_expr *const *targets, *const *values;
    uint32_t count = 0;
    if (v->record || v->type != FOI_STRING || !v->count) return false;
    return foi_text_assigned(s, left, foi_item(v, 0), &targets, &values, &count) && !count;
}

static bool equal(foi_session *s, const foi_context *ctx, const foi_equation_ast *e)
{
    foi_value left, right;
    if (e->left->kind != FOI_AST_TUPLE)
        return foi_expand(s, ctx, e->left, &left) &&
               (is_of_text(s, e->left, &left) || (foi_expand(s, ctx, e->right, &right) &&
                                                  foi_add_equation(s, e->place, &left, &right)));
    const foi_value *results;
    uint32_t count;
    if (!foi_expand_results(s, ctx, e->right, &results, &count)) return false;
    if (e->left->count > count)
        return foi_error(s, e->left->place, "the function has %u result%s, not %u", count,
                         count == 1 ? "" : "s", e->left->count);
    for (uint32_t i = 0; i < e->left->count; i++) {
        if (!e->left->items[i]) continue;
        if (!foi_expand(s, ctx, e->left->items[i], &left) ||
            !foi_add_equation(s, e->place, &left, &results[i]))
            return false;
    }
    return true;
}

static bool loop_body(foi_session *s, const foi_context *ctx, void *data)
{
    const foi_branch_ast *b = data;
    return expand_list(s, ctx, b->body, b->count);
}

// The same unknown on the left: a variable or its derivative.
static bool same_left(const foi_flat_expr *a, const foi_flat_expr *b)
{
    if (a->op != b->op) return false;
    if (a->op == FOI_OP_VARIABLE) return a->variable == b->variable;
    return a->op == FOI_OP_CALL && a->builtin == FOI_FN_DER && b->builtin == FOI_FN_DER &&
           same_left(a->arguments[0], b->arguments[0]);
}

// Brings each branch into the order of the first, by what stands on the left. False when that
// cannot be done.
static bool align(foi_sink *sinks, uint32_t branches, uint32_t count)
{
    for (uint32_t b = 1; b < branches; b++)
        for (uint32_t i = 0; i < count; i++) {
            uint32_t k = i;
            while (k < count && !same_left(sinks[0].equations[i].left, sinks[b].equations[k].left))
                k++;
            if (k == count) return false;
            foi_flat_equation kept = sinks[b].equations[i];
            sinks[b].equations[i] = sinks[b].equations[k];
            sinks[b].equations[k] = kept;
        }
    return true;
}

static const foi_flat_expr *residual(foi_session *s, const foi_flat_equation *e)
{
    return foi_flat_binary(s->flat, FOI_OP_SUBTRACT, e->left, e->right);
}

// Equation i of all branches as one: left = if c1 then right1 ..., or else
// 0 = if c1 then left1 - right1 ...
static bool combine(foi_session *s, const foi_sink *sinks, const foi_flat_expr *const *conditions,
                    uint32_t branches, uint32_t i, bool aligned)
{
    const foi_flat_equation *first = &sinks[0].equations[i];
    if (!aligned && first->left->type > FOI_INTEGER)
        return foi_error(s, first->place,
                         "the branches of the if-equation must have the same "
                         "variables on the left");
    const foi_flat_expr *value = NULL;
    for (uint32_t b = branches; b-- > 0;) {
        const foi_flat_equation *e = &sinks[b].equations[i];
        if (e->left->type != first->left->type)
            return foi_error(s, e->place, "the branches of the if-equation differ in type or size");
        if (!e->branched && !foi_note_alike(s, e->left, e->right, e->place, NULL)) return false;
        const foi_flat_expr *part = aligned ? e->right : residual(s, e);
        value = value ? foi_flat_if(s->flat, conditions[b], part, value) : part;
    }
    const foi_flat_expr *left = aligned ? first->left : foi_flat_real(s->flat, 0);
    if (!aligned) value = foi_flat_as_real(s->flat, value);
    if (!add_scalar(s, first->place, left, value)) return false;
    s->sink->equations[s->sink->count - 1].branched = true;
    return true;
}

// assert in a branch: it holds when the branch is not the one.
static bool guarded_asserts(foi_session *s, const foi_sink *sink,
                            const foi_flat_expr *const *conditions, uint32_t branch, uint32_t last)
{
    foi_flat *f = s->flat;
    for (uint32_t i = 0; i < sink->assert_count; i++) {
        foi_flat_assert a = sink->asserts[i];
        const foi_flat_expr *holds = a.condition;
        if (branch < last)
            holds = foi_flat_binary(f, FOI_OP_OR, foi_flat_unary(f, FOI_OP_NOT, conditions[branch]),
                                    holds);
        for (uint32_t k = branch; k-- > 0;)
            holds = foi_flat_binary(f, FOI_OP_OR, conditions[k], holds);
        a.condition = holds;
        if (!holds || !foi_add_assert(s, &a)) return false;
    }
    return true;
}

static bool wrong_counts(foi_session *s, const foi_equation_ast *e, uint32_t a, uint32_t b,
                         bool has_else)
{
    if (!has_else)
        return foi_error(s, e->place,
                         "the if-equation needs an 'else' with %u equation%s, because "
                         "its condition changes in the run",
                         a, a == 1 ? "" : "s");
    return foi_error(s, e->place,
                     "the branches of the if-equation have %u and %u equations; they "
                     "need the same number",
                     a, b);
}

// An if-equation whose conditions change in the run.
static bool if_of_run(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                      uint32_t from, const foi_flat_expr *const *conditions)
{
    uint32_t count = e->branch_count - from;
    bool has_else = !e->branches[e->branch_count - 1].condition, right = true;
    foi_sink *sinks = foi_arena_new(&s->arena, count + 1u, sizeof *sinks), *outer = s->sink;
    if (!sinks) return false;
    for (uint32_t b = 0; right && b < count; b++) {
        s->sink = &sinks[b];
        right = expand_list(s, ctx, e->branches[from + b].body, e->branches[from + b].count);
        if (right && sinks[b].count != sinks[0].count)
            right = wrong_counts(s, e, sinks[0].count, sinks[b].count, true);
    }
    s->sink = outer;
    if (right && !has_else && sinks[0].count) right = wrong_counts(s, e, sinks[0].count, 0, false);
    if (!right) return false;
    bool aligned = align(sinks, count, sinks[0].count);
    for (uint32_t i = 0; i < sinks[0].count; i++)
        if (!combine(s, sinks, conditions + from, count, i, aligned)) return false;
    for (uint32_t b = 0; b < count; b++)
        if (!guarded_asserts(s, &sinks[b], conditions + from, b, has_else ? count - 1 : count))
            return false;
    return true;
}

// Does a derivative occur?
static bool differentiates(const foi_ast *x)
{
    if (!x) return false;
    if (x->kind == FOI_AST_CALL && x->ref->count == 1 && strcmp(x->ref->parts[0].name, "der") == 0)
        return true;
    for (uint32_t i = 0; i < x->count; i++)
        if (differentiates(x->items[i])) return true;
    return false;
}

// May the branches stay until the run? Only plain equations for the same unknowns in each: where
// they differ, what depends on what does too, and the equations cannot be sorted for both. Where a
// derivative stands in one branch only, the other has a state less.
static bool may_stay(const foi_equation_ast *e)
{
    const foi_branch_ast *first = &e->branches[0];
    for (uint32_t b = 0; b < e->branch_count; b++) {
        if (e->branches[b].count != first->count || first->count > 100) return false;
        for (uint32_t i = 0; i < first->count; i++) {
            const foi_equation_ast *q = e->branches[b].body[i];
            uint32_t k = 0;
            while (k < first->count && !foi_same_expression(q->left, first->body[k]->left)) k++;
            if (q->kind != FOI_EQ_EQUAL || k == first->count) return false;
            if (differentiates(q->right) != differentiates(first->body[k]->right)) return false;
        }
    }
    return !e->branches[e->branch_count - 1].condition;
}

static bool has_structure(foi_equation_ast *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (items[i]->kind == FOI_EQ_CONNECT || items[i]->kind == FOI_EQ_WHEN) return true;
        if (items[i]->kind == FOI_EQ_CALL &&
            strcmp(items[i]->left->ref->parts[0].name, "Connections") == 0)
            return true;
        for (uint32_t b = 0; b < items[i]->branch_count; b++)
            if (has_structure(items[i]->branches[b].body, items[i]->branches[b].count)) return true;
    }
    return false;
}

// Branches that are decided now go; the rest becomes if-expressions.
static bool if_equation(foi_session *s, const foi_context *ctx, const foi_equation_ast *e)
{
    const foi_flat_expr **conditions =
        foi_arena_new(&s->arena, e->branch_count, sizeof *conditions);
    bool stays = may_stay(e);
    if (!conditions) return false;
    for (uint32_t b = 0; b < e->branch_count; b++) {
        const foi_branch_ast *branch = &e->branches[b];
        if (!branch->condition) return expand_list(s, ctx, branch->body, branch->count);
        if (!foi_expand_scalar(s, ctx, branch->condition, FOI_BOOLEAN, "the condition",
                               &conditions[b]))
            return false;
        conditions[b] = foi_decided(s, conditions[b]);
        double known;
        bool decided = conditions[b]->op == FOI_OP_LITERAL ||
                       (!stays && foi_known(s, conditions[b], true, &known));
        if (conditions[b]->op == FOI_OP_LITERAL) known = conditions[b]->number;
        if (decided && known) return expand_list(s, ctx, branch->body, branch->count);
        if (decided) continue;
        for (uint32_t k = b; k < e->branch_count; k++) {
            if (has_structure(e->branches[k].body, e->branches[k].count))
                return foi_error(s, e->place,
                                 "'connect' or 'when' in an if-equation needs a "
                                 "condition that is known before the run");
            if (k > b && e->branches[k].condition &&
                !foi_expand_scalar(s, ctx, e->branches[k].condition, FOI_BOOLEAN, "the condition",
                                   &conditions[k]))
                return false;
        }
        return if_of_run(s, ctx, e, b, conditions);
    }
    return true;
}

// Are all conditions false whatever happens?
static bool never_fires(const foi_flat_when *w)
{
    for (uint32_t b = 0; b < w->branch_count; b++)
        for (uint32_t i = 0; i < w->branches[b].condition_count; i++) {
            const foi_flat_expr *c = w->branches[b].conditions[i];
            if (c->op != FOI_OP_LITERAL || c->number) return false;
        }
    return true;
}

// What a when that never fires would assign stays as it is: v = pre(v).
static bool hold_targets(foi_session *s, const foi_flat_when *w)
{
    const foi_flat_block *body = &w->branches[0].body;
    for (uint32_t i = 0; i < body->count; i++)
        for (uint32_t k = 0; k < body->statements[i]->count; k++) {
            const foi_flat_expr *v = body->statements[i]->targets[k];
            if (body->statements[i]->action != FOI_DO_ASSIGN) continue;
            if (!add_scalar(s, w->place, v, foi_flat_call_builtin(s->flat, FOI_FN_PRE, 1, &v)))
                return false;
        }
    return true;
}

// when Clock() then: equations of a clocked partition. True in *done when it is one.
static bool clocked_when(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                         bool *done)
{
    const foi_ast *condition = e->branches[0].condition;
    foi_value v;
    *done = false;
    if (e->branch_count != 1 || (condition->kind != FOI_AST_REF && condition->kind != FOI_AST_CALL))
        return true;
    if (!foi_names_have(&s->names, "Clock")) return true;
    if (!foi_expand(s, ctx, condition, &v)) return false;
    if (v.record || v.literals != s->clock || v.rank) return true;
    if (s->sink != &s->main)
        return foi_error(s, e->place, "a clocked when inside of an if-equation");
    struct foi_clocked_when *w =
        foi_arena_add(&s->arena, &s->clocked_whens, &s->clocked_count, sizeof *w);
    if (!w) return false;
    uint32_t at = s->clocked_count - 1;
    *w = (struct foi_clocked_when){v.one, s->main.count, s->main.count};
    s->clocked = true;
    foi_context inside = *ctx;
    inside.in_clocked = true;
    bool right = expand_list(s, &inside, e->branches[0].body, e->branches[0].count);
    s->clocked_whens[at].to = s->main.count;
    return (*done = true) && right;
}

static bool when_equation(foi_session *s, const foi_context *ctx, const foi_equation_ast *e)
{
    if (ctx->in_initial)
        return foi_error(s, e->place, "'when' is not allowed among initial equations");
    bool clocked;
    bool right = clocked_when(s, ctx, e, &clocked);
    if (clocked || !right) return right;
    foi_flat_branch *list = foi_arena_new(&s->flat->arena, e->branch_count, sizeof *list);
    if (!list) return false;
    foi_context inside = *ctx;
    inside.in_when = true;
    for (uint32_t i = 0; i < e->branch_count; i++) {
        const foi_branch_ast *b = &e->branches[i];
        list[i].place = b->place;
        right &= foi_expand_conditions(s, ctx, b->condition, &list[i]);
        right &= foi_expand_statements(s, &inside, b->body, b->count, &list[i].body);
    }
    foi_flat_when *w =
        foi_arena_add(&s->flat->arena, &s->flat->whens, &s->flat->when_count, sizeof *w);
    if (!w) return false;
    *w = (foi_flat_when){list, e->branch_count, e->place};
    if (right && never_fires(w)) {
        s->flat->when_count--;
        return hold_targets(s, w);
    }
    return right;
}

static bool call_equation(foi_session *s, const foi_context *ctx, const foi_equation_ast *e)
{
    const foi_ast *call = e->left;
    const char *name = call->ref->parts[0].name;
    if (call->ref->count == 2 && strcmp(name, "Connections") == 0) return true; // surveyed before
    bool of_machine = false, right = s->machines && foi_machine_equation(s, ctx, call, &of_machine);
    if (of_machine) return right;
    if (call->ref->count == 1) {
        if (strcmp(name, "assert") == 0) {
            foi_flat_assert a;
            return foi_expand_assert(s, ctx, call, &a) && foi_add_assert(s, &a);
        }
        if (strcmp(name, "reinit") == 0 || strcmp(name, "terminate") == 0)
            return foi_error(s, e->place, "'%s' is allowed only inside of 'when'", name);
    }
    const foi_value *results;
    uint32_t count = 1;
    bool built_in = call->ref->count == 1 && foi_scalar_function(name) != FOI_FN_COUNT;
    if (!built_in && !foi_expand_results(s, ctx, call, &results, &count)) return false;
    if (built_in)
        return foi_error(s, e->place, "the result of '%s' is not used: an equation has two sides",
                         name);
    if (count) return true; // as in algorithms: it is left alone
    foi_flat_assert done = {.place = e->place};
    return !results ||
           (foi_called(s, results, &done.condition, &done.message) && foi_add_assert(s, &done));
}

static bool equation(foi_session *s, const foi_context *ctx, const foi_equation_ast *e)
{
    switch (e->kind) {
    case FOI_EQ_EQUAL: return equal(s, ctx, e);
    case FOI_EQ_IF: return if_equation(s, ctx, e);
    case FOI_EQ_FOR:
        return foi_loop(s, ctx, e->iterators, e->iterator_count, loop_body, (void *)e->branches);
    case FOI_EQ_WHEN: return when_equation(s, ctx, e);
    case FOI_EQ_CALL: return call_equation(s, ctx, e);
    case FOI_EQ_CONNECT:
        if (!ctx->in_initial) return foi_is_connection_left_out(ctx, e) || foi_connect(s, ctx, e);
        return foi_error(s, e->place, "'connect' is not allowed among initial equations");
    case FOI_EQ_WHILE:
    case FOI_EQ_BREAK:
    case FOI_EQ_RETURN: break;
    }
    return foi_error(s, e->place, "a statement is not allowed among equations");
}

static bool expand_list(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                        uint32_t count)
{
    bool right = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!foi_enter(s, items[i]->place)) return false;
        right &= equation(s, ctx, items[i]);
        s->depth--;
        if (s->messages->full) return false;
    }
    return right;
}

static bool algorithm(foi_session *s, const foi_context *ctx, const foi_section *section)
{
    foi_frame frame = {0};
    foi_context inside = *ctx;
    inside.frame = &frame;
    foi_flat_algorithm a = {.initial = section->initial, .place = section->place};
    if (!foi_expand_statements(s, &inside, section->items, section->count, &a.body)) return false;
    if (!section->initial) foi_mark_left_sides(ctx, section->items, section->count);
    a.locals = frame.locals, a.local_count = frame.count;
    foi_flat_algorithm *slot = foi_arena_add(&s->flat->arena, &s->flat->algorithms,
                                             &s->flat->algorithm_count, sizeof *slot);
    if (slot) *slot = a;
    return slot;
}

bool foi_expand_sections(foi_session *s, foi_instance *instance)
{
    bool right = true;
    for (uint32_t a = 0; a < instance->c->ancestor_count; a++) {
        foi_class *c = instance->c->ancestors[a];
        for (uint32_t i = 0; i < c->section_count; i++) {
            const foi_section *section = &c->sections[i];
            foi_context ctx = {.self = instance, .lexical = c, .in_initial = section->initial};
            s->sink = section->initial ? &s->initial : &s->main;
            right &= section->algorithm ? algorithm(s, &ctx, section)
                                        : expand_list(s, &ctx, section->items, section->count);
        }
    }
    s->sink = &s->main;
    return right;
}
