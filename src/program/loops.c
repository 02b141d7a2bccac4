#include "program/loops.h"

static void find_uses(foi_loops *l)
{
    const foi_code *code = l->code;
    for (uint32_t r = 0; r < code->packed_registers; r++) l->maker[r] = FOI_NOTHING;
    for (uint32_t i = 0; i < code->packed_count; i++) {
        const foi_instruction *x = &code->packed[i];
        for (uint32_t k = 0; k < foi_instruction_arity(foi_op_of(x)); k++)
            for (uint32_t n = 0; n < (foi_goes(x, k) ? x->count : 1); n++)
                l->last[foi_operand_of(x, k) + n] = i;
        for (uint32_t n = 0; n < x->count; n++) l->maker[x->to + n] = i;
    }
}

// Results that are all the lanes of an instruction in their order are written by its loop.
static void find_results(foi_loops *l)
{
    const foi_code *code = l->code;
    for (uint32_t i = 0; i < code->packed_count; i++) l->result[i] = FOI_NOTHING;
    for (uint32_t j = 0; j < code->result_count;) {
        uint32_t r = code->packed_results[j], maker = l->maker[r], n = 1;
        const foi_instruction *x = maker == FOI_NOTHING ? NULL : &code->packed[maker];
        bool first = x && x->to == r && l->result[maker] == FOI_NOTHING;
        while (first && n < x->count && j + n < code->result_count &&
               code->packed_results[j + n] == r + n)
            n++;
        if (first && n == x->count) {
            l->result[maker] = j;
        } else {
            n = 1, l->loose[j] = true;
            if (x) l->kept[maker] = true;
        }
        j += n;
    }
}

bool foi_loops_begin(foi_loops *l, const fo_allocator *allocator, const foi_code *code,
                     uint32_t loose_lanes)
{
    *l = (foi_loops){.allocator = allocator, .code = code, .loose_lanes = loose_lanes};
    l->maker = foi_new(allocator, code->packed_registers, sizeof *l->maker);
    l->last = foi_new(allocator, code->packed_registers, sizeof *l->last);
    l->result = foi_new(allocator, code->packed_count, sizeof *l->result);
    l->kept = foi_new(allocator, code->packed_count, sizeof *l->kept);
    l->loose = foi_new(allocator, code->result_count, sizeof *l->loose);
    if (!l->maker || !l->last || !l->result || !l->kept || !l->loose) return false;
    find_uses(l);
    find_results(l);
    return true;
}

void foi_loops_end(foi_loops *l)
{
    foi_free(l->allocator, l->maker);
    foi_free(l->allocator, l->last);
    foi_free(l->allocator, l->result);
    foi_free(l->allocator, l->kept);
    foi_free(l->allocator, l->loose);
}

bool foi_loops_has(const foi_loops *l, uint32_t instruction)
{
    return instruction != FOI_NOTHING && instruction >= l->begin && instruction < l->end &&
           foi_is_wide(&l->code->packed[instruction]);
}

bool foi_loops_needs(const foi_loops *l, uint32_t i, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        if (l->last[l->code->packed[i].to + n] >= l->end) return true;
    return l->kept[i];
}

// Whether an instruction needs nothing of the loop, or only what is in its own lane.
static bool fits(const foi_loops *l, const foi_instruction *x)
{
    for (uint32_t k = 0; k < foi_instruction_arity(foi_op_of(x)); k++) {
        uint32_t r = foi_operand_of(x, k);
        for (uint32_t n = 0; n < (foi_goes(x, k) ? x->count : 1); n++) {
            uint32_t maker = l->maker[r + n];
            if (!foi_loops_has(l, maker)) continue;
            if (!foi_goes(x, k) || l->code->packed[maker].to != r) return false;
        }
    }
    return true;
}

static bool same_length(const foi_loops *l, const foi_instruction *x)
{
    uint32_t a = x->count, b = l->count;
    return (a <= b ? b - a : a - b) <= l->loose_lanes;
}

bool foi_loops_ends(foi_loops *l, uint32_t i, bool alone)
{
    const foi_instruction *x = &l->code->packed[i];
    if (l->begin == l->end) return false;
    l->end = i;
    return alone || !fits(l, x) || (foi_is_wide(x) && !same_length(l, x));
}

void foi_loops_empty(foi_loops *l, uint32_t i)
{
    l->begin = l->end = i;
}

void foi_loops_add(foi_loops *l, uint32_t i)
{
    const foi_instruction *x = &l->code->packed[i];
    bool open = l->begin != l->end;
    if (!foi_is_wide(x)) {
        if (!open) l->begin = i + 1;
    } else if (!open) {
        l->begin = i, l->count = x->count;
    } else if (x->count < l->count) {
        l->count = x->count;
    }
    l->end = i + 1;
}
