/// The bodies of the functions that are called: what their declarations and algorithms assign.
#include <stdio.h>

#include "language/session.h"

// The value that a declaration or a modification gives to a variable: assigned first.
static bool initial_value(foi_session *s, foi_component *c, foi_flat_statement ***list,
                          uint32_t *count)
{
    bool found;
    foi_value v;
    foi_place place;
    if (!foi_binding_value(s, c, &found, &v, &place)) return false;
    if (!found) return true;
    char what[96];
    snprintf(what, sizeof what, "the value of '%.60s'", c->member->declaration->name);
    foi_class *literals = c->type->builtin->literal_count ? c->type->builtin : NULL;
    if (!foi_convert(s, place, &v, c->type->type, literals, what)) return false;
    if (v.count != c->count || v.rank != c->rank)
        return foi_error(s, place, "%s has the wrong size: %s", what, foi_type_text(s, &v));
    foi_flat_statement *st = foi_arena_new(&s->flat->arena, 1, sizeof *st);
    const foi_flat_expr **values = foi_arena_new(&s->flat->arena, v.count, sizeof *values);
    const foi_flat_expr **targets = foi_arena_new(&s->flat->arena, v.count, sizeof *targets);
    foi_flat_statement **slot = foi_arena_add(&s->flat->arena, list, count, sizeof *slot);
    if (!st || !values || !targets || !slot) return false;
    for (uint32_t k = 0; k < v.count; k++) {
        // a constant is its number where it is named, and a variable where a subscript chooses
        bool named = c->nodes[k]->op == FOI_OP_VARIABLE;
        values[k] = foi_item(&v, k);
        targets[k] = named ? c->nodes[k] : foi_flat_of(s->flat, c->variables[k]);
        if (!targets[k]) return false;
    }
    *st = (foi_flat_statement){.action = FOI_DO_ASSIGN, .place = place, .count = v.count};
    st->targets = targets, st->values = values;
    *slot = st;
    return true;
}

// Of outputs and other variables, and of the fields of records among them.
static bool initial_values(foi_session *s, foi_instance *in, bool top, foi_flat_statement ***list,
                           uint32_t *count)
{
    if (!foi_enter(s, in->c->place)) return false;
    bool right = true;
    for (uint32_t i = 0; right && i < in->c->member_count; i++) {
        foi_component *c = &in->components[i];
        if (top && c->member->declaration->causality == FOI_INPUT) continue;
        bool number = top && c->rank == 0 && c->variability == FOI_CONSTANT; // where it is named
        if (c->variables && !number) right = initial_value(s, c, list, count);
        for (uint32_t k = 0; right && c->elements && k < c->count; k++)
            right = initial_values(s, c->elements[k], false, list, count);
    }
    s->depth--;
    return right;
}

// What its declarations say may be all: function f input Real x; output Real y = x^2; end f;
static bool has_results(foi_session *s, const foi_instance *in)
{
    bool found = false;
    for (uint32_t i = 0; i < in->c->member_count; i++) {
        foi_component *c = &in->components[i];
        foi_value v;
        foi_place place;
        if (c->member->declaration->causality != FOI_OUTPUT) continue;
        if (!foi_binding_value(s, c, &found, &v, &place) || !found) return false;
    }
    return found;
}

// Whether a statement gives it a value, or the declaration of it or of one of its fields does.
static bool is_given(foi_session *s, foi_component *c, int depth, bool *given)
{
    foi_value v;
    foi_place place;
    bool found = false;
    if (depth > FOI_DEEPEST_MODEL || c->absent || c->count == 0) return *given = true;
    if (c->variables && !foi_binding_value(s, c, &found, &v, &place)) return false;
    *given |= found || (c->variables && c->variables[0]->in_algorithm);
    for (uint32_t k = 0; c->elements && k < c->count && !*given; k++) {
        foi_instance *in = c->elements[k];
        *given |= in->c->member_count == 0;
        for (uint32_t i = 0; i < in->c->member_count && !*given; i++)
            if (!is_given(s, &in->components[i], depth + 1, given)) return false;
    }
    return true;
}

// An output that nothing gives a value would be 0.
static bool check_outputs(foi_session *s, const foi_special *f)
{
    for (uint32_t i = 0; i < f->c->member_count; i++) {
        foi_component *c = &f->instance->components[i];
        bool given = false;
        if (c->member->declaration->causality != FOI_OUTPUT) continue;
        if (!is_given(s, c, 0, &given)) return false;
        if (given) continue;
        return foi_error(s, c->member->declaration->place,
                         "the output '%s' of function '%s' is never assigned",
                         c->member->declaration->name, f->c->name);
    }
    return true;
}

