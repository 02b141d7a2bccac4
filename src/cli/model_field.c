// Fields in documents: *.field.json.
#include <string.h>

#include "cli/model.h"

static const char ending[] = ".field.json";

bool field_meant(const char *argument)
{
    size_t length = strlen(argument), tail = sizeof ending - 1;
    return length >= tail && strcmp(argument + length - tail, ending) == 0;
}

static void close_document(void *owner)
{
    fo_field_document_destroy(owner);
}

bool field_open(const char *argument, model *m, fo_message *why)
{
    fo_field_document *d = fo_field_read(argument, NULL, why);
    if (!d) return false;
    *m = (model){.system = fo_field_system(d->field),
                 .stop = d->stop > 0 ? d->stop : 1,
                 .interval = d->interval,
                 .solver = d->solver[0] ? d->solver : NULL,
                 .step = d->step,
                 .plot = d->plot && d->plot[0] ? d->plot : NULL,
                 .field = d->field,
                 .owner = d,
                 .close = close_document};
    return true;
}
