/// What annotations of functions say: derivatives and inverses.
///
/// A call is worked out as its statements say, and is nothing but an expression then. Where its
/// function names its derivative or its inverse, the expression remembers the call: it becomes
/// CALLED(expression), with the arguments. Index reduction and der() then take the derivative that
/// the annotation names, and an equation with one unknown inside of the call is solved by the
/// inverse. An expression that is a formula, perhaps with branches, is differentiated as it is: its
/// derivative is that of the formula, whatever an annotation says. What is found by a search, as by
/// bisection, is no formula: there the annotation counts.
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "equations/equations.h"
#include "equations/outside.h"

static bool has_texts(const foi_flat_call *call)
{
    for (uint32_t i = 0; i < call->function->input_count; i++)
        if (call->arguments[i]->type == FOI_STRING) return true;
    return false;
}

// Does the value come from outside, with its rate beside it? No formula has the derivative of an
// input; of all else a formula is differentiated as it is.
static bool is_given(foi_equations *e, const foi_flat_function *f, foi_node value)
{
    return f->known->ignores && (foi_facts_of(e, value) & FOI_FACT_INPUT) != 0;
}

// Is there something about the value that its expression does not tell?
static bool is_worth_it(foi_equations *e, const foi_flat_function *f, foi_node value)
{
    const foi_flat_known *k = f->known;
    if (foi_is_constant(&e->g, value)) return false;
    if (k->inverse) return true;
    if (!k->derivative_count) return false;
    return is_given(e, f, value) || foi_is_operation(e, f) || f->searches ||
           (foi_facts_of(e, value) & FOI_FACT_FRAME) != 0;
}

// Does it matter where the derivative is called? Otherwise equal calls are one, wherever they are.
static bool is_outside(foi_equations *e, const foi_flat_function *f, foi_node value)
{
    bool outside = foi_is_operation(e, f);
    for (uint32_t i = 0; i < f->known->derivative_count; i++)
        outside |= foi_is_operation(e, f->known->derivatives[i].function);
    return outside || (foi_facts_of(e, value) & FOI_FACT_FRAME) != 0;
}

// The number of a call, for nodes: the same for all calls of a function, unless texts are passed.
static fo_status number_of(foi_equations *e, const foi_flat_call *call, uint32_t result,
                           uint32_t *number)
{
    uintptr_t name = has_texts(call) ? (uintptr_t)call : 0;
    uint32_t key[6] = {UINT32_MAX - 1, call->function->index, result, e->order, (uint32_t)name};
    key[5] = (uint32_t)((uint64_t)name >> 32);
    const foi_node *known = foi_memo_find(&e->memo, key, 6);
    if (known) return *number = known[0], FO_OK;
    *number = (uint32_t)e->called_count;
    if (!foi_array_room(e->allocator, &e->called, &e->called_room, e->called_count + 1,
                        sizeof *e->called) ||
        !foi_memo_keep(&e->memo, e, key, 6, number, 1))
        return foi_equations_no_memory(e);
    e->called[e->called_count++] = (foi_called_function){call, result, e->order};
    return FO_OK;
}

fo_status foi_mark_called(foi_equations *e, const foi_flat_call *call, const foi_node *arguments,
                          uint32_t result, foi_node where, foi_node *value)
{
    foi_graph *g = &e->g;
    const foi_flat_function *f = call->function;
    if (g->plain || f->locals[f->input_count + result]->type != FOI_REAL) return FO_OK;
    if (!is_worth_it(e, f, *value)) return g->failed ? foi_equations_no_memory(e) : FO_OK;
    foi_node pass = foi_constant(g, FOI_OUTSIDE_PASS), first = foi_leaf_of(g, FOI_LEAF_FRAME, 0);
    if (!is_outside(e, f, *value)) where = foi_constant(g, 1);
    foi_node needed = first, others = foi_make(g, FOI_G_OUTSIDE, first, where, pass);
    for (uint32_t i = 0; i < f->input_count; i++) {
        foi_node *list = f->known->needed[i] ? &needed : &others;
        *list = foi_make(g, FOI_G_OUTSIDE, *list, arguments[i], pass);
    }
    uint32_t number;
    fo_status status = number_of(e, call, result, &number);
    if (status == FO_OK) *value = foi_make_called(g, *value, needed, others, number);
    return status == FO_OK && g->failed ? foi_equations_no_memory(e) : status;
}

// ------------------------------------------------------------------------------------- derivatives

