/// Calls of functions: each function is made for the sizes of its arguments.
#include <string.h>

#include "language/session.h"

/// A call while its arguments are brought in order.
typedef struct calling {
    foi_session *s;
    const foi_context *ctx;
    const foi_ast *e;
    foi_class *c;
    foi_instance *self;         ///< through which the function is named, or NULL
    const foi_closure *closure; ///< it was handed over, with these inputs; or NULL
    uint32_t inputs;
    uint32_t given;    ///< so many of the values are there already
    foi_value *values; ///< one for each input
} calling;

static bool is_input(const foi_member *m)
{
    return m->declaration->causality == FOI_INPUT;
}

static bool check_arguments(const calling *k)
{
    const foi_ast *e = k->e;
    uint32_t open = k->inputs - (k->closure ? k->closure->count : 0);
    if (e->count > open)
        return foi_error(k->s, e->place, "function '%s' takes %u argument%s, not %u", k->c->name,
                         open, open == 1 ? "" : "s", e->count);
    for (uint32_t i = 0; e->names && i < e->count; i++) {
        if (!e->names[i]) continue;
        const foi_member *m = foi_find_member(k->c, e->names[i]);
        if (!m || !is_input(m))
            return foi_error(k->s, e->items[i]->place, "function '%s' has no argument '%s'%s",
                             k->c->name, e->names[i], foi_hint_in(k->s, k->c, e->names[i]));
    }
    return true;
}

// The dimensions that the declaration of an input gives it.
static bool input_rank(foi_session *s, foi_declaration *d, uint32_t *rank)
{
    if (!d->resolved) d->resolved = foi_find_class(s, d->owner, d->type, "type");
    if (!d->resolved || !foi_analyse(s, d->resolved)) return false;
    *rank = d->rank;
    const foi_class *t = d->resolved;
    for (int depth = 0; t && depth < FOI_DEEPEST_MODEL; depth++) {
        *rank += t->rank;
        t = t->extends_count == 1 && (t->is_short || t->builtin) ? t->extends[0].resolved : NULL;
    }
    return true;
}

// Is this class written in the class of the instance, or in one of its bases? Then its names may
// mean components.
static foi_instance *around(foi_instance *self, const foi_class *lexical)
{
    for (const foi_class *c = lexical; self && c; c = c->enclosing)
        for (uint32_t i = 0; i < self->c->ancestor_count; i++)
            if (foi_origin(self->c->ancestors[i]) == foi_origin((foi_class *)c)) return self;
    return NULL;
}

const foi_ast *foi_default_value(foi_session *s, foi_instance *self, const foi_member *m,
                                 foi_context *there)
{
    const char *name = m->declaration->name;
    for (const foi_inherited *i = m->through; i; i = i->weaker)
        for (uint32_t a = 0; a < i->modifier->count; a++) {
            const foi_argument *argument = &i->modifier->arguments[a];
            if (argument->name != name || !argument->modifier) continue;
            if (argument->modifier->removes) return NULL;
            if (!argument->modifier->value) continue;
            bool alias = i->lexical->is_short && !i->lexical->bound; // it is no scope
            there->lexical = alias ? foi_written_around(s, i->lexical) : i->lexical;
            there->self = i->self ? i->self : around(self, i->lexical);
            return argument->modifier->value;
        }
    const foi_declaration *d = m->declaration;
    there->lexical = d->owner;
    there->self = around(self, there->lexical);
    if (d->modifier && d->modifier->removes) return NULL;
    if (d->modifier && d->modifier->value) return d->modifier->value;
    return m->replaced ? foi_default_value(s, self, m->replaced, there) : NULL;
}

// What a function that was handed over has been given for this input; NULL: nothing.
static const foi_value *bound_value(const calling *k, const char *name)
{
    for (uint32_t i = 0; k->closure && i < k->closure->count; i++)
        if (k->closure->names[i] == name) return &k->closure->values[i];
    return NULL;
}

