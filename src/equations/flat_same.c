// Variables are compared by their number, not by their name: an equation that means another
// variable than before is found even where the two have changed names.
#include "equations/flat_same.h"

#include <string.h>

#include "equations/pieces.h"

// ----------------------------------------------------------------------------------------- texts

static bool in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '\'';
}

// Passes over `part` where it stands as a whole part of a name.
static const char *pass(const char *at, const char *part)
{
    size_t length = strlen(part);
    return strncmp(at, part, length) == 0 && !in_name(at[length]) ? at + length : NULL;
}

static bool same_text(const char *a, const char *b, const foi_renamed *by)
{
    if (!a || !b) return a == b;
    if (by->exact) return strcmp(a, b) == 0;
    bool starts = true; // of a part
    while (*a && *b) {
        const char *old = starts ? pass(a, by->from) : NULL, *new = old ? pass(b, by->to) : NULL;
        if (new) {
            a = old, b = new;
            continue;
        }
        if (*a != *b) return false;
        starts = !in_name(*a);
        a++, b++;
    }
    return *a == *b;
}

static bool same_list(const char *const *a, const char *const *b, const foi_renamed *by)
{
    if (!a || !b) return a == b;
    while (*a && *b && same_text(*a, *b, by)) a++, b++;
    return !*a && !*b;
}

static bool same_number(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_place(foi_place a, foi_place b, const foi_renamed *by)
{
    return !by->exact || (a.file == b.file && a.line == b.line && a.column == b.column);
}

// ------------------------------------------------------------------------------------ expressions

static bool same_variable(const foi_flat_variable *a, const foi_flat_variable *b)
{
    if (!a || !b) return a == b;
    return a->index == b->index && a->local == b->local;
}

static bool same_expr(const foi_flat_expr *a, const foi_flat_expr *b, foi_renamed *by);

static bool same_exprs(const foi_flat_expr *const *a, const foi_flat_expr *const *b, uint32_t count,
                       foi_renamed *by)
{
    for (uint32_t i = 0; i < count; i++)
        if (!same_expr(a[i], b[i], by)) return false;
    return true;
}

static bool same_array(const foi_flat_array *a, const foi_flat_array *b, foi_renamed *by)
{
    if (a->rank != b->rank || a->count != b->count || !same_text(a->name, b->name, by) ||
        memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0)
        return false;
    if (by->work < a->count) return by->work = 0, false;
    by->work -= a->count;
    for (uint32_t i = 0; i < a->count; i++)
        if (!same_variable(a->elements[i], b->elements[i])) return false;
    return true;
}

static bool same_pieces(const foi_pieces *a, const foi_pieces *b, foi_renamed *by)
{
    uint32_t count = a->last - a->first;
    if (count != b->last - b->first || a->first != b->first || by->work < count)
        return by->work = 0, false;
    by->work -= count;
    return memcmp(a->ends + a->first, b->ends + a->first, count * sizeof *a->ends) == 0 &&
           memcmp(a->list + a->first, b->list + a->first, (count + 1) * sizeof *a->list) == 0;
}

// What a number stands for that is an address (pieces.h), or what gives one.
static bool same_curve(const foi_flat_expr *a, const foi_flat_expr *b, bool pick, foi_renamed *by)
{
    if (a->op != FOI_OP_LITERAL || b->op != FOI_OP_LITERAL) return same_expr(a, b, by);
    if (foi_pieces_order(a->number) != foi_pieces_order(b->number)) return false;
    const void *x = foi_pieces_address(a->number), *y = foi_pieces_address(b->number);
    if (!pick) return same_pieces(x, y, by);
    const foi_choices *p = x, *q = y;
    if (p->count != q->count || memcmp(p->ends, q->ends, p->count * sizeof *p->ends) != 0)
        return false;
    for (uint32_t i = 0; i <= p->count; i++)
        if (!same_pieces(&p->list[i], &q->list[i], by)) return false;
    return true;
}

static bool same_expr(const foi_flat_expr *a, const foi_flat_expr *b, foi_renamed *by)
{
    if (!a || !b) return a == b;
    if (a->op != b->op || a->type != b->type || a->count != b->count || a->size != b->size)
        return false;
    if (!by->work || !--by->work) return false;
    switch (a->op) {
    case FOI_OP_LITERAL:
        if (!same_number(a->number, b->number)) return false;
        break;
    case FOI_OP_STRING:
        if (!same_text(a->text, b->text, by)) return false;
        break;
    case FOI_OP_VARIABLE:
        if (!same_variable(a->variable, b->variable)) return false;
        break;
    case FOI_OP_ELEMENT:
        if (!same_array(a->array, b->array, by)) return false;
        break;
    case FOI_OP_CALL:
        if (a->builtin != b->builtin) return false;
        break;
    case FOI_OP_RESULT:
        if (a->result != b->result || a->call->function->index != b->call->function->index ||
            !same_place(a->call->place, b->call->place, by) ||
            !same_exprs(a->call->arguments, b->call->arguments, a->call->function->input_count, by))
            return false;
        break;
    default: break;
    }
    bool curve = a->op == FOI_OP_CALL && (a->builtin == FOI_FN_ALONG || a->builtin == FOI_FN_AMONG);
    if (!curve) return same_exprs(a->arguments, b->arguments, a->count, by);
    return same_expr(a->arguments[0], b->arguments[0], by) &&
           same_curve(a->arguments[1], b->arguments[1], a->builtin == FOI_FN_AMONG, by);
}

// ------------------------------------------------------------------------------------ statements

static bool same_block(const foi_flat_block *a, const foi_flat_block *b, foi_renamed *by);

static bool same_branches(const foi_flat_branch *a, const foi_flat_branch *b, uint32_t count,
                          foi_renamed *by)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i].condition_count != b[i].condition_count ||
            !same_place(a[i].place, b[i].place, by) ||
            !same_exprs(a[i].conditions, b[i].conditions, a[i].condition_count, by) ||
            !same_block(&a[i].body, &b[i].body, by))
            return false;
    return true;
}

