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

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/// The names of the system's quantities in order: a search of all for each takes too long.
typedef struct names {
    const char **list; ///< NULL: no memory
    size_t count;
} names;

static names all_names(const fo_model *m)
{
    const fo_description *d = m->system.about;
    const fo_variables v[] = {d->states, d->discretes, d->inputs, d->outputs, d->parameters};
    size_t most = 1;
    for (size_t k = 0; k < FO_COUNT(v); k++) most += v[k].count;
    names all = {foi_new(m->allocator, most, sizeof *all.list), 0};
    for (size_t k = 0; k < FO_COUNT(v) && all.list; k++)
        for (size_t i = 0; i < v[k].count; i++)
            if (v[k].list[i].name) all.list[all.count++] = v[k].list[i].name;
    if (all.count) qsort(all.list, all.count, sizeof *all.list, by_text);
    return all;
}

static bool is_there(const fo_model *m, const names *all, const char *name)
{
    fo_reference found;
    if (!all->list) return fo_system_find(m->system, name, &found, NULL) == FO_OK;
    return all->count && bsearch(&name, all->list, all->count, sizeof *all->list, by_text);
}

// Parameters that the system does not have: what has decided a size, and what follows from others.
static void list_fixed(fo_model *m)
{
    const foi_flat *flat = foi_text_model_flat(m->text);
    fo_variable *list = NULL;
    names all = all_names(m);
    for (uint32_t i = 0; i < flat->variable_count && m->fixed_count < FOI_MOST_LISTED; i++) {
        const foi_flat_variable *f = flat->variables[i];
        double value;
        bool listed = f->variability == FOI_PARAMETER && f->type != FOI_STRING &&
                      !f->is_protected && f->binding &&
                      foi_flat_evaluate(f->binding, false, &value);
        if (!listed || is_there(m, &all, f->name)) continue;
        fo_variable *v = foi_arena_add(&m->arena, &list, &m->fixed_count, sizeof *v);
        m->fixed = list;
        if (!v) break;
        bool literal = f->binding->op == FOI_OP_LITERAL;
        *v = (fo_variable){.name = f->name,
                           .unit = f->unit,
                           .start = value,
                           .about = f->description,
                           .causality = literal ? FO_CAUSALITY_PARAMETER : FO_CAUSALITY_CALCULATED,
                           .variability = FO_VARIABILITY_FIXED,
                           .type = f->literals              ? FO_ENUMERATION
                                   : f->type == FOI_INTEGER ? FO_INTEGER
                                   : f->type == FOI_BOOLEAN ? FO_BOOLEAN
                                                            : FO_REAL,
                           .display_unit = f->display_unit};
    }
    foi_free(m->allocator, all.list);
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
                              .allocator = m->allocator};
    const char *end;
    if (!def->text && is_class(m->path, &end)) text.path = NULL, text.model = m->path;
    m->text = fo_text_model_open(&text, why);
    if (!m->text) return why->status;
    m->system = fo_text_model_system(m->text);
    m->experiment = fo_text_model_experiment(m->text);
    list_fixed(m);
    return FO_OK;
}

const foi_model_kind foi_kind_text = {
    .name = "text", .about = "a text *.mo", .ending = ".mo", .meant = meant, .open = open};
