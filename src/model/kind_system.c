/// Systems in C that the program brings along.
#include <string.h>

#include "model/model.h"

static const fo_compiled_model *find(const fo_model_table *table, const char *name)
{
    for (size_t i = 0; i < table->system_count; i++)
        if (strcmp(table->systems[i]->system.about->name, name) == 0) return table->systems[i];
    return NULL;
}

static bool has(const fo_model_table *table, const char *name)
{
    return find(table, name) != NULL;
}

fo_status foi_system_open(fo_model *m, const fo_compiled_model *found)
{
    m->system = found->system;
    m->experiment = (foi_experiment){.start = found->start,
                                     .stop = found->stop,
                                     .interval = found->interval,
                                     .step = found->step,
                                     .rtol = found->rtol,
                                     .atol = found->atol,
                                     .solver = found->solver,
                                     .plot = found->plot};
    m->random = found->random;
    return FO_OK;
}

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    (void)why;
    return foi_system_open(m, find(&def->table, def->name));
}

const foi_model_kind foi_kind_system = {
    .name = "system",
    .about = "a name that 'foliot models' lists",
    .has = has,
    .open = open,
};
