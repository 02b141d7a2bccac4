/// Building a structure: nodes, then what holds them together.
#include "structure/structure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

enum { MOST_BENDING = 16 };
static const uint32_t most_nodes = 1u << 27;

static fo_status no_memory(fo_message *why)
{
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for a structure");
}

static bool finite3(const double v[3])
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static bool not_negative(double value)
{
    return isfinite(value) && value >= 0;
}

// ------------------------------------------------------------------------------------- creation

static fo_status check_def(const fo_structure_def *def, fo_message *why)
{
    if (def->dimension < 1 || def->dimension > 3)
        return fo_fail(why, FO_ERROR_ARGUMENT, "the dimension must be 1, 2 or 3, is %d",
                       def->dimension);
    if (!finite3(def->gravity))
        return fo_fail(why, FO_ERROR_ARGUMENT, "the gravity must be finite");
    if (!not_negative(def->friction_rate) || !not_negative(def->friction))
        return fo_fail(why, FO_ERROR_ARGUMENT, "the friction must not be negative, is %g and %g",
                       def->friction_rate, def->friction);
    if (!not_negative(def->bowl))
        return fo_fail(why, FO_ERROR_ARGUMENT, "the bowl's stiffness must not be negative, is %g",
                       def->bowl);
    return FO_OK;
}

fo_structure *fo_structure_create(const fo_structure_def *def, fo_message *why)
{
    if (check_def(def, why) != FO_OK) return NULL;
    fo_structure *s = foi_new(def->allocator, 1, sizeof *s);
    if (!s) {
        no_memory(why);
        return NULL;
    }
    s->def = *def;
    s->dim = def->dimension;
    s->def.unaccounted |= def->leapfrog;
    for (int a = 0; a < 3; a++) s->bowl_port[a] = FOI_NO_INDEX;
    s->def.name = foi_copy_text(def->allocator, def->name ? def->name : "structure");
    s->def.about = foi_copy_text(def->allocator, def->about ? def->about : "a structure");
    if (s->def.name && s->def.about) return s;
    no_memory(why);
    fo_structure_destroy(s);
    return NULL;
}

void fo_structure_destroy(fo_structure *s)
{
    if (!s) return;
    const fo_allocator *a = s->def.allocator;
    for (uint32_t i = 0; s->names && i < s->nodes; i++) foi_free(a, s->names[i]);
    for (size_t i = 0; i < s->port_count; i++) {
        foi_free(a, s->ports[i].name);
        foi_free(a, s->ports[i].times);
        foi_free(a, s->ports[i].values);
    }
    for (size_t i = 0; i < s->text_count; i++) foi_free(a, s->texts[i]);
    void *const blocks[] = {s->mass,
                            s->begin,
                            s->start,
                            s->velocity,
                            s->fixed,
                            s->names,
                            s->index,
                            s->springs,
                            s->slots,
                            s->bends,
                            s->bend_node,
                            s->bend_coefficient,
                            s->volumes,
                            s->skins,
                            s->facets,
                            s->members,
                            s->ports,
                            s->driver,
                            s->inverse_mass,
                            s->adjacent_start,
                            s->adjacent,
                            s->pattern_start,
                            s->pattern_row,
                            s->runs,
                            s->end_offset,
                            s->end_slope,
                            s->end_rest,
                            s->texts,
                            s->variables,
                            s->guards,
                            (void *)s->def.name,
                            (void *)s->def.about};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) foi_free(a, blocks[i]);
    foi_free(a, s);
}

// ---------------------------------------------------------------------------------------- nodes

static fo_status check_node(const fo_structure *s, const fo_structure_node *def, fo_message *why)
{
    bool held = (def->fixed & ((1u << s->dim) - 1)) == (1u << s->dim) - 1;
    if (!isfinite(def->mass) || def->mass < 0 || (def->mass == 0 && !held))
        return fo_fail(why, FO_ERROR_ARGUMENT, "the mass must be positive, is %g", def->mass);
    if (!finite3(def->position) || !finite3(def->velocity))
        return fo_fail(why, FO_ERROR_ARGUMENT, "position and velocity must be finite");
    for (int a = 0; a < s->dim; a++)
        if (def->fixed >> a & 1 && def->velocity[a] != 0)
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "a direction that is fixed cannot have a velocity, found %g",
                           def->velocity[a]);
    if (s->nodes >= most_nodes)
        return fo_fail(why, FO_ERROR_ARGUMENT, "more than %u nodes", most_nodes);
    return FO_OK;
}

