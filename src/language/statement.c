/// Statements of algorithms, functions and when-equations.
#include <string.h>

#include "language/session.h"

/// Statements while their list grows.
typedef struct growing {
    foi_flat_statement **list;
    uint32_t count;
    bool left; ///< by return or break, whatever happens: nothing after it is reached
} growing;

/// Targets and values of one assignment.
typedef struct pairs {
    const foi_flat_expr **targets, **values;
    uint32_t target_count, value_count;
} pairs;

static bool expand_list(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                        uint32_t count, growing *g);

static foi_flat_statement *add(foi_session *s, growing *g, foi_flat_action action, foi_place place)
{
    foi_flat_statement *st = foi_arena_new(&s->flat->arena, 1, sizeof *st);
    foi_flat_statement **slot = foi_arena_add(&s->flat->arena, &g->list, &g->count, sizeof *slot);
    if (!st || !slot) return NULL;
    st->action = action, st->place = place;
    return *slot = st;
}

static bool check_variable(foi_session *s, const foi_context *ctx, foi_place place,
                           foi_flat_variable *v)
{
    bool found_at_start = ctx->in_initial && v->variability == FOI_PARAMETER && !v->fixed;
    if (!v->local && v->variability <= FOI_PARAMETER && !found_at_start)
        return foi_error(s, place, "'%s' is a %s: it cannot be assigned", v->name,
                         v->variability == FOI_PARAMETER ? "parameter" : "constant");
    if (s->special && v->index < s->special->function->input_count)
        return foi_error(s, place, "'%s' is an input: it cannot be assigned", v->name);
    if (ctx->in_when && !v->local && v->variability == FOI_CONTINUOUS)
        v->variability = FOI_DISCRETE;
    return true;
}

static bool check_target(foi_session *s, const foi_context *ctx, foi_place place,
                         const foi_flat_expr *e)
{
    if (e->op == FOI_OP_VARIABLE) return check_variable(s, ctx, place, e->variable);
    if (e->op != FOI_OP_ELEMENT) return foi_error(s, place, "a constant cannot be assigned");
    for (uint32_t i = 0; i < e->array->count; i++)
        if (!check_variable(s, ctx, place, e->array->elements[i])) return false;
    return true;
}

// A String of the model: what its formula is made of; see text_variable.c.
static bool add_text(foi_session *s, const foi_context *ctx, const foi_ast *left,
                     const foi_flat_expr *formula, const foi_flat_expr *value, foi_place place,
                     pairs *p)
{
    const foi_flat_expr *const *targets, *const *values;
    uint32_t count;
    if (!foi_text_assigned(s, left, formula, &targets, &values, &count))
        return foi_same_text(formula, value) ||
               foi_error(s, place, "a String has one value in an algorithm");
    for (uint32_t i = 0; i < count; i++) {
        const foi_flat_expr **to =
            foi_arena_add(&s->arena, &p->targets, &p->target_count, sizeof *to);
        const foi_flat_expr **from =
            foi_arena_add(&s->arena, &p->values, &p->value_count, sizeof *from);
        if (!to || !from || !check_target(s, ctx, place, targets[i])) return false;
        *to = targets[i], *from = values[i];
    }
    return true;
}

