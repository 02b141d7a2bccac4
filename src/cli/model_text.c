// Models as text: *.mo, or a folder with package.mo.
#include <math.h>
#include <string.h>

#include "cli/model.h"

static const char ending[] = ".mo";

bool text_meant(const char *argument)
{
    size_t length = strlen(argument), tail = sizeof ending - 1;
    return length >= tail && strcmp(argument + length - tail, ending) == 0;
}

static void close_text(void *owner)
{
    fo_text_model_close(owner);
}

// Messages go to standard error as a compiler's would: file:line:column, the line, a caret.
bool text_open(const char *argument, model *m, fo_message *why)
{
    fo_text_model_def def = {.path = argument, .messages = stderr};
    fo_text_model *text = fo_text_model_open(&def, why);
    if (!text) return false;
    fo_experiment e = fo_text_model_experiment(text);
    double start = isnan(e.start) ? 0 : e.start, stop = isnan(e.stop) ? start + 1 : e.stop;
    double tolerance = isnan(e.tolerance) ? 0 : e.tolerance;
    *m = (model){.system = fo_text_model_system(text),
                 .start = start,
                 .stop = stop,
                 .interval = isnan(e.interval) ? (stop - start) / 500 : e.interval,
                 .rtol = tolerance,
                 .atol = tolerance * 1e-3,
                 .text = text,
                 .owner = text,
                 .close = close_text};
    return true;
}
