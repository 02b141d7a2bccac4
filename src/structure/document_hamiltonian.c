/// A Hamiltonian in a document.
#include <string.h>

#include "structure/document.h"

static size_t count_of(const foi_json_value *list)
{
    return list ? list->count : 0;
}

static const foi_json_value *list_of(foi_reader *r, const foi_json_value *root, const char *key)
{
    const foi_json_value *list = foi_json_member(root, key);
    return list && foi_read_is(r, list, FOI_JSON_LIST) ? list : NULL;
}

static const double *read_reals(foi_reader *r, const foi_json_value *list)
{
    double *to = foi_read_room(r, count_of(list), sizeof *to);
    for (const foi_json_value *v = list ? list->first : NULL; v && !r->status; v = v->next)
        to[v->index] = foi_read_value(r, v, FOI_ANY);
    return to;
}

// Numbers that are indices or counts.
static const uint32_t *read_wholes(foi_reader *r, const foi_json_value *list)
{
    uint32_t *to = foi_read_room(r, count_of(list), sizeof *to);
    for (const foi_json_value *v = list ? list->first : NULL; v && !r->status; v = v->next)
        to[v->index] = foi_read_whole(r, v);
    return to;
}

static const char *const *read_names(foi_reader *r, const foi_json_value *list)
{
    const char **to = foi_read_room(r, count_of(list), sizeof *to);
    for (const foi_json_value *v = list->first; v && !r->status; v = v->next)
        if (foi_read_is(r, v, FOI_JSON_TEXT)) to[v->index] = v->text;
    return to;
}

static void check_counts(foi_reader *r, const foi_json_value *coefficients,
                         const foi_json_value *counts, const foi_json_value *variables,
                         const uint32_t *count)
{
    uint64_t all = 0;
    if (count_of(coefficients) != count_of(counts)) {
        foi_read_refuse(r, counts ? counts : coefficients,
                        "there are %zu coefficients and %zu counts", count_of(coefficients),
                        count_of(counts));
        return;
    }
    for (size_t i = 0; i < count_of(counts); i++) all += count[i];
    if (all != count_of(variables))
        foi_read_refuse(r, variables ? variables : counts,
                        "the counts ask for %llu variables, found %zu", (unsigned long long)all,
                        count_of(variables));
}

static void read_lists(foi_reader *r, const foi_json_value *root, fo_hamiltonian_def *def)
{
    const foi_json_value *names = foi_read_needed(r, root, "states");
    const foi_json_value *start = list_of(r, root, "start");
    const foi_json_value *coefficients = list_of(r, root, "coefficients");
    const foi_json_value *counts = list_of(r, root, "counts");
    const foi_json_value *variables = list_of(r, root, "variables");
    if (!names || !foi_read_is(r, names, FOI_JSON_LIST)) return;
    if (start && start->count != names->count)
        foi_read_refuse(r, start, "expected %zu numbers, found %zu", names->count, start->count);
    def->states = (uint32_t)names->count;
    def->names = read_names(r, names);
    if (start) def->start = read_reals(r, start);
    def->coefficients = read_reals(r, coefficients);
    def->counts = read_wholes(r, counts);
    def->variables = read_wholes(r, variables);
    def->terms = count_of(coefficients);
    if (!r->status) check_counts(r, coefficients, counts, variables, def->counts);
}

fo_hamiltonian *foi_read_hamiltonian(foi_reader *r, const foi_json_value *root)
{
    static const char *const keys[] = {
        "hamiltonian", "about",     "states",   "block", "start",   "energy", "coefficients",
        "counts",      "variables", "friction", "run",   "sliders", NULL};
    fo_hamiltonian_def def = {.allocator = r->allocator};
    if (!foi_read_keys(r, root, keys) || !foi_read_sliders(r, root)) return NULL;
    def.name = foi_read_text(r, root, "hamiltonian");
    def.about = foi_read_text(r, root, "about");
    def.block = foi_read_count(r, root, "block");
    def.energy = foi_read_text(r, root, "energy");
    def.friction = foi_read_number_in(r, root, "friction", FOI_NOT_NEGATIVE, 0);
    if (!r->status) read_lists(r, root, &def);
    if (r->status) return NULL;
    fo_hamiltonian *h = fo_hamiltonian_create(&def, r->why);
    if (!h) {
        bool memory = r->why->status == FO_ERROR_MEMORY;
        foi_read_answer(r, root, memory ? FO_ERROR_MEMORY : FO_ERROR_ARGUMENT);
    }
    return h;
}
