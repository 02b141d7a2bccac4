/// Files: reading them, and finding those that belong to a package.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "language/library.h"
#include "language/parser.h"
#include "language/session.h"

enum { LARGEST_FILE = 64 << 20 };

static bool exists(const char *path, bool *folder)
{
    struct stat about;
    if (stat(path, &about) != 0) return false;
    *folder = S_ISDIR(about.st_mode);
    return *folder || S_ISREG(about.st_mode);
}

// A FIFO or a device in the place of a text.
static bool is_odd(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode);
}

static bool read_all(foi_session *s, const char *path, const char **text, size_t *length)
{
    const char *wrong;
    FILE *file = foi_file_plain(path, &wrong);
    const foi_place nowhere = {s->source_count, 0, 0};
    if (!file) {
        s->status = FO_ERROR_INPUT;
        return foi_error(s, nowhere, "cannot read '%s': %s", path, wrong);
    }
    // room as the system says it is needed, and doubled, in the arena, where it is not enough
    struct stat about = {0};
    char *all = NULL;
    size_t room = 0, used = 0, got = 1;
    bool right = true, large = fstat(fileno(file), &about) == 0 && about.st_size > LARGEST_FILE;
    while (right && !large && got > 0) {
        if (used + 1 >= room) {
            room = used ? 2 * room : (size_t)about.st_size + 64;
            char *more = foi_arena_new(&s->arena, room, 1);
            right = more != NULL;
            if (right && used) memcpy(more, all, used);
            all = more;
        }
        got = right ? fread(all + used, 1, room - 1 - used, file) : 0;
        used += got, large = used > LARGEST_FILE;
    }
    if (large) right = foi_error(s, nowhere, "'%s' is larger than 64 MiB", path);
    if (right && ferror(file)) {
        s->status = FO_ERROR_INPUT;
        right = foi_error(s, nowhere, "cannot read '%s': %s", path, strerror(errno));
    }
    fclose(file);
    *text = all ? all : "";
    *length = used;
    return right;
}

static bool parse(foi_session *s, const char *name, const char *text, size_t length,
                  foi_stored *stored)
{
    const char *kept = foi_arena_text(&s->arena, name, strlen(name));
    foi_source *source = foi_arena_add(&s->arena, &s->sources, &s->source_count, sizeof *source);
    if (!kept || !source) return false;
    *source = (foi_source){kept, text, length, s->in_library};
    foi_parser p;
    size_t errors = s->messages->errors;
    foi_parser_begin(&p, &s->arena, &s->names, s->messages, s->source_count - 1, kept, text,
                     length);
    p.library = s->in_library;
    foi_parse_file(&p, stored);
    return s->messages->errors == errors && !s->arena.failed;
}

static bool parse_path(foi_session *s, const char *path, foi_stored *stored)
{
    const char *text;
    size_t length;
    return read_all(s, path, &text, &length) && parse(s, path, text, length, stored);
}

static bool adopt(foi_session *s, foi_class *into, foi_class *c)
{
    for (uint32_t i = 0; i < into->class_count; i++)
        if (into->classes[i]->name == c->name) {
            foi_error(s, c->place, "class '%s' is declared twice", c->name);
            foi_note(s, into->classes[i]->place, "here is the other");
            return false;
        }
    foi_class **slot = foi_arena_add(&s->arena, &into->classes, &into->class_count, sizeof *slot);
    if (!slot) return false;
    *slot = c;
    c->enclosing = into;
    return true;
}

static const char *folder_of(foi_session *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? foi_arena_text(&s->arena, path, slash > path ? (size_t)(slash - path) : 1)
                 : foi_arena_text(&s->arena, ".", 1);
}

// The class of a file folder/name.mo or folder/name/package.mo, adopted by `in`.
static foi_class *from_folder(foi_session *s, foi_class *in, const char *folder, const char *name)
{
    if (*name == '\'' || !folder || s->def->no_files) return NULL;
    bool is_folder;
    const char *inside = foi_arena_print(&s->arena, "%s/%s", folder, name);
    const char *path = foi_arena_print(&s->arena, "%s/%s/package.mo", folder, name);
    if (!inside || !path) return NULL;
    if (!exists(path, &is_folder) || is_folder) {
        inside = NULL;
        path = foi_arena_print(&s->arena, "%s/%s.mo", folder, name);
        if (path && is_odd(path))
            foi_note(s, (foi_place){0}, "'%s' is no plain file: it counts as not there", path);
        if (!path || !exists(path, &is_folder) || is_folder) return NULL;
    }
    for (uint32_t i = 0; i < s->source_count; i++)
        if (strcmp(s->sources[i].name, path) == 0) return NULL;
    foi_stored stored;
    if (!parse_path(s, path, &stored)) return NULL;
    for (uint32_t i = 0; i < stored.count; i++)
        if (stored.classes[i]->name == name) {
            stored.classes[i]->folder = inside;
            stored.classes[i]->in_library = s->in_library;
            return adopt(s, in, stored.classes[i]) ? stored.classes[i] : NULL;
        }
    foi_error(s, (foi_place){s->source_count - 1, 1, 1}, "expected class '%s' in this file", name);
    return NULL;
}

