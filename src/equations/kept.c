/// Functions that stay functions: one operation of the run (outside.h), carried out statement by
/// statement as it is before the run.
///
/// Functions are written out as a rule, since formulas can be differentiated, enclosed and sorted.
/// A medium's functions, written out for each of its states, are more than a hundred thousand
/// statements. Then the large ones stay: their derivatives are differences or those that an
/// annotation names, and crossings of what they compute are searched by samples, without proof.
#include "equations/kept.h"

#include <math.h>
#include <string.h>

#include "equations/flat_evaluate.h"
#include "equations/kept_code.h"

enum {
    LARGE = 60,          ///< statements, with those of what it calls, from which on one stays
    MOST_LOCALS = 256,   ///< numbers in a function
    MOST_WORK = 1000000, ///< statements of one call
    DEEPEST = 30,        ///< calls and blocks in each other
};

static uint32_t sum(uint32_t a, uint32_t b)
{
    uint32_t s;
    return __builtin_add_overflow(a, b, &s) ? UINT32_MAX : s;
}

// Whether an expression means nothing but its arguments; *weight grows by the calls in it.
static bool is_pure(const foi_flat_expr *e, int depth, uint32_t *weight);

static bool all_pure(const foi_flat_expr *const *list, uint32_t count, int depth, uint32_t *weight)
{
    for (uint32_t i = 0; i < count; i++) {
        bool again = i && list[i]->op == FOI_OP_RESULT && list[i - 1]->op == FOI_OP_RESULT &&
                     list[i]->call == list[i - 1]->call;
        if (!again && !is_pure(list[i], depth, weight)) return false;
    }
    return true;
}

static bool body_pure(const foi_flat_block *block, int depth, uint32_t *weight);

// Each function is looked at once; one that calls itself is not pure.
static bool function_pure(foi_flat_function *f, int depth, uint32_t *weight)
{
    if (f->purity == FOI_NOT_LOOKED_AT) {
        f->purity = FOI_LOOKED_AT, f->weight = 0;
        bool pure = depth <= DEEPEST && f->ready && !f->outside && f->local_count <= MOST_LOCALS;
        for (uint32_t i = 0; pure && i < f->local_count; i++)
            pure = f->locals[i]->type != FOI_STRING;
        pure = pure && body_pure(&f->body, depth + 1, &f->weight);
        f->purity = pure ? FOI_PURE : FOI_NOT_PURE;
    }
    *weight = sum(*weight, f->weight);
    return f->purity == FOI_PURE;
}

static bool is_pure(const foi_flat_expr *e, int depth, uint32_t *weight)
{
    double value;
    if (depth > DEEPEST * 20 || e->type == FOI_STRING) return false;
    switch (e->op) {
    case FOI_OP_LITERAL: return true;
    case FOI_OP_TIME:
    case FOI_OP_STRING: return false;
    case FOI_OP_VARIABLE:
        return e->variable->local ||
               (e->variable->variability == FOI_CONSTANT && foi_flat_evaluate(e, false, &value));
    case FOI_OP_ELEMENT:
        for (uint32_t i = 0; i < e->array->count; i++) {
            const foi_flat_variable *v = e->array->elements[i];
            const foi_flat_expr x = {.op = FOI_OP_VARIABLE,
                                     .type = v->type,
                                     .size = 1,
                                     .variable = e->array->elements[i]};
            if (!v->local &&
                (v->variability > FOI_PARAMETER || !foi_flat_evaluate(&x, true, &value)))
                return false;
        }
        break;
    case FOI_OP_RESULT:
        return function_pure((foi_flat_function *)e->call->function, depth / 20 + 1, weight) &&
               all_pure(e->call->arguments, e->call->function->input_count, depth + 1, weight);
    default: break;
    }
    if (e->op == FOI_OP_CALL && (e->count == 0 || e->builtin == FOI_FN_DER ||
                                 e->builtin == FOI_FN_PRE || e->builtin == FOI_FN_DELAY))
        return false;
    return all_pure(e->arguments, e->count, depth + 1, weight);
}

// How often a loop turns, as far as that is known.
static uint32_t turns_of(const foi_flat_statement *st)
{
    enum { UNKNOWN = 10, MOST = 1000 };
    double first, last;
    if (!foi_flat_evaluate(st->first, false, &first) || !foi_flat_evaluate(st->last, false, &last))
        return UNKNOWN;
    double turns = fabs(last - first) + 1;
    return turns < MOST ? (uint32_t)turns : MOST;
}

static bool statement_pure(const foi_flat_statement *st, int depth, uint32_t *weight)
{
    uint32_t inner = 0, turns;
    switch (st->action) {
    case FOI_DO_ASSIGN:
        return all_pure(st->targets, st->count, depth, weight) &&
               all_pure(st->values, st->count, depth, weight);
    case FOI_DO_BREAK:
    case FOI_DO_RETURN: return true;
    case FOI_DO_ASSERT: return st->warning || is_pure(st->condition, depth, weight);
    case FOI_DO_FOR:
        if (!is_pure(st->first, depth, weight) || !is_pure(st->last, depth, weight) ||
            (st->step && !is_pure(st->step, depth, weight)) ||
            !body_pure(&st->body, depth + 1, &inner))
            return false;
        turns = turns_of(st);
        *weight = sum(*weight, inner > UINT32_MAX / turns ? UINT32_MAX : turns * inner);
        return true;
    case FOI_DO_IF:
    case FOI_DO_WHILE:
        for (uint32_t i = 0; i < st->branch_count; i++) {
            const foi_flat_branch *b = &st->branches[i];
            if (!all_pure(b->conditions, b->condition_count, depth, weight) ||
                !body_pure(&b->body, depth + 1, weight))
                return false;
        }
        return true;
    default: return false;
    }
}

