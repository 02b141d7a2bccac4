/// What annotations say about functions:
///
///     annotation(derivative(noDerivative = k, zeroDerivative = n, order = 1) = f_der)
///     annotation(inverse(x = f_inverse(y, k)))
///
/// The functions that are named there are made for the same sizes of arguments. Nothing that is
/// wrong with them makes the model wrong: they are not used then, and a warning says why.
#include <string.h>

#include "language/session.h"

/// A function whose annotation is read.
typedef struct annotated {
    foi_session *s;
    foi_special *f;
    foi_class *lexical;      ///< where the annotation is written
    const foi_value *values; ///< one for each input
    uint32_t count;
    uint32_t *first; ///< per input and one more: where its elements begin among all
    foi_flat_known *known;
    bool *needed, *ignored;
} annotated;

static bool is_named(const foi_argument *a, const char *name)
{
    return strcmp(a->name, name) == 0;
}

static const foi_member *input_at(const foi_class *c, uint32_t index)
{
    for (uint32_t i = 0; i < c->member_count; i++)
        if (c->members[i].declaration->causality == FOI_INPUT && index-- == 0)
            return &c->members[i];
    return NULL;
}

static uint32_t input_count(const foi_class *c)
{
    uint32_t count = 0;
    while (input_at(c, count)) count++;
    return count;
}

// What a name of the annotation means; nothing is said where there is none.
static foi_class *function_named(annotated *a, const foi_ast *e)
{
    if (!e || e->kind != FOI_AST_REF) return NULL;
    const foi_ref *ref = e->ref;
    foi_class *from = ref->global ? &a->s->root : a->lexical;
    foi_class *c = foi_lookup(a->s, from, ref->parts[0].name).c;
    for (uint32_t i = 1; c && i < ref->count; i++)
        c = foi_find_in_class(a->s, c, ref->parts[i].name);
    return c && foi_analyse(a->s, c) && c->kind == FOI_CLASS_FUNCTION && !c->partial ? c : NULL;
}

static void unused(annotated *a, const foi_argument *at, const char *why)
{
    if (foi_of_library(a->f->c)) return;
    foi_warning(a->s, at->place, "'%s' of '%s' is not used: %s", at->name, a->f->c->name, why);
}

// Is one of the inputs named: zeroDerivative = x?
static bool names_input(const foi_argument *of, const char *word, const char *input)
{
    for (uint32_t i = 0; i < of->modifier->count; i++) {
        const foi_argument *a = &of->modifier->arguments[i];
        if (!is_named(a, word) || !a->modifier) continue;
        const foi_ast *e = a->modifier->value;
        if (e && e->kind == FOI_AST_REF && e->ref->parts[0].name == input) return true;
        for (uint32_t k = 0; k < a->modifier->count; k++) // noDerivative(x = formula)
            if (a->modifier->arguments[k].name == input) return true;
    }
    return false;
}

// 0: it is none.
static uint32_t order_of(const foi_argument *of)
{
    for (uint32_t i = 0; i < of->modifier->count; i++) {
        const foi_argument *a = &of->modifier->arguments[i];
        const foi_ast *e = a->modifier ? a->modifier->value : NULL;
        if (!is_named(a, "order")) continue;
        bool whole = e && e->kind == FOI_AST_INTEGER && e->number >= 1 && e->number <= 1000;
        return whole ? (uint32_t)e->number : 0;
    }
    return 1;
}

// ------------------------------------------------------------------------------------- derivatives

/// The inputs of a derivative's function.
typedef struct rates {
    foi_value *values;
    uint32_t count;
    uint32_t *of; ///< per element behind those of the function
    uint32_t of_count;
    bool *still;
} rates;

// All Reals, or none.
static bool is_real(const annotated *a, uint32_t input, bool *mixed)
{
    uint32_t reals = 0, from = a->first[input], to = a->first[input + 1];
    for (uint32_t i = from; i < to; i++) reals += a->f->frame.locals[i]->type == FOI_REAL;
    *mixed = reals && reals < to - from;
    return reals && !*mixed;
}

