// What only the author of a system can get wrong: functions that are missing, names that repeat.
#include <foliot/system.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

// ---------------------------------------------------------------------------------- the functions

static fo_status lacks(fo_system system, fo_message *why, const char *has, uint64_t count,
                       const char *function)
{
    return fo_fail(why, FO_ERROR_ARGUMENT, "%s has %llu %s but no function '%s'",
                   system.about->name, (unsigned long long)count, has, function);
}

static fo_status check_functions(fo_system system, const fo_shape *shape, fo_message *why)
{
    const fo_system_type *type = system.type;
    const fo_description *about = system.about;
    if (shape->states && !type->rates && !type->residual && !type->stepper)
        return lacks(system, why, "states", shape->states, "rates");
    if (type->stepper && !type->stepper->step)
        return lacks(system, why, "states", shape->states, "stepper->step");
    if (shape->guards && !type->guards)
        return lacks(system, why, "guards", shape->guards, "guards");
    if (shape->conditions && !type->conditions)
        return lacks(system, why, "conditions", shape->conditions, "conditions");
    if (shape->outputs && !type->observe)
        return lacks(system, why, "outputs", shape->outputs, "observe");
    if (about->moments.count && !type->next)
        return lacks(system, why, "time moments", about->moments.count, "next");
    uint64_t causes = (uint64_t)shape->guards + shape->conditions + about->moments.count +
                      about->events.count + (type->next != NULL);
    if (causes && !type->jump) return lacks(system, why, "kinds of moments", causes, "jump");
    for (size_t i = 0; i < about->guards.count; i++)
        if (about->guards.list[i].bounded && !type->guard_bounds)
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "%s: guard '%s' is said to be bounded but there is no function "
                           "'guard_bounds'",
                           about->name, about->guards.list[i].name);
    return FO_OK;
}

static fo_status check_shape(fo_system system, const fo_shape *shape, fo_message *why)
{
    const fo_description *about = system.about;
    const struct {
        const char *what;
        size_t named;
        uint32_t there;
    } counts[] = {
        {"states", about->states.count, shape->states},
        {"discretes", about->discretes.count, shape->discretes},
        {"guards", about->guards.count, shape->guards},
        {"conditions", about->conditions.count, shape->conditions},
        {"inputs", about->inputs.count, shape->inputs},
        {"outputs", about->outputs.count, shape->outputs},
        {"parameters", about->parameters.count, shape->parameters},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i].named > UINT32_MAX)
            return fo_fail(why, FO_ERROR_ARGUMENT, "%s has too many %s: %zu", about->name,
                           counts[i].what, counts[i].named);
        // states and guards may come and go; inputs, outputs and parameters are for good
        if (i >= 4 && counts[i].named > counts[i].there)
            return fo_fail(why, FO_ERROR_ARGUMENT, "%s describes %zu %s but has %u", about->name,
                           counts[i].named, counts[i].what, counts[i].there);
    }
    if (shape->pairs > shape->states / 2)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "%s says that it has %u pairs of positions and velocities, but only %u "
                       "states",
                       about->name, shape->pairs, shape->states);
    if (!(about->max_step >= 0))
        return fo_fail(why, FO_ERROR_ARGUMENT, "%s: max_step must not be negative, is %g",
                       about->name, about->max_step);
    return FO_OK;
}

// ------------------------------------------------------------------------------------- the names

// A set of texts with open addressing, at most half full.
typedef struct name_set {
    const char **slots;
    size_t mask;
} name_set;

// Returns false when the name is there already. The hash is FNV-1a.
static bool add_name(name_set *set, const char *name)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    size_t at = (size_t)(hash ^ hash >> 32) & set->mask;
    for (; set->slots[at]; at = (at + 1) & set->mask)
        if (strcmp(set->slots[at], name) == 0) return false;
    set->slots[at] = name;
    return true;
}

// Names of one space, gathered from lists of different structures: each begins with its name.
typedef struct name_list {
    const char *what;
    const void *list;
    size_t count, size;
} name_list;

static fo_status check_names(fo_system system, const name_list *lists, size_t list_count,
                             fo_message *why)
{
    size_t total = 0, room = 4;
    for (size_t l = 0; l < list_count; l++) total += lists[l].count;
    while (room < 2 * total) room *= 2;
    name_set set = {foi_new(NULL, room, sizeof *set.slots), room - 1};
    if (!set.slots) return fo_fail(why, FO_ERROR_MEMORY, "no memory to compare %zu names", total);
    fo_status status = FO_OK;
    for (size_t l = 0; l < list_count; l++) {
        for (size_t i = 0; i < lists[l].count && !status; i++) {
            const char *name;
            memcpy(&name, (const char *)lists[l].list + i * lists[l].size, sizeof name);
            if (!name || !*name)
                status = fo_fail(why, FO_ERROR_ARGUMENT, "%s: %s %zu has no name",
                                 system.about->name, lists[l].what, i);
            else if (!add_name(&set, name))
                status =
                    fo_fail(why, FO_ERROR_ARGUMENT, "%s: %s '%s' has a name that was used before",
                            system.about->name, lists[l].what, name);
        }
    }
    foi_free(NULL, set.slots);
    return status;
}

#define LIST(what, field)                                                      \
    {                                                                          \
        what, about->field.list, about->field.count, sizeof *about->field.list \
    }

// Variables share one space of names, guards and conditions a second, moments and events a third.
static fo_status check_all_names(fo_system system, fo_message *why)
{
    const fo_description *about = system.about;
    const name_list variables[] = {LIST("state", states), LIST("discrete", discretes),
                                   LIST("input", inputs), LIST("output", outputs),
                                   LIST("parameter", parameters)};
    const name_list guards[] = {LIST("guard", guards), LIST("condition", conditions)};
    const name_list events[] = {LIST("moment", moments), LIST("event", events)};
    fo_status status = check_names(system, variables, FO_COUNT(variables), why);
    if (!status) status = check_names(system, guards, FO_COUNT(guards), why);
    if (!status) status = check_names(system, events, FO_COUNT(events), why);
    return status;
}

// ------------------------------------------------------------------------------------ the values

static fo_status check_values(fo_system system, const fo_variables *variables, fo_message *why)
{
    for (size_t i = 0; i < variables->count; i++) {
        const fo_variable *v = &variables->list[i];
        if (isnan(v->start))
            return fo_fail(why, FO_ERROR_ARGUMENT, "%s: the start value of '%s' is not a number",
                           system.about->name, v->name);
        if (v->min == 0 && v->max == 0) continue;
        if (!(v->min <= v->max))
            return fo_fail(why, FO_ERROR_ARGUMENT, "%s: the bounds of '%s' are %g to %g",
                           system.about->name, v->name, v->min, v->max);
        if (v->start < v->min || v->start > v->max)
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "%s: '%s' starts at %g, outside of its bounds %g to %g",
                           system.about->name, v->name, v->start, v->min, v->max);
    }
    return FO_OK;
}

fo_status fo_system_check(fo_system system, fo_message *why)
{
    if (!system.type || !system.about)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a system needs a type and a description");
    const fo_description *about = system.about;
    if (!about->name || !*about->name)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a system's description needs a name");
    fo_shape shape = fo_system_shape(system);
    fo_status status = check_shape(system, &shape, why);
    if (!status) status = check_all_names(system, why);
    if (!status) status = check_functions(system, &shape, why);
    if (!status) status = check_values(system, &about->states, why);
    if (!status) status = check_values(system, &about->discretes, why);
    if (!status) status = check_values(system, &about->inputs, why);
    if (!status) status = check_values(system, &about->parameters, why);
    return status;
}
