/// The model language: a subset of Modelica, from text to the flat model.
#ifndef FOI_LANGUAGE_H
#define FOI_LANGUAGE_H

#include <foliot/language.h>

#include "base/arena.h"
#include "equations/flat.h"
#include "language/message.h"
#include "simulation/experiment.h"

/// What to load, and how much it may take: every text may be hostile.
typedef struct foi_language_def {
    const fo_allocator *allocator; ///< NULL: the heap
    const char *path;              ///< the file, or a folder with package.mo; the text's name
    const char *text;              ///< the text itself, ended with zero; NULL: `path` is read
    const char *model;             ///< dotted name; NULL: the last model of the file
    const char *const *libraries;  ///< folders with more packages, ended with NULL; may be NULL
    fo_text_setting *settings;     ///< values of parameters
    size_t setting_count;
    bool no_files;       ///< read no file but `path`
    bool no_units;       ///< units are not checked
    bool allow_external; ///< external C is compiled and called
    uint64_t most_work;  ///< expressions and elements to expand
    size_t most_memory;  ///< bytes, each for syntax and for the flat model
} foi_language_def;

/// 10^8 expansions and 4 GiB: far beyond 100,000 equations.
foi_language_def foi_default_language_def(void);

/// Parses, checks and flattens. FO_OK: `*flat` is the model, for foi_flat_destroy; `messages` may
/// hold warnings. Otherwise `*flat` is NULL and `messages` says why: FO_ERROR_FORMAT (the text is
/// wrong), FO_ERROR_INPUT (a file cannot be read), FO_ERROR_MEMORY. `messages` was begun by the
/// caller.
fo_status foi_language_load(const foi_language_def *def, foi_flat **flat, foi_messages *messages);

/// Looks at all classes of the text; `def->model` was opened by itself already (NULL: none).
/// `whole` sees the other models that are complete, while it returns true: they are the session's
/// and last until it returns, and it may add to the session's messages. What is
/// found is in `messages`; the status is that of the text as a whole, as in foi_language_load.
typedef bool foi_whole_visit(void *self, foi_flat *flat);
fo_status foi_language_review(const foi_language_def *def, foi_whole_visit *whole, void *self,
                              fo_text_review *about, foi_messages *messages);

struct foi_session;
struct foi_class;
/// Reads what `def` names and hands the class over, which is not looked into. What is wrong is said
/// in `why`, and as in fo_text_model_open.
typedef bool foi_class_visit(struct foi_session *s, struct foi_class *c, void *data);
fo_status foi_language_visit(const fo_text_model_def *def, foi_class_visit *act, void *data,
                             fo_message *why);

/// Visits what may stand behind a dot: the classes of the package that `def->model` names, or the
/// components and literals of the class; `rest` goes on with components, "" does not.
fo_status foi_text_members(const fo_text_model_def *def, const char *rest, fo_text_visit *each,
                           void *self, fo_message *why);

/// Visits the packages in these folders, ended with NULL, by their names: those of folders with a
/// package.mo, and of files. Nothing is read.
void foi_text_libraries(const char *const *folders, fo_text_visit *each, void *self);

/// Writes what fo_text_model_print prints.
fo_status foi_text_model_write(const fo_text_model *model, fo_text_view view,
                               foi_flat_writer *writer, fo_message *why);

/// As fo_text_model_open. Where the text says the same as that of `like` (NULL: there is none) but
/// for numbers of parameters that its program does not depend on, that program is borrowed: `like`
/// must be closed after this one then. One that borrows itself lends nothing.
fo_text_model *foi_text_model_open_like(const fo_text_model_def *def, const fo_text_model *like,
                                        fo_message *why);
bool foi_text_model_borrows(const fo_text_model *model);

/// The flat model of a model that is open.
const foi_flat *foi_text_model_flat(const fo_text_model *model);

/// What the model's experiment annotation says; what it does not say is a run of one second in 500
/// rows. The tolerance is rtol, and a thousandth of it atol.
foi_experiment foi_text_model_experiment(const fo_text_model *model);

/// Parameters that can be set when the text is read, and that its system does not have: what has
/// decided a size, and what follows from others. The list is the arena's, its texts are the
/// model's. False when memory is lacking.
bool foi_text_model_fixed(const fo_text_model *model, foi_arena *arena, const fo_variable **list,
                          uint32_t *count);
/// Names of the final parameters that its system has: they cannot be set.
bool foi_text_model_final(const fo_text_model *model, foi_arena *arena, const char ***list,
                          uint32_t *count);

#endif
