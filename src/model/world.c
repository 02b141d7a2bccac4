/// A world of processes made from its description.
#include <foliot/world.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

fo_world_def fo_world_model_def(const fo_world_model *model)
{
    return (fo_world_def){.name = model->name,
                          .about = model->about,
                          .equations = model->equations,
                          .dt_max = model->dt_max,
                          .max_rel_error = model->max_rel_error,
                          .max_abs_error = model->max_abs_error};
}

int fo_world_whole(fo_world *w, const char *name, double value)
{
    if (value == floor(value) && fabs(value) < 1e9) return (int)value;
    fo_world_fail(w, FO_ERROR_MODEL, "%s must be a whole number, is %g", name, value);
    return 0;
}

// --------------------------------------------------------------------------------------- making

static double *number_of(void *record, const fo_world_number *n)
{
    return (double *)(void *)((char *)record + n->offset);
}

// The last setting of a name counts.
static fo_status declare_parameter(const fo_world_start *start, fo_world *w,
                                   const fo_world_number *n, double *value)
{
    fo_variable about = n->about;
    if (about.variability == FO_VARIABILITY_BY_LIST) about.variability = FO_VARIABILITY_FIXED;
    for (size_t i = 0; i < start->setting_count; i++) {
        fo_setting *s = &start->settings[i];
        if (strcmp(s->name, about.name) != 0) continue;
        fo_message why = {0};
        fo_status status = foi_variable_allows(&about, s->value, &why);
        if (status != FO_OK) return fo_world_fail(w, status, "%s", why.text);
        about.start = s->value;
        s->taken = true;
    }
    return fo_world_parameter(w, &about, value);
}

static fo_status declare(const fo_world_model *m, const fo_world_start *start, fo_world *w,
                         void *record)
{
    for (size_t i = 0; i < m->parameter_count; i++) {
        const fo_world_number *n = &m->parameters[i];
        fo_status status = declare_parameter(start, w, n, number_of(record, n));
        if (status != FO_OK) return status;
    }
    for (size_t i = 0; i < m->output_count; i++) {
        const fo_variable *about = &m->outputs[i].about;
        fo_status status =
            fo_world_output(w, about->name, about->unit, number_of(record, &m->outputs[i]));
        if (status != FO_OK) return status;
    }
    if (!m->actions)
        return fo_world_fail(w, FO_ERROR_MODEL, "the world '%s' has no actions", m->name);
    fo_status status = m->prepare ? m->prepare(w, record) : FO_OK;
    if (status != FO_OK) return status;
    return m->ends ? fo_main_create(w, m->actions, record)
                   : fo_spawn(w, m->name, m->actions, record);
}

fo_world *fo_world_make(const fo_world_model *model, const fo_world_start *start, void **record,
                        fo_message *why)
{
    fo_world_def def = fo_world_model_def(model);
    def.seed = start->seed, def.replication = start->replication;
    def.catch_overflow = start->catch_overflow;
    def.allocator = start->allocator;
    fo_world *w = fo_world_create(&def, why);
    *record = foi_new(start->allocator, 1, model->size);
    if (w && *record) {
        fo_status status = declare(model, start, w, *record);
        if (status == FO_OK) return w;
        if (why) *why = *fo_world_message(w);
        if (why && !fo_failed(why->status)) // a prepare that gives no reason
            fo_fail(why, fo_failed(status) ? status : FO_ERROR_MODEL,
                    "the world '%s' could not be prepared: %s", model->name,
                    fo_status_text(status));
        fo_world_destroy(w);
    } else {
        fo_world_destroy(w);
        fo_fail(why, FO_ERROR_MEMORY, "no memory for the model '%s'", model->name);
    }
    fo_world_record_free(model, *record, start->allocator);
    *record = NULL;
    return NULL;
}

void fo_world_record_free(const fo_world_model *model, void *record, const fo_allocator *allocator)
{
    if (record && model->close) model->close(record);
    foi_free(allocator, record);
}
