/// The last check of a structure, and how it is called as a system.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "structure/structure.h"

enum { NAMED = 20000 }; ///< more coordinates than this are not named one by one

static fo_status no_memory(fo_message *why)
{
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for a structure");
}

// ---------------------------------------------------------------------------------------- names

// Keeps a copy of "first" + "second"; NULL when memory is lacking.
static const char *keep(fo_structure *s, const char *first, const char *second)
{
    const fo_allocator *a = s->def.allocator;
    size_t length = strlen(first), size = length + strlen(second) + 1;
    if (!foi_array_room(a, &s->texts, &s->text_room, s->text_count + 1, sizeof *s->texts))
        return NULL;
    char *text = foi_new(a, size, 1);
    if (!text) return NULL;
    memcpy(text, first, length);
    memcpy(text + length, second, size - length);
    return s->texts[s->text_count++] = text;
}

static bool name_states(fo_structure *s, fo_variable *list)
{
    static const char *const positions[] = {".x", ".y", ".z"};
    static const char *const velocities[] = {".vx", ".vy", ".vz"};
    static const char *const bowl[] = {"R.x", "R.y", "R.z"};
    uint32_t dim = (uint32_t)s->dim, n = foi_coordinates(s);
    char number[16];
    for (uint32_t c = 0; c < n; c++) {
        const char *name = s->names[c / dim];
        if (!name) snprintf(number, sizeof number, "%u", c / dim + 1);
        list[c] =
            (fo_variable){keep(s, name ? name : number, positions[c % dim]), "m", s->start[c]};
        list[n + c] = (fo_variable){keep(s, name ? name : number, velocities[c % dim]), "m/s",
                                    s->velocity[c]};
        if (!list[c].name || !list[n + c].name) return false;
    }
    for (uint32_t k = 0; 2 * n + k < s->shape.states; k++)
        list[2 * n + k] = (fo_variable){bowl[k], "m", 0, "displacement of the bowl"};
    return true;
}

static bool name_discretes(fo_structure *s, fo_variable *list)
{
    for (size_t i = 0; i < s->port_count; i++) {
        list[i] = (fo_variable){keep(s, s->ports[i].name, ".signal"), "", 0,
                                "what the document adds to the input now"};
        if (!list[i].name) return false;
    }
    list += s->port_count;
    for (size_t i = 0; i < s->slot_count; i++, list += FOI_SLOT_DISCRETES) {
        const foi_spring *spring = &s->springs[s->slots[i].spring];
        char name[32];
        snprintf(name, sizeof name, "spring%u", s->slots[i].spring + 1);
        list[FOI_WHOLE] = (fo_variable){keep(s, name, ".whole"), "", 1, "0: broken"};
        list[FOI_LENGTH] = (fo_variable){keep(s, name, ".length"), "m", spring->d, "at rest"};
        list[FOI_FLOWING] = (fo_variable){keep(s, name, ".flowing"), "", 0, "1 or -1: yields"};
        if (!list[0].name || !list[1].name || !list[2].name) return false;
    }
    return true;
}

static bool name_ports(fo_structure *s, fo_variable *inputs, fo_variable *outputs)
{
    uint32_t each = foi_port_outputs(s);
    for (size_t i = 0; i < s->port_count; i++) {
        const foi_port *p = &s->ports[i];
        inputs[i] = (fo_variable){p->name, p->flow_in ? "m/s" : "N", p->start,
                                  p->flow_in ? "flow into the port" : "effort into the port"};
        fo_variable *y = outputs + each * i;
        y[0] = (fo_variable){keep(s, p->name, p->flow_in ? ".effort" : ".flow"),
                             p->flow_in ? "N" : "m/s"};
        y[0].direct = p->flow_in; // friction and other springs feel the flow at once
        if (each > 1)
            y[1] = (fo_variable){keep(s, p->name, ".energy"), "J", 0,
                                 "that came through the port since the start"};
        if (!y[0].name || !y[each - 1].name) return false;
    }
    return true;
}

static void name_energies(fo_variable *list, uint32_t count)
{
    const fo_variable names[FOI_OUTPUTS] = {
        {"kinetic", "J", 0, "sum of m v^2 / 2"},
        {"potential", "J", 0, "of springs, bending, volumes, skins, gravity and bowl"},
        {"energy", "J", 0, "kinetic and potential"},
        {"energy_ports", "J", 0,
         "that came through all ports, and by what was set, since the start"},
        {"energy_friction", "J", 0, "lost to friction since the start"},
        {"energy_damage", "J", 0, "lost in springs that broke or yielded since the start"},
        {"balance", "J", 0, "energy, less what it was and came in, plus what was lost"},
    };
    memcpy(list, names, count * sizeof *names);
}

static bool name_guards(fo_structure *s)
{
    char name[32];
    for (size_t i = 0; i < s->slot_count; i++) {
        fo_guard *g = s->guards + i * FOI_SLOT_GUARDS;
        snprintf(name, sizeof name, "spring%u", s->slots[i].spring + 1);
        g[FOI_GUARD_BREAK] =
            (fo_guard){keep(s, name, " breaks"), FO_FALLING, "its strain reaches what it bears"};
        g[FOI_GUARD_YIELD] = (fo_guard){keep(s, name, " yields"), FO_FALLING,
                                        "it begins to flow, or is at rest again"};
        if (!g[0].name || !g[1].name) return false;
    }
    return true;
}