static bool take_value(calling *k, const foi_context *ctx, const foi_member *m, const foi_ast *e,
                       foi_value *out)
{
    if (!foi_is_functional(k->s, m)) return foi_expand(k->s, ctx, e, out);
    return foi_expand_function(k->s, ctx, e, out) && foi_check_function(k->s, e->place, m, out);
}

static bool take_arguments(calling *k)
{
    foi_session *s = k->s;
    const foi_scope *known = NULL;
    uint32_t at = 0, position = 0;
    for (uint32_t i = 0; i < k->c->member_count; i++) {
        const foi_member *m = &k->c->members[i];
        if (!is_input(m)) continue;
        foi_declaration *d = m->declaration;
        const foi_value *bound = bound_value(k, d->name);
        const foi_ast *given = bound ? NULL : foi_call_argument(k->e, position, d->name);
        foi_context there = {.scope = known};
        const foi_ast *value = given || bound ? given : foi_default_value(s, k->self, m, &there);
        bool is_given = at < k->given || bound;
        position += !bound;
        if (bound) k->values[at] = *bound;
        if (!value && !is_given)
            return foi_error(s, k->e->place, "function '%s' needs a value for '%s'", k->c->name,
                             d->name);
        if (!is_given && !take_value(k, given ? k->ctx : &there, m, value, &k->values[at]))
            return false;
        foi_place place = value && !is_given ? value->place : k->e->place;
        if (k->values[at].function) {
            foi_scope *scope = foi_arena_new(&s->arena, 1, sizeof *scope);
            if (!scope) return false;
            *scope = (foi_scope){d->name, k->values[at++], known, k->c};
            known = scope;
            continue;
        }
        uint32_t rank;
        if (!input_rank(s, d, &rank)) return false;
        foi_class *t = d->resolved->builtin;
        char what[128];
        snprintf(what, sizeof what, "argument '%.40s' of '%.40s'", d->name, k->c->name);
        if (t && !foi_convert(s, place, &k->values[at], t->type, t->literal_count ? t : NULL, what))
            return false;
        if (!t && !foi_as_record(s, place, d->resolved, &k->values[at])) return false;
        bool record = k->values[at].record;
        if ((!t && !record) || k->values[at].rank < rank)
            return foi_error(s, place, "%s must have %u dimensions, not %s", what, rank,
                             foi_type_text(s, &k->values[at]));
        foi_scope *scope = foi_arena_new(&s->arena, 1, sizeof *scope);
        if (!scope) return false;
        *scope = (foi_scope){d->name, k->values[at++], known, k->c};
        known = scope;
    }
    return true;
}

static bool add_key(foi_session *s, int64_t **key, uint32_t *count, int64_t item)
{
    int64_t *slot = foi_arena_add(&s->arena, key, count, sizeof *slot);
    if (slot) *slot = item;
    return slot;
}

// Numbers that sizes and ranges are made of: a function is made for their values. Long lists are
// data.
enum { MOST_SHAPING = 64 };

static bool may_shape(const foi_value *v)
{
    return !v->record && v->count <= MOST_SHAPING &&
           (v->type == FOI_INTEGER || v->type == FOI_BOOLEAN);
}

static bool value_key(foi_session *s, const foi_value *v, bool values, int64_t **key,
                      uint32_t *count)
{
    double known;
    if (v->function) {
        if (!add_key(s, key, count, (int64_t)(intptr_t)v->function->c)) return false;
        if (!add_key(s, key, count, (int64_t)(intptr_t)v->function->self)) return false;
        for (uint32_t i = 0; i < v->function->count; i++)
            if (!add_key(s, key, count, (int64_t)(intptr_t)v->function->names[i]) ||
                !value_key(s, &v->function->values[i], values, key, count))
                return false;
        return true;
    }
    if (!add_key(s, key, count, v->rank)) return false;
    for (uint32_t i = 0; i < v->rank; i++)
        if (!add_key(s, key, count, v->dims[i])) return false;
    for (uint32_t i = 0; v->record && i < v->record->member_count; i++)
        if (!value_key(s, &v->fields[i], values, key, count)) return false;
    for (uint32_t i = 0; values && may_shape(v) && i < v->count; i++) {
        bool is_known = foi_known(s, foi_item(v, i), true, &known);
        if (!add_key(s, key, count, is_known ? (int64_t)known : INT64_MIN)) return false;
    }
    return true;
}