static bool append(annotated *a, rates *r, uint32_t input)
{
    r->values[r->count++] = a->values[input];
    for (uint32_t i = a->first[input]; i < a->first[input + 1]; i++) {
        uint32_t *slot = foi_arena_add(&a->s->flat->arena, &r->of, &r->of_count, sizeof *slot);
        if (!slot) return false;
        *slot = i;
    }
    return true;
}

// Which inputs have derivatives among the inputs of `d`, and what `d` is called with.
static bool find_rates(annotated *a, const foi_argument *at, const foi_class *d, uint32_t order,
                       rates *r)
{
    uint32_t all = input_count(d), own = a->count;
    *r = (rates){.values = foi_arena_new(&a->s->arena, 2 * own + 1, sizeof *r->values)};
    r->still = foi_arena_new(&a->s->flat->arena, a->first[own] + 1u, sizeof *r->still);
    if (!r->values || !r->still) return false;
    for (uint32_t i = 0; i < own; i++) r->values[r->count++] = a->values[i];
    for (uint32_t i = 0; i < own; i++) {
        const char *name = input_at(a->f->c, i)->declaration->name;
        bool mixed, real = is_real(a, i, &mixed);
        bool zero = names_input(at, "zeroDerivative", name);
        bool none = names_input(at, "noDerivative", name);
        a->known->ignores |= none;
        for (uint32_t k = a->first[i]; k < a->first[i + 1] && order == 1; k++) {
            bool number = a->f->frame.locals[k]->type == FOI_REAL;
            r->still[k] = zero && number, a->needed[k] |= r->still[k];
            a->ignored[k] |= none;
        }
        if (order == 1 && mixed && !zero && !none) return false;
        bool last = order > 1 && all >= own && i >= own - (all - own);
        if ((order == 1 ? real && !zero && !none : last) && !append(a, r, i)) return false;
    }
    for (uint32_t i = 0; i < r->of_count; i++) a->needed[r->of[i]] = true;
    return r->count == all;
}

// Does an input of the derivative have the name of another input, or `der_` before it?
static bool is_misplaced(const annotated *a, const char *given, uint32_t input)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (i != input && strcmp(given, input_at(a->f->c, i)->declaration->name) == 0) return true;
    return false;
}

// The order of inputs is all that says what they are; where their names say another one, one of
// the two is wrong.
static bool in_order(const annotated *a, const foi_class *d, const rates *r)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (is_misplaced(a, input_at(d, i)->declaration->name, i)) return false;
    for (uint32_t i = a->count; i < r->count; i++) {
        const char *name = input_at(d, i)->declaration->name;
        uint32_t of = 0;
        while (of + 1 < a->count && a->first[of + 1] <= r->of[at]) of++;
        if (strncmp(name, "der_", 4) == 0 && is_misplaced(a, name + 4, of)) return false;
        at += a->first[of + 1] - a->first[of];
    }
    return true;
}

// Results that are Reals, each of the same size.
static bool same_sizes(const annotated *a, const foi_special *d)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < a->f->result_count; i++) {
        const foi_value *y = &a->f->results[i];
        if (!y->record && y->type != FOI_REAL) continue;
        const foi_value *dy = next < d->result_count ? &d->results[next++] : NULL;
        if (!dy || !foi_same_size(y, dy) || !y->record != !dy->record) return false;
    }
    for (uint32_t i = 0; i < d->function->output_count; i++)
        if (d->frame.locals[d->function->input_count + i]->type != FOI_REAL) return false;
    return next == d->result_count;
}

// Of each output that is Real, in their order.
static bool find_results(const annotated *a, const foi_flat_function *d, uint32_t **result)
{
    const foi_flat_function *f = a->f->function;
    uint32_t next = 0;
    *result = foi_arena_new(&a->s->flat->arena, f->output_count + 1u, sizeof **result);
    for (uint32_t i = 0; *result && i < f->output_count; i++) {
        bool real = a->f->frame.locals[f->input_count + i]->type == FOI_REAL;
        (*result)[i] = real ? next++ : UINT32_MAX;
    }
    return *result && next == d->output_count;
}

// C of others is called; what is answered here is no function of its own.
static bool is_callable(annotated *a, foi_place place, foi_class *d, const rates *r)
{
    const foi_value *results;
    uint32_t count;
    bool outside = false;
    if (!foi_external_of(d)) return true;
    return a->s->def->allow_external &&
           foi_external_call(a->s, place, d, r->values, r->count, &results, &count, &outside) &&
           outside;
}

