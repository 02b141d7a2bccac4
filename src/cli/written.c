#include "cli/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replace.h"

static void add(written *w, const char *by, const char *path, const char *ending)
{
    size_t size = strlen(path) + strlen(ending) + 1;
    written_name *list = realloc(w->list, (w->count + 1) * sizeof *list);
    if (list) w->list = list;
    char *name = list ? malloc(size) : NULL;
    if (!name) {
        w->lost = true;
        return;
    }
    snprintf(name, size, "%s%s", path, ending);
    w->list[w->count++] = (written_name){by, name};
}

void written_add(written *w, const char *by, const char *path)
{
    if (path) add(w, by, path, "");
}

void written_add_saved(written *w, const char *by, const char *path)
{
    if (!path) return;
    add(w, by, path, "");
    if (strcmp(path, "-") != 0) add(w, by, path, ".new");
}

void written_add_checkpoint(written *w, const char *by, const char *path)
{
    written_add_saved(w, by, path);
    if (path) add(w, by, path, ".lock");
}

void written_add_plots(written *w, const char *by, const char *path, const char *format)
{
    static const char *const endings[] = {".dat", ".dat.new", ".gp", ".gp.new"};
    char picture[16];
    for (int i = 0; i < 4; i++) add(w, by, path, endings[i]);
    snprintf(picture, sizeof picture, ".%s", format);
    add(w, by, path, picture);
}

static bool differ(const written *w, const command *c)
{
    for (size_t i = 0; i < w->count; i++)
        for (size_t j = 0; j < i; j++) {
            const written_name *a = &w->list[j], *b = &w->list[i];
            if (strcmp(a->by, b->by) == 0 || !replace_same(a->path, b->path)) continue;
            complain_usage(c, "%s and %s name the same file '%s'", a->by, b->by, a->path);
            return false;
        }
    return true;
}

bool written_differ(written *w, const command *c)
{
    if (w->lost) complain(c, "out of memory");
    bool fine = !w->lost && differ(w, c);
    for (size_t i = 0; i < w->count; i++) free(w->list[i].path);
    free(w->list);
    *w = (written){.count = 0};
    return fine;
}