/// A call that is differentiated.
typedef struct differentiated {
    foi_equations *e;
    const foi_flat_call *call;
    uint32_t result, order;
    foi_node where;
    foi_node *arguments; ///< per input
    foi_node *rates;     ///< per input: its derivative; FOI_NO_NODE: it has none
} differentiated;

static bool begin(differentiated *d, uint32_t inputs)
{
    d->arguments = foi_new(d->e->allocator, 2 * (size_t)inputs + 1, sizeof *d->arguments);
    d->rates = d->arguments ? d->arguments + inputs : NULL;
    if (!d->arguments) d->e->g.failed = true;
    return d->arguments;
}

// What was passed to a node CALLED.
static bool take_apart(differentiated *d, foi_node called, bool rates)
{
    const foi_graph *g = &d->e->g;
    foi_graph_node n = g->nodes[called];
    const foi_called_function *about = &d->e->called[n.c];
    const foi_flat_function *f = about->call->function;
    foi_node needed = g->nodes[n.b].a, others = g->nodes[n.b].b;
    d->call = about->call, d->result = about->result, d->order = about->order;
    if (!begin(d, f->input_count)) return false;
    for (uint32_t i = f->input_count; i-- > 0;) {
        foi_node *list = f->known->needed[i] ? &needed : &others;
        d->arguments[i] = g->nodes[*list].b;
        d->rates[i] = rates && f->known->needed[i] ? g->map[d->arguments[i]] : FOI_NO_NODE;
        *list = g->nodes[*list].a;
    }
    d->where = g->nodes[others].b;
    return true;
}

static bool fits(const differentiated *d, const foi_flat_derivative *x)
{
    if (x->order != 1 && (x->order != d->order + 1 || !d->order)) return false;
    if (x->result[d->result] == UINT32_MAX) return false;
    for (uint32_t i = 0; i < d->call->function->input_count; i++)
        if (x->still[i] && (d->rates[i] == FOI_NO_NODE || !foi_is_number(&d->e->g, d->rates[i], 0)))
            return false;
    for (uint32_t k = 0; k < x->count; k++)
        if (d->rates[x->of[k]] == FOI_NO_NODE) return false;
    return true;
}

/// What the lowering of something is that the text does not have: what it asserts is not watched,
/// its statements are counted apart, and where it cannot be worked out there is none.
typedef struct aside {
    struct foi_scope *scope;
    fo_message why;
    foi_place place;
    foi_node where;
    uint32_t order, statements, epoch;
    bool silent, only_start;
} aside;

static aside begin_aside(foi_equations *e, struct foi_scope *scope, foi_node where, uint32_t order)
{
    aside a = {.scope = e->scope, .place = e->place, .where = e->where, .order = e->order};
    a.statements = e->statements, a.epoch = e->epoch;
    a.silent = e->silent, a.only_start = e->only_start;
    if (e->why) a.why = *e->why;
    if (!e->silent) e->statements = e->statements_silent;
    e->scope = scope, e->where = where, e->order = order, e->epoch = ++e->epochs;
    e->silent = true, e->only_start = false;
    return a;
}

static foi_node end_aside(foi_equations *e, const aside *a, fo_status status, foi_node node)
{
    if (!a->silent) e->statements_silent = e->statements, e->statements = a->statements;
    e->scope = a->scope, e->where = a->where, e->order = a->order, e->epoch = a->epoch;
    e->silent = a->silent, e->only_start = a->only_start;
    if (status == FO_OK) return node;
    if (status == FO_ERROR_MEMORY) e->g.failed = true;
    if (e->why) *e->why = a->why;
    e->place = a->place;
    return FOI_NO_NODE;
}

static foi_node call_derivative(differentiated *d, const foi_flat_derivative *x)
{
    static const foi_flat_expr number = {.op = FOI_OP_LITERAL, .size = 1};
    foi_equations *e = d->e;
    uint32_t own = d->call->function->input_count, all = own + x->count;
    foi_flat_call *call = foi_arena_new(&e->texts, 1, sizeof *call);
    const foi_flat_expr **types = foi_arena_new(&e->texts, all + 1, sizeof *types);
    foi_node *arguments = foi_new(e->allocator, (size_t)all + 1, sizeof *arguments);
    foi_node node = FOI_NO_NODE;
    if (call && types && arguments) {
        for (uint32_t i = 0; i < own; i++)
            arguments[i] = d->arguments[i], types[i] = d->call->arguments[i];
        for (uint32_t k = 0; k < x->count; k++)
            arguments[own + k] = d->rates[x->of[k]], types[own + k] = &number;
        *call = (foi_flat_call){x->function, types, d->call->place};
        aside a = begin_aside(e, NULL, d->where, x->order);
        fo_status status =
            foi_lower_call(e, call, arguments, x->result[d->result], d->where, &node, NULL);
        node = end_aside(e, &a, status, node);
    } else {
        e->g.failed = true;
    }
    foi_free(e->allocator, arguments);
    return node;
}

