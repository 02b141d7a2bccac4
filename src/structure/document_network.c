/// Nodes, springs, the matrix and the document's lattices in a document.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "structure/document.h"

uint32_t foi_read_node(foi_reader *r, const fo_structure *s, const foi_json_value *v)
{
    uint32_t nodes = fo_structure_nodes(s);
    if (v->kind == FOI_JSON_NUMBER) {
        if (v->number >= 1 && v->number <= nodes && v->number == (uint32_t)v->number)
            return (uint32_t)v->number - 1;
        foi_read_refuse(r, v, "there is no node %g, only 1 to %u", v->number, nodes);
        return 0;
    }
    if (!foi_read_is(r, v, FOI_JSON_TEXT)) return 0;
    uint32_t node = fo_structure_find(s, v->text);
    if (node != UINT32_MAX) return node;
    foi_nearest nearest = foi_nearest_to(v->text);
    for (uint32_t i = 0; i < nodes; i++)
        if (s->names[i]) foi_nearest_try(&nearest, s->names[i]);
    foi_read_refuse(r, v, "there is no node '%.40s'%s", v->text, foi_nearest_hint(&nearest));
    return 0;
}

unsigned foi_read_fixed(foi_reader *r, const foi_json_value *object, const char *key)
{
    const foi_json_value *v = foi_json_member(object, key);
    unsigned fixed = 0;
    if (!v) return 0;
    if (v->kind == FOI_JSON_TRUTH) return v->truth ? FO_FIXED : 0;
    for (const char *c = v->kind == FOI_JSON_TEXT ? v->text : ""; *c; c++)
        fixed |= *c >= 'x' && *c <= 'z' ? 1u << (*c - 'x') : 8;
    if (!fixed || fixed & 8)
        foi_read_refuse(r, v, "expected true, false or the fixed directions like \"x\" or \"xy\"");
    return fixed & FO_FIXED;
}

// ----------------------------------------------------------------------------------------- nodes

static void read_node(foi_reader *r, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"name", "at", "start", "mass", "velocity", "fixed", NULL};
    fo_structure_node def = {0};
    uint32_t node = 0;
    if (!foi_read_keys(r, v, keys) || !foi_read_needed(r, v, "at")) return;
    def.name = foi_read_text(r, v, "name");
    foi_read_vector(r, v, "at", s->dim, def.position);
    foi_read_vector(r, v, "velocity", s->dim, def.velocity);
    def.fixed = foi_read_fixed(r, v, "fixed");
    bool held = def.fixed == FO_FIXED;
    if (!held && !foi_read_needed(r, v, "mass")) return;
    def.mass = foi_read_number_in(r, v, "mass", held ? FOI_NOT_NEGATIVE : FOI_POSITIVE, 0);
    if (def.name && fo_structure_find(s, def.name) != UINT32_MAX)
        foi_read_refuse(r, foi_json_member(v, "name"), "the name '%.40s' is taken", def.name);
    if (!r->status) foi_read_answer(r, v, fo_structure_add_node(s, &def, &node, r->why));
    if (!r->status) foi_read_vector(r, v, "start", s->dim, s->start + node * (uint32_t)s->dim);
}

void foi_read_nodes(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    for (const foi_json_value *v = foi_read_items(r, root, "nodes"); v && !r->status; v = v->next)
        read_node(r, s, v);
}

// --------------------------------------------------------------------------------------- springs

