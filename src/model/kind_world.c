/// Worlds of processes that the program brings along.
#include <string.h>

#include "model/model.h"

static const fo_world_model *find(const fo_model_table *table, const char *name)
{
    for (size_t i = 0; i < table->world_count; i++)
        if (strcmp(table->worlds[i]->name, name) == 0) return table->worlds[i];
    return NULL;
}

static bool has(const fo_model_table *table, const char *name)
{
    return find(table, name) != NULL;
}

// What a run is made for has to be there: an unknown name would be shown as something else.
static fo_status check_results(const fo_model *m, const fo_world_model *found, fo_message *why)
{
    for (size_t i = 0; found->results && found->results[i]; i++) {
        fo_reference which;
        fo_message words = {0};
        if (fo_system_find(m->system, found->results[i], &which, &words) != FO_OK)
            return fo_fail(why, FO_ERROR_MODEL, "among the results of the world: %s", words.text);
    }
    return FO_OK;
}

// Parameters are known before the world is made: its outputs may depend on them.
fo_status foi_world_open(fo_model *m, const fo_world_model *found, const fo_model_def *def,
                         fo_message *why)
{
    fo_world_start start = {.seed = def->seed,
                            .replication = def->replication,
                            .catch_overflow = def->catch_overflow,
                            .settings = m->settings,
                            .setting_count = m->setting_count,
                            .allocator = m->allocator};
    m->world_model = found;
    m->world = fo_world_make(found, &start, &m->record, why);
    if (!m->world) return why->status;
    m->system = fo_world_system(m->world);
    m->experiment = (foi_experiment){.stop = found->stop,
                                     .interval = found->interval,
                                     .rtol = found->max_rel_error,
                                     .atol = found->max_abs_error,
                                     .solver = "rkf45",
                                     .plot = found->plot};
    m->seed = def->seed;
    m->totals = found->results;
    if (found->time_unit) m->time_unit = found->time_unit;
    m->random = found->random;
    return check_results(m, found, why);
}

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    return foi_world_open(m, find(&def->table, def->name), def, why);
}

const foi_model_kind foi_kind_world = {
    .name = "world",
    .about = "a world of processes among them",
    .has = has,
    .open = open,
};
