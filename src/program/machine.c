/// The bytecode machine.
#include <string.h>

#include "program/code.h"

void foi_code_constants(const foi_code *code, double *r)
{
    if (code->constant_count)
        memcpy(r + code->constant_at, code->constants, code->constant_count * sizeof *r);
}

// With the operation a constant, foi_op_apply is that operation alone. Where the compiler has
// labels as values every operation jumps to the next one by itself, so that the processor learns
// the sequence; elsewhere there is one switch.
#if defined(__GNUC__) && !defined(__wasm__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

static void run_line(const foi_instruction *x, const foi_instruction *end, double *r)
{
    static const void *const go[FOI_G_COUNT] = {
#define FOI_OPS_LABEL(name, arity, text) [FOI_G_##name] = &&do_##name,
        FOI_OPS(FOI_OPS_LABEL)
#undef FOI_OPS_LABEL
    };
    if (x == end) return;
    goto *go[x->op];
#define FOI_OPS_STEP(name, arity, text)                                           \
    do_##name : r[x->to] = foi_op_apply(FOI_G_##name, r[x->a], r[x->b], r[x->c]); \
    if (++x == end) return;                                                       \
    goto *go[x->op];
    FOI_OPS(FOI_OPS_STEP)
#undef FOI_OPS_STEP
}

#pragma GCC diagnostic pop
#else

static void run_line(const foi_instruction *x, const foi_instruction *end, double *r)
{
    for (; x < end; x++) {
        switch (x->op) {
#define FOI_OPS_CASE(name, arity, text)                                   \
    case FOI_G_##name:                                                    \
        r[x->to] = foi_op_apply(FOI_G_##name, r[x->a], r[x->b], r[x->c]); \
        break;
            FOI_OPS(FOI_OPS_CASE)
#undef FOI_OPS_CASE
        default: break;
        }
    }
}

#endif

/// A loop of a code, for foi_newton.
typedef struct loop_lines {
    const foi_code *code;
    const foi_loop_code *loop;
} loop_lines;

static void run_loop(void *self, double *r)
{
    const loop_lines *l = self;
    run_line(l->code->list + l->loop->begin, l->code->list + l->loop->end, r);
}

fo_status foi_code_solve(const foi_code *code, uint32_t loop, foi_run *run, foi_loop_function *f)
{
    const foi_loop_code *l = &code->loops[loop];
    fo_status status = foi_newton(l, run->r, run->guesses, run->work, f, NULL);
    if (status != FO_OK) run->failed = l->name;
    return status;
}

static void give_results(const foi_code *code, const foi_run *run)
{
    for (uint32_t i = 0; i < code->result_count; i++) run->y[i] = run->r[code->results[i]];
}

fo_status foi_code_run(const foi_code *code, foi_run *run)
{
    const foi_instruction *x = code->list, *end = code->list + code->count;
    foi_code_constants(code, run->r);
    if (!code->loop_count) {
        run_line(x, end, run->r);
        give_results(code, run);
        return FO_OK;
    }
    while (x < end) {
        const foi_instruction *stop = x;
        while (stop < end && stop->op != FOI_I_SOLVE) stop++;
        run_line(x, stop, run->r);
        if (stop == end) break;
        loop_lines lines = {code, &code->loops[stop->a]};
        fo_status status =
            foi_newton(lines.loop, run->r, run->guesses, run->work, run_loop, &lines);
        if (status != FO_OK) {
            run->failed = lines.loop->name;
            return status;
        }
        x = stop + 1;
    }
    give_results(code, run);
    return FO_OK;
}
