/// `--checkpoint FILE`, `--every T`, `--restart FILE` of a run in one process.
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

#include <foliot/foliot.h>

#include "cli/command.h"
#include "cli/run/progress.h"
#include "cli/run/results.h"

typedef struct keep_options {
    const char *checkpoint, *restart;
    maybe_number every;
} keep_options;

typedef struct keep {
    const command *command;
    const keep_options *options;
    const fo_model *model;
    const settings *start;
    const char *events_in; ///< NULL: none
    double interval;       ///< of the rows
    results *results;
    progress *progress;
    fo_simulation *sim;
    bool shared;         ///< among ranks, whose files begin anew
    fo_checkpoint *from; ///< what the run goes on from; NULL: it begins
    fo_fact *facts;
    char *texts; ///< what they point to
    size_t fact_count;
    bool locked;  ///< the file of the checkpoint is, by
    int lock;     ///< this descriptor
    bool written; ///< there is a checkpoint
    double at;    ///< when it was written [s]
} keep;

/// Whether the options make sense for this model; EXIT_FINE, or how the command ends after a
/// message.
int keep_check(const keep *k);
/// What a checkpoint has to agree with: k->facts. False after a message.
bool keep_collect(keep *k);
/// With a simulation that was not started: goes on from --restart. The same results.
int keep_begin(keep *k);
/// As fo_simulation_advance, with checkpoints on the way, at the end and where a signal ends it.
fo_status keep_advance(keep *k, double until, fo_message *why);
void keep_end(keep *k);

#endif
