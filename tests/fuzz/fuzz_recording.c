/// libFuzzer target: any bytes as a recording of a live run. What is read is carried through by a
/// small system, for a while.
#include <foliot/foliot.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char document[] =
    "{\"structure\": \"swing\", \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, {\"name\": "
    "\"tip\", \"at\": [1, 0], \"mass\": 1, \"velocity\": [0, 1]}], \"springs\": [{\"between\": "
    "[1, 2], \"k\": 10}]}";

static fo_status enough(void *self, double t, double stop, fo_message *why)
{
    int *looks = self;
    (void)t, (void)stop;
    return ++*looks < 300 ? FO_OK : fo_fail(why, FO_ERROR_CANCELLED, "enough");
}

static void replay(const fo_recording *r, fo_system system)
{
    int looks = 0;
    fo_message why = {0};
    fo_observer observer = {.self = &looks, .progress = enough, .interval = -1};
    fo_simulation *sim = NULL;
    fo_status status = fo_recording_replay(r, system, &observer, 1, &sim, &why);
    if (fo_failed(status) && !why.text[0]) abort();
    fo_simulation_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fo_message why = {0};
    static fo_structure_document *d; // the same for all
    if (!d) d = fo_structure_read("swing", document, sizeof document - 1, NULL, &why);
    if (!d) abort();
    FILE *stream = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
    if (!stream) return 0;
    fo_recording *r = fo_recording_read(stream, "fuzz", NULL, &why);
    fclose(stream);
    if (!r && !why.text[0]) abort(); // a refusal says why
    if (!r) return 0;
    size_t count;
    const fo_setting *settings = fo_recording_settings(r, &count);
    for (size_t i = 0; i < count; i++)
        if (!settings[i].name) abort();
    replay(r, fo_structure_document_system(d));
    fo_recording_close(r);
    return 0;
}
