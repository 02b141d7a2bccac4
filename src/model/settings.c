/// Numbers of a model, listed and set.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/model.h"
#include "system/number.h"

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

// The nearest of the numbers that can be set, also by the name of a whole array: "size" is told
// 'size[1]'. The words are those of the search among all quantities.
static fo_status unknown(fo_model *m, const char *name, fo_message *why)
{
    if (foi_model_list(m, why) != FO_OK) return why->status;
    fo_reference found;
    fo_message words = {0};
    fo_system_find(m->system, name, &found, &words);
    foi_nearest nearest = foi_nearest_to(name);
    for (uint32_t i = 0; i < m->list_count; i++) {
        const char *candidate = m->list[i].name;
        size_t until = strcspn(candidate, "[");
        if (candidate[until] && strlen(name) == until && strncmp(candidate, name, until) == 0)
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "'%s' of %s is an array: set one of its numbers, as '%s'", name,
                           m->system.about->name, candidate);
        char whole[FOI_NUMBER_NAME]; // an array by its name alone, too
        foi_nearest_try(&nearest, candidate);
        if (!candidate[until] || until >= sizeof whole) continue;
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
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the start value of '%s' is not one of the model's numbers: set the state "
                       "itself (--start)",
                       s->name);
    fo_status status = foi_variable_allows(v, s->value, why);
    if (status != FO_OK) return status;
    fo_variable *list = own_list(m, which.quantity);
    if (!list) return no_memory(why);
    list[which.index].start = s->value;
    s->taken = true;
    return FO_OK;
}

// ----------------------------------------------------------------------------------- ends of names

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);
    return length > tail + 1 && name[length - tail - 1] == '.' &&
           strcmp(name + length - tail, end) == 0;
}

static fo_status complete_one(const fo_model *m, fo_setting *s, bool *again, fo_message *why)
{
    const char *first = NULL, *second = NULL;
    const fo_variables lists[] = {
        m->system.about->parameters, m->system.about->inputs, {m->fixed, m->fixed_count}};
    for (size_t k = 0; k < FO_COUNT(lists); k++)
        for (size_t i = 0; i < lists[k].count; i++) {
            const char *name = lists[k].list[i].name;
            if (!name || !ends_with(name, s->name)) continue;
            *(first ? &second : &first) = name;
            if (first == name && k == 2) *again = true;
        }
    if (second && strcmp(first, second) != 0)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "there are several numbers '%.60s': %s is one, %s another; name one of them",
                       s->name, first, second);
    if (first) s->name = first;
    return FO_OK;
}

fo_status foi_model_complete(fo_model *m, bool *again, fo_message *why)
{
    fo_status status = FO_OK;
    fo_reference found;
    *again = false;
    for (size_t i = 0; i < m->setting_count && status == FO_OK; i++) {
        fo_setting *s = &m->settings[i];
        if (s->taken || fo_system_find(m->system, s->name, &found, NULL) == FO_OK) continue;
        status = complete_one(m, s, again, why);
        char *copy = foi_arena_text(&m->arena, s->name, strlen(s->name)); // its list may go
        if (!copy) return no_memory(why);
        s->name = copy;
    }
    return status;
}

fo_status foi_model_apply(fo_model *m, fo_message *why)
{
    fo_status status = FO_OK;
    for (size_t i = 0; i < m->setting_count && status == FO_OK; i++)
        if (!m->settings[i].taken) status = apply_one(m, &m->settings[i], why);
    return status;
}

// -------------------------------------------------------------------------------------- the list

static void add(fo_model *m, const fo_variable *v)
{
    fo_variable *to = foi_arena_add(&m->arena, &m->list, &m->list_count, sizeof *to);
    if (to) *to = *v;
}

static bool is_hidden(const fo_model *m, const char *name)
{
    for (uint32_t i = 0; i < m->hidden_count; i++)
        if (strcmp(m->hidden[i], name) == 0) return true;
    return false;
}

static void add_system(fo_model *m, fo_quantity quantity, const fo_variables *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        fo_reference which = {quantity, i};
        fo_variable v = list->list[i];
        if (!v.name) continue;
        v.causality = fo_system_causality(m->system, which);
        v.variability = fo_system_variability(m->system, which);
        if (v.variability == FO_VARIABILITY_CONSTANT || is_hidden(m, v.name)) continue;
        if (quantity == FO_INPUT) v.variability = FO_VARIABILITY_TUNABLE;
        add(m, &v);
    }
}

static void add_document(fo_model *m)
{
    uint32_t tunable = m->list_count;
    for (uint32_t i = 0; i < m->numbers.count; i++) {
        const foi_listed_number *n = &m->numbers.list[i];
        fo_variable v = foi_number_variable(n);
        bool again = false;
        for (uint32_t k = 0; k < tunable; k++) again |= strcmp(m->list[k].name, n->name) == 0;
        if (!again) add(m, &v);
    }
}

// What is said of a number of a document holds, also where its reader is content with any number.
static fo_status check_document(const fo_model *m, fo_message *why)
{
    for (size_t i = 0; i < m->numbers.setting_count; i++) {
        const foi_number_setting *s = &m->numbers.settings[i];
        for (uint32_t k = 0; s->taken && k < m->list_count; k++) {
            if (strcmp(m->list[k].name, s->name) != 0) continue;
            fo_status status = foi_variable_allows(&m->list[k], s->value, why);
            if (status != FO_OK) return status;
        }
    }
    return FO_OK;
}

fo_status foi_model_list(fo_model *m, fo_message *why)
{
    add_system(m, FO_PARAMETER, &m->system.about->parameters);
    add_system(m, FO_INPUT, &m->system.about->inputs);
    for (uint32_t i = 0; i < m->fixed_count; i++) add(m, &m->fixed[i]);
    add_document(m);
    return m->arena.failed ? no_memory(why) : check_document(m, why);
}
