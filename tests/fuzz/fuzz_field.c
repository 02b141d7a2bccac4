/// libFuzzer target: any text as a document of a field. What is accepted takes a few steps.
#include <foliot/field.h>
#include <foliot/simulation.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "field/document.h"
#include "purse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const foi_field_document *d)
{
    fo_message why = {0};
    fo_run_def def = foi_experiment_run_def(d->experiment, NULL);
    if (!(def.stop > def.start)) return;
    def.max_steps = 3;
    fo_simulation *sim = fo_simulation_create(fo_field_system(d->field), &def, &why);
    if (!sim && !why.text[0]) abort();
    if (sim) fo_simulation_advance(sim, def.stop);
    fo_simulation_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t used = 0;
    fo_allocator allocator = {resize, &used};
    fo_message why = {0};
    foi_json *json = foi_json_read(
        &(foi_json_def){
            .name = "fuzz", .text = (const char *)data, .length = size, .allocator = &allocator},
        &why);
    if (!json && !why.text[0]) abort(); // a refusal says why
    foi_field_document *d = json ? foi_field_document_of(json, &allocator, &why) : NULL;
    if (json && !d && !why.text[0]) abort();
    if (d && fo_system_shape(fo_field_system(d->field)).states < 20000) run(d);
    foi_field_document_destroy(d);
    foi_json_destroy(json);
    if (used) abort();
    return 0;
}
