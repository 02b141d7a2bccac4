/// Functions of the model, carried out before the run: sizes and structure may depend on them.
#include "equations/flat_evaluate.h"
#include "equations/outside.h"

enum { MOST_LOCALS = 256, DEEPEST_CALL = 100 };

typedef enum outcome { GO_ON, BREAK, RETURN, NO_VALUE } outcome;

static outcome run_block(foi_evaluation *x, const foi_flat_block *block, int depth);

static bool store(foi_evaluation *x, const foi_flat_expr *target, int depth, double value)
{
    const foi_flat_variable *v = target->variable;
    uint32_t offset;
    if (target->op == FOI_OP_ELEMENT) {
        if (!foi_flat_offset(x, target, depth, &offset)) return false;
        v = target->array->elements[offset];
    }
    if (!v->local || v->index >= x->local_count) return false;
    x->locals[v->index] = value;
    return true;
}

// All values are taken before the first is stored. Not a part of run_assign: its room is not to be
// taken at every level of a function that calls itself.
__attribute__((noinline)) static outcome run_assign_many(foi_evaluation *x,
                                                         const foi_flat_statement *st, int depth)
{
    double values[MOST_LOCALS];
    if (st->count > MOST_LOCALS) return NO_VALUE;
    for (uint32_t i = 0; i < st->count; i++)
        if (st->values[i]->type != FOI_STRING &&
            !foi_flat_evaluate_in(x, st->values[i], depth, &values[i]))
            return NO_VALUE;
    for (uint32_t i = 0; i < st->count; i++)
        if (st->values[i]->type != FOI_STRING && !store(x, st->targets[i], depth, values[i]))
            return NO_VALUE;
    return GO_ON;
}

static outcome run_assign(foi_evaluation *x, const foi_flat_statement *st, int depth)
{
    double value;
    if (st->count != 1) return run_assign_many(x, st, depth);
    if (st->values[0]->type == FOI_STRING) return GO_ON;
    bool known = foi_flat_evaluate_in(x, st->values[0], depth, &value) &&
                 store(x, st->targets[0], depth, value);
    return known ? GO_ON : NO_VALUE;
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
        case FOI_DO_ASSERT: break;
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

bool foi_flat_call_value(foi_evaluation *x, const foi_flat_call *call, uint32_t result, int depth,
                         double *value)
{
    const foi_flat_function *f = call->function;
    double locals[MOST_LOCALS] = {0};
    if (!f->ready && !x->early) x->early = f;
    if (f->ready && f->outside) return outside_value(x, call, result, depth, value);
    if (!f->ready || f->local_count > MOST_LOCALS || x->calls >= DEEPEST_CALL) return false;
    for (uint32_t i = 0; i < f->input_count; i++)
        if (call->arguments[i]->type != FOI_STRING &&
            !foi_flat_evaluate_in(x, call->arguments[i], depth + 1, &locals[i]))
            return false;
    foi_evaluation inside = *x;
    inside.locals = locals, inside.local_count = f->local_count, inside.calls++;
    outcome o = run_block(&inside, &f->body, depth + 1);
    if (!x->early) x->early = inside.early;
    *value = locals[f->input_count + result];
    return o == GO_ON || o == RETURN;
}
