/// Models that are made of processes, on the command line.
#ifndef CLI_WORLD_H
#define CLI_WORLD_H

#include "cli/model.h"
#include "cli/run/picture.h"
#include "cli/run/signals.h"

/// What the model has to say at the end of a run.
void world_report(const fo_model *m, double now, FILE *out);
/// Its own picture, if it has one that does not stand in the text already.
/// In `room` lines; 0: as many as it likes. False: there is none.
bool world_picture(const fo_model *m, FILE *out, bool ascii, int room);
/// Draws its own picture through gnuplot: data and script stay beside it. FO_OK and *drawn false
/// where gnuplot is not there; FO_ERROR_ARGUMENT when the model has no picture of its own.
fo_status world_draw(const fo_model *m, const gnuplot_request *g, bool *drawn, fo_message *why);

/// What is replicated, and how.
typedef struct replications {
    const command *command;
    const char *name; ///< of the model, as the command line has it
    const fo_model *model;
    fo_run_def def;         ///< of each run
    model_request request;  ///< how each is opened
    const settings *start;  ///< where states start
    const signals *results; ///< what is tallied
    uint64_t count;
    unsigned threads;
    const char *output; ///< results of each as CSV; NULL: not wanted
    bool quiet, json;
} replications;

/// What is tallied unless something else is asked for: what a run is made for, what is plotted, or
/// the first outputs. Empty: the model has none of these. False: a message was printed.
bool replications_results(const command *c, const fo_model *m, signals *s);
/// Runs them all and prints their means; returns the exit status.
int replications_run(const replications *r);

#endif
