/// How far a run is: a bar on a terminal, now and then a line elsewhere.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <foliot/foliot.h>
#include <stdio.h>

/// When a run was where.
typedef struct progress_mark {
    double at, t;
} progress_mark;

typedef struct progress {
    FILE *out;                ///< NULL: says nothing, only listens for Ctrl-C
    const fo_simulation *sim; ///< set it before the run
    bool terminal, unicode;
    bool drawn; ///< a bar stands on the line
    bool waits; ///< who carries the run ends it after a signal; only where that takes long it is
                ///< ended here
    double begun, shown;
    double start;          ///< simulated time
    progress_mark mark[2]; ///< some seconds ago
    int width;
} progress;

progress progress_make(FILE *out, double start);
/// Also ends the run with FO_ERROR_CANCELLED when a signal came.
fo_observer progress_observer(progress *p);
/// The same for things that are counted, from the first one on.
void progress_count(progress *p, uint64_t done, uint64_t count, const char *things);
/// Wipes the bar.
void progress_end(progress *p);

#endif
