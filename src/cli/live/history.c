#include "cli/live/history.h"

#include <string.h>

void history_make(history *h, const fo_reference *signals, size_t count)
{
    h->signals = signals;
    h->count = count < HISTORY_SIGNALS ? count : HISTORY_SIGNALS;
    h->first = h->used = 0;
    pthread_mutex_init(&h->lock, NULL);
}

void history_free(history *h)
{
    pthread_mutex_destroy(&h->lock);
}

static size_t place(const history *h, size_t i)
{
    return (h->first + i) % HISTORY_ROWS;
}

// After going back the rows that are undone are forgotten.
static fo_status keep(void *self, const fo_row *row, fo_message *why)
{
    history *h = self;
    (void)why;
    pthread_mutex_lock(&h->lock);
    while (h->used && h->rows[place(h, h->used - 1)].t > row->t) h->used--;
    if (h->used == HISTORY_ROWS) h->first = place(h, 1), h->used--;
    size_t at = place(h, h->used++);
    h->rows[at].t = row->t;
    h->rows[at].kind = row->kind;
    memcpy(h->rows[at].values, row->values, h->count * sizeof(double));
    pthread_mutex_unlock(&h->lock);
    return FO_OK;
}

fo_observer history_observer(history *h, double interval)
{
    return (fo_observer){.self = h,
                         .row = keep,
                         .signals = h->signals,
                         .signal_count = h->count,
                         .interval = interval};
}

fo_table *history_table(history *h, double window, double now)
{
    fo_table *table = fo_table_create(h->count, NULL);
    if (!table) return NULL;
    fo_observer into = fo_table_observer(table, h->signals, 0);
    fo_message why;
    pthread_mutex_lock(&h->lock);
    double last = h->used ? h->rows[place(h, h->used - 1)].t : 0;
    if (last > now) last = now; // after going back, before a new row comes
    fo_status status = FO_OK;
    for (size_t i = 0; i < h->used && status == FO_OK; i++) {
        size_t at = place(h, i);
        fo_row row = {.kind = h->rows[at].kind,
                      .t = h->rows[at].t,
                      .values = h->rows[at].values,
                      .count = h->count};
        if (row.t >= last - window && row.t <= last) status = into.row(into.self, &row, &why);
    }
    pthread_mutex_unlock(&h->lock);
    if (status == FO_OK) return table;
    fo_table_destroy(table);
    return NULL;
}

bool history_last(history *h, double *t, double *values)
{
    pthread_mutex_lock(&h->lock);
    bool any = h->used;
    if (any) {
        size_t at = place(h, h->used - 1);
        *t = h->rows[at].t;
        memcpy(values, h->rows[at].values, h->count * sizeof *values);
    }
    pthread_mutex_unlock(&h->lock);
    return any;
}
