// Structures and Hamiltonians in documents: *.structure.json.
#include <string.h>

#include "cli/model.h"

static const char ending[] = ".structure.json";

bool structure_meant(const char *argument)
{
    size_t length = strlen(argument), tail = sizeof ending - 1;
    return length >= tail && strcmp(argument + length - tail, ending) == 0;
}

static void close_document(void *owner)
{
    fo_structure_document_destroy(owner);
}

bool structure_open(const char *argument, model *m, fo_message *why)
{
    static const char *const energies[] = {
        "kinetic",         "potential",     "energy",  "energy_ports",
        "energy_friction", "energy_damage", "balance", NULL};
    static const char *const energy[] = {"energy", NULL};
    fo_structure_document *d = fo_structure_read_file(argument, NULL, why);
    if (!d) return false;
    const fo_structure_run *run = fo_structure_document_run(d);
    *m = (model){.system = fo_structure_document_system(d),
                 .stop = run->stop > 0 ? run->stop : 1,
                 .interval = run->interval,
                 .solver = run->solver,
                 .rtol = run->rtol,
                 .atol = run->atol,
                 .step = run->step,
                 .plot = run->plot,
                 .totals = fo_structure_document_structure(d) ? energies : energy,
                 .owner = d,
                 .close = close_document};
    return true;
}
