/// What a MODEL on the command line means: the definition with which fo_model_open gets it, and how
/// its findings are printed.
#ifndef CLI_MODEL_H
#define CLI_MODEL_H

#include <foliot/foliot.h>

#include "cli/command.h"

/// How a command wants its model.
typedef struct model_request {
    const settings *set;        ///< numbers that are set; may be NULL
    const fo_setting *settings; ///< more of them
    size_t setting_count;
    const char *program;      ///< --program; NULL: auto
    bool native;              ///< --native
    bool quiet;               ///< without notes
    bool tunable;             ///< all numbers can change in a run
    const char *files;        ///< --files; NULL: those in the present folder
    bool overwrite;           ///< --overwrite
    const char *type;         ///< --type: of an FMU; NULL: auto
    bool in_process;          ///< --in-process
    bool event_mode;          ///< --event-mode
    const fo_fmu_text *texts; ///< --text
    size_t text_count;
    bool no_units;          ///< --no-units
    bool allow_external;    ///< --allow-external
    fo_manifolds manifolds; ///< --dae spsm
} model_request;

/// Opens a model and prints what there is to say. NULL on failure, with *exit_status set.
/// `request` may be NULL.
fo_model *model_open(const command *c, const char *argument, const model_request *request,
                     int *exit_status);

/// The definition for a name, with the gallery and the folders of libraries; see model_open. What
/// it points to lives as long as the program.
fo_model_def model_def(const char *argument);
/// The same with what a request asks for; false: a message was printed. `list` gets the settings
/// and is freed by the caller.
bool model_define(const command *c, const char *argument, const model_request *request,
                  fo_model_def *def, fo_setting **list);

/// Why this solver, for people: "as asked" where the user has asked for it (`solver` is what the
/// command line has, or NULL), not where the model has.
const char *model_solver_reason(const fo_simulation *sim, const char *solver, char *text,
                                size_t size);

/// Prints findings as a compiler does, or as the command's own complaints.
void model_print_findings(const command *c, const fo_model *m, bool quiet);

/// Why a model was not opened, where there was no memory to keep an error of it, or the model; NULL
/// where its findings say it.
const char *model_unsaid(const fo_model *m, fo_status status);

/// The one MODEL of a command's operands; prints a message when there is none or more.
const char *model_operand(const command *c, const operands *rest);

/// Folders in which models are found by name, NULL-terminated: those of FOLIOT_MODELS, the one that
/// is installed with this program, the source tree that it was built in.
const char *const *model_folders(void);

/// The folder that has foliot/world.h, for models in C; NULL: not found.
const char *model_headers(void);
/// A note where a compiled program that was kept could not be used and was compiled anew. A report
/// says it beside how the model was run; where there is none, this does.
void model_note_rebuilt(const command *c, const fo_model *m);

#endif