static bool add_pairs(foi_session *s, const foi_context *ctx, const foi_ast *left, foi_value *value,
                      foi_place place, pairs *p)
{
    foi_value target;
    if (left->kind != FOI_AST_REF)
        return foi_error(s, left->place,
                         ctx->in_when && !ctx->frame
                             ? "in a when-equation the left side must be a variable"
                             : "only a variable can be assigned");
    const foi_scope *loop = foi_in_scope(ctx, left->ref->parts[0].name);
    if (loop)
        return foi_error(s, left->place, "the loop variable '%s' cannot be assigned", loop->name);
    if (!foi_expand_ref(s, ctx, left->ref, &target)) return false;
    if (!target.record && !foi_convert(s, place, value, target.type, target.literals, "the value"))
        return false;
    if (!foi_as_record(s, place, target.record, value)) return false;
    if (!foi_same_size(&target, value) || !foi_same_record(target.record, value->record))
        return foi_error(s, place, "the value must be %s, not %s", foi_type_text(s, &target),
                         foi_type_text(s, value));
    bool text = !target.record && target.type == FOI_STRING && target.count > 0;
    foi_flat_op op = text ? foi_item(&target, 0)->op : FOI_OP_VARIABLE;
    if (op != FOI_OP_VARIABLE && op != FOI_OP_ELEMENT) { // of the model: known by this
        for (uint32_t i = 0; i < target.count; i++)
            if (!add_text(s, ctx, left, foi_item(&target, i), foi_item(value, i), place, p))
                return false;
        return true;
    }
    uint32_t before = p->target_count;
    if (!foi_flatten_value(s, &target, &p->targets, &p->target_count) ||
        !foi_flatten_value(s, value, &p->values, &p->value_count))
        return false;
    for (uint32_t i = before; i < p->target_count; i++)
        if (!check_target(s, ctx, left->place, p->targets[i])) return false;
    if (p->target_count == p->value_count) return true;
    return foi_error(s, place, "the two sides have different sizes");
}

static bool finish_assign(foi_session *s, foi_place place, const pairs *p, growing *g)
{
    if (p->target_count == 0) return true;
    foi_flat_statement *st = add(s, g, FOI_DO_ASSIGN, place);
    const foi_flat_expr **targets =
        foi_arena_new(&s->flat->arena, p->target_count, sizeof *targets);
    const foi_flat_expr **values = foi_arena_new(&s->flat->arena, p->target_count, sizeof *values);
    if (!st || !targets || !values) return false;
    memcpy(targets, p->targets, p->target_count * sizeof *targets);
    memcpy(values, p->values, p->target_count * sizeof *values);
    st->count = p->target_count, st->targets = targets, st->values = values;
    return true;
}

static bool assign(foi_session *s, const foi_context *ctx, const foi_equation_ast *e, growing *g)
{
    pairs p = {0};
    if (e->left->kind != FOI_AST_TUPLE) {
        foi_value v;
        return foi_expand(s, ctx, e->right, &v) &&
               add_pairs(s, ctx, e->left, &v, e->right->place, &p) &&
               finish_assign(s, e->place, &p, g);
    }
    const foi_value *results;
    uint32_t count;
    if (!foi_expand_results(s, ctx, e->right, &results, &count)) return false;
    if (e->left->count > count)
        return foi_error(s, e->left->place, "the function has %u result%s, not %u", count,
                         count == 1 ? "" : "s", e->left->count);
    for (uint32_t i = 0; i < e->left->count; i++) {
        foi_value v = results[i];
        if (e->left->items[i] && !add_pairs(s, ctx, e->left->items[i], &v, e->right->place, &p))
            return false;
    }
    return finish_assign(s, e->place, &p, g);
}

static bool block_of(foi_session *s, const foi_context *ctx, const foi_branch_ast *b,
                     foi_flat_block *block, bool *left)
{
    growing g = {0};
    bool right = expand_list(s, ctx, b->body, b->count, &g);
    *block = (foi_flat_block){g.list, g.count};
    if (left) *left = g.left;
    return right;
}

static bool set_condition(foi_session *s, foi_flat_branch *branch, const foi_flat_expr *condition)
{
    const foi_flat_expr **list = foi_arena_new(&s->flat->arena, 1, sizeof *list);
    if (!list) return false;
    list[0] = condition;
    branch->conditions = list, branch->condition_count = 1;
    return true;
}

