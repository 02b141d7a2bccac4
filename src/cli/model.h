/// What a MODEL on the command line means.
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include <foliot/foliot.h>

#include "cli/command.h"

/// A system and how one usually runs and looks at it.
typedef struct model {
    fo_system system;
    double start, stop;        ///< [s]
    double interval;           ///< of output rows [s]
    const char *solver;        ///< NULL: chosen for it
    double rtol, atol;         ///< 0: the defaults
    double step;               ///< of solvers with fixed steps; 0: the default
    double kept_step;          ///< > 0: its adaptive solver is kept at this step
    const char *const *plot;   ///< names of the signals to plot, NULL-terminated; may be NULL
    const char *const *totals; ///< names of outputs for the summary, NULL-terminated; may be NULL
    struct settings *set;      ///< before it is opened: what --set says; may be NULL
    fo_text_model *text;       ///< of models that were read as text; otherwise NULL
    fo_diagram *diagram;       ///< of models that are diagrams; otherwise NULL
    const fo_field *field;     ///< of fields; otherwise NULL
    struct fo_cluster *ranks;  ///< of fields that are shared among ranks; otherwise NULL
    const struct world_model *world; ///< of worlds of processes; otherwise NULL
    const char *time_unit;           ///< NULL: "s"
    int exit_status;                 ///< when it could not be opened: how the command ends
    fo_observer recorder;            ///< writes files of its own; no row: none
    /// Closes those files; may be NULL.
    fo_status (*finish)(void *owner, fo_message *why);
    void *owner; ///< what model_close gives to `close`
    void (*close)(void *owner);
} model;

/// Finds the model; prints a message when there is none, and sets m->exit_status.
bool model_open(const command *c, const char *argument, model *m);

/// Frees what belongs to a model that was opened, or to none (zero).
void model_close(model *m);

/// Kinds of models that have a file of their own.
bool world_meant(const char *argument);
bool world_open(const char *argument, model *m, fo_message *why);
bool structure_meant(const char *argument);
bool structure_open(const char *argument, model *m, fo_message *why);
bool field_meant(const char *argument);
bool field_open(const char *argument, model *m, fo_message *why);
bool text_meant(const char *argument);
bool text_open(const char *argument, model *m, fo_message *why);
bool diagram_meant(const char *argument);
bool diagram_open(const char *argument, model *m, fo_message *why);

/// The one MODEL of a command's operands; prints a message when there is none or more.
const char *model_operand(const command *c, const operands *rest);

#endif
