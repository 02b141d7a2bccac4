/// Whens, algorithms, functions and asserts of the flat model.
#include <string.h>

#include "base/array.h"
#include "equations/equations.h"
#include "equations/outside.h"

enum { DEEPEST_CALL = 60 };

static fo_status add_equation(foi_equations *e, foi_equation **list, size_t *count, size_t *room,
                              foi_equation q)
{
    if (!foi_array_room(e->allocator, list, room, *count + 1, sizeof q))
        return foi_equations_no_memory(e);
    (*list)[(*count)++] = q;
    return FO_OK;
}

// -------------------------------------------------------------------------- who assigns what

typedef void assigned(void *self, foi_equations *e, foi_flat_variable *v, foi_place place,
                      bool in_when);

static void each_assigned(foi_equations *e, const foi_flat_block *block, bool in_when, assigned *f,
                          void *self)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const foi_flat_statement *st = block->statements[i];
        bool when = in_when || st->action == FOI_DO_WHEN;
        for (uint32_t k = 0; st->action == FOI_DO_ASSIGN && k < st->count; k++) {
            const foi_flat_expr *t = st->targets[k];
            uint32_t n = t->op == FOI_OP_ELEMENT ? t->array->count : 1;
            for (uint32_t j = 0; j < n; j++) {
                foi_flat_variable *v =
                    t->op == FOI_OP_ELEMENT ? t->array->elements[j] : t->variable;
                if (!v->local) f(self, e, v, st->place, in_when);
            }
        }
        for (uint32_t b = 0; b < st->branch_count; b++)
            each_assigned(e, &st->branches[b].body, when, f, self);
        if (st->action == FOI_DO_FOR) each_assigned(e, &st->body, in_when, f, self);
    }
}

static void make_discrete(void *self, foi_equations *e, foi_flat_variable *v, foi_place place,
                          bool in_when)
{
    (void)self, (void)place;
    if (in_when && e->variables[v->index].role == FOI_ROLE_CONTINUOUS)
        e->variables[v->index].role = FOI_ROLE_DISCRETE;
}

void foi_mark_assigned(foi_equations *e)
{
    for (uint32_t i = 0; i < e->flat->when_count; i++)
        for (uint32_t b = 0; b < e->flat->whens[i].branch_count; b++)
            each_assigned(e, &e->flat->whens[i].branches[b].body, true, make_discrete, NULL);
    for (uint32_t i = 0; i < e->flat->algorithm_count; i++)
        each_assigned(e, &e->flat->algorithms[i].body, false, make_discrete, NULL);
    foi_facts_forget(e);
}

/// Who assigns each variable: one when or algorithm only.
typedef struct owners {
    uint32_t *owner;  ///< per variable
    foi_place *place; ///< of the assignment
    uint32_t now;     ///< who is looked at
    const char *kind;
    fo_status status;
} owners;

static void own(void *self, foi_equations *e, foi_flat_variable *v, foi_place place, bool in_when)
{
    owners *o = self;
    char first[100], second[100];
    (void)in_when;
    uint32_t *owner = &o->owner[v->index];
    if (*owner == FOI_NOTHING || *owner == o->now) {
        if (*owner == FOI_NOTHING) o->place[v->index] = place;
        *owner = o->now;
        return;
    }
    if (o->status != FO_OK) return;
    foi_place before = o->place[v->index];
    if (e->flat->file_count <= 1)
        o->status = foi_equations_fail(e, place, FO_ERROR_MODEL,
                                       "`%s` is assigned in two %s: lines %u and %u", v->name,
                                       o->kind, before.line, place.line);
    else
        o->status =
            foi_equations_fail(e, place, FO_ERROR_MODEL, "`%s` is assigned in two %s: %s and %s",
                               v->name, o->kind, foi_place_name(e, before, first, sizeof first),
                               foi_place_name(e, place, second, sizeof second));
}

