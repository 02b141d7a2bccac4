/// Structures and Hamiltonians: *.structure.json.
#include "base/memory.h"
#include "model/model.h"
#include "structure/read.h"
#include "structure/structure.h"

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

// A beam beyond its buckling load lies straight at first, and nothing but the model would tell.
static void say_rest(fo_model *m)
{
    const fo_structure *s = fo_structure_document_structure(m->structure);
    if (!s || (!s->rest.saddles && (s->rest.stable || !s->rest.iterations))) return;
    const char *text =
        s->rest.stable
            ? "the static solution nearest to what is given is a saddle of the energy, from which "
              "it "
              "would fall (it buckles); the run begins at a stable one beside it"
            : "the static solution with which the run begins is no minimum of the energy, and no "
              "stable one was found beside it";
    fo_severity severity = s->rest.stable ? FO_SEVERITY_NOTE : FO_SEVERITY_WARNING;
    foi_model_add_finding(m, &(fo_finding){.severity = severity, .text = text}, NULL);
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
    say_rest(m);
    return FO_OK;
}

const foi_model_kind foi_kind_structure = {.name = "structure",
                                           .about = "a document *.structure.json",
                                           .ending = ".structure.json",
                                           .open = open,
                                           .describe = foi_describe_json};
