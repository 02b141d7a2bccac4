/// Values that declarations and modifications give: bindings and attributes.
#include <string.h>

#include "language/session.h"

// The value of a modification, for the element that it is meant for. Many elements take their
// parts of one array, and the fields of a record theirs of one call: it is expanded once.
static bool layer_value(foi_session *s, const foi_layer *l, foi_value *value)
{
    const foi_ast *e = l->modifier->value;
    size_t slot = ((uintptr_t)e / 16 ^ (uintptr_t)l->context.self / 64) % 64;
    if (s->memo[slot].expression == e && s->memo[slot].self == l->context.self &&
        s->memo[slot].lexical == l->context.lexical) {
        *value = s->memo[slot].value;
    } else {
        if (!foi_expand(s, &l->context, e, value)) return false;
        if (value->rank || value->record) {
            s->memo[slot].expression = e, s->memo[slot].self = l->context.self;
            s->memo[slot].lexical = l->context.lexical;
            s->memo[slot].value = *value;
        }
    }
    const foi_value all = *value;
    if (l->index_count == 0) return true;
    if (all.rank == 0) {
        foi_warning(s, l->modifier->place, "one value for all elements: write 'each'");
        return true;
    }
    return foi_part_of(s, l->modifier->place, &all, l->indices, l->index_count, value);
}

// May a component of this class have a value as a whole? A connector may be a record:
// `connector ComplexOutput = output Complex`.
static bool has_fields(const foi_class *c)
{
    return c->kind == FOI_CLASS_RECORD || c->kind == FOI_CLASS_CONNECTOR;
}

// The value that a record's own binding gives to this component of it.
static bool record_value(foi_session *s, foi_component *c, bool *found, foi_value *value,
                         foi_place *place)
{
    foi_component *record = c->parent->parent;
    *found = false;
    if (!record || !has_fields(record->type)) return true;
    foi_value all, one;
    if (!foi_binding_value(s, record, found, &all, place) || !*found) return !*found;
    if (!all.record || all.record->member_count != c->parent->c->member_count)
        return foi_error(s, *place, "the value of '%s' must be a record '%s', not %s", record->name,
                         record->type->name, foi_type_text(s, &all));
    uint32_t indices[FOI_MOST_RANK], rest = c->parent->index;
    for (uint32_t i = record->rank; i-- > 0;) {
        indices[i] = rest % record->dims[i];
        rest /= record->dims[i];
    }
    if (!foi_part_of(s, *place, &all, indices, record->rank, &one)) return false;
    const foi_member *m = foi_find_member(all.record, c->member->declaration->name);
    if (!m)
        return foi_error(s, *place, "the value of '%s' has no '%s'", record->name,
                         c->member->declaration->name);
    *value = one.fields[m - all.record->members];
    return true;
}

// Of the modifications of a record the stronger counts: x = y, stronger than x(a = 5), gives x.a
// too.
static bool record_is_stronger(const foi_component *c, const foi_layer *l)
{
    const foi_component *record = c->parent->parent;
    if (!record || !has_fields(record->type)) return false;
    for (const foi_layer *of = record->layers; of; of = of->weaker) {
        if (of->modifier->value) return true;
        for (uint32_t i = 0; i < of->modifier->count; i++)
            if (of->modifier->arguments[i].modifier == l->modifier) return false;
    }
    return false;
}

bool foi_binding_value(foi_session *s, foi_component *c, bool *found, foi_value *value,
                       foi_place *place)
{
    // from outside, then through the record that it is part of, then from its declaration
    for (int inside = 0; inside < 2; inside++) {
        for (const foi_layer *l = c->layers; l; l = l->weaker) {
            bool says = l->modifier->value || l->modifier->removes;
            if (!says || l->own != inside) continue;
            if (!inside && record_is_stronger(c, l)) break;
            if (l->modifier->removes) return *found = false, true;
            *found = true, *place = l->modifier->place;
            if (!foi_enter(s, *place)) return false;
            bool right = layer_value(s, l, value);
            s->depth--;
            return right;
        }
        if (inside == 0) {
            if (!record_value(s, c, found, value, place)) return false;
            if (*found) return true;
        }
    }
    *found = false;
    return true;
}

static foi_class *literals_of(const foi_component *c)
{
    return c->type->builtin->literal_count ? c->type->builtin : NULL;
}

// Makes a value fit a component: its type, and its size, or one for all.
static bool fit(foi_session *s, foi_component *c, foi_place place, bool each, const char *what,
                foi_value *v)
{
    if (!foi_convert(s, place, v, c->type->type, literals_of(c), what)) return false;
    foi_value shape = {.type = c->type->type, .rank = c->rank, .literals = literals_of(c)};
    memcpy(shape.dims, c->dims, sizeof shape.dims);
    if (foi_same_size(v, &shape) || (each && v->rank == 0)) return true;
    return foi_error(s, place, "%s must be %s, not %s", what, foi_type_text(s, &shape),
                     foi_type_text(s, v));
}

