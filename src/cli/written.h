/// The files that one command writes: all its names stand in one list before the first is opened,
/// also those that are made of others, so that no two of them are one file.
#ifndef CLI_WRITTEN_H
#define CLI_WRITTEN_H

#include "cli/command.h"

typedef struct written_name {
    const char *by;
    char *path;
} written_name;

typedef struct written {
    written_name *list;
    size_t count;
    bool lost; ///< there was no memory for a name
} written;

/// A file that is written where it stands. NULL: none.
void written_add(written *w, const char *by, const char *path);
/// One that is put in place whole: PATH.new is written first.
void written_add_saved(written *w, const char *by, const char *path);
/// What is put in place again and again: PATH.lock is beside it.
void written_add_checkpoint(written *w, const char *by, const char *path);
/// What gnuplot is given and draws: PATH.dat, PATH.gp and PATH.<format>.
void written_add_plots(written *w, const char *by, const char *path, const char *format);
/// Forgets the names. False after a message where two options name one file.
bool written_differ(written *w, const command *c);

#endif
