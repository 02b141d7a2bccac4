/// Outputs that are what is left of larger numbers, behind an algebraic loop: the current (v1 -
/// v2)/R where the loop has made v1 and v2 nearly equal. That each unknown is right to its own last
/// digit leaves nothing of such a difference. So rounding errors are followed from the unknowns to
/// the outputs (rounding.c), and where they may have taken more than the last digits the line is
/// run once more in pairs (pairs.h): with the loops solved so, and what other loops and products
/// make of their solutions carried along. An output of which nothing is left in pairs either is
/// zero: a sum of currents that is balanced.
///
/// All of this is plain arithmetic on what the loops have found, so that it gives the same bits
/// whatever way the program runs.
#include <float.h>
#include <math.h>

#include "math/math.h"
#include "program/newton.h"
#include "program/walk.h"

static const double plain = 0x1p-38; ///< an output that is off by less needs no look
static const double known = 0x1p-34; ///< one that is off by less in pairs is right
static const double paired = 8 * FOI_NEWTON_PAIRED;
static const double zero = 0x1p-98; ///< an output is that if it is less, in units of its E
static const double fair = 0x1p-60; ///< an unknown of which pairs know less is in doubt

typedef struct line {
    const foi_code *code;
    double *r, *low, *error; ///< per register: its value, what it is beyond that, E
    foi_run run;
} line;

static bool is_lost(double z, double error)
{
    return !(DBL_EPSILON * error <= plain * fabs(z));
}

static bool is_in_doubt(double z, double error)
{
    return DBL_EPSILON * error > known * fabs(z);
}

// The line in doubles, with E of everything that depends on a loop, the unknowns being where they
// were found, with what they may be off by.
static void follow_errors(const line *l)
{
    const foi_code *code = l->code;
    for (uint32_t i = 0; i < code->count; i++) {
        const foi_instruction *x = &code->list[i];
        if (x->op != FOI_I_SOLVE) {
            foi_rounding_step(x, l->r, l->error);
            continue;
        }
        const foi_loop_code *loop = &code->loops[x->a];
        for (uint32_t k = 0; k < loop->count; k++) // more than nothing, also where it is zero
            l->error[loop->unknown[k]] = foi_fmax(l->error[loop->unknown[k]], DBL_MIN);
    }
}

static fo_status solve_in_pairs(line *l, const foi_loop_code *loop)
{
    foi_loop_lines lines = {l->code, loop};
    foi_newton_state w = foi_newton_begin(l->code, loop, &l->run, foi_loop_lines_run, &lines);
    foi_loop_lines_run(&lines, l->r);
    foi_newton_keep(&w);
    w.beyond = l->low, w.spread = l->error;
    fo_status status = foi_newton_settle(&w);
    for (uint32_t k = 0; k < loop->count; k++) {
        uint32_t at = loop->unknown[k];
        double y = fabs(l->r[at]);
        l->low[at] = y != 0 ? w.low[k] : 0;
        l->error[at] = foi_fmax(foi_fmax(l->error[at], y), DBL_MIN);
    }
    if (w.large.n) foi_linear_destroy(&w.large);
    return status;
}

static foi_pair pair_of(const line *l, uint32_t k)
{
    return (foi_pair){l->r[k], l->low[k]};
}

static fo_status run_in_pairs(line *l)
{
    const foi_code *code = l->code;
    fo_status status = FO_OK;
    for (uint32_t k = 0; k < code->registers; k++) l->low[k] = 0;
    for (uint32_t i = 0; i < code->count && status == FO_OK; i++) {
        const foi_instruction *x = &code->list[i];
        if (x->op == FOI_I_SOLVE) {
            const foi_loop_code *loop = &code->loops[x->a];
            if (!loop->about->helps) status = solve_in_pairs(l, loop);
            continue;
        }
        foi_pair z =
            foi_pair_apply((foi_op)x->op, pair_of(l, x->a), pair_of(l, x->b), pair_of(l, x->c));
        foi_rounding_step(x, l->r, l->error);
        l->r[x->to] = z.hi, l->low[x->to] = z.lo;
    }
    return status;
}

// Where nobody knows what an external function does: an unknown that its loop knows little of,
// among the results. Nothing else has an E then.
static uint32_t unknown_in_doubt(const line *l)
{
    const foi_code *code = l->code;
    for (uint32_t k = 0; k < code->result_count; k++)
        if (is_in_doubt(l->r[code->results[k]], l->error[code->results[k]])) return k;
    return FOI_NOTHING;
}

fo_status foi_precise(const foi_code *code, const foi_run *run, uint32_t *unknown)
{
    line l = {.code = code, .r = run->r, .error = run->spread, .run = *run};
    double *y = run->y;
    l.run.spread = NULL;
    *unknown = FOI_NOTHING;
    foi_code_constants(code, l.r);
    uint32_t n = code->result_count;
    if (code->cells) {
        *unknown = unknown_in_doubt(&l);
        return FO_OK;
    }
    follow_errors(&l);
    bool any = false;
    for (uint32_t k = 0; k < n && !any; k++) any = is_lost(y[k], l.error[code->results[k]]);
    if (!any) return FO_OK;
    double *error = foi_new(NULL, (size_t)n + code->registers, sizeof *error);
    if (!error) return FO_ERROR_MEMORY;
    for (uint32_t k = 0; k < n; k++) error[k] = l.error[code->results[k]];
    for (uint32_t k = 0; k < code->registers; k++) l.error[k] = 0;
    l.low = error + n;
    fo_status status = run_in_pairs(&l);
    for (uint32_t k = 0; k < n && status != FO_ERROR_MEMORY; k++) {
        if (!is_lost(y[k], error[k])) continue;
        double z = l.r[code->results[k]];
        double off = paired * l.error[code->results[k]];
        bool right = status == FO_OK && isfinite(z),
             nothing = fabs(z) <= foi_fmin(off, zero * error[k]);
        bool doubt =
            nothing ? off > fair * error[k] : off > known * fabs(z) && is_in_doubt(z, error[k]);
        if (!right || (doubt && (y[k] != 0 || z != 0))) *unknown = k;
        if (right) y[k] = nothing ? 0 : z;
    }
    foi_free(NULL, error);
    return status == FO_ERROR_MEMORY ? status : FO_OK;
}