static fo_status check_owners(foi_equations *e)
{
    size_t n = e->variable_count;
    owners o = {.kind = "when-equations", .status = FO_OK};
    o.owner = foi_new(e->allocator, n, sizeof *o.owner);
    o.place = foi_new(e->allocator, n, sizeof *o.place);
    if (!o.owner || !o.place) {
        o.status = foi_equations_no_memory(e);
    } else {
        memset(o.owner, 0xFF, n * sizeof *o.owner);
        for (uint32_t i = 0; i < e->flat->when_count; i++, o.now++)
            for (uint32_t b = 0; b < e->flat->whens[i].branch_count; b++)
                each_assigned(e, &e->flat->whens[i].branches[b].body, true, own, &o);
        o.kind = "places";
        for (uint32_t i = 0; i < e->flat->algorithm_count; i++, o.now++)
            if (!e->flat->algorithms[i].initial)
                each_assigned(e, &e->flat->algorithms[i].body, false, own, &o);
    }
    foi_free(e->allocator, o.owner);
    foi_free(e->allocator, o.place);
    return o.status;
}

// ------------------------------------------------------------------------------------------ whens

static foi_node *no_values(foi_equations *e)
{
    foi_node *list = foi_new(e->allocator, e->variable_count, sizeof *list);
    if (list) memset(list, 0xFF, e->variable_count * sizeof *list);
    return list;
}

static fo_status add_assigned(foi_equations *e, uint32_t v, foi_node value, foi_node initial,
                              foi_place place)
{
    foi_equation q = {.left = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, v),
                      .right = value,
                      .place = place,
                      .assigns = v,
                      .initial = initial,
                      .derivative = FOI_NOTHING,
                      .integral = FOI_NOTHING};
    return add_equation(e, &e->equations, &e->equation_count, &e->equation_room, q);
}

// One pass for moments, one for the start; then v = what the when makes of it.
static fo_status lower_one_when(foi_equations *e, const foi_flat_when *w, foi_node *moment,
                                foi_node *start)
{
    foi_node always = foi_constant(&e->g, 1);
    foi_scope scope = {.globals = moment, .events = true};
    scope.where = scope.alive = scope.running = always;
    e->scope = &scope;
    fo_status status = foi_lower_when(e, w->branches, w->branch_count, always, w->place);
    scope.globals = start, scope.at_start = true;
    if (status == FO_OK) status = foi_lower_when(e, w->branches, w->branch_count, always, w->place);
    e->scope = NULL, e->where = always;
    return status;
}

typedef struct collect {
    foi_node *moment, *start;
    fo_status status;
} collect;

static void collect_assigned(void *self, foi_equations *e, foi_flat_variable *v, foi_place place,
                             bool in_when)
{
    collect *c = self;
    foi_node pre = foi_leaf_of(&e->g, FOI_LEAF_PRE, v->index);
    foi_node moment = c->moment[v->index], start = c->start[v->index];
    (void)in_when;
    if (moment == FOI_NO_NODE || c->status != FO_OK) return;
    c->moment[v->index] = FOI_NO_NODE; // once
    c->status = add_assigned(e, v->index, moment, start == FOI_NO_NODE ? pre : start, place);
}

// Where a condition is known to be false, as that of `when mod(x, 1) - mod(x, 1) > 1`, nothing is
// made of what it would assign: it stays.
static void stay_assigned(void *self, foi_equations *e, foi_flat_variable *v, foi_place place,
                          bool in_when)
{
    foi_node *moment = &((collect *)self)->moment[v->index];
    (void)place, (void)in_when;
    if (*moment == FOI_NO_NODE) *moment = foi_leaf_of(&e->g, FOI_LEAF_PRE, v->index);
}

fo_status foi_lower_whens(foi_equations *e)
{
    fo_status status = check_owners(e);
    if (status != FO_OK || !e->flat->when_count) return status;
    collect c = {no_values(e), no_values(e), FO_OK};
    if (!c.moment || !c.start) status = foi_equations_no_memory(e);
    for (uint32_t i = 0; i < e->flat->when_count && status == FO_OK; i++) {
        const foi_flat_when *w = &e->flat->whens[i];
        status = lower_one_when(e, w, c.moment, c.start);
        // what the equations of the text say is not written out: they are as many as they are
        for (uint32_t b = 0; b < w->branch_count && status == FO_OK; b++)
            e->statements -= 2 * w->branches[b].body.count;
        for (uint32_t b = 0; b < w->branch_count && status == FO_OK; b++)
            each_assigned(e, &w->branches[b].body, true, stay_assigned, &c);
        for (uint32_t b = 0; b < w->branch_count && status == FO_OK; b++) {
            each_assigned(e, &w->branches[b].body, true, collect_assigned, &c);
            status = c.status;
        }
    }
    foi_free(e->allocator, c.moment);
    foi_free(e->allocator, c.start);
    return status;
}

