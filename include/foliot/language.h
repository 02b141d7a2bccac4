/// Models as text: a subset of Modelica that becomes a system at once.
#ifndef FOLIOT_LANGUAGE_H
#define FOLIOT_LANGUAGE_H

#include <stdio.h>

#include "simulation.h"
#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A model that was read: parsed, checked, flattened, sorted, and made a program.
typedef struct fo_text_model fo_text_model;

/// A value for a parameter, by its full name: it replaces whatever the text gives it. Boolean: 0 or
/// 1, enumerations: which literal, from 1.
typedef fo_setting fo_text_setting;

/// Hidden constraints between states (an index above one) are found and differentiated; then either
/// derivatives become plain variables, so that every constraint holds exactly (index reduction), or
/// constraints become sliding manifolds: a constraint g that was differentiated k times is come
/// back to as (mu d/dt + 1)^k g = 0, and what it determines follows with the time epsilon.
typedef struct fo_manifolds {
    double mu;      ///< [s]; 0: index reduction; below 0: a thousandth of the experiment's length
    double epsilon; ///< [s]; 0: solved at once; below 0: a hundredth of mu
} fo_manifolds;

typedef struct fo_text_model_def {
    const char *path;             ///< the file, or a folder with package.mo; the text's name; NULL:
                                  ///< `model` is looked for in the libraries
    const char *text;             ///< the text itself, ended with zero; NULL: `path` is read
    const char *model;            ///< dotted name of the class; NULL: the last model of the file
    const char *const *libraries; ///< folders with more packages, ended with NULL; may be NULL
    fo_text_setting *settings;    ///< also for what decides sizes, and for what follows from others
    size_t setting_count;
    FILE *messages; ///< where errors and warnings go, as a compiler prints them; NULL: nowhere
    /// Hears the same as data, finding by finding; valid only during the call. May be NULL.
    void (*found)(void *self, const fo_finding *finding);
    void *found_self;
    const fo_allocator *allocator;
    uint64_t most_work;  ///< expressions and elements to expand, then it is refused; 0: 10^8
    bool no_units;       ///< equations whose sides have different units are accepted
    bool allow_external; ///< external C is compiled with cc and runs in this process
    fo_manifolds manifolds;
} fo_text_model_def;
/// How many constraints of a text became sliding manifolds, and with which times.
uint32_t fo_text_model_manifolds(const fo_text_model *model, fo_manifolds *used);
/// No text; messages go nowhere.
fo_text_model_def fo_default_text_model_def(void);

/// Reads a model. NULL on failure: `messages` has every message, `why` the first one.
fo_text_model *fo_text_model_open(const fo_text_model_def *def, fo_message *why);
/// Takes NULL. No simulation of its system may live longer.
void fo_text_model_close(fo_text_model *model);

/// The system; valid while the model is open.
fo_system fo_text_model_system(const fo_text_model *model);

/// Ways to look at a model.
typedef enum fo_text_view {
    FO_TEXT_EQUATIONS, ///< the flat model
    FO_TEXT_SORTED,    ///< its equations in the order in which they are solved
    FO_TEXT_C,         ///< the program as C
} fo_text_view;

/// Prints the model that way. FO_ERROR_MEMORY, or FO_ERROR_INPUT when `out` does not take it.
fo_status fo_text_model_print(const fo_text_model *model, fo_text_view view, FILE *out,
                              fo_message *why);

/// A class of a package; the texts are valid during the call.
typedef struct fo_text_class {
    const char *name; ///< dotted
    const char *kind; ///< "model", "function", "package", ...
    const char *description;
    bool runs; ///< a model or a block that is not partial
} fo_text_class;
/// False: that is enough.
typedef bool fo_text_visit(void *self, const fo_text_class *about);

/// Visits all classes in the package that `def->model` names, and in the packages in it, in the
/// order of its text and of its folder's package.order. FO_ERROR_UNFIT: it is no package;
/// otherwise as fo_text_model_open.
fo_status fo_text_browse(const fo_text_model_def *def, fo_text_visit *each, void *self,
                         fo_message *why);

/// What was looked at in a text.
typedef struct fo_text_review {
    size_t classes; ///< of all kinds
    size_t models;  ///< of them complete, so that they could run, beside `def->model`
    size_t wrong;   ///< in whose own text an error was found
    bool runs;      ///< one is meant where no model is named: the last
} fo_text_review;

/// Checks all classes of a text or file: what is complete as a model that is run; what is made to
/// be used or extended (partial classes, functions, connectors, models that lack values of
/// parameters or an inner component) as far as that can be said. `def->model` is left out: it was
/// opened by itself; NULL: none was. Without a text or file it is the one class that is checked, of
/// a library. FO_OK: no errors; otherwise as fo_text_model_open.
fo_status fo_text_check(const fo_text_model_def *def, fo_text_review *about, fo_message *why);

/// Prints what the class that `def->model` names says about itself: its kind, its description and
/// its documentation, as plain text.
fo_status fo_text_document(const fo_text_model_def *def, FILE *out, fo_message *why);

#ifdef __cplusplus
}
#endif
#endif
