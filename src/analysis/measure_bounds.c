// The expression of a reducer as code that runs over enclosures (program/enclose.h), so that what
// it can be on a stretch of the run is known for sure.
#include <string.h>

#include "analysis/measure.h"
#include "base/memory.h"
#include "program/code.h"
#include "program/enclose.h"

static const foi_op ops[] = {
    [FOI_TERM_NEGATE] = FOI_G_NEGATE,     [FOI_TERM_ADD] = FOI_G_ADD,
    [FOI_TERM_SUBTRACT] = FOI_G_SUBTRACT, [FOI_TERM_MULTIPLY] = FOI_G_MULTIPLY,
    [FOI_TERM_DIVIDE] = FOI_G_DIVIDE,     [FOI_TERM_POWER] = FOI_G_POWER,
    [FOI_TERM_LESS] = FOI_G_LESS,         [FOI_TERM_LESS_EQUAL] = FOI_G_LESS_EQUAL,
    [FOI_TERM_GREATER] = FOI_G_GREATER,   [FOI_TERM_GREATER_EQUAL] = FOI_G_GREATER_EQUAL,
    [FOI_TERM_ABS] = FOI_G_ABS,           [FOI_TERM_ACOS] = FOI_G_ACOS,
    [FOI_TERM_ASIN] = FOI_G_ASIN,         [FOI_TERM_ATAN] = FOI_G_ATAN,
    [FOI_TERM_ATAN2] = FOI_G_ATAN2,       [FOI_TERM_COS] = FOI_G_COS,
    [FOI_TERM_COSH] = FOI_G_COSH,         [FOI_TERM_EXP] = FOI_G_EXP,
    [FOI_TERM_LOG] = FOI_G_LOG,           [FOI_TERM_LOG10] = FOI_G_LOG10,
    [FOI_TERM_MAX] = FOI_G_MAX,           [FOI_TERM_MIN] = FOI_G_MIN,
    [FOI_TERM_SIGN] = FOI_G_SIGN,         [FOI_TERM_SIN] = FOI_G_SIN,
    [FOI_TERM_SINH] = FOI_G_SINH,         [FOI_TERM_SQRT] = FOI_G_SQRT,
    [FOI_TERM_TAN] = FOI_G_TAN,           [FOI_TERM_TANH] = FOI_G_TANH,
};

static bool make_room(foi_reducer *q, size_t signal_count, const fo_allocator *a)
{
    size_t terms = q->inner.count + 1;
    q->uses = foi_new(a, signal_count + 1, sizeof *q->uses);
    q->places = foi_new(a, signal_count + 1, sizeof *q->places);
    q->bounds = foi_new(a, 1, sizeof *q->bounds);
    if (!q->uses || !q->places || !q->bounds) return false;
    q->bounds->list = foi_new(a, terms, sizeof *q->bounds->list);
    q->bounds->constants = foi_new(a, terms, sizeof *q->bounds->constants);
    q->bounds->results = foi_new(a, 1, sizeof *q->bounds->results);
    return q->bounds->list && q->bounds->constants && q->bounds->results;
}

void foi_reducer_destroy(foi_reducer *q, const fo_allocator *a)
{
    foi_arithmetic_destroy(&q->inner, a);
    foi_free(a, q->uses);
    foi_free(a, q->places);
    if (q->bounds) {
        foi_free(a, q->bounds->list);
        foi_free(a, q->bounds->constants);
        foi_free(a, q->bounds->results);
    }
    foi_free(a, q->bounds);
    q->uses = NULL, q->places = NULL, q->bounds = NULL;
}

// The register of a signal, among those that are given.
static uint32_t use(foi_reducer *q, const fo_reference *signals, size_t index)
{
    size_t i = 0;
    while (i < q->use_count && q->places[i] != index) i++;
    if (i == q->use_count) q->uses[i] = signals[index], q->places[q->use_count++] = index;
    return (uint32_t)i;
}

static void put(foi_code *code, foi_op op, uint32_t a, uint32_t b)
{
    code->list[code->count] =
        (foi_instruction){.op = (uint16_t)op, .to = code->registers++, .a = a, .b = b};
    code->count++;
}

fo_status foi_reducer_bounds_make(foi_reducer *q, const fo_reference *signals, size_t signal_count,
                                  const fo_allocator *allocator, fo_message *why)
{
    uint32_t stack[FOI_ARITHMETIC_STACK + 1], *end = stack;
    if (!make_room(q, signal_count, allocator))
        return fo_fail(why, FO_ERROR_MEMORY, "no memory for measures");
    foi_code *code = q->bounds;
    for (size_t i = 0; i < q->inner.count; i++) {
        const foi_term *t = &q->inner.terms[i];
        if (t->op == FOI_TERM_NAME) use(q, signals, t->index);
        if (t->op == FOI_TERM_NUMBER) code->constants[code->constant_count++] = t->number;
    }
    code->constant_at = (uint32_t)q->use_count;
    code->registers = code->constant_at + code->constant_count;
    uint32_t constant = code->constant_at;
    for (size_t i = 0; i < q->inner.count; i++) {
        const foi_term *t = &q->inner.terms[i];
        int arguments = foi_term_arguments(t->op);
        if (!arguments) {
            *end++ = t->op == FOI_TERM_NAME ? use(q, signals, t->index) : constant++;
            continue;
        }
        end -= arguments;
        uint32_t a = end[0], b = arguments > 1 ? end[1] : a;
        bool square = t->op == FOI_TERM_POWER && q->inner.terms[i - 1].op == FOI_TERM_NUMBER &&
                      q->inner.terms[i - 1].number == 2;
        *end++ = code->registers;
        put(code, square ? FOI_G_MULTIPLY : ops[t->op], a, square ? a : b);
    }
    code->results[0] = end[-1], code->result_count = 1;
    if (q->kind != FOI_REDUCE_RMS) return FO_OK;
    code->results[0] = code->registers;
    put(code, FOI_G_MULTIPLY, end[-1], end[-1]);
    return FO_OK;
}

size_t foi_reducer_bounds_size(const foi_reducer *q)
{
    return q->bounds ? q->bounds->registers * sizeof(foi_enclosed) : 0;
}

bool foi_reducer_bounds(const foi_reducer *q, const foi_span *spans, double width, void *registers,
                        foi_span *result)
{
    foi_enclosed *at = registers, y;
    for (size_t i = 0; i < q->use_count; i++) {
        const foi_span *s = &spans[i];
        at[i] = foi_enclosed_constant(s->lo);
        if (s->lo == s->hi && s->slope_lo == 0 && s->slope_hi == 0) continue;
        at[i].range = at[i].mid = (foi_interval){s->lo, s->hi};
        at[i].slope = (foi_interval){s->slope_lo, s->slope_hi};
        at[i].error = s->hi - s->lo, at[i].nature = s->nature;
    }
    foi_code_enclose(q->bounds, at, width, &y);
    *result = (foi_span){y.range.lo, y.range.hi, y.slope.lo, y.slope.hi, y.nature};
    return !(y.nature & FO_NOT_ENCLOSED);
}
