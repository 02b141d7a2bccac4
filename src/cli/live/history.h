/// The last rows of a live run: written by the one who advances, read by the one who draws.
#ifndef CLI_LIVE_HISTORY_H
#define CLI_LIVE_HISTORY_H

#include <foliot/foliot.h>
#include <pthread.h>

enum { HISTORY_ROWS = 2048, HISTORY_SIGNALS = 8 };

typedef struct history {
    pthread_mutex_t lock;
    const fo_reference *signals;
    size_t count; ///< of signals, at most HISTORY_SIGNALS
    size_t first, used;
    struct {
        double t;
        fo_row_kind kind;
        double values[HISTORY_SIGNALS];
    } rows[HISTORY_ROWS]; ///< a ring
} history;

void history_make(history *h, const fo_reference *signals, size_t count);
void history_free(history *h);
fo_observer history_observer(history *h, double interval);
/// The rows of the last `window` seconds before `now`: what came later was undone by going back.
/// NULL without memory.
fo_table *history_table(history *h, double window, double now);
/// The last row: false when there is none.
bool history_last(history *h, double *t, double *values);

#endif