static foi_node derivative(void *self, foi_node called, bool *plain)
{
    differentiated d = {.e = self};
    foi_node rate = FOI_NO_NODE;
    if (!take_apart(&d, called, true)) return 0;
    const foi_flat_known *k = d.call->function->known;
    for (uint32_t i = 0; i < k->derivative_count && rate == FOI_NO_NODE; i++)
        if (!k->derivatives[i].rough && fits(&d, &k->derivatives[i]))
            rate = call_derivative(&d, &k->derivatives[i]);
    *plain = rate == FOI_NO_NODE;
    foi_free(d.e->allocator, d.arguments);
    return rate;
}

foi_node foi_derive_called(foi_equations *e, foi_node n, foi_leaf_map *leaf)
{
    if (!e->called_count) return foi_graph_derive(&e->g, n, leaf, e);
    bool *plain = foi_new(e->allocator, e->called_count, sizeof *plain);
    if (!plain) return e->g.failed = true, 0;
    for (size_t i = 0; i < e->called_count; i++) {
        const foi_flat_function *f = e->called[i].call->function;
        plain[i] = !f->known->derivative_count;
    }
    foi_node rate = foi_graph_derive_calls(&e->g, n, leaf, derivative, plain, e);
    foi_free(e->allocator, plain);
    return rate;
}

// ---------------------------------------------------------------------------------------- partials

static const foi_flat_function *outside_function(const foi_equations *e, uint32_t number)
{
    for (uint32_t i = 0; i < e->flat->function_count; i++) {
        const foi_flat_function *f = e->flat->functions[i];
        if (foi_is_operation(e, f) && f->known && f->outside_number == number) return f;
    }
    return NULL;
}

static foi_node partial_of(foi_equations *e, const foi_flat_function *f, foi_node result,
                           uint32_t input)
{
    static const foi_flat_expr number = {.op = FOI_OP_LITERAL, .size = 1};
    foi_graph *g = &e->g;
    if (f->known->ignored[input]) return foi_constant(g, 0);
    foi_flat_call *call = foi_arena_new(&e->texts, 1, sizeof *call);
    const foi_flat_expr **types = foi_arena_new(&e->texts, f->input_count, sizeof *types);
    differentiated d = {.e = e, .call = call};
    if (!call || !types || !begin(&d, f->input_count)) return g->failed = true, FOI_NO_NODE;
    d.result = (uint32_t)foi_constant_value(g, g->nodes[result].b);
    foi_node list = g->nodes[g->nodes[result].a].a, found = FOI_NO_NODE;
    for (uint32_t i = f->input_count; i-- > 0; list = g->nodes[list].a) {
        d.arguments[i] = g->nodes[list].b, types[i] = &number;
        d.rates[i] = foi_constant(g, i == input);
    }
    d.where = g->nodes[list].b;
    *call = (foi_flat_call){.function = f, .arguments = types};
    for (uint32_t i = 0; i < f->known->derivative_count && found == FOI_NO_NODE; i++) {
        const foi_flat_derivative *x = &f->known->derivatives[i];
        bool has = false;
        for (uint32_t k = 0; k < x->count; k++) has |= x->of[k] == input;
        if (i + 1 < f->known->derivative_count && x[1].rough) continue; // which is never at a loss
        if (has && fits(&d, x)) found = call_derivative(&d, x);
    }
    foi_free(e->allocator, d.arguments);
    return found;
}

foi_node foi_partial_called(void *self, foi_node result, uint32_t input)
{
    foi_equations *e = self;
    const foi_graph *g = &e->g;
    const uint32_t key[3] = {UINT32_MAX - 2, result, input};
    const foi_node *known = foi_memo_find(&e->memo, key, 3);
    if (known) return known[0];
    const foi_graph_node call = g->nodes[g->nodes[result].a];
    const foi_flat_function *f = outside_function(e, (uint32_t)foi_constant_value(g, call.b));
    foi_node found = FOI_NO_NODE;
    bool text = false;
    for (uint32_t i = 0; f && i < f->input_count; i++) text |= f->locals[i]->type == FOI_STRING;
    if (f && !text && f->locals[input]->type == FOI_REAL) found = partial_of(e, f, result, input);
    if (!foi_memo_keep(&e->memo, e, key, 3, &found, 1)) e->g.failed = true;
    return found;
}

