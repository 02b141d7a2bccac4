/// Random programs, and whether two ways to run them give the same bits. Without the frame of the
/// tests: it is also compiled for WebAssembly.
#ifndef FOLIOT_TEST_EMIT_RANDOM_H
#define FOLIOT_TEST_EMIT_RANDOM_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/emit.h"

typedef struct emit_random {
    uint64_t state;
} emit_random;

static inline uint64_t emit_next(emit_random *r)
{
    uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static inline uint32_t emit_below(emit_random *r, uint32_t n)
{
    return (uint32_t)(emit_next(r) >> 33) % n;
}

/// Zeros, infinities, what is not a number, subnormal ones, and ordinary numbers of all sizes.
static inline double emit_number(emit_random *r)
{
    static const double special[] = {
        0.0,       -0.0,       INFINITY,    -INFINITY, NAN,
        0x1p-1074, -0x1p-1074, 0x1.8p-1030, 0x1p-1022, 0x1.fffffffffffffp1023,
        -1e308,    1,          -1,          0.5,       2,
        3,         -2.5,       0x1p52,      -0x1p53,   0.49999999999999994,
        1e-300,    1e300};
    if (emit_below(r, 4) == 0) return special[emit_below(r, sizeof special / sizeof *special)];
    double x = (double)(int64_t)(emit_next(r) >> 11) * 0x1p-52 - 1;
    return emit_below(r, 3) ? 4 * x : ldexp(x, (int)emit_below(r, 60) - 30);
}

/// How a random program is made.
typedef struct emit_shape {
    uint32_t states, discretes, results, operations;
    bool plain;     ///< operations that need no call
    uint32_t lanes; ///< > 0: arrays of that many, with neighbours
} emit_shape;

static inline foi_op emit_op(emit_random *r, const emit_shape *shape)
{
    for (;;) {
        foi_op op = (foi_op)(FOI_G_LEAF + 1 + emit_below(r, FOI_G_OUTSIDE - FOI_G_LEAF - 1));
        bool call = op == FOI_G_POWER || (op >= FOI_G_SIN && op <= FOI_G_LOG10);
        // sums and products more often than the rest
        if (emit_below(r, 3) == 0)
            op = (foi_op)(FOI_G_ADD + emit_below(r, 4));
        else if (call && shape->plain)
            continue;
        return op;
    }
}

/// One expression in which every lane has its own leaves: the same for all lanes.
static inline foi_node emit_lane(foi_graph *g, emit_random r, const emit_shape *shape,
                                 uint32_t lane)
{
    foi_node made[64];
    uint32_t n = 0;
    made[n++] = foi_leaf_of(g, FOI_LEAF_STATE, lane);
    made[n++] = foi_leaf_of(g, FOI_LEAF_STATE, (lane + 1) % shape->states);
    made[n++] = foi_leaf_of(g, FOI_LEAF_DISCRETE, emit_below(&r, shape->discretes));
    made[n++] = foi_leaf_of(g, FOI_LEAF_DISCRETE, lane % shape->discretes);
    made[n++] = foi_constant(g, emit_number(&r));
    made[n++] = foi_constant(g, 0.25 + 0.125 * lane);
    while (n < 6 + shape->operations && n < 64) {
        foi_op op = emit_op(&r, shape);
        foi_node a = made[n - 1 - emit_below(&r, 2)], b = made[emit_below(&r, n)];
        foi_node c = made[emit_below(&r, n)];
        made[n++] = emit_below(&r, 2) ? foi_make(g, op, a, b, c) : foi_make(g, op, b, a, c);
    }
    return made[n - 1];
}

static inline foi_node emit_any(foi_graph *g, emit_random *r, foi_node *made, uint32_t n)
{
    // near ones often, far ones sometimes: both short and long ranges
    if (n > 8 && emit_below(r, 2)) return made[n - 1 - emit_below(r, 8)];
    if (emit_below(r, 12) == 0) return foi_constant(g, emit_number(r));
    return made[emit_below(r, n)];
}

/// NULL without memory.
static inline foi_program *emit_program(uint64_t seed, const emit_shape *shape)
{
    emit_random r = {seed};
    foi_graph g;
    fo_message why = {0};
    uint32_t leaves = 1 + shape->states + shape->discretes, n = 0;
    foi_node *made = calloc(leaves + shape->operations + 1, sizeof *made);
    foi_node *root = calloc(3 * (size_t)(shape->states + shape->results) + 3, sizeof *root);
    foi_program *program = NULL;
    if (made && root && foi_graph_begin(&g, NULL)) {
        made[n++] = foi_leaf_of(&g, FOI_LEAF_TIME, 0);
        for (uint32_t i = 0; i < shape->states; i++) made[n++] = foi_leaf_of(&g, FOI_LEAF_STATE, i);
        for (uint32_t i = 0; i < shape->discretes; i++)
            made[n++] = foi_leaf_of(&g, FOI_LEAF_DISCRETE, i);
        while (n < leaves + shape->operations && !shape->lanes) {
            foi_op op = emit_op(&r, shape);
            foi_node a = emit_any(&g, &r, made, n), b = emit_any(&g, &r, made, n);
            foi_node c = emit_any(&g, &r, made, n);
            made[n++] = foi_make(&g, op, a, b, c);
        }
        foi_node *guard = root + shape->states, *output = guard + shape->results;
        for (uint32_t i = 0; i < shape->states; i++)
            root[i] = shape->lanes ? emit_lane(&g, r, shape, i) : made[n - 1 - i % n];
        emit_next(&r);
        for (uint32_t i = 0; i < shape->results; i++) {
            guard[i] = made[emit_below(&r, n)];
            output[i] =
                shape->lanes ? emit_lane(&g, r, shape, i % shape->states) : made[emit_below(&r, n)];
        }
        foi_flow_def def = {.name = "random",
                            .graph = &g,
                            .states = shape->states,
                            .discretes = shape->discretes,
                            .guards = shape->results,
                            .outputs = shape->results,
                            .rate = root,
                            .guard = guard,
                            .output = output};
        program = foi_program_create_flow(&def, &why);
        foi_graph_end(&g);
    }
    free(made);
    free(root);
    return program;
}

static inline bool emit_same(double a, double b)
{
    return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0;
}

/// Results of all tasks in the bytecode machine and in `n`, for `points` random inputs. How many
/// differ; the first one is printed. *compared counts.
static inline long emit_differences(const foi_program *g, const foi_native *n, uint64_t seed,
                                    int points, long *compared)
{
    emit_random random = {seed};
    long wrong = 0;
    size_t most = 1;
    for (int task = 0; task < FOI_TASKS; task++)
        if (g->codes[task].result_count > most) most = g->codes[task].result_count;
    double *r = calloc((size_t)g->registers + 1, sizeof *r), *x = calloc(most + 1000, sizeof *x);
    double *y = calloc(most, sizeof *y), *z = calloc(most + 4, sizeof *z);
    for (int point = 0; point < points && r && x && y && z; point++) {
        for (int task = 0; task < FOI_TASKS; task++) {
            const foi_code *code = &g->codes[task];
            if (!n->functions->run[task] || code->loop_count) continue;
            const foi_layout *l = &g->layout;
            for (uint32_t i = 0; i < g->registers; i++) r[i] = emit_number(&random);
            memcpy(x, r + l->at[FOI_LEAF_STATE], l->count[FOI_LEAF_STATE] * sizeof *x);
            foi_run run = {.r = r, .x = x, .y = y};
            foi_code_run(code, &run);
            // what is no input may be anything; nothing is written behind the results
            for (uint32_t i = l->total; i < g->registers; i++) r[i] = NAN;
            for (size_t i = 0; i < most + 4; i++) z[i] = 12345;
            run.y = z;
            n->functions->run[task](code, &run);
            for (uint32_t i = 0; i < code->result_count; i++) {
                ++*compared;
                if (emit_same(y[i], z[i])) continue;
                if (!wrong++)
                    printf("task %d, result %u: %a in bytecode, %a here\n", task, i, y[i], z[i]);
            }
            if (z[code->result_count] != 12345) wrong++;
        }
    }
    free(r), free(x), free(y), free(z);
    return wrong;
}

#endif
