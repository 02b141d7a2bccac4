/// `--checkpoint FILE`, `--every T`, `--restart FILE` of a run in one process.
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

#include <foliot/foliot.h>

#include "base/made.h"
#include "base/whole_write.h"
#include "cli/command.h"
#include "cli/run/moment_log.h"
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
    const char *type;      ///< of an FMU; NULL: not given
    bool event_mode;       ///< of an FMU
    const texts *strings;  ///< of an FMU
    double interval;       ///< of the rows
    results *results;
    moment_log *log;
    progress *progress;
    fo_simulation *sim;
    bool shared;         ///< among ranks, whose files begin anew
    fo_checkpoint *from; ///< what the run goes on from; NULL: it begins
    fo_fact *facts;
    char *texts; ///< what they point to
    size_t fact_count;
    foi_claim claim;               ///< the checkpoint is this run's alone, from its beginning on
    foi_sight seen;                ///< when it was judged or written last
    bool written;                  ///< there is a checkpoint
    double at;                     ///< when it was written [s]
    char stopped[FO_MESSAGE_SIZE]; ///< why the run had ended that is gone on with; "": it had not
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
/// Why the model has ended the run, in this process or before its checkpoint.
const char *keep_stopped(const keep *k);

#endif
