/// Files that tests of this folder write.
#ifndef TEST_FMI_FILES_H
#define TEST_FMI_FILES_H

#include <stdbool.h>
#include <stdio.h>

static inline bool write_file(const char *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) return false;
    bool good = fputs(text, file) >= 0;
    return fclose(file) == 0 && good;
}

#endif
