/// A Hamiltonian in a document.
#include <string.h>

#include "structure/document.h"

/// The lists of a definition while they are read.
typedef struct lists {
    const char **names;
    double *start, *coefficients;
    uint32_t *counts, *variables;
} lists;

// Numbers that are indices or counts.
static fo_status read_whole(const foi_fields *f, const foi_json_value *list, uint32_t *to)
{
    for (const foi_json_value *v = list ? list->first : NULL; v; v = v->next) {
        if (v->kind != FOI_JSON_NUMBER || !(v->number >= 0 && v->number < 1e9) ||
            v->number != (uint32_t)v->number)
            return foi_json_refuse(f->json, v, f->why, "expected a whole number from 0 on");
        to[v->index] = (uint32_t)v->number;
    }
    return FO_OK;
}

static fo_status read_reals(const foi_fields *f, const foi_json_value *list, double *to)
{
    fo_status status = FO_OK;
    for (const foi_json_value *v = list ? list->first : NULL; v && status == FO_OK; v = v->next)
        status = foi_number_in(f, v, FOI_ANY, &to[v->index]);
    return status;
}

static fo_status read_names(const foi_fields *f, const foi_json_value *list, const char **to)
{
    for (const foi_json_value *v = list->first; v; v = v->next) {
        fo_status status = foi_expect(f, v, FOI_JSON_TEXT);
        if (status != FO_OK) return status;
        to[v->index] = v->text;
    }
    return FO_OK;
}

static size_t count_of(const foi_json_value *list)
{
    return list ? list->count : 0;
}

static fo_status check_counts(const foi_fields *f, const foi_json_value *coefficients,
                              const foi_json_value *counts, const foi_json_value *variables,
                              const uint32_t *count)
{
    uint64_t all = 0;
    if (count_of(coefficients) != count_of(counts))
        return foi_json_refuse(f->json, counts ? counts : coefficients, f->why,
                               "there are %zu coefficients and %zu counts", count_of(coefficients),
                               count_of(counts));
    for (size_t i = 0; i < count_of(counts); i++) all += count[i];
    if (all != count_of(variables))
        return foi_json_refuse(f->json, variables ? variables : counts, f->why,
                               "the counts ask for %llu variables, found %zu",
                               (unsigned long long)all, count_of(variables));
    return FO_OK;
}

static fo_status read_lists(const foi_fields *f, const foi_json_value *root, lists *l,
                            fo_hamiltonian_def *def)
{
    const foi_json_value *names, *start, *coefficients, *counts, *variables;
    const fo_allocator *a = f->allocator;
    fo_status status = foi_field_list(f, root, "states", &names);
    if (status == FO_OK) status = foi_field_list(f, root, "start", &start);
    if (status == FO_OK) status = foi_field_list(f, root, "coefficients", &coefficients);
    if (status == FO_OK) status = foi_field_list(f, root, "counts", &counts);
    if (status == FO_OK) status = foi_field_list(f, root, "variables", &variables);
    if (status != FO_OK) return status;
    if (!names) return foi_json_refuse(f->json, root, f->why, "the field 'states' is missing");
    if (start && start->count != names->count)
        return foi_json_refuse(f->json, start, f->why, "expected %zu numbers, found %zu",
                               names->count, start->count);
    l->names = foi_new(a, names->count, sizeof *l->names);
    l->start = foi_new(a, names->count, sizeof *l->start);
    l->coefficients = foi_new(a, count_of(coefficients), sizeof *l->coefficients);
    l->counts = foi_new(a, count_of(counts), sizeof *l->counts);
    l->variables = foi_new(a, count_of(variables), sizeof *l->variables);
    if (!l->names || !l->start || !l->coefficients || !l->counts || !l->variables)
        return fo_fail(f->why, FO_ERROR_MEMORY, "no memory for an energy");
    status = read_names(f, names, l->names);
    if (status == FO_OK) status = read_reals(f, start, l->start);
    if (status == FO_OK) status = read_reals(f, coefficients, l->coefficients);
    if (status == FO_OK) status = read_whole(f, counts, l->counts);
    if (status == FO_OK) status = read_whole(f, variables, l->variables);
    if (status == FO_OK) status = check_counts(f, coefficients, counts, variables, l->counts);
    def->states = (uint32_t)names->count;
    def->names = l->names, def->start = l->start;
    def->coefficients = l->coefficients, def->counts = l->counts, def->variables = l->variables;
    def->terms = count_of(coefficients);
    return status;
}

fo_hamiltonian *foi_read_hamiltonian(const foi_fields *f, const foi_json_value *root)
{
    static const char *const keys[] = {"hamiltonian", "about",    "states",       "block",
                                       "start",       "energy",   "coefficients", "counts",
                                       "variables",   "friction", "run",          NULL};
    lists l = {0};
    fo_hamiltonian *h = NULL;
    fo_hamiltonian_def def = {.allocator = f->allocator};
    fo_status status = foi_fields_known(f, root, keys);
    if (status == FO_OK) status = foi_field_text(f, root, "hamiltonian", true, &def.name);
    if (status == FO_OK) status = foi_field_text(f, root, "about", false, &def.about);
    if (status == FO_OK) status = foi_field_count(f, root, "block", false, &def.block);
    if (status == FO_OK) status = foi_field_text(f, root, "energy", false, &def.energy);
    if (status == FO_OK)
        status = foi_field_number(f, root, "friction", false, FOI_NOT_NEGATIVE, &def.friction);
    if (status == FO_OK) status = read_lists(f, root, &l, &def);
    if (status == FO_OK) h = fo_hamiltonian_create(&def, f->why);
    if (status == FO_OK && !h && f->why && f->why->status != FO_ERROR_MEMORY)
        foi_at(f, root, FO_ERROR_ARGUMENT);
    foi_free(f->allocator, l.names);
    foi_free(f->allocator, l.start);
    foi_free(f->allocator, l.coefficients);
    foi_free(f->allocator, l.counts);
    foi_free(f->allocator, l.variables);
    return h;
}
