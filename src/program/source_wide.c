/// Codes with arrays as C: a wide instruction is a loop, and wide instructions that follow each
/// other and need each other in the same lane only are one loop:
///
///     for (int i = 0; i < 98; i++) {
///         double v3 = x[i] - (2.0 * x[1 + i]);
///         double v4 = (v3 + x[2 + i]) * r[101];
///         y[1 + i] = v4;
///     }
#include "program/source.h"

enum { MOST_LOOSE = 2 }; ///< lanes that an instruction may have beyond those of its loop

typedef struct writer {
    foi_source *s;
    const foi_code *code;
    uint32_t *maker;  ///< per register: the instruction that makes it, FOI_NOTHING
    uint32_t *last;   ///< per register: the last instruction that uses it
    uint32_t *result; ///< per instruction: the result that its first lane is, FOI_NOTHING: none
    bool *kept;       ///< per instruction: some lanes are results one by one
    bool *loose;      ///< per result: written after all
    bool *lanes;      ///< per register: it is one of many, made or used as such
    uint32_t begin, end, count; ///< the loop in work, and its lanes
    const foi_instruction *x;   ///< the instruction in work
    uint32_t lane;              ///< its lane; FOI_NOTHING: i
} writer;

// ------------------------------------------------------------------------------------ what is used

static void find_uses(writer *w)
{
    const foi_code *code = w->code;
    for (uint32_t r = 0; r < code->packed_registers; r++) w->maker[r] = FOI_NOTHING;
    for (uint32_t i = 0; i < code->packed_count; i++) {
        const foi_instruction *x = &code->packed[i];
        for (uint32_t k = 0; k < foi_instruction_arity(foi_op_of(x)); k++)
            for (uint32_t n = 0; n < (foi_goes(x, k) ? x->count : 1); n++)
                w->last[foi_operand_of(x, k) + n] = i,
                                               w->lanes[foi_operand_of(x, k) + n] |= foi_goes(x, k);
        for (uint32_t n = 0; n < x->count; n++)
            w->maker[x->to + n] = i, w->lanes[x->to + n] = foi_is_wide(x);
    }
}

// Results that are all the lanes of an instruction in their order can be written by its loop.
static void find_results(writer *w)
{
    const foi_code *code = w->code;
    for (uint32_t i = 0; i < code->packed_count; i++) w->result[i] = FOI_NOTHING;
    for (uint32_t j = 0; j < code->result_count;) {
        uint32_t r = code->packed_results[j], maker = w->maker[r], n = 1;
        const foi_instruction *x = maker == FOI_NOTHING ? NULL : &code->packed[maker];
        bool first = x && x->to == r && w->result[maker] == FOI_NOTHING;
        while (first && n < x->count && j + n < code->result_count &&
               code->packed_results[j + n] == r + n)
            n++;
        if (first && n == x->count) {
            w->result[maker] = j;
        } else {
            n = 1, w->loose[j] = true;
            if (x) w->kept[maker] = true;
        }
        j += n;
    }
}

// --------------------------------------------------------------------------------------- one lane

static bool in_loop(const writer *w, uint32_t maker)
{
    return maker != FOI_NOTHING && maker >= w->begin && maker < w->end &&
           foi_is_wide(&w->code->packed[maker]);
}

// What is no lane is a local variable.
static void put_register(writer *w, uint32_t r)
{
    if (w->maker[r] != FOI_NOTHING && !w->lanes[r])
        foi_flat_write(w->s->out, "r%u", r);
    else
        foi_source_operand(w->s, r);
}

static void put_operand(void *self, uint32_t k)
{
    writer *w = self;
    const foi_layout *l = &w->s->g->layout;
    uint32_t r = foi_operand_of(w->x, k);
    if (!foi_goes(w->x, k)) {
        put_register(w, r);
    } else if (w->lane != FOI_NOTHING) {
        put_register(w, r + w->lane);
    } else if (in_loop(w, w->maker[r])) {
        foi_flat_write(w->s->out, "v%u", w->maker[r]);
    } else if (r - l->at[FOI_LEAF_STATE] < l->count[FOI_LEAF_STATE]) {
        foi_flat_write(w->s->out, "x[%u + i]", r - l->at[FOI_LEAF_STATE]);
    } else if (r - w->code->constant_at < w->code->constant_count) {
        foi_flat_write(w->s->out, "c[%u + i]", r - w->code->constant_at);
    } else {
        foi_flat_write(w->s->out, "r[%u + i]", r);
    }
}

static void put_operation(writer *w, const foi_instruction *x, uint32_t lane)
{
    w->x = x, w->lane = lane;
    foi_source_operation(w->s->out, foi_op_of(x), put_operand, w);
    foi_flat_write(w->s->out, ";\n");
}

// One lane by itself, or an instruction that has but one.
static void put_single(writer *w, uint32_t i, uint32_t lane)
{
    const foi_instruction *x = &w->code->packed[i];
    foi_flat_write(w->s->out, w->lanes[x->to + lane] ? "    " : "    double ");
    put_register(w, x->to + lane);
    foi_flat_write(w->s->out, " = ");
    put_operation(w, x, foi_is_wide(x) ? lane : FOI_NOTHING);
    if (w->result[i] == FOI_NOTHING) return;
    foi_flat_write(w->s->out, "    y[%u] = ", w->result[i] + lane);
    put_register(w, x->to + lane);
    foi_flat_write(w->s->out, ";\n");
}