// Registers the variables of a component in order: those of records inside it too.
static bool number_locals(foi_session *s, foi_special *f, foi_component *c,
                          foi_flat_variable ***locals, uint32_t *count)
{
    if (c->variables && !s->def->no_units && !foi_set_unit(s, c)) return false;
    for (uint32_t k = 0; c->variables && k < c->count; k++) {
        foi_flat_variable **slot = foi_arena_add(&s->flat->arena, locals, count, sizeof *slot);
        if (!slot) return false;
        *slot = c->variables[k];
        c->variables[k]->index = *count - 1;
    }
    for (uint32_t k = 0; c->elements && k < c->count; k++)
        for (uint32_t i = 0; i < c->elements[k]->c->member_count; i++) {
            foi_component *inner = &c->elements[k]->components[i];
            if (!foi_size(s, inner) || !number_locals(s, f, inner, locals, count)) return false;
        }
    return true;
}

// A field of an input is what the argument has, not what the record says of it: a constant of it,
// too, may have another value there.
static bool take_field(foi_session *s, foi_component *field)
{
    if (!field->variables || field->type->type == FOI_STRING) return true;
    field->binding = FOI_BOUND;
    if (field->variability != FOI_CONSTANT) return true;
    field->variability = FOI_PARAMETER;
    for (uint32_t k = 0; k < field->count; k++) {
        field->variables[k]->variability = FOI_PARAMETER;
        field->variables[k]->binding = NULL;
        if (!(field->nodes[k] = foi_flat_of(s->flat, field->variables[k]))) return false;
    }
    return true;
}

static bool take_fields(foi_session *s, foi_component *c)
{
    for (uint32_t k = 0; c->elements && k < c->count; k++)
        for (uint32_t i = 0; i < c->elements[k]->c->member_count; i++) {
            foi_component *inner = &c->elements[k]->components[i];
            if (!take_field(s, inner) || !take_fields(s, inner)) return false;
        }
    return true;
}

// Inputs that sizes may depend on are the numbers that they are called with, those of a record too.
static bool bind_known(foi_session *s, foi_component *c, const foi_value *v)
{
    for (uint32_t i = 0; c->variables && may_shape(v) && i < c->count; i++) {
        double known;
        if (!foi_known(s, foi_item(v, i), true, &known)) continue;
        foi_flat_expr *literal = foi_flat_real(s->flat, known);
        if (!literal) return false;
        literal->type = v->type;
        c->variables[i]->binding = literal;
        c->variables[i]->variability = FOI_PARAMETER, c->variables[i]->structural = true;
    }
    if (!v->record || v->rank || !c->elements || v->record->is_object) return true;
    foi_instance *in = c->elements[0];
    if (in->c->member_count != v->record->member_count) return true;
    for (uint32_t i = 0; i < in->c->member_count; i++) {
        const foi_declaration *d = in->c->members[i].declaration;
        if (d->name != v->record->members[i].declaration->name) return true;
        if (!foi_size(s, &in->components[i]) || !take_field(s, &in->components[i])) return false;
        if (!bind_known(s, &in->components[i], &v->fields[i])) return false;
    }
    return true;
}

