/// Named events: things that happen from outside, with a value.
///
///     input Real p(unit = "kg.m/s") "momentum of the tap";
///     input Boolean tap annotation(__Foliot_event(value = p));
///
/// The input is true in the moment of the event and false at all other times; the value is in `p`
/// from then on. Other tools see two inputs.
#include <string.h>

#include "language/session.h"

static const char word[] = "__Foliot_event";

static const foi_argument *argument(const foi_modifier *m, const char *name)
{
    for (uint32_t i = 0; m && i < m->count; i++)
        if (strcmp(m->arguments[i].name, name) == 0) return &m->arguments[i];
    return NULL;
}

// The input that takes the value.
static bool find_value(foi_session *s, foi_instance *top, const foi_argument *a, foi_place place,
                       foi_flat_variable **found)
{
    foi_value v;
    foi_context ctx = {.self = top, .lexical = top->c};
    if (!a->modifier || !a->modifier->value)
        return foi_error(s, place, "%s: 'value' needs the name of an input: value = p", word);
    if (!foi_expand(s, &ctx, a->modifier->value, &v)) return false;
    bool input = !v.record && v.rank == 0 && v.type <= FOI_INTEGER && !v.literals &&
                 v.one->op == FOI_OP_VARIABLE && v.one->variable->causality == FOI_INPUT;
    if (!input)
        return foi_error(s, a->modifier->place,
                         "the value of an event goes into an input Real or Integer of the model");
    *found = v.one->variable;
    return true;
}

static bool declare(foi_session *s, foi_instance *top, foi_component *c, const foi_argument *a)
{
    foi_place place = c->member->declaration->place;
    bool right = c->variables && c->rank == 0 && c->type->type == FOI_BOOLEAN &&
                 c->variables[0]->causality == FOI_INPUT;
    if (!right)
        return foi_error(s, place,
                         "'%s' is an event: it must be declared as 'input Boolean %s' and "
                         "have no equation",
                         c->name, c->name);
    for (uint32_t i = 0; a->modifier && i < a->modifier->count; i++)
        if (strcmp(a->modifier->arguments[i].name, "value") != 0)
            return foi_error(s, a->modifier->arguments[i].place, "%s has a 'value' and no '%s'",
                             word, a->modifier->arguments[i].name);
    c->variables[0]->event = true;
    const foi_argument *value = argument(a->modifier, "value");
    return !value || find_value(s, top, value, place, &c->variables[0]->event_value);
}

bool foi_declare_events(foi_session *s, foi_instance *top)
{
    bool right = true;
    for (uint32_t i = 0; i < top->c->member_count; i++) {
        foi_component *c = &top->components[i];
        const foi_argument *a = argument(c->member->declaration->annotation, word);
        if (a && !c->absent && c->sizing == FOI_SIZED) right &= declare(s, top, c, a);
    }
    return right;
}
