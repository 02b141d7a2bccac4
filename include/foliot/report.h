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

/// A file of results; the ending of its name says what it is:
///
///     *.csv, "-"   as fo_csv; with `units` the units stand in a second header row
///     *.json       {"model": "ball", "columns": ["time", "h"], "units": ["s", "m"], "rows": [
///                  one row in a line, what is no finite number as null, then ]}
///     *.mat        MATLAB level 4 as Modelica tools write it: Aclass, name, description, dataInfo,
///                  data_1 (the parameters) and data_2 (time and the signals)
///
/// Devices and pipes get CSV. The rows are those of fo_csv. A parameter that had several values in
/// the run is NAN in data_1: as one of the signals it has them all.
typedef struct fo_result_file fo_result_file;
typedef enum fo_result_format { FO_RESULT_CSV, FO_RESULT_JSON, FO_RESULT_MAT } fo_result_format;

typedef struct fo_result_def {
    const char *path;
    fo_system system;
    const fo_reference *signals;
    size_t count;
    const char *time_unit; ///< NULL: "s"; must live as long as the file
    bool units;            ///< CSV: with a second header row
    const fo_allocator *allocator;
} fo_result_def;
/// Time in seconds, no units.
fo_result_def fo_default_result_def(void);

/// What a path would be written as: FO_OK, or FO_ERROR_ARGUMENT for an ending that is none of
/// these.
fo_status fo_result_format_of(const char *path, fo_result_format *format, fo_message *why);
/// Opens it and writes what comes before the rows. NULL on failure, and `why` says it.
fo_result_file *fo_result_open(const fo_result_def *def, fo_message *why);
/// What the file's rows have: the signals of the definition, and for *.mat the parameters. Writes
/// them to `list` where that is not NULL; returns how many.
size_t fo_result_signals(const fo_result_def *def, fo_reference *list);
/// An observer that writes every row, with these signals; `interval` as in fo_observer.
fo_observer fo_result_observer(fo_result_file *file, double interval);
/// As fo_csv_mark and fo_csv_resume. A *.mat file cannot be gone on with.
bool fo_result_mark(const fo_result_file *file, char text[FO_CSV_MARK]);
/// As fo_csv_resume.
fo_result_file *fo_result_resume(const fo_result_def *def, const char *mark, fo_message *why);
/// Rows written so far.
size_t fo_result_rows(const fo_result_file *file);
/// *.mat: the first parameter that is NAN since it changed in the run. NULL: there is none.
const char *fo_result_changed(const fo_result_file *file, char *text, size_t size);
/// As fo_csv_close.
fo_status fo_result_close(fo_result_file *file, fo_message *why);

/// Columns of numbers, read from a file of results: *.csv, *.json or *.mat, also of other tools.
/// The first column is the time. At one time there may be several rows.
typedef struct fo_columns fo_columns;
/// NULL on failure: FO_ERROR_INPUT, FO_ERROR_FORMAT with file and line, FO_ERROR_MEMORY.
fo_columns *fo_columns_read(const char *path, const fo_allocator *allocator, fo_message *why);
/// How many columns there are, the time among them.
size_t fo_columns_count(const fo_columns *columns);
/// How many rows there are.
size_t fo_columns_rows(const fo_columns *columns);
/// The name of a column, from 0.
const char *fo_columns_name(const fo_columns *columns, size_t column);
/// The unit of a column, from 0; "" where the file does not say it.
const char *fo_columns_unit(const fo_columns *columns, size_t column);
/// Its numbers, as many as there are rows. A cell that is empty is NAN.
const double *fo_columns_values(const fo_columns *columns, size_t column);
/// Takes NULL.
void fo_columns_destroy(fo_columns *columns);

/// How two series are compared.
typedef struct fo_compare_def {
    double
        tolerance; ///< what is too small to matter: of the largest value, and of the time in common
    double absolute; ///< the same for values, in their unit
    const fo_allocator *allocator;
} fo_compare_def;
/// A thousandth.
fo_compare_def fo_default_compare_def(void);

