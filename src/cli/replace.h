/// Files that are there already: what somebody else made is not lost without a word.
#ifndef CLI_REPLACE_H
#define CLI_REPLACE_H

#include <foliot/report.h>

#include "base/made.h"
#include "cli/command.h"

/// How files begin that a command writes, NULL-terminated.
extern const char *const replace_rows[], *const replace_moments[], *const replace_checkpoint[],
                                                                       *const replace_recording[];

/// Whether the file may be written: it is not there, empty, no plain file, begins as `by` writes it
/// and was not made or changed by others, or is to be overwritten. False after a message.
bool replace_may(const command *c, const char *by, const char *path, const char *const *beginnings,
                 bool overwrite);
/// A message where the file is no longer as it was: a run may begin long after it was judged.
fo_status replace_unchanged(const foi_sight *seen, const char *path, fo_message *why);
/// Whether a file can be put in this place by rename: nothing is there, or a plain file. Devices
/// and FIFOs would be lost, also with --overwrite. False after a message.
bool replace_plain(const command *c, const char *path);
/// Whether two paths lead to one file, which may not be there yet. NULL leads nowhere.
bool replace_same(const char *a, const char *b);
/// The same for what `--gnuplot` writes: PATH.dat, PATH.gp and the picture, PATH.<format>.
/// `seen`, where it is not NULL, gets how they looked.
bool replace_plots(const command *c, const char *path, const char *format, bool overwrite,
                   foi_sight seen[3]);
/// A message where one of them is no longer as it was: a picture is drawn at the end of a run.
fo_status replace_plots_unchanged(const foi_sight seen[3], const char *path, const char *format,
                                  fo_message *why);
/// A note where the file has other rows than these results; false after a message where nobody
/// knows who made it.
bool replace_note(const command *c, const fo_result_def *def);
/// A note where the file is a checkpoint or recording (`what`) of another model.
void replace_note_model(const command *c, const char *what, const char *path, const char *model);
/// A note where the file has moments of another model, as far as that is known.
void replace_note_moments(const command *c, const char *path, const char *model);
/// Puts a text into a file ("-": standard output) if replace_may: all of it, or nothing. False
/// after a message.
bool replace_save(const command *c, const char *by, const char *path, const char *text,
                  size_t length, const char *const *beginnings, bool overwrite);

#endif