static bool add_derivative(annotated *a, const foi_argument *at, const char **why)
{
    foi_class *d = function_named(a, at->modifier->value);
    uint32_t order = order_of(at), *result;
    rates r;
    foi_special *made;
    *why = "there is no such function";
    if (!d) return false;
    *why = "its order must be a number from 1 on";
    if (!order) return false;
    *why = "its inputs are not those of the function and the derivatives of its Reals";
    if (!find_rates(a, at, d, order, &r)) return false;
    *why = "its inputs have the names of others: they stand in another order";
    if (!in_order(a, d, &r)) return false;
    *why = "it cannot be called";
    if (!is_callable(a, at->place, d, &r) ||
        !foi_special_for(a->s, at->place, d, r.values, r.count, &made))
        return false;
    *why = "its inputs and results are not those of a derivative";
    if (made->function->input_count != a->first[a->count] + r.of_count || !same_sizes(a, made) ||
        !find_results(a, made->function, &result))
        return false;
    foi_flat_derivative *slot = foi_arena_add(&a->s->flat->arena, &a->known->derivatives,
                                              &a->known->derivative_count, sizeof *slot);
    if (!slot) return false;
    *slot = (foi_flat_derivative){.function = made->function, .order = order, .of = r.of};
    slot->count = r.of_count, slot->still = r.still, slot->result = result;
    return true;
}

// ---------------------------------------------------------------------------------------- inverses

static bool add_inverse(annotated *a, const foi_argument *at, const char **why)
{
    foi_session *s = a->s;
    const foi_flat_function *f = a->f->function;
    uint32_t input = 0;
    while (input < a->count && input_at(a->f->c, input)->declaration->name != at->name) input++;
    *why = "that is no input";
    if (input == a->count || !at->modifier || !at->modifier->value) return false;
    uint32_t place = a->first[input];
    *why = "only one Real that follows from one Real result has an inverse here";
    if (f->output_count != 1 || a->first[input + 1] != place + 1 ||
        a->f->frame.locals[place]->type != FOI_REAL ||
        a->f->frame.locals[f->input_count]->type != FOI_REAL)
        return false;
    foi_context inside = {.self = a->f->instance, .lexical = a->lexical, .frame = &a->f->frame};
    const foi_flat_expr *e;
    *why = "it cannot be called";
    if (!foi_expand_scalar(s, &inside, at->modifier->value, FOI_REAL, "an inverse", &e) ||
        e->op != FOI_OP_RESULT)
        return false;
    for (uint32_t i = 0; i < e->call->function->input_count; i++) {
        foi_flat_op op = e->call->arguments[i]->op;
        *why = "its arguments must be inputs, the result and numbers";
        if (op != FOI_OP_VARIABLE && op != FOI_OP_LITERAL && op != FOI_OP_STRING) return false;
    }
    if (!a->known->inverse)
        a->known->inverse =
            foi_arena_new(&s->flat->arena, f->input_count, sizeof *a->known->inverse);
    if (!a->known->inverse) return false;
    a->known->inverse[place] = e;
    return true;
}

// --------------------------------------------------------------------------------------- functions

typedef bool addition(annotated *a, const foi_argument *at, const char **why);

// What is wrong with it stays inside: its messages are forgotten.
static void try(annotated *a, const foi_argument *at, addition *add)
{
    foi_session *s = a->s;
    size_t count = s->messages->count, errors = s->messages->errors;
    foi_special *special = s->special;
    bool annotating = s->annotating, hopeless = s->hopeless;
    const char *why = "";
    uint32_t depth = s->depth;
    s->special = NULL, s->annotating = true;
    bool right = add(a, at, &why) && s->messages->errors == errors;
    s->special = special, s->annotating = annotating, s->depth = depth;
    if (right || s->arena.failed || s->flat->arena.failed) return;
    foi_messages_forget(s->messages, count);
    s->hopeless = hopeless;
    unused(a, at, why);
}

