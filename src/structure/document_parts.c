/// Premade parts, changes of nodes, and ports in a document.
#include <string.h>

#include "structure/document.h"
#include "structure/parts.h"

// ----------------------------------------------------------------------------------------- parts

/// What a kind of part is made of: kinds as bits.
enum {
    LINES = 1 << FO_PART_BAR | 1 << FO_PART_CHAIN | 1 << FO_PART_ROPE,
    SHEETS = 1 << FO_PART_GIRDER | 1 << FO_PART_PLATE,
    SPRUNG = LINES | SHEETS | 1 << FO_PART_BLOCK,
    BALLOON = 1 << FO_PART_BALLOON
};

// A number that its kind of part does not look at is none of its numbers: it cannot be set, and
// whoever writes it into the document is told.
static double read_number_of(foi_reader *r, const foi_json_value *part, const char *key,
                             fo_part_kind kind, int kinds)
{
    const foi_json_value *v = foi_json_member(part, key);
    if (kinds >> kind & 1) return foi_read_number_in(r, part, key, FOI_POSITIVE, 0);
    if (v) foi_read_refuse(r, v, "a %s has no %s", foi_part_name(kind), key);
    return 0;
}

// The material may be one that other parts have, too: what it says beyond what is needed is read.
static fo_material read_material(foi_reader *r, const foi_json_value *part, fo_part_kind kind)
{
    bool elastic = SPRUNG >> kind & 1, wide = elastic && !(LINES >> kind & 1);
    static const char *const keys[] = {"young", "poisson", "density", NULL};
    static const struct {
        const char *name;
        fo_material material;
    } known[] = {{"steel", {210e9, 0.3, 7850}},
                 {"aluminium", {70e9, 0.33, 2700}},
                 {"concrete", {30e9, 0.2, 2400}},
                 {"oak", {11e9, 0.35, 700}},
                 {"rubber", {5e6, 0.48, 1100}}};
    fo_material m = {0};
    const foi_json_value *v = foi_read_needed(r, part, "material");
    if (!v) return m;
    if (v->kind == FOI_JSON_TEXT) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (strcmp(known[i].name, v->text) == 0) {
                const fo_material *usual = &known[i].material;
                m = *usual;
                if (elastic)
                    m.young = foi_read_number_in(r, part, "young", FOI_POSITIVE, usual->young);
                if (wide) m.poisson = foi_read_number(r, part, "poisson", usual->poisson);
                m.density = foi_read_number_in(r, part, "density", FOI_POSITIVE, usual->density);
                return m;
            }
        foi_read_refuse(r, v,
                        "expected steel, aluminium, concrete, oak, rubber, or an object with "
                        "young, poisson and density");
        return m;
    }
    if (!foi_read_keys(r, v, keys) || !foi_read_needed(r, v, "density")) return m;
    if (elastic || foi_json_member(v, "young"))
        m.young = foi_read_number_in(r, v, "young", FOI_POSITIVE, 0);
    if (wide || foi_json_member(v, "poisson")) m.poisson = foi_read_number(r, v, "poisson", 0);
    m.density = foi_read_number_in(r, v, "density", FOI_POSITIVE, 0);
    return m;
}

// One number, or one for each axis.
static void read_cells(foi_reader *r, const foi_json_value *part, fo_part_def *def)
{
    const foi_json_value *v = foi_read_needed(r, part, "cells");
    if (!v) return;
    if (v->kind == FOI_JSON_NUMBER) {
        def->cells[0] = foi_read_whole(r, v);
        return;
    }
    if (!foi_read_is(r, v, FOI_JSON_LIST)) return;
    if (v->count > 3) foi_read_refuse(r, v, "expected at most 3 numbers, found %zu", v->count);
    for (const foi_json_value *e = v->first; e && !r->status; e = e->next)
        def->cells[e->index] = foi_read_whole(r, e);
}

static void read_numbers(foi_reader *r, const foi_json_value *v, int dim, fo_part_def *def)
{
    const struct {
        const char *key;
        double *to;
        int kinds;
    } numbers[] = {{"area", &def->area, LINES},
                   {"inertia", &def->inertia, 1 << FO_PART_BAR},
                   {"thickness", &def->thickness, SHEETS | BALLOON},
                   {"radius", &def->radius, BALLOON},
                   {"tension", &def->tension, BALLOON},
                   {"pressure", &def->pressure, BALLOON},
                   {"breaks", &def->breaks, SPRUNG},
                   {"yields", &def->yields, SPRUNG}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i].to = read_number_of(r, v, numbers[i].key, def->kind, numbers[i].kinds);
    foi_read_vector(r, v, "from", dim, def->from);
    foi_read_vector(r, v, "to", dim, def->to);
    foi_read_vector(r, v, "centre", dim, def->centre);
}

