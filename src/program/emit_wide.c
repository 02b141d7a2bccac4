/// Codes with arrays: wide instructions that follow each other and need each other in the same lane
/// only are one counted loop over vectors of lanes, in which what one hands to the next stays in
/// registers. Lanes that are left over, and instructions of one lane, stand before the loop.
///
/// The registers of a wide code are written once each, so that any order is good in which values
/// are made before they are used.
#include "math/vector.h"
#include "program/emit.h"
#include "program/loops.h"

enum { LOOSE_LANES = 3 };

typedef struct wide {
    foi_reader *r; ///< of the line before the loop
    foi_reader in; ///< of the loop; its values are of one lane or the same for all
    const foi_code *code;
    foi_loops loops;
    uint32_t *stream; ///< per register: the value in the loop that begins its lanes
    uint32_t *seen;   ///< registers that have one
    uint32_t seen_count;
    uint32_t constants; ///< the word of all constants in a row; FOI_NEVER: not there yet
} wide;

static bool is_call(const wide *w, const foi_instruction *x)
{
    return foi_line_is_call(&w->r->line, foi_op_of(x));
}

// ---------------------------------------------------------------------------------------- one lane

static foi_where result_at(uint32_t j, bool stream)
{
    return (foi_where){.base = FOI_AT_Y, .stream = stream, .offset = j};
}

static void put_lane(wide *w, uint32_t i, uint32_t lane)
{
    foi_reader *r = w->r;
    const foi_instruction *x = &w->code->packed[i];
    uint32_t v[3] = {0};
    for (uint32_t k = 0; k < foi_instruction_arity(foi_op_of(x)); k++)
        v[k] = foi_reader_value(r, foi_operand_of(x, k) + (foi_goes(x, k) ? lane : 0));
    uint32_t made = foi_line_apply(&r->line, foi_op_of(x), v[0], v[1], v[2]);
    foi_reader_set(r, x->to + lane, made);
    foi_line_store(&r->line, made, (foi_where){.base = FOI_AT_R, .offset = x->to + lane});
    if (w->loops.result[i] != FOI_NOTHING)
        foi_line_store(&r->line, made, result_at(w->loops.result[i] + lane, false));
}

// ------------------------------------------------------------------------------------------- loops

static foi_where stream_at(wide *w, uint32_t reg)
{
    const foi_code *code = w->code;
    uint32_t constant = reg - code->constant_at;
    foi_where at = {.base = FOI_AT_POOL, .stream = true, .offset = constant};
    if (constant >= code->constant_count) {
        at = foi_reader_where(w->r, reg);
        at.stream = true;
        return at;
    }
    if (w->r->m->target == &foi_target_wasm) return at; // there it is the code's own list
    if (w->constants == FOI_NEVER)
        w->constants = foi_pool_list(&w->r->m->pool, code->constants, code->constant_count);
    at.offset = w->constants - constant;
    return at;
}

static void set_stream(wide *w, uint32_t reg, uint32_t value)
{
    if (w->stream[reg] == FOI_NEVER) w->seen[w->seen_count++] = reg;
    w->stream[reg] = value;
}

static uint32_t lane_value(wide *w, const foi_instruction *x, uint32_t k)
{
    uint32_t reg = foi_operand_of(x, k);
    if (!foi_goes(x, k)) return foi_reader_value(&w->in, reg);
    if (w->stream[reg] == FOI_NEVER)
        set_stream(w, reg, foi_line_load(&w->in.line, stream_at(w, reg)));
    return w->stream[reg];
}

static void put_all_lanes(wide *w, uint32_t i, uint32_t count)
{
    const foi_instruction *x = &w->code->packed[i];
    foi_line *line = &w->in.line;
    uint32_t v[3] = {0};
    for (uint32_t k = 0; k < foi_instruction_arity(foi_op_of(x)); k++) v[k] = lane_value(w, x, k);
    uint32_t made = foi_line_apply(line, foi_op_of(x), v[0], v[1], v[2]);
    set_stream(w, x->to, made);
    if (foi_loops_needs(&w->loops, i, count))
        foi_line_store(line, made, (foi_where){.base = FOI_AT_R, .stream = true, .offset = x->to});
    if (w->loops.result[i] != FOI_NOTHING)
        foi_line_store(line, made, result_at(w->loops.result[i], true));
}

static void forget_streams(wide *w)
{
    for (uint32_t i = 0; i < w->seen_count; i++) w->stream[w->seen[i]] = FOI_NEVER;
    w->seen_count = 0;
    foi_reader_forget(&w->in);
}