static bool branches(foi_session *s, const foi_context *ctx, const foi_equation_ast *e, growing *g)
{
    foi_flat_branch *list = foi_arena_new(&s->flat->arena, e->branch_count, sizeof *list);
    uint32_t count = 0;
    if (!list) return false;
    for (uint32_t i = 0; i < e->branch_count; i++) {
        const foi_branch_ast *b = &e->branches[i];
        foi_flat_branch *branch = &list[count];
        branch->place = b->place;
        const foi_flat_expr *condition = NULL;
        if (b->condition &&
            !foi_expand_scalar(s, ctx, b->condition, FOI_BOOLEAN, "the condition", &condition))
            return false;
        if (condition) condition = foi_decided(s, condition);
        bool known = !condition || condition->op == FOI_OP_LITERAL;
        if (condition && known && !condition->number) continue;
        bool left;
        if (!block_of(s, ctx, b, &branch->body, &left)) return false;
        g->left |= left && known && count == 0;
        if (!known && !set_condition(s, branch, condition)) return false;
        count++;
        if (known) break; // nothing after it can be reached
    }
    if (count == 0) return true;
    foi_flat_statement *st = add(s, g, FOI_DO_IF, e->place);
    if (st) st->branches = list, st->branch_count = count;
    return st;
}

bool foi_expand_conditions(foi_session *s, const foi_context *ctx, const foi_ast *e,
                           foi_flat_branch *branch)
{
    foi_value v;
    bool uses_initial = s->uses_initial; // a when that fires at the start does so once
    if (!foi_expand(s, ctx, e, &v)) return false;
    s->uses_initial = uses_initial;
    if (v.record || v.type != FOI_BOOLEAN || v.rank > 1)
        return foi_error(s, e->place, "the condition of a when must be Boolean, not %s",
                         foi_type_text(s, &v));
    const foi_flat_expr **list = foi_arena_new(&s->flat->arena, v.count, sizeof *list);
    if (!list) return false;
    for (uint32_t i = 0; i < v.count; i++) list[i] = foi_item(&v, i);
    branch->conditions = list, branch->condition_count = v.count;
    return v.count || foi_error(s, e->place, "a when needs a condition");
}

static bool when(foi_session *s, const foi_context *ctx, const foi_equation_ast *e, growing *g)
{
    if (s->special) return foi_error(s, e->place, "'when' is not allowed in a function");
    if (ctx->in_when)
        return foi_error(s, e->place, "'when' is not allowed inside of another 'when'");
    if (ctx->in_loop)
        return foi_error(
            s, e->place,
            "'when' is not allowed inside of a loop whose range is not known before the run");
    if (ctx->in_initial)
        return foi_error(s, e->place, "'when' is not allowed in an initial algorithm");
    foi_context inside = *ctx;
    inside.in_when = true;
    foi_flat_branch *list = foi_arena_new(&s->flat->arena, e->branch_count, sizeof *list);
    foi_flat_statement *st = add(s, g, FOI_DO_WHEN, e->place);
    if (!list || !st) return false;
    for (uint32_t i = 0; i < e->branch_count; i++) {
        list[i].place = e->branches[i].place;
        if (!foi_expand_conditions(s, ctx, e->branches[i].condition, &list[i]) ||
            !block_of(s, &inside, &e->branches[i], &list[i].body, NULL))
            return false;
    }
    st->branches = list, st->branch_count = e->branch_count;
    return true;
}

// Is there a break or return in these statements?
static bool leaves(foi_equation_ast *const *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const foi_equation_ast *e = items[i];
        if (e->kind == FOI_EQ_BREAK || e->kind == FOI_EQ_RETURN) return true;
        for (uint32_t k = 0; k < e->branch_count; k++)
            if (leaves(e->branches[k].body, e->branches[k].count)) return true;
    }
    return false;
}

/// What an unrolled loop does each time.
typedef struct unrolled {
    const foi_equation_ast *e;
    growing *g;
} unrolled;

static bool unroll(foi_session *s, const foi_context *ctx, void *data)
{
    unrolled *u = data;
    return expand_list(s, ctx, u->e->branches->body, u->e->branches->count, u->g);
}

