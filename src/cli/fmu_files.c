#include "cli/fmu_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"

typedef struct search {
    const command *self;
    const char *document; ///< its path
    fmu_files *files;
} search;

void fmu_files_free(fmu_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free((char *)files->list[i].name);
        free((void *)files->list[i].data);
    }
    free(files->list);
    *files = (fmu_files){0};
}

// Documents lie beside the diagram's, data where the command runs.
static char *place_of(const search *s, const char *name, bool beside)
{
    const char *slash = beside ? strrchr(s->document, '/') : NULL;
    size_t before = slash ? (size_t)(slash - s->document) + 1 : 0;
    char *path = malloc(before + strlen(name) + 1);
    if (!path) return NULL;
    memcpy(path, s->document, before);
    strcpy(path + before, name);
    return path;
}

static bool is_listed(const search *s, const char *name)
{
    for (size_t i = 0; i < s->files->count; i++)
        if (strcmp(s->files->list[i].name, name) == 0) return true;
    return false;
}

static bool no_memory(const search *s)
{
    complain(s->self, "out of memory");
    return false;
}

static bool add(search *s, const char *name, char *bytes, size_t size)
{
    fo_fmu_file *more = realloc(s->files->list, (s->files->count + 1) * sizeof *more);
    if (more) s->files->list = more;
    while (strncmp(name, "./", 2) == 0) name += 2;
    size_t room = strlen(name) + sizeof "resources/";
    char *full = more ? malloc(room) : NULL;
    if (!full) {
        free(bytes);
        return no_memory(s);
    }
    snprintf(full, room, "resources/%s", name);
    if (is_listed(s, full)) {
        free(full);
        free(bytes);
        return true;
    }
    more[s->files->count++] = (fo_fmu_file){full, bytes, size, false};
    return true;
}

// Names that a unit's own files have are taken; one that leads out of a folder leads out of it
// there.
static bool can_be_inside(const search *s, const char *name)
{
    const char *slash = strrchr(s->document, '/'), *own = slash ? slash + 1 : s->document;
    char *within = foi_file_within(name, ".", NULL, NULL);
    bool inside =
        within && name[0] != '/' && strcmp(name, own) != 0 && strcmp(name, "foliot.txt") != 0;
    free(within);
    if (!inside)
        complain(s->self,
                 "%s: the file '%s' cannot go into a unit: expected a name relative to the folder "
                 "of the command",
                 s->document, name);
    return inside;
}

static bool take_from(search *s, const char *path, const char *name)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    fo_message why = {0};
    bool good = foi_file_load(path, NULL, &bytes, &size, &why) == FO_OK;
    if (!good) complain(s->self, "%s", why.text);
    return good && add(s, name, (char *)bytes, size);
}

static bool take(search *s, const char *name, bool beside)
{
    if (!can_be_inside(s, name)) return false;
    char *path = place_of(s, name, beside);
    if (!path) return no_memory(s);
    bool good = take_from(s, path, name);
    free(path);
    return good;
}

static bool walk(search *s, const foi_json_value *v)
{
    const foi_json_value *type = foi_json_member(v, "type");
    const foi_json_value *numbers = type ? foi_json_member(v, "parameters") : NULL;
    const foi_json_value *file = numbers ? foi_json_member(numbers, "File Name") : NULL;
    if (file && type->kind == FOI_JSON_TEXT && file->kind == FOI_JSON_TEXT) {
        bool data = strcmp(type->text, "From Data File") == 0;
        bool guest = strcmp(type->text, "Structure") == 0 || strcmp(type->text, "Field") == 0;
        if ((data || guest) && !take(s, file->text, guest)) return false;
    }
    for (const foi_json_value *c = v->first; c; c = c->next) // a document is at most 64 deep
        if (!walk(s, c)) return false;
    return true;
}

static bool gather_diagram(search *s)
{
    fo_message why = {0};
    foi_json *json = foi_json_read_file(s->document, NULL, &why);
    if (!json) {
        complain(s->self, "%s", why.text);
        return false;
    }
    bool good = walk(s, foi_json_root(json));
    foi_json_destroy(json);
    return good;
}

// The name of a file in a folder of libraries, from that folder on; NULL: it is in none.
static const char *in_library(const char *path)
{
    fo_model_def where = model_def(path);
    for (const char *const *l = where.libraries; l && *l; l++) {
        size_t length = strlen(*l);
        while (length > 1 && (*l)[length - 1] == '/') length--;
        if (strncmp(path, *l, length) != 0 || path[length] != '/') continue;
        path += length;
        return path + strspn(path, "/");
    }
    return NULL;
}

// That of one beside the document, or below its folder.
static const char *beside(const char *document, const char *path)
{
    const char *slash = strrchr(document, '/');
    size_t length = slash ? (size_t)(slash - document) : 1;
    if (strcmp(document, path) == 0) return NULL; // itself
    bool below = strncmp(path, slash ? document : ".", length) == 0 && path[length] == '/';
    return below ? path + length + 1 : NULL;
}

static bool gather_text(search *s, const fo_model *m)
{
    const char *path;
    bool good = true;
    for (size_t i = 0; good && (path = fo_model_source(m, i)) != NULL; i++) {
        const char *near = beside(s->document, path), *name = near ? near : in_library(path);
        size_t room = name ? strlen(name) + sizeof "libraries/" : 0;
        char *inside = name ? malloc(room) : NULL;
        if (!name) continue;
        if (!inside) return no_memory(s);
        snprintf(inside, room, "%s%s", near ? "" : "libraries/", name);
        good = take_from(s, path, inside);
        free(inside);
    }
    return good;
}

bool fmu_files_gather(const command *self, const fo_model *m, fmu_files *files)
{
    search s = {self, fo_model_path(m), files};
    if (strcmp(fo_model_kind(m), "diagram") == 0) return gather_diagram(&s);
    return gather_text(&s, m);
}