static void read_spring(foi_reader *r, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"between", "k",      "energy", "length",
                                       "breaks",  "yields", NULL};
    static const char *const energies[] = {"squares", "lengths", NULL};
    fo_spring_def def = {0};
    if (!foi_read_keys(r, v, keys)) return;
    const foi_json_value *between = foi_json_member(v, "between");
    if (!between || between->kind != FOI_JSON_LIST || between->count != 2) {
        foi_read_refuse(r, between ? between : v, "expected 'between' with two nodes");
        return;
    }
    def.a = foi_read_node(r, s, between->first);
    def.b = foi_read_node(r, s, between->first->next);
    if (!foi_read_needed(r, v, "k")) return;
    def.k = foi_read_number_in(r, v, "k", FOI_POSITIVE, 0);
    def.energy = (fo_spring_energy)foi_read_word(r, foi_json_member(v, "energy"), energies);
    def.length = foi_read_number_in(r, v, "length", FOI_POSITIVE, 0);
    def.breaks = foi_read_number_in(r, v, "breaks", FOI_POSITIVE, 0);
    def.yields = foi_read_number_in(r, v, "yields", FOI_POSITIVE, 0);
    if (!r->status) foi_read_answer(r, v, fo_structure_add_spring(s, &def, NULL, r->why));
}

void foi_read_springs(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    for (const foi_json_value *v = foi_read_items(r, root, "springs"); v && !r->status; v = v->next)
        read_spring(r, s, v);
}

// ------------------------------------------------------------------------------------ the matrix

// {"values": [[m, d, ...], [k, m, ...], ...], "at": [[x, y], ...]}
static void fill_matrix(foi_reader *r, const foi_json_value *values, double *matrix)
{
    size_t n = values->count;
    for (const foi_json_value *row = values->first; row && !r->status; row = row->next) {
        if (row->kind != FOI_JSON_LIST || row->count != n) {
            foi_read_refuse(r, row, "expected a list of %zu numbers", n);
            return;
        }
        for (const foi_json_value *e = row->first; e && !r->status; e = e->next)
            matrix[row->index * n + e->index] =
                foi_read_value(r, e, e->index == row->index ? FOI_POSITIVE : FOI_NOT_NEGATIVE);
    }
}

static void fill_positions(foi_reader *r, const foi_json_value *at, size_t dim, double *positions)
{
    for (const foi_json_value *p = at->first; p && !r->status; p = p->next) {
        if (p->kind != FOI_JSON_LIST || p->count != dim) {
            foi_read_refuse(r, p, "expected a list of %zu numbers", dim);
            return;
        }
        for (const foi_json_value *e = p->first; e && !r->status; e = e->next)
            positions[p->index * dim + e->index] = foi_read_value(r, e, FOI_ANY);
    }
}