static foi_flat_variable *add_local(foi_session *s, foi_frame *frame, const char *name,
                                    foi_flat_type type, foi_place place)
{
    foi_flat_variable *v = foi_arena_new(&s->flat->arena, 1, sizeof *v);
    foi_flat_variable **slot =
        foi_arena_add(&s->flat->arena, &frame->locals, &frame->count, sizeof *slot);
    if (!v || !slot) return NULL;
    v->name = foi_arena_text(&s->flat->arena, name, strlen(name));
    v->index = frame->count - 1, v->type = type, v->local = true, v->place = place;
    v->variability = FOI_DISCRETE;
    *slot = v;
    return v->name ? v : NULL;
}

static bool kept_loop(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                      uint32_t at, growing *g);

// The body of a loop that stays one, or the loop inside of it.
static bool kept_body(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                      uint32_t at, const foi_value *turn, foi_flat_statement *st)
{
    growing body = {0};
    foi_scope scope = {.name = e->iterators[at].name, .value = *turn, .outer = ctx->scope};
    foi_context inside = *ctx;
    inside.scope = &scope, inside.in_loop = true;
    bool right = at + 1 < e->iterator_count
                     ? kept_loop(s, &inside, e, at + 1, &body)
                     : expand_list(s, &inside, e->branches->body, e->branches->count, &body);
    st->body = (foi_flat_block){body.list, body.count};
    return right;
}

// A loop over the elements of an array, which can be left: they are put down first, and it runs
// over their numbers.
static bool kept_list(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                      uint32_t at, growing *g)
{
    const foi_iterator *it = &e->iterators[at];
    foi_arena *arena = &s->flat->arena;
    foi_value v, turn = {0};
    if (!foi_iterator_values(s, ctx, it, &v)) return false;
    if (v.record || v.type == FOI_STRING)
        return foi_error(s, it->place, "a loop over %s cannot be left early", foi_type_text(s, &v));
    if (v.count == 0) return true;
    pairs p = {0};
    foi_flat_array *array = foi_arena_new(arena, 1, sizeof *array);
    foi_flat_variable **elements = foi_arena_new(arena, v.count, sizeof *elements);
    uint32_t *dims = foi_arena_new(arena, 1, sizeof *dims);
    const foi_flat_expr **targets = foi_arena_new(&s->arena, v.count, sizeof *targets);
    const foi_flat_expr **index = foi_arena_new(arena, 1, sizeof *index);
    foi_flat_expr *element = foi_arena_new(arena, 1, sizeof *element);
    if (!array || !elements || !dims || !targets || !index || !element) return false;
    for (uint32_t i = 0; i < v.count; i++) {
        if (!(elements[i] = add_local(s, ctx->frame, it->name, v.type, it->place))) return false;
        if (v.literals) elements[i]->literals = v.literals->literal_names;
        if (!(targets[i] = foi_flat_of(s->flat, elements[i]))) return false;
    }
    p.targets = targets, p.values = (const foi_flat_expr **)v.list;
    p.target_count = p.value_count = v.count;
    if (!finish_assign(s, e->place, &p, g)) return false;
    foi_flat_variable *local = add_local(s, ctx->frame, it->name, FOI_INTEGER, it->place);
    foi_flat_statement *st = local ? add(s, g, FOI_DO_FOR, e->place) : NULL;
    if (!st || !(index[0] = foi_flat_of(s->flat, local))) return false;
    *dims = v.count;
    *array = (foi_flat_array){local->name, elements, dims, 1, v.count};
    *element = (foi_flat_expr){.op = FOI_OP_ELEMENT, .type = v.type, .count = 1, .size = 2};
    element->array = array, element->arguments = index;
    turn = foi_scalar(element);
    turn.literals = v.literals;
    st->variable = local, st->first = st->step = foi_flat_integer(s->flat, 1);
    st->last = foi_flat_integer(s->flat, v.count);
    return st->first && st->last && kept_body(s, ctx, e, at, &turn, st);
}