// A small library of constants, units and functions, when the model names it and none is at hand.
static foi_class *from_library(foi_session *s, const char *name)
{
    bool answers = strcmp(name, "__Foliot_External") == 0;
    if (!answers && (s->library_tried || strcmp(name, "Modelica") != 0)) return NULL;
    if (!answers) s->library_tried = true;
    const char *const *texts = answers ? foi_answer_texts : foi_library_texts;
    size_t length = 0;
    for (const char *const *t = texts; *t; t++) length += strlen(*t);
    char *text = foi_arena_new(&s->arena, length + 1, 1), *end = text;
    if (!text) return NULL;
    for (const char *const *t = texts; *t; t++) end = stpcpy(end, *t);
    foi_stored stored;
    if (!parse(s, answers ? "functions (built in)" : "Modelica (built in)", text, length,
               &stored) ||
        stored.count != 1)
        return NULL;
    return adopt(s, &s->root, stored.classes[0]) ? stored.classes[0] : NULL;
}

static foi_class *load_missing(foi_session *s, foi_class *in, const char *name)
{
    if (in != &s->root) {
        s->in_library = in->in_library;
        foi_class *inner = from_folder(s, in, in->folder, name);
        s->in_library = false;
        return inner;
    }
    foi_class *c = from_folder(s, in, s->root.folder, name);
    s->in_library = true;
    for (const char *const *l = s->def->libraries; !c && l && *l; l++)
        c = from_folder(s, in, *l, name);
    s->in_library = false;
    return c ? c : from_library(s, name);
}

const char *foi_read_beside(foi_session *s, const char *folder, const char *name, size_t *length)
{
    bool is_folder;
    const char *text = NULL, *path = foi_arena_print(&s->arena, "%s/%s", folder, name);
    if (!path || s->def->no_files || !exists(path, &is_folder) || is_folder) return NULL;
    if (!read_all(s, path, &text, length)) return NULL;
    for (uint32_t i = 0; i < s->source_count; i++)
        if (strcmp(s->sources[i].name, path) == 0) return text;
    // a file that the model was made of, as texts are: it goes along with the model
    foi_source *source = foi_arena_add(&s->arena, &s->sources, &s->source_count, sizeof *source);
    if (!source) return NULL;
    *source = (foi_source){path, text, *length, true};
    return text;
}

bool foi_is_beside(const foi_class *c)
{
    return c->enclosing && c->place.file != c->enclosing->place.file;
}

foi_class *foi_load_missing(foi_session *s, foi_class *in, const char *name)
{
    for (uint32_t i = 0; i < in->missing_count; i++)
        if (in->missing[i] == name) return NULL;
    foi_class *c = load_missing(s, in, name);
    if (c) return c;
    const char **slot = foi_arena_add(&s->arena, &in->missing, &in->missing_count, sizeof *slot);
    if (slot) *slot = name;
    return NULL;
}

// A file "within A.B" in .../A/B/: loads the packages around it and returns the innermost.
static foi_class *around(foi_session *s, const foi_ref *within, const char *folder)
{
    for (uint32_t i = 0; i < within->count && folder; i++) folder = folder_of(s, folder);
    s->root.folder = folder;
    foi_class *c = &s->root;
    for (uint32_t i = 0; i < within->count; i++) {
        const char *name = within->parts[i].name;
        foi_class *inner = from_folder(s, c, c == &s->root ? folder : c->folder, name);
        if (!inner) {
            foi_error(s, within->place, "package '%s' was not found: there is no '%s/package.mo'",
                      name, name);
            return NULL;
        }
        c = inner;
    }
    return c;
}

// The same for a text, which has no folder: where a library has these packages, it is one of their
// classes, in place of the one that is there. NULL: they are not at hand.
static foi_class *around_in_libraries(foi_session *s, const foi_ref *within)
{
    foi_class *c = NULL;
    s->in_library = true;
    for (const char *const *l = s->def->libraries; !c && l && *l; l++)
        c = from_folder(s, &s->root, *l, within->parts[0].name);
    s->in_library = false;
    for (uint32_t i = 1; c && i < within->count; i++)
        c = foi_find_in_class(s, c, within->parts[i].name);
    return c;
}

