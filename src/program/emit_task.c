/// Tasks as functions.
///
/// A task without loops is one line: its values are in registers, and only results are stored. In
/// one with loops every value is stored in its register of the bytecode, where the iteration that
/// solves the loop finds it.
///
/// A long line is put into another order: one result after the other, each with what it needs and
/// what was not made before. The bytecode's own order may make thousands of values that are used
/// much later, more than a function may keep.
#include "base/array.h"
#include "program/emit.h"

// ----------------------------------------------------------------------------------------- makers

void foi_maker_begin(foi_maker *m, foi_calling calling, bool calls)
{
    size_t n = (size_t)m->functions + 1;
    if (!foi_array_room(m->allocator, &m->function, &m->function_room, n, sizeof *m->function) ||
        !foi_array_room(m->allocator, &m->type, &m->type_room, n, sizeof *m->type)) {
        m->failed = true;
        return;
    }
    m->type[m->functions] = (uint8_t)calling;
    m->function[m->functions++] = m->code.count;
    m->calling = calling, m->calls = calls;
    m->frame = m->exit_count = 0;
}

void foi_maker_exit(foi_maker *m, size_t at)
{
    size_t n = (size_t)m->exit_count + 1;
    if (foi_array_room(m->allocator, &m->exits, &m->exit_room, n, sizeof *m->exits))
        m->exits[m->exit_count++] = at;
    else
        m->failed = true;
}

void foi_maker_free(foi_maker *m)
{
    foi_bytes_free(&m->code);
    foi_pool_free(&m->pool);
    foi_free(m->allocator, m->function);
    foi_free(m->allocator, m->type);
    foi_free(m->allocator, m->exits);
    m->function = NULL, m->type = NULL, m->exits = NULL;
}

// ----------------------------------------------------------------------------------------- readers

bool foi_reader_begin(foi_reader *r, foi_maker *m, const foi_program *g, const foi_code *code)
{
    size_t n = code->registers > code->packed_registers ? code->registers : code->packed_registers;
    *r = (foi_reader){.m = m, .g = g, .code = code, .pure = !code->loop_count};
    r->line.pool = &m->pool;
    r->line.lowered = m->target->lowered, r->line.rounds = m->target->rounds;
    r->value = foi_new(m->allocator, n, sizeof *r->value);
    r->touched = foi_new(m->allocator, n, sizeof *r->touched);
    if (!r->value || !r->touched) {
        m->failed = true;
        return false;
    }
    for (size_t i = 0; i < n; i++) r->value[i] = FOI_NEVER;
    return true;
}

void foi_reader_end(foi_reader *r)
{
    foi_line_free(&r->line);
    foi_free(r->m->allocator, r->value);
    foi_free(r->m->allocator, r->touched);
}

void foi_reader_forget(foi_reader *r)
{
    for (uint32_t i = 0; i < r->touched_count; i++) r->value[r->touched[i]] = FOI_NEVER;
    r->touched_count = 0;
    foi_line_begin(&r->line);
}

void foi_reader_flush(foi_reader *r)
{
    if (r->line.count) r->m->target->line(r->m, &r->line);
    foi_reader_forget(r);
}

foi_where foi_reader_where(const foi_reader *r, uint32_t reg)
{
    const foi_code *code = r->code;
    const foi_layout *l = &r->g->layout;
    if (reg - code->constant_at < code->constant_count) {
        double value = code->constants[reg - code->constant_at];
        return (foi_where){.base = FOI_AT_POOL, .offset = foi_pool_double(&r->m->pool, value)};
    }
    uint32_t state = reg - l->at[FOI_LEAF_STATE];
    if (r->pure && state < l->count[FOI_LEAF_STATE])
        return (foi_where){.base = FOI_AT_X, .offset = state};
    return (foi_where){.base = FOI_AT_R, .offset = reg};
}

void foi_reader_set(foi_reader *r, uint32_t reg, uint32_t value)
{
    if (r->value[reg] == FOI_NEVER) r->touched[r->touched_count++] = reg;
    r->value[reg] = value;
}

uint32_t foi_reader_value(foi_reader *r, uint32_t reg)
{
    if (r->value[reg] == FOI_NEVER)
        foi_reader_set(r, reg, foi_line_load(&r->line, foi_reader_where(r, reg)));
    return r->value[reg];
}

bool foi_reader_calls(const foi_reader *r, const foi_instruction *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = list[i].op >= FOI_I_WIDE ? list[i].op - FOI_I_WIDE : list[i].op;
        if (op == FOI_I_SOLVE || foi_line_is_call(&r->line, op)) return true;
    }
    return false;
}

// ------------------------------------------------------------------------------------------- tasks

static void put_instruction(foi_reader *r, const foi_instruction *x)
{
    uint32_t arity = foi_instruction_arity(x->op), a = foi_reader_value(r, x->a), b = 0, c = 0;
    if (arity > 1) b = foi_reader_value(r, x->b);
    if (arity > 2) c = foi_reader_value(r, x->c);
    uint32_t v = foi_line_apply(&r->line, x->op, a, b, c);
    foi_reader_set(r, x->to, v);
    if (r->code->loop_count)
        foi_line_store(&r->line, v, (foi_where){.base = FOI_AT_R, .offset = x->to});
}

static void put_results(foi_reader *r)
{
    for (uint32_t i = 0; i < r->code->result_count; i++)
        foi_line_store(&r->line, foi_reader_value(r, r->code->results[i]),
                       (foi_where){.base = FOI_AT_Y, .offset = i});
}

/// A line by its results.
typedef struct sorted {
    foi_reader *r;
    uint32_t *made; ///< per instruction and operand: the instruction that makes it; FOI_NEVER: none
    uint32_t *last; ///< per register: the last instruction that writes it
    uint32_t *value; ///< per instruction; FOI_NEVER: not made yet
    uint32_t *stack; ///< instructions that wait for their operands
} sorted;

