/// The last state of a model that lies in space, handed from the run to the screen.
#ifndef CLI_LIVE_SCAPE_H
#define CLI_LIVE_SCAPE_H

#include <pthread.h>

#include "cli/surface.h"

typedef struct scape {
    surface surface;
    pthread_mutex_t lock;
    double *last; ///< under the lock
    bool any;
} scape;

/// False: the model has nothing of that kind, or there is no memory.
bool scape_make(scape *s, const fo_model *m);
void scape_free(scape *s);
/// Keeps the last row.
fo_observer scape_observer(scape *s, double interval);
/// Copies it; false: there is none yet.
bool scape_copy(scape *s, double *values);

#endif
