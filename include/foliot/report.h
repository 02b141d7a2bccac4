/// Reports: results as CSV and as pictures in the terminal.
#ifndef FOLIOT_REPORT_H
#define FOLIOT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "simulation.h"
#include "trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A CSV file being written: one header row, the first column `time`, numbers with all their
/// digits (the shortest text that reads back to the same bits). At one time there is one row, or
/// two where something jumped: the values before and after all jumps of the instant. What has been
/// written is valid at any moment; when the disk is full, the file ends after the last whole row
/// and the run ends with FO_ERROR_INPUT.
typedef struct fo_csv fo_csv;

/// Opens `path` ("-": standard output) for the given signals of the system (NULL: states,
/// discretes, then outputs) and writes the header. NULL on failure, and `why` says it.
fo_csv *fo_csv_open(const char *path, fo_system system, const fo_reference *signals, size_t count,
                    const fo_allocator *allocator, fo_message *why);
enum { FO_CSV_MARK = 160 };
/// Where the file stands after its observer's `keep`, as a text for a checkpoint. False: it is no
/// plain file.
bool fo_csv_mark(const fo_csv *csv, char text[FO_CSV_MARK]);
/// Opens a file again to go on after the mark: what was written after it is cut off. A file that is
/// not the one that was marked is refused and left as it is.
fo_csv *fo_csv_resume(const char *path, const char *mark, fo_system system,
                      const fo_reference *signals, size_t count, const fo_allocator *allocator,
                      fo_message *why);
/// An observer that writes every row; `interval` as in fo_observer.
fo_observer fo_csv_observer(fo_csv *csv, double interval);
/// Rows written so far.
size_t fo_csv_rows(const fo_csv *csv);
/// Writes what is buffered and closes. Returns FO_OK, FO_ERROR_INPUT with a message, or
/// FO_ERROR_CANCELLED when the reader of a pipe has gone. Takes NULL.
fo_status fo_csv_close(fo_csv *csv, fo_message *why);

/// The list of moments as CSV: time, name, kind, k; in a file *.jsonl as JSON, one object with the
/// same members per line. Otherwise as fo_csv.
///
/// Where there are acts (trace.h), more columns follow, which are empty for moments:
///
///     process, number, resource, action, amount, by, by_number     FO_ACTS_PROCESSES
///     entity, number, node, action, amount                         FO_ACTS_ENTITIES
///
/// and a row of an act has the kind "process" or "entity", no name and no k. In a list of processes
/// the moments at which events of the event list are due have no rows: the acts say more.
typedef struct fo_moment_csv fo_moment_csv;
/// Opens `path` ("-": standard output) and writes the header. NULL on failure, and `why` says it.
fo_moment_csv *fo_moment_csv_open(const char *path, fo_acts acts, const fo_allocator *allocator,
                                  fo_message *why);
/// As fo_csv_mark and fo_csv_resume.
bool fo_moment_csv_mark(const fo_moment_csv *csv, char text[FO_CSV_MARK]);
fo_moment_csv *fo_moment_csv_resume(const char *path, const char *mark, fo_acts acts,
                                    const fo_allocator *allocator, fo_message *why);
/// An observer that writes every moment.
fo_observer fo_moment_csv_observer(fo_moment_csv *csv);
/// Who writes every act, where the list was opened for acts: for fo_model_trace and
/// fo_world_trace.
fo_trace fo_moment_csv_trace(fo_moment_csv *csv);
/// Rows written so far.
size_t fo_moment_csv_rows(const fo_moment_csv *csv);
/// As fo_csv_close.
fo_status fo_moment_csv_close(fo_moment_csv *csv, fo_message *why);

/// Words for a moment's kind: "guard", "condition", "scheduled", "external", "again", "zeno",
/// "set", "rest begins", "rest ends", "slide begins", "slide ends".
const char *fo_moment_kind_text(fo_moment_kind kind);

/// Rows kept in memory, the same that fo_csv writes: for tests, plots and programs.
typedef struct fo_table fo_table;
/// For rows of so many signals. NULL when memory is lacking.
fo_table *fo_table_create(size_t signal_count, const fo_allocator *allocator);
/// `signals` must live as long as the observer.
fo_observer fo_table_observer(fo_table *table, const fo_reference *signals, double interval);
/// How many rows there are.
size_t fo_table_rows(const fo_table *table);
/// Of a row, from 0.
double fo_table_time(const fo_table *table, size_t row);
/// Of a signal in a row, both from 0.
double fo_table_value(const fo_table *table, size_t row, size_t signal);
/// Takes NULL.
void fo_table_destroy(fo_table *table);

/// A picture in the terminal: the table's signals over time, with one scale. Where a signal jumps,
/// its curve is open. Without colour the curves differ by their dashes, in ASCII by their marks.
typedef struct fo_plot_def {
    const fo_table *table;
    const size_t *signals;    ///< which of the table's
    const char *const *names; ///< of those, for the legend: "h [m]"
    size_t count;
    const char *title;   ///< may be NULL
    const char *x_label; ///< NULL: "time [s]"
    int width, height;   ///< all of it, in characters; 0: what fits the terminal, 72 x 18 otherwise
    bool ascii;          ///< without Unicode (dots are Braille otherwise)
    bool colour;         ///< with escape sequences
    const fo_allocator *allocator;
} fo_plot_def;
/// As large as the terminal, in Braille, without colour.
fo_plot_def fo_default_plot_def(void);
/// Returns FO_OK, FO_ERROR_MEMORY or FO_ERROR_INPUT (writing failed).
fo_status fo_plot(FILE *out, const fo_plot_def *def);

#ifdef __cplusplus
}
#endif
#endif
