/// Lists of signals, by name.
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <foliot/foliot.h>

#include "cli/command.h"

typedef struct signals {
    fo_reference *list; ///< NULL: no memory
    size_t count;
} signals;

/// "a,b,c", commas in brackets apart; "pin*.v" is all that match, '?' one letter. Prints a message
/// and returns false when one is unknown.
bool signals_parse(const command *c, const char *text, fo_system system, signals *s);
/// Names that end with NULL.
bool signals_find(const command *c, const char *const *names, fo_system system, signals *s);
/// What the model's rows show, at most so many.
bool signals_rows(const command *c, const fo_model *model, size_t at_most, signals *s);
/// The same of a rank's part of the model, which has fewer states.
bool signals_ranks(const command *c, const fo_model *model, fo_system system, signals *s);
/// Whether a name matches a pattern with '*' and '?'.
bool signals_match(const char *pattern, const char *name);
void signals_free(signals *s);

#endif