// A text that is the package.mo of a folder of the libraries: its other classes lie there.
static void take_folder(foi_session *s, foi_class *c, const char *folder)
{
    bool is_folder;
    if (c->folder || !folder || *c->name == '\'') return;
    const char *path = foi_arena_print(&s->arena, "%s/%s/package.mo", folder, c->name);
    if (!path || !exists(path, &is_folder) || is_folder) return;
    c->folder = folder_of(s, path), c->in_library = c->folder != NULL;
}

static void take_folders(foi_session *s, const foi_class *into, foi_class *c)
{
    if (c->kind != FOI_CLASS_PACKAGE || !s->def->text || s->def->no_files || s->apart) return;
    if (into != &s->root) take_folder(s, c, into->folder);
    for (const char *const *l = s->def->libraries; into == &s->root && l && *l; l++)
        take_folder(s, c, *l);
}

static bool adopt_instead(foi_session *s, foi_class *into, foi_class *c)
{
    for (uint32_t i = 0; i < into->class_count; i++) {
        if (into->classes[i]->name != c->name) continue;
        into->classes[i] = c, c->enclosing = into;
        return true;
    }
    return adopt(s, into, c);
}

/// Where there are no links in paths (WebAssembly), a path is as whole as it is.
static bool find_whole_path(const char *path, char full[PATH_MAX])
{
#ifdef __wasm__
    (void)path, (void)full;
    return false;
#else
    return realpath(path, full) != NULL;
#endif
}

static bool adopt_main(foi_session *s, const foi_stored *stored, const char *path)
{
    foi_class *into = &s->root;
    char full[PATH_MAX];
    // the packages around it may lie above where a relative path begins
    if (stored->within && !s->def->no_files && !s->def->text && find_whole_path(path, full))
        path = full;
    // a text has a name, but no folder: what a message brings reads no files
    s->root.folder = s->def->text ? NULL : folder_of(s, path);
    if (!s->root.folder && !s->def->text) return false;
    size_t length = strlen(path);
    if (stored->within && !s->def->no_files && !s->def->text && length >= 11 &&
        strcmp(path + length - 11, "/package.mo") == 0 &&
        stored->count == 1) { // the folder is the package; those around it begin one above
        stored->classes[0]->folder = s->root.folder;
        s->root.folder = folder_of(s, s->root.folder);
        if (!s->root.folder) return false;
    }
    if (stored->within && !s->def->no_files && !s->def->text) {
        into = around(s, stored->within, s->root.folder);
        if (!into) return false;
    }
    foi_class *library = stored->within && s->def->text && !s->def->no_files
                             ? around_in_libraries(s, stored->within)
                             : NULL;
    if (library) into = library;
    s->apart = stored->within && into == &s->root;
    for (uint32_t i = 0; i < stored->count; i++) {
        foi_class *c = stored->classes[i];
        take_folders(s, into, c);
        if (!(library ? adopt_instead(s, into, c) : adopt(s, into, c))) return false;
    }
    return true;
}

bool foi_load_main(foi_session *s, foi_class ***classes, uint32_t *count)
{
    const char *path = s->def->path;
    *classes = NULL, *count = 0;
    if (!path) return true; // a model of the libraries
    bool is_folder = false;
    foi_stored stored = {0};
    if (s->def->text) {
        if (!parse(s, path, s->def->text, strlen(s->def->text), &stored)) return false;
    } else {
        if (exists(path, &is_folder) && is_folder)
            path = foi_arena_print(&s->arena, "%s/package.mo", path);
        if (!path || !parse_path(s, path, &stored)) return false;
    }
    size_t length = strlen(path);
    bool package = length >= 10 && strcmp(path + length - 10, "package.mo") == 0;
    if (!s->def->text && package && stored.count == 1 && !stored.within) {
        // the folder is the package; its neighbours are found from the folder above
        stored.classes[0]->folder = folder_of(s, path);
        if (!stored.classes[0]->folder || !adopt(s, &s->root, stored.classes[0])) return false;
        s->root.folder = folder_of(s, stored.classes[0]->folder);
    } else if (!adopt_main(s, &stored, path)) {
        return false;
    }
    *classes = stored.classes, *count = stored.count;
    if (stored.count == 0) return foi_error(s, (foi_place){0, 0, 0}, "the file holds no model");
    return true;
}
