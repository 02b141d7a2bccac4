/// Derivatives of rates, guards and outputs along a direction (dt, dx, du): forward differentiation
/// of the bytecode (A. Griewank, A. Walther, Evaluating Derivatives, 2008, chapter 3). Every
/// register r has beside its value a tangent r', and an instruction z = op(a, b, c) gives
///
///     z' = op_a a' + op_b b' + op_c c'
///
/// with the partial derivatives in closed form: exact but for rounding. A loop R(z, v) = 0 with
/// unknowns z gives R_z z' = -R_v v', so that its instructions are followed twice: with z' = 0,
/// which makes the right side, and with the solution, which makes what follows from the unknowns.
/// R_z is what Newton's method used last.
///
/// At a kink (abs, min, max) it is the derivative of the piece that was taken. Relations are held
/// in the flow, and what steps has the derivative 0.
#include <math.h>
#include <string.h>

#include "base/lu.h"
#include "program/partials.h"
#include "program/program.h"
#include "program/walk.h"

// What does not move counts nothing, however steep it would be.
static double times(double slope, double tangent)
{
    return tangent == 0 ? 0 : slope * tangent;
}

/// Registers and their tangents.
typedef struct pass {
    const foi_code *code;
    double *r, *d;
} pass;

static void follow(pass *p, const foi_instruction *x)
{
    uint32_t arity = foi_op_arity((foi_op)x->op);
    double a = p->r[x->a], b = arity > 1 ? p->r[x->b] : 0, c = arity > 2 ? p->r[x->c] : 0;
    double z = foi_op_any((foi_op)x->op, a, b, c);
    foi_partials f = foi_op_partials((foi_op)x->op, a, b, z);
    double tangent = times(f.a, p->d[x->a]);
    if (arity > 1) tangent += times(f.b, p->d[x->b]);
    if (arity > 2) tangent += times(f.c, p->d[x->c]);
    p->r[x->to] = z, p->d[x->to] = tangent;
}

static void follow_loop(pass *p, const foi_loop_code *loop)
{
    for (uint32_t i = loop->begin; i < loop->end; i++) follow(p, &p->code->list[i]);
}

// ------------------------------------------------------------------------------------------ loops

static bool loop_tangents(pass *p, const foi_loop_code *loop, double *A, double *b)
{
    uint32_t n = loop->count;
    const uint32_t *start = loop->about->start, *row = loop->about->row;
    for (uint32_t i = 0; i < n; i++) p->d[loop->unknown[i]] = 0;
    follow_loop(p, loop);
    memset(A, 0, (size_t)n * n * sizeof *A);
    for (uint32_t j = 0; j < n; j++) {
        b[j] = -p->d[loop->residual[j]];
        for (uint32_t k = start[j]; k < start[j + 1]; k++)
            A[(size_t)row[k] * n + j] += p->r[loop->entry[k]];
    }
    if (!foi_lu_eliminate(n, A, b)) return false;
    for (uint32_t i = 0; i < n; i++) p->d[loop->unknown[i]] = b[i];
    follow_loop(p, loop);
    return true;
}

// What only helps to find a solution does not move it.
static fo_status solve_loop(pass *p, const foi_loop_code *loop, foi_run *run, double *A, double *b)
{
    foi_loop_lines l = {p->code, loop};
    fo_status status = foi_newton(p->code, loop, run, foi_loop_lines_run, &l);
    if (status != FO_OK) return status == FO_ERROR_CONVERGE ? FO_RETRY : status;
    if (!loop->about->helps) return loop_tangents(p, loop, A, b) ? FO_OK : FO_RETRY;
    for (uint32_t i = loop->begin; i < loop->end; i++) p->d[p->code->list[i].to] = 0;
    for (uint32_t i = 0; i < loop->count; i++) p->d[loop->unknown[i]] = 0;
    return FO_OK;
}

// ------------------------------------------------------------------------------------- the task

static uint32_t widest_loop(const foi_code *code)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < code->loop_count; i++)
        if (code->loops[i].count > most) most = code->loops[i].count;
    return most;
}

static void place(double *to, const double *from, uint32_t count)
{
    if (from && count) memcpy(to, from, count * sizeof *to);
}