// A loop that stays one: its bounds may depend on the run.
static bool kept_loop(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                      uint32_t at, growing *g)
{
    const foi_iterator *it = &e->iterators[at];
    const foi_ast *range = it->range;
    foi_value v[3];
    foi_flat_type type = FOI_INTEGER;
    if (!range || range->kind != FOI_AST_RANGE) return kept_list(s, ctx, e, at, g);
    if (!foi_check_ranges(s, ctx, it)) return false;
    for (uint32_t i = 0; i < range->count; i++) {
        if (!foi_expand(s, ctx, range->items[i], &v[i])) return false;
        if (v[i].record || v[i].rank || v[i].literals || v[i].type > FOI_INTEGER)
            return foi_error(s, range->items[i]->place, "a range needs numbers, not %s",
                             foi_type_text(s, &v[i]));
        if (v[i].type == FOI_REAL) type = FOI_REAL;
    }
    for (uint32_t i = 0; i < range->count; i++)
        if (!foi_convert(s, range->place, &v[i], type, NULL, "the range")) return false;
    double first, step = 1, last;
    bool known = foi_known(s, v[0].one, false, &first) &&
                 foi_known(s, v[range->count - 1].one, false, &last) &&
                 (range->count == 2 || foi_known(s, v[1].one, false, &step));
    if (known && step != 0 && (step > 0 ? last < first : last > first)) return true; // no turns
    foi_flat_statement *st = add(s, g, FOI_DO_FOR, e->place);
    if (!st) return false;
    foi_flat_variable *local = add_local(s, ctx->frame, it->name, type, it->place);
    foi_value turn = {0};
    if (!local || !(turn = foi_scalar(foi_flat_of(s->flat, local))).one) return false;
    foi_flat_expr *one = foi_flat_integer(s->flat, 1);
    if (!one) return false;
    one->type = type;
    st->variable = local, st->first = v[0].one, st->last = v[range->count - 1].one;
    st->step = range->count == 3 ? v[1].one : one;
    return kept_body(s, ctx, e, at, &turn, st);
}

// Whether the range of a loop is known only in the run.
static bool is_open(foi_session *s, const foi_context *ctx, const foi_ast *range, bool *open)
{
    foi_value v;
    double known;
    *open = false;
    for (uint32_t i = 0; i < range->count; i++) {
        if (!foi_expand(s, ctx, range->items[i], &v)) return false;
        *open |= !v.record && !v.rank && !foi_known(s, v.one, false, &known);
    }
    return true;
}

// In models a loop is written out, so that everything in it is known; in functions, and when it
// can be left early or its length depends on the run, it stays a loop.
static bool loop(foi_session *s, const foi_context *ctx, const foi_equation_ast *e, growing *g)
{
    bool plain = true, leaving = leaves(e->branches->body, e->branches->count);
    for (uint32_t i = 0; i < e->iterator_count; i++)
        plain &= e->iterators[i].range && e->iterators[i].range->kind == FOI_AST_RANGE;
    bool open = false;
    if (ctx->frame && plain && !s->special && !is_open(s, ctx, e->iterators[0].range, &open))
        return false;
    bool written_out = false;
    if (s->special && plain && !leaving) {
        for (uint32_t i = 0; i < e->iterator_count; i++)
            written_out |= foi_body_shapes(e->branches, e->iterators[i].name);
        if (written_out && !is_open(s, ctx, e->iterators[0].range, &open)) return false;
        written_out &= !open;
    }
    bool kept = plain && !written_out && (s->special || leaving || ctx->in_loop || open);
    if (ctx->frame && (kept || leaving)) return kept_loop(s, ctx, e, 0, g);
    if (leaving) return foi_error(s, e->place, "'break' and 'return' belong to algorithms");
    unrolled u = {e, g};
    return foi_loop(s, ctx, e->iterators, e->iterator_count, unroll, &u);
}

