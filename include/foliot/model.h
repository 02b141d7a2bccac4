/// Models: any of them, opened one way.
///
/// A model is what can be run, whatever it was written as: a text, a diagram, a structure, a field,
/// a world of processes, a system in C. Opening it gives the system, how it is usually run, what is
/// usually looked at, every number that can be set, and what is to be said about its document.
/// All commands of `foliot` open models here, and so can other programs:
///
///     fo_model_def def = fo_default_model_def();
///     def.name = "beam.structure.json";
///     fo_model *model;
///     if (fo_model_open(&def, &model) == FO_OK) {
///         fo_run_def run = fo_model_run_def(model);
///         fo_simulation *sim = fo_simulation_create(fo_model_system(model), &run, &why);
///         ...
///     }
///     for (size_t i = 0; i < fo_model_finding_count(model); i++) show(fo_model_finding(model, i));
///     fo_model_close(model);
///
/// One document gives one result: a batch run, a live run, a replication or ranks that start from
/// fo_model_run_def and fo_model_system compute the same bits.
///
/// Ownership: whatever a function here returns belongs to the model and lives until it is closed;
/// what the definition points to is read while it is opened and not kept, but for `table`,
/// `node_types` and `program.host`. Threads: an open model is constant, so any number of
/// threads and simulations may use it at the same time, with two exceptions: a world of processes
/// is one run (open it again for another), and a model that writes files (fo_model_file_count)
/// writes those of one run.
#ifndef FOLIOT_MODEL_H
#define FOLIOT_MODEL_H

#include "diagram.h"
#include "field.h"
#include "fmi.h"
#include "language.h"
#include "node.h"
#include "program.h"
#include "simulation.h"
#include "structure.h"
#include "trace.h"
#include "version.h"
#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------ what is compiled

/// A system in C and how it is usually run. What is not said is 0, NULL or false.
typedef struct fo_compiled_model {
    fo_system system;        ///< its description has the name and the one line
    double start, stop;      ///< [s]; stop <= start: one second
    double interval;         ///< of rows [s]; 0: every step
    double step;             ///< of methods with fixed steps [s]; 0: a thousandth of the run
    double rtol, atol;       ///< 0: those of fo_default_run_def
    const char *solver;      ///< NULL: chosen for the system
    const char *const *plot; ///< names of signals, NULL-terminated; NULL: not said
    bool random;             ///< results depend on the seed (fo_state.seed)
} fo_compiled_model;

/// Models that are compiled in.
typedef struct fo_model_table {
    const fo_compiled_model *const *systems;
    size_t system_count;
    const fo_world_model *const *worlds;
    size_t world_count;
} fo_model_table;

/// The gallery's systems in C and worlds of processes, which are part of the library.
fo_model_table fo_compiled_models(void);

/// What a shared library that is opened as a model has, under the name fo_exported.
typedef struct fo_exported_model {
    const char *version; ///< FO_VERSION of the headers
    const fo_world_model *world;
    const fo_compiled_model *system;
} fo_exported_model;

/// At the end of shop.c, so that `foliot run ./shop.so` and `foliot run shop.c` open its model:
/// FO_EXPORT_WORLD(shop_model); or FO_EXPORT_SYSTEM(...) of a fo_compiled_model.
#define FO_EXPORT_WORLD(model)                  \
    extern const fo_exported_model fo_exported; \
    const fo_exported_model fo_exported = {FO_VERSION, &(model), 0}
#define FO_EXPORT_SYSTEM(model)                 \
    extern const fo_exported_model fo_exported; \
    const fo_exported_model fo_exported = {FO_VERSION, 0, &(model)}

// ------------------------------------------------------------------- node types of one's own

/// A file with node types: *.so, or *.c, which is compiled first, into the user's cache.
typedef struct fo_node_library fo_node_library;

