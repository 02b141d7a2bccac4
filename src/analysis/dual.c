#include "analysis/dual.h"

#include <string.h>

#include "analysis/dense.h"
#include "program/partials.h"
#include "program/walk.h"

// ------------------------------------------------------------------------------------------- room

fo_status foi_dual_create(foi_dual *q, const foi_program *g, size_t columns,
                          const fo_allocator *allocator)
{
    foi_walk_room most = foi_walk_room_of(g);
    size_t registers = most.registers, unknowns = most.unknowns;
    *q = (foi_dual){.g = g, .columns = columns, .allocator = allocator};
    q->r = foi_new(allocator, registers + 1, sizeof *q->r);
    q->d = foi_new(allocator, (registers + 1) * (columns + 1), sizeof *q->d);
    q->row = foi_new(allocator, columns + 1, sizeof *q->row);
    q->bent = foi_new(allocator, registers + 1, sizeof *q->bent);
    q->work = foi_new(allocator, most.newton + 1, sizeof *q->work);
    q->matrix = foi_new(allocator, unknowns * unknowns + 1, sizeof *q->matrix);
    q->by = foi_new(allocator, unknowns + 1, sizeof *q->by);
    q->pivot = foi_new(allocator, unknowns + 1, sizeof *q->pivot);
    if (q->r && q->d && q->row && q->bent && q->work && q->matrix && q->by && q->pivot)
        return FO_OK;
    foi_dual_destroy(q);
    return FO_ERROR_MEMORY;
}

void foi_dual_destroy(foi_dual *q)
{
    foi_free(q->allocator, q->r);
    foi_free(q->allocator, q->d);
    foi_free(q->allocator, q->row);
    foi_free(q->allocator, q->bent);
    foi_free(q->allocator, q->work);
    foi_free(q->allocator, q->matrix);
    foi_free(q->allocator, q->by);
    foi_free(q->allocator, q->pivot);
    *q = (foi_dual){0};
}

static void forget(foi_dual *q)
{
    memset(q->d, 0, q->g->layout.total * q->columns * sizeof *q->d);
    memset(q->bent, 0, q->g->layout.total * sizeof *q->bent);
}

void foi_dual_give(foi_dual *q, const foi_given *given)
{
    const foi_layout *l = &q->g->layout;
    for (int kind = 0; kind < FOI_LEAF_KINDS; kind++)
        for (uint32_t i = 0; i < l->count[kind]; i++)
            q->r[l->at[kind] + i] = given->from[kind] ? given->from[kind][i] : 0;
    q->r[l->at[FOI_LEAF_TIME]] = given->t;
    forget(q);
}

void foi_dual_give_registers(foi_dual *q, const double *r)
{
    memcpy(q->r, r, q->g->layout.total * sizeof *r);
    forget(q);
}

// ----------------------------------------------------------------------------- one instruction

static bool jumps(foi_op op)
{
    return (op >= FOI_G_LESS && op <= FOI_G_NOT_EQUAL) || op == FOI_G_SIGN || op == FOI_G_ALONG ||
           op == FOI_G_AMONG || (op >= FOI_G_MOD && op <= FOI_G_CEIL);
}

static bool is_zero(const double *row, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        if (row[i] != 0) return false;
    return true;
}

// What is constant along a direction has no part in it, also where its factor is not finite: the
// root of a zero that stays zero.
static void add(double *to, double factor, const double *row, size_t columns)
{
    for (size_t i = 0; i < columns; i++)
        if (row[i] != 0) to[i] += factor * row[i];
}

static bool has_kink(foi_op op, double a, double b, const double *da, const double *db, size_t w)
{
    if (op == FOI_G_ABS) return a == 0 && !is_zero(da, w);
    if ((op != FOI_G_MIN && op != FOI_G_MAX) || a != b) return false;
    return memcmp(da, db, w * sizeof *da) != 0;
}