fo_status fo_structure_add_node(fo_structure *s, const fo_structure_node *def, uint32_t *index,
                                fo_message *why)
{
    fo_status status = check_node(s, def, why);
    if (status != FO_OK) return status;
    const fo_allocator *a = s->def.allocator;
    size_t nodes = (size_t)s->nodes + 1, n = nodes * (size_t)s->dim, at = n - (size_t)s->dim;
    bool room = foi_array_room(a, &s->mass, &s->mass_room, nodes, sizeof(double)) &&
                foi_array_room(a, &s->begin, &s->begin_room, n, sizeof(double)) &&
                foi_array_room(a, &s->start, &s->start_room, n, sizeof(double)) &&
                foi_array_room(a, &s->velocity, &s->velocity_room, n, sizeof(double)) &&
                foi_array_room(a, &s->fixed, &s->fixed_room, n, 1) &&
                foi_array_room(a, &s->names, &s->name_room, nodes, sizeof *s->names) &&
                foi_names_room(s);
    char *name = room && def->name ? foi_copy_text(a, def->name) : NULL;
    if (!room || (def->name && !name)) return no_memory(why);
    s->mass[s->nodes] = def->mass;
    s->names[s->nodes] = name;
    for (int c = 0; c < s->dim; c++) {
        s->begin[at + (size_t)c] = s->start[at + (size_t)c] = def->position[c];
        s->velocity[at + (size_t)c] = def->velocity[c];
        s->fixed[at + (size_t)c] = def->fixed >> c & 1;
    }
    if (index) *index = s->nodes;
    foi_names_add(s, s->nodes++);
    return FO_OK;
}

static fo_status check_index(const fo_structure *s, uint32_t node, fo_message *why)
{
    if (node < s->nodes) return FO_OK;
    return fo_fail(why, FO_ERROR_ARGUMENT, "there is no node %u, only 0 to %u", node,
                   s->nodes ? s->nodes - 1 : 0);
}

fo_status fo_structure_set_mass(fo_structure *s, uint32_t node, double mass, fo_message *why)
{
    fo_status status = check_index(s, node, why);
    if (status == FO_OK && !(isfinite(mass) && mass > 0))
        status = fo_fail(why, FO_ERROR_ARGUMENT, "the mass must be positive, is %g", mass);
    if (status == FO_OK) s->mass[node] = mass;
    return status;
}

fo_status fo_structure_fix(fo_structure *s, uint32_t node, unsigned fixed, fo_message *why)
{
    fo_status status = check_index(s, node, why);
    for (int a = 0; status == FO_OK && a < s->dim; a++)
        s->fixed[node * (uint32_t)s->dim + (uint32_t)a] |= fixed >> a & 1;
    return status;
}

uint32_t fo_structure_nodes(const fo_structure *s)
{
    return s->nodes;
}

uint32_t fo_structure_springs(const fo_structure *s)
{
    return (uint32_t)s->spring_count;
}

void fo_structure_spring(const fo_structure *s, uint32_t spring, uint32_t ends[2])
{
    ends[0] = s->springs[spring].a, ends[1] = s->springs[spring].b;
}

int fo_structure_dimension(const fo_structure *s)
{
    return s->dim;
}

uint32_t fo_structure_state(const fo_structure *s, uint32_t node, int axis)
{
    return node * (uint32_t)s->dim + (uint32_t)axis;
}

// -------------------------------------------------------------------------------------- springs

static double distance(const fo_structure *s, uint32_t a, uint32_t b)
{
    double sum = 0;
    for (int c = 0; c < s->dim; c++) {
        double r = s->begin[b * (uint32_t)s->dim + (uint32_t)c] -
                   s->begin[a * (uint32_t)s->dim + (uint32_t)c];
        sum += r * r;
    }
    return sqrt(sum);
}