static bool same_statement(const foi_flat_statement *a, const foi_flat_statement *b,
                           foi_renamed *by)
{
    return a->action == b->action && a->count == b->count && a->branch_count == b->branch_count &&
           a->warning == b->warning && same_place(a->place, b->place, by) &&
           same_exprs(a->targets, b->targets, a->count, by) &&
           same_exprs(a->values, b->values, a->count, by) &&
           same_branches(a->branches, b->branches, a->branch_count, by) &&
           same_variable(a->variable, b->variable) && same_expr(a->first, b->first, by) &&
           same_expr(a->step, b->step, by) && same_expr(a->last, b->last, by) &&
           same_block(&a->body, &b->body, by) && same_expr(a->condition, b->condition, by) &&
           same_expr(a->message, b->message, by);
}

static bool same_block(const foi_flat_block *a, const foi_flat_block *b, foi_renamed *by)
{
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!same_statement(a->statements[i], b->statements[i], by)) return false;
    return true;
}

// -------------------------------------------------------------------------------------- the model

// A parameter that is one by itself, and whose number nobody has looked at.
static bool is_free(const foi_flat_variable *v)
{
    return v->variability == FOI_PARAMETER && v->type == FOI_REAL && !v->structural && v->alone &&
           v->binding && v->binding->op == FOI_OP_LITERAL && v->binding->type == FOI_REAL;
}

static bool same_binding(const foi_flat_variable *a, const foi_flat_variable *b, foi_renamed *by)
{
    bool free = by->exact && is_free(a) && b->binding && b->binding->op == FOI_OP_LITERAL &&
                b->binding->type == FOI_REAL;
    return free || same_expr(a->binding, b->binding, by);
}

// What only messages and descriptions tell.
static bool same_words(const foi_flat_variable *a, const foi_flat_variable *b, foi_renamed *by)
{
    return !by->exact ||
           (same_text(a->description, b->description, by) && same_place(a->place, b->place, by) &&
            same_text(a->inferred, b->inferred, by) && a->inferred_by == b->inferred_by &&
            a->fixed_given == b->fixed_given);
}