// ------------------------------------------------------------------------------------- algorithms

// Before the statements a continuous variable has its start value and a discrete one its pre value.
static void set_first(void *self, foi_equations *e, foi_flat_variable *v, foi_place place,
                      bool in_when)
{
    foi_node *values = self;
    (void)place, (void)in_when;
    const foi_variable *about = &e->variables[v->index];
    if (about->role == FOI_ROLE_DISCRETE)
        values[v->index] = foi_leaf_of(&e->g, FOI_LEAF_PRE, v->index);
    else
        values[v->index] = about->start != FOI_NO_NODE ? about->start : foi_constant(&e->g, 0);
}

static void add_computed(void *self, foi_equations *e, foi_flat_variable *v, foi_place place,
                         bool in_when)
{
    collect *c = self;
    foi_node moment = c->moment[v->index];
    (void)in_when;
    if (moment == FOI_NO_NODE || c->status != FO_OK) return;
    c->moment[v->index] = FOI_NO_NODE;
    c->status = add_assigned(e, v->index, moment, c->start[v->index], place);
    if (e->variables[v->index].role == FOI_ROLE_CONTINUOUS && c->status == FO_OK)
        e->equations[e->equation_count - 1].assigns = FOI_NOTHING;
}

static void add_initial(void *self, foi_equations *e, foi_flat_variable *v, foi_place place,
                        bool in_when)
{
    collect *c = self;
    (void)in_when;
    if (c->start[v->index] == FOI_NO_NODE || c->status != FO_OK) return;
    foi_equation q = {.left = foi_leaf_of(&e->g, FOI_LEAF_VARIABLE, v->index),
                      .right = c->start[v->index],
                      .place = place,
                      .assigns = FOI_NOTHING,
                      .initial = FOI_NO_NODE,
                      .derivative = FOI_NOTHING,
                      .integral = FOI_NOTHING};
    c->start[v->index] = FOI_NO_NODE;
    e->variables[v->index].first = true;
    c->status = add_equation(e, &e->initial, &e->initial_count, &e->initial_room, q);
}

static fo_status run_algorithm(foi_equations *e, const foi_flat_algorithm *a, foi_node *values,
                               bool at_start)
{
    foi_node always = foi_constant(&e->g, 1);
    foi_node *locals = foi_new(e->allocator, a->local_count, sizeof *locals);
    if (!locals) return foi_equations_no_memory(e);
    foi_scope scope = {.locals = locals,
                       .globals = values,
                       .reads = true,
                       .events = !a->initial,
                       .at_start = at_start,
                       .where = always,
                       .alive = always,
                       .running = always};
    e->scope = &scope, e->only_start = a->initial;
    each_assigned(e, &a->body, false, set_first, values);
    fo_status status = foi_lower_block(e, &a->body, always);
    e->scope = NULL, e->only_start = false, e->where = always;
    foi_free(e->allocator, locals);
    return status;
}

static bool has_when(const foi_flat_block *block)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (block->statements[i]->action == FOI_DO_WHEN) return true;
    return false;
}

static fo_status lower_one_algorithm(foi_equations *e, const foi_flat_algorithm *a, collect *c)
{
    size_t first = e->equation_count;
    fo_status status = run_algorithm(e, a, c->start, true);
    if (status == FO_OK && !a->initial) status = run_algorithm(e, a, c->moment, false);
    if (status != FO_OK) return status;
    each_assigned(e, &a->body, false, a->initial ? add_initial : add_computed, c);
    bool always = !has_when(&a->body);
    for (size_t i = first; i < e->equation_count; i++) e->equations[i].always = always;
    return c->status;
}

