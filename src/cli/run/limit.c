#include "cli/run/limit.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/model.h"
#include "cli/run/free_memory.h"

static const uint64_t LEAST = UINT64_C(16) << 20; // below that nothing runs

// "500M": a number and a unit, bytes without one. False where it is none.
static bool read_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (end == text || (*end && (!unit || end[1]))) return false;
    if (unit) value *= (double)(UINT64_C(1) << 10 * (unit - units + 1));
    *bytes = value > 0 && value < 0x1p62 ? (uint64_t)value : 0;
    return *bytes > 0;
}

// What this process has by now: its data, heap and mapped memory.
static uint64_t memory_had(void)
{
    static const char name[] = "VmData:";
    char line[128];
    uint64_t kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && !kilobytes && fgets(line, sizeof line, file))
        if (strncmp(line, name, sizeof name - 1) == 0)
            kilobytes = strtoull(line + sizeof name - 1, NULL, 10);
    if (file) fclose(file);
    return kilobytes << 10;
}

bool limit_memory(const command *c, const char *text)
{
    uint64_t bytes = free_memory("") / 2;
    if (!text && bytes && bytes < LEAST) bytes = LEAST; // the machine decides
    if (text && !read_size(text, &bytes)) {
        complain_usage(c, "--memory takes a size like 500M or 2G, not '%s'", text);
        return false;
    }
    if (text && bytes < LEAST) {
        complain_usage(c, "--memory is at least 16M");
        return false;
    }
    if (!bytes) return true; // nobody knows what is free
    struct rlimit now;
    bytes += memory_had();
    if (getrlimit(RLIMIT_DATA, &now) != 0 || now.rlim_cur <= bytes) return true;
    now.rlim_cur = now.rlim_max < bytes ? now.rlim_max : bytes;
    setrlimit(RLIMIT_DATA, &now);
    return true;
}

// Stacks of processes are memory that is reserved and hardly used: worlds are limited only where
// that is asked for.
bool limit_model(const command *c, const char *name, const char *text)
{
    fo_model_def def = model_def(name);
    const char *kind = fo_model_find(&def, NULL, 0);
    bool code = !kind || strcmp(kind, "world") == 0 || strcmp(kind, "library") == 0;
    if (!text && code) return true;
    return limit_memory(c, text);
}