typedef struct fo_node_library_def {
    const char *path;
    const char *headers; ///< *.c: the folder that has foliot/node.h; NULL: the compiler's
    const char *folder;  ///< *.c: where what is compiled is kept; NULL: the user's cache
    const fo_allocator *allocator;
} fo_node_library_def;
/// No file; the compiler finds the headers itself.
fo_node_library_def fo_default_node_library_def(void);

/// Such a file is code, which is trusted and run. NULL on failure: FO_ERROR_INPUT, FO_ERROR_FORMAT
/// (it does not compile, or has no types), FO_ERROR_ARGUMENT (a type's description is wrong),
/// FO_ERROR_UNFIT (another version, no compiler), FO_ERROR_MEMORY.
fo_node_library *fo_node_library_open(const fo_node_library_def *def, fo_message *why);
/// Its types; they live until it is closed.
const fo_node_type *const *fo_node_library_types(const fo_node_library *library, size_t *count);
/// Takes NULL. No diagram with its types may live longer.
void fo_node_library_close(fo_node_library *library);

// --------------------------------------------------------------------------------------- opening

typedef struct fo_model fo_model;

typedef struct fo_model_def {
    /// A file (by the ending of its name: *.mo, *.structure.json, *.field.json, *.json; one model
    /// of a text as "shop.mo:Package.Model"; *.so and *.c: code, which is trusted and run; *.fmu:
    /// code, too, in a process of its own), or a
    /// name of the gallery ("ball", "wave-2d"): what `table` has, or a document in one of
    /// `folders`. With `text` what messages call it.
    const char *name;
    const char *text; ///< the document itself; NULL: it is found by its name
    size_t length;    ///< of the text in bytes; 0: it ends with zero
    const char *kind; ///< a name of fo_model_kind_at; NULL: as the name says

    const fo_setting *settings; ///< numbers of the model, by name; the last one of a name counts
    size_t setting_count;       ///< an unknown name is an error, so that `taken` is not needed

    fo_model_table table;         ///< models that are compiled in
    const char *const *folders;   ///< of the gallery, in the order of the search, NULL-terminated
    const char *const *libraries; ///< texts: folders with packages, NULL-terminated; may be NULL
    const char *headers;          ///< *.c: the folder that has foliot/world.h; NULL: the compiler's

    fo_program_def program;                ///< how texts and diagrams are run
    bool node_by_node;                     ///< a diagram does not become a program
    const fo_node_type *const *node_types; ///< of one's own, for diagrams; kept
    size_t node_type_count;
    bool tunable;  ///< numbers that are fixed otherwise can change in a run: each set of values
                   ///< is built when it is first used; at most 4095 sets in a run.
                   ///< The file must stay as it is
    uint64_t seed; ///< worlds that are opened for one replication of many
    uint64_t replication;
    bool catch_overflow; ///< worlds: as in fo_world_def
    fo_fmu_def fmu;      ///< how an FMU is run; its allocator is the model's
    const fo_allocator *allocator;
    const char *files; ///< diagrams: see fo_diagram_def
    bool overwrite;    ///< the same
    /// Asked again and again while the document is read and translated, from the same thread; false
    /// ends that soon, with FO_ERROR_CANCELLED. NULL: nobody asks.
    bool (*go_on)(void *self);
    void *go_on_self;
    bool no_units;            ///< texts: units that do not fit are accepted
    bool allow_external;      ///< texts: external C is compiled and runs in this process
    uint64_t most_work;       ///< texts: expressions and elements to expand; 0: 10^8
    const char *const *units; ///< FMUs that nodes of a diagram may run; kept
    size_t unit_count;
    fo_manifolds manifolds; ///< texts: how hidden constraints are kept
} fo_model_def;

/// Nothing set, the compiled models, no folder, programs as fo_default_program_def has it.
fo_model_def fo_default_model_def(void);

