/// The bytecode machine.
#include <string.h>

#include "math/vector.h"
#include "program/code.h"

#define INLINE static inline __attribute__((always_inline))

void foi_code_constants(const foi_code *code, double *r)
{
    for (uint32_t i = 0; i < code->constant_count; i++)
        r[code->constant_at + i] = code->constants[i];
}

// -------------------------------------------------------------------------------- the operations

// With the operation a constant, these are that operation alone.

INLINE double pair(foi_op first, foi_op second, bool from, double a, double b, double c)
{
    double d = foi_op_apply(first, a, b, 0);
    return from ? foi_op_apply(second, c, d, 0) : foi_op_apply(second, d, c, 0);
}

/// Two neighbouring lanes; arithmetic on it is that of two doubles.
typedef double two __attribute__((vector_size(16), aligned(8), may_alias));

INLINE two simple_two(foi_op op, two a, two b)
{
    switch (op) {
    case FOI_G_ADD: return a + b;
    case FOI_G_SUBTRACT: return a - b;
    case FOI_G_MULTIPLY: return a * b;
    default: return a / b;
    }
}

INLINE two get_two(const double *r, bool lanes, uint32_t i)
{
    return lanes ? *(const two *)(r + i) : (two){*r, *r};
}

// `second` is FOI_G_COUNT where there is one operation only.
INLINE void lanes_of(foi_op first, foi_op second, bool from, uint32_t lanes,
                     const foi_instruction *x, double *r)
{
    double *to = r + x->to;
    const double *a = r + x->a, *b = r + x->b, *c = r + x->c;
    bool go_a = lanes & FOI_LANES_A, go_b = lanes & FOI_LANES_B, go_c = lanes & FOI_LANES_C;
    uint32_t i = 0;
    for (; i + 2 <= x->count; i += 2) {
        two d = simple_two(first, get_two(a, go_a, i), get_two(b, go_b, i));
        if (second != FOI_G_COUNT) {
            two e = get_two(c, go_c, i);
            d = from ? simple_two(second, e, d) : simple_two(second, d, e);
        }
        *(two *)(to + i) = d;
    }
    if (i == x->count) return;
    double d = foi_op_apply(first, a[go_a ? i : 0], b[go_b ? i : 0], 0);
    if (second != FOI_G_COUNT) {
        double e = c[go_c ? i : 0];
        d = from ? foi_op_apply(second, e, d, 0) : foi_op_apply(second, d, e, 0);
    }
    to[i] = d;
}

INLINE void simple_lanes(foi_op first, foi_op second, bool from, const foi_instruction *x,
                         double *r)
{
#ifdef FOI_SMALL // which operands go along is looked at lane by lane
    lanes_of(first, second, from, x->lanes, x, r);
#else
#define LANES(n)                                \
    case n:                                     \
        lanes_of(first, second, from, n, x, r); \
        break
    switch (x->lanes & (second == FOI_G_COUNT ? 3 : 7)) {
        LANES(1);
        LANES(2);
        LANES(3);
        LANES(4);
        LANES(5);
        LANES(6);
        LANES(7);
    }
#undef LANES
#endif
}

INLINE void any_lanes(foi_op op, const foi_instruction *x, double *r)
{
    double *to = r + x->to;
    const double *a = r + x->a, *b = r + x->b, *c = r + x->c;
    uint32_t go_a = x->lanes & 1, go_b = x->lanes >> 1 & 1, go_c = x->lanes >> 2 & 1;
    for (uint32_t i = 0; i < x->count; i++)
        to[i] = foi_op_apply(op, a[i * go_a], b[i * go_b], c[i * go_c]);
}

// The functions that have vectors of their own, with the same bits. True when that was it.
INLINE bool many_lanes(foi_op op, const foi_instruction *x, double *r)
{
    double *to = r + x->to;
    const double *a = r + x->a, *b = r + x->b;
    if (!(x->lanes & FOI_LANES_A)) return false;
    switch (op) {
    case FOI_G_EXP: foi_exp_many(a, to, x->count); return true;
    case FOI_G_LOG: foi_log_many(a, to, x->count); return true;
    case FOI_G_SIN: foi_sin_many(a, to, x->count); return true;
    case FOI_G_COS: foi_cos_many(a, to, x->count); return true;
    case FOI_G_POWER:
        if (!(x->lanes & FOI_LANES_B)) return false;
        foi_pow_many(a, b, to, x->count);
        return true;
    default: return false;
    }
}

