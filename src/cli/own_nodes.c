#include "cli/own_nodes.h"

#include <string.h>

#include "cli/model.h"

enum { MOST_FILES = 64, MOST_TYPES = 256 };

static fo_node_library *libraries[MOST_FILES];
static const fo_node_type *types[MOST_TYPES];
static const char *units[MOST_FILES], *files[2 * MOST_FILES];
static size_t library_count, type_count, unit_count, file_count;

// An FMU is not loaded here: nodes of diagrams may name it.
static bool add_unit(const command *c, const char *path)
{
    if (unit_count == MOST_FILES) {
        complain(c, "--node-types: more than %d FMUs", MOST_FILES);
        return false;
    }
    units[unit_count++] = path;
    files[file_count++] = path;
    return true;
}

const char *const *own_units(size_t *count)
{
    *count = unit_count;
    return units;
}

bool own_nodes_add(const command *c, const char *path)
{
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".fmu") == 0) return add_unit(c, path);
    fo_message why = {0};
    size_t count = 0;
    fo_node_library *library = fo_node_library_open(
        &(fo_node_library_def){.path = path, .headers = model_headers()}, &why);
    if (!library) {
        complain(c, "--node-types: %s", why.text);
        return false;
    }
    const fo_node_type *const *list = fo_node_library_types(library, &count);
    if (library_count == MOST_FILES || count > MOST_TYPES - type_count) {
        complain(c, "--node-types: more than %d files or %d node types", MOST_FILES, MOST_TYPES);
        fo_node_library_close(library);
        return false;
    }
    libraries[library_count++] = library;
    files[file_count++] = path;
    for (size_t i = 0; i < count; i++) types[type_count++] = list[i];
    return true;
}

const char *const *own_files(size_t *count)
{
    *count = file_count;
    return files;
}

const fo_node_type *const *own_nodes(size_t *count)
{
    *count = type_count;
    return types;
}