static bool size_input(calling *k, foi_special *f, uint32_t member, const foi_value *v)
{
    foi_component *c = &f->instance->components[member];
    foi_session *s = k->s;
    c->given = v;
    if (v->function) return true; // its locals are made in their turn
    if (!foi_size(s, c)) return false;
    foi_value shape = {
        .rank = c->rank, .type = v->type, .record = v->record, .literals = v->literals};
    memcpy(shape.dims, c->dims, sizeof shape.dims);
    if (!foi_same_size(&shape, v))
        return foi_error(s, k->e->place, "argument '%s' of '%s' must be %s, not %s",
                         c->member->declaration->name, k->c->name, foi_type_text(s, &shape),
                         foi_type_text(s, v));
    return !f->key_count || !foi_values_matter(s, k->c) || bind_known(s, c, v);
}

// A function without outputs has one that nobody sees, so that calls of it are expressions.
static bool add_done(foi_session *s, foi_special *f, foi_flat_variable ***locals, uint32_t *count)
{
    for (uint32_t i = 0; i < f->c->member_count; i++)
        if (f->c->members[i].declaration->causality == FOI_OUTPUT) return true; // of size 0
    foi_flat_variable *v = foi_arena_new(&s->flat->arena, 1, sizeof *v);
    foi_flat_variable **slot = foi_arena_add(&s->flat->arena, locals, count, sizeof *slot);
    foi_value *result = foi_arena_new(&s->arena, 1, sizeof *result);
    if (!v || !slot || !result) return false;
    *v = (foi_flat_variable){.name = "(done)", .index = *count - 1, .type = FOI_INTEGER};
    v->variability = FOI_DISCRETE, v->local = true, v->place = f->c->place;
    *slot = v;
    *result = foi_scalar(foi_flat_of(s->flat, v));
    f->results = result;
    return result->one;
}

// Makes inputs, outputs and other variables, in this order, and numbers them.
static bool make_locals(calling *k, foi_special *f)
{
    foi_session *s = k->s;
    foi_flat_variable **locals = NULL;
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < k->c->member_count; i++)
        if (is_input(&k->c->members[i])) f->instance->components[i].given = &k->values[at++];
    at = 0;
    for (uint32_t i = 0; i < k->c->member_count; i++)
        if (is_input(&k->c->members[i]) && !size_input(k, f, i, &k->values[at++])) return false;
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < k->c->member_count; i++) {
            foi_causality causality = k->c->members[i].declaration->causality;
            foi_component *c = &f->instance->components[i];
            int turn = causality == FOI_INPUT ? 0 : causality == FOI_OUTPUT ? 1 : 2;
            if (turn != pass) continue;
            if (foi_is_handed_over(c)) {
                foi_value *hidden = foi_arena_new(&s->arena, 1, sizeof *hidden);
                const char *name = c->member->declaration->name;
                if (!hidden || !foi_hide_function(s, name, c->given, &locals, &count, hidden))
                    return false;
                c->given = hidden, c->sizing = FOI_SIZED;
                continue;
            }
            if (!foi_size(s, c)) return false;
            if (c->absent)
                return foi_error(s, c->member->declaration->place,
                                 "a function has no conditional components");
            if (!number_locals(s, f, c, &locals, &count)) return false;
            if (pass == 0 && !take_fields(s, c)) return false;
        }
        if (pass == 0) f->function->input_count = count;
        if (pass == 1 && count == f->function->input_count && !add_done(s, f, &locals, &count))
            return false;
        if (pass == 1) f->function->output_count = count - f->function->input_count;
    }
    f->frame.locals = locals, f->frame.count = count;
    return true;
}

static bool find_results(calling *k, foi_special *f)
{
    foi_session *s = k->s;
    foi_value *results = NULL;
    foi_context inside = {.self = f->instance, .lexical = k->c, .frame = &f->frame};
    for (uint32_t i = 0; i < k->c->member_count; i++) {
        const foi_declaration *d = k->c->members[i].declaration;
        if (d->causality != FOI_OUTPUT) continue;
        foi_part part = {.name = d->name, .place = d->place};
        foi_ref ref = {.parts = &part, .count = 1, .place = d->place};
        foi_value *slot = foi_arena_add(&s->arena, &results, &f->result_count, sizeof *slot);
        if (!slot || !foi_expand_ref(s, &inside, &ref, slot)) return false;
    }
    if (results) f->results = results;
    return true;
}

