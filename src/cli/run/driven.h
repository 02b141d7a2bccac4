/// `--input FILE`: inputs of a model that follow columns of a file over time.
#ifndef CLI_DRIVEN_H
#define CLI_DRIVEN_H

#include <foliot/foliot.h>

#include "cli/command.h"

/// The model with its inputs led to the file. What is driven is no input any more but one of the
/// outputs, by the same name. Between rows a real input is linear, another one holds; two rows of
/// one time are a jump; before the first row and after the last one the value stays.
typedef struct driven driven;

/// NULL after a message, with *exit_status set.
driven *driven_open(const command *c, const char *path, fo_system inner, int *exit_status);
/// Valid while it lives.
fo_system driven_system(const driven *d);
/// Takes NULL.
void driven_close(driven *d);

#endif
