#include "cli/replace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/writer.h"

enum { LOOK = 64 };

const char *const replace_rows[] = {"time,", "time\n", "replication", "{\"model\"", NULL};
const char *const replace_moments[] = {"time,", "{\"time\"", NULL};
const char *const replace_checkpoint[] = {"foliot-run-", "foliot-field-", NULL};
const char *const replace_recording[] = {"foliot live recording", NULL};

// The beginning of a plain file that is not empty; 0: there is none.
static size_t beginning(const char *path, char *text, size_t size)
{
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) return 0;
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(text, 1, size, file) : 0;
    if (file) fclose(file);
    return got;
}

// Results for Modelica's tools have the name of their first matrix behind its head.
static bool is_mat(const char *text, size_t got)
{
    return got >= 27 && memcmp(text + 20, "Aclass", 7) == 0;
}

bool replace_may(const command *c, const char *by, const char *path, const char *const *beginnings,
                 bool overwrite)
{
    char text[LOOK];
    if (!path || overwrite || strcmp(path, "-") == 0) return true;
    size_t got = beginning(path, text, sizeof text);
    if (!got || (beginnings == replace_rows && is_mat(text, got))) return true;
    for (; *beginnings; beginnings++) {
        size_t length = strlen(*beginnings);
        if (got >= length && memcmp(text, *beginnings, length) == 0) return true;
    }
    complain(c, "%s is there and is not what %s writes; --overwrite replaces it", path, by);
    return false;
}

// The first line that a run with these signals writes.
static char *header(fo_system system, const fo_reference *signals, size_t count, size_t *length)
{
    enum { NAME = 256 };
    char name[NAME];
    size_t size = sizeof "time\n";
    for (size_t i = 0; i < count; i++)
        size += 1 + foi_field_size(fo_system_name(system, signals[i], name, sizeof name));
    char *text = malloc(size), *at = text;
    if (!text) return NULL;
    at = (char *)memcpy(at, "time", 4) + 4;
    for (size_t i = 0; i < count; i++) {
        *at++ = ',';
        at = foi_put_field(at, fo_system_name(system, signals[i], name, sizeof name));
    }
    *at++ = '\n';
    *length = (size_t)(at - text);
    return text;
}

void replace_note(const command *c, const char *path, fo_system system, const fo_reference *signals,
                  size_t count)
{
    char few[LOOK];
    if (!path || strcmp(path, "-") == 0) return;
    size_t got = beginning(path, few, sizeof few);
    if (got < 5 || memcmp(few, "time", 4) != 0) return; // the first line of other formats says less
    size_t length = 0;
    char *own = header(system, signals, count, &length), *there = own ? malloc(length) : NULL;
    if (there && (beginning(path, there, length) != length || memcmp(own, there, length) != 0))
        complain(c, "note: %s had rows of other signals, which are replaced", path);
    free(there);
    free(own);
}
