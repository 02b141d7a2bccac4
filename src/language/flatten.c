/// The model as a whole: all of its components, then all of its equations.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language/session.h"

// Sizes, bindings and attributes of all components of an instance.
static bool make_all(foi_session *s, foi_instance *instance)
{
    if (!s->grown && foi_is_bus(instance->c)) { // its components are not all known yet
        foi_instance **slot = foi_arena_add(&s->arena, &s->buses, &s->bus_count, sizeof *slot);
        return slot && (*slot = instance);
    }
    if (!foi_enter(s, instance->c->place)) return false;
    bool right = true;
    const foi_instance *around = s->within;
    s->within = instance;
    for (uint32_t i = 0; i < instance->c->member_count; i++) {
        foi_component *c = &instance->components[i];
        if (s->messages->full || s->arena.failed || s->flat->arena.failed) break;
        if (foi_is_outer(c)) {
            foi_component *inner = foi_inner(s, c);
            right &= inner && foi_check_outer(s, c, inner) && foi_check_outer_unmodified(s, c);
            continue;
        }
        if (!foi_size(s, c)) {
            right = false;
            continue;
        }
        if (c->absent) continue;
        if (c->type->builtin) {
            if (c->variability <= FOI_PARAMETER) right &= foi_bind(s, c);
            if (c->variables)
                right &= foi_set_attributes(s, c) && foi_note_flows(s, c) && foi_note_streams(s, c);
        }
        for (uint32_t k = 0; c->elements && k < c->count; k++) right &= make_all(s, c->elements[k]);
        if (right) right = foi_check_balance(s, c);
    }
    s->within = around;
    s->depth--;
    return right;
}

// The equation of a declaration: Real x = 2*y.
static bool declared_equation(foi_session *s, foi_component *c, bool top)
{
    bool found;
    foi_value value, here = {.type = c->type->type, .rank = c->rank, .count = c->count};
    foi_place place;
    if (!foi_binding_value(s, c, &found, &value, &place)) return false;
    if (top && c->causality && !(found && c->causality == FOI_INPUT))
        for (uint32_t k = 0; k < c->count; k++) c->variables[k]->causality = c->causality;
    if (!found) return true;
    if (s->flat->arena.failed) return false;
    const foi_declaration *d = c->member->declaration;
    if (d->variability == FOI_DISCRETE && c->type->type == FOI_REAL && !s->clocked)
        return foi_error(s, place, "'%s' is a discrete Real: it gets its values in a 'when'",
                         d->name);
    here.literals = c->type->builtin->literal_count ? c->type->builtin : NULL;
    memcpy(here.dims, c->dims, sizeof here.dims);
    here.list = c->nodes;
    if (c->rank == 0) here.one = c->nodes[0];
    char what[160];
    snprintf(what, sizeof what, "the value of '%.120s'", c->name);
    if (here.type == FOI_INTEGER && !value.record && value.type == FOI_REAL &&
        !foi_convert(s, place, &value, here.type, here.literals, what))
        return false;
    return foi_add_equation(s, place, &here, &value);
}

static bool all_equations(foi_session *s, foi_instance *instance)
{
    if (!foi_enter(s, instance->c->place)) return false;
    bool right = true;
    const foi_instance *around = s->within;
    s->within = instance;
    uint32_t span = s->machines ? foi_machine_open(s, instance) : 0;
    for (uint32_t i = 0; i < instance->c->member_count; i++) {
        foi_component *c = &instance->components[i];
        if (c->sizing != FOI_SIZED || c->absent || s->messages->full) continue;
        if (foi_is_text(c)) right &= foi_find_texts(s, c);
        if (c->variables && c->variability > FOI_PARAMETER)
            right &= declared_equation(s, c, !instance->parent);
        for (uint32_t k = 0; c->elements && k < c->count; k++)
            right &= all_equations(s, c->elements[k]);
    }
    right &= foi_expand_sections(s, instance);
    if (s->machines) foi_machine_close(s, span);
    s->within = around;
    s->depth--;
    return right;
}

static bool list_variable(foi_session *s, foi_flat_variable *v)
{
    foi_flat *flat = s->flat;
    if (v->literals && v->literals == s->clock->literal_names) return true; // resolved before
    foi_flat_variable **slot =
        foi_arena_add(&flat->arena, &flat->variables, &flat->variable_count, sizeof *slot);
    if (!slot) return false;
    *slot = v;
    v->index = flat->variable_count - 1;
    return true;
}

// Numbers all variables in the order of declarations.
static bool list_variables(foi_session *s, const foi_instance *instance)
{
    for (uint32_t i = 0; i < instance->c->member_count; i++) {
        const foi_component *c = &instance->components[i];
        if (c->absent) continue;
        for (uint32_t k = 0; c->variables && k < c->count; k++)
            if (!list_variable(s, c->variables[k])) return false;
        for (uint32_t k = 0; c->elements && k < c->count; k++)
            if (!list_variables(s, c->elements[k])) return false;
    }
    return true;
}

