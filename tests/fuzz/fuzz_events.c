/// libFuzzer target: any bytes as the file of `foliot run --events-in`, and the run with what was
/// taken from it.
#include <foliot/foliot.h>
#include <stdarg.h>
#include <stdint.h>

#include "cli/run/events_in.c" // of the program, not of the library
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int complaints;

void complain(const command *c, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    (void)c;
    complaints++;
}

static const char document[] =
    "{\"structure\": \"swing\", \"nodes\": [{\"at\": [0, 0], \"fixed\": true}, {\"name\": "
    "\"tip\", \"at\": [1, 0], \"mass\": 1, \"velocity\": [0, 1]}], \"springs\": [{\"between\": "
    "[1, 2], \"k\": 10}]}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fo_message why = {0};
    static fo_structure_document *d; // the same for all
    if (!d) d = fo_structure_read("swing", document, sizeof document - 1, NULL, &why);
    if (!d) abort();
    fo_run_def def = fo_default_run_def();
    def.solver = "rk4", def.step = 0.05, def.stop = 1, def.max_jumps = 100, def.max_steps = 1000;
    fo_simulation *sim = fo_simulation_create(fo_structure_document_system(d), &def, &why);
    if (!sim) abort();
    scratch file = scratch_make(data, size);
    complaints = 0;
    int result = events_in_send(NULL, file.path, sim, &def);
    if (result != EXIT_FINE && !complaints) abort(); // a refusal says why
    if (result == EXIT_FINE && fo_failed(fo_simulation_advance(sim, 1)) &&
        !fo_simulation_message(sim)->text[0])
        abort();
    scratch_free(&file);
    fo_simulation_destroy(sim);
    return 0;
}