/// Opens a model. *model is there also after an error, without a system but with findings; it is
/// NULL only when there is no memory for it. Returns FO_OK; FO_ERROR_ARGUMENT (no such model, kind
/// or number, or a value out of its range); FO_ERROR_INPUT (a file cannot be read);
/// FO_ERROR_FORMAT (the document is wrong, or what the C compiler says of *.c); FO_ERROR_MODEL (it
/// says something that cannot be); FO_ERROR_CONVERGE and FO_ERROR_NUMBER (no start can be
/// computed); FO_ERROR_UNFIT (*.c without a C compiler, *.so for another version);
/// FO_ERROR_CANCELLED (`go_on` said so); FO_ERROR_MEMORY.
/// A text or diagram for which a compiler is missing is no error: it runs as bytecode, and the
/// findings have a note.
fo_status fo_model_open(const fo_model_def *def, fo_model **model);
/// Takes NULL. No simulation of its system may live longer.
void fo_model_close(fo_model *model);

/// What fo_model_open returned.
fo_status fo_model_status(const fo_model *model);
/// What there is to say about the document: errors, warnings, notes, in their order.
size_t fo_model_finding_count(const fo_model *model);
/// One of them, from 0; NULL beyond the last.
const fo_finding *fo_model_finding(const fo_model *model, size_t index);

/// All that is to be said about a document whose model was opened, or could not be: of a text also
/// about its other classes (fo_text_check), to which `about` gives the numbers. What `model` lacks
/// to be run, and a class that is used may lack, is a note there. Only status, kind and findings of
/// what is returned mean something: an error for one in the text. NULL without memory.
fo_model *fo_model_review(const fo_model_def *def, const fo_model *model, fo_text_review *about);

/// Finds the kind of a model and its file, without opening it: NULL when nothing is found. `path`
/// (may be NULL) gets the file, or "" where there is none.
const char *fo_model_find(const fo_model_def *def, char *path, size_t size);

// --------------------------------------------------------------------------------- how it is run

/// "text", "diagram", "structure", "field"; "library" for a world or a system that was loaded from
/// *.so or *.c; "world" and "system" for those of the definition's table; "fmu" for a Functional
/// Mock-up Unit. "" where none was found.
const char *fo_model_kind(const fo_model *model);
/// The file that it was read from, without the name of a model in it; of *.c the library that was
/// compiled from it. NULL: there is none, it is compiled in or was given as a text.
const char *fo_model_path(const fo_model *model);
/// The system, with all that was set as its defaults.
fo_system fo_model_system(const fo_model *model);
/// How it is usually run; no 0 stands for a number that would depend on where the run stops, so
/// that a longer run has the shorter one as its beginning.
fo_run_def fo_model_run_def(const fo_model *model);
/// The same with another solver (NULL: as the model has it) and without what the model wants of its
/// own solver alone, such as a step that an adaptive method is kept at.
fo_run_def fo_model_run_def_with(const fo_model *model, const char *solver);
/// Of its rows [s]; 0: every step.
double fo_model_interval(const fo_model *model);
/// "s", or what the model counts time in.
const char *fo_model_time_unit(const fo_model *model);
/// What a file of results shows: states, discretes and outputs, of large fields the outputs alone.
const fo_reference *fo_model_rows(const fo_model *model, size_t *count);
/// What a plot shows, names of signals, NULL-terminated; NULL: the model does not say.
const char *const *fo_model_plot(const fo_model *model);
/// Outputs that a run is made for, NULL-terminated; NULL: none.
const char *const *fo_model_totals(const fo_model *model);
/// What is drawn in space; NULL: nothing.
const fo_scene *fo_model_scene(const fo_model *model);
/// Whether the outcome depends on the seed.
bool fo_model_is_random(const fo_model *model);
/// How its program runs, for people: "machine code"; "" for models that are none. Returns
/// `text`.
const char *fo_model_how(const fo_model *model, char *text, size_t size);

// -------------------------------------------------------------------------------------- numbers

