#include "cli/model.h"

#include <gallery.h>
#include <string.h>
#include <worlds/worlds.h>

#include "base/text.h"

/// A kind of models: whether an argument is meant to be one, and how it is opened.
typedef struct model_kind {
    const char *about; ///< "a name of `foliot models`"
    bool (*meant)(const char *argument);
    bool (*open)(const char *argument, model *m, fo_message *why);
    bool file;    ///< mistakes are in the file, not on the command line
    bool reports; ///< prints its own messages
} model_kind;

static bool gallery_meant(const char *argument)
{
    return !strpbrk(argument, "/\\.") && !world_meant(argument);
}

// The nearest name of all that 'foliot models' lists.
static bool no_such_model(const char *argument, fo_message *why)
{
    foi_nearest nearest = foi_nearest_to(argument);
    for (size_t i = 0; i < gallery_count(); i++)
        foi_nearest_try(&nearest, gallery_get(i)->system.about->name);
    for (size_t i = 0; i < world_count(); i++) foi_nearest_try(&nearest, world_get(i)->name);
    const char *hint = foi_nearest_hint(&nearest);
    fo_fail(why, FO_ERROR_ARGUMENT, "the gallery has no model '%s'%s", argument,
            *hint ? hint
                  : "; 'foliot models' lists them, and files are named with their ending, as in "
                    "wave.field.json");
    return false;
}

static bool gallery_open(const char *argument, model *m, fo_message *why)
{
    const gallery_model *found = gallery_find(argument, why);
    if (!found) return no_such_model(argument, why);
    *m = (model){.system = found->system,
                 .stop = found->stop,
                 .interval = found->interval,
                 .solver = found->solver,
                 .rtol = found->rtol,
                 .atol = found->atol,
                 .plot = found->plot};
    return true;
}

static const model_kind kinds[] = {
    {"a name that 'foliot models' lists", gallery_meant, gallery_open},
    {"a world of processes among them", world_meant, world_open},
    {"a text *.mo", text_meant, text_open, .file = true, .reports = true},
    {"a document *.structure.json", structure_meant, structure_open, .file = true},
    {"a document *.field.json", field_meant, field_open, .file = true},
    {"a diagram *.json", diagram_meant, diagram_open, .file = true},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// A file of a kind that nobody knows.
static void complain_unknown(const command *c, const char *argument)
{
    char known[512] = "";
    for (size_t i = 0; i < KINDS; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", or " : "", kinds[i].about);
    }
    complain_usage(c, "'%s' is no model that can be read; MODEL is %s", argument, known);
}

bool model_open(const command *c, const char *argument, model *m)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (!kinds[i].meant(argument)) continue;
        fo_message why = {0};
        if (kinds[i].open(argument, m, &why)) return true;
        m->exit_status = kinds[i].file ? EXIT_FAILED : EXIT_USAGE;
        if (!kinds[i].file)
            complain_usage(c, "%s", why.text);
        else if (!kinds[i].reports)
            complain(c, "%s", why.text);
        return false;
    }
    m->exit_status = EXIT_USAGE;
    complain_unknown(c, argument);
    return false;
}

void model_close(model *m)
{
    if (m->close) m->close(m->owner);
    *m = (model){0};
}

const char *model_operand(const command *c, const operands *rest)
{
    if (rest->count == 1) return rest->list[0];
    if (rest->count == 0) complain_usage(c, "needs a MODEL; 'foliot models' lists them");
    if (rest->count > 1)
        complain_usage(c, "expected one MODEL, found one more argument: '%s'", rest->list[1]);
    return NULL;
}
