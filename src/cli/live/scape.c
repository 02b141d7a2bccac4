#include "cli/live/scape.h"

#include <stdlib.h>
#include <string.h>

bool scape_make(scape *s, const fo_model *m)
{
    *s = (scape){.any = false};
    if (!surface_make(&s->surface, m)) return false;
    s->last = calloc(s->surface.count + 1, sizeof *s->last);
    pthread_mutex_init(&s->lock, NULL);
    if (s->last) return true;
    scape_free(s);
    return false;
}

void scape_free(scape *s)
{
    if (!s->surface.signals) return;
    pthread_mutex_destroy(&s->lock);
    surface_free(&s->surface);
    free(s->last);
    s->last = NULL;
}

static fo_status keep(void *self, const fo_row *row, fo_message *why)
{
    scape *s = self;
    (void)why;
    pthread_mutex_lock(&s->lock);
    memcpy(s->last, row->values, s->surface.count * sizeof *s->last);
    s->any = true;
    pthread_mutex_unlock(&s->lock);
    return FO_OK;
}

fo_observer scape_observer(scape *s, double interval)
{
    return (fo_observer){.self = s,
                         .row = keep,
                         .signals = s->surface.signals,
                         .signal_count = s->surface.count,
                         .interval = interval};
}

bool scape_copy(scape *s, double *values)
{
    pthread_mutex_lock(&s->lock);
    bool any = s->any;
    if (any) memcpy(values, s->last, s->surface.count * sizeof *values);
    pthread_mutex_unlock(&s->lock);
    return any;
}