static bool same_declared(const foi_flat_variable *a, const foi_flat_variable *b, foi_renamed *by)
{
    bool kind = a->type == b->type && a->variability == b->variability &&
                a->causality == b->causality && a->select == b->select && a->state == b->state &&
                a->fixed == b->fixed && a->structural == b->structural &&
                a->is_protected == b->is_protected && a->is_final == b->is_final &&
                a->event == b->event && same_variable(a->event_value, b->event_value);
    return kind && same_text(a->name, b->name, by) && same_binding(a, b, by) &&
           same_words(a, b, by) && same_expr(a->start, b->start, by) &&
           same_expr(a->min, b->min, by) && same_expr(a->max, b->max, by) &&
           same_expr(a->nominal, b->nominal, by) && same_text(a->unit, b->unit, by) &&
           same_text(a->display_unit, b->display_unit, by) &&
           same_list(a->literals, b->literals, by);
}

static bool same_equations(const foi_flat_equation *a, const foi_flat_equation *b, uint32_t count,
                           foi_renamed *by, foi_place *place)
{
    for (uint32_t i = 0; i < count; i++) {
        *place = b[i].place;
        if (!same_place(a[i].place, *place, by) || !same_expr(a[i].left, b[i].left, by) ||
            !same_expr(a[i].right, b[i].right, by))
            return false;
    }
    return true;
}

// What annotations say; their functions are among the others, and compared there.
static bool same_known(const foi_flat_function *a, const foi_flat_function *b, foi_renamed *by)
{
    const foi_flat_known *x = a->known, *y = b->known;
    if (!x || !y) return x == y;
    if (x->derivative_count != y->derivative_count || x->ignores != y->ignores ||
        !x->inverse != !y->inverse)
        return false;
    for (uint32_t i = 0; i < x->derivative_count; i++) {
        const foi_flat_derivative *d = &x->derivatives[i], *e = &y->derivatives[i];
        if (d->function->index != e->function->index || d->order != e->order ||
            d->count != e->count ||
            (d->count && memcmp(d->of, e->of, d->count * sizeof *d->of) != 0) ||
            memcmp(d->still, e->still, a->input_count * sizeof *d->still) != 0)
            return false;
    }
    for (uint32_t i = 0; x->inverse && i < a->input_count; i++)
        if (!x->inverse[i] != !y->inverse[i] ||
            (x->inverse[i] && !same_expr(x->inverse[i], y->inverse[i], by)))
            return false;
    return memcmp(x->ignored, y->ignored, a->input_count * sizeof *x->ignored) == 0;
}

static bool same_function(const foi_flat_function *a, const foi_flat_function *b, foi_renamed *by)
{
    if (a->input_count != b->input_count || a->output_count != b->output_count ||
        a->local_count != b->local_count || !same_place(a->place, b->place, by))
        return false;
    for (uint32_t i = 0; i < a->local_count; i++)
        if (!same_declared(a->locals[i], b->locals[i], by)) return false;
    return same_known(a, b, by) && same_block(&a->body, &b->body, by);
}

static bool same_unit(const foi_flat_unit *a, const foi_flat_unit *b, foi_renamed *by)
{
    if (a->value_count != b->value_count || !same_text(a->name, b->name, by) ||
        strcmp(a->file, b->file) != 0)
        return false;
    for (uint32_t i = 0; i < a->value_count; i++)
        if (strcmp(a->values[i].name, b->values[i].name) != 0 ||
            !same_number(a->values[i].value, b->values[i].value))
            return false;
    return true;
}

static bool same_contents(const foi_flat_contents *a, const foi_flat_contents *b)
{
    if (a->count != b->count) return false;
    return !a->count || (memcmp(a->points, b->points, a->count * sizeof *a->points) == 0 &&
                         memcmp(a->values, b->values, a->count * sizeof *a->values) == 0);
}

static bool same_counts(const foi_flat *a, const foi_flat *b)
{
    return a->variable_count == b->variable_count && a->equation_count == b->equation_count &&
           a->initial_count == b->initial_count && a->when_count == b->when_count &&
           a->algorithm_count == b->algorithm_count && a->assert_count == b->assert_count &&
           a->function_count == b->function_count && a->unit_count == b->unit_count &&
           a->contents_count == b->contents_count;
}

