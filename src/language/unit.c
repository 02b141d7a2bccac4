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

static void turn_round(foi_component *c)
{
    foi_causality turned = c->causality == FOI_INPUT ? FOI_OUTPUT : FOI_INPUT;
    if (c->causality != FOI_INPUT && c->causality != FOI_OUTPUT) return;
    for (uint32_t k = 0; c->variables && k < c->count; k++) c->variables[k]->causality = turned;
}

// A parameter's value goes to the unit; in the text it is a constant from here on.
static bool take_parameter(foi_session *s, foi_component *c, foi_flat_unit *u)
{
    for (uint32_t k = 0; c->variables && k < c->count; k++) {
        foi_flat_variable *v = c->variables[k];
        double value;
        if (v->type == FOI_STRING) continue;
        if (!foi_known(s, foi_flat_of(s->flat, v), false, &value))
            return foi_error(s, v->place,
                             "'%s' is passed to an FMU: its value must be known before the run",
                             v->name);
        struct foi_flat_unit_value *to =
            foi_arena_add(&s->flat->arena, &u->values, &u->value_count, sizeof *to);
        if (!to) return false;
        to->name = foi_arena_text(&s->flat->arena, v->name + strlen(u->name) + 1,
                                  strlen(v->name) - strlen(u->name) - 1);
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
    *u = (foi_flat_unit){name, file, a->place, NULL, 0};
    bool right = true;
    for (uint32_t i = 0; i < c->member_count; i++) {
        foi_component *member = &instance->components[i];
        if (member->absent || member->sizing != FOI_SIZED) continue;
        if (member->variability == FOI_PARAMETER)
            right &= take_parameter(s, member, u);
        else
            turn_round(member);
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
    return !foi_names_have(&s->names, word) || declare_all(s, top);
}
