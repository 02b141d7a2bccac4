/// Derivatives of signals along a run.
#ifndef CLI_ANALYSIS_ALONG_H
#define CLI_ANALYSIS_ALONG_H

#include "cli/analysis/common.h"

/// Signals at times, as the measures that 'foliot sensitivity' takes: "at(x, 0.1)".
typedef struct along {
    char **measures; ///< times x signals, by times
    char **names;    ///< of the signals
    double *times;
    size_t signals, points;
} along;

/// For `points` times from the start to the stop, and the signals `wanted` (NULL: all states and
/// outputs). False: a message was printed; free it in either case.
bool along_define(const command *c, const fo_experiment_def *def, const char *wanted, size_t points,
                  along *a);
void along_free(along *a);
/// Writes time, signals and their derivatives as CSV; an entry that is not known is empty. *unknown
/// counts those.
bool along_write(const command *c, const table_place *place, const along *a,
                 const fo_sensitivity *s, size_t *unknown);

#endif