static bool make_special(calling *k, const int64_t *key, uint32_t key_count, foi_special **out)
{
    foi_session *s = k->s;
    if (s->special_count >= FOI_MOST_FUNCTIONS)
        return foi_error(s, k->e->place,
                         "'%s' is called with too many different sizes of arguments", k->c->name);
    foi_special *f = foi_arena_new(&s->arena, 1, sizeof *f);
    foi_flat_function *function = foi_arena_new(&s->flat->arena, 1, sizeof *function);
    const char *path = foi_class_path(s, k->c);
    if (!f || !function) return false;
    *f = (foi_special){.c = k->c, .function = function, .key = key, .key_count = key_count};
    f->frame.function = true;
    f->optional = s->annotating || (s->special && s->special->optional);
    function->name = foi_arena_text(&s->flat->arena, path, strlen(path));
    function->place = k->c->place, function->index = s->special_count;
    f->instance = foi_make_instance(s, k->c, NULL, "", NULL, &f->frame);
    if (!function->name || !f->instance) return false;
    foi_special **slot = foi_arena_add(&s->arena, &s->specials, &s->special_count, sizeof *slot);
    if (!slot) return false;
    *slot = f;
    if (!make_locals(k, f) || !find_results(k, f)) return false;
    if (foi_external_of(k->c) && !foi_outside_declare(s, f)) return false;
    f->made = true;
    *out = f;
    return foi_annotate(s, f, k->values, k->inputs);
}

static bool find_special(calling *k, foi_special **out)
{
    foi_session *s = k->s;
    int64_t *key = NULL;
    uint32_t count = 0;
    bool values = foi_values_matter(s, k->c);
    for (uint32_t i = 0; i < k->inputs; i++)
        if (!value_key(s, &k->values[i], values, &key, &count)) return false;
    for (uint32_t i = 0; i < s->special_count; i++) {
        foi_special *f = s->specials[i];
        if (f->c == k->c && f->key_count == count && f->made &&
            (count == 0 || memcmp(f->key, key, count * sizeof *key) == 0))
            return *out = f, true;
    }
    return make_special(k, key, count, out);
}

// The results of one call: the function's outputs, each a part of the call.
static bool as_results(foi_session *s, const foi_flat_call *call, uint32_t size,
                       const foi_value *from, foi_value *to)
{
    *to = *from;
    if (from->record) {
        to->fields = foi_arena_new(&s->arena, from->record->member_count, sizeof *to->fields);
        if (!to->fields) return false;
        for (uint32_t i = 0; i < from->record->member_count; i++)
            if (!as_results(s, call, size, &from->fields[i], &to->fields[i])) return false;
        return true;
    }
    const foi_flat_expr **list = foi_arena_new(&s->arena, from->count, sizeof *list);
    if (!list) return false;
    for (uint32_t i = 0; i < from->count; i++) {
        foi_flat_expr *e = foi_arena_new(&s->flat->arena, 1, sizeof *e);
        if (!e) return false;
        *e = (foi_flat_expr){.op = FOI_OP_RESULT, .type = from->type, .size = size};
        e->call = call;
        const foi_flat_expr *output = foi_item(from, i);
        list[i] = output; // a constant of a record is what it is
        if (output->op != FOI_OP_VARIABLE || !output->variable->local) continue;
        e->result = output->variable->index - call->function->input_count;
        list[i] = e;
    }
    to->list = list;
    if (to->rank == 0) to->one = list[0];
    return true;
}

// A function that only annotations have needed is needed now, and so is what it calls: what is
// wrong with them is wrong with the model.
static void need(foi_session *s, foi_special *f)
{
    if (!f->optional) return;
    f->optional = f->broken = false, s->special_done = 0;
    if (f->expanded && !f->function->ready) f->expanded = false;
    for (uint32_t i = 0; i < f->call_count; i++) need(s, f->calls[i]);
}

