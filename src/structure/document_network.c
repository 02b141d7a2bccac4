/// Nodes, springs, the matrix and the document's lattices in a document.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "structure/document.h"

fo_status foi_read_node(const foi_fields *f, const fo_structure *s, const foi_json_value *v,
                        uint32_t *node)
{
    uint32_t nodes = fo_structure_nodes(s);
    if (v->kind == FOI_JSON_NUMBER) {
        if (v->number >= 1 && v->number <= nodes && v->number == (uint32_t)v->number) {
            *node = (uint32_t)v->number - 1;
            return FO_OK;
        }
        return foi_json_refuse(f->json, v, f->why, "there is no node %g, only 1 to %u", v->number,
                               nodes);
    }
    fo_status status = foi_expect(f, v, FOI_JSON_TEXT);
    if (status != FO_OK) return status;
    *node = fo_structure_find(s, v->text);
    if (*node != UINT32_MAX) return FO_OK;
    foi_nearest nearest = foi_nearest_to(v->text);
    for (uint32_t i = 0; i < nodes; i++)
        if (s->names[i]) foi_nearest_try(&nearest, s->names[i]);
    return foi_json_refuse(f->json, v, f->why, "there is no node '%.40s'%s", v->text,
                           foi_nearest_hint(&nearest));
}

fo_status foi_read_fixed(const foi_fields *f, const foi_json_value *object, const char *key,
                         unsigned *fixed)
{
    const foi_json_value *v = foi_json_member(object, key);
    *fixed = 0;
    if (!v) return FO_OK;
    if (v->kind == FOI_JSON_TRUTH) {
        *fixed = v->truth ? FO_FIXED : 0;
        return FO_OK;
    }
    if (v->kind == FOI_JSON_TEXT) {
        for (const char *c = v->text; *c; c++)
            if (*c >= 'x' && *c <= 'z')
                *fixed |= 1u << (*c - 'x');
            else
                *fixed = 8;
        if (*fixed && *fixed < 8) return FO_OK;
    }
    return foi_json_refuse(f->json, v, f->why,
                           "expected true, false or the fixed directions like \"x\" or \"xy\"");
}

// ----------------------------------------------------------------------------------------- nodes

static fo_status read_node(const foi_fields *f, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"name", "at", "mass", "velocity", "fixed", NULL};
    fo_node_def def = {0};
    fo_status status = foi_fields_known(f, v, keys);
    if (status == FO_OK) status = foi_field_text(f, v, "name", false, &def.name);
    if (status == FO_OK) status = foi_field_vector(f, v, "at", true, s->dim, def.position);
    if (status == FO_OK) status = foi_field_vector(f, v, "velocity", false, s->dim, def.velocity);
    if (status == FO_OK) status = foi_read_fixed(f, v, "fixed", &def.fixed);
    if (status == FO_OK)
        status =
            foi_field_number(f, v, "mass", (def.fixed & 7) != 7,
                             def.fixed == FO_FIXED ? FOI_NOT_NEGATIVE : FOI_POSITIVE, &def.mass);
    if (status == FO_OK && def.name && fo_structure_find(s, def.name) != UINT32_MAX)
        return foi_json_refuse(f->json, foi_json_member(v, "name"), f->why,
                               "the name '%.40s' is taken", def.name);
    return status == FO_OK ? foi_at(f, v, fo_structure_add_node(s, &def, NULL, f->why)) : status;
}

fo_status foi_read_nodes(const foi_fields *f, fo_structure *s, const foi_json_value *root)
{
    const foi_json_value *list;
    fo_status status = foi_field_list(f, root, "nodes", &list);
    for (const foi_json_value *v = list ? list->first : NULL; v && status == FO_OK; v = v->next)
        status = read_node(f, s, v);
    return status;
}

// --------------------------------------------------------------------------------------- springs

static fo_status read_spring(const foi_fields *f, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"between", "k",      "energy", "length",
                                       "breaks",  "yields", NULL};
    static const char *const energies[] = {"squares", "lengths", NULL};
    fo_spring_def def = {0};
    int energy = FO_SPRING_SQUARES;
    fo_status status = foi_fields_known(f, v, keys);
    if (status != FO_OK) return status;
    const foi_json_value *between = foi_json_member(v, "between");
    if (!between || between->kind != FOI_JSON_LIST || between->count != 2)
        return foi_json_refuse(f->json, between ? between : v, f->why,
                               "expected 'between' with two nodes");
    status = foi_read_node(f, s, between->first, &def.a);
    if (status == FO_OK) status = foi_read_node(f, s, between->first->next, &def.b);
    if (status == FO_OK) status = foi_field_number(f, v, "k", true, FOI_POSITIVE, &def.k);
    if (status == FO_OK) status = foi_field_choice(f, v, "energy", energies, &energy);
    if (status == FO_OK)
        status = foi_field_number(f, v, "length", false, FOI_POSITIVE, &def.length);
    if (status == FO_OK)
        status = foi_field_number(f, v, "breaks", false, FOI_POSITIVE, &def.breaks);
    if (status == FO_OK)
        status = foi_field_number(f, v, "yields", false, FOI_POSITIVE, &def.yields);
    def.energy = (fo_spring_energy)energy;
    return status == FO_OK ? foi_at(f, v, fo_structure_add_spring(s, &def, NULL, f->why)) : status;
}

