/// What the files of `foliot run` share: its options, and one run on its way.
#ifndef CLI_RUN_RUN_H
#define CLI_RUN_RUN_H

#include "cli/command.h"
#include "cli/model.h"
#include "cli/run/driven.h"
#include "cli/run/keep.h"
#include "cli/run/moment_log.h"
#include "cli/run/notes.h"
#include "cli/run/picture.h"
#include "cli/run/progress.h"
#include "cli/run/ranks.h"
#include "cli/run/results.h"

typedef struct run_options {
    maybe_number stop, step, rtol, atol, first_step, max_step, interval, epsilon, mu;
    maybe_count seed, substeps, max_steps, replications, threads;
    const char *solver, *output, *events, *events_in, *input, *signals, *share, *gnuplot;
    settings set, start;
    ranks_options ranks;
    keep_options keep;
    maybe_text plot;
    bool no_units, allow_external, no_plot, ascii, quiet, native, no_rest, in_process, event_mode,
        moments, json;
    texts texts; ///< of an FMU
    const char *program, *type, *files, *memory, *size, *dae;
    bool overwrite, units;
} run_options;

extern const option run_table[];

enum { OBSERVERS = 8, PLOT_ROWS = 2000, PLOT_SIGNALS = 4 };

typedef struct run {
    const command *command;
    const char *name; ///< as the command line has it
    run_options options;
    fo_fmu_text *texts; ///< those of the options
    fo_model *model;
    fo_system system;            ///< the model's, or this rank's part of it
    driven *driven;              ///< with --input; otherwise NULL
    struct fo_cluster *ranks;    ///< of fields that are shared among ranks; otherwise NULL
    const fo_world_model *world; ///< of worlds of processes; otherwise NULL
    results results;
    picture picture;
    moment_log log;
    double from; ///< when the run goes on, with --restart
    gnuplot_request gnuplot;
    notes notes;
    progress progress;
    keep keep;
    fo_observer observers[OBSERVERS];
    fo_run_def def;
    fo_simulation *sim;
    fo_share *share; ///< NULL: nobody looks on
    FILE *out;       ///< where the report goes; NULL: quiet
    double seconds;
} run;

// What is asked for, checked and made ready. What makes no sense is told; then false.

/// Everything but the simulation: definition, signals, files, observers.
bool run_prepare(run *r);
/// The definition alone: the model's, and what the options say.
bool run_define(run *r);
bool run_check_solver(const run *r);
/// Whether a plot in the terminal was asked for, or is usual here.
bool run_wants_plot(const run *r);
/// Tells of options that the solver does not look at.
void run_note_unused(const run *r);
/// Says what a run that goes on does not give as the whole one.
void run_note_restart(const run *r);

// --set and --start.

/// Whether a name is one that --set, or with `start` --start, takes.
bool run_check_option(const run *r, const setting *s, bool start);
bool run_check_settings(const run *r);
/// Starts states and discretes at their values.
bool run_apply(const run *r, const settings *list);

// What is printed and drawn.

/// What is about to run, by which solver.
void run_announce(const run *r);
/// How it went, with the plot.
void run_report(const run *r, fo_status status);
/// What the report tells of the end are numbers, or the run has failed: where no rows were written
/// nobody has looked at outputs, and one may have become too large for any number.
fo_status run_check_end(const run *r, fo_status status, fo_message *why);
void run_print_json(const run *r, fo_status status, const fo_message *why);
/// The files of --gnuplot.
fo_status run_draw(const run *r, fo_message *why);

#endif
