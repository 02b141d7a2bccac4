/// What a model says while it runs: the warnings of its asserts.
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <foliot/foliot.h>

#include "cli/command.h"

typedef struct notes {
    const command *command;
    uint64_t count;
    uint64_t poles;    ///< how many outputs have passed one
    char pole[300];    ///< the first of them, and when
    char chatter[160]; ///< that a guard chatters: the beginning of what was said of it
} notes;

/// Prints them on standard error, the first of them; notes_end says how many were left out.
fo_observer notes_observer(notes *n);
void notes_end(const notes *n);

#endif
