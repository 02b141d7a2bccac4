#include <assert.h>
#include <foliot/system.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

fo_status fo_refuse(const fo_state *s, const char *format, ...)
{
    if (!s->message) return FO_ERROR_MODEL;
    s->message->status = FO_ERROR_MODEL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->message->text, sizeof s->message->text, format, arguments);
    va_end(arguments);
    foi_message_plain(s->message->text);
    return FO_ERROR_MODEL;
}

void fo_note(const fo_state *s, const char *format, ...)
{
    char text[FO_MESSAGE_SIZE];
    if (!s->host || !s->host->note) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    foi_message_plain(text);
    s->host->note(s->host, s->t, text);
}

fo_accuracy fo_same_accuracy(void)
{
    return (fo_accuracy){-1, -1, -1, -1};
}

fo_status fo_state_accuracy(fo_state *s, const fo_accuracy *to)
{
    if (s->host && s->host->accuracy) return s->host->accuracy(s->host, s, to);
    return fo_fail(s->message, FO_ERROR_UNFIT,
                   "the accuracy cannot change here (t = %g): whoever carries the model does not "
                   "choose its steps, or this is no jump",
                   s->t);
}

fo_status fo_state_resize(fo_state *s, uint32_t states, uint32_t discretes, uint32_t guards,
                          uint32_t conditions)
{
    fo_shape shape = s->shape;
    shape.states = states;
    shape.discretes = discretes;
    shape.guards = guards;
    shape.conditions = conditions;
    if (shape.pairs > states / 2)
        return fo_fail(s->message, FO_ERROR_ARGUMENT,
                       "%u states at t = %g are too few for %u pairs of positions and velocities",
                       states, s->t, shape.pairs);
    if (!s->host)
        return fo_fail(s->message, FO_ERROR_UNFIT,
                       "the number of states cannot change here (t = %g): only a jump may ask",
                       s->t);
    return s->host->resize(s->host, s, &shape);
}

fo_shape fo_system_shape(fo_system system)
{
    const fo_description *about = system.about;
    fo_shape shape = {
        .states = (uint32_t)about->states.count,
        .discretes = (uint32_t)about->discretes.count,
        .guards = (uint32_t)about->guards.count,
        .conditions = (uint32_t)about->conditions.count,
        .inputs = (uint32_t)about->inputs.count,
        .outputs = (uint32_t)about->outputs.count,
        .parameters = (uint32_t)about->parameters.count,
        .pairs = about->pairs,
        .memory = about->memory,
        .scratch = about->scratch,
    };
    if (system.type->shape) system.type->shape(system.model, &shape);
    return shape;
}

// ---------------------------------------------------------------------------------------- names

// The order in which names are looked for, and the letter of those without one.
static const struct {
    fo_quantity quantity;
    char letter;
} quantities[] = {
    {FO_STATE, 'x'}, {FO_DISCRETE, 'd'}, {FO_INPUT, 'u'}, {FO_OUTPUT, 'y'}, {FO_PARAMETER, 'p'},
};

enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

static const fo_variables *variables(fo_system system, fo_quantity quantity)
{
    switch (quantity) {
    case FO_TIME: break;
    case FO_STATE: return &system.about->states;
    case FO_DISCRETE: return &system.about->discretes;
    case FO_INPUT: return &system.about->inputs;
    case FO_OUTPUT: return &system.about->outputs;
    case FO_PARAMETER: return &system.about->parameters;
    }
    return NULL;
}

static uint32_t count_of(const fo_shape *shape, fo_quantity quantity)
{
    switch (quantity) {
    case FO_TIME: return 1;
    case FO_STATE: return shape->states;
    case FO_DISCRETE: return shape->discretes;
    case FO_INPUT: return shape->inputs;
    case FO_OUTPUT: return shape->outputs;
    case FO_PARAMETER: return shape->parameters;
    }
    return 0;
}

const fo_variable *fo_system_variable(fo_system system, fo_reference which)
{
    const fo_variables *v = variables(system, which.quantity);
    return v && which.index < v->count ? &v->list[which.index] : NULL;
}

const char *fo_system_name(fo_system system, fo_reference which, char *text, size_t size)
{
    const fo_variable *variable = fo_system_variable(system, which);
    char letter = '?';
    for (size_t q = 0; q < QUANTITIES; q++)
        if (quantities[q].quantity == which.quantity) letter = quantities[q].letter;
    if (which.quantity == FO_TIME)
        snprintf(text, size, "time");
    else if (variable && variable->name)
        snprintf(text, size, "%s", variable->name);
    else
        snprintf(text, size, "%c[%u]", letter, which.index);
    return text;
}

