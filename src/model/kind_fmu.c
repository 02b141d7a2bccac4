/// Models of other tools: *.fmu. Such a file is code: it is opened where it is named, never because
/// a document asks or a folder has it.
#include <foliot/fmi.h>
#include <string.h>

#include "fmi/fmu.h"
#include "fmi/group.h"
#include "model/model.h"

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    fo_fmu_def fmu = def->fmu;
    fmu.allocator = m->allocator;
    m->fmu = fo_fmu_open(m->path, &fmu, why);
    if (!m->fmu) return why->status;
    m->system = fo_fmu_system(m->fmu);
    m->experiment = m->fmu->experiment;
    for (size_t i = 0; fo_fmu_note(m->fmu, i); i++)
        foi_model_add_finding(
            m, &(fo_finding){.severity = FO_SEVERITY_NOTE, .text = fo_fmu_note(m->fmu, i)}, NULL);
    return FO_OK;
}

const foi_model_kind foi_kind_fmu = {.name = "fmu",
                                     .about = "a Functional Mock-up Unit *.fmu",
                                     .ending = ".fmu",
                                     .code = true,
                                     .open = open};

fo_fmu *foi_model_open_part(const char *path, const fo_fmu_def *def, const fo_setting *values,
                            size_t count, fo_message *why)
{
    fo_fmu *f = foi_fmu_open_part(path, def, why);
    for (size_t i = 0; f && i < count; i++) {
        fo_variable *list = (fo_variable *)f->about.parameters.list; // made for this unit
        size_t k = 0;
        while (k < f->about.parameters.count && !foi_unit_is_called(list[k].name, values[i].name))
            k++;
        if (k < f->about.parameters.count) {
            list[k].start = values[i].value;
            continue;
        }
        fo_fail(why, FO_ERROR_ARGUMENT, "%s has no parameter '%.80s'", path, values[i].name);
        fo_fmu_close(f);
        return NULL;
    }
    return f;
}

// ------------------------------------------------------------------------------- several together

static bool meant(const char *name, const char **end)
{
    static const char *const endings[] = {".ssd", ".ssp", ".fmus.json"};
    size_t length = strlen(name);
    *end = name + length;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t tail = strlen(endings[i]);
        if (length > tail && strcmp(name + length - tail, endings[i]) == 0) return true;
    }
    return false;
}

static fo_status open_group(fo_model *m, const fo_model_def *def, fo_message *why)
{
    fo_fmu_def fmu = def->fmu;
    fmu.allocator = m->allocator;
    m->units = fo_fmu_group_open(m->path, &fmu, why);
    if (!m->units) return why->status;
    m->system = fo_fmu_group_system(m->units);
    m->experiment = m->units->experiment;
    return FO_OK;
}

const foi_model_kind foi_kind_units = {.name = "units",
                                       .about = "units together *.ssd, *.ssp or *.fmus.json",
                                       .ending = ".fmus.json",
                                       .code = true,
                                       .meant = meant,
                                       .open = open_group};
