#include "equations/kept_code.h"

#include "equations/flat_evaluate.h"
#include "equations/kept.h"

enum { DEEPEST = 200, MOST_LINES = 200000 };
static const uint32_t NOWHERE = UINT32_MAX;

typedef struct foi_kept_code code;

/// A function while its lines are made. Lists live in the arena and move as they grow.
typedef struct making {
    foi_arena *arena;
    foi_kept_line *lines;
    uint32_t *list;
    double *numbers;
    uint32_t line_count, list_count, number_count;
    uint32_t locals, next, most; ///< places in between: the next, and how many there ever were
    uint32_t below;              ///< room of what is called
    uint32_t breaks;             ///< the last jump out of the loop, which has the one before it
    bool has_rates, no_rate, good;
} making;

// Numbers stand behind the places in between while these are counted: see `settle`.
enum { IS_NUMBER = 1 << 30 };

static uint32_t line(making *m, foi_kept_line l)
{
    uint32_t at = m->line_count;
    foi_kept_line *slot =
        at < MOST_LINES ? foi_arena_add(m->arena, &m->lines, &m->line_count, sizeof *slot) : NULL;
    if (slot) *slot = l;
    m->good = m->good && slot;
    return slot ? at : 0;
}

static void jump_here(making *m, uint32_t from)
{
    if (m->good) m->lines[from].to = m->line_count;
}

static uint32_t listed(making *m, uint32_t place)
{
    uint32_t at = m->list_count;
    uint32_t *slot = foi_arena_add(m->arena, &m->list, &m->list_count, sizeof *slot);
    if (slot) *slot = place;
    m->good = m->good && slot;
    return at;
}

static uint32_t room_for(making *m, uint32_t count)
{
    uint32_t at = m->next;
    m->next += count;
    if (m->next > m->most) m->most = m->next;
    m->good = m->good && m->most <= FOI_KEPT_MOST_ROOM;
    return at;
}

static uint32_t number(making *m, double value)
{
    double *slot = foi_arena_add(m->arena, &m->numbers, &m->number_count, sizeof *slot);
    if (slot) *slot = value;
    m->good = m->good && slot;
    return IS_NUMBER | (m->number_count - 1);
}

static uint32_t variable(making *m, const foi_flat_variable *v)
{
    if (v->local) return v->index;
    m->good = m->good && v->evaluated == 2;
    return number(m, v->value);
}

static uint32_t expression(making *m, const foi_flat_expr *e, int depth, uint32_t to);

// Where an expression's value is: in `to`, unless that is NOWHERE and it has a place already.
static uint32_t value_of(making *m, const foi_flat_expr *e, int depth)
{
    return expression(m, e, depth, NOWHERE);
}

static uint32_t copied(making *m, uint32_t from, uint32_t to)
{
    if (to == NOWHERE || to == from) return from;
    line(m, (foi_kept_line){.op = FOI_KEPT_COPY, .to = to, .a = from});
    return to;
}

static uint32_t offset(making *m, const foi_flat_expr *e, int depth)
{
    uint32_t at = number(m, 0);
    for (uint32_t i = 0; i < e->count && m->good; i++) {
        uint32_t s = value_of(m, e->arguments[i], depth + 1), to = room_for(m, 1);
        line(m, (foi_kept_line){FOI_KEPT_OFFSET, to, at, e->array->dims[i], s, {0}});
        at = to;
    }
    return at;
}

static uint32_t elements(making *m, const foi_flat_array *array)
{
    uint32_t first = m->list_count;
    for (uint32_t i = 0; i < array->count && m->good; i++)
        listed(m, variable(m, array->elements[i]));
    return first;
}

static uint32_t choice(making *m, const foi_flat_expr *e, int depth, uint32_t to)
{
    uint32_t test = value_of(m, e->arguments[0], depth + 1);
    uint32_t other = line(m, (foi_kept_line){.op = FOI_KEPT_UNLESS, .a = test});
    expression(m, e->arguments[1], depth + 1, to);
    uint32_t end = line(m, (foi_kept_line){.op = FOI_KEPT_JUMP});
    jump_here(m, other);
    expression(m, e->arguments[2], depth + 1, to);
    jump_here(m, end);
    return to;
}

static bool compiled(foi_arena *arena, foi_flat_function *f);

// The derivatives that annotations name are needed where the derivative is.
static void compile_called(making *m, const foi_flat_function *f)
{
    foi_flat_function *called = (foi_flat_function *)f;
    m->good = m->good && compiled(m->arena, called) && called->code;
    if (!m->good) return;
    if (called->code->room > m->below) m->below = called->code->room;
    m->has_rates = m->has_rates && called->code->has_rates;
    m->no_rate |= f->no_rate;
}