static void fill(const foi_program *g, const fo_state *s, double t, const double *x,
                 const fo_seed *along, pass *p)
{
    const foi_layout *l = &g->layout;
    foi_given given;
    foi_give(&given, g, s, t, x);
    for (uint32_t kind = 0; kind < FOI_LEAF_KINDS; kind++)
        if (kind != FOI_LEAF_TIME && p->code->uses[kind])
            place(p->r + l->at[kind], given.from[kind], l->count[kind]);
    p->r[l->at[FOI_LEAF_TIME]] = t;
    p->d[l->at[FOI_LEAF_TIME]] = along->t;
    if (p->code->uses[FOI_LEAF_STATE])
        place(p->d + l->at[FOI_LEAF_STATE], along->x, l->count[FOI_LEAF_STATE]);
    if (p->code->uses[FOI_LEAF_INPUT])
        place(p->d + l->at[FOI_LEAF_INPUT], along->u, l->count[FOI_LEAF_INPUT]);
    foi_code_constants(p->code, p->r);
}

static fo_status run_main(pass *p, foi_run *run, double *A, double *b)
{
    for (uint32_t i = 0; i < p->code->count; i++) {
        const foi_instruction *x = &p->code->list[i];
        if (x->op == FOI_I_END) break;
        fo_status status = FO_OK;
        if (x->op == FOI_I_SOLVE)
            status = solve_loop(p, &p->code->loops[x->a], run, A, b);
        else
            follow(p, x);
        if (status != FO_OK) return status;
    }
    return FO_OK;
}

// The values are those of the task itself: loops with several solutions may have been solved
// differently here, and then nothing is said.
static bool agrees(const pass *p, const double *y)
{
    const foi_code *code = p->code;
    double size = 0;
    for (uint32_t i = 0; i < code->result_count; i++) size = foi_fmax(size, fabs(y[i]));
    for (uint32_t i = 0; i < code->result_count; i++)
        if (!(fabs(p->r[code->results[i]] - y[i]) <= 1e-6 * size)) return false;
    return true;
}

static fo_status tangent_of(const foi_program *g, const fo_state *s, foi_task task, double t,
                            const double *x, const fo_seed *along, double *dy)
{
    const foi_code *code = &g->codes[task];
    size_t n = code->registers, loop = widest_loop(code), results = code->result_count;
    if (code->uses[FOI_LEAF_DELAYED]) return FO_RETRY;
    double *work =
        foi_new(NULL, 2 * n + code->newton + loop * loop + loop + results + 1, sizeof *work);
    if (!work) return fo_fail(s->message, FO_ERROR_MEMORY, "no memory for derivatives");
    pass p = {code, work, work + n};
    double *newton = work + 2 * n, *A = newton + code->newton, *b = A + loop * loop, *y = b + loop;
    foi_run run = {.r = p.r, .x = x, .y = y, .guesses = foi_memory(s, g->guess), .work = newton};
    run.solve = foi_code_solve, run.message = s->message;
    fill(g, s, t, x, along, &p);
    fo_status status = run_main(&p, &run, A, b);
    if (status == FO_OK && code->loop_count) {
        foi_given given;
        foi_give(&given, g, s, t, x);
        status = foi_program_run(g, s, task, &given, y);
        if (status == FO_ERROR_CONVERGE || (status == FO_OK && !agrees(&p, y))) status = FO_RETRY;
    }
    for (uint32_t i = 0; i < results && status == FO_OK; i++) {
        dy[i] = p.d[code->results[i]];
        if (!isfinite(dy[i])) status = FO_RETRY;
    }
    foi_free(NULL, work);
    return status;
}

fo_status foi_program_tangent(const void *model, const fo_state *s, double t, const double *x,
                              const fo_seed *along, const fo_tangent *to)
{
    const foi_program *g = model;
    fo_status status = FO_OK;
    if (to->rates) status = tangent_of(g, s, FOI_TASK_RATES, t, x, along, to->rates);
    if (status == FO_OK && to->guards && g->guards)
        status = tangent_of(g, s, FOI_TASK_GUARDS, t, x, along, to->guards);
    if (status == FO_OK && to->outputs)
        status = tangent_of(g, s, FOI_TASK_OBSERVE, t, x, along, to->outputs);
    return status;
}