static bool while_loop(foi_session *s, const foi_context *ctx, const foi_equation_ast *e,
                       growing *g)
{
    foi_flat_branch *b = foi_arena_new(&s->flat->arena, 1, sizeof *b);
    foi_flat_statement *st = add(s, g, FOI_DO_WHILE, e->place);
    const foi_flat_expr *condition;
    foi_context inside = *ctx;
    inside.in_loop = true;
    if (!b || !st ||
        !foi_expand_scalar(s, ctx, e->branches->condition, FOI_BOOLEAN, "the condition",
                           &condition))
        return false;
    if (s->draws.target_count)
        return foi_error(s, e->place, "the condition of a loop cannot be drawn at random");
    b->place = e->place;
    st->branches = b, st->branch_count = 1;
    return set_condition(s, b, condition) && block_of(s, &inside, e->branches, &b->body, NULL);
}

bool foi_expand_assert(foi_session *s, const foi_context *ctx, const foi_ast *call,
                       foi_flat_assert *assertion)
{
    const foi_ast *condition = foi_call_argument(call, 0, "condition");
    const foi_ast *message = foi_call_argument(call, 1, "message");
    const foi_ast *level = foi_call_argument(call, 2, "level");
    if (!condition || !message || call->count > 3)
        return foi_error(s, call->place, "'assert' needs a condition and a message");
    *assertion = (foi_flat_assert){.place = call->place};
    if (!foi_expand_scalar(s, ctx, condition, FOI_BOOLEAN, "the condition", &assertion->condition))
        return false;
    const foi_flat_expr *holds = assertion->condition;
    if (holds->op == FOI_OP_LITERAL && holds->number != 0) { // its message is never made
        if (!(assertion->message = foi_flat_text(s->flat, ""))) return false;
    } else if (!foi_expand_scalar(s, ctx, message, FOI_STRING, "the message",
                                  &assertion->message)) {
        return false;
    }
    if (!level) return true;
    foi_value v;
    double known;
    if (!foi_expand(s, ctx, level, &v)) return false;
    if (v.literals != s->assertion_level || v.rank || !foi_known(s, v.one, true, &known))
        return foi_error(s, level->place, "the level must be one of AssertionLevel");
    assertion->warning = known == 1;
    return true;
}

static bool reinit(foi_session *s, const foi_context *ctx, const foi_ast *call, growing *g)
{
    if (!ctx->in_when)
        return foi_error(s, call->place, "'reinit' is allowed only inside of 'when'");
    foi_value target, value;
    if (call->count != 2 || call->names)
        return foi_error(s, call->place, "'reinit' needs a state and its new value");
    if (!foi_expand(s, ctx, call->items[0], &target) || !foi_expand(s, ctx, call->items[1], &value))
        return false;
    if (!foi_convert(s, call->items[0]->place, &target, FOI_REAL, NULL, "the state") ||
        !foi_convert(s, call->items[1]->place, &value, FOI_REAL, NULL, "the new value"))
        return false;
    if (!foi_same_size(&target, &value))
        return foi_error(s, call->place, "the new value must be %s, not %s",
                         foi_type_text(s, &target), foi_type_text(s, &value));
    for (uint32_t i = 0; i < target.count; i++) {
        const foi_flat_expr **two = foi_arena_new(&s->flat->arena, 2, sizeof *two);
        foi_flat_statement *st = add(s, g, FOI_DO_REINIT, call->place);
        struct foi_reinit *r = foi_arena_add(&s->arena, &s->reinits, &s->reinit_count, sizeof *r);
        if (!two || !st || !r) return s->reinit_count -= r != NULL, false;
        two[0] = foi_item(&target, i), two[1] = foi_item(&value, i);
        if (two[0]->op != FOI_OP_VARIABLE) {
            s->reinit_count--;
            return foi_error(s, call->items[0]->place, "'reinit' needs a state");
        }
        *r = (struct foi_reinit){two[0]->variable, call->items[0]->place};
        st->count = 1, st->targets = two, st->values = two + 1;
    }
    return true;
}