static bool expand_body(foi_session *s, foi_special *f)
{
    foi_flat_statement **list = NULL;
    uint32_t count = 0;
    bool body = false;
    if (f->function->outside) return true; // it is compiled when it is needed
    if (!initial_values(s, f->instance, true, &list, &count)) return false;
    if (!foi_order_values(s, list, count, f->frame.count)) return false;
    for (uint32_t a = 0; a < f->c->ancestor_count; a++) {
        foi_class *c = f->c->ancestors[a];
        foi_context inside = {.self = f->instance, .lexical = c, .frame = &f->frame};
        for (uint32_t i = 0; i < c->section_count; i++) {
            if (!c->sections[i].algorithm || c->sections[i].initial)
                return foi_error(s, c->sections[i].place,
                                 "a function has an algorithm, not equations");
            foi_flat_block block;
            foi_mark_left_sides(&inside, c->sections[i].items, c->sections[i].count);
            if (!foi_expand_statements(s, &inside, c->sections[i].items, c->sections[i].count,
                                       &block))
                return false;
            for (uint32_t k = 0; k < block.count; k++) {
                foi_flat_statement **slot =
                    foi_arena_add(&s->flat->arena, &list, &count, sizeof *slot);
                if (!slot) return false;
                *slot = block.statements[k];
            }
            body = true;
        }
    }
    f->function->body = (foi_flat_block){list, count};
    f->function->locals = f->frame.locals, f->function->local_count = f->frame.count;
    f->function->ready = true;
    if (!body && !has_results(s, f->instance))
        return foi_error(s, f->c->place, "function '%s' has no algorithm", f->c->name);
    return check_outputs(s, f);
}

// Is `to` reached from `from` through calls?
static bool reaches(foi_special **stack, foi_special *from, const foi_special *to)
{
    uint32_t count = 0;
    stack[count++] = from;
    while (count > 0) {
        foi_special *f = stack[--count];
        for (uint32_t i = 0; i < f->call_count; i++) {
            if (f->calls[i] == to) return true;
            if (f->calls[i]->visited) continue;
            f->calls[i]->visited = true;
            stack[count++] = f->calls[i];
        }
    }
    return false;
}

static bool expand_one(foi_session *s, foi_special *f)
{
    foi_special *outer = s->special;
    if (!foi_enter(s, f->c->place)) return false;
    s->special = f, f->expanded = true;
    bool right = expand_body(s, f);
    s->special = outer;
    s->depth--;
    return right;
}

// One that only annotations have needed may turn out to be needed by one after it: so until there
// is none left.
bool foi_expand_bodies(foi_session *s)
{
    bool right = true;
    for (bool more = true; more;) { // one body may need another that only annotations needed before
        more = false;
        for (uint32_t i = s->special_done; i < s->special_count; i++) {
            foi_special *f = s->specials[i];
            if (!f->made || f->expanded || f->optional) continue;
            right &= expand_one(s, f);
            more |= f->expanded;
            if (s->hopeless) return false;
        }
    }
    for (; s->special_done < s->special_count; s->special_done++) {
        const foi_special *f = s->specials[s->special_done];
        if (!f->expanded && !f->optional) break;
    }
    return right;
}

// What only annotations need: where it is wrong, it is not used.
static void expand_optional(foi_session *s)
{
    for (uint32_t i = 0; i < s->special_count && !s->hopeless; i++) {
        foi_special *f = s->specials[i];
        size_t count = s->messages->count, errors = s->messages->errors;
        if (!f->made || f->expanded || !f->optional) continue;
        f->broken = !expand_one(s, f) || s->messages->errors > errors;
        if (f->broken) foi_messages_forget(s->messages, count);
    }
}

static foi_special *special_of(foi_session *s, const foi_flat_function *f)
{
    for (uint32_t i = s->special_count; i-- > 0;)
        if (s->specials[i]->function == f) return s->specials[i];
    return NULL;
}

bool foi_known(foi_session *s, const foi_flat_expr *e, bool mark, double *value)
{
    // only the bodies that the value needs are made now: others may need it
    const foi_flat_function *missing;
    while (!foi_flat_evaluate_early(e, mark, value, &missing)) {
        foi_special *f = missing ? special_of(s, missing) : NULL;
        size_t errors = s->messages->errors;
        if (f && f->function->outside && !foi_outside_compile(s)) s->bodies_failed = true;
        if (f && f->function->outside && f->function->ready) continue;
        if (!f || !f->made || f->expanded) return false;
        if (!expand_one(s, f) || s->messages->errors > errors) s->bodies_failed = true;
    }
    return true;
}

// Bodies that this class needs and that were wrong when a class before it was looked at: what is
// wrong with them is wrong here, too.
static bool expand_again(foi_session *s)
{
    bool right = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->special_count; i++) {
            foi_special *f = s->specials[i];
            if (f->called_in != s->look) continue;
            if (f->expanded && !f->function->ready && !f->function->outside && !f->optional)
                right &= expand_one(s, f);
            if (s->hopeless || !right) return false;
            for (uint32_t k = 0; k < f->call_count; k++) {
                more |= f->calls[k]->called_in != s->look;
                f->calls[k]->called_in = s->look;
            }
        }
    }
    return foi_expand_bodies(s);
}

bool foi_finish_functions(foi_session *s)
{
    bool right = foi_expand_bodies(s) && (!s->review || expand_again(s)) && !s->bodies_failed;
    if (right) expand_optional(s);
    right = right && !s->hopeless && foi_outside_compile(s);
    if (right) foi_annotate_end(s);
    foi_flat_function **list = foi_arena_new(&s->flat->arena, s->special_count, sizeof *list);
    foi_special **stack = foi_arena_new(&s->arena, s->special_count + 1u, sizeof *stack);
    if (!right || !list || !stack) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->special_count; i++) {
        if (s->specials[i]->broken) continue;
        for (uint32_t k = 0; k < s->special_count; k++) s->specials[k]->visited = false;
        list[count] = s->specials[i]->function;
        list[count++]->recursive = reaches(stack, s->specials[i], s->specials[i]);
    }
    s->flat->functions = list, s->flat->function_count = count;
    return foi_outside_keep(s);
}
