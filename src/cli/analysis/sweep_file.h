/// The table of a sweep: a row per run, in a file that an interrupted sweep goes on with.
#ifndef CLI_ANALYSIS_SWEEP_FILE_H
#define CLI_ANALYSIS_SWEEP_FILE_H

#include <foliot/foliot.h>

#include "base/writer.h"
#include "cli/command.h"

typedef struct sweep_file {
    bool wanted;
    foi_writer rows; ///< if it is
    size_t values, measures;
} sweep_file;

typedef struct sweep_file_def {
    const char *path; ///< "-": standard output, NULL: none
    bool go_on, overwrite;
    const fo_parameter_sweep *sweep;
    const fo_parameter_sweep_def *points;
} sweep_file_def;

/// Opens it and writes the columns. With `go_on` the rows that it has are checked against the
/// sweep's points, and *first is how many there are; a row that was cut off is taken away. False: a
/// message was printed.
bool sweep_file_open(sweep_file *f, const command *c, const sweep_file_def *def, uint64_t *first);
fo_status sweep_file_put(sweep_file *f, const fo_parameter_sweep_row *row, fo_message *why);
/// False: a message was printed.
bool sweep_file_close(sweep_file *f, const command *c);

#endif
