/// A model in memory, and what a kind of models has to give.
#ifndef FOI_MODEL_H
#define FOI_MODEL_H

#include <foliot/model.h>

#include "base/arena.h"
#include "base/json_numbers.h"
#include "field/document.h"
#include "model/gate.h"
#include "simulation/experiment.h"
#include "system/value.h"

enum { FOI_MODEL_PATH = 4096 };

/// A kind of models; one file each.
typedef struct foi_model_kind {
    const char *name;   ///< "diagram"
    const char *about;  ///< what its models are called on a command line: "a diagram *.json"
    const char *ending; ///< of its files; NULL: its models are compiled
    bool code;          ///< its files are never opened but where they are named
    /// Whether a name means a file of this kind; *end is where the file's name ends. NULL: by the
    /// ending.
    bool (*meant)(const char *name, const char **end);
    /// Whether the table has a model of this name. NULL: its models are files.
    bool (*has)(const fo_model_table *table, const char *name);
    /// Fills the model: system, run, and what else there is. What it has made it leaves in the
    /// model also when it fails; `why` then says why, unless findings do.
    fo_status (*open)(fo_model *m, const fo_model_def *def, fo_message *why);
    /// The line about a file, for the gallery; copied to `about`. NULL: the file is opened.
    void (*describe)(const char *path, char *about, size_t size);
} foi_model_kind;

extern const foi_model_kind foi_kind_library, foi_kind_text, foi_kind_diagram, foi_kind_structure,
    foi_kind_field, foi_kind_world, foi_kind_system, foi_kind_fmu, foi_kind_units;

/// The "about" of a JSON document.
void foi_describe_json(const char *path, char *about, size_t size);

/// The kinds, in the order in which a name is tried; NULL behind the last.
const foi_model_kind *foi_model_kind_get(size_t index);

typedef struct foi_tuning foi_tuning;
typedef struct foi_text_units foi_text_units;

/// text_units.c: the units that compute components of the text, opened and connected with it; the
/// model's system is then the composition. Each has to be named in `def`.
fo_status foi_model_add_units(fo_model *m, const fo_model_def *def, fo_message *why);
/// Does a text mean `unit_name` by the name `text_name` of a member of the unit's block? Quotes are
/// taken off: "'a.b'[2]" is "a.b[2]".
bool foi_unit_is_called(const char *unit_name, const char *text_name);
/// Takes NULL.
void foi_text_units_close(foi_text_units *units);
/// kind_fmu.c: a unit as a part of a composition, its parameters with other defaults.
fo_fmu *foi_model_open_part(const char *path, const fo_fmu_def *def, const fo_setting *values,
                            size_t count, fo_message *why);

struct fo_model {
    foi_gate gate;                 ///< before what is the caller's
    const fo_allocator *allocator; ///< of all that it is made of
    foi_arena arena;
    fo_status status;
    const foi_model_kind *kind;
    const fo_model *like;    ///< see foi_model_open_like
    const char *name, *path; ///< the path is also what messages call a text that has no file
    bool from_text;
    fo_finding *findings;
    uint32_t finding_count;

    fo_system system;
    fo_description about;      ///< the system's, where something of it was set
    foi_experiment experiment; ///< how it wants to be run
    uint64_t seed;
    const char *const *totals;
    const char *time_unit;
    fo_reference *rows;
    size_t row_count;
    bool few_rows; ///< the outputs alone
    bool random;
    fo_setting *settings;
    size_t setting_count;
    foi_numbers numbers;      ///< of documents
    const fo_variable *fixed; ///< what its kind lists beside those and the system's
    uint32_t fixed_count;
    const char **hidden; ///< numbers of the system that are not listed
    uint32_t hidden_count;
    fo_variable *list; ///< all numbers
    uint32_t list_count;

    foi_tuning *tuning; ///< its numbers are parameters; NULL: they are not