static fo_status check_spring(const fo_structure *s, const fo_spring_def *def, fo_message *why)
{
    fo_status status = check_index(s, def->a, why);
    if (status == FO_OK) status = check_index(s, def->b, why);
    if (status != FO_OK) return status;
    if (def->a == def->b)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "a spring needs two nodes that differ, both are node %u (from 0)", def->a);
    if (!(isfinite(def->k) && def->k > 0))
        return fo_fail(why, FO_ERROR_ARGUMENT, "the stiffness must be positive, is %g", def->k);
    if (!not_negative(def->length))
        return fo_fail(why, FO_ERROR_ARGUMENT, "the length must be positive, is %g", def->length);
    if (def->length == 0 && !(distance(s, def->a, def->b) > 0))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "a spring of zero length: its nodes begin at the same place");
    if (!not_negative(def->breaks) || !not_negative(def->yields))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the strains at which it breaks and yields must be positive, are %g and %g",
                       def->breaks, def->yields);
    if (def->yields > 0 && def->energy != FO_SPRING_LENGTHS)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a spring that yields needs the energy 'lengths'");
    if (s->spring_count >= UINT32_MAX - 1)
        return fo_fail(why, FO_ERROR_ARGUMENT, "too many springs");
    return FO_OK;
}

fo_status fo_structure_add_spring(fo_structure *s, const fo_spring_def *def, uint32_t *index,
                                  fo_message *why)
{
    fo_status status = check_spring(s, def, why);
    if (status != FO_OK) return status;
    const fo_allocator *a = s->def.allocator;
    bool damage = def->breaks > 0 || def->yields > 0;
    if (!foi_array_room(a, &s->springs, &s->spring_room, s->spring_count + 1, sizeof *s->springs) ||
        (damage &&
         !foi_array_room(a, &s->slots, &s->slot_room, s->slot_count + 1, sizeof *s->slots)))
        return no_memory(why);
    uint32_t at = (uint32_t)s->spring_count++;
    s->springs[at] = (foi_spring){.a = def->a,
                                  .b = def->b,
                                  .slot = damage ? (uint32_t)s->slot_count : FOI_NO_INDEX,
                                  .energy = def->energy,
                                  .k = def->k,
                                  .d = def->length > 0 ? def->length : distance(s, def->a, def->b)};
    if (damage) s->slots[s->slot_count++] = (foi_slot){at, def->breaks, def->yields};
    if (index) *index = at;
    return FO_OK;
}

// ------------------------------------------------------------------------- bending and surfaces

fo_status fo_structure_add_bend(fo_structure *s, const fo_bend_def *def, fo_message *why)
{
    if (!(isfinite(def->k) && def->k > 0))
        return fo_fail(why, FO_ERROR_ARGUMENT, "the bending stiffness must be positive, is %g",
                       def->k);
    if (def->count < 1 || def->count > MOST_BENDING)
        return fo_fail(why, FO_ERROR_ARGUMENT, "bending needs 1 to %d nodes, found %u",
                       MOST_BENDING, def->count);
    for (uint32_t i = 0; i < def->count; i++) {
        fo_status status = check_index(s, def->nodes[i], why);
        if (status != FO_OK) return status;
        if (!isfinite(def->coefficients[i]))
            return fo_fail(why, FO_ERROR_ARGUMENT, "a coefficient of bending must be finite");
    }
    const fo_allocator *a = s->def.allocator;
    size_t wanted = s->bend_nodes + def->count;
    if (!foi_array_room(a, &s->bends, &s->bend_room, s->bend_count + 1, sizeof *s->bends) ||
        !foi_array_room(a, &s->bend_node, &s->bend_node_room, wanted, sizeof *s->bend_node) ||
        !foi_array_room(a, &s->bend_coefficient, &s->bend_coefficient_room, wanted, sizeof(double)))
        return no_memory(why);
    memcpy(s->bend_node + s->bend_nodes, def->nodes, def->count * sizeof *s->bend_node);
    memcpy(s->bend_coefficient + s->bend_nodes, def->coefficients, def->count * sizeof(double));
    s->bends[s->bend_count++] = (foi_bend){(uint32_t)s->bend_nodes, def->count, def->k};
    s->bend_nodes = wanted;
    return FO_OK;
}

