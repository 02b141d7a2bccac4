/// The files that a text sees. It may come from anywhere, so it sees what lies with it only: files
/// of the packages that it names (modelica://Package/...), and those in the folder of its own file
/// and below.
#include <string.h>
#include <sys/stat.h>

#include "language/files.h"

static bool climbs(const char *way)
{
    for (const char *at = way; at; at = strchr(at, '/')) {
        while (*at == '/') at++;
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) return true;
    }
    return false;
}

static const char *folder_of(foi_session *s, const char *name)
{
    const char *slash = name ? strrchr(name, '/') : NULL;
    return slash ? foi_arena_text(&s->arena, name, (size_t)(slash - name)) : ".";
}

// The folder that a name is looked for in, and the rest of it. NULL: nothing of it is to be seen.
static const char *split(foi_session *s, const char *name, const char **rest)
{
    *rest = name;
    if (climbs(name)) return NULL;
    if (strncmp(name, "modelica://", 11) != 0)
        return *name == '/' || s->def->text ? NULL : folder_of(s, s->def->path);
    const char *package = name + 11;
    size_t length = strcspn(package, "/.");
    const char *own = foi_intern(&s->names, package, length);
    const foi_class *c = own ? foi_find_in_class(s, &s->root, own) : NULL;
    *rest = strchr(package, '/');
    if (!c || !*rest) return NULL;
    ++*rest;
    if (c->folder) return c->folder;
    bool known = c->place.file < s->source_count && !(s->def->text && c->place.file == 0);
    return known ? folder_of(s, s->sources[c->place.file].name) : NULL;
}

// Links could lead anywhere.
static bool has_link(foi_session *s, const char *folder, const char *rest)
{
    for (const char *end = rest; *end;) {
        struct stat about;
        while (*end == '/') end++;
        end += strcspn(end, "/");
        const char *way = foi_arena_print(&s->arena, "%s/%.*s", folder, (int)(end - rest), rest);
        if (!way || (lstat(way, &about) == 0 && S_ISLNK(about.st_mode))) return true;
    }
    return false;
}

foi_seen_kind foi_see(foi_session *s, const char *name)
{
    struct stat about;
    const char *rest, *folder = s->def->no_files ? NULL : split(s, name, &rest);
    if (!folder || has_link(s, folder, rest)) return FOI_SEES_NOTHING;
    const char *path = foi_arena_print(&s->arena, "%s/%s", folder, rest);
    if (!path || stat(path, &about) != 0) return FOI_SEES_NOTHING;
    return S_ISREG(about.st_mode)   ? FOI_SEES_FILE
           : S_ISDIR(about.st_mode) ? FOI_SEES_FOLDER
                                    : FOI_SEES_NOTHING;
}

const char *foi_read_seen(foi_session *s, foi_place place, const char *name, size_t *length)
{
    if (s->file_name && strcmp(s->file_name, name) == 0)
        return *length = s->file_length, s->file_text;
    const char *rest, *folder = split(s, name, &rest);
    bool seen = folder && !has_link(s, folder, rest);
    const char *text = seen ? foi_read_beside(s, folder, rest, length) : NULL;
    if (!text) {
        foi_error(s, place,
                  "there is no file '%s' to be read: a text sees files of the packages that it "
                  "names (modelica://Package/...) and of its own folder",
                  name);
        return NULL;
    }
    s->file_name = foi_arena_text(&s->arena, name, strlen(name));
    s->file_text = text, s->file_length = *length;
    s->file_line = 1, s->file_at = 0;
    return s->file_name ? text : NULL;
}
