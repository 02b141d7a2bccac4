/// Functions that stay functions: one operation of the run (outside.h), carried out statement by
/// statement as it is before the run.
///
/// Functions are written out as a rule, since formulas can be differentiated, enclosed and sorted.
/// A medium's functions, written out for each of its states, are more than a hundred thousand
/// statements. Then the large ones stay: their derivatives are differences or those that an
/// annotation names, and crossings of what they compute are searched by samples, without proof.
#include "equations/kept.h"

#include <math.h>

#include "equations/flat_evaluate.h"

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

bool foi_may_stay(foi_flat_function *f)
{
    uint32_t weight = 0;
    return !f->recursive && function_pure(f, 0, &weight) && weight >= LARGE &&
           weight <= MOST_WORK; // it could never be carried out
}

bool foi_kept_call(const foi_outside_function *f, const double *in, double *out, const char **said)
{
    const foi_flat_function *body = f->body;
    double locals[MOST_LOCALS] = {0};
    uint32_t work = MOST_WORK;
    foi_evaluation x = {.work = &work, .running = true, .said = said};
    for (uint32_t i = 0; i < f->inputs; i++) locals[i] = in[i];
    *said = "it has no value there";
    if (!foi_flat_carry_out(&x, body, locals, NULL, 0)) return false;
    for (uint32_t i = 0; i < f->outputs; i++) out[i] = locals[f->inputs + i];
    return true;
}

bool foi_kept_rate(const foi_outside_function *f, const double *in, double *out, const char **said)
{
    const foi_flat_function *body = f->body;
    double locals[MOST_LOCALS] = {0}, rates[MOST_LOCALS] = {0};
    uint32_t work = MOST_WORK, at = 0;
    foi_evaluation x = {.work = &work, .running = true, .said = said, .rates = rates};
    for (uint32_t i = 0; i < body->input_count; i++) locals[i] = in[i];
    for (uint32_t i = 0; i < body->input_count; i++)
        if (body->locals[i]->type == FOI_REAL) rates[i] = in[body->input_count + at++];
    *said = "it has no value there";
    if (!foi_flat_carry_out(&x, body, locals, rates, 0)) return false;
    *said = "it has no derivative that can be computed";
    at = 0;
    for (uint32_t i = 0; i < body->output_count; i++) {
        if (body->locals[body->input_count + i]->type != FOI_REAL) continue;
        out[at] = rates[body->input_count + i];
        if (!isfinite(out[at++])) return false;
    }
    return true;
}

void foi_let_stay(const foi_flat *flat)
{
    for (uint32_t i = 0; i < flat->function_count; i++) {
        foi_flat_function *f = flat->functions[i];
        if (f->may_stay && !f->known) f->known = f->stayed;
    }
}
