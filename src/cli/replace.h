/// Files that are there already: what somebody else made is not lost without a word.
#ifndef CLI_REPLACE_H
#define CLI_REPLACE_H

#include <foliot/system.h>

#include "cli/command.h"

/// How files begin that a command writes, NULL-terminated.
extern const char *const replace_rows[], *const replace_moments[], *const replace_checkpoint[],
                                                                       *const replace_recording[];

/// Whether the file may be written: it is not there, empty, no plain file, begins as `by` writes it
/// and was not made or changed by others, or is to be overwritten. False after a message.
bool replace_may(const command *c, const char *by, const char *path, const char *const *beginnings,
                 bool overwrite);
/// The same for what `--gnuplot` writes: PATH.dat, PATH.gp and the picture, PATH.<format>.
bool replace_plots(const command *c, const char *path, const char *format, bool overwrite);
/// The first line of rows of these signals, with its end; NULL without memory. free() it.
char *replace_header(fo_system system, const fo_reference *signals, size_t count, size_t *length);
/// A note where the file has rows of other signals than those; false after a message where nobody
/// knows who made it.
bool replace_note(const command *c, const char *path, fo_system system, const fo_reference *signals,
                  size_t count);
/// Puts a text into a file ("-": standard output) if replace_may: all of it, or nothing. False
/// after a message.
bool replace_save(const command *c, const char *by, const char *path, const char *text,
                  size_t length, const char *const *beginnings, bool overwrite);

#endif
