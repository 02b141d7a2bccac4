/// Statements, worked out symbolically: what each variable is worth after them, as an expression.
/// An assignment under a condition becomes a choice; loops are unrolled, so that their length must
/// be known before the run; break and return take later statements out of their masks.
#include <math.h>

#include "base/array.h"
#include "equations/equations.h"

enum { MOST_TURNS = 100000, MOST_OPEN_TURNS = 64 };

foi_node foi_scope_value(const foi_equations *e, const foi_flat_variable *v)
{
    const foi_scope *s = e->scope;
    if (v->local) return s->locals[v->index];
    return s->reads && s->globals ? s->globals[v->index] : FOI_NO_NODE;
}

static foi_node both(foi_equations *e, foi_node a, foi_node b)
{
    return foi_make(&e->g, FOI_G_AND, a, b, 0);
}

static foi_node no(foi_equations *e, foi_node a)
{
    return foi_make(&e->g, FOI_G_NOT, a, 0, 0);
}

static bool never(const foi_equations *e, foi_node mask)
{
    return foi_is_number(&e->g, mask, 0);
}

static fo_status lower(foi_equations *e, const foi_flat_expr *x, foi_place place, foi_node *node)
{
    return foi_lower(e, x, e->scope->events, place, node);
}

static void assign(foi_equations *e, const foi_flat_variable *v, foi_node mask, foi_node value)
{
    foi_scope *s = e->scope;
    foi_node *to = v->local ? &s->locals[v->index] : &s->globals[v->index];
    foi_node old = *to;
    if (old == FOI_NO_NODE) old = foi_leaf_of(&e->g, FOI_LEAF_PRE, v->index);
    *to = foi_make(&e->g, FOI_G_IF, mask, value, old);
}

// An assert may come from many calls of a function: it is kept once. *known: it is there.
static fo_status keep_assert(foi_equations *e, const foi_action *a, bool *known)
{
    uint32_t key[5] = {UINT32_MAX - 4, a->value, a->active, a->initial, a->place.line};
    *known = foi_memo_find(&e->memo, key, 5) != NULL;
    if (*known || foi_memo_keep(&e->memo, e, key, 5, NULL, 0)) return FO_OK;
    return foi_equations_no_memory(e);
}

static fo_status add_action(foi_equations *e, foi_action a)
{
    if (e->silent) return FO_OK;
    if (a.action == FOI_DO_ASSERT) {
        bool known = foi_is_constant(&e->g, a.value) && foi_constant_value(&e->g, a.value) != 0;
        fo_status status = known ? FO_OK : keep_assert(e, &a, &known);
        if (status != FO_OK || known) return status;
    }
    if (!foi_array_room(e->allocator, &e->actions, &e->action_room, e->action_count + 1, sizeof a))
        return foi_equations_no_memory(e);
    e->actions[e->action_count++] = a;
    return FO_OK;
}

static bool in_when(const foi_scope *s)
{
    for (; s; s = s->outer)
        if (s->in_when) return true;
    return false;
}

static bool at_start(const foi_scope *s)
{
    for (; s; s = s->outer)
        if (s->at_start) return true;
    return false;
}

// When the condition of an assert must hold: in a when, and in functions that are called there, at
// its moment; in what is for the start only, there; otherwise at all times at which the branch is
// taken that it stands in, and then it is watched.
static fo_status place_assert(foi_equations *e, foi_action *a, foi_node mask, bool watch)
{
    foi_node not_now = foi_constant(&e->g, 0);
    if (e->silent) return FO_OK;
    if (e->only_start || in_when(e->scope)) {
        bool start = e->only_start || at_start(e->scope);
        a->active = start ? not_now : mask, a->initial = start ? mask : not_now;
        return FO_OK;
    }
    a->value = foi_make(&e->g, FOI_G_OR, no(e, mask), a->value, 0);
    a->active = a->initial = FOI_NO_NODE;
    return watch ? foi_lower_watched(e, a->place, &a->value, NULL) : FO_OK;
}