    /* what it is made of */
    fo_text_model *text;
    fo_diagram *diagram;
    fo_recorder *recorder;
    fo_structure_document *structure;
    foi_field_document *field;
    void *library;              ///< of a model that was loaded
    foi_text_units *text_units; ///< of a text; NULL: none
    fo_fmu *fmu;
    fo_fmu_group *units;
    const fo_world_model *world_model;
    fo_world *world;
    void *record;
};

/// Fills a model from what is compiled.
fo_status foi_world_open(fo_model *m, const fo_world_model *model, const fo_model_def *def,
                         fo_message *why);
fo_status foi_system_open(fo_model *m, const fo_compiled_model *model);

/// Whether its run, or the last one, has made file `index` (fo_model_file).
bool foi_model_has_made(const fo_model *m, size_t index);

/// Unloads what a model was loaded from. Takes NULL.
void foi_library_close(void *library);

/// Where a model is.
typedef struct foi_model_place {
    const foi_model_kind *kind;
    char path[FOI_MODEL_PATH];  ///< "" where there is none
    char part[FOI_NUMBER_NAME]; ///< of a text: which model
} foi_model_place;

/// As fo_model_open, where a text may borrow the program of another, `like`, which stays open
/// longer then; see foi_text_model_open_like.
fo_status foi_model_open_like(const fo_model_def *def, const fo_model *like, fo_model **model);
bool foi_model_borrows(const fo_model *m);

/// Finds the model of a definition. FO_ERROR_ARGUMENT when there is none, and `why` says what is
/// near.
fo_status foi_model_locate(const fo_model_def *def, foi_model_place *place, fo_message *why);
/// Calls `visit` for every file of the folders that a kind has, in the order of their names; until
/// it returns false. False where a folder could not be read for want of memory.
bool foi_gallery_files(const char *const *folders,
                       bool (*visit)(void *self, const foi_model_kind *kind, const char *path),
                       void *self);
/// The last part of a path.
const char *foi_file_name(const char *path);
/// The kind of a file's name; NULL: none.
const foi_model_kind *foi_kind_of_file(const char *name, const char **end);

/// Adds a finding; its texts are copied. Hints at the end of the text ("; did you mean 'x'?") are
/// taken apart. `source` may be the whole text of the file: NULL, or the line and the length are
/// found in it.
void foi_model_add_finding(fo_model *m, const fo_finding *f, const char *source);
/// The same of a message that begins with "name:line:column: ", where it does.
void foi_model_take_message(fo_model *m, const fo_message *why, const char *source);

/// Reads the JSON of a document: the definition's text or the file; completes the names of what is
/// set in it. NULL on failure, with a finding; *text is to be freed by the caller.
foi_json *foi_model_document(fo_model *m, const fo_model_def *def, char **text, fo_message *why);
/// What was set in the document is taken.
void foi_model_settings_taken(fo_model *m);

/// Completes names of settings that fit nothing so far, where they are the end of exactly one
/// number
/// ("k" for "motor.k"). *again: a number among them is read when the model is opened, so that it
/// must be opened anew. FO_ERROR_ARGUMENT where there are several.
fo_status foi_model_complete(fo_model *m, bool *again, fo_message *why);
/// Writes out control characters in the names of the system (plain.c).
fo_status foi_model_make_plain(fo_model *m, fo_message *why);
/// Gives the system what was set and is not taken yet; an unknown name is an error.
fo_status foi_model_apply(fo_model *m, fo_message *why);
/// Makes the list of all numbers.
fo_status foi_model_list(fo_model *m, fo_message *why);

/// Makes parameters of the numbers that are fixed otherwise.
fo_status foi_model_tune(fo_model *m, const fo_model_def *def, fo_message *why);
/// The trace goes to the system that is there for the numbers of the moment.
void foi_tuning_trace(foi_tuning *t, const fo_trace *trace);
/// The system behind them.
fo_system foi_tuning_plain(const foi_tuning *t);
/// Takes NULL.
void foi_tuning_destroy(foi_tuning *t);

#endif