static bool set_constant(foi_session *s, foi_component *c, uint32_t k, const foi_flat_expr *e,
                         foi_place place)
{
    double value;
    if (!foi_known(s, e, true, &value))
        return foi_error(s, place, "the value of constant '%s' is not known before the run",
                         c->name);
    foi_flat_expr *known = foi_flat_real(s->flat, value);
    if (!known) return false;
    known->type = c->type->type;
    c->variables[k]->binding = c->nodes[k] = known;
    return true;
}

static bool set_text(foi_session *s, foi_component *c, uint32_t k, const foi_flat_expr *e,
                     foi_place place)
{
    if (!(e = foi_settled_text(s, e))) return false;
    if (e->op != FOI_OP_STRING)
        return foi_error(s, place, "the value of the String '%s' is not known before the run",
                         c->name);
    c->nodes[k] = e;
    return true;
}

// A parameter follows from parameters, a constant from constants.
static bool check_known(foi_session *s, const foi_component *c, const foi_flat_expr *e,
                        foi_place place)
{
    if (c->parent->frame || s->special) return true;
    foi_variability v = foi_variability_of(e);
    if (v <= c->variability) return true;
    return foi_error(s, place, "'%s' is %s: its value cannot depend on %s", c->name,
                     foi_variability_word(c->variability), foi_variability_word(v));
}

// Does a class that uses or extends this one give it a value? A constant of a package that is used
// as it is has nobody left who could.
static bool may_be_given(const foi_component *c)
{
    return c->variability == FOI_PARAMETER || c->parent->c->partial || !c->parent->is_package;
}

static bool bind_inside(foi_session *s, foi_component *c)
{
    foi_value v;
    bool found;
    foi_place place;
    char what[160];
    snprintf(what, sizeof what, "the value of '%.120s'", c->name);
    if (!foi_binding_value(s, c, &found, &v, &place)) return false;
    if (!found && c->variability == FOI_PARAMETER) {
        s->unvalued = true;
        if (c->type->type != FOI_REAL) s->unsized = true;
    }
    if (!found && c->type->type != FOI_STRING && c->variability == FOI_PARAMETER) return true;
    if (!found && may_be_given(c) && foi_lacks(s)) return false;
    if (!found)
        return foi_error(s, c->member->declaration->place, "%s '%s' has no value",
                         c->variability == FOI_CONSTANT ? "constant" : "parameter", c->name);
    if (!fit(s, c, place, false, what, &v)) return false;
    for (uint32_t k = 0; k < c->count; k++) {
        const foi_flat_expr *e = foi_item(&v, k);
        if (c->nodes[k] && !foi_note_alike(s, c->nodes[k], e, place, "value")) return false;
        if (c->type->type == FOI_STRING) {
            if (!set_text(s, c, k, e, place)) return false;
        } else if (!check_known(s, c, e, place)) {
            return false;
        } else if (c->variability == FOI_CONSTANT) {
            if (!set_constant(s, c, k, e, place)) return false;
        } else {
            c->variables[k]->binding = e;
        }
    }
    return true;
}

static bool take_setting(foi_session *s, foi_component *c, uint32_t k, double value)
{
    foi_place place = c->member->declaration->place;
    uint32_t literals = c->type->builtin->literal_count;
    if (c->member->declaration->is_final)
        return foi_error(s, place, "'%s' is final: it cannot be set", c->variables[k]->name);
    if (c->type->type == FOI_INTEGER && value != (double)(int64_t)value)
        return foi_error(s, place, "'%s' is an Integer: it cannot be set to %g",
                         c->variables[k]->name, value);
    if (literals && !(value >= 1 && value <= literals))
        return foi_error(s, place, "'%s' is one of %u literals, counted from 1: not %g",
                         c->variables[k]->name, literals, value);
    if (c->type->type == FOI_BOOLEAN && value != 0 && value != 1)
        return foi_error(s, place, "'%s' is Boolean: it can be set to 0 or 1, not %g",
                         c->variables[k]->name, value);
    foi_flat_expr *e = foi_flat_real(s->flat, value);
    if (!e) return false;
    e->type = c->type->type;
    c->variables[k]->binding = e;
    return true;
}

// What the user sets stands above everything that the text says.
static bool take_settings(foi_session *s, foi_component *c)
{
    const foi_language_def *def = s->def;
    bool settable = c->variability == FOI_PARAMETER && c->variables && !s->special;
    for (size_t i = 0; settable && i < def->setting_count; i++)
        for (uint32_t k = 0; k < c->count; k++) {
            if (strcmp(c->variables[k]->name, def->settings[i].name) != 0) continue;
            if (!take_setting(s, c, k, def->settings[i].value)) return false;
            def->settings[i].taken = true;
        }
    return true;
}