static void read_annotation(annotated *a, const foi_modifier *m)
{
    for (uint32_t i = 0; m && i < m->count; i++) {
        const foi_argument *at = &m->arguments[i];
        if (!at->modifier) continue;
        const foi_ast *value = at->modifier->value;
        if (is_named(at, "derivative") && value) try(a, at, add_derivative);
        for (uint32_t k = 0; is_named(at, "inverse") && k < at->modifier->count; k++)
            try(a, &at->modifier->arguments[k], add_inverse);
    }
}

static bool begin(annotated *a)
{
    foi_arena *arena = &a->s->flat->arena;
    uint32_t inputs = a->f->function->input_count;
    a->known = foi_arena_new(arena, 1, sizeof *a->known);
    a->needed = foi_arena_new(arena, inputs + 1u, sizeof *a->needed);
    a->ignored = foi_arena_new(arena, inputs + 1u, sizeof *a->ignored);
    a->first = foi_arena_new(&a->s->arena, a->count + 1u, sizeof *a->first);
    if (!a->known || !a->needed || !a->ignored || !a->first) return false;
    const foi_flat_expr **list = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!foi_flatten_value(a->s, &a->values[i], &list, &count)) return false;
        a->first[i + 1] = count;
    }
    a->known->needed = a->needed, a->known->ignored = a->ignored;
    return count == inputs;
}

static bool says_something(const foi_modifier *m)
{
    for (uint32_t i = 0; m && i < m->count; i++) {
        const foi_argument *at = &m->arguments[i];
        if (is_named(at, "derivative") || is_named(at, "inverse")) return true;
    }
    return false;
}

bool foi_annotate(foi_session *s, foi_special *f, const foi_value *values, uint32_t count)
{
    annotated a = {.s = s, .f = f, .values = values, .count = count};
    bool any = false;
    for (uint32_t i = 0; i < f->c->ancestor_count; i++) {
        const foi_class *c = f->c->ancestors[i];
        any |= says_something(c->annotation);
        any |= c->external && says_something(c->external->annotation);
    }
    for (uint32_t i = 0; i < count; i++)
        if (values[i].function) any = false; // of functions nobody takes derivatives
    if (!any || !foi_enter(s, f->c->place)) return !any;
    if (!begin(&a)) return s->depth--, !s->arena.failed && !s->flat->arena.failed;
    for (uint32_t i = 0; i < f->c->ancestor_count; i++) {
        foi_class *c = f->c->ancestors[i];
        a.lexical = c;
        read_annotation(&a, c->annotation);
        if (c->external) read_annotation(&a, c->external->annotation);
    }
    if (a.known->derivative_count || a.known->inverse) f->function->known = a.known;
    s->depth--;
    return !s->arena.failed && !s->flat->arena.failed;
}

// ----------------------------------------------------------------------------------------- the end

static const foi_special *special_of(const foi_session *s, const foi_flat_function *f)
{
    for (uint32_t i = s->special_count; i-- > 0;)
        if (s->specials[i]->function == f) return s->specials[i];
    return NULL;
}

static bool is_broken(const foi_session *s, const foi_flat_function *f)
{
    const foi_special *made = special_of(s, f);
    return !made || made->broken || !made->function->ready;
}

static void say_broken(foi_session *s, const foi_special *f, const char *word, const char *name)
{
    if (!foi_of_library(f->c))
        foi_warning(s, f->c->place, "the %s '%s' of '%s' is not used: it cannot be worked out",
                    word, name, f->c->name);
}

static void leave_out(foi_session *s, foi_special *f)
{
    foi_flat_known *k = f->function->known;
    uint32_t kept = 0;
    bool any = false;
    for (uint32_t i = 0; i < k->derivative_count; i++)
        if (!is_broken(s, k->derivatives[i].function))
            k->derivatives[kept++] = k->derivatives[i];
        else
            say_broken(s, f, "derivative", k->derivatives[i].function->name);
    k->derivative_count = kept;
    for (uint32_t i = 0; k->inverse && i < f->function->input_count; i++) {
        if (k->inverse[i] && is_broken(s, k->inverse[i]->call->function)) {
            say_broken(s, f, "inverse", k->inverse[i]->call->function->name);
            k->inverse[i] = NULL;
        }
        any |= k->inverse[i] != NULL;
    }
    if (!any) k->inverse = NULL;
    if (!kept && !any) f->function->known = NULL;
}

