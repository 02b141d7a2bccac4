/// libFuzzer target: any bytes as a diagram document, and a short run of what was read.
///
/// Seeds are in tests/fuzz/corpus/diagram; `foliot check` takes what was found.
#include <foliot/diagram.h>
#include <foliot/simulation.h>
#include <stdint.h>
#include <string.h>

#include "diagram/diagram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// No file is to be read or written: node types that do are left to their own tests.
static int reaches_files(const char *data, size_t size)
{
    static const char *const words[] = {"ile", "ield", "tructure", "FILE", "FIELD", "TRUCTURE"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (memmem(data, size, words[i], strlen(words[i]))) return 1;
    return 0;
}

static void run(const fo_diagram *diagram)
{
    fo_message why;
    fo_run_def def = foi_experiment_run_def(foi_diagram_experiment(diagram), NULL);
    double step = foi_diagram_experiment(diagram).step;
    fo_simulation *sim = fo_simulation_create(fo_diagram_system(diagram), &def, &why);
    if (sim) fo_simulation_advance(sim, def.start + (step < 1e6 ? step : 1e6));
    fo_simulation_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fo_message why;
    if (size > 20000 || reaches_files((const char *)data, size)) return 0;
    fo_diagram_def def = {"fuzz", (const char *)data, size, NULL};
    fo_diagram *diagram = fo_diagram_read(&def, &why);
    if (diagram && fo_system_shape(fo_diagram_system(diagram)).outputs < 100000) run(diagram);
    fo_diagram_destroy(diagram);
    return 0;
}