// Copies facets into the pool; *first gets the index of the first facet's first node.
static fo_status add_facets(fo_structure *s, const uint32_t *facets, uint32_t count,
                            uint32_t *first, fo_message *why)
{
    if (s->dim < 2) return fo_fail(why, FO_ERROR_ARGUMENT, "a surface needs 2 or 3 dimensions");
    if (!count || count > most_nodes)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a surface needs facets, found %u", count);
    size_t nodes = (size_t)count * (size_t)s->dim;
    for (size_t i = 0; i < nodes; i++) {
        fo_status status = check_index(s, facets[i], why);
        if (status != FO_OK) return status;
    }
    if (!foi_array_room(s->def.allocator, &s->facets, &s->facet_room, s->facet_count + nodes,
                        sizeof *s->facets))
        return no_memory(why);
    memcpy(s->facets + s->facet_count, facets, nodes * sizeof *facets);
    *first = (uint32_t)s->facet_count;
    s->facet_count += nodes;
    return FO_OK;
}

// The nodes of a surface, once each. A few facets are searched, many are ticked off.
static fo_status add_members(fo_structure *s, uint32_t facet_first, uint32_t facets,
                             uint32_t *first, uint32_t *count, fo_message *why)
{
    enum { FEW = 128 };
    uint32_t nodes = facets * (uint32_t)s->dim;
    uint8_t *seen = foi_new(s->def.allocator, nodes > FEW ? s->nodes : 0, 1);
    bool room = seen && foi_array_room(s->def.allocator, &s->members, &s->member_room,
                                       s->member_count + nodes, sizeof *s->members);
    *first = (uint32_t)s->member_count;
    for (uint32_t i = 0; room && i < nodes; i++) {
        uint32_t node = s->facets[facet_first + i];
        size_t known = *first;
        if (nodes <= FEW)
            while (known < s->member_count && s->members[known] != node) known++;
        else
            known = seen[node] ? 0 : s->member_count, seen[node] = 1;
        if (known == s->member_count) s->members[s->member_count++] = node;
    }
    *count = (uint32_t)s->member_count - *first;
    foi_free(s->def.allocator, seen);
    return room ? FO_OK : no_memory(why);
}

fo_status fo_structure_add_skin(fo_structure *s, const fo_skin_def *def, fo_message *why)
{
    foi_skin skin = {.count = def->count, .tension = def->tension, .modulus = def->modulus};
    if (!not_negative(def->tension) || !isfinite(def->modulus) ||
        (def->tension == 0 && def->modulus == 0))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "the surface tension must be positive, is %g, or the modulus given",
                       def->tension);
    if (!foi_array_room(s->def.allocator, &s->skins, &s->skin_room, s->skin_count + 1,
                        sizeof *s->skins))
        return no_memory(why);
    size_t facets = s->facet_count;
    fo_status status = add_facets(s, def->facets, def->count, &skin.first, why);
    if (status == FO_OK) {
        skin.begin = foi_skin_area(s, &skin, s->begin);
        if (!(skin.begin > 0))
            status = fo_fail(why, FO_ERROR_ARGUMENT, "a skin needs an area, it is %g", skin.begin);
    }
    if (status == FO_OK && def->modulus != 0)
        status =
            add_members(s, skin.first, skin.count, &skin.member_first, &skin.member_count, why);
    if (status == FO_OK)
        s->skins[s->skin_count++] = skin;
    else
        s->facet_count = facets;
    return status;
}

fo_status fo_structure_add_volume(fo_structure *s, const fo_volume_def *def, fo_message *why)
{
    foi_volume v = {.count = def->count, .law = def->law, .value = def->value};
    if (!isfinite(def->value) || (def->law == FO_VOLUME_GAS && def->value <= 0))
        return fo_fail(why, FO_ERROR_ARGUMENT, "the pressure must be positive, is %g", def->value);
    if (!foi_array_room(s->def.allocator, &s->volumes, &s->volume_room, s->volume_count + 1,
                        sizeof *s->volumes))
        return no_memory(why);
    size_t facets = s->facet_count;
    fo_status status = add_facets(s, def->facets, def->count, &v.first, why);
    if (status == FO_OK)
        status = add_members(s, v.first, v.count, &v.member_first, &v.member_count, why);
    if (status == FO_OK) {
        v.begin = foi_enclosed(s, &v, s->begin);
        if (!(v.begin > 0))
            status = fo_fail(why, FO_ERROR_ARGUMENT,
                             "the facets must enclose a positive volume, it is %g", v.begin);
    }
    if (status == FO_OK)
        s->volumes[s->volume_count++] = v;
    else
        s->facet_count = facets;
    return status;
}

// ---------------------------------------------------------------------------------------- ports