/// How far two series are apart, their jumps laid over each other.
typedef struct fo_difference {
    double worst;       ///< the largest distance; INFINITY where only one of them is a number
    double at;          ///< when, in the time of the first
    double a, b;        ///< the values there
    double scale;       ///< the largest size of both
    size_t jumps;       ///< that both have
    size_t lone;        ///< that only one has, where the other is farther away than the tolerance
    double shift;       ///< by which those of both lie apart at most
    double first, last; ///< the time in common
    bool within;        ///< worst <= tolerance * scale + absolute
} fo_difference;

/// Compares column i of `a` with column j of `b` in the time that they have in common. A jump is
/// two rows of one time. Jumps of both that follow each other in the same order, in the same
/// direction and no farther apart than the tolerance are taken for the same one, and the time
/// between them is stretched, so that a jump that comes a little later is no large difference;
/// `shift` tells it. Between rows values are linear; points are those of the series that has fewer
/// of them. FO_OK; FO_ERROR_ARGUMENT: they have no time in common; FO_ERROR_MEMORY.
fo_status fo_columns_compare(const fo_columns *a, size_t i, const fo_columns *b, size_t j,
                             const fo_compare_def *def, fo_difference *difference, fo_message *why);

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
/// As fo_csv_resume.
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
    const size_t *over; ///< for each signal the one that it is drawn over; NULL: the time
} fo_plot_def;
/// As large as the terminal, in Braille, without colour.
fo_plot_def fo_default_plot_def(void);
/// Returns FO_OK, FO_ERROR_MEMORY or FO_ERROR_INPUT (writing failed).
fo_status fo_plot(FILE *out, const fo_plot_def *def);

/// What a terminal draws images with.
typedef enum fo_graphics {
    FO_GRAPHICS_TEXT,  ///< letters: half blocks with colours, shades without
    FO_GRAPHICS_KITTY, ///< kitty's protocol
    FO_GRAPHICS_SIXEL,
} fo_graphics;

/// A heat map in the terminal: values on a grid as colours that all can order, with their scale.
/// Where both signs occur zero is white. Values that are no number are grey.
typedef struct fo_heat_def {
    const double *values;      ///< row by row, the lowest row first
    uint32_t columns, rows;    ///< of the grid
    double shape;              ///< width over height of what is shown; 0: the grid's
    double lo, hi;             ///< of the scale; both 0: those of the values
    const char *title, *label; ///< above, and beside the scale; may be NULL
    int width, height;         ///< all of it, in characters
    bool ascii, colour;        ///< as in fo_plot_def
    bool true_colour;          ///< more than 256
    fo_graphics graphics;
    const fo_allocator *allocator;
} fo_heat_def;
/// 72 x 18, without colour.
fo_heat_def fo_default_heat_def(void);
/// FO_OK, FO_ERROR_ARGUMENT (an empty grid), FO_ERROR_MEMORY or FO_ERROR_INPUT (writing failed).
fo_status fo_heat_map(FILE *out, const fo_heat_def *def);

/// From one point to another.
typedef struct fo_line {
    double x[2], y[2];
} fo_line;

/// Lines in the terminal, with one scale for both axes: a structure, a mechanism.
typedef struct fo_drawing_def {
    const fo_line *lines;
    size_t count;
    double bounds[4];  ///< least x and y, largest x and y; all 0: those of the lines
    const char *title; ///< may be NULL
    int width, height; ///< all of it, in characters
    bool ascii, colour;
    const fo_allocator *allocator;
} fo_drawing_def;
/// 72 x 18, without colour.
fo_drawing_def fo_default_drawing_def(void);
/// As fo_plot.
fo_status fo_draw_lines(FILE *out, const fo_drawing_def *def);

#ifdef __cplusplus
}
#endif
#endif
