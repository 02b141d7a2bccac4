/// What comes from outside, from a file: --events-in.
///
///     # a comment; empty lines are skipped
///     time,name,value        the first line may name the columns
///     18,tap,1.7             an event of the model with its value
///     20,c,0.5               or a parameter, input, state or discrete that is set
///     21,stop                an event without a value
#ifndef CLI_EVENTS_IN_H
#define CLI_EVENTS_IN_H

#include <foliot/foliot.h>

#include "cli/command.h"

/// Sends all of them to the simulation, which may stand at its start or at a checkpoint: what is
/// before that has happened already. Returns EXIT_FINE, or after a message with the line another
/// status.
int events_in_send(const command *c, const char *path, fo_simulation *sim, const fo_run_def *def);

#endif