static bool number_variables(foi_session *s, const foi_instance *top)
{
    if (!list_variables(s, top)) return false;
    // constants of packages that the run chooses from come last
    for (uint32_t i = 0; i < s->variable_count; i++) {
        const foi_flat_variable *v = s->variables[i];
        bool listed = v->index < s->flat->variable_count && s->flat->variables[v->index] == v;
        if (!listed && !list_variable(s, s->variables[i])) return false;
    }
    return true;
}

// A parameter's value must lie between its min and max, where all that is known.
static bool check_range(foi_session *s, foi_flat_variable *v, double value)
{
    double bound;
    if (v->min && foi_known(s, v->min, false, &bound) && value < bound)
        return foi_error(s, v->place, "the value %g of '%s' is below its min, %g", value, v->name,
                         bound);
    if (v->max && foi_known(s, v->max, false, &bound) && value > bound)
        return foi_error(s, v->place, "the value %g of '%s' is above its max, %g", value, v->name,
                         bound);
    return true;
}

static bool check_parameter(foi_session *s, foi_flat_variable *v)
{
    double value;
    if (v->binding) {
        bool known = foi_known(s, foi_flat_of(s->flat, v), false, &value);
        if (known) return check_range(s, v, value);
        if (v->evaluated != 4) return true;
        return foi_error(s, v->place, "the value of '%s' depends on itself", v->name);
    }
    if (!v->fixed || s->review) return true;
    if (!v->start) return foi_error(s, v->place, "parameter '%s' has no value", v->name);
    foi_warning(s, v->place, "parameter '%s' has no value; its start value is used", v->name);
    v->binding = v->start;
    return true;
}

static bool check_all(foi_session *s)
{
    bool right = true;
    for (uint32_t i = 0; i < s->flat->variable_count; i++) {
        foi_flat_variable *v = s->flat->variables[i];
        if (v->variability == FOI_PARAMETER) right &= check_parameter(s, v);
        if (v->variability == FOI_DISCRETE && v->state)
            right = foi_error(s, v->place,
                              "'%s' has a derivative and is assigned in a when: use "
                              "'reinit'",
                              v->name);
    }
    for (uint32_t i = 0; i < s->reinit_count; i++)
        if (!s->reinits[i].variable->state)
            right =
                foi_error(s, s->reinits[i].place, "'reinit' needs a state: der(%s) occurs nowhere",
                          s->reinits[i].variable->name);
    return right;
}

static bool experiment_value(foi_session *s, foi_class *c, const foi_modifier *m, const char *name,
                             double *value)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const foi_argument *a = &m->arguments[i];
        if (strcmp(a->name, name) != 0 || !a->modifier || !a->modifier->value) continue;
        foi_context ctx = {.lexical = c};
        return foi_expand_known(s, &ctx, a->modifier->value, FOI_REAL, name, value);
    }
    return true;
}

static bool experiment(foi_session *s, foi_class *c)
{
    foi_flat_experiment *e = &s->flat->experiment;
    bool right = true;
    for (uint32_t i = 0; c->annotation && i < c->annotation->count; i++) {
        const foi_argument *a = &c->annotation->arguments[i];
        if (strcmp(a->name, "experiment") != 0 || !a->modifier) continue;
        right &= experiment_value(s, c, a->modifier, "StartTime", &e->start);
        right &= experiment_value(s, c, a->modifier, "StopTime", &e->stop);
        right &= experiment_value(s, c, a->modifier, "Tolerance", &e->tolerance);
        right &= experiment_value(s, c, a->modifier, "Interval", &e->interval);
    }
    return right;
}

static bool list_files(foi_session *s)
{
    const char **files = foi_arena_new(&s->flat->arena, s->source_count, sizeof *files);
    if (!files) return false;
    for (uint32_t i = 0; i < s->source_count; i++) {
        const char *name = s->sources[i].name;
        if (!(files[i] = foi_arena_text(&s->flat->arena, name, strlen(name)))) return false;
    }
    s->flat->files = files, s->flat->file_count = s->source_count;
    return true;
}

// Those among initial equations must hold at the start.
static bool add_initial_asserts(foi_session *s)
{
    s->sink = &s->main;
    for (uint32_t i = 0; i < s->initial.assert_count; i++) {
        foi_flat_assert a = s->initial.asserts[i];
        a.initial = true;
        if (!foi_add_assert(s, &a)) return false;
    }
    return true;
}