// One subscript: within its dimension wherever the element is evaluated.
static fo_status within(foi_equations *e, const foi_flat_array *array, uint32_t dimension,
                        foi_node subscript, foi_node where, foi_place place)
{
    foi_graph *g = &e->g;
    uint32_t size = array->dims[dimension];
    foi_node least = foi_make(g, FOI_G_GREATER_EQUAL, subscript, foi_constant(g, 1), 0);
    foi_node most = foi_make(g, FOI_G_LESS_EQUAL, subscript, foi_constant(g, size), 0);
    foi_action a = {.action = FOI_DO_ASSERT,
                    .active = FOI_NO_NODE,
                    .initial = FOI_NO_NODE,
                    .variable = FOI_NOTHING,
                    .value = both(e, least, most),
                    .place = place};
    if (never(e, where) || foi_is_number(g, a.value, 1)) return FO_OK;
    a.message = foi_arena_print(&e->texts, "a subscript of %s is outside of 1..%u", array->name,
                                (unsigned)size);
    if (!a.message) return foi_equations_no_memory(e);
    fo_status status = place_assert(e, &a, where, false);
    return status == FO_OK ? add_action(e, a) : status;
}

fo_status foi_lower_within(foi_equations *e, const foi_flat_array *array,
                           const foi_node *subscripts, foi_node where, foi_place place)
{
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < array->rank && status == FO_OK; k++)
        status = within(e, array, k, subscripts[k], where, place);
    return status;
}

fo_status foi_lower_offset(foi_equations *e, const foi_flat_expr *element, foi_place place,
                           foi_node *offset)
{
    const foi_flat_array *array = element->array;
    foi_graph *g = &e->g;
    foi_node s;
    *offset = foi_constant(g, 0);
    for (uint32_t k = 0; k < array->rank; k++) {
        fo_status status = lower(e, element->arguments[k], place, &s);
        if (status == FO_OK) status = within(e, array, k, s, e->where, place);
        if (status != FO_OK) return status;
        s = foi_subtract(g, s, foi_constant(g, 1));
        *offset = foi_add(g, foi_multiply(g, *offset, foi_constant(g, array->dims[k])), s);
    }
    return FO_OK;
}

// Stores a value, or a text, in each element that may be meant.
static fo_status assign_element(foi_equations *e, const foi_flat_statement *st,
                                const foi_flat_expr *target, foi_node mask, foi_node value,
                                const foi_text *text)
{
    const foi_flat_array *array = target->array;
    foi_node offset;
    fo_status status = foi_lower_offset(e, target, st->place, &offset);
    for (uint32_t i = 0; i < array->count && status == FO_OK; i++) {
        if (foi_is_constant(&e->g, offset)) {
            double at = foi_constant_value(&e->g, offset);
            if (!(at >= 0 && at < array->count && at == floor(at))) break;
            i = (uint32_t)at;
        }
        foi_node here = foi_make(&e->g, FOI_G_EQUAL, offset, foi_constant(&e->g, i), 0);
        if (!never(e, here) && text)
            status = foi_assign_text(e, array->elements[i], both(e, mask, here), *text, st->place);
        else if (!never(e, here))
            assign(e, array->elements[i], both(e, mask, here), value);
        if (foi_is_constant(&e->g, offset)) break;
    }
    return status;
}

static fo_status lower_assign_text(foi_equations *e, const foi_flat_statement *st, uint32_t i,
                                   foi_node mask)
{
    foi_text text;
    const foi_flat_expr *target = st->targets[i];
    bool element = target->op == FOI_OP_ELEMENT && target->array->count > 0;
    const foi_flat_variable *v = element ? target->array->elements[0] : target->variable;
    if (!(element || target->op == FOI_OP_VARIABLE) || !v->local || !e->scope->texts)
        return foi_equations_fail(e, st->place, FO_ERROR_UNFIT,
                                  "a text is assigned to a variable of a function only");
    fo_status status = foi_lower_text(e, st->values[i], st->place, &text);
    if (status != FO_OK) return status;
    return element ? assign_element(e, st, target, mask, 0, &text)
                   : foi_assign_text(e, v, mask, text, st->place);
}

