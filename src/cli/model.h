/// What a MODEL on the command line means.
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include <foliot/foliot.h>

#include "cli/command.h"

/// A system and how one usually runs and looks at it.
typedef struct model {
    fo_system system;
    double stop;             ///< [s]
    double interval;         ///< of output rows [s]
    const char *solver;      ///< NULL: chosen for it
    double rtol, atol;       ///< 0: the defaults
    const char *const *plot; ///< names of the signals to plot, NULL-terminated; may be NULL
} model;

/// Finds the model; prints a message when there is none.
bool model_open(const command *c, const char *argument, model *m);

/// The one MODEL of a command's operands; prints a message when there is none or more.
const char *model_operand(const command *c, const operands *rest);

#endif
