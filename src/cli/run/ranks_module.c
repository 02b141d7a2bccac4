#include "cli/run/ranks_module.h"

#include <dlfcn.h>
#include <foliot/version.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/folders.h"

typedef struct entry {
    const char *name;
    size_t offset;
} entry;

#define ENTRY(member)                                         \
    {                                                         \
        "fo_cluster_" #member, offsetof(ranks_module, member) \
    }
static const entry entries[] = {ENTRY(create),  ENTRY(destroy),  ENTRY(finish), ENTRY(system),
                                ENTRY(carry),   ENTRY(load),     ENTRY(ranks),  ENTRY(cuts),
                                ENTRY(costs),   ENTRY(capacity), ENTRY(know),   ENTRY(join),
                                ENTRY(exchange)};

static bool take_entries(void *library, ranks_module *m, char *why, size_t size)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *function = dlsym(library, entries[i].name);
        if (!function) {
            snprintf(why, size, "%s", dlerror());
            return false;
        }
        memcpy((char *)m + entries[i].offset, &function, sizeof function);
    }
    return true;
}

// The module sees the inside of the library: of another version it would see something else.
static bool check_version(void *library, const char *path, char *why, size_t size)
{
    const char *version = dlsym(library, "foi_mpi_version");
    if (version && strcmp(version, fo_version()) == 0) return true;
    snprintf(why, size, "%s is of version %s, this program of %s", path,
             version ? version : "(none)", fo_version());
    return false;
}

bool ranks_module_load(ranks_module *m, char *why, size_t size)
{
    char path[2 * PATH_MAX];
    if (!program_part("foliot_mpi.so", path, sizeof path)) {
        snprintf(why, size, "there is no %s", path);
        return false;
    }
    // Global: the parts that Open MPI loads itself look for its symbols there.
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        snprintf(why, size, "%s", dlerror());
        return false;
    }
    return check_version(library, path, why, size) && take_entries(library, m, why, size);
}
