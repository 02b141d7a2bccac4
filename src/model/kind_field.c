/// Fields: *.field.json.
#include "base/memory.h"
#include "field/document.h"
#include "model/model.h"

static void take(fo_model *m)
{
    const foi_field_document *d = m->field;
    m->system = fo_field_system(d->field);
    m->experiment = d->experiment;
    if (m->experiment.plot && !m->experiment.plot[0]) m->experiment.plot = NULL;
    m->few_rows = m->experiment.plot; // the nodes of a field are too many: its probes
}

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    char *text;
    foi_json *json = foi_model_document(m, def, &text, why);
    if (json) {
        m->field = foi_field_document_with(json, &m->numbers, m->allocator, why);
        if (!m->field) foi_model_take_message(m, why, def->text ? def->text : text);
    }
    foi_model_settings_taken(m);
    foi_json_destroy(json);
    foi_free(m->allocator, text);
    if (!m->field) return why->status;
    take(m);
    return FO_OK;
}

const foi_model_kind foi_kind_field = {.name = "field",
                                       .about = "a document *.field.json",
                                       .ending = ".field.json",
                                       .open = open,
                                       .describe = foi_describe_json};
