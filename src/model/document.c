/// What the kinds that are JSON documents share: reading, and setting numbers in them.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "model/model.h"

static fo_status complete_settings(fo_model *m, const foi_json *json, fo_message *why)
{
    m->numbers.arena = &m->arena;
    m->numbers.settings =
        foi_arena_new(&m->arena, m->setting_count + 1, sizeof *m->numbers.settings);
    if (!m->numbers.settings) return fo_fail(why, FO_ERROR_MEMORY, "no memory for a model");
    for (size_t i = 0; i < m->setting_count; i++) {
        foi_number_setting *s = &m->numbers.settings[i];
        s->value = m->settings[i].value;
        fo_status status =
            foi_number_complete(json, m->settings[i].name, s->name, sizeof s->name, why);
        if (status != FO_OK) return status;
        m->numbers.setting_count++;
    }
    return FO_OK;
}

foi_json *foi_model_document(fo_model *m, const fo_model_def *def, char **text, fo_message *why)
{
    size_t length = def->text ? def->length ? def->length : strlen(def->text) : 0;
    *text = def->text ? NULL : foi_json_text(m->path, m->allocator, &length, why);
    const char *source = def->text ? def->text : *text;
    if (!source) return NULL;
    foi_json_def json = {
        .name = m->path, .text = source, .length = length, .allocator = m->allocator};
    foi_json *read = foi_json_read(&json, why);
    bool named = m->kind == &foi_kind_diagram; // its names are not those of places
    if (read && (named || complete_settings(m, read, why) == FO_OK)) return read;
    foi_model_take_message(m, why, source);
    foi_json_destroy(read);
    return NULL;
}

void foi_model_settings_taken(fo_model *m)
{
    for (size_t i = 0; i < m->numbers.setting_count; i++)
        m->settings[i].taken |= m->numbers.settings[i].taken;
}
