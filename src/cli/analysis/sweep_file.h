/// The table of a sweep: a row per run, in a file that an interrupted sweep goes on with.
#ifndef CLI_ANALYSIS_SWEEP_FILE_H
#define CLI_ANALYSIS_SWEEP_FILE_H

#include <foliot/foliot.h>

#include "base/writer.h"
#include "cli/command.h"

typedef struct sweep_file {
    bool wanted;
    foi_writer rows; ///< if it is
    const char *path;
    size_t values, measures, row_size;
    char *last; ///< the last row that was there, to be computed again and compared; NULL: none
} sweep_file;

typedef struct sweep_file_def {
    const char *path; ///< "-": standard output, NULL: none
    bool go_on, overwrite;
    const char *about; ///< what is run, and how
    const fo_parameter_sweep *sweep;
    const fo_parameter_sweep_def *points;
} sweep_file_def;

/// Opens it and writes the columns. With `go_on` the rows that it has are checked against the
/// sweep's points, and *first is the last one of them: it is computed again, and where it comes out
/// different the model or its numbers are others. A row that was cut off is taken away. While the
/// table is not whole `about` stands in a file of its own beside it, FILE.sweep, and an interrupted
/// one goes on only with the same. False: a message was printed.
bool sweep_file_open(sweep_file *f, const command *c, const sweep_file_def *def, uint64_t *first);
/// Writes a row; *old: it was there already, and is the same.
fo_status sweep_file_put(sweep_file *f, const fo_parameter_sweep_row *row, bool *old,
                         fo_message *why);
/// `whole`: all rows are there. False: a message was printed.
bool sweep_file_close(sweep_file *f, const command *c, bool whole);

#endif
