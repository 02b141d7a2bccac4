/// Premade parts, changes of nodes, and ports in a document.
#include <math.h>
#include <string.h>

#include "structure/document.h"
#include "structure/parts.h"

// ----------------------------------------------------------------------------------------- parts

static fo_status read_material(const foi_fields *f, const foi_json_value *part, fo_material *m)
{
    static const char *const keys[] = {"young", "poisson", "density", NULL};
    static const struct {
        const char *name;
        fo_material material;
    } known[] = {{"steel", {210e9, 0.3, 7850}},
                 {"aluminium", {70e9, 0.33, 2700}},
                 {"concrete", {30e9, 0.2, 2400}},
                 {"oak", {11e9, 0.35, 700}},
                 {"rubber", {5e6, 0.48, 1100}}};
    const foi_json_value *v = foi_json_member(part, "material");
    if (!v) return foi_json_refuse(f->json, part, f->why, "the field 'material' is missing");
    if (v->kind == FOI_JSON_TEXT) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (strcmp(known[i].name, v->text) == 0) {
                *m = known[i].material;
                return FO_OK;
            }
        return foi_json_refuse(
            f->json, v, f->why,
            "expected steel, aluminium, concrete, oak, rubber, or an object with "
            "young, poisson and density");
    }
    fo_status status = foi_fields_known(f, v, keys);
    if (status == FO_OK) status = foi_field_number(f, v, "young", false, FOI_POSITIVE, &m->young);
    if (status == FO_OK) status = foi_field_number(f, v, "poisson", false, FOI_ANY, &m->poisson);
    if (status == FO_OK)
        status = foi_field_number(f, v, "density", true, FOI_POSITIVE, &m->density);
    return status;
}

// One number, or one for each axis.
static fo_status read_cells(const foi_fields *f, const foi_json_value *part, fo_part_def *def)
{
    const foi_json_value *v = foi_json_member(part, "cells");
    if (!v || v->kind == FOI_JSON_NUMBER)
        return foi_field_count(f, part, "cells", true, &def->cells[0]);
    double cells[3] = {0};
    fo_status status = foi_expect(f, v, FOI_JSON_LIST);
    if (status == FO_OK && v->count > 3)
        return foi_json_refuse(f->json, v, f->why, "expected at most 3 numbers, found %zu",
                               v->count);
    if (status == FO_OK) status = foi_field_vector(f, part, "cells", true, (int)v->count, cells);
    for (int k = 0; k < 3 && status == FO_OK; k++) {
        if (!(cells[k] >= 0 && cells[k] <= 1e8 && cells[k] == floor(cells[k])))
            return foi_json_refuse(f->json, v, f->why, "expected whole numbers, found %g",
                                   cells[k]);
        def->cells[k] = (uint32_t)cells[k];
    }
    return status;
}

static fo_status read_kind(const foi_fields *f, const foi_json_value *part, fo_part_def *def)
{
    const char *words[16] = {0};
    int kind = -1;
    for (size_t i = 0; foi_part_name(i); i++) words[i] = foi_part_name(i);
    fo_status status = foi_field_choice(f, part, "kind", words, &kind);
    if (status == FO_OK && kind < 0)
        return foi_json_refuse(f->json, part, f->why, "the field 'kind' is missing");
    def->kind = (fo_part_kind)kind;
    return status;
}

static fo_status read_numbers(const foi_fields *f, const foi_json_value *v, int dim,
                              fo_part_def *def)
{
    const struct {
        const char *key;
        double *to;
    } numbers[] = {{"area", &def->area},           {"inertia", &def->inertia},
                   {"thickness", &def->thickness}, {"radius", &def->radius},
                   {"tension", &def->tension},     {"pressure", &def->pressure},
                   {"breaks", &def->breaks},       {"yields", &def->yields}};
    fo_status status = FO_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == FO_OK; i++)
        status = foi_field_number(f, v, numbers[i].key, false, FOI_POSITIVE, numbers[i].to);
    if (status == FO_OK) status = foi_field_vector(f, v, "from", false, dim, def->from);
    if (status == FO_OK) status = foi_field_vector(f, v, "to", false, dim, def->to);
    if (status == FO_OK) status = foi_field_vector(f, v, "centre", false, dim, def->centre);
    return status;
}

static fo_status read_part(const foi_fields *f, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"kind",   "name",    "material", "from",      "to",
                                       "cells",  "area",    "inertia",  "thickness", "centre",
                                       "radius", "tension", "pressure", "breaks",    "yields",
                                       "clamp",  "join",    NULL};
    static const char *const ends[] = {"from", "to", "both", NULL};
    fo_part_def def = {.join = true};
    int clamp = -1;
    fo_status status = foi_fields_known(f, v, keys);
    if (status == FO_OK) status = read_kind(f, v, &def);
    if (status == FO_OK) status = foi_field_text(f, v, "name", true, &def.name);
    if (status == FO_OK) status = read_material(f, v, &def.material);
    if (status == FO_OK) status = read_cells(f, v, &def);
    if (status == FO_OK) status = read_numbers(f, v, s->dim, &def);
    if (status == FO_OK) status = foi_field_choice(f, v, "clamp", ends, &clamp);
    if (status == FO_OK) status = foi_field_truth(f, v, "join", &def.join);
    def.clamp_from = clamp == 0 || clamp == 2;
    def.clamp_to = clamp == 1 || clamp == 2;
    return status == FO_OK ? foi_at(f, v, fo_structure_add_part(s, &def, NULL, f->why)) : status;
}

