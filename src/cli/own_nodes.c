#include "cli/own_nodes.h"

#include "cli/model.h"

enum { MOST_FILES = 64, MOST_TYPES = 256 };

static fo_node_library *libraries[MOST_FILES];
static const fo_node_type *types[MOST_TYPES];
static size_t library_count, type_count;

bool own_nodes_add(const command *c, const char *path)
{
    fo_message why = {0};
    size_t count = 0;
    fo_node_library *library = fo_node_library_open(
        &(fo_node_library_def){.path = path, .headers = model_headers()}, &why);
    if (!library) {
        complain(c, "--nodes: %s", why.text);
        return false;
    }
    const fo_node_type *const *list = fo_node_library_types(library, &count);
    if (library_count == MOST_FILES || count > MOST_TYPES - type_count) {
        complain(c, "--nodes: more than %d files or %d node types", MOST_FILES, MOST_TYPES);
        fo_node_library_close(library);
        return false;
    }
    libraries[library_count++] = library;
    for (size_t i = 0; i < count; i++) types[type_count++] = list[i];
    return true;
}

const fo_node_type *const *own_nodes(size_t *count)
{
    *count = type_count;
    return types;
}
