// FMUs in WebAssembly and in units, in place of kind_fmu.c and the room fmi: there is nobody to run
// them.
#include <foliot/fmi.h>
#include <string.h>

#include "fmi/others.h"
#include "model/model.h"

fo_fmu_def fo_default_fmu_def(void)
{
    return (fo_fmu_def){.type = FO_FMU_AUTO, .timeout = 60};
}

void fo_fmu_close(fo_fmu *fmu)
{
    (void)fmu;
}

fo_fmu *fo_fmu_open(const char *path, const fo_fmu_def *def, fo_message *why)
{
    (void)def;
    fo_fail(why, FO_ERROR_UNFIT, "%s is code, which is not loaded here", path);
    return NULL;
}

fo_fmu *foi_model_open_part(const char *path, const fo_fmu_def *def, const fo_setting *values,
                            size_t count, fo_message *why)
{
    (void)values, (void)count;
    return fo_fmu_open(path, def, why);
}

fo_system fo_fmu_system(const fo_fmu *fmu)
{
    (void)fmu;
    return (fo_system){0};
}

fo_status foi_group_others(const fo_fmu_group *group, uint64_t *hash, fo_message *why)
{
    (void)group;
    *hash = 0;
    return fo_fail(why, FO_ERROR_UNFIT, "FMUs are not loaded here");
}

void fo_fmu_group_close(fo_fmu_group *group)
{
    (void)group;
}

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    (void)def;
    return fo_fail(why, FO_ERROR_UNFIT, "%s is code, which is not loaded here", m->path);
}

const foi_model_kind foi_kind_fmu = {.name = "fmu",
                                     .about = "a Functional Mock-up Unit *.fmu",
                                     .ending = ".fmu",
                                     .code = true,
                                     .open = open};

const foi_model_kind foi_kind_units = {.name = "units",
                                       .about = "units together *.ssd, *.ssp or *.fmus.json",
                                       .ending = ".fmus.json",
                                       .code = true,
                                       .open = open};