static bool is_name(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static bool find_named(fo_system system, const char *name, bool is_same(const char *, const char *),
                       fo_reference *found)
{
    for (size_t q = 0; q < QUANTITIES; q++) {
        const fo_variables *v = variables(system, quantities[q].quantity);
        for (size_t i = 0; i < v->count; i++) {
            const char *candidate = v->list[i].name;
            if (!candidate || !is_same(candidate, name)) continue;
            *found = (fo_reference){quantities[q].quantity, (uint32_t)i};
            return true;
        }
    }
    return false;
}

static foi_nearest nearest_name(fo_system system, const char *name)
{
    foi_nearest nearest = foi_nearest_to(name);
    for (size_t q = 0; q < QUANTITIES; q++) {
        const fo_variables *v = variables(system, quantities[q].quantity);
        for (size_t i = 0; i < v->count; i++)
            if (v->list[i].name) foi_nearest_try(&nearest, v->list[i].name);
    }
    foi_nearest_try(&nearest, "time");
    return nearest;
}

// "x[7]" for what has no name: the text that fo_system_name writes.
static bool find_numbered(fo_system system, const char *name, fo_reference *found)
{
    fo_shape shape = fo_system_shape(system);
    for (size_t q = 0; q < QUANTITIES; q++) {
        if (name[0] != quantities[q].letter || name[1] != '[') continue;
        if (name[2] < '0' || name[2] > '9') return false;
        char *end;
        unsigned long index = strtoul(name + 2, &end, 10);
        if (strcmp(end, "]") != 0 || index >= count_of(&shape, quantities[q].quantity))
            return false;
        *found = (fo_reference){quantities[q].quantity, (uint32_t)index};
        return true;
    }
    return false;
}

fo_status fo_system_find(fo_system system, const char *name, fo_reference *found, fo_message *why)
{
    assert(name && found);
    if (find_named(system, name, is_name, found)) return FO_OK;
    if (find_numbered(system, name, found)) return FO_OK;
    if (strcmp(name, "time") == 0) {
        *found = (fo_reference){FO_TIME, 0};
        return FO_OK;
    }
    // Other tools write `r[1, 2]`.
    if (strstr(name, ", ") && find_named(system, name, foi_one_name, found)) return FO_OK;
    if (!why) return FO_ERROR_ARGUMENT; // a suggestion takes much longer than the search
    foi_nearest nearest = nearest_name(system, name);
    return fo_fail(why, FO_ERROR_ARGUMENT, "%s has no quantity '%s'%s", system.about->name, name,
                   foi_nearest_hint(&nearest));
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail + 1 && name[length - tail - 1] == '.' &&
           strcmp(name + length - tail, end) == 0;
}

fo_status fo_system_complete(fo_system system, const char *name, char *full, size_t size,
                             fo_message *why)
{
    fo_reference which;
    const char *first = NULL, *second = NULL;
    const fo_variables *lists[] = {&system.about->parameters, &system.about->inputs};
    snprintf(full, size, "%s", name);
    if (fo_system_find(system, name, &which, NULL) == FO_OK) return FO_OK;
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count; i++) {
            const char *candidate = lists[k]->list[i].name;
            if (candidate && ends_with(candidate, name)) *(first ? &second : &first) = candidate;
        }
    if (second)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "there are several numbers '%.60s': %s is one, %s another; name one of them",
                       name, first, second);
    if (!first) return fo_system_find(system, name, &which, why);
    snprintf(full, size, "%s", first);
    return FO_OK;
}

// ------------------------------------------------------------------------- what a variable is for

fo_causality fo_system_causality(fo_system system, fo_reference which)
{
    static const fo_causality usual[] = {
        [FO_TIME] = FO_CAUSALITY_INPUT,     [FO_STATE] = FO_CAUSALITY_LOCAL,
        [FO_DISCRETE] = FO_CAUSALITY_LOCAL, [FO_INPUT] = FO_CAUSALITY_INPUT,
        [FO_OUTPUT] = FO_CAUSALITY_OUTPUT,  [FO_PARAMETER] = FO_CAUSALITY_PARAMETER,
    };
    const fo_variable *v = fo_system_variable(system, which);
    return v && v->causality != FO_CAUSALITY_BY_LIST ? v->causality : usual[which.quantity];
}

fo_variability fo_system_variability(fo_system system, fo_reference which)
{
    static const fo_variability usual[] = {
        [FO_TIME] = FO_VARIABILITY_CONTINUOUS,   [FO_STATE] = FO_VARIABILITY_CONTINUOUS,
        [FO_DISCRETE] = FO_VARIABILITY_DISCRETE, [FO_INPUT] = FO_VARIABILITY_DISCRETE,
        [FO_OUTPUT] = FO_VARIABILITY_CONTINUOUS, [FO_PARAMETER] = FO_VARIABILITY_TUNABLE,
    };
    const fo_variable *v = fo_system_variable(system, which);
    return v && v->variability != FO_VARIABILITY_BY_LIST ? v->variability : usual[which.quantity];
}

const char *fo_causality_text(fo_causality causality)
{
    static const char *const words[] = {"by list", "parameter", "input",
                                        "output",  "local",     "calculated"};
    return (unsigned)causality < FO_COUNT(words) ? words[causality] : "";
}

const char *fo_variability_text(fo_variability variability)
{
    static const char *const words[] = {"by list", "constant", "fixed",
                                        "tunable", "discrete", "continuous"};
    return (unsigned)variability < FO_COUNT(words) ? words[variability] : "";
}

const char *fo_value_type_text(fo_value_type type)
{
    static const char *const words[] = {"real", "integer", "boolean", "enumeration"};
    return (unsigned)type < FO_COUNT(words) ? words[type] : "";
}
