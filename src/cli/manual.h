/// Manual pages and completion, from the tables that help is made of.
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/command.h"

/// The page foliot(1), or foliot-run(1) and so on, as a source for man.
void manual_print(FILE *out, const command *c);
/// Writes all pages into a folder: foliot.1, foliot-run.1, ... False: a message was printed.
bool manual_write(const command *self, const char *folder);

/// Prints what can stand in the place of the last of these words, which come after "foliot": lines
/// of a word, a tab, and what it is; the line ":files" where names of files can, too. Shells ask
/// this.
void complete_print(FILE *out, int count, char *const *words);

#endif