// The axis along which a direction points; -1: none.
static int along(const double direction[3])
{
    int axis = -1;
    for (int a = 0; a < 3; a++) {
        if (direction[a] == 0) continue;
        if (axis >= 0) return -1;
        axis = a;
    }
    return axis;
}

static fo_status check_signal(const fo_port_def *def, fo_message *why)
{
    for (size_t i = 0; i < def->changes; i++) {
        if (!isfinite(def->times[i]) || !isfinite(def->values[i]))
            return fo_fail(why, FO_ERROR_ARGUMENT, "a signal's times and values must be finite");
        if (i && !(def->times[i] > def->times[i - 1]))
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "a signal's times must ascend, found %g after %g", def->times[i],
                           def->times[i - 1]);
    }
    return isfinite(def->start) ? FO_OK
                                : fo_fail(why, FO_ERROR_ARGUMENT, "the start must be finite");
}

static fo_status check_port(const fo_structure *s, const fo_port_def *def, fo_message *why)
{
    double length2 = 0;
    for (int a = 0; a < 3; a++) length2 += def->direction[a] * def->direction[a];
    for (int a = s->dim; a < 3; a++)
        if (def->direction[a] != 0)
            return fo_fail(
                why, FO_ERROR_ARGUMENT,
                "the direction of a port points out of the %d dimensions of the structure", s->dim);
    if (!(isfinite(length2) && length2 > 0))
        return fo_fail(why, FO_ERROR_ARGUMENT, "a port needs a direction that is not zero");
    if (!def->name || !*def->name) return fo_fail(why, FO_ERROR_ARGUMENT, "a port needs a name");
    bool bowl = def->node == FO_BOWL;
    if (bowl && !(s->def.bowl > 0))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "port '%s' acts on the bowl, and this structure has none: its 'bowl' is 0",
                       def->name);
    if (!bowl && check_index(s, def->node, why) != FO_OK) return FO_ERROR_ARGUMENT;
    int axis = along(def->direction);
    if ((bowl || def->flow_in) && axis < 0)
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "port '%s': with flow in, or on the bowl, the direction is along an axis",
                       def->name);
    for (size_t i = 0; i < s->port_count; i++) {
        const foi_port *p = &s->ports[i];
        if (p->node == def->node && p->axis == axis && axis >= 0 && (bowl || def->flow_in) &&
            (bowl || p->flow_in))
            return fo_fail(why, FO_ERROR_ARGUMENT,
                           "port '%s': port '%s' acts on the same node and axis already", def->name,
                           p->name);
    }
    return check_signal(def, why);
}

fo_status fo_structure_add_port(fo_structure *s, const fo_port_def *def, uint32_t *index,
                                fo_message *why)
{
    fo_status status = check_port(s, def, why);
    if (status != FO_OK) return status;
    const fo_allocator *a = s->def.allocator;
    foi_port p = {foi_copy_text(a, def->name),
                  def->node,
                  .axis = along(def->direction),
                  .flow_in = def->flow_in,
                  .connected = def->connected,
                  .start = def->start,
                  .times = foi_new(a, def->changes, sizeof(double)),
                  .values = foi_new(a, def->changes, sizeof(double)),
                  .changes = def->changes};
    if (!p.name || !p.times || !p.values ||
        !foi_array_room(a, &s->ports, &s->port_room, s->port_count + 1, sizeof *s->ports)) {
        foi_free(a, p.name), foi_free(a, p.times), foi_free(a, p.values);
        return no_memory(why);
    }
    double length = 0;
    for (int c = 0; c < 3; c++) length += def->direction[c] * def->direction[c];
    // what has been made one long already keeps its bits
    length = fabs(length - 1) < 1e-15 ? 1 : sqrt(length);
    for (int c = 0; c < 3; c++) p.direction[c] = def->direction[c] / length;
    if (def->changes) memcpy(p.times, def->times, def->changes * sizeof(double));
    if (def->changes) memcpy(p.values, def->values, def->changes * sizeof(double));
    if (p.node == FO_BOWL) {
        s->bowl_mode[p.axis] = p.flow_in ? FOI_BOWL_FLOW : FOI_BOWL_EFFORT;
        s->bowl_port[p.axis] = (uint32_t)s->port_count;
    }
    if (index) *index = (uint32_t)s->port_count;
    s->ports[s->port_count++] = p;
    return FO_OK;
}