// Is there a choice among the values of a statement?
static bool chooses(const foi_flat_expr *e, int depth)
{
    enum { DEEPEST = 50 };
    if (e->op == FOI_OP_IF) return true;
    for (uint32_t i = 0; i < e->count && depth < DEEPEST; i++)
        if (chooses(e->arguments[i], depth + 1)) return true;
    return false;
}

static bool searches(const foi_flat_block *block, bool in_loop)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const foi_flat_statement *st = block->statements[i];
        if (st->action == FOI_DO_WHILE || (st->action == FOI_DO_IF && in_loop)) return true;
        for (uint32_t k = 0; in_loop && st->action == FOI_DO_ASSIGN && k < st->count; k++)
            if (chooses(st->values[k], 0)) return true;
        if (st->action == FOI_DO_FOR && searches(&st->body, true)) return true;
        for (uint32_t b = 0; b < st->branch_count; b++)
            if (searches(&st->branches[b].body, in_loop)) return true;
    }
    return false;
}

// Does what flows decide something?
static bool compares(const foi_flat_expr *e, int depth)
{
    enum { DEEPEST = 50 };
    bool relation = e->op >= FOI_OP_LESS && e->op <= FOI_OP_NOT_EQUAL;
    bool step = e->op == FOI_OP_CALL && (e->builtin == FOI_FN_SIGN || e->builtin == FOI_FN_FLOOR ||
                                         e->builtin == FOI_FN_CEIL || e->builtin == FOI_FN_INTEGER);
    if ((relation || step) && e->arguments[0]->type == FOI_REAL) return true;
    if (e->op == FOI_OP_RESULT && e->type != FOI_REAL) return true;
    for (uint32_t i = 0; i < e->count; i++)
        if (depth >= DEEPEST || compares(e->arguments[i], depth + 1)) return true;
    return false;
}

static bool all_compare(const foi_flat_expr *const *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (compares(list[i], 0)) return true;
    return false;
}

// Is it what flows that decides in a loop, as where an interval is halved? The result is then what
// a search ends at, and the derivative of each operation says nothing of it.
static bool narrows(const foi_flat_block *block, bool in_loop)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const foi_flat_statement *st = block->statements[i];
        bool loops = st->action == FOI_DO_WHILE || st->action == FOI_DO_FOR,
             inside = in_loop | loops;
        if (in_loop && st->action == FOI_DO_ASSIGN && all_compare(st->values, st->count))
            return true;
        for (uint32_t b = 0; b < st->branch_count; b++)
            if ((inside &&
                 all_compare(st->branches[b].conditions, st->branches[b].condition_count)) ||
                narrows(&st->branches[b].body, inside))
                return true;
        if (st->action == FOI_DO_FOR && narrows(&st->body, true)) return true;
    }
    return false;
}

// Functions that find their result by a search, or call one that does.
static void find_searches(foi_session *s)
{
    for (uint32_t i = 0; i < s->special_count; i++) {
        foi_flat_function *f = s->specials[i]->function;
        if (!f->ready || f->outside) continue;
        f->searches = searches(&f->body, false);
        f->searches_itself = narrows(&f->body, false);
    }
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->special_count; i++) {
            foi_special *f = s->specials[i];
            for (uint32_t k = 0; k < f->call_count && !f->function->searches; k++)
                if (f->calls[k]->function->searches) f->function->searches = more = true;
        }
    }
}

void foi_annotate_end(foi_session *s)
{
    find_searches(s);
    for (uint32_t i = 0; i < s->special_count; i++)
        s->specials[i]->broken |= s->specials[i]->optional && !s->specials[i]->function->ready;
    for (bool more = true; more;) { // who calls what is broken is so, too
        more = false;
        for (uint32_t i = 0; i < s->special_count; i++) {
            foi_special *f = s->specials[i];
            for (uint32_t k = 0; k < f->call_count && !f->broken; k++)
                if (f->calls[k]->broken && f->optional) f->broken = more = true;
        }
    }
    for (uint32_t i = 0; i < s->special_count; i++)
        if (s->specials[i]->function->known && !s->specials[i]->broken)
            leave_out(s, s->specials[i]);
}
