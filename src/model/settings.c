/// Numbers of a model, listed and set.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/model.h"

static fo_status no_memory(fo_message *why)
{
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for the numbers of a model");
}

// ---------------------------------------------------------------------------------- in the system

// The description is the system's, and constant: what is set goes into a copy of it.
static fo_variable *own_list(fo_model *m, fo_quantity quantity)
{
    fo_variables *list = quantity == FO_PARAMETER  ? &m->about.parameters
                         : quantity == FO_INPUT    ? &m->about.inputs
                         : quantity == FO_DISCRETE ? &m->about.discretes
                                                   : &m->about.states;
    if (m->system.about != &m->about) {
        m->about = *m->system.about;
        m->system.about = &m->about;
    }
    fo_variable *copy = foi_arena_new(&m->arena, list->count + 1, sizeof *copy);
    if (!copy) return NULL;
    if (list->count) memcpy(copy, list->list, list->count * sizeof *copy);
    list->list = copy;
    return copy;
}

static fo_status unknown(fo_model *m, const char *name, fo_message *why)
{
    if (foi_model_list(m, why) != FO_OK) return why->status;
    fo_reference found;
    fo_message words = {0};
    fo_system_find(m->system, name, &found, &words);
    foi_nearest nearest = foi_nearest_to(name);
    for (uint32_t i = 0; i < m->list_count; i++) {
        char whole[FOI_NUMBER_NAME]; // an array by its name alone, too
        const char *candidate = m->list[i].name;
        size_t length = strlen(candidate), until = strcspn(candidate, "[");
        foi_nearest_try(&nearest, candidate);
        if (until == length || until >= sizeof whole) continue;
        memcpy(whole, candidate, until);
        whole[until] = 0;
        foi_nearest_try(&nearest, whole);
    }
    const char *hint = foi_nearest_hint(&nearest);
    bool said = strstr(words.text, "did you mean") != NULL;
    return fo_fail(why, FO_ERROR_ARGUMENT, "%s%s", words.text, said ? "" : hint);
}

static fo_status apply_one(fo_model *m, fo_setting *s, fo_message *why)
{
    fo_reference which;
    if (fo_system_find(m->system, s->name, &which, NULL) != FO_OK) return unknown(m, s->name, why);
    const fo_variable *v = fo_system_variable(m->system, which);
    if (which.quantity == FO_OUTPUT || which.quantity == FO_TIME)
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' is an output and cannot be set", s->name);
    if (!v)
        return fo_fail(why, FO_ERROR_ARGUMENT, "'%s' has no name of its own: set it in the run",
                       s->name);
    fo_status status = foi_variable_allows(v, s->value, why);
    if (status != FO_OK) return status;
    fo_variable *list = own_list(m, which.quantity);
    if (!list) return no_memory(why);
    list[which.index].start = s->value;
    s->taken = true;
    return FO_OK;
}

fo_status foi_model_apply(fo_model *m, fo_message *why)
{
    fo_status status = FO_OK;
    for (size_t i = 0; i < m->setting_count && status == FO_OK; i++)
        if (!m->settings[i].taken) status = apply_one(m, &m->settings[i], why);
    return status;
}

// -------------------------------------------------------------------------------------- the list

/// Units of numbers that documents have by the same key everywhere.
static const struct {
    const char *key, *unit, *about;
} known[] = {
    {"c", "m/s", "speed of waves"},
    {"b1", "1/s", "damping of velocities"},
    {"b2", "m^2/s", "damping of their curvature"},
    {"diffusivity", "m^2/s", NULL},
    {"mass", "kg", NULL},
    {"gravity", "m/s^2", NULL},
    {"friction", "N s/m", "force -friction v"},
    {"friction_rate", "1/s", "force -rate m v"},
    {"young", "N/m^2", "modulus of elasticity"},
    {"poisson", "", "Poisson's ratio"},
    {"density", "kg/m^3", NULL},
    {"length", "m", NULL},
    {"spacing", "m", NULL},
    {"thickness", "m", NULL},
    {"radius", "m", NULL},
    {"area", "m^2", NULL},
    {"inertia", "m^4", "second moment of area"},
    {"omega", "rad/s", NULL},
    {"phase", "rad", NULL},
};

static void add_units(fo_variable *v, const char *key)
{
    size_t length = strcspn(key, "[");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i].key) == length && strncmp(known[i].key, key, length) == 0)
            v->unit = known[i].unit, v->about = known[i].about;
}

static void add(fo_model *m, const fo_variable *v)
{
    fo_variable *to = foi_arena_add(&m->arena, &m->list, &m->list_count, sizeof *to);
    if (to) *to = *v;
}

static void add_system(fo_model *m, fo_quantity quantity, const fo_variables *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        fo_reference which = {quantity, i};
        fo_variable v = list->list[i];
        if (!v.name) continue;
        v.causality = fo_system_causality(m->system, which);
        v.variability = fo_system_variability(m->system, which);
        if (quantity == FO_INPUT) v.variability = FO_VARIABILITY_TUNABLE;
        add(m, &v);
    }
}

static void add_document(fo_model *m)
{
    uint32_t tunable = m->list_count;
    for (uint32_t i = 0; i < m->numbers.count; i++) {
        const foi_listed_number *n = &m->numbers.list[i];
        fo_variable v = {.name = n->name,
                         .start = n->value,
                         .causality = FO_CAUSALITY_PARAMETER,
                         .variability = FO_VARIABILITY_FIXED,
                         .type = n->whole ? FO_INTEGER : FO_REAL};
        bool again = false;
        for (uint32_t k = 0; k < tunable; k++) again |= strcmp(m->list[k].name, n->name) == 0;
        if (again) continue;
        add_units(&v, n->key);
        if (!n->negative) v.max = INFINITY;
        if (n->positive && n->value > 0)
            v.min = 0x1p-1022; // 0 stands for a number that is not given
        add(m, &v);
    }
}

fo_status foi_model_list(fo_model *m, fo_message *why)
{
    add_system(m, FO_PARAMETER, &m->system.about->parameters);
    add_system(m, FO_INPUT, &m->system.about->inputs);
    for (uint32_t i = 0; i < m->fixed_count; i++) add(m, &m->fixed[i]);
    add_document(m);
    return m->arena.failed ? no_memory(why) : FO_OK;
}