// annotation(Evaluate = true)
static bool wants_evaluation(const foi_component *c)
{
    const foi_modifier *m = c->member->declaration->annotation;
    if (c->parent->frame || c->variability != FOI_PARAMETER) return false;
    for (uint32_t i = 0; m && i < m->count; i++) {
        const foi_modifier *given = m->arguments[i].modifier;
        if (strcmp(m->arguments[i].name, "Evaluate") == 0 && given && given->value)
            return given->value->kind == FOI_AST_BOOLEAN && given->value->number != 0;
    }
    return false;
}

bool foi_bind(foi_session *s, foi_component *c)
{
    if (c->binding == FOI_BOUND) return true;
    if (c->binding == FOI_BIND_FAILED) return false;
    if (c->binding == FOI_BINDING) {
        if (c->variability == FOI_PARAMETER && c->type->type != FOI_STRING) return true;
        return foi_error(s, c->member->declaration->place, "the value of '%s' depends on itself",
                         c->name);
    }
    c->binding = FOI_BINDING;
    bool right = bind_inside(s, c) && take_settings(s, c);
    if (right && c->variables && wants_evaluation(c)) {
        double value; // what it is now stays
        for (uint32_t k = 0; k < c->count; k++) foi_known(s, c->nodes[k], true, &value);
    }
    c->binding = right ? FOI_BOUND : FOI_BIND_FAILED;
    return right;
}

// The modifications of the built-in type behind a type: type Voltage = Real(unit = "V").
static const foi_layer *type_layers(foi_session *s, const foi_component *c, const char *name)
{
    const foi_inherited *i = c->type->attributes;
    if (!i) return NULL;
    const foi_inherited *stack[FOI_DEEPEST_MODEL];
    int count = 0;
    for (; i && count < FOI_DEEPEST_MODEL; i = i->weaker) stack[count++] = i;
    const foi_layer *layers = NULL;
    while (count > 0) {
        foi_layer *from = foi_arena_new(&s->arena, 1, sizeof *from);
        if (!from) return NULL;
        *from = (foi_layer){.modifier = stack[--count]->modifier};
        from->context.lexical = stack[count]->lexical;
        from->context.self = foi_instance_around(c->parent, stack[count]->lexical);
        layers = foi_layers_for(s, from, name, layers);
    }
    // a type's attribute holds for every element
    for (const foi_layer *l = layers; l; l = l->weaker) ((foi_layer *)l)->each = true;
    return layers;
}

// The strongest value of an attribute; found false: none.
static bool attribute(foi_session *s, foi_component *c, const char *name, bool *found,
                      foi_value *value, foi_place *place)
{
    *found = false;
    if (!c->layers && !c->type->attributes) return true;
    const char *known = foi_name(s, name);
    if (!known) return false;
    const foi_layer *l = foi_layers_for(s, c->layers, known, type_layers(s, c, known));
    while (l && !l->modifier->value && !l->modifier->removes) l = l->weaker;
    if (!l || l->modifier->removes) return true;
    *found = true, *place = l->modifier->place;
    for (const foi_layer *weaker = l->weaker; weaker; weaker = weaker->weaker)
        if (weaker->is_final && weaker->modifier->value)
            return foi_error(s, *place, "'%s' of '%s' is final: it cannot be modified", name,
                             c->name);
    if (!layer_value(s, l, value)) return false;
    if (c->rank && value->rank == 0 && !l->each) {
        foi_warning(s, *place, "one value for all elements: write 'each %s'", name);
    }
    return true;
}

typedef const foi_flat_expr **slot_of(foi_flat_variable *v);
static const foi_flat_expr **start_of(foi_flat_variable *v)
{
    return &v->start;
}
static const foi_flat_expr **min_of(foi_flat_variable *v)
{
    return &v->min;
}
static const foi_flat_expr **max_of(foi_flat_variable *v)
{
    return &v->max;
}
static const foi_flat_expr **nominal_of(foi_flat_variable *v)
{
    return &v->nominal;
}

static bool set_number(foi_session *s, foi_component *c, const char *name, slot_of *slot)
{
    bool found;
    foi_value v;
    foi_place place;
    if (!attribute(s, c, name, &found, &v, &place)) return false;
    if (!found) return true;
    char what[160];
    snprintf(what, sizeof what, "'%s' of '%.120s'", name, c->name);
    if (!fit(s, c, place, true, what, &v)) return false;
    for (uint32_t k = 0; k < c->count; k++) {
        const foi_flat_expr *e = *slot(c->variables[k]) = v.rank ? v.list[k] : v.one;
        if (!foi_note_alike(s, c->nodes[k], e, place, name)) return false;
    }
    return true;
}