/// Every number that can be set when the model is opened. Those that are tunable are parameters and
/// inputs of the system, too, and can be set in a run; the others are fixed then (unless the
/// definition has `tunable`), numbers of the document by their place: "walls.Gain", "springs[1].k",
/// "gravity[2]". A unique end of such a name is enough: "k". `start` is the value that it has.
size_t fo_model_number_count(const fo_model *model);
/// One of them, from 0; NULL beyond the last.
const fo_variable *fo_model_number(const fo_model *model, size_t index);

// ---------------------------------------------------------------------------------------- files

/// Files that a run of it writes, beside what is asked for.
size_t fo_model_file_count(const fo_model *model);
/// The path of one of them, from 0; NULL beyond the last.
const char *fo_model_file(const fo_model *model, size_t index);
/// Whether they could be written, as things are: FO_OK, or why a run would be refused. Changes
/// nothing.
fo_status fo_model_check_files(const fo_model *model, fo_message *why);
enum { FO_MODEL_OTHERS = 32 };
/// The hash of what it has taken from files beside its own (libraries of a text, documents and data
/// that nodes of a diagram read), as the value of a fact (checkpoint.h): a run goes on only where
/// they say the same. FO_OK or FO_ERROR_MEMORY.
fo_status fo_model_others(const fo_model *model, char value[FO_MODEL_OTHERS], fo_message *why);
/// The files that a text was read from, its own among them and those of libraries, from 0; NULL
/// beyond the last, and for other kinds. What is built in has names that no file has.
const char *fo_model_source(const fo_model *model, size_t index);
/// Who writes them: to be one of the run's observers. False: there are none.
bool fo_model_observer(fo_model *model, fo_observer *observer);
/// Writes the last line and closes them, at the end of a run. FO_OK or FO_ERROR_INPUT.
fo_status fo_model_finish(fo_model *model, fo_message *why);

// ---------------------------------------------------------------------------------------- traces

/// Whose acts it can tell: of processes, of entities, or none.
fo_acts fo_model_acts(const fo_model *model);
/// Has every act told (trace.h), of one run of it; NULL: no more. Before the run. The trace is
/// copied. FO_OK; FO_ERROR_MEMORY.
fo_status fo_model_trace(fo_model *model, const fo_trace *trace);

// ----------------------------------------------------------------------- what it is made of

/// These are NULL for models of other kinds. Of a text: its equations, which can be printed.
fo_text_model *fo_model_text(const fo_model *model);
/// Of a diagram: its nodes and how it is evaluated.
fo_diagram *fo_model_diagram(const fo_model *model);
/// Of a structure: its document, which can be written again.
fo_structure_document *fo_model_structure(const fo_model *model);
/// Of a field: the grid.
const fo_field *fo_model_field(const fo_model *model);
/// Of an FMU: its description.
const fo_fmu *fo_model_fmu(const fo_model *model);
/// How a field is shared over time slots, and the step that its document gives [s], 0: none.
const fo_tdma_def *fo_model_tdma(const fo_model *model, double *step);
/// A world's description, its world and the record of its run.
const fo_world_model *fo_model_world(const fo_model *model, fo_world **world, void **record);

// ----------------------------------------------------------------------------------- the gallery

/// The kinds of models, one after the other: name and what its files are called, as in "a diagram
/// *.json". NULL beyond the last.
const char *fo_model_kind_at(size_t index, const char **about);

/// A model that can be opened by its name.
typedef struct fo_gallery_entry {
    const char *name, *kind, *about;
    const char *path; ///< NULL: compiled
} fo_gallery_entry;
typedef struct fo_gallery fo_gallery;

/// All models of a definition's table and folders; a file that cannot be read is listed
/// with why as its line. NULL without memory.
fo_gallery *fo_gallery_open(const fo_model_def *def, fo_message *why);
/// How many there are.
size_t fo_gallery_count(const fo_gallery *gallery);
/// One of them, from 0: those of the table first, then the documents, folder by folder.
const fo_gallery_entry *fo_gallery_get(const fo_gallery *gallery, size_t index);
/// Takes NULL.
void fo_gallery_close(fo_gallery *gallery);

#ifdef __cplusplus
}
#endif
#endif