static bool body_pure(const foi_flat_block *block, int depth, uint32_t *weight)
{
    if (depth > DEEPEST) return false;
    *weight = sum(*weight, block->count);
    for (uint32_t i = 0; i < block->count; i++)
        if (!statement_pure(block->statements[i], depth, weight)) return false;
    return true;
}

bool foi_is_pure(foi_flat_function *f)
{
    return !f->recursive && function_pure(f, 0, &(uint32_t){0});
}

bool foi_may_stay(foi_flat_function *f)
{
    uint32_t weight = 0;
    return !f->recursive && function_pure(f, 0, &weight) && weight >= LARGE &&
           weight <= MOST_WORK; // it could never be carried out
}

// Carries it out by its lines, or by its statements where it has none.
static bool carry_out(const foi_flat_function *f, double *v, double *dv, bool through,
                      const char **said)
{
    uint32_t work = MOST_WORK;
    *said = "it has no value there";
    if (f->code && (!dv || f->code->has_rates)) return foi_kept_run(f, v, dv, through, &work, said);
    foi_evaluation x = {.work = &work, .running = true, .said = said, .rates = dv};
    memset(v + f->input_count, 0, (MOST_LOCALS - f->input_count) * sizeof *v);
    if (dv) memset(dv + f->input_count, 0, (MOST_LOCALS - f->input_count) * sizeof *dv);
    return (!dv || !f->searches_itself) && foi_flat_carry_out(&x, f, v, dv, 0);
}

bool foi_kept_call(const foi_outside_function *f, const double *in, double *out, const char **said)
{
    const foi_flat_function *body = f->body;
    double v[FOI_KEPT_MOST_ROOM];
    for (uint32_t i = 0; i < f->inputs; i++) v[i] = in[i];
    if (!carry_out(body, v, NULL, false, said)) return false;
    for (uint32_t i = 0; i < f->outputs; i++) out[i] = v[f->inputs + i];
    return true;
}

// ------------------------------------------------------------------------------------- derivatives

// How much of the direction is a step for a central difference: the root of third order of the
// rounding error, of the input that it changes most.
static double step_of(const foi_flat_function *f, const double *in, const double *rates)
{
    double most = 0;
    for (uint32_t i = 0; i < f->input_count; i++)
        most = fmax(most, fabs(rates[i]) / fmax(fabs(in[i]), 1));
    return most > 0 ? 6.06e-6 / most : 0;
}

// What a search ends at changes as its last turns tell, where these are steps of Newton's or a
// secant's; where it halves an interval they tell nothing. So a difference looks at it, and counts
// where the two are not the same.
static bool check_rates(const foi_flat_function *f, const double *in, const double *rates,
                        double *dv, bool known)
{
    enum { SAME = 100 };
    double side[2][FOI_KEPT_MOST_ROOM], h = step_of(f, in, rates);
    const char *unused;
    bool good = h > 0;
    for (int k = 0; k < 2 && good; k++) {
        for (uint32_t i = 0; i < f->input_count; i++) side[k][i] = in[i] + (k ? h : -h) * rates[i];
        good = carry_out(f, side[k], NULL, false, &unused);
    }
    if (!good) return known;
    for (uint32_t i = f->input_count; i < f->input_count + f->output_count; i++) {
        double slope = (side[1][i] - side[0][i]) / (2 * h);
        bool same = known && fabs(dv[i] - slope) * SAME <= fabs(slope);
        if (!same) dv[i] = slope;
    }
    return true;
}

// The rates of the Real results; false where one is not known.
static bool give_rates(const foi_flat_function *f, const double *dv, double *out)
{
    for (uint32_t i = 0, at = 0; i < f->output_count; i++) {
        if (f->locals[f->input_count + i]->type != FOI_REAL) continue;
        out[at] = dv[f->input_count + i];
        if (!isfinite(out[at++])) return false;
    }
    return true;
}

// Inputs and their rates, as they come: the rates are those of inputs that are Real.
static void take_rates(const foi_flat_function *f, const double *in, double *v, double *dv)
{
    uint32_t at = f->input_count;
    for (uint32_t i = 0; i < f->input_count; i++) {
        v[i] = in[i];
        dv[i] = f->locals[i]->type == FOI_REAL ? in[at++] : 0;
    }
}

static const char no_rate[] = "it has no derivative that can be computed";

bool foi_kept_rate(const foi_outside_function *f, const double *in, double *out, const char **said)
{
    double v[FOI_KEPT_MOST_ROOM], dv[FOI_KEPT_MOST_ROOM];
    take_rates(f->body, in, v, dv);
    if (!carry_out(f->body, v, dv, false, said)) return false;
    *said = no_rate;
    return give_rates(f->body, dv, out);
}

bool foi_kept_pace(const foi_outside_function *f, const double *in, double *out, const char **said)
{
    double v[FOI_KEPT_MOST_ROOM], dv[FOI_KEPT_MOST_ROOM], rates[MOST_LOCALS];
    take_rates(f->body, in, v, dv);
    if (carry_out(f->body, v, dv, false, said) && give_rates(f->body, dv, out)) return true;
    take_rates(f->body, in, v, dv);
    take_rates(f->body, in, v, rates);
    bool known = carry_out(f->body, v, dv, true, said);
    if (!check_rates(f->body, in, rates, dv, known)) return false;
    *said = no_rate;
    return give_rates(f->body, dv, out);
}

void foi_let_stay(const foi_flat *flat)
{
    for (uint32_t i = 0; i < flat->function_count; i++) {
        foi_flat_function *f = flat->functions[i];
        if (f->may_stay && !f->known) f->known = f->stayed;
    }
}
