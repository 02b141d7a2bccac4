/// Structures and Hamiltonians: *.structure.json.
#include "base/memory.h"
#include "model/model.h"
#include "structure/read.h"

static void take(fo_model *m)
{
    static const char *const energies[] = {
        "kinetic",         "potential",     "energy",  "energy_ports",
        "energy_friction", "energy_damage", "balance", NULL};
    static const char *const unaccounted[] = {"kinetic", "potential", "energy", NULL};
    static const char *const energy[] = {"energy", NULL};
    fo_reference found;
    m->system = fo_structure_document_system(m->structure);
    m->experiment = *foi_structure_document_experiment(m->structure);
    bool accounted = fo_system_find(m->system, "balance", &found, NULL) == FO_OK;
    m->totals = !fo_structure_document_structure(m->structure) ? energy
                : accounted                                    ? energies
                                                               : unaccounted;
}

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    char *text;
    foi_json *json = foi_model_document(m, def, &text, why);
    if (json) {
        m->structure = foi_structure_document_of(json, &m->numbers, m->allocator, why);
        if (!m->structure) foi_model_take_message(m, why, def->text ? def->text : text);
    }
    foi_model_settings_taken(m);
    foi_json_destroy(json);
    foi_free(m->allocator, text);
    if (!m->structure) return why->status;
    take(m);
    return FO_OK;
}

const foi_model_kind foi_kind_structure = {.name = "structure",
                                           .about = "a document *.structure.json",
                                           .ending = ".structure.json",
                                           .open = open,
                                           .describe = foi_describe_json};