static uint32_t operand_of(const foi_instruction *x, uint32_t k)
{
    return k == 0 ? x->a : k == 1 ? x->b : x->c;
}

static bool sorted_begin(sorted *s)
{
    const foi_code *code = s->r->code;
    const fo_allocator *a = s->r->m->allocator;
    size_t n = code->count;
    s->made = foi_new(a, n, 3 * sizeof *s->made);
    s->last = foi_new(a, code->registers, sizeof *s->last);
    s->value = foi_new(a, n, sizeof *s->value);
    s->stack = foi_new(a, n, sizeof *s->stack);
    if (!s->made || !s->last || !s->value || !s->stack) return false;
    for (uint32_t i = 0; i < code->registers; i++) s->last[i] = FOI_NEVER;
    for (uint32_t i = 0; i < code->count; i++) {
        const foi_instruction *x = &code->list[i];
        uint32_t arity = foi_instruction_arity(x->op);
        for (uint32_t k = 0; k < 3; k++)
            s->made[3 * (size_t)i + k] = k < arity ? s->last[operand_of(x, k)] : FOI_NEVER;
        s->last[x->to] = i, s->value[i] = FOI_NEVER;
    }
    return true;
}

static void sorted_end(sorted *s)
{
    const fo_allocator *a = s->r->m->allocator;
    foi_free(a, s->made);
    foi_free(a, s->last);
    foi_free(a, s->value);
    foi_free(a, s->stack);
}

// The value of an operand that was made, or lies in a register from the beginning.
static uint32_t ready(sorted *s, uint32_t maker, uint32_t reg)
{
    return maker == FOI_NEVER ? foi_reader_value(s->r, reg) : s->value[maker];
}

// What makes an operand and is not made yet; FOI_NEVER: all are.
static uint32_t waits_for(const sorted *s, uint32_t i)
{
    for (size_t k = 0; k < 3; k++) {
        uint32_t maker = s->made[3 * (size_t)i + k];
        if (maker != FOI_NEVER && s->value[maker] == FOI_NEVER) return maker;
    }
    return FOI_NEVER;
}

static void make_sorted(sorted *s, uint32_t wanted)
{
    uint32_t depth = 0;
    if (s->value[wanted] != FOI_NEVER) return;
    for (s->stack[depth++] = wanted; depth && !s->r->line.failed;) {
        uint32_t i = s->stack[depth - 1], before = waits_for(s, i), v[3] = {0};
        if (before != FOI_NEVER) { // it stands before i, so that no more than all wait
            s->stack[depth++] = before;
            continue;
        }
        const foi_instruction *x = &s->r->code->list[i];
        for (uint32_t k = 0; k < foi_instruction_arity(x->op); k++)
            v[k] = ready(s, s->made[3 * (size_t)i + k], operand_of(x, k));
        s->value[i] = foi_line_apply(&s->r->line, x->op, v[0], v[1], v[2]);
        depth--;
    }
}

static void put_sorted(foi_reader *r)
{
    sorted s = {.r = r};
    if (!sorted_begin(&s)) r->m->failed = true;
    for (uint32_t j = 0; j < r->code->result_count && !r->m->failed; j++) {
        uint32_t reg = r->code->results[j], maker = s.last[reg];
        if (maker != FOI_NEVER) make_sorted(&s, maker);
        foi_line_store(&r->line, ready(&s, maker, reg), (foi_where){.base = FOI_AT_Y, .offset = j});
    }
    sorted_end(&s);
    foi_reader_flush(r);
}

// Short ones cannot have too many values; calls of functions from outside stay in their order.
static bool is_sorted(const foi_code *code)
{
    return code->count > FOI_FRAME_MOST && !code->loop_count && !code->uses[FOI_LEAF_FRAME];
}

static void make_loop(foi_reader *r, const foi_loop_code *loop)
{
    const foi_instruction *list = r->code->list + loop->begin;
    uint32_t count = loop->end - loop->begin;
    r->m->target->begin(r->m, FOI_CALL_LOOP, foi_reader_calls(r, list, count));
    for (uint32_t i = 0; i < count; i++) put_instruction(r, &list[i]);
    foi_reader_flush(r);
    r->m->target->end(r->m);
}

static void make_task(foi_reader *r)
{
    const foi_code *code = r->code;
    const foi_target *target = r->m->target;
    uint32_t first = r->m->functions;
    for (uint32_t l = 0; l < code->loop_count; l++) make_loop(r, &code->loops[l]);
    const foi_instruction *list = code->wide ? code->packed : code->list;
    uint32_t count = code->wide ? code->packed_count : code->count;
    r->m->wide = code->wide;
    target->begin(r->m, FOI_CALL_TASK, foi_reader_calls(r, list, count));
    if (code->wide) {
        foi_emit_wide(r);
    } else if (is_sorted(code)) {
        put_sorted(r);
    } else {
        for (uint32_t i = 0; i < count && !r->line.failed; i++) {
            if (list[i].op != FOI_I_SOLVE) {
                put_instruction(r, &list[i]);
                continue;
            }
            foi_reader_flush(r);
            target->solve(r->m, list[i].a, first + list[i].a);
        }
        put_results(r);
        foi_reader_flush(r);
    }
    target->end(r->m);
}

uint32_t foi_emit_task(foi_maker *m, const foi_program *g, const foi_code *code)
{
    foi_reader r;
    if (foi_reader_begin(&r, m, g, code)) make_task(&r);
    if (r.line.failed || m->pool.failed || m->code.failed) m->failed = true;
    foi_reader_end(&r);
    return m->functions - 1;
}
