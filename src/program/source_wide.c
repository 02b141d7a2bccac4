/// Codes with arrays as C: a wide instruction is a loop, and wide instructions that follow each
/// other and need each other in the same lane only are one loop:
///
///     for (int i = 0; i < 98; i++) {
///         double v3 = x[i] - (2.0 * x[1 + i]);
///         double v4 = (v3 + x[2 + i]) * r[101];
///         y[1 + i] = v4;
///     }
#include "program/loops.h"
#include "program/source.h"

enum { LOOSE_LANES = 2 };

typedef struct writer {
    foi_source *s;
    const foi_code *code;
    foi_loops loops;
    bool *lanes;              ///< per register: it is one of many, made or used as such
    const foi_instruction *x; ///< the instruction in work
    uint32_t lane;            ///< its lane; FOI_NOTHING: i
} writer;

static void find_lanes(writer *w)
{
    for (uint32_t i = 0; i < w->code->packed_count; i++) {
        const foi_instruction *x = &w->code->packed[i];
        for (uint32_t k = 0; k < foi_instruction_arity(foi_op_of(x)); k++)
            for (uint32_t n = 0; foi_goes(x, k) && n < x->count; n++)
                w->lanes[foi_operand_of(x, k) + n] = true;
        for (uint32_t n = 0; n < x->count; n++) w->lanes[x->to + n] = foi_is_wide(x);
    }
}

// --------------------------------------------------------------------------------------- one lane

// What is no lane is a local variable.
static void put_register(writer *w, uint32_t r)
{
    if (w->loops.maker[r] != FOI_NOTHING && !w->lanes[r])
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
    } else if (foi_loops_has(&w->loops, w->loops.maker[r])) {
        foi_flat_write(w->s->out, "v%u", w->loops.maker[r]);
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
    if (w->loops.result[i] == FOI_NOTHING) return;
    foi_flat_write(w->s->out, "    y[%u] = ", w->loops.result[i] + lane);
    put_register(w, x->to + lane);
    foi_flat_write(w->s->out, ";\n");
}

// ------------------------------------------------------------------------------------------- loops

static void put_loop(writer *w)
{
    foi_flat_writer *out = w->s->out;
    const foi_instruction *list = w->code->packed;
    foi_loops *l = &w->loops;
    if (l->begin == l->end) return;
    l->count &= ~1u; // compilers make vectors of two where none is left over
    for (uint32_t i = l->begin; i < l->end; i++)
        for (uint32_t n = l->count; n < list[i].count && foi_is_wide(&list[i]); n++)
            put_single(w, i, n);
    foi_flat_write(out, "#pragma GCC unroll 4\n    for (int i = 0; i < %u; i++) {\n", l->count);
    for (uint32_t i = l->begin; i < l->end; i++) {
        if (!foi_is_wide(&list[i])) continue;
        foi_flat_write(out, "        double v%u = ", i);
        put_operation(w, &list[i], FOI_NOTHING);
        if (foi_loops_needs(l, i, l->count))
            foi_flat_write(out, "        r[%u + i] = v%u;\n", list[i].to, i);
        if (w->loops.result[i] != FOI_NOTHING)
            foi_flat_write(out, "        y[%u + i] = v%u;\n", w->loops.result[i], i);
    }
    foi_flat_write(out, "    }\n");
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
        if (foi_loops_ends(&w->loops, i, false)) {
            put_loop(w);
            foi_loops_empty(&w->loops, i);
        }
        if (!foi_is_wide(&list[i])) put_single(w, i, 0);
        foi_loops_add(&w->loops, i);
    }
    put_loop(w);
    for (uint32_t j = 0; j < w->code->result_count; j++) {
        if (!w->loops.loose[j]) continue;
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
    w.lanes = foi_new(a, code->packed_registers, sizeof *w.lanes);
    bool good = foi_loops_begin(&w.loops, a, code, LOOSE_LANES) && w.lanes;
    s->locals = false;
    if (good) {
        find_lanes(&w);
        put_all(&w);
    }
    foi_loops_end(&w.loops);
    foi_free(a, w.lanes);
    return good;
}
