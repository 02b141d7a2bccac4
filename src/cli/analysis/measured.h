/// Measured data from a CSV file: the column `time` and signals; an empty cell was not measured.
#ifndef CLI_ANALYSIS_MEASURED_H
#define CLI_ANALYSIS_MEASURED_H

#include <foliot/foliot.h>

#include "cli/command.h"

typedef struct measured {
    fo_fit_data data;
    char **names;
    double *times, *values;
} measured;

/// Reads a file. False: a message with the line was printed. Free it in either case.
bool measured_read(const command *c, const char *path, measured *m);
void measured_free(measured *m);

#endif