// A function each, so that the machine's loop stays small.
#define FOI_OPS_LANES(name, arity, text)                                                    \
    static __attribute__((noinline)) void lanes_##name(const foi_instruction *x, double *r) \
    {                                                                                       \
        if (FOI_G_##name == FOI_G_ADD || FOI_G_##name == FOI_G_SUBTRACT ||                  \
            FOI_G_##name == FOI_G_MULTIPLY || FOI_G_##name == FOI_G_DIVIDE)                 \
            simple_lanes(FOI_G_##name, FOI_G_COUNT, false, x, r);                           \
        else if (!many_lanes(FOI_G_##name, x, r))                                           \
            any_lanes(FOI_G_##name, x, r);                                                  \
    }
FOI_OPS(FOI_OPS_LANES)

enum { FOI_G_FROM = FOI_G_COUNT + 1 };
#define SECOND(two) ((int)FOI_G_##two == (int)FOI_G_FROM ? FOI_G_SUBTRACT : (foi_op)FOI_G_##two)
#define FOI_PAIRS_LANES(name, one, two, text)                                               \
    static __attribute__((noinline)) void lanes_##name(const foi_instruction *x, double *r) \
    {                                                                                       \
        simple_lanes(FOI_G_##one, SECOND(two), (int)FOI_G_##two == (int)FOI_G_FROM, x, r);  \
    }
FOI_PAIRS(FOI_PAIRS_LANES)

// ----------------------------------------------------------------------------------- the machine

#define PAIR(one, two) \
    pair(FOI_G_##one, SECOND(two), (int)FOI_G_##two == (int)FOI_G_FROM, r[x->a], r[x->b], r[x->c])

// Runs to the end of the line, or to where a loop has to be solved. Where the compiler has labels
// as values every operation jumps to the next one by itself, so that the processor learns the
// sequence; elsewhere there is one switch.
#if defined(__GNUC__) && !defined(__wasm__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

static const foi_instruction *run_line(const foi_instruction *x, double *r)
{
    static const void *const go[FOI_I_WIDE + FOI_I_COUNT] = {[FOI_I_SOLVE] = &&stop,
                                                             [FOI_I_END] = &&stop,
#define FOI_OPS_LABEL(name, arity, text) \
    [FOI_G_##name] = &&do_##name, [FOI_G_##name + FOI_I_WIDE] = &&wide_##name,
                                                             FOI_OPS(FOI_OPS_LABEL)
#undef FOI_OPS_LABEL
#define FOI_PAIRS_LABEL(name, one, two, text) \
    [FOI_I_##name] = &&do_##name, [FOI_I_##name + FOI_I_WIDE] = &&wide_##name,
                                                                 FOI_PAIRS(FOI_PAIRS_LABEL)
#undef FOI_PAIRS_LABEL
    };
#define NEXT \
    x++;     \
    goto *go[x->op];
    goto *go[x->op];
#define FOI_OPS_STEP(name, arity, text)                                           \
    do_##name : r[x->to] = foi_op_apply(FOI_G_##name, r[x->a], r[x->b], r[x->c]); \
    NEXT wide_##name : lanes_##name(x, r);                                        \
    NEXT
    FOI_OPS(FOI_OPS_STEP)
#undef FOI_OPS_STEP
#define FOI_PAIRS_STEP(name, one, two, text) \
    do_##name : r[x->to] = PAIR(one, two);   \
    NEXT wide_##name : lanes_##name(x, r);   \
    NEXT
    FOI_PAIRS(FOI_PAIRS_STEP)
#undef FOI_PAIRS_STEP
#undef NEXT
stop:
    return x;
}

#pragma GCC diagnostic pop
#else

static const foi_instruction *run_line(const foi_instruction *x, double *r)
{
    for (;; x++) {
        switch (x->op) {
#define FOI_OPS_CASE(name, arity, text)                                                         \
    case FOI_G_##name: r[x->to] = foi_op_apply(FOI_G_##name, r[x->a], r[x->b], r[x->c]); break; \
    case FOI_G_##name + FOI_I_WIDE:                                                             \
        lanes_##name(x, r);                                                                     \
        break;
            FOI_OPS(FOI_OPS_CASE)
#undef FOI_OPS_CASE
#define FOI_PAIRS_CASE(name, one, two, text)             \
    case FOI_I_##name: r[x->to] = PAIR(one, two); break; \
    case FOI_I_##name + FOI_I_WIDE:                      \
        lanes_##name(x, r);                              \
        break;
            FOI_PAIRS(FOI_PAIRS_CASE)
#undef FOI_PAIRS_CASE
        default: return x;
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
    run_line(l->code->list + l->loop->begin, r);
}

// Compiled code has its constants as literals. What reads registers instead must find them there:
// an entry of the Jacobian can be a constant, and the same registers are used by other tasks.
fo_status foi_code_solve(const foi_code *code, uint32_t loop, foi_run *run, foi_loop_function *f)
{
    foi_code_constants(code, run->r);
    return foi_newton(code, &code->loops[loop], run, f, NULL);
}

fo_status foi_code_run(const foi_code *code, foi_run *run)
{
    double *r = run->r;
    foi_code_constants(code, r);
    for (const foi_instruction *x = code->packed;; x++) {
        x = run_line(x, r);
        if (x->op == FOI_I_END) break;
        loop_lines lines = {code, &code->loops[x->a]};
        fo_status status = foi_newton(code, lines.loop, run, run_loop, &lines);
        if (status != FO_OK) return status;
    }
    for (uint32_t i = 0; i < code->result_count; i++) run->y[i] = r[code->packed_results[i]];
    return FO_OK;
}
