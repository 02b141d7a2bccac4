/// The commands of `foliot`: one file each, listed in main.c.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>

#include "cli/options.h"

enum {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,      ///< the model or the solver failed, or a file could not be written
    EXIT_USAGE = 2,       ///< a mistake in the command line
    EXIT_SIGNALLED = 128, ///< plus the signal's number
};

typedef struct command {
    const char *name;
    const char *operands;  ///< as in "foliot run MODEL": "MODEL"; "" for none
    const char *about;     ///< one line
    const option *options; ///< ends with one without a name; --help is always there
    const char *more;      ///< printed after the options by help; may be NULL
    int (*run)(const struct command *self, int argc, char **argv);
} command;

extern const command command_run, command_models, command_solvers, command_show, command_live,
    command_nodes, command_check, command_export, command_watch, command_help, command_cluster,
    command_desk, command_lsp, command_sweep, command_linearize, command_steady, command_fit,
    command_sensitivity, command_optimize, command_study, command_compare, command_studio;

/// All commands, in the order of `foliot help`; NULL at the end.
const command *command_at(size_t index);
/// NULL for an unknown name; then a message was printed.
const command *command_find(const char *name);
void command_print_help(const command *c, FILE *out);

/// Prints "foliot run: ..." on standard error; without a command "foliot: ...".
__attribute__((format(printf, 2, 3))) void complain(const command *c, const char *format, ...);
/// The same, and where to read more. Returns EXIT_USAGE.
__attribute__((format(printf, 2, 3))) int complain_usage(const command *c, const char *format, ...);

#endif
