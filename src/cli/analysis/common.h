/// What the commands of analysis share: the options of a run, JSON, and CSV.
#ifndef CLI_ANALYSIS_COMMON_H
#define CLI_ANALYSIS_COMMON_H

#include <foliot/foliot.h>

#include "base/text_stream.h"
#include "cli/command.h"
#include "cli/model.h"
#include "cli/run/limit.h"

/// The options of each run.
typedef struct experiment_options {
    maybe_number stop, step, rtol, atol, max_step, accuracy;
    maybe_count seed, max_steps;
    const char *solver, *program, *memory;
    settings set, start;
    bool json, quiet, ascii, overwrite, allow_external;
} experiment_options;

/// The lines of a command's table for them; `AT` names a member of `experiment_options` in it.
#define EXPERIMENT_OPTIONS(AT)                                                                    \
    {"stop", 0, "T", OPTION_NUMBER, AT(stop), "simulate until time T [s]; default: the model's"}, \
        {"solver",    0,          "NAME",                                                         \
         OPTION_TEXT, AT(solver), "a name from 'foliot solvers'; default: chosen for the model"}, \
        {"step", 0, "H", OPTION_POSITIVE, AT(step), "step of solvers with fixed steps [s]"},      \
        {"rtol", 0, "R", OPTION_POSITIVE, AT(rtol), "error allowed, relative to the states"},     \
        {"atol", 0, "A", OPTION_POSITIVE, AT(atol), "absolute error allowed"},                    \
        {"max-step", 0, "H", OPTION_POSITIVE, AT(max_step), "longest step [s]"},                  \
        {"max-steps", 0, "N", OPTION_COUNT, AT(max_steps), "a run fails after N steps"},          \
        {"set",          0,       "NAME=VALUE",                                                   \
         OPTION_SETTING, AT(set), "set a number of the model; may be repeated"},                  \
        {"start",      0,                                                                         \
         "NAME=VALUE", OPTION_SETTING,                                                            \
         AT(start),    "start a state or discrete variable at a value; may be repeated"},         \
        {"memory", 0, "SIZE", OPTION_TEXT, AT(memory), LIMIT_ABOUT},                              \
        {"seed", 0, "N", OPTION_COUNT, AT(seed), "seed of the random numbers; default: 1"},       \
        {"allow-external",                                                                        \
         0,                                                                                       \
         NULL,                                                                                    \
         OPTION_FLAG,                                                                             \
         AT(allow_external),                                                                      \
         "Modelica: compile external C of the text with cc and run it in "                        \
         "this process; it can do whatever you can"},                                             \
        {"json", 0, NULL, OPTION_FLAG, AT(json), "print the result as JSON"},                     \
        {"ascii", 0, NULL, OPTION_FLAG, AT(ascii), "pictures without Unicode"},                   \
        {"overwrite",   0,                                                                        \
         NULL,          OPTION_FLAG,                                                              \
         AT(overwrite), "replace files that are there and were not made by this program"},        \
    {                                                                                             \
        "quiet", 'q', NULL, OPTION_FLAG, AT(quiet), "print only mistakes and what is asked for"   \
    }

/// The definition, with the lists that it points to.
typedef struct experiment_setup {
    fo_experiment_def def;
    fo_setting *settings, *start;
} experiment_setup;

/// Makes the definition for a model. False: a message was printed.
bool experiment_define(const command *c, const char *model, const experiment_options *o,
                       experiment_setup *setup);
void experiment_free(experiment_setup *setup, experiment_options *o);

/// What is run and how, as a text with one line for each: the model, a checksum of its file, and
/// the options. To be freed; NULL: no memory.
char *experiment_about(const char *model, const fo_experiment_def *def);

/// Options that take lists: "a,b=1..2,c=normal(1, 2)", several times. Commas in brackets part
/// nothing.
typedef struct name_list {
    char **texts;      ///< what `list` points into
    const char **list; ///< one after the other
    size_t count, text_count;
} name_list;

/// Takes them apart. False: a message was printed. Free it in either case.
bool name_list_split(const command *c, const texts *given, name_list *names);
void name_list_free(name_list *names);

/// The exit status that goes with a failure, after its message was printed.
int experiment_failed(const command *c, fo_status status, const fo_message *why);

/// Where a table goes.
typedef struct table_place {
    const char *by;   ///< the option
    const char *path; ///< "-": standard output
    bool overwrite;   ///< also a file that somebody else made
} table_place;

/// A table that is written to a text first, and then to its file, whole or not at all.
typedef struct table_file {
    FILE *out;
    foi_text_stream text;
} table_file;

/// False: a message was printed.
bool table_begin(table_file *t, const command *c);
/// `beginning` is how such files begin.
bool table_end(table_file *t, const command *c, const table_place *place, const char *beginning);
/// A file of lines that come one by one, each of them whole; standard output for "-". NULL: a
/// message was printed.
FILE *table_open(const command *c, const table_place *place, const char *beginning);

/// True once Ctrl-C was pressed; for `cancelled` and the like.
bool experiment_cancelled(void *self);
/// Shows how far something is; `self` is a progress.
bool experiment_progress(void *self, uint64_t done, uint64_t count);

/// A number with all its digits; not finite: nothing in CSV, null in JSON.
void put_csv_number(FILE *out, double value);
void put_csv_text(FILE *out, const char *text);
void put_json_number(FILE *out, double value);
void put_json_text(FILE *out, const char *text);
/// "name": [a, b, c]
void put_json_numbers(FILE *out, const char *name, const double *values, size_t count);
/// "name": [[a, b], [c, d]] of a matrix that is kept by rows.
void put_json_names(FILE *out, const char *name, const char *const *names, size_t count);
void put_json_matrix(FILE *out, const char *name, const double *values, size_t rows,
                     size_t columns);

/// Curves of y over x in the terminal; a point that is not finite breaks its line.
void draw_curves(FILE *out, const char *x_label, const double *x, size_t points,
                 const char *const *names, const double *y, size_t curves, bool ascii);

#endif
