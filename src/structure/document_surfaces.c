/// Bending, volumes and skins in a document.
#include "structure/document.h"

enum { MOST_BENDING = 16 };

// {"nodes": [1, 2, 3], "coefficients": [1, -2, 1], "k": 5}
static void read_bend(foi_reader *r, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"nodes", "coefficients", "k", NULL};
    uint32_t nodes[MOST_BENDING];
    double coefficients[MOST_BENDING];
    if (!foi_read_keys(r, v, keys)) return;
    for (int i = 0; keys[i]; i++)
        if (!foi_read_needed(r, v, keys[i])) return;
    const foi_json_value *e = foi_read_items(r, v, "nodes");
    const foi_json_value *list = foi_json_member(v, "nodes");
    fo_bend_def def = {nodes, coefficients, (uint32_t)list->count,
                       foi_read_number_in(r, v, "k", FOI_POSITIVE, 0)};
    if (list->count < 1 || list->count > MOST_BENDING)
        foi_read_refuse(r, list, "bending needs 1 to %d nodes, found %zu", MOST_BENDING,
                        list->count);
    if (r->status) return;
    for (; e && !r->status; e = e->next) nodes[e->index] = foi_read_node(r, s, e);
    foi_read_vector(r, v, "coefficients", (int)list->count, coefficients);
    if (!r->status) foi_read_answer(r, v, fo_structure_add_bend(s, &def, r->why));
}

void foi_read_bends(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    for (const foi_json_value *v = foi_read_items(r, root, "bends"); v && !r->status; v = v->next)
        read_bend(r, s, v);
}

// [[1, 2], [2, 3], ...]: as many nodes in each as there are dimensions.
static const uint32_t *read_facets(foi_reader *r, fo_structure *s, const foi_json_value *v,
                                   uint32_t *count)
{
    size_t dim = (size_t)s->dim;
    if (!foi_read_needed(r, v, "facets")) return NULL;
    const foi_json_value *facet = foi_read_items(r, v, "facets");
    size_t facets = facet ? facet->parent->count : 0;
    uint32_t *nodes = foi_read_room(r, facets * dim, sizeof *nodes);
    *count = (uint32_t)facets;
    for (; facet && !r->status; facet = facet->next) {
        if (facet->kind != FOI_JSON_LIST || facet->count != dim) {
            foi_read_refuse(r, facet, "expected a list of %zu nodes", dim);
            return NULL;
        }
        for (const foi_json_value *e = facet->first; e && !r->status; e = e->next)
            nodes[facet->index * dim + e->index] = foi_read_node(r, s, e);
    }
    return nodes;
}

// {"facets": [...], "law": "gas", "value": 1e5}
void foi_read_volumes(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    static const char *const keys[] = {"facets", "law", "value", NULL};
    static const char *const laws[] = {"bulk", "pressure", "gas", NULL};
    for (const foi_json_value *v = foi_read_items(r, root, "volumes"); v && !r->status;
         v = v->next) {
        fo_volume_def def = {0};
        if (!foi_read_keys(r, v, keys) || !foi_read_needed(r, v, "law") ||
            !foi_read_needed(r, v, "value"))
            return;
        def.facets = read_facets(r, s, v, &def.count);
        def.law = (fo_volume_law)foi_read_word(r, foi_json_member(v, "law"), laws);
        def.value = foi_read_number(r, v, "value", 0);
        if (!r->status) foi_read_answer(r, v, fo_structure_add_volume(s, &def, r->why));
    }
}

// {"facets": [...], "tension": 10, "modulus": 100}
void foi_read_skins(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    static const char *const keys[] = {"facets", "tension", "modulus", NULL};
    for (const foi_json_value *v = foi_read_items(r, root, "skins"); v && !r->status; v = v->next) {
        fo_skin_def def = {0};
        if (!foi_read_keys(r, v, keys)) return;
        def.facets = read_facets(r, s, v, &def.count);
        def.tension = foi_read_number_in(r, v, "tension", FOI_POSITIVE, 0);
        def.modulus = foi_read_number(r, v, "modulus", 0);
        if (!r->status) foi_read_answer(r, v, fo_structure_add_skin(s, &def, r->why));
    }
}