fo_status foi_read_parts(const foi_fields *f, fo_structure *s, const foi_json_value *root)
{
    const foi_json_value *list;
    fo_status status = foi_field_list(f, root, "parts", &list);
    for (const foi_json_value *v = list ? list->first : NULL; v && status == FO_OK; v = v->next)
        status = read_part(f, s, v);
    return status;
}

// --------------------------------------------------------------------------------------- changes

// {"node": "beam.1.1", "fixed": "xy", "mass": 10}
static fo_status read_change(const foi_fields *f, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"node", "fixed", "mass", NULL};
    uint32_t node;
    unsigned fixed;
    double mass = 0;
    fo_status status = foi_fields_known(f, v, keys);
    if (status != FO_OK) return status;
    const foi_json_value *which = foi_json_member(v, "node");
    if (!which) return foi_json_refuse(f->json, v, f->why, "the field 'node' is missing");
    status = foi_read_node(f, s, which, &node);
    if (status == FO_OK) status = foi_read_fixed(f, v, "fixed", &fixed);
    if (status == FO_OK) status = foi_field_number(f, v, "mass", false, FOI_POSITIVE, &mass);
    if (status == FO_OK) status = foi_at(f, v, fo_structure_fix(s, node, fixed, f->why));
    if (status == FO_OK && mass > 0)
        status = foi_at(f, v, fo_structure_set_mass(s, node, mass, f->why));
    return status;
}

fo_status foi_read_changes(const foi_fields *f, fo_structure *s, const foi_json_value *root)
{
    const foi_json_value *list;
    fo_status status = foi_field_list(f, root, "change", &list);
    for (const foi_json_value *v = list ? list->first : NULL; v && status == FO_OK; v = v->next)
        status = read_change(f, s, v);
    return status;
}

// ----------------------------------------------------------------------------------------- ports

// "x", "-y", or a list of numbers.
static fo_status read_direction(const foi_fields *f, const foi_json_value *port, int dim,
                                double direction[3])
{
    const foi_json_value *v = foi_json_member(port, "direction");
    if (!v) return foi_json_refuse(f->json, port, f->why, "the field 'direction' is missing");
    if (v->kind != FOI_JSON_TEXT)
        return foi_field_vector(f, port, "direction", true, dim, direction);
    const char *c = v->text;
    double sign = *c == '-' ? -1 : 1;
    if (*c == '-' || *c == '+') c++;
    if (*c < 'x' || *c >= 'x' + dim || c[1])
        return foi_json_refuse(f->json, v, f->why, "expected a direction like \"x\" or \"-y\"");
    direction[*c - 'x'] = sign;
    return FO_OK;
}

// [[time, value], ...] into times and values, which have room.
static fo_status read_signal(const foi_fields *f, const foi_json_value *list, double *times,
                             double *values)
{
    fo_status status = FO_OK;
    for (const foi_json_value *v = list->first; v && status == FO_OK; v = v->next) {
        if (v->kind != FOI_JSON_LIST || v->count != 2)
            return foi_json_refuse(f->json, v, f->why, "expected a list of time and value");
        status = foi_number_in(f, v->first, FOI_ANY, &times[v->index]);
        if (status == FO_OK) status = foi_number_in(f, v->first->next, FOI_ANY, &values[v->index]);
        if (status == FO_OK && v->index && !(times[v->index] > times[v->index - 1]))
            return foi_json_refuse(f->json, v->first, f->why,
                                   "times must ascend, found %g after %g", times[v->index],
                                   times[v->index - 1]);
    }
    return status;
}

static fo_status read_port(const foi_fields *f, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"name",  "node",   "direction", "in",
                                       "start", "signal", "connected", NULL};
    static const char *const causes[] = {"effort", "flow", NULL};
    fo_port_def def = {.node = FO_BOWL};
    int cause = 0;
    fo_status status = foi_fields_known(f, v, keys);
    const foi_json_value *node = foi_json_member(v, "node"), *signal = NULL;
    if (status == FO_OK && !node)
        return foi_json_refuse(f->json, v, f->why, "the field 'node' is missing");
    if (status == FO_OK) status = foi_field_text(f, v, "name", true, &def.name);
    if (status == FO_OK && !(node->kind == FOI_JSON_TEXT && strcmp(node->text, "R") == 0))
        status = foi_read_node(f, s, node, &def.node);
    if (status == FO_OK) status = read_direction(f, v, s->dim, def.direction);
    if (status == FO_OK) status = foi_field_choice(f, v, "in", causes, &cause);
    if (status == FO_OK) status = foi_field_number(f, v, "start", false, FOI_ANY, &def.start);
    if (status == FO_OK) status = foi_field_truth(f, v, "connected", &def.connected);
    if (status == FO_OK) status = foi_field_list(f, v, "signal", &signal);
    if (status != FO_OK) return status;
    def.flow_in = cause == 1;
    def.changes = signal ? signal->count : 0;
    double *room = foi_new(f->allocator, 2 * def.changes, sizeof *room);
    if (!room) return fo_fail(f->why, FO_ERROR_MEMORY, "no memory for a signal");
    def.times = room, def.values = room + def.changes;
    if (signal) status = read_signal(f, signal, room, room + def.changes);
    if (status == FO_OK) status = foi_at(f, v, fo_structure_add_port(s, &def, NULL, f->why));
    foi_free(f->allocator, room);
    return status;
}

fo_status foi_read_ports(const foi_fields *f, fo_structure *s, const foi_json_value *root)
{
    const foi_json_value *list;
    fo_status status = foi_field_list(f, root, "ports", &list);
    for (const foi_json_value *v = list ? list->first : NULL; v && status == FO_OK; v = v->next)
        status = read_port(f, s, v);
    return status;
}