// ----------------------------------------------------------------------------------------- numbers

// The result of a call with these arguments; `other`: of one of them another number.
static double number_called(const foi_equations *e, foi_node call, uint32_t result, uint32_t other,
                            double by, const double *value)
{
    const foi_graph *g = &e->g;
    foi_outside *o = e->flat->outside;
    uint32_t number = (uint32_t)foi_constant_value(g, g->nodes[call].b);
    if (!o || number >= o->function_count) return NAN;
    const foi_outside_function *f = o->functions[number];
    double *in = foi_new(e->allocator, (size_t)f->inputs + f->outputs + 1, sizeof *in), y = NAN;
    foi_node list = g->nodes[call].a;
    if (!in) return NAN;
    for (uint32_t i = f->inputs; i-- > 0; list = g->nodes[list].a)
        in[i] = value[g->nodes[list].b] + (i == other ? by : 0);
    if (foi_outside_run(o, number, in, in + f->inputs)) y = in[f->inputs + result];
    foi_free(e->allocator, in);
    return y;
}

double foi_outside_number(const foi_equations *e, foi_node at, const double *value)
{
    const foi_graph *g = &e->g;
    const foi_graph_node n = g->nodes[at];
    double kind = foi_constant_value(g, n.c);
    if (kind < FOI_OUTSIDE_RESULT) return 0;
    uint32_t which = (uint32_t)foi_constant_value(g, n.b);
    if (kind == FOI_OUTSIDE_RESULT) return number_called(e, n.a, which, UINT32_MAX, 0, value);
    uint32_t inputs = 0;
    foi_node place = g->nodes[n.a].a;
    for (; g->nodes[g->nodes[place].a].op == FOI_G_OUTSIDE; place = g->nodes[place].a) inputs++;
    place = g->nodes[n.a].a;
    for (uint32_t i = inputs - 1; i > which % inputs; i--) place = g->nodes[place].a;
    double h = 6.06e-6 * foi_fmax(fabs(value[g->nodes[place].b]), 1);
    double more = number_called(e, n.a, which / inputs, which % inputs, h, value);
    return (more - number_called(e, n.a, which / inputs, which % inputs, -h, value)) / (2 * h);
}

// ---------------------------------------------------------------------------------------- inverses

static foi_node invert(foi_equations *e, const differentiated *d, uint32_t input, foi_node result)
{
    const foi_flat_function *f = d->call->function;
    foi_node always = foi_constant(&e->g, 1), node = FOI_NO_NODE;
    foi_node *locals = foi_new(e->allocator, (size_t)f->local_count + 1, sizeof *locals);
    if (!locals) return e->g.failed = true, FOI_NO_NODE;
    memcpy(locals, d->arguments, f->input_count * sizeof *locals);
    locals[f->input_count] = result;
    foi_scope scope = {.locals = locals, .where = always, .alive = always, .running = always};
    aside a = begin_aside(e, &scope, always, 0);
    fo_status status = foi_lower(e, f->known->inverse[input], false, d->call->place, &node);
    node = end_aside(e, &a, status, node);
    foi_free(e->allocator, locals);
    return node;
}

bool foi_invert_called(foi_equations *e, foi_node leaf, foi_node *called, foi_node *other)
{
    differentiated d = {.e = e};
    const foi_flat_function *f = e->called[e->g.nodes[*called].c].call->function;
    if (!f->known->inverse || f->output_count != 1) return false;
    if (!take_apart(&d, *called, false)) return false;
    uint32_t at = UINT32_MAX, count = 0;
    for (uint32_t i = 0; i < f->input_count; i++)
        if (foi_graph_contains(&e->g, d.arguments[i], leaf)) at = i, count++;
    foi_node solved = FOI_NO_NODE;
    if (count == 1 && f->known->inverse[at]) solved = invert(e, &d, at, *other);
    if (solved != FOI_NO_NODE) *called = d.arguments[at], *other = solved;
    foi_free(e->allocator, d.arguments);
    return solved != FOI_NO_NODE;
}
