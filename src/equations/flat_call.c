/// Functions of the model, carried out before the run: sizes and structure may depend on them.
#include <math.h>

#include "equations/flat_evaluate.h"
#include "equations/outside.h"

enum { MOST_LOCALS = 256, DEEPEST_CALL = 100 };

typedef enum outcome { GO_ON, BREAK, RETURN, NO_VALUE } outcome;

static outcome run_block(foi_evaluation *x, const foi_flat_block *block, int depth);

static bool store(foi_evaluation *x, const foi_flat_expr *target, int depth, double value,
                  double rate)
{
    const foi_flat_variable *v = target->variable;
    uint32_t offset;
    if (target->op == FOI_OP_ELEMENT) {
        if (!foi_flat_offset(x, target, depth, &offset)) return false;
        v = target->array->elements[offset];
    }
    if (!v->local || v->index >= x->local_count) return false;
    x->locals[v->index] = value;
    if (x->rates) x->rates[v->index] = rate;
    return true;
}

// All values are taken before the first is stored. Not a part of run_assign: its room is not to be
// taken at every level of a function that calls itself.
__attribute__((noinline)) static outcome run_assign_many(foi_evaluation *x,
                                                         const foi_flat_statement *st, int depth)
{
    double values[MOST_LOCALS], rates[MOST_LOCALS];
    if (st->count > MOST_LOCALS ||
        !foi_flat_evaluate_all(x, st->values, st->count, depth, values, x->rates ? rates : NULL))
        return NO_VALUE;
    for (uint32_t i = 0; i < st->count; i++)
        if (st->values[i]->type != FOI_STRING &&
            !store(x, st->targets[i], depth, values[i], x->rates ? rates[i] : 0))
            return NO_VALUE;
    return GO_ON;
}

static outcome run_assign(foi_evaluation *x, const foi_flat_statement *st, int depth)
{
    double value;
    if (st->count != 1) return run_assign_many(x, st, depth);
    if (st->values[0]->type == FOI_STRING) return GO_ON;
    if (!foi_flat_evaluate_in(x, st->values[0], depth, &value)) return NO_VALUE;
    return store(x, st->targets[0], depth, value, x->rate) ? GO_ON : NO_VALUE;
}

static outcome run_if(foi_evaluation *x, const foi_flat_statement *st, int depth)
{
    for (uint32_t i = 0; i < st->branch_count; i++) {
        const foi_flat_branch *b = &st->branches[i];
        double holds = 1;
        if (b->condition_count && !foi_flat_evaluate_in(x, b->conditions[0], depth, &holds))
            return NO_VALUE;
        if (holds != 0) return run_block(x, &b->body, depth);
    }
    return GO_ON;
}

static outcome run_for(foi_evaluation *x, const foi_flat_statement *st, int depth)
{
    double first, step = 1, last;
    if (!foi_flat_evaluate_in(x, st->first, depth, &first) ||
        !foi_flat_evaluate_in(x, st->last, depth, &last) ||
        (st->step && !foi_flat_evaluate_in(x, st->step, depth, &step)) || step == 0 ||
        st->variable->index >= x->local_count)
        return NO_VALUE;
    double turns = (last - first) / step + 1e-10;
    for (double i = 0; i <= turns; i++) {
        x->locals[st->variable->index] = first + i * step;
        if (x->rates) x->rates[st->variable->index] = 0;
        outcome o = run_block(x, &st->body, depth);
        if (o == BREAK) return GO_ON;
        if (o != GO_ON) return o;
    }
    return GO_ON;
}

static outcome run_while(foi_evaluation *x, const foi_flat_statement *st, int depth)
{
    for (;;) {
        double holds;
        if (!*x->work || !foi_flat_evaluate_in(x, st->branches[0].conditions[0], depth, &holds))
            return NO_VALUE;
        --*x->work;
        if (holds == 0) return GO_ON;
        outcome o = run_block(x, &st->branches[0].body, depth);
        if (o == BREAK) return GO_ON;
        if (o != GO_ON) return o;
    }
}

