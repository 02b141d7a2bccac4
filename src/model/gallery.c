/// The gallery: models by name, in folders and compiled.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "model/model.h"

// ----------------------------------------------------------------------------------------- folders

typedef bool visitor(void *self, const foi_model_kind *kind, const char *path);

static int visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

// All files of a folder, then those of its folders: a model has one of its own.
static bool visit_folder(const char *folder, int depth, visitor *visit, void *self, bool *lacked)
{
    struct dirent **list = NULL;
    errno = 0;
    int count = scandir(folder, &list, visible, alphasort);
    if (count < 0 && errno == ENOMEM) *lacked = true;
    bool go = true;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count && go; i++) {
            char path[FOI_MODEL_PATH];
            const char *end;
            int length = snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
            if (length < 0 || (size_t)length >= sizeof path) continue;
            bool inside = is_folder(path);
            const foi_model_kind *kind = inside ? NULL : foi_kind_of_file(path, &end);
            if (pass == 0 && kind && !kind->code && !*end) go = visit(self, kind, path);
            if (pass == 1 && inside && depth > 0)
                go = visit_folder(path, depth - 1, visit, self, lacked);
        }
    for (int i = 0; i < count; i++) free(list[i]);
    free(list);
    return go;
}

bool foi_gallery_files(const char *const *folders, visitor *visit, void *self)
{
    bool lacked = false;
    for (; folders && *folders; folders++)
        if (!visit_folder(*folders, 1, visit, self, &lacked)) break;
    return !lacked;
}

// ----------------------------------------------------------------------------------------- the
// list

struct fo_gallery {
    const fo_allocator *allocator;
    foi_arena arena;
    const fo_model_def *def; ///< while it is made
    fo_gallery_entry *list;
    uint32_t count;
};

void foi_describe_json(const char *path, char *about, size_t size)
{
    fo_message why = {0};
    foi_json *json = foi_json_read_file(path, NULL, &why);
    const foi_json_value *line = json ? foi_json_member(foi_json_root(json), "about") : NULL;
    bool said = line && line->kind == FOI_JSON_TEXT;
    snprintf(about, size, "%s", said ? line->text : json ? "" : why.text);
    foi_json_destroy(json);
}

// A kind that cannot tell by a look is opened.
static void describe(const fo_gallery *g, const foi_model_kind *kind, const char *path, char *about,
                     size_t size)
{
    if (kind->describe) {
        kind->describe(path, about, size);
        return;
    }
    fo_model_def def = *g->def;
    fo_model *m;
    def.name = path, def.kind = NULL, def.text = NULL, def.setting_count = 0;
    fo_status status = fo_model_open(&def, &m);
    const char *text = m && m->finding_count ? m->findings[0].text : fo_status_text(status);
    if (status == FO_OK) text = m->system.about->about ? m->system.about->about : "";
    snprintf(about, size, "%s", text);
    fo_model_close(m);
}

static void add(fo_gallery *g, const char *name, const char *kind, const char *about,
                const char *path)
{
    fo_gallery_entry *to = foi_arena_add(&g->arena, &g->list, &g->count, sizeof *to);
    if (!to) return;
    *to = (fo_gallery_entry){
        .name = foi_arena_text(&g->arena, name, strlen(name)),
        .kind = kind,
        .about = foi_arena_text(&g->arena, about ? about : "", strlen(about ? about : "")),
        .path = path ? foi_arena_text(&g->arena, path, strlen(path)) : NULL};
}

static bool taken(const fo_gallery *g, const char *name)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (g->list[i].name && strcmp(g->list[i].name, name) == 0) return true;
    return false;
}

// Called by the name without its ending, where that is free; a file that an earlier folder has,
// too, cannot be reached by name.
static bool add_file(void *self, const foi_model_kind *kind, const char *path)
{
    fo_gallery *g = self;
    const char *file = foi_file_name(path);
    char stem[FOI_NUMBER_NAME], about[256];
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(file) - strlen(kind->ending)), file);
    const char *name = taken(g, stem) ? file : stem;
    if (taken(g, name)) return true;
    describe(g, kind, path, about, sizeof about);
    add(g, name, kind->name, about, path);
    return !g->arena.failed;
}

fo_gallery *fo_gallery_open(const fo_model_def *def, fo_message *why)
{
    fo_gallery *g = foi_new(def->allocator, 1, sizeof *g);
    if (g) {
        g->allocator = def->allocator;
        g->def = def;
        foi_arena_begin(&g->arena, def->allocator, 0);
        for (size_t i = 0; i < def->table.system_count; i++) {
            const fo_description *about = def->table.systems[i]->system.about;
            add(g, about->name, foi_kind_system.name, about->about, NULL);
        }
        for (size_t i = 0; i < def->table.world_count; i++)
            add(g, def->table.worlds[i]->name, foi_kind_world.name, def->table.worlds[i]->about,
                NULL);
        bool whole = foi_gallery_files(def->folders, add_file, g);
        g->def = NULL;
        if (whole && !g->arena.failed) return g;
    }
    fo_fail(why, FO_ERROR_MEMORY, "no memory for the gallery");
    fo_gallery_close(g);
    return NULL;
}

size_t fo_gallery_count(const fo_gallery *g)
{
    return g->count;
}

const fo_gallery_entry *fo_gallery_get(const fo_gallery *g, size_t index)
{
    return index < g->count ? &g->list[index] : NULL;
}

void fo_gallery_close(fo_gallery *g)
{
    if (!g) return;
    foi_arena_end(&g->arena);
    foi_free(g->allocator, g);
}
