/// Block diagrams: *.json that nobody else claims.
#include "base/memory.h"
#include "diagram/diagram.h"
#include "model/model.h"

static fo_status take(fo_model *m, fo_message *why)
{
    m->system = fo_diagram_system(m->diagram);
    m->experiment = foi_diagram_experiment(m->diagram);
    fo_variables numbers = fo_diagram_numbers(m->diagram);
    m->fixed = numbers.list, m->fixed_count = (uint32_t)numbers.count;
    m->random = fo_diagram_is_random(m->diagram);
    m->recorder = fo_recorder_create(m->diagram, why);
    return m->recorder ? FO_OK : why->status;
}

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    char *text;
    foi_json *json = foi_model_document(m, def, &text, why);
    fo_diagram_def diagram = {.settings = m->settings,
                              .setting_count = m->setting_count,
                              .allocator = m->allocator,
                              .types = def->node_types,
                              .type_count = def->node_type_count,
                              .files = def->files,
                              .overwrite = def->overwrite,
                              .units = def->units,
                              .unit_count = def->unit_count};
    if (json) {
        m->diagram = foi_diagram_of(json, &diagram, why);
        if (!m->diagram) foi_model_take_message(m, why, def->text ? def->text : text);
    }
    foi_json_destroy(json);
    foi_free(m->allocator, text);
    return m->diagram ? take(m, why) : why->status;
}

const foi_model_kind foi_kind_diagram = {.name = "diagram",
                                         .about = "a diagram *.json",
                                         .ending = ".json",
                                         .open = open,
                                         .describe = foi_describe_json};
