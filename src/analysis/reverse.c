#include "analysis/reverse.h"

#include <string.h>

#include "analysis/dense.h"
#include "program/partials.h"
#include "program/walk.h"

// ------------------------------------------------------------------------------------------- room

fo_status foi_reverse_create(foi_reverse *q, const foi_program *g, const fo_allocator *allocator)
{
    foi_walk_room most = foi_walk_room_of(g);
    size_t registers = most.registers, unknowns = most.unknowns;
    *q = (foi_reverse){.g = g, .allocator = allocator};
    q->r = foi_new(allocator, registers + 1, sizeof *q->r);
    q->bar = foi_new(allocator, registers + 1, sizeof *q->bar);
    q->log = foi_new(allocator, most.lines + 1, sizeof *q->log);
    q->work = foi_new(allocator, most.newton + 1, sizeof *q->work);
    q->matrix = foi_new(allocator, unknowns * unknowns + 1, sizeof *q->matrix);
    q->by = foi_new(allocator, unknowns + 1, sizeof *q->by);
    q->pivot = foi_new(allocator, unknowns + 1, sizeof *q->pivot);
    if (q->r && q->bar && q->log && q->work && q->matrix && q->by && q->pivot) return FO_OK;
    foi_reverse_destroy(q);
    return FO_ERROR_MEMORY;
}

void foi_reverse_destroy(foi_reverse *q)
{
    foi_free(q->allocator, q->r);
    foi_free(q->allocator, q->bar);
    foi_free(q->allocator, q->log);
    foi_free(q->allocator, q->work);
    foi_free(q->allocator, q->matrix);
    foi_free(q->allocator, q->by);
    foi_free(q->allocator, q->pivot);
    *q = (foi_reverse){0};
}

// ----------------------------------------------------------------------------------------- forward

static void run_line(foi_reverse *q, const foi_instruction *x)
{
    double v = foi_op_any((foi_op)x->op, q->r[x->a], q->r[x->b], q->r[x->c]);
    q->log[q->logged++] = (foi_logged){q->r[x->a], q->r[x->b], v};
    q->r[x->to] = v;
}

static fo_status solve(foi_reverse *q, const foi_code *code, foi_run *run, uint32_t which)
{
    foi_loop_lines l = {code, &code->loops[which]};
    fo_status status = foi_newton(code, l.loop, run, foi_loop_lines_run, &l);
    if (l.loop->about->helps) return FO_OK; // it only says where another one begins
    for (uint32_t i = l.loop->begin; i < l.loop->end && status == FO_OK; i++) {
        if (code->list[i].op == FOI_I_END) break;
        run_line(q, &code->list[i]);
    }
    return status;
}

fo_status foi_reverse_run(foi_reverse *q, foi_task task, const double *guesses)
{
    const foi_code *code = &q->g->codes[task];
    fo_message ignored = {0};
    foi_run run = {.r = q->r, .guesses = guesses, .work = q->work, .message = &ignored};
    fo_status status = FO_OK;
    q->logged = 0;
    foi_code_constants(code, q->r);
    for (uint32_t i = 0; i < code->count && status == FO_OK; i++) {
        const foi_instruction *x = &code->list[i];
        if (x->op == FOI_I_END) break;
        if (x->op == FOI_I_SOLVE)
            status = solve(q, code, &run, x->a);
        else
            run_line(q, x);
    }
    return status;
}

// ---------------------------------------------------------------------------------------- backward

void foi_reverse_clear(foi_reverse *q, foi_task task)
{
    size_t registers = q->g->codes[task].registers;
    if (registers < q->g->layout.total) registers = q->g->layout.total;
    memset(q->bar, 0, registers * sizeof *q->bar);
}

// The result may lie where an operand was: its adjoint is taken out first.
static void pull_line(foi_reverse *q, const foi_instruction *x, const foi_logged *was)
{
    double bar = q->bar[x->to];
    foi_op op = (foi_op)x->op;
    if (bar == 0) return;
    q->bar[x->to] = 0;
    if (op == FOI_G_IF) {
        q->bar[was->a != 0 ? x->b : x->c] += bar;
        return;
    }
    foi_partials f = foi_op_partials(op, was->a, was->b, was->v);
    if (f.a != 0) q->bar[x->a] += f.a * bar;
    if (f.b != 0 && foi_op_arity(op) > 1) q->bar[x->b] += f.b * bar;
}

// The loop's lines, the last of which is the last that was logged before `end`.
static size_t pull_lines(foi_reverse *q, const foi_code *code, const foi_loop_code *loop,
                         size_t end)
{
    uint32_t stop = loop->begin;
    while (stop < loop->end && code->list[stop].op != FOI_I_END) stop++;
    for (uint32_t i = stop; i-- > loop->begin;) pull_line(q, &code->list[i], &q->log[--end]);
    return end;
}

static fo_status pull_loop(foi_reverse *q, const foi_code *code, uint32_t which, size_t *end)
{
    const foi_loop_code *loop = &code->loops[which];
    const foi_loop_about *about = loop->about;
    size_t n = loop->count, first;
    if (about->helps) {
        for (size_t i = 0; i < n; i++) q->bar[loop->unknown[i]] = 0;
        return FO_OK;
    }
    memset(q->matrix, 0, n * n * sizeof *q->matrix);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            q->matrix[j * n + about->row[k]] = q->r[loop->entry[k]];
    first = pull_lines(q, code, loop, *end);
    for (size_t i = 0; i < n; i++) q->by[i] = -q->bar[loop->unknown[i]];
    for (size_t i = 0; i < n; i++) q->bar[loop->unknown[i]] = 0;
    if (!foi_lu_factor(n, q->matrix, q->pivot)) return FO_ERROR_CONVERGE;
    foi_lu_solve(n, q->matrix, q->pivot, q->by);
    for (size_t i = 0; i < n; i++) q->bar[loop->residual[i]] += q->by[i];
    pull_lines(q, code, loop, *end);
    for (size_t i = 0; i < n; i++) q->bar[loop->unknown[i]] = 0;
    *end = first;
    return FO_OK;
}

fo_status foi_reverse_pull(foi_reverse *q, foi_task task)
{
    const foi_code *code = &q->g->codes[task];
    size_t end = q->logged;
    uint32_t stop = 0;
    fo_status status = FO_OK;
    while (stop < code->count && code->list[stop].op != FOI_I_END) stop++;
    for (uint32_t i = stop; i-- > 0 && status == FO_OK;) {
        const foi_instruction *x = &code->list[i];
        if (x->op == FOI_I_SOLVE)
            status = pull_loop(q, code, x->a, &end);
        else
            pull_line(q, x, &q->log[--end]);
    }
    return status;
}
