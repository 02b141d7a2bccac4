/// Tasks as functions.
///
/// A task without loops is one line: its values are in registers, and only results are stored. In
/// one with loops every value is stored in its register of the bytecode, where the iteration that
/// solves the loop finds it.
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
