/// `--memory SIZE`: how much memory a command may take.
#ifndef CLI_LIMIT_H
#define CLI_LIMIT_H

#include <stdbool.h>

#include "cli/command.h"

/// Limits what this process may allocate from now on: to `text` ("500M", "2G", bytes), or, where it
/// is NULL, to half of what the machine has free. What does not fit is then an allocation that
/// fails, with the message of whoever wanted it, before the machine swaps. False after a message.
bool limit_memory(const command *c, const char *text);

#endif