fo_status foi_read_springs(const foi_fields *f, fo_structure *s, const foi_json_value *root)
{
    const foi_json_value *list;
    fo_status status = foi_field_list(f, root, "springs", &list);
    for (const foi_json_value *v = list ? list->first : NULL; v && status == FO_OK; v = v->next)
        status = read_spring(f, s, v);
    return status;
}

// ------------------------------------------------------------------------------------ the matrix

// {"values": [[m, d, ...], [k, m, ...], ...], "at": [[x, y], ...]}
static fo_status fill_matrix(const foi_fields *f, fo_structure *s, const foi_json_value *v,
                             double *matrix, double *positions, size_t n)
{
    const foi_json_value *values = foi_json_member(v, "values"), *at = foi_json_member(v, "at");
    fo_status status = FO_OK;
    if (at->count != n)
        return foi_json_refuse(f->json, at, f->why, "expected %zu positions, found %zu", n,
                               at->count);
    for (const foi_json_value *row = values->first; row && status == FO_OK; row = row->next) {
        if (row->kind != FOI_JSON_LIST || row->count != n)
            return foi_json_refuse(f->json, row, f->why, "expected a list of %zu numbers", n);
        for (const foi_json_value *e = row->first; e && status == FO_OK; e = e->next)
            status = foi_number_in(f, e, e->index == row->index ? FOI_POSITIVE : FOI_NOT_NEGATIVE,
                                   &matrix[row->index * n + e->index]);
    }
    for (const foi_json_value *p = at->first; p && status == FO_OK; p = p->next) {
        if (p->kind != FOI_JSON_LIST || p->count != (size_t)s->dim)
            return foi_json_refuse(f->json, p, f->why, "expected a list of %d numbers", s->dim);
        for (const foi_json_value *e = p->first; e && status == FO_OK; e = e->next)
            status = foi_number_in(f, e, FOI_ANY, &positions[p->index * (size_t)s->dim + e->index]);
    }
    if (status != FO_OK) return status;
    return foi_at(f, v, fo_structure_add_matrix(s, matrix, (uint32_t)n, positions, f->why));
}

fo_status foi_read_matrix(const foi_fields *f, fo_structure *s, const foi_json_value *root)
{
    static const char *const keys[] = {"values", "at", NULL};
    const foi_json_value *v = foi_json_member(root, "matrix"), *values, *at;
    if (!v) return FO_OK;
    fo_status status = foi_fields_known(f, v, keys);
    if (status == FO_OK) status = foi_field_list(f, v, "values", &values);
    if (status == FO_OK) status = foi_field_list(f, v, "at", &at);
    if (status != FO_OK) return status;
    if (!values || !at || !values->count)
        return foi_json_refuse(f->json, v, f->why, "a matrix needs 'values' and 'at'");
    size_t n = values->count;
    double *matrix = n <= 1u << 14 ? foi_new(f->allocator, n * n, sizeof *matrix) : NULL;
    double *positions = foi_new(f->allocator, 3 * n, sizeof *positions);
    status = matrix && positions
                 ? fill_matrix(f, s, v, matrix, positions, n)
                 : fo_fail(f->why, FO_ERROR_MEMORY, "no memory for a matrix of %zu rows", n);
    foi_free(f->allocator, matrix);
    foi_free(f->allocator, positions);
    return status;
}

// -------------------------------------------------------------------------- the document's beams

/// Rows and columns of nodes `spacing` apart; springs along the columns, along the rows, and both
/// diagonals of every cell. Node "name.c.r" is in column c and row r, from 1.
typedef struct grid {
    const char *name;
    uint32_t columns, rows;
    double spacing, mass, corner_mass, along, across, diagonal, origin[2];
    int axis; ///< along which the columns follow each other: 0 x, 1 y
} grid;