fo_status foi_lower_algorithms(foi_equations *e)
{
    if (!e->flat->algorithm_count) return FO_OK;
    collect c = {no_values(e), no_values(e), FO_OK};
    fo_status status = c.moment && c.start ? FO_OK : foi_equations_no_memory(e);
    for (uint32_t i = 0; i < e->flat->algorithm_count && status == FO_OK; i++)
        status = lower_one_algorithm(e, &e->flat->algorithms[i], &c);
    foi_free(e->allocator, c.moment);
    foi_free(e->allocator, c.start);
    return status;
}

// -------------------------------------------------------------------------------------- functions

static bool has_texts(const foi_flat_function *f)
{
    for (uint32_t i = 0; i < f->input_count + f->output_count; i++)
        if (f->locals[i]->type == FOI_STRING) return true;
    return false;
}

// The words under which the results of a call are kept: its function, where it is made, which
// decides about its asserts, and its arguments. Room for 4 more than the arguments.
static uint32_t call_key(foi_equations *e, const foi_flat_function *f, foi_node where,
                         const foi_node *arguments, uint32_t *key)
{
    uint32_t mode = (e->only_start ? 1U : 0U) | (e->silent ? 8U : 0U);
    for (const foi_scope *s = e->scope; s; s = s->outer)
        mode |= (s->in_when ? 2U : 0U) | (s->at_start ? 4U : 0U);
    key[0] = f->index, key[1] = where, key[2] = mode, key[3] = f->input_count;
    if (f->input_count) memcpy(key + 4, arguments, f->input_count * sizeof *key);
    if (!e->called_count) return f->input_count + 4;
    for (uint32_t i = 0; i <= f->input_count; i++) { // who has made them does not matter
        uint32_t *node = i ? &key[3 + i] : &key[1];
        *node = foi_graph_plain(&e->g, *node);
    }
    return f->input_count + 4;
}

static fo_status work_out_call(foi_equations *e, const foi_flat_call *call,
                               const foi_node *arguments, uint32_t result, foi_node where,
                               foi_node *node, foi_text *text);

// The text that is passed, as its number.
static fo_status outside_text(foi_equations *e, const foi_flat_call *call, uint32_t i,
                              foi_node *node)
{
    foi_text text;
    fo_status status = foi_lower_text(e, call->arguments[i], call->place, &text);
    if (status != FO_OK) return status;
    if (text.count || !text.text)
        return foi_equations_fail(e, call->place, FO_ERROR_UNFIT,
                                  "a text that is passed to the external function `%s` must be "
                                  "known before the run",
                                  call->function->name);
    uint32_t number = foi_outside_text(e->flat->outside, text.text);
    if (number == FOI_NO_TEXT) return foi_equations_no_memory(e);
    *node = foi_constant(&e->g, number);
    return FO_OK;
}

// A call of C code: see outside.h.
static fo_status call_outside(foi_equations *e, const foi_flat_call *call,
                              const foi_node *arguments, foi_node where, foi_node *made)
{
    foi_graph *g = &e->g;
    const foi_flat_function *f = call->function;
    foi_node pass = foi_constant(g, FOI_OUTSIDE_PASS);
    foi_node list = foi_leaf_of(g, FOI_LEAF_FRAME, 0);
    list = foi_make(g, FOI_G_OUTSIDE, list, where, pass);
    for (uint32_t i = 0; i < f->input_count; i++) {
        foi_node x = arguments[i];
        if (call->arguments[i]->type == FOI_STRING) {
            fo_status status = outside_text(e, call, i, &x);
            if (status != FO_OK) return status;
        }
        list = foi_make(g, FOI_G_OUTSIDE, list, x, pass);
    }
    *made = foi_make(g, FOI_G_OUTSIDE, list, foi_constant(g, f->outside_number),
                     foi_constant(g, FOI_OUTSIDE_CALL));
    return g->failed ? foi_equations_no_memory(e) : FO_OK;
}

static foi_node outside_result(foi_graph *g, const foi_flat_function *f, foi_node made,
                               uint32_t result)
{
    foi_node node = foi_make(g, FOI_G_OUTSIDE, made, foi_constant(g, result),
                             foi_constant(g, FOI_OUTSIDE_RESULT));
    // a whole number that a function of the language computes does not move between its steps
    if (!f->outside && f->locals[f->input_count + result]->type != FOI_REAL)
        node = foi_make(g, FOI_G_FLOOR, node, 0, 0);
    return node;
}

