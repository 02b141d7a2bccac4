/// Models as text: *.mo, or a folder with package.mo; *.mo:Package.Model for one of several; the
/// name of a model in a library, Package.Model.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "language/language.h"
#include "model/model.h"

// A model of a library: Package.Part.Model, with no ending that a file has.
static bool is_class(const char *name, const char **end)
{
    static const char *const endings[] = {"c", "so", "json", "csv", "mo", "txt", "fmu"};
    const char *last = name;
    bool dotted = false;
    for (const char *c = name; *c; c++) {
        bool first = c == name || c[-1] == '.';
        if (*c == '.' && !first) {
            dotted = true, last = c + 1;
        } else if (!(isalpha((unsigned char)*c) || *c == '_' ||
                     (!first && isdigit((unsigned char)*c)))) {
            return false;
        }
    }
    for (size_t i = 0; i < FO_COUNT(endings); i++)
        if (strcmp(last, endings[i]) == 0) return false;
    *end = name + strlen(name);
    return dotted && *last && isupper((unsigned char)*name);
}

// Where the name of the file ends: after its last ".mo" that nothing or a ':' follows.
static bool meant(const char *name, const char **end)
{
    const char *found = NULL;
    for (const char *c = name; (c = strstr(c, ".mo")); c += 3)
        if (c > name && (c[3] == 0 || c[3] == ':')) found = c + 3;
    if (found) *end = found;
    return found || is_class(name, end);
}

static void take_finding(void *self, const fo_finding *f)
{
    foi_model_add_finding(self, f, NULL);
}

static fo_status list_numbers(fo_model *m, fo_message *why)
{
    bool fine = foi_text_model_fixed(m->text, &m->arena, &m->fixed, &m->fixed_count) &&
                foi_text_model_final(m->text, &m->arena, &m->hidden, &m->hidden_count);
    return fine ? FO_OK : fo_fail(why, FO_ERROR_MEMORY, "no memory for the numbers of a model");
}

static fo_status open(fo_model *m, const fo_model_def *def, fo_message *why)
{
    fo_text_model_def text = {.path = m->path,
                              .text = def->text,
                              .model = def->name,
                              .libraries = def->libraries,
                              .settings = m->settings,
                              .setting_count = m->setting_count,
                              .found = take_finding,
                              .found_self = m,
                              .allocator = m->allocator,
                              .no_units = def->no_units,
                              .allow_external = def->allow_external,
                              .most_work = def->most_work,
                              .manifolds = def->manifolds};
    const char *end;
    if (!def->text && is_class(m->path, &end)) text.path = NULL, text.model = m->path;
    m->text = foi_text_model_open_like(&text, m->like ? m->like->text : NULL, why);
    if (!m->text) return why->status;
    m->system = fo_text_model_system(m->text);
    m->experiment = foi_text_model_experiment(m->text);
    fo_status status = foi_model_add_units(m, def, why);
    return status == FO_OK ? list_numbers(m, why) : status;
}

const foi_model_kind foi_kind_text = {
    .name = "text", .about = "a text *.mo", .ending = ".mo", .meant = meant, .open = open};