static fo_status read_grid(const foi_fields *f, const foi_json_value *v, grid *g)
{
    static const char *const keys[] = {"name",        "columns", "rows",   "spacing",
                                       "mass",        "along",   "across", "diagonal",
                                       "corner_mass", "origin",  "axis",   NULL};
    static const char *const axes[] = {"x", "y", NULL};
    fo_status status = foi_fields_known(f, v, keys);
    if (status == FO_OK) status = foi_field_text(f, v, "name", true, &g->name);
    if (status == FO_OK) status = foi_field_count(f, v, "columns", true, &g->columns);
    if (status == FO_OK) status = foi_field_count(f, v, "rows", true, &g->rows);
    if (status == FO_OK)
        status = foi_field_number(f, v, "spacing", true, FOI_POSITIVE, &g->spacing);
    if (status == FO_OK) status = foi_field_number(f, v, "mass", true, FOI_POSITIVE, &g->mass);
    g->corner_mass = g->mass;
    if (status == FO_OK)
        status = foi_field_number(f, v, "corner_mass", false, FOI_POSITIVE, &g->corner_mass);
    if (status == FO_OK) status = foi_field_number(f, v, "along", true, FOI_POSITIVE, &g->along);
    if (status == FO_OK)
        status = foi_field_number(f, v, "across", g->rows > 1, FOI_POSITIVE, &g->across);
    if (status == FO_OK)
        status = foi_field_number(f, v, "diagonal", g->rows > 1, FOI_POSITIVE, &g->diagonal);
    if (status == FO_OK) status = foi_field_vector(f, v, "origin", false, 2, g->origin);
    if (status == FO_OK) status = foi_field_choice(f, v, "axis", axes, &g->axis);
    if (status == FO_OK && (g->columns < 1 || g->rows < 1 || (uint64_t)g->columns * g->rows > 1e7))
        return foi_json_refuse(f->json, v, f->why, "%u columns and %u rows make no lattice",
                               g->columns, g->rows);
    return status;
}

static fo_status add_grid_nodes(const foi_fields *f, fo_structure *s, const grid *g)
{
    fo_status status = FO_OK;
    for (uint32_t c = 0; c < g->columns; c++)
        for (uint32_t r = 0; r < g->rows && status == FO_OK; r++) {
            char name[128];
            snprintf(name, sizeof name, "%.90s.%u.%u", g->name, c + 1, r + 1);
            bool corner = (c == 0 || c == g->columns - 1) && (r == 0 || r == g->rows - 1);
            fo_node_def node = {.name = name, .mass = corner ? g->corner_mass : g->mass};
            int along = g->axis;
            node.position[along] = g->origin[along] + c * g->spacing;
            node.position[1 - along] = g->origin[1 - along] + r * g->spacing;
            status = fo_structure_add_node(s, &node, NULL, f->why);
        }
    return status;
}

static fo_status add_grid_springs(const foi_fields *f, fo_structure *s, const grid *g,
                                  uint32_t first)
{
    const struct {
        uint32_t columns, up, down;
        double k;
    } kinds[] = {
        {1, 0, 0, g->along}, {0, 1, 0, g->across}, {1, 1, 0, g->diagonal}, {1, 0, 1, g->diagonal}};
    fo_status status = FO_OK;
    for (uint32_t c = 0; c < g->columns; c++)
        for (uint32_t r = 0; r < g->rows; r++)
            for (int i = 0; i < 4 && status == FO_OK; i++) {
                uint32_t to_c = c + kinds[i].columns, to_r = r + kinds[i].up - kinds[i].down;
                if (to_c >= g->columns || to_r >= g->rows) continue; // also below zero
                fo_spring_def spring = {.a = first + c * g->rows + r,
                                        .b = first + to_c * g->rows + to_r,
                                        .k = kinds[i].k};
                status = fo_structure_add_spring(s, &spring, NULL, f->why);
            }
    return status;
}

fo_status foi_read_lattices(const foi_fields *f, fo_structure *s, const foi_json_value *root)
{
    const foi_json_value *list;
    fo_status status = foi_field_list(f, root, "lattices", &list);
    if (status == FO_OK && list && s->dim < 2)
        return foi_json_refuse(f->json, list, f->why, "a lattice needs 2 or 3 dimensions");
    for (const foi_json_value *v = list ? list->first : NULL; v && status == FO_OK; v = v->next) {
        grid g = {0};
        uint32_t first = fo_structure_nodes(s);
        status = read_grid(f, v, &g);
        if (status == FO_OK) status = foi_at(f, v, add_grid_nodes(f, s, &g));
        if (status == FO_OK) status = foi_at(f, v, add_grid_springs(f, s, &g, first));
    }
    return status;
}