static void in_a_row(making *m, const foi_flat_expr *const *list, uint32_t count, int depth,
                     uint32_t first);

// A call whose results in the list go to a row of places, or to one.
static void call(making *m, const foi_flat_expr *const *results, uint32_t count, int depth,
                 uint32_t to)
{
    const foi_flat_call *c = results[0]->call;
    uint32_t inputs = c->function->input_count, first = room_for(m, inputs);
    compile_called(m, c->function);
    in_a_row(m, c->arguments, inputs, depth + 1, first);
    uint32_t list = m->list_count;
    for (uint32_t i = 0; i < inputs && m->good; i++) listed(m, first + i);
    for (uint32_t i = 0; i < count && m->good; i++) {
        listed(m, inputs + results[i]->result);
        listed(m, to + i);
    }
    line(m, (foi_kept_line){FOI_KEPT_CALL, 0, inputs, count, list, {.function = c->function}});
}

// Results of one call that stand beside each other, as the fields of a record, are those of one.
static void in_a_row(making *m, const foi_flat_expr *const *list, uint32_t count, int depth,
                     uint32_t first)
{
    for (uint32_t i = 0, n; i < count && m->good; i += n) {
        const foi_flat_expr *const *v = list + i;
        for (n = 1; v[0]->op == FOI_OP_RESULT && i + n < count && v[n]->op == FOI_OP_RESULT &&
                    v[n]->call == v[0]->call;)
            n++;
        for (uint32_t k = 0; k < n; k++) m->good = m->good && v[k]->type != FOI_STRING;
        uint32_t next = m->next;
        if (n > 1 && m->good)
            call(m, v, n, depth, first + i);
        else
            expression(m, v[0], depth, first + i);
        m->next = next;
    }
}

static uint32_t element(making *m, const foi_flat_expr *e, int depth, uint32_t to)
{
    uint32_t at = offset(m, e, depth), list = elements(m, e->array);
    line(m, (foi_kept_line){.op = FOI_KEPT_LOAD, .to = to, .a = at, .c = list});
    return to;
}

static foi_kept_op op_of(const foi_flat_expr *e)
{
    switch (e->op) {
    case FOI_OP_ADD: return FOI_KEPT_ADD;
    case FOI_OP_SUBTRACT: return FOI_KEPT_SUBTRACT;
    case FOI_OP_MULTIPLY: return FOI_KEPT_MULTIPLY;
    case FOI_OP_DIVIDE: return FOI_KEPT_DIVIDE;
    case FOI_OP_CALL: return FOI_KEPT_BUILTIN;
    default: return FOI_KEPT_OTHER;
    }
}

static uint32_t operation(making *m, const foi_flat_expr *e, int depth, uint32_t to)
{
    uint32_t a[2] = {0};
    m->good = m->good && e->count >= 1 && e->count <= 2;
    for (uint32_t i = 0; i < e->count && m->good; i++)
        a[i] = value_of(m, e->arguments[i], depth + 1);
    if (e->count == 1) a[1] = a[0];
    line(m, (foi_kept_line){op_of(e), to, a[0], a[1], 0, {.e = e}});
    return to;
}

static uint32_t expression(making *m, const foi_flat_expr *e, int depth, uint32_t to)
{
    m->good = m->good && e && depth <= DEEPEST && e->type != FOI_STRING;
    if (!m->good) return 0;
    if (e->op == FOI_OP_LITERAL) return copied(m, number(m, e->number), to);
    if (e->op == FOI_OP_VARIABLE) return copied(m, variable(m, e->variable), to);
    if (to == NOWHERE) to = room_for(m, 1);
    uint32_t next = m->next;
    switch (e->op) {
    case FOI_OP_IF: to = choice(m, e, depth, to); break;
    case FOI_OP_ELEMENT: to = element(m, e, depth, to); break;
    case FOI_OP_RESULT: call(m, &e, 1, depth, to); break;
    case FOI_OP_STRING:
    case FOI_OP_TIME: m->good = false; break;
    default: to = operation(m, e, depth, to); break;
    }
    m->next = next;
    return to;
}

// ---------------------------------------------------------------------------------------
// statements

static void block(making *m, const foi_flat_block *b, int depth);