// After the start initial() is false: that is a moment of its own, in which everything that depends
// on it is computed anew (Modelica 3.6, section 8.6).
static bool end_start(foi_session *s, foi_place place)
{
    foi_flat *f = s->flat;
    if (!s->uses_initial) return true;
    double start = isnan(f->experiment.start) ? 0 : f->experiment.start;
    foi_flat_variable *v = foi_arena_new(&f->arena, 1, sizeof *v);
    foi_flat_variable **slot =
        foi_arena_add(&s->arena, &s->variables, &s->variable_count, sizeof *slot);
    const foi_flat_expr **list = foi_arena_new(&f->arena, 3, sizeof *list);
    foi_flat_statement *st = foi_arena_new(&f->arena, 1, sizeof *st);
    foi_flat_statement **body = foi_arena_new(&f->arena, 1, sizeof *body);
    foi_flat_branch *branch = foi_arena_new(&f->arena, 1, sizeof *branch);
    foi_flat_when *w = foi_arena_add(&f->arena, &f->whens, &f->when_count, sizeof *w);
    if (!v || !slot || !list || !st || !body || !branch || !w) return false;
    *v = (foi_flat_variable){.name = "(started)", .type = FOI_INTEGER, .place = place};
    v->variability = FOI_DISCRETE, v->is_protected = true, v->index = s->variable_count - 1;
    *slot = v;
    const foi_flat_expr *tick[] = {foi_flat_real(f, start), foi_flat_real(f, 1e60)};
    list[0] = foi_flat_call_builtin(f, FOI_FN_SAMPLE, 2, tick);
    list[1] = foi_flat_of(f, v), list[2] = foi_flat_integer(f, 1);
    *st = (foi_flat_statement){.action = FOI_DO_ASSIGN, .place = place, .count = 1};
    st->targets = list + 1, st->values = list + 2;
    body[0] = st;
    *branch = (foi_flat_branch){.conditions = list, .condition_count = 1, .place = place};
    branch->body = (foi_flat_block){body, 1};
    *w = (foi_flat_when){branch, 1, place};
    return list[0] && list[1] && list[2];
}

static bool finish(foi_session *s, foi_class *c, const foi_instance *top)
{
    foi_flat *flat = s->flat;
    const char *path = foi_class_path(s, c);
    flat->name = foi_arena_text(&flat->arena, path, strlen(path));
    if (c->description)
        flat->description = foi_arena_text(&flat->arena, c->description, strlen(c->description));
    if (!add_initial_asserts(s)) return false;
    flat->equations = s->main.equations, flat->equation_count = s->main.count;
    flat->asserts = s->main.asserts, flat->assert_count = s->main.assert_count;
    flat->initial = s->initial.equations, flat->initial_count = s->initial.count;
    flat->clocked = s->clocked;
    return flat->name && list_files(s) && number_variables(s, top) && check_all(s) &&
           foi_check_units(s);
}

// The graph of connections is wanted only where a text that was read says so.
static bool needs_survey(foi_session *s)
{
    return foi_names_have(&s->names, "Connections") || foi_names_have(&s->names, "cardinality") ||
           foi_names_have(&s->names, "rooted");
}

// Expandable connectors: what they consist of follows from the connections.
static bool make_buses(foi_session *s, foi_instance *top)
{
    if (!foi_grow_buses(s, top)) return false;
    s->grown = true;
    bool right = true;
    for (uint32_t i = 0; i < s->bus_count; i++) right &= make_all(s, s->buses[i]);
    return right;
}

bool foi_flatten(foi_session *s, foi_class *c)
{
    const char *word = foi_class_word(c);
    if (!foi_analyse(s, c)) return false;
    if (c->kind != FOI_CLASS_MODEL && c->kind != FOI_CLASS_BLOCK && c->kind != FOI_CLASS_CLASS)
        return foi_error(s, c->place, "'%s' is a %s: only a model can be run", c->name, word);
    if (c->partial)
        return foi_error(s, c->place, "%s '%s' is partial: it cannot be run", word, c->name);
    if (c->builtin)
        return foi_error(s, c->place, "'%s' is a type: only a model can be run", c->name);
    return foi_flatten_whole(s, c);
}

bool foi_flatten_whole(foi_session *s, foi_class *c)
{
    s->sink = &s->main;
    foi_instance *top = foi_make_top(s, c);
    if (!top) return false;
    bool right = make_all(s, top);
    if (right && s->bus_count && !make_buses(s, top)) return false;
    if (right && needs_survey(s) && !foi_survey(s, top)) return false;
    foi_machines_begin(s);
    right = all_equations(s, top) && right;
    right = right && foi_declare_events(s, top) && foi_declare_units(s, top);
    bool machines = s->machines && s->clocked;
    right = right && (!machines || foi_form_machines(s)) && foi_finish_connections(s);
    right = experiment(s, c) && right;
    right =
        right && (!machines || foi_resolve_machines(s)) && (!s->clocked || foi_resolve_clocks(s));
    right = foi_finish_functions(s) && right;
    right = right && end_start(s, c->place);
    return right && finish(s, c, top);
}
