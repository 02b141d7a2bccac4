/// Names that can be shown: what a terminal would obey is written out in the description of an open
/// model, so that whoever prints, writes, draws or asks for a name has the same letters.
#include <string.h>

#include "base/text.h"
#include "model/model.h"

// One text; `keep` are control characters that stay. NULL stays NULL.
static void make_plain(fo_model *m, const char **text, const char *keep)
{
    if (!*text || foi_text_is_plain(*text, keep)) return;
    size_t size = FOI_ESCAPE_GROWTH * strlen(*text) + 1;
    char *plain = foi_arena_new(&m->arena, size, 1);
    if (!plain) return; // the arena knows
    foi_text_escape(*text, keep, plain, size);
    *text = plain;
}

static bool all_plain(const fo_description *d)
{
    const fo_variables *variables[] = {&d->states, &d->discretes, &d->inputs, &d->outputs,
                                       &d->parameters};
    const fo_guards *guards[] = {&d->guards, &d->conditions};
    const fo_events *events[] = {&d->moments, &d->events};
    bool plain = foi_text_is_plain(d->name ? d->name : "", "") &&
                 foi_text_is_plain(d->about ? d->about : "", "") &&
                 foi_text_is_plain(d->equations ? d->equations : "", "\n\t");
    for (size_t l = 0; l < FO_COUNT(variables); l++)
        for (size_t i = 0; plain && i < variables[l]->count; i++) {
            const fo_variable *v = &variables[l]->list[i];
            plain = foi_text_is_plain(v->name ? v->name : "", "") &&
                    foi_text_is_plain(v->unit ? v->unit : "", "") &&
                    foi_text_is_plain(v->about ? v->about : "", "");
        }
    for (size_t l = 0; l < FO_COUNT(guards); l++)
        for (size_t i = 0; plain && i < guards[l]->count; i++)
            plain = foi_text_is_plain(guards[l]->list[i].name ? guards[l]->list[i].name : "", "") &&
                    foi_text_is_plain(guards[l]->list[i].about ? guards[l]->list[i].about : "", "");
    for (size_t l = 0; l < FO_COUNT(events); l++)
        for (size_t i = 0; plain && i < events[l]->count; i++)
            plain = foi_text_is_plain(events[l]->list[i].name ? events[l]->list[i].name : "", "") &&
                    foi_text_is_plain(events[l]->list[i].about ? events[l]->list[i].about : "", "");
    return plain;
}

static void *copy_list(fo_model *m, const void *list, size_t count, size_t size)
{
    void *copy = foi_arena_new(&m->arena, count + 1, size);
    if (copy && count) memcpy(copy, list, count * size);
    return copy;
}

static void plain_variables(fo_model *m, fo_variables *list)
{
    fo_variable *copy = copy_list(m, list->list, list->count, sizeof *copy);
    for (size_t i = 0; copy && i < list->count; i++) {
        make_plain(m, &copy[i].name, "");
        make_plain(m, &copy[i].unit, "");
        make_plain(m, &copy[i].about, "");
    }
    if (copy) list->list = copy;
}

static void plain_guards(fo_model *m, fo_guards *list)
{
    fo_guard *copy = copy_list(m, list->list, list->count, sizeof *copy);
    for (size_t i = 0; copy && i < list->count; i++)
        make_plain(m, &copy[i].name, ""), make_plain(m, &copy[i].about, "");
    if (copy) list->list = copy;
}

static void plain_events(fo_model *m, fo_events *list)
{
    fo_event *copy = copy_list(m, list->list, list->count, sizeof *copy);
    for (size_t i = 0; copy && i < list->count; i++)
        make_plain(m, &copy[i].name, ""), make_plain(m, &copy[i].about, "");
    if (copy) list->list = copy;
}

// What is plotted is found by its name, so the lists follow.
static const char *const *plain_names(fo_model *m, const char *const *names)
{
    size_t count = 0;
    while (names && names[count]) count++;
    const char **copy = names ? copy_list(m, names, count, sizeof *copy) : NULL;
    for (size_t i = 0; copy && i < count; i++) make_plain(m, &copy[i], "");
    return copy ? copy : names;
}

fo_status foi_model_make_plain(fo_model *m, fo_message *why)
{
    if (!m->system.about || all_plain(m->system.about)) return FO_OK;
    m->about = *m->system.about;
    m->system.about = &m->about;
    make_plain(m, &m->about.name, "");
    make_plain(m, &m->about.about, "");
    make_plain(m, &m->about.equations, "\n\t");
    plain_variables(m, &m->about.states);
    plain_variables(m, &m->about.discretes);
    plain_variables(m, &m->about.inputs);
    plain_variables(m, &m->about.outputs);
    plain_variables(m, &m->about.parameters);
    plain_guards(m, &m->about.guards);
    plain_guards(m, &m->about.conditions);
    plain_events(m, &m->about.moments);
    plain_events(m, &m->about.events);
    m->experiment.plot = plain_names(m, m->experiment.plot);
    m->totals = plain_names(m, m->totals);
    if (!m->arena.failed) return FO_OK;
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for the names of a model");
}