static void store(making *m, const foi_flat_expr *target, int depth, uint32_t from)
{
    if (target->op == FOI_OP_VARIABLE) {
        m->good = m->good && target->variable->local;
        copied(m, from, target->variable->index);
        return;
    }
    for (uint32_t i = 0; i < target->array->count; i++)
        m->good = m->good && target->array->elements[i]->local;
    if (!m->good) return;
    uint32_t at = offset(m, target, depth), list = elements(m, target->array);
    line(m, (foi_kept_line){.op = FOI_KEPT_STORE, .a = at, .b = from, .c = list});
}

// All values are taken before the first is stored.
static void assign_many(making *m, const foi_flat_statement *st, int depth)
{
    uint32_t first = room_for(m, st->count);
    in_a_row(m, st->values, st->count, depth, first);
    for (uint32_t i = 0; i < st->count && m->good; i++) store(m, st->targets[i], depth, first + i);
}

static void assign(making *m, const foi_flat_statement *st, int depth)
{
    const foi_flat_expr *target = st->targets[0];
    if (st->count != 1)
        assign_many(m, st, depth);
    else if (target->op == FOI_OP_VARIABLE && target->variable->local)
        expression(m, st->values[0], depth, target->variable->index); // which it takes before
    else
        store(m, target, depth, value_of(m, st->values[0], depth));
}

static void branches(making *m, const foi_flat_statement *st, int depth)
{
    uint32_t ends = NOWHERE;
    for (uint32_t i = 0; i < st->branch_count && m->good; i++) {
        const foi_flat_branch *b = &st->branches[i];
        uint32_t other = NOWHERE, next = m->next;
        if (b->condition_count) {
            uint32_t test = value_of(m, b->conditions[0], depth);
            other = line(m, (foi_kept_line){.op = FOI_KEPT_UNLESS, .a = test});
        }
        m->next = next;
        block(m, &b->body, depth + 1);
        ends = line(m, (foi_kept_line){.op = FOI_KEPT_JUMP, .to = ends});
        if (other != NOWHERE) jump_here(m, other);
    }
    for (uint32_t before; m->good && ends != NOWHERE; ends = before)
        before = m->lines[ends].to, jump_here(m, ends);
}

// Back to line `top`, and that is where those go on that break the loop.
static void end_loop(making *m, uint32_t top, uint32_t outer)
{
    line(m, (foi_kept_line){.op = FOI_KEPT_AGAIN, .to = top, .a = m->line_count - top});
    for (uint32_t before; m->good && m->breaks != NOWHERE; m->breaks = before)
        before = m->lines[m->breaks].to, jump_here(m, m->breaks);
    m->breaks = outer;
}

static void while_loop(making *m, const foi_flat_statement *st, int depth)
{
    uint32_t top = m->line_count, outer = m->breaks, next = m->next;
    m->breaks = NOWHERE;
    uint32_t test = value_of(m, st->branches[0].conditions[0], depth);
    uint32_t end = line(m, (foi_kept_line){.op = FOI_KEPT_UNLESS, .a = test});
    m->next = next;
    block(m, &st->branches[0].body, depth + 1);
    end_loop(m, top, outer);
    jump_here(m, end);
}

static void for_loop(making *m, const foi_flat_statement *st, int depth)
{
    uint32_t at = room_for(m, 5), outer = m->breaks;
    expression(m, st->first, depth, at + 2);
    expression(m, st->last, depth, at + 4);
    if (st->step)
        expression(m, st->step, depth, at + 3);
    else
        copied(m, number(m, 1), at + 3);
    line(m, (foi_kept_line){.op = FOI_KEPT_RANGE, .to = at, .a = at + 4});
    m->breaks = NOWHERE;
    uint32_t top =
        line(m, (foi_kept_line){.op = FOI_KEPT_TURN, .to = at, .b = st->variable->index});
    block(m, &st->body, depth + 1);
    end_loop(m, top, outer);
    if (m->good) m->lines[top].c = m->line_count;
}

static void statement(making *m, const foi_flat_statement *st, int depth)
{
    switch (st->action) {
    case FOI_DO_ASSIGN: assign(m, st, depth); break;
    case FOI_DO_IF: branches(m, st, depth); break;
    case FOI_DO_FOR: for_loop(m, st, depth); break;
    case FOI_DO_WHILE: while_loop(m, st, depth); break;
    case FOI_DO_BREAK:
        m->breaks = line(m, (foi_kept_line){.op = FOI_KEPT_JUMP, .to = m->breaks});
        break;
    case FOI_DO_RETURN: line(m, (foi_kept_line){.op = FOI_KEPT_END}); break;
    case FOI_DO_ASSERT:
        if (st->warning) break;
        uint32_t test = value_of(m, st->condition, depth);
        bool known = st->message && st->message->op == FOI_OP_STRING;
        const char *text = known ? st->message->text : "an assertion of it fails";
        line(m, (foi_kept_line){.op = FOI_KEPT_ASSERT, .a = test, .text = text});
        break;
    default: m->good = false; break;
    }
}