static bool same_experiment(const foi_flat_experiment *a, const foi_flat_experiment *b)
{
    return same_number(a->start, b->start) && same_number(a->stop, b->stop) &&
           same_number(a->tolerance, b->tolerance) && same_number(a->interval, b->interval);
}

static bool same_sections(const foi_flat *a, const foi_flat *b, foi_renamed *by, foi_place *place)
{
    for (uint32_t i = 0; i < a->when_count; i++) {
        *place = b->whens[i].place;
        if (a->whens[i].branch_count != b->whens[i].branch_count ||
            !same_place(a->whens[i].place, *place, by) ||
            !same_branches(a->whens[i].branches, b->whens[i].branches, a->whens[i].branch_count,
                           by))
            return false;
    }
    for (uint32_t i = 0; i < a->algorithm_count; i++) {
        *place = b->algorithms[i].place;
        if (a->algorithms[i].initial != b->algorithms[i].initial ||
            a->algorithms[i].local_count != b->algorithms[i].local_count ||
            !same_place(a->algorithms[i].place, *place, by) ||
            !same_block(&a->algorithms[i].body, &b->algorithms[i].body, by))
            return false;
    }
    for (uint32_t i = 0; i < a->assert_count; i++) {
        const foi_flat_assert *x = &a->asserts[i], *y = &b->asserts[i];
        *place = y->place;
        if (x->warning != y->warning || x->initial != y->initial ||
            !same_place(x->place, y->place, by) || !same_expr(x->condition, y->condition, by) ||
            !same_expr(x->message, y->message, by))
            return false;
    }
    return true;
}

bool foi_flat_same(const foi_flat *a, const foi_flat *b, foi_renamed *by, foi_place *place)
{
    *place = (foi_place){0};
    if (!same_counts(a, b) || !same_text(a->name, b->name, by) ||
        !same_experiment(&a->experiment, &b->experiment))
        return false;
    for (uint32_t i = 0; i < a->variable_count; i++) {
        *place = b->variables[i]->place;
        if (!same_declared(a->variables[i], b->variables[i], by)) return false;
    }
    for (uint32_t i = 0; i < a->function_count; i++) {
        *place = b->functions[i]->place;
        if (!same_function(a->functions[i], b->functions[i], by)) return false;
    }
    if (!same_equations(a->equations, b->equations, a->equation_count, by, place) ||
        !same_equations(a->initial, b->initial, a->initial_count, by, place) ||
        !same_sections(a, b, by, place))
        return false;
    *place = (foi_place){0};
    for (uint32_t i = 0; i < a->unit_count; i++)
        if (!same_unit(&a->units[i], &b->units[i], by)) return false;
    for (uint32_t i = 0; i < a->contents_count; i++)
        if (!same_contents(&a->contents[i], &b->contents[i])) return false;
    return true;
}

// No number of theirs is asked for here, and functions of the model are compared by their bodies.
static bool is_own(const foi_flat *f)
{
    return !f->unit_count && !f->outside;
}

bool foi_flat_same_but_numbers(const foi_flat *a, const foi_flat *b)
{
    foi_renamed by = {"", "", UINT64_MAX, true};
    foi_place place;
    if (!is_own(a) || !is_own(b) || a->clocked != b->clocked || a->file_count != b->file_count ||
        !same_text(a->description, b->description, &by) || !same_number(a->slide.mu, b->slide.mu) ||
        !same_number(a->slide.eps, b->slide.eps))
        return false;
    for (uint32_t i = 0; i < a->file_count; i++)
        if (!same_text(a->files[i], b->files[i], &by)) return false;
    for (uint32_t i = 0; i < a->function_count && i < b->function_count; i++)
        if (a->functions[i]->recursive != b->functions[i]->recursive ||
            !same_text(a->functions[i]->name, b->functions[i]->name, &by))
            return false;
    return foi_flat_same(a, b, &by, &place);
}
