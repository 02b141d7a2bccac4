/// Models that are made of processes, on the command line.
#ifndef CLI_WORLD_H
#define CLI_WORLD_H

#include "cli/model.h"

/// What the model has to say at the end of a run.
void world_report(const fo_model *m, double now, FILE *out);
/// Its own picture, if it has one that does not stand in the text already.
void world_picture(const fo_model *m, FILE *out, bool ascii);
/// Draws its own picture through gnuplot: data and script stay beside it. FO_OK and *drawn false
/// where gnuplot is not there; FO_ERROR_ARGUMENT when the model has no picture of its own.
fo_status world_draw(const fo_model *m, const char *path, bool *drawn, fo_message *why);

/// What is replicated, and how.
typedef struct replications {
    const command *command;
    const char *name; ///< of the model, as the command line has it
    const fo_model *model;
    fo_run_def def; ///< of each run
    const settings *set;
    uint64_t count;
    unsigned threads;
    const char *output; ///< results of each as CSV; NULL: not wanted
    bool quiet;
} replications;

/// Names of what is tallied, NULL-terminated; NULL: nothing.
const char *const *replications_results(const fo_model *m);
/// Runs them all and prints their means; returns the exit status.
int replications_run(const replications *r);

#endif