static void block(making *m, const foi_flat_block *b, int depth)
{
    m->good = m->good && depth <= DEEPEST;
    for (uint32_t i = 0; i < b->count && m->good; i++) {
        uint32_t next = m->next;
        statement(m, b->statements[i], depth + 1);
        m->next = next;
    }
}

// -----------------------------------------------------------------------------------------
// settling

// Numbers come between the locals and what is in between.
static uint32_t settled(const making *m, uint32_t place)
{
    if (place & IS_NUMBER) return m->locals + (place & ~(uint32_t)IS_NUMBER);
    return place < m->locals ? place : place + m->number_count;
}

static void settle(making *m)
{
    for (uint32_t i = 0; i < m->line_count; i++) {
        foi_kept_line *l = &m->lines[i];
        switch (l->op) {
        case FOI_KEPT_JUMP:
        case FOI_KEPT_AGAIN:
        case FOI_KEPT_CALL:
        case FOI_KEPT_END: break;
        case FOI_KEPT_UNLESS:
        case FOI_KEPT_ASSERT: l->a = settled(m, l->a); break;
        case FOI_KEPT_OFFSET:
            l->to = settled(m, l->to), l->a = settled(m, l->a), l->c = settled(m, l->c);
            break;
        default: l->to = settled(m, l->to), l->a = settled(m, l->a), l->b = settled(m, l->b); break;
        }
        for (uint32_t k = 0; l->op == FOI_KEPT_CALL && k < l->a; k++)
            m->list[l->c + k] = settled(m, m->list[l->c + k]);
        for (uint32_t k = 0; l->op == FOI_KEPT_CALL && k < l->b; k++) {
            uint32_t *to = &m->list[l->c + l->a + 2 * k + 1];
            *to = settled(m, *to);
        }
    }
}

// Elements of arrays are listed as variables: these settle once, however many lines name them.
static void settle_elements(making *m, bool *called)
{
    for (uint32_t i = 0; i < m->line_count; i++) {
        const foi_kept_line *l = &m->lines[i];
        uint32_t count = l->op == FOI_KEPT_CALL ? l->a + 2 * l->b : 0;
        for (uint32_t k = 0; k < count; k++) called[l->c + k] = true;
    }
    for (uint32_t i = 0; i < m->list_count; i++)
        if (!called[i]) m->list[i] = settled(m, m->list[i]);
}

// Named derivatives are carried out by lines, too.
static void compile_rates(making *m, const foi_flat_function *f)
{
    for (uint32_t i = 0; f->known && m->has_rates && i < f->known->derivative_count; i++) {
        const foi_flat_derivative *d = &f->known->derivatives[i];
        foi_flat_function *rate = (foi_flat_function *)d->function;
        if (d->order != 1 || !rate->ready || rate->outside) continue;
        m->has_rates = foi_is_pure(rate) && compiled(m->arena, rate) && rate->code;
        if (m->has_rates && rate->code->room > m->below) m->below = rate->code->room;
    }
}

static bool finish(making *m, foi_flat_function *f)
{
    compile_rates(m, f);
    uint32_t places = m->most + m->number_count, room = places + m->below;
    m->good = m->good && room <= FOI_KEPT_MOST_ROOM;
    if (!m->good) return !m->arena->failed;
    bool *called = foi_arena_new(m->arena, (size_t)m->list_count + 1, sizeof *called);
    code *c = foi_arena_new(m->arena, 1, sizeof *c);
    if (!called || !c) return false;
    settle_elements(m, called);
    settle(m);
    *c = (code){m->lines,        m->line_count, m->list, m->numbers,  f->local_count,
                m->number_count, places,        room,    m->has_rates};
    f->code = c, f->no_rate = m->no_rate;
    return true;
}

// One that is being made calls itself, perhaps by its derivative: that is not for lines.
static bool compiled(foi_arena *arena, foi_flat_function *f)
{
    if (f->code_tried) return true;
    f->code_tried = true;
    making m = {.arena = arena, .has_rates = true, .good = true, .breaks = NOWHERE};
    m.locals = m.next = m.most = f->local_count, m.no_rate = f->searches_itself;
    block(&m, &f->body, 0);
    line(&m, (foi_kept_line){.op = FOI_KEPT_END});
    return finish(&m, f);
}

bool foi_kept_compile(foi_arena *arena, foi_flat_function *f)
{
    return compiled(arena, f);
}