void foi_read_matrix(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    static const char *const keys[] = {"values", "at", NULL};
    const foi_json_value *v = foi_json_member(root, "matrix");
    if (!v || !foi_read_keys(r, v, keys)) return;
    const foi_json_value *values = foi_read_needed(r, v, "values");
    const foi_json_value *at = foi_read_needed(r, v, "at");
    if (!values || !at || !foi_read_is(r, values, FOI_JSON_LIST) ||
        !foi_read_is(r, at, FOI_JSON_LIST))
        return;
    size_t n = values->count;
    if (n < 1 || n > 1u << 14)
        foi_read_refuse(r, values, "expected 1 to %u rows, found %zu", 1u << 14, n);
    if (at->count != n) foi_read_refuse(r, at, "expected %zu positions, found %zu", n, at->count);
    double *matrix = foi_read_room(r, n * n, sizeof *matrix);
    double *positions = foi_read_room(r, 3 * n, sizeof *positions);
    if (!r->status) fill_matrix(r, values, matrix);
    if (!r->status) fill_positions(r, at, (size_t)s->dim, positions);
    if (!r->status)
        foi_read_answer(r, v, fo_structure_add_matrix(s, matrix, (uint32_t)n, positions, r->why));
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

static void read_grid(foi_reader *r, const foi_json_value *v, grid *g)
{
    static const char *const keys[] = {"name",        "columns", "rows",   "spacing",
                                       "mass",        "along",   "across", "diagonal",
                                       "corner_mass", "origin",  "axis",   NULL};
    static const char *const axes[] = {"x", "y", NULL};
    if (!foi_read_keys(r, v, keys)) return;
    for (int i = 0; i < 6; i++) foi_read_needed(r, v, keys[i]);
    g->name = foi_read_text(r, v, "name");
    g->columns = foi_read_count(r, v, "columns");
    g->rows = foi_read_count(r, v, "rows");
    g->spacing = foi_read_number_in(r, v, "spacing", FOI_POSITIVE, 0);
    g->mass = foi_read_number_in(r, v, "mass", FOI_POSITIVE, 0);
    g->corner_mass = foi_read_number_in(r, v, "corner_mass", FOI_POSITIVE, g->mass);
    g->along = foi_read_number_in(r, v, "along", FOI_POSITIVE, 0);
    if (g->rows > 1) foi_read_needed(r, v, "across");
    if (g->rows > 1) foi_read_needed(r, v, "diagonal");
    g->across = foi_read_number_in(r, v, "across", FOI_POSITIVE, 0);
    g->diagonal = foi_read_number_in(r, v, "diagonal", FOI_POSITIVE, 0);
    foi_read_vector(r, v, "origin", 2, g->origin);
    g->axis = foi_read_word(r, foi_json_member(v, "axis"), axes);
    if (g->columns < 1 || g->rows < 1 || (uint64_t)g->columns * g->rows > 1e7)
        foi_read_refuse(r, v, "%u columns and %u rows make no lattice", g->columns, g->rows);
}

static fo_status add_grid_nodes(foi_reader *r, fo_structure *s, const grid *g)
{
    fo_status status = FO_OK;
    for (uint32_t c = 0; c < g->columns; c++)
        for (uint32_t row = 0; row < g->rows && status == FO_OK; row++) {
            char name[128];
            snprintf(name, sizeof name, "%.90s.%u.%u", g->name, c + 1, row + 1);
            bool corner = (c == 0 || c == g->columns - 1) && (row == 0 || row == g->rows - 1);
            fo_structure_node node = {.name = name, .mass = corner ? g->corner_mass : g->mass};
            int along = g->axis;
            node.position[along] = g->origin[along] + c * g->spacing;
            node.position[1 - along] = g->origin[1 - along] + row * g->spacing;
            status = fo_structure_add_node(s, &node, NULL, r->why);
        }
    return status;
}

static fo_status add_grid_springs(foi_reader *r, fo_structure *s, const grid *g, uint32_t first)
{
    const struct {
        uint32_t columns, up, down;
        double k;
    } kinds[] = {
        {1, 0, 0, g->along}, {0, 1, 0, g->across}, {1, 1, 0, g->diagonal}, {1, 0, 1, g->diagonal}};
    fo_status status = FO_OK;
    for (uint32_t c = 0; c < g->columns; c++)
        for (uint32_t row = 0; row < g->rows; row++)
            for (int i = 0; i < 4 && status == FO_OK; i++) {
                uint32_t to_c = c + kinds[i].columns, to_r = row + kinds[i].up - kinds[i].down;
                if (to_c >= g->columns || to_r >= g->rows) continue; // also below zero
                fo_spring_def spring = {.a = first + c * g->rows + row,
                                        .b = first + to_c * g->rows + to_r,
                                        .k = kinds[i].k};
                status = fo_structure_add_spring(s, &spring, NULL, r->why);
            }
    return status;
}

void foi_read_lattices(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    const foi_json_value *v = foi_read_items(r, root, "lattices");
    if (v && s->dim < 2) foi_read_refuse(r, v->parent, "a lattice needs 2 or 3 dimensions");
    for (; v && !r->status; v = v->next) {
        grid g = {0};
        uint32_t first = fo_structure_nodes(s);
        read_grid(r, v, &g);
        if (!r->status) foi_read_answer(r, v, add_grid_nodes(r, s, &g));
        if (!r->status) foi_read_answer(r, v, add_grid_springs(r, s, &g, first));
    }
}