static fo_status lower_call(foi_equations *e, const foi_flat_call *call, const foi_node *arguments,
                            uint32_t result, foi_node where, foi_node *node, foi_text *text)
{
    const foi_flat_function *f = call->function;
    if (foi_is_operation(e, f)) {
        foi_node made;
        fo_status status = call_outside(e, call, arguments, where, &made);
        if (status == FO_OK) *node = outside_result(&e->g, f, made, result);
        return status;
    }
    if (text || has_texts(f)) return work_out_call(e, call, arguments, result, where, node, text);
    uint32_t *key = foi_new(e->allocator, (size_t)f->input_count + 4, sizeof *key);
    if (!key) return foi_equations_no_memory(e);
    uint32_t count = call_key(e, f, where, arguments, key);
    const foi_node *known = foi_memo_find(&e->memo, key, count);
    fo_status status = FO_OK;
    if (known)
        *node = known[result];
    else
        status = work_out_call(e, call, arguments, result, where, node, text);
    foi_free(e->allocator, key);
    return status;
}

fo_status foi_lower_call(foi_equations *e, const foi_flat_call *call, const foi_node *arguments,
                         uint32_t result, foi_node where, foi_node *node, foi_text *text)
{
    uint32_t order = e->order;
    e->order = 0; // of calls inside
    fo_status status = lower_call(e, call, arguments, result, where, node, text);
    e->order = order;
    if (status != FO_OK || text || !call->function->known) return status;
    return foi_mark_called(e, call, arguments, result, where, node);
}

// Under the short key are all results of a function that is written out, or the node of the call of
// another: what is done for each of n results must not go through n arguments.
static fo_status lower_first(foi_equations *e, const foi_flat_call *call, const uint32_t *key,
                             uint32_t count, const foi_node *arguments, uint32_t result,
                             foi_node where, foi_node *node)
{
    const foi_flat_function *f = call->function;
    foi_node made;
    if (foi_is_operation(e, f)) {
        uint32_t order = e->order;
        e->order = 0; // of calls in its arguments
        fo_status status = call_outside(e, call, arguments, where, &made);
        e->order = order;
        if (status != FO_OK) return status;
        *node = outside_result(&e->g, f, made, result);
        if (!foi_memo_keep(&e->memo, e, key, count, &made, 1)) return foi_equations_no_memory(e);
        return FO_OK;
    }
    fo_status status = foi_lower_call(e, call, arguments, result, where, node, NULL);
    if (status != FO_OK || has_texts(f)) return status;
    uint32_t *whole = foi_new(e->allocator, (size_t)f->input_count + 4, sizeof *whole);
    if (!whole) return foi_equations_no_memory(e);
    uint32_t size = call_key(e, f, where, arguments, whole);
    const foi_node *all = foi_memo_find(&e->memo, whole, size);
    bool good = !all || foi_memo_keep(&e->memo, e, key, count, all, f->output_count);
    foi_free(e->allocator, whole);
    return good ? FO_OK : foi_equations_no_memory(e);
}

fo_status foi_lower_result(foi_equations *e, const foi_flat_call *call, const uint32_t *key,
                           uint32_t count, const foi_node *arguments, uint32_t result,
                           foi_node where, foi_node *node)
{
    const foi_flat_function *f = call->function;
    if (f->known || f->output_count == 1)
        return foi_lower_call(e, call, arguments, result, where, node, NULL);
    const foi_node *all = foi_memo_find(&e->memo, key, count);
    if (!all) return lower_first(e, call, key, count, arguments, result, where, node);
    *node = foi_is_operation(e, f) ? outside_result(&e->g, f, all[0], result) : all[result];
    return FO_OK;
}

static fo_status keep_results(foi_equations *e, const foi_flat_function *f, foi_node where,
                              const foi_node *arguments, const foi_node *results)
{
    uint32_t *key = foi_new(e->allocator, (size_t)f->input_count + 4, sizeof *key);
    if (!key) return foi_equations_no_memory(e);
    uint32_t count = call_key(e, f, where, arguments, key);
    bool kept = foi_memo_keep(&e->memo, e, key, count, results, f->output_count);
    foi_free(e->allocator, key);
    return kept ? FO_OK : foi_equations_no_memory(e);
}

