/// Functional Mock-up Units: models of other tools as systems (FMI 2.0 and 3.0).
///
/// An FMU is an archive with a description and a binary. Opening it checks and unpacks it into a
/// folder of its own, which is removed again when it is closed, and starts the binary: in a child
/// process, so that a crash or an endless loop in it ends with a message that names the call, or in
/// this process where it is trusted.
///
/// Model Exchange: states, rates and event indicators are those of the unit, and any solver carries
/// them. Co-Simulation: the unit steps itself, and its real outputs are the states, on straight
/// lines between communication points.
///
/// One open FMU is one instance. Several simulations of its system may live at the same time, and
/// snapshots work, where the unit can give and take its state as bytes; otherwise the latest
/// simulation that was started has it, and the others are told so.
#ifndef FOLIOT_FMI_H
#define FOLIOT_FMI_H

#include "simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fo_fmu_type {
    FO_FMU_AUTO, ///< Model Exchange where the unit has it, then Co-Simulation
    FO_FMU_MODEL_EXCHANGE,
    FO_FMU_CO_SIMULATION,
    FO_FMU_SCHEDULED_EXECUTION, ///< FMI 3: this program ticks the unit's clocks
} fo_fmu_type;

/// A value for a string or a binary of a unit, from the start on. A binary is written as
/// hexadecimal digits.
typedef struct fo_fmu_text {
    const char *name, *value;
} fo_fmu_text;

/// How an FMU is run.
typedef struct fo_fmu_def {
    fo_fmu_type type;
    bool in_process; ///< its binary is trusted and runs in this process: faster, less safe
    double timeout;  ///< of one call in the child [s]; 0: 60
    const fo_allocator *allocator;
    bool event_mode; ///< FMI 3, Co-Simulation: the unit says when events happen inside of a step,
                     ///< which ends there (early return) and is handled in event mode
    const fo_fmu_text *texts; ///< kept while it is open
    size_t text_count;
} fo_fmu_def;
/// Auto, in a child.
fo_fmu_def fo_default_fmu_def(void);

typedef struct fo_fmu fo_fmu;

/// Opens an FMU. NULL on failure: FO_ERROR_INPUT, FO_ERROR_FORMAT (archive or description),
/// FO_ERROR_UNFIT (no binary for this machine, or not the type that was asked for), FO_ERROR_MODEL
/// (the unit refuses, crashes or hangs), FO_ERROR_MEMORY.
fo_fmu *fo_fmu_open(const char *path, const fo_fmu_def *def, fo_message *why);
/// Ends the child and removes the folder. Takes NULL.
void fo_fmu_close(fo_fmu *fmu);

/// The system; valid while the FMU is open.
fo_system fo_fmu_system(const fo_fmu *fmu);
/// How it wants to be run: its default experiment.
fo_run_def fo_fmu_run_def(const fo_fmu *fmu);
/// What it is and can, for people, one line each: "FMI 3.0, Model Exchange and Co-Simulation", ...
/// Returns `text`.
const char *fo_fmu_about(const fo_fmu *fmu, char *text, size_t size);
/// Something to say about how it will be run: line `index`; NULL beyond the last.
const char *fo_fmu_note(const fo_fmu *fmu, size_t index);

/// The string or binary (as hexadecimal digits) `name` as the unit has it at present, in `text`.
/// FO_ERROR_NAME: there is none. Longer values are cut.
fo_status fo_fmu_get_text(const fo_fmu *fmu, const char *name, char *text, size_t size,
                          fo_message *why);
/// The name of string or binary `index` of the unit, and whether the unit gives it out; NULL beyond
/// the last.
const char *fo_fmu_text_name(const fo_fmu *fmu, size_t index, bool *output);

/// Checks the rules of FMI that schemas cannot say: references, kinds, start values, units, the
/// lists of the structure; and starts the unit in each of its types: dependencies that show and are
/// not listed. Calls `listener` for each breach, up to 100, with the line of the description, and
/// counts them. FO_OK: all was looked at; otherwise as fo_fmu_open.
fo_status fo_fmu_validate(const char *path, const fo_fmu_def *def, void *self,
                          void (*listener)(void *self, uint32_t line, const char *text),
                          size_t *count, fo_message *why);

// ------------------------------------------------------------------------------- several together

/// Units that are connected, in Co-Simulation: a master steps them all. The document is a system
/// structure of SSP 1.0 (*.ssd, or an archive *.ssp) or *.fmus.json; docs/fmi.md has both.
///
/// The system's states are the real outputs of the units ("unit.output"), the energy that the
/// coupling has made at each power bond, and the number of the master's steps. Its inputs are those
/// of units that nothing is connected to, its parameters those of the units. One simulation at a
/// time has the units.
typedef struct fo_fmu_group fo_fmu_group;

/// Opens a document with its units; the type of `def` is not looked at. NULL on failure, with the
/// statuses of fo_fmu_open.
fo_fmu_group *fo_fmu_group_open(const char *path, const fo_fmu_def *def, fo_message *why);
/// Takes NULL.
void fo_fmu_group_close(fo_fmu_group *group);
/// The system; valid while the group is open.
fo_system fo_fmu_group_system(const fo_fmu_group *group);
/// How it wants to be run: the step is that of the master.
fo_run_def fo_fmu_group_run_def(const fo_fmu_group *group);

// ---------------------------------------------------------------------------------------- export

/// What the description of an FMU says of a system.
typedef struct fo_fmu_description_def {
    fo_system system;
    fo_run_def run;  ///< its default experiment: start, stop and rtol, below 1 where it is said
    double interval; ///< of rows [s]; 0: not said
    const char *identifier; ///< a C name: of the binary
    int version;            ///< 2 or 3
    bool model_exchange, co_simulation;
    const char *token;          ///< what the binary and the description have in common
    const char *const *sources; ///< files below sources/ that are compiled, NULL-terminated; FMI 2
                                ///< lists them in the description. NULL: none
} fo_fmu_description_def;
/// FMI 3, both types, the default run.
fo_fmu_description_def fo_default_fmu_description_def(void);

/// Writes modelDescription.xml; returns its length, as snprintf does. 0: no memory.
size_t fo_fmu_write_description(const fo_fmu_description_def *def, char *text, size_t size);

/// A file of an FMU that is written.
typedef struct fo_fmu_file {
    const char *name; ///< "resources/model.mo"
    const void *data;
    size_t size;
    bool program; ///< it is marked as one
} fo_fmu_file;
/// Writes an archive. The same files give the same bytes.
fo_status fo_fmu_write(const char *path, const fo_fmu_file *files, size_t count, fo_message *why);

/// The folder of binaries for the machine that this was compiled for: "linux64", "x86_64-linux".
const char *fo_fmu_platform(int version);

#ifdef __cplusplus
}
#endif
#endif
