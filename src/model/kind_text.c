/// Models as text: *.mo, or a folder with package.mo; *.mo:Package.Model for one of several.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "language/language.h"
#include "model/model.h"

// Where the name of the file ends: after its last ".mo" that nothing or a ':' follows.
static bool meant(const char *name, const char **end)
{
    const char *found = NULL;
    for (const char *c = name; (c = strstr(c, ".mo")); c += 3)
        if (c > name && (c[3] == 0 || c[3] == ':')) found = c + 3;
    if (found) *end = found;
    return found != NULL;
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

static uint32_t count_literals(const foi_flat_variable *f)
{
    uint32_t count = 0;
    while (f->literals[count]) count++;
    return count;
}

// Both bounds, where there is one: no bound at all is 0 and 0.
static void take_bounds(const foi_flat_variable *f, fo_variable *v)
{
    double min = -INFINITY, max = INFINITY;
    if (f->literals) {
        v->min = 1, v->max = count_literals(f);
        return;
    }
    bool below = f->min && foi_flat_evaluate(f->min, false, &min);
    bool above = f->max && foi_flat_evaluate(f->max, false, &max);
    if (below || above) v->min = min, v->max = max;
}

static fo_variable variable_of(const foi_flat_variable *f, double value)
{
    bool literal = f->binding->op == FOI_OP_LITERAL;
    fo_variable v = {.name = f->name,
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
    take_bounds(f, &v);
    return v;
}

// What can be set: neither protected nor final, and a number.
static bool is_offered(const foi_flat_variable *f, double *value)
{
    return f->variability == FOI_PARAMETER && f->type != FOI_STRING && !f->is_protected &&
           !f->is_final && f->binding && foi_flat_evaluate(f->binding, false, value);
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
        if (!is_offered(f, &value) || is_there(m, &all, f->name)) continue;
        fo_variable *v = foi_arena_add(&m->arena, &list, &m->fixed_count, sizeof *v);
        m->fixed = list;
        if (!v) break;
        *v = variable_of(f, value);
    }
    foi_free(m->allocator, all.list);
}

// Final parameters that the system has are not offered.
static void list_final(fo_model *m)
{
    const foi_flat *flat = foi_text_model_flat(m->text);
    names all = all_names(m);
    for (uint32_t i = 0; i < flat->variable_count; i++) {
        const foi_flat_variable *f = flat->variables[i];
        if (!f->is_final || f->variability != FOI_PARAMETER || !is_there(m, &all, f->name))
            continue;
        const char **to = foi_arena_add(&m->arena, &m->hidden, &m->hidden_count, sizeof *to);
        if (to) *to = f->name;
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
    m->text = fo_text_model_open(&text, why);
    if (!m->text) return why->status;
    m->system = fo_text_model_system(m->text);
    m->experiment = foi_text_model_experiment(m->text);
    list_fixed(m);
    list_final(m);
    return FO_OK;
}

const foi_model_kind foi_kind_text = {
    .name = "text", .about = "a text *.mo", .ending = ".mo", .meant = meant, .open = open};
