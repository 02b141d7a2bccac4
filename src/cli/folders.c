// Where the documents of the gallery are, and the parts of the program.
#include "cli/folders.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/model.h"

enum { MOST = 32, LEVELS = 3 };

/// Found once; the environment and the program stay where they are.
typedef struct folders {
    const char *list[MOST + 1];
    size_t count;
    char texts[MOST][PATH_MAX];
    char given[PATH_MAX];
    bool known;
} folders;

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static void add(folders *f, const char *path)
{
    if (f->count == MOST || !is_folder(path)) return;
    snprintf(f->texts[f->count], PATH_MAX, "%s", path);
    f->list[f->count] = f->texts[f->count];
    f->count++;
}

static void add_given(folders *f)
{
    const char *text = getenv("FOLIOT_MODELS");
    char *save = NULL;
    snprintf(f->given, sizeof f->given, "%s", text ? text : "");
    for (char *part = strtok_r(f->given, ":", &save); part; part = strtok_r(NULL, ":", &save))
        add(f, part);
}

// build/foliot and build/check/foliot stand below the source tree.
static void add_source(folders *f, char *own)
{
    for (int level = 0; level < LEVELS; level++) {
        char *slash = strrchr(own, '/');
        if (!slash || slash == own) return;
        *slash = 0;
        char path[PATH_MAX + 32];
        struct stat about;
        snprintf(path, sizeof path, "%s/models/gallery.h", own);
        if (stat(path, &about) != 0) continue;
        snprintf(path, sizeof path, "%s/models", own);
        add(f, path);
        return;
    }
}

// The folder of this program, without a slash at its end.
static bool own_folder(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');
    if (slash) *slash = 0;
    return slash;
}

bool program_part(const char *name, char *path, size_t size)
{
    char own[PATH_MAX];
    struct stat about;
    snprintf(path, size, "%s", name);
    if (!own_folder(own, sizeof own)) return false;
    snprintf(path, size, "%s/%s", own, name);
    if (stat(path, &about) == 0) return true;
#ifdef FOLIOT_PARTS_AT
    snprintf(path, size, "%s/%s/%s", own, FOLIOT_PARTS_AT, name);
#endif
    return stat(path, &about) == 0;
}

const char *model_headers(void)
{
    static char path[PATH_MAX + 64];
    char own[PATH_MAX], header[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = 0;
    // installed: bin/foliot beside include/; built: below the source tree, which has one, too
    for (int level = 0; level <= LEVELS; level++) {
        char *slash = strrchr(own, '/');
        if (!slash || slash == own) return NULL;
        *slash = 0;
        struct stat about;
        snprintf(path, sizeof path, "%s/include", own);
        snprintf(header, sizeof header, "%s/include/foliot/world.h", own);
        if (stat(header, &about) == 0) return path;
    }
    return NULL;
}

const char *const *model_folders(void)
{
    static folders f;
    if (f.known) return f.list;
    f.known = true;
    add_given(&f);
    char own[PATH_MAX], path[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) return f.list;
    own[length] = 0;
    char *slash = strrchr(own, '/');
    if (!slash) return f.list;
#ifdef FOLIOT_MODELS_AT
    *slash = 0;
    snprintf(path, sizeof path, "%s/%s", own, FOLIOT_MODELS_AT);
    add(&f, path);
    *slash = '/';
#else
    (void)path;
#endif
    add_source(&f, own);
    return f.list;
}
