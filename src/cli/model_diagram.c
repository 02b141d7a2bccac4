// Block diagrams in documents: *.json that nobody else claims.
#include <string.h>

#include "cli/model.h"

bool diagram_meant(const char *argument)
{
    static const char ending[] = ".json";
    size_t length = strlen(argument), tail = sizeof ending - 1;
    return length >= tail && strcmp(argument + length - tail, ending) == 0;
}

static void close_diagram(void *owner)
{
    fo_diagram_destroy(owner);
}

bool diagram_open(const char *argument, model *m, fo_message *why)
{
    fo_diagram *d = fo_diagram_read_file(argument, NULL, why);
    if (!d) return false;
    fo_run_def run = fo_diagram_run_def(d);
    bool kept = run.max_step > 0;
    *m = (model){.system = fo_diagram_system(d),
                 .start = run.start,
                 .stop = run.stop,
                 .interval = fo_diagram_step(d),
                 .solver = run.solver,
                 .rtol = kept ? 0 : run.rtol,
                 .atol = kept ? 0 : run.atol,
                 .step = run.step,
                 .kept_step = kept ? run.max_step : 0,
                 .plot = fo_diagram_plot(d),
                 .owner = d,
                 .close = close_diagram};
    return true;
}