static void read_part(foi_reader *r, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"kind",   "name",    "material", "from",      "to",
                                       "cells",  "area",    "inertia",  "thickness", "centre",
                                       "radius", "tension", "pressure", "breaks",    "yields",
                                       "clamp",  "join",    NULL};
    static const char *const ends[] = {"none", "from", "to", "both", NULL};
    const char *kinds[16] = {0};
    fo_part_def def = {0};
    for (size_t i = 0; foi_part_name(i); i++) kinds[i] = foi_part_name(i);
    if (!foi_read_keys(r, v, keys) || !foi_read_needed(r, v, "kind") ||
        !foi_read_needed(r, v, "name"))
        return;
    def.kind = (fo_part_kind)foi_read_word(r, foi_json_member(v, "kind"), kinds);
    def.name = foi_read_text(r, v, "name");
    def.material = read_material(r, v, def.kind);
    read_cells(r, v, &def);
    read_numbers(r, v, s->dim, &def);
    int clamp = foi_read_word(r, foi_json_member(v, "clamp"), ends);
    def.clamp_from = clamp & 1, def.clamp_to = clamp & 2;
    def.join = !foi_json_member(v, "join") || foi_read_truth(r, v, "join");
    if (!r->status) foi_read_answer(r, v, fo_structure_add_part(s, &def, NULL, r->why));
}

void foi_read_parts(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    for (const foi_json_value *v = foi_read_items(r, root, "parts"); v && !r->status; v = v->next)
        read_part(r, s, v);
}

// --------------------------------------------------------------------------------------- changes

// {"node": "beam.1.1", "fixed": "xy", "mass": 10}
static void read_change(foi_reader *r, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"node", "fixed", "mass", NULL};
    if (!foi_read_keys(r, v, keys) || !foi_read_needed(r, v, "node")) return;
    uint32_t node = foi_read_node(r, s, foi_json_member(v, "node"));
    unsigned fixed = foi_read_fixed(r, v, "fixed");
    double mass = foi_read_number_in(r, v, "mass", FOI_POSITIVE, 0);
    if (!r->status) foi_read_answer(r, v, fo_structure_fix(s, node, fixed, r->why));
    if (!r->status && mass > 0) foi_read_answer(r, v, fo_structure_set_mass(s, node, mass, r->why));
}

void foi_read_changes(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    for (const foi_json_value *v = foi_read_items(r, root, "change"); v && !r->status; v = v->next)
        read_change(r, s, v);
}

// ----------------------------------------------------------------------------------------- ports

// "x", "-y", or a list of numbers.
static void read_direction(foi_reader *r, const foi_json_value *port, int dim, double direction[3])
{
    const foi_json_value *v = foi_read_needed(r, port, "direction");
    if (!v) return;
    if (v->kind != FOI_JSON_TEXT) {
        foi_read_vector(r, port, "direction", dim, direction);
        return;
    }
    const char *c = v->text;
    double sign = *c == '-' ? -1 : 1;
    if (*c == '-' || *c == '+') c++;
    if (*c < 'x' || *c >= 'x' + dim || c[1])
        foi_read_refuse(r, v, "expected a direction like \"x\" or \"-y\"");
    else
        direction[*c - 'x'] = sign;
}

// [[time, value], ...]
static void read_signal(foi_reader *r, const foi_json_value *port, fo_port_def *def)
{
    const foi_json_value *v = foi_read_items(r, port, "signal");
    def->changes = v ? v->parent->count : 0;
    double *times = foi_read_room(r, 2 * def->changes, sizeof *times);
    double *values = times ? times + def->changes : NULL;
    for (; v && !r->status; v = v->next) {
        if (v->kind != FOI_JSON_LIST || v->count != 2) {
            foi_read_refuse(r, v, "expected a list of time and value");
            return;
        }
        size_t i = v->index;
        times[i] = foi_read_value(r, v->first, FOI_ANY);
        values[i] = foi_read_value(r, v->first->next, FOI_ANY);
        if (i && !(times[i] > times[i - 1]))
            foi_read_refuse(r, v->first, "times must ascend, found %g after %g", times[i],
                            times[i - 1]);
    }
    def->times = times, def->values = values;
}

static void read_port(foi_reader *r, fo_structure *s, const foi_json_value *v)
{
    static const char *const keys[] = {"name",  "node",   "direction", "in",
                                       "start", "signal", "connected", NULL};
    static const char *const causes[] = {"effort", "flow", NULL};
    fo_port_def def = {.node = FO_BOWL};
    if (!foi_read_keys(r, v, keys) || !foi_read_needed(r, v, "node") ||
        !foi_read_needed(r, v, "name"))
        return;
    const foi_json_value *node = foi_json_member(v, "node");
    def.name = foi_read_text(r, v, "name");
    if (node->kind != FOI_JSON_TEXT || strcmp(node->text, "R") != 0)
        def.node = foi_read_node(r, s, node);
    read_direction(r, v, s->dim, def.direction);
    def.flow_in = foi_read_word(r, foi_json_member(v, "in"), causes) == 1;
    def.start = foi_read_number(r, v, "start", 0);
    def.connected = foi_read_truth(r, v, "connected");
    read_signal(r, v, &def);
    if (!r->status) foi_read_answer(r, v, fo_structure_add_port(s, &def, NULL, r->why));
}

void foi_read_ports(foi_reader *r, fo_structure *s, const foi_json_value *root)
{
    for (const foi_json_value *v = foi_read_items(r, root, "ports"); v && !r->status; v = v->next)
        read_port(r, s, v);
}