static bool set_fixed(foi_session *s, foi_component *c)
{
    bool found;
    foi_value v;
    foi_place place;
    for (uint32_t k = 0; k < c->count; k++)
        c->variables[k]->fixed = c->variability <= FOI_PARAMETER;
    if (!attribute(s, c, "fixed", &found, &v, &place)) return false;
    if (!found) return true;
    if (v.record || v.type != FOI_BOOLEAN || (v.rank && v.count != c->count))
        return foi_error(s, place, "'fixed' of '%s' must be Boolean, not %s", c->name,
                         foi_type_text(s, &v));
    for (uint32_t k = 0; k < c->count; k++) {
        double value;
        if (!foi_known(s, v.rank ? v.list[k] : v.one, true, &value))
            return foi_error(s, place, "'fixed' of '%s' is not known before the run", c->name);
        c->variables[k]->fixed = value != 0, c->variables[k]->fixed_given = true;
    }
    return true;
}

static bool set_select(foi_session *s, foi_component *c)
{
    bool found;
    foi_value v;
    foi_place place;
    if (!attribute(s, c, "stateSelect", &found, &v, &place)) return false;
    if (!found) return true;
    static const foi_state_select selects[] = {FOI_SELECT_NEVER, FOI_SELECT_AVOID,
                                               FOI_SELECT_DEFAULT, FOI_SELECT_PREFER,
                                               FOI_SELECT_ALWAYS};
    bool right = v.literals == s->state_select && (!v.rank || v.count == c->count);
    for (uint32_t k = 0; k < c->count; k++) {
        double value;
        if (!right || !foi_known(s, v.rank ? v.list[k] : v.one, true, &value))
            return foi_error(s, place, "'stateSelect' of '%s' must be one of StateSelect", c->name);
        c->variables[k]->select = selects[(int)value - 1];
    }
    return true;
}

typedef void set_words(foi_flat_variable *v, const char *text);
static void set_unit(foi_flat_variable *v, const char *text)
{
    v->unit = text;
}
static void set_display_unit(foi_flat_variable *v, const char *text)
{
    v->display_unit = text;
}

static bool text_attribute(foi_session *s, foi_component *c, const char *name, set_words *set)
{
    bool found;
    foi_value v;
    foi_place place;
    if (!attribute(s, c, name, &found, &v, &place)) return false;
    bool right = !found || (!v.record && v.type == FOI_STRING && (!v.rank || v.count == c->count));
    for (uint32_t k = 0; k < c->count; k++) {
        const foi_flat_expr *e = right && found ? foi_item(&v, v.rank ? k : 0) : NULL;
        if (!right || (e && e->op != FOI_OP_STRING))
            return foi_error(s, place, "'%s' of '%s' must be a String, not %s", name, c->name,
                             foi_type_text(s, &v));
        set(c->variables[k], e && *e->text ? e->text : NULL);
    }
    return true;
}

bool foi_start_texts(foi_session *s, foi_component *c, const foi_flat_expr **start)
{
    bool found;
    foi_value v;
    foi_place place;
    if (!attribute(s, c, "start", &found, &v, &place)) return false;
    if (!found) return true;
    if (v.record || v.type != FOI_STRING || (v.rank && v.count != c->count))
        return foi_error(s, place, "'start' of '%s' must be a String, not %s", c->name,
                         foi_type_text(s, &v));
    for (uint32_t k = 0; k < c->count; k++) {
        const foi_flat_expr *e = v.rank ? v.list[k] : v.one;
        if (foi_variability_of(e) > FOI_PARAMETER)
            return foi_error(s, place, "'start' of '%s' must be known before the run", c->name);
        if (!start[k]) start[k] = e;
    }
    return true;
}

bool foi_set_unit(foi_session *s, foi_component *c)
{
    return c->type->type != FOI_REAL || text_attribute(s, c, "unit", set_unit);
}

bool foi_set_attributes(foi_session *s, foi_component *c)
{
    const foi_declaration *d = c->member->declaration;
    const char *description = NULL;
    if (d->description && *d->description)
        description = foi_arena_text(&s->flat->arena, d->description, strlen(d->description));
    if (!text_attribute(s, c, "unit", set_unit) ||
        !text_attribute(s, c, "displayUnit", set_display_unit) ||
        !set_number(s, c, "start", start_of) || !set_number(s, c, "min", min_of) ||
        !set_number(s, c, "max", max_of) || !set_number(s, c, "nominal", nominal_of) ||
        !set_fixed(s, c) || !set_select(s, c))
        return false;
    for (uint32_t k = 0; k < c->count; k++) c->variables[k]->description = description;
    return true;
}