static fo_status work_out_call(foi_equations *e, const foi_flat_call *call,
                               const foi_node *arguments, uint32_t result, foi_node where,
                               foi_node *node, foi_text *text)
{
    const foi_flat_function *f = call->function;
    foi_node always = foi_constant(&e->g, 1);
    if (e->calls >= DEEPEST_CALL)
        return foi_equations_fail(e, call->place, FO_ERROR_UNFIT,
                                  "`%s` calls itself more than %d deep, or how deep is known in "
                                  "the run only",
                                  f->name, DEEPEST_CALL);
    foi_node *locals = foi_new(e->allocator, f->local_count, sizeof *locals);
    foi_text *texts = foi_new(e->allocator, f->local_count, sizeof *texts);
    fo_status status = locals && texts ? FO_OK : foi_equations_no_memory(e);
    for (uint32_t i = 0; i < f->input_count && status == FO_OK; i++) {
        locals[i] = arguments[i];
        if (call->arguments[i]->type == FOI_STRING)
            status = foi_lower_text(e, call->arguments[i], call->place, &texts[i]);
    }
    foi_scope scope = {.locals = locals, .texts = texts, .where = where, .outer = e->scope};
    scope.alive = scope.running = always;
    foi_node outside = e->where;
    uint32_t epoch = e->epoch;
    e->scope = &scope, e->calls++;
    if (status == FO_OK) status = foi_lower_block(e, &f->body, always);
    e->scope = scope.outer, e->calls--, e->where = outside, e->epoch = epoch;
    if (status == FO_OK && !text && !has_texts(f))
        status = keep_results(e, f, where, arguments, locals + f->input_count);
    if (status == FO_OK) *node = locals[f->input_count + result];
    if (status == FO_OK && text) *text = texts[f->input_count + result];
    foi_free(e->allocator, locals);
    foi_free(e->allocator, texts);
    return status;
}

// ---------------------------------------------------------------------------------------- asserts

fo_status foi_lower_asserts(foi_equations *e)
{
    for (uint32_t i = 0; i < e->flat->assert_count; i++) {
        const foi_flat_assert *from = &e->flat->asserts[i];
        foi_action a = {.action = FOI_DO_ASSERT,
                        .active = FOI_NO_NODE,
                        .initial = FOI_NO_NODE,
                        .variable = FOI_NOTHING,
                        .warning = from->warning,
                        .place = from->place};
        fo_status status = foi_lower_message(e, from->message, &a);
        bool always = !from->initial;
        if (!always) a.active = foi_constant(&e->g, 0), a.initial = foi_constant(&e->g, 1);
        if (status == FO_OK) status = foi_lower(e, from->condition, always, from->place, &a.value);
        if (status == FO_OK && always) status = foi_lower_watched(e, from->place, &a.value, NULL);
        if (status != FO_OK) return status;
        if (!foi_array_room(e->allocator, &e->actions, &e->action_room, e->action_count + 1,
                            sizeof a))
            return foi_equations_no_memory(e);
        e->actions[e->action_count++] = a;
    }
    return FO_OK;
}

bool *foi_asserts_asking(foi_equations *e, foi_leaf leaf)
{
    const foi_graph *g = &e->g;
    bool *asks = foi_new(e->allocator, e->action_count + 1, sizeof *asks);
    size_t count = e->action_count ? g->count : 0;
    bool *has = foi_new(e->allocator, count + 1, sizeof *has); // per node: it depends on it
    for (size_t n = 0; asks && has && n < count; n++) {
        const foi_graph_node *x = &g->nodes[n];
        const uint32_t arguments[3] = {x->a, x->b, x->c};
        has[n] = foi_is_leaf(g, (foi_node)n, leaf);
        for (uint32_t k = 0; k < foi_op_arity((foi_op)x->op); k++) has[n] |= has[arguments[k]];
    }
    for (size_t i = 0; asks && has && i < e->action_count; i++) {
        const foi_action *a = &e->actions[i];
        asks[i] = a->action == FOI_DO_ASSERT && a->active == FOI_NO_NODE && has[a->value];
    }
    if (!has) foi_free(e->allocator, asks), asks = NULL;
    foi_free(e->allocator, has);
    return asks;
}
