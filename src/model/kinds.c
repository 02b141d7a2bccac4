/// Which models there are, and where a name leads.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "model/model.h"

static const foi_model_kind *const kinds[] = {
    &foi_kind_system, &foi_kind_world,     &foi_kind_text,  &foi_kind_library, &foi_kind_fmu,
    &foi_kind_units,  &foi_kind_structure, &foi_kind_field, &foi_kind_diagram};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const foi_model_kind *foi_model_kind_get(size_t index)
{
    return index < KINDS ? kinds[index] : NULL;
}

const char *fo_model_kind_at(size_t index, const char **about)
{
    if (index >= KINDS) return NULL;
    if (about) *about = kinds[index]->about;
    return kinds[index]->name;
}

const char *foi_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool by_ending(const foi_model_kind *kind, const char *name, const char **end)
{
    size_t length = strlen(name), tail = strlen(kind->ending);
    *end = name + length;
    return length >= tail && strcmp(name + length - tail, kind->ending) == 0;
}

const foi_model_kind *foi_kind_of_file(const char *name, const char **end)
{
    for (size_t i = 0; i < KINDS; i++) {
        const foi_model_kind *kind = kinds[i];
        if (!kind->ending) continue;
        if (kind->meant ? kind->meant(name, end) : by_ending(kind, name, end)) return kind;
    }
    return NULL;
}

static const foi_model_kind *kind_called(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}

// ------------------------------------------------------------------------------------- by its name

typedef struct search {
    const char *wanted;
    foi_model_place *place;
    foi_nearest nearest;
    bool found;
} search;

// The name of the file, or the same without its ending.
static bool try_file(void *self, const foi_model_kind *kind, const char *path)
{
    search *s = self;
    const char *name = foi_file_name(path);
    size_t length = strlen(name), stem = length - strlen(kind->ending);
    bool same = strcmp(name, s->wanted) == 0 ||
                (strlen(s->wanted) == stem && strncmp(name, s->wanted, stem) == 0);
    if (same) {
        s->found = true;
        s->place->kind = kind;
        snprintf(s->place->path, sizeof s->place->path, "%s", path);
        return false;
    }
    char shown[128];
    snprintf(shown, sizeof shown, "%.*s", (int)(stem < 127 ? stem : 127), name);
    foi_nearest_try(&s->nearest, shown);
    return true;
}

static void try_table(search *s, const fo_model_table *table)
{
    for (size_t i = 0; i < table->system_count; i++)
        foi_nearest_try(&s->nearest, table->systems[i]->system.about->name);
    for (size_t i = 0; i < table->world_count; i++)
        foi_nearest_try(&s->nearest, table->worlds[i]->name);
}

static fo_status locate_by_name(const fo_model_def *def, foi_model_place *place, fo_message *why)
{
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i]->has && kinds[i]->has(&def->table, def->name)) {
            place->kind = kinds[i];
            return FO_OK;
        }
    search s = {.wanted = def->name, .place = place, .nearest = foi_nearest_to(def->name)};
    try_table(&s, &def->table);
    foi_gallery_files(def->folders, try_file, &s);
    if (s.found) return FO_OK;
    const char *hint = foi_nearest_hint(&s.nearest);
    return fo_fail(why, FO_ERROR_ARGUMENT, "the gallery has no model '%s'%s", def->name,
                   *hint ? hint
                         : "; 'foliot models' lists them, and files are named with their ending, "
                           "as in wave.field.json");
}

// ------------------------------------------------------------------------------------- by its file

static bool exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

// A name of a class, as Modelica.Blocks.Examples.PID_Controller, has no ending of a file.
static bool is_name_of_file(const foi_model_place *place)
{
    size_t length = strlen(place->path), tail = strlen(place->kind->ending);
    return length > tail && strcmp(place->path + length - tail, place->kind->ending) == 0;
}

// A file of this name; where there is none, one of the gallery, which is looked through. Whether it
// is there at all is found out by who reads it.
static void locate_file(const fo_model_def *def, const char *end, foi_model_place *place)
{
    size_t length = (size_t)(end - def->name);
    if (length >= sizeof place->path) length = sizeof place->path - 1;
    memcpy(place->path, def->name, length);
    place->path[length] = 0;
    snprintf(place->part, sizeof place->part, "%s", *end == ':' ? end + 1 : "");
    bool elsewhere =
        !def->text && !place->kind->code && !strchr(place->path, '/') && is_name_of_file(place);
    if (!elsewhere || exists(place->path)) return;
    char wanted[FOI_MODEL_PATH];
    memcpy(wanted, place->path, length + 1);
    search s = {.wanted = wanted, .place = place, .nearest = foi_nearest_to(wanted)};
    foi_gallery_files(def->folders, try_file, &s);
}

static fo_status no_such_kind(const char *name, fo_message *why)
{
    foi_nearest nearest = foi_nearest_to(name);
    for (size_t i = 0; i < KINDS; i++) foi_nearest_try(&nearest, kinds[i]->name);
    return fo_fail(why, FO_ERROR_ARGUMENT, "there is no kind '%.60s' of models%s", name,
                   foi_nearest_hint(&nearest));
}

static fo_status unknown_file(const char *name, fo_message *why)
{
    char known[320] = "";
    for (size_t i = 0; i < KINDS; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", or " : "", kinds[i]->about);
    }
    return fo_fail(why, FO_ERROR_ARGUMENT, "'%.100s' is no model that can be read; MODEL is %s",
                   name, known);
}

fo_status foi_model_locate(const fo_model_def *def, foi_model_place *place, fo_message *why)
{
    *place = (foi_model_place){0};
    if (def->kind && !kind_called(def->kind)) return no_such_kind(def->kind, why);
    if (!def->name && !def->text)
        return fo_fail(why, FO_ERROR_ARGUMENT, "a model needs a name or a text");
    const char *name = def->name ? def->name : "model", *end = name + strlen(name);
    const foi_model_kind *kind = foi_kind_of_file(name, &end);
    if (def->kind) kind = kind_called(def->kind);
    if (def->text && (!kind || !kind->ending || kind->code))
        return fo_fail(why, FO_ERROR_ARGUMENT,
                       "a text needs a kind: text, diagram, structure or field");
    if (def->text || kind) {
        fo_model_def named = *def;
        named.name = name;
        place->kind = kind;
        if (kind->ending) locate_file(&named, end, place);
        if (kind->has && !kind->has(&def->table, name)) return locate_by_name(def, place, why);
        return FO_OK;
    }
    if (!strpbrk(name, "/\\.")) return locate_by_name(def, place, why);
    return unknown_file(name, why);
}

const char *fo_model_find(const fo_model_def *def, char *path, size_t size)
{
    foi_model_place place;
    if (size && path) path[0] = 0;
    if (foi_model_locate(def, &place, NULL) != FO_OK) return NULL;
    if (path && size) snprintf(path, size, "%s", place.path);
    return place.kind->name;
}