static bool make_call(calling *k, foi_special *f, const foi_value **results, uint32_t *count)
{
    foi_session *s = k->s;
    foi_flat_call *call = foi_arena_new(&s->flat->arena, 1, sizeof *call);
    foi_value *list = foi_arena_new(&s->arena, f->result_count + 1u, sizeof *list);
    const foi_flat_expr **arguments = NULL;
    uint32_t argument_count = 0, size = 1;
    if (!call || !list) return false;
    for (uint32_t i = 0; i < k->inputs; i++)
        if (!foi_flatten_value(s, &k->values[i], &arguments, &argument_count)) return false;
    const foi_flat_expr **kept = foi_arena_new(&s->flat->arena, argument_count, sizeof *kept);
    if (!kept) return false;
    if (argument_count != f->function->input_count)
        return foi_error(s, k->e->place,
                         "the arguments of '%s' do not have the sizes of its inputs", k->c->name);
    for (uint32_t i = 0; i < argument_count; i++) {
        kept[i] = arguments[i];
        if (__builtin_add_overflow(size, kept[i]->size, &size)) size = UINT32_MAX;
    }
    if (size > FOI_LARGEST_EXPRESSION)
        return foi_error(s, k->e->place, "the expression grows too large");
    *call = (foi_flat_call){f->function, kept, k->e->place};
    uint32_t made = f->result_count || !f->results ? f->result_count : 1; // or what nobody sees
    for (uint32_t i = 0; i < made; i++)
        if (!as_results(s, call, size, &f->results[i], &list[i])) return false;
    *results = list, *count = f->result_count;
    bool needed = !s->annotating && !(s->special && s->special->optional);
    if (needed) need(s, f);
    if (!s->special) f->called_in = s->look;
    if (!s->special) return true;
    foi_special **slot =
        foi_arena_add(&s->arena, &s->special->calls, &s->special->call_count, sizeof *slot);
    if (slot) *slot = f;
    return slot;
}

static bool call_once(calling *k, const foi_value **results, uint32_t *count)
{
    foi_special *f = NULL;
    return find_special(k, &f) && make_call(k, f, results, count);
}

// The size of the dimension over which a call is repeated; 0 rank beyond: it is made once.
static bool extra_dimension(calling *k, bool *beyond, uint32_t *n)
{
    uint32_t at = 0;
    *beyond = false;
    for (uint32_t i = 0; i < k->c->member_count; i++) {
        if (!is_input(&k->c->members[i])) continue;
        uint32_t rank;
        const foi_value *v = &k->values[at++];
        if (!input_rank(k->s, k->c->members[i].declaration, &rank)) return false;
        if (v->rank == rank) continue;
        if (*beyond && *n != v->dims[0])
            return foi_error(k->s, k->e->place, "'%s' is called with arrays of %u and %u elements",
                             k->c->name, *n, v->dims[0]);
        *beyond = true, *n = v->dims[0];
    }
    return true;
}