// ------------------------------------------------------------------------------------------- loops

// Whether something after the loop needs a lane of it.
static bool is_needed(const writer *w, uint32_t i)
{
    for (uint32_t n = 0; n < w->count; n++)
        if (w->last[w->code->packed[i].to + n] >= w->end) return true;
    return w->kept[i];
}

static void put_loop(writer *w)
{
    foi_flat_writer *out = w->s->out;
    const foi_instruction *list = w->code->packed;
    if (w->begin == w->end) return;
    w->count &= ~1u; // compilers make vectors of two where none is left over
    for (uint32_t i = w->begin; i < w->end; i++)
        for (uint32_t n = w->count; n < list[i].count && foi_is_wide(&list[i]); n++)
            put_single(w, i, n);
    foi_flat_write(out, "#pragma GCC unroll 4\n    for (int i = 0; i < %u; i++) {\n", w->count);
    for (uint32_t i = w->begin; i < w->end; i++) {
        if (!foi_is_wide(&list[i])) continue;
        foi_flat_write(out, "        double v%u = ", i);
        put_operation(w, &list[i], FOI_NOTHING);
        if (is_needed(w, i)) foi_flat_write(out, "        r[%u + i] = v%u;\n", list[i].to, i);
        if (w->result[i] != FOI_NOTHING)
            foi_flat_write(out, "        y[%u + i] = v%u;\n", w->result[i], i);
    }
    foi_flat_write(out, "    }\n");
}

// Whether instruction i needs nothing of the loop, or only what is in its own lane.
static bool fits(const writer *w, const foi_instruction *x)
{
    for (uint32_t k = 0; k < foi_instruction_arity(foi_op_of(x)); k++) {
        uint32_t r = foi_operand_of(x, k);
        for (uint32_t n = 0; n < (foi_goes(x, k) ? x->count : 1); n++) {
            uint32_t maker = w->maker[r + n];
            if (!in_loop(w, maker)) continue;
            if (!foi_goes(x, k) || w->code->packed[maker].to != r) return false;
        }
    }
    return true;
}

static bool same_length(uint32_t a, uint32_t b)
{
    return a <= b ? b - a <= MOST_LOOSE : a - b <= MOST_LOOSE;
}

// Constants that lanes go over.
static void put_constants(writer *w)
{
    const foi_code *code = w->code;
    bool any = false;
    for (uint32_t i = 0; i < code->packed_count && !any; i++)
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t r = foi_operand_of(&code->packed[i], k);
            any = any ||
                  (foi_goes(&code->packed[i], k) && r - code->constant_at < code->constant_count);
        }
    if (!any) return;
    foi_flat_write(w->s->out, "    static const double c[] = {");
    for (uint32_t i = 0; i < code->constant_count; i++) {
        foi_flat_write(w->s->out, i ? (i % 8 ? ", " : ",\n        ") : "");
        foi_source_number(w->s->out, code->constants[i]);
    }
    foi_flat_write(w->s->out, "};\n");
}

static void put_all(writer *w)
{
    put_constants(w);
    const foi_instruction *list = w->code->packed;
    for (uint32_t i = 0; i < w->code->packed_count; i++) {
        const foi_instruction *x = &list[i];
        bool wide = foi_is_wide(x), open = w->begin != w->end;
        w->end = open ? i : w->end;
        if (open && (!fits(w, x) || (wide && !same_length(x->count, w->count)))) {
            put_loop(w);
            open = false, w->begin = w->end = i;
        }
        if (!wide) {
            put_single(w, i, 0);
            if (!open) w->begin = w->end = i + 1;
        } else if (!open) {
            w->begin = i, w->count = x->count;
        } else if (x->count < w->count) {
            w->count = x->count;
        }
        if (wide || open) w->end = i + 1;
    }
    put_loop(w);
    for (uint32_t j = 0; j < w->code->result_count; j++) {
        if (!w->loose[j]) continue;
        foi_flat_write(w->s->out, "    y[%u] = ", j);
        put_register(w, w->code->packed_results[j]);
        foi_flat_write(w->s->out, ";\n");
    }
}

bool foi_source_wide(foi_source *s)
{
    const foi_code *code = s->code;
    const fo_allocator *a = s->out->allocator;
    writer w = {.s = s, .code = code};
    w.maker = foi_new(a, code->packed_registers, sizeof *w.maker);
    w.last = foi_new(a, code->packed_registers, sizeof *w.last);
    w.result = foi_new(a, code->packed_count, sizeof *w.result);
    w.kept = foi_new(a, code->packed_count, sizeof *w.kept);
    w.loose = foi_new(a, code->result_count, sizeof *w.loose);
    w.lanes = foi_new(a, code->packed_registers, sizeof *w.lanes);
    bool good = w.maker && w.last && w.result && w.kept && w.loose && w.lanes;
    s->locals = false;
    if (good) {
        find_uses(&w);
        find_results(&w);
        put_all(&w);
    }
    foi_free(a, w.maker);
    foi_free(a, w.last);
    foi_free(a, w.result);
    foi_free(a, w.kept);
    foi_free(a, w.loose);
    foi_free(a, w.lanes);
    return good;
}
