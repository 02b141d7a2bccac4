/// Units of other tools as components of a text. The text is a system with the units' outputs as
/// inputs and their inputs as outputs; here both are composed. A unit is code: it runs where it was
/// named beside the text (fo_model_def.units), never because the text asks for it.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/memory.h"
#include "language/language.h"
#include "model/model.h"

struct foi_text_units {
    const fo_allocator *allocator;
    fo_composition *composition;
    fo_fmu **list;
    uint32_t count;
    fo_component *parts; ///< the text, then the units
    fo_connection *connections;
    uint32_t connection_count;
    size_t room;
};

void foi_text_units_close(foi_text_units *u)
{
    if (!u) return;
    fo_composition_destroy(u->composition);
    for (uint32_t i = 0; u->list && i < u->count; i++) fo_fmu_close(u->list[i]);
    foi_free(u->allocator, u->list);
    foi_free(u->allocator, u->parts);
    foi_free(u->allocator, u->connections);
    foi_free(u->allocator, u);
}

static fo_status no_memory(fo_message *why)
{
    return fo_fail(why, FO_ERROR_MEMORY, "no memory for the units of a text");
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// Beside the text, unless the name says where it is.
static const char *place_of(fo_model *m, const char *file)
{
    const char *slash = m->path ? strrchr(m->path, '/') : NULL;
    if (file[0] == '/' || !slash) return file;
    return foi_arena_print(&m->arena, "%.*s/%s", (int)(slash - m->path), m->path, file);
}

// The finding stands where the block says which unit it is.
static fo_status refuse(fo_model *m, const foi_flat_unit *unit, const char *text)
{
    fo_finding f = {.severity = FO_SEVERITY_ERROR,
                    .file = m->path,
                    .line = unit->place.line,
                    .column = unit->place.column,
                    .text = text ? text : "a unit"};
    foi_model_add_finding(m, &f, NULL);
    return FO_ERROR_UNFIT;
}

static bool named(const fo_model_def *def, const char *path)
{
    for (size_t i = 0; i < def->unit_count; i++)
        if (same_file(path, def->units[i])) return true;
    return false;
}

// A quoted name of a text as it is without quotes, "'a.b'[2]" as "a.b[2]"; `to` may be `name`.
static void unquote(const char *name, char *to)
{
    if (*name == '\'') name++;
    for (; *name && *name != '\''; name++) {
        if (*name == '\\' && name[1]) name++;
        *to++ = *name;
    }
    if (*name)
        memmove(to, name + 1, strlen(name + 1) + 1);
    else
        *to = 0;
}

bool foi_unit_is_called(const char *unit_name, const char *text_name)
{
    char name[512];
    if (strcmp(unit_name, text_name) == 0) return true; // it may have quoted names itself
    if (*text_name != '\'' || strlen(text_name) >= sizeof name) return false;
    unquote(text_name, name);
    return strcmp(unit_name, name) == 0;
}

static fo_status open_unit(fo_model *m, const fo_model_def *def, const foi_flat_unit *unit,
                           fo_fmu **fmu)
{
    const char *path = place_of(m, unit->file);
    fo_message why = {0};
    if (!path) return no_memory(&why);
    if (!named(def, path))
        return refuse(m, unit,
                      foi_arena_print(&m->arena,
                                      "'%s' is code, which runs only where the command names it: "
                                      "--node-types %s",
                                      unit->file, unit->file));
    fo_setting *values = foi_arena_new(&m->arena, unit->value_count + 1, sizeof *values);
    fo_fmu_text *texts = foi_arena_new(&m->arena, unit->text_count + 1, sizeof *texts);
    if (!values || !texts) return no_memory(&why);
    for (uint32_t i = 0; i < unit->value_count; i++)
        values[i] = (fo_setting){unit->values[i].name, unit->values[i].value, false};
    for (uint32_t i = 0; i < unit->text_count; i++) {
        const char *given = unit->texts[i].name;
        char *name = foi_arena_text(&m->arena, given, strlen(given));
        if (!name) return no_memory(&why);
        if (*name == '\'') unquote(name, name);
        texts[i] = (fo_fmu_text){name, unit->texts[i].value};
    }
    fo_fmu_def own = def->fmu;
    own.texts = texts, own.text_count = unit->text_count;
    own.allocator = m->allocator;
    own.type = FO_FMU_MODEL_EXCHANGE; // it flows with the text
    *fmu = foi_model_open_part(path, &own, values, unit->value_count, &why);
    if (*fmu) return FO_OK;
    return refuse(m, unit, foi_arena_text(&m->arena, why.text, strlen(why.text)));
}

static bool find(fo_system system, fo_quantity quantity, const char *name, uint32_t *index)
{
    fo_shape n = fo_system_shape(system);
    uint32_t count = quantity == FO_INPUT ? n.inputs : n.outputs;
    char text[512];
    for (*index = 0; *index < count; ++*index)
        if (foi_unit_is_called(
                fo_system_name(system, (fo_reference){quantity, *index}, text, sizeof text), name))
            return true;
    return false;
}

static fo_status connect(foi_text_units *u, fo_connection c, fo_message *why)
{
    if (!foi_array_room(u->allocator, &u->connections, &u->room, u->connection_count + 1,
                        sizeof *u->connections))
        return no_memory(why);
    u->connections[u->connection_count++] = c;
    return FO_OK;
}

// What jumps reaches the unit as a Real that follows it.
static void cut_number(char *name)
{
    size_t length = strlen(name), tail = strlen(FOI_FLAT_AS_NUMBER);
    if (length > tail && strcmp(name + length - tail, FOI_FLAT_AS_NUMBER) == 0)
        name[length - tail] = 0;
}

// All ports of the text that begin with the component's name, in one direction.
static fo_status wire(fo_model *m, foi_text_units *u, const foi_flat_unit *unit, uint32_t part,
                      bool into_text, fo_message *why)
{
    fo_system text = u->parts[0].system, own = u->parts[part].system;
    fo_shape n = fo_system_shape(text);
    uint32_t count = into_text ? n.inputs : n.outputs, there;
    size_t prefix = strlen(unit->name);
    char name[512];
    fo_status status = FO_OK;
    for (uint32_t i = 0; i < count && status == FO_OK; i++) {
        fo_reference port = {into_text ? FO_INPUT : FO_OUTPUT, i};
        fo_system_name(text, port, name, sizeof name);
        if (strncmp(name, unit->name, prefix) != 0 || name[prefix] != '.') continue;
        if (!into_text) cut_number(name + prefix + 1);
        if (!find(own, into_text ? FO_OUTPUT : FO_INPUT, name + prefix + 1, &there))
            return refuse(m, unit,
                          foi_arena_print(&m->arena, "the unit %s has no %s '%s'", unit->file,
                                          into_text ? "output" : "input", name + prefix + 1));
        status = connect(
            u, into_text ? (fo_connection){part, there, 0, i} : (fo_connection){0, i, part, there},
            why);
    }
    return status;
}

static fo_status add_all(fo_model *m, const fo_model_def *def, const foi_flat *flat,
                         foi_text_units *u, fo_message *why)
{
    fo_status status = FO_OK;
    u->parts[0] = (fo_component){"", m->system};
    for (uint32_t i = 0; i < flat->unit_count && status == FO_OK; i++) {
        const foi_flat_unit *unit = &flat->units[i];
        status = open_unit(m, def, unit, &u->list[i]);
        if (status != FO_OK) return status;
        u->count = i + 1;
        u->parts[i + 1] = (fo_component){unit->name, fo_fmu_system(u->list[i])};
        status = wire(m, u, unit, i + 1, true, why);
        if (status == FO_OK) status = wire(m, u, unit, i + 1, false, why);
    }
    return status;
}

fo_status foi_model_add_units(fo_model *m, const fo_model_def *def, fo_message *why)
{
    const foi_flat *flat = foi_text_model_flat(m->text);
    if (!flat->unit_count) return FO_OK;
    foi_text_units *u = foi_new(m->allocator, 1, sizeof *u);
    if (!u) return no_memory(why);
    u->allocator = m->allocator;
    m->text_units = u;
    u->list = foi_new(m->allocator, flat->unit_count, sizeof *u->list);
    u->parts = foi_new(m->allocator, flat->unit_count + 1, sizeof *u->parts);
    if (!u->list || !u->parts) return no_memory(why);
    fo_program_run_as(m->system, &def->program, NULL); // a note at most: it runs otherwise, too
    fo_status status = add_all(m, def, flat, u, why);
    if (status != FO_OK) return status;
    fo_composition_def whole = fo_default_composition_def();
    whole.name = m->system.about->name, whole.about = m->system.about->about;
    whole.parts = u->parts, whole.part_count = flat->unit_count + 1;
    whole.connections = u->connections, whole.connection_count = u->connection_count;
    whole.allocator = m->allocator;
    u->composition = fo_compose(&whole, why);
    if (!u->composition) return why->status;
    m->system = fo_composition_system(u->composition);
    return FO_OK;
}