bool foi_called(foi_session *s, const foi_value *done, const foi_flat_expr **condition,
                const foi_flat_expr **message)
{
    *condition = foi_flat_binary(s->flat, FOI_OP_EQUAL, done->one, foi_flat_integer(s->flat, 0));
    *message = foi_flat_text(s->flat, "the call");
    return *condition && *message;
}

static bool call_statement(foi_session *s, const foi_context *ctx, const foi_ast *call, growing *g)
{
    const char *name = call->ref->parts[0].name;
    bool simple = call->ref->count == 1;
    if (simple && strcmp(name, "assert") == 0) {
        foi_flat_assert a;
        if (!foi_expand_assert(s, ctx, call, &a)) return false;
        foi_flat_statement *st = add(s, g, FOI_DO_ASSERT, call->place);
        if (st) st->condition = a.condition, st->message = a.message, st->warning = a.warning;
        return st;
    }
    if (simple && strcmp(name, "terminate") == 0) {
        const foi_flat_expr *message;
        if (call->count != 1) return foi_error(s, call->place, "'terminate' needs a message");
        if (!foi_expand_scalar(s, ctx, call->items[0], FOI_STRING, "the message", &message))
            return false;
        foi_flat_statement *st = add(s, g, FOI_DO_TERMINATE, call->place);
        if (st) st->message = message;
        return st;
    }
    if (simple && strcmp(name, "reinit") == 0) return reinit(s, ctx, call, g);
    const foi_value *results;
    uint32_t count;
    if (!foi_expand_results(s, ctx, call, &results, &count)) return false;
    if (count || !results) return true; // results that are not used are left alone
    foi_flat_statement *st = add(s, g, FOI_DO_ASSERT, call->place);
    return st && foi_called(s, results, &st->condition, &st->message);
}

static bool statement(foi_session *s, const foi_context *ctx, const foi_equation_ast *e, growing *g)
{
    switch (e->kind) {
    case FOI_EQ_EQUAL: return assign(s, ctx, e, g);
    case FOI_EQ_IF: return branches(s, ctx, e, g);
    case FOI_EQ_FOR: return loop(s, ctx, e, g);
    case FOI_EQ_WHILE: return while_loop(s, ctx, e, g);
    case FOI_EQ_WHEN: return when(s, ctx, e, g);
    case FOI_EQ_CALL: return call_statement(s, ctx, e->left, g);
    case FOI_EQ_BREAK:
        if (!ctx->in_loop) return foi_error(s, e->place, "'break' outside of a loop");
        g->left = true;
        return add(s, g, FOI_DO_BREAK, e->place);
    case FOI_EQ_RETURN:
        if (!s->special) return foi_error(s, e->place, "'return' outside of a function");
        g->left = true;
        return add(s, g, FOI_DO_RETURN, e->place);
    case FOI_EQ_CONNECT: break;
    }
    return foi_error(s, e->place, "'connect' is not allowed inside of 'when'");
}

// Random generators that the statement has called go on where it is carried out.
static bool draw_on(foi_session *s, foi_place place, growing *g)
{
    const foi_draws *d = &s->draws;
    pairs p = {d->targets, d->values, d->target_count, d->value_count};
    return finish_assign(s, place, &p, g);
}

static bool expand_list(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                        uint32_t count, growing *g)
{
    bool right = true;
    for (uint32_t i = 0; i < count && !g->left; i++) {
        if (!foi_enter(s, items[i]->place)) return false;
        foi_draws outer = s->draws; // of the statement around
        s->draws = (foi_draws){0};
        right &= statement(s, ctx, items[i], g) && draw_on(s, items[i]->place, g);
        s->draws = outer;
        s->depth--;
        if (s->messages->full) return false;
    }
    return right;
}

bool foi_expand_statements(foi_session *s, const foi_context *ctx, foi_equation_ast *const *items,
                           uint32_t count, foi_flat_block *block)
{
    growing g = {0};
    bool right = expand_list(s, ctx, items, count, &g);
    *block = (foi_flat_block){g.list, g.count};
    return right;
}