// f of scalars, called with arrays, works on each element.
static bool call_each(calling *k, const foi_value **results, uint32_t *count)
{
    bool beyond;
    uint32_t n = 0;
    foi_session *s = k->s;
    if (!extra_dimension(k, &beyond, &n)) return false;
    if (!beyond) return call_once(k, results, count);
    if (n == 0) return foi_error(s, k->e->place, "'%s' is called with an empty array", k->c->name);
    foi_value *all = foi_arena_new(&s->arena, n, sizeof *all);
    if (!all || !foi_enter(s, k->e->place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < n; i++) {
        calling one = *k;
        uint32_t at = 0, rank;
        one.values = foi_arena_new(&s->arena, k->inputs, sizeof *one.values);
        right = one.values;
        for (uint32_t m = 0; right && m < k->c->member_count; m++) {
            if (!is_input(&k->c->members[m])) continue;
            right = input_rank(s, k->c->members[m].declaration, &rank);
            one.values[at] = k->values[at];
            if (right && k->values[at].rank > rank)
                right = foi_part_of(s, k->e->place, &k->values[at], &i, 1, &one.values[at]);
            at++;
        }
        const foi_value *part;
        right = right && call_each(&one, &part, count);
        if (right && *count == 0)
            right = foi_error(s, k->e->place, "'%s' has no result", k->c->name);
        if (right) all[i] = part[0];
    }
    s->depth--;
    foi_value *stacked = foi_arena_new(&s->arena, 1, sizeof *stacked);
    if (!right || !stacked || !foi_stack(s, k->e->place, all, n, stacked)) return false;
    *results = stacked, *count = 1;
    return true;
}

static bool call(foi_session *s, const foi_context *ctx, const foi_ast *e, const foi_closure *f,
                 const foi_value **results, uint32_t *count)
{
    foi_class *c = f->c;
    calling k = {.s = s, .ctx = ctx, .e = e, .c = c, .self = f->self, .closure = f};
    if (c->partial && foi_lacks(s)) return false;
    if (c->partial)
        return foi_error(s, e->place, "function '%s' is partial: it has no body", c->name);
    for (uint32_t i = 0; i < c->member_count; i++) k.inputs += is_input(&c->members[i]);
    k.values = foi_arena_new(&s->arena, k.inputs, sizeof *k.values);
    if (!k.values || !check_arguments(&k) || !take_arguments(&k)) return false;
    bool drawn, drew = foi_draw(s, ctx, e->place, c, k.values, k.inputs, &drawn, results, count);
    if (drawn) return drew;
    if (foi_external_of(c)) {
        bool outside;
        bool right =
            foi_external_call(s, e->place, c, k.values, k.inputs, results, count, &outside);
        return right && outside ? call_each(&k, results, count) : right;
    }
    if (foi_works_with_texts(s, c) || foi_changes_sizes(s, c)) {
        bool done;
        bool right = foi_interpret(s, e->place, c, k.values, results, count, &done);
        if (done || !right) return right;
    }
    return call_each(&k, results, count);
}

bool foi_call_function(foi_session *s, const foi_context *ctx, const foi_ast *e, foi_class *c,
                       foi_instance *self, const foi_value **results, uint32_t *count)
{
    const foi_closure f = {.c = c, .self = self};
    return call(s, ctx, e, &f, results, count);
}

bool foi_call_closure(foi_session *s, const foi_context *ctx, const foi_ast *e,
                      const foi_closure *f, const foi_value **results, uint32_t *count)
{
    return call(s, ctx, e, f, results, count);
}

bool foi_call_values(foi_session *s, const foi_context *ctx, foi_place place, foi_class *c,
                     const foi_value *values, uint32_t count, const foi_value **results,
                     uint32_t *result_count)
{
    foi_ast written = {.kind = FOI_AST_CALL, .place = place};
    calling k = {.s = s, .ctx = ctx, .e = &written, .c = c, .given = count};
    if (!foi_analyse(s, c)) return false;
    for (uint32_t i = 0; i < c->member_count; i++) k.inputs += is_input(&c->members[i]);
    if (c->partial && foi_lacks(s)) return false;
    if (k.inputs < count || c->partial)
        return foi_error(s, place,
                         "function '%s' cannot be called here: it is partial or has too few inputs",
                         c->name);
    k.values = foi_arena_new(&s->arena, k.inputs, sizeof *k.values);
    if (!k.values) return false;
    for (uint32_t i = 0; i < count; i++) k.values[i] = values[i];
    return take_arguments(&k) && call_each(&k, results, result_count);
}

bool foi_special_for(foi_session *s, foi_place place, foi_class *c, foi_value *values,
                     uint32_t count, foi_special **out)
{
    foi_ast written = {.kind = FOI_AST_CALL, .place = place};
    calling k = {.s = s, .e = &written, .c = c, .inputs = count, .given = count, .values = values};
    return take_arguments(&k) && find_special(&k, out);
}