// All values are taken before the first is stored.
static fo_status lower_assign(foi_equations *e, const foi_flat_statement *st, foi_node mask)
{
    foi_node *values = foi_new(e->allocator, st->count, sizeof *values);
    fo_status status = values ? FO_OK : foi_equations_no_memory(e);
    for (uint32_t i = 0; i < st->count && status == FO_OK; i++)
        if (st->values[i]->type != FOI_STRING)
            status = lower(e, st->values[i], st->place, &values[i]);
    for (uint32_t i = 0; i < st->count && status == FO_OK; i++) {
        const foi_flat_expr *target = st->targets[i];
        if (st->values[i]->type == FOI_STRING)
            status = lower_assign_text(e, st, i, mask);
        else if (target->op == FOI_OP_VARIABLE)
            assign(e, target->variable, mask, values[i]);
        else
            status = assign_element(e, st, target, mask, values[i], NULL);
    }
    foi_free(e->allocator, values);
    return status;
}

static fo_status lower_if(foi_equations *e, const foi_flat_statement *st, foi_node mask)
{
    foi_node left = mask;
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < st->branch_count && status == FO_OK && !never(e, left); i++) {
        const foi_flat_branch *b = &st->branches[i];
        foi_node condition = foi_constant(&e->g, 1);
        e->where = both(e, e->scope->where, left);
        if (b->condition_count) status = lower(e, b->conditions[0], b->place, &condition);
        if (status == FO_OK) status = foi_lower_block(e, &b->body, both(e, left, condition));
        left = both(e, left, no(e, condition));
    }
    return status;
}

// Where a loop goes on: where neither `break` nor `return` has left it.
static foi_node still(foi_equations *e, foi_node mask)
{
    return both(e, mask, both(e, e->scope->alive, e->scope->running));
}

// A loop whose condition is known in the run only is unrolled as far as that goes, and it must hold
// that it ends before.
static fo_status end_must_come(foi_equations *e, const foi_flat_statement *st, foi_node going)
{
    const char *which = st->variable ? st->variable->name : "";
    foi_action a = {.action = FOI_DO_ASSERT,
                    .active = FOI_NO_NODE,
                    .initial = FOI_NO_NODE,
                    .variable = FOI_NOTHING,
                    .value = no(e, going),
                    .place = st->place};
    a.message = foi_arena_print(&e->texts, "the %s%s turns more often than is possible (%d times)",
                                *which ? "loop over " : "while loop", which, MOST_OPEN_TURNS);
    if (!a.message) return foi_equations_no_memory(e);
    fo_status status = place_assert(e, &a, e->scope->where, false);
    return status == FO_OK ? add_action(e, a) : status;
}

// A loop whose range is known in the run only: the k-th turn is made where it is within the range.
static fo_status lower_open_for(foi_equations *e, const foi_flat_statement *st, foi_node first,
                                foi_node step, foi_node last, foi_node mask)
{
    foi_graph *g = &e->g;
    foi_node running = e->scope->running;
    fo_status status = FO_OK;
    if (!foi_is_constant(g, step) || foi_is_number(g, step, 0))
        return foi_equations_fail(e, st->place, FO_ERROR_UNFIT,
                                  "the step of the loop over `%s` must be known before the run",
                                  st->variable->name);
    foi_op within = foi_constant_value(g, step) > 0 ? FOI_G_LESS_EQUAL : FOI_G_GREATER_EQUAL;
    for (int turn = 0; status == FO_OK; turn++) {
        foi_node value = foi_add(g, first, foi_multiply(g, foi_constant(g, turn), step));
        e->scope->running = both(e, e->scope->running, foi_make(g, within, value, last, 0));
        foi_node going = still(e, mask);
        if (never(e, going)) break;
        if (turn >= MOST_OPEN_TURNS) {
            status = end_must_come(e, st, going);
            break;
        }
        e->scope->locals[st->variable->index] = value;
        status = foi_lower_block(e, &st->body, mask);
    }
    e->scope->running = running;
    return status;
}

