/// The files that a run writes. They are opened when the first row comes, so that a run that
/// cannot start leaves an older file alone.
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include <foliot/foliot.h>

#include "cli/replace.h"
#include "cli/run/signals.h"

typedef struct results {
    fo_system system;
    const char *rows_path, *moments_path; ///< NULL: none
    fo_acts acts;                         ///< that the list of moments has, too
    bool outside;                         ///< events and settings come from outside
    foi_sight rows_seen, moments_seen;    ///< when they were judged
    signals signals;
    signals shown;         ///< to the file of rows: these, and what else it needs
    bool units;            ///< CSV: in a second header row
    const char *time_unit; ///< NULL: "s"
    fo_result_file *rows;
    fo_moment_csv *moments;
    bool goes_on;                   ///< from a checkpoint that does not know where the files stood
    double from, interval;          ///< goes_on: its time, and that from row to row; 0: not known
    size_t row_count, moment_count; ///< in the files, known after results_close
    char changed[64]; ///< a parameter that is NAN in the file since it changed; "": none
} results;

/// Whether the file of rows can be written; makes `shown`. False: a message was printed.
bool results_prepare(const command *c, results *r);

/// What the file of rows is to be.
fo_result_def results_rows_def(const results *r);

/// Watchers that write the rows and the moments.
fo_observer results_row_observer(results *r, double interval);
fo_observer results_moment_observer(results *r);
/// What was shown is on the disk when this returns.
fo_status results_keep(results *r, fo_message *why);
/// Where the files stand, for a checkpoint; "": there is none yet, or it is no plain file.
void results_mark(const results *r, char rows[FO_CSV_MARK], char moments[FO_CSV_MARK]);
/// Goes on with the files of a checkpoint. NULL: there was none yet.
fo_status results_resume(results *r, const char *rows, const char *moments, fo_message *why);
/// Who writes the acts of processes and entities to the list of moments.
fo_trace results_trace(results *r);
/// Closes both; FO_OK or the first failure.
fo_status results_close(results *r, fo_message *why);

#endif