// Before the run an assertion is none of ours.
static outcome run_assert(foi_evaluation *x, const foi_flat_statement *st, int depth)
{
    double holds;
    if (!x->running || st->warning) return GO_ON;
    if (!foi_flat_evaluate_in(x, st->condition, depth, &holds)) return NO_VALUE;
    if (holds != 0) return GO_ON;
    bool known = st->message && st->message->op == FOI_OP_STRING;
    *x->said = known ? st->message->text : "an assertion of it fails";
    return NO_VALUE;
}

static outcome run_block(foi_evaluation *x, const foi_flat_block *block, int depth)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const foi_flat_statement *st = block->statements[i];
        outcome o = GO_ON;
        if (!*x->work) return NO_VALUE;
        --*x->work;
        switch (st->action) {
        case FOI_DO_ASSIGN: o = run_assign(x, st, depth + 1); break;
        case FOI_DO_IF: o = run_if(x, st, depth + 1); break;
        case FOI_DO_FOR: o = run_for(x, st, depth + 1); break;
        case FOI_DO_WHILE: o = run_while(x, st, depth + 1); break;
        case FOI_DO_BREAK: return BREAK;
        case FOI_DO_RETURN: return RETURN;
        case FOI_DO_ASSERT: o = run_assert(x, st, depth + 1); break;
        default: return NO_VALUE;
        }
        if (o != GO_ON) return o;
    }
    return GO_ON;
}

// C code, before the run.
static bool outside_value(foi_evaluation *x, const foi_flat_call *call, uint32_t result, int depth,
                          double *value)
{
    const foi_flat_function *f = call->function;
    double in[MOST_LOCALS], out[MOST_LOCALS];
    if (f->input_count > MOST_LOCALS || f->output_count > MOST_LOCALS || !f->outside_in)
        return false;
    for (uint32_t i = 0; i < f->input_count; i++) {
        const foi_flat_expr *a = call->arguments[i];
        bool text = a->type == FOI_STRING;
        if (text && a->op != FOI_OP_STRING) return false;
        if (text && (in[i] = foi_outside_text(f->outside_in, a->text)) == FOI_NO_TEXT) return false;
        if (!text && !foi_flat_evaluate_in(x, a, depth + 1, &in[i])) return false;
    }
    if (!foi_outside_run(f->outside_in, f->outside_number, in, out)) return false;
    *value = out[result];
    return true;
}

bool foi_flat_carry_out(foi_evaluation *x, const foi_flat_function *f, double *locals,
                        double *rates, int depth)
{
    foi_evaluation inside = *x;
    inside.locals = locals, inside.local_count = f->local_count, inside.calls++;
    inside.rates = rates;
    outcome o = run_block(&inside, &f->body, depth + 1);
    if (!x->early) x->early = inside.early;
    return o == GO_ON || o == RETURN;
}

const foi_flat_derivative *foi_flat_named_rate(const foi_flat_function *f, const double *rates)
{
    for (uint32_t i = 0; f->known && i < f->known->derivative_count; i++) {
        const foi_flat_derivative *d = &f->known->derivatives[i];
        bool fits = d->order == 1 && d->function->ready && !d->function->outside;
        for (uint32_t k = 0; fits && k < f->input_count; k++) fits = !d->still[k] || rates[k] == 0;
        if (fits && d->function->local_count <= MOST_LOCALS) return d;
    }
    return NULL;
}

// Not a part of call_rates: its room is taken where it is needed only.
__attribute__((noinline)) static bool named_rates(foi_evaluation *x, const foi_flat_function *f,
                                                  const foi_flat_derivative *d, double *locals,
                                                  double *rates, int depth)
{
    double own[MOST_LOCALS] = {0};
    for (uint32_t i = 0; i < f->input_count; i++) own[i] = locals[i];
    for (uint32_t k = 0; k < d->count; k++) own[f->input_count + k] = rates[d->of[k]];
    if (!foi_flat_carry_out(x, d->function, own, NULL, depth)) return false;
    for (uint32_t i = 0; i < f->output_count; i++) {
        uint32_t at = d->result[i];
        bool real = f->locals[f->input_count + i]->type == FOI_REAL;
        rates[f->input_count + i] = at != UINT32_MAX ? own[d->function->input_count + at]
                                    : real           ? NAN
                                                     : 0;
    }
    return true;
}

