#include "cli/run/free_memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096, LINE = PATH + 64 };

/// The files of a group, as a version of the system calls them.
typedef struct version {
    const char *tag;    ///< of its line in /proc/self/cgroup, behind the number
    const char *folder; ///< where its groups are
    const char *most, *used, *cache;
} version;

static const version versions[] = {
    {"::", "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    {":memory:", "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file"},
};

// The number behind the word with which a line begins; of the first line where the word is empty.
static bool number_in(const char *path, const char *word, uint64_t *number)
{
    char line[LINE], *end;
    size_t length = strlen(word);
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        if (strncmp(line, word, length) != 0) continue;
        *number = strtoull(line + length, &end, 10);
        found = end != line + length;
        if (!length) break;
    }
    if (file) fclose(file);
    return found;
}

static bool number_of(const char *group, const char *name, const char *word, uint64_t *number)
{
    char path[PATH + 64];
    return snprintf(path, sizeof path, "%s/%s", group, name) < (int)sizeof path &&
           number_in(path, word, number);
}

// What is left to a group; of what it has, files that it may forget count as free. A group without
// a limit says "max", or a number that no machine has.
static uint64_t left_in(const char *group, const version *v)
{
    uint64_t most, used = 0, cache = 0;
    if (!number_of(group, v->most, "", &most)) return UINT64_MAX;
    number_of(group, v->used, "", &used);
    number_of(group, "memory.stat", v->cache, &cache);
    used -= cache < used ? cache : used;
    return used < most ? most - used : 0;
}

// The least of a group and of those that it is in; `group` is cut down to `top`, the folder.
static uint64_t least_above(char *group, size_t top, const version *v)
{
    uint64_t least = left_in(group, v);
    for (char *slash; (slash = strrchr(group, '/')) && slash >= group + top;) {
        *slash = 0;
        uint64_t left = left_in(group, v);
        if (left < least) least = left;
    }
    return least;
}

static uint64_t left_in_groups(const char *root, const version *v)
{
    char path[PATH], line[LINE], group[2 * PATH];
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *tag = line + strspn(line, "0123456789");
        if (strncmp(tag, v->tag, strlen(v->tag)) != 0) continue;
        line[strcspn(line, "\n")] = 0;
        int top = snprintf(group, sizeof group, "%s/%s", root, v->folder);
        snprintf(group + top, sizeof group - (size_t)top, "%s", tag + strlen(v->tag));
        least = least_above(group, (size_t)top, v);
        break;
    }
    if (file) fclose(file);
    return least;
}

uint64_t free_memory(const char *root)
{
    char path[PATH];
    uint64_t kilobytes, least = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (number_in(path, "MemAvailable:", &kilobytes)) least = kilobytes << 10;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        uint64_t left = left_in_groups(root, &versions[i]);
        if (left < least) least = left;
    }
    if (least == UINT64_MAX) return 0;
    return least ? least : 1; // nothing is left, which is known
}
