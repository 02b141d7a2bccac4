/// The numbers of a text that its system does not have as parameters, or has and does not offer.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_numbers.h"
#include "language/language.h"

/// The names of the system's quantities, by their hash: a search of all for each takes too long,
/// and so does sorting them where they are long and many.
typedef struct names {
    const char **slots; ///< NULL: free
    size_t mask;        ///< of the index of a slot; less than half of them are taken
} names;

static size_t slot_of(const names *all, const char *name)
{
    size_t at = (size_t)foi_hash_of(name, strlen(name), 0) & all->mask;
    while (all->slots[at] && strcmp(all->slots[at], name) != 0) at = (at + 1) & all->mask;
    return at;
}

static names all_names(const fo_text_model *m, foi_arena *arena)
{
    const fo_description *d = fo_text_model_system(m).about;
    const fo_variables v[] = {d->states, d->discretes, d->inputs, d->outputs, d->parameters};
    size_t count = 0, room = 4;
    for (size_t k = 0; k < FO_COUNT(v); k++) count += v[k].count;
    while (room <= 2 * count) room *= 2;
    names all = {foi_arena_new(arena, room, sizeof *all.slots), room - 1};
    for (size_t k = 0; k < FO_COUNT(v) && all.slots; k++)
        for (size_t i = 0; i < v[k].count; i++)
            if (v[k].list[i].name) all.slots[slot_of(&all, v[k].list[i].name)] = v[k].list[i].name;
    return all;
}

static bool is_there(const names *all, const char *name)
{
    return all->slots && all->slots[slot_of(all, name)];
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

bool foi_text_model_fixed(const fo_text_model *model, foi_arena *arena, const fo_variable **list,
                          uint32_t *count)
{
    const foi_flat *flat = foi_text_model_flat(model);
    fo_variable *made = NULL;
    names all = all_names(model, arena);
    *list = NULL, *count = 0;
    for (uint32_t i = 0; i < flat->variable_count && *count < FOI_MOST_LISTED; i++) {
        const foi_flat_variable *f = flat->variables[i];
        double value;
        if (!is_offered(f, &value) || is_there(&all, f->name)) continue;
        fo_variable *v = foi_arena_add(arena, &made, count, sizeof *v);
        *list = made;
        if (!v) break;
        *v = variable_of(f, value);
    }
    return !arena->failed;
}

bool foi_text_model_final(const fo_text_model *model, foi_arena *arena, const char ***list,
                          uint32_t *count)
{
    const foi_flat *flat = foi_text_model_flat(model);
    names all = all_names(model, arena);
    *list = NULL, *count = 0;
    for (uint32_t i = 0; i < flat->variable_count; i++) {
        const foi_flat_variable *f = flat->variables[i];
        if (!f->is_final || f->variability != FOI_PARAMETER || !is_there(&all, f->name)) continue;
        const char **to = foi_arena_add(arena, list, count, sizeof *to);
        if (!to) break;
        *to = f->name;
    }
    return !arena->failed;
}