static void close_loop(wide *w)
{
    const foi_instruction *list = w->code->packed;
    const foi_loops *l = &w->loops;
    uint32_t lanes = w->r->m->target->lanes, count = l->count / lanes * lanes;
    if (lanes == 1) count = 0;
    for (uint32_t i = l->begin; i < l->end; i++)
        for (uint32_t n = count; n < list[i].count && foi_is_wide(&list[i]); n++) put_lane(w, i, n);
    foi_reader_flush(w->r);
    if (l->begin == l->end || !count) return;
    for (uint32_t i = l->begin; i < l->end; i++)
        if (foi_is_wide(&list[i])) put_all_lanes(w, i, count);
    if (w->in.line.failed) w->r->line.failed = true;
    w->r->m->target->loop(w->r->m, &w->in.line, count);
    forget_streams(w);
}

// ------------------------------------------------------------------------------------------- calls

void foi_lanes(uint32_t op, const double *a, const double *b, double *to, uint32_t count,
               uint32_t lanes)
{
    size_t go_a = lanes & FOI_LANES_A ? 1 : 0, go_b = lanes & FOI_LANES_B ? 1 : 0;
    switch (go_a ? op : FOI_G_COUNT) {
    case FOI_G_EXP: foi_exp_many(a, to, count); return;
    case FOI_G_LOG: foi_log_many(a, to, count); return;
    case FOI_G_SIN: foi_sin_many(a, to, count); return;
    case FOI_G_COS: foi_cos_many(a, to, count); return;
    case FOI_G_POWER:
        if (!go_b) break;
        foi_pow_many(a, b, to, count);
        return;
    default: break;
    }
    for (size_t i = 0; i < count; i++)
        to[i] = foi_op_apply((foi_op)op, a[i * go_a], b[i * go_b], 0);
}

static foi_where argument_at(wide *w, const foi_instruction *x, uint32_t k)
{
    if (k >= foi_instruction_arity(foi_op_of(x))) return argument_at(w, x, 0);
    foi_where at = stream_at(w, foi_operand_of(x, k));
    at.stream = foi_goes(x, k);
    return at;
}

static void put_call(wide *w, uint32_t i)
{
    const foi_instruction *x = &w->code->packed[i];
    foi_lanes_call c = {.op = (uint8_t)foi_op_of(x), .count = x->count};
    c.a = argument_at(w, x, 0), c.b = argument_at(w, x, 1);
    c.to = (foi_where){.base = FOI_AT_R, .offset = x->to};
    w->loops.begin = i, w->loops.end = i + 1;
    bool result = w->loops.result[i] != FOI_NOTHING;
    if (result && !foi_loops_needs(&w->loops, i, x->count))
        c.to = result_at(w->loops.result[i], false);
    w->r->m->target->many(w->r->m, &c);
    for (uint32_t n = 0; n < x->count && result && c.to.base == FOI_AT_R; n++)
        foi_line_store(&w->r->line, foi_reader_value(w->r, x->to + n),
                       result_at(w->loops.result[i] + n, false));
    foi_reader_flush(w->r);
    foi_loops_empty(&w->loops, i + 1);
}

// ------------------------------------------------------------------------------------------------

static void put_all(wide *w)
{
    const foi_instruction *list = w->code->packed;
    for (uint32_t i = 0; i < w->code->packed_count; i++) {
        bool calls = foi_is_wide(&list[i]) && is_call(w, &list[i]);
        if (foi_loops_ends(&w->loops, i, calls)) {
            close_loop(w);
            foi_loops_empty(&w->loops, i);
        }
        if (calls) {
            foi_reader_flush(w->r);
            put_call(w, i);
            continue;
        }
        if (!foi_is_wide(&list[i])) put_lane(w, i, 0);
        foi_loops_add(&w->loops, i);
    }
    close_loop(w);
    for (uint32_t j = 0; j < w->code->result_count; j++)
        if (w->loops.loose[j])
            foi_line_store(&w->r->line, foi_reader_value(w->r, w->code->packed_results[j]),
                           result_at(j, false));
    foi_reader_flush(w->r);
}

void foi_emit_wide(foi_reader *r)
{
    const foi_code *code = r->code;
    const fo_allocator *a = r->m->allocator;
    wide w = {.r = r, .code = code, .constants = FOI_NEVER};
    size_t registers = code->packed_registers;
    w.stream = foi_new(a, registers, sizeof *w.stream);
    w.seen = foi_new(a, registers, sizeof *w.seen);
    bool good = foi_loops_begin(&w.loops, a, code, LOOSE_LANES) && w.stream && w.seen;
    good = foi_reader_begin(&w.in, r->m, r->g, code) && good;
    w.in.line.lowered = true; // lanes are compared by masks everywhere
    if (good) {
        for (size_t i = 0; i < registers; i++) w.stream[i] = FOI_NEVER;
        put_all(&w);
    }
    if (!good || w.in.line.failed) r->m->failed = true;
    foi_reader_end(&w.in);
    foi_loops_end(&w.loops);
    foi_free(a, w.stream);
    foi_free(a, w.seen);
}