static fo_status lower_for(foi_equations *e, const foi_flat_statement *st, foi_node mask)
{
    foi_node bounds[3] = {0, foi_constant(&e->g, 1), 0};
    fo_status status = lower(e, st->first, st->place, &bounds[0]);
    if (status == FO_OK && st->step) status = lower(e, st->step, st->place, &bounds[1]);
    if (status == FO_OK) status = lower(e, st->last, st->place, &bounds[2]);
    if (status != FO_OK) return status;
    for (int i = 0; i < 3; i++)
        if (!foi_is_constant(&e->g, bounds[i]))
            return lower_open_for(e, st, bounds[0], bounds[1], bounds[2], mask);
    double first = foi_constant_value(&e->g, bounds[0]);
    double step = foi_constant_value(&e->g, bounds[1]);
    double last = foi_constant_value(&e->g, bounds[2]);
    double turns = floor((last - first) / step + 1e-10) + 1;
    if (!(turns <= MOST_TURNS))
        return foi_equations_fail(e, st->place, FO_ERROR_UNFIT,
                                  "the loop over `%s` has %g turns; at most %d are possible",
                                  st->variable->name, turns, MOST_TURNS);
    foi_node running = e->scope->running;
    for (long i = 0; i < (long)turns && status == FO_OK; i++) {
        e->scope->locals[st->variable->index] = foi_constant(&e->g, first + (double)i * step);
        status = foi_lower_block(e, &st->body, mask);
        if (never(e, still(e, mask))) break;
    }
    e->scope->running = running;
    return status;
}

static fo_status lower_while(foi_equations *e, const foi_flat_statement *st, foi_node mask)
{
    const foi_flat_branch *b = &st->branches[0];
    foi_node running = e->scope->running, condition;
    fo_status status = FO_OK;
    for (int turn = 0; status == FO_OK; turn++) {
        e->where = both(e, e->scope->where, still(e, mask));
        status = lower(e, b->conditions[0], st->place, &condition);
        if (status != FO_OK) break;
        e->scope->running = both(e, e->scope->running, condition);
        foi_node going = still(e, mask);
        if (never(e, going)) break;
        if (turn >= MOST_TURNS)
            status = foi_equations_fail(e, st->place, FO_ERROR_UNFIT,
                                        "the while loop does not end after %d turns", MOST_TURNS);
        if (!foi_is_constant(&e->g, going) && turn >= MOST_OPEN_TURNS) {
            status = end_must_come(e, st, going);
            break;
        }
        if (status == FO_OK) status = foi_lower_block(e, &b->body, mask);
    }
    e->scope->running = running;
    return status;
}

// reinit(x, 1); reinit(x, 2); in one place: nothing says which of them counts. Of two whens, or of
// two branches, that is seen in the run.
static fo_status check_set_once(foi_equations *e, const foi_action *a)
{
    uint32_t set = e->variables[a->variable].set;
    const foi_action *last = set ? &e->actions[set - 1] : NULL;
    if (last && last->active == a->active && last->initial == a->initial &&
        last->value != a->value && !never(e, a->active))
        return foi_equations_fail(e, a->place, FO_ERROR_MODEL,
                                  "reinit sets `%s` twice at once, here and in line %u",
                                  foi_variable_name(e, a->variable), last->place.line);
    return FO_OK;
}

static fo_status lower_action(foi_equations *e, const foi_flat_statement *st, foi_node mask)
{
    foi_action a = {.action = st->action,
                    .active = e->scope->at_start ? foi_constant(&e->g, 0) : mask,
                    .initial = e->scope->at_start ? mask : foi_constant(&e->g, 0),
                    .variable = FOI_NOTHING,
                    .warning = st->warning,
                    .place = st->place};
    fo_status status = foi_lower_message(e, st->message, &a);
    if (status != FO_OK) return status;
    if (st->action == FOI_DO_REINIT) {
        a.variable = st->targets[0]->variable->index;
        status = lower(e, st->values[0], st->place, &a.value);
        if (status == FO_OK && !e->silent) status = check_set_once(e, &a);
    } else if (st->action == FOI_DO_ASSERT) {
        status = lower(e, st->condition, st->place, &a.value);
        if (status == FO_OK) status = place_assert(e, &a, both(e, e->scope->where, mask), true);
    }
    if (status != FO_OK || never(e, mask)) return status;
    status = add_action(e, a);
    if (status == FO_OK && st->action == FOI_DO_REINIT && !e->silent)
        e->variables[a.variable].set = (uint32_t)e->action_count;
    return status;
}

