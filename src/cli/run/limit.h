/// `--memory SIZE`: how much memory a command may take.
#ifndef CLI_LIMIT_H
#define CLI_LIMIT_H

#include <stdbool.h>

#include "cli/command.h"

/// Limits what this process, which is about to open a model, may allocate from now on: to `text`
/// ("500M", "2G", bytes), or, where it is NULL, to half of what the machine has free. What does not
/// fit is then an allocation that fails, with the message of whoever wanted it, before the machine
/// swaps. False after a message.
bool limit_model(const command *c, const char *name, const char *text);

/// The same for a command that opens no model and reads files of any size.
bool limit_memory(const command *c, const char *text);

#define LIMIT_ABOUT                                                                           \
    "end with an error where more memory is wanted, as 500M or 2G; default: half of what is " \
    "free, and no limit for worlds"

#endif