// Carries a function out with its derivative: that which an annotation names, or that of what it
// does. What it searches for has none that this would show.
static bool call_rates(foi_evaluation *x, const foi_flat_function *f, double *locals, double *rates,
                       int depth)
{
    const foi_flat_derivative *d = foi_flat_named_rate(f, rates);
    bool moves = false, unknown = f->searches_itself;
    for (uint32_t i = 0; i < f->input_count; i++) moves |= rates[i] != 0;
    if (!d && !unknown) return foi_flat_carry_out(x, f, locals, rates, depth);
    if (!foi_flat_carry_out(x, f, locals, NULL, depth)) return false;
    if (d) return named_rates(x, f, d, locals, rates, depth);
    for (uint32_t i = 0; i < f->output_count; i++) rates[f->input_count + i] = moves ? NAN : 0;
    return true;
}

// The results of a call in a row, as the expressions in the list want them.
static bool results_of(foi_evaluation *x, const foi_flat_call *call,
                       const foi_flat_expr *const *list, uint32_t count, int depth, double *values,
                       double *rates)
{
    const foi_flat_function *f = call->function;
    double locals[MOST_LOCALS] = {0}, own[MOST_LOCALS];
    if (!f->ready && !x->early) x->early = f;
    if (f->ready && f->outside) {
        for (uint32_t i = 0; i < count; i++) {
            if (!outside_value(x, call, list[i]->result, depth, &values[i])) return false;
            if (rates) rates[i] = NAN;
        }
        return true;
    }
    if (!f->ready || f->local_count > MOST_LOCALS || x->calls >= DEEPEST_CALL) return false;
    for (uint32_t i = 0; rates && i < f->local_count; i++) own[i] = 0;
    if (!foi_flat_evaluate_all(x, call->arguments, f->input_count, depth + 1, locals,
                               rates ? own : NULL))
        return false;
    if (!(rates ? call_rates(x, f, locals, own, depth)
                : foi_flat_carry_out(x, f, locals, NULL, depth)))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i]->type == FOI_STRING) continue;
        values[i] = locals[f->input_count + list[i]->result];
        if (rates) rates[i] = own[f->input_count + list[i]->result];
    }
    return true;
}

bool foi_flat_evaluate_all(foi_evaluation *x, const foi_flat_expr *const *list, uint32_t count,
                           int depth, double *values, double *rates)
{
    for (uint32_t i = 0, n; i < count; i += n) {
        n = 1;
        while (list[i]->op == FOI_OP_RESULT && i + n < count && list[i + n]->op == FOI_OP_RESULT &&
               list[i + n]->call == list[i]->call)
            n++;
        if (n > 1) {
            double *there = rates ? rates + i : NULL;
            if (!results_of(x, list[i]->call, list + i, n, depth + 1, values + i, there))
                return false;
            continue;
        }
        if (list[i]->type != FOI_STRING && !foi_flat_evaluate_in(x, list[i], depth, &values[i]))
            return false;
        if (rates) rates[i] = list[i]->type != FOI_STRING ? x->rate : 0;
    }
    return true;
}

bool foi_flat_call_value(foi_evaluation *x, const foi_flat_call *call, uint32_t result, int depth,
                         double *value)
{
    const foi_flat_expr wanted = {.op = FOI_OP_RESULT, .result = result};
    const foi_flat_expr *const one = &wanted;
    double rate = 0;
    bool known = results_of(x, call, &one, 1, depth, value, x->rates ? &rate : NULL);
    x->rate = rate;
    return known;
}
