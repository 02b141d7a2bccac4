/// libFuzzer target: any bytes as a data file that a diagram reads, and a short run of it.
#include <foliot/diagram.h>
#include <foliot/simulation.h>
#include <string.h>

#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[1024];
    fo_message why = {0};
    scratch file = scratch_make(data, size);
    snprintf(text, sizeof text,
             "{\"format\": \"foliot diagram\", \"version\": 1, \"name\": \"d\", \"simulation\": "
             "{\"start\": 0, \"stop\": 2, \"integrator\": \"RK_04\", \"step\": 0.25}, \"nodes\": "
             "[{\"name\": \"old\", \"type\": \"From Data File\", \"parameters\": {\"File Name\": "
             "\"%s\"}}, {\"name\": \"out\", \"type\": \"Time vs Input\"}], \"lines\": [{\"from\": "
             "\"old\", \"to\": \"out\"}]}",
             file.path);
    fo_diagram_def def = {"fuzz", text, strlen(text), NULL};
    fo_diagram *diagram = fo_diagram_read(&def, &why);
    if (!diagram && !why.text[0]) abort(); // a refusal says why
    if (diagram && fo_system_shape(fo_diagram_system(diagram)).outputs < 100000) {
        fo_run_def run = fo_default_run_def();
        run.solver = "rk4", run.step = 0.25, run.stop = 2;
        fo_simulation *sim = fo_simulation_create(fo_diagram_system(diagram), &run, &why);
        if (sim) fo_simulation_advance(sim, 2);
        fo_simulation_destroy(sim);
    }
    fo_diagram_destroy(diagram);
    scratch_free(&file);
    return 0;
}