// The condition of a when: all its turns are moments, those of relations in functions, too.
static fo_status lower_condition(foi_equations *e, const foi_flat_expr *x, foi_place place,
                                 foi_node *now)
{
    bool moves = false;
    fo_status status = foi_lower(e, x, true, place, now);
    if (status == FO_OK) status = foi_lower_watched(e, place, now, &moves);
    if (status != FO_OK || !moves) return status;
    return foi_equations_fail(e, place, FO_ERROR_UNFIT,
                              "this condition changes without a moment: it has more relations in "
                              "functions than are watched (%d), or external code",
                              FOI_MOST_WATCHED);
}

// Whether one of the conditions becomes true. At the start only initial() does.
static fo_status edges(foi_equations *e, const foi_flat_branch *b, foi_node *active)
{
    foi_node any = foi_constant(&e->g, 0), now;
    for (uint32_t i = 0; i < b->condition_count; i++) {
        const foi_flat_expr *x = b->conditions[i];
        bool initial = x->op == FOI_OP_CALL && x->builtin == FOI_FN_INITIAL;
        if (initial || e->scope->at_start) {
            if (initial && e->scope->at_start) any = foi_constant(&e->g, 1);
            continue;
        }
        fo_status status = lower_condition(e, x, b->place, &now);
        if (status != FO_OK) return status;
        uint32_t w = (uint32_t)e->condition_count;
        if (!foi_array_room(e->allocator, &e->conditions, &e->condition_room, w + 1,
                            sizeof *e->conditions))
            return foi_equations_no_memory(e);
        e->conditions[e->condition_count++] = (foi_condition){now};
        foi_node edge = both(e, now, no(e, foi_leaf_of(&e->g, FOI_LEAF_WAS, w)));
        any = foi_make(&e->g, FOI_G_OR, any, edge, 0);
    }
    *active = any;
    return FO_OK;
}

fo_status foi_lower_when(foi_equations *e, const foi_flat_branch *branches, uint32_t count,
                         foi_node mask, foi_place place)
{
    foi_node left = mask;
    fo_status status = FO_OK;
    (void)place;
    for (uint32_t i = 0; i < count && status == FO_OK; i++) {
        foi_node active = 0;
        e->where = both(e, e->scope->where, left);
        status = edges(e, &branches[i], &active);
        e->scope->in_when = true;
        if (status == FO_OK) status = foi_lower_block(e, &branches[i].body, both(e, left, active));
        e->scope->in_when = false;
        if (status == FO_OK) left = both(e, left, no(e, active));
    }
    return status;
}

static fo_status lower_statement(foi_equations *e, const foi_flat_statement *st, foi_node mask)
{
    foi_scope *s = e->scope;
    switch (st->action) {
    case FOI_DO_ASSIGN: return lower_assign(e, st, mask);
    case FOI_DO_IF: return lower_if(e, st, mask);
    case FOI_DO_FOR: return lower_for(e, st, mask);
    case FOI_DO_WHILE: return lower_while(e, st, mask);
    case FOI_DO_BREAK: s->running = both(e, s->running, no(e, mask)); return FO_OK;
    case FOI_DO_RETURN: s->alive = both(e, s->alive, no(e, mask)); return FO_OK;
    case FOI_DO_WHEN: return foi_lower_when(e, st->branches, st->branch_count, mask, st->place);
    case FOI_DO_REINIT:
    case FOI_DO_ASSERT:
    case FOI_DO_TERMINATE: return lower_action(e, st, mask);
    }
    return FO_OK;
}

fo_status foi_lower_block(foi_equations *e, const foi_flat_block *block, foi_node mask)
{
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < block->count && status == FO_OK; i++) {
        foi_node now = both(e, mask, both(e, e->scope->alive, e->scope->running));
        e->too_large |= ++e->statements > e->most_statements;
        if (e->statements > e->most_statements)
            return foi_equations_fail(e, block->statements[i]->place, FO_ERROR_UNFIT,
                                      "functions and algorithms are written out: these have more "
                                      "than %u statements then",
                                      (unsigned)e->most_statements);
        e->epoch = ++e->epochs;
        // a when must be seen even where it cannot act, so that conditions are counted alike
        e->where = both(e, e->scope->where, now);
        if (!never(e, now)) status = lower_statement(e, block->statements[i], now);
    }
    return status;
}
