#include "worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const world_model world_predator_prey, world_rocket, world_fire, world_reactor,
    world_dominoes, world_pilot_ejection, world_bouncing_balls, world_mm1, world_bank,
    world_machine_shop, world_gas_station;

static const world_model *const list[] = {
    &world_predator_prey, &world_rocket,         &world_fire,           &world_reactor,
    &world_dominoes,      &world_pilot_ejection, &world_bouncing_balls, &world_mm1,
    &world_bank,          &world_machine_shop,   &world_gas_station};

size_t world_count(void)
{
    return sizeof list / sizeof list[0];
}

const world_model *world_get(size_t index)
{
    return index < world_count() ? list[index] : NULL;
}

const world_model *world_find(const char *name)
{
    for (size_t i = 0; i < world_count(); i++)
        if (strcmp(list[i]->name, name) == 0) return list[i];
    return NULL;
}

fo_status world_end(fo_world *w, fo_status status, fo_message *why)
{
    if (why && fo_failed(status)) *why = *fo_world_message(w);
    fo_world_destroy(w);
    return fo_failed(status) ? status : FO_OK;
}

fo_world_def world_def(const world_model *model)
{
    return (fo_world_def){.name = model->name,
                          .about = model->about,
                          .equations = model->equations,
                          .dt_max = model->dt_max,
                          .max_rel_error = model->max_rel_error,
                          .max_abs_error = model->max_abs_error};
}

int world_whole(fo_world *w, const char *name, double value)
{
    if (value == floor(value) && fabs(value) < 1e9) return (int)value;
    fo_world_fail(w, FO_ERROR_MODEL, "%s must be a whole number, is %g", name, value);
    return 0;
}

// --------------------------------------------------------------------------------------- making

static double *number_of(void *record, const world_number *n)
{
    return (double *)(void *)((char *)record + n->offset);
}

static fo_status declare(const world_model *m, const world_start *start, fo_world *w, void *record)
{
    for (size_t i = 0; i < m->parameter_count; i++) {
        double *value = number_of(record, &m->parameters[i]);
        fo_status status = fo_world_parameter(w, &m->parameters[i].about, value);
        if (status != FO_OK) return status;
        if (start->preset) start->preset(start->self, &m->parameters[i].about, value);
    }
    for (size_t i = 0; i < m->output_count; i++) {
        const fo_variable *about = &m->outputs[i].about;
        fo_status status =
            fo_world_output(w, about->name, about->unit, number_of(record, &m->outputs[i]));
        if (status != FO_OK) return status;
    }
    fo_status status = m->prepare ? m->prepare(w, record) : FO_OK;
    if (status != FO_OK) return status;
    return m->ends ? fo_main_create(w, m->actions, record)
                   : fo_spawn(w, m->name, m->actions, record);
}

fo_world *world_make(const world_model *model, const world_start *start, void **record,
                     fo_message *why)
{
    fo_world_def def = world_def(model);
    def.seed = start->seed, def.replication = start->replication;
    def.catch_overflow = start->catch_overflow;
    fo_world *w = fo_world_create(&def, why);
    *record = calloc(1, model->size);
    if (w && *record) {
        fo_status status = declare(model, start, w, *record);
        if (status == FO_OK) return w;
        world_end(w, status, why);
    } else {
        fo_world_destroy(w);
        fo_fail(why, FO_ERROR_MEMORY, "no memory for the model '%s'", model->name);
    }
    world_free(model, *record);
    *record = NULL;
    return NULL;
}

void world_free(const world_model *model, void *record)
{
    if (record && model->close) model->close(record);
    free(record);
}