fo_status foi_make_description(fo_structure *s, fo_message *why)
{
    const fo_allocator *a = s->def.allocator;
    bool named = foi_coordinates(s) <= NAMED;
    size_t states = named ? s->shape.states : 0;
    size_t discretes = s->shape.discretes, ports = s->port_count, outputs = s->shape.outputs;
    s->variables =
        foi_new(a, states + discretes + ports + outputs + FOI_PARAMETERS, sizeof *s->variables);
    s->guards = foi_new(a, s->slot_count * FOI_SLOT_GUARDS, sizeof *s->guards);
    if (!s->variables || !s->guards) return no_memory(why);
    fo_variable *x = s->variables, *d = x + states, *u = d + discretes, *y = u + ports;
    fo_variable *p = y + outputs;
    name_energies(y, foi_energy_outputs(s));
    p[FOI_RATE] =
        (fo_variable){"friction_rate", "1/s", s->def.friction_rate, "force -rate m v", 0, INFINITY};
    p[FOI_FRICTION] =
        (fo_variable){"friction", "N s/m", s->def.friction, "force -friction v", 0, INFINITY};
    p[FOI_GRAVITY] = (fo_variable){"gravity", "", 1, "factor of the gravity"};
    if ((named && !name_states(s, x)) || !name_discretes(s, d) ||
        !name_ports(s, u, y + foi_energy_outputs(s)) || !name_guards(s))
        return no_memory(why);
    s->moment = (fo_event){"signal", .about = "an input changes as the document says"};
    s->description =
        (fo_description){.name = s->def.name,
                         .about = s->def.about,
                         .equations = "m q'' = -dV/dq - (friction_rate m + friction) q' + efforts",
                         .states = {x, states},
                         .discretes = {d, discretes},
                         .inputs = {u, ports},
                         .outputs = {y, outputs},
                         .parameters = {p, FOI_PARAMETERS},
                         .guards = {s->guards, s->slot_count * FOI_SLOT_GUARDS},
                         .moments = {&s->moment, ports ? 1 : 0},
                         .stiff = s->def.stiff};
    return FO_OK;
}

// ------------------------------------------------------------------------------------ the finish

static fo_status check_masses(const fo_structure *s, fo_message *why)
{
    for (uint32_t i = 0; i < s->nodes; i++)
        for (int k = 0; k < s->dim; k++)
            if (s->mass[i] == 0 && !s->fixed[i * (uint32_t)s->dim + (uint32_t)k])
                return fo_fail(why, FO_ERROR_ARGUMENT, "node %u has no mass and is not fixed",
                               i + 1);
    return s->nodes ? FO_OK : fo_fail(why, FO_ERROR_ARGUMENT, "a structure needs a node");
}

static fo_status set_drivers(fo_structure *s, fo_message *why)
{
    size_t n = foi_coordinates(s);
    s->driver = foi_new(s->def.allocator, n, sizeof *s->driver);
    s->inverse_mass = foi_new(s->def.allocator, n, sizeof *s->inverse_mass);
    if (!s->driver || !s->inverse_mass) return no_memory(why);
    for (size_t c = 0; c < n; c++) {
        s->driver[c] = FOI_NO_INDEX;
        s->inverse_mass[c] = s->fixed[c] ? 0 : 1 / s->mass[c / (size_t)s->dim];
    }
    for (size_t i = 0; i < s->port_count; i++) {
        const foi_port *p = &s->ports[i];
        if (!p->flow_in || p->node == FO_BOWL) continue;
        size_t c = (size_t)p->node * (size_t)s->dim + (size_t)p->axis;
        if (s->fixed[c])
            return fo_fail(why, FO_ERROR_ARGUMENT, "port '%s' drives a direction that is fixed",
                           p->name);
        s->driver[c] = (uint32_t)i;
        s->inverse_mass[c] = 0;
        s->flows = true;
    }
    return FO_OK;
}

static void set_shape(fo_structure *s)
{
    uint32_t n = foi_coordinates(s), bowl = 0;
    for (int a = 0; a < s->dim; a++)
        if (s->bowl_mode[a] == FOI_BOWL_FLOW) bowl = (uint32_t)s->dim;
    s->shape =
        (fo_shape){.states = 2 * n + bowl,
                   .discretes = (uint32_t)(s->port_count + s->slot_count * FOI_SLOT_DISCRETES),
                   .guards = (uint32_t)(s->slot_count * FOI_SLOT_GUARDS),
                   .inputs = (uint32_t)s->port_count,
                   .outputs = foi_energy_outputs(s) + foi_port_outputs(s) * (uint32_t)s->port_count,
                   .parameters = FOI_PARAMETERS,
                   .pairs = s->flows ? 0 : n};
    s->shape.memory = s->def.leapfrog ? sizeof(double) : foi_account_size(s);
    s->shape.scratch = foi_scratch_size(s);
}

fo_status fo_structure_finish(fo_structure *s, fo_message *why)
{
    if (s->finished) return FO_OK;
    if (s->driver) return fo_fail(why, FO_ERROR_ARGUMENT, "this structure could not be finished");
    fo_status status = check_masses(s, why);
    if (status == FO_OK) status = set_drivers(s, why);
    if (status != FO_OK) return status;
    set_shape(s);
    status = s->def.leapfrog ? foi_make_runs(s, why) : foi_make_pattern(s, why);
    if (status == FO_OK) status = foi_make_description(s, why);
    s->finished = status == FO_OK;
    return status;
}

fo_system fo_structure_system(const fo_structure *s)
{
    const fo_system_type *type = s->def.leapfrog      ? &foi_structure_type_threads
                                 : s->def.unaccounted ? &foi_structure_type_unaccounted
                                                      : &foi_structure_type;
    return (fo_system){type, &s->description, s};
}
