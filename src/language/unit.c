/// Units of other tools as components:
///
///     block Engine
///       parameter Real k = 2; input Real u; output Real y;
///       annotation(__Foliot_fmu(file = "engine.fmu"));
///     end Engine;
///
/// The block has no equations: the unit computes its outputs from its inputs. In the flat model its
/// outputs are inputs and its inputs outputs, and whoever opens the model connects them; nothing is
/// loaded here. Other tools see a block without equations.
#include <string.h>

#include "language/session.h"

static const char word[] = "__Foliot_fmu";

static const foi_argument *argument(const foi_modifier *m, const char *name)
{
    for (uint32_t i = 0; m && i < m->count; i++)
        if (strcmp(m->arguments[i].name, name) == 0) return &m->arguments[i];
    return NULL;
}

static const char *file_of(foi_session *s, foi_class *c, const foi_argument *a)
{
    const foi_argument *file = argument(a->modifier, "file");
    foi_context ctx = {.lexical = c};
    foi_value v;
    if (!file || !file->modifier || !file->modifier->value) {
        foi_error(s, a->place, "%s needs the file of an FMU: file = \"engine.fmu\"", word);
        return NULL;
    }
    if (!foi_expand(s, &ctx, file->modifier->value, &v)) return NULL;
    if (v.record || v.rank || v.type != FOI_STRING || v.one->op != FOI_OP_STRING) {
        foi_error(s, file->place, "%s: the file must be a String: file = \"engine.fmu\"", word);
        return NULL;
    }
    return foi_arena_text(&s->flat->arena, v.one->text, strlen(v.one->text));
}

// An input that jumps: it stays what it is in the text, and a Real of its own follows it.
static bool add_number(foi_session *s, foi_flat_variable *of)
{
    foi_flat *f = s->flat;
    foi_flat_variable *v = foi_arena_new(&f->arena, 1, sizeof *v);
    foi_flat_variable **slot =
        foi_arena_add(&s->arena, &s->variables, &s->variable_count, sizeof *slot);
    if (!v || !slot) return false;
    v->name = foi_arena_print(&f->arena, "%s" FOI_FLAT_AS_NUMBER, of->name);
    v->type = FOI_REAL, v->variability = FOI_CONTINUOUS, v->causality = FOI_OUTPUT;
    v->place = of->place, v->index = s->variable_count - 1;
    *slot = v;
    const foi_flat_expr *from = foi_flat_of(f, of);
    foi_value left = {.type = FOI_REAL, .count = 1, .one = foi_flat_of(f, v)};
    foi_value right = {.type = FOI_REAL, .count = 1};
    right.one = from ? foi_flat_call_builtin(f, FOI_FN_REAL, 1, &from) : NULL;
    return v->name && left.one && right.one && foi_add_equation(s, of->place, &left, &right);
}

static const char *name_in_unit(foi_session *s, const foi_flat_unit *u, const char *name)
{
    const char *own = name + strlen(u->name) + 1;
    return foi_arena_text(&s->flat->arena, own, strlen(own));
}

// The texts of a component of type String, which are known before the run.
static bool take_texts(foi_session *s, foi_component *c, foi_flat_unit *u)
{
    foi_place place = c->member->declaration->place;
    if (c->causality == FOI_OUTPUT)
        return foi_error(s, place,
                         "'%s' is an output String of an FMU, which a text cannot read: only "
                         "outputs of types Real, Integer and Boolean can be used",
                         c->name);
    if (!(foi_is_text(c) ? foi_find_texts(s, c) : foi_bind(s, c))) return false;
    if (c->rank)
        return foi_error(s, place, "'%s' is an array of String, which an FMU cannot be given here",
                         c->name);
    const foi_flat_expr *text = c->nodes[0];
    if (!text || text->op != FOI_OP_STRING)
        return foi_error(
            s, place, "'%s' is passed to an FMU: its text must be known before the run", c->name);
    struct foi_flat_unit_text *to =
        foi_arena_add(&s->flat->arena, &u->texts, &u->text_count, sizeof *to);
    if (!to) return false;
    to->name = name_in_unit(s, u, c->name);
    to->value = foi_arena_text(&s->flat->arena, text->text, strlen(text->text));
    return to->name && to->value;
}

static bool turn_round(foi_session *s, foi_component *c)
{
    foi_causality turned = c->causality == FOI_INPUT ? FOI_OUTPUT : FOI_INPUT;
    bool right = true;
    if (c->causality != FOI_INPUT && c->causality != FOI_OUTPUT) return true;
    for (uint32_t k = 0; c->variables && k < c->count; k++) {
        foi_flat_variable *v = c->variables[k];
        bool jumps = turned == FOI_OUTPUT && v->type != FOI_REAL;
        v->causality = jumps ? FOI_INTERNAL : turned;
        if (jumps) right &= add_number(s, v);
    }
    return right;
}

// A parameter's value goes to the unit; in the text it is a constant from here on.
static bool take_parameter(foi_session *s, foi_component *c, foi_flat_unit *u)
{
    for (uint32_t k = 0; c->variables && k < c->count; k++) {
        foi_flat_variable *v = c->variables[k];
        double value;
        if (!foi_known(s, foi_flat_of(s->flat, v), false, &value))
            return foi_error(s, v->place,
                             "'%s' is passed to an FMU: its value must be known before the run",
                             v->name);
        struct foi_flat_unit_value *to =
            foi_arena_add(&s->flat->arena, &u->values, &u->value_count, sizeof *to);
        if (!to) return false;
        to->name = name_in_unit(s, u, v->name);
        to->value = value;
        v->variability = FOI_CONSTANT;
        if (!to->name) return false;
    }
    return true;
}

static bool declare(foi_session *s, foi_instance *instance, const foi_argument *a)
{
    foi_class *c = instance->c;
    const char *file = file_of(s, c, a);
    if (!file) return false;
    if (!instance->parent)
        return foi_error(s, c->place, "'%s' is an FMU: run its file, %s", c->name, file);
    if (c->section_count)
        return foi_error(s, c->place, "'%s' is an FMU: it cannot have equations of its own",
                         c->name);
    foi_flat_unit *u =
        foi_arena_add(&s->flat->arena, &s->flat->units, &s->flat->unit_count, sizeof *u);
    const char *name = foi_arena_text(&s->flat->arena, instance->name, strlen(instance->name));
    if (!u || !name) return false;
    *u = (foi_flat_unit){.name = name, .file = file, .place = a->place};
    bool right = true;
    for (uint32_t i = 0; i < c->member_count; i++) {
        foi_component *member = &instance->components[i];
        if (member->absent || member->sizing != FOI_SIZED) continue;
        if (member->nodes && !member->variables)
            right &= take_texts(s, member, u);
        else if (member->variability == FOI_PARAMETER)
            right &= take_parameter(s, member, u);
        else
            right &= turn_round(s, member);
    }
    return right;
}

static bool declare_all(foi_session *s, foi_instance *instance)
{
    const foi_argument *a = argument(instance->c->annotation, word);
    if (a) return declare(s, instance, a);
    bool right = true;
    for (uint32_t i = 0; i < instance->c->member_count; i++) {
        foi_component *c = &instance->components[i];
        if (c->sizing != FOI_SIZED || c->absent || foi_is_outer(c)) continue;
        for (uint32_t k = 0; c->elements && k < c->count; k++)
            right &= declare_all(s, c->elements[k]);
    }
    return right;
}

bool foi_declare_units(foi_session *s, foi_instance *top)
{
    if (!foi_names_have(&s->names, word)) return true;
    s->sink = &s->main;
    return declare_all(s, top);
}