static void step(foi_dual *q, const foi_instruction *x)
{
    size_t w = q->columns;
    foi_op op = (foi_op)x->op;
    double a = q->r[x->a], b = q->r[x->b], c = q->r[x->c];
    const double *da = q->d + x->a * w, *db = q->d + x->b * w, *dc = q->d + x->c * w;
    double v = foi_op_any(op, a, b, c), *to = q->d + x->to * w;
    uint32_t arity = foi_op_arity(op);
    if (op == FOI_G_IF) {
        memmove(to, a != 0 ? db : dc, w * sizeof *to);
        q->bent[x->to] = q->bent[a != 0 ? x->b : x->c];
    } else {
        if (jumps(op)) q->switched |= !is_zero(da, w) || (arity > 1 && !is_zero(db, w));
        q->bent[x->to] =
            q->bent[x->a] || (arity > 1 && q->bent[x->b]) || has_kink(op, a, b, da, db, w);
        memset(q->row, 0, w * sizeof *q->row); // the result may lie where an operand was
        foi_partials f = foi_op_partials(op, a, b, v);
        add(q->row, f.a, da, w);
        if (arity > 1) add(q->row, f.b, db, w);
        memcpy(to, q->row, w * sizeof *to);
    }
    q->r[x->to] = v;
}

// ------------------------------------------------------------------------------------------- loops

static void run_tangents(foi_dual *q, const foi_loop_lines *l)
{
    for (uint32_t i = l->loop->begin; i < l->loop->end; i++) {
        const foi_instruction *x = &l->code->list[i];
        if (x->op == FOI_I_END) break;
        step(q, x);
    }
}

static bool factor(foi_dual *q, const foi_loop_code *loop)
{
    size_t n = loop->count;
    const foi_loop_about *about = loop->about;
    memset(q->matrix, 0, n * n * sizeof *q->matrix);
    for (uint32_t j = 0; j < n; j++)
        for (uint32_t k = about->start[j]; k < about->start[j + 1]; k++)
            q->matrix[about->row[k] * n + j] = q->r[loop->entry[k]];
    return foi_lu_factor(n, q->matrix, q->pivot);
}

// y' = -F_y^-1 F_v v': first with y' = 0, which gives F_v v' in the residuals' tangents.
static fo_status solve_tangents(foi_dual *q, const foi_loop_lines *l)
{
    const foi_loop_code *loop = l->loop;
    size_t n = loop->count, w = q->columns;
    bool bent = false;
    for (size_t i = 0; i < n; i++) {
        memset(q->d + loop->unknown[i] * w, 0, w * sizeof *q->d);
        q->bent[loop->unknown[i]] = false;
    }
    run_tangents(q, l);
    for (size_t i = 0; i < n; i++) bent |= q->bent[loop->residual[i]];
    for (size_t i = 0; i < n; i++) q->bent[loop->unknown[i]] = bent;
    if (!factor(q, loop)) return FO_ERROR_CONVERGE;
    for (size_t j = 0; j < w; j++) {
        for (size_t i = 0; i < n; i++) q->by[i] = -q->d[loop->residual[i] * w + j];
        foi_lu_solve(n, q->matrix, q->pivot, q->by);
        for (size_t i = 0; i < n; i++) q->d[loop->unknown[i] * w + j] = q->by[i];
    }
    run_tangents(q, l);
    return FO_OK;
}

static fo_status solve(foi_dual *q, const foi_code *code, foi_run *run, uint32_t which)
{
    foi_loop_lines l = {code, &code->loops[which]};
    fo_status status = foi_newton(code, l.loop, run, foi_loop_lines_run, &l);
    if (l.loop->about->helps) { // it only says where another one begins
        for (uint32_t i = 0; i < l.loop->count; i++) q->bent[l.loop->unknown[i]] = false;
        return FO_OK;
    }
    return status == FO_OK ? solve_tangents(q, &l) : status;
}

fo_status foi_dual_run(foi_dual *q, foi_task task, const double *guesses)
{
    const foi_code *code = &q->g->codes[task];
    fo_message ignored = {0};
    foi_run run = {.r = q->r, .guesses = guesses, .work = q->work, .message = &ignored};
    fo_status status = FO_OK;
    foi_code_constants(code, q->r);
    memset(q->d + code->constant_at * q->columns, 0,
           code->constant_count * q->columns * sizeof *q->d);
    memset(q->bent + code->constant_at, 0, code->constant_count * sizeof *q->bent);
    for (uint32_t i = 0; i < code->count && status == FO_OK; i++) {
        const foi_instruction *x = &code->list[i];
        if (x->op == FOI_I_END) break;
        if (x->op == FOI_I_SOLVE)
            status = solve(q, code, &run, x->a);
        else
            step(q, x);
    }
    return status;
}
