// Block diagrams in documents: *.json that nobody else claims.
#include <stdlib.h>
#include <string.h>

#include "cli/model.h"

bool diagram_meant(const char *argument)
{
    static const char ending[] = ".json";
    size_t length = strlen(argument), tail = sizeof ending - 1;
    return length >= tail && strcmp(argument + length - tail, ending) == 0;
}

typedef struct opened {
    fo_diagram *diagram;
    fo_recorder *recorder;
} opened;

static void close_diagram(void *owner)
{
    opened *o = owner;
    fo_recorder_destroy(o->recorder);
    fo_diagram_destroy(o->diagram);
    free(o);
}

static fo_status finish_files(void *owner, fo_message *why)
{
    opened *o = owner;
    return fo_recorder_finish(o->recorder, why);
}

static opened *open_document(const char *path, fo_message *why)
{
    opened *o = calloc(1, sizeof *o);
    if (!o) {
        fo_fail(why, FO_ERROR_MEMORY, "no memory for a diagram");
        return NULL;
    }
    o->diagram = fo_diagram_read_file(path, NULL, why);
    if (o->diagram) o->recorder = fo_recorder_create(o->diagram, why);
    if (o->recorder) return o;
    close_diagram(o);
    return NULL;
}

bool diagram_open(const char *argument, model *m, fo_message *why)
{
    opened *o = open_document(argument, why);
    if (!o) return false;
    const fo_diagram *d = o->diagram;
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
                 .diagram = o->diagram,
                 .finish = finish_files,
                 .owner = o,
                 .close = close_diagram};
    if (fo_recorder_count(o->recorder)) m->recorder = fo_recorder_observer(o->recorder);
    return true;
}
